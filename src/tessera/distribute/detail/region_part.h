// Where the vertices of one slab flow to.
//
// Vertices flow down from neighbour to neighbour, first cells of vertices flow up from cell to cell. A slab
// owns the vertices of its layers and the cells of the voxel layers below them:
//
//   vertex layer   b - 2    b - 1  |   b    ...   e - 1  |   e
//   voxel layer        b - 2 | b - 1     ...    e - 2 | e - 1
//                            |      cells owned       |
//
// (The first slab has none below; it begins with voxel layer 0.) A cell is paired in the lower star of its
// highest vertex, so the pairs of vertices b - 1 to e - 1 are needed, and values one layer beyond both.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <tessera/core/array.h>
#include <tessera/distribute/slabs.h>
#include <tessera/exec/for_each.h>
#include <tessera/topology/detail/flatten.h>
#include <tessera/topology/detail/grid_gradient.h>

namespace tessera::detail {

/// Where a path ends, or how it goes on.
class Destination {
 public:
  enum class Kind : std::uint32_t {
    extremum,  ///< the number of a minimum or maximum among those of the slab
    below,     ///< a vertex of the layer below, or a cell of the voxel layer below, by its number there
    above,
    outside,  ///< it left the grid
  };
  static constexpr std::uint32_t max_index = (1u << 30) - 1;

  Destination(Kind kind, std::uint32_t index) : bits_(static_cast<std::uint32_t>(kind) << 30 | index) {}

  [[nodiscard]] Kind kind() const { return static_cast<Kind>(bits_ >> 30); }
  [[nodiscard]] std::uint32_t index() const { return bits_ & max_index; }

 private:
  std::uint32_t bits_;
};

/// A forest of paths: what a vertex of the slab, numbered from its first, flows to within the slab.
using Flow = Array<std::uint32_t>;

template <int Dim>
class RegionPart {
 public:
  using Kind = Destination::Kind;
  static constexpr std::uint32_t kinds = GridCells<Dim>::kinds;

  /// `values` are those of the layers that the slab sees, of which there are two at least.
  RegionPart(const GridLattice& whole, const Slab& slab, const Field& values, const Exec& exec,
             const Monitor& monitor)
      : exec_(exec), layer_(Dim == 3 ? whole.dims[0] * whole.dims[1] : whole.dims[0]) {
    first_ = slab.begin - slab.seen_begin;
    end_ = slab.end - slab.seen_begin;
    first_voxel_ = slab.begin == 0 ? 0 : first_ - 1;
    Grid seen;
    std::copy_n(whole.dims.begin(), Dim - 1, seen.dims.begin());
    seen.dims[Dim - 1] = slab.seen();
    const std::size_t rows = Dim == 3 ? whole.dims[1] : 1;
    PartGradient<Dim> part = build_part_gradient<Dim>(
        seen, values, {{rows * first_voxel_, rows * end_}, {rows * first_, rows * end_}}, exec, monitor);
    gradient_ = std::move(part.gradient);
    saddles_ = part.saddles;
    list_extrema();
  }

  [[nodiscard]] std::size_t vertex_count() const { return std::size_t{layer_} * (end_ - first_); }
  [[nodiscard]] std::size_t layer_points() const { return layer_; }
  [[nodiscard]] std::size_t minima() const { return minima_.size(); }
  [[nodiscard]] std::size_t maxima() const { return maxima_.size(); }
  /// Critical cells of the other dimensions, by dimension.
  [[nodiscard]] const std::array<std::size_t, 4>& saddles() const { return saddles_; }

  [[nodiscard]] Flow flow_down() const {
    return make_flow([&](std::uint32_t v) {
      const std::uint32_t low = gradient_->lowest(tiled::VertexId(v));
      return low != none && is_own(low) ? low - first_vertex() : root_entry;
    });
  }
  /// Of a vertex whose flow ends within the slab, numbered as in a flow.
  [[nodiscard]] Destination end_down(std::uint32_t own) const {
    const std::uint32_t v = own + first_vertex();
    const std::uint32_t low = gradient_->lowest(tiled::VertexId(v));
    if (low == none) return {Kind::extremum, number_of(minima_, v)};
    return low < first_vertex() ? Destination(Kind::below, low - (first_vertex() - layer_))
                                : Destination(Kind::above, low - end_ * layer_);
  }

  [[nodiscard]] Flow flow_up() const {
    return make_flow([&](std::uint32_t v) {
      const std::uint32_t next = climb(gradient_->cells().first_top(v)).vertex;
      return next == none ? root_entry : next - first_vertex();
    });
  }
  [[nodiscard]] Destination end_up(std::uint32_t own) const {
    return climb(gradient_->cells().first_top(own + first_vertex())).end;
  }
  /// Of a cell that a path enters: the vertex that it flows to within the slab, or where it ends before.
  struct Entry {
    std::uint32_t vertex;  ///< as in a flow; none: there is none
    Destination end;
  };
  static constexpr std::uint32_t none = GridCells<Dim>::none;
  /// A cell of the first voxel layer that the slab owns, by its number there.
  [[nodiscard]] Entry enter_first(std::uint32_t cell) const {
    return enter(kinds * layer_ * first_voxel_ + cell);
  }
  /// Calls f(number of a cell in the slab's last voxel layer) for all that paths enter from above.
  template <class F>
  void for_each_entry_from_above(const F& f) const {
    const GridCells<Dim>& cells = gradient_->cells();
    const std::uint32_t last_voxel = end_ - 1;  // that above the cells it owns
    if (last_voxel == first_voxel_ || last_voxel + 1 >= cells.lattice().dims[Dim - 1]) return;
    const std::uint32_t begin = kinds * layer_ * last_voxel;
    for (std::uint32_t cell = begin; cell < begin + kinds * layer_; ++cell) {
      if (!cells.has_top(GridCells<Dim>::top(cell)) || gradient_->is_critical(cell)) continue;
      const std::uint32_t next = gradient_->next_cell(cell);
      if (next < begin) f(next - (begin - kinds * layer_));
    }
  }
  [[nodiscard]] Entry enter_last(std::uint32_t cell) const {
    return enter(kinds * layer_ * (end_ - 2) + cell);
  }

 private:
  /// Where the path from a cell comes by the first cell of a vertex, or ends before.
  struct Stop {
    std::uint32_t vertex;
    Destination end;
  };

  [[nodiscard]] std::uint32_t first_vertex() const { return first_ * layer_; }
  [[nodiscard]] bool is_own(std::uint32_t v) const { return v >= first_vertex() && v < end_ * layer_; }

  /// A cell that the slab does not own.
  [[nodiscard]] Destination leave(std::uint32_t cell) const {
    const std::uint32_t begin = kinds * layer_ * first_voxel_;
    if (cell < begin) return {Kind::below, cell - (begin - kinds * layer_)};
    return {Kind::above, cell - kinds * layer_ * (end_ - 1)};
  }
  [[nodiscard]] bool is_own_cell(std::uint32_t cell) const {
    return cell >= kinds * layer_ * first_voxel_ && cell < kinds * layer_ * (end_ - 1);
  }

  [[nodiscard]] Stop climb(std::uint32_t cell) const {
    while (is_own_cell(cell)) {
      if (gradient_->is_critical(cell)) return {none, {Kind::extremum, number_of(maxima_, cell)}};
      cell = gradient_->next_cell(cell);
      if (cell == none) return {none, {Kind::outside, 0}};
      if (!is_own_cell(cell)) break;
      const std::uint32_t vertex = gradient_->cells().vertex_of_first(GridCells<Dim>::top(cell));
      if (vertex != none) return {vertex, {Kind::outside, 0}};
    }
    return {none, leave(cell)};
  }
  [[nodiscard]] Entry enter(std::uint32_t cell) const {
    const Stop stop = climb(cell);
    return {stop.vertex == none ? none : stop.vertex - first_vertex(), stop.end};
  }

  template <class F>
  [[nodiscard]] Flow make_flow(const F& next_of) const {
    Flow flow(vertex_count());
    host_for_each(exec_, flow.size(), [&](std::size_t own) {
      flow[own] = next_of(static_cast<std::uint32_t>(own) + first_vertex());
    });
    flatten(flow, exec_);
    return flow;
  }

  void list_extrema() {
    for (const CriticalCell& cell : gradient_->critical_cells(0)) {
      if (is_own(cell.name.id)) minima_.push_back(cell.name.id);
    }
    for (const CriticalCell& cell : gradient_->critical_cells(Dim)) {
      if (is_own_cell(cell.name.id)) maxima_.push_back(cell.name.id);
    }
  }
  [[nodiscard]] static std::uint32_t number_of(const Array<std::uint32_t>& ascending, std::uint32_t id) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(ascending, id) - ascending.begin());
  }

  Exec exec_;
  std::uint32_t layer_;  ///< points in a layer
  std::uint32_t first_;  ///< of the layers that are owned, among those seen
  std::uint32_t end_;
  std::uint32_t first_voxel_;  ///< likewise of the voxel layers
  std::shared_ptr<const GridGradient<Dim>> gradient_;
  std::array<std::size_t, 4> saddles_ = {};
  Array<std::uint32_t> minima_;  ///< vertices, ascending
  Array<std::uint32_t> maxima_;  ///< cells
};

}  // namespace tessera::detail
