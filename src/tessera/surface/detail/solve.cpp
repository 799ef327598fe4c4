#include <tessera/surface/solve.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include <tessera/core/config.h>
#include <tessera/exec/detail/side.h>
#include <tessera/surface/detail/cuda/solve.h>
#include <tessera/surface/detail/multilevel.h>
#include <tessera/surface/detail/solver_work.h>

namespace tessera {

using namespace detail;

namespace detail {
namespace {

using std::size_t;
using std::uint32_t;

Buffer<float> floats(const Exec& exec, const Array<double>& values, double factor = 1) {
  Array<float> singles(values.size());
  std::ranges::transform(values, singles.begin(), [&](double v) { return static_cast<float>(factor * v); });
  return Buffer<float>(exec, singles);
}

LevelArrays::Rows place_rows(const Exec& exec, const CsrMatrix& a, double factor = 1) {
  return {Buffer<uint32_t>(exec, a.offsets), Buffer<uint32_t>(exec, a.column_ids),
          floats(exec, a.values, factor)};
}

MatrixRows<float> view_of(const LevelArrays::Rows& a) {
  const size_t rows = a.offsets.empty() ? 0 : a.offsets.size() - 1;
  return {rows, a.offsets.data(), a.columns.data(), a.values.data()};
}

/// Steps that reduce what the next level cannot: the upper part of the spectrum (Chebyshev's polynomial).
std::array<float, smoothing_steps> smoothing_weights(double largest) {
  const double least = largest / 6;
  std::array<float, smoothing_steps> weights = {};
  for (size_t k = 0; k < smoothing_steps; ++k) {
    const double angle = std::numbers::pi * static_cast<double>(2 * k + 1) / (2 * smoothing_steps);
    weights[k] = static_cast<float>(1 / ((largest + least) / 2 + (largest - least) / 2 * std::cos(angle)));
  }
  return weights;
}

}  // namespace

CsrMatrix matrix_on_host(const SparseMatrix& a) {
  CsrMatrix result;
  result.rows = a.rows.size;
  result.columns = a.columns.size;
  result.offsets = a.offsets.to_host();
  result.column_ids = a.column_ids.to_host();
  result.values = a.values.to_host();
  return result;
}

SolverWork::SolverWork(SparseMatrix a, const SolveOptions& options) : a_(std::move(a)), options_(options) {
  if (a_.rows.size != a_.columns.size) {
    throw Error(ErrorCode::bad_option, "a matrix of " + std::to_string(a_.rows.size) + " rows and " +
                                           std::to_string(a_.columns.size) +
                                           " columns cannot be solved: it is not square");
  }
  if (!(options_.tolerance > 0)) {
    throw Error(ErrorCode::bad_option, "a tolerance of " + std::to_string(options_.tolerance) +
                                           " is never reached; it must be above 0");
  }
  if (options_.preconditioner == Preconditioner::multilevel) build_levels();
  if (options_.preconditioner == Preconditioner::jacobi) {
    const CsrMatrix host = matrix_on_host(a_);
    Array<double> inverse(host.rows, 0);
    for (size_t row = 0; row < host.rows; ++row) {
      for (uint32_t k = host.offsets[row]; k < host.offsets[row + 1]; ++k) {
        if (host.column_ids[k] == row && host.values[k] > 0) inverse[row] = 1 / host.values[k];
      }
    }
    inverse_ = Buffer<double>(a_.exec(), inverse);
  }
  scratch_ = Buffer<double>(a_.exec(), 5 * a_.rows.size + 8);
}

void SolverWork::build_levels() {
  const Exec& exec = a_.exec();
  const CsrMatrix host = matrix_on_host(a_);
  const std::vector<HostLevel> levels = detail::build_levels(Exec::host(exec.threads()), host, monitor());
  // Single precision reaches far enough if the largest diagonal is 1.
  double most = 0;
  for (const double inverse : levels.front().inverse) most = std::max(most, inverse > 0 ? 1 / inverse : 0);
  const double factor = most > 0 ? 1 / most : 1;
  for (const HostLevel& level : levels) {
    LevelArrays arrays;
    const bool is_first = arrays_.empty();
    if (is_first) {
      arrays.matrix.values = floats(exec, host.values, factor);
    } else {
      arrays.matrix = place_rows(exec, level.matrix, factor);
    }
    arrays.prolongation = place_rows(exec, level.prolongation);
    arrays.restriction = place_rows(exec, level.restriction);
    arrays.dense = floats(exec, level.dense, 1 / factor);
    arrays.inverse = floats(exec, level.inverse, 1 / factor);
    const size_t n = level.inverse.size();
    arrays.scratch = Buffer<float>(exec, 3 * n);
    Level view;
    view.matrix =
        is_first ? MatrixRows<float>{n, a_.offsets.data(), a_.column_ids.data(), arrays.matrix.values.data()}
                 : view_of(arrays.matrix);
    if (!level.dense.empty()) view.dense = {n, nullptr, nullptr, arrays.dense.data()};
    view.inverse = arrays.inverse.data();
    view.weights = smoothing_weights(level.largest);
    view.prolongation = view_of(arrays.prolongation);
    view.restriction = view_of(arrays.restriction);
    view.b = arrays.scratch.data();
    view.x = view.b + n;
    view.y = view.x + n;
    levels_.push_back(view);
    arrays_.push_back(std::move(arrays));
  }
}

Bytes SolverWork::preconditioner_bytes() const {
  Bytes bytes = inverse_.bytes();
  for (const LevelArrays& arrays : arrays_) bytes += arrays.bytes();
  return bytes;
}

CgResult SolverWork::solve(const double* b, double* x, const StageProgress& progress,
                           const std::uint8_t* each) {
  const size_t n = a_.rows.size;
  double* scratch = scratch_.data();
  CgProblem problem;
  problem.a = {n, a_.offsets.data(), a_.column_ids.data(), a_.values.data()};
  problem.inverse = inverse_.empty() ? nullptr : inverse_.data();
  problem.levels = levels_.empty() ? nullptr : &levels_;
  problem.r = scratch;
  problem.p = scratch + n;
  problem.q = scratch + 2 * n;
  problem.z = scratch + 3 * n;
  problem.w = scratch + 4 * n;
  problem.numbers = scratch + 5 * n;
  problem.each = each;
  problem.tolerance = options_.tolerance;
  problem.max_iterations = options_.max_iterations;
  problem.starts_from_x = options_.starts_from_x;
  if constexpr (built_with_cuda) {
    if (a_.exec().is_cuda()) return cuda::conjugate_gradients(a_.exec(), problem, progress, b, x);
  }
  const HostSide side{a_.exec()};
  return ConjugateGradients<HostSide>(side, problem, progress).solve(b, x);
}

}  // namespace detail

Solver::Solver(SparseMatrix a, const SolveOptions& options)
    : work_(std::make_unique<SolverWork>(std::move(a), options)) {}
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;
Solver::~Solver() = default;

const SparseMatrix& Solver::matrix() const {
  return work_->matrix();
}
const SolveOptions& Solver::options() const {
  return work_->options();
}
Bytes Solver::preconditioner_bytes() const {
  return work_->preconditioner_bytes();
}
std::size_t Solver::level_count() const {
  return work_->level_count();
}

SolveResult Solver::solve(const double* b, double* x, std::size_t count) {
  const std::size_t n = matrix().rows.size;
  SolveResult result;
  const auto share = [&](std::size_t k) { return static_cast<double>(k) / static_cast<double>(count); };
  for (std::size_t k = 0; k < count; ++k) {
    const StageProgress progress(work_->monitor(), "solving a linear system", share(k), share(k + 1));
    const CgResult one = work_->solve(b + k * n, x + k * n, progress);
    result.iterations = std::max(result.iterations, one.iterations);
    result.residual = one.residual > result.residual ? one.residual : result.residual;
    result.has_converged = result.has_converged && one.has_converged;
  }
  return result;
}

}  // namespace tessera
