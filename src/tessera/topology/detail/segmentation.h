// Labels of vertices by the extrema that they flow to.
#pragma once

#include <cstdint>

#include <tessera/core/array.h>
#include <tessera/topology/detail/gradient_data.h>
#include <tessera/topology/morse_smale.h>

namespace tessera::detail {

/// Can the device that computed the gradient go on with it?
template <int Dim>
[[nodiscard]] bool is_usable_on_device(const GradientData<Dim>& gradient, const Exec& exec) {
  return exec.is_cuda() && gradient.on_device() != nullptr;
}

/// Works in place of `next`, the gradient's; a device needs none.
template <int Dim>
[[nodiscard]] Segmentation find_segmentation(const GradientData<Dim>& gradient, Array<std::uint32_t> next,
                                             const MorseSmaleOptions<Dim>& options);

}  // namespace tessera::detail
