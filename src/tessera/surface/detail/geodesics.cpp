#include <tessera/surface/geodesics.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include <tessera/core/config.h>
#include <tessera/core/detail/monitor.h>
#include <tessera/exec/detail/side.h>
#include <tessera/surface/detail/cuda/fronts.h>
#include <tessera/surface/detail/fronts.h>
#include <tessera/surface/detail/geodesic_sources.h>

namespace tessera {

using namespace detail;

namespace {

using std::size_t;
using std::uint32_t;

[[noreturn]] void refuse_source(ErrorCode code, size_t source, const std::string& reason) {
  throw Error(code, "source " + std::to_string(source) + " of the geodesic distance " + reason);
}

void check_vertex(const Surface& surface, size_t source, VertexId v) {
  if (v.index() < surface.vertex_count()) return;
  refuse_source(ErrorCode::not_found, source,
                "is vertex " + std::to_string(v.index()) + ", but the surface has " +
                    std::to_string(surface.vertex_count()) + " vertices");
}

void check_point(const Surface& surface, size_t source, const FacePoint& point) {
  if (surface.mesh() == nullptr) {
    refuse_source(ErrorCode::unsupported, source,
                  "is a point of a triangle, but the mesh lies on a device; use vertices");
  }
  if (point.face.index() >= surface.face_count()) {
    refuse_source(ErrorCode::not_found, source,
                  "is on triangle " + std::to_string(point.face.index()) + ", but the surface has " +
                      std::to_string(surface.face_count()) + " triangles");
  }
  double sum = 0;
  for (const double weight : point.weights) {
    if (!(weight >= 0)) refuse_source(ErrorCode::bad_option, source, "has a weight that is negative or NaN");
    sum += weight;
  }
  if (!(std::abs(sum - 1) <= 1e-6)) {
    refuse_source(ErrorCode::bad_option, source,
                  "has weights that add up to " + std::to_string(sum) + ", not 1");
  }
}

void check(const GeodesicOptions& options) {
  if (!(options.tolerance >= 0) || !(options.tolerance < 1))
    throw Error(ErrorCode::bad_option, "the tolerance of a geodesic distance is not in [0, 1)");
  if (!(options.limit >= 0))
    throw Error(ErrorCode::bad_option, "the limit of a geodesic distance is negative or NaN");
}

template <class Real>
void add_seeds(const TriMesh& mesh, const FacePoint& point, uint32_t source, std::vector<Seed<Real>>& seeds) {
  const Vec3d at = find_position(mesh, point);
  for (const VertexId v : mesh.cells[point.face.index()])
    seeds.push_back({v.index(), source, static_cast<Real>(length(mesh.points[v] - at))});
}

/// By ascending vertex, one each: the nearest, of equal ones that of the lower source. None is beyond the
/// limit.
template <class Real>
std::vector<Seed<Real>> make_seeds(const Surface& surface, std::span<const GeodesicSource> sources,
                                   Real limit) {
  check_sources(surface, sources);
  std::vector<Seed<Real>> seeds;
  for (size_t i = 0; i < sources.size(); ++i) {
    if (const auto* v = std::get_if<VertexId>(&sources[i])) {
      seeds.push_back({v->index(), static_cast<uint32_t>(i), Real{0}});
    } else {
      add_seeds(*surface.mesh(), std::get<FacePoint>(sources[i]), static_cast<uint32_t>(i), seeds);
    }
  }
  std::erase_if(seeds, [&](const Seed<Real>& seed) { return seed.distance > limit; });
  const auto key = [](const Seed<Real>& seed) { return std::tuple(seed.vertex, seed.distance, seed.source); };
  std::ranges::sort(seeds, {}, key);
  const auto same = [](const Seed<Real>& a, const Seed<Real>& b) { return a.vertex == b.vertex; };
  seeds.erase(std::unique(seeds.begin(), seeds.end(), same), seeds.end());
  return seeds;
}

template <bool Shared, class Real>
uint32_t run_on_host(const Exec& exec, const Monitor& monitor, size_t vertices,
                     const Relax<Real, true>& start) {
  Relax<Real, Shared> round = next_round<Shared>(start);
  for (size_t active = round.active(); active > 0; active = round.active()) {
    const Real threshold = round.threshold();
    round.prepare(threshold);
    if constexpr (Shared) {
      host_for_each(exec, active, [&](size_t i) { round.relax(round.now[i], threshold); });
    } else {
      for (size_t i = 0; i < active; ++i) round.relax(round.now[i], threshold);
    }
    if (round.round % 16 == 0) monitor.update("running fronts", share_reached(*round.progress, vertices));
    round = next_round<Shared>(round);
  }
  return round.round - 1;
}

template <class Real>
uint32_t run(const Exec& exec, const FrontJob<Real>& job, const Monitor& monitor) {
  if constexpr (built_with_cuda) {
    if (exec.is_cuda()) return cuda::run_fronts(exec, job, monitor);
  }
  return run_fronts(HostSide{exec}, job, [&](const Relax<Real, true>& start) {
    const size_t n = job.surface.vertex_count();
    return exec.threads() > 1 ? run_on_host<true>(exec, monitor, n, start)
                              : run_on_host<false>(exec, monitor, n, start);
  });
}

}  // namespace

void detail::check_sources(const Surface& surface, std::span<const GeodesicSource> sources) {
  if (sources.empty()) throw Error(ErrorCode::bad_option, "a geodesic distance needs a source");
  for (size_t i = 0; i < sources.size(); ++i) {
    if (const auto* v = std::get_if<VertexId>(&sources[i])) {
      check_vertex(surface, i, *v);
    } else {
      check_point(surface, i, std::get<FacePoint>(sources[i]));
    }
  }
}

Vec3d find_position(const TriMesh& mesh, const FacePoint& point) {
  Vec3d at = {0, 0, 0};
  const TriMesh::Cell& corners = mesh.cells[point.face.index()];
  for (size_t c = 0; c < 3; ++c) at = at + point.weights[c] * mesh.points[corners[c]];
  return at;
}

Work geodesic_work(const TriMesh& mesh) {
  Array<uint32_t> valences(mesh.vertex_count(), 0);
  for (const TriMesh::Cell& cell : mesh.cells) {
    for (const VertexId v : cell) {
      if (v.index() < valences.size()) ++valences[v.index()];  // others are refused later
    }
  }
  Bytes at_hubs = 0;
  for (const uint32_t faces : valences) at_hubs += faces > most_scanned_faces ? faces : 0;
  Work work = work_of(mesh.cell_count(), 350, 160);
  work.host_bytes = 40 * mesh.cell_count() + 100 * mesh.vertex_count();
  if (at_hubs > 0) work.host_bytes += 16 * at_hubs + 4 * mesh.vertex_count();
  work.device_bytes += 16 * at_hubs;
  return work;
}

template <class Real>
Geodesics<Real> compute_geodesics(const Surface& surface, std::span<const GeodesicSource> sources,
                                  const GeodesicOptions& options) {
  const Monitor& monitor = monitor_of(options.monitor);
  const auto limit = static_cast<Real>(options.limit);
  const std::vector<Seed<Real>> seeds = make_seeds<Real>(surface, sources, limit);
  check(options);
  monitor.update("running fronts", 0);
  Geodesics<Real> result{VertexAttribute<Real>(surface),
                         VertexAttribute<uint32_t>(surface),
                         VertexAttribute<uint32_t>(surface),
                         {sources.begin(), sources.end()},
                         0};
  const auto at = positions<Real>(surface);
  const FrontJob<Real> job = {surface,
                              seeds,
                              at.view().data(),
                              limit,
                              static_cast<Real>(1 - options.tolerance),
                              options.shape == FrontShape::circular,
                              options.schedule == FrontSchedule::bands,
                              result.distance.view().data(),
                              result.nearest.view().data(),
                              result.level.view().data()};
  result.rounds = run(surface.exec(), job, monitor);
  monitor.update("running fronts", 1);
  return result;
}

template Geodesics<float> compute_geodesics<float>(const Surface&, std::span<const GeodesicSource>,
                                                   const GeodesicOptions&);
template Geodesics<double> compute_geodesics<double>(const Surface&, std::span<const GeodesicSource>,
                                                     const GeodesicOptions&);

}  // namespace tessera
