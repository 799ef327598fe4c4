#include <algorithm>
#include <span>

#include <tessera/topology/detail/cuda/analyses.h>
#include <tessera/tile/detail/cuda/tile_block.cuh>

namespace tessera::detail::cuda {
namespace {

using std::size_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

constexpr int threads = 256;
constexpr uint32_t warps = threads / 32;
constexpr uint32_t chunks = 3;  // cells of a star that a lane may have: 96 in all

/// A block's shared memory.
template <int Dim>
struct Space {
  TileStarsBlock<Dim> stars;
  VertexOrderKey* order;  ///< by local vertex
  uint32_t* slots;        ///< for each warp

  TS_HD Space(SharedSpace& space, const TileSizes& largest)
      : stars(space, largest),
        order(space.take<VertexOrderKey>(largest.vertices)),
        slots(space.take<uint32_t>(warps * NeighbourSlots::count)) {}
};

/// In how many pieces the low and the high slots lie: the first piece of both is flooded at once, because
/// most vertices have no other.
__device__ void count_pieces(const uint64_t (&masks)[chunks], uint32_t used, uint64_t low, uint64_t high,
                             uint32_t& lower, uint32_t& upper) {
  lower = upper = 0;
  while ((low | high) != 0) {
    lower += low != 0 ? 1 : 0;
    upper += high != 0 ? 1 : 0;
    uint64_t reached = (low & (~low + 1)) | (high & (~high + 1));
    while (true) {
      uint64_t found = 0;
      for (uint32_t k = 0; k < chunks && k < used; ++k) {
        if ((masks[k] & reached & low) != 0) found |= masks[k] & low;
        if ((masks[k] & reached & high) != 0) found |= masks[k] & high;
      }
      found = warp_or(found) | reached;
      if (found == reached) break;
      reached = found;
    }
    low &= ~reached;
    high &= ~reached;
  }
}

template <int Dim>
__global__ void __launch_bounds__(threads)
    find_kernel(TilesView<Dim> tiles, const VertexOrderKey* order, CriticalPoint* points, uint32_t* count,
                uint32_t capacity, uint8_t* is_left_to_host) {
  extern __shared__ __align__(16) char memory[];
  __shared__ uint32_t scan_space[BlockTeam::max_warps];
  const uint32_t t = blockIdx.x;
  if (tiles.is_left_to_host[t] != 0) return;
  SharedSpace shared(memory);
  const Space<Dim> space(shared, tiles.largest);
  const BlockTeam team(scan_space);
  const TileFrame<Dim> tile(tiles, t);
  team.for_each(tile.vertices, [&](uint32_t l) { space.order[l] = order[tile.vertex_id(l)]; });
  space.stars.load(team, tile);
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t warp = threadIdx.x / 32;
  const NeighbourSlots slots(space.slots + warp * NeighbourSlots::count);
  for (uint32_t v = warp; v < tile.owned; v += warps) {
    const uint32_t own = v + tile.lower;
    const uint32_t begin = space.stars.begin(v);
    const uint32_t size = space.stars.end(v) - begin;
    slots.clear(lane);
    __syncwarp();
    bool fits = size <= 32 * chunks;
    uint64_t masks[chunks] = {};
    const uint32_t used = (size + 31) / 32;
    for (uint32_t k = 0; k < chunks && k < used; ++k) {
      if (32 * k + lane >= size) continue;
      const LocalCell cell = space.stars.cells[space.stars.star[begin + 32 * k + lane]];
      for (int i = 0; i <= Dim; ++i) {
        if (cell.corner[i] == own) continue;
        const uint32_t slot = slots.insert(cell.corner[i]);
        fits &= slot < slots.count;
        masks[k] |= bit64(slot % slots.count);
      }
    }
    __syncwarp();
    if (!__all_sync(whole_warp, fits)) {
      if (lane == 0) is_left_to_host[t] = 1;
      continue;
    }
    const VertexOrderKey center = space.order[own];
    const uint32_t first = slots[lane];
    const uint32_t second = slots[lane + 32];
    const bool has_first = first != slots.free;
    const bool has_second = second != slots.free;
    const uint64_t all = warp_slots(has_first, has_second);
    const uint64_t low =
        warp_slots(has_first && space.order[first] < center, has_second && space.order[second] < center);
    uint32_t lower = 0;
    uint32_t upper = 0;
    count_pieces(masks, used, low, all & ~low, lower, upper);
    CriticalType type = critical_type<Dim>(lower, upper);
    const uint32_t vertex = tile.first_vertex + v;
    const bool on_boundary = tiles.on_boundary[vertex] != 0;
    if (Dim == 3 && type == CriticalType::regular && on_boundary) {
      const uint64_t there = warp_slots(has_first && tiles.on_boundary[tile.vertex_id(first)] != 0,
                                        has_second && tiles.on_boundary[tile.vertex_id(second)] != 0);
      type = boundary_type((there & low) != 0, (there & ~low) != 0);
    }
    if (type != CriticalType::regular && lane == 0) {
      const uint32_t at = atomicAdd(count, 1u);
      if (at < capacity) {
        CriticalPoint& point = points[at];
        point.vertex = VertexId(vertex);
        point.type = type;
        point.is_on_boundary = on_boundary;
        point.lower_pieces = lower;
        point.upper_pieces = upper;
      }
    }
    __syncwarp();
  }
}

}  // namespace

template <int Dim>
FoundPoints find_critical_points(const DeviceTiles<Dim>& tiles, const Buffer<VertexOrderKey>& order,
                                 const Monitor& monitor) {
  const Exec& exec = order.exec();
  SharedSpace space(nullptr);
  (void)Space<Dim>(space, tiles.largest());
  Buffer<uint8_t> left(exec, tiles.tile_count());
  const uint32_t none = 0;
  FoundPoints found;
  // Most fields have fewer critical points than this; if not, the kernel has counted them.
  for (size_t capacity = tiles.vertex_count() / 16 + 1024;;) {
    monitor.update("finding critical points", 0.5);
    detail::copy(exec, left.data(), tiles.is_left_to_host.data(), left.bytes(), detail::CopyKind::on_device);
    Buffer<CriticalPoint> points(exec, capacity);
    Buffer<uint32_t> count(exec, std::span(&none, 1));
    launch_tiles(exec, tiles.tile_count(), threads, space.bytes(), find_kernel<Dim>,
                 "finding critical points", TilesView<Dim>(tiles), order.data(), points.data(), count.data(),
                 static_cast<uint32_t>(capacity), left.data());
    const uint32_t needed = count.to_host()[0];
    if (needed <= capacity) {
      found.points = points.to_host(needed);
      break;
    }
    capacity = needed;
  }
  const Array<uint8_t> flags = left.to_host();
  for (uint32_t t = 0; t < tiles.tile_count(); ++t) {
    if (flags[t] != 0) found.left.push_back({tiles.cut()[t], tiles.cut()[t + 1]});
  }
  return found;
}

template FoundPoints find_critical_points(const DeviceTiles<2>&, const Buffer<VertexOrderKey>&,
                                          const Monitor&);
template FoundPoints find_critical_points(const DeviceTiles<3>&, const Buffer<VertexOrderKey>&,
                                          const Monitor&);

}  // namespace tessera::detail::cuda
