// The analyses on a device, for the functions of this module that dispatch to them. Plain C++, so that host
// code can call it.
//
// Kernels work on stars of up to 64 neighbours and 96 cells, in tiles that fit shared memory. A tile with
// anything larger is left to the host, which processes it with the code it uses everywhere; results are the
// same.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>

#include <tessera/core/array.h>
#include <tessera/exec/buffer.h>
#include <tessera/mesh/field.h>
#include <tessera/tile/detail/cuda/device_tiles.h>
#include <tessera/tile/tiled_mesh.h>
#include <tessera/topology/critical_points.h>
#include <tessera/topology/detail/gradient_data.h>
#include <tessera/topology/detail/star_source.h>
#include <tessera/topology/morse_smale.h>
#include <tessera/topology/order.h>

namespace tessera::detail::cuda {

/// Is a vertex in one of these ranges, which ascend?
[[nodiscard]] inline bool is_in(const Array<VertexRange>& ranges, std::uint32_t v) {
  const auto after = std::ranges::upper_bound(ranges, v, {}, &VertexRange::begin);
  return after != ranges.begin() && v < std::prev(after)->end;
}

/// compute_order() on the device: by tiled vertex. What is computed from it runs where it lies, on exec,
/// which need not be where the tiles were made.
template <int Dim>
[[nodiscard]] Buffer<VertexOrderKey> compute_order(const Exec& exec, const TiledMesh<Dim>& tiles,
                                                   const DeviceTiles<Dim>& on_device, const Field& field,
                                                   const Monitor& monitor);

struct FoundPoints {
  Array<CriticalPoint> points;  ///< tiled ids, in no order
  Array<VertexRange> left;      ///< vertices for the host, ascending; none, some or all are among the points
};
template <int Dim>
[[nodiscard]] FoundPoints find_critical_points(const DeviceTiles<Dim>& tiles,
                                               const Buffer<VertexOrderKey>& order, const Monitor& monitor);

/// A critical cell as the kernel finds it; tiled ids.
struct FoundCell {
  std::uint32_t dimension;
  std::uint32_t highest;                 ///< vertex
  std::uint32_t id;                      ///< vertex, place of the edge, of the triangle's higher edge, cell
  std::uint32_t low;                     ///< place of a triangle's lower edge
  std::array<std::uint32_t, 2> cofaces;  ///< of a facet; none where there are fewer
};

/// The arrays of a Gradient on the device, and what it was made of, if somebody still needs that.
template <int Dim>
struct DeviceGradient {
  /// Where its arrays lie; the tiles may have been made elsewhere.
  [[nodiscard]] const Exec& exec() const { return offsets.exec(); }

  std::shared_ptr<const DeviceTiles<Dim>> tiles;
  Buffer<VertexOrderKey> order;
  Buffer<std::uint32_t> offsets;
  Buffer<std::uint32_t> lower;
  Buffer<std::uint8_t> partners;
  Buffer<std::uint8_t> opposite;
  Buffer<std::uint32_t> next;
  Buffer<std::uint32_t> first_cells;
};

/// Finds a gradient in two steps, because the rows of tiles that the host processes must be counted before
/// the others get their place.
template <int Dim>
class GradientFinder {
 public:
  GradientFinder(const DeviceTiles<Dim>& tiles, const Buffer<VertexOrderKey>& order, bool keep_paths,
                 const Monitor& monitor);

  /// Vertices for the host, ascending.
  [[nodiscard]] const Array<VertexRange>& left() const { return left_; }
  /// In no order; those of left() not at all, in part or all of them.
  [[nodiscard]] const Array<FoundCell>& critical_cells() const { return critical_; }
  /// What has its place already: opposite, next and first_cells.
  [[nodiscard]] const DeviceGradient<Dim>& unfinished() const { return result_; }
  /// Puts the rows together. `host_rows`: how many entries the rows of each of host_tiles() have; they are
  /// left open, as are the cells whose highest vertex lies there.
  [[nodiscard]] DeviceGradient<Dim> finish(const Array<std::uint32_t>& host_rows);
  /// After finish(): where the rows of each range of left() begin.
  [[nodiscard]] const Array<std::uint32_t>& first_rows() const { return first_rows_; }

 private:
  bool run(std::size_t row_capacity, std::size_t critical_capacity);

  const DeviceTiles<Dim>& tiles_;
  const Buffer<VertexOrderKey>& order_;
  bool keep_paths_;
  const Monitor& monitor_;
  std::size_t rows_needed_ = 0;
  std::size_t critical_needed_ = 0;
  Array<std::uint32_t> host_tiles_;
  Array<VertexRange> left_;
  Array<FoundCell> critical_;
  Array<std::uint32_t> first_rows_;
  DeviceGradient<Dim> result_;
  Buffer<std::uint32_t> rows_;  ///< of tiles in the order they were done
  Buffer<std::uint8_t> row_partners_;
  Buffer<std::uint32_t> tile_begin_;  ///< in rows_
  Buffer<std::uint32_t> tile_size_;
};

/// A Segmentation on the device, by input vertex.
struct DeviceLabels {
  Buffer<std::int32_t> ascending;
  Buffer<std::int32_t> descending;
  Buffer<std::int32_t> morse_smale;
  Segmentation::Counts count;
};
/// `minima`, `maxima`: tiled ids of the critical vertices and cells in the order of their numbers.
template <int Dim>
[[nodiscard]] DeviceLabels find_regions(const DeviceGradient<Dim>& gradient,
                                        std::span<const std::uint32_t> minima,
                                        std::span<const std::uint32_t> maxima, const Monitor& monitor);

/// A critical cell that paths begin at.
struct Saddle {
  CellName name;
  std::uint32_t highest;  ///< vertex; tiled id
};
template <int Dim>
[[nodiscard]] Array<Saddle> saddles_of(const GradientData<Dim>& gradient, int dimension) {
  Array<Saddle> saddles;
  saddles.reserve(gradient.critical_cells(dimension).size());
  for (const CriticalCell& cell : gradient.critical_cells(dimension))
    saddles.push_back({cell.name, gradient.highest(cell).index()});
  return saddles;
}

/// Where a path goes on from its saddle.
struct PathStart {
  std::uint32_t saddle;  ///< number
  std::uint32_t cell;    ///< vertex or top cell
};
/// The cells around critical facets.
template <int Dim>
[[nodiscard]] Array<PathStart> path_starts_of(const GradientData<Dim>& gradient) {
  const std::size_t facets = gradient.critical_cells(Dim - 1).size();
  Array<PathStart> starts;
  starts.reserve(2 * facets);
  for (std::uint32_t i = 0; i < facets; ++i) {
    for (const std::uint32_t cell : gradient.cofaces(i)) starts.push_back({i, cell});
  }
  return starts;
}

/// Paths on the device, as Separatrices has them.
struct DevicePaths {
  Buffer<Separatrices::Ends> ends;
  Buffer<std::uint32_t> sizes;  ///< how many cells each has
  Buffer<CellName> cells;
};

/// Saddles in the order of their numbers; `minima` and `maxima` as above.
template <int Dim>
[[nodiscard]] DevicePaths trace_descending(const DeviceGradient<Dim>& gradient,
                                           std::span<const Saddle> saddles,
                                           std::span<const std::uint32_t> minima, const Monitor& monitor);
template <int Dim>
[[nodiscard]] DevicePaths trace_ascending(const DeviceGradient<Dim>& gradient,
                                          std::span<const Saddle> saddles, std::span<const PathStart> starts,
                                          std::span<const std::uint32_t> maxima, const Monitor& monitor);

/// A saddle whose search is too large for the kernel, and where its paths belong.
struct LeftSaddle {
  std::uint32_t saddle;  ///< number
  std::uint64_t path;    ///< before which path ...
  std::uint64_t cell;    ///< ... and which cell of those that were found
};

struct DeviceConnectors {
  DevicePaths paths;
  Array<LeftSaddle> left;  ///< ascending
};
/// `saddles`: critical triangles; `edges`: numbers of the critical edges, both in the order of their numbers.
[[nodiscard]] DeviceConnectors trace_connectors(const DeviceGradient<3>& gradient,
                                                std::span<const Saddle> saddles,
                                                std::span<const std::uint32_t> edges, const Monitor& monitor);

}  // namespace tessera::detail::cuda
