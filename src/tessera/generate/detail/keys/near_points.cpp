// Grouping points within a distance, on threads.
//
// Space is cut into cubes. First a bit for each occupied cube shows which points may have others near them;
// mostly those are few, and only they go on. Whether a point is kept depends only on the points before it
// that are within the tolerance. So every worker goes through its share of the points in order and decides
// those whose earlier neighbours are decided; a neighbour in the share of a slower worker makes a point wait
// for the next round. A round decides all of the first share that is not decided yet, so there are at most as
// many rounds as workers, and mostly one or two.
//
// Where many points share a cube, looking at all of them for each would take quadratic time. One thread then
// takes the points in order and looks at kept ones only, of which a cube has few: they are apart by more than
// the tolerance.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdio>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <tessera/core/error.h>
#include <tessera/exec/detail/host/runs.h>
#include <tessera/exec/for_each.h>
#include <tessera/generate/detail/common/checks.h>
#include <tessera/generate/detail/common/parts.h>
#include <tessera/generate/detail/keys/hash_marks.h>
#include <tessera/generate/detail/keys/point_groups.h>
#include <tessera/generate/key_reduce.h>

namespace tessera::detail {
namespace {

constexpr std::uint32_t undecided = 0xFFFFFFFFu;

[[noreturn]] void refuse_tolerance(double tolerance, const char* reason) {
  std::array<char, 32> number{};
  std::snprintf(number.data(), number.size(), "%g", tolerance);
  throw Error(ErrorCode::bad_option, "a tolerance of " + std::string(number.data()) + " " + reason);
}

bool is_finite(const Vec3d& p) {
  return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z);
}

/// Cubes of six tolerances: the points within one tolerance of a place lie in one to eight, mostly in one or
/// two. A cube is known by a hash; when two cubes have one, there is more to look at, but nothing is missed.
class Cubes {
 public:
  explicit Cubes(double tolerance) : tolerance_(tolerance), scale_(1 / (6 * tolerance)) {}

  [[nodiscard]] std::uint64_t hash_at(const Vec3d& p) const {
    const Vec3d c = cube(p);
    if (!is_finite(c)) refuse_tolerance(tolerance_, "is too small for coordinates of this size");
    return hash(c);
  }
  /// Calls f(hash) for the cubes within the tolerance of p. If q is one of the points in them, p is one of
  /// the points in those of q, since rounding keeps the order.
  template <class F>
  void for_each_near(const Vec3d& p, const F& f) const {
    const double reach = tolerance_ * (1 + 1e-12);  // a rounded distance may be a little too small
    const Vec3d low = cube(p - Vec3d{reach, reach, reach});
    const Vec3d high = cube(p + Vec3d{reach, reach, reach});
    for (double z = low.z;; z = high.z) {
      for (double y = low.y;; y = high.y) {
        for (double x = low.x;; x = high.x) {
          f(hash({x, y, z}));
          if (x == high.x) break;
        }
        if (y == high.y) break;
      }
      if (z == high.z) break;
    }
  }

 private:
  [[nodiscard]] Vec3d cube(const Vec3d& p) const {
    return {std::floor(p.x * scale_), std::floor(p.y * scale_), std::floor(p.z * scale_)};
  }
  static std::uint64_t hash(const Vec3d& cube) {
    std::uint64_t h = 0;
    for (const double c : {cube.x, cube.y, cube.z}) h = mix_hash(h, std::bit_cast<std::uint64_t>(c + 0.0));
    return h;
  }

  double tolerance_;
  double scale_;
};

/// The points that may have others within the tolerance, ascending.
Array<std::uint32_t> find_crowded(std::span<const Vec3d> points, const Cubes& cubes, const Exec& exec) {
  HashMarks marks(points.size(), exec);  // of the cubes that points are in
  host_for_each(exec, points.size(), [&](std::size_t i) {
    if (is_finite(points[i])) marks.mark(cubes.hash_at(points[i]));
  });
  Array<std::uint8_t> is_crowded(points.size());
  host_for_each(exec, points.size(), [&](std::size_t i) {
    is_crowded[i] = 0;
    if (!is_finite(points[i])) return;
    const std::uint64_t own = cubes.hash_at(points[i]);
    cubes.for_each_near(points[i], [&](std::uint64_t hash) {
      is_crowded[i] |= hash == own ? marks.has_several(hash) : marks.has_some(hash);
    });
  });
  return list_if(
      points.size(), [&](std::size_t i) { return is_crowded[i] != 0; }, exec);
}

/// Decides points, each of which is kept or joins a kept one.
class NearPoints {
 public:
  NearPoints(Array<Vec3d> points, double tolerance, const Cubes& cubes, const Exec& exec)
      : points_(std::move(points)), limit_(tolerance * tolerance), cubes_(cubes), exec_(exec) {}

  /// For each point the kept one that it joins: itself if it is kept.
  Array<std::uint32_t> run() {
    slots_ = std::bit_ceil(points_.size() + 1);
    Array<VertexId> slots(points_.size());
    host_for_each(exec_, points_.size(), [&](std::size_t i) { slots[i] = slot(cubes_.hash_at(points_[i])); });
    rows_ = group_items(slots, slots_, exec_);
    joined_.assign(points_.size(), undecided);
    if (longest_row() > most_in_a_row) {
      decide_in_order();
      return std::move(joined_);
    }
    std::atomic<bool> waits = true;
    while (waits) {
      waits = false;
      host::for_each_share(exec_.threads(), points_.size(), [&](host::Range range) {
        bool all = true;
        for (std::size_t i = range.begin; i < range.end; ++i) {
          if (joined(i) == undecided) all &= decide(static_cast<std::uint32_t>(i));
        }
        if (!all) waits = true;
      });
    }
    return std::move(joined_);
  }

 private:
  static constexpr std::size_t most_in_a_row = 512;

  [[nodiscard]] std::size_t longest_row() const {
    std::size_t longest = 0;
    for (std::size_t s = 0; s < rows_.size(); ++s)
      longest = std::max<std::size_t>(longest, rows_.offsets[s + 1] - rows_.offsets[s]);
    return longest;
  }

  /// A row begins with the kept points of its slot and forgets the others.
  void decide_in_order() {
    Array<std::uint32_t> kept(rows_.size(), 0);
    for (std::uint32_t i = 0; i < points_.size(); ++i) {
      std::uint32_t best = i;
      double least = limit_;
      cubes_.for_each_near(points_[i], [&](std::uint64_t hash) {
        const VertexId s = slot(hash);
        for (const std::uint32_t k : rows_[s].first(kept[s.index()])) {
          const double distance = dot(points_[k] - points_[i], points_[k] - points_[i]);
          if (!(distance <= least) || (distance == least && k > best)) continue;
          best = k;
          least = distance;
        }
      });
      joined_[i] = best;
      if (best != i) continue;
      const VertexId own = slot(cubes_.hash_at(points_[i]));
      rows_.values[rows_.offsets[own.index()] + kept[own.index()]++] = i;
    }
  }

  /// False if a point before it that is near has to be decided first.
  bool decide(std::uint32_t i) {
    std::uint32_t best = i;
    double least = limit_;
    bool knows = true;
    const auto look_at = [&](std::uint32_t k) {
      const double distance = dot(points_[k] - points_[i], points_[k] - points_[i]);
      if (!(distance <= least)) return;
      const std::uint32_t target = joined(k);
      knows &= target != undecided;
      if (target != k || (distance == least && k > best)) return;
      best = k;
      least = distance;
    };
    cubes_.for_each_near(points_[i], [&](std::uint64_t hash) {
      for (const std::uint32_t k : rows_[slot(hash)]) {
        if (k >= i) break;
        look_at(k);
      }
    });
    if (knows) std::atomic_ref(joined_[i]).store(best, std::memory_order_relaxed);
    return knows;
  }

  [[nodiscard]] VertexId slot(std::uint64_t hash) const {
    return VertexId(static_cast<std::uint32_t>(hash & (slots_ - 1)));
  }
  [[nodiscard]] std::uint32_t joined(std::size_t i) {
    return std::atomic_ref(joined_[i]).load(std::memory_order_relaxed);
  }

  Array<Vec3d> points_;
  double limit_;
  const Cubes& cubes_;
  Exec exec_;
  std::size_t slots_ = 0;
  Csr<VertexId, std::uint32_t> rows_;  ///< of each slot: its points, ascending
  Array<std::uint32_t> joined_;
};

template <class T>
Array<Vec3d> gathered(std::span<const T> from, std::span<const std::uint32_t> order, const Exec& exec) {
  Array<Vec3d> to(order.size());
  host_for_each(exec, order.size(), [&](std::size_t i) { to[i] = vec_cast<double>(from[order[i]]); });
  return to;
}

/// For each of the points in `order` the one that it joins.
Array<std::uint32_t> join_near(const Points& points, std::span<const std::uint32_t> order, double tolerance,
                               const Exec& exec) {
  const Array<Vec3d> places = points.visit([&](auto from) {
    return gathered(std::span<const std::remove_const_t<typename decltype(from)::element_type>>(from), order,
                    exec);
  });
  const Cubes cubes(tolerance);
  const Array<std::uint32_t> crowded = find_crowded(places, cubes, exec);
  const Array<std::uint32_t> near =
      NearPoints(gathered(std::span<const Vec3d>(places), crowded, exec), tolerance, cubes, exec).run();
  Array<std::uint32_t> joined(order.size());
  host_for_each(exec, joined.size(), [&](std::size_t i) { joined[i] = static_cast<std::uint32_t>(i); });
  host_for_each(exec, crowded.size(), [&](std::size_t i) { joined[crowded[i]] = crowded[near[i]]; });
  return joined;
}

}  // namespace

PointGroups group_near_points(const Points& points, double tolerance, const Exec& exec) {
  if (!(tolerance >= 0) || !std::isfinite(tolerance))
    refuse_tolerance(tolerance, "cannot be used; it must be a finite length, 0 for equal coordinates");
  expect_ids(static_cast<double>(points.size()), "points");
  // Squares and cubes of it must be numbers.
  if (tolerance > 1e150)
    refuse_tolerance(tolerance, "is too large; coordinates can be told apart up to 1e150");
  PointGroups groups = group_equal_points(points, exec);
  if (tolerance == 0) return groups;
  const Array<std::uint32_t> joined = join_near(points, groups.first, tolerance, exec);
  Array<std::uint32_t> number(groups.size());
  Array<std::uint32_t> first(groups.size());
  first.resize(host::for_each_kept(
      exec.threads(), joined.size(), [&](std::size_t g) { return joined[g] == g; },
      [&](std::size_t g, std::size_t place) {
        number[g] = static_cast<std::uint32_t>(place);
        first[place] = groups.first[g];
      }));
  host_for_each(exec, groups.connections.size(), [&](std::size_t p) {
    groups.connections[p] = VertexId(number[joined[groups.connections[p].index()]]);
  });
  groups.first = std::move(first);
  return groups;
}

}  // namespace tessera::detail
