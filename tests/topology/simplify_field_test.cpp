// Simplified fields. The oracle looks at the neighbours of each vertex, which it lists from the cells, and
// finds persistence by a sweep over all vertices.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/mesh/make.h>
#include <tessera/mesh/triangulate.h>
#include <tessera/topology/detail/region_order.h>
#include <tessera/topology/simplify_field.h>

#include "tile/oracle.h"
#include "topology/grids.h"
#include "topology/meshes.h"
#include "topology/neighbours.h"

namespace tessera {
namespace {

using namespace testing;
using Ids = std::vector<std::uint32_t>;

struct Extrema {
  std::set<std::uint32_t> minima;
  std::set<std::uint32_t> maxima;
  friend bool operator==(const Extrema&, const Extrema&) = default;
};

template <class T>
Extrema extrema_of(const std::vector<std::set<std::uint32_t>>& neighbours, std::span<const T> values) {
  Extrema found;
  for (std::uint32_t v = 0; v < values.size(); ++v) {
    const auto is_below = [&](std::uint32_t u) {
      return values[u] != values[v] ? values[u] < values[v] : u < v;
    };
    const auto below = std::ranges::count_if(neighbours[v], is_below);
    if (below == 0) found.minima.insert(v);
    if (below == std::ssize(neighbours[v])) found.maxima.insert(v);
  }
  return found;
}
Extrema extrema_of(const std::vector<std::set<std::uint32_t>>& neighbours, const Field& field) {
  return field.visit([&](const auto& values) { return extrema_of(neighbours, values); });
}

Extrema as_sets(const ChosenExtrema& chosen) {
  Extrema sets;
  for (const VertexId v : chosen.minima) sets.minima.insert(v.index());
  for (const VertexId v : chosen.maxima) sets.maxima.insert(v.index());
  return sets;
}

/// The minima that persist so much, by adding one vertex after the other; of the field turned over with sign
/// -1.
std::set<std::uint32_t> persistent(const std::vector<std::set<std::uint32_t>>& neighbours,
                                   const std::vector<double>& values, double threshold, int sign) {
  Ids order = sorted(values);
  if (sign < 0) std::ranges::reverse(order);
  Ids rank(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  Ids oldest(order.size());  // of the piece of a vertex
  std::set<std::uint32_t> kept;
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    const std::uint32_t v = order[i];
    std::set<std::uint32_t> pieces;  // ranks of their oldest
    for (const std::uint32_t u : neighbours[v]) {
      if (rank[u] < i) pieces.insert(rank[oldest[u]]);
    }
    if (pieces.empty()) kept.insert(oldest[v] = v);
    if (pieces.empty()) continue;
    oldest[v] = order[*pieces.begin()];
    pieces.erase(pieces.begin());
    for (const std::uint32_t piece : pieces) {
      const std::uint32_t leaf = order[piece];
      if (std::abs(values[v] - values[leaf]) < threshold) kept.erase(leaf);
      for (std::uint32_t j = 0; j < i; ++j) {
        if (oldest[order[j]] == leaf) oldest[order[j]] = oldest[v];
      }
    }
  }
  return kept;
}

template <int Dim>
void expect_simplified(const SimplexMesh<Dim>& mesh, const Field& field, const ChosenExtrema& keep,
                       const SimplifiedField& found, double threshold) {
  const auto neighbours = neighbours_of(mesh);
  Extrema expected = as_sets(keep);
  for (std::uint32_t v = 0; v < neighbours.size(); ++v) {
    if (neighbours[v].empty()) expected.minima.insert(v), expected.maxima.insert(v);
  }
  ASSERT_EQ(extrema_of(neighbours, found.field), expected);
  ASSERT_EQ(found.field.name(), field.name());
  const std::vector<double> old = numbers_of(field);
  const auto values = found.field.as<double>();
  std::size_t changed = 0;
  double largest = 0;
  for (std::size_t v = 0; v < old.size(); ++v) {
    const double change = old[v] == values[v] ? 0 : std::abs(values[v] - old[v]);
    ASSERT_LE(change, threshold + 1e-9 * std::abs(old[v])) << v;
    if (change > 1e-9 * std::abs(old[v]) + 1e-300) ++changed;
    largest = std::max(largest, change);
  }
  ASSERT_EQ(found.changed_vertices, changed);
  ASSERT_NEAR(found.largest_change, largest, 1e-9 * largest + 1e-9);
}

template <int Dim>
void expect_threshold(const SimplexMesh<Dim>& mesh, const Field& field, double threshold) {
  const ChosenExtrema keep = persistent_extrema(mesh, field, threshold);
  const auto neighbours = neighbours_of(mesh);
  const std::vector<double> values = numbers_of(field);
  ASSERT_EQ(as_sets(keep).minima, persistent(neighbours, values, threshold, 1));
  ASSERT_EQ(as_sets(keep).maxima, persistent(neighbours, values, threshold, -1));
  const SimplifiedField found = simplify_field(mesh, field, keep, {.exec = Exec::host(1)});
  expect_simplified(mesh, field, keep, found, threshold);
  const SimplifiedField again = simplify_field(mesh, field, keep, {.exec = Exec::host(7)});
  ASSERT_EQ(again.field, found.field);
  const SimplifiedField at_once = simplify_field(mesh, field, threshold);
  ASSERT_EQ(at_once.field, found.field);
}

template <class T>
void expect_on_grid(const Dims& dims, std::uint64_t range, std::uint64_t seed, double threshold) {
  SCOPED_TRACE(say(dims) + ", seed " + std::to_string(seed) + ", threshold " + std::to_string(threshold));
  const Grid grid = grid_of(dims);
  const Field field = random_field<T>(grid.vertex_count(), range, seed);
  std::visit(
      [&](const auto& mesh) {
        if constexpr (requires { mesh.cells; }) {
          expect_threshold(mesh, field, threshold);
          const ChosenExtrema keep = persistent_extrema(grid, field, threshold);
          const SimplifiedField found = simplify_field(grid, field, keep);
          ASSERT_EQ(found.field, simplify_field(mesh, field, keep).field);
          ASSERT_EQ(found.field, simplify_field(grid, field, threshold).field);
        }
      },
      triangulate(grid));
}

TEST(SimplifyField, HasJustThePersistentExtrema) {
  for (const Dims& dims : {Dims{2, 2, 2}, Dims{3, 3, 3}, Dims{2, 3, 4}, Dims{5, 4, 3}, Dims{9, 8, 7},
                           Dims{2, 2, 1}, Dims{1, 6, 5}, Dims{9, 1, 8}, Dims{20, 3, 2}, Dims{16, 15, 1}}) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      expect_on_grid<float>(dims, 1000000, seed, seed % 2 == 0 ? 3e5 : 8e5);
      expect_on_grid<float>(dims, 20, seed, seed % 2 == 0 ? 5 : 100);
      expect_on_grid<std::uint8_t>(dims, 4, seed, seed % 2 == 0 ? 2 : 3);
      expect_on_grid<std::int32_t>(dims, 1000, seed, 500);
      expect_on_grid<double>(dims, seed % 2 == 0 ? 10 : 100000, seed, seed % 2 == 0 ? 4 : 60000);
      expect_on_grid<std::int64_t>(dims, 7, seed, 4);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(SimplifyField, OnMeshesOfManyKinds) {
  const TetMesh solid = make_shuffled(make_kuhn_full(7));
  const TriMesh torus = make_shuffled(make_torus(19, 13));
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    expect_threshold(solid, random_field<float>(solid.vertex_count(), seed % 2 == 0 ? 8 : 100000, seed),
                     seed % 2 == 0 ? 5 : 70000);
    expect_threshold(torus, random_field<double>(torus.vertex_count(), seed % 2 == 0 ? 8 : 100000, seed),
                     seed % 2 == 0 ? 5 : 90000);
    if (HasFatalFailure()) return;
  }
}

TEST(SimplifyField, WithAThresholdOfZeroChangesNothing) {
  const Grid grid = grid_of({7, 6, 5});
  const Field field = random_field<float>(grid.vertex_count(), 50, 3);
  const SimplifiedField found = simplify_field(grid, field, persistent_extrema(grid, field, 0));
  EXPECT_EQ(numbers_of(found.field), numbers_of(field));
  EXPECT_EQ(found.changed_vertices, 0u);
}

// Values next to each other in double leave no room below the next one.
TEST(SimplifyField, KeepsTheOrderOfValuesWithoutRoom) {
  const Grid grid = grid_of({9, 8, 7});
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Field field = random_field<double>(grid.vertex_count(), 40, seed);
    for (double& value : field.as<double>()) value = 1 + value * std::numeric_limits<double>::epsilon();
    const auto mesh = std::get<TetMesh>(triangulate(grid));
    const ChosenExtrema keep = persistent_extrema(grid, field, 1e-14);
    const SimplifiedField found = simplify_field(grid, field, keep);
    EXPECT_EQ(extrema_of(neighbours_of(mesh), found.field), as_sets(keep));
    EXPECT_LT(found.largest_change, 1e-12);
  }
}

TEST(SimplifyField, KeepsASetThatWasChosen) {
  std::size_t done = 0;
  std::size_t lost_minima = 0;
  std::size_t lost_maxima = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    SCOPED_TRACE(seed);
    const Grid grid = grid_of(seed % 3 == 0 ? Dims{6, 5, 4} : Dims{8, 7, 1});
    const auto neighbours = std::visit(
        [](const auto& mesh) {
          if constexpr (requires { mesh.cells; }) return neighbours_of(mesh);
          return std::vector<std::set<std::uint32_t>>();
        },
        triangulate(grid));
    const Field field = random_field<float>(grid.vertex_count(), 1000000, seed);
    const Extrema all = extrema_of(neighbours, field);
    SplitMix64 random(seed);
    ChosenExtrema keep;
    for (const std::uint32_t v : all.minima)
      if (keep.minima.empty() || random.below(4) == 0) keep.minima.push_back(VertexId(v));
    for (const std::uint32_t v : all.maxima)
      if (keep.maxima.empty() || random.below(4) == 0) keep.maxima.push_back(VertexId(v));
    try {
      const SimplifiedField found = simplify_field(grid, field, keep);
      ASSERT_EQ(extrema_of(neighbours, found.field), as_sets(keep));
      ++done;
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ErrorCode::bad_option) << error.what();
      const std::string_view text = error.what();
      lost_minima += text.find("cannot be kept as a minimum") != std::string_view::npos ? 1 : 0;
      lost_maxima += text.find("cannot be kept as a maximum") != std::string_view::npos ? 1 : 0;
    }
  }
  EXPECT_EQ(done + lost_minima + lost_maxima, 600u);
  EXPECT_GT(done, 200u);
  EXPECT_GT(lost_minima, 0u);
  EXPECT_GT(lost_maxima, 0u);
}

// A pit with a bump in it, by distance from the centre: 3 2 1 5 9 7 6. Raising the pit would bury the bump.
TEST(SimplifyField, RefusesToLoseAMaximumInAPit) {
  const Grid grid = grid_of({13, 13, 1});
  constexpr std::array<float, 7> rings = {3, 2, 1, 5, 9, 7, 6};
  Array<float> values;
  for (int y = 0; y < 13; ++y) {
    for (int x = 0; x < 13; ++x)
      values.push_back(rings[static_cast<std::size_t>(std::max(std::abs(x - 6), std::abs(y - 6)))]);
  }
  values[0] = -5;
  const Field field("f", std::move(values));
  const auto neighbours = neighbours_of(std::get<TriMesh>(triangulate(grid)));
  const Extrema all = extrema_of(neighbours, field);
  ASSERT_TRUE(all.maxima.contains(84));
  ChosenExtrema keep = {{VertexId(0)}, {VertexId(84)}};
  keep.maxima.push_back(VertexId(
      *std::ranges::max_element(all.maxima, {}, [&](std::uint32_t v) { return field.as<float>()[v]; })));
  try {
    (void)simplify_field(grid, field, keep);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_option);
    EXPECT_NE(std::string_view(error.what()).find("vertex 84"), std::string_view::npos) << error.what();
  }
}

TEST(SimplifyField, RefusesWhatDoubleCannotHold) {
  const Grid grid = grid_of({5, 5, 1});
  Array<std::int64_t> large(25);
  for (std::size_t i = 0; i < large.size(); ++i)
    large[i] = (std::int64_t{1} << 60) - static_cast<std::int64_t>(i);
  const Field integers("f", std::move(large));
  EXPECT_THROW((void)simplify_field(grid, integers, 0), Error);
  // Flattened to the largest double or to minus infinity there is no room for an order.
  Array<double> high(25, std::numeric_limits<double>::max());
  for (const std::size_t v : {7u, 12u, 13u, 17u}) high[v] = static_cast<double>(v);
  high[24] = -5;
  EXPECT_THROW((void)simplify_field(grid, Field("f", std::move(high)), 1e300), Error);
  const float low = -std::numeric_limits<float>::infinity();
  const Grid strip = grid_of({5, 3, 1});
  const Field infinite("f", Array<float>{low, 5, 5, 5, low, low, low, low, low, low, 1, 2, 3, 4, 9});
  EXPECT_THROW((void)simplify_field(strip, infinite, 1), Error);
}

TEST(SimplifyField, ManyThreadsAndWaves) {
  Grid grid = make_lattice(40, 43, 37);
  grid.point_data.add(make_mri_field(grid));
  const Field& field = grid.field("mri");
  const auto mesh = std::get<TetMesh>(triangulate(grid));
  const ChosenExtrema keep = persistent_extrema(grid, field, 1.0);
  const SimplifiedField expected = simplify_field(grid, field, keep, {.exec = Exec::host(1)});
  expect_simplified(mesh, field, keep, expected, 1.0);
  EXPECT_GT(expected.changed_vertices, 100u);
  for (const int threads : {2, 7}) {
    EXPECT_EQ(simplify_field(grid, field, keep, {.exec = Exec::host(threads)}).field, expected.field);
    EXPECT_EQ(simplify_field(mesh, field, keep, {.exec = Exec::host(threads)}).field, expected.field);
  }
  // What is simplified has the same persistent extrema, and nothing is left to do.
  const SimplifiedField again = simplify_field(grid, expected.field, keep);
  EXPECT_EQ(again.field, expected.field);
}

TEST(SimplifyField, TakesInfinities) {
  const Grid grid = grid_of({9, 8, 7});
  Field field = random_field<float>(grid.vertex_count(), 1000, 1);
  field.as<float>()[3] = std::numeric_limits<float>::infinity();
  field.as<float>()[200] = -std::numeric_limits<float>::infinity();
  const ChosenExtrema keep = persistent_extrema(grid, field, 300);
  const SimplifiedField found = simplify_field(grid, field, keep);
  EXPECT_EQ(extrema_of(neighbours_of(std::get<TetMesh>(triangulate(grid))), found.field), as_sets(keep));
}

// Two triangles that meet in vertex 2, the highest: below it lie two pieces, and no higher vertex is near.
TEST(SimplifyField, RefusesWhatOneVertexCutsOff) {
  TriMesh mesh;
  mesh.points = Points(Array<Vec3f>{{0, 0, 0}, {0, 2, 0}, {1, 1, 0}, {2, 0, 0}, {2, 2, 0}});
  mesh.cells.push_back({VertexId(0), VertexId(1), VertexId(2)});
  mesh.cells.push_back({VertexId(2), VertexId(3), VertexId(4)});
  const Field field("f", Array<float>{0, 1, 10, 8, 9});
  const ChosenExtrema keep = {{VertexId(0)}, {VertexId(2)}};
  try {
    (void)simplify_field(mesh, field, keep);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_NE(std::string_view(error.what()).find("vertex 2"), std::string_view::npos) << error.what();
  }
}

TEST(SimplifyField, RefusesWhatCannotBe) {
  const Grid grid = grid_of({6, 5, 4});
  Field field = random_field<float>(grid.vertex_count(), 1000, 1);
  const ChosenExtrema keep = persistent_extrema(grid, field, 500);
  const auto expect_code = [](ErrorCode code, const std::string& part, const auto& f) {
    try {
      f();
      ADD_FAILURE() << "not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  expect_code(ErrorCode::bad_option, "at least 0", [&] { (void)persistent_extrema(grid, field, -1); });
  expect_code(ErrorCode::bad_option, "at least 0", [&] { (void)simplify_field(grid, field, std::nan("")); });
  expect_code(ErrorCode::unsupported, "values", [&] { (void)simplify_field(grid_of({3, 3, 3}), field, 1); });
  expect_code(ErrorCode::bad_option, "no maximum is kept", [&] {
    (void)simplify_field(grid, field, {keep.minima, {}});
  });
  expect_code(ErrorCode::bad_option, "no minimum is kept", [&] {
    (void)simplify_field(grid, field, {{}, keep.maxima});
  });
  expect_code(ErrorCode::bad_option, "there is no vertex 999", [&] {
    (void)simplify_field(grid, field, {{VertexId(999)}, keep.maxima});
  });
  expect_code(ErrorCode::bad_option, "it is none", [&] {
    (void)simplify_field(grid, field, {keep.minima, {keep.minima[0], keep.maxima[0]}});
  });
  std::stop_source stop;
  const Monitor monitor = {[&](std::string_view stage, double) {
                             if (stage == "flattening") stop.request_stop();
                           },
                           stop.get_token()};
  expect_code(ErrorCode::cancelled, "",
              [&] { (void)simplify_field(grid, field, keep, {.monitor = &monitor}); });
  field.as<float>()[7] = std::numeric_limits<float>::quiet_NaN();
  expect_code(ErrorCode::unsupported, "not a number", [&] { (void)simplify_field(grid, field, keep); });
}

/// A random graph that is connected with its exit and its border.
detail::RegionGraph random_graph(std::uint32_t n, std::uint64_t seed) {
  SplitMix64 random(seed);
  std::vector<std::set<std::uint32_t>> rows(n);
  const auto join = [&](std::uint32_t a, std::uint32_t b) {
    if (a != b) rows[a].insert(b), rows[b].insert(a);
  };
  for (std::uint32_t v = 1; v < n; ++v) join(v, static_cast<std::uint32_t>(random.below(v)));
  for (std::uint32_t i = 0; i < n / 3; ++i)
    join(static_cast<std::uint32_t>(random.below(n)), static_cast<std::uint32_t>(random.below(n)));
  detail::RegionGraph graph;
  graph.begins = {0};
  for (std::uint32_t v = 0; v < n; ++v) {
    graph.neighbours.insert(graph.neighbours.end(), rows[v].begin(), rows[v].end());
    graph.begins.push_back(static_cast<std::uint32_t>(graph.neighbours.size()));
    graph.is_at_exit.push_back(random.below(n) < 2 ? 1 : 0);
    graph.is_at_border.push_back(random.below(n) < 3 ? 1 : 0);
  }
  return graph;
}

/// Is there an order? Exactly if no vertex cuts others off from exit and border: each vertex is taken out in
/// turn.
bool has_order(const detail::RegionGraph& graph) {
  const auto n = static_cast<std::uint32_t>(graph.size());
  for (std::uint32_t out = 0; out <= n; ++out) {  // n: none
    Ids stack;
    std::vector<std::uint8_t> is_met(n, 0);
    bool meets_exit = false;
    bool meets_border = false;
    for (std::uint32_t v = 0; v < n; ++v) {
      if (v == out || (graph.is_at_exit[v] == 0 && graph.is_at_border[v] == 0)) continue;
      is_met[v] = 1;
      stack.push_back(v);
    }
    while (!stack.empty()) {
      const std::uint32_t v = stack.back();
      stack.pop_back();
      for (const std::uint32_t u : graph.row(v)) {
        if (u != out && is_met[u] == 0) is_met[u] = 1, stack.push_back(u);
      }
    }
    for (std::uint32_t v = 0; v < n; ++v) {
      if (v != out && is_met[v] == 0) return false;
      meets_exit = meets_exit || graph.is_at_exit[v] != 0;
      meets_border = meets_border || graph.is_at_border[v] != 0;
    }
    if (!meets_exit || !meets_border) return false;
  }
  // The exit or the border must not cut anything off, either.
  for (const auto* flags : {&graph.is_at_exit, &graph.is_at_border}) {
    Ids stack;
    std::vector<std::uint8_t> is_met(n, 0);
    for (std::uint32_t v = 0; v < n; ++v) {
      if ((*flags)[v] != 0) is_met[v] = 1, stack.push_back(v);
    }
    while (!stack.empty()) {
      const std::uint32_t v = stack.back();
      stack.pop_back();
      for (const std::uint32_t u : graph.row(v)) {
        if (is_met[u] == 0) is_met[u] = 1, stack.push_back(u);
      }
    }
    if (std::ranges::find(is_met, 0) != is_met.end()) return false;
  }
  return true;
}

TEST(RegionOrder, ExistsExactlyWhereNothingIsCutOff) {
  std::size_t orders = 0;
  std::size_t refusals = 0;
  detail::RegionSorter sorter;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    SCOPED_TRACE(seed);
    const detail::RegionGraph graph = random_graph(static_cast<std::uint32_t>(2 + seed % 12), seed);
    const bool is_turned = seed % 2 == 0;
    const bool found = sorter.sort(graph, is_turned, Monitor());
    ASSERT_EQ(found, has_order(graph));
    ++(found ? orders : refusals);
    if (!found) continue;
    const auto comes_before = [&](std::uint32_t a, std::uint32_t b) {
      const auto& levels = sorter.levels();
      return levels[a] != levels[b] ? levels[a] < levels[b] : (is_turned ? b < a : a < b);
    };
    for (std::uint32_t v = 0; v < graph.size(); ++v) {
      bool has_before = graph.is_at_exit[v] != 0;
      bool has_behind = graph.is_at_border[v] != 0;
      for (const std::uint32_t u : graph.row(v)) (comes_before(u, v) ? has_before : has_behind) = true;
      ASSERT_TRUE(has_before && has_behind) << v;
    }
  }
  EXPECT_GT(orders, 200u);
  EXPECT_GT(refusals, 200u);
}

}  // namespace
}  // namespace tessera
