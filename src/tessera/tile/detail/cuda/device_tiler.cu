// tile() on a device: what tiled_mesh.cpp does, with the same result, by sorts and loops over all cells.
//
// A twin, because the host fills one tile after the other out of its cache, and a device has no order of
// tiles to gain from: its sorts take 20 ms for 99.5 million tets, 16 host threads 245 (docs/gpu.md). What
// decides the result is shared: the order along the curve (morton.h), where tiles begin (octree_tiles.h) and
// how a tile names the cells of others (foreign_runs.h).
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include <tessera/core/detail/monitor.h>
#include <tessera/exec/primitives.h>
#include <tessera/mesh/detail/morton.h>
#include <tessera/mesh/detail/octree.h>
#include <tessera/mesh/doctor.h>
#include <tessera/tile/detail/cuda/device_tiles.h>
#include <tessera/tile/detail/foreign_runs.h>
#include <tessera/tile/detail/octree_tiles.h>
#include <tessera/exec/detail/reduce.cuh>
#include <tessera/exec/detail/search.cuh>
#include <tessera/exec/for_each.cuh>

namespace tessera::detail {
namespace {

using std::size_t;
using std::uint32_t;
using std::uint64_t;

/// A cell whose corners ids are told by index(), as foreign_runs() expects them.
template <int Dim>
struct Corners {
  struct Corner {
    uint32_t value;
    __device__ uint32_t index() const { return value; }
  };
  const uint32_t* ids;
  __device__ Corner operator[](size_t k) const { return {ids[k]}; }
  static __device__ constexpr size_t size() { return Dim + 1; }
};

struct Seen {
  uint32_t bad;       ///< a corner out of range or repeated
  uint32_t unsorted;  ///< cells or corners do not ascend
  unsigned long long foreign;
};

template <int Dim>
__device__ bool is_less(const std::array<uint32_t, Dim + 1>& a, const std::array<uint32_t, Dim + 1>& b) {
  for (int k = 0; k <= Dim; ++k) {
    if (a[k] != b[k]) return a[k] < b[k];
  }
  return false;
}

template <int Dim>
__global__ void look_at_cells(const std::array<uint32_t, Dim + 1>* cells, size_t count, uint32_t vertices,
                              Seen* seen) {
  const size_t c = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  uint32_t foreign = 0;
  bool bad = false;
  bool unsorted = false;
  if (c < count) {
    const std::array<uint32_t, Dim + 1> cell = cells[c];
    for (int k = 0; k <= Dim; ++k) {
      bad |= cell[k] >= vertices;
      for (int j = 0; j < k; ++j) bad |= cell[j] == cell[k];
      if (k > 0) unsorted |= cell[k] < cell[k - 1];
    }
    if (c > 0) unsorted |= !is_less<Dim>(cells[c - 1], cell);
    foreign = foreign_runs(Corners<Dim>{cell.data()});
  }
  foreign = __reduce_add_sync(0xFFFFFFFFu, foreign);
  if (bad) seen->bad = 1;
  if (unsorted) seen->unsorted = 1;
  if (threadIdx.x % 32 == 0 && foreign != 0) {
    __threadfence_block();
    atomicAdd(&seen->foreign, static_cast<unsigned long long>(foreign));
  }
}

/// Bit c of an array of words. The threads of a warp write the bits of one word together.
__device__ void write_bit(uint32_t* words, size_t c, bool bit) {
  const uint32_t bits = __ballot_sync(__activemask(), bit);
  if (c % 32 == 0) words[c / 32] = bits;
}

/// The tiles of the vertices of a copy.
struct TileOfVertex {
  static constexpr uint32_t elsewhere = 0xFFFFFFFFu;

  const uint32_t* tiles;
  uint32_t first;
  uint32_t count;

  [[nodiscard]] __device__ uint32_t operator[](uint32_t v) const {
    return v - first < count ? tiles[v - first] : elsewhere;
  }
};

/// Calls f(tile) for every tile but its own that a cell touches; corners ascend, so equal tiles are
/// neighbours.
template <int Dim, class F>
__device__ void for_each_foreign_tile(const std::array<uint32_t, Dim + 1>& cell, const TileOfVertex& tile_of,
                                      const F& f) {
  uint32_t last = tile_of[cell[0]];
  for (int k = 1; k <= Dim; ++k) {
    const uint32_t tile = tile_of[cell[k]];
    if (tile != last && tile != TileOfVertex::elsewhere) f(tile);
    last = tile;
  }
}

/// The box around finite coordinates, axis by axis.
struct Ranges {
  Vec3d low = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
  Vec3d high = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};

  bool is_finite = true;  ///< all of them are

  [[nodiscard]] bool is_empty() const { return low.x > high.x || low.y > high.y || low.z > high.z; }
};
template <class Point>
struct RangesOf {
  const Point* points;

  TS_HD Ranges operator()(size_t i) const {
    const Vec3d p = {double{points[i].x}, double{points[i].y}, double{points[i].z}};
    if (p.x - p.x != 0 || p.y - p.y != 0 || p.z - p.z != 0) return {.is_finite = false};
    return {p, p, true};
  }
};
struct MergeRanges {
  TS_HD Ranges operator()(const Ranges& a, const Ranges& b) const {
    return {{fmin(a.low.x, b.low.x), fmin(a.low.y, b.low.y), fmin(a.low.z, b.low.z)},
            {fmax(a.high.x, b.high.x), fmax(a.high.y, b.high.y), fmax(a.high.z, b.high.z)},
            a.is_finite && b.is_finite};
  }
};

}  // namespace

template <int Dim>
class DeviceTiler {
 public:
  using Cell = typename DeviceTiles<Dim>::Cell;

  DeviceTiler(const SimplexMesh<Dim>& mesh, const TileOptions& options)
      : mesh_(&mesh),
        options_(options),
        exec_(options.exec),
        host_(Exec::host(options.exec.threads())),
        own_(new DeviceTiles<Dim>(options.exec)),
        device_(own_.get()) {
    options_.max_vertices = std::min(options_.max_vertices, most_device_vertices);
  }

  /// For run_order(): cells that lie on the device.
  DeviceTiler(Buffer<Cell> cells, uint32_t vertices, const TileOptions& options)
      : mesh_(nullptr),
        options_(options),
        exec_(options.exec),
        host_(Exec::host(options.exec.threads())),
        own_(new DeviceTiles<Dim>(options.exec)),
        device_(own_.get()) {
    device_->vertex_count_ = vertices;
    device_->cell_count_ = static_cast<uint32_t>(cells.size());
    device_->cells = std::move(cells);
  }

  /// A copy of what the host has cut, or a part of it; tiles that are too large are cut further.
  DeviceTiler(const TiledMesh<Dim>& tiles, DeviceTiles<Dim>& device, TileRange range)
      : mesh_(nullptr), exec_(device.exec_), host_(Exec::host(exec_.threads())), device_(&device) {
    const auto first_vertices = tiles.first_vertices().subspan(range.begin, range.end - range.begin + 1);
    const auto first_cells = tiles.first_cells().subspan(range.begin, range.end - range.begin + 1);
    const bool is_whole = range == TileRange{0, static_cast<uint32_t>(tiles.tile_count())};
    first_vertex_ = first_vertices.front();
    device.vertex_count_ = first_vertices.back() - first_vertex_;
    const std::span<const Cell> internal(
        reinterpret_cast<const Cell*>(tiles.cells().data()) + first_cells.front(),
        first_cells.back() - first_cells.front());
    if (is_whole) {
      device.cell_count_ = static_cast<uint32_t>(internal.size());
      device.cells = Buffer<Cell>(exec_, internal);
      if (!tiles.keeps_vertex_order()) {
        device.vertex_to_input = Buffer<uint32_t>(exec_, tiles.vertices_to_input());
      }
      if (!tiles.keeps_cell_order()) device.cell_to_input = Buffer<uint32_t>(exec_, tiles.cells_to_input());
      if (!tiles.turned().empty()) device.turned = Buffer<uint32_t>(exec_, tiles.turned());
    } else {
      copy_part(tiles, range, internal);
    }
    Array<uint32_t> cut(1, first_vertex_);
    for (const uint32_t end : first_vertices.subspan(1)) {
      while (end - cut.back() > most_device_vertices) cut.push_back(cut.back() + most_device_vertices);
      cut.push_back(end);
    }
    number_tiles(std::move(cut));
    if (is_whole) device_->find_boundary();
  }

  /// Cells at the part's vertices that lower tiles own are the first external ones of its tiles.
  void copy_part(const TiledMesh<Dim>& tiles, TileRange range, std::span<const Cell> internal) {
    const uint32_t own = tiles.first_cells()[range.begin];
    Array<uint32_t> foreign;
    for (uint32_t t = range.begin; t < range.end; ++t) {
      for (const uint32_t c : tiles.external_cells(TileId(t))) {
        if (c >= own) break;
        foreign.push_back(c);
      }
    }
    std::sort(foreign.begin(), foreign.end());
    foreign.erase(std::unique(foreign.begin(), foreign.end()), foreign.end());
    Array<Cell> cells(foreign.size());
    const Cell* const all = reinterpret_cast<const Cell*>(tiles.cells().data());
    for (size_t i = 0; i < foreign.size(); ++i) cells[i] = all[foreign[i]];
    device_->cell_count_ = static_cast<uint32_t>(foreign.size() + internal.size());
    device_->cell_shift_ = own - static_cast<uint32_t>(foreign.size());
    device_->foreign = Buffer<uint32_t>(exec_, std::span<const uint32_t>(foreign));
    device_->cells = Buffer<Cell>(exec_, device_->cell_count_);
    device_->cells.assign(cells);
    detail::copy(exec_, device_->cells.data() + foreign.size(), internal.data(), internal.size_bytes(),
                 detail::CopyKind::to_device);
  }

  TiledMesh<Dim> run() {
    check_points_and_fields(*mesh_, "the mesh", host_);
    report("copying to the device", 0);
    static_assert(sizeof(Cell) == sizeof(typename SimplexMesh<Dim>::Cell));
    device_->vertex_count_ = static_cast<uint32_t>(mesh_->vertex_count());
    device_->cell_count_ = static_cast<uint32_t>(mesh_->cell_count());
    device_->cells = Buffer<Cell>(
        exec_, std::span(reinterpret_cast<const Cell*>(mesh_->cells.data()), mesh_->cells.size()));
    synchronize(exec_);
    report("cutting into tiles", 0);
    if (!look()) return on_host();  // which says what is wrong
    number_vertices([&] { return mesh_->points.visit([&](auto points) { return codes_of_host(points); }); });
    if (!sort_cells()) return on_host();
    number_tiles(first_vertices_);
    device_->find_boundary();
    synchronize(exec_);
    report("copying from the device", 0);
    download();
    device_->find_host_boundary(tiles_);
    synchronize(exec_);
    tiles_.attach(std::move(own_));
    report("copying from the device", 1);
    return std::move(tiles_);
  }

  /// The order alone; the cells are in device_->cells.
  template <class Real>
  std::optional<DeviceOrder<Dim>> run_order(std::span<const Vec3<Real>> points) {
    const Ranges box =
        reduce(exec_, points.size(), Ranges{}, RangesOf<Vec3<Real>>{points.data()}, MergeRanges{});
    if (!box.is_finite || !look()) return std::nullopt;
    number_vertices([&] {
      return codes_of(points, cube_around(box.is_empty() ? Box{} : Box{box.low, box.high}));
    });
    if (!sort_cells()) return std::nullopt;
    return DeviceOrder<Dim>{std::move(device_->cells), std::move(device_->turned),
                            std::move(device_->vertex_to_input), std::move(device_->cell_to_input),
                            std::move(first_vertices_)};
  }

  // Not private: nvcc allows no lambdas in private functions.

  void report(const char* stage, double fraction) const {
    monitor_of(options_.monitor).update(stage, fraction);
  }

  TiledMesh<Dim> on_host() {
    own_.reset();
    TileOptions options = options_;
    options.exec = host_;
    return tile(*mesh_, options);
  }

  /// False if the cells are not those of a mesh.
  bool look() {
    const Seen nothing = {};
    Buffer<Seen> buffer(exec_, std::span(&nothing, 1));
    const size_t n = device_->cell_count_;
    if (n > 0) {
      const CurrentDevice current(exec_);
      look_at_cells<Dim><<<cuda::grid_blocks((n + 255) / 256), 256, 0, cuda_stream(exec_)>>>(
          device_->cells.data(), n, device_->vertex_count_, buffer.data());
      check_launch(exec_, "looking at cells");
    }
    const Seen seen = buffer.to_host()[0];
    keeps_order_ = options_.order == VertexOrder::automatic ? is_local(seen.foreign, n)
                                                            : options_.order == VertexOrder::input;
    is_sorted_ = seen.unsorted == 0;
    return seen.bad == 0;
  }

  /// Leaves device_->vertex_to_input; returns where tiles begin.
  Array<uint32_t> partition_by(Buffer<uint64_t> codes) {
    const size_t n = device_->vertex_count_;
    Buffer<uint32_t> order(exec_, n);
    cuda::for_each(exec_, n, [id = order.data()] __device__(size_t v) { id[v] = static_cast<uint32_t>(v); });
    sort_pairs<uint64_t, uint32_t>(exec_, codes.span(), order.span(), 3 * octree_levels);
    const Array<uint32_t> leaves = find_octree_leaves(
        static_cast<uint32_t>(n), options_.max_vertices,
        [&](std::span<const OctreeNode> nodes, int level) { return split(codes, nodes, level); });
    device_->vertex_to_input = std::move(order);
    return join_leaves(leaves, options_.max_vertices);
  }

  Array<uint32_t> split(const Buffer<uint64_t>& codes, std::span<const OctreeNode> nodes, int level) const {
    const Buffer<OctreeNode> there(exec_, nodes);
    Buffer<uint32_t> begins(exec_, 8 * nodes.size());
    cuda::for_each(
        exec_, begins.size(),
        [codes = codes.data(), node = there.data(), out = begins.data(), level] __device__(size_t i) {
          const auto [begin, end] = node[i / 8];
          const uint64_t low = OctreeNode::lowest_code(codes[begin], level, static_cast<uint32_t>(i % 8));
          out[i] = cuda::lower_bound(codes, begin, end, low);
        });
    return begins.to_host();
  }

  template <class Point>
  Buffer<uint64_t> codes_of_host(std::span<const Point> points) {
    const Buffer<Point> there(exec_, points);
    return codes_of(there.span(), octree_cube(mesh_->points, host_));
  }
  template <class Point>
  Buffer<uint64_t> codes_of(std::span<const Point> points, const Box& cube) {
    Buffer<uint64_t> codes(exec_, points.size());
    cuda::for_each(exec_, points.size(),
                   [point = points.data(), code = codes.data(), cube] __device__(size_t v) {
                     const Vec3d p = {double{point[v].x}, double{point[v].y}, double{point[v].z}};
                     code[v] = morton_code(p, cube);
                   });
    return codes;
  }

  /// Finds where the vertices of tiles begin; `codes()` are the points' places on the curve.
  void number_vertices(const std::function<Buffer<uint64_t>()>& codes) {
    const size_t n = device_->vertex_count_;
    first_vertices_ =
        keeps_order_ ? partition_in_order(n, options_.max_vertices).offsets : partition_by(codes());
    if (first_vertices_.empty()) first_vertices_ = {0};
    if (keeps_order_) return;
    from_input_ = Buffer<uint32_t>(exec_, n);
    cuda::for_each(exec_, n,
                   [to = device_->vertex_to_input.data(), from = from_input_.data()] __device__(size_t v) {
                     from[to[v]] = static_cast<uint32_t>(v);
                   });
  }

  /// Finds the cells of tiles; vertices and cells are there.
  void number_tiles(Array<uint32_t> cut) {
    device_->cut_ = std::move(cut);
    device_->tile_count_ = static_cast<uint32_t>(device_->cut_.size() - 1);
    device_->first_vertex = Buffer<uint32_t>(exec_, std::span<const uint32_t>(device_->cut_));
    tile_of_ = Buffer<uint32_t>(exec_, device_->vertex_count_);
    cuda::for_each(exec_, tile_of_.size(),
                   [first = device_->first_vertex.data(), tiles = device_->tile_count_,
                    out = tile_of_.data()] __device__(size_t i) {
                     out[i] =
                         cuda::lower_bound(first, 0u, tiles + 1, first[0] + static_cast<uint32_t>(i) + 1) - 1;
                   });
    find_intervals();
    find_ribbons();
    device_->number_tiles();
  }

  /// Renumbers the cells and sorts their corners and them: stably by the last two corners, then by the first
  /// two. False if a cell is there twice.
  bool sort_cells() {
    if (keeps_order_ && is_sorted_) return true;
    const size_t n = device_->cell_count_;
    Buffer<uint32_t> turned(exec_, (n + 31) / 32);  // in the order of the input
    cuda::for_each(exec_, n,
                   [cells = device_->cells.data(), from = from_input_.data(),
                    bits = turned.data()] __device__(size_t c) {
                     Cell cell = cells[c];
                     bool is_turned = false;
                     for (int k = 0; from != nullptr && k <= Dim; ++k) cell[k] = from[cell[k]];
                     for (int i = 1; i <= Dim; ++i) {
                       for (int j = i; j > 0 && cell[j] < cell[j - 1]; --j) {
                         const uint32_t swapped = cell[j];
                         cell[j] = cell[j - 1];
                         cell[j - 1] = swapped;
                         is_turned = !is_turned;
                       }
                     }
                     cells[c] = cell;
                     write_bit(bits, c, is_turned);
                   });
    const int bits = bits_in_use(device_->vertex_count_);
    Buffer<uint64_t> keys(exec_, n);
    Buffer<uint32_t> ids(exec_, n);
    cuda::for_each(
        exec_, n,
        [cells = device_->cells.data(), key = keys.data(), id = ids.data(), bits] __device__(size_t c) {
          key[c] = Dim == 3 ? uint64_t{cells[c][2]} << bits | cells[c][Dim] : cells[c][2];
          id[c] = static_cast<uint32_t>(c);
        });
    sort_pairs<uint64_t, uint32_t>(exec_, keys.span(), ids.span(), Dim == 3 ? 2 * bits : bits);
    cuda::for_each(exec_, n,
                   [cells = device_->cells.data(), key = keys.data(), id = ids.data(), bits] __device__(
                       size_t i) { key[i] = uint64_t{cells[id[i]][0]} << bits | cells[id[i]][1]; });
    sort_pairs<uint64_t, uint32_t>(exec_, keys.span(), ids.span(), 2 * bits);
    keys = {};
    Buffer<Cell> sorted(exec_, n);
    cuda::for_each(
        exec_, n, [cells = device_->cells.data(), out = sorted.data(), id = ids.data()] __device__(size_t i) {
          out[i] = cells[id[i]];
        });
    const uint32_t no = 0;
    Buffer<uint32_t> repeated(exec_, std::span(&no, 1));
    cuda::for_each(exec_, n, [cells = sorted.data(), found = repeated.data()] __device__(size_t c) {
      if (c > 0 && !is_less<Dim>(cells[c - 1], cells[c])) *found = 1;
    });
    device_->turned = Buffer<uint32_t>(exec_, turned.size());
    cuda::for_each(exec_, n,
                   [from = turned.data(), to = device_->turned.data(), id = ids.data()] __device__(size_t c) {
                     write_bit(to, c, (from[id[c] / 32] >> id[c] % 32 & 1) != 0);
                   });
    device_->cells = std::move(sorted);
    device_->cell_to_input = std::move(ids);
    return repeated.to_host()[0] == 0;
  }

  void find_intervals() {
    const size_t n = size_t{device_->tile_count_} + 1;
    device_->first_cell = Buffer<uint32_t>(exec_, n);
    cuda::for_each(
        exec_, n,
        [cells = device_->cells.data(), count = device_->cell_count_, first = device_->first_vertex.data(),
         out = device_->first_cell.data()] __device__(size_t t) {
          const auto at = [&](uint32_t c) { return cells[c][0]; };
          out[t] = cuda::lower_bound(at, 0u, count, first[t]);
        });
  }

  /// (tile, cell) pairs in the order of cells; a stable sort by tile then keeps cells ascending.
  void find_ribbons() {
    const size_t n = device_->cell_count_;
    const TileOfVertex tile_of_vertex = {tile_of_.data(), first_vertex_, device_->vertex_count_};
    Buffer<uint32_t> counts(exec_, n + 1);
    cuda::for_each(exec_, n + 1,
                   [cells = device_->cells.data(), tile_of = tile_of_vertex, out = counts.data(),
                    n] __device__(size_t c) {
                     uint32_t count = 0;
                     if (c < n) {
                       for_each_foreign_tile<Dim>(cells[c], tile_of, [&](uint32_t) { ++count; });
                     }
                     out[c] = count;
                   });
    exclusive_scan<uint32_t, uint32_t>(exec_, std::as_const(counts).span(), counts.span());
    uint32_t count = 0;
    detail::copy(exec_, &count, counts.data() + n, sizeof(count), detail::CopyKind::to_host);
    Buffer<uint32_t> keys(exec_, count);
    Buffer<uint32_t> values(exec_, count);
    cuda::for_each(exec_, n,
                   [cells = device_->cells.data(), tile_of = tile_of_vertex, place = counts.data(),
                    key = keys.data(), value = values.data()] __device__(size_t c) {
                     uint32_t at = place[c];
                     if (at == place[c + 1]) return;
                     for_each_foreign_tile<Dim>(cells[c], tile_of, [&](uint32_t t) {
                       key[at] = t;
                       value[at++] = static_cast<uint32_t>(c);
                     });
                   });
    counts = {};
    sort_pairs<uint32_t, uint32_t>(exec_, keys.span(), values.span(), bits_in_use(device_->tile_count_));
    device_->first_external = Buffer<uint32_t>(exec_, size_t{device_->tile_count_} + 1);
    cuda::for_each(exec_, device_->first_external.size(),
                   [key = keys.data(), count, out = device_->first_external.data()] __device__(size_t t) {
                     out[t] = cuda::lower_bound(key, 0u, count, static_cast<uint32_t>(t));
                   });
    device_->external = std::move(values);
  }

  /// What the host keeps of it.
  void download() {
    tiles_.first_vertex_ = std::move(first_vertices_);
    tiles_.vertex_to_input_ = device_->vertex_to_input.to_host();
    tiles_.tile_of_vertex_ = tile_of_.to_host();
    tiles_.vertex_from_input_ = from_input_.to_host();
    tiles_.first_cell_ = device_->first_cell.to_host();
    tiles_.external_.offsets = device_->first_external.to_host();
    tiles_.external_.values = device_->external.to_host();
    if (device_->cell_to_input.empty()) {
      tiles_.borrow_cells(*mesh_);
      return;
    }
    tiles_.cell_to_input_ = device_->cell_to_input.to_host();
    if (tiles_.keeps_vertex_order() && std::ranges::is_sorted(tiles_.cell_to_input_))
      tiles_.cell_to_input_ = {};  // only corners were sorted
    tiles_.own_cells_.resize(mesh_->cell_count());
    detail::copy(exec_, tiles_.own_cells_.data(), device_->cells.data(), device_->cells.bytes(),
                 detail::CopyKind::to_host);
    tiles_.cells_ = tiles_.own_cells_;
    tiles_.turned_ = device_->turned.to_host();
    if (std::ranges::all_of(tiles_.turned_, [](uint32_t bits) { return bits == 0; })) tiles_.turned_ = {};
  }

 private:
  const SimplexMesh<Dim>* mesh_;
  TileOptions options_;
  Exec exec_;
  Exec host_;
  std::shared_ptr<DeviceTiles<Dim>> own_;
  DeviceTiles<Dim>* device_;
  bool keeps_order_ = false;
  bool is_sorted_ = false;
  uint32_t first_vertex_ = 0;
  Buffer<uint32_t> tile_of_;
  Buffer<uint32_t> from_input_;     ///< empty: as they are
  Array<uint32_t> first_vertices_;  ///< of tiles, and their end
  TiledMesh<Dim> tiles_;
};

template <int Dim>
DeviceTiles<Dim>::DeviceTiles(const TiledMesh<Dim>& tiles, const Exec& exec) : exec_(exec) {
  DeviceTiler<Dim>(tiles, *this, {0, static_cast<uint32_t>(tiles.tile_count())});
  find_host_boundary(tiles);
  synchronize(exec_);
}

template <int Dim>
DeviceTiles<Dim>::DeviceTiles(const TiledMesh<Dim>& tiles, const Exec& exec, TileRange range) : exec_(exec) {
  TS_EXPECTS(range.begin <= range.end && range.end <= tiles.tile_count());
  DeviceTiler<Dim>(tiles, *this, range);
  synchronize(exec_);
}

template DeviceTiles<2>::DeviceTiles(const TiledMesh<2>&, const Exec&);
template DeviceTiles<3>::DeviceTiles(const TiledMesh<3>&, const Exec&);
template DeviceTiles<2>::DeviceTiles(const TiledMesh<2>&, const Exec&, TileRange);
template DeviceTiles<3>::DeviceTiles(const TiledMesh<3>&, const Exec&, TileRange);

namespace cuda {

template <int Dim, class Real>
std::optional<DeviceOrder<Dim>> find_order(std::span<const Vec3<Real>> points,
                                           Buffer<std::array<uint32_t, Dim + 1>> cells,
                                           const TileOptions& options) {
  return DeviceTiler<Dim>(std::move(cells), static_cast<uint32_t>(points.size()), options).run_order(points);
}
template std::optional<DeviceOrder<2>> find_order<2, float>(std::span<const Vec3f>,
                                                            Buffer<std::array<uint32_t, 3>>,
                                                            const TileOptions&);
template std::optional<DeviceOrder<2>> find_order<2, double>(std::span<const Vec3d>,
                                                             Buffer<std::array<uint32_t, 3>>,
                                                             const TileOptions&);

namespace {

template <int Dim>
TiledMesh<Dim> cut(const SimplexMesh<Dim>& mesh, const TileOptions& options) {
  if (options.partition == nullptr) return DeviceTiler<Dim>(mesh, options).run();
  TileOptions on_host = options;  // a caller's tiles may be larger than a device's
  on_host.exec = Exec::host(options.exec.threads());
  TiledMesh<Dim> tiles = tessera::tile(mesh, on_host);
  tiles.attach(std::make_shared<const DeviceTiles<Dim>>(tiles, options.exec));
  return tiles;
}

}  // namespace

TiledMesh<2> tile(const TriMesh& mesh, const TileOptions& options) {
  return cut<2>(mesh, options);
}

TiledMesh<3> tile(const TetMesh& mesh, const TileOptions& options) {
  return cut<3>(mesh, options);
}

}  // namespace cuda
}  // namespace tessera::detail
