// --periodic: the axes of a grid that are closed to rings.
#pragma once

#include <string>

#include <tessera/mesh/periodic_axes.h>

#include "application/option_list.h"
#include "data/files.h"

namespace tessera::cli {

void add_periodic_option(OptionList& app, std::string& text);

/// No axes for an empty text. Error(bad_option) if it names no axes.
[[nodiscard]] PeriodicAxes parse_periodic(const std::string& text);

/// Error(bad_option) if an input that was read cannot have these periodic axes.
void check_periodic(const PeriodicAxes& periodic, const Input& input, const InputOptions& options);

}  // namespace tessera::cli
