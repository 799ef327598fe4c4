// TiledMesh: a mesh renumbered so that every tile is a few intervals.
//
//   vertices   | tile 0      | tile 1   | tile 2        |       a tile owns a contiguous range
//   cells      | internal 0     | internal 1  | internal 2 |    sorted by their ascending corners, so a cell
//   lies
//                                                              with the tile that owns its lowest vertex
//   external 1 = cells of earlier tiles that touch a vertex of tile 1 (its ribbon), ascending
//
// Invariants (validate() checks them):
//   1. vertex_to_input and vertex_from_input are inverse permutations.
//   2. Every tile owns at least one vertex; the ranges follow each other and cover all vertices.
//   3. The corners of a cell ascend; cells ascend lexicographically and none is there twice.
//   4. cell_to_input is a permutation, and each cell is its input cell renumbered.
//   5. The internal cells of tile t are exactly those whose lowest vertex t owns; the intervals follow each
//   other.
//   6. The external cells of tile t are exactly the cells of earlier tiles with a vertex in t, ascending.
//   7. is_turned(c) tells whether sorting the corners of c took an odd number of exchanges.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include <tessera/core/array.h>
#include <tessera/core/csr.h>
#include <tessera/core/id.h>
#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/exec/work.h>
#include <tessera/mesh/mesh.h>
#include <tessera/tile/partition.h>

namespace tessera {

/// How much the tiles overlap.
struct RibbonStatistics {
  std::uint64_t external_cells = 0;  ///< (cell, tile) pairs in which the cell is external
  double share = 0;                  ///< external cells over all cells
};

namespace detail {
template <int Dim>
class DeviceTiles;  // tile/detail/cuda/device_tiles.h
template <int Dim>
class DeviceTiler;
template <int Dim>
class Tiler;
}  // namespace detail

/// It speaks tiled ids: its own, renumbered ones. input() and tiled() convert.
template <int Dim>
class TiledMesh {
 public:
  TiledMesh() = default;
  TiledMesh(TiledMesh&&) noexcept = default;
  TiledMesh& operator=(TiledMesh&&) noexcept = default;

  static constexpr int dimension = Dim;
  using Cell = std::array<tiled::VertexId, Dim + 1>;
  using CellId = std::conditional_t<Dim == 2, tiled::FaceId, tiled::TetId>;
  using InputCellId = typename SimplexMesh<Dim>::CellId;

  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    [[nodiscard]] std::uint32_t size() const { return end - begin; }
  };

  [[nodiscard]] std::size_t vertex_count() const { return tile_of_vertex_.size(); }
  [[nodiscard]] std::size_t cell_count() const { return cells_.size(); }
  [[nodiscard]] std::size_t tile_count() const { return first_vertex_.size() - 1; }

  [[nodiscard]] Range vertices(TileId t) const {
    return {first_vertex_[t.index()], first_vertex_[t.index() + 1]};
  }
  [[nodiscard]] Range internal_cells(TileId t) const {
    return {first_cell_[t.index()], first_cell_[t.index() + 1]};
  }
  [[nodiscard]] std::span<const std::uint32_t> external_cells(TileId t) const { return external_[t]; }
  [[nodiscard]] TileId tile_of(tiled::VertexId v) const { return TileId(tile_of_vertex_[v.index()]); }
  [[nodiscard]] TileId tile_of(CellId c) const { return tile_of(cells_[c.index()][0]); }

  /// Corners, ascending.
  [[nodiscard]] const Cell& operator[](CellId c) const { return cells_[c.index()]; }
  [[nodiscard]] std::span<const Cell> cells() const { return cells_; }

  /// The input's id of a tiled one, and the way back.
  [[nodiscard]] VertexId input(tiled::VertexId v) const {
    return VertexId(keeps_vertex_order() ? v.index() : vertex_to_input_[v.index()]);
  }
  [[nodiscard]] InputCellId input(CellId c) const {
    return InputCellId(keeps_cell_order() ? c.index() : cell_to_input_[c.index()]);
  }
  [[nodiscard]] tiled::VertexId tiled(VertexId v) const {
    return tiled::VertexId(keeps_vertex_order() ? v.index() : vertex_from_input_[v.index()]);
  }

  /// Cells are stored with ascending corners; do they wind the other way in the input?
  [[nodiscard]] bool is_turned(CellId c) const {
    return !turned_.empty() && (turned_[c.index() / 32] >> c.index() % 32 & 1) != 0;
  }
  /// A bit a cell; empty: none is turned.
  [[nodiscard]] std::span<const std::uint32_t> turned() const { return turned_; }

  /// Are the ids of vertices, of cells, those of the input?
  [[nodiscard]] bool keeps_vertex_order() const { return vertex_to_input_.empty(); }
  [[nodiscard]] bool keeps_cell_order() const { return cell_to_input_.empty(); }
  /// Does it look at the mesh's own cells instead of having sorted ones?
  [[nodiscard]] bool borrows_cells() const { return own_cells_.empty() && !cells_.empty(); }

  /// The arrays behind all this, for those who copy them elsewhere: by tile, one more than there are tiles.
  [[nodiscard]] std::span<const std::uint32_t> first_vertices() const { return first_vertex_; }
  [[nodiscard]] std::span<const std::uint32_t> first_cells() const { return first_cell_; }
  [[nodiscard]] const Csr<TileId, std::uint32_t>& all_external() const { return external_; }
  /// Empty where the order is kept.
  [[nodiscard]] std::span<const std::uint32_t> vertices_to_input() const { return vertex_to_input_; }
  [[nodiscard]] std::span<const std::uint32_t> cells_to_input() const { return cell_to_input_; }

  /// Its copy on a device, which analyses there use instead of making one each; null if it has none.
  [[nodiscard]] const std::shared_ptr<const detail::DeviceTiles<Dim>>& on_device() const { return device_; }
  void attach(std::shared_ptr<const detail::DeviceTiles<Dim>> device) { device_ = std::move(device); }

  [[nodiscard]] RibbonStatistics ribbon() const;
  [[nodiscard]] std::size_t bytes() const;
  /// The number of the first broken invariant, or 0. `mesh` is the mesh it was made from.
  [[nodiscard]] int validate(const SimplexMesh<Dim>& mesh) const;

 private:
  template <int D>
  friend class detail::Tiler;
  template <int D>
  friend class detail::DeviceTiler;

  void borrow_cells(const SimplexMesh<Dim>& mesh);  ///< where they are in order already

  Array<std::uint32_t> vertex_to_input_;    // empty: as they were
  Array<std::uint32_t> vertex_from_input_;  // likewise
  Array<std::uint32_t> tile_of_vertex_;
  Array<std::uint32_t> first_vertex_ = {0};
  std::span<const Cell> cells_;  // of own_cells_ or the mesh
  Array<Cell> own_cells_;
  Array<std::uint32_t> cell_to_input_;  // empty: as they were
  Array<std::uint32_t> turned_;         // bits; empty: none
  Array<std::uint32_t> first_cell_ = {0};
  Csr<TileId, std::uint32_t> external_;
  std::shared_ptr<const detail::DeviceTiles<Dim>> device_;
};

/// How vertices are numbered.
enum class VertexOrder {
  automatic,  ///< the input's if it is local (at most 1.5 tiles of 512 beyond its own a cell), else morton
  input,
  morton,
  lloyd,  ///< of surfaces: patches of neighbouring faces (partition_lloyd()), which depend on the tile size;
          ///< Error(unsupported) for tetrahedra
};

struct TileOptions {
  std::uint32_t max_vertices = 512;  ///< a tile owns at most this many
  VertexOrder order = VertexOrder::automatic;
  const Partition* partition = nullptr;  ///< use this one; Error(bad_mesh) if it is none of the mesh's
  Exec exec = Exec::host();
  const Monitor* monitor = nullptr;
};

/// Renumbers and cuts a mesh; the mesh itself is not changed. O(n). Deterministic for any number of threads.
/// What is in order already is not copied: cells that ascend, with ascending corners, are the mesh's own, so
/// it must outlive the tiles.
/// Any order of vertices and cells, non-manifold and disconnected meshes and isolated vertices are fine.
/// Error(bad_mesh) for corners out of range, repeated in a cell, or a cell that is there twice.
[[nodiscard]] TiledMesh<2> tile(const TriMesh& mesh, const TileOptions& options = {});
[[nodiscard]] TiledMesh<3> tile(const TetMesh& mesh, const TileOptions& options = {});
TiledMesh<2> tile(TriMesh&& mesh, const TileOptions& options = {}) = delete;
TiledMesh<3> tile(TetMesh&& mesh, const TileOptions& options = {}) = delete;

namespace detail {

/// How far cells are in order, so that tiles need not sort them.
enum class CellOrder : std::uint8_t {
  none,
  cells,    ///< they ascend by their ascending corners: corners are sorted
  corners,  ///< corners ascend too: cells are borrowed
};

/// Looks at 64 cells in a row, here and there.
template <int Dim>
[[nodiscard]] CellOrder find_cell_order(const SimplexMesh<Dim>& mesh) {
  const std::size_t count = mesh.cells.size();
  const std::size_t step = count / 256 + 64;
  CellOrder order = CellOrder::corners;
  for (std::size_t begin = 0; begin < count; begin += step) {
    auto before = mesh.cells[begin];
    for (std::size_t c = begin; c < begin + 64 && c < count; ++c) {
      auto cell = mesh.cells[c];
      std::sort(cell.begin(), cell.end());
      if (c > begin && cell < before) return CellOrder::none;
      if (cell != mesh.cells[c]) order = CellOrder::cells;
      before = cell;
    }
  }
  return order;
}

/// The host's memory that an analysis takes beside the tiles.
struct HostBytes {
  Bytes of_vertex = 0;
  Bytes of_cell = 0;
};

/// Of tiling a mesh and an analysis of the tiles: `nanoseconds` as benchmarks/device.cpp finds them for
/// tetrahedra and a rough field, `bytes` a cell as pure noise takes, the most that was seen.
template <int Dim>
[[nodiscard]] Work work_with_tiles(const SimplexMesh<Dim>& mesh, double nanoseconds, Bytes bytes,
                                   HostBytes host = {}) {
  Work work = work_of(mesh.cell_count(), nanoseconds, bytes);
  work.device_bytes += 40 * mesh.vertex_count();
  const CellOrder order = find_cell_order(mesh);
  host.of_vertex += order == CellOrder::none ? 16 : 8;  // numbers both ways, and the tile of each vertex
  if (order == CellOrder::corners) host.of_cell += 4;
  if (order == CellOrder::cells) host.of_cell += 8 + sizeof(mesh.cells[0]);
  if (order == CellOrder::none) host.of_cell += 28 + sizeof(mesh.cells[0]);  // and what sorting takes
  work.host_bytes = mib(5) + host.of_vertex * mesh.vertex_count() + host.of_cell * mesh.cell_count();
  work.thread_bytes = mib(2);
  return work;
}

}  // namespace detail

/// For choose_device().
template <int Dim>
[[nodiscard]] Work tiling_work(const SimplexMesh<Dim>& mesh, VertexOrder order = VertexOrder::automatic) {
  const bool is_lloyd = order == VertexOrder::lloyd;  // the tiles of the octree, and what clustering takes
  return detail::work_with_tiles(
      mesh, 40, 64, is_lloyd ? detail::HostBytes{.of_vertex = 8, .of_cell = 48} : detail::HostBytes{});
}

}  // namespace tessera
