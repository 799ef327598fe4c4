// Grids cut into simplices: what can be counted by hand, and what tile() expects of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <tessera/core/error.h>
#include <tessera/mesh/doctor.h>
#include <tessera/mesh/make.h>
#include <tessera/mesh/triangulate.h>
#include <tessera/tile/tiled_mesh.h>

namespace tessera {
namespace {

Grid make_grid(std::uint32_t nx, std::uint32_t ny, std::uint32_t nz) {
  Grid grid;
  grid.dims = {nx, ny, nz};
  return grid;
}

TetMesh cut_voxels(const Grid& grid) {
  return std::get<TetMesh>(triangulate(grid));
}

TriMesh cut_pixels(const Grid& grid) {
  return std::get<TriMesh>(triangulate(grid));
}

template <class Mesh>
void expect_sorted(const Mesh& mesh) {
  for (const auto& cell : mesh.cells) EXPECT_TRUE(std::is_sorted(cell.begin(), cell.end()));
  EXPECT_TRUE(std::is_sorted(mesh.cells.begin(), mesh.cells.end()));
}

TEST(Triangulate, OneVoxelIsSixTetsAroundItsDiagonal) {
  const TetMesh mesh = cut_voxels(make_grid(2, 2, 2));
  ASSERT_EQ(mesh.cell_count(), 6u);
  expect_sorted(mesh);
  double volume = 0;
  for (const auto& tet : mesh.cells) {
    // (1,0,0) and (0,1,1)
    EXPECT_TRUE(std::ranges::count(tet, VertexId(1)) == 1 && std::ranges::count(tet, VertexId(6)) == 1);
    const Vec3d a = mesh.points[tet[0]];
    const double part =
        std::abs(dot(mesh.points[tet[1]] - a, cross(mesh.points[tet[2]] - a, mesh.points[tet[3]] - a))) / 6;
    EXPECT_NEAR(part, 1.0 / 6, 1e-12);
    volume += part;
  }
  EXPECT_NEAR(volume, 1, 1e-12);
}

TEST(Triangulate, VoxelsMatch) {
  // 2 x 3 x 4 voxels; Euler characteristic of a ball; each side of a x b squares has 2ab triangles.
  const TetMesh mesh = cut_voxels(make_grid(3, 4, 5));
  EXPECT_EQ(mesh.vertex_count(), 60u);
  EXPECT_EQ(mesh.cell_count(), 6u * 24u);
  expect_sorted(mesh);
  const DoctorReport report = diagnose(mesh);
  EXPECT_FALSE(report.has_errors());
  EXPECT_EQ(report.euler_characteristic, 1);
  EXPECT_EQ(report.boundary_faces, 2u * 2u * (2 * 3 + 3 * 4 + 2 * 4));
}

TEST(Triangulate, PixelsLieInAnyPlane) {
  for (const Grid& grid : {make_grid(4, 3, 1), make_grid(4, 1, 3), make_grid(1, 4, 3)}) {
    const TriMesh mesh = cut_pixels(grid);
    EXPECT_EQ(mesh.vertex_count(), 12u);
    EXPECT_EQ(mesh.cell_count(), 2u * 3u * 2u);
    EXPECT_EQ(mesh.cells[0], (TriMesh::Cell{VertexId(0), VertexId(1), VertexId(4)}));
    EXPECT_EQ(mesh.cells[1], (TriMesh::Cell{VertexId(1), VertexId(2), VertexId(5)}));
    EXPECT_EQ(mesh.cells[2], (TriMesh::Cell{VertexId(1), VertexId(4), VertexId(5)}));
    expect_sorted(mesh);
    const DoctorReport report = diagnose(mesh);
    EXPECT_FALSE(report.has_errors());
    EXPECT_EQ(report.euler_characteristic, 1);
    EXPECT_EQ(report.boundary_faces, 10u);
  }
}

// The diagonal of the Kuhn mesh goes from (0,0,0) to (1,1,1).
TEST(Triangulate, IsTheMirroredKuhnMeshInLatticeOrder) {
  const TetMesh cut = cut_voxels(make_lattice(5, 5, 5));
  TetMesh kuhn = make_kuhn_full(5);
  ASSERT_EQ(cut.cell_count(), kuhn.cell_count());
  // Where each vertex of the maker's own order lies in the lattice.
  std::vector<VertexId> place;
  for (std::uint32_t v = 0; v < kuhn.vertex_count(); ++v) {
    const Vec3d p = kuhn.points[VertexId(v)];
    place.emplace_back(static_cast<std::uint32_t>(4 - std::lround(p.x * 4) + 5 * std::lround(p.y * 4) +
                                                  25 * std::lround(p.z * 4)));
  }
  for (auto& tet : kuhn.cells) {
    for (VertexId& v : tet) v = place[v.index()];
    std::sort(tet.begin(), tet.end());
  }
  std::sort(kuhn.cells.begin(), kuhn.cells.end());
  EXPECT_EQ(cut.cells, kuhn.cells);
}

TEST(Triangulate, PointsKeepTheirOrderAndPlace) {
  Grid grid = make_grid(3, 4, 2);
  grid.origin = {0.1, -2, 3e5};
  grid.spacing = {0.5, 1.0 / 3, 2};
  grid.direction = {0, -1, 0, 1, 0, 0, 0, 0, 1};
  const TetMesh mesh = cut_voxels(grid);
  ASSERT_TRUE(mesh.points.is_double());
  std::uint32_t v = 0;
  for (std::uint32_t k = 0; k < 2; ++k) {
    for (std::uint32_t j = 0; j < 4; ++j) {
      for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(mesh.points[VertexId(v++)], grid.point(i, j, k));
    }
  }
}

TEST(Triangulate, FloatsWhereTheyLoseNothing) {
  Grid grid = make_grid(3, 3, 3);
  EXPECT_FALSE(cut_voxels(grid).points.is_double());
  grid.spacing = {0.25, 1, 1};
  EXPECT_FALSE(cut_voxels(grid).points.is_double());
  grid.spacing = {0.1, 1, 1};
  EXPECT_TRUE(cut_voxels(grid).points.is_double());
}

TEST(Triangulate, CarriesFields) {
  Grid grid = make_grid(3, 2, 2);
  grid.point_data.add(make_sphere_field(grid));
  grid.cell_data.add(Field("region", Array<std::int32_t>{7, 9}));
  grid.field_data.add(Field("time", Array<double>{0.5}));
  const TetMesh mesh = cut_voxels(grid);
  EXPECT_EQ(mesh.point_data, grid.point_data);
  EXPECT_EQ(mesh.field_data, grid.field_data);
  const auto region = mesh.cell_data.at("region").as<std::int32_t>();
  ASSERT_EQ(region.size(), 12u);
  // By their lowest corners: two of the first voxel, two of the second and four of the first, four of the
  // second.
  const std::vector<std::int32_t> expected = {7, 7, 9, 9, 7, 7, 7, 7, 9, 9, 9, 9};
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(region[i], expected[i]);
}

TEST(Triangulate, SaysWhatItTakes) {
  const Grid solid = make_grid(5, 6, 7);
  EXPECT_EQ(triangulation_bytes(solid), cut_voxels(solid).bytes());
  Grid flat = make_grid(5, 1, 7);
  flat.spacing.z = 0.1;
  EXPECT_EQ(triangulation_bytes(flat), cut_pixels(flat).bytes());
}

TEST(Triangulate, TheSameForAnyThreads) {
  const Grid grid = make_grid(30, 20, 25);
  const AnyMesh one = triangulate(grid, Exec::host(1));
  for (const int threads : {2, 5}) EXPECT_TRUE(triangulate(grid, Exec::host(threads)) == one);
}

TEST(Triangulate, TilesBorrowTheCells) {
  const TetMesh mesh = cut_voxels(make_grid(8, 8, 8));
  const TiledMesh<3> tiles = tile(mesh, {.order = VertexOrder::input});
  EXPECT_TRUE(tiles.borrows_cells());
  EXPECT_EQ(tiles.validate(mesh), 0);
}

/// A grid with one more point on each periodic axis, cut without them, and glued together there.
template <class Mesh>
Mesh glue(const Grid& grid, const PeriodicAxes& periodic) {
  Grid longer = grid;
  for (std::size_t axis = 0; axis < 3; ++axis) longer.dims[axis] += periodic[axis] ? 1 : 0;
  Mesh mesh = std::get<Mesh>(triangulate(longer));
  for (auto& cell : mesh.cells) {
    for (VertexId& v : cell) {
      std::uint32_t left = v.index();
      std::uint32_t id = 0;
      std::uint32_t stride = 1;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        id += left % longer.dims[axis] % grid.dims[axis] * stride;
        left /= longer.dims[axis];
        stride *= grid.dims[axis];
      }
      v = VertexId(id);
    }
    std::sort(cell.begin(), cell.end());
  }
  std::sort(mesh.cells.begin(), mesh.cells.end());
  return mesh;
}

template <class Mesh>
void expect_glued(const Grid& grid, const PeriodicAxes& periodic, std::int64_t euler_characteristic) {
  const Mesh mesh = std::get<Mesh>(triangulate(grid, periodic));
  expect_sorted(mesh);
  EXPECT_EQ(mesh.cells, glue<Mesh>(grid, periodic).cells);
  EXPECT_EQ(mesh.points, std::get<Mesh>(triangulate(grid)).points);
  const DoctorReport report = diagnose(mesh);
  EXPECT_EQ(report.euler_characteristic, euler_characteristic);
  EXPECT_EQ(report.sound_cells, mesh.cell_count());
  EXPECT_EQ(report.components, 1u);
  for (const char* defect :
       {"duplicate_cell", "non_manifold_face", "non_manifold_edge", "non_manifold_vertex"})
    EXPECT_EQ(report.find(defect), nullptr) << defect;
}

TEST(Triangulate, PeriodicAxesAreGluedTogether) {
  for (unsigned axes = 1; axes < 8; ++axes) {
    const PeriodicAxes periodic = {(axes & 1) != 0, (axes & 2) != 0, (axes & 4) != 0};
    for (const Grid& grid : {make_grid(3, 3, 3), make_grid(3, 4, 5), make_grid(6, 5, 4)})
      expect_glued<TetMesh>(grid, periodic, 0);
  }
  expect_glued<TetMesh>(make_grid(2, 3, 4), {false, true, false}, 0);
  expect_glued<TriMesh>(make_grid(3, 3, 1), {true, true, false}, 0);
  expect_glued<TriMesh>(make_grid(3, 3, 1), {true, false, false}, 0);
  expect_glued<TriMesh>(make_grid(4, 1, 5), {true, false, true}, 0);
  expect_glued<TriMesh>(make_grid(1, 2, 6), {false, false, true}, 0);
}

TEST(Triangulate, PeriodicAxesHaveNoBorder) {
  EXPECT_EQ(diagnose(std::get<TetMesh>(triangulate(make_grid(3, 4, 5), {true, true, true}))).boundary_faces,
            0u);
  // Two sides of 3 x 5 squares each.
  EXPECT_EQ(diagnose(std::get<TetMesh>(triangulate(make_grid(3, 4, 5), {true, false, true}))).boundary_faces,
            2u * 2u * 3u * 5u);
}

TEST(Triangulate, PeriodicAxesLeaveCellDataOut) {
  Grid grid = make_grid(4, 3, 3);
  grid.point_data.add(make_sphere_field(grid));
  grid.cell_data.add(Field("region", Array<std::int32_t>(12)));
  const auto mesh = std::get<TetMesh>(triangulate(grid, {true, false, false}));
  EXPECT_EQ(mesh.point_data, grid.point_data);
  EXPECT_TRUE(mesh.cell_data.empty());
  EXPECT_EQ(mesh.cell_count(), 6u * 4u * 2u * 2u);
  EXPECT_EQ(triangulation_bytes(make_grid(4, 3, 3), {true, false, false}),
            mesh.points.bytes() + 16 * mesh.cell_count());
}

TEST(Triangulate, PeriodicAxesTheSameForAnyThreads) {
  const Grid grid = make_grid(30, 20, 25);
  const PeriodicAxes periodic = {true, false, true};
  const AnyMesh one = triangulate(grid, Exec::host(1), periodic);
  for (const int threads : {2, 5}) EXPECT_TRUE(triangulate(grid, Exec::host(threads), periodic) == one);
}

TEST(Triangulate, PeriodicAxesNeedThreePoints) {
  for (const auto& [grid, what] : {std::pair{make_grid(2, 5, 5), "axis x of the grid has 2 points"},
                                   std::pair{make_grid(1, 5, 5), "axis x of the grid has 1 point;"}}) {
    try {
      (void)triangulate(grid, {true, true, false});
      FAIL() << what;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_option);
      EXPECT_EQ(std::string(error.what()).find(what), 0u) << error.what();
    }
  }
}

TEST(Triangulate, RefusesLinesPointsAndWhatIsTooLarge) {
  const auto message = [](const Grid& grid) -> std::string {
    try {
      (void)triangulate(grid);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::unsupported);
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message(make_grid(1, 9, 1)).find("1 x 9 x 1 points has one axis"), std::string::npos);
  EXPECT_NE(message(make_grid(1, 1, 1)).find("no axis"), std::string::npos);
  // 5 * 10^8 points have ids, their 3 * 10^9 tetrahedra too; twice as many do not; 2^96 points overflow.
  EXPECT_NE(message(make_grid(1000, 1000, 1000)).find("too large"), std::string::npos);
  EXPECT_NE(message(make_grid(0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF)).find("too large"), std::string::npos);
  EXPECT_NO_THROW((void)triangulation_bytes(make_grid(800, 800, 800)));
}

}  // namespace
}  // namespace tessera
