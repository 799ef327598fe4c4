// Csr: a list of rows of different lengths in two arrays.
//
//   offsets  0   3   3   7        row r = values[offsets[r] .. offsets[r + 1])
//   values   a b c   |   d e f g
//
// Invariants (validate() checks them):
//   1. offsets has one entry more than there are rows and starts at 0.
//   2. offsets never decreases and ends at values.size().
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <tessera/core/array.h>
#include <tessera/core/error.h>
#include <tessera/core/macros.h>

namespace tessera {

/// Rows that lie somewhere else, on either side: what a Csr, or its like on a device, points to.
template <class T>
struct RowsView {
  const std::uint32_t* offsets = nullptr;
  const T* values = nullptr;

  [[nodiscard]] TS_HD std::uint32_t size_of(std::size_t row) const { return offsets[row + 1] - offsets[row]; }
  [[nodiscard]] TS_HD std::span<const T> operator[](std::size_t row) const {
    return {values + offsets[row], size_of(row)};
  }
};

/// Rows of T for each Row id. Offsets are 4 bytes: a relation with more than 2^32 - 1 entries does
/// not fit one Csr (checked_offset() says so); such a mesh is consumed tile by tile.
template <class Row, class T>
struct Csr {
  using Offset = std::uint32_t;

  Array<Offset> offsets = {0};
  Array<T> values;

  [[nodiscard]] std::size_t size() const { return offsets.size() - 1; }
  [[nodiscard]] std::span<const T> operator[](Row row) const {
    const Offset begin = offsets[row.index()];
    return {values.data() + begin, offsets[row.index() + 1] - begin};
  }
  [[nodiscard]] RowsView<T> view() const { return {offsets.data(), values.data()}; }
  [[nodiscard]] std::size_t bytes() const {
    return offsets.size() * sizeof(Offset) + values.size() * sizeof(T);
  }

  /// The number of the first broken invariant, or 0.
  [[nodiscard]] int validate() const {
    if (offsets.empty() || offsets.front() != 0) return 1;
    for (std::size_t r = 0; r < size(); ++r) {
      if (offsets[r] > offsets[r + 1]) return 2;
    }
    return offsets.back() == values.size() ? 0 : 2;
  }

  friend bool operator==(const Csr&, const Csr&) = default;
};

/// The entry count of a Csr as an offset, or Error(unsupported) if 4 bytes cannot hold it.
[[nodiscard]] inline std::uint32_t checked_offset(std::uint64_t entries) {
  if (entries > 0xFFFFFFFFull) {
    throw Error(ErrorCode::unsupported, "a relation of " + std::to_string(entries) +
                                            " entries does not fit one array of rows (at most 4294967295); "
                                            "consume it tile by tile instead");
  }
  return static_cast<std::uint32_t>(entries);
}

}  // namespace tessera
