// Transpose: who names an element, from what each element names. Parallel, without atomics, and the same for
// any number of workers.
//
// Every share counts what its sources name in its own interval of targets; a target of a later share (there
// are none in earlier ones) goes with its source onto a list for that share. A target's row is then what the
// lists of earlier shares hold for it, in their order, followed by what its own share names. Sources ascend
// along both, so rows do.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <tessera/core/array.h>
#include <tessera/core/csr.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/tile/detail/share.h>

namespace tessera::detail {

/// `each(share, emit)` calls emit(target, value) for all that the share's sources name, sources ascending; it
/// is called twice. Takes 8 bytes more for every target of a later share.
template <class Each>
class Transpose {
 public:
  Transpose(std::span<const Share> shares, Kind target, Each each)
      : shares_(shares), target_(target), each_(std::move(each)), far_(shares.size() * shares.size()) {}

  /// How many name each target, with one place before them that is not set.
  [[nodiscard]] Array<std::uint32_t> count() {
    Array<std::uint32_t> counts(shares_.back()[target_].end + 1);
    std::uint32_t* count = counts.data() + 1;
    for_each_share(shares_, [&](std::size_t i) {
      const host::Range own = shares_[i][target_];
      std::fill(count + own.begin, count + own.end, 0);
      each_(shares_[i], [&](std::uint32_t target, std::uint32_t value) {
        if (target < own.end) [[likely]] {
          ++count[target];
        } else {
          send(i, target, value);
        }
      });
    });
    for_each_share(shares_, [&](std::size_t i) {
      for_each_from_afar(i, [&](std::uint32_t target, std::uint32_t) { ++count[target]; });
    });
    return counts;
  }

  template <class Row, class Entry>
  [[nodiscard]] Csr<Row, Entry> run() {
    Csr<Row, Entry> csr;
    csr.offsets = count();
    csr.offsets[0] = 0;
    std::uint32_t* next = csr.offsets.data() + 1;  // filling leaves each row's end here, as it should be
    csr.values.resize(checked_offset(scan_by_share(shares_, target_, next)));
    for_each_share(shares_, [&](std::size_t i) {
      Entry* values = csr.values.data();
      const auto place = [&](std::uint32_t target, std::uint32_t value) {
        values[next[target]++] = Entry(value);
      };
      for_each_from_afar(i, place);
      const std::size_t end = shares_[i][target_].end;
      each_(shares_[i], [&](std::uint32_t target, std::uint32_t value) {
        if (target < end) [[likely]]
          place(target, value);
      });
    });
    return csr;
  }

 private:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;

  [[gnu::noinline, gnu::cold]] void send(std::size_t from, std::uint32_t target, std::uint32_t value) {
    std::size_t to = from + 1;
    while (target >= shares_[to][target_].end) ++to;
    far_[from * shares_.size() + to].emplace_back(target, value);
  }
  template <class F>
  void for_each_from_afar(std::size_t to, F&& f) const {
    for (std::size_t from = 0; from < to; ++from) {
      for (const auto& [target, value] : far_[from * shares_.size() + to]) f(target, value);
    }
  }

  std::span<const Share> shares_;
  Kind target_;
  Each each_;
  std::vector<std::vector<Pair>> far_;  ///< by source's and target's share
};

}  // namespace tessera::detail
