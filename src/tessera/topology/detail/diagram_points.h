// What both distances between diagrams begin with: points that can be compared, one dimension after the
// other.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/topology/diagram_distance.h>

namespace tessera::detail {

/// Points of one dimension, by their numbers in the diagram. Those that die as they are born belong to the
/// diagonal, whatever else there is.
struct DiagramSide {
  std::vector<std::uint32_t> finite;
  std::vector<std::uint32_t> essential;  ///< ascending by birth
};

constexpr std::uint32_t diagram_dimensions = 4;

/// check_diagram() of both, with "of the first diagram" in the message.
void check_diagrams(std::span<const DiagramPoint> first, std::span<const DiagramPoint> second);
[[nodiscard]] DiagramSide choose_dimension(std::span<const DiagramPoint> points, std::uint32_t dimension);

/// How far a class is from one that dies as it is born.
[[nodiscard]] inline double diagonal_distance(const DiagramPoint& point, GroundNorm norm) {
  const double height = point.death - point.birth;
  return norm == GroundNorm::sum         ? height
         : norm == GroundNorm::euclidean ? height / std::sqrt(2.0)
                                         : height / 2;
}

/// Matches classes that never die, in the order of their births; false if one side has more.
[[nodiscard]] bool match_essential(std::span<const DiagramPoint> first, std::span<const DiagramPoint> second,
                                   const DiagramSide& a, const DiagramSide& b, Array<DiagramMatch>& matches);

/// Adds the match with the diagonal of every point that is in none, and sorts them.
void complete_matches(std::span<const DiagramPoint> first, std::span<const DiagramPoint> second,
                      GroundNorm norm, Array<DiagramMatch>& matches);

}  // namespace tessera::detail
