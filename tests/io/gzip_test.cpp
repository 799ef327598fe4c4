// Files with .gz behind their extension: what Python packed, and files of stored blocks, put together by hand
// as RFC 1951 and 1952 say.
#include <array>

#include "io/samples.h"
#include "io/support.h"

namespace tessera {
namespace {

using testing::expect_error;
using testing::TempDir;

void put_word(std::string& bytes, std::uint32_t word, int width) {
  for (int i = 0; i < width; ++i) bytes += static_cast<char>(word >> (8 * i));
}

std::uint32_t checksum(std::string_view text) {
  std::uint32_t sum = 0xFFFFFFFF;
  for (const char c : text) {
    sum ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1) != 0 ? 0xEDB88320 : 0);
  }
  return ~sum;
}

const std::string header("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);

/// A member of stored blocks.
std::string store(std::string_view text) {
  constexpr std::size_t longest_block = 65535;
  std::string bytes = header;
  std::size_t place = 0;
  do {
    const std::string_view block = text.substr(place, longest_block);
    place += block.size();
    bytes += static_cast<char>(place == text.size() ? 1 : 0);
    put_word(bytes, static_cast<std::uint32_t>(block.size()), 2);
    put_word(bytes, ~static_cast<std::uint32_t>(block.size()), 2);
    bytes += block;
  } while (place < text.size());
  put_word(bytes, checksum(text), 4);
  put_word(bytes, static_cast<std::uint32_t>(text.size()), 4);
  return bytes;
}

/// Bits from the least significant one on, as deflate has them.
struct Bits {
  std::string bytes;
  int used = 8;
  void put(std::uint32_t value, int count) {
    for (int i = 0; i < count; ++i, ++used) {
      if (used == 8) {
        bytes += '\0';
        used = 0;
      }
      bytes.back() = static_cast<char>(bytes.back() | static_cast<char>(((value >> i) & 1) << used));
    }
  }
};

/// One space and `runs` times 258 more: a block of fixed codes, in which a run (length code 285, distance 1)
/// takes 13 bits.
std::string bomb(int runs) {
  Bits bits;
  bits.put(1, 1);           // the last block
  bits.put(1, 2);           // fixed codes
  bits.put(0b00001010, 8);  // the code of a space, 0x30 + 0x20, its first bit first
  for (int i = 0; i < runs; ++i) {
    bits.put(0b10100011, 8);  // the code of 285: 0xC0 + 5 = 11000101, its first bit first
    bits.put(0, 5);           // distance 1
  }
  bits.put(0, 7);  // the end
  return header + bits.bytes + std::string(8, '\0');
}

TEST(Gzip, PackedByPython) {
  TempDir directory;
  testing::save(directory / "a.off.gz", testing::samples("off.gz").at("by_hand_python.off.gz"));
  const ReadResult result = read_mesh(directory / "a.off.gz");
  const TriMesh& mesh = std::get<TriMesh>(result.mesh);
  ASSERT_EQ(mesh.cell_count(), 2U);
  EXPECT_EQ(mesh.points[VertexId(3)], (Vec3d{0, 0, 0.5}));
  EXPECT_EQ(result.report.format, "off");
}

TEST(Gzip, EverySampleThatIsNotXml) {
  TempDir directory;
  for (const char* format : {"vtk", "ply", "obj", "stl", "off", "msh", "mesh"}) {
    for (const auto& [name, bytes] : testing::samples(format)) {
      SCOPED_TRACE(name);
      testing::save(directory / name, bytes);
      const std::size_t half = bytes.size() / 2;  // two members
      testing::save(directory / (name + ".gz"), store(bytes.substr(0, half)) + store(bytes.substr(half)));
      const ReadResult plain = read_mesh(directory / name, {.simplices = true});
      const ReadResult packed = read_mesh(directory / (name + ".gz"), {.simplices = true});
      EXPECT_EQ(packed.report.notes, plain.report.notes);
      EXPECT_TRUE(packed.mesh == plain.mesh);
    }
  }
}

TEST(Gzip, BothFilesOfTetgen) {
  TempDir directory;
  testing::save(directory / "a.node.gz", store(testing::samples("node").at("by_hand_tets.node")));
  expect_error(ErrorCode::bad_file, {"a.node.gz", "no cells", "a.ele.gz"},
               [&] { return read_mesh(directory / "a.node.gz"); });
  testing::save(directory / "a.ele.gz", store(testing::samples("ele").at("by_hand_tets.ele")));
  EXPECT_EQ(read_tets(directory / "a.node.gz").cell_count(), 2U);
  EXPECT_EQ(read_tets(directory / "a.ele.gz").cell_count(), 2U);
}

// More than a window and many blocks: 200000 points.
TEST(Gzip, LargerThanAWindow) {
  TempDir directory;
  std::string text;
  for (int i = 0; i < 200000; ++i) text += "v " + std::to_string(i) + " 0 1\n";
  testing::save(directory / "a.obj.gz", store(text + "f 1 2 3\n"));
  const TriMesh mesh = read_triangles(directory / "a.obj.gz");
  ASSERT_EQ(mesh.vertex_count(), 200000U);
  EXPECT_EQ(mesh.points[VertexId(199999)], (Vec3d{199999, 0, 1}));
}

TEST(Gzip, DamagedFiles) {
  TempDir directory;
  const auto file = directory / "a.off.gz";
  const auto expect_bad = [&](const std::string& bytes, std::initializer_list<std::string_view> words) {
    testing::save(file, bytes);
    expect_error(ErrorCode::bad_file, words, [&] { return read_mesh(file); });
  };
  const std::string good = testing::samples("off.gz").at("by_hand_python.off.gz");
  for (std::size_t size = 1; size < good.size(); ++size) {
    SCOPED_TRACE(size);
    expect_bad(good.substr(0, size), {"a.off.gz", "ends in the middle of its compressed data"});
  }
  std::string wrong_sum = good;
  wrong_sum[wrong_sum.size() - 8] ^= 1;
  expect_bad(wrong_sum, {"a.off.gz", "damaged compressed data", "check"});
  expect_bad(good + "more", {"a.off.gz", "damaged compressed data", "header"});
  expect_bad("OFF\n", {"a.off.gz", "damaged compressed data", "header"});
  expect_bad("", {"a.off.gz", "is empty"});
  expect_bad(store(""), {"a.off.gz", "is empty"});
}

TEST(Gzip, Bombs) {
  TempDir directory;
  const std::string bytes = bomb(1100000);  // 284 MB from 1.8 MB
  testing::save(directory / "a.off.gz", bytes);
  expect_error(ErrorCode::unsupported,
               {"a.off.gz", "unpacks to more than 268435456 bytes",
                std::to_string(bytes.size()) + " compressed bytes", "unpack it first"},
               [&] { return read_mesh(directory / "a.off.gz"); });
}

TEST(Gzip, WhatIsNotReadOrWritten) {
  TempDir directory;
  testing::save(directory / "a.vtu.gz", store(testing::samples("vtu").at("by_hand_mixed.vtu")));
  expect_error(ErrorCode::unsupported, {"a.vtu.gz", "packed", "unpack it first"},
               [&] { return read_mesh(directory / "a.vtu.gz"); });
  testing::save(directory / "a.gz", store("some text"));
  expect_error(ErrorCode::unsupported, {"a.gz", "extension", ".gz"},
               [&] { return read_mesh(directory / "a.gz"); });
  expect_error(ErrorCode::unsupported, {"b.off.gz", "extensions that can be written"},
               [&] { write_mesh(directory / "b.off.gz", testing::make_two_triangles<float>()); });
  EXPECT_EQ(directory.file_count(), 2U);
}

}  // namespace
}  // namespace tessera
