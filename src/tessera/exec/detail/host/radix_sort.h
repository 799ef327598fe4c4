// Host radix sort: stable, only over the bits in use, made for memory that is far and caches that are near.
//
// 1. Split: if the data is larger than a core's cache, all threads together scatter it by its top digit into
//    buckets. One trip through memory: histogram, offsets for each (digit, worker), scatter.
// 2. Finish: a bucket that fits the cache is sorted there by its remaining bits, least significant digit
// first,
//    by one thread; buckets are handed out as threads become free.
// 3. A bucket that is still too large (skewed keys) is split again by the next digit, by all threads.
//
// A least-significant-digit sort of the whole array would go through memory once for each of up to 8 digits.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <tessera/exec/buffer.h>
#include <tessera/exec/detail/host/parallel.h>

namespace tessera::detail::host {

struct NoValue {};

template <class Key, class Value>
class RadixSorter {
 public:
  RadixSorter(int threads, std::span<Key> keys, std::span<Value> values)
      : threads_(threads),
        size_(keys.size()),
        key_memory_(Exec::host(1), keys.size()),
        value_memory_(Exec::host(1), has_values ? keys.size() : 0),
        sides_{Side{keys.data(), values.data()}, Side{key_memory_.data(), value_memory_.data()}} {}

  /// Sorts by the low `bits`; the result is in the caller's arrays.
  void sort(int bits) {
    std::vector<Piece> pieces = {{{0, size_}, bits, 0}};
    std::vector<Piece> finished;
    while (!pieces.empty()) {
      const Piece piece = pieces.back();
      pieces.pop_back();
      if (piece.range.size() <= cache_elements || piece.bits == 0) {
        finished.push_back(piece);
      } else {
        split(piece, pieces, finished);
      }
    }
    finish(finished);
  }

 private:
  static constexpr bool has_values = !std::is_same_v<Value, NoValue>;
  static constexpr std::size_t element_bytes = sizeof(Key) + (has_values ? sizeof(Value) : 0);
  static constexpr std::size_t cache_elements = 512 * 1024 / element_bytes;
  static constexpr int max_split_bits = 11;
  static constexpr int finish_bits = 8;
  static constexpr int max_finish_passes = static_cast<int>(sizeof(Key));

  struct Side {
    Key* keys;
    Value* values;
  };
  /// Elements that agree in all bits above `bits` and lie in sides_[side].
  struct Piece {
    Range range;
    int bits;
    int side;
  };

  static std::size_t digit_of(Key key, int shift, int bits) {
    return static_cast<std::size_t>(key >> shift) & ((std::size_t{1} << bits) - 1);
  }

  void move(const Side& from, std::size_t i, const Side& to, std::size_t j) const {
    to.keys[j] = from.keys[i];
    if constexpr (has_values) to.values[j] = from.values[i];
  }

  /// Enough buckets that each fits the cache, if the keys are spread evenly.
  static int split_bits(std::size_t n, int bits) {
    int wanted = 1;
    while (wanted < max_split_bits && (n >> wanted) > cache_elements / 2) ++wanted;
    return std::min(wanted, bits);
  }

  void split(const Piece& piece, std::vector<Piece>& larger, std::vector<Piece>& finished) {
    const std::size_t n = piece.range.size();
    const int digit_bits = split_bits(n, piece.bits);
    const int shift = piece.bits - digit_bits;
    const std::size_t digits = std::size_t{1} << digit_bits;
    const Side from = sides_[piece.side];
    const Side to = sides_[1 - piece.side];
    const std::size_t workers = static_cast<std::size_t>(threads_);
    std::vector<std::size_t> positions(workers * digits, 0);
    const auto part = [&](std::size_t worker) {
      const Range share = share_of(n, worker, workers);
      return Range{piece.range.begin + share.begin, piece.range.begin + share.end};
    };
    run_workers(threads_, [&](int worker) {
      std::vector<std::size_t> count(digits, 0);
      const Range mine = part(static_cast<std::size_t>(worker));
      for (std::size_t i = mine.begin; i < mine.end; ++i) ++count[digit_of(from.keys[i], shift, digit_bits)];
      std::ranges::copy(count, positions.begin() + static_cast<std::ptrdiff_t>(worker * digits));
    });
    std::size_t next = piece.range.begin;
    for (std::size_t digit = 0; digit < digits; ++digit) {
      const std::size_t first = next;
      for (std::size_t worker = 0; worker < workers; ++worker) {
        next += std::exchange(positions[worker * digits + digit], next);
      }
      if (next == first) continue;
      const Piece bucket = {{first, next}, shift, 1 - piece.side};
      (bucket.range.size() <= cache_elements || shift == 0 ? finished : larger).push_back(bucket);
    }
    run_workers(threads_, [&](int worker) {
      std::vector<std::size_t> position(digits);
      std::copy_n(positions.begin() + static_cast<std::ptrdiff_t>(worker * digits), digits, position.begin());
      const Range mine = part(static_cast<std::size_t>(worker));
      for (std::size_t i = mine.begin; i < mine.end; ++i) {
        move(from, i, to, position[digit_of(from.keys[i], shift, digit_bits)]++);
      }
    });
  }

  void finish(const std::vector<Piece>& pieces) {
    for_each_chunk(threads_, pieces.size(), 1, [&](Range range, int) {
      for (std::size_t p = range.begin; p < range.end; ++p) finish(pieces[p]);
    });
  }

  /// Least significant digit first, within the cache, ending in the caller's arrays.
  void finish(const Piece& piece) {
    const int passes = (piece.bits + finish_bits - 1) / finish_bits;
    std::array<std::array<uint32_t, 1 << finish_bits>, max_finish_passes> count{};
    int side = piece.side;
    for (std::size_t i = piece.range.begin; i < piece.range.end && passes > 0; ++i) {
      const Key key = sides_[side].keys[i];
      for (int p = 0; p < passes; ++p) ++count[p][digit_of(key, p * finish_bits, pass_bits(piece, p))];
    }
    for (int p = 0; p < passes; ++p) {
      const Side from = sides_[side];
      const std::size_t some = digit_of(from.keys[piece.range.begin], p * finish_bits, pass_bits(piece, p));
      if (count[p][some] == piece.range.size()) continue;  // all agree in this digit
      finish_pass(piece, p, count[p], side);
      side = 1 - side;
    }
    if (side != 0) copy_back(piece.range);
  }

  static int pass_bits(const Piece& piece, int pass) {
    return std::min(finish_bits, piece.bits - pass * finish_bits);
  }

  void finish_pass(const Piece& piece, int pass, std::array<uint32_t, 1 << finish_bits>& count, int side) {
    uint32_t next = 0;
    for (uint32_t& c : count) next += std::exchange(c, next);
    const Side from = sides_[side];
    const Side to = sides_[1 - side];
    for (std::size_t i = piece.range.begin; i < piece.range.end; ++i) {
      const std::size_t digit = digit_of(from.keys[i], pass * finish_bits, pass_bits(piece, pass));
      move(from, i, to, piece.range.begin + count[digit]++);
    }
  }

  void copy_back(Range range) {
    std::copy_n(sides_[1].keys + range.begin, range.size(), sides_[0].keys + range.begin);
    if constexpr (has_values) {
      std::copy_n(sides_[1].values + range.begin, range.size(), sides_[0].values + range.begin);
    }
  }

  int threads_;
  std::size_t size_;
  Buffer<Key> key_memory_;
  Buffer<Value> value_memory_;
  std::array<Side, 2> sides_;
};

}  // namespace tessera::detail::host
