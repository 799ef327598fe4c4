#include "data/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include <tessera/core/error.h>
#include <tessera/mesh/triangulate.h>

#include "application/text.h"
#include "data/extent.h"

namespace tessera::cli {
namespace {

/// A finite number at the beginning of the text, which is then taken off.
bool take_number(std::string_view& text, double& number) {
  const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return status == std::errc{} && std::isfinite(number);
}

bool take_letter(std::string_view& text, char letter) {
  if (!text.starts_with(letter)) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

CutGrid cut_grid(Session& session, const Grid& grid, const CutOptions& options) {
  const Bytes bytes = triangulation_bytes(grid, options.periodic) + grid.point_data.bytes() +
                      (dimension(grid) == 3 ? 6 : 2) * grid.cell_data.bytes();
  const Bytes margin = options.later == 0 ? 0 : bytes / 4 + mib(2);
  if (bytes + margin > session.memory().left())
    session.memory().reserve(bytes + options.later, "cutting the grid into simplices and working on them");
  Reservation room(session.memory(), bytes, "the simplices that the grid is cut into");
  return {
      session.in_phase(Phase::prepare, [&] { return triangulate(grid, session.host(), options.periodic); }),
      std::move(room)};
}

void replace_grid(Session& session, Input& input) {
  const Grid* const grid = std::get_if<Grid>(&input.mesh);
  if (grid == nullptr) return;
  CutGrid cut = cut_grid(session, *grid);
  input.mesh = std::move(cut.mesh);
  input.reservation = std::move(cut.room);
  session.note(fmt::format("the grid was cut into {}", describe_counts(input.mesh)));
}

std::vector<double> parse_numbers(std::string_view text, std::string_view option, std::size_t count,
                                  std::string_view example) {
  std::vector<double> numbers(count);
  std::string_view rest = text;
  bool is_good = true;
  for (std::size_t i = 0; i < count && is_good; ++i)
    is_good = (i == 0 || take_letter(rest, ',')) && take_number(rest, numbers[i]);
  if (is_good && rest.empty()) return numbers;
  throw Error(ErrorCode::bad_option,
              fmt::format("'{}' does not suit {}; write {} numbers as {}", text, option, count, example));
}

std::vector<ValueRange> parse_ranges(std::string_view text, std::string_view option) {
  std::vector<ValueRange> ranges;
  std::string_view rest = text;
  bool is_good = true;
  do {
    ValueRange range;
    is_good = take_number(rest, range.low);
    range.high = range.low;
    if (take_letter(rest, '-')) is_good = is_good && take_number(rest, range.high);
    is_good = is_good && range.low <= range.high;
    ranges.push_back(range);
  } while (is_good && take_letter(rest, ','));
  if (is_good && rest.empty()) return ranges;
  throw Error(
      ErrorCode::bad_option,
      fmt::format("'{}' does not suit {}; write numbers and ascending ranges as 3,5,8-11", text, option));
}

void check_any(const FieldChoice& choice) {
  if (choice.association != Association::cells) return;
  throw Error(
      ErrorCode::bad_option,
      fmt::format("--any is about the points of a cell, but '{}' is a field of the cells; leave it out",
                  choice.field->name()));
}

Field id_field(std::string name, std::span<const std::uint32_t> ids) {
  return {std::move(name), Array<std::int64_t>(ids.begin(), ids.end())};
}

void add_provenance(FieldSet& point_data, FieldSet& cell_data, const Provenance& from) {
  Array<std::int64_t> edges(2 * from.edges.size());
  for (std::size_t v = 0; v < from.edges.size(); ++v) {
    edges[2 * v] = static_cast<std::int64_t>(from.edges[v][0]);
    edges[2 * v + 1] = static_cast<std::int64_t>(from.edges[v][1]);
  }
  point_data.add(Field("InputEdge", std::move(edges), 2));
  point_data.add(Field("InputWeight", Array<double>(from.weights)));
  cell_data.add(Field("InputCell", Array<std::int64_t>(from.cells.begin(), from.cells.end())));
}

void add_plane_options(OptionList& app, PlaneOptions& options) {
  app.add_option("--axis", options.axis, "the axis that the plane is perpendicular to")
      ->is_member({"x", "y", "z"});
  app.add_option("--position", options.position, "where the plane cuts --axis (the middle)")->type_name("X");
  app.add_option("--normal", options.normal, "instead of --axis, the direction that the plane faces")
      ->type_name("X,Y,Z");
  app.add_option("--origin", options.origin, "a point of the plane, for --normal (the middle)")
      ->type_name("X,Y,Z");
}

Plane plane_of(const PlaneOptions& options, const AnyMesh* mesh) {
  if (options.axis.empty() == options.normal.empty()) {
    throw Error(ErrorCode::bad_option,
                "a plane needs a direction; give it --axis x, y or z, or --normal X,Y,Z, and not both");
  }
  if (options.axis.empty() ? options.position.has_value() : !options.origin.empty())
    throw Error(ErrorCode::bad_option, "--position is for --axis, --origin for --normal");
  Plane plane;
  const auto vector = [](const std::string& text, const char* option) {
    const std::vector<double> v = parse_numbers(text, option, 3, "X,Y,Z");
    return Vec3d{v[0], v[1], v[2]};
  };
  if (mesh != nullptr) plane.origin = extent_of(*mesh).middle();
  if (!options.origin.empty()) plane.origin = vector(options.origin, "--origin");
  if (!options.normal.empty()) {
    plane.normal = vector(options.normal, "--normal");
    if (plane.normal == Vec3d{0, 0, 0})
      throw Error(ErrorCode::bad_option, "--normal 0,0,0 has no direction; give it one");
    return plane;
  }
  const char axis = options.axis[0];
  plane.normal = {axis == 'x' ? 1.0 : 0, axis == 'y' ? 1.0 : 0, axis == 'z' ? 1.0 : 0};
  if (options.position)
    (axis == 'x' ? plane.origin.x : axis == 'y' ? plane.origin.y : plane.origin.z) = *options.position;
  return plane;
}

std::string describe(const Plane& plane) {
  const Vec3d o = plane.origin;
  const Vec3d n = plane.normal;
  return fmt::format("the plane through ({:.6g}, {:.6g}, {:.6g}) with normal ({:.6g}, {:.6g}, {:.6g})", o.x,
                     o.y, o.z, n.x, n.y, n.z);
}

Json plane_json(const Plane& plane) {
  const Vec3d o = plane.origin;
  const Vec3d n = plane.normal;
  return {{"origin", {o.x, o.y, o.z}}, {"normal", {n.x, n.y, n.z}}};
}

std::size_t count_kept(std::span<const std::uint8_t> keeps) {
  return static_cast<std::size_t>(std::ranges::count(keeps, 1));
}

void note_part(Session& session, const AnyMesh& whole, const AnyMesh& part) {
  if (cell_count(part) == 0) session.note("nothing is left: the result has no cells");
  session.result()["points"] = {{"before", vertex_count(whole)}, {"after", vertex_count(part)}};
  session.result()["cells"] = {{"before", cell_count(whole)}, {"after", cell_count(part)}};
}

void report_part(Session& session, const std::string& title, const AnyMesh& whole, const AnyMesh& part) {
  session.print("{}: {} of {}, {} of {}\n", title, grouped(cell_count(part)),
                counted_cells(cell_count(whole), whole), grouped(vertex_count(part)),
                counted(vertex_count(whole), "point", "points"));
  note_part(session, whole, part);
}

}  // namespace tessera::cli
