// Operators that pick elements by a hash, and meshes of all shapes to apply them to.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <tessera/core/random.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/dynamic_surface.h>
#include <tessera/surface/edit.h>
#include <tessera/surface/operators.h>
#if defined(__CUDACC__)
#include <tessera/surface/edit.cuh>
#endif

#include "surface/odd_surfaces.h"
#include "surface/surface_meshes.h"

namespace tessera::test {

/// Picks a part of all elements.
struct Pick {
  double part;
  std::uint64_t seed;
  TS_HD bool operator()(std::uint32_t id) const { return uniform01(seed, id) < part; }
};

struct FlipSome : Pick {
  using Seed = tiled::EdgeId;
  TS_HD void declare(Cavity& cavity, Seed e) const {
    if ((*this)(e.index())) declare_flip(cavity, e);
  }
  TS_HD void fill(Hole& hole) const { fill_flip(hole); }
};
struct SplitSome : Pick {
  using Seed = tiled::EdgeId;
  TS_HD void declare(Cavity& cavity, Seed e) const {
    if ((*this)(e.index())) declare_split(cavity, e);
  }
  TS_HD void fill(Hole& hole) const { fill_split(hole, 0.25); }
};
struct CollapseSome : Pick {
  using Seed = tiled::EdgeId;
  TS_HD void declare(Cavity& cavity, Seed e) const {
    if ((*this)(e.index()) && can_collapse(cavity.mesh(), e)) declare_collapse(cavity, e);
  }
  TS_HD void fill(Hole& hole) const { fill_collapse(hole); }
};
/// Without asking whether it may.
struct CollapseRecklessly : Pick {
  using Seed = tiled::EdgeId;
  TS_HD void declare(Cavity& cavity, Seed e) const {
    if ((*this)(e.index())) declare_collapse(cavity, e);
  }
  TS_HD void fill(Hole& hole) const { fill_collapse(hole); }
};
struct SplitFaces : Pick {
  using Seed = tiled::FaceId;
  TS_HD void declare(Cavity& cavity, Seed f) const {
    if ((*this)(f.index())) declare_face_split(cavity, f);
  }
  TS_HD void fill(Hole& hole) const { fill_face_split(hole); }
};
struct CollapseFaces : Pick {
  using Seed = tiled::FaceId;
  TS_HD void declare(Cavity& cavity, Seed f) const {
    if ((*this)(f.index())) declare_face_collapse(cavity, f);
  }
  TS_HD void fill(Hole& hole) const { fill_face_collapse(hole); }
};
struct SplitVertices : Pick {
  using Seed = tiled::VertexId;
  TS_HD void declare(Cavity& cavity, Seed v) const {
    if ((*this)(v.index()) && cavity.mesh().valence(v) > 3) declare_vertex_split(cavity, v);
  }
  TS_HD void fill(Hole& hole) const { fill_vertex_split(hole, 0, hole.size() / 2); }
};
template <class IdType>
struct Delete : Pick {
  using Seed = IdType;
  TS_HD void declare(Cavity& cavity, Seed id) const {
    if ((*this)(id.index())) declare_deletion(cavity, id);
  }
  TS_HD void fill(Hole&) const {}
};

/// Removes an element with its neighbours. Vertices that are left inside are left alone.
template <class IdType>
struct ClearAround : Pick {
  using Seed = IdType;
  TS_HD void declare(Cavity& cavity, Seed id) const {
    if (!(*this)(id.index())) return;
    cavity.remove_with_neighbours(id);
    cavity.add_vertices(1);
    cavity.allow_any_shape();
  }
  TS_HD void fill(Hole& hole) const {
    if (hole.size() == 0) return;
    const tiled::VertexId v = hole.add_vertex_like(hole.vertex(0));
    for (std::uint32_t i = 0; i < hole.size(); ++i) hole.add_face(hole.tail(i), hole.head(i), v);
  }
};

/// CollapseFaces by sets: the corners of each face that is picked are put together by the threads of the
/// vertices.
struct AddToFaces : Pick {
  EditMesh mesh;
  CavitySetsView sets;
  TS_HD void operator()(std::size_t i) const {
    const tiled::VertexId v(static_cast<std::uint32_t>(i));
    if (!mesh.contains(v)) return;
    for (const tiled::FaceId f : mesh.faces(v)) {
      if (Pick::operator()(f.index())) sets.add(SetId(f.index()), v);
    }
  }
};
struct CollapseSets {
  using Seed = SetId;
  TS_HD void declare(Cavity& cavity, Seed) const { cavity.add_vertices(1); }
  TS_HD void fill(Hole& hole) const {
    const tiled::FaceId f(hole.seed<SetId>().index());
    hole.fan(hole.add_vertex(hole.mesh().vertices(f), 1.0 / 3, 1.0 / 3));
  }
};
inline EditReport collapse_by_sets(const DynamicSurface& surface, const Pick& pick, EditOptions options) {
  CavitySets sets(surface, Kind::vertex,
                  {.sets = surface.id_end(Kind::face), .elements = 3 * surface.face_count()});
  const AddToFaces add = {pick, surface.mesh(), sets.view()};
#if defined(__CUDACC__)
  for_each(surface.exec(), surface.id_end(Kind::vertex), add);
#else
  host_for_each(surface.exec(), surface.id_end(Kind::vertex), add);
#endif
  options.max_rounds = 1;
  return edit(surface, sets, CollapseSets{}, options);
}

inline constexpr int flip_operator = 0;
inline constexpr int split_operator = 1;
inline constexpr int collapse_operator = 2;
inline constexpr int face_split_operator = 3;
inline constexpr int vertex_split_operator = 4;
inline constexpr int edit_operators = 14;

/// One of the operators above, to a part of the elements.
inline EditReport apply(const DynamicSurface& surface, int op, std::uint64_t seed) {
  const EditOptions options = {.seed = seed};
  const Pick some = {0.3, seed};
  const Pick few = {0.03, seed};
  switch (op) {
    case flip_operator: return edit(surface, FlipSome{some}, options);
    case split_operator: return edit(surface, SplitSome{some}, options);
    case collapse_operator: return edit(surface, CollapseSome{some}, options);
    case face_split_operator: return edit(surface, SplitFaces{few}, options);
    case vertex_split_operator: return edit(surface, SplitVertices{few}, options);
    case 5: return edit(surface, CollapseFaces{few}, options);
    case 6: return edit(surface, Delete<tiled::VertexId>{few}, options);
    case 7: return edit(surface, Delete<tiled::EdgeId>{few}, options);
    case 8: return edit(surface, Delete<tiled::FaceId>{few}, options);
    case 9: return edit(surface, ClearAround<tiled::VertexId>{few}, options);
    case 10: return edit(surface, ClearAround<tiled::EdgeId>{few}, options);
    case 11: return edit(surface, ClearAround<tiled::FaceId>{few}, options);
    case 12: return collapse_by_sets(surface, few, options);
    default: return edit(surface, CollapseRecklessly{few}, options);
  }
}

/// Closed, open, not manifold, tiny, in many pieces, with a hub.
inline std::vector<TriMesh> edit_meshes() {
  std::vector<TriMesh> meshes = odd_surfaces();
  // Edits at one vertex are in conflict: they are made one after the other.
  std::erase_if(meshes, [](const TriMesh& mesh) { return mesh.cells.size() > 2000; });
  meshes.push_back(make_ico(3));
  meshes.push_back(make_torus(12, 8));
  meshes.push_back(make_fan(40));
  meshes.push_back(make_confetti(30));
  return meshes;
}

}  // namespace tessera::test
