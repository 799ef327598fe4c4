// The cells of a grid by number, as triangulate() cuts it. A cell is named at its lowest vertex, and what
// lies around that is the same everywhere, so everything here is a table or arithmetic.
//
//   edge       7 v + k - 7      v: its lowest vertex; k: the neighbour of v (grid_star.h) at the other end
//   top cell   kinds v + kind   v: its lowest vertex; kind: which two (triangles) or three (tetrahedra)
//                               neighbours of v are its others
//
// Numbers ascend as the ascending vertices of the cells do, with gaps at the border, where a vertex has fewer
// cells. rank_of_...() leaves the gaps out: these are the ids of the cut.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <tessera/core/detail/divisor.h>
#include <tessera/core/macros.h>
#include <tessera/topology/detail/grid_star.h>

namespace tessera::detail {

inline constexpr std::uint8_t no_neighbour = grid_neighbours;
inline constexpr std::uint32_t edges_of_vertex = grid_neighbours - first_higher_neighbour;

constexpr std::uint8_t neighbour_at(const GridStep& step) {
  for (std::uint8_t k = 0; k < grid_neighbours; ++k) {
    if (grid_steps[k] == step) return k;
  }
  return no_neighbour;
}

/// Which neighbour of a vertex's neighbour a its neighbour b is; no_neighbour if they are not joined.
constexpr auto make_grid_between() {
  std::array<std::array<std::uint8_t, grid_neighbours>, grid_neighbours> between = {};
  for (std::size_t a = 0; a < grid_neighbours; ++a) {
    for (std::size_t b = 0; b < grid_neighbours; ++b)
      between[a][b] = neighbour_at(grid_steps[b] - grid_steps[a]);
  }
  return between;
}
inline constexpr auto grid_between = make_grid_between();
/// Which neighbour of its neighbour k the vertex is.
TS_HD constexpr std::uint8_t back(std::uint32_t k) {
  return static_cast<std::uint8_t>(grid_neighbours - 1 - k);
}
/// The number of the edge from a vertex to its neighbour k, by the lower end of the edge.
TS_HD constexpr std::uint32_t edge_number(std::uint32_t low, std::uint32_t k) {
  return edges_of_vertex * low +
         (k >= first_higher_neighbour ? k - first_higher_neighbour : first_higher_neighbour - 1 - k);
}

/// The top cells at their lowest vertex.
template <int Dim>
struct GridTops {
  static constexpr std::uint32_t kinds = Dim == 2 ? 2 : 6;
  /// For a corner of a kind: where the cell beyond the facet opposite to it is.
  struct Beyond {
    GridStep step;          ///< from the lowest vertex of one to that of the other
    std::uint8_t kind = 0;  ///< its kind
    std::int8_t axis = -1;  ///< along which the other is another voxel's; -1: it is in the same voxel
    std::int8_t place = 0;  ///< of its far corner along that axis, from the lowest vertex
  };

  std::array<std::array<std::uint8_t, Dim>, kinds> others = {};   ///< neighbours of the lowest vertex
  std::array<std::array<GridStep, Dim + 1>, kinds> corners = {};  ///< from the lowest vertex
  std::array<std::array<std::array<std::uint8_t, Dim + 1>, Dim + 1>, kinds> between = {};  ///< corners
  std::array<std::array<Beyond, Dim + 1>, kinds> beyond = {};
  /// Of the voxel or pixel that begins at the lowest vertex, or of the one before it along the first axis.
  /// All cells of a voxel span it along every axis, so there are no others.
  std::array<bool, kinds> is_after = {};
  std::uint32_t kinds_after = 0;

  constexpr GridTops() {
    list_kinds();
    for (std::uint32_t kind = 0; kind < kinds; ++kind) {
      is_after[kind] = true;
      for (std::size_t k = 0; k < Dim; ++k) {
        corners[kind][k + 1] = grid_steps[others[kind][k]];
        is_after[kind] = is_after[kind] && corners[kind][k + 1].x >= 0;
      }
      kinds_after += is_after[kind] ? 1 : 0;
      for (std::size_t i = 0; i <= Dim; ++i) {
        for (std::size_t j = 0; j <= Dim; ++j)
          between[kind][i][j] = neighbour_at(corners[kind][j] - corners[kind][i]);
      }
    }
    for (std::uint32_t kind = 0; kind < kinds; ++kind) {
      for (std::size_t corner = 0; corner <= Dim; ++corner) beyond[kind][corner] = find_beyond(kind, corner);
    }
  }
  [[nodiscard]] constexpr std::uint32_t kind_of(const std::array<std::uint8_t, Dim>& ascending) const {
    for (std::uint32_t kind = 0; kind < kinds; ++kind) {
      if (others[kind] == ascending) return kind;
    }
    return kinds;
  }
  /// The cell of a vertex and neighbours of it, ascending.
  struct Place {
    std::uint8_t kind = kinds;           ///< kinds: there is none
    std::uint8_t lowest = no_neighbour;  ///< the neighbour that is its lowest vertex, if not the center
    std::uint8_t corner = 0;             ///< of the center
  };
  [[nodiscard]] constexpr Place around(const std::array<std::uint8_t, Dim>& ascending) const {
    Place place;
    std::array<std::uint8_t, Dim> rest = ascending;
    while (place.corner < Dim && ascending[place.corner] < first_higher_neighbour) ++place.corner;
    if (place.corner > 0) {  // seen from the lowest vertex; the center takes its place among the others
      place.lowest = ascending[0];
      for (std::size_t k = 0; k < Dim; ++k)
        rest[k] = k + 1 == place.corner
                      ? back(place.lowest)
                      : grid_between[place.lowest][ascending[k + 1 < place.corner ? k + 1 : k]];
    }
    place.kind = static_cast<std::uint8_t>(kind_of(rest));
    return place;
  }

 private:
  constexpr void list_kinds() {
    constexpr std::uint8_t end = Dim == 2 ? first_higher_neighbour + 3 : grid_neighbours;
    std::uint32_t at = 0;
    for (std::uint8_t a = first_higher_neighbour; a < end; ++a) {
      for (std::uint8_t b = a + 1; b < end; ++b) {
        if ((grid_link[a] >> b & 1) == 0) continue;
        if constexpr (Dim == 2) {
          others[at++] = {a, b};
        } else {
          for (std::uint8_t c = b + 1; c < end; ++c) {
            if ((grid_link[a] & grid_link[b] & (1u << c)) != 0) others[at++] = {a, b, c};
          }
        }
      }
    }
  }
  static constexpr std::array<int, 3> axes(const GridStep& step) { return {step.x, step.y, step.z}; }

  [[nodiscard]] constexpr Beyond find_beyond(std::uint32_t kind, std::size_t corner) const {
    for (std::uint32_t other = 0; other < kinds; ++other) {
      for (std::size_t far = 0; far <= Dim; ++far) {
        // Facets have their vertices in the same order, and the step between their cells follows from one.
        const GridStep step = corners[kind][corner == 0 ? 1 : 0] - corners[other][far == 0 ? 1 : 0];
        bool is_same = other != kind || far != corner;
        for (std::size_t k = 0; k < Dim; ++k) {
          const GridStep& mine = corners[kind][k < corner ? k : k + 1];
          is_same = is_same && mine == corners[other][k < far ? k : k + 1] + step;
        }
        if (is_same) return describe(kind, other, step, corners[other][far] + step);
      }
    }
    return {};
  }
  [[nodiscard]] constexpr Beyond describe(std::uint32_t kind, std::uint32_t other, const GridStep& step,
                                          const GridStep& far) const {
    Beyond result{step, static_cast<std::uint8_t>(other), -1, 0};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      int low = 0;
      int high = 0;
      for (const GridStep& corner : corners[kind]) {
        low = std::min(low, axes(corner)[axis]);
        high = std::max(high, axes(corner)[axis]);
      }
      const int place = axes(far)[axis];
      if (place >= low && place <= high) continue;
      result.axis = static_cast<std::int8_t>(axis);
      result.place = static_cast<std::int8_t>(place);
    }
    return result;
  }
};
template <int Dim>
inline constexpr GridTops<Dim> grid_tops;

/// GridTops::around() of all neighbours.
template <int Dim>
constexpr auto make_grid_around() {
  constexpr std::size_t n = grid_neighbours;
  std::array<typename GridTops<Dim>::Place, Dim == 2 ? n* n : n* n* n> places = {};
  for (std::uint8_t a = 0; a < n; ++a) {
    for (std::uint8_t b = a + 1; b < n; ++b) {
      if ((grid_link[a] >> b & 1) == 0) continue;
      if constexpr (Dim == 2) {
        places[a * n + b] = grid_tops<2>.around({a, b});
      } else {
        for (std::uint8_t c = b + 1; c < n; ++c) {
          if ((grid_link[a] & grid_link[b] & (1u << c)) != 0)
            places[(a * n + b) * n + c] = grid_tops<3>.around({a, b, c});
        }
      }
    }
  }
  return places;
}
template <int Dim>
inline constexpr auto grid_around = make_grid_around<Dim>();

/// A lattice and its cells.
template <int Dim>
class GridCells {
 public:
  static constexpr std::uint32_t none = 0xFFFFFFFFu;
  static constexpr std::uint32_t kinds = GridTops<Dim>::kinds;
  struct Point {
    std::uint32_t x, y, z;
  };
  struct Top {
    std::uint32_t lowest;
    std::uint32_t kind;
  };

  explicit GridCells(const GridLattice& lattice)
      : lattice_(lattice),
        row_(lattice.dims[0]),
        layer_(static_cast<std::uint32_t>(std::size_t{lattice.dims[0]} * lattice.dims[1])) {
    for (std::uint32_t k = 0; k < grid_neighbours; ++k)
      steps_[k] = static_cast<std::int32_t>(lattice.step(k));
  }
  [[nodiscard]] const GridLattice& lattice() const { return lattice_; }
  /// From a vertex to its neighbours.
  [[nodiscard]] const std::array<std::int32_t, grid_neighbours>& steps() const { return steps_; }
  [[nodiscard]] std::size_t vertex_count() const { return lattice_.rows() * lattice_.dims[0]; }
  [[nodiscard]] std::size_t edge_count() const { return rank_of_edges(vertex_count(), no_neighbour); }
  [[nodiscard]] std::size_t top_count() const { return rank_of_tops(vertex_count(), kinds); }

  [[nodiscard]] std::size_t triangle_count() const {
    return rank_of_triangles(vertex_count(), no_neighbour, 0);
  }

  [[nodiscard]] Point point(std::uint32_t v) const {
    const std::uint32_t z = Dim == 2 ? 0 : layer_(v);
    const std::uint32_t in_layer = v - z * lattice_.dims[0] * lattice_.dims[1];
    const std::uint32_t y = row_(in_layer);
    return {in_layer - y * lattice_.dims[0], y, z};
  }
  [[nodiscard]] GridSurrounding around(std::uint32_t v) const {
    const Point p = point(v);
    return {AxisPlace(p.x, lattice_.dims[0]), AxisPlace(p.y, lattice_.dims[1]),
            AxisPlace(p.z, lattice_.dims[2])};
  }
  [[nodiscard]] std::uint32_t neighbour(std::uint32_t v, std::uint32_t k) const {
    return v + static_cast<std::uint32_t>(steps_[k]);
  }
  /// Which neighbour of a the vertex b is; no_neighbour if they are not joined.
  [[nodiscard]] std::uint32_t find_neighbour(std::uint32_t a, std::uint32_t b) const {
    const Point p = point(a);
    const Point q = point(b);
    const auto step = [](std::uint32_t to, std::uint32_t from) {
      return static_cast<int>(std::int64_t{to} - std::int64_t{from});
    };
    return neighbour_at({step(q.x, p.x), step(q.y, p.y), step(q.z, p.z)});
  }

  /// The number of the edge from a vertex to its neighbour k, and the neighbour at its other end.
  [[nodiscard]] std::uint32_t edge(std::uint32_t v, std::uint32_t k) const {
    return edge_number(k < first_higher_neighbour ? neighbour(v, k) : v, k);
  }
  [[nodiscard]] std::uint32_t neighbour_along(std::uint32_t v, std::uint32_t edge) const {
    const std::uint32_t k = edge % edges_of_vertex;
    return edge / edges_of_vertex == v ? first_higher_neighbour + k : first_higher_neighbour - 1 - k;
  }

  [[nodiscard]] static Top top(std::uint32_t cell) { return {cell / kinds, cell % kinds}; }
  /// Is there a top cell of the kind at the vertex?
  [[nodiscard]] bool has_top(const Top& top) const {
    const std::uint32_t present = around(top.lowest).present;
    for (const std::uint32_t k : grid_tops<Dim>.others[top.kind]) {
      if ((present >> k & 1) == 0) return false;
    }
    return true;
  }
  /// The top cell of a vertex and neighbours, ascending, that are joined.
  [[nodiscard]] std::uint32_t top_around(std::uint32_t v,
                                         const std::array<std::uint32_t, Dim>& ascending) const {
    const auto& place = place_of(ascending);
    const std::uint32_t lowest = place.lowest == no_neighbour ? v : neighbour(v, place.lowest);
    return kinds * lowest + place.kind;
  }
  [[nodiscard]] static const typename GridTops<Dim>::Place& place_of(
      const std::array<std::uint32_t, Dim>& ascending) {
    std::size_t at = 0;
    for (const std::uint32_t k : ascending) at = at * grid_neighbours + k;
    return grid_around<Dim>[at];
  }
  [[nodiscard]] std::uint32_t corner(const Top& top, std::size_t k) const {
    return k == 0 ? top.lowest : neighbour(top.lowest, grid_tops<Dim>.others[top.kind][k - 1]);
  }
  /// The cell beyond the facet opposite to a corner; none at the border.
  [[nodiscard]] std::uint32_t beyond(const Top& top, std::size_t corner) const {
    const auto& to = grid_tops<Dim>.beyond[top.kind][corner];
    if (to.axis >= 0) {
      const Point p = point(top.lowest);
      const std::array<std::uint32_t, 3> at = {p.x, p.y, p.z};
      const auto axis = static_cast<std::size_t>(to.axis);
      if (at[axis] + static_cast<std::uint32_t>(to.place) >= lattice_.dims[axis]) return none;
    }
    return kinds * (top.lowest + offset(to.step)) + to.kind;
  }
  /// The lowest top cell around a vertex; none if there is none.
  [[nodiscard]] std::uint32_t first_top(std::uint32_t v) const {
    const Point p = point(v);
    if (p.x + 1 < lattice_.dims[0] && p.y > 0 && (Dim == 2 || p.z > 0))
      return kinds * neighbour(v, Dim == 2 ? 4 : 0);  // the first kind of the first neighbour
    return first_top_at_border(v);
  }
  /// The vertex whose first top cell this is, if it is of the first kind; none if it is of another.
  [[nodiscard]] std::uint32_t vertex_of_first(const Top& top) const {
    return top.kind == 0 ? neighbour(top.lowest, Dim == 2 ? 9 : 13) : none;
  }

  /// How many edges or top cells there are before one.
  [[nodiscard]] std::size_t rank_of_edge(std::uint32_t edge) const {
    return rank_of_edges(edge / edges_of_vertex, first_higher_neighbour + edge % edges_of_vertex);
  }
  [[nodiscard]] std::size_t rank_of_top(std::uint32_t cell) const {
    return rank_of_tops(cell / kinds, cell % kinds);
  }
  /// The top cell of a rank.
  [[nodiscard]] std::uint32_t top_of_rank(std::size_t rank) const {
    constexpr std::uint32_t after = grid_tops<Dim>.kinds_after;
    const std::size_t row = rank / tops_of_row();
    const auto in_row = static_cast<std::uint32_t>(rank % tops_of_row());
    const std::size_t z = row / (lattice_.dims[1] - 1);
    const std::size_t y = row % (lattice_.dims[1] - 1);
    const std::uint32_t x = in_row < after ? 0 : 1 + (in_row - after) / kinds;
    std::uint32_t left = in_row < after ? in_row : (in_row - after) % kinds;
    const auto is_there = [&](std::uint32_t kind) {
      return grid_tops<Dim>.is_after[kind] ? x + 1 < lattice_.dims[0] : x > 0;
    };
    std::uint32_t kind = 0;
    while (!is_there(kind) || left-- > 0) ++kind;
    return kinds * static_cast<std::uint32_t>(x + lattice_.dims[0] * (y + lattice_.dims[1] * z)) + kind;
  }
  /// How many triangles of tetrahedra there are before one, with these neighbours, ascending, of its lowest
  /// vertex.
  [[nodiscard]] std::size_t rank_of_triangle(std::uint32_t v, std::uint32_t first,
                                             std::uint32_t second) const {
    return rank_of_triangles(v, first, second);
  }

 private:
  [[nodiscard]] std::uint32_t offset(const GridStep& s) const {
    const std::uint32_t nx = lattice_.dims[0];
    return static_cast<std::uint32_t>(s.x) +
           nx * (static_cast<std::uint32_t>(s.y) + lattice_.dims[1] * static_cast<std::uint32_t>(s.z));
  }

  [[nodiscard]] std::uint32_t first_top_at_border(std::uint32_t v) const {
    const std::uint32_t present = around(v).present;
    std::uint32_t first = none;
    const auto meet = [&](const std::array<std::uint32_t, Dim>& ascending) {
      first = std::min(first, top_around(v, ascending));
    };
    for (std::uint32_t as = present; as != 0; as &= as - 1) {
      const auto a = static_cast<std::uint32_t>(std::countr_zero(as));
      for (std::uint32_t bs = present & grid_link[a] & above(a); bs != 0; bs &= bs - 1) {
        const auto b = static_cast<std::uint32_t>(std::countr_zero(bs));
        if constexpr (Dim == 2) {
          meet({a, b});
        } else {
          for (std::uint32_t cs = present & grid_link[a] & grid_link[b] & above(b); cs != 0; cs &= cs - 1)
            meet({a, b, static_cast<std::uint32_t>(std::countr_zero(cs))});
        }
      }
    }
    return first;
  }
  static constexpr std::uint32_t above(std::uint32_t k) { return ~((2u << k) - 1); }

  /// How many vertices before v, and v itself if that is asked for, have all vertices at these steps.
  template <std::size_t N>
  [[nodiscard]] std::size_t count_before(std::size_t v, bool is_with_v,
                                         const std::array<GridStep, N>& steps) const {
    std::array<std::size_t, 3> begin = {};
    std::array<std::size_t, 3> end = {lattice_.dims[0], lattice_.dims[1], lattice_.dims[2]};
    for (const GridStep& step : steps) {
      const std::array<int, 3> to = {step.x, step.y, step.z};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (to[axis] < 0) begin[axis] = 1;
        if (to[axis] > 0) end[axis] = lattice_.dims[axis] - 1;
      }
    }
    const std::size_t stop = v + (is_with_v ? 1 : 0);
    const std::size_t row = stop / lattice_.dims[0];
    const std::array<std::size_t, 3> at = {stop % lattice_.dims[0], row % lattice_.dims[1],
                                           row / lattice_.dims[1]};
    const auto before = [&](std::size_t axis) {
      return std::clamp(at[axis], begin[axis], end[axis]) - begin[axis];
    };
    const auto is_inside = [&](std::size_t axis) { return at[axis] >= begin[axis] && at[axis] < end[axis]; };
    std::size_t count = before(2) * (end[1] - begin[1]) * (end[0] - begin[0]);
    if (is_inside(2)) count += before(1) * (end[0] - begin[0]);
    if (is_inside(2) && is_inside(1)) count += before(0);
    return count;
  }
  [[nodiscard]] std::size_t rank_of_edges(std::size_t v, std::uint32_t k) const {
    std::size_t rank = 0;
    for (std::uint32_t i = first_higher_neighbour; i < grid_neighbours; ++i)
      if (Dim == 3 || grid_steps[i].z == 0)
        rank += count_before(v, i < k && v < vertex_count(), std::array{GridStep{}, grid_steps[i]});
    return rank;
  }
  [[nodiscard]] std::size_t rank_of_triangles(std::size_t v, std::uint32_t first,
                                              std::uint32_t second) const {
    std::size_t rank = 0;
    for (std::uint8_t a = first_higher_neighbour; a < grid_neighbours; ++a) {
      for (std::uint8_t b = a + 1; b < grid_neighbours; ++b) {
        if ((grid_link[a] >> b & 1) == 0) continue;
        const bool is_before = v < vertex_count() && (a < first || (a == first && b < second));
        rank += count_before(v, is_before, std::array{GridStep{}, grid_steps[a], grid_steps[b]});
      }
    }
    return rank;
  }
  /// Rows of voxels follow each other without gaps.
  [[nodiscard]] std::size_t rank_of_tops(std::size_t v, std::uint32_t kind) const {
    const Point p = point(static_cast<std::uint32_t>(v));
    const auto [nx, ny, nz] = lattice_.dims;
    const bool is_above = Dim == 3 && p.z + 1 >= nz;
    const std::size_t layer = is_above ? nz - 1 : p.z;
    const std::size_t row = layer * (ny - 1) + (is_above ? 0 : std::min(p.y, ny - 1));
    const std::size_t rank = row * tops_of_row();
    if (is_above || p.y + 1 >= ny) return rank;
    std::uint32_t before = p.x == 0 ? 0 : kinds * p.x - (kinds - grid_tops<Dim>.kinds_after);
    for (std::uint32_t i = 0; i < kind; ++i)
      before += (grid_tops<Dim>.is_after[i] ? p.x + 1 < nx : p.x > 0) ? 1 : 0;
    return rank + before;
  }
  [[nodiscard]] std::size_t tops_of_row() const { return std::size_t{kinds} * (lattice_.dims[0] - 1); }

  GridLattice lattice_;
  Divisor row_;
  Divisor layer_;
  std::array<std::int32_t, grid_neighbours> steps_ = {};
};

}  // namespace tessera::detail
