#include <tessera/topology/export.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

#include <tessera/core/detail/monitor.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/for_each.h>
#include <tessera/mesh/triangulate.h>
#include <tessera/topology/detail/check_field.h>
#include <tessera/topology/detail/check_grid.h>
#include <tessera/topology/detail/export_ids.h>
#include <tessera/topology/detail/export_parts.h>
#include <tessera/topology/detail/grid_critical_points.h>
#include <tessera/topology/detail/grid_gradient.h>
#include <tessera/topology/detail/grid_shape.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;

/// Arrays of points that stand for cells.
struct CellPoints {
  CellPoints(size_t count, bool is_double)
      : places(make_points(count, is_double)), ids(count), dimensions(count) {}

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
void add_vertices(FieldSet& fields, Field values, const Array<uint32_t>& vertices) {
  fields.add(std::move(values));
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

  template <class Source, int Dim = Source::dim>
  void set(size_t s, const Source& gradient, const Separatrices& paths, const CriticalTable<Dim>& table) {
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
template <class Source>
void check_paths(const Source& gradient, const Separatrices& paths) {
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

/// What an exporter needs to know of where it writes from.
template <class Shape>
struct ExportInput {
  const Field& field;
  Shape shape;
  const ExportOptions& options;
};

}  // namespace

template <int Dim>
struct detail::ExportState {
  virtual ~ExportState() = default;
  virtual PolyData critical_cells(const CriticalCellsExport& parts) = 0;
  virtual PolyData pairs() = 0;
  virtual PolyData separatrices(const Separatrices& paths) = 0;
  virtual PolyData walls(const Walls& walls, Walls* to_release) = 0;
};

namespace {

/// The state of an exporter for one kind of gradient: `Ids` numbers its cells, `Shape` places its vertices.
template <class Source, class Ids, class Shape, int Dim = Source::dim>
class Exporting : public ExportState<Dim> {
 public:
  Exporting(const Gradient<Dim>& keep, const Source& gradient, const ExportInput<Shape>& input)
      : keep_(keep),
        gradient_(gradient),
        field_(input.field),
        shape_(input.shape),
        exec_(Exec::host(input.options.exec.threads())),
        memory_(input.options.memory),
        monitor_(monitor_of(input.options.monitor)),
        ids_(gradient, memory_, exec_, monitor_) {}

  PolyData critical_cells(const CriticalCellsExport& parts) override;
  PolyData pairs() override;
  PolyData separatrices(const Separatrices& paths) override;
  PolyData walls(const Walls& walls, Walls* to_release) override {
    if constexpr (Dim == 3) {
      const WallSource<Source, Shape> source{gradient_, shape_, field_, critical_table(), exec_.threads()};
      return make_wall_poly(source, walls, to_release);
    } else {
      return {};  // nobody calls it: walls() of surfaces does not compile
    }
  }

 private:
  /// Calls f(i, simplex) for the cells, in parallel, and gives their CellIds.
  template <class F>
  Array<uint32_t> describe(std::span<const CellName> cells, const F& f) const {
    const size_t batch = gradient_.vertex_count() + (size_t{1} << 20);
    Array<uint32_t> ids(cells.size());
    std::vector<typename Gradient<Dim>::Simplex> simplices(std::min(batch, cells.size()));
    for (size_t begin = 0; begin < cells.size(); begin += batch) {
      monitor_.update("describing cells", static_cast<double>(begin) / static_cast<double>(cells.size()));
      const size_t count = std::min(batch, cells.size() - begin);
      host::for_each_share(exec_.threads(), count, [&](host::Range share) {
        for (size_t i = share.begin; i < share.end; ++i) {
          simplices[i] = gradient_.simplex(cells[begin + i]);
          f(begin + i, simplices[i]);
        }
      });
      ids_.fill(cells.subspan(begin, count), std::span(simplices).first(count),
                std::span(ids).subspan(begin, count));
    }
    return ids;
  }

  static std::span<const VertexId> vertices_of(const typename Gradient<Dim>::Simplex& simplex) {
    return std::span(simplex.vertices).first(simplex.size);
  }

  /// Lines go on beyond the border where they cross a seam.
  void unroll(const PolyCells& lines, std::span<const CellName> cells, Points& places) const {
    if constexpr (Shape::has_seams) {
      if (!shape_.is_periodic()) return;
      host::for_each_share(exec_.threads(), lines.size(), [&](host::Range share) {
        for (size_t i = share.begin; i < share.end; ++i) {
          typename Shape::Line line(shape_);
          for (std::uint64_t at = lines.offsets[i]; at < lines.offsets[i + 1]; ++at)
            set_point(places, at, line.next(shape_.place(vertices_of(gradient_.simplex(cells[at])))));
        }
      });
    }
  }

  CellPoints make_cell_points(std::span<const CellName> cells) const {
    CellPoints points(cells.size(), shape_.is_double());
    points.ids = describe(cells, [&](size_t i, const auto& simplex) {
      set_point(points.places, i, shape_.barycentre(vertices_of(simplex)));
      points.dimensions[i] = static_cast<std::int8_t>(cells[i].dimension);
    });
    return points;
  }

  /// All dimensions at once, so that each tile is looked at once.
  const CriticalTable<Dim>& critical_table() {
    if (table_.has_value()) return *table_;
    std::vector<CellName> names;
    table_.emplace();
    for (int d = 0; d <= Dim; ++d) {
      for (const CriticalCell& cell : gradient_.critical_cells(d)) {
        names.push_back(cell.name);
        (*table_)[static_cast<size_t>(d)].highest.push_back(cell.highest);
      }
    }
    Array<VertexId> lowest(names.size());
    const Array<uint32_t> ids = describe(names, [&](size_t i, const auto& simplex) {
      lowest[i] =
          *std::min_element(simplex.vertices.begin(), simplex.vertices.begin() + simplex.size,
                            [&](VertexId a, VertexId b) { return gradient_.order(a) < gradient_.order(b); });
    });
    size_t begin = 0;
    for (CriticalList& list : *table_) {
      const size_t count = list.highest.size();
      const auto part = [&](const auto& of_all) { return std::span(of_all).subspan(begin, count); };
      list.ids.assign(part(ids).begin(), part(ids).end());
      list.lowest.assign(part(lowest).begin(), part(lowest).end());
      begin += count;
    }
    return *table_;
  }

  /// The same with on_boundary. Walls do without, because it takes an enumeration of a mesh.
  const CriticalTable<Dim>& table_with_boundary() {
    (void)critical_table();
    if (has_boundary_) return *table_;
    const auto is_on_boundary = ids_.find_boundary();
    for (CriticalList& list : *table_) {
      for (const VertexId v : list.highest) list.on_boundary.push_back(is_on_boundary(v) ? 1 : 0);
    }
    has_boundary_ = true;
    return *table_;
  }

  Gradient<Dim> keep_;
  const Source& gradient_;
  const Field& field_;
  Shape shape_;
  Exec exec_;
  MemoryBudget* memory_;
  const Monitor& monitor_;
  Ids ids_;
  std::optional<CriticalTable<Dim>> table_;
  bool has_boundary_ = false;
};

template <int Dim>
using MeshExporting = Exporting<GradientData<Dim>, MeshIds<Dim>, MeshShape<Dim>>;
template <int Dim>
using GridExporting = Exporting<GridGradient<Dim>, GridIds<Dim>, GridShape<Dim>>;

template <class Source, class Ids, class Shape, int Dim>
PolyData Exporting<Source, Ids, Shape, Dim>::critical_cells(const CriticalCellsExport& parts) {
  const CriticalTable<Dim>& table = table_with_boundary();
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
      names.push_back(gradient_.critical_cells(d)[i].name);
      ids.push_back(list.ids[i]);
      highest.push_back(list.highest[i].index());
      boundary.push_back(list.on_boundary[i]);
      dimensions.push_back(static_cast<std::int8_t>(d));
    }
  }
  PolyData poly;
  poly.points = make_points(names.size(), shape_.is_double());
  for (size_t at = 0; at < names.size(); ++at)
    set_point(poly.points, at, shape_.barycentre(vertices_of(gradient_.simplex(names[at]))));
  poly.vertices = make_vertex_cells(ids.size());
  add_vertices(poly.point_data, field_.gather(highest), highest);
  poly.point_data.add(Field("CellDimension", std::move(dimensions)));
  poly.point_data.add(make_id_field("CellId", ids));
  poly.point_data.add(Field("IsOnBoundary", std::move(boundary)));
  if (parts.segmentation != nullptr) poly.point_data.add(make_id_field("ManifoldSize", sizes));
  return poly;
}

template <class Source, class Ids, class Shape, int Dim>
PolyData Exporting<Source, Ids, Shape, Dim>::pairs() {
  Reservation room;
  if (memory_ != nullptr) {  // two names and two points with their arrays
    const Bytes pairs = gradient_.vertex_count() + gradient_.edge_count() + gradient_.cell_count();
    room = Reservation(*memory_, 100 * pairs, "a line for each pair");
  }
  const std::vector<GradientPair> pairs = gradient_.pairs();
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
  CellPoints points = make_cell_points(names);
  unroll(poly.lines, names, points.places);
  points.move_to(poly);
  poly.point_data.add(Field("PairOrigin", std::move(origins)));
  poly.cell_data.add(Field("PairType", std::move(types)));
  return poly;
}

template <class Source, class Ids, class Shape, int Dim>
PolyData Exporting<Source, Ids, Shape, Dim>::separatrices(const Separatrices& paths) {
  check_paths(gradient_, paths);
  const CriticalTable<Dim>& table = table_with_boundary();
  CellPoints points = make_cell_points(paths.cells);
  Array<std::int8_t> inside(paths.cells.size(), 1);
  SeparatrixCells cells(paths.size());
  for (size_t s = 0; s < paths.size(); ++s) {
    inside[paths.offsets[s]] = inside[paths.offsets[s + 1] - 1] = 0;
    cells.set(s, gradient_, paths, table);
  }
  PolyData poly;
  poly.lines.offsets.assign(paths.offsets.begin(), paths.offsets.end());
  poly.lines.corners = make_vertex_cells(paths.cells.size()).corners;
  unroll(poly.lines, paths.cells, points.places);
  points.move_to(poly);
  poly.point_data.add(Field("ttkMaskScalarField", std::move(inside)));
  cells.move_to(poly.cell_data, field_);
  return poly;
}

/// points_of(vertices) are the positions of the points, values_of(vertices) the values of the field there.
template <class PointsOf, class ValuesOf>
PolyData make_poly_of(const CriticalPoints& points, size_t vertex_count, const PointsOf& points_of,
                      const ValuesOf& values_of) {
  const size_t count = points.points.size();
  PolyData poly;
  Array<std::int8_t> types(count);
  Array<std::int8_t> boundary(count);
  Array<uint32_t> vertices(count);
  Array<uint32_t> lower(count);
  Array<uint32_t> upper(count);
  for (size_t i = 0; i < count; ++i) {
    const CriticalPoint& point = points.points[i];
    if (point.vertex.index() >= vertex_count) {
      throw Error(ErrorCode::bad_option, "the critical points are of another mesh: this one has no vertex " +
                                             std::to_string(point.vertex.index()));
    }
    types[i] = static_cast<std::int8_t>(point.type);
    boundary[i] = point.is_on_boundary ? 1 : 0;
    vertices[i] = point.vertex.index();
    lower[i] = point.lower_pieces;
    upper[i] = point.upper_pieces;
  }
  poly.points = points_of(vertices);
  poly.vertices = make_vertex_cells(count);
  add_vertices(poly.point_data, values_of(vertices), vertices);
  poly.point_data.add(Field("CriticalType", std::move(types)));
  poly.point_data.add(Field("CellDimension", Array<std::int8_t>(count, 0)));
  poly.point_data.add(make_id_field("CellId", vertices));
  poly.point_data.add(Field("IsOnBoundary", std::move(boundary)));
  poly.point_data.add(make_id_field("LowerLinkPieces", lower));
  poly.point_data.add(make_id_field("UpperLinkPieces", upper));
  return poly;
}

template <class PointsOf>
PolyData make_point_poly(const CriticalPoints& points, const Field& field, size_t vertex_count,
                         const PointsOf& points_of) {
  check_field(field, vertex_count);
  return make_poly_of(points, vertex_count, points_of,
                      [&](const auto& vertices) { return field.gather(vertices); });
}

}  // namespace

template <int Dim>
PolyData make_poly(const CriticalPoints& points, const SimplexMesh<Dim>& mesh, const Field& field) {
  return make_point_poly(points, field, mesh.vertex_count(),
                         [&](const auto& vertices) { return mesh.points.gather(vertices); });
}

PolyData make_poly(const CriticalPoints& points, const Grid& grid, const Field& field) {
  return make_point_poly(points, field, grid.vertex_count(),
                         [&](const auto& vertices) { return GridPoints(grid).gather(vertices); });
}

PolyData detail::make_poly_with_values(const CriticalPoints& points, const Grid& grid, Field values) {
  TS_EXPECTS(values.size() == points.points.size());
  return make_poly_of(
      points, grid.vertex_count(), [&](const auto& vertices) { return GridPoints(grid).gather(vertices); },
      [&](const auto&) { return std::move(values); });
}

template <int Dim>
TopologyExporter<Dim>::TopologyExporter(const Gradient<Dim>& gradient, const SimplexMesh<Dim>& mesh,
                                        const Field& field, const ExportOptions& options) {
  const GradientData<Dim>* data = gradient.on_mesh();
  if (data == nullptr) throw Error(ErrorCode::bad_mesh, "the gradient is of a grid, not of this mesh");
  check_mesh(*data, mesh);
  check_field(field, mesh.vertex_count());
  const ExportInput<MeshShape<Dim>> input{field, MeshShape<Dim>(mesh), options};
  state_ = std::make_unique<MeshExporting<Dim>>(gradient, *data, input);
}

template <int Dim>
TopologyExporter<Dim>::TopologyExporter(const Gradient<Dim>& gradient, const Grid& grid, const Field& field,
                                        const ExportOptions& options) {
  gradient.visit([&]<class Source>(const Source& source) {
    if constexpr (std::is_same_v<Source, GridGradient<Dim>>) {
      if (source.cells().lattice().dims == GridLattice(grid).dims) {
        check_field(field, grid.vertex_count());
        const ExportInput<GridShape<Dim>> input{field, GridShape<Dim>(grid, source.cells()), options};
        state_ = std::make_unique<GridExporting<Dim>>(gradient, source, input);
      }
    }
  });
  if (state_ == nullptr) throw Error(ErrorCode::bad_mesh, "the gradient is not of this grid");
}

template <int Dim>
TopologyExporter<Dim>::TopologyExporter(TopologyExporter&&) noexcept = default;
template <int Dim>
TopologyExporter<Dim>& TopologyExporter<Dim>::operator=(TopologyExporter&&) noexcept = default;
template <int Dim>
TopologyExporter<Dim>::~TopologyExporter() = default;

template <int Dim>
PolyData TopologyExporter<Dim>::critical_cells(const CriticalCellsExport& parts) {
  return state_->critical_cells(parts);
}
template <int Dim>
PolyData TopologyExporter<Dim>::pairs() {
  return state_->pairs();
}
template <int Dim>
PolyData TopologyExporter<Dim>::separatrices(const Separatrices& paths) {
  return state_->separatrices(paths);
}
template <int Dim>
PolyData TopologyExporter<Dim>::walls(const Walls& walls) requires(Dim == 3) {
  return state_->walls(walls, nullptr);
}
template <int Dim>
PolyData TopologyExporter<Dim>::walls(Walls&& walls) requires(Dim == 3) {
  return state_->walls(walls, &walls);
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
