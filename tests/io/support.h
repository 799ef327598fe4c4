// What the tests of io share: a folder that goes away, files from strings, meshes with every kind of field.
#pragma once

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <tessera/core/error.h>
#include <tessera/core/random.h>
#include <tessera/io/io.h>

namespace tessera::testing {

class TempDir {
 public:
  /// In `place` if there is such a folder, else where the system puts temporary files.
  explicit TempDir(const std::filesystem::path& place = {}) {
    const bool is_there = !place.empty() && ::access(place.c_str(), W_OK) == 0;
    std::string pattern =
        ((is_there ? place : std::filesystem::temp_directory_path()) / "tessera-io-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = pattern;
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
  [[nodiscard]] std::size_t file_count() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline void save(const std::filesystem::path& file, std::string_view bytes) {
  // Removed first: some file systems flush to the disk when a file is cut to nothing and written again.
  std::filesystem::remove(file);
  std::ofstream out(file, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

inline std::string load(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The Error that `work` throws, or nothing.
template <class Work>
std::optional<Error> error_of(const Work& work) {
  try {
    static_cast<void>(work());
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

/// Expects an Error of that code whose message holds every one of the words.
template <class Work>
void expect_error(ErrorCode code, std::initializer_list<std::string_view> words, const Work& work) {
  const std::optional<Error> error = error_of(work);
  ASSERT_TRUE(error) << "no error";
  EXPECT_EQ(error->code(), code) << error->what();
  for (const std::string_view word : words) {
    EXPECT_NE(std::string_view(error->what()).find(word), std::string_view::npos)
        << error->what() << "\n  does not say: " << word;
  }
}

/// Numbers that lose something wherever a type, a sign or a digit is lost.
inline Field make_field(const std::string& name, ScalarType type, std::size_t tuples,
                        std::size_t components) {
  Field field(name, type, tuples, components);
  field.visit([&](auto values) {
    using T = typename decltype(values)::element_type;
    SplitMix64 random(17 + static_cast<std::uint64_t>(type));
    for (std::size_t i = 0; i < values.size(); ++i) {
      if constexpr (std::is_floating_point_v<T>) {
        values[i] = static_cast<T>(random.uniform() * 1e3 - 500);
      } else {
        values[i] = static_cast<T>(random());
      }
    }
    if (values.size() > 1) {
      values[0] = std::numeric_limits<T>::lowest();
      values[1] = std::numeric_limits<T>::max();
    }
  });
  return field;
}

constexpr std::array<ScalarType, 10> all_types = {
    ScalarType::i8,  ScalarType::u8,  ScalarType::i16, ScalarType::u16, ScalarType::i32,
    ScalarType::u32, ScalarType::i64, ScalarType::u64, ScalarType::f32, ScalarType::f64};

/// Every type with 1, 3 and 9 components; 64-bit integers only if asked for.
inline FieldSet make_fields(const std::string& prefix, std::size_t tuples, bool has_wide_integers = true) {
  FieldSet fields;
  for (const ScalarType type : all_types) {
    if (!has_wide_integers && (type == ScalarType::i64 || type == ScalarType::u64)) continue;
    for (const std::size_t components : {1, 3, 9}) {
      fields.add(make_field(prefix + " " + std::string(to_string(type)) + " x " + std::to_string(components),
                            type, tuples, components));
    }
  }
  return fields;
}

/// Two tetrahedra on a face, coordinates that need all their digits.
template <class T>
TetMesh make_two_tets() {
  TetMesh mesh;
  mesh.points =
      Array<Vec3<T>>{{T(0.1), 0, 0}, {1, T(1) / 3, 0}, {0, 1, T(-1e-7)}, {0, 0, T(2) / 3}, {T(1e9), 1, 1}};
  mesh.cells = {{VertexId(0), VertexId(1), VertexId(2), VertexId(3)},
                {VertexId(1), VertexId(2), VertexId(3), VertexId(4)}};
  return mesh;
}

/// Two triangles on an edge.
template <class T>
TriMesh make_two_triangles() {
  TriMesh mesh;
  mesh.points =
      Array<Vec3<T>>{{T(0.1), 0, 0}, {1, T(1) / 3, 0}, {0, 1, T(-1e-7)}, {T(123456.789), T(2) / 3, 1}};
  mesh.cells = {{VertexId(0), VertexId(1), VertexId(2)}, {VertexId(2), VertexId(1), VertexId(3)}};
  return mesh;
}

inline Grid make_small_grid() {
  Grid grid;
  grid.dims = {4, 3, 2};
  grid.origin = {0.1, -2, 3e5};
  grid.spacing = {0.5, 1.0 / 3, 2};
  return grid;
}

/// Five points, one of them a vertex, two lines, a triangle and a quad.
template <class T>
PolyData make_small_poly() {
  PolyData poly;
  poly.points = make_two_tets<T>().points;
  const auto add = [](PolyCells& cells, std::initializer_list<std::uint32_t> corners) {
    Array<VertexId> ids;
    for (const std::uint32_t v : corners) ids.push_back(VertexId(v));
    cells.add(ids);
  };
  add(poly.vertices, {4});
  add(poly.lines, {0, 1, 2, 3});
  add(poly.lines, {3, 4});
  add(poly.polygons, {0, 2, 1});
  add(poly.polygons, {1, 2, 3, 4});
  return poly;
}

template <class Mesh>
Mesh with_fields(Mesh mesh, bool has_wide_integers = true) {
  mesh.point_data = make_fields("point", mesh.vertex_count(), has_wide_integers);
  mesh.cell_data = make_fields("cell", mesh.cell_count(), has_wide_integers);
  return mesh;
}

}  // namespace tessera::testing
