// The neighbours of an element: the others in the rows of its sides.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include <tessera/core/array.h>

namespace tessera::detail {

/// Merges N ascending rows that have one entry in common, the element itself, and leaves that out.
template <class Entry, std::size_t N>
class OthersAround {
 public:
  /// Writes from `out` on, but not at `limit` or beyond, and returns where the next row begins.
  Entry* write(const std::array<std::span<const Entry>, N>& rows, Entry self, Entry* out, Entry* limit) {
    std::span<const Entry> merged = rows[0];
    for (std::size_t k = 1; k + 1 < N; ++k) {
      Array<Entry>& to = scratch_[k % 2];
      if (to.size() < merged.size() + rows[k].size()) to.resize(2 * (merged.size() + rows[k].size()));
      const Entry* end = merge(merged, rows[k], self, to.data(), to.data() + to.size());
      merged = {to.data(), end};
    }
    return merge(merged, rows[N - 1], self, out, limit);
  }

 private:
  static Entry* merge(std::span<const Entry> a, std::span<const Entry> b, Entry self, Entry* out,
                      const Entry* limit) {
    const Entry* i = a.data();
    const Entry* j = b.data();
    const Entry* a_end = i + a.size();
    const Entry* b_end = j + b.size();
    const auto put = [&](Entry value) {
      if (out < limit) *out = value;  // in the next row, if it was the last and is not wanted
      out += value != self ? 1 : 0;
    };
    while (i < a_end && j < b_end) {
      const bool first = *i < *j;
      put(first ? *i : *j);
      i += first ? 1 : 0;
      j += first ? 0 : 1;
    }
    while (i < a_end) put(*i++);
    while (j < b_end) put(*j++);
    return out;
  }

  std::array<Array<Entry>, 2> scratch_;
};

}  // namespace tessera::detail
