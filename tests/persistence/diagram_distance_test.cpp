// Distances between diagrams against all matchings there are, and against what theorems say.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <tessera/topology/diagram_distance.h>

#include "persistence/meshes.h"
#include "persistence/stop_everywhere.h"

namespace tessera {
namespace {

using Diagram = std::vector<DiagramPoint>;

/// Points in the plane, some on the diagonal, some twice, of the dimensions below `dimensions`.
Diagram make_diagram(std::size_t size, std::uint64_t seed, std::uint32_t dimensions = 1) {
  SplitMix64 random(seed);
  Diagram diagram;
  for (std::size_t i = 0; i < size; ++i) {
    const double birth = static_cast<double>(random.below(40)) / 8;
    const double height = static_cast<double>(random.below(30)) / 8;
    diagram.push_back({.dimension = static_cast<std::uint32_t>(random.below(dimensions)),
                       .birth = birth,
                       .death = birth + height,
                       .place = {random.uniform(), random.uniform(), random.uniform()}});
    if (random.below(5) == 0) diagram.push_back(diagram.back());
  }
  return diagram;
}

double norm_of(const std::vector<double>& apart, GroundNorm norm) {
  double sum = 0;
  for (const double d : apart) {
    if (norm == GroundNorm::largest) sum = std::max(sum, std::abs(d));
    if (norm == GroundNorm::sum) sum += std::abs(d);
    if (norm == GroundNorm::euclidean) sum += d * d;
  }
  return norm == GroundNorm::euclidean ? std::sqrt(sum) : sum;
}

/// Tries every matching of the points of one dimension.
class Everything {
 public:
  /// power 0: the largest distance counts.
  Everything(const Diagram& a, const Diagram& b, GroundNorm norm, double power, double place_weight = 0)
      : a_(a), b_(b), norm_(norm), power_(power), place_weight_(place_weight), taken_(b.size(), false) {}

  double best() {
    try_from(0, 0);
    return power_ == 0 ? best_ : std::pow(best_, 1 / power_);
  }

 private:
  /// To the middle between birth and death, which is the nearest point of the diagonal in every norm.
  [[nodiscard]] double to_diagonal(const DiagramPoint& p) const {
    const double half = (p.death - p.birth) / 2;
    return norm_of({half, half}, norm_);
  }
  [[nodiscard]] double between(const DiagramPoint& p, const DiagramPoint& q) const {
    const Vec3d way = place_weight_ * (p.place - q.place);
    return norm_of({p.birth - q.birth, p.death - q.death, way.x, way.y, way.z}, norm_);
  }
  [[nodiscard]] double add(double sum, double distance) const {
    return power_ == 0 ? std::max(sum, distance) : sum + std::pow(distance, power_);
  }
  void try_from(std::size_t i, double sum) {
    if (sum >= best_) return;
    if (i == a_.size()) {
      for (std::size_t j = 0; j < b_.size(); ++j) sum = taken_[j] ? sum : add(sum, to_diagonal(b_[j]));
      best_ = std::min(best_, sum);
      return;
    }
    try_from(i + 1, add(sum, to_diagonal(a_[i])));
    for (std::size_t j = 0; j < b_.size(); ++j) {
      if (taken_[j]) continue;
      taken_[j] = true;
      try_from(i + 1, add(sum, between(a_[i], b_[j])));
      taken_[j] = false;
    }
  }

  const Diagram& a_;
  const Diagram& b_;
  GroundNorm norm_;
  double power_;
  double place_weight_;
  std::vector<bool> taken_;
  double best_ = std::numeric_limits<double>::infinity();
};

/// Every point is in one match, with a point of its own dimension or with the diagonal, and the distances of
/// the matches give that of the diagrams.
void check_matches(const Diagram& a, const Diagram& b, const DiagramDistance& found, double power) {
  std::vector<int> first(a.size(), 0);
  std::vector<int> second(b.size(), 0);
  double sum = 0;
  for (const DiagramMatch& match : found.matches) {
    if (match.first != DiagramMatch::diagonal) ++first[match.first];
    if (match.second != DiagramMatch::diagonal) ++second[match.second];
    ASSERT_TRUE(match.first != DiagramMatch::diagonal || match.second != DiagramMatch::diagonal);
    if (match.first != DiagramMatch::diagonal && match.second != DiagramMatch::diagonal) {
      EXPECT_EQ(a[match.first].dimension, b[match.second].dimension);
    }
    sum = power == 0 ? std::max(sum, match.distance) : sum + std::pow(match.distance, power);
  }
  EXPECT_TRUE(std::ranges::all_of(first, [](int n) { return n == 1; }));
  EXPECT_TRUE(std::ranges::all_of(second, [](int n) { return n == 1; }));
  const double whole = power == 0 ? sum : std::pow(sum, 1 / power);
  EXPECT_NEAR(whole, found.distance, 1e-9 * (1 + whole));
}

TEST(BottleneckDistance, IsTheLeastOfAllMatchings) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const Diagram a = make_diagram(seed % 6, 2 * seed);
    const Diagram b = make_diagram(seed / 6 % 6, 2 * seed + 1);
    const DiagramDistance found = bottleneck_distance(a, b);
    EXPECT_EQ(found.distance, Everything(a, b, GroundNorm::largest, 0).best());
    EXPECT_EQ(found.at_least, found.distance);
    check_matches(a, b, found, 0);
  }
}

TEST(WassersteinDistance, IsTheLeastOfAllMatchingsWithinItsError) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const Diagram a = make_diagram(seed % 6, 3 * seed);
    const Diagram b = make_diagram(seed / 6 % 6, 3 * seed + 1);
    for (const GroundNorm norm : {GroundNorm::sum, GroundNorm::euclidean, GroundNorm::largest}) {
      for (const double power : {1.0, 2.0, 3.5}) {
        for (const double weight : {0.0, 2.0}) {
          SCOPED_TRACE(testing::Message() << seed << " " << int(norm) << " " << power << " " << weight);
          const double best = Everything(a, b, norm, power, weight).best();
          const DiagramDistance found = wasserstein_distance(
              a, b, {.power = power, .norm = norm, .error = 0.001, .place_weight = weight});
          EXPECT_GE(found.distance, best * (1 - 1e-12));
          EXPECT_LE(found.distance, best * 1.001 + 1e-12);
          EXPECT_LE(found.at_least, best * (1 + 1e-12));
          EXPECT_GE(found.at_least * 1.001 + 1e-12, found.distance);
          check_matches(a, b, found, power);
        }
      }
    }
  }
}

/// Points that are far from each other and each moved by a little: the best matching is known.
TEST(DiagramDistances, OfManyPointsThatMoveALittle) {
  SplitMix64 random(5);
  Diagram a;
  for (int i = 0; i < 60; ++i) {
    for (int j = 0; j < 60; ++j) a.push_back({.birth = 10.0 * i, .death = 10.0 * i + 1000 + 10 * j});
  }
  Diagram b = a;
  double largest = 0;
  double sum = 0;
  for (DiagramPoint& p : b) {
    const double x = random.uniform() - 0.5;
    const double y = random.uniform() - 0.5;
    p.birth += x;
    p.death += y;
    largest = std::max({largest, std::abs(x), std::abs(y)});
    sum += x * x + y * y;
  }
  std::vector<std::uint32_t> order(b.size());
  std::iota(order.begin(), order.end(), 0u);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  Diagram shuffled;
  for (const std::uint32_t i : order) shuffled.push_back(b[i]);
  EXPECT_NEAR(bottleneck_distance(a, shuffled).distance, largest, 1e-12 * 1000);
  const DiagramDistance found = wasserstein_distance(a, shuffled);
  EXPECT_NEAR(found.distance, std::sqrt(sum), 0.01 * std::sqrt(sum));
  for (const DiagramMatch& match : found.matches) EXPECT_EQ(order[match.second], match.first);
}

TEST(DiagramDistances, AreMetrics) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const Diagram a = make_diagram(200, 10 * seed, 3);
    const Diagram b = make_diagram(150 + 10 * seed, 10 * seed + 1, 3);
    const Diagram c = make_diagram(100, 10 * seed + 2, 3);
    EXPECT_EQ(bottleneck_distance(a, b).distance, bottleneck_distance(b, a).distance);
    EXPECT_LE(bottleneck_distance(a, c).distance,
              bottleneck_distance(a, b).distance + bottleneck_distance(b, c).distance + 1e-12);
    EXPECT_EQ(bottleneck_distance(a, a).distance, 0);
    EXPECT_EQ(wasserstein_distance(a, a).distance, 0);
    const DiagramDistance there = wasserstein_distance(a, b);
    const DiagramDistance back = wasserstein_distance(b, a);
    EXPECT_LE(there.at_least, back.distance);
    EXPECT_LE(back.at_least, there.distance);
    EXPECT_LE(wasserstein_distance(a, c).at_least, there.distance + wasserstein_distance(b, c).distance);
    EXPECT_GE(there.distance, bottleneck_distance(a, b).distance * (1 - 1e-12));
    check_matches(a, b, there, 2);
  }
}

/// Each point lies between two of the other diagram, far from the diagonal, so prices go through the whole
/// chain. The identity, which costs `shift` a point, is a matching; the least is not above it.
TEST(WassersteinDistance, OfChainsIsNotProvedByRounding) {
  constexpr std::size_t size = 1000;
  constexpr double shift = 0.4;
  Diagram a;
  for (std::size_t i = 0; i < size; ++i)
    a.push_back({.birth = static_cast<double>(i), .death = static_cast<double>(i + 2 * size)});
  Diagram b = a;
  for (DiagramPoint& p : b) {
    p.birth += shift;
    p.death += shift;
  }
  for (const double power : {1.0, 2.0, 3.0, 4.0}) {
    const DiagramDistance found = wasserstein_distance(a, b, {.power = power, .norm = GroundNorm::largest});
    const double identity = shift * std::pow(static_cast<double>(size), 1 / power);
    EXPECT_LE(found.at_least, identity) << power;
    EXPECT_GE(found.distance, found.at_least);
    check_matches(a, b, found, power);
    EXPECT_LE(found.distance, power <= 2 ? 1.01 * identity : DiagramPoint::never) << power;
    std::reverse(b.begin(), b.end());
    EXPECT_LE(wasserstein_distance(a, b, {.power = power, .norm = GroundNorm::largest}).at_least, identity);
  }
}

TEST(WassersteinDistance, OfEqualDiagramsIsZero) {
  for (const double power : {1.0, 2.0, 4.0}) {
    const Diagram a = make_diagram(500, 8, 4);
    Diagram b = a;
    std::reverse(b.begin(), b.end());
    const DiagramDistance found = wasserstein_distance(a, b, {.power = power});
    EXPECT_EQ(found.distance, 0);
    check_matches(a, b, found, power);
  }
}

/// The parts of all dimensions, whatever their sizes, make the whole.
TEST(WassersteinDistance, HasAPartForEachDimension) {
  const Diagram a = {{.birth = 0, .death = 1e-5},
                     {.birth = 0},
                     {.dimension = 1, .birth = 0, .death = 1},
                     {.dimension = 3, .birth = 0, .death = 1e200}};
  const Diagram b = {{.birth = 0, .death = 1.1e-5},
                     {.birth = 1e-6},
                     {.dimension = 1, .birth = 0.25, .death = 1},
                     {.dimension = 3, .birth = 0, .death = 1.5e200}};
  const DiagramDistance found = wasserstein_distance(a, b, {.power = 4});
  EXPECT_NEAR(found.by_dimension[0], 1e-6 * std::pow(2, 0.25), 1e-10);
  EXPECT_NEAR(found.by_dimension[1], 0.25, 1e-4);
  EXPECT_EQ(found.by_dimension[2], 0);
  EXPECT_NEAR(found.by_dimension[3], 0.5e200, 1e194);
  EXPECT_EQ(found.distance, found.by_dimension[3]);
  const Diagram births = {{.birth = 1e200}};
  EXPECT_EQ(wasserstein_distance(births, Diagram{{.birth = 0}}).distance, 1e200);
  EXPECT_EQ(bottleneck_distance(a, b).by_dimension, (std::array<double, 4>{1e-6, 0.25, 0, 0.5e200}));
}

/// Cohen-Steiner, Edelsbrunner, Harer 2007: diagrams are no farther apart than their fields.
TEST(BottleneckDistance, IsStable) {
  const TetMesh mesh = make_kuhn(14);
  const Field field = make_wave_field(mesh.points, WaveField::rough);
  const Diagram before = make_diagram_points(compute_persistence(mesh, field));
  for (const double size : {1e-3, 0.1, 3.0}) {
    SplitMix64 random(11);
    Array<double> values;
    double most = 0;
    for (const float value : field.as<float>()) {
      const double change = size * (2 * random.uniform() - 1);
      most = std::max(most, std::abs(change));
      values.push_back(value + change);
    }
    const Field changed = {"changed", std::move(values)};
    const Diagram after = make_diagram_points(compute_persistence(mesh, changed));
    const double distance = bottleneck_distance(before, after).distance;
    EXPECT_LE(distance, most * (1 + 1e-9));
    EXPECT_GT(distance, most / 100);
  }
}

TEST(DiagramDistances, MatchClassesThatNeverDieByTheirBirths) {
  const Diagram a = {{.birth = 5}, {.birth = 1}, {.dimension = 1, .birth = 0, .death = 0.5}};
  const Diagram b = {{.birth = 1.5}, {.birth = 4}};
  const DiagramDistance bottleneck = bottleneck_distance(a, b);
  EXPECT_EQ(bottleneck.distance, 1);  // 5 and 4; 1 and 1.5 are half as far apart
  ASSERT_EQ(bottleneck.matches.size(), 3u);
  EXPECT_EQ(bottleneck.matches[0], (DiagramMatch{0, 1, 1}));
  EXPECT_EQ(bottleneck.matches[1], (DiagramMatch{1, 0, 0.5}));
  EXPECT_EQ(bottleneck.matches[2], (DiagramMatch{2, DiagramMatch::diagonal, 0.25}));
  // 1 + 0.5 and, to the diagonal, 0.5 along either axis
  EXPECT_NEAR(wasserstein_distance(a, b, {.power = 1, .norm = GroundNorm::sum}).distance, 2, 1e-12);
}

TEST(DiagramDistances, AreInfiniteWhereOneHasMoreClassesThatNeverDie) {
  const Diagram a = {{.birth = 5}, {.birth = 1}};
  const Diagram b = {{.birth = 1.5}, {.dimension = 1, .birth = 1}};
  for (const DiagramDistance& found : {bottleneck_distance(a, b), wasserstein_distance(a, b)}) {
    EXPECT_EQ(found.distance, DiagramPoint::never);
    EXPECT_EQ(found.at_least, DiagramPoint::never);
    EXPECT_EQ(found.matches.size(), 3u);
  }
}

TEST(DiagramDistances, OfEmptyDiagrams) {
  const Diagram none;
  const Diagram one = {{.birth = 1, .death = 3}};
  EXPECT_EQ(bottleneck_distance(none, none).distance, 0);
  EXPECT_EQ(wasserstein_distance(none, none).distance, 0);
  EXPECT_EQ(bottleneck_distance(none, one).distance, 1);
  EXPECT_NEAR(wasserstein_distance(one, none).distance, std::sqrt(2.0), 1e-12);
}

/// Powers of large and small values neither overflow nor vanish.
TEST(WassersteinDistance, DoesNotDependOnTheUnit) {
  const Diagram a = make_diagram(40, 1);
  const Diagram b = make_diagram(40, 2);
  const double expected = wasserstein_distance(a, b, {.power = 3}).distance;
  for (const double unit : {0x1p-600, 0x1p600}) {
    Diagram scaled_a = a;
    Diagram scaled_b = b;
    for (Diagram* diagram : {&scaled_a, &scaled_b}) {
      for (DiagramPoint& p : *diagram) {
        p.birth *= unit;
        p.death *= unit;
      }
    }
    EXPECT_EQ(wasserstein_distance(scaled_a, scaled_b, {.power = 3}).distance, expected * unit);
  }
}

template <class Work>
void expect_refused(ErrorCode code, const std::string& why, const Work& work) {
  try {
    work();
    ADD_FAILURE() << "not refused: " << why;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
  }
}

TEST(DiagramDistances, RefuseWhatIsNoDiagram) {
  const Diagram good = {{.birth = 1, .death = 3}};
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const DiagramPoint& bad :
       {DiagramPoint{.birth = 3, .death = 1}, DiagramPoint{.birth = -infinity, .death = 1},
        DiagramPoint{.birth = std::nan("")}, DiagramPoint{.birth = 1, .death = std::nan("")}}) {
    const Diagram diagram = {good[0], bad};
    expect_refused(ErrorCode::unsupported, "in the second diagram point 1",
                   [&] { (void)bottleneck_distance(good, diagram); });
    expect_refused(ErrorCode::unsupported, "in the first diagram point 1",
                   [&] { (void)wasserstein_distance(diagram, good); });
  }
  for (const WassersteinOptions& options :
       {WassersteinOptions{.power = 0.5}, WassersteinOptions{.power = 4.5}, WassersteinOptions{.error = 0},
        WassersteinOptions{.error = std::nan("")}, WassersteinOptions{.place_weight = -1}}) {
    expect_refused(ErrorCode::bad_option, "must", [&] { (void)wasserstein_distance(good, good, options); });
  }
}

TEST(DiagramDistances, RefuseNumbersWhoseDifferencesAreInfinite) {
  const Diagram wide = {{.birth = -1e308, .death = 1e308}};
  const Diagram high = {{.dimension = 4, .birth = 0, .death = 1}};
  for (const Diagram& diagram : {wide, high}) {
    expect_refused(ErrorCode::unsupported, "point 0", [&] { (void)wasserstein_distance(diagram, {}); });
    expect_refused(ErrorCode::unsupported, "point 0", [&] { (void)bottleneck_distance(diagram, {}); });
  }
  const Diagram nowhere = {{.birth = 0, .death = 1, .place = {std::nan(""), 0, 0}}};
  EXPECT_NEAR(wasserstein_distance(nowhere, {}).distance, std::sqrt(0.5), 1e-12);  // places do not count
  expect_refused(ErrorCode::unsupported, "not finite",
                 [&] { (void)wasserstein_distance(nowhere, {}, {.place_weight = 1}); });
}

TEST(DistanceMatrix, AsksForEveryPairOnce) {
  for (const int threads : {1, 2, 7}) {
    const Array<double> matrix =
        distance_matrix(9, [](std::size_t i, std::size_t j) { return static_cast<double>(10 * i + j); },
                        {.exec = Exec::host(threads)});
    for (std::size_t i = 0; i < 9; ++i) {
      for (std::size_t j = 0; j < 9; ++j)
        EXPECT_EQ(matrix[9 * i + j], i == j ? 0 : static_cast<double>(10 * std::min(i, j) + std::max(i, j)));
    }
  }
  EXPECT_TRUE(distance_matrix(0, {}).empty());
}

TEST(DiagramDistances, CanBeStopped) {
  const Diagram a = make_diagram(300, 1, 3);
  const Diagram b = make_diagram(300, 2, 3);
  test::stop_everywhere([&](const Monitor* m) { (void)bottleneck_distance(a, b, {.monitor = m}); }, 4);
  test::stop_everywhere([&](const Monitor* m) { (void)wasserstein_distance(a, b, {.monitor = m}); }, 4);
  const Diagram c = make_diagram(20000, 3);
  const Diagram d = make_diagram(20000, 4);
  test::stop_at_some_time([&](const Monitor* m) { (void)wasserstein_distance(c, d, {.monitor = m}); });
}

}  // namespace
}  // namespace tessera
