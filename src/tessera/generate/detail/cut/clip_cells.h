// How one cell is clipped: its corners sorted by their sides, what is left of it, and the edges that are cut.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <tessera/core/id.h>
#include <tessera/generate/detail/common/parts.h>
#include <tessera/mesh/cell_mesh.h>

namespace tessera::detail {

/// The side of a point. Cells with an `unknown` corner are dropped.
enum class Side : std::uint8_t { dropped, on, kept, unknown };

/// A cell whose corners were sorted: those that are kept, those on the plane, those that are dropped.
template <int Dim>
struct SortedCell {
  using Cell = typename SimplexMesh<Dim>::Cell;

  Cell corners{};
  std::uint32_t kept = 0;
  std::uint32_t on = 0;
  std::uint32_t dropped = 0;
  bool is_odd = false;       ///< the sorted cell is turned the other way
  bool is_unusable = false;  ///< nothing is kept, because a corner is unknown or it cannot be cut

  [[nodiscard]] bool is_whole() const { return kept == Dim + 1; }
  [[nodiscard]] bool is_cut() const { return kept > 0 && dropped > 0; }
  /// Edges between kept and dropped corners.
  [[nodiscard]] std::uint32_t cut_edges() const { return is_cut() ? kept * dropped : 0; }
  /// How many cells are left of it.
  [[nodiscard]] std::uint32_t parts() const {
    if (!is_cut()) return is_whole() ? 1 : 0;
    return kept == 1 ? 1 : Dim == 2 || on == 1 ? 2 : 3;
  }
  [[nodiscard]] VertexId dropped_corner(std::size_t i) const { return corners[kept + on + i]; }
};

/// Sorts the corners of a cell that has to be cut. Any other comes back as it is, with all its corners kept
/// or none.
template <int Dim>
[[nodiscard]] SortedCell<Dim> sort_corners(const typename SimplexMesh<Dim>::Cell& cell, const Side* sides) {
  const auto bit = [](Side side) { return 1u << static_cast<unsigned>(side); };
  unsigned seen = 0;
  for (const VertexId v : cell) seen |= bit(sides[v.index()]);
  const bool is_known = (seen & bit(Side::unknown)) == 0;
  if (is_known && (seen & bit(Side::dropped)) == 0) return {.corners = cell, .kept = Dim + 1};
  if (is_known && (seen & bit(Side::kept)) == 0) return {};
  if (!is_known || is_degenerate(cell)) return {.is_unusable = true};

  SortedCell<Dim> sorted;
  std::array<std::size_t, Dim + 1> order{};
  std::size_t next = 0;
  const auto add = [&](Side side, std::uint32_t& count) {
    for (std::size_t i = 0; i < cell.size(); ++i) {
      if (sides[cell[i].index()] != side) continue;
      order[next++] = i;
      ++count;
    }
  };
  add(Side::kept, sorted.kept);
  add(Side::on, sorted.on);
  add(Side::dropped, sorted.dropped);
  for (std::size_t i = 0; i < order.size(); ++i) {
    sorted.corners[i] = cell[order[i]];
    for (std::size_t j = 0; j < i; ++j) sorted.is_odd ^= order[j] > order[i];
  }
  return sorted;
}

/// Calls emit(cell) for each of cell.parts(). Corners are numbered by old_id(corner) and cut edges by
/// new_id(k), k = i * dropped + j for the edge from kept corner i to dropped corner j; every new id is above
/// every old one.
template <int Dim, class OldId, class NewId, class Emit>
void emit_parts(const SortedCell<Dim>& cell, const OldId& old_id, const NewId& new_id, const Emit& emit) {
  using Cell = typename SimplexMesh<Dim>::Cell;
  const auto turned = [&](Cell part) {
    if (cell.is_odd) std::swap(part[Dim - 1], part[Dim]);
    emit(part);
  };
  const auto old = [&](std::size_t i) { return old_id(cell.corners[i]); };
  const auto cut = [&](std::size_t i, std::size_t j) { return new_id(i * cell.dropped + j); };
  if (!cell.is_cut() || cell.kept == 1) {
    Cell part;
    const std::size_t rest = cell.kept + cell.on;
    for (std::size_t i = 0; i <= Dim; ++i) part[i] = i < rest ? old(i) : cut(0, i - rest);
    return turned(part);
  }
  const VertexId a = old(0);
  const VertexId b = old(1);
  if constexpr (Dim == 2) {
    const VertexId at_a = cut(0, 0);
    const VertexId at_b = cut(1, 0);
    turned(a < b ? Cell{a, b, at_b} : Cell{b, at_b, at_a});
    turned(a < b ? Cell{a, at_b, at_a} : Cell{b, at_a, a});
  } else if (cell.on == 1) {
    const std::array<VertexId, 5> pyramid = {a, cut(0, 0), cut(1, 0), b, old(2)};
    cut_from_smallest(CellType::pyramid, pyramid, turned);
  } else if (cell.kept == 2) {
    const std::array<VertexId, 6> wedge = {a, cut(0, 1), cut(0, 0), b, cut(1, 1), cut(1, 0)};
    cut_from_smallest(CellType::wedge, wedge, turned);
  } else {
    const std::array<VertexId, 6> wedge = {a, old(2), b, cut(0, 0), cut(2, 0), cut(1, 0)};
    cut_from_smallest(CellType::wedge, wedge, turned);
  }
}

}  // namespace tessera::detail
