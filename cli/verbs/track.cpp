// tessera track: a surface that moves in a velocity field, frame by frame, as a series of files.
//
// Each frame begins with the mesh that was written for the one before, whether it was just written or is read
// again after an interruption: both give the same bytes.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/exec/detail/stoppable.h>
#include <tessera/io/io.h>
#include <tessera/surface/delaunay.h>
#include <tessera/surface/track.h>

#include "application/text.h"
#include "application/verb.h"
#include "data/fields.h"
#include "data/files.h"
#include "data/frame_series.h"
#include "data/mesh_quality.h"
#include "data/surface_edit.h"
#include "data/triangles.h"

namespace tessera::cli {
namespace {

namespace fs = std::filesystem;

const std::map<std::string, TrackField> field_names = {{"curl", TrackField::curl_noise},
                                                       {"deformation", TrackField::deformation},
                                                       {"vortex", TrackField::vortex},
                                                       {"rotation", TrackField::rotation}};
const std::map<std::string, TrackMidpoint> midpoint_names = {{"linear", TrackMidpoint::linear},
                                                             {"butterfly", TrackMidpoint::butterfly}};

struct TrackArguments {
  InputOptions input;
  fs::path output;
  bool ascii = false;
  bool compress = false;
  TrackField field = TrackField::curl_noise;
  std::uint32_t frames = 100;
  double step = 0.01;
  std::uint32_t substeps = 1;
  double scale = 0, speed = 1, period = 0;
  std::vector<double> origin, axis;
  double length = 0;
  double min_angle = 0, max_angle = 180, volume_change = TrackOptions{}.max_volume_change;
  TrackMidpoint midpoint = TrackMidpoint::butterfly;
  bool edits_border = true, smooths = true;
  std::uint32_t seed = 0;
  bool resume = false;
};

void declare_motion(OptionList& app, TrackArguments& options) {
  app.add_option(
         "--field", options.field,
         "noise without divergence, Enright's deformation in a box, one vortex in a box, or a rotation "
         "(curl)")
      ->transform(field_names);
  app.add_option("--frames", options.frames, "how many, beside the input, which is frame 0 (100)")
      ->in_range(0, 1'000'000)
      ->type_name("N");
  app.add_option("--step", options.step, "seconds a frame (0.01)")->type_name("X");
  app.add_option("--substeps", options.substeps, "steps of the time integration a frame (1)")
      ->in_range(1, 1'000'000)
      ->type_name("N");
  app.add_option(
         "--scale", options.scale,
         "the cells of the noise (a quarter of the input's longest side), or the sides of the box (1)")
      ->type_name("X");
  app.add_option("--origin", options.origin,
                 "the lower corner of the box (0,0,0), or a point of the axis (the middle of the input)")
      ->delimiter(',')
      ->type_name("X,Y,Z");
  app.add_option("--axis", options.axis, "of the rotation (0,0,1)")->delimiter(',')->type_name("X,Y,Z");
  app.add_option("--speed", options.speed, "multiplies the field (1)")->type_name("X");
  app.add_option("--period", options.period, "seconds of cos(pi t / period), which turns back (steady)")
      ->type_name("X");
}

void declare_track(OptionList& app, TrackArguments& options) {
  add_input_options(app, options.input);
  declare_motion(app, options);
  app.add_option("--length", options.length,
                 "of edges: those above 1.5 of it are split, below 0.5 collapsed (the mean of the input's)")
      ->type_name("X");
  app.add_option("--volume-change", options.volume_change,
                 "of a flip or a collapse at most, as a part of the cubed length (0.0005)")
      ->type_name("X");
  app.add_option("--min-angle", options.min_angle, "no edit makes a smaller one, in degrees (0)")
      ->in_range(0, 60)
      ->type_name("DEGREES");
  app.add_option("--max-angle", options.max_angle, "edges opposite larger ones are split (180)")
      ->in_range(60, 180)
      ->type_name("DEGREES");
  app.add_option("--midpoint", options.midpoint, "where edges are split (butterfly)")
      ->transform(midpoint_names);
  app.add_flag("!--keep-border", options.edits_border, "split and collapse no edges of the border");
  app.add_flag("!--no-smoothing", options.smooths, "leave points where the field takes them");
  app.add_option("--seed", options.seed, "of the noise, and of what decides between equal edits (0)")
      ->type_name("N");
  app.add_flag("--resume", options.resume, "go on after the last frame of the series, if there is one");
  app.add_flag("--ascii", options.ascii, "write numbers as text");
  app.add_flag("--compress", options.compress, "compress with zlib (not with --ascii)");
  app.add_option("-o,--output", options.output,
                 "the series to write, a .pvd file; NAME_0000.vtp and so on are beside it")
      ->required()
      ->type_name("FILE");
}

Vec3d vector_of(const std::vector<double>& numbers, const char* option) {
  if (numbers.size() != 3)
    throw Error(ErrorCode::bad_option, fmt::format("{} takes three numbers: 0,0,1", option));
  return {numbers[0], numbers[1], numbers[2]};
}

/// The options that were given; 0 stands for what the tracker chooses.
TrackOptions tracking_options(const TrackArguments& options) {
  TrackOptions how;
  how.field = options.field;
  how.length_scale = options.scale;
  if (!options.origin.empty()) how.origin = vector_of(options.origin, "--origin");
  if (!options.axis.empty()) how.axis = vector_of(options.axis, "--axis");
  how.speed = options.speed;
  how.period = options.period;
  how.time_step = options.step;
  how.substeps = options.substeps;
  how.target_length = options.length;
  how.max_volume_change = options.volume_change;
  how.min_angle = options.min_angle;
  how.max_angle = options.max_angle;
  how.midpoint = options.midpoint;
  how.edits_border = options.edits_border;
  how.smooths = options.smooths;
  how.measures = true;
  how.seed = options.seed;
  return how;
}

/// What decides the result: a resumed run must have the same. In the order in which frames have them.
struct NamedNumber {
  const char* option;
  double value;
};
std::vector<NamedNumber> deciding_numbers(const TrackOptions& how) {
  return {{"--field", static_cast<double>(how.field)},
          {"--scale", how.length_scale},
          {"--origin", how.origin->x},
          {"--origin", how.origin->y},
          {"--origin", how.origin->z},
          {"--axis", how.axis.x},
          {"--axis", how.axis.y},
          {"--axis", how.axis.z},
          {"--speed", how.speed},
          {"--period", how.period},
          {"--step", how.time_step},
          {"--substeps", static_cast<double>(how.substeps)},
          {"--length", how.target_length},
          {"--volume-change", how.max_volume_change},
          {"--min-angle", how.min_angle},
          {"--max-angle", how.max_angle},
          {"--midpoint", static_cast<double>(how.midpoint)},
          {"--keep-border", how.edits_border ? 0.0 : 1.0},
          {"--no-smoothing", how.smooths ? 0.0 : 1.0},
          {"--seed", static_cast<double>(how.seed)}};
}

constexpr const char* options_field = "TrackOptions";
constexpr const char* frame_field = "TrackFrame";
constexpr const char* time_field = "TimeValue";  // VTK's name

/// Writes into a frame what going on after it needs.
void sign_frame(TriMesh& mesh, const TrackOptions& how) {
  Array<double> numbers;
  for (const NamedNumber& number : deciding_numbers(how)) numbers.push_back(number.value);
  mesh.field_data.add(Field(options_field, std::move(numbers)));
  mesh.field_data.add(Field(frame_field, Array<std::int64_t>{static_cast<std::int64_t>(how.start_frame)}));
  mesh.field_data.add(Field(time_field, Array<double>{how.start_time}));
}

/// Reads the last frame of a series and takes time and number from it. Error(bad_file) if it is no such
/// frame, Error(bad_option) if it was made with other options.
TriMesh read_frame(const FrameSeries& series, TrackOptions& how) {
  const std::size_t number = series.frames().size() - 1;
  const fs::path file = series.frame_file(number);
  TriMesh mesh = read_triangles(file);
  const Field* const options = mesh.field_data.find(options_field);
  const Field* const frame = mesh.field_data.find(frame_field);
  const Field* const time = mesh.field_data.find(time_field);
  const std::vector<NamedNumber> expected = deciding_numbers(how);
  const auto has = [](const Field* field, ScalarType type, std::size_t size) {
    return field != nullptr && field->type() == type && field->size() * field->components() == size;
  };
  if (!has(options, ScalarType::f64, expected.size()) || !has(frame, ScalarType::i64, 1) ||
      !has(time, ScalarType::f64, 1) || frame->as<std::int64_t>()[0] != static_cast<std::int64_t>(number)) {
    throw Error(
        ErrorCode::bad_file,
        fmt::format("'{}' is not frame {} of a run of tessera track; leave out --resume to begin anew",
                    file.string(), number));
  }
  const auto found = options->as<double>();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (found[i] == expected[i].value) continue;
    throw Error(ErrorCode::bad_option,
                fmt::format("{} is {} now but was {} in '{}'; use the same options, or leave out --resume",
                            expected[i].option, expected[i].value, found[i], file.string()));
  }
  how.start_frame = number;
  how.start_time = time->as<double>()[0];
  return mesh;
}

/// Coordinates are tracked, and written, in double precision.
void make_double(TriMesh& mesh) {
  if (mesh.points.is_double()) return;
  Array<Vec3d> points(mesh.vertex_count());
  for (const VertexId v : mesh.vertices()) points[v.index()] = mesh.points[v];
  mesh.points = Points(std::move(points));
}

void check_files(Session& session, const TrackArguments& options) {
  if (extension_of(options.output) != "pvd") {
    throw Error(ErrorCode::bad_option,
                fmt::format("the frames are written as a series: name a .pvd file, not '{}'",
                            options.output.string()));
  }
  if (options.ascii && options.compress)
    throw Error(ErrorCode::bad_option, "--ascii and --compress cannot be used together");
  check_folder(session, options.output);
  // An input that has the name of a frame would be overwritten.
  const FrameSeries series(options.output);
  std::error_code unknown;
  for (std::size_t i = 0; i <= options.frames; ++i) {
    const fs::path frame = series.frame_file(i);
    if (frame.filename() == options.input.file.filename() &&
        fs::equivalent(frame, options.input.file, unknown))
      throw Error(ErrorCode::bad_option,
                  fmt::format("'{}' would be read and written; choose another output", frame.string()));
  }
}

Work estimate(const TriMesh& mesh) {
  Work work = delaunay_work(mesh);
  work.host_bytes += work.host_bytes / 2 + mesh.bytes();
  work.device_bytes += work.device_bytes / 2;
  work.host_seconds = 0;  // only who names a GPU gets one: writing and reading frames takes most of the time
  return work;
}

struct Totals {
  std::size_t splits = 0, flips = 0, collapses = 0;
};

class TrackRun {
 public:
  TrackRun(Session& session, const TrackArguments& options, const Exec& exec)
      : session_(session), options_(options), series_(options.output), how_(tracking_options(options)) {
    quiet_.stop = session.monitor().stop;
    how_.exec = detail::stoppable(exec, &session.monitor());
    how_.monitor = &quiet_;
  }
  /// Returns the last frame.
  TriMesh run(const TriMesh& input);
  void report(const TriMesh& input, const TriMesh& last);

 private:
  [[nodiscard]] TriMesh begin(const TriMesh& input);
  void write(const TriMesh& mesh);
  [[nodiscard]] TriMesh advance(const TriMesh& mesh);
  void tell(const TrackFrame& frame);

  Session& session_;
  const TrackArguments& options_;
  FrameSeries series_;
  TrackOptions how_;
  Monitor quiet_;
  Json frames_ = Json::array();
  Totals totals_;
  std::size_t first_ = 0;
};

/// The frame to go on with: the input, or the last one of the series.
TriMesh TrackRun::begin(const TriMesh& input) {
  TriMesh first = input;
  make_double(first);
  const Monitor* const monitor = &quiet_;
  TrackOptions chosen = how_;
  chosen.exec = session_.host();
  chosen.monitor = monitor;
  how_ = SurfaceTracker(first, chosen).options();  // what the input decides
  how_.exec = chosen.exec;
  sign_frame(first, how_);
  std::error_code unknown;
  if (!options_.resume || !fs::exists(options_.output, unknown)) return first;
  FrameSeries there = FrameSeries::read(options_.output);
  if (there.frames().empty()) return first;
  series_ = std::move(there);
  TriMesh last = read_frame(series_, how_);
  const TriMesh began = read_triangles(series_.frame_file(0));
  if (began.points != first.points || began.cells != first.cells) {
    throw Error(ErrorCode::bad_option,
                fmt::format("'{}' is not what '{}' began with; name the same input, or leave out --resume",
                            options_.input.file.string(), options_.output.string()));
  }
  first_ = how_.start_frame;
  return last;
}

void TrackRun::write(const TriMesh& mesh) {
  const std::size_t number = how_.start_frame;
  const OutputOptions output = {
      .file = series_.frame_file(number), .ascii = options_.ascii, .compress = options_.compress};
  write_counted(session_, output,
                [&](const fs::path& file, const WriteOptions& how) { return write_mesh(file, mesh, how); });
  session_.in_phase(Phase::write, [&] { series_.add(how_.start_time); });
}

/// One frame of a tracker that begins with this one.
TriMesh TrackRun::advance(const TriMesh& mesh) {
  return session_.in_phase(Phase::compute, [&] {
    SurfaceTracker tracker(mesh, how_);
    const TrackFrame frame = tracker.step();
    how_.start_frame = tracker.frame();
    how_.start_time = tracker.time();
    TriMesh next = tracker.surface().to_mesh();
    sign_frame(next, how_);
    tell(frame);
    return next;
  });
}

void TrackRun::tell(const TrackFrame& frame) {
  totals_.splits += frame.splits;
  totals_.flips += frame.flips;
  totals_.collapses += frame.collapses;
  frames_.push_back({{"frame", frame.frame},
                     {"time", frame.time},
                     {"file", series_.frame_file(frame.frame).string()},
                     {"points", frame.vertices},
                     {"triangles", frame.faces},
                     {"splits", frame.splits},
                     {"flips", frame.flips},
                     {"collapses", frame.collapses},
                     {"volume", frame.volume},
                     {"area", frame.area},
                     {"seconds", frame.seconds()}});
}

TriMesh TrackRun::run(const TriMesh& input) {
  const Exec exec = how_.exec;
  TriMesh mesh = session_.in_phase(Phase::prepare, [&] { return begin(input); });
  how_.exec = exec;
  if (series_.frames().empty()) {
    session_.in_phase(Phase::write, [&] { series_.begin(); });
    write(mesh);
  }
  while (how_.start_frame < options_.frames) {
    session_.monitor().update(fmt::format("frame {}", how_.start_frame + 1),
                              static_cast<double>(how_.start_frame) / options_.frames);
    mesh = advance(mesh);
    write(mesh);
  }
  return mesh;
}

void TrackRun::report(const TriMesh& input, const TriMesh& last) {
  const MeshQuality before = measure_quality(input, session_.host());
  const MeshQuality after = measure_quality(last, session_.host());
  const std::size_t made = frames_.size();
  session_.print("{}: {}{}: {}, {}, {}\n{}", options_.input.file.string(), counted(made, "frame", "frames"),
                 first_ > 0 ? fmt::format(" after frame {}", first_) : "",
                 counted(totals_.splits, "split", "splits"), counted(totals_.flips, "flip", "flips"),
                 counted(totals_.collapses, "collapse", "collapses"), quality_table(before, after));
  if (last.point_data.has("Normals") || last.cell_data.has("Normals"))
    session_.note("The field \"Normals\" is that of the surface before it was moved.");
  Json& result = session_.result();
  result["target_length"] = how_.target_length;
  result["scale"] = how_.length_scale;
  result["resumed_after"] = first_;
  result["splits"] = totals_.splits;
  result["flips"] = totals_.flips;
  result["collapses"] = totals_.collapses;
  result["time"] = how_.start_time;
  result["points"] = last.vertex_count();
  result["triangles"] = last.cell_count();
  result["frames"] = std::move(frames_);
  result["quality"] = describe_quality(before, after);
  result["output"] = {{"file", options_.output.string()}, {"frames", series_.frames().size()}};
  session_.print("wrote {}: {}\n", options_.output.string(),
                 counted(series_.frames().size(), "frame", "frames"));
}

int run_track(Session& session, const TrackArguments& options) {
  check_files(session, options);
  Input input = read_input(session, options.input);
  TriMesh& mesh = triangles_of(session, input, options.input.file, "triangles can be tracked");
  session.result()["dropped"] = 0;
  drop_unsound(session, mesh);
  session.run_on_device(estimate(mesh), [&](const Exec& exec) {
    TrackRun run(session, options, exec);
    const TriMesh last = run.run(mesh);
    session.in_phase(Phase::compute, [&] { run.report(mesh, last); });
  });
  return 0;
}

}  // namespace

Verb track_verb() {
  return define_verb<TrackArguments>(
      {"track", Group::surfaces, "move a surface in a velocity field, with even triangles",
       "  tessera track sheet.ply --field curl --frames 100 --step 0.01 -o frames.pvd\n"
       "  tessera track sheet.ply --field curl --frames 200 --step 0.01 --resume -o frames.pvd"},
      declare_track, run_track, {.mesh = 30, .grid = 3});
}

}  // namespace tessera::cli
