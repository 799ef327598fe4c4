// Rows of different lengths as rules read them, on either side: what a Csr or its like on a device points to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/csr.h>
#include <tessera/core/macros.h>

namespace tessera {

template <class T>
struct RowsView {
  const std::uint32_t* offsets = nullptr;
  const T* values = nullptr;

  [[nodiscard]] TS_HD std::uint32_t size_of(std::size_t row) const { return offsets[row + 1] - offsets[row]; }
  [[nodiscard]] TS_HD std::span<const T> operator[](std::size_t row) const {
    return {values + offsets[row], size_of(row)};
  }
};

template <class Row, class T>
[[nodiscard]] RowsView<T> view_rows(const Csr<Row, T>& rows) {
  return {rows.offsets.data(), rows.values.data()};
}

}  // namespace tessera
