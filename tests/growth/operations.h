// Counts operations: basic blocks of the sources that CMakeLists.txt compiles with a call in each of them.
// For one source of a test program: it defines what is called.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace {
std::atomic<std::uint64_t> operations{0};
}  // namespace

extern "C" void __sanitizer_cov_trace_pc();   // NOLINT
extern "C" void __sanitizer_cov_trace_pc() {  // NOLINT
  operations.fetch_add(1, std::memory_order_relaxed);
}

namespace tessera {
namespace {

/// Runs work(n), work(2 n) and work(4 n), each of which returns the operations it took.
void expect_linear(std::size_t n, const std::function<std::uint64_t(std::size_t)>& work) {
  const auto once = static_cast<double>(work(n));
  const auto twice = static_cast<double>(work(2 * n));
  const auto four_times = static_cast<double>(work(4 * n));
  EXPECT_GT(once, static_cast<double>(n)) << "the work is not counted";
  EXPECT_LT(twice / once, 2.4) << once << " " << twice;  // with room for a logarithm
  EXPECT_LT(four_times / twice, 2.4) << twice << " " << four_times;
}

template <class Work>
std::uint64_t count(const Work& work) {
  operations = 0;
  work();
  return operations;
}

}  // namespace
}  // namespace tessera
