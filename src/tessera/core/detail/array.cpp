#include <tessera/core/array.h>

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>

namespace tessera {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

/// Large blocks are mapped one by one and unmapped when they are released. malloc would take them from its
/// heap after a while, where what is released stays in the process. The address sanitizer sees only malloc.
constexpr bool is_mapped(std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  return false && bytes > 0;
#else
  return bytes >= huge_page;
#endif
}

constexpr std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

void* map_pages(std::size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

/// Maps more than is needed, for a block that begins with a huge page, and gives the rest back. Where a limit
/// leaves no room for more, the block begins anywhere.
void* map_block(std::size_t bytes) {
  void* const memory = map_pages(bytes + huge_page);
  if (memory == nullptr) return map_pages(bytes);
  char* const begin = static_cast<char*>(memory);
  const std::size_t before =
      round_up(reinterpret_cast<std::uintptr_t>(begin), huge_page) - reinterpret_cast<std::uintptr_t>(begin);
  if (before > 0) munmap(begin, before);
  if (before < huge_page) munmap(begin + before + bytes, huge_page - before);
  madvise(begin + before, bytes, MADV_HUGEPAGE);
  return begin + before;
}

}  // namespace

void* allocate_pages(std::size_t bytes) noexcept {
  const std::size_t alignment = bytes >= huge_page ? huge_page : 64;
  if (bytes > SIZE_MAX - 2 * huge_page) return nullptr;
  const std::size_t rounded = round_up(bytes > 0 ? bytes : 1, alignment);
  if (is_mapped(bytes)) return map_block(rounded);
  return std::aligned_alloc(alignment, rounded);
}

void release_pages(void* memory, std::size_t bytes) noexcept {
  if (is_mapped(bytes)) {
    munmap(memory, round_up(bytes, huge_page));
  } else {
    std::free(memory);
  }
}

}  // namespace tessera
