// Meshes that can be counted by hand, regular and pathological. Each says what is remarkable about it.
#include <array>
#include <cmath>
#include <initializer_list>
#include <numbers>
#include <string>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/mesh/make.h>

namespace tessera {
namespace {

using std::uint32_t;

template <int Dim>
SimplexMesh<Dim> assemble(std::initializer_list<Vec3f> points,
                          std::initializer_list<std::array<uint32_t, Dim + 1>> cells) {
  SimplexMesh<Dim> mesh;
  mesh.points = Array<Vec3f>(points);
  for (const auto& cell : cells) {
    typename SimplexMesh<Dim>::Cell ids;
    for (std::size_t k = 0; k < cell.size(); ++k) ids[k] = VertexId(cell[k]);
    mesh.cells.push_back(ids);
  }
  return mesh;
}

/// Five quads in a ring with half a twist, each cut in two: one boundary loop, Euler characteristic 0.
TriMesh make_moebius() {
  constexpr uint32_t quads = 5;
  TriMesh mesh;
  Array<Vec3f> points;
  for (uint32_t i = 0; i < quads; ++i) {
    const double u = 2 * std::numbers::pi * i / quads;
    for (const double side : {-0.3, 0.3}) {
      const double r = 1 + side * std::cos(u / 2);
      points.push_back(vec_cast<float>(Vec3d{r * std::cos(u), r * std::sin(u), side * std::sin(u / 2)}));
    }
  }
  mesh.points = std::move(points);
  for (uint32_t i = 0; i < quads; ++i) {
    const bool last = i + 1 == quads;  // where the strip closes its sides are swapped
    const VertexId a(2 * i), b(2 * i + 1), c(last ? 1 : 2 * i + 2), d(last ? 0 : 2 * i + 3);
    mesh.cells.push_back({a, c, b});
    mesh.cells.push_back({b, c, d});
  }
  return mesh;
}

/// A ring of tets around one edge of two apexes: every star is as large as the ring.
TetMesh make_cone(uint32_t ring) {
  TetMesh mesh;
  Array<Vec3f> points = {{0, 0, -1}, {0, 0, 1}};
  for (uint32_t i = 0; i < ring; ++i) {
    const double u = 2 * std::numbers::pi * i / ring;
    points.push_back({static_cast<float>(std::cos(u)), static_cast<float>(std::sin(u)), 0});
    mesh.cells.push_back({VertexId(0), VertexId(1), VertexId(2 + i), VertexId(2 + (i + 1) % ring)});
  }
  mesh.points = std::move(points);
  return mesh;
}

template <class Mesh>
struct Named {
  const char* name;
  Mesh (*make)();
};

template <class Mesh>
Mesh make_by_name(std::string_view name, const std::vector<Named<Mesh>>& known) {
  std::string names;
  for (const Named<Mesh>& entry : known) {
    if (entry.name == name) return entry.make();
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw Error(ErrorCode::not_found, "there is no small mesh '" + std::string(name) + "'; there is " + names);
}

const std::vector<Named<TriMesh>>& small_surfaces() {
  static const std::vector<Named<TriMesh>> known = {
      {"triangle",
       [] {
         return assemble<2>({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}});
       }},
      {"two_triangles",
       [] {
         return assemble<2>({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 3}});
       }},
      {"moebius", make_moebius},
      // Two fans that share only their centre.
      {"pinched_vertex",
       [] {
         return assemble<2>(
             {{0, 0, 0}, {1, 0, 1}, {0, 1, 1}, {-1, -1, 1}, {1, 0, -1}, {0, 1, -1}, {-1, -1, -1}},
             {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {0, 5, 4}, {0, 6, 5}, {0, 4, 6}});
       }},
      // One edge with three faces.
      {"three_face_fan",
       [] {
         return assemble<2>({{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {-1, 1, 0}, {-1, -1, 0}},
                            {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}});
       }},
      // Two triangles that share one vertex.
      {"bow_tie",
       [] {
         return assemble<2>({{0, 0, 0}, {-1, 1, 0}, {-1, -1, 0}, {1, 1, 0}, {1, -1, 0}},
                            {{0, 1, 2}, {0, 4, 3}});
       }},
      // Vertices 0 and 4 belong to no face.
      {"isolated_vertices",
       [] {
         return assemble<2>({{9, 9, 9}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {8, 8, 8}}, {{1, 2, 3}});
       }},
      {"two_components",
       [] {
         return assemble<2>({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5, 0, 0}, {6, 0, 0}, {5, 1, 0}},
                            {{0, 1, 2}, {3, 4, 5}});
       }},
      {"octahedron",
       [] {
         return assemble<2>(
             {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}},
             {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}});
       }},
  };
  return known;
}

const std::vector<Named<TetMesh>>& small_solids() {
  static const std::vector<Named<TetMesh>> known = {
      {"one_tet",
       [] {
         return assemble<3>({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2, 3}});
       }},
      {"two_tets",
       [] {
         return assemble<3>({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}},
                            {{0, 1, 2, 3}, {1, 2, 3, 4}});
       }},
      // Two tets that share the edge 0-1, which is not manifold.
      {"bow_tie_edge",
       [] {
         return assemble<3>({{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {1, 1, 0}, {-1, 0, 0}, {-1, -1, 0}},
                            {{0, 1, 2, 3}, {0, 1, 4, 5}});
       }},
      // Two tets that share the vertex 0.
      {"bow_tie_vertex",
       [] {
         return assemble<3>({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}},
                            {{0, 1, 2, 3}, {0, 4, 5, 6}});
       }},
      // Three tets on the face 0-1-2, which is not manifold.
      {"three_tet_fan",
       [] {
         return assemble<3>({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}, {1, 1, 1}},
                            {{0, 1, 2, 3}, {0, 1, 2, 4}, {0, 1, 2, 5}});
       }},
      // Vertices 0 and 5 belong to no tet.
      {"isolated_vertices",
       [] {
         return assemble<3>({{9, 9, 9}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {8, 8, 8}},
                            {{1, 2, 3, 4}});
       }},
      {"two_components",
       [] {
         return assemble<3>(
             {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {5, 0, 0}, {6, 0, 0}, {5, 1, 0}, {5, 0, 1}},
             {{0, 1, 2, 3}, {4, 5, 6, 7}});
       }},
      // 400 tets around one edge: stars larger than any fixed mask or 8-bit counter.
      {"cone", [] { return make_cone(400); }},
  };
  return known;
}

}  // namespace

TriMesh make_small_surface(std::string_view name) {
  return make_by_name(name, small_surfaces());
}
TetMesh make_small_solid(std::string_view name) {
  return make_by_name(name, small_solids());
}

}  // namespace tessera
