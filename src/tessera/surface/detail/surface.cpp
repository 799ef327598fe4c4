#include <tessera/surface/surface.h>

#include <algorithm>
#include <string>
#include <utility>

#include <tessera/core/config.h>
#include <tessera/exec/buffer.h>
#include <tessera/exec/primitives.h>
#include <tessera/surface/detail/cuda/device_surface.h>
#include <tessera/surface/detail/surface_store.h>

namespace tessera {

using namespace detail;

namespace detail {

namespace {

ErrorCode out_of_room(const Exec& exec) {
  return exec.is_cuda() ? ErrorCode::out_of_device_memory : ErrorCode::out_of_memory;
}

/// Rows that are a part of the structure, with the surface that has it.
struct PartOfSurface {
  std::shared_ptr<SurfaceStore> store;
  std::shared_ptr<const KeptRows> rows;
};

}  // namespace

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
  if (find_size(key) == nullptr) sizes_.push_back({key, rows->bytes});
  kept_.push_front({key, rows});
  make_room(key);
  return rows;
}

bool SurfaceStore::can_keep(std::span<const RelationKey> keys) {
  if (memory_ == 0) return true;
  const std::lock_guard lock(mutex_);
  Bytes together = 0;
  for (const RelationKey& key : keys) {
    if (find_size(key) == nullptr) {
      try {
        (void)keep(key);
      } catch (const Error& error) {
        if (error.code() != ErrorCode::out_of_memory && error.code() != ErrorCode::out_of_device_memory)
          throw;
        return false;
      }
    }
    together += find_size(key)->bytes;
  }
  Bytes held = lent_bytes();
  for (const Entry& entry : kept_) {
    const bool is_asked = std::ranges::find(keys, entry.key) != keys.end();
    if (!is_asked && entry.rows.use_count() > 1) held += entry.rows->bytes;
  }
  const SurfaceBytes own = own_bytes();
  return own.structure + own.input_ids + own.rows + held + together <= memory_;
}

const SurfaceStore::Size* SurfaceStore::find_size(const RelationKey& key) const {
  const auto size = std::ranges::find(sizes_, key, &Size::key);
  return size == sizes_.end() ? nullptr : &*size;
}

Bytes SurfaceStore::lent_bytes() const {
  Bytes sum = 0;
  for (const auto& lent : lent_) {
    if (const auto rows = lent.lock()) sum += rows->bytes;
  }
  return sum;
}

void SurfaceStore::drop_oldest() {
  std::erase_if(lent_, [](const auto& lent) { return lent.expired(); });
  lent_.push_back(kept_.back().rows);
  kept_.pop_back();
}

/// Drops what was not used for longest, but not the rows that were just made.
void SurfaceStore::make_room(const RelationKey& key) {
  if (memory_ == 0) return;
  const auto total = [&] {
    const SurfaceBytes all = bytes();
    return all.structure + all.input_ids + all.rows;
  };
  while (total() > memory_ && kept_.size() > 1) drop_oldest();
  if (const Bytes needed = total(); needed > memory_) {
    kept_.clear();
    throw Error(out_of_room(exec_), "the surface with " + key.name() + " takes " + format_bytes(needed) +
                                        ", but only " + format_bytes(memory_) +
                                        " are allowed; allow more, or walk over its tiles");
  }
}

SurfaceBytes SurfaceStore::bytes() {
  const std::lock_guard lock(mutex_);
  SurfaceBytes all = own_bytes();
  for (const Entry& entry : kept_) all.rows += entry.rows->bytes;
  all.rows += lent_bytes();
  return all;
}

void SurfaceStore::check_structure() const {
  const SurfaceBytes own = own_bytes();
  const Bytes needed = own.structure + own.input_ids;
  if (memory_ == 0 || needed <= memory_) return;
  throw Error(out_of_room(exec_), "the surface takes " + format_bytes(needed) + ", but only " +
                                      format_bytes(memory_) + " are allowed; allow more");
}

Array<std::uint32_t> ascending_on_host(const Exec& exec, std::span<const std::uint32_t> active) {
  Array<std::uint32_t> ids(active.size());
  copy(exec, ids.data(), active.data(), active.size_bytes(), CopyKind::to_host);
  if (!std::ranges::is_sorted(ids)) std::ranges::sort(ids);
  return ids;
}

Buffer<std::uint32_t> list_flagged(const Exec& exec, std::span<const std::uint8_t> flags) {
  Buffer<std::uint32_t> all(exec, flags.size());
  const std::size_t count = compact_indices(exec, flags, all.span());
  Buffer<std::uint32_t> places(exec, count);
  copy(exec, places.data(), all.data(), places.bytes(), CopyKind::on_device);
  return places;
}

}  // namespace detail

Surface::Surface(const TriMesh& mesh, const SurfaceOptions& options) {
  if constexpr (built_with_cuda) {
    if (options.exec.is_cuda()) store_ = cuda::make_device_surface(mesh, options);
  }
  if (store_ == nullptr) store_ = make_host_surface(mesh, options);
  store_->check_structure();
}

template <class Real>
Surface::Surface(const ResidentMesh<2, Real>& mesh, const SurfaceOptions& options) {
  if (!options.exec.is_cuda() || options.partition != nullptr || options.order == VertexOrder::lloyd) {
    throw Error(ErrorCode::bad_option, !options.exec.is_cuda()
                                           ? "a surface of a mesh in a device's memory needs that device"
                                           : "a mesh in a device's memory takes neither a partition nor "
                                             "Lloyd's tiles; give it a mesh in the host's memory");
  }
  if constexpr (built_with_cuda) {
    store_ = cuda::make_device_surface(mesh, options);
    store_->check_structure();
  }
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
  if (kept->owner == nullptr) {
    auto part = std::make_shared<const PartOfSurface>(PartOfSurface{store_, kept});
    const KeptRows* rows = part->rows.get();
    kept = {std::move(part), rows};
  }
  return kept->view;
}

}  // namespace tessera
