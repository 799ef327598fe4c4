#include <tessera/surface/delaunay.h>

#include <algorithm>
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
  const EditOptions rounds = {.seed = options.seed,
                              .again = Again::touched,
                              .active = options.active,
                              .watch = options.watch,
                              .monitor = options.monitor};
  if constexpr (built_with_cuda) {
    if (surface.exec().is_cuda()) return cuda::edit_surface(surface, op, rounds);
  }
  return edit(surface, op, rounds);
}

TriMesh flip_to_delaunay(const TriMesh& mesh, const DelaunayOptions& options) {
  if (options.active)
    throw Error(ErrorCode::bad_option, "active edges are ids of a DynamicSurface: flip that one");
  const DynamicSurface surface(mesh,
                               {.exec = options.exec, .memory = options.memory, .monitor = options.monitor});
  flip_to_delaunay(surface, options);
  return surface.to_mesh();
}

Work delaunay_work(const TriMesh& mesh) {
  const Bytes faces = mesh.cell_count();
  const Bytes vertices = mesh.vertex_count();
  const Bytes edges = std::min(3 * faces, faces + vertices);  // of a soup, of a closed surface
  const Bytes fields = mesh.point_data.bytes() + mesh.cell_data.bytes() + mesh.field_data.bytes();
  // The most is held while the surface is made of its rows, or while the edited mesh is made beside it and
  // the scratch of a round, which has at most 2^20 candidates.
  const Bytes building = 115 * faces + 14 * edges + 110 * vertices;
  const Bytes editing = 36 * faces + 8 * edges + 32 * vertices + 180 * std::min(edges, Bytes{1} << 20);
  const Bytes exporting = 16 * faces + 32 * vertices + mesh.bytes();
  Work work = work_of(faces, 800, 0);
  work.device_bytes = std::max(building + building / 2, editing) + 2 * fields;
  work.host_bytes = std::max(building, editing + exporting) + 2 * fields;
  work.thread_bytes = mib(2);
  return work;
}

}  // namespace tessera
