// A tile in the shared memory of the block of threads that works on it: cells in local numbers, and the cells
// around each owned vertex.
#pragma once

#include <cstdint>

#include <tessera/tile/detail/cuda/device_tiles.h>
#include <tessera/exec/detail/team.cuh>

namespace tessera::detail::cuda {

/// What kernels see of DeviceTiles.
template <int Dim>
struct TilesView {
  explicit TilesView(const DeviceTiles<Dim>& tiles)
      : first_vertex(tiles.first_vertex.data()),
        first_cell(tiles.first_cell.data()),
        first_external(tiles.first_external.data()),
        first_ghost(tiles.first_ghost.data()),
        lower_ghosts(tiles.lower_ghosts.data()),
        is_left_to_host(tiles.is_left_to_host.data()),
        external(tiles.external.data()),
        foreign(tiles.foreign.data()),
        foreign_count(static_cast<std::uint32_t>(tiles.foreign.size())),
        cell_shift(tiles.cell_shift()),
        ghosts(tiles.ghosts.data()),
        local_cells(tiles.local_cells.data()),
        on_boundary(tiles.on_boundary.data()),
        cell_to_input(tiles.cell_to_input.data()),
        largest(tiles.largest()) {}

  /// The id of the c-th cell of the copy.
  [[nodiscard]] __device__ std::uint32_t cell_id(std::uint32_t c) const {
    return c < foreign_count ? foreign[c] : c + cell_shift;
  }
  [[nodiscard]] __device__ std::uint32_t cell_input(std::uint32_t c) const {
    return cell_to_input == nullptr ? c : cell_to_input[c];
  }

  const std::uint32_t* first_vertex;
  const std::uint32_t* first_cell;
  const std::uint32_t* first_external;
  const std::uint32_t* first_ghost;
  const std::uint32_t* lower_ghosts;
  const std::uint8_t* is_left_to_host;
  const std::uint32_t* external;
  const std::uint32_t* foreign;
  std::uint32_t foreign_count;
  std::uint32_t cell_shift;
  const std::uint32_t* ghosts;
  const LocalCell* local_cells;
  const std::uint8_t* on_boundary;
  const std::uint32_t* cell_to_input;
  TileSizes largest;
};

/// Where a tile lies, and its ids.
template <int Dim>
class TileFrame {
 public:
  __device__ TileFrame(const TilesView<Dim>& tiles, std::uint32_t t)
      : first_vertex(tiles.first_vertex[t]),
        owned(tiles.first_vertex[t + 1] - first_vertex),
        lower(tiles.lower_ghosts[t]),
        vertices(owned + tiles.first_ghost[t + 1] - tiles.first_ghost[t]),
        externals(tiles.first_external[t + 1] - tiles.first_external[t]),
        cells(externals + tiles.first_cell[t + 1] - tiles.first_cell[t]),
        tiles_(tiles),
        first_cell_(tiles.first_cell[t]),
        ghosts_(tiles.ghosts + tiles.first_ghost[t]),
        external_(tiles.external + tiles.first_external[t]),
        local_cells(tiles.local_cells + tiles.first_external[t] + first_cell_) {}

  [[nodiscard]] __device__ bool is_owned(std::uint32_t local) const { return local - lower < owned; }
  [[nodiscard]] __device__ std::uint32_t vertex_id(std::uint32_t local) const {
    if (is_owned(local)) return first_vertex + local - lower;
    return ghosts_[local < lower ? local : local - owned];
  }
  [[nodiscard]] __device__ std::uint32_t cell_id(std::uint32_t local) const {
    return tiles_.cell_id(local < externals ? external_[local] : first_cell_ + local - externals);
  }

  std::uint32_t first_vertex;
  std::uint32_t owned;
  std::uint32_t lower;     ///< ghosts before the owned vertices
  std::uint32_t vertices;  ///< owned ones and ghosts
  std::uint32_t externals;
  std::uint32_t cells;

 private:
  const TilesView<Dim>& tiles_;
  std::uint32_t first_cell_;
  const std::uint32_t* ghosts_;
  const std::uint32_t* external_;

 public:
  const LocalCell* local_cells;
};

/// Takes pieces of a block's shared memory, one after the other. The host asks the same class how much it is.
class SharedSpace {
 public:
  TS_HD explicit SharedSpace(char* memory) : memory_(memory) {}

  template <class T>
  TS_HD T* take(std::uint32_t count) {
    bytes_ = (bytes_ + 15) / 16 * 16;
    T* const piece = reinterpret_cast<T*>(memory_ + bytes_);
    bytes_ += sizeof(T) * static_cast<std::size_t>(count);
    return piece;
  }
  [[nodiscard]] TS_HD std::size_t bytes() const { return bytes_; }

 private:
  char* memory_;
  std::size_t bytes_ = 0;
};

/// The stars of a tile's vertices.
template <int Dim>
struct TileStarsBlock {
  LocalCell* cells;
  std::uint32_t* star_begin;  ///< by owned vertex, one more than there are
  std::uint16_t* star;        ///< local cells

  TS_HD TileStarsBlock(SharedSpace& space, const TileSizes& largest)
      : cells(space.take<LocalCell>(largest.cells)),
        star_begin(space.take<std::uint32_t>(largest.owned + 1)),
        star(space.take<std::uint16_t>(largest.corners)) {}

  /// Counts, scans and fills. The cells of a star come in no order. All threads call it; it synchronizes.
  __device__ void load(const BlockTeam& team, const TileFrame<Dim>& tile) const {
    for (std::uint32_t v = team.rank(); v <= tile.owned; v += team.size()) star_begin[v] = 0;
    team.sync();
    team.for_each(tile.cells, [&](std::uint32_t c) {
      const LocalCell cell = tile.local_cells[c];
      cells[c] = cell;
      for (int k = 0; k <= Dim; ++k) {
        if (tile.is_owned(cell.corner[k])) atomicAdd(&star_begin[cell.corner[k] - tile.lower], 1u);
      }
    });
    team.sync();
    team.exclusive_scan(star_begin, tile.owned + 1);
    team.for_each(tile.cells, [&](std::uint32_t c) {
      const LocalCell cell = cells[c];
      for (int k = 0; k <= Dim; ++k) {
        if (!tile.is_owned(cell.corner[k])) continue;
        star[atomicAdd(&star_begin[cell.corner[k] - tile.lower], 1u)] = static_cast<std::uint16_t>(c);
      }
    });
    team.sync();
    // Every beginning has moved to the end of its row, which is the beginning of the next one.
  }
  [[nodiscard]] __device__ std::uint32_t begin(std::uint32_t owned) const {
    return owned == 0 ? 0 : star_begin[owned - 1];
  }
  [[nodiscard]] __device__ std::uint32_t end(std::uint32_t owned) const { return star_begin[owned]; }
};

/// Neighbours of one vertex in a table of 64 slots that a warp fills together: the slot is the neighbour's
/// number, so that sets of neighbours are 64-bit masks.
class NeighbourSlots {
 public:
  static constexpr std::uint32_t count = 64;
  static constexpr std::uint32_t free = 0xFFFFFFFFu;

  __device__ explicit NeighbourSlots(std::uint32_t* slots) : slots_(slots) {}

  __device__ void clear(std::uint32_t lane) const {
    slots_[lane] = free;
    slots_[lane + 32] = free;
  }
  /// The slot of a neighbour, which takes one if it has none yet; `count` if there is none left.
  [[nodiscard]] __device__ std::uint32_t insert(std::uint32_t local) const {
    std::uint32_t at = (local * 0x9E3779B1u) >> 26;
    for (std::uint32_t tried = 0; tried < count; ++tried, at = (at + 1) % count) {
      std::uint32_t known = *static_cast<volatile std::uint32_t*>(slots_ + at);  // most are there already
      if (known == free) known = atomicCAS(slots_ + at, free, local);
      if (known == free || known == local) return at;
    }
    return count;
  }
  [[nodiscard]] __device__ std::uint32_t operator[](std::uint32_t slot) const { return slots_[slot]; }

 private:
  std::uint32_t* slots_;
};

inline constexpr std::uint32_t whole_warp = 0xFFFFFFFFu;

__device__ inline std::uint64_t bit64(std::uint32_t i) {
  return std::uint64_t{1} << i;
}
/// OR over the lanes of a warp.
__device__ inline std::uint64_t warp_or(std::uint64_t value) {
  const std::uint32_t low = __reduce_or_sync(whole_warp, static_cast<std::uint32_t>(value));
  const std::uint32_t high = __reduce_or_sync(whole_warp, static_cast<std::uint32_t>(value >> 32));
  return std::uint64_t{high} << 32 | low;
}
/// Which slots hold a condition: lane i speaks for slots i and i + 32.
__device__ inline std::uint64_t warp_slots(bool first, bool second) {
  const std::uint32_t low = __ballot_sync(whole_warp, first);
  const std::uint32_t high = __ballot_sync(whole_warp, second);
  return std::uint64_t{high} << 32 | low;
}

struct Warps {
  std::uint32_t count;
  std::size_t shared_bytes;
};

/// As many warps as are wanted, or the half, ... that bytes_of(warps) of shared memory have room for.
template <class BytesOf>
Warps choose_warps(const Exec& exec, std::uint32_t wanted, const BytesOf& bytes_of) {
  constexpr std::size_t declared = 256;  // what kernels have besides
  int limit = 0;
  check_cuda(exec, cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, exec.device()),
             "asking for its shared memory");
  while (wanted > 1 && bytes_of(wanted) > static_cast<std::size_t>(limit) - declared) wanted /= 2;
  return {wanted, bytes_of(wanted)};
}

/// How a kernel with a block for each tile is started: threads, and its shared memory, of which the device
/// must have so much.
template <class Kernel, class... Args>
void launch_tiles(const Exec& exec, std::uint32_t tiles, int threads, std::size_t shared_bytes, Kernel kernel,
                  const char* what, Args... args) {
  if (tiles == 0) return;
  const CurrentDevice current(exec);
  constexpr std::size_t always_there = 40 << 10;  // besides what a kernel declares
  if (shared_bytes > always_there) {
    // Always as much as there is: other threads may start the same kernel with more than we want.
    cudaFuncAttributes attributes{};
    check_cuda(exec, cudaFuncGetAttributes(&attributes, kernel), "asking for shared memory");
    int limit = 0;
    check_cuda(exec, cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, exec.device()),
               "asking for shared memory");
    check_cuda(exec,
               cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    limit - static_cast<int>(attributes.sharedSizeBytes)),
               "asking for shared memory");
  }
  kernel<<<tiles, threads, shared_bytes, cuda_stream(exec)>>>(args...);
  check_launch(exec, what);
}

}  // namespace tessera::detail::cuda
