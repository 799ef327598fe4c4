// Windows: ranges of a mesh's tiles on a device that has no room for all of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <tessera/core/memory.h>
#include <tessera/tile/detail/cuda/device_relations.h>

namespace tessera::detail::cuda {

template <int Dim>
class Windows {
 public:
  struct Window {
    Window(const TiledMesh<Dim>& mesh, const Exec& exec, TileRange range, const EnumerationPointers& ids)
        : tiles(mesh, exec, range), relations(mesh, tiles, exec, ids) {}

    DeviceTiles<Dim> tiles;
    DeviceRelations<Dim> relations;
  };

  /// Cuts the mesh into ranges, several of which fit the budget at once.
  Windows(const TiledMesh<Dim>& mesh, const Exec& exec, Bytes budget) : mesh_(mesh), exec_(exec) {
    const Bytes most = budget / kept;
    Bytes bytes = 0;
    for (std::uint32_t t = 0; t < mesh.tile_count(); ++t) {
      const Bytes own = bytes_of(mesh, TileId(t));
      if (first_.empty() || bytes + own > most) {
        first_.push_back(t);
        bytes = 0;
      }
      bytes += own;
    }
    slots_.resize(first_.size());
  }

  /// What a tile takes of a window, at the peak of its making: its cells, also in local numbers, their places
  /// in tiles while those are sorted, ghosts.
  static Bytes bytes_of(const TiledMesh<Dim>& mesh, TileId tile) {
    return 64 * Bytes{mesh.internal_cells(tile).size() + mesh.external_cells(tile).size()} + 256;
  }
  static constexpr Bytes kept = 4;  ///< windows at once

  [[nodiscard]] std::size_t window_of(std::uint32_t tile) const {
    return static_cast<std::size_t>(std::upper_bound(first_.begin(), first_.end(), tile) - first_.begin()) -
           1;
  }
  /// Not concurrently with get(). Windows that do not have it yet are copied again when they are wanted.
  void set_enumeration(const EnumerationPointers& ids) {
    ids_ = ids;
    for (Slot& slot : slots_) slot.window.reset();
    resident_ = 0;
  }

  /// A window, copied to the device unless it is there. It stays as long as somebody holds it, who lets go
  /// only when what he queued on his own stream is done: its memory goes back in the order of another one.
  [[nodiscard]] std::shared_ptr<const Window> get(std::size_t window) {
    const std::scoped_lock lock(mutex_);
    Slot& slot = slots_[window];
    slot.used = ++clock_;
    if (slot.window != nullptr) return slot.window;
    if (resident_ == kept) {
      const auto is_older = [](const Slot& a, const Slot& b) {
        return (a.window != nullptr ? a.used : ~std::uint64_t{0}) <
               (b.window != nullptr ? b.used : ~std::uint64_t{0});
      };
      std::min_element(slots_.begin(), slots_.end(), is_older)->window.reset();
      --resident_;
    }
    const std::uint32_t end =
        window + 1 == first_.size() ? static_cast<std::uint32_t>(mesh_.tile_count()) : first_[window + 1];
    slot.window = std::make_shared<const Window>(mesh_, exec_, TileRange{first_[window], end}, ids_);
    ++resident_;  // complete, as other threads use it on other streams
    return slot.window;
  }

 private:
  struct Slot {
    std::shared_ptr<const Window> window;
    std::uint64_t used = 0;
  };

  const TiledMesh<Dim>& mesh_;
  Exec exec_;
  EnumerationPointers ids_;
  std::vector<std::uint32_t> first_;  // tiles
  std::mutex mutex_;
  std::vector<Slot> slots_;
  Bytes resident_ = 0;
  std::uint64_t clock_ = 0;
};

}  // namespace tessera::detail::cuda
