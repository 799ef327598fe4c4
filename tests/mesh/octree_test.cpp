#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include <tessera/core/random.h>
#include <tessera/mesh/detail/octree.h>

namespace tessera {

using namespace detail;
namespace {

Points random_points(std::size_t n, std::uint64_t seed) {
  Array<Vec3f> points(n);
  SplitMix64 random(seed);
  for (Vec3f& p : points) {
    // Clustered, so that leaves lie on many levels.
    const double scale = random.below(3) == 0 ? 1.0 : 0.01;
    p = vec_cast<float>(Vec3d{scale * random.uniform(), scale * random.uniform(), scale * random.uniform()});
  }
  return points;
}

/// The octree as it is defined: recursive cuts at midpoints.
std::vector<std::vector<std::uint32_t>> naive_leaves(const Points& points, std::uint32_t cap) {
  std::vector<std::vector<std::uint32_t>> leaves;
  const std::function<void(std::vector<std::uint32_t>, Vec3d, double)> cut = [&](auto members, Vec3d low,
                                                                                 double side) {
    if (members.empty()) return;
    if (members.size() <= cap) {
      leaves.push_back(members);
      return;
    }
    const double half = side / 2;
    for (int child = 0; child < 8; ++child) {
      std::vector<std::uint32_t> inside;
      for (const std::uint32_t v : members) {
        const Vec3d p = points[VertexId(v)];
        const int code = (p.x >= low.x + half) | (p.y >= low.y + half) << 1 | (p.z >= low.z + half) << 2;
        if (code == child) inside.push_back(v);
      }
      cut(inside, low + half * Vec3d{double(child & 1), double(child >> 1 & 1), double(child >> 2 & 1)},
          half);
    }
  };
  std::vector<std::uint32_t> all(points.size());
  std::iota(all.begin(), all.end(), 0u);
  cut(all, {0, 0, 0}, 1);
  return leaves;
}

TEST(Octree, EqualsTheRecursiveDefinition) {
  for (const std::uint32_t cap : {1u, 3u, 50u, 5000u}) {
    const Points points = random_points(2000, cap);
    const auto expected = naive_leaves(points, cap);
    for (const int threads : {1, 2, 5}) {
      const OctreeLeaves leaves =
          make_octree_leaves(points, {.max_points = cap, .exec = Exec::host(threads)});
      ASSERT_EQ(leaves.size(), expected.size());
      for (std::size_t l = 0; l < expected.size(); ++l) {
        const std::vector<std::uint32_t> leaf(leaves.order.begin() + leaves.offsets[l],
                                              leaves.order.begin() + leaves.offsets[l + 1]);
        ASSERT_EQ(leaf, expected[l]) << l;
      }
    }
  }
}

TEST(Octree, CoincidentAndStrayPointsEndInLeaves) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Array<Vec3f> points(10, Vec3f{0.3f, 0.3f, 0.3f});
  points.push_back({nan, 0, 0});
  points.push_back({-5, 7, 0.5f});
  points.push_back({std::numeric_limits<float>::infinity(), 0, 0});
  const OctreeLeaves leaves = make_octree_leaves(points, {.max_points = 4});
  EXPECT_EQ(leaves.offsets.back(), 13u);
  for (std::size_t l = 0; l < leaves.size(); ++l) EXPECT_LE(leaves.offsets[l + 1] - leaves.offsets[l], 4u);
  Array<std::uint32_t> sorted = leaves.order;
  std::sort(sorted.begin(), sorted.end());
  for (std::uint32_t v = 0; v < 13; ++v) EXPECT_EQ(sorted[v], v);
}

TEST(Octree, OfNothingHasNoLeaves) {
  EXPECT_EQ(make_octree_leaves(Points(), {}).size(), 0u);
}

TEST(BoundingBox, IgnoresWhatIsNotFinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Box box = bounding_box(Array<Vec3d>{{1, 2, 3}, {-1, infinity, 4}, {0, 5, 6}});
  EXPECT_EQ(box.low, (Vec3d{-1, 2, 3}));
  EXPECT_EQ(box.high, (Vec3d{1, 5, 6}));
  EXPECT_EQ(bounding_box(Points()).high, (Vec3d{1, 1, 1}));
}

}  // namespace
}  // namespace tessera
