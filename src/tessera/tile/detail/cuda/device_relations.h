// Relations on a device: rows of any relation, for the whole mesh or for some of its tiles.
//
// Rows of vertices, and coboundaries, come from the stars in a tile: a warp reads off the cells around a
// vertex what belongs to the elements whose lowest vertex it is (star_rows.cuh). That is done twice, first to
// count, then to fill, with a scan between. Tiles with stars that are too large for a warp are made by the
// host. Boundaries are read off the enumeration, and neighbours of the same kind are the others around an
// element's sides.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include <tessera/core/csr.h>
#include <tessera/exec/buffer.h>
#include <tessera/tile/detail/cuda/device_tiles.h>
#include <tessera/tile/enumeration.h>
#include <tessera/tile/materialize.h>
#include <tessera/tile/relation.h>

namespace tessera::detail::cuda {

/// An enumeration that a device can read.
struct EnumerationPointers {
  const std::uint32_t* edge_offsets = nullptr;
  const std::uint32_t* edge_hi = nullptr;
  const std::uint32_t* face_offsets = nullptr;
  const std::uint32_t* face_hi = nullptr;
};

/// The elements that rows are made for: those of a list, or `first` and those after it.
struct ElementList;  // tile/detail/cuda/elements.cuh

/// Row i is values[offsets[i] .. offsets[i + 1]).
struct DeviceRows {
  Buffer<std::uint32_t> offsets;
  Buffer<std::uint32_t> values;
};

/// Rows of some tiles, one after the other, on the device. `tile_rows[i]` is where those of the i-th begin.
struct DeviceTileRows {
  DeviceRows rows;
  Array<std::uint32_t> tile_rows;
};

/// Rows of relations, the explicit enumeration of enumeration.h, made on the device when a relation needs it,
/// and the rows that neighbours of the same kind are found by. Must not outlive the tiles.
template <int Dim>
class DeviceRelations {
 public:
  /// `tiles` is the copy of the mesh, exec a device that has it: where relations are made.
  DeviceRelations(const TiledMesh<Dim>& mesh, const DeviceTiles<Dim>& tiles, const Exec& exec)
      : mesh_(mesh), tiles_(tiles), exec_(exec), first_cell_(tiles.first_cell.to_host()) {}
  /// Of a copy of a part, which needs somebody else's enumeration. There are some() rows of coboundaries and
  /// VV.
  DeviceRelations(const TiledMesh<Dim>& mesh, const DeviceTiles<Dim>& part, const Exec& exec,
                  const EnumerationPointers& enumeration)
      : mesh_(mesh), tiles_(part), exec_(exec), given_(enumeration), first_cell_(part.first_cell.to_host()) {}

  [[nodiscard]] const DeviceTiles<Dim>& tiles() const { return tiles_; }
  [[nodiscard]] const Exec& exec() const { return exec_; }
  /// Makes the enumeration, unless it is there. Counts are 0 without it.
  void enumerate();
  [[nodiscard]] std::uint32_t edge_count() const { return edge_count_; }
  [[nodiscard]] std::uint32_t face_count() const { return face_count_; }
  [[nodiscard]] EnumerationPointers enumeration() const;
  /// enumerate(), and a copy for the host.
  [[nodiscard]] Enumeration<Dim> copy_enumeration();
  [[nodiscard]] Bytes bytes() const;

  /// Makes what a relation needs: call before rows of it are asked for.
  template <class R>
  void prepare();
  /// The rows of the whole mesh.
  template <class R>
  [[nodiscard]] DeviceRows whole() const;
  /// The rows of some tiles of the device; a coboundary or an adjacency.
  /// `threads` work on each tile: many, where few tiles are wanted soon. They are made on `stream`, an Exec
  /// of the same device: several host threads may call at once, each with a stream of its own, when what
  /// prepare() queued is done.
  template <class R>
  [[nodiscard]] DeviceTileRows some(const Exec& stream, std::span<const std::uint32_t> tiles,
                                    int threads) const;

  /// Where the elements of a kind begin, tile by tile, and their end, on the host. Edges and faces after
  /// enumerate().
  [[nodiscard]] const Array<std::uint32_t>& first_of(Kind kind) const;
  /// The elements of a kind that are internal to some tiles, ascending, in `memory` unless they follow each
  /// other; `tile_rows` gets where those of each tile begin, and the end.
  [[nodiscard]] ElementList list_elements(const Exec& stream, Kind kind, std::span<const std::uint32_t> tiles,
                                          Buffer<std::uint32_t>& memory,
                                          Array<std::uint32_t>& tile_rows) const;

  // By vertex the higher ends of its edges, by edge the third vertices of its faces (tets).
  DeviceRows edges;
  DeviceRows faces;

 private:
  template <Kind K>
  [[nodiscard]] const DeviceRows& around_sides() const {
    return K == Kind::edge ? vertex_edges_ : K == Kind::face ? edge_faces_ : face_cells_;
  }

  /// The host's, for tiles that it makes: made when it is first needed.
  [[nodiscard]] const Enumeration<Dim>& on_host() const;
  template <class R>
  [[nodiscard]] DeviceTileRows star_rows(const Exec& exec, std::span<const std::uint32_t> batch,
                                         int threads) const;

  const TiledMesh<Dim>& mesh_;
  const DeviceTiles<Dim>& tiles_;
  Exec exec_;
  EnumerationPointers given_;
  Array<std::uint32_t> first_cell_;  ///< by tile, on the host, and their end
  mutable std::once_flag is_enumerated_on_host_;
  mutable Enumeration<Dim> on_host_;
  std::uint32_t edge_count_ = 0;
  std::uint32_t face_count_ = 0;
  Array<std::uint32_t> first_edge_;  ///< likewise
  Array<std::uint32_t> first_face_;  ///< likewise
  DeviceRows vertex_edges_;          ///< VE, for EE
  DeviceRows edge_faces_;            ///< EF, for FF
  DeviceRows face_cells_;            ///< FT, for TT
};

/// materialize() on a device: the same rows.
template <class R, int Dim>
[[nodiscard]] TiledCsr<R> materialize(DeviceRelations<Dim>& relations);

}  // namespace tessera::detail::cuda
