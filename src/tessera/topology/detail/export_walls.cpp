// Walls of tetrahedra as triangles and polygons, with TTK's arrays of 2-separatrices.
#include <algorithm>
#include <numeric>

#include <tessera/core/csr.h>
#include <tessera/core/id.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/topology/detail/critical_numbers.h>
#include <tessera/topology/detail/export_parts.h>
#include <tessera/topology/detail/taken.h>

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

/// Calls f(edge) for the critical edges of a triangle.
template <class F>
void for_each_critical_edge(const GradientData<3>& gradient, const CellName& triangle, const F& f) {
  const tiled::VertexId v = gradient.highest_of_edge(triangle.id);
  const uint32_t high = triangle.id - gradient.first_edge(v);
  const tiled::VertexId second(gradient.lower(v)[high]);
  const tiled::VertexId third(gradient.lower(v)[triangle.low]);
  const auto visit = [&](tiled::VertexId top, uint32_t place) {
    if (place > 0 && gradient.triangle_of(top, place) == GradientData<3>::none)
      f(gradient.first_edge(top) + place);
  };
  visit(v, high);
  visit(v, triangle.low);
  visit(second, gradient.place_of(second, third));
}

SaddleLists find_descending_ends(const GradientData<3>& gradient, const Walls& walls, int threads) {
  constexpr size_t chunk = 64;
  const CriticalNumbers edges(gradient.critical_cells(1));
  const size_t count = gradient.critical_cells(2).size();
  std::vector<ListPart<uint32_t>> parts(count / chunk + 1);
  host::for_each_chunk(threads, count, chunk, [&](host::Range range, int) {
    ListPart<uint32_t>& part = parts[range.begin / chunk];
    for (size_t w = range.begin; w < range.end; ++w) {
      const auto begin = static_cast<std::ptrdiff_t>(part.items.size());
      for (uint32_t i = walls.descending_offsets[w]; i < walls.descending_offsets[w + 1]; ++i)
        for_each_critical_edge(gradient, walls.descending[i],
                               [&](uint32_t edge) { part.items.push_back(edges[edge]); });
      std::sort(part.items.begin() + begin, part.items.end());
      part.items.erase(std::unique(part.items.begin() + begin, part.items.end()), part.items.end());
      part.sizes.push_back(static_cast<uint32_t>(part.items.size() - static_cast<size_t>(begin)));
    }
  });
  SaddleLists lists;
  join_lists(parts, lists.offsets, lists.values);
  return lists;
}

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

WallEnds find_ends(const GradientData<3>& gradient, const Walls& walls, int threads) {
  WallEnds ends;
  ends.of_descending = find_descending_ends(gradient, walls, threads);
  ends.of_ascending = transpose(ends.of_descending, gradient.critical_cells(1).size());
  return ends;
}

/// Error(bad_option) unless the walls can be of the gradient.
void check_walls(const WallSource& source, const Walls& walls) {
  const auto refuse = [] { throw Error(ErrorCode::bad_option, "the walls are of another gradient"); };
  if (walls.descending_offsets.size() != source.gradient.critical_cells(2).size() + 1 ||
      walls.ascending_offsets.size() != source.gradient.critical_cells(1).size() + 1)
    refuse();
  check_names(source.gradient, walls.descending);
  for (const uint32_t edge : walls.edges) {
    if (edge >= source.gradient.edge_count()) refuse();
  }
  for (const TetId tet : walls.rings) {
    if (tet.index() >= source.mesh.cell_count()) refuse();
  }
}

/// Is the ring of cells around an edge open? Then one of the vertices opposite to it is in one cell only.
bool is_open(const TetMesh& mesh, std::span<const TetId> ring, const Simplex& edge) {
  std::vector<VertexId> others;
  for (const TetId tet : ring) {
    for (const VertexId v : mesh[tet]) {
      if (v != edge.vertices[0] && v != edge.vertices[1]) others.push_back(v);
    }
  }
  return std::ranges::any_of(others, [&](VertexId v) { return std::ranges::count(others, v) == 1; });
}

/// Makes the polygons in two passes, one that counts and one that fills, so that no array grows.
class WallPoly {
 public:
  WallPoly(const WallSource& source, const Walls& walls)
      : mesh_(source.mesh),
        field_(source.field),
        gradient_(source.gradient),
        walls_(walls),
        table_(source.table),
        threads_(source.threads),
        ends_(find_ends(source.gradient, walls, source.threads)),
        descending_count_(walls.descending_offsets.size() - 1),
        ascending_count_(walls.ascending_offsets.size() - 1) {}

  void make_polygons() {
    const TakenSet used_vertices = find_used_vertices();
    const TakenSet used_cells = find_used_cells();
    const TakenNumbers vertices(used_vertices);
    const TakenNumbers cells(used_cells, vertices.end());
    place_points(vertices, cells);
    find_open_edges();
    count_polygons();
    for_each_wall(descending_count_, [&](size_t wall) { add_descending(wall, vertices); });
    for_each_wall(ascending_count_, [&](size_t wall) { add_ascending(wall, cells); });
    poly_.polygons.offsets.back() = poly_.polygons.corners.size();
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

  [[nodiscard]] TakenSet find_used_vertices() const {
    TakenSet used(mesh_.vertex_count());
    host::for_each_share(threads_, walls_.descending.size(), [&](host::Range share) {
      for (size_t i = share.begin; i < share.end; ++i) {
        const Simplex simplex = gradient_.simplex(walls_.descending[i]);
        for (size_t k = 0; k < 3; ++k) (void)used.take(simplex.vertices[k].index());
      }
    });
    return used;
  }
  /// Of all edges of ascending walls.
  [[nodiscard]] TakenSet find_used_cells() const {
    TakenSet used(mesh_.cell_count());
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
    const Points& points = mesh_.points;
    poly_.points = make_points_like(points, cells.end());
    vertices.for_each(threads_, [&](uint32_t vertex, uint32_t number) {
      set_point(poly_.points, number, points[VertexId(vertex)]);
    });
    cells.for_each(threads_, [&](uint32_t cell, uint32_t number) {
      set_point(poly_.points, number, barycentre(points, Simplex{mesh_.cells[cell], 4}));
    });
  }

  /// The first edge of an ascending wall is its saddle.
  void find_open_edges() {
    is_open_.resize(ascending_count_);
    for_each_wall(ascending_count_, [&](size_t wall) {
      const uint32_t edge = walls_.ascending_offsets[wall];
      const bool open = is_open(mesh_, walls_.ring(edge), gradient_.simplex(walls_.ascending_edge(edge)));
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

  void add_descending(size_t wall, const TakenNumbers& numbers) {
    const auto saddles = ends_.of_descending[WallId(static_cast<uint32_t>(wall))];
    VertexId lowest = table_[2].lowest[wall];
    uint32_t boundary = is_boundary_triangle(wall);
    const auto lower = [&](VertexId v) { lowest = is_lower(v, lowest) ? v : lowest; };
    for (const uint32_t saddle : saddles) {
      lower(table_[1].lowest[saddle]);
      boundary += is_open_[saddle];
    }
    Place at = places_[wall];
    for (uint32_t i = walls_.descending_offsets[wall]; i < walls_.descending_offsets[wall + 1]; ++i) {
      const Simplex simplex = gradient_.simplex(walls_.descending[i]);
      poly_.polygons.offsets[at.polygon++] = at.corner;
      for (size_t k = 0; k < 3; ++k) {
        poly_.polygons.corners[at.corner++] = VertexId(numbers[simplex.vertices[k].index()]);
        if (saddles.empty()) lower(simplex.vertices[k]);
      }
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
      if (saddles.empty()) raise(gradient_.to_input(gradient_.highest_of_edge(walls_.ascending_edge(i).id)));
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
    Array<uint32_t> wall_of(poly_.polygons.size());
    for_each_wall(walls, [&](size_t wall) {
      std::fill(wall_of.begin() + static_cast<std::ptrdiff_t>(places_[wall].polygon),
                wall_of.begin() + static_cast<std::ptrdiff_t>(places_[wall + 1].polygon),
                static_cast<uint32_t>(wall));
    });
    poly_.cell_data = of_walls.gather(wall_of);
  }

  const TetMesh& mesh_;
  const Field& field_;
  const GradientData<3>& gradient_;
  const Walls& walls_;
  const CriticalTable<3>& table_;
  int threads_;
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

PolyData make_wall_poly(const WallSource& source, const Walls& walls, Walls* to_release) {
  check_walls(source, walls);
  WallPoly poly(source, walls);
  poly.make_polygons();
  if (to_release != nullptr) *to_release = {};
  return poly.with_data();
}

}  // namespace tessera::detail
