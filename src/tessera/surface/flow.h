// Mean-curvature flow of a surface, by implicit steps.
//
// M. Desbrun et al., "Implicit fairing of irregular meshes using diffusion and curvature flow", 1999: a step
// of backward Euler solves (M + t L) x' = M x, with a third of the triangles' area at a vertex as M and the
// cotangent Laplacian of the surface before the step as L. Conjugate gradients solve it for the three
// coordinates at once, from the vertices as they are.
#pragma once

#include <cstddef>

#include <tessera/core/memory.h>
#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/exec/work.h>
#include <tessera/mesh/mesh.h>
#include <tessera/surface/attribute.h>

namespace tessera {

struct FlowOptions {
  double time = 0;  ///< of a step, an area: a sphere of radius r loses 2 time / r; 0: the squared mean edge
  int steps = 1;
  /// Of the residual of each coordinate to that of the vertices as they are.
  double tolerance = 1e-8;
  int max_iterations = 10'000;  ///< of a step
  bool precondition = true;     ///< by the diagonal
  bool fix_boundary = false;    ///< vertices at edges of other than two triangles stay
  Exec exec = Exec::host();     ///< of meshes; surfaces have their own
  const Monitor* monitor = nullptr;
};

struct FlowReport {
  double time = 0;             ///< of a step
  std::size_t iterations = 0;  ///< of all steps
  double residual = 0;         ///< the greatest of all steps and coordinates, in the tolerance's terms
  bool is_converged = true;
};

/// Moves the vertices of a surface, at its place. Triangles without area do not pull, and those thinner than
/// 1e-6 of their longest edge pull as if they had that height. The result is bitwise equal for any number of
/// threads, any size of tiles and on either side; equal up to the tolerance for input in another order. 8
/// bytes a neighbour and 80 a vertex for a moment. Error(bad_option) for a time or tolerance that makes no
/// sense, or for a time so long that numbers overflow; Error(cancelled). After an error the positions may lie
/// on their way.
FlowReport flow(VertexAttribute<Vec3d>& positions, const FlowOptions& options = {});

struct Flow {
  Points points;
  FlowReport report;
};
/// The points of a mesh after that, in its precision. Triangles that are there several times count once, and
/// those that name a vertex twice do not count; Error(bad_mesh) for what else a surface refuses.
[[nodiscard]] Flow flow(const TriMesh& mesh, const FlowOptions& options = {});

/// For choose_device().
[[nodiscard]] inline Work flow_work(const TriMesh& mesh, int steps) {
  Work work = work_of(mesh.cell_count(), 400 + 1000.0 * steps, 350);
  work.host_bytes = mesh.cell_count() * 110 + mesh.vertex_count() * 180;
  work.thread_bytes = mib(2);
  return work;
}

}  // namespace tessera
