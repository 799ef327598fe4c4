// Edits by cavities: the common operators, conflicts, any shape of mesh, the same bytes for any number of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <tessera/mesh/make.h>
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
        ASSERT_EQ(surface.validate(), "") << "operator " << op << ", round " << round << ", "
                                          << mesh.cells.size() << " triangles";
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
        ASSERT_EQ(surface.validate(), "") << "seed " << seed << ", step " << step << ", operator " << op << ", "
                                          << mesh.cells.size() << " triangles";
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
      for (const int op : {flip_operator, split_operator, collapse_operator, face_split_operator,
                           vertex_split_operator}) {
        apply(surface, op, round);
        ASSERT_EQ(surface.validate(), "");
        ASSERT_EQ(euler(), before) << "operator " << op;
        ASSERT_EQ(3 * surface.face_count(), 2 * surface.edge_count());
      }
    }
  }
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
  EXPECT_EQ(before.cells.size(), after.cells.size());
  const auto moved = mark.values();
  for (std::uint32_t f = 0; f < maps.faces.size(); ++f) {
    const tiled::FaceId to = maps.faces[tiled::FaceId(f)];
    if (!to.is_valid()) continue;
    EXPECT_EQ(moved[to], f);
  }
}

}  // namespace
}  // namespace tessera::test
