#include <tessera/exec/primitives.h>
#include <tessera/topology/detail/cuda/analyses.h>
#include <tessera/topology/detail/sortable.h>
#include <tessera/exec/for_each.cuh>

namespace tessera::detail::cuda {
namespace {

using std::size_t;
using std::uint32_t;
using std::uint64_t;

template <class T>
__device__ bool is_nan(T value) {
  return value != value;
}

/// The keys of values with 64 bits are their places in the sorted sequence; sorting is stable.
template <class T>
Buffer<uint64_t> places_of(const Exec& exec, const Buffer<T>& values, uint32_t* nan) {
  const size_t n = values.size();
  Buffer<uint64_t> keys(exec, n);
  Buffer<uint32_t> ids(exec, n);
  cuda::for_each(exec, n,
                 [value = values.data(), key = keys.data(), id = ids.data(), nan] __device__(size_t v) {
                   if (is_nan(value[v])) *nan = 1;
                   key[v] = sortable(value[v]);
                   id[v] = static_cast<uint32_t>(v);
                 });
  sort_pairs<uint64_t, uint32_t>(exec, keys.span(), ids.span());
  cuda::for_each(exec, n, [id = ids.data(), place = keys.data()] __device__(size_t i) { place[id[i]] = i; });
  return keys;
}

template <class T>
void fill_order(const Exec& exec, std::span<const T> host_values, const uint32_t* to_input, uint32_t* nan,
                Buffer<VertexOrderKey>& order) {
  const size_t n = order.size();
  const Buffer<T> values(exec, host_values);
  if constexpr (sizeof(T) == 8) {
    const Buffer<uint64_t> places = places_of(exec, values, nan);
    cuda::for_each(exec, n, [place = places.data(), out = order.data(), to_input] __device__(size_t v) {
      out[v] = place[to_input == nullptr ? v : to_input[v]];
    });
  } else {
    cuda::for_each(exec, n, [value = values.data(), out = order.data(), to_input, nan] __device__(size_t v) {
      const uint32_t input = to_input == nullptr ? static_cast<uint32_t>(v) : to_input[v];
      if (is_nan(value[input])) *nan = 1;
      out[v] = uint64_t{sortable(value[input])} << 32 | input;
    });
  }
}

}  // namespace

template <int Dim>
Buffer<VertexOrderKey> compute_order(const Exec& exec, const TiledMesh<Dim>& tiles,
                                     const DeviceTiles<Dim>& on_device, const Field& field,
                                     const Monitor& monitor) {
  monitor.update("ordering the vertices", 0);
  const size_t n = on_device.vertex_count();
  if (field.components() != 1 || field.size() != n) {
    (void)tessera::compute_order(tiles, field, exec);  // which says what is wrong
  }
  Buffer<VertexOrderKey> order(exec, n);
  const uint32_t no = 0;
  Buffer<uint32_t> nan(exec, std::span(&no, 1));
  field.visit([&]<class T>(std::span<const T> values) {
    fill_order(exec, values, on_device.vertex_to_input.data(), nan.data(), order);
  });
  if (nan.to_host()[0] != 0) (void)tessera::compute_order(tiles, field, exec);  // likewise
  monitor.update("ordering the vertices", 1);
  return order;
}

template Buffer<VertexOrderKey> compute_order(const Exec&, const TiledMesh<2>&, const DeviceTiles<2>&,
                                              const Field&, const Monitor&);
template Buffer<VertexOrderKey> compute_order(const Exec&, const TiledMesh<3>&, const DeviceTiles<3>&,
                                              const Field&, const Monitor&);

}  // namespace tessera::detail::cuda
