#include <cmath>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tessera/core/config.h>
#include <tessera/core/detail/monitor.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/detail/stoppable.h>
#include <tessera/exec/for_each.h>
#include <tessera/generate/detail/isosurface/interpolate.h>
#include <tessera/generate/detail/isosurface/normals.h>
#include <tessera/generate/detail/isosurface/surface_parts.h>
#include <tessera/generate/detail/isosurface/tet_surface.h>
#include <tessera/generate/isosurface.h>
#include <tessera/generate/key_reduce.h>

namespace tessera {

using namespace detail;
namespace {

/// By value, so that a compiler knows what does not change while bytes are written, and uses wide registers.
template <class T>
void fill_marks(const T* values, std::size_t count, T threshold, std::uint8_t high, std::uint8_t* marks) {
  for (std::size_t v = 0; v < count; ++v) {
    const bool is_high = values[v] >= threshold;
    const bool is_nan = values[v] != values[v];
    marks[v] = static_cast<std::uint8_t>((is_high ? high : low_mark) | (is_nan ? nan_mark : low_mark));
  }
}

template <class T>
Array<std::uint8_t> marks_of(std::span<const T> values, const Isovalue<T>& isovalue, const Exec& exec) {
  Array<std::uint8_t> marks(values.size());
  const std::uint8_t high = isovalue.never ? low_mark : high_mark;
  host::for_each_share(exec.threads(), values.size(), [&](host::Range range) {
    fill_marks(values.data() + range.begin, range.size(), isovalue.threshold, high,
               marks.data() + range.begin);
  });
  return marks;
}

/// The point_gradient() of each point.
template <class T>
Array<Vec3d> point_gradients(const TetMesh& mesh, std::span<const T> values, const Exec& exec) {
  const auto around = vertex_incidence<TetId, 4>(mesh.cells, mesh.vertex_count(), exec);
  Array<Vec3d> gradients(mesh.vertex_count());
  mesh.points.visit([&](auto points) {
    host_for_each(exec, gradients.size(), [&](std::size_t v) {
      gradients[v] = point_gradient(points.data(), values.data(), mesh.cells.data(),
                                    around[VertexId(static_cast<std::uint32_t>(v))]);
    });
  });
  return gradients;
}

/// From the gradients at the ends of each vertex's edge.
Array<float> normals_along_edges(const Provenance& provenance, std::span<const Vec3d> gradients,
                                 const Exec& exec) {
  Array<float> normals(3 * provenance.edges.size());
  host_for_each(exec, provenance.edges.size(), [&](std::size_t v) {
    const Vec3d here = gradients[provenance.edges[v][0]];
    const Vec3d there = gradients[provenance.edges[v][1]];
    const Vec3f normal = normal_along_edge(here, there, provenance.weights[v]);
    normals[3 * v] = normal.x;
    normals[3 * v + 1] = normal.y;
    normals[3 * v + 2] = normal.z;
  });
  return normals;
}

/// Appends the vertices and triangles of a level.
template <class T, class Real>
void append_level(SurfaceArrays<Real>& arrays, TetLevel&& level, std::span<const Vec3<Real>> from,
                  std::span<const T> values, const Isovalue<T>& isovalue, bool records, const Exec& exec) {
  const std::size_t begin = arrays.points.size();
  const std::size_t first_cell = arrays.cells.size();
  expect_countable(begin + level.edges.size(), first_cell + level.cells.size());
  if (begin == 0) {
    arrays.cells = std::move(level.cells);
  } else {
    arrays.cells.resize(first_cell + level.cells.size());
    host_for_each(exec, level.cells.size(), [&](std::size_t t) {
      for (int c = 0; c < 3; ++c) {
        arrays.cells[first_cell + t][c] =
            VertexId(level.cells[t][c].index() + static_cast<std::uint32_t>(begin));
      }
    });
  }
  arrays.points.resize(begin + level.edges.size());
  Provenance& provenance = arrays.provenance;
  if (records) {
    provenance.edges.resize(arrays.points.size());
    provenance.weights.resize(arrays.points.size());
    provenance.cells.insert(provenance.cells.end(), level.tets.begin(), level.tets.end());
  }
  host_for_each(exec, level.edges.size(), [&](std::size_t i) {
    const std::uint32_t a = level.edges[i][0];
    const std::uint32_t b = level.edges[i][1];
    using Weight = WeightOf<T>;
    const Weight t =
        edge_weight(static_cast<Weight>(values[a]), static_cast<Weight>(values[b]), isovalue.value);
    arrays.points[begin + i] = lerp(from[a], from[b], static_cast<Real>(t));
    if (!records) return;
    provenance.edges[begin + i] = {a, b};
    provenance.weights[begin + i] = static_cast<double>(t);
  });
  arrays.ends.push_back(arrays.points.size());
}

void report(const IsosurfaceOptions& options, std::string_view stage, std::size_t done,
            const SurfaceInput& input) {
  monitor_of(options.monitor)
      .update(stage, static_cast<double>(done) / static_cast<double>(input.isovalues.size()));
}

template <class T, class Real>
SurfaceArrays<Real> host_surfaces(const TetMesh& mesh, std::span<const Vec3<Real>> points,
                                  const SurfaceInput& input, bool records, const IsosurfaceOptions& options) {
  const Exec exec = host_for(options.exec, mesh.cell_count());
  SurfaceArrays<Real> arrays;
  const std::span<const T> values = input.field.as<T>();
  for (const double value : input.isovalues) {
    report(options, "cutting tetrahedra", arrays.ends.size(), input);
    const auto isovalue = Isovalue<T>::of(value);
    TetLevel level = make_tet_level(mesh, marks_of(values, isovalue, exec), records, exec);
    append_level(arrays, std::move(level), points, values, isovalue, records, exec);
  }
  return arrays;
}

template <class T, class Real>
SurfaceArrays<Real> device_surfaces(const TetMesh& mesh, std::span<const Vec3<Real>> points,
                                    const SurfaceInput& input, bool records,
                                    const IsosurfaceOptions& options) {
  SurfaceArrays<Real> arrays;
  const Exec exec = stoppable(options.exec, options.monitor);
  const Buffer<Vec3<Real>> device_points(exec, points);
  const Buffer<TetMesh::Cell> device_cells(exec, std::span<const TetMesh::Cell>(mesh.cells));
  const Buffer<T> device_values(exec, input.field.as<T>());
  const ResidentTets<Real> tets{device_points.span(), device_cells.span()};
  for (const double value : input.isovalues) {
    report(options, "cutting tetrahedra on the device", arrays.ends.size(), input);
    append(arrays,
           resident_isosurface<T, Real>(exec, tets, device_values.data(), value,
                                        {.normals = device_normals(options), .with_provenance = records}),
           exec);
  }
  return arrays;
}

template <class T, class Real>
Isosurface tet_isosurface(const TetMesh& mesh, std::span<const Vec3<Real>> points, const SurfaceInput& input,
                          const IsosurfaceOptions& options) {
  if constexpr (built_with_cuda) {
    if (options.exec.is_cuda()) {
      const bool records = needs_provenance(input, options);
      return assemble(device_surfaces<T>(mesh, points, input, records, options), input, options);
    }
  }
  const bool with_normals = options.normals == SurfaceNormals::gradient;
  const bool records = with_normals || needs_provenance(input, options);
  SurfaceArrays<Real> arrays = host_surfaces<T>(mesh, points, input, records, options);
  if (with_normals && !arrays.points.empty()) {
    const Array<Vec3d> gradients = point_gradients(mesh, input.field.as<T>(), options.exec);
    arrays.normals = normals_along_edges(arrays.provenance, gradients, options.exec);
  }
  return assemble(std::move(arrays), input, options);
}

}  // namespace

Isosurface isosurface(const TetMesh& mesh, const Field& field, std::span<const double> isovalues,
                      const IsosurfaceOptions& options) {
  const SurfaceInput input{
      mesh.vertex_count(), mesh.cell_count(), mesh.point_data, mesh.cell_data, field, isovalues};
  expect_contourable(input);
  return field.visit([&](auto values) {
    using T = typename decltype(values)::value_type;
    return mesh.points.visit([&](auto points) {
      using Real = std::remove_const_t<decltype(points[0].x)>;
      return tet_isosurface<T, Real>(mesh, points, input, options);
    });
  });
}

}  // namespace tessera
