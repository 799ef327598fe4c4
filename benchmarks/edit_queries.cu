// Are queries as fast after an edit as before it, and after tiling anew?
//   build/release/benchmarks/edit_queries [--smoke] [INPUT (surfaces.h) [delaunay|remesh|simplify]]
// Each query reads the surface where it was edited, through EditMesh: "vertices" takes the mean of the
// neighbours (a product with the matrix of mean-curvature flow, as in one iteration of conjugate gradients),
// "edges" the normals of both faces, "faces" the area. "per_element" is comparable although edits change how
// many there are; "disorder" is DynamicSurface::disorder().
#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <tessera/core/vec.h>
#include <tessera/exec/buffer.h>
#include <tessera/surface/delaunay.h>
#include <tessera/surface/dynamic_surface.h>
#include <tessera/surface/remesh.h>
#include <tessera/surface/simplify.h>
#include <tessera/surface/edit.cuh>

#include "measure.h"
#include "surfaces.h"

namespace {

using namespace tessera;

struct MeanOfNeighbours {
  EditMesh mesh;
  EditView<tiled::VertexId, Vec3d> position;
  Vec3d* out;
  TS_HD void operator()(std::size_t i) const {
    const tiled::VertexId v(static_cast<std::uint32_t>(i));
    if (!mesh.contains(v)) return;
    Vec3d sum = {0, 0, 0};
    double count = 0;
    for (const tiled::VertexId w : mesh.neighbours(v)) {
      sum = sum + position[w];
      count += 1;
    }
    out[i] = count == 0 ? position[v] : (1 / count) * sum;
  }
};
struct BendAtEdges {
  EditMesh mesh;
  EditView<tiled::VertexId, Vec3d> position;
  Vec3d* out;
  TS_HD void operator()(std::size_t i) const {
    const tiled::EdgeId e(static_cast<std::uint32_t>(i));
    if (!mesh.contains(e)) return;
    const EdgeDiamond d = mesh.diamond(e);
    if (!d.right.is_valid()) return;
    const Vec3d along = position[d.to] - position[d.from];
    out[i] = cross(cross(along, position[d.left] - position[d.from]),
                   cross(position[d.right] - position[d.from], along));
  }
};
struct NormalsOfFaces {
  EditMesh mesh;
  EditView<tiled::VertexId, Vec3d> position;
  Vec3d* out;
  TS_HD void operator()(std::size_t i) const {
    const tiled::FaceId f(static_cast<std::uint32_t>(i));
    if (!mesh.contains(f)) return;
    const auto c = mesh.vertices(f);
    out[i] = cross(position[c[1]] - position[c[0]], position[c[2]] - position[c[0]]);
  }
};

template <class Loop>
double time_of(const DynamicSurface& surface, Kind kind, int launches) {
  const Exec& exec = surface.exec();
  const std::size_t n = surface.id_end(kind);
  Buffer<Vec3d> out(exec, n);
  const Loop loop = {surface.mesh(), surface.positions(), out.data()};
  std::vector<double> times;
  for_each(exec, n, loop);
  for (int round = 0; round < 9; ++round) {
    synchronize(exec);
    times.push_back(bench::seconds_of([&] {
                      for (int i = 0; i < launches; ++i) for_each(exec, n, loop);
                      synchronize(exec);
                    }) /
                    launches);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void measure(const DynamicSurface& surface, const std::string& input, const char* stage, int launches) {
  const double vertices = time_of<MeanOfNeighbours>(surface, Kind::vertex, launches);
  const double edges = time_of<BendAtEdges>(surface, Kind::edge, launches);
  const double faces = time_of<NormalsOfFaces>(surface, Kind::face, launches);
  const auto print = [&](const char* question, double seconds, std::size_t count) {
    std::printf(
        "{\"question\":\"%s\",\"stage\":\"%s\",\"input\":\"%s\",\"device\":\"%s\",\"items\":%zu,\"seconds\":%"
        ".3e,"
        "\"per_element\":%.4e,\"disorder\":%.4f}\n",
        question, stage, input.c_str(), surface.exec().description().c_str(), count, seconds,
        seconds / static_cast<double>(count), surface.disorder());
  };
  print("vertices", vertices, surface.vertex_count());
  print("edges", edges, surface.edge_count());
  print("faces", faces, surface.face_count());
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool smoke = std::erase(arguments, "--smoke") != 0;
  const std::string input = !arguments.empty() ? arguments[0] : smoke ? "ico3" : "torus";
  const std::string work = arguments.size() > 1 ? arguments[1] : "delaunay";
  const Exec exec = Exec::automatic();
  const int launches = smoke ? 1 : 20;
  DynamicSurface surface(bench::make_surface(input), {.exec = exec});
  measure(surface, input, "before", launches);
  if (work == "remesh")
    (void)remesh(surface, {.feature_angle = 180});
  else if (work == "simplify")
    (void)simplify(surface, {.ratio = 0.5});
  else
    (void)flip_to_delaunay(surface);
  measure(surface, input, ("after_" + work).c_str(), launches);
  (void)surface.compact();
  measure(surface, input, "tiled_anew", launches);
}
