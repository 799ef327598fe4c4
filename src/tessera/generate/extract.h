// Extraction: some cells of a mesh, with the points that they name and all their data.
//
//   select   a flag for each cell: by values of a field, by a box, by hand
//   extract  the flagged cells; points and cells keep their order, points without a cell are left out
//
//   const auto keeps = select_values(mesh, {field}, {{{.low = 3, .high = 5}}});
//   const auto part = extract_cells(mesh, keeps);   // part.mesh, part.vertices, part.cells
//
// NaN lies in no range and in no box.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <tessera/core/array.h>
#include <tessera/core/progress.h>
#include <tessera/core/vec.h>
#include <tessera/exec/exec.h>
#include <tessera/mesh/field.h>
#include <tessera/mesh/mesh.h>

namespace tessera {

struct SelectOptions {
  bool any_point = false;  ///< one point of a cell is enough; otherwise all of them have to be inside
  bool invert = false;     ///< the other cells
  Exec exec = Exec::host();
  const Monitor* monitor = nullptr;
};

/// A field of one component and where its values are.
struct CellCriterion {
  const Field& field;
  bool is_on_cells = false;
};

/// Closed. Integers are compared exactly, whatever their size.
struct ValueRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

/// 1 for each cell whose value, or whose points' values, lie in one of the ranges, which may overlap; else 0.
/// Error(bad_option): a field of several components or another length, a bound that is NaN.
/// Error(bad_mesh): a cell that names a point that is not there. Error(unsupported): a device.
template <int Dim>
[[nodiscard]] Array<std::uint8_t> select_values(const SimplexMesh<Dim>& mesh, const CellCriterion& criterion,
                                                std::span<const ValueRange> ranges,
                                                const SelectOptions& options = {});

/// Closed; `low` is nowhere above `high`.
struct Box {
  Vec3d low, high;
};

/// 1 for each cell with its points in the box. Errors as select_values(); Error(bad_option) for a box that is
/// inside out.
template <int Dim>
[[nodiscard]] Array<std::uint8_t> select_box(const SimplexMesh<Dim>& mesh, const Box& box,
                                             const SelectOptions& options = {});

struct ComponentOptions {
  std::span<const std::uint8_t> among = {};  ///< only cells with a flag that is not 0; empty: all cells
  Exec exec = Exec::host();
  const Monitor* monitor = nullptr;
};

struct Components {
  static constexpr std::uint32_t none = 0xFFFFFFFFu;

  Array<std::uint32_t> ids;    ///< the component of each cell; `none` for cells that are left out
  Array<std::uint32_t> sizes;  ///< the cells of each component: descending; equal ones by their first cell
};

/// Sets of cells that are connected through shared points, as doctor counts them. Besides the result 8 bytes
/// a point. Errors as extract_cells().
template <int Dim>
[[nodiscard]] Components connected_components(const SimplexMesh<Dim>& mesh,
                                              const ComponentOptions& options = {});

struct ExtractOptions {
  Exec exec = Exec::host();
  const Monitor* monitor = nullptr;
};

template <int Dim>
struct Extracted {
  SimplexMesh<Dim> mesh;
  Array<std::uint32_t> vertices;  ///< the input's id of each point, ascending
  Array<std::uint32_t> cells;     ///< the input's id of each cell, ascending
};

/// The cells whose flag is not 0. Fields of points and cells follow, those of the whole mesh are copied. The
/// same bytes for any number of threads. Error(bad_mesh) for a cell that names a point that is not there or a
/// field of another length, Error(bad_option) if there is not a flag for each cell, Error(unsupported) for a
/// device.
template <int Dim>
[[nodiscard]] Extracted<Dim> extract_cells(const SimplexMesh<Dim>& mesh, std::span<const std::uint8_t> keeps,
                                           const ExtractOptions& options = {});

/// The most that extract_cells() takes besides its input if it keeps so many cells.
template <int Dim>
[[nodiscard]] std::uint64_t extracted_bytes(const SimplexMesh<Dim>& mesh, std::size_t kept_cells);

}  // namespace tessera
