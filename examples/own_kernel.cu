// A CUDA kernel of our own that asks for rows of vertices and of edges.
#include <tessera/tessera.cuh>

#include <algorithm>
#include <array>
#include <iostream>

namespace ts = tessera;

/// One launch for both kinds of elements: thread i looks at vertex i and at edge i.
__global__ void look_at_rows(ts::SurfaceRows<ts::VV> neighbours, ts::SurfaceRows<ts::EF> faces,
                             unsigned* vertices, unsigned* edges) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < neighbours.size() && neighbours[ts::tiled::VertexId(i)].size() != 6) atomicAdd(vertices, 1);
  if (i < faces.size() && faces[ts::tiled::EdgeId(i)].size() != 2) atomicAdd(edges, 1);
}

std::array<unsigned, 2> count_irregular(const ts::Surface& surface) {
  const ts::Exec& exec = surface.exec();
  const auto rows = surface.rows<ts::VV, ts::EF>();  // they stay as long as this lives
  const std::array<unsigned, 2> zeros = {};
  ts::Buffer<unsigned> counts(exec, std::span<const unsigned>(zeros));

  const ts::CurrentDevice current(exec);
  const std::size_t threads = std::max(surface.vertex_count(), surface.edge_count());
  const auto blocks = static_cast<unsigned>(threads / 256 + 1);
  look_at_rows<<<blocks, 256, 0, ts::cuda_stream(exec)>>>(rows.get<ts::VV>(), rows.get<ts::EF>(),
                                                          counts.data(), counts.data() + 1);
  ts::check_launch(exec, "counting irregular elements");
  const ts::Array<unsigned> result = counts.to_host();
  return {result[0], result[1]};
}

int main() {
  if (ts::devices().empty()) {
    std::cout << "this example needs a GPU: " << ts::no_device_reason() << '\n';
    return 0;
  }
  const ts::TriMesh mesh = ts::make_height_field(100, 80);
  const auto [vertices, edges] = count_irregular(ts::Surface(mesh, {.exec = ts::Exec::cuda()}));
  std::cout << vertices << " vertices without six neighbours, " << edges << " edges without two faces\n";
}
