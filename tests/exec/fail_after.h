// A device that fails on purpose.
#pragma once

#include <atomic>
#include <cstdint>

#include <tessera/exec/device_watch.h>

namespace tessera::testing {

/// So many calls succeed, and every one after fails, as on a broken device.
class FailAfter : public DeviceWatch {
 public:
  explicit FailAfter(std::int64_t calls) : calls_left_(calls) {}
  [[nodiscard]] bool accept(const char*) override { return calls_left_.fetch_sub(1) > 0; }
  [[nodiscard]] bool has_failed() const { return calls_left_ < 0; }

 private:
  std::atomic<std::int64_t> calls_left_;
};

}  // namespace tessera::testing
