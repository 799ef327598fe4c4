// Array: std::vector that does not clear memory it is about to be filled with, and that can begin in the
// caller's memory.
//
// resize() and Array(n) leave trivial elements and ids uninitialised, so that a large array costs its page
// faults once, in the threads that fill it. Array(n, value) and push_back behave as always.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
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

/// Memory that an array begins in though somebody else has made it.
struct ArrayLoan {
  void* memory = nullptr;
  std::size_t count = 0;  ///< of elements
  bool is_taken = false;
  std::shared_ptr<const void> owner;  ///< let go of when the array does not need the memory any more
};

template <class T>
class UninitializedAllocator {
 public:
  using value_type = T;
  using propagate_on_container_copy_assignment = std::true_type;  // so that no copy is written over a loan
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;
  using is_always_equal = std::false_type;

  UninitializedAllocator() = default;
  UninitializedAllocator(const UninitializedAllocator&) = default;  // no move: what was moved stays equal
  UninitializedAllocator& operator=(const UninitializedAllocator&) = default;
  ~UninitializedAllocator() = default;
  /// The first block it gives is the loan; all others are its own.
  explicit UninitializedAllocator(std::shared_ptr<ArrayLoan> loan) : loan_(std::move(loan)) {}
  template <class U>
  UninitializedAllocator(const UninitializedAllocator<U>&) noexcept {}  // NOLINT(google-explicit-constructor)
  /// A copy of an array is in memory of its own.
  [[nodiscard]] UninitializedAllocator select_on_container_copy_construction() const { return {}; }

  [[nodiscard]] T* allocate(std::size_t count) {
    if (loan_ != nullptr && loan_->count == count && !std::exchange(loan_->is_taken, true))
      return static_cast<T*>(loan_->memory);
    const bool countable = count <= std::numeric_limits<std::size_t>::max() / sizeof(T);
    void* memory = countable ? allocate_pages(count * sizeof(T)) : nullptr;
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    if (loan_ != nullptr && loan_->memory == memory) {
      *loan_ = {.is_taken = true};  // copies of the allocator must not take later memory for it
    } else {
      release_pages(memory, count * sizeof(T));
    }
  }

  template <class U>
  void construct(U* place) {
    if constexpr (!starts_unset<U>) ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Args>
  void construct(U* place, Args&&... args) {
    ::new (static_cast<void*>(place)) U(std::forward<Args>(args)...);
  }

  friend bool operator==(const UninitializedAllocator& a, const UninitializedAllocator& b) {
    return a.loan_ == b.loan_;
  }

 private:
  std::shared_ptr<ArrayLoan> loan_;
};

template <class T>
using Array = std::vector<T, UninitializedAllocator<T>>;

/// An array of the caller's values, not copied. They must stay as they are until the array is gone or has
/// outgrown them: hand over `owner` to keep them alive, or keep them alive yourself. What writes to the array
/// writes to them.
template <class T>
requires(starts_unset<T>&& std::is_trivially_destructible_v<T>)
    [[nodiscard]] Array<T> borrow(std::span<T> values, std::shared_ptr<const void> owner = nullptr) {
  if (values.empty()) return {};
  auto loan = std::make_shared<ArrayLoan>(ArrayLoan{values.data(), values.size(), false, std::move(owner)});
  return Array<T>(values.size(), UninitializedAllocator<T>(std::move(loan)));
}

/// A copy of a variant of arrays. The array is copied first and then moved into place: the copy constructor
/// of libstdc++ 12 destroys an array that is not there if memory runs out.
template <class Arrays>
[[nodiscard]] Arrays copy_arrays(const Arrays& from) {
  return std::visit([](const auto& array) { return Arrays(std::decay_t<decltype(array)>(array)); }, from);
}

}  // namespace tessera
