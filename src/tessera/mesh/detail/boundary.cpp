#include <tessera/mesh/boundary.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include <tessera/core/error.h>
#include <tessera/core/vec.h>

namespace tessera {
namespace {

/// A tetrahedron's faces, each turned outward when its volume is positive.
constexpr int face_corners[4][3] = {{0, 1, 3}, {1, 2, 3}, {2, 0, 3}, {0, 2, 1}};

/// A face without its lowest vertex, by which the faces are grouped.
struct HalfFace {
  std::uint32_t middle, high;
  std::uint32_t tet;
  std::uint32_t local;

  friend bool operator<(const HalfFace& a, const HalfFace& b) {
    return std::pair(a.middle, a.high) < std::pair(b.middle, b.high);
  }
  [[nodiscard]] bool is_same_face(const HalfFace& other) const {
    return middle == other.middle && high == other.high;
  }
};

std::array<std::uint32_t, 3> sorted_face(const TetMesh::Cell& tet, int local) {
  std::array<std::uint32_t, 3> face{};
  for (int c = 0; c < 3; ++c) face[c] = tet[face_corners[local][c]].index();
  std::ranges::sort(face);
  return face;
}

void check_indices(const TetMesh& mesh) {
  for (std::size_t t = 0; t < mesh.cells.size(); ++t) {
    for (const VertexId v : mesh.cells[t]) {
      if (v.index() < mesh.vertex_count()) continue;
      throw Error(ErrorCode::bad_mesh, "tetrahedron " + std::to_string(t) + " names point " +
                                           std::to_string(v.index()) + ", but there are " +
                                           std::to_string(mesh.vertex_count()) + "; fix() drops such cells");
    }
  }
}

/// Calls f(tet, local face, sorted corners) for every face of every chosen tetrahedron.
template <class F>
void for_each_face(const TetMesh& mesh, std::span<const std::uint8_t> chosen, F&& f) {
  for (std::size_t t = 0; t < mesh.cells.size(); ++t) {
    if (!chosen.empty() && chosen[t] == 0) continue;
    for (int local = 0; local < 4; ++local) {
      f(static_cast<std::uint32_t>(t), static_cast<std::uint32_t>(local), sorted_face(mesh.cells[t], local));
    }
  }
}

/// Every face under its lowest vertex: a counting pass, then a filling pass.
struct FaceGroups {
  Array<std::uint64_t> ends;  ///< where each vertex's faces end; they begin where those of the one before end
  Array<HalfFace> faces;
};

FaceGroups group_faces(const TetMesh& mesh, std::span<const std::uint8_t> chosen) {
  FaceGroups groups;
  groups.ends.assign(mesh.vertex_count() + 1, 0);
  for_each_face(mesh, chosen, [&](auto, auto, const auto& face) { ++groups.ends[face[0] + 1]; });
  for (std::size_t v = 1; v < groups.ends.size(); ++v) groups.ends[v] += groups.ends[v - 1];
  groups.faces.resize(groups.ends.back());
  for_each_face(mesh, chosen, [&](std::uint32_t tet, std::uint32_t local, const auto& face) {
    groups.faces[groups.ends[face[0]]++] = {face[1], face[2], tet, local};
  });
  groups.ends.pop_back();
  return groups;
}

/// (tet, local face) of the faces that occur once, ascending.
Array<std::pair<std::uint32_t, std::uint32_t>> find_single_faces(FaceGroups groups) {
  Array<std::pair<std::uint32_t, std::uint32_t>> singles;
  std::uint64_t begin = 0;
  for (const std::uint64_t end : groups.ends) {
    const std::span faces(groups.faces.data() + begin, end - begin);
    std::ranges::sort(faces, std::less<>{});
    for (std::size_t i = 0; i < faces.size();) {
      std::size_t next = i + 1;
      while (next < faces.size() && faces[next].is_same_face(faces[i])) ++next;
      if (next == i + 1) singles.emplace_back(faces[i].tet, faces[i].local);
      i = next;
    }
    begin = end;
  }
  std::ranges::sort(singles);
  return singles;
}

bool is_inverted(const TetMesh& mesh, const TetMesh::Cell& tet) {
  const Vec3d origin = mesh.points[tet[0]];
  return dot(cross(mesh.points[tet[1]] - origin, mesh.points[tet[2]] - origin),
             mesh.points[tet[3]] - origin) < 0;
}

/// Takes the points that the triangles use, in their order, and renumbers the triangles.
void keep_used_points(TriMesh& surface, const TetMesh& mesh) {
  Array<std::uint32_t> number(mesh.vertex_count(), 0);
  for (const auto& cell : surface.cells) {
    for (const VertexId v : cell) number[v.index()] = 1;
  }
  Array<std::uint32_t> used;
  for (std::uint32_t v = 0; v < number.size(); ++v) {
    if (number[v] == 0) continue;
    number[v] = static_cast<std::uint32_t>(used.size());
    used.push_back(v);
  }
  for (auto& cell : surface.cells) {
    for (VertexId& v : cell) v = VertexId(number[v.index()]);
  }
  surface.points = mesh.points.gather(used);
  surface.point_data = mesh.point_data.gather(used);
}

}  // namespace

TriMesh compute_boundary(const TetMesh& mesh, std::span<const std::uint8_t> chosen) {
  check_indices(mesh);
  const auto singles = find_single_faces(group_faces(mesh, chosen));
  TriMesh surface;
  Array<std::uint32_t> owners;
  owners.reserve(singles.size());
  surface.cells.reserve(singles.size());
  for (const auto& [t, local] : singles) {
    const TetMesh::Cell& tet = mesh.cells[t];
    const auto& corner = face_corners[local];
    TriMesh::Cell face = {tet[corner[0]], tet[corner[1]], tet[corner[2]]};
    if (is_inverted(mesh, tet)) std::swap(face[1], face[2]);
    surface.cells.push_back(face);
    owners.push_back(t);
  }
  keep_used_points(surface, mesh);
  surface.cell_data = mesh.cell_data.gather(owners);
  surface.field_data = mesh.field_data;
  return surface;
}

}  // namespace tessera
