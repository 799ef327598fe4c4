// Key-reduce: what an algorithm makes from an input mesh gets its connectivity from the input's own elements.
// (Miller, Moreland, Ma: Finely-Threaded History-Based Topology Computation, sections 3 and 4.)
//
//   map        every input cell emits items on its own: a key that names an input element (an edge, a face, a
//              vertex) and a value. Two items with one key are the same output element.
//   partition  equal keys are found; outputs are numbered by ascending key.
//   reduce     the values of an output are merged, in the order of their items, and finished.
//
//   items        0    1    2    3    4    5           two triangles that share the edges 40 and 42
//   keys         40   41   42   42   40   99
//   connections  0    1    2    2    0    3           for every item the id of its output
//   outputs      0    1    2    3
//     keys       40   41   42   99
//     counts     2    1    2    1
//
// The result does not depend on the method, the number of threads or the order in which they run. A new
// generator is some thirty lines: examples/new_generator.cpp. For data on a device there is key_reduce.cuh.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <tessera/core/array.h>
#include <tessera/core/csr.h>
#include <tessera/core/id.h>
#include <tessera/core/macros.h>
#include <tessera/exec/exec.h>
#include <tessera/exec/for_each.h>

namespace tessera {

/// How equal keys are found.
enum class KeyMethod {
  automatic,  ///< direct where the keys are dense enough for it, else sorted
  direct,     ///< a bit for every key from the smallest to the largest is marked, then counted through
  sorted,     ///< radix sort of only the bits in which the keys differ
};

struct KeyOptions {
  KeyMethod method = KeyMethod::automatic;
  Exec exec = Exec::host();  ///< its host threads; key_reduce.cuh is for devices
};

/// The partition of emitted items. Invariants: keys ascend strictly; keys[connections[i]] is item i's key;
/// counts adds up to the number of items.
struct KeyGroups {
  Array<std::uint64_t> keys;    ///< for each output
  Array<VertexId> connections;  ///< for each item: its output
  Array<std::uint32_t> counts;  ///< for each output: how many items it stands for

  [[nodiscard]] std::size_t size() const { return keys.size(); }
};

/// Groups items by their keys. Direct: 12 bits for every key in range, the items read twice. Sorted: 24 bytes
/// an item for a moment. At most 2^32 - 2 items (Error(unsupported)).
[[nodiscard]] KeyGroups group_keys(std::span<const std::uint64_t> keys, const KeyOptions& options = {});

/// The same into the caller's array (the corners of the cells that are being made, say) and without counts.
/// Returns the keys of the outputs.
[[nodiscard]] Array<std::uint64_t> fill_connections(std::span<const std::uint64_t> keys,
                                                    std::span<VertexId> connections,
                                                    const KeyOptions& options = {});

/// Error(unsupported) if there are more items than can be numbered.
void expect_items(std::size_t items);

/// The method `automatic` chooses for so many items with keys in [smallest, largest].
[[nodiscard]] KeyMethod choose_key_method(std::size_t items, std::uint64_t smallest, std::uint64_t largest);

/// For each output the number of items it stands for.
[[nodiscard]] Array<std::uint32_t> count_items(std::span<const VertexId> connections, std::size_t outputs,
                                               const Exec& exec = Exec::host());
/// For each output its items, ascending. Every connection must be below `outputs`.
[[nodiscard]] Csr<VertexId, std::uint32_t> group_items(std::span<const VertexId> connections,
                                                       std::size_t outputs, const Exec& exec = Exec::host());

/// The corners of cells (arrays of vertices) as one array, the way items are numbered: corner c of cell i is
/// item i * corners + c.
template <class Cells>
[[nodiscard]] auto corners_of(Cells& cells) {
  const std::span view{cells};
  using Cell = typename decltype(view)::value_type;
  using Corner = std::remove_reference_t<decltype(*view.data()->data())>;
  constexpr std::size_t corners = std::tuple_size_v<Cell>;
  static_assert(sizeof(Cell) == corners * sizeof(VertexId));
  return std::span<Corner>(view.empty() ? nullptr : view.data()->data(), view.size() * corners);
}

/// The cells around each vertex, ascending: the paper's vertex incidence lists. A cell that names a vertex
/// twice is listed twice.
template <class CellId, std::size_t Corners>
[[nodiscard]] Csr<VertexId, CellId> vertex_incidence(std::span<const std::array<VertexId, Corners>> cells,
                                                     std::size_t vertices, const Exec& exec = Exec::host()) {
  Csr<VertexId, std::uint32_t> items = group_items(corners_of(cells), vertices, exec);
  Csr<VertexId, CellId> rows;
  rows.offsets = std::move(items.offsets);
  rows.values.resize(items.values.size());
  host_for_each(exec, items.values.size(), [&](std::size_t i) {
    rows.values[i] = CellId(items.values[i] / static_cast<std::uint32_t>(Corners));
  });
  return rows;
}

/// Outputs with what their items' values merged to. It can be merged further with another one (join), so that
/// a large input is reduced piece by piece.
template <class Value>
struct Reduction {
  KeyGroups groups;
  Array<Value> values;  ///< for each output

  [[nodiscard]] std::size_t size() const { return groups.size(); }
};

/// Merges the values of equal keys: merge(a, b) -> Value, folded from the left in the order of the items.
template <class Value, class Merge>
requires std::invocable<Merge, Value, Value>
[[nodiscard]] Reduction<Value> key_reduce(std::span<const std::uint64_t> keys, std::span<const Value> values,
                                          const Merge& merge, const KeyOptions& options = {}) {
  TS_EXPECTS(keys.size() == values.size());
  Reduction<Value> result{group_keys(keys, options), {}};
  const Csr<VertexId, std::uint32_t> items =
      group_items(result.groups.connections, result.size(), options.exec);
  result.values.resize(result.size());
  host_for_each(options.exec, result.size(), [&](std::size_t o) {
    const std::span<const std::uint32_t> row = items[VertexId(static_cast<std::uint32_t>(o))];
    Value merged = values[row[0]];
    for (const std::uint32_t item : row.subspan(1)) merged = merge(merged, values[item]);
    result.values[o] = merged;
  });
  return result;
}

/// Two reductions as one: the items of `first`, then those of `second`. Counts add up.
template <class Value, class Merge>
[[nodiscard]] Reduction<Value> join(const Reduction<Value>& first, const Reduction<Value>& second,
                                    const Merge& merge, const KeyOptions& options = {}) {
  const std::size_t a = first.size();
  Array<std::uint64_t> keys(first.groups.keys);
  keys.insert(keys.end(), second.groups.keys.begin(), second.groups.keys.end());
  Array<Value> values(first.values);
  values.insert(values.end(), second.values.begin(), second.values.end());
  Reduction<Value> result =
      key_reduce<Value>(std::span<const std::uint64_t>(keys), std::span<const Value>(values), merge, options);

  const Array<VertexId> place = std::move(result.groups.connections);  // of the outputs of both
  const Array<VertexId>& from_first = first.groups.connections;
  const Array<VertexId>& from_second = second.groups.connections;
  result.groups.connections.resize(from_first.size() + from_second.size());
  host_for_each(options.exec, result.groups.connections.size(), [&](std::size_t i) {
    const std::size_t output =
        i < from_first.size() ? from_first[i].index() : a + from_second[i - from_first.size()].index();
    result.groups.connections[i] = place[output];
  });
  result.groups.counts.assign(result.size(), 0);
  for (std::size_t o = 0; o < a; ++o) result.groups.counts[place[o].index()] += first.groups.counts[o];
  for (std::size_t o = 0; o < second.size(); ++o) {
    result.groups.counts[place[a + o].index()] += second.groups.counts[o];
  }
  return result;
}

/// Completes a reduction: transform(value, count) for each output; an average divides by the count here.
template <class Value, class Transform>
[[nodiscard]] auto finish(const Reduction<Value>& reduction, const Transform& transform,
                          const Exec& exec = Exec::host()) {
  Array<std::decay_t<std::invoke_result_t<Transform, Value, std::uint32_t>>> results(reduction.size());
  host_for_each(exec, results.size(), [&](std::size_t o) {
    results[o] = transform(reduction.values[o], reduction.groups.counts[o]);
  });
  return results;
}

/// The key of an undirected pair of vertices of a mesh with so many; ascends with the lower, then the higher
/// one. Uses no more bits than it must, which sorts faster than two ids side by side.
[[nodiscard]] TS_HD constexpr std::uint64_t pair_key(VertexId a, VertexId b, std::uint64_t vertices) {
  const std::uint64_t low = a < b ? a.index() : b.index();
  const std::uint64_t high = a < b ? b.index() : a.index();
  return low * vertices + high;
}
/// The vertices of a pair key, the lower one first.
[[nodiscard]] TS_HD constexpr std::array<VertexId, 2> pair_of(std::uint64_t key, std::uint64_t vertices) {
  return {VertexId(static_cast<std::uint32_t>(key / vertices)),
          VertexId(static_cast<std::uint32_t>(key % vertices))};
}

}  // namespace tessera
