#include <tessera/surface/neighbourhoods.h>

#include <limits>
#include <optional>

#include <tessera/core/config.h>
#include <tessera/exec/detail/side.h>
#include <tessera/surface/attribute.h>
#include <tessera/surface/detail/cuda/neighbourhoods.h>
#include <tessera/surface/detail/neighbourhood_rows.h>

namespace tessera {

using namespace detail;

namespace {

Neighbourhoods make(const RingJob& job) {
  const Exec& exec = job.surface.exec();
  if constexpr (built_with_cuda) {
    if (exec.is_cuda()) return cuda::make_neighbourhoods(exec, job);
  }
  return make_neighbourhoods(HostSide{exec}, job);
}

}  // namespace

Neighbourhoods compute_k_rings(const Surface& surface, Kind from, std::uint32_t k,
                               const NeighbourhoodOptions& options) {
  if (from == Kind::tet) throw Error(ErrorCode::bad_option, "a surface has no tetrahedra to gather rings of");
  return make({surface, from, k, nullptr, 0, options});
}

Neighbourhoods compute_neighbourhoods(const Surface& surface, double radius,
                                      const NeighbourhoodOptions& options) {
  if (!(radius >= 0)) throw Error(ErrorCode::bad_option, "the radius of a neighbourhood is negative or NaN");
  const auto at = positions<double>(surface);
  constexpr std::uint32_t any_number = std::numeric_limits<std::uint32_t>::max();
  return make({surface, Kind::vertex, any_number, at.view().data(), radius * radius, options});
}

}  // namespace tessera
