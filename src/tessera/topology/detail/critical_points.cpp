#include <tessera/topology/critical_points.h>

#include <algorithm>
#include <span>
#include <vector>

#include <tessera/core/config.h>
#include <tessera/core/detail/monitor.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/for_each.h>
#include <tessera/exec/primitives.h>
#include <tessera/topology/detail/cuda/analyses.h>
#include <tessera/topology/detail/gradient_data.h>
#include <tessera/topology/detail/link_components.h>
#include <tessera/topology/detail/star_source.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;

/// A (1,1) vertex on the boundary with its neighbours, which wait until it is known who else is there.
struct Suspect {
  uint32_t vertex;
  uint32_t lower;  ///< how many of the neighbours are
  std::vector<uint32_t> neighbours;
};

template <int Dim>
class Worker {
 public:
  template <class Stars>
  void visit(const Stars& stars, Array<std::uint8_t>& on_boundary) {
    const LinkPieces pieces = links_.find(stars);
    const uint32_t v = stars.center().index();
    on_boundary[v] = pieces.is_on_boundary ? 1 : 0;
    const CriticalType type = critical_type<Dim>(pieces.lower, pieces.upper);
    if (type != CriticalType::regular) {
      found.push_back({VertexId(v), type, pieces.is_on_boundary, pieces.lower, pieces.upper});
    } else if (Dim == 3 && pieces.is_on_boundary) {
      suspect(stars);
    }
  }

  /// Decides by the boundary rule.
  void judge_suspects(const Array<std::uint8_t>& on_boundary) {
    for (const Suspect& suspect : suspects_) {
      const auto is_there = [&](uint32_t u) { return on_boundary[u] != 0; };
      const auto middle = suspect.neighbours.begin() + suspect.lower;
      const bool lower = std::any_of(suspect.neighbours.begin(), middle, is_there);
      const bool upper = std::any_of(middle, suspect.neighbours.end(), is_there);
      const CriticalType type = boundary_type(lower, upper);
      if (type != CriticalType::regular) found.push_back({VertexId(suspect.vertex), type, true, 1, 1});
    }
  }

  std::vector<CriticalPoint> found;

 private:
  template <class Stars>
  void suspect(const Stars& stars) {
    Suspect& added = suspects_.emplace_back();
    added.vertex = stars.center().index();
    const auto is_lower = [&](uint32_t local) { return stars.order(local) < stars.order(stars.own()); };
    for (const uint32_t local : links_.neighbours()) {
      if (is_lower(local)) added.neighbours.push_back(stars.vertex_id(local));
    }
    added.lower = static_cast<uint32_t>(added.neighbours.size());
    for (const uint32_t local : links_.neighbours()) {
      if (!is_lower(local)) added.neighbours.push_back(stars.vertex_id(local));
    }
  }

  LinkComponents<Dim> links_;
  std::vector<Suspect> suspects_;
};

/// Finds points in some or all tiles; tiled ids.
template <int Dim, class ForEachStar>
void find_on_host(const Exec& exec, Array<std::uint8_t>& on_boundary, const ForEachStar& for_each,
                  Array<CriticalPoint>& points) {
  std::vector<Worker<Dim>> workers(static_cast<size_t>(exec.threads()));
  for_each(
      [&](int worker, const auto& stars) { workers[static_cast<size_t>(worker)].visit(stars, on_boundary); });
  host::run_workers(exec.threads(),
                    [&](int w) { workers[static_cast<size_t>(w)].judge_suspects(on_boundary); });
  for (const Worker<Dim>& worker : workers) {
    points.insert(points.end(), worker.found.begin(), worker.found.end());
  }
}

/// What the device finds, and on the host what it leaves; tiled ids.
template <int Dim>
Array<CriticalPoint> find_on_device(const TiledMesh<Dim>& tiles, const Field& field, const Exec& device_exec,
                                    const Monitor& monitor) {
  const auto device = device_tiles(tiles, device_exec);
  auto found = cuda::find_critical_points(
      *device, cuda::compute_order(device_exec, tiles, *device, field, monitor), monitor);
  if (found.left.empty()) return std::move(found.points);
  std::erase_if(found.points,
                [&](const CriticalPoint& point) { return cuda::is_in(found.left, point.vertex.index()); });
  const Exec exec = Exec::host(device_exec.threads());
  const OrderArray order = compute_order(tiles, field, exec);
  Array<std::uint8_t> on_boundary = device->on_boundary.to_host();
  find_on_host<Dim>(
      exec, on_boundary, [&](const auto& f) { for_each_star(tiles, order, found.left, exec, monitor, f); },
      found.points);
  return std::move(found.points);
}

/// With the input's ids. In a noisy field every third vertex is critical, so all threads sort.
template <int Dim>
Array<CriticalPoint> sorted_by_vertex(const TiledMesh<Dim>& tiles, std::span<const CriticalPoint> points,
                                      const Exec& exec) {
  Array<uint32_t> vertices(points.size());
  Array<uint32_t> order(points.size());
  host_for_each(exec, points.size(), [&](size_t i) {
    vertices[i] = tiles.input(tiled::VertexId(points[i].vertex.index())).index();
    order[i] = static_cast<uint32_t>(i);
  });
  sort_pairs<uint32_t, uint32_t>(exec, vertices, order, bits_in_use(tiles.vertex_count()));
  Array<CriticalPoint> sorted(points.size());
  host_for_each(exec, points.size(), [&](size_t i) {
    sorted[i] = points[order[i]];
    sorted[i].vertex = VertexId(vertices[i]);
  });
  return sorted;
}

}  // namespace

template <int Dim>
CriticalPoints critical_points(const TiledMesh<Dim>& tiles, const Field& field,
                               const CriticalPointsOptions<Dim>& options) {
  const Monitor& monitor = monitor_of(options.monitor);
  const Exec exec = Exec::host(options.exec.threads());
  const auto report = [&](double fraction) { monitor.update("finding critical points", fraction); };
  report(0);
  check_stars(tiles, options.stars, options.exec);
  CriticalPoints result;
  bool is_done = false;
  if constexpr (built_with_cuda) {
    if (options.exec.is_cuda()) {
      result.points = find_on_device(tiles, field, options.exec, monitor);
      is_done = true;
    }
  }
  if (!is_done) {
    const OrderArray order = compute_order(tiles, field, exec);
    Array<std::uint8_t> on_boundary(tiles.vertex_count());
    find_on_host<Dim>(
        exec, on_boundary,
        [&](const auto& f) { for_each_star(tiles, order, options.stars, exec, monitor, f); }, result.points);
  }
  report(0.9);
  result.points = sorted_by_vertex(tiles, result.points, exec);
  for (const CriticalPoint& point : result.points) ++result.counts[static_cast<size_t>(point.type)];
  report(1);
  return result;
}

template <int Dim>
CriticalPoints critical_points(const SimplexMesh<Dim>& mesh, const Field& field,
                               const CriticalPointsOptions<Dim>& options) {
  return critical_points(*make_tiles(mesh, options), field, options);
}

template CriticalPoints critical_points(const TiledMesh<2>&, const Field&, const CriticalPointsOptions<2>&);
template CriticalPoints critical_points(const TiledMesh<3>&, const Field&, const CriticalPointsOptions<3>&);
template CriticalPoints critical_points(const TriMesh&, const Field&, const CriticalPointsOptions<2>&);
template CriticalPoints critical_points(const TetMesh&, const Field&, const CriticalPointsOptions<3>&);

}  // namespace tessera
