// edit() (edit.h) on host threads or on a GPU, for translation units that nvcc compiles.
#pragma once

#include <tessera/surface/edit.h>
#include <tessera/surface/surface.cuh>

namespace tessera {

inline namespace both_sides {

/// As edit() of edit.h; on a device each phase of a round is one kernel.
template <class Operator>
EditReport edit(const DynamicSurface& surface, const Operator& op, const EditOptions& options = {}) {
  return detail::run_edit(surface, op, options, detail::RunOnEitherSide{});
}
template <class Operator>
EditReport edit(const DynamicSurface& surface, CavitySets& sets, const Operator& op,
                const EditOptions& options = {}) {
  return detail::run_edit(surface, sets, op, options, detail::RunOnEitherSide{});
}

}  // namespace both_sides
}  // namespace tessera
