// Key-reduce (key_reduce.h) of data that lies on a device, for those who write kernels: the caller's map,
// merge and finish are functions of the device, and nothing but sizes comes to the host.
//
//   const auto sums = key_reduce<double>(exec, items, map, add);     map(item) -> Emitted<double>
//   const Buffer<double> means = finish(exec, sums, divide);         divide(sum, count) -> double
//
// Functions are TS_LAMBDAs or objects whose operator() is TS_HD, as for_each takes them. Spans and what the
// functions read lie at exec's place; with host threads the same calls work on host memory. Keys, numbers,
// the choice of the method and the order of merging are those of key_reduce.h, so that results are its bytes,
// sums of floating-point numbers included.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <tessera/core/csr.h>
#include <tessera/core/id.h>
#include <tessera/core/macros.h>
#include <tessera/exec/buffer.h>
#include <tessera/generate/key_reduce.h>
#include <tessera/exec/buffers.cuh>
#include <tessera/exec/for_each.cuh>

namespace tessera {

/// KeyGroups at an Exec's place.
struct KeyBuffers {
  Buffer<std::uint64_t> keys;    ///< for each output, ascending
  Buffer<VertexId> connections;  ///< for each item: its output
  Buffer<std::uint32_t> counts;  ///< for each output: how many items it stands for

  [[nodiscard]] std::size_t size() const { return keys.size(); }
};

/// A Csr at an Exec's place.
template <class T>
struct RowBuffers {
  Buffer<std::uint32_t> offsets;
  Buffer<T> values;

  [[nodiscard]] RowsView<T> view() const { return {offsets.data(), values.data()}; }
};

/// Groups items by their keys. Besides the result and for a moment: direct 12 bits for every key in range,
/// sorted 24 to 32 bytes an item. Waits for the device to learn the range of the keys and how many outputs
/// there are. At most 2^32 - 2 items (Error(unsupported)).
[[nodiscard]] KeyBuffers group_keys(const Exec& exec, std::span<const std::uint64_t> keys,
                                    KeyMethod method = KeyMethod::automatic);
/// The same into the caller's array and without counts. Returns the keys of the outputs.
[[nodiscard]] Buffer<std::uint64_t> fill_connections(const Exec& exec, std::span<const std::uint64_t> keys,
                                                     std::span<VertexId> connections,
                                                     KeyMethod method = KeyMethod::automatic);
/// For each output the number of items it stands for. Every connection must be below `outputs`.
[[nodiscard]] Buffer<std::uint32_t> count_items(const Exec& exec, std::span<const VertexId> connections,
                                                std::size_t outputs);
/// For each output its items, ascending: a stable sort, so rows may have any length.
[[nodiscard]] RowBuffers<std::uint32_t> group_items(const Exec& exec, std::span<const VertexId> connections,
                                                    std::size_t outputs);

namespace detail {

template <class CellId>
struct CellOfItem {
  const std::uint32_t* items;
  std::uint32_t corners;
  CellId* cells;
  TS_HD void operator()(std::size_t i) const { cells[i] = CellId(items[i] / corners); }
};

template <class Value, class Merge>
struct FoldRow {
  RowsView<std::uint32_t> rows;
  const Value* from;
  Merge merge;
  Value* to;
  TS_HD void operator()(std::size_t output) const {
    const std::uint32_t end = rows.offsets[output + 1];
    std::uint32_t i = rows.offsets[output];
    Value merged = from[rows.values[i]];
    while (++i < end) merged = merge(merged, from[rows.values[i]]);
    to[output] = merged;
  }
};

template <class Emitted, class Map>
struct EmitItem {
  Map map;
  std::uint64_t* keys;
  decltype(Emitted::value)* values;
  TS_HD void operator()(std::size_t item) const {
    const Emitted emitted = map(item);
    keys[item] = emitted.key;
    values[item] = emitted.value;
  }
};

template <class Value, class Transform, class Result>
struct FinishOutput {
  const Value* values;
  const std::uint32_t* counts;
  Transform transform;
  Result* results;
  TS_HD void operator()(std::size_t output) const {
    results[output] = transform(values[output], counts[output]);
  }
};

/// What the items of joined reductions are connected to, and how many they were.
struct JoinItems {
  const VertexId* from;
  const VertexId* place;  ///< of the reduction's outputs among the joined ones
  VertexId* to;
  TS_HD void operator()(std::size_t item) const { to[item] = place[from[item].index()]; }
};
struct JoinCounts {
  const std::uint32_t* from;
  const VertexId* place;
  std::uint32_t* to;  ///< outputs of one reduction are different, so none is written twice
  TS_HD void operator()(std::size_t output) const { to[place[output].index()] += from[output]; }
};

}  // namespace detail

/// The cells around each vertex, ascending. A cell that names a vertex twice is listed twice.
template <class CellId, std::size_t Corners>
[[nodiscard]] RowBuffers<CellId> vertex_incidence(const Exec& exec,
                                                  std::span<const std::array<VertexId, Corners>> cells,
                                                  std::size_t vertices) {
  RowBuffers<std::uint32_t> items = group_items(exec, corners_of(cells), vertices);
  RowBuffers<CellId> rows{std::move(items.offsets), Buffer<CellId>(exec, items.values.size())};
  for_each(exec, items.values.size(),
           detail::CellOfItem<CellId>{items.values.data(), static_cast<std::uint32_t>(Corners),
                                      rows.values.data()});
  return rows;
}

/// What a map makes of an item.
template <class Value>
struct Emitted {
  std::uint64_t key;
  Value value;
};

/// A Reduction at an Exec's place.
template <class Value>
struct ReductionBuffers {
  KeyBuffers groups;
  Buffer<Value> values;  ///< for each output

  [[nodiscard]] std::size_t size() const { return groups.size(); }
};

/// Merges the values of equal keys: merge(a, b) -> Value, folded from the left in the order of the items.
template <class Value, class Merge>
[[nodiscard]] ReductionBuffers<Value> key_reduce(const Exec& exec, std::span<const std::uint64_t> keys,
                                                 std::span<const Value> values, const Merge& merge,
                                                 KeyMethod method = KeyMethod::automatic) {
  TS_EXPECTS(keys.size() == values.size());
  ReductionBuffers<Value> result{group_keys(exec, keys, method), {}};
  const RowBuffers<std::uint32_t> rows = group_items(exec, result.groups.connections.span(), result.size());
  result.values = Buffer<Value>(exec, result.size());
  for_each(exec, result.size(),
           detail::FoldRow<Value, Merge>{rows.view(), values.data(), merge, result.values.data()});
  return result;
}

/// The same for items that map(item) -> Emitted<Value> makes on the spot.
template <class Value, class Map, class Merge>
[[nodiscard]] ReductionBuffers<Value> key_reduce(const Exec& exec, std::size_t items, const Map& map,
                                                 const Merge& merge,
                                                 KeyMethod method = KeyMethod::automatic) {
  Buffer<std::uint64_t> keys(exec, items);
  Buffer<Value> values(exec, items);
  for_each(exec, items, detail::EmitItem<Emitted<Value>, Map>{map, keys.data(), values.data()});
  return key_reduce<Value>(exec, std::as_const(keys).span(), std::as_const(values).span(), merge, method);
}

/// Two reductions as one: the items of `first`, then those of `second`. Counts add up.
template <class Value, class Merge>
[[nodiscard]] ReductionBuffers<Value> join(const Exec& exec, const ReductionBuffers<Value>& first,
                                           const ReductionBuffers<Value>& second, const Merge& merge,
                                           KeyMethod method = KeyMethod::automatic) {
  const Buffer<std::uint64_t> keys = detail::cuda::joined(exec, first.groups.keys, second.groups.keys);
  const Buffer<Value> values = detail::cuda::joined(exec, first.values, second.values);
  ReductionBuffers<Value> result = key_reduce<Value>(exec, keys.span(), values.span(), merge, method);
  const Buffer<VertexId> place = std::move(result.groups.connections);
  const std::size_t items = first.groups.connections.size();
  result.groups.connections = Buffer<VertexId>(exec, items + second.groups.connections.size());
  result.groups.counts = detail::cuda::filled<std::uint32_t>(exec, result.size(), 0);
  const auto add = [&](const ReductionBuffers<Value>& part, std::size_t first_output,
                       std::size_t first_item) {
    const VertexId* const at = place.data() + first_output;
    for_each(
        exec, part.groups.connections.size(),
        detail::JoinItems{part.groups.connections.data(), at, result.groups.connections.data() + first_item});
    for_each(exec, part.size(),
             detail::JoinCounts{part.groups.counts.data(), at, result.groups.counts.data()});
  };
  add(first, 0, 0);
  add(second, first.size(), items);
  return result;
}

/// Completes a reduction: transform(value, count) for each output.
template <class Value, class Transform>
[[nodiscard]] auto finish(const Exec& exec, const ReductionBuffers<Value>& reduction,
                          const Transform& transform) {
  using Result = std::decay_t<std::invoke_result_t<Transform, Value, std::uint32_t>>;
  Buffer<Result> results(exec, reduction.size());
  for_each(exec, reduction.size(),
           detail::FinishOutput<Value, Transform, Result>{
               reduction.values.data(), reduction.groups.counts.data(), transform, results.data()});
  return results;
}

}  // namespace tessera
