// Writer of glTF 2.0 in its binary form (.glb): one mesh of triangles with normals and colours of its points.
// A header, a chunk of JSON that describes arrays, and a chunk with the arrays, each of whole words.
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string>

#include <tessera/io/detail/formats.h>
#include <tessera/io/detail/roles.h>

namespace tessera::detail::io {
namespace {

constexpr std::uint32_t vertex_target = 34962;
constexpr std::uint32_t index_target = 34963;
constexpr std::uint32_t byte_type = 5121;
constexpr std::uint32_t word_type = 5125;
constexpr std::uint32_t float_type = 5126;

void append(std::string& text, double number) {
  std::array<char, 32> digits = {};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  text.append(digits.data(), end);
}

std::string list(Vec3f p) {
  std::string text = "[";
  for (const float x : {p.x, p.y, p.z}) {
    if (text.size() > 1) text += ",";
    append(text, x);  // the float's exact value, not the shortest text for it
  }
  return text + "]";
}

const Field* find_role(const FieldSet& fields, Role role) {
  const auto found = std::ranges::find_if(fields, [&](const Field& field) { return role_of(field) == role; });
  return found == fields.end() ? nullptr : &*found;
}

class GlbWriter {
 public:
  GlbWriter(Output& output, const TriMesh& mesh)
      : output_(output),
        mesh_(mesh),
        normals_(find_role(mesh.point_data, Role::normals)),
        colours_(find_role(mesh.point_data, Role::colours)) {}

  void write() {
    note_left_out(output_.notes, "a glb file", mesh_, [&](const Field& field, bool is_of_points) {
      return is_of_points && (&field == normals_ || &field == colours_);
    });
    if (mesh_.vertex_count() > 0) describe();
    std::string json = make_json();
    json.append((4 - json.size() % 4) % 4, ' ');
    const std::uint64_t length = 12 + 8 + json.size() + (bytes_ > 0 ? 8 + bytes_ : 0);
    if (length > 0xFFFFFFFFu) output_.refuse("a glb file holds at most 4 GiB");
    output_.write("glTF");
    put(std::uint32_t{2});
    put(static_cast<std::uint32_t>(length));
    put(static_cast<std::uint32_t>(json.size()));
    output_.write("JSON");
    output_.write(json);
    if (bytes_ == 0) return;
    put(static_cast<std::uint32_t>(bytes_));
    output_.write(std::string_view("BIN\0", 4));
    write_arrays();
  }

 private:
  [[nodiscard]] bool has_byte_colours() const { return colours_->type() == ScalarType::u8; }

  /// Fills the lists of accessors and views, in the order in which write_arrays() writes them.
  void describe() {
    add_array(mesh_.vertex_count(), 12, vertex_target,
              R"("type":"VEC3",)" + type_text(float_type) + find_bounds());
    attributes_ = R"("POSITION":0)";
    if (normals_ != nullptr) {
      attributes_ += R"(,"NORMAL":)" + std::to_string(count_);
      add_array(mesh_.vertex_count(), 12, vertex_target, R"("type":"VEC3",)" + type_text(float_type));
    }
    if (colours_ != nullptr) {
      attributes_ += R"(,"COLOR_0":)" + std::to_string(count_);
      const std::string type =
          has_byte_colours() ? type_text(byte_type) + R"(,"normalized":true)" : type_text(float_type);
      add_array(mesh_.vertex_count(), has_byte_colours() ? 4 : 16, vertex_target, R"("type":"VEC4",)" + type);
    }
    if (mesh_.cell_count() > 0) {
      indices_ = R"("indices":)" + std::to_string(count_) + ",";
      add_array(3 * mesh_.cell_count(), 4, index_target, R"("type":"SCALAR",)" + type_text(word_type));
    }
  }

  static std::string type_text(std::uint32_t type) { return R"("componentType":)" + std::to_string(type); }

  void add_array(std::uint64_t count, std::uint64_t width, std::uint32_t target, const std::string& type) {
    const std::string before = count_ == 0 ? "" : ",";
    accessors_ += before + R"({"bufferView":)" + std::to_string(count_) + R"(,"count":)" +
                  std::to_string(count) + "," + type + "}";
    views_ += before + R"({"buffer":0,"byteOffset":)" + std::to_string(bytes_) + R"(,"byteLength":)" +
              std::to_string(count * width) + R"(,"target":)" + std::to_string(target) + "}";
    bytes_ += count * width;
    ++count_;
  }

  /// The box of the points, which the format wants. Refuses points that it could not hold.
  std::string find_bounds() {
    Vec3f low{};
    Vec3f high{};
    bool is_rounded = false;
    for (std::size_t i = 0; i < mesh_.vertex_count(); ++i) {
      const Vec3d exact = mesh_.points[VertexId(static_cast<std::uint32_t>(i))];
      const Vec3f p = vec_cast<float>(exact);
      if (!std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z))
        output_.refuse("a glb file cannot hold point " + std::to_string(i) + ", which has no finite place");
      is_rounded = is_rounded || vec_cast<double>(p) != exact;
      low = i == 0 ? p : Vec3f{std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
      high = i == 0 ? p : Vec3f{std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    if (is_rounded)
      output_.notes.emplace_back("Rounded the coordinates to floats, all that a glb file holds.");
    return R"(,"min":)" + list(low) + R"(,"max":)" + list(high);
  }

  [[nodiscard]] bool is_translucent() const {
    if (colours_ == nullptr || colours_->components() < 4) return false;
    return colours_->visit([&](auto values) {
      using T = typename decltype(values)::value_type;
      const T opaque = sizeof(T) == 1 ? T(255) : T(1);
      for (std::size_t i = 3; i < values.size(); i += 4) {
        if (values[i] < opaque) return true;
      }
      return false;
    });
  }

  [[nodiscard]] std::string make_json() const {
    const std::string asset = R"("asset":{"version":"2.0","generator":"tessera"},"scene":0,)";
    if (count_ == 0) return "{" + asset + R"("scenes":[{}]})";
    const std::string mode = mesh_.cell_count() > 0 ? "4" : "0";  // triangles or points
    return "{" + asset +
           R"("scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],"materials":[{"doubleSided":true,)" +
           (is_translucent() ? R"("alphaMode":"BLEND",)" : "") +
           R"("pbrMetallicRoughness":{"metallicFactor":0}}],"meshes":[{"primitives":[{"attributes":{)" +
           attributes_ + "}," + indices_ + R"("material":0,"mode":)" + mode + R"(}]}],"accessors":[)" +
           accessors_ + R"(],"bufferViews":[)" + views_ + R"(],"buffers":[{"byteLength":)" +
           std::to_string(bytes_) + "}]}";
  }

  void write_arrays() {
    mesh_.points.visit([&](auto points) {
      for (const auto& p : points) put(vec_cast<float>(p));
    });
    if (normals_ != nullptr) write_normals();
    if (colours_ != nullptr) write_colours();
    for (const auto& cell : mesh_.cells) {
      for (const VertexId v : cell) put(v.index());
    }
  }

  /// Of length 1, as the format wants them.
  void write_normals() {
    std::size_t lost = 0;
    normals_->visit([&](auto values) {
      for (std::size_t i = 0; i + 2 < values.size(); i += 3) {
        const Vec3d normal = {static_cast<double>(values[i]), static_cast<double>(values[i + 1]),
                              static_cast<double>(values[i + 2])};
        const double size = length(normal);
        const bool has_direction = size > 0 && std::isfinite(size);
        lost += has_direction ? 0 : 1;
        put(has_direction ? vec_cast<float>((1 / size) * normal) : Vec3f{0, 0, 1});
      }
    });
    if (lost > 0)
      output_.notes.push_back(std::to_string(lost) + " normals without a direction became (0, 0, 1).");
  }

  /// Four numbers each: bytes as they are, others from 0 to 1.
  void write_colours() {
    const std::size_t components = colours_->components();
    colours_->visit([&](auto values) {
      using T = typename decltype(values)::value_type;
      for (std::size_t i = 0; i < values.size(); ++i) {
        if constexpr (sizeof(T) == 1) {
          put(static_cast<std::uint8_t>(values[i]));
          if (components == 3 && i % 3 == 2) put(std::uint8_t{255});
        } else {
          const auto value = static_cast<float>(values[i]);
          put(value > 0 ? std::min(value, 1.0F) : 0.0F);
          if (components == 3 && i % 3 == 2) put(1.0F);
        }
      }
    });
  }

  void put(Vec3f p) {
    for (const float x : {p.x, p.y, p.z}) put(x);
  }
  template <class T>
  void put(T value) {
    if constexpr (std::endian::native == std::endian::big) swap_bytes(&value, 1, sizeof(T));
    output_.write(std::string_view(reinterpret_cast<const char*>(&value), sizeof(T)));
  }

  Output& output_;
  const TriMesh& mesh_;
  const Field* normals_;
  const Field* colours_;
  std::uint64_t count_ = 0;  ///< of arrays
  std::uint64_t bytes_ = 0;  ///< of all arrays
  std::string attributes_, indices_, accessors_, views_;
};

}  // namespace

void write_glb(Output& output, const MeshRef& mesh, const WriteOptions&) {
  GlbWriter(output, only_triangles(output, mesh, "a glb file")).write();
}

}  // namespace tessera::detail::io
