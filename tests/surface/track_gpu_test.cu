// Surface tracking on a device: the host's bytes.
#include <gtest/gtest.h>

#include <tessera/surface/track.cuh>

#include "surface/edit_cases.h"
#include "surface/on_both_sides.h"

namespace tessera::test {
namespace {

class TrackOnDevice : public OnDevice {};

TEST_F(TrackOnDevice, FramesAsTheHost) {
  for (const TriMesh& mesh :
       {make_ico(5), make_shuffled(make_torus(60, 40)), make_height_field(60, 40), make_heap(300, 900, 4)}) {
    for (const TrackField field : {TrackField::curl_noise, TrackField::deformation, TrackField::vortex}) {
      TrackOptions options = {.field = field, .time_step = 0.03, .measures = true, .seed = 9};
      SurfaceTracker here(mesh, options);
      options.exec = Exec::cuda();
      SurfaceTracker there(mesh, options);
      for (int i = 0; i < 10; ++i) {
        const TrackFrame a = here.step();
        const TrackFrame b = there.step();
        ASSERT_EQ(a.splits, b.splits);
        ASSERT_EQ(a.flips, b.flips);
        ASSERT_EQ(a.collapses, b.collapses);
        ASSERT_EQ(a.volume, b.volume);
        ASSERT_EQ(a.area, b.area);
      }
      ASSERT_EQ(there.surface().validate(), "");
      ASSERT_EQ(there.surface().to_mesh(), here.surface().to_mesh());
    }
  }
}

TEST_F(TrackOnDevice, AnglesCompactionAndBordersAsTheHost) {
  TrackOptions options = {.time_step = 0.03,
                          .frames = 12,
                          .min_angle = 15,
                          .max_angle = 140,
                          .midpoint = TrackMidpoint::linear,
                          .edits_border = false,
                          .most_disorder = 0};
  const TriMesh here = track(make_height_field(50, 50), options);
  options.exec = Exec::cuda();
  EXPECT_EQ(track(make_height_field(50, 50), options), here);
}

struct Swirl {
  TS_HD Vec3d operator()(const Vec3d& p, double time) const { return {-p.y, p.x, time}; }
};

TEST_F(TrackOnDevice, VelocitiesOfOnesOwnAsTheHost) {
  const TriMesh mesh = make_ico(5);
  const DynamicSurface there(mesh, {.exec = Exec::cuda()});
  const DynamicSurface here(mesh);
  const VelocityFunction all = [](std::span<const Vec3d> points, double, std::span<Vec3d> out) {
    for (std::size_t i = 0; i < points.size(); ++i) out[i] = points[i];
  };
  for (const DynamicSurface& surface : {there, here}) {
    advect(surface, Swirl{}, {.time = 1, .time_step = 0.1, .substeps = 3});
    advect(surface, all, {.time_step = 0.1});
    advect(surface, EditAttribute<VertexId, Vec3d>(surface, {1, 2, 3}), 0.5);
  }
  EXPECT_EQ(there.to_mesh(), here.to_mesh());
}

}  // namespace
}  // namespace tessera::test
