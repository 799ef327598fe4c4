#include <tessera/exec/detail/cuda/primitives.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/cub.cuh>

#include <tessera/exec/buffer.h>
#include <tessera/exec/cuda.cuh>
#include <tessera/exec/detail/reduce.cuh>

namespace tessera::detail::cuda {
namespace {

/// Calls a CUB algorithm twice, as CUB wants it: once for the size of its workspace, once for the work.
template <class Call>
void with_workspace(const Exec& exec, const char* what, const Call& call) {
  const CurrentDevice current(exec);
  std::size_t bytes = 0;
  check_cuda(exec, call(nullptr, bytes), what);
  Buffer<char> workspace(exec, bytes);
  check_cuda(exec, call(workspace.data(), bytes), what);
}

/// Runs a CUB algorithm that counts what it selects, and returns the count.
template <class Call>
std::size_t counted(const Exec& exec, const char* what, const Call& call) {
  Buffer<uint64_t> count(exec, 1);
  with_workspace(exec, what,
                 [&](void* space, std::size_t& bytes) { return call(space, bytes, count.data()); });
  return count.to_host()[0];
}

/// in[i] up to n, then zero: lets one scan also write the total.
template <class In, class Out>
struct PaddedInput {
  const In* in;
  std::size_t n;
  __host__ __device__ Out operator()(std::size_t i) const { return i < n ? static_cast<Out>(in[i]) : Out{}; }
};

template <class T>
struct Sum {
  __host__ __device__ T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct MinMaxOf {
  const T* values;
  __host__ __device__ MinMax<T> operator()(std::size_t i) const { return min_max_of(values[i]); }
};
template <class T>
struct MergeMinMax {
  __host__ __device__ MinMax<T> operator()(MinMax<T> a, MinMax<T> b) const { return merge_min_max(a, b); }
};

}  // namespace

template <class T>
T reduce_sum(const Exec& exec, std::span<const T> values) {
  return reduce(exec, values.size(), T{}, reduce_order::Loaded<T>{values.data()}, Sum<T>{});
}

template <class T>
MinMax<T> reduce_min_max(const Exec& exec, std::span<const T> values) {
  return reduce(exec, values.size(), no_values<T>(), MinMaxOf<T>{values.data()}, MergeMinMax<T>{});
}

namespace {

/// What one block does alone, without memory of its own: for less than that, starting a second kernel takes
/// longer than the work.
constexpr int small_threads = 1024;
constexpr std::size_t small_scan = 8192;
constexpr std::size_t small_selection = 32768;

/// The part of [0, n) of this thread of the only block.
struct SmallPart {
  std::size_t begin;
  std::size_t end;
};
__device__ inline SmallPart small_part(std::size_t n) {
  const std::size_t each = (n + small_threads - 1) / small_threads;
  const std::size_t begin = threadIdx.x * each;
  return {begin < n ? begin : n, begin + each < n ? begin + each : n};
}

template <class In, class Out>
__global__ void __launch_bounds__(small_threads)
    scan_small(PaddedInput<In, Out> in, Out* out, std::size_t n) {
  using Scan = cub::BlockScan<Out, small_threads>;
  __shared__ typename Scan::TempStorage shared;
  const SmallPart part = small_part(n);
  Out sum{};
  for (std::size_t i = part.begin; i < part.end; ++i) sum += in(i);
  Scan(shared).ExclusiveScan(sum, sum, Out{}, Sum<Out>{});
  for (std::size_t i = part.begin; i < part.end; ++i) {
    const Out value = in(i);  // before it is written over
    out[i] = sum;
    sum += value;
  }
}
__global__ void __launch_bounds__(small_threads)
    select_small(const uint8_t* flags, uint32_t* out, uint32_t* count, std::size_t n) {
  using Scan = cub::BlockScan<uint32_t, small_threads>;
  __shared__ typename Scan::TempStorage shared;
  const SmallPart part = small_part(n);
  uint32_t place = 0;
  for (std::size_t i = part.begin; i < part.end; ++i) place += flags[i] != 0 ? 1 : 0;
  uint32_t total = 0;
  Scan(shared).ExclusiveSum(place, place, total);
  for (std::size_t i = part.begin; i < part.end; ++i) {
    if (flags[i] != 0) out[place++] = static_cast<uint32_t>(i);
  }
  if (threadIdx.x == 0) *count = total;
}

}  // namespace

template <Summable In, Summable Out>
void exclusive_scan(const Exec& exec, std::span<const In> in, std::span<Out> out) {
  if (out.empty()) return;
  if (out.size() <= small_scan) {
    const CurrentDevice current(exec);
    scan_small<In, Out>
        <<<1, small_threads, 0, cuda_stream(exec)>>>({in.data(), in.size()}, out.data(), out.size());
    return check_launch(exec, "scanning");
  }
  with_workspace(exec, "scanning", [&](void* space, std::size_t& bytes) {
    if constexpr (std::is_same_v<In, Out> && Index<In>) {
      if (out.size() == in.size()) {
        return cub::DeviceScan::ExclusiveSum(space, bytes, in.data(), out.data(), in.size(),
                                             cuda_stream(exec));
      }
    }
    const auto padded = thrust::make_transform_iterator(thrust::counting_iterator<std::size_t>(0),
                                                        PaddedInput<In, Out>{in.data(), in.size()});
    return cub::DeviceScan::ExclusiveScan(space, bytes, padded, out.data(), Sum<Out>{}, Out{}, out.size(),
                                          cuda_stream(exec));
  });
}

template <Index Key>
void sort_keys(const Exec& exec, std::span<Key> keys, int bits) {
  Buffer<Key> other(exec, keys.size());
  cub::DoubleBuffer<Key> sides(keys.data(), other.data());
  with_workspace(exec, "sorting", [&](void* space, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(space, bytes, sides, keys.size(), 0, bits, cuda_stream(exec));
  });
  if (sides.Current() != keys.data()) {
    detail::copy(exec, keys.data(), sides.Current(), keys.size_bytes(), detail::CopyKind::on_device);
  }
}

template <Index Key, Index Value>
void sort_pairs(const Exec& exec, std::span<Key> keys, std::span<Value> values, int bits) {
  Buffer<Key> other_keys(exec, keys.size());
  Buffer<Value> other_values(exec, values.size());
  cub::DoubleBuffer<Key> key_sides(keys.data(), other_keys.data());
  cub::DoubleBuffer<Value> value_sides(values.data(), other_values.data());
  with_workspace(exec, "sorting", [&](void* space, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(space, bytes, key_sides, value_sides, keys.size(), 0, bits,
                                           cuda_stream(exec));
  });
  if (key_sides.Current() == keys.data()) return;
  detail::copy(exec, keys.data(), key_sides.Current(), keys.size_bytes(), detail::CopyKind::on_device);
  detail::copy(exec, values.data(), value_sides.Current(), values.size_bytes(), detail::CopyKind::on_device);
}

template <Index Key>
std::size_t run_lengths(const Exec& exec, std::span<const Key> keys, std::span<Key> run_keys,
                        std::span<uint32_t> run_sizes) {
  if (keys.empty()) return 0;
  return counted(exec, "counting runs", [&](void* space, std::size_t& bytes, uint64_t* count) {
    return cub::DeviceRunLengthEncode::Encode(space, bytes, keys.data(), run_keys.data(), run_sizes.data(),
                                              count, static_cast<int64_t>(keys.size()), cuda_stream(exec));
  });
}

template <Index Key>
std::size_t unique(const Exec& exec, std::span<const Key> keys, std::span<Key> out) {
  if (keys.empty()) return 0;
  return counted(exec, "removing repeats", [&](void* space, std::size_t& bytes, uint64_t* count) {
    return cub::DeviceSelect::Unique(space, bytes, keys.data(), out.data(), count,
                                     static_cast<int64_t>(keys.size()), cuda_stream(exec));
  });
}

template <Index Key, Index Value>
std::size_t reduce_by_key(const Exec& exec, std::span<const Key> keys, std::span<const Value> values,
                          std::span<Key> run_keys, std::span<Value> run_sums) {
  if (keys.empty()) return 0;
  return counted(exec, "summing by key", [&](void* space, std::size_t& bytes, uint64_t* count) {
    return cub::DeviceReduce::ReduceByKey(space, bytes, keys.data(), run_keys.data(), values.data(),
                                          run_sums.data(), count, Sum<Value>{},
                                          static_cast<int64_t>(keys.size()), cuda_stream(exec));
  });
}

template <Index T>
std::size_t compact(const Exec& exec, std::span<const T> values, std::span<const uint8_t> flags,
                    std::span<T> out) {
  if (values.empty()) return 0;
  return counted(exec, "compacting", [&](void* space, std::size_t& bytes, uint64_t* count) {
    return cub::DeviceSelect::Flagged(space, bytes, values.data(), flags.data(), out.data(), count,
                                      static_cast<int64_t>(values.size()), cuda_stream(exec));
  });
}

void compact_indices(const Exec& exec, std::span<const uint8_t> flags, std::span<uint32_t> out,
                     uint32_t* count) {
  if (flags.size() <= small_selection) {
    const CurrentDevice current(exec);
    select_small<<<1, small_threads, 0, cuda_stream(exec)>>>(flags.data(), out.data(), count, flags.size());
    return check_launch(exec, "compacting");
  }
  with_workspace(exec, "compacting", [&](void* space, std::size_t& bytes) {
    return cub::DeviceSelect::Flagged(space, bytes, thrust::counting_iterator<uint32_t>(0), flags.data(),
                                      out.data(), count, static_cast<int64_t>(flags.size()),
                                      cuda_stream(exec));
  });
}
std::size_t compact_indices(const Exec& exec, std::span<const uint8_t> flags, std::span<uint32_t> out) {
  if (flags.empty()) return 0;
  Buffer<uint32_t> count(exec, 1);
  cuda::compact_indices(exec, flags, out, count.data());
  return count.to_host()[0];
}

#include <tessera/exec/detail/instantiate_primitives.inc>

}  // namespace tessera::detail::cuda
