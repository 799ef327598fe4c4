// The operators and loops of remeshing, on either side.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include <tessera/core/macros.h>
#include <tessera/core/vec.h>
#include <tessera/mesh/detail/morton.h>
#include <tessera/surface/cavity.h>
#include <tessera/surface/dynamic_surface.h>
#include <tessera/surface/operators.h>

namespace tessera::detail {

/// How free a vertex is. Splits and collapses keep this true: a vertex on a line has two edges of the line.
enum class Freedom : std::uint8_t { surface, line, fixed };

/// Target lengths: one for all, or a field.
struct TargetLengths {
  enum class From : std::uint8_t { all, float32, float64 };
  EditView<tiled::VertexId, float> float32;
  EditView<tiled::VertexId, double> float64;
  double all = 0;
  From from = From::all;

  [[nodiscard]] TS_HD double at(tiled::VertexId v) const {
    return from == From::all ? all : from == From::float32 ? double{float32[v]} : float64[v];
  }
  [[nodiscard]] TS_HD double between(tiled::VertexId a, tiled::VertexId b) const {
    if (from == From::all) return all;
    const double x = at(a);
    const double y = at(b);
    return y < x ? y : x;
  }
};

/// What all operators of remeshing look at.
struct RemeshView {
  EditView<tiled::VertexId, Vec3d> position;
  EditView<tiled::VertexId, Freedom> freedom;
  EditView<tiled::EdgeId, std::uint8_t> is_line;
  TargetLengths lengths;

  /// The squared distance as a multiple of the squared target.
  [[nodiscard]] TS_HD double relative_squared(tiled::VertexId a, tiled::VertexId b) const {
    const Vec3d d = position[b] - position[a];
    const double target = lengths.between(a, b);
    return dot(d, d) / (target * target);
  }
};

inline constexpr double longest_squared = 4.0 / 3 * (4.0 / 3);
inline constexpr double shortest_squared = 4.0 / 5 * (4.0 / 5);

/// 4 sqrt(3) times the area over the sum of the squared sides, squared: the angles of thin triangles without
/// roots.
[[nodiscard]] inline TS_HD double squared_quality(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  const Vec3d u = b - a;
  const Vec3d v = c - a;
  const Vec3d w = c - b;
  const Vec3d n = cross(u, v);
  const double sum = dot(u, u) + dot(v, v) + dot(w, w);
  return sum > 0 ? 12 * dot(n, n) / (sum * sum) : 0;
}

/// Do two normals differ by less than the angle with this cosine, above 0?
[[nodiscard]] inline TS_HD bool points_alike(const Vec3d& n, const Vec3d& m, double cosine) {
  const double product = dot(n, m);
  return product > 0 && product * product > cosine * cosine * dot(n, n) * dot(m, m);
}

/// The removed face on a boundary edge of a hole around one vertex or on both sides of one edge.
template <class IsRemoved>
[[nodiscard]] TS_HD tiled::HalfEdgeId removed_side(const EditMesh& mesh, tiled::EdgeId e, const IsRemoved& is_removed) {
  for (const tiled::HalfEdgeId h : mesh.half_edges(e)) {
    if (is_removed(h)) return h;
  }
  return tiled::HalfEdgeId();
}

// ------------------------------------------------------------------------------------------- splits

struct SplitLong {
  using Seed = tiled::EdgeId;
  RemeshView view;

  TS_HD void declare(Cavity& cavity, Seed e) const {
    const auto [a, b] = cavity.mesh().ends(e);
    const double squared = view.relative_squared(a, b);
    if (!(squared > longest_squared)) return;
    declare_split(cavity, e);
    cavity.set_priority(static_cast<float>(squared));
  }
  TS_HD void fill(Hole& hole) const {
    const EditMesh& mesh = hole.mesh();
    const auto e = hole.seed<Seed>();
    const tiled::VertexId v = fill_split(hole);
    if (!v.is_valid()) return;
    hole.set(view.freedom, v, view.is_line[e] != 0 ? Freedom::line : Freedom::surface);
    const auto [a, b] = mesh.ends(e);
    for (std::uint32_t i = 0; i < hole.size(); ++i) {
      const tiled::HalfEdgeId h = removed_side(mesh, hole.edge(i), [&](tiled::HalfEdgeId side) {
        return mesh.edge(mesh.next(side)) == e || mesh.edge(mesh.previous(side)) == e;
      });
      if (h.is_valid() && i < hole.new_face_count()) hole.inherit(hole.new_face(i), mesh.face(h));
    }
  }
};

// ----------------------------------------------------------------------------------------- collapses

/// Pulls one end of a short edge into the other, which stays as it is.
struct CollapseShort {
  using Seed = tiled::EdgeId;
  RemeshView view;

  static constexpr double least_cosine = 0.5;
  static constexpr double poor_quality = 0.04;  ///< squared

  TS_HD void declare(Cavity& cavity, Seed e) const {
    const EditMesh& mesh = cavity.mesh();
    const auto [a, b] = mesh.ends(e);
    const double squared = view.relative_squared(a, b);
    if (!(squared < shortest_squared)) return;
    const bool a_may_go = may_go(a, e);
    const bool b_may_go = may_go(b, e);
    if ((!a_may_go && !b_may_go) || mesh.face_count(e) > 2) return;
    const bool a_first = a_may_go && (!b_may_go || mesh.valence(a) <= mesh.valence(b));
    tiled::VertexId gone = a_first ? a : b;
    tiled::VertexId kept = a_first ? b : a;
    if (!keeps_shape(mesh, gone, kept)) {
      if (!a_may_go || !b_may_go || !keeps_shape(mesh, kept, gone)) return;
      const tiled::VertexId other = gone;
      gone = kept;
      kept = other;
    }
    if (!keeps_lines(mesh, e, gone, kept) || !can_collapse(mesh, e)) return;
    cavity.remove(gone);
    if (mesh.is_border(e)) cavity.allow_open();
    cavity.set_priority(static_cast<float>(-squared));
  }

  TS_HD void fill(Hole& hole) const {
    const EditMesh& mesh = hole.mesh();
    const auto [a, b] = mesh.ends(hole.seed<Seed>());
    std::uint32_t at = 0;
    while (at < hole.vertex_count() && hole.vertex(at) != a && hole.vertex(at) != b) ++at;
    if (at == hole.vertex_count()) return hole.refuse();
    const tiled::VertexId kept = hole.vertex(at);
    const tiled::VertexId gone = kept == a ? b : a;
    if (!hole.is_open()) {
      hole.fan_from(at);
    } else {
      for (std::uint32_t i = 0; i < hole.size(); ++i) {
        if (hole.tail(i) != kept && hole.head(i) != kept) hole.add_face(kept, hole.tail(i), hole.head(i));
      }
    }
    inherit(hole, at, gone);
  }

 private:
  [[nodiscard]] TS_HD bool may_go(tiled::VertexId v, Seed e) const {
    const Freedom freedom = view.freedom[v];
    return freedom == Freedom::surface || (freedom == Freedom::line && view.is_line[e] != 0);
  }
  /// No new edge is too long, and no face turns over or becomes thin.
  [[nodiscard]] TS_HD bool keeps_shape(const EditMesh& mesh, tiled::VertexId gone, tiled::VertexId kept) const {
    const Vec3d p = view.position[gone];
    const Vec3d q = view.position[kept];
    for (const tiled::HalfEdgeId h : mesh.half_edges(gone)) {
      const tiled::VertexId b = mesh.to(h);
      const tiled::VertexId c = mesh.opposite(h);
      if (b != kept && view.relative_squared(kept, b) > longest_squared) return false;
      if (c != kept && view.relative_squared(kept, c) > longest_squared) return false;
      if (b == kept || c == kept) continue;
      const Vec3d x = view.position[b];
      const Vec3d y = view.position[c];
      const double after = squared_quality(q, x, y);
      const double before = squared_quality(p, x, y);
      if (after < poor_quality && after < before) return false;
      constexpr double without_area = 1e-12;
      if (before > without_area && !points_alike(cross(x - p, y - p), cross(x - q, y - q), least_cosine))
        return false;
    }
    return true;
  }
  /// A line goes on where it went: its other edge at the vertex must not fall onto an edge that is there.
  [[nodiscard]] TS_HD bool keeps_lines(const EditMesh& mesh, Seed e, tiled::VertexId gone,
                                       tiled::VertexId kept) const {
    if (view.freedom[gone] == Freedom::surface) return true;
    for (const Seed other : mesh.edges(gone)) {
      if (other == e || view.is_line[other] == 0) continue;
      const auto [a, b] = mesh.ends(other);
      if (mesh.find_edge(a == gone ? b : a, kept).is_valid()) return false;
    }
    return true;
  }
  /// New edges and faces are what the old ones at the vertex were.
  TS_HD void inherit(Hole& hole, std::uint32_t at, tiled::VertexId gone) const {
    const EditMesh& mesh = hole.mesh();
    const tiled::VertexId kept = hole.vertex(at);
    const std::uint32_t n = hole.size();
    std::uint32_t face = 0;
    for (std::uint32_t k = 0; k < n; ++k) {
      const std::uint32_t i = hole.is_open() ? k : (at + k) % n;
      const tiled::VertexId head = hole.head(i);
      if (hole.tail(i) == kept || head == kept) continue;
      const tiled::HalfEdgeId h = removed_side(
          mesh, hole.edge(i), [&](tiled::HalfEdgeId side) { return mesh.opposite(side) == gone; });
      if (!h.is_valid() || face >= hole.new_face_count()) continue;
      hole.inherit(hole.new_face(face++), mesh.face(h));
      for (const tiled::HalfEdgeId spoke : {mesh.next(h), mesh.previous(h)}) {
        const tiled::VertexId end = mesh.from(spoke) == gone ? mesh.to(spoke) : mesh.from(spoke);
        hole.inherit(hole.add_edge(kept, end), mesh.edge(spoke));
      }
    }
  }
};

// -------------------------------------------------------------------------------------------- flips

struct FlipToValence {
  using Seed = tiled::EdgeId;
  RemeshView view;

  static constexpr double least_cosine = 0.5;
  static constexpr double poor_quality = 0.25;  ///< squared

  TS_HD void declare(Cavity& cavity, Seed e) const {
    const EditMesh& mesh = cavity.mesh();
    if (view.is_line[e] != 0 || mesh.face_count(e) != 2) return;
    const tiled::HalfEdgeId h = mesh.first_half_edge(e);
    const tiled::HalfEdgeId across = mesh.across(h);
    const tiled::VertexId a = mesh.from(h);
    const tiled::VertexId b = mesh.to(h);
    const tiled::VertexId c = mesh.opposite(h);
    const tiled::VertexId d = mesh.opposite(across);
    if (c == d || mesh.from(across) != b) return;
    const int change = change_of(mesh, a, -1) + change_of(mesh, b, -1) + change_of(mesh, c, 1) + change_of(mesh, d, 1);
    if (change >= 0 || !keeps_shape(view.position[a], view.position[b], view.position[c], view.position[d]))
      return;
    cavity.remove(e);
    cavity.set_priority(static_cast<float>(-change));
  }
  TS_HD void fill(Hole& hole) const { fill_flip(hole); }

 private:
  /// How much the squared distance of a vertex' valence from the best one grows. Where a vertex is fixed no
  /// valence is better than others.
  [[nodiscard]] TS_HD int change_of(const EditMesh& mesh, tiled::VertexId v, int more) const {
    const Freedom freedom = view.freedom[v];
    if (freedom == Freedom::fixed) return 0;
    const int best = freedom == Freedom::line && mesh.is_border(v) ? 4 : 6;
    const int before = static_cast<int>(mesh.valence(v)) - best;
    return 2 * more * before + 1;
  }
  [[nodiscard]] TS_HD static bool keeps_shape(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
    const Vec3d before = cross(b - a, c - a) + cross(a - b, d - b);
    if (!points_alike(before, cross(d - c, a - c), least_cosine)) return false;
    if (!points_alike(before, cross(c - d, b - d), least_cosine)) return false;
    const double q0 = squared_quality(a, b, c);
    const double q1 = squared_quality(b, a, d);
    const double r0 = squared_quality(c, a, d);
    const double r1 = squared_quality(d, b, c);
    const double after = r0 < r1 ? r0 : r1;
    return after >= poor_quality || after >= (q0 < q1 ? q0 : q1);
  }
};
