// Edits on a device: the host's bytes.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include <tessera/exec/device_watch.h>
#include <tessera/surface/delaunay.h>
#include <tessera/surface/remesh.h>
#include <tessera/surface/simplify.h>
#include <tessera/surface/edit.cuh>

#include "surface/edit_cases.h"
#include "surface/on_both_sides.h"

namespace tessera::test {
namespace {

class EditOnDevice : public OnDevice {};

TEST_F(EditOnDevice, EveryOperatorAsTheHost) {
  for (const TriMesh& mesh : edit_meshes()) {
    const DynamicSurface there(mesh, {.exec = Exec::cuda()});
    const DynamicSurface here(mesh);
    ASSERT_EQ(there.validate(), "");
    for (std::uint64_t round = 0; round < 3 && here.face_count() < 20000; ++round) {
      for (int op = 0; op < edit_operators; ++op) {
        apply(there, op, round);
        apply(here, op, round);
        ASSERT_EQ(there.validate(), "") << "operator " << op << ", " << mesh.cells.size() << " triangles";
        ASSERT_EQ(there.to_mesh(), here.to_mesh()) << "operator " << op << ", round " << round;
      }
    }
  }
}

TEST_F(EditOnDevice, DelaunayAsTheHost) {
  for (const TriMesh& mesh : {make_ico(6), make_shuffled(make_torus(150, 100)), make_heap(3000, 9000, 4)}) {
    const TriMesh there = flip_to_delaunay(mesh, {.exec = Exec::cuda(), .seed = 9});
    EXPECT_EQ(there, flip_to_delaunay(mesh, {.seed = 9}));
  }
}

TEST_F(EditOnDevice, RemeshingAsTheHost) {
  for (const TriMesh& mesh : {make_ico(5), make_shuffled(make_torus(60, 40)), make_height_field(60, 40)}) {
    for (const bool project : {false, true}) {
      const TriMesh there = remesh(mesh, {.exec = Exec::cuda(), .project = project, .seed = 9});
      EXPECT_EQ(there, remesh(mesh, {.project = project, .seed = 9}));
    }
  }
}

TEST_F(EditOnDevice, SimplificationAsTheHost) {
  for (const TriMesh& mesh : {make_ico(5), make_shuffled(make_torus(60, 40)), make_height_field(60, 40)}) {
    const TriMesh there = simplify(mesh, {.exec = Exec::cuda(), .ratio = 0.1, .seed = 9});
    EXPECT_EQ(there, simplify(mesh, {.ratio = 0.1, .seed = 9}));
    const TriMesh bounded = simplify(mesh, {.exec = Exec::cuda(), .max_error = 0.01, .seed = 9});
    EXPECT_EQ(bounded, simplify(mesh, {.max_error = 0.01, .seed = 9}));
  }
}

TEST_F(EditOnDevice, CompactionAsTheHost) {
  DynamicSurface there(make_ico(4), {.exec = Exec::cuda()});
  DynamicSurface here(make_ico(4));
  for (int op = 0; op < edit_operators; ++op) {
    apply(there, op, 7);
    apply(here, op, 7);
  }
  EXPECT_EQ(there.compact().faces.to_host(), here.compact().faces.to_host());
  EXPECT_EQ(there.validate(), "");
  apply(there, split_operator, 8);
  apply(here, split_operator, 8);
  EXPECT_EQ(there.to_mesh(), here.to_mesh());
}

/// Counts what crosses the bus.
class CopiedBytes : public DeviceWatch {
 public:
  [[nodiscard]] bool accept(const char*) override { return true; }
  void copies(std::size_t bytes) override { sum_ += bytes; }
  [[nodiscard]] std::size_t sum() const { return sum_; }

 private:
  std::size_t sum_ = 0;
};

// The mesh has 12 MB. A round copies its counters, 112 bytes; one that finds too little memory asks for a few
// numbers and writes the table of attributes, 4096 bytes and some.
TEST_F(EditOnDevice, BetweenRoundsOnlyCountersCrossTheBus) {
  const auto watch = std::make_shared<CopiedBytes>();
  const DynamicSurface surface(make_torus(400, 200), {.exec = Exec::cuda().with_watch(watch)});
  const std::size_t before = watch->sum();
  EXPECT_GT(before, 1000000u);  // the mesh itself: the watch sees copies
  std::size_t rounds = 0;
  const EditReport flips = flip_to_delaunay(surface, {.watch = [&](const EditRound&) { ++rounds; }});
  EXPECT_GT(flips.won, 10000u);
  EXPECT_LT(watch->sum() - before, 1024 * rounds + 4096);
  const std::size_t flipped = watch->sum();
  const EditReport splits = edit(surface, SplitSome{Pick{0.3, 1}}, {.again = Again::losers});
  EXPECT_GT(splits.won, 10000u);
  EXPECT_LT(watch->sum() - flipped, 16384 * splits.rounds);
}

}  // namespace
}  // namespace tessera::test
