// Conjugate gradients and the cycle of a multilevel preconditioner, on either side.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <tessera/core/macros.h>
#include <tessera/exec/buffer.h>
#include <tessera/exec/exec.h>
#include <tessera/surface/detail/stage_progress.h>

namespace tessera::detail {

/// A matrix at the side's place. A null `columns`: dense, row by row.
template <class Real>
struct MatrixRows {
  std::size_t rows = 0;
  const std::uint32_t* offsets = nullptr;
  const std::uint32_t* columns = nullptr;
  const Real* values = nullptr;

  [[nodiscard]] TS_HD Real times(std::size_t row, const Real* x) const {
    Real sum = 0;
    if (columns == nullptr) {
      for (std::size_t k = 0; k < rows; ++k) sum += values[row * rows + k] * x[k];
      return sum;
    }
    for (std::uint32_t k = offsets[row]; k < offsets[row + 1]; ++k) sum += values[k] * x[columns[k]];
    return sum;
  }
};

/// The steps of a smoother before and after the next level.
inline constexpr std::size_t smoothing_steps = 2;

/// A level of the hierarchy (multilevel.h) with scratch for it.
struct Level {
  MatrixRows<float> matrix;
  MatrixRows<float> dense;  ///< of the last level, where there is one
  const float* inverse = nullptr;
  std::array<float, smoothing_steps> weights = {};
  MatrixRows<float> prolongation;
  MatrixRows<float> restriction;
  float* b = nullptr;
  float* x = nullptr;
  float* y = nullptr;
};

/// All that conjugate gradients need: pointers to the side's place.
struct CgProblem {
  MatrixRows<double> a;
  const double* inverse = nullptr;  ///< of the diagonal: Jacobi
  const std::vector<Level>* levels = nullptr;
  double* r = nullptr;
  double* z = nullptr;  ///< the preconditioned residual
  double* p = nullptr;
  double* q = nullptr;
  double* w = nullptr;        ///< without levels only
  double* numbers = nullptr;  ///< eight
  /// If there, each x[i] that it marks must be as accurate as the tolerance says, however small: |r[i]| is
  /// compared with x[i] times the diagonal.
  const std::uint8_t* each = nullptr;
  double tolerance = 0;
  std::uint32_t max_iterations = 0;
  bool starts_from_x = false;
};

struct CgResult {
  std::uint32_t iterations = 0;
  double residual = 0;
  bool has_converged = false;
};

struct Add {
  TS_HD double operator()(double a, double b) const { return a + b; }
};
struct GreaterOrNan {
  TS_HD double operator()(double a, double b) const { return a < b || b != b ? b : a; }
};
struct ProductAt {
  const double* a;
  const double* b;
  TS_HD double operator()(std::size_t i) const { return a[i] * b[i]; }
};
struct FirstNumber {
  const double* value;
  TS_HD double operator()(std::size_t) const { return *value; }
};
/// How far values may be off, as parts of them.
struct Accuracy {
  double part_off;         ///< the most of all; NaN if there is one
  std::uint32_t count;     ///< of values that must be accurate
  std::uint32_t accurate;  ///< those of them that are
};
struct LeastAccurate {
  TS_HD Accuracy operator()(const Accuracy& a, const Accuracy& b) const {
    return {GreaterOrNan{}(a.part_off, b.part_off), a.count + b.count, a.accurate + b.accurate};
  }
};
struct AccuracyAt {
  double tolerance;
  const double* r;
  const double* x;
  const double* inverse;
  const std::uint8_t* each;
  TS_HD Accuracy operator()(std::size_t i) const {
    if (each[i] == 0) return {0, 0, 0};
    const double part = part_off(i);
    return {part, 1, part <= tolerance ? 1u : 0u};
  }
  [[nodiscard]] TS_HD double part_off(std::size_t i) const {
    const double off = inverse[i] * r[i];
    const double value = x[i];
    if (value == 0) return inverse[i] == 0 ? 0 : 1;
    const double part = off / value;
    return part < 0 ? -part : part;
  }
};

template <class Real>
struct TimesVector {
  MatrixRows<Real> a;
  const Real* x;
  Real* y;
  TS_HD void operator()(std::size_t row) const { y[row] = a.times(row, x); }
};
template <class Real>
struct Residual {
  MatrixRows<Real> a;
  const Real* b;
  const Real* x;
  Real* r;
  TS_HD void operator()(std::size_t row) const { r[row] = b[row] - a.times(row, x); }
};
struct FirstSmooth {
  const float* inverse;
  const float* b;
  float weight;
  float* x;
  TS_HD void operator()(std::size_t i) const { x[i] = weight * (inverse[i] * b[i]); }
};
struct Smooth {
  MatrixRows<float> a;
  const float* inverse;
  const float* b;
  const float* x;
  float weight;
  float* y;
  TS_HD void operator()(std::size_t i) const { y[i] = x[i] + weight * (inverse[i] * (b[i] - a.times(i, x))); }
};
struct AddProlonged {
  MatrixRows<float> prolongation;
  const float* coarse;
  float* x;
  TS_HD void operator()(std::size_t i) const { x[i] += prolongation.times(i, coarse); }
};

/// In and out of single precision, as a part of the residual's length.
struct ScaleDown {
  const double* r;
  const double* squared;
  float* b;
  TS_HD void operator()(std::size_t i) const {
    b[i] = *squared > 0 ? static_cast<float>(r[i] / std::sqrt(*squared)) : 0.0F;
  }
};
struct ScaleUp {
  const float* x;
  const double* squared;
  double* z;
  TS_HD void operator()(std::size_t i) const { z[i] = static_cast<double>(x[i]) * std::sqrt(*squared); }
};

struct StartFromZero {
  const double* b;
  double* x;
  double* r;
  TS_HD void operator()(std::size_t i) const {
    x[i] = 0;
    r[i] = b[i];
  }
};
/// x += alpha p, r -= alpha q with alpha = rz / pq.
struct Advance {
  const double* rz;
  const double* pq;
  const double* p;
  const double* q;
  double* x;
  double* r;
  TS_HD void operator()(std::size_t i) const {
    const double alpha = *pq > 0 ? *rz / *pq : 0;
    x[i] += alpha * p[i];
    r[i] -= alpha * q[i];
  }
};
/// p = z + beta p with beta = rz / previous; no previous: p = z.
struct Turn {
  const double* rz;
  const double* previous;
  const double* z;
  double* p;
  TS_HD void operator()(std::size_t i) const {
    const double beta = previous != nullptr && *previous > 0 ? *rz / *previous : 0;
    p[i] = beta == 0 ? z[i] : z[i] + beta * p[i];
  }
};

// Without levels an iteration is so short that each loop counts. One that needs its sums only once has two
// loops: w = A u with both sums, and a step (A. Chronopoulos, C. W. Gear, "s-step iterative methods for
// symmetric linear systems", 1989). u is the preconditioned residual.

struct StepSums {
  double ru;
  double wu;
};
struct AddSums {
  TS_HD StepSums operator()(StepSums a, StepSums b) const { return {a.ru + b.ru, a.wu + b.wu}; }
};
struct SumsAt {
  const double* r;
  const double* u;
  const double* w;
  TS_HD StepSums operator()(std::size_t i) const { return {r[i] * u[i], w[i] * u[i]}; }
};
/// The same, which multiplies on the way.
struct MultiplySums {
  TimesVector<double> multiply;
  SumsAt sums;
  TS_HD StepSums operator()(std::size_t i) const {
    multiply(i);
    return sums(i);
  }
};
struct Precondition {
  const double* weight;  ///< null: 1
  const double* r;
  double* u;
  TS_HD void operator()(std::size_t i) const { u[i] = weight != nullptr ? weight[i] * r[i] : r[i]; }
};
struct StepLengths {
  double alpha;
  double beta;  ///< 0: the previous direction does not count
};
struct FindLengths {
  const StepSums* sums;
  const StepSums* previous;      ///< null: there is none
  const double* previous_alpha;  ///< of the previous step
  TS_HD StepLengths operator()() const {
    const bool is_first = previous == nullptr || !(previous->ru > 0) || *previous_alpha == 0;
    const double beta = is_first ? 0 : sums->ru / previous->ru;
    const double along = is_first ? sums->wu : sums->wu - beta * (sums->ru / *previous_alpha);
    return {along > 0 ? sums->ru / along : 0, beta};
  }
};
/// p = u + beta p, q = w + beta q, x += alpha p, r -= alpha q, and the next u.
struct Step {
  bool is_known;  ///< are the lengths? Else each call finds them, and the first keeps alpha
  StepLengths known;
  FindLengths find;
  double* alpha_of_step;
  const double* weight;  ///< of the preconditioner; null: 1
  const double* w;
  double* u;
  double* p;
  double* q;
  double* x;
  double* r;
  TS_HD void operator()(std::size_t i) const {
    const StepLengths lengths = is_known ? known : find();
    if (!is_known && i == 0) *alpha_of_step = lengths.alpha;
    double towards = u[i];
    double along = w[i];
    if (lengths.beta != 0) {
      towards += lengths.beta * p[i];
      along += lengths.beta * q[i];
    }
    p[i] = towards;
    q[i] = along;
    x[i] += lengths.alpha * towards;
    const double left = r[i] - lengths.alpha * along;
    r[i] = left;
    u[i] = weight != nullptr ? weight[i] * left : left;
  }
};

/// Improves the levels from `at` on; the result is where it says.
template <class Side>
const float* cycle(const Side& side, const std::vector<Level>& levels, std::size_t at) {
  const Level& level = levels[at];
  const std::size_t n = level.matrix.rows;
  if (at + 1 == levels.size() && level.dense.values != nullptr) {
    side.for_each(n, TimesVector<float>{level.dense, level.b, level.x});
    return level.x;
  }
  float* x = level.x;
  float* y = level.y;
  side.for_each(n, FirstSmooth{level.inverse, level.b, level.weights[0], x});
  const auto smooth = [&](float weight) {
    side.for_each(n, Smooth{level.matrix, level.inverse, level.b, x, weight, y});
    std::swap(x, y);
  };
  for (std::size_t k = 1; k < smoothing_steps; ++k) smooth(level.weights[k]);
  if (at + 1 < levels.size()) {
    const Level& next = levels[at + 1];
    side.for_each(n, Residual<float>{level.matrix, level.b, x, y});
    side.for_each(next.matrix.rows, TimesVector<float>{level.restriction, y, next.b});
    const float* coarse = cycle(side, levels, at + 1);
    side.for_each(n, AddProlonged{level.prolongation, coarse, x});
  }
  for (std::size_t k = smoothing_steps; k-- > 0;) smooth(level.weights[k]);
  return x;
}

template <class Side>
class ConjugateGradients {
 public:
  ConjugateGradients(const Side& side, const CgProblem& problem, const StageProgress& progress)
      : side_(side), c_(problem), n_(problem.a.rows), progress_(progress) {}

  CgResult solve(const double* b, double* x) {
    if (n_ == 0) return {0, 0, true};
    if (c_.starts_from_x) {
      side_.for_each(n_, Residual<double>{c_.a, b, x, c_.r});
    } else {
      side_.for_each(n_, StartFromZero{b, x, c_.r});
    }
    double of_b = side_.reduce(n_, 0.0, ProductAt{b, b}, Add{});
    if (of_b == 0) of_b = side_.reduce(n_, 0.0, ProductAt{c_.r, c_.r}, Add{});
    CgResult result;
    while (true) {
      const bool is_last = result.iterations >= c_.max_iterations;
      if (is_last || is_checked(result.iterations)) {
        result.residual = measure(result.iterations, x, of_b);
        result.has_converged = result.residual <= c_.tolerance;
        if (result.has_converged || is_last || !can_go_on(result)) return result;
      }
      if (result.iterations == 0) start();
      iterate(result.iterations++, x);
    }
  }

 private:
  [[nodiscard]] double* number(std::size_t k) const { return c_.numbers + k; }

  /// A cycle of levels is worth asking after; other steps are cheaper than the question.
  [[nodiscard]] bool is_checked(std::uint32_t iteration) const {
    return c_.levels != nullptr || iteration % (iteration < 32 ? 8 : 32) == 0;
  }

  /// Not when numbers have become none, or so small that they are nothing.
  [[nodiscard]] bool can_go_on(const CgResult& result) const {
    if (result.residual != result.residual) return false;
    if (c_.each == nullptr || result.iterations == 0 || result.iterations % 256 != 0) return true;
    return side_.reduce(1, 0.0, FirstNumber{&sums(result.iterations - 1)->ru}, Add{}) != 0;
  }

  /// What is compared with the tolerance. Says how far the iteration has come: by the residual, or by how
  /// many values are accurate.
  [[nodiscard]] double measure(std::uint32_t iteration, const double* x, double of_b) {
    if (c_.each != nullptr) {
      const Accuracy all = side_.reduce(
          n_, Accuracy{0, 0, 0}, AccuracyAt{c_.tolerance, c_.r, x, c_.inverse, c_.each}, LeastAccurate{});
      progress_.update(all.count == 0 ? 1 : static_cast<double>(all.accurate) / all.count);
      return all.part_off;
    }
    const double found = residual(iteration, of_b);
    if (iteration == 0) start_ = found;
    progress_.update(share_fallen(found, start_, c_.tolerance));
    return found;
  }
  [[nodiscard]] double residual(std::uint32_t iteration, double of_b) const {
    const double squared = c_.levels != nullptr && iteration > 0
                               ? side_.reduce(1, 0.0, FirstNumber{number(3)}, Add{})
                               : side_.reduce(n_, 0.0, ProductAt{c_.r, c_.r}, Add{});
    if (squared == 0) return 0;
    return std::sqrt(squared) / std::sqrt(of_b);
  }

  void start() const {
    if (c_.levels == nullptr) return side_.for_each(n_, Precondition{c_.inverse, c_.r, c_.z});
    square();
    turn(nullptr, number(0));
  }

  void iterate(std::uint32_t iteration, double* x) const {
    if (c_.levels == nullptr) return step(iteration, x);
    double* rz = number(iteration % 2);
    double* next = number((iteration + 1) % 2);
    double* pq = number(2);
    side_.for_each(n_, TimesVector<double>{c_.a, c_.p, c_.q});
    side_.reduce_into(pq, n_, 0.0, ProductAt{c_.p, c_.q}, Add{});
    side_.for_each(n_, Advance{rz, pq, c_.p, c_.q, x, c_.r});
    square();
    turn(rz, next);
  }
  void square() const { side_.reduce_into(number(3), n_, 0.0, ProductAt{c_.r, c_.r}, Add{}); }

  /// The next direction by the preconditioned residual, whose product with the residual goes to `rz`.
  void turn(const double* previous, double* rz) const {
    side_.for_each(n_, ScaleDown{c_.r, number(3), c_.levels->front().b});
    const float* z = cycle(side_, *c_.levels, 0);
    side_.for_each(n_, ScaleUp{z, number(3), c_.z});
    side_.reduce_into(rz, n_, 0.0, ProductAt{c_.r, c_.z}, Add{});
    side_.for_each(n_, Turn{rz, previous, c_.z, c_.p});
  }

  [[nodiscard]] StepSums* sums(std::uint32_t iteration) const {
    return reinterpret_cast<StepSums*>(number(4)) + iteration % 2;
  }
  void step(std::uint32_t iteration, double* x) const {
    const TimesVector<double> multiply = {c_.a, c_.z, c_.w};
    const SumsAt products = {c_.r, c_.z, c_.w};
    const StepSums nothing = {0, 0};
    if constexpr (Side::reduces_while_writing) {
      side_.reduce_into(sums(iteration), n_, nothing, MultiplySums{multiply, products}, AddSums{});
    } else {
      side_.for_each(n_, multiply);
      side_.reduce_into(sums(iteration), n_, nothing, products, AddSums{});
    }
    double* alpha = number(iteration % 2);
    const FindLengths find = {sums(iteration), iteration > 0 ? sums(iteration - 1) : nullptr,
                              number((iteration + 1) % 2)};
    StepLengths known = {0, 0};
    if constexpr (Side::reduces_while_writing) {
      known = find();
      *alpha = known.alpha;
    }
    side_.for_each(n_, Step{Side::reduces_while_writing, known, find, alpha, c_.inverse, c_.w, c_.z, c_.p,
                            c_.q, x, c_.r});
  }

  const Side& side_;
  const CgProblem& c_;
  std::size_t n_;
  StageProgress progress_;
  double start_ = 0;  ///< the first residual
};

}  // namespace tessera::detail
