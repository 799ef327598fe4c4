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

inline constexpr int flip_operator = 0;
inline constexpr int split_operator = 1;
inline constexpr int collapse_operator = 2;
inline constexpr int face_split_operator = 3;
inline constexpr int vertex_split_operator = 4;
inline constexpr int edit_operators = 10;

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
