#include <tessera/generate/weld.h>

#include <atomic>
#include <string_view>
#include <utility>

#include <tessera/core/config.h>
#include <tessera/core/detail/monitor.h>
#include <tessera/exec/detail/host/runs.h>
#include <tessera/exec/detail/stoppable.h>
#include <tessera/exec/for_each.h>
#include <tessera/generate/detail/common/blend.h>
#include <tessera/generate/detail/common/checks.h>
#include <tessera/generate/detail/common/parts.h>
#include <tessera/generate/detail/keys/point_groups.h>
#include <tessera/generate/detail/weld/cuda/weld.h>
#include <tessera/generate/key_reduce.h>

namespace tessera {

using namespace detail;
namespace {

template <int Dim>
Welded<Dim> weld_cells(const SimplexMesh<Dim>& soup, const WeldOptions& options) {
  const Exec exec = host_for(options.exec, soup.cell_count());
  const auto report = [&](std::string_view stage, double fraction) {
    monitor_of(options.monitor).update(stage, fraction);
  };
  expect_usable(soup, exec);
  report("joining points", 0);
  if constexpr (built_with_cuda) {
    if (options.exec.is_cuda() && options.tolerance == 0)
      return cuda::weld(soup, options.data, stoppable(options.exec, options.monitor));
  }
  PointGroups groups = group_near_points(soup.points, options.tolerance, exec);
  report("joining points", 0.7);

  Welded<Dim> welded;
  SimplexMesh<Dim>& mesh = welded.mesh;
  mesh.points = gather(soup.points, groups.first, exec);
  mesh.cells.resize(soup.cell_count());
  std::atomic<bool> has_degenerate = false;
  host::for_each_share(exec.threads(), soup.cell_count(), [&](host::Range range) {
    bool found = false;
    for (std::size_t c = range.begin; c < range.end; ++c) {
      for (std::size_t i = 0; i < mesh.cells[c].size(); ++i)
        mesh.cells[c][i] = groups.connections[soup.cells[c][i].index()];
      found |= is_degenerate(mesh.cells[c]);
    }
    if (found) has_degenerate = true;
  });
  mesh.cell_data = soup.cell_data;
  mesh.field_data = soup.field_data;
  if (has_degenerate) welded.dropped = drop_degenerate(mesh, exec);

  report("joining data", 0.9);
  if (options.data == MergedData::first) {
    mesh.point_data = soup.point_data.gather(groups.first);
  } else if (!soup.point_data.empty()) {
    const auto members = group_items(groups.connections, groups.size(), exec);
    mesh.point_data = blend(soup.point_data, groups.size(), average_of(members), exec);
  }
  welded.vertices = std::move(groups.connections);
  return welded;
}

}  // namespace

Welded<2> weld(const TriMesh& soup, const WeldOptions& options) {
  return weld_cells(soup, options);
}
Welded<3> weld(const TetMesh& soup, const WeldOptions& options) {
  return weld_cells(soup, options);
}

std::uint64_t weld_bytes(std::uint64_t points, std::uint64_t cells, int dimension, double tolerance) {
  const std::uint64_t grouping = tolerance > 0 ? 100 : 42;  // as equal_points.h and point_groups.h have it
  const std::uint64_t result = 4 + sizeof(Vec3d);           // connections and coordinates
  return points * (grouping + result) + cells * 4 * static_cast<std::uint64_t>(dimension + 1);
}

}  // namespace tessera
