// Compaction: the surface is made anew of what is left of it.
#include <cstring>
#include <utility>

#include <tessera/surface/detail/edit/dynamic_store.h>

namespace tessera::detail {

namespace {

[[nodiscard]] Array<std::uint32_t> to_host(const Exec& exec, const std::uint32_t* from, std::size_t count) {
  Array<std::uint32_t> out(count);
  if (count == 0) return out;
  if (exec.is_cuda()) copy(exec, out.data(), from, count * sizeof(std::uint32_t), CopyKind::to_host);
  else std::memcpy(out.data(), from, count * sizeof(std::uint32_t));
  return out;
}

/// The places of elements that are left, and how many there are.
struct Survivors {
  Array<std::uint32_t> ids;    ///< of those that are left
  Array<std::uint32_t> place;  ///< of each: among those that are left, or none

  template <class IsLeft>
  Survivors(std::uint32_t end, const IsLeft& is_left) : place(end, EditArrays::none) {
    for (std::uint32_t i = 0; i < end; ++i) {
      if (!is_left(i)) continue;
      place[i] = static_cast<std::uint32_t>(ids.size());
      ids.push_back(i);
    }
  }
};

/// The new id of each old one, where `origin` gives the place among survivors of each new one.
template <class IdType>
[[nodiscard]] IdArray<IdType, IdType> make_map(const Survivors& survivors, std::span<const std::uint32_t> origin) {
  Array<std::uint32_t> new_of(origin.size());
  for (std::size_t i = 0; i < origin.size(); ++i) new_of[origin[i]] = static_cast<std::uint32_t>(i);
  IdArray<IdType, IdType> map(survivors.place.size());
  for (std::size_t i = 0; i < survivors.place.size(); ++i) {
    const std::uint32_t place = survivors.place[i];
    map[IdType(static_cast<std::uint32_t>(i))] = place == EditArrays::none ? IdType() : IdType(new_of[place]);
  }
  return map;
}

}  // namespace

CompactionMaps DynamicStore::compact() {
  const Array<std::uint32_t> corners = to_host(exec_, corners_.data(), 3 * std::size_t{end_[2]});
  const Array<std::uint32_t> edges = to_host(exec_, edges_.data(), 3 * std::size_t{end_[2]});
  const Array<std::uint32_t> handles = to_host(exec_, handles_.data(), end_[0]);
  const Survivors vertices(end_[0], [&](std::uint32_t v) { return handles[v] != EditArrays::removed; });
  const Survivors faces(end_[2],
                        [&](std::uint32_t f) { return corners[3 * std::size_t{f}] != EditArrays::none; });

  TriMesh mesh;
  const Array<std::byte> raw = columns_[positions].values.to_host(std::size_t{end_[0]} * sizeof(Vec3d));
  Array<Vec3d> points(vertices.ids.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    std::memcpy(&points[i], raw.data() + sizeof(Vec3d) * std::size_t{vertices.ids[i]}, sizeof(Vec3d));
  mesh.points = std::move(points);
  mesh.cells.resize(faces.ids.size());
  for (std::size_t i = 0; i < faces.ids.size(); ++i) {
    const std::uint32_t* c = corners.data() + 3 * std::size_t{faces.ids[i]};
    mesh.cells[i] = {VertexId(vertices.place[c[0]]), VertexId(vertices.place[c[1]]), VertexId(vertices.place[c[2]])};
  }
  DynamicStore next(mesh, {.exec = exec_, .memory = memory_, .with_fields = false});
  const Array<std::uint32_t> vertex_origin = next.origins_[0].to_host(next.end_[0]);
  const Array<std::uint32_t> face_origin = next.origins_[1].to_host(next.end_[2]);
  const Array<std::uint32_t> next_corners = next.corners_.to_host(3 * std::size_t{next.end_[2]});
  const Array<std::uint32_t> next_edges = next.edges_.to_host(3 * std::size_t{next.end_[2]});

  CompactionMaps maps;
  maps.vertices = make_map<tiled::VertexId>(vertices, vertex_origin);
  maps.faces = make_map<tiled::FaceId>(faces, face_origin);
  maps.edges = IdArray<tiled::EdgeId, tiled::EdgeId>(end_[1], tiled::EdgeId());
  Array<std::uint32_t> edge_origin(next.end_[1]);
  for (std::uint32_t g = 0; g < next.end_[2]; ++g) {
    const std::uint32_t f = faces.ids[face_origin[g]];
    for (std::uint32_t k = 0; k < 3; ++k) {
      const std::uint32_t h = 3 * f + k;
      const std::uint32_t v = maps.vertices[tiled::VertexId(corners[h])].index();
      std::uint32_t there = 3 * g;
      while (next_corners[there] != v) ++there;
      maps.edges[tiled::EdgeId(edges[h])] = tiled::EdgeId(next_edges[there]);
      edge_origin[next_edges[there]] = edges[h];
    }
  }

  const auto old_id = [&](Kind kind, std::uint32_t i) {
    return kind == Kind::vertex ? vertices.ids[vertex_origin[i]]
           : kind == Kind::face ? faces.ids[face_origin[i]]
                                : edge_origin[i];
  };
  const auto gather_bytes = [&](Kind kind, const std::byte* from, std::size_t width) {
    const std::uint32_t n = next.end(kind);
    Array<std::byte> to(n * width);
    for (std::uint32_t i = 0; i < n; ++i)
      std::memcpy(to.data() + i * width, from + old_id(kind, i) * width, width);
    return to;
  };
  for (StoredColumn& column : columns_) {
    if (column.values.empty()) continue;
    const auto k = static_cast<std::size_t>(column.shape.kind);
    const std::size_t width = column.shape.width;
    const Array<std::byte> old = column.values.to_host(std::size_t{end_[k]} * width);
    Buffer<std::byte> values(exec_, std::size_t{next.capacity_[k]} * width);
    values.assign(gather_bytes(column.shape.kind, old.data(), width));
    column.values = std::move(values);
  }
  for (const Kind kind : {Kind::vertex, Kind::face}) {
    const std::size_t k = kind == Kind::vertex ? 0 : 1;
    const Array<std::uint32_t> old = origins_[k].to_host(end(kind));
    Array<std::uint32_t> origin(next.end(kind));
    for (std::uint32_t i = 0; i < origin.size(); ++i) origin[i] = old[old_id(kind, i)];
    next.origins_[k].assign(origin);
  }
  end_ = next.end_;
  capacity_ = next.capacity_;
  freed_count_ = {0, 0, 0};
  freed_ = {};
  corners_ = std::move(next.corners_);
  edges_ = std::move(next.edges_);
  sides_ = std::move(next.sides_);
  handles_ = std::move(next.handles_);
  claims_ = std::move(next.claims_);
  origins_ = std::move(next.origins_);
  edge_lists = std::move(next.edge_lists);
  vertex_lists = std::move(next.vertex_lists);
  round_ = 0;
  write_tables();
  return maps;
}

}  // namespace tessera::detail
