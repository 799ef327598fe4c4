// Geodesic distances by the heat method: heat that flows from the sources for a short time shows which way
// leads away from them; the distance is the function whose gradient goes that way.
//
//   ts::HeatMethod heat(surface);                                       // once
//   const ts::GeodesicSource source = ts::VertexId(17);
//   const ts::Array<double> distance = heat.distances({&source, 1});    // for each vertex of the input
//
// (K. Crane, C. Weischedel, M. Wardetzky, "Geodesics in heat: a new approach to computing distance based on
// heat flow", 2013.)
//
// Distances are the same bytes on host and device and for any number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <tessera/core/array.h>
#include <tessera/core/memory.h>
#include <tessera/core/progress.h>
#include <tessera/surface/attribute.h>
#include <tessera/surface/geodesic_source.h>
#include <tessera/surface/surface.h>

namespace tessera {

/// How both linear systems are solved.
enum class HeatSolver : std::uint8_t {
  /// By conjugate gradients (solve.h), where the surface's kernels run. The heat far from a source is smaller
  /// than any tolerance of the whole: its iteration goes on until every single value is accurate. The
  /// distance uses the multilevel preconditioner, and starts from -sqrt(t) log(heat). Little to prepare.
  /// Where heat takes far more iterations than there are edges across the surface, as around a vertex of
  /// 100,000 thin triangles, the systems are solved directly after all.
  iterative,
  /// By a factorization on host threads, whatever the surface's place: pays from the third call on, on the
  /// host. About 130 bytes for each vertex and doubling of vertices.
  direct,
};

struct HeatOptions {
  /// The time that heat flows is this times the square of the mean length of edges. More is smoother.
  double time = 1;
  /// Of the linear systems: each value of the heat, and the distances as a whole. Distances are then within
  /// about this part of the largest of those that exact solutions give. Above 0 and below 1.
  double tolerance = 1e-5;
  HeatSolver solver = HeatSolver::iterative;
  /// Of preparing and of every call: it must outlive the HeatMethod. Stages are building the preconditioner,
  /// or ordering and factorizing; then, for each call, letting heat flow and finding distances.
  const Monitor* monitor = nullptr;
};

/// How distances were worked out.
struct HeatReport {
  HeatSolver solver = HeatSolver::iterative;  ///< that was used
  /// As in the options, or 4, 16, ... times as much where the surface is so large, against its edges, that
  /// heat at its far end would be no number. Later calls start from the time that an earlier one needed.
  double time = 0;
  std::uint32_t heat_iterations = 0;  ///< none if direct
  std::uint32_t distance_iterations = 0;
  double residual = 0;  ///< of the distances, relative
  bool has_converged = false;
};

/// Prepared once for many calls, of which one at a time.
class HeatMethod {
 public:
  /// O(n). Any surface: open, non-manifold, disconnected, with isolated vertices and degenerate triangles
  /// (sparse.h says how those count). Error(bad_option) for a time that is not finite and above 0 and for a
  /// tolerance outside (0, 1); Error(out_of_memory | out_of_device_memory); Error(cancelled).
  explicit HeatMethod(const Surface& surface, const HeatOptions& options = {});
  HeatMethod(HeatMethod&&) noexcept;
  HeatMethod& operator=(HeatMethod&&) noexcept;
  ~HeatMethod();

  /// For each vertex in the input's order, to the nearest source; 0 at vertices that are one, infinity where
  /// no source is connected. Corners of triangles count as connected where the Laplacian couples them: not
  /// across a triangle whose other two corners are one point. Error(bad_option) without a source, and for
  /// weights that are not as FacePoint says; Error(not_found) for an id that is out of range;
  /// Error(unsupported) for a FacePoint if the mesh lies on a device; Error(cancelled), after which other
  /// calls may follow. GeodesicPaths traces the way to the sources.
  [[nodiscard]] Array<double> distances(std::span<const GeodesicSource> sources);
  /// The same where the surface's kernels run.
  [[nodiscard]] VertexAttribute<double> compute(std::span<const GeodesicSource> sources);

  /// Of the last call.
  [[nodiscard]] const HeatReport& report() const;
  /// What it holds: at the surface's place, and factors on the host.
  [[nodiscard]] Bytes bytes() const;

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace tessera
