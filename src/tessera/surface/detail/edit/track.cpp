#include <tessera/surface/track.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>

#include <tessera/core/config.h>
#include <tessera/core/detail/stopwatch.h>
#include <tessera/core/error.h>
#include <tessera/core/random.h>
#include <tessera/exec/primitives.h>
#include <tessera/surface/attribute.h>
#include <tessera/surface/detail/cuda/track.h>
#include <tessera/surface/detail/edit/dynamic_store.h>
#include <tessera/surface/detail/edit/track_operators.h>
#include <tessera/surface/detail/run_loop.h>
#include <tessera/surface/edit.h>

namespace tessera {

using namespace detail;

namespace {

void expect(bool holds, const char* sentence) {
  if (!holds) throw Error(ErrorCode::bad_option, sentence);
}

void check(const TrackOptions& options) {
  const auto is_not_negative = [](double x) { return x >= 0 && std::isfinite(x); };
  expect(is_not_negative(options.length_scale), "the length scale of a field must be a number, 0 or more");
  expect(is_not_negative(options.period), "the period of a field must be a number of seconds, 0 or more");
  expect(std::isfinite(options.speed), "the speed of a field must be a number");
  expect(std::isfinite(options.time_step) && std::isfinite(options.start_time),
         "the time step and the first time must be numbers of seconds");
  expect(options.substeps > 0, "a frame needs at least one step");
  expect(is_not_negative(options.target_length),
         "the target length must be a number above 0, or 0 for the mean length");
  expect(is_not_negative(options.min_length) && std::isfinite(options.max_length) && options.max_length > 0 &&
             2 * options.min_length <= options.max_length,
         "edges must be split at no less than twice the length below which they are collapsed");
  expect(options.most_disorder >= 0, "the disorder of a surface is 0 or more");
  expect(options.max_volume_change >= 0, "the change of the volume must be a number, 0 or more");
  expect(
      options.min_angle >= 0 && options.min_angle < 60 && options.max_angle > 60 && options.max_angle <= 180,
      "angles must be bounded by 0 to 60 degrees from below, by 60 to 180 from above");
  const double axis = length(options.axis);
  expect(options.field != TrackField::rotation || (axis > 0 && std::isfinite(axis)),
         "an axis must have a direction");
  if (options.origin) expect(std::isfinite(length(*options.origin)), "the origin of a field must be a point");
}

[[nodiscard]] double cosine_of(double degrees) {
  return std::cos(degrees * std::numbers::pi / 180);
}

/// A buffer that grows, and is kept from frame to frame.
template <class T>
[[nodiscard]] T* room_for(Buffer<T>& buffer, const Exec& exec, std::size_t size) {
  if (buffer.size() < size) {
    buffer = Buffer<T>();
    buffer = Buffer<T>(exec, size + size / 4);
  }
  return buffer.data();
}

[[nodiscard]] Buffer<std::byte>& position_bytes(const DynamicSurface& surface) {
  return surface.store()->column(DynamicStore::positions).values;
}
[[nodiscard]] Array<Vec3d> read_positions(const DynamicSurface& surface) {
  const std::size_t n = surface.id_end(Kind::vertex);
  Array<Vec3d> points(n);
  if (n == 0) return points;
  const Exec& exec = surface.exec();
  if (exec.is_cuda())
    copy(exec, points.data(), position_bytes(surface).data(), n * sizeof(Vec3d), CopyKind::to_host);
  else
    std::copy_n(reinterpret_cast<const Vec3d*>(position_bytes(surface).data()), n, points.data());
  return points;
}
void write_positions(const DynamicSurface& surface, const Array<Vec3d>& points) {
  position_bytes(surface).assign(
      {reinterpret_cast<const std::byte*>(points.data()), points.size() * sizeof(Vec3d)});
}

}  // namespace

void advect(const DynamicSurface& surface, const EditAttribute<VertexId, Vec3d>& velocity, double seconds) {
  run_loop(surface.exec(), surface.id_end(Kind::vertex),
           EulerStep{surface.mesh(), surface.positions(), velocity.view(), seconds});
}

void advect(const DynamicSurface& surface, const VelocityFunction& velocity, const AdvectOptions& options) {
  TS_EXPECTS(velocity != nullptr);
  if (options.substeps == 0) return;
  Array<Vec3d> points = read_positions(surface);
  const std::size_t n = points.size();
  Array<Vec3d> stage(n);
  Array<Vec3d> sum(n);
  Array<Vec3d> slope(n);
  const double step = options.time_step / static_cast<double>(options.substeps);
  for (std::size_t substep = 0; substep < options.substeps; ++substep) {
    const double time = options.time + static_cast<double>(substep) * step;
    constexpr double weights[4] = {1, 2, 2, 1};
    constexpr double parts[4] = {0, 0.5, 0.5, 1};  // of the step, where the stages are
    stage = points;
    for (std::size_t i = 0; i < n; ++i) sum[i] = {0, 0, 0};
    for (int k = 0; k < 4; ++k) {
      if (k > 0) {
        for (std::size_t i = 0; i < n; ++i) stage[i] = points[i] + parts[k] * step * slope[i];
      }
      velocity({stage.data(), n}, time + parts[k] * step, {slope.data(), n});
      for (std::size_t i = 0; i < n; ++i) sum[i] = sum[i] + weights[k] * slope[i];
    }
    for (std::size_t i = 0; i < n; ++i) points[i] = points[i] + step / 6 * sum[i];
  }
  write_positions(surface, points);
}

struct SurfaceTracker::State {
  State(const DynamicSurface& tracked, const TrackOptions& given)
      : surface(tracked), exec(tracked.exec()), options(given), place(tracked) {
    check(options);
    time = options.start_time;
    frame = options.start_frame;
    const Box box = find_box();
    centre = box.middle();
    choose_field(box);
    choose_lengths();
    run_loop(exec, surface.id_end(Kind::vertex), MarkPlaces{surface.mesh(), place.view()});
  }

  struct Box {
    double low[3] = {0, 0, 0};
    double high[3] = {0, 0, 0};
    [[nodiscard]] Vec3d middle() const {
      return {(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2};
    }
    [[nodiscard]] double longest_side() const {
      return std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
    }
  };
  [[nodiscard]] Box find_box();
  void choose_field(const Box& box);
  void choose_lengths();
  [[nodiscard]] TrackView view() const;

  void advect_frame();
  [[nodiscard]] TrackFrame improve(TrackFrame report);
  template <class Operator>
  [[nodiscard]] std::size_t edit_edges(const Operator& op, TrackFrame& report, std::size_t max_passes = 0);
  void smooth();
  void measure(TrackFrame& report);
  void compact_if_scattered();

  DynamicSurface surface;
  Exec exec;
  TrackOptions options;
  EditAttribute<VertexId, TrackPlace> place;
  TrackVelocity velocity = {};
  Vec3d centre = {0, 0, 0};
  double time = 0;
  std::size_t frame = 0;
  Buffer<Vec3d> smoothed;
  Buffer<double> numbers;
};

SurfaceTracker::State::Box SurfaceTracker::State::find_box() {
  Box box;
  const std::size_t n = surface.id_end(Kind::vertex);
  double* values = room_for(numbers, exec, n);
  for (int axis = 0; axis < 3 && surface.vertex_count() > 0; ++axis) {
    run_loop(exec, n,
             TakeCoordinate{surface.mesh(), surface.positions(), axis,
                            std::numeric_limits<double>::quiet_NaN(), values});
    const MinMax<double> range = reduce_min_max<double>(exec, {values, n});
    box.low[axis] = range.min;
    box.high[axis] = range.max;
  }
  return box;
}

void SurfaceTracker::State::choose_field(const Box& box) {
  const bool is_noise = options.field == TrackField::curl_noise;
  const bool is_rotation = options.field == TrackField::rotation;
  if (options.length_scale == 0) {
    const double quarter = box.longest_side() / 4;
    options.length_scale = is_noise && quarter > 0 ? quarter : 1;
  }
  if (!options.origin) options.origin = is_rotation ? box.middle() : Vec3d{0, 0, 0};
  velocity = {.field = options.field,
              .scale = options.length_scale,
              .speed = options.speed,
              .period = options.period,
              .origin = *options.origin,
              .axis = is_rotation ? 1 / length(options.axis) * options.axis : options.axis,
              .noise = {static_cast<std::uint32_t>(splitmix64(options.seed))}};
}

void SurfaceTracker::State::choose_lengths() {
  if (options.target_length > 0 || surface.edge_count() == 0) return;
  const std::size_t n = surface.id_end(Kind::edge);
  double* lengths = room_for(numbers, exec, n);
  run_loop(exec, n, MeasureEdges{surface.mesh(), surface.positions(), lengths});
  options.target_length = sum_elements(exec, lengths, n) / static_cast<double>(surface.edge_count());
}

TrackView SurfaceTracker::State::view() const {
  const double target = options.target_length;
  const double longest = options.max_length * target;
  const double shortest = options.min_length * target;
  return {.position = surface.positions(),
          .place = place.view(),
          .longest_squared = longest * longest,
          .shortest_squared = shortest * shortest,
          .max_volume = options.max_volume_change * target * target * target,
          .least_area = 2e-5 * target * target,  // El Topo's 1e-7 for edges of about 0.1
          .least_shortening = 1e-7 * target,     // likewise its 1e-8
          .cos_min_angle = cosine_of(options.min_angle),
          .cos_max_angle = cosine_of(options.max_angle),
          .has_min_angle = options.min_angle > 0,
          .has_max_angle = options.max_angle < 180,
          .is_butterfly = options.midpoint == TrackMidpoint::butterfly,
          .edits_border = options.edits_border};
}

void SurfaceTracker::State::advect_frame() {
  const AdvectOptions steps = {.time = time, .time_step = options.time_step, .substeps = options.substeps};
  if (options.velocity) return tessera::advect(surface, options.velocity, steps);
  run_advect(surface, velocity, steps,
             [](const Exec& at, std::size_t n, const auto& loop) { run_loop(at, n, loop); });
}

/// Returns how many edges were edited.
template <class Operator>
std::size_t SurfaceTracker::State::edit_edges(const Operator& op, TrackFrame& report,
                                              std::size_t max_passes) {
  // A round takes a part of the edges if there are many.
  constexpr std::size_t edges_of_round = std::size_t{1} << 20;
  const std::size_t parts = 1 + surface.id_end(Kind::edge) / edges_of_round;
  const EditOptions rounds = {.seed = splitmix64(options.seed + report.frame),
                              .again = Again::touched,
                              .max_rounds = max_passes * parts,
                              .monitor = options.monitor};
  EditReport edited;
  if constexpr (built_with_cuda) {
    edited = exec.is_cuda() ? cuda::track_edit(surface, op, rounds) : edit(surface, op, rounds);
  } else {
    edited = edit(surface, op, rounds);
  }
  report.rounds += edited.rounds;
  return edited.won;
}

void SurfaceTracker::State::smooth() {
  const std::size_t n = surface.id_end(Kind::vertex);
  Vec3d* to = room_for(smoothed, exec, n);
  run_loop(exec, n, NullSpaceSmooth{surface.mesh(), surface.positions(), place.view(), to});
  run_loop(exec, n, StoreSmoothed{surface.mesh(), surface.positions(), to});
}

void SurfaceTracker::State::measure(TrackFrame& report) {
  const std::size_t n = surface.id_end(Kind::face);
  double* volumes = room_for(numbers, exec, 2 * n);
  double* areas = volumes + n;
  run_loop(exec, n, MeasureFaces{surface.mesh(), surface.positions(), centre, volumes, areas});
  report.volume = sum_elements(exec, volumes, n) / 6;
  report.area = sum_elements(exec, areas, n) / 2;
}

void SurfaceTracker::State::compact_if_scattered() {
  if (options.most_disorder <= 1 && surface.disorder() >= options.most_disorder) (void)surface.compact();
}

TrackFrame SurfaceTracker::State::improve(TrackFrame report) {
  constexpr std::size_t most_flip_passes = 10;  // El Topo makes 5 over all edges
  report.frame = frame + 1;
  report.time = time + options.time_step;
  Stopwatch watch;
  if (options.target_length > 0) {
    report.splits = edit_edges(TrackSplit{view()}, report);
    report.seconds_splitting = watch.lap();
    report.flips = edit_edges(TrackFlip{view()}, report, most_flip_passes);
    report.seconds_flipping = watch.lap();
    report.collapses = edit_edges(TrackCollapse{view()}, report);
    report.seconds_collapsing = watch.lap();
    if (options.smooths) smooth();
    if (exec.is_cuda()) synchronize(exec);
    report.seconds_smoothing = watch.lap();
  }
  frame = report.frame;
  time = report.time;
  if (options.measures) measure(report);
  report.seconds_measuring = watch.lap();
  compact_if_scattered();
  report.seconds_compacting = watch.lap();
  report.vertices = surface.vertex_count();
  report.faces = surface.face_count();
  if (options.watch) options.watch(report);
  return report;
}

SurfaceTracker::SurfaceTracker(const TriMesh& mesh, const TrackOptions& options)
    : SurfaceTracker((check(options), DynamicSurface(mesh, {.exec = options.exec,
                                                            .memory = options.memory,
                                                            .monitor = options.monitor})),
                     options) {}
SurfaceTracker::SurfaceTracker(const DynamicSurface& surface, const TrackOptions& options)
    : state_(std::make_unique<State>(surface, options)) {}
SurfaceTracker::SurfaceTracker(SurfaceTracker&&) noexcept = default;
SurfaceTracker& SurfaceTracker::operator=(SurfaceTracker&&) noexcept = default;
SurfaceTracker::~SurfaceTracker() = default;

TrackFrame SurfaceTracker::step() {
  TrackFrame report;
  Stopwatch watch;
  state_->advect_frame();
  if (state_->exec.is_cuda()) synchronize(state_->exec);
  report.seconds_advecting = watch.lap();
  return state_->improve(report);
}

TrackFrame SurfaceTracker::improve() {
  return state_->improve({});
}

double SurfaceTracker::time() const {
  return state_->time;
}
std::size_t SurfaceTracker::frame() const {
  return state_->frame;
}
DynamicSurface SurfaceTracker::surface() const {
  return state_->surface;
}
const TrackOptions& SurfaceTracker::options() const {
  return state_->options;
}

TriMesh track(const TriMesh& mesh, const TrackOptions& options) {
  SurfaceTracker tracker(mesh, options);
  for (std::size_t i = 0; i < options.frames; ++i) tracker.step();
  return tracker.surface().to_mesh();
}

}  // namespace tessera
