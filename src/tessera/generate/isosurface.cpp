#include <tessera/generate/isosurface.h>

#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/generate/grid_surface.h>
#include <tessera/generate/surface_parts.h>

namespace tessera {
namespace {

void report(const IsosurfaceOptions& options, std::string_view stage, double fraction) {
  if (options.monitor != nullptr) options.monitor->update(stage, fraction);
}

/// Three numbers a vector, as vectors.
std::span<Vec3f> as_vectors(std::span<float> numbers) {
  static_assert(sizeof(Vec3f) == 3 * sizeof(float));
  return {reinterpret_cast<Vec3f*>(numbers.data()), numbers.size() / 3};
}

template <class T>
Isosurface grid_isosurface(const Grid& grid, const Field& field, std::span<const double> isovalues,
                           const IsosurfaceOptions& options) {
  using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const std::span<const T> values = field.as<T>();
  const Exec& exec = options.exec;
  const lattice::View shape = lattice::view_of(grid);
  std::vector<Isovalue<T>> isos;
  for (const double value : isovalues) isos.push_back(Isovalue<T>::of(value));

  report(options, "finding crossings", 0);
  std::vector<lattice::Level> levels(isovalues.size());
  std::vector<lattice::View> views(isovalues.size(), shape);
  Array<std::uint64_t> whole;
  if (lattice::fill_high_bits<T>(values, shape, isos, levels, exec)) {
    whole = lattice::find_whole_cells<T>(values, shape, exec);
  }
  report(options, "counting", 0);
  lattice::Totals totals;
  std::vector<std::size_t> ends;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    views[l].high = levels[l].high.data();
    views[l].whole = whole.empty() ? nullptr : whole.data();
    totals = lattice::number_rows(views[l], totals, levels[l].first, exec);
    ends.push_back(totals.vertices);
  }

  Isosurface surface;
  Array<Vec3<Real>> points(totals.vertices);
  surface.mesh.cells.resize(totals.triangles);
  Provenance& from = surface.provenance;
  const bool records = needs_provenance(grid.point_data, grid.cell_data, field, options);
  if (records) {
    from.edges.resize(totals.vertices);
    from.weights.resize(totals.vertices);
    from.cells.resize(totals.triangles);
  }
  const bool with_normals = options.normals == SurfaceNormals::gradient;
  Array<float> normals(with_normals ? 3 * totals.vertices : 0);
  const LatticeValues<T> lattice_values{values.data(), shape.nx, shape.ny, shape.nz};
  const lattice::VertexOutput<Real> out{points, as_vectors(normals), from.edges, from.weights};
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const double done = static_cast<double>(l) / static_cast<double>(levels.size());
    report(options, "writing vertices", done);
    lattice::fill_vertices(lattice_values, lattice::frame_of(grid), views[l], levels[l].first, isos[l], out,
                           exec);
    report(options, "writing triangles", done);
    lattice::fill_triangles(views[l], levels[l].first, surface.mesh.cells, from.cells, exec);
  }
  surface.mesh.points = Points(std::move(points));
  if (with_normals) surface.mesh.point_data.add(Field("Normals", std::move(normals), 3));
  if (options.transfer_data) surface.mesh.point_data.add(isovalue_field(field, isovalues, ends, exec));
  if (options.merge_exact) merge_exact_vertices(surface, grid.vertex_count(), exec);
  finish_surface(surface, grid.point_data, grid.cell_data, field, options);
  return surface;
}

}  // namespace

Isosurface isosurface(const Grid& grid, const Field& field, std::span<const double> isovalues,
                      const IsosurfaceOptions& options) {
  expect_contourable(field, grid.vertex_count(), isovalues);
  const bool has_volume = grid.dims[0] > 1 && grid.dims[1] > 1 && grid.dims[2] > 1;
  return field.visit([&](auto values) {
    using T = typename decltype(values)::value_type;
    return grid_isosurface<T>(grid, field, has_volume ? isovalues : std::span<const double>(), options);
  });
}

}  // namespace tessera
