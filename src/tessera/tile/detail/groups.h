// Groups: consecutive tiles that one worker works out together, with the groups' results in order.
//
// Small tiles share many cells with each other; a group has enough vertices that few cells are met by two
// groups, and few enough to stay in a core's second-level cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/detail/host/scan.h>
#include <tessera/exec/exec.h>
#include <tessera/tile/tiled_mesh.h>

namespace tessera::detail {

struct TileGroup {
  std::size_t index = 0;
  TileId begin;
  TileId end;
};

/// For every group, on some worker and with the worker's own Scratch: calls measure(group, scratch), which
/// says how much the group will write, and then write(group, scratch, before), where `before` is what all
/// earlier groups write together. Returns the sum of all. Scratch is made from the tiles.
template <class Scratch, int Dim, class Measure, class Write>
auto for_each_group(const TiledMesh<Dim>& tiles, const Exec& exec, Measure&& measure, Write&& write) {
  using Total = decltype(measure(TileGroup{}, std::declval<Scratch&>()));
  constexpr std::size_t vertices = 2048;
  const std::size_t count = tiles.tile_count();
  const std::size_t together =
      std::max<std::size_t>(1, vertices * count / std::max<std::size_t>(1, tiles.vertex_count()));
  const std::size_t groups = (count + together - 1) / together;
  std::vector<std::unique_ptr<Scratch>> scratch(static_cast<std::size_t>(exec.threads()));
  host::ChunkTotals<Total> totals(groups);
  host::for_each_chunk(exec.threads(), count, together, [&](host::Range range, int worker) {
    const TileGroup group = {range.begin / together, TileId(static_cast<std::uint32_t>(range.begin)),
                             TileId(static_cast<std::uint32_t>(range.end))};
    auto& mine = scratch[static_cast<std::size_t>(worker)];
    Total own{};
    try {
      if (mine == nullptr) mine = std::make_unique<Scratch>(tiles);
      own = measure(group, *mine);
    } catch (...) {
      totals.exchange(group.index, own);  // nobody must wait for this group
      throw;
    }
    write(group, *mine, totals.exchange(group.index, own));
  });
  return totals.total(groups);
}

}  // namespace tessera::detail
