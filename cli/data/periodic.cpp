#include "data/periodic.h"

#include <fmt/format.h>

#include <string_view>
#include <variant>

#include <tessera/core/error.h>

namespace tessera::cli {

void add_periodic_option(OptionList& app, std::string& text) {
  app.add_option("--periodic", text,
                 "axes of a grid whose first points follow the last ones, such as x or x,y,z")
      ->type_name("AXES");
}

PeriodicAxes parse_periodic(const std::string& text) {
  constexpr std::string_view names = "xyz";
  PeriodicAxes periodic = {};
  for (std::size_t at = 0; at < text.size(); at += 2) {
    const std::size_t axis = names.find(text[at]);
    const bool ends_well = at + 1 == text.size() || (text[at + 1] == ',' && at + 2 < text.size());
    if (axis == std::string_view::npos || !ends_well || periodic[axis]) {
      throw Error(
          ErrorCode::bad_option,
          fmt::format("'{}' does not suit --periodic; write each axis once, such as x or x,y,z", text));
    }
    periodic[axis] = true;
  }
  return periodic;
}

void check_periodic(const PeriodicAxes& periodic, const Input& input, const InputOptions& options) {
  if (!is_any_periodic(periodic)) return;
  const Grid* const grid = std::get_if<Grid>(&input.mesh);
  if (grid == nullptr) {
    throw Error(ErrorCode::bad_option, fmt::format("--periodic is for grids; '{}' has {}",
                                                   options.file.string(), describe_counts(input.mesh)));
  }
  try {
    tessera::check_periodic(*grid, periodic);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("--periodic: {}", error.what()));
  }
}

}  // namespace tessera::cli
