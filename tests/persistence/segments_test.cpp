// Segments: VTK reads what we write, and what cannot be right is refused.
#include <gtest/gtest.h>
#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPolyData.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLPolyDataReader.h>
#include <vtkXMLUnstructuredGridReader.h>

#include <cmath>
#include <filesystem>

#include <tessera/core/error.h>
#include <tessera/io/segments.h>

namespace tessera {
namespace {

namespace fs = std::filesystem;

class SegmentsTest : public testing::Test {
 protected:
  SegmentsTest()
      : folder(fs::temp_directory_path() / (std::string("tessera-segments-") +
                                            testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::create_directories(folder);
    segments.points = {{0, 0.1, 0}, {1e300, -2, 3}, {4, 5, HUGE_VAL}};
    segments.lines = {{VertexId(0), VertexId(1)}, {VertexId(2), VertexId(0)}};
    segments.point_data.add({"a <\"&> b", Array<std::int32_t>{1, -2, 3}});
    segments.cell_data.add({"v", Array<float>{1, 2, 3, 4, 5, 6}, 3});
  }
  ~SegmentsTest() override { fs::remove_all(folder); }

  void expect_equal(vtkPointSet* set) const {
    ASSERT_EQ(set->GetNumberOfPoints(), 3);
    ASSERT_EQ(set->GetNumberOfCells(), 2);
    for (vtkIdType i = 0; i < 3; ++i) {
      const Vec3d& p = segments.points[static_cast<std::size_t>(i)];
      for (int k = 0; k < 3; ++k) EXPECT_EQ(set->GetPoint(i)[k], k == 0 ? p.x : k == 1 ? p.y : p.z);
    }
    EXPECT_EQ(set->GetCell(1)->GetPointId(0), 2);
    EXPECT_EQ(set->GetCell(1)->GetPointId(1), 0);
    EXPECT_EQ(set->GetCellType(0), VTK_LINE);
    vtkDataArray* of_points = set->GetPointData()->GetArray("a <\"&> b");
    ASSERT_NE(of_points, nullptr);
    EXPECT_EQ(of_points->GetDataType(), VTK_INT);
    EXPECT_EQ(of_points->GetTuple1(1), -2);
    vtkDataArray* of_cells = set->GetCellData()->GetArray("v");
    ASSERT_NE(of_cells, nullptr);
    EXPECT_EQ(of_cells->GetComponent(1, 2), 6);
  }

  fs::path folder;
  Segments segments;
};

TEST_F(SegmentsTest, VtkReadsThem) {
  for (const bool ascii : {false, true}) {
    write_segments(folder / "a.vtu", segments, {.ascii = ascii});
    vtkNew<vtkXMLUnstructuredGridReader> grid;
    grid->SetFileName((folder / "a.vtu").c_str());
    grid->Update();
    if (!ascii) expect_equal(grid->GetOutput());  // VTK does not read infinity from text
    write_segments(folder / "a.vtp", segments, {.ascii = ascii});
    vtkNew<vtkXMLPolyDataReader> poly;
    poly->SetFileName((folder / "a.vtp").c_str());
    poly->Update();
    if (!ascii) expect_equal(poly->GetOutput());
  }
  EXPECT_TRUE(write_segments(folder / "c.vtu", segments, {.compress = true}).notes.empty());
  vtkNew<vtkXMLUnstructuredGridReader> compressed;
  compressed->SetFileName((folder / "c.vtu").c_str());
  compressed->Update();
  expect_equal(compressed->GetOutput());
  segments.points[2].z = 7;
  write_segments(folder / "b.vtu", segments, {.ascii = true});
  vtkNew<vtkXMLUnstructuredGridReader> grid;
  grid->SetFileName((folder / "b.vtu").c_str());
  grid->Update();
  expect_equal(grid->GetOutput());
}

TEST_F(SegmentsTest, NoneAreAFileToo) {
  write_segments(folder / "none.vtu", {});
  vtkNew<vtkXMLUnstructuredGridReader> grid;
  grid->SetFileName((folder / "none.vtu").c_str());
  grid->Update();
  EXPECT_EQ(grid->GetOutput()->GetNumberOfCells(), 0);
}

TEST_F(SegmentsTest, RefusesWhatCanNotBeRight) {
  const auto code_of = [&](const char* file) {
    try {
      write_segments(folder / file, segments);
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::cancelled;
  };
  EXPECT_EQ(code_of("a.ply"), ErrorCode::unsupported);
  EXPECT_EQ(code_of("nowhere/a.vtu"), ErrorCode::write_failed);
  segments.lines[1][1] = VertexId(3);
  EXPECT_EQ(code_of("a.vtu"), ErrorCode::bad_mesh);
  segments.lines[1][1] = VertexId(1);
  segments.cell_data.add({"short", Array<float>{1}});
  EXPECT_EQ(code_of("a.vtu"), ErrorCode::bad_mesh);
  EXPECT_TRUE(fs::is_empty(folder));
}

}  // namespace
}  // namespace tessera
