// Where geodesic distances begin.
#pragma once

#include <array>
#include <variant>

#include <tessera/core/id.h>

namespace tessera {

/// A point of a triangle: its corners, in the input's order, weighted. Weights are not negative and add up
/// to 1.
struct FacePoint {
  FaceId face;
  std::array<double, 3> weights;
};

/// By ids of the input.
using GeodesicSource = std::variant<VertexId, FacePoint>;

}  // namespace tessera
