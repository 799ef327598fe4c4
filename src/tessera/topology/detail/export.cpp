#include <tessera/topology/export.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include <tessera/core/detail/monitor.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/tile/materialize.h>
#include <tessera/topology/detail/cell_ranks.h>
#include <tessera/topology/detail/check_field.h>
#include <tessera/topology/detail/export_parts.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;

/// Arrays of points that stand for cells.
struct CellPoints {
  CellPoints(const Points& like, size_t count)
      : places(make_points_like(like, count)), ids(count), dimensions(count) {}

  void move_to(PolyData& poly) {
    poly.points = std::move(places);
    poly.point_data.add(Field("CellDimension", std::move(dimensions)));
    poly.point_data.add(make_id_field("CellId", ids));
  }

  Points places;
  Array<uint32_t> ids;
  Array<std::int8_t> dimensions;
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
    if (label < 0) continue;
    if (static_cast<size_t>(label) >= extrema)
      throw Error(ErrorCode::bad_option, "the segmentation is of another gradient");
    ++sizes[static_cast<size_t>(label)];
  }
  return sizes;
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
  void set(size_t s, const GradientData<Dim>& gradient, const Separatrices& paths,
           const CriticalTable<Dim>& table) {
    const Separatrices::Ends& ends = paths.ends[s];
    const CriticalList& from = table[paths.path(s).front().dimension];
    const CriticalList& to = table[paths.path(s).back().dimension];
    const auto is_lower = [&](VertexId a, VertexId b) { return gradient.order(a) < gradient.order(b); };
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
  Array<uint32_t> sources_, destinations_, ids_;
  Array<VertexId> highest_, lowest_;
  Array<std::int8_t> types_, boundary_;
};

/// Error(bad_option) unless the separatrices can be of the gradient.
template <int Dim>
void check_paths(const GradientData<Dim>& gradient, const Separatrices& paths) {
  check_names(gradient, paths.cells);
  const auto has = [&](const CellName& end, uint32_t number) {
    return number < gradient.critical_cells(static_cast<int>(end.dimension)).size();
  };
  for (size_t s = 0; s < paths.size(); ++s) {
    const auto path = paths.path(s);
    if (!has(path.front(), paths.ends[s].source) || !has(path.back(), paths.ends[s].destination))
      throw Error(ErrorCode::bad_option, "the separatrices are of another gradient");
  }
}

template <int Dim>
void check_mesh(const GradientData<Dim>& gradient, const SimplexMesh<Dim>& mesh) {
  const TiledMesh<Dim>& tiles = gradient.tiles();
  if (mesh.vertex_count() == tiles.vertex_count() && mesh.cell_count() == tiles.cell_count()) return;
  throw Error(ErrorCode::bad_mesh, "the gradient is of a mesh with " + std::to_string(tiles.vertex_count()) +
                                       " vertices and " + std::to_string(tiles.cell_count()) +
                                       " cells, not of this one with " + std::to_string(mesh.vertex_count()) +
                                       " and " + std::to_string(mesh.cell_count()));
}

}  // namespace

template <int Dim>
struct TopologyExporter<Dim>::State {
  Gradient<Dim> keep;
  const GradientData<Dim>& gradient;
  const SimplexMesh<Dim>& mesh;
  const Field& field;
  Exec exec;
  const Monitor& monitor;
  MemoryBudget* memory;
  Reservation room;
  std::optional<CellRanks<Dim>> ranks;
  std::optional<CriticalTable<Dim>> table;

  [[nodiscard]] PolyData make_walls(const Walls& walls, Walls* to_release);

  /// Calls f(i, simplex) for the cells, in parallel, and gives their CellIds.
  template <class F>
  Array<uint32_t> describe(std::span<const CellName> cells, const F& f) const {
    const size_t batch = gradient.tiles().vertex_count() + (size_t{1} << 20);
    Array<uint32_t> ids(cells.size());
    std::vector<typename Gradient<Dim>::Simplex> simplices(std::min(batch, cells.size()));
    for (size_t begin = 0; begin < cells.size(); begin += batch) {
      const size_t count = std::min(batch, cells.size() - begin);
      host::for_each_share(exec.threads(), count, [&](host::Range share) {
        for (size_t i = share.begin; i < share.end; ++i) {
          simplices[i] = gradient.simplex(cells[begin + i]);
          f(begin + i, simplices[i]);
        }
      });
      ranks->fill(cells.subspan(begin, count), std::span(simplices).first(count),
                  std::span(ids).subspan(begin, count));
    }
    return ids;
  }

  CellPoints make_points(std::span<const CellName> cells) const {
    CellPoints points(mesh.points, cells.size());
    points.ids = describe(cells, [&](size_t i, const auto& simplex) {
      set_point(points.places, i, barycentre(mesh.points, simplex));
      points.dimensions[i] = static_cast<std::int8_t>(cells[i].dimension);
    });
    return points;
  }

  const CriticalTable<Dim>& critical_table() {
    if (table.has_value()) return *table;
    const auto on_boundary = materialize_boundary<Kind::vertex, Dim>(gradient.tiles(), Enumeration<Dim>{},
                                                                     {.exec = exec, .monitor = &monitor});
    table.emplace();
    for (int d = 0; d <= Dim; ++d) {
      CriticalList& list = (*table)[static_cast<size_t>(d)];
      std::vector<CellName> names;
      for (const CriticalCell& cell : gradient.critical_cells(d)) {
        names.push_back(cell.name);
        list.highest.push_back(cell.highest);
        list.on_boundary.push_back(static_cast<std::int8_t>(on_boundary[gradient.highest(cell)]));
      }
      list.lowest.resize(names.size());
      list.ids = describe(names, [&](size_t i, const auto& simplex) {
        list.lowest[i] =
            *std::min_element(simplex.vertices.begin(), simplex.vertices.begin() + simplex.size,
                              [&](VertexId a, VertexId b) { return gradient.order(a) < gradient.order(b); });
      });
    }
    return *table;
  }
};

template <int Dim>
PolyData make_poly(const CriticalPoints& points, const SimplexMesh<Dim>& mesh, const Field& field) {
  check_field(field, mesh.vertex_count());
  const size_t count = points.points.size();
  PolyData poly;
  Array<std::int8_t> types(count);
  Array<std::int8_t> boundary(count);
  Array<uint32_t> vertices(count);
  Array<uint32_t> lower(count);
  Array<uint32_t> upper(count);
  for (size_t i = 0; i < count; ++i) {
    const CriticalPoint& point = points.points[i];
    if (point.vertex.index() >= mesh.vertex_count()) {
      throw Error(ErrorCode::bad_option, "the critical points are of another mesh: this one has no vertex " +
                                             std::to_string(point.vertex.index()));
    }
    types[i] = static_cast<std::int8_t>(point.type);
    boundary[i] = point.is_on_boundary ? 1 : 0;
    vertices[i] = point.vertex.index();
    lower[i] = point.lower_pieces;
    upper[i] = point.upper_pieces;
  }
  poly.points = mesh.points.gather(vertices);
  poly.vertices = make_vertex_cells(count);
  add_vertices(poly.point_data, field, vertices);
  poly.point_data.add(Field("CriticalType", std::move(types)));
  poly.point_data.add(Field("CellDimension", Array<std::int8_t>(count, 0)));
  poly.point_data.add(make_id_field("CellId", vertices));
  poly.point_data.add(Field("IsOnBoundary", std::move(boundary)));
  poly.point_data.add(make_id_field("LowerLinkPieces", lower));
  poly.point_data.add(make_id_field("UpperLinkPieces", upper));
  return poly;
}

template <int Dim>
TopologyExporter<Dim>::TopologyExporter(const Gradient<Dim>& gradient, const SimplexMesh<Dim>& mesh,
                                        const Field& field, const ExportOptions& options)
    : state_(new State{gradient,
                       gradient.data(),
                       mesh,
                       field,
                       Exec::host(options.exec.threads()),
                       monitor_of(options.monitor),
                       options.memory,
                       {},
                       {},
                       {}}) {
  check_mesh(state_->gradient, mesh);
  check_field(field, mesh.vertex_count());
  if (options.memory != nullptr) {
    state_->room = Reservation(*options.memory, CellRanks<Dim>::bytes(state_->gradient),
                               "the numbers of edges and faces");
  }
  state_->ranks.emplace(state_->gradient, state_->exec, state_->monitor);
}

template <int Dim>
TopologyExporter<Dim>::TopologyExporter(TopologyExporter&&) noexcept = default;
template <int Dim>
TopologyExporter<Dim>& TopologyExporter<Dim>::operator=(TopologyExporter&&) noexcept = default;
template <int Dim>
TopologyExporter<Dim>::~TopologyExporter() = default;

template <int Dim>
PolyData TopologyExporter<Dim>::critical_cells(const CriticalCellsExport& parts) {
  const CriticalTable<Dim>& table = state_->critical_table();
  Array<uint32_t> ids;
  Array<uint32_t> highest;
  Array<uint32_t> sizes;
  Array<std::int8_t> dimensions;
  Array<std::int8_t> boundary;
  std::array<Array<uint32_t>, Dim + 1> manifolds;  // of saddles none
  if (parts.segmentation != nullptr) {
    manifolds[0] = count_vertices(parts.segmentation->descending, table[0].ids.size());
    manifolds[Dim] = count_vertices(parts.segmentation->ascending, table[Dim].ids.size());
  }
  std::vector<CellName> names;
  for (int d = 0; d <= Dim; ++d) {
    const CriticalList& list = table[static_cast<size_t>(d)];
    const Array<uint32_t>& manifold = manifolds[static_cast<size_t>(d)];
    for (uint32_t i = 0; i < list.ids.size(); ++i) {
      if (parts.simplified != nullptr && !parts.simplified->is_left(d, i)) continue;
      sizes.push_back(manifold.empty() ? 0 : manifold[i]);
      names.push_back(state_->gradient.critical_cells(d)[i].name);
      ids.push_back(list.ids[i]);
      highest.push_back(list.highest[i].index());
      boundary.push_back(list.on_boundary[i]);
      dimensions.push_back(static_cast<std::int8_t>(d));
    }
  }
  const Points& points = state_->mesh.points;
  PolyData poly;
  poly.points = make_points_like(points, names.size());
  for (size_t at = 0; at < names.size(); ++at)
    set_point(poly.points, at, barycentre(points, state_->gradient.simplex(names[at])));
  poly.vertices = make_vertex_cells(ids.size());
  add_vertices(poly.point_data, state_->field, highest);
  poly.point_data.add(Field("CellDimension", std::move(dimensions)));
  poly.point_data.add(make_id_field("CellId", ids));
  poly.point_data.add(Field("IsOnBoundary", std::move(boundary)));
  if (parts.segmentation != nullptr) poly.point_data.add(make_id_field("ManifoldSize", sizes));
  return poly;
}

template <int Dim>
PolyData TopologyExporter<Dim>::pairs() {
  Reservation room;
  if (state_->memory != nullptr) {  // two names and two points with their arrays
    const TiledMesh<Dim>& tiles = state_->gradient.tiles();
    const Bytes pairs = tiles.vertex_count() + state_->gradient.edge_count() + tiles.cell_count();
    room = Reservation(*state_->memory, 100 * pairs, "a line for each pair");
  }
  const std::vector<GradientPair> pairs = state_->gradient.pairs();
  std::vector<CellName> names;
  names.reserve(2 * pairs.size());
  Array<std::int8_t> origins;
  Array<std::int8_t> types;
  for (const GradientPair& pair : pairs) {
    names.insert(names.end(), {pair.low, pair.high});
    origins.insert(origins.end(), {0, 1});
    types.push_back(static_cast<std::int8_t>(pair.low.dimension));
  }
  PolyData poly;
  poly.lines.corners = make_vertex_cells(names.size()).corners;
  for (size_t i = 1; i <= pairs.size(); ++i) poly.lines.offsets.push_back(2 * i);
  state_->make_points(names).move_to(poly);
  poly.point_data.add(Field("PairOrigin", std::move(origins)));
  poly.cell_data.add(Field("PairType", std::move(types)));
  return poly;
}

template <int Dim>
PolyData TopologyExporter<Dim>::separatrices(const Separatrices& paths) {
  check_paths(state_->gradient, paths);
  const CriticalTable<Dim>& table = state_->critical_table();
  CellPoints points = state_->make_points(paths.cells);
  Array<std::int8_t> inside(paths.cells.size(), 1);
  SeparatrixCells cells(paths.size());
  for (size_t s = 0; s < paths.size(); ++s) {
    inside[paths.offsets[s]] = inside[paths.offsets[s + 1] - 1] = 0;
    cells.set(s, state_->gradient, paths, table);
  }
  PolyData poly;
  poly.lines.offsets.assign(paths.offsets.begin(), paths.offsets.end());
  poly.lines.corners = make_vertex_cells(paths.cells.size()).corners;
  points.move_to(poly);
  poly.point_data.add(Field("ttkMaskScalarField", std::move(inside)));
  cells.move_to(poly.cell_data, state_->field);
  return poly;
}

template <int Dim>
PolyData TopologyExporter<Dim>::State::make_walls(const Walls& walls, Walls* to_release) {
  if constexpr (Dim == 3) {
    return make_wall_poly({gradient, mesh, field, critical_table(), exec.threads()}, walls, to_release);
  } else {
    return {};  // never called, but clang 14 instantiates it in two dimensions too
  }
}

template <int Dim>
PolyData TopologyExporter<Dim>::walls(const Walls& walls) requires(Dim == 3) {
  return state_->make_walls(walls, nullptr);
}

template <int Dim>
PolyData TopologyExporter<Dim>::walls(Walls&& walls) requires(Dim == 3) {
  return state_->make_walls(walls, &walls);
}

template <int Dim>
Segmentation number_remaining(Segmentation labels, const SimplifiedComplex& simplified) {
  const auto number = [](Array<std::int32_t>& of, const std::vector<uint32_t>& left) {
    for (std::int32_t& label : of) {
      if (label < 0) continue;
      const auto at = std::ranges::lower_bound(left, static_cast<uint32_t>(label));
      label = static_cast<std::int32_t>(at - left.begin());
    }
  };
  number(labels.descending, simplified.critical[0]);
  number(labels.ascending, simplified.critical[Dim]);
  return labels;
}

void add_manifolds(FieldSet& point_data, Segmentation labels) {
  point_data.add(Field("AscendingManifold", std::move(labels.ascending)));
  point_data.add(Field("DescendingManifold", std::move(labels.descending)));
  point_data.add(Field("MorseSmaleManifold", std::move(labels.morse_smale)));
}

template PolyData make_poly(const CriticalPoints&, const TriMesh&, const Field&);
template PolyData make_poly(const CriticalPoints&, const TetMesh&, const Field&);
template class TopologyExporter<2>;
template class TopologyExporter<3>;
template Segmentation number_remaining<2>(Segmentation, const SimplifiedComplex&);
template Segmentation number_remaining<3>(Segmentation, const SimplifiedComplex&);

}  // namespace tessera
