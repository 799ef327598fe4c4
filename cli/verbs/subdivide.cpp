// tessera subdivide: four triangles for each one, eight tetrahedra for each one.
#include <fmt/format.h>

#include <map>

#include <tessera/generate/subdivide.h>

#include "application/text.h"
#include "application/verb.h"
#include "data/files.h"

namespace tessera::cli {
namespace {

struct SubdivideArguments {
  InputOptions input;
  OutputOptions output;
  SubdivisionScheme scheme = SubdivisionScheme::linear;
  int levels = 1;
  bool provenance = false;
};

const std::map<std::string, SubdivisionScheme> scheme_names = {{"linear", SubdivisionScheme::linear},
                                                               {"loop", SubdivisionScheme::loop}};

void declare_subdivide(OptionList& app, SubdivideArguments& options) {
  add_input_options(app, options.input);
  app.add_option("--scheme", options.scheme,
                 "linear keeps the shape, loop smooths a surface of triangles (linear)")
      ->transform(scheme_names);
  app.add_option("--levels", options.levels, "how many times (1)")->type_name("N");
  const Option output = add_output_options(app, options.output)->description("the finer mesh to write");
  app.add_flag("--provenance", options.provenance,
               "add InputCell and, for one level, InputEdge: where each cell and point came from")
      ->needs(output);
}

/// Ids as the signed 64 bits that every reader of VTK files has.
template <int Dim>
void add_provenance(Subdivision<Dim>& finer) {
  const std::vector<Provenance>& levels = finer.provenance;
  std::size_t parts = 1;
  for (std::size_t level = 0; level < levels.size(); ++level) parts *= Dim == 2 ? 4 : 8;
  Array<std::int64_t> cells(finer.mesh.cell_count());
  for (std::size_t c = 0; c < cells.size(); ++c) cells[c] = static_cast<std::int64_t>(c / parts);
  finer.mesh.cell_data.add(Field("InputCell", std::move(cells)));
  if (levels.size() != 1) return;
  Array<std::int64_t> edges;
  edges.reserve(2 * levels[0].edges.size());
  for (const auto& edge : levels[0].edges) {
    for (const std::uint64_t end : edge) edges.push_back(static_cast<std::int64_t>(end));
  }
  finer.mesh.point_data.add(Field("InputEdge", std::move(edges), 2));
}

template <int Dim>
void subdivide_and_write(Session& session, const SubdivideArguments& options, const SimplexMesh<Dim>& mesh) {
  const Bytes bytes = subdivided_bytes(mesh, std::max(0, options.levels));
  const Reservation room(session.memory(), mib(6) + bytes + 3 * bytes / 8, "the finer mesh");
  Subdivision<Dim> finer;
  session.run_on_device(subdivision_work(mesh, options.levels), [&](const Exec& exec) {
    finer = session.in_phase(Phase::compute, [&] {
      return subdivide(mesh, {.scheme = options.scheme,
                              .levels = options.levels,
                              .keep_provenance = options.provenance,
                              .exec = exec,
                              .monitor = &session.monitor()});
    });
  });
  if (options.provenance) add_provenance(finer);
  const AnyMesh result = std::move(finer.mesh);
  session.print("{}: {}: {}\n", options.input.file.string(),
                counted(static_cast<std::uint64_t>(options.levels), "level", "levels"),
                describe_counts(result));
  session.result()["levels"] = options.levels;
  session.result()["points"] = vertex_count(result);
  session.result()["cells"] = cell_count(result);
  if (!options.output.file.empty()) write_output(session, options.output, result);
}

int run_subdivide(Session& session, const SubdivideArguments& options) {
  check_output(session, options.output);
  const Input input = read_input(session, options.input);
  for (const std::string& note : input.report.notes) session.note(note);
  if (const auto* triangles = std::get_if<TriMesh>(&input.mesh)) {
    subdivide_and_write(session, options, *triangles);
  } else if (const auto* tets = std::get_if<TetMesh>(&input.mesh)) {
    subdivide_and_write(session, options, *tets);
  } else {
    throw Error(ErrorCode::unsupported,
                fmt::format("'{}' is a grid; subdivide takes triangles or tetrahedra (tetrahedralize makes "
                            "them of a grid)",
                            options.input.file.string()));
  }
  return 0;
}

}  // namespace

Verb subdivide_verb() {
  return define_verb<SubdivideArguments>(
      {"subdivide", Group::generate, "cut every triangle into four or every tetrahedron into eight",
       "  tessera subdivide mesh.ply --scheme loop --levels 2 -o smooth.ply\n"
       "  tessera subdivide kuhn64.vtu -o finer.vtu"},
      declare_subdivide, run_subdivide, {.mesh = 14, .grid = 14});
}

}  // namespace tessera::cli
