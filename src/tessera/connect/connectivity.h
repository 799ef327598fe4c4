// Connectivity: pull any relation of a tiled mesh, in any order, from any thread, within a byte budget.
//
//   auto conn = ts::connect(tiles, {.memory = ts::gib(1)});
//   auto [vv, vt] = conn.request<ts::VV, ts::VT>();      // only what is asked for is ever prepared
//   for (ts::VertexId u : vv[v]) { ... }
//
// After TopoCluster (clusters in a cache, explicit and implicit enumeration, preconditioning) and ACTOPO
// (producers beside consumers). A consumer that misses a tile computes it itself; helper threads work ahead
// of consumers, along their direction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>

#include <tessera/connect/store.h>
#include <tessera/core/csr.h>
#include <tessera/core/memory.h>
#include <tessera/exec/exec.h>
#include <tessera/tile/enumeration.h>
#include <tessera/tile/relation.h>
#include <tessera/tile/tiled_mesh.h>

namespace tessera {

enum class StorageMode {
  materialized,    ///< one array of rows a relation, made when it is requested
  explicit_tiles,  ///< the whole enumeration is kept; tiles' rows come and go
  implicit_tiles,  ///< only intervals are kept
};

/// Which ids of vertices and cells are asked for and answered. Edges, and faces of tets, have only canonical
/// ones.
enum class Ids {
  input,  ///< those of the mesh the tiles were made from
  tiled,  ///< those of the tiled mesh; what push and materialize speak
};

struct ConnectOptions {
  StorageMode mode = StorageMode::explicit_tiles;
  Ids ids = Ids::input;
  Bytes memory =
      gib(1);  ///< for the rows of tiles, of all relations together; tiles that rows hold may exceed it
  int producers = 0;         ///< helper threads that work ahead; 0: consumers compute what they miss
  int look_ahead = 4;        ///< how many tiles ahead of a consumer helpers work
  Exec exec = Exec::host();  ///< for the enumeration and materialized rows
};

namespace detail {

template <int Dim>
class ConnectionCore;

}  // namespace detail

/// One row. Holds its tile: entries stay valid as long as the row lives, whatever is evicted meanwhile. A row
/// must not outlive all handles of its connectivity.
template <class R>
class Row {
 public:
  using Entries = IdSpan<typename R::Entry>;

  Row(TileStore::Pin pin, std::span<const std::uint32_t> values) : pin_(std::move(pin)), ids_(values) {}
  [[nodiscard]] std::size_t size() const { return ids_.size(); }
  [[nodiscard]] bool empty() const { return ids_.empty(); }
  [[nodiscard]] typename R::Entry operator[](std::size_t i) const { return ids_[i]; }
  [[nodiscard]] typename Entries::Iterator begin() const { return ids_.begin(); }
  [[nodiscard]] typename Entries::Iterator end() const { return ids_.end(); }

 private:
  TileStore::Pin pin_;
  Entries ids_;
};

/// Every row of a relation; copy it freely, use it from any thread. Entries ascend in the ids that are
/// spoken.
template <class R, int Dim>
class Rows {
 public:
  /// The row of an element. A hit takes no lock.
  [[nodiscard]] Row<R> operator[](typename R::Row id) const;
  [[nodiscard]] std::size_t size() const;  ///< how many rows there are
  [[nodiscard]] StoreStatistics statistics() const;
  [[nodiscard]] Bytes bytes() const;  ///< of rows held now
  [[nodiscard]] Ids ids() const;      ///< which are spoken

  /// A reader keeps its current tile, so that rows of one tile cost nothing but the first. One for each
  /// thread.
  class Reader {
   public:
    explicit Reader(const Rows& rows) : rows_(rows) {}
    /// Valid until the next call.
    [[nodiscard]] IdSpan<typename R::Entry> operator[](typename R::Row id);

   private:
    Rows rows_;
    std::uint32_t first_ = 0;  // the tiled mesh's id of the tile's first row
    TileStore::Pin pin_;
  };
  [[nodiscard]] Reader reader() const { return Reader(*this); }

 private:
  template <int>
  friend class Connectivity;
  explicit Rows(std::shared_ptr<detail::ConnectionCore<Dim>> core) : core_(std::move(core)) {}
  std::shared_ptr<detail::ConnectionCore<Dim>> core_;
};

/// Ids are those of the input unless the options say otherwise. The tiled mesh must outlive it.
template <int Dim>
class Connectivity {
 public:
  Connectivity(const TiledMesh<Dim>& tiles, const ConnectOptions& options);

  /// The objects that can traverse the relations, or the links of tile/links.h; prepares them on the first
  /// request.
  template <class... R>
  requires(RelationOf<R, Dim>&&...) [[nodiscard]] std::tuple<Rows<R, Dim>...> request() {
    (prepare<R>(), ...);
    return {Rows<R, Dim>(core_)...};
  }

  /// The enumeration, made when it is first needed. Its vertices are the tiled mesh's.
  [[nodiscard]] const Enumeration<Dim>& enumeration();

 private:
  template <class R>
  void prepare();

  std::shared_ptr<detail::ConnectionCore<Dim>> core_;
};

[[nodiscard]] inline Connectivity<2> connect(const TiledMesh<2>& tiles, const ConnectOptions& options = {}) {
  return {tiles, options};
}
[[nodiscard]] inline Connectivity<3> connect(const TiledMesh<3>& tiles, const ConnectOptions& options = {}) {
  return {tiles, options};
}

}  // namespace tessera
