// Isosurfaces and finer meshes of data that lies on a CUDA device already, left there for whoever works on.
// isosurface() and subdivide() are for everyone else: they copy there and back.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <type_traits>

#include <tessera/core/vec.h>
#include <tessera/exec/buffer.h>
#include <tessera/exec/exec.h>
#include <tessera/generate/isosurface.h>
#include <tessera/generate/subdivide.h>
#include <tessera/mesh/mesh.h>

namespace tessera {

/// A surface in the memory of a device; the same bytes as isosurface() gives.
template <class Real>
struct SurfaceBuffers {
  Buffer<Vec3<Real>> points;
  Buffer<Vec3f> normals;  ///< empty unless asked for
  Buffer<TriMesh::Cell> cells;
  // Provenance, empty unless asked for.
  Buffer<std::array<std::uint64_t, 2>> edges;
  Buffer<double> weights;
  Buffer<std::uint64_t> sources;  ///< the input cell of each triangle
};

struct ResidentOptions {
  SurfaceNormals normals = SurfaceNormals::none;
  bool with_provenance = false;
};

/// The precision of a surface's coordinates on a grid with values of type T.
template <class T>
using GridReal = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// The isosurface of a grid whose values are at `values` in the memory of exec's device. Waits for the device
/// twice, to learn sizes. T: any type of a field. Errors as isosurface().
template <class T>
[[nodiscard]] SurfaceBuffers<GridReal<T>> resident_isosurface(const Exec& exec, const Grid& grid,
                                                              const T* values, double isovalue,
                                                              const ResidentOptions& options = {});

/// A mesh in the memory of a device.
template <int Dim, class Real>
struct ResidentMesh {
  std::span<const Vec3<Real>> points;
  std::span<const typename SimplexMesh<Dim>::Cell> cells;
};
template <class Real>
using ResidentTets = ResidentMesh<3, Real>;
/// The same for tetrahedra; at most 2^30 of them (Error(unsupported)). Error(bad_mesh) if a tet names a point
/// that is not there.
template <class T, class Real>
[[nodiscard]] SurfaceBuffers<Real> resident_isosurface(const Exec& exec, const ResidentTets<Real>& mesh,
                                                       const T* values, double isovalue,
                                                       const ResidentOptions& options = {});

/// A mesh that was made in the memory of a device.
template <int Dim, class Real>
struct MeshBuffers {
  Buffer<Vec3<Real>> points;
  Buffer<typename SimplexMesh<Dim>::Cell> cells;
};
/// One level of subdivide() without data. For a moment 8 to 32 bytes for each edge of each cell. Loop is for
/// triangles. Errors as subdivide().
template <int Dim, class Real>
[[nodiscard]] MeshBuffers<Dim, Real> resident_subdivide(const Exec& exec, const ResidentMesh<Dim, Real>& mesh,
                                                        SubdivisionScheme scheme);

}  // namespace tessera
