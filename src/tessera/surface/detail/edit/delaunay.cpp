#include <tessera/surface/delaunay.h>

#include <cmath>
#include <numbers>

#include <tessera/core/config.h>
#include <tessera/core/error.h>
#include <tessera/surface/detail/cuda/edit_apps.h>
#include <tessera/surface/detail/edit/delaunay_operator.h>

namespace tessera {

using namespace detail;

EditReport flip_to_delaunay(const DynamicSurface& surface, const DelaunayOptions& options) {
  if (!(options.feature_angle >= 0 && options.feature_angle <= 180))
    throw Error(ErrorCode::bad_option, "the angle of features must be between 0 and 180 degrees");
  const DelaunayFlip op = {surface.positions(), std::cos(options.feature_angle * std::numbers::pi / 180)};
  const EditOptions rounds = {
      .seed = options.seed, .again = Again::touched, .watch = options.watch, .monitor = options.monitor};
  if constexpr (built_with_cuda) {
    if (surface.exec().is_cuda()) return cuda::edit_surface(surface, op, rounds);
  }
  return edit(surface, op, rounds);
}

TriMesh flip_to_delaunay(const TriMesh& mesh, const DelaunayOptions& options) {
  const DynamicSurface surface(
      mesh, {.exec = options.exec, .memory = options.memory, .monitor = options.monitor});
  flip_to_delaunay(surface, options);
  return surface.to_mesh();
}

Work delaunay_work(const TriMesh& mesh) {
  Work work = work_of(mesh.cell_count(), 1000, 250);
  work.host_bytes = mesh.cell_count() * 130 + mesh.vertex_count() * 40;
  work.thread_bytes = mib(2);
  return work;
}

}  // namespace tessera
