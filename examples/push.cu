// Sums over the triangles around vertices by push, on a GPU where there is one, else on host threads.
#include <tessera/tessera.cuh>

#include <iostream>

namespace ts = tessera;

int main() {
  const ts::TriMesh mesh = ts::make_ico(5);
  const ts::Exec exec = ts::Exec::automatic();
  const ts::TiledMesh<2> tiles = ts::tile(mesh, {.exec = exec});

  ts::Array<ts::Vec3f> points(mesh.vertex_count());  // in the order of the tiles
  for (std::uint32_t v = 0; v < points.size(); ++v)
    points[v] = ts::vec_cast<float>(mesh.points[tiles.input(ts::tiled::VertexId(v))]);
  const ts::Buffer<ts::Vec3f> place(exec, std::span<const ts::Vec3f>(points));
  ts::Buffer<ts::Vec3f> face_normals(exec, mesh.cell_count());
  ts::Buffer<ts::Vec3f> normals(exec, mesh.vertex_count());

  const ts::Vec3f* p = place.data();
  ts::Vec3f* n = face_normals.data();
  ts::Vec3f* sum = normals.data();
  ts::for_each<ts::OrientedFV>(
      tiles, {.exec = exec}, TS_LAMBDA(ts::tiled::FaceId f, ts::IdSpan<ts::tiled::VertexId> c) {
        n[f.index()] = ts::cross(p[c[1].index()] - p[c[0].index()], p[c[2].index()] - p[c[0].index()]);
      });
  ts::for_each<ts::VF>(
      tiles, {.exec = exec}, TS_LAMBDA(ts::tiled::VertexId v, ts::IdSpan<ts::tiled::FaceId> faces) {
        ts::Vec3f total = {0, 0, 0};
        for (const ts::tiled::FaceId f : faces) total = total + n[f.index()];
        sum[v.index()] = total;
      });

  const ts::Array<ts::Vec3f> result = normals.to_host();
  std::size_t outward = 0;
  for (std::size_t v = 0; v < result.size(); ++v) outward += ts::dot(result[v], points[v]) > 0 ? 1 : 0;
  std::cout << outward << " of " << result.size() << " normals point outward\n";
}
