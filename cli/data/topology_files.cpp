#include "data/topology_files.h"

#include <algorithm>

#include <tessera/exec/detail/host/parallel.h>
#include <tessera/tile/materialize.h>

namespace tessera::cli {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;

template <int Dim>
using Simplex = typename Gradient<Dim>::Simplex;

/// The vertex of a cell with the highest or lowest value.
template <int Dim>
VertexId extreme_vertex(const Gradient<Dim>& gradient, const Simplex<Dim>& simplex, bool highest) {
  const auto order = [&](VertexId v) { return gradient.order()[gradient.tiles().from_input(v)]; };
  VertexId best = simplex.vertices[0];
  for (uint32_t k = 1; k < simplex.size; ++k) {
    const VertexId v = simplex.vertices[k];
    if ((order(best) < order(v)) == highest) best = v;
  }
  return best;
}

/// Arrays of points that stand for cells.
template <int Dim>
class CellPoints {
 public:
  CellPoints(const Domain<Dim>& domain, const Gradient<Dim>& gradient, size_t count)
      : domain_(domain),
        gradient_(gradient),
        places_(make_points_like(domain.mesh.points, count)),
        ids_(count),
        dimensions_(count) {}

  void set(size_t index, const CellName& cell, typename CellNumbers<Dim>::Reader& number) {
    const Simplex<Dim> simplex = gradient_.simplex(cell);
    set_point(places_, index, barycentre(domain_.mesh.points, simplex));
    ids_[index] = number(cell, simplex);
    dimensions_[index] = static_cast<std::int8_t>(cell.dimension);
  }

  void move_to(PolyData& poly) {
    poly.points = std::move(places_);
    poly.point_data.add(Field("CellDimension", std::move(dimensions_)));
    poly.point_data.add(make_id_field("CellId", ids_));
  }

 private:
  const Domain<Dim>& domain_;
  const Gradient<Dim>& gradient_;
  Points places_;
  Array<uint32_t> ids_;
  Array<std::int8_t> dimensions_;
};

/// The scalar under its own name, and which vertices the values are of.
void add_vertices(FieldSet& fields, const Field& field, const Array<uint32_t>& vertices) {
  fields.add(field.gather(vertices));
  fields.add(make_id_field("ttkVertexScalarField", vertices));
}

/// How many vertices each region has, by the number of its extremum.
Array<uint32_t> count_vertices(const Array<std::int32_t>& labels, size_t extrema) {
  Array<uint32_t> sizes(extrema, 0);
  for (const std::int32_t label : labels) {
    if (label >= 0) ++sizes[static_cast<size_t>(label)];
  }
  return sizes;
}

struct CellPair {
  CellName low, high;
};

/// All pairs: vertices with edges by ascending vertex, edges with triangles of tetrahedra by their highest
/// vertex, facets with cells by ascending cell.
template <int Dim>
std::vector<CellPair> list_pairs(const Gradient<Dim>& gradient) {
  const TiledMesh<Dim>& tiles = gradient.tiles();
  std::vector<CellPair> pairs;
  const auto for_each_row = [&](auto&& f) {
    for (uint32_t input = 0; input < tiles.vertex_count(); ++input) {
      const VertexId v = tiles.from_input(VertexId(input));
      f(v, static_cast<uint32_t>(gradient.lower(v).size()));
    }
  };
  for_each_row([&](VertexId v, uint32_t size) {
    if (size > 0) pairs.push_back({{v.index(), 0, 0}, {gradient.first_edge(v), 0, 1}});
  });
  if constexpr (Dim == 3) {
    for_each_row([&](VertexId v, uint32_t size) {
      for (uint32_t place = 1; place < size; ++place) {
        const uint32_t third = gradient.triangle_of(v, place);
        if (third == Gradient<Dim>::none) continue;
        pairs.push_back({{gradient.first_edge(v) + place, 0, 1}, gradient.triangle(v, place, third)});
      }
    });
  }
  Array<uint32_t> from_input(tiles.cell_count());
  for (uint32_t c = 0; c < from_input.size(); ++c)
    from_input[tiles.to_input(typename TiledMesh<Dim>::CellId(c)).index()] = c;
  for (const uint32_t c : from_input) {
    if (gradient.opposite(c) == Gradient<Dim>::critical) continue;
    pairs.push_back({gradient.facet_of(c, gradient.opposite(c)), {c, 0, Dim}});
  }
  return pairs;
}

/// Arrays of separatrices.
class SeparatrixCells {
 public:
  explicit SeparatrixCells(size_t count)
      : sources_(count),
        destinations_(count),
        ids_(count),
        highest_(count),
        lowest_(count),
        types_(count),
        boundary_(count) {}

  template <int Dim>
  void set(size_t s, const MorseSmaleComplex<Dim>& complex, const CriticalTable<Dim>& table) {
    const Separatrices::Ends& ends = complex.separatrices.ends[s];
    const CriticalList& from = table.of[complex.separatrices.path(s).front().dimension];
    const CriticalList& to = table.of[complex.separatrices.path(s).back().dimension];
    const auto is_lower = [&](uint32_t a, uint32_t b) {
      const auto order = [&](uint32_t v) {
        return complex.gradient.order()[complex.gradient.tiles().from_input(VertexId(v))];
      };
      return order(a) < order(b);
    };
    sources_[s] = from.ids[ends.source];
    destinations_[s] = to.ids[ends.destination];
    ids_[s] = static_cast<uint32_t>(s);
    highest_[s] = std::max(from.highest[ends.source], to.highest[ends.destination], is_lower);
    lowest_[s] = std::min(from.lowest[ends.source], to.lowest[ends.destination], is_lower);
    types_[s] = static_cast<std::int8_t>(std::min(static_cast<int>(ends.type), Dim - 1));  // as TTK
    boundary_[s] = static_cast<std::int8_t>(from.on_boundary[ends.source] + to.on_boundary[ends.destination]);
  }

  void move_to(FieldSet& fields, const Field& field) {
    fields.add(make_id_field("SourceId", sources_));
    fields.add(make_id_field("DestinationId", destinations_));
    fields.add(make_id_field("SeparatrixId", ids_));
    fields.add(Field("SeparatrixType", std::move(types_)));
    add_function_range(fields, field, highest_, lowest_);
    fields.add(Field("NumberOfCriticalPointsOnBoundary", std::move(boundary_)));
  }

 private:
  Array<uint32_t> sources_, destinations_, ids_, highest_, lowest_;
  Array<std::int8_t> types_, boundary_;
};

}  // namespace

void add_function_range(FieldSet& fields, const Field& field, const Array<uint32_t>& highest,
                        const Array<uint32_t>& lowest) {
  field.visit([&](auto values) {
    using T = typename decltype(values)::value_type;
    Array<T> high(highest.size());
    Array<T> low(highest.size());
    Array<T> difference(highest.size());
    for (size_t i = 0; i < highest.size(); ++i) {
      high[i] = values[highest[i]];
      low[i] = values[lowest[i]];
      difference[i] = static_cast<T>(high[i] - low[i]);
    }
    fields.add(Field("SeparatrixFunctionMaximum", std::move(high)));
    fields.add(Field("SeparatrixFunctionMinimum", std::move(low)));
    fields.add(Field("SeparatrixFunctionDifference", std::move(difference)));
  });
}

template <int Dim>
CriticalTable<Dim> make_critical_table(Session& session, const Domain<Dim>& domain,
                                       const Gradient<Dim>& gradient, const CellNumbers<Dim>& numbers) {
  const auto on_boundary = materialize_boundary<Kind::vertex, Dim>(
      *domain.tiles, Enumeration<Dim>{}, {.exec = session.host(), .monitor = &session.monitor()});
  CriticalTable<Dim> table;
  typename CellNumbers<Dim>::Reader number(numbers);
  for (int d = 0; d <= Dim; ++d) {
    CriticalList& list = table.of[static_cast<size_t>(d)];
    for (const CriticalCell& cell : gradient.critical_cells(d)) {
      const Simplex<Dim> simplex = gradient.simplex(cell.name);
      list.ids.push_back(number(cell.name, simplex));
      list.highest.push_back(domain.tiles->to_input(cell.highest).index());
      list.lowest.push_back(extreme_vertex(gradient, simplex, false).index());
      list.on_boundary.push_back(static_cast<std::int8_t>(on_boundary[cell.highest]));
    }
  }
  return table;
}

template <int Dim>
PolyData make_point_poly(const Domain<Dim>& domain, const CriticalPoints& points) {
  const size_t count = points.points.size();
  PolyData poly;
  Array<std::int8_t> types(count);
  Array<std::int8_t> boundary(count);
  Array<uint32_t> vertices(count);
  Array<uint32_t> lower(count);
  Array<uint32_t> upper(count);
  for (size_t i = 0; i < count; ++i) {
    const CriticalPoint& point = points.points[i];
    types[i] = static_cast<std::int8_t>(point.type);
    boundary[i] = point.is_on_boundary ? 1 : 0;
    vertices[i] = point.vertex.index();
    lower[i] = point.lower_pieces;
    upper[i] = point.upper_pieces;
  }
  poly.points = domain.mesh.points.gather(vertices);
  poly.vertices = make_vertex_cells(count);
  add_vertices(poly.point_data, domain.field, vertices);
  poly.point_data.add(Field("CriticalType", std::move(types)));
  poly.point_data.add(Field("CellDimension", Array<std::int8_t>(count, 0)));
  poly.point_data.add(make_id_field("CellId", vertices));
  poly.point_data.add(Field("IsOnBoundary", std::move(boundary)));
  poly.point_data.add(make_id_field("LowerLinkPieces", lower));
  poly.point_data.add(make_id_field("UpperLinkPieces", upper));
  return poly;
}

template <int Dim>
PolyData make_cell_poly(const Domain<Dim>& domain, const Gradient<Dim>& gradient,
                        const CriticalTable<Dim>& table, const CellPolyOptions& options) {
  Array<uint32_t> ids;
  Array<uint32_t> highest;
  Array<uint32_t> sizes;
  Array<std::int8_t> dimensions;
  Array<std::int8_t> boundary;
  std::array<Array<uint32_t>, Dim + 1> manifolds;  // of saddles none
  if (options.segmentation != nullptr) {
    manifolds[0] = count_vertices(options.segmentation->descending, table.of[0].ids.size());
    manifolds[Dim] = count_vertices(options.segmentation->ascending, table.of[Dim].ids.size());
  }
  std::vector<CellName> names;
  for (int d = 0; d <= Dim; ++d) {
    const CriticalList& list = table.of[static_cast<size_t>(d)];
    const Array<uint32_t>& manifold = manifolds[static_cast<size_t>(d)];
    const size_t first = names.size();  // labels count those that are written
    for (uint32_t i = 0; i < list.ids.size(); ++i) {
      if (options.simplified != nullptr && !options.simplified->is_left(d, i)) continue;
      sizes.push_back(manifold.empty() ? 0 : manifold[names.size() - first]);
      names.push_back(gradient.critical_cells(d)[i].name);
      ids.push_back(list.ids[i]);
      highest.push_back(list.highest[i]);
      boundary.push_back(list.on_boundary[i]);
      dimensions.push_back(static_cast<std::int8_t>(d));
    }
  }
  PolyData poly;
  poly.points = make_points_like(domain.mesh.points, names.size());
  for (size_t at = 0; at < names.size(); ++at)
    set_point(poly.points, at, barycentre(domain.mesh.points, gradient.simplex(names[at])));
  poly.vertices = make_vertex_cells(ids.size());
  add_vertices(poly.point_data, domain.field, highest);
  poly.point_data.add(Field("CellDimension", std::move(dimensions)));
  poly.point_data.add(make_id_field("CellId", ids));
  poly.point_data.add(Field("IsOnBoundary", std::move(boundary)));
  if (options.segmentation != nullptr) poly.point_data.add(make_id_field("ManifoldSize", sizes));
  return poly;
}

template <int Dim>
PolyData make_pair_poly(Session& session, const Domain<Dim>& domain, const Gradient<Dim>& gradient,
                        const CellNumbers<Dim>& numbers) {
  const std::vector<CellPair> pairs = list_pairs(gradient);
  PolyData poly;
  CellPoints<Dim> points(domain, gradient, 2 * pairs.size());
  Array<std::int8_t> origins(2 * pairs.size());
  Array<std::int8_t> types(pairs.size());
  poly.lines.offsets.resize(pairs.size() + 1);
  poly.lines.corners.resize(2 * pairs.size());
  host::for_each_share(session.host().threads(), pairs.size(), [&](host::Range share) {
    typename CellNumbers<Dim>::Reader number(numbers);
    for (size_t i = share.begin; i < share.end; ++i) {
      points.set(2 * i, pairs[i].low, number);
      points.set(2 * i + 1, pairs[i].high, number);
      types[i] = static_cast<std::int8_t>(pairs[i].low.dimension);
      for (size_t end = 0; end < 2; ++end) {
        origins[2 * i + end] = static_cast<std::int8_t>(end);
        poly.lines.corners[2 * i + end] = VertexId(static_cast<uint32_t>(2 * i + end));
      }
      poly.lines.offsets[i + 1] = 2 * (i + 1);
    }
  });
  poly.lines.offsets[0] = 0;
  points.move_to(poly);
  poly.point_data.add(Field("PairOrigin", std::move(origins)));
  poly.cell_data.add(Field("PairType", std::move(types)));
  return poly;
}

template <int Dim>
PolyData make_separatrix_poly(Session& session, const Domain<Dim>& domain,
                              const MorseSmaleComplex<Dim>& complex, const CriticalTable<Dim>& table,
                              const CellNumbers<Dim>& numbers) {
  const Separatrices& paths = complex.separatrices;
  CellPoints<Dim> points(domain, complex.gradient, paths.cells.size());
  host::for_each_share(session.host().threads(), paths.cells.size(), [&](host::Range share) {
    typename CellNumbers<Dim>::Reader number(numbers);
    for (size_t i = share.begin; i < share.end; ++i) points.set(i, paths.cells[i], number);
  });
  Array<std::int8_t> inside(paths.cells.size(), 1);
  SeparatrixCells cells(paths.ends.size());
  for (size_t s = 0; s < paths.ends.size(); ++s) {
    inside[paths.offsets[s]] = inside[paths.offsets[s + 1] - 1] = 0;
    cells.set(s, complex, table);
  }
  PolyData poly;
  poly.lines.offsets.assign(paths.offsets.begin(), paths.offsets.end());
  poly.lines.corners = make_vertex_cells(paths.cells.size()).corners;
  points.move_to(poly);
  poly.point_data.add(Field("ttkMaskScalarField", std::move(inside)));
  cells.move_to(poly.cell_data, domain.field);
  return poly;
}

#define TS_INSTANTIATE_FILES(Dim)                                                                       \
  template CriticalTable<Dim> make_critical_table(Session&, const Domain<Dim>&, const Gradient<Dim>&,   \
                                                  const CellNumbers<Dim>&);                             \
  template PolyData make_point_poly(const Domain<Dim>&, const CriticalPoints&);                         \
  template PolyData make_cell_poly(const Domain<Dim>&, const Gradient<Dim>&, const CriticalTable<Dim>&, \
                                   const CellPolyOptions&);                                             \
  template PolyData make_pair_poly(Session&, const Domain<Dim>&, const Gradient<Dim>&,                  \
                                   const CellNumbers<Dim>&);                                            \
  template PolyData make_separatrix_poly(Session&, const Domain<Dim>&, const MorseSmaleComplex<Dim>&,   \
                                         const CriticalTable<Dim>&, const CellNumbers<Dim>&)
TS_INSTANTIATE_FILES(2);
TS_INSTANTIATE_FILES(3);

}  // namespace tessera::cli
