// tessera weld: joins points that lie together, for files that come without connectivity.
#include <fmt/format.h>

#include <map>

#include <tessera/generate/weld.h>

#include "application/text.h"
#include "application/verb.h"
#include "data/files.h"

namespace tessera::cli {
namespace {

struct WeldArguments {
  InputOptions input = {
      .file = {}, .weld = false, .welds_later = true};  ///< for the verb to join and to count
  OutputOptions output;
  double tolerance = 0;
  MergedData data = MergedData::average;
};

const std::map<std::string, MergedData> data_names = {{"average", MergedData::average},
                                                      {"first", MergedData::first}};

void declare_weld(OptionList& app, WeldArguments& options) {
  add_input_options(app, options.input);
  app.add_option("--tolerance", options.tolerance,
                 "join points within this distance; 0, the default, joins equal coordinates")
      ->type_name("T");
  const Option output = add_output_options(app, options.output)->description("the welded mesh to write");
  app.add_option("--data", options.data, "point data of joined points (average)")
      ->transform(data_names)
      ->needs(output);
}

template <int Dim>
void weld_and_write(Session& session, const WeldArguments& options, const SimplexMesh<Dim>& soup) {
  const Reservation room(session.memory(),
                         mib(6) + weld_bytes(soup.vertex_count(), soup.cell_count(), Dim, options.tolerance),
                         "the welded mesh");
  Welded<Dim> welded;
  const auto run = [&](const Exec& exec) {
    welded = session.in_phase(Phase::compute, [&] {
      return weld(soup, {.tolerance = options.tolerance,
                         .data = options.data,
                         .exec = exec,
                         .monitor = &session.monitor()});
    });
  };
  if (options.tolerance == 0) {
    session.run_on_device(weld_work(soup), run);
  } else {
    run(session.host());  // one point after another
  }
  const AnyMesh mesh = std::move(welded.mesh);
  session.print("{}: {} joined to {}, {} of {} dropped\n", options.input.file.string(),
                counted(soup.vertex_count(), "point", "points"), grouped(vertex_count(mesh)),
                grouped(welded.dropped.size()),
                counted(soup.cell_count(), Dim == 2 ? "triangle" : "tetrahedron", cell_name(mesh)));
  Json& result = session.result();
  result["tolerance"] = options.tolerance;
  result["points"] = {{"before", soup.vertex_count()}, {"after", vertex_count(mesh)}};
  result["cells"] = {{"before", soup.cell_count()}, {"after", cell_count(mesh)}};
  result["dropped"] = welded.dropped.size();
  if (!options.output.file.empty()) write_output(session, options.output, mesh);
}

int run_weld(Session& session, const WeldArguments& options) {
  check_output(session, options.output);
  const Input input = read_input(session, options.input);
  for (const std::string& note : input.report.notes) session.note(note);
  if (const auto* triangles = std::get_if<TriMesh>(&input.mesh)) {
    weld_and_write(session, options, *triangles);
  } else if (const auto* tets = std::get_if<TetMesh>(&input.mesh)) {
    weld_and_write(session, options, *tets);
  } else {
    throw Error(ErrorCode::unsupported,
                fmt::format("'{}' is a grid, whose cells share their points already; weld takes triangles or "
                            "tetrahedra",
                            options.input.file.string()));
  }
  return 0;
}

}  // namespace

Verb weld_verb() {
  return define_verb<WeldArguments>(
      {"weld", Group::generate, "join points that lie together and drop cells that collapse",
       "  tessera weld soup.stl -o mesh.ply\n"
       "  tessera weld soup.stl --tolerance 1e-5 --data first -o mesh.vtp"},
      declare_weld, run_weld, {.mesh = 6, .grid = 6});
}

}  // namespace tessera::cli
