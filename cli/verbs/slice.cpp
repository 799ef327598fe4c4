// tessera slice: where a plane meets a mesh.
#include <fmt/format.h>

#include <utility>

#include <tessera/generate/slice.h>
#include <tessera/mesh/triangulate.h>

#include "application/text.h"
#include "application/verb.h"
#include "data/extent.h"
#include "data/files.h"
#include "data/parts.h"

namespace tessera::cli {
namespace {

struct SliceArguments {
  InputOptions input;
  OutputOptions output;
  PlaneOptions plane;
  bool provenance = false;
};

void declare_slice(OptionList& app, SliceArguments& options) {
  add_input_options(app, options.input);
  add_plane_options(app, options.plane);
  app.add_flag("--provenance", options.provenance,
               "add InputEdge, InputWeight and InputCell: where each point and cell came from");
  add_output_options(app, options.output)
      ->description("the surface to write; lines of a surface go to vtp or vtk");
}

void report(Session& session, const SliceArguments& options, const Plane& plane, std::size_t points,
            std::size_t cells, bool is_surface) {
  session.print("{}: {}: {}, {}\n", options.input.file.string(), describe(plane),
                counted(points, "point", "points"),
                is_surface ? counted(cells, "triangle", "triangles") : counted(cells, "line", "lines"));
  if (cells == 0) session.note("the slice is empty: the plane does not meet the mesh");
  Json& result = session.result();
  result["plane"] = plane_json(plane);
  result["points"] = points;
  result[is_surface ? "triangles" : "lines"] = cells;
}

int slice_surface(Session& session, const SliceArguments& options, const TriMesh& mesh, const Plane& plane) {
  ContourLines cut = session.in_phase(Phase::compute, [&] {
    return slice(
        mesh, plane,
        {.keep_provenance = options.provenance, .exec = session.host(), .monitor = &session.monitor()});
  });
  PolyData& lines = cut.lines;
  if (options.provenance) add_provenance(lines.point_data, lines.cell_data, cut.provenance);
  const Reservation room = Reservation::of_held(session.memory(), lines.bytes(), "the lines");
  report(session, options, plane, lines.vertex_count(), lines.cell_count(), false);
  if (!options.output.file.empty())
    session.result()["output"] = write_poly_output(session, options.output, lines);
  return 0;
}

template <class Mesh>
int slice_volume(Session& session, const SliceArguments& options, const Mesh& mesh, const Plane& plane) {
  Isosurface cut = session.in_phase(Phase::compute, [&] {
    return slice(
        mesh, plane,
        {.keep_provenance = options.provenance, .exec = session.host(), .monitor = &session.monitor()});
  });
  TriMesh& surface = cut.mesh;
  if (options.provenance) add_provenance(surface.point_data, surface.cell_data, cut.provenance);
  const Reservation room = Reservation::of_held(session.memory(), surface.bytes(), "the slice");
  report(session, options, plane, surface.vertex_count(), surface.cell_count(), true);
  if (!options.output.file.empty()) write_output(session, options.output, std::move(surface));
  return 0;
}

int run_slice(Session& session, const SliceArguments& options) {
  (void)plane_of(options.plane, nullptr);
  check_output(session, options.output);
  Input input = read_input(session, options.input);
  for (const std::string& note : input.report.notes) session.note(note);
  const Plane plane = plane_of(options.plane, &input.mesh);
  const Grid* const grid = std::get_if<Grid>(&input.mesh);
  if (grid != nullptr && dimension(*grid) < 3) replace_grid(session, input);
  note_unplaced_cells(session, input.mesh);
  const Reservation distances(session.memory(),
                              std::visit([](const auto& mesh) { return slice_bytes(mesh); }, input.mesh),
                              "the distances from the plane");
  if (const auto* triangles = std::get_if<TriMesh>(&input.mesh)) {
    if (!options.output.file.empty()) expect_poly_extension(options.output);
    return slice_surface(session, options, *triangles, plane);
  }
  if (const auto* tets = std::get_if<TetMesh>(&input.mesh))
    return slice_volume(session, options, *tets, plane);
  return slice_volume(session, options, std::get<Grid>(input.mesh), plane);
}

}  // namespace

Verb slice_verb() {
  return define_verb<SliceArguments>(
      {"slice", Group::generate, "cut a mesh with a plane: volumes into a surface, surfaces into lines",
       "  tessera slice kuhn64.vtu --axis z --position 0.3 -o slice.vtp\n"
       "  tessera slice surface.vtp --normal 1,1,0 --origin 0.5,0.5,0 -o lines.vtp"},
      declare_slice, run_slice);
}

}  // namespace tessera::cli
