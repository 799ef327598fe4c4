// Key-reduce where keys are pairs: edges of cells by their ends, faces by an edge and a third vertex.
//
// The lower half of a key addresses a row with room for all its items; the higher half is looked for in that
// row, which is a few places. Pairs get the numbers that fill_connections() would give them as pair_key()s,
// ascending by the lower and then the higher half, without a sort of all items.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <tessera/core/array.h>
#include <tessera/core/id.h>
#include <tessera/core/macros.h>
#include <tessera/exec/detail/host/scan.h>
#include <tessera/exec/for_each.h>
#include <tessera/generate/detail/common/checks.h>
#include <tessera/generate/detail/common/small_sort.h>

namespace tessera::detail {

/// A key: its lower and its higher half.
using PairKey = std::array<std::uint32_t, 2>;

/// The rows of an unfinished grouping: count() all items, make_room(), enter() them, number().
class PairRows {
 public:
  PairRows(std::size_t rows, const Exec& exec)
      : exec_(exec), is_alone_(exec.threads() == 1), begins_(rows + 1) {
    host_for_each(exec_, rows + 1, [&](std::size_t r) { begins_[r] = 0; });
  }
  void count(std::uint32_t low) {
    std::uint32_t& items = begins_[low];
    if (is_alone_) {
      ++items;
    } else {
      std::atomic_ref(items).fetch_add(1, std::memory_order_relaxed);
    }
  }
  void make_room() {
    host::exclusive_scan<std::uint32_t, std::uint32_t>(exec_.threads(), begins_, begins_);
    places_.resize(begins_.back());
    host_for_each(exec_, places_.size(), [&](std::size_t p) { places_[p] = empty; });
  }
  /// The place of a pair in the row of its lower half. A row has several times the room it needs, so the
  /// first place that is tried mostly is the one.
  std::uint32_t enter(const PairKey& pair) {
    const std::uint32_t begin = begins_[pair[0]];
    const std::uint32_t end = begins_[pair[0] + 1];
    const std::uint32_t spread = pair[1] * 0x9E3779B1u;
    std::uint32_t p = begin + static_cast<std::uint32_t>(std::uint64_t{spread} * (end - begin) >> 32);
    for (;; p = p + 1 < end ? p + 1 : begin) {
      std::atomic_ref place(places_[p]);
      std::uint32_t seen = place.load(std::memory_order_relaxed);
      if (seen == pair[1]) return p;
      if (seen != empty) continue;
      if (is_alone_) {
        places_[p] = pair[1];
      } else if (!place.compare_exchange_strong(seen, pair[1], std::memory_order_relaxed)) {
        if (seen == pair[1]) return p;
        continue;
      }
      return p;
    }
  }
  /// Numbers the pairs, ascending; a place then gives the number of its pair.
  Array<PairKey> number() {
    constexpr std::size_t chunk = 4096;
    const std::size_t rows = begins_.size() - 1;
    Array<std::uint32_t> firsts((rows + chunk - 1) / chunk);  // pairs of a chunk, then of those before it
    host::for_each_chunk(exec_.threads(), rows, chunk, [&](host::Range range, int) {
      const std::span<const std::uint32_t> places(places_.data() + begins_[range.begin],
                                                  places_.data() + begins_[range.end]);
      std::uint32_t used = 0;
      for (const std::uint32_t place : places) used += place != empty ? 1 : 0;
      firsts[range.begin / chunk] = used;
    });
    std::uint32_t total = 0;
    for (std::uint32_t& count : firsts) total += std::exchange(count, total);
    Array<PairKey> pairs(total);
    host::for_each_chunk(exec_.threads(), rows, chunk, [&](host::Range range, int) {
      std::uint32_t id = firsts[range.begin / chunk];
      Array<std::uint64_t> sorted;
      for (std::size_t r = range.begin; r < range.end;) {
        const std::size_t end = std::min(r + 16, range.end);
        if (begins_[r] == begins_[end]) r = end;  // most rows of a sparse grouping are empty
        for (; r < end; ++r) {
          if (begins_[r] != begins_[r + 1]) number_row(static_cast<std::uint32_t>(r), id, pairs, sorted);
        }
      }
    });
    return pairs;
  }
  [[nodiscard]] std::uint32_t number_at(std::uint32_t place) const { return places_[place]; }

 private:
  static constexpr std::uint32_t empty = 0xFFFFFFFFu;

  void number_row(std::uint32_t row, std::uint32_t& id, Array<PairKey>& pairs, Array<std::uint64_t>& sorted) {
    sorted.resize(std::max<std::size_t>(sorted.size(), begins_[row + 1] - begins_[row]));
    std::size_t found = 0;
    for (std::uint32_t p = begins_[row]; p < begins_[row + 1]; ++p) {  // without a branch
      sorted[found] = std::uint64_t{places_[p]} << 32 | p;
      found += places_[p] != empty ? 1 : 0;
    }
    sort_few(sorted.data(), sorted.data() + found);
    for (const std::uint64_t entry : std::span(sorted).first(found)) {
      pairs[id] = {row, static_cast<std::uint32_t>(entry >> 32)};
      places_[static_cast<std::uint32_t>(entry)] = id++;
    }
  }

  Exec exec_;
  bool is_alone_;
  Array<std::uint32_t> begins_;  ///< of each row: its items, then its first place
  Array<std::uint32_t> places_;  ///< the higher half of the pair there, then its number
};

/// Groups items by pair_of(item) -> PairKey, whose lower half is below `rows` and whose higher half is no
/// invalid id. Fills each item's pair and returns the pairs, ascending. Besides the result 4 bytes an item
/// and 4 a row; pair_of is called twice for each item. The same for any number of threads.
template <class PairOf>
[[nodiscard]] Array<PairKey> fill_pair_connections(std::span<VertexId> connections, std::size_t rows,
                                                   const PairOf& pair_of, const Exec& exec) {
  expect_ids(static_cast<double>(connections.size()), "corners of edges or faces");
  PairRows table(rows, exec);
  host_for_each(exec, connections.size(), [&](std::size_t i) { table.count(pair_of(i)[0]); });
  table.make_room();
  host_for_each(exec, connections.size(),
                [&](std::size_t i) { connections[i] = VertexId(table.enter(pair_of(i))); });
  Array<PairKey> pairs = table.number();
  host_for_each(exec, connections.size(),
                [&](std::size_t i) { connections[i] = VertexId(table.number_at(connections[i].index())); });
  return pairs;
}

/// The pair of two ids that have no order.
[[nodiscard]] TS_HD inline PairKey unordered_pair(VertexId a, VertexId b) {
  return a < b ? PairKey{a.index(), b.index()} : PairKey{b.index(), a.index()};
}

}  // namespace tessera::detail
