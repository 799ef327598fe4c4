// Edits by cavities: the common operators, conflicts, any shape of mesh, the same bytes for any number of
// threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/core/progress.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/detail/edit/dynamic_store.h>
#include <tessera/surface/dynamic_surface.h>
#include <tessera/surface/edit.h>
#include <tessera/surface/operators.h>

#include "surface/edit_cases.h"
#include "surface/odd_surfaces.h"
#include "surface/surface_meshes.h"

namespace tessera::test {
namespace {

TEST(Edit, FlipsOneEdgeOfTwoTriangles) {
  TriMesh mesh;
  mesh.points = Array<Vec3f>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  mesh.cells = {{VertexId(0), VertexId(1), VertexId(2)}, {VertexId(0), VertexId(2), VertexId(3)}};
  const DynamicSurface surface(mesh);
  ASSERT_EQ(surface.validate(), "");
  const EditReport report = edit(surface, FlipSome{1.0, 1}, {.max_rounds = 1});
  EXPECT_EQ(report.won, 1u);
  EXPECT_EQ(surface.validate(), "");
  EXPECT_EQ(surface.face_count(), 2u);
  EXPECT_EQ(surface.edge_count(), 5u);
  const TriMesh edited = surface.to_mesh();
  std::set<std::set<std::uint32_t>> cells;
  for (const auto& cell : edited.cells) cells.insert({cell[0].index(), cell[1].index(), cell[2].index()});
  EXPECT_EQ(cells, (std::set<std::set<std::uint32_t>>{{0, 1, 3}, {1, 2, 3}}));
  EXPECT_EQ(edited.points, mesh.points);
}

TEST(Edit, EveryOperatorKeepsTheInvariants) {
  for (const TriMesh& mesh : edit_meshes()) {
    for (int op = 0; op < edit_operators; ++op) {
      const DynamicSurface surface(mesh);
      ASSERT_EQ(surface.validate(), "");
      for (std::uint64_t round = 0; round < 4; ++round) {
        apply(surface, op, round);
        ASSERT_EQ(surface.validate(), "")
            << "operator " << op << ", round " << round << ", " << mesh.cells.size() << " triangles";
      }
    }
  }
}

TEST(Edit, RandomSequencesKeepTheInvariants) {
  for (const TriMesh& mesh : edit_meshes()) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const DynamicSurface surface(mesh);
      SplitMix64 random(seed);
      for (int step = 0; step < 12 && surface.face_count() < 10000; ++step) {
        const int op = static_cast<int>(random.below(edit_operators));
        apply(surface, op, random());
        ASSERT_EQ(surface.validate(), "") << "seed " << seed << ", step " << step << ", operator " << op
                                          << ", " << mesh.cells.size() << " triangles";
      }
    }
  }
}

TEST(Edit, TheSameForAnyNumberOfThreads) {
  const TriMesh mesh = make_ico(5);
  std::vector<TriMesh> results;
  for (const int threads : {1, 2, 7}) {
    const DynamicSurface surface(mesh, {.exec = Exec::host(threads)});
    for (std::uint64_t round = 0; round < 3; ++round) {
      for (int op = 0; op < edit_operators; ++op) apply(surface, op, round);
    }
    EXPECT_EQ(surface.validate(), "");
    results.push_back(surface.to_mesh());
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(Edit, LegalOperatorsKeepTheTopology) {
  for (const TriMesh& mesh : {make_ico(3), make_torus(20, 12)}) {
    const DynamicSurface surface(mesh);
    const auto euler = [&] {
      return static_cast<long>(surface.vertex_count()) - static_cast<long>(surface.edge_count()) +
             static_cast<long>(surface.face_count());
    };
    const long before = euler();
    for (std::uint64_t round = 0; round < 6; ++round) {
      for (const int op :
           {flip_operator, split_operator, collapse_operator, face_split_operator, vertex_split_operator}) {
        apply(surface, op, round);
        ASSERT_EQ(surface.validate(), "");
        ASSERT_EQ(euler(), before) << "operator " << op;
        ASSERT_EQ(3 * surface.face_count(), 2 * surface.edge_count());
      }
    }
  }
}

/// All triangles by their coordinates, in an order that does not depend on ids.
std::vector<std::array<double, 9>> triangles_of(const TriMesh& mesh) {
  std::vector<std::array<double, 9>> all;
  for (const TriMesh::Cell& cell : mesh.cells) {
    std::array<std::array<double, 3>, 3> corners;
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3d p = mesh.points[cell[k]];
      corners[k] = {p.x, p.y, p.z};
    }
    std::rotate(corners.begin(), std::ranges::min_element(corners), corners.end());
    std::array<double, 9> flat;
    for (std::size_t i = 0; i < 9; ++i) flat[i] = corners[i / 3][i % 3];
    all.push_back(flat);
  }
  std::ranges::sort(all);
  return all;
}

TEST(Edit, CompactionKeepsTheMeshAndGivesMaps) {
  const TriMesh mesh = make_ico(4);
  DynamicSurface surface(mesh);
  EditAttribute<FaceId, std::uint32_t> mark(surface);
  for (int op = 0; op < edit_operators; ++op) apply(surface, op, 3);
  auto marks = mark.values();
  for (std::uint32_t f = 0; f < marks.size(); ++f) marks[tiled::FaceId(f)] = f;
  mark.assign(marks);
  const TriMesh before = surface.to_mesh();
  const CompactionMaps maps = surface.compact();
  EXPECT_EQ(surface.validate(), "");
  EXPECT_EQ(surface.id_end(Kind::face), surface.face_count());
  const TriMesh after = surface.to_mesh();
  const auto moved = mark.values();
  const Array<std::uint32_t> faces = maps.faces.to_host();
  std::size_t found = 0;
  for (std::uint32_t f = 0; f < faces.size(); ++f) {
    if (faces[f] == tiled::FaceId::invalid_index) continue;
    ++found;
    EXPECT_EQ(moved[tiled::FaceId(faces[f])], f);
  }
  EXPECT_EQ(found, surface.face_count());
  EXPECT_EQ(triangles_of(before), triangles_of(after));
}

TriMesh make_square() {
  TriMesh mesh;
  mesh.points = Array<Vec3d>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  mesh.cells = {{VertexId(0), VertexId(1), VertexId(2)}, {VertexId(0), VertexId(2), VertexId(3)}};
  return mesh;
}

/// Removes every face; the one with the highest x wins.
struct RemoveRightmost {
  using Seed = tiled::VertexId;
  EditView<tiled::VertexId, Vec3d> position;
  TS_HD void declare(Cavity& cavity, Seed v) const {
    cavity.remove(v);
    cavity.allow_any_shape();
    const Vec3d p = position[v];
    cavity.set_priority(static_cast<float>(2 * p.x + p.y));
  }
  TS_HD void fill(Hole&) const {}
};

// Vertices 0 and 2 have both faces, 1 and 3 one each: all cavities meet. Vertex 2 at (1, 1) has the highest
// priority. It takes both faces with it.
TEST(Edit, HigherPrioritiesWin) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const DynamicSurface surface(make_square());
    std::vector<EditRound> rounds;
    edit(surface, RemoveRightmost{surface.positions()},
         {.seed = seed, .max_rounds = 1, .watch = [&](const EditRound& round) { rounds.push_back(round); }});
    ASSERT_EQ(rounds.size(), 1u);
    EXPECT_EQ(rounds[0].candidates, 4u);
    EXPECT_EQ(rounds[0].cavities, 4u);
    EXPECT_EQ(rounds[0].won, 1u);
    EXPECT_EQ(rounds[0].lost, 3u);
    EXPECT_EQ(surface.face_count(), 0u);
    EXPECT_EQ(surface.edge_count(), 0u);
    EXPECT_EQ(surface.vertex_count(), 3u);
    EXPECT_EQ(surface.validate(), "");
    const TriMesh left = surface.to_mesh();
    for (std::uint32_t v = 0; v < 3; ++v) EXPECT_NE(left.points[VertexId(v)], (Vec3d{1, 1, 0}));
  }
}

/// Calls functions of its own; the parts that a test does not need do nothing.
template <class SeedType, class Declare, class Fill>
struct With {
  using Seed = SeedType;
  Declare declare_with;
  Fill fill_with;
  void declare(Cavity& cavity, Seed seed) const { declare_with(cavity, seed); }
  void fill(Hole& hole) const { fill_with(hole); }
};
template <class Seed, class Declare, class Fill>
EditReport run_once(const DynamicSurface& surface, const Declare& declare, const Fill& fill,
                    EditOptions options = {}) {
  options.max_rounds = 1;
  const EditReport report = edit(surface, With<Seed, Declare, Fill>{declare, fill}, options);
  EXPECT_EQ(surface.validate(), "");
  return report;
}
constexpr auto fill_nothing = [](Hole&) {};

TEST(Edit, SaysWhyACavityIsInvalid) {
  const auto remove_one = [](auto id) {
    return [id](Cavity& cavity, auto seed) {
      if (seed == decltype(seed)(id)) cavity.remove(seed);
    };
  };
  const DynamicSurface square(make_square());
  // A vertex at the border: its edges there go, too.
  EXPECT_EQ(run_once<tiled::VertexId>(square, remove_one(0u), fill_nothing).last.open, 1u);
  // An edge of three faces.
  const DynamicSurface fan(make_small_surface("three_face_fan"));
  const auto remove_crowded = [](Cavity& cavity, tiled::EdgeId e) {
    if (cavity.mesh().face_count(e) == 3) cavity.remove(e);
  };
  EXPECT_EQ(run_once<tiled::EdgeId>(fan, remove_crowded, fill_nothing).last.not_a_surface, 1u);
  // The vertex between two fans has two links.
  const DynamicSurface pinched(make_small_surface("bow_tie"));
  const auto remove_middle = [](Cavity& cavity, tiled::VertexId v) {
    if (cavity.mesh().valence(v) == 4) {
      cavity.remove(v);
      cavity.allow_open();
    }
  };
  EXPECT_EQ(run_once<tiled::VertexId>(pinched, remove_middle, fill_nothing).last.several_holes, 1u);
  // Nothing of that changed anything.
  EXPECT_EQ(square.face_count(), 2u);
  EXPECT_EQ(fan.face_count(), 3u);
  EXPECT_EQ(pinched.face_count(), 2u);
}

TEST(Edit, RefusedAndOverfullHolesStayAsTheyWere) {
  const DynamicSurface surface(make_ico(2));
  const TriMesh before = surface.to_mesh();
  const auto remove_all = [](Cavity& cavity, tiled::FaceId f) {
    cavity.remove(f);
    cavity.add_vertices(1);
  };
  EXPECT_EQ(run_once<tiled::FaceId>(surface, remove_all,
                                    [](Hole& hole) {
                                      hole.fan(hole.add_vertex());
                                      hole.refuse();
                                    })
                .last.refused,
            before.cells.size());
  EXPECT_EQ(run_once<tiled::FaceId>(surface, remove_all,
                                    [](Hole& hole) {
                                      hole.fan(hole.add_vertex());
                                      EXPECT_FALSE(hole.add_vertex().is_valid());
                                    })
                .last.overfull,
            before.cells.size());
  EXPECT_EQ(surface.to_mesh(), before);
}

// In a tetrahedron the other diagonal of two faces is always there already; in an octahedron it is not, but
// flips that are made at once must not make the same one.
TEST(Edit, NoEdgeIsMadeTwice) {
  TriMesh mesh;
  mesh.points = Array<Vec3d>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (const auto& [a, b, c] : {std::array<std::uint32_t, 3>{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}})
    mesh.cells.push_back({VertexId(a), VertexId(b), VertexId(c)});
  const DynamicSurface tetrahedron(mesh);
  EXPECT_EQ(edit(tetrahedron, FlipSome{{1.0, 1}}, {.max_rounds = 20}).won, 0u);
  EXPECT_EQ(tetrahedron.to_mesh(), mesh);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const DynamicSurface octahedron(make_small_surface("octahedron"));
    EXPECT_GT(edit(octahedron, FlipSome{{1.0, seed}}, {.seed = seed, .max_rounds = 20}).won, 0u);
    EXPECT_EQ(octahedron.validate(), "");
  }
}

// Two tetrahedra on one triangle, which is not there itself: taking out the tip of one makes it a face.
// Taking out both at once would make it twice; taking out the second later, too.
TEST(Edit, NoFaceIsMadeTwice) {
  TriMesh mesh;
  mesh.points = Array<Vec3d>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}};
  for (const auto& [a, b, c] :
       {std::array<std::uint32_t, 3>{0, 1, 3}, {1, 2, 3}, {2, 0, 3}, {1, 0, 4}, {2, 1, 4}, {0, 2, 4}})
    mesh.cells.push_back({VertexId(a), VertexId(b), VertexId(c)});
  const auto remove_tips = [](Cavity& cavity, tiled::VertexId v) {
    if (cavity.mesh().valence(v) == 3) cavity.remove(v);
  };
  const auto close_hole = [](Hole& hole) { hole.fan_from(0); };
  const DynamicSurface surface(mesh);
  const EditRound both = run_once<tiled::VertexId>(surface, remove_tips, close_hole).last;
  EXPECT_EQ(both.won, 1u);
  EXPECT_EQ(both.lost, 1u);
  EXPECT_EQ(surface.face_count(), 4u);
  const EditRound later = run_once<tiled::VertexId>(surface, remove_tips, close_hole).last;
  EXPECT_EQ(later.won, 0u);
  EXPECT_EQ(later.repeats_face + later.lost, 4u);
}

TEST(Edit, MistakesOfOperatorsAreRefused) {
  const DynamicSurface surface(make_ico(1));
  const TriMesh before = surface.to_mesh();
  // Vertices and edges in one cavity; a vertex that is gone as a corner; a face twice; an id of nothing.
  const auto mixed = [](Cavity& cavity, tiled::EdgeId e) {
    cavity.remove(e);
    cavity.remove(cavity.mesh().ends(e).from);
  };
  EXPECT_GT(run_once<tiled::EdgeId>(surface, mixed, fill_nothing).last.unclear, 0u);
  const auto collapse = [](Cavity& cavity, tiled::EdgeId e) { declare_collapse(cavity, e); };
  const auto fan_removed = [](Hole& hole) { hole.fan(hole.mesh().ends(hole.seed<tiled::EdgeId>()).from); };
  EXPECT_GT(run_once<tiled::EdgeId>(surface, collapse, fan_removed).last.refused, 0u);
  const auto split = [](Cavity& cavity, tiled::FaceId f) {
    declare_face_split(cavity, f);
    cavity.add_faces(1);
  };
  const auto fill_twice = [](Hole& hole) {
    const tiled::VertexId v = hole.add_vertex();
    for (int k = 0; k < 2; ++k) hole.add_face(hole.vertex(0), hole.vertex(1), v);
  };
  EXPECT_EQ(run_once<tiled::FaceId>(surface, split, fill_twice).last.repeats_face, 80u);
  const auto nothing = [](Cavity& cavity, tiled::FaceId) { cavity.remove(tiled::VertexId()); };
  EXPECT_EQ(run_once<tiled::FaceId>(surface, nothing, fill_nothing).last.cavities, 0u);
  EXPECT_EQ(surface.to_mesh(), before);
}

// A vertex without faces cannot be claimed: only its own cavity may take it.
TEST(Edit, AnIsolatedVertexGoesOnce) {
  TriMesh mesh = make_square();
  mesh.points = Array<Vec3d>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {5, 5, 5}};
  const DynamicSurface surface(mesh);
  const EditMesh view = surface.mesh();
  tiled::VertexId lonely;
  for (std::uint32_t v = 0; v < 5; ++v) {
    if (view.valence(tiled::VertexId(v)) == 0) lonely = tiled::VertexId(v);
  }
  const auto take_along = [lonely](Cavity& cavity, tiled::FaceId) {
    cavity.remove(lonely);
    cavity.allow_any_shape();
  };
  EXPECT_EQ(run_once<tiled::FaceId>(surface, take_along, fill_nothing).last.won, 0u);
  const auto take_itself = [lonely](Cavity& cavity, tiled::VertexId v) {
    if (v == lonely) declare_deletion(cavity, v);
  };
  EXPECT_EQ(run_once<tiled::VertexId>(surface, take_itself, fill_nothing).last.won, 1u);
  EXPECT_EQ(surface.vertex_count(), 4u);
}

TEST(Edit, OnlyActiveElementsAreCandidates) {
  const DynamicSurface surface(make_ico(3));
  const std::vector<std::uint32_t> active = {5, 17, 17, 230, 4000000000u};  // one twice, one that is none
  const EditReport report =
      edit(surface, SplitSome{{1.0, 1}}, {.active = std::span<const std::uint32_t>(active)});
  EXPECT_EQ(report.won, 3u);
  EXPECT_EQ(surface.face_count(), 1280u + 6);
  EXPECT_EQ(surface.validate(), "");
}

TEST(Edit, ActiveIdsThatDoNotAscendAreAnError) {
  const DynamicSurface surface(make_ico(3));
  const std::vector<std::uint32_t> active = {5, 3, 5};
  EXPECT_THROW((void)edit(surface, SplitSome{{1.0, 1}}, {.active = std::span<const std::uint32_t>(active)}),
               Error);
  EXPECT_EQ(surface.face_count(), 1280u);
  EXPECT_EQ(surface.validate(), "");
}

// Something that is not there has no neighbours, either.
TEST(Edit, NothingIsFoundAroundNothing) {
  const DynamicSurface surface(make_ico(2));
  const auto declare = [](Cavity& cavity, tiled::VertexId v) {
    if (v.index() == 3) cavity.remove_with_neighbours(tiled::VertexId());
  };
  run_once<tiled::VertexId>(surface, declare, [](Hole&) {});
  EXPECT_EQ(surface.face_count(), 320u);
  EXPECT_EQ(surface.validate(), "");
}

TEST(Edit, AttributesFollow) {
  TriMesh mesh = make_square();
  mesh.point_data.add(Field("x", Array<float>{0, 1, 1, 0}));
  mesh.point_data.add(Field("label", Array<std::int32_t>{7, 8, 9, 10}));
  mesh.cell_data.add(Field("part", Array<std::uint8_t>{3, 4}));
  const DynamicSurface surface(mesh);
  const EditAttribute<EdgeId, std::uint8_t> is_diagonal(surface);
  const auto mark = is_diagonal.view();
  const auto declare = [mark](Cavity& cavity, tiled::EdgeId e) {
    if (cavity.mesh().face_count(e) != 2) return;
    mark[e] = 1;
    declare_split(cavity, e);
  };
  run_once<tiled::EdgeId>(surface, declare, [](Hole& hole) { fill_split(hole, 0.25); });
  const TriMesh edited = surface.to_mesh();
  ASSERT_EQ(edited.points.size(), 5u);
  // A quarter of the way from one end of the diagonal (0, 0) - (1, 1) to the other.
  const Vec3d p = edited.points[VertexId(4)];
  EXPECT_TRUE(p == (Vec3d{0.25, 0.25, 0}) || p == (Vec3d{0.75, 0.75, 0}));
  EXPECT_EQ(edited.field("x").as<float>()[4], static_cast<float>(p.x));
  EXPECT_EQ(edited.field("label").as<std::int32_t>()[4], p.x < 0.5 ? 7 : 9);
  EXPECT_EQ(edited.cell_data.at("part").size(), 4u);
  const auto marks = is_diagonal.values();
  std::size_t marked = 0;
  for (std::uint32_t e = 0; e < marks.size(); ++e)
    marked += surface.mesh().contains(tiled::EdgeId(e)) && marks[tiled::EdgeId(e)] == 1 ? 1 : 0;
  EXPECT_EQ(marked, 2u);
}

TEST(Edit, WithoutMemoryTheLastMeshStays) {
  const TriMesh mesh = make_ico(5);
  const Bytes room = DynamicSurface(mesh).bytes();
  const DynamicSurface surface(mesh, {.memory = room + room / 2});
  try {
    for (std::uint64_t round = 0; round < 6; ++round) edit(surface, SplitSome{{1.0, round}}, {.seed = round});
    FAIL() << "64 times as many triangles fit";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
  }
  EXPECT_EQ(surface.validate(), "");
  EXPECT_EQ(surface.vertex_count() + surface.face_count(), surface.edge_count() + 2);
}

TEST(Edit, AStopLeavesAMesh) {
  const DynamicSurface surface(make_ico(4));
  std::stop_source source;
  Monitor monitor;
  monitor.stop = source.get_token();
  const EditOptions options = {.watch = [&](const EditRound&) { source.request_stop(); },
                               .monitor = &monitor};
  EXPECT_THROW(edit(surface, CollapseSome{{0.9, 1}}, options), Error);
  EXPECT_EQ(surface.validate(), "");
}

TEST(Edit, AVertexOfAHundredThousandFaces) {
  const DynamicSurface surface(make_star(100000));
  // Every edge at the hub is split or conflicts with its neighbours only.
  const EditReport split = edit(surface, SplitSome{{1.0, 1}}, {.seed = 1});
  EXPECT_EQ(split.won, 200000u);
  const auto remove_hub = [](Cavity& cavity, tiled::VertexId v) {
    std::uint32_t faces = 0;
    for (const tiled::FaceId f : cavity.mesh().faces(v)) faces += f.is_valid() ? 1 : 0;
    if (faces < 100000) return;
    cavity.remove(v);
    cavity.add_vertices(1);
  };
  const EditReport report =
      run_once<tiled::VertexId>(surface, remove_hub, [](Hole& hole) { hole.fan(hole.add_vertex()); });
  EXPECT_EQ(report.won, 1u);
}

template <class IdType>
struct ClearAroundOne {
  using Seed = IdType;
  std::uint32_t id;
  void declare(Cavity& cavity, Seed seed) const {
    if (seed.index() != id) return;
    cavity.remove_with_neighbours(seed);
    cavity.add_vertices(1);
    cavity.allow_any_shape();
  }
  void fill(Hole& hole) const { hole.fan(hole.add_vertex_like(hole.vertex(0))); }
};

// Far from the twelve vertices of valence 5, an icosphere is the lattice of equilateral triangles. A vertex
// and its six neighbours have 24 faces, with 12 vertices around them.
TEST(Edit, AVertexGoesWithItsNeighbours) {
  const DynamicSurface surface(make_ico(4));
  const EditMesh mesh = surface.mesh();
  std::uint32_t inner = 0;
  const auto is_far = [&](tiled::VertexId v) {
    if (mesh.valence(v) != 6) return false;
    for (const tiled::VertexId w : mesh.neighbours(v)) {
      if (mesh.valence(w) != 6) return false;
    }
    return true;
  };
  while (!is_far(tiled::VertexId(inner))) ++inner;
  const std::size_t vertices = surface.vertex_count();
  const std::size_t faces = surface.face_count();
  const EditReport report = edit(surface, ClearAroundOne<tiled::VertexId>{inner}, {.max_rounds = 1});
  EXPECT_EQ(report.won, 1u);
  EXPECT_EQ(surface.validate(), "");
  EXPECT_EQ(surface.vertex_count(), vertices - 7 + 1);
  EXPECT_EQ(surface.face_count(), faces - 24 + 12);
}

// A face and the three across its edges: a hexagon of six vertices.
TEST(Edit, AFaceGoesWithItsNeighbours) {
  const DynamicSurface surface(make_ico(3));
  const EditReport report = edit(surface, ClearAroundOne<tiled::FaceId>{17}, {.max_rounds = 1});
  EXPECT_EQ(report.won, 1u);
  EXPECT_EQ(surface.validate(), "");
  EXPECT_EQ(surface.vertex_count(), 642u + 1);
  EXPECT_EQ(surface.face_count(), 1280u - 4 + 6);
}

// The edges at both ends of an edge have all the faces there. The ends stay, without faces.
TEST(Edit, AnEdgeGoesWithItsNeighbours) {
  const DynamicSurface surface(make_ico(3));
  const EditMesh mesh = surface.mesh();
  const auto [a, b] = mesh.ends(tiled::EdgeId(40));
  const std::size_t around = mesh.valence(a) + mesh.valence(b) - 2;
  const EditReport report = edit(surface, ClearAroundOne<tiled::EdgeId>{40}, {.max_rounds = 1});
  EXPECT_EQ(report.won, 1u);
  EXPECT_EQ(surface.validate(), "");
  EXPECT_EQ(surface.vertex_count(), 642u + 1);
  EXPECT_EQ(surface.face_count(), 1280u - around + (around - 2));
  EXPECT_EQ(surface.mesh().valence(a), 0u);
}

/// Faces without their order, each from its lowest corner on.
std::vector<TriMesh::Cell> sorted_cells(const TriMesh& mesh) {
  std::vector<TriMesh::Cell> cells(mesh.cells.begin(), mesh.cells.end());
  for (TriMesh::Cell& cell : cells) std::rotate(cell.begin(), std::ranges::min_element(cell), cell.end());
  std::ranges::sort(cells);
  return cells;
}

// Faces collapse in the same way whether a cavity names their corners or a set of the same number does.
TEST(Edit, SetsAreCavities) {
  for (const TriMesh& mesh : edit_meshes()) {
    const DynamicSurface by_sets(mesh, {.exec = Exec::host(3)});
    const DynamicSurface by_names(mesh);
    Array<CavityOutcome> here(by_names.id_end(Kind::face));
    Array<CavityOutcome> there(by_sets.id_end(Kind::face));
    const Pick pick = {0.2, 5};
    const EditReport expected =
        edit(by_names, CollapseFaces{pick}, {.seed = 3, .max_rounds = 1, .outcomes = std::span(here)});
    const EditReport report = collapse_by_sets(by_sets, pick, {.seed = 3, .outcomes = std::span(there)});
    EXPECT_EQ(report.won, expected.won);
    EXPECT_EQ(by_sets.validate(), "");
    EXPECT_EQ(by_sets.to_mesh().points, by_names.to_mesh().points);
    EXPECT_EQ(sorted_cells(by_sets.to_mesh()), sorted_cells(by_names.to_mesh()));
    EXPECT_EQ(here, there);
    EXPECT_EQ(std::ranges::count(here, CavityOutcome::won), static_cast<std::ptrdiff_t>(expected.won));
    EXPECT_EQ(std::ranges::count(here, CavityOutcome::lost), static_cast<std::ptrdiff_t>(expected.last.lost));
  }
}

// What the edit says of each seed is what became of it: a flipped edge joins other vertices, a vertex that
// was deleted is not there any more.
TEST(Edit, OutcomesOfEdgesAndVertices) {
  const DynamicSurface flipped(make_ico(4));
  const EditMesh mesh = flipped.mesh();
  std::vector<EdgeEnds> before;
  for (std::uint32_t e = 0; e < flipped.id_end(Kind::edge); ++e)
    before.push_back(mesh.ends(tiled::EdgeId(e)));
  Array<CavityOutcome> outcomes(flipped.id_end(Kind::edge));
  const FlipSome flip = {0.3, 9};
  const EditRound flips = edit(flipped, flip, {.max_rounds = 1, .outcomes = std::span(outcomes)}).last;
  EXPECT_GT(flips.lost, 0u);
  const auto count = [&](CavityOutcome of) {
    return static_cast<std::size_t>(std::ranges::count(outcomes, of));
  };
  EXPECT_EQ(count(CavityOutcome::won), flips.won);
  EXPECT_EQ(count(CavityOutcome::lost), flips.lost);
  for (std::uint32_t e = 0; e < before.size(); ++e) {
    const EdgeEnds now = flipped.mesh().ends(tiled::EdgeId(e));
    const std::set<std::uint32_t> ends = {now.from.index(), now.to.index()};
    const bool is_other = ends != std::set<std::uint32_t>{before[e].from.index(), before[e].to.index()};
    EXPECT_EQ(is_other, outcomes[e] == CavityOutcome::won) << "edge " << e;
    EXPECT_EQ(outcomes[e] == CavityOutcome::none, !flip(e)) << "edge " << e;
  }

  const DynamicSurface thinned(make_ico(4));
  outcomes = Array<CavityOutcome>(thinned.id_end(Kind::vertex));
  const Delete<tiled::VertexId> thin = {{0.3, 9}};
  const EditRound deletions = edit(thinned, thin, {.max_rounds = 1, .outcomes = std::span(outcomes)}).last;
  EXPECT_GT(deletions.lost, 0u);
  EXPECT_EQ(count(CavityOutcome::won), deletions.won);
  for (std::uint32_t v = 0; v < outcomes.size(); ++v) {
    EXPECT_EQ(!thinned.mesh().contains(tiled::VertexId(v)), outcomes[v] == CavityOutcome::won)
        << "vertex " << v;
    EXPECT_EQ(outcomes[v] == CavityOutcome::none, !thin(v)) << "vertex " << v;
  }
}

/// Counts how often a hole of each seed is filled.
template <class Operator>
struct Counted : Operator {
  std::uint32_t* fillings;
  void fill(Hole& hole) const {
    ++fillings[hole.seed<typename Operator::Seed>().index()];
    Operator::fill(hole);
  }
};
template <class Operator>
void expect_one_filling(const DynamicSurface& surface, Kind kind, const Operator& op) {
  Array<std::uint32_t> fillings(surface.id_end(kind), 0);
  edit(surface, Counted<Operator>{op, fillings.data()}, {.seed = 4, .max_rounds = 1});
  EXPECT_LE(*std::ranges::max_element(fillings), 1u);
  EXPECT_GT(*std::ranges::max_element(fillings), 0u);
}

// A device gets a round as a whole and finds out itself that there is too little memory: for winners, for
// what they add, for pairs, for ids that come back. The round is then resolved again, and no hole is filled
// twice.
TEST(Edit, RoundsThatAreQueuedAreTheSame) {
  for (const TriMesh& mesh : edit_meshes()) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const DynamicSurface waiting(mesh);
      const DynamicSurface queued(mesh, {.exec = Exec::host(3)});
      queued.store()->queues_rounds = true;
      SplitMix64 random(seed);
      for (int step = 0; step < 12 && waiting.face_count() < 10000; ++step) {
        const int op = static_cast<int>(random.below(edit_operators));
        const std::uint64_t round = random();
        apply(waiting, op, round);
        apply(queued, op, round);
        ASSERT_EQ(queued.validate(), "") << "seed " << seed << ", step " << step << ", operator " << op;
        ASSERT_EQ(waiting.to_mesh(), queued.to_mesh())
            << "seed " << seed << ", step " << step << ", operator " << op;
      }
    }
  }
}

TEST(Edit, RoundsThatAreQueuedFillHolesOnce) {
  const auto edit_all = [](const DynamicSurface& surface) {
    edit(surface, FlipSome{0.01, 1}, {.max_rounds = 1});  // memory for little
    expect_one_filling(surface, Kind::edge, FlipSome{0.3, 2});
    surface.store()->scratch.chords = Buffer<detail::ChordEntry>(surface.exec(), 2);
    expect_one_filling(surface, Kind::edge, FlipSome{0.3, 6});
    expect_one_filling(surface, Kind::edge, CollapseSome{0.3, 3});
    expect_one_filling(surface, Kind::face, SplitFaces{0.3, 4});
    expect_one_filling(surface, Kind::vertex, SplitVertices{0.3, 5});
    EXPECT_EQ(surface.validate(), "");
  };
  const DynamicSurface waiting(make_ico(5));
  const DynamicSurface queued(make_ico(5), {.exec = Exec::host(2)});
  queued.store()->queues_rounds = true;
  edit_all(waiting);
  edit_all(queued);
  EXPECT_EQ(waiting.to_mesh(), queued.to_mesh());
}

TEST(Edit, SetsThatCannotBeAreErrors) {
  const DynamicSurface surface(make_ico(2));
  const auto refusal = [&](std::uint32_t set, const EditOptions& options) -> std::string {
    CavitySets sets(surface, Kind::vertex, {.sets = 4, .elements = 2});
    for (std::uint32_t v = 0; v < 2; ++v) sets.view().add(SetId(set), tiled::VertexId(v));
    if (set == 3) sets.view().add(SetId(3), tiled::VertexId(2));
    try {
      (void)edit(surface, sets, CollapseSets{}, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal(3, {}), "3 elements were added to sets with room for 2");
  EXPECT_EQ(refusal(4, {}), "an element was added to a set that is not below 4");
  EXPECT_NE(refusal(1, {.again = Again::touched}), "");
  EXPECT_EQ(surface.face_count(), 320u);
}

// Each face is a cavity of its own, so there is nothing to resolve.
TEST(Edit, DisjointCavitiesNeedNoResolution) {
  const DynamicSurface resolved(make_ico(4));
  const DynamicSurface skipped(make_ico(4), {.exec = Exec::host(3)});
  const SplitFaces split = {Pick{0.5, 2}};
  const EditReport expected = edit(resolved, split, {.max_rounds = 1});
  const EditReport report = edit(skipped, split, {.max_rounds = 1, .are_disjoint = true});
  EXPECT_GT(report.won, 1000u);
  EXPECT_EQ(report.won, expected.won);
  EXPECT_EQ(skipped.to_mesh(), resolved.to_mesh());
}
// All edges want their faces, so the promise is not true: who wins is not said, but the mesh is whole.
TEST(Edit, APromiseThatIsBrokenLeavesAMesh) {
  const DynamicSurface surface(make_ico(4), {.exec = Exec::host(7)});
  const EditReport report = edit(surface, FlipSome{Pick{1.0, 1}}, {.max_rounds = 1, .are_disjoint = true});
  EXPECT_GT(report.won, 0u);
  EXPECT_GT(report.last.lost, 0u);
  EXPECT_EQ(report.won + report.last.lost + report.last.repeats_edge, report.last.cavities);
  EXPECT_EQ(surface.validate(), "");
  EXPECT_EQ(surface.face_count(), 5120u);
}

/// DynamicSurface::disorder() by its definition.
double count_disorder(const DynamicSurface& surface) {
  const EditMesh mesh = surface.mesh();
  constexpr std::int64_t vertices = 16 * 256, faces = 2 * vertices;
  const auto are_far = [](std::int64_t a, std::int64_t b, std::int64_t far) { return std::abs(a - b) > far; };
  std::size_t far = 0;
  for (std::uint32_t i = 0; i < surface.id_end(Kind::edge); ++i) {
    const tiled::EdgeId e(i);
    if (!mesh.contains(e)) continue;
    const EdgeEnds ends = mesh.ends(e);
    far += are_far(ends.from.index(), ends.to.index(), vertices) ? 1 : 0;
    std::vector<std::int64_t> sides;
    for (const tiled::FaceId f : mesh.faces(e)) sides.push_back(f.index());
    far += sides.size() == 2 && are_far(sides[0], sides[1], faces) ? 1 : 0;
  }
  return static_cast<double>(far) / (2.0 * static_cast<double>(surface.edge_count()));
}

TEST(Edit, CompactionRestoresOrder) {
  DynamicSurface surface(make_torus(240, 120));
  EXPECT_LT(surface.disorder(), 0.02);
  for (const int op : {split_operator, collapse_operator, split_operator}) apply(surface, op, 4);
  const double scattered = surface.disorder();
  EXPECT_EQ(scattered, count_disorder(surface));
  EXPECT_GT(scattered, DynamicSurface::most_disorder);
  (void)surface.compact();
  EXPECT_LT(surface.disorder(), 0.1 * scattered);
  EXPECT_EQ(surface.disorder(), count_disorder(surface));
  EXPECT_EQ(surface.validate(), "");
}

}  // namespace
}  // namespace tessera::test
