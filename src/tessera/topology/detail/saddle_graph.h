// The graph that walls and connectors walk: edges of tetrahedra, joined through the triangles they are paired
// with.
//
//   edge (v, place) ──paired with──► triangle ──► its other two edges
//
// An edge that is paired with a vertex leads nowhere; a critical one is an end.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <tessera/topology/detail/gradient_source.h>

namespace tessera::detail {

/// An edge as the search meets it.
struct SearchEdge {
  std::uint32_t edge;       ///< its number
  tiled::VertexId highest;  ///< the vertex in whose row it is
  std::uint32_t parent;  ///< place in the search of the edge it was reached from; none from the saddle itself
};

/// Breadth-first search from 2-saddles, one after the other. Takes a bit an edge.
template <class Source>
class SaddleSearch {
 public:
  static constexpr std::uint32_t none = Source::none;

  explicit SaddleSearch(const Source& gradient)
      : gradient_(gradient), seen_((gradient.edge_end() + 63) / 64, 0) {}

  /// Finds all edges below a critical triangle; critical ones among them are `ends`.
  void run(const CriticalCell& saddle) {
    for (const SearchEdge& edge : edges_) seen_[edge.edge / 64] = 0;
    edges_.clear();
    ends_.clear();
    push_edges_of(gradient_.row_triangle(saddle), none);
    for (std::uint32_t i = 0; i < edges_.size(); ++i) {
      const SearchEdge at = edges_[i];
      const std::uint32_t place = gradient_.place_of_edge(at.highest, at.edge);
      const std::uint32_t third = gradient_.triangle_of(at.highest, place);
      if (third == none) {
        ends_.push_back(i);
      } else {
        push_edges_of(gradient_.row_triangle(at.highest, place, third), i);
      }
    }
  }

  /// What was found, in the order it was found.
  [[nodiscard]] const std::vector<SearchEdge>& edges() const { return edges_; }
  /// Places in edges() of critical ones.
  [[nodiscard]] const std::vector<std::uint32_t>& ends() const { return ends_; }
  /// The triangle that an edge is paired with.
  [[nodiscard]] CellName triangle_of(const SearchEdge& edge) const {
    const std::uint32_t place = gradient_.place_of_edge(edge.highest, edge.edge);
    return gradient_.name_of(
        gradient_.row_triangle(edge.highest, place, gradient_.triangle_of(edge.highest, place)));
  }

 private:
  void push_edges_of(const RowTriangle& t, std::uint32_t parent) {
    push(t.highest, t.high, parent);
    push(t.highest, t.low, parent);
    const RowEdge lowest = gradient_.lowest_edge_of(t);
    push(lowest.highest, lowest.place, parent);
  }

  void push(tiled::VertexId v, std::uint32_t place, std::uint32_t parent) {
    if (gradient_.is_lowest(v, place)) return;  // paired with a vertex
    const std::uint32_t edge = gradient_.edge(v, place);
    const std::uint64_t bit = std::uint64_t{1} << (edge % 64);
    if ((seen_[edge / 64] & bit) != 0) return;
    seen_[edge / 64] |= bit;
    edges_.push_back({edge, v, parent});
  }

  const Source& gradient_;
  std::vector<std::uint64_t> seen_;
  std::vector<SearchEdge> edges_;
  std::vector<std::uint32_t> ends_;
};

}  // namespace tessera::detail
