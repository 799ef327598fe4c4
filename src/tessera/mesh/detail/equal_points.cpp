#include <tessera/mesh/detail/equal_points.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include <tessera/exec/detail/host/scan.h>

namespace tessera::detail {
namespace {

constexpr std::uint32_t empty = 0xFFFFFFFFu;

/// Coordinates as bits, with -0 made 0, and a hash of them. No bits are unused: equal places are equal bytes.
template <class T>
struct Place {
  using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  Word x, y, z;
  Word hash;  ///< 32 bits

  Place() = default;
  explicit Place(const Vec3<T>& p)
      : x(std::bit_cast<Word>(p.x + T(0))),
        y(std::bit_cast<Word>(p.y + T(0))),
        z(std::bit_cast<Word>(p.z + T(0))),
        hash(make_hash()) {}
  friend bool operator==(const Place& a, const Place& b) { return std::memcmp(&a, &b, sizeof(Place)) == 0; }

 private:
  /// A sum of products in 32 bits, which compilers work out for many places at once. Coordinates are often
  /// round, so that their low bits, all that a product's low bits depend on, take in higher ones first.
  [[nodiscard]] std::uint32_t make_hash() const {
    const auto part = [](Word word, std::uint32_t factor) {
      const auto low = static_cast<std::uint32_t>(word);
      return (low ^ (low >> 16)) * factor;
    };
    std::uint32_t h = part(x, 0x9E3779B1u) + part(y, 0x85EBCA6Bu) + part(z, 0xC2B2AE35u);
    if constexpr (sizeof(Word) == 8) {
      h += part(x >> 32, 0x27D4EB2Fu) + part(y >> 32, 0x165667B1u) + part(z >> 32, 0xD6E8FEB9u);
    }
    h = (h ^ (h >> 15)) * 0x2C1B3C6Du;
    return h ^ (h >> 13);
  }
};

constexpr std::size_t chunk = 16384;  // its table and its different places fit a core's second-level cache

/// The different places among the points of a chunk.
template <class T>
class ChunkPlaces {
 public:
  std::uint32_t count = 0;
  std::array<Place<T>, chunk> places;       ///< in the order in which they come
  std::array<std::uint16_t, chunk> firsts;  ///< of each place: its first point within the chunk

  /// Fills for each point the number of its place.
  void group(std::span<const Vec3<T>> points, VertexId* numbers) {
    table_.fill(0);
    std::uint32_t next = 0;
    for (std::size_t begin = 0; begin < points.size(); begin += block) {
      const std::size_t size = std::min(block, points.size() - begin);
      for (std::size_t i = 0; i < size; ++i) block_[i] = Place<T>(points[begin + i]);
      for (std::size_t i = 0; i < size; ++i) {
        const std::uint32_t number = enter(block_[i], next);
        firsts[next] = static_cast<std::uint16_t>(begin + i);
        numbers[begin + i] = VertexId(number);
        next += number == next ? 1 : 0;
      }
    }
    count = next;
  }

 private:
  static constexpr std::size_t block = 256;
  static constexpr std::size_t slots = 4 * chunk;

  /// The number of a place, `next` if it is new. Nobody can predict whether it is, so it is entered as if it
  /// were: an empty slot stands for the next number, and what is written there now is written over later if
  /// the place was known.
  std::uint32_t enter(const Place<T>& mine, std::uint32_t next) {
    places[next] = mine;
    std::size_t slot = mine.hash % slots;
    std::uint32_t number = table_[slot] + (table_[slot] == 0 ? next + 1 : 0);
    while (!(places[number - 1] == mine)) {
      slot = (slot + 1) % slots;
      number = table_[slot] == 0 ? next + 1 : table_[slot];
    }
    table_[slot] = static_cast<std::uint16_t>(number);
    return number - 1;
  }

  std::array<Place<T>, block> block_;
  std::array<std::uint16_t, slots> table_;  ///< number + 1
};

template <class T>
class EqualPoints {
 public:
  EqualPoints(std::span<const Vec3<T>> points, const Exec& exec)
      : points_(points),
        exec_(exec),
        chunks_((points.size() + chunk - 1) / chunk),
        bits_(std::clamp(static_cast<int>(std::bit_width(points.size() / chunk)), 0, most_bits)),
        starts_(chunks_ + 1),
        runs_(chunks_ * (buckets() + 1)),
        groups_{Array<VertexId>(points.size()), {}} {}

  PointGroups run() {
    group_chunks();
    join_chunks();
    number();
    return std::move(groups_);
  }

 private:
  static constexpr int most_bits = 10;

  [[nodiscard]] std::size_t buckets() const { return std::size_t{1} << bits_; }
  [[nodiscard]] std::size_t bucket_of(const Place<T>& place) const {
    return (std::uint64_t{place.hash} << bits_) >> 32;
  }

  /// Step 1: chunks on their own. The places of each are dealt into buckets by their hash.
  void group_chunks() {
    for_each_place_array(
        [&](auto& array) { array.resize(points_.size()); });  // what is too much stays untouched
    const std::size_t workers = std::min(static_cast<std::size_t>(exec_.threads()), chunks_);
    const auto places = std::make_unique_for_overwrite<ChunkPlaces<T>[]>(workers);
    host::ChunkTotals<std::size_t> totals(chunks_);
    host::for_each_chunk(exec_.threads(), points_.size(), chunk, [&](host::Range range, int worker) {
      ChunkPlaces<T>& mine = places[static_cast<std::size_t>(worker)];
      mine.group(points_.subspan(range.begin, range.size()), groups_.connections.data() + range.begin);
      const std::size_t c = range.begin / chunk;
      starts_[c] = totals.exchange(c, mine.count);
      deal(mine, c);
    });
    starts_[chunks_] = totals.total(chunks_);
    for_each_place_array([&](auto& array) { array.resize(starts_[chunks_]); });
  }

  template <class F>
  void for_each_place_array(const F& f) {
    f(entries_);
    f(firsts_);
    f(dealt_);
  }

  void deal(const ChunkPlaces<T>& places, std::size_t c) {
    const std::span run(runs_.data() + c * (buckets() + 1), buckets() + 1);
    std::ranges::fill(run, std::uint16_t{0});
    for (std::size_t i = 0; i < places.count; ++i) ++run[bucket_of(places.places[i]) + 1];
    for (std::size_t b = 1; b <= buckets(); ++b) run[b] = static_cast<std::uint16_t>(run[b] + run[b - 1]);
    std::array<std::uint16_t, (std::size_t{1} << most_bits) + 1> next;
    std::ranges::copy(run, next.begin());
    for (std::size_t i = 0; i < places.count; ++i) {
      const std::uint16_t to = next[bucket_of(places.places[i])]++;
      entries_[starts_[c] + to] = places.places[i];
      dealt_[starts_[c] + i] = to;
      firsts_[starts_[c] + i] = static_cast<std::uint32_t>(c * chunk + places.firsts[i]);
    }
  }

  /// Step 2: equal places of chunks meet in a bucket, in the order of the chunks.
  void join_chunks() {
    leaders_.resize(entries_.size());
    host::for_each_chunk(exec_.threads(), buckets(), 1,
                         [&](host::Range range, int) { join_bucket(range.begin); });
    entries_ = {};
  }

  void join_bucket(std::size_t bucket) {
    const auto run_of = [&](std::size_t c) -> host::Range {
      const std::uint16_t* run = runs_.data() + c * (buckets() + 1) + bucket;
      return {starts_[c] + run[0], starts_[c] + run[1]};
    };
    std::size_t size = 0;
    for (std::size_t c = 0; c < chunks_; ++c) size += run_of(c).size();
    Array<std::uint32_t> table(std::bit_ceil(4 * size), empty);
    for (std::size_t c = 0; c < chunks_; ++c) {
      const host::Range run = run_of(c);
      for (std::size_t e = run.begin; e < run.end; ++e) {
        std::size_t slot = entries_[e].hash % table.size();
        while (table[slot] != empty && !(entries_[table[slot]] == entries_[e]))
          slot = (slot + 1) % table.size();
        if (table[slot] == empty) table[slot] = static_cast<std::uint32_t>(e);
        leaders_[e] = table[slot];
      }
    }
  }

  /// Step 3: groups by their first point, then each point's group.
  void number() {
    groups_.first.resize(leaders_.size());
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
        groups_.first[next] = firsts_[i];
        group[e] = static_cast<std::uint32_t>(next++);
      }
    });
    groups_.first.resize(totals.total(chunks_));
    host::for_each_chunk(exec_.threads(), points_.size(), chunk, [&](host::Range range, int) {
      const std::size_t begin = starts_[range.begin / chunk];
      const std::size_t count = starts_[range.begin / chunk + 1] - begin;
      std::array<std::uint32_t, chunk> of_place;
      for (std::size_t i = 0; i < count; ++i) of_place[i] = group[leaders_[begin + dealt_[begin + i]]];
      for (std::size_t p = range.begin; p < range.end; ++p) {
        VertexId& connection = groups_.connections[p];
        connection = VertexId(of_place[connection.index()]);
      }
    });
  }

  std::span<const Vec3<T>> points_;
  Exec exec_;
  std::size_t chunks_;
  int bits_;                      ///< of a hash choose a bucket
  Array<std::size_t> starts_;     ///< of each chunk's entries, and their end
  Array<std::uint16_t> runs_;     ///< of each chunk: where each bucket begins within its entries, and the end
  PointGroups groups_;            ///< connections are places within chunks until step 3
  Array<Place<T>> entries_;       ///< by chunk, bucket and first point
  Array<std::uint32_t> firsts_;   ///< of each place, by chunk and first point: that point
  Array<std::uint16_t> dealt_;    ///< of each place, in the same order: its entry within the chunk
  Array<std::uint32_t> leaders_;  ///< the first entry that equals each
};

}  // namespace

PointGroups group_equal_points(const Points& points, const Exec& exec) {
  return points.visit([&](auto from) {
    using Vector = std::remove_const_t<typename decltype(from)::element_type>;
    return EqualPoints<decltype(Vector::x)>(from, exec).run();
  });
}

}  // namespace tessera::detail
