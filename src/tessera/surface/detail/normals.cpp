#include <tessera/surface/normals.h>

#include <tessera/core/detail/monitor.h>
#include <tessera/exec/detail/host_only.h>
#include <tessera/exec/for_each.h>
#include <tessera/generate/detail/common/checks.h>
#include <tessera/generate/detail/isosurface/surface_parts.h>

namespace tessera {

using namespace detail;

Field vertex_normals(const TriMesh& mesh, const NormalsOptions& options) {
  const Exec exec = host_for(host_only(options.exec, "vertex_normals()"), mesh.cell_count());
  const Monitor& monitor = monitor_of(options.monitor);
  monitor.update("averaging normals", 0);
  expect_usable(mesh, exec);
  Field normals("Normals", averaged_normals(mesh, exec), 3);
  monitor.update("averaging normals", 1);
  return normals;
}

}  // namespace tessera
