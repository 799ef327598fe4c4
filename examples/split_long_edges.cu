// An operator of one's own: splits edges until none is longer than asked for, on a GPU or on host threads.
#include <cstdio>

#include <tessera/tessera.cuh>

namespace ts = tessera;

struct SplitLongEdges {
  using Seed = ts::tiled::EdgeId;
  ts::EditView<ts::tiled::VertexId, ts::Vec3d> position;
  double longest;

  // What should go? Long edges, and with them their faces.
  TS_HD void declare(ts::Cavity& cavity, Seed e) const {
    const auto [a, b] = cavity.mesh().ends(e);
    const double length = ts::length(position[b] - position[a]);
    if (length <= longest) return;
    cavity.remove(e);
    cavity.allow_open();                              // edges of the border are split, too
    cavity.add_vertices(1);                           // as many as fill() adds
    cavity.set_priority(static_cast<float>(length));  // of neighbours the longest goes first
  }
  // What comes instead? A vertex in the middle, joined to the boundary of the hole.
  TS_HD void fill(ts::Hole& hole) const {
    const auto [a, b] = hole.mesh().ends(hole.seed<Seed>());
    hole.fan(hole.add_vertex(a, b, 0.5));
  }
};

int main() {
  const ts::TriMesh mesh = ts::make_ico(3);
  const ts::DynamicSurface surface(mesh, {.exec = ts::Exec::automatic()});
  const SplitLongEdges split = {surface.positions(), 0.1};
  const ts::EditReport report = ts::edit(surface, split, {.seed = 1, .again = ts::Again::touched});
  const ts::TriMesh fine = surface.to_mesh();
  std::printf("%zu edges were split in %zu rounds: %zu triangles\n", report.won, report.rounds,
              fine.cells.size());
}
