// CsrMatrix: a sparse matrix by rows on the host, as files and other libraries know it.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tessera/core/array.h>

namespace tessera {

/// Row r has values[k] in column column_ids[k], for k from offsets[r] to offsets[r + 1]; columns ascend.
struct CsrMatrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  Array<std::uint32_t> offsets = {0};
  Array<std::uint32_t> column_ids;
  Array<double> values;
};

}  // namespace tessera
