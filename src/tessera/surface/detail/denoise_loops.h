// Bilateral denoising, on either side.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <tessera/core/detail/monitor.h>
#include <tessera/core/macros.h>
#include <tessera/core/memory.h>
#include <tessera/exec/buffer.h>
#include <tessera/exec/detail/side.h>
#include <tessera/surface/denoise.h>
#include <tessera/surface/detail/exp.h>
#include <tessera/surface/detail/move_points.h>
#include <tessera/surface/detail/normals_loops.h>

namespace tessera::detail {

// Neighbourhoods while they are walked over, in the order in which vertices are met. There are three kinds of
// lists, which differ in where they lie and in how they find what is there already.

/// Small, for a thread of a device: what is there is searched one by one.
class SmallList {
 public:
  static constexpr std::uint32_t capacity = 48;

  /// Need nobody look at it again?
  [[nodiscard]] TS_HD bool is_known(std::uint32_t v) const {
    for (std::uint32_t i = 0; i < size_; ++i) {
      if (ids_[i] == v) return true;
    }
    return false;
  }
  /// Of what is not known; false if there is no room.
  [[nodiscard]] TS_HD bool add(std::uint32_t v) {
    if (size_ == capacity) return false;
    ids_[size_++] = v;
    return true;
  }
  [[nodiscard]] TS_HD std::uint32_t size() const { return size_; }
  [[nodiscard]] TS_HD std::uint32_t operator[](std::uint32_t i) const { return ids_[i]; }

 private:
  std::uint32_t ids_[capacity];
  std::uint32_t size_ = 0;
};

/// Small, for a thread of the host. Whether a vertex was met is a flag, because neighbours have ids that
/// are near; the few others are searched. Vertices that were met and left out are known, too.
class NearList {
 public:
  static constexpr std::uint32_t capacity = 96;

  explicit NearList(std::uint32_t v) : first_(v - window / 2) {}

  [[nodiscard]] bool is_known(std::uint32_t v) {
    const std::uint32_t at = v - first_;
    if (at >= window) return is_known_far(v);
    return std::exchange(met_[at], std::uint8_t{1}) != 0;
  }
  /// Adds those of `row` that are new and for which keep(id) holds; false if there may be no room. No
  /// branches: which ones are new cannot be predicted.
  template <class Keep>
  [[nodiscard]] bool add(std::span<const std::uint32_t> row, const Keep& keep) {
    if (row.size() >= capacity - size_ || far_count_ + row.size() >= max_far) return false;
    std::uint32_t size = size_;
    for (const std::uint32_t v : row) {
      ids_[size] = v;
      const std::uint32_t is_new = is_known(v) ? 0 : 1;
      size += keep(v) ? is_new : 0;
    }
    size_ = size;
    return true;
  }
  [[nodiscard]] TS_HD std::uint32_t size() const { return size_; }
  [[nodiscard]] TS_HD std::uint32_t operator[](std::uint32_t i) const { return ids_[i]; }

 private:
  static constexpr std::uint32_t window = 2048;
  static constexpr std::uint32_t max_far = 96;

  [[nodiscard]] bool is_known_far(std::uint32_t v) {
    const auto end = far_.begin() + far_count_;
    if (std::find(far_.begin(), end, v) != end) return true;
    far_[far_count_++] = v;
    return false;
  }

  std::uint32_t first_;  ///< of the window
  std::uint32_t size_ = 0;
  std::uint32_t far_count_ = 0;
  std::array<std::uint8_t, window> met_ = {};
  std::uint32_t ids_[capacity];
  std::array<std::uint32_t, max_far> far_;
};

/// Large: in memory of others, found by hash.
class LargeList {
 public:
  static constexpr std::uint32_t none = 0xFFFFFFFFu;

  /// `memory` has 3 numbers for each of `capacity`, a power of two.
  TS_HD LargeList(std::uint32_t* memory, std::uint32_t capacity)
      : ids_(memory), table_(memory + capacity), capacity_(capacity) {
    for (std::uint32_t i = 0; i < 2 * capacity; ++i) table_[i] = none;
  }
  [[nodiscard]] TS_HD bool is_known(std::uint32_t v) const { return table_[place_of(v)] == v; }
  [[nodiscard]] TS_HD bool add(std::uint32_t v) {
    if (size_ == capacity_) return false;
    table_[place_of(v)] = v;
    ids_[size_++] = v;
    return true;
  }
  [[nodiscard]] TS_HD std::uint32_t size() const { return size_; }
  [[nodiscard]] TS_HD std::uint32_t operator[](std::uint32_t i) const { return ids_[i]; }

 private:
  /// Where it is, or would be.
  [[nodiscard]] TS_HD std::uint32_t place_of(std::uint32_t v) const {
    const std::uint32_t mask = 2 * capacity_ - 1;
    std::uint32_t at = (v * 0x9E3779B1u) & mask;
    while (table_[at] != none && table_[at] != v) at = (at + 1) & mask;
    return at;
  }

  std::uint32_t* ids_;
  std::uint32_t* table_;
  std::uint32_t capacity_;
  std::uint32_t size_ = 0;
};

struct Bilateral {
  const std::uint32_t* offsets;
  const std::uint32_t* values;  ///< of VV
  const Vec3d* from;
  const Vec3d* normals;
  Vec3d* to;
  double sigma_c;
  double sigma_s;  ///< 0: from the offsets

  /// The vertices within 2 sigma_c, itself the first; false if the list is too small.
  template <class List>
  [[nodiscard]] TS_HD bool collect(std::uint32_t v, List& list) const {
    const double radius = 4 * sigma_c * sigma_c;
    const Vec3d at = from[v];
    if (list.is_known(v) || !list.add(v)) return false;
    for (std::uint32_t k = 0; k < list.size(); ++k) {
      const std::uint32_t end = offsets[list[k] + 1];
      for (std::uint32_t i = offsets[list[k]]; i < end; ++i) {
        if (list.is_known(values[i])) continue;
        const Vec3d apart = from[values[i]] - at;
        if (dot(apart, apart) <= radius && !list.add(values[i])) return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool collect(std::uint32_t v, NearList& list) const {
    const auto is_near = [points = from, at = from[v], radius = 4 * sigma_c * sigma_c](std::uint32_t other) {
      const Vec3d apart = points[other] - at;
      return dot(apart, apart) <= radius;
    };
    bool fits = list.add({&v, 1}, [](std::uint32_t) { return true; });
    for (std::uint32_t k = 0; fits && k < list.size(); ++k) {
      const std::uint32_t begin = offsets[list[k]];
      fits = list.add({values + begin, offsets[list[k] + 1] - begin}, is_near);
    }
    return fits;
  }

  [[nodiscard]] TS_HD double offset(std::uint32_t v, std::uint32_t other) const {
    return dot(normals[v], from[other] - from[v]);
  }

  /// The variance of the offsets.
  template <class List>
  [[nodiscard]] TS_HD double variance(std::uint32_t v, const List& list) const {
    if (sigma_s > 0) return sigma_s * sigma_s;
    double sum = 0;
    for (std::uint32_t k = 1; k < list.size(); ++k) sum += offset(v, list[k]);
    const double mean = sum / (list.size() - 1);
    double squares = 0;
    for (std::uint32_t k = 1; k < list.size(); ++k) {
      const double apart = offset(v, list[k]) - mean;
      squares += apart * apart;
    }
    return squares / (list.size() - 1);
  }

  template <class List>
  TS_HD void move(std::uint32_t v, const List& list) const {
    to[v] = from[v];
    if (list.size() < 2) return;
    const double spread = variance(v, list);
    double sum = 0;
    double weights = 0;
    for (std::uint32_t k = 1; k < list.size(); ++k) {
      const Vec3d apart = from[list[k]] - from[v];
      const double h = dot(normals[v], apart);
      const double closeness = dot(apart, apart) / (2 * sigma_c * sigma_c);
      const double likeness = spread > 0 ? h * h / (2 * spread) : 0;
      const double weight = portable_exp(-(closeness + likeness));
      sum += weight * h;
      weights += weight;
    }
    if (weights > 0) to[v] = from[v] + (sum / weights) * normals[v];
  }

  /// The same sums in the same order, with the exponentials between them all at once.
  void move(std::uint32_t v, const NearList& list) const {
    to[v] = from[v];
    const std::uint32_t size = list.size();
    if (size < 2) return;
    const double spread = variance(v, list);
    std::array<double, NearList::capacity> h;
    std::array<double, NearList::capacity> weight;
    for (std::uint32_t k = 1; k < size; ++k) {
      const Vec3d apart = from[list[k]] - from[v];
      h[k] = dot(normals[v], apart);
      const double closeness = dot(apart, apart) / (2 * sigma_c * sigma_c);
      const double likeness = spread > 0 ? h[k] * h[k] / (2 * spread) : 0;
      weight[k] = -(closeness + likeness);
    }
    for (std::uint32_t k = 1; k < size; ++k) weight[k] = portable_exp(weight[k]);
    double sum = 0;
    double weights = 0;
    for (std::uint32_t k = 1; k < size; ++k) {
      sum += weight[k] * h[k];
      weights += weight[k];
    }
    if (weights > 0) to[v] = from[v] + (sum / weights) * normals[v];
  }
};

/// On a device.
struct DenoiseSmall {
  Bilateral filter;
  std::uint8_t* is_large;

  TS_HD void operator()(std::size_t i) const {
    const auto v = static_cast<std::uint32_t>(i);
    SmallList list;
    const bool fits = filter.collect(v, list);
    is_large[v] = fits ? 0 : 1;
    if (fits) filter.move(v, list);
  }
};

/// On the host.
struct DenoiseNear {
  Bilateral filter;
  std::uint8_t* is_large;

  void operator()(std::size_t i) const {
    const auto v = static_cast<std::uint32_t>(i);
    NearList list(v);
    const bool fits = filter.collect(v, list);
    is_large[v] = fits ? 0 : 1;
    if (fits) filter.move(v, list);
  }
};

/// Some of the vertices whose neighbourhoods are large, with memory for each.
struct DenoiseLarge {
  Bilateral filter;
  const std::uint32_t* vertices;
  std::uint32_t* memory;
  std::uint32_t capacity;
  std::uint8_t* is_large;

  TS_HD void operator()(std::size_t i) const {
    const std::uint32_t v = vertices[i];
    LargeList list(memory + i * 3 * capacity, capacity);
    const bool fits = filter.collect(v, list);
    is_large[v] = fits ? 0 : 1;
    if (fits) filter.move(v, list);
  }
};

struct LargeCount {
  const std::uint8_t* is_large;
  TS_HD std::uint32_t operator()(std::size_t v) const { return is_large[v]; }
};

/// Those that did not fit, in lists that grow until all do.
template <class Side>
void denoise_large(const Side& side, std::size_t vertices, const Bilateral& filter,
                   Buffer<std::uint8_t>& is_large) {
  const std::size_t memory_at_once = side.exec.is_cuda() ? mib(256) : mib(16);  // unless one takes more
  const auto all = static_cast<std::uint32_t>(std::bit_ceil(vertices));
  for (std::uint32_t capacity = 512;; capacity = std::min(8 * capacity, all)) {
    if (side.reduce(vertices, 0U, LargeCount{is_large.data()}, AddCounts{}) == 0) return;
    const Array<std::uint8_t> flags = is_large.to_host();
    Array<std::uint32_t> list;
    for (std::size_t v = 0; v < vertices; ++v) {
      if (flags[v] != 0) list.push_back(static_cast<std::uint32_t>(v));
    }
    const std::size_t each = 3 * sizeof(std::uint32_t) * std::size_t{capacity};
    const std::size_t at_once = std::clamp<std::size_t>(memory_at_once / each, 1, list.size());
    const Buffer<std::uint32_t> pending(side.exec, std::span<const std::uint32_t>(list));
    Buffer<std::uint32_t> memory(side.exec, at_once * 3 * capacity);
    for (std::size_t begin = 0; begin < list.size(); begin += at_once) {
      side.for_each(std::min(at_once, list.size() - begin),
                    DenoiseLarge{filter, pending.data() + begin, memory.data(), capacity, is_large.data()});
    }
  }
}

template <class Side>
[[nodiscard]] double denoise_points(const Side& side, VertexAttribute<Vec3d>& positions,
                                    const DenoiseOptions& options) {
  const Surface& surface = positions.surface();
  const std::size_t vertices = positions.size();
  const Monitor& monitor = monitor_of(options.monitor);
  Vec3d* from = positions.view().data();
  const double sigma_c = options.sigma_c > 0 ? options.sigma_c : median_edge_length(side, surface, from);
  const auto rows = surface.rows<VV, VF, OrientedFV>();
  const auto vv = rows.template get<VV>();
  Buffer<Vec3d> other(side.exec, vertices);
  Buffer<Vec3d> normals(side.exec, vertices);
  Buffer<std::uint8_t> is_large(side.exec, vertices);
  Vec3d* to = other.data();
  using Denoise = std::conditional_t<std::is_same_v<Side, HostSide>, DenoiseNear, DenoiseSmall>;
  for (int k = 0; k < options.iterations && sigma_c > 0; ++k) {
    monitor.update("denoising", static_cast<double>(k) / options.iterations);
    make_vertex_normals(side, vertices, FaceStars(rows), from, normals.data(), NormalWeights::area);
    const Bilateral filter = {vv.offsets(), vv.values(), from, normals.data(), to, sigma_c, options.sigma_s};
    side.for_each(vertices, Denoise{filter, is_large.data()});
    denoise_large(side, vertices, filter, is_large);
    std::swap(from, to);
  }
  if (from == other.data()) side.for_each(vertices, CopyPoints{from, to});
  monitor.update("denoising", 1);
  return sigma_c;
}

}  // namespace tessera::detail
