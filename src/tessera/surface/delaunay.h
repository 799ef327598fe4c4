// Delaunay flips: edges are flipped until the angles opposite each edge add up to at most 180 degrees, which
// makes the smallest angles larger. Vertices stay where they are.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/exec/work.h>
#include <tessera/mesh/mesh.h>
#include <tessera/surface/dynamic_surface.h>
#include <tessera/surface/edit.h>

namespace tessera {

struct DelaunayOptions {
  Exec exec = Exec::host();
  Bytes memory = 0;  ///< for the surface and its edits; 0: no limit but the machine's
  /// Edges whose faces meet at a sharper bend, in degrees from flat, stay, so that features do.
  double feature_angle = 45;
  std::uint64_t seed = 0;
  /// Only these edges, as EditOptions has them, and those around what is flipped. For a surface, not a mesh.
  std::optional<std::span<const std::uint32_t>> active = std::nullopt;
  std::function<void(const EditRound&)> watch;
  const Monitor* monitor = nullptr;
};

/// Flips edges of two faces until none is left that should be flipped and can be: one whose faces, laid flat,
/// are a convex quad, and that would not join two vertices a second time. The exec and the memory are the
/// surface's own.
EditReport flip_to_delaunay(const DynamicSurface& surface, const DelaunayOptions& options = {});
/// The same for a mesh. Error(bad_option) for an angle outside of 0 to 180 degrees, or for `active`: a mesh
/// has no tiled ids. Error(bad_mesh) as Surface.
[[nodiscard]] TriMesh flip_to_delaunay(const TriMesh& mesh, const DelaunayOptions& options = {});

/// For choose_device(). The host's memory has room for the edited mesh beside the input.
[[nodiscard]] Work delaunay_work(const TriMesh& mesh);

}  // namespace tessera
