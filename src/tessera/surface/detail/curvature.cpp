#include <tessera/surface/curvature.h>

#include <algorithm>
#include <array>
#include <span>
#include <type_traits>
#include <utility>

#include <tessera/core/config.h>
#include <tessera/core/detail/monitor.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/detail/stoppable.h>
#include <tessera/exec/for_each.h>
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
      const CurvatureCorner corner({at_[0][i], at_[1][i], at_[2][i]}, {at_[3][i], at_[4][i], at_[5][i]},
                                   {at_[6][i], at_[7][i], at_[8][i]});
      twice_[i] = corner.sine;
      here_[i] = corner.cosine;
      shares_[1][i] = corner.area;
      shares_[2][i] = corner.laplacian.x;
      shares_[3][i] = corner.laplacian.y;
      shares_[4][i] = corner.laplacian.z;
      shares_[5][i] = corner.normal.x;
      shares_[6][i] = corner.normal.y;
      shares_[7][i] = corner.normal.z;
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
/// vertices. `ends` are the next and then the previous vertices of the corners; no loop depends on data. An
/// edge from v to itself is not looked into.
bool is_closed_fan(uint32_t v, std::span<const uint32_t> ends) {
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
  for (uint32_t i = 0; i < most; ++i)
    wrong |= (partners_of_next[i] ^ 1) | (partners_of_previous[i] ^ 1) | (next[i] == v ? 1 : 0);
  return wrong == 0;
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
        const auto vertex = static_cast<uint32_t>(v);
        bool is_open = !is_closed_fan(vertex, ends);
        if (is_open) {
          std::ranges::sort(ends);
          is_open = has_open_edge(vertex, ends);
        }
        finish(v, sums[v - range.begin], is_open);
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
    const VertexCurvature here(sum, is_on_boundary);
    result_.is_on_boundary[v] = is_on_boundary ? 1 : 0;
    result_.defect[v] = here.defect;
    result_.area[v] = sum.area;
    result_.gaussian[v] = here.gaussian;
    result_.mean[v] = here.mean;
  }

  std::span<const TriMesh::Cell> cells_;
  std::span<const Vector> points_;
  Exec exec_;
  Curvature& result_;
  Csr<VertexId, uint32_t> around_;  ///< the corners at each vertex, ascending
};

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
