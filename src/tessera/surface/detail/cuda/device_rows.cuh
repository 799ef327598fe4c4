// Rows of a triangle mesh on a device, straight from its corners.
//
// A twin of the star kernels (tile/detail/cuda/star_rows.cuh), which make rows tile by tile. Whole relations
// of triangles need no tiles: corners are turned around by counting (transpose()), rows are short, and what a
// row must be sorted by is sorted in a thread's own memory. Where a vertex has more triangles than that
// holds, sorts of the whole mesh take its place, with the same result. benchmarks/queries_cuda measures both,
// docs/surfaces.md has the figures.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <tessera/core/csr.h>
#include <tessera/exec/buffer.h>
#include <tessera/exec/primitives.h>
#include <tessera/exec/buffers.cuh>
#include <tessera/exec/detail/reduce.cuh>
#include <tessera/exec/detail/search.cuh>
#include <tessera/exec/for_each.cuh>
#include <tessera/generate/detail/keys/cuda/transpose.cuh>
#include <tessera/generate/key_reduce.cuh>

namespace tessera::detail::cuda {

using Corners = std::array<std::uint32_t, 3>;

/// The corners of a triangle in ascending order; the first is the lowest already.
[[nodiscard]] __device__ inline Corners ascending(const Corners& c) {
  return c[1] < c[2] ? c : Corners{c[0], c[2], c[1]};
}

/// Different numbers, ascending, as many as two for each triangle of a short star.
struct FewNumbers {
  std::uint32_t values[2 * most_sorted];
  std::uint32_t count = 0;

  __device__ void insert(std::uint32_t value) {
    std::uint32_t at = count;
    while (at > 0 && values[at - 1] > value) --at;
    if (at > 0 && values[at - 1] == value) return;
    for (std::uint32_t i = count; i > at; --i) values[i] = values[i - 1];
    values[at] = value;
    ++count;
  }
};

/// The higher neighbours of a vertex, from the triangles around it.
__device__ inline void collect_upper(const Corners* faces, const RowsView<std::uint32_t>& stars,
                                     std::uint32_t v, FewNumbers& upper) {
  for (std::uint32_t i = stars.offsets[v]; i < stars.offsets[v + 1]; ++i) {
    const Corners c = ascending(faces[stars.values[i]]);
    if (c[0] == v) upper.insert(c[1]);
    if (c[0] == v || c[1] == v) upper.insert(c[2]);
  }
}

/// By vertex the higher ends of its edges. `stars` are the triangles around vertices.
inline RowBuffers<std::uint32_t> upper_edges(const Exec& exec, const Corners* faces, std::uint32_t face_count,
                                             std::uint32_t vertices, RowsView<std::uint32_t> stars,
                                             bool are_short) {
  RowBuffers<std::uint32_t> edges{Buffer<std::uint32_t>(exec, std::size_t{vertices} + 1), {}};
  if (!are_short) {
    const std::size_t sides = std::size_t{3} * face_count;
    const int bits = bits_in_use(vertices);
    Buffer<std::uint64_t> keys(exec, sides);
    cuda::for_each(exec, face_count, [faces, bits, key = keys.data()] __device__(std::size_t f) {
      const Corners c = ascending(faces[f]);
      key[3 * f] = std::uint64_t{c[0]} << bits | c[1];
      key[3 * f + 1] = std::uint64_t{c[0]} << bits | c[2];
      key[3 * f + 2] = std::uint64_t{c[1]} << bits | c[2];
    });
    sort_keys<std::uint64_t>(exec, keys.span(), 2 * bits);
    Buffer<std::uint64_t> different(exec, sides);
    const std::size_t count = unique<std::uint64_t>(exec, std::as_const(keys).span(), different.span());
    edges.values = Buffer<std::uint32_t>(exec, count);
    cuda::for_each(exec, count,
                   [key = different.data(), bits, out = edges.values.data()] __device__(std::size_t e) {
                     out[e] = static_cast<std::uint32_t>(key[e] & ((std::uint64_t{1} << bits) - 1));
                   });
    cuda::for_each(
        exec, std::size_t{vertices} + 1,
        [key = different.data(), bits, count, out = edges.offsets.data()] __device__(std::size_t v) {
          out[v] =
              static_cast<std::uint32_t>(lower_bound(key, std::size_t{0}, count, std::uint64_t{v} << bits));
        });
    return edges;
  }
  Buffer<std::uint32_t> counts(exec, std::size_t{vertices} + 1);
  cuda::for_each(exec, std::size_t{vertices} + 1,
                 [faces, vertices, stars, out = counts.data()] __device__(std::size_t v) {
                   FewNumbers upper;
                   if (v < vertices) collect_upper(faces, stars, static_cast<std::uint32_t>(v), upper);
                   out[v] = upper.count;
                 });
  exclusive_scan<std::uint32_t, std::uint32_t>(exec, std::as_const(counts).span(), edges.offsets.span());
  edges.values = Buffer<std::uint32_t>(exec, last_of(exec, edges.offsets));
  cuda::for_each(
      exec, vertices,
      [faces, stars, offsets = edges.offsets.data(), out = edges.values.data()] __device__(std::size_t v) {
        FewNumbers upper;
        collect_upper(faces, stars, static_cast<std::uint32_t>(v), upper);
        for (std::uint32_t i = 0; i < upper.count; ++i) out[offsets[v] + i] = upper.values[i];
      });
  return edges;
}

struct RowLength {
  const std::uint32_t* offsets;
  TS_HD std::uint32_t operator()(std::size_t row) const { return offsets[row + 1] - offsets[row]; }
};
struct Longer {
  TS_HD std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a < b ? b : a; }
};
struct WideCount {
  const std::uint32_t* counts;
  TS_HD std::uint64_t operator()(std::size_t i) const { return counts[i]; }
};
struct AddCounts {
  TS_HD std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a + b; }
};

}  // namespace tessera::detail::cuda
