// Errors: what the world did wrong. Broken contracts are not errors (see TS_EXPECTS).
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tessera {

/// What kind of thing went wrong. The command line exits with the code's number (docs/cli.md).
enum class ErrorCode {
  bad_option = 2,             ///< an option or argument that cannot be used
  not_found = 3,              ///< a file, a field or an element that is not there
  bad_file = 4,               ///< a file that cannot be read as what it claims to be
  bad_mesh = 5,               ///< a mesh that the operation cannot accept
  unsupported = 6,            ///< a valid request this build or format cannot serve
  write_failed = 7,           ///< output could not be written; nothing was replaced
  out_of_memory = 8,          ///< more memory was needed than allowed or available
  device_failed = 9,          ///< the GPU is missing or reported an error
  out_of_device_memory = 10,  ///< more memory of the GPU was needed than allowed or available
  cancelled = 130,            ///< the caller asked to stop
};

[[nodiscard]] std::string_view to_string(ErrorCode code);

/// What would help, for callers that have a name of their own for it: the library knows of no options.
enum class Remedy : std::uint8_t {
  none,         ///< nothing, or what the message says
  name_format,  ///< to say which format the file has
  linearize,    ///< to read cells of higher order by their corners
  raise_limit,  ///< to allow the memory that the message names
  more_memory,  ///< to allow more memory, however much that is
};

/// Thrown with one sentence that names the thing, says what is wrong with it and what to do.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message, Remedy remedy = Remedy::none)
      : std::runtime_error(message), code_(code), remedy_(remedy) {}

  [[nodiscard]] ErrorCode code() const { return code_; }
  [[nodiscard]] Remedy remedy() const { return remedy_; }

 private:
  ErrorCode code_;
  Remedy remedy_;
};

}  // namespace tessera
