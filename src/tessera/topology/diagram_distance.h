// How far apart two persistence diagrams are: the least cost of matching their points.
//
//   death │  a·───·b      a point is matched with a point of the other diagram that has its dimension,
//         │      /        or with the diagonal, where classes die as they are born
//         │  ·  /
//         │ /·─/          bottleneck    the largest distance of a match
//         │/  /           Wasserstein   the q-th root of the sum of the q-th powers of all distances
//         └───────── birth
//
// Classes that never die are matched among themselves, by their births; where one diagram has more of them
// than the other, the distance is infinite.
//
// The bottleneck distance is found by binary search. Each step looks for a matching whose edges are no longer
// than some reach; a k-d tree finds the edges (Efrat, Itai, Katz 2001; Kerber, Morozov, Nigmetov 2016).
// Points that are nearer to the diagonal than the reach need no partner. A set of points on one side and a
// set on the other can be matched at once if each of them can alone (Mendelsohn, Dulmage 1958), so the
// diagonal needs no points of its own.
//
// The Wasserstein distance is found by an auction with scaling (Bertsekas 1988; with k-d trees Kerber,
// Morozov, Nigmetov 2016). Points bid for points of the other diagram, or go to the diagonal. Points that
// nobody wants any more then lower their price (Bertsekas, Castanon, Tsaknakis 1993). The prices are a
// solution of the dual problem, so they prove a lower bound.
#pragma once

#include <array>
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

  std::uint32_t dimension = 0;  ///< of the class, at most 3
  double birth = 0;
  double death = never;
  Vec3d place = {0, 0, 0};  ///< in the mesh; used if place_weight is above 0

  [[nodiscard]] bool is_finite() const { return death != never; }
  friend bool operator==(const DiagramPoint&, const DiagramPoint&) = default;
};

/// In the order of the pairs, without places.
[[nodiscard]] std::vector<DiagramPoint> make_diagram_points(const Persistence& persistence);

/// Error(unsupported) if a birth is not finite, a death is neither finite nor `never` or is below the birth,
/// a number is above 8e307 in size, or a dimension is above 3. The message begins with "point N".
void check_diagram(std::span<const DiagramPoint> points);

/// The distance between two points of the plane.
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
  double distance = 0;                      ///< of the matching below
  double at_least = 0;                      ///< a proven lower bound; equal for a bottleneck
  std::array<double, 4> by_dimension = {};  ///< the part of `distance` that each dimension has
  Array<DiagramMatch> matches;              ///< by the first, then those of the diagonal by the second
  friend bool operator==(const DiagramDistance&, const DiagramDistance&) = default;
};

struct BottleneckOptions {
  const Monitor* monitor = nullptr;  ///< null: nobody listens
};

/// The least over all matchings, with GroundNorm::largest in doubles; of all dimensions the largest. O(n)
/// memory. At worst a matching takes n searches of the tree for each of n points; random diagrams of 20,000
/// points take a second. Errors as check_diagram(), which also says which diagram.
[[nodiscard]] DiagramDistance bottleneck_distance(std::span<const DiagramPoint> first,
                                                  std::span<const DiagramPoint> second,
                                                  const BottleneckOptions& options = {});

struct WassersteinOptions {
  double power = 2;  ///< q, from 1 to 4
  GroundNorm norm = GroundNorm::euclidean;
  double error = 0.01;  ///< relative: the distance is at most 1 + error times the least; above 0
  /// A distance in the mesh counts as so much of a distance in values: places are three more coordinates.
  /// Points stay as far from the diagonal as they are in the plane (Soler, Plainchault, Conche, Tierny,
  /// "Lifted Wasserstein matcher for fast and robust topology tracking", LDAV 2018).
  double place_weight = 0;
  const Monitor* monitor = nullptr;  ///< null: nobody listens
};

/// Over all dimensions. O(n) memory; the time depends on how many points compete. Prices are doubles, so
/// distances below 1e-13^(1/q) of the longest persistence of their dimension are not resolved (q = 1: 1e-13,
/// 2: 3e-7, 3: 5e-5, 4: 6e-4). If the error is not reached for that reason, `at_least` shows it. Errors as
/// bottleneck_distance(); Error(bad_option) for options out of range, Error(unsupported) for places that are
/// not finite, if they count.
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
