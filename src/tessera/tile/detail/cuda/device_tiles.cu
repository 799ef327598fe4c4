#include <tessera/tile/detail/cuda/device_tiles.h>

#include <algorithm>
#include <bit>
#include <span>
#include <utility>
#include <vector>

#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/primitives.h>
#include <tessera/tile/detail/star.h>
#include <tessera/exec/for_each.cuh>
#include <tessera/tile/detail/cuda/tile_block.cuh>

namespace tessera::detail {
namespace {

using std::size_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

constexpr int block_threads = 256;
constexpr int most_table_bits = 13;
constexpr uint32_t most_ghosts = 1u << (most_table_bits - 1);
constexpr uint32_t most_corners = 0xFFFFu;   // stars count in 16 bits
constexpr size_t kernel_scratch = 24 << 10;  // shared memory that kernels need besides the tile

/// Whether kernels that lay out so much shared memory for the largest of all tiles have room for this one:
/// see TileStarsBlock, and 8 bytes a vertex for what they keep of it. Each array has its share, because the
/// tile with most cells need not be that with most ghosts.
TS_HD bool has_room(const TileSizes& sizes, size_t bytes) {
  const size_t shared = bytes - 12 * most_device_vertices - 256;
  return 8 * size_t{sizes.cells} <= shared / 2 && 8 * size_t{sizes.vertices} <= shared / 6 &&
         2 * size_t{sizes.corners} <= shared / 3;
}

/// The ids of a tile's ghosts in shared memory, in twice as many slots as there may be.
class GhostTable {
 public:
  static constexpr uint32_t free = 0xFFFFFFFFu;

  __device__ GhostTable(uint32_t* slots, int bits, uint32_t* count)
      : slots_(slots), bits_(bits), count_(count) {}

  [[nodiscard]] __device__ uint32_t size() const { return 1u << bits_; }
  __device__ void clear(const BlockTeam& team) const {
    team.for_each(size(), [&](uint32_t i) { slots_[i] = free; });
    if (team.rank() == 0) *count_ = 0;
    team.sync();
  }
  /// Stops taking new ids when there are too many.
  __device__ void insert(uint32_t id) const {
    for (uint32_t at = start(id); *static_cast<volatile uint32_t*>(count_) <= size() / 2; at = after(at)) {
      uint32_t known = *static_cast<volatile uint32_t*>(slots_ + at);
      if (known == free) {
        known = atomicCAS(slots_ + at, free, id);
        if (known == free) atomicAdd(count_, 1u);
      }
      if (known == free || known == id) return;
    }
  }
  /// The slot of an id that is there.
  [[nodiscard]] __device__ uint32_t find(uint32_t id) const {
    uint32_t at = start(id);
    while (slots_[at] != id) at = after(at);
    return at;
  }
  [[nodiscard]] __device__ uint32_t operator[](uint32_t slot) const { return slots_[slot]; }

 private:
  [[nodiscard]] __device__ uint32_t start(uint32_t id) const { return (id * 0x9E3779B1u) >> (32 - bits_); }
  [[nodiscard]] __device__ uint32_t after(uint32_t slot) const { return (slot + 1) & (size() - 1); }

  uint32_t* slots_;
  int bits_;
  uint32_t* count_;
};

/// A tile of cells in global ids.
template <int Dim>
struct GlobalTile {
  using Cell = typename DeviceTiles<Dim>::Cell;

  uint32_t first_vertex, end_vertex;
  uint32_t externals, cells;
  uint32_t first_cell;
  const uint32_t* external;
  const Cell* all_cells;

  __device__ GlobalTile(const cuda::TilesView<Dim>& tiles, const Cell* mesh_cells, uint32_t t)
      : first_vertex(tiles.first_vertex[t]),
        end_vertex(tiles.first_vertex[t + 1]),
        externals(tiles.first_external[t + 1] - tiles.first_external[t]),
        cells(externals + tiles.first_cell[t + 1] - tiles.first_cell[t]),
        first_cell(tiles.first_cell[t]),
        external(tiles.external + tiles.first_external[t]),
        all_cells(mesh_cells) {}

  [[nodiscard]] __device__ bool is_owned(uint32_t v) const { return v >= first_vertex && v < end_vertex; }
  [[nodiscard]] __device__ const Cell& cell(uint32_t i) const {
    return all_cells[i < externals ? external[i] : first_cell + i - externals];
  }
};

/// How many ghosts a tile has, whether kernels can work on it, and how large the largest of those are.
template <int Dim>
__global__ void count_ghosts(cuda::TilesView<Dim> tiles, const typename DeviceTiles<Dim>::Cell* cells,
                             size_t shared_limit, uint32_t* ghost_count, uint8_t* is_left_to_host,
                             TileSizes* largest) {
  __shared__ uint32_t scan_space[BlockTeam::max_warps];
  __shared__ uint32_t slots[1u << most_table_bits];
  __shared__ uint32_t count;
  __shared__ uint32_t corners;
  const BlockTeam team(scan_space);
  const GlobalTile<Dim> tile(tiles, cells, blockIdx.x);
  const GhostTable table(slots, most_table_bits, &count);
  if (team.rank() == 0) corners = 0;
  table.clear(team);
  uint32_t mine = 0;
  team.for_each(tile.cells, [&](uint32_t i) {
    const auto cell = tile.cell(i);
    for (int k = 0; k <= Dim; ++k) {
      if (tile.is_owned(cell[k])) {
        ++mine;
      } else {
        table.insert(cell[k]);
      }
    }
  });
  mine = __reduce_add_sync(cuda::whole_warp, mine);
  if (team.rank() % 32 == 0) atomicAdd(&corners, mine);
  team.sync();
  if (team.rank() != 0) return;
  const uint32_t owned = tile.end_vertex - tile.first_vertex;
  const TileSizes sizes = {owned, owned + count, tile.cells, corners};
  const bool fits = count <= most_ghosts && sizes.vertices < 0xFFFFu && corners <= most_corners &&
                    sizes.cells <= 0xFFFFu && has_room(sizes, shared_limit);
  ghost_count[blockIdx.x] = fits ? count : 0;
  is_left_to_host[blockIdx.x] = fits ? 0 : 1;
  if (!fits) return;
  atomicMax(&largest->owned, sizes.owned);
  atomicMax(&largest->vertices, sizes.vertices);
  atomicMax(&largest->cells, sizes.cells);
  atomicMax(&largest->corners, sizes.corners);
}

/// Sorts the ids of a power of two ascending.
__device__ void bitonic_sort(const BlockTeam& team, uint32_t* ids, uint32_t size) {
  for (uint32_t width = 2; width <= size; width *= 2) {
    for (uint32_t step = width / 2; step > 0; step /= 2) {
      team.for_each(size / 2, [&](uint32_t i) {
        const uint32_t low = 2 * step * (i / step) + i % step;
        const bool ascends = (low & width) == 0;
        const uint32_t a = ids[low];
        const uint32_t b = ids[low + step];
        if ((a > b) == ascends) {
          ids[low] = b;
          ids[low + step] = a;
        }
      });
      team.sync();
    }
  }
}

/// What number_tile needs.
struct NumberSpace {
  uint32_t* slots;
  uint32_t* ghosts;
  uint16_t* numbers;  ///< of ghosts, by slot

  TS_HD NumberSpace(cuda::SharedSpace& space, int table_bits)
      : slots(space.take<uint32_t>(1u << table_bits)),
        ghosts(space.take<uint32_t>(1u << (table_bits - 1))),
        numbers(space.take<uint16_t>(1u << table_bits)) {}
};

/// Sorts a tile's ghosts and writes its cells in local numbers.
template <int Dim>
__global__ void number_tile(cuda::TilesView<Dim> tiles, const typename DeviceTiles<Dim>::Cell* cells,
                            int table_bits, uint32_t* ghosts_out, uint32_t* lower_ghosts,
                            LocalCell* local_cells) {
  extern __shared__ __align__(16) char memory[];
  __shared__ uint32_t scan_space[BlockTeam::max_warps];
  __shared__ uint32_t count;
  __shared__ uint32_t taken;
  __shared__ uint32_t lower;
  const uint32_t t = blockIdx.x;
  if (tiles.is_left_to_host[t] != 0) {
    if (threadIdx.x == 0) lower_ghosts[t] = 0;
    return;
  }
  cuda::SharedSpace shared(memory);
  const NumberSpace space(shared, table_bits);
  uint32_t* const ghosts = space.ghosts;
  const BlockTeam team(scan_space);
  const GlobalTile<Dim> tile(tiles, cells, t);
  const GhostTable table(space.slots, table_bits, &count);
  if (team.rank() == 0) taken = lower = 0;
  table.clear(team);
  team.for_each(tile.cells, [&](uint32_t i) {
    const auto cell = tile.cell(i);
    for (int k = 0; k <= Dim; ++k) {
      if (!tile.is_owned(cell[k])) table.insert(cell[k]);
    }
  });
  team.sync();
  const uint32_t ghost_count = count;
  uint32_t padded = 2;
  while (padded < ghost_count) padded *= 2;
  team.for_each(table.size(), [&](uint32_t i) {
    if (table[i] == GhostTable::free) return;
    ghosts[atomicAdd(&taken, 1u)] = table[i];
    if (table[i] < tile.first_vertex) atomicAdd(&lower, 1u);
  });
  for (uint32_t i = ghost_count + team.rank(); i < padded; i += team.size()) ghosts[i] = GhostTable::free;
  team.sync();
  bitonic_sort(team, ghosts, padded);
  uint32_t* const out = ghosts_out + tiles.first_ghost[t];
  team.for_each(ghost_count, [&](uint32_t i) {
    space.numbers[table.find(ghosts[i])] = static_cast<uint16_t>(i);
    out[i] = ghosts[i];
  });
  if (team.rank() == 0) lower_ghosts[t] = lower;
  team.sync();
  const uint32_t owned = tile.end_vertex - tile.first_vertex;
  LocalCell* const cells_out = local_cells + tiles.first_external[t] + tile.first_cell;
  team.for_each(tile.cells, [&](uint32_t i) {
    const auto cell = tile.cell(i);
    LocalCell local = {};
    for (int k = 0; k <= Dim; ++k) {
      uint32_t number = cell[k] - tile.first_vertex + lower;
      if (!tile.is_owned(cell[k])) {
        number = space.numbers[table.find(cell[k])];
        if (number >= lower) number += owned;
      }
      local.corner[k] = static_cast<uint16_t>(number);
    }
    cells_out[i] = local;
  });
}

/// What find_boundary_kernel needs.
template <int Dim>
struct BoundarySpace {
  cuda::TileStarsBlock<Dim> stars;
  // For each warp and neighbour a set of neighbours: those in a later slot with a facet between them (of
  // triangles, itself), and of these the ones with two cells there. Words of 32 bits, which shared memory ORs
  // by itself.
  static constexpr uint32_t words = 2 * cuda::NeighbourSlots::count;
  uint32_t* once;
  uint32_t* twice;
  uint32_t* slots;

  TS_HD BoundarySpace(cuda::SharedSpace& space, const TileSizes& largest, uint32_t warps)
      : stars(space, largest),
        once(space.take<uint32_t>(words * warps)),
        twice(space.take<uint32_t>(words * warps)),
        slots(space.take<uint32_t>(cuda::NeighbourSlots::count * warps)) {}
};

/// Which owned vertices have a facet with one cell: a warp for each.
template <int Dim>
__global__ void find_boundary_kernel(cuda::TilesView<Dim> tiles, uint8_t* on_boundary,
                                     uint8_t* is_left_to_host) {
  extern __shared__ __align__(16) char memory[];
  __shared__ uint32_t scan_space[BlockTeam::max_warps];
  const uint32_t t = blockIdx.x;
  if (tiles.is_left_to_host[t] != 0) return;
  cuda::SharedSpace shared(memory);
  const uint32_t warps = blockDim.x / 32;
  const uint32_t warp = threadIdx.x / 32;
  const uint32_t lane = threadIdx.x % 32;
  const BoundarySpace<Dim> space(shared, tiles.largest, warps);
  const cuda::TileStarsBlock<Dim>& stars = space.stars;
  uint32_t* const once = space.once + space.words * warp;
  uint32_t* const twice = space.twice + space.words * warp;
  const cuda::NeighbourSlots slots(space.slots + cuda::NeighbourSlots::count * warp);
  const cuda::TileFrame<Dim> tile(tiles, t);
  stars.load(BlockTeam(scan_space), tile);
  for (uint32_t v = warp; v < tile.owned; v += warps) {
    slots.clear(lane);
    for (uint32_t i = lane; i < space.words; i += 32) once[i] = twice[i] = 0;
    __syncwarp();
    bool fits = true;
    for (uint32_t i = stars.begin(v) + lane; i < stars.end(v); i += 32) {
      const LocalCell cell = stars.cells[stars.star[i]];
      uint32_t numbers[Dim];
      int n = 0;
      for (int k = 0; k <= Dim; ++k) {
        if (cell.corner[k] == v + tile.lower) continue;
        const uint32_t slot = slots.insert(cell.corner[k]);
        fits &= slot < slots.count;
        numbers[n++] = slot % slots.count;
      }
      const auto mark = [&](uint32_t a, uint32_t b) {
        const uint32_t word = 2 * min(a, b) + max(a, b) / 32;
        const uint32_t bit = 1u << max(a, b) % 32;
        if ((atomicOr(once + word, bit) & bit) != 0) atomicOr(twice + word, bit);
      };
      if constexpr (Dim == 2) {
        for (const uint32_t number : numbers) mark(number, number);
      } else {
        mark(numbers[0], numbers[1]), mark(numbers[0], numbers[2]), mark(numbers[1], numbers[2]);
      }
    }
    __syncwarp();
    bool single = false;
    for (uint32_t i = lane; i < space.words; i += 32) single |= (once[i] & ~twice[i]) != 0;
    const bool is_there = __any_sync(cuda::whole_warp, single);
    const bool all_fit = __all_sync(cuda::whole_warp, fits);
    if (lane == 0) {
      on_boundary[tile.first_vertex + v] = is_there ? 1 : 0;
      if (!all_fit) is_left_to_host[t] = 2;
    }
    __syncwarp();
  }
}

/// The same on the host for vertices of one tile.
template <int Dim>
void find_boundary_on_host(const TiledMesh<Dim>& tiles, uint32_t begin, uint32_t end,
                           Array<uint8_t>& on_boundary) {
  TileView<Dim> view;
  view.load(tiles, tiles.tile_of(tiled::VertexId(begin)));
  std::vector<std::array<uint32_t, 2>> facets;  // around v: its other vertices
  for (uint32_t v = begin; v < end; ++v) {
    const uint32_t own = v - view.owned().begin;
    facets.clear();
    for (const uint32_t c : view.star(tiled::VertexId(v))) {
      const auto& cell = view.cell(c);
      for (int i = 0; i <= Dim; ++i) {
        if (cell[i] == own) continue;
        if (Dim == 2) facets.push_back({cell[i], 0});
        for (int j = i + 1; Dim == 3 && j <= Dim; ++j) {
          if (cell[j] != own) facets.push_back({std::min(cell[i], cell[j]), std::max(cell[i], cell[j])});
        }
      }
    }
    std::sort(facets.begin(), facets.end());
    bool single = false;
    for (size_t i = 0; i < facets.size(); ++i) {
      const bool as_before = i > 0 && facets[i] == facets[i - 1];
      const bool as_after = i + 1 < facets.size() && facets[i] == facets[i + 1];
      single |= !as_before && !as_after;
    }
    on_boundary[v] = single ? 1 : 0;
  }
}

size_t shared_limit(const Exec& exec) {
  int bytes = 0;
  check_cuda(exec, cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, exec.device()),
             "asking for its shared memory");
  return static_cast<size_t>(bytes) - kernel_scratch;
}

}  // namespace

template <int Dim>
void DeviceTiles<Dim>::number_tiles() {
  is_left_to_host = Buffer<uint8_t>(exec_, tile_count_);
  lower_ghosts = Buffer<uint32_t>(exec_, tile_count_);
  first_ghost = Buffer<uint32_t>(exec_, size_t{tile_count_} + 1);
  local_cells = Buffer<LocalCell>(exec_, size_t{cell_count_} + external.size());
  const TileSizes nothing;
  Buffer<TileSizes> largest(exec_, std::span(&nothing, 1));
  Buffer<uint32_t> counts(exec_, tile_count_);
  const size_t limit = shared_limit(exec_);
  cuda::launch_tiles(exec_, tile_count_, block_threads, 0, count_ghosts<Dim>, "counting ghosts",
                     cuda::TilesView<Dim>(*this), cells.data(), limit, counts.data(), is_left_to_host.data(),
                     largest.data());
  largest_ = largest.to_host()[0];
  exclusive_scan<uint32_t, uint32_t>(exec_, counts.span(), first_ghost.span());
  ghosts = Buffer<uint32_t>(exec_, reduce_sum<uint32_t>(exec_, std::as_const(counts).span()));
  const int table_bits =
      std::clamp(static_cast<int>(std::bit_width(2 * largest_.vertices)), 4, most_table_bits);
  cuda::SharedSpace space(nullptr);
  (void)NumberSpace(space, table_bits);
  cuda::launch_tiles(exec_, tile_count_, block_threads, space.bytes(), number_tile<Dim>, "numbering tiles",
                     cuda::TilesView<Dim>(*this), cells.data(), table_bits, ghosts.data(),
                     lower_ghosts.data(), local_cells.data());
}

template <int Dim>
void DeviceTiles<Dim>::find_boundary() {
  on_boundary = Buffer<uint8_t>(exec_, vertex_count_);
  cuda::SharedSpace space(nullptr);
  (void)BoundarySpace<Dim>(space, largest_, block_threads / 32);
  cuda::launch_tiles(exec_, tile_count_, block_threads, space.bytes(), find_boundary_kernel<Dim>,
                     "finding the boundary", cuda::TilesView<Dim>(*this), on_boundary.data(),
                     is_left_to_host.data());
  const Array<uint8_t> flags = is_left_to_host.to_host();
  for (uint32_t t = 0; t < tile_count_; ++t) {
    if (flags[t] != 0) host_tiles_.push_back(t);
  }
}

template <int Dim>
void DeviceTiles<Dim>::find_host_boundary(const TiledMesh<Dim>& tiles) {
  if (host_tiles_.empty()) return;
  Array<uint8_t> all = on_boundary.to_host();
  host::for_each_chunk(exec_.threads(), host_tiles_.size(), 1, [&](host::Range range, int) {
    const uint32_t t = host_tiles_[range.begin];
    find_boundary_on_host(tiles, cut_[t], cut_[t + 1], all);
  });
  on_boundary.assign(all);
}

template <int Dim>
Bytes DeviceTiles<Dim>::bytes() const {
  return first_vertex.bytes() + first_cell.bytes() + first_external.bytes() + first_ghost.bytes() +
         lower_ghosts.bytes() + is_left_to_host.bytes() + external.bytes() + ghosts.bytes() +
         local_cells.bytes() + cells.bytes() + foreign.bytes() + on_boundary.bytes() +
         vertex_to_input.bytes() + cell_to_input.bytes() + turned.bytes();
}

template class DeviceTiles<2>;
template class DeviceTiles<3>;

}  // namespace tessera::detail
