// Gradients that are turned around along some paths: what simplification walks on. The gradient itself is
// left as it is; steps that differ are kept aside.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include <tessera/topology/detail/gradient_source.h>

namespace tessera::detail {

/// From a vertex over an edge to the next vertex, or from a cell over a facet to the next cell.
struct FlowStep {
  CellName via;
  std::uint32_t next;  ///< none: outside
};

/// Vertices that flow down to minima.
template <class Source>
class DescendingFlow {
 public:
  explicit DescendingFlow(const Source& gradient) : gradient_(gradient) {}
  static constexpr std::uint32_t dimension = 0;

  /// Where the gradient itself goes; nothing at a minimum.
  [[nodiscard]] std::optional<FlowStep> first_step(std::uint32_t v) const {
    const std::uint32_t next = gradient_.lowest(tiled::VertexId(v));
    if (next == Source::none) return std::nullopt;
    return FlowStep{gradient_.lowest_edge(tiled::VertexId(v)), next};
  }
  /// The minimum that the gradient itself leads to.
  [[nodiscard]] std::uint32_t first_end(std::uint32_t v) const {
    for (std::uint32_t next = gradient_.lowest(tiled::VertexId(v)); next != Source::none;
         next = gradient_.lowest(tiled::VertexId(v)))
      v = next;
    return v;
  }
  /// The two ends of the critical edge of that number.
  [[nodiscard]] std::array<std::uint32_t, 2> starts(std::uint32_t edge) const {
    const CriticalCell& cell = gradient_.critical_cells(1)[edge];
    const tiled::VertexId highest = gradient_.highest(cell);
    return {highest.index(), gradient_.neighbour(highest, gradient_.place(cell))};
  }

 private:
  const Source& gradient_;
};

/// Cells that flow up to maxima.
template <class Source>
class AscendingFlow {
 public:
  explicit AscendingFlow(const Source& gradient) : gradient_(gradient) {}
  static constexpr std::uint32_t dimension = Source::dim;

  [[nodiscard]] std::optional<FlowStep> first_step(std::uint32_t cell) const {
    if (gradient_.is_critical(cell)) return std::nullopt;
    return FlowStep{gradient_.next_facet(cell), gradient_.next_cell(cell)};
  }
  /// The maximum that the gradient itself leads to; none: outside.
  [[nodiscard]] std::uint32_t first_end(std::uint32_t cell) const {
    while (cell != Source::none && !gradient_.is_critical(cell)) cell = gradient_.next_cell(cell);
    return cell;
  }
  /// The cells around the critical facet of that number.
  [[nodiscard]] std::span<const std::uint32_t> starts(std::uint32_t facet) const {
    return gradient_.cofaces(facet);
  }

 private:
  const Source& gradient_;
};

/// One of the two above, turned around here and there.
template <class Flow>
class TurnedFlow : public Flow {
 public:
  using Flow::Flow;
  static constexpr std::uint32_t none = 0xFFFFFFFFu;

  [[nodiscard]] std::optional<FlowStep> step(std::uint32_t at) const {
    const auto found = turned_.find(at);
    return found == turned_.end() ? Flow::first_step(at) : found->second;
  }

  /// Turns the path from `near`, beside the saddle, to its extremum around: it then leads over the saddle to
  /// `far` (none: outside).
  void turn(const CellName& saddle, std::uint32_t near, std::uint32_t far) {
    FlowStep back{saddle, far};
    for (std::uint32_t at = near; at != none;) {
      const auto forth = step(at);
      turned_.insert_or_assign(at, back);
      if (!forth.has_value()) return;
      back = {forth->via, at};
      at = forth->next;
    }
  }

 private:
  std::unordered_map<std::uint32_t, FlowStep> turned_;  // looked up only
};

/// An edge of a wall and the vertex in whose row it is.
struct WallEdge {
  std::uint32_t edge;
  tiled::VertexId highest;
};

/// Edges that flow down through triangles to critical edges (saddle_graph.h), turned around here and there.
template <class Source>
class TurnedWalls {
 public:
  explicit TurnedWalls(const Source& gradient) : gradient_(gradient) {}

  /// The triangle an edge is paired with; nothing for critical edges and those paired with a vertex.
  [[nodiscard]] std::optional<RowTriangle> triangle_of(const WallEdge& at) const {
    const auto found = turned_.find(at.edge);
    if (found != turned_.end()) return found->second;
    const std::uint32_t place = gradient_.place_of_edge(at.highest, at.edge);
    if (gradient_.is_lowest(at.highest, place)) return std::nullopt;
    const std::uint32_t third = gradient_.triangle_of(at.highest, place);
    if (third == Source::none) return std::nullopt;
    return gradient_.row_triangle(at.highest, place, third);
  }
  /// Is it paired with a vertex?
  [[nodiscard]] bool is_lowest(const WallEdge& at) const {
    return gradient_.is_lowest(at.highest, gradient_.place_of_edge(at.highest, at.edge));
  }
  /// From its highest vertices to its lowest.
  [[nodiscard]] std::array<WallEdge, 3> edges_of(const RowTriangle& t) const {
    const RowEdge lowest = gradient_.lowest_edge_of(t);
    return {WallEdge{gradient_.edge(t.highest, t.high), t.highest},
            WallEdge{gradient_.edge(t.highest, t.low), t.highest},
            WallEdge{gradient_.edge(lowest.highest, lowest.place), lowest.highest}};
  }

  /// Turns a path of edges around, from beside the triangle to a critical edge at its end.
  void turn(const RowTriangle& saddle, const std::vector<WallEdge>& path) {
    RowTriangle back = saddle;
    for (const WallEdge& edge : path) {
      const auto forth = triangle_of(edge);
      turned_.insert_or_assign(edge.edge, back);
      if (forth.has_value()) back = *forth;
    }
  }

 private:
  const Source& gradient_;
  std::unordered_map<std::uint32_t, RowTriangle> turned_;
};

}  // namespace tessera::detail
