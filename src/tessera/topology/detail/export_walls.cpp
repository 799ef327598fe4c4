// Walls of tetrahedra as triangles and polygons, with TTK's arrays of 2-separatrices.
#include <algorithm>

#include <tessera/topology/detail/critical_numbers.h>
#include <tessera/topology/detail/export_parts.h>

namespace tessera::detail {
namespace {

using std::size_t;
using std::uint32_t;

using Simplex = Gradient<3>::Simplex;

/// TTK's numbers.
constexpr std::int8_t ascending_wall = 1;
constexpr std::int8_t descending_wall = 2;

/// Which saddles lie on which walls: a 1-saddle is on the descending wall of a 2-saddle exactly if the
/// 2-saddle is on the ascending wall of the 1-saddle.
struct WallEnds {
  std::vector<std::vector<uint32_t>> of_descending;
  std::vector<std::vector<uint32_t>> of_ascending;
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

WallEnds find_ends(const GradientData<3>& gradient, const Walls& walls) {
  const CriticalNumbers edges(gradient.critical_cells(1));
  WallEnds ends;
  ends.of_descending.resize(gradient.critical_cells(2).size());
  ends.of_ascending.resize(gradient.critical_cells(1).size());
  for (size_t w = 0; w < ends.of_descending.size(); ++w) {
    auto& own = ends.of_descending[w];
    for (uint32_t i = walls.descending_offsets[w]; i < walls.descending_offsets[w + 1]; ++i)
      for_each_critical_edge(gradient, walls.descending[i],
                             [&](uint32_t edge) { own.push_back(edges[edge]); });
    std::ranges::sort(own);
    own.erase(std::unique(own.begin(), own.end()), own.end());
    for (const uint32_t saddle : own) ends.of_ascending[saddle].push_back(static_cast<uint32_t>(w));
  }
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

/// Numbers the elements that are used, in ascending order.
class UsedNumbers {
 public:
  explicit UsedNumbers(size_t elements) : number_(elements, 0) {}

  void use(uint32_t element) { number_[element] = 1; }
  /// Numbers them from `first` on and gives their list.
  Array<uint32_t> finish(uint32_t first) {
    Array<uint32_t> used;
    for (uint32_t i = 0; i < number_.size(); ++i) {
      if (number_[i] == 0) continue;
      number_[i] = first++;
      used.push_back(i);
    }
    return used;
  }
  [[nodiscard]] VertexId operator[](uint32_t element) const { return VertexId(number_[element]); }

 private:
  Array<uint32_t> number_;
};

class WallPoly {
 public:
  WallPoly(const WallSource& source, const Walls& walls)
      : mesh_(source.mesh),
        field_(source.field),
        gradient_(source.gradient),
        walls_(walls),
        table_(source.table),
        ends_(find_ends(source.gradient, walls)),
        vertices_(source.mesh.vertex_count()),
        cells_(source.mesh.cell_count()) {}

  PolyData make() {
    number_points();
    find_open_edges();
    for (size_t wall = 0; wall < ends_.of_descending.size(); ++wall) add_descending(wall);
    for (size_t wall = 0; wall < ends_.of_ascending.size(); ++wall) add_ascending(wall);
    poly_.cell_data.add(make_id_field("SourceId", sources_));
    poly_.cell_data.add(make_id_field("SeparatrixId", ids_));
    poly_.cell_data.add(Field("SeparatrixType", std::move(types_)));
    add_function_range(poly_.cell_data, field_, highest_, lowest_);
    poly_.cell_data.add(make_id_field("NumberOfCriticalPointsOnBoundary", boundary_));
    return std::move(poly_);
  }

 private:
  /// The cells around an edge of an ascending wall; fewer than three are no polygon.
  [[nodiscard]] std::span<const TetId> polygon(size_t edge) const {
    const auto ring = walls_.ring(edge);
    return ring.size() > 2 ? ring : std::span<const TetId>{};
  }
  [[nodiscard]] bool is_lower(VertexId a, VertexId b) const {
    return gradient_.order(a) < gradient_.order(b);
  }

  void number_points() {
    for (const CellName& triangle : walls_.descending) {
      const Simplex simplex = gradient_.simplex(triangle);
      for (size_t k = 0; k < 3; ++k) vertices_.use(simplex.vertices[k].index());
    }
    for (size_t edge = 0; edge < walls_.ascending.size(); ++edge) {
      for (const TetId cell : polygon(edge)) cells_.use(cell.index());
    }
    const Points& points = mesh_.points;
    const Array<uint32_t> used_vertices = vertices_.finish(0);
    const Array<uint32_t> used_cells = cells_.finish(static_cast<uint32_t>(used_vertices.size()));
    poly_.points = make_points_like(points, used_vertices.size() + used_cells.size());
    size_t at = 0;
    for (const uint32_t v : used_vertices) set_point(poly_.points, at++, points[VertexId(v)]);
    for (const uint32_t c : used_cells)
      set_point(poly_.points, at++, barycentre(points, Simplex{mesh_.cells[c], 4}));
  }

  /// The first edge of an ascending wall is its saddle.
  void find_open_edges() {
    for (size_t wall = 0; wall < ends_.of_ascending.size(); ++wall) {
      const uint32_t edge = walls_.ascending_offsets[wall];
      const bool open = is_open(mesh_, walls_.ring(edge), gradient_.simplex(walls_.ascending_edge(edge)));
      is_open_.push_back(open ? 1 : 0);
    }
  }
  [[nodiscard]] uint32_t is_boundary_triangle(size_t saddle) const {
    return gradient_.cofaces(saddle).size() == 1 ? 1 : 0;
  }

  void add_descending(size_t wall) {
    const auto& saddles = ends_.of_descending[wall];
    VertexId lowest = table_[2].lowest[wall];
    uint32_t boundary = is_boundary_triangle(wall);
    const auto lower = [&](VertexId v) { lowest = is_lower(v, lowest) ? v : lowest; };
    for (const uint32_t saddle : saddles) {
      lower(table_[1].lowest[saddle]);
      boundary += is_open_[saddle];
    }
    for (uint32_t i = walls_.descending_offsets[wall]; i < walls_.descending_offsets[wall + 1]; ++i) {
      const Simplex simplex = gradient_.simplex(walls_.descending[i]);
      std::array<VertexId, 3> corners;
      for (size_t k = 0; k < 3; ++k) {
        corners[k] = vertices_[simplex.vertices[k].index()];
        if (saddles.empty()) lower(simplex.vertices[k]);
      }
      poly_.polygons.add(corners);
    }
    describe(descending_wall, table_[2].ids[wall], {table_[2].highest[wall], lowest}, boundary);
  }

  void add_ascending(size_t wall) {
    const auto& saddles = ends_.of_ascending[wall];
    VertexId highest = table_[1].highest[wall];
    uint32_t boundary = is_open_[wall];
    const auto raise = [&](VertexId v) { highest = is_lower(highest, v) ? v : highest; };
    for (const uint32_t saddle : saddles) {
      raise(table_[2].highest[saddle]);
      boundary += is_boundary_triangle(saddle);
    }
    for (uint32_t i = walls_.ascending_offsets[wall]; i < walls_.ascending_offsets[wall + 1]; ++i) {
      if (saddles.empty()) raise(gradient_.to_input(gradient_.highest_of_edge(walls_.ascending_edge(i).id)));
      if (polygon(i).empty()) continue;
      corners_.clear();
      for (const TetId cell : polygon(i)) corners_.push_back(cells_[cell.index()]);
      poly_.polygons.add(corners_);
    }
    describe(ascending_wall, table_[1].ids[wall], {highest, table_[1].lowest[wall]}, boundary);
  }

  /// Gives the polygons added since the last call their data.
  void describe(std::int8_t type, uint32_t source, std::pair<VertexId, VertexId> range, uint32_t boundary) {
    const size_t count = poly_.polygons.size();
    types_.resize(count, type);
    sources_.resize(count, source);
    ids_.resize(count, next_id_++);
    highest_.resize(count, range.first);
    lowest_.resize(count, range.second);
    boundary_.resize(count, boundary);
  }

  const TetMesh& mesh_;
  const Field& field_;
  const GradientData<3>& gradient_;
  const Walls& walls_;
  const CriticalTable<3>& table_;
  WallEnds ends_;
  UsedNumbers vertices_;
  UsedNumbers cells_;
  std::vector<std::uint8_t> is_open_;  // by 1-saddle: is it on the boundary?
  std::vector<VertexId> corners_;
  PolyData poly_;
  Array<uint32_t> sources_, ids_, boundary_;
  Array<VertexId> highest_, lowest_;
  Array<std::int8_t> types_;
  uint32_t next_id_ = 0;
};

}  // namespace

PolyData make_wall_poly(const WallSource& source, const Walls& walls) {
  check_walls(source, walls);
  return WallPoly(source, walls).make();
}

}  // namespace tessera::detail
