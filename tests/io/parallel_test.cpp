// Files that name other files: parallel VTK files and blocks.
#include <vtkImageData.h>
#include <vtkIntArray.h>
#include <vtkMultiBlockDataSet.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkXMLMultiBlockDataWriter.h>
#include <vtkXMLPImageDataReader.h>

#include "io/samples.h"
#include "io/support.h"
#include "io/vtk_peer.h"

namespace tessera {
namespace {

using testing::TempDir;

bool mentions(const FileReport& report, std::string_view words) {
  return std::ranges::any_of(report.notes,
                             [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

/// A file of one kind of cells, as text.
struct Piece {
  std::string points;
  std::size_t point_count;
  std::string corners, ends, types;
  std::size_t cell_count;
  std::string point_data, cell_data;

  [[nodiscard]] std::string text() const {
    const auto array = [](const std::string& type, const std::string& name, const std::string& values) {
      return "<DataArray type=\"" + type + "\" Name=\"" + name + "\" NumberOfComponents=\"" +
             (name == "Points" ? "3" : "1") + "\" format=\"ascii\">" + values + "</DataArray>";
    };
    return "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\"><UnstructuredGrid>"
           "<Piece NumberOfPoints=\"" +
           std::to_string(point_count) + "\" NumberOfCells=\"" + std::to_string(cell_count) +
           "\"><PointData>" + point_data + "</PointData><CellData>" + cell_data + "</CellData><Points>" +
           array("Float64", "Points", points) + "</Points><Cells>" + array("Int32", "connectivity", corners) +
           array("Int32", "offsets", ends) + array("UInt8", "types", types) +
           "</Cells></Piece></UnstructuredGrid></VTKFile>";
  }
};

std::string int_array(const std::string& name, const std::string& values, const std::string& type = "Int32") {
  return "<DataArray type=\"" + type + "\" Name=\"" + name + "\" format=\"ascii\">" + values + "</DataArray>";
}

/// Tetrahedra on both sides of the triangle (0 0 0) (1 0 0) (0 1 0).
Piece lower() {
  return {"0 0 -1  0 0 0  0 1 0  1 0 0", 4, "0 1 2 3", "4", "10", 1, int_array("id", "10 11 12 13"),
          int_array("side", "-1")};
}
Piece upper() {
  return {"1 0 0  0 1 0  0 0 0  0 0 1", 4, "2 0 1 3", "4", "10", 1, int_array("id", "20 21 22 23"),
          int_array("side", "1")};
}

std::string parallel(const std::string& type, std::initializer_list<std::string_view> sources,
                     const std::string& attributes = "GhostLevel=\"0\"") {
  std::string text = "<VTKFile type=\"" + type + "\" version=\"1.0\" byte_order=\"LittleEndian\"><" + type +
                     " " + attributes + ">";
  for (const std::string_view source : sources) text += "<Piece Source=\"" + std::string(source) + "\"/>";
  return text + "</" + type + "></VTKFile>";
}

class Parallel : public ::testing::Test {
 protected:
  void save(const std::string& name, const std::string& text) { testing::save(directory / name, text); }
  ReadResult read_two(const Piece& a, const Piece& b) {
    std::filesystem::create_directories(directory / "parts");
    save("parts/a.vtu", a.text());
    save("parts/b.vtu", b.text());
    save("all.pvtu", parallel("PUnstructuredGrid", {"parts/a.vtu", "parts/b.vtu"}));
    return read_mesh(directory / "all.pvtu");
  }
  void expect_bad(const std::string& name, std::initializer_list<std::string_view> words,
                  ErrorCode code = ErrorCode::bad_file) {
    testing::expect_error(code, words, [&] { return read_mesh(directory / name); });
  }
  TempDir directory;
};

TetMesh::Cell tet(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  return {VertexId(a), VertexId(b), VertexId(c), VertexId(d)};
}

TEST_F(Parallel, SharedPointsAreMerged) {
  const ReadResult result = read_two(lower(), upper());
  const TetMesh& mesh = std::get<TetMesh>(result.mesh);
  EXPECT_EQ(result.report.format, "pvtu");
  ASSERT_EQ(mesh.vertex_count(), 5U);  // the last is the upper one
  EXPECT_EQ(mesh.points[VertexId(4)], (Vec3d{0, 0, 1}));
  ASSERT_EQ(mesh.cell_count(), 2U);
  EXPECT_EQ(mesh.cells[0], tet(0, 1, 2, 3));
  EXPECT_EQ(mesh.cells[1], tet(1, 3, 2, 4));
  EXPECT_EQ(mesh.field("id"), Field("id", Array<std::int32_t>{10, 11, 12, 13, 23}));
  EXPECT_EQ(mesh.cell_data.at("side"), Field("side", Array<std::int32_t>{-1, 1}));
  EXPECT_TRUE(mentions(result.report, "Merged 3 points")) << result.report.notes.size();
}

TEST_F(Parallel, GhostCellsAreDropped) {
  Piece b = upper();  // with the lower tetrahedron as a ghost, and its point that nobody else has
  b.points = "1 0 0  0 0 -1  0 1 0  0 0 0  0 0 1  7 7 7";
  b.point_count = 6;
  b.corners = "1 3 2 0  3 0 2 4";
  b.ends = "4 8";
  b.types = "10 10";
  b.cell_count = 2;
  b.point_data = int_array("id", "0 1 2 3 4 5");
  for (const std::string& marks :
       {int_array("vtkGhostType", "1 0", "UInt8"), int_array("vtkGhostLevels", "2 0", "UInt8")}) {
    b.cell_data = marks + int_array("side", "5 6");
    const ReadResult result = read_two(lower(), b);
    const TetMesh& mesh = std::get<TetMesh>(result.mesh);
    ASSERT_EQ(mesh.vertex_count(), 6U);  // a point without any cell stays
    EXPECT_EQ(mesh.points[VertexId(5)], (Vec3d{7, 7, 7}));
    ASSERT_EQ(mesh.cell_count(), 2U);
    EXPECT_EQ(mesh.cells[1], tet(1, 3, 2, 4));
    EXPECT_EQ(mesh.cell_data.names(), std::vector<std::string>{"side"});
    EXPECT_EQ(mesh.cell_data.at("side"), Field("side", Array<std::int32_t>{-1, 6}));
    EXPECT_TRUE(mentions(result.report, "Left out 1 ghost cells"));
  }
}

TEST_F(Parallel, GlobalIdsTellPointsApart) {
  Piece a = lower();
  Piece b = upper();
  b.points = "1 0 0.001  0 1 0  0 0 0  0 0 -1";  // one a little off, one that only looks the same
  a.point_data = int_array("GlobalPointIds", "5 6 7 8", "Int64");
  b.point_data = int_array("GlobalPointIds", "8 7 6 9", "Int64");
  const ReadResult result = read_two(a, b);
  EXPECT_EQ(std::get<TetMesh>(result.mesh).vertex_count(), 5U);
  EXPECT_EQ(std::get<TetMesh>(result.mesh).cells[1], tet(1, 3, 2, 4));
  EXPECT_TRUE(mentions(result.report, "by their GlobalPointIds"));
  // Ids that repeat are no ids: two points are at equal places.
  b.point_data = int_array("GlobalPointIds", "8 7 6 6", "Int64");
  const ReadResult repeated = read_two(a, b);
  EXPECT_EQ(std::get<TetMesh>(repeated.mesh).vertex_count(), 5U);
  EXPECT_TRUE(mentions(repeated.report, "GlobalPointIds of a piece repeat"));
  EXPECT_TRUE(mentions(repeated.report, "by their coordinates"));
}

TEST_F(Parallel, PointsAtOnePlaceOfAPieceStay) {
  Piece a = lower();
  a.points = "0 0 0  0 0 0  nan 1 0  1 0 -0.0";
  Piece b = upper();
  b.points = "1 0 0  nan 1 0  0 0 0  0 0 1";
  const ReadResult result = read_two(a, b);
  EXPECT_EQ(std::get<TetMesh>(result.mesh).vertex_count(), 7U);  // only (1, 0, 0) is merged
  EXPECT_EQ(std::get<TetMesh>(result.mesh).cells[1], tet(5, 3, 4, 6));
  EXPECT_TRUE(mentions(result.report, "Left 3 points unmerged"));
}

TEST_F(Parallel, FieldsOfTheMeshThatDifferAreMentioned) {
  for (const char* const time : {"1", "2"}) {
    std::string text = lower().text();
    const std::string field =
        "<FieldData><DataArray type=\"Float64\" Name=\"time\" NumberOfTuples=\"1\" format=\"ascii\">";
    save(std::string(time) + ".vtu",
         text.insert(text.find("<Piece"), field + time + "</DataArray></FieldData>"));
  }
  save("all.pvtu", parallel("PUnstructuredGrid", {"1.vtu", "2.vtu"}));
  const ReadResult result = read_mesh(directory / "all.pvtu");
  EXPECT_EQ(std::get<TetMesh>(result.mesh).field_data.at("time"), Field("time", Array<double>{1}));
  EXPECT_TRUE(mentions(result.report, "\"time\" of the mesh, which differ"));
}

TEST_F(Parallel, FieldsThatAPieceLacksAreMentioned) {
  Piece a = lower();
  Piece b = upper();
  a.point_data += int_array("only_a", "1 2 3 4");
  b.point_data += int_array("only_b", "1 2 3 4");
  b.cell_data = int_array("side", "1", "Int8");
  const ReadResult result = read_two(a, b);
  const TetMesh& mesh = std::get<TetMesh>(result.mesh);
  EXPECT_EQ(mesh.point_data.names(), std::vector<std::string>{"id"});
  EXPECT_TRUE(mesh.cell_data.empty());
  for (const char* const name : {"only_a", "only_b", "side"})
    EXPECT_TRUE(mentions(result.report, "\"" + std::string(name) + "\", which is not in every piece"))
        << name;
}

// The cut of a shared quad must not depend on the piece: cells are cut when points are one.
TEST_F(Parallel, HexahedraAreCutTogether) {
  Piece a = {"0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1", 8, "0 1 2 3 4 5 6 7", "8", "12", 1, "", ""};
  Piece b = {"1 1 1 2 1 1 2 0 1 1 0 1 1 1 0 2 1 0 2 0 0 1 0 0", 8, "7 6 5 4 3 2 1 0", "8", "12", 1, "", ""};
  save("a.vtu", a.text());
  save("b.vtu", b.text());
  save("all.pvtu", parallel("PUnstructuredGrid", {"a.vtu", "b.vtu"}));
  expect_bad("all.pvtu", {"all.pvtu", "2 hexahedra", "simplices"}, ErrorCode::unsupported);
  const TetMesh mesh = read_tets(directory / "all.pvtu", {.simplices = true});
  EXPECT_EQ(mesh.vertex_count(), 12U);
  ASSERT_EQ(mesh.cell_count(), 12U);
  // Triangles in the plane x = 1 must come in pairs.
  std::map<std::vector<VertexId>, int> shared;
  for (const TetMesh::Cell& cell : mesh.cells) {
    std::vector<VertexId> in_plane;
    for (const VertexId v : cell) {
      if (mesh.points[v].x == 1) in_plane.push_back(v);
    }
    std::ranges::sort(in_plane);
    if (in_plane.size() == 3) ++shared[in_plane];
  }
  EXPECT_EQ(shared.size(), 2U);
  for (const auto& [corners, count] : shared) EXPECT_EQ(count, 2);
}

TEST_F(Parallel, Surfaces) {
  for (const auto& [name, text] : testing::companions()) save(name, text);
  save("all.pvtp", testing::samples("pvtp").at("by_hand_pair.pvtp"));
  const ReadResult result = read_mesh(directory / "all.pvtp");
  const TriMesh& mesh = std::get<TriMesh>(result.mesh);
  EXPECT_EQ(mesh.vertex_count(), 4U);
  EXPECT_EQ(mesh.cell_count(), 2U);
}

// What VTK writes for two boxes, and what its parallel reader makes of them.
TEST_F(Parallel, Images) {
  const auto make_part = [](std::array<int, 6> extent) {
    auto image = vtkSmartPointer<vtkImageData>::New();
    image->SetExtent(extent.data());
    image->SetOrigin(1, 2, 3);
    image->SetSpacing(0.5, 0.25, 2);
    vtkNew<vtkIntArray> values;
    values->SetName("values");
    for (int k = extent[4]; k <= extent[5]; ++k) {
      for (int j = extent[2]; j <= extent[3]; ++j) {
        for (int i = extent[0]; i <= extent[1]; ++i) values->InsertNextValue(i + 100 * j + 10000 * k);
      }
    }
    image->GetPointData()->AddArray(values);
    return image;
  };
  testing::vtk_write_xml(make_part({1, 3, 0, 2, 0, 1}), directory / "a.vti", {"raw", "zlib"});
  testing::vtk_write_xml(make_part({3, 5, 0, 2, 0, 1}), directory / "b.vti", {"ascii", "none"});
  const std::string attributes =
      R"(WholeExtent="1 5 0 2 0 1" GhostLevel="0" Origin="1 2 3" Spacing="0.5 0.25 2")";
  std::string text = parallel("PImageData", {}, attributes);
  const std::string body = R"(<PPointData><PDataArray type="Int32" Name="values"/></PPointData>
    <Piece Extent="1 3 0 2 0 1" Source="a.vti"/><Piece Extent="3 5 0 2 0 1" Source="b.vti"/>)";
  save("all.pvti", text.insert(text.find("</PImageData>"), body));
  const Grid grid = read_grid(directory / "all.pvti");
  vtkNew<vtkXMLPImageDataReader> reader;
  reader->SetFileName((directory / "all.pvti").c_str());
  reader->Update();
  vtkImageData* const image = reader->GetOutput();
  ASSERT_EQ(grid.vertex_count(), 30U);
  ASSERT_EQ(image->GetNumberOfPoints(), 30);
  vtkDataArray* const values = image->GetPointData()->GetArray("values");
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(grid.field("values").as<std::int32_t>()[i], values->GetTuple1(i));
    const Vec3d p = grid.point(i % 5, i / 5 % 3, i / 15);
    const double* q = image->GetPoint(i);
    EXPECT_EQ(p, (Vec3d{q[0], q[1], q[2]}));
  }
  save("inner.pvti",
       parallel("PImageData", {"b.vti"}, R"(WholeExtent="3 5 0 2 0 1" Origin="1 2 3" Spacing="0.5 0.25 2")"));
  save("nested.pvti", parallel("PImageData", {"a.vti", "inner.pvti"}, attributes));
  EXPECT_EQ(read_grid(directory / "nested.pvti"), grid);
  save("gap.pvti", parallel("PImageData", {"a.vti"}, attributes));
  expect_bad("gap.pvti", {"gap.pvti", "do not cover"});
  save("off.pvti",
       parallel("PImageData", {"a.vti", "b.vti"}, R"(WholeExtent="0 2 0 2 0 1" Spacing="0.5 0.25 2")"));
  expect_bad("off.pvti", {"off.pvti", "outside of its extent"});
  save("step.pvti",
       parallel("PImageData", {"a.vti", "b.vti"}, R"(WholeExtent="1 5 0 2 0 1" Spacing="1 1 1")"));
  expect_bad("step.pvti", {"step.pvti", "another Spacing"});
}

TEST_F(Parallel, BlocksThatVtkWrites) {
  vtkNew<vtkMultiBlockDataSet> blocks;
  vtkNew<vtkMultiBlockDataSet> inner;
  inner->SetBlock(0, testing::make_vtk_tets());
  blocks->SetBlock(0, testing::make_vtk_tets());
  blocks->SetBlock(1, inner);
  blocks->SetNumberOfBlocks(3);  // the last is empty
  vtkNew<vtkXMLMultiBlockDataWriter> writer;
  writer->SetFileName((directory / "all.vtm").c_str());
  writer->SetInputDataObject(blocks);
  writer->Write();
  const ReadResult result = read_mesh(directory / "all.vtm");
  const TetMesh& mesh = std::get<TetMesh>(result.mesh);
  EXPECT_EQ(mesh.vertex_count(), 10U);  // blocks are not merged
  ASSERT_EQ(mesh.cell_count(), 4U);
  EXPECT_EQ(mesh.cells[3], tet(6, 7, 8, 9));
  EXPECT_EQ(mesh.cell_data.at("region").as<std::int32_t>()[3], -2);
  EXPECT_EQ(mesh.field_data.at("box").size(), 3U);
}

std::string blocks_of(std::initializer_list<std::string_view> files) {
  std::string text =
      "<VTKFile type=\"vtkMultiBlockDataSet\" version=\"1.0\" "
      "byte_order=\"LittleEndian\"><vtkMultiBlockDataSet>";
  for (const std::string_view file : files)
    text += "<DataSet index=\"0\" file=\"" + std::string(file) + "\"/>";
  return text + "</vtkMultiBlockDataSet></VTKFile>";
}

TEST_F(Parallel, GridsAsBlocks) {
  write_mesh(directory / "a.vti", testing::make_small_grid());
  write_mesh(directory / "b.vti", testing::make_small_grid());
  save("one.vtm", blocks_of({"a.vti"}));
  EXPECT_EQ(read_grid(directory / "one.vtm"), testing::make_small_grid());
  save("two.vtm", blocks_of({"a.vti", "b.vti"}));
  expect_bad("two.vtm", {"two.vtm", "12 hexahedra", "simplices"}, ErrorCode::unsupported);
  const TetMesh mesh = read_tets(directory / "two.vtm", {.simplices = true});
  EXPECT_EQ(mesh.vertex_count(), 48U);
  EXPECT_EQ(mesh.cell_count(), 72U);
  EXPECT_EQ(mesh.points[VertexId(24 + 17)], testing::make_small_grid().point(1, 1, 1));
}

TEST_F(Parallel, BadFiles) {
  save("a.vtu", lower().text());
  save("b.vtu", upper().text());
  save("missing.pvtu", parallel("PUnstructuredGrid", {"a.vtu", "gone.vtu"}));
  expect_bad("missing.pvtu", {"missing.pvtu", "its piece", "gone.vtu", "cannot be opened"},
             ErrorCode::not_found);
  save("none.pvtu", parallel("PUnstructuredGrid", {}));
  expect_bad("none.pvtu", {"none.pvtu", "no piece"});
  save("nameless.pvtu", parallel("PUnstructuredGrid", {""}));
  expect_bad("nameless.pvtu", {"nameless.pvtu", "without a Source"});
  save("self.pvtu", parallel("PUnstructuredGrid", {"a.vtu", "./self.pvtu"}));
  expect_bad("self.pvtu", {"self.pvtu", "names", "part of"});
  save("twice.pvtu", parallel("PUnstructuredGrid", {"a.vtu", "b.vtu", "a.vtu"}));
  expect_bad("twice.pvtu", {"twice.pvtu", "names", "a.vtu", "already"});
  save("first.vtm", blocks_of({"second.vtm"}));
  save("second.vtm", blocks_of({"a.vtu", "first.vtm"}));
  expect_bad("first.vtm", {"first.vtm", "its piece", "second.vtm", "part of"});
  save("kind.pvtp", parallel("PPolyData", {"a.vtu"}));
  expect_bad("kind.pvtp", {"kind.pvtp", "a.vtu", "holds UnstructuredGrid, not PolyData"});
  save("empty.vtu", "");
  save("empty.pvtu", parallel("PUnstructuredGrid", {"empty.vtu"}));
  expect_bad("empty.pvtu", {"empty.pvtu", "empty.vtu", "is empty"});
  Piece bad = upper();
  bad.corners = "0 1 2 9";
  save("bad.vtu", bad.text());
  save("bad.pvtu", parallel("PUnstructuredGrid", {"a.vtu", "bad.vtu"}));
  expect_bad("bad.pvtu", {"bad.pvtu", "bad.vtu", "cell 0 names point 9"});
  for (int i = 0; i < 40; ++i)
    save("n" + std::to_string(i) + ".vtm", blocks_of({"n" + std::to_string(i + 1) + ".vtm"}));
  expect_bad("n0.vtm", {"n0.vtm", "nested too deeply"});
}

TEST_F(Parallel, ProgressGrowsOverThePieces) {
  save("a.vtu", lower().text());
  save("b.vtu", upper().text());
  save("all.pvtu", parallel("PUnstructuredGrid", {"a.vtu", "b.vtu"}));
  Monitor monitor;
  double last = 0;
  monitor.report = [&](std::string_view, double fraction) { last = fraction; };
  static_cast<void>(read_mesh(directory / "all.pvtu", {.monitor = &monitor}));
  EXPECT_GE(last, 0.5);
  EXPECT_LE(last, 1.0);
}

}  // namespace
}  // namespace tessera
