// tessera smooth: moves the points of a surface, so that it becomes smoother.
#include <fmt/format.h>

#include <map>
#include <optional>

#include <tessera/surface/flow.h>
#include <tessera/surface/smooth.h>

#include "application/text.h"
#include "application/verb.h"
#include "data/files.h"
#include "data/triangles.h"

namespace tessera::cli {
namespace {

enum class Method : std::uint8_t { laplacian, taubin, flow };

struct SmoothArguments {
  InputOptions input;
  OutputOptions output;
  Method method = Method::laplacian;
  std::string weights;
  std::optional<std::uint32_t> iterations;
  std::optional<double> step;
  std::optional<double> tolerance;
  bool fix_boundary = false;
};

const std::map<std::string, Method> method_names = {
    {"laplacian", Method::laplacian}, {"taubin", Method::taubin}, {"flow", Method::flow}};

void declare_smooth(OptionList& app, SmoothArguments& options) {
  add_input_options(app, options.input);
  app.add_option(
         "--method", options.method,
         "towards the mean of the neighbours, likewise with steps back that keep the volume, or implicit "
         "mean-curvature flow (laplacian)")
      ->transform(method_names);
  app.add_option("--weights", options.weights, "of the neighbours (uniform; flow has cotangents)")
      ->is_member({"uniform", "cotangent"});
  app.add_option("--iterations", options.iterations, "how many steps (10; of flow 1)")->type_name("N");
  app.add_option("--step", options.step,
                 "how far to the mean, up to 1 (0.5); of flow the time, an area (the squared mean edge)")
      ->type_name("X");
  app.add_option("--tolerance", options.tolerance, "of flow: what is left of the residual (1e-8)")
      ->type_name("X");
  app.add_flag("--fix-boundary", options.fix_boundary, "leave points at the boundary where they are");
  add_output_options(app, options.output)->description("the smoother surface to write");
}

void check(const SmoothArguments& options) {
  const bool is_flow = options.method == Method::flow;
  if (is_flow && options.weights == "uniform")
    throw Error(ErrorCode::bad_option, "--method flow has cotangents as weights, not --weights uniform");
  if (options.step && (!(*options.step > 0) || (!is_flow && *options.step > 1))) {
    throw Error(ErrorCode::bad_option, fmt::format("--step must be above 0{}, not {}",
                                                   is_flow ? "" : " and at most 1", *options.step));
  }
  if (options.iterations.value_or(1) > 1'000'000)
    throw Error(ErrorCode::bad_option, "--iterations must be at most 1000000");
  if (options.tolerance && !is_flow)
    throw Error(ErrorCode::bad_option, "--tolerance is for --method flow; leave it out");
  if (options.tolerance && !(*options.tolerance > 0 && *options.tolerance < 1)) {
    throw Error(ErrorCode::bad_option,
                fmt::format("--tolerance must be between 0 and 1, not {}", *options.tolerance));
  }
}

SmoothOptions smooth_options(const SmoothArguments& options, const Monitor& monitor) {
  const double step = options.step.value_or(0.5);
  // Taubin's pass band is up to 0.1: 1 / step + 1 / back_step = 0.1.
  return {.weights = options.weights == "cotangent" ? SmoothWeights::cotangent : SmoothWeights::uniform,
          .iterations = static_cast<int>(options.iterations.value_or(10)),
          .step = step,
          .back_step = options.method == Method::taubin ? 1 / (0.1 - 1 / step) : 0,
          .fix_boundary = options.fix_boundary,
          .monitor = &monitor};
}

FlowOptions flow_options(const SmoothArguments& options, const Monitor& monitor) {
  FlowOptions how;
  how.time = options.step.value_or(how.time);
  how.steps = static_cast<int>(options.iterations.value_or(1));
  how.tolerance = options.tolerance.value_or(how.tolerance);
  how.fix_boundary = options.fix_boundary;
  how.monitor = &monitor;
  return how;
}

void say_flow(Session& session, const FlowReport& report) {
  session.result()["flow"] = {{"time", report.time},
                              {"iterations", report.iterations},
                              {"residual", report.residual},
                              {"converged", report.is_converged}};
  session.print("  {} of conjugate gradients, residual {}\n",
                counted(report.iterations, "iteration", "iterations"), number_text(report.residual));
  if (!report.is_converged) session.note("The flow was not solved to --tolerance.");
}

int run_smooth(Session& session, const SmoothArguments& options) {
  check(options);
  check_output(session, options.output);
  Input input = read_input(session, options.input);
  TriMesh& surface = triangles_of(session, input, options.input.file, "triangles can be smoothed");
  const SmoothOptions steps = smooth_options(options, session.monitor());
  const FlowOptions flows = flow_options(options, session.monitor());
  const bool is_flow = options.method == Method::flow;
  const Work work = is_flow ? flow_work(surface, flows.steps) : smooth_work(surface, steps.iterations);
  std::optional<FlowReport> report;
  Points points = move_points(session, work, surface, [&](VertexAttribute<Vec3d>& at) {
    if (is_flow) {
      report = flow(at, flows);
    } else {
      smooth(at, steps);
    }
  });
  session.print("{}: {}\n", options.input.file.string(), describe_counts(input.mesh));
  if (report) say_flow(session, *report);
  move_surface(session, surface, std::move(points));
  if (!options.output.file.empty()) write_output(session, options.output, input.mesh);
  return 0;
}

}  // namespace

Verb smooth_verb() {
  return define_verb<SmoothArguments>(
      {"smooth", Group::surfaces, "smooth a surface",
       "  tessera smooth scan.ply --method taubin --iterations 20 -o smooth.ply\n"
       "  tessera smooth scan.ply --method flow -o flowed.ply"},
      declare_smooth, run_smooth, {.mesh = 9, .grid = 3});
}

}  // namespace tessera::cli
