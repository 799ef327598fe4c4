#include <tessera/generate/isosurface.h>

#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/core/config.h>
#include <tessera/core/detail/monitor.h>
#include <tessera/exec/detail/stoppable.h>
#include <tessera/exec/for_each.h>
#include <tessera/generate/detail/isosurface/grid_surface.h>
#include <tessera/generate/detail/isosurface/surface_parts.h>

namespace tessera {

using namespace detail;
namespace {

void report(const IsosurfaceOptions& options, std::string_view stage, double fraction) {
  monitor_of(options.monitor).update(stage, fraction);
}

template <class T>
SurfaceArrays<GridReal<T>> host_surfaces(const Grid& grid, const SurfaceInput& input,
                                         const IsosurfaceOptions& options) {
  const std::span<const T> values = input.field.as<T>();
  const Exec& exec = options.exec;
  const lattice::View shape = lattice::view_of(grid);
  const std::size_t count = input.isovalues.size();
  std::vector<Isovalue<T>> isos;
  for (const double value : input.isovalues) isos.push_back(Isovalue<T>::of(value));

  report(options, "finding crossings", 0);
  std::vector<lattice::Level> levels(count);
  std::vector<lattice::View> views(count, shape);
  Array<std::uint64_t> whole;
  if (lattice::fill_high_bits<T>(values, shape, isos, levels, exec)) {
    whole = lattice::find_whole_cells<T>(values, shape, exec);
  }
  report(options, "counting", 0);
  SurfaceArrays<GridReal<T>> arrays;
  lattice::Totals totals;
  for (std::size_t l = 0; l < count; ++l) {
    views[l].high = levels[l].high.data();
    views[l].whole = whole.empty() ? nullptr : whole.data();
    totals = lattice::number_rows(views[l], totals, levels[l].first, exec);
    expect_countable(totals.vertices, totals.triangles);
    arrays.ends.push_back(totals.vertices);
  }
  arrays.points.resize(totals.vertices);
  arrays.cells.resize(totals.triangles);
  if (options.normals == SurfaceNormals::gradient) arrays.normals.resize(3 * totals.vertices);
  Provenance& from = arrays.provenance;
  if (needs_provenance(input, options)) {
    from.edges.resize(totals.vertices);
    from.weights.resize(totals.vertices);
    from.cells.resize(totals.triangles);
  }
  const LatticeValues<T> field{values.data(), shape.nx, shape.ny, shape.nz};
  const lattice::VertexOutput<GridReal<T>> out{arrays.points, as_vectors(arrays.normals), from.edges,
                                               from.weights};
  for (std::size_t l = 0; l < count; ++l) {
    const double done = static_cast<double>(l) / static_cast<double>(count);
    report(options, "writing vertices", done);
    const lattice::NumberedRows rows{views[l], levels[l].first, {0, shape.rows()}};
    lattice::fill_vertices(field, lattice::frame_of(grid), rows, isos[l], out, exec);
    report(options, "writing triangles", done);
    lattice::fill_triangles(rows, arrays.cells, from.cells, exec);
  }
  if (lattice::frame_of(grid).is_mirrored())
    host_for_each(exec, arrays.cells.size(), TurnTriangle{arrays.cells.data()});
  return arrays;
}

template <class T>
SurfaceArrays<GridReal<T>> device_surfaces(const Grid& grid, const SurfaceInput& input,
                                           const IsosurfaceOptions& options) {
  const Exec exec = stoppable(options.exec, options.monitor);
  SurfaceArrays<GridReal<T>> arrays;
  const Buffer<T> values(exec, input.field.as<T>());
  for (const double isovalue : input.isovalues) {
    report(options, "cutting cells on the device",
           static_cast<double>(arrays.ends.size()) / static_cast<double>(input.isovalues.size()));
    const auto surface = resident_isosurface<T>(
        exec, grid, values.data(), isovalue,
        {.normals = device_normals(options), .with_provenance = needs_provenance(input, options)});
    append(arrays, surface, exec);
  }
  return arrays;
}

}  // namespace

Isosurface isosurface(const Grid& grid, const Field& field, std::span<const double> isovalues,
                      const IsosurfaceOptions& options) {
  SurfaceInput input{
      grid.vertex_count(), grid.cell_count(), grid.point_data, grid.cell_data, field, isovalues};
  expect_contourable(input);
  const bool has_volume = grid.dims[0] > 1 && grid.dims[1] > 1 && grid.dims[2] > 1;
  if (!has_volume) input.isovalues = {};
  return field.visit([&](auto values) {
    using T = typename decltype(values)::value_type;
    if constexpr (built_with_cuda) {
      if (options.exec.is_cuda()) return assemble(device_surfaces<T>(grid, input, options), input, options);
    }
    return assemble(host_surfaces<T>(grid, input, options), input, options);
  });
}

}  // namespace tessera
