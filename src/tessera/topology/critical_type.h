// TTK's rule: what kind of critical point a vertex is by the pieces of its lower and its upper link
// (critical_points.h has the table).
#pragma once

#include <cstdint>

#include <tessera/core/macros.h>

namespace tessera {

/// Numbered as TTK's CriticalType.
enum class CriticalType : std::uint8_t { minimum, saddle1, saddle2, maximum, degenerate, regular };

template <int Dim>
TS_HD constexpr CriticalType critical_type(std::uint32_t lower, std::uint32_t upper) {
  if (lower == 0 && upper == 1) return CriticalType::minimum;
  if (lower == 1 && upper == 0) return CriticalType::maximum;
  if (lower == 1 && upper == 1) return CriticalType::regular;
  if (lower == 2 && upper == 1) return CriticalType::saddle1;
  if (lower == 1 && upper == 2) return Dim == 3 ? CriticalType::saddle2 : CriticalType::saddle1;
  if (Dim == 2 && lower == 2 && upper == 2) return CriticalType::saddle1;
  return CriticalType::degenerate;
}

/// The boundary rule of tetrahedra for a (1,1) vertex on the boundary: is some lower, some upper neighbour
/// there?
TS_HD constexpr CriticalType boundary_type(bool lower_there, bool upper_there) {
  if (lower_there == upper_there) return CriticalType::regular;
  return lower_there ? CriticalType::saddle2 : CriticalType::saddle1;
}

}  // namespace tessera
