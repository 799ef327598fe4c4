// tessera info: what a mesh file holds.
#include <fmt/format.h>

#include "application/text.h"
#include "application/verb.h"
#include "data/extent.h"
#include "data/fields.h"
#include "data/files.h"

namespace tessera::cli {
namespace {

struct InfoOptions {
  std::vector<std::filesystem::path> files;
  InputOptions input = {.file = {}, .simplices = false};  ///< how each of them is read
};

const Grid& places_of(const Grid& grid) {
  return grid;
}
template <class Mesh>
const Points& places_of(const Mesh& mesh) {
  return mesh.points;
}

void describe_points(Json& object, const Grid& grid) {
  object["dims"] = grid.dims;
  object["spacing"] = {grid.spacing.x, grid.spacing.y, grid.spacing.z};
}
template <class Mesh>
void describe_points(Json& object, const Mesh& mesh) {
  object["coordinates"] = mesh.points.is_double() ? "float64" : "float32";
}

/// The mesh as it was read, or its cells if they were kept.
template <class Mesh>
Json describe_mesh(const std::filesystem::path& file, const Input& input, const Mesh& mesh,
                   std::string_view kind) {
  const Extent extent = extent_of(places_of(mesh));
  Json object = {{"file", file.string()},
                 {"format", input.report.format},
                 {"kind", kind},
                 {"points", mesh.vertex_count()},
                 {"cells", mesh.cell_count()}};
  describe_points(object, mesh);
  object["box"] = nullptr;
  const Box& box = extent.box;
  if (extent.placed > 0)
    object["box"] = {{box.low.x, box.low.y, box.low.z}, {box.high.x, box.high.y, box.high.z}};
  object["bytes"] = input.reservation.bytes();
  object["cells_in_file"] = Json::object();
  for (const auto& [type, count] : input.report.cells) object["cells_in_file"][type] = count;
  object["notes"] = input.report.notes;
  if (extent.unplaced > 0)
    object["notes"].push_back("There are " + describe_unplaced(extent) + "; the box is around the others.");
  object["fields"] = Json::array();
  for (const FieldChoice& choice : list_fields(mesh)) object["fields"].push_back(describe_field(choice));
  return object;
}

Json describe_input(const std::filesystem::path& file, const Input& input, const CellMesh& cells) {
  if (cells.cell_count() > 0) return describe_mesh(file, input, cells, kind_name(cells));
  return std::visit([&](const auto& mesh) { return describe_mesh(file, input, mesh, kind_name(input.mesh)); },
                    input.mesh);
}

std::string list_text(const Json& values, std::string_view separator) {
  std::string text;
  for (const Json& value : values)
    text += fmt::format("{}{}", text.empty() ? "" : separator, number_text(value));
  return text;
}

std::string field_table(const Json& fields) {
  const Align left = Align::left;
  const Align right = Align::right;
  Table table({left, left, left, right, right, right, right, right});
  table.add({"field", "on", "type", "components", "values", "lowest", "highest", "NaN"});
  for (const Json& field : fields) {
    table.add({field["name"], field["association"], field["type"], grouped(field["components"]),
               grouped(field["tuples"]), number_text(field["range"][0]), number_text(field["range"][1]),
               grouped(field["nan_count"])});
  }
  return table.text();
}

std::string census_text(const Json& cells) {
  std::string text;
  for (const auto& [type, count] : cells.items()) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", grouped(count), type);
  }
  return text;
}

void print_description(Session& session, std::string_view cells, const Json& d) {
  session.print("{}: {} ({})\n", d["file"].get<std::string>(), d["kind"].get<std::string>(),
                d["format"].get<std::string>());
  Table table({Align::left, Align::left});
  const std::string points = grouped(d["points"]);
  if (d.contains("dims")) {
    table.add({"points", fmt::format("{} ({}), spacing {}", points, list_text(d["dims"], " x "),
                                     list_text(d["spacing"], " x "))});
  } else {
    table.add({"points", fmt::format("{} ({})", points, d["coordinates"].get<std::string>())});
  }
  table.add({std::string(cells), grouped(d["cells"])});
  if (!d["cells_in_file"].empty()) table.add({"cells in file", census_text(d["cells_in_file"])});
  table.add({"box", d["box"].is_null() ? "none"
                                       : fmt::format("({}) to ({})", list_text(d["box"][0], ", "),
                                                     list_text(d["box"][1], ", "))});
  table.add({"memory", format_bytes(d["bytes"])});
  for (const Json& note : d["notes"]) table.add({"note", note.get<std::string>()});
  session.print("{}", table.text());
  if (!d["fields"].empty()) session.print("\n{}", field_table(d["fields"]));
}

void declare_info(OptionList& app, InfoOptions& options) {
  app.add_option("files", options.files, "the mesh files to look at")->required()->type_name("FILE");
  add_reading_options(app, options.input);
}

Json show_file(Session& session, const std::filesystem::path& file, InputOptions options,
               std::string_view before = "") {
  options.file = file;
  CellMesh cells;
  const Input input = read_input(session, options, &cells);
  session.print("{}", before);
  Json description = session.in_phase(Phase::compute, [&] { return describe_input(file, input, cells); });
  print_description(session, cells.cell_count() > 0 ? "cells" : cell_name(input.mesh), description);
  return description;
}

int run_info(Session& session, const InfoOptions& options) {
  if (options.files.size() == 1) {
    session.result()["files"] = Json::array({show_file(session, options.files.front(), options.input)});
    return 0;
  }
  Json files = Json::array();
  std::string_view before;
  for (const auto& file : options.files) {
    try {
      files.push_back(show_file(session, file, options.input, before));
      before = "\n";
    } catch (const Error& error) {
      files.push_back({{"file", file.string()}, {"error", session.go_on_after(error)}});
    }
  }
  session.result()["files"] = std::move(files);
  return session.exit_code();
}

}  // namespace

Verb info_verb() {
  return define_verb<InfoOptions>(
      {"info", Group::files, "what a mesh file holds: kind, counts, box, fields and their ranges",
       "  tessera info kuhn64.vtu\n"
       "  tessera info --json - *.vtu | jq '.result.files[].points'"},
      declare_info, run_info, {.mesh = 3, .grid = 3});
}

}  // namespace tessera::cli
