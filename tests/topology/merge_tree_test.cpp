// Merge trees. The oracle adds vertex after vertex in their order and joins the sets of their neighbours,
// which it lists from the cells.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
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
#include <tessera/topology/merge_tree.h>
#include <tessera/topology/persistence.h>

#include "tile/oracle.h"
#include "topology/grids.h"
#include "topology/meshes.h"
#include "topology/neighbours.h"

namespace tessera {
namespace {

using namespace testing;
using Ids = std::vector<std::uint32_t>;

struct Naive {
  std::vector<MergeTree::Node> nodes;
  Ids labels;
};

template <int Dim>
Naive sweep(const SimplexMesh<Dim>& mesh, const std::vector<double>& values, MergeTreeKind kind) {
  const std::size_t n = mesh.vertex_count();
  Ids order = sorted(values);
  if (kind == MergeTreeKind::split) std::ranges::reverse(order);
  Ids rank(n);
  for (std::uint32_t i = 0; i < n; ++i) rank[order[i]] = i;
  const auto neighbours = neighbours_of(mesh);
  Naive tree;
  tree.labels.assign(n, MergeTree::none);
  Ids set_of(n);  // by vertex; sets are renamed as a whole, which is slow and plain
  std::map<std::uint32_t, Ids> members;
  std::map<std::uint32_t, std::uint32_t> top;
  for (const std::uint32_t v : order) {
    std::set<std::uint32_t> sets;
    for (const std::uint32_t u : neighbours[v]) {
      if (rank[u] < rank[v]) sets.insert(set_of[u]);
    }
    set_of[v] = v;
    members[v] = {v};
    if (sets.size() != 1) {
      const auto number = static_cast<std::uint32_t>(tree.nodes.size());
      std::uint32_t leaf = sets.empty() ? number : MergeTree::none;
      for (const std::uint32_t set : sets) {
        tree.nodes[top[set]].parent = number;
        leaf = std::min(leaf, tree.nodes[top[set]].leaf);
      }
      tree.nodes.push_back({VertexId(v), MergeTree::none, leaf, 0});
      top[v] = number;
    } else {
      top[v] = top[*sets.begin()];
    }
    for (const std::uint32_t set : sets) {
      for (const std::uint32_t u : members[set]) set_of[u] = v;
      members[v].insert(members[v].end(), members[set].begin(), members[set].end());
      members.erase(set);
      top.erase(set);
    }
    tree.labels[v] = top[v];
  }
  // The set of a component has the name of its last vertex. Roots take their places among the nodes.
  for (const auto& [last, node] : top) {
    if (tree.nodes[node].vertex.index() == last) continue;
    tree.nodes[node].parent = static_cast<std::uint32_t>(tree.nodes.size());
    tree.labels[last] = static_cast<std::uint32_t>(tree.nodes.size());
    tree.nodes.push_back({VertexId(last), MergeTree::none, tree.nodes[node].leaf, 0});
  }
  Ids places(tree.nodes.size());
  std::iota(places.begin(), places.end(), 0u);
  std::ranges::sort(places, {}, [&](std::uint32_t i) { return rank[tree.nodes[i].vertex.index()]; });
  Ids number(places.size());
  for (std::uint32_t i = 0; i < places.size(); ++i) number[places[i]] = i;
  Naive sorted{tree.nodes, tree.labels};
  for (std::uint32_t i = 0; i < places.size(); ++i) {
    MergeTree::Node node = tree.nodes[places[i]];
    if (node.parent != MergeTree::none) node.parent = number[node.parent];
    node.leaf = number[node.leaf];
    sorted.nodes[i] = node;
  }
  for (std::uint32_t& label : sorted.labels) label = number[label];
  for (const std::uint32_t label : sorted.labels) ++sorted.nodes[label].size;
  return sorted;
}

void expect_tree(const MergeTree& found, const Naive& expected) {
  ASSERT_TRUE(std::ranges::equal(found.nodes, expected.nodes));
  ASSERT_TRUE(std::ranges::equal(found.labels, expected.labels));
}

template <int Dim>
void expect_as_swept(const SimplexMesh<Dim>& mesh, const Field& field) {
  for (const MergeTreeKind kind : {MergeTreeKind::join, MergeTreeKind::split}) {
    const Naive expected = sweep(mesh, numbers_of(field), kind);
    for (const int threads : {1, 2, 7})
      expect_tree(merge_tree(mesh, field, {.kind = kind, .exec = Exec::host(threads)}), expected);
  }
}

void expect_as_swept(const Grid& grid, const Field& field) {
  std::visit(
      [&](const auto& mesh) {
        if constexpr (requires { mesh.cells; }) {
          for (const MergeTreeKind kind : {MergeTreeKind::join, MergeTreeKind::split}) {
            const Naive expected = sweep(mesh, numbers_of(field), kind);
            for (const int threads : {1, 7})
              expect_tree(merge_tree(grid, field, {.kind = kind, .exec = Exec::host(threads)}), expected);
          }
        }
      },
      triangulate(grid));
}

TriMesh strip(std::uint32_t squares) {
  TriMesh mesh;
  Array<Vec3f> points;
  for (std::uint32_t i = 0; i <= squares; ++i) {
    points.push_back({static_cast<float>(i), 0, 0});
    points.push_back({static_cast<float>(i), 1, 0});
  }
  mesh.points = Points(std::move(points));
  for (std::uint32_t i = 0; i < squares; ++i) {
    mesh.cells.push_back({VertexId(2 * i), VertexId(2 * i + 2), VertexId(2 * i + 1)});
    mesh.cells.push_back({VertexId(2 * i + 1), VertexId(2 * i + 2), VertexId(2 * i + 3)});
  }
  return mesh;
}

// Heights along a strip, the same on both sides but for the upper one, which is a little higher:
//
//   0   5   1   4   2   9
//
// Minima 0 (at 0), 1 (at 2), 2 (at 4). 1 and 2 meet at 4, and both meet 0 at 5, the lower ones of each pair.
TEST(MergeTree, OfThreeValleys) {
  const TriMesh mesh = strip(5);
  Array<double> heights;
  for (const double h : {0, 5, 1, 4, 2, 9}) heights.insert(heights.end(), {h, h + 0.5});
  const Field field("height", std::move(heights));
  const MergeTree tree = merge_tree(mesh, field);
  ASSERT_EQ(tree.nodes.size(), 6u);
  const auto expect_node = [&](std::uint32_t i, std::uint32_t vertex, std::uint32_t parent,
                               std::uint32_t leaf) {
    EXPECT_EQ(tree.nodes[i].vertex, VertexId(vertex)) << i;
    EXPECT_EQ(tree.nodes[i].parent, parent) << i;
    EXPECT_EQ(tree.nodes[i].leaf, leaf) << i;
  };
  expect_node(0, 0, 4, 0);
  expect_node(1, 4, 3, 1);
  expect_node(2, 8, 3, 2);
  expect_node(3, 6, 4, 1);
  expect_node(4, 2, 5, 0);
  expect_node(5, 11, MergeTree::none, 0);
  ASSERT_EQ(tree.branches.size(), 3u);
  EXPECT_EQ(tree.branches[0], (MergeTree::Branch{0, 5, 0, 9.5}));
  EXPECT_EQ(tree.branches[1], (MergeTree::Branch{1, 4, 1, 5}));
  EXPECT_EQ(tree.branches[2], (MergeTree::Branch{2, 3, 2, 4}));
  EXPECT_EQ(tree.arc_count(), 5u);

  // Without the valley of 2, whose depth is 2, its vertices belong to that of 1.
  const MergeTree pruned = prune(tree, 3);
  ASSERT_EQ(pruned.nodes.size(), 4u);
  EXPECT_EQ(pruned.nodes[0].parent, 2u);
  EXPECT_EQ(pruned.nodes[1].parent, 2u);
  EXPECT_EQ(pruned.nodes[2].parent, 3u);
  EXPECT_EQ(pruned.labels[8], 1u);
  EXPECT_EQ(pruned.labels[6], 1u);
  EXPECT_EQ(pruned.labels[2], 2u);
  EXPECT_EQ(prune(tree, 0), tree);
  EXPECT_EQ(prune(tree, 100).nodes.size(), 2u);
}

TEST(MergeTree, OfGridsIsThatOfASweep) {
  int fields = 0;
  for (const Dims& dims : {Dims{2, 2, 2}, Dims{3, 3, 3}, Dims{2, 3, 4}, Dims{5, 4, 3}, Dims{7, 6, 5},
                           Dims{2, 2, 1}, Dims{1, 6, 5}, Dims{9, 1, 8}, Dims{20, 3, 2}, Dims{12, 11, 1}}) {
    const Grid grid = grid_of(dims);
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      const std::uint64_t range = seed % 3 == 0 ? 3 : seed % 3 == 1 ? 1000000 : 20;
      SCOPED_TRACE(say(dims) + ", seed " + std::to_string(seed));
      expect_as_swept(grid, random_field<float>(grid.vertex_count(), range, seed));
      ++fields;
    }
  }
  EXPECT_EQ(fields, 600);
}

TEST(MergeTree, OfMeshesIsThatOfASweep) {
  int fields = 0;
  const TetMesh solid = make_shuffled(make_kuhn_full(5));
  const TriMesh surface = make_shuffled(make_torus(9, 7));
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    const std::uint64_t range = seed % 3 == 0 ? 3 : seed % 3 == 1 ? 1000000 : 20;
    expect_as_swept(solid, random_field<double>(solid.vertex_count(), range, seed));
    expect_as_swept(surface, random_field<float>(surface.vertex_count(), range, seed));
    // Several components, edges of many faces, vertices of no cell.
    const TetMesh tangle = oracle::random_mesh<3>(40, 30, static_cast<unsigned>(seed));
    expect_as_swept(tangle, random_field<std::int8_t>(tangle.vertex_count(), range % 100 + 1, seed));
    const TriMesh sheets = oracle::random_mesh<2>(40, 50, static_cast<unsigned>(seed));
    expect_as_swept(sheets, random_field<std::uint16_t>(sheets.vertex_count(), range % 60000 + 1, seed));
    fields += 4;
  }
  EXPECT_EQ(fields, 400);
}

// So many vertices that seven threads have something to do.
TEST(MergeTree, OfWavesOnManyThreads) {
  Grid grid = make_lattice(40, 43, 37);
  grid.point_data.add(make_mri_field(grid));
  const Field& field = grid.field("mri");
  const auto mesh = std::get<TetMesh>(triangulate(grid));
  for (const MergeTreeKind kind : {MergeTreeKind::join, MergeTreeKind::split}) {
    const MergeTree expected = merge_tree(grid, field, {.kind = kind, .exec = Exec::host(1)});
    EXPECT_GT(expected.nodes.size(), 1000u);
    for (const int threads : {1, 2, 7}) {
      const MergeTreeOptions options = {.kind = kind, .exec = Exec::host(threads)};
      EXPECT_EQ(merge_tree(grid, field, options), expected);
      EXPECT_EQ(merge_tree(mesh, field, options), expected);
    }
  }
}

TEST(MergeTree, OfSheetsThatMeetOnManyThreads) {
  const TriMesh sheets = oracle::random_mesh<2>(70000, 90000, 5);
  const Field field = random_field<float>(sheets.vertex_count(), 1000, 5);
  const MergeTree expected = merge_tree(sheets, field, {.exec = Exec::host(1)});
  for (const int threads : {2, 7})
    EXPECT_EQ(merge_tree(sheets, field, {.exec = Exec::host(threads)}), expected);
}

template <class T>
void expect_type(std::initializer_list<double> special) {
  const Grid grid = grid_of({6, 5, 4});
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Field field = random_field<T>(grid.vertex_count(), 20, seed);
    std::size_t place = 3;
    for (const double value : special) {
      field.as<T>()[place] = field.as<T>()[place + 40] = static_cast<T>(value);
      place += 7;
    }
    expect_as_swept(grid, field);
  }
}

TEST(MergeTree, OfEveryTypeIsThatOfASweep) {
  expect_type<std::int8_t>({-128, 127});
  expect_type<std::uint8_t>({255});
  expect_type<std::int16_t>({-32768});
  expect_type<std::uint16_t>({65535});
  expect_type<std::int32_t>({-2147483648.0});
  expect_type<std::uint32_t>({4294967295.0});
  expect_type<std::int64_t>({-9007199254740992.0});
  expect_type<std::uint64_t>({9007199254740992.0});
  constexpr double infinity = std::numeric_limits<double>::infinity();
  expect_type<float>({infinity, -infinity, -0.0, 0.0});
  expect_type<double>({infinity, -infinity, -0.0, 0.0});
}

// Branches of a join tree are the pairs of dimension 0: births at minima, deaths at the vertices where they
// meet, and the essential ones.
TEST(MergeTree, HasThePairsOfPersistence) {
  Grid grid = make_lattice(24, 23, 21);
  grid.point_data.add(make_mri_field(grid));
  const Persistence persistence = compute_persistence<3>(grid, "mri");
  std::multiset<std::pair<double, double>> expected;
  for (const PersistencePair& pair : persistence.pairs) {
    if (pair.dimension == 0) expected.insert({pair.birth_value, pair.death_value});
  }
  std::multiset<std::pair<double, double>> found;
  for (const MergeTree::Branch& branch : merge_tree(grid, "mri").branches)
    found.insert({branch.birth_value, branch.death_value});
  EXPECT_EQ(found, expected);
}

/// The branch that stays where the one of a node ends, and the node there.
std::uint32_t owner(const MergeTree& tree, std::uint32_t node, double threshold) {
  std::map<std::uint32_t, MergeTree::Branch> branch_of;
  for (const MergeTree::Branch& branch : tree.branches) branch_of[branch.leaf] = branch;
  // The oldest branch of a component stays. Another one may end at the root, too.
  const auto stays = [&](const MergeTree::Branch& branch) {
    return (tree.is_root(branch.end) && tree.nodes[branch.end].leaf == branch.leaf) ||
           branch.persistence() >= threshold;
  };
  while (!stays(branch_of[tree.nodes[node].leaf])) node = branch_of[tree.nodes[node].leaf].end;
  // The last node on it, not behind, that is its leaf or root or where another one that stays ends.
  std::uint32_t last = tree.nodes[node].leaf;
  for (std::uint32_t i = last; i <= node; ++i) {
    if (tree.nodes[i].leaf != tree.nodes[node].leaf) continue;
    bool is_end = tree.is_root(i);
    for (const auto& [leaf, branch] : branch_of) is_end = is_end || (branch.end == i && stays(branch));
    if (is_end) last = i;
  }
  return last;
}

template <class Domain>
void expect_pruned(const Domain& domain, const Field& field, double threshold) {
  for (const MergeTreeKind kind : {MergeTreeKind::join, MergeTreeKind::split}) {
    const MergeTree tree = merge_tree(domain, field, {.kind = kind});
    const MergeTree pruned = prune(tree, threshold);
    ASSERT_LT(pruned.nodes.size(), tree.nodes.size());
    std::size_t total = 0;
    for (const MergeTree::Node& node : pruned.nodes) total += node.size;
    EXPECT_EQ(total, field.size());
    for (std::size_t v = 0; v < field.size(); ++v) {
      ASSERT_EQ(pruned.nodes[pruned.labels[v]].vertex,
                tree.nodes[owner(tree, tree.labels[v], threshold)].vertex);
    }
    const auto roots = std::ranges::count(pruned.nodes, MergeTree::none, &MergeTree::Node::parent);
    EXPECT_EQ(roots, std::ranges::count(tree.nodes, MergeTree::none, &MergeTree::Node::parent));
    EXPECT_EQ(roots, std::ranges::count_if(pruned.branches, [&](const MergeTree::Branch& branch) {
                return pruned.nodes[branch.end].leaf == branch.leaf;
              }));
    for (const MergeTree::Branch& branch : pruned.branches)
      EXPECT_TRUE(branch.persistence() >= threshold || pruned.nodes[branch.end].leaf == branch.leaf);
  }
}

TEST(MergeTree, PrunedVerticesGoWhereTheirBranchEnds) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const Grid grid = grid_of({7, 6, 5});
    Field field = random_field<float>(grid.vertex_count(), 30, seed);
    if (seed % 4 == 0) {
      field.as<float>()[9] = field.as<float>()[100] = std::numeric_limits<float>::infinity();
      field.as<float>()[50] = field.as<float>()[150] = -std::numeric_limits<float>::infinity();
    }
    expect_pruned(grid, field, 12);
    const TetMesh tangle = oracle::random_mesh<3>(40, 20, static_cast<unsigned>(seed));
    expect_pruned(tangle, random_field<std::int16_t>(tangle.vertex_count(), 1000, seed), 900);
  }
}

// Two triangles that meet in the highest vertex, 2: the younger piece dies at the root.
TEST(MergeTree, PruningTakesABranchThatEndsAtTheRoot) {
  TriMesh mesh;
  mesh.points = Points(Array<Vec3f>{{0, 0, 0}, {0, 2, 0}, {1, 1, 0}, {2, 0, 0}, {2, 2, 0}});
  mesh.cells.push_back({VertexId(0), VertexId(1), VertexId(2)});
  mesh.cells.push_back({VertexId(2), VertexId(3), VertexId(4)});
  const MergeTree tree = merge_tree(mesh, Field("f", Array<float>{0, 1, 10, 8, 9}));
  ASSERT_EQ(tree.branches.size(), 2u);
  EXPECT_EQ(tree.branches[1].persistence(), 2);
  const MergeTree pruned = prune(tree, 3);
  ASSERT_EQ(pruned.branches.size(), 1u);
  EXPECT_EQ(pruned.branches[0].persistence(), 10);
  ASSERT_EQ(pruned.nodes.size(), 2u);
  EXPECT_EQ(pruned.nodes[1].vertex, VertexId(2));
  EXPECT_EQ(pruned.labels[3], 1u);
  FieldSet data;
  add_labels(data, pruned);
  EXPECT_TRUE(std::ranges::equal(data.find("RegionSize")->as<std::int32_t>(), std::array{2, 2, 3, 3, 3}));
}

// Rows that are longer than the blocks in which first neighbours are found.
TEST(MergeTree, OfLongRowsIsThatOfTheirSimplices) {
  for (const Dims& dims : {Dims{3000, 3, 2}, Dims{1025, 2, 2}, Dims{1026, 4, 1}}) {
    const Grid grid = grid_of(dims);
    for (const std::uint64_t range : {4ull, 100000ull}) {
      const Field field = random_field<float>(grid.vertex_count(), range, 3);
      std::visit(
          [&](const auto& mesh) {
            if constexpr (requires { mesh.cells; }) {
              for (const MergeTreeKind kind : {MergeTreeKind::join, MergeTreeKind::split})
                EXPECT_EQ(merge_tree(grid, field, {.kind = kind}), merge_tree(mesh, field, {.kind = kind}));
            }
          },
          triangulate(grid));
    }
  }
}

TEST(MergeTree, OfNothingAndOfOneVertex) {
  TriMesh mesh;
  EXPECT_TRUE(merge_tree(mesh, Field("f", Array<float>())).nodes.empty());
  mesh.points = Points(Array<Vec3f>{{0, 0, 0}});
  const MergeTree tree = merge_tree(mesh, Field("f", Array<float>{1}));
  ASSERT_EQ(tree.nodes.size(), 1u);
  EXPECT_TRUE(tree.is_leaf(0) && tree.is_root(0));
  EXPECT_EQ(tree.branches[0], (MergeTree::Branch{0, 0, 1, 1}));
}

// The strip of OfThreeValleys: nodes are vertices 0, 4, 8 (minima), 6, 2 (saddles) and 11.
TEST(MergeTree, AsPolyDataHasTheNamesOfTtk) {
  const TriMesh mesh = strip(5);
  Array<double> heights;
  for (const double h : {0, 5, 1, 4, 2, 9}) heights.insert(heights.end(), {h, h + 0.5});
  const Field field("height", std::move(heights));
  const MergeTree tree = merge_tree(mesh, field);
  const PolyData poly = make_poly(tree, mesh, field);
  EXPECT_EQ(poly.vertex_count(), 6u);
  EXPECT_EQ(poly.lines.size(), 5u);
  const auto expect_ids = [](const FieldSet& fields, const char* name,
                             const std::vector<std::int32_t>& expected) {
    ASSERT_NE(fields.find(name), nullptr) << name;
    EXPECT_TRUE(std::ranges::equal(fields.find(name)->as<std::int32_t>(), expected)) << name;
  };
  const auto types = poly.point_data.find("CriticalType")->as<std::int8_t>();
  EXPECT_TRUE(std::ranges::equal(types, std::array<std::int8_t, 6>{0, 0, 0, 1, 1, 3}));
  expect_ids(poly.point_data, "NodeId", {0, 1, 2, 3, 4, 5});
  expect_ids(poly.point_data, "VertexId", {0, 4, 8, 6, 2, 11});
  EXPECT_TRUE(std::ranges::equal(poly.point_data.find("Scalar")->as<double>(),
                                 std::array<double, 6>{0, 1, 2, 4, 5, 9.5}));
  expect_ids(poly.cell_data, "SegmentationId", {0, 1, 2, 3, 4});
  expect_ids(poly.cell_data, "downNodeId", {0, 1, 2, 3, 4});
  expect_ids(poly.cell_data, "upNodeId", {4, 3, 3, 4, 5});
  // Behind node 0 vertices 0 and 1; behind 4 and 8 one neighbour each; 6 and 7; 2, 3 and 10; the root is
  // alone.
  expect_ids(poly.cell_data, "RegionSize", {2, 2, 2, 2, 3});
  expect_ids(poly.cell_data, "BranchId", {0, 1, 2, 1, 0});
  EXPECT_EQ(poly.cell_data.find("Persistence")->as<double>()[0], 9.5);
  EXPECT_NEAR(poly.cell_data.find("RegionSpan")->as<double>()[0], 1, 1e-12);
  FieldSet data;
  add_labels(data, tree);
  expect_ids(data, "SegmentationId", {0, 0, 4, 4, 1, 1, 3, 3, 2, 2, 4, 5});
  expect_ids(data, "RegionSize", {2, 2, 3, 3, 2, 2, 2, 2, 2, 2, 3, 1});
  const MergeTree bare = merge_tree(mesh, field, {.labels = false});
  EXPECT_TRUE(bare.labels.empty());
  EXPECT_FALSE(make_poly(bare, mesh, field).cell_data.has("RegionSize"));
  EXPECT_THROW(add_labels(data, bare), Error);
  const TriMesh smaller = strip(2);
  EXPECT_THROW((void)make_poly(tree, smaller, Field("f", Array<float>(6))), Error);
  const MergeTree split = merge_tree(mesh, field, {.kind = MergeTreeKind::split});
  EXPECT_EQ(make_poly(split, mesh, field).point_data.find("CriticalType")->as<std::int8_t>()[0], 3);
}

TEST(MergeTree, OfGridsAsPolyDataIsThatOfTheirSimplices) {
  Grid grid = make_lattice(12, 11, 9);
  grid.point_data.add(make_mri_field(grid));
  const auto mesh = std::get<TetMesh>(triangulate(grid));
  const MergeTree tree = merge_tree(grid, "mri", {.kind = MergeTreeKind::split});
  const PolyData poly = make_poly(tree, grid, grid.field("mri"));
  EXPECT_EQ(poly.point_data, make_poly(tree, mesh, grid.field("mri")).point_data);
  EXPECT_EQ(poly.cell_data, make_poly(tree, mesh, grid.field("mri")).cell_data);
  const auto types = poly.point_data.find("CriticalType")->as<std::int8_t>();
  EXPECT_GT(std::ranges::count(types, 2), 0);  // where superlevel sets meet
  EXPECT_EQ(std::ranges::count(types, 1), 0);
}

TEST(MergeTree, StopsInTheMiddle) {
  Grid grid = make_lattice(40, 43, 37);
  grid.point_data.add(make_mri_field(grid));
  const auto mesh = std::get<TetMesh>(triangulate(grid));
  const auto expect_stop = [&](const auto& domain, double fraction) {
    std::stop_source stop;
    const Monitor monitor = {[&](std::string_view stage, double done) {
                               EXPECT_FALSE(stop.stop_requested() && done > fraction);
                               if (stage == "growing the tree" && done >= fraction) stop.request_stop();
                             },
                             stop.get_token()};
    try {
      (void)merge_tree(domain, grid.field("mri"), {.exec = Exec::host(2), .monitor = &monitor});
      ADD_FAILURE() << "not stopped at " << fraction;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::cancelled);
    }
  };
  for (const double fraction : {0.2, 0.4, 0.5, 0.6, 0.8, 0.9}) {
    SCOPED_TRACE(fraction);
    expect_stop(grid, fraction);
    expect_stop(mesh, fraction);
  }
}

TEST(MergeTree, RefusesWhatCannotBe) {
  const Grid grid = grid_of({6, 5, 4});
  Field field = random_field<float>(grid.vertex_count(), 9, 1);
  const auto expect_code = [](ErrorCode code, const auto& f) {
    try {
      f();
      ADD_FAILURE() << "not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
    }
  };
  const MergeTree tree = merge_tree(grid, field);
  expect_code(ErrorCode::bad_option, [&] { (void)prune(tree, -1); });
  expect_code(ErrorCode::bad_option, [&] { (void)prune(tree, std::nan("")); });
  expect_code(ErrorCode::unsupported, [&] {
    (void)merge_tree(grid_of({9, 1, 1}), random_field<float>(9, 9, 1));
  });
  expect_code(ErrorCode::unsupported, [&] { (void)merge_tree(grid, random_field<float>(7, 9, 1)); });
  expect_code(ErrorCode::not_found, [&] { (void)merge_tree(grid, "nothing"); });
  std::stop_source stop;
  stop.request_stop();
  const Monitor monitor = {{}, stop.get_token()};
  expect_code(ErrorCode::cancelled, [&] { (void)merge_tree(grid, field, {.monitor = &monitor}); });
  field.as<float>()[7] = std::numeric_limits<float>::quiet_NaN();
  expect_code(ErrorCode::unsupported, [&] { (void)merge_tree(grid, field); });
}

}  // namespace
}  // namespace tessera
