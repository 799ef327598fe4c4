// Array: std::vector that does not clear memory it is about to be filled with.
//
// resize() and Array(n) leave trivial elements uninitialised, so that a large array costs its page
// faults once, in the threads that fill it. Array(n, value) and push_back behave as always.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace tessera {

template <class T>
class UninitializedAllocator {
 public:
  using value_type = T;

  UninitializedAllocator() = default;
  template <class U>
  UninitializedAllocator(const UninitializedAllocator<U>&) noexcept {}  // NOLINT: converting, as allocators do

  [[nodiscard]] T* allocate(std::size_t count) { return std::allocator<T>{}.allocate(count); }
  void deallocate(T* memory, std::size_t count) noexcept {
    std::allocator<T>{}.deallocate(memory, count);
  }

  template <class U>
  void construct(U* place) {
    ::new (static_cast<void*>(place)) U;
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
