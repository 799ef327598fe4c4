// Corners: the vertices of an edge or a face from its id, in an explicit enumeration.
//
// The enumeration goes from vertices to ids: edge_offsets[a] is the first edge of vertex a. The way back is
// to find the row an id lies in. Every eighth id keeps its row, and from there it is a step or two:
//
//   edges           0 1 2 3 4 5 6 7 | 8 9 ...
//   their vertices  a a a b b c c c | c d           mark 0: a, mark 1: c
//
// Half a byte an edge and a face, where the vertices themselves would be 8 and 12.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/array.h>
#include <tessera/tile/enumeration.h>

namespace tessera {

/// For each position of a list of rows, the row it lies in.
class RowOfPosition {
 public:
  RowOfPosition() = default;
  /// `offsets` must outlive it. O(rows).
  explicit RowOfPosition(std::span<const std::uint32_t> offsets) : offsets_(offsets.data()) {
    const std::uint32_t positions = offsets.back();
    marks_.resize((positions >> spacing) + 2);
    marks_.back() = static_cast<std::uint32_t>(offsets.size()) - 2;
    for (std::uint32_t row = 0; row + 1 < offsets.size(); ++row) {
      // The marks in this row: multiples of the spacing in [offsets[row], offsets[row + 1]).
      const std::uint32_t begin = (offsets[row] + (1u << spacing) - 1) >> spacing;
      const std::uint32_t end = (offsets[row + 1] + (1u << spacing) - 1) >> spacing;
      for (std::uint32_t mark = begin; mark < end; ++mark) marks_[mark] = row;
    }
    const std::uint32_t used = (positions + (1u << spacing) - 1) >> spacing;
    std::fill(marks_.begin() + used, marks_.end(), marks_.back());
  }

  [[nodiscard]] std::uint32_t operator[](std::uint32_t position) const {
    const std::uint32_t mark = position >> spacing;
    std::uint32_t row = marks_[mark];
    const std::uint32_t last = marks_[mark + 1];
    if (last - row > 32) {  // empty rows
      return static_cast<std::uint32_t>(std::upper_bound(offsets_ + row + 1, offsets_ + last + 1, position) -
                                        offsets_) -
             1;
    }
    while (offsets_[row + 1] <= position) ++row;
    return row;
  }
  [[nodiscard]] std::size_t bytes() const { return 4 * marks_.size(); }

 private:
  static constexpr int spacing = 3;

  const std::uint32_t* offsets_ = nullptr;
  Array<std::uint32_t> marks_;
};

/// The vertices of edges and, in space, of faces, ascending, and the faces' lowest edges.
class Corners {
 public:
  Corners() = default;
  /// `part` is an explicit enumeration's whole() and must outlive it.
  explicit Corners(const EnumerationPart& part)
      : part_(&part), vertex_of_edge_(part.edge_offsets), edge_of_face_(part.face_offsets) {}

  [[nodiscard]] std::array<std::uint32_t, 2> edge(std::uint32_t e) const {
    return {vertex_of_edge_[e], part_->edge_hi[e]};
  }
  [[nodiscard]] std::uint32_t lowest_edge(std::uint32_t f) const { return edge_of_face_[f]; }
  [[nodiscard]] std::array<std::uint32_t, 3> face(std::uint32_t f) const {
    const auto [a, b] = edge(lowest_edge(f));
    return {a, b, part_->face_hi[f]};
  }
  [[nodiscard]] std::size_t bytes() const { return vertex_of_edge_.bytes() + edge_of_face_.bytes(); }

 private:
  const EnumerationPart* part_ = nullptr;
  RowOfPosition vertex_of_edge_;
  RowOfPosition edge_of_face_;
};

}  // namespace tessera
