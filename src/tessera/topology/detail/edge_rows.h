// In whose row is an edge? For those who ask for many: a table of every sixteenth edge and a few steps from
// there, where GradientData::highest_of_edge() searches all vertices.
#pragma once

#include <cstdint>
#include <vector>

#include <tessera/topology/detail/gradient_data.h>
#include <tessera/topology/detail/grid_gradient.h>

namespace tessera::detail {

/// The gradient must outlive it.
template <class Source>
class EdgeRows;

/// Takes a quarter of a byte per edge.
template <>
class EdgeRows<GradientData<3>> {
 public:
  explicit EdgeRows(const GradientData<3>& gradient) : gradient_(gradient) {
    owners_.reserve(gradient.edge_count() / step + 1);
    for (std::uint32_t v = 0; v < gradient.tiles().vertex_count(); ++v) {
      const std::size_t end =
          gradient.first_edge(tiled::VertexId(v)) + gradient.lower(tiled::VertexId(v)).size();
      while (owners_.size() * step < end) owners_.push_back(v);
    }
  }

  /// The highest vertex of an edge.
  [[nodiscard]] tiled::VertexId highest_of(std::uint32_t edge) const {
    std::uint32_t v = owners_[edge / step];
    while (edge - gradient_.first_edge(tiled::VertexId(v)) >= gradient_.lower(tiled::VertexId(v)).size()) ++v;
    return tiled::VertexId(v);
  }

 private:
  static constexpr std::uint32_t step = 16;

  const GradientData<3>& gradient_;
  std::vector<std::uint32_t> owners_;
};

/// A grid's edge says it.
template <>
class EdgeRows<GridGradient<3>> {
 public:
  explicit EdgeRows(const GridGradient<3>& gradient) : gradient_(gradient) {}
  [[nodiscard]] tiled::VertexId highest_of(std::uint32_t edge) const {
    return gradient_.highest_of_edge(edge);
  }

 private:
  const GridGradient<3>& gradient_;
};

}  // namespace tessera::detail
