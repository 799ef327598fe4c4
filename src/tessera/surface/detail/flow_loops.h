// Implicit mean-curvature flow, on either side: the matrix by rows of VV, and conjugate gradients whose
// numbers stay where the vectors are.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include <tessera/core/detail/monitor.h>
#include <tessera/core/error.h>
#include <tessera/core/macros.h>
#include <tessera/surface/detail/fold.h>
#include <tessera/surface/detail/move_points.h>
#include <tessera/surface/detail/stage_progress.h>
#include <tessera/surface/detail/stars.h>
#include <tessera/surface/detail/triangle_rules.h>
#include <tessera/surface/flow.h>

namespace tessera::detail {

/// M + t L. Row v is diagonal[v] x[v] less the sum of pull times x of the neighbours, and nothing where the
/// diagonal is 0: such vertices stay, so that their residual and direction are 0 and others see a value that
/// is given.
struct FlowMatrix {
  const std::uint32_t* offsets;
  const std::uint32_t* values;  ///< of VV
  double* pull;                 ///< t times half the sum of the cotangents opposite to the edge
  double* diagonal;

  [[nodiscard]] TS_HD double& pull_of(std::uint32_t v, std::uint32_t neighbour) const {
    std::uint32_t low = offsets[v];
    std::uint32_t high = offsets[v + 1];
    while (high - low > 1) {
      const std::uint32_t middle = low + (high - low) / 2;
      (values[middle] <= neighbour ? low : high) = middle;
    }
    return pull[low];
  }
  [[nodiscard]] TS_HD Vec3d apply(std::size_t v, const Vec3d* x) const {
    const double d = diagonal[v];
    if (!(d > 0)) return {0, 0, 0};
    Vec3d result = d * x[v];
    const std::uint32_t end = offsets[v + 1];
    for (std::uint32_t i = offsets[v]; i < end; ++i) result = result - pull[i] * x[values[i]];
    return result;
  }
};

/// Fills a row. The cotangent at the apex has the same bits from either end of the edge, and triangles
/// ascend: the matrix is symmetric to the last bit.
struct FlowRow {
  FlowMatrix matrix;
  FaceStars stars;
  const Vec3d* points;
  const std::uint8_t* is_fixed;  ///< null: none is
  double time;

  [[nodiscard]] static TS_HD double cotangent(const Vec3d& apex, const Vec3d& p, const Vec3d& q) {
    const Vec3d to_p = p - apex;
    const Vec3d to_q = q - apex;
    const double area = length(cross(to_p, to_q));
    return area > 0 ? dot(to_p, to_q) / counted_area(area, to_p, to_q) : 0;
  }

  TS_HD void operator()(std::size_t i) const {
    const auto v = static_cast<std::uint32_t>(i);
    for (std::uint32_t k = matrix.offsets[v]; k < matrix.offsets[v + 1]; ++k) matrix.pull[k] = 0;
    double area = 0;
    const Vec3d p = points[v];
    const std::size_t last = stars.end(v);
    for (std::size_t entry = stars.begin(v); entry < last; ++entry) {
      const Corners c = stars.triangle(v, entry);
      const Vec3d q = points[c[1]];
      const Vec3d r = points[c[2]];
      matrix.pull_of(v, c[1]) += 0.5 * time * cotangent(r, p, q);
      matrix.pull_of(v, c[2]) += 0.5 * time * cotangent(q, p, r);
      area += length(cross(q - p, r - p));
    }
    double sum = area / 6;
    for (std::uint32_t k = matrix.offsets[v]; k < matrix.offsets[v + 1]; ++k) sum += matrix.pull[k];
    const bool stays = !(area > 0) || (is_fixed != nullptr && is_fixed[v] != 0);
    matrix.diagonal[v] = stays ? 0 : sum;
  }
};

struct TwoSums {
  Vec3d a, b;
  TS_HD friend TwoSums operator+(const TwoSums& x, const TwoSums& y) { return {x.a + y.a, x.b + y.b}; }
};

[[nodiscard]] TS_HD inline Vec3d times(const Vec3d& a, const Vec3d& b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}

/// The numbers of a solution, coordinate by coordinate.
struct FlowNumbers {
  Vec3d rz;     ///< of the residual and the preconditioned one
  Vec3d rr;     ///< of the residual with itself
  Vec3d first;  ///< the first rr
  Vec3d alpha;
  Vec3d beta;
  std::uint32_t iterations;

  /// A coordinate that is solved moves no more.
  [[nodiscard]] static TS_HD bool goes_on(double rr, double first, double tolerance) {
    return rr > tolerance * tolerance * first;
  }
  [[nodiscard]] TS_HD bool goes_on(double tolerance) const {
    return goes_on(rr.x, first.x, tolerance) || goes_on(rr.y, first.y, tolerance) ||
           goes_on(rr.z, first.z, tolerance);
  }
  /// Of the coordinate that has come least far.
  [[nodiscard]] double share_done(double tolerance) const {
    const auto share = [&](double now, double at_first) {
      return share_fallen(now, at_first, tolerance * tolerance * at_first);
    };
    return std::min({share(rr.x, first.x), share(rr.y, first.y), share(rr.z, first.z)});
  }
};

struct FlowVectors {
  Vec3d *x, *r, *p, *ap;
  FlowMatrix matrix;
  bool precondition;

  [[nodiscard]] TS_HD Vec3d preconditioned(std::size_t v, const Vec3d& r_v) const {
    const double d = matrix.diagonal[v];
    return precondition && d > 0 ? (1 / d) * r_v : r_v;
  }
  [[nodiscard]] TS_HD TwoSums sums(std::size_t v) const {
    return {times(r[v], preconditioned(v, r[v])), times(r[v], r[v])};
  }
};

/// r = M x - (M + t L) x, and the first direction.
struct StartFlow {
  FlowVectors at;
  TS_HD TwoSums operator()(std::size_t v) const {
    Vec3d residual = {0, 0, 0};
    const FlowMatrix& m = at.matrix;
    if (m.diagonal[v] > 0) {
      for (std::uint32_t i = m.offsets[v]; i < m.offsets[v + 1]; ++i)
        residual = residual + m.pull[i] * (at.x[m.values[i]] - at.x[v]);
    }
    at.r[v] = residual;
    at.p[v] = at.preconditioned(v, residual);
    return at.sums(v);
  }
};
struct FinishStart {
  FlowNumbers* numbers;
  TS_HD void operator()(const TwoSums& sums) const {
    *numbers = {sums.a, sums.b, sums.b, {0, 0, 0}, {0, 0, 0}, 0};
  }
};

struct ApplyMatrix {
  FlowVectors at;
  TS_HD Vec3d operator()(std::size_t v) const {
    const Vec3d result = at.matrix.apply(v, at.p);
    at.ap[v] = result;
    return times(at.p[v], result);
  }
};
struct FinishApply {
  FlowNumbers* numbers;
  double tolerance;

  [[nodiscard]] TS_HD double alpha(double rz, double pap, double rr, double first) const {
    return FlowNumbers::goes_on(rr, first, tolerance) && pap > 0 ? rz / pap : 0;
  }
  TS_HD void operator()(const Vec3d& pap) const {
    FlowNumbers& n = *numbers;
    n.iterations += n.goes_on(tolerance) ? 1 : 0;
    n.alpha = {alpha(n.rz.x, pap.x, n.rr.x, n.first.x), alpha(n.rz.y, pap.y, n.rr.y, n.first.y),
               alpha(n.rz.z, pap.z, n.rr.z, n.first.z)};
  }
};

struct UpdateFlow {
  FlowVectors at;
  const FlowNumbers* numbers;
  TS_HD TwoSums operator()(std::size_t v) const {
    at.x[v] = at.x[v] + times(numbers->alpha, at.p[v]);
    at.r[v] = at.r[v] - times(numbers->alpha, at.ap[v]);
    return at.sums(v);
  }
};
struct FinishUpdate {
  FlowNumbers* numbers;

  [[nodiscard]] static TS_HD double beta(double now, double before) { return before > 0 ? now / before : 0; }
  TS_HD void operator()(const TwoSums& sums) const {
    FlowNumbers& n = *numbers;
    n.beta = {beta(sums.a.x, n.rz.x), beta(sums.a.y, n.rz.y), beta(sums.a.z, n.rz.z)};
    n.rz = sums.a;
    n.rr = sums.b;
  }
};

struct TurnFlow {
  FlowVectors at;
  const FlowNumbers* numbers;
  TS_HD void operator()(std::size_t v) const {
    at.p[v] = at.preconditioned(v, at.r[v]) + times(numbers->beta, at.p[v]);
  }
};

/// What a solution takes at its place.
template <class Side>
class FlowSolver {
 public:
  FlowSolver(const Side& side, const Surface& surface, const FlowOptions& options)
      : side_(side),
        options_(options),
        vertices_(surface.vertex_count()),
        rows_(surface.rows<VV, VF, OrientedFV>()),
        is_fixed_(find_fixed(side, surface, options.fix_boundary)),
        pull_(side.exec, entry_count()),
        diagonal_(side.exec, vertices_),
        r_(side.exec, vertices_),
        p_(side.exec, vertices_),
        ap_(side.exec, vertices_),
        partial_(side.exec, fold_group_count(vertices_)),
        partial_sums_(side.exec, fold_group_count(vertices_)),
        numbers_(side.exec, 1) {}

  /// One step of time; the numbers at its end.
  [[nodiscard]] FlowNumbers step(Vec3d* x, double time, StageProgress progress) {
    const auto vv = rows_.template get<VV>();
    const FlowMatrix matrix = {vv.offsets(), vv.values(), pull_.data(), diagonal_.data()};
    const FaceStars stars(rows_);
    side_.for_each(vertices_,
                   FlowRow{matrix, stars, x, is_fixed_.empty() ? nullptr : is_fixed_.data(), time});
    const FlowVectors at = {x, r_.data(), p_.data(), ap_.data(), matrix, options_.precondition};
    FlowNumbers* numbers = numbers_.data();
    fold(side_, vertices_, partial_sums_.data(), StartFlow{at}, FinishStart{numbers});
    // Reading the numbers waits for the device: not after each iteration. What is done too much moves
    // nothing.
    constexpr int at_once = 10;
    double done = 0;
    for (int k = 0; k < options_.max_iterations; ++k) {
      if (k % at_once == 0) {
        const FlowNumbers now = numbers_.to_host()[0];
        check(now, time);
        if (!now.goes_on(options_.tolerance)) break;
        done = now.share_done(options_.tolerance);
      }
      progress.update(done);
      fold(side_, vertices_, partial_.data(), ApplyMatrix{at}, FinishApply{numbers, options_.tolerance});
      fold(side_, vertices_, partial_sums_.data(), UpdateFlow{at, numbers}, FinishUpdate{numbers});
      side_.for_each(vertices_, TurnFlow{at, numbers});
    }
    const FlowNumbers end = numbers_.to_host()[0];
    check(end, time);
    return end;
  }

 private:
  static void check(const FlowNumbers& numbers, double time) {
    if (std::isfinite(numbers.rr.x + numbers.rr.y + numbers.rr.z)) return;
    throw Error(ErrorCode::bad_option,
                "a time of " + std::to_string(time) + " is too long for this surface: numbers overflow");
  }

  [[nodiscard]] std::uint32_t entry_count() const {
    std::uint32_t count = 0;
    copy(side_.exec, &count, rows_.template get<VV>().offsets() + vertices_, sizeof(count),
         CopyKind::to_host);
    return count;
  }

  Side side_;
  const FlowOptions& options_;
  std::size_t vertices_;
  RowsOf<VV, VF, OrientedFV> rows_;
  Buffer<std::uint8_t> is_fixed_;
  Buffer<double> pull_, diagonal_;
  Buffer<Vec3d> r_, p_, ap_;
  Buffer<Vec3d> partial_;
  Buffer<TwoSums> partial_sums_;
  Buffer<FlowNumbers> numbers_;
};

template <class Side>
[[nodiscard]] FlowReport flow_points(const Side& side, VertexAttribute<Vec3d>& positions,
                                     const FlowOptions& options) {
  const Surface& surface = positions.surface();
  FlowReport report;
  const double edge = options.time > 0 ? 0 : mean_edge_length(side, surface, positions.view().data());
  report.time = options.time > 0 ? options.time : edge * edge;
  FlowSolver<Side> solver(side, surface, options);
  const auto ratio = [](double rr, double first) { return first > 0 ? std::sqrt(rr / first) : 0; };
  const Monitor& monitor = monitor_of(options.monitor);
  const auto share = [&](int k) { return static_cast<double>(k) / options.steps; };
  for (int k = 0; k < options.steps; ++k) {
    const FlowNumbers end = solver.step(positions.view().data(), report.time,
                                        StageProgress(monitor, "flowing", share(k), share(k + 1)));
    report.iterations += end.iterations;
    report.residual = std::max({report.residual, ratio(end.rr.x, end.first.x), ratio(end.rr.y, end.first.y),
                                ratio(end.rr.z, end.first.z)});
    report.is_converged = report.is_converged && !end.goes_on(options.tolerance);
  }
  monitor.update("flowing", 1);
  return report;
}

}  // namespace tessera::detail
