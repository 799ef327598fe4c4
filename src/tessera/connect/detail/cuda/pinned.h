// Pinned memory: what a device writes and the host reads in place.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>

#include <tessera/core/memory.h>
#include <tessera/exec/exec.h>

namespace tessera::detail::cuda {

/// Blocks of pinned memory. Those that come back are used again, also by the next connection of the process,
/// because to pin memory takes longer than to fill it.
class PinnedBlocks {
 public:
  /// Blocks up to this size are all alike and cut from larger pieces; larger ones are taken one by one.
  static constexpr std::size_t common_size = std::size_t{2} << 20;

  /// `budget`: how much of them may be out at once before is_exhausted().
  PinnedBlocks(const Exec& exec, Bytes budget)
      : exec_(exec), budget_(budget), taken_(std::make_shared<std::atomic<Bytes>>(0)) {}

  /// A block that comes back when nobody holds it.
  [[nodiscard]] std::shared_ptr<void> take(std::size_t bytes);
  /// Is there no room for another block of this size? Then it is given back at once.
  [[nodiscard]] bool is_exhausted(std::size_t bytes) const { return *taken_ + bytes > budget_; }

 private:
  Exec exec_;
  Bytes budget_;
  std::shared_ptr<std::atomic<Bytes>> taken_;  // blocks may outlive this
};

/// Lets a device read an array of the host for as long as this lives.
class MappedArray {
 public:
  MappedArray(const Exec& exec, std::span<const std::uint32_t> values);
  MappedArray(const MappedArray&) = delete;
  MappedArray& operator=(const MappedArray&) = delete;
  ~MappedArray();

  [[nodiscard]] const std::uint32_t* data() const { return there_; }

 private:
  void* here_ = nullptr;
  const std::uint32_t* there_ = nullptr;
};

}  // namespace tessera::detail::cuda
