// How far apart two persistence diagrams are: the least cost of matching their points.
//
//   death │  a·───·b      a point is matched with a point of the other diagram of the same dimension,
//         │      /        or with the diagonal, where classes die as they are born
//         │  ·  /
//         │ /·─/          bottleneck    the largest distance that a match has to bridge
//         │/  /           Wasserstein   the q-th root of the sum of the q-th powers of all of them
//         └───────── birth
//
// Classes that never die are matched among themselves, by their births; where one diagram has more of them
// than the other, the distance is infinite.
//
// The bottleneck distance is exact: a binary search over the numbers there are, each of them tried by a
// matching whose edges a k-d tree finds (Efrat, Itai, Katz 2001; Kerber, Morozov, Nigmetov 2016). Who has to
// be matched is decided on each side alone, so the diagonal needs no points of its own (Mendelsohn, Dulmage
// 1958). The Wasserstein distance is found by an auction with scaling, to a relative error that the caller
// chooses (Bertsekas 1988; with k-d trees Kerber, Morozov, Nigmetov 2016). Points bid for points of the other
// diagram and drop out towards the diagonal; then points that nobody wants any more lower their price
// (Bertsekas, Castanon, Tsaknakis 1993). Prices prove how much better a matching could be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include <tessera/core/array.h>
#include <tessera/core/progress.h>
#include <tessera/core/vec.h>
#include <tessera/exec/exec.h>
#include <tessera/topology/persistence.h>

namespace tessera {

struct DiagramPoint {
  static constexpr double never = std::numeric_limits<double>::infinity();

  std::uint32_t dimension = 0;  ///< of the class
  double birth = 0;
  double death = never;
  Vec3d place = {0, 0, 0};  ///< in the mesh; only counts with a place_weight

  [[nodiscard]] bool is_finite() const { return death != never; }
  friend bool operator==(const DiagramPoint&, const DiagramPoint&) = default;
};

/// In the order of the pairs, without places.
[[nodiscard]] std::vector<DiagramPoint> make_diagram_points(const Persistence& persistence);

/// How far two points of the plane are apart.
enum class GroundNorm : std::uint8_t { sum, euclidean, largest };

struct DiagramMatch {
  static constexpr std::uint32_t diagonal = 0xFFFFFFFFu;

  std::uint32_t first = diagonal;   ///< a point of the first diagram
  std::uint32_t second = diagonal;  ///< and one of the second
  double distance = 0;              ///< between them
  friend bool operator==(const DiagramMatch&, const DiagramMatch&) = default;
};

/// Every point is in one match.
struct DiagramDistance {
  double distance = 0;          ///< of the matching below
  double at_least = 0;          ///< no matching has less; equal for a bottleneck
  Array<DiagramMatch> matches;  ///< by the first, then those of the diagonal by the second
  friend bool operator==(const DiagramDistance&, const DiagramDistance&) = default;
};

struct BottleneckOptions {
  const Monitor* monitor = nullptr;  ///< null: nobody listens
};

/// Exact, with GroundNorm::largest; the largest over all dimensions. O(n log n) memory of n points; a
/// matching takes O(n^1.5 log n) time at worst. Error(unsupported) for points whose birth or finite death is
/// infinite or not a number, or whose death is below their birth.
[[nodiscard]] DiagramDistance bottleneck_distance(std::span<const DiagramPoint> first,
                                                  std::span<const DiagramPoint> second,
                                                  const BottleneckOptions& options = {});

struct WassersteinOptions {
  double power = 2;  ///< q, from 1 to 64
  GroundNorm norm = GroundNorm::euclidean;
  /// The distance is at most so much larger than the least there is, as a part of it; above 0.
  double error = 0.01;
  /// Of a step in the mesh, as compared with one of the field: places count as three more coordinates, and a
  /// point is as far from the diagonal as it is in the plane (Soler, Plainchault, Conche, Tierny, "Lifted
  /// Wasserstein matcher for fast and robust topology tracking", LDAV 2018).
  double place_weight = 0;
  const Monitor* monitor = nullptr;  ///< null: nobody listens
};

/// Over all dimensions. O(n) memory of n points; the time depends on how many points compete. Errors as
/// bottleneck_distance(), and Error(bad_option) for options out of range.
[[nodiscard]] DiagramDistance wasserstein_distance(std::span<const DiagramPoint> first,
                                                   std::span<const DiagramPoint> second,
                                                   const WassersteinOptions& options = {});

struct DistanceMatrixOptions {
  Exec exec = Exec::host();          ///< whose threads compare pairs
  const Monitor* monitor = nullptr;  ///< null: nobody listens
};

/// The distance of every pair of `count` things, row by row, with zeros on the diagonal. distance(i, j) is
/// asked for i < j, from several threads at once. Error(unsupported) for an exec on a device.
[[nodiscard]] Array<double> distance_matrix(std::size_t count,
                                            const std::function<double(std::size_t, std::size_t)>& distance,
                                            const DistanceMatrixOptions& options = {});

}  // namespace tessera
