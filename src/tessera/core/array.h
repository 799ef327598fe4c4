// Array: std::vector that does not clear memory it is about to be filled with.
//
// resize() and Array(n) leave trivial elements and ids uninitialised, so that a large array costs its page
// faults once, in the threads that fill it. Array(n, value) and push_back behave as always.
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera {

/// Host memory, 64-byte aligned and not cleared; large blocks lie on huge pages, because a scatter over
/// hundreds of megabytes otherwise waits for page tables, and go back to the system when they are released.
/// Null when the machine has none left. `bytes` must be the same for both.
[[nodiscard]] void* allocate_pages(std::size_t bytes) noexcept;
void release_pages(void* memory, std::size_t bytes) noexcept;

/// Elements that resize() and Array(n) do not set, though T may have a default.
template <class T>
inline constexpr bool starts_unset = std::is_trivially_default_constructible_v<T>;

template <class T>
class UninitializedAllocator {
 public:
  using value_type = T;

  UninitializedAllocator() = default;
  template <class U>
  UninitializedAllocator(const UninitializedAllocator<U>&) noexcept {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] T* allocate(std::size_t count) {
    const bool countable = count <= std::numeric_limits<std::size_t>::max() / sizeof(T);
    void* memory = countable ? allocate_pages(count * sizeof(T)) : nullptr;
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) noexcept { release_pages(memory, count * sizeof(T)); }

  template <class U>
  void construct(U* place) {
    if constexpr (!starts_unset<U>) ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Args>
  void construct(U* place, Args&&... args) {
    ::new (static_cast<void*>(place)) U(std::forward<Args>(args)...);
  }

  template <class U>
  friend bool operator==(const UninitializedAllocator&, const UninitializedAllocator<U>&) {
    return true;
  }
};

template <class T>
using Array = std::vector<T, UninitializedAllocator<T>>;

}  // namespace tessera
