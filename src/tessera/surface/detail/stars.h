// The triangles around each vertex, from its own corner on, on either side. Only pointers: the arrays lie
// where the work runs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <tessera/core/csr.h>
#include <tessera/core/macros.h>
#include <tessera/surface/surface.h>

namespace tessera::detail {

using Corners = std::array<std::uint32_t, 3>;

/// Of any list of triangles. An entry of a row is a corner, as group_items() numbers them.
struct CornerStars {
  RowsView<std::uint32_t> rows;
  const std::uint32_t* corners;  ///< three a triangle

  [[nodiscard]] TS_HD std::size_t begin(std::size_t v) const { return rows.offsets[v]; }
  [[nodiscard]] TS_HD std::size_t end(std::size_t v) const { return rows.offsets[v + 1]; }
  /// The triangle of an entry of v's row: v, then on along its winding.
  [[nodiscard]] TS_HD Corners triangle(std::uint32_t v, std::size_t entry) const {
    const std::uint32_t corner = rows.values[entry];
    const std::uint32_t face = corner / 3;
    const std::uint32_t turn = corner - 3 * face;
    const std::uint32_t* c = corners + 3 * std::size_t{face};
    return {v, c[turn == 2 ? 0 : turn + 1], c[turn == 0 ? 2 : turn - 1]};
  }
};

/// Of a surface: its rows of VF and OrientedFV.
struct FaceStars {
  RowsView<std::uint32_t> rows;
  const std::uint32_t* corners;

  /// Of rows that VF and OrientedFV are among.
  template <class... R>
  explicit FaceStars(const RowsOf<R...>& of)
      : rows{of.template get<VF>().offsets(), of.template get<VF>().values()},
        corners(of.template get<OrientedFV>().values()) {}

  [[nodiscard]] TS_HD std::size_t begin(std::size_t v) const { return rows.offsets[v]; }
  [[nodiscard]] TS_HD std::size_t end(std::size_t v) const { return rows.offsets[v + 1]; }
  [[nodiscard]] TS_HD Corners triangle(std::uint32_t v, std::size_t entry) const {
    const std::uint32_t* c = corners + 3 * std::size_t{rows.values[entry]};
    const Corners t = {c[0], c[1], c[2]};
    return t[0] == v ? t : t[1] == v ? Corners{v, t[2], t[0]} : Corners{v, t[0], t[1]};
  }
};

}  // namespace tessera::detail
