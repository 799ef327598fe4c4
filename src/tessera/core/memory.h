// Byte budgets: how much memory a run may use, how much it uses and how much it used at most.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace tessera {

using Bytes = std::uint64_t;

[[nodiscard]] constexpr Bytes kib(double n) {
  return static_cast<Bytes>(n * 1024.0);
}
[[nodiscard]] constexpr Bytes mib(double n) {
  return kib(n * 1024.0);
}
[[nodiscard]] constexpr Bytes gib(double n) {
  return mib(n * 1024.0);
}

/// "512", "64K", "1.5G", "2TiB": a number and an optional binary suffix. Error(bad_option) otherwise.
[[nodiscard]] Bytes parse_bytes(std::string_view text);

/// "1.50 GiB", in the largest unit that keeps the number above 1.
[[nodiscard]] std::string format_bytes(Bytes bytes);

/// "27M": the smallest size in whole units that is no less, as parse_bytes() reads it.
[[nodiscard]] std::string format_limit(Bytes bytes);

/// The physical memory this process holds now, as the operating system counts it, and the most it has held.
[[nodiscard]] Bytes resident_bytes();
[[nodiscard]] Bytes peak_resident_bytes();

/// A limit that reservations are taken from. Threads may reserve concurrently.
class MemoryBudget {
 public:
  static constexpr Bytes unlimited = std::numeric_limits<Bytes>::max();

  /// What the limit is of.
  enum class Scope : std::uint8_t {
    reservations,  ///< of what is reserved here
    process,       ///< of all that the process holds, reserved or not: its code and libraries too
  };

  explicit MemoryBudget(Bytes limit = unlimited, Scope scope = Scope::reservations)
      : limit_(limit), scope_(scope) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  /// Takes `bytes` or throws Error(out_of_memory) saying what was asked, what was allowed and in use, and
  /// the least limit.
  void reserve(Bytes bytes, std::string_view what);
  /// Takes `bytes` if they fit.
  [[nodiscard]] bool try_reserve(Bytes bytes);
  void release(Bytes bytes);
  /// Books bytes that are there already, whether they fit or not.
  void adopt(Bytes bytes);
  /// Leaves so much of what the process holds out of the count. Nobody may reserve meanwhile.
  void leave_out(Bytes bytes) { left_out_ += bytes; }

  [[nodiscard]] Bytes limit() const { return limit_; }
  [[nodiscard]] Bytes reserved() const { return used_.load(std::memory_order_relaxed); }
  /// What is reserved; of a process at least what it holds.
  [[nodiscard]] Bytes used() const;
  /// What is not; `unlimited` without a limit.
  [[nodiscard]] Bytes left() const;
  /// The least limit that the last refusal named; 0 before the first.
  [[nodiscard]] Bytes named_limit() const { return named_.load(std::memory_order_relaxed); }
  /// What the process holds, without what is left out.
  [[nodiscard]] Bytes held() const;
  /// The most that was reserved.
  [[nodiscard]] Bytes peak() const { return peak_.load(std::memory_order_relaxed); }

 private:
  friend class Reservation;

  /// Names a limit with some room.
  [[noreturn]] void refuse(Bytes bytes, std::string_view what, Bytes used);
  /// What cannot be reserved although nobody has: what the process holds beyond all reservations.
  [[nodiscard]] Bytes unreserved(Bytes reserved) const;

  Bytes limit_;
  Bytes left_out_ = 0;
  Scope scope_ = Scope::reservations;
  std::atomic<Bytes> used_{0};
  std::atomic<Bytes> peak_{0};
  std::atomic<Bytes> named_{0};
};

/// Holds a part of a budget for as long as it lives.
class Reservation {
 public:
  Reservation() = default;
  Reservation(MemoryBudget& budget, Bytes bytes, std::string_view what);
  /// Of what is there already, and counted as part of what the process holds. Error(out_of_memory) likewise.
  [[nodiscard]] static Reservation of_held(MemoryBudget& budget, Bytes bytes, std::string_view what);
  Reservation(Reservation&& other) noexcept;
  Reservation& operator=(Reservation&& other) noexcept;
  ~Reservation();

  [[nodiscard]] Bytes bytes() const { return bytes_; }

 private:
  MemoryBudget* budget_ = nullptr;
  Bytes bytes_ = 0;
};

}  // namespace tessera
