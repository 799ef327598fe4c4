// Fields by text: components, magnitudes, coordinates, averages of cells, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/core/random.h>
#include <tessera/mesh/find_field.h>
#include <tessera/mesh/make.h>

namespace tessera {
namespace {

TriMesh::Cell triangle(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return {VertexId(a), VertexId(b), VertexId(c)};
}

/// Two triangles on the square 0 1 2 3, and point 4 without any.
TriMesh make_square() {
  TriMesh mesh;
  mesh.points = Array<Vec3f>{{0, 0, 5}, {1, 0, 6}, {1, 1, 7}, {0, 1, 8}, {9, 9, 9}};
  mesh.cells = {triangle(0, 1, 2), triangle(0, 2, 3)};
  mesh.point_data.add(Field("v", Array<std::int16_t>{3, 4, 12, 0, 0, 0, -1, 2, 2, 8, 9, 12, 2, 3, 6}, 3));
  mesh.point_data.add(Field("p", Array<std::int64_t>{(1ll << 62) + 1, 2, 3, 4, 5}));
  mesh.cell_data.add(Field("c", Array<std::uint8_t>{10, 21}));
  mesh.cell_data.add(Field("w", Array<float>{3, 0, 0, 4}, 2));
  return mesh;
}

template <class Mesh>
std::string refusal(const Mesh& mesh, std::string_view text, ErrorCode code) {
  try {
    (void)find_field(mesh, text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << text;
    return error.what();
  }
  ADD_FAILURE() << text << " was found";
  return "";
}

TEST(FindField, StoredFieldsAreNotCopied) {
  const TriMesh mesh = make_square();
  const FoundField found = find_field(mesh, "p");
  EXPECT_EQ(found.stored, mesh.point_data.find("p"));
  EXPECT_EQ(&found.field(), found.stored);
  EXPECT_FALSE(found.made || found.is_on_cells || found.is_averaged);
}

TEST(FindField, ComponentsKeepTheirType) {
  const TriMesh mesh = make_square();
  const Array<std::int16_t> y = {4, 0, 2, 9, 3};
  EXPECT_EQ(find_field(mesh, "v:1").field(), Field("v:1", y));
  EXPECT_EQ(find_field(mesh, "v:y").field(), Field("v:y", y));
  EXPECT_EQ(find_field(mesh, "v:z").field(), Field("v:z", Array<std::int16_t>{12, 0, 2, 12, 6}));
  // Through a double, this number would lose its last bit.
  EXPECT_EQ(find_field(mesh, "p:0").field(), Field("p:0", Array<std::int64_t>{(1ll << 62) + 1, 2, 3, 4, 5}));
}

TEST(FindField, MagnitudesAreLengths) {
  TriMesh mesh = make_square();
  // Pythagorean quadruples.
  EXPECT_EQ(find_field(mesh, "v:magnitude").field(), Field("v:magnitude", Array<double>{13, 0, 3, 17, 7}));
  mesh.point_data.add(Field("h", Array<double>{3e200, 4e200, 3e-200, 4e-200, 0, -1, -5, 12, 0, 0}, 2));
  const FoundField found = find_field(mesh, "h:magnitude");
  const auto lengths = found.field().as<double>();
  EXPECT_DOUBLE_EQ(lengths[0], 5e200);
  EXPECT_DOUBLE_EQ(lengths[1], 5e-200);
  EXPECT_EQ((std::vector<double>(lengths.begin() + 2, lengths.end())), (std::vector<double>{1, 13, 0}));
}

TEST(FindField, CoordinatesOfPointsAndGrids) {
  TriMesh mesh = make_square();
  EXPECT_EQ(find_field(mesh, ":z").field(), Field("z", Array<float>{5, 6, 7, 8, 9}));
  mesh.point_data.add(Field("z", Array<int>{1, 2, 3, 4, 5}));
  EXPECT_EQ(find_field(mesh, ":z").field(), Field(":z", Array<float>{5, 6, 7, 8, 9}));
  Grid grid;
  grid.dims = {2, 3, 1};
  grid.origin = {10, 20, 30};
  grid.spacing = {1, 2, 3};
  grid.direction = {0, -1, 0, 1, 0, 0, 0, 0, 1};  // a quarter turn about z: x goes to y, y to -x
  EXPECT_EQ(find_field(grid, ":x").field(), Field("x", Array<double>{10, 10, 8, 8, 6, 6}));
  EXPECT_EQ(find_field(grid, ":y").field(), Field("y", Array<double>{20, 21, 20, 21, 20, 21}));
}

TEST(FindField, CellsAreAveragedAtPoints) {
  TriMesh mesh = make_square();
  const FoundField found = find_field(mesh, "c");
  EXPECT_TRUE(found.is_averaged);
  EXPECT_FALSE(found.is_on_cells);
  EXPECT_EQ(found.lonely_count, 1u);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(found.field(), Field("c", Array<double>{15.5, 10, 15.5, 21, nan}));
  // Of the mean vector (1.5, 2), not the mean of the lengths 3 and 4.
  EXPECT_EQ(find_field(mesh, "w:magnitude").field(),
            Field("w:magnitude", Array<double>{2.5, 3, 2.5, 4, nan}));
  EXPECT_EQ(find_field(mesh, "w:y").field(), Field("w:y", Array<double>{2, 0, 2, 4, nan}));
  mesh.cells.push_back(triangle(4, 4, 1));  // a cell counts once at a corner that it repeats
  mesh.cell_data = {};
  mesh.cell_data.add(Field("c", Array<int>{1, 2, 4}));
  EXPECT_EQ(find_field(mesh, "c").field(), Field("c", Array<double>{1.5, 2.5, 1.5, 2, 4}));
}

TEST(FindField, CellsMayStayWhereTheyAre) {
  const TriMesh mesh = make_square();
  const FoundField stored = find_field(mesh, "c", {.average_cells = false});
  EXPECT_TRUE(stored.is_on_cells);
  EXPECT_EQ(stored.stored, mesh.cell_data.find("c"));
  const FoundField made = find_field(mesh, "w:0", {.average_cells = false});
  EXPECT_TRUE(made.is_on_cells);
  EXPECT_EQ(made.field(), Field("w:0", Array<float>{3, 0}));
}

TEST(FindField, GridCellsAreAveragedLikeTheNaiveSum) {
  SplitMix64 random(7);
  for (const std::array<std::uint32_t, 3> dims :
       {std::array{4u, 3u, 5u}, {1u, 4u, 3u}, {5u, 1u, 1u}, {1u, 1u, 1u}}) {
    Grid grid;
    grid.dims = dims;
    Array<double> values(grid.cell_count());
    for (double& value : values) value = random.uniform();
    grid.cell_data.add(Field("c", Array<double>(values)));
    const FoundField found = find_field(grid, "c");
    const auto means = found.field().as<double>();
    const auto cells = [&](int axis) { return static_cast<int>(dims[axis] > 1 ? dims[axis] - 1 : 1); };
    // For each point, every cell is asked whether it touches it.
    const auto touches = [&](int axis, int cell, int point) {
      return dims[axis] == 1 || cell == point || cell + 1 == point;
    };
    std::size_t v = 0;
    for (int z = 0; z < static_cast<int>(dims[2]); ++z) {
      for (int y = 0; y < static_cast<int>(dims[1]); ++y) {
        for (int x = 0; x < static_cast<int>(dims[0]); ++x, ++v) {
          double sum = 0;
          int count = 0;
          for (int c = 0; c < static_cast<int>(grid.cell_count()); ++c) {
            const int i = c % cells(0);
            const int j = c / cells(0) % cells(1);
            const int k = c / cells(0) / cells(1);
            if (!touches(0, i, x) || !touches(1, j, y) || !touches(2, k, z)) continue;
            sum += values[c];
            ++count;
          }
          EXPECT_TRUE(count == 0 ? std::isnan(means[v]) : means[v] == sum / count);
        }
      }
    }
  }
}

TEST(FindField, TetrahedraAreAveragedLikeTheNaiveSum) {
  TetMesh mesh = make_kuhn_full(4);
  SplitMix64 random(9);
  Array<double> values(mesh.cell_count());
  for (double& value : values) value = random.uniform();
  mesh.cell_data.add(Field("c", Array<double>(values)));
  const FoundField found = find_field(mesh, "c");
  const auto means = found.field().as<double>();
  for (const VertexId v : mesh.vertices()) {
    double sum = 0;
    int count = 0;
    for (const TetId t : mesh.cell_ids()) {
      const auto& corners = mesh[t];
      if (std::find(corners.begin(), corners.end(), v) == corners.end()) continue;
      sum += values[t.index()];
      ++count;
    }
    EXPECT_EQ(means[v.index()], sum / count);
  }
}

TEST(FindField, NamesWithColonsWin) {
  TriMesh mesh = make_square();
  mesh.point_data.add(Field("v:x", Array<int>{1, 2, 3, 4, 5}));
  mesh.point_data.add(Field("a:b", Array<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 2));
  mesh.point_data.add(Field(":y", Array<int>{1, 2, 3, 4, 5}));
  EXPECT_EQ(find_field(mesh, "v:x").stored, mesh.point_data.find("v:x"));
  EXPECT_EQ(find_field(mesh, ":y").stored, mesh.point_data.find(":y"));
  EXPECT_EQ(find_field(mesh, "a:b:1").field(), Field("a:b:1", Array<int>{2, 4, 6, 8, 10}));
  mesh.cell_data.add(Field("v:z", Array<int>{1, 2}));
  EXPECT_TRUE(find_field(mesh, "v:z").is_averaged);
}

TEST(FindField, RefusalsSayWhatThereIs) {
  TriMesh mesh = make_square();
  const std::string all = "there is 'v' (points), 'p' (points), 'c' (cells), 'w' (cells)";
  EXPECT_EQ(refusal(mesh, "u", ErrorCode::not_found), "there is no field 'u'; " + all);
  EXPECT_EQ(refusal(mesh, "u:x", ErrorCode::not_found), "there is no field 'u:x'; " + all);
  EXPECT_EQ(refusal(mesh, "", ErrorCode::not_found), "there is no field ''; " + all);
  EXPECT_EQ(refusal(Grid(), "u", ErrorCode::not_found), "there is no field 'u'; the mesh has none");
  for (const char* part : {"3", "-1", "1.0", "", "X", "xy", "w", "1 ", "99999999999999999999"}) {
    EXPECT_EQ(refusal(mesh, std::string("v:") + part, ErrorCode::not_found),
              "'" + std::string(part) +
                  "' is no component of the field 'v', which has components 0 to 2, or x, y and z, and a "
                  "magnitude");
  }
  EXPECT_EQ(refusal(mesh, "w:z", ErrorCode::not_found),
            "'z' is no component of the field 'w', which has components 0 to 1, or x and y, and a magnitude");
  EXPECT_EQ(refusal(mesh, "p:x", ErrorCode::not_found),
            "'x' is no component of the field 'p', which has one component, 0");
  EXPECT_EQ(refusal(mesh, "p:magnitude", ErrorCode::unsupported),
            "the field 'p' has one component, and a magnitude is of several; ask for 'p' itself");
  EXPECT_EQ(refusal(mesh, ":w", ErrorCode::not_found), "':w' is no coordinate; there is ':x', ':y' and ':z'");
  EXPECT_EQ(refusal(mesh, ":", ErrorCode::not_found), "':' is no coordinate; there is ':x', ':y' and ':z'");
}

TEST(FindField, BrokenMeshesAreRefused) {
  TriMesh mesh = make_square();
  mesh.cells[1] = triangle(0, 2, 5);
  EXPECT_EQ(refusal(mesh, "c", ErrorCode::bad_mesh), "cell 1 names point 5, but there are 5 points");
  mesh.cells.pop_back();
  EXPECT_EQ(refusal(mesh, "c", ErrorCode::bad_mesh), "the field 'c' has 2 tuples for 1 cells");
}

}  // namespace
}  // namespace tessera
