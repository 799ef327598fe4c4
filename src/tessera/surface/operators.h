// The common local operators, as parts to build operators of one's own with (cavity.h):
//
//   struct FlipWhere {
//     using Seed = ts::tiled::EdgeId;
//     ...
//     TS_HD void declare(ts::Cavity& cavity, Seed e) const { if (should_flip(e)) ts::declare_flip(cavity, e);
//     } TS_HD void fill(ts::Hole& hole) const { ts::fill_flip(hole); }
//   };
#pragma once

#include <cstddef>
#include <cstdint>

#include <tessera/core/macros.h>
#include <tessera/core/vec.h>
#include <tessera/surface/cavity.h>
#include <tessera/surface/dynamic_surface.h>
#include <tessera/surface/edit_mesh.h>

namespace tessera {

/// Replaces an edge by the other diagonal of its two faces. Edges of one face, or of more than two, stay.
inline TS_HD void declare_flip(Cavity& cavity, tiled::EdgeId e) {
  if (cavity.mesh().face_count(e) == 2) cavity.remove(e);
}
inline TS_HD void fill_flip(Hole& hole) {
  hole.fan_from(1);  // a vertex opposite the edge
}

/// Puts a vertex on an edge, also of the border or of many faces: at a + t (b - a) between its ends. The
/// halves of the edge inherit its attributes.
inline TS_HD void declare_split(Cavity& cavity, tiled::EdgeId e) {
  const std::size_t faces = cavity.mesh().face_count(e);
  cavity.remove(e);
  cavity.add_vertices(1);
  if (faces == 1) cavity.allow_open();
  if (faces > 2) {
    cavity.allow_any_shape();
    cavity.add_faces(static_cast<std::uint32_t>(2 * faces));
  }
}
inline TS_HD tiled::VertexId fill_split(Hole& hole, double t = 0.5) {
  const auto e = hole.seed<tiled::EdgeId>();
  const EdgeEnds ends = hole.mesh().ends(e);
  const tiled::VertexId v = hole.add_vertex(ends.from, ends.to, t);
  if (hole.mesh().face_count(e) <= 2) {
    hole.fan(v);
  } else {
    for (std::uint32_t i = 0; i < hole.size(); ++i) hole.add_face(hole.tail(i), hole.head(i), v);
  }
  hole.inherit(hole.add_edge(ends.from, v), e);
  hole.inherit(hole.add_edge(v, ends.to), e);
  return v;
}

/// Puts a vertex into a face.
inline TS_HD void declare_face_split(Cavity& cavity, tiled::FaceId f) {
  cavity.remove(f);
  cavity.add_vertices(1);
}
inline TS_HD tiled::VertexId fill_face_split(Hole& hole) {
  const auto corners = hole.mesh().vertices(hole.seed<tiled::FaceId>());
  const tiled::VertexId v = hole.add_vertex(corners, 1.0 / 3, 1.0 / 3);
  hole.fan(v);
  return v;
}

/// May the edge be drawn together to a point without changing the topology? (The link condition: what both
/// ends are joined to is just what lies opposite the edge.) Of manifold neighbourhoods; false elsewhere.
[[nodiscard]] inline TS_HD bool can_collapse(const EditMesh& mesh, tiled::EdgeId e) {
  const auto [u, v] = mesh.ends(e);
  const std::size_t faces = mesh.face_count(e);
  if (faces > 2) return false;
  std::size_t common = 0;
  std::size_t degrees = 0;
  bool u_is_border = false;
  for (const tiled::EdgeId to : mesh.edges(u)) {
    const std::size_t count = mesh.face_count(to);
    if (count > 2) return false;
    u_is_border = u_is_border || count == 1;
    ++degrees;
  }
  bool v_is_border = false;
  for (const tiled::EdgeId to : mesh.edges(v)) {
    const std::size_t count = mesh.face_count(to);
    if (count > 2) return false;
    v_is_border = v_is_border || count == 1;
    ++degrees;
    const EdgeEnds ends = mesh.ends(to);
    const tiled::VertexId w = ends.from == v ? ends.to : ends.from;
    if (w != u && mesh.find_edge(u, w).is_valid()) ++common;
  }
  if (common != faces) return false;
  // Two borders may not meet, and a tetrahedron or a single triangle may not fall flat.
  if (u_is_border && v_is_border) return faces == 1 && degrees > 4;
  return degrees - 2 > (u_is_border || v_is_border ? 3u : 4u);
}

/// Draws an edge together to one vertex at a + t (b - a). The caller has asked can_collapse().
inline TS_HD void declare_collapse(Cavity& cavity, tiled::EdgeId e) {
  const auto [u, v] = cavity.mesh().ends(e);
  cavity.remove(u);
  cavity.remove(v);
  cavity.add_vertices(1);
  cavity.allow_open();
}
inline TS_HD tiled::VertexId fill_collapse(Hole& hole, double t = 0.5) {
  const EdgeEnds ends = hole.mesh().ends(hole.seed<tiled::EdgeId>());
  const tiled::VertexId v = hole.add_vertex(ends.from, ends.to, t);
  hole.fan(v);
  return v;
}

/// Draws a face together to its middle.
inline TS_HD void declare_face_collapse(Cavity& cavity, tiled::FaceId f) {
  for (const tiled::VertexId v : cavity.mesh().vertices(f)) cavity.remove(v);
  cavity.add_vertices(1);
}
inline TS_HD tiled::VertexId fill_face_collapse(Hole& hole) {
  const tiled::VertexId v =
      hole.add_vertex(hole.mesh().vertices(hole.seed<tiled::FaceId>()), 1.0 / 3, 1.0 / 3);
  hole.fan(v);
  return v;
}

/// Replaces a vertex inside the surface by an edge: its neighbours i to j of the loop go to the first of the
/// two new vertices, j to i to the second.
inline TS_HD void declare_vertex_split(Cavity& cavity, tiled::VertexId v) {
  cavity.remove(v);
  cavity.add_vertices(2);
}
struct SplitVertex {
  tiled::VertexId first;
  tiled::VertexId second;
};
inline TS_HD SplitVertex fill_vertex_split(Hole& hole, std::uint32_t i, std::uint32_t j) {
  const auto v = hole.seed<tiled::VertexId>();
  const std::uint32_t n = hole.size();
  const SplitVertex made = {hole.add_vertex_like(v), hole.add_vertex_like(v)};
  for (std::uint32_t k = i; k != j; k = (k + 1) % n) hole.add_face(hole.tail(k), hole.head(k), made.first);
  for (std::uint32_t k = j; k != i; k = (k + 1) % n) hole.add_face(hole.tail(k), hole.head(k), made.second);
  hole.add_face(made.first, made.second, hole.vertex(i));
  hole.add_face(made.second, made.first, hole.vertex(j));
  return made;
}

/// Removes an element with all that contains it and leaves the hole.
template <class IdType>
TS_HD void declare_deletion(Cavity& cavity, IdType id) {
  cavity.remove(id);
  cavity.allow_any_shape();
}

/// The normal of a face, as long as twice its area.
[[nodiscard]] inline TS_HD Vec3d doubled_normal(const EditMesh& mesh,
                                                const EditView<tiled::VertexId, Vec3d>& position,
                                                tiled::FaceId f) {
  const auto c = mesh.vertices(f);
  const Vec3d a = position[c[0]];
  return cross(position[c[1]] - a, position[c[2]] - a);
}

/// Refuses a filling with a face that turns away from all the faces it replaces: by more than the angle with
/// this cosine from their sum.
inline TS_HD void refuse_fold_over(Hole& hole, const EditView<tiled::VertexId, Vec3d>& position,
                                   double least_cosine = 0) {
  Vec3d before = {0, 0, 0};
  for (std::uint32_t i = 0; i < hole.removed_face_count(); ++i)
    before = before + doubled_normal(hole.mesh(), position, hole.removed_face(i));
  for (std::uint32_t i = 0; i < hole.new_face_count(); ++i) {
    const auto c = hole.new_face_vertices(i);
    const Vec3d a = position[c[0]];
    const Vec3d after = cross(position[c[1]] - a, position[c[2]] - a);
    if (!(dot(before, after) > least_cosine * length(before) * length(after))) return hole.refuse();
  }
}

}  // namespace tessera
