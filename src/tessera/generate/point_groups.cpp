#include <tessera/generate/point_groups.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <tessera/core/error.h>
#include <tessera/exec/for_each.h>
#include <tessera/exec/host/runs.h>
#include <tessera/generate/checks.h>

namespace tessera {
namespace {

constexpr std::uint32_t empty = 0xFFFFFFFFu;

/// Coordinates as bits, with -0 made 0.
template <class T>
struct Place {
  using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  Word x, y, z;

  explicit Place(const Vec3<T>& p)
      : x(std::bit_cast<Word>(p.x + T(0))),
        y(std::bit_cast<Word>(p.y + T(0))),
        z(std::bit_cast<Word>(p.z + T(0))) {}
  friend bool operator==(const Place&, const Place&) = default;

  /// The high bits are the best ones.
  [[nodiscard]] std::uint64_t hash() const {
    std::uint64_t h = x * 0x9E3779B97F4A7C15ull;
    h = (h ^ (h >> 32) ^ y) * 0xD6E8FEB86659FD93ull;
    h = (h ^ (h >> 32) ^ z) * 0xC2B2AE3D27D4EB4Full;
    return (h ^ (h >> 29)) * 0x9E3779B97F4A7C15ull;
  }
};

template <class T>
class EqualPoints {
 public:
  EqualPoints(std::span<const Vec3<T>> points, const Exec& exec)
      : points_(points), exec_(exec), groups_{Array<VertexId>(points.size()), {}}, items_(points.size()) {}

  PointGroups run() {
    group_chunks();
    join_chunks();
    number();
    return std::move(groups_);
  }

 private:
  static constexpr std::size_t chunk = 16384;  // its points and its table fit a core's second-level cache
  static constexpr int local_bits = 15;
  static constexpr std::size_t bucket_items = 4096;  // what the table of a bucket is made for

  [[nodiscard]] Place<T> place(std::size_t point) const { return Place<T>(points_[point]); }

  /// Step 1: each point's connection is its group within its chunk; items_ are the first points of these.
  void group_chunks() {
    const std::size_t chunks = (points_.size() + chunk - 1) / chunk;
    starts_.resize(chunks + 1);
    host::ChunkTotals<std::size_t> totals(chunks);
    host::for_each_chunk(exec_.threads(), points_.size(), chunk, [&](host::Range range, int) {
      std::array<std::uint16_t, std::size_t{1} << local_bits> table{};  // group + 1
      std::array<std::uint32_t, chunk> firsts;
      std::uint32_t count = 0;
      for (std::size_t i = range.begin; i < range.end; ++i) {
        const Place<T> mine = place(i);
        std::size_t slot = mine.hash() >> (64 - local_bits);
        while (table[slot] != 0 && !(place(firsts[table[slot] - 1u]) == mine))
          slot = (slot + 1) % table.size();
        if (table[slot] == 0) {
          firsts[count] = static_cast<std::uint32_t>(i);
          table[slot] = static_cast<std::uint16_t>(++count);
        }
        groups_.connections[i] = VertexId(table[slot] - 1u);
      }
      const std::size_t start = totals.exchange(range.begin / chunk, count);
      starts_[range.begin / chunk] = start;
      std::copy_n(firsts.begin(), count, items_.begin() + static_cast<std::ptrdiff_t>(start));
    });
    items_.resize(totals.total(chunks));
    starts_[chunks] = items_.size();
  }

  /// Step 2: items are dealt into buckets by their hash, in order; equal ones meet in a bucket's own table.
  void join_chunks() {
    const int bits = std::clamp(static_cast<int>(std::bit_width(items_.size() / bucket_items)), 0, 11);
    const std::size_t buckets = std::size_t{1} << bits;
    const auto bucket_of = [bits](std::uint64_t hash) { return bits == 0 ? 0 : hash >> (64 - bits); };
    const std::size_t chunks = starts_.size() - 1;
    Array<std::uint32_t> places(buckets * chunks);  // by chunk, so that threads do not share lines
    const auto for_each_hash = [&](const auto& f) {
      host::for_each_chunk(exec_.threads(), chunks, 1, [&](host::Range range, int) {
        const std::size_t c = range.begin;
        for (std::size_t i = starts_[c]; i < starts_[c + 1]; ++i) f(c, i, place(items_[i]).hash());
      });
    };
    host_for_each(exec_, places.size(), [&](std::size_t p) { places[p] = 0; });
    for_each_hash([&](std::size_t c, std::size_t, std::uint64_t h) { ++places[c * buckets + bucket_of(h)]; });
    std::uint32_t next = 0;
    Array<std::uint32_t> begins(buckets + 1);
    for (std::size_t b = 0; b < buckets; ++b) {
      begins[b] = next;
      for (std::size_t c = 0; c < chunks; ++c) next += std::exchange(places[c * buckets + b], next);
    }
    begins[buckets] = next;
    Array<Entry> dealt(items_.size());
    for_each_hash([&](std::size_t c, std::size_t i, std::uint64_t h) {
      dealt[places[c * buckets + bucket_of(h)]++] = {static_cast<std::uint32_t>((h << bits) >> 32),
                                                     static_cast<std::uint32_t>(i)};
    });
    lowest_.resize(items_.size());
    host::for_each_chunk(exec_.threads(), buckets, 1, [&](host::Range range, int) {
      join_bucket({dealt.data() + begins[range.begin], dealt.data() + begins[range.begin + 1]});
    });
  }

  /// An item with bits of its hash beyond those that chose the bucket.
  struct Entry {
    std::uint32_t hash;
    std::uint32_t item;
  };

  void join_bucket(std::span<const Entry> entries) {
    const int bits = std::max(4, static_cast<int>(std::bit_width(2 * entries.size())));
    Array<Entry> table(std::size_t{1} << bits, Entry{0, empty});
    for (const Entry& entry : entries) {
      const auto differs = [&](const Entry& other) {
        return other.item != empty &&
               (other.hash != entry.hash || !(place(items_[other.item]) == place(items_[entry.item])));
      };
      std::size_t slot = bits >= 32 ? entry.hash : entry.hash >> (32 - bits);
      while (differs(table[slot])) slot = (slot + 1) % table.size();
      if (table[slot].item == empty) table[slot] = entry;
      lowest_[entry.item] = table[slot].item;
    }
  }

  /// Step 3: groups by their first item, then each point's group.
  void number() {
    groups_.first.resize(items_.size());
    Array<std::uint32_t> group(items_.size());
    groups_.first.resize(host::for_each_kept(
        exec_.threads(), items_.size(), [&](std::size_t i) { return lowest_[i] == i; },
        [&](std::size_t i, std::size_t position) {
          groups_.first[position] = items_[i];
          group[i] = static_cast<std::uint32_t>(position);
        }));
    host_for_each(exec_, items_.size(), [&](std::size_t i) { lowest_[i] = group[lowest_[i]]; });
    host::for_each_chunk(exec_.threads(), points_.size(), chunk, [&](host::Range range, int) {
      const std::uint32_t* const of_chunk = lowest_.data() + starts_[range.begin / chunk];
      for (std::size_t p = range.begin; p < range.end; ++p) {
        VertexId& connection = groups_.connections[p];
        connection = VertexId(of_chunk[connection.index()]);
      }
    });
  }

  std::span<const Vec3<T>> points_;
  Exec exec_;
  PointGroups groups_;
  Array<std::uint32_t> items_;   ///< the first point of every group of every chunk, ascending
  Array<std::size_t> starts_;    ///< of each chunk's items, and their end
  Array<std::uint32_t> lowest_;  ///< the first item that equals each; at last its group
};

/// Kept points in cubes of four tolerances: those within one tolerance of a place lie in one to eight cubes.
class KeptPoints {
 public:
  KeptPoints(std::size_t most, double tolerance)
      : tolerance_(tolerance), heads_(std::bit_ceil(2 * most + 1), empty) {}

  /// The nearest kept point within the tolerance; `empty` for none.
  [[nodiscard]] std::uint32_t find(const Vec3d& p) const {
    const Vec3d reach = {tolerance_, tolerance_, tolerance_};
    const Vec3d low = cube(p - reach);
    const Vec3d high = cube(p + reach);
    std::uint32_t best = empty;
    double least = tolerance_ * tolerance_;
    for (double z : {low.z, high.z}) {
      for (double y : {low.y, high.y}) {
        for (double x : {low.x, high.x}) {
          for (std::uint32_t k = heads_[slot({x, y, z})]; k != empty; k = next_[k]) {
            const double distance = dot(kept_[k] - p, kept_[k] - p);
            if (distance > least || (distance == least && k >= best)) continue;
            best = k;
            least = distance;
          }
          if (low.x == high.x) break;
        }
        if (low.y == high.y) break;
      }
      if (low.z == high.z) break;
    }
    return best;
  }
  void add(const Vec3d& p) {
    std::uint32_t& head = heads_[slot(cube(p))];
    next_.push_back(head);
    head = static_cast<std::uint32_t>(kept_.size());
    kept_.push_back(p);
  }
  /// A point that none is near to.
  void add_apart() {
    next_.push_back(empty);
    kept_.push_back({0, 0, 0});
  }

 private:
  [[nodiscard]] Vec3d cube(const Vec3d& p) const {
    const double size = 4 * tolerance_;
    return {std::floor(p.x / size), std::floor(p.y / size), std::floor(p.z / size)};
  }
  [[nodiscard]] std::size_t slot(const Vec3d& cube) const {
    return Place<double>(cube).hash() >> (64 - std::bit_width(heads_.size() - 1));
  }

  double tolerance_;
  Array<std::uint32_t> heads_;
  Array<std::uint32_t> next_;
  Array<Vec3d> kept_;
};

bool is_finite(const Vec3d& p) {
  return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z);
}

[[noreturn]] void refuse_tolerance(double tolerance, const char* reason) {
  std::array<char, 32> number{};
  std::snprintf(number.data(), number.size(), "%g", tolerance);
  throw Error(ErrorCode::bad_option, "a tolerance of " + std::string(number.data()) + " " + reason);
}

void join_near(const Points& points, double tolerance, PointGroups& groups, const Exec& exec) {
  KeptPoints kept(groups.size(), tolerance);
  Array<std::uint32_t> joined(groups.size());
  Array<std::uint32_t> first;
  points.visit([&](auto from) {
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const Vec3d p = vec_cast<double>(from[groups.first[g]]);
      const bool has_near = is_finite(p);
      if (has_near && !is_finite((0.25 / tolerance) * p))
        refuse_tolerance(tolerance, "is too small for coordinates of this size");
      joined[g] = has_near ? kept.find(p) : empty;
      if (joined[g] != empty) continue;
      joined[g] = static_cast<std::uint32_t>(first.size());
      first.push_back(groups.first[g]);
      has_near ? kept.add(p) : kept.add_apart();
    }
  });
  host_for_each(exec, groups.connections.size(), [&](std::size_t p) {
    groups.connections[p] = VertexId(joined[groups.connections[p].index()]);
  });
  groups.first = std::move(first);
}

}  // namespace

PointGroups group_equal_points(const Points& points, const Exec& exec) {
  expect_ids(static_cast<double>(points.size()), "points");
  return points.visit([&](auto from) {
    using Vector = std::remove_const_t<typename decltype(from)::element_type>;
    return EqualPoints<decltype(Vector::x)>(from, exec).run();
  });
}

PointGroups group_near_points(const Points& points, double tolerance, const Exec& exec) {
  if (!(tolerance >= 0) || !std::isfinite(tolerance))
    refuse_tolerance(tolerance, "can not be used; it must be a finite length, 0 for equal coordinates");
  PointGroups groups = group_equal_points(points, exec);
  if (tolerance > 0) join_near(points, tolerance, groups, exec);
  return groups;
}

}  // namespace tessera
