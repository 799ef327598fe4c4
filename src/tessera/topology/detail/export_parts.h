// What the exports of topology have in common: places of cells, fields of ids, the table of critical cells.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>

#include <tessera/mesh/poly_data.h>
#include <tessera/topology/detail/gradient_data.h>
#include <tessera/topology/morse_smale.h>

namespace tessera::detail {

/// The critical cells of a dimension as files describe them.
struct CriticalList {
  Array<std::uint32_t> ids;  ///< CellId
  Array<VertexId> highest;
  Array<VertexId> lowest;
  Array<std::int8_t> on_boundary;  ///< TTK's rule: is the highest vertex? Empty until a part needs it
};

template <int Dim>
using CriticalTable = std::array<CriticalList, Dim + 1>;  ///< by dimension

[[nodiscard]] Points make_points(std::size_t count, bool is_double);
/// As many, and room for more behind them.
[[nodiscard]] Points extend(const Points& points, std::size_t more);
void set_point(Points& points, std::size_t index, Vec3d place);

/// Ids as signed numbers, of 4 bytes where they hold them, else of 8: what ParaView's and TTK's filters
/// expect.
[[nodiscard]] Field make_id_field(const std::string& name, const Array<std::uint32_t>& ids);

/// `SeparatrixFunctionMaximum`, `Minimum` and `Difference`: values of the field at the highest and the lowest
/// vertex of each cell.
void add_function_range(FieldSet& fields, const Field& field, const Array<VertexId>& highest,
                        const Array<VertexId>& lowest);

/// Error(bad_option) unless all can be names of the gradient's cells.
template <class Source>
void check_names(const Source& gradient, std::span<const CellName> cells) {
  if (std::ranges::all_of(cells, [&](const CellName& cell) { return gradient.is_name(cell); })) return;
  throw Error(ErrorCode::bad_option, "a path or wall goes through a cell that the gradient does not have");
}

/// Where the vertices and cells of a mesh lie, and which vertices its cells have. The mesh must outlive it.
template <int Dim>
class MeshShape {
 public:
  static constexpr bool has_seams = false;  ///< that cells may cross: GridShape

  explicit MeshShape(const SimplexMesh<Dim>& mesh) : mesh_(&mesh) {}
  [[nodiscard]] bool is_double() const { return mesh_->points.is_double(); }
  [[nodiscard]] Vec3d operator[](VertexId v) const { return mesh_->points[v]; }
  [[nodiscard]] Vec3d barycentre(std::span<const VertexId> vertices) const {
    Vec3d sum = {0, 0, 0};
    for (const VertexId v : vertices) sum = sum + mesh_->points[v];
    return (1.0 / static_cast<double>(vertices.size())) * sum;
  }
  [[nodiscard]] const auto& corners(typename SimplexMesh<Dim>::CellId cell) const { return (*mesh_)[cell]; }

 private:
  const SimplexMesh<Dim>* mesh_;
};

template <class Source, class Shape>
struct WallSource {
  const Source& gradient;
  const Shape& shape;
  const Field& field;
  const CriticalTable<3>& table;
  int threads = 1;
};
/// `to_release` may be the walls, which are emptied as soon as they are not needed.
template <class Source, class Shape>
[[nodiscard]] PolyData make_wall_poly(const WallSource<Source, Shape>& source, const Walls& walls,
                                      Walls* to_release);

}  // namespace tessera::detail
