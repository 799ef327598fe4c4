// Coarsening on a device: key-reduce by the nearer end of each vertex's edge, then of triangles by their
// vertices.
#include <tessera/generate/detail/coarsen/cuda/coarsen.h>

#include <type_traits>
#include <utility>

#include <tessera/generate/detail/weld/triangle_order.h>
#include <tessera/generate/detail/common/blend.cuh>
#include <tessera/generate/detail/common/cuda/corners.cuh>
#include <tessera/generate/detail/keys/cuda/atomics.cuh>
#include <tessera/generate/key_reduce.cuh>

namespace tessera::detail::cuda {
namespace {

struct NearerEnd {
  const std::array<std::uint64_t, 2>* edges;
  const double* weights;
  std::uint64_t* keys;
  TS_HD void operator()(std::size_t v) const { keys[v] = edges[v][weights[v] > 0.5 ? 1 : 0]; }
};

Buffer<std::uint64_t> keys_of(const Provenance& provenance, const Exec& exec) {
  using Edge = std::array<std::uint64_t, 2>;
  const Buffer<Edge> edges(exec, std::span<const Edge>(provenance.edges));
  const Buffer<double> weights(exec, std::span<const double>(provenance.weights));
  Buffer<std::uint64_t> keys(exec, edges.size());
  tessera::for_each(exec, keys.size(), NearerEnd{edges.data(), weights.data(), keys.data()});
  return keys;
}

struct LowPair {
  const TriMesh::Cell* cells;
  std::uint64_t vertices;
  std::uint64_t* keys;
  TS_HD void operator()(std::size_t t) const {
    TriMesh::Cell sorted = cells[t];
    (void)sort_vertices(sorted);
    keys[t] = pair_key(sorted[0], sorted[1], vertices);
  }
};
struct PairAndHigh {
  const TriMesh::Cell* cells;
  const VertexId* pairs;
  std::uint64_t vertices;
  std::uint64_t* keys;
  TS_HD void operator()(std::size_t t) const {
    TriMesh::Cell sorted = cells[t];
    (void)sort_vertices(sorted);
    keys[t] = pairs[t].index() * vertices + sorted[2].index();
  }
};
/// Of triangles with the same vertices none stays if their number is even, else the first of those that most
/// are turned like.
struct MarkFolded {
  RowsView<std::uint32_t> same;
  const TriMesh::Cell* cells;
  std::uint8_t* is_folded;

  [[nodiscard]] TS_HD bool turns_up(std::uint32_t t) const {
    TriMesh::Cell sorted = cells[t];
    return sort_vertices(sorted);
  }
  TS_HD void operator()(std::size_t group) const {
    const std::span<const std::uint32_t> row = same[group];
    std::size_t up = 0;
    for (const std::uint32_t t : row) up += turns_up(t) ? 1 : 0;
    bool is_left = row.size() % 2 == 0;  // nothing to be found
    for (const std::uint32_t t : row) {
      const bool stays = !is_left && turns_up(t) == (2 * up > row.size());
      is_folded[t] = stays ? 0 : 1;
      is_left = is_left || stays;
    }
  }
};

/// Marks the triangles that fold onto each other: they are grouped by their two lowest vertices, then by that
/// pair and the third.
Buffer<std::uint8_t> find_folded(const Exec& exec, const Buffer<TriMesh::Cell>& cells, std::size_t vertices) {
  Buffer<std::uint64_t> keys(exec, cells.size());
  Buffer<VertexId> groups(exec, cells.size());
  tessera::for_each(exec, cells.size(), LowPair{cells.data(), vertices, keys.data()});
  (void)fill_connections(exec, std::as_const(keys).span(), groups.span());
  tessera::for_each(exec, cells.size(), PairAndHigh{cells.data(), groups.data(), vertices, keys.data()});
  const std::size_t count = fill_connections(exec, std::as_const(keys).span(), groups.span()).size();
  const RowBuffers<std::uint32_t> same = group_items(exec, std::as_const(groups).span(), count);
  Buffer<std::uint8_t> is_folded(exec, cells.size());
  tessera::for_each(exec, count, MarkFolded{same.view(), cells.data(), is_folded.data()});
  return is_folded;
}

struct MarkUsed {
  const TriMesh::Cell* cells;
  std::uint8_t* is_used;
  TS_HD void operator()(std::size_t t) const {
    for (std::size_t c = 0; c < 3; ++c) put(is_used + cells[t][c].index(), 1);
  }
};
struct PlaceUsed {
  const std::uint32_t* used;
  VertexId* place;
  TS_HD void operator()(std::size_t v) const { place[used[v]] = VertexId(static_cast<std::uint32_t>(v)); }
};
struct Rename {
  const VertexId* place;
  VertexId* vertices;
  TS_HD void operator()(std::size_t i) const { vertices[i] = place[vertices[i].index()]; }
};

/// The averages of the groups that are used.
struct UsedRule {
  AverageRule average;
  const std::uint32_t* used;

  template <class Take>
  TS_HD void operator()(std::size_t output, const Take& take) const {
    average(used[output], take);
  }
};

}  // namespace

Coarsened coarsen(const TriMesh& surface, const Provenance& provenance, const Exec& exec) {
  const Buffer<std::uint64_t> keys = keys_of(provenance, exec);
  Buffer<VertexId> vertices(exec, keys.size());
  const std::size_t joined = fill_connections(exec, keys.span(), vertices.span()).size();
  const RowBuffers<std::uint32_t> members = group_items(exec, std::as_const(vertices).span(), joined);

  Coarsened result;
  TriMesh& mesh = result.mesh;
  const Reconnected<3> all(exec, surface.cells, vertices);
  result.dropped = places_of(exec, all.is_dropped, 1).to_host();
  const Buffer<std::uint32_t> kept = places_of(exec, all.is_dropped, 0);
  const Buffer<TriMesh::Cell> proper = gathered(exec, all.cells.data(), kept.span());
  const Buffer<std::uint8_t> is_folded = find_folded(exec, proper, joined);
  result.folded = gathered(exec, kept.data(), places_of(exec, is_folded, 1).span()).to_host();
  const Buffer<std::uint32_t> flat = places_of(exec, is_folded, 0);
  Buffer<TriMesh::Cell> cells = gathered(exec, proper.data(), flat.span());
  mesh.cell_data = surface.cell_data.gather(gathered(exec, kept.data(), flat.span()).to_host());
  mesh.field_data = surface.field_data;

  auto is_used = filled<std::uint8_t>(exec, joined, 0);
  tessera::for_each(exec, cells.size(), MarkUsed{cells.data(), is_used.data()});
  const Buffer<std::uint32_t> used = places_of(exec, is_used, 1);
  result.isolated = joined - used.size();
  auto place = filled(exec, joined, VertexId());
  tessera::for_each(exec, used.size(), PlaceUsed{used.data(), place.data()});
  tessera::for_each(exec, vertices.size(), Rename{place.data(), vertices.data()});
  tessera::for_each(exec, 3 * cells.size(), Rename{place.data(), reinterpret_cast<VertexId*>(cells.data())});
  mesh.cells = cells.to_host();
  result.vertices = vertices.to_host();

  const UsedRule rule{{members.view()}, used.data()};
  surface.points.visit([&](auto values) {
    using Vector = std::remove_const_t<typename decltype(values)::element_type>;
    const Buffer<Vector> points(exec, values);
    mesh.points = Points(cuda::blend(exec, points.data(), used.size(), rule).to_host());
  });
  mesh.point_data = cuda::blend(exec, surface.point_data, used.size(), rule);
  return result;
}

}  // namespace tessera::detail::cuda
