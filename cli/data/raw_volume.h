// Volumes as bare numbers in a file: what they mean is said by options.
#pragma once

#include <filesystem>
#include <string>

#include <tessera/mesh/mesh.h>

#include "application/option_list.h"
#include "application/session.h"
#include "data/files.h"

namespace tessera::cli {

/// How to read a file without a header. Without dims the file is no raw volume.
struct RawOptions {
  std::string dims;               ///< "256x256x128"
  std::string type = "uint8";     ///< a ScalarType by name
  std::string spacing = "1x1x1";  ///< "0.5x0.5x2"
  bool is_big_endian = false;
};

void add_raw_options(OptionList& app, RawOptions& options);

/// Reads points, x fastest, as the grid's field "value". Error(bad_option) for options that mean nothing,
/// Error(bad_file) if the file is not exactly as long as they say, before any memory is taken;
/// Error(out_of_memory) as read_input().
[[nodiscard]] Input read_raw_volume(Session& session, const std::filesystem::path& file,
                                    const RawOptions& options);

}  // namespace tessera::cli
