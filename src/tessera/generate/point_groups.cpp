#include <tessera/generate/point_groups.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

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

  Place() = default;
  explicit Place(const Vec3<T>& p)
      : x(std::bit_cast<Word>(p.x + T(0))),
        y(std::bit_cast<Word>(p.y + T(0))),
        z(std::bit_cast<Word>(p.z + T(0))) {}
  [[nodiscard]] bool operator==(const Place& other) const {
    return ((x ^ other.x) | (y ^ other.y) | (z ^ other.z)) == 0;  // one branch
  }

  /// A sum of products, which a compiler can work out for many places at once. The high bits are the best.
  [[nodiscard]] std::uint32_t hash() const {
    std::uint64_t h = low(x) * 0x9E3779B97F4A7C15ull + low(y) * 0xD6E8FEB86659FD93ull +
                      low(z) * 0xC2B2AE3D27D4EB4Full;
    if constexpr (sizeof(Word) == 8) {
      h += (x >> 32) * 0xA0761D6478BD642Full + (y >> 32) * 0xE7037ED1A0B428DBull +
           (z >> 32) * 0x8EBC6AF09C88C6E3ull;
    }
    return static_cast<std::uint32_t>(((h ^ (h >> 32)) * 0x9E3779B97F4A7C15ull) >> 32);
  }

 private:
  static std::uint64_t low(Word word) { return static_cast<std::uint32_t>(word); }
};

constexpr std::size_t chunk = 16384;  // its table and its different places fit a core's second-level cache

/// The different places among the points of a chunk.
template <class T>
class ChunkPlaces {
 public:
  std::uint32_t count = 0;
  std::array<Place<T>, chunk> places;         ///< in the order in which they come
  std::array<std::uint32_t, chunk> hashes;    ///< of each
  std::array<std::uint16_t, chunk> firsts;    ///< its first point within the chunk

  /// Fills for each point the number of its place.
  void group(std::span<const Vec3<T>> points, std::uint16_t* numbers) {
    table_.fill(0);
    count = 0;
    for (std::size_t begin = 0; begin < points.size(); begin += block) {
      const std::size_t size = std::min(block, points.size() - begin);
      std::array<std::uint32_t, block> hash;
      for (std::size_t i = 0; i < size; ++i) hash[i] = Place<T>(points[begin + i]).hash();
      for (std::size_t i = 0; i < size; ++i) {
        numbers[begin + i] =
            static_cast<std::uint16_t>(enter(Place<T>(points[begin + i]), hash[i], begin + i));
      }
    }
  }

 private:
  static constexpr std::size_t block = 512;
  static constexpr int bits = 15;

  /// Whether a place is new can not be predicted, so it is entered as if it were: an empty slot stands for
  /// the next number, and a place is added where it already is if that was not to be.
  std::uint32_t enter(const Place<T>& mine, std::uint32_t hash, std::size_t point) {
    places[count] = mine;
    hashes[count] = hash;
    firsts[count] = static_cast<std::uint16_t>(point);
    std::size_t slot = hash % table_.size();
    const auto number_at = [&](std::size_t s) { return table_[s] == 0 ? count : table_[s] - 1u; };
    std::uint32_t number = number_at(slot);
    while (!(places[number] == mine)) {
      slot = (slot + 1) % table_.size();
      number = number_at(slot);
    }
    table_[slot] = static_cast<std::uint16_t>(number + 1);
    count += number == count ? 1 : 0;
    return number;
  }

  std::array<std::uint16_t, std::size_t{1} << bits> table_;  ///< number + 1
};

template <class T>
class EqualPoints {
 public:
  EqualPoints(std::span<const Vec3<T>> points, const Exec& exec)
      : points_(points),
        exec_(exec),
        chunks_((points.size() + chunk - 1) / chunk),
        bits_(std::clamp(static_cast<int>(std::bit_width(points.size() / chunk)), 0, 10)),
        starts_(chunks_ + 1),
        runs_(chunks_ * (buckets() + 1)),
        numbers_(points.size()) {}

  PointGroups run() {
    group_chunks();
    join_chunks();
    return number();
  }

 private:
  /// A place of a chunk.
  struct Entry {
    std::uint32_t hash;
    Place<T> place;
  };

  [[nodiscard]] std::size_t buckets() const { return std::size_t{1} << bits_; }
  [[nodiscard]] std::size_t bucket_of(std::uint32_t hash) const {
    return (std::uint64_t{hash} << bits_) >> 32;
  }

  /// Step 1: chunks on their own. The places of each are dealt into buckets by their hash.
  void group_chunks() {
    // Exactly as much as there is can not be known, and what is not used is not touched.
    entries_.resize(points_.size());
    firsts_.resize(points_.size());
    dealt_.resize(points_.size());
    std::vector<std::unique_ptr<ChunkPlaces<T>>> places(static_cast<std::size_t>(exec_.threads()));
    host::ChunkTotals<std::size_t> totals(chunks_);
    host::for_each_chunk(exec_.threads(), points_.size(), chunk, [&](host::Range range, int worker) {
      std::unique_ptr<ChunkPlaces<T>>& mine = places[static_cast<std::size_t>(worker)];
      if (!mine) mine = std::make_unique_for_overwrite<ChunkPlaces<T>>();
      mine->group(points_.subspan(range.begin, range.size()), numbers_.data() + range.begin);
      const std::size_t c = range.begin / chunk;
      starts_[c] = totals.exchange(c, mine->count);
      deal(*mine, c);
    });
    starts_[chunks_] = totals.total(chunks_);
    entries_.resize(starts_[chunks_]);
    firsts_.resize(starts_[chunks_]);
    dealt_.resize(starts_[chunks_]);
  }

  void deal(const ChunkPlaces<T>& places, std::size_t c) {
    std::uint16_t* const run = runs_.data() + c * (buckets() + 1);
    std::array<std::uint16_t, 1025> next;
    std::fill_n(run, buckets() + 1, std::uint16_t{0});
    for (std::size_t i = 0; i < places.count; ++i) ++run[bucket_of(places.hashes[i]) + 1];
    for (std::size_t b = 0; b < buckets(); ++b) next[b + 1] = run[b + 1] = static_cast<std::uint16_t>(run[b] + run[b + 1]);
    next[0] = 0;
    for (std::size_t i = 0; i < places.count; ++i) {
      const std::uint16_t to = next[bucket_of(places.hashes[i])]++;
      entries_[starts_[c] + to] = {places.hashes[i], places.places[i]};
      dealt_[starts_[c] + i] = to;
      firsts_[starts_[c] + i] = static_cast<std::uint32_t>(c * chunk + places.firsts[i]);
    }
  }

  /// Step 2: equal places of chunks meet in a bucket, in the order of the chunks.
  void join_chunks() {
    leaders_.resize(entries_.size());
    host::for_each_chunk(exec_.threads(), buckets(), 1, [&](host::Range range, int) {
      const std::size_t b = range.begin;
      const auto begin_of = [&](std::size_t c) { return starts_[c] + runs_[c * (buckets() + 1) + b]; };
      const auto end_of = [&](std::size_t c) { return starts_[c] + runs_[c * (buckets() + 1) + b + 1]; };
      std::size_t size = 0;
      for (std::size_t c = 0; c < chunks_; ++c) size += end_of(c) - begin_of(c);
      const int bits = std::max(4, static_cast<int>(std::bit_width(2 * size)));
      Array<std::uint32_t> table(std::size_t{1} << bits, empty);
      for (std::size_t c = 0; c < chunks_; ++c) {
        for (std::size_t e = begin_of(c); e < end_of(c); ++e) {
          const Entry& mine = entries_[e];
          const auto differs = [&](std::uint32_t other) {
            return other != empty && (entries_[other].hash != mine.hash || !(entries_[other].place == mine.place));
          };
          const auto high = static_cast<std::uint32_t>(std::uint64_t{mine.hash} << bits_);
          std::size_t slot = std::uint64_t{high} << bits >> 32;
          while (differs(table[slot])) slot = (slot + 1) % table.size();
          if (table[slot] == empty) table[slot] = static_cast<std::uint32_t>(e);
          leaders_[e] = table[slot];
        }
      }
    });
    entries_ = {};
  }

  /// Step 3: groups by their first point, then each point's group.
  PointGroups number() {
    PointGroups groups{Array<VertexId>(points_.size()), Array<std::uint32_t>(leaders_.size())};
    Array<std::uint32_t> group(leaders_.size());
    host::ChunkTotals<std::size_t> totals(chunks_);
    host::for_each_chunk(exec_.threads(), chunks_, 1, [&](host::Range range, int) {
      const std::size_t begin = starts_[range.begin];
      const std::size_t end = starts_[range.begin + 1];
      std::size_t own = 0;
      for (std::size_t e = begin; e < end; ++e) own += leaders_[e] == e ? 1 : 0;
      std::size_t next = totals.exchange(range.begin, own);
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t e = begin + dealt_[i];
        if (leaders_[e] != e) continue;
        groups.first[next] = firsts_[i];
        group[e] = static_cast<std::uint32_t>(next++);
      }
    });
    groups.first.resize(totals.total(chunks_));
    host::for_each_chunk(exec_.threads(), points_.size(), chunk, [&](host::Range range, int) {
      const std::size_t begin = starts_[range.begin / chunk];
      const std::size_t count = starts_[range.begin / chunk + 1] - begin;
      std::array<std::uint32_t, chunk> of_place;
      for (std::size_t i = 0; i < count; ++i) of_place[i] = group[leaders_[begin + dealt_[begin + i]]];
      for (std::size_t p = range.begin; p < range.end; ++p)
        groups.connections[p] = VertexId(of_place[numbers_[p]]);
    });
    return groups;
  }

  std::span<const Vec3<T>> points_;
  Exec exec_;
  std::size_t chunks_;
  int bits_;                      ///< of a hash choose a bucket
  Array<std::size_t> starts_;     ///< of each chunk's entries, and their end
  Array<std::uint16_t> runs_;     ///< of each chunk: where each bucket begins within its entries, and the end
  Array<std::uint16_t> numbers_;  ///< of each point: its place within its chunk
  Array<Entry> entries_;          ///< by chunk, bucket and first point
  Array<std::uint32_t> firsts_;   ///< of each place, by chunk and first point: that point
  Array<std::uint16_t> dealt_;    ///< of each place, in the same order: its entry within the chunk
  Array<std::uint32_t> leaders_;  ///< the first entry that equals each
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
    return Place<double>(cube).hash() % heads_.size();
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
