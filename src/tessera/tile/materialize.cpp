#include <tessera/tile/materialize.h>

#include <algorithm>
#include <memory>
#include <vector>

#include <tessera/exec/host/parallel.h>
#include <tessera/tile/rows.h>

namespace tessera {
namespace {

using std::size_t;
using std::uint32_t;

template <int Dim>
std::vector<std::unique_ptr<RowWorker<Dim>>> make_workers(int threads, const TiledMesh<Dim>& tiles,
                                                          const Enumeration<Dim>& enumeration) {
  std::vector<std::unique_ptr<RowWorker<Dim>>> workers;
  for (int i = 0; i < threads; ++i) workers.push_back(std::make_unique<RowWorker<Dim>>(tiles, &enumeration));
  return workers;
}

}  // namespace

template <class R, int Dim>
requires RelationOf<R, Dim> Csr<typename R::Row, typename R::Entry> materialize(
    const TiledMesh<Dim>& tiles, const Enumeration<Dim>& enumeration, const MaterializeOptions& options) {
  using Entry = typename R::Entry;
  const int threads = options.exec.threads();
  auto workers = make_workers(threads, tiles, enumeration);
  std::vector<TileRows> parts(tiles.tile_count());
  host::for_each_chunk(threads, parts.size(), tiles_at_once, [&](host::Range range, int worker) {
    if (options.monitor != nullptr && options.monitor->is_stopped()) return;
    RowWorker<Dim>& mine = *workers[static_cast<size_t>(worker)];
    for (size_t t = range.begin; t < range.end; ++t) {
      mine.maker.template fill<R>(TileId(static_cast<uint32_t>(t)), mine.rows);
      parts[t] = mine.rows;  // exactly as large as it is
    }
  });
  if (options.monitor != nullptr) options.monitor->update("working out a relation", 0.5);
  std::vector<std::uint64_t> first_row(parts.size() + 1, 0);
  std::vector<std::uint64_t> first_value(parts.size() + 1, 0);
  for (size_t t = 0; t < parts.size(); ++t) {
    first_row[t + 1] = first_row[t] + parts[t].size();
    first_value[t + 1] = first_value[t] + parts[t].values.size();
  }
  Csr<typename R::Row, Entry> csr;
  csr.offsets.resize(first_row.back() + 1);
  csr.values.resize(checked_offset(first_value.back()));
  csr.offsets[0] = 0;
  host::for_each_chunk(threads, parts.size(), tiles_at_once, [&](host::Range range, int) {
    for (size_t t = range.begin; t < range.end; ++t) {
      const TileRows& part = parts[t];
      const uint32_t shift = static_cast<uint32_t>(first_value[t]);
      for (size_t r = 1; r < part.offsets.size(); ++r)
        csr.offsets[first_row[t] + r] = part.offsets[r] + shift;
      for (size_t i = 0; i < part.values.size(); ++i) csr.values[shift + i] = Entry(part.values[i]);
      parts[t] = {};
    }
  });
  return csr;
}

namespace {

/// Calls flag(vertex ids of a facet) for every facet with one cell whose lowest vertex is the star's center.
template <int Dim, class F>
void for_each_boundary_facet(const VertexStar<Dim>& star, F&& flag) {
  const uint32_t a = star.center().index();
  const auto neighbours = star.neighbours();
  if constexpr (Dim == 3) {
    for (uint32_t p = star.lower(); p < neighbours.size(); ++p) {
      star.for_each_upper_link(p, [&](uint32_t q, bool single) {
        if (single) flag(std::array{a, neighbours[p], neighbours[q]});
      });
    }
  } else {
    std::vector<uint32_t> count(neighbours.size(), 0);
    star.for_each_cell([&](uint32_t, const auto& ranks) {
      for (const uint32_t r : ranks) ++count[r];
    });
    for (uint32_t p = star.lower(); p < neighbours.size(); ++p) {
      if (count[p] == 1) flag(std::array{a, neighbours[p]});
    }
  }
}

}  // namespace

template <Kind K, int Dim>
IdArray<IdOf<K>, std::uint8_t> materialize_boundary(const TiledMesh<Dim>& tiles,
                                                    const Enumeration<Dim>& enumeration,
                                                    const MaterializeOptions& options) {
  constexpr bool is_top = static_cast<int>(K) == Dim;
  const size_t count = K == Kind::vertex ? tiles.vertex_count()
                       : K == Kind::edge ? enumeration.edge_count()
                       : is_top          ? tiles.cell_count()
                                         : enumeration.face_count();
  std::vector<std::atomic<std::uint8_t>> flags(count);
  const int threads = options.exec.threads();
  auto workers = make_workers(threads, tiles, enumeration);
  host::for_each_chunk(threads, tiles.tile_count(), tiles_at_once, [&](host::Range range, int worker) {
    if (options.monitor != nullptr && options.monitor->is_stopped()) return;
    Lookup<Dim>& lookup = workers[static_cast<size_t>(worker)]->lookup;
    VertexStar<Dim> star;
    TileView<Dim> view;
    const auto set = [&](uint32_t id) { flags[id].store(1, std::memory_order_relaxed); };
    for (size_t t = range.begin; t < range.end; ++t) {
      view.load(tiles, TileId(static_cast<uint32_t>(t)));
      const auto owned = view.owned();
      for (uint32_t v = owned.begin; v < owned.end; ++v) {
        star.build(view, VertexId(v), StarDepth::upper_links);
        for_each_boundary_facet(star, [&](const auto& facet) {
          if constexpr (K == Kind::vertex) {
            for (const uint32_t u : facet) set(u);
          } else if constexpr (K == Kind::edge) {
            for (size_t i = 0; i < facet.size(); ++i) {
              for (size_t j = i + 1; j < facet.size(); ++j) set(lookup.edge(facet[i], facet[j]));
            }
          } else if constexpr (!is_top) {
            set(lookup.face(facet[0], facet[1], facet[2]));
          } else {
            for (const uint32_t local : view.star(VertexId(v))) {
              const uint32_t c = view.cell_id(local);
              const auto& cell = tiles.cells()[c];
              if (std::ranges::all_of(facet, [&](uint32_t u) {
                    return std::ranges::find(cell, VertexId(u)) != cell.end();
                  })) {
                set(c);
              }
            }
          }
        });
      }
    }
  });
  if (options.monitor != nullptr) options.monitor->update("finding the boundary", 1);
  IdArray<IdOf<K>, std::uint8_t> result(count);
  std::ranges::copy(flags, result.begin());
  return result;
}

#define TS_INSTANTIATE(R, Dim)                                                                       \
  template Csr<R::Row, R::Entry> materialize<R, Dim>(const TiledMesh<Dim>&, const Enumeration<Dim>&, \
                                                     const MaterializeOptions&)
#include <tessera/tile/instantiate_relations.inc>

#define TS_INSTANTIATE_BOUNDARY(K, Dim)                                 \
  template IdArray<IdOf<K>, std::uint8_t> materialize_boundary<K, Dim>( \
      const TiledMesh<Dim>&, const Enumeration<Dim>&, const MaterializeOptions&)
TS_INSTANTIATE_BOUNDARY(Kind::vertex, 2);
TS_INSTANTIATE_BOUNDARY(Kind::edge, 2);
TS_INSTANTIATE_BOUNDARY(Kind::face, 2);
TS_INSTANTIATE_BOUNDARY(Kind::vertex, 3);
TS_INSTANTIATE_BOUNDARY(Kind::edge, 3);
TS_INSTANTIATE_BOUNDARY(Kind::face, 3);
TS_INSTANTIATE_BOUNDARY(Kind::tet, 3);

}  // namespace tessera
