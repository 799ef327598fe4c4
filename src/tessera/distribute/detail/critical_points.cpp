#include <tessera/distribute/critical_points.h>

#include <iterator>
#include <utility>

#include <tessera/distribute/detail/slab_reader.h>
#include <tessera/distribute/gather.h>
#include <tessera/exec/for_each.h>
#include <tessera/topology/detail/check_field.h>
#include <tessera/topology/detail/check_grid.h>
#include <tessera/topology/detail/grid_critical_points.h>

namespace tessera {

using namespace detail;
namespace {

/// The rows of the lattice that a slab owns.
LatticeRows rows_of(const GridLattice& lattice, const Slab& slab) {
  const std::size_t of_layer = lattice.dimension == 3 ? lattice.dims[1] : 1;
  return {lattice, slab.begin * of_layer, slab.end * of_layer, slab.seen_begin * of_layer};
}

}  // namespace

SlabCost critical_points_slab_cost(const GridFile& file, const StoredField& field) {
  const std::size_t points = layers_of(file.shape()).points;
  // A window to read through. For each owned point a byte: of those found, if one in sixteen is critical.
  return {.fixed = mib(3), .of_owned = points, .of_seen = points * field.tuple_bytes(), .ghosts = {1, 1}};
}

CriticalPoints critical_points(const GridFile& file, std::string_view field_name,
                               const SlabOptions& options) {
  const StoredField& field = file.point_field(field_name);
  check_grid(file.shape());
  expect_scalar(field.name, field.components);
  const std::vector<Slab> slabs = plan_slabs(file, field, options, critical_points_slab_cost(file, field));
  const GridLattice lattice(file.shape());
  const SlabMonitor monitor(options.monitor, "finding critical points", slabs.size(), 0, 0.95);
  SlabReader reader(file, field);
  std::vector<std::vector<FoundPoint>> chunks;
  for (std::size_t s = 0; s < slabs.size(); ++s) {
    monitor.update(s);
    const Field& values = reader.read(slabs[s]);
    FoundPoints found = find_critical_points(rows_of(lattice, slabs[s]), values,
                                             host_for(options.exec, values.size()), monitor.within());
    if (found.has_nan) refuse_nan_in(file, field, options.exec);
    chunks.insert(chunks.end(), std::make_move_iterator(found.chunks.begin()),
                  std::make_move_iterator(found.chunks.end()));
  }
  monitor.update(slabs.size());
  return join_points(std::move(chunks), options.exec);
}

PolyData make_poly(const CriticalPoints& points, const GridFile& file, std::string_view field,
                   const Monitor* monitor) {
  Array<VertexId> vertices;
  vertices.reserve(points.points.size());
  for (const CriticalPoint& point : points.points) vertices.push_back(point.vertex);
  return make_poly_with_values(points, file.shape(),
                               gather(file, file.point_field(field), vertices, monitor));
}

}  // namespace tessera
