// tessera isosurface: where a scalar field has given values, as a connected surface.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>
#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

#include <tessera/distribute/isosurface.h>
#include <tessera/generate/contour_lines.h>
#include <tessera/generate/isosurface.h>
#include <tessera/generate/slice.h>
#include <tessera/mesh/triangulate.h>

#include "application/text.h"
#include "application/verb.h"
#include "data/extent.h"
#include "data/fields.h"
#include "data/files.h"
#include "data/parts.h"
#include "data/slabs.h"

namespace tessera::cli {
namespace {

struct SurfaceOptions {
  InputOptions input;
  OutputOptions output;
  std::vector<double> values;
  std::string field;
  SurfaceNormals normals = SurfaceNormals::none;
  bool merge_exact = false;
  bool provenance = false;
};

const std::map<std::string, SurfaceNormals> normal_names = {{"none", SurfaceNormals::none},
                                                            {"averaged", SurfaceNormals::averaged},
                                                            {"gradient", SurfaceNormals::gradient}};

void declare_isosurface(OptionList& app, SurfaceOptions& options) {
  add_input_options(app, options.input);
  app.add_option("--value", options.values, "the isovalue, or several between commas")
      ->required()
      ->delimiter(',')
      ->type_name("X[,Y...]");
  app.add_option("--field", options.field,
                 "the scalar field, such as f, v:x, v:magnitude or :z; needed if there are several")
      ->type_name("NAME");
  app.add_flag("--merge-exact", options.merge_exact,
               "join vertices that lie exactly on an input point and drop triangles that collapse");
  const Option output = add_output_options(app, options.output)->description("the surface to write");
  app.add_option("--normals", options.normals,
                 "add normals: averaged of the triangles, or from the field's gradient")
      ->transform(normal_names)
      ->needs(output);
  app.add_flag("--provenance", options.provenance,
               "add InputEdge, InputWeight and InputCell: where each vertex and triangle came from")
      ->needs(output);
}

void check_values(const std::vector<double>& values) {
  for (const double value : values) {
    if (!std::isfinite(value)) {
      throw Error(ErrorCode::bad_option,
                  fmt::format("--value {} is no isovalue; write a finite number", value));
    }
  }
}

Work estimate(const AnyMesh& mesh) {
  if (const Grid* const grid = std::get_if<Grid>(&mesh)) return isosurface_work(*grid);
  if (const TetMesh* const tets = std::get_if<TetMesh>(&mesh)) return isosurface_work(*tets);
  return {};
}

Isosurface compute_surface(Session& session, const SurfaceOptions& options, const AnyMesh& mesh,
                           const Field& field) {
  Isosurface surface;
  session.run_on_device(estimate(mesh), [&](const Exec& exec) {
    const IsosurfaceOptions how{.normals = options.normals,
                                .merge_exact = options.merge_exact,
                                .keep_provenance = options.provenance,
                                .exec = exec,
                                .monitor = &session.monitor()};
    surface = session.in_phase(Phase::compute, [&] {
      if (const Grid* grid = std::get_if<Grid>(&mesh)) return isosurface(*grid, field, options.values, how);
      return isosurface(std::get<TetMesh>(mesh), field, options.values, how);
    });
  });
  return surface;
}

bool is_flat(const AnyMesh& mesh) {
  const Grid* grid = std::get_if<Grid>(&mesh);
  return grid != nullptr && dimension(*grid) == 2;
}

void note_empty(Session& session, const char* what, const Field& field) {
  const FieldRange range = compute_range(field);
  session.note(fmt::format("{}: '{}' goes from {} to {}", what, field.name(), number_text(range.lowest),
                           number_text(range.highest)));
}

/// What is at work while lines are found. How many there are is known when they are made.
Bytes contour_bytes(const TriMesh& mesh) {
  return mib(4) + slice_bytes(mesh);
}
Bytes contour_bytes(const Grid&) {
  return mib(4);
}

/// What a flat grid and triangles have instead of a surface.
template <class Mesh>
int run_contour_lines(Session& session, const SurfaceOptions& options, const Mesh& mesh, const Field& field) {
  if (options.normals != SurfaceNormals::none || options.merge_exact) {
    throw Error(ErrorCode::bad_option,
                fmt::format("{} contour lines instead of a surface; leave out --normals and --merge-exact",
                            std::is_same_v<Mesh, Grid> ? "a flat grid has" : "triangles have"));
  }
  if (!options.output.file.empty()) expect_poly_extension(options.output);
  const Reservation room_to_work = session.reserve({.host_bytes = contour_bytes(mesh)});
  ContourLines contours = session.in_phase(Phase::compute, [&] {
    return contour_lines(
        mesh, field, options.values,
        {.keep_provenance = options.provenance, .exec = session.host(), .monitor = &session.monitor()});
  });
  if (options.provenance)
    add_provenance(contours.lines.point_data, contours.lines.cell_data, contours.provenance);
  contours.provenance = {};
  const Reservation room = Reservation::of_held(session.memory(), contours.lines.bytes(), "the lines");
  session.print("{}: field '{}' at {}: {}, {}\n", options.input.file.string(), field.name(),
                fmt::join(options.values, ", "), counted(contours.lines.vertex_count(), "point", "points"),
                counted(contours.lines.cell_count(), "line", "lines"));
  if (contours.lines.cell_count() == 0) note_empty(session, "there are no contour lines", field);
  Json& result = session.result();
  result["field"] = field.name();
  result["values"] = options.values;
  result["points"] = contours.lines.vertex_count();
  result["lines"] = contours.lines.cell_count();
  if (!options.output.file.empty())
    result["output"] = write_poly_output(session, options.output, contours.lines);
  return 0;
}

/// Prints and writes a surface.
void finish_surface(Session& session, const SurfaceOptions& options, const std::string& field,
                    Isosurface surface) {
  if (options.provenance) add_provenance(surface.mesh.point_data, surface.mesh.cell_data, surface.provenance);
  surface.provenance = {};
  const Reservation room = Reservation::of_held(session.memory(), surface.mesh.bytes(), "the surface");
  session.print("{}: field '{}' at {}: {}, {}\n", options.input.file.string(), field,
                fmt::join(options.values, ", "), counted(surface.mesh.vertex_count(), "point", "points"),
                counted(surface.mesh.cell_count(), "triangle", "triangles"));
  Json& result = session.result();
  result["field"] = field;
  result["values"] = options.values;
  result["points"] = surface.mesh.vertex_count();
  result["triangles"] = surface.mesh.cell_count();
  if (!options.output.file.empty()) write_output(session, options.output, std::move(surface.mesh));
}

/// What writing takes for each triangle and vertex: cells, and ids that are added.
Bytes writing_bytes(const SurfaceOptions& options, const SurfaceSize& size) {
  if (options.output.file.empty()) return 0;
  return mib(6) + (options.provenance ? 16 : 0) * size.vertices +
         (4 + (options.provenance ? 8 : 0)) * size.triangles;
}

int run_in_slabs(Session& session, const SurfaceOptions& options, SlabInput& input) {
  const IsosurfaceOptions how{.normals = options.normals,
                              .merge_exact = options.merge_exact,
                              .keep_provenance = options.provenance,
                              .exec = session.host(),
                              .monitor = &session.monitor()};
  const SlabCost cost = isosurface_slab_cost(input.file, input.stored(), options.values.size());
  const auto expect = [&](const SurfaceSize& size) {
    note_valueless_cells(session, size.valueless_cells, input.field);
    SlabCost with_surface = cost;
    with_surface.fixed += size.bytes + writing_bytes(options, size);
    return input.make_room(session, with_surface);
  };
  Isosurface surface = session.in_phase(Phase::compute, [&] {
    return isosurface(input.file, input.field, options.values, {how, input.height, expect});
  });
  input.room = {};
  if (surface.mesh.cells.empty())
    session.note(fmt::format("the surface is empty: '{}' does not reach that value", input.field));
  finish_surface(session, options, input.field, std::move(surface));
  return 0;
}

std::optional<SlabInput> find_slabs(Session& session, const SurfaceOptions& options) {
  return find_slab_input(session, {.input = options.input,
                                   .field = options.field,
                                   .obstacle = "",
                                   .bytes_in_memory =
                                       [&](const Grid& grid, const Field&) {
                                         // Bits of each isovalue, and its surface in noise.
                                         constexpr Bytes rough_surface_bytes = 100;
                                         const Bytes points = grid.vertex_count();
                                         const Bytes of_value = points / 8 + rough_surface_bytes * points;
                                         return mib(1) + of_value * options.values.size();
                                       },
                                   .cost =
                                       [&](const GridFile& file, const StoredField& field) {
                                         return isosurface_slab_cost(file, field, options.values.size());
                                       },
                                   .needs_volume = true});
}

int run_isosurface(Session& session, const SurfaceOptions& options) {
  check_output(session, options.output);
  check_values(options.values);
  session.expect_results(options.values.size());
  if (auto slabs = find_slabs(session, options)) return run_in_slabs(session, options, *slabs);
  Input input = read_input(session, options.input);
  for (const std::string& note : input.report.notes) session.note(note);
  const Field& field = session.in_phase(
      Phase::prepare, [&]() -> const Field& { return choose_point_scalar(session, input, options.field); });
  note_valueless_cells(session, input.mesh, field);
  if (const auto* triangles = std::get_if<TriMesh>(&input.mesh))
    return run_contour_lines(session, options, *triangles, field);
  if (is_flat(input.mesh)) return run_contour_lines(session, options, std::get<Grid>(input.mesh), field);
  const Reservation bits(session.memory(), vertex_count(input.mesh) / 8 * options.values.size(),
                         "the crossings");
  Isosurface surface = compute_surface(session, options, input.mesh, field);
  if (surface.mesh.cells.empty()) note_empty(session, "the surface is empty", field);
  finish_surface(session, options, field.name(), std::move(surface));
  return 0;
}

}  // namespace

Verb isosurface_verb() {
  return define_verb<SurfaceOptions>(
      {"isosurface", Group::generate, "cut a scalar field at given values into a connected surface",
       "  tessera isosurface lattice64.vti --value 0.15,0.3 -o surface.vtp\n"
       "  tessera isosurface scan.raw --dims 256x256x128 --type int16 --value 300 --normals gradient -o "
       "bone.ply"},
      declare_isosurface, run_isosurface, {.mesh = 6, .grid = 40, .has_large_results = true});
}

}  // namespace tessera::cli
