#include <tessera/tile/push.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include <tessera/core/detail/monitor.h>
#include <tessera/exec/detail/host/walk.h>
#include <tessera/tile/detail/link_maker.h>
#include <tessera/tile/detail/pushable.h>
#include <tessera/tile/detail/rows.h>

namespace tessera::detail {
namespace {

/// What one worker needs: rows of every relation of the walk.
template <int Dim>
struct Worker : RowWorker<Dim> {
  Worker(const TiledMesh<Dim>& tiles, const Enumeration<Dim>* enumeration, std::size_t relations)
      : RowWorker<Dim>(tiles, enumeration), links(this->lookup), rows_of(relations), views(relations) {}

  void fill(std::span<const RelationKey> relations, TileId tile) {
    for (std::size_t k = 0; k < relations.size(); ++k) {
      visit_pushable<Dim>(relations[k], [&]<class R>(R) {
        if constexpr (is_link<R>) {
          links.template fill<R>(tile, rows_of[k]);
        } else {
          this->maker.template fill<R>(tile, rows_of[k]);
        }
      });
      views[k] = {rows_of[k].offsets.data(), rows_of[k].values.data()};
    }
  }

  LinkMaker<Dim> links;
  std::vector<TileRows> rows_of;
  std::vector<RowsView<std::uint32_t>> views;
};

}  // namespace

template <int Dim>
void walk_tiles(const TiledMesh<Dim>& tiles, std::span<const RelationKey> relations,
                const PushOptions<Dim>& options, const std::function<void(const TileVisit&)>& visit) {
  const Exec exec = Exec::host(options.exec.threads());
  const Monitor& monitor = monitor_of(options.monitor);
  Enumeration<Dim> own;
  const Enumeration<Dim>* enumeration = options.enumeration;
  if (enumeration == nullptr && std::ranges::any_of(relations, names_enumerated<Dim>)) {
    own = Enumeration<Dim>::make_explicit(tiles, exec);
    enumeration = &own;
  }
  const auto make = [&](int) { return Worker<Dim>(tiles, enumeration, relations.size()); };
  host::walk(tiles.tile_count(), {exec, monitor}, make, [&](Worker<Dim>& worker, std::size_t t) {
    const TileId tile(static_cast<std::uint32_t>(t));
    const auto [begin, end] = internal_ids(relations[0].from, tiles, enumeration, tile);
    TileVisit visited = {begin, end - begin, std::nullopt, worker.views};
    if (options.active.has_value()) {
      visited.active = elements_between(*options.active, begin, end);
      if (visited.active->empty()) return;
    }
    worker.fill(relations, tile);
    visit(visited);
  });
  monitor.update("walking the tiles", 1);
}

template void walk_tiles<2>(const TiledMesh<2>&, std::span<const RelationKey>, const PushOptions<2>&,
                            const std::function<void(const TileVisit&)>&);
template void walk_tiles<3>(const TiledMesh<3>&, std::span<const RelationKey>, const PushOptions<3>&,
                            const std::function<void(const TileVisit&)>&);

}  // namespace tessera::detail
