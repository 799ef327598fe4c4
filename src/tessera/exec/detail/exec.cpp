#include <tessera/exec/exec.h>

#include <algorithm>
#include <thread>
#include <utility>

#include <tessera/core/config.h>
#include <tessera/core/error.h>
#include <tessera/core/macros.h>
#include <tessera/exec/detail/cuda/device.h>
#include <tessera/exec/detail/device_context.h>

namespace tessera {

using namespace detail;
namespace {

int thread_count(int threads) {
  TS_EXPECTS(threads >= 0);
  return threads > 0 ? threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

/// Error(device_failed) with the reason if there is no such device.
void require_device(int device) {
  const std::vector<DeviceInfo> known = devices();
  if (std::ranges::find(known, device, &DeviceInfo::index) != known.end()) return;
  std::string reason =
      known.empty() ? no_device_reason() : "there are only " + std::to_string(known.size()) + " CUDA devices";
  if (reason.empty()) reason = "it did not answer at first";
  throw Error(ErrorCode::device_failed,
              "CUDA device " + std::to_string(device) + " cannot be used: " + reason);
}

std::shared_ptr<void> make_stream(int device) {
  if constexpr (built_with_cuda) return cuda::make_stream(device);
  return nullptr;
}

}  // namespace

Exec::Exec(int threads, DeviceContext context)
    : threads_(threads),
      device_(context.device),
      context_(std::make_shared<const DeviceContext>(std::move(context))) {}

Exec Exec::host(int threads) {
  return Exec(thread_count(threads));
}

Exec Exec::cuda(int device, int threads) {
  require_device(device);
  return {thread_count(threads), {.device = device, .stream = make_stream(device)}};
}

Exec Exec::cuda_on(void* stream, int device, int threads) {
  require_device(device);
  return {thread_count(threads), {.device = device, .stream = {stream, [](void*) {}}}};
}

Exec Exec::automatic(int threads) {
  const std::vector<DeviceInfo> known = devices();
  if (known.empty()) return host(threads);
  const int device = known.front().index;
  return {thread_count(threads), {.device = device, .stream = make_stream(device)}};
}

Exec Exec::with_own_stream() const {
  if (!is_cuda()) return *this;
  DeviceContext context = *context_;
  context.stream = make_stream(device_);
  return {threads_, std::move(context)};
}

Exec Exec::with_memory_limit(Bytes limit) const {
  if (!is_cuda()) return *this;
  DeviceContext context = *context_;
  context.memory_limit = limit;
  return {threads_, std::move(context)};
}

Exec Exec::with_watch(std::shared_ptr<DeviceWatch> watch) const {
  if (!is_cuda()) return *this;
  DeviceContext context = *context_;
  context.watch = std::move(watch);
  return {threads_, std::move(context)};
}

void* Exec::stream() const {
  return context_ == nullptr ? nullptr : context_->stream.get();
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
