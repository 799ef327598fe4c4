// Subdivision against maps and plain loops, by Euler's formula, and by what it must keep: area, volume,
// orientation, boundaries.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <generate/surfaces.h>
#include <tessera/core/error.h>
#include <tessera/core/random.h>
#include <tessera/generate/detail/keys/pair_groups.h>
#include <tessera/generate/key_reduce.h>
#include <tessera/generate/subdivide.h>
#include <tessera/mesh/make.h>

namespace tessera {

using namespace detail;
namespace {

using Pair = std::pair<std::uint32_t, std::uint32_t>;

Pair sorted(VertexId a, VertexId b) {
  return {std::min(a, b).index(), std::max(a, b).index()};
}

/// The edges in ascending order, with the corners opposite of each in its triangles.
std::map<Pair, std::vector<VertexId>> opposite_corners(const TriMesh& mesh) {
  std::map<Pair, std::vector<VertexId>> result;
  for (const TriMesh::Cell& t : mesh.cells) {
    for (int c = 0; c < 3; ++c) result[sorted(t[c], t[(c + 1) % 3])].push_back(t[(c + 2) % 3]);
  }
  return result;
}

/// Loop's masks (Loop 1987; boundaries Hoppe et al. 1994) from sets of neighbours.
std::vector<Vec3d> naive_loop_points(const TriMesh& mesh) {
  const auto edges = opposite_corners(mesh);
  std::map<std::uint32_t, std::set<std::uint32_t>> neighbours;
  std::map<std::uint32_t, std::set<std::uint32_t>> along_creases;
  for (const auto& [ends, corners] : edges) {
    const auto [a, b] = ends;
    neighbours[a].insert(b);
    neighbours[b].insert(a);
    if (corners.size() == 2) continue;
    along_creases[a].insert(b);
    along_creases[b].insert(a);
  }
  const auto at = [&](std::uint32_t v) { return mesh.points[VertexId(v)]; };
  const auto sum = [&](const std::set<std::uint32_t>& set) {
    Vec3d total = {0, 0, 0};
    for (const std::uint32_t v : set) total = total + at(v);
    return total;
  };
  std::vector<Vec3d> points;
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
    const std::size_t creases = along_creases[v].size();
    const auto n = static_cast<double>(neighbours[v].size());
    if (n == 0 || creases == 1 || creases > 2) {
      points.push_back(at(v));
    } else if (creases == 2) {
      points.push_back(0.75 * at(v) + 0.125 * sum(along_creases[v]));
    } else {
      const double s = 0.375 + std::cos(2 * std::numbers::pi / n) / 4;
      const double all = 0.625 - s * s;
      points.push_back((1 - all) * at(v) + (all / n) * sum(neighbours[v]));
    }
  }
  for (const auto& [ends, corners] : edges) {
    const Vec3d both = at(ends.first) + at(ends.second);
    points.push_back(corners.size() == 2
                         ? 0.375 * both + 0.125 * (mesh.points[corners[0]] + mesh.points[corners[1]])
                         : 0.5 * both);
  }
  return points;
}

std::vector<TriMesh> surfaces() {
  std::vector<TriMesh> result = {make_ico(2), make_torus(9, 7), make_height_field(8, 6),
                                 make_shuffled(make_height_field(11, 5)), TriMesh{}};
  for (const char* name : {"triangle", "two_triangles", "moebius", "pinched_vertex", "three_face_fan",
                           "bow_tie", "isolated_vertices", "two_components", "octahedron"})
    result.push_back(make_small_surface(name));
  return result;
}

TEST(PairGroups, AreTheConnectionsOfPairKeys) {
  for (const std::size_t rows : {1u, 7u, 5000u}) {
    for (const std::size_t items : {0u, 1u, 50u, 30000u}) {
      SplitMix64 random(rows + items);
      std::vector<PairKey> keys(items);
      std::vector<std::uint64_t> words(items);
      for (std::size_t i = 0; i < items; ++i) {
        const auto low = static_cast<std::uint32_t>(random.below(rows));
        const auto high = static_cast<std::uint32_t>(random.below(20));
        keys[i] = {low, high};
        words[i] = std::uint64_t{low} << 32 | high;
      }
      const KeyGroups expected = group_keys(words, {.method = KeyMethod::sorted});
      for (const int threads : {1, 3}) {
        Array<VertexId> connections(items);
        const auto pairs = fill_pair_connections(
            connections, rows, [&](std::size_t i) { return keys[i]; }, Exec::host(threads));
        ASSERT_EQ(connections, expected.connections);
        ASSERT_EQ(pairs.size(), expected.size());
        for (std::size_t p = 0; p < pairs.size(); ++p)
          ASSERT_EQ((std::uint64_t{pairs[p][0]} << 32 | pairs[p][1]), expected.keys[p]);
      }
    }
  }
}

TEST(Subdivide, LinearCutsEveryTriangleAtTheMiddlesOfItsEdges) {
  for (const TriMesh& mesh : surfaces()) {
    const TriMesh finer = subdivide(mesh).mesh;
    std::map<Pair, std::uint32_t> middle;
    for (const auto& [ends, corners] : opposite_corners(mesh))
      middle.emplace(ends, static_cast<std::uint32_t>(mesh.vertex_count() + middle.size()));
    ASSERT_EQ(finer.vertex_count(), mesh.vertex_count() + middle.size());
    ASSERT_EQ(finer.cell_count(), 4 * mesh.cell_count());
    for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v)
      ASSERT_EQ(finer.points[VertexId(v)], mesh.points[VertexId(v)]);
    for (const auto& [ends, id] : middle) {
      const Vec3d expected = 0.5 * (mesh.points[VertexId(ends.first)] + mesh.points[VertexId(ends.second)]);
      ASSERT_LT(length(finer.points[VertexId(id)] - expected), 1e-7);
    }
    for (std::size_t t = 0; t < mesh.cell_count(); ++t) {
      const auto [a, b, c] = mesh.cells[t];
      const VertexId ab(middle[sorted(a, b)]);
      const VertexId bc(middle[sorted(b, c)]);
      const VertexId ca(middle[sorted(c, a)]);
      const std::array<TriMesh::Cell, 4> parts = {{{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}}};
      for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(finer.cells[4 * t + i], parts[i]);
    }
  }
}

TEST(Subdivide, KeepsTopologyAndArea) {
  for (const TriMesh& mesh : surfaces()) {
    const auto edges = test::edge_uses(mesh).size();
    for (const SubdivisionScheme scheme : {SubdivisionScheme::linear, SubdivisionScheme::loop}) {
      const TriMesh finer = subdivide(mesh, {.scheme = scheme, .levels = 2}).mesh;
      EXPECT_EQ(test::euler_characteristic(finer), test::euler_characteristic(mesh));
      EXPECT_EQ(finer.cell_count(), 16 * mesh.cell_count());
      EXPECT_EQ(test::edge_uses(finer).size(),
                2 * (2 * edges + 3 * mesh.cell_count()) + 12 * mesh.cell_count());
      EXPECT_EQ(test::is_closed_manifold(finer), test::is_closed_manifold(mesh));
      if (scheme == SubdivisionScheme::loop) continue;
      EXPECT_NEAR(test::measure(finer).area, test::measure(mesh).area, 1e-5);
    }
  }
}

TEST(Subdivide, LoopHasLoopsMasks) {
  for (const TriMesh& mesh : surfaces()) {
    const TriMesh finer = subdivide(mesh, {.scheme = SubdivisionScheme::loop}).mesh;
    const std::vector<Vec3d> expected = naive_loop_points(mesh);
    ASSERT_EQ(finer.vertex_count(), expected.size());
    for (std::uint32_t v = 0; v < expected.size(); ++v)
      ASSERT_LT(length(finer.points[VertexId(v)] - expected[v]), 1e-6) << v;
    EXPECT_EQ(finer.cells, subdivide(mesh).mesh.cells);
  }
}

TEST(Subdivide, LoopsBoundaryDependsOnTheBoundaryAlone) {
  const TriMesh mesh = make_height_field(7, 6);
  TriMesh lifted = mesh;
  std::set<std::uint32_t> boundary;
  for (const auto& [ends, uses] : test::edge_uses(mesh)) {
    if (uses[0] + uses[1] == 1) boundary.insert({ends.first, ends.second});
  }
  ASSERT_EQ(boundary.size(), 22u);  // 2 (7 + 6) - 4
  lifted.points.visit([&](auto points) {
    for (std::uint32_t v = 0; v < points.size(); ++v) {
      if (!boundary.contains(v)) points[v].z += 10;
    }
  });
  const auto boundary_points = [](const TriMesh& coarse) {
    const TriMesh finer = subdivide(coarse, {.scheme = SubdivisionScheme::loop, .levels = 2}).mesh;
    std::vector<Vec3d> points;
    for (const auto& [ends, uses] : test::edge_uses(finer)) {
      if (uses[0] + uses[1] != 1) continue;
      points.push_back(finer.points[VertexId(ends.first)]);
    }
    return points;
  };
  EXPECT_EQ(boundary_points(mesh), boundary_points(lifted));
}

/// An icosahedron's limit surface is smooth and lies between its spheres: the radii come together.
TEST(Subdivide, LoopSmooths) {
  const TriMesh ico = make_ico(0, {.displace = false});
  const TriMesh fine = subdivide(ico, {.scheme = SubdivisionScheme::loop, .levels = 4}).mesh;
  double low = 1;
  double high = 0;
  for (std::uint32_t v = 0; v < fine.vertex_count(); ++v) {
    low = std::min(low, length(fine.points[VertexId(v)]));
    high = std::max(high, length(fine.points[VertexId(v)]));
  }
  EXPECT_GT(low, 0.65);
  EXPECT_LT(high - low, 0.04);  // linear: 0.2
  const double radius = (low + high) / 2;
  EXPECT_NEAR(test::measure(fine).area / (4 * std::numbers::pi * radius * radius), 1, 0.02);
}

double tet_volume(const TetMesh& mesh, const TetMesh::Cell& t) {
  const Vec3d a = mesh.points[t[0]];
  return dot(cross(mesh.points[t[1]] - a, mesh.points[t[2]] - a), mesh.points[t[3]] - a) / 6;
}

std::map<std::array<VertexId, 3>, int> face_uses(const TetMesh& mesh) {
  std::map<std::array<VertexId, 3>, int> uses;
  for (const TetMesh::Cell& t : mesh.cells) {
    for (int skip = 0; skip < 4; ++skip) {
      std::array<VertexId, 3> face;
      for (int i = 0, j = 0; i < 4; ++i) {
        if (i != skip) face[j++] = t[i];
      }
      std::ranges::sort(face);
      ++uses[face];
    }
  }
  return uses;
}

TEST(Subdivide, TetrahedraKeepVolumeOrientationAndMatch) {
  std::vector<TetMesh> solids = {make_kuhn_full(4), make_kuhn(8)};
  for (const char* name : {"one_tet", "two_tets", "bow_tie_edge", "cone", "isolated_vertices"})
    solids.push_back(make_small_solid(name));
  for (const TetMesh& mesh : solids) {
    const TetMesh finer = subdivide(mesh).mesh;
    std::set<Pair> edges;
    for (const TetMesh::Cell& t : mesh.cells) {
      for (int i = 0; i < 4; ++i) {
        for (int j = i + 1; j < 4; ++j) edges.insert(sorted(t[i], t[j]));
      }
    }
    ASSERT_EQ(finer.vertex_count(), mesh.vertex_count() + edges.size());
    ASSERT_EQ(finer.cell_count(), 8 * mesh.cell_count());
    for (std::size_t t = 0; t < mesh.cell_count(); ++t) {
      const double whole = tet_volume(mesh, mesh.cells[t]);
      for (std::size_t i = 0; i < 8; ++i)  // each an eighth, turned the same way
        ASSERT_NEAR(tet_volume(finer, finer.cells[8 * t + i]), whole / 8, 1e-7 + 1e-5 * std::abs(whole));
    }
    const auto before = face_uses(mesh);
    const auto after = face_uses(finer);
    const auto count = [](const auto& faces, int uses) {
      return std::ranges::count_if(faces, [&](const auto& face) { return face.second == uses; });
    };
    EXPECT_EQ(count(after, 1), 4 * count(before, 1));
    EXPECT_EQ(count(after, 2), 4 * count(before, 2) + 8 * static_cast<long>(mesh.cell_count()));
    EXPECT_EQ(after.size(), 4 * before.size() + 8 * mesh.cell_count());
  }
}

TEST(Subdivide, TheOctahedronIsCutAroundItsShortestDiagonal) {
  SplitMix64 random(5);
  for (int round = 0; round < 50; ++round) {
    TetMesh mesh = make_small_solid("one_tet");
    Array<Vec3d> points(4);
    for (Vec3d& p : points) p = {random.uniform(), random.uniform(), random.uniform()};
    mesh.points = std::move(points);
    const TetMesh finer = subdivide(mesh).mesh;
    // The edges of the result between new vertices that no input face holds: just the diagonal.
    std::set<Pair> inside;
    for (std::size_t t = 4; t < 8; ++t) inside.insert(sorted(finer.cells[t][0], finer.cells[t][1]));
    ASSERT_EQ(inside.size(), 1u);
    const auto at = [&](std::uint32_t v) { return finer.points[VertexId(v)]; };
    const double chosen = length(at(inside.begin()->first) - at(inside.begin()->second));
    // New vertices 4 .. 9 are those of the edges 01, 02, 03, 12, 13, 23.
    for (const Pair& other : {Pair{4, 9}, Pair{5, 8}, Pair{6, 7}})
      EXPECT_LE(chosen, length(at(other.first) - at(other.second)) + 1e-12);
  }
  // A regular tetrahedron has three equal diagonals: the one at the lowest edge is taken.
  TetMesh regular = make_small_solid("one_tet");
  regular.points = Array<Vec3d>{{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
  const TetMesh finer = subdivide(regular).mesh;
  EXPECT_EQ(sorted(finer.cells[4][0], finer.cells[4][1]), (Pair{4, 9}));
}

TEST(Subdivide, DataFollowsTheCoordinates) {
  TriMesh mesh = make_torus(8, 6);
  Array<double> x;
  Array<std::int64_t> same(mesh.vertex_count(), 1234567890123456789);
  Array<std::int32_t> number;
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) x.push_back(mesh.points[VertexId(v)].x);
  for (std::size_t c = 0; c < mesh.cell_count(); ++c) number.push_back(static_cast<std::int32_t>(7 * c));
  mesh.point_data.add(Field("x", std::move(x)));
  mesh.point_data.add(Field("same", std::move(same)));
  mesh.cell_data.add(Field("number", std::move(number)));
  mesh.field_data.add(Field("whole", Array<float>{3}));
  for (const SubdivisionScheme scheme : {SubdivisionScheme::linear, SubdivisionScheme::loop}) {
    const auto finer = subdivide(mesh, {.scheme = scheme, .levels = 2, .keep_provenance = true});
    for (std::uint32_t v = 0; v < finer.mesh.vertex_count(); ++v) {
      EXPECT_NEAR(finer.mesh.field("x").as<double>()[v], finer.mesh.points[VertexId(v)].x, 1e-6);
      EXPECT_EQ(finer.mesh.field("same").as<std::int64_t>()[v], 1234567890123456789);
    }
    for (std::size_t c = 0; c < finer.mesh.cell_count(); ++c)
      EXPECT_EQ(finer.mesh.cell_data.at("number").as<std::int32_t>()[c],
                static_cast<std::int32_t>(7 * (c / 16)));
    EXPECT_EQ(finer.mesh.field_data, mesh.field_data);
    ASSERT_EQ(finer.provenance.size(), 2u);
    const Field once = transfer_point_field(mesh.field("x"), finer.provenance[0]);
    const Field twice = transfer_point_field(once, finer.provenance[1]);
    EXPECT_EQ(twice == finer.mesh.field("x"), scheme == SubdivisionScheme::linear);
    EXPECT_EQ(finer.provenance[1].cells[17], 4u);
  }
}

TEST(Subdivide, IsTheSameForAnyNumberOfThreads) {
  TriMesh mesh = make_shuffled(make_ico(6));
  mesh.point_data.add(make_wave_field(mesh.points, WaveField::rough));
  const TetMesh tets = make_shuffled(make_kuhn(14));
  for (const SubdivisionScheme scheme : {SubdivisionScheme::linear, SubdivisionScheme::loop}) {
    const TriMesh one = subdivide(mesh, {.scheme = scheme, .exec = Exec::host(1)}).mesh;
    EXPECT_EQ(one, subdivide(mesh, {.scheme = scheme, .exec = Exec::host(4)}).mesh);
  }
  EXPECT_EQ(subdivide(tets, {.exec = Exec::host(1)}).mesh, subdivide(tets, {.exec = Exec::host(3)}).mesh);
}

TEST(Subdivide, RefusesWhatItCanNotDo) {
  const auto refuse = [](const auto& mesh, const SubdivideOptions& options, ErrorCode code,
                         const std::string& part) {
    try {
      (void)subdivide(mesh, options);
      ADD_FAILURE() << "not refused: " << part;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  const TriMesh mesh = make_small_surface("octahedron");
  refuse(mesh, {.levels = -1}, ErrorCode::bad_option, "-1 levels");
  refuse(mesh, {.levels = 15}, ErrorCode::unsupported, "8589934592 triangles");
  refuse(mesh, {.levels = 4000}, ErrorCode::unsupported, "more than 10^18 triangles");
  refuse(make_small_solid("one_tet"), {.scheme = SubdivisionScheme::loop}, ErrorCode::bad_option,
         "triangles");
  TriMesh bad = mesh;
  bad.cells[1][2] = VertexId(6);
  refuse(bad, {}, ErrorCode::bad_mesh, "triangle 1 names point 6");
  EXPECT_EQ(subdivide(mesh, {.levels = 0}).mesh, mesh);
}

}  // namespace
}  // namespace tessera
