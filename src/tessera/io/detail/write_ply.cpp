// Writer of PLY, text or little-endian. Normals, colours and texture coordinates have the names that others
// read (roles.h). Another field of several components becomes the properties "v[0]", "v[1]", ...; 64-bit
// integers become doubles, which is the best that PLY has. One component is "u[0]" if "u" alone would be
// taken for a part of those.
#include <algorithm>
#include <cstring>
#include <limits>
#include <set>

#include <tessera/io/detail/formats.h>
#include <tessera/io/detail/roles.h>
#include <tessera/io/detail/text.h>

namespace tessera::detail::io {
namespace {

std::string_view type_name(ScalarType type) {
  switch (type) {
    case ScalarType::i8: return "char";
    case ScalarType::u8: return "uchar";
    case ScalarType::i16: return "short";
    case ScalarType::u16: return "ushort";
    case ScalarType::i32: return "int";
    case ScalarType::u32: return "uint";
    case ScalarType::f32: return "float";
    case ScalarType::i64:
    case ScalarType::u64:
    case ScalarType::f64: return "double";
  }
  return "double";
}

class PlyWriter {
 public:
  PlyWriter(Output& output, bool is_text) : output_(output), is_text_(is_text) {}

  template <class Mesh>
  void write(const Mesh& mesh) {
    write_header(mesh);
    mesh.points.visit([&](auto points) {
      for (std::size_t i = 0; i < points.size(); ++i) {
        put(points[i].x);
        put(points[i].y);
        put(points[i].z);
        put_fields(mesh.point_data, i);
      }
    });
    for (std::size_t i = 0; i < mesh.cell_count(); ++i) {
      const std::size_t size = mesh.cells[i].size();
      has_large_ ? put(static_cast<std::int32_t>(size)) : put(static_cast<std::uint8_t>(size));
      for (const VertexId v : mesh.cells[i]) put(static_cast<std::int32_t>(v.index()));
      put_fields(mesh.cell_data, i);
    }
  }

 private:
  template <class Mesh>
  void write_header(const Mesh& mesh) {
    for (std::size_t i = 0; i < mesh.cell_count(); ++i) has_large_ = has_large_ || mesh.cells[i].size() > 255;
    const std::string coordinate = mesh.points.is_double() ? "property double " : "property float ";
    output_.write(is_text_ ? "ply\nformat ascii 1.0\n" : "ply\nformat binary_little_endian 1.0\n");
    output_.write("element vertex " + std::to_string(mesh.vertex_count()) + "\n");
    for (const char axis : {'x', 'y', 'z'}) output_.write(coordinate + axis + "\n");
    write_properties(mesh.point_data);
    output_.write("element face " + std::to_string(mesh.cell_count()) +
                  (has_large_ ? "\nproperty list int int vertex_indices\n"
                              : "\nproperty list uchar int vertex_indices\n"));
    write_properties(mesh.cell_data);
    output_.write("end_header\n");
  }

  void write_properties(const FieldSet& fields) {
    std::set<Role> taken;  // of two fields with colours, the second is one like any other
    for (const Field& field : fields) {
      const auto names =
          taken.insert(role_of(field)).second ? ply_names(field) : std::span<const std::string_view>{};
      const bool is_indexed = field.components() > 1 || is_in_ply_group(field.name());
      for (std::size_t k = 0; k < field.components(); ++k) {
        output_.write("property ");
        output_.write(type_name(field.type()));
        output_.write(" ");
        output_.write(names.empty() ? encode_name(field.name()) : std::string(names[k]));
        if (names.empty() && is_indexed)
          output_.write(std::string("[").append(std::to_string(k)).append("]"));
        output_.write("\n");
      }
    }
  }

  void put_fields(const FieldSet& fields, std::size_t tuple) {
    for (const Field& field : fields) {
      field.visit([&](auto values) {
        for (const auto value : values.subspan(tuple * field.components(), field.components())) put(value);
      });
    }
    if (is_text_) output_.write("\n");
  }

  template <class T>
  void put(T value) {
    if constexpr (sizeof(T) == 8 && std::is_integral_v<T>) {
      put(static_cast<double>(value));
    } else if (is_text_) {
      output_.number(value);
      output_.write(" ");
    } else {
      if constexpr (std::endian::native == std::endian::big) swap_bytes(&value, 1, sizeof(T));
      output_.write(&value, sizeof(T));
    }
  }

  Output& output_;
  bool is_text_;
  bool has_large_ = false;  // faces of more corners than a byte counts
};

/// Integers that a double does not hold.
void note_rounded(std::vector<std::string>& notes, const FieldSet& point_data, const FieldSet& cell_data) {
  for (const FieldSet* fields : {&point_data, &cell_data}) {
    for (const Field& field : *fields) {
      const bool is_exact = field.visit([](auto values) {
        using T = typename decltype(values)::value_type;
        if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
          constexpr T most = T{1} << std::numeric_limits<double>::digits;
          return std::ranges::all_of(
              values, [](T x) { return x <= most && (std::is_unsigned_v<T> || x >= T{0} - most); });
        }
        return true;
      });
      if (!is_exact)
        notes.push_back("Rounded integers of \"" + field.name() +
                        "\" above 2^53, because PLY has doubles only.");
    }
  }
}

}  // namespace

void write_ply(Output& output, const MeshRef& any, const WriteOptions& options) {
  write_polygons(output, any, "a ply file", [&](const auto& mesh) {
    if (mesh.vertex_count() > 0x7FFFFFFFu) output.refuse("a ply file holds at most 2147483647 points");
    note_left_out(output.notes, "a ply file", mesh, [](const Field&, bool) { return true; });
    note_rounded(output.notes, mesh.point_data, mesh.cell_data);
    PlyWriter(output, options.ascii).write(mesh);
  });
}

}  // namespace tessera::detail::io
