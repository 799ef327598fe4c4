// What the exports of topology have in common: places of cells, fields of ids, the table of critical cells.
#pragma once

#include <array>
#include <cstdint>
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
  Array<std::int8_t> on_boundary;  ///< TTK's rule: is the highest vertex?
};

template <int Dim>
using CriticalTable = std::array<CriticalList, Dim + 1>;  ///< by dimension

/// The vertices' mean.
template <class Simplex>
[[nodiscard]] Vec3d barycentre(const Points& points, const Simplex& simplex) {
  Vec3d sum = {0, 0, 0};
  for (std::uint32_t k = 0; k < simplex.size; ++k) sum = sum + points[simplex.vertices[k]];
  return (1.0 / simplex.size) * sum;
}

/// Room for `count` points in the precision of others.
[[nodiscard]] Points make_points_like(const Points& others, std::size_t count);
void set_point(Points& points, std::size_t index, Vec3d place);

/// Ids as signed numbers, of 4 bytes where they hold them, else of 8: what ParaView's and TTK's filters
/// expect.
[[nodiscard]] Field make_id_field(const std::string& name, const Array<std::uint32_t>& ids);

/// `SeparatrixFunctionMaximum`, `Minimum` and `Difference`: values of the field at the highest and the lowest
/// vertex of each cell.
void add_function_range(FieldSet& fields, const Field& field, const Array<VertexId>& highest,
                        const Array<VertexId>& lowest);

/// Error(bad_option) unless all can be names of the gradient's cells.
template <int Dim>
void check_names(const GradientData<Dim>& gradient, std::span<const CellName> cells);

struct WallSource {
  const GradientData<3>& gradient;
  const TetMesh& mesh;
  const Field& field;
  const CriticalTable<3>& table;
  int threads = 1;
};
/// `to_release` may be the walls, which are emptied as soon as they are not needed.
[[nodiscard]] PolyData make_wall_poly(const WallSource& source, const Walls& walls, Walls* to_release);

}  // namespace tessera::detail
