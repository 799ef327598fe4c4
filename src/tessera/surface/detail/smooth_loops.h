// Steps of explicit smoothing, on either side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <tessera/core/detail/monitor.h>
#include <tessera/core/macros.h>
#include <tessera/surface/detail/move_points.h>
#include <tessera/surface/detail/stars.h>
#include <tessera/surface/detail/triangle_rules.h>
#include <tessera/surface/smooth.h>

namespace tessera::detail {

struct SmoothStep {
  const Vec3d* from;
  Vec3d* to;
  const std::uint8_t* is_fixed;  ///< null: none is
  double step;

  TS_HD void move(std::size_t v, const Vec3d& sum, double weight) const {
    const bool stays = (is_fixed != nullptr && is_fixed[v] != 0) || !(weight > 0);
    to[v] = stays ? from[v] : from[v] + (step / weight) * sum;
  }
};

/// The sums are of the edges from the vertex.
struct UniformStep {
  SmoothStep at;
  const std::uint32_t* offsets;
  const std::uint32_t* values;  ///< of VV

  TS_HD void operator()(std::size_t v) const {
    Vec3d sum = {0, 0, 0};
    const Vec3d here = at.from[v];
    const std::uint32_t begin = offsets[v];
    const std::uint32_t end = offsets[v + 1];
    for (std::uint32_t i = begin; i < end; ++i) sum = sum + (at.from[values[i]] - here);
    at.move(v, sum, end - begin);
  }
};

struct CotangentStep {
  SmoothStep at;
  FaceStars stars;

  TS_HD void operator()(std::size_t i) const {
    const auto v = static_cast<std::uint32_t>(i);
    Vec3d sum = {0, 0, 0};
    double weight = 0;
    const Vec3d here = at.from[v];
    const std::size_t last = stars.end(v);
    for (std::size_t entry = stars.begin(v); entry < last; ++entry) {
      const Corners c = stars.triangle(v, entry);
      const Vec3d to_q = at.from[c[1]] - here;
      const Vec3d to_r = at.from[c[2]] - here;
      double area = length(cross(to_q, to_r));
      if (!(area > 0)) continue;
      area = counted_area(area, to_q, to_r);
      const double cosine = dot(to_q, to_r);
      const double at_q = (dot(to_q, to_q) - cosine) / area;
      const double at_r = (dot(to_r, to_r) - cosine) / area;
      const double of_q = at_r > 0 ? at_r : 0;
      const double of_r = at_q > 0 ? at_q : 0;
      sum = sum + of_q * to_q + of_r * to_r;
      weight += of_q + of_r;
    }
    at.move(v, sum, weight);
  }
};

template <class Side>
void smooth_points(const Side& side, VertexAttribute<Vec3d>& positions, const SmoothOptions& options) {
  const Surface& surface = positions.surface();
  const std::size_t vertices = positions.size();
  const Monitor& monitor = monitor_of(options.monitor);
  const Buffer<std::uint8_t> is_fixed = find_fixed(side, surface, options.fix_boundary);
  Buffer<Vec3d> other(side.exec, vertices);
  Vec3d* from = positions.view().data();
  Vec3d* to = other.data();
  const auto make_steps = [&](const auto& loop) {
    for (int k = 0; k < options.iterations; ++k) {
      monitor.update("smoothing", static_cast<double>(k) / options.iterations);
      for (const double step : {options.step, options.back_step}) {
        if (step == 0) continue;
        loop(SmoothStep{from, to, is_fixed.empty() ? nullptr : is_fixed.data(), step});
        std::swap(from, to);
      }
    }
  };
  if (options.weights == SmoothWeights::uniform) {
    const auto rows = surface.rows<VV>();
    const auto vv = rows.template get<VV>();
    make_steps([&](const SmoothStep& step) {
      side.for_each(vertices, UniformStep{step, vv.offsets(), vv.values()});
    });
  } else {
    const auto rows = surface.rows<VF, OrientedFV>();
    make_steps([&](const SmoothStep& step) {
      side.for_each(vertices, CotangentStep{step, FaceStars(rows)});
    });
  }
  if (from == other.data()) side.for_each(vertices, CopyPoints{from, to});
  monitor.update("smoothing", 1);
}

}  // namespace tessera::detail
