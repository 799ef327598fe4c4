// Contour trees. Two oracles, which know vertices and cells alone: one sweeps over all vertices in both
// directions and takes leaf after leaf from both trees; the other counts the contours of every level.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <stop_token>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/mesh/make.h>
#include <tessera/mesh/triangulate.h>
#include <tessera/topology/contour_tree.h>

#include "tile/oracle.h"
#include "topology/grids.h"
#include "topology/meshes.h"
#include "topology/neighbours.h"

namespace tessera {
namespace {

using namespace testing;
using Ids = std::vector<std::uint32_t>;

constexpr std::uint32_t none = ContourTree::none;

/// For each place in the order the sets of places below that it joins, by the last place of each.
std::vector<std::set<std::uint32_t>> children(const std::vector<std::set<std::uint32_t>>& neighbours,
                                              const Ids& order) {
  const std::size_t n = order.size();
  Ids rank(n);
  for (std::uint32_t i = 0; i < n; ++i) rank[order[i]] = i;
  Ids set_of(n);  // by place; the last place that came in
  std::vector<std::set<std::uint32_t>> result(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    set_of[i] = i;
    for (const std::uint32_t u : neighbours[order[i]]) {
      if (rank[u] < i) result[i].insert(set_of[rank[u]]);
    }
    for (std::uint32_t j = 0; j < i; ++j) {
      if (result[i].contains(set_of[j])) set_of[j] = i;
    }
  }
  return result;
}

/// The arcs of the tree as pairs of vertices, and the arc of each vertex that is no node.
struct Naive {
  std::set<std::pair<std::uint32_t, std::uint32_t>> arcs;
  std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> label;
};

/// Carr's algorithm with all vertices as nodes; always takes the highest leaf.
template <int Dim>
Naive contour_tree_of(const SimplexMesh<Dim>& mesh, const std::vector<double>& values) {
  const auto neighbours = neighbours_of(mesh);
  const Ids order = sorted(values);
  const auto n = static_cast<std::uint32_t>(order.size());
  std::vector<std::set<std::uint32_t>> below = children(neighbours, order);
  std::vector<std::set<std::uint32_t>> above(n);
  const auto turned = children(neighbours, Ids(order.rbegin(), order.rend()));
  for (std::uint32_t i = 0; i < n; ++i) {
    for (const std::uint32_t child : turned[i]) above[n - 1 - i].insert(n - 1 - child);
  }
  const auto parent_in = [&](const std::vector<std::set<std::uint32_t>>& tree, std::uint32_t node) {
    for (std::uint32_t i = 0; i < n; ++i) {
      if (tree[i].contains(node)) return i;
    }
    return none;
  };
  const auto take_out = [&](std::vector<std::set<std::uint32_t>>& tree, std::uint32_t node) {
    const std::uint32_t parent = parent_in(tree, node);
    if (parent == none) return;
    tree[parent].erase(node);
    tree[parent].insert(tree[node].begin(), tree[node].end());
  };
  std::vector<std::set<std::uint32_t>> up(n);
  std::vector<std::set<std::uint32_t>> down(n);
  std::set<std::uint32_t> left;
  for (std::uint32_t i = 0; i < n; ++i) left.insert(i);
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (auto it = left.rbegin(); it != left.rend(); ++it) {
      const std::uint32_t node = *it;
      const bool is_upper = above[node].empty() && below[node].size() == 1;
      const bool is_lower = below[node].empty() && above[node].size() == 1;
      if (!is_upper && !is_lower) continue;
      const std::uint32_t end = parent_in(is_upper ? above : below, node);
      if (end == none) continue;
      (is_upper ? down[node] : up[node]).insert(end);
      (is_upper ? up[end] : down[end]).insert(node);
      take_out(above, node);
      take_out(below, node);
      above[node].clear();
      below[node].clear();
      left.erase(node);
      goes_on = true;
      break;
    }
  }
  Naive result;
  const auto is_regular = [&](std::uint32_t i) { return up[i].size() == 1 && down[i].size() == 1; };
  for (std::uint32_t i = 0; i < n; ++i) {
    if (is_regular(i)) continue;
    for (std::uint32_t to : up[i]) {
      Ids passed;
      for (; is_regular(to); to = *up[to].begin()) passed.push_back(to);
      const std::pair arc(order[i], order[to]);
      result.arcs.insert(arc);
      for (const std::uint32_t v : passed) result.label[order[v]] = arc;
    }
  }
  return result;
}

std::set<std::pair<std::uint32_t, std::uint32_t>> arcs_of(const ContourTree& tree) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> arcs;
  for (const ContourTree::Arc& arc : tree.arcs)
    arcs.insert({tree.nodes[arc.lower].vertex.index(), tree.nodes[arc.upper].vertex.index()});
  return arcs;
}

template <int Dim>
void expect_as_naive(const ContourTree& tree, const SimplexMesh<Dim>& mesh, const Field& field) {
  const Naive expected = contour_tree_of(mesh, numbers_of(field));
  ASSERT_EQ(arcs_of(tree), expected.arcs);
  ASSERT_EQ(tree.arcs.size(), expected.arcs.size());
  for (const auto& [v, arc] : expected.label) {
    const ContourTree::Arc& found = tree.arcs[tree.labels[v]];
    ASSERT_EQ(tree.nodes[found.lower].vertex.index(), arc.first) << v;
    ASSERT_EQ(tree.nodes[found.upper].vertex.index(), arc.second) << v;
  }
}

/// How many pieces the level between two vertices that follow each other has: edges that cross it are joined
/// where a cell has both.
template <int Dim>
std::size_t count_contours(const SimplexMesh<Dim>& mesh, const Ids& rank, std::uint32_t last_below) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint32_t, std::uint32_t>> up;
  const auto find = [&](auto edge) {
    while (up[edge] != edge) edge = up[edge];
    return edge;
  };
  for (const auto& cell : mesh.cells) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> crossing;
    for (const VertexId a : cell) {
      for (const VertexId b : cell) {
        if (rank[a.index()] > last_below || rank[b.index()] <= last_below) continue;
        crossing.emplace_back(a.index(), b.index());
        up.try_emplace(crossing.back(), crossing.back());
      }
    }
    for (const auto& edge : crossing) up[find(edge)] = find(crossing.front());
  }
  return static_cast<std::size_t>(
      std::ranges::count_if(up, [](const auto& e) { return e.first == e.second; }));
}

template <int Dim>
void expect_contours(const ContourTree& tree, const SimplexMesh<Dim>& mesh, const Field& field) {
  const Ids order = sorted(numbers_of(field));
  Ids rank(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  for (std::uint32_t i = 0; i + 1 < order.size(); ++i) {
    const auto crosses = [&](const ContourTree::Arc& arc) {
      return rank[tree.nodes[arc.lower].vertex.index()] <= i &&
             rank[tree.nodes[arc.upper].vertex.index()] > i;
    };
    ASSERT_EQ(std::ranges::count_if(tree.arcs, crosses), count_contours(mesh, rank, i)) << i;
  }
}

/// What every tree has, also where the mesh has tunnels.
template <int Dim>
void expect_sound(const ContourTree& tree, const SimplexMesh<Dim>& mesh, const Field& field) {
  const std::vector<double> values = numbers_of(field);
  Ids component(tree.nodes.size());
  std::iota(component.begin(), component.end(), 0u);
  Ids size(tree.arcs.size(), 0);
  Ids ups(tree.nodes.size(), 0);
  Ids downs(tree.nodes.size(), 0);
  for (const ContourTree::Arc& arc : tree.arcs) {
    ASSERT_LT(arc.lower, arc.upper);
    ASSERT_NE(component[arc.lower], component[arc.upper]);  // or there is a cycle
    const std::uint32_t gone = component[arc.upper];
    for (std::uint32_t& one : component) one = one == gone ? component[arc.lower] : one;
    ++ups[arc.lower];
    ++downs[arc.upper];
    ASSERT_LT(arc.branch, tree.branches.size());
  }
  const Ids order = sorted(values);
  Ids rank(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  for (std::uint32_t i = 0; i < tree.nodes.size(); ++i) {
    ASSERT_EQ(tree.nodes[i].up_arcs, ups[i]);
    ASSERT_EQ(tree.nodes[i].down_arcs, downs[i]);
    ASSERT_EQ(tree.nodes[i].value, values[tree.nodes[i].vertex.index()]);
    ASSERT_EQ(tree.branch_of[i] == none, ups[i] + downs[i] == 0);
    if (i > 0) {
      ASSERT_LT(rank[tree.nodes[i - 1].vertex.index()], rank[tree.nodes[i].vertex.index()]);
    }
  }
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
    if (tree.labels[v] == none) continue;
    const ContourTree::Arc& arc = tree.arcs[tree.labels[v]];
    ASSERT_LE(rank[tree.nodes[arc.lower].vertex.index()], rank[v]);
    ASSERT_LE(rank[v], rank[tree.nodes[arc.upper].vertex.index()]);
    ++size[tree.labels[v]];
  }
  for (std::uint32_t a = 0; a < tree.arcs.size(); ++a) ASSERT_EQ(tree.arcs[a].size, size[a]);
}

std::uint64_t range_of(std::uint64_t seed) {
  return seed % 3 == 0 ? 3 : seed % 3 == 1 ? 1000000 : 20;
}

TEST(ContourTree, OfGridsIsThatOfBothOracles) {
  for (const Dims& dims : {Dims{2, 2, 2}, Dims{3, 3, 3}, Dims{2, 3, 4}, Dims{5, 4, 3}, Dims{2, 2, 1},
                           Dims{1, 6, 5}, Dims{9, 1, 8}, Dims{20, 3, 2}, Dims{12, 11, 1}}) {
    const Grid grid = grid_of(dims);
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      SCOPED_TRACE(say(dims) + ", seed " + std::to_string(seed));
      const Field field = random_field<float>(grid.vertex_count(), range_of(seed), seed);
      const ContourTree tree = contour_tree(grid, field, {.exec = Exec::host(1)});
      EXPECT_EQ(contour_tree(grid, field, {.exec = Exec::host(7)}), tree);
      std::visit(
          [&](const auto& mesh) {
            if constexpr (requires { mesh.cells; }) {
              expect_as_naive(tree, mesh, field);
              expect_sound(tree, mesh, field);
              if (seed % 5 == 0) expect_contours(tree, mesh, field);
              EXPECT_EQ(contour_tree(mesh, field), tree);
            }
          },
          triangulate(grid));
      if (HasFatalFailure()) return;
    }
  }
}

// So many vertices that seven threads have something to do.
TEST(ContourTree, OfWavesOnManyThreads) {
  Grid grid = make_lattice(40, 43, 37);
  grid.point_data.add(make_mri_field(grid));
  const Field& field = grid.field("mri");
  const auto mesh = std::get<TetMesh>(triangulate(grid));
  const ContourTree expected = contour_tree(grid, field, {.exec = Exec::host(1)});
  EXPECT_GT(expected.nodes.size(), 2000u);
  for (const int threads : {1, 2, 7}) {
    EXPECT_EQ(contour_tree(grid, field, {.exec = Exec::host(threads)}), expected);
    EXPECT_EQ(contour_tree(mesh, field, {.exec = Exec::host(threads)}), expected);
  }
}

TEST(ContourTree, OfMeshesIsThatOfBothOracles) {
  const TetMesh solid = make_shuffled(make_kuhn_full(5));
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    const Field field = random_field<double>(solid.vertex_count(), range_of(seed), seed);
    const ContourTree tree = contour_tree(solid, field);
    expect_as_naive(tree, solid, field);
    expect_contours(tree, solid, field);
    expect_sound(tree, solid, field);
    if (HasFatalFailure()) return;
  }
}

// Where contours split and meet again there is no tree that has them all; there is one all the same.
TEST(ContourTree, OfMeshesWithTunnelsIsATree) {
  const TriMesh torus = make_shuffled(make_torus(9, 7));
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    const auto check = [&](const auto& mesh, const Field& field) {
      const ContourTree tree = contour_tree(mesh, field, {.exec = Exec::host(1)});
      expect_sound(tree, mesh, field);
      EXPECT_EQ(contour_tree(mesh, field, {.exec = Exec::host(7)}), tree);
    };
    check(torus, random_field<float>(torus.vertex_count(), range_of(seed), seed));
    const TetMesh tangle = oracle::random_mesh<3>(40, 30, static_cast<unsigned>(seed));
    check(tangle, random_field<std::int8_t>(tangle.vertex_count(), range_of(seed) % 100 + 1, seed));
    const TriMesh sheets = oracle::random_mesh<2>(40, 50, static_cast<unsigned>(seed));
    check(sheets, random_field<std::uint16_t>(sheets.vertex_count(), range_of(seed) % 60000 + 1, seed));
    if (HasFatalFailure()) return;
  }
}

/// Branches as the definition has them: all leaves are looked at in each step, and arcs that pass through
/// what was a saddle are joined in a list.
struct NaiveBranches {
  struct Branch {
    std::uint32_t leaf, end;
    auto operator<=>(const Branch&) const = default;
  };
  std::set<Branch> branches;
  std::set<std::pair<std::uint32_t, std::uint32_t>> arcs;  ///< left at the threshold
};
NaiveBranches branches_of(const ContourTree& tree, double threshold) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> arcs;
  for (const ContourTree::Arc& arc : tree.arcs) arcs.insert({arc.lower, arc.upper});
  NaiveBranches result;
  bool is_past = false;
  while (true) {
    const auto count = [&](std::uint32_t node, bool up) {
      return std::ranges::count_if(arcs, [&](auto arc) { return (up ? arc.first : arc.second) == node; });
    };
    std::tuple<double, std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> best(HUGE_VAL, none, {});
    for (const auto& arc : arcs) {
      const double persistence = tree.nodes[arc.second].value - tree.nodes[arc.first].value;
      if (count(arc.second, true) == 0 && count(arc.second, false) == 1 && count(arc.first, true) > 1)
        best = std::min(best, {persistence, arc.second, arc});
      if (count(arc.first, false) == 0 && count(arc.first, true) == 1 && count(arc.second, false) > 1)
        best = std::min(best, {persistence, arc.first, arc});
    }
    const auto [persistence, leaf, arc] = best;
    if (!is_past && (leaf == none || persistence >= threshold)) {
      is_past = true;
      result.arcs = arcs;
    }
    if (leaf == none) break;
    const std::uint32_t end = leaf == arc.first ? arc.second : arc.first;
    arcs.erase(arc);
    result.branches.insert({leaf, end});
    if (count(end, true) == 1 && count(end, false) == 1) {
      const auto below = *std::ranges::find(arcs, end, &std::pair<std::uint32_t, std::uint32_t>::second);
      const auto above = *std::ranges::find(arcs, end, &std::pair<std::uint32_t, std::uint32_t>::first);
      arcs.erase(below);
      arcs.erase(above);
      arcs.insert({below.first, above.second});
    }
  }
  for (const auto& [lower, upper] : arcs) result.branches.insert({lower, upper});
  return result;
}

TEST(ContourTree, BranchesGoFromTheLeastPersistentOn) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    const Grid grid = grid_of(seed % 2 == 0 ? Dims{7, 6, 5} : Dims{15, 14, 1});
    const Field field = random_field<float>(grid.vertex_count(), seed % 3 == 0 ? 5 : 1000, seed);
    const ContourTree tree = contour_tree(grid, field);
    const double threshold = seed % 3 == 0 ? 2 : 400;
    const NaiveBranches expected = branches_of(tree, threshold);
    std::set<NaiveBranches::Branch> found;
    for (const ContourTree::Branch& branch : tree.branches) {
      found.insert({branch.leaf, branch.end});
      EXPECT_EQ(branch.birth_value, tree.nodes[branch.leaf].value);
      EXPECT_EQ(branch.death_value, tree.nodes[branch.end].value);
    }
    EXPECT_EQ(found, expected.branches);
    // Each branch is a path of arcs from its leaf to its end.
    std::vector<std::set<std::uint32_t>> arcs_of_branch(tree.branches.size());
    for (std::uint32_t a = 0; a < tree.arcs.size(); ++a) arcs_of_branch[tree.arcs[a].branch].insert(a);
    for (std::uint32_t b = 0; b < tree.branches.size(); ++b) {
      std::uint32_t at = tree.branches[b].leaf;
      for (std::set<std::uint32_t> left = arcs_of_branch[b]; !left.empty();) {
        EXPECT_EQ(tree.branch_of[at], b);
        const auto next = std::ranges::find_if(
            left, [&](std::uint32_t a) { return tree.arcs[a].lower == at || tree.arcs[a].upper == at; });
        ASSERT_NE(next, left.end());
        at = tree.arcs[*next].lower == at ? tree.arcs[*next].upper : tree.arcs[*next].lower;
        left.erase(next);
      }
      EXPECT_EQ(at, tree.branches[b].end);
    }

    const ContourTree pruned = prune(tree, threshold);
    ASSERT_LT(pruned.nodes.size(), tree.nodes.size());
    std::set<std::pair<std::uint32_t, std::uint32_t>> left;
    for (const auto& [lower, upper] : expected.arcs)
      left.insert({tree.nodes[lower].vertex.index(), tree.nodes[upper].vertex.index()});
    EXPECT_EQ(arcs_of(pruned), left);
    std::size_t total = 0;
    for (const ContourTree::Arc& arc : pruned.arcs) total += arc.size;
    EXPECT_EQ(total, grid.vertex_count());
    EXPECT_EQ(prune(tree, 0), tree);
    EXPECT_EQ(prune(tree, 1e9).arcs.size(), 1u);
  }
}

// Heights along a strip, the other side a little higher: 0 5 1 4 2 9. Contours begin at 0, 1 and 2; the first
// two meet at 5, those of 1 and 2 at 4.
//
//   9    o
//        |
//   5    o
//       / \ .
//   4  |   o
//      |  / \ .
//      0  1  2
TEST(ContourTree, OfThreeValleys) {
  TriMesh mesh;
  Array<Vec3f> points;
  Array<double> heights;
  const std::array<double, 6> along = {0, 5, 1, 4, 2, 9};
  for (std::size_t i = 0; i < along.size(); ++i) {
    points.push_back({static_cast<float>(i), 0, 0});
    points.push_back({static_cast<float>(i), 1, 0});
    heights.push_back(along[i]);
    heights.push_back(along[i] + 0.5);
  }
  mesh.points = Points(std::move(points));
  for (std::uint32_t i = 0; i + 1 < along.size(); ++i) {
    mesh.cells.push_back({VertexId(2 * i), VertexId(2 * i + 2), VertexId(2 * i + 1)});
    mesh.cells.push_back({VertexId(2 * i + 1), VertexId(2 * i + 2), VertexId(2 * i + 3)});
  }
  const Field field("height", std::move(heights));
  const ContourTree tree = contour_tree(mesh, field);
  // Maxima: 9.5 at the end, and on the ridges: superlevel sets part at 5 and 4 too, where the strip is cut.
  expect_as_naive(tree, mesh, field);
  expect_contours(tree, mesh, field);
  EXPECT_TRUE(tree.is_leaf(0));
  EXPECT_EQ(tree.nodes[0].vertex, VertexId(0));
  EXPECT_EQ(tree.nodes[tree.nodes.size() - 1].vertex, VertexId(11));
  const PolyData poly = make_poly(tree, mesh, field);
  EXPECT_EQ(poly.vertex_count(), tree.nodes.size());
  EXPECT_EQ(poly.lines.size(), tree.arcs.size());
  for (const char* name : {"VertexId", "NodeId", "Scalar", "CriticalType"})
    EXPECT_TRUE(poly.point_data.has(name)) << name;
  for (const char* name :
       {"upNodeId", "downNodeId", "SegmentationId", "RegionSize", "RegionSpan", "BranchId", "Persistence"})
    EXPECT_TRUE(poly.cell_data.has(name)) << name;
  FieldSet data;
  add_labels(data, tree);
  EXPECT_EQ(data.find("SegmentationId")->size(), mesh.vertex_count());
  EXPECT_EQ(data.find("RegionType")->as<std::int8_t>()[0], 0);   // an arc from a minimum
  EXPECT_EQ(data.find("RegionType")->as<std::int8_t>()[11], 1);  // ... to a maximum
}

TEST(ContourTree, OfNothingAndOfVerticesAlone) {
  TriMesh mesh;
  EXPECT_EQ(contour_tree(mesh, Field("f", Array<float>())), ContourTree());
  mesh.points = Points(Array<Vec3f>{{0, 0, 0}, {1, 0, 0}});
  const Field field("f", Array<float>{1, 2});
  const ContourTree tree = contour_tree(mesh, field);
  EXPECT_EQ(tree.nodes.size(), 2u);
  EXPECT_TRUE(tree.arcs.empty() && tree.branches.empty());
  EXPECT_EQ(tree.labels, (Array<std::uint32_t>{none, none}));
  FieldSet data;
  add_labels(data, tree);
  EXPECT_EQ(data.find("SegmentationId")->as<std::int32_t>()[1], -1);
  EXPECT_EQ(prune(tree, 5), tree);
}

TEST(ContourTree, TakesInfinities) {
  const Grid grid = grid_of({6, 5, 4});
  Field field = random_field<float>(grid.vertex_count(), 9, 1);
  field.as<float>()[3] = field.as<float>()[80] = std::numeric_limits<float>::infinity();
  field.as<float>()[31] = field.as<float>()[99] = -std::numeric_limits<float>::infinity();
  const ContourTree tree = contour_tree(grid, field);
  expect_as_naive(tree, std::get<TetMesh>(triangulate(grid)), field);
  for (const ContourTree::Branch& branch : tree.branches) EXPECT_FALSE(std::isnan(branch.persistence()));
  EXPECT_GE(prune(tree, 1000).arcs.size(), 1u);
}

TEST(ContourTree, RefusesWhatCannotBe) {
  const Grid grid = grid_of({6, 5, 4});
  Field field = random_field<float>(grid.vertex_count(), 9, 1);
  const ContourTree tree = contour_tree(grid, field);
  EXPECT_THROW((void)prune(tree, -1), Error);
  EXPECT_THROW((void)prune(tree, std::nan("")), Error);
  EXPECT_THROW((void)contour_tree(grid_of({9, 1, 1}), random_field<float>(9, 9, 1)), Error);
  EXPECT_THROW((void)contour_tree(grid, "nothing"), Error);
  EXPECT_THROW((void)make_poly(tree, grid_of({2, 2, 2}), random_field<float>(8, 9, 1)), Error);
  std::stop_source stop;
  stop.request_stop();
  const Monitor monitor = {{}, stop.get_token()};
  EXPECT_THROW((void)contour_tree(grid, field, {.monitor = &monitor}), Error);
  field.as<float>()[7] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW((void)contour_tree(grid, field), Error);
}

}  // namespace
}  // namespace tessera
