// The gradient of a grid on a device: a thread pairs the lower star of a vertex, as the host does
// (grid_lower_star.h), with the tables of a star in shared memory.
//
// Pairs take 10 bytes a vertex: the word of a vertex is written by its thread, the digits of top cells are
// added to the words of their lowest vertices by atomics, since they come from several stars. Critical cells
// are gathered by each warp in shared memory and appended to a list, which is sorted.
#include <algorithm>
#include <array>
#include <span>

#include <tessera/core/detail/monitor.h>
#include <tessera/exec/primitives.h>
#include <tessera/topology/detail/cuda/grid_analyses.h>
#include <tessera/topology/detail/grid_lower_star.h>
#include <tessera/exec/cuda.cuh>
#include <tessera/exec/for_each.cuh>

namespace tessera::detail::cuda {
namespace {

using std::size_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;

constexpr uint32_t threads = 256;
constexpr uint32_t vertices_of_thread = 8;

/// Keys hold the dimension of a cell above what orders those of one dimension, which ends below 2^37: the
/// numbers of triangles at 613 million vertices.
constexpr uint32_t dimension_shift = 40;
constexpr int key_bits = dimension_shift + 2;

/// A critical cell as it is found. Shared memory holds nothing that initializes itself.
struct Found {
  uint64_t key;
  uint32_t id;
  uint32_t low;
  uint32_t highest;

  [[nodiscard]] __device__ CriticalCell cell() const {
    CriticalCell cell;
    cell.name = {id, low, static_cast<uint32_t>(key >> dimension_shift)};
    cell.highest = VertexId(highest);
    return cell;
  }
};

/// Critical cells in no order.
struct Critical {
  uint64_t* keys;
  CriticalCell* cells;
  uint32_t* count;
  uint32_t capacity;

  __device__ void write(uint32_t at, const Found& found) const {
    if (at >= capacity) return;  // they are counted
    keys[at] = found.key;
    cells[at] = found.cell();
  }
};

/// Those that a warp has found, until there are many.
struct Gathered {
  static constexpr uint32_t room = 96;

  Found found[room];
  uint32_t count;  ///< may be above room: the others have gone to the list

  __device__ void add(const Critical& to, const Found& one) {
    const uint32_t at = atomicAdd(&count, 1u);
    if (at >= room) return to.write(atomicAdd(to.count, 1u), one);
    found[at] = one;
  }
  /// By all threads of the warp.
  __device__ void flush(const Critical& to) {
    const uint32_t lane = threadIdx.x % 32;
    __syncwarp();
    const uint32_t held = min(count, room);
    uint32_t begin = 0;
    if (lane == 0 && held != 0) begin = atomicAdd(to.count, held);
    begin = __shfl_sync(~0u, begin, 0);
    for (uint32_t i = lane; i < held; i += 32) to.write(begin + i, found[i]);
    __syncwarp();
    if (lane == 0) count = 0;
    __syncwarp();
  }
};

struct View {
  FieldOrderView order;
  std::array<uint32_t, 3> dims;
  std::array<std::int32_t, grid_neighbours> steps;
  uint32_t vertices;
  uint64_t* rows;
  uint32_t* tops;  ///< two vertices a word, the first in the lower half
  Critical critical;
};

/// Where a thread writes what a lower star gives (LowerStarSink).
struct Writer {
  uint32_t* tops;
  const Critical* critical;
  Gathered* gathered;

  __device__ void add_critical(const CellName& name, uint32_t v, uint64_t key) {
    gathered->add(*critical, {uint64_t{name.dimension} << dimension_shift | key, name.id, name.low, v});
  }
  __device__ void add_top(uint32_t v, uint16_t added) {
    atomicAdd(tops + v / 2, uint32_t{added} << (v % 2 * 16));
  }
};

template <int Dim>
__device__ void pair_vertex(const View& grid, const GridStarTables<Dim>& tables, uint32_t v,
                            Gathered& gathered) {
  const uint32_t row = v / grid.dims[0];
  const uint32_t z = row / grid.dims[1];
  const GridSurrounding around(AxisPlace(v - row * grid.dims[0], grid.dims[0]),
                               AxisPlace(row - z * grid.dims[1], grid.dims[1]), AxisPlace(z, grid.dims[2]));
  std::int32_t values[16] = {};
#pragma unroll
  for (uint32_t k = 0; k < grid_neighbours; ++k) {
    const bool is_there = (around.present >> k & 1) != 0;
    values[k] = grid.order.signed_value(is_there ? v + static_cast<uint32_t>(grid.steps[k]) : v);
  }
  const LowerNeighbours lower = rank_lower(values, grid.order.signed_value(v), around.present);
  Writer writer{grid.tops, &grid.critical, &gathered};
  LowerStarSink<Dim, Writer> sink(tables, grid.steps.data(), v, writer);
  grid.rows[v] = pair_lower_star(tables, lower, sink);
}

template <int Dim>
__global__ void __launch_bounds__(threads)
    pair_kernel(const __grid_constant__ View grid, const GridStarTables<Dim>* constants) {
  using Tables = GridStarTables<Dim>;
  constexpr uint32_t words = sizeof(Tables) / sizeof(uint64_t);
  static_assert(sizeof(Tables) == words * sizeof(uint64_t));
  __shared__ uint64_t copy[words];
  __shared__ Gathered gathered_of_warps[threads / 32];
  for (uint32_t i = threadIdx.x; i < words; i += threads)
    copy[i] = reinterpret_cast<const uint64_t*>(constants)[i];
  Gathered& gathered = gathered_of_warps[threadIdx.x / 32];
  if (threadIdx.x % 32 == 0) gathered.count = 0;
  __syncthreads();
  const Tables& tables = *reinterpret_cast<const Tables*>(copy);
  const size_t first = size_t{blockIdx.x} * threads * vertices_of_thread + threadIdx.x;
  for (uint32_t i = 0; i < vertices_of_thread; ++i) {
    const size_t v = first + size_t{i} * threads;
    if (v < grid.vertices) pair_vertex(grid, tables, static_cast<uint32_t>(v), gathered);
    __syncwarp();
    if (gathered.count > Gathered::room / 2) gathered.flush(grid.critical);
    __syncwarp();
  }
  gathered.flush(grid.critical);
}

/// Sorts the critical cells by dimension and key.
void sort_critical(std::span<uint64_t> keys, const Buffer<CriticalCell>& cells, DeviceGridGradient& made) {
  const Exec& exec = cells.exec();
  Buffer<uint32_t> places(exec, keys.size());
  uint32_t* place = places.data();
  cuda::for_each(exec, keys.size(), [=] __device__(size_t i) { place[i] = static_cast<uint32_t>(i); });
  sort_pairs<uint64_t, uint32_t>(exec, keys, places.span(), key_bits);
  made.critical = Buffer<CriticalCell>(exec, keys.size());
  CriticalCell* to = made.critical.data();
  const CriticalCell* from = cells.data();
  cuda::for_each(exec, keys.size(), [=] __device__(size_t i) { to[i] = from[place[i]]; });
  // Where the cells of each dimension end.
  Buffer<uint32_t> ends(exec, made.counts.size());
  uint32_t* end = ends.data();
  const uint64_t* sorted = keys.data();
  const auto count = static_cast<uint32_t>(keys.size());
  cuda::for_each(exec, ends.size(), [=] __device__(size_t d) {
    uint32_t low = 0;
    for (uint32_t high = count; low < high;) {
      const uint32_t middle = low + (high - low) / 2;
      if (sorted[middle] >> dimension_shift <= d)
        low = middle + 1;
      else
        high = middle;
    }
    end[d] = low;
  });
  const Array<uint32_t> on_host = ends.to_host();
  for (size_t d = 0; d < on_host.size(); ++d) made.counts[d] = on_host[d] - (d > 0 ? on_host[d - 1] : 0);
}

}  // namespace

template <int Dim>
DeviceGridGradient pair_grid(const GridLattice& lattice, const FieldOrderView& order, const Exec& exec,
                             const Monitor& monitor) {
  const CurrentDevice current(exec);
  const size_t vertices = lattice.rows() * lattice.dims[0];
  const Buffer<GridStarTables<Dim>> tables(exec, std::span(&grid_star_tables<Dim>, 1));
  DeviceGridGradient made;
  made.rows = Buffer<uint64_t>(exec, vertices);
  made.tops = Buffer<uint16_t>(exec, vertices + vertices % 2);
  View view = {.order = order,
               .dims = lattice.dims,
               .steps = {},
               .vertices = static_cast<uint32_t>(vertices),
               .rows = made.rows.data(),
               .tops = reinterpret_cast<uint32_t*>(made.tops.data()),
               .critical = {}};
  for (size_t k = 0; k < grid_neighbours; ++k) view.steps[k] = static_cast<std::int32_t>(lattice.step(k));
  const size_t of_block = size_t{threads} * vertices_of_thread;
  const unsigned blocks = grid_blocks((vertices + of_block - 1) / of_block);
  // Only noise has more critical cells than this. If there are more, the kernel has counted them.
  for (size_t capacity = vertices / 4 + 1024;;) {
    monitor.update("computing the gradient", 0.2);
    Buffer<uint64_t> keys(exec, capacity);
    Buffer<CriticalCell> cells(exec, capacity);
    const uint32_t none = 0;
    Buffer<uint32_t> count(exec, std::span(&none, 1));
    view.critical = {keys.data(), cells.data(), count.data(), static_cast<uint32_t>(capacity)};
    uint32_t* tops = view.tops;
    cuda::for_each(exec, made.tops.size() / 2, [=] __device__(size_t i) { tops[i] = 0; });
    pair_kernel<Dim><<<blocks, threads, 0, cuda_stream(exec)>>>(view, tables.data());
    check_launch(exec, "computing the gradient");
    const size_t needed = count.to_host()[0];
    if (needed <= capacity) {
      monitor.update("computing the gradient", 0.6);
      sort_critical(keys.span().first(needed), cells, made);
      return made;
    }
    capacity = needed;
  }
}

template DeviceGridGradient pair_grid<2>(const GridLattice&, const FieldOrderView&, const Exec&,
                                         const Monitor&);
template DeviceGridGradient pair_grid<3>(const GridLattice&, const FieldOrderView&, const Exec&,
                                         const Monitor&);

}  // namespace tessera::detail::cuda
