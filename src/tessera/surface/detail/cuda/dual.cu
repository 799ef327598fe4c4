// Duals on a device: a thread walks the fans of a vertex twice, to count and to write.
#include <tessera/surface/detail/cuda/dual.h>

#include <array>
#include <type_traits>
#include <utility>

#include <tessera/exec/primitives.h>
#include <tessera/surface/detail/fans.h>
#include <tessera/exec/buffers.cuh>
#include <tessera/generate/detail/common/blend.cuh>
#include <tessera/generate/key_reduce.cuh>

namespace tessera::detail::cuda {
namespace {

constexpr std::size_t kinds = 3;

/// The triangles around the vertices, and memory to walk in.
struct Around {
  const TriMesh::Cell* cells;
  RowsView<FaceId> rows;
  Wedge* wedges;
  std::uint64_t* sides;

  [[nodiscard]] TS_HD FanWalker walker(std::size_t v) const {
    const std::size_t first = rows.offsets[v];
    return {TriangleCorners{cells}, VertexId(static_cast<std::uint32_t>(v)), std::span<const FaceId>(rows[v]),
            wedges + first, sides + 2 * first};
  }
};

/// How many cells of each kind a vertex has, and corners of them; behind the last vertex 0, so that a scan
/// gives where they begin.
struct CountFans {
  Around around;
  std::size_t vertices;
  std::array<std::uint32_t*, kinds> cells;
  std::array<std::uint32_t*, kinds> corners;

  TS_HD void operator()(std::size_t v) const {
    std::array<std::uint32_t, kinds> own_cells = {};
    std::array<std::uint32_t, kinds> own_corners = {};
    if (v < vertices) {
      around.walker(v).walk([&](const FanWalker::Fan& fan) {
        const auto kind = static_cast<std::size_t>(fan.kind);
        ++own_cells[kind];
        own_corners[kind] += fan.size;
      });
    }
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      cells[kind][v] = own_cells[kind];
      corners[kind][v] = own_corners[kind];
    }
  }
};

struct WriteFans {
  Around around;
  std::array<const std::uint32_t*, kinds> first_cell;  ///< of each vertex
  std::array<const std::uint32_t*, kinds> first_corner;
  std::array<std::uint64_t*, kinds> offsets;
  std::array<VertexId*, kinds> corners;
  std::array<std::uint32_t*, kinds> owners;

  TS_HD void operator()(std::size_t v) const {
    std::array<std::uint32_t, kinds> cell = {};
    std::array<std::uint32_t, kinds> corner = {};
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      cell[kind] = first_cell[kind][v];
      corner[kind] = first_corner[kind][v];
    }
    FanWalker walker = around.walker(v);
    walker.walk([&](const FanWalker::Fan& fan) {
      const auto kind = static_cast<std::size_t>(fan.kind);
      owners[kind][cell[kind]] = static_cast<std::uint32_t>(v);
      offsets[kind][cell[kind]++] = corner[kind];
      VertexId* const to = corners[kind] + corner[kind];
      walker.visit(fan, [&](std::uint32_t place, FaceId f) { to[place] = VertexId(f.index()); });
      corner[kind] += fan.size;
    });
  }
};

/// The cells of one kind while they are made.
struct ListBuffers {
  Buffer<std::uint32_t> first_cell;
  Buffer<std::uint32_t> first_corner;
  Buffer<std::uint64_t> offsets;
  Buffer<VertexId> corners;
  std::uint32_t cells = 0;
};

void scan(const Exec& exec, Buffer<std::uint32_t>& counts) {
  exclusive_scan<std::uint32_t, std::uint32_t>(exec, counts.span(), counts.span());
}

}  // namespace

Array<std::uint32_t> make_cells(PolyData& dual, const TriMesh& mesh, const Exec& exec) {
  const std::size_t vertices = mesh.vertex_count();
  const Buffer<TriMesh::Cell> cells(exec, std::span<const TriMesh::Cell>(mesh.cells));
  const RowBuffers<FaceId> rows = vertex_incidence<FaceId, 3>(exec, cells.span(), vertices);
  Buffer<Wedge> wedges(exec, rows.values.size());
  Buffer<std::uint64_t> sides(exec, 2 * rows.values.size());
  const Around around{cells.data(), rows.view(), wedges.data(), sides.data()};

  std::array<ListBuffers, kinds> lists;
  CountFans count{around, vertices, {}, {}};
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    lists[kind].first_cell = Buffer<std::uint32_t>(exec, vertices + 1);
    lists[kind].first_corner = Buffer<std::uint32_t>(exec, vertices + 1);
    count.cells[kind] = lists[kind].first_cell.data();
    count.corners[kind] = lists[kind].first_corner.data();
  }
  tessera::for_each(exec, vertices + 1, count);

  WriteFans write{around, {}, {}, {}, {}, {}};
  std::size_t all = 0;
  for (ListBuffers& list : lists) {
    scan(exec, list.first_cell);
    scan(exec, list.first_corner);
    list.cells = last_of(exec, list.first_cell);
    list.offsets = Buffer<std::uint64_t>(exec, list.cells);
    list.corners = Buffer<VertexId>(exec, last_of(exec, list.first_corner));
    all += list.cells;
  }
  Buffer<std::uint32_t> owners(exec, all);
  std::uint32_t* owner = owners.data();
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    ListBuffers& list = lists[kind];
    write.first_cell[kind] = list.first_cell.data();
    write.first_corner[kind] = list.first_corner.data();
    write.offsets[kind] = list.offsets.data();
    write.corners[kind] = list.corners.data();
    write.owners[kind] = owner;
    owner += list.cells;
  }
  tessera::for_each(exec, vertices, write);

  const std::array<PolyCells*, kinds> results = {&dual.vertices, &dual.lines, &dual.polygons};
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    results[kind]->corners = lists[kind].corners.to_host();
    results[kind]->offsets = lists[kind].offsets.to_host();
    results[kind]->offsets.push_back(results[kind]->corners.size());
  }
  mesh.points.visit([&](auto values) {
    using Vector = std::remove_const_t<typename decltype(values)::element_type>;
    const Buffer<Vector> points(exec, values);
    dual.points =
        Points(cuda::blend(exec, points.data(), mesh.cell_count(), CentroidRule{cells.data()}).to_host());
  });
  return owners.to_host();
}

}  // namespace tessera::detail::cuda
