// Simplification: edges are collapsed, cheap ones first, where the cost is the quadric error of Garland and
// Heckbert ("Surface simplification using quadric error metrics", 1997): the squared distances to the planes
// of the triangles that a vertex stands for, weighted with their areas.
//
// Many collapses are made at once. A round looks only at the cheapest edges, and a collapse is made if it is
// cheaper than all others it would be in conflict with, so the order is close to that of a priority queue.
// Where the surface is flat all collapses cost nothing: one that makes a thin triangle is put off until
// others cost as much as moving the surface by a small part of that triangle's length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include <tessera/core/memory.h>
#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/mesh/mesh.h>
#include <tessera/surface/dynamic_surface.h>
#include <tessera/surface/edit.h>

namespace tessera {

/// What ends a simplification: a number of faces, as target_faces or as ratio, or max_error, or the first
/// of both that is reached.
struct MeshSimplifyOptions {
  Exec exec = Exec::host();
  Bytes memory = 0;  ///< for the surface and its edits; 0: no limit but the machine's
  std::optional<std::size_t> target_faces = std::nullopt;
  std::optional<double> ratio = std::nullopt;  ///< the part of the faces that stays, from 0 to 1
  /// The largest distance between the input and the result, in both directions. What each collapse adds is
  /// measured at corners, middles of edges and centroids, and summed up over neighbouring collapses, so that
  /// the result is closer than that; the wider the bound, the more so. Each collapse costs about three times
  /// as much.
  std::optional<double> max_error = std::nullopt;
  /// Edges whose faces meet at a sharper bend, in degrees from flat, are kept in place as the border is: by
  /// planes through them, perpendicular to their faces.
  double feature_angle = 45;
  double constraint_weight = 10;  ///< of these planes, as multiples of the area of a square on the edge
  /// How far a collapse may turn the normal of a face, in degrees: below 90, so that none folds over.
  double max_normal_change = 75;
  /// The largest circumradius over twice the inradius, which is 1 for an equilateral triangle, that a
  /// collapse may give a face that had a smaller one. 0: no limit.
  double max_aspect_ratio = 0;
  std::uint64_t seed = 0;
  std::function<void(const EditRound&)> watch;  ///< called after each round
  const Monitor* monitor = nullptr;
};

/// Why a simplification ended. If it was not the target: what most of the remaining edges fail.
enum class MeshSimplifyStop : std::uint8_t {
  target,          ///< reached
  link_condition,  ///< a collapse would change the topology, or move a vertex that is not manifold
  fold_over,       ///< a collapse would turn a face by more than max_normal_change
  aspect_ratio,    ///< a collapse would make a face worse than max_aspect_ratio
  error_bound,     ///< a collapse would move the surface by more than max_error
};

struct MeshSimplifyReport {
  MeshSimplifyStop stop = MeshSimplifyStop::target;
  std::size_t faces = 0;
  std::size_t collapses = 0;
  std::size_t rounds = 0;
};

/// Collapses edges until at most the target's faces are left: as many, or one less, since a collapse inside
/// the surface removes two. Where that cannot be reached, as few as can be. The topology stays: vertices of
/// edges of more than two faces, and those whose faces are not one fan, stay as they are. Attributes of
/// vertices are interpolated along the edge, those of faces and edges stay with them. The exec and the memory
/// are the surface's own. About 100 bytes a vertex and 17 bytes an edge while it works, and the scratch of
/// edit(); all of it counts: Error(out_of_memory | out_of_device_memory) leaves a valid mesh.
/// Error(bad_option) for options that make no sense.
MeshSimplifyReport simplify(const DynamicSurface& surface, const MeshSimplifyOptions& options);
/// The same for a mesh. Error(bad_mesh) as Surface.
[[nodiscard]] TriMesh simplify(const TriMesh& mesh, const MeshSimplifyOptions& options);

}  // namespace tessera
