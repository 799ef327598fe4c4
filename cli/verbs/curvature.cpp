// tessera curvature: the Gaussian and the mean curvature of a surface at its vertices.
#include <fmt/format.h>

#include <tessera/surface/curvature.h>

#include "application/text.h"
#include "application/verb.h"
#include "data/fields.h"
#include "data/files.h"

namespace tessera::cli {
namespace {

struct CurvatureArguments {
  InputOptions input;
  OutputOptions output;
};

void declare_curvature(OptionList& app, CurvatureArguments& options) {
  add_input_options(app, options.input);
  add_output_options(app, options.output)
      ->description("the surface with GaussianCurvature, MeanCurvature and IsOnBoundary to write");
}

int run_curvature(Session& session, const CurvatureArguments& options) {
  check_output(session, options.output);
  Input input = read_input(session, options.input);
  for (const std::string& note : input.report.notes) session.note(note);
  TriMesh* surface = std::get_if<TriMesh>(&input.mesh);
  if (surface == nullptr) {
    throw Error(ErrorCode::unsupported, fmt::format("triangles have a curvature, but '{}' is a {}",
                                                    options.input.file.string(), kind_name(input.mesh)));
  }
  const Reservation room(session.memory(), surface->vertex_count() * 33 + surface->cell_count() * 3 * 8,
                         "the curvature");
  Curvature curvature;
  session.run_on_device(curvature_work(*surface), [&](const Exec& exec) {
    curvature = session.in_phase(Phase::compute, [&] {
      return compute_curvature(*surface, {.exec = exec, .monitor = &session.monitor()});
    });
  });
  const Field gaussian("GaussianCurvature", std::move(curvature.gaussian));
  const Field mean("MeanCurvature", std::move(curvature.mean));
  Json& result = session.result();
  session.print("{}: {}\n", options.input.file.string(), describe_counts(input.mesh));
  for (const Field* field : {&gaussian, &mean}) {
    const FieldRange range = compute_range(*field);
    result[field->name()] = {{"lowest", range.lowest}, {"highest", range.highest}};
    session.print("  {} from {} to {}\n", field->name(), number_text(range.lowest),
                  number_text(range.highest));
    surface->point_data.add(*field);
  }
  surface->point_data.add(Field("IsOnBoundary", std::move(curvature.is_on_boundary)));
  double total = 0;
  for (const double defect : curvature.defect) total += defect;
  result["total"] = total;
  if (!options.output.file.empty()) write_output(session, options.output, input.mesh);
  return 0;
}

}  // namespace

Verb curvature_verb() {
  return define_verb<CurvatureArguments>(
      {"curvature", Group::surfaces, "find the Gaussian and mean curvature of a surface",
       "  tessera curvature surface.vtp -o curved.vtp"},
      declare_curvature, run_curvature);
}

}  // namespace tessera::cli
