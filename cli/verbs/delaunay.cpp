// tessera delaunay: flips the edges of a surface until its triangulation is Delaunay.
#include <fmt/format.h>

#include <cstdint>

#include <tessera/surface/delaunay.h>

#include "application/text.h"
#include "application/verb.h"
#include "data/files.h"
#include "data/surface_edit.h"

namespace tessera::cli {
namespace {

struct DelaunayArguments {
  InputOptions input;
  OutputOptions output;
  double feature_angle = 45;
  std::uint64_t seed = 0;
};

void declare_delaunay(OptionList& app, DelaunayArguments& options) {
  add_input_options(app, options.input);
  app.add_option("--feature-angle", options.feature_angle,
                 "leave edges where the surface bends by more, in degrees from flat (45)")
      ->in_range(0, 180)
      ->type_name("DEGREES");
  app.add_option("--seed", options.seed, "of what decides which of two neighbouring edges is first (0)")
      ->type_name("N");
  add_output_options(app, options.output)->description("the surface with flipped edges to write");
}

EditSummary flip(const DynamicSurface& surface, const DelaunayArguments& options, const Monitor& monitor) {
  const EditReport report = flip_to_delaunay(
      surface, {.feature_angle = options.feature_angle, .seed = options.seed, .monitor = &monitor});
  return {.sentence = fmt::format("{} flipped in {}", counted(report.won, "edge", "edges"),
                                  counted(report.rounds, "round", "rounds")),
          .facts = {{"flips", report.won}, {"rounds", report.rounds}}};
}

int run_delaunay(Session& session, const DelaunayArguments& options) {
  return edit_surface(
      session,
      {.input = options.input,
       .output = options.output,
       .what = "edges of triangles can be flipped",
       .work = [](const TriMesh& mesh) { return delaunay_work(mesh); },
       .edit = [&](const DynamicSurface& surface) { return flip(surface, options, session.monitor()); }});
}

}  // namespace

Verb delaunay_verb() {
  return define_verb<DelaunayArguments>(
      {"delaunay", Group::surfaces, "flip the edges of a surface, so that its smallest angles grow",
       "  tessera delaunay scan.ply -o flipped.ply\n"
       "  tessera delaunay part.stl --feature-angle 20 -o flipped.stl"},
      declare_delaunay, run_delaunay, {.mesh = 9, .grid = 3});
}

}  // namespace tessera::cli
