// Subdivision on a device: edges are keyed by pair_key() and grouped by key-reduce, which numbers them as the
// host does; cells and vertices follow the rules of both sides (subdivide_rules.h).
#include <tessera/generate/detail/refine/cuda/subdivide.h>

#include <span>
#include <type_traits>
#include <utility>

#include <tessera/generate/detail/common/checks.h>
#include <tessera/generate/detail/refine/subdivide_rules.h>
#include <tessera/generate/resident.h>
#include <tessera/exec/buffers.cuh>
#include <tessera/exec/detail/reduce.cuh>
#include <tessera/generate/detail/common/blend.cuh>
#include <tessera/generate/detail/common/cuda/corners.cuh>
#include <tessera/generate/key_reduce.cuh>

namespace tessera {

using namespace detail;

namespace {

using refine::edges_of;
using refine::parts_of;

template <int Dim>
struct EdgeKey {
  const typename SimplexMesh<Dim>::Cell* cells;
  std::uint64_t vertices;
  std::uint64_t* keys;
  TS_HD void operator()(std::size_t item) const {
    const PairKey pair = refine::edge_of<Dim>(cells, item);
    keys[item] = pair[0] * vertices + pair[1];
  }
};
struct EndsOfKey {
  const std::uint64_t* keys;
  std::uint64_t vertices;
  PairKey* ends;
  TS_HD void operator()(std::size_t edge) const {
    ends[edge] = {static_cast<std::uint32_t>(keys[edge] / vertices),
                  static_cast<std::uint32_t>(keys[edge] % vertices)};
  }
};

/// The edges of a mesh's cells.
struct DeviceEdges {
  Buffer<PairKey> ends;          ///< of each edge, ascending
  Buffer<VertexId> connections;  ///< for each edge of each cell

  template <int Dim>
  static DeviceEdges of(const Exec& exec, std::span<const typename SimplexMesh<Dim>::Cell> cells,
                        std::size_t vertices) {
    DeviceEdges edges;
    edges.connections = Buffer<VertexId>(exec, cells.size() * edges_of<Dim>);
    Buffer<std::uint64_t> keys(exec, edges.connections.size());
    for_each(exec, keys.size(), EdgeKey<Dim>{cells.data(), vertices, keys.data()});
    const Buffer<std::uint64_t> found =
        fill_connections(exec, std::as_const(keys).span(), edges.connections.span());
    edges.ends = Buffer<PairKey>(exec, found.size());
    for_each(exec, found.size(), EndsOfKey{found.data(), vertices, edges.ends.data()});
    return edges;
  }
};

struct NeighbourCount {
  RowsView<std::uint32_t> around;
  TS_HD std::uint32_t operator()(std::size_t v) const { return around.size_of(v); }
};
struct Larger {
  TS_HD std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a < b ? b : a; }
};

/// What Loop's rule reads.
struct DeviceLoopRows {
  RowBuffers<std::uint32_t> triangles;
  RowBuffers<std::uint32_t> around;
  Buffer<double> weights;

  DeviceLoopRows(const Exec& exec, const DeviceEdges& edges, std::size_t vertices)
      : triangles(group_items(exec, edges.connections.span(), edges.ends.size())),
        around(group_items(exec, ends_of(edges), vertices)) {
    const auto most = reduce<std::uint32_t>(exec, vertices, 0u, NeighbourCount{around.view()}, Larger{});
    Array<double> table(most + std::size_t{1});
    for (std::size_t n = 0; n < table.size(); ++n) table[n] = refine::loop_weight(n);
    weights = Buffer<double>(exec, std::span<const double>(table));
  }
  [[nodiscard]] refine::LoopRule rule(const DeviceEdges& edges, std::span<const TriMesh::Cell> cells,
                                      std::size_t vertices) const {
    return {vertices, cells.data(), edges.ends.data(), triangles.view(), around.view(), weights.data()};
  }

 private:
  static std::span<const VertexId> ends_of(const DeviceEdges& edges) {
    static_assert(sizeof(PairKey) == 2 * sizeof(VertexId));
    return {reinterpret_cast<const VertexId*>(edges.ends.data()), 2 * edges.ends.size()};
  }
};

/// Makes the finer mesh; use(edges, vertices, rule) may take more by the same rule.
template <int Dim, class Real, class Use>
MeshBuffers<Dim, Real> refine_resident(const Exec& exec, const ResidentMesh<Dim, Real>& mesh,
                                       SubdivisionScheme scheme, const Use& use) {
  using Cell = typename SimplexMesh<Dim>::Cell;
  TS_EXPECTS(Dim == 2 || scheme == SubdivisionScheme::linear);
  expect_ids(static_cast<double>(mesh.cells.size()) * parts_of<Dim>, Dim == 2 ? "triangles" : "tetrahedra");
  cuda::expect_corners(exec, mesh.cells, mesh.points.size());
  const std::size_t before = mesh.points.size();
  const DeviceEdges edges = DeviceEdges::of<Dim>(exec, mesh.cells, before);
  const std::size_t vertices = before + edges.ends.size();
  expect_ids(static_cast<double>(vertices), "points");
  MeshBuffers<Dim, Real> finer;
  const auto take_points = [&](const auto& rule) {
    finer.points = cuda::blend(exec, mesh.points.data(), vertices, rule);
    use(edges, vertices, rule);
  };
  if (scheme == SubdivisionScheme::linear) take_points(refine::LinearRule{before, edges.ends.data()});
  if constexpr (Dim == 2) {
    if (scheme == SubdivisionScheme::loop) {
      const DeviceLoopRows rows(exec, edges, before);
      take_points(rows.rule(edges, mesh.cells, before));
    }
  }
  finer.cells = Buffer<Cell>(exec, mesh.cells.size() * parts_of<Dim>);
  for_each(exec, mesh.cells.size(),
           refine::CutCell<Dim, Vec3<Real>>{mesh.cells.data(), mesh.points.data(), edges.connections.data(),
                                            static_cast<std::uint32_t>(before), finer.cells.data()});
  return finer;
}

}  // namespace

template <int Dim, class Real>
MeshBuffers<Dim, Real> resident_subdivide(const Exec& exec, const ResidentMesh<Dim, Real>& mesh,
                                          SubdivisionScheme scheme) {
  return refine_resident(exec, mesh, scheme, [](const DeviceEdges&, std::size_t, const auto&) {});
}

template <int Dim>
SimplexMesh<Dim> detail::cuda::refine(const SimplexMesh<Dim>& mesh, SubdivisionScheme scheme,
                                      Array<PairKey>* ends, const Exec& exec) {
  using Cell = typename SimplexMesh<Dim>::Cell;
  SimplexMesh<Dim> finer;
  const Buffer<Cell> cells(exec, std::span<const Cell>(mesh.cells));
  mesh.points.visit([&](auto values) {
    using Vector = std::remove_const_t<typename decltype(values)::element_type>;
    using Real = decltype(Vector::x);
    const Buffer<Vector> points(exec, values);
    const ResidentMesh<Dim, Real> resident{points.span(), cells.span()};
    const auto made = refine_resident(exec, resident, scheme,
                                      [&](const DeviceEdges& edges, std::size_t vertices, const auto& rule) {
                                        finer.point_data = cuda::blend(exec, mesh.point_data, vertices, rule);
                                        if (ends != nullptr) *ends = edges.ends.to_host();
                                      });
    finer.points = Points(made.points.to_host());
    finer.cells = made.cells.to_host();
  });
  return finer;
}

template TriMesh detail::cuda::refine(const TriMesh&, SubdivisionScheme, Array<PairKey>*, const Exec&);
template TetMesh detail::cuda::refine(const TetMesh&, SubdivisionScheme, Array<PairKey>*, const Exec&);
#define TS_INSTANTIATE(Dim, Real)                                                                 \
  template MeshBuffers<Dim, Real> resident_subdivide(const Exec&, const ResidentMesh<Dim, Real>&, \
                                                     SubdivisionScheme)
TS_INSTANTIATE(2, float);
TS_INSTANTIATE(2, double);
TS_INSTANTIATE(3, float);
TS_INSTANTIATE(3, double);
#undef TS_INSTANTIATE

}  // namespace tessera
