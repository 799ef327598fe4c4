// A new generator on key-reduce: every edge of a surface becomes a vertex in its middle, every triangle the
// triangle between its three. Keys are edges, values are midpoints; the triangles come out connected.
#include <tessera/tessera.h>

#include <iostream>

namespace ts = tessera;

ts::Vec3d either(ts::Vec3d a, ts::Vec3d /*same*/) {
  return a;
}

ts::TriMesh make_medial(const ts::TriMesh& in) {
  ts::Array<std::uint64_t> keys;  // map: three items a triangle
  ts::Array<ts::Vec3d> middles;
  for (const ts::TriMesh::Cell& cell : in.cells) {
    for (int c = 0; c < 3; ++c) {
      const ts::VertexId a = cell[c];
      const ts::VertexId b = cell[(c + 1) % 3];
      keys.push_back(ts::pair_key(a, b, in.vertex_count()));
      middles.push_back(0.5 * (in.points[a] + in.points[b]));
    }
  }
  auto edges = ts::key_reduce<ts::Vec3d>(keys, middles, either);  // partition and reduce
  ts::TriMesh out;
  out.points = ts::Points(std::move(edges.values));
  out.cells.resize(in.cell_count());
  std::ranges::copy(edges.groups.connections, ts::corners_of(out.cells).begin());
  return out;
}

int main() {
  const ts::TriMesh medial = make_medial(ts::make_ico(3));
  const auto around = ts::vertex_incidence<ts::FaceId, 3>(medial.cells, medial.vertex_count());
  std::cout << medial.cell_count() << " triangles between " << medial.vertex_count() << " middles, "
            << around[ts::VertexId(0)].size() << " around each\n";
}
