#include <tessera/exec/exec.h>

#include <algorithm>
#include <thread>

#include <tessera/core/config.h>
#include <tessera/core/error.h>
#include <tessera/core/macros.h>
#include <tessera/exec/detail/cuda/device.h>

namespace tessera {

using namespace detail;
namespace {

int thread_count(int threads) {
  TS_EXPECTS(threads >= 0);
  return threads > 0 ? threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

}  // namespace

Exec Exec::host(int threads) {
  return {thread_count(threads), -1};
}

Exec Exec::cuda(int device, int threads) {
  const std::vector<DeviceInfo> known = devices();
  if (std::ranges::find(known, device, &DeviceInfo::index) == known.end()) {
    std::string reason = known.empty() ? no_device_reason()
                                       : "there are only " + std::to_string(known.size()) + " CUDA devices";
    if (reason.empty()) reason = "it did not answer at first";
    throw Error(ErrorCode::device_failed, "CUDA device " + std::to_string(device) +
                                              " can not be used: " + reason + "; use --device cpu");
  }
  return {thread_count(threads), device};
}

Exec Exec::automatic(int threads) {
  const std::vector<DeviceInfo> known = devices();
  return known.empty() ? host(threads) : Exec(thread_count(threads), known.front().index);
}

std::string Exec::description() const {
  if (!is_cuda()) return "cpu, " + std::to_string(threads_) + (threads_ == 1 ? " thread" : " threads");
  for (const DeviceInfo& info : devices()) {
    if (info.index == device_) return info.name + " (cuda:" + std::to_string(device_) + ")";
  }
  return "cuda:" + std::to_string(device_);
}

std::vector<DeviceInfo> devices() {
  if constexpr (built_with_cuda) return cuda::devices();
  return {};
}

std::string no_device_reason() {
  if constexpr (built_with_cuda) return cuda::no_device_reason();
  return "this build of Tessera has no CUDA support";
}

}  // namespace tessera
