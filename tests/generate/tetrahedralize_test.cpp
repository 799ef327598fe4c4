// Tetrahedralization by what it must be: positive volumes that add up to the whole, faces that match, each
// part within its cell, linear fields kept.
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

#include <tessera/core/error.h>
#include <tessera/core/random.h>
#include <tessera/generate/tetrahedralize.h>
#include <tessera/mesh/make.h>

#include "generate/solids.h"

namespace tessera {
namespace {

using test::make_hexahedra;
using test::make_mixed;
using test::with_lower_cells;

constexpr std::array<TetMethod, 3> methods = {TetMethod::five, TetMethod::six, TetMethod::face_centred};

double volume(const TetMesh& mesh, const TetMesh::Cell& t) {
  const Vec3d a = mesh.points[t[0]];
  return dot(cross(mesh.points[t[1]] - a, mesh.points[t[2]] - a), mesh.points[t[3]] - a) / 6;
}

Vec3d centroid(const TetMesh& mesh, const TetMesh::Cell& t) {
  return 0.25 * ((mesh.points[t[0]] + mesh.points[t[1]]) + (mesh.points[t[2]] + mesh.points[t[3]]));
}

struct Counts {
  long outer_faces = 0;
  long euler = 0;
};

/// Counts simplices with sets; no face may have more than two tets, and those with one are counted.
Counts count(const TetMesh& mesh) {
  std::map<std::vector<VertexId>, int> simplices;
  for (TetMesh::Cell t : mesh.cells) {
    std::ranges::sort(t);
    for (unsigned set = 1; set < 16; ++set) {
      std::vector<VertexId> simplex;
      for (unsigned i = 0; i < 4; ++i) {
        if ((set >> i & 1) != 0) simplex.push_back(t[i]);
      }
      ++simplices[simplex];
    }
  }
  Counts counts;
  for (const auto& [simplex, uses] : simplices) {
    counts.euler += simplex.size() % 2 == 1 ? 1 : -1;
    if (simplex.size() != 3) continue;
    EXPECT_LE(uses, 2);
    counts.outer_faces += uses == 1 ? 1 : 0;
  }
  return counts;
}

/// The volumes must be positive and add up.
void expect_filled(const TetMesh& mesh, double whole) {
  double sum = 0;
  for (const TetMesh::Cell& t : mesh.cells) {
    ASSERT_GT(volume(mesh, t), 0);
    sum += volume(mesh, t);
  }
  EXPECT_NEAR(sum, whole, 1e-5 * whole);
}

Grid make_grid(std::array<std::uint32_t, 3> dims) {
  Grid grid;
  grid.dims = dims;
  grid.origin = {1, -2, 3};
  grid.spacing = {0.5, 0.25, 2};
  return grid;
}

std::size_t parts_of(TetMethod method) {
  return method == TetMethod::five ? 5 : method == TetMethod::six ? 6 : 24;
}

TEST(Tetrahedralize, GridsAreFilledAndMatch) {
  for (const std::array<std::uint32_t, 3> dims :
       {std::array<std::uint32_t, 3>{2, 2, 2}, {4, 3, 5}, {3, 2, 6}}) {
    for (const TetMethod method : methods) {
      const Grid grid = make_grid(dims);
      const auto result = tetrahedralize(grid, {.method = method, .keep_provenance = true});
      const long cx = dims[0] - 1;
      const long cy = dims[1] - 1;
      const long cz = dims[2] - 1;
      ASSERT_EQ(result.mesh.cell_count(), parts_of(method) * grid.cell_count());
      expect_filled(result.mesh, static_cast<double>(cx * cy * cz) * 0.25);
      const Counts counts = count(result.mesh);
      EXPECT_EQ(counts.euler, 1);
      EXPECT_EQ(counts.outer_faces,
                (method == TetMethod::face_centred ? 4 : 2) * 2 * (cx * cy + cy * cz + cz * cx));
      const long faces = (cx + 1) * cy * cz + cx * (cy + 1) * cz + cx * cy * (cz + 1);
      EXPECT_EQ(static_cast<long>(result.mesh.vertex_count()),
                static_cast<long>(grid.vertex_count()) +
                    (method == TetMethod::face_centred ? faces + cx * cy * cz : 0));
      for (std::size_t t = 0; t < result.mesh.cell_count(); ++t) {  // within its voxel
        const Vec3d p = centroid(result.mesh, result.mesh.cells[t]) - grid.origin;
        const long cell = static_cast<long>(p.x / 0.5) +
                          cx * (static_cast<long>(p.y / 0.25) + cy * static_cast<long>(p.z / 2));
        ASSERT_EQ(static_cast<long>(result.cells[t]), cell);
      }
    }
  }
}

TEST(Tetrahedralize, TurnedAndMirroredGridsHavePositiveVolumes) {
  for (const TetMethod method : methods) {
    Grid grid = make_grid({3, 4, 3});
    grid.spacing.y = -0.25;
    expect_filled(tetrahedralize(grid, {.method = method}).mesh, 12 * 0.25);
    grid.spacing.y = 0.25;
    grid.direction = {0, 1, 0, 1, 0, 0, 0, 0, 1};  // x and y exchanged
    expect_filled(tetrahedralize(grid, {.method = method}).mesh, 12 * 0.25);
    const double s = std::sqrt(0.5);
    grid.direction = {s, -s, 0, s, s, 0, 0, 0, 1};
    const TetMesh turned = tetrahedralize(grid, {.method = method}).mesh;
    EXPECT_TRUE(turned.points.is_double());
    expect_filled(turned, 12 * 0.25);
    EXPECT_LT(length(turned.points[VertexId(1 + 3 * 2)] - grid.point(1, 2, 0)), 1e-12);
  }
}

TEST(Tetrahedralize, LinearFieldsStayLinear) {
  Grid grid = make_grid({4, 3, 3});
  Array<double> values;
  Array<std::int32_t> numbers;
  const auto linear = [](const Vec3d& p) { return 2 * p.x - 3 * p.y + p.z; };
  for (std::uint32_t k = 0; k < 3; ++k) {
    for (std::uint32_t j = 0; j < 3; ++j) {
      for (std::uint32_t i = 0; i < 4; ++i) values.push_back(linear(grid.point(i, j, k)));
    }
  }
  for (std::int32_t c = 0; c < 12; ++c) numbers.push_back(c * c);
  grid.point_data.add(Field("f", Array<double>(values)));
  grid.cell_data.add(Field("n", Array<std::int32_t>(numbers)));
  CellMesh solids = make_hexahedra(grid);
  solids.point_data.add(Field("f", std::move(values)));
  solids.cell_data.add(Field("n", std::move(numbers)));
  for (const TetMethod method : methods) {
    for (const TetMesh& mesh :
         {tetrahedralize(grid, {.method = method}).mesh, tetrahedralize(solids, {.method = method}).mesh}) {
      for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v)
        EXPECT_NEAR(mesh.field("f").as<double>()[v], linear(mesh.points[VertexId(v)]), 1e-12);
      for (std::size_t t = 0; t < mesh.cell_count(); ++t) {
        const auto cell = static_cast<std::int32_t>(t / parts_of(method));
        EXPECT_EQ(mesh.cell_data.at("n").as<std::int32_t>()[t], cell * cell);
      }
    }
  }
}

TEST(Tetrahedralize, HexahedraOfAGridAreCutLikeIt) {
  const Grid grid = make_grid({4, 4, 3});
  const CellMesh solids = make_hexahedra(grid);
  for (const TetMethod method : methods) {
    const TetMesh of_grid = tetrahedralize(grid, {.method = method}).mesh;
    const TetMesh of_solids = tetrahedralize(solids, {.method = method}).mesh;
    ASSERT_EQ(of_solids.cell_count(), of_grid.cell_count());
    ASSERT_EQ(of_solids.vertex_count(), of_grid.vertex_count());
    expect_filled(of_solids, 18 * 0.25);
    EXPECT_EQ(count(of_solids).outer_faces, count(of_grid).outer_faces);
    const auto places = [](const TetMesh& mesh) {
      std::multiset<std::array<double, 3>> result;
      for (const TetMesh::Cell& t : mesh.cells) {
        const Vec3d p = centroid(mesh, t);
        result.insert({p.x, p.y, p.z});
      }
      return result;
    };
    EXPECT_EQ(places(of_solids), places(of_grid));  // all coordinates are exact
  }
}

TEST(Tetrahedralize, WedgesAndPyramidsMatchTheirNeighbours) {
  const Grid grid = make_grid({5, 5, 4});
  const CellMesh mixed = make_mixed(grid);
  std::map<CellType, std::size_t> types;
  for (const CellType type : mixed.types) ++types[type];
  ASSERT_EQ(types.size(), 3u);
  const std::size_t h = types[CellType::hexahedron];
  const std::size_t w = types[CellType::wedge];
  const std::size_t p = types[CellType::pyramid];
  const TetMesh six = tetrahedralize(mixed).mesh;
  EXPECT_EQ(six.cell_count(), 6 * h + 3 * w + 2 * p);
  const TetMesh centred = tetrahedralize(mixed, {.method = TetMethod::face_centred}).mesh;
  EXPECT_EQ(centred.cell_count(), 24 * h + 14 * w + 8 * p);
  for (const TetMesh& mesh : {six, centred}) {
    expect_filled(mesh, 48 * 0.25);
    EXPECT_EQ(count(mesh).euler, 1);
  }
  EXPECT_EQ(count(six).outer_faces, 2 * 2 * (16 + 12 + 12));
}

TEST(Tetrahedralize, TetrahedraStayAndRepeatedCornersLeaveNoParts) {
  CellMesh solids = make_hexahedra(make_grid({2, 2, 2}));
  solids.types.push_back(CellType::tetrahedron);
  solids.cells.add(std::array{VertexId(0), VertexId(1), VertexId(2), VertexId(4)});
  const auto result = tetrahedralize(solids, {.method = TetMethod::face_centred, .keep_provenance = true});
  ASSERT_EQ(result.mesh.cell_count(), 25u);
  EXPECT_EQ(result.mesh.vertex_count(), 8u + 6 + 1);
  EXPECT_EQ(result.mesh.cells[24], (TetMesh::Cell{VertexId(0), VertexId(1), VertexId(2), VertexId(4)}));
  EXPECT_EQ(result.cells[24], 1u);

  CellMesh wedge;  // a hexahedron that is a wedge: 2 = 3 and 6 = 7
  wedge.points = Array<Vec3f>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
  wedge.types = {CellType::hexahedron};
  const auto id = [](std::uint32_t i) { return VertexId(i); };
  wedge.cells.add(std::array{id(0), id(1), id(2), id(2), id(3), id(4), id(5), id(5)});
  const TetMesh parts = tetrahedralize(wedge).mesh;
  EXPECT_EQ(parts.cell_count(), 3u);
  expect_filled(parts, 0.5);
}

TEST(Tetrahedralize, OtherCellsAreLeftOut) {
  const CellMesh hexahedra = make_hexahedra(make_grid({3, 4, 3}));
  const CellMesh mixed = make_mixed(make_grid({3, 4, 3}));
  for (const TetMethod method : methods) {
    const CellMesh& solids = method == TetMethod::five ? hexahedra : mixed;
    const auto alone = tetrahedralize(solids, {.method = method, .keep_provenance = true});
    const auto among = tetrahedralize(with_lower_cells(solids), {.method = method, .keep_provenance = true});
    EXPECT_EQ(among.mesh, alone.mesh);
    ASSERT_EQ(among.cells.size(), alone.cells.size());
    for (std::size_t t = 0; t < alone.cells.size(); ++t) ASSERT_EQ(among.cells[t], alone.cells[t] + 1);
    EXPECT_EQ(tetrahedralization_bytes(with_lower_cells(hexahedra), TetMethod::six),
              tetrahedralization_bytes(hexahedra, TetMethod::six));
  }
}

TEST(Tetrahedralize, IsTheSameForAnyNumberOfThreads) {
  Grid grid = make_lattice(40, 30, 20);
  grid.point_data.add(make_sphere_field(grid));
  CellMesh mixed = make_mixed(make_grid({30, 20, 15}));
  for (const TetMethod method : methods) {
    EXPECT_EQ(tetrahedralize(grid, {.method = method, .exec = Exec::host(1)}).mesh,
              tetrahedralize(grid, {.method = method, .exec = Exec::host(4)}).mesh);
    if (method == TetMethod::five) continue;
    EXPECT_EQ(tetrahedralize(mixed, {.method = method, .exec = Exec::host(1)}).mesh,
              tetrahedralize(mixed, {.method = method, .exec = Exec::host(4)}).mesh);
  }
}

TEST(Tetrahedralize, RefusesWhatItCanNotCut) {
  const auto refuse = [](const auto& input, TetMethod method, ErrorCode code, const std::string& part) {
    try {
      (void)tetrahedralize(input, {.method = method});
      ADD_FAILURE() << "not refused: " << part;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  refuse(make_grid({4, 1, 3}), TetMethod::six, ErrorCode::unsupported, "4 x 1 x 3 points has no volume");
  refuse(make_grid({1200, 1200, 1200}), TetMethod::six, ErrorCode::unsupported, "tetrahedra");
  refuse(make_grid({4000000000, 4000000000, 4000000000}), TetMethod::five, ErrorCode::unsupported,
         "tetrahedra");
  refuse(make_mixed(make_grid({4, 4, 4})), TetMethod::five, ErrorCode::unsupported, "is no hexahedron");

  CellMesh ring;  // three hexahedra around a hole
  Array<Vec3d> points;
  for (const double z : {0.0, 1.0}) {
    for (const double radius : {1.0, 2.0}) {
      for (int i = 0; i < 3; ++i) {
        const double angle = 2 * std::numbers::pi * i / 3;
        points.push_back({radius * std::cos(angle), radius * std::sin(angle), z});
      }
    }
  }
  ring.points = std::move(points);
  for (std::uint32_t i = 0; i < 3; ++i) {
    const std::uint32_t j = (i + 1) % 3;
    std::vector<VertexId> corners;
    for (const std::uint32_t v : {i, i + 3, j + 3, j, i + 6, i + 9, j + 9, j + 6})
      corners.push_back(VertexId(v));
    ring.types.push_back(CellType::hexahedron);
    ring.cells.add(corners);
  }
  refuse(ring, TetMethod::five, ErrorCode::unsupported, "cell 2 closes a ring of an odd number of edges");
  EXPECT_EQ(count(tetrahedralize(ring).mesh).euler, 0);  // a ring
  ring.cells.corners[9] = VertexId(12);
  refuse(ring, TetMethod::six, ErrorCode::bad_mesh, "cell 1 names point 12, but there are 12 points");
  ring.types[0] = CellType::wedge;
  refuse(ring, TetMethod::six, ErrorCode::bad_mesh, "cell 0 has 8 corners, but its type has 6");
  Grid grid = make_grid({2, 2, 2});
  grid.point_data.add(Field("f", Array<float>(7, 0)));
  refuse(grid, TetMethod::six, ErrorCode::bad_mesh, "'f' has 7 values");
}

}  // namespace
}  // namespace tessera
