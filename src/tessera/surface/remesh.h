// Isotropic remeshing: triangles of nearly equal sides, by the local operators of Botsch and Kobbelt, "A
// Remeshing Approach to Multiresolution Modeling" (SGP 2004), section 4.
//
//   const ts::TriMesh even = ts::remesh(mesh, {.target_length = 0.01});
//
// Each iteration splits edges longer than 4/3 of the target, collapses those shorter than 4/5 of it, flips
// edges so that valences come near 6 (4 on the border), and smooths the vertices within the surface. What
// must stay is a set of lines: borders, edges of more than two faces and sharp bends. They are split and
// collapsed along themselves, their vertices slide along them, and no edge of theirs is flipped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include <tessera/core/memory.h>
#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/mesh/mesh.h>
#include <tessera/surface/dynamic_surface.h>
#include <tessera/surface/edit.h>

namespace tessera {

/// The parts of an iteration, in their order. Projecting counts as smoothing.
enum class RemeshPhase : std::uint8_t { split, collapse, flip, smooth };

/// A phase that is over.
struct RemeshStep {
  std::size_t iteration = 0;
  RemeshPhase phase = RemeshPhase::split;
  EditReport edit;  ///< empty for smoothing
  double seconds = 0;
};

struct RemeshOptions {
  Exec exec = Exec::host();
  Bytes memory = 0;          ///< for the surface, its edits and closest points; 0: no limit but the machine's
  double target_length = 0;  ///< of edges; 0: the mean of the input's
  /// A point field with the target length at each vertex, floating-point numbers above 0, instead. An edge
  /// takes the smaller one of its ends.
  std::string sizing;
  std::size_t iterations = 3;
  /// Edges whose faces meet at a sharper bend, in degrees from flat, are kept as lines, unless they look like
  /// noise: a line goes on nearly straight for six edges, or as far as six edges of the mean length, or the
  /// surface beside it is flat (bends of at most a quarter of the angle) and it ends at other lines. Vertices
  /// stay where lines or the border turn by more than the angle, and where not exactly two of their edges
  /// meet.
  double feature_angle = 60;
  std::string fixed;    ///< a point field: vertices where it is not 0 do not move and are not removed
  bool project = true;  ///< puts smoothed vertices onto the closest point of the input
  std::size_t smoothing_steps = 5;  ///< in each iteration
  std::uint64_t seed = 0;
  std::function<void(const RemeshStep&)> watch;  ///< called after each phase
  const Monitor* monitor = nullptr;              ///< asked between rounds; a stop leaves the last valid mesh
};

struct RemeshReport {
  double target_length = 0;       ///< 0 if a field gave it
  std::size_t feature_edges = 0;  ///< of the input, with those of the border
  std::size_t splits = 0;
  std::size_t collapses = 0;
  std::size_t flips = 0;
  double seconds_preparing = 0;  ///< finding lines and making the search for closest points
  double seconds_splitting = 0;
  double seconds_collapsing = 0;
  double seconds_flipping = 0;
  double seconds_smoothing = 0;
  double seconds_projecting = 0;  ///< with the values of fields at the new places
};

/// Remeshes the surface at its place. No move of a vertex folds the surface or makes a thin triangle thinner.
/// The exec and the memory are the surface's own, and closest points, which need about 120 bytes a triangle
/// of the input more, count: Error(out_of_memory | out_of_device_memory) leaves a valid mesh. Ids of elements
/// that stay are kept. Point fields of floating-point numbers take the input's values at the closest point of
/// the input; others are those of the nearest vertex at the time of a split. Attributes (EditAttribute)
/// follow splits and stay with vertices that are smoothed. The result does not depend on the number of
/// threads or the side.
///
/// Error(bad_option) for a length that is negative or no number, an angle outside of 0 to 180 degrees, or a
/// sizing field that is not of positive floating-point numbers; Error(not_found) for a field that is not
/// there.
RemeshReport remesh(const DynamicSurface& surface, const RemeshOptions& options = {});
/// The same for a mesh. Error(bad_mesh) as Surface.
[[nodiscard]] TriMesh remesh(const TriMesh& mesh, const RemeshOptions& options = {});

}  // namespace tessera
