#include <tessera/surface/surface.h>

#include <algorithm>
#include <string>
#include <utility>

#include <tessera/core/config.h>
#include <tessera/exec/buffer.h>
#include <tessera/surface/detail/cuda/device_surface.h>
#include <tessera/surface/detail/surface_store.h>

namespace tessera {

using namespace detail;

namespace detail {

std::shared_ptr<const KeptRows> SurfaceStore::find(const RelationKey& key) {
  const auto entry = std::ranges::find(kept_, key, &Entry::key);
  if (entry == kept_.end()) return nullptr;
  kept_.splice(kept_.begin(), kept_, entry);
  return entry->rows;
}

std::shared_ptr<const KeptRows> SurfaceStore::keep(const RelationKey& key) {
  const std::lock_guard lock(mutex_);
  if (auto kept = find(key)) return kept;
  auto rows = std::make_shared<const KeptRows>(make(key));
  kept_.push_front({key, rows});
  make_room(key);
  return rows;
}

bool SurfaceStore::can_keep(std::span<const RelationKey> keys) {
  if (memory_ == 0) return true;
  const std::lock_guard lock(mutex_);
  Bytes together = 0;
  for (const RelationKey& key : keys) {
    if (std::ranges::find(refused_, key) != refused_.end()) return false;
    try {
      together += keep(key)->bytes;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::out_of_memory && error.code() != ErrorCode::out_of_device_memory) throw;
      refused_.push_back(key);
      return false;
    }
  }
  const SurfaceBytes own = own_bytes();
  return own.structure + own.input_ids + own.rows + together <= memory_;
}

/// Drops what was not used for longest, but not the rows that were just made.
void SurfaceStore::make_room(const RelationKey& key) {
  if (memory_ == 0) return;
  const auto total = [&] {
    const SurfaceBytes all = bytes();
    return all.structure + all.input_ids + all.rows;
  };
  while (total() > memory_ && kept_.size() > 1) kept_.pop_back();
  if (const Bytes needed = total(); needed > memory_) {
    kept_.clear();
    throw Error(exec_.is_cuda() ? ErrorCode::out_of_device_memory : ErrorCode::out_of_memory,
                "the surface with " + key.name() + " takes " + format_bytes(needed) + ", but only " +
                    format_bytes(memory_) + " are allowed; allow more, or walk over its tiles");
  }
}

SurfaceBytes SurfaceStore::bytes() {
  const std::lock_guard lock(mutex_);
  SurfaceBytes all = own_bytes();
  for (const Entry& entry : kept_) all.rows += entry.rows->bytes;
  return all;
}

Array<std::uint32_t> ascending_on_host(const Exec& exec, std::span<const std::uint32_t> active) {
  Array<std::uint32_t> ids(active.size());
  copy(exec, ids.data(), active.data(), active.size_bytes(), CopyKind::to_host);
  std::ranges::sort(ids);
  return ids;
}

}  // namespace detail

Surface::Surface(const TriMesh& mesh, const SurfaceOptions& options) {
  if constexpr (built_with_cuda) {
    if (options.exec.is_cuda()) {
      store_ = cuda::make_device_surface(mesh, options);
      return;
    }
  }
  store_ = make_host_surface(mesh, options);
}

template <class Real>
Surface::Surface(const ResidentMesh<2, Real>& mesh, const SurfaceOptions& options) {
  if (!options.exec.is_cuda() || options.partition != nullptr || options.order == VertexOrder::lloyd) {
    throw Error(ErrorCode::bad_option, !options.exec.is_cuda()
                                           ? "a surface of a mesh in a device's memory needs that device"
                                           : "a mesh in a device's memory is cut into tiles of its own");
  }
  if constexpr (built_with_cuda) store_ = cuda::make_device_surface(mesh, options);
}
template Surface::Surface(const ResidentMesh<2, float>&, const SurfaceOptions&);
template Surface::Surface(const ResidentMesh<2, double>&, const SurfaceOptions&);

const Exec& Surface::exec() const {
  return store_->exec();
}
std::size_t Surface::vertex_count() const {
  return store_->vertex_count();
}
std::size_t Surface::face_count() const {
  return store_->face_count();
}
std::size_t Surface::edge_count() const {
  return store_->edge_count();
}
std::size_t Surface::count(Kind kind) const {
  TS_EXPECTS(kind != Kind::tet);
  if (kind == Kind::vertex) return vertex_count();
  return kind == Kind::edge ? edge_count() : face_count();
}
std::span<const std::uint32_t> Surface::first_vertices() const {
  return store_->first_vertices();
}
const TriMesh* Surface::mesh() const {
  return store_->mesh();
}
SurfaceBytes Surface::bytes() const {
  return store_->bytes();
}
std::span<const std::uint32_t> Surface::to_input(Kind kind) const {
  return store_->to_input(kind);
}
const TiledMesh<2>& Surface::tiles() const {
  return store_->tiles();
}
bool Surface::has_room(std::initializer_list<RelationKey> keys) const {
  return store_->can_keep(keys);
}
RowsView<std::uint32_t> Surface::keep(const RelationKey& key, std::shared_ptr<const KeptRows>& kept) const {
  kept = store_->keep(key);
  return kept->view;
}

}  // namespace tessera
