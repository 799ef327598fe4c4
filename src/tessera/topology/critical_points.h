// Critical points of a piecewise-linear field: vertices whose lower or upper link is not one piece.
//
// TTK's rule (after Banchoff and Edelsbrunner), so that results can be compared point by point. With l and u
// the pieces of the lower and the upper link:
//
//              triangles                       tetrahedra
//   minimum    (0,1)                           (0,1)
//   maximum    (1,0)                           (1,0)
//   saddle1    (2,1), (1,2) or (2,2)           (2,1)
//   saddle2                                    (1,2)
//   regular    (1,1)                           (1,1), but for the boundary rule
//   degenerate all others                      all others
//
// Boundary rule (tetrahedra): a (1,1) vertex on the boundary is a saddle1 if some upper and no lower
// neighbour is on the boundary, a saddle2 if some lower and no upper one is.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <tessera/connect/connectivity.h>
#include <tessera/core/array.h>
#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/exec/work.h>
#include <tessera/mesh/field.h>
#include <tessera/mesh/mesh.h>
#include <tessera/mesh/periodic_axes.h>
#include <tessera/tile/tiled_mesh.h>
#include <tessera/topology/critical_type.h>
#include <tessera/topology/star_store.h>

namespace tessera {

struct CriticalPoint {
  VertexId vertex;
  CriticalType type = CriticalType::regular;
  bool is_on_boundary = false;
  std::uint32_t lower_pieces = 0;  ///< of the lower link
  std::uint32_t upper_pieces = 0;

  friend bool operator==(const CriticalPoint&, const CriticalPoint&) = default;
};

struct CriticalPoints {
  Array<CriticalPoint> points;             ///< ascending by vertex
  std::array<std::size_t, 5> counts = {};  ///< by type, minimum to degenerate

  [[nodiscard]] std::size_t count(CriticalType type) const { return counts[static_cast<std::size_t>(type)]; }
  [[nodiscard]] std::size_t minima() const { return count(CriticalType::minimum); }
  [[nodiscard]] std::size_t saddles1() const { return count(CriticalType::saddle1); }
  [[nodiscard]] std::size_t saddles2() const { return count(CriticalType::saddle2); }
  [[nodiscard]] std::size_t maxima() const { return count(CriticalType::maximum); }
  [[nodiscard]] std::size_t degenerate() const { return count(CriticalType::degenerate); }
};

/// Vertices per tile that suit pushing: fewer cells lie in several tiles than with smaller ones, and a tile
/// still fits a core's second-level cache.
inline constexpr std::uint32_t pushed_tile_vertices = 2048;

template <int Dim>
struct CriticalPointsOptions {
  Exec exec = Exec::host();
  const Monitor* monitor = nullptr;  ///< null: nobody listens
  /// The host pulls stars from this store instead of working them out tile by tile. It must be of the same
  /// tiles; Error(bad_option) if their sizes differ.
  const StarStore<Dim>* stars = nullptr;
};

/// O(cells). Takes 9 bytes per vertex, 32 per critical point besides the result, and what workers need for a
/// tile. Equal results for any threads, tiles and providers. Errors as compute_order().
template <int Dim>
[[nodiscard]] CriticalPoints critical_points(const TiledMesh<Dim>& tiles, const Field& field,
                                             const CriticalPointsOptions<Dim>& options = {});
/// The same for a mesh, which is tiled inside.
template <int Dim>
[[nodiscard]] CriticalPoints critical_points(const SimplexMesh<Dim>& mesh, const Field& field,
                                             const CriticalPointsOptions<Dim>& options = {});
/// The same for a point field of the mesh by its name; Error(not_found) lists the names there are.
template <int Dim>
[[nodiscard]] CriticalPoints critical_points(const SimplexMesh<Dim>& mesh, std::string_view field,
                                             const CriticalPointsOptions<Dim>& options = {}) {
  return critical_points(mesh, mesh.field(field), options);
}

/// How a grid is analysed.
struct GridOptions {
  Exec exec = Exec::host();
  const Monitor* monitor = nullptr;  ///< null: nobody listens
  PeriodicAxes periodic = {};        ///< on host threads; no axis by default
};

/// The same for a grid, straight from its values: what is found on triangulate(grid), or on its cut with
/// periodic axes, which is not made. O(vertices). Takes 8 bytes per critical point besides the result; a
/// device holds the field, the result and 4 bytes for every 32 vertices of a row. Error(unsupported) for a
/// grid of fewer than two axes or of 4294967295 points or more, for periodic axes on a device, and for a
/// field as compute_order(). Error(bad_option) as check_periodic().
[[nodiscard]] CriticalPoints critical_points(const Grid& grid, const Field& field,
                                             const GridOptions& options = {});
/// The same for a point field of the grid by its name.
[[nodiscard]] inline CriticalPoints critical_points(const Grid& grid, std::string_view field,
                                                    const GridOptions& options = {}) {
  return critical_points(grid, grid.field(field), options);
}

/// For choose_device(), tiling included.
template <int Dim>
[[nodiscard]] Work critical_points_work(const SimplexMesh<Dim>& mesh) {
  return detail::work_with_tiles(mesh, 130, 64, {.of_vertex = 12});
}

namespace detail {
/// Of an analysis of a grid, by vertex (benchmarks/grids): `bytes` with a float field of pure noise. Values
/// of 8 bytes are sorted first, and what cannot be compared as it is gets 4 bytes. A device has the values,
/// the pairs and the critical cells; white noise has 0.64 of them for each vertex. What has more may not fit.
[[nodiscard]] inline Work grid_work(const Grid& grid, const Field& field, double nanoseconds, Bytes bytes) {
  const std::size_t size = size_of(field.type());
  const Bytes of_vertex = std::max<Bytes>(size == 8 ? 32 : 0, bytes + (size == 4 ? 0 : 4));
  return {1e-9 * nanoseconds * static_cast<double>(grid.vertex_count()), 100 * Bytes{grid.vertex_count()},
          mib(1) + of_vertex * Bytes{grid.vertex_count()}, mib(1)};
}
}  // namespace detail

/// What a grid takes.
[[nodiscard]] inline Work critical_points_work(const Grid& grid, const Field& field) {
  return {4e-9 * static_cast<double>(grid.vertex_count()),
          mib(1) + (16 + size_of(field.type())) * Bytes{grid.vertex_count()},
          mib(1) + 15 * Bytes{grid.vertex_count()}, mib(1)};
}

}  // namespace tessera
