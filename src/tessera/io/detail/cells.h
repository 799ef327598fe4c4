// From the cells a file lists, of many types, to a mesh.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include <tessera/core/array.h>
#include <tessera/io/detail/input.h>
#include <tessera/io/io.h>
#include <tessera/mesh/mesh.h>

namespace tessera::detail::io {

/// VTK's numbers for the cell types that we know.
enum RawType : std::uint8_t {
  empty_cell = 0,
  vertex = 1,
  poly_vertex = 2,
  line = 3,
  poly_line = 4,
  triangle = 5,
  triangle_strip = 6,
  polygon = 7,
  pixel = 8,
  quad = 9,
  tetrahedron = 10,
  voxel = 11,
  hexahedron = 12,
  wedge = 13,
  pyramid = 14,
  // With nodes between their corners. There are more of them: find_linear() knows all that can be read.
  quadratic_edge = 21,
  quadratic_triangle = 22,
  quadratic_quad = 23,
  quadratic_tetrahedron = 24,
  quadratic_hexahedron = 25,
  quadratic_wedge = 26,
  quadratic_pyramid = 27,
  biquadratic_quad = 28,
  triquadratic_hexahedron = 29,
  biquadratic_wedge = 32,
  quadratic_polygon = 36,
  lagrange_curve = 68,
  lagrange_triangle = 69,
  lagrange_tetrahedron = 71,
  lagrange_hexahedron = 72,
  lagrange_pyramid = 74,
};

/// What a cell of higher order is without the nodes between its corners, which follow them.
struct LinearCell {
  RawType type = empty_cell;
  std::uint8_t corners = 0;  ///< 0: half of the nodes
  std::uint8_t nodes = 0;    ///< 0: any number
};
/// `empty_cell` for types that are not of higher order, or not known.
[[nodiscard]] LinearCell find_linear(std::uint8_t type);

/// Where each cell's corners end in the list of all corners. Takes no memory while all cells have the same
/// number of corners, as they have in most files.
class CellEnds {
 public:
  [[nodiscard]] std::uint64_t size() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::uint64_t operator[](std::uint64_t cell) const {
    return ends_.empty() ? corners_ * (cell + 1) : ends_[cell];
  }
  /// Where the next cell begins.
  [[nodiscard]] std::uint64_t last() const { return count_ == 0 ? 0 : (*this)[count_ - 1]; }
  /// Has every cell that many corners?
  [[nodiscard]] bool is_uniform(std::uint64_t corners) const { return ends_.empty() && corners_ == corners; }

  void push_back(std::uint64_t end) {
    if (count_ == 0) corners_ = end;
    if (ends_.empty() && end != corners_ * (count_ + 1)) expand();
    ++count_;
    if (!ends_.empty()) ends_.push_back(end);
  }
  /// The cell that has the corner at that place.
  [[nodiscard]] std::uint64_t cell_of(std::uint64_t corner) const {
    if (ends_.empty()) return corner / corners_;
    return static_cast<std::uint64_t>(std::upper_bound(ends_.begin(), ends_.end(), corner) - ends_.begin());
  }

 private:
  void expand() {
    for (std::uint64_t i = 0; i < count_; ++i) ends_.push_back(corners_ * (i + 1));
  }

  std::uint64_t count_ = 0;
  std::uint64_t corners_ = 0;  // of each cell, while ends_ is empty
  Array<std::uint64_t> ends_;
};

/// What a file holds, without the corners of its cells: they are the bulk of it and are read straight to
/// where they stay when all cells are of one simplex type.
struct RawMesh {
  Points points;
  Array<std::uint8_t> types;
  CellEnds ends;
  FieldSet point_data;
  FieldSet cell_data;
  FieldSet field_data;

  /// Adds a triangle, quad or polygon that ends after `corners` more corners.
  void add_polygon(std::uint64_t corners) {
    types.push_back(corners == 3 ? triangle : corners == 4 ? quad : polygon);
    ends.push_back(ends.last() + corners);
  }
  /// Adds a cell of Gmsh's or Medit's, whose corners were put at the end of `corners`. They order corners as
  /// VTK does, except those of wedges, whose triangles they turn.
  void add_cell(RawType type, Array<std::int64_t>& corners) {
    const std::uint64_t begin = ends.last();
    types.push_back(type);
    ends.push_back(corners.size());
    if (type != wedge && find_linear(type).type != wedge) return;
    std::swap(corners[begin + 1], corners[begin + 2]);
    std::swap(corners[begin + 4], corners[begin + 5]);
  }
};

/// A mesh whose corners are in memory too, as VTK's data sets are joined and made from lattices. Every corner
/// names a point.
struct RawCells {
  RawMesh mesh;
  Array<VertexId> corners;
  int dimension = 3;  ///< what it is taken for if it has no cells
};
using Dataset = std::variant<Grid, RawCells>;

/// Calls polygons of three corners triangles and of four quads, and vertices and lines what they are.
void name_polygons(RawMesh& raw);

/// The place where a reader puts the corners, in the file's order. Checks every one against the points there
/// are.
class CornerSink {
 public:
  CornerSink(const Input& input, std::span<VertexId> to, std::uint64_t points, const CellEnds& ends)
      : input_(input), to_(to), limit_(points), ends_(ends) {}

  /// From here on point i of the file is point `base` + i, and there are `limit` of them.
  void set_piece(std::uint64_t base, std::uint64_t limit) {
    base_ = base;
    limit_ = limit;
  }

  template <class T>
  void put(std::span<const T> corners) {
    TS_EXPECTS(corners.size() <= to_.size());
    // As unsigned numbers of the same width, negative ones are the largest. Loops without an exit are
    // vectorized.
    using Index = std::make_unsigned_t<T>;
    const std::uint64_t limit =
        std::min<std::uint64_t>(limit_, std::uint64_t{std::numeric_limits<T>::max()} + 1);
    Index largest = 0;
    for (const T corner : corners) largest = std::max(largest, static_cast<Index>(corner));
    if (largest >= limit && !corners.empty()) refuse_first(corners, limit);
    const auto base = static_cast<std::uint32_t>(base_);
    for (std::size_t i = 0; i < corners.size(); ++i)
      to_[i] = VertexId(base + static_cast<std::uint32_t>(corners[i]));
    to_ = to_.subspan(corners.size());
    done_ += corners.size();
  }

  /// Corners of RawCells.
  void put_checked(std::span<const VertexId> corners) {
    TS_EXPECTS(corners.size() <= to_.size());
    std::copy(corners.begin(), corners.end(), to_.begin());
    to_ = to_.subspan(corners.size());
  }

 private:
  template <class T>
  [[noreturn]] void refuse_first(std::span<const T> corners, std::uint64_t limit) const {
    std::size_t i = 0;
    while (static_cast<std::make_unsigned_t<T>>(corners[i]) < limit) ++i;
    refuse(done_ + i, std::to_string(corners[i]));
  }
  [[noreturn]] void refuse(std::uint64_t place, const std::string& corner) const;

  const Input& input_;
  std::span<VertexId> to_;  // what is left of it
  std::uint64_t done_ = 0;
  std::uint64_t base_ = 0;
  std::uint64_t limit_;
  const CellEnds& ends_;
};

using FillCorners = std::function<void(CornerSink&)>;

/// Makes the mesh: counts the cell types into the report, keeps, refuses or cuts what is not a simplex,
/// leaves out what has a lower dimension, and repeats cell data for the parts. `dimension` is what a file
/// without cells is taken for.
[[nodiscard]] AnyMesh assemble(const Input& input, RawMesh raw, const FillCorners& fill_corners,
                               int dimension, const ReadOptions& options, FileReport& report);

/// The same for corners that are in memory.
[[nodiscard]] AnyMesh assemble(const Input& input, RawMesh raw, const Array<std::int64_t>& corners,
                               const ReadOptions& options, FileReport& report);

/// The same for a data set; a grid stays one.
[[nodiscard]] AnyMesh assemble(const Input& input, Dataset data, const ReadOptions& options,
                               FileReport& report);

/// "hexahedron", "quadratic tetrahedron", ...
[[nodiscard]] std::string cell_type_name(std::uint8_t type);

}  // namespace tessera::detail::io
