// Bilateral denoising: takes noise off a surface and leaves its edges.
//
// S. Fleishman, I. Drori, D. Cohen-Or, "Bilateral mesh denoising", 2003. A vertex moves along its normal by
// the mean of its neighbours' offsets from its tangent plane, weighted by their distance and by their offset.
// Neighbours are the vertices within 2 sigma_c that are reached over edges without leaving that distance.
#pragma once

#include <tessera/core/memory.h>
#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/exec/work.h>
#include <tessera/mesh/mesh.h>
#include <tessera/surface/attribute.h>

namespace tessera {

struct DenoiseOptions {
  int iterations = 5;
  double sigma_c = 0;        ///< of distances; 0: the median length of the edges before the first iteration
  double sigma_s = 0;        ///< of offsets; 0: their standard deviation in each neighbourhood
  Exec exec = Exec::host();  ///< of meshes; surfaces have their own
  const Monitor* monitor = nullptr;
};

/// Moves the vertices of a surface, at its place, and returns sigma_c. Normals are weighted by area and made
/// anew in each iteration. A vertex stays if it has no neighbours or no normal, or if no offset is within
/// reach of sigma_s. Neighbourhoods may have any size; those of more than 48 vertices, 96 on the host, take
/// memory. The work is the sum of their sizes: with a sigma_c as large as the surface, the square of its
/// vertices. The median keeps neighbourhoods small however long some edges are. Bitwise equal for any number
/// of threads, any size of tiles and on either side; equal up to rounding for input in another order.
/// Error(bad_option) for a sigma that is negative or not finite; Error(cancelled), after which the positions
/// are those of some iteration.
double denoise(VertexAttribute<Vec3d>& positions, const DenoiseOptions& options = {});

/// The points of a mesh after that, in its precision. Triangles that are there several times count once, and
/// those that name a vertex twice do not count; Error(bad_mesh) for what else a surface refuses.
[[nodiscard]] Points denoise(const TriMesh& mesh, const DenoiseOptions& options = {});

/// For choose_device().
[[nodiscard]] inline Work denoise_work(const TriMesh& mesh, int iterations) {
  Work work = work_of(mesh.cell_count(), 400 + 800.0 * iterations, 280);
  work.host_bytes = mesh.cell_count() * 90 + mesh.vertex_count() * 150 + mib(16);
  work.thread_bytes = mib(2);
  return work;
}

}  // namespace tessera
