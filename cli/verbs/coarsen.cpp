// tessera coarsen: an isosurface with about half of its triangles, and better ones.
#include <fmt/format.h>

#include <optional>

#include <tessera/generate/coarsen.h>
#include <tessera/generate/isosurface.h>
#include <tessera/surface/quality.h>

#include "application/text.h"
#include "application/verb.h"
#include "data/extent.h"
#include "data/fields.h"
#include "data/files.h"
#include "data/quality_plot.h"
#include "data/surface_edit.h"

namespace tessera::cli {
namespace {

struct CoarsenArguments {
  InputOptions input;
  OutputOptions output;
  std::optional<double> value;
  std::string field;
  std::filesystem::path histogram;
};

void declare_coarsen(OptionList& app, CoarsenArguments& options) {
  add_input_options(app, options.input);
  const Option value =
      app.add_option("--value", options.value,
                     "the isovalue, if the input is a grid or tetrahedra and not a surface with provenance")
          ->type_name("X");
  app.add_option(
         "--field", options.field,
         "the scalar field for --value, such as f, v:x, v:magnitude or :z; needed if there are several")
      ->type_name("NAME")
      ->needs(value);
  app.add_option("--histogram", options.histogram, "a picture of the quality before and after, .svg")
      ->type_name("FILE");
  add_output_options(app, options.output)->description("the coarser surface to write");
}

/// What `isosurface --provenance` wrote.
Isosurface surface_with_provenance(const CoarsenArguments& options, TriMesh mesh) {
  const Field* edges = mesh.point_data.find("InputEdge");
  const Field* weights = mesh.point_data.find("InputWeight");
  const bool is_usable = edges != nullptr && edges->type() == ScalarType::i64 && edges->components() == 2 &&
                         weights != nullptr && weights->type() == ScalarType::f64 &&
                         weights->components() == 1;
  if (!is_usable) {
    throw Error(
        ErrorCode::not_found,
        fmt::format("'{}' has no point fields InputEdge and InputWeight, which say where its points came "
                    "from; make it with 'tessera isosurface --provenance'",
                    options.input.file.string()));
  }
  Isosurface surface;
  const auto ends = edges->as<std::int64_t>();
  surface.provenance.edges.resize(ends.size() / 2);
  for (std::size_t v = 0; v < ends.size() / 2; ++v) {
    surface.provenance.edges[v] = {static_cast<std::uint64_t>(ends[2 * v]),
                                   static_cast<std::uint64_t>(ends[2 * v + 1])};
  }
  surface.provenance.weights.assign(weights->as<double>().begin(), weights->as<double>().end());
  mesh.point_data.remove("InputEdge");  // no longer true of the means
  mesh.point_data.remove("InputWeight");
  surface.mesh = std::move(mesh);
  return surface;
}

/// The isosurface of a grid or of tetrahedra.
Isosurface cut_volume(Session& session, const CoarsenArguments& options, const AnyMesh& mesh,
                      const Field& field, const Exec& exec) {
  const IsosurfaceOptions how{.keep_provenance = true, .exec = exec, .monitor = &session.monitor()};
  const auto* grid = std::get_if<Grid>(&mesh);
  return grid != nullptr ? isosurface(*grid, field, {&*options.value, 1}, how)
                         : isosurface(std::get<TetMesh>(mesh), field, {&*options.value, 1}, how);
}

void check_value(const CoarsenArguments& options, const AnyMesh& mesh) {
  const bool is_surface = std::holds_alternative<TriMesh>(mesh);
  if (is_surface != options.value.has_value()) return;
  if (is_surface) {
    throw Error(ErrorCode::bad_option,
                fmt::format("'{}' is a surface already; leave --value out", options.input.file.string()));
  }
  throw Error(ErrorCode::bad_option,
              fmt::format("'{}' is a {}; name the isovalue of its surface with --value",
                          options.input.file.string(), kind_name(mesh)));
}

Json describe(const QualitySummary& summary) {
  return {{"triangles", summary.triangles},
          {"mean", summary.mean},
          {"median", summary.median},
          {"acceptable", summary.acceptable},
          {"histogram", summary.histogram}};
}

void check_outputs(Session& session, const CoarsenArguments& options) {
  check_output(session, options.output);
  if (!options.histogram.empty()) check_sole_format(session, options.histogram, "svg");
}

int run_coarsen(Session& session, const CoarsenArguments& options) {
  check_outputs(session, options);
  Input input = read_input(session, options.input);
  for (const std::string& note : input.report.notes) session.note(note);
  check_value(options, input.mesh);
  const Work work = std::visit([](const auto& mesh) { return coarsening_work(mesh); }, input.mesh);
  Isosurface surface;
  TriMesh* const given = std::get_if<TriMesh>(&input.mesh);
  const Field* const field = given == nullptr ? &choose_point_scalar(session, input, options.field) : nullptr;
  if (field != nullptr) note_valueless_cells(session, input.mesh, *field);
  if (given != nullptr) {
    surface =
        session.in_phase(Phase::prepare, [&] { return surface_with_provenance(options, std::move(*given)); });
  }
  Reservation room;
  Coarsened coarse;
  session.run_on_device(work, [&](const Exec& exec) {
    if (given == nullptr) {
      surface = session.in_phase(Phase::prepare,
                                 [&] { return cut_volume(session, options, input.mesh, *field, exec); });
    }
    room = Reservation::of_held(session.memory(), surface.mesh.bytes(), "the surface");
    const Reservation coarser(session.memory(), mib(6) + surface.mesh.bytes(), "the coarser surface");
    coarse = session.in_phase(Phase::compute, [&] {
      return coarsen(surface.mesh, surface.provenance, {.exec = exec, .monitor = &session.monitor()});
    });
  });
  const QualitySummary before = summarize_quality(surface.mesh, session.host());
  const QualitySummary after = summarize_quality(coarse.mesh, session.host());
  Table table({Align::left, Align::right, Align::right, Align::right, Align::right, Align::right});
  table.add({"", "points", "triangles", "mean quality", "median", "above 0.6"});
  const auto add = [&](const char* name, std::size_t points, const QualitySummary& summary) {
    table.add({name, grouped(points), grouped(summary.triangles), fmt::format("{:.3f}", summary.mean),
               fmt::format("{:.3f}", summary.median), fmt::format("{:.1f} %", 100 * summary.acceptable)});
  };
  add("before", surface.mesh.vertex_count(), before);
  add("after", coarse.mesh.vertex_count(), after);
  session.print("{}", table.text());
  session.print("dropped {} that collapsed, {} folded onto each other, {} without triangles\n",
                counted(coarse.dropped.size(), "triangle", "triangles"), grouped(coarse.folded.size()),
                counted(coarse.isolated, "point", "points"));
  Json& result = session.result();
  result["points"] = {{"before", surface.mesh.vertex_count()}, {"after", coarse.mesh.vertex_count()}};
  result["dropped"] = coarse.dropped.size();
  result["folded"] = coarse.folded.size();
  result["isolated"] = coarse.isolated;
  result["before"] = describe(before);
  result["after"] = describe(after);
  if (!options.histogram.empty()) {
    write_histogram(session, options.histogram,
                    make_quality_svg(options.input.file.filename().string(), before, after));
  }
  if (!options.output.file.empty()) write_output(session, options.output, std::move(coarse.mesh));
  return 0;
}

}  // namespace

Verb coarsen_verb() {
  return define_verb<CoarsenArguments>(
      {"coarsen", Group::generate, "join the points of an isosurface that lie near one input point",
       "  tessera coarsen lattice64.vti --value 0.15 -o coarse.vtp --histogram quality.svg\n"
       "  tessera coarsen surface.vtp -o coarse.vtp"},
      declare_coarsen, run_coarsen, {.mesh = 4, .grid = 60, .has_large_results = true});
}

}  // namespace tessera::cli
