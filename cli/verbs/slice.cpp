// tessera slice: where a plane meets a mesh.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <tessera/generate/detail/cut/plane_distances.h>
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
  const Option output = add_output_options(app, options.output)
                            ->description("the surface to write; lines of a surface go to vtp or vtk");
  app.add_flag("--provenance", options.provenance,
               "add InputEdge, InputWeight and InputCell: where each point and cell came from")
      ->needs(output);
}

/// Why a slice has no cells.
std::string describe_miss(const AnyMesh& mesh, const Plane& plane, const Exec& exec) {
  const auto find = [&](const auto& m) -> std::string {
    Array<double> distances;
    std::size_t inside = 0;
    if constexpr (requires { m.points; }) {
      distances = detail::plane_distances(m.points, plane, exec);
      inside = static_cast<std::size_t>(std::ranges::count_if(m.cells, [&](const auto& cell) {
        return std::ranges::all_of(cell, [&](VertexId v) { return distances[v.index()] == 0; });
      }));
    } else {
      distances = detail::plane_distances(m, plane, exec);
    }
    if (inside > 0)
      return fmt::format("{} in the plane, and it cuts no other",
                         inside == 1 ? "1 cell lies" : grouped(inside) + " cells lie");
    return std::ranges::find(distances, 0.0) == distances.end()
               ? "the plane does not meet the mesh"
               : "the plane touches the mesh but cuts no cell";
  };
  return std::visit(find, mesh);
}

void report(Session& session, const SliceArguments& options, const Plane& plane, std::size_t points,
            std::size_t cells, bool is_surface) {
  session.print("{}: {}: {}, {}\n", options.input.file.string(), describe(plane),
                counted(points, "point", "points"),
                is_surface ? counted(cells, "triangle", "triangles") : counted(cells, "line", "lines"));
  Json& result = session.result();
  result["plane"] = plane_json(plane);
  result["points"] = points;
  result[is_surface ? "triangles" : "lines"] = cells;
}

/// Returns the number of cells.
std::size_t slice_surface(Session& session, const SliceArguments& options, const TriMesh& mesh,
                          const Plane& plane) {
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
  return lines.cell_count();
}

template <class Mesh>
std::size_t slice_volume(Session& session, const SliceArguments& options, const Mesh& mesh,
                         const Plane& plane) {
  Isosurface cut = session.in_phase(Phase::compute, [&] {
    return slice(
        mesh, plane,
        {.keep_provenance = options.provenance, .exec = session.host(), .monitor = &session.monitor()});
  });
  TriMesh& surface = cut.mesh;
  if (options.provenance) add_provenance(surface.point_data, surface.cell_data, cut.provenance);
  const Reservation room = Reservation::of_held(session.memory(), surface.bytes(), "the slice");
  report(session, options, plane, surface.vertex_count(), surface.cell_count(), true);
  const std::size_t cells = surface.cell_count();
  if (!options.output.file.empty()) write_output(session, options.output, std::move(surface));
  return cells;
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
  const auto* const triangles = std::get_if<TriMesh>(&input.mesh);
  const auto* const tets = std::get_if<TetMesh>(&input.mesh);
  if (triangles != nullptr && !options.output.file.empty()) expect_poly_extension(options.output);
  const std::size_t cells = triangles != nullptr ? slice_surface(session, options, *triangles, plane)
                            : tets != nullptr
                                ? slice_volume(session, options, *tets, plane)
                                : slice_volume(session, options, std::get<Grid>(input.mesh), plane);
  if (cells == 0) session.note("the slice is empty: " + describe_miss(input.mesh, plane, session.host()));
  return 0;
}

}  // namespace

Verb slice_verb() {
  return define_verb<SliceArguments>(
      {"slice", Group::generate, "cut a mesh with a plane: volumes into a surface, surfaces into lines",
       "  tessera slice kuhn64.vtu --axis z --position 0.3 -o slice.vtp\n"
       "  tessera slice surface.vtp --normal 1,1,0 --origin 0.5,0.5,0 -o lines.vtp"},
      declare_slice, run_slice, {.mesh = 6, .grid = 120, .has_large_results = true});
}

}  // namespace tessera::cli
