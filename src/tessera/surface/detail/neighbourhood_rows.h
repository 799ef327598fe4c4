// Neighbourhoods (neighbourhoods.h) on either side. A batch of elements has its rows as one sorted list of
// keys: the place of the element in the batch, and below it the vertex. A step expands the keys that are new
// through VV, sorts and unites them, and merges those that are not there yet into the list.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/core/macros.h>
#include <tessera/core/vec.h>
#include <tessera/exec/buffer.h>
#include <tessera/exec/primitives.h>
#include <tessera/surface/neighbourhoods.h>
#include <tessera/surface/surface.h>

namespace tessera::detail {

/// How keys are made.
struct RingKeys {
  int shift;  ///< the bits of a vertex

  [[nodiscard]] TS_HD std::uint64_t key(std::uint64_t row, std::uint32_t v) const { return row << shift | v; }
  [[nodiscard]] TS_HD std::uint64_t row(std::uint64_t key) const { return key >> shift; }
  [[nodiscard]] TS_HD std::uint32_t vertex(std::uint64_t key) const {
    return static_cast<std::uint32_t>(key & ((std::uint64_t{1} << shift) - 1));
  }
};

/// The own vertices of the elements of a batch.
struct RingElements {
  const std::uint32_t* ids;  ///< null: first, first + 1, ...
  std::uint32_t first;
  const std::uint32_t* corners;  ///< of all elements of the kind; null for vertices
  std::uint32_t width;

  [[nodiscard]] TS_HD std::uint32_t own(std::uint64_t row, std::uint32_t corner) const {
    const std::uint32_t id = ids != nullptr ? ids[row] : first + static_cast<std::uint32_t>(row);
    return corners != nullptr ? corners[std::size_t{id} * width + corner] : id;
  }
};

/// The number of keys below one.
[[nodiscard]] TS_HD inline std::size_t rank_of(const std::uint64_t* keys, std::size_t count,
                                               std::uint64_t key) {
  std::size_t low = 0;
  for (std::size_t n = count; n > 0;) {
    const std::size_t half = n / 2;
    const bool right = keys[low + half] < key;
    low = right ? low + half + 1 : low;
    n = right ? n - half - 1 : half;
  }
  return low;
}

struct OwnKeys {
  RingKeys form;
  RingElements elements;
  std::uint64_t* keys;

  TS_HD void operator()(std::size_t i) const {
    const std::size_t row = i / elements.width;
    keys[i] = form.key(row, elements.own(row, static_cast<std::uint32_t>(i - row * elements.width)));
  }
};

struct CountNeighbours {
  RingKeys form;
  SurfaceRows<VV> rows;
  const std::uint64_t* keys;
  std::uint32_t* counts;

  TS_HD void operator()(std::size_t i) const {
    counts[i] = static_cast<std::uint32_t>(rows[tiled::VertexId(form.vertex(keys[i]))].size());
  }
};

struct ExpandKeys {
  RingKeys form;
  SurfaceRows<VV> rows;
  RingElements elements;
  const Vec3d* positions;  ///< null: any distance
  double squared_radius;
  std::uint64_t
      outside;  ///< what takes the place of a key of a vertex that is too far: higher than all others
  const std::uint64_t* keys;
  const std::uint64_t* offsets;
  std::uint64_t* out;

  TS_HD void operator()(std::size_t i) const {
    const std::uint64_t row = form.row(keys[i]);
    std::uint64_t* to = out + offsets[i];
    for (const tiled::VertexId v : rows[tiled::VertexId(form.vertex(keys[i]))])
      *to++ = is_inside(row, v.index()) ? form.key(row, v.index()) : outside;
  }

  [[nodiscard]] TS_HD bool is_inside(std::uint64_t row, std::uint32_t v) const {
    if (positions == nullptr) return true;
    const Vec3d apart = positions[v] - positions[elements.own(row, 0)];
    return dot(apart, apart) <= squared_radius;
  }
};

struct FlagNewKeys {
  const std::uint64_t* known;
  std::size_t known_count;
  std::uint64_t outside;
  const std::uint64_t* keys;
  std::uint8_t* flags;

  TS_HD void operator()(std::size_t i) const {
    const std::size_t place = rank_of(known, known_count, keys[i]);
    const bool is_known = place < known_count && known[place] == keys[i];
    flags[i] = keys[i] != outside && !is_known ? 1 : 0;
  }
};

struct FlagForeignKeys {
  RingKeys form;
  RingElements elements;
  const std::uint64_t* keys;
  std::uint8_t* flags;

  TS_HD void operator()(std::size_t i) const {
    const std::uint64_t row = form.row(keys[i]);
    flags[i] = 1;
    for (std::uint32_t c = 0; c < elements.width; ++c) {
      if (elements.own(row, c) == form.vertex(keys[i])) flags[i] = 0;
    }
  }
};

/// Puts keys where they belong in the list that they and others, which are different, make together.
struct MergeKeys {
  const std::uint64_t* keys;
  const std::uint64_t* others;
  std::size_t other_count;
  std::uint64_t* out;

  TS_HD void operator()(std::size_t i) const { out[i + rank_of(others, other_count, keys[i])] = keys[i]; }
};

struct FindRowBegins {
  RingKeys form;
  const std::uint64_t* keys;
  std::size_t count;
  std::uint32_t* offsets;
  std::uint32_t before;  ///< entries of earlier batches

  TS_HD void operator()(std::size_t row) const {
    offsets[row] = before + static_cast<std::uint32_t>(rank_of(keys, count, form.key(row, 0)));
  }
};

struct TakeVertices {
  RingKeys form;
  const std::uint64_t* keys;
  std::uint32_t* values;

  TS_HD void operator()(std::size_t i) const { values[i] = form.vertex(keys[i]); }
};

struct CopyNumbers {
  const std::uint32_t* from;
  std::uint32_t* to;

  TS_HD void operator()(std::size_t i) const { to[i] = from[i]; }
};

/// What is asked for.
struct RingJob {
  const Surface& surface;
  Kind from;
  std::uint32_t steps;
  const Vec3d* positions;  ///< at the surface's place; null: any distance
  double squared_radius;
  const NeighbourhoodOptions& options;
};

template <class Side>
class RingMaker {
 public:
  RingMaker(const Side& side, const RingJob& job)
      : side_(side),
        job_(job),
        allowed_(job.options.memory == 0 ? ~Bytes{0} : job.options.memory),
        form_{std::max(1, bits_in_use(job.surface.vertex_count()))},
        neighbours_(job.surface.rows<VV>()),
        rows_(neighbours_.template get<VV>()) {
    if (job.from == Kind::edge) use_corners(edges_, job.surface.rows<EV>());
    if (job.from == Kind::face) use_corners(faces_, job.surface.rows<FV>());
  }

  [[nodiscard]] Neighbourhoods make() {
    const auto& list = job_.options.elements;
    const std::size_t count = list.has_value() ? list->size() : job_.surface.count(job_.from);
    offsets_ = Buffer<std::uint32_t>(exec(), count + 1);
    std::size_t batch = std::min<std::size_t>(count, 65536);
    for (std::size_t begin = 0; begin < count;) {
      batch = std::min(batch, count - begin);
      if (const auto keys = make_batch(begin, batch)) {
        take(*keys, begin, batch);
        begin += batch;
        if (needed_ < allowed_ / 4) batch *= 2;
        report(static_cast<double>(begin) / static_cast<double>(count));
      } else {
        if (batch == 1) refuse();
        batch /= 2;
      }
    }
    const std::uint32_t end = checked_offset(total_);
    detail::copy(exec(), offsets_.data() + count, &end, sizeof(end), CopyKind::to_device);
    return {std::move(offsets_), gather_pieces()};
  }

 private:
  /// Keys, of which only the first are there.
  struct Keys {
    Buffer<std::uint64_t> buffer;
    std::size_t count = 0;
    [[nodiscard]] std::span<const std::uint64_t> span() const { return buffer.span().first(count); }
    [[nodiscard]] const std::uint64_t* data() const { return buffer.data(); }
  };

  [[nodiscard]] const Exec& exec() const { return side_.exec; }

  template <class R>
  void use_corners(std::optional<RowsOf<R>>& kept, RowsOf<R> rows) {
    kept = std::move(rows);
    corners_ = kept->template get<R>().values();
    width_ = SurfaceRows<R>::width;
  }

  void report(double fraction) const {
    if (job_.options.monitor != nullptr) job_.options.monitor->update("gathering neighbours", fraction);
  }

  [[noreturn]] void refuse() const {
    throw Error(exec().is_cuda() ? ErrorCode::out_of_device_memory : ErrorCode::out_of_memory,
                "the neighbourhood of one element takes " + format_bytes(needed_) + ", but only " +
                    format_bytes(job_.options.memory) + " are allowed; allow more, or ask for a smaller one");
  }

  /// Is there room for a step with so many keys?
  [[nodiscard]] bool fits(std::size_t expanded, std::size_t known) {
    // Expanded keys, their copy to sort them by, those that are left and flags; the list before and after.
    needed_ = std::max<Bytes>(needed_, Bytes{expanded} * 25 + Bytes{known} * 16);
    return needed_ <= allowed_;
  }

  [[nodiscard]] RingElements elements(std::size_t begin) const {
    const auto& list = job_.options.elements;
    return {list.has_value() ? list->data() + begin : nullptr, static_cast<std::uint32_t>(begin), corners_,
            width_};
  }

  /// The sorted keys of some elements; none if they need more memory than is allowed.
  [[nodiscard]] std::optional<Keys> make_batch(std::size_t begin, std::size_t count) {
    needed_ = 0;
    const RingElements batch = elements(begin);
    const std::size_t own = count * width_;
    if (!fits(own, own)) return std::nullopt;
    Keys known = {Buffer<std::uint64_t>(exec(), own), own};
    side_.for_each(own, OwnKeys{form_, batch, known.buffer.data()});
    Keys fresh = {Buffer<std::uint64_t>(exec(), own), own};
    side_.for_each(own, OwnKeys{form_, batch, fresh.buffer.data()});
    for (std::uint32_t step = 0; step < job_.steps && fresh.count > 0; ++step) {
      std::optional<Keys> expanded = expand(fresh, batch, count, known.count);
      if (!expanded.has_value()) return std::nullopt;
      fresh = take_new(std::move(*expanded), known, form_.key(count, 0));
      if (fresh.count > 0) known = merge(known, fresh);
    }
    return job_.options.with_own ? std::move(known) : without_own(known, batch);
  }

  [[nodiscard]] std::optional<Keys> expand(const Keys& keys, const RingElements& batch, std::size_t rows,
                                           std::size_t known) {
    Buffer<std::uint32_t> counts(exec(), keys.count);
    side_.for_each(keys.count, CountNeighbours{form_, rows_, keys.data(), counts.data()});
    Buffer<std::uint64_t> offsets(exec(), keys.count + 1);
    exclusive_scan(exec(), std::span<const std::uint32_t>(counts.span()), offsets.span());
    std::uint64_t total = 0;
    detail::copy(exec(), &total, offsets.data() + keys.count, sizeof(total), CopyKind::to_host);
    if (!fits(total, known + total)) return std::nullopt;
    const std::uint64_t outside = form_.key(rows, 0);
    Buffer<std::uint64_t> out(exec(), total);
    side_.for_each(keys.count, ExpandKeys{form_, rows_, batch, job_.positions, job_.squared_radius, outside,
                                          keys.data(), offsets.data(), out.data()});
    sort_keys(exec(), out.span(), bits_in_use(outside));
    Buffer<std::uint64_t> once(exec(), total);
    const std::size_t left = unique(exec(), std::span<const std::uint64_t>(out.span()), once.span());
    return Keys{std::move(once), left};
  }

  [[nodiscard]] Keys take_new(Keys keys, const Keys& known, std::uint64_t outside) const {
    Buffer<std::uint8_t> flags(exec(), keys.count);
    side_.for_each(keys.count, FlagNewKeys{known.data(), known.count, outside, keys.data(), flags.data()});
    return flagged(keys, flags);
  }

  [[nodiscard]] Keys without_own(const Keys& keys, const RingElements& batch) const {
    Buffer<std::uint8_t> flags(exec(), keys.count);
    side_.for_each(keys.count, FlagForeignKeys{form_, batch, keys.data(), flags.data()});
    return flagged(keys, flags);
  }

  [[nodiscard]] Keys flagged(const Keys& keys, const Buffer<std::uint8_t>& flags) const {
    Keys out = {Buffer<std::uint64_t>(exec(), keys.count), 0};
    out.count = compact(exec(), keys.span(), std::span<const std::uint8_t>(flags.span()), out.buffer.span());
    return out;
  }

  [[nodiscard]] Keys merge(const Keys& a, const Keys& b) const {
    Keys out = {Buffer<std::uint64_t>(exec(), a.count + b.count), a.count + b.count};
    side_.for_each(a.count, MergeKeys{a.data(), b.data(), b.count, out.buffer.data()});
    side_.for_each(b.count, MergeKeys{b.data(), a.data(), a.count, out.buffer.data()});
    return out;
  }

  /// Keeps the rows of a batch.
  void take(const Keys& keys, std::size_t begin, std::size_t count) {
    const std::uint32_t before = checked_offset(total_);
    (void)checked_offset(total_ + keys.count);
    side_.for_each(count, FindRowBegins{form_, keys.data(), keys.count, offsets_.data() + begin, before});
    Buffer<std::uint32_t> values(exec(), keys.count);
    side_.for_each(keys.count, TakeVertices{form_, keys.data(), values.data()});
    pieces_.push_back(std::move(values));
    total_ += keys.count;
  }

  [[nodiscard]] Buffer<std::uint32_t> gather_pieces() {
    if (pieces_.size() == 1) return std::move(pieces_[0]);
    Buffer<std::uint32_t> values(exec(), total_);
    std::size_t at = 0;
    for (Buffer<std::uint32_t>& piece : pieces_) {
      side_.for_each(piece.size(), CopyNumbers{piece.data(), values.data() + at});
      at += piece.size();
      piece = {};
    }
    return values;
  }

  const Side& side_;
  const RingJob& job_;
  Bytes allowed_;
  RingKeys form_;
  RowsOf<VV> neighbours_;
  SurfaceRows<VV> rows_;
  std::optional<RowsOf<EV>> edges_;
  std::optional<RowsOf<FV>> faces_;
  const std::uint32_t* corners_ = nullptr;
  std::uint32_t width_ = 1;
  Bytes needed_ = 0;
  Buffer<std::uint32_t> offsets_;
  std::vector<Buffer<std::uint32_t>> pieces_;
  std::uint64_t total_ = 0;
};

template <class Side>
[[nodiscard]] Neighbourhoods make_neighbourhoods(const Side& side, const RingJob& job) {
  return RingMaker<Side>(side, job).make();
}

}  // namespace tessera::detail
