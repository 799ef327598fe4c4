// Files that VTK wrote, in every encoding it knows, and VTK's view of the files that we write.
#include <cstring>
#include <string>
#include <vector>

#include <vtkCell.h>
#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkFieldData.h>
#include <vtkImageData.h>
#include <vtkMatrix3x3.h>
#include <vtkPointData.h>
#include <vtkPolyData.h>

#include <tessera/mesh/make.h>

#include "io/support.h"
#include "io/vtk_peer.h"

namespace tessera {
namespace {

using testing::TempDir;
using testing::XmlEncoding;

/// Do the fields that vtk_peer adds have their values?
template <class Mesh>
void expect_peer_fields(const Mesh& mesh) {
  const auto height = mesh.point_data.at("height").template as<float>();
  ASSERT_EQ(height.size(), mesh.vertex_count());
  for (std::size_t i = 0; i < height.size(); ++i) EXPECT_EQ(height[i], static_cast<float>(i) / 3.0F);
  const auto region = mesh.cell_data.at("region").template as<std::int32_t>();
  ASSERT_EQ(region.size(), mesh.cell_count());
  for (std::size_t i = 0; i < region.size(); ++i) EXPECT_EQ(region[i], -static_cast<int>(i) - 1);
}

template <class Mesh>
void expect_peer_mesh(const Mesh& mesh) {
  ASSERT_EQ(mesh.vertex_count(), 5U);
  EXPECT_TRUE(mesh.points.is_double());
  for (std::uint32_t i = 0; i < 5; ++i) {
    const Vec3d p = mesh.points[VertexId(i)];
    EXPECT_EQ(p, (Vec3d{0.1 * i, double(i % 2), 1.0 / (i + 1)}));
  }
  expect_peer_fields(mesh);
}

void expect_peer_tets(const TetMesh& mesh) {
  expect_peer_mesh(mesh);
  ASSERT_EQ(mesh.cell_count(), 2U);
  EXPECT_EQ(mesh.cells[1], (TetMesh::Cell{VertexId(1), VertexId(2), VertexId(3), VertexId(4)}));
}

void expect_peer_triangles(const TriMesh& mesh) {
  expect_peer_mesh(mesh);
  ASSERT_EQ(mesh.cell_count(), 2U);
  EXPECT_EQ(mesh.cells[1], (TriMesh::Cell{VertexId(2), VertexId(1), VertexId(4)}));
}

void expect_peer_grid(const Grid& grid) {
  EXPECT_EQ(grid.dims, (std::array<std::uint32_t, 3>{4, 3, 2}));
  EXPECT_EQ(grid.spacing, (Vec3d{0.5, 0.25, 2}));
  // The extent begins at (2, -1, 0), so the first point is at (1 + 2 * 0.5, 2 - 0.25, 3).
  EXPECT_EQ(grid.origin, (Vec3d{2, 1.75, 3}));
  expect_peer_fields(grid);
}

class Peer : public ::testing::TestWithParam<XmlEncoding> {
 protected:
  TempDir directory;
};

TEST_P(Peer, ReadsWhatVtkWrites) {
  testing::vtk_write_xml(testing::make_vtk_tets(), directory / "a.vtu", GetParam());
  expect_peer_tets(read_tets(directory / "a.vtu"));
  testing::vtk_write_xml(testing::make_vtk_triangles(), directory / "a.vtp", GetParam());
  expect_peer_triangles(read_triangles(directory / "a.vtp"));
  testing::vtk_write_xml(testing::make_vtk_image(), directory / "a.vti", GetParam());
  expect_peer_grid(read_grid(directory / "a.vti"));
  const TetMesh tets = read_tets(directory / "a.vtu");
  ASSERT_TRUE(tets.field_data.has("box"));
  EXPECT_EQ(tets.field_data.at("box").as<double>()[2], 0.2);
}

INSTANTIATE_TEST_SUITE_P(Encodings, Peer, ::testing::ValuesIn(testing::all_encodings()),
                         [](const auto& test) { return test.param.name(); });

TEST(PeerLegacy, ReadsWhatVtkWrites) {
  for (const bool is_text : {false, true}) {
    TempDir directory;
    testing::vtk_write_legacy(testing::make_vtk_tets(), directory / "tets.vtk", is_text);
    testing::vtk_write_legacy(testing::make_vtk_triangles(), directory / "triangles.vtk", is_text);
    testing::vtk_write_legacy(testing::make_vtk_image(), directory / "image.vtk", is_text);
    const TetMesh tets = read_tets(directory / "tets.vtk");
    ASSERT_EQ(tets.cell_count(), 2U);
    EXPECT_EQ(tets.cells[1], (TetMesh::Cell{VertexId(1), VertexId(2), VertexId(3), VertexId(4)}));
    EXPECT_EQ(tets.field_data.at("box").size(), 3U);
    const Grid grid = read_grid(directory / "image.vtk");
    EXPECT_EQ(grid.dims, (std::array<std::uint32_t, 3>{4, 3, 2}));
    if (is_text) continue;  // VTK's text keeps only the first digits
    expect_peer_tets(tets);
    expect_peer_triangles(read_triangles(directory / "triangles.vtk"));
    expect_peer_grid(grid);
  }
}

// What cannot be decoded is our error, and nothing is printed.
TEST(PeerErrors, DamagedBlocksAreReportedInSilence) {
  for (const std::string compressor : {"zlib", "lz4", "lzma"}) {
    SCOPED_TRACE(compressor);
    TempDir directory;
    testing::vtk_write_xml(testing::make_vtk_tets(), directory / "a.vtu", {"raw", compressor});
    std::string bytes = testing::load(directory / "a.vtu");
    // Behind the '_': three words, the size of the only block, and then its data.
    const std::size_t block = bytes.find('_', bytes.find("<AppendedData")) + 1 + 4 * 8;
    ASSERT_LT(block + 40, bytes.size());
    // LZ4 has no checksum, so its first token is hit.
    for (std::size_t i = 0; i < 8; ++i) bytes[block + i] = '\xFF';
    testing::save(directory / "a.vtu", bytes);
    ::testing::internal::CaptureStderr();
    ::testing::internal::CaptureStdout();
    testing::expect_error(ErrorCode::bad_file, {"a.vtu", "uncompress"},
                          [&] { return read_mesh(directory / "a.vtu"); });
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  }
}

/// Every field of ours has its type, its components and its numbers in VTK's hands.
void expect_fields(const FieldSet& fields, vtkFieldData* data) {
  for (const Field& field : fields) {
    SCOPED_TRACE(field.name());
    vtkDataArray* array = data->GetArray(field.name().c_str());
    ASSERT_NE(array, nullptr);
    ASSERT_EQ(static_cast<std::size_t>(array->GetNumberOfTuples()), field.size());
    ASSERT_EQ(static_cast<std::size_t>(array->GetNumberOfComponents()), field.components());
    ASSERT_EQ(static_cast<std::size_t>(array->GetDataTypeSize()), size_of(field.type()));
    field.visit([&](auto values) {
      EXPECT_EQ(std::memcmp(array->GetVoidPointer(0), values.data(), values.size_bytes()), 0);
    });
  }
}

template <class Mesh>
void expect_vtk_reads(const Mesh& mesh, const std::string& extension, const WriteOptions& options) {
  SCOPED_TRACE(extension + (options.ascii ? " text" : "") + (options.compress ? " compressed" : ""));
  TempDir directory;
  write_mesh(directory / ("mesh." + extension), mesh, options);
  const auto object = testing::vtk_read(directory / ("mesh." + extension));
  auto* data = vtkDataSet::SafeDownCast(object);
  ASSERT_NE(data, nullptr);
  ASSERT_EQ(static_cast<std::size_t>(data->GetNumberOfPoints()), mesh.vertex_count());
  ASSERT_EQ(static_cast<std::size_t>(data->GetNumberOfCells()), mesh.cell_count());
  expect_fields(mesh.point_data, data->GetPointData());
  expect_fields(mesh.cell_data, data->GetCellData());
  if constexpr (!std::is_same_v<Mesh, Grid>) {
    for (std::uint32_t i = 0; i < mesh.vertex_count(); ++i) {
      const double* p = data->GetPoint(i);
      EXPECT_EQ(mesh.points[VertexId(i)], (Vec3d{p[0], p[1], p[2]}));
    }
    for (std::uint32_t i = 0; i < mesh.cell_count(); ++i) {
      ASSERT_EQ(data->GetCellType(i), Mesh::dimension == 3 ? VTK_TETRA : VTK_TRIANGLE);
      for (int k = 0; k < Mesh::corners; ++k)
        EXPECT_EQ(data->GetCell(i)->GetPointId(k), mesh.cells[i][k].index());
    }
  }
}

TEST(PeerWriter, VtkReadsWhatWeWrite) {
  for (const WriteOptions& options :
       {WriteOptions{}, WriteOptions{.ascii = true}, WriteOptions{.compress = true}}) {
    expect_vtk_reads(testing::with_fields(testing::make_two_tets<float>()), "vtu", options);
    expect_vtk_reads(testing::with_fields(testing::make_two_tets<double>()), "vtu", options);
    expect_vtk_reads(testing::with_fields(testing::make_two_triangles<float>()), "vtu", options);
    expect_vtk_reads(testing::with_fields(testing::make_two_triangles<double>()), "vtp", options);
    expect_vtk_reads(testing::with_fields(testing::make_small_grid()), "vti", options);
    if (options.compress) continue;
    expect_vtk_reads(testing::with_fields(testing::make_two_tets<double>()), "vtk", options);
    expect_vtk_reads(testing::with_fields(testing::make_two_triangles<float>()), "vtk", options);
    expect_vtk_reads(testing::with_fields(testing::make_small_grid()), "vtk", options);
  }
}

/// Writes the mesh with 1, 2 and 5 threads: equal bytes, which VTK reads.
template <class Mesh>
void expect_same_bytes(const Mesh& mesh, const std::string& extension) {
  SCOPED_TRACE(extension);
  TempDir directory;
  std::vector<std::string> files;
  for (const int threads : {1, 2, 5}) {
    write_mesh(directory / ("mesh." + extension), mesh, {.compress = true, .exec = Exec::host(threads)});
    files.push_back(testing::load(directory / ("mesh." + extension)));
  }
  EXPECT_TRUE(files[0] == files[1] && files[0] == files[2]);
  expect_vtk_reads(mesh, extension, {.compress = true, .exec = Exec::host(5)});
}

TEST(PeerWriter, CompressedBytesDoNotDependOnTheThreads) {
  TetMesh mesh = make_kuhn_full(20);  // 658 KiB of corners: more blocks than one thread takes at a time
  mesh.point_data.add(make_wave_field(mesh.points, WaveField::rough));
  mesh.cell_data.add(testing::make_field("noise", ScalarType::u64, mesh.cell_count(), 1));
  mesh.cell_data.add(Field("zeros", Array<double>(mesh.cell_count(), 0.0)));
  expect_same_bytes(mesh, "vtu");
  Grid grid;
  grid.dims = {32, 32, 16};  // 64 KiB of floats: exactly a block
  grid.point_data.add(testing::make_field("one", ScalarType::f32, grid.vertex_count(), 1));
  grid.point_data.add(testing::make_field("nine", ScalarType::f32, grid.vertex_count(), 9));
  grid.cell_data.add(testing::make_field("bytes", ScalarType::i8, grid.cell_count(), 1));
  expect_same_bytes(grid, "vti");
  TriMesh points;  // an array without blocks
  points.points = Array<Vec3d>(10'000, Vec3d{1, 2, 3});
  expect_same_bytes(points, "vtp");
}

TEST(PeerWriter, GridsKeepTheirPlace) {
  TempDir directory;
  Grid grid = testing::make_small_grid();
  grid.direction = {0, -1, 0, 1, 0, 0, 0, 0, 1};
  write_mesh(directory / "grid.vti", grid);
  const auto object = testing::vtk_read(directory / "grid.vti");
  auto* image = vtkImageData::SafeDownCast(object);
  ASSERT_NE(image, nullptr);
  EXPECT_EQ(image->GetOrigin()[2], grid.origin.z);
  EXPECT_EQ(image->GetSpacing()[1], grid.spacing.y);
  EXPECT_EQ(image->GetDirectionMatrix()->GetElement(0, 1), -1);
  // Our formula and VTK's for where point (3, 2, 1) lies.
  const Vec3d ours = grid.point(3, 2, 1);
  const double* theirs = image->GetPoint(3 + 4 * 2 + 12);
  EXPECT_NEAR(ours.x, theirs[0], 1e-9);
  EXPECT_NEAR(ours.y, theirs[1], 1e-9);
  EXPECT_NEAR(ours.z, theirs[2], 1e-9);
}

}  // namespace
}  // namespace tessera
