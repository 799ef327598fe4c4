// Poly data: read(write(poly)) = poly, and VTK sees what we wrote.
#include <vtkCell.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPolyData.h>

#include "io/support.h"
#include "io/vtk_peer.h"

namespace tessera {
namespace {

using testing::TempDir;

class PolyFile : public ::testing::Test {
 protected:
  TempDir directory;
};

TEST_F(PolyFile, RoundTripInEveryEncoding) {
  for (const WriteOptions& options :
       {WriteOptions{}, WriteOptions{.ascii = true}, WriteOptions{.compress = true}}) {
    for (PolyData poly : {testing::with_fields(testing::make_small_poly<float>()),
                          testing::with_fields(testing::make_small_poly<double>()), PolyData{}}) {
      write_poly(directory / "a.vtp", poly, options);
      EXPECT_TRUE(read_poly(directory / "a.vtp") == poly);
      EXPECT_EQ(directory.file_count(), 1U) << "a temporary file stayed behind";
    }
  }
}

TEST_F(PolyFile, FieldsOfTheWhole) {
  PolyData poly = testing::make_small_poly<float>();
  poly.field_data = testing::make_fields("whole", 7);
  write_poly(directory / "a.vtp", poly);
  EXPECT_TRUE(read_poly(directory / "a.vtp") == poly);
}

void expect_same_cells(const PolyCells& cells, vtkCellArray* seen) {
  ASSERT_EQ(seen->GetNumberOfCells(), static_cast<vtkIdType>(cells.size()));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    vtkNew<vtkIdList> ids;
    seen->GetCellAtId(static_cast<vtkIdType>(i), ids);
    ASSERT_EQ(ids->GetNumberOfIds(), static_cast<vtkIdType>(cells[i].size()));
    for (vtkIdType k = 0; k < ids->GetNumberOfIds(); ++k)
      EXPECT_EQ(ids->GetId(k), static_cast<vtkIdType>(cells[i][static_cast<std::size_t>(k)].index()));
  }
}

void expect_same_field(const Field& field, vtkFieldData* data) {
  vtkDataArray* seen = data->GetArray(field.name().c_str());
  ASSERT_NE(seen, nullptr) << field.name();
  ASSERT_EQ(seen->GetNumberOfTuples(), static_cast<vtkIdType>(field.size()));
  field.visit([&](auto values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_EQ(seen->GetTuple1(static_cast<vtkIdType>(i)), static_cast<double>(values[i]));
  });
}

TEST_F(PolyFile, VtkSeesWhatWeWrote) {
  PolyData poly = testing::make_small_poly<double>();
  poly.point_data.add(testing::make_field("height", ScalarType::f32, 5, 1));
  poly.cell_data.add(testing::make_field("region", ScalarType::i8, 5, 1));
  for (const char* name : {"a.vtp", "a.vtk"}) {
    for (const WriteOptions& options :
         {WriteOptions{}, WriteOptions{.ascii = true}, WriteOptions{.compress = true}}) {
      if (options.compress && std::string_view(name) == "a.vtk") continue;
      write_poly(directory / name, poly, options);
      const auto data = testing::vtk_read(directory / name);
      auto* seen = vtkPolyData::SafeDownCast(data);
      ASSERT_NE(seen, nullptr) << name;
      ASSERT_EQ(seen->GetNumberOfPoints(), 5);
      for (std::uint32_t v = 0; v < 5; ++v) {
        const Vec3d p = poly.points[VertexId(v)];
        EXPECT_EQ(p, (Vec3d{seen->GetPoint(v)[0], seen->GetPoint(v)[1], seen->GetPoint(v)[2]}));
      }
      expect_same_cells(poly.vertices, seen->GetVerts());
      expect_same_cells(poly.lines, seen->GetLines());
      expect_same_cells(poly.polygons, seen->GetPolys());
      expect_same_field(poly.point_data.at("height"), seen->GetPointData());
      expect_same_field(poly.cell_data.at("region"), seen->GetCellData());
    }
  }
}

TEST_F(PolyFile, VtkOpensAnEmptyOne) {
  write_poly(directory / "a.vtp", {});
  const auto data = testing::vtk_read(directory / "a.vtp");
  EXPECT_EQ(vtkPolyData::SafeDownCast(data)->GetNumberOfCells(), 0);
}

TEST_F(PolyFile, ReadsWhatVtkWrites) {
  const auto data = testing::make_vtk_triangles();
  vtkNew<vtkCellArray> lines;
  const vtkIdType line[] = {4, 0, 3};
  lines->InsertNextCell(3, line);
  data->SetLines(lines);
  data->GetCellData()->Initialize();
  for (const testing::XmlEncoding& encoding : testing::all_encodings()) {
    testing::vtk_write_xml(data, directory / "a.vtp", encoding);
    const PolyData poly = read_poly(directory / "a.vtp");
    ASSERT_EQ(poly.lines.size(), 1U) << encoding.name();
    EXPECT_EQ(poly.lines[0][2], VertexId(3));
    ASSERT_EQ(poly.polygons.size(), 2U);
    EXPECT_EQ(poly.polygons[1][2], VertexId(4));
    EXPECT_EQ(poly.point_data.at("height").size(), 5U);
  }
}

TEST_F(PolyFile, InfoSeesThePointsOfAPolyFile) {
  PolyData poly;
  poly.points = testing::make_two_tets<float>().points;
  poly.vertices = make_vertex_cells(5);
  poly.point_data.add(testing::make_field("height", ScalarType::f32, 5, 1));
  write_poly(directory / "a.vtp", poly);
  const TriMesh mesh = read_triangles(directory / "a.vtp");
  EXPECT_TRUE(mesh.points == poly.points);
  EXPECT_EQ(mesh.cell_count(), 0U);
  EXPECT_EQ(mesh.point_data, poly.point_data);
}

TEST_F(PolyFile, RefusesWhatReadersWouldRefuse) {
  const auto write = [&](const PolyData& poly) {
    write_poly(directory / "a.vtp", poly);
    return 0;
  };
  PolyData poly = testing::make_small_poly<float>();
  poly.lines.corners[1] = VertexId(5);
  testing::expect_error(ErrorCode::bad_mesh, {"a.vtp", "cell 1 names point 5"}, [&] { return write(poly); });
  poly = testing::make_small_poly<float>();
  poly.lines.offsets[1] = 7;
  testing::expect_error(ErrorCode::bad_mesh, {"a.vtp", "ascend"}, [&] { return write(poly); });
  poly = testing::make_small_poly<float>();
  poly.cell_data.add(testing::make_field("region", ScalarType::i8, 2, 1));
  testing::expect_error(ErrorCode::bad_mesh, {"region", "2 tuples for 5 cells"}, [&] { return write(poly); });
  EXPECT_EQ(directory.file_count(), 0U);
}

TEST_F(PolyFile, RefusesOtherFiles) {
  testing::expect_error(ErrorCode::unsupported, {"a.ply", "vtp"}, [&] {
    write_poly(directory / "a.ply", {});
    return 0;
  });
  testing::expect_error(ErrorCode::write_failed, {"a.vtp"}, [&] {
    write_poly(directory / "nowhere" / "a.vtp", {});
    return 0;
  });
  EXPECT_EQ(directory.file_count(), 0U);
  write_mesh(directory / "a.vtu", testing::make_two_tets<float>());
  testing::expect_error(ErrorCode::unsupported, {"a.vtu", "vtp"},
                        [&] { return read_poly(directory / "a.vtu"); });
  std::filesystem::rename(directory / "a.vtu", directory / "b.vtp");
  testing::expect_error(ErrorCode::unsupported, {"b.vtp", "UnstructuredGrid"},
                        [&] { return read_poly(directory / "b.vtp"); });
  testing::expect_error(ErrorCode::not_found, {"c.vtp"}, [&] { return read_poly(directory / "c.vtp"); });
  testing::save(directory / "empty.vtp", "");
  testing::expect_error(ErrorCode::bad_file, {"empty"}, [&] { return read_poly(directory / "empty.vtp"); });
}

TEST_F(PolyFile, RefusesStrips) {
  const auto data = testing::make_vtk_triangles();
  data->SetStrips(data->GetPolys());
  data->GetCellData()->Initialize();
  testing::vtk_write_xml(data, directory / "a.vtp", {"ascii", "none"});
  testing::expect_error(ErrorCode::unsupported, {"strips"}, [&] { return read_poly(directory / "a.vtp"); });
}

}  // namespace
}  // namespace tessera
