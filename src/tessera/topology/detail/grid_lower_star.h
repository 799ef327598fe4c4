// The lower star of a grid's vertex, paired as Robins, Wood and Sheppard (2011) do, without their queues.
//
// The cells around a vertex are known at compile time: an edge to each of up to 14 neighbours, a triangle for
// each two that are joined, a tetrahedron for each three. So a lower star is a mask of neighbours and their
// order, and sets of its triangles and tetrahedra are bits of a word. The queues fall apart into two steps:
//
//   edges       An edge is paired with a triangle that leads to a neighbour met before. The triangles that
//               are used are those of the minimum spanning forest of the lower neighbours, by (higher, lower)
//               neighbour, since the smallest triangle with one unpaired edge comes first. Of each tree the
//               lowest neighbour is left: the vertex itself is paired with the lowest of all, and the edges
//               to the others are critical. Seen from there every edge is paired with the triangle towards
//               the root, so the forest is an array of parents: GridGradient::rows_.
//   triangles   The other triangles are paired with tetrahedra: one with a single triangle left gets that.
//               If none has, the smallest triangle left is critical, and its tetrahedra are looked at again.
//               Together with what lies outside of the lower star, the tetrahedra that share such a triangle
//               are a tree: they can be taken in any order. Only if the whole star is lower there is no
//               outside. Then the largest tetrahedron is critical, as it is the last that the queues reach.
//
// A grid of two axes has triangles as top cells, and the first step is all there is. The queues themselves
// are in star_pairing.h, which pairs the lower stars of meshes; the tests compare both.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <tessera/core/detail/lowest_bit.h>
#include <tessera/core/macros.h>
#include <tessera/topology/detail/grid_cells.h>

namespace tessera::detail {

/// The digits of GridGradient::tops_ are of this base: the corner opposite to the facet that a top cell is
/// paired with, or that it is critical.
inline constexpr std::array<std::uint16_t, 6> top_digits = {1, 5, 25, 125, 625, 3125};
inline constexpr std::uint32_t critical_top = 4;

/// The cells around a vertex. One object for the host, copied to shared memory by kernels.
template <int Dim>
struct GridStarTables {
  static constexpr std::uint32_t triangles = 36;
  static constexpr std::uint32_t tops = Dim == 2 ? triangles : 24;
  static constexpr std::uint32_t facets = Dim;  ///< of a top cell that contain the vertex
  static constexpr std::uint8_t itself = grid_neighbours;

  struct Top {
    std::array<std::uint8_t, facets> facet = {};  ///< edges (their neighbours) or triangles
    std::uint8_t lowest = itself;                 ///< the neighbour that is its lowest vertex
    std::uint8_t kind = 0;                        ///< as in GridTops
    std::array<std::uint16_t, facets> paired =
        {};                      ///< what is added to its word if it is paired with a facet
    std::uint16_t critical = 0;  ///< ... if it is critical
  };

  std::array<GridMask, grid_neighbours> link = grid_link;
  std::array<std::array<std::uint8_t, grid_neighbours>, grid_neighbours> between = grid_between;
  std::array<std::array<std::uint8_t, grid_neighbours>, grid_neighbours> triangle =
      {};  ///< of two neighbours
  std::array<std::array<std::uint8_t, 2>, triangles> ends = {};
  std::array<Top, tops> top = {};
  std::array<std::uint64_t, tops> facets_of = {};     ///< of a tetrahedron: its triangles
  std::array<std::uint32_t, triangles> tops_of = {};  ///< of a triangle: the one or two tetrahedra
  /// The triangles and tetrahedra whose neighbours are all in a mask, by its lower and its upper half: those
  /// of both.
  std::array<std::array<std::uint64_t, 128>, 2> triangles_within = {};
  std::array<std::array<std::uint32_t, 128>, 2> tops_within = {};

  constexpr GridStarTables() {
    std::uint32_t count = 0;
    for (std::uint8_t a = 0; a < grid_neighbours; ++a) {
      for (std::uint8_t b = a + 1; b < grid_neighbours; ++b) {
        if ((grid_link[a] >> b & 1) == 0) continue;
        triangle[a][b] = triangle[b][a] = static_cast<std::uint8_t>(count);
        ends[count++] = {a, b};
      }
    }
    if constexpr (Dim == 2) {
      for (std::uint32_t t = 0; t < triangles; ++t) {
        if (grid_steps[ends[t][0]].z == 0 && grid_steps[ends[t][1]].z == 0)
          top[t] = make_top(ends[t], ends[t]);
      }
    } else {
      list_tetrahedra();
    }
    for (std::uint32_t half = 0; half < 2; ++half) {
      for (std::uint32_t mask = 0; mask < 128; ++mask) fill_within(half, mask);
    }
  }

  [[nodiscard]] TS_HD std::uint64_t triangles_in(std::uint32_t mask) const {
    return triangles_within[0][mask & 127] & triangles_within[1][mask >> 7];
  }
  [[nodiscard]] TS_HD std::uint32_t tops_in(std::uint32_t mask) const {
    return tops_within[0][mask & 127] & tops_within[1][mask >> 7];
  }

 private:
  constexpr void list_tetrahedra() {
    std::uint32_t count = 0;
    for (std::uint8_t a = 0; a < grid_neighbours; ++a) {
      for (std::uint8_t b = a + 1; b < grid_neighbours; ++b) {
        for (std::uint8_t c = b + 1; c < grid_neighbours; ++c) {
          if ((grid_link[a] >> b & grid_link[a] >> c & grid_link[b] >> c & 1) == 0) continue;
          const std::array<std::uint8_t, facets> sides = {triangle[a][b], triangle[a][c], triangle[b][c]};
          top[count] = make_top({a, b, c}, sides);
          for (const std::uint8_t t : sides) {
            facets_of[count] |= std::uint64_t{1} << t;
            tops_of[t] |= 1u << count;
          }
          ++count;
        }
      }
    }
  }
  /// The top cell of neighbours, ascending, and its facets.
  [[nodiscard]] constexpr Top make_top(const std::array<std::uint8_t, Dim>& neighbours,
                                       const std::array<std::uint8_t, facets>& facet) const {
    const auto place = grid_tops<Dim>.around(neighbours);
    Top made;
    made.facet = facet;
    made.lowest = place.lowest;
    made.kind = place.kind;
    made.critical = static_cast<std::uint16_t>(critical_top * top_digits[place.kind]);
    for (std::size_t i = 0; i < facets; ++i) {
      // Facets come in the order of neighbours, ascending: facet i leaves out the last but i.
      const std::size_t left = Dim - 1 - i;
      const std::size_t corner = left + (left >= place.corner ? 1 : 0);
      made.paired[i] = static_cast<std::uint16_t>(corner * top_digits[place.kind]);
    }
    return made;
  }
  constexpr void fill_within(std::uint32_t half, std::uint32_t mask) {
    constexpr std::uint32_t width = grid_neighbours / 2;
    const auto is_within = [&](std::uint32_t k) {
      return k / width != half || (mask >> (k % width) & 1) != 0;
    };
    std::uint64_t inside = 0;
    for (std::uint32_t t = 0; t < triangles; ++t) {
      if (is_within(ends[t][0]) && is_within(ends[t][1])) inside |= std::uint64_t{1} << t;
    }
    triangles_within[half][mask] = inside;
    for (std::uint32_t t = 0; Dim == 3 && t < tops; ++t) {
      if ((facets_of[t] & ~inside) == 0) tops_within[half][mask] |= 1u << t;
    }
  }
};
template <int Dim>
inline constexpr GridStarTables<Dim> grid_star_tables;

/// Lower neighbours and their order. Words have 4 bits for each neighbour, and for each rank.
struct LowerNeighbours {
  std::uint32_t mask = 0;
  std::uint32_t count = 0;
  std::uint64_t ranks = 0;  ///< of a neighbour, the lowest is 0
  std::uint64_t order = 0;  ///< the neighbour of a rank

  [[nodiscard]] TS_HD std::uint32_t rank(std::uint32_t k) const { return ranks >> (4 * k) & 15; }
  [[nodiscard]] TS_HD std::uint32_t at(std::uint32_t rank) const { return order >> (4 * rank) & 15; }
  [[nodiscard]] TS_HD std::uint32_t lowest(std::uint32_t of) const {
    std::uint32_t best = 15;
    for (; of != 0; of &= of - 1) {
      const std::uint32_t r = rank(lowest_bit(of));
      best = r < best ? r : best;
    }
    return at(best);
  }
  [[nodiscard]] TS_HD std::uint32_t highest(std::uint32_t of) const {
    std::uint32_t best = 0;
    for (; of != 0; of &= of - 1) {
      const std::uint32_t r = rank(lowest_bit(of));
      best = r > best ? r : best;
    }
    return at(best);
  }
};

/// Calls f(k) for the neighbours of a mask. A GPU goes over all of them, so that arrays of f's with a place
/// for each neighbour stay in registers.
template <class F>
TS_HD void for_each_neighbour(std::uint32_t mask, const F& f) {
#if defined(__CUDA_ARCH__)
#pragma unroll
  for (std::uint32_t k = 0; k < grid_neighbours; ++k) {
    if ((mask >> k & 1) != 0) f(k);
  }
#else
  for (; mask != 0; mask &= mask - 1) f(lowest_bit(mask));
#endif
}

/// -1 where the second neighbour is behind the first, so that of equal values the first is lower.
inline constexpr auto grid_neighbour_behind = [] {
  std::array<std::array<std::int32_t, 16>, grid_neighbours> behind = {};
  for (std::size_t j = 0; j < grid_neighbours; ++j) {
    for (std::size_t i = j + 1; i < 16; ++i) behind[j][i] = -1;
  }
  return behind;
}();

/// Ranks the lower neighbours of a vertex by (value, id): ids ascend with the neighbours' numbers. `values`
/// has one for each neighbour, any for those that are not in `present`, and two more to fill registers.
TS_HD inline LowerNeighbours rank_lower(const std::int32_t (&values)[16], std::int32_t own,
                                        std::uint32_t present) {
  LowerNeighbours lower;
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (std::uint32_t k = 0; k < grid_neighbours; ++k) {
    const bool is_lower = k < first_higher_neighbour ? values[k] <= own : values[k] < own;
    lower.mask |= static_cast<std::uint32_t>(is_lower) << k;
  }
  lower.mask &= present;
  lower.count = static_cast<std::uint32_t>(std::popcount(lower.mask));
  // Counting the smaller ones needs no branches, and compilers turn it into vector code.
  std::int32_t below[16] = {};
  for_each_neighbour(lower.mask, [&](std::uint32_t j) {
    const std::int32_t value = values[j];
#if defined(__CUDA_ARCH__)
#pragma unroll
    for (std::uint32_t i = 0; i < grid_neighbours; ++i)
      below[i] += i > j ? value <= values[i] : value < values[i];
#else
    const std::int32_t* behind = grid_neighbour_behind[j].data();
    for (std::size_t i = 0; i < 16; ++i)
      below[i] -= -static_cast<std::int32_t>(value < values[i]) |
                  (-static_cast<std::int32_t>(value == values[i]) & behind[i]);
#endif
  });
  for_each_neighbour(lower.mask, [&](std::uint32_t k) {
    lower.ranks |= static_cast<std::uint64_t>(below[k]) << (4 * k);
    lower.order |= std::uint64_t{k} << (4 * below[k]);
  });
  return lower;
}

/// The edges of a lower star, each paired with the triangle to the neighbour that is its parent.
class EdgeForest {
 public:
  static constexpr std::uint32_t none = 15;

  template <int Dim>
  TS_HD EdgeForest(const GridStarTables<Dim>& tables, const LowerNeighbours& lower) : lower_(&lower) {
    std::uint32_t met = 0;
    for (std::uint32_t rank = 0; rank < lower.count; ++rank) {
      const std::uint32_t k = lower.at(rank);
      const std::uint32_t joined = tables.link[k] & met;
      met |= 1u << k;
      if (joined == 0) {
        roots_ |= 1u << k;
      } else if ((roots_ & (roots_ - 1)) == 0) {
        const std::uint32_t parent = lower.lowest(joined);
        set_parent(k, parent);
        triangles_ |= std::uint64_t{1} << tables.triangle[k][parent];
      } else {
        join_trees(tables, k, joined);
      }
    }
  }

  [[nodiscard]] TS_HD std::uint32_t parent(std::uint32_t k) const { return parents_ >> (4 * k) & 15; }
  /// 4 bits for each neighbour.
  [[nodiscard]] TS_HD std::uint64_t parents() const { return parents_; }
  [[nodiscard]] TS_HD std::uint32_t roots() const { return roots_; }
  /// Those that edges are paired with.
  [[nodiscard]] TS_HD std::uint64_t triangles() const { return triangles_; }

 private:
  TS_HD void set_parent(std::uint32_t k, std::uint32_t parent) {
    parents_ = (parents_ & ~(std::uint64_t{15} << (4 * k))) | std::uint64_t{parent} << (4 * k);
  }
  [[nodiscard]] TS_HD std::uint32_t root_of(std::uint32_t k) const {
    for (std::uint32_t up = parent(k); up != none; up = parent(k)) k = up;
    return k;
  }
  /// A neighbour that several trees may be joined with. The one with the lowest root keeps it.
  template <int Dim>
  TS_HD void join_trees(const GridStarTables<Dim>& tables, std::uint32_t k, std::uint32_t joined) {
    std::uint32_t met = 0;                      // roots
    std::uint64_t nearest = ~std::uint64_t{0};  // for each root the lowest rank that k is joined with
    for (; joined != 0; joined &= joined - 1) {
      const auto s = lowest_bit(joined);
      const std::uint32_t root = root_of(s);
      const std::uint64_t rank = lower_->rank(s);
      met |= 1u << root;
      if (rank < (nearest >> (4 * root) & 15))
        nearest = (nearest & ~(std::uint64_t{15} << (4 * root))) | rank << (4 * root);
    }
    const std::uint32_t oldest = lower_->lowest(met);
    for (; met != 0; met &= met - 1) {
      const auto root = lowest_bit(met);
      const std::uint32_t s = lower_->at(nearest >> (4 * root) & 15);
      triangles_ |= std::uint64_t{1} << tables.triangle[k][s];
      if (root == oldest)
        set_parent(k, s);
      else
        hang(s, k);
    }
  }
  /// Makes s the root of its tree and k its parent.
  TS_HD void hang(std::uint32_t s, std::uint32_t k) {
    while (s != none) {
      const std::uint32_t up = parent(s);
      if (up == none) roots_ &= ~(1u << s);
      set_parent(s, k);
      k = s;
      s = up;
    }
  }

  const LowerNeighbours* lower_;
  std::uint64_t parents_ = ~std::uint64_t{0};
  std::uint64_t triangles_ = 0;
  std::uint32_t roots_ = 0;
};

/// Pairs the triangles that no edge is paired with and the tetrahedra. Calls sink.top(top, added) for pairs
/// and critical tetrahedra, with what is added to the word of its lowest vertex; sink.critical_top(top), and
/// sink.critical_triangle(high, low) by neighbours.
template <class Sink>
TS_HD void pair_tetrahedra(const GridStarTables<3>& tables, const LowerNeighbours& lower,
                           std::uint64_t triangles, Sink& sink) {
  constexpr std::uint32_t all = (1u << GridStarTables<3>::tops) - 1;
  std::uint32_t left = tables.tops_in(lower.mask);
  if (left == all) {
    const std::uint32_t a = lower.at(lower.count - 1);
    const std::uint32_t b = lower.highest(tables.link[a]);
    const std::uint32_t c = lower.highest(tables.link[a] & tables.link[b]);
    const std::uint32_t largest =
        tables.tops_of[tables.triangle[a][b]] & tables.tops_of[tables.triangle[a][c]];
    const auto& top = tables.top[lowest_bit(largest)];
    sink.top(top, top.critical);
    sink.critical_top(top);
    left ^= largest;
  }
  for (std::uint32_t todo = left;;) {
    while (todo != 0) {
      const auto t = lowest_bit(todo);
      todo &= todo - 1;
      const std::uint64_t facet = triangles & tables.facets_of[t];
      if (facet == 0 || (facet & (facet - 1)) != 0) continue;
      const auto f = lowest_bit(facet);
      const auto& top = tables.top[t];
      sink.top(top, top.paired[top.facet[0] == f ? 0 : top.facet[1] == f ? 1 : 2]);
      triangles ^= facet;
      left ^= 1u << t;
      todo |= tables.tops_of[f] & left;
    }
    if (triangles == 0) return;
    std::uint32_t smallest = ~0u;  // its ranks
    for (std::uint64_t of = triangles; of != 0; of &= of - 1) {
      const auto& [a, b] = tables.ends[lowest_bit(of)];
      const std::uint32_t i = lower.rank(a);
      const std::uint32_t j = lower.rank(b);
      const std::uint32_t ranks = i < j ? j << 4 | i : i << 4 | j;
      smallest = ranks < smallest ? ranks : smallest;
    }
    const std::uint32_t high = lower.at(smallest >> 4);
    const std::uint32_t low = lower.at(smallest & 15);
    sink.critical_triangle(high, low);
    const std::uint32_t f = tables.triangle[high][low];
    triangles ^= std::uint64_t{1} << f;
    todo = tables.tops_of[f] & left;
  }
}

/// Pairs the triangles of a grid of two axes, which are its top cells.
template <class Sink>
TS_HD void pair_triangles(const GridStarTables<2>& tables, const LowerNeighbours& lower,
                          const EdgeForest& forest, Sink& sink) {
  for (std::uint32_t of = lower.mask & ~forest.roots(); of != 0; of &= of - 1) {
    const auto k = lowest_bit(of);
    const auto& top = tables.top[tables.triangle[k][forest.parent(k)]];
    sink.top(top, top.paired[top.facet[0] == k ? 0 : 1]);
  }
  for (std::uint64_t of = tables.triangles_in(lower.mask) & ~forest.triangles(); of != 0; of &= of - 1) {
    const auto& top = tables.top[lowest_bit(of)];
    sink.top(top, top.critical);
    sink.critical_top(top);
  }
}

/// Names what pairing a lower star finds, for `out`: out.add_critical(name, v, key), where keys order the
/// critical cells of a dimension, and out.add_top(vertex, added), to its word.
template <int Dim, class Out>
class LowerStarSink {
 public:
  using Top = typename GridStarTables<Dim>::Top;

  TS_HD LowerStarSink(const GridStarTables<Dim>& tables, const std::int32_t* steps, std::uint32_t v, Out& out)
      : tables_(&tables), steps_(steps), v_(v), out_(&out) {}

  TS_HD void minimum() { out_->add_critical({v_, 0, 0}, v_, v_); }
  TS_HD void critical_edge(std::uint32_t k) { out_->add_critical({edge(k), 0, 1}, v_, edge(k)); }
  TS_HD void critical_triangle(std::uint32_t high, std::uint32_t low) {
    out_->add_critical({edge(high), low, 2}, v_,
                       triangle_key(high < low ? high : low, high < low ? low : high));
  }
  TS_HD void critical_top(const Top& top) {
    const std::uint32_t cell = GridTops<Dim>::kinds * lowest(top) + top.kind;
    out_->add_critical({cell, 0, Dim}, v_, cell);
  }
  TS_HD void top(const Top& top, std::uint16_t added) {
    if (added != 0) out_->add_top(lowest(top), added);
  }

 private:
  [[nodiscard]] TS_HD std::uint32_t neighbour(std::uint32_t k) const {
    return v_ + static_cast<std::uint32_t>(steps_[k]);
  }
  [[nodiscard]] TS_HD std::uint32_t lowest(const Top& top) const {
    return top.lowest == GridStarTables<Dim>::itself ? v_ : neighbour(top.lowest);
  }
  [[nodiscard]] TS_HD std::uint32_t edge(std::uint32_t k) const {
    return edge_number(k < first_higher_neighbour ? neighbour(k) : v_, k);
  }
  /// The vertices of a triangle, ascending, in one number: the lowest, and which neighbours of it the others
  /// are.
  [[nodiscard]] TS_HD std::uint64_t triangle_key(std::uint32_t a, std::uint32_t b) const {
    if (a >= first_higher_neighbour) return key(v_, a, b);
    const std::uint32_t to_b = tables_->between[a][b];
    return b < first_higher_neighbour ? key(neighbour(a), to_b, back(a)) : key(neighbour(a), back(a), to_b);
  }
  [[nodiscard]] static TS_HD std::uint64_t key(std::uint32_t low, std::uint32_t second, std::uint32_t third) {
    return (std::uint64_t{low} * grid_neighbours + second) * grid_neighbours + third;
  }

  const GridStarTables<Dim>* tables_;
  const std::int32_t* steps_;
  std::uint32_t v_;
  Out* out_;
};

/// Pairs a lower star. Returns the word of GridGradient::rows_; calls sink.minimum() or
/// sink.critical_edge(neighbour), and what pair_tetrahedra() calls (LowerStarSink).
template <int Dim, class Sink>
TS_HD std::uint64_t pair_lower_star(const GridStarTables<Dim>& tables, const LowerNeighbours& lower,
                                    Sink& sink) {
  if (lower.count == 0) {
    sink.minimum();
    return ~std::uint64_t{0};
  }
  const EdgeForest forest(tables, lower);
  const std::uint32_t lowest = lower.at(0);
  for (std::uint32_t of = forest.roots() & ~(1u << lowest); of != 0; of &= of - 1)
    sink.critical_edge(lowest_bit(of));
  if constexpr (Dim == 3)
    pair_tetrahedra(tables, lower, tables.triangles_in(lower.mask) & ~forest.triangles(), sink);
  else
    pair_triangles(tables, lower, forest, sink);
  constexpr std::uint32_t shift = 4 * grid_neighbours;
  return (forest.parents() & ~(std::uint64_t{15} << shift)) | std::uint64_t{lowest} << shift;
}

}  // namespace tessera::detail
