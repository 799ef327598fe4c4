#include <tessera/generate/coarsen.h>

#include <string>

#include <tessera/core/config.h>
#include <tessera/core/error.h>
#include <tessera/exec/for_each.h>
#include <tessera/generate/blend.h>
#include <tessera/generate/checks.h>
#include <tessera/generate/cuda/coarsen.h>
#include <tessera/generate/key_reduce.h>
#include <tessera/generate/parts.h>

namespace tessera {

Coarsened coarsen(const TriMesh& surface, const Provenance& provenance, const CoarsenOptions& options) {
  const Exec exec = Exec::host(options.exec.threads());
  expect_usable(surface, exec);
  const std::size_t vertices = surface.vertex_count();
  if (provenance.edges.size() != vertices || provenance.weights.size() != vertices) {
    throw Error(ErrorCode::bad_mesh, "the surface has " + std::to_string(vertices) +
                                         " points, but its provenance is that of " +
                                         std::to_string(provenance.edges.size()));
  }
  if (options.monitor != nullptr) options.monitor->update("joining vertices", 0);
  if constexpr (built_with_cuda) {
    if (options.exec.is_cuda()) return cuda::coarsen(surface, provenance, options.exec);
  }
  Array<std::uint64_t> keys(vertices);
  host_for_each(exec, vertices,
                [&](std::size_t v) { keys[v] = provenance.edges[v][provenance.weights[v] > 0.5 ? 1 : 0]; });
  Coarsened result;
  result.vertices.resize(vertices);
  const std::size_t left = fill_connections(keys, result.vertices, {.exec = exec}).size();
  const Csr<VertexId, std::uint32_t> members = group_items(result.vertices, left, exec);
  if (options.monitor != nullptr) options.monitor->update("averaging", 0.5);
  TriMesh& mesh = result.mesh;
  mesh.points = blend(surface.points, left, average_of(members), exec);
  mesh.point_data = blend(surface.point_data, left, average_of(members), exec);
  mesh.cells.resize(surface.cell_count());
  host_for_each(exec, mesh.cell_count(), [&](std::size_t t) {
    for (std::size_t c = 0; c < 3; ++c) mesh.cells[t][c] = result.vertices[surface.cells[t][c].index()];
  });
  mesh.cell_data = surface.cell_data;
  mesh.field_data = surface.field_data;
  result.dropped = drop_degenerate(mesh, exec);
  return result;
}

}  // namespace tessera
