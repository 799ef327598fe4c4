// The rows that belong to a vertex, read off the cells around it by a warp.
//
// Local numbers ascend like ids, so that a set of bits is a sorted list without repeats. Where entries are
// single numbers (VV, VE, VT) the set is the row. Where they are pairs (EF, ET, FT, ...) the vertex's
// neighbours and cells are ranked by such sets, and a neighbour's row is a mask of ranks.
//
// A twin of tile/detail/rows.h, which reads half stars into sorted lists: on a GPU lists made EF of 12.3
// million tets take 17 ms and the enumeration 11.8, where masks take 4.3 and 4.5 (docs/gpu.md). The tests
// compare both sides relation by relation.
#pragma once

#include <cstdint>
#include <type_traits>

#include <tessera/tile/detail/cuda/device_relations.h>
#include <tessera/tile/relation.h>
#include <tessera/exec/detail/search.cuh>
#include <tessera/tile/detail/cuda/tile_block.cuh>

namespace tessera::detail::cuda {

/// The enumeration as kernels see it.
struct EnumerationView : EnumerationPointers {
  [[nodiscard]] __device__ std::uint32_t edge(std::uint32_t a, std::uint32_t b) const {
    return lower_bound(edge_hi, edge_offsets[a], edge_offsets[a + 1], b);
  }
  [[nodiscard]] __device__ std::uint32_t face_above(std::uint32_t e, std::uint32_t c) const {
    return lower_bound(face_hi, face_offsets[e], face_offsets[e + 1], c);
  }
  /// Of ascending vertices.
  [[nodiscard]] __device__ std::uint32_t face(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    return face_above(edge(a, b), c);
  }
  /// Of any three.
  [[nodiscard]] __device__ std::uint32_t face_of(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    const std::uint32_t low = min(a, min(b, c));
    const std::uint32_t high = max(a, max(b, c));
    return face(low, a ^ b ^ c ^ low ^ high, high);
  }
};

/// The enumeration itself: edges of vertices, and faces of edges, by their highest vertex.
struct UpperEdges {
  static constexpr Kind from = Kind::vertex;
  static constexpr Kind to = Kind::vertex;
};
struct UpperFaces {
  static constexpr Kind from = Kind::edge;
  static constexpr Kind to = Kind::vertex;
};

/// What the rows of a relation are made of.
template <class R, int Dim>
struct RowKind {
  static constexpr bool has_cells = static_cast<int>(R::to) == Dim;  ///< entries are cells
  static constexpr bool is_of_vertex = R::from == Kind::vertex;
  static constexpr bool is_of_face = R::from == Kind::face;
  static constexpr bool is_upper = std::is_same_v<R, UpperEdges> || std::is_same_v<R, UpperFaces>;
  /// Entries are single local numbers; otherwise they come in rows of the vertex's neighbours.
  static constexpr bool is_single = is_of_vertex && (has_cells || R::to != Kind::face);
  static constexpr bool has_pairs = !is_single && (!has_cells || is_of_face);
};

/// A set of small numbers that a warp fills together and that then knows the rank of each.
class NumberSet {
 public:
  __device__ NumberSet(std::uint32_t* words, std::uint16_t* before, std::uint32_t lane)
      : words_(words), before_(before), lane_(lane) {}

  [[nodiscard]] TS_HD static std::uint32_t words(std::uint32_t numbers) { return (numbers + 31) / 32; }

  /// Makes it empty, for numbers below `numbers`.
  __device__ void clear(std::uint32_t numbers) {
    count_ = words(numbers);
    for (std::uint32_t i = lane_; i < count_; i += 32) words_[i] = 0;
  }
  __device__ void add(std::uint32_t number) const { atomicOr(words_ + number / 32, 1u << number % 32); }
  /// Ranks what is there, and returns how many that are. The whole warp calls it when all have added.
  __device__ std::uint32_t rank_all() const {
    std::uint32_t sum = 0;
    for (std::uint32_t base = 0; base < count_; base += 32) {
      const std::uint32_t i = base + lane_;
      const std::uint32_t own = i < count_ ? __popc(words_[i]) : 0;
      const std::uint32_t inclusive = warp_inclusive(own, lane_);
      if (i < count_) before_[i] = static_cast<std::uint16_t>(sum + inclusive - own);
      sum += __shfl_sync(whole_warp, inclusive, 31);
    }
    __syncwarp();
    return sum;
  }
  /// How many numbers below this one are there.
  [[nodiscard]] __device__ std::uint32_t rank(std::uint32_t number) const {
    return before_[number / 32] + __popc(words_[number / 32] & ((1u << number % 32) - 1));
  }
  /// Calls f(number, rank) for all; lanes share them.
  template <class F>
  __device__ void for_each(const F& f) const {
    for (std::uint32_t i = lane_; i < count_; i += 32) {
      std::uint32_t rank = before_[i];
      for (std::uint32_t word = words_[i]; word != 0; word &= word - 1, ++rank) {
        f(32 * i + __ffs(static_cast<int>(word)) - 1, rank);
      }
    }
  }

 private:
  std::uint32_t* words_;
  std::uint16_t* before_;
  std::uint32_t lane_;
  std::uint32_t count_ = 0;
};

/// Where rows go: by vertex, those of a batch one after the other.
struct RowPlaces {
  const std::uint32_t* batch;         ///< tiles; null: all of them
  const std::uint32_t* batch_vertex;  ///< by tile of the batch: the number of its first vertex; null: its id
  std::uint32_t* rows;                ///< by vertex: how many rows; then where they begin
  std::uint32_t* entries;             ///< by vertex: how many entries; then where they begin
  std::uint8_t* is_left;              ///< by tile of the batch: it is too large for this
  std::uint32_t* left;                ///< not 0 if some are
};

/// A star that is larger is left to the host.
inline constexpr std::uint32_t most_neighbours = 64;
inline constexpr std::uint32_t most_cells = 128;
inline constexpr std::uint32_t most_entries = 512;  ///< of all rows of a vertex, if they are pairs

/// What a warp needs. Only what the relation uses is there.
template <class R, int Dim>
struct WarpSpace {
  using Kind = RowKind<R, Dim>;

  std::uint32_t* set_words[2];   ///< of neighbours, of cells
  std::uint16_t* set_before[2];  ///< likewise
  std::uint16_t* neighbours;     ///< by rank
  std::uint16_t* cells;          ///< likewise
  std::uint32_t* pairs;          ///< by neighbour: a mask of neighbours, two words
  std::uint32_t* around;         ///< by neighbour: a mask of cells, four words
  std::uint16_t* entries;        ///< what is listed to be written

  TS_HD WarpSpace(SharedSpace& space, const TileSizes& largest) {
    const std::uint32_t numbers[2] = {largest.vertices, largest.cells};
    const bool is_used[2] = {!Kind::is_single || !Kind::has_cells, Kind::has_cells};
    for (int i = 0; i < 2; ++i) {
      const std::uint32_t words = is_used[i] ? NumberSet::words(numbers[i]) : 0;
      set_words[i] = space.take<std::uint32_t>(words);
      set_before[i] = space.take<std::uint16_t>(words);
    }
    neighbours = space.take<std::uint16_t>(Kind::is_single ? 0 : most_neighbours);
    cells = space.take<std::uint16_t>(!Kind::is_single && Kind::has_cells ? most_cells : 0);
    pairs = space.take<std::uint32_t>(Kind::has_pairs ? 2 * most_neighbours : 0);
    around = space.take<std::uint32_t>(!Kind::is_single && Kind::has_cells ? 4 * most_neighbours : 0);
    entries = space.take<std::uint16_t>(Kind::is_single ? 0 : most_entries);
  }
};

template <class R, int Dim>
struct RowSpace {
  TileStarsBlock<Dim> stars;
  char* warps;  ///< a WarpSpace each
  std::uint32_t warp_bytes;

  TS_HD RowSpace(SharedSpace& space, const TileSizes& largest, std::uint32_t warp_count)
      : stars(space, largest) {
    SharedSpace one(nullptr);
    (void)WarpSpace<R, Dim>(one, largest);
    warp_bytes = static_cast<std::uint32_t>((one.bytes() + 15) / 16 * 16);
    warps = space.take<char>(warp_bytes * warp_count);
  }
};

/// The cells around a vertex of a tile, as a warp goes through them.
template <int Dim>
struct WarpStar {
  const TileStarsBlock<Dim>& stars;
  std::uint32_t vertex;  ///< owned: counted from the first that is
  std::uint32_t own;     ///< its local number
  std::uint32_t lane;

  /// Calls f(cell, others): the cell's vertices but its own, ascending.
  template <class F>
  __device__ void for_each(const F& f) const {
    for (std::uint32_t i = stars.begin(vertex) + lane; i < stars.end(vertex); i += 32) {
      const std::uint32_t c = stars.star[i];
      const LocalCell cell = stars.cells[c];
      std::uint32_t others[Dim];
      int n = 0;
      for (int k = 0; k <= Dim; ++k) {
        if (cell.corner[k] != own) others[n++] = cell.corner[k];
      }
      f(c, others);
    }
  }
};

/// Rows and entries of a vertex.
struct RowCounts {
  std::uint32_t rows = 0;
  std::uint32_t entries = 0;
};

/// A row whose entries are single numbers.
template <class R, int Dim>
class SingleRows {
 public:
  using Kind = RowKind<R, Dim>;

  __device__ SingleRows(const WarpSpace<R, Dim>& space, const TileFrame<Dim>& tile, std::uint32_t lane)
      : tile_(tile),
        set_(space.set_words[Kind::has_cells ? 1 : 0], space.set_before[Kind::has_cells ? 1 : 0], lane) {}

  /// Always fits.
  __device__ bool read(const WarpStar<Dim>& star, RowCounts& counts) {
    set_.clear(Kind::has_cells ? tile_.cells : tile_.vertices);
    __syncwarp();
    star.for_each([&](std::uint32_t c, const std::uint32_t(&others)[Dim]) {
      if constexpr (Kind::has_cells) {
        set_.add(c);
      } else {
        for (const std::uint32_t p : others) {
          if (!Kind::is_upper || p > star.own) set_.add(p);
        }
      }
    });
    __syncwarp();
    counts = {1, set_.rank_all()};
    return true;
  }
  __device__ void write(const WarpStar<Dim>& star, const EnumerationView& ids, std::uint32_t entry_base,
                        std::uint32_t* offsets, std::uint32_t* values) const {
    if (star.lane == 0) *offsets = entry_base;
    const std::uint32_t vertex = tile_.first_vertex + star.vertex;
    set_.for_each([&](std::uint32_t number, std::uint32_t rank) {
      std::uint32_t entry = Kind::has_cells ? tile_.cell_id(number) : tile_.vertex_id(number);
      if constexpr (R::to == tessera::Kind::edge) entry = ids.edge(min(vertex, entry), max(vertex, entry));
      values[entry_base + rank] = entry;
    });
  }

 private:
  const TileFrame<Dim>& tile_;
  NumberSet set_;
};

/// Rows of a vertex's neighbours: masks of neighbours or of cells.
template <class R, int Dim>
class PairRows {
 public:
  using Kind = RowKind<R, Dim>;

  __device__ PairRows(const WarpSpace<R, Dim>& space, const TileFrame<Dim>& tile, std::uint32_t lane)
      : tile_(tile),
        space_(space),
        lane_(lane),
        neighbours_(space.set_words[0], space.set_before[0], lane),
        cells_(space.set_words[1], space.set_before[1], lane) {}

  /// False if the star is too large.
  __device__ bool read(const WarpStar<Dim>& star, RowCounts& counts) {
    if (!rank(star)) return false;
    fill_masks(star);
    // A lane has two neighbours. Rows and entries are summed at once, in a word.
    std::uint32_t sum = 0;
    for (int half = 0; half < 2; ++half) {
      const RowCounts own = count(lane_ + 32 * half);
      const std::uint32_t packed = own.rows << 16 | own.entries;
      const std::uint32_t inclusive = warp_inclusive(packed, lane_);
      before_[half] = sum + inclusive - packed;
      sum += __shfl_sync(whole_warp, inclusive, 31);
    }
    counts = {Kind::is_of_vertex ? 1 : sum >> 16, sum & 0xFFFF};
    entry_count_ = counts.entries;
    return counts.entries <= most_entries;
  }

  __device__ void write(const WarpStar<Dim>& star, const EnumerationView& ids, std::uint32_t entry_base,
                        std::uint32_t* offsets, std::uint32_t* values) const {
    if (Kind::is_of_vertex && lane_ == 0) *offsets = entry_base;
    for (int half = 0; half < 2; ++half) list(lane_ + 32 * half, before_[half], entry_base, offsets);
    __syncwarp();
    const std::uint32_t vertex = tile_.first_vertex + star.vertex;
    for (std::uint32_t i = lane_; i < entry_count_; i += 32) {
      values[entry_base + i] = entry(vertex, space_.entries[i], ids);
    }
  }

 private:
  /// Ranks the star's neighbours and cells.
  __device__ bool rank(const WarpStar<Dim>& star) {
    neighbours_.clear(tile_.vertices);
    if constexpr (Kind::has_cells) cells_.clear(tile_.cells);
    __syncwarp();
    star.for_each([&](std::uint32_t c, const std::uint32_t(&others)[Dim]) {
      for (const std::uint32_t p : others) neighbours_.add(p);
      if constexpr (Kind::has_cells) cells_.add(c);
    });
    __syncwarp();
    neighbour_count_ = neighbours_.rank_all();
    if (neighbour_count_ > most_neighbours) return false;
    if constexpr (Kind::has_cells) {
      if (cells_.rank_all() > most_cells) return false;
      cells_.for_each(
          [&](std::uint32_t c, std::uint32_t rank) { space_.cells[rank] = static_cast<std::uint16_t>(c); });
    }
    neighbours_.for_each([&](std::uint32_t p, std::uint32_t rank) {
      space_.neighbours[rank] = static_cast<std::uint16_t>(p);
    });
    first_upper_ = neighbours_.rank(star.own);
    return true;
  }

  /// By neighbour, the neighbours it shares a cell with and the cells.
  __device__ void fill_masks(const WarpStar<Dim>& star) const {
    for (std::uint32_t i = lane_; Kind::has_pairs && i < 2 * neighbour_count_; i += 32) space_.pairs[i] = 0;
    for (std::uint32_t i = lane_; Kind::has_cells && i < 4 * neighbour_count_; i += 32) space_.around[i] = 0;
    __syncwarp();
    star.for_each([&](std::uint32_t c, const std::uint32_t(&others)[Dim]) {
      std::uint32_t ranks[Dim];
      for (int i = 0; i < Dim; ++i) ranks[i] = neighbours_.rank(others[i]);
      std::uint32_t place = 0;
      if constexpr (Kind::has_cells) place = cells_.rank(c);
      for (int i = 0; i < Dim; ++i) {
        if (!Kind::is_of_vertex && ranks[i] < first_upper_) continue;
        if constexpr (Kind::has_cells) {
          atomicOr(space_.around + 4 * ranks[i] + place / 32, 1u << place % 32);
        }
        for (int j = is_both_ways ? 0 : i + 1; Kind::has_pairs && j < Dim; ++j) {
          if (j != i) atomicOr(space_.pairs + 2 * ranks[i] + ranks[j] / 32, 1u << ranks[j] % 32);
        }
      }
    });
    __syncwarp();
  }

  [[nodiscard]] __device__ RowCounts count(std::uint32_t b) const {
    if (b >= neighbour_count_ || (!Kind::is_of_vertex && b < first_upper_)) return {};
    if constexpr (Kind::is_of_face) {
      RowCounts counts;
      for_each_pair(b, [&](std::uint32_t c) {
        ++counts.rows;
        for (int w = 0; w < 4; ++w) counts.entries += __popc(shared_cells(b, c, w));
      });
      return counts;
    } else if constexpr (Kind::has_cells) {
      std::uint32_t entries = 0;
      for (int w = 0; w < 4; ++w) entries += __popc(space_.around[4 * b + w]);
      return {1, entries};
    } else {
      return {1, static_cast<std::uint32_t>(__popc(space_.pairs[2 * b]) + __popc(space_.pairs[2 * b + 1]))};
    }
  }

  /// Lists the entries of neighbour b's rows, and writes where the rows begin.
  __device__ void list(std::uint32_t b, std::uint32_t before, std::uint32_t entry_base,
                       std::uint32_t* offsets) const {
    if (b >= neighbour_count_ || (!Kind::is_of_vertex && b < first_upper_)) return;
    std::uint32_t row = before >> 16;
    std::uint32_t at = before & 0xFFFF;
    if (!Kind::is_of_vertex && !Kind::is_of_face) offsets[row] = entry_base + at;
    if constexpr (Kind::is_of_face) {
      for_each_pair(b, [&](std::uint32_t c) {
        offsets[row++] = entry_base + at;
        for (std::uint32_t w = 0; w < 4; ++w) list_bits(shared_cells(b, c, w), 32 * w, at);
      });
    } else if constexpr (Kind::has_cells) {
      for (std::uint32_t w = 0; w < 4; ++w) list_bits(space_.around[4 * b + w], 32 * w, at);
    } else {
      for_each_pair(b, [&](std::uint32_t c) {
        space_.entries[at++] = static_cast<std::uint16_t>(Kind::is_upper ? c : b << 8 | c);
      });
    }
  }
  __device__ void list_bits(std::uint32_t bits, std::uint32_t first, std::uint32_t& at) const {
    for (; bits != 0; bits &= bits - 1) {
      space_.entries[at++] = static_cast<std::uint16_t>(first + __ffs(static_cast<int>(bits)) - 1);
    }
  }

  [[nodiscard]] __device__ std::uint32_t entry(std::uint32_t vertex, std::uint32_t listed,
                                               const EnumerationView& ids) const {
    if constexpr (Kind::has_cells) {
      return tile_.cell_id(space_.cells[listed]);
    } else if constexpr (Kind::is_upper) {
      return tile_.vertex_id(space_.neighbours[listed]);
    } else {
      return ids.face_of(vertex, tile_.vertex_id(space_.neighbours[listed >> 8]),
                         tile_.vertex_id(space_.neighbours[listed & 0xFF]));
    }
  }

  template <class F>
  __device__ void for_each_pair(std::uint32_t b, const F& f) const {
    for (std::uint32_t w = 0; w < 2; ++w) {
      for (std::uint32_t bits = space_.pairs[2 * b + w]; bits != 0; bits &= bits - 1) {
        f(32 * w + __ffs(static_cast<int>(bits)) - 1);
      }
    }
  }
  [[nodiscard]] __device__ std::uint32_t shared_cells(std::uint32_t b, std::uint32_t c, int word) const {
    return space_.around[4 * b + word] & space_.around[4 * c + word];
  }

  /// In EF a face is an entry of both its edges at the vertex; elsewhere it counts for the lower one.
  static constexpr bool is_both_ways = !Kind::is_of_vertex && !Kind::is_of_face && !Kind::is_upper;

  const TileFrame<Dim>& tile_;
  const WarpSpace<R, Dim>& space_;
  std::uint32_t lane_;
  NumberSet neighbours_;
  NumberSet cells_;
  std::uint32_t neighbour_count_ = 0;
  std::uint32_t first_upper_ = 0;  ///< rank of the first neighbour above the vertex
  std::uint32_t entry_count_ = 0;
  std::uint32_t before_[2] = {};  ///< rows and entries before those of the lane's two neighbours
};

/// Leaves the block's tile to the host.
__device__ inline void leave(const RowPlaces& places) {
  atomicAdd(places.left, 1u);
  places.is_left[blockIdx.x] = 1;
}

/// One pass over the tiles of a batch: counts, or fills what was counted. A block for each tile, a warp for
/// each vertex.
template <class R, int Dim, bool Fills>
__global__ void __launch_bounds__(1024)
    star_rows_kernel(TilesView<Dim> tiles, EnumerationView ids, RowPlaces places, std::uint32_t* offsets,
                     std::uint32_t* values) {
  using List = std::conditional_t<RowKind<R, Dim>::is_single, SingleRows<R, Dim>, PairRows<R, Dim>>;
  extern __shared__ __align__(16) char memory[];
  __shared__ std::uint32_t scan_space[BlockTeam::max_warps];
  const std::uint32_t t = places.batch == nullptr ? blockIdx.x : places.batch[blockIdx.x];
  const TileFrame<Dim> tile(tiles, t);
  const std::uint32_t lane = threadIdx.x % 32;
  const std::uint32_t warp = threadIdx.x / 32;
  const std::uint32_t first =
      places.batch_vertex == nullptr ? tile.first_vertex : places.batch_vertex[blockIdx.x];
  if constexpr (Fills) {
    if (places.is_left[blockIdx.x] != 0) return;  // the host writes it
  } else if (tiles.is_left_to_host[t] == 1) {     // it has no local numbers
    for (std::uint32_t v = threadIdx.x; v < tile.owned; v += blockDim.x) {
      places.rows[first + v] = places.entries[first + v] = 0;
    }
    if (threadIdx.x == 0) leave(places);
    return;
  }
  const std::uint32_t warps = blockDim.x / 32;
  SharedSpace shared(memory);
  const RowSpace<R, Dim> space(shared, tiles.largest, warps);
  space.stars.load(BlockTeam(scan_space), tile);
  SharedSpace mine(space.warps + warp * space.warp_bytes);
  const WarpSpace<R, Dim> warp_space(mine, tiles.largest);
  List list(warp_space, tile, lane);
  for (std::uint32_t v = warp; v < tile.owned; v += warps) {
    const WarpStar<Dim> star = {space.stars, v, v + tile.lower, lane};
    RowCounts counts;
    const bool fits = list.read(star, counts);
    if constexpr (Fills) {
      if (fits) list.write(star, ids, places.entries[first + v], offsets + places.rows[first + v], values);
    } else if (lane == 0) {
      places.rows[first + v] = fits ? counts.rows : 0;
      places.entries[first + v] = fits ? counts.entries : 0;
      if (!fits) leave(places);
    }
    __syncwarp();
  }
}

}  // namespace tessera::detail::cuda
