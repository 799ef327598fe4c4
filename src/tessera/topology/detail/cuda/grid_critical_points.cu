// Critical points of a grid on a device.
//
// A warp goes through 32 columns of the grid, layer by layer, and keeps the 15 values of a star that the next
// layer needs: 7 are read for each vertex, and come from memory once. 14 comparisons make a mask, and a table
// in shared memory has a bit for each mask that is critical. Ballots are all that is written, a bit for each
// vertex. Two more kernels count them and write the points in order, whose masks are made again.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <type_traits>

#include <tessera/core/detail/lowest_bit.h>
#include <tessera/core/detail/monitor.h>
#include <tessera/exec/primitives.h>
#include <tessera/topology/detail/cuda/grid_analyses.h>
#include <tessera/exec/cuda.cuh>
#include <tessera/exec/for_each.cuh>

namespace tessera::detail::cuda {
namespace {

using std::size_t;
using std::uint32_t;
using std::uint8_t;

constexpr uint32_t warp = 32;
constexpr uint32_t rows_of_block = 8;
constexpr uint32_t layers_of_block = 16;
constexpr uint32_t table_words = (1u << grid_neighbours) / 32;

/// A lattice on a device, its values, and which masks mean what.
template <class T>
struct View {
  const T* values;
  const uint8_t* pieces;  ///< GridPieces
  std::array<uint32_t, 3> dims;
  uint32_t words_of_row;

  [[nodiscard]] __device__ GridSurrounding around(uint32_t x, uint32_t y, uint32_t z) const {
    return {AxisPlace(x, dims[0]), AxisPlace(y, dims[1]), AxisPlace(z, dims[2])};
  }
};

/// The columns of a star, from the row before to the row behind.
struct Columns {
  static constexpr uint32_t count = 7;
  uint32_t at[count];  ///< within a layer

  __device__ Columns(uint32_t x, uint32_t y, const std::array<uint32_t, 3>& dims) {
    const uint32_t row = y * dims[0];
    const uint32_t row_before = y > 0 ? row - dims[0] : row;  // where there is none: any value
    const uint32_t row_behind = y + 1 < dims[1] ? row + dims[0] : row;
    const uint32_t before = x > 0 ? x - 1 : x;
    const uint32_t behind = x + 1 < dims[0] ? x + 1 : x;
    at[0] = row_before + x, at[1] = row_before + behind;
    at[2] = row + before, at[3] = row + x, at[4] = row + behind;
    at[5] = row_behind + before, at[6] = row_behind + x;
  }
};

template <class T>
struct Layer {
  T at[Columns::count];

  __device__ void read(const T* layer, const Columns& columns) {
    for (uint32_t i = 0; i < Columns::count; ++i) at[i] = layer[columns.at[i]];
  }
};

/// The neighbours of lower order, among them some that there may not be.
template <class T>
__device__ uint32_t lower_mask(const Layer<T>& below, const Layer<T>& same, const Layer<T>& above) {
  const T own = same.at[3];
  const T before[first_higher_neighbour] = {below.at[0], below.at[1], below.at[3], below.at[4],
                                            same.at[0],  same.at[1],  same.at[2]};
  const T behind[first_higher_neighbour] = {same.at[4],  same.at[5],  same.at[6], above.at[2],
                                            above.at[3], above.at[5], above.at[6]};
  uint32_t mask = 0;
  for (uint32_t k = 0; k < first_higher_neighbour; ++k) {
    mask |= static_cast<uint32_t>(before[k] <= own) << k;
    mask |= static_cast<uint32_t>(behind[k] < own) << (k + first_higher_neighbour);
  }
  return mask;
}

/// Sets a bit for each critical vertex of a warp's columns, from layer `begin` on.
template <int Dim, class T>
__device__ void mark_columns(const View<T>& grid, const uint32_t* table, uint32_t y, uint32_t begin,
                             uint32_t* words, uint32_t* has_nan) {
  const uint32_t at_x = blockIdx.x * warp + threadIdx.x;
  const bool is_there = at_x < grid.dims[0];
  const uint32_t x = is_there ? at_x : grid.dims[0] - 1;
  const bool is_inside = x > 0 && x + 1 < grid.dims[0] && y > 0 && y + 1 < grid.dims[1];
  const Columns columns(x, y, grid.dims);
  const size_t layer = size_t{grid.dims[0]} * grid.dims[1];
  const uint32_t end = min(begin + layers_of_block, grid.dims[2]);
  Layer<T> below, same, above;
  below.read(grid.values + layer * (begin > 0 ? begin - 1 : begin), columns);
  same.read(grid.values + layer * begin, columns);
  for (uint32_t z = begin; z < end; ++z) {
    above.read(grid.values + layer * (z + 1 < grid.dims[2] ? z + 1 : z), columns);
    const uint32_t lower = lower_mask(below, same, above);
    bool is_critical;
    if (is_inside && (Dim == 2 || (z > 0 && z + 1 < grid.dims[2]))) {
      is_critical = (table[lower / 32] >> (lower % 32) & 1) != 0;
    } else {
      const GridSurrounding around = grid.around(x, y, z);
      is_critical = grid_kind<Dim>(grid.pieces, around, lower & around.present).type != CriticalType::regular;
    }
    if constexpr (std::is_floating_point_v<T>) {
      if (isnan(same.at[3])) *has_nan = 1;
    }
    const uint32_t word = __ballot_sync(~0u, is_there && is_critical);
    if (threadIdx.x == 0) words[(size_t{z} * grid.dims[1] + y) * grid.words_of_row + blockIdx.x] = word;
    below = same;
    same = above;
  }
}

template <int Dim, class T>
__global__ void __launch_bounds__(warp* rows_of_block)
    mark_kernel(View<T> grid, const uint32_t* critical_masks, uint32_t* words, uint32_t* has_nan) {
  __shared__ uint32_t table[table_words];
  for (uint32_t i = threadIdx.x + warp * threadIdx.y; i < table_words; i += warp * rows_of_block)
    table[i] = critical_masks[i];
  __syncthreads();
  for (uint32_t z = blockIdx.z * layers_of_block; z < grid.dims[2]; z += gridDim.z * layers_of_block) {
    for (uint32_t y = blockIdx.y * rows_of_block + threadIdx.y; y < grid.dims[1];
         y += gridDim.y * rows_of_block)  // the same for a whole warp
      mark_columns<Dim>(grid, table, y, z, words, has_nan);
  }
}

constexpr uint32_t list_threads = 256;
constexpr uint32_t rounds_of_list = 4;
constexpr uint32_t words_of_block = list_threads * rounds_of_list;

/// Sums up a number of each thread before it, and of all.
__device__ uint32_t scan_block(uint32_t number, uint32_t& total) {
  constexpr uint32_t warps = list_threads / warp;
  __shared__ uint32_t sums[warps];
  const uint32_t lane = threadIdx.x % warp;
  uint32_t sum = number;
  for (uint32_t step = 1; step < warp; step *= 2) {
    const uint32_t other = __shfl_up_sync(~0u, sum, step);
    if (lane >= step) sum += other;
  }
  if (lane == warp - 1) sums[threadIdx.x / warp] = sum;
  __syncthreads();
  uint32_t before = 0;
  total = 0;
  for (uint32_t w = 0; w < warps; ++w) {
    if (w < threadIdx.x / warp) before += sums[w];
    total += sums[w];
  }
  __syncthreads();
  return before + sum - number;
}

/// The marks of each block of words.
__global__ void __launch_bounds__(list_threads)
    count_kernel(const uint32_t* words, size_t count, uint32_t* counts) {
  uint32_t mine = 0;
  for (uint32_t round = 0; round < rounds_of_list; ++round) {
    const size_t i = size_t{blockIdx.x} * words_of_block + round * list_threads + threadIdx.x;
    if (i < count) mine += static_cast<uint32_t>(__popc(static_cast<int>(words[i])));
  }
  uint32_t total = 0;
  (void)scan_block(mine, total);
  if (threadIdx.x == 0) counts[blockIdx.x] = total;
}

template <class T>
[[nodiscard]] __device__ uint32_t mask_at(const View<T>& grid, uint32_t x, uint32_t y, uint32_t z) {
  const Columns columns(x, y, grid.dims);
  const size_t layer = size_t{grid.dims[0]} * grid.dims[1];
  Layer<T> below, same, above;
  below.read(grid.values + layer * (z > 0 ? z - 1 : z), columns);
  same.read(grid.values + layer * z, columns);
  above.read(grid.values + layer * (z + 1 < grid.dims[2] ? z + 1 : z), columns);
  return lower_mask(below, same, above);
}

template <int Dim, class T>
__device__ CriticalPoint make_point(const View<T>& grid, size_t word, uint32_t bit) {
  const auto row = static_cast<uint32_t>(word / grid.words_of_row);
  const uint32_t x = static_cast<uint32_t>(word % grid.words_of_row) * warp + bit;
  const uint32_t z = row / grid.dims[1];
  const uint32_t y = row - z * grid.dims[1];
  const GridSurrounding around = grid.around(x, y, z);
  const GridKind kind = grid_kind<Dim>(grid.pieces, around, mask_at(grid, x, y, z) & around.present);
  CriticalPoint point;
  point.vertex = VertexId(row * grid.dims[0] + x);
  point.type = kind.type;
  point.is_on_boundary = around.is_on_border;
  point.lower_pieces = kind.lower_pieces;
  point.upper_pieces = kind.upper_pieces;
  return point;
}

/// Writes the critical points of a block of words. Marks are spread over the threads first: some words have
/// many.
template <int Dim, class T>
__global__ void __launch_bounds__(list_threads) list_kernel(View<T> grid, const uint32_t* words, size_t count,
                                                            const uint32_t* begins, CriticalPoint* points) {
  __shared__ uint16_t marks[list_threads * warp];
  uint32_t begin = begins[blockIdx.x];
  for (uint32_t round = 0; round < rounds_of_list; ++round) {
    const size_t first = size_t{blockIdx.x} * words_of_block + round * list_threads;
    uint32_t left = first + threadIdx.x < count ? words[first + threadIdx.x] : 0;
    uint32_t total = 0;
    uint32_t at = scan_block(static_cast<uint32_t>(__popc(static_cast<int>(left))), total);
    for (; left != 0; left &= left - 1)
      marks[at++] = static_cast<uint16_t>(threadIdx.x * warp + lowest_bit(left));
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < total; i += list_threads)
      points[begin + i] = make_point<Dim>(grid, first + marks[i] / warp, marks[i] % warp);
    begin += total;
    __syncthreads();
  }
}

/// What is the same for all grids of as many axes.
struct Tables {
  std::array<uint32_t, table_words> critical_masks = {};  ///< a bit for each mask, of vertices inside
  std::array<uint8_t, size_t{1} << grid_neighbours> pieces = {};
  uint32_t has_nan = 0;
};

/// Neighbours out of the plane of a grid of two axes are masked out.
template <int Dim>
Tables make_tables() {
  Tables tables;
  const GridPieces pieces;
  std::copy(pieces.all().begin(), pieces.all().end(), tables.pieces.begin());
  const AxisPlace inside(2, 5);
  const GridSurrounding around(inside, inside, Dim == 3 ? inside : AxisPlace(0, 1));
  for (uint32_t mask = 0; mask < 1u << grid_neighbours; ++mask) {
    const GridKind kind = grid_kind<Dim>(tables.pieces.data(), around, mask & around.present);
    if (kind.type != CriticalType::regular) tables.critical_masks[mask / 32] |= 1u << (mask % 32);
  }
  return tables;
}

}  // namespace

template <int Dim, class T>
DeviceCriticalPoints find_critical_points(const GridLattice& lattice, const Buffer<T>& values,
                                          const Monitor& monitor) {
  const Exec& exec = values.exec();
  const CurrentDevice current(exec);
  static const Tables tables = make_tables<Dim>();
  Buffer<Tables> device_copy(exec, std::span(&tables, 1));
  const auto& dims = lattice.dims;
  const View<T> view = {values.data(), device_copy.data()->pieces.data(), dims, (dims[0] + warp - 1) / warp};
  const size_t count = lattice.rows() * view.words_of_row;
  Buffer<uint32_t> words(exec, count);
  monitor.update("finding critical points", 0.2);
  const auto blocks_for = [](uint32_t n, uint32_t of_block) {
    return std::min((n + of_block - 1) / of_block, 65535u);
  };
  const dim3 blocks(view.words_of_row, blocks_for(dims[1], rows_of_block),
                    blocks_for(dims[2], layers_of_block));
  mark_kernel<Dim, T><<<blocks, dim3(warp, rows_of_block), 0, cuda_stream(exec)>>>(
      view, device_copy.data()->critical_masks.data(), words.data(), &device_copy.data()->has_nan);
  check_launch(exec, "finding critical points");
  const unsigned list_blocks = grid_blocks((count + words_of_block - 1) / words_of_block);
  Buffer<uint32_t> begins(exec, list_blocks + 1);
  count_kernel<<<list_blocks, list_threads, 0, cuda_stream(exec)>>>(words.data(), count, begins.data());
  check_launch(exec, "counting critical points");
  exclusive_scan<uint32_t, uint32_t>(exec, begins.span().first(list_blocks), begins.span());
  uint32_t total = 0;
  uint32_t has_nan = 0;
  detail::copy(exec, &total, begins.data() + list_blocks, sizeof(total), CopyKind::to_host);
  if constexpr (std::is_floating_point_v<T>)
    detail::copy(exec, &has_nan, &device_copy.data()->has_nan, sizeof(has_nan), CopyKind::to_host);
  DeviceCriticalPoints found;
  found.has_nan = has_nan != 0;
  if (found.has_nan) return found;
  monitor.update("finding critical points", 0.6);
  found.points = Buffer<CriticalPoint>(exec, total);
  list_kernel<Dim, T><<<list_blocks, list_threads, 0, cuda_stream(exec)>>>(
      view, words.data(), count, begins.data(), found.points.data());
  check_launch(exec, "listing critical points");
  return found;
}

#define TS_INSTANTIATE(T)                                                                        \
  template DeviceCriticalPoints find_critical_points<2, T>(const GridLattice&, const Buffer<T>&, \
                                                           const Monitor&);                      \
  template DeviceCriticalPoints find_critical_points<3, T>(const GridLattice&, const Buffer<T>&, \
                                                           const Monitor&)
#include <tessera/mesh/detail/instantiate_fields.inc>

}  // namespace tessera::detail::cuda
