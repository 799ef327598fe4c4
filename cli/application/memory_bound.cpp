#include "application/memory_bound.h"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
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

struct VerbMemory {
  std::string_view verb;
  HeldOfFile held;
};
constexpr std::array<VerbMemory, 18> verb_memory = {{
    {"clip", {8, 120}},
    {"coarsen", {4, 20}},
    {"convert", {6, 4}},
    {"critical-points", {5, 80}},
    {"curvature", {4, 4}},
    {"doctor", {4, 4}},
    {"dual", {6, 6}},
    {"extract", {6, 120}},
    {"gradient", {24, 500}},
    {"isosurface", {6, 20}},
    {"morse-smale", {14, 250}},
    {"persistence", {8, 120}},
    {"plan", {4, 4}},
    {"relations", {15, 15}},
    {"slice", {6, 120}},
    {"subdivide", {14, 14}},
    {"tetrahedralize", {4, 100}},
    {"weld", {6, 6}},
}};

}  // namespace

HeldOfFile held_of_file(std::string_view verb) {
  const auto* const found = std::ranges::find(verb_memory, verb, &VerbMemory::verb);
  return found == verb_memory.end() ? HeldOfFile{3, 3} : found->held;
}

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
