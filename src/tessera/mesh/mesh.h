// Meshes as users have them: points, cells that name points, fields. No connectivity; that is tile's work.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include <tessera/core/array.h>
#include <tessera/core/id.h>
#include <tessera/core/vec.h>
#include <tessera/mesh/field.h>

namespace tessera {

/// Coordinates in the precision they came in, float or double.
class Points {
 public:
  using Values = std::variant<Array<Vec3f>, Array<Vec3d>>;

  Points() = default;
  Points(Array<Vec3f> values) : values_(std::move(values)) {}  // NOLINT: points are their coordinates
  Points(Array<Vec3d> values) : values_(std::move(values)) {}  // NOLINT
  Points(const Points& other) : values_(copy_arrays(other.values_)) {}
  Points(Points&&) noexcept = default;
  Points& operator=(const Points& other) { return *this = Points(other); }
  Points& operator=(Points&&) noexcept = default;
  ~Points() = default;

  /// Calls f(std::span<const Vec3<T>>) with T float or double.
  template <class F>
  decltype(auto) visit(F&& f) const {
    return std::visit([&](const auto& v) -> decltype(auto) { return f(std::span(v.data(), v.size())); },
                      values_);
  }
  /// Calls f(std::span<Vec3<T>>) with T float or double.
  template <class F>
  decltype(auto) visit(F&& f) {
    return std::visit([&](auto& v) -> decltype(auto) { return f(std::span(v.data(), v.size())); }, values_);
  }

  [[nodiscard]] std::size_t size() const {
    return visit([](auto points) { return points.size(); });
  }
  [[nodiscard]] bool is_double() const { return values_.index() == 1; }
  [[nodiscard]] std::size_t bytes() const {
    return visit([](auto points) { return points.size_bytes(); });
  }
  /// One point, exactly. Loops over many points are faster inside visit().
  [[nodiscard]] Vec3d operator[](VertexId v) const {
    return visit([&](auto points) { return vec_cast<double>(points[v.index()]); });
  }

  /// The points named by `order`, in that order; each must exist.
  [[nodiscard]] Points gather(std::span<const std::uint32_t> order) const;

  friend bool operator==(const Points&, const Points&) = default;

 private:
  Values values_;
};

/// A triangle (Dim 2) or tetrahedral (Dim 3) mesh. Nothing is promised about the cells beyond their
/// type: ids may repeat or be out of range until diagnose() has found no error.
template <int Dim>
struct SimplexMesh {
  static constexpr int dimension = Dim;
  static constexpr int corners = Dim + 1;
  using Cell = std::array<VertexId, corners>;
  using CellId = std::conditional_t<Dim == 2, FaceId, TetId>;

  Points points;
  Array<Cell> cells;
  FieldSet point_data;
  FieldSet cell_data;
  FieldSet field_data;  ///< of the mesh as a whole: any length

  [[nodiscard]] std::size_t vertex_count() const { return points.size(); }
  [[nodiscard]] std::size_t cell_count() const { return cells.size(); }
  /// Every id: for (VertexId v : mesh.vertices()), for (TetId t : mesh.cell_ids()).
  [[nodiscard]] IdRange<VertexId> vertices() const { return IdRange<VertexId>(vertex_count()); }
  [[nodiscard]] IdRange<CellId> cell_ids() const { return IdRange<CellId>(cell_count()); }
  [[nodiscard]] const Cell& operator[](CellId cell) const { return cells[cell.index()]; }
  /// The point field of that name, or Error(not_found) that lists the names there are.
  [[nodiscard]] const Field& field(std::string_view name) const { return point_data.at(name); }
  [[nodiscard]] std::size_t bytes() const {
    return points.bytes() + cells.size() * sizeof(Cell) + point_data.bytes() + cell_data.bytes() +
           field_data.bytes();
  }

  friend bool operator==(const SimplexMesh&, const SimplexMesh&) = default;
};

using TriMesh = SimplexMesh<2>;
using TetMesh = SimplexMesh<3>;

/// A regular lattice of points, x fastest: point (i, j, k) lies at origin + direction * (spacing * (i, j,
/// k)).
struct Grid {
  std::array<std::uint32_t, 3> dims = {1, 1, 1};  ///< points an axis, at least 1
  Vec3d origin = {0, 0, 0};
  Vec3d spacing = {1, 1, 1};
  std::array<double, 9> direction = {1, 0, 0, 0, 1, 0, 0, 0, 1};  ///< row-major rotation
  FieldSet point_data;
  FieldSet cell_data;
  FieldSet field_data;

  [[nodiscard]] std::size_t vertex_count() const { return std::size_t{dims[0]} * dims[1] * dims[2]; }
  /// Voxels, pixels or segments: axes of one point do not count.
  [[nodiscard]] std::size_t cell_count() const;
  [[nodiscard]] Vec3d point(std::uint32_t i, std::uint32_t j, std::uint32_t k) const;
  [[nodiscard]] const Field& field(std::string_view name) const { return point_data.at(name); }
  [[nodiscard]] std::size_t bytes() const {
    return point_data.bytes() + cell_data.bytes() + field_data.bytes();
  }

  friend bool operator==(const Grid&, const Grid&) = default;
};

/// What a file may hold.
using AnyMesh = std::variant<TetMesh, TriMesh, Grid>;

}  // namespace tessera
