// tessera tetrahedralize: grids, hexahedra, wedges and pyramids as tetrahedra.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include <tessera/generate/tetrahedralize.h>

#include "application/text.h"
#include "application/verb.h"
#include "data/files.h"

namespace tessera::cli {
namespace {

struct TetrahedralizeArguments {
  InputOptions input = {.file = {}, .simplices = false};
  OutputOptions output;
  TetMethod method = TetMethod::six;
  bool provenance = false;
};

const std::map<std::string, TetMethod> method_names = {
    {"five", TetMethod::five}, {"six", TetMethod::six}, {"face-centred", TetMethod::face_centred}};

void declare_tetrahedralize(OptionList& app, TetrahedralizeArguments& options) {
  add_input_options(app, options.input);
  app.add_option(
         "--method", options.method,
         "five or six tetrahedra a hexahedron, or 24 around points in its middle and in its faces (six)")
      ->transform(method_names);
  const Option output = add_output_options(app, options.output)->description("the tetrahedra to write");
  app.add_flag("--provenance", options.provenance, "add InputCell: the cell each tetrahedron came from")
      ->needs(output);
}

/// The cells to cut: those of the file or, if it holds tetrahedra alone, these.
CellMesh take_solids(AnyMesh& mesh, CellMesh cells) {
  auto* const tets = std::get_if<TetMesh>(&mesh);
  if (tets == nullptr || cells.cell_count() > 0) return cells;
  for (const TetMesh::Cell& cell : tets->cells) cells.cells.add(cell);
  cells.types.assign(tets->cell_count(), CellType::tetrahedron);
  cells.points = std::move(tets->points);
  cells.point_data = std::move(tets->point_data);
  cells.cell_data = std::move(tets->cell_data);
  cells.field_data = std::move(tets->field_data);
  *tets = {};
  return cells;
}

int run_tetrahedralize(Session& session, const TetrahedralizeArguments& options) {
  check_output(session, options.output);
  CellMesh read_cells;
  Input input = read_input(session, options.input, &read_cells);
  for (const std::string& note : input.report.notes) session.note(note);
  const CellMesh solids = take_solids(input.mesh, std::move(read_cells));
  const Grid* grid = std::get_if<Grid>(&input.mesh);
  const auto solid_count = static_cast<std::size_t>(
      std::ranges::count_if(solids.types, [](CellType type) { return dimension_of(type) == 3; }));
  if (grid == nullptr && solid_count == 0) {
    throw Error(
        ErrorCode::unsupported,
        fmt::format("'{}' holds no grid, hexahedra, wedges or pyramids to cut", options.input.file.string()));
  }
  if (solid_count < solids.cell_count()) {
    session.note(fmt::format("Left out {} of a lower dimension.",
                             counted(solids.cell_count() - solid_count, "cell", "cells")));
  }
  const Bytes bytes = grid != nullptr ? tetrahedralization_bytes(*grid, options.method)
                                      : tetrahedralization_bytes(solids, options.method);
  // Data of points is copied, that of cells repeated for their parts.
  const Bytes parts = options.method == TetMethod::face_centred ? 24 : 6;
  const Bytes data = grid != nullptr ? grid->point_data.bytes() + parts * grid->cell_data.bytes()
                                     : solids.point_data.bytes() + parts * solids.cell_data.bytes();
  const Reservation room(session.memory(), mib(6) + bytes + bytes / 8 + data, "the tetrahedra");
  Tetrahedralization result;
  const auto run = [&](const Exec& exec) {
    const TetrahedralizeOptions how{.method = options.method,
                                    .keep_provenance = options.provenance,
                                    .exec = exec,
                                    .monitor = &session.monitor()};
    result = session.in_phase(Phase::compute, [&] {
      return grid != nullptr ? tetrahedralize(*grid, how) : tetrahedralize(solids, how);
    });
  };
  session.run_on_device(grid != nullptr ? tetrahedralization_work(*grid, options.method)
                                        : tetrahedralization_work(solids, options.method),
                        run);
  const std::size_t cells = grid != nullptr ? grid->cell_count() : solid_count;
  if (options.provenance) {
    result.mesh.cell_data.add(
        Field("InputCell", Array<std::int64_t>(result.cells.begin(), result.cells.end())));
  }
  const AnyMesh mesh = std::move(result.mesh);
  session.print("{}: {} cut into {}\n", options.input.file.string(), counted(cells, "cell", "cells"),
                describe_counts(mesh));
  session.result()["input_cells"] = cells;
  session.result()["points"] = vertex_count(mesh);
  session.result()["tetrahedra"] = cell_count(mesh);
  if (!options.output.file.empty()) write_output(session, options.output, mesh);
  return 0;
}

}  // namespace

Verb tetrahedralize_verb() {
  return define_verb<TetrahedralizeArguments>(
      {"tetrahedralize", Group::generate, "cut a grid, hexahedra, wedges or pyramids into tetrahedra",
       "  tessera tetrahedralize lattice64.vti --method five -o tets.vtu\n"
       "  tessera tetrahedralize hexahedra.vtu --method face-centred -o tets.vtu"},
      declare_tetrahedralize, run_tetrahedralize, {.mesh = 4, .grid = 100});
}

}  // namespace tessera::cli
