// Corners: the vertices of an edge or a face from its id, in an explicit enumeration.
//
// The enumeration goes from vertices to ids: edge_offsets[a] is the first edge of vertex a. The way back is
// to know the row an id lies in. Every 32nd id keeps its row as a mark, and each id how many rows it is
// beyond the mark before it:
//
//   edges           0 1 2 3 ... 31 | 32 33 ...
//   their vertices  a a b c ...  k |  k  l             marks a, k; steps 0 0 1 2 ... | 0 1 ...
//
// A byte an edge and a face, where the vertices themselves would be 8 and 12, and two loads without a branch
// that could be guessed wrong. These are always inlined: a call would return the vertices through the stack,
// written as numbers and read back as a pair, which stalls for longer than all the rest takes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/array.h>
#include <tessera/tile/detail/enumeration_part.h>

namespace tessera::detail {

/// For each position of a list of rows, the row it lies in.
class RowOfPosition {
 public:
  RowOfPosition() = default;
  /// `offsets` must outlive it. O(rows + positions).
  explicit RowOfPosition(std::span<const std::uint32_t> offsets) : offsets_(offsets) {
    marks_.resize((offsets.back() >> spacing) + 1);
    steps_.resize(offsets.back());
    for (std::uint32_t row = 0; row + 1 < offsets.size(); ++row) {
      for (std::uint32_t i = offsets[row]; i < offsets[row + 1]; ++i) {
        std::uint32_t& mark = marks_[i >> spacing];
        if ((i & ((1u << spacing) - 1)) == 0) mark = row;
        steps_[i] = static_cast<std::uint8_t>(std::min(row - mark, too_far));
      }
    }
  }

  [[nodiscard, gnu::always_inline]] inline std::uint32_t operator[](std::uint32_t position) const {
    const std::uint32_t mark = marks_[position >> spacing];
    if (steps_[position] < too_far) [[likely]]
      return mark + steps_[position];
    // Many empty rows.
    const auto after = std::upper_bound(offsets_.begin() + mark, offsets_.end(), position);
    return static_cast<std::uint32_t>(after - offsets_.begin()) - 1;
  }
  [[nodiscard]] std::size_t bytes() const { return 4 * marks_.size() + steps_.size(); }

 private:
  static constexpr int spacing = 5;
  static constexpr std::uint32_t too_far = 255;

  std::span<const std::uint32_t> offsets_;
  Array<std::uint32_t> marks_;
  Array<std::uint8_t> steps_;
};

/// The vertices of edges and, in space, of faces, ascending, and the faces' lowest edges.
class Corners {
 public:
  Corners() = default;
  /// `part` is an explicit enumeration's whole() and must outlive it.
  explicit Corners(const EnumerationPart& part)
      : part_(&part), vertex_of_edge_(part.edge_offsets), edge_of_face_(part.face_offsets) {}

  [[nodiscard, gnu::always_inline]] inline std::array<std::uint32_t, 2> edge(std::uint32_t e) const {
    return {vertex_of_edge_[e], part_->edge_hi[e]};
  }
  [[nodiscard]] std::uint32_t lowest_edge(std::uint32_t f) const { return edge_of_face_[f]; }
  [[nodiscard, gnu::always_inline]] inline std::array<std::uint32_t, 3> face(std::uint32_t f) const {
    const auto [a, b] = edge(lowest_edge(f));
    return {a, b, part_->face_hi[f]};
  }
  [[nodiscard]] std::size_t bytes() const { return vertex_of_edge_.bytes() + edge_of_face_.bytes(); }

 private:
  const EnumerationPart* part_ = nullptr;
  RowOfPosition vertex_of_edge_;
  RowOfPosition edge_of_face_;
};

}  // namespace tessera::detail
