// What isosurfaces of grids and of tetrahedra have in common once vertices and triangles are there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <tessera/generate/isosurface.h>
#include <tessera/generate/resident.h>

namespace tessera::detail {

/// What an isosurface is made of.
struct SurfaceInput {
  std::size_t points;
  std::size_t cells;
  const FieldSet& point_data;
  const FieldSet& cell_data;
  const Field& field;
  std::span<const double> isovalues;
};

/// Refuses a field of so many components and isovalues that have no isosurface.
void expect_contourable(const std::string& field, std::size_t components, std::span<const double> isovalues);
/// Refuses such a field of the input, and other fields that have another length than the
/// input.
void expect_contourable(const SurfaceInput& input);

/// Whether the edges and cells that outputs came from have to be recorded for these options.
[[nodiscard]] bool needs_provenance(const SurfaceInput& input, const IsosurfaceOptions& options);

/// Makes one vertex of those that lie exactly on one input point, and drops triangles with a repeated vertex,
/// and then vertices without a triangle.
/// Vertices on input points come first, by the point's id; the others keep their order. Needs the provenance,
/// keeps it true.
void merge_exact_vertices(Isosurface& surface, std::size_t input_points, const Exec& exec);

/// The triangles' normals around each vertex, weighted by area, summed in the order of the triangles: three
/// numbers a vertex.
[[nodiscard]] Array<float> averaged_normals(const TriMesh& mesh, const Exec& exec);

/// The contoured field on the output: every vertex has its isovalue. `ends` are the vertices after each
/// isovalue.
[[nodiscard]] Field isovalue_field(const SurfaceInput& input, std::span<const std::size_t> ends,
                                   const Exec& exec);

/// What isosurfaces consist of while they are put together, isovalue after isovalue.
template <class Real>
struct SurfaceArrays {
  Array<Vec3<Real>> points;
  Array<float> normals;  ///< three a vertex, or empty
  Array<TriMesh::Cell> cells;
  Provenance provenance;
  std::vector<std::size_t> ends;  ///< vertices after each isovalue
};

/// Three numbers a vector, as vectors.
[[nodiscard]] inline std::span<Vec3f> as_vectors(std::span<float> numbers) {
  static_assert(sizeof(Vec3f) == 3 * sizeof(float));
  return {reinterpret_cast<Vec3f*>(numbers.data()), numbers.size() / 3};
}

/// Error(unsupported) if a mesh cannot number so many vertices and triangles.
void expect_countable(std::uint64_t vertices, std::uint64_t triangles);

/// The normals a device makes for these options. Those that are averaged after vertices are merged are left
/// to the host, as the merging is.
[[nodiscard]] inline SurfaceNormals device_normals(const IsosurfaceOptions& options) {
  const bool waits = options.normals == SurfaceNormals::averaged && options.merge_exact;
  return waits ? SurfaceNormals::none : options.normals;
}

/// Copies a surface from a device behind those that are there.
template <class Real>
void append(SurfaceArrays<Real>& arrays, const SurfaceBuffers<Real>& surface, const Exec& exec);

/// Brings the fields of the input over to a surface with provenance.
using FieldTransfer = std::function<void(Isosurface& surface)>;

/// What every isosurface ends with: the contoured field (exactly the isovalue), vertices merged, normals by
/// averaging, the fields of the input, and the provenance dropped if nobody asked for it. `input` has
/// `points` points; with a transfer, its fields need no values.
template <class Real>
[[nodiscard]] Isosurface assemble(SurfaceArrays<Real>&& arrays, const SurfaceInput& input,
                                  const IsosurfaceOptions& options, const FieldTransfer& transfer = {});

}  // namespace tessera::detail
