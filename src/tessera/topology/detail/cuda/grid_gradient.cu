// The gradient of a grid on a device: a thread pairs the lower star of a vertex, as the host does
// (grid_lower_star.h), with the tables of a star in shared memory.
//
// Pairs take 10 bytes a vertex: the word of a vertex is written by its thread, the digits of top cells are
// added to the words of their lowest vertices by atomics, since they come from several stars. Critical cells
// are few. They are appended to a list, which is sorted.
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

/// Critical cells in no order. Keys hold their dimension above what orders those of one dimension, which has
/// less than 613 million vertices' numbers of triangles: 37 bits.
struct Critical {
  static constexpr uint32_t dimension_shift = 40;
  static constexpr int key_bits = dimension_shift + 2;

  uint64_t* keys;
  CriticalCell* cells;
  uint32_t* counts;  ///< by dimension; then all
  uint32_t capacity;
};
constexpr uint32_t all_critical = 4;

template <int Dim>
struct View {
  GridOrderView order;
  std::array<uint32_t, 3> dims;
  std::array<std::int32_t, grid_neighbours> steps;
  uint32_t vertices;
  uint64_t* rows;
  uint32_t* tops;  ///< two vertices a word, the first in the lower half
  Critical critical;
};

/// Where a thread writes what a lower star gives.
struct Writer {
  uint32_t* tops;
  Critical critical;

  __device__ void add_critical(const CellName& name, uint32_t v, uint64_t key) {
    atomicAdd(critical.counts + name.dimension, 1u);
    const uint32_t at = atomicAdd(critical.counts + all_critical, 1u);
    if (at >= critical.capacity) return;
    critical.keys[at] = uint64_t{name.dimension} << Critical::dimension_shift | key;
    critical.cells[at].name = name;
    critical.cells[at].highest = VertexId(v);
  }
  __device__ void add_top(uint32_t v, uint16_t added) {
    atomicAdd(tops + v / 2, uint32_t{added} << (v % 2 * 16));
  }
};

template <int Dim>
__global__ void __launch_bounds__(threads)
    pair_kernel(const __grid_constant__ View<Dim> grid, const GridStarTables<Dim>* constants) {
  using Tables = GridStarTables<Dim>;
  constexpr uint32_t words = sizeof(Tables) / sizeof(uint64_t);
  static_assert(sizeof(Tables) == words * sizeof(uint64_t));
  __shared__ uint64_t copy[words];
  for (uint32_t i = threadIdx.x; i < words; i += threads)
    copy[i] = reinterpret_cast<const uint64_t*>(constants)[i];
  __syncthreads();
  const Tables& tables = *reinterpret_cast<const Tables*>(copy);
  const size_t first = size_t{blockIdx.x} * threads * vertices_of_thread + threadIdx.x;
  for (uint32_t i = 0; i < vertices_of_thread; ++i) {
    const size_t at = first + size_t{i} * threads;
    if (at >= grid.vertices) return;
    const auto v = static_cast<uint32_t>(at);
    const uint32_t row = v / grid.dims[0];
    const uint32_t x = v - row * grid.dims[0];
    const uint32_t z = row / grid.dims[1];
    const uint32_t y = row - z * grid.dims[1];
    const GridSurrounding around(AxisPlace(x, grid.dims[0]), AxisPlace(y, grid.dims[1]),
                                 AxisPlace(z, grid.dims[2]));
    std::int32_t values[16] = {};
#pragma unroll
    for (uint32_t k = 0; k < grid_neighbours; ++k) {
      const bool is_there = (around.present >> k & 1) != 0;
      values[k] = grid.order.signed_value(is_there ? v + static_cast<uint32_t>(grid.steps[k]) : v);
    }
    const LowerNeighbours lower = rank_lower(values, grid.order.signed_value(v), around.present);
    Writer writer{grid.tops, grid.critical};
    LowerStarSink<Dim, Writer> sink(tables, grid.steps.data(), v, writer);
    grid.rows[v] = pair_lower_star(tables, lower, sink);
  }
}

/// The buffers of Critical.
struct CriticalBuffers {
  CriticalBuffers(const Exec& exec, size_t capacity)
      : keys(exec, capacity), cells(exec, capacity), counts(exec, std::span<const uint32_t>(none)) {}
  [[nodiscard]] Critical view() {
    return {keys.data(), cells.data(), counts.data(), static_cast<uint32_t>(keys.size())};
  }

  static constexpr std::array<uint32_t, 5> none = {};
  Buffer<uint64_t> keys;
  Buffer<CriticalCell> cells;
  Buffer<uint32_t> counts;
};

/// By dimension and key.
Buffer<CriticalCell> sort_cells(CriticalBuffers& found, size_t count) {
  const Exec& exec = found.keys.exec();
  Buffer<uint32_t> places(exec, count);
  uint32_t* place = places.data();
  cuda::for_each(exec, count, [=] __device__(size_t i) { place[i] = static_cast<uint32_t>(i); });
  sort_pairs<uint64_t, uint32_t>(exec, found.keys.span().first(count), places.span(), Critical::key_bits);
  Buffer<CriticalCell> sorted(exec, count);
  CriticalCell* to = sorted.data();
  const CriticalCell* from = found.cells.data();
  cuda::for_each(exec, count, [=] __device__(size_t i) { to[i] = from[place[i]]; });
  return sorted;
}

}  // namespace

template <int Dim>
DeviceGridGradient pair_grid(const GridLattice& lattice, const GridOrderView& order, const Exec& exec,
                             const Monitor& monitor) {
  const CurrentDevice current(exec);
  const size_t vertices = lattice.rows() * lattice.dims[0];
  const Buffer<GridStarTables<Dim>> tables(exec, std::span(&grid_star_tables<Dim>, 1));
  DeviceGridGradient made;
  made.rows = Buffer<uint64_t>(exec, vertices);
  made.tops = Buffer<uint16_t>(exec, vertices + vertices % 2);
  View<Dim> view = {.order = order,
                    .dims = lattice.dims,
                    .steps = {},
                    .vertices = static_cast<uint32_t>(vertices),
                    .rows = made.rows.data(),
                    .tops = reinterpret_cast<uint32_t*>(made.tops.data()),
                    .critical = {}};
  for (size_t k = 0; k < grid_neighbours; ++k) view.steps[k] = static_cast<std::int32_t>(lattice.step(k));
  const size_t of_block = size_t{threads} * vertices_of_thread;
  // Most fields have fewer critical cells than this; if not, the kernel has counted them.
  for (size_t capacity = vertices / 16 + 1024;;) {
    monitor.update("computing the gradient", 0.2);
    CriticalBuffers found(exec, capacity);
    view.critical = found.view();
    uint32_t* tops = view.tops;
    cuda::for_each(exec, made.tops.size() / 2, [=] __device__(size_t i) { tops[i] = 0; });
    pair_kernel<Dim><<<grid_blocks((vertices + of_block - 1) / of_block), threads, 0, cuda_stream(exec)>>>(
        view, tables.data());
    check_launch(exec, "computing the gradient");
    const Array<uint32_t> counts = found.counts.to_host();
    std::copy_n(counts.begin(), made.counts.size(), made.counts.begin());
    const size_t needed = counts[all_critical];
    if (needed <= capacity) {
      monitor.update("computing the gradient", 0.6);
      made.critical = sort_cells(found, needed);
      return made;
    }
    capacity = needed;
  }
}

template DeviceGridGradient pair_grid<2>(const GridLattice&, const GridOrderView&, const Exec&,
                                         const Monitor&);
template DeviceGridGradient pair_grid<3>(const GridLattice&, const GridOrderView&, const Exec&,
                                         const Monitor&);

}  // namespace tessera::detail::cuda
