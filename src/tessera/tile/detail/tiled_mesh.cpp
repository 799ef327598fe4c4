#include <tessera/tile/tiled_mesh.h>

#include <algorithm>
#include <string>
#include <utility>

#include <tessera/core/config.h>
#include <tessera/core/detail/monitor.h>
#include <tessera/core/error.h>
#include <tessera/core/macros.h>
#include <tessera/exec/detail/host/runs.h>
#include <tessera/exec/for_each.h>
#include <tessera/exec/primitives.h>
#include <tessera/mesh/doctor.h>
#include <tessera/tile/detail/cuda/device_tiles.h>
#include <tessera/tile/detail/foreign_runs.h>

namespace tessera {

using namespace detail;

namespace {

using std::size_t;
using std::uint32_t;

/// Sorts a few elements with their companions; runs of cells around a vertex are short.
template <class Cell>
void sort_with(std::span<Cell> cells, std::span<uint32_t> companions) {
  constexpr size_t few = 32;
  if (cells.size() <= few) {
    for (size_t i = 1; i < cells.size(); ++i) {
      const Cell cell = cells[i];
      const uint32_t companion = companions[i];
      size_t j = i;
      for (; j > 0 && cell < cells[j - 1]; --j) {
        cells[j] = cells[j - 1];
        companions[j] = companions[j - 1];
      }
      cells[j] = cell;
      companions[j] = companion;
    }
    return;
  }
  std::vector<std::pair<Cell, uint32_t>> pairs(cells.size());
  for (size_t i = 0; i < cells.size(); ++i) pairs[i] = {cells[i], companions[i]};
  std::sort(pairs.begin(), pairs.end());
  for (size_t i = 0; i < cells.size(); ++i) std::tie(cells[i], companions[i]) = pairs[i];
}

}  // namespace

namespace detail {

/// Builds a TiledMesh step by step.
template <int Dim>
class Tiler {
 public:
  using Cell = typename TiledMesh<Dim>::Cell;
  using InputCell = typename SimplexMesh<Dim>::Cell;

  Tiler(const SimplexMesh<Dim>& mesh, const TileOptions& options)
      : mesh_(mesh), options_(options), exec_(Exec::host(options.exec.threads())) {}

  TiledMesh<Dim> run() {
    check_mesh(mesh_, "the mesh", exec_);
    report("cutting into tiles", 0);
    number_vertices();
    report("sorting cells", 0.3);
    sort_cells();
    report("finding ribbons", 0.8);
    find_intervals();
    find_ribbons();
    report("cutting into tiles", 1);
    return std::move(tiles_);
  }

 private:
  void report(const char* stage, double fraction) const {
    monitor_of(options_.monitor).update(stage, fraction);
  }

  void number_vertices() {
    const size_t n = mesh_.vertex_count();
    if (options_.partition != nullptr) check_partition(*options_.partition, mesh_.vertex_count());
    Partition partition = options_.partition != nullptr ? *options_.partition
                          : keeps_order()               ? partition_in_order(n, options_.max_vertices)
                                          : partition_octree(mesh_.points, options_.max_vertices, exec_);
    tiles_.vertex_to_input_ = std::move(partition.order);
    tiles_.first_vertex_ = std::move(partition.offsets);
    if (tiles_.first_vertex_.empty()) tiles_.first_vertex_ = {0};
    tiles_.tile_of_vertex_.resize(n);
    if (!tiles_.keeps_vertex_order()) {
      tiles_.vertex_from_input_.resize(n);
      host_for_each(exec_, n, [&](size_t v) {
        tiles_.vertex_from_input_[tiles_.vertex_to_input_[v]] = static_cast<uint32_t>(v);
      });
    }
    host::for_each_chunk(exec_.threads(), tiles_.tile_count(), 64, [&](host::Range range, int) {
      for (size_t t = range.begin; t < range.end; ++t) {
        std::fill(tiles_.tile_of_vertex_.begin() + tiles_.first_vertex_[t],
                  tiles_.tile_of_vertex_.begin() + tiles_.first_vertex_[t + 1], static_cast<uint32_t>(t));
      }
    });
  }

  /// Is the input's order kept? Must not depend on the size of tiles, or numbers would. The same pass sees
  /// whether cells are sorted, by their ascending corners, and whether the corners are.
  [[nodiscard]] bool keeps_order() {
    std::atomic<size_t> foreign{0};
    std::atomic<bool> sorted{true};
    std::atomic<bool> turned{false};
    host::for_each_share(exec_.threads(), mesh_.cell_count(), [&](host::Range share) {
      size_t count = 0;
      bool ascends = true;
      bool have_order = true;
      InputCell before = {};
      if (share.begin > 0) std::ranges::sort(before = mesh_.cells[share.begin - 1]);
      for (size_t c = share.begin; c < share.end; ++c) {
        InputCell cell = mesh_.cells[c];
        bool has_order = true;
        for (size_t k = 1; k < cell.size(); ++k) has_order &= cell[k - 1] < cell[k];
        count += has_order ? ascending_foreign_runs(cell) : foreign_runs(cell);
        if (!ascends) continue;
        if (!has_order) std::ranges::sort(cell);
        ascends = c == 0 || before < cell;
        have_order &= has_order;
        before = cell;
      }
      foreign += count;
      if (!ascends) sorted = false;
      if (!have_order) turned = true;
    });
    is_sorted_ = sorted;
    has_turned_ = turned;
    if (options_.order != VertexOrder::automatic) return options_.order == VertexOrder::input;
    return is_local(foreign, mesh_.cell_count());
  }

  /// Corners ascend; `is_turned` tells whether that took an odd number of exchanges.
  Cell renumbered(const InputCell& input, bool& is_turned) const {
    Cell cell;
    for (size_t k = 0; k < cell.size(); ++k) cell[k] = tiles_.tiled(input[k]);
    is_turned = false;
    for (size_t i = 1; i < cell.size(); ++i) {
      for (size_t j = i; j > 0 && cell[j] < cell[j - 1]; --j) {
        std::swap(cell[j], cell[j - 1]);
        is_turned = !is_turned;
      }
    }
    return cell;
  }

  /// Cells that are in order, but for the corners of some: those of an oriented lattice.
  void sort_corners() {
    const size_t n = mesh_.cell_count();
    tiles_.own_cells_.resize(n);
    tiles_.turned_.resize((n + 31) / 32);
    host_for_each(exec_, tiles_.turned_.size(), [&](size_t word) {
      uint32_t bits = 0;
      for (size_t c = 32 * word; c < std::min(n, 32 * (word + 1)); ++c) {
        bool is_turned = false;
        tiles_.own_cells_[c] = renumbered(mesh_.cells[c], is_turned);
        bits |= (is_turned ? 1u : 0u) << c % 32;
      }
      tiles_.turned_[word] = bits;
    });
    tiles_.cells_ = tiles_.own_cells_;
    if (std::ranges::all_of(tiles_.turned_, [](uint32_t bits) { return bits == 0; })) tiles_.turned_ = {};
  }

  /// How many cells ahead memory is asked for: an input in no order is all over it.
  static constexpr size_t far = 16;

  void prefetch_numbers(const InputCell& cell) const {
    if (tiles_.keeps_vertex_order()) return;
    for (const VertexId v : cell) __builtin_prefetch(&tiles_.vertex_from_input_[v.index()]);
  }

  /// A radix sort by the lowest vertex alone; then the few cells of each vertex among themselves. The
  /// renumbered cells are made twice rather than kept: that is cheaper than 16 bytes a cell.
  void sort_cells() {
    if (tiles_.keeps_vertex_order() && is_sorted_)
      return has_turned_ ? sort_corners() : tiles_.borrow_cells(mesh_);
    const size_t n = mesh_.cell_count();
    Array<uint32_t> lowest(n);
    tiles_.cell_to_input_.resize(n);
    Array<uint32_t> turned_in_input((n + 31) / 32);
    host_for_each(exec_, turned_in_input.size(), [&](size_t word) {
      uint32_t bits = 0;
      for (size_t c = 32 * word; c < std::min(n, 32 * (word + 1)); ++c) {
        if (c + far < n) prefetch_numbers(mesh_.cells[c + far]);
        bool is_turned = false;
        lowest[c] = renumbered(mesh_.cells[c], is_turned)[0].index();
        bits |= (is_turned ? 1u : 0u) << c % 32;
        tiles_.cell_to_input_[c] = static_cast<uint32_t>(c);
      }
      turned_in_input[word] = bits;
    });
    sort_pairs<uint32_t, uint32_t>(exec_, lowest, tiles_.cell_to_input_, bits_in_use(mesh_.vertex_count()));
    Array<Cell>& cells = tiles_.own_cells_;
    cells.resize(n);
    host_for_each(exec_, n, [&](size_t c) {
      if (c + 2 * far < n) __builtin_prefetch(&mesh_.cells[tiles_.cell_to_input_[c + 2 * far]]);
      if (c + far < n) prefetch_numbers(mesh_.cells[tiles_.cell_to_input_[c + far]]);
      bool is_turned = false;
      cells[c] = renumbered(mesh_.cells[tiles_.cell_to_input_[c]], is_turned);
    });
    tiles_.cells_ = cells;
    std::atomic<size_t> repeated{n};
    host::for_each_share(exec_.threads(), n, [&](host::Range share) {
      const auto starts = [&](size_t c) { return c == 0 || c == n || lowest[c] != lowest[c - 1]; };
      size_t begin = share.begin;
      while (begin < share.end && !starts(begin)) ++begin;  // that vertex belongs to the share before
      while (begin < share.end) {
        size_t end = begin + 1;
        while (!starts(end)) ++end;
        const std::span run(cells.data() + begin, end - begin);
        sort_with(run, std::span(tiles_.cell_to_input_.data() + begin, end - begin));
        const auto twin = std::adjacent_find(run.begin(), run.end());
        if (twin != run.end()) note_repeated(repeated, begin + static_cast<size_t>(twin - run.begin()));
        begin = end;
      }
    });
    if (repeated < n) throw_repeated(repeated);
    keep_winding(turned_in_input);
  }

  /// A bit a cell, in the order of the cells; nothing if no cell is turned.
  void keep_winding(const Array<uint32_t>& turned_in_input) {
    if (std::ranges::all_of(turned_in_input, [](uint32_t bits) { return bits == 0; })) return;
    const size_t n = tiles_.cell_to_input_.size();
    tiles_.turned_.resize(turned_in_input.size());
    host_for_each(exec_, tiles_.turned_.size(), [&](size_t word) {
      uint32_t bits = 0;
      for (size_t c = 32 * word; c < std::min(n, 32 * (word + 1)); ++c) {
        const uint32_t input = tiles_.cell_to_input_[c];
        bits |= (turned_in_input[input / 32] >> input % 32 & 1) << c % 32;
      }
      tiles_.turned_[word] = bits;
    });
  }

  static void note_repeated(std::atomic<size_t>& first, size_t cell) {
    size_t known = first.load();
    while (cell < known && !first.compare_exchange_weak(known, cell)) {
    }
  }

  [[noreturn]] void throw_repeated(size_t cell) const {
    auto [a, b] = std::minmax(tiles_.cell_to_input_[cell], tiles_.cell_to_input_[cell + 1]);
    throw Error(ErrorCode::bad_mesh, "cells " + std::to_string(a) + " and " + std::to_string(b) +
                                         " have the same corners; the doctor can drop repeated cells");
  }

  void find_intervals() {
    tiles_.first_cell_.resize(tiles_.tile_count() + 1);
    host_for_each(exec_, tiles_.first_cell_.size(), [&](size_t t) {
      const tiled::VertexId first(tiles_.first_vertex_[t]);
      const auto place = std::partition_point(tiles_.cells_.begin(), tiles_.cells_.end(),
                                              [&](const Cell& cell) { return cell[0] < first; });
      tiles_.first_cell_[t] = static_cast<uint32_t>(place - tiles_.cells_.begin());
    });
  }

  /// Calls f(tile) for every tile but its own that a cell touches.
  template <class F>
  void for_each_foreign_tile(const Cell& cell, F&& f) const {
    TileId last = tiles_.tile_of(cell[0]);  // corners ascend, so equal tiles are neighbours
    for (size_t k = 1; k < cell.size(); ++k) {
      const TileId tile = tiles_.tile_of(cell[k]);
      if (tile == last) continue;
      f(tile);
      last = tile;
    }
  }

  /// (tile, cell) pairs in the order of cells; a stable sort by tile then keeps cells ascending. Most cells
  /// are in their own tile only: the highest corner tells.
  void find_ribbons() {
    constexpr size_t chunk = 8;
    struct Part {
      size_t begin = 0;
      std::vector<std::pair<uint32_t, uint32_t>> found;
    };
    std::vector<Part> parts((tiles_.tile_count() + chunk - 1) / chunk);
    host::for_each_chunk(exec_.threads(), tiles_.tile_count(), chunk, [&](host::Range range, int) {
      Part& part = parts[range.begin / chunk];
      for (size_t own = range.begin; own < range.end; ++own) {
        const tiled::VertexId end(tiles_.first_vertex_[own + 1]);
        for (uint32_t c = tiles_.first_cell_[own]; c < tiles_.first_cell_[own + 1]; ++c) {
          const Cell& cell = tiles_.cells_[c];
          if (cell.back() < end) continue;
          for_each_foreign_tile(cell, [&](TileId t) { part.found.emplace_back(t.index(), c); });
        }
      }
    });
    size_t count = 0;
    for (Part& part : parts) part.begin = std::exchange(count, count + part.found.size());
    Array<uint32_t> keys(checked_offset(count));
    Array<uint32_t> values(count);
    host::for_each_chunk(exec_.threads(), parts.size(), 1, [&](host::Range range, int) {
      size_t at = parts[range.begin].begin;
      for (const auto& [tile, cell] : parts[range.begin].found) {
        keys[at] = tile;
        values[at++] = cell;
      }
    });
    parts.clear();
    sort_pairs<uint32_t, uint32_t>(exec_, keys, values, bits_in_use(tiles_.tile_count()));
    tiles_.external_.offsets.resize(tiles_.tile_count() + 1);
    host_for_each(exec_, tiles_.external_.offsets.size(), [&](size_t t) {
      const auto place = std::lower_bound(keys.begin(), keys.end(), static_cast<uint32_t>(t));
      tiles_.external_.offsets[t] = static_cast<uint32_t>(place - keys.begin());
    });
    tiles_.external_.values = std::move(values);
  }

  const SimplexMesh<Dim>& mesh_;
  const TileOptions& options_;
  Exec exec_;
  bool is_sorted_ = false;  // the mesh's cells, as far as it was looked
  bool has_turned_ = true;  // some do not have ascending corners
  TiledMesh<Dim> tiles_;
};

}  // namespace detail

namespace {

/// Patches of twice as many faces as a tile has vertices. The vertices of one that has more than a tile may
/// have, a long strip, are cut in their order.
Partition partition_by_patches(const TriMesh& mesh, const TileOptions& options) {
  const uint32_t max_vertices = options.max_vertices;
  Partition partition = partition_lloyd(mesh, {.max_faces = 2 * std::min(max_vertices, uint32_t{1} << 30),
                                               .exec = Exec::host(options.exec.threads()),
                                               .monitor = options.monitor});
  Array<uint32_t> offsets(1, 0);
  for (size_t t = 0; t < partition.size(); ++t) {
    for (const uint32_t end = partition.offsets[t + 1]; offsets.back() < end;)
      offsets.push_back(offsets.back() + std::min(max_vertices, end - offsets.back()));
  }
  partition.offsets = std::move(offsets);
  return partition;
}

}  // namespace

TiledMesh<2> tile(const TriMesh& mesh, const TileOptions& options) {
  if (options.order == VertexOrder::lloyd && options.partition == nullptr) {
    TS_EXPECTS(options.max_vertices > 0);
    const Partition partition = partition_by_patches(mesh, options);
    TileOptions with = options;
    with.partition = &partition;
    return tile(mesh, with);
  }
  if constexpr (built_with_cuda) {
    if (options.exec.is_cuda()) return cuda::tile(mesh, options);
  }
  return Tiler<2>(mesh, options).run();
}
TiledMesh<3> tile(const TetMesh& mesh, const TileOptions& options) {
  if (options.order == VertexOrder::lloyd && options.partition == nullptr)
    throw Error(ErrorCode::unsupported,
                "tetrahedra have no patches of faces; Lloyd's tiles are for triangles");
  if constexpr (built_with_cuda) {
    if (options.exec.is_cuda()) return cuda::tile(mesh, options);
  }
  return Tiler<3>(mesh, options).run();
}

template <int Dim>
void TiledMesh<Dim>::borrow_cells(const SimplexMesh<Dim>& mesh) {
  static_assert(sizeof(Cell) == sizeof(mesh.cells[0]));  // an id of either kind is its index
  cells_ = {reinterpret_cast<const Cell*>(mesh.cells.data()), mesh.cells.size()};
}

template <int Dim>
RibbonStatistics TiledMesh<Dim>::ribbon() const {
  const double cells = static_cast<double>(std::max<size_t>(1, cell_count()));
  return {external_.values.size(), static_cast<double>(external_.values.size()) / cells};
}

template <int Dim>
size_t TiledMesh<Dim>::bytes() const {
  return sizeof(uint32_t) * (vertex_to_input_.size() + vertex_from_input_.size() + tile_of_vertex_.size() +
                             first_vertex_.size() + cell_to_input_.size() + first_cell_.size()) +
         sizeof(Cell) * own_cells_.size() + 4 * turned_.size() + external_.bytes();
}

template <int Dim>
int TiledMesh<Dim>::validate(const SimplexMesh<Dim>& mesh) const {
  const size_t nv = mesh.vertex_count();
  if (vertex_from_input_.size() != vertex_to_input_.size()) return 1;
  if (!keeps_vertex_order() && vertex_to_input_.size() != nv) return 1;
  for (uint32_t v = 0; v < nv; ++v) {
    const VertexId in = input(tiled::VertexId(v));
    if (in.index() >= nv || tiled(in).index() != v) return 1;
  }
  if (first_vertex_.front() != 0 || first_vertex_.back() != nv || tile_of_vertex_.size() != nv) return 2;
  for (size_t t = 0; t < tile_count(); ++t) {
    if (first_vertex_[t] >= first_vertex_[t + 1]) return 2;
    for (uint32_t v = first_vertex_[t]; v < first_vertex_[t + 1]; ++v) {
      if (tile_of_vertex_[v] != t) return 2;
    }
  }
  if (cells_.size() != mesh.cell_count()) return 4;
  std::vector<bool> seen(cells_.size(), false);
  for (size_t c = 0; c < cells_.size(); ++c) {
    if (!std::is_sorted(cells_[c].begin(), cells_[c].end())) return 3;
    if (c > 0 && !(cells_[c - 1] < cells_[c])) return 3;
    const InputCellId in = input(CellId(static_cast<uint32_t>(c)));
    if (in.index() >= cells_.size() || seen[in.index()]) return 4;
    seen[in.index()] = true;
    Cell expected;
    for (size_t k = 0; k <= Dim; ++k) expected[k] = tiled(mesh[in][k]);
    int exchanges = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
      for (size_t j = i + 1; j < expected.size(); ++j) exchanges += expected[j] < expected[i] ? 1 : 0;
    }
    std::sort(expected.begin(), expected.end());
    if (expected != cells_[c]) return 4;
    if (is_turned(CellId(static_cast<uint32_t>(c))) != (exchanges % 2 == 1)) return 7;
  }
  if (first_cell_.size() != tile_count() + 1 || first_cell_.front() != 0 ||
      first_cell_.back() != cells_.size())
    return 5;
  for (size_t t = 0; t < tile_count(); ++t) {
    for (uint32_t c = first_cell_[t]; c < first_cell_[t + 1]; ++c) {
      if (tile_of(cells_[c][0]).index() != t) return 5;
    }
  }
  std::vector<std::vector<uint32_t>> expected(tile_count());
  for (uint32_t c = 0; c < cells_.size(); ++c) {
    for (size_t k = 1; k < cells_[c].size(); ++k) {
      const uint32_t t = tile_of(cells_[c][k]).index();
      if (t == tile_of(cells_[c][0]).index()) continue;
      if (expected[t].empty() || expected[t].back() != c) expected[t].push_back(c);
    }
  }
  if (external_.validate() != 0 || external_.size() != tile_count()) return 6;
  for (uint32_t t = 0; t < tile_count(); ++t) {
    if (!std::ranges::equal(expected[t], external_[TileId(t)])) return 6;
  }
  return 0;
}

template class TiledMesh<2>;
template class TiledMesh<3>;

}  // namespace tessera
