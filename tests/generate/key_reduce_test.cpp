// Key-reduce against a std::map, for every method and several thread counts.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/core/random.h>
#include <tessera/core/vec.h>
#include <tessera/generate/key_reduce.h>

#include "generate/keys.h"

namespace tessera {
namespace {

using test::key_cases;
using test::Oracle;
using test::oracle_of;
using test::random_keys;

class KeyReduce : public testing::TestWithParam<int> {
 protected:
  [[nodiscard]] KeyOptions options(KeyMethod method = KeyMethod::automatic) const {
    return {.method = method, .exec = Exec::host(GetParam())};
  }
};

TEST_P(KeyReduce, GroupsAsAMapDoes) {
  for (const test::KeyCase& c : key_cases) {
    const Array<std::uint64_t> keys = random_keys(c.items, c.first, c.range);
    const Oracle expected = oracle_of(keys);
    for (const KeyMethod method : {KeyMethod::automatic, KeyMethod::direct, KeyMethod::sorted}) {
      if (method == KeyMethod::direct && c.range > (1u << 24)) continue;  // would mark the whole range
      const KeyGroups groups = group_keys(keys, options(method));
      ASSERT_EQ(groups.size(), expected.keys.size()) << c.name;
      const auto rows = group_items(groups.connections, groups.size(), options().exec);
      for (std::size_t o = 0; o < groups.size(); ++o) {
        ASSERT_EQ(groups.keys[o], expected.keys[o]) << c.name;
        ASSERT_EQ(groups.counts[o], expected.items[o].size()) << c.name;
        const auto row = rows[VertexId(static_cast<std::uint32_t>(o))];
        ASSERT_TRUE(std::ranges::equal(row, expected.items[o])) << c.name << " output " << o;
      }
      for (std::size_t i = 0; i < keys.size(); ++i) {
        ASSERT_EQ(groups.connections[i].index(), expected.connections[i]) << c.name << " item " << i;
      }
    }
  }
}

TEST_P(KeyReduce, MergesInTheOrderOfTheItems) {
  const Array<std::uint64_t> keys = random_keys(20'000, 0, 600);
  Array<std::string> words(keys.size());
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = std::to_string(i) + ' ';
  const auto append = [](const std::string& a, const std::string& b) { return a + b; };
  const Oracle expected = oracle_of(keys);
  const auto reduced = key_reduce<std::string>(keys, words, append, options());
  for (std::size_t o = 0; o < reduced.size(); ++o) {
    std::string all;
    for (const std::uint32_t item : expected.items[o]) all += words[item];
    ASSERT_EQ(reduced.values[o], all);
  }
}

TEST_P(KeyReduce, PiecesJoinToTheWhole) {
  const Array<std::uint64_t> keys = random_keys(20'000, 1000, 700);
  Array<double> values(keys.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(splitmix64(i) % 1000);
  const auto add = [](double a, double b) { return a + b; };  // exact: small integers
  const auto mean = [](double sum, std::uint32_t count) { return sum / count; };
  const std::span<const std::uint64_t> all_keys(keys);
  const std::span<const double> all_values(values);

  const auto whole = key_reduce<double>(all_keys, all_values, add, options());
  auto joined = key_reduce<double>(all_keys.first(1), all_values.first(1), add, options());
  for (const std::size_t cut : {1u, 5'000u, 5'003u, 20'000u}) {
    const std::size_t done = joined.groups.connections.size();
    const auto piece = key_reduce<double>(all_keys.subspan(done, cut - done),
                                          all_values.subspan(done, cut - done), add, options());
    joined = join(joined, piece, add, options());
  }
  EXPECT_EQ(joined.groups.keys, whole.groups.keys);
  EXPECT_EQ(joined.groups.counts, whole.groups.counts);
  EXPECT_EQ(joined.groups.connections, whole.groups.connections);
  EXPECT_EQ(finish(joined, mean, options().exec), finish(whole, mean, options().exec));
}

TEST_P(KeyReduce, NothingGivesNothing) {
  for (const KeyMethod method : {KeyMethod::automatic, KeyMethod::direct, KeyMethod::sorted}) {
    EXPECT_EQ(group_keys({}, options(method)).size(), 0u);
  }
  EXPECT_EQ(group_items({}, 3, options().exec).offsets, (Array<std::uint32_t>{0, 0, 0, 0}));
}

INSTANTIATE_TEST_SUITE_P(Threads, KeyReduce, testing::Values(1, 2, 5));

TEST(KeyMethods, DensityDecides) {
  EXPECT_EQ(choose_key_method(1000, 0, 63'999), KeyMethod::direct);
  EXPECT_EQ(choose_key_method(1000, 0, 64'000), KeyMethod::sorted);
  EXPECT_EQ(choose_key_method(1000, std::uint64_t{1} << 40, (std::uint64_t{1} << 40) + 5), KeyMethod::direct);
  EXPECT_EQ(choose_key_method(3, 0, ~std::uint64_t{0}), KeyMethod::sorted);
}

TEST(PairKeys, KeepTheirVerticesBeyond32Bits) {
  constexpr std::uint64_t vertices = 0xFFFF'FFF0ull;
  const VertexId low(0xFFFF'FF00u);
  const VertexId high(0xFFFF'FF01u);
  EXPECT_EQ(pair_key(low, high, vertices), pair_key(high, low, vertices));
  EXPECT_EQ(pair_of(pair_key(high, low, vertices), vertices), (std::array{low, high}));
  EXPECT_LT(pair_key(VertexId(1), VertexId(9), 10), pair_key(VertexId(2), VertexId(3), 10));
}

TEST(VertexIncidence, ListsTheCellsAroundEachVertex) {
  // Two triangles over the edge 1-2; vertex 4 is in none.
  const std::vector<std::array<VertexId, 3>> cells = {{VertexId(0), VertexId(1), VertexId(2)},
                                                      {VertexId(3), VertexId(2), VertexId(1)}};
  const auto around = vertex_incidence<FaceId, 3>(cells, 5);
  EXPECT_EQ(around.offsets, (Array<std::uint32_t>{0, 1, 3, 5, 6, 6}));
  EXPECT_EQ(around.values, (Array<FaceId>{FaceId(0), FaceId(0), FaceId(1), FaceId(0), FaceId(1), FaceId(1)}));
}

TEST(VertexIncidence, ACellThatNamesNoVertexIsABrokenContract) {
  const std::vector<VertexId> connections = {VertexId(0), VertexId(7)};
  EXPECT_DEATH((void)group_items(connections, 3), "broken contract");
}

}  // namespace
}  // namespace tessera
