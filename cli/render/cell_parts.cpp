#include "render/cell_parts.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace tessera::cli {
namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

/// A face by its different corners, ascending, then `none`.
struct Face {
  std::array<std::uint32_t, 4> corners = {none, none, none, none};
  std::uint32_t cell = 0;
  std::uint32_t local = 0;

  [[nodiscard]] bool is_before(const Face& other) const {
    return std::pair(cell, local) < std::pair(other.cell, other.local);
  }
};

Face make_face(const CellMesh& mesh, std::uint32_t cell, std::uint32_t local) {
  Face face;
  face.cell = cell;
  face.local = local;
  auto end = face.corners.begin();
  for (const std::int8_t corner : face_of(mesh.types[cell], local)) {
    if (corner >= 0) *end++ = mesh.cells[cell][static_cast<std::size_t>(corner)].index();
  }
  std::sort(face.corners.begin(), end);
  std::fill(std::unique(face.corners.begin(), end), face.corners.end(), none);
  return face;
}

/// Of all chosen solids, less those that collapsed to a line.
std::vector<Face> list_faces(const CellMesh& mesh, std::span<const std::uint8_t> chosen) {
  std::vector<Face> faces;
  for (std::uint32_t cell = 0; cell < mesh.cell_count(); ++cell) {
    if (!chosen.empty() && chosen[cell] == 0) continue;
    for (std::uint32_t local = 0; local < face_count(mesh.types[cell]); ++local) {
      const Face face = make_face(mesh, cell, local);
      if (face.corners[2] != none) faces.push_back(face);
    }
  }
  return faces;
}

/// Keeps those that no other is equal to.
void keep_single(std::vector<Face>& faces) {
  std::ranges::sort(faces, {}, &Face::corners);
  auto kept = faces.begin();
  for (auto first = faces.begin(); first != faces.end();) {
    const auto end =
        std::find_if(first, faces.end(), [&](const Face& f) { return f.corners != first->corners; });
    if (end - first == 1) *kept++ = *first;
    first = end;
  }
  faces.erase(kept, faces.end());
}

}  // namespace

std::array<CellPart, 3> split_cells(const CellMesh& mesh) {
  std::array<CellPart, 3> parts;
  for (std::uint32_t cell = 0; cell < mesh.cell_count(); ++cell) {
    const int dimension = dimension_of(mesh.types[cell]);
    if (dimension > 2) continue;
    CellPart& part = parts[static_cast<std::size_t>(dimension)];
    part.cells.add(mesh.cells[cell]);
    part.origins.push_back(cell);
  }
  return parts;
}

CellPart take_boundary(const CellMesh& mesh, std::span<const std::uint8_t> chosen) {
  std::vector<Face> faces = list_faces(mesh, chosen);
  keep_single(faces);
  std::ranges::sort(faces, [](const Face& a, const Face& b) { return a.is_before(b); });
  CellPart part;
  std::vector<VertexId> polygon;
  for (const Face& face : faces) {
    polygon.clear();
    for (const std::int8_t corner : face_of(mesh.types[face.cell], face.local)) {
      if (corner < 0) continue;
      const VertexId v = mesh.cells[face.cell][static_cast<std::size_t>(corner)];
      if (std::ranges::find(polygon, v) == polygon.end()) polygon.push_back(v);
    }
    part.cells.add(polygon);
    part.origins.push_back(face.cell);
  }
  return part;
}

PolyData make_poly(CellMesh mesh) {
  std::array<CellPart, 3> parts = split_cells(mesh);
  Array<std::uint32_t> order;
  for (const CellPart& part : parts) order.insert(order.end(), part.origins.begin(), part.origins.end());
  PolyData poly;
  poly.cell_data = mesh.cell_data.gather(order);
  poly.points = std::move(mesh.points);
  poly.point_data = std::move(mesh.point_data);
  poly.vertices = std::move(parts[0].cells);
  poly.lines = std::move(parts[1].cells);
  poly.polygons = std::move(parts[2].cells);
  return poly;
}

}  // namespace tessera::cli
