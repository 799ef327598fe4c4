#include <tessera/topology/detail/diagram_points.h>

#include <algorithm>
#include <string>

#include <tessera/core/detail/monitor.h>
#include <tessera/core/error.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/detail/host_only.h>

namespace tessera {

using namespace detail;

std::vector<DiagramPoint> make_diagram_points(const Persistence& persistence) {
  std::vector<DiagramPoint> points;
  points.reserve(persistence.pairs.size());
  for (const PersistencePair& pair : persistence.pairs) {
    points.push_back({.dimension = pair.dimension,
                      .birth = pair.birth_value,
                      .death = pair.is_finite() ? pair.death_value : DiagramPoint::never});
  }
  return points;
}

Array<double> distance_matrix(std::size_t count,
                              const std::function<double(std::size_t, std::size_t)>& distance,
                              const DistanceMatrixOptions& options) {
  const Exec exec = host_only(options.exec, "distance_matrix()");
  const Monitor& monitor = monitor_of(options.monitor);
  Array<double> matrix(count * count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    monitor.update("comparing diagrams", static_cast<double>(i) / static_cast<double>(count));
    host::for_each_chunk(exec.threads(), count - i - 1, 1, [&](host::Range range, int) {
      for (std::size_t j = i + 1 + range.begin; j < i + 1 + range.end; ++j) {
        if (monitor.is_stopped()) return;
        matrix[i * count + j] = matrix[j * count + i] = distance(i, j);
      }
    });
  }
  monitor.update("comparing diagrams", 1);
  return matrix;
}

namespace detail {

using std::uint32_t;

void check_diagram(std::span<const DiagramPoint> points, const char* which) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    const DiagramPoint& point = points[i];
    const bool is_born = std::isfinite(point.birth);
    const bool dies = point.is_finite();
    if (is_born && (!dies || (std::isfinite(point.death) && point.death >= point.birth))) continue;
    throw Error(ErrorCode::unsupported,
                "point " + std::to_string(i) + " of the " + which + " diagram is born at " +
                    std::to_string(point.birth) +
                    (dies ? " and dies at " + std::to_string(point.death) : "") +
                    "; diagrams are compared where births are finite and deaths are not below them");
  }
}

uint32_t dimension_end(std::span<const DiagramPoint> first, std::span<const DiagramPoint> second) {
  uint32_t end = 0;
  for (const auto& points : {first, second}) {
    for (const DiagramPoint& point : points) end = std::max(end, point.dimension + 1);
  }
  return end;
}

DiagramSide choose_dimension(std::span<const DiagramPoint> points, uint32_t dimension) {
  DiagramSide side;
  for (uint32_t i = 0; i < points.size(); ++i) {
    if (points[i].dimension != dimension) continue;
    if (!points[i].is_finite()) {
      side.essential.push_back(i);
    } else if (points[i].death > points[i].birth) {
      side.finite.push_back(i);
    }
  }
  std::stable_sort(side.essential.begin(), side.essential.end(),
                   [&](uint32_t a, uint32_t b) { return points[a].birth < points[b].birth; });
  return side;
}

bool match_essential(std::span<const DiagramPoint> first, std::span<const DiagramPoint> second,
                     const DiagramSide& a, const DiagramSide& b, Array<DiagramMatch>& matches) {
  const std::size_t count = std::min(a.essential.size(), b.essential.size());
  for (std::size_t i = 0; i < count; ++i) {
    const double distance = std::abs(first[a.essential[i]].birth - second[b.essential[i]].birth);
    matches.push_back({a.essential[i], b.essential[i], distance});
  }
  return a.essential.size() == b.essential.size();
}

namespace {

/// The points that no match names, each as `make(number)`.
template <class Make>
void add_unmatched(std::span<const DiagramPoint> points, GroundNorm norm, const std::vector<bool>& is_matched,
                   Array<DiagramMatch>& matches, const Make& make) {
  for (uint32_t i = 0; i < points.size(); ++i) {
    if (is_matched[i]) continue;
    DiagramMatch match = make(i);
    match.distance = points[i].is_finite() ? diagonal_distance(points[i], norm) : DiagramPoint::never;
    matches.push_back(match);
  }
}

}  // namespace

void complete_matches(std::span<const DiagramPoint> first, std::span<const DiagramPoint> second,
                      GroundNorm norm, Array<DiagramMatch>& matches) {
  std::vector<bool> is_first(first.size(), false);
  std::vector<bool> is_second(second.size(), false);
  for (const DiagramMatch& match : matches) {
    is_first[match.first] = true;
    is_second[match.second] = true;
  }
  add_unmatched(first, norm, is_first, matches, [](uint32_t i) { return DiagramMatch{.first = i}; });
  add_unmatched(second, norm, is_second, matches, [](uint32_t i) { return DiagramMatch{.second = i}; });
  std::sort(matches.begin(), matches.end(), [](const DiagramMatch& a, const DiagramMatch& b) {
    return a.first != b.first ? a.first < b.first : a.second < b.second;
  });
}

}  // namespace detail
}  // namespace tessera
