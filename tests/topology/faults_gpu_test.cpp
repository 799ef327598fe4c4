// A device that fails or has too little memory, anywhere in an analysis: an error that says so, and nothing
// else.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include <tessera/exec/buffer.h>
#include <tessera/mesh/make.h>

#include "exec/fail_after.h"
#include "topology/results.h"

namespace tessera {

using namespace detail;
namespace {

using namespace testing;

class FailingDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (devices().empty()) GTEST_SKIP() << no_device_reason();
    mesh = make_shuffled(make_kuhn_full(9));
    const Field field = make_wave_field(mesh.points, WaveField::rough);
    expected = compute_results(mesh, field, {});
    (void)on_device();  // what is set up once in a process is set up
  }

  [[nodiscard]] Results on_device(std::shared_ptr<DeviceWatch> watch = nullptr, Bytes memory = 0) const {
    const Field field = make_wave_field(mesh.points, WaveField::rough);
    return compute_results(
        mesh, field, {.threads = 2, .on_device = true, .device_memory = memory, .watch = std::move(watch)});
  }

  TetMesh mesh;
  Results expected;
};

TEST_F(FailingDevice, FailureAnywhere) {
  int failures = 0;
  for (std::int64_t calls = 0;; calls = calls + 1 + calls / 8) {
    const auto failing = std::make_shared<FailAfter>(calls);
    try {
      const Results found = on_device(failing);
      EXPECT_EQ(difference(found, expected), "") << calls;
      if (!failing->has_failed()) break;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::device_failed) << error.what();
      EXPECT_NE(std::string(error.what()).find("the GPU failed while"), std::string::npos) << error.what();
      ++failures;
    }
  }
  EXPECT_GT(failures, 20);
  EXPECT_EQ(difference(on_device(), expected), "");  // it works again
}

TEST_F(FailingDevice, OutOfMemory) {
  int failures = 0;
  for (Bytes limit = 1; limit < gib(1); limit *= 2) {
    try {
      EXPECT_EQ(difference(on_device(nullptr, limit), expected), "") << limit;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::out_of_device_memory) << error.what();
      EXPECT_EQ(std::string(error.what()).find("the GPU was asked for"), 0u) << error.what();
      ++failures;
    }
  }
  EXPECT_GT(failures, 10);
  EXPECT_LT(failures, 29);
}

}  // namespace
}  // namespace tessera
