// tessera dual: a point for each triangle of a surface, a polygon for each of its vertices.
#include <fmt/format.h>

#include <tessera/surface/dual.h>

#include "application/text.h"
#include "application/verb.h"
#include "data/files.h"

namespace tessera::cli {
namespace {

struct DualArguments {
  InputOptions input;
  OutputOptions output;
};

void declare_dual(OptionList& app, DualArguments& options) {
  add_input_options(app, options.input);
  add_output_options(app, options.output)->description("the dual to write, .vtp or .vtk");
}

int run_dual(Session& session, const DualArguments& options) {
  if (!options.output.file.empty()) check_poly_output(session, options.output.file);
  const Input input = read_input(session, options.input);
  for (const std::string& note : input.report.notes) session.note(note);
  const TriMesh* surface = std::get_if<TriMesh>(&input.mesh);
  if (surface == nullptr) {
    throw Error(ErrorCode::unsupported, fmt::format("the dual of triangles can be made, but '{}' is a {}",
                                                    options.input.file.string(), kind_name(input.mesh)));
  }
  const Reservation room(session.memory(), surface->cell_count() * (sizeof(Vec3d) + 3 * 12), "the dual");
  PolyData dual;
  session.run_on_device(dual_work(*surface), [&](const Exec& exec) {
    dual = session.in_phase(
        Phase::compute, [&] { return make_dual(*surface, {.exec = exec, .monitor = &session.monitor()}); });
  });
  session.print("{}: {}: {}, {}, {}\n", options.input.file.string(),
                counted(dual.vertex_count(), "point", "points"),
                counted(dual.polygons.size(), "polygon", "polygons"),
                counted(dual.lines.size(), "line", "lines") + " at the boundary",
                counted(dual.vertices.size(), "single triangle", "single triangles"));
  Json& result = session.result();
  result["points"] = dual.vertex_count();
  result["polygons"] = dual.polygons.size();
  result["lines"] = dual.lines.size();
  result["vertices"] = dual.vertices.size();
  if (!options.output.file.empty()) result["output"] = write_poly_output(session, options.output, dual);
  return 0;
}

}  // namespace

Verb dual_verb() {
  return define_verb<DualArguments>(
      {"dual", Group::surfaces, "make the dual of a surface: polygons around its vertices",
       "  tessera dual surface.vtp -o dual.vtp"},
      declare_dual, run_dual);
}

}  // namespace tessera::cli
