// Loops for what does not fit the places of edit_mesh.h: edges with more than two faces, edges that may have
// lost their last face, and vertices whose fans may have changed.
//
// Before the commit the vertices and edges in question are flagged, and the edges at each vertex and the
// half-edges on each edge are written down as pairs, the new ones with them. After the commit those that are
// still there tell what the vertex or edge has become.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tessera/core/macros.h>
#include <tessera/surface/cavity.h>
#include <tessera/surface/detail/edit/build_loops.h>
#include <tessera/surface/detail/edit/round_loops.h>
#include <tessera/surface/edit_mesh.h>

namespace tessera::detail {

[[nodiscard]] inline TS_HD std::uint64_t pair_of(std::uint32_t key, std::uint32_t value) {
  return std::uint64_t{key} << 32 | value;
}

/// Flags what the irregular cavities touch.
struct FlagSuspects {
  RoundView round;
  std::uint8_t* vertices;
  std::uint8_t* edges;

  TS_HD void operator()(std::size_t i) const {
    const CavityWork& work = round.works[i];
    if (work.outcome != CavityOutcome::won || work.is_regular) return;
    const EditArrays& mesh = round.mesh.arrays();
    const RoundScratch& scratch = round.scratch;
    for (std::uint32_t k = 0; k < work.face_count; ++k) {
      const std::size_t f = scratch.faces[work.face_begin + k];
      for (std::size_t h = 3 * f; h < 3 * f + 3; ++h) raise(vertices + mesh.corners[h]);
    }
    for (std::uint32_t k = 0; k < work.used[0]; ++k) raise(vertices + NewIds{work, scratch}.vertex(k));
    for (std::uint32_t k = 0; k < work.boundary_count; ++k) {
      const std::uint32_t h =
          scratch.boundary[3 * std::size_t{work.face_begin} + k].half_edge & ~reversed_bit;
      raise(edges + mesh.edges[h]);
    }
    for (std::uint32_t k = 0; k < work.used[1]; ++k) raise(edges + NewIds{work, scratch}.edge(k));
  }
};
/// Vertices that are removed are of no interest.
struct UnflagRemoved {
  RoundView round;
  std::uint8_t* vertices;
  TS_HD void operator()(std::size_t i) const {
    const CavityWork& work = round.works[i];
    const CavityRequest& request = round.requests[work.cavity];
    if (work.outcome != CavityOutcome::won || !request.removes(Kind::vertex)) return;
    round.named(request).for_each([&](std::uint32_t v) { vertices[v] = 0; });
  }
};

/// Visits pairs twice: to count them, and then to write them.
template <class Source>
struct WritePairs {
  Source source;
  std::uint32_t* counts;
  const std::uint32_t* offsets;
  std::uint64_t* out;  ///< null: they are counted

  TS_HD void operator()(std::size_t i) const {
    if (out == nullptr) {
      std::uint32_t count = 0;
      source.visit(i, [&](std::uint64_t) { ++count; });
      counts[i] = count;
    } else {
      std::uint64_t* to = out + offsets[i];
      source.visit(i, [&](std::uint64_t pair) { *to++ = pair; });
    }
  }
};

/// The edges at each vertex of a list.
struct EdgesOfVertices {
  EditMesh mesh;
  const std::uint32_t* list;
  template <class F>
  TS_HD void visit(std::size_t i, const F& f) const {
    if (!mesh.contains(tiled::VertexId(list[i]))) return;  // a new one
    for (const tiled::EdgeId e : mesh.edges(tiled::VertexId(list[i]))) f(pair_of(list[i], e.index()));
  }
};
/// The half-edges on each edge of a list.
struct SidesOfEdges {
  EditMesh mesh;
  const std::uint32_t* list;
  template <class F>
  TS_HD void visit(std::size_t i, const F& f) const {
    if (!mesh.contains(tiled::EdgeId(list[i]))) return;  // a new one
    for (const tiled::HalfEdgeId h : mesh.half_edges(tiled::EdgeId(list[i]))) f(pair_of(list[i], h.index()));
  }
};
/// The new edges of a cavity at flagged vertices.
struct NewEdges {
  RoundView round;
  const std::uint8_t* is_flagged;
  template <class F>
  TS_HD void visit(std::size_t i, const F& f) const {
    const CavityWork& work = round.works[i];
    if (work.outcome != CavityOutcome::won) return;
    for (std::uint32_t k = 0; k < 2 * work.used[1]; ++k) {
      const std::uint32_t v = round.scratch.new_edges[work.staged[0] + k / 2].ends[k % 2];
      if (is_flagged[v] != 0) f(pair_of(v, NewIds{work, round.scratch}.edge(k / 2)));
    }
  }
};
/// The new half-edges of a cavity on flagged edges.
struct NewSides {
  RoundView round;
  const std::uint8_t* is_flagged;
  template <class F>
  TS_HD void visit(std::size_t i, const F& f) const {
    const CavityWork& work = round.works[i];
    if (work.outcome != CavityOutcome::won) return;
    const NewIds ids = {work, round.scratch};
    const BoundaryEdge* boundary = round.scratch.boundary + 3 * std::size_t{work.face_begin};
    for (std::uint32_t h = 0; h < 3 * work.used[2]; ++h) {
      const std::uint32_t side = round.scratch.new_faces[work.staged[1] + h / 3].edges[h % 3];
      const std::uint32_t e = (side & of_boundary_bit) != 0
                                  ? (boundary[side & ~of_boundary_bit].slot & slot_mask) / 2
                                  : ids.edge(side);
      if (is_flagged[e] != 0) f(pair_of(e, ids.half_edge(h)));
    }
  }
};
/// Of pairs of an edge and a half-edge, those that are there after the commit.
struct LiveSides {
  EditArrays mesh;
  const std::uint64_t* pairs;
  template <class F>
  TS_HD void visit(std::size_t i, const F& f) const {
    const auto h = static_cast<std::uint32_t>(pairs[i]);
    if (mesh.corners[h] != EditArrays::none && mesh.edges[h] == pairs[i] >> 32) f(pairs[i]);
  }
};
/// Of pairs of a vertex and an edge: the half-edges that begin at the vertex, in the faces of the edge.
struct CornersOfEdges {
  EditMesh mesh;
  const std::uint64_t* pairs;
  template <class F>
  TS_HD void visit(std::size_t i, const F& f) const {
    const auto v = static_cast<std::uint32_t>(pairs[i] >> 32);
    const tiled::EdgeId e(static_cast<std::uint32_t>(pairs[i]));
    if (!mesh.contains(e)) return;
    for (const tiled::HalfEdgeId h : mesh.half_edges(e)) {
      if (mesh.from(h).index() == v)
        f(pair_of(v, h.index()));
      else if (mesh.to(h).index() == v)
        f(pair_of(v, mesh.next(h).index()));
    }
  }
};
/// Lists as they were, of elements that were not looked at and still have one.
struct KeptLists {
  ListsView lists;
  EditArrays mesh;
  const std::uint8_t* is_flagged;
  Kind kind;
  template <class F>
  TS_HD void visit(std::size_t i, const F& f) const {
    const std::uint32_t key = lists.keys[i];
    const bool is_listed = kind == Kind::edge ? mesh.is_listed(key) : mesh.handles[key] == EditArrays::listed;
    if (is_flagged[key] != 0 || !is_listed) return;
    for (std::uint32_t k = lists.offsets[i]; k < lists.offsets[i + 1]; ++k) f(pair_of(key, lists.values[k]));
  }
};

/// The part of sorted pairs that has a key.
struct PairRange {
  const std::uint64_t* begin;
  std::uint32_t size;

  TS_HD PairRange(const std::uint64_t* pairs, std::uint32_t count, std::uint32_t key) {
    const std::uint32_t first = lower(pairs, count, pair_of(key, 0));
    begin = pairs + first;
    size = lower(pairs, count, pair_of(key + 1, 0)) - first;
  }

 private:
  static TS_HD std::uint32_t lower(const std::uint64_t* pairs, std::uint32_t count, std::uint64_t pair) {
    std::uint32_t low = 0;
    std::uint32_t high = count;
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (pairs[middle] < pair)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};

struct ResolveEdges {
  EditArrays mesh;
  const std::uint32_t* list;
  const std::uint64_t* pairs;
  std::uint32_t pair_count;
  std::uint8_t* is_dead;  ///< by place in the list

  TS_HD void operator()(std::size_t i) const {
    const std::size_t e = list[i];
    const PairRange sides(pairs, pair_count, list[i]);
    mesh.sides[2 * e] = sides.size > 0 ? static_cast<std::uint32_t>(sides.begin[0]) : EditArrays::none;
    mesh.sides[2 * e + 1] = sides.size < 2    ? EditArrays::none
                            : sides.size == 2 ? static_cast<std::uint32_t>(sides.begin[1])
                                              : EditArrays::listed;
    is_dead[i] = sides.size == 0 ? 1 : 0;
  }
};

struct ResolveVertices {
  EditArrays mesh;
  const std::uint32_t* list;
  const std::uint64_t* pairs;
  std::uint32_t pair_count;

  TS_HD void operator()(std::size_t i) const {
    const std::uint32_t v = list[i];
    const PairRange corners(pairs, pair_count, v);
    std::uint32_t handle = EditArrays::none;
    if (corners.size != 0) {
      const auto first = static_cast<std::uint32_t>(corners.begin[0]);
      handle = count_fan(mesh, first, v) == corners.size ? first : EditArrays::listed;
    }
    mesh.handles[v] = handle;
  }
};

/// Of pairs of looked-at elements, those that have a list now.
struct NewLists {
  EditArrays mesh;
  const std::uint64_t* pairs;
  Kind kind;
  template <class F>
  TS_HD void visit(std::size_t i, const F& f) const {
    const auto key = static_cast<std::uint32_t>(pairs[i] >> 32);
    const bool is_listed = kind == Kind::edge ? mesh.is_listed(key) : mesh.handles[key] == EditArrays::listed;
    if (is_listed) f(pairs[i]);
  }
};

struct SplitPairs {
  const std::uint64_t* pairs;
  std::uint32_t* keys;
  std::uint32_t* values;
  TS_HD void operator()(std::size_t i) const {
    keys[i] = static_cast<std::uint32_t>(pairs[i] >> 32);
    values[i] = static_cast<std::uint32_t>(pairs[i]);
  }
};

}  // namespace tessera::detail
