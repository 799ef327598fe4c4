// tessera delaunay: flips the edges of a surface until its triangulation is Delaunay.
#include <fmt/format.h>

#include <tessera/surface/delaunay.h>

#include "application/text.h"
#include "application/verb.h"
#include "data/files.h"
#include "data/surface_edit.h"

namespace tessera::cli {
namespace {

void declare_delaunay(OptionList& app, EditArguments& options) {
  add_edit_options(app, options);
  add_output_options(app, options.output)->description("the surface with flipped edges to write");
}

EditSummary flip(const DynamicSurface& surface, const EditArguments& options, const Monitor& monitor) {
  const EditReport report = flip_to_delaunay(
      surface, {.feature_angle = options.feature_angle, .seed = options.seed, .monitor = &monitor});
  return {.sentence = fmt::format("{} flipped in {}", counted(report.won, "edge", "edges"),
                                  counted(report.rounds, "round", "rounds")),
          .facts = {{"flips", report.won}, {"rounds", report.rounds}}};
}

int run_delaunay(Session& session, const EditArguments& options) {
  const auto edit = [&](const DynamicSurface& surface) { return flip(surface, options, session.monitor()); };
  return edit_surface(session, options,
                      {.what = "edges of triangles can be flipped", .work = delaunay_work, .edit = edit});
}

}  // namespace

Verb delaunay_verb() {
  return define_verb<EditArguments>(
      {"delaunay", Group::surfaces, "flip the edges of a surface, so that its smallest angles grow",
       "  tessera delaunay scan.ply -o flipped.ply\n"
       "  tessera delaunay part.stl --feature-angle 20 -o flipped.stl"},
      declare_delaunay, run_delaunay, {.mesh = 20, .grid = 3});
}

}  // namespace tessera::cli
