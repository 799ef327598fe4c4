// Solves A x = b for symmetric, positive (semi)definite matrices: conjugate gradients with a preconditioner.
//
//   ts::Solver solver(ts::make_laplacian(surface));
//   const ts::SolveResult result = solver.solve(b, x);      // result.iterations, result.residual
//
// Jacobi divides by the diagonal: enough where the diagonal dominates. Multilevel makes smaller and smaller
// problems of the matrix, and needs nearly as many iterations for a million unknowns as for a thousand
// (P. Vanek, J. Mandel, M. Brezina, "Algebraic multigrid by smoothed aggregation", 1996: aggregates by
// strength of coupling in the order of the rows, smoothed prolongation, a V-cycle with Jacobi steps in single
// precision). It is built on the host and used at the matrix's place.
//
// All sums have one fixed order, and iterations end by the same numbers: results are the same bytes on host
// and device and for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <tessera/core/memory.h>
#include <tessera/core/progress.h>
#include <tessera/surface/sparse.h>

namespace tessera {

enum class Preconditioner { none, jacobi, multilevel };

struct SolveOptions {
  Preconditioner preconditioner = Preconditioner::multilevel;
  /// Ends when the length of the residual b - A x, as the iteration carries it, is at most this part of b's.
  double tolerance = 1e-8;
  std::uint32_t max_iterations = 1000;
  bool starts_from_x = false;  ///< x holds a guess; otherwise the iteration starts from 0
  /// Of preparing and of every solution: it must outlive the solver. How much of a solution is done is said
  /// by the logarithm of the residual, on its way to the tolerance.
  const Monitor* monitor = nullptr;
};

struct SolveResult {
  std::uint32_t iterations = 0;  ///< the most of all right-hand sides
  double residual = 0;           ///< the largest of all, relative to its right-hand side
  bool has_converged = true;     ///< all of them
};

namespace detail {
class SolverWork;
}  // namespace detail

/// Prepared once for many right-hand sides. One solve at a time: it keeps its scratch memory. A matrix that
/// is singular, such as a Laplacian, is fine as long as b is in its range; x is then one of the solutions.
class Solver {
 public:
  /// O(n). The matrix is square and symmetric, which is not checked; Error(bad_option) if it is not square,
  /// for a tolerance that is not above 0; Error(out_of_memory | out_of_device_memory); Error(cancelled).
  explicit Solver(SparseMatrix a, const SolveOptions& options = {});
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;
  ~Solver();

  [[nodiscard]] const SparseMatrix& matrix() const;
  [[nodiscard]] const SolveOptions& options() const;
  /// What the preconditioner takes at the matrix's place.
  [[nodiscard]] Bytes preconditioner_bytes() const;
  /// Levels of a multilevel preconditioner, the matrix among them; 1 for others.
  [[nodiscard]] std::size_t level_count() const;

  /// `count` right-hand sides, one after the other in b, and as many solutions, at the matrix's place in its
  /// order. Not converging is no error: the result says so. Error(cancelled) leaves x as it is by then; the
  /// solver can be used on.
  SolveResult solve(const double* b, double* x, std::size_t count = 1);

 private:
  std::unique_ptr<detail::SolverWork> work_;
};

}  // namespace tessera
