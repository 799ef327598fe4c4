// Many searches in lists of ascending keys: where a key would stand, by a table of where keys of its upper
// bits begin.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <tessera/core/array.h>

namespace tessera::detail {

class KeySearch {
 public:
  KeySearch() = default;
  /// List i is keys[begins[i] .. begins[i + 1]), ascending. Takes 32 bytes a list and up to 8 a key besides
  /// the keys.
  KeySearch(Array<std::uint64_t> keys, std::span<const std::uint32_t> begins) : keys_(std::move(keys)) {
    lists_.resize(begins.size() - 1);
    for (std::size_t i = 0; i < lists_.size(); ++i) {
      List& list = lists_[i] = {};
      list.begin = begins[i];
      list.count = begins[i + 1] - begins[i];
      if (list.count > few) add_table(list);
    }
  }

  /// How many keys of the list are at most `key`. The list begins at place begin(list) of the keys.
  [[nodiscard]] std::uint32_t count_up_to(std::uint32_t list, std::uint64_t key) const {
    const List& one = lists_[list];
    const std::uint64_t* keys = keys_.data() + one.begin;
    if (one.count <= few) return count(keys, one.count, key);
    if (key < one.first) return 0;
    const std::uint64_t bucket = (key - one.first) >> one.shift;
    if (bucket >= one.buckets) return one.count;
    const std::uint32_t from = table_[one.table + bucket];
    return from + search(keys + from, table_[one.table + bucket + 1] - from, key);
  }
  [[nodiscard]] std::uint32_t begin(std::uint32_t list) const { return lists_[list].begin; }

 private:
  static constexpr std::uint32_t few = 8;

  struct List {
    std::uint64_t first = 0;
    std::uint32_t begin = 0;
    std::uint32_t count = 0;
    std::uint32_t table = 0;  ///< of the keys before each bucket, and the end
    std::uint32_t buckets = 0;
    std::uint32_t shift = 0;  ///< how many bits of a key do not tell its bucket
  };

  void add_table(List& list) {
    const std::uint64_t* keys = keys_.data() + list.begin;
    list.first = keys[0];
    const std::uint64_t span = keys[list.count - 1] - keys[0];
    const int wanted = static_cast<int>(std::bit_width(list.count)) - 1;
    list.shift = static_cast<std::uint32_t>(std::max(0, static_cast<int>(std::bit_width(span)) - wanted));
    list.buckets = static_cast<std::uint32_t>(span >> list.shift) + 1;
    list.table = static_cast<std::uint32_t>(table_.size());
    std::uint32_t before = 0;
    for (std::uint64_t bucket = 0; bucket < list.buckets; ++bucket) {
      while (before < list.count && (keys[before] - keys[0]) >> list.shift < bucket) ++before;
      table_.push_back(before);
    }
    table_.push_back(list.count);
  }
  [[nodiscard]] static std::uint32_t count(const std::uint64_t* keys, std::uint32_t size, std::uint64_t key) {
    std::uint32_t found = 0;
    for (std::uint32_t i = 0; i < size; ++i) found += keys[i] <= key ? 1 : 0;
    return found;
  }
  /// Without a branch that a processor could mispredict.
  [[nodiscard]] static std::uint32_t search(const std::uint64_t* keys, std::uint32_t size,
                                            std::uint64_t key) {
    std::uint32_t below = 0;
    while (size > few) {
      const std::uint32_t half = size / 2;
      below += keys[below + half - 1] <= key ? half : 0;
      size -= half;
    }
    return below + count(keys + below, size, key);
  }

  Array<std::uint64_t> keys_;
  Array<List> lists_;
  Array<std::uint32_t> table_;
};

}  // namespace tessera::detail
