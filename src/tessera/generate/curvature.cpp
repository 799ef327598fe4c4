#include <tessera/generate/curvature.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>
#include <type_traits>
#include <utility>

#include <tessera/exec/for_each.h>
#include <tessera/generate/angle.h>
#include <tessera/generate/checks.h>
#include <tessera/generate/key_reduce.h>

namespace tessera {
namespace {

using std::size_t;
using std::uint32_t;

/// What one corner of a triangle adds to its vertex.
struct Share {
  double angle = 0;
  double area = 0;              ///< Meyer et al., figure 4
  Vec3d laplacian = {0, 0, 0};  ///< the sum of cot(opposite angle) times the edge to each of both neighbours
  Vec3d normal = {0, 0, 0};     ///< twice the triangle's area long

  void add(const Share& other) {
    angle += other.angle;
    area += other.area;
    laplacian = laplacian + other.laplacian;
    normal = normal + other.normal;
  }
};

constexpr size_t corners_at_once = 256;

/// Corners, number by number, so that as many are worked on at once as a register holds.
class CornerBlock {
 public:
  void set(size_t i, const Vec3d& p, const Vec3d& q, const Vec3d& r) {
    at_[0][i] = p.x, at_[1][i] = p.y, at_[2][i] = p.z;
    at_[3][i] = q.x, at_[4][i] = q.y, at_[5][i] = q.z;
    at_[6][i] = r.x, at_[7][i] = r.y, at_[8][i] = r.z;
  }
  void compute(size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const Vec3d p = {at_[0][i], at_[1][i], at_[2][i]};
      const Vec3d to_q = Vec3d{at_[3][i], at_[4][i], at_[5][i]} - p;
      const Vec3d to_r = Vec3d{at_[6][i], at_[7][i], at_[8][i]} - p;
      const Vec3d normal = cross(to_q, to_r);
      twice_[i] = std::sqrt(dot(normal, normal));
      here_[i] = dot(to_q, to_r);
      const double inverse = 1 / twice_[i];
      const double at_q = (dot(to_q, to_q) - here_[i]) * inverse;  // cotangents
      const double at_r = (dot(to_r, to_r) - here_[i]) * inverse;
      const double round = (at_r * dot(to_q, to_q) + at_q * dot(to_r, to_r)) * 0.125;
      const double wide = twice_[i] * (here_[i] < 0 ? 0.25 : 0.125);
      shares_[1][i] = std::min({here_[i], at_q, at_r}) < 0 ? wide : round;
      shares_[2][i] = -(at_r * to_q.x + at_q * to_r.x);
      shares_[3][i] = -(at_r * to_q.y + at_q * to_r.y);
      shares_[4][i] = -(at_r * to_q.z + at_q * to_r.z);
      shares_[5][i] = normal.x;
      shares_[6][i] = normal.y;
      shares_[7][i] = normal.z;
    }
    for (size_t i = 0; i < count; ++i) shares_[0][i] = corner_angle(twice_[i], here_[i]);
  }
  [[nodiscard]] Share share(size_t i) const {
    if (!(twice_[i] > 0)) return {};  // no area, or NaN
    return {shares_[0][i],
            shares_[1][i],
            {shares_[2][i], shares_[3][i], shares_[4][i]},
            {shares_[5][i], shares_[6][i], shares_[7][i]}};
  }

 private:
  std::array<std::array<double, corners_at_once>, 9> at_;
  std::array<double, corners_at_once> twice_;
  std::array<double, corners_at_once> here_;
  std::array<std::array<double, corners_at_once>, 8> shares_;
};

/// Whether every edge that goes out of one of up to eight corners comes into one other: so it is around most
/// vertices. `ends` are the next and then the previous vertices of the corners; no loop depends on data.
bool is_closed_fan(std::span<const uint32_t> ends) {
  constexpr uint32_t most = 8;
  const size_t corners = ends.size() / 2;
  if (corners > most) return false;
  std::array<uint32_t, most> next;
  std::array<uint32_t, most> previous;
  for (uint32_t i = 0; i < most; ++i) next[i] = previous[i] = 0xFFFFFFFFu - i;  // pairs that are no vertices
  std::ranges::copy(ends.first(corners), next.begin());
  std::ranges::copy(ends.subspan(corners), previous.begin());
  std::array<uint32_t, most> partners_of_next = {};
  std::array<uint32_t, most> partners_of_previous = {};
  for (uint32_t i = 0; i < most; ++i) {
    for (uint32_t j = 0; j < most; ++j) {
      partners_of_next[j] += next[j] == previous[i] ? 1 : 0;
      partners_of_previous[j] += previous[j] == next[i] ? 1 : 0;
    }
  }
  uint32_t wrong = 0;
  for (uint32_t i = 0; i < most; ++i) wrong |= (partners_of_next[i] ^ 1) | (partners_of_previous[i] ^ 1);
  return wrong == 0;
}

/// Whether an edge at v has other than two triangles. `ends` are the other ends of the two edges of each
/// corner at v, so those of an edge from v to itself come twice.
bool has_open_edge(uint32_t v, std::span<uint32_t> ends) {
  if (is_closed_fan(ends)) return false;
  std::ranges::sort(ends);
  for (auto run = ends.begin(); run != ends.end();) {
    const auto end = std::find_if(run, ends.end(), [run](uint32_t other) { return other != *run; });
    if (end - run != (*run == v ? 4 : 2)) return true;
    run = end;
  }
  return false;
}

template <class Vector>
class CurvatureSums {
 public:
  CurvatureSums(std::span<const TriMesh::Cell> cells, std::span<const Vector> points, const Exec& exec,
                Curvature& result)
      : cells_(cells),
        points_(points),
        exec_(exec),
        result_(result),
        around_(group_items(corners_of(cells), points.size(), exec)) {}

  void sum() {
    host::for_each_chunk(exec_.threads(), points_.size(), vertices_at_once, [&](host::Range range, int) {
      std::array<Share, vertices_at_once> sums = {};
      add_shares(range, sums);
      Array<uint32_t> ends;
      for (size_t v = range.begin; v < range.end; ++v) {
        fill_ends(v, ends);
        finish(v, sums[v - range.begin], has_open_edge(static_cast<uint32_t>(v), ends));
      }
    });
  }

  /// Gives vertices on the boundary the mean of their neighbours inside, in ascending order.
  void extend_to_boundary() {
    host::for_each_chunk(exec_.threads(), points_.size(), vertices_at_once, [&](host::Range range, int) {
      Array<uint32_t> ends;
      for (size_t v = range.begin; v < range.end; ++v) {
        if (result_.is_on_boundary[v] == 0) continue;
        fill_ends(v, ends);
        std::ranges::sort(ends);
        ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
        std::erase_if(ends, [&](uint32_t end) { return result_.is_on_boundary[end] != 0; });
        if (ends.empty()) continue;
        for (const uint32_t end : ends) {
          result_.gaussian[v] += result_.gaussian[end];
          result_.mean[v] += result_.mean[end];
        }
        result_.gaussian[v] /= static_cast<double>(ends.size());
        result_.mean[v] /= static_cast<double>(ends.size());
      }
    });
  }

 private:
  static constexpr size_t vertices_at_once = 1024;

  [[nodiscard]] VertexId corner(uint32_t item, uint32_t after) const {
    return cells_[item / 3][(item % 3 + after) % 3];
  }

  void add_shares(host::Range range, std::span<Share> sums) {
    CornerBlock block;
    size_t v = 0;  // of the chunk
    const uint32_t end = around_.offsets[range.end];
    for (uint32_t begin = around_.offsets[range.begin]; begin < end; begin += corners_at_once) {
      const size_t count = std::min<size_t>(corners_at_once, end - begin);
      for (size_t i = 0; i < count; ++i) {
        const auto at = [&](uint32_t c) {
          return vec_cast<double>(points_[corner(around_.values[begin + i], c).index()]);
        };
        block.set(i, at(0), at(1), at(2));
      }
      block.compute(count);
      for (size_t i = 0; i < count; ++i) {
        while (around_.offsets[range.begin + v + 1] <= begin + i) ++v;
        sums[v].add(block.share(i));
      }
    }
  }

  /// The next and then the previous vertices of the corners at v.
  void fill_ends(size_t v, Array<uint32_t>& ends) const {
    const std::span<const uint32_t> items = around_[VertexId(static_cast<uint32_t>(v))];
    ends.resize(2 * items.size());
    for (size_t i = 0; i < items.size(); ++i) {
      ends[i] = corner(items[i], 1).index();
      ends[items.size() + i] = corner(items[i], 2).index();
    }
  }

  void finish(size_t v, const Share& sum, bool is_on_boundary) {
    const bool is_inside = !is_on_boundary && sum.area > 0;
    const double turn = sum.angle > 0 ? (is_on_boundary ? 1 : 2) * std::numbers::pi : 0;
    const double bend = length(sum.laplacian) / (4 * sum.area);
    result_.is_on_boundary[v] = is_on_boundary ? 1 : 0;
    result_.defect[v] = turn - sum.angle;
    result_.area[v] = sum.area;
    result_.gaussian[v] = is_inside ? result_.defect[v] / sum.area : 0;
    result_.mean[v] = !is_inside ? 0 : dot(sum.laplacian, sum.normal) < 0 ? -bend : bend;
  }

  std::span<const TriMesh::Cell> cells_;
  std::span<const Vector> points_;
  Exec exec_;
  Curvature& result_;
  Csr<VertexId, uint32_t> around_;  ///< the corners at each vertex, ascending
};

}  // namespace

Curvature compute_curvature(const TriMesh& mesh, const CurvatureOptions& options) {
  const Exec exec = Exec::host(options.exec.threads());
  const auto report = [&](double fraction) {
    if (options.monitor != nullptr) options.monitor->update("adding angles", fraction);
  };
  expect_usable(mesh, exec);
  report(0);
  const size_t vertices = mesh.vertex_count();
  Curvature result{Array<double>(vertices), Array<double>(vertices), Array<double>(vertices),
                   Array<double>(vertices), Array<std::uint8_t>(vertices)};
  mesh.points.visit([&](auto points) {
    using Vector = std::remove_const_t<typename decltype(points)::element_type>;
    CurvatureSums<Vector> sums(std::span<const TriMesh::Cell>(mesh.cells), points, exec, result);
    report(0.3);
    sums.sum();
    sums.extend_to_boundary();
  });
  return result;
}

}  // namespace tessera
