// tessera extract: cells by their label, by a region of space, by connected component.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include <tessera/generate/extract.h>

#include "application/text.h"
#include "application/verb.h"
#include "data/fields.h"
#include "data/files.h"
#include "data/parts.h"

namespace tessera::cli {
namespace {

struct ExtractArguments {
  InputOptions input;
  OutputOptions output;
  std::string field, labels, region, component;
  std::uint32_t largest = 0;
  bool any = false;
  bool invert = false;
  bool components = false;
  bool provenance = false;

  [[nodiscard]] bool asks_for_components() const { return components || largest > 0 || !component.empty(); }
};

void declare_extract(OptionList& app, ExtractArguments& options) {
  add_input_options(app, options.input);
  const Option labels =
      app.add_option("--labels", options.labels, "keep cells with these values of --field, such as 3,5,8-11")
          ->type_name("N[,N-M...]");
  app.add_option("--field", options.field,
                 "the field of labels, of points or cells; needed if there are several scalar ones")
      ->type_name("NAME")
      ->needs(labels);
  app.add_option("--region", options.region, "keep cells in this box")->type_name("X0,X1,Y0,Y1,Z0,Z1");
  app.add_flag(
      "--any", options.any,
      "keep a cell if one of its points has a label or is in the box; otherwise all of them have to");
  app.add_flag("--invert", options.invert, "keep the cells that --labels and --region would not");
  app.add_option("--component", options.component,
                 "keep these connected components of what is left, 0 being the largest")
      ->type_name("N[,N-M...]");
  app.add_option("--largest", options.largest, "keep so many of the largest connected components")
      ->type_name("N")
      ->in_range(1, 1 << 30);
  app.add_flag("--components", options.components,
               "add the cell field Component, the number of each cell's component");
  const Option output = add_output_options(app, options.output)->description("the part to write");
  app.add_flag("--provenance", options.provenance,
               "add InputPoint and InputCell: where each point and cell came from")
      ->needs(output);
}

void check_options(const ExtractArguments& options) {
  const bool chooses = !options.labels.empty() || !options.region.empty();
  const auto refuse = [](const char* sentence) { throw Error(ErrorCode::bad_option, sentence); };
  if (!chooses && !options.asks_for_components())
    refuse("extract needs to know what; give it --labels, --region, --component, --largest or --components");
  if (!chooses && (options.any || options.invert))
    refuse("--any and --invert are about --labels and --region; give one of these or leave them out");
  if (options.largest > 0 && !options.component.empty())
    refuse("--largest and --component exclude each other; give one");
}

Box box_of(const ExtractArguments& options) {
  const std::vector<double> b = parse_numbers(options.region, "--region", 6, "X0,X1,Y0,Y1,Z0,Z1");
  return {{b[0], b[2], b[4]}, {b[1], b[3], b[5]}};
}

/// The cells that --labels and --region choose.
template <int Dim>
Array<std::uint8_t> select(Session& session, const ExtractArguments& options, const SimplexMesh<Dim>& mesh,
                           const FieldChoice& labels) {
  const SelectOptions how{.any_point = options.any, .exec = session.host(), .monitor = &session.monitor()};
  Array<std::uint8_t> keeps(mesh.cell_count(), 1);
  const auto keep_only = [&](const Array<std::uint8_t>& chosen) {
    for (std::size_t c = 0; c < keeps.size(); ++c) keeps[c] &= chosen[c];
  };
  if (labels.field != nullptr) {
    keep_only(select_values(mesh, {*labels.field, labels.association == Association::cells},
                            parse_ranges(options.labels, "--labels"), how));
  }
  if (!options.region.empty()) keep_only(select_box(mesh, box_of(options), how));
  if (options.invert) {
    for (std::uint8_t& keep : keeps) keep ^= 1;
  }
  return keeps;
}

/// The components that --component or --largest names.
std::vector<ValueRange> chosen_components(const ExtractArguments& options, std::size_t count) {
  if (options.largest > 0) return {{.low = 0, .high = options.largest - 1.0}};
  if (options.component.empty()) return {{}};
  std::vector<ValueRange> ranges = parse_ranges(options.component, "--component");
  for (const ValueRange& range : ranges) {
    if (range.low != std::floor(range.low) || range.high != std::floor(range.high))
      throw Error(ErrorCode::bad_option, fmt::format("--component {} has a number that is not whole; "
                                                     "components are numbered from 0",
                                                     options.component));
    if (range.low >= 0 && range.high < static_cast<double>(count)) continue;
    throw Error(ErrorCode::not_found, fmt::format("there is no component {}; there are {}, numbered from 0",
                                                  range.low < 0 ? range.low : range.high,
                                                  counted(count, "component", "components")));
  }
  return ranges;
}

/// Numbers the components of the cells that are kept, and keeps those that the options name.
template <int Dim>
Components choose_components(Session& session, const ExtractArguments& options, const SimplexMesh<Dim>& mesh,
                             Array<std::uint8_t>& keeps) {
  Components found =
      connected_components(mesh, {.among = keeps, .exec = session.host(), .monitor = &session.monitor()});
  const std::span<const std::uint32_t> sizes = found.sizes;
  const std::vector<ValueRange> ranges = chosen_components(options, sizes.size());
  session.print("{}: {}{}{}\n", options.input.file.string(), counted(sizes.size(), "component", "components"),
                sizes.empty() ? "" : ", the largest of ",
                sizes.empty() ? ""
                              : counted(sizes[0], Dim == 2 ? "triangle" : "tetrahedron",
                                        Dim == 2 ? "triangles" : "tetrahedra"));
  session.result()["components"] = sizes.size();
  session.result()["component_sizes"] = sizes.first(std::min<std::size_t>(sizes.size(), 100));
  Array<std::uint8_t> is_chosen(sizes.size(), 0);
  const auto count = static_cast<double>(sizes.size());
  for (const ValueRange& range : ranges) {
    for (double id = std::ceil(std::max(0.0, range.low)); id < count && id <= range.high; ++id)
      is_chosen[static_cast<std::size_t>(id)] = 1;
  }
  for (std::size_t c = 0; c < keeps.size(); ++c) keeps[c] = keeps[c] != 0 ? is_chosen[found.ids[c]] : 0;
  return found;
}

template <int Dim>
AnyMesh take_part(Session& session, const ExtractArguments& options, const SimplexMesh<Dim>& mesh,
                  const FieldChoice& labels, Reservation& room) {
  const std::size_t cells = mesh.cell_count();
  const Reservation flags(session.memory(), mesh.vertex_count() + 2 * cells, "the choice of cells");
  Array<std::uint8_t> keeps = select(session, options, mesh, labels);
  Components components;
  Reservation ids;
  if (options.asks_for_components()) {
    ids = session.reserve({.host_bytes = mib(4) + 8 * mesh.vertex_count() + 4 * cells});
    components = choose_components(session, options, mesh, keeps);
  }
  const std::size_t kept = count_kept(keeps);
  const Bytes added = (options.components ? 8 * kept : 0) + (options.provenance ? id_bytes(mesh, kept) : 0);
  room = Reservation(session.memory(), mib(6) + extracted_bytes(mesh, kept) + added, "the part that is kept");
  Extracted<Dim> part = extract_cells(mesh, keeps, {.exec = session.host(), .monitor = &session.monitor()});
  FieldSet& cell_data = part.mesh.cell_data;
  if (options.components) {
    Array<std::int64_t> numbers(part.cells.size());
    for (std::size_t c = 0; c < numbers.size(); ++c) numbers[c] = components.ids[part.cells[c]];
    add_result(session, cell_data, Field("Component", std::move(numbers)));
  }
  if (options.provenance) {
    add_result(session, part.mesh.point_data, id_field("InputPoint", part.vertices));
    add_result(session, cell_data, id_field("InputCell", part.cells));
  }
  return std::move(part.mesh);
}

int run_extract(Session& session, const ExtractArguments& options) {
  check_options(options);
  if (!options.region.empty()) (void)box_of(options);
  for (const auto& [text, name] :
       {std::pair(&options.labels, "--labels"), {&options.component, "--component"}})
    if (!text->empty()) (void)parse_ranges(*text, name);
  check_output(session, options.output);
  Input input = read_input(session, options.input);
  for (const std::string& note : input.report.notes) session.note(note);
  replace_grid(session, input);
  FieldChoice labels;
  if (!options.labels.empty())
    labels = session.in_phase(Phase::prepare, [&] { return choose_scalar(session, input, options.field); });
  if (options.any && options.region.empty()) check_any(labels);
  Reservation room;
  const auto* tets = std::get_if<TetMesh>(&input.mesh);
  const AnyMesh part = session.in_phase(Phase::compute, [&] {
    return tets != nullptr ? take_part(session, options, *tets, labels, room)
                           : take_part(session, options, std::get<TriMesh>(input.mesh), labels, room);
  });
  if (labels.field != nullptr) session.result()["field"] = labels.field->name();
  report_part(session, options.input.file.string(), input.mesh, part);
  if (!options.output.file.empty()) write_output(session, options.output, part);
  return 0;
}

}  // namespace

Verb extract_verb() {
  return define_verb<ExtractArguments>(
      {"extract", Group::generate, "keep cells by label, by a box or by connected component",
       "  tessera extract atlas.vtu --field label --labels 3,5,8-11 --largest 1 -o organ.vtu\n"
       "  tessera extract surface.vtp --components -o numbered.vtp"},
      declare_extract, run_extract, {.mesh = 6, .grid = 120, .has_large_results = true});
}

}  // namespace tessera::cli
