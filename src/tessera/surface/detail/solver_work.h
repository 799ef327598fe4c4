// What a Solver keeps: the matrix, its preconditioner and scratch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/core/detail/monitor.h>
#include <tessera/exec/buffer.h>
#include <tessera/surface/detail/solve_loops.h>
#include <tessera/surface/solve.h>

namespace tessera::detail {

/// The arrays of a level at the matrix's place.
struct LevelArrays {
  struct Rows {
    Buffer<std::uint32_t> offsets;
    Buffer<std::uint32_t> columns;
    Buffer<float> values;
    [[nodiscard]] Bytes bytes() const { return offsets.bytes() + columns.bytes() + values.bytes(); }
  };
  Rows matrix;  ///< of the first only the values: the rest is the matrix's
  Rows prolongation;
  Rows restriction;
  Buffer<float> dense;
  Buffer<float> inverse;
  Buffer<float> scratch;  ///< b, x and y

  [[nodiscard]] Bytes bytes() const {
    return matrix.bytes() + prolongation.bytes() + restriction.bytes() + dense.bytes() + inverse.bytes() +
           scratch.bytes();
  }
};

/// In the order that it has.
[[nodiscard]] CsrMatrix matrix_on_host(const SparseMatrix& a);

class SolverWork {
 public:
  SolverWork(SparseMatrix a, const SolveOptions& options);

  /// One right-hand side. `each`: see CgProblem.
  [[nodiscard]] CgResult solve(const double* b, double* x, const StageProgress& progress,
                               const std::uint8_t* each = nullptr);

  [[nodiscard]] const SparseMatrix& matrix() const { return a_; }
  [[nodiscard]] const SolveOptions& options() const { return options_; }
  [[nodiscard]] const Monitor& monitor() const { return monitor_of(options_.monitor); }
  [[nodiscard]] Bytes preconditioner_bytes() const;
  [[nodiscard]] std::size_t level_count() const { return levels_.empty() ? 1 : levels_.size(); }

 private:
  void build_levels();

  SparseMatrix a_;
  SolveOptions options_;
  Buffer<double> inverse_;
  std::vector<LevelArrays> arrays_;
  std::vector<Level> levels_;
  Buffer<double> scratch_;  ///< r, p, q, z and w, then eight numbers
};

}  // namespace tessera::detail
