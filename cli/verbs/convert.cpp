// tessera convert: a mesh in another format.
#include <fmt/format.h>

#include <algorithm>

#include <tessera/mesh/boundary.h>

#include "application/text.h"
#include "application/verb.h"
#include "data/files.h"

namespace tessera::cli {
namespace {

struct ConvertOptions {
  InputOptions input = {.file = {}, .simplices = false};
  OutputOptions output;
  std::filesystem::path output_argument;
  bool surface = false;
};

OutputOptions resolve_output(const ConvertOptions& options) {
  OutputOptions output = options.output;
  if (!options.output_argument.empty() && !output.file.empty()) {
    throw Error(ErrorCode::bad_option, fmt::format("two outputs were named, '{}' and '{}'; name one",
                                                   options.output_argument.string(), output.file.string()));
  }
  if (output.file.empty()) output.file = options.output_argument;
  if (output.file.empty()) {
    throw Error(ErrorCode::bad_option, "convert needs the file to write; add it after the input or with -o");
  }
  return output;
}

void check_kind(const AnyMesh& mesh, const CellMesh& cells, const OutputOptions& output) {
  const bool has_cells = cells.cell_count() > 0;
  const bool is_solid = has_cells ? cells.dimension() == 3 : std::holds_alternative<TetMesh>(mesh);
  if (!is_solid || !holds_only_surfaces("file." + output.extension())) return;
  throw Error(ErrorCode::unsupported,
              fmt::format("'{}' cannot hold {}; write .vtu or .vtk, or add --surface to write their boundary",
                          output.file.string(), has_cells ? "solids" : "tetrahedra"));
}

AnyMesh take_surface(Session& session, const AnyMesh& mesh) {
  const TetMesh* tets = std::get_if<TetMesh>(&mesh);
  if (tets == nullptr) {
    throw Error(
        ErrorCode::unsupported,
        fmt::format("--surface takes the boundary of a tetrahedral mesh, but this is a {}; leave it out",
                    kind_name(mesh)));
  }
  // The sides of all tetrahedra are sorted.
  const Reservation room(session.memory(), mib(8) + 72 * tets->cell_count(), "the boundary");
  return session.in_phase(Phase::compute, [&] { return compute_boundary(*tets); });
}

void declare_convert(OptionList& app, ConvertOptions& options) {
  add_input_options(app, options.input);
  app.add_option("output_file", options.output_argument, "the file to write, unless -o names it")
      ->type_name("OUT");
  add_output_options(app, options.output);
  app.add_flag("--surface", options.surface,
               "write the boundary triangles of solids, cut into tetrahedra, with their data");
}

int run_convert(Session& session, const ConvertOptions& options) {
  const OutputOptions output = resolve_output(options);
  check_output(session, output);
  CellMesh cells;
  InputOptions how = options.input;
  how.simplices = how.simplices || options.surface || !holds_cells("file." + output.extension());
  Input input = read_input(session, how, &cells);
  for (const std::string& note : input.report.notes) session.note(note);
  if (options.surface) {
    input.mesh = take_surface(session, input.mesh);
  } else {
    check_kind(input.mesh, cells, output);
  }
  session.result()["notes"] = input.report.notes;
  if (cells.cell_count() > 0) {
    write_output(session, output, cells);
  } else {
    write_output(session, output, input.mesh);
  }
  return 0;
}

}  // namespace

Verb convert_verb() {
  return define_verb<ConvertOptions>(
      {"convert", Group::files, "write a mesh in another format, or its boundary surface",
       "  tessera convert kuhn64.vtu kuhn64.vtk --ascii\n"
       "  tessera convert kuhn64.vtu -o boundary.ply --surface"},
      declare_convert, run_convert, {.mesh = 6, .grid = 4});
}

}  // namespace tessera::cli
