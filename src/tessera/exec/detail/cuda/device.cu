#include <tessera/exec/detail/cuda/device.h>

#include <algorithm>
#include <array>
#include <mutex>

#include <tessera/exec/detail/cuda/staging.h>
#include <tessera/exec/detail/device_context.h>
#include <tessera/exec/cuda.cuh>

namespace tessera::detail {

void throw_cuda_error(cudaError_t status, const char* activity) {
  (void)cudaGetLastError();  // a reported error must not be found again by the next call
  const ErrorCode code =
      status == cudaErrorMemoryAllocation ? ErrorCode::out_of_device_memory : ErrorCode::device_failed;
  throw Error(code, std::string("the GPU failed while ") + activity + ": " + cudaGetErrorString(status));
}

bool is_refused_by_watch(const Exec& exec, const char* activity) {
  const DeviceContext* const context = exec.context();
  return context != nullptr && context->watch != nullptr && !context->watch->accept(activity);
}

namespace cuda {
namespace {

/// For calls that no Exec is there for yet.
void check(cudaError_t status, const char* activity) {
  if (status != cudaSuccess) throw_cuda_error(status, activity);
}

/// Makes a device the current one until the end of the scope; never throws.
class TryCurrentDevice {
 public:
  explicit TryCurrentDevice(int device) {
    (void)cudaGetDevice(&before_);
    (void)cudaSetDevice(device);
  }
  TryCurrentDevice(const TryCurrentDevice&) = delete;
  TryCurrentDevice& operator=(const TryCurrentDevice&) = delete;
  ~TryCurrentDevice() { (void)cudaSetDevice(before_); }

 private:
  int before_ = 0;
};

/// The memory of one device that only this library takes buffers from: others in the process, such as
/// PyTorch, keep the device's own pool and its settings.
struct MemoryPool {
  std::mutex mutex;
  cudaMemPool_t pool = nullptr;  ///< made when it is first needed
};

/// Kept as long as the process, because what was freed is kept there for the next buffer; never destroyed,
/// because the driver is gone before it could be.
MemoryPool& pool_slot(int device) {
  constexpr std::size_t most_devices = 64;
  static std::array<MemoryPool, most_devices>* const all = new std::array<MemoryPool, most_devices>;
  return (*all)[static_cast<std::size_t>(device) % most_devices];
}

cudaMemPool_t make_pool(int device) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.handleTypes = cudaMemHandleTypeNone;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  cudaMemPool_t pool = nullptr;
  check(cudaMemPoolCreate(&pool, &properties), "making a memory pool");
  // Freed blocks stay in the pool for the next buffer: going back to the driver costs a millisecond each
  // time.
  uint64_t keep = ~uint64_t{0};
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep), "setting up its memory");
  return pool;
}

cudaMemPool_t pool_of(int device) {
  MemoryPool& slot = pool_slot(device);
  const std::scoped_lock lock(slot.mutex);
  if (slot.pool == nullptr) slot.pool = make_pool(device);
  return slot.pool;
}

Bytes free_bytes() {
  std::size_t free = 0;
  std::size_t total = 0;
  if (cudaMemGetInfo(&free, &total) == cudaSuccess) return free;
  (void)cudaGetLastError();  // nobody else must find it
  return 0;
}

/// What buffers hold, and what the pool keeps for them besides.
Bytes pool_bytes(const Exec& exec, cudaMemPoolAttr which) {
  uint64_t bytes = 0;
  check_cuda(exec, cudaMemPoolGetAttribute(pool_of(exec.device()), which, &bytes),
             "asking for its memory use");
  return bytes;
}

DeviceInfo describe(int device) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "asking for its properties");
  const TryCurrentDevice current(device);
  DeviceInfo info;
  info.index = device;
  info.name = properties.name;
  info.compute_major = properties.major;
  info.compute_minor = properties.minor;
  info.multiprocessors = properties.multiProcessorCount;
  info.memory_total = properties.totalGlobalMem;
  info.memory_free = free_bytes();
  return info;
}

}  // namespace

std::vector<DeviceInfo> devices() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    (void)cudaGetLastError();
    return {};
  }
  std::vector<DeviceInfo> result;
  for (int device = 0; device < count; ++device) {
    try {
      result.push_back(describe(device));
    } catch (const Error&) {
      continue;  // one that does not answer is not usable
    }
  }
  return result;
}

std::string no_device_reason() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  (void)cudaGetLastError();
  if (status == cudaErrorInsufficientDriver || status == cudaErrorNoDevice ||
      (status == cudaSuccess && count == 0)) {
    return "no NVIDIA GPU with a recent enough driver was found";
  }
  if (status != cudaSuccess) return cudaGetErrorString(status);
  std::string reason;
  for (int device = 0; device < count; ++device) {
    try {
      (void)describe(device);
      return "";
    } catch (const Error& error) {
      if (reason.empty()) reason = error.what();
    }
  }
  return reason;
}

std::shared_ptr<void> make_stream(int device) {
  const TryCurrentDevice current(device);
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
  return {stream, [device](void* made) {
            const TryCurrentDevice again(device);
            (void)cudaStreamDestroy(static_cast<cudaStream_t>(made));  // when its work is done
            (void)cudaGetLastError();
          }};
}

void* allocate(const Exec& exec, std::size_t bytes) {
  const CurrentDevice current(exec);
  void* memory = nullptr;
  const bool is_allowed = exec.context()->memory_limit == 0 || bytes <= available_bytes(exec);
  const cudaError_t status =
      is_allowed ? cudaMallocFromPoolAsync(&memory, bytes, pool_of(exec.device()), cuda_stream(exec))
                 : cudaErrorMemoryAllocation;
  if (status == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    throw Error(ErrorCode::out_of_device_memory, "the GPU was asked for " + format_bytes(bytes) +
                                                     " but has only " + format_bytes(available_bytes(exec)) +
                                                     " free");
  }
  try {
    check_cuda(exec, status, "taking memory");
  } catch (...) {  // it may be there all the same: a watch refused it
    if (memory != nullptr) release(exec, memory);
    throw;
  }
  return memory;
}

void release(const Exec& exec, void* memory) noexcept {
  const TryCurrentDevice current(exec.device());
  (void)cudaFreeAsync(memory, cuda_stream(exec));
  (void)cudaGetLastError();  // a device that failed is reported by whoever waits for it
}

void copy(const Exec& exec, void* to, const void* from, std::size_t bytes, detail::CopyKind kind) {
  const CurrentDevice current(exec);
  if (kind != detail::CopyKind::on_device && exec.context()->watch != nullptr)
    exec.context()->watch->copies(bytes);
  if (kind != detail::CopyKind::on_device && copy_staged(exec, to, from, bytes, kind)) return;
  const cudaMemcpyKind direction = kind == detail::CopyKind::to_device ? cudaMemcpyHostToDevice
                                   : kind == detail::CopyKind::to_host ? cudaMemcpyDeviceToHost
                                                                       : cudaMemcpyDeviceToDevice;
  check_cuda(exec, cudaMemcpyAsync(to, from, bytes, direction, cuda_stream(exec)), "copying");
  // The host side of a transfer may be reused or read as soon as we return.
  if (kind != detail::CopyKind::on_device) {
    check_cuda(exec, cudaStreamSynchronize(cuda_stream(exec)), "copying");
  }
}

Bytes peak_bytes(const Exec& exec) {
  return pool_bytes(exec, cudaMemPoolAttrUsedMemHigh);
}

Bytes available_bytes(const Exec& exec) {
  const CurrentDevice current(exec);
  const Bytes used = pool_bytes(exec, cudaMemPoolAttrUsedMemCurrent);
  const Bytes free = free_bytes() + pool_bytes(exec, cudaMemPoolAttrReservedMemCurrent) - used;
  const Bytes limit = exec.context()->memory_limit;
  if (limit == 0) return free;
  return std::min(free, limit > used ? limit - used : 0);
}

void release_unused_bytes(const Exec& exec) {
  const CurrentDevice current(exec);
  check_cuda(exec, cudaStreamSynchronize(cuda_stream(exec)), "finishing its work");
  check_cuda(exec, cudaMemPoolTrimTo(pool_of(exec.device()), 0), "giving memory back");
}

void synchronize(const Exec& exec) {
  const CurrentDevice current(exec);
  check_cuda(exec, cudaStreamSynchronize(cuda_stream(exec)), "finishing its work");
}

}  // namespace cuda
}  // namespace tessera::detail
