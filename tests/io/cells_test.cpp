// Cells that are kept as a file has them: VTK's reader is the second opinion on what is read and written.
#include <map>
#include <sstream>

#include <vtkCell.h>
#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkDataSet.h>
#include <vtkGenericCell.h>
#include <vtkNew.h>
#include <vtkPointData.h>

#include "io/samples.h"
#include "io/support.h"
#include "io/vtk_peer.h"

namespace tessera {
namespace {

using testing::TempDir;

/// Nine points in a row: with the cells below, only ids matter.
constexpr const char* every_cell_vtu = R"(<VTKFile type="UnstructuredGrid" byte_order="LittleEndian">
<UnstructuredGrid><Piece NumberOfPoints="9" NumberOfCells="13">
<PointData><DataArray type="Int16" Name="id">0 1 2 3 4 5 6 7 8</DataArray></PointData>
<CellData><DataArray type="Int32" Name="row">0 1 2 3 4 5 6 7 8 9 10 11 12</DataArray></CellData>
<Points><DataArray type="Float64" NumberOfComponents="3">
0 0 0 1 0 0 2 0 0 3 0 0 4 0 0 5 0 0 6 0 0 7 0 0 8 0 0</DataArray></Points>
<Cells><DataArray type="Int32" Name="connectivity">
4  1 7 3  0 8  8 7 6 5  3 2 1  0 1 2 3  5 4 3 2 1  6 5 4 3  0 2 4 6  0 1 2 3 4 5 6 7  1 2 3 4 5 6 7 8
0 1 2 3 4 5  8 7 6 5 4</DataArray>
<DataArray type="Int32" Name="offsets">1 4 6 10 13 17 22 26 30 38 46 52 57</DataArray>
<DataArray type="UInt8" Name="types">1 2 3 4 5 8 7 9 10 11 12 13 14</DataArray></Cells>
</Piece></UnstructuredGrid></VTKFile>)";

/// The order of VTK's corners in which ours stand.
int place_of(int type, int corner) {
  constexpr std::array<int, 8> around = {0, 1, 3, 2, 4, 5, 7, 6};
  return type == VTK_VOXEL || type == VTK_PIXEL ? around[static_cast<std::size_t>(corner)] : corner;
}

CellType type_of(int type) {
  if (type == VTK_PIXEL) return CellType::quad;
  return type == VTK_VOXEL ? CellType::hexahedron : static_cast<CellType>(type);
}

void expect_field(const Field& field, vtkFieldData* data) {
  vtkDataArray* const seen = data->GetArray(field.name().c_str());
  ASSERT_NE(seen, nullptr) << field.name();
  ASSERT_EQ(seen->GetNumberOfTuples(), static_cast<vtkIdType>(field.size()));
  ASSERT_EQ(seen->GetNumberOfComponents(), static_cast<int>(field.components()));
  field.visit([&](auto values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(seen->GetComponent(static_cast<vtkIdType>(i / field.components()),
                                   static_cast<int>(i % field.components())),
                static_cast<double>(values[i]));
    }
  });
}

/// Does VTK see these points, cells and fields in the file?
void expect_seen(const std::filesystem::path& file, const CellMesh& mesh) {
  const auto object = testing::vtk_read(file);
  auto* const seen = vtkDataSet::SafeDownCast(object);
  ASSERT_NE(seen, nullptr) << file;
  ASSERT_EQ(seen->GetNumberOfPoints(), static_cast<vtkIdType>(mesh.vertex_count()));
  ASSERT_EQ(seen->GetNumberOfCells(), static_cast<vtkIdType>(mesh.cell_count()));
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
    const double* p = seen->GetPoint(v);
    EXPECT_EQ(mesh.points[VertexId(v)], (Vec3d{p[0], p[1], p[2]}));
  }
  for (std::size_t c = 0; c < mesh.cell_count(); ++c) {
    vtkCell* const cell = seen->GetCell(static_cast<vtkIdType>(c));
    EXPECT_EQ(mesh.types[c], type_of(cell->GetCellType())) << "cell " << c;
    ASSERT_EQ(cell->GetNumberOfPoints(), static_cast<vtkIdType>(mesh.cells[c].size()));
    for (int k = 0; k < cell->GetNumberOfPoints(); ++k) {
      EXPECT_EQ(cell->GetPointId(place_of(cell->GetCellType(), k)),
                static_cast<vtkIdType>(mesh.cells[c][static_cast<std::size_t>(k)].index()));
    }
  }
  for (const Field& field : mesh.point_data) expect_field(field, seen->GetPointData());
  for (const Field& field : mesh.cell_data) expect_field(field, seen->GetCellData());
}

class Cells : public ::testing::Test {
 protected:
  /// Reads the text as a file of that name; expects that its cells were kept.
  CellMesh keep(const std::string& name, std::string_view text) {
    testing::save(directory / name, text);
    return keep(name);
  }
  CellMesh keep(const std::string& name) {
    CellMesh cells;
    report = read_mesh(directory / name, {.cells = &cells}).report;
    EXPECT_GT(cells.cell_count(), 0U);
    return cells;
  }
  [[nodiscard]] std::vector<std::uint32_t> corners(const CellMesh& mesh, std::size_t cell) const {
    std::vector<std::uint32_t> ids;
    for (const VertexId v : mesh.cells[cell]) ids.push_back(v.index());
    return ids;
  }
  TempDir directory;
  FileReport report;
};

using Ids = std::vector<std::uint32_t>;

TEST_F(Cells, EveryTypeIsKept) {
  const CellMesh mesh = keep("a.vtu", every_cell_vtu);
  expect_seen(directory / "a.vtu", mesh);
  ASSERT_EQ(mesh.cell_count(), 13U);
  EXPECT_EQ(corners(mesh, 5), (Ids{0, 1, 3, 2}));  // a pixel
  EXPECT_EQ(corners(mesh, 9), (Ids{0, 1, 3, 2, 4, 5, 7, 6}));
  EXPECT_EQ(mesh.dimension(), 3);
  EXPECT_TRUE(report.notes.empty());
  EXPECT_EQ(report.cells.size(), 13U);
}

TEST_F(Cells, FilesOfPolygonsKeepThem) {
  for (const auto& [name, text] : std::map<std::string, std::string>{
           {"a.off", "OFF\n5 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n2 2 0\n4 0 1 2 3\n3 1 4 2\n"},
           {"a.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 2 0\nf 1 2 3 4\nf 2 5 3\n"},
           {"a.ply",
            "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n"
            "element face 2\nproperty list uchar int vertex_indices\nend_header\n"
            "0 0 0\n1 0 0\n1 1 0\n0 1 0\n2 2 0\n4 0 1 2 3\n3 1 4 2\n"},
           {"a.mesh",
            "MeshVersionFormatted 2\nDimension 3\nVertices 5\n0 0 0 0\n1 0 0 0\n1 1 0 0\n0 1 0 0\n2 2 0 0\n"
            "Quadrilaterals 1\n1 2 3 4 7\nTriangles 1\n2 5 3 8\nEnd\n"}}) {
    const CellMesh mesh = keep(name, text);
    ASSERT_EQ(mesh.cell_count(), 2U) << name;
    EXPECT_EQ(mesh.types[0], CellType::quad) << name;
    EXPECT_EQ(mesh.types[1], CellType::triangle) << name;
    EXPECT_EQ(corners(mesh, 0), (Ids{0, 1, 2, 3})) << name;
    EXPECT_EQ(corners(mesh, 1), (Ids{1, 4, 2})) << name;
    EXPECT_EQ(mesh.points[VertexId(4)], (Vec3d{2, 2, 0})) << name;
  }
}

TEST_F(Cells, CellsOfLowerDimensionsAreKept) {
  const CellMesh mesh =
      keep("a.msh",
           "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
           "$Elements\n4\n1 15 1 9 1\n2 1 1 8 1 2\n3 2 1 7 1 3 2\n4 4 1 6 1 2 3 4\n$EndElements\n");
  EXPECT_EQ(mesh.types,
            (Array<CellType>{CellType::vertex, CellType::line, CellType::triangle, CellType::tetrahedron}));
  EXPECT_EQ(mesh.cell_data.at("gmsh:physical").as<std::int32_t>()[3], 6);
}

TEST_F(Cells, StripsAreTakenApartAndEmptyCellsLeftOut) {
  // The strip turns a corner by naming point 2 twice: 0 1 2, 2 2 1 (flat), 2 2 3 (flat), 3 2 4.
  const std::string vtk =
      "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n"
      "0 0 0 1 0 0 0 1 0 1 1 0 2 2 0\nCELLS 3 13\n6 0 1 2 2 3 4\n0\n4 0 1 3 2\nCELL_TYPES 3\n6\n0\n9\n"
      "CELL_DATA 3\nSCALARS row int 1\nLOOKUP_TABLE default\n5 6 7\n";
  const CellMesh mesh = keep("a.vtk", vtk);
  EXPECT_EQ(mesh.types, (Array<CellType>{CellType::triangle, CellType::triangle, CellType::quad}));
  EXPECT_EQ(corners(mesh, 1), (Ids{2, 4, 3}));
  const auto rows = mesh.cell_data.at("row").as<std::int32_t>();
  EXPECT_EQ(Ids(rows.begin(), rows.end()), (Ids{5, 5, 7}));
  EXPECT_EQ(report.notes,
            (std::vector<std::string>{"Left out 2 triangles of strips that name a point twice.",
                                      "Left out 1 empty cell.",
                                      "Triangle strips were taken apart into their triangles."}));
}

TEST_F(Cells, SimplicesAloneAreReadAsEver) {
  CellMesh cells;
  write_mesh(directory / "a.vtu", testing::make_two_tets<float>());
  EXPECT_TRUE(std::get<TetMesh>(read_mesh(directory / "a.vtu", {.cells = &cells}).mesh) ==
              testing::make_two_tets<float>());
  write_mesh(directory / "a.vti", testing::make_small_grid());
  EXPECT_TRUE(std::holds_alternative<Grid>(read_mesh(directory / "a.vti", {.cells = &cells}).mesh));
  // A strip is only a way to write triangles.
  testing::save(directory / "s.vtk",
                "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n"
                "0 0 0 1 0 0 0 1 0 1 1 0\nTRIANGLE_STRIPS 1 5\n4 0 1 2 3\n");
  EXPECT_EQ(std::get<TriMesh>(read_mesh(directory / "s.vtk", {.cells = &cells}).mesh).cell_count(), 2U);
  EXPECT_EQ(cells.cell_count(), 0U);
}

/// Cells of every kind that `is_kept` wants, from the file above, with more fields.
template <class IsKept>
CellMesh choose(const CellMesh& all, const IsKept& is_kept) {
  CellMesh mesh;
  mesh.points = all.points;
  for (std::size_t c = 0; c < all.cell_count(); ++c) {
    if (!is_kept(all.types[c])) continue;
    mesh.types.push_back(all.types[c]);
    mesh.cells.add(all.cells[c]);
  }
  mesh.point_data.add(testing::make_field("height", ScalarType::f32, mesh.vertex_count(), 3));
  mesh.cell_data.add(testing::make_field("region", ScalarType::i16, mesh.cell_count(), 1));
  return mesh;
}

TEST_F(Cells, VtkSeesWhatWeWrote) {
  const CellMesh all = keep("all.vtu", every_cell_vtu);
  const CellMesh some = choose(all, [](CellType type) { return type != CellType::hexahedron; });
  const CellMesh flat = choose(all, [](CellType type) { return dimension_of(type) < 3; });
  const std::vector<WriteOptions> encodings = {{}, {.ascii = true}, {.compress = true}};
  for (const WriteOptions& options : encodings) {
    for (const char* name : {"b.vtu", "b.vtk"}) {
      if (options.compress && std::string_view(name) == "b.vtk") continue;
      for (const CellMesh& mesh : {some, flat}) {
        EXPECT_TRUE(write_mesh(directory / name, mesh, options).notes.empty());
        expect_seen(directory / name, mesh);
        EXPECT_TRUE(keep(name) == mesh) << name;
      }
    }
    // In the file they go by dimension already.
    EXPECT_TRUE(write_mesh(directory / "b.vtp", flat, options).notes.empty());
    expect_seen(directory / "b.vtp", flat);
    EXPECT_TRUE(keep("b.vtp") == flat);
  }
}

TEST_F(Cells, PolyFilesPutLinesBeforePolygons) {
  CellMesh mesh;
  mesh.points = testing::make_two_tets<double>().points;
  const auto add = [&](CellType type, std::initializer_list<std::uint32_t> ids) {
    mesh.types.push_back(type);
    for (const std::uint32_t v : ids) mesh.cells.corners.push_back(VertexId(v));
    mesh.cells.offsets.push_back(mesh.cells.corners.size());
  };
  add(CellType::quad, {0, 1, 2, 3});
  add(CellType::line, {3, 4});
  add(CellType::triangle, {1, 2, 4});
  add(CellType::vertex, {2});
  mesh.cell_data.add(Field("row", Array<std::int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(write_mesh(directory / "a.vtp", mesh).notes.size(), 1U);
  const CellMesh seen = keep("a.vtp");
  EXPECT_EQ(seen.types,
            (Array<CellType>{CellType::vertex, CellType::line, CellType::quad, CellType::triangle}));
  EXPECT_EQ(seen.cell_data.at("row"), Field("row", Array<std::int32_t>{3, 1, 0, 2}));
  expect_seen(directory / "a.vtp", seen);
}

TEST_F(Cells, SurfaceFormatsHoldPolygons) {
  const CellMesh all = keep("all.vtu", every_cell_vtu);
  CellMesh mesh = choose(all, [](CellType type) { return dimension_of(type) == 2; });
  ASSERT_EQ(mesh.cell_count(), 4U);  // a triangle, a pixel, a pentagon, a quad
  mesh.point_data = {};
  mesh.cell_data = {};
  mesh.points = Array<Vec3f>{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0},
                             {5, 0, 0}, {6, 0, 0}, {7, 0, 0}, {8, 0, 0}};
  for (const char* name : {"a.ply", "a.obj", "a.off"}) {
    for (const bool ascii : {false, true}) {
      EXPECT_TRUE(write_mesh(directory / name, mesh, {.ascii = ascii}).notes.empty());
      EXPECT_TRUE(keep(name) == mesh) << name;
    }
  }
  const std::string off = testing::load(directory / "a.off");
  EXPECT_NE(off.find("OFF\n9 4 0\n"), std::string::npos) << off;
  EXPECT_NE(off.find("8 0 0\n3 3 2 1\n4 0 1 3 2\n5 5 4 3 2 1\n4 6 5 4 3\n"), std::string::npos) << off;
  const std::string obj = testing::load(directory / "a.obj");
  EXPECT_NE(obj.find("f 4 3 2\nf 1 2 4 3\nf 6 5 4 3 2\nf 7 6 5 4\n"), std::string::npos) << obj;
  const std::string ply = testing::load(directory / "a.ply");
  EXPECT_NE(ply.find("5 5 4 3 2 1 \n"), std::string::npos) << ply;

  mesh = choose(all, [](CellType type) { return dimension_of(type) < 3; });
  const WriteReport left = write_mesh(directory / "a.ply", mesh, {.ascii = true});
  EXPECT_GT(left.left_out, 0U);
  EXPECT_EQ(mesh.cell_count() - left.left_out, keep("a.ply").cell_count());
  ASSERT_EQ(left.notes.size(), 1U);
  EXPECT_EQ(left.notes[0],
            "Left out cells that a ply file cannot hold: 1 vertex, 1 poly-vertex, 1 line, 1 poly-line.");
  const CellMesh seen = keep("a.ply");
  EXPECT_EQ(seen.cell_count(), 4U);
  const auto rows = mesh.cell_data.at("region").as<std::int16_t>();
  EXPECT_TRUE(std::ranges::equal(seen.cell_data.at("region").as<std::int16_t>(), rows.subspan(4)));
}

TEST_F(Cells, LargeFacesOfPlyFiles) {
  CellMesh mesh;
  Array<Vec3f> ring(300);
  for (std::uint32_t i = 0; i < 300; ++i) {
    ring[i] = {static_cast<float>(i), static_cast<float>(i * i), 0};
    mesh.cells.corners.push_back(VertexId(i));
  }
  mesh.points = std::move(ring);
  mesh.cells.offsets.push_back(300);
  mesh.types.push_back(CellType::polygon);
  for (const bool ascii : {false, true}) {
    write_mesh(directory / "a.ply", mesh, {.ascii = ascii});
    EXPECT_TRUE(keep("a.ply") == mesh);
  }
  EXPECT_NE(testing::load(directory / "a.ply").find("property list int int"), std::string::npos);
}

TEST_F(Cells, WhatAFormatCannotHold) {
  const CellMesh all = keep("all.vtu", every_cell_vtu);
  for (const char* name : {"a.vtp", "a.ply", "a.obj", "a.off"}) {
    testing::expect_error(ErrorCode::unsupported, {name, "1 tetrahedron, 2 hexahedra, 1 wedge, 1 pyramid"},
                          [&] { return write_mesh(directory / name, all); });
  }
  testing::expect_error(ErrorCode::unsupported, {"a.stl", "only hold triangles"},
                        [&] { return write_mesh(directory / "a.stl", all); });
  testing::expect_error(ErrorCode::unsupported, {"a.vti", "regular grid"},
                        [&] { return write_mesh(directory / "a.vti", all); });
  testing::expect_error(ErrorCode::unsupported, {"a.msh", "can only be read"},
                        [&] { return write_mesh(directory / "a.msh", all); });
  for (const char* name : {"a.vtu", "a.vtk", "a.vtp", "a.ply", "a.obj", "a.off"})
    EXPECT_TRUE(holds_cells(name));
  for (const char* name : {"a.stl", "a.vti", "a.msh", "a.xyz"}) EXPECT_FALSE(holds_cells(name));
}

TEST_F(Cells, BrokenMeshesAreNotWritten) {
  const CellMesh good = keep("a.off", "OFF\n4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n");
  const auto expect_bad = [&](CellMesh mesh, std::initializer_list<std::string_view> words) {
    testing::expect_error(ErrorCode::bad_mesh, words, [&] { return write_mesh(directory / "b.vtu", mesh); });
  };
  CellMesh mesh = good;
  mesh.cells.corners[1] = VertexId(4);
  expect_bad(mesh, {"cell 0 names point 4"});
  mesh = good;
  mesh.types[0] = CellType::tetrahedron;
  mesh.cells.corners.resize(3);
  mesh.cells.offsets[1] = 3;
  expect_bad(mesh, {"cell 0 is a tetrahedron with 3 corners"});
  mesh = good;
  mesh.cells.offsets[1] = 5;
  expect_bad(mesh, {"offsets of its cells"});
  mesh = good;
  mesh.types.clear();
  expect_bad(mesh, {"not every cell has a type"});
  mesh = good;
  mesh.cell_data.add(Field("short", Array<float>{}));
  expect_bad(mesh, {"\"short\" has 0 tuples for 1 cells"});
}

TEST_F(Cells, HigherOrderIsLinearizedOnRequest) {
  testing::save(directory / "a.vtk", testing::quadratic_vtk());
  testing::expect_error(ErrorCode::unsupported,
                        {"a.vtk", "1 quadratic triangle (type 22), 1 biquadratic quad (type 28)", "type 36",
                         "1 lagrange tetrahedron (type 71)", "ask to linearize"},
                        [&] { return read_mesh(directory / "a.vtk", {.simplices = true}); });
  CellMesh mesh;
  report = read_mesh(directory / "a.vtk", {.cells = &mesh, .linearize = true}).report;
  EXPECT_EQ(mesh.types, (Array<CellType>{CellType::quad, CellType::triangle, CellType::polygon,
                                         CellType::tetrahedron, CellType::quad}));
  // Dropped are 1, 3, 4, 7, 11, 16, 18, 19 and 20. 5, 9 and 10 are corners elsewhere, 17 is no node at all.
  const auto ids = mesh.point_data.at("id").as<std::int32_t>();
  EXPECT_EQ(Ids(ids.begin(), ids.end()), (Ids{0, 2, 5, 6, 8, 9, 10, 12, 13, 14, 15, 17}));
  EXPECT_EQ(mesh.points[VertexId(11)], (Vec3d{9, 9, 9}));
  const auto named = [&](std::size_t cell) {
    Ids in_file = corners(mesh, cell);
    for (std::uint32_t& v : in_file) v = static_cast<std::uint32_t>(ids[v]);
    return in_file;
  };
  EXPECT_EQ(named(0), (Ids{0, 2, 8, 6}));
  EXPECT_EQ(named(1), (Ids{2, 9, 8}));
  EXPECT_EQ(named(2), (Ids{0, 2, 9}));
  EXPECT_EQ(named(3), (Ids{12, 13, 14, 15}));
  EXPECT_EQ(named(4), (Ids{2, 9, 10, 5}));
  EXPECT_EQ(mesh.cell_data.at("row"), Field("row", Array<std::int32_t>{5, 6, 7, 8, 9}));
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_NE(report.notes[0].find("kept the corners and dropped 9 points"), std::string::npos);
  EXPECT_EQ(report.cells.size(), 5U);
  // Linear cells are cut or refused as ever.
  const ReadResult cut = read_mesh(directory / "a.vtk", {.simplices = true, .linearize = true});
  EXPECT_EQ(std::get<TetMesh>(cut.mesh).cell_count(), 1U);
}

/// One cell of VTK's whose nodes lie where it has them by itself.
vtkSmartPointer<vtkUnstructuredGrid> make_single_cell(int type) {
  vtkNew<vtkGenericCell> cell;
  cell->SetCellType(type);
  const double* const places = cell->GetParametricCoords();
  const vtkIdType count = cell->GetNumberOfPoints();
  vtkNew<vtkPoints> points;
  std::vector<vtkIdType> ids;
  for (vtkIdType i = 0; i < count; ++i)
    ids.push_back(points->InsertNextPoint(places[3 * i], places[3 * i + 1], places[3 * i + 2]));
  auto grid = vtkSmartPointer<vtkUnstructuredGrid>::New();
  grid->SetPoints(points);
  grid->InsertNextCell(type, count, ids.data());
  return grid;
}

double volume_of(const TetMesh& mesh) {
  double sum = 0;
  for (const TetMesh::Cell& t : mesh.cells) {
    const Vec3d a = mesh.points[t[0]];
    const double six = dot(cross(mesh.points[t[1]] - a, mesh.points[t[2]] - a), mesh.points[t[3]] - a);
    EXPECT_NE(six, 0);
    sum += six / 6;
  }
  return sum;
}

/// The unit cells of VTK, as the linear ones through the same corners. Its unit wedge lies inside out.
TEST_F(Cells, SolidsOfHigherOrderKeepTheirCornersAndSide) {
  const std::map<int, std::pair<std::size_t, double>> wanted = {
      {VTK_WEDGE, {6, -0.5}},
      {VTK_QUADRATIC_TETRA, {4, 1.0 / 6}},
      {VTK_QUADRATIC_HEXAHEDRON, {8, 1}},
      {VTK_TRIQUADRATIC_HEXAHEDRON, {8, 1}},
      {VTK_BIQUADRATIC_QUADRATIC_HEXAHEDRON, {8, 1}},
      {VTK_QUADRATIC_WEDGE, {6, -0.5}},
      {VTK_QUADRATIC_LINEAR_WEDGE, {6, -0.5}},
      {VTK_BIQUADRATIC_QUADRATIC_WEDGE, {6, -0.5}},
      {VTK_QUADRATIC_PYRAMID, {5, 1.0 / 3}},
      {VTK_TRIQUADRATIC_PYRAMID, {5, 1.0 / 6}}};  // VTK puts its apex at 0.5
  for (const auto& [type, corners_and_volume] : wanted) {
    SCOPED_TRACE(type);
    testing::vtk_write_legacy(make_single_cell(type), directory / "a.vtk", false);
    const TetMesh mesh = read_tets(directory / "a.vtk", {.simplices = true, .linearize = true});
    EXPECT_EQ(mesh.vertex_count(), corners_and_volume.first);
    EXPECT_NEAR(volume_of(mesh), corners_and_volume.second, 1e-12);
  }
}

TEST_F(Cells, SurfacesOfHigherOrderKeepTheirCorners) {
  const std::map<int, CellType> wanted = {
      {VTK_QUADRATIC_EDGE, CellType::line},         {VTK_CUBIC_LINE, CellType::line},
      {VTK_QUADRATIC_TRIANGLE, CellType::triangle}, {VTK_BIQUADRATIC_TRIANGLE, CellType::triangle},
      {VTK_QUADRATIC_QUAD, CellType::quad},         {VTK_BIQUADRATIC_QUAD, CellType::quad},
      {VTK_QUADRATIC_LINEAR_QUAD, CellType::quad}};
  for (const auto& [type, linear] : wanted) {
    SCOPED_TRACE(type);
    const auto grid = make_single_cell(type);
    testing::vtk_write_xml(grid, directory / "a.vtu", {.mode = "raw", .compressor = "none"});
    CellMesh cells;
    const ReadResult read = read_mesh(directory / "a.vtu", {.cells = &cells, .linearize = true});
    const std::size_t corner_count = linear == CellType::line ? 2 : linear == CellType::triangle ? 3 : 4;
    if (linear == CellType::triangle) {
      EXPECT_EQ(std::get<TriMesh>(read.mesh).vertex_count(), corner_count);
      continue;
    }
    ASSERT_EQ(cells.types, (Array<CellType>{linear}));
    EXPECT_EQ(cells.vertex_count(), corner_count);
    for (std::uint32_t v = 0; v < corner_count; ++v) {
      const double* p = grid->GetPoint(v);
      EXPECT_EQ(cells.points[cells.cells[0][v]], (Vec3d{p[0], p[1], p[2]}));
    }
  }
}

/// A prism of Gmsh's and Medit's: its lower triangle is seen counter-clockwise from within. The nodes behind
/// the corners lie anywhere.
TEST_F(Cells, MeshGeneratorsWriteHigherOrder) {
  const std::string prism = "0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 0 1\n0 1 1\n";
  std::string msh = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n18\n";
  std::string medit = "MeshVersionFormatted 2\nDimension 3\nVertices 18\n";
  std::string corners_18;
  std::istringstream lines(prism);
  for (int i = 1; i <= 18; ++i) {
    std::string place = "9 9 9";
    if (i <= 6) std::getline(lines, place);
    msh += std::to_string(i) + " " + place + "\n";
    medit += place + " 0\n";
    corners_18 += " " + std::to_string(i);
  }
  msh += "$EndNodes\n$Elements\n1\n1 13 0" + corners_18 + "\n$EndElements\n";
  medit += "PrismsP2 1\n" + corners_18 + " 7\nEnd\n";
  testing::save(directory / "a.msh", msh);
  testing::save(directory / "a.mesh", medit);
  for (const char* name : {"a.msh", "a.mesh"}) {
    const TetMesh mesh = read_tets(directory / name, {.simplices = true, .linearize = true});
    EXPECT_EQ(mesh.vertex_count(), 6U) << name;
    EXPECT_NEAR(volume_of(mesh), 0.5, 1e-12) << name;
    testing::expect_error(ErrorCode::unsupported, {name, "ask to linearize"},
                          [&] { return read_mesh(directory / name, {.simplices = true}); });
    testing::expect_error(ErrorCode::unsupported, {name, "1 wedge", "ask for simplices"},
                          [&] { return read_mesh(directory / name, {.linearize = true}); });
  }
  testing::save(directory / "a.node", "7 2 0 0\n1 0 0\n2 1 0\n3 0 1\n4 1 1\n5 2 2\n6 3 3\n7 4 4\n");
  testing::save(directory / "a.ele", "1 6 1\n1 1 2 3 5 6 7 2.5\n");
  const TriMesh mesh = read_triangles(directory / "a.ele", {.linearize = true});
  EXPECT_EQ(mesh.vertex_count(), 4U);  // the fourth is no node
  EXPECT_EQ(mesh.cells[0], (TriMesh::Cell{VertexId(0), VertexId(1), VertexId(2)}));
  EXPECT_EQ(mesh.cell_data.at("attribute0").as<double>()[0], 2.5);
}

TEST_F(Cells, NodesOfLagrangeCellsAreCounted) {
  const auto read = [&](int type, int nodes) {
    std::string text = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 128 float\n";
    for (int i = 0; i < 128; ++i) text += std::to_string(i % 5) + " " + std::to_string(i * i % 7) + " 1\n";
    text += "CELLS 1 " + std::to_string(nodes + 1) + "\n" + std::to_string(nodes);
    for (int i = 0; i < nodes; ++i) text += " " + std::to_string(i);
    testing::save(directory / "l.vtk", text + "\nCELL_TYPES 1\n" + std::to_string(type) + "\n");
    CellMesh mesh;
    return read_mesh(directory / "l.vtk", {.cells = &mesh, .linearize = true}).report.dimension;
  };
  // Orders 1, 2 and 3; different ones along the axes; VTK's with a node in the middle besides.
  const std::vector<std::pair<int, std::vector<int>>> good = {
      {68, {2, 3, 7}},       {69, {3, 6, 10, 7}},          {70, {4, 9, 6, 16}}, {71, {4, 10, 20, 15}},
      {72, {8, 27, 12, 18}}, {73, {6, 18, 40, 9, 12, 21}}, {74, {5, 14, 30}}};
  for (const auto& [type, counts] : good) {
    for (const int nodes : counts) EXPECT_EQ(read(type, nodes), type == 68 ? 1 : type <= 70 ? 2 : 3) << nodes;
  }
  const std::vector<std::pair<int, std::vector<int>>> bad = {{69, {4, 5, 8, 11}},  {70, {5, 7, 13}},
                                                             {71, {5, 11, 21}},    {72, {9, 10, 14, 25}},
                                                             {73, {7, 8, 11, 13}}, {74, {6, 13, 15}}};
  for (const auto& [type, counts] : bad) {
    for (const int nodes : counts) {
      testing::expect_error(ErrorCode::bad_file,
                            {"cell 0 is a lagrange", "with " + std::to_string(nodes) + " corners"},
                            [&, t = type] { return read(t, nodes); });
    }
  }
}

TEST_F(Cells, BadCellsAreRefused) {
  CellMesh cells;
  const auto expect_bad = [&](const std::string& name, const std::string& text,
                              std::initializer_list<std::string_view> words) {
    testing::save(directory / name, text);
    testing::expect_error(ErrorCode::bad_file, words,
                          [&] { return read_mesh(directory / name, {.cells = &cells}); });
  };
  expect_bad("a.off", "OFF\n4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 4\n",
             {"a.off", "cell 0 names point 4", "4 points"});
  const std::string start =
      "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n"
      "0 0 0 1 0 0 0 1 0 1 1 0\n";
  expect_bad("a.vtk", start + "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n9\n", {"cell 0 is a quad with 3 corners"});
  const auto expect_order = [&](const std::string& text, std::string_view words) {
    testing::save(directory / "a.vtk", start + text);
    testing::expect_error(ErrorCode::bad_file, {"a.vtk", words}, [&] {
      return read_mesh(directory / "a.vtk", {.cells = &cells, .linearize = true});
    });
  };
  expect_order("CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n22\n", "cell 0 is a quadratic triangle (type 22) with 3");
  expect_order("CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n36\n", "(type 36) with 3 corners");
  expect_order("CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n71\n", "(type 71) with 3 corners");
  expect_order("CELLS 1 7\n6 0 1 2 3 3 9\nCELL_TYPES 1\n22\n", "names point 9");
}

}  // namespace
}  // namespace tessera
