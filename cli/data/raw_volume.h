// Volumes as bare numbers in a file: what they mean is said by options.
#pragma once

#include <tessera/io/grid_file.h>

#include "application/option_list.h"
#include "application/session.h"
#include "data/files.h"

namespace tessera::cli {

void add_raw_options(OptionList& app, RawOptions& options);

/// Reads points of InputOptions::raw, x fastest, as the grid's field "value". Error(bad_option) for options
/// that mean nothing, Error(bad_file) if the file is not exactly as long as they say, before any memory is
/// taken; Error(out_of_memory) as read_input(). With a descriptor, that open file is
/// read.
[[nodiscard]] Input read_raw_volume(Session& session, const InputOptions& options, int descriptor = -1);

/// The file and its layout, for those who read it in parts. Errors as read_raw_volume(), but of memory.
[[nodiscard]] GridFile open_raw_volume(const InputOptions& options);

}  // namespace tessera::cli
