// glTF files, taken apart by hand: the chunks, base64 and arrays as the specification of glTF 2.0 lays them
// out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/support.h"

namespace tessera {
namespace {

using nlohmann::json;
using testing::TempDir;

struct Glb {
  json text;
  std::string bytes;  ///< of the buffer
};

std::uint32_t word_at(const std::string& bytes, std::size_t place) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < 4; ++i)
    word |= std::uint32_t{static_cast<unsigned char>(bytes.at(place + i))} << (8 * i);
  return word;
}

Glb take_apart(const std::string& file) {
  EXPECT_EQ(file.substr(0, 4), "glTF");
  EXPECT_EQ(word_at(file, 4), 2U);
  EXPECT_EQ(word_at(file, 8), file.size());
  EXPECT_EQ(file.substr(16, 4), "JSON");
  const std::size_t length = word_at(file, 12);
  EXPECT_EQ(length % 4, 0U);
  Glb glb{json::parse(file.substr(20, length)), {}};
  const std::size_t rest = 20 + length;
  if (rest == file.size()) return glb;
  EXPECT_EQ(file.substr(rest + 4, 4), std::string("BIN\0", 4));
  glb.bytes = file.substr(rest + 8);
  EXPECT_EQ(word_at(file, rest), glb.bytes.size());
  EXPECT_EQ(glb.text["buffers"], json::parse(R"([{"byteLength":)" + std::to_string(glb.bytes.size()) + "}]"));
  return glb;
}

std::string decode_base64(std::string_view text) {
  EXPECT_EQ(text.size() % 4, 0U);
  const std::size_t padding = text.size() - std::min(text.find('='), text.size());
  EXPECT_LE(padding, 2U);
  std::string bytes;
  std::uint32_t bits = 0;
  int held = 0;  // bits that are not yet a byte
  for (const char c : text.substr(0, text.size() - padding)) {
    const int digit = c >= 'A' && c <= 'Z'   ? c - 'A'
                      : c >= 'a' && c <= 'z' ? c - 'a' + 26
                      : c >= '0' && c <= '9' ? c - '0' + 52
                      : c == '+'             ? 62
                      : c == '/'             ? 63
                                             : -1;
    EXPECT_GE(digit, 0) << c;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>(bits >> held & 255);
  }
  EXPECT_EQ(bits & ((1U << held) - 1), 0U);  // the last digit has no bits that mean nothing
  return bytes;
}

/// The text form. What is returned has no address of the buffer, as the JSON of the binary form.
Glb take_apart_text(const std::string& file) {
  Glb glb{json::parse(file), {}};
  if (!glb.text.contains("buffers")) return glb;
  json& buffer = glb.text["buffers"].at(0);
  const std::string uri = buffer.at("uri");
  const std::string start = "data:application/octet-stream;base64,";
  EXPECT_TRUE(uri.starts_with(start));
  glb.bytes = decode_base64(std::string_view(uri).substr(start.size()));
  EXPECT_EQ(buffer.at("byteLength"), glb.bytes.size());
  buffer.erase("uri");
  return glb;
}

/// The numbers of an accessor, whose type and components must be these.
template <class T>
std::vector<T> numbers(const Glb& glb, const json& accessor_index, const char* type, int component_type) {
  const json& accessor = glb.text["accessors"][accessor_index.get<std::size_t>()];
  EXPECT_EQ(accessor["type"], type);
  EXPECT_EQ(accessor["componentType"], component_type);
  const json& view = glb.text["bufferViews"][accessor["bufferView"].get<std::size_t>()];
  EXPECT_EQ(view["buffer"], 0);
  EXPECT_FALSE(view.contains("byteStride"));
  const auto offset = view["byteOffset"].get<std::size_t>();
  const auto length = view["byteLength"].get<std::size_t>();
  EXPECT_EQ(offset % 4, 0U);
  const std::size_t components = type[0] == 'S' ? 1 : static_cast<std::size_t>(type[3] - '0');
  EXPECT_EQ(length, accessor["count"].get<std::size_t>() * components * sizeof(T));
  std::vector<T> values(length / sizeof(T));
  std::memcpy(values.data(), glb.bytes.substr(offset, length).data(), length);
  return values;
}

TriMesh dressed() {
  TriMesh mesh;
  mesh.points = Array<Vec3d>{{0, 0, 0}, {1, 0, -2.5}, {0, 1, 0}, {0.1, 1, 3}};
  mesh.cells = {{VertexId(0), VertexId(1), VertexId(2)}, {VertexId(2), VertexId(1), VertexId(3)}};
  mesh.point_data.add(Field("Normals", Array<double>{0, 0, 2, 0, -3, 0, 0, 3, 4, 0, 0, 0}, 3));
  mesh.point_data.add(Field("RGB", Array<std::uint8_t>{255, 0, 0, 0, 255, 0, 1, 2, 3, 128, 127, 254}, 3));
  mesh.cell_data.add(Field("part", Array<std::int32_t>{1, 2}));
  return mesh;
}

bool mentions(const WriteReport& report, std::string_view text) {
  return std::ranges::any_of(report.notes,
                             [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

TEST(Glb, HoldsTrianglesNormalsAndColours) {
  TempDir directory;
  const WriteReport report = write_mesh(directory / "a.glb", dressed());
  EXPECT_TRUE(mentions(report, "Left out what a glb file cannot hold: the cell field \"part\"."));
  EXPECT_TRUE(mentions(report, "Rounded the coordinates to floats"));  // 0.1
  EXPECT_TRUE(mentions(report, "1 normals without a direction"));
  const Glb glb = take_apart(testing::load(directory / "a.glb"));
  EXPECT_EQ(glb.text["asset"]["version"], "2.0");
  EXPECT_EQ(glb.text["scenes"][glb.text["scene"].get<std::size_t>()]["nodes"], json::array({0}));
  EXPECT_EQ(glb.text["nodes"], json::parse(R"([{"mesh":0}])"));
  const json& primitive = glb.text["meshes"][0]["primitives"][0];
  EXPECT_EQ(primitive["mode"], 4);
  EXPECT_EQ(primitive["material"], 0);
  EXPECT_EQ(glb.text["materials"].size(), 1U);
  const json& position = primitive["attributes"]["POSITION"];
  EXPECT_EQ(numbers<float>(glb, position, "VEC3", 5126),
            (std::vector<float>{0, 0, 0, 1, 0, -2.5F, 0, 1, 0, 0.1F, 1, 3}));
  EXPECT_EQ(glb.text["accessors"][position.get<std::size_t>()]["min"], json({0.0, 0.0, -2.5}));
  EXPECT_EQ(glb.text["accessors"][position.get<std::size_t>()]["max"], json({1.0, 1.0, 3.0}));
  EXPECT_EQ(numbers<float>(glb, primitive["attributes"]["NORMAL"], "VEC3", 5126),
            (std::vector<float>{0, 0, 1, 0, -1, 0, 0, 0.6F, 0.8F, 0, 0, 1}));
  const json& colour = primitive["attributes"]["COLOR_0"];
  EXPECT_EQ(numbers<std::uint8_t>(glb, colour, "VEC4", 5121),
            (std::vector<std::uint8_t>{255, 0, 0, 255, 0, 255, 0, 255, 1, 2, 3, 255, 128, 127, 254, 255}));
  EXPECT_EQ(glb.text["accessors"][colour.get<std::size_t>()]["normalized"], true);
  EXPECT_EQ(numbers<std::uint32_t>(glb, primitive["indices"], "SCALAR", 5125),
            (std::vector<std::uint32_t>{0, 1, 2, 2, 1, 3}));
}

TEST(Glb, HoldsTranslucentFloats) {
  TempDir directory;
  TriMesh mesh = testing::make_two_triangles<float>();
  mesh.point_data.add(Field("RGBA", Array<float>{0, 0.5F, 1, 1, 2, -1, 0, 0.5F, 0, 0, 0, 1, 1, 1, 1, 1}, 4));
  EXPECT_TRUE(write_mesh(directory / "a.glb", mesh).notes.empty());
  const Glb glb = take_apart(testing::load(directory / "a.glb"));
  EXPECT_EQ(glb.text["materials"][0]["alphaMode"], "BLEND");
  const json& attributes = glb.text["meshes"][0]["primitives"][0]["attributes"];
  EXPECT_FALSE(attributes.contains("NORMAL"));
  EXPECT_EQ(numbers<float>(glb, attributes["COLOR_0"], "VEC4", 5126),
            (std::vector<float>{0, 0.5F, 1, 1, 1, 0, 0, 0.5F, 0, 0, 0, 1, 1, 1, 1, 1}));
}

TEST(Glb, HoldsPointsAloneAndNothing) {
  TempDir directory;
  TriMesh mesh;
  write_mesh(directory / "a.glb", mesh);
  const Glb empty = take_apart(testing::load(directory / "a.glb"));
  EXPECT_FALSE(empty.text.contains("meshes"));
  EXPECT_FALSE(empty.text.contains("buffers"));
  mesh.points = Array<Vec3f>{{1, 2, 3}};
  write_mesh(directory / "a.glb", mesh);
  const Glb glb = take_apart(testing::load(directory / "a.glb"));
  EXPECT_EQ(glb.text["meshes"][0]["primitives"][0]["mode"], 0);
  EXPECT_FALSE(glb.text["meshes"][0]["primitives"][0].contains("indices"));
}

// 136, 32, 12 and no bytes: every length of the last group of base64.
TEST(Glb, TextHoldsTheSameAsBinary) {
  TempDir directory;
  TriMesh pair;
  pair.points = Array<Vec3f>{{1, 2, 3}, {-4, 5e-20F, 6e20F}};
  pair.point_data.add(Field("RGB", Array<std::uint8_t>{255, 254, 253, 0, 1, 2}, 3));
  TriMesh point;
  point.points = Array<Vec3f>{{1, 2, 3}};
  for (const TriMesh& mesh : {dressed(), pair, point, TriMesh{}}) {
    const WriteReport binary = write_mesh(directory / "a.glb", mesh);
    const WriteReport text = write_mesh(directory / "a.gltf", mesh);
    EXPECT_EQ(text.notes.size(), binary.notes.size());
    const Glb a = take_apart(testing::load(directory / "a.glb"));
    const Glb b = take_apart_text(testing::load(directory / "a.gltf"));
    EXPECT_EQ(b.text, a.text);
    EXPECT_EQ(b.bytes, a.bytes);
  }
  write_mesh(directory / "a.gltf", dressed());
  const Glb gltf = take_apart_text(testing::load(directory / "a.gltf"));
  EXPECT_EQ(numbers<float>(gltf, json(0), "VEC3", 5126),
            (std::vector<float>{0, 0, 0, 1, 0, -2.5F, 0, 1, 0, 0.1F, 1, 3}));
  EXPECT_EQ(numbers<std::uint32_t>(gltf, gltf.text["meshes"][0]["primitives"][0]["indices"], "SCALAR", 5125),
            (std::vector<std::uint32_t>{0, 1, 2, 2, 1, 3}));
}

TEST(Glb, RefusesWhatItCannotHold) {
  TempDir directory;
  TriMesh mesh = testing::make_two_triangles<double>();
  mesh.points.visit([](auto p) { p[2].y = 1e39; });  // infinite as a float
  for (const std::string form : {"glb", "gltf"}) {
    const std::filesystem::path file = directory / ("a." + form);
    testing::expect_error(ErrorCode::unsupported,
                          {"a." + form, "a " + form + " file", "point 2", "no finite"},
                          [&] { return write_mesh(file, mesh); });
    testing::expect_error(ErrorCode::unsupported,
                          {"a." + form, "a " + form + " file can only hold triangles"},
                          [&] { return write_mesh(file, TetMesh{}); });
    testing::expect_error(ErrorCode::bad_option, {"a." + form, "text"},
                          [&] { return write_mesh(file, mesh, {.ascii = true}); });
    EXPECT_EQ(directory.file_count(), 0U);
    testing::save(file, "glTF");
    testing::expect_error(ErrorCode::unsupported, {"a." + form, "can only be written"},
                          [&] { return read_mesh(file); });
    std::filesystem::remove(file);
  }
}

}  // namespace
}  // namespace tessera
