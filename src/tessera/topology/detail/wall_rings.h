// The cells around edges in cyclic order: the dual polygons that ascending walls are made of.
//
// In the star of a vertex, neighbours and cells are bits of a word. The cells around an edge are then a word,
// and the next one across a triangle is the other bit of two words' intersection. Large stars, and edges
// around which cells do not follow each other one by one, take a general path.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <tessera/topology/detail/gradient_data.h>
#include <tessera/topology/detail/star_numbers.h>
#include <tessera/topology/detail/star_source.h>

namespace tessera::detail {

/// A cell around an edge with its two other vertices.
struct RingCell {
  std::uint32_t input;                  ///< its input id, which decides where rings begin
  std::uint32_t cell;                   ///< a local number
  std::array<std::uint32_t, 2> others;  ///< ascending

  [[nodiscard]] bool has(std::uint32_t vertex) const { return others[0] == vertex || others[1] == vertex; }
  [[nodiscard]] std::uint32_t other_than(std::uint32_t vertex) const {
    return others[0] == vertex ? others[1] : others[0];
  }
};

/// Puts the cells around an edge into cyclic order: from the lowest one at an end if the ring is open, else
/// from the lowest towards the lower of its neighbours.
void sort_ring(std::span<RingCell> ring);

/// Rings around the edges of one vertex after the other. One for each worker.
template <class Stars>
class WallRings {
 public:
  WallRings(const GradientData<3>& gradient, Stars stars) : gradient_(gradient), stars_(std::move(stars)) {}

  void load(TileId tile) {
    if constexpr (requires { stars_.load(tile); }) stars_.load(tile);
  }

  void select(tiled::VertexId v) {
    stars_.select(v);
    inputs_.clear();
    for (const StarCell<3>& cell : stars_.star())
      inputs_.push_back(gradient_.to_input_cell(stars_.cell_id(cell.cell)).index());
    is_large_ = !try_number();
    if (is_large_) sort_by_vertex();
  }

  /// Appends the ring around the edge to a neighbour; gives its size.
  std::uint32_t append_ring(std::uint32_t low, Array<TetId>& rings) {
    const std::size_t begin = rings.size();
    if (is_large_ || !try_walk(low, rings)) {
      rings.resize(begin);
      collect_ring(low);
      sort_ring(ring_);
      for (const RingCell& cell : ring_) rings.push_back(TetId(cell.input));
    }
    return static_cast<std::uint32_t>(rings.size() - begin);
  }

 private:
  using Word = std::uint64_t;
  static Word bit(std::uint32_t i) { return Word{1} << i; }
  static std::uint32_t lowest_bit(Word bits) { return static_cast<std::uint32_t>(std::countr_zero(bits)); }

  /// False if the neighbours or the cells are too many for a word.
  bool try_number() {
    if (stars_.star().size() > 64) return false;
    with_.fill(0);
    vertices_.clear();
    return numbers_.number(stars_, [&](const auto& numbers, Word bits, std::uint32_t) {
      for (const std::uint32_t n : numbers) with_[n] |= bit(static_cast<std::uint32_t>(vertices_.size()));
      vertices_.push_back(bits);
    });
  }

  /// False where the cells do not follow each other one by one.
  bool try_walk(std::uint32_t low, Array<TetId>& rings) const {
    const std::uint32_t edge = number_of(low);
    const Word around = with_[edge];
    const auto others = [&](std::uint32_t cell) { return vertices_[cell] & ~bit(edge); };
    const std::uint32_t start = first_of(starts(around, others));
    Word rest = around & ~bit(start);
    Word leave = first_exit(rest, others(start));
    rings.push_back(TetId(inputs_[start]));
    while (rest != 0) {
      const Word next = leave == 0 ? 0 : rest & with_[lowest_bit(leave)];
      if (!std::has_single_bit(next)) return false;
      rest &= ~next;
      const std::uint32_t cell = lowest_bit(next);
      rings.push_back(TetId(inputs_[cell]));
      leave = others(cell) & ~leave;
    }
    return true;
  }

  /// The cells at the ends of an open ring, else all of them. A vertex at an end is in one cell, so that it
  /// is left when those in two cancel each other.
  template <class Others>
  [[nodiscard]] Word starts(Word around, const Others& others) const {
    Word odd = 0;
    for_each_bit(around, [&](std::uint32_t cell) { odd ^= others(cell); });
    Word ends = 0;
    for_each_bit(odd, [&](std::uint32_t vertex) {
      const Word cells = around & with_[vertex];
      if (std::has_single_bit(cells)) ends |= cells;
    });
    return ends != 0 ? ends : around;
  }

  /// The one with the lowest input id.
  [[nodiscard]] std::uint32_t first_of(Word cells) const {
    std::uint32_t first = lowest_bit(cells);
    for_each_bit(cells, [&](std::uint32_t cell) {
      if (inputs_[cell] < inputs_[first]) first = cell;
    });
    return first;
  }

  /// Of the two vertices of the first cell, the one across from which the lower neighbour is; none if one of
  /// them has several.
  [[nodiscard]] Word first_exit(Word rest, Word others) const {
    const Word high = others & (others - 1);
    const Word low = others & ~high;
    const Word across_low = rest & with_[lowest_bit(low)];
    const Word across_high = rest & with_[lowest_bit(high)];
    if (std::popcount(across_low) > 1 || std::popcount(across_high) > 1) return 0;
    if (across_low == 0 || across_high == 0) return across_low != 0 ? low : high;
    return inputs_[lowest_bit(across_low)] < inputs_[lowest_bit(across_high)] ? low : high;
  }

  template <class F>
  static void for_each_bit(Word bits, const F& f) {
    for (; bits != 0; bits &= bits - 1) f(lowest_bit(bits));
  }

  [[nodiscard]] std::uint32_t number_of(std::uint32_t vertex) const {
    const auto locals = numbers_.locals();
    std::uint32_t n = 1;
    while (stars_.vertex_id(locals[n]) != vertex) ++n;
    return n;
  }

  /// Cells of a large star are sorted by their vertices, so that nobody looks at all of them for each edge.
  void sort_by_vertex() {
    by_vertex_.clear();
    for (std::uint32_t i = 0; i < stars_.star().size(); ++i) {
      for (const std::uint32_t vertex : stars_.star()[i].others)
        by_vertex_.emplace_back(stars_.vertex_id(vertex), i);
    }
    std::sort(by_vertex_.begin(), by_vertex_.end());
  }

  void collect_ring(std::uint32_t low) {
    ring_.clear();
    if (!is_large_) {
      for_each_bit(with_[number_of(low)], [&](std::uint32_t i) { add_cell(i, low); });
      return;
    }
    for (auto at = std::lower_bound(by_vertex_.begin(), by_vertex_.end(), std::pair{low, 0U});
         at != by_vertex_.end() && at->first == low; ++at)
      add_cell(at->second, low);
  }

  void add_cell(std::uint32_t i, std::uint32_t low) {
    const StarCell<3>& cell = stars_.star()[i];
    std::array<std::uint32_t, 2> others = {};
    std::size_t count = 0;
    for (const std::uint32_t vertex : cell.others) {
      if (stars_.vertex_id(vertex) != low) others[count++] = stars_.vertex_id(vertex);
    }
    const auto [a, b] = std::minmax(others[0], others[1]);
    ring_.push_back({inputs_[i], cell.cell, {a, b}});
  }

  const GradientData<3>& gradient_;
  Stars stars_;
  StarNumbers<3> numbers_;
  bool is_large_ = false;
  std::vector<std::uint32_t> inputs_;            ///< input ids of the star's cells
  std::vector<Word> vertices_;                   ///< the numbers of their vertices
  std::array<Word, StarNumbers<3>::most> with_;  ///< by number: the cells with that neighbour
  std::vector<std::pair<std::uint32_t, std::uint32_t>>
      by_vertex_;               ///< of a large star: (vertex, place in it)
  std::vector<RingCell> ring_;  ///< of the current edge
};

}  // namespace tessera::detail
