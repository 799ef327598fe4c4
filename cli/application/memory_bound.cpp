#include "application/memory_bound.h"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

namespace tessera::cli {
namespace {

constexpr Bytes stack_bytes = mib(1);

/// What RLIMIT_DATA counts: private memory that can be written to, held or not.
Bytes mapped_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmData:")) return kib(std::strtod(line.c_str() + 7, nullptr));
  }
  return 0;
}

/// Stacks count as a whole, though threads use little of them.
void use_small_stacks() {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return;
  if (pthread_attr_setstacksize(&attributes, stack_bytes) == 0) pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
}

/// Sets the soft limit and returns the one that was there.
Bytes limit_mapped_bytes(Bytes bytes) {
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return RLIM_INFINITY;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = std::min<rlim_t>(bytes, limit.rlim_max);
  setrlimit(RLIMIT_DATA, &limit);
  return before;
}

}  // namespace

void MemoryBound::set(Bytes limit, int threads) {
  const Bytes mapped = mapped_bytes();
  if (!is_possible || mapped == 0) return;
  use_small_stacks();
  const Bytes held = resident_bytes() + code_bytes;
  const Bytes stacks = static_cast<Bytes>(threads - 1) * stack_bytes;
  // What is mapped is more than what is held: pages that an array has begun, and holes between blocks.
  const Bytes holes = limit / 64;
  const Bytes most = mapped + (limit - std::min(limit, held)) + stacks + holes;
  lift();
  before_ = limit_mapped_bytes(most);
  if (*before_ < most) (void)limit_mapped_bytes(*before_);
}

void MemoryBound::lift() {
  if (before_) (void)limit_mapped_bytes(*before_);
  before_.reset();
}

}  // namespace tessera::cli
