// Loops that make the arrays of edit_mesh.h of the rows of a Surface.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tessera/core/macros.h>
#include <tessera/surface/edit_mesh.h>
#include <tessera/surface/surface.h>

namespace tessera::detail {

/// The half-edges that begin at a vertex which can be reached from one of them across edges.
[[nodiscard]] inline TS_HD std::uint32_t count_fan(const EditArrays& mesh, std::uint32_t start,
                                                   std::uint32_t vertex) {
  std::uint32_t count = 1;
  for (const bool backward : {true, false}) {
    FanStep step = {start, backward};
    for (;;) {
      const std::uint32_t across = mesh.across(step.leaves_by());
      if (across == EditArrays::none) break;
      step = step.enter(mesh, across, vertex);
      if (step.at == start) return count;
      ++count;
    }
  }
  return count;
}

struct CopyWords {
  const std::uint32_t* from;
  std::uint32_t* to;
  TS_HD void operator()(std::size_t i) const { to[i] = from[i]; }
};
struct FillWords {
  std::uint32_t* to;
  std::uint32_t value;
  TS_HD void operator()(std::size_t i) const { to[i] = value; }
};
struct CountUp {
  std::uint32_t* to;
  TS_HD void operator()(std::size_t i) const { to[i] = static_cast<std::uint32_t>(i); }
};
struct FillBytes {
  std::uint8_t* to;
  TS_HD void operator()(std::size_t i) const { to[i] = 0; }
};
struct CopyBytes {
  const std::uint8_t* from;
  std::uint8_t* to;
  TS_HD void operator()(std::size_t i) const { to[i] = from[i]; }
};
struct FillLongs {
  std::uint64_t* to;
  TS_HD void operator()(std::size_t i) const { to[i] = 0; }
};

/// Lets faces begin at the corner at which they begin in the input.
struct RotateFaces {
  EditArrays mesh;
  const TriMesh::Cell* cells;  ///< of the input
  const std::uint32_t* face_origins;
  const std::uint32_t* vertex_origins;

  TS_HD void operator()(std::size_t f) const {
    const std::uint32_t first = cells[face_origins[f]][0].index();
    std::uint32_t* c = mesh.corners + 3 * f;
    std::uint32_t* e = mesh.edges + 3 * f;
    for (int k = 0; k < 2 && vertex_origins[c[0]] != first; ++k) {
      const std::uint32_t corner = c[0];
      const std::uint32_t edge = e[0];
      c[0] = c[1], c[1] = c[2], c[2] = corner;
      e[0] = e[1], e[1] = e[2], e[2] = edge;
    }
  }
};

/// Puts an edge's half-edges in their places.
struct LinkEdges {
  EditArrays mesh;
  SurfaceRows<EF> ef;
  std::uint8_t* is_listed;

  [[nodiscard]] TS_HD std::uint32_t half_edge(tiled::FaceId f, std::uint32_t e) const {
    const std::uint32_t h = 3 * f.index();
    return mesh.edges[h] == e ? h : mesh.edges[h + 1] == e ? h + 1 : h + 2;
  }
  TS_HD void operator()(std::size_t i) const {
    const auto e = static_cast<std::uint32_t>(i);
    const IdSpan<tiled::FaceId> faces = ef[tiled::EdgeId(e)];
    mesh.sides[2 * i] = half_edge(faces[0], e);
    mesh.sides[2 * i + 1] = faces.size() == 1   ? EditArrays::none
                            : faces.size() == 2 ? half_edge(faces[1], e)
                                                : EditArrays::listed;
    is_listed[i] = faces.size() > 2 ? 1 : 0;
  }
};

struct LinkVertices {
  EditArrays mesh;
  SurfaceRows<VF> vf;
  std::uint8_t* is_listed;

  [[nodiscard]] TS_HD std::uint32_t corner(tiled::FaceId f, std::uint32_t v) const {
    const std::uint32_t h = 3 * f.index();
    return mesh.corners[h] == v ? h : mesh.corners[h + 1] == v ? h + 1 : h + 2;
  }
  TS_HD void operator()(std::size_t i) const {
    const auto v = static_cast<std::uint32_t>(i);
    const IdSpan<tiled::FaceId> faces = vf[tiled::VertexId(v)];
    is_listed[i] = 0;
    if (faces.empty()) {
      mesh.handles[i] = EditArrays::none;
      return;
    }
    const std::uint32_t first = corner(faces[0], v);
    const bool is_one_fan = count_fan(mesh, first, v) == faces.size();
    mesh.handles[i] = is_one_fan ? first : EditArrays::listed;
    is_listed[i] = is_one_fan ? 0 : 1;
  }
};

/// The lengths of the lists of some elements, and then the lists.
template <class Rows>
struct ListLengths {
  Rows rows;
  const std::uint32_t* keys;
  std::uint32_t* lengths;
  TS_HD void operator()(std::size_t i) const {
    lengths[i] = static_cast<std::uint32_t>(rows[typename Rows::Row(keys[i])].size());
  }
};
struct ListEdges {
  LinkEdges link;
  const std::uint32_t* keys;
  const std::uint32_t* offsets;
  std::uint32_t* values;
  TS_HD void operator()(std::size_t i) const {
    std::uint32_t to = offsets[i];
    for (const tiled::FaceId f : link.ef[tiled::EdgeId(keys[i])]) values[to++] = link.half_edge(f, keys[i]);
  }
};
struct ListVertices {
  LinkVertices link;
  const std::uint32_t* keys;
  const std::uint32_t* offsets;
  std::uint32_t* values;
  TS_HD void operator()(std::size_t i) const {
    std::uint32_t to = offsets[i];
    for (const tiled::FaceId f : link.vf[tiled::VertexId(keys[i])]) values[to++] = link.corner(f, keys[i]);
  }
};

}  // namespace tessera::detail
