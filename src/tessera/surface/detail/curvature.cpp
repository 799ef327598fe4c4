#include <tessera/surface/curvature.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <tessera/core/config.h>
#include <tessera/core/detail/monitor.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/detail/stoppable.h>
#include <tessera/generate/detail/common/checks.h>
#include <tessera/generate/key_reduce.h>
#include <tessera/surface/detail/cuda/curvature.h>
#include <tessera/surface/detail/curvature_rules.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;

using Share = CurvatureShare;

constexpr size_t corners_at_once = 256;

/// Corners, number by number, so that as many are worked on at once as a register holds: the host's
/// SumCorners.
class CornerBlock {
 public:
  void set(size_t i, const Vec3d& p, const Vec3d& q, const Vec3d& r) {
    at_[0][i] = p.x, at_[1][i] = p.y, at_[2][i] = p.z;
    at_[3][i] = q.x, at_[4][i] = q.y, at_[5][i] = q.z;
    at_[6][i] = r.x, at_[7][i] = r.y, at_[8][i] = r.z;
  }
  void compute(size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const CurvatureCorner corner({at_[0][i], at_[1][i], at_[2][i]}, {at_[3][i], at_[4][i], at_[5][i]},
                                   {at_[6][i], at_[7][i], at_[8][i]});
      sine_[i] = corner.sine;
      cosine_[i] = corner.cosine;
      sides_[0][i] = corner.sides.to_next;
      sides_[1][i] = corner.sides.to_previous;
      sides_[2][i] = corner.sides.opposite;
      shares_[1][i] = corner.area;
      shares_[2][i] = corner.laplacian.x;
      shares_[3][i] = corner.laplacian.y;
      shares_[4][i] = corner.laplacian.z;
      shares_[5][i] = corner.normal.x;
      shares_[6][i] = corner.normal.y;
      shares_[7][i] = corner.normal.z;
    }
    for (size_t i = 0; i < count; ++i) shares_[0][i] = corner_angle(sine_[i], cosine_[i]);
  }
  [[nodiscard]] Share share(size_t i) const {
    const SquaredSides sides = {sides_[0][i], sides_[1][i], sides_[2][i]};
    const double angle = sides.are_fine() ? shares_[0][i] : sides.odd_angle();
    if (!(sine_[i] > 0)) return {angle};  // no area, or NaN
    return {angle,
            shares_[1][i],
            {shares_[2][i], shares_[3][i], shares_[4][i]},
            {shares_[5][i], shares_[6][i], shares_[7][i]}};
  }

 private:
  std::array<std::array<double, corners_at_once>, 9> at_;
  std::array<double, corners_at_once> sine_;
  std::array<double, corners_at_once> cosine_;
  std::array<std::array<double, corners_at_once>, 3> sides_;
  std::array<std::array<double, corners_at_once>, 8> shares_;
};

template <class Stars, class Vector>
class CurvatureSums {
 public:
  CurvatureSums(const Stars& stars, std::span<const Vector> points, const Exec& exec,
                const CurvatureViews& out)
      : stars_(stars), points_(points), exec_(exec), out_(out) {}

  void sum() {
    for_each_chunk([&](host::Range range, Array<uint32_t>& ends) {
      std::array<Share, vertices_at_once> sums = {};
      add_shares(range, sums);
      for (size_t v = range.begin; v < range.end; ++v) {
        const auto id = static_cast<uint32_t>(v);
        out_.set(v, sums[v - range.begin], count_star(stars_, id, room_for(v, ends)));
      }
    });
  }

  void extend_to_boundary() {
    for_each_chunk([&](host::Range range, Array<uint32_t>& ends) {
      for (size_t v = range.begin; v < range.end; ++v) {
        if (out_.is_on_boundary[v] != 0) out_.extend(stars_, static_cast<uint32_t>(v), room_for(v, ends));
        out_.set_principal(v);
      }
    });
  }

 private:
  static constexpr size_t vertices_at_once = 1024;

  template <class F>
  void for_each_chunk(const F& f) {
    host::for_each_chunk(exec_.threads(), points_.size(), vertices_at_once, [&](host::Range range, int) {
      Array<uint32_t> ends;
      f(range, ends);
    });
  }
  [[nodiscard]] uint32_t* room_for(size_t v, Array<uint32_t>& ends) const {
    const size_t size = 2 * (stars_.end(v) - stars_.begin(v));
    if (ends.size() < size) ends.resize(size);
    return ends.data();
  }

  void add_shares(host::Range range, std::span<Share> sums) {
    CornerBlock block;
    std::array<uint32_t, corners_at_once> of;  // the chunk's vertex of each corner
    size_t count = 0;
    const auto add = [&] {
      block.compute(count);
      for (size_t i = 0; i < count; ++i) sums[of[i]].add(block.share(i));
      count = 0;
    };
    for (size_t v = range.begin; v < range.end; ++v) {
      const Vec3d at = vec_cast<double>(points_[v]);
      const size_t end = stars_.end(v);
      for (size_t entry = stars_.begin(v); entry < end; ++entry) {
        const Corners c = stars_.triangle(static_cast<uint32_t>(v), entry);
        if (!is_sound(c)) continue;
        if (count == corners_at_once) add();
        of[count] = static_cast<uint32_t>(v - range.begin);
        block.set(count++, at, vec_cast<double>(points_[c[1]]), vec_cast<double>(points_[c[2]]));
      }
    }
    add();
  }

  Stars stars_;
  std::span<const Vector> points_;
  Exec exec_;
  CurvatureViews out_;
};

CurvatureViews views_of(Curvature& curvature) {
  return {curvature.gaussian.data(),      curvature.mean.data(),   curvature.minimum.data(),
          curvature.maximum.data(),       curvature.defect.data(), curvature.area.data(),
          curvature.is_on_boundary.data()};
}

CurvatureViews views_of(SurfaceCurvature& curvature) {
  return {curvature.gaussian.view().data(),      curvature.mean.view().data(),
          curvature.minimum.view().data(),       curvature.maximum.view().data(),
          curvature.defect.view().data(),        curvature.area.view().data(),
          curvature.is_on_boundary.view().data()};
}

}  // namespace

Curvature compute_curvature(const TriMesh& mesh, const CurvatureOptions& options) {
  const Exec exec = host_for(options.exec, mesh.cell_count());
  const auto report = [&](double fraction) { monitor_of(options.monitor).update("adding angles", fraction); };
  expect_usable(mesh, exec);
  report(0);
  if constexpr (built_with_cuda) {
    if (options.exec.is_cuda())
      return cuda::compute_curvature(mesh, stoppable(options.exec, options.monitor));
  }
  const size_t vertices = mesh.vertex_count();
  const auto numbers = [&] { return Array<double>(vertices); };
  Curvature result{
      numbers(), numbers(), numbers(), numbers(), numbers(), numbers(), Array<std::uint8_t>(vertices)};
  const auto corners = corners_of(mesh.cells);
  const Csr<VertexId, uint32_t> around = group_items(corners, vertices, exec);
  report(0.3);
  mesh.points.visit([&](auto points) {
    CurvatureSums sums(CornerStars{around.view(), reinterpret_cast<const uint32_t*>(corners.data())}, points,
                       exec, views_of(result));
    sums.sum();
    sums.extend_to_boundary();
  });
  return result;
}

template <class Real>
SurfaceCurvature compute_curvature(const VertexAttribute<Vec3<Real>>& positions) {
  const Surface& surface = positions.surface();
  SurfaceCurvature result(surface);
  if constexpr (built_with_cuda) {
    if (surface.exec().is_cuda()) {
      cuda::fill_curvature(positions, views_of(result));
      return result;
    }
  }
  const auto rows = surface.rows<VF, OrientedFV>();
  CurvatureSums sums(FaceStars(rows), std::span(positions.view().data(), positions.size()), surface.exec(),
                     views_of(result));
  sums.sum();
  sums.extend_to_boundary();
  return result;
}
template SurfaceCurvature compute_curvature<float>(const VertexAttribute<Vec3f>&);
template SurfaceCurvature compute_curvature<double>(const VertexAttribute<Vec3d>&);

}  // namespace tessera
