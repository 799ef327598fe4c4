#include <gtest/gtest.h>

#include <thread>

#include <tessera/core/config.h>
#include <tessera/core/error.h>
#include <tessera/exec/detail/team.h>
#include <tessera/exec/exec.h>
#include <tessera/exec/work.h>

#include "exec/kernels.h"

namespace tessera {

using namespace detail;
namespace {

TEST(Exec, HostTakesTheThreadsItIsGiven) {
  EXPECT_EQ(Exec::host(3).threads(), 3);
  EXPECT_GE(Exec::host().threads(), 1);
  EXPECT_FALSE(Exec::host().is_cuda());
  EXPECT_EQ(Exec::host(1).description(), "cpu, 1 thread");
  EXPECT_EQ(Exec::host(2).description(), "cpu, 2 threads");
  EXPECT_DEATH((void)Exec::host(-1), "broken contract");
}

TEST(Exec, MissingDeviceIsAnErrorWithItsReason) {
  try {
    (void)Exec::cuda(4711);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::device_failed);
    EXPECT_NE(std::string(error.what()).find("CUDA device 4711 cannot be used: "), std::string::npos)
        << error.what();
    EXPECT_EQ(std::string(error.what()).find("--"), std::string::npos)
        << error.what();  // options are not ours
  }
}

TEST(Exec, AutomaticTakesTheHostWithoutADevice) {
  EXPECT_EQ(Exec::automatic(2).is_cuda(), !devices().empty());
  EXPECT_EQ(no_device_reason().empty(), !devices().empty());
  if (!built_with_cuda) {
    EXPECT_EQ(no_device_reason(), "this build of Tessera has no CUDA support");
  }
}

TEST(HostTeam, RunsAKernelOfTeams) {
  for (const std::uint32_t items : {0u, 1u, 31u, 1000u}) {
    const std::vector<std::uint32_t> expected = expected_fill(items);
    std::vector<std::uint32_t> offsets(items), filled(expected.size());
    std::uint32_t total = 1;
    count_scan_fill(HostTeam{}, items, offsets.data(), filled.data(), &total);
    EXPECT_EQ(filled, expected);
    EXPECT_EQ(total, expected.size());
  }
}

TEST(ChooseDevice, SmallWorkStaysOnTheHost) {
  const DeviceChoice choice = choose_device(work_of(1000, 100, 64), 2);
  EXPECT_EQ(choice.reason, DeviceChoice::Reason::small);
  EXPECT_FALSE(choice.exec.is_cuda());
  EXPECT_EQ(choice.exec.threads(), 2);
  EXPECT_EQ(choice.sentence, "the work is small");
}

TEST(ChooseDevice, LargeWorkGoesToAGpuThatHasRoom) {
  const Work work = work_of(100'000'000, 100, 1);
  const DeviceChoice choice = choose_device(work, 2);
  if (devices().empty()) {
    EXPECT_EQ(choice.reason, DeviceChoice::Reason::no_device);
    EXPECT_FALSE(choice.exec.is_cuda());
    EXPECT_EQ(choice.sentence, no_device_reason());
    return;
  }
  EXPECT_EQ(choice.reason, DeviceChoice::Reason::worth_it);
  EXPECT_TRUE(choice.exec.is_cuda());
  EXPECT_EQ(choice.sentence, "");
  const DeviceChoice limited = choose_device(work, 2, mib(1));
  EXPECT_EQ(limited.reason, DeviceChoice::Reason::too_large);
  EXPECT_FALSE(limited.exec.is_cuda());
  EXPECT_NE(limited.sentence.find("95.37 MiB"), std::string::npos) << limited.sentence;
}

}  // namespace
}  // namespace tessera
