#include <tessera/surface/dual.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/config.h>
#include <tessera/core/detail/monitor.h>
#include <tessera/core/error.h>
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

/// The triangles around each vertex.
struct TriangleRows {
  TriangleCorners corners;
  Csr<VertexId, FaceId> rows;

  TriangleRows(const TriMesh& mesh, const Exec& exec)
      : corners{mesh.cells.data()},
        rows(vertex_incidence<FaceId, 3>(std::span<const TriMesh::Cell>(mesh.cells), mesh.vertex_count(),
                                         exec)) {}
  [[nodiscard]] std::span<const FaceId> row(VertexId v) const { return rows[v]; }
};

/// The corners of polygons at each vertex: with their places, none has to be looked for.
struct PolygonRows {
  const PolyCells& polygons;
  Array<uint32_t> polygon_of;    ///< of each corner
  Array<std::uint8_t> is_sound;  ///< of each polygon: three corners or more, no point twice
  Array<std::uint64_t> first;    ///< of each vertex, and their end
  Array<std::uint64_t> places;   ///< the corners at one vertex after another, ascending

  PolygonRows(const PolyCells& list, size_t vertices)
      : polygons(list),
        polygon_of(list.corners.size()),
        is_sound(list.size()),
        first(vertices + 1, 0),
        places(list.corners.size()) {
    Array<VertexId> sorted;
    for (size_t p = 0; p < list.size(); ++p) {
      sorted.assign(list[p].begin(), list[p].end());
      std::ranges::sort(sorted);
      is_sound[p] = sorted.size() >= 3 && std::ranges::adjacent_find(sorted) == sorted.end() ? 1 : 0;
      std::fill(polygon_of.begin() + static_cast<std::ptrdiff_t>(list.offsets[p]),
                polygon_of.begin() + static_cast<std::ptrdiff_t>(list.offsets[p + 1]),
                static_cast<uint32_t>(p));
    }
    for (const VertexId v : list.corners) ++first[v.index() + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    Array<std::uint64_t> next = first;
    for (std::uint64_t c = 0; c < list.corners.size(); ++c) places[next[list.corners[c].index()]++] = c;
  }
  [[nodiscard]] std::span<const std::uint64_t> row(VertexId v) const {
    return std::span<const std::uint64_t>(places).subspan(first[v.index()],
                                                          first[v.index() + 1] - first[v.index()]);
  }
  FanCorner corners(std::uint64_t place, VertexId) const {
    const uint32_t p = polygon_of[place];
    const std::span<const VertexId> own = polygons[p];
    const size_t at = place - polygons.offsets[p];
    return {FaceId(p), own[(at + own.size() - 1) % own.size()], own[(at + 1) % own.size()], is_sound[p] != 0};
  }
};

template <class Rows>
ChunkFans find_fans(const Rows& around, host::Range range) {
  ChunkFans fans;
  Array<Wedge> wedges;
  Array<std::uint64_t> sides;
  const auto corners = [&](auto item, VertexId v) { return around.corners(item, v); };
  for (size_t v = range.begin; v < range.end; ++v) {
    const VertexId vertex(static_cast<uint32_t>(v));
    const auto row = around.row(vertex);
    if (row.size() > wedges.size()) {
      wedges.resize(row.size());
      sides.resize(2 * row.size());
    }
    FanWalker walker(corners, vertex, row, wedges.data(), sides.data());
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
template <class Rows>
Array<uint32_t> make_cells(PolyData& dual, const Rows& around, size_t vertices, const Exec& exec) {
  std::vector<ChunkFans> chunks((vertices + chunk - 1) / chunk);
  host::for_each_chunk(exec.threads(), vertices, chunk, [&](host::Range range, int) {
    chunks[range.begin / chunk] = find_fans(around, range);
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
  return owners;
}

/// The middles of polygons.
struct PolygonCentroids {
  const PolyCells& polygons;

  template <class Take>
  void operator()(size_t polygon, const Take& take) const {
    const std::span<const VertexId> corners = polygons[polygon];
    for (const VertexId v : corners) take(v.index(), 1.0 / static_cast<double>(corners.size()));
  }
};

/// The cells carry the data of their vertices.
void carry_data(PolyData& dual, const FieldSet& point_data, const Array<uint32_t>& owners) {
  dual.cell_data = point_data.gather(owners);
  dual.cell_data.add(Field("InputVertex", Array<std::int64_t>(owners.begin(), owners.end())));
}

/// The polygons of the mesh, and the cells that they are.
PolyCells take_polygons(const CellMesh& mesh, Array<uint32_t>& sources) {
  PolyCells polygons;
  for (size_t c = 0; c < mesh.cell_count(); ++c) {
    if (dimension_of(mesh.types[c]) != 2) continue;
    for (const VertexId v : mesh.cells[c]) {
      if (v.index() < mesh.vertex_count()) continue;
      throw Error(ErrorCode::bad_mesh, "cell " + std::to_string(c) + " names point " +
                                           std::to_string(v.index()) + ", but there are " +
                                           std::to_string(mesh.vertex_count()) + " points");
    }
    polygons.add(mesh.cells[c]);
    sources.push_back(static_cast<uint32_t>(c));
  }
  return polygons;
}

}  // namespace

PolyData make_dual(const CellMesh& mesh, const DualOptions& options) {
  TS_EXPECTS(mesh.types.size() == mesh.cells.size());
  if (options.exec.is_cuda())
    throw Error(ErrorCode::unsupported,
                "the dual of polygons is made on the host; a device makes that of triangles");
  expect_tuples(mesh.point_data, mesh.vertex_count(), "points");
  expect_tuples(mesh.cell_data, mesh.cell_count(), "cells");
  Array<uint32_t> sources;
  const PolyCells polygons = take_polygons(mesh, sources);
  monitor_of(options.monitor).update("following fans", 0);
  const Exec exec = host_for(options.exec, polygons.size());
  PolyData dual;
  const Array<uint32_t> owners =
      make_cells(dual, PolygonRows(polygons, mesh.vertex_count()), mesh.vertex_count(), exec);
  dual.points = blend(mesh.points, polygons.size(), PolygonCentroids{polygons}, exec);
  monitor_of(options.monitor).update("bringing data over", 0.7);
  dual.point_data = mesh.cell_data.gather(sources);
  carry_data(dual, mesh.point_data, owners);
  dual.field_data = mesh.field_data;
  return dual;
}

PolyData make_dual(const TriMesh& mesh, const DualOptions& options) {
  expect_usable(mesh, options.exec);
  monitor_of(options.monitor).update("following fans", 0);
  PolyData dual;
  Array<uint32_t> owners;
  if constexpr (built_with_cuda) {
    if (options.exec.is_cuda())
      owners = cuda::make_cells(dual, mesh, stoppable(options.exec, options.monitor));
  }
  if (!options.exec.is_cuda()) {
    const Exec exec = host_for(options.exec, mesh.cell_count());
    owners = make_cells(dual, TriangleRows(mesh, exec), mesh.vertex_count(), exec);
    dual.points = blend(mesh.points, mesh.cell_count(), CentroidRule{mesh.cells.data()}, exec);
  }
  monitor_of(options.monitor).update("bringing data over", 0.7);
  dual.point_data = mesh.cell_data;
  carry_data(dual, mesh.point_data, owners);
  dual.field_data = mesh.field_data;
  return dual;
}

}  // namespace tessera
