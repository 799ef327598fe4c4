// DeviceTiles: a tiled mesh in the memory of a GPU, every tile in 16-bit numbers of its own.
//
//   local numbers of a tile   | lower ghosts | owned vertices | higher ghosts |    ascending like the ids
//   cells of a tile           | external cells | internal cells |                  ascending like the ids
//
// Because local numbers ascend like the ids they stand for, comparing them is comparing ids, and a row that
// is sorted locally is sorted globally. 8 bytes a (cell, tile) pair and 4 bytes a ghost, next to 16 a cell.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include <tessera/core/array.h>
#include <tessera/core/memory.h>
#include <tessera/exec/buffer.h>
#include <tessera/exec/exec.h>
#include <tessera/tile/tiled_mesh.h>

namespace tessera::detail {

/// Corners in local numbers, ascending; the fourth of a triangle is not used.
struct alignas(8) LocalCell {
  std::uint16_t corner[4];
};

/// Vertices that a tile on a device owns at most: more of them leave too few blocks on a multiprocessor.
inline constexpr std::uint32_t most_device_vertices = 256;

/// Tiles of a TiledMesh that follow each other.
struct TileRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  friend bool operator==(const TileRange&, const TileRange&) = default;
};

/// The largest tile among those that kernels work on.
struct TileSizes {
  std::uint32_t owned = 0;     ///< vertices it owns
  std::uint32_t vertices = 0;  ///< with ghosts
  std::uint32_t cells = 0;     ///< external and internal
  std::uint32_t corners = 0;   ///< of those cells, at owned vertices: entries of all stars
};

template <int Dim>
class DeviceTiles {
 public:
  using Cell = std::array<std::uint32_t, Dim + 1>;

  /// Copies the mesh to exec's device and numbers its tiles there, after cutting those that are too large.
  /// O(n). Error(out_of_device_memory) if it does not fit, Error(device_failed) if the device does not work.
  DeviceTiles(const TiledMesh<Dim>& tiles, const Exec& exec);
  /// Copies a part of it: some tiles and the cells at their vertices, which is all that rows of these tiles
  /// need. Ids stay those of the whole mesh; there is no on_boundary and no input id.
  DeviceTiles(const TiledMesh<Dim>& tiles, const Exec& exec, TileRange range);

  /// Where it was made. It is complete when it is made, so kernels on any stream of the device may read it.
  [[nodiscard]] const Exec& exec() const { return exec_; }
  [[nodiscard]] std::uint32_t tile_count() const { return tile_count_; }
  [[nodiscard]] std::uint32_t vertex_count() const { return vertex_count_; }  ///< owned by its tiles
  [[nodiscard]] std::uint32_t cell_count() const { return cell_count_; }
  /// What the place of a cell that is not foreign is short of its id.
  [[nodiscard]] std::uint32_t cell_shift() const { return cell_shift_; }
  [[nodiscard]] const TileSizes& largest() const { return largest_; }
  /// Where the vertices of each tile begin, and their end, on the host. A tile is one of the TiledMesh or a
  /// part of one.
  [[nodiscard]] const Array<std::uint32_t>& cut() const { return cut_; }
  /// Tiles whose numbers or stars are too large for the kernels, ascending: the host has to see to them.
  [[nodiscard]] const Array<std::uint32_t>& host_tiles() const { return host_tiles_; }
  [[nodiscard]] Bytes bytes() const;

  // On the device. By tile, one more than there are tiles:
  Buffer<std::uint32_t> first_vertex;
  Buffer<std::uint32_t> first_cell;
  Buffer<std::uint32_t> first_external;
  Buffer<std::uint32_t> first_ghost;
  // By tile:
  Buffer<std::uint32_t> lower_ghosts;    ///< how many of its ghosts come before its own vertices
  Buffer<std::uint8_t> is_left_to_host;  ///< one of host_tiles()
  // Tile after tile:
  Buffer<std::uint32_t> external;  ///< places of cells
  Buffer<std::uint32_t> ghosts;    ///< vertex ids, ascending in a tile
  Buffer<LocalCell> local_cells;   ///< those of tile t begin at first_external[t] + first_cell[t]
  // By element:
  Buffer<Cell> cells;                     ///< corners, ascending; of a part only its cells, ascending
  Buffer<std::uint32_t> foreign;          ///< ids of the first of them, which lower tiles than a part's own
  Buffer<std::uint8_t> on_boundary;       ///< by vertex: a facet with one cell has it
  Buffer<std::uint32_t> vertex_to_input;  ///< empty: as they are
  Buffer<std::uint32_t> cell_to_input;    ///< likewise
  Buffer<std::uint32_t> turned;           ///< TiledMesh::turned(); empty: none, or a part

 private:
  template <int D>
  friend class DeviceTiler;

  explicit DeviceTiles(const Exec& exec) : exec_(exec) {}
  void number_tiles();
  void find_boundary();
  void find_host_boundary(const TiledMesh<Dim>& tiles);

  Exec exec_;
  std::uint32_t tile_count_ = 0;
  std::uint32_t vertex_count_ = 0;
  std::uint32_t cell_count_ = 0;
  std::uint32_t cell_shift_ = 0;
  TileSizes largest_;
  Array<std::uint32_t> cut_;
  Array<std::uint32_t> host_tiles_;
};

/// The order of a tiled mesh, in the memory of a device.
template <int Dim>
struct DeviceOrder {
  Buffer<std::array<std::uint32_t, Dim + 1>> cells;  ///< corners and cells ascend
  Buffer<std::uint32_t> turned;                      ///< TiledMesh::turned(); empty: none
  Buffer<std::uint32_t> vertex_to_input;             ///< empty: as they were
  Buffer<std::uint32_t> cell_to_input;               ///< likewise
  Array<std::uint32_t> first_vertices;               ///< of tiles, and their end
};

namespace cuda {

/// The order that tile() gives a mesh whose points and cells lie on the device of `options`; nothing if the
/// cells are not those of a mesh, which tile() tells the reason for. The partition of the options is not
/// looked at.
template <int Dim, class Real>
[[nodiscard]] std::optional<DeviceOrder<Dim>> find_order(std::span<const Vec3<Real>> points,
                                                         Buffer<std::array<std::uint32_t, Dim + 1>> cells,
                                                         const TileOptions& options);

/// tile() on a device: the same tiles, with their copy on the device attached.
[[nodiscard]] TiledMesh<2> tile(const TriMesh& mesh, const TileOptions& options);
[[nodiscard]] TiledMesh<3> tile(const TetMesh& mesh, const TileOptions& options);

}  // namespace cuda

/// The copy that the tiles have on exec's device, or else a new one.
template <int Dim>
[[nodiscard]] std::shared_ptr<const DeviceTiles<Dim>> device_tiles(const TiledMesh<Dim>& tiles,
                                                                   const Exec& exec) {
  const auto& attached = tiles.on_device();
  if (attached != nullptr && attached->exec().device() == exec.device()) return attached;
  return std::make_shared<const DeviceTiles<Dim>>(tiles, exec);
}

}  // namespace tessera::detail
