// One suite for every backend of exec/primitives.h, against naive oracles. A backend's test program
// instantiates it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <tessera/core/random.h>
#include <tessera/exec/buffer.h>
#include <tessera/exec/primitives.h>

namespace tessera {

struct Place {
  std::string name;
  Exec (*make)();
  bool needs_gpu;
};

class Primitives : public testing::TestWithParam<Place> {
 protected:
  void SetUp() override {
    if (GetParam().needs_gpu && devices().empty()) GTEST_SKIP() << "no GPU here: " << no_device_reason();
    exec = GetParam().make();
  }

  template <class T>
  Buffer<T> put(const std::vector<T>& values) const {
    return Buffer<T>(exec, std::span<const T>(values));
  }
  template <class T>
  static std::vector<T> take(const Buffer<T>& buffer, std::size_t count) {
    const Array<T> values = buffer.to_host(count);
    return {values.begin(), values.end()};
  }

  Exec exec = Exec::host(1);
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Primitives);

// Around warps, blocks, chunks of the reduction (1024), of compaction (16384) and of the scan (32768), and
// beyond what a core's cache holds.
inline const std::vector<std::size_t> interesting_sizes = {0,     1,     2,     31,    32,    33,    255,
                                                           256,   257,   1023,  1024,  1025,  16383, 16384,
                                                           16385, 32767, 32768, 32769, 65537, 300001};

template <class T>
std::vector<T> random_values(std::size_t n, std::uint64_t bound, std::uint64_t seed) {
  SplitMix64 random(seed);
  std::vector<T> values(n);
  for (T& value : values) value = static_cast<T>(bound == 0 ? random() : random.below(bound));
  return values;
}

template <class In, class Out>
void check_scan(const Exec& exec, const std::vector<In>& values, bool with_total) {
  std::vector<Out> expected;
  Out sum = 0;
  for (const In value : values) {
    expected.push_back(sum);
    sum += value;
  }
  if (with_total) expected.push_back(sum);
  const Buffer<In> in(exec, std::span<const In>(values));
  Buffer<Out> out(exec, expected.size());
  exclusive_scan<In, Out>(exec, in.span(), out.span());
  const Array<Out> result = out.to_host();
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), result.begin(), result.end())) << values.size();
}

TEST_P(Primitives, ScanMatchesARunningSum) {
  for (const std::size_t n : interesting_sizes) {
    for (const bool with_total : {false, true}) {
      check_scan<uint32_t, uint32_t>(exec, random_values<uint32_t>(n, 1000, n), with_total);
      check_scan<uint32_t, uint64_t>(exec, random_values<uint32_t>(n, 0, n), with_total);
      check_scan<uint64_t, uint64_t>(exec, random_values<uint64_t>(n, 1ull << 40, n), with_total);
    }
  }
}

// Numbers side by side: each is summed up on its own.
TEST_P(Primitives, ScansOfSeveralSumsMatchThoseOfEach) {
  for (const std::size_t n : interesting_sizes) {
    std::vector<Sums<5>> values(n);
    std::vector<Sums<5>> expected(n + 1);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < 5; ++k) {
        values[i].at[k] = static_cast<uint32_t>(splitmix64(5 * i + k) % 1000);
        expected[i + 1].at[k] = expected[i].at[k] + values[i].at[k];
      }
    }
    Buffer<Sums<5>> data(exec, n + 1);
    data.assign(values);
    exclusive_scan<Sums<5>, Sums<5>>(exec, data.span().first(n), data.span());
    const Array<Sums<5>> result = data.to_host();
    for (std::size_t i = 0; i <= n; ++i) {
      ASSERT_TRUE(std::equal(expected[i].at, expected[i].at + 5, result[i].at)) << i << " of " << n;
    }
  }
}

// Beyond 4 MiB of output the host writes past its caches, in whole lines with a rest.
TEST_P(Primitives, LargeScansMatchARunningSum) {
  for (const std::size_t n : {std::size_t{1} << 20, (std::size_t{1} << 21) + 13}) {
    check_scan<uint32_t, uint32_t>(exec, random_values<uint32_t>(n, 1000, n), true);
    check_scan<uint32_t, uint64_t>(exec, random_values<uint32_t>(n, 0, n), false);
  }
}

TEST_P(Primitives, ScanWorksInPlace) {
  const auto values = random_values<uint32_t>(100001, 9, 1);
  std::vector<uint32_t> padded = values;
  padded.push_back(123);  // where the total goes
  Buffer<uint32_t> data = put(padded);
  exclusive_scan<uint32_t, uint32_t>(exec, data.span().first(values.size()), data.span());
  std::vector<uint32_t> expected(padded.size());
  std::exclusive_scan(values.begin(), values.end(), expected.begin(), 0u);
  expected.back() = std::accumulate(values.begin(), values.end(), 0u);
  EXPECT_EQ(take(data, padded.size()), expected);
}

// The fixed order of reduce_order.h, written down a second time and naively.
template <class T>
T ordered_sum(const std::vector<T>& values) {
  std::vector<T> level = values;
  do {
    std::vector<T> next;
    for (std::size_t begin = 0; begin < std::max<std::size_t>(level.size(), 1); begin += 1024) {
      std::vector<T> lane(32, T{});
      for (std::size_t i = begin; i < std::min(level.size(), begin + 1024); ++i)
        lane[i % 32] = lane[i % 32] + level[i];
      for (std::size_t half = 16; half > 0; half /= 2) {
        for (std::size_t l = 0; l < half; ++l) lane[l] = lane[l] + lane[l + half];
      }
      next.push_back(lane[0]);
    }
    level = next;
  } while (level.size() > 1);
  return level[0];
}

template <class T>
void check_sums(const Exec& exec) {
  for (const std::size_t n : interesting_sizes) {
    std::vector<T> values(n);
    for (std::size_t i = 0; i < n; ++i)
      values[i] = static_cast<T>(std::ldexp(uniform01(n, i) - 0.5, static_cast<int>(i % 60)));
    const Buffer<T> data(exec, std::span<const T>(values));
    EXPECT_EQ(reduce_sum<T>(exec, data.span()), ordered_sum(values)) << n;
  }
}

TEST_P(Primitives, FloatSumsHaveOneOrder) {
  check_sums<float>(exec);
  check_sums<double>(exec);
}

TEST_P(Primitives, IntegerSumsAreExact) {
  for (const std::size_t n : interesting_sizes) {
    const auto values = random_values<uint64_t>(n, 1ull << 50, n + 1);
    const Buffer<uint64_t> data = put(values);
    EXPECT_EQ(reduce_sum<uint64_t>(exec, data.span()),
              std::accumulate(values.begin(), values.end(), uint64_t{0}));
  }
}

TEST_P(Primitives, MinMaxPassesOverNaN) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> values(5000, nan);
  EXPECT_EQ(reduce_min_max<float>(exec, put(values).span()), (MinMax<float>{infinity, -infinity}));
  values[4711] = -2;
  values[17] = 3;
  values[4999] = 1;
  EXPECT_EQ(reduce_min_max<float>(exec, put(values).span()), (MinMax<float>{-2, 3}));
  EXPECT_EQ(reduce_min_max<uint32_t>(exec, {}), (MinMax<uint32_t>{0xFFFFFFFFu, 0}));
}

template <class Key, class Value>
void check_sort(const Exec& exec, const std::vector<Key>& keys, int bits) {
  std::vector<std::pair<Key, Value>> expected;
  for (std::size_t i = 0; i < keys.size(); ++i) expected.emplace_back(keys[i], static_cast<Value>(i));
  std::stable_sort(expected.begin(), expected.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Value> order(keys.size());
  std::iota(order.begin(), order.end(), Value{0});
  Buffer<Key> sorted(exec, std::span<const Key>(keys));
  Buffer<Value> values(exec, std::span<const Value>(order));
  sort_pairs<Key, Value>(exec, sorted.span(), values.span(), bits);
  Buffer<Key> alone(exec, std::span<const Key>(keys));
  sort_keys<Key>(exec, alone.span(), bits);
  const Array<Key> sorted_keys = sorted.to_host();
  const Array<Value> sorted_values = values.to_host();
  EXPECT_EQ(sorted_keys, alone.to_host());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(sorted_keys[i], expected[i].first) << "at " << i << " of " << keys.size();
    ASSERT_EQ(sorted_values[i], expected[i].second) << "at " << i << " of " << keys.size();
  }
}

TEST_P(Primitives, SortIsStableOverTheBitsInUse) {
  for (const std::size_t n : interesting_sizes) {
    for (const int bits : {1, 7, 8, 9, 22, 32}) {
      const uint64_t bound = 1ull << bits;
      check_sort<uint32_t, uint32_t>(exec, random_values<uint32_t>(n, bound, n + static_cast<uint64_t>(bits)),
                                     bits);
    }
    check_sort<uint64_t, uint32_t>(exec, random_values<uint64_t>(n, 0, n), 64);
    check_sort<uint64_t, uint64_t>(exec, random_values<uint64_t>(n, 1ull << 43, n), 43);
    check_sort<uint32_t, uint64_t>(exec, random_values<uint32_t>(n, 3, n), 2);
  }
}

TEST_P(Primitives, SortCopesWithSkewedKeys) {
  const std::size_t n = 400000;
  std::vector<uint64_t> equal(n, 0x1234567890ull);
  check_sort<uint64_t, uint32_t>(exec, equal, 64);
  std::vector<uint64_t> ascending(n), skewed(n);
  SplitMix64 random(5);
  for (std::size_t i = 0; i < n; ++i) {
    ascending[i] = i;
    skewed[i] =
        i % 1000 == 0 ? random() : random.below(1 << 20);  // nearly all in one bucket of the top digit
  }
  check_sort<uint64_t, uint32_t>(exec, ascending, 64);
  std::reverse(ascending.begin(), ascending.end());
  check_sort<uint64_t, uint32_t>(exec, ascending, bits_in_use(n));
  check_sort<uint64_t, uint32_t>(exec, skewed, 64);
}

TEST_P(Primitives, SortLeavesEqualHighBitsAlone) {
  std::vector<uint32_t> keys = {0xABC00003u, 0xABC00001u, 0xABC00002u};
  Buffer<uint32_t> data = put(keys);
  sort_keys<uint32_t>(exec, data.span(), 8);
  EXPECT_EQ(take(data, 3), (std::vector<uint32_t>{0xABC00001u, 0xABC00002u, 0xABC00003u}));
  sort_keys<uint32_t>(exec, data.span(), 0);
  EXPECT_EQ(take(data, 3), (std::vector<uint32_t>{0xABC00001u, 0xABC00002u, 0xABC00003u}));
}

template <class Key>
void check_runs(const Exec& exec, const std::vector<Key>& sorted) {
  std::map<Key, uint32_t> count;
  std::map<Key, uint64_t> sum;
  std::vector<uint64_t> values(sorted.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    values[i] = i * 7 + 1;
    ++count[sorted[i]];
    sum[sorted[i]] += values[i];
  }
  const Buffer<Key> keys(exec, std::span<const Key>(sorted));
  const Buffer<uint64_t> weights(exec, std::span<const uint64_t>(values));
  Buffer<Key> run_keys(exec, sorted.size());
  Buffer<Key> sum_keys(exec, sorted.size());
  Buffer<Key> unique_keys(exec, sorted.size());
  Buffer<uint32_t> sizes(exec, sorted.size());
  Buffer<uint64_t> sums(exec, sorted.size());
  ASSERT_EQ(run_lengths<Key>(exec, keys.span(), run_keys.span(), sizes.span()), count.size());
  ASSERT_EQ(unique<Key>(exec, keys.span(), unique_keys.span()), count.size());
  ASSERT_EQ((reduce_by_key<Key, uint64_t>(exec, keys.span(), weights.span(), sum_keys.span(), sums.span())),
            count.size());
  const Array<Key> run = run_keys.to_host(count.size());
  EXPECT_EQ(run, unique_keys.to_host(count.size()));
  EXPECT_EQ(run, sum_keys.to_host(count.size()));
  const Array<uint32_t> size = sizes.to_host(count.size());
  const Array<uint64_t> total = sums.to_host(count.size());
  std::size_t i = 0;
  for (const auto& [key, expected] : count) {
    EXPECT_EQ(run[i], key);
    EXPECT_EQ(size[i], expected);
    EXPECT_EQ(total[i], sum[key]);
    ++i;
  }
}

TEST_P(Primitives, RunsMatchAMap) {
  for (const std::size_t n : interesting_sizes) {
    for (const uint64_t kinds : {uint64_t{1}, uint64_t{50}, uint64_t{1} << 31}) {
      auto keys = random_values<uint32_t>(n, kinds, n + kinds);
      std::sort(keys.begin(), keys.end());
      check_runs(exec, keys);
      auto wide = random_values<uint64_t>(n, kinds << 20, n);
      std::sort(wide.begin(), wide.end());
      check_runs(exec, wide);
    }
  }
}

TEST_P(Primitives, CompactKeepsTheFlaggedInOrder) {
  for (const std::size_t n : interesting_sizes) {
    for (const uint64_t rarity : {1, 2, 100}) {
      const auto values = random_values<uint64_t>(n, 0, n);
      std::vector<uint8_t> flags(n);
      std::vector<uint64_t> kept;
      std::vector<uint32_t> kept_at;
      for (std::size_t i = 0; i < n; ++i) {
        flags[i] =
            static_cast<uint8_t>(splitmix64(i) % rarity == 0 ? 1 + i % 200 : 0);  // any value but 0 keeps
        if (flags[i] == 0) continue;
        kept.push_back(values[i]);
        kept_at.push_back(static_cast<uint32_t>(i));
      }
      const Buffer<uint64_t> data = put(values);
      const Buffer<uint8_t> marks = put(flags);
      Buffer<uint64_t> out(exec, n);
      Buffer<uint32_t> indices(exec, n);
      ASSERT_EQ(compact<uint64_t>(exec, data.span(), marks.span(), out.span()), kept.size());
      ASSERT_EQ(compact_indices(exec, marks.span(), indices.span()), kept.size());
      Buffer<uint32_t> queued(exec, n);
      Buffer<uint32_t> count(exec, 1);
      compact_indices(exec, marks.span(), queued.span(), count.data());
      EXPECT_EQ(count.to_host()[0], kept.size());
      EXPECT_EQ(take(queued, kept.size()), kept_at);
      EXPECT_EQ(take(out, kept.size()), kept);
      EXPECT_EQ(take(indices, kept.size()), kept_at);
    }
  }
}

TEST_P(Primitives, BufferCarriesValuesThereAndBack) {
  const auto values = random_values<uint32_t>(1000, 0, 3);
  Buffer<uint32_t> buffer = put(values);
  EXPECT_EQ(buffer.bytes(), 4000u);
  Buffer<uint32_t> moved = std::move(buffer);
  EXPECT_EQ(take(moved, 1000), values);
  EXPECT_EQ(buffer.size(), 0u);
  EXPECT_TRUE(buffer.empty());
  moved.assign(std::vector<uint32_t>{1, 2});
  EXPECT_EQ(take(moved, 3), (std::vector<uint32_t>{1, 2, values[2]}));
}

TEST_P(Primitives, ImpossibleBuffersAreAnError) {
  for (const std::size_t count : {std::size_t{1} << 62, std::size_t{1} << 47}) {
    try {
      const Buffer<uint64_t> buffer(exec, count);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), exec.is_cuda() ? ErrorCode::out_of_device_memory : ErrorCode::out_of_memory)
          << error.what();
    }
  }
  const Buffer<uint32_t> after = put<uint32_t>({7});  // and the place still works
  EXPECT_EQ(take(after, 1), (std::vector<uint32_t>{7}));
}

inline std::string place_name(const testing::TestParamInfo<Place>& info) {
  return info.param.name;
}

}  // namespace tessera
