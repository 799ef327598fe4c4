#include <tessera/surface/detail/cuda/device_surface.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <tessera/core/detail/monitor.h>
#include <tessera/exec/detail/stoppable.h>
#include <tessera/mesh/doctor.h>
#include <tessera/surface/detail/winding_rules.h>
#include <tessera/tile/detail/cuda/device_tiles.h>
#include <tessera/tile/detail/ring_rules.h>
#include <tessera/tile/links.h>
#include <tessera/surface/detail/cuda/device_rows.cuh>

namespace tessera::detail::cuda {
namespace {

using std::size_t;
using std::uint32_t;
using std::uint64_t;

using Cell = std::array<uint32_t, 3>;
using Rows32 = RowBuffers<uint32_t>;

/// Rows on the device with their owner.
KeptRows keep_rows(Rows32 rows) {
  const RowsView<uint32_t> view = {rows.offsets.data(), rows.values.data()};
  const Bytes bytes = rows.offsets.bytes() + rows.values.bytes();
  return {view, bytes, std::make_shared<const Rows32>(std::move(rows))};
}
/// Rows of one length.
KeptRows keep_values(Buffer<uint32_t> values) {
  KeptRows kept = keep_rows({{}, std::move(values)});
  kept.view.offsets = nullptr;
  return kept;
}

/// The edge between two vertices.
struct EdgeSearch {
  const uint32_t* offsets;
  const uint32_t* hi;

  [[nodiscard]] __device__ uint32_t operator()(uint32_t a, uint32_t b) const {
    return lower_bound(hi, offsets[a], offsets[a + 1], b);
  }
};

TileOptions tile_options(const SurfaceOptions& options) {
  return {.max_vertices = options.max_vertices,
          .order = options.order,
          .partition = options.partition,
          .exec = options.exec,
          .monitor = options.monitor};
}

class DeviceSurface : public SurfaceStore {
 public:
  DeviceSurface(DeviceOrder<2> order, const TriMesh* mesh, uint32_t vertices, const SurfaceOptions& options)
      : SurfaceStore(options.exec, options.memory),
        mesh_(mesh),
        options_(tile_options(options)),
        order_(std::move(order)) {
    options_.monitor = nullptr;
    vertices_ = vertices;
    faces_ = static_cast<uint32_t>(order_.cells.size());
    (void)checked_offset(uint64_t{3} * order_.cells.size());
    wind_corners();
  }
  void set_points(const Vec3f* points) { float_points_ = points; }
  void set_points(const Vec3d* points) { double_points_ = points; }

  [[nodiscard]] uint32_t edge_count() override { return static_cast<uint32_t>(edges().values.size()); }
  [[nodiscard]] std::span<const uint32_t> first_vertices() const override { return order_.first_vertices; }
  [[nodiscard]] std::span<const uint32_t> to_input(Kind kind) const override {
    if (kind == Kind::edge) return {};
    return kind == Kind::vertex ? order_.vertex_to_input.span() : order_.cell_to_input.span();
  }
  void fill_positions(Vec3f* to) const override { fill(to); }
  void fill_positions(Vec3d* to) const override { fill(to); }
  [[nodiscard]] const TriMesh* mesh() const override { return mesh_; }
  [[nodiscard]] const TiledMesh<2>& tiles() override {
    const std::lock_guard lock(mutex_);
    if (!tiles_.has_value()) tiles_ = make_tiles();
    return *tiles_;
  }

  // Not private: nvcc allows no lambdas in private functions.

  [[nodiscard]] KeptRows make(const RelationKey& key) override {
    if (key == key_of<OrientedFV>) return {{nullptr, corners()}, 0, nullptr};
    if (key == key_of<FV>) return keep_values(ascending_corners());
    if (key == key_of<VF>) return keep_rows(transpose(exec_, corners(), size_t{3} * faces_, 3, vertices_));
    if (key == key_of<EV>) return keep_values(ends());
    if (key == key_of<FE>) return keep_values(sides());
    if (key == key_of<OrientedFE>) return keep_values(oriented_sides());
    if (key == key_of<EF>) {
      const auto fe = borrow_rows(key_of<FE>);
      return keep_rows(transpose(exec_, fe->view.values, size_t{3} * faces_, 3, edge_count()));
    }
    if (key == key_of<VE>) return keep_rows(edges_of_vertices());
    if (key == key_of<VV>) return keep_rows(neighbours());
    if (key == key_of<EE>)
      return keep_rows(others<2>(borrow_rows(key_of<EV>), keep(key_of<VE>), edge_count()));
    if (key == key_of<FF>) return keep_rows(others<3>(borrow_rows(key_of<FE>), keep(key_of<EF>), faces_));
    if (key == key_of<CyclicVV>) return keep_rows(rings());
    if (key == key_of<Diamond>) return keep_values(diamonds());
    if (key == key_of<VertexLink<2>>) return keep_rows(vertex_links());
    TS_EXPECTS(key == key_of<EdgeLink<2>>);
    return keep_rows(edge_links());
  }

  [[nodiscard]] SurfaceBytes own_bytes() const override {
    return {order_.cells.bytes() + 4 * order_.first_vertices.size(),
            order_.vertex_to_input.bytes() + order_.cell_to_input.bytes(),
            edges_.offsets.bytes() + edges_.values.bytes()};
  }

  [[nodiscard]] TiledMesh<2> make_tiles() const {
    if (mesh_ == nullptr) {
      throw Error(
          ErrorCode::unsupported,
          "rows of a mesh in a device's memory are kept or not made at all; allow the surface more memory");
    }
    if (options_.partition == nullptr && options_.order != VertexOrder::lloyd)
      return tessera::tile(*mesh_, options_);
    // The tiles that the host cut: a caller's partition may be gone by now, and clustering takes long.
    // The copy is made through our own Exec: that of the buffer listens to the monitor of the building.
    Array<uint32_t> order(order_.vertex_to_input.size());
    detail::copy(exec_, order.data(), order_.vertex_to_input.data(), order_.vertex_to_input.bytes(),
                 CopyKind::to_host);
    const Partition same = {std::move(order), order_.first_vertices};
    TileOptions options = options_;
    options.partition = &same;
    return tessera::tile(*mesh_, options);
  }

  /// Cells as the input winds them, from their lowest corner on; bits for it are not needed any more.
  void wind_corners() {
    if (order_.turned.empty()) return;
    cuda::for_each(exec_, faces_,
                   [cells = order_.cells.data(), turned = order_.turned.data()] __device__(size_t f) {
                     cells[f] = wind(cells[f], (turned[f / 32] >> f % 32 & 1) != 0);
                   });
    order_.turned = {};
  }

  [[nodiscard]] const Cell* faces() const { return order_.cells.data(); }
  [[nodiscard]] const uint32_t* corners() const {
    return reinterpret_cast<const uint32_t*>(order_.cells.data());
  }

  /// Rows that are needed for others only: kept if they are already, else made for the time being.
  [[nodiscard]] std::shared_ptr<const KeptRows> borrow_rows(const RelationKey& key) {
    if (auto kept = find(key)) return kept;
    return std::make_shared<const KeptRows>(make(key));
  }

  /// The edges, numbered.
  [[nodiscard]] const Rows32& edges() {
    const std::lock_guard lock(mutex_);
    if (edges_.offsets.empty()) {
      const auto stars = borrow_rows(key_of<VF>);
      const bool are_short =
          detail::reduce(exec_, vertices_, 0u, RowLength{stars->view.offsets}, Longer{}) <= most_sorted;
      edges_ = upper_edges(exec_, faces(), faces_, vertices_, stars->view, are_short);
    }
    return edges_;
  }
  [[nodiscard]] EdgeSearch edge_search() { return {edges().offsets.data(), edges().values.data()}; }

  [[nodiscard]] Buffer<uint32_t> ascending_corners() {
    Buffer<uint32_t> values(exec_, size_t{3} * faces_);
    cuda::for_each(exec_, faces_, [faces = faces(), out = values.data()] __device__(size_t f) {
      const Cell c = ascending(faces[f]);
      for (int k = 0; k < 3; ++k) out[3 * f + k] = c[k];
    });
    return values;
  }

  [[nodiscard]] Buffer<uint32_t> ends() {
    const Rows32& rows = edges();
    Buffer<uint32_t> values(exec_, 2 * rows.values.size());
    cuda::for_each(
        exec_, vertices_,
        [offsets = rows.offsets.data(), hi = rows.values.data(), out = values.data()] __device__(size_t v) {
          for (uint32_t e = offsets[v]; e < offsets[v + 1]; ++e) {
            out[2 * size_t{e}] = static_cast<uint32_t>(v);
            out[2 * size_t{e} + 1] = hi[e];
          }
        });
    return values;
  }

  [[nodiscard]] Buffer<uint32_t> sides() {
    Buffer<uint32_t> values(exec_, size_t{3} * faces_);
    cuda::for_each(exec_, faces_,
                   [faces = faces(), edge = edge_search(), out = values.data()] __device__(size_t f) {
                     const Cell c = ascending(faces[f]);
                     out[3 * f] = edge(c[0], c[1]);
                     out[3 * f + 1] = edge(c[0], c[2]);
                     out[3 * f + 2] = edge(c[1], c[2]);
                   });
    return values;
  }

  [[nodiscard]] Buffer<uint32_t> oriented_sides() {
    const auto fe = borrow_rows(key_of<FE>);
    Buffer<uint32_t> values(exec_, size_t{3} * faces_);
    cuda::for_each(
        exec_, faces_, [faces = faces(), from = fe->view.values, out = values.data()] __device__(size_t f) {
          const Cell wound =
              wind_edges({from[3 * f], from[3 * f + 1], from[3 * f + 2]}, faces[f][2] < faces[f][1]);
          for (int k = 0; k < 3; ++k) out[3 * f + k] = wound[k];
        });
    return values;
  }

  /// Edges from lower neighbours come before the vertex's own, which follow each other.
  [[nodiscard]] Rows32 edges_of_vertices() {
    const Rows32& upper = edges();
    (void)checked_offset(uint64_t{2} * upper.values.size());
    const Rows32 lower = transpose(exec_, upper.values.data(), upper.values.size(), 1, vertices_);
    Rows32 rows{Buffer<uint32_t>(exec_, size_t{vertices_} + 1),
                Buffer<uint32_t>(exec_, 2 * upper.values.size())};
    cuda::for_each(
        exec_, size_t{vertices_} + 1,
        [n = vertices_, low = lower.offsets.data(), edge = lower.values.data(), high = upper.offsets.data(),
         offsets = rows.offsets.data(), out = rows.values.data()] __device__(size_t v) {
          uint32_t at = low[v] + high[v];
          offsets[v] = at;
          if (v == n) return;
          for (uint32_t i = low[v]; i < low[v + 1]; ++i) out[at++] = edge[i];
          for (uint32_t e = high[v]; e < high[v + 1]; ++e) out[at++] = e;
        });
    return rows;
  }

  [[nodiscard]] Rows32 neighbours() {
    const auto ve = borrow_rows(key_of<VE>);
    const auto ev = borrow_rows(key_of<EV>);
    const size_t entries = 2 * edges().values.size();
    Rows32 rows{Buffer<uint32_t>(exec_, size_t{vertices_} + 1), Buffer<uint32_t>(exec_, entries)};
    cuda::for_each(exec_, size_t{vertices_} + 1,
                   [n = vertices_, from = ve->view, ends = ev->view.values, offsets = rows.offsets.data(),
                    out = rows.values.data()] __device__(size_t v) {
                     offsets[v] = from.offsets[v];
                     if (v == n) return;
                     for (uint32_t i = from.offsets[v]; i < from.offsets[v + 1]; ++i) {
                       const uint32_t e = from.values[i];
                       out[i] = ends[2 * size_t{e}] ^ ends[2 * size_t{e} + 1] ^ static_cast<uint32_t>(v);
                     }
                   });
    return rows;
  }

  /// For each element the others around its `Width` sides, merged. Two elements share one side at most.
  template <uint32_t Width>
  [[nodiscard]] Rows32 others(const std::shared_ptr<const KeptRows>& sides,
                              const std::shared_ptr<const KeptRows>& around, uint32_t elements) {
    Buffer<uint32_t> counts(exec_, size_t{elements} + 1);
    cuda::for_each(
        exec_, size_t{elements} + 1,
        [elements, side = sides->view.values, rows = around->view, out = counts.data()] __device__(size_t i) {
          uint32_t count = 0;
          if (i < elements) {
            for (uint32_t k = 0; k < Width; ++k) count += rows.size_of(side[Width * i + k]) - 1;
          }
          out[i] = count;
        });
    Rows32 result{Buffer<uint32_t>(exec_, size_t{elements} + 1), {}};
    (void)checked_offset(reduce_sum_of(counts));
    exclusive_scan<uint32_t, uint32_t>(exec_, std::as_const(counts).span(), result.offsets.span());
    result.values = Buffer<uint32_t>(exec_, last_of(exec_, result.offsets));
    cuda::for_each(exec_, elements,
                   [side = sides->view.values, rows = around->view, offsets = result.offsets.data(),
                    out = result.values.data()] __device__(size_t i) {
                     uint32_t at[Width];
                     uint32_t end[Width];
                     for (uint32_t k = 0; k < Width; ++k) {
                       at[k] = rows.offsets[side[Width * i + k]];
                       end[k] = rows.offsets[side[Width * i + k] + 1];
                     }
                     for (uint32_t to = offsets[i]; to < offsets[i + 1];) {
                       uint32_t least = no_vertex;
                       for (uint32_t k = 0; k < Width; ++k) {
                         if (at[k] < end[k] && rows.values[at[k]] == i) ++at[k];
                         if (at[k] < end[k]) least = min(least, rows.values[at[k]]);
                       }
                       for (uint32_t k = 0; k < Width; ++k) {
                         if (at[k] < end[k] && rows.values[at[k]] == least) ++at[k];
                       }
                       out[to++] = least;
                     }
                   });
    return result;
  }
  [[nodiscard]] uint64_t reduce_sum_of(const Buffer<uint32_t>& counts) {
    return detail::reduce(exec_, counts.size(), uint64_t{0}, WideCount{counts.data()}, AddCounts{});
  }

  /// Rings around vertices, from their neighbours and faces (ring_rules.h).
  [[nodiscard]] Rows32 rings() {
    const auto vv = borrow_rows(key_of<VV>);
    const auto vf = borrow_rows(key_of<VF>);
    Buffer<uint32_t> next(exec_, 2 * edges().values.size());
    Buffer<uint32_t> first(exec_, vertices_);
    Buffer<uint32_t> counts(exec_, size_t{vertices_} + 1);
    cuda::for_each(exec_, size_t{vertices_} + 1,
                   [n = vertices_, faces = faces(), around = vv->view, star = vf->view, next = next.data(),
                    first = first.data(), counts = counts.data()] __device__(size_t v) {
                     uint32_t count = 0;
                     if (v < n) {
                       const uint32_t begin = around.offsets[v];
                       const uint32_t size = around.size_of(v);
                       for (uint32_t k = 0; k < size; ++k) next[begin + k] = ring_end;
                       uint32_t arcs = 0;
                       for (uint32_t at = star.offsets[v]; at < star.offsets[v + 1]; ++at) {
                         const auto arc = arc_around(faces[star.values[at]], static_cast<uint32_t>(v));
                         const uint32_t from =
                             lower_bound(around.values, begin, begin + size, arc[0]) - begin;
                         const uint32_t to = lower_bound(around.values, begin, begin + size, arc[1]) - begin;
                         add_to_ring(next + begin, from, to, arcs);
                       }
                       first[v] = find_ring(next + begin, size, arcs);
                       count = first[v] != ring_end ? size : 0;
                     }
                     counts[v] = count;
                   });
    Rows32 rows{Buffer<uint32_t>(exec_, size_t{vertices_} + 1), {}};
    exclusive_scan<uint32_t, uint32_t>(exec_, std::as_const(counts).span(), rows.offsets.span());
    rows.values = Buffer<uint32_t>(exec_, last_of(exec_, rows.offsets));
    cuda::for_each(exec_, vertices_,
                   [around = vv->view, next = next.data(), first = first.data(),
                    offsets = rows.offsets.data(), out = rows.values.data()] __device__(size_t v) {
                     uint32_t at = first[v];
                     for (uint32_t to = offsets[v]; to < offsets[v + 1]; ++to) {
                       out[to] = around.values[around.offsets[v] + at];
                       at = next[around.offsets[v] + at];
                     }
                   });
    return rows;
  }

  [[nodiscard]] Buffer<uint32_t> diamonds() {
    const auto ev = borrow_rows(key_of<EV>);
    const auto ef = borrow_rows(key_of<EF>);
    Buffer<uint32_t> values(exec_, size_t{4} * edge_count());
    cuda::for_each(exec_, edge_count(),
                   [faces = faces(), ends = ev->view.values, around = ef->view,
                    out = values.data()] __device__(size_t e) {
                     const auto diamond = find_diamond({ends[2 * e], ends[2 * e + 1]}, around[e],
                                                       [&](uint32_t f) { return faces[f]; });
                     for (int k = 0; k < 4; ++k) out[4 * e + k] = diamond[k];
                   });
    return values;
  }

  /// What lies opposite an element in each of the faces around it.
  [[nodiscard]] Rows32 vertex_links() {
    const auto vf = borrow_rows(key_of<VF>);
    Rows32 rows{Buffer<uint32_t>(exec_, size_t{vertices_} + 1), Buffer<uint32_t>(exec_, size_t{3} * faces_)};
    cuda::for_each(exec_, size_t{vertices_} + 1,
                   [n = vertices_, faces = faces(), star = vf->view, edge = edge_search(),
                    offsets = rows.offsets.data(), out = rows.values.data()] __device__(size_t v) {
                     offsets[v] = star.offsets[v];
                     if (v == n) return;
                     for (uint32_t i = star.offsets[v]; i < star.offsets[v + 1]; ++i) {
                       const Cell c = ascending(faces[star.values[i]]);
                       out[i] = edge(c[0] == v ? c[1] : c[0], c[2] == v ? c[1] : c[2]);
                     }
                   });
    return rows;
  }
  [[nodiscard]] Rows32 edge_links() {
    const auto ev = borrow_rows(key_of<EV>);
    const auto ef = borrow_rows(key_of<EF>);
    const uint32_t n = edge_count();
    Rows32 rows{Buffer<uint32_t>(exec_, size_t{n} + 1), Buffer<uint32_t>(exec_, size_t{3} * faces_)};
    cuda::for_each(exec_, size_t{n} + 1,
                   [n, faces = faces(), ends = ev->view.values, around = ef->view,
                    offsets = rows.offsets.data(), out = rows.values.data()] __device__(size_t e) {
                     offsets[e] = around.offsets[e];
                     if (e == n) return;
                     for (uint32_t i = around.offsets[e]; i < around.offsets[e + 1]; ++i) {
                       const Cell c = faces[around.values[i]];
                       out[i] = c[0] ^ c[1] ^ c[2] ^ ends[2 * e] ^ ends[2 * e + 1];
                     }
                   });
    return rows;
  }

  template <class Real>
  void fill(Vec3<Real>* to) const {
    if (vertices_ == 0) return;
    if (float_points_ != nullptr) return gather_points(float_points_, to);
    if (double_points_ != nullptr) return gather_points(double_points_, to);
    mesh_->points.visit([&](auto points) {
      const Buffer<std::remove_const_t<typename decltype(points)::element_type>> there(exec_, points);
      gather_points(there.data(), to);
    });
  }
  template <class Point, class Real>
  void gather_points(const Point* from, Vec3<Real>* to) const {
    cuda::for_each(exec_, vertices_, [from, to, input = order_.vertex_to_input.data()] __device__(size_t v) {
      const Point p = from[input != nullptr ? input[v] : v];
      to[v] = {static_cast<Real>(p.x), static_cast<Real>(p.y), static_cast<Real>(p.z)};
    });
  }

 private:
  const TriMesh* mesh_;
  const Vec3f* float_points_ = nullptr;  ///< of a mesh on the device
  const Vec3d* double_points_ = nullptr;
  TileOptions options_;
  DeviceOrder<2> order_;
  std::optional<TiledMesh<2>> tiles_;  ///< where rows are not kept
  Rows32 edges_;                       ///< by vertex the higher ends of its edges
};

/// The order of tiles that the host has cut.
DeviceOrder<2> copy_order(const Exec& exec, const TiledMesh<2>& tiles) {
  DeviceOrder<2> order;
  order.cells = Buffer<Cell>(
      exec, std::span(reinterpret_cast<const Cell*>(tiles.cells().data()), tiles.cells().size()));
  if (!tiles.turned().empty()) order.turned = Buffer<uint32_t>(exec, tiles.turned());
  if (!tiles.keeps_vertex_order()) order.vertex_to_input = Buffer<uint32_t>(exec, tiles.vertices_to_input());
  if (!tiles.keeps_cell_order()) order.cell_to_input = Buffer<uint32_t>(exec, tiles.cells_to_input());
  order.first_vertices.assign(tiles.first_vertices().begin(), tiles.first_vertices().end());
  return order;
}

DeviceOrder<2> order_on_host(const TriMesh& mesh, const SurfaceOptions& options) {
  TileOptions on_host = tile_options(options);
  on_host.exec = Exec::host(options.exec.threads());
  return copy_order(options.exec, tessera::tile(mesh, on_host));
}

/// As many values in each field as there are elements, and no more of these than ids can name.
bool has_sound_sizes(const TriMesh& mesh) {
  const auto all_have = [](const auto& fields, size_t count) {
    return std::ranges::all_of(fields, [&](const Field& field) { return field.size() == count; });
  };
  return mesh.vertex_count() < VertexId::invalid_index && mesh.cell_count() < FaceId::invalid_index &&
         all_have(mesh.point_data, mesh.vertex_count()) && all_have(mesh.cell_data, mesh.cell_count());
}

/// Or nothing, if something is wrong with it.
std::optional<DeviceOrder<2>> order_on_device(const TriMesh& mesh, const SurfaceOptions& options) {
  const Exec& exec = options.exec;
  Buffer<Cell> cells(exec, std::span(reinterpret_cast<const Cell*>(mesh.cells.data()), mesh.cells.size()));
  return mesh.points.visit([&](auto points) {
    const Buffer<std::remove_const_t<typename decltype(points)::element_type>> there(exec, points);
    return find_order<2>(there.span(), std::move(cells), tile_options(options));
  });
}

}  // namespace

std::shared_ptr<SurfaceStore> make_device_surface(const TriMesh& mesh, const SurfaceOptions& given) {
  SurfaceOptions options = given;
  options.exec = stoppable(given.exec, given.monitor);
  const Monitor& monitor = monitor_of(options.monitor);
  monitor.update("ordering the surface", 0);
  std::optional<DeviceOrder<2>> order;
  if (options.partition == nullptr && options.order != VertexOrder::lloyd && has_sound_sizes(mesh))
    order = order_on_device(mesh, options);
  if (!order.has_value()) order = order_on_host(mesh, options);  // which says what is wrong
  options.exec = given.exec;
  auto store = std::make_shared<DeviceSurface>(std::move(*order), &mesh,
                                               static_cast<uint32_t>(mesh.vertex_count()), options);
  monitor.update("ordering the surface", 1);
  return store;
}

template <class Real>
std::shared_ptr<SurfaceStore> make_device_surface(const ResidentMesh<2, Real>& mesh,
                                                  const SurfaceOptions& options) {
  const Exec& exec = options.exec;
  Buffer<Cell> cells(exec, mesh.cells.size());
  detail::copy(exec, cells.data(), mesh.cells.data(), mesh.cells.size_bytes(), CopyKind::on_device);
  auto order = find_order<2>(mesh.points, std::move(cells), tile_options(options));
  if (!order.has_value()) {
    TriMesh on_host;  // which says what is wrong
    Array<Vec3<Real>> points(mesh.points.size());
    detail::copy(exec, points.data(), mesh.points.data(), mesh.points.size_bytes(), CopyKind::to_host);
    on_host.points = std::move(points);
    on_host.cells.resize(mesh.cells.size());
    detail::copy(exec, on_host.cells.data(), mesh.cells.data(), mesh.cells.size_bytes(), CopyKind::to_host);
    order = order_on_host(on_host, options);
  }
  auto store = std::make_shared<DeviceSurface>(std::move(*order), nullptr,
                                               static_cast<uint32_t>(mesh.points.size()), options);
  store->set_points(mesh.points.data());
  return store;
}
template std::shared_ptr<SurfaceStore> make_device_surface<float>(const ResidentMesh<2, float>&,
                                                                  const SurfaceOptions&);
template std::shared_ptr<SurfaceStore> make_device_surface<double>(const ResidentMesh<2, double>&,
                                                                   const SurfaceOptions&);

}  // namespace tessera::detail::cuda
