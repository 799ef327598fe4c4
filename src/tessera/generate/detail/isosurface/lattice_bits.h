// A field on a lattice as one bit a point, and what the bits say about its level set.
//
// Bit i of row (j, k) is set where the value is at or above the isovalue ("high"). The exclusive or of a word
// with its neighbours marks the crossed edges of 64 points at once, and counting bits numbers them: an edge's
// vertex id is the number of crossed edges before it in the order (row, axis, i). Nothing is ever merged.
//
//   row    . . # # # . # .        x crossings  . # . . # # #     ids of the row: x 0..3, then y, then z
//   next   . # # # . . . .        y crossings  . # . . # . # .
//
// Everything here runs on host and device.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <tessera/core/macros.h>

namespace tessera::detail::lattice {

inline constexpr std::uint32_t word_bits = 64;

[[nodiscard]] TS_HD inline std::uint32_t count_bits(std::uint64_t word) {
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint32_t>(__popcll(word));
#else
  return static_cast<std::uint32_t>(std::popcount(word));
#endif
}

/// How many vertices on edges along x, y and z begin in a row, and how many triangles its cells have; after a
/// scan the numbers of the first ones.
struct RowCounts {
  std::array<std::uint32_t, 3> vertices{};
  std::uint32_t triangles = 0;
};

/// The eight corners of 64 cells of a row, by cube corner, and the cells whose corners differ.
struct CellWords {
  std::uint64_t corner[8];
  std::uint64_t active;

  [[nodiscard]] TS_HD std::uint32_t case_of(std::uint32_t bit) const {
    std::uint32_t high = 0;
    for (std::uint32_t c = 0; c < 8; ++c) high |= static_cast<std::uint32_t>(corner[c] >> bit & 1) << c;
    return high;
  }
  /// The triangles of the active cells, by Euler's formula instead of a table: a cell has as many as high
  /// corners, less two for every face whose corners are all high, less four if all but two opposite corners
  /// are.
  [[nodiscard]] TS_HD std::uint32_t triangles() const {
    const std::uint64_t* c = corner;
    std::uint32_t corners = 0;
    for (int i = 0; i < 8; ++i) corners += count_bits(c[i] & active);
    const std::uint64_t low_x = c[0] & c[2];  // the corners along y at z = 0, x = 0, and so on
    const std::uint64_t low_x_up = c[4] & c[6];
    const std::uint64_t high_x = c[1] & c[3];
    const std::uint64_t high_x_up = c[5] & c[7];
    const std::uint32_t faces =
        count_bits(low_x & low_x_up & active) + count_bits(high_x & high_x_up & active) +
        count_bits(low_x & high_x & active) + count_bits(low_x_up & high_x_up & active) +
        count_bits(c[0] & c[1] & c[4] & c[5] & active) + count_bits(c[2] & c[3] & c[6] & c[7] & active);
    std::uint32_t opposite = 0;
    for (int i = 0; i < 4; ++i) {
      std::uint64_t rest = active & ~c[i] & ~c[7 - i];
      for (int other = 0; other < 4; ++other) {
        if (other != i) rest &= c[other] & c[7 - other];
      }
      opposite += count_bits(rest);
    }
    return corners - 2 * faces - 4 * opposite;
  }
};

/// The bits of a lattice and the questions they answer. `whole`, if there is one, has a bit for each cell
/// without a NaN corner, at its lowest point; other cells have no triangles, and edges that are in no whole
/// cell no vertices.
struct View {
  const std::uint64_t* high = nullptr;
  const std::uint64_t* whole = nullptr;
  std::uint32_t nx = 0;
  std::uint32_t ny = 0;
  std::uint32_t nz = 0;
  std::uint32_t words = 0;  ///< in a row

  [[nodiscard]] TS_HD std::size_t row(std::uint32_t j, std::uint32_t k) const {
    return j + static_cast<std::size_t>(ny) * k;
  }
  [[nodiscard]] TS_HD std::size_t rows() const { return static_cast<std::size_t>(ny) * nz; }

  /// Word w of a row.
  [[nodiscard]] TS_HD std::uint64_t at(std::size_t row, std::uint32_t w) const {
    return high[row * words + w];
  }
  /// The same, one point further along x.
  [[nodiscard]] TS_HD std::uint64_t after(std::size_t row, std::uint32_t w) const {
    const std::uint64_t* word = high + row * words + w;
    return word[0] >> 1 | (w + 1 < words ? word[1] << (word_bits - 1) : 0);
  }
  /// The points of word w that have a neighbour along x.
  [[nodiscard]] TS_HD std::uint64_t inner(std::uint32_t w) const {
    const std::uint32_t left = nx - 1 - w * word_bits;
    return left >= word_bits ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
  }

  [[nodiscard]] TS_HD std::uint64_t x_edges(std::uint32_t j, std::uint32_t k, std::uint32_t w) const {
    const std::size_t r = row(j, k);
    const std::uint64_t crossed = (at(r, w) ^ after(r, w)) & inner(w);
    if (whole == nullptr || crossed == 0) return crossed;
    return crossed & (cells(j, k, w) | cells(j - 1, k, w) | cells(j, k - 1, w) | cells(j - 1, k - 1, w));
  }
  [[nodiscard]] TS_HD std::uint64_t y_edges(std::uint32_t j, std::uint32_t k, std::uint32_t w) const {
    if (j + 1 >= ny) return 0;
    const std::uint64_t crossed = at(row(j, k), w) ^ at(row(j + 1, k), w);
    if (whole == nullptr || crossed == 0) return crossed;
    return crossed & (beside(j, k, w) | beside(j, k - 1, w));
  }
  [[nodiscard]] TS_HD std::uint64_t z_edges(std::uint32_t j, std::uint32_t k, std::uint32_t w) const {
    if (k + 1 >= nz) return 0;
    const std::uint64_t crossed = at(row(j, k), w) ^ at(row(j, k + 1), w);
    if (whole == nullptr || crossed == 0) return crossed;
    return crossed & (beside(j, k, w) | beside(j - 1, k, w));
  }
  [[nodiscard]] TS_HD std::uint64_t edges(int axis, std::uint32_t j, std::uint32_t k, std::uint32_t w) const {
    return axis == 0 ? x_edges(j, k, w) : axis == 1 ? y_edges(j, k, w) : z_edges(j, k, w);
  }

  /// The cells whose lowest points are word w of row (j, k), which has cells.
  [[nodiscard, gnu::always_inline]] TS_HD inline CellWords cell_words(std::uint32_t j, std::uint32_t k,
                                                                      std::uint32_t w) const {
    CellWords result;
    std::uint64_t any = 0;
    std::uint64_t all = ~std::uint64_t{0};
    for (std::uint32_t side = 0; side < 4; ++side) {
      const std::size_t r = row(j + (side & 1), k + (side >> 1));
      result.corner[2 * side] = at(r, w);
      result.corner[2 * side + 1] = after(r, w);
      any |= result.corner[2 * side] | result.corner[2 * side + 1];
      all &= result.corner[2 * side] & result.corner[2 * side + 1];
    }
    result.active = any & ~all & inner(w);
    if (whole != nullptr) result.active &= cells(j, k, w);
    return result;
  }

  /// What word w of a row adds to its counts.
  [[nodiscard]] TS_HD RowCounts count_word(std::uint32_t j, std::uint32_t k, std::uint32_t w) const {
    const bool has_cells = j + 1 < ny && k + 1 < nz;
    if (has_cells && whole == nullptr) return count_crossings(cell_words(j, k, w), w);
    RowCounts counts;
    for (int axis = 0; axis < 3; ++axis) counts.vertices[axis] = count_bits(edges(axis, j, k, w));
    if (has_cells) counts.triangles = cell_words(j, k, w).triangles();
    return counts;
  }
  /// The same from the cells of the word, where no value is NaN.
  [[nodiscard]] TS_HD RowCounts count_crossings(const CellWords& here, std::uint32_t w) const {
    RowCounts counts;
    // Without a crossed cell every edge that begins here is one of a cell that is not crossed.
    if (here.active == 0 && inner(w) != 0) return counts;
    counts.vertices[0] = count_bits((here.corner[0] ^ here.corner[1]) & inner(w));
    counts.vertices[1] = count_bits(here.corner[0] ^ here.corner[2]);
    counts.vertices[2] = count_bits(here.corner[0] ^ here.corner[4]);
    counts.triangles = here.triangles();
    return counts;
  }

  /// The crossed edges on the eight lines along a row of cells, numbered as the edges 0 to 7 of its cells
  /// (cube_table.h): the axis they go along and the row they start from.
  struct Line {
    int axis;
    std::uint32_t j, k;
  };
  [[nodiscard]] TS_HD static Line line(int edge, std::uint32_t j, std::uint32_t k) {
    if (edge < 4) return {0, j + (edge & 1), k + (edge >> 1)};
    return edge < 6 ? Line{1, j, k + (edge & 1)} : Line{2, j + (edge & 1), k};
  }

 private:
  /// The whole cells of a row; none outside the lattice (a row before the first is a very large number).
  [[nodiscard]] TS_HD std::uint64_t cells(std::uint32_t j, std::uint32_t k, std::uint32_t w) const {
    return j < ny && k < nz ? whole[row(j, k) * words + w] : 0;
  }
  /// The points of a row with a whole cell on their left or right.
  [[nodiscard]] TS_HD std::uint64_t beside(std::uint32_t j, std::uint32_t k, std::uint32_t w) const {
    const std::uint64_t here = cells(j, k, w);
    return here | here << 1 | (w > 0 ? cells(j, k, w - 1) >> (word_bits - 1) : 0);
  }
};

/// The cells of a row, word after word: what cell_words() gives, with half of the loads.
class CellRow {
 public:
  CellRow(const View& view, std::uint32_t j, std::uint32_t k) : view_(view) {
    for (std::uint32_t side = 0; side < 4; ++side) {
      line_[side] = view.high + view.row(j + (side & 1), k + (side >> 1)) * view.words;
      word_[side] = line_[side][0];
    }
    whole_ = view.whole == nullptr ? nullptr : view.whole + view.row(j, k) * view.words;
  }
  /// Word w, which is 0 at the first call, 1 at the second.
  [[nodiscard]] CellWords next(std::uint32_t w) {
    CellWords result;
    std::uint64_t any = 0;
    std::uint64_t all = ~std::uint64_t{0};
    for (std::uint32_t side = 0; side < 4; ++side) {
      const std::uint64_t after = w + 1 < view_.words ? line_[side][w + 1] : 0;
      result.corner[2 * side] = word_[side];
      result.corner[2 * side + 1] = word_[side] >> 1 | after << (word_bits - 1);
      any |= result.corner[2 * side] | result.corner[2 * side + 1];
      all &= result.corner[2 * side] & result.corner[2 * side + 1];
      word_[side] = after;
    }
    result.active = any & ~all & view_.inner(w);
    if (whole_ != nullptr) result.active &= whole_[w];
    return result;
  }

 private:
  const View& view_;
  const std::uint64_t* line_[4];
  const std::uint64_t* whole_;
  std::uint64_t word_[4];
};

/// The key of a lattice edge: edges are numbered by row, then axis, then place along the row. 64 bits hold
/// lattices of 2^62 points.
[[nodiscard]] TS_HD constexpr std::uint64_t edge_key(std::uint64_t nx, std::uint64_t row, std::uint32_t axis,
                                                     std::uint64_t i) {
  return (3 * row + axis) * nx + i;
}
struct EdgePlace {
  std::uint64_t row;
  std::uint32_t axis;
  std::uint64_t i;
};
[[nodiscard]] TS_HD constexpr EdgePlace edge_place(std::uint64_t nx, std::uint64_t key) {
  const std::uint64_t line = key / nx;
  return {line / 3, static_cast<std::uint32_t>(line % 3), key % nx};
}

}  // namespace tessera::detail::lattice
