// Reference results: TTK 2024 on small meshes (checked by an independent brute force), line by line, and its
// published counts on larger ones.
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <tessera/mesh/make.h>

#include "topology/lines.h"
#include "topology/meshes.h"
#include "topology/results.h"

namespace tessera {
namespace testing {

std::ostream& operator<<(std::ostream& out, const Digest& digest) {
  return out << digest.lines << " lines, hash " << std::hex << digest.hash << std::dec;
}

}  // namespace testing
namespace {

using namespace testing;

/// Lines of the reference files .cp, .critcells, .pairs and .seps of a mesh, where it has them.
struct Reference {
  std::array<std::size_t, 5> points;                ///< counts by type
  std::array<std::size_t, 4> cells;                 ///< counts by dimension
  std::optional<std::array<std::size_t, 3>> paths;  ///< counts by type
  std::optional<Digest> point_lines, cell_lines, pair_lines, path_lines;
  /// Triangles of descending walls, dual polygons of ascending ones, ascending walls that have any.
  std::optional<std::array<std::size_t, 3>> walls;
  /// Labels of ascending and descending manifolds and of their pairs; TTK counts "none" as one more.
  std::optional<std::array<std::size_t, 3>> regions;
};

/// A dual polygon needs three cells around its edge.
std::array<std::size_t, 3> count_walls(const Results& results) {
  std::array<std::size_t, 3> counts = {};
  for (const NamedWall& wall : results.descending_walls) counts[0] += wall.cells.size();
  for (const NamedWall& wall : results.ascending_walls) {
    const auto polygons =
        std::count_if(wall.rings.begin(), wall.rings.end(), [](const auto& ring) { return ring.size() > 2; });
    counts[1] += static_cast<std::size_t>(polygons);
    counts[2] += polygons > 0 ? 1 : 0;
  }
  return counts;
}

template <class T>
void expect_if_known(const T& found, const std::optional<T>& expected) {
  EXPECT_EQ(found, expected.value_or(found));
}

void check(const TetMesh& mesh, const Field& field, const Reference& expected) {
  for (const std::uint32_t size : {17u, 512u}) {
    const Results found = compute_results(mesh, field, {.threads = 2, .tiles = {.max_vertices = size}});
    std::array<std::size_t, 5> points = {};
    for (const CriticalPoint& point : found.points) ++points[static_cast<std::size_t>(point.type)];
    EXPECT_EQ(points, expected.points);
    for (std::size_t d = 0; d <= 3; ++d) EXPECT_EQ(found.critical[d].size(), expected.cells[d]) << d;
    std::array<std::size_t, 3> paths = {};
    for (const NamedPath& path : found.paths) ++paths[static_cast<std::size_t>(path.type)];
    expect_if_known(paths, expected.paths);
    expect_if_known(digest(point_lines(found)), expected.point_lines);
    expect_if_known(digest(cell_lines(found)), expected.cell_lines);
    expect_if_known(digest(pair_lines(found)), expected.pair_lines);
    expect_if_known(digest(path_lines(found)), expected.path_lines);
    expect_if_known(count_walls(found), expected.walls);
    expect_if_known(found.regions, expected.regions);
  }
}

constexpr std::uint64_t hash_of_nothing = 0xCBF29CE484222325ull;

// kuhn16: 2017 vertices, 8466 tets, numbered in leaves of 100.
TEST(TopologyReference, Kuhn16Rough) {
  const TetMesh mesh = make_kuhn(16, {.leaf_vertices = 100});
  check(mesh, make_wave_field(mesh.points, WaveField::rough),
        {.points = {191, 401, 363, 178, 345},
         .cells = {191, 731, 603, 62},
         .paths = {{1462, 2224, 589}},
         .point_lines = Digest{1478, 0xB977081624694735},
         .cell_lines = Digest{1587, 0x9BCFA456B079FF07},
         .pair_lines = Digest{19313, 0x18867B9E2386B4B6},
         .path_lines = Digest{4275, 0x916BDEAF8DA6E1F3},
         .walls = {{5479, 10036, 686}},
         .regions = {{62, 191, 285}}});
}

TEST(TopologyReference, Kuhn16Smooth) {
  const TetMesh mesh = make_kuhn(16, {.leaf_vertices = 100});
  check(mesh, make_wave_field(mesh.points, WaveField::smooth),
        {.points = {46, 81, 96, 52, 12},
         .cells = {46, 81, 42, 6},
         .paths = {{162, 198, 35}},
         .point_lines = Digest{287, 0x623579A090ED05DD},
         .cell_lines = Digest{175, 0x63B8AE7ECC2DEEEA},
         .path_lines = Digest{395, 0x0A624DF38FC0B442},
         .walls = {{2536, 4842, 80}},
         .regions = {{6, 46, 56}}});
}

// micro_onetet: values 0, 1, 2, 3. The reference lines are "0 0" and "3 3".
TEST(TopologyReference, OneTet) {
  check(make_small_solid("one_tet"), Field("f", Array<float>{0, 1, 2, 3}),
        {.points = {1, 0, 0, 1, 0},
         .cells = {1, 0, 0, 0},
         .paths = {{0, 0, 0}},
         .point_lines = Digest{2, 0x325959415522AD9D},
         .cell_lines = Digest{1, 0x37A83BF99CE7E807},
         .path_lines = Digest{0, hash_of_nothing}});
}

// micro_twotets: a maximum at each end of the shared triangle, whose highest vertex is a 2-saddle.
TEST(TopologyReference, TwoTets) {
  check(make_small_solid("two_tets"), Field("f", Array<float>{4, 1, 2, 3, 5}),
        {.points = {1, 0, 1, 2, 0},
         .cells = {1, 0, 0, 0},
         .paths = {{0, 0, 0}},
         .point_lines = Digest{4, 0x45C5D81DF5FB3739},
         .cell_lines = Digest{1, 0x37A4D9F99CE50BAA},
         .path_lines = Digest{0, hash_of_nothing}});
}

// micro_bowtie_vertex: one tet lies below the shared vertex, the other above it.
TEST(TopologyReference, BowTieVertex) {
  check(make_small_solid("bow_tie_vertex"), Field("f", Array<float>{3, 0, 1, 2, 4, 5, 6}),
        {.points = {1, 0, 0, 1, 0},
         .cells = {1, 0, 0, 0},
         .paths = {{0, 0, 0}},
         .point_lines = Digest{2, 0x9762D413959DCC2D},
         .cell_lines = Digest{1, 0x37A4D9F99CE50BAA},
         .path_lines = Digest{0, hash_of_nothing}});
}

/// 27 points, x fastest, every cube cut into six around its diagonal.
TetMesh make_grid3() {
  std::vector<std::array<std::uint32_t, 4>> cells;
  for (const std::uint32_t corner : {0u, 1u, 3u, 4u, 9u, 10u, 12u, 13u}) {
    std::array<std::uint32_t, 3> steps = {1, 3, 9};
    do {
      cells.push_back({corner, corner + steps[0], corner + steps[0] + steps[1], corner + 13});
    } while (std::next_permutation(steps.begin(), steps.end()));
  }
  return make_mesh<3>(27, cells);
}

/// The distance from the middle of the grid along its axes, times a sign.
Field make_distance_field(int sign) {
  Array<float> values;
  for (int i = 0; i < 27; ++i) {
    const int distance = std::abs(i % 3 - 1) + std::abs(i / 3 % 3 - 1) + std::abs(i / 9 - 1);
    values.push_back(static_cast<float>(sign * distance));
  }
  return {"distance", std::move(values)};
}

TEST(TopologyReference, GridWithAMinimum) {
  check(make_grid3(), make_distance_field(1),
        {.points = {1, 3, 12, 8, 0},
         .cells = {1, 0, 0, 0},
         .paths = {{0, 0, 0}},
         .point_lines = Digest{24, 0xC1078358670FCC95},
         .cell_lines = Digest{1, 0x71DBED2598F07A2D},
         .path_lines = Digest{0, hash_of_nothing}});
}

TEST(TopologyReference, GridWithAMaximum) {
  check(make_grid3(), make_distance_field(-1),
        {.points = {8, 12, 3, 1, 0},
         .cells = {8, 12, 6, 1},
         .paths = {{24, 24, 6}},
         .point_lines = Digest{24, 0x88403A6AA41C2021},
         .cell_lines = Digest{27, 0x8845DC2BAA5FAC6B},
         .path_lines = Digest{54, 0x73ABC2C44580BE31},
         .walls = {{48, 64, 12}},
         .regions = {{1, 8, 8}}});
}

// All values equal: input ids decide.
TEST(TopologyReference, FlatGrid) {
  check(make_grid3(), Field("flat", Array<float>(27, 0.0f)),
        {.points = {1, 0, 0, 1, 0},
         .cells = {1, 0, 0, 0},
         .paths = {{0, 0, 0}},
         .point_lines = Digest{2, 0x98787182FF8E08B4},
         .cell_lines = Digest{1, 0x37A83BF99CE7E807},
         .path_lines = Digest{0, hash_of_nothing}});
}

// micro_cone60: a ball whose center is the maximum; the reference's values by their places among them, equal
// ones alike (a wave over the sphere, symmetric).
TEST(TopologyReference, Ball60) {
  const Field field("f",
                    Array<std::uint8_t>{22, 21, 16, 20, 19, 17, 13, 18, 13, 17, 19, 15, 6, 12, 1, 11, 1, 12,
                                        6,  10, 3,  8,  0,  7,  0,  8,  3,  14, 9,  4,  2, 5,  2, 4,  9});
  check(make_ball(8, 4), field,
        {.points = {4, 4, 2, 1, 0},
         .cells = {4, 4, 2, 1},
         .paths = {{8, 8, 2}},
         .cell_lines = Digest{11, 0x3172E8651CF4F39E},
         .path_lines = Digest{18, 0x1AE41A1777A6D8F4},
         .walls = {{64, 28, 3}},
         .regions = {{1, 4, 4}}});
}

// micro_cone400: the lower star of the center has 600 triangles. Right is what the brute force finds; TTK
// 2024 has 4, 4, 210, 167 critical cells here, because it counts facets in eight bits.
TEST(TopologyReference, Ball400) {
  const Field field(
      "f",
      Array<std::uint8_t>{
          112, 109, 85,  111, 110, 108, 107, 106, 104, 101, 98, 99, 100, 102, 100, 99, 98, 101, 104, 106, 107,
          108, 110, 105, 103, 97,  96,  94,  91,  86,  81,  84, 90, 93,  90,  84,  81, 86, 91,  94,  96,  97,
          103, 95,  92,  82,  76,  79,  74,  51,  35,  43,  67, 80, 67,  43,  35,  51, 74, 79,  76,  82,  92,
          87,  70,  44,  50,  72,  68,  41,  10,  12,  45,  71, 45, 12,  10,  41,  68, 72, 50,  44,  70,  69,
          46,  22,  33,  64,  65,  28,  6,   7,   32,  63,  32, 7,  6,   28,  65,  64, 33, 22,  46,  55,  36,
          11,  24,  52,  53,  18,  2,   3,   23,  49,  23,  3,  2,  18,  53,  52,  24, 11, 36,  54,  38,  13,
          17,  40,  34,  9,   0,   1,   14,  39,  14,  1,   0,  9,  34,  40,  17,  13, 38, 62,  48,  31,  25,
          26,  21,  8,   4,   5,   15,  27,  15,  5,   4,   8,  21, 26,  25,  31,  48, 78, 75,  59,  47,  42,
          30,  20,  16,  19,  29,  37,  29,  19,  16,  20,  30, 42, 47,  59,  75,  89, 88, 83,  77,  73,  66,
          60,  56,  57,  58,  61,  58,  57,  56,  60,  66,  73, 77, 83,  88});
  check(make_ball(20, 10), field, {.points = {4, 4, 2, 1, 0}, .cells = {4, 4, 2, 1}});
}

// The counts of TTK 2024 on kuhn64 with the rough field.
TEST(TopologyReference, Kuhn64Rough) {
  const TetMesh mesh = make_kuhn(64);
  const Field field = make_wave_field(mesh.points, WaveField::rough);
  const TiledMesh<3> tiles = tile(mesh);
  EXPECT_EQ(critical_points(tiles, field).counts, (std::array<std::size_t, 5>{1665, 4513, 4560, 1709, 234}));
  const auto complex = morse_smale(tiles, field);
  EXPECT_EQ(complex.gradient.edge_count(), 771547u);
  for (const auto& [d, count] : {std::pair{0, 1665u}, {1, 4417u}, {2, 3679u}, {3, 926u}}) {
    EXPECT_EQ(complex.gradient.critical_cells(d).size(), count);
  }
  EXPECT_EQ(complex.separatrices.counts, (std::array<std::size_t, 3>{8834, 16773, 5868}));
}

}  // namespace
}  // namespace tessera
