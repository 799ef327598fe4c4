// Separatrices between saddles and extrema, a thread for each path: one walk counts its cells, a second one
// names them.
#include <utility>

#include <tessera/core/macros.h>
#include <tessera/topology/detail/cuda/analyses.h>
#include <tessera/exec/for_each.cuh>
#include <tessera/topology/detail/cuda/device_numbers.cuh>

namespace tessera::detail::cuda {
namespace {

using std::size_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

constexpr uint32_t none = 0xFFFFFFFFu;

/// Vertices that flow down over edges to minima.
struct Down {
  static constexpr uint32_t dimension = 0;
  const uint32_t* offsets;
  const uint32_t* lower;

  [[nodiscard]] __device__ bool is_end(uint32_t v) const { return offsets[v] == offsets[v + 1]; }
  [[nodiscard]] __device__ uint32_t next(uint32_t v) const { return lower[offsets[v]]; }
  [[nodiscard]] __device__ CellName via(uint32_t v) const { return {offsets[v], 0, 1}; }
};

/// Cells that flow up over facets to maxima.
template <int Dim>
struct Up {
  static constexpr uint32_t dimension = Dim;
  const uint32_t* offsets;
  const uint32_t* lower;
  const uint8_t* opposite;
  const uint32_t* next_cell;
  const typename DeviceTiles<Dim>::Cell* cells;
  const VertexOrderKey* order;

  [[nodiscard]] __device__ bool is_end(uint32_t cell) const {
    return opposite[cell] == GradientData<Dim>::critical;
  }
  [[nodiscard]] __device__ uint32_t next(uint32_t cell) const { return next_cell[cell]; }
  /// The facet that the cell is paired with: its highest vertex, and where the others are in that one's row.
  [[nodiscard]] __device__ CellName via(uint32_t cell) const {
    uint32_t vertices[Dim];  // by descending order
    for (uint32_t k = 0, count = 0; k <= Dim; ++k) {
      if (k == opposite[cell]) continue;
      const uint32_t v = cells[cell][k];
      uint32_t at = count++;
      for (; at > 0 && order[vertices[at - 1]] < order[v]; --at) vertices[at] = vertices[at - 1];
      vertices[at] = v;
    }
    const uint32_t first = offsets[vertices[0]];
    uint32_t place = first;
    while (lower[place] != vertices[1]) ++place;
    if constexpr (Dim == 2) return {place, 0, 1};
    uint32_t low = first;
    while (lower[low] != vertices[Dim - 1]) ++low;
    return {place, low - first, 2};
  }
};

/// Paths from beside the saddles, in the order of `starts`; those that end nowhere are left out.
template <class Flow>
DevicePaths trace(const Exec& exec, const Flow& flow, SeparatrixType type, const Buffer<Saddle>& saddles,
                  const Buffer<PathStart>& starts, std::span<const uint32_t> extrema,
                  const Monitor& monitor) {
  const char* const stage = Flow::dimension == 0 ? "tracing descending paths" : "tracing ascending paths";
  monitor.update(stage, 0);
  const DeviceNumbers numbers(exec, extrema);
  Buffer<uint32_t> counted(exec, starts.size());
  Buffer<uint32_t> reached(exec, starts.size());
  Buffer<uint8_t> is_kept(exec, starts.size());
  cuda::for_each(exec, starts.size(),
                 [flow, start = starts.data(), size = counted.data(), end = reached.data(),
                  kept = is_kept.data()] __device__(size_t s) {
                   uint32_t at = start[s].cell;
                   uint32_t cells = 2;
                   for (; at != none && !flow.is_end(at); at = flow.next(at)) cells += 2;
                   size[s] = cells;
                   end[s] = at;
                   kept[s] = at != none ? 1 : 0;
                 });
  monitor.update(stage, 0.4);
  Buffer<uint32_t> kept(exec, starts.size());
  const size_t count = compact_indices(exec, std::as_const(is_kept).span(), kept.span());
  DevicePaths paths{Buffer<Separatrices::Ends>(exec, count), Buffer<uint32_t>(exec, count), {}};
  cuda::for_each(
      exec, count,
      [type, start = starts.data(), path = kept.data(), size = counted.data(), end = reached.data(),
       number = numbers.view(), ends = paths.ends.data(), sizes = paths.sizes.data()] __device__(size_t p) {
        const uint32_t s = path[p];
        ends[p] = {type, start[s].saddle, static_cast<uint32_t>(number[end[s]])};
        sizes[p] = size[s];
      });
  Buffer<uint64_t> first_cell(exec, count + 1);
  exclusive_scan<uint32_t, uint64_t>(exec, std::as_const(paths.sizes).span(), first_cell.span());
  uint64_t total = 0;
  detail::copy(exec, &total, first_cell.data() + count, sizeof(total), detail::CopyKind::to_host);
  monitor.update(stage, 0.6);
  paths.cells = Buffer<CellName>(exec, total);
  cuda::for_each(exec, count,
                 [flow, saddle = saddles.data(), start = starts.data(), path = kept.data(),
                  first = first_cell.data(), cells = paths.cells.data()] __device__(size_t p) {
                   const PathStart from = start[path[p]];
                   CellName* cell = cells + first[p];
                   *cell++ = saddle[from.saddle].name;
                   uint32_t at = from.cell;
                   *cell++ = {at, 0, Flow::dimension};
                   while (!flow.is_end(at)) {
                     *cell++ = flow.via(at);
                     at = flow.next(at);
                     *cell++ = {at, 0, Flow::dimension};
                   }
                 });
  return paths;
}

}  // namespace

template <int Dim>
DevicePaths trace_descending(const DeviceGradient<Dim>& gradient, std::span<const Saddle> saddles,
                             std::span<const uint32_t> minima, const Monitor& monitor) {
  const Exec& exec = gradient.exec();
  const Buffer<Saddle> from(exec, saddles);
  Buffer<PathStart> starts(exec, 2 * saddles.size());
  cuda::for_each(
      exec, starts.size(),
      [saddle = from.data(), lower = gradient.lower.data(), out = starts.data()] __device__(size_t s) {
        const Saddle& edge = saddle[s / 2];
        out[s] = {static_cast<uint32_t>(s / 2), s % 2 == 0 ? edge.highest : lower[edge.name.id]};
      });
  return trace(exec, Down{gradient.offsets.data(), gradient.lower.data()}, SeparatrixType::descending, from,
               starts, minima, monitor);
}

template <int Dim>
DevicePaths trace_ascending(const DeviceGradient<Dim>& gradient, std::span<const Saddle> saddles,
                            std::span<const PathStart> starts, std::span<const uint32_t> maxima,
                            const Monitor& monitor) {
  const Exec& exec = gradient.exec();
  const Up<Dim> flow{gradient.offsets.data(), gradient.lower.data(),        gradient.opposite.data(),
                     gradient.next.data(),    gradient.tiles->cells.data(), gradient.order.data()};
  return trace(exec, flow, SeparatrixType::ascending, Buffer<Saddle>(exec, saddles),
               Buffer<PathStart>(exec, starts), maxima, monitor);
}

template DevicePaths trace_descending(const DeviceGradient<2>&, std::span<const Saddle>,
                                      std::span<const uint32_t>, const Monitor&);
template DevicePaths trace_descending(const DeviceGradient<3>&, std::span<const Saddle>,
                                      std::span<const uint32_t>, const Monitor&);
template DevicePaths trace_ascending(const DeviceGradient<2>&, std::span<const Saddle>,
                                     std::span<const PathStart>, std::span<const uint32_t>, const Monitor&);
template DevicePaths trace_ascending(const DeviceGradient<3>&, std::span<const Saddle>,
                                     std::span<const PathStart>, std::span<const uint32_t>, const Monitor&);

}  // namespace tessera::detail::cuda
