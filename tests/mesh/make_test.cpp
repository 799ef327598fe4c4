// The makers against the published counts, and against checksums computed once with the definition's own
// program.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include <tessera/core/error.h>
#include <tessera/core/hash.h>
#include <tessera/mesh/make.h>

namespace tessera {
namespace {

template <int Dim>
std::uint64_t checksum(const SimplexMesh<Dim>& mesh) {
  const std::uint64_t points = mesh.points.visit([](auto values) { return hash_values(values); });
  return hash_values(mesh.cells, points);
}

TEST(MakeKuhn, HasThePublishedCounts) {
  const TetMesh kuhn64 = make_kuhn(64);
  EXPECT_EQ(kuhn64.vertex_count(), 116208u);
  EXPECT_EQ(kuhn64.cell_count(), 634698u);
  const TetMesh full = make_kuhn_full(9);
  EXPECT_EQ(full.vertex_count(), 729u);     // 9^3
  EXPECT_EQ(full.cell_count(), 6u * 512u);  // 6 tets for each of 8^3 cubes
}

TEST(MakeKuhn, CellsAscendAndAreSortedAndDistinct) {
  const TetMesh mesh = make_kuhn(24);
  for (const auto& tet : mesh.cells) EXPECT_TRUE(std::is_sorted(tet.begin(), tet.end()));
  EXPECT_TRUE(std::is_sorted(mesh.cells.begin(), mesh.cells.end()));
  EXPECT_EQ(std::adjacent_find(mesh.cells.begin(), mesh.cells.end()), mesh.cells.end());
}

TEST(MakeKuhn, TetsFillTheCube) {
  const TetMesh mesh = make_kuhn_full(6);
  double volume = 0;
  for (const auto& tet : mesh.cells) {
    const Vec3d a = mesh.points[tet[0]];
    volume +=
        std::abs(dot(mesh.points[tet[1]] - a, cross(mesh.points[tet[2]] - a, mesh.points[tet[3]] - a))) / 6;
  }
  EXPECT_NEAR(volume, 1.0, 1e-6);
}

TEST(MakeKuhn, DoesNotDependOnThreads) {
  const std::uint64_t expected = checksum(make_kuhn(20, {.exec = Exec::host(1)}));
  for (const int threads : {2, 3, 8})
    EXPECT_EQ(checksum(make_kuhn(20, {.exec = Exec::host(threads)})), expected);
}

TEST(MakeKuhn, RefusesSizesThatMakeNoSense) {
  EXPECT_THROW((void)make_kuhn(1), Error);
  EXPECT_THROW((void)make_kuhn_full(100000), Error);
}

// The first values of the published reference mesh kuhn16 (leaves of 100 vertices), field rough.
TEST(MakeWaveField, MatchesTheReferenceValues) {
  const TetMesh mesh = make_kuhn(16, {.leaf_vertices = 100});
  const Field field = make_wave_field(mesh.points, WaveField::rough);
  const auto values = field.as<float>();
  ASSERT_EQ(values.size(), 2017u);
  EXPECT_FLOAT_EQ(values[0], -0.827833831f);
  EXPECT_FLOAT_EQ(values[1], -1.54472208f);
  EXPECT_FLOAT_EQ(values[2], 5.5009284f);
  EXPECT_EQ(field.name(), "rough");
  EXPECT_EQ(make_wave_field(mesh.points, WaveField::rough, Exec::host(5)), field);
  EXPECT_NE(make_wave_field(mesh.points, WaveField::smooth), field);
}

TEST(MakeIco, IsAClosedSphere) {
  for (int level = 0; level < 4; ++level) {
    const TriMesh mesh = make_ico(level, {.displace = false});
    EXPECT_EQ(mesh.cell_count(), 20u << 2 * level);
    EXPECT_EQ(mesh.vertex_count(), (10u << 2 * level) + 2);
    std::set<std::pair<std::uint32_t, std::uint32_t>> directed;
    for (const auto& f : mesh.cells) {
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_TRUE(directed.insert({f[k].index(), f[(k + 1) % 3].index()}).second);
      }
    }
    for (const auto& [a, b] : directed) EXPECT_TRUE(directed.contains({b, a}));  // every edge has both sides
    for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
      EXPECT_NEAR(length(mesh.points[VertexId(v)]), 1.0, 1e-6);
    }
  }
}

// Face 0 of the icosahedron is (0, 11, 5); its midpoints are the first to be numbered: 12, 13, 14.
TEST(MakeIco, NumbersMidpointsInTheOrderOfTheFirstVisit) {
  const TriMesh mesh = make_ico(1);
  const auto face = [](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return TriMesh::Cell{VertexId(a), VertexId(b), VertexId(c)};
  };
  EXPECT_EQ(mesh.cells[0], face(0, 12, 14));
  EXPECT_EQ(mesh.cells[1], face(11, 13, 12));
  EXPECT_EQ(mesh.cells[3], face(12, 13, 14));
  EXPECT_EQ(mesh.cells[4], face(0, 14, 16));  // face 1 is (0, 5, 1): its first side was visited before
}

TEST(MakeTorus, HasThePublishedCounts) {
  const TriMesh torus = make_torus(1414, 707);
  EXPECT_EQ(torus.cell_count(), 1999396u);
  EXPECT_EQ(torus.vertex_count(), 999698u);
  EXPECT_THROW((void)make_torus(2, 9), Error);
  EXPECT_THROW((void)make_torus(50000, 50000), Error);  // more faces than ids
}

TEST(MakeHeightField, HasABoundary) {
  const TriMesh mesh = make_height_field(5, 4);
  EXPECT_EQ(mesh.vertex_count(), 20u);
  EXPECT_EQ(mesh.cell_count(), 24u);
  EXPECT_THROW((void)make_height_field(1, 4), Error);
}

TEST(MakeLattice, CarriesTheGridFields) {
  const Grid grid = make_lattice(33, 17, 9);
  EXPECT_DOUBLE_EQ(grid.spacing.x, 1.0 / 32);
  const Field sphere = make_sphere_field(grid);
  EXPECT_FLOAT_EQ(sphere.as<float>()[0], std::sqrt(0.5001 * 0.5001 + 0.5003 * 0.5003 + 0.5007 * 0.5007));
  const Field mri = make_mri_field(grid);
  EXPECT_EQ(mri.size(), 33u * 17 * 9);
  EXPECT_EQ(make_mri_field(grid, Exec::host(7)), mri);
  for (const float value : mri.as<float>()) EXPECT_LT(std::abs(value), 20 / std::sqrt(20.0) + 0.25);
  EXPECT_THROW((void)make_lattice(0, 1, 1), Error);
  EXPECT_THROW((void)make_lattice(4194304, 4194304, 4194304), Error);  // 2^66 points would wrap around
}

TEST(MakeShuffled, IsTheSameMeshInAnotherOrder) {
  TetMesh mesh = make_kuhn(8);
  Array<std::uint32_t> number(mesh.vertex_count());
  for (std::uint32_t v = 0; v < number.size(); ++v) number[v] = v;
  mesh.point_data.add(Field("number", number));
  Array<std::uint32_t> cell_number(mesh.cell_count());
  for (std::uint32_t c = 0; c < cell_number.size(); ++c) cell_number[c] = c;
  mesh.cell_data.add(Field("number", cell_number));
  const TetMesh shuffled = make_shuffled(mesh);
  EXPECT_NE(shuffled.cells, mesh.cells);
  const auto old_vertex = shuffled.point_data.at("number").as<std::uint32_t>();
  const auto old_cell = shuffled.cell_data.at("number").as<std::uint32_t>();
  for (std::size_t c = 0; c < shuffled.cell_count(); ++c) {
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_EQ(old_vertex[shuffled.cells[c][k].index()], mesh.cells[old_cell[c]][k].index());
    }
  }
  for (std::uint32_t v = 0; v < shuffled.vertex_count(); ++v) {
    EXPECT_EQ(shuffled.points[VertexId(v)], mesh.points[VertexId(old_vertex[v])]);
  }
}

TEST(MakeSmall, UnknownNamesListTheKnownOnes) {
  try {
    (void)make_small_surface("klein_bottle");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_NE(std::string(error.what()).find("moebius"), std::string::npos);
  }
  EXPECT_THROW((void)make_small_solid(""), Error);
  EXPECT_EQ(make_small_solid("cone").cell_count(), 400u);
  EXPECT_EQ(make_small_surface("moebius").cell_count(), 10u);
}

}  // namespace
}  // namespace tessera
