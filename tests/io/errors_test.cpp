// Every way in which reading and writing fail, and what the messages name.
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>

#include <tessera/core/memory.h>

#include "io/samples.h"
#include "io/support.h"

namespace tessera {
namespace {

using testing::expect_error;
using testing::TempDir;

void expect_refused(const std::string& name, const std::string& text, ErrorCode code,
                    std::initializer_list<std::string_view> words, bool simplices = false) {
  SCOPED_TRACE(text.substr(0, 200));
  TempDir directory;
  testing::save(directory / name, text);
  expect_error(code, words, [&] { return read_mesh(directory / name, {.simplices = simplices}); });
}

void expect_bad(const std::string& name, const std::string& text,
                std::initializer_list<std::string_view> words) {
  expect_refused(name, text, ErrorCode::bad_file, words);
}

TEST(ReadErrors, FilesThatAreNone) {
  TempDir directory;
  for (const std::string_view extension : list_extensions()) {
    const std::string name = "missing." + std::string(extension);
    expect_error(ErrorCode::not_found, {name}, [&] { return read_mesh(directory / name); });
    std::filesystem::create_directory(directory / name);
    expect_error(ErrorCode::bad_file, {name, "directory"}, [&] { return read_mesh(directory / name); });
    const std::string empty = "empty." + std::string(extension);
    testing::save(directory / empty, "");
    expect_error(ErrorCode::bad_file, {empty, "empty"}, [&] { return read_mesh(directory / empty); });
    const std::string wrong = "wrong." + std::string(extension);
    testing::save(directory / wrong, std::string(300, 'x'));
    expect_error(ErrorCode::bad_file, {wrong}, [&] { return read_mesh(directory / wrong); });
    std::filesystem::remove(directory / wrong);  // or it would be the partner of another
  }
  ASSERT_EQ(::mkfifo((directory / "pipe.vtu").c_str(), 0600), 0);
  expect_error(ErrorCode::bad_file, {"pipe.vtu", "not a file"},
               [&] { return read_mesh(directory / "pipe.vtu"); });
}

TEST(ReadErrors, UnknownExtension) {
  expect_refused("mesh.xyz", "0 0 0", ErrorCode::unsupported, {"mesh.xyz", "extension", "vtu", "off"});
  expect_refused("mesh", "0 0 0", ErrorCode::unsupported, {"extension"});
}

// Whatever is cut off, the file is refused or was complete without it.
TEST(ReadErrors, TruncatedAnywhere) {
  TempDir directory;
  for (const auto& [name, bytes] : testing::companions()) testing::save(directory / name, bytes);
  for (const std::string_view extension : list_extensions()) {
    const std::string format(extension);
    for (const auto& [name, bytes] : testing::samples(format)) {
      const auto file = directory / ("cut." + format);
      for (std::size_t size = 0; size < bytes.size(); size += 7) {
        SCOPED_TRACE(name + " cut at " + std::to_string(size));
        testing::save(file, bytes.substr(0, size));
        const auto error = testing::error_of([&] { return read_mesh(file, {.simplices = true}); });
        const std::string message = error ? error->what() : "cut." + format;
        EXPECT_NE(message.find("cut." + format), std::string::npos) << message;
      }
    }
  }
}

TEST(ReadErrors, BinaryFilesCutAnywhereAreRefused) {
  TempDir directory;
  const TetMesh tets = testing::with_fields(testing::make_two_tets<float>());
  write_mesh(directory / "a.vtu", tets);
  const std::string bytes = testing::load(directory / "a.vtu");
  // Up to the last byte of the last array; behind it only the closing tags follow.
  const std::size_t end = bytes.rfind("\n</AppendedData>");
  ASSERT_NE(end, std::string::npos);
  for (std::size_t size = 0; size < end; size += 11) {
    SCOPED_TRACE(size);
    testing::save(directory / "cut.vtu", bytes.substr(0, size));
    expect_error(ErrorCode::bad_file, {"cut.vtu"}, [&] { return read_mesh(directory / "cut.vtu"); });
  }
}

TEST(ReadErrors, IndicesOutOfRange) {
  // Each names a point that is not there, in its second cell.
  expect_bad("a.off", "OFF\n3 2 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n3 0 1 3\n",
             {"a.off", "cell 1", "point 3", "3 points"});
  expect_bad("a.off", "OFF\n3 2 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n3 0 -1 2\n", {"cell 1", "point -1"});
  expect_bad("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 9\n", {"a.obj", "cell 1", "point 8"});
  expect_bad("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -4\n", {"line 4", "point -4"});
  expect_bad("a.obj", "v 0 0 0\nf 0 1 1\n", {"line 2", "point 0"});
  expect_bad(
      "a.ply",
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
      "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 77\n",
      {"a.ply", "cell 0", "point 77"});
  std::string vtu = testing::samples("vtu").at("by_hand_pieces.vtu");
  vtu.replace(vtu.find("2 1 0"), 5, "2 1 3");  // there is a point 3, but not in this piece
  expect_bad("a.vtu", vtu, {"a.vtu", "cell 1", "point 3"});
  std::string mixed = testing::samples("vtu").at("by_hand_mixed.vtu");
  mixed.replace(mixed.find("4 5 6 7 8  1 2"), 9, "4 5 6 7 -8");
  expect_refused("b.vtu", mixed, ErrorCode::bad_file, {"cell 1", "point -8"}, true);
}

TEST(ReadErrors, MixedCellsNeedSimplices) {
  expect_refused("a.vtu", testing::samples("vtu").at("by_hand_mixed.vtu"), ErrorCode::unsupported,
                 {"a.vtu", "1 hexahedron, 1 wedge, 1 pyramid", "1 tetrahedra", "ask for simplices"});
  expect_refused("a.off", testing::samples("off").at("by_hand_text.off"), ErrorCode::unsupported,
                 {"1 quad", "2 triangles", "ask for simplices"});
}

TEST(ReadErrors, CellsThatCanNotBeCut) {
  const auto vtk = [](const std::string& cells, const std::string& types) {
    return "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 3 float\n0 0 0 1 0 0 0 1 "
           "0\n" +
           cells + "\n" + types + "\n";
  };
  expect_refused("a.vtk", vtk("CELLS 1 4\n3 0 1 2", "CELL_TYPES 1\n22"), ErrorCode::unsupported,
                 {"1 quadratic triangle", "type 22", "ask to linearize"}, true);
  expect_refused("a.vtk", vtk("CELLS 1 4\n3 0 1 2", "CELL_TYPES 1\n42"), ErrorCode::unsupported,
                 {"1 polyhedron"}, true);
  expect_refused("a.vtk", vtk("CELLS 1 4\n3 0 1 2", "CELL_TYPES 1\n999"), ErrorCode::unsupported,
                 {"type 255"}, true);
  expect_refused("a.vtk", vtk("CELLS 1 4\n3 0 1 2", "CELL_TYPES 1\n10"), ErrorCode::bad_file,
                 {"cell 0", "tetrahedron with 3 corners"}, true);
  expect_bad("a.vtk", vtk("CELLS 1 4\n3 0 1 2", "CELL_TYPES 2\n5 5"), {"1 cells and 2 cell types"});
  expect_bad("a.vtk", vtk("CELLS 2 4\n3 0 1 2", "CELL_TYPES 2\n5 5"), {"cell 1"});
  expect_bad("a.vtk", vtk("CELLS 1 4\n9 0 1 2", "CELL_TYPES 1\n5"), {"cell 0", "9 corners"});
}

// A header that promises more than the file holds is refused before memory is taken for it.
TEST(ReadErrors, CountsThatTheFileCanNotHold) {
  expect_bad("a.off", "OFF\n4000000000 1 0\n0 0 0\n", {"claims 4000000000 points"});
  expect_bad("a.off", "OFF\n1 4000000000 0\n0 0 0\n", {"claims 4000000000 faces"});
  expect_bad("a.off", "OFF\n3 1 0\n0 0 0\n", {"a.off"});
  expect_bad(
      "a.ply",
      "ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\nproperty float x\nend_header\n1234",
      {"claims 4000000000 rows"});
  expect_bad("a.vtk", "# vtk DataFile Version 3.0\n\nBINARY\nDATASET POLYDATA\nPOINTS 4000000000 float\n1234",
             {"claims"});
  expect_bad("a.vtk", "# vtk DataFile Version 3.0\n\nASCII\nDATASET POLYDATA\nPOINTS 400 float\n0 0 0\n",
             {"claims"});
  std::string stl(84, ' ');
  stl[83] = 0x20;  // 0x20202020 triangles
  stl[80] = stl[81] = stl[82] = 0x20;
  expect_bad("a.stl", stl, {"claims", "triangles"});
  const auto vtu = [](const std::string& piece, const std::string& array) {
    return "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\"><UnstructuredGrid><Piece " +
           piece + "><Points><DataArray type=\"Float32\" Name=\"P\" NumberOfComponents=\"3\" " + array +
           "</DataArray></Points></Piece></UnstructuredGrid></VTKFile>";
  };
  expect_bad("a.vtu", vtu("NumberOfPoints=\"1000000000\"", "format=\"ascii\">0 0 0"), {"\"P\""});
  expect_bad("a.vtu", vtu("NumberOfPoints=\"-1\"", "format=\"ascii\">0 0 0"), {"NumberOfPoints", "-1"});
  expect_bad("a.vtu", vtu("NumberOfPoints=\"1\"", "format=\"binary\">AAAAEAAAAAAA"), {"\"P\""});
  expect_bad("a.vtu", vtu("NumberOfPoints=\"1\"", "format=\"appended\" offset=\"0\">"), {"appended"});
  expect_bad("a.vtu", vtu("NumberOfPoints=\"1\"", "format=\"ascii\">0 zero 0"), {"\"zero\"", "number"});
  expect_bad("a.vtu", vtu("NumberOfPoints=\"1\"", "format=\"morse\">0 0 0"), {"morse"});
}

TEST(ReadErrors, BrokenXml) {
  expect_bad("a.vtu", "<VTKFile type=\"UnstructuredGrid\">", {"ends inside <VTKFile>"});
  expect_bad("a.vtu", "<VTKFile type=\"UnstructuredGrid\"></Other>", {"closes <Other>"});
  expect_bad("a.vtu", "<VTKFile type=UnstructuredGrid></VTKFile>", {"broken tag"});
  expect_bad("a.vtu", "<VTKFile type=\"Unstruct", {"without an end"});
  expect_bad("a.vtu", "<!-- a comment", {"comment"});
  expect_bad("a.vtu", "<html></html>", {"not a VTK file", "html"});
  expect_bad("a.vtu", "<VTKFile type=\"UnstructuredGrid\"></VTKFile>", {"no <UnstructuredGrid>"});
  expect_bad("a.vtu", "<VTKFile type=\"UnstructuredGrid\" byte_order=\"Odd\"></VTKFile>", {"Odd"});
  expect_bad("a.vtu", "<VTKFile type=\"UnstructuredGrid\" header_type=\"Odd\"></VTKFile>", {"Odd"});
  expect_refused("a.vtu", "<VTKFile type=\"HyperTreeGrid\"></VTKFile>", ErrorCode::unsupported,
                 {"HyperTreeGrid"});
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "<a>";
  expect_bad("a.vtu", deep, {"too many"});
}

TEST(ReadErrors, BrokenImages) {
  const auto vti = [](const std::string& whole, const std::string& piece) {
    return "<VTKFile type=\"ImageData\" byte_order=\"LittleEndian\"><ImageData WholeExtent=\"" + whole +
           "\"><Piece Extent=\"" + piece +
           "\"><PointData><DataArray type=\"Int8\" Name=\"a\" format=\"ascii\">1</DataArray>"
           "</PointData></Piece></ImageData></VTKFile>";
  };
  expect_bad("a.vti", vti("0 1 0 0 0 0", "0 0 0 0 0 0"), {"cover"});
  expect_bad("a.vti", vti("0 0 0 0 0 0", "0 1 0 0 0 0"), {"outside"});
  expect_bad("a.vti", vti("0 -1 0 0 0 0", "0 0 0 0 0 0"), {"extent"});
  expect_bad("a.vti", vti("0 0 0", "0 0 0 0 0 0"), {"WholeExtent"});
  expect_bad("a.vti", vti("0 9 0 9 0 9", "0 9 0 9 0 9"), {"\"a\""});
  expect_refused("a.vti", vti("0 99999 0 99999 0 9", "0 0 0 0 0 0"), ErrorCode::unsupported,
                 {"4294967295 points"});
}

TEST(ReadErrors, OtherKindsThanAskedFor) {
  TempDir directory;
  write_mesh(directory / "tets.vtu", testing::make_two_tets<float>());
  write_mesh(directory / "grid.vti", testing::make_small_grid());
  expect_error(ErrorCode::unsupported, {"tets.vtu", "tetrahedra", "not triangles"},
               [&] { return read_triangles(directory / "tets.vtu"); });
  expect_error(ErrorCode::unsupported, {"tets.vtu", "regular grid"},
               [&] { return read_grid(directory / "tets.vtu"); });
  expect_error(ErrorCode::unsupported, {"grid.vti", "not tetrahedra"},
               [&] { return read_tets(directory / "grid.vti"); });
}

TEST(ReadErrors, StopsOnRequest) {
  TempDir directory;
  TetMesh mesh;
  mesh.points = Array<Vec3f>(1 << 20, Vec3f{0, 0, 0});
  write_mesh(directory / "a.vtu", mesh);
  std::stop_source source;
  int reports = 0;
  const Monitor monitor = {[&](std::string_view, double fraction) {
                             EXPECT_GE(fraction, 0);
                             EXPECT_LE(fraction, 1);
                             if (++reports == 2) source.request_stop();
                           },
                           source.get_token()};
  expect_error(ErrorCode::cancelled, {},
               [&] { return read_mesh(directory / "a.vtu", {.monitor = &monitor}); });
  expect_error(ErrorCode::cancelled, {},
               [&] { write_mesh(directory / "b.vtu", mesh, {.monitor = &monitor}); });
  EXPECT_EQ(directory.file_count(), 1U);
}

TEST(WriteErrors, CompressionStopsOnRequest) {
  TempDir directory;
  TetMesh mesh;
  mesh.points =
      Array<Vec3f>(1 << 20, Vec3f{0, 0, 0});  // 12 MiB that become a few KiB, far from a full buffer
  for (const int threads : {1, 3}) {
    std::stop_source source;
    int reports = 0;
    const Monitor monitor = {[&](std::string_view, double) {
                               if (++reports == 3) source.request_stop();
                             },
                             source.get_token()};
    expect_error(ErrorCode::cancelled, {}, [&] {
      write_mesh(directory / "b.vtu", mesh,
                 {.compress = true, .exec = Exec::host(threads), .monitor = &monitor});
    });
    EXPECT_EQ(reports, 3);
    EXPECT_EQ(directory.file_count(), 0U);
  }
}

const std::vector<std::string> surface_formats = {"vtu", "vtp", "vtk", "ply", "obj", "stl", "off"};

TEST(WriteErrors, PlacesThatCanNotBeWritten) {
  TempDir directory;
  const TriMesh mesh = testing::make_two_triangles<float>();
  for (const std::string& format : surface_formats) {
    SCOPED_TRACE(format);
    const std::string missing = "missing/mesh." + format;
    expect_error(ErrorCode::write_failed, {missing}, [&] { write_mesh(directory / missing, mesh); });
    std::filesystem::create_directory(directory / ("folder." + format));
    expect_error(ErrorCode::write_failed, {"folder." + format, "directory"},
                 [&] { write_mesh(directory / ("folder." + format), mesh); });
  }
  expect_error(ErrorCode::write_failed, {"full.vtu"}, [&] {
    std::filesystem::create_symlink("/dev/full", directory / "full.vtu");
    write_mesh(directory / "full.vtu", mesh);
  });
}

TEST(WriteErrors, ReadOnlyPlaces) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  TempDir directory;
  const TriMesh mesh = testing::make_two_triangles<float>();
  for (const std::string& format : surface_formats) {
    SCOPED_TRACE(format);
    const auto file = directory / ("mesh." + format);
    testing::save(file, "precious");
    std::filesystem::permissions(file, std::filesystem::perms::owner_read);
    expect_error(ErrorCode::write_failed, {"mesh." + format}, [&] { write_mesh(file, mesh); });
    EXPECT_EQ(testing::load(file), "precious");
  }
  const std::size_t files = directory.file_count();
  std::filesystem::permissions(directory.path(),
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  expect_error(ErrorCode::write_failed, {"new.vtu"}, [&] { write_mesh(directory / "new.vtu", mesh); });
  std::filesystem::permissions(directory.path(), std::filesystem::perms::owner_all);
  EXPECT_EQ(directory.file_count(), files);
}

/// While it lives, no file of this process can grow beyond the limit: a full disk, for whoever writes.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    old_handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit = {bytes, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit old_ = {};
  void (*old_handler_)(int) = nullptr;
};

TEST(WriteErrors, FullDisk) {
  TempDir directory;
  TriMesh mesh;
  mesh.points = Array<Vec3f>(20000, Vec3f{1, 2, 3});
  mesh.cells.assign(20000, {VertexId(0), VertexId(1), VertexId(2)});
  for (const std::string& format : surface_formats) {
    for (const WriteOptions& options : {WriteOptions{}, WriteOptions{.ascii = true}}) {
      SCOPED_TRACE(format);
      const auto file = directory / ("mesh." + format);
      testing::save(file, "precious");
      {
        const FileSizeLimit limit(100000);  // every format needs more
        expect_error(ErrorCode::write_failed, {"mesh." + format}, [&] { write_mesh(file, mesh, options); });
      }
      EXPECT_EQ(testing::load(file), "precious");
      std::filesystem::remove(file);
      EXPECT_EQ(directory.file_count(), 0U) << "a temporary file stayed behind";
    }
  }
}

TEST(WriteErrors, WhatAFormatCanNotHold) {
  TempDir directory;
  const TetMesh tets = testing::make_two_tets<float>();
  const TriMesh triangles = testing::make_two_triangles<float>();
  Grid grid = testing::make_small_grid();
  for (const char* format : {"vtp", "vti", "ply", "obj", "stl", "off"}) {
    expect_error(ErrorCode::unsupported, {format},
                 [&] { write_mesh(directory / (std::string("a.") + format), tets); });
  }
  for (const char* format : {"vtu", "vtp", "ply", "obj", "stl", "off"}) {
    expect_error(ErrorCode::unsupported, {format},
                 [&] { write_mesh(directory / (std::string("a.") + format), grid); });
  }
  expect_error(ErrorCode::unsupported, {"a.vti"}, [&] { write_mesh(directory / "a.vti", triangles); });
  expect_error(ErrorCode::unsupported, {"extension", "a.xyz"},
               [&] { write_mesh(directory / "a.xyz", triangles); });
  grid.direction = {0, 1, 0, 1, 0, 0, 0, 0, 1};
  expect_error(ErrorCode::unsupported, {"a.vtk", "rotated"}, [&] { write_mesh(directory / "a.vtk", grid); });
  EXPECT_EQ(directory.file_count(), 0U);
}

TEST(WriteErrors, MeshesThatNoReaderWouldTake) {
  TempDir directory;
  TriMesh mesh = testing::make_two_triangles<float>();
  mesh.cells[1][2] = VertexId(4);
  expect_error(ErrorCode::bad_mesh, {"a.vtu", "cell 1", "point 4"},
               [&] { write_mesh(directory / "a.vtu", mesh); });
  mesh = testing::make_two_triangles<float>();
  mesh.point_data.add(testing::make_field("short", ScalarType::f32, 3, 1));
  expect_error(ErrorCode::bad_mesh, {"\"short\"", "3 tuples for 4 points"},
               [&] { write_mesh(directory / "a.ply", mesh); });
  EXPECT_EQ(directory.file_count(), 0U);
}

TEST(Write, KeepsPermissionsAndLinks) {
  TempDir directory;
  const TriMesh mesh = testing::make_two_triangles<float>();
  testing::save(directory / "real.off", "old");
  std::filesystem::permissions(directory / "real.off",
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  std::filesystem::create_symlink("real.off", directory / "link.off");
  write_mesh(directory / "link.off", mesh);
  EXPECT_TRUE(std::filesystem::is_symlink(directory / "link.off"));
  EXPECT_EQ(read_triangles(directory / "real.off").cell_count(), 2U);
  EXPECT_EQ(std::filesystem::status(directory / "real.off").permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

// What we write, we read, even if there is nothing in it.
TEST(Write, MeshesWithoutPointsAreReadBack) {
  TempDir directory;
  for (const char* const format : {"vtu", "vtp", "vtk", "ply", "obj", "stl", "off"}) {
    const auto file = directory / (std::string("e.") + format);
    write_mesh(file, TriMesh{});
    EXPECT_EQ(read_triangles(file).vertex_count(), 0U) << format;
  }
  testing::save(directory / "words.obj", "hello\nworld\n");
  expect_error(ErrorCode::bad_file, {"words.obj", "no point"},
               [&] { return read_mesh(directory / "words.obj"); });
}

TEST(WriteErrors, OptionsThatAFormatHasNoUseFor) {
  TempDir directory;
  const TriMesh mesh = testing::make_two_triangles<float>();
  const auto refused = [&](const std::string& name, const WriteOptions& options,
                           std::initializer_list<std::string_view> words) {
    expect_error(ErrorCode::bad_option, words, [&] { return write_mesh(directory / name, mesh, options); });
  };
  for (const char* const format : {"vtk", "ply", "obj", "stl", "off", "glb", "gltf"})
    refused(std::string("a.") + format, {.compress = true}, {"a.", format, "cannot be compressed", "vtu"});
  refused("a.data", {.compress = true, .format = "ply"}, {"a.data", "ply files cannot be compressed"});
  refused("a.vtu", {.ascii = true, .compress = true}, {"a.vtu", "not compressed"});
  refused("a.glb", {.ascii = true}, {"a.glb", "text"});
  refused("a.gltf", {.ascii = true}, {"a.gltf", "text"});
  expect_error(ErrorCode::bad_option, {"a.vtk", "cannot be compressed"},
               [&] { return write_poly(directory / "a.vtk", PolyData{}, {.compress = true}); });
  EXPECT_EQ(directory.file_count(), 0U);
}

TEST(ReadErrors, SayWhatHelps) {
  TempDir directory;
  testing::save(directory / "a.xyz", "?");
  testing::save(directory / "q.vtk",
                "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 3 float\n"
                "0 0 0 1 0 0 2 0 0\nCELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n21\n");
  const auto remedy_of = [](const auto& f) {
    try {
      f();
    } catch (const Error& error) {
      return error.remedy();
    }
    return Remedy::none;
  };
  EXPECT_EQ(remedy_of([&] { (void)read_mesh(directory / "a.xyz"); }), Remedy::name_format);
  EXPECT_EQ(remedy_of([&] { (void)read_mesh(directory / "a.xyz", {.format = "xyz"}); }), Remedy::none);
  EXPECT_EQ(remedy_of([&] { (void)read_mesh(directory / "q.vtk"); }), Remedy::linearize);
  EXPECT_EQ(remedy_of([] {
              MemoryBudget budget(mib(1));
              budget.reserve(mib(2), "this");
            }),
            Remedy::raise_limit);
}

TEST(Write, WhatReplacesAPrivateFileIsPrivateFromTheStart) {
  using std::filesystem::perms;
  TempDir directory;
  const TriMesh mesh = testing::make_two_triangles<float>();
  testing::save(directory / "secret.off", "old");
  std::filesystem::permissions(directory / "secret.off", perms::owner_read | perms::owner_write);
  int seen = 0;
  Monitor monitor;
  monitor.report = [&](std::string_view, double) {
    for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
      if (entry.path().extension() != ".tmp") continue;
      ++seen;
      EXPECT_EQ(entry.status().permissions(), perms::owner_read | perms::owner_write);
    }
  };
  write_mesh(directory / "secret.off", mesh, {.monitor = &monitor});
  EXPECT_GT(seen, 0);
}

}  // namespace
}  // namespace tessera
