// Surfaces of meshes with triangles that a Surface refuses: a triangle that is there several times counts
// once, and one that names a vertex twice does not count. Files have such triangles: quads with a corner
// twice, faces that were exported twice.
//
//   const SoundSurface sound(mesh, {.exec = exec});
//   compute(sound.surface());              // vertices have the ids of the mesh
//   FaceId face = sound.to_input(found);   // triangles have others, if some were left out
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include <tessera/core/array.h>
#include <tessera/core/id.h>
#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/mesh/mesh.h>
#include <tessera/surface/surface.h>

namespace tessera::detail {

/// The triangles of a mesh that count: of those with the same corners the first, whatever their winding.
struct SoundTriangles {
  TriMesh mesh;  ///< the points of the input, borrowed, and the triangles that count, in its order; no fields
  Array<FaceId> to_input;      ///< the input's triangle of each, ascending
  Array<FaceId> from_input;    ///< which one stands for each triangle of the input; invalid: none
  std::size_t repeated = 0;    ///< triangles that the input has more than once
  std::size_t degenerate = 0;  ///< triangles of the input that name a vertex twice
};

/// None if all triangles count, or if one has a corner that is not there, which no surface takes. The mesh
/// must outlive the result. O(n log n); 13 bytes a triangle and 8 a vertex besides the result. The same for
/// any number of threads.
[[nodiscard]] std::optional<SoundTriangles> find_sound_triangles(const TriMesh& mesh, const Exec& exec,
                                                                 const Monitor* monitor = nullptr);

/// The surface of a mesh, or of its triangles that count if it has others. Costs nothing beside the surface
/// if there are none.
class SoundSurface {
 public:
  /// The mesh must outlive this, and this the surface. Errors of Surface, but for triangles that are repeated
  /// or name a vertex twice.
  explicit SoundSurface(const TriMesh& mesh, const SurfaceOptions& options = {})
      : surface_(make(mesh, options)) {}

  [[nodiscard]] const Surface& surface() const { return surface_; }
  /// Null if all triangles count.
  [[nodiscard]] const SoundTriangles* triangles() const { return triangles_.get(); }
  /// The mesh's id of a triangle of the surface, by the id that it has in surface().mesh().
  [[nodiscard]] FaceId to_input(FaceId face) const {
    return triangles_ == nullptr ? face : triangles_->to_input[face.index()];
  }
  /// The triangle of surface().mesh() that stands for one of the mesh; invalid if none does.
  [[nodiscard]] FaceId from_input(FaceId face) const {
    return triangles_ == nullptr ? face : triangles_->from_input[face.index()];
  }

 private:
  [[nodiscard]] Surface make(const TriMesh& mesh, const SurfaceOptions& options);

  std::unique_ptr<const SoundTriangles> triangles_;  // the surface points into it
  Surface surface_;
};

}  // namespace tessera::detail
