// tessera denoise: takes noise off a surface and leaves its edges.
#include <fmt/format.h>

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
  double sigma_c = 0;
  double sigma_s = 0;
};

void declare_denoise(OptionList& app, DenoiseArguments& options) {
  add_input_options(app, options.input);
  app.add_option("--iterations", options.iterations, "how many times (5)")
      ->in_range(0, 1'000'000)
      ->type_name("N");
  app.add_option("--sigma-c", options.sigma_c,
                 "of distances: points within twice as much count (the mean length of the edges)")
      ->type_name("X");
  app.add_option("--sigma-s", options.sigma_s,
                 "of offsets from the tangent plane: about the noise's size keeps edges (their deviation)")
      ->type_name("X");
  add_output_options(app, options.output)->description("the surface without noise to write");
}

void check_sigma(const char* name, double value) {
  if (value >= 0 && value < 1e150) return;  // 0 stands for none
  throw Error(ErrorCode::bad_option, fmt::format("{} must be above 0, not {}", name, value));
}

int run_denoise(Session& session, const DenoiseArguments& options) {
  check_sigma("--sigma-c", options.sigma_c);
  check_sigma("--sigma-s", options.sigma_s);
  if (!options.output.file.empty()) check_output(session, options.output);
  Input input = read_input(session, options.input);
  TriMesh& surface = triangles_of(session, input, options.input.file, "triangles can be denoised");
  Points points;
  session.run_on_device(denoise_work(surface, options.iterations), [&](const Exec& exec) {
    points = session.in_phase(Phase::compute, [&] {
      return denoise(surface, {.iterations = options.iterations,
                               .sigma_c = options.sigma_c,
                               .sigma_s = options.sigma_s,
                               .exec = exec,
                               .monitor = &session.monitor()});
    });
  });
  session.print("{}: {}\n", options.input.file.string(), describe_counts(input.mesh));
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
      declare_denoise, run_denoise);
}

}  // namespace tessera::cli
