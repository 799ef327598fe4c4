// Walls as triangles and polygons, with TTK's arrays of 2-separatrices.
#include <algorithm>
#include <numeric>

#include <tessera/core/csr.h>
#include <tessera/core/id.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/topology/detail/critical_numbers.h>
#include <tessera/topology/detail/edge_rows.h>
#include <tessera/topology/detail/export_parts.h>
#include <tessera/topology/detail/grid_shape.h>
#include <tessera/topology/detail/taken.h>
#include <tessera/topology/detail/turned_flow.h>

namespace tessera::detail {
namespace {

using std::size_t;
using std::uint32_t;

using Simplex = Gradient<3>::Simplex;

/// TTK's numbers.
constexpr std::int8_t ascending_wall = 1;
constexpr std::int8_t descending_wall = 2;

/// A wall has the number of the saddle that spans it.
using WallId = Id<struct WallTag>;
/// Saddles by the wall they lie on.
using SaddleLists = Csr<WallId, uint32_t>;

/// Which saddles lie on which walls: a 1-saddle is on the descending wall of a 2-saddle exactly if the
/// 2-saddle is on the ascending wall of the 1-saddle.
struct WallEnds {
  SaddleLists of_descending;
  SaddleLists of_ascending;
};

/// The numbers of critical edges, which few vertices have in their rows.
template <class Source>
class CriticalEdges {
 public:
  explicit CriticalEdges(const Source& gradient)
      : gradient_(gradient), numbers_(gradient.critical_cells(1)), has_any_(gradient.vertex_count(), false) {
    for (const CriticalCell& edge : gradient.critical_cells(1))
      has_any_[gradient.highest(edge).index()] = true;
  }

  /// Calls f(number) for those of a triangle.
  template <class F>
  void for_each_of(const RowTriangle& triangle, const F& f) const {
    const auto visit = [&](tiled::VertexId top, uint32_t place) {
      if (!gradient_.is_lowest(top, place) && gradient_.triangle_of(top, place) == Source::none)
        f(numbers_[gradient_.edge(top, place)]);
    };
    if (has_any_[triangle.highest.index()]) {
      visit(triangle.highest, triangle.high);
      visit(triangle.highest, triangle.low);
    }
    if (!has_any_[gradient_.neighbour(triangle.highest, triangle.high)]) return;
    const RowEdge lowest = gradient_.lowest_edge_of(triangle);
    visit(lowest.highest, lowest.place);
  }

 private:
  const Source& gradient_;
  CriticalNumbers numbers_;
  std::vector<bool> has_any_;  ///< by vertex: is it the highest of a critical edge?
};

/// The lists the other way: by saddle, ascending.
SaddleLists transpose(const SaddleLists& lists, size_t saddles) {
  SaddleLists result;
  result.offsets.assign(saddles + 1, 0);
  for (const uint32_t saddle : lists.values) ++result.offsets[saddle + 1];
  for (size_t s = 0; s < saddles; ++s) result.offsets[s + 1] += result.offsets[s];
  result.values.resize(lists.values.size());
  Array<uint32_t> next = result.offsets;
  for (uint32_t wall = 0; wall < lists.size(); ++wall) {
    for (const uint32_t saddle : lists[WallId(wall)]) result.values[next[saddle]++] = wall;
  }
  return result;
}

/// Error(bad_option) unless the walls can be of the gradient.
template <class Source>
void check_walls(const Source& gradient, const Walls& walls) {
  const auto refuse = [] { throw Error(ErrorCode::bad_option, "the walls are of another gradient"); };
  if (walls.descending_offsets.size() != gradient.critical_cells(2).size() + 1 ||
      walls.ascending_offsets.size() != gradient.critical_cells(1).size() + 1)
    refuse();
  check_names(gradient, walls.descending);
  for (const uint32_t edge : walls.edges) {
    if (!gradient.is_name({edge, 0, 1})) refuse();
  }
  for (const TetId tet : walls.rings) {
    if (tet.index() >= gradient.cell_count()) refuse();
  }
}

/// Is the ring of cells around an edge open? Then one of the vertices opposite to it is in one cell only.
template <class Shape>
bool is_open(const Shape& shape, std::span<const TetId> ring, const Simplex& edge) {
  std::vector<VertexId> others;
  for (const TetId tet : ring) {
    for (const VertexId v : shape.corners(tet)) {
      if (v != edge.vertices[0] && v != edge.vertices[1]) others.push_back(v);
    }
  }
  return std::ranges::any_of(others, [&](VertexId v) { return std::ranges::count(others, v) == 1; });
}

/// Makes the polygons in two passes, one that counts and one that fills, so that no array grows.
template <class Source, class Shape>
class WallPoly {
 public:
  WallPoly(const WallSource<Source, Shape>& source, const Walls& walls)
      : shape_(source.shape),
        field_(source.field),
        gradient_(source.gradient),
        walls_(walls),
        table_(source.table),
        threads_(source.threads),
        rows_(source.gradient),
        descending_count_(walls.descending_offsets.size() - 1),
        ascending_count_(walls.ascending_offsets.size() - 1) {}

  void make_polygons() {
    count_polygons();
    find_open_edges();
    TakenSet used_vertices(gradient_.vertex_count());
    add_triangles(used_vertices);
    const TakenSet used_cells = find_used_cells();
    const TakenNumbers vertices(used_vertices);
    const TakenNumbers cells(used_cells, vertices.end());
    place_points(vertices, cells);
    number_triangles(vertices);
    for_each_wall(descending_count_, [&](size_t wall) { describe_descending(wall); });
    for_each_wall(ascending_count_, [&](size_t wall) { add_ascending(wall, cells); });
    poly_.polygons.offsets.back() = poly_.polygons.corners.size();
    if constexpr (Shape::has_seams) {
      if (shape_.is_periodic()) unroll_polygons(vertices, cells);
    }
    ends_ = {};
  }

  /// The polygons, each with what is known of its wall. Does not look at the walls any more.
  PolyData with_data() {
    add_data();
    return std::move(poly_);
  }

 private:
  /// Where a wall begins.
  struct Place {
    std::uint64_t polygon = 0;
    std::uint64_t corner = 0;
  };

  template <class F>
  void for_each_wall(size_t count, const F& f) const {
    host::for_each_chunk(threads_, count, 64, [&](host::Range range, int) {
      for (size_t wall = range.begin; wall < range.end; ++wall) f(wall);
    });
  }
  /// The cells around an edge of an ascending wall; fewer than three are no polygon.
  [[nodiscard]] std::span<const TetId> polygon(size_t edge) const {
    const auto ring = walls_.ring(edge);
    return ring.size() > 2 ? ring : std::span<const TetId>{};
  }
  [[nodiscard]] bool is_lower(VertexId a, VertexId b) const {
    return gradient_.order(a) < gradient_.order(b);
  }

  /// Of all edges of ascending walls.
  [[nodiscard]] TakenSet find_used_cells() const {
    TakenSet used(gradient_.cell_count());
    host::for_each_share(threads_, walls_.edges.size(), [&](host::Range share) {
      for (size_t edge = share.begin; edge < share.end; ++edge) {
        const uint32_t begin = walls_.ring_offsets[edge];
        const uint32_t end = walls_.ring_offsets[edge + 1];
        for (uint32_t i = begin; i < end && end - begin > 2; ++i) (void)used.take(walls_.rings[i].index());
      }
    });
    return used;
  }

  void place_points(const TakenNumbers& vertices, const TakenNumbers& cells) {
    poly_.points = make_points(cells.end(), shape_.is_double());
    vertices.for_each(threads_, [&](uint32_t vertex, uint32_t number) {
      set_point(poly_.points, number, shape_[VertexId(vertex)]);
    });
    cells.for_each(threads_, [&](uint32_t cell, uint32_t number) {
      const auto& corners = shape_.corners(TetId(cell));
      set_point(poly_.points, number, shape_.barycentre(std::span<const VertexId>(corners)));
    });
  }

  /// Polygons across a seam get points of their own where they need them a period further.
  void unroll_polygons(const TakenNumbers& vertices, const TakenNumbers& cells) requires(Shape::has_seams) {
    Array<uint32_t> elements(cells.end());  // by point: a vertex, or behind them a cell
    const auto note = [&](uint32_t element, uint32_t number) { elements[number] = element; };
    vertices.for_each(threads_, note);
    cells.for_each(threads_, note);
    const auto place = [&](VertexId point) {
      const uint32_t element = elements[point.index()];
      if (point.index() < vertices.end()) return shape_.place(std::array{VertexId(element)});
      return shape_.place(shape_.corners(TetId(element)));
    };
    struct Moved {
      std::uint64_t corner;
      Vec3d place;
    };
    constexpr size_t together = 1024;
    const size_t count = poly_.polygons.size();
    WorkerLists<Moved> lists(threads_, (count + together - 1) / together);
    host::for_each_chunk(threads_, count, together, [&](host::Range range, int worker) {
      lists.make(range.begin / together, worker, [&](Array<Moved>& list) {
        std::vector<typename Shape::Placed> polygon;
        for (size_t i = range.begin; i < range.end; ++i) {
          const std::uint64_t begin = poly_.polygons.offsets[i];
          polygon.clear();
          for (std::uint64_t at = begin; at < poly_.polygons.offsets[i + 1]; ++at)
            polygon.push_back(place(poly_.polygons.corners[at]));
          shape_.unroll(polygon);
          for (size_t k = 0; k < polygon.size(); ++k) {
            if (polygon[k].is_moved) list.push_back({begin + k, shape_.barycentre(polygon[k])});
          }
        }
      });
    });
    Array<Moved> moved;
    (void)lists.join(moved);
    const size_t first = poly_.points.size();
    (void)checked_offset(first + moved.size());
    poly_.points = extend(poly_.points, moved.size());
    host::for_each_share(threads_, moved.size(), [&](host::Range share) {
      for (size_t i = share.begin; i < share.end; ++i) {
        set_point(poly_.points, first + i, moved[i].place);
        poly_.polygons.corners[moved[i].corner] = VertexId(static_cast<uint32_t>(first + i));
      }
    });
  }

  /// The first edge of an ascending wall is its saddle.
  void find_open_edges() {
    is_open_.resize(ascending_count_);
    for_each_wall(ascending_count_, [&](size_t wall) {
      const uint32_t edge = walls_.ascending_offsets[wall];
      const bool open = is_open(shape_, walls_.ring(edge), gradient_.simplex(walls_.ascending_edge(edge)));
      is_open_[wall] = open ? 1 : 0;
    });
  }
  [[nodiscard]] uint32_t is_boundary_triangle(size_t saddle) const {
    return gradient_.cofaces(saddle).size() == 1 ? 1 : 0;
  }

  /// Descending walls, then ascending ones.
  void count_polygons() {
    places_.assign(descending_count_ + ascending_count_ + 1, {});
    for_each_wall(descending_count_, [&](size_t wall) {
      const uint32_t count = walls_.descending_offsets[wall + 1] - walls_.descending_offsets[wall];
      places_[wall + 1] = {count, 3 * std::uint64_t{count}};
    });
    for_each_wall(ascending_count_, [&](size_t wall) {
      Place& count = places_[descending_count_ + wall + 1];
      for (uint32_t i = walls_.ascending_offsets[wall]; i < walls_.ascending_offsets[wall + 1]; ++i) {
        count.polygon += polygon(i).empty() ? 0 : 1;
        count.corner += polygon(i).size();
      }
    });
    for (size_t i = 1; i < places_.size(); ++i) {
      places_[i].polygon += places_[i - 1].polygon;
      places_[i].corner += places_[i - 1].corner;
    }
    poly_.polygons.offsets.resize(places_.back().polygon + 1);
    poly_.polygons.corners.resize(places_.back().corner);
    for (Array<uint32_t>* numbers : {&sources_, &boundary_}) numbers->resize(places_.size() - 1);
    for (Array<VertexId>* ends : {&highest_, &lowest_}) ends->resize(places_.size() - 1);
  }

  [[nodiscard]] RowTriangle triangle(size_t i) const {
    const CellName& name = walls_.descending[i];
    const tiled::VertexId v = rows_.highest_of(name.id);
    return {v, gradient_.place_of_edge(v, name.id), name.low};
  }

  /// All of descending walls. Their corners are vertices of the mesh until those that are used have numbers.
  void add_triangles(TakenSet& used) {
    const CriticalEdges<Source> critical(gradient_);
    WorkerLists<uint32_t> ends(threads_, descending_count_);
    host::for_each_chunk(threads_, descending_count_, 64, [&](host::Range range, int worker) {
      for (size_t wall = range.begin; wall < range.end; ++wall) {
        ends.make(wall, worker, [&](Array<uint32_t>& saddles) {
          const auto begin = static_cast<std::ptrdiff_t>(saddles.size());
          for (uint32_t i = walls_.descending_offsets[wall]; i < walls_.descending_offsets[wall + 1]; ++i) {
            const RowTriangle at = triangle(i);
            add_triangle(i, at, used);
            critical.for_each_of(at, [&](uint32_t saddle) { saddles.push_back(saddle); });
          }
          std::sort(saddles.begin() + begin, saddles.end());
          saddles.erase(std::unique(saddles.begin() + begin, saddles.end()), saddles.end());
        });
      }
    });
    ends_.of_descending.offsets = ends.join(ends_.of_descending.values);
    ends_.of_ascending = transpose(ends_.of_descending, ascending_count_);
  }

  void add_triangle(size_t i, const RowTriangle& triangle, TakenSet& used) {
    const auto vertex = [&](uint32_t place) {
      return gradient_.to_input(tiled::VertexId(gradient_.neighbour(triangle.highest, place)));
    };
    VertexId* const corners = poly_.polygons.corners.data() + 3 * i;
    poly_.polygons.offsets[i] = 3 * i;
    corners[0] = gradient_.to_input(triangle.highest);
    corners[1] = vertex(triangle.high);
    corners[2] = vertex(triangle.low);
    if (corners[1] < corners[0]) std::swap(corners[0], corners[1]);
    if (corners[2] < corners[1]) std::swap(corners[1], corners[2]);
    if (corners[1] < corners[0]) std::swap(corners[0], corners[1]);
    for (size_t k = 0; k < 3; ++k) (void)used.take(corners[k].index());
  }

  void number_triangles(const TakenNumbers& numbers) {
    host::for_each_share(threads_, 3 * walls_.descending.size(), [&](host::Range share) {
      for (size_t i = share.begin; i < share.end; ++i) {
        VertexId& corner = poly_.polygons.corners[i];
        corner = VertexId(numbers[corner.index()]);
      }
    });
  }

  void describe_descending(size_t wall) {
    const auto saddles = ends_.of_descending[WallId(static_cast<uint32_t>(wall))];
    VertexId lowest = table_[2].lowest[wall];
    uint32_t boundary = is_boundary_triangle(wall);
    const auto lower = [&](VertexId v) { lowest = is_lower(v, lowest) ? v : lowest; };
    for (const uint32_t saddle : saddles) {
      lower(table_[1].lowest[saddle]);
      boundary += is_open_[saddle];
    }
    for (uint32_t i = walls_.descending_offsets[wall];
         saddles.empty() && i < walls_.descending_offsets[wall + 1]; ++i) {
      const RowTriangle at = triangle(i);
      lower(gradient_.to_input(tiled::VertexId(gradient_.neighbour(at.highest, at.low))));
    }
    describe(wall, table_[2].ids[wall], {table_[2].highest[wall], lowest}, boundary);
  }

  void add_ascending(size_t wall, const TakenNumbers& numbers) {
    const auto saddles = ends_.of_ascending[WallId(static_cast<uint32_t>(wall))];
    VertexId highest = table_[1].highest[wall];
    uint32_t boundary = is_open_[wall];
    const auto raise = [&](VertexId v) { highest = is_lower(highest, v) ? v : highest; };
    for (const uint32_t saddle : saddles) {
      raise(table_[2].highest[saddle]);
      boundary += is_boundary_triangle(saddle);
    }
    Place at = places_[descending_count_ + wall];
    for (uint32_t i = walls_.ascending_offsets[wall]; i < walls_.ascending_offsets[wall + 1]; ++i) {
      if (saddles.empty()) raise(gradient_.to_input(rows_.highest_of(walls_.ascending_edge(i).id)));
      if (polygon(i).empty()) continue;
      poly_.polygons.offsets[at.polygon++] = at.corner;
      for (const TetId cell : polygon(i))
        poly_.polygons.corners[at.corner++] = VertexId(numbers[cell.index()]);
    }
    describe(descending_count_ + wall, table_[1].ids[wall], {highest, table_[1].lowest[wall]}, boundary);
  }

  void describe(size_t wall, uint32_t source, std::pair<VertexId, VertexId> range, uint32_t boundary) {
    sources_[wall] = source;
    highest_[wall] = range.first;
    lowest_[wall] = range.second;
    boundary_[wall] = boundary;
  }

  void add_data() {
    const size_t walls = places_.size() - 1;
    Array<uint32_t> ids(walls);
    Array<std::int8_t> types(walls, ascending_wall);
    std::iota(ids.begin(), ids.end(), 0u);
    std::fill_n(types.begin(), descending_count_, descending_wall);
    FieldSet of_walls;
    of_walls.add(make_id_field("SourceId", sources_));
    of_walls.add(make_id_field("SeparatrixId", ids));
    of_walls.add(Field("SeparatrixType", std::move(types)));
    add_function_range(of_walls, field_, highest_, lowest_);
    of_walls.add(make_id_field("NumberOfCriticalPointsOnBoundary", boundary_));
    for (const Field& field : of_walls) poly_.cell_data.add(spread(field));
  }

  /// What a field says of walls, said of their polygons.
  [[nodiscard]] Field spread(const Field& of_walls) const {
    Field of_polygons(of_walls.name(), of_walls.type(), poly_.polygons.size());
    of_walls.visit([&](auto values) {
      using T = typename decltype(values)::value_type;
      T* const out = of_polygons.as<T>().data();
      for_each_wall(values.size(), [&](size_t wall) {
        std::fill(out + places_[wall].polygon, out + places_[wall + 1].polygon, values[wall]);
      });
    });
    return of_polygons;
  }

  const Shape& shape_;
  const Field& field_;
  const Source& gradient_;
  const Walls& walls_;
  const CriticalTable<3>& table_;
  int threads_;
  EdgeRows<Source> rows_;
  WallEnds ends_;
  size_t descending_count_;
  size_t ascending_count_;
  std::vector<std::uint8_t> is_open_;  // by 1-saddle: is it on the boundary?
  Array<Place> places_;                // by wall, and the end
  PolyData poly_;
  Array<uint32_t> sources_, boundary_;  // by wall, as the next two
  Array<VertexId> highest_, lowest_;
};

}  // namespace

template <class Source, class Shape>
PolyData make_wall_poly(const WallSource<Source, Shape>& source, const Walls& walls, Walls* to_release) {
  check_walls(source.gradient, walls);
  WallPoly<Source, Shape> poly(source, walls);
  poly.make_polygons();
  if (to_release != nullptr) *to_release = {};
  return poly.with_data();
}

template PolyData make_wall_poly(const WallSource<GradientData<3>, MeshShape<3>>&, const Walls&, Walls*);
template PolyData make_wall_poly(const WallSource<GridGradient<3>, GridShape<3>>&, const Walls&, Walls*);

}  // namespace tessera::detail
