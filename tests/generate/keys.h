// Keys for the tests of key-reduce, and a grouping by std::map to compare with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include <tessera/core/array.h>
#include <tessera/core/random.h>

namespace tessera::test {

struct Oracle {
  std::vector<std::uint64_t> keys;
  std::vector<std::uint32_t> connections;
  std::vector<std::vector<std::uint32_t>> items;
};

inline Oracle oracle_of(std::span<const std::uint64_t> keys) {
  std::map<std::uint64_t, std::vector<std::uint32_t>> groups;
  for (std::size_t i = 0; i < keys.size(); ++i) groups[keys[i]].push_back(static_cast<std::uint32_t>(i));
  Oracle result;
  result.connections.resize(keys.size());
  for (const auto& [key, items] : groups) {
    for (const std::uint32_t i : items) {
      result.connections[i] = static_cast<std::uint32_t>(result.keys.size());
    }
    result.keys.push_back(key);
    result.items.push_back(items);
  }
  return result;
}

inline Array<std::uint64_t> random_keys(std::size_t count, std::uint64_t first, std::uint64_t range) {
  Array<std::uint64_t> keys(count);
  for (std::size_t i = 0; i < count; ++i) keys[i] = first + splitmix64(i * 7 + range) % range;
  return keys;
}

/// (name, items, smallest key, keys in range)
struct KeyCase {
  const char* name;
  std::size_t items;
  std::uint64_t first;
  std::uint64_t range;
};

inline constexpr KeyCase key_cases[] = {
    {"one_item", 1, 5, 1},
    {"all_equal", 20'000, 77, 1},
    {"dense", 30'000, 0, 9'000},
    {"dense_far_from_zero", 30'000, 0xFFFF'FFFF'FFFF'0000ull, 0xFFFF},
    {"sparse_32_bits", 30'000, 12, 0xFFFF'FFF0ull},
    {"sparse_64_bits", 30'000, 3, 0x7FFF'FFFF'FFFF'FFFFull},
    {"beyond_2_to_31_points", 20'000, std::uint64_t{3} << 33, std::uint64_t{1} << 20},
};

}  // namespace tessera::test
