#include <gtest/gtest.h>

#include <tessera/core/random.h>

namespace tessera {
namespace {

// The first outputs of the published SplitMix64 for seed 1234567 (Steele, Lea, Flood; xoshiro's reference
// page).
TEST(SplitMix64, MatchesThePublishedStream) {
  SplitMix64 random(1234567);
  EXPECT_EQ(random(), 6457827717110365317ull);
  EXPECT_EQ(random(), 3203168211198807973ull);
  EXPECT_EQ(random(), 9817491932198370423ull);
}

TEST(SplitMix64, StreamAndHashAgree) {
  SplitMix64 random(42);
  EXPECT_EQ(random(), splitmix64(42));
  EXPECT_EQ(random(), splitmix64(42 + 0x9E3779B97F4A7C15ull));
}

TEST(SplitMix64, UniformStaysInTheUnitInterval) {
  EXPECT_EQ(unit_interval(0), 0.0);
  EXPECT_LT(unit_interval(~0ull), 1.0);
  double sum = 0;
  for (std::uint64_t i = 0; i < 10000; ++i) sum += uniform01(7, i);
  EXPECT_NEAR(sum / 10000, 0.5, 0.02);  // 6 standard deviations
}

TEST(SplitMix64, BelowStaysBelow) {
  SplitMix64 random(3);
  for (int i = 0; i < 1000; ++i) EXPECT_LT(random.below(17), 17u);
}

}  // namespace
}  // namespace tessera
