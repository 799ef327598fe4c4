// The parts of a Morse-Smale complex: how results are laid out, which parts are asked for, rings of walls,
// progress and cancellation.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/topology/morse_smale.h>

#include "topology/meshes.h"
#include "topology/results.h"

namespace tessera {
namespace {

using namespace testing;

template <int Dim>
void check_layout(const TiledMesh<Dim>& tiles, const Field& field) {
  const auto complex = morse_smale(tiles, field);
  const Separatrices& found = complex.separatrices;
  ASSERT_EQ(found.offsets.size(), found.ends.size() + 1);
  ASSERT_EQ(found.offsets.back(), found.cells.size());
  std::array<std::size_t, 3> count = {};
  for (std::size_t s = 0; s < found.ends.size(); ++s) {
    const auto& [type, source, destination] = found.ends[s];
    ++count[static_cast<std::size_t>(type)];
    const int low = type == SeparatrixType::descending ? 0 : type == SeparatrixType::connector ? 1 : Dim - 1;
    const bool goes_down = type == SeparatrixType::descending;
    const auto sources = complex.gradient.critical_cells(goes_down ? low + 1 : low);
    const auto destinations = complex.gradient.critical_cells(goes_down ? low : low + 1);
    const auto path = found.path(s);
    ASSERT_LT(source, sources.size());
    ASSERT_LT(destination, destinations.size());
    ASSERT_EQ(path.front(), sources[source].name);
    ASSERT_EQ(path.back(), destinations[destination].name);
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {  // facets and cofaces in turns
      const Simplex a = name_to_simplex(complex.gradient, path[i]);
      const Simplex b = name_to_simplex(complex.gradient, path[i + 1]);
      ASSERT_EQ(std::max(a.size(), b.size()), static_cast<std::size_t>(low) + 2);
      ASSERT_EQ(std::min(a.size(), b.size()), static_cast<std::size_t>(low) + 1);
      ASSERT_TRUE(std::includes(a.begin(), a.end(), b.begin(), b.end()) ||
                  std::includes(b.begin(), b.end(), a.begin(), a.end()));
    }
    if (s == 0) continue;
    const auto& before = found.ends[s - 1];  // grouped by type, each by its saddles
    ASSERT_LE(before.type, type);
    if (before.type != type) continue;
    const bool by_destination = type == SeparatrixType::connector;
    ASSERT_LE(by_destination ? before.destination : before.source, by_destination ? destination : source);
  }
  EXPECT_EQ(found.counts, count);
  EXPECT_EQ(count[0], 2 * complex.gradient.critical_cells(1).size());
}

TEST(MorseSmale, SeparatricesAreChainsBetweenCriticalCells) {
  const TetMesh solid = make_kuhn(12);
  const TiledMesh<3> solid_tiles = tile(solid);
  check_layout(solid_tiles, make_wave_field(solid.points, WaveField::rough));
  const TriMesh surface = make_shuffled(make_torus(30, 17));
  const TiledMesh<2> surface_tiles = tile(surface);
  check_layout(surface_tiles, make_wave_field(surface.points, WaveField::rough));
}

// At most one connector between two saddles.
TEST(MorseSmale, ConnectorsAreUnique) {
  const TetMesh mesh = make_kuhn(12);
  const TiledMesh<3> tiles = tile(mesh);
  const auto complex = morse_smale(tiles, make_wave_field(mesh.points, WaveField::rough));
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (const auto& ends : complex.separatrices.ends) {
    if (ends.type != SeparatrixType::connector) continue;
    EXPECT_TRUE(seen.emplace(ends.source, ends.destination).second);
  }
  EXPECT_EQ(seen.size(), complex.separatrices.count(SeparatrixType::connector));
}

/// The two vertices of a tet that an edge does not have.
std::set<std::uint32_t> vertices_beside(const TetMesh& mesh, std::uint32_t tet, const Simplex& edge) {
  std::set<std::uint32_t> beside;
  for (const VertexId v : mesh.cells[tet]) {
    if (!oracle::has_vertex(edge, v.index())) beside.insert(v.index());
  }
  return beside;
}

/// Cells around the edges of ascending walls follow each other across triangles; at the boundary the sequence
/// is open and begins with the lower end, inside it closes and begins with the lowest, towards its lower
/// neighbour.
void check_rings(const TetMesh& mesh, const Field& field, const Setting& setting) {
  const Results results = compute_results(mesh, field, setting);
  std::size_t closed = 0;
  for (const NamedWall& wall : results.ascending_walls) {
    for (std::size_t i = 0; i < wall.cells.size(); ++i) {
      const auto& ring = wall.rings[i];
      const auto shared = [&](std::size_t a, std::size_t b) {
        const auto one = vertices_beside(mesh, ring[a], wall.cells[i]);
        const auto two = vertices_beside(mesh, ring[b], wall.cells[i]);
        std::vector<std::uint32_t> both;
        std::set_intersection(one.begin(), one.end(), two.begin(), two.end(), std::back_inserter(both));
        return both.size();
      };
      for (std::size_t c = 0; c + 1 < ring.size(); ++c) ASSERT_EQ(shared(c, c + 1), 1u);
      std::set<std::uint32_t> around;  // a ring of n cells has n vertices around it, an open one n + 1
      for (const std::uint32_t cell : ring) around.merge(vertices_beside(mesh, cell, wall.cells[i]));
      const bool is_closed = around.size() == ring.size();
      ASSERT_TRUE(is_closed || around.size() == ring.size() + 1);
      ASSERT_TRUE(!is_closed || shared(0, ring.size() - 1) == 1);
      ASSERT_TRUE(!is_closed || (ring[0] == *std::ranges::min_element(ring) && ring[1] < ring.back()));
      ASSERT_LE(ring.front(), ring.back());
      closed += is_closed ? 1 : 0;
    }
  }
  EXPECT_GT(closed, 0u);
}

TEST(MorseSmale, RingsOfWallsAreCyclic) {
  const TetMesh kuhn = make_shuffled(make_kuhn(16));  // manifold
  const Field field = make_wave_field(kuhn.points, WaveField::rough);
  check_rings(kuhn, field, {.tiles = {.max_vertices = 64, .order = VertexOrder::input}});
  check_rings(kuhn, field, {.tiles = {.order = VertexOrder::morton}, .provider = Provider::explicit_tiles});
  const TetMesh torus = make_torus3(5);
  check_rings(torus, make_random_field(torus.vertex_count(), 1), {});
}

// Stars of up to 64 cells are words, those of more are not: a vertex of the first cycle has 2 * 90 cells.
TEST(MorseSmale, RingsInLargeStarsAreCyclic) {
  const TetMesh sphere = make_shuffled(make_sphere3(5, 90));
  check_rings(sphere, make_random_field(sphere.vertex_count(), 2), {});
}

// Parts that are not asked for are empty; those that are do not depend on the others.
TEST(MorseSmale, OnlyWhatIsAskedFor) {
  const TetMesh mesh = make_kuhn(8);
  const TiledMesh<3> tiles = tile(mesh);
  const Field field = make_wave_field(mesh.points, WaveField::rough);
  const auto all = morse_smale(tiles, field, {.walls = true});
  for (unsigned parts = 0; parts < 16; ++parts) {
    SCOPED_TRACE(parts);
    const bool separatrices = (parts & 1) != 0;
    const bool connectors = (parts & 2) != 0;
    const bool walls = (parts & 4) != 0;
    const bool segmentation = (parts & 8) != 0;
    MorseSmaleOptions<3> options{
        .separatrices = separatrices, .connectors = connectors, .walls = walls, .segmentation = segmentation};
    const auto some = morse_smale(tiles, field, options);
    const auto& count = all.separatrices.counts;
    EXPECT_EQ(some.separatrices.counts, (std::array{separatrices ? count[0] : 0, connectors ? count[1] : 0,
                                                    separatrices ? count[2] : 0}));
    EXPECT_EQ(some.walls.descending, walls ? all.walls.descending : Array<CellName>{});
    EXPECT_EQ(some.walls.ascending, walls ? all.walls.ascending : Array<std::uint32_t>{});
    EXPECT_EQ(some.walls.rings, walls ? all.walls.rings : Array<TetId>{});
    EXPECT_EQ(some.segmentation.morse_smale,
              segmentation ? all.segmentation.morse_smale : Array<std::int32_t>{});
    EXPECT_TRUE(some.gradient.has_paths());
    options.keep_paths = false;
    const auto spare = morse_smale(tiles, field, options);
    EXPECT_FALSE(spare.gradient.has_paths());
    EXPECT_EQ(spare.segmentation.morse_smale, some.segmentation.morse_smale);
  }
}

// The parts made from a gradient one by one are those of the whole.
TEST(MorseSmale, PartsFromAGradient) {
  const TriMesh mesh = make_shuffled(make_torus(20, 15));
  const TiledMesh<2> tiles = tile(mesh);
  const Field field = make_wave_field(mesh.points, WaveField::rough);
  const auto whole = morse_smale(tiles, field);
  const auto gradient = compute_gradient(tiles, field, {.keep_paths = true});
  EXPECT_EQ(compute_separatrices(gradient).ends, whole.separatrices.ends);
  EXPECT_EQ(compute_separatrices(gradient).cells, whole.separatrices.cells);
  EXPECT_EQ(compute_segmentation(gradient).ascending, whole.segmentation.ascending);
}

TEST(MorseSmale, PathsNeedAGradientThatKeepsThem) {
  const TetMesh mesh = make_small_solid("two_tets");
  const TiledMesh<3> tiles = tile(mesh);
  const auto gradient = compute_gradient(tiles, Field("f", Array<float>{0, 1, 2, 3, 4}));
  const auto code_of = [](const auto& f) {
    try {
      f();
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::cancelled;
  };
  EXPECT_EQ(code_of([&] { (void)compute_separatrices(gradient); }), ErrorCode::bad_option);
  EXPECT_EQ(code_of([&] { (void)compute_segmentation(gradient); }), ErrorCode::bad_option);
  EXPECT_EQ(compute_separatrices(gradient, {.separatrices = false}).size(), 0u);
}

TEST(MorseSmale, StarsMustBeOfTheTiles) {
  const TetMesh mesh = make_shuffled(make_kuhn(6));
  const TetMesh other = make_small_solid("two_tets");
  const Field field = make_wave_field(mesh.points, WaveField::rough);
  const TiledMesh<3> tiles = tile(mesh);
  const TiledMesh<3> other_tiles = tile(other);
  const TiledMesh<3> smaller_tiles = tile(mesh, {.max_vertices = 20});
  const auto check = [&](const auto& f) {
    try {
      f();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_option) << error.what();
    }
  };
  for (const TiledMesh<3>* of : {&other_tiles, &smaller_tiles}) {
    const StarStore<3> stars(*of);
    check([&] { (void)critical_points(tiles, field, {.stars = &stars}); });
    check([&] { (void)compute_gradient(tiles, field, {.stars = &stars}); });
    check([&] { (void)compute_walls(compute_gradient(tiles, field), {.stars = &stars}); });
  }
}

/// Runs one of the entries under a monitor.
using Entry = void (*)(const TiledMesh<3>&, const Field&, const CriticalPointsOptions<3>&);
const std::vector<Entry> entries = {
    [](const auto& tiles, const auto& field, const auto& common) {
      (void)critical_points(tiles, field, common);
    },
    [](const auto& tiles, const auto& field, const auto& common) {
      (void)compute_gradient(
          tiles, field,
          {.exec = common.exec, .monitor = common.monitor, .stars = common.stars, .keep_paths = true});
    },
    [](const auto& tiles, const auto& field, const auto& common) {
      (void)morse_smale(
          tiles, field,
          {.exec = common.exec, .monitor = common.monitor, .stars = common.stars, .walls = true});
    },
};

TEST(TopologyMonitor, ProgressIsReportedByTheCaller) {
  const TetMesh mesh = make_kuhn(8);
  const TiledMesh<3> tiles = tile(mesh, {.max_vertices = 20});
  const Field field = make_wave_field(mesh.points, WaveField::rough);
  for (const Entry& entry : entries) {
    std::vector<std::pair<std::string, double>> seen;
    const auto caller = std::this_thread::get_id();
    const Monitor monitor{[&](std::string_view stage, double fraction) {
                            EXPECT_EQ(std::this_thread::get_id(), caller);
                            seen.emplace_back(stage, fraction);
                          },
                          {}};
    entry(tiles, field, {.exec = Exec::host(3), .monitor = &monitor});
    ASSERT_GE(seen.size(), 3u);
    EXPECT_EQ(seen.front().second, 0);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      EXPECT_FALSE(seen[i].first.empty());
      EXPECT_GE(seen[i].second, 0);
      EXPECT_LE(seen[i].second, 1);
      const bool is_new_stage = i == 0 || seen[i].first != seen[i - 1].first;
      EXPECT_TRUE(is_new_stage || seen[i].second >= seen[i - 1].second);
    }
  }
}

/// Stops at the report of that number; returns how many reports there were.
std::size_t run_until(const Entry& entry, const TiledMesh<3>& tiles, const Field& field, std::size_t last,
                      const StarStore<3>* stars) {
  std::stop_source source;
  std::size_t reports = 0;
  const Monitor monitor{[&](std::string_view, double) {
                          if (++reports == last) source.request_stop();
                        },
                        source.get_token()};
  try {
    entry(tiles, field, {.exec = Exec::host(2), .monitor = &monitor, .stars = stars});
    EXPECT_LT(reports, last) << "it was not stopped";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::cancelled);
    EXPECT_EQ(reports, last);
  }
  return reports;
}

TEST(TopologyMonitor, StopsWhereItIsAskedTo) {
  const TetMesh mesh = make_kuhn(8);
  const TiledMesh<3> tiles = tile(mesh, {.max_vertices = 20});
  const Field field = make_wave_field(mesh.points, WaveField::rough);
  for (const Provider provider : {Provider::pushed, Provider::explicit_tiles}) {
    with_stars(tiles, {.provider = provider}, [&](const StarStore<3>* stars) {
      for (const Entry& entry : entries) {
        for (std::size_t last = 1; run_until(entry, tiles, field, last, stars) == last; ++last) {
        }
      }
      return 0;
    });
  }
}

TEST(TopologyMonitor, StopsBeforeItBegins) {
  const TetMesh mesh = make_kuhn(8);
  const TiledMesh<3> tiles = tile(mesh);
  const Field field = make_wave_field(mesh.points, WaveField::rough);
  std::stop_source source;
  source.request_stop();
  const Monitor monitor{{}, source.get_token()};
  for (const Entry& entry : entries) {
    EXPECT_THROW(entry(tiles, field, {.monitor = &monitor}), Error);
  }
  const auto gradient = compute_gradient(tiles, field, {.keep_paths = true});
  EXPECT_THROW((void)compute_separatrices(gradient, {.monitor = &monitor}), Error);
  EXPECT_THROW((void)compute_walls(gradient, {.monitor = &monitor}), Error);
}

}  // namespace
}  // namespace tessera
