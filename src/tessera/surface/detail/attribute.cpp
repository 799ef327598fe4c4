#include <tessera/surface/attribute.h>

#include <tessera/core/config.h>
#include <tessera/exec/detail/side.h>
#include <tessera/surface/detail/attribute_loops.h>
#include <tessera/surface/detail/cuda/attribute.h>
#include <tessera/surface/detail/surface_store.h>

namespace tessera {

using namespace detail;

namespace {

/// f(side) on the host; on a device the function of the same meaning that nvcc compiled.
template <class OnDevice, class OnHost>
decltype(auto) on_either_side(const Exec& exec, const OnDevice& on_device, const OnHost& on_host) {
  if constexpr (built_with_cuda) {
    if (exec.is_cuda()) return on_device();
  }
  return on_host(HostSide{exec});
}

}  // namespace

namespace detail {

void gather_elements(const Exec& exec, const void* from, std::span<const std::uint32_t> order, void* to,
                     std::size_t count, std::size_t width) {
  const ElementCopy copy = {from, to, order, count, width};
  on_either_side(
      exec, [&] { cuda::gather(exec, copy); }, [&](const HostSide& side) { gather(side, copy); });
}

void scatter_elements(const Exec& exec, const void* from, std::span<const std::uint32_t> order, void* to,
                      std::size_t count, std::size_t width) {
  const ElementCopy copy = {from, to, order, count, width};
  on_either_side(
      exec, [&] { cuda::scatter(exec, copy); }, [&](const HostSide& side) { scatter(side, copy); });
}

void fill_elements(const Exec& exec, const void* value, void* to, std::size_t count, std::size_t width) {
  const ElementCopy copy = {value, to, {}, count, width};
  on_either_side(
      exec, [&] { cuda::fill(exec, copy); }, [&](const HostSide& side) { fill(side, copy); });
}

}  // namespace detail

template <ReducibleNumber T>
SumOf<T> sum_elements(const Exec& exec, const T* values, std::size_t count, Stride stride) {
  return on_either_side(
      exec, [&] { return cuda::sum(exec, values, count, stride); },
      [&](const HostSide& side) { return sum(side, values, count, stride); });
}
template <ReducibleNumber T>
SumOf<T> dot_elements(const Exec& exec, const T* a, const T* b, std::size_t count) {
  return on_either_side(
      exec, [&] { return cuda::dot(exec, a, b, count); },
      [&](const HostSide& side) { return dot(side, a, b, count); });
}
template <ReducibleNumber T>
Extreme<T> find_extreme(const Exec& exec, const T* values, std::size_t count, bool greatest) {
  return on_either_side(
      exec, [&] { return cuda::extreme(exec, values, count, greatest); },
      [&](const HostSide& side) { return extreme(side, values, count, greatest); });
}

#define TS_INSTANTIATE(T)                                                          \
  template SumOf<T> sum_elements<T>(const Exec&, const T*, std::size_t, Stride);   \
  template SumOf<T> dot_elements<T>(const Exec&, const T*, const T*, std::size_t); \
  template Extreme<T> find_extreme<T>(const Exec&, const T*, std::size_t, bool);
TS_INSTANTIATE(std::int8_t)
TS_INSTANTIATE(std::uint8_t)
TS_INSTANTIATE(std::int16_t)
TS_INSTANTIATE(std::uint16_t)
TS_INSTANTIATE(std::int32_t)
TS_INSTANTIATE(std::uint32_t)
TS_INSTANTIATE(std::int64_t)
TS_INSTANTIATE(std::uint64_t)
TS_INSTANTIATE(float)
TS_INSTANTIATE(double)
#undef TS_INSTANTIATE

template <class IdType>
Attribute<IdType, std::uint8_t> boundary_flags(const Surface& surface) {
  Attribute<IdType, std::uint8_t> flags(surface);
  std::uint8_t* out = flags.view().data();
  constexpr Kind kind = kind_of_id<IdType>;
  on_either_side(
      surface.exec(), [&] { cuda::flag_boundary(surface, kind, out); },
      [&](const HostSide& side) { flag_boundary(side, surface, kind, out); });
  return flags;
}
template Attribute<VertexId, std::uint8_t> boundary_flags<VertexId>(const Surface&);
template Attribute<EdgeId, std::uint8_t> boundary_flags<EdgeId>(const Surface&);
template Attribute<FaceId, std::uint8_t> boundary_flags<FaceId>(const Surface&);

VertexAttribute<std::uint32_t> valences(const Surface& surface) {
  VertexAttribute<std::uint32_t> counts(surface);
  std::uint32_t* out = counts.view().data();
  on_either_side(
      surface.exec(), [&] { cuda::count_edges(surface, out); },
      [&](const HostSide& side) { count_edges(side, surface, out); });
  return counts;
}

template <class Real>
VertexAttribute<Vec3<Real>> positions(const Surface& surface) {
  VertexAttribute<Vec3<Real>> result(surface);
  surface.store().fill_positions(result.view().data());
  return result;
}
template VertexAttribute<Vec3f> positions<float>(const Surface&);
template VertexAttribute<Vec3d> positions<double>(const Surface&);

}  // namespace tessera
