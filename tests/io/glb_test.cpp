// glTF files, taken apart by hand: the chunks and arrays as the specification of glTF 2.0 lays them out.
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

TEST(Glb, RefusesWhatItCannotHold) {
  TempDir directory;
  TriMesh mesh = testing::make_two_triangles<double>();
  mesh.points.visit([](auto p) { p[2].y = 1e39; });  // infinite as a float
  testing::expect_error(ErrorCode::unsupported, {"a.glb", "point 2", "no finite place"},
                        [&] { return write_mesh(directory / "a.glb", mesh); });
  testing::expect_error(ErrorCode::unsupported, {"a.glb", "can only hold triangles"},
                        [&] { return write_mesh(directory / "a.glb", TetMesh{}); });
  EXPECT_EQ(directory.file_count(), 0U);
  testing::save(directory / "b.glb", "glTF");
  testing::expect_error(ErrorCode::unsupported, {"b.glb", "can only be written"},
                        [&] { return read_mesh(directory / "b.glb"); });
}

}  // namespace
}  // namespace tessera
