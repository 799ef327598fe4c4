// Errors: what the world did wrong. Broken contracts are not errors (see TS_EXPECTS).
#pragma once

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

/// Thrown with one sentence that names the thing, says what is wrong with it and what to do.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}

  [[nodiscard]] ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace tessera
