// Sizes beyond 2^31, where 32-bit counters end. About 9 GB of memory: label slow.
#include <gtest/gtest.h>

#include <tessera/exec/buffer.h>
#include <tessera/exec/for_each.h>
#include <tessera/exec/primitives.h>

namespace tessera {
namespace {

constexpr std::size_t beyond = (std::size_t{1} << 31) + 5;

Exec place() {
  return Exec::host();
}

TEST(Large, ScanBeyondTwoToThe31) {
  Buffer<uint32_t> data(place(), beyond);
  host_for_each(place(), beyond, [&](std::size_t i) { data.data()[i] = i % 3 == 0 ? 1 : 0; });
  EXPECT_EQ(reduce_sum<uint32_t>(place(), data.span()), (beyond + 2) / 3);
  exclusive_scan<uint32_t, uint32_t>(place(), data.span(), data.span());
  for (std::size_t i = 0; i < beyond; i += 99991) ASSERT_EQ(data.data()[i], (i + 2) / 3) << i;
  EXPECT_EQ(data.data()[beyond - 1], (beyond + 1) / 3);
}

TEST(Large, CompactBeyondTwoToThe31) {
  Buffer<uint8_t> flags(place(), beyond);
  host_for_each(place(), beyond,
                [&](std::size_t i) { flags.data()[i] = i % 1000003 == 0 || i + 1 == beyond; });
  Buffer<uint32_t> kept(place(), 4000);
  const std::size_t count = compact_indices(place(), flags.span(), kept.span());
  ASSERT_EQ(count, (beyond - 1) / 1000003 + 2);
  EXPECT_EQ(kept.data()[1], 1000003u);
  EXPECT_EQ(kept.data()[count - 1], beyond - 1);
}

}  // namespace
}  // namespace tessera
