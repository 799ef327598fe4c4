#include <tessera/surface/detail/edit/dynamic_store.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include <tessera/core/detail/monitor.h>
#include <tessera/core/error.h>
#include <tessera/exec/primitives.h>
#include <tessera/surface/attribute.h>
#include <tessera/surface/detail/edit/build_loops.h>
#include <tessera/surface/detail/run_loop.h>

namespace tessera::detail {

namespace {

/// A larger buffer with the same beginning.
template <class T>
[[nodiscard]] Buffer<T> enlarged(const Exec& exec, const Buffer<T>& old, std::size_t used, std::size_t size) {
  Buffer<T> larger(exec, size);
  copy_here(exec, larger.data(), old.data(), used * sizeof(T));
  return larger;
}

[[nodiscard]] ColumnShape shape_of_field(Kind kind, const Field& field) {
  const auto components = static_cast<std::uint32_t>(field.components());
  const bool is_blended = field.type() == ScalarType::f32 || field.type() == ScalarType::f64;
  return {kind, components * static_cast<std::uint32_t>(size_of(field.type())), is_blended ? components : 0,
          field.type() == ScalarType::f64};
}

[[nodiscard]] const std::byte* bytes_of(const Field& field) {
  return field.visit([](auto values) { return reinterpret_cast<const std::byte*>(values.data()); });
}

}  // namespace

DynamicStore::DynamicStore(const TriMesh& mesh, const DynamicOptions& options)
    : queues_rounds(options.exec.is_cuda()),
      exec_(options.exec),
      memory_(options.memory),
      bases_(options.exec, 2 * max_columns) {
  build(mesh, options.monitor);
  if (!options.with_fields) return;
  for (const Kind kind : {Kind::vertex, Kind::face}) {
    const Array<std::uint32_t> order = mesh_.origins[kind == Kind::vertex ? 0 : 1].to_host(end(kind));
    for (const Field& field : kind == Kind::vertex ? mesh.point_data : mesh.cell_data) {
      const ColumnShape shape = shape_of_field(kind, field);
      const std::uint32_t index = new_column(shape);
      StoredColumn& stored = columns_[index];
      stored.is_own = true;
      stored.is_field = true;
      stored.name = field.name();
      stored.type = field.type();
      Array<std::byte> values(order.size() * shape.width);
      const std::byte* from = bytes_of(field);
      for (std::size_t i = 0; i < order.size(); ++i)
        std::memcpy(values.data() + i * shape.width, from + std::size_t{order[i]} * shape.width, shape.width);
      stored.values.assign(values);
    }
  }
  field_data_ = mesh.field_data;
  if (const Field* field = mesh.point_data.active()) active_[0] = field->name();
  if (const Field* field = mesh.cell_data.active()) active_[1] = field->name();
  write_tables();
}

void DynamicStore::build(const TriMesh& mesh, const Monitor* monitor) {
  const Surface surface(mesh, surface_options(monitor));
  {
    const Buffer<TriMesh::Cell> cells(exec_, std::span<const TriMesh::Cell>(mesh.cells));
    mesh_ = EditConnectivity(surface, cells.data());
  }
  capacity_ = mesh_.end;
  has_double_points_ = mesh.points.is_double();
  const std::uint32_t index = new_column(shape_of<Vec3d>(Kind::vertex));
  columns_[index].is_own = true;
  const VertexAttribute<Vec3d> points = tessera::positions<double>(surface);
  copy_here(exec_, columns_[index].values.data(), points.view().data(), points.size() * sizeof(Vec3d));
  write_tables();
  check_memory(bytes());
}

/// Tiles that a device can take, too: ids, which priorities depend on, are then the same on both sides. Along
/// the curve also where the input's order is local by its tiles: edits go from neighbour to neighbour.
SurfaceOptions DynamicStore::surface_options(const Monitor* monitor) const {
  return {.exec = exec_,
          .memory = memory_,
          .max_vertices = 256,
          .order = VertexOrder::morton,
          .monitor = monitor};
}

Bytes DynamicStore::bytes() const {
  Bytes sum = Bytes{capacity_[2]} * (24 + 8 + 4) + Bytes{capacity_[1]} * 8 + Bytes{capacity_[0]} * 8;
  for (const FreedIds& freed : freed_) sum += freed.ids.bytes();
  for (const StoredColumn& column : columns_) sum += column.values.bytes() + column.staged.bytes();
  return sum + mesh_.edge_lists.bytes() + mesh_.vertex_lists.bytes() + scratch.bytes();
}

void DynamicStore::check_memory(Bytes needed) const {
  needed += held_;
  if (memory_ == 0 || needed <= memory_) return;
  throw Error(exec_.is_cuda() ? ErrorCode::out_of_device_memory : ErrorCode::out_of_memory,
              "the surface takes " + format_bytes(needed) + " now, but only " + format_bytes(memory_) +
                  " are allowed");
}

void DynamicStore::check_room(Bytes more) const {
  if (memory_ != 0) check_memory(bytes() + more);
}

std::uint32_t DynamicStore::next_round() {
  constexpr std::uint32_t last = 4095;
  if (round_ == last) {
    run_loop(exec_, mesh_.claims.size(), FillLongs{mesh_.claims.data()});
    round_ = 0;
  }
  return ++round_;
}

void DynamicStore::reserve(const std::array<std::uint32_t, 3>& counts) {
  std::array<std::uint32_t, 3> needed = capacity_;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::uint32_t reused = std::min(counts[k], freed_[k].count());
    const std::uint64_t end = std::uint64_t{mesh_.end[k]} + (counts[k] - reused);
    if (end > max_edit_ids) {
      throw Error(ErrorCode::unsupported, "a surface cannot be edited beyond " +
                                              std::to_string(max_edit_ids) + " elements of a kind");
    }
    if (end <= capacity_[k]) continue;
    const std::uint64_t generous = std::uint64_t{capacity_[k]} + capacity_[k] / 4 + 64;
    needed[k] = static_cast<std::uint32_t>(std::min<std::uint64_t>(std::max(end, generous), max_edit_ids));
  }
  if (needed == capacity_) return;
  if (memory_ != 0) {
    Bytes after = bytes();
    after += Bytes{needed[2] - capacity_[2]} * 36 + Bytes{needed[1] - capacity_[1]} * 8 +
             Bytes{needed[0] - capacity_[0]} * 8;
    for (const StoredColumn& column : columns_) {
      const auto k = static_cast<std::size_t>(column.shape.kind);
      after += Bytes{needed[k] - capacity_[k]} * column.shape.width;
    }
    check_memory(after);
  }
  try {
    for (const Kind kind : {Kind::vertex, Kind::edge, Kind::face}) {
      const std::uint32_t size = needed[static_cast<std::size_t>(kind)];
      if (size != capacity_[static_cast<std::size_t>(kind)]) grow(kind, size);
    }
  } catch (...) {
    write_tables();  // some columns have moved
    throw;
  }
  write_tables();
}

void DynamicStore::grow(Kind kind, std::uint32_t size) {
  const auto k = static_cast<std::size_t>(kind);
  const std::size_t used = mesh_.end[k];
  if (kind == Kind::face) {
    Buffer<std::uint64_t> claims = enlarged(exec_, mesh_.claims, used, size);
    run_loop(exec_, size - used, FillLongs{claims.data() + used});
    mesh_.corners = enlarged(exec_, mesh_.corners, 3 * used, 3 * std::size_t{size});
    mesh_.edges = enlarged(exec_, mesh_.edges, 3 * used, 3 * std::size_t{size});
    mesh_.origins[1] = enlarged(exec_, mesh_.origins[1], used, size);
    mesh_.claims = std::move(claims);
  } else if (kind == Kind::edge) {
    mesh_.sides = enlarged(exec_, mesh_.sides, 2 * used, 2 * std::size_t{size});
  } else {
    mesh_.handles = enlarged(exec_, mesh_.handles, used, size);
    mesh_.origins[0] = enlarged(exec_, mesh_.origins[0], used, size);
  }
  for (StoredColumn& column : columns_) {
    if (column.shape.kind != kind || column.values.empty()) continue;
    column.values =
        enlarged(exec_, column.values, used * column.shape.width, std::size_t{size} * column.shape.width);
  }
  capacity_[k] = size;
}

FreshIds DynamicStore::fresh(Kind kind) const {
  const FreedIds& freed = freed_[static_cast<std::size_t>(kind)];
  return {freed.ids.data() + freed.begin, freed.count(), end(kind)};
}

void DynamicStore::take(Kind kind, std::uint32_t count) {
  const auto k = static_cast<std::size_t>(kind);
  const std::uint32_t reused = std::min(count, freed_[k].count());
  freed_[k].begin += reused;
  mesh_.end[k] += count - reused;
}

void DynamicStore::reserve_freed(Kind kind, std::size_t count) {
  FreedIds& freed = freed_[static_cast<std::size_t>(kind)];
  if (freed.end + count <= freed.ids.size()) return;
  const std::size_t needed = freed.count() + count;
  const std::size_t size = needed + needed / 2;
  check_room(size * sizeof(std::uint32_t));
  Buffer<std::uint32_t> larger(exec_, size);
  copy_here(exec_, larger.data(), freed.ids.data() + freed.begin, freed.count() * sizeof(std::uint32_t));
  freed = {std::move(larger), 0, freed.count()};
}

std::uint32_t DynamicStore::freed_room(Kind kind) const {
  const FreedIds& freed = freed_[static_cast<std::size_t>(kind)];
  return static_cast<std::uint32_t>(freed.ids.size() - freed.end);
}
std::uint32_t* DynamicStore::freed_end(Kind kind) {
  FreedIds& freed = freed_[static_cast<std::size_t>(kind)];
  return freed.ids.data() + freed.end;
}
void DynamicStore::add_freed(Kind kind, std::uint32_t count) {
  freed_[static_cast<std::size_t>(kind)].end += count;
}

std::uint32_t DynamicStore::new_column(const ColumnShape& shape) {
  StoredColumn made;
  made.shape = shape;
  // At least one: a column without memory is one that nobody uses.
  const std::size_t count = std::max(capacity_[static_cast<std::size_t>(shape.kind)], 1u);
  made.values = Buffer<std::byte>(exec_, count * shape.width);
  const auto is_unused = [](const StoredColumn& column) { return !column.is_own && column.user.expired(); };
  auto place = std::ranges::find_if(columns_, is_unused);
  if (place == columns_.end()) {
    if (columns_.size() == max_columns) {
      throw Error(ErrorCode::unsupported,
                  "a surface carries at most " + std::to_string(max_columns) + " attributes through edits");
    }
    place = columns_.emplace(columns_.end());
  }
  *place = std::move(made);
  return static_cast<std::uint32_t>(place - columns_.begin());
}

std::shared_ptr<const ColumnKey> DynamicStore::add_column(const ColumnShape& shape, const void* value) {
  const auto k = static_cast<std::size_t>(shape.kind);
  check_memory(memory_ == 0 ? 0 : bytes() + Bytes{capacity_[k]} * shape.width);
  const std::uint32_t index = new_column(shape);
  auto key = std::make_shared<const ColumnKey>(ColumnKey{shared_from_this(), index});
  columns_[index].user = key;
  fill_elements(exec_, value, columns_[index].values.data(), capacity_[k], shape.width);
  write_tables();
  return key;
}

void DynamicStore::stage(std::uint32_t edges, std::uint32_t faces) {
  bool has_moved = false;
  for (StoredColumn& column : columns_) {
    if (column.shape.kind == Kind::vertex || column.values.empty()) continue;
    const std::size_t needed =
        std::size_t{column.shape.kind == Kind::edge ? edges : faces} * column.shape.width;
    if (column.staged.size() >= needed) continue;
    try {
      check_room(needed + needed / 8);
      Buffer<std::byte> larger(exec_, needed + needed / 8);
      column.staged = std::move(larger);
    } catch (...) {
      if (has_moved) write_tables();  // others have moved
      throw;
    }
    has_moved = true;
  }
  if (has_moved) write_tables();
}

std::uint32_t DynamicStore::staged_room(Kind kind) const {
  std::size_t room = 0xFFFFFFFFu;
  for (const StoredColumn& column : columns_) {
    if (column.shape.kind == kind && !column.values.empty())
      room = std::min(room, column.staged.size() / column.shape.width);
  }
  return static_cast<std::uint32_t>(room);
}

void DynamicStore::write_tables() {
  Array<std::byte*> bases(2 * max_columns, nullptr);
  Array<Column> table;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    StoredColumn& column = columns_[i];
    if (!column.is_own && column.user.expired()) {
      column.values = Buffer<std::byte>();
      column.staged = Buffer<std::byte>();
    }
    bases[i] = column.values.data();
    bases[max_columns + i] = column.staged.data();
    if (column.values.empty()) continue;
    table.push_back({column.values.data(), column.staged.data(), column.shape.width, column.shape.components,
                     column.shape.kind, column.shape.is_double});
  }
  bases_.assign(bases);
  if (table_.empty()) table_ = Buffer<Column>(exec_, max_columns);
  table_.assign(table);
  table_count_ = static_cast<std::uint32_t>(table.size());
}

Array<std::uint32_t> DynamicStore::export_order(Kind kind) const {
  const std::uint32_t n = end(kind);
  const Array<std::uint32_t> origins = mesh_.origins[kind == Kind::vertex ? 0 : 1].to_host(n);
  const std::size_t step = kind == Kind::vertex ? 1 : 3;
  const Array<std::uint32_t> marks = (kind == Kind::vertex ? mesh_.handles : mesh_.corners).to_host(step * n);
  const std::uint32_t gone = kind == Kind::vertex ? EditArrays::removed : EditArrays::none;
  std::vector<std::uint64_t> keys;
  keys.reserve(count(kind));
  for (std::uint32_t i = 0; i < n; ++i) {
    if (marks[step * i] != gone) keys.push_back(std::uint64_t{origins[i]} << 32 | i);
  }
  std::ranges::sort(keys);
  Array<std::uint32_t> order(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) order[i] = static_cast<std::uint32_t>(keys[i]);
  return order;
}

Field DynamicStore::gather(const StoredColumn& column, std::span<const std::uint32_t> order) const {
  const std::size_t width = column.shape.width;
  const Array<std::byte> values = column.values.to_host(std::size_t{end(column.shape.kind)} * width);
  Field field(column.name, column.type, order.size(), width / size_of(column.type));
  field.visit([&](auto out) {
    auto* to = reinterpret_cast<std::byte*>(out.data());
    for (std::size_t i = 0; i < order.size(); ++i)
      std::memcpy(to + i * width, values.data() + std::size_t{order[i]} * width, width);
  });
  return field;
}

TriMesh DynamicStore::to_mesh() {
  scratch = {};
  TriMesh mesh;
  const Array<std::uint32_t> vertices = export_order(Kind::vertex);
  const Array<std::uint32_t> faces = export_order(Kind::face);
  Array<std::uint32_t> place(end(Kind::vertex), EditArrays::none);
  for (std::size_t i = 0; i < vertices.size(); ++i) place[vertices[i]] = static_cast<std::uint32_t>(i);

  const Array<std::byte> raw = columns_[positions].values.to_host(std::size_t{mesh_.end[0]} * sizeof(Vec3d));
  const auto* points = reinterpret_cast<const Vec3d*>(raw.data());
  const auto write_points = [&]<class T>(Array<Vec3<T>> out) {
    for (std::size_t i = 0; i < vertices.size(); ++i) out[i] = vec_cast<T>(points[vertices[i]]);
    mesh.points = std::move(out);
  };
  if (has_double_points_)
    write_points(Array<Vec3d>(vertices.size()));
  else
    write_points(Array<Vec3f>(vertices.size()));

  const Array<std::uint32_t> corners = mesh_.corners.to_host(3 * std::size_t{mesh_.end[2]});
  mesh.cells.resize(faces.size());
  for (std::size_t i = 0; i < faces.size(); ++i) {
    const std::uint32_t* c = corners.data() + 3 * std::size_t{faces[i]};
    mesh.cells[i] = {VertexId(place[c[0]]), VertexId(place[c[1]]), VertexId(place[c[2]])};
  }
  for (const StoredColumn& column : columns_) {
    if (!column.is_field) continue;
    if (column.shape.kind == Kind::vertex)
      mesh.point_data.add(gather(column, vertices));
    else
      mesh.cell_data.add(gather(column, faces));
  }
  mesh.field_data = field_data_;
  if (!active_[0].empty()) mesh.point_data.set_active(active_[0]);
  if (!active_[1].empty()) mesh.cell_data.set_active(active_[1]);
  return mesh;
}

}  // namespace tessera::detail
