// tessera clip: the part of a mesh on one side of a plane or of a field's value.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include <tessera/generate/clip.h>

#include "application/text.h"
#include "application/verb.h"
#include "data/fields.h"
#include "data/files.h"
#include "data/parts.h"

namespace tessera::cli {
namespace {

struct ClipArguments {
  InputOptions input;
  OutputOptions output;
  PlaneOptions plane;
  std::string field;
  std::optional<double> value;
  bool invert = false;
  bool provenance = false;
};

void declare_clip(OptionList& app, ClipArguments& options) {
  add_input_options(app, options.input);
  add_plane_options(app, options.plane);
  const Option value = app.add_option("--value", options.value,
                                      "instead of a plane, keep what is at or above this value of --field")
                           ->type_name("X");
  app.add_option(
         "--field", options.field,
         "the scalar field for --value, such as f, v:x, v:magnitude or :z; needed if there are several")
      ->type_name("NAME")
      ->needs(value);
  app.add_flag("--invert", options.invert, "keep the other side: behind the plane, or at or below the value");
  const Option output = add_output_options(app, options.output)->description("the part to write");
  app.add_flag("--provenance", options.provenance,
               "add InputEdge, InputWeight and InputCell: where each point and cell came from")
      ->needs(output);
}

void check_options(const ClipArguments& options) {
  if (options.plane.is_given() == options.value.has_value()) {
    throw Error(ErrorCode::bad_option,
                "clip needs a plane (--axis or --normal) or a value (--value with --field), and not both");
  }
  if (!options.value) (void)plane_of(options.plane, nullptr);
}

template <int Dim>
AnyMesh take_part(Session& session, const ClipArguments& options, const SimplexMesh<Dim>& mesh,
                  const Plane& plane, const Field* field) {
  const ClipOptions how{.invert = options.invert,
                        .keep_provenance = options.provenance,
                        .memory = &session.memory(),
                        .exec = session.host(),
                        .monitor = &session.monitor()};
  Clipped<Dim> part = session.in_phase(Phase::compute, [&] {
    return field != nullptr ? clip(mesh, *field, *options.value, how) : clip(mesh, plane, how);
  });
  if (part.unusable > 0) {
    session.note(fmt::format("left out {} with a corner that has no value or place, or with a point twice",
                             counted(part.unusable, "cell", "cells")));
  }
  if (options.provenance) add_provenance(part.mesh.point_data, part.mesh.cell_data, part.provenance);
  return std::move(part.mesh);
}

int run_clip(Session& session, const ClipArguments& options) {
  check_options(options);
  check_output(session, options.output);
  Input input = read_input(session, options.input);
  for (const std::string& note : input.report.notes) session.note(note);
  replace_grid(session, input);
  Json& result = session.result();
  Plane plane;
  const Field* field = nullptr;
  std::string where;
  if (options.value) {
    field =
        session.in_phase(Phase::prepare, [&] { return &choose_point_scalar(session, input, options.field); });
    where = fmt::format("field '{}' {} {}", field->name(), options.invert ? "up to" : "from", *options.value);
    result["field"] = field->name();
    result["value"] = *options.value;
  } else {
    plane = plane_of(options.plane, &input.mesh);
    where = fmt::format("{} {}", options.invert ? "behind" : "before", describe(plane));
    result["plane"] = plane_json(plane);
  }
  const auto* tets = std::get_if<TetMesh>(&input.mesh);
  const AnyMesh part = tets != nullptr
                           ? take_part(session, options, *tets, plane, field)
                           : take_part(session, options, std::get<TriMesh>(input.mesh), plane, field);
  const Bytes bytes = std::visit([](const auto& mesh) { return mesh.bytes(); }, part);
  const Reservation room = Reservation::of_held(session.memory(), bytes, "the part");
  session.print("{}: {}: {} of {}\n", options.input.file.string(), where, describe_counts(part),
                describe_counts(input.mesh));
  note_part(session, input.mesh, part);
  if (!options.output.file.empty()) write_output(session, options.output, part);
  return 0;
}

}  // namespace

Verb clip_verb() {
  return define_verb<ClipArguments>(
      {"clip", Group::generate, "keep one side of a plane or of a field's value, and cut the cells between",
       "  tessera clip kuhn64.vtu --axis x --position 0.4 -o open.vtu\n"
       "  tessera clip kuhn64.vtu --field rough --value 0.5 -o high.vtu"},
      declare_clip, run_clip, {.mesh = 8, .grid = 120, .has_large_results = true});
}

}  // namespace tessera::cli
