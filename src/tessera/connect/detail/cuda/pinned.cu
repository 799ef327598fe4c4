#include <tessera/connect/detail/cuda/pinned.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <mutex>

#include <tessera/exec/cuda.cuh>

namespace tessera::detail::cuda {
namespace {

using std::size_t;

constexpr size_t slab_size = 8 * PinnedBlocks::common_size;

void* pin(const Exec& exec, size_t bytes) {
  void* memory = nullptr;
  check_cuda(exec, cudaMallocHost(&memory, bytes), "taking pinned memory");
  return memory;
}

/// By size: the common one, or a larger power of two.
struct IdleBlocks {
  std::mutex mutex;
  std::multimap<size_t, void*> blocks;

  static IdleBlocks& all() {
    static IdleBlocks* const idle = new IdleBlocks;  // never destroyed: the driver is gone before it could be
    return *idle;
  }
  void* take(const Exec& exec, size_t size) {
    const std::scoped_lock lock(mutex);
    const auto found = blocks.find(size);
    if (found != blocks.end()) return blocks.extract(found).mapped();
    if (size != PinnedBlocks::common_size) return pin(exec, size);
    char* const slab = static_cast<char*>(pin(exec, slab_size));
    for (size_t at = size; at < slab_size; at += size) blocks.emplace(size, slab + at);
    return slab;
  }
  void keep(size_t size, void* memory) {
    const std::scoped_lock lock(mutex);
    blocks.emplace(size, memory);
  }
};

}  // namespace

std::shared_ptr<void> PinnedBlocks::take(size_t bytes) {
  const size_t size = std::bit_ceil(std::max(bytes, common_size));
  void* const memory = IdleBlocks::all().take(exec_, size);
  *taken_ += size;
  return {memory, [size, taken = taken_](void* block) {
            *taken -= size;
            IdleBlocks::all().keep(size, block);
          }};
}

MappedArray::MappedArray(const Exec& exec, std::span<const std::uint32_t> values) {
  if (values.empty()) return;
  void* const memory = const_cast<std::uint32_t*>(values.data());
  check_cuda(exec, cudaHostRegister(memory, values.size_bytes(), cudaHostRegisterMapped), "pinning an array");
  here_ = memory;
  void* there = nullptr;
  check_cuda(exec, cudaHostGetDevicePointer(&there, memory, 0), "mapping an array");
  there_ = static_cast<const std::uint32_t*>(there);
}

MappedArray::~MappedArray() {
  if (here_ == nullptr) return;
  (void)cudaHostUnregister(here_);
  (void)cudaGetLastError();
}

}  // namespace tessera::detail::cuda
