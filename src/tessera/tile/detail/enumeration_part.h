// EnumerationPart: the arrays of an enumeration (enumeration.h), of one tile or of the whole mesh.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tessera/core/array.h>
#include <tessera/tile/detail/half_star.h>
#include <tessera/tile/detail/search.h>
#include <tessera/tile/enumeration.h>

namespace tessera::detail {

/// The enumeration of the edges and faces whose lowest vertex lies in an interval: one tile's, or the whole
/// mesh's.
struct EnumerationPart {
  std::uint32_t first_vertex = 0;
  std::uint32_t first_edge = 0;
  std::uint32_t first_face = 0;
  Array<std::uint32_t> edge_offsets = {0};  ///< by vertex, counted from the part's first
  Array<std::uint32_t> edge_hi;
  Array<std::uint32_t> face_offsets = {0};  ///< by edge, counted from the part's first
  Array<std::uint32_t> face_hi;

  /// a < b must be an edge whose lower end lies in the part.
  [[nodiscard]] std::uint32_t edge_id(std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t* row = edge_offsets.data() + (a - first_vertex);
    return first_edge + find_in_row(edge_hi, row, b);
  }
  /// a < b < c must be a face whose lowest vertex lies in the part.
  [[nodiscard]] std::uint32_t face_id(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    return face_above(edge_id(a, b), c);
  }
  /// The face of the edge e = (a, b) and c > b; the edge lies in the part.
  [[nodiscard]] std::uint32_t face_above(std::uint32_t e, std::uint32_t c) const {
    const std::uint32_t* row = face_offsets.data() + (e - first_edge);
    return first_face + find_in_row(face_hi, row, c);
  }
  [[nodiscard]] std::size_t bytes() const {
    return 4 * (edge_offsets.size() + edge_hi.size() + face_offsets.size() + face_hi.size());
  }
};

/// Works out the part of the stars' vertices. Its first_edge and first_face are left 0. Scratch memory is the
/// caller's.
template <int Dim>
void fill_part(const HalfStars<Dim>& stars, UpperStar<Dim>& star, EnumerationPart& part);

}  // namespace tessera::detail
