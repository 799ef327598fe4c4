#include <tessera/surface/dynamic_surface.h>

#include <cstring>

#include <tessera/surface/detail/edit/dynamic_store.h>

namespace tessera {

using namespace detail;

namespace detail {

std::shared_ptr<const ColumnKey> add_column(const std::shared_ptr<DynamicStore>& store,
                                            const ColumnShape& shape, const void* value) {
  return store->add_column(shape, value);
}

std::byte* const* column_base(const ColumnKey& key) {
  return key.store->base(key.index);
}

std::size_t column_size(const ColumnKey& key) {
  return key.store->end(key.store->column(key.index).shape.kind);
}

void read_column(const ColumnKey& key, void* to) {
  const StoredColumn& column = key.store->column(key.index);
  const Array<std::byte> values = column.values.to_host(column_size(key) * column.shape.width);
  std::memcpy(to, values.data(), values.size());
}

void write_column(const ColumnKey& key, const void* from) {
  StoredColumn& column = key.store->column(key.index);
  column.values.assign({static_cast<const std::byte*>(from), column_size(key) * column.shape.width});
}

}  // namespace detail

DynamicSurface::DynamicSurface(const TriMesh& mesh, const DynamicOptions& options)
    : store_(std::make_shared<DynamicStore>(mesh, options)) {}

const Exec& DynamicSurface::exec() const {
  return store_->exec();
}
std::size_t DynamicSurface::vertex_count() const {
  return store_->count(Kind::vertex);
}
std::size_t DynamicSurface::edge_count() const {
  return store_->count(Kind::edge);
}
std::size_t DynamicSurface::face_count() const {
  return store_->count(Kind::face);
}
std::size_t DynamicSurface::id_end(Kind kind) const {
  return store_->end(kind);
}
Bytes DynamicSurface::bytes() const {
  return store_->bytes();
}
EditMesh DynamicSurface::mesh() const {
  return EditMesh(store_->arrays());
}
EditView<tiled::VertexId, Vec3d> DynamicSurface::positions() const {
  return EditView<tiled::VertexId, Vec3d>(store_->base(DynamicStore::positions));
}
TriMesh DynamicSurface::to_mesh() const {
  return store_->to_mesh();
}
double DynamicSurface::disorder() const {
  return store_->disorder();
}
CompactionMaps DynamicSurface::compact() {
  return store_->compact();
}
std::string DynamicSurface::validate() const {
  return store_->validate();
}

}  // namespace tessera
