// MemoryBound: --memory kept by the operating system, whoever takes the memory.
//
// Verbs refuse what they know will not fit before they begin. What they cannot know, such as how many walls a
// field has, ends here: the process is not given more, and the run fails with Error(out_of_memory).
#pragma once

#include <optional>

#include <tessera/core/memory.h>

namespace tessera::cli {

class MemoryBound {
 public:
  MemoryBound() = default;
  MemoryBound(const MemoryBound&) = delete;
  MemoryBound& operator=(const MemoryBound&) = delete;
  ~MemoryBound() { lift(); }

  /// In a build with sanitizers, which map terabytes and hold much, nothing is bound.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  static constexpr bool is_possible = false;
#else
  static constexpr bool is_possible = true;
#endif
  /// Pages of program and library files that are still to come: they cannot be bound, only reserved.
  static constexpr Bytes code_bytes = mib(4);
  /// What kernels and their modules take on the host once they are used: some 31 MiB for isosurfaces.
  static constexpr Bytes kernel_bytes = mib(40);

  /// From now on the process may hold `limit` at most, with this many threads.
  void set(Bytes limit, int threads);
  /// For libraries that do not survive it: those that draw, and those of GPUs.
  void lift();

 private:
  std::optional<Bytes> before_;  ///< the limit that was there, while this one is
};

/// What --memory is to a verb. The numbers are the bytes that it holds for each byte of a file, with a usual
/// mesh or a grid of 4-byte numbers: what there is to say of --memory before the file is read.
/// tests/cli/memory_sweep_test.cpp holds them against runs; those of a verb that says nothing are ample.
struct VerbMemory {
  double mesh = 20;
  double grid = 20;
  bool has_large_results = false;  ///< how large is known late: the numbers are then of the roughest fields
  bool is_bound = true;            ///< if not, --memory is of the runs that the verb speaks of
};

}  // namespace tessera::cli
