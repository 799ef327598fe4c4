// Vertex normals of a surface by functions of our own, on a GPU where there is one, else on host threads.
#include <tessera/tessera.cuh>

#include <iostream>

namespace ts = tessera;

using Vectors = ts::VertexAttribute<ts::Vec3f>;

/// As long as twice the area of the triangle.
TS_HD ts::Vec3f face_normal(Vectors::ConstView p, ts::IdSpan<ts::tiled::VertexId> c) {
  return ts::cross(p[c[1]] - p[c[0]], p[c[2]] - p[c[0]]);
}

/// Every vertex gathers the normals of its faces.
void gather_normals(const Vectors& position, Vectors& normal) {
  const auto rows = position.surface().rows<ts::OrientedFV>();
  const auto corners = rows.get<ts::OrientedFV>();
  const auto p = position.view();
  const auto n = normal.view();
  ts::for_each<ts::VF>(
      position.surface(), TS_LAMBDA(ts::tiled::VertexId v, ts::IdSpan<ts::tiled::FaceId> faces) {
        ts::Vec3f sum = {0, 0, 0};
        for (const ts::tiled::FaceId f : faces) sum = sum + face_normal(p, corners[f]);
        n[v] = sum;
      });
}

/// Every face adds its normal to those of its corners, which begin with zeros.
void scatter_normals(const Vectors& position, Vectors& normal) {
  const auto p = position.view();
  const auto n = normal.view();
  ts::for_each<ts::OrientedFV>(
      position.surface(), TS_LAMBDA(ts::tiled::FaceId, ts::IdSpan<ts::tiled::VertexId> corners) {
        const ts::Vec3f area = face_normal(p, corners);
        for (const ts::tiled::VertexId v : corners) n.add(v, area);
      });
}

std::size_t count_outward(const Vectors& position, const Vectors& normal) {
  const ts::Array<ts::Vec3f> points = position.values();  // in the input's order
  const ts::Array<ts::Vec3f> normals = normal.values();
  std::size_t outward = 0;
  for (std::size_t v = 0; v < normals.size(); ++v) outward += ts::dot(normals[v], points[v]) > 0 ? 1 : 0;
  return outward;
}

int main() {
  const ts::TriMesh mesh = ts::make_ico(5);
  const ts::Surface surface(mesh, {.exec = ts::Exec::automatic()});
  const auto position = ts::positions<float>(surface);
  Vectors gathered(surface);
  gather_normals(position, gathered);

  Vectors scattered(surface);
  scatter_normals(position, scattered);
  std::cout << count_outward(position, gathered) << " of " << gathered.size() << " gathered and "
            << count_outward(position, scattered) << " scattered normals point outward\n";
}
