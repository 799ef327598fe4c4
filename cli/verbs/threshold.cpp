// tessera threshold: the cells whose values lie in a range.
#include <fmt/format.h>

#include <optional>

#include <tessera/generate/extract.h>

#include "application/verb.h"
#include "data/fields.h"
#include "data/files.h"
#include "data/parts.h"

namespace tessera::cli {
namespace {

struct ThresholdArguments {
  InputOptions input;
  OutputOptions output;
  std::string field;
  std::optional<double> min, max;
  bool any = false;
  bool invert = false;
  bool provenance = false;
};

void declare_threshold(OptionList& app, ThresholdArguments& options) {
  add_input_options(app, options.input);
  app.add_option("--field", options.field,
                 "the scalar field of points or cells, such as f, v:x, v:magnitude or :z; needed if there "
                 "are several")
      ->type_name("NAME");
  app.add_option("--min", options.min, "the least value that is kept")->type_name("X");
  app.add_option("--max", options.max, "the greatest value that is kept")->type_name("X");
  app.add_flag("--any", options.any,
               "keep a cell if one of its points is in the range; otherwise all of them have to be");
  app.add_flag("--invert", options.invert, "keep the other cells");
  const Option output = add_output_options(app, options.output)->description("the part to write");
  app.add_flag("--provenance", options.provenance,
               "add InputPoint and InputCell: where each point and cell came from")
      ->needs(output);
}

ValueRange range_of(const ThresholdArguments& options) {
  if (!options.min && !options.max)
    throw Error(ErrorCode::bad_option, "threshold needs a bound; give it --min, --max or both");
  ValueRange range;
  if (options.min) range.low = *options.min;
  if (options.max) range.high = *options.max;
  if (range.low > range.high) {
    throw Error(ErrorCode::bad_option,
                fmt::format("no value is at least {} and at most {}; exchange --min and --max", range.low,
                            range.high));
  }
  return range;
}

template <int Dim>
AnyMesh take_part(Session& session, const ThresholdArguments& options, const SimplexMesh<Dim>& mesh,
                  const FieldChoice& choice) {
  const Reservation flags(session.memory(), mesh.vertex_count() + mesh.cell_count(), "the choice of cells");
  const ValueRange range = range_of(options);
  const Array<std::uint8_t> keeps = session.in_phase(Phase::compute, [&] {
    return select_values(mesh, {*choice.field, choice.association == Association::cells}, {&range, 1},
                         {.any_point = options.any,
                          .invert = options.invert,
                          .exec = session.host(),
                          .monitor = &session.monitor()});
  });
  const std::size_t kept = count_kept(keeps);
  const Reservation room(
      session.memory(),
      mib(6) + extracted_bytes(mesh, kept) + (options.provenance ? id_bytes(mesh, kept) : 0),
      "the part that is kept");
  Extracted<Dim> part = session.in_phase(Phase::compute, [&] {
    return extract_cells(mesh, keeps, {.exec = session.host(), .monitor = &session.monitor()});
  });
  if (options.provenance) {
    add_result(session, part.mesh.point_data, id_field("InputPoint", part.vertices));
    add_result(session, part.mesh.cell_data, id_field("InputCell", part.cells));
  }
  return std::move(part.mesh);
}

int run_threshold(Session& session, const ThresholdArguments& options) {
  check_output(session, options.output);
  const ValueRange range = range_of(options);
  Input input = read_input(session, options.input);
  for (const std::string& note : input.report.notes) session.note(note);
  replace_grid(session, input);
  const FieldChoice choice =
      session.in_phase(Phase::prepare, [&] { return choose_scalar(session, input, options.field); });
  if (options.any) check_any(choice);
  Json& result = session.result();
  result["field"] = choice.field->name();
  result["association"] = to_string(choice.association);
  result["range"] = {options.min ? Json(range.low) : Json(), options.max ? Json(range.high) : Json()};
  const auto* tets = std::get_if<TetMesh>(&input.mesh);
  const AnyMesh part = tets != nullptr ? take_part(session, options, *tets, choice)
                                       : take_part(session, options, std::get<TriMesh>(input.mesh), choice);
  const std::string bounds = !options.min   ? fmt::format("up to {}", range.high)
                             : !options.max ? fmt::format("from {}", range.low)
                                            : fmt::format("from {} to {}", range.low, range.high);
  report_part(session,
              fmt::format("{}: field '{}' {}{}", options.input.file.string(), choice.field->name(),
                          options.invert ? "not " : "", bounds),
              input.mesh, part);
  if (!options.output.file.empty()) write_output(session, options.output, part);
  return 0;
}

}  // namespace

Verb threshold_verb() {
  return define_verb<ThresholdArguments>(
      {"threshold", Group::generate, "keep the cells whose values lie in a range",
       "  tessera threshold kuhn64.vtu --field rough --min 0.2 -o high.vtu\n"
       "  tessera threshold kuhn64.vtu --field :z --min 0.25 --max 0.75 --invert -o ends.vtu"},
      declare_threshold, run_threshold, {.mesh = 6, .grid = 120, .has_large_results = true});
}

}  // namespace tessera::cli
