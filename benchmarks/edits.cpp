// What do edits of a surface cost?
//   build/release/benchmarks/edits [--smoke] [cpu|cuda [threads [INPUT (surfaces.h) [WORK [rounds]]]]]
// WORK is delaunay, delaunay_part (only the first 1 percent of the edges, a region), remesh, remesh_free
// (without projection), simplify_50, simplify_10 or simplify_1 (percent), track (one frame in curl noise) or
// sheet (100 frames, also of sheetN; 10 with --smoke). "with_building" begins and ends with a mesh in the
// host's memory; "resident" has the surface where it runs. "rounds" prints what each round did.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <tessera/exec/buffer.h>
#include <tessera/surface/delaunay.h>
#include <tessera/surface/dynamic_surface.h>
#include <tessera/surface/remesh.h>
#include <tessera/surface/simplify.h>
#include <tessera/surface/track.h>

#include "measure.h"
#include "surfaces.h"

namespace {

using namespace tessera;
using std::uint64_t;

constexpr double track_step = 0.01;

struct Run {
  Exec exec;
  std::string input;
  bool smoke;
  bool shows_rounds;
  const TriMesh& mesh;

  [[nodiscard]] bench::Setup setup(const std::string& question) const {
    return {.question = question,
            .input = input,
            .items = mesh.cell_count(),
            .bytes = mesh.bytes(),
            .device = exec.is_cuda() ? exec.description() : "cpu",
            .threads = exec.threads(),
            .repeats = smoke ? 1 : 5};
  }
};

void print_round(const EditRound& round) {
  std::printf(
      "{\"candidates\":%zu,\"cavities\":%zu,\"won\":%zu,\"lost\":%zu,\"refused\":%zu,\"repeats_edge\":%zu,"
      "\"several_holes\":%zu,\"milliseconds\":%.3f}\n",
      round.candidates, round.cavities, round.won, round.lost, round.refused, round.repeats_edge,
      round.several_holes, 1e3 * round.seconds);
}

/// `work` edits a surface.
void measure(
    const Run& run, const std::string& question,
    const std::function<void(const DynamicSurface&, const std::function<void(const EditRound&)>&)>& work) {
  std::optional<DynamicSurface> surface;
  const auto count = [&] { return uint64_t{surface->face_count()}; };
  const auto make = [&] { surface.emplace(run.mesh, DynamicOptions{.exec = run.exec}); };
  bench::compare(run.setup(question), {{.name = "resident",
                                        .run =
                                            [&] {
                                              work(*surface, {});
                                              synchronize(run.exec);
                                              return count();
                                            },
                                        .prepare = make,
                                        .checksum = [&] { return bench::checksum_of(surface->to_mesh()); }},
                                       {.name = "with_building",
                                        .run =
                                            [&] {
                                              make();
                                              work(*surface, {});
                                              return uint64_t{surface->to_mesh().cell_count()};
                                            },
                                        .checksum = [&] { return bench::checksum_of(surface->to_mesh()); }}});
  std::printf("{\"question\":\"%s\",\"input\":\"%s\",\"faces\":%zu,\"bytes_per_input_face\":%.1f}\n",
              question.c_str(), run.input.c_str(), surface->face_count(),
              static_cast<double>(surface->bytes()) / static_cast<double>(run.mesh.cell_count()));
  if (run.shows_rounds) {
    make();
    work(*surface, print_round);
  }
}

void print_frame(const Run& run, const TrackFrame& frame) {
  std::printf(
      "{\"question\":\"sheet\",\"input\":\"%s\",\"frame\":%zu,\"faces\":%zu,\"milliseconds\":%.3f,"
      "\"ns_per_face\":%.1f,\"advect\":%.3f,\"split\":%.3f,\"flip\":%.3f,\"collapse\":%.3f,\"smooth\":%.3f,"
      "\"splits\":%zu,\"flips\":%zu,\"collapses\":%zu,\"rounds\":%zu}\n",
      run.input.c_str(), frame.frame, frame.faces, 1e3 * frame.seconds(),
      1e9 * frame.seconds() / static_cast<double>(frame.faces), 1e3 * frame.seconds_advecting,
      1e3 * frame.seconds_splitting, 1e3 * frame.seconds_flipping, 1e3 * frame.seconds_collapsing,
      1e3 * frame.seconds_smoothing, frame.splits, frame.flips, frame.collapses, frame.rounds);
  std::fflush(stdout);
}

/// A hundred frames; prints some of them, or all, and the seconds of all together.
void measure_frames(const Run& run) {
  const std::size_t frames = run.smoke ? 10 : 100;
  SurfaceTracker tracker(run.mesh, {.exec = run.exec, .time_step = track_step});
  double seconds = 0;
  for (std::size_t i = 1; i <= frames; ++i) {
    const TrackFrame frame = tracker.step();
    seconds += frame.seconds();
    if (run.shows_rounds || i == 1 || i == 10 || i == 50 || i == frames) print_frame(run, frame);
  }
  std::printf("{\"question\":\"sheet\",\"input\":\"%s\",\"frames\":%zu,\"seconds\":%.3f,\"checksum\":%llu}\n",
              run.input.c_str(), frames, seconds,
              static_cast<unsigned long long>(bench::checksum_of(tracker.surface().to_mesh())));
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool smoke = std::erase(arguments, "--smoke") != 0;
  const bool shows_rounds = std::erase(arguments, "rounds") != 0;
  const bool is_cuda = !arguments.empty() && arguments[0] == "cuda";
  const int threads = arguments.size() > 1 ? std::atoi(arguments[1].c_str()) : 0;
  const std::string input = arguments.size() > 2 ? arguments[2]
                            : smoke              ? "ico3"
                            : is_cuda            ? "torus2m"
                                                 : "200000";
  const std::string only = arguments.size() > 3 ? arguments[3] : "";
  const TriMesh mesh = bench::make_surface(input);
  const Run run = {is_cuda ? Exec::cuda() : Exec::host(threads), input, smoke, shows_rounds, mesh};
  const auto measure_if = [&](const std::string& question, const auto& work) {
    if (only.empty() || only == question) measure(run, question, work);
  };
  using Watch = std::function<void(const EditRound&)>;
  measure_if("delaunay", [](const DynamicSurface& surface, const Watch& watch) {
    flip_to_delaunay(surface, {.watch = watch});
  });
  measure_if("delaunay_part", [&](const DynamicSurface& surface, const Watch& watch) {
    Array<std::uint32_t> ids(surface.id_end(Kind::edge) / 100);
    std::iota(ids.begin(), ids.end(), 0u);
    Buffer<std::uint32_t> active(surface.exec(), ids.size());
    active.assign(ids);
    flip_to_delaunay(surface, {.active = active.span(), .watch = watch});
  });
  for (const bool project : {true, false}) {
    measure_if(project ? "remesh" : "remesh_free", [&](const DynamicSurface& surface, const Watch&) {
      (void)remesh(surface, {.feature_angle = 180, .project = project});
    });
  }
  for (const int percent : {50, 10, 1}) {
    measure_if("simplify_" + std::to_string(percent), [&](const DynamicSurface& surface, const Watch& watch) {
      (void)simplify(surface, {.ratio = percent / 100.0, .watch = watch});
    });
  }
  measure_if("track", [](const DynamicSurface& surface, const Watch&) {
    SurfaceTracker(surface, {.time_step = track_step}).step();
  });
  if (only == "sheet") measure_frames(run);
}
