#include <tessera/core/array.h>

#include <sys/mman.h>

#include <cstdlib>

namespace tessera {

void* allocate_pages(std::size_t bytes) noexcept {
  constexpr std::size_t huge_page = std::size_t{2} << 20;
  const std::size_t alignment = bytes >= huge_page ? huge_page : 64;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  if (rounded < bytes) return nullptr;
  void* memory = std::aligned_alloc(alignment, rounded > 0 ? rounded : alignment);
  if (memory != nullptr && alignment == huge_page) madvise(memory, rounded, MADV_HUGEPAGE);
  return memory;
}

void release_pages(void* memory) noexcept {
  std::free(memory);
}

}  // namespace tessera
