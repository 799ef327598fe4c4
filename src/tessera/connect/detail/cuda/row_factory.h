// RowFactory: a device makes the rows of tiles; they arrive in pinned memory, where consumers read them in
// place.
//
// The mesh lies on the device as a whole, or, where it has no room for that, in windows: ranges of tiles that
// are copied when rows of them are wanted, the least recently used one making room.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <tessera/connect/detail/store.h>
#include <tessera/core/memory.h>
#include <tessera/exec/exec.h>
#include <tessera/tile/enumeration.h>
#include <tessera/tile/tiled_mesh.h>

namespace tessera::detail::cuda {

struct RowFactoryOptions {
  int threads = 1024;       ///< of the device, that work on a tile
  Bytes device_memory = 0;  ///< for the mesh there; 0: what is free
  Bytes pinned_memory = 0;  ///< for rows; what is beyond goes to ordinary memory
};

/// Any thread may make rows; those that do so at the same time work on streams of their own.
template <int Dim>
class RowFactory {
 public:
  /// Copies the mesh to the device, unless it has a copy there already, or makes windows. The tiles must
  /// outlive it.
  RowFactory(const TiledMesh<Dim>& tiles, const Exec& exec, const RowFactoryOptions& options);
  RowFactory(const RowFactory&) = delete;
  ~RowFactory();

  [[nodiscard]] bool has_windows() const;
  /// The explicit enumeration, worked out by the device, which has all of the mesh.
  [[nodiscard]] Enumeration<Dim> enumerate();

  /// Makes what a relation needs: a coboundary or an adjacency. The host's enumeration must outlive the
  /// factory. False if the device cannot make the relation: through windows EE, FF, TT and, without an
  /// explicit enumeration, whatever names edges or faces. Not concurrently with anything.
  template <class R>
  [[nodiscard]] bool prepare(const Enumeration<Dim>& enumeration);
  /// The rows of these tiles, in tiled ids and in this order.
  template <class R>
  [[nodiscard]] std::vector<StoredRows> make(std::span<const std::uint32_t> tiles);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::detail::cuda
