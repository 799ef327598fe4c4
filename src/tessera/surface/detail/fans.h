// The fans of triangles or polygons around one vertex, on either side.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/id.h>
#include <tessera/core/macros.h>
#include <tessera/generate/detail/common/small_sort.h>
#include <tessera/mesh/mesh.h>

namespace tessera::detail {

/// What a fan becomes in the dual, as the lists of PolyData.
enum class FanKind : std::uint8_t { single = 0, open = 1, closed = 2 };

/// A face at a vertex, between the corners before and after it.
struct FanCorner {
  FaceId face;
  VertexId previous;
  VertexId next;
  bool is_sound;  ///< else it takes no part
};

/// Gives the corner of triangle f at v.
struct TriangleCorners {
  const TriMesh::Cell* cells;

  TS_HD FanCorner operator()(FaceId f, VertexId v) const {
    const TriMesh::Cell t = cells[f.index()];
    const std::size_t at = t[0] == v ? 0 : t[1] == v ? 1 : 2;
    return {f, t[(at + 2) % 3], t[(at + 1) % 3], t[0] != t[1] && t[1] != t[2] && t[2] != t[0]};
  }
};

/// A face at the vertex: who is beyond its edge to the previous corner, through which one leaves when
/// going around counter-clockwise, and beyond that to the next corner.
struct Wedge {
  std::array<std::uint32_t, 2> beyond;
  FaceId face;
  std::uint32_t is_done;
};

/// Walks the fans around one vertex. Works in the caller's memory: a wedge and two sides for each face.
class FanWalker {
 public:
  static constexpr std::uint32_t none = 0xFFFFFFFFu;

  /// `corners(item, v)` gives the FanCorner of each item around v.
  template <class Corners, class Item>
  TS_HD FanWalker(const Corners& corners, VertexId v, std::span<const Item> around, Wedge* wedges,
                  std::uint64_t* sides)
      : wedges_(wedges) {
    for (const Item item : around) collect(corners(item, v), sides);
    sort_few(sides, sides + 2 * std::size_t{count_});
    pair_up(sides);
  }

  /// A fan: its faces from the first on, by way of the second.
  struct Fan {
    FanKind kind;
    std::uint32_t size;
    std::uint32_t first;
    std::uint32_t second;
  };
  /// Calls emit(fan) for each of them, by ascending lowest face.
  template <class Emit>
  TS_HD void walk(const Emit& emit) {
    for (std::uint32_t start = 0; start < count_; ++start) {
      if (wedges_[start].is_done == 0) emit(follow(start));
    }
  }
  /// Calls visit(place, face) along a fan.
  template <class Visit>
  TS_HD void visit(const Fan& fan, const Visit& visit) const {
    std::uint32_t from = fan.first;
    visit(0u, wedges_[from].face);
    std::uint32_t at = fan.second;
    for (std::uint32_t place = 1; place < fan.size; ++place) {
      visit(place, wedges_[at].face);
      const std::uint32_t next = beyond(at, from);
      from = at;
      at = next;
    }
  }

 private:
  TS_HD void collect(const FanCorner& corner, std::uint64_t* sides) {
    if (!corner.is_sound) return;
    const std::uint64_t wedge = count_++;
    wedges_[wedge] = {{none, none}, corner.face, 0};
    sides[2 * wedge] = std::uint64_t{corner.previous.index()} << 32 | 2 * wedge;
    sides[2 * wedge + 1] = std::uint64_t{corner.next.index()} << 32 | (2 * wedge + 1);
  }

  /// Two wedges are neighbours if just they share an edge.
  TS_HD void pair_up(const std::uint64_t* sides) {
    const std::size_t size = 2 * std::size_t{count_};
    for (std::size_t i = 0; i < size;) {
      std::size_t end = i + 1;
      while (end < size && sides[end] >> 32 == sides[i] >> 32) ++end;
      if (end - i == 2) {
        const auto a = static_cast<std::uint32_t>(sides[i]);
        const auto b = static_cast<std::uint32_t>(sides[i + 1]);
        wedges_[a / 2].beyond[a % 2] = b / 2;
        wedges_[b / 2].beyond[b % 2] = a / 2;
      }
      i = end;
    }
  }

  /// Who is beyond the other edge. A face that is turned the other way is left through its other edge.
  [[nodiscard]] TS_HD std::uint32_t beyond(std::uint32_t at, std::uint32_t from) const {
    const auto& both = wedges_[at].beyond;
    return both[0] == from ? both[1] : both[0];
  }

  /// The fan of a wedge, which is its lowest: it begins there if it closes, else where it ends backward.
  [[nodiscard]] TS_HD Fan follow(std::uint32_t start) {
    wedges_[start].is_done = 1;
    std::uint32_t size = 1;
    const std::uint32_t after = wedges_[start].beyond[0];
    std::uint32_t from = start;
    for (std::uint32_t at = after; at != none; ++size) {
      wedges_[at].is_done = 1;
      const std::uint32_t next = beyond(at, from);
      if (next == start) return {++size > 2 ? FanKind::closed : FanKind::open, size, start, after};
      from = at;
      at = next;
    }
    std::uint32_t first = start;
    std::uint32_t second = after;
    for (std::uint32_t at = wedges_[start].beyond[1]; at != none; ++size) {
      wedges_[at].is_done = 1;
      const std::uint32_t next = beyond(at, first);
      second = first;
      first = at;
      at = next;
    }
    return {size == 1 ? FanKind::single : FanKind::open, size, first, second};
  }

  Wedge* wedges_;
  std::uint32_t count_ = 0;
};

/// The rule of the dual's points: the middles of the triangles.
struct CentroidRule {
  const TriMesh::Cell* cells;

  template <class Take>
  TS_HD void operator()(std::size_t triangle, const Take& take) const {
    for (std::size_t c = 0; c < 3; ++c) take(cells[triangle][c].index(), 1.0 / 3);
  }
};

}  // namespace tessera::detail
