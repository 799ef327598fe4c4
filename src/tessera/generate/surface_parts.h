// What isosurfaces of grids and of tetrahedra have in common once vertices and triangles are there.
#pragma once

#include <span>

#include <tessera/generate/isosurface.h>

namespace tessera {

/// Refuses fields and isovalues that have no isosurface; `points` are the input's.
void expect_contourable(const Field& field, std::size_t points, std::span<const double> isovalues);

/// Whether the edges and cells that outputs came from have to be recorded for these options.
[[nodiscard]] bool needs_provenance(const FieldSet& point_data, const FieldSet& cell_data, const Field& field,
                                    const IsosurfaceOptions& options);

/// Makes one vertex of those that lie exactly on one input point, and drops triangles with a repeated vertex.
/// Vertices on input points come first, by the point's id; the others keep their order. Needs the provenance,
/// keeps it true.
void merge_exact_vertices(Isosurface& surface, std::size_t input_points, const Exec& exec);

/// "Normals": the triangles' normals around each vertex, weighted by area, summed in the order of the
/// triangles.
[[nodiscard]] Field averaged_normals(const TriMesh& mesh, const Exec& exec);

/// Normals by averaging, the fields of the input, and the provenance dropped if nobody asked for it.
void finish_surface(Isosurface& surface, const FieldSet& point_data, const FieldSet& cell_data,
                    const Field& field, const IsosurfaceOptions& options);

/// The contoured field on the output: every vertex has its isovalue. `ends` are the vertex counts after each
/// one.
[[nodiscard]] Field isovalue_field(const Field& field, std::span<const double> isovalues,
                                   std::span<const std::size_t> ends, const Exec& exec);

}  // namespace tessera
