// Costs that are told before are those that are found after, and budgets are kept to the byte of the account.
//
// Tolerances: rows and entries are exact. Bytes of arrays are never less than their content, and more by at
// most the allocator's part: 144 bytes a small array, a huge page a large one. The largest tile is exact but
// for EE, FF and the neighbours of cells, where it is at most twice what a tile has on regular meshes.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <tessera/connect/connectivity.h>
#include <tessera/connect/detail/connect_tiled.h>
#include <tessera/connect/detail/costs.h>
#include <tessera/connect/plan.h>
#include <tessera/core/error.h>
#include <tessera/mesh/make.h>
#include <tessera/tile/detail/link_maker.h>
#include <tessera/tile/detail/rows.h>
#include <tessera/tile/links.h>
#include <tessera/tile/materialize.h>

namespace tessera {

using namespace detail;
namespace {

constexpr Bytes array_slack(Bytes bytes) {
  return bytes >= mib(2) ? mib(2) : 144;
}

void expect_near_above(Bytes planned, Bytes actual, Bytes slack, const std::string& what) {
  EXPECT_GE(planned, actual) << what;
  EXPECT_LE(planned, actual + slack) << what;
}

template <class R, int Dim>
std::uint64_t largest_tile(const TiledMesh<Dim>& tiles, const Enumeration<Dim>& enumeration) {
  RowWorker<Dim> worker(tiles, &enumeration);
  std::uint64_t largest = 0;
  for (std::uint32_t t = 0; t < tiles.tile_count(); ++t) {
    worker.maker.template fill<R>(TileId(t), worker.rows);
    largest = std::max<std::uint64_t>(largest, 4 * (worker.rows.offsets.size() + worker.rows.values.size()));
  }
  return largest;
}

/// The same for links.
template <class L, int Dim>
void expect_exact_links(const TiledMesh<Dim>& tiles, const Enumeration<Dim>& enumeration,
                        const std::string& what) {
  const RelationKey keys[] = {key_of<L>};
  const ConnectPlan costs = plan(tiles, keys, {.exec = Exec::host(3)});
  const RelationCost& cost = costs.relations[0];
  const auto csr = materialize_links<L>(tiles, enumeration);
  EXPECT_EQ(cost.rows, csr.size()) << what;
  EXPECT_EQ(cost.entries, csr.values.size()) << what;
  expect_near_above(cost.bytes, csr.bytes(), 2 * array_slack(csr.bytes()), what);
  EXPECT_GE(cost.peak, 2 * csr.bytes()) << what;
  Lookup<Dim> lookup(tiles, &enumeration);
  LinkMaker<Dim> maker(lookup);
  TileRows rows;
  Bytes largest = 0;
  for (std::uint32_t t = 0; t < tiles.tile_count(); ++t) {
    maker.template fill<L>(TileId(t), rows);
    largest = std::max<Bytes>(largest, 4 * (rows.offsets.size() + rows.values.size()));
  }
  expect_near_above(cost.largest_tile, largest, largest / 10 + 8, what);
}

template <int Dim>
void expect_exact(const SimplexMesh<Dim>& mesh, std::uint32_t tile_vertices, const std::string& what) {
  const TiledMesh<Dim> tiles = tile(mesh, {.max_vertices = tile_vertices});
  const auto enumeration = Enumeration<Dim>::make_explicit(tiles);
  const std::vector<RelationKey> keys = list_relations(Dim);
  const ConnectPlan costs = plan(tiles, keys, {.exec = Exec::host(3)});
  EXPECT_EQ(costs.costs->counts().edges, enumeration.edge_count()) << what;
  EXPECT_EQ(costs.costs->counts().faces, enumeration.face_count()) << what;
  EXPECT_EQ(costs.tiled_mesh, tiles.bytes()) << what;
  expect_near_above(costs.explicit_tiles.enumeration, enumeration.bytes(),
                    6 * array_slack(enumeration.bytes()), what);
  expect_near_above(costs.implicit_tiles.enumeration, Enumeration<Dim>::make_implicit(tiles).bytes(), 2 * 144,
                    what);
  expect_exact_links<VertexLink<Dim>>(tiles, enumeration, what + " vertex links");
  expect_exact_links<EdgeLink<Dim>>(tiles, enumeration, what + " edge links");
  if constexpr (Dim == 3) expect_exact_links<FaceLink<3>>(tiles, enumeration, what + " face links");
  std::size_t i = 0;
  for_each_relation<Dim>([&]<class R>(R, std::string_view name) {
    const RelationCost& cost = costs.relations[i++];
    const std::string where = what + " " + std::string(name);
    const auto csr = materialize<R>(tiles, enumeration);
    ASSERT_EQ(cost.relation.name(), name);
    EXPECT_EQ(cost.rows, csr.size()) << where;
    EXPECT_EQ(cost.entries, csr.values.size()) << where;
    expect_near_above(cost.bytes, csr.bytes(), 2 * array_slack(csr.bytes()), where);
    EXPECT_GE(cost.peak, 2 * csr.bytes()) << where;
    const Bytes largest = largest_tile<R, Dim>(tiles, enumeration);
    const bool is_bound = R::from == R::to && R::from != Kind::vertex;
    EXPECT_GE(cost.largest_tile, largest) << where;
    if (!is_bound) {
      EXPECT_LE(cost.largest_tile, largest + largest / 10 + 8)
          << where;  // rows and entries of different tiles
    }
    // Counted alone it costs the same.
    const RelationKey alone[] = {cost.relation};
    const ConnectPlan one = plan(tiles, alone);
    EXPECT_EQ(one.relations[0].entries, cost.entries) << where;
    EXPECT_EQ(one.relations[0].largest_tile, cost.largest_tile) << where;
  });
}

TEST(Plan, CountsAreExactForEveryRelation3D) {
  expect_exact(make_shuffled(make_kuhn(12)), 40, "kuhn");
  expect_exact(make_kuhn_full(9), 1000, "one tile");
  for (const char* name : {"one_tet", "two_tets", "bow_tie_edge", "bow_tie_vertex", "three_tet_fan",
                           "isolated_vertices", "two_components", "cone"}) {
    expect_exact(make_small_solid(name), 2, name);
  }
}

TEST(Plan, CountsAreExactForEveryRelation2D) {
  expect_exact(make_shuffled(make_ico(4)), 40, "ico");
  expect_exact(make_height_field(9, 7), 1000, "one tile");
  for (const char* name : {"triangle", "two_triangles", "moebius", "pinched_vertex", "three_face_fan",
                           "bow_tie", "isolated_vertices", "two_components", "octahedron"}) {
    expect_exact(make_small_surface(name), 2, name);
  }
}

TEST(Plan, ArraysLargerThanAHugePage) {
  expect_exact(make_kuhn_full(40), 256, "kuhn 40");
}

TEST(Plan, MeshWithoutCells) {
  TetMesh empty;
  expect_exact(empty, 10, "empty");
}

TEST(Plan, RegularMeshesHaveTightTiles) {
  const TetMesh mesh = make_kuhn_full(24);
  const TiledMesh<3> tiles = tile(mesh);
  const auto enumeration = Enumeration<3>::make_explicit(tiles);
  const std::vector<RelationKey> keys = {key_of<EE>, key_of<FF>, key_of<TT>};
  const ConnectPlan costs = plan(tiles, keys);
  EXPECT_LE(costs.relations[0].largest_tile, 2 * largest_tile<EE>(tiles, enumeration));
  EXPECT_LE(costs.relations[1].largest_tile, 2 * largest_tile<FF>(tiles, enumeration));
  EXPECT_LE(costs.relations[2].largest_tile, 2 * largest_tile<TT>(tiles, enumeration));
}

TEST(Plan, BoundsAreNotBelowWhatIsThere) {
  const TetMesh mesh = make_small_solid("three_tet_fan");
  const TiledMesh<3> tiles = tile(mesh, {.max_vertices = 2});
  const std::vector<RelationKey> keys = list_relations(3);
  const ConnectCounts bound = bound_relations(tiles);
  const ConnectCounts exact = count_relations(tiles, keys);
  EXPECT_GE(bound.edges, exact.edges);
  EXPECT_GE(bound.faces, exact.faces);
  for (const RelationKey& key : keys) {
    EXPECT_GE(bound.entries[key.index()], exact.entries[key.index()]) << key.name();
    EXPECT_GE(bound.largest_entries[key.index()], exact.largest_entries[key.index()]) << key.name();
  }
  EXPECT_GE(bound.largest.ghosts, exact.largest.ghosts);
  EXPECT_GE(bound.largest.star, exact.largest.star);
  EXPECT_GE(bound.largest.degree, exact.largest.degree);
}

template <int Dim>
void expect_stars_bounded(const SimplexMesh<Dim>& mesh) {
  const std::vector<RelationKey> keys = {{Kind::vertex, Dim == 3 ? Kind::tet : Kind::face}};
  const TiledMesh<Dim> tiles = tile(mesh, {.max_vertices = 20});
  const ConnectCounts exact = count_relations(tiles, keys);
  for (const int threads : {1, 3}) {
    const ConnectCounts bound = bound_stars(tiles, Exec::host(threads));
    EXPECT_EQ(bound.entries[keys[0].index()], exact.entries[keys[0].index()]);
    EXPECT_EQ(bound.largest_entries[keys[0].index()], exact.largest_entries[keys[0].index()]);
    EXPECT_EQ(bound.largest.star, exact.largest.star);
    EXPECT_EQ(bound.largest.cells, exact.largest.cells);
    EXPECT_GE(bound.largest.degree, exact.largest.degree);
    EXPECT_GE(bound.largest.ghosts, exact.largest.ghosts);
    EXPECT_GE(bound.largest.star_entries, exact.largest.star_entries);
  }
}

TEST(Counts, StarsAreBoundedClosely) {
  expect_stars_bounded(make_shuffled(make_kuhn(8)));
  expect_stars_bounded(make_shuffled(make_torus(20, 10)));
  expect_stars_bounded(make_small_solid("cone"));
}

/// The estimate knows only two numbers: it must be high, but not twice too high; what depends on how full
/// the fullest tile happens to be, not four times.
template <int Dim>
void expect_good_estimate(const SimplexMesh<Dim>& mesh, const std::string& what) {
  const std::vector<RelationKey> keys = list_relations(Dim);
  const TiledMesh<Dim> tiles = tile(mesh, {.order = VertexOrder::morton});  // the most there can be
  const ConnectPlan exact = plan(tiles, keys);
  const ConnectPlan guess =
      plan(MeshSize{.dimension = Dim, .vertices = mesh.vertex_count(), .cells = mesh.cell_count()}, keys);
  const auto expect_between = [&](Bytes guessed, Bytes real, const std::string& of, Bytes factor = 2) {
    EXPECT_GE(guessed, real) << what << " " << of;
    EXPECT_LE(guessed, factor * real) << what << " " << of;
  };
  expect_between(guess.mesh, exact.mesh, "mesh");
  expect_between(guess.tiled_mesh, exact.tiled_mesh, "tiled mesh");
  expect_between(guess.explicit_tiles.enumeration, exact.explicit_tiles.enumeration, "enumeration");
  expect_between(guess.materialized.least, exact.materialized.least, "materialized");
  expect_between(guess.explicit_tiles.least, exact.explicit_tiles.least, "explicit", 4);
  expect_between(guess.implicit_tiles.least, exact.implicit_tiles.least, "implicit", 4);
  for (std::size_t i = 0; i < keys.size(); ++i)
    expect_between(guess.relations[i].bytes, exact.relations[i].bytes, keys[i].name());
}

TEST(Plan, EstimatesBeforeTilingAreHighButNotMuch) {
  expect_good_estimate(make_kuhn(32), "kuhn");
  expect_good_estimate(make_kuhn_full(40), "kuhn full");
  expect_good_estimate(make_ico(6), "ico");
  expect_good_estimate(make_height_field(200, 100), "height field");
}

TEST(Plan, RelationNames) {
  EXPECT_EQ(list_relations(3).size(), 16u);
  EXPECT_EQ(list_relations(2).size(), 9u);
  EXPECT_EQ(find_relation("vt", 3)->name(), "VT");
  EXPECT_FALSE(find_relation("VT", 2));
  EXPECT_FALSE(find_relation("VX", 3));
}

constexpr StorageMode all_modes[] = {StorageMode::automatic, StorageMode::materialized,
                                     StorageMode::explicit_tiles, StorageMode::implicit_tiles};

/// The least budget works, one byte less does not and says so.
template <int Dim>
void expect_sharp(const TiledMesh<Dim>& tiles, const std::vector<RelationKey>& keys) {
  const ConnectPlan costs = plan(tiles, keys);
  for (const StorageMode mode : all_modes) {
    const Bytes least = least_memory(costs, mode);
    EXPECT_LE(choose_mode(costs, least, mode).total, least);
    try {
      (void)choose_mode(costs, least - 1, mode);
      ADD_FAILURE() << keys[0].name() << " mode " << static_cast<int>(mode);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
      const std::string text = error.what();
      EXPECT_NE(text.find(std::to_string(least) + " bytes"), std::string::npos) << text;
      EXPECT_NE(text.find(format_bytes(least - 1)), std::string::npos) << text;
      EXPECT_NE(text.find(keys[0].name()), std::string::npos) << text;
    }
  }
}

TEST(ChooseMode, TheLeastBudgetIsSharp) {
  const TetMesh solid_mesh = make_kuhn(16);
  const TiledMesh<3> solid = tile(solid_mesh, {.max_vertices = 64});
  for (const RelationKey& key : list_relations(3)) expect_sharp(solid, {key});
  expect_sharp(solid, list_relations(3));
  const TriMesh surface_mesh = make_torus(60, 40);
  const TiledMesh<2> surface = tile(surface_mesh, {.max_vertices = 64});
  for (const RelationKey& key : list_relations(2)) expect_sharp(surface, {key});
  expect_sharp(surface, list_relations(2));
}

// Fewer workers compute before a budget is refused.
TEST(ChooseMode, TheLeastBudgetDoesNotDependOnThreads) {
  const TetMesh mesh = make_kuhn(16);
  const TiledMesh<3> tiles = tile(mesh, {.max_vertices = 64});
  for (const auto& keys : {std::vector{key_of<VV>}, std::vector{key_of<FF>, key_of<VT>}, list_relations(3)}) {
    const ConnectPlan one = plan(tiles, keys, {.exec = Exec::host(1)});
    for (const int threads : {2, 16, 64}) {
      const ConnectPlan many = plan(tiles, keys, {.exec = Exec::host(threads), .producers = threads / 2});
      for (const StorageMode mode : all_modes) {
        const Bytes least = least_memory(many, mode);
        EXPECT_EQ(least, least_memory(one, mode));
        const ModeChoice choice = choose_mode(many, least, mode);
        EXPECT_EQ(choice.mode, choose_mode(one, least, mode).mode);
        EXPECT_GE(choice.workers, 1);
        EXPECT_LE(choice.total, least);
      }
      EXPECT_EQ(many.materialized.least, one.materialized.least);
      EXPECT_EQ(many.explicit_tiles.least, one.explicit_tiles.least);
      EXPECT_EQ(many.implicit_tiles.least, one.implicit_tiles.least);
    }
  }
}

TEST(ChooseMode, AsManyWorkersAsFit) {
  const TetMesh mesh = make_kuhn_full(24);
  const TiledMesh<3> tiles = tile(mesh);
  const ConnectPlan costs = plan(tiles, std::vector{key_of<FF>}, {.exec = Exec::host(12), .producers = 4});
  for (const StorageMode mode : {StorageMode::explicit_tiles, StorageMode::implicit_tiles}) {
    const Bytes least = least_memory(costs, mode);
    EXPECT_EQ(choose_mode(costs, least, mode).workers, 1);
    int before = 1;
    for (Bytes memory = least; memory < 40 * least; memory += least / 2) {
      const ModeChoice choice = choose_mode(costs, memory, mode);
      EXPECT_GE(choice.workers, before);
      EXPECT_LE(choice.total, memory);
      before = choice.workers;
    }
    EXPECT_EQ(before, 16);
    EXPECT_EQ(choose_mode(costs, gib(8), mode).threads, 12);
  }
}

TEST(ChooseMode, FromFastToSmall) {
  const TetMesh mesh = make_kuhn_full(40);
  const TiledMesh<3> tiles = tile(mesh, {.max_vertices = 64});
  const std::vector<RelationKey> keys = {key_of<VF>, key_of<EF>};
  const ConnectPlan costs = plan(tiles, keys, {.exec = Exec::host(1)});
  ASSERT_LT(costs.implicit_tiles.least, costs.explicit_tiles.least);
  ASSERT_LT(costs.explicit_tiles.least, costs.materialized.least);
  EXPECT_EQ(choose_mode(costs, costs.materialized.least).mode, StorageMode::materialized);
  const ModeChoice some = choose_mode(costs, costs.materialized.least - 1);
  EXPECT_EQ(some.mode, StorageMode::explicit_tiles);
  EXPECT_EQ(some.materialized, std::vector{key_of<VF>});  // named first, and there is room for it
  EXPECT_EQ(choose_mode(costs, costs.explicit_tiles.least).mode, StorageMode::explicit_tiles);
  const ModeChoice small = choose_mode(costs, costs.explicit_tiles.least - 1);
  EXPECT_EQ(small.numbering, Numbering::implicit);
  const ModeChoice smallest = choose_mode(costs, costs.implicit_tiles.least);
  EXPECT_EQ(smallest.mode, StorageMode::implicit_tiles);
  EXPECT_LT(smallest.store, small.store + 1);
  EXPECT_GT(smallest.store, 0u);
}

TEST(ChooseMode, NothingIsChosenAboveTheBudget) {
  const TetMesh mesh = make_kuhn_full(20);
  const TiledMesh<3> tiles = tile(mesh);
  const ConnectPlan costs = plan(tiles, std::vector{key_of<VV>, key_of<FF>, key_of<VT>});
  for (Bytes memory = least_memory(costs); memory < 2 * costs.materialized.least; memory += memory / 7) {
    EXPECT_LE(choose_mode(costs, memory).total, memory);
  }
}

TEST(ConnectMemory, OneRequestIsSharp) {
  const TetMesh mesh = make_kuhn(16);
  const TiledMesh<3> tiles = tile(mesh, {.max_vertices = 64});
  const std::vector<RelationKey> keys = {key_of<VF>, key_of<TT>};
  const ConnectPlan costs = plan(tiles, keys);
  for (const StorageMode mode : all_modes) {
    const Bytes least = least_memory(costs, mode);
    Connectivity<3> works = connect(tiles, {.mode = mode, .memory = least});
    const auto [vf, tt] = works.request<VF, TT>();
    std::size_t entries = 0;
    for (std::uint32_t v = 0; v < vf.size(); ++v) entries += vf[VertexId(v)].size();
    for (std::uint32_t t = 0; t < tt.size(); ++t) entries += tt[TetId(t)].size();
    EXPECT_EQ(entries, costs.relations[0].entries + costs.relations[1].entries);
    Connectivity<3> fails = connect(tiles, {.mode = mode, .memory = least - 1});
    EXPECT_THROW((void)(fails.request<VF, TT>()), Error);
    EXPECT_NO_THROW((void)fails.request<TV>());  // less is still possible
  }
}

TEST(ConnectMemory, LaterRequestsGetWhatIsLeft) {
  const TetMesh mesh = make_kuhn_full(24);
  const TiledMesh<3> tiles = tile(mesh);
  const std::vector<RelationKey> first = {key_of<VV>};
  const ConnectPlan costs = plan(tiles, first);
  Connectivity<3> conn = connect(tiles, {.memory = costs.materialized.least});
  const auto [vv] = conn.request<VV>();
  EXPECT_EQ(conn.choice().mode, StorageMode::materialized);
  try {
    (void)conn.request<FF>();
    FAIL();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("VV and FF in one request"), std::string::npos) << text;
    const Bytes least = least_memory(plan(tiles, std::vector{key_of<VV>, key_of<FF>}));
    EXPECT_NE(text.find(std::to_string(least) + " bytes"), std::string::npos) << text;
    Connectivity<3> again = connect(tiles, {.memory = least});
    EXPECT_NO_THROW((void)(again.request<VV, FF>()));
  }
  EXPECT_GT(vv[VertexId(0)].size(), 0u);
}

// What was counted for VT says nothing about faces: they are counted when they are asked for.
TEST(ConnectMemory, LaterRequestsAreCountedToo) {
  const TetMesh mesh = make_kuhn_full(24);
  const TiledMesh<3> tiles = tile(mesh);
  const Bytes little = least_memory(plan(tiles, std::vector{key_of<VT>}));
  Connectivity<3> conn = connect(tiles, {.memory = little});
  (void)conn.request<VT>();
  EXPECT_THROW((void)conn.request<FF>(), Error);
  const Bytes enough =
      least_memory(plan(tiles, std::vector{key_of<VT>, key_of<FF>}), StorageMode::implicit_tiles);
  Connectivity<3> both = connect(tiles, {.mode = StorageMode::implicit_tiles, .memory = enough});
  (void)both.request<VT>();
  (void)both.request<FF>();
  EXPECT_LE(both.choice().total, enough);
}

TEST(ConnectMemory, TheStoreShrinksForWhatComesLater) {
  const TetMesh mesh = make_kuhn_full(24);
  const TiledMesh<3> tiles = tile(mesh);
  Connectivity<3> conn = connect(tiles, {.mode = StorageMode::implicit_tiles, .memory = mib(64)});
  (void)conn.request<VV>();
  const Bytes before = conn.choice().total;
  (void)conn.request<FF>();
  EXPECT_GT(conn.choice().total, before);
  EXPECT_LE(conn.choice().total, mib(64));
}

// Relations of cells that are asked for by the input's ids need a map, and only those.
TEST(ConnectMemory, MapsFromTheInputAreCounted) {
  const TetMesh mesh = make_kuhn(12);
  const TiledMesh<3> renamed = tile(mesh, {.order = VertexOrder::morton});
  const Bytes map = 4 * mesh.cell_count();
  const ConnectPlan costs = plan(renamed, std::vector{key_of<TV>});
  expect_near_above(costs.explicit_tiles.maps, map, 144, "TV");
  EXPECT_EQ(plan(renamed, std::vector{key_of<VT>}).explicit_tiles.maps, 0u);
  const TiledMesh<3> kept = tile(mesh, {.order = VertexOrder::input});
  ASSERT_TRUE(kept.keeps_cell_order());
  EXPECT_EQ(plan(kept, std::vector{key_of<TV>}).explicit_tiles.maps, 0u);
  const Bytes enough = costs.explicit_tiles.least - costs.explicit_tiles.maps;
  Connectivity<3> tiled = connect_tiled(renamed, {.mode = StorageMode::explicit_tiles, .memory = enough});
  EXPECT_NO_THROW((void)tiled.request<TV>());
  Connectivity<3> input = connect(renamed, {.mode = StorageMode::explicit_tiles, .memory = enough});
  EXPECT_THROW((void)input.request<TV>(), Error);
}

// Links and relations share one budget, and one request.
TEST(ConnectMemory, LinksAreCountedToo) {
  const TetMesh mesh = make_kuhn(16);
  const TiledMesh<3> tiles = tile(mesh, {.max_vertices = 64});
  const std::vector<RelationKey> keys = {key_of<VV>, key_of<EdgeLink<3>>, key_of<FaceLink<3>>};
  expect_sharp(tiles, keys);
  const ConnectPlan costs = plan(tiles, keys);
  for (const StorageMode mode : all_modes) {
    const Bytes least = least_memory(costs, mode);
    Connectivity<3> works = connect(tiles, {.mode = mode, .memory = least});
    const auto [vv, edges, faces] = works.request<VV, EdgeLink<3>, FaceLink<3>>();
    std::size_t entries = 0;
    for (std::uint32_t e = 0; e < edges.size(); ++e) entries += edges[EdgeId(e)].size();
    for (std::uint32_t f = 0; f < faces.size(); ++f) entries += faces[FaceId(f)].size();
    EXPECT_EQ(entries, (6 + 4) * mesh.cell_count());
    Connectivity<3> fails = connect(tiles, {.mode = mode, .memory = least - 1});
    EXPECT_THROW((void)(fails.request<VV, EdgeLink<3>, FaceLink<3>>()), Error);
  }
}

// A count that a failed request made does not stand for one that came after.
TEST(ConnectMemory, RefusedRequestsAreCountedAgain) {
  const TetMesh mesh = make_kuhn_full(24);
  const TiledMesh<3> tiles = tile(mesh);
  const Bytes little = least_memory(plan(tiles, std::vector{key_of<TT>}), StorageMode::implicit_tiles);
  Connectivity<3> conn = connect(tiles, {.mode = StorageMode::implicit_tiles, .memory = little});
  EXPECT_THROW((void)conn.request<FF>(), Error);
  (void)conn.request<TT>();
  EXPECT_THROW((void)conn.request<FF>(), Error);
}

TEST(ConnectMemory, TheEnumerationAloneObeysToo) {
  const TetMesh mesh = make_kuhn_full(24);
  const TiledMesh<3> tiles = tile(mesh);
  EXPECT_TRUE(connect(tiles).enumeration().is_explicit());
  const ConnectPlan costs = plan(tiles, std::vector{key_of<EV>}, {.exec = Exec::host(1)});
  const Bytes tight = costs.costs->enumeration_peak(Numbering::explicit_whole, 1) - 1;
  EXPECT_FALSE(connect(tiles, {.memory = tight, .exec = Exec::host(1)}).enumeration().is_explicit());
  EXPECT_THROW((void)connect(tiles, {.memory = 100}).enumeration(), Error);
}

}  // namespace
}  // namespace tessera
