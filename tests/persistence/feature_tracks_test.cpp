// Features that move as they are told to, and regions that can be counted by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <tessera/core/random.h>
#include <tessera/mesh/make.h>
#include <tessera/topology/feature_tracks.h>

#include "persistence/stop_everywhere.h"

namespace tessera {
namespace {

/// Each feature of each step is on one track, and steps of a track follow each other.
void check(const FeatureTracks& tracks, const std::vector<std::size_t>& counts) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    const auto nodes = tracks[t];
    ASSERT_FALSE(nodes.empty());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      EXPECT_LT(nodes[i].feature, counts[nodes[i].step]);
      EXPECT_TRUE(seen.insert({nodes[i].step, nodes[i].feature}).second);
      EXPECT_TRUE(i == 0 || nodes[i].step == nodes[i - 1].step + 1);
    }
  }
  std::size_t all = 0;
  for (const std::size_t count : counts) all += count;
  EXPECT_EQ(seen.size(), all);
}

/// Ten features move on circles and keep their persistence, among noise that is new in every step.
TEST(FeatureTracks, FollowWhatMoves) {
  constexpr std::size_t steps = 12;
  constexpr std::uint32_t features = 10;
  SplitMix64 random(3);
  std::vector<std::vector<DiagramPoint>> diagrams(steps);
  for (std::size_t s = 0; s < steps; ++s) {
    for (std::uint32_t f = 0; f < features; ++f) {
      const double angle = 0.15 * static_cast<double>(s) + f;
      diagrams[s].push_back({.birth = 0.01 * random.uniform(),
                             .death = 5 + 0.01 * random.uniform(),
                             .place = {10.0 * f + std::cos(angle), std::sin(angle), 0}});
    }
    for (int i = 0; i < 50; ++i) {
      const double birth = random.uniform();
      diagrams[s].push_back({.birth = birth, .death = birth + 0.02 * random.uniform()});
    }
    // In another order in each step: by how many places is known.
    std::rotate(diagrams[s].begin(), diagrams[s].begin() + static_cast<std::ptrdiff_t>(s), diagrams[s].end());
  }
  const auto place_of = [&](std::size_t s, std::uint32_t f) {
    const std::size_t size = diagrams[s].size();
    return static_cast<std::uint32_t>((f + size - s) % size);
  };
  const WassersteinOptions matching = {.place_weight = 1};
  const FeatureTracks tracks = track_features(diagrams, matching, {.exec = Exec::host(1)});
  check(tracks, std::vector<std::size_t>(steps, features + 50));
  for (std::uint32_t f = 0; f < features; ++f) {
    ASSERT_EQ(tracks[f].size(), steps);
    for (std::size_t s = 0; s < steps; ++s) EXPECT_EQ(tracks[f][s].feature, place_of(s, f));
  }
  for (const int threads : {2, 7})
    EXPECT_EQ(track_features(diagrams, matching, {.exec = Exec::host(threads)}), tracks);
}

TEST(FeatureTracks, BeginAndEnd) {
  const DiagramPoint a = {.birth = 0, .death = 9};
  const DiagramPoint b = {.birth = 20, .death = 28};
  const std::vector<std::vector<DiagramPoint>> steps = {{a}, {b, a}, {b}, {}, {a}};
  const FeatureTracks tracks = track_features(steps, {});
  check(tracks, {1, 2, 1, 0, 1});
  using Node = FeatureTracks::Node;
  EXPECT_EQ(tracks.nodes, (Array<Node>{{0, 0}, {1, 1}, {1, 0}, {2, 0}, {4, 0}}));
  EXPECT_EQ(tracks.offsets, (Array<std::uint64_t>{0, 2, 4, 5}));
  EXPECT_EQ(track_features({}, {}).size(), 0u);
}

TEST(FeatureTracks, CanBeStopped) {
  const std::vector<std::vector<DiagramPoint>> steps(5, {{.birth = 0, .death = 9}});
  test::stop_everywhere([&](const Monitor* m) { (void)track_features(steps, {}, {.monitor = m}); }, 2);
}

Vec3d on_line(VertexId v) {
  return {static_cast<double>(v.index()), 0, 0};
}

/// Vertices on a line: 0 and 5 are joined into 5, then 5 splits into 5 and 7.
TEST(RegionTracker, CountsWhatRegionsShare) {
  RegionTracker tracker;
  tracker.add({"labels", Array<std::int32_t>{0, 0, 0, -1, 5, 5, 5, 5}}, on_line);
  tracker.add({"labels", Array<std::int32_t>{5, 5, 5, 5, 5, 5, 5, -1}}, on_line);
  tracker.add({"labels", Array<std::int32_t>{5, 5, 5, 5, 7, 7, 7, 7}}, on_line);
  const auto& regions = tracker.regions();
  ASSERT_EQ(regions.size(), 3u);
  EXPECT_EQ(regions[0], (std::vector<Region>{{0, 3, {1, 0, 0}}, {5, 4, {5.5, 0, 0}}}));
  EXPECT_EQ(regions[1], (std::vector<Region>{{5, 7, {3, 0, 0}}}));
  EXPECT_EQ(regions[2], (std::vector<Region>{{5, 4, {1.5, 0, 0}}, {7, 4, {5.5, 0, 0}}}));
  EXPECT_EQ(tracker.overlaps(),
            (std::vector<RegionOverlap>{{0, 0, 0, 3}, {0, 1, 0, 3}, {1, 0, 0, 4}, {1, 0, 1, 3}}));
  // Both share three vertices with the one they become: the lower label goes on.
  const FeatureTracks tracks = tracker.tracks();
  check(tracks, {2, 1, 2});
  using Node = FeatureTracks::Node;
  EXPECT_EQ(tracks.nodes, (Array<Node>{{0, 0}, {1, 0}, {2, 0}, {0, 1}, {2, 1}}));
}

/// The same counts as a table over all pairs of labels.
TEST(RegionTracker, EqualsATableOfAllPairs) {
  SplitMix64 random(9);
  for (const std::uint64_t labels : {2u, 10u, 1000u}) {
    RegionTracker tracker;
    std::vector<std::vector<std::int64_t>> steps;
    for (int s = 0; s < 4; ++s) {
      Array<std::int64_t> values;
      while (values.size() < 3000) {
        const auto label = static_cast<std::int64_t>(random.below(labels)) - 1;
        values.insert(values.end(), 1 + random.below(5), label);
      }
      values.resize(3000);
      steps.emplace_back(values.begin(), values.end());
      tracker.add({"labels", std::move(values)}, on_line);
    }
    check(tracker.tracks(), [&] {
      std::vector<std::size_t> counts;
      for (const auto& regions : tracker.regions()) counts.push_back(regions.size());
      return counts;
    }());
    std::size_t found = 0;
    for (std::uint32_t s = 0; s + 1 < steps.size(); ++s) {
      std::map<std::pair<std::int64_t, std::int64_t>, std::uint64_t> table;
      for (std::size_t i = 0; i < steps[s].size(); ++i) {
        if (steps[s][i] >= 0 && steps[s + 1][i] >= 0) ++table[{steps[s][i], steps[s + 1][i]}];
      }
      for (const auto& [pair, shared] : table) {
        const RegionOverlap& overlap = tracker.overlaps()[found++];
        EXPECT_EQ(overlap.step, s);
        EXPECT_EQ(tracker.regions()[s][overlap.before].label, pair.first);
        EXPECT_EQ(tracker.regions()[s + 1][overlap.after].label, pair.second);
        EXPECT_EQ(overlap.shared, shared);
      }
    }
    EXPECT_EQ(found, tracker.overlaps().size());
  }
}

TEST(RegionTracker, RefusesWhatAreNoLabelsOfTheSameMesh) {
  RegionTracker tracker;
  tracker.add({"labels", Array<std::int32_t>{0, 1}}, on_line);
  const auto refused = [&](const Field& labels) {
    try {
      tracker.add(labels, on_line);
      ADD_FAILURE() << "not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::unsupported);
      EXPECT_NE(std::string(error.what()).find("'bad'"), std::string::npos) << error.what();
    }
  };
  refused({"bad", Array<std::int32_t>{0, 1, 2}});
  refused({"bad", Array<float>{0, 1}});
  refused({"bad", Array<std::int32_t>{0, 1, 2, 3}, 2});
  EXPECT_EQ(tracker.regions().size(), 1u);
}

}  // namespace
}  // namespace tessera
