// tessera simplify: a surface of fewer triangles, close to the one it is made of.
#include <fmt/format.h>

#include <optional>

#include <tessera/surface/delaunay.h>
#include <tessera/surface/simplify.h>

#include "application/text.h"
#include "application/verb.h"
#include "data/files.h"
#include "data/surface_edit.h"

namespace tessera::cli {
namespace {

struct SimplifyArguments : EditArguments {
  std::optional<std::uint32_t> faces;
  std::optional<double> ratio, error, aspect_ratio;
  double normal_change = 75;
};

void declare_simplify(OptionList& app, SimplifyArguments& options) {
  add_edit_options(app, options);
  const Option faces = app.add_option("--triangles", options.faces, "how many are left")->type_name("N");
  app.add_option("--ratio", options.ratio, "the part of them that is left instead")
      ->in_range(0, 1)
      ->type_name("X")
      ->excludes(faces);
  app.add_option("--error", options.error, "the largest distance from the input")->type_name("X");
  app.add_option("--normal-change", options.normal_change, "how far a triangle may turn, in degrees (75)")
      ->in_range(0, 90)
      ->type_name("DEGREES");
  app.add_option("--aspect-ratio", options.aspect_ratio,
                 "make no triangle with a greater circumradius over twice the inradius (no limit)")
      ->type_name("X");
  add_output_options(app, options.output)->description("the surface of fewer triangles to write");
}

void check(const SimplifyArguments& options) {
  if (!options.faces && !options.ratio && !options.error) {
    throw Error(ErrorCode::bad_option,
                "simplify needs to know when to end; write --triangles, --ratio or --error");
  }
  if (options.error && !(*options.error >= 0))
    throw Error(ErrorCode::bad_option, fmt::format("--error must be 0 or more, not {}", *options.error));
  if (options.aspect_ratio && !(*options.aspect_ratio >= 1)) {
    throw Error(ErrorCode::bad_option,
                fmt::format("--aspect-ratio must be 1 or more, not {}", *options.aspect_ratio));
  }
}

/// Its name, and what most of the edges that are left would do.
struct Stop {
  const char* name;
  const char* reason;
};

Stop describe(MeshSimplifyStop stop) {
  switch (stop) {
    case MeshSimplifyStop::target: return {"target", ""};
    case MeshSimplifyStop::link_condition: return {"link_condition", "change the topology"};
    case MeshSimplifyStop::fold_over: return {"fold_over", "turn triangles by more than --normal-change"};
    case MeshSimplifyStop::aspect_ratio: return {"aspect_ratio", "make triangles worse than --aspect-ratio"};
    case MeshSimplifyStop::error_bound: return {"error_bound", "move the surface by more than --error"};
  }
  return {"", ""};
}

Work estimate(const TriMesh& mesh) {
  Work work = delaunay_work(mesh);
  const Bytes costs = 150 * mesh.vertex_count() + 24 * mesh.cell_count();
  work.host_bytes += costs;
  work.device_bytes += costs;
  work.host_seconds *= 6;
  return work;
}

EditSummary collapse(const DynamicSurface& surface, const SimplifyArguments& options,
                     const Monitor& monitor) {
  MeshSimplifyOptions how;
  if (options.faces) how.target_faces = *options.faces;
  how.ratio = options.ratio;
  how.max_error = options.error;
  how.feature_angle = options.feature_angle;
  how.max_normal_change = options.normal_change;
  how.max_aspect_ratio = options.aspect_ratio.value_or(0);
  how.seed = options.seed;
  how.monitor = &monitor;
  const MeshSimplifyReport report = simplify(surface, how);
  const Stop stop = describe(report.stop);
  EditSummary summary = {
      .sentence = fmt::format("{} collapsed in {}", counted(report.collapses, "edge", "edges"),
                              counted(report.rounds, "round", "rounds")),
      .facts = {{"collapses", report.collapses}, {"rounds", report.rounds}, {"stop", stop.name}}};
  const bool has_target = options.faces || options.ratio;
  if (has_target && report.stop != MeshSimplifyStop::target) {
    summary.notes.push_back(fmt::format("{} left: collapsing most of the edges that remain would {}",
                                        counted(report.faces, "triangle is", "triangles are"), stop.reason));
  }
  return summary;
}

int run_simplify(Session& session, const SimplifyArguments& options) {
  check(options);
  return edit_surface(
      session, options,
      {.what = "triangles can be simplified", .work = estimate, .edit = [&](const DynamicSurface& surface) {
         return collapse(surface, options, session.monitor());
       }});
}

}  // namespace

Verb simplify_verb() {
  return define_verb<SimplifyArguments>({"simplify", Group::surfaces, "make a surface of fewer triangles",
                                         "  tessera simplify scan.ply --ratio 0.1 -o coarse.ply\n"
                                         "  tessera simplify part.stl --error 0.01 -o coarse.stl"},
                                        declare_simplify, run_simplify, {.mesh = 28, .grid = 3});
}

}  // namespace tessera::cli
