// Explicit smoothing of a surface: vertices move towards the weighted mean of their neighbours.
//
// G. Taubin, "A signal processing approach to fair surface design", 1995, for steps of two signs, which keep
// the surface from shrinking.
#pragma once

#include <cstdint>

#include <tessera/core/memory.h>
#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/exec/work.h>
#include <tessera/mesh/mesh.h>
#include <tessera/surface/attribute.h>

namespace tessera {

/// How much a neighbour counts. Cotangents are of the two angles opposite to the edge, as the surface is
/// before the step; an obtuse angle counts as a right one, so that the mean is between the neighbours.
enum class SmoothWeights : std::uint8_t { uniform, cotangent };

struct SmoothOptions {
  SmoothWeights weights = SmoothWeights::uniform;
  int iterations = 10;
  double step = 0.5;          ///< how far a vertex goes towards the mean; 1: all the way
  double back_step = 0;       ///< Taubin's mu: a second step in each iteration; -0.53 goes with a step of 0.5
  bool fix_boundary = false;  ///< vertices at edges of other than two triangles stay
  Exec exec = Exec::host();   ///< of meshes; surfaces have their own
  const Monitor* monitor = nullptr;
};

/// Moves the vertices of a surface, at its place. A vertex without neighbours stays, and by cotangents one
/// without triangles that have area. Sums are of double precision and ascend by tiled ids: the result is
/// bitwise equal for any number of threads, any size of tiles and on either side. Input in another order has
/// other tiled ids: equal up to rounding. Error(bad_option) for steps that are not finite or fewer than no
/// iterations; Error(cancelled), after which the positions are those of some iteration.
void smooth(VertexAttribute<Vec3d>& positions, const SmoothOptions& options = {});

/// The points of a mesh after that, in its precision. Triangles that are there several times count once, and
/// those that name a vertex twice do not count; Error(bad_mesh) for what else a surface refuses.
[[nodiscard]] Points smooth(const TriMesh& mesh, const SmoothOptions& options = {});

/// For choose_device().
[[nodiscard]] inline Work smooth_work(const TriMesh& mesh, int iterations) {
  Work work = work_of(mesh.cell_count(), 400 + 15.0 * iterations, 250);
  work.host_bytes = mesh.cell_count() * 75 + mesh.vertex_count() * 100;
  work.thread_bytes = mib(2);
  return work;
}

}  // namespace tessera
