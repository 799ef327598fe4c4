// StarStore: the stars of vertices for analyses that pull them, from a store within a budget.
//
//   const ts::TiledMesh<3> tiles = ts::tile(mesh);
//   const ts::StarStore<3> stars(tiles, {.memory = ts::mib(64), .producers = 2});
//   const auto points = ts::critical_points(tiles, field, {.stars = &stars});
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <type_traits>

#include <tessera/connect/connectivity.h>

namespace tessera {

/// The cells around each vertex of a tiled mesh, kept or made anew as ConnectOptions say. Results are the
/// same as without one; what differs is who makes the stars and how much memory they take. The tiles must
/// outlive it.
template <int Dim>
class StarStore {
 public:
  /// VT of tetrahedra, VF of triangles.
  using Relation = std::conditional_t<Dim == 3, VT, VF>;

  explicit StarStore(const TiledMesh<Dim>& tiles, const ConnectOptions& options = {});

  /// What the store did so far.
  [[nodiscard]] StoreStatistics statistics() const { return rows_.statistics(); }
  /// What a device did, if one makes the stars.
  [[nodiscard]] DeviceReport device_report() const { return rows_.device_report(); }
  /// As in Connectivity.
  [[nodiscard]] std::string no_device_producers() const { return no_device_producers_; }
  [[nodiscard]] bool has_device_windows() const { return has_device_windows_; }

  /// Can it be of these tiles? They must have as many vertices, cells and tiles.
  [[nodiscard]] bool can_be_of(const TiledMesh<Dim>& tiles) const { return sizes_ == sizes_of(tiles); }
  /// For the analyses: rows in the ids of the tiles.
  [[nodiscard]] const Rows<Relation, Dim>& tiled_rows() const { return rows_; }

 private:
  using Sizes = std::array<std::size_t, 3>;
  static Sizes sizes_of(const TiledMesh<Dim>& tiles) {
    return {tiles.vertex_count(), tiles.cell_count(), tiles.tile_count()};
  }
  StarStore(const Sizes& sizes, Connectivity<Dim> connectivity);

  Sizes sizes_;
  Rows<Relation, Dim> rows_;
  std::string no_device_producers_;
  bool has_device_windows_;
};

}  // namespace tessera
