#include <tessera/exec/detail/cuda/device.h>

#include <algorithm>
#include <atomic>

#include <tessera/exec/detail/cuda/staging.h>
#include <tessera/exec/detail/cuda/check.cuh>

namespace tessera::detail::cuda {
namespace {

cudaMemPool_t pool_of(int device) {
  cudaMemPool_t pool{};
  check(cudaDeviceGetDefaultMemPool(&pool, device), "asking for the memory pool");
  return pool;
}

Bytes free_bytes() {
  std::size_t free = 0;
  std::size_t total = 0;
  if (cudaMemGetInfo(&free, &total) == cudaSuccess) return free;
  (void)cudaGetLastError();  // nobody else must find it
  return 0;
}

std::atomic<Bytes> memory_limit{0};  // 0: none

/// What buffers hold, and what the pool keeps for them besides.
Bytes pool_bytes(int device, cudaMemPoolAttr which) {
  uint64_t bytes = 0;
  check(cudaMemPoolGetAttribute(pool_of(device), which, &bytes), "asking for its memory use");
  return bytes;
}

DeviceInfo describe(int device) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "asking for its properties");
  const CurrentDevice current(device);
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

void* allocate(int device, std::size_t bytes) {
  const CurrentDevice current(device);
  // Freed blocks stay in the pool for the next buffer: going back to the driver costs a millisecond each
  // time.
  uint64_t keep = ~uint64_t{0};
  check(cudaMemPoolSetAttribute(pool_of(device), cudaMemPoolAttrReleaseThreshold, &keep),
        "setting up its memory");
  void* memory = nullptr;
  const bool is_allowed = memory_limit == 0 || bytes <= available_bytes(device);
  const cudaError_t status =
      is_allowed ? cudaMallocAsync(&memory, bytes, cudaStream_t{}) : cudaErrorMemoryAllocation;
  if (status == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    throw Error(ErrorCode::out_of_memory, "the GPU was asked for " + format_bytes(bytes) + " but has only " +
                                              format_bytes(available_bytes(device)) +
                                              " free; use --device cpu");
  }
  check(status, "taking memory");
  return memory;
}

void release(int device, void* memory) noexcept {
  int before = 0;
  (void)cudaGetDevice(&before);
  (void)cudaSetDevice(device);
  (void)cudaFreeAsync(memory, cudaStream_t{});
  (void)cudaSetDevice(before);
  (void)cudaGetLastError();  // a device that failed is reported by whoever waits for it
}

void copy(int device, void* to, const void* from, std::size_t bytes, detail::CopyKind kind) {
  const CurrentDevice current(device);
  if (kind != detail::CopyKind::on_device && copy_staged(device, to, from, bytes, kind)) return;
  const cudaMemcpyKind direction = kind == detail::CopyKind::to_device ? cudaMemcpyHostToDevice
                                   : kind == detail::CopyKind::to_host ? cudaMemcpyDeviceToHost
                                                                       : cudaMemcpyDeviceToDevice;
  check(cudaMemcpyAsync(to, from, bytes, direction, cudaStream_t{}), "copying");
  // The host side of a transfer may be reused or read as soon as we return.
  if (kind != detail::CopyKind::on_device) check(cudaStreamSynchronize(cudaStream_t{}), "copying");
}

Bytes peak_bytes(int device) {
  return pool_bytes(device, cudaMemPoolAttrUsedMemHigh);
}

Bytes available_bytes(int device) {
  const CurrentDevice current(device);
  const Bytes used = pool_bytes(device, cudaMemPoolAttrUsedMemCurrent);
  const Bytes free = free_bytes() + pool_bytes(device, cudaMemPoolAttrReservedMemCurrent) - used;
  const Bytes limit = memory_limit;
  if (limit == 0) return free;
  return std::min(free, limit > used ? limit - used : 0);
}

void set_memory_limit(Bytes limit) {
  memory_limit = limit;
}

void synchronize(int device) {
  const CurrentDevice current(device);
  check(cudaDeviceSynchronize(), "finishing its work");
}

}  // namespace tessera::detail::cuda
