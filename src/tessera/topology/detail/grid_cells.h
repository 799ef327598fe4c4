// The cells of a grid by number, as triangulate() cuts it. A cell is named at its lowest vertex, and what
// lies around that is the same everywhere, so everything here is a table or arithmetic.
//
//   edge       7 v + k - 7      v: its lowest vertex; k: the neighbour of v (grid_star.h) at the other end
//   top cell   kinds v + kind   v: its lowest vertex; kind: which two (triangles) or three (tetrahedra)
//                               neighbours of v are its others
//
// Numbers ascend as the ascending vertices of the cells do, with gaps at the border, where a vertex has fewer
// cells. rank_of_...() leaves the gaps out: these are the ids of the cut.
//
// On a periodic axis, "lowest" goes by the steps to the neighbours: the cells between the last and the first
// vertices are named at the last ones, which have higher ids. So names are the same along the whole axis, and
// only neighbour() and the ranks look at where the axis ends. Across a seam names do not ascend as ids do.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <tessera/core/detail/divisor.h>
#include <tessera/core/macros.h>
#include <tessera/topology/detail/grid_places.h>
#include <tessera/topology/detail/grid_ranks.h>
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
  /// For a corner of a kind: which simplex around it the cell is (GridStarSimplices).
  std::array<std::array<std::uint8_t, Dim + 1>, kinds> in_star = {};

  constexpr GridTops() {
    list_kinds();
    for (std::uint32_t kind = 0; kind < kinds; ++kind) {
      for (std::size_t k = 0; k < Dim; ++k) corners[kind][k + 1] = grid_steps[others[kind][k]];
      for (std::size_t i = 0; i <= Dim; ++i) {
        for (std::size_t j = 0; j <= Dim; ++j)
          between[kind][i][j] = neighbour_at(corners[kind][j] - corners[kind][i]);
        in_star[kind][i] = number_in_star(kind, i);
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
  [[nodiscard]] constexpr std::uint8_t number_in_star(std::uint32_t kind, std::size_t corner) const {
    std::array<std::uint8_t, Dim> neighbours = {};
    for (std::size_t k = 0; k < Dim; ++k) neighbours[k] = between[kind][corner][k < corner ? k : k + 1];
    std::sort(neighbours.begin(), neighbours.end());
    return grid_star_simplices<Dim, Dim>.number(neighbours);
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
  using Point = GridPoint;
  struct Top {
    std::uint32_t lowest;
    std::uint32_t kind;
  };

  explicit GridCells(const GridLattice& lattice)
      : lattice_(lattice),
        is_periodic_(lattice.is_periodic()),
        row_(lattice.dims[0]),
        layer_(static_cast<std::uint32_t>(std::size_t{lattice.dims[0]} * lattice.dims[1])),
        places_(lattice),
        edges_(lattice, places_),
        triangles_(lattice, places_),
        tops_(lattice, places_) {
    for (std::uint32_t k = 0; k < grid_neighbours; ++k)
      steps_[k] = static_cast<std::int32_t>(lattice.step(k));
  }
  [[nodiscard]] const GridLattice& lattice() const { return lattice_; }
  [[nodiscard]] const GridPlaces& places() const { return places_; }
  [[nodiscard]] std::size_t vertex_count() const { return lattice_.rows() * lattice_.dims[0]; }
  [[nodiscard]] std::size_t edge_count() const { return edges_.count(); }
  [[nodiscard]] std::size_t triangle_count() const { return triangles_.count(); }
  [[nodiscard]] std::size_t top_count() const { return tops_.count(); }

  [[nodiscard]] Point point(std::uint32_t v) const {
    const std::uint32_t z = Dim == 2 ? 0 : layer_(v);
    const std::uint32_t in_layer = v - z * lattice_.dims[0] * lattice_.dims[1];
    const std::uint32_t y = row_(in_layer);
    return {in_layer - y * lattice_.dims[0], y, z};
  }
  [[nodiscard]] GridSurrounding around(std::uint32_t v) const {
    const Point p = point(v);
    return {AxisPlace(p.x, lattice_.dims[0], lattice_.periodic[0]),
            AxisPlace(p.y, lattice_.dims[1], lattice_.periodic[1]),
            AxisPlace(p.z, lattice_.dims[2], lattice_.periodic[2])};
  }
  [[nodiscard]] const GridPlace& place(std::uint32_t v) const {
    const Point p = point(v);
    return places_.at(p.x, p.y, p.z);
  }
  /// Is the vertex an end of a periodic axis?
  [[nodiscard]] bool is_at_seam(std::uint32_t v) const { return is_periodic_ && place(v).is_at_seam; }
  [[nodiscard]] std::uint32_t neighbour(std::uint32_t v, std::uint32_t k) const {
    if (is_periodic_) [[unlikely]]
      return periodic_neighbour(v, k);
    return v + static_cast<std::uint32_t>(steps_[k]);
  }
  /// Which neighbour of a the vertex b is; no_neighbour if they are not joined.
  [[nodiscard]] std::uint32_t find_neighbour(std::uint32_t a, std::uint32_t b) const {
    const Point p = point(a);
    const Point q = point(b);
    const auto step = [&](std::uint32_t to, std::uint32_t from, std::size_t axis) {
      const auto direct = static_cast<int>(std::int64_t{to} - std::int64_t{from});
      const auto last = static_cast<int>(lattice_.dims[axis] - 1);
      if (!lattice_.periodic[axis]) return direct;
      return direct == last ? -1 : direct == -last ? 1 : direct;
    };
    return neighbour_at({step(q.x, p.x, 0), step(q.y, p.y, 1), step(q.z, p.z, 2)});
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
    if (is_periodic_) [[unlikely]]
      return beyond_periodic(top, to);
    if (to.axis >= 0) {
      const Point p = point(top.lowest);
      const std::array<std::uint32_t, 3> at = {p.x, p.y, p.z};
      const auto axis = static_cast<std::size_t>(to.axis);
      if (at[axis] + static_cast<std::uint32_t>(to.place) >= lattice_.dims[axis]) return none;
    }
    return kinds * (top.lowest + offset(to.step)) + to.kind;
  }
  /// The top cell of lowest id around a vertex; none if there is none.
  [[nodiscard]] std::uint32_t first_top(std::uint32_t v) const {
    const Point p = point(v);
    const bool has_all_before = p.x + 1 < lattice_.dims[0] && p.y > 0 && (Dim == 2 || p.z > 0);
    if (has_all_before && !is_at_seam(v))
      return kinds * neighbour(v, Dim == 2 ? 4 : 0);  // the first kind of the first neighbour
    return first_top_at_border(v);
  }
  /// The vertex whose first top cell this is, if it is of the first kind; none if it is of another.
  [[nodiscard]] std::uint32_t vertex_of_first(const Top& top) const {
    if (top.kind != 0) return none;
    const std::uint32_t v = neighbour(top.lowest, Dim == 2 ? 9 : 13);
    return is_at_seam(v) ? none : v;
  }

  /// How many edges or top cells there are before one: its id.
  [[nodiscard]] std::size_t rank_of_edge(std::uint32_t edge) const {
    const std::uint32_t v = edge / edges_of_vertex;
    const std::uint32_t k = first_higher_neighbour + edge % edges_of_vertex;
    const std::uint32_t other = is_periodic_ ? neighbour(v, k) : none;
    if (other < v) return edges_.rank({point(other), in_star<1>({back(k)})});
    return edges_.rank({point(v), in_star<1>({static_cast<std::uint8_t>(k)})});
  }
  [[nodiscard]] std::size_t rank_of_top(std::uint32_t cell) const {
    const Top of = top(cell);
    const std::size_t lowest = is_periodic_ ? corner_of_lowest_id(of) : 0;
    return tops_.rank({point(corner(of, lowest)), grid_tops<Dim>.in_star[of.kind][lowest]});
  }
  /// The same for a triangle, by its vertex of lowest id and which neighbours of that the others are.
  [[nodiscard]] std::size_t rank_of_triangle(std::uint32_t v, std::uint32_t first,
                                             std::uint32_t second) const {
    const auto low = static_cast<std::uint8_t>(std::min(first, second));
    const auto high = static_cast<std::uint8_t>(std::max(first, second));
    return triangles_.rank({point(v), in_star<2>({low, high})});
  }
  /// The top cell of a rank.
  [[nodiscard]] std::uint32_t top_of_rank(std::size_t rank) const {
    const auto [p, number] = tops_.find(rank);
    const std::uint32_t v = p.x + lattice_.dims[0] * (p.y + lattice_.dims[1] * p.z);
    std::array<std::uint32_t, Dim> ascending;
    std::ranges::copy(grid_star_simplices<Dim, Dim>.list[number], ascending.begin());
    return top_around(v, ascending);
  }
  /// Has the first of two top cells the lower id?
  [[nodiscard]] bool is_lower_top(std::uint32_t a, std::uint32_t b) const {
    return is_periodic_ ? rank_of_top(a) < rank_of_top(b) : a < b;
  }

 private:
  [[nodiscard]] std::uint32_t offset(const GridStep& s) const {
    const std::uint32_t nx = lattice_.dims[0];
    return static_cast<std::uint32_t>(s.x) +
           nx * (static_cast<std::uint32_t>(s.y) + lattice_.dims[1] * static_cast<std::uint32_t>(s.z));
  }

  // These two are not inlined, so that the code around them stays as small as it is without periodic axes.
  [[nodiscard, gnu::noinline]] std::uint32_t periodic_neighbour(std::uint32_t v, std::uint32_t k) const {
    return v + static_cast<std::uint32_t>(place(v).steps[k]);
  }
  [[nodiscard, gnu::noinline]] std::uint32_t beyond_periodic(const Top& top,
                                                             const typename GridTops<Dim>::Beyond& to) const {
    const Point p = point(top.lowest);
    std::array<std::uint32_t, 3> at = {p.x, p.y, p.z};
    if (to.axis >= 0) {
      const auto axis = static_cast<std::size_t>(to.axis);
      const bool is_outside = at[axis] + static_cast<std::uint32_t>(to.place) >= lattice_.dims[axis];
      if (is_outside && !lattice_.periodic[axis]) return none;
    }
    const std::array<int, 3> step = {to.step.x, to.step.y, to.step.z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::uint32_t n = lattice_.dims[axis];
      at[axis] = (at[axis] + n + static_cast<std::uint32_t>(step[axis])) % n;
    }
    return kinds * (at[0] + lattice_.dims[0] * (at[1] + lattice_.dims[1] * at[2])) + to.kind;
  }
  template <int D>
  static constexpr std::uint32_t in_star(const std::array<std::uint8_t, D>& neighbours) {
    return grid_star_simplices<Dim, D>.number(neighbours);
  }
  [[nodiscard]] std::size_t corner_of_lowest_id(const Top& top) const {
    std::size_t lowest = 0;
    std::uint32_t id = top.lowest;
    for (std::size_t k = 1; k <= Dim; ++k) {
      const std::uint32_t other = corner(top, k);
      if (other < id) lowest = k;
      id = std::min(id, other);
    }
    return lowest;
  }
  [[nodiscard]] std::uint32_t first_top_at_border(std::uint32_t v) const {
    const std::uint32_t present = around(v).present;
    std::uint32_t first = none;
    const auto meet = [&](const std::array<std::uint32_t, Dim>& ascending) {
      const std::uint32_t cell = top_around(v, ascending);
      if (first == none || is_lower_top(cell, first)) first = cell;
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

  GridLattice lattice_;
  bool is_periodic_;
  Divisor row_;
  Divisor layer_;
  std::array<std::int32_t, grid_neighbours> steps_ = {};  ///< to the neighbours, where no axis is periodic
  GridPlaces places_;
  GridRanks<Dim, 1> edges_;
  GridRanks<Dim, 2> triangles_;
  GridRanks<Dim, Dim> tops_;
};

}  // namespace tessera::detail
