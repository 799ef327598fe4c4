// Damaged files: an error or a valid mesh, never a crash, a hang, or memory and work that the file does not
// justify.
//
// The damage is seeded, so a failure repeats: its message names the seed file and the round. Run it with
// -DTESSERA_SANITIZE=address,undefined to see reads past the end of anything. In the environment,
// TESSERA_FUZZ_FILES is the number of files of each format and TESSERA_FUZZ_FIRST the round to begin with.
#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <new>

#include <vtkImageData.h>
#include <vtkPolyData.h>

#include <tessera/io/grid_file.h>

#include "io/mutate.h"
#include "io/samples.h"
#include "io/support.h"
#include "io/vtk_peer.h"

namespace {

/// What the library takes from the heap: bytes at a time, at most, and how often.
struct Heap {
  std::atomic<std::size_t> used{0}, peak{0}, calls{0};

  void take(std::size_t bytes) {
    const std::size_t now = used += bytes;
    ++calls;
    std::size_t seen = peak.load();
    while (now > seen && !peak.compare_exchange_weak(seen, now)) {
    }
  }
  void restart() {
    peak = used.load();
    calls = 0;
  }
};
Heap heap;

// An absurd wish must not take the machine down before the test can report it.
constexpr std::size_t absurd = std::size_t{1} << 30;

void* allocate(std::size_t bytes) {
  void* memory = bytes > absurd ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) {
    heap.take(bytes);
    heap.used -= bytes;
    throw std::bad_alloc();
  }
  heap.take(malloc_usable_size(memory));
  return memory;
}

void release(void* memory) {
  heap.used -= malloc_usable_size(memory);
  std::free(memory);
}
}  // namespace

void* operator new(std::size_t bytes) {
  return allocate(bytes);
}
void* operator new[](std::size_t bytes) {
  return allocate(bytes);
}
void operator delete(void* memory) noexcept {
  release(memory);
}
void operator delete[](void* memory) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  release(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  release(memory);
}

// Arrays have memory of their own; the linker puts these in the place of the library's functions.
extern "C" {
void* __real__ZN7tessera14allocate_pagesEm(std::size_t bytes);                // NOLINT
void __real__ZN7tessera13release_pagesEPvm(void* memory, std::size_t bytes);  // NOLINT

void* __wrap__ZN7tessera14allocate_pagesEm(std::size_t bytes) {  // NOLINT
  heap.take(bytes);
  void* const memory = bytes > absurd ? nullptr : __real__ZN7tessera14allocate_pagesEm(bytes);
  if (memory == nullptr) heap.used -= bytes;
  return memory;
}
void __wrap__ZN7tessera13release_pagesEPvm(void* memory, std::size_t bytes) {  // NOLINT
  heap.used -= bytes;
  __real__ZN7tessera13release_pagesEPvm(memory, bytes);
}
}

namespace tessera {
namespace {

using testing::TempDir;

constexpr std::size_t files_in_ci = 1000;
constexpr unsigned seconds_a_file = 20;  // a file of a few KiB takes far less than a millisecond

std::size_t number_from_environment(const char* name, std::size_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

template <class Mesh>
void expect_valid(const Mesh& mesh) {
  for (const Field& field : mesh.point_data) ASSERT_EQ(field.size(), mesh.vertex_count());
  for (const Field& field : mesh.cell_data) ASSERT_EQ(field.size(), mesh.cell_count());
  if constexpr (!std::is_same_v<Mesh, Grid>) {
    for (const auto& cell : mesh.cells) {
      for (const VertexId v : cell) ASSERT_LT(v.index(), mesh.vertex_count());
    }
  }
}

void expect_valid(const CellMesh& mesh) {
  for (const Field& field : mesh.point_data) ASSERT_EQ(field.size(), mesh.vertex_count());
  for (const Field& field : mesh.cell_data) ASSERT_EQ(field.size(), mesh.cell_count());
  ASSERT_EQ(mesh.types.size(), mesh.cells.size());
  for (std::size_t c = 0; c < mesh.cell_count(); ++c) {
    const std::size_t wanted = corner_count(mesh.types[c]);
    ASSERT_TRUE(wanted == 0 || mesh.cells[c].size() == wanted);
  }
  for (const VertexId v : mesh.cells.corners) ASSERT_LT(v.index(), mesh.vertex_count());
}

void expect_valid(const PolyData& poly) {
  for (const Field& field : poly.point_data) ASSERT_EQ(field.size(), poly.vertex_count());
  for (const Field& field : poly.cell_data) ASSERT_EQ(field.size(), poly.cell_count());
  for (const PolyCells* cells : {&poly.vertices, &poly.lines, &poly.polygons}) {
    ASSERT_EQ(cells->offsets.back(), cells->corners.size());
    for (const VertexId v : cells->corners) ASSERT_LT(v.index(), poly.vertex_count());
  }
}

/// What is read in parts is what was read at once.
void expect_same_parts(const GridFile& file, const Grid& grid) {
  for (const StoredField& stored : file.point_fields()) {
    if (!stored.place || stored.tuples == 0) continue;
    const Field& whole = grid.field(stored.name);
    Field parts(stored.name, stored.type, stored.tuples, stored.components);
    const std::uint64_t half = stored.tuples / 2;
    file.read(stored, half, stored.tuples - half, parts, half);
    file.read(stored, 0, half, parts, 0);
    ASSERT_EQ(parts, whole);
  }
}

/// How a file is read; cells of higher order are linearized where others are not refused.
enum class Way : std::uint8_t { refuse, cut, keep };

/// Writes over the file that is there, which is in memory where the system has such a place.
void overwrite(const std::filesystem::path& file, const std::string& bytes) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  ASSERT_GE(descriptor, 0) << file;
  ASSERT_EQ(::write(descriptor, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  ::close(descriptor);
}

/// What a file's size justifies: a few dozen bytes for each of its own, as text and lists are kept, and what
/// the most generous of its compressors can make of them.
std::size_t justified_bytes(const std::string& bytes) {
  const auto names = [&](const char* word) { return bytes.find(word) != std::string::npos; };
  std::size_t each = 64;
  if (names("ZLib") || names("LZ4") || names("\x1f\x8b") || names("\x78\x9c")) each = 1100;
  if (names("LZMA")) each = 8192;
  return (std::size_t{1} << 20) + each * bytes.size();
}

class Fuzz : public ::testing::TestWithParam<std::string> {
 protected:
  void try_file(const std::string& bytes, Way way) {
    overwrite(file, bytes);
    heap.restart();
    const std::size_t before = heap.used;
    ::alarm(seconds_a_file);
    try {
      CellMesh cells;
      const ReadResult result = read_mesh(file, {.simplices = way == Way::cut,
                                                 .cells = way == Way::keep ? &cells : nullptr,
                                                 .linearize = way != Way::refuse});
      std::visit([](const auto& mesh) { expect_valid(mesh); }, result.mesh);
      expect_valid(cells);
      ++valid;
      // The same file through the other door; what one refuses the other does not get to see.
      if (file.extension() == ".vtp" && way == Way::refuse) expect_valid(read_poly(file));
      const Grid* grid = std::get_if<Grid>(&result.mesh);
      if (file.extension() == ".vti" && way == Way::refuse && grid != nullptr)
        expect_same_parts(GridFile(file), *grid);
    } catch (const Error& error) {
      const std::string either = (directory / "damaged.").string();  // it or its partner
      ASSERT_NE(std::string_view(error.what()).find(either), std::string_view::npos) << error.what();
      ASSERT_NE(error.code(), ErrorCode::out_of_memory) << error.what();
      ++refused;
    }
    ::alarm(0);
    const std::size_t taken = heap.peak - before;
    const auto size = static_cast<double>(bytes.size() + 4096);
    most_bytes = std::max(most_bytes, static_cast<double>(taken) / size);
    most_calls = std::max(most_calls, static_cast<double>(heap.calls) / size);
    ASSERT_LE(taken, justified_bytes(bytes)) << bytes.size() << " bytes";
    ASSERT_LE(heap.calls, 2000 + bytes.size());
  }

  void choose(const std::string& name) {
    file = directory / ("damaged" + name.substr(name.find('.')));
    for (const auto& [format, partner] : {std::pair("node", "ele"), std::pair("ele", "node")}) {
      if (!name.ends_with(std::string(".") + format)) continue;
      testing::save(directory / (std::string("damaged.") + partner),
                    testing::samples(partner).begin()->second);
    }
  }

  void run(const std::string& name, const std::string& good, std::size_t seeds) {
    choose(name);
    try_file(good, Way::cut);
    try_file(good, Way::keep);
    ASSERT_EQ(refused, 0) << name << " is not valid to begin with";
    const std::size_t files = number_from_environment("TESSERA_FUZZ_FILES", files_in_ci) / seeds + 1;
    const std::size_t first = number_from_environment("TESSERA_FUZZ_FIRST", 0);
    const std::size_t step = 1 + good.size() / (files / 8 + 1);
    for (std::size_t size = 0; size < good.size() && first == 0 && !HasFatalFailure(); size += step) {
      SCOPED_TRACE(name + " cut at " + std::to_string(size));
      try_file(good.substr(0, size), Way::cut);
    }
    for (std::size_t round = first; round < first + files && !HasFatalFailure(); ++round) {
      SCOPED_TRACE(name + " in round " + std::to_string(round));
      std::string bytes = good;
      SplitMix64 random(round);
      testing::mutate(bytes, random);
      try_file(bytes, static_cast<Way>(round % 3));
    }
  }

  TempDir directory{"/dev/shm"};
  std::filesystem::path file;
  std::size_t valid = 0, refused = 0;
  double most_bytes = 0, most_calls = 0;  // for each byte of a file
};

/// Valid files of each format: written by VTK in every encoding, by us, and by hand.
std::map<std::string, std::string> seed_files(const std::string& format) {
  TempDir directory;
  std::map<std::string, std::string> files = testing::samples(format);
  const auto keep = [&](const std::string& name) { files[name] = testing::load(directory / name); };
  if (format == "vtu" || format == "vtp" || format == "vti") {
    vtkSmartPointer<vtkDataObject> data = testing::make_vtk_tets();
    if (format == "vtp") data = testing::make_vtk_triangles();
    if (format == "vti") data = testing::make_vtk_image();
    for (const testing::XmlEncoding& encoding : testing::all_encodings()) {
      // LZMA's window takes far longer to set up than the rest of the file to read.
      if (encoding.compressor == "lzma" && (encoding.mode == "base64" || encoding.is_big_endian)) continue;
      const std::string name = "vtk_" + encoding.name() + "." + format;
      testing::vtk_write_xml(data, directory / name, encoding);
      keep(name);
    }
  }
  if (format == "vtk") files["quadratic.vtk"] = testing::quadratic_vtk();
  if (format == "vtk") {
    for (const bool is_text : {false, true}) {
      const std::string kind = is_text ? "text" : "binary";
      testing::vtk_write_legacy(testing::make_vtk_tets(), directory / (kind + "_tets.vtk"), is_text);
      testing::vtk_write_legacy(testing::make_vtk_triangles(), directory / (kind + "_triangles.vtk"),
                                is_text);
      testing::vtk_write_legacy(testing::make_vtk_image(), directory / (kind + "_image.vtk"), is_text);
      for (const char* name : {"_tets.vtk", "_triangles.vtk", "_image.vtk"}) keep(kind + name);
    }
  }
  const std::vector<std::string_view> writable = list_writable_extensions();
  if (std::ranges::find(writable, format) == writable.end()) return files;
  for (const bool ascii : {false, true}) {
    const std::string name = std::string(ascii ? "text" : "binary") + "." + format;
    if (format == "vti") {
      write_mesh(directory / name, testing::make_small_grid(), {.ascii = ascii});
    } else {
      TriMesh mesh = testing::make_two_triangles<float>();
      mesh.point_data.add(testing::make_field("height", ScalarType::f32, 4, 1));
      mesh.cell_data.add(testing::make_field("region", ScalarType::i16, 2, 3));
      write_mesh(directory / name, mesh, {.ascii = ascii});
    }
    keep(name);
  }
  if (format == "vtp") {
    write_poly(directory / "poly.vtp", testing::make_small_poly<float>());
    keep("poly.vtp");
  }
  return files;
}

TEST_P(Fuzz, ErrorOrMesh) {
  for (const auto& [name, bytes] : testing::companions()) testing::save(directory / name, bytes);
  const std::map<std::string, std::string> files = seed_files(GetParam());
  std::size_t all_valid = 0;
  std::size_t all_refused = 0;
  for (const auto& [name, bytes] : files) {
    valid = refused = 0;
    run(name, bytes, files.size());
    if (HasFatalFailure()) return;
    EXPECT_GT(refused, valid / 100) << name << ": the damage does nothing";
    all_valid += valid;
    all_refused += refused;
  }
  std::cout << GetParam() << ": " << all_valid << " read, " << all_refused << " refused; at most "
            << most_bytes << " bytes and " << most_calls << " allocations for a byte of a file\n";
}

INSTANTIATE_TEST_SUITE_P(Formats, Fuzz,
                         ::testing::Values("vtu", "vtp", "vti", "vts", "vtr", "pvtu", "pvtp", "pvti", "vtm",
                                           "nrrd", "nhdr", "mha", "mhd", "vtk", "ply", "obj", "stl", "off",
                                           "msh", "mesh", "node", "ele", "off.gz"),
                         [](const auto& format) {
                           return format.param.substr(0, format.param.find('.')) +
                                  (format.param.ends_with(".gz") ? "_packed" : "");
                         });

}  // namespace
}  // namespace tessera
