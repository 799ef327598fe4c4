// Which cells are sound, and which sound cells name each vertex.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/array.h>
#include <tessera/mesh/detail/doctor_pass.h>
#include <tessera/mesh/mesh.h>

namespace tessera::detail::doctor {

template <int Dim>
using Cell = typename SimplexMesh<Dim>::Cell;

/// The first of these that fits a cell.
enum class CellState : std::uint8_t { out_of_range, repeated_index, duplicate, sound };

template <std::size_t Corners>
[[nodiscard]] bool is_in_range(const std::array<VertexId, Corners>& cell, std::size_t vertex_count) {
  for (const VertexId v : cell) {
    if (v.index() >= vertex_count) return false;
  }
  return true;
}

/// The first corner that an earlier corner names too; invalid if there is none.
template <std::size_t Corners>
[[nodiscard]] VertexId find_repeated(const std::array<VertexId, Corners>& cell) {
  for (std::size_t i = 1; i < Corners; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (cell[i] == cell[j]) return cell[i];
    }
  }
  return {};
}

/// Rows of cells, one for each vertex, in no particular order. Offsets are 8 bytes: 4 cells a tetrahedron
/// can be more than 2^32 in all.
///
///   ends   3   3   7        row v = cells[ends[v - 1] .. ends[v])
///   cells  a b c   |   d e f g
class VertexStars {
 public:
  VertexStars() = default;
  VertexStars(Array<std::uint64_t> ends, Array<std::uint32_t> cells)
      : ends_(std::move(ends)), cells_(std::move(cells)) {}

  [[nodiscard]] std::size_t size() const { return ends_.size(); }
  [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t v) const {
    const std::uint64_t begin = v == 0 ? 0 : ends_[v - 1];
    return {cells_.data() + begin, static_cast<std::size_t>(ends_[v] - begin)};
  }

 private:
  Array<std::uint64_t> ends_;
  Array<std::uint32_t> cells_;
};

/// The cells sorted out. Rows of `stars` hold duplicates too; passes skip what is not sound.
struct SortedOut {
  Array<CellState> states;  ///< one a cell
  VertexStars stars;

  [[nodiscard]] bool is_sound(std::size_t cell) const { return states[cell] == CellState::sound; }
};

/// Announces that the cells around v will be read soon.
template <class Cell>
void prefetch_star(const SortedOut& sorted, std::size_t v, std::span<const Cell> cells) {
  if (v >= sorted.stars.size()) return;
  for (const std::uint32_t c : sorted.stars[v]) {
    prefetch(&cells[c]);
    prefetch(&sorted.states[c]);
  }
}

/// Of equal cells the one with the smallest id is sound. 17 bytes a tetrahedron, 13 a triangle, 8 a vertex.
template <int Dim>
[[nodiscard]] SortedOut sort_out_cells(const PassContext& context, std::span<const Cell<Dim>> cells,
                                       std::size_t vertex_count);

}  // namespace tessera::detail::doctor
