// Compaction: the surface is made anew, at its place, of what is left of it.
#include <algorithm>
#include <utility>

#include <tessera/exec/primitives.h>
#include <tessera/surface/attribute.h>
#include <tessera/surface/detail/edit/build_loops.h>
#include <tessera/surface/detail/edit/compact_loops.h>
#include <tessera/surface/detail/edit/dynamic_store.h>
#include <tessera/surface/detail/run_loop.h>

namespace tessera::detail {

namespace {

[[nodiscard]] Buffer<std::uint32_t> filled(const Exec& exec, std::size_t size) {
  Buffer<std::uint32_t> words(exec, size);
  run_loop(exec, size, FillWords{words.data(), EditArrays::none});
  return words;
}

/// The vertices or faces that are left.
struct Survivors {
  Buffer<std::uint32_t> ids;
  std::size_t count = 0;

  Survivors(const Exec& exec, const EditArrays& mesh, bool is_vertex) {
    const std::size_t end = is_vertex ? mesh.vertex_end : mesh.face_end;
    Buffer<std::uint8_t> flags(exec, end);
    run_loop(exec, end, FlagLive{mesh, is_vertex, flags.data()});
    ids = Buffer<std::uint32_t>(exec, end);
    count = compact_indices(exec, flags.span(), ids.span());
  }
  /// The old id of each new one, where `origins` are places among those that are left.
  [[nodiscard]] Buffer<std::uint32_t> old_ids(const Buffer<std::uint32_t>& origins) const {
    Buffer<std::uint32_t> old(origins.exec(), count);
    run_loop(origins.exec(), count, GatherWords{ids.data(), origins.data(), old.data()});
    return old;
  }
};

/// Calls f with a surface of the points and cells, which lie at exec's place.
template <class F>
void with_surface(const Buffer<Vec3d>& points, const Buffer<TriMesh::Cell>& cells,
                  const SurfaceOptions& options, const F& f) {
  if (options.exec.is_cuda()) {
    f(Surface(ResidentMesh<2, double>{points.span(), cells.span()}, options));
  } else {
    TriMesh mesh;
    mesh.points = Array<Vec3d>(points.span().begin(), points.span().end());
    mesh.cells.assign(cells.span().begin(), cells.span().end());
    f(Surface(mesh, options));
  }
}

}  // namespace

double DynamicStore::disorder() {
  const std::size_t edges = end(Kind::edge);
  if (count(Kind::edge) == 0) return 0;
  check_room(edges * sizeof(std::uint32_t));
  Buffer<std::uint32_t> counts(exec_, edges);
  run_loop(exec_, edges, CountFar{arrays(), counts.data()});
  return static_cast<double>(reduce_sum<std::uint32_t>(exec_, counts.span())) / (2.0 * count(Kind::edge));
}

CompactionMaps DynamicStore::compact() {
  const EditArrays old = arrays();
  const Survivors vertices(exec_, old, true);
  const Survivors faces(exec_, old, false);
  Buffer<Vec3d> points(exec_, vertices.count);
  gather_elements(exec_, columns_[positions].values.data(), vertices.ids.span().first(vertices.count),
                  points.data(), vertices.count, sizeof(Vec3d));
  Buffer<TriMesh::Cell> cells(exec_, faces.count);
  {
    Buffer<std::uint32_t> place = filled(exec_, old.vertex_end);
    run_loop(exec_, vertices.count, InvertList{vertices.ids.data(), place.data()});
    run_loop(exec_, faces.count, GatherCells{old, faces.ids.data(), place.data(), cells.data()});
  }
  EditConnectivity next;
  with_surface(points, cells, surface_options(nullptr),
               [&](const Surface& surface) { next = EditConnectivity(surface, cells.data()); });

  // Of each new element the old id, and of each old one the new id.
  std::array<Buffer<std::uint32_t>, 3> before = {vertices.old_ids(next.origins[0]),
                                                 Buffer<std::uint32_t>(exec_, next.end[1]),
                                                 faces.old_ids(next.origins[1])};
  CompactionMaps maps = {filled(exec_, old.vertex_end), filled(exec_, old.edge_end),
                         filled(exec_, old.face_end)};
  run_loop(exec_, vertices.count, InvertList{before[0].data(), maps.vertices.data()});
  run_loop(exec_, faces.count, InvertList{before[2].data(), maps.faces.data()});
  run_loop(exec_, next.end[2],
           MatchEdges{old, next.arrays(), before[2].data(), before[1].data(), maps.edges.data()});

  std::vector<Buffer<std::byte>> moved;
  for (const StoredColumn& column : columns_) {
    const auto k = static_cast<std::size_t>(column.shape.kind);
    const std::size_t width = column.shape.width;
    moved.emplace_back(exec_, column.values.empty() ? 0 : std::max<std::size_t>(next.end[k], 1) * width);
    if (column.values.empty()) continue;
    gather_elements(exec_, column.values.data(), before[k].span(), moved.back().data(), next.end[k], width);
  }
  for (const std::size_t k : {0, 1}) {
    Buffer<std::uint32_t> origins(exec_, next.origins[k].size());
    run_loop(exec_, origins.size(),
             GatherWords{mesh_.origins[k].data(), before[2 * k].data(), origins.data()});
    next.origins[k] = std::move(origins);
  }
  // From here on nothing can fail.
  for (std::size_t i = 0; i < columns_.size(); ++i) columns_[i].values = std::move(moved[i]);
  mesh_ = std::move(next);
  capacity_ = mesh_.end;
  freed_ = {};
  round_ = 0;
  write_tables();
  return maps;
}

}  // namespace tessera::detail
