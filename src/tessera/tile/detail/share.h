// Shares: the elements of a mesh cut into contiguous parts, one for each worker, so that no two workers write
// to one place.
//
// A share is an interval of vertices with the edges, faces and cells that belong to them, which are intervals
// too. The faces of an element never belong to a vertex below its own lowest, so what a share's elements
// name lies in the share or in a later one.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/detail/host/scan.h>
#include <tessera/tile/detail/enumeration_part.h>
#include <tessera/tile/relation.h>
#include <tessera/tile/tiled_mesh.h>

namespace tessera::detail {

struct Share {
  std::array<host::Range, 4> ids;  ///< by kind: the elements that belong to it

  [[nodiscard]] host::Range operator[](Kind kind) const { return ids[static_cast<std::size_t>(kind)]; }
};

/// As many shares as there are threads, or fewer for a small mesh, with about equally many cells. Without an
/// enumeration the intervals of edges, and of faces of tets, stay empty.
template <int Dim>
[[nodiscard]] std::vector<Share> make_shares(const TiledMesh<Dim>& tiles, const EnumerationPart* whole,
                                             int threads) {
  constexpr std::size_t few_cells = 256;
  const auto cells = tiles.cells();
  const std::size_t n = cells.size();
  const std::size_t count = std::clamp<std::size_t>(n / few_cells, 1, static_cast<std::size_t>(threads));
  std::vector<Share> shares(count);
  std::array<std::size_t, 4> begin = {};
  for (std::size_t i = 0; i < count; ++i) {
    std::array<std::size_t, 4> end = {tiles.vertex_count(), 0, 0, 0};
    end[Dim] = n;
    if (i + 1 < count) {  // the vertex that an equal cut falls into belongs to the next share
      end[Dim] = host::share_of(n, i, count).end;
      end[0] = cells[end[Dim]][0].index();
      while (end[Dim] > begin[Dim] && cells[end[Dim] - 1][0].index() == end[0]) --end[Dim];
      end[0] = std::max(end[0], begin[0]);
    }
    if (whole != nullptr) {
      end[1] = whole->edge_offsets[end[0]];
      if constexpr (Dim == 3) end[2] = whole->face_offsets[end[1]];
    }
    for (std::size_t k = 0; k < 4; ++k) shares[i].ids[k] = {begin[k], end[k]};
    begin = end;
  }
  return shares;
}

/// Calls f(i) for every share, each on its own thread.
template <class F>
void for_each_share(std::span<const Share> shares, F&& f) {
  host::run_workers(static_cast<int>(shares.size()), [&](int i) { f(static_cast<std::size_t>(i)); });
}

/// Replaces the counts of all elements of a kind by the sum of those before; returns the sum of all, which
/// may be too large for the counts.
[[nodiscard]] inline std::uint64_t scan_by_share(std::span<const Share> shares, Kind kind,
                                                 std::uint32_t* counts) {
  std::vector<std::uint64_t> before(shares.size() + 1, 0);
  for_each_share(shares, [&](std::size_t i) {
    const host::Range own = shares[i][kind];
    before[i + 1] = std::accumulate(counts + own.begin, counts + own.end, std::uint64_t{0});
  });
  std::partial_sum(before.begin(), before.end(), before.begin());
  for_each_share(shares, [&](std::size_t i) {
    const host::Range own = shares[i][kind];
    host::scan_chunk(counts + own.begin, counts + own.begin, own.size(),
                     static_cast<std::uint32_t>(before[i]), false);
  });
  return before.back();
}

}  // namespace tessera::detail
