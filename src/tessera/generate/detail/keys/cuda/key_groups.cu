// The partition step of key-reduce on a device, as key_reduce.cpp has it on the host.
#include <utility>

#include <tessera/exec/primitives.h>
#include <tessera/generate/detail/isosurface/lattice_bits.h>
#include <tessera/exec/buffers.cuh>
#include <tessera/generate/detail/keys/cuda/atomics.cuh>
#include <tessera/generate/detail/keys/cuda/transpose.cuh>
#include <tessera/generate/key_reduce.cuh>

namespace tessera {

using namespace detail;
namespace {

using lattice::count_bits;
using lattice::word_bits;

/// Replaces counts, of which the last is 0, by the sums of those before; returns the sum of all.
std::uint32_t scan(const Exec& exec, Buffer<std::uint32_t>& counts) {
  exclusive_scan<std::uint32_t, std::uint32_t>(exec, counts.span(), counts.span());
  return cuda::last_of(exec, counts);
}

/// Direct addressing: bit k of the words is key smallest + k; `before` counts the marked bits of earlier
/// words.
struct Marks {
  std::uint64_t smallest;
  std::uint64_t* words;
  std::uint32_t* before;

  [[nodiscard]] TS_HD std::uint64_t* word_of(std::uint64_t key) const {
    return words + (key - smallest) / word_bits;
  }
  [[nodiscard]] TS_HD std::uint64_t bit_of(std::uint64_t key) const {
    return std::uint64_t{1} << ((key - smallest) % word_bits);
  }
  TS_HD void mark(std::uint64_t key) const {
    std::uint64_t* const word = word_of(key);
    if ((cuda::look_at(word) & bit_of(key)) == 0) cuda::set_bits(word, bit_of(key));
  }
  [[nodiscard]] TS_HD VertexId output_of(std::uint64_t key) const {
    const std::uint64_t* const word = word_of(key);
    return VertexId(before[word - words] + count_bits(*word & (bit_of(key) - 1)));
  }
  TS_HD void write_keys(std::size_t w, std::uint64_t* keys) const {
    std::size_t output = before[w];
    std::uint64_t key = smallest + w * word_bits;
    for (std::uint64_t rest = words[w]; rest != 0; rest >>= 1, ++key) {
      if ((rest & 1) != 0) keys[output++] = key;
    }
  }
};

Buffer<std::uint64_t> fill_marked(const Exec& exec, std::span<const std::uint64_t> keys,
                                  std::span<VertexId> connections, MinMax<std::uint64_t> range) {
  const std::size_t size = (range.max - range.min) / word_bits + 1;
  Buffer<std::uint64_t> words = cuda::filled<std::uint64_t>(exec, size, 0);
  Buffer<std::uint32_t> before(exec, size + 1);
  const Marks marks{range.min, words.data(), before.data()};
  const std::uint64_t* const from = keys.data();
  for_each(
      exec, keys.size(), TS_LAMBDA(std::size_t i) { marks.mark(from[i]); });
  for_each(
      exec, size + 1,
      TS_LAMBDA(std::size_t w) { marks.before[w] = w < size ? count_bits(marks.words[w]) : 0; });
  Buffer<std::uint64_t> outputs(exec, scan(exec, before));
  std::uint64_t* const found = outputs.data();
  for_each(
      exec, size, TS_LAMBDA(std::size_t w) { marks.write_keys(w, found); });
  VertexId* const to = connections.data();
  for_each(
      exec, keys.size(), TS_LAMBDA(std::size_t i) { to[i] = marks.output_of(from[i]); });
  return outputs;
}

/// Sorts (key, item) by the bits in which the keys differ; a run of equal keys is an output.
template <class Key>
Buffer<std::uint64_t> fill_sorted(const Exec& exec, std::span<const std::uint64_t> keys,
                                  std::span<VertexId> connections, MinMax<std::uint64_t> range) {
  const std::size_t size = keys.size();
  const std::uint64_t smallest = range.min;
  Buffer<Key> offsets(exec, size);
  Buffer<std::uint32_t> items(exec, size);
  const std::uint64_t* const from = keys.data();
  Key* const offset = offsets.data();
  std::uint32_t* const item = items.data();
  for_each(
      exec, size, TS_LAMBDA(std::size_t i) {
        offset[i] = static_cast<Key>(from[i] - smallest);
        item[i] = static_cast<std::uint32_t>(i);
      });
  sort_pairs<Key, std::uint32_t>(exec, offsets.span(), items.span(), bits_in_use(range.max - range.min));
  Buffer<std::uint32_t> runs(exec, size + 1);  // how many runs end before each
  std::uint32_t* const run = runs.data();
  for_each(
      exec, size + 1,
      TS_LAMBDA(std::size_t i) { run[i] = i < size && (i + 1 == size || offset[i] != offset[i + 1]); });
  Buffer<std::uint64_t> outputs(exec, scan(exec, runs));
  std::uint64_t* const found = outputs.data();
  VertexId* const to = connections.data();
  for_each(
      exec, size, TS_LAMBDA(std::size_t i) {
        to[item[i]] = VertexId(run[i]);
        if (i == 0 || offset[i] != offset[i - 1]) found[run[i]] = smallest + offset[i];
      });
  return outputs;
}

void count_into(const Exec& exec, std::span<const VertexId> connections, std::size_t outputs,
                std::uint32_t* counts) {
  Buffer<std::uint32_t> beyond = cuda::filled<std::uint32_t>(exec, 1, 0);
  std::uint32_t* const bad = beyond.data();
  const VertexId* const from = connections.data();
  for_each(
      exec, connections.size(), TS_LAMBDA(std::size_t i) {
        cuda::add_one(from[i].index() < outputs ? counts + from[i].index() : bad);
      });
  TS_EXPECTS(cuda::last_of(exec, beyond) == 0);
}

}  // namespace

Buffer<std::uint64_t> fill_connections(const Exec& exec, std::span<const std::uint64_t> keys,
                                       std::span<VertexId> connections, KeyMethod method) {
  TS_EXPECTS(keys.size() == connections.size());
  expect_items(keys.size());
  if (keys.empty()) return {exec, 0};
  const MinMax<std::uint64_t> range = reduce_min_max(exec, keys);
  if (method == KeyMethod::automatic) method = choose_key_method(keys.size(), range.min, range.max);
  if (method == KeyMethod::direct) return fill_marked(exec, keys, connections, range);
  return range.max - range.min <= 0xFFFFFFFFull ? fill_sorted<std::uint32_t>(exec, keys, connections, range)
                                                : fill_sorted<std::uint64_t>(exec, keys, connections, range);
}

KeyBuffers group_keys(const Exec& exec, std::span<const std::uint64_t> keys, KeyMethod method) {
  KeyBuffers groups;
  groups.connections = Buffer<VertexId>(exec, keys.size());
  groups.keys = fill_connections(exec, keys, groups.connections.span(), method);
  groups.counts = count_items(exec, groups.connections.span(), groups.keys.size());
  return groups;
}

Buffer<std::uint32_t> count_items(const Exec& exec, std::span<const VertexId> connections,
                                  std::size_t outputs) {
  Buffer<std::uint32_t> counts = cuda::filled<std::uint32_t>(exec, outputs, 0);
  count_into(exec, connections, outputs, counts.data());
  return counts;
}

RowBuffers<std::uint32_t> group_items(const Exec& exec, std::span<const VertexId> connections,
                                      std::size_t outputs) {
  expect_items(connections.size());
  Buffer<std::uint32_t> counts = cuda::filled<std::uint32_t>(exec, outputs + 1, 0);
  count_into(exec, connections, outputs, counts.data());
  if (exec.is_cuda()) {
    return cuda::transpose(exec, reinterpret_cast<const std::uint32_t*>(connections.data()),
                           connections.size(), 1, static_cast<std::uint32_t>(outputs), std::move(counts));
  }
  RowBuffers<std::uint32_t> rows{std::move(counts), Buffer<std::uint32_t>(exec, connections.size())};
  (void)scan(exec, rows.offsets);
  Buffer<std::uint32_t> sorted(exec, connections.size());
  std::uint32_t* const output = sorted.data();
  std::uint32_t* const item = rows.values.data();
  const VertexId* const from = connections.data();
  for_each(
      exec, connections.size(), TS_LAMBDA(std::size_t i) {
        output[i] = from[i].index();
        item[i] = static_cast<std::uint32_t>(i);
      });
  sort_pairs<std::uint32_t, std::uint32_t>(exec, sorted.span(), rows.values.span(), bits_in_use(outputs));
  return rows;
}

}  // namespace tessera
