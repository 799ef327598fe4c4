// tessera dual: a point for each polygon of a surface, a polygon for each of its vertices.
#include <fmt/format.h>

#include <tessera/surface/dual.h>

#include "application/text.h"
#include "application/verb.h"
#include "data/files.h"

namespace tessera::cli {
namespace {

struct DualArguments {
  InputOptions input = {.file = {}, .simplices = false};
  OutputOptions output;
};

void declare_dual(OptionList& app, DualArguments& options) {
  add_input_options(app, options.input);
  add_output_options(app, options.output)->description("the dual to write, .vtp or .vtk");
}

/// Of polygons, which only the host makes.
PolyData make_polygon_dual(Session& session, const CellMesh& cells) {
  const std::string lower = list_types(cells.types, 0, 1);
  if (!lower.empty())
    session.note(fmt::format("Left out, being of a lower dimension than the mesh: {}.", lower));
  const Reservation room(session.memory(), cells.cells.corners.size() * 52 + cells.cell_count() * 32,
                         "the dual");
  return session.in_phase(Phase::compute, [&] {
    return make_dual(cells, {.exec = session.host(), .monitor = &session.monitor()});
  });
}

PolyData make_triangle_dual(Session& session, const TriMesh& surface) {
  const Reservation room(session.memory(), surface.cell_count() * (sizeof(Vec3d) + 3 * 12), "the dual");
  PolyData dual;
  session.run_on_device(dual_work(surface), [&](const Exec& exec) {
    dual = session.in_phase(
        Phase::compute, [&] { return make_dual(surface, {.exec = exec, .monitor = &session.monitor()}); });
  });
  return dual;
}

int run_dual(Session& session, const DualArguments& options) {
  check_poly_output(session, options.output);
  CellMesh cells;
  const Input input = read_input(session, options.input, &cells);
  for (const std::string& note : input.report.notes) session.note(note);
  const TriMesh* surface = std::get_if<TriMesh>(&input.mesh);
  const bool is_kept = cells.cell_count() > 0;
  if (is_kept ? cells.dimension() != 2 : surface == nullptr) {
    throw Error(ErrorCode::unsupported,
                fmt::format("the dual of triangles and polygons can be made, but '{}' is a {}",
                            options.input.file.string(), is_kept ? kind_name(cells) : kind_name(input.mesh)));
  }
  const PolyData dual = is_kept ? make_polygon_dual(session, cells) : make_triangle_dual(session, *surface);
  const std::string_view face = is_kept ? "polygon" : "triangle";
  session.print(
      "{}: {}: {}, {}, {}\n", options.input.file.string(), counted(dual.vertex_count(), "point", "points"),
      counted(dual.polygons.size(), "polygon", "polygons"),
      counted(dual.lines.size(), "line", "lines") + " at the boundary",
      counted(dual.vertices.size(), fmt::format("single {}", face), fmt::format("single {}s", face)));
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
      declare_dual, run_dual, {.mesh = 6, .grid = 6});
}

}  // namespace tessera::cli
