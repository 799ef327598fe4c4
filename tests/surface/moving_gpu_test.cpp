// Smoothing, flow and denoising on a device move vertices as the host does, byte for byte.
#include <gtest/gtest.h>

#include <vector>

#include <tessera/exec/exec.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/attribute.h>
#include <tessera/surface/denoise.h>
#include <tessera/surface/flow.h>
#include <tessera/surface/smooth.h>
#include <tessera/surface/surface.h>

#include "surface/naive_surface.h"
#include "surface/on_both_sides.h"
#include "surface/recorded_monitor.h"

namespace tessera {
namespace {

class DeviceMoves : public test::OnDevice {};

template <class Move>
void expect_same_moves(const TriMesh& mesh, const Move& move) {
  const auto moved = [&](const Exec& exec) {
    const Surface surface(mesh, {.exec = exec, .max_vertices = 256});
    auto at = positions<double>(surface);
    move(at);
    return at.values();
  };
  test::expect_same_bytes(moved(Exec::cuda(0)), moved(Exec::host()));
}

TEST_F(DeviceMoves, SmoothAsTheHost) {
  for (const TriMesh& mesh : test::surfaces_of_both()) {
    for (const SmoothWeights weights : {SmoothWeights::uniform, SmoothWeights::cotangent}) {
      for (const bool fix_boundary : {false, true}) {
        expect_same_moves(mesh, [&](VertexAttribute<Vec3d>& at) {
          smooth(at, {.weights = weights, .iterations = 3, .back_step = -0.53, .fix_boundary = fix_boundary});
        });
      }
    }
  }
}

TEST_F(DeviceMoves, FlowAsTheHost) {
  for (const TriMesh& mesh : test::surfaces_of_both()) {
    for (const bool precondition : {false, true}) {
      for (const bool fix_boundary : {false, true}) {
        std::vector<FlowReport> reports;
        expect_same_moves(mesh, [&](VertexAttribute<Vec3d>& at) {
          reports.push_back(flow(at, {.steps = 2,
                                      .max_iterations = 200,
                                      .precondition = precondition,
                                      .fix_boundary = fix_boundary}));
        });
        EXPECT_EQ(reports[0].iterations, reports[1].iterations);
        EXPECT_EQ(reports[0].residual, reports[1].residual);
        EXPECT_EQ(reports[0].time, reports[1].time);
      }
    }
  }
}

TEST_F(DeviceMoves, FlowSaysHowFarItIs) {
  const TriMesh mesh = test::with_noise(make_torus(150, 100), 0.01, 1);
  const test::RecordedMonitor recorded;
  (void)flow(mesh, {.time = 0.01, .exec = Exec::cuda(0), .monitor = recorded.get()});
  recorded.expect_progress("flowing", 2);
  test::expect_cancelled("flowing", 0.2, [&](const Monitor* monitor) {
    (void)flow(mesh, {.time = 0.01, .exec = Exec::cuda(0), .monitor = monitor});
  });
}

TEST_F(DeviceMoves, DenoiseAsTheHost) {
  std::vector<TriMesh> meshes;
  for (const char* name : {"triangle", "moebius", "pinched_vertex", "isolated_vertices"})
    meshes.push_back(make_small_surface(name));
  meshes.push_back(test::with_noise(make_torus(150, 100), 0.01, 1));
  meshes.push_back(test::with_noise(make_ico(5), 0.003, 2));
  meshes.push_back(test::make_star(700));
  meshes.push_back(test::make_heap(300, 400, 2));
  for (const TriMesh& mesh : meshes) {
    for (const double sigma_s : {0.0, 0.01}) {
      expect_same_moves(mesh, [&](VertexAttribute<Vec3d>& at) {
        (void)denoise(at, {.iterations = 3, .sigma_s = sigma_s});
      });
    }
  }
  // Neighbourhoods of more than 48 and of more than 512 vertices.
  for (const double sigma_c : {0.15, 0.6}) {
    expect_same_moves(meshes[5], [&](VertexAttribute<Vec3d>& at) {
      (void)denoise(at, {.iterations = 1, .sigma_c = sigma_c});
    });
  }
}

TEST_F(DeviceMoves, MeshesAsTheHost) {
  const TriMesh mesh = make_shuffled(make_torus(150, 100));
  const Exec cuda = Exec::cuda(0);
  EXPECT_TRUE(smooth(mesh, {.exec = cuda}) == smooth(mesh));
  EXPECT_TRUE(flow(mesh, {.exec = cuda}).points == flow(mesh).points);
  EXPECT_TRUE(denoise(mesh, {.exec = cuda}) == denoise(mesh));
}

}  // namespace
}  // namespace tessera
