// How work on a device learns that it should stop: at every CUDA call made for it.
#pragma once

#include <memory>
#include <stop_token>
#include <utility>

#include <tessera/core/progress.h>
#include <tessera/exec/detail/device_context.h>
#include <tessera/exec/exec.h>

namespace tessera::detail {

/// Lets the monitor end what an Exec does; another watch stays in place.
class StopWatch : public DeviceWatch {
 public:
  StopWatch(std::stop_token stop, std::shared_ptr<DeviceWatch> other)
      : stopped_{{}, std::move(stop)}, other_(std::move(other)) {}

  bool accept(const char* activity) override {
    stopped_.update(activity, 0);
    return other_ == nullptr || other_->accept(activity);
  }
  void copies(std::size_t bytes) override {
    if (other_ != nullptr) other_->copies(bytes);
  }

 private:
  Monitor stopped_;  ///< hears nothing: calls come from any thread
  std::shared_ptr<DeviceWatch> other_;
};

/// The same Exec, whose CUDA calls throw Error(cancelled) once the monitor is stopped.
[[nodiscard]] inline Exec stoppable(const Exec& exec, const Monitor* monitor) {
  if (!exec.is_cuda() || monitor == nullptr || !monitor->stop.stop_possible()) return exec;
  return exec.with_watch(std::make_shared<StopWatch>(monitor->stop, exec.context()->watch));
}

}  // namespace tessera::detail
