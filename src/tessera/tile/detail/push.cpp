#include <tessera/tile/push.h>

#include <algorithm>
#include <memory>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/tile/detail/rows.h>

namespace tessera::detail {
namespace {

/// The elements of a kind that are internal to a tile, as an interval of ids.
template <int Dim>
host::Range internal_ids(Kind kind, const TiledMesh<Dim>& tiles, const Enumeration<Dim>* enumeration,
                         TileId tile) {
  if (kind == Kind::vertex) return {tiles.vertices(tile).begin, tiles.vertices(tile).end};
  if (static_cast<int>(kind) == Dim)
    return {tiles.internal_cells(tile).begin, tiles.internal_cells(tile).end};
  const TileId next(tile.index() + 1);
  if (kind == Kind::edge) return {enumeration->first_edge(tile), enumeration->first_edge(next)};
  return {enumeration->first_face(tile), enumeration->first_face(next)};
}

/// What one worker needs: rows of every relation of the walk.
template <int Dim>
struct Worker : RowWorker<Dim> {
  Worker(const TiledMesh<Dim>& tiles, const Enumeration<Dim>* enumeration, std::size_t relations)
      : RowWorker<Dim>(tiles, enumeration), rows_of(relations), views(relations) {}

  void fill(std::span<const RelationKey> relations, TileId tile) {
    for (std::size_t k = 0; k < relations.size(); ++k) {
      for_each_relation<Dim>([&]<class R>(R, std::string_view) {
        if (relations[k] == key_of<R>) this->maker.template fill<R>(tile, rows_of[k]);
      });
      views[k] = {rows_of[k].offsets.data(), rows_of[k].values.data()};
    }
  }

  std::vector<TileRows> rows_of;
  std::vector<RowsView<std::uint32_t>> views;
};

}  // namespace

template <int Dim>
void walk_tiles(const TiledMesh<Dim>& tiles, std::span<const RelationKey> relations,
                const PushOptions<Dim>& options, const std::function<void(const TileVisit&)>& visit) {
  const auto is_numbered = [](Kind kind) { return kind != Kind::vertex && static_cast<int>(kind) != Dim; };
  for (const RelationKey& key : relations)
    TS_EXPECTS(options.enumeration != nullptr || !(is_numbered(key.from) || is_numbered(key.to)));
  const int threads = options.exec.threads();
  std::vector<std::unique_ptr<Worker<Dim>>> workers(static_cast<std::size_t>(threads));
  host::for_each_chunk(threads, tiles.tile_count(), tiles_at_once, [&](host::Range range, int index) {
    auto& worker = workers[static_cast<std::size_t>(index)];
    if (worker == nullptr)
      worker = std::make_unique<Worker<Dim>>(tiles, options.enumeration, relations.size());
    for (std::size_t t = range.begin; t < range.end; ++t) {
      if (options.monitor != nullptr && options.monitor->is_stopped()) return;
      const TileId tile(static_cast<std::uint32_t>(t));
      const host::Range own = internal_ids(relations[0].from, tiles, options.enumeration, tile);
      TileVisit visited = {static_cast<std::uint32_t>(own.begin), static_cast<std::uint32_t>(own.size()),
                           std::nullopt, worker->views};
      if (options.active.has_value()) {
        const auto first = std::ranges::lower_bound(*options.active, own.begin);
        visited.active = {first, std::ranges::lower_bound(first, options.active->end(), own.end)};
        if (visited.active->empty()) continue;
      }
      worker->fill(relations, tile);
      visit(visited);
    }
  });
  if (options.monitor != nullptr) options.monitor->update("walking the tiles", 1);
}

template void walk_tiles<2>(const TiledMesh<2>&, std::span<const RelationKey>, const PushOptions<2>&,
                            const std::function<void(const TileVisit&)>&);
template void walk_tiles<3>(const TiledMesh<3>&, std::span<const RelationKey>, const PushOptions<3>&,
                            const std::function<void(const TileVisit&)>&);

}  // namespace tessera::detail
