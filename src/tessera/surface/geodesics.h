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

#include <tessera/core/array.h>
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
  /// Vertices further than this are left at infinity: 0 or more.
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
/// and any tiles. 56 bytes a vertex (float) besides VF and FV, and 16 more for each triangle at a vertex of
/// more than 64. The time is linear in how often distances are passed on, also where a vertex has 100,000
/// triangles. The error is of first order in the length of edges, and larger where triangles are obtuse
/// (docs/geodesics.md). Real: float or double. Error(bad_option) without a source, for weights that are not
/// as FacePoint says, for a tolerance outside [0, 1) and for a limit that is negative or NaN;
/// Error(not_found) for an id that is out of range; Error(unsupported) for a FacePoint if the mesh lies on a
/// device; Error(cancelled).
template <class Real>
[[nodiscard]] Geodesics<Real> compute_geodesics(const Surface& surface,
                                                std::span<const GeodesicSource> sources,
                                                const GeodesicOptions& options = {});

/// For choose_device(), the surface's own work included. O(n).
[[nodiscard]] Work geodesic_work(const TriMesh& mesh);

/// A way along the surface: vertices and points on edges, a straight line between two that follow each other.
struct GeodesicPath {
  std::vector<Vec3d> points;  ///< from the vertex to the source; empty if there is no way
  /// Where it ends. no_source with points: the way down ended at a vertex that is no source but has nothing
  /// nearer beside it.
  std::uint32_t source = no_source;
  double length = 0;
};

/// Traces paths. Takes a copy of the distances and of the triangles on the host, where it works; 36 bytes a
/// vertex and 24 a triangle. Any thread may trace. Paths are the same bytes for any tiles and on either side.
class GeodesicPaths {
 public:
  /// Down the distances of fronts. Paths end at a source.
  template <class Real>
  explicit GeodesicPaths(const Geodesics<Real>& geodesics);
  /// Down any distances, a number for each vertex in the input's order: HeatMethod::distances(). Those of the
  /// heat method may have a minimum that is no source, mostly on coarse meshes: a path that gets there ends
  /// there and says so. O(n). Error(bad_option) for another number of distances; errors of
  /// compute_geodesics() for sources.
  GeodesicPaths(const Surface& surface, std::span<const double> distances,
                std::span<const GeodesicSource> sources);
  ~GeodesicPaths();
  GeodesicPaths(GeodesicPaths&&) noexcept;
  GeodesicPaths& operator=(GeodesicPaths&&) noexcept;

  /// From a vertex, an id of the input, down the steepest descent of the distance within triangles, and along
  /// edges where that leads nowhere. The distance never rises, and no vertex is passed twice, so that a path
  /// ends. Error(not_found) for an id that is out of range.
  [[nodiscard]] GeodesicPath trace(VertexId vertex) const;
  /// For each vertex in the input's order its source, by its place in the list. Of fronts:
  /// Geodesics::nearest. Of other distances: where the steepest edges lead; a path, which crosses triangles,
  /// may end at another source if two are nearly as far. no_source where no source is reached, and where
  /// edges lead to a minimum that is no source.
  [[nodiscard]] const Array<std::uint32_t>& nearest() const;

 private:
  class Tracer;
  std::unique_ptr<const Tracer> tracer_;
};

}  // namespace tessera
