#include <tessera/core/error.h>

#include <cstdio>
#include <cstdlib>

#include <tessera/core/macros.h>

namespace tessera {

void contract_violation(const char* condition, const char* file, int line) {
  // The one place that prints: the program is about to end and nobody is left to be told.
  std::fputs("tessera: broken contract: ", stderr);
  std::fputs(condition, stderr);
  std::fputs(" (", stderr);
  std::fputs(file, stderr);
  std::fputs(":", stderr);
  std::fputs(std::to_string(line).c_str(), stderr);
  std::fputs(")\n", stderr);
  std::abort();
}

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::bad_option: return "bad_option";
    case ErrorCode::not_found: return "not_found";
    case ErrorCode::bad_file: return "bad_file";
    case ErrorCode::bad_mesh: return "bad_mesh";
    case ErrorCode::unsupported: return "unsupported";
    case ErrorCode::write_failed: return "write_failed";
    case ErrorCode::out_of_memory: return "out_of_memory";
    case ErrorCode::device_failed: return "device_failed";
    case ErrorCode::out_of_device_memory: return "out_of_device_memory";
    case ErrorCode::cancelled: return "cancelled";
  }
  return "unknown";
}

}  // namespace tessera
