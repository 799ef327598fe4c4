// Vertex normals of a surface by a function of our own, on a GPU where there is one, else on host threads.
#include <tessera/tessera.cuh>

#include <iostream>

namespace ts = tessera;

int main() {
  const ts::TriMesh mesh = ts::make_ico(5);
  const ts::Surface surface(mesh, {.exec = ts::Exec::automatic()});
  const auto position = ts::positions<float>(surface);
  ts::VertexAttribute<ts::Vec3f> normal(surface);

  const auto rows = surface.rows<ts::OrientedFV>();
  const ts::SurfaceRows<ts::OrientedFV> corners = rows.get<ts::OrientedFV>();
  const auto p = position.view();
  const auto n = normal.view();
  ts::for_each<ts::VF>(
      surface, TS_LAMBDA(ts::tiled::VertexId v, ts::IdSpan<ts::tiled::FaceId> faces) {
        ts::Vec3f sum = {0, 0, 0};
        for (const ts::tiled::FaceId f : faces) {
          const auto c = corners[f];
          sum = sum + ts::cross(p[c[1]] - p[c[0]], p[c[2]] - p[c[0]]);
        }
        n[v] = sum;
      });

  const ts::Array<ts::Vec3f> normals = normal.values();  // in the input's order
  const ts::Array<ts::Vec3f> points = position.values();
  std::size_t outward = 0;
  for (std::size_t v = 0; v < normals.size(); ++v) outward += ts::dot(normals[v], points[v]) > 0 ? 1 : 0;
  std::cout << outward << " of " << normals.size() << " normals point outward\n";
}
