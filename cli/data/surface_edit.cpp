#include "data/surface_edit.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include <tessera/core/error.h>
#include <tessera/exec/detail/stoppable.h>
#include <tessera/surface/detail/sound_surface.h>

#include "application/text.h"
#include "data/mesh_quality.h"
#include "data/quality_plot.h"
#include "data/triangles.h"

namespace tessera::cli {
namespace {

DynamicSurface make_surface(Session& session, TriMesh& mesh, const Exec& exec) {
  const DynamicOptions how = {.exec = detail::stoppable(exec, &session.monitor()),
                              .monitor = &session.monitor()};
  try {
    return DynamicSurface(mesh, how);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_mesh || !drop_unsound(session, mesh)) throw;
  }
  return DynamicSurface(mesh, how);
}

void note_normals(Session& session, const TriMesh& mesh) {
  if (mesh.point_data.has("Normals") || mesh.cell_data.has("Normals"))
    session.note("The field \"Normals\" is that of the surface before it was edited.");
}

}  // namespace

bool drop_unsound(Session& session, TriMesh& mesh) {
  std::optional<detail::SoundTriangles> sound =
      detail::find_sound_triangles(mesh, session.host(), &session.monitor());
  if (!sound) return false;
  const std::size_t dropped = mesh.cell_count() - sound->mesh.cell_count();
  const std::size_t again = dropped - sound->degenerate;
  if (again > 0)
    session.note(fmt::format("{} that {} there again {} dropped", counted(again, "triangle", "triangles"),
                             again == 1 ? "is" : "are", again == 1 ? "is" : "are"));
  if (sound->degenerate > 0)
    session.note(fmt::format("{} a point twice and {} dropped",
                             counted(sound->degenerate, "triangle names", "triangles name"),
                             sound->degenerate == 1 ? "is" : "are"));
  Array<std::uint32_t> order(sound->to_input.size());
  for (std::size_t t = 0; t < order.size(); ++t) order[t] = sound->to_input[t].index();
  mesh.cells = std::move(sound->mesh.cells);
  sound.reset();
  for (Field& field : mesh.cell_data) field = field.gather(order);
  session.result()["dropped"] = dropped;
  return true;
}

void write_histogram(Session& session, const std::filesystem::path& file, const std::string& svg) {
  session.in_phase(Phase::write, [&] { write_file(file, svg); });
  session.result()["histogram"] = {{"file", file.string()}, {"bytes", svg.size()}};
  session.print("wrote {}: {}\n", file.string(), format_bytes(svg.size()));
}

void add_edit_options(OptionList& app, EditArguments& options) {
  add_input_options(app, options.input);
  app.add_option("--feature-angle", options.feature_angle,
                 fmt::format("edges where the surface bends by more stay, in degrees from flat ({})",
                             options.feature_angle))
      ->in_range(0, 180)
      ->type_name("DEGREES");
  app.add_option("--seed", options.seed, "of what decides which of two equal neighbours is edited first (0)")
      ->type_name("N");
  app.add_option("--histogram", options.histogram, "a picture of the quality before and after, .svg")
      ->type_name("FILE");
}

int edit_surface(Session& session, const EditArguments& options, const SurfaceEdit& verb) {
  check_output(session, options.output);
  if (!options.histogram.empty()) check_sole_format(session, options.histogram, "svg");
  Input input = read_input(session, options.input);
  TriMesh& mesh = triangles_of(session, input, options.input.file, verb.what);
  session.result()["dropped"] = 0;
  MeshQuality before;
  MeshQuality after;
  EditSummary summary;
  session.run_on_device(verb.work(mesh), [&](const Exec& exec) {
    session.in_phase(Phase::compute, [&] {
      TriMesh edited;
      {
        const DynamicSurface surface = make_surface(session, mesh, exec);
        before = measure_quality(mesh, session.host());
        summary = verb.edit(surface);
        edited = surface.to_mesh();
      }
      mesh = std::move(edited);
      after = measure_quality(mesh, session.host());
    });
  });
  input.reservation = Reservation();
  input.reservation = Reservation::of_held(session.memory(), mesh.bytes(), "the edited surface");
  session.print("{}: {}\n{}", options.input.file.string(), summary.sentence, quality_table(before, after));
  for (const std::string& note : summary.notes) session.note(note);
  note_normals(session, mesh);
  Json& result = session.result();
  result.update(summary.facts);
  result["points"] = mesh.vertex_count();
  result["triangles"] = mesh.cell_count();
  result["quality"] = describe_quality(before, after);
  if (!options.histogram.empty()) {
    write_histogram(session, options.histogram,
                    make_quality_svg(options.input.file.filename().string(), before, after));
  }
  if (!options.output.file.empty()) write_output(session, options.output, input.mesh);
  return 0;
}

}  // namespace tessera::cli
