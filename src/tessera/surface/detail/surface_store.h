// SurfaceStore: what a Surface is a handle of. HostSurface and cuda::DeviceSurface know how to make rows;
// this keeps them within the memory that was allowed.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <tessera/core/csr.h>
#include <tessera/core/memory.h>
#include <tessera/exec/exec.h>
#include <tessera/mesh/mesh.h>
#include <tessera/surface/surface.h>
#include <tessera/tile/relation.h>

namespace tessera::detail {

struct KeptRows {
  RowsView<std::uint32_t> view;
  Bytes bytes = 0;                    ///< 0: they are a part of the structure
  std::shared_ptr<const void> owner;  ///< of the arrays; null: the surface
};

class SurfaceStore {
 public:
  SurfaceStore(const Exec& exec, Bytes memory) : exec_(exec), memory_(memory) {}
  SurfaceStore(const SurfaceStore&) = delete;
  SurfaceStore& operator=(const SurfaceStore&) = delete;
  virtual ~SurfaceStore() = default;

  [[nodiscard]] const Exec& exec() const { return exec_; }
  [[nodiscard]] std::uint32_t vertex_count() const { return vertices_; }
  [[nodiscard]] std::uint32_t face_count() const { return faces_; }
  [[nodiscard]] virtual std::uint32_t edge_count() = 0;
  [[nodiscard]] virtual std::span<const std::uint32_t> first_vertices() const = 0;
  [[nodiscard]] virtual std::span<const std::uint32_t> to_input(Kind kind) const = 0;
  /// Writes the coordinates in tile order to memory at the surface's place.
  virtual void fill_positions(Vec3f* to) const = 0;
  virtual void fill_positions(Vec3d* to) const = 0;
  [[nodiscard]] virtual const TriMesh* mesh() const = 0;
  /// For rows that are not kept.
  [[nodiscard]] virtual const TiledMesh<2>& tiles() = 0;

  [[nodiscard]] SurfaceBytes bytes();
  /// Error(out_of_memory) if not even the structure may be kept.
  void check_structure() const;
  /// The rows, which are made if they are not kept. Error(out_of_memory) if they cannot be.
  [[nodiscard]] std::shared_ptr<const KeptRows> keep(const RelationKey& key);
  /// Can all of these be kept at once? Makes rows whose size is not known yet.
  [[nodiscard]] bool can_keep(std::span<const RelationKey> keys);

 protected:
  /// The rows if they are kept, or null.
  [[nodiscard]] std::shared_ptr<const KeptRows> find(const RelationKey& key);
  /// May ask keep() for others.
  [[nodiscard]] virtual KeptRows make(const RelationKey& key) = 0;
  [[nodiscard]] virtual SurfaceBytes own_bytes() const = 0;

  // NOLINTBEGIN(readability-identifier-naming): both stores use them as their own
  std::recursive_mutex mutex_;
  Exec exec_;
  std::uint32_t vertices_ = 0;
  std::uint32_t faces_ = 0;
  // NOLINTEND(readability-identifier-naming)

 private:
  struct Entry {
    RelationKey key;
    std::shared_ptr<const KeptRows> rows;
  };
  struct Size {
    RelationKey key;
    Bytes bytes;
  };
  [[nodiscard]] const Size* find_size(const RelationKey& key) const;
  [[nodiscard]] Bytes lent_bytes() const;
  void drop_oldest();
  void make_room(const RelationKey& key);

  Bytes memory_;
  std::list<Entry> kept_;                            ///< the last used first
  std::vector<std::weak_ptr<const KeptRows>> lent_;  ///< dropped, though a caller may still hold them
  std::vector<Size> sizes_;                          ///< of all rows that were ever made
};

/// The store of a surface on host threads.
[[nodiscard]] std::shared_ptr<SurfaceStore> make_host_surface(const TriMesh& mesh,
                                                              const SurfaceOptions& options);

}  // namespace tessera::detail
