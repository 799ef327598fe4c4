// Connectivity: pull any relation of a mesh, in any order, from any thread, within a byte budget.
//
//   auto conn = ts::connect(mesh, {.memory = ts::gib(1)});
//   auto [vv, vt] = conn.request<ts::VV, ts::VT>();      // only what is asked for is ever prepared
//   for (ts::VertexId u : vv[v]) { ... }
//
// After TopoCluster (clusters in a cache, explicit and implicit enumeration, preconditioning) and ACTOPO
// (producers beside consumers). A consumer that misses a tile computes it itself; helper threads work ahead
// of consumers, along their direction.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include <tessera/connect/any_rows.h>
#include <tessera/connect/plan.h>
#include <tessera/connect/statistics.h>
#include <tessera/core/csr.h>
#include <tessera/core/memory.h>
#include <tessera/exec/exec.h>
#include <tessera/tile/enumeration.h>
#include <tessera/tile/relation.h>
#include <tessera/tile/tiled_mesh.h>

namespace tessera {

struct ConnectOptions {
  StorageMode mode = StorageMode::automatic;
  Bytes memory = gib(1);  ///< for all that the connection adds to the mesh, or the tiles, that it is given
  std::uint32_t tile_vertices = TileOptions{}.max_vertices;  ///< of the tiles that connect(mesh) makes
  int producers = 0;   ///< helper threads that work ahead; 0: consumers compute what they miss
  int look_ahead = 4;  ///< how many tiles ahead of a consumer helpers work
  /// Its threads make the enumeration and materialized rows. So many consumers compute at once, fewer where
  /// the memory is short: those who find all workers busy wait. A device makes the tiles that are not there
  /// (coboundaries and adjacencies; the rest stays with consumers). If it fails, consumers go on by
  /// themselves and no_device_producers() says why.
  Exec exec = Exec::host();
  /// Hears of tiling and of what requests prepare. Must outlive the connection, and must not use it.
  const Monitor* monitor = nullptr;
  int device_look_ahead = 64;  ///< tiles ahead of a consumer that a batch brings along
  int device_batch = 512;      ///< tiles a batch, at most
  int device_threads = 1024;   ///< of the device, that work on a tile: a multiple of 32
  Bytes device_memory = 0;     ///< for the mesh on the device, in windows if it must be; 0: what is free
  Bytes pinned_memory = 0;     ///< for rows where the device puts them, others are copied; 0: as `memory`
};

template <int Dim>
class Connectivity;
template <class R, int Dim>
class Rows;

namespace detail {

template <int Dim>
class ConnectionCore;
template <int Dim>
Connectivity<Dim> connect_tiled(const TiledMesh<Dim>& tiles, const ConnectOptions& options);
class StoredRows;
class TileStore;

/// Holds a slot of a store: its rows stay where they are for as long as this lives.
class TilePin {
 public:
  static constexpr std::uint32_t one = 4;  ///< in the slot's state; its low bits are its status

  TilePin() = default;
  TilePin(TilePin&& other) noexcept : state_(std::exchange(other.state_, nullptr)), rows_(other.rows_) {}
  TilePin& operator=(TilePin&& other) noexcept {
    std::swap(state_, other.state_);
    std::swap(rows_, other.rows_);
    return *this;
  }
  ~TilePin() {
    if (state_ != nullptr) state_->fetch_sub(one, std::memory_order_release);
  }
  [[nodiscard]] explicit operator bool() const { return state_ != nullptr; }
  [[nodiscard]] const StoredRows& rows() const { return *rows_; }

 private:
  friend class TileStore;
  std::atomic<std::uint32_t>* state_ = nullptr;
  const StoredRows* rows_ = nullptr;
};

}  // namespace detail

/// One row. Holds its tile: entries stay valid as long as the row lives, whatever is evicted meanwhile. A row
/// must not outlive all handles of its connectivity.
template <class R>
class Row {
 public:
  using Entries = IdSpan<typename R::Entry>;

  Row(detail::TilePin pin, std::span<const std::uint32_t> values) : pin_(std::move(pin)), ids_(values) {}
  [[nodiscard]] std::size_t size() const { return ids_.size(); }
  [[nodiscard]] bool empty() const { return ids_.empty(); }
  [[nodiscard]] typename R::Entry operator[](std::size_t i) const { return ids_[i]; }
  [[nodiscard]] typename Entries::Iterator begin() const { return ids_.begin(); }
  [[nodiscard]] typename Entries::Iterator end() const { return ids_.end(); }

 private:
  detail::TilePin pin_;
  Entries ids_;
};

/// Every row of a relation; copy it freely, use it from any thread. Vertices and cells have the input's ids,
/// edges and faces of tets canonical ones. Entries ascend.
template <class R, int Dim>
class Rows {
 public:
  /// The row of an element. A hit takes no lock.
  [[nodiscard]] Row<R> operator[](typename R::Row id) const;
  [[nodiscard]] std::size_t size() const;  ///< how many rows there are
  /// Of all rows: for (EdgeId e : ef.ids()).
  [[nodiscard]] IdRange<typename R::Row> ids() const { return IdRange<typename R::Row>(size()); }
  [[nodiscard]] StoreStatistics statistics() const;
  /// What a device did for the relation: nothing if it makes no rows of it.
  [[nodiscard]] DeviceReport device_report() const;
  [[nodiscard]] Bytes bytes() const;  ///< of rows held now

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
    detail::TilePin pin_;
  };
  [[nodiscard]] Reader reader() const { return Reader(*this); }

 private:
  template <int>
  friend class Connectivity;
  explicit Rows(std::shared_ptr<detail::ConnectionCore<Dim>> core) : core_(std::move(core)) {}
  std::shared_ptr<detail::ConnectionCore<Dim>> core_;
};

/// Made by connect(). The mesh, or the tiles, that it was made for must outlive it and its rows.
template <int Dim>
class Connectivity {
 public:
  /// Makes tiles of its own, which the budget counts.
  Connectivity(const SimplexMesh<Dim>& mesh, const ConnectOptions& options);
  Connectivity(const TiledMesh<Dim>& tiles, const ConnectOptions& options);

  /// The objects that can traverse the relations, or the links of tile/links.h; prepares them on the first
  /// request.
  ///
  /// How they are stored is chosen for the relations of one request together (choose_mode()), within what
  /// earlier requests left of ConnectOptions::memory: what is materialized, and the enumeration, stay; the
  /// store of tiles shrinks to make room. So ask for all relations at once where memory is short. The budget
  /// counts tiles of its own, the enumeration, the map from the input's ids of cells, materialized rows also
  /// while they are made, slots, scratch and tiles' rows; rows that callers hold beyond two tiles of each
  /// relation and worker (ModeChoice::workers) may exceed it. Error(out_of_memory) names the smallest budget
  /// that works, which does not depend on the number of threads; what was prepared before stays usable.
  template <class... R>
  requires(RelationOf<R, Dim>&&...) [[nodiscard]] std::tuple<Rows<R, Dim>...> request() {
    constexpr std::array<RelationKey, sizeof...(R)> keys = {key_of<R>...};
    admit(keys);
    (prepare<R>(), ...);
    return {Rows<R, Dim>(core_)...};
  }

  /// The same for a relation or link that is known only when the program runs. Error(unsupported) if the
  /// mesh has none of that kind.
  [[nodiscard]] AnyRows rows(RelationKey key);

  [[nodiscard]] const TiledMesh<Dim>& tiles() const;
  /// The enumeration, made when it is first needed, within the budget. Its vertices are the tiled mesh's.
  [[nodiscard]] const Enumeration<Dim>& enumeration();
  /// How the relations requested so far are stored.
  [[nodiscard]] ModeChoice choice() const;
  /// Why no device makes rows though one was asked for; empty if it does, or was not.
  [[nodiscard]] std::string no_device_producers() const;
  /// Does a device make rows that has room for a part of the mesh at a time?
  [[nodiscard]] bool has_device_windows() const;

 private:
  friend Connectivity detail::connect_tiled<Dim>(const TiledMesh<Dim>& tiles, const ConnectOptions& options);
  explicit Connectivity(std::shared_ptr<detail::ConnectionCore<Dim>> core) : core_(std::move(core)) {}
  void admit(std::span<const RelationKey> relations);
  template <class R>
  void prepare();

  std::shared_ptr<detail::ConnectionCore<Dim>> core_;
};

/// The mesh is cut into tiles first; errors as tile().
[[nodiscard]] inline Connectivity<2> connect(const TriMesh& mesh, const ConnectOptions& options = {}) {
  return {mesh, options};
}
[[nodiscard]] inline Connectivity<3> connect(const TetMesh& mesh, const ConnectOptions& options = {}) {
  return {mesh, options};
}
Connectivity<2> connect(TriMesh&& mesh, const ConnectOptions& options = {}) = delete;
Connectivity<3> connect(TetMesh&& mesh, const ConnectOptions& options = {}) = delete;
/// Over tiles of one's own, which several connections can share.
[[nodiscard]] inline Connectivity<2> connect(const TiledMesh<2>& tiles, const ConnectOptions& options = {}) {
  return {tiles, options};
}
[[nodiscard]] inline Connectivity<3> connect(const TiledMesh<3>& tiles, const ConnectOptions& options = {}) {
  return {tiles, options};
}

}  // namespace tessera
