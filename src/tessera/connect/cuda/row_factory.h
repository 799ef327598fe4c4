// RowFactory: a device makes the rows of tiles; they arrive in pinned memory, where consumers read them in
// place.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <tessera/connect/store.h>
#include <tessera/tile/cuda/device_relations.h>
#include <tessera/tile/tiled_mesh.h>

namespace tessera::cuda {

/// Any thread may make rows; each works on a stream of its own.
template <int Dim>
class RowFactory {
 public:
  /// Numbers the mesh on the device, where so many threads work on a tile. The tiles must outlive it.
  /// Error(unsupported) if some of them are too large for a device.
  RowFactory(const TiledMesh<Dim>& tiles, const Exec& exec, int threads);

  /// Makes what a relation needs besides the enumeration: a coboundary or an adjacency. Not concurrently with
  /// anything.
  template <class R>
  void prepare();
  /// The rows of these tiles, in tiled ids and in this order.
  template <class R>
  [[nodiscard]] std::vector<StoredRows> make(std::span<const std::uint32_t> tiles);

 private:
  const TiledMesh<Dim>& tiles_;
  Exec exec_;
  int threads_;
  std::shared_ptr<const DeviceTiles<Dim>> device_;
  std::unique_ptr<DeviceRelations<Dim>> relations_;
};

}  // namespace tessera::cuda
