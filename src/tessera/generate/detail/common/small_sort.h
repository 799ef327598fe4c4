// A sort for lists that are mostly short, on either side and without memory of its own.
#pragma once

#include <algorithm>

#include <tessera/core/macros.h>

namespace tessera::detail {

template <class T>
TS_HD void sort_few(T* begin, T* end) {
  if (end - begin > 64) {
    std::make_heap(begin, end);
    std::sort_heap(begin, end);
    return;
  }
  for (T* i = begin; i < end; ++i) {
    const T value = *i;
    T* to = i;
    for (; to > begin && value < to[-1]; --to) *to = to[-1];
    *to = value;
  }
}

}  // namespace tessera::detail
