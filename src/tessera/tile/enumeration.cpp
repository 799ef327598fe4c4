#include <tessera/tile/enumeration.h>

#include <algorithm>
#include <vector>

#include <tessera/core/csr.h>
#include <tessera/exec/for_each.h>
#include <tessera/exec/host/parallel.h>

namespace tessera {
namespace {

using std::size_t;
using std::uint32_t;

/// Calls f(tile, view, star) for every tile, with the worker's own scratch.
template <int Dim, class F>
void for_each_tile(const TiledMesh<Dim>& tiles, const Exec& exec, F&& f) {
  struct Scratch {
    TileView<Dim> view;
    VertexStar<Dim> star;
  };
  std::vector<Scratch> scratch(static_cast<size_t>(exec.threads()));
  host::for_each_chunk(exec.threads(), tiles.tile_count(), tiles_at_once, [&](host::Range range, int worker) {
    Scratch& mine = scratch[static_cast<size_t>(worker)];
    for (size_t t = range.begin; t < range.end; ++t) {
      mine.view.load(tiles, TileId(static_cast<uint32_t>(t)));
      f(TileId(static_cast<uint32_t>(t)), mine.view, mine.star);
    }
  });
}

/// Copies a part's offsets, counted from the whole's beginning. The first one is the end of the part before,
/// which writes it.
void append_offsets(Array<uint32_t>& to, size_t at, const Array<uint32_t>& from, uint32_t shift) {
  for (size_t i = 1; i < from.size(); ++i) to[at + i] = from[i] + shift;
}

}  // namespace

template <int Dim>
void fill_part(const TileView<Dim>& view, VertexStar<Dim>& star, EnumerationPart& part) {
  const auto owned = view.owned();
  part.first_vertex = owned.begin;
  part.edge_offsets.assign(1, 0);
  part.face_offsets.assign(1, 0);
  part.edge_hi.clear();
  part.face_hi.clear();
  for (uint32_t v = owned.begin; v < owned.end; ++v) {
    star.build(view, VertexId(v), StarDepth::upper_links);
    const auto neighbours = star.neighbours();
    for (uint32_t p = star.lower(); p < neighbours.size(); ++p) {
      part.edge_hi.push_back(neighbours[p]);
      if constexpr (Dim == 3) {
        star.for_each_upper_link(p, [&](uint32_t q, bool) { part.face_hi.push_back(neighbours[q]); });
        part.face_offsets.push_back(static_cast<uint32_t>(part.face_hi.size()));
      }
    }
    part.edge_offsets.push_back(static_cast<uint32_t>(part.edge_hi.size()));
  }
}

template <int Dim>
void Enumeration<Dim>::scan_counts() {
  const auto scan = [](Array<uint32_t>& counts) {
    std::uint64_t sum = 0;
    for (uint32_t& count : counts) sum += std::exchange(count, checked_offset(sum));
  };
  scan(first_edge_);
  scan(first_face_);
}

template <int Dim>
Enumeration<Dim> Enumeration<Dim>::make_implicit(const TiledMesh<Dim>& tiles, const Exec& exec) {
  Enumeration result;
  result.first_edge_.assign(tiles.tile_count() + 1, 0);
  result.first_face_.assign(tiles.tile_count() + 1, 0);
  for_each_tile(tiles, exec, [&](TileId t, const TileView<Dim>& view, VertexStar<Dim>& star) {
    const auto owned = tiles.vertices(t);
    for (uint32_t v = owned.begin; v < owned.end; ++v) {
      star.build(view, VertexId(v), StarDepth::upper_links);
      result.first_edge_[t.index()] += star.upper();
      if constexpr (Dim == 3) {
        for (uint32_t p = star.lower(); p < star.neighbours().size(); ++p) {
          result.first_face_[t.index()] += star.upper_link_count(p);
        }
      }
    }
  });
  if constexpr (Dim == 2) {
    host_for_each(exec, tiles.tile_count(), [&](size_t t) {
      result.first_face_[t] = tiles.internal_cells(TileId(static_cast<uint32_t>(t))).size();
    });
  }
  result.scan_counts();
  return result;
}

/// Tiles are worked out once, into their worker's memory, and copied into place when all sizes are known.
template <int Dim>
Enumeration<Dim> Enumeration<Dim>::make_explicit(const TiledMesh<Dim>& tiles, const Exec& exec) {
  Enumeration result;
  result.explicit_ = true;
  result.first_edge_.assign(tiles.tile_count() + 1, 0);
  result.first_face_.assign(tiles.tile_count() + 1, 0);
  std::vector<EnumerationPart> parts(tiles.tile_count());
  for_each_tile(tiles, exec, [&](TileId t, const TileView<Dim>& view, VertexStar<Dim>& star) {
    EnumerationPart& part = parts[t.index()];
    fill_part(view, star, part);
    result.first_edge_[t.index()] = static_cast<uint32_t>(part.edge_hi.size());
    result.first_face_[t.index()] =
        static_cast<uint32_t>(Dim == 3 ? part.face_hi.size() : tiles.internal_cells(t).size());
  });
  result.scan_counts();
  EnumerationPart& whole = result.whole_;
  whole.edge_offsets.resize(tiles.vertex_count() + 1);
  whole.edge_hi.resize(result.edge_count());
  whole.face_offsets.resize(Dim == 3 ? result.edge_count() + 1 : 1);
  whole.face_hi.resize(Dim == 3 ? result.face_count() : 0);
  whole.edge_offsets[0] = 0;
  whole.face_offsets[0] = 0;
  host::for_each_chunk(exec.threads(), parts.size(), tiles_at_once, [&](host::Range range, int) {
    for (size_t t = range.begin; t < range.end; ++t) {
      EnumerationPart& part = parts[t];
      append_offsets(whole.edge_offsets, part.first_vertex, part.edge_offsets, result.first_edge_[t]);
      std::ranges::copy(part.edge_hi, whole.edge_hi.begin() + result.first_edge_[t]);
      if constexpr (Dim == 3) {
        append_offsets(whole.face_offsets, result.first_edge_[t], part.face_offsets, result.first_face_[t]);
        std::ranges::copy(part.face_hi, whole.face_hi.begin() + result.first_face_[t]);
      }
      part = {};
    }
  });
  return result;
}

template void fill_part(const TileView<2>&, VertexStar<2>&, EnumerationPart&);
template void fill_part(const TileView<3>&, VertexStar<3>&, EnumerationPart&);
template class Enumeration<2>;
template class Enumeration<3>;

}  // namespace tessera
