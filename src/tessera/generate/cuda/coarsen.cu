// Coarsening on a device: key-reduce by the nearer end of each vertex's edge.
#include <tessera/generate/cuda/coarsen.h>

#include <type_traits>

#include <tessera/generate/blend.cuh>
#include <tessera/generate/cuda/corners.cuh>
#include <tessera/generate/key_reduce.cuh>

namespace tessera::cuda {
namespace {

struct NearerEnd {
  const std::array<std::uint64_t, 2>* edges;
  const double* weights;
  std::uint64_t* keys;
  TS_HD void operator()(std::size_t v) const { keys[v] = edges[v][weights[v] > 0.5 ? 1 : 0]; }
};

Buffer<std::uint64_t> keys_of(const Provenance& provenance, const Exec& exec) {
  using Edge = std::array<std::uint64_t, 2>;
  const Buffer<Edge> edges(exec, std::span<const Edge>(provenance.edges));
  const Buffer<double> weights(exec, std::span<const double>(provenance.weights));
  Buffer<std::uint64_t> keys(exec, edges.size());
  tessera::for_each(exec, keys.size(), NearerEnd{edges.data(), weights.data(), keys.data()});
  return keys;
}

}  // namespace

Coarsened coarsen(const TriMesh& surface, const Provenance& provenance, const Exec& exec) {
  const Buffer<std::uint64_t> keys = keys_of(provenance, exec);
  Buffer<VertexId> vertices(exec, keys.size());
  const std::size_t left = fill_connections(exec, keys.span(), vertices.span()).size();
  const RowBuffers<std::uint32_t> members = group_items(exec, std::as_const(vertices).span(), left);
  const AverageRule rule{members.view()};
  Coarsened result;
  TriMesh& mesh = result.mesh;
  surface.points.visit([&](auto values) {
    using Vector = std::remove_const_t<typename decltype(values)::element_type>;
    const Buffer<Vector> points(exec, values);
    mesh.points = Points(cuda::blend(exec, points.data(), left, rule).to_host());
  });
  mesh.point_data = cuda::blend(exec, surface.point_data, left, rule);
  result.dropped = take_cells(mesh, surface, vertices, exec);
  mesh.field_data = surface.field_data;
  result.vertices = vertices.to_host();
  return result;
}

}  // namespace tessera::cuda
