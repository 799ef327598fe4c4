// Push on a device: batches of tiles, their rows in its memory, and a call of the user's kernel for each.
#include <algorithm>
#include <type_traits>
#include <vector>

#include <tessera/core/detail/monitor.h>
#include <tessera/exec/primitives.h>
#include <tessera/tile/detail/pushable.h>
#include <tessera/tile/detail/ring_rules.h>
#include <tessera/exec/buffers.cuh>
#include <tessera/tile/detail/cuda/elements.cuh>
#include <tessera/tile/push.cuh>

namespace tessera::detail {
namespace {

using cuda::DeviceRelations;
using cuda::DeviceRows;
using cuda::DeviceTileRows;
using cuda::ElementList;
using std::size_t;
using std::uint32_t;

constexpr size_t batch_tiles = 4096;  // about a million vertices: rows of hundreds of megabytes
constexpr int tile_threads = 256;

/// What lies opposite an element in each of the cells around it, written over the cells.
template <class L, int Dim>
void replace_cells(const Exec& exec, const DeviceRelations<Dim>& relations, const ElementList& list,
                   DeviceRows& rows) {
  cuda::for_each(exec, list.size,
                 [elements = cuda::elements_of(relations), list, offsets = rows.offsets.data(),
                  values = rows.values.data()] __device__(size_t i) {
                   uint32_t own[4] = {list[i]};
                   uint32_t count = 1;
                   if constexpr (L::from != Kind::vertex) {
                     count = elements.template boundary<L::from, Kind::vertex>(list[i], own);
                   }
                   for (uint32_t at = offsets[i]; at < offsets[i + 1]; ++at) {
                     const auto& cell = elements.cells[values[at]];
                     uint32_t rest[3] = {};
                     uint32_t left = 0;
                     for (int k = 0; k <= Dim; ++k) {
                       bool is_own = false;
                       for (uint32_t j = 0; j < count; ++j) is_own |= own[j] == cell[k];
                       if (!is_own) rest[left++] = cell[k];
                     }
                     if constexpr (L::to == Kind::vertex) {
                       values[at] = rest[0];
                     } else if constexpr (L::to == Kind::edge) {
                       values[at] = elements.ids.edge(rest[0], rest[1]);
                     } else {
                       values[at] = elements.ids.face(rest[0], rest[1], rest[2]);
                     }
                   }
                 });
}

/// Rings around vertices, from their neighbours and faces (ring_rules.h).
DeviceRows make_rings(const Exec& exec, const DeviceRelations<2>& relations, const ElementList& list,
                      const DeviceRows& neighbours, const DeviceRows& faces) {
  const uint32_t n = list.size;
  Buffer<uint32_t> next(exec, neighbours.values.size());
  Buffer<uint32_t> first(exec, n);
  Buffer<uint32_t> counts(exec, size_t{n} + 1);
  cuda::for_each(exec, size_t{n} + 1,
                 [list, n, cells = relations.tiles().cells.data(), turned = relations.tiles().turned.data(),
                  around = neighbours.offsets.data(), neighbour = neighbours.values.data(),
                  star = faces.offsets.data(), face = faces.values.data(), next = next.data(),
                  first = first.data(), counts = counts.data()] __device__(size_t i) {
                   uint32_t count = 0;
                   if (i < n) {
                     const uint32_t begin = around[i];
                     const uint32_t size = around[i + 1] - begin;
                     for (uint32_t k = 0; k < size; ++k) next[begin + k] = ring_end;
                     uint32_t arcs = 0;
                     for (uint32_t at = star[i]; at < star[i + 1]; ++at) {
                       const auto arc = arc_around(cuda::oriented<2>(cells, turned, face[at]), list[i]);
                       const uint32_t from =
                           cuda::lower_bound(neighbour, begin, begin + size, arc[0]) - begin;
                       const uint32_t to = cuda::lower_bound(neighbour, begin, begin + size, arc[1]) - begin;
                       add_to_ring(next + begin, from, to, arcs);
                     }
                     first[i] = find_ring(next + begin, size, arcs);
                     count = first[i] != ring_end ? size : 0;
                   }
                   counts[i] = count;
                 });
  DeviceRows rows{Buffer<uint32_t>(exec, size_t{n} + 1), {}};
  exclusive_scan<uint32_t, uint32_t>(exec, std::as_const(counts).span(), rows.offsets.span());
  rows.values = Buffer<uint32_t>(exec, cuda::last_of(exec, rows.offsets));
  cuda::for_each(exec, n,
                 [around = neighbours.offsets.data(), neighbour = neighbours.values.data(),
                  next = next.data(), first = first.data(), offsets = rows.offsets.data(),
                  values = rows.values.data()] __device__(size_t i) {
                   uint32_t at = first[i];
                   for (uint32_t to = offsets[i]; to < offsets[i + 1]; ++to) {
                     values[to] = neighbour[around[i] + at];
                     at = next[around[i] + at];
                   }
                 });
  return rows;
}

template <int Dim>
using Top = std::integral_constant<Kind, static_cast<Kind>(Dim)>;

/// What rows of a relation are made from, once for all batches.
template <class R, int Dim>
void prepare(DeviceRelations<Dim>& relations) {
  if constexpr (is_link<R>) {
    if (names_enumerated<Dim>(key_of<R>)) relations.enumerate();
  } else if constexpr (R::form == Form::ascending) {
    relations.template prepare<R>();
  }
}

/// Rows of the elements internal to a batch of tiles.
template <class R, int Dim>
DeviceRows make_rows(const DeviceRelations<Dim>& relations, std::span<const uint32_t> batch,
                     const ElementList& list) {
  const Exec& exec = relations.exec();
  if constexpr (is_link<R>) {
    DeviceRows rows =
        relations.template some<Relation<R::from, Top<Dim>::value>>(exec, batch, tile_threads).rows;
    replace_cells<R>(exec, relations, list, rows);
    return rows;
  } else if constexpr (R::form == Form::cyclic) {
    const DeviceTileRows neighbours = relations.template some<VV>(exec, batch, tile_threads);
    const DeviceTileRows faces = relations.template some<VF>(exec, batch, tile_threads);
    return make_rings(exec, relations, list, neighbours.rows, faces.rows);
  } else if constexpr (R::is_boundary) {
    return cuda::boundary_rows<R>(exec, relations, list);
  } else {
    return relations.template some<R>(exec, batch, tile_threads).rows;
  }
}

/// The tiles that are visited: all, or those with active elements.
Array<uint32_t> choose_tiles(const Array<uint32_t>& first, std::optional<std::span<const uint32_t>> active) {
  Array<uint32_t> chosen;
  for (uint32_t t = 0; t + 1 < first.size(); ++t) {
    if (!active.has_value() || !elements_between(*active, first[t], first[t + 1]).empty())
      chosen.push_back(t);
  }
  return chosen;
}

}  // namespace

template <int Dim>
void walk_tiles_on_device(const TiledMesh<Dim>& tiles, std::span<const RelationKey> relations,
                          const PushOptions<Dim>& options,
                          const std::function<void(const DeviceVisit&)>& visit) {
  const Exec& exec = options.exec;
  const auto copy = device_tiles(tiles, exec);
  DeviceRelations<Dim> maker(tiles, *copy, exec);
  const Kind from = relations[0].from;
  if (from != Kind::vertex && static_cast<int>(from) != Dim) maker.enumerate();
  for (const RelationKey& key : relations) {
    visit_pushable<Dim>(key, [&]<class R>(R) { prepare<R>(maker); });
  }
  const Array<uint32_t>& first = maker.first_of(from);
  const Array<uint32_t> chosen = choose_tiles(first, options.active);
  for (size_t at = 0; at < chosen.size(); at += batch_tiles) {
    monitor_of(options.monitor)
        .update("walking the tiles", static_cast<double>(at) / static_cast<double>(chosen.size()));
    const std::span<const uint32_t> batch(chosen.data() + at, std::min(batch_tiles, chosen.size() - at));
    Buffer<uint32_t> memory;
    Array<uint32_t> tile_rows;
    const ElementList list = maker.list_elements(exec, from, batch, memory, tile_rows);
    std::vector<DeviceRows> rows;
    std::vector<RowsView<uint32_t>> views;
    for (const RelationKey& key : relations) {
      visit_pushable<Dim>(key, [&]<class R>(R) {
        if (key_of<R>.from == from) rows.push_back(make_rows<R>(maker, batch, list));
      });
      views.push_back({rows.back().offsets.data(), rows.back().values.data()});
    }
    if (!options.active.has_value()) {
      visit({list.first, list.size, nullptr, nullptr, views});
    } else {
      Array<uint32_t> ids;
      Array<uint32_t> places;
      for (size_t i = 0; i < batch.size(); ++i) {
        for (const uint32_t id : elements_between(*options.active, first[batch[i]], first[batch[i] + 1])) {
          ids.push_back(id);
          places.push_back(tile_rows[i] + id - first[batch[i]]);
        }
      }
      const Buffer<uint32_t> device_ids(exec, std::span<const uint32_t>(ids));
      const Buffer<uint32_t> device_places(exec, std::span<const uint32_t>(places));
      visit({0, static_cast<uint32_t>(ids.size()), device_ids.data(), device_places.data(), views});
    }
  }
  synchronize(exec);
  monitor_of(options.monitor).update("walking the tiles", 1);
}

template void walk_tiles_on_device<2>(const TiledMesh<2>&, std::span<const RelationKey>,
                                      const PushOptions<2>&, const std::function<void(const DeviceVisit&)>&);
template void walk_tiles_on_device<3>(const TiledMesh<3>&, std::span<const RelationKey>,
                                      const PushOptions<3>&, const std::function<void(const DeviceVisit&)>&);

}  // namespace tessera::detail
