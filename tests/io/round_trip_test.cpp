// read(write(mesh)) = mesh, for every format and everything that it can hold.
#include <algorithm>
#include <limits>

#include "io/support.h"

namespace tessera {
namespace {

using testing::TempDir;

struct Case {
  std::string extension;
  WriteOptions options;
  std::string name;
};

class RoundTrip : public ::testing::TestWithParam<Case> {
 protected:
  template <class Mesh>
  void expect_same(const Mesh& mesh) {
    const auto file = directory / ("mesh." + GetParam().extension);
    write_mesh(file, mesh, GetParam().options);
    const ReadResult result = read_mesh(file);
    EXPECT_EQ(result.report.format, GetParam().extension);
    ASSERT_TRUE(std::holds_alternative<Mesh>(result.mesh));
    const Mesh& back = std::get<Mesh>(result.mesh);
    EXPECT_EQ(back.point_data, mesh.point_data);
    EXPECT_EQ(back.cell_data, mesh.cell_data);
    EXPECT_EQ(back.field_data, mesh.field_data);
    EXPECT_TRUE(back == mesh);
    EXPECT_EQ(directory.file_count(), 1U) << "a temporary file stayed behind";
  }

  bool is(std::initializer_list<std::string_view> extensions) const {
    return std::find(extensions.begin(), extensions.end(), GetParam().extension) != extensions.end();
  }

  TempDir directory;
};

class RoundTripTets : public RoundTrip {};
class RoundTripTriangles : public RoundTrip {};
class RoundTripGrids : public RoundTrip {};
class RoundTripFields : public RoundTrip {};

TEST_P(RoundTripTets, WithFields) {
  expect_same(testing::with_fields(testing::make_two_tets<float>()));
  expect_same(testing::with_fields(testing::make_two_tets<double>()));
  TetMesh mesh = testing::make_two_tets<double>();
  mesh.field_data = testing::make_fields("whole", 7);
  expect_same(mesh);
  expect_same(TetMesh{});
}

TEST_P(RoundTripTriangles, WithFields) {
  const bool has_wide_integers = !is({"ply"});
  const auto dress = [&](TriMesh mesh) {
    return is({"obj", "off"}) ? mesh : testing::with_fields(std::move(mesh), has_wide_integers);
  };
  expect_same(dress(testing::make_two_triangles<float>()));
  expect_same(dress(testing::make_two_triangles<double>()));
}

TEST_P(RoundTripGrids, WithFields) {
  expect_same(testing::with_fields(testing::make_small_grid()));
  Grid flat = testing::make_small_grid();
  flat.dims = {5, 1, 3};  // 4 x 2 pixels
  expect_same(testing::with_fields(flat));
  Grid turned = testing::make_small_grid();
  turned.direction = {0, -1, 0, 1, 0, 0, 0, 0, 1};
  turned.field_data.add(testing::make_field("whole", ScalarType::f64, 3, 3));
  if (is({"vti"})) expect_same(turned);
}

TEST_P(RoundTripFields, NamesOfAnyKind) {
  TriMesh mesh = testing::make_two_triangles<float>();
  for (const char* name : {"a b", "<&>\"'", "100%", "%41", "\xC3\xA4\xC3\xB6", "x[1]"}) {
    mesh.point_data.add(testing::make_field(name, ScalarType::f32, 4, 1));
    mesh.cell_data.add(testing::make_field(name, ScalarType::u8, 2, 3));
  }
  expect_same(mesh);
}

TEST_P(RoundTripTriangles, SpecialNumbers) {
  TriMesh mesh = testing::make_two_triangles<float>();
  const float infinity = std::numeric_limits<float>::infinity();
  mesh.points = Array<Vec3f>{{infinity, -infinity, -0.0F}, {1e-45F, 3.4028235e38F, 0}, {1, 2, 3}, {4, 5, 6}};
  expect_same(mesh);
}

/// Binary, text and compressed, as far as the formats have them.
auto cases(std::initializer_list<std::string> extensions) {
  std::vector<Case> result;
  for (const std::string& extension : extensions) {
    result.push_back({extension, {}, extension + "_binary"});
    result.push_back({extension, {.ascii = true}, extension + "_text"});
    if (extension.starts_with("vt") && extension != "vtk") {
      result.push_back({extension, {.compress = true}, extension + "_compressed"});
    }
  }
  return ::testing::ValuesIn(result);
}

std::string name_of(const ::testing::TestParamInfo<Case>& test) {
  return test.param.name;
}

INSTANTIATE_TEST_SUITE_P(Formats, RoundTripTets, cases({"vtu", "vtk"}), name_of);
INSTANTIATE_TEST_SUITE_P(Formats, RoundTripTriangles, cases({"vtu", "vtp", "vtk", "ply", "obj", "off"}),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Formats, RoundTripGrids, cases({"vti", "vtk"}), name_of);
INSTANTIATE_TEST_SUITE_P(Formats, RoundTripFields, cases({"vtu", "vtp", "vtk", "ply"}), name_of);

// Two triangles on an edge are six corners in the file; each triangle keeps its place.
TEST(RoundTripStl, CornersAreJoinedOrStayApart) {
  for (const bool ascii : {false, true}) {
    TempDir directory;
    const TriMesh mesh = testing::make_two_triangles<float>();
    write_mesh(directory / "mesh.stl", mesh, {.ascii = ascii});
    EXPECT_EQ(read_triangles(directory / "mesh.stl").vertex_count(), 4U);
    const TriMesh back = read_triangles(directory / "mesh.stl", {.weld = false});
    ASSERT_EQ(back.vertex_count(), 6U);
    ASSERT_EQ(back.cell_count(), 2U);
    EXPECT_FALSE(back.points.is_double());
    for (std::uint32_t f = 0; f < 2; ++f) {
      for (int i = 0; i < 3; ++i) EXPECT_EQ(back.points[back.cells[f][i]], mesh.points[mesh.cells[f][i]]);
    }
  }
}

TEST(RoundTripPly, WideIntegersBecomeDoubles) {
  TempDir directory;
  TriMesh mesh = testing::make_two_triangles<float>();
  mesh.point_data.add(Field("id", Array<std::int64_t>{1, -2, 1LL << 53, 4}));
  write_mesh(directory / "mesh.ply", mesh);
  const TriMesh back = read_triangles(directory / "mesh.ply");
  const Field& id = back.point_data.at("id");
  ASSERT_EQ(id.type(), ScalarType::f64);
  EXPECT_EQ(id.as<double>()[2], 9007199254740992.0);
}

TEST(RoundTripObj, ColoursStay) {
  TempDir directory;
  TriMesh mesh = testing::make_two_triangles<double>();
  mesh.point_data.add(testing::make_field("RGB", ScalarType::f32, 4, 3));
  write_mesh(directory / "mesh.obj", mesh);
  EXPECT_TRUE(read_triangles(directory / "mesh.obj") == mesh);
}

TEST(RoundTripAny, OfAnyType) {
  TempDir directory;
  const AnyMesh mesh = testing::with_fields(testing::make_small_grid());
  write_mesh(directory / "GRID.VTI", mesh);  // extensions in any case
  EXPECT_TRUE(read_grid(directory / "GRID.VTI") == std::get<Grid>(mesh));
}

}  // namespace
}  // namespace tessera
