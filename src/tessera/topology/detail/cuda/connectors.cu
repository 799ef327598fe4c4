// Connectors, a warp for each 2-saddle: the breadth-first search of saddle_graph.h, up to sixteen edges of
// its queue at a time.
//
// An edge is two lanes' work: one goes on to its triangle's other edge at the highest vertex, one to the edge
// across. Finds are appended in the order of the lanes, and of equal ones the first. The host takes edges one
// by one and gets the same queue, because what an edge finds does not depend on the edges beside it.
//
// Paths lie in the order in which searches end, until all of them are counted and get their place.
#include <algorithm>
#include <iterator>
#include <utility>

#include <tessera/topology/detail/cuda/analyses.h>
#include <tessera/tile/detail/cuda/tile_block.cuh>
#include <tessera/topology/detail/cuda/device_numbers.cuh>

namespace tessera::detail::cuda {
namespace {

using std::size_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

constexpr uint32_t none = 0xFFFFFFFFu;
constexpr uint32_t no_parent = 0xFFFF;
constexpr uint32_t critical = GradientData<3>::critical;
constexpr uint32_t words_an_edge = 4;  // of the memory of a search

/// How large searches may be, and how many of them are under way at a time. Those that are larger are left to
/// the next tier, in the end to the host.
struct Tier {
  uint32_t capacity;  ///< edges; a power of two, for no_parent at most 2^15
  uint32_t workers;   ///< in global memory; 0: in shared memory
};
constexpr Tier tiers[] = {{512, 0}, {4096, 4096}, {16384, 1024}};

/// What kernels see of the gradient.
struct Edges {
  const uint32_t* offsets;
  const uint32_t* lower;
  const uint8_t* partners;

  /// The edge between the lower vertices of a triangle, as places in the row that begins at `first`, and its
  /// place in its own row.
  __device__ uint32_t across(uint32_t first, uint32_t high, uint32_t low, uint32_t& place) const {
    const uint32_t row = offsets[lower[first + high]];
    const uint32_t end = lower[first + low];
    for (place = 0; lower[row + place] != end;) ++place;
    return row + place;
  }
};

/// A search in the hands of a warp.
class Search {
 public:
  __device__ Search(const Edges& graph, uint32_t* memory, uint32_t capacity)
      : graph_(graph),
        edges_(memory),
        links_(memory + capacity),
        table_(memory + 2 * capacity),
        capacity_(capacity),
        lane_(threadIdx.x % 32) {}

  /// Finds all edges below a critical triangle. False if there are more than have room.
  __device__ bool run(const Saddle& saddle) {
    for (uint32_t i = lane_; i < 2 * capacity_; i += 32) table_[i] = none;
    size_ = 0;
    __syncwarp();
    const uint32_t first = graph_.offsets[saddle.highest];
    uint32_t place = lane_ == 0 ? saddle.name.id - first : saddle.name.low;
    uint32_t edge = first + place;
    if (lane_ == 2) edge = graph_.across(first, saddle.name.id - first, saddle.name.low, place);
    if (!push(lane_ < 3 ? edge : none, place, no_parent)) return false;
    for (uint32_t begin = 0; begin < size_;) {
      const uint32_t end = min(size_, begin + 16);
      if (!expand(begin + lane_ / 2, end)) return false;
      begin = end;
    }
    return true;
  }

  [[nodiscard]] __device__ uint32_t size() const { return size_; }
  [[nodiscard]] __device__ uint32_t edge(uint32_t i) const { return edges_[i]; }
  [[nodiscard]] __device__ bool is_end(uint32_t i) const { return (links_[i] & 255) == critical; }
  /// The edge that edge i was reached from, or no_parent.
  [[nodiscard]] __device__ uint32_t parent(uint32_t i) const { return links_[i] >> 16; }
  /// The triangle that edge i is paired with.
  [[nodiscard]] __device__ CellName triangle(uint32_t i) const {
    const uint32_t place = links_[i] >> 8 & 255;
    const uint32_t third = links_[i] & 255;
    return {edges_[i] - place + max(place, third), min(place, third), 2};
  }

 private:
  /// Two lanes find what edge i of the queue leads to, if it is one.
  __device__ bool expand(uint32_t i, uint32_t end) {
    const bool is_here = i < end;
    const uint32_t edge = is_here ? edges_[i] : none;
    const uint32_t link = is_here ? links_[i] : 0;
    const uint32_t third = is_here ? graph_.partners[edge] : critical;
    __syncwarp();
    const bool is_even = lane_ % 2 == 0;
    if (is_here && is_even) links_[i] = link | third;
    uint32_t next = none;
    uint32_t place = link >> 8 & 255;
    if (third != critical && is_even) {
      next = edge - place + third;
      place = third;
    } else if (third != critical) {
      next = graph_.across(edge - place, max(place, third), min(place, third), place);
    }
    return push(next, place, i);
  }

  /// Appends an edge of each lane that has one, unless it was seen; those in place 0 are paired with a
  /// vertex.
  __device__ bool push(uint32_t edge, uint32_t place, uint32_t parent) {
    if (place == 0) edge = none;
    const uint32_t same = __match_any_sync(whole_warp, edge);
    const bool is_new = edge != none && (same & ((1u << lane_) - 1)) == 0 && insert(edge);
    const uint32_t news = __ballot_sync(whole_warp, is_new);
    if (size_ + __popc(news) > capacity_) return false;
    if (is_new) {
      const uint32_t at = size_ + __popc(news & ((1u << lane_) - 1));
      edges_[at] = edge;
      links_[at] = parent << 16 | place << 8;
    }
    size_ += __popc(news);
    __syncwarp();
    return true;
  }

  /// False if the edge is there already.
  __device__ bool insert(uint32_t edge) const {
    const uint32_t mask = 2 * capacity_ - 1;
    for (uint32_t slot = (edge * 2654435769u >> 12) & mask;; slot = (slot + 1) & mask) {
      const uint32_t before = atomicCAS(&table_[slot], none, edge);
      if (before == none) return true;
      if (before == edge) return false;
    }
  }

  Edges graph_;
  uint32_t* edges_;  ///< the queue
  uint32_t* links_;  ///< by edge of it: parent, place in its row, and the third vertex of its triangle
  uint32_t* table_;  ///< edges that were seen
  uint32_t capacity_;
  uint32_t size_ = 0;
  uint32_t lane_;
};

/// Paths as they are found, and who has which.
struct Found {
  Separatrices::Ends* ends;
  uint32_t* sizes;
  uint64_t path_capacity;
  CellName* cells;
  uint64_t cell_capacity;
  unsigned long long* taken;  ///< paths and cells
  // By saddle:
  uint64_t* first_path;
  uint64_t* first_cell;
  uint32_t* path_count;
  uint32_t* cell_count;
};

__device__ uint32_t path_size(const Search& search, uint32_t end) {
  uint32_t size = 2;
  for (uint32_t i = search.parent(end); i != no_parent; i = search.parent(i)) size += 2;
  return size;
}

/// From a 1-saddle up to the 2-saddle.
__device__ void write_path(const Search& search, uint32_t end, const CellName& saddle, CellName* cell) {
  *cell++ = {search.edge(end), 0, 1};
  for (uint32_t i = search.parent(end); i != no_parent; i = search.parent(i)) {
    *cell++ = search.triangle(i);
    *cell++ = {search.edge(i), 0, 1};
  }
  *cell = saddle;
}

/// Writes the paths of a search where there is room, and counts them in any case.
__device__ void write_paths(const Search& search, const Saddle& saddle, uint32_t number,
                            const DeviceNumbers::View& edge_numbers, const Found& found) {
  const uint32_t lane = threadIdx.x % 32;
  uint32_t paths = 0;
  uint32_t cells = 0;
  for (uint32_t i = lane; i < search.size(); i += 32) {
    if (!search.is_end(i)) continue;
    ++paths;
    cells += path_size(search, i);
  }
  paths = __reduce_add_sync(whole_warp, paths);
  cells = __reduce_add_sync(whole_warp, cells);
  unsigned long long path = 0;
  unsigned long long cell = 0;
  if (lane == 0) {
    found.first_path[number] = path = atomicAdd(&found.taken[0], paths);
    found.first_cell[number] = cell = atomicAdd(&found.taken[1], cells);
    found.path_count[number] = paths;
    found.cell_count[number] = cells;
  }
  path = __shfl_sync(whole_warp, path, 0);
  cell = __shfl_sync(whole_warp, cell, 0);
  if (path + paths > found.path_capacity || cell + cells > found.cell_capacity) return;
  for (uint32_t begin = 0; begin < search.size(); begin += 32) {
    const uint32_t i = begin + lane;
    const bool is_end = i < search.size() && search.is_end(i);
    const uint32_t size = is_end ? path_size(search, i) : 0;
    unsigned long long own_path = 0;
    unsigned long long own_cell = 0;
    for (uint32_t ends = __ballot_sync(whole_warp, is_end); ends != 0; ends &= ends - 1) {
      const int who = __ffs(static_cast<int>(ends)) - 1;
      if (static_cast<int>(lane) == who) own_path = path, own_cell = cell;
      ++path;
      cell += __shfl_sync(whole_warp, size, who);
    }
    if (!is_end) continue;
    found.sizes[own_path] = size;
    found.ends[own_path] = {SeparatrixType::connector, static_cast<uint32_t>(edge_numbers[search.edge(i)]),
                            number};
    write_path(search, i, saddle.name, found.cells + own_cell);
  }
}

/// Searches from saddles, all of them or those that are listed, in shared memory unless there is other.
__global__ void __launch_bounds__(32)
    search_kernel(Edges graph, const Saddle* saddles, const uint32_t* list, uint32_t count, uint32_t* memory,
                  uint32_t capacity, DeviceNumbers::View edge_numbers, Found found, uint32_t* left,
                  uint32_t* left_count) {
  extern __shared__ __align__(16) uint32_t shared[];
  uint32_t* const own = memory == nullptr ? shared : memory + size_t{words_an_edge} * capacity * blockIdx.x;
  for (uint32_t k = blockIdx.x; k < count; k += gridDim.x) {
    const uint32_t number = list == nullptr ? k : list[k];
    const Saddle saddle = saddles[number];
    Search search(graph, own, capacity);
    if (search.run(saddle)) {
      write_paths(search, saddle, number, edge_numbers, found);
    } else if (threadIdx.x == 0) {
      found.path_count[number] = found.cell_count[number] = 0;
      found.first_path[number] = found.first_cell[number] = 0;
      left[atomicAdd(left_count, 1u)] = number;
    }
    __syncwarp();
  }
}

/// Moves the paths of a saddle to their place.
__global__ void place_paths(Found found, const uint64_t* first_path, const uint64_t* first_cell,
                            Separatrices::Ends* ends, uint32_t* sizes, CellName* cells) {
  const uint32_t s = blockIdx.x;
  for (uint32_t i = threadIdx.x; i < found.path_count[s]; i += blockDim.x) {
    ends[first_path[s] + i] = found.ends[found.first_path[s] + i];
    sizes[first_path[s] + i] = found.sizes[found.first_path[s] + i];
  }
  for (uint32_t i = threadIdx.x; i < found.cell_count[s]; i += blockDim.x) {
    cells[first_cell[s] + i] = found.cells[found.first_cell[s] + i];
  }
}

/// The memory of Found.
struct FoundMemory {
  FoundMemory(const Exec& exec, size_t saddles, size_t path_capacity, size_t cell_capacity)
      : ends(exec, path_capacity),
        sizes(exec, path_capacity),
        cells(exec, cell_capacity),
        taken(exec, std::span<const unsigned long long>(nothing)),
        first_path(exec, saddles),
        first_cell(exec, saddles),
        path_count(exec, saddles),
        cell_count(exec, saddles) {}

  [[nodiscard]] Found view() {
    return {ends.data(),  sizes.data(),      ends.size(),       cells.data(),      cells.size(),
            taken.data(), first_path.data(), first_cell.data(), path_count.data(), cell_count.data()};
  }

  static constexpr unsigned long long nothing[2] = {0, 0};
  Buffer<Separatrices::Ends> ends;
  Buffer<uint32_t> sizes;
  Buffer<CellName> cells;
  Buffer<unsigned long long> taken;
  Buffer<uint64_t> first_path;
  Buffer<uint64_t> first_cell;
  Buffer<uint32_t> path_count;
  Buffer<uint32_t> cell_count;
};

/// Searches from all saddles. Gives the numbers of those that it leaves, ascending.
Array<uint32_t> search(const Exec& exec, const Edges& graph, const Buffer<Saddle>& saddles,
                       const DeviceNumbers& edge_numbers, const Found& found, const Monitor& monitor) {
  auto count = static_cast<uint32_t>(saddles.size());
  Buffer<uint32_t> list;  // at first all of them
  for (const Tier& tier : tiers) {
    if (count == 0) break;
    monitor.update("searching for connectors", static_cast<double>(&tier - tiers) / std::size(tiers));
    constexpr uint32_t nothing = 0;
    Buffer<uint32_t> left_count(exec, std::span(&nothing, 1));
    Buffer<uint32_t> left(exec, count);
    const uint32_t words = words_an_edge * tier.capacity;
    const uint32_t workers = tier.workers == 0 ? count : std::min(count, tier.workers);
    Buffer<uint32_t> memory(exec, tier.workers == 0 ? 0 : size_t{words} * workers);
    launch_tiles(exec, workers, 32, tier.workers == 0 ? sizeof(uint32_t) * words : 0, search_kernel,
                 "searching for connectors", graph, saddles.data(), list.data(), count, memory.data(),
                 tier.capacity, edge_numbers.view(), found, left.data(), left_count.data());
    count = left_count.to_host()[0];
    list = std::move(left);
  }
  Array<uint32_t> numbers = list.to_host(count);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace

DeviceConnectors trace_connectors(const DeviceGradient<3>& gradient, std::span<const Saddle> saddles,
                                  std::span<const uint32_t> edges, const Monitor& monitor) {
  const Exec& exec = gradient.exec();
  const size_t count = saddles.size();
  const Edges graph = {gradient.offsets.data(), gradient.lower.data(), gradient.partners.data()};
  const Buffer<Saddle> from(exec, saddles);
  const DeviceNumbers edge_numbers(exec, edges);
  // Usual sizes; if they do not do, the kernel has counted what does.
  const size_t most = gradient.lower.size();
  FoundMemory memory(exec, count, std::min(16 * count, most / 4) + 1024, std::min(256 * count, most) + 1024);
  Array<uint32_t> left = search(exec, graph, from, edge_numbers, memory.view(), monitor);
  const auto needed = memory.taken.to_host();
  if (needed[0] > memory.ends.size() || needed[1] > memory.cells.size()) {
    memory = FoundMemory(exec, count, needed[0], needed[1]);
    left = search(exec, graph, from, edge_numbers, memory.view(), monitor);
  }
  Buffer<uint64_t> first_path(exec, count + 1);
  Buffer<uint64_t> first_cell(exec, count + 1);
  exclusive_scan<uint32_t, uint64_t>(exec, std::as_const(memory.path_count).span(), first_path.span());
  exclusive_scan<uint32_t, uint64_t>(exec, std::as_const(memory.cell_count).span(), first_cell.span());
  DeviceConnectors result{.paths = {Buffer<Separatrices::Ends>(exec, needed[0]),
                                    Buffer<uint32_t>(exec, needed[0]), Buffer<CellName>(exec, needed[1])}};
  launch_tiles(exec, static_cast<uint32_t>(count), 64, 0, place_paths, "placing connectors", memory.view(),
               first_path.data(), first_cell.data(), result.paths.ends.data(), result.paths.sizes.data(),
               result.paths.cells.data());
  if (left.empty()) return result;
  const Array<uint64_t> paths = first_path.to_host();
  const Array<uint64_t> cells = first_cell.to_host();
  for (const uint32_t s : left) result.left.push_back({s, paths[s], cells[s]});
  return result;
}

}  // namespace tessera::detail::cuda
