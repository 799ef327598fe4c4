// Meshes over the caller's own arrays, without a copy.
//
//   std::vector<float> xyz = ...;       // three a point
//   std::vector<int> corners = ...;     // four a tet
//   ts::TetMesh mesh = ts::borrow_mesh<3>(xyz, corners);
//   mesh.point_data.add(ts::borrow_field("height", heights));
//
// Temporaries are refused when compiling. The arrays must stay as they are while the mesh is used; an `owner`
// keeps them alive. The library never writes to its input. A copy of the mesh has arrays of its own.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <utility>

#include <tessera/core/error.h>
#include <tessera/mesh/mesh.h>

namespace tessera {

namespace detail {

/// The values as so many wider ones, or Error(bad_mesh) if their number does not divide.
template <class Wide, class Narrow>
[[nodiscard]] Array<Wide> borrow_as(std::span<const Narrow> values, const char* what,
                                    std::shared_ptr<const void> owner) {
  constexpr std::size_t width = sizeof(Wide) / sizeof(Narrow);
  static_assert(width * sizeof(Narrow) == sizeof(Wide) && alignof(Wide) == alignof(Narrow));
  if (values.size() % width != 0) {
    throw Error(ErrorCode::bad_mesh, std::to_string(values.size()) + " " + what + " are not a multiple of " +
                                         std::to_string(width));
  }
  auto* const data = reinterpret_cast<Wide*>(const_cast<Narrow*>(values.data()));
  return borrow(std::span<Wide>(data, values.size() / width), std::move(owner));
}

}  // namespace detail

/// Coordinates are floats or doubles, three a point; corners are 4-byte integers, three a triangle (Dim 2) or
/// four a tetrahedron (Dim 3). Error(bad_mesh) if their numbers are not multiples of that. As with any mesh,
/// corners are checked when it is used.
template <int Dim, std::ranges::contiguous_range Coordinates, std::ranges::contiguous_range Corners>
requires std::ranges::borrowed_range<Coordinates> && std::ranges::borrowed_range<Corners> &&
    std::floating_point<std::ranges::range_value_t<Coordinates>> &&
    std::integral<std::ranges::range_value_t<Corners>>
[[nodiscard]] SimplexMesh<Dim> borrow_mesh(Coordinates&& coordinates, Corners&& corners,
                                           const std::shared_ptr<const void>& owner = nullptr) {
  using Real = std::ranges::range_value_t<Coordinates>;
  using Index = std::ranges::range_value_t<Corners>;
  static_assert(sizeof(Real) <= 8 && sizeof(Index) == 4,
                "coordinates are float or double, corners are integers of 4 bytes");
  SimplexMesh<Dim> mesh;
  mesh.points = detail::borrow_as<Vec3<Real>>(std::span<const Real>(coordinates), "coordinates", owner);
  mesh.cells = detail::borrow_as<typename SimplexMesh<Dim>::Cell>(std::span<const Index>(corners),
                                                                  "corners of cells", owner);
  return mesh;
}

/// A field of the caller's numbers, tuple after tuple. Error(bad_option) if they are not whole tuples.
template <std::ranges::contiguous_range Values>
requires std::ranges::borrowed_range<Values>
[[nodiscard]] Field borrow_field(std::string name, Values&& values, std::size_t components = 1,
                                 std::shared_ptr<const void> owner = nullptr) {
  using T = std::ranges::range_value_t<Values>;
  const std::span<const T> all(values);
  if (components == 0 || all.size() % components != 0) {
    throw Error(ErrorCode::bad_option, "the field '" + name + "' has " + std::to_string(all.size()) +
                                           " numbers, which are not tuples of " + std::to_string(components));
  }
  Array<T> array = borrow(std::span<T>(const_cast<T*>(all.data()), all.size()), std::move(owner));
  return {std::move(name), std::move(array), components};
}

}  // namespace tessera
