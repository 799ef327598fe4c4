// tessera curvature: the Gaussian, mean and principal curvatures of a surface at its vertices.
#include <fmt/format.h>

#include <array>

#include <tessera/surface/curvature.h>

#include "application/text.h"
#include "application/verb.h"
#include "data/fields.h"
#include "data/files.h"
#include "data/triangles.h"

namespace tessera::cli {
namespace {

struct CurvatureArguments {
  InputOptions input;
  OutputOptions output;
};

void declare_curvature(OptionList& app, CurvatureArguments& options) {
  add_input_options(app, options.input);
  add_output_options(app, options.output)
      ->description(
          "the surface with GaussianCurvature, MeanCurvature, MinimumCurvature, MaximumCurvature and "
          "IsOnBoundary to write");
}

int run_curvature(Session& session, const CurvatureArguments& options) {
  check_output(session, options.output);
  Input input = read_input(session, options.input);
  TriMesh& surface = triangles_of(session, input, options.input.file, "triangles have a curvature");
  const Reservation room(session.memory(), surface.vertex_count() * 49 + surface.cell_count() * 3 * 8,
                         "the curvature");
  Curvature curvature;
  session.run_on_device(curvature_work(surface), [&](const Exec& exec) {
    curvature = session.in_phase(Phase::compute, [&] {
      return compute_curvature(surface, {.exec = exec, .monitor = &session.monitor()});
    });
  });
  std::array fields = {Field("GaussianCurvature", std::move(curvature.gaussian)),
                       Field("MeanCurvature", std::move(curvature.mean)),
                       Field("MinimumCurvature", std::move(curvature.minimum)),
                       Field("MaximumCurvature", std::move(curvature.maximum))};
  Json& result = session.result();
  session.print("{}: {}\n", options.input.file.string(), describe_counts(input.mesh));
  for (Field& field : fields) {
    const FieldRange range = compute_range(field);
    result[field.name()] = {{"lowest", range.lowest}, {"highest", range.highest}};
    session.print("  {} from {} to {}\n", field.name(), number_text(range.lowest),
                  number_text(range.highest));
    add_result(session, surface.point_data, std::move(field));
  }
  add_result(session, surface.point_data, Field("IsOnBoundary", std::move(curvature.is_on_boundary)));
  double total = 0;
  for (const double defect : curvature.defect) total += defect;
  result["total"] = total;
  if (!options.output.file.empty()) write_output(session, options.output, input.mesh);
  return 0;
}

}  // namespace

Verb curvature_verb() {
  return define_verb<CurvatureArguments>(
      {"curvature", Group::surfaces, "find the Gaussian, mean and principal curvatures of a surface",
       "  tessera curvature surface.vtp -o curved.vtp"},
      declare_curvature, run_curvature, {.mesh = 4, .grid = 4});
}

}  // namespace tessera::cli
