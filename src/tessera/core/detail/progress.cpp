#include <tessera/core/progress.h>

#include <string>

#include <tessera/core/error.h>

namespace tessera {

void Monitor::update(std::string_view stage, double fraction) const {
  if (report) report(stage, fraction);
  if (is_stopped()) {
    throw Error(ErrorCode::cancelled, "stopped on request while " + std::string(stage));
  }
}

}  // namespace tessera
