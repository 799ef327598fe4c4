// Structured and rectilinear grids: regular ones are grids, others become the cells that VTK sees in them.
#include <vtkCell.h>
#include <vtkCellData.h>
#include <vtkDoubleArray.h>
#include <vtkFloatArray.h>
#include <vtkIntArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkRectilinearGrid.h>
#include <vtkStructuredGrid.h>

#include "io/samples.h"
#include "io/support.h"
#include "io/vtk_peer.h"

namespace tessera {
namespace {

using testing::TempDir;

void add_fields(vtkDataSet* data) {
  vtkNew<vtkFloatArray> height;
  height->SetName("height");
  for (vtkIdType i = 0; i < data->GetNumberOfPoints(); ++i)
    height->InsertNextValue(static_cast<float>(i) / 3);
  data->GetPointData()->AddArray(height);
  vtkNew<vtkIntArray> region;
  region->SetName("region");
  for (vtkIdType i = 0; i < data->GetNumberOfCells(); ++i) region->InsertNextValue(static_cast<int>(7 * i));
  data->GetCellData()->AddArray(region);
}

/// Points on a lattice from (1, -2, 3) with steps of (0.1, -0.25, 2); `bend` lifts them along x * y.
vtkSmartPointer<vtkStructuredGrid> make_structured(int nx, int ny, int nz, double bend) {
  auto grid = vtkSmartPointer<vtkStructuredGrid>::New();
  grid->SetDimensions(nx, ny, nz);
  vtkNew<vtkPoints> points;
  points->SetDataTypeToDouble();
  for (int k = 0; k < nz; ++k) {
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < nx; ++i)
        points->InsertNextPoint(1 + 0.1 * i, -2 - 0.25 * j, 3 + 2 * k + bend * i * j);
    }
  }
  grid->SetPoints(points);
  add_fields(grid);
  return grid;
}

vtkSmartPointer<vtkRectilinearGrid> make_rectilinear(bool is_uniform) {
  auto grid = vtkSmartPointer<vtkRectilinearGrid>::New();
  grid->SetDimensions(4, 3, 2);
  const auto axis = [](std::initializer_list<float> values) {
    auto array = vtkSmartPointer<vtkFloatArray>::New();
    for (const float value : values) array->InsertNextValue(value);
    return array;
  };
  grid->SetXCoordinates(axis({0.1F, 0.2F, 0.3F, is_uniform ? 0.4F : 0.5F}));
  grid->SetYCoordinates(axis({100, 101, 102}));
  grid->SetZCoordinates(axis({-1, 1}));
  add_fields(grid);
  return grid;
}

void expect_fields(const FieldSet& points, const FieldSet& cells, std::size_t point_count,
                   std::size_t cell_count) {
  const auto height = points.at("height").as<float>();
  ASSERT_EQ(height.size(), point_count);
  for (std::size_t i = 0; i < point_count; ++i) EXPECT_EQ(height[i], static_cast<float>(i) / 3);
  const auto region = cells.at("region").as<std::int32_t>();
  ASSERT_EQ(region.size(), cell_count);
  for (std::size_t i = 0; i < cell_count; ++i) EXPECT_EQ(region[i], static_cast<int>(7 * i));
}

/// The hexahedra are VTK's cells; those of rectilinear grids are voxels, whose corners have another order.
void expect_solids(const CellMesh& mesh, vtkDataSet* data) {
  ASSERT_EQ(mesh.vertex_count(), static_cast<std::size_t>(data->GetNumberOfPoints()));
  ASSERT_EQ(mesh.cell_count(), static_cast<std::size_t>(data->GetNumberOfCells()));
  for (std::uint32_t i = 0; i < mesh.vertex_count(); ++i) {
    const double* p = data->GetPoint(i);
    EXPECT_EQ(mesh.points[VertexId(i)], (Vec3d{p[0], p[1], p[2]}));
  }
  constexpr std::array<int, 8> around = {0, 1, 3, 2, 4, 5, 7, 6};
  for (std::size_t i = 0; i < mesh.cell_count(); ++i) {
    EXPECT_EQ(mesh.types[i], CellType::hexahedron);
    vtkCell* const cell = data->GetCell(static_cast<vtkIdType>(i));
    for (int c = 0; c < 8; ++c) {
      const int corner = cell->GetCellType() == VTK_VOXEL ? around[c] : c;
      EXPECT_EQ(mesh.cells.corners[8 * i + c].index(), static_cast<std::size_t>(cell->GetPointId(corner)));
    }
  }
  expect_fields(mesh.point_data, mesh.cell_data, mesh.vertex_count(), mesh.cell_count());
}

class StructuredPeer : public ::testing::TestWithParam<testing::XmlEncoding> {
 protected:
  TempDir directory;
};

TEST_P(StructuredPeer, XmlFilesAreReadAsVtkHasThem) {
  testing::vtk_write_xml(make_structured(4, 3, 2, 0), directory / "a.vts", GetParam());
  const Grid grid = read_grid(directory / "a.vts");
  EXPECT_EQ(grid.dims, (std::array<std::uint32_t, 3>{4, 3, 2}));
  EXPECT_EQ(grid.origin, (Vec3d{1, -2, 3}));
  EXPECT_NEAR(grid.spacing.x, 0.1, 1e-12);
  EXPECT_EQ(grid.spacing.y, -0.25);
  EXPECT_EQ(grid.spacing.z, 2);
  expect_fields(grid.point_data, grid.cell_data, 24, 6);

  const auto bent = make_structured(4, 3, 2, 0.3);
  testing::vtk_write_xml(bent, directory / "bent.vts", GetParam());
  CellMesh solids;
  EXPECT_EQ(read_mesh(directory / "bent.vts", {.cells = &solids}).report.format, "vts");
  expect_solids(solids, bent);

  testing::vtk_write_xml(make_rectilinear(true), directory / "a.vtr", GetParam());
  const Grid even = read_grid(directory / "a.vtr");
  EXPECT_NEAR(even.spacing.x, 0.1, 1e-7);
  EXPECT_EQ(even.origin, (Vec3d{static_cast<double>(0.1F), 100, -1}));
  expect_fields(even.point_data, even.cell_data, 24, 6);
  const auto uneven = make_rectilinear(false);
  testing::vtk_write_xml(uneven, directory / "uneven.vtr", GetParam());
  EXPECT_EQ(read_mesh(directory / "uneven.vtr", {.cells = &solids}).report.format, "vtr");
  expect_solids(solids, uneven);
}

INSTANTIATE_TEST_SUITE_P(Encodings, StructuredPeer, ::testing::ValuesIn(testing::all_encodings()),
                         [](const auto& test) { return test.param.name(); });

TEST(Structured, LegacyFilesAreReadAsVtkHasThem) {
  TempDir directory;
  for (const bool is_text : {false, true}) {
    testing::vtk_write_legacy(make_structured(4, 3, 2, 0), directory / "even.vtk", is_text);
    EXPECT_EQ(read_grid(directory / "even.vtk").dims, (std::array<std::uint32_t, 3>{4, 3, 2}));
    testing::vtk_write_legacy(make_rectilinear(true), directory / "axes.vtk", is_text);
    EXPECT_NEAR(read_grid(directory / "axes.vtk").spacing.x, 0.1, 1e-6);
    if (is_text) continue;  // VTK's text keeps only the first digits
    CellMesh solids;
    for (const auto& data : {vtkSmartPointer<vtkDataSet>(make_structured(3, 4, 3, 0.3)),
                             vtkSmartPointer<vtkDataSet>(make_rectilinear(false))}) {
      testing::vtk_write_legacy(data, directory / "bent.vtk", is_text);
      static_cast<void>(read_mesh(directory / "bent.vtk", {.cells = &solids}));
      expect_solids(solids, data);
    }
  }
}

// Flat in each of the three directions: a quad a cell, refused or cut as quads of other files are.
TEST(Structured, FlatOnesAreQuads) {
  TempDir directory;
  for (const std::array<int, 3> dims : {std::array{4, 3, 1}, std::array{4, 1, 3}, std::array{1, 4, 3}}) {
    const auto grid = make_structured(dims[0], dims[1], dims[2], 0);
    for (int i = 0; i < 12; ++i) {  // out of the plane, so that it is no regular grid
      const double* p = grid->GetPoint(i);
      grid->GetPoints()->SetPoint(i, p[0] + 0.01 * i * i, p[1] + 0.01 * i * i, p[2]);
    }
    testing::vtk_write_xml(grid, directory / "flat.vts", {"raw", "none"});
    testing::expect_error(ErrorCode::unsupported, {"flat.vts", "6 quads", "simplices"},
                          [&] { return read_mesh(directory / "flat.vts"); });
    const ReadResult result = read_mesh(directory / "flat.vts", {.simplices = true});
    const TriMesh& mesh = std::get<TriMesh>(result.mesh);
    ASSERT_EQ(mesh.cell_count(), 12U);
    for (std::uint32_t i = 0; i < 12; ++i) {
      vtkCell* const quad = grid->GetCell(i / 2);
      for (const VertexId v : mesh.cells[i]) {
        EXPECT_GE(quad->GetPointIds()->IsId(static_cast<vtkIdType>(v.index())), 0);
      }
    }
  }
}

// The tolerance: a millionth of the step, and the rounding of floats that lie far from 0.
TEST(Structured, SmallDifferencesAreStillUniform) {
  TempDir directory;
  const auto read = [&](const std::string& type, const std::string& xs) {
    testing::save(directory / "a.vtk",
                  "# vtk DataFile Version 3.0\n\nASCII\nDATASET RECTILINEAR_GRID\nDIMENSIONS 3 2 1\n"
                  "X_COORDINATES 3 " +
                      type + "\n" + xs + "\nY_COORDINATES 2 int\n5 7\nZ_COORDINATES 1 float\n9\n");
    return read_mesh(directory / "a.vtk", {.simplices = true}).mesh;
  };
  const auto is_grid = [&](const std::string& type, const std::string& xs) {
    return std::holds_alternative<Grid>(read(type, xs));
  };
  EXPECT_TRUE(is_grid("double", "0 1.0000004 2"));
  EXPECT_FALSE(is_grid("double", "0 1.000004 2"));
  EXPECT_TRUE(is_grid("float", "1000 1000.1 1000.2"));
  EXPECT_FALSE(is_grid("float", "1000 1000.11 1000.2"));
  EXPECT_FALSE(is_grid("float", "1e8 100000008 100000016"));  // neighbouring floats
  EXPECT_FALSE(is_grid("double", "0 0 0"));
  EXPECT_FALSE(is_grid("double", "0 nan 2"));
  const TriMesh mesh = std::get<TriMesh>(read("double", "0 1.5 2"));
  ASSERT_EQ(mesh.vertex_count(), 6U);
  EXPECT_EQ(mesh.points[VertexId(4)], (Vec3d{1.5, 7, 9}));
}

TEST(Structured, PiecesAreJoined) {
  TempDir directory;
  testing::save(directory / "a.vts", testing::samples("vts").at("by_hand_pieces.vts"));
  CellMesh solids;
  static_cast<void>(read_mesh(directory / "a.vts", {.cells = &solids}));
  // Two pieces of 2 x 2 x 2 points share those of the middle: x is 0, 1, 3.
  ASSERT_EQ(solids.vertex_count(), 12U);
  for (std::uint32_t i = 0; i < 12; ++i) {
    EXPECT_EQ(solids.points[VertexId(i)],
              (Vec3d{std::array{0.0, 1.0, 3.0}[i % 3], double(i / 3 % 2), double(i / 6)}));
    EXPECT_EQ(solids.point_data.at("id").as<std::int32_t>()[i], static_cast<int>(i));
  }
  EXPECT_EQ(solids.cell_data.at("part").as<std::int8_t>()[1], 2);
  testing::save(directory / "a.vtr", testing::samples("vtr").at("by_hand_pieces.vtr"));
  const ReadResult result = read_mesh(directory / "a.vtr", {.simplices = true});
  const TriMesh& mesh = std::get<TriMesh>(result.mesh);
  ASSERT_EQ(mesh.vertex_count(), 6U);
  EXPECT_EQ(mesh.points[VertexId(5)], (Vec3d{3, 2, -1}));
  EXPECT_EQ(mesh.cell_data.at("part").as<std::int8_t>()[3], 2);
}

void expect_bad(const std::string& name, const std::string& text,
                std::initializer_list<std::string_view> words, ErrorCode code = ErrorCode::bad_file) {
  TempDir directory;
  testing::save(directory / name, text);
  testing::expect_error(code, words, [&] { return read_mesh(directory / name, {.simplices = true}); });
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t place = text.find(what);
  EXPECT_NE(place, std::string::npos) << what;
  return text.replace(place, what.size(), by);
}

TEST(Structured, BadFiles) {
  const std::string vts = testing::samples("vts").at("by_hand_pieces.vts");
  expect_bad("a.vts", replaced(vts, "<Points>", "<Pints>").replace(0, 0, ""), {"a.vts", "closes"});
  expect_bad("a.vts", replaced(vts, "0 2 0 1 0 1", "0 3 0 1 0 1"), {"a.vts", "pieces that leave gaps"});
  expect_bad("a.vts", replaced(vts, "0 2 0 1 0 1", "0 99999 0 1 0 1"), {"a.vts", "do not cover"});
  expect_bad("a.vts", replaced(vts, "NumberOfComponents=\"3\"", "NumberOfComponents=\"2\""),
             {"a.vts", "points of several types"});
  const std::string vtr = testing::samples("vtr").at("by_hand_pieces.vtr");
  expect_bad("a.vtr", replaced(vtr, "<DataArray type=\"Float64\" format=\"ascii\">0 2</DataArray>", ""),
             {"a.vtr", "three <Coordinates>"});
  expect_bad("a.vtr", replaced(vtr, ">0 1</DataArray>", ">0</DataArray>"), {"a.vtr", "shorter"});
  const std::string legacy = "# vtk DataFile Version 3.0\n\nASCII\nDATASET ";
  expect_bad("a.vtk", legacy + "STRUCTURED_GRID\nDIMENSIONS 2 2 2\nPOINTS 2 float\n0 0 0 1 0 0\n",
             {"a.vtk", "has 2 points", "want 8"});
  expect_bad("a.vtk", legacy + "RECTILINEAR_GRID\nDIMENSIONS 2 1 1\nX_COORDINATES 2 float\n0 1\n",
             {"a.vtk", "has 0 coordinates of an axis", "want 1"});
  expect_bad("a.vtk", legacy + "RECTILINEAR_GRID\nDIMENSIONS 2 1 1\nW_COORDINATES 2 float\n0 1\n",
             {"a.vtk", "w_coordinates"});
  expect_bad("a.vtk", legacy + "STRUCTURED_GRID\nDIMENSIONS 2 1 1\nCELLS 2 float\n0 1\n", {"a.vtk", "cells"});
}

// Three short axes stand for a thousand million points; nothing in the file shows that somebody has them.
TEST(Structured, AxesAloneDoNotJustifyMemory) {
  std::string axis = "0";
  for (int i = 1; i < 1000; ++i) axis += " " + std::to_string(i * i);
  const std::string numbers = " 1000 float\n" + axis + "\n";
  expect_bad("a.vtk",
             "# vtk DataFile Version 3.0\n\nASCII\nDATASET RECTILINEAR_GRID\nDIMENSIONS 1000 1000 1000\n"
             "X_COORDINATES" +
                 numbers + "Y_COORDINATES" + numbers + "Z_COORDINATES" + numbers,
             {"a.vtk", "stands for 1000000000 points"}, ErrorCode::unsupported);
}

TEST(Structured, IsNotWritten) {
  TempDir directory;
  testing::expect_error(ErrorCode::unsupported, {"a.vts", "can only be read", "vti"},
                        [&] { return write_mesh(directory / "a.vts", testing::make_small_grid()); });
}

}  // namespace
}  // namespace tessera
