#include <tessera/generate/key_reduce.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <string>

#include <tessera/core/error.h>
#include <tessera/exec/buffer.h>
#include <tessera/exec/detail/host/runs.h>
#include <tessera/exec/detail/host/scan.h>
#include <tessera/exec/primitives.h>

namespace tessera {

using namespace detail;
namespace {

constexpr std::size_t word_bits = 64;

/// Direct addressing: bit k of the words is key smallest + k; `before` counts the marked bits of earlier
/// words.
class MarkedKeys {
 public:
  MarkedKeys(const Exec& exec, std::span<const std::uint64_t> keys, std::uint64_t smallest,
             std::uint64_t largest)
      : exec_(exec),
        smallest_(smallest),
        words_((largest - smallest) / word_bits + 1),
        before_(words_.size() + 1) {
    host_for_each(exec_, words_.size(), [&](std::size_t w) { words_[w] = 0; });
    const bool alone = exec_.threads() == 1;
    host_for_each(exec_, keys.size(), [&](std::size_t i) {
      std::uint64_t& word = words_[(keys[i] - smallest_) / word_bits];
      const std::uint64_t bit = std::uint64_t{1} << ((keys[i] - smallest_) % word_bits);
      std::atomic_ref<std::uint64_t> shared(word);
      const std::uint64_t now = shared.load(std::memory_order_relaxed);
      if ((now & bit) != 0) return;
      if (alone) {
        word = now | bit;
      } else {
        shared.fetch_or(bit, std::memory_order_relaxed);
      }
    });
    host_for_each(exec_, words_.size(),
                  [&](std::size_t w) { before_[w] = static_cast<std::uint32_t>(std::popcount(words_[w])); });
    host::exclusive_scan<std::uint32_t, std::uint32_t>(exec_.threads(), {before_.data(), words_.size()},
                                                       before_);
  }

  [[nodiscard]] Array<std::uint64_t> keys() const {
    Array<std::uint64_t> result(before_.back());
    host_for_each(exec_, words_.size(), [&](std::size_t w) {
      std::size_t output = before_[w];
      for (std::uint64_t rest = words_[w]; rest != 0; rest &= rest - 1) {
        result[output++] = smallest_ + w * word_bits + static_cast<std::uint64_t>(std::countr_zero(rest));
      }
    });
    return result;
  }
  [[nodiscard]] VertexId output_of(std::uint64_t key) const {
    const std::uint64_t place = key - smallest_;
    const std::uint64_t below = (std::uint64_t{1} << (place % word_bits)) - 1;
    const std::size_t w = place / word_bits;
    return VertexId(before_[w] + static_cast<std::uint32_t>(std::popcount(words_[w] & below)));
  }

 private:
  Exec exec_;
  std::uint64_t smallest_;
  Array<std::uint64_t> words_;
  Array<std::uint32_t> before_;
};

/// Sorts (key, item) by the bits in which the keys differ; a run of equal keys is an output.
template <class Key>
Array<std::uint64_t> sort_into(std::span<const std::uint64_t> keys, std::span<VertexId> connections,
                               MinMax<std::uint64_t> range, const Exec& exec) {
  Array<Key> offset(keys.size());
  Array<std::uint32_t> item(keys.size());
  host_for_each(exec, keys.size(), [&](std::size_t i) {
    offset[i] = static_cast<Key>(keys[i] - range.min);
    item[i] = static_cast<std::uint32_t>(i);
  });
  sort_pairs<Key, std::uint32_t>(Exec::host(exec.threads()), offset, item,
                                 bits_in_use(range.max - range.min));
  Array<std::uint64_t> found(keys.size());
  const std::size_t outputs = host::for_each_run<Key>(
      exec.threads(), offset, [&](std::size_t first, std::size_t last, std::size_t run) {
        found[run] = range.min + offset[first];
        for (std::size_t i = first; i < last; ++i) {
          connections[item[i]] = VertexId(static_cast<std::uint32_t>(run));
        }
      });
  return {found.begin(), found.begin() + static_cast<std::ptrdiff_t>(outputs)};
}

}  // namespace

void expect_items(std::size_t items) {
  if (items < 0xFFFFFFFFull) return;
  throw Error(ErrorCode::unsupported, std::to_string(items) +
                                          " items were emitted, but a mesh has at most 4294967294 of them; "
                                          "reduce them piece by piece and join the pieces");
}

KeyMethod choose_key_method(std::size_t items, std::uint64_t smallest, std::uint64_t largest) {
  // 64 keys in range for each item are 12 bytes of marks, what a sort moves several times.
  return (largest - smallest) / word_bits < items ? KeyMethod::direct : KeyMethod::sorted;
}

Array<std::uint64_t> fill_connections(std::span<const std::uint64_t> keys, std::span<VertexId> connections,
                                      const KeyOptions& options) {
  TS_EXPECTS(keys.size() == connections.size());
  expect_items(keys.size());
  if (keys.empty()) return {};
  const Exec exec = Exec::host(options.exec.threads());
  const MinMax<std::uint64_t> range = reduce_min_max(exec, keys);
  const KeyMethod method = options.method == KeyMethod::automatic
                               ? choose_key_method(keys.size(), range.min, range.max)
                               : options.method;
  if (method == KeyMethod::direct) {
    const MarkedKeys marked(exec, keys, range.min, range.max);
    host_for_each(exec, keys.size(), [&](std::size_t i) { connections[i] = marked.output_of(keys[i]); });
    return marked.keys();
  }
  return range.max - range.min <= 0xFFFFFFFFull ? sort_into<std::uint32_t>(keys, connections, range, exec)
                                                : sort_into<std::uint64_t>(keys, connections, range, exec);
}

KeyGroups group_keys(std::span<const std::uint64_t> keys, const KeyOptions& options) {
  KeyGroups groups;
  groups.connections.resize(keys.size());
  groups.keys = fill_connections(keys, groups.connections, options);
  groups.counts = count_items(groups.connections, groups.keys.size(), options.exec);
  return groups;
}

Array<std::uint32_t> count_items(std::span<const VertexId> connections, std::size_t outputs,
                                 const Exec& exec) {
  Array<std::uint32_t> counts(outputs, 0);
  const bool alone = exec.threads() == 1;
  host_for_each(exec, connections.size(), [&](std::size_t i) {
    TS_EXPECTS(connections[i].index() < outputs);
    std::uint32_t& count = counts[connections[i].index()];
    if (alone) {
      ++count;
    } else {
      std::atomic_ref(count).fetch_add(1, std::memory_order_relaxed);
    }
  });
  return counts;
}

Csr<VertexId, std::uint32_t> group_items(std::span<const VertexId> connections, std::size_t outputs,
                                         const Exec& exec) {
  expect_items(connections.size());
  Csr<VertexId, std::uint32_t> rows;
  rows.values.resize(connections.size());
  const Array<std::uint32_t> counts = count_items(connections, outputs, exec);
  rows.offsets.resize(outputs + 1);
  host::exclusive_scan<std::uint32_t, std::uint32_t>(exec.threads(), counts, rows.offsets);
  Array<std::uint32_t> next(rows.offsets.begin(), rows.offsets.end() - 1);
  const bool alone = exec.threads() == 1;
  host_for_each(exec, connections.size(), [&](std::size_t i) {
    std::uint32_t& place = next[connections[i].index()];
    const std::uint32_t mine =
        alone ? place++ : std::atomic_ref(place).fetch_add(1, std::memory_order_relaxed);
    rows.values[mine] = static_cast<std::uint32_t>(i);
  });
  if (alone) return rows;
  host_for_each(exec, outputs, [&](std::size_t o) {  // who came first must not show
    std::sort(rows.values.data() + rows.offsets[o], rows.values.data() + rows.offsets[o + 1]);
  });
  return rows;
}

}  // namespace tessera
