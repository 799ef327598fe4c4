#include <tessera/generate/subdivide.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include <tessera/core/config.h>
#include <tessera/core/detail/monitor.h>
#include <tessera/core/error.h>
#include <tessera/exec/detail/host/reduce.h>
#include <tessera/exec/detail/stoppable.h>
#include <tessera/exec/for_each.h>
#include <tessera/generate/detail/common/blend.h>
#include <tessera/generate/detail/common/checks.h>
#include <tessera/generate/detail/common/parts.h>
#include <tessera/generate/detail/keys/pair_groups.h>
#include <tessera/generate/detail/refine/cuda/subdivide.h>
#include <tessera/generate/detail/refine/subdivide_rules.h>
#include <tessera/generate/key_reduce.h>

namespace tessera {

using namespace detail;
namespace {

using refine::edges_of;
using refine::parts_of;

/// The edges of a mesh's cells.
struct Edges {
  Array<PairKey> ends;          ///< of each edge, ascending
  Array<VertexId> connections;  ///< for each edge of each cell

  template <int Dim>
  Edges(const SimplexMesh<Dim>& mesh, const Exec& exec) : connections(mesh.cell_count() * edges_of<Dim>) {
    ends = fill_pair_connections(
        connections, mesh.vertex_count(),
        [&](std::size_t item) { return refine::edge_of<Dim>(mesh.cells.data(), item); }, exec);
  }
};

template <int Dim>
Array<typename SimplexMesh<Dim>::Cell> cut_cells(const SimplexMesh<Dim>& mesh, const Edges& edges,
                                                 const Exec& exec) {
  Array<typename SimplexMesh<Dim>::Cell> cells(mesh.cell_count() * parts_of<Dim>);
  mesh.points.visit([&](auto points) {
    using Vector = typename decltype(points)::element_type;
    host_for_each(
        exec, mesh.cell_count(),
        refine::CutCell<Dim, Vector>{mesh.cells.data(), points.data(), edges.connections.data(),
                                     static_cast<std::uint32_t>(mesh.vertex_count()), cells.data()});
  });
  return cells;
}

/// Loop's rule and what it reads.
class LoopRows {
 public:
  LoopRows(const TriMesh& mesh, const Edges& edges, const Exec& exec)
      : triangles_(group_items(edges.connections, edges.ends.size(), exec)),
        around_(group_items(ends_of(edges), mesh.vertex_count(), exec)),
        rule_{mesh.vertex_count(), mesh.cells.data(), edges.ends.data(),
              triangles_.view(),   around_.view(),    nullptr} {
    const std::uint32_t most = host::reduce<std::uint32_t>(
        exec.threads(), mesh.vertex_count(), 0, [&](std::size_t v) { return rule_.around.size_of(v); },
        [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); });
    weights_.resize(most + std::size_t{1});
    for (std::size_t n = 0; n <= most; ++n) weights_[n] = refine::loop_weight(n);
    rule_.weights = weights_.data();
  }
  [[nodiscard]] const refine::LoopRule& rule() const { return rule_; }

 private:
  static std::span<const VertexId> ends_of(const Edges& edges) {
    static_assert(sizeof(PairKey) == 2 * sizeof(VertexId));
    return {reinterpret_cast<const VertexId*>(edges.ends.data()), 2 * edges.ends.size()};
  }

  Csr<VertexId, std::uint32_t> triangles_;
  Csr<VertexId, std::uint32_t> around_;
  Array<double> weights_;
  refine::LoopRule rule_;
};

template <int Dim>
SimplexMesh<Dim> refine_on_host(const SimplexMesh<Dim>& mesh, SubdivisionScheme scheme, Array<PairKey>* ends,
                                const Exec& exec) {
  Edges edges(mesh, exec);
  const std::size_t vertices = mesh.vertex_count() + edges.ends.size();
  expect_ids(static_cast<double>(vertices), "points");
  SimplexMesh<Dim> finer;
  const auto take_points = [&](const auto& rule) {
    finer.points = blend(mesh.points, vertices, rule, exec);
    finer.point_data = blend(mesh.point_data, vertices, rule, exec);
  };
  if (scheme == SubdivisionScheme::linear)
    take_points(refine::LinearRule{mesh.vertex_count(), edges.ends.data()});
  if constexpr (Dim == 2) {
    if (scheme == SubdivisionScheme::loop) take_points(LoopRows(mesh, edges, exec).rule());
  }
  finer.cells = cut_cells(mesh, edges, exec);
  if (ends != nullptr) *ends = std::move(edges.ends);
  return finer;
}

template <int Dim>
Provenance provenance_of(const SimplexMesh<Dim>& mesh, const Array<PairKey>& ends, const Exec& exec) {
  Provenance from;
  const std::size_t vertices = mesh.vertex_count();
  from.edges.resize(vertices + ends.size());
  from.weights.resize(from.edges.size());
  host_for_each(exec, from.edges.size(), [&](std::size_t v) {
    if (v < vertices) {
      from.edges[v] = {v, v};
      from.weights[v] = 0;
    } else {
      from.edges[v] = {ends[v - vertices][0], ends[v - vertices][1]};
      from.weights[v] = 0.5;
    }
  });
  from.cells.resize(mesh.cell_count() * parts_of<Dim>);
  host_for_each(exec, from.cells.size(), [&](std::size_t c) { from.cells[c] = c / parts_of<Dim>; });
  return from;
}

template <int Dim>
SimplexMesh<Dim> next_level(const SimplexMesh<Dim>& mesh, const SubdivideOptions& options,
                            std::vector<Provenance>& provenance) {
  const Exec host = host_for(options.exec, mesh.cell_count());
  Array<PairKey> ends;
  Array<PairKey>* const wanted = options.keep_provenance ? &ends : nullptr;
  SimplexMesh<Dim> finer;
  if constexpr (built_with_cuda) {
    if (options.exec.is_cuda())
      finer = cuda::refine(mesh, options.scheme, wanted, stoppable(options.exec, options.monitor));
  }
  if (!options.exec.is_cuda()) finer = refine_on_host(mesh, options.scheme, wanted, host);
  finer.cell_data = repeat(mesh.cell_data, mesh.cell_count(), parts_of<Dim>);
  finer.field_data = mesh.field_data;
  if (options.keep_provenance) provenance.push_back(provenance_of(mesh, ends, host));
  return finer;
}

template <int Dim>
double cells_after(const SimplexMesh<Dim>& mesh, int levels) {
  return static_cast<double>(mesh.cell_count()) * std::pow(static_cast<double>(parts_of<Dim>), levels);
}

template <int Dim>
Subdivision<Dim> subdivide_levels(const SimplexMesh<Dim>& mesh, const SubdivideOptions& options) {
  if (options.levels < 0) {
    throw Error(ErrorCode::bad_option,
                std::to_string(options.levels) + " levels cannot be subdivided; 0 or more can");
  }
  if (Dim == 3 && options.scheme == SubdivisionScheme::loop)
    throw Error(ErrorCode::bad_option, "Loop's scheme is for triangles; subdivide tetrahedra linearly");
  expect_usable(mesh, options.exec);
  expect_ids(cells_after(mesh, options.levels), Dim == 2 ? "triangles" : "tetrahedra");
  Subdivision<Dim> result;
  for (int level = 0; level < options.levels; ++level) {
    monitor_of(options.monitor).update("subdividing", std::pow(0.25, options.levels - level));
    result.mesh = next_level(level == 0 ? mesh : result.mesh, options, result.provenance);
  }
  if (options.levels == 0) result.mesh = mesh;
  return result;
}

}  // namespace

Subdivision<2> subdivide(const TriMesh& mesh, const SubdivideOptions& options) {
  return subdivide_levels(mesh, options);
}
Subdivision<3> subdivide(const TetMesh& mesh, const SubdivideOptions& options) {
  return subdivide_levels(mesh, options);
}

template <int Dim>
std::uint64_t subdivided_bytes(const SimplexMesh<Dim>& mesh, int levels) {
  const double cells = cells_after(mesh, levels);
  expect_ids(cells, Dim == 2 ? "triangles" : "tetrahedra");
  const double points = cells / (Dim == 2 ? 2 : 6);  // of a closed surface, a large solid
  const double point_bytes = mesh.points.is_double() ? sizeof(Vec3d) : sizeof(Vec3f);
  return static_cast<std::uint64_t>(cells * (Dim + 1) * sizeof(VertexId) + points * point_bytes);
}

template std::uint64_t subdivided_bytes<2>(const TriMesh&, int);
template std::uint64_t subdivided_bytes<3>(const TetMesh&, int);

}  // namespace tessera
