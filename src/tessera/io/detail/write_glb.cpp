// Writer of glTF 2.0: one mesh of triangles with normals and colours of its points, as arrays and JSON that
// describes them.
//
//   .glb     a header, a chunk of JSON and a chunk with the arrays, each of whole words
//   .gltf    JSON alone; the address of its buffer holds the arrays in base64
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

/// Bytes as base64 (RFC 4648), on their way to a file.
class Base64 {
 public:
  explicit Base64(Output& output) : output_(output) {}

  void write(std::string_view bytes) {
    for (const char c : bytes) {
      group_ = group_ << 8 | static_cast<unsigned char>(c);
      if (++count_ == 3) finish();
    }
  }
  /// Writes what is left of a group of three bytes.
  void finish() {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (count_ == 0) return;
    group_ <<= 8 * (3 - count_);
    std::array<char, 4> text = {};
    for (unsigned k = 0; k < 4; ++k) text[k] = k > count_ ? '=' : digits[group_ >> (18 - 6 * k) & 63];
    output_.write(std::string_view(text.data(), text.size()));
    group_ = count_ = 0;
  }

 private:
  Output& output_;
  std::uint32_t group_ = 0;
  unsigned count_ = 0;  ///< bytes in the group
};

enum class GltfForm : std::uint8_t { binary, text };

class GltfWriter {
 public:
  GltfWriter(Output& output, const TriMesh& mesh, GltfForm form)
      : output_(output),
        mesh_(mesh),
        form_(form),
        normals_(find_role(mesh.point_data, Role::normals)),
        colours_(find_role(mesh.point_data, Role::colours)) {}

  static std::string_view holder(GltfForm form) {
    return form == GltfForm::binary ? "a glb file" : "a gltf file";
  }

  void write() {
    note_left_out(output_.notes, holder(form_), mesh_, [&](const Field& field, bool is_of_points) {
      return is_of_points && (&field == normals_ || &field == colours_);
    });
    if (mesh_.vertex_count() > 0) describe();
    if (form_ == GltfForm::binary) {
      write_binary();
    } else {
      write_text();
    }
  }

 private:
  void write_binary() {
    std::string json = make_json().append(json_end());
    json.append((4 - json.size() % 4) % 4, ' ');
    const std::uint64_t length = 12 + 8 + json.size() + (bytes_ > 0 ? 8 + bytes_ : 0);
    if (length > 0xFFFFFFFFu) output_.refuse("a glb file holds at most 4 GiB; gltf files have no such limit");
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

  void write_text() {
    output_.write(make_json());
    if (bytes_ > 0) {
      output_.write(R"(,"uri":"data:application/octet-stream;base64,)");
      write_arrays();
      base64_.finish();
      output_.write("\"");
    }
    output_.write(json_end());
  }

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
        output_.refuse(std::string(holder(form_)) + " cannot hold point " + std::to_string(i) +
                       ", which has no finite place");
      is_rounded = is_rounded || vec_cast<double>(p) != exact;
      low = i == 0 ? p : Vec3f{std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
      high = i == 0 ? p : Vec3f{std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    if (is_rounded)
      output_.notes.push_back("Rounded the coordinates to floats, all that " + std::string(holder(form_)) +
                              " holds.");
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

  /// All but its end: the description of the buffer comes last, and what follows depends on the form.
  [[nodiscard]] std::string make_json() const {
    const std::string asset = R"("asset":{"version":"2.0","generator":"tessera"},"scene":0,)";
    if (count_ == 0) return "{" + asset + R"("scenes":[{}])";
    const std::string mode = mesh_.cell_count() > 0 ? "4" : "0";  // triangles or points
    return "{" + asset +
           R"("scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],"materials":[{"doubleSided":true,)" +
           (is_translucent() ? R"("alphaMode":"BLEND",)" : "") +
           R"("pbrMetallicRoughness":{"metallicFactor":0}}],"meshes":[{"primitives":[{"attributes":{)" +
           attributes_ + "}," + indices_ + R"("material":0,"mode":)" + mode + R"(}]}],"accessors":[)" +
           accessors_ + R"(],"bufferViews":[)" + views_ + R"(],"buffers":[{"byteLength":)" +
           std::to_string(bytes_);
  }
  [[nodiscard]] std::string_view json_end() const { return bytes_ > 0 ? "}]}" : "}"; }

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
    const std::string_view bytes(reinterpret_cast<const char*>(&value), sizeof(T));
    form_ == GltfForm::binary ? output_.write(bytes) : base64_.write(bytes);
  }

  Output& output_;
  const TriMesh& mesh_;
  GltfForm form_;
  Base64 base64_{output_};
  const Field* normals_;
  const Field* colours_;
  std::uint64_t count_ = 0;  ///< of arrays
  std::uint64_t bytes_ = 0;  ///< of all arrays
  std::string attributes_, indices_, accessors_, views_;
};

void write(Output& output, const MeshRef& mesh, GltfForm form) {
  GltfWriter(output, only_triangles(output, mesh, GltfWriter::holder(form)), form).write();
}

}  // namespace

void write_glb(Output& output, const MeshRef& mesh, const WriteOptions&) {
  write(output, mesh, GltfForm::binary);
}

void write_gltf(Output& output, const MeshRef& mesh, const WriteOptions&) {
  write(output, mesh, GltfForm::text);
}

}  // namespace tessera::detail::io
