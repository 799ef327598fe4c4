// Surface tracking: a sphere in curl noise, then in a velocity of one's own.
#include <cstdio>

#include <tessera/mesh/make.h>
#include <tessera/surface/track.h>

namespace ts = tessera;

struct Swirl {
  TS_HD ts::Vec3d operator()(const ts::Vec3d& p, double time) const { return {-p.y, p.x, time}; }
};

int main() {
  const ts::TriMesh mesh = ts::make_ico(4);
  ts::SurfaceTracker tracker(mesh, {.field = ts::TrackField::curl_noise, .time_step = 0.01});
  std::size_t splits = 0;
  for (int i = 0; i < 20; ++i) {
    const ts::TrackFrame frame = tracker.step();  // splits, flips, collapses, seconds of each phase
    splits += frame.splits;
  }
  const ts::TriMesh moved = tracker.surface().to_mesh();
  ts::advect(tracker.surface(), Swirl{}, {.time = tracker.time(), .time_step = 0.01});
  const ts::TrackFrame last = tracker.improve();  // the other phases, and the count of frames
  std::printf("%zu splits in 20 frames: %zu triangles; frame %zu has %zu\n", splits, moved.cells.size(),
              last.frame, last.faces);
}
