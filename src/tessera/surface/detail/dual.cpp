#include <tessera/surface/dual.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include <tessera/core/config.h>
#include <tessera/core/detail/monitor.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/detail/stoppable.h>
#include <tessera/exec/for_each.h>
#include <tessera/generate/detail/common/blend.h>
#include <tessera/generate/detail/common/checks.h>
#include <tessera/generate/key_reduce.h>
#include <tessera/surface/detail/cuda/dual.h>
#include <tessera/surface/detail/fans.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;

constexpr size_t chunk = 4096;

/// The fans of a chunk of vertices, and later their places in the result.
struct ChunkFans {
  std::array<std::vector<uint32_t>, 3> sizes;    ///< of each kind's fans
  std::array<std::vector<uint32_t>, 3> owners;   ///< the vertex of each
  std::array<std::vector<VertexId>, 3> corners;  ///< of one after another
  std::array<std::uint64_t, 3> first_cell = {};
  std::array<std::uint64_t, 3> first_corner = {};
};

ChunkFans find_fans(const TriMesh& mesh, const Csr<VertexId, FaceId>& around, host::Range range) {
  ChunkFans fans;
  Array<Wedge> wedges;
  Array<std::uint64_t> sides;
  for (size_t v = range.begin; v < range.end; ++v) {
    const VertexId vertex(static_cast<uint32_t>(v));
    const std::span<const FaceId> row = around[vertex];
    if (row.size() > wedges.size()) {
      wedges.resize(row.size());
      sides.resize(2 * row.size());
    }
    FanWalker walker(mesh.cells.data(), vertex, row, wedges.data(), sides.data());
    walker.walk([&](const FanWalker::Fan& fan) {
      const auto kind = static_cast<size_t>(fan.kind);
      fans.sizes[kind].push_back(fan.size);
      fans.owners[kind].push_back(vertex.index());
      walker.visit(fan, [&](uint32_t, FaceId f) { fans.corners[kind].push_back(VertexId(f.index())); });
    });
  }
  return fans;
}

void copy_fans(const ChunkFans& fans, size_t kind, PolyCells& list, std::span<uint32_t> owners) {
  std::uint64_t corner = fans.first_corner[kind];
  for (size_t i = 0; i < fans.sizes[kind].size(); ++i) {
    list.offsets[fans.first_cell[kind] + i] = corner;
    corner += fans.sizes[kind][i];
  }
  std::ranges::copy(fans.corners[kind], list.corners.data() + fans.first_corner[kind]);
  std::ranges::copy(fans.owners[kind], owners.data() + fans.first_cell[kind]);
}

/// The lists, and the vertex of each cell.
Array<uint32_t> make_cells(PolyData& dual, const TriMesh& mesh, const Exec& exec) {
  const auto around =
      vertex_incidence<FaceId, 3>(std::span<const TriMesh::Cell>(mesh.cells), mesh.vertex_count(), exec);
  std::vector<ChunkFans> chunks((mesh.vertex_count() + chunk - 1) / chunk);
  host::for_each_chunk(exec.threads(), mesh.vertex_count(), chunk, [&](host::Range range, int) {
    chunks[range.begin / chunk] = find_fans(mesh, around, range);
  });
  const std::array<PolyCells*, 3> lists = {&dual.vertices, &dual.lines, &dual.polygons};
  std::array<std::uint64_t, 4> first = {};  // cell data goes through the lists in turn
  for (size_t kind = 0; kind < 3; ++kind) {
    std::uint64_t cells = 0;
    std::uint64_t corners = 0;
    for (ChunkFans& fans : chunks) {
      fans.first_cell[kind] = std::exchange(cells, cells + fans.sizes[kind].size());
      fans.first_corner[kind] = std::exchange(corners, corners + fans.corners[kind].size());
    }
    lists[kind]->offsets.resize(cells + 1);
    lists[kind]->offsets.back() = corners;
    lists[kind]->corners.resize(corners);
    first[kind + 1] = first[kind] + cells;
  }
  Array<uint32_t> owners(first[3]);
  host::for_each_chunk(exec.threads(), chunks.size(), 1, [&](host::Range range, int) {
    for (size_t kind = 0; kind < 3; ++kind) {
      copy_fans(chunks[range.begin], kind, *lists[kind],
                std::span(owners).subspan(first[kind], first[kind + 1] - first[kind]));
    }
  });
  dual.points = blend(mesh.points, mesh.cell_count(), CentroidRule{mesh.cells.data()}, exec);
  return owners;
}

}  // namespace

PolyData make_dual(const TriMesh& mesh, const DualOptions& options) {
  expect_usable(mesh, options.exec);
  monitor_of(options.monitor).update("following fans", 0);
  PolyData dual;
  Array<uint32_t> owners;
  if constexpr (built_with_cuda) {
    if (options.exec.is_cuda())
      owners = cuda::make_cells(dual, mesh, stoppable(options.exec, options.monitor));
  }
  if (!options.exec.is_cuda()) owners = make_cells(dual, mesh, host_for(options.exec, mesh.cell_count()));
  monitor_of(options.monitor).update("bringing data over", 0.7);
  dual.point_data = mesh.cell_data;
  dual.cell_data = mesh.point_data.gather(owners);
  dual.cell_data.add(Field("InputVertex", Array<std::int64_t>(owners.begin(), owners.end())));
  dual.field_data = mesh.field_data;
  return dual;
}

}  // namespace tessera
