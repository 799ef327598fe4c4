#include <tessera/surface/quality.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include <tessera/exec/detail/host_only.h>
#include <tessera/exec/for_each.h>
#include <tessera/exec/primitives.h>
#include <tessera/generate/detail/common/checks.h>

namespace tessera {

using namespace detail;

double triangle_quality(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  const double sides = dot(b - a, b - a) + dot(c - b, c - b) + dot(a - c, a - c);
  const double twice_area = length(cross(b - a, c - a));
  const double quality = 2 * std::numbers::sqrt3 * twice_area / sides;
  return quality >= 0 ? std::min(quality, 1.0) : 0;
}

QualitySummary summarize_quality(const TriMesh& mesh, const Exec& exec) {
  const Exec& host = host_only(exec, "summarize_quality()");
  expect_usable(mesh, host);
  Array<double> qualities(mesh.cell_count());
  mesh.points.visit([&](auto points) {
    const auto at = [&](VertexId v) { return vec_cast<double>(points[v.index()]); };
    host_for_each(host, qualities.size(), [&](std::size_t t) {
      const TriMesh::Cell& cell = mesh.cells[t];
      qualities[t] = triangle_quality(at(cell[0]), at(cell[1]), at(cell[2]));
    });
  });
  QualitySummary summary;
  summary.triangles = qualities.size();
  if (qualities.empty()) return summary;
  std::uint64_t good = 0;
  for (const double quality : qualities) {
    const auto bin = static_cast<std::size_t>(quality * static_cast<double>(summary.histogram.size()));
    ++summary.histogram[std::min(bin, summary.histogram.size() - 1)];
    good += quality > acceptable_quality ? 1 : 0;
  }
  const auto count = static_cast<double>(qualities.size());
  summary.mean = reduce_sum(host, std::span<const double>(qualities)) / count;
  summary.acceptable = static_cast<double>(good) / count;
  const auto middle = qualities.begin() + static_cast<std::ptrdiff_t>((qualities.size() - 1) / 2);
  std::nth_element(qualities.begin(), middle, qualities.end());
  summary.median = *middle;
  return summary;
}

}  // namespace tessera
