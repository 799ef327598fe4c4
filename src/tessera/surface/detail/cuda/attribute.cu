#include <tessera/surface/detail/cuda/attribute.h>

#include <tessera/exec/detail/side.cuh>

namespace tessera::detail::cuda {

void gather(const Exec& exec, const ElementCopy& copy) {
  detail::gather(DeviceSide{exec}, copy);
}
void scatter(const Exec& exec, const ElementCopy& copy) {
  detail::scatter(DeviceSide{exec}, copy);
}
void fill(const Exec& exec, const ElementCopy& copy) {
  detail::fill(DeviceSide{exec}, copy);
}
void flag_boundary(const Surface& surface, Kind kind, std::uint8_t* out) {
  detail::flag_boundary(DeviceSide{surface.exec()}, surface, kind, out);
}
void count_edges(const Surface& surface, std::uint32_t* out) {
  detail::count_edges(DeviceSide{surface.exec()}, surface, out);
}

template <class T>
SumOf<T> sum(const Exec& exec, const T* values, std::size_t count, Stride stride) {
  return detail::sum(DeviceSide{exec}, values, count, stride);
}
template <class T>
SumOf<T> dot(const Exec& exec, const T* a, const T* b, std::size_t count) {
  return detail::dot(DeviceSide{exec}, a, b, count);
}
template <class T>
Extreme<T> extreme(const Exec& exec, const T* values, std::size_t count, bool greatest) {
  return detail::extreme(DeviceSide{exec}, values, count, greatest);
}

#define TS_INSTANTIATE(T)                                                 \
  template SumOf<T> sum<T>(const Exec&, const T*, std::size_t, Stride);   \
  template SumOf<T> dot<T>(const Exec&, const T*, const T*, std::size_t); \
  template Extreme<T> extreme<T>(const Exec&, const T*, std::size_t, bool);
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

}  // namespace tessera::detail::cuda
