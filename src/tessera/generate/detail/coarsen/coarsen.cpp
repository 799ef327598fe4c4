#include <tessera/generate/coarsen.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/config.h>
#include <tessera/core/detail/monitor.h>
#include <tessera/core/error.h>
#include <tessera/exec/detail/host/runs.h>
#include <tessera/exec/detail/stoppable.h>
#include <tessera/exec/for_each.h>
#include <tessera/generate/detail/coarsen/cuda/coarsen.h>
#include <tessera/generate/detail/common/blend.h>
#include <tessera/generate/detail/common/checks.h>
#include <tessera/generate/detail/common/parts.h>
#include <tessera/generate/detail/keys/hash_marks.h>
#include <tessera/generate/detail/weld/triangle_order.h>
#include <tessera/generate/key_reduce.h>

namespace tessera {

using namespace detail;
namespace {

/// A triangle with its vertices in ascending order.
struct SortedTriangle {
  TriMesh::Cell vertices;
  std::uint32_t triangle;
  bool turns_up;  ///< its vertices ascended already, but for where it began

  SortedTriangle(const TriMesh::Cell& cell, std::size_t t)
      : vertices(cell), triangle(static_cast<std::uint32_t>(t)) {
    turns_up = sort_vertices(vertices);
  }
  friend bool operator<(const SortedTriangle& a, const SortedTriangle& b) {
    return a.vertices != b.vertices ? a.vertices < b.vertices : a.triangle < b.triangle;
  }
};

/// The same for triangles with the same vertices.
std::uint64_t hash_of(const TriMesh::Cell& cell) {
  const auto [low, high] = std::minmax({cell[0].index(), cell[1].index(), cell[2].index()});
  const std::uint32_t middle = cell[0].index() ^ cell[1].index() ^ cell[2].index() ^ low ^ high;
  return mix_hash(mix_hash(0, std::uint64_t{low} << 32 | high), middle);
}

/// Triangles with the same three vertices, in order: which one of them stays? None if their number is even,
/// else the first of those that most are turned like.
const SortedTriangle* find_left(std::span<const SortedTriangle> same) {
  if (same.size() % 2 == 0) return nullptr;
  const auto up = static_cast<std::size_t>(std::ranges::count(same, true, &SortedTriangle::turns_up));
  return &*std::ranges::find(same, 2 * up > same.size(), &SortedTriangle::turns_up);
}

/// The triangles that fold onto each other, as marks. Only those whose hash another one has are sorted: few.
Array<std::uint8_t> find_folded(const Array<TriMesh::Cell>& cells, const Exec& exec) {
  HashMarks marks(cells.size(), exec);
  host_for_each(exec, cells.size(), [&](std::size_t t) { marks.mark(hash_of(cells[t])); });
  Array<std::uint8_t> is_folded(cells.size());
  host_for_each(exec, cells.size(),
                [&](std::size_t t) { is_folded[t] = marks.has_several(hash_of(cells[t])) ? 1 : 0; });
  std::vector<SortedTriangle> sorted;
  for (const std::uint32_t t : list_if(
           cells.size(), [&](std::size_t i) { return is_folded[i] != 0; }, exec)) {
    sorted.emplace_back(cells[t], t);
  }
  std::ranges::sort(sorted, std::less<>());
  for (auto begin = sorted.begin(); begin != sorted.end();) {
    const auto differs = [&](const SortedTriangle& other) { return other.vertices != begin->vertices; };
    const auto end = std::find_if(begin, sorted.end(), differs);
    if (const SortedTriangle* left = find_left({begin, end})) is_folded[left->triangle] = 0;
    begin = end;
  }
  return is_folded;
}

/// The vertices that cells name.
Array<std::uint32_t> list_used(std::span<const TriMesh::Cell> cells, std::size_t vertices, const Exec& exec) {
  Array<std::uint8_t> is_used(vertices, 0);
  host_for_each(exec, cells.size(), [&](std::size_t t) {
    for (const VertexId v : cells[t]) std::atomic_ref(is_used[v.index()]).store(1, std::memory_order_relaxed);
  });
  return list_if(
      vertices, [&](std::size_t v) { return is_used[v] != 0; }, exec);
}

/// Names vertices by their places in `kept`; those that are not there become invalid.
void renumber(Coarsened& result, std::span<const std::uint32_t> kept, std::size_t vertices,
              const Exec& exec) {
  Array<VertexId> place(vertices, VertexId());
  host_for_each(exec, kept.size(),
                [&](std::size_t v) { place[kept[v]] = VertexId(static_cast<std::uint32_t>(v)); });
  host_for_each(exec, result.vertices.size(),
                [&](std::size_t v) { result.vertices[v] = place[result.vertices[v].index()]; });
  host_for_each(exec, result.mesh.cell_count(), [&](std::size_t t) {
    for (VertexId& v : result.mesh.cells[t]) v = place[v.index()];
  });
}

}  // namespace

Coarsened coarsen(const TriMesh& surface, const Provenance& provenance, const CoarsenOptions& options) {
  const Exec exec = host_for(options.exec, surface.cell_count());
  expect_usable(surface, exec);
  const std::size_t vertices = surface.vertex_count();
  if (provenance.edges.size() != vertices || provenance.weights.size() != vertices) {
    throw Error(ErrorCode::bad_mesh, "the surface has " + std::to_string(vertices) +
                                         " points, but its provenance is that of " +
                                         std::to_string(provenance.edges.size()));
  }
  const auto report = [&](std::string_view stage, double fraction) {
    monitor_of(options.monitor).update(stage, fraction);
  };
  report("joining vertices", 0);
  if constexpr (built_with_cuda) {
    if (options.exec.is_cuda())
      return cuda::coarsen(surface, provenance, stoppable(options.exec, options.monitor));
  }
  Array<std::uint64_t> keys(vertices);
  host_for_each(exec, vertices,
                [&](std::size_t v) { keys[v] = provenance.edges[v][provenance.weights[v] > 0.5 ? 1 : 0]; });
  Coarsened result;
  result.vertices.resize(vertices);
  const std::size_t joined = fill_connections(keys, result.vertices, {.exec = exec}).size();
  const Csr<VertexId, std::uint32_t> members = group_items(result.vertices, joined, exec);

  report("dropping triangles", 0.4);
  Array<TriMesh::Cell> cells(surface.cell_count());
  Array<std::uint8_t> is_dropped(cells.size());
  host_for_each(exec, cells.size(), [&](std::size_t t) {
    for (std::size_t c = 0; c < 3; ++c) cells[t][c] = result.vertices[surface.cells[t][c].index()];
    is_dropped[t] = is_degenerate(cells[t]) ? 1 : 0;
  });
  const auto list = [&](const Array<std::uint8_t>& marks, std::uint8_t mark) {
    return list_if(
        marks.size(), [&](std::size_t t) { return marks[t] == mark; }, exec);
  };
  result.dropped = list(is_dropped, 1);
  Array<std::uint32_t> left = list(is_dropped, 0);
  cells = gather(cells, left, exec);
  const Array<std::uint8_t> is_folded = find_folded(cells, exec);
  result.folded = gather(left, list(is_folded, 1), exec);
  const Array<std::uint32_t> flat = list(is_folded, 0);
  left = gather(left, flat, exec);
  TriMesh& mesh = result.mesh;
  mesh.cells = gather(cells, flat, exec);
  mesh.cell_data = surface.cell_data.gather(left);
  mesh.field_data = surface.field_data;
  const Array<std::uint32_t> used = list_used(mesh.cells, joined, exec);
  result.isolated = joined - used.size();
  renumber(result, used, joined, exec);

  report("averaging", 0.7);
  const auto average = [&, rule = average_of(members)](std::size_t v, const auto& take) {
    rule(used[v], take);
  };
  mesh.points = blend(surface.points, used.size(), average, exec);
  mesh.point_data = blend(surface.point_data, used.size(), average, exec);
  return result;
}

}  // namespace tessera
