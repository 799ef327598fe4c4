// Cavities that several threads put together: the faces of each region go, and a fan comes instead.
#include <cstdio>

#include <tessera/tessera.cuh>

namespace ts = tessera;

struct FillRegion {
  using Seed = ts::SetId;
  TS_HD void declare(ts::Cavity& cavity, Seed) const { cavity.add_vertices(1); }
  TS_HD void fill(ts::Hole& hole) const { hole.fan(hole.add_vertex_like(hole.vertex(0))); }
};

int main() {
  const ts::TriMesh mesh = ts::make_ico(4);
  const ts::DynamicSurface surface(mesh, {.exec = ts::Exec::automatic()});
  const std::uint32_t regions = 20;
  // Each face finds the region that it belongs to, if any: here, the faces around a face of an icosahedron.
  ts::CavitySets sets(surface, ts::Kind::face, {.sets = regions, .elements = surface.face_count()});
  const auto view = sets.view();
  const ts::EditMesh faces = surface.mesh();
  ts::for_each(
      surface.exec(), surface.id_end(ts::Kind::face), TS_LAMBDA(std::size_t f) {
        const auto id = static_cast<std::uint32_t>(f);
        for (const ts::tiled::EdgeId e : faces.edges(ts::tiled::FaceId(id))) {
          for (const ts::tiled::FaceId other : faces.faces(e)) {
            if (other.index() % 256 == 0) view.add(ts::SetId(other.index() / 256), ts::tiled::FaceId(id));
          }
        }
      });
  const ts::EditReport report = ts::edit(surface, sets, FillRegion{}, {.seed = 1});
  std::printf("%zu of %u regions were filled: %zu triangles\n", report.won, regions, surface.face_count());
}
