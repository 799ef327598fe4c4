// tessera denoise: takes noise off a surface and leaves its edges.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include <tessera/surface/denoise.h>

#include "application/text.h"
#include "application/verb.h"
#include "data/files.h"
#include "data/triangles.h"

namespace tessera::cli {
namespace {

struct DenoiseArguments {
  InputOptions input;
  OutputOptions output;
  int iterations = 5;
  std::optional<double> sigma_c, sigma_s;
};

void declare_denoise(OptionList& app, DenoiseArguments& options) {
  add_input_options(app, options.input);
  app.add_option("--iterations", options.iterations, "how many times (5)")
      ->in_range(0, 1'000'000)
      ->type_name("N");
  app.add_option("--sigma-c", options.sigma_c,
                 "of distances: points within twice as much count (the median length of the edges)")
      ->type_name("X");
  app.add_option("--sigma-s", options.sigma_s,
                 "of offsets from the tangent plane: about the noise's size keeps edges (their deviation)")
      ->type_name("X");
  add_output_options(app, options.output)->description("the surface without noise to write");
}

/// Squares of them are made.
void check_sigma(const char* name, std::optional<double> value) {
  if (!value || (*value > 1e-150 && *value < 1e150)) return;
  throw Error(ErrorCode::bad_option,
              fmt::format("{} must be between 1e-150 and 1e150, not {}", name, *value));
}

int run_denoise(Session& session, const DenoiseArguments& options) {
  check_sigma("--sigma-c", options.sigma_c);
  check_sigma("--sigma-s", options.sigma_s);
  check_output(session, options.output);
  Input input = read_input(session, options.input);
  TriMesh& surface = triangles_of(session, input, options.input.file, "triangles can be denoised");
  const DenoiseOptions how = {.iterations = options.iterations,
                              .sigma_c = options.sigma_c.value_or(0),
                              .sigma_s = options.sigma_s.value_or(0),
                              .monitor = &session.monitor()};
  double sigma_c = 0;
  Points points = move_points(session, denoise_work(surface, options.iterations), surface,
                              [&](VertexAttribute<Vec3d>& at) { sigma_c = denoise(at, how); });
  session.print("{}: {}, sigma-c {}\n", options.input.file.string(), describe_counts(input.mesh),
                number_text(sigma_c));
  session.result()["sigma_c"] = sigma_c;
  move_surface(session, surface, std::move(points));
  if (!options.output.file.empty()) write_output(session, options.output, input.mesh);
  return 0;
}

}  // namespace

Verb denoise_verb() {
  return define_verb<DenoiseArguments>(
      {"denoise", Group::surfaces, "take noise off a surface and leave its edges",
       "  tessera denoise scan.ply -o clean.ply\n"
       "  tessera denoise part.stl --sigma-s 0.02 --iterations 8 -o clean.stl"},
      declare_denoise, run_denoise, {.mesh = 9, .grid = 3});
}

}  // namespace tessera::cli
