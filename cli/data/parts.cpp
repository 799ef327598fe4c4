#include "data/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include <tessera/core/error.h>
#include <tessera/mesh/triangulate.h>

#include "application/text.h"

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

void cut_grid(Session& session, Input& input) {
  const Grid* const grid = std::get_if<Grid>(&input.mesh);
  if (grid == nullptr) return;
  const Bytes bytes = triangulation_bytes(*grid) + grid->point_data.bytes() +
                      (dimension(*grid) == 3 ? 6 : 2) * grid->cell_data.bytes();
  Reservation room(session.memory(), bytes, "the simplices that the grid is cut into");
  AnyMesh cut = session.in_phase(Phase::prepare, [&] { return triangulate(*grid, session.host()); });
  input.mesh = std::move(cut);
  input.reservation = std::move(room);
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

Field id_field(std::string name, std::span<const std::uint32_t> ids) {
  return {std::move(name), Array<std::int64_t>(ids.begin(), ids.end())};
}

std::size_t count_kept(std::span<const std::uint8_t> keeps) {
  return static_cast<std::size_t>(std::ranges::count(keeps, 1));
}

void report_part(Session& session, const std::string& title, const AnyMesh& whole, const AnyMesh& part) {
  session.print("{}: {} of {}, {} of {}\n", title, grouped(cell_count(part)),
                counted_cells(cell_count(whole), whole), grouped(vertex_count(part)),
                counted(vertex_count(whole), "point", "points"));
  if (cell_count(part) == 0) session.note("nothing is left: the result has no cells");
  session.result()["points"] = {{"before", vertex_count(whole)}, {"after", vertex_count(part)}};
  session.result()["cells"] = {{"before", cell_count(whole)}, {"after", cell_count(part)}};
}

}  // namespace tessera::cli
