#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/core/macros.h>
#include <tessera/core/memory.h>

namespace tessera {
namespace {

TEST(Bytes, ParsesSizes) {
  EXPECT_EQ(parse_bytes("512"), 512u);
  EXPECT_EQ(parse_bytes("64K"), 65536u);
  EXPECT_EQ(parse_bytes("1.5G"), gib(1.5));
  EXPECT_EQ(parse_bytes("2 MiB"), mib(2));
  EXPECT_EQ(parse_bytes("3gb"), gib(3));
}

TEST(Bytes, RefusesWhatIsNoSize) {
  for (const char* text : {"", "G", "-1G", "1X", "1Gx", "nan", "inf", "99999999999P", "12 34"}) {
    try {
      (void)parse_bytes(text);
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_option) << text;
    }
  }
}

TEST(Bytes, FormatsInTheLargestUnit) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1536), "1.50 KiB");
  EXPECT_EQ(format_bytes(gib(4)), "4.00 GiB");
}

TEST(Bytes, PeakGrowsWithUse) {
  const Bytes before = peak_resident_bytes();
  std::vector<char> block(std::size_t{64} << 20);
  std::memset(block.data(), 1, block.size());
  EXPECT_EQ(block[block.size() / 2], 1);
  EXPECT_GE(peak_resident_bytes(), std::max(before, mib(64)));
}

TEST(MemoryBudget, GivesWhatFitsAndRemembersThePeak) {
  MemoryBudget budget(100);
  {
    const Reservation a(budget, 60, "a");
    EXPECT_FALSE(budget.try_reserve(41));
    Reservation b(budget, 40, "b");
    const Reservation c = std::move(b);
    EXPECT_EQ(b.bytes(), 0u);
    EXPECT_EQ(budget.used(), 100u);
  }
  EXPECT_EQ(budget.used(), 0u);
  EXPECT_EQ(budget.peak(), 100u);
}

TEST(MemoryBudget, RefusalSaysWhatWasAskedAndAllowed) {
  MemoryBudget budget(mib(1));
  try {
    budget.reserve(mib(2), "the tile store");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
    EXPECT_STREQ(error.what(),
                 "the tile store needs 2.00 MiB, but 0 B of the allowed 1.00 MiB are in use; the limit must "
                 "be at least 3104K");
  }
  EXPECT_EQ(budget.used(), 0u);
  EXPECT_FALSE(budget.try_reserve(MemoryBudget::unlimited));
}

TEST(MemoryBudget, OfAProcessCountsWhatIsHeld) {
  const Bytes held = resident_bytes();
  EXPECT_LE(held, peak_resident_bytes());
  MemoryBudget budget(held + mib(32), MemoryBudget::Scope::process);
  EXPECT_GE(budget.used(), held / 2);
  EXPECT_FALSE(budget.try_reserve(mib(64)));
  std::vector<char> block(std::size_t{48} << 20);
  std::memset(block.data(), 1, block.size());
  EXPECT_EQ(block[block.size() / 2], 1);
  EXPECT_LT(budget.left(), mib(16));
  EXPECT_FALSE(budget.try_reserve(mib(16)));
  budget.leave_out(mib(256));  // sanitizers hold more than the block
  EXPECT_LT(budget.held(), resident_bytes());
  EXPECT_TRUE(budget.try_reserve(mib(16)));
  const Bytes reserved = budget.reserved();
  budget.adopt(100);
  EXPECT_EQ(budget.reserved(), reserved + 100);
}

TEST(MemoryBudget, WhatIsHeldIsNotCountedTwice) {
  std::vector<char> block(std::size_t{48} << 20);
  std::memset(block.data(), 1, block.size());
  EXPECT_EQ(block[block.size() / 2], 1);
  MemoryBudget budget(resident_bytes() + mib(16), MemoryBudget::Scope::process);
  budget.adopt(resident_bytes() - block.size());
  {
    const Reservation held = Reservation::of_held(budget, block.size(), "the block");
    EXPECT_GE(budget.left(), mib(8));
  }
  EXPECT_EQ(budget.reserved(), budget.peak() - block.size());
  MemoryBudget small(mib(1));
  EXPECT_THROW((void)Reservation::of_held(small, mib(2), "the block"), Error);
  EXPECT_EQ(small.reserved(), 0u);
}

TEST(MemoryBudget, LimitsAreRoundedUp) {
  EXPECT_EQ(format_limit(1), "1K");
  EXPECT_EQ(format_limit(kib(3)), "3K");
  EXPECT_EQ(format_limit(mib(64) + 1), "65M");
  for (const Bytes bytes : {Bytes{12345}, mib(100) + 7, gib(3) - 1}) {
    EXPECT_GE(parse_bytes(format_limit(bytes)), bytes);
    EXPECT_LE(parse_bytes(format_limit(bytes)), bytes + mib(1));
  }
}

TEST(MemoryBudget, ThreadsNeverOverbook) {
  MemoryBudget budget(1000);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        if (budget.try_reserve(300)) budget.release(300);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(budget.used(), 0u);
  EXPECT_LE(budget.peak(), 900u);
  EXPECT_GE(budget.peak(), 300u);
}

TEST(Contract, EndsTheProgramWithItsPlace) {
  EXPECT_DEATH(TS_EXPECTS(1 + 1 == 3), "broken contract: 1 \\+ 1 == 3 .*memory_test.cpp");
  MemoryBudget budget(10);
  EXPECT_DEATH(budget.release(1), "broken contract");
}

}  // namespace
}  // namespace tessera
