// The analyses of a grid on a device. Plain C++, so that host code can call it.
#pragma once

#include <array>
#include <cstdint>

#include <tessera/exec/buffer.h>
#include <tessera/topology/critical_points.h>
#include <tessera/topology/detail/field_order.h>
#include <tessera/topology/detail/grid_star.h>
#include <tessera/topology/gradient.h>

namespace tessera::detail::cuda {

struct DeviceCriticalPoints {
  Buffer<CriticalPoint> points;  ///< ascending by vertex
  bool has_nan = false;          ///< a value is not a number: nothing was found
};

/// The critical points of values on a device, a number for each vertex. Besides the result it takes 4 bytes
/// for every 32 vertices of a row, begun ones included.
template <int Dim, class T>
[[nodiscard]] DeviceCriticalPoints find_critical_points(const GridLattice& lattice, const Buffer<T>& values,
                                                        const Monitor& monitor);

/// The arrays of a GridGradient.
struct DeviceGridGradient {
  Buffer<std::uint64_t> rows;
  Buffer<std::uint16_t> tops;
  Buffer<CriticalCell> critical;             ///< by dimension, in the order of their numbers
  std::array<std::uint32_t, 4> counts = {};  ///< of each dimension
};

/// `order` lies on exec, which is a device.
template <int Dim>
[[nodiscard]] DeviceGridGradient pair_grid(const GridLattice& lattice, const FieldOrderView& order,
                                           const Exec& exec, const Monitor& monitor);

}  // namespace tessera::detail::cuda
