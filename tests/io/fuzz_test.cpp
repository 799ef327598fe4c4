// Damaged files: an error or a valid mesh, never a crash, a hang or an allocation that the file does not
// justify.
//
// The damage is seeded, so a failure repeats: its message names the seed file and the round. Run it with
// -DTESSERA_SANITIZE=address,undefined to see reads past the end of anything.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <new>

#include <vtkImageData.h>
#include <vtkPolyData.h>

#include "io/samples.h"
#include "io/support.h"
#include "io/vtk_peer.h"

namespace {
std::atomic<std::size_t> largest_allocation{0};

void* allocate(std::size_t bytes) {
  std::size_t seen = largest_allocation.load();
  while (bytes > seen && !largest_allocation.compare_exchange_weak(seen, bytes)) {
  }
  // An absurd wish must not take the machine down before the test can report it.
  void* memory = bytes > (std::size_t{1} << 30) ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
}  // namespace

void* operator new(std::size_t bytes) {
  return allocate(bytes);
}
void* operator new[](std::size_t bytes) {
  return allocate(bytes);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace tessera {
namespace {

using testing::TempDir;

constexpr std::size_t rounds_a_format = 50000;  // of damage, shared by its seed files
constexpr std::size_t cuts_a_format = 10000;
constexpr unsigned seconds_a_file = 20;  // a file of a few KiB takes far less than a millisecond

constexpr std::array<std::string_view, 14> nasty_numbers = {"-1",
                                                            "0",
                                                            "1",
                                                            "255",
                                                            "65536",
                                                            "2147483647",
                                                            "2147483648",
                                                            "4294967295",
                                                            "4294967296",
                                                            "999999999999",
                                                            "9223372036854775807",
                                                            "18446744073709551615",
                                                            "1e308",
                                                            "nan"};
constexpr std::array<std::uint64_t, 8> nasty_words = {
    0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x100000000, 0x7FFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF};

/// Replaces one of the numbers that are written out in the file.
void replace_number(std::string& bytes, SplitMix64& random) {
  std::size_t place = random.below(bytes.size());
  const auto is_digit = [&](std::size_t i) { return bytes[i] >= '0' && bytes[i] <= '9'; };
  while (place < bytes.size() && !is_digit(place)) ++place;
  std::size_t end = place;
  while (place > 0 && is_digit(place - 1)) --place;
  while (end < bytes.size() && is_digit(end)) ++end;
  bytes.replace(place, end - place, nasty_numbers[random.below(nasty_numbers.size())]);
}

void replace_word(std::string& bytes, SplitMix64& random) {
  const std::uint64_t word = nasty_words[random.below(nasty_words.size())];
  const std::size_t width = std::size_t{1} << random.below(4);
  const std::size_t place = random.below(bytes.size());
  const bool is_big = random.below(2) == 0;
  for (std::size_t i = 0; i < width && place + i < bytes.size(); ++i) {
    bytes[place + i] = static_cast<char>(word >> (8 * (is_big ? width - 1 - i : i)));
  }
}

void damage(std::string& bytes, SplitMix64& random) {
  const std::uint64_t times = 1 + random.below(3);
  for (std::uint64_t n = 0; n < times && !bytes.empty(); ++n) {
    const std::size_t place = random.below(bytes.size());
    const std::size_t length = std::min<std::size_t>(1 + random.below(64), bytes.size() - place);
    switch (random.below(7)) {
      case 0: bytes.resize(place); break;
      case 1: bytes[place] = static_cast<char>(bytes[place] ^ (1 << random.below(8))); break;
      case 2: bytes[place] = static_cast<char>(random()); break;
      case 3: bytes.erase(place, length); break;
      case 4: bytes.insert(random.below(bytes.size()), bytes.substr(place, length)); break;
      case 5: replace_word(bytes, random); break;
      default: replace_number(bytes, random);
    }
  }
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

/// How a file is read.
enum class Way : std::uint8_t { refuse, cut, keep };

class Fuzz : public ::testing::TestWithParam<std::string> {
 protected:
  void try_file(const std::string& bytes, Way way) {
    testing::save(file, bytes);
    largest_allocation = 0;
    ::alarm(seconds_a_file);
    try {
      CellMesh cells;
      const ReadResult result =
          read_mesh(file, {.simplices = way == Way::cut, .cells = way == Way::keep ? &cells : nullptr});
      std::visit([](const auto& mesh) { expect_valid(mesh); }, result.mesh);
      expect_valid(cells);
      ++valid;
      // The same file through the other door; what one refuses the other does not get to see.
      if (file.extension() == ".vtp" && way == Way::refuse) expect_valid(read_poly(file));
    } catch (const Error& error) {
      const std::string either = (directory / "damaged.").string();  // it or its partner
      ASSERT_NE(std::string_view(error.what()).find(either), std::string_view::npos) << error.what();
      ASSERT_NE(error.code(), ErrorCode::out_of_memory) << error.what();
      ++refused;
    }
    ::alarm(0);
    // A byte of zlib's can stand for 1032; text for eight; the rest is the window and the reader's own.
    ASSERT_LE(largest_allocation.load(), (std::size_t{1} << 20) + 1100 * bytes.size());
  }

  void run(const std::string& name, const std::string& good, std::size_t seeds) {
    file = directory / ("damaged" + name.substr(name.find('.')));
    for (const auto& [format, partner] : {std::pair("node", "ele"), std::pair("ele", "node")}) {
      if (!name.ends_with(std::string(".") + format)) continue;
      testing::save(directory / (std::string("damaged.") + partner),
                    testing::samples(partner).begin()->second);
    }
    try_file(good, Way::cut);
    try_file(good, Way::keep);
    ASSERT_EQ(refused, 0) << name << " is not valid to begin with";
    const std::size_t step = std::max<std::size_t>(1, good.size() * seeds / cuts_a_format);
    for (std::size_t size = 0; size < good.size() && !HasFatalFailure(); size += step) {
      SCOPED_TRACE(name + " cut at " + std::to_string(size));
      try_file(good.substr(0, size), Way::cut);
    }
    for (std::size_t round = 0; round < rounds_a_format / seeds && !HasFatalFailure(); ++round) {
      SCOPED_TRACE(name + " in round " + std::to_string(round));
      std::string bytes = good;
      SplitMix64 random(round);
      damage(bytes, random);
      try_file(bytes, static_cast<Way>(round % 3));
    }
  }

  TempDir directory;
  std::filesystem::path file;
  int valid = 0, refused = 0;
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
      const std::string name = "vtk_" + encoding.name() + "." + format;
      testing::vtk_write_xml(data, directory / name, encoding);
      keep(name);
    }
  }
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
  for (const auto& [name, bytes] : files) {
    valid = refused = 0;
    run(name, bytes, files.size());
    if (HasFatalFailure()) return;
    EXPECT_GT(refused, 100) << name << ": the damage does nothing";
  }
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
