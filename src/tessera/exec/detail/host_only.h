// For functions that only host threads can do: an Exec that cannot be used is an error, never ignored.
#pragma once

#include <string>
#include <string_view>

#include <tessera/core/error.h>
#include <tessera/exec/exec.h>

namespace tessera::detail {

/// The Exec itself, or Error(unsupported) if it is a device.
inline const Exec& host_only(const Exec& exec, std::string_view function) {
  if (exec.is_cuda()) {
    throw Error(ErrorCode::unsupported,
                std::string(function) + " runs on host threads and cannot use a GPU; give it Exec::host()");
  }
  return exec;
}

}  // namespace tessera::detail
