#include <tessera/distribute/detail/surface_transfer.h>

#include <algorithm>
#include <utility>

#include <tessera/distribute/detail/slab_reader.h>

namespace tessera::detail {
namespace {

/// Elements of a surface by the layer of the grid that they come from.
class ByLayer {
 public:
  /// source(i) is the tuple of the grid.
  template <class F>
  ByLayer(std::size_t count, std::size_t layers, std::size_t layer_tuples, const F& source)
      : begins_(layers + 1, 0), elements_(count) {
    for (std::size_t i = 0; i < count; ++i) ++begins_[source(i) / layer_tuples + 1];
    for (std::size_t layer = 0; layer < layers; ++layer) begins_[layer + 1] += begins_[layer];
    std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
    for (std::size_t i = 0; i < count; ++i)
      elements_[next[source(i) / layer_tuples]++] = static_cast<std::uint32_t>(i);
  }
  /// Of layers [begin, end), ascending in each.
  [[nodiscard]] std::span<const std::uint32_t> operator()(std::size_t begin, std::size_t end) const {
    return std::span(elements_).subspan(begins_[begin], begins_[end] - begins_[begin]);
  }

 private:
  std::vector<std::size_t> begins_;
  Array<std::uint32_t> elements_;
};

/// Writes the tuples of a part to their places.
void scatter(const Field& part, std::span<const std::uint32_t> places, Field& to) {
  part.visit([&]<class T>(std::span<const T> values) {
    const std::size_t n = part.components();
    const std::span<T> all = to.as<T>();
    for (std::size_t i = 0; i < places.size(); ++i)
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(i * n), n,
                  all.begin() + static_cast<std::ptrdiff_t>(places[i] * n));
  });
}

Field transfer_points(const GridFile& file, const StoredField& field, std::span<const Slab> slabs,
                      const Provenance& from, const ByLayer& vertices, const Exec& exec) {
  const std::size_t layer = layers_of(file.shape()).points;
  Field all(field.name, field.type, from.edges.size(), field.components);
  SlabReader reader(file, field);
  for (const Slab& slab : slabs) {
    const Field& values = reader.read(slab);
    const std::uint64_t first = slab.seen_begin * layer;
    const auto own = vertices(slab.begin, slab.end);
    Provenance part;
    for (const std::uint32_t v : own) {
      part.edges.push_back({from.edges[v][0] - first, from.edges[v][1] - first});
      part.weights.push_back(from.weights[v]);
    }
    scatter(transfer_point_field(values, part, exec), own, all);
  }
  return all;
}

Field transfer_cells(const GridFile& file, const StoredField& field, std::span<const Slab> slabs,
                     const Provenance& from, const ByLayer& triangles, const Exec& exec) {
  const std::size_t layers = layers_of(file.shape()).count - 1;
  const std::size_t layer = file.shape().cell_count() / layers;
  Field all(field.name, field.type, from.cells.size(), field.components);
  for (const Slab& slab : slabs) {
    const std::size_t end = std::min<std::size_t>(slab.end, layers);
    if (slab.begin >= end) continue;
    Field values(field.name, field.type, (end - slab.begin) * layer, field.components);
    file.read(field, slab.begin * layer, values.size(), values);
    const auto own = triangles(slab.begin, end);
    Provenance part;
    for (const std::uint32_t t : own) part.cells.push_back(from.cells[t] - slab.begin * layer);
    scatter(transfer_cell_field(values, part, exec), own, all);
  }
  return all;
}

}  // namespace

void transfer_stored(const GridFile& file, std::span<const Slab> slabs, Isosurface& surface,
                     const IsosurfaceOptions& options) {
  const Provenance& from = surface.provenance;
  if (from.edges.empty()) {
    for (const Field& field : file.shape().point_data)
      if (!surface.mesh.point_data.has(field.name())) surface.mesh.point_data.add(field);
    for (const Field& field : file.shape().cell_data) surface.mesh.cell_data.add(field);
    return;
  }
  const GridLayers layers = layers_of(file.shape());
  const SlabMonitor monitor(options.monitor, "transferring fields",
                            file.point_fields().size() + file.cell_fields().size());
  const ByLayer vertices(from.edges.size(), layers.count, layers.points,
                         [&](std::size_t v) { return from.edges[v][0]; });
  for (const StoredField& field : file.point_fields()) {
    monitor.update(0);
    if (surface.mesh.point_data.has(field.name)) continue;  // the surface's own
    surface.mesh.point_data.add(transfer_points(file, field, slabs, from, vertices, options.exec));
  }
  if (file.cell_fields().empty()) return;
  const ByLayer triangles(from.cells.size(), layers.count - 1, file.shape().cell_count() / (layers.count - 1),
                          [&](std::size_t t) { return from.cells[t]; });
  for (const StoredField& field : file.cell_fields()) {
    monitor.update(file.point_fields().size());
    surface.mesh.cell_data.add(transfer_cells(file, field, slabs, from, triangles, options.exec));
  }
}

Bytes transfer_bytes(std::span<const StoredField> fields) {
  Bytes bytes = 0;
  for (const StoredField& field : fields) bytes += field.tuple_bytes();
  return bytes;
}

}  // namespace tessera::detail
