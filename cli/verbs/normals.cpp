// tessera normals: unit vectors that stand on a surface, at its vertices or on its triangles.
#include <fmt/format.h>

#include <map>

#include <tessera/surface/normals.h>

#include "application/text.h"
#include "application/verb.h"
#include "data/files.h"
#include "data/triangles.h"

namespace tessera::cli {
namespace {

struct NormalsArguments {
  InputOptions input;
  OutputOptions output;
  NormalWeights weights = NormalWeights::area;
  bool faces = false;
};

const std::map<std::string, NormalWeights> weight_names = {
    {"area", NormalWeights::area}, {"angle", NormalWeights::angle}, {"uniform", NormalWeights::uniform}};

void declare_normals(OptionList& app, NormalsArguments& options) {
  add_input_options(app, options.input);
  const Option weights =
      app.add_option(
             "--weights", options.weights,
             "how much a triangle counts at a vertex: by its area, by its angle there, or as others (area)")
          ->transform(weight_names);
  app.add_flag("--faces", options.faces, "normals of the triangles instead of the points")->excludes(weights);
  add_output_options(app, options.output)->description("the surface with Normals to write");
}

std::size_t count_zeros(const Field& normals) {
  const auto numbers = normals.as<float>();
  std::size_t zeros = 0;
  for (std::size_t i = 0; i < numbers.size(); i += 3)
    zeros += numbers[i] == 0 && numbers[i + 1] == 0 && numbers[i + 2] == 0 ? 1 : 0;
  return zeros;
}

int run_normals(Session& session, const NormalsArguments& options) {
  check_output(session, options.output);
  Input input = read_input(session, options.input);
  TriMesh& surface = triangles_of(session, input, options.input.file, "triangles have normals");
  const Reservation room(session.memory(),
                         12 * (options.faces ? surface.cell_count() : surface.vertex_count()) +
                             surface.cell_count() * 3 * 8 + surface.vertex_count() * 4,
                         "the normals");
  FieldSet& fields = options.faces ? surface.cell_data : surface.point_data;
  std::size_t zeros = 0;
  session.run_on_device(normals_work(surface), [&](const Exec& exec) {
    const NormalsOptions how = {.weights = options.weights, .exec = exec, .monitor = &session.monitor()};
    Field normals = session.in_phase(Phase::compute, [&] {
      return options.faces ? face_normals(surface, how) : vertex_normals(surface, how);
    });
    zeros = count_zeros(normals);
    add_result(session, fields, std::move(normals));
  });
  session.print("{}: {}\n", options.input.file.string(), describe_counts(input.mesh));
  if (zeros > 0) {
    session.print("  {} without a direction\n", options.faces ? counted(zeros, "triangle", "triangles")
                                                              : counted(zeros, "point", "points"));
  }
  session.result()["zero"] = zeros;
  if (!options.output.file.empty()) write_output(session, options.output, input.mesh);
  return 0;
}

}  // namespace

Verb normals_verb() {
  return define_verb<NormalsArguments>(
      {"normals", Group::surfaces, "find the normals of a surface at its points or of its triangles",
       "  tessera normals surface.vtp --weights angle -o shaded.vtp"},
      declare_normals, run_normals, {.mesh = 4, .grid = 3});
}

}  // namespace tessera::cli
