// Geodesic distances: how far it is along a surface to the nearest of some sources, and the way there.
//
//   const std::array<ts::GeodesicSource, 1> sources = {ts::VertexId(0)};
//   const auto geodesics = ts::compute_geodesics<float>(surface, sources);
//   mesh.point_data.add(ts::to_field(geodesics.distance, "GeodesicDistance"));
//   ts::GeodesicPaths paths(geodesics);
//   const ts::GeodesicPath path = paths.trace(ts::VertexId(17));
//
// Fronts run from the sources over the triangles, all vertices of a level of hops at once, and distances are
// relaxed until none improves (J. Romero Calla, L. A. Fuentes Perez and A. A. Montenegro, "A minimalistic
// approach for fast computation of geodesic distances on triangular meshes", 2019).
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include <tessera/core/id.h>
#include <tessera/core/progress.h>
#include <tessera/core/vec.h>
#include <tessera/exec/work.h>
#include <tessera/surface/attribute.h>
#include <tessera/surface/geodesic_source.h>
#include <tessera/surface/surface.h>

namespace tessera {

/// Where the point of a triangle is.
[[nodiscard]] Vec3d find_position(const TriMesh& mesh, const FacePoint& point);

/// The shape of a front within a triangle.
enum class FrontShape : std::uint8_t {
  circular,  ///< a circle around a point in the plane of the triangle: exact on flat parts of a surface
  planar,    ///< a line, as in the paper
};

/// Which vertices pass on their distance in a round.
enum class FrontSchedule : std::uint8_t {
  bands,  ///< those within a distance that grows from round to round: few distances are passed on that do not
          ///< last
  hops,  ///< all that have a new one, as in the paper: fronts advance by an edge a round, levels of hops at a
         ///< time
};

struct GeodesicOptions {
  FrontShape shape = FrontShape::circular;
  FrontSchedule schedule = FrontSchedule::bands;
  /// A distance that improves by less than this part of it is not passed on. 0: until nothing improves.
  double tolerance = 1e-6;
  /// Vertices further than this are left at infinity.
  double limit = std::numeric_limits<double>::infinity();
  const Monitor* monitor = nullptr;
};

/// The nearest source of a vertex that no source reaches, and its level.
inline constexpr std::uint32_t no_source = 0xFFFFFFFFu;

template <class Real>
struct Geodesics {
  VertexAttribute<Real> distance;          ///< infinity where no source reaches
  VertexAttribute<std::uint32_t> nearest;  ///< the place of the source in the list
  VertexAttribute<std::uint32_t>
      level;  ///< the round that first reached the vertex; by hops: edges to a source
  std::vector<GeodesicSource> sources;
  std::uint32_t rounds = 0;  ///< of relaxation
};

/// Any surface: open, non-manifold, disconnected. Bitwise the same on either side, for any number of threads
/// and any tiles. 40 bytes a vertex (float) besides VF and FV. The error is of first order in the length of
/// edges, and larger where triangles are obtuse (docs/geodesics.md). Real: float or double. Error(bad_option)
/// without a source, and for weights that are not as FacePoint says; Error(not_found) for an id that is out
/// of range; Error(unsupported) for a FacePoint if the mesh lies on a device.
template <class Real>
[[nodiscard]] Geodesics<Real> compute_geodesics(const Surface& surface,
                                                std::span<const GeodesicSource> sources,
                                                const GeodesicOptions& options = {});

/// For choose_device(), the surface's own work included.
[[nodiscard]] inline Work geodesic_work(const TriMesh& mesh) {
  Work work = work_of(mesh.cell_count(), 350, 160);
  work.host_bytes = 40 * mesh.cell_count() + 100 * mesh.vertex_count();
  return work;
}

/// A way along the surface: vertices and points on edges, a straight line between two that follow each other.
struct GeodesicPath {
  std::vector<Vec3d> points;  ///< from the vertex to the source; empty if there is no way
  std::uint32_t source = no_source;
  double length = 0;
};

/// Traces paths. Takes a copy of the distances and of VF and FV on the host, where it works. Any thread may
/// trace.
class GeodesicPaths {
 public:
  template <class Real>
  explicit GeodesicPaths(const Geodesics<Real>& geodesics);
  ~GeodesicPaths();
  GeodesicPaths(GeodesicPaths&&) noexcept;
  GeodesicPaths& operator=(GeodesicPaths&&) noexcept;

  /// From a vertex, an id of the input, down the steepest descent of the distance within triangles, and along
  /// edges where that leads nowhere. The distance falls at each step, so that a path ends. Error(not_found)
  /// for an id that is out of range.
  [[nodiscard]] GeodesicPath trace(VertexId vertex) const;

 private:
  class Tracer;
  std::unique_ptr<const Tracer> tracer_;
};

}  // namespace tessera
