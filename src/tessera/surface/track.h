// Surface tracking: a surface that moves in a velocity field and keeps good triangles on its way, as Brochu
// and Bridson, "Robust Topological Operations for Dynamic Explicit Surfaces" (SISC 2009), do it in El Topo,
// without collisions and changes of the topology.
//
//   ts::SurfaceTracker tracker(mesh, {.field = ts::TrackField::curl_noise, .time_step = 0.01});
//   for (int i = 0; i < 100; ++i) tracker.step();
//   const ts::TriMesh moved = tracker.surface().to_mesh();
//
// A frame moves the vertices (Runge-Kutta, fourth order), splits long edges, flips edges to the shorter
// diagonal, collapses short edges, and moves the vertices within the surface towards the middle of their
// faces (null-space smoothing: Jiao, "Face offsetting", JCP 2007). Attributes and fields follow: colours,
// texture coordinates and scalars are interpolated where vertices are made. docs/tracking.md has the
// criteria.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include <tessera/core/memory.h>
#include <tessera/core/progress.h>
#include <tessera/core/vec.h>
#include <tessera/exec/exec.h>
#include <tessera/exec/for_each.h>
#include <tessera/mesh/mesh.h>
#include <tessera/surface/dynamic_surface.h>
#include <tessera/surface/edit_mesh.h>
#include <tessera/surface/surface.h>

namespace tessera {

/// Velocities without divergence.
enum class TrackField : std::uint8_t {
  curl_noise,   ///< the curl of smooth noise: about one cell of the noise a second
  deformation,  ///< Enright's test, in a box; it stretches a sphere into a sheet
  vortex,       ///< one vortex around the middle of a box, in planes of equal z
  rotation,     ///< about an axis, by one radian a second
};

/// Where edges are split, and drawn together.
enum class TrackMidpoint : std::uint8_t {
  linear,     ///< halfway
  butterfly,  ///< on the smooth surface that butterfly subdivision makes of the neighbourhood
};

/// Writes the velocities of all vertices at some time. Points are by tiled id; those of removed vertices mean
/// nothing, and neither do their velocities. Called four times a step, with the points of each stage.
using VelocityFunction =
    std::function<void(std::span<const Vec3d> points, double time, std::span<Vec3d> velocities)>;

/// What happened in a frame.
struct TrackFrame {
  std::size_t frame = 0;  ///< its number, from 1 on
  double time = 0;        ///< at its end
  std::size_t splits = 0;
  std::size_t flips = 0;
  std::size_t collapses = 0;
  std::size_t rounds = 0;  ///< of all edits
  std::size_t vertices = 0;
  std::size_t faces = 0;
  /// If they are measured. The volume is that between the surface and a point within the input's box, with
  /// the sign of the orientation: of a closed surface what it encloses.
  double volume = 0;
  double area = 0;
  double seconds_advecting = 0;
  double seconds_splitting = 0;
  double seconds_flipping = 0;
  double seconds_collapsing = 0;
  double seconds_smoothing = 0;
  double seconds_measuring = 0;
  double seconds_compacting = 0;

  [[nodiscard]] double seconds() const {
    return seconds_advecting + seconds_splitting + seconds_flipping + seconds_collapsing + seconds_smoothing +
           seconds_measuring + seconds_compacting;
  }
};

struct TrackOptions {
  Exec exec = Exec::host();
  Bytes memory = 0;  ///< for the surface and its edits; 0: no limit but the machine's

  // The motion.
  TrackField field = TrackField::curl_noise;
  /// The size of the noise's cells, or of the box's sides. 0: a quarter of the longest side of the input's
  /// box for noise, 1 for boxes.
  double length_scale = 0;
  /// The lower corner of the box, or a point of the axis. By default the origin for noise and boxes, the
  /// middle of the input's box for the axis.
  std::optional<Vec3d> origin = std::nullopt;
  Vec3d axis = {0, 0, 1};
  double speed = 1;           ///< multiplies the field
  double period = 0;          ///< multiplies it by cos(pi time / period), which turns back; 0: it is steady
  VelocityFunction velocity;  ///< instead of the field, on the host
  double time_step = 0.01;    ///< seconds a frame
  std::size_t substeps = 1;   ///< Runge-Kutta steps a frame
  std::size_t frames = 100;   ///< of track()
  double start_time = 0;
  std::size_t start_frame = 0;

  // The mesh. Defaults are those of El Topo's own examples.
  double target_length = 0;  ///< of edges; 0: the mean of the input's
  double max_length = 1.5;   ///< edges longer than so many targets are split
  double min_length = 0.5;   ///< edges shorter than so many targets are collapsed
  /// No flip or collapse changes the volume by more than so many cubed targets.
  double max_volume_change = 0.0005;
  double min_angle = 0;    ///< no edit makes a smaller angle, in degrees
  double max_angle = 180;  ///< no flip or collapse makes a larger one; edges opposite larger ones are split
  TrackMidpoint midpoint = TrackMidpoint::butterfly;
  /// Splits and collapses edges of the border, too, along the border. El Topo does not; where a border is
  /// stretched, triangles at it then become thinner and thinner.
  bool edits_border = true;
  /// Lets vertices of smooth regions slide within the surface.
  bool smooths = true;

  /// Compacts the surface, which renames ids, once its disorder() is so high: what lies close together is
  /// then close together in memory again. Above 1: never.
  double most_disorder = DynamicSurface::most_disorder;
  bool measures = false;   ///< volume and area of each frame
  std::uint64_t seed = 0;  ///< of the noise, and of what decides between equal edits
  std::function<void(const TrackFrame&)> watch = {};  ///< called after each frame
  const Monitor* monitor = nullptr;  ///< asked between rounds of edits; a stop leaves a valid mesh
};

/// Moves a surface frame by frame. The result does not depend on the number of threads or the side.
class SurfaceTracker {
 public:
  /// Error(bad_option) for numbers that mean nothing, Error(bad_mesh) as Surface.
  explicit SurfaceTracker(const TriMesh& mesh, const TrackOptions& options = {});
  /// Tracks a surface that is there, with its attributes; the exec and the memory are its own.
  explicit SurfaceTracker(const DynamicSurface& surface, const TrackOptions& options = {});
  SurfaceTracker(SurfaceTracker&&) noexcept;
  SurfaceTracker& operator=(SurfaceTracker&&) noexcept;
  ~SurfaceTracker();

  /// Moves the surface by one frame and improves its mesh.
  TrackFrame step();
  /// Ends a frame whose motion the caller has done, with advect(), say: improves the mesh, and counts the
  /// frame and its seconds.
  TrackFrame improve();

  [[nodiscard]] double time() const;
  [[nodiscard]] std::size_t frame() const;
  [[nodiscard]] DynamicSurface surface() const;
  /// With the numbers that were chosen for those that are 0 by default. A tracker with these options that
  /// begins with this surface, this time and this frame goes on in the same way.
  [[nodiscard]] const TrackOptions& options() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The mesh after all frames.
[[nodiscard]] TriMesh track(const TriMesh& mesh, const TrackOptions& options = {});

struct AdvectOptions {
  double time = 0;  ///< at the beginning
  double time_step = 0.01;
  std::size_t substeps = 1;
};

/// A velocity at each place and time.
template <class T> concept PointVelocity = requires(const T& velocity, Vec3d point, double time) {
  { velocity(point, time) } -> std::same_as<Vec3d>;
};

namespace detail {

/// Moves vertices by Runge-Kutta steps of fourth order.
template <class Velocity>
struct AdvectLoop {
  EditMesh mesh;
  EditView<tiled::VertexId, Vec3d> position;
  Velocity velocity;
  double time;
  double step;
  std::size_t substeps;

  TS_HD void operator()(std::size_t i) const {
    const tiled::VertexId v(static_cast<std::uint32_t>(i));
    if (!mesh.contains(v)) return;
    Vec3d p = position[v];
    for (std::size_t n = 0; n < substeps; ++n) {
      const double t = time + static_cast<double>(n) * step;
      const Vec3d k1 = velocity(p, t);
      const Vec3d k2 = velocity(p + step / 2 * k1, t + step / 2);
      const Vec3d k3 = velocity(p + step / 2 * k2, t + step / 2);
      const Vec3d k4 = velocity(p + step * k3, t + step);
      p = p + step / 6 * ((k1 + k4) + 2.0 * (k2 + k3));
    }
    position[v] = p;
  }
};

template <class Velocity, class Run>
void run_advect(const DynamicSurface& surface, const Velocity& velocity, const AdvectOptions& options,
                const Run& run) {
  if (options.substeps == 0) return;
  run(surface.exec(), surface.id_end(Kind::vertex),
      AdvectLoop<Velocity>{surface.mesh(), surface.positions(), velocity, options.time,
                           options.time_step / static_cast<double>(options.substeps), options.substeps});
}

}  // namespace detail

/// Moves each vertex by its velocity times the seconds, with one Euler step.
void advect(const DynamicSurface& surface, const EditAttribute<VertexId, Vec3d>& velocity, double seconds);
/// Moves the vertices by velocities that the host computes, for a surface at either side.
void advect(const DynamicSurface& surface, const VelocityFunction& velocity, const AdvectOptions& options);

#if !defined(__CUDACC__)

/// Moves the vertices by a velocity of one's own: a function object with `TS_HD Vec3d operator()(Vec3d point,
/// double time) const`. Error(unsupported) for a surface on a device: track.cuh has it for both sides.
template <PointVelocity Velocity>
void advect(const DynamicSurface& surface, const Velocity& velocity, const AdvectOptions& options) {
  detail::RunOnHost::check(surface.exec());
  detail::run_advect(surface, velocity, options, detail::RunOnHost{});
}

#endif

}  // namespace tessera
