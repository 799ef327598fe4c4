// The gradient on lower stars, a block for each tile and a warp for each vertex (lower_star_warp.cuh). Rows
// of tiles lie in the order in which they were done, until all are counted and get their place.
#include <algorithm>
#include <span>

#include <tessera/exec/primitives.h>
#include <tessera/topology/detail/cuda/analyses.h>
#include <tessera/topology/gradient.h>
#include <tessera/exec/for_each.cuh>
#include <tessera/tile/detail/cuda/tile_block.cuh>
#include <tessera/topology/detail/cuda/lower_star_warp.cuh>

namespace tessera::detail::cuda {
namespace {

using std::size_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

constexpr uint32_t most_warps = 16;
constexpr uint32_t rows_a_vertex = 10;  // of a tile on average: 7 is usual
constexpr uint32_t none = 0xFFFFFFFFu;

template <int Dim>
struct Space {
  TileStarsBlock<Dim> stars;
  VertexOrderKey* order;  ///< by local vertex
  WarpSpace* warp;
  // The tile's rows in the order in which warps finish them.
  uint32_t row_capacity;
  uint16_t* rows;
  uint8_t* partners;
  uint32_t* row_begin;  ///< by owned vertex
  uint32_t* row_size;   ///< likewise, and one more

  TS_HD Space(SharedSpace& space, const TileSizes& largest, uint32_t warps)
      : stars(space, largest),
        order(space.take<VertexOrderKey>(largest.vertices)),
        warp(space.take<WarpSpace>(warps)),
        row_capacity(rows_a_vertex * largest.owned),
        rows(space.take<uint16_t>(row_capacity)),
        partners(space.take<uint8_t>(row_capacity)),
        row_begin(space.take<uint32_t>(largest.owned)),
        row_size(space.take<uint32_t>(largest.owned + 1)) {}
};

/// What the kernel writes.
struct Output {
  uint32_t* offsets;  ///< by vertex: the place of its row among those of its tile
  uint32_t* rows;
  uint8_t* partners;
  uint32_t row_capacity;
  uint32_t* tile_begin;
  uint32_t* tile_size;
  uint8_t* opposite;
  uint32_t* next;         ///< null if not asked for
  uint32_t* first_cells;  ///< likewise
  FoundCell* critical;
  uint32_t critical_capacity;
  uint32_t* counters;  ///< rows and critical cells
  uint8_t* is_left_to_host;
};

__device__ void add_critical(const Output& out, const FoundCell& cell) {
  const uint32_t at = atomicAdd(out.counters + 1, 1u);
  if (at < out.critical_capacity) out.critical[at] = cell;
}

/// The cells of a star with all these ranks: at most two are told.
template <int Dim>
__device__ uint32_t cells_with(const WarpSpace& space, const TileFrame<Dim>& tile, const uint16_t* star,
                               uint32_t size, uint32_t ranks, uint32_t (&found)[2]) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < size; ++i) {
    if ((space.masks[i] & ranks) != ranks) continue;
    if (count < 2) found[count] = tile.cell_id(star[i]);
    ++count;
  }
  return count;
}

/// Pairs the cells of the lower star of a vertex. False if it is too large.
template <int Dim>
__device__ bool process_lower_star(const TilesView<Dim>& tiles, const TileFrame<Dim>& tile,
                                   const Space<Dim>& space, uint32_t v, uint32_t* rows_taken,
                                   const Output& out) {
  WarpSpace& mine = space.warp[threadIdx.x / 32];
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t own = v + tile.lower;
  const uint32_t vertex = tile.first_vertex + v;
  const uint32_t begin = space.stars.begin(v);
  const uint16_t* const star = space.stars.star + begin;
  LowerStarWarp<Dim> lower{mine, lane};
  lower.size = space.stars.end(v) - begin;
  if (lower.size > 32 * star_chunks) return false;
  const NeighbourSlots slots(mine.slots);
  slots.clear(lane);
  __syncwarp();
  const VertexOrderKey center = space.order[own];
  uint32_t cell_slots[star_chunks] = {};  // of lower corners, 8 bits each + 1
  bool fits = true;
  uint32_t first_input = none;
  uint32_t first_cell = none;
  const uint32_t used = (lower.size + 31) / 32;
  for (uint32_t k = 0; k < star_chunks && k < used; ++k) {
    if (32 * k + lane >= lower.size) continue;
    const LocalCell cell = space.stars.cells[star[32 * k + lane]];
    for (int i = 0; i <= Dim; ++i) {
      if (cell.corner[i] == own || !(space.order[cell.corner[i]] < center)) continue;
      const uint32_t slot = slots.insert(cell.corner[i]);
      fits &= slot < slots.count;
      cell_slots[k] = cell_slots[k] << 8 | (slot % slots.count + 1);
    }
    if (out.next != nullptr) {
      const uint32_t id = tile.cell_id(star[32 * k + lane]);
      const uint32_t input = tiles.cell_input(id);
      if (input < first_input) {
        first_input = input;
        first_cell = id;
      }
    }
  }
  __syncwarp();
  if (!__all_sync(whole_warp, fits)) return false;
  if (out.next != nullptr) {
    const uint32_t least = __reduce_min_sync(whole_warp, first_input);
    if (lower.size == 0) {
      if (lane == 0) out.first_cells[vertex] = none;
    } else if (first_input == least) {
      out.first_cells[vertex] = first_cell;
    }
  }
  if (!lower.rank(slots, space.order)) return false;
  uint32_t row_begin = 0;
  if (lane == 0) {
    row_begin = atomicAdd(rows_taken, lower.lower);
    space.row_begin[v] = row_begin;
    space.row_size[v] = lower.lower;
  }
  row_begin = __shfl_sync(whole_warp, row_begin, 0);
  if (row_begin + lower.lower > space.row_capacity) return false;
  if (lower.lower == 0) {
    if (lane == 0) add_critical(out, {0, vertex, vertex, 0, {none, none}});
    return true;
  }
  // Ranks instead of slots; tets get their numbers in the order of the star.
  uint32_t tops = 0;
  uint32_t top_number[star_chunks];  // none if it is not one
  uint32_t top_ranks[star_chunks];   // descending, 8 bits each; of cells that are all lower
  for (uint32_t k = 0; k < star_chunks; ++k) {
    top_number[k] = none;
    if (k >= used) continue;
    uint32_t mask = 0;
    for (uint32_t rest = cell_slots[k]; rest != 0; rest >>= 8) mask |= 1u << mine.ranks[(rest & 255) - 1];
    if (32 * k + lane < lower.size) mine.masks[32 * k + lane] = mask;
    const bool is_top = __popc(mask) == Dim;
    const uint32_t who = __ballot_sync(whole_warp, is_top);
    if (is_top) top_number[k] = tops + __popc(who & ((1u << lane) - 1));
    tops += __popc(who);
    top_ranks[k] = 0;
    for (; is_top && mask != 0; mask &= mask - 1) {
      top_ranks[k] = top_ranks[k] >> 8 | static_cast<uint32_t>(__ffs(static_cast<int>(mask)) - 1) << 16;
    }
  }
  __syncwarp();
  if (!lower.number(tops)) return false;
  // The shift above leaves the highest rank in the top byte, of a triangle's two the lower one in the middle.
  for (uint32_t k = 0; k < star_chunks; ++k) {
    if (top_number[k] == none) continue;
    const uint32_t high = top_ranks[k] >> 16;
    const uint32_t middle = top_ranks[k] >> 8 & 255;
    if constexpr (Dim == 3) {
      const uint32_t low = top_ranks[k] & 255;
      mine.tet_facets[top_number[k]] =
          lower.face(high, middle) | lower.face(high, low) << 8 | lower.face(middle, low) << 16;
      top_number[k] += lower.lower + lower.faces;
      mine.keys[top_number[k]] = (high + 1) << 20 | (middle + 1) << 14 | (low + 1) << 8 | top_number[k];
    } else {
      top_number[k] = lower.face(high, middle);
    }
  }
  if (out.next != nullptr) lower.tell_facets();
  __syncwarp();
  if (lower.cells <= 32) {
    lower.template pair_few<1>();
  } else if (lower.cells <= 64) {
    lower.template pair_few<2>();
  } else {
    lower.pair_many();
  }
  // Edges.
  bool is_plain = true;  // no facet with more than two cells
  if (lane < lower.lower) {
    const uint32_t mate = mine.mates[lane];
    uint8_t partner = 0;
    if (lane > 0 && mate == critical_mark) {
      partner = GradientData<Dim>::critical;
      uint32_t cofaces[2] = {none, none};
      if (Dim == 2) is_plain &= cells_with<Dim>(mine, tile, star, lower.size, 1u << lane, cofaces) <= 2;
      add_critical(out, {1, vertex, lane, 0, {cofaces[0], cofaces[1]}});
    } else if (lane > 0) {
      const uint32_t key = mine.keys[mate];
      partner = static_cast<uint8_t>(rank_of_key(key, 0) == lane ? rank_of_key(key, 1) : rank_of_key(key, 0));
    }
    space.rows[row_begin + lane] = mine.row[lane];
    space.partners[row_begin + lane] = partner;
  }
  // Triangles of tets.
  if constexpr (Dim == 3) {
    for (uint32_t c = lower.lower + lane; c < lower.lower + lower.faces; c += 32) {
      if (mine.mates[c] != critical_mark) continue;
      const uint32_t high = rank_of_key(mine.keys[c], 0);
      const uint32_t low = rank_of_key(mine.keys[c], 1);
      uint32_t cofaces[2] = {none, none};
      is_plain &= cells_with<Dim>(mine, tile, star, lower.size, 1u << high | 1u << low, cofaces) <= 2;
      add_critical(out, {2, vertex, high, low, {cofaces[0], cofaces[1]}});
    }
  }
  // Top cells.
  for (uint32_t k = 0; k < star_chunks; ++k) {
    if (top_number[k] == none) continue;
    const uint32_t local = star[32 * k + lane];
    const uint32_t id = tile.cell_id(local);
    const uint32_t mate = mine.mates[top_number[k]];
    if (mate == critical_mark) {
      out.opposite[id] = GradientData<Dim>::critical;
      if (out.next != nullptr) out.next[id] = none;
      add_critical(out, {Dim, vertex, id, 0, {none, none}});
      continue;
    }
    uint32_t facet = 1u << rank_of_key(mine.keys[mate], 0);
    if (Dim == 3) facet |= 1u << rank_of_key(mine.keys[mate], 1);
    const uint32_t rest = mine.masks[32 * k + lane] & ~facet;
    const uint32_t apart = mine.row[__ffs(static_cast<int>(rest)) - 1];
    const LocalCell cell = space.stars.cells[local];
    uint32_t corner = 0;
    for (int i = 1; i <= Dim; ++i) corner = cell.corner[i] == apart ? i : corner;
    out.opposite[id] = static_cast<uint8_t>(corner);
    if (out.next == nullptr) continue;
    const uint32_t around = mine.around[mate];
    is_plain &= around >> 16 <= 2;
    const uint32_t other = (around & 0xFFFF) - (32 * k + lane);
    out.next[id] = around >> 16 == 2 ? tile.cell_id(star[other]) : none;
  }
  return __all_sync(whole_warp, is_plain);
}

template <int Dim>
__global__ void __launch_bounds__(32 * most_warps)
    gradient_kernel(TilesView<Dim> tiles, const VertexOrderKey* order, Output out) {
  extern __shared__ __align__(16) char memory[];
  __shared__ uint32_t scan_space[BlockTeam::max_warps];
  __shared__ uint32_t rows_taken;
  __shared__ uint32_t base;
  __shared__ uint32_t is_left;
  const uint32_t t = blockIdx.x;
  if (tiles.is_left_to_host[t] != 0) {
    if (threadIdx.x == 0) out.tile_size[t] = 0;
    return;
  }
  SharedSpace shared(memory);
  const uint32_t warps = blockDim.x / 32;
  const Space<Dim> space(shared, tiles.largest, warps);
  const BlockTeam team(scan_space);
  const TileFrame<Dim> tile(tiles, t);
  if (team.rank() == 0) rows_taken = is_left = 0;
  team.for_each(tile.vertices, [&](uint32_t l) { space.order[l] = order[tile.vertex_id(l)]; });
  space.stars.load(team, tile);
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t warp = threadIdx.x / 32;
  for (uint32_t v = warp; v < tile.owned; v += warps) {
    const bool done = process_lower_star(tiles, tile, space, v, &rows_taken, out);
    if (!done && lane == 0) atomicOr(&is_left, 1u);
    __syncwarp();
  }
  team.sync();
  const bool fails = is_left != 0;
  if (team.rank() == 0) {
    if (fails) out.is_left_to_host[t] = 1;
    base = fails ? 0 : atomicAdd(out.counters, rows_taken);
    out.tile_begin[t] = base;
    out.tile_size[t] = fails ? 0 : rows_taken;
  }
  team.sync();
  if (fails || std::uint64_t{base} + rows_taken > out.row_capacity) return;
  team.exclusive_scan(space.row_size, tile.owned);
  if (team.rank() == 0) space.row_size[tile.owned] = rows_taken;
  team.sync();
  for (uint32_t v = warp; v < tile.owned; v += warps) {
    const uint32_t place = space.row_size[v];
    const uint32_t size = space.row_size[v + 1] - place;
    if (lane == 0) out.offsets[tile.first_vertex + v] = place;
    if (lane < size) {
      out.rows[base + place + lane] = tile.vertex_id(space.rows[space.row_begin[v] + lane]);
      out.partners[base + place + lane] = space.partners[space.row_begin[v] + lane];
    }
  }
}

/// Moves the rows of a tile to their place.
__global__ void place_rows(const uint32_t* first_vertex, const uint32_t* first_row,
                           const uint32_t* tile_begin, const uint32_t* tile_size, const uint32_t* rows,
                           const uint8_t* partners, uint32_t* offsets, uint32_t* lower,
                           uint8_t* partners_out) {
  const uint32_t t = blockIdx.x;
  const uint32_t to = first_row[t];
  const uint32_t from = tile_begin[t];
  for (uint32_t v = first_vertex[t] + threadIdx.x; v < first_vertex[t + 1]; v += blockDim.x) offsets[v] += to;
  for (uint32_t i = threadIdx.x; i < tile_size[t]; i += blockDim.x) {
    lower[to + i] = rows[from + i];
    partners_out[to + i] = partners[from + i];
  }
}

}  // namespace

template <int Dim>
GradientFinder<Dim>::GradientFinder(const DeviceTiles<Dim>& tiles, const Buffer<VertexOrderKey>& order,
                                    bool keep_paths, const Monitor& monitor)
    : tiles_(tiles), order_(order), keep_paths_(keep_paths), monitor_(monitor) {
  const Exec& exec = order.exec();
  result_.offsets = Buffer<uint32_t>(exec, size_t{tiles.vertex_count()} + 1);
  result_.opposite = Buffer<uint8_t>(exec, tiles.cell_count());
  if (keep_paths) {
    result_.next = Buffer<uint32_t>(exec, tiles.cell_count());
    result_.first_cells = Buffer<uint32_t>(exec, tiles.vertex_count());
  }
  tile_begin_ = Buffer<uint32_t>(exec, tiles.tile_count());
  tile_size_ = Buffer<uint32_t>(exec, tiles.tile_count());
  // Usual sizes; if they do not do, the kernel has counted what does.
  if (!run(size_t{8} * tiles.vertex_count() + 1024, tiles.vertex_count() / 8 + 1024)) {
    (void)run(rows_needed_, critical_needed_);
  }
}

template <int Dim>
bool GradientFinder<Dim>::run(size_t row_capacity, size_t critical_capacity) {
  monitor_.update("computing the gradient", 0.1);
  const Exec& exec = order_.exec();
  rows_ = Buffer<uint32_t>(exec, row_capacity);
  row_partners_ = Buffer<uint8_t>(exec, row_capacity);
  Buffer<FoundCell> critical(exec, critical_capacity);
  Buffer<uint8_t> left(exec, tiles_.tile_count());
  detail::copy(exec, left.data(), tiles_.is_left_to_host.data(), left.bytes(), detail::CopyKind::on_device);
  const uint32_t zero[2] = {0, 0};
  Buffer<uint32_t> counters(exec, std::span<const uint32_t>(zero));
  const Warps warps = choose_warps(exec, most_warps, [&](uint32_t n) {
    SharedSpace space(nullptr);
    (void)Space<Dim>(space, tiles_.largest(), n);
    return space.bytes();
  });
  const Output out = {result_.offsets.data(),
                      rows_.data(),
                      row_partners_.data(),
                      static_cast<uint32_t>(std::min<size_t>(row_capacity, none)),
                      tile_begin_.data(),
                      tile_size_.data(),
                      result_.opposite.data(),
                      keep_paths_ ? result_.next.data() : nullptr,
                      keep_paths_ ? result_.first_cells.data() : nullptr,
                      critical.data(),
                      static_cast<uint32_t>(std::min<size_t>(critical_capacity, none)),
                      counters.data(),
                      left.data()};
  launch_tiles(exec, tiles_.tile_count(), static_cast<int>(32 * warps.count), warps.shared_bytes,
               gradient_kernel<Dim>, "computing the gradient", TilesView<Dim>(tiles_), order_.data(), out);
  const Array<uint32_t> counted = counters.to_host();
  rows_needed_ = counted[0];
  critical_needed_ = counted[1];
  if (rows_needed_ > row_capacity || critical_needed_ > critical_capacity) return false;
  critical_ = critical.to_host(critical_needed_);
  host_tiles_.clear();
  left_.clear();
  const Array<uint8_t> flags = left.to_host();
  for (uint32_t t = 0; t < tiles_.tile_count(); ++t) {
    if (flags[t] == 0) continue;
    host_tiles_.push_back(t);
    left_.push_back({tiles_.cut()[t], tiles_.cut()[t + 1]});
  }
  return true;
}

template <int Dim>
DeviceGradient<Dim> GradientFinder<Dim>::finish(const Array<uint32_t>& host_rows) {
  TS_EXPECTS(host_rows.size() == host_tiles_.size());
  monitor_.update("computing the gradient", 0.5);
  const Exec& exec = order_.exec();
  Array<uint32_t> sizes = tile_size_.to_host();
  for (size_t i = 0; i < host_rows.size(); ++i) sizes[host_tiles_[i]] = host_rows[i];
  Array<uint32_t> first_rows(sizes.size() + 1);
  size_t edges = 0;
  for (size_t t = 0; t < sizes.size(); ++t) {
    first_rows[t] = static_cast<uint32_t>(edges);
    edges += sizes[t];
  }
  first_rows[sizes.size()] = checked_offset(edges);
  for (const uint32_t t : host_tiles_) first_rows_.push_back(first_rows[t]);
  const Buffer<uint32_t> first_row(exec, std::span<const uint32_t>(first_rows));
  result_.lower = Buffer<uint32_t>(exec, edges);
  result_.partners = Buffer<uint8_t>(exec, edges);
  launch_tiles(exec, tiles_.tile_count(), 256, 0, place_rows, "placing rows", tiles_.first_vertex.data(),
               first_row.data(), tile_begin_.data(), tile_size_.data(), rows_.data(), row_partners_.data(),
               result_.offsets.data(), result_.lower.data(), result_.partners.data());
  detail::copy(exec, result_.offsets.data() + tiles_.vertex_count(), first_row.data() + tiles_.tile_count(),
               sizeof(uint32_t), detail::CopyKind::on_device);
  rows_ = {};
  row_partners_ = {};
  return std::move(result_);
}

template class GradientFinder<2>;
template class GradientFinder<3>;

}  // namespace tessera::detail::cuda
