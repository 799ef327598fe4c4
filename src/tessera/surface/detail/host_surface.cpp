// A surface on host threads: its rows are those of the tiled mesh, materialized.
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/exec/detail/host/walk.h>
#include <tessera/exec/for_each.h>
#include <tessera/surface/detail/surface_store.h>
#include <tessera/surface/detail/winding_rules.h>
#include <tessera/tile/detail/ring_rules.h>
#include <tessera/tile/links.h>
#include <tessera/tile/materialize.h>

namespace tessera::detail {
namespace {

using std::size_t;
using std::uint32_t;
using std::uint8_t;

using Corners = std::array<uint32_t, 3>;

template <class Owner>
KeptRows owned_rows(Owner&& owner, const uint32_t* offsets, const uint32_t* values, Bytes bytes) {
  return {{offsets, values}, bytes, std::make_shared<const std::decay_t<Owner>>(std::forward<Owner>(owner))};
}

KeptRows keep_values(Array<uint32_t> values) {
  const uint32_t* data = values.data();
  const Bytes bytes = values.size() * sizeof(uint32_t);
  return owned_rows(std::move(values), nullptr, data, bytes);
}

template <class R>
KeptRows keep_csr(TiledCsr<R> csr) {
  static_assert(sizeof(csr.values[0]) == sizeof(uint32_t));
  const auto* values = reinterpret_cast<const uint32_t*>(csr.values.data());
  const uint32_t* offsets = csr.offsets.data();
  const Bytes bytes = csr.bytes();
  return owned_rows(std::move(csr), offsets, values, bytes);
}

class HostSurface : public SurfaceStore {
 public:
  HostSurface(const TriMesh& mesh, const SurfaceOptions& options)
      : SurfaceStore(options.exec, options.memory),
        mesh_(mesh),
        tiles_(tile(mesh, {.max_vertices = options.max_vertices,
                           .order = options.order,
                           .partition = options.partition,
                           .exec = options.exec,
                           .monitor = options.monitor})) {
    vertices_ = static_cast<uint32_t>(tiles_.vertex_count());
    faces_ = static_cast<uint32_t>(tiles_.cell_count());
  }

  [[nodiscard]] uint32_t edge_count() override { return static_cast<uint32_t>(enumeration().edge_count()); }
  [[nodiscard]] std::span<const uint32_t> first_vertices() const override { return tiles_.first_vertices(); }
  [[nodiscard]] std::span<const uint32_t> to_input(Kind kind) const override {
    if (kind == Kind::edge) return {};
    return kind == Kind::vertex ? tiles_.vertices_to_input() : tiles_.cells_to_input();
  }
  void fill_positions(Vec3f* to) const override { fill(to); }
  void fill_positions(Vec3d* to) const override { fill(to); }
  [[nodiscard]] const TriMesh* mesh() const override { return &mesh_; }
  [[nodiscard]] const TiledMesh<2>& tiles() override { return tiles_; }

 protected:
  [[nodiscard]] KeptRows make(const RelationKey& key) override {
    if (key == key_of<FV>) return {{nullptr, corners_of_faces()}, 0, nullptr};
    if (key == key_of<OrientedFV>) return keep_values(oriented_corners());
    if (key == key_of<OrientedFE>) return keep_values(oriented_edges());
    if (key == key_of<Diamond>) return keep_values(diamonds());
    if (key == key_of<CyclicVV>) return keep_csr<CyclicVV>(rings());
    std::optional<KeptRows> made;
    for_each_relation<2>([&]<class R>(R, std::string_view) {
      if (key == key_of<R>) made = materialized<R>();
    });
    if (key == key_of<VertexLink<2>>) made = links<VertexLink<2>>();
    if (key == key_of<EdgeLink<2>>) made = links<EdgeLink<2>>();
    TS_EXPECTS(made.has_value());
    return *made;
  }

  [[nodiscard]] SurfaceBytes own_bytes() const override {
    const Bytes ids = 4 * Bytes{tiles_.vertices_to_input().size() * 2 + tiles_.cells_to_input().size()};
    return {tiles_.bytes() - ids, ids, enumeration_.has_value() ? enumeration_->bytes() : 0};
  }

 private:
  [[nodiscard]] const uint32_t* corners_of_faces() const {
    return reinterpret_cast<const uint32_t*>(tiles_.cells().data());
  }
  [[nodiscard]] const Enumeration<2>& enumeration() {
    const std::lock_guard lock(mutex_);
    if (!enumeration_.has_value()) enumeration_ = Enumeration<2>::make_explicit(tiles_, exec_);
    return *enumeration_;
  }

  template <class R>
  [[nodiscard]] KeptRows materialized() {
    if constexpr (needs_enumeration<R, 2>) (void)enumeration();
    static const Enumeration<2> none;
    TiledCsr<R> csr =
        materialize<R>(tiles_, enumeration_.has_value() ? *enumeration_ : none, {.exec = exec_});
    if constexpr (R::is_boundary) {
      Array<uint32_t> values(csr.values.size());
      host_for_each(exec_, values.size(), [&](size_t i) { values[i] = csr.values[i].index(); });
      return keep_values(std::move(values));
    } else {
      return keep_csr<R>(std::move(csr));
    }
  }

  template <class L>
  [[nodiscard]] KeptRows links() {
    return keep_csr<L>(materialize_links<L>(tiles_, enumeration(), {.exec = exec_}));
  }

  /// The neighbours of each vertex in the order of its ring; none where there is no ring.
  [[nodiscard]] TiledCsr<CyclicVV> rings() {
    const auto neighbours = keep(key_of<VV>);
    const auto faces = keep(key_of<VF>);
    const RowsView<uint32_t> vv = neighbours->view;
    TiledCsr<CyclicVV> csr;
    csr.offsets.assign(vv.offsets, vv.offsets + vertices_ + 1);
    csr.values.resize(csr.offsets[vertices_]);
    Array<uint8_t> is_missing(vertices_);
    host::for_each_chunk(exec_.threads(), vertices_, 1024, [&](host::Range range, int) {
      std::vector<uint32_t> next;
      for (size_t v = range.begin; v < range.end; ++v)
        is_missing[v] = fill_ring(v, vv[v], faces->view[v], next, csr.values.data() + vv.offsets[v]) ? 0 : 1;
    });
    if (std::ranges::find(is_missing, 1) != is_missing.end()) drop_rows(is_missing, csr);
    return csr;
  }

  /// Writes the ring of a vertex; false if it has none. `next` is scratch.
  bool fill_ring(size_t v, std::span<const uint32_t> neighbours, std::span<const uint32_t> faces,
                 std::vector<uint32_t>& next, tiled::VertexId* to) const {
    const auto rank = [&](uint32_t id) {
      const auto place = neighbours.size() < 16 ? std::ranges::find(neighbours, id)
                                                : std::ranges::lower_bound(neighbours, id);
      return static_cast<uint32_t>(place - neighbours.begin());
    };
    const auto size = static_cast<uint32_t>(neighbours.size());
    next.assign(size, ring_end);
    uint32_t arcs = 0;
    for (const uint32_t f : faces) {
      const auto [from, target] = arc_around(oriented(f), static_cast<uint32_t>(v));
      add_to_ring(next.data(), rank(from), rank(target), arcs);
    }
    uint32_t at = find_ring(next.data(), size, arcs);
    if (at == ring_end) return size == 0;
    for (uint32_t k = 0; k < size; ++k, at = next[at]) to[k] = tiled::VertexId(neighbours[at]);
    return true;
  }

  /// Empties the marked rows.
  void drop_rows(std::span<const uint8_t> is_marked, TiledCsr<CyclicVV>& csr) const {
    uint32_t end = 0;
    uint32_t begin = 0;
    for (size_t v = 0; v < is_marked.size(); ++v) {
      const uint32_t next = csr.offsets[v + 1];
      if (is_marked[v] == 0) {
        std::copy(csr.values.begin() + begin, csr.values.begin() + next, csr.values.begin() + end);
        end += next - begin;
      }
      csr.offsets[v + 1] = end;
      begin = next;
    }
    csr.values.resize(end);
    csr.values.shrink_to_fit();
  }

  [[nodiscard]] Array<uint32_t> oriented_corners() const {
    Array<uint32_t> values(size_t{3} * faces_);
    host_for_each(exec_, faces_, [&](size_t f) {
      const Corners corners = oriented(static_cast<uint32_t>(f));
      std::ranges::copy(corners, values.begin() + static_cast<std::ptrdiff_t>(3 * f));
    });
    return values;
  }
  [[nodiscard]] Corners oriented(uint32_t f) const {
    const auto& cell = tiles_.cells()[f];
    return wind({cell[0].index(), cell[1].index(), cell[2].index()}, tiles_.is_turned(tiled::FaceId(f)));
  }

  [[nodiscard]] Array<uint32_t> oriented_edges() {
    const auto edges = keep(key_of<FE>);
    Array<uint32_t> values(size_t{3} * faces_);
    host_for_each(exec_, faces_, [&](size_t f) {
      const uint32_t* row = edges->view.values + 3 * f;
      const Corners wound =
          wind_edges({row[0], row[1], row[2]}, tiles_.is_turned(tiled::FaceId(static_cast<uint32_t>(f))));
      std::ranges::copy(wound, values.begin() + static_cast<std::ptrdiff_t>(3 * f));
    });
    return values;
  }

  [[nodiscard]] Array<uint32_t> diamonds() {
    const auto ends = keep(key_of<EV>);
    const auto faces = keep(key_of<EF>);
    Array<uint32_t> values(size_t{4} * edge_count());
    host_for_each(exec_, edge_count(), [&](size_t e) {
      const uint32_t* edge = ends->view.values + 2 * e;
      const auto diamond =
          find_diamond({edge[0], edge[1]}, faces->view[e], [&](uint32_t f) { return oriented(f); });
      std::ranges::copy(diamond, values.begin() + static_cast<std::ptrdiff_t>(4 * e));
    });
    return values;
  }

  template <class Real>
  void fill(Vec3<Real>* to) const {
    mesh_.points.visit([&](auto points) {
      host_for_each(exec_, vertices_, [&](size_t v) {
        const VertexId input = tiles_.input(tiled::VertexId(static_cast<uint32_t>(v)));
        to[v] = vec_cast<Real>(points[input.index()]);
      });
    });
  }

  const TriMesh& mesh_;
  TiledMesh<2> tiles_;
  std::optional<Enumeration<2>> enumeration_;
};

}  // namespace

std::shared_ptr<SurfaceStore> make_host_surface(const TriMesh& mesh, const SurfaceOptions& options) {
  return std::make_shared<HostSurface>(mesh, options);
}

}  // namespace tessera::detail
