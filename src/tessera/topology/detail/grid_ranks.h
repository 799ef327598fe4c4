// The ids of a grid's cells: the place of each among all of its dimension, in the lexicographic order of
// their ascending vertices.
//
// A cell counts for its vertex of lowest id. Which cells around a vertex these are, and in which order, is
// the same for all vertices of a kind of place (grid_places.h). So the number of cells before a vertex is
// arithmetic, and the rest is a table.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <tessera/topology/detail/grid_places.h>

namespace tessera::detail {

/// The simplices of dimension D around a vertex, as the neighbours that are their other vertices, ascending.
template <int Dim, int D>
struct GridStarSimplices {
  static constexpr std::uint32_t count = Dim == 2 ? 6 : D == 1 ? 14 : D == 2 ? 36 : 24;
  static constexpr std::uint8_t none = 255;
  using Neighbours = std::array<std::uint8_t, D>;

  std::array<Neighbours, count> list = {};
  std::array<std::uint8_t, D == 1 ? 14 : D == 2 ? 14 * 14 : 14 * 14 * 14> numbers = {};

  constexpr GridStarSimplices() {
    for (std::uint8_t& number : numbers) number = none;
    std::uint32_t at = 0;
    extend({}, 0, at);
  }
  /// Which one it is, by its neighbours, ascending.
  template <class Index>
  [[nodiscard]] constexpr std::uint8_t number(const std::array<Index, D>& neighbours) const {
    return numbers[place(neighbours)];
  }

 private:
  template <class Index>
  static constexpr std::size_t place(const std::array<Index, D>& neighbours) {
    std::size_t at = 0;
    for (const Index k : neighbours) at = at * grid_neighbours + k;
    return at;
  }
  constexpr void extend(Neighbours begun, std::size_t size, std::uint32_t& at) {
    if (size == D) {
      numbers[place(begun)] = static_cast<std::uint8_t>(at);
      list[at++] = begun;
      return;
    }
    for (std::size_t k = size == 0 ? 0 : begun[size - 1] + std::size_t{1}; k < grid_neighbours; ++k) {
      bool is_joined = Dim == 3 || grid_steps[k].z == 0;
      for (std::size_t i = 0; i < size; ++i) is_joined = is_joined && (grid_link[begun[i]] >> k & 1) != 0;
      if (!is_joined) continue;
      begun[size] = static_cast<std::uint8_t>(k);
      extend(begun, size + 1, at);
    }
  }
};
template <int Dim, int D>
inline constexpr GridStarSimplices<Dim, D> grid_star_simplices;

/// The ranks of the simplices of dimension D.
template <int Dim, int D>
class GridRanks {
 public:
  /// A simplex by its vertex of lowest id.
  struct Simplex {
    GridPoint lowest;
    std::uint32_t number;  ///< of GridStarSimplices
  };

  GridRanks(const GridLattice& lattice, const GridPlaces& places) : dims_(lattice.dims) {
    for (std::size_t kind = 0; kind < grid_place_kinds; ++kind) list(places[kind], kinds_[kind]);
    for (std::size_t z = 0; z < axis_ends; ++z) {
      for (std::size_t y = 0; y < axis_ends; ++y) {
        const Kind* row = &kinds_[axis_ends * (y + axis_ends * z)];
        rows_[y + axis_ends * z] = sum(row[0].count, row[1].count, row[2].count, dims_[0]);
      }
      const std::size_t* rows = &rows_[axis_ends * z];
      layers_[z] = sum(rows[0], rows[1], rows[2], dims_[1]);
    }
  }

  [[nodiscard]] std::size_t count() const { return sum(layers_[0], layers_[1], layers_[2], dims_[2]); }
  [[nodiscard]] std::size_t rank(const Simplex& simplex) const {
    const auto [x, y, z] = simplex.lowest;
    const std::size_t of_z = axis_ends * axis_end(z, dims_[2]);
    const std::size_t of_y = axis_ends * (axis_end(y, dims_[1]) + of_z);
    const Kind& own = kinds_[axis_end(x, dims_[0]) + of_y];
    std::size_t rank = own.places[simplex.number];
    if (x > 0) rank += kinds_[of_y].count + std::size_t{x - 1} * kinds_[of_y + 1].count;
    if (y > 0) rank += rows_[of_z] + std::size_t{y - 1} * rows_[of_z + 1];
    if (z > 0) rank += layers_[0] + std::size_t{z - 1} * layers_[1];
    return rank;
  }
  /// The simplex of a rank.
  [[nodiscard]] Simplex find(std::size_t rank) const {
    const std::uint32_t z = advance(rank, layers_[0], layers_[1], dims_[2]);
    const std::size_t of_z = axis_ends * axis_end(z, dims_[2]);
    const std::uint32_t y = advance(rank, rows_[of_z], rows_[of_z + 1], dims_[1]);
    const std::size_t of_y = axis_ends * (axis_end(y, dims_[1]) + of_z);
    const std::uint32_t x = advance(rank, kinds_[of_y].count, kinds_[of_y + 1].count, dims_[0]);
    return {{x, y, z}, kinds_[axis_end(x, dims_[0]) + of_y].list[rank]};
  }

 private:
  /// Of a vertex: which simplices have it as their lowest.
  struct Kind {
    std::size_t count = 0;
    std::array<std::uint8_t, GridStarSimplices<Dim, D>::count> list = {};    ///< their numbers, by rank
    std::array<std::uint8_t, GridStarSimplices<Dim, D>::count> places = {};  ///< in the list, by number
  };

  static void list(const GridPlace& place, Kind& kind) {
    const GridStarSimplices<Dim, D>& star = grid_star_simplices<Dim, D>;
    std::array<std::uint8_t, GridPlace::itself + 1> order = {};
    for (std::size_t i = 0; i < order.size(); ++i) order[place.by_id[i]] = static_cast<std::uint8_t>(i);
    const auto vertices_of = [&](std::uint8_t number) {
      std::array<std::uint8_t, D> vertices = star.list[number];
      for (std::uint8_t& k : vertices) k = order[k];
      std::sort(vertices.begin(), vertices.end());
      return vertices;
    };
    const std::uint32_t higher = place.present & ~place.with_lower_ids;
    for (std::uint8_t number = 0; number < star.count; ++number) {
      const auto& others = star.list[number];
      if (std::ranges::all_of(others, [&](std::uint8_t k) { return (higher >> k & 1) != 0; }))
        kind.list[kind.count++] = number;
    }
    std::sort(kind.list.begin(), kind.list.begin() + static_cast<std::ptrdiff_t>(kind.count),
              [&](std::uint8_t a, std::uint8_t b) { return vertices_of(a) < vertices_of(b); });
    for (std::size_t i = 0; i < kind.count; ++i) kind.places[kind.list[i]] = static_cast<std::uint8_t>(i);
  }
  /// Over an axis of n points.
  static std::size_t sum(std::size_t first, std::size_t inner, std::size_t last, std::uint32_t n) {
    return n == 1 ? first : first + std::size_t{n - 2} * inner + last;
  }
  /// Where along an axis a rank lies; takes off what is before that.
  static std::uint32_t advance(std::size_t& rank, std::size_t first, std::size_t inner, std::uint32_t n) {
    if (n == 1 || rank < first) return 0;
    const std::size_t passed = inner == 0 ? 0 : std::min<std::size_t>((rank - first) / inner, n - 2);
    rank -= first + passed * inner;
    return static_cast<std::uint32_t>(passed) + 1;
  }

  std::array<std::uint32_t, 3> dims_;
  std::array<Kind, grid_place_kinds> kinds_;
  std::array<std::size_t, axis_ends* axis_ends> rows_ = {};
  std::array<std::size_t, axis_ends> layers_ = {};
};

}  // namespace tessera::detail
