// What kind of vertex a vertex of a grid is: its neighbours of lower order are a mask of 14 bits
// (grid_neighbours.h), and the mask says it.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/macros.h>
#include <tessera/mesh/detail/grid_neighbours.h>
#include <tessera/topology/critical_type.h>

namespace tessera::detail {

/// Pieces of the parts of the link that masks name.
class GridPieces {
 public:
  GridPieces() {
    for (std::uint32_t mask = 0; mask < pieces_.size(); ++mask) pieces_[mask] = count(mask);
  }
  /// By mask.
  [[nodiscard]] std::span<const std::uint8_t> all() const { return pieces_; }

 private:
  /// One more than without the piece of the lowest neighbour, which has been counted.
  [[nodiscard]] std::uint8_t count(std::uint32_t mask) const {
    if (mask == 0) return 0;
    std::uint32_t left = mask;
    std::uint32_t front = left & (~left + 1);
    left ^= front;
    while (front != 0) {
      const std::uint32_t found = grid_link[static_cast<std::size_t>(std::countr_zero(front))] & left;
      front &= front - 1;
      left ^= found;
      front |= found;
    }
    return static_cast<std::uint8_t>(pieces_[left] + 1);
  }

  std::array<std::uint8_t, std::size_t{1} << grid_neighbours> pieces_ = {};
};

/// What kind of vertex it is.
struct GridKind {
  CriticalType type = CriticalType::regular;
  std::uint32_t lower_pieces = 0;
  std::uint32_t upper_pieces = 0;
};

/// By its neighbours of lower order, which there are. `pieces` are those of GridPieces.
template <int Dim>
[[nodiscard]] TS_HD GridKind grid_kind(const std::uint8_t* pieces, const GridSurrounding& around,
                                       std::uint32_t lower) {
  const std::uint32_t upper = around.present & ~lower;
  GridKind kind = {CriticalType::regular, pieces[lower], pieces[upper]};
  kind.type = critical_type<Dim>(kind.lower_pieces, kind.upper_pieces);
  if (Dim == 3 && kind.type == CriticalType::regular && around.is_on_border)
    kind.type = boundary_type((lower & around.on_border) != 0, (upper & around.on_border) != 0);
  return kind;
}

}  // namespace tessera::detail
