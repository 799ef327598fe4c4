// The cells of a grid, as triangulate() cuts it, by number, and who is joined to whom: arithmetic and tables
// of a few kilobytes, whatever the size of the grid.
//
// A cell is named at its lowest vertex, with a shape: which of the neighbours its other vertices are. What
// lies around a cell is the same everywhere but at the border, so rows are lists of cells by the shape and by
// the sides on which the grid goes on: 64 places. Numbers ascend as the ascending vertices of cells do and
// have no gaps, so they are the canonical ids of the cut.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <vector>

#include <tessera/core/detail/divisor.h>
#include <tessera/mesh/detail/grid_neighbours.h>
#include <tessera/tile/links.h>
#include <tessera/tile/relation.h>

namespace tessera::detail {

/// A cell, seen from a vertex.
struct GridCell {
  GridStep lowest;  ///< its lowest vertex
  std::uint8_t shape = 0;
};

/// What is the same on all grids of a dimension.
template <int Dim>
class GridShapes {
 public:
  static constexpr std::size_t places = 64;
  static constexpr std::size_t most_shapes = 12;
  struct Shape {
    std::array<GridStep, Dim + 1> corners = {};  ///< from the lowest, which comes first
    int low_x = 0;                               ///< -1: the voxel begins before the lowest corner
  };
  struct Row {
    const GridCell* cells = nullptr;
    int size = 0;
  };

  [[nodiscard]] static const GridShapes& get();
  /// Calls f<R>() for every relation.
  template <class F>
  static void for_each_relation(const F& f) {
    const auto call = [&]<class... R>(std::tuple<R...>*) { (f.template operator()<R>(), ...); };
    using Surface = std::tuple<VV, VE, VF, EV, EF, FV, FE, FF, VertexLink<2>, EdgeLink<2>>;
    using Solid = std::tuple<VV, VE, VF, VT, EV, EF, ET, FV, FE, FT, TV, TE, TF, TT, VertexLink<3>,
                             EdgeLink<3>, FaceLink<3>>;
    call(static_cast<std::conditional_t<Dim == 2, Surface, Solid>*>(nullptr));
  }

  [[nodiscard]] const std::vector<Shape>& of(std::size_t dimension) const { return shapes_[dimension]; }
  /// The shapes at a vertex in a place, as bits.
  [[nodiscard]] std::uint32_t present(std::size_t dimension, std::size_t place) const {
    return present_[dimension][place];
  }
  /// The row of a relation, by its slot, for a cell whose lowest vertex is in a place; of the neighbours of
  /// top cells, whose voxel is.
  [[nodiscard]] Row row(std::size_t slot, std::size_t shape, std::size_t place) const {
    const Span& span = rows_[slot][shape * places + place];
    return {cells_.data() + span.begin, static_cast<int>(span.size)};
  }

 private:
  struct Span {
    std::uint32_t begin = 0, size = 0;
  };

  GridShapes();
  void list_shapes();
  template <class R>
  void list_rows();

  std::array<std::vector<Shape>, Dim + 1> shapes_;
  std::array<std::array<std::uint32_t, places>, Dim + 1> present_ = {};
  std::array<std::vector<Span>, RelationKey::count> rows_;
  std::vector<GridCell> cells_;
};

/// The cells of one dimension of a grid.
template <int Dim>
class GridNumbers {
 public:
  struct Place {
    std::array<std::uint32_t, 3> at = {};  ///< the lowest vertex
    std::uint32_t shape = 0;
  };

  GridNumbers(const GridLattice& lattice, std::size_t dimension);
  [[nodiscard]] std::size_t count() const { return count_; }
  /// The number of a cell that there is.
  [[nodiscard]] std::uint32_t number(const std::array<std::uint32_t, 3>& at, std::uint32_t shape) const;
  /// Near a vertex away from the border, the number of shape 0 there and the step to that of another cell.
  [[nodiscard]] std::uint32_t inner_base(const std::array<std::uint32_t, 3>& at) const {
    constexpr std::size_t z = Dim == 2 ? 0 : 1;
    return layers_.before(at[2]) + rows_[z].before(at[1]) + vertices_[3 * z + 1].before(at[0]);
  }
  [[nodiscard]] std::uint32_t inner_step(const GridCell& to) const {
    constexpr std::size_t z = Dim == 2 ? 0 : 1;
    return static_cast<std::uint32_t>(to.lowest.z) * layers_.cells[1] +
           static_cast<std::uint32_t>(to.lowest.y) * rows_[z].cells[1] +
           static_cast<std::uint32_t>(to.lowest.x) * vertices_[3 * z + 1].cells[1] + to.shape;
  }
  /// The cell of a number, which must be below 2^32.
  [[nodiscard]] Place place(std::uint32_t number) const;

 private:
  /// The first, the inner and the last of something along an axis, with so many cells each.
  struct Run {
    std::array<std::uint32_t, 3> cells = {};
    Divisor inner = Divisor(2);
    bool is_single = false;  ///< an inner one has one cell

    [[nodiscard]] std::uint32_t before(std::uint32_t i) const {
      return i == 0 ? 0 : cells[0] + (i - 1) * cells[1];
    }
    /// Which one of n has the cell.
    [[nodiscard]] std::uint32_t find(std::uint32_t cell, std::uint32_t n) const {
      if (cell < cells[0]) return 0;
      const std::uint32_t rest = cell - cells[0];
      const std::uint32_t i = 1 + (is_single ? rest : inner(rest));
      return i < n ? i : n - 1;
    }
  };
  [[nodiscard]] static std::size_t part(std::uint32_t i, std::uint32_t n) {
    return i == 0 ? 0 : i + 1 == n ? 2 : 1;
  }
  [[nodiscard]] std::uint32_t present(const std::array<std::size_t, 3>& parts) const {
    return present_[parts[0] + 3 * (parts[1] + 3 * parts[2])];
  }

  std::array<std::uint32_t, 3> dims_;
  std::size_t count_ = 0;
  std::array<std::uint32_t, 27> present_ = {};  ///< shapes, by the part of each axis
  Run layers_;
  std::array<Run, 3> rows_;      ///< by the part of the layer
  std::array<Run, 9> vertices_;  ///< by the parts of the row and of the layer
};

/// The row of a cell: entry i is base + steps[i].
struct GridRow {
  int size = 0;
  std::uint32_t base = 0;
  const std::uint32_t* steps = nullptr;
};
inline constexpr std::size_t longest_grid_row = 36;  // the triangles of a vertex

template <int Dim>
class GridRelations {
 public:
  static constexpr Kind top = Dim == 3 ? Kind::tet : Kind::face;

  explicit GridRelations(const GridLattice& lattice);

  [[nodiscard]] std::size_t count(Kind kind) const { return numbers(kind).count(); }
  /// The row of a cell that there is, ascending. Away from the border its steps are known; there they are
  /// worked out in `own`.
  template <class R>
  [[nodiscard]] GridRow row(std::uint32_t cell, std::array<std::uint32_t, longest_grid_row>& own) const {
    constexpr std::size_t slot = key_of<R>.index();
    const typename GridNumbers<Dim>::Place place = numbers(R::from).place(cell);
    if (is_inner(place.at)) {
      const InnerRow& inner = inner_[slot][place.shape];
      return {inner.size, numbers(R::to).inner_base(place.at), inner_steps_.data() + inner.begin};
    }
    const typename GridShapes<Dim>::Row row = find_row<R>(place);
    for (int i = 0; i < row.size; ++i) {
      const GridCell& found = row.cells[i];
      own[static_cast<std::size_t>(i)] =
          numbers(R::to).number({place.at[0] + static_cast<std::uint32_t>(found.lowest.x),
                                 place.at[1] + static_cast<std::uint32_t>(found.lowest.y),
                                 place.at[2] + static_cast<std::uint32_t>(found.lowest.z)},
                                found.shape);
    }
    return {row.size, 0, own.data()};
  }
  /// Are all of its vertices on one side of the grid?
  [[nodiscard]] bool is_on_boundary(Kind kind, std::uint32_t cell) const;

 private:
  struct InnerRow {
    std::uint32_t begin = 0;  ///< among the steps
    int size = 0;
  };

  [[nodiscard]] const GridNumbers<Dim>& numbers(Kind kind) const {
    return numbers_[static_cast<std::size_t>(kind)];
  }
  template <class R>
  [[nodiscard]] typename GridShapes<Dim>::Row find_row(const typename GridNumbers<Dim>::Place& cell) const {
    constexpr bool is_of_voxels = R::from == top && R::to == top;
    const int shift = is_of_voxels ? shapes_.of(Dim)[cell.shape].low_x : 0;
    std::size_t place = 0;
    for (std::size_t axis = 0; axis < Dim; ++axis) {
      const std::uint32_t i = axis == 0 ? cell.at[0] + static_cast<std::uint32_t>(shift) : cell.at[axis];
      const std::uint32_t n = lattice_.dims[axis] - (is_of_voxels ? 1 : 0);
      place |= ((i > 0 ? 1u : 0u) | (i + 1 < n ? 2u : 0u)) << 2 * axis;
    }
    return shapes_.row(key_of<R>.index(), cell.shape, place);
  }

  /// Numbers near such a vertex follow from its own: neither it nor its neighbours are at the border.
  [[nodiscard]] bool is_inner(const std::array<std::uint32_t, 3>& at) const {
    bool is_inner = true;
    for (std::size_t axis = 0; axis < Dim; ++axis) is_inner = is_inner && at[axis] - 2 < inner_dims_[axis];
    return is_inner;
  }

  GridLattice lattice_;
  std::array<std::uint32_t, 3> inner_dims_ = {};  ///< how many such places each axis has, from 2 on
  std::array<std::array<InnerRow, GridShapes<Dim>::most_shapes>, RelationKey::count> inner_ = {};
  std::vector<std::uint32_t> inner_steps_;
  const GridShapes<Dim>& shapes_ = GridShapes<Dim>::get();
  std::vector<GridNumbers<Dim>> numbers_;
};

}  // namespace tessera::detail
