// Key-reduce at an Exec's place: the host's bytes, and a map's groups, on host threads and on a device.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <tessera/core/random.h>
#include <tessera/generate/key_reduce.cuh>

#include "generate/keys.h"

namespace tessera {
namespace {

using test::key_cases;
using test::Oracle;
using test::oracle_of;
using test::random_keys;

struct Add {
  TS_HD double operator()(double a, double b) const { return a + b; }
};
struct Divide {
  TS_HD double operator()(double sum, std::uint32_t count) const { return sum / count; }
};
/// Item i: the key i % 97, the value i / 3.
struct SpreadItems {
  TS_HD Emitted<double> operator()(std::size_t item) const {
    return {item % 97, static_cast<double>(item) / 3};
  }
};
/// Keeps the order of what it merges: base 3 digits.
struct AppendDigit {
  TS_HD std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return 3 * a + b; }
};

class KeyReduceAt : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (GetParam() && devices().empty()) GTEST_SKIP() << no_device_reason();
  }
  /// One for each test: buffers of one Exec are used in the order of its stream.
  [[nodiscard]] const Exec& exec() {
    if (!exec_.has_value()) exec_ = GetParam() ? Exec::cuda(0) : Exec::host(2);
    return *exec_;
  }
  template <class T>
  [[nodiscard]] Buffer<T> there(const Array<T>& values) {
    return {exec(), std::span<const T>(values)};
  }

 private:
  std::optional<Exec> exec_;
};

Array<double> random_values(std::size_t count) {
  Array<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = 1e3 * uniform01(9, i) - 500;  // sums that round
  return values;
}

TEST_P(KeyReduceAt, GroupsAsAMapDoes) {
  for (const test::KeyCase& c : key_cases) {
    const Array<std::uint64_t> keys = random_keys(c.items, c.first, c.range);
    const Oracle expected = oracle_of(keys);
    const Buffer<std::uint64_t> buffer = there(keys);
    for (const KeyMethod method : {KeyMethod::automatic, KeyMethod::direct, KeyMethod::sorted}) {
      if (method == KeyMethod::direct && c.range > (1u << 24)) continue;  // would mark the whole range
      const KeyBuffers groups = group_keys(exec(), buffer.span(), method);
      const auto rows = group_items(exec(), groups.connections.span(), groups.size());
      const KeyGroups host = group_keys(keys, {.method = method});
      ASSERT_EQ(groups.keys.to_host(), host.keys) << c.name;
      ASSERT_EQ(groups.connections.to_host(), host.connections) << c.name;
      ASSERT_EQ(groups.counts.to_host(), host.counts) << c.name;
      ASSERT_TRUE(std::ranges::equal(groups.keys.to_host(), expected.keys)) << c.name;
      const Array<std::uint32_t> offsets = rows.offsets.to_host();
      const Array<std::uint32_t> items = rows.values.to_host();
      ASSERT_EQ(offsets.size(), expected.items.size() + 1) << c.name;
      for (std::size_t o = 0; o < expected.items.size(); ++o) {
        const std::span row(items.data() + offsets[o], offsets[o + 1] - offsets[o]);
        ASSERT_TRUE(std::ranges::equal(row, expected.items[o])) << c.name << " output " << o;
      }
    }
  }
}

TEST_P(KeyReduceAt, MergesToTheHostsBytes) {
  for (const test::KeyCase& c : key_cases) {
    const Array<std::uint64_t> keys = random_keys(c.items, c.first, c.range);
    const Array<double> values = random_values(c.items);
    const auto host = key_reduce<double>(keys, values, Add{});
    const Buffer<std::uint64_t> key_buffer = there(keys);
    const Buffer<double> value_buffer = there(values);
    const auto reduced = key_reduce<double>(exec(), key_buffer.span(), value_buffer.span(), Add{});
    ASSERT_EQ(reduced.values.to_host(), host.values) << c.name;
    ASSERT_EQ(finish(exec(), reduced, Divide{}).to_host(), finish(host, Divide{})) << c.name;
  }
}

TEST_P(KeyReduceAt, MergesInTheOrderOfTheItems) {
  const Array<std::uint64_t> keys = random_keys(20'000, 0, 1'000);
  Array<std::uint64_t> digits(keys.size());
  for (std::size_t i = 0; i < digits.size(); ++i) digits[i] = splitmix64(i) % 3;
  const Buffer<std::uint64_t> key_buffer = there(keys);
  const Buffer<std::uint64_t> digit_buffer = there(digits);
  const auto reduced =
      key_reduce<std::uint64_t>(exec(), key_buffer.span(), digit_buffer.span(), AppendDigit{});
  const Oracle expected = oracle_of(keys);
  const Array<std::uint64_t> merged = reduced.values.to_host();
  for (std::size_t o = 0; o < expected.items.size(); ++o) {
    std::uint64_t all = digits[expected.items[o][0]];
    for (std::size_t i = 1; i < expected.items[o].size(); ++i) all = 3 * all + digits[expected.items[o][i]];
    ASSERT_EQ(merged[o], all);
  }
}

TEST_P(KeyReduceAt, ItemsCanBeMadeOnTheSpot) {
  constexpr std::size_t items = 10'007;
  const auto reduced = key_reduce<double>(exec(), items, SpreadItems{}, Add{});
  ASSERT_EQ(reduced.size(), 97u);
  const Array<double> sums = reduced.values.to_host();
  const Array<double> means = finish(exec(), reduced, Divide{}).to_host();
  for (std::size_t k = 0; k < 97; ++k) {
    double sum = static_cast<double>(k) / 3;
    std::uint32_t count = 1;
    for (std::size_t i = k + 97; i < items; i += 97, ++count) sum += static_cast<double>(i) / 3;
    ASSERT_EQ(sums[k], sum);
    ASSERT_EQ(means[k], sum / count);
  }
}

TEST_P(KeyReduceAt, PiecesJoinToTheWhole) {
  const Array<std::uint64_t> keys = random_keys(20'000, 1'000, 700);
  const Array<double> values = random_values(keys.size());
  const Buffer<std::uint64_t> all_keys = there(keys);
  const Buffer<double> all_values = there(values);
  const auto piece = [&](std::size_t begin, std::size_t end) {
    return key_reduce<double>(exec(), all_keys.span().subspan(begin, end - begin),
                              all_values.span().subspan(begin, end - begin), Add{});
  };
  const auto host_piece = [&](std::size_t begin, std::size_t end) {
    return key_reduce<double>(std::span<const std::uint64_t>(keys).subspan(begin, end - begin),
                              std::span<const double>(values).subspan(begin, end - begin), Add{});
  };
  auto joined = piece(0, 1);
  auto host = host_piece(0, 1);
  std::size_t done = 1;
  for (const std::size_t cut : {1u, 5'000u, 5'003u, 20'000u}) {
    joined = join(exec(), joined, piece(done, cut), Add{});
    host = join(host, host_piece(done, cut), Add{});
    done = cut;
  }
  EXPECT_EQ(joined.groups.keys.to_host(), host.groups.keys);
  EXPECT_EQ(joined.groups.counts.to_host(), host.groups.counts);
  EXPECT_EQ(joined.groups.connections.to_host(), host.groups.connections);
  EXPECT_EQ(joined.values.to_host(), host.values);
}

TEST_P(KeyReduceAt, NothingGivesNothing) {
  for (const KeyMethod method : {KeyMethod::automatic, KeyMethod::direct, KeyMethod::sorted}) {
    EXPECT_EQ(group_keys(exec(), {}, method).size(), 0u);
  }
  EXPECT_EQ(group_items(exec(), {}, 3).offsets.to_host(), (Array<std::uint32_t>{0, 0, 0, 0}));
  EXPECT_EQ(key_reduce<double>(exec(), 0, SpreadItems{}, Add{}).size(), 0u);
}

TEST_P(KeyReduceAt, ListsTheCellsAroundEachVertex) {
  // Two triangles over the edge 1-2; vertex 4 is in none.
  const Array<std::array<VertexId, 3>> cells = {{VertexId(0), VertexId(1), VertexId(2)},
                                                {VertexId(3), VertexId(2), VertexId(1)}};
  const Buffer<std::array<VertexId, 3>> buffer = there(cells);
  const auto around = vertex_incidence<FaceId, 3>(exec(), buffer.span(), 5);
  EXPECT_EQ(around.offsets.to_host(), (Array<std::uint32_t>{0, 1, 3, 5, 6, 6}));
  EXPECT_EQ(around.values.to_host(),
            (Array<FaceId>{FaceId(0), FaceId(0), FaceId(1), FaceId(0), FaceId(1), FaceId(1)}));
}

std::string name_of(const testing::TestParamInfo<bool>& info) {
  return info.param ? "device" : "host";
}
INSTANTIATE_TEST_SUITE_P(Places, KeyReduceAt, testing::Values(false, true), name_of);

}  // namespace
}  // namespace tessera
