// tessera remesh: a surface of nearly equilateral triangles of one size, or of sizes that a field gives.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include <tessera/core/vec.h>
#include <tessera/surface/delaunay.h>
#include <tessera/surface/remesh.h>

#include "application/text.h"
#include "application/verb.h"
#include "data/fields.h"
#include "data/files.h"
#include "data/surface_edit.h"

namespace tessera::cli {
namespace {

struct RemeshArguments : EditArguments {
  RemeshArguments() { feature_angle = RemeshOptions{}.feature_angle; }
  std::optional<double> length;
  std::string sizing, fixed;
  int iterations = 3;
  int smoothing = 5;
  bool project = true;
};

void declare_remesh(OptionList& app, RemeshArguments& options) {
  add_edit_options(app, options);
  const Option length =
      app.add_option("--length", options.length, "of the edges (the mean of the input's)")->type_name("X");
  app.add_option("--sizing", options.sizing, "a point field with the length at each point instead")
      ->type_name("NAME")
      ->excludes(length);
  app.add_option("--fixed", options.fixed, "a point field: points where it is not 0 stay")->type_name("NAME");
  app.add_option("--iterations", options.iterations, "how many times (3)")
      ->in_range(0, 1'000'000)
      ->type_name("N");
  app.add_option("--smoothing", options.smoothing, "steps of smoothing in each (5)")
      ->in_range(0, 1'000'000)
      ->type_name("N");
  app.add_flag("!--no-project", options.project, "leave smoothed points off the input's surface");
  add_output_options(app, options.output)->description("the surface with even triangles to write");
}

double area(const TriMesh& mesh) {
  double sum = 0;
  for (const TriMesh::Cell& cell : mesh.cells) {
    const bool is_there =
        std::ranges::all_of(cell, [&](VertexId v) { return v.index() < mesh.vertex_count(); });
    if (!is_there) continue;
    const Vec3d a = mesh.points[cell[0]];
    sum += length(cross(mesh.points[cell[1]] - a, mesh.points[cell[2]] - a)) / 2;
  }
  return sum;
}

/// A surface that becomes finer takes as much more. How much finer a field makes it is not known beforehand.
double growth(const TriMesh& mesh, const RemeshArguments& options) {
  if (!options.length || mesh.cells.empty()) return 1;
  const double equilateral = std::sqrt(3.0) / 4 * *options.length * *options.length;
  const double finer = 1.25 * area(mesh) / equilateral / static_cast<double>(mesh.cell_count());
  return finer > 1 ? std::min(finer, 1e6) : 1;
}

Work estimate(const TriMesh& mesh, const RemeshArguments& options) {
  Work work = delaunay_work(mesh);
  const double finer = growth(mesh, options);
  // More for arrays that move to make room, and what the search for closest points takes.
  const double factor = finer > 1 ? 1.5 * finer : 1.25;
  const auto enlarged = [&](Bytes bytes) {
    return static_cast<Bytes>(factor * static_cast<double>(bytes)) + 120 * mesh.cell_count();
  };
  work.host_bytes = enlarged(work.host_bytes);
  work.device_bytes = enlarged(work.device_bytes);
  work.host_seconds *= 4 * finer * std::max(1, options.iterations);
  return work;
}

EditSummary make_even(const DynamicSurface& surface, const RemeshArguments& options, const Monitor& monitor) {
  std::size_t rounds = 0;
  RemeshOptions how;
  how.target_length = options.length.value_or(0);
  how.sizing = options.sizing;
  how.iterations = static_cast<std::size_t>(options.iterations);
  how.feature_angle = options.feature_angle;
  how.fixed = options.fixed;
  how.project = options.project;
  how.smoothing_steps = static_cast<std::size_t>(options.smoothing);
  how.seed = options.seed;
  how.watch = [&](const RemeshStep& step) { rounds += step.edit.rounds; };
  how.monitor = &monitor;
  const RemeshReport report = remesh(surface, how);
  const Json length = options.sizing.empty() ? Json(report.target_length) : Json();
  return {.sentence = fmt::format("edges of length {}: {}, {}, {}",
                                  options.sizing.empty() ? number_text(length) : "'" + options.sizing + "'",
                                  counted(report.splits, "split", "splits"),
                                  counted(report.collapses, "collapse", "collapses"),
                                  counted(report.flips, "flip", "flips")),
          .facts = {{"target_length", length},
                    {"feature_edges", report.feature_edges},
                    {"splits", report.splits},
                    {"collapses", report.collapses},
                    {"flips", report.flips},
                    {"rounds", rounds}}};
}

int run_remesh(Session& session, const RemeshArguments& options) {
  if (options.length && !(*options.length > 0))
    throw Error(ErrorCode::bad_option, fmt::format("--length must be above 0, not {}", *options.length));
  return edit_surface(
      session, options,
      {.what = "triangles can be remeshed",
       .work = [&](const TriMesh& mesh) { return estimate(mesh, options); },
       .edit =
           [&](const DynamicSurface& surface) { return make_even(surface, options, session.monitor()); }});
}

}  // namespace

Verb remesh_verb() {
  return define_verb<RemeshArguments>(
      {"remesh", Group::surfaces, "make the triangles of a surface even",
       "  tessera remesh scan.ply -o even.ply\n"
       "  tessera remesh part.stl --length 0.5 --feature-angle 30 -o even.stl"},
      declare_remesh, run_remesh, {.mesh = 30, .grid = 3});
}

}  // namespace tessera::cli
