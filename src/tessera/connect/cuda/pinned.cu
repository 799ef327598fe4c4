#include <tessera/connect/cuda/pinned.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <mutex>

#include <tessera/exec/cuda/check.cuh>

namespace tessera::cuda {
namespace {

using std::size_t;

constexpr size_t smallest_block = size_t{1} << 18;
constexpr size_t most_idle = size_t{1} << 28;

/// By size, a power of two.
struct IdleBlocks {
  std::mutex mutex;
  std::multimap<size_t, void*> blocks;
  size_t bytes = 0;

  static IdleBlocks& all() {
    static IdleBlocks* const idle = new IdleBlocks;  // never destroyed: the driver is gone before it could be
    return *idle;
  }
  void* find(size_t size) {
    const std::scoped_lock lock(mutex);
    const auto found = blocks.find(size);
    if (found == blocks.end()) return nullptr;
    void* const memory = found->second;
    blocks.erase(found);
    bytes -= size;
    return memory;
  }
  void keep(size_t size, void* memory) {
    {
      const std::scoped_lock lock(mutex);
      if (bytes + size <= most_idle) {
        blocks.emplace(size, memory);
        bytes += size;
        return;
      }
    }
    (void)cudaFreeHost(memory);
    (void)cudaGetLastError();  // a device that failed is reported by whoever waits for it
  }
};

}  // namespace

std::shared_ptr<void> PinnedBlocks::take(size_t bytes) {
  const size_t size = std::bit_ceil(std::max(bytes, smallest_block));
  void* memory = IdleBlocks::all().find(size);
  if (memory == nullptr) check(cudaMallocHost(&memory, size), "taking pinned memory");
  *taken_ += size;
  return {memory, [size, taken = taken_](void* block) {
            *taken -= size;
            IdleBlocks::all().keep(size, block);
          }};
}

MappedArray::MappedArray(std::span<const std::uint32_t> values) {
  if (values.empty()) return;
  void* const memory = const_cast<std::uint32_t*>(values.data());
  check(cudaHostRegister(memory, values.size_bytes(), cudaHostRegisterMapped), "pinning an array");
  here_ = memory;
  void* there = nullptr;
  check(cudaHostGetDevicePointer(&there, memory, 0), "mapping an array");
  there_ = static_cast<const std::uint32_t*>(there);
}

MappedArray::~MappedArray() {
  if (here_ == nullptr) return;
  (void)cudaHostUnregister(here_);
  (void)cudaGetLastError();
}

}  // namespace tessera::cuda
