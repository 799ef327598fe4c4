#include <tessera/generate/detail/isosurface/surface_parts.h>

#include <algorithm>
#include <cmath>
#include <string>

#include <tessera/core/error.h>
#include <tessera/exec/for_each.h>
#include <tessera/generate/detail/common/checks.h>
#include <tessera/generate/detail/common/parts.h>
#include <tessera/generate/detail/isosurface/interpolate.h>
#include <tessera/generate/detail/isosurface/normals.h>
#include <tessera/generate/key_reduce.h>

namespace tessera::detail {
namespace {

/// Names the triangles by the merged vertices; returns those that did not collapse.
Array<std::uint32_t> reconnect(Array<TriMesh::Cell>& cells, std::span<const VertexId> merged,
                               const Exec& exec) {
  host_for_each(exec, cells.size(), [&](std::size_t t) {
    for (VertexId& v : cells[t]) v = merged[v.index()];
  });
  return list_if(
      cells.size(), [&](std::size_t t) { return !is_degenerate(cells[t]); }, exec);
}

}  // namespace

void expect_contourable(const std::string& field, std::size_t components, std::span<const double> isovalues) {
  if (components != 1) {
    throw Error(ErrorCode::bad_option, "the field '" + field + "' has " + std::to_string(components) +
                                           " components; an isosurface needs one");
  }
  for (const double value : isovalues) {
    if (!std::isfinite(value)) throw Error(ErrorCode::bad_option, "an isovalue must be a finite number");
  }
}

void expect_contourable(const SurfaceInput& input) {
  const Field& field = input.field;
  expect_contourable(field.name(), field.components(), input.isovalues);
  if (field.size() != input.points) {
    throw Error(ErrorCode::bad_option, "the field '" + field.name() + "' has " +
                                           std::to_string(field.size()) + " values, but there are " +
                                           std::to_string(input.points) + " points");
  }
  expect_tuples(input.point_data, input.points, "points");
  expect_tuples(input.cell_data, input.cells, "cells");
}

bool needs_provenance(const SurfaceInput& input, const IsosurfaceOptions& options) {
  if (options.keep_provenance || options.merge_exact) return true;
  if (!options.transfer_data) return false;
  const auto is_other = [&](const Field& f) { return f.name() != input.field.name(); };
  return std::ranges::any_of(input.point_data, is_other) || !input.cell_data.empty();
}

void expect_countable(std::uint64_t vertices, std::uint64_t triangles) {
  constexpr std::uint64_t most = 0xFFFF'FFFEull;
  if (vertices <= most && triangles <= most) return;
  throw Error(ErrorCode::unsupported, "the isosurfaces have " + std::to_string(vertices) + " vertices and " +
                                          std::to_string(triangles) +
                                          " triangles, but a mesh has at most 4294967294 of each; "
                                          "take one isovalue at a time, or a part of the input");
}

namespace {

/// Keeps the chosen vertices, in their order, with all they have.
void choose_vertices(Isosurface& surface, const Array<std::uint32_t>& chosen, const Exec& exec) {
  surface.mesh.points = surface.mesh.points.gather(chosen);
  surface.mesh.point_data = surface.mesh.point_data.gather(chosen);
  surface.provenance.edges = gather(surface.provenance.edges, chosen, exec);
  surface.provenance.weights = gather(surface.provenance.weights, chosen, exec);
}

/// Vertices all of whose triangles have collapsed.
void drop_unused_vertices(Isosurface& surface, const Exec& exec) {
  TriMesh& mesh = surface.mesh;
  Array<std::uint32_t> numbers(mesh.vertex_count(), 0);
  for (const TriMesh::Cell& cell : mesh.cells) {
    for (const VertexId v : cell) numbers[v.index()] = 1;
  }
  Array<std::uint32_t> used;
  for (std::uint32_t v = 0; v < numbers.size(); ++v) {
    if (numbers[v] == 0) continue;
    numbers[v] = static_cast<std::uint32_t>(used.size());
    used.push_back(v);
  }
  if (used.size() == numbers.size()) return;
  choose_vertices(surface, used, exec);
  host_for_each(exec, mesh.cells.size(), [&](std::size_t t) {
    for (VertexId& v : mesh.cells[t]) v = VertexId(numbers[v.index()]);
  });
}

}  // namespace

void merge_exact_vertices(Isosurface& surface, std::size_t input_points, const Exec& exec) {
  Provenance& from = surface.provenance;
  const std::size_t vertices = from.weights.size();
  Array<std::uint64_t> keys(vertices);
  host_for_each(exec, vertices, [&](std::size_t v) {
    const double w = from.weights[v];
    keys[v] = w == 0 ? from.edges[v][0] : w == 1 ? from.edges[v][1] : input_points + v;
  });
  Array<VertexId> merged(vertices);
  const std::size_t left = fill_connections(keys, merged, {.exec = exec}).size();
  Array<std::uint32_t> chosen(left);  // the first of each group stands for it
  for (std::size_t v = vertices; v-- > 0;) chosen[merged[v].index()] = static_cast<std::uint32_t>(v);

  TriMesh& mesh = surface.mesh;
  choose_vertices(surface, chosen, exec);
  const Array<std::uint32_t> kept = reconnect(mesh.cells, merged, exec);
  mesh.cells = gather(mesh.cells, kept, exec);
  from.cells = gather(from.cells, kept, exec);
  drop_unused_vertices(surface, exec);
}

Array<float> averaged_normals(const TriMesh& mesh, const Exec& exec) {
  Array<float> normals(3 * mesh.vertex_count());
  const auto around = vertex_incidence<FaceId, 3>(mesh.cells, mesh.vertex_count(), exec);
  mesh.points.visit([&](auto points) {
    host_for_each(exec, mesh.vertex_count(), [&](std::size_t v) {
      const Vec3f normal =
          averaged_normal(points.data(), mesh.cells.data(), around[VertexId(static_cast<std::uint32_t>(v))]);
      normals[3 * v] = normal.x;
      normals[3 * v + 1] = normal.y;
      normals[3 * v + 2] = normal.z;
    });
  });
  return normals;
}

Field isovalue_field(const SurfaceInput& input, std::span<const std::size_t> ends, const Exec& exec) {
  return input.field.visit([&](auto values) {
    using Real = WeightOf<typename decltype(values)::value_type>;
    Array<Real> result(ends.empty() ? 0 : ends.back());
    std::size_t begin = 0;
    for (std::size_t l = 0; l < ends.size(); ++l) {
      const Real value = static_cast<Real>(input.isovalues[l]);
      host_for_each(exec, ends[l] - begin, [&](std::size_t v) { result[begin + v] = value; });
      begin = ends[l];
    }
    return Field(input.field.name(), std::move(result));
  });
}

namespace {

void transfer_fields(Isosurface& surface, const SurfaceInput& input, const Exec& exec) {
  for (const Field& other : input.point_data) {
    if (surface.mesh.point_data.has(other.name())) continue;  // the surface's own, such as asked-for normals
    surface.mesh.point_data.add(transfer_point_field(other, surface.provenance, exec));
  }
  for (const Field& other : input.cell_data) {
    surface.mesh.cell_data.add(transfer_cell_field(other, surface.provenance, exec));
  }
}

template <class T>
void append_values(Array<T>& to, const Array<T>& from) {
  if (to.empty()) {
    to = from;
  } else {
    to.insert(to.end(), from.begin(), from.end());
  }
}

}  // namespace

template <class Real>
void append(SurfaceArrays<Real>& arrays, const SurfaceBuffers<Real>& surface, const Exec& exec) {
  const auto vertices = static_cast<std::uint32_t>(arrays.points.size());
  const std::size_t begin = arrays.cells.size();
  expect_countable(arrays.points.size() + surface.points.size(), begin + surface.cells.size());
  append_values(arrays.points, surface.points.to_host());
  append_values(arrays.cells, surface.cells.to_host());
  if (vertices > 0) {
    host_for_each(exec, surface.cells.size(), [&](std::size_t t) {
      for (VertexId& corner : arrays.cells[begin + t]) corner = VertexId(corner.index() + vertices);
    });
  }
  if (!surface.normals.empty()) {
    const Array<Vec3f> normals = surface.normals.to_host();
    const std::span<const float> numbers(&normals.data()->x, 3 * normals.size());
    arrays.normals.insert(arrays.normals.end(), numbers.begin(), numbers.end());
  }
  append_values(arrays.provenance.edges, surface.edges.to_host());
  append_values(arrays.provenance.weights, surface.weights.to_host());
  append_values(arrays.provenance.cells, surface.sources.to_host());
  arrays.ends.push_back(arrays.points.size());
}

template <class Real>
Isosurface assemble(SurfaceArrays<Real>&& arrays, const SurfaceInput& input, const IsosurfaceOptions& options,
                    const FieldTransfer& transfer) {
  Isosurface surface;
  TriMesh& mesh = surface.mesh;
  mesh.points = Points(std::move(arrays.points));
  mesh.cells = std::move(arrays.cells);
  surface.provenance = std::move(arrays.provenance);
  if (options.normals == SurfaceNormals::gradient) {
    mesh.point_data.add(Field("Normals", std::move(arrays.normals), 3));
  }
  if (options.transfer_data) mesh.point_data.add(isovalue_field(input, arrays.ends, options.exec));
  if (options.merge_exact) merge_exact_vertices(surface, input.points, options.exec);
  if (options.normals == SurfaceNormals::averaged) {
    const bool are_made = arrays.normals.size() == 3 * mesh.vertex_count();  // by the device
    mesh.point_data.add(
        Field("Normals", are_made ? std::move(arrays.normals) : averaged_normals(mesh, options.exec), 3));
  }
  if (options.transfer_data) transfer ? transfer(surface) : transfer_fields(surface, input, options.exec);
  if (!options.keep_provenance) surface.provenance = {};
  return surface;
}

#define TS_INSTANTIATE(Real)                                                                         \
  template void append(SurfaceArrays<Real>&, const SurfaceBuffers<Real>&, const Exec&);              \
  template Isosurface assemble(SurfaceArrays<Real>&&, const SurfaceInput&, const IsosurfaceOptions&, \
                               const FieldTransfer&)
TS_INSTANTIATE(float);
TS_INSTANTIATE(double);
#undef TS_INSTANTIATE

}  // namespace tessera::detail
