// Weld: cells that come without connectivity, each with points of its own, get it from coordinates.
//
//   points  0 1 2  3 4 5        a soup of two triangles whose points 1, 3 and 2, 5 lie together
//   cells   (0 1 2) (3 4 5)
//   welded  (0 1 2) (1 3 2)     points are numbered by first occurrence and keep its coordinates
//
// Welding a welded mesh changes nothing.
#pragma once

#include <cstdint>

#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/exec/work.h>
#include <tessera/mesh/mesh.h>

namespace tessera {

enum class MergedData : std::uint8_t {
  average,  ///< of the joined points; integers are rounded
  first,    ///< of the first one
};

struct WeldOptions {
  /// 0: points with equal coordinates are joined. Else those within this distance (group_near_points).
  double tolerance = 0;
  MergedData data = MergedData::average;
  Exec exec = Exec::host();  ///< a device joins equal points; within a tolerance only the host does
  const Monitor* monitor = nullptr;
};

template <int Dim>
struct Welded {
  SimplexMesh<Dim> mesh;
  Array<VertexId> vertices;      ///< for each input point its output point
  Array<std::uint32_t> dropped;  ///< input cells that named an output point twice, ascending
};

/// Joins points and drops the cells that this makes degenerate. Cells keep their order and their data; points
/// that no cell names are welded like others and stay. Memory besides the result: point_groups.h. The same
/// bytes for any number of threads. Error(bad_mesh) for a cell that names a point that is not there or a
/// field of another length, Error(bad_option) for a tolerance that cannot be used.
[[nodiscard]] Welded<2> weld(const TriMesh& soup, const WeldOptions& options = {});
[[nodiscard]] Welded<3> weld(const TetMesh& soup, const WeldOptions& options = {});

/// The most weld() takes for points and cells besides its input, which is where no two points are joined;
/// fields come on top.
[[nodiscard]] std::uint64_t weld_bytes(std::uint64_t points, std::uint64_t cells, int dimension,
                                       double tolerance = 0);

/// For choose_device(), without a tolerance.
template <int Dim>
[[nodiscard]] Work weld_work(const SimplexMesh<Dim>& soup) {
  return work_of(soup.vertex_count() + soup.cell_count(), 13, 80);
}

}  // namespace tessera
