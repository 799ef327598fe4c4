#include <tessera/topology/detail/diagram_points.h>

#include <algorithm>
#include <string>
#include <utility>

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

void check_diagram(std::span<const DiagramPoint> points) {
  constexpr double most = 8e307;  // differences stay finite
  for (std::size_t i = 0; i < points.size(); ++i) {
    const DiagramPoint& point = points[i];
    const std::string name = "point " + std::to_string(i);
    if (point.dimension >= diagram_dimensions)
      throw Error(ErrorCode::unsupported, name + " has dimension " + std::to_string(point.dimension) +
                                              "; classes have at most " +
                                              std::to_string(diagram_dimensions - 1));
    const bool is_born = std::abs(point.birth) <= most;
    if (is_born && (!point.is_finite() || (std::abs(point.death) <= most && point.death >= point.birth)))
      continue;
    throw Error(ErrorCode::unsupported,
                name + " is born at " + std::to_string(point.birth) +
                    (point.is_finite() ? " and dies at " + std::to_string(point.death) : "") +
                    "; both must be finite, and the death must not be below the birth");
  }
}

Array<double> distance_matrix(std::size_t count,
                              const std::function<double(std::size_t, std::size_t)>& distance,
                              const DistanceMatrixOptions& options) {
  const Exec exec = host_only(options.exec, "distance_matrix()");
  const Monitor& monitor = monitor_of(options.monitor);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = i + 1; j < count; ++j) pairs.emplace_back(i, j);
  }
  Array<double> matrix(count * count, 0);
  const std::size_t batch = 4 * static_cast<std::size_t>(exec.threads());  // between two reports
  for (std::size_t begin = 0; begin < pairs.size(); begin += batch) {
    monitor.update("comparing diagrams", static_cast<double>(begin) / static_cast<double>(pairs.size()));
    const std::size_t size = std::min(batch, pairs.size() - begin);
    host::for_each_chunk(exec.threads(), size, 1, [&](host::Range range, int) {
      for (std::size_t k = begin + range.begin; k < begin + range.end; ++k) {
        if (monitor.is_stopped()) return;
        const auto [i, j] = pairs[k];
        matrix[i * count + j] = matrix[j * count + i] = distance(i, j);
      }
    });
  }
  monitor.update("comparing diagrams", 1);
  return matrix;
}

namespace detail {

using std::uint32_t;

void check_diagrams(std::span<const DiagramPoint> first, std::span<const DiagramPoint> second) {
  const auto check = [](std::span<const DiagramPoint> points, const char* which) {
    try {
      check_diagram(points);
    } catch (const Error& error) {
      throw Error(error.code(), std::string("in the ") + which + " diagram " + error.what());
    }
  };
  check(first, "first");
  check(second, "second");
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
