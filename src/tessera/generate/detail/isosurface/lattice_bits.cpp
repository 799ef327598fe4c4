// From values to bits, and from bits to the numbers of the first vertex and triangle of every row.
#include <algorithm>
#include <atomic>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/for_each.h>
#include <tessera/generate/detail/isosurface/grid_surface.h>

namespace tessera::detail::lattice {
namespace {

/// The top bits of 64 bytes.
std::uint64_t pack(const std::uint8_t* flags) {
  std::uint64_t word = 0;
#if defined(__SSE2__)
  for (int part = 0; part < 4; ++part) {
    const __m128i bytes = _mm_load_si128(reinterpret_cast<const __m128i*>(flags + 16 * part));
    word |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(bytes))) << (16 * part);
  }
#else
  for (std::uint32_t i = 0; i < word_bits; ++i) word |= static_cast<std::uint64_t>(flags[i] >> 7) << i;
#endif
  return word;
}

/// A bit for each of the first 64 values, or fewer, that passes the test.
template <class T, class Test>
std::uint64_t word_of(const T* values, std::size_t count, const Test& test) {
  alignas(64) std::uint8_t flags[word_bits];
  if (count >= word_bits) {
    for (std::uint32_t i = 0; i < word_bits; ++i) flags[i] = test(values[i]) ? 0xFF : 0;
  } else {
    for (std::uint32_t i = 0; i < word_bits; ++i) flags[i] = i < count && test(values[i]) ? 0xFF : 0;
  }
  return pack(flags);
}

/// A bit for each of the first 64 values, or fewer, that is at or above the threshold.
template <class T>
std::uint64_t high_word(const T* values, std::size_t count, T threshold) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<T, float>) {
    if (count >= word_bits) {
      const __m512 limit = _mm512_set1_ps(threshold);
      std::uint64_t word = 0;
      for (int part = 3; part >= 0; --part) {
        const __m512 v = _mm512_loadu_ps(values + 16 * part);
        word = word << 16 | _mm512_cmp_ps_mask(v, limit, _CMP_GE_OQ);
      }
      return word;
    }
  }
#endif
  return word_of(values, count, [&](T v) { return v >= threshold; });
}

template <class T>
bool has_nan(const T* values, std::size_t count) {
  if constexpr (std::floating_point<T>) {
    int found = 0;
    for (std::size_t i = 0; i < count; ++i) found |= values[i] != values[i] ? 1 : 0;
    return found != 0;
  }
  return false;
}

template <class F>
void for_each_row(const View& view, const Exec& exec, F&& f) {
  host::for_each_chunk(exec.threads(), view.rows(), rows_at_once(view), [&](host::Range range, int) {
    for (std::size_t row = range.begin; row < range.end; ++row) f(row);
  });
}

}  // namespace

LatticeFrame frame_of(const Grid& grid) {
  constexpr std::array<double, 9> identity = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const Vec3d s = grid.spacing;
  return {grid.origin, s, {1 / s.x, 1 / s.y, 1 / s.z}, grid.direction, grid.direction == identity};
}

View view_of(const Grid& grid) {
  View view;
  view.nx = grid.dims[0];
  view.ny = grid.dims[1];
  view.nz = grid.dims[2];
  view.words = (view.nx + word_bits - 1) / word_bits;
  return view;
}

template <class T>
bool fill_high_bits(std::span<const T> values, const View& shape, Isovalues<T> isovalues,
                    std::span<Level> levels, const Exec& exec) {
  for (Level& level : levels) level.high.resize(shape.rows() * shape.words);
  std::atomic<bool> any_nan{false};
  for_each_row(shape, exec, [&](std::size_t row) {
    const T* line = values.data() + row * shape.nx;
    for (std::uint32_t w = 0; w < shape.words; ++w) {
      const std::size_t i = std::size_t{w} * word_bits;
      for (std::size_t l = 0; l < levels.size(); ++l) {
        const std::uint64_t word = high_word(line + i, shape.nx - i, isovalues[l].threshold);
        levels[l].high[row * shape.words + w] = isovalues[l].never ? 0 : word;
      }
    }
    if (has_nan(line, shape.nx)) any_nan.store(true, std::memory_order_relaxed);
  });
  return any_nan;
}

template <class T>
Array<std::uint64_t> find_whole_cells(std::span<const T> values, const View& shape, const Exec& exec) {
  Array<std::uint64_t> numbers(shape.rows() * shape.words);  // points that are not NaN
  for_each_row(shape, exec, [&](std::size_t row) {
    for (std::uint32_t w = 0; w < shape.words; ++w) {
      const std::size_t i = std::size_t{w} * word_bits;
      numbers[row * shape.words + w] =
          word_of(values.data() + row * shape.nx + i, shape.nx - i, [](T v) { return v == v; });
    }
  });
  View view = shape;
  view.high = numbers.data();
  Array<std::uint64_t> whole(numbers.size());
  for_each_row(shape, exec, [&](std::size_t row) {
    const auto j = static_cast<std::uint32_t>(row % shape.ny);
    const auto k = static_cast<std::uint32_t>(row / shape.ny);
    const bool has_cells = j + 1 < shape.ny && k + 1 < shape.nz;
    for (std::uint32_t w = 0; w < shape.words; ++w) {
      std::uint64_t all = has_cells ? view.inner(w) : 0;
      if (all != 0) {
        for (const std::uint64_t corner : view.cell_words(j, k, w).corner) all &= corner;
      }
      whole[row * shape.words + w] = all;
    }
  });
  return whole;
}

namespace {

RowCounts count_row(const View& view, std::uint32_t j, std::uint32_t k) {
  RowCounts counts;
  const auto add = [&](const RowCounts& more) {
    for (int axis = 0; axis < 3; ++axis) counts.vertices[axis] += more.vertices[axis];
    counts.triangles += more.triangles;
  };
  if (j + 1 < view.ny && k + 1 < view.nz && view.whole == nullptr) {
    CellRow row(view, j, k);
    for (std::uint32_t w = 0; w < view.words; ++w) add(view.count_crossings(row.next(w), w));
  } else {
    for (std::uint32_t w = 0; w < view.words; ++w) add(view.count_word(j, k, w));
  }
  return counts;
}

}  // namespace

Totals number_rows(const View& view, Totals begin, Array<RowCounts>& first, const Exec& exec) {
  first.resize(view.rows() + 1);
  for_each_row(view, exec, [&](std::size_t row) {
    first[row] =
        count_row(view, static_cast<std::uint32_t>(row % view.ny), static_cast<std::uint32_t>(row / view.ny));
  });
  Totals next = begin;
  for (std::size_t row = 0; row <= view.rows(); ++row) {
    const RowCounts count = row < view.rows() ? first[row] : RowCounts{};
    for (int axis = 0; axis < 3; ++axis) {
      first[row].vertices[axis] = static_cast<std::uint32_t>(next.vertices);
      next.vertices += count.vertices[axis];
    }
    first[row].triangles = static_cast<std::uint32_t>(next.triangles);
    next.triangles += count.triangles;
  }
  return next;
}

#define TS_INSTANTIATE(T)                                                                       \
  template bool fill_high_bits(std::span<const T>, const View&, Isovalues<T>, std::span<Level>, \
                               const Exec&);                                                    \
  template Array<std::uint64_t> find_whole_cells(std::span<const T>, const View&, const Exec&)
#include <tessera/mesh/detail/instantiate_fields.inc>

}  // namespace tessera::detail::lattice
