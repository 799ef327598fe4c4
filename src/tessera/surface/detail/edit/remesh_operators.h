// The operators and loops of remeshing, on either side.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include <tessera/core/macros.h>
#include <tessera/core/random.h>
#include <tessera/core/vec.h>
#include <tessera/surface/cavity.h>
#include <tessera/surface/detail/edit/closest_points.h>
#include <tessera/surface/detail/edit/shared_operators.h>
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

/// Do the two faces of an edge meet at a sharper bend than the angle with this cosine?
[[nodiscard]] inline TS_HD bool bends(const EditMesh& mesh, const EditView<tiled::VertexId, Vec3d>& position,
                                      tiled::EdgeId e, double cosine) {
  const tiled::HalfEdgeId h = mesh.first_half_edge(e);
  const Vec3d n = doubled_normal(mesh, position, mesh.face(h));
  const Vec3d m = doubled_normal(mesh, position, mesh.face(mesh.across(h)));
  return dot(n, m) < cosine * std::sqrt(dot(n, n) * dot(m, m));
}

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
    for (std::uint32_t i = 0; i < hole.size(); ++i) {
      const tiled::HalfEdgeId h = removed_side(mesh, hole.edge(i), [&](tiled::HalfEdgeId side) {
        return mesh.edge(mesh.next(side)) == e || mesh.edge(mesh.previous(side)) == e;
      });
      if (h.is_valid() && i < hole.new_face_count()) hole.inherit(hole.new_face(i), mesh.face(h));
    }
  }
};

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
  [[nodiscard]] TS_HD bool keeps_shape(const EditMesh& mesh, tiled::VertexId gone,
                                       tiled::VertexId kept) const {
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
      inherit_spoke(hole, mesh.next(h), kept);
      inherit_spoke(hole, mesh.previous(h), kept);
    }
  }
  /// `spoke` lies between the vertex that goes and one of the boundary.
  TS_HD void inherit_spoke(Hole& hole, tiled::HalfEdgeId spoke, tiled::VertexId kept) const {
    const EditMesh& mesh = hole.mesh();
    const auto [a, b] = mesh.ends(hole.seed<Seed>());
    const tiled::VertexId gone = kept == a ? b : a;
    const tiled::VertexId end = mesh.from(spoke) == gone ? mesh.to(spoke) : mesh.from(spoke);
    hole.inherit(hole.add_edge(kept, end), mesh.edge(spoke));
  }
};

/// Valences as they are, counted anew.
struct CountedValences {
  RemeshView view;
  static constexpr std::int8_t any = 127;  ///< where a vertex is fixed no valence is better than others

  /// The distance from the best valence.
  [[nodiscard]] TS_HD std::int8_t operator()(const EditMesh& mesh, tiled::VertexId v) const {
    const Freedom freedom = view.freedom[v];
    if (freedom == Freedom::fixed) return any;
    const int best = freedom == Freedom::line && mesh.is_border(v) ? 4 : 6;
    const int excess = static_cast<int>(mesh.valence(v)) - best;
    return static_cast<std::int8_t>(excess < any ? excess : any - 1);
  }
};
/// Valences that were written.
struct StoredValences {
  const std::int8_t* excess;
  [[nodiscard]] TS_HD std::int8_t operator()(const EditMesh&, tiled::VertexId v) const {
    return excess[v.index()];
  }
};

/// Which flips bring valences nearer to the best ones.
struct FlipRule {
  RemeshView view;

  static constexpr double least_cosine = 0.5;
  static constexpr double poor_quality = 0.25;  ///< squared

  /// By how much the sum of squared distances from the best valences falls; 0 if it does not, or if the flip
  /// must not be.
  template <class Valences>
  [[nodiscard]] TS_HD int gain(const EditMesh& mesh, tiled::EdgeId e, const Valences& excess) const {
    if (view.is_line[e] != 0 || mesh.face_count(e) != 2) return 0;
    const tiled::HalfEdgeId h = mesh.first_half_edge(e);
    const tiled::HalfEdgeId across = mesh.across(h);
    const tiled::VertexId a = mesh.from(h);
    const tiled::VertexId b = mesh.to(h);
    const tiled::VertexId c = mesh.opposite(h);
    const tiled::VertexId d = mesh.opposite(across);
    if (c == d || mesh.from(across) != b) return 0;
    const int sum = change(excess(mesh, a), -1) + change(excess(mesh, b), -1) + change(excess(mesh, c), 1) +
                    change(excess(mesh, d), 1);
    if (sum >= 0) return 0;
    return keeps_shape({view.position[a], view.position[b], view.position[c], view.position[d]}) ? -sum : 0;
  }

 private:
  struct Quad {
    Vec3d a, b, c, d;  ///< of the triangles abc and bad
  };
  [[nodiscard]] static TS_HD int change(std::int8_t excess, int more) {
    return excess == CountedValences::any ? 0 : 2 * more * excess + 1;
  }
  [[nodiscard]] static TS_HD bool keeps_shape(const Quad& quad) {
    const auto& [a, b, c, d] = quad;
    const Vec3d before = cross(b - a, c - a) + cross(a - b, d - b);
    if (!points_alike(before, cross(a - c, d - c), least_cosine)) return false;
    if (!points_alike(before, cross(b - d, c - d), least_cosine)) return false;
    const double q0 = squared_quality(a, b, c);
    const double q1 = squared_quality(b, a, d);
    const double r0 = squared_quality(c, a, d);
    const double r1 = squared_quality(d, b, c);
    const double after = r0 < r1 ? r0 : r1;
    return after >= poor_quality || after >= (q0 < q1 ? q0 : q1);
  }
};

struct WriteValences {
  EditMesh mesh;
  CountedValences count;
  std::int8_t* excess;
  TS_HD void operator()(std::size_t i) const {
    const tiled::VertexId v(static_cast<std::uint32_t>(i));
    if (mesh.contains(v)) excess[i] = count(mesh, v);
  }
};
/// The edges that should be flipped.
struct FlagFlips {
  EditMesh mesh;
  FlipRule rule;
  StoredValences excess;
  std::uint8_t* flags;
  TS_HD void operator()(std::size_t i) const {
    const tiled::EdgeId e(static_cast<std::uint32_t>(i));
    flags[i] = mesh.contains(e) && rule.gain(mesh, e, excess) > 0 ? 1 : 0;
  }
};

/// Flips of one round do not see what the others do to the valences of their vertices, so that together they
/// may do harm, again and again. Only a part of the edges, which a hash chooses, is flipped in each pass.
struct FlipToValence {
  using Seed = tiled::EdgeId;
  FlipRule rule;
  std::uint64_t seed;

  static constexpr std::uint64_t parts = 3;

  TS_HD void declare(Cavity& cavity, Seed e) const {
    if (splitmix64(seed + e.index()) % parts != 0) return;
    const int gain = rule.gain(cavity.mesh(), e, CountedValences{rule.view});
    if (gain == 0) return;
    cavity.remove(e);
    cavity.set_priority(static_cast<float>(gain));
  }
  TS_HD void fill(Hole& hole) const { fill_flip(hole); }
};

/// What an edge may be a part of.
enum class LineKind : std::uint8_t {
  none,
  bend,  ///< two faces meet at a sharp bend: a feature, or noise
  hard,  ///< one face, more than two, or two that wind differently: kept in any case
};

/// Marks edges that may be kept as lines.
struct MarkLines {
  EditMesh mesh;
  EditView<tiled::VertexId, Vec3d> position;
  EditView<tiled::EdgeId, std::uint8_t> is_line;
  std::uint8_t* flags;
  double cosine;

  TS_HD void operator()(std::size_t i) const {
    const tiled::EdgeId e(static_cast<std::uint32_t>(i));
    const LineKind kind = mesh.contains(e) ? kind_of(e) : LineKind::none;
    flags[i] = kind == LineKind::none ? 0 : 1;
    if (mesh.contains(e)) is_line[e] = static_cast<std::uint8_t>(kind);
  }

 private:
  [[nodiscard]] TS_HD LineKind kind_of(tiled::EdgeId e) const {
    if (mesh.face_count(e) != 2) return LineKind::hard;
    const tiled::HalfEdgeId h = mesh.first_half_edge(e);
    const tiled::HalfEdgeId across = mesh.across(h);
    if (mesh.from(across) == mesh.from(h)) return LineKind::hard;  // there is no normal
    return bends(mesh, position, e, cosine) ? LineKind::bend : LineKind::none;
  }
};

/// A marked edge as find_features() sees it.
struct LineSegment {
  Vec3d points[2];
  std::uint32_t ends[2];
  LineKind kind;
  bool is_clean;  ///< around both ends the surface is flat but for lines, and no face is a sliver
};
struct GatherLines {
  EditMesh mesh;
  EditView<tiled::VertexId, Vec3d> position;
  EditView<tiled::EdgeId, std::uint8_t> is_line;
  const std::uint32_t* list;
  double flat_cosine;  ///< of the largest bend that counts as flat
  LineSegment* out;

  TS_HD void operator()(std::size_t i) const {
    const tiled::EdgeId e(list[i]);
    const auto [a, b] = mesh.ends(e);
    out[i] = {{position[a], position[b]},
              {a.index(), b.index()},
              static_cast<LineKind>(is_line[e]),
              is_clean(a) && is_clean(b) && !bounds_sliver(e)};
  }

 private:
  [[nodiscard]] TS_HD bool is_clean(tiled::VertexId v) const {
    for (const tiled::EdgeId e : mesh.edges(v)) {
      if (is_line[e] == 0 && bends(mesh, position, e, flat_cosine)) return false;
    }
    return true;
  }
  /// Is it a side of a thin face that bends at all its sides? Such a face has no normal to speak of.
  [[nodiscard]] TS_HD bool bounds_sliver(tiled::EdgeId e) const {
    constexpr double thin = 0.04;
    for (const tiled::FaceId f : mesh.faces(e)) {
      bool is_enclosed = true;
      for (const tiled::EdgeId side : mesh.edges(f)) is_enclosed = is_enclosed && is_line[side] != 0;
      const auto c = mesh.vertices(f);
      if (is_enclosed && squared_quality(position[c[0]], position[c[1]], position[c[2]]) < thin) return true;
    }
    return false;
  }
};
/// Writes which edges of a list are lines.
struct SetLines {
  EditView<tiled::EdgeId, std::uint8_t> is_line;
  const std::uint32_t* list;
  const std::uint8_t* flags;
  TS_HD void operator()(std::size_t i) const { is_line[tiled::EdgeId(list[i])] = flags[i]; }
};

struct MarkFreedom {
  EditMesh mesh;
  EditView<tiled::VertexId, Vec3d> position;
  EditView<tiled::EdgeId, std::uint8_t> is_line;
  EditView<tiled::VertexId, Freedom> freedom;
  double cosine;
  const std::uint8_t* is_fixed;  ///< by the caller; may be null

  TS_HD void operator()(std::size_t i) const {
    const tiled::VertexId v(static_cast<std::uint32_t>(i));
    if (!mesh.contains(v)) return;
    freedom[v] = is_fixed != nullptr && is_fixed[i] != 0 ? Freedom::fixed : of(v);
  }

 private:
  [[nodiscard]] TS_HD Freedom of(tiled::VertexId v) const {
    const std::uint32_t handle = mesh.arrays().handles[v.index()];
    if ((handle & EditArrays::listed) != 0) return Freedom::fixed;  // no faces, or not one fan
    std::uint32_t lines = 0;
    Vec3d to[2] = {};
    for (const tiled::EdgeId e : mesh.edges(v)) {
      if (is_line[e] == 0) continue;
      const auto [a, b] = mesh.ends(e);
      if (lines < 2) to[lines] = position[a == v ? b : a] - position[v];
      ++lines;
    }
    if (lines == 0) return Freedom::surface;
    if (lines != 2) return Freedom::fixed;
    const double straight = -dot(to[0], to[1]);
    return straight >= cosine * std::sqrt(dot(to[0], to[0]) * dot(to[1], to[1])) ? Freedom::line
                                                                                 : Freedom::fixed;
  }
};

/// Moves vertices within the surface towards the middle of their faces, and those of lines along them.
struct SmoothOnce {
  EditMesh mesh;
  RemeshView view;
  const Vec3d* from;
  Vec3d* to;

  TS_HD void operator()(std::size_t i) const {
    const tiled::VertexId v(static_cast<std::uint32_t>(i));
    if (!mesh.contains(v)) return;
    const Freedom freedom = view.freedom[v];
    to[i] = freedom == Freedom::surface ? middle_of_faces(v)
            : freedom == Freedom::line  ? along_line(v)
                                        : from[i];
  }

 private:
  [[nodiscard]] TS_HD Vec3d middle_of_faces(tiled::VertexId v) const {
    const Vec3d p = from[v.index()];
    const double own = view.lengths.at(v);
    Vec3d normal = {0, 0, 0};
    Vec3d sum = {0, 0, 0};  // of the middles of faces, seen from p
    double weights = 0;
    for (const tiled::HalfEdgeId h : mesh.half_edges(v)) {
      const tiled::VertexId b = mesh.to(h);
      const tiled::VertexId c = mesh.opposite(h);
      const Vec3d u = from[b.index()] - p;
      const Vec3d w = from[c.index()] - p;
      const Vec3d n = cross(u, w);
      double weight = length(n);
      if (view.lengths.from != TargetLengths::From::all) {
        const double size = (own + view.lengths.at(b) + view.lengths.at(c)) / 3;
        weight = weight / (size * size);
      }
      normal = normal + n;
      sum = sum + weight / 3 * (u + w);
      weights += weight;
    }
    const double squared = dot(normal, normal);
    if (!(weights > 0 && squared > 0)) return p;
    const Vec3d move = 1 / weights * sum;
    return p + (move - dot(move, normal) / squared * normal);
  }
  /// Halfway between the neighbours on the line, on the longer one of the two edges.
  [[nodiscard]] TS_HD Vec3d along_line(tiled::VertexId v) const {
    const Vec3d p = from[v.index()];
    const double own = view.lengths.at(v);
    Vec3d step[2] = {};
    double sizes[2] = {0, 0};
    std::uint32_t found = 0;
    for (const tiled::EdgeId e : mesh.edges(v)) {
      if (view.is_line[e] == 0) continue;
      const auto [a, b] = mesh.ends(e);
      const tiled::VertexId other = a == v ? b : a;
      if (found < 2) {
        step[found] = from[other.index()] - p;
        sizes[found] = length(step[found]) / (0.5 * (own + view.lengths.at(other)));
      }
      ++found;
    }
    if (found != 2) return p;
    const std::uint32_t longer = sizes[0] < sizes[1] ? 1 : 0;
    const double part = (sizes[longer] - sizes[1 - longer]) / 2;
    return sizes[longer] > 0 ? p + part / sizes[longer] * step[longer] : p;
  }
};

struct CopyPoints {
  const Vec3d* from;
  Vec3d* to;
  TS_HD void operator()(std::size_t i) const { to[i] = from[i]; }
};

struct FlagFaces {
  EditMesh mesh;
  std::uint8_t* flags;
  TS_HD void operator()(std::size_t i) const {
    flags[i] = mesh.contains(tiled::FaceId(static_cast<std::uint32_t>(i))) ? 1 : 0;
  }
};
/// A shape at each vertex, to begin searches with.
struct FindHomes {
  EditMesh mesh;
  const std::uint32_t* place_of;
  EditView<tiled::VertexId, std::uint32_t> home;
  TS_HD void operator()(std::size_t i) const {
    const tiled::VertexId v(static_cast<std::uint32_t>(i));
    if (!mesh.contains(v)) return;
    home[v] = ClosestTree::none;
    for (const tiled::FaceId f : mesh.faces(v)) {
      home[v] = place_of[f.index()];
      break;
    }
  }
};

struct ProjectVertices {
  EditMesh mesh;
  RemeshView view;
  EditView<tiled::VertexId, std::uint32_t> home;
  ClosestTree faces;
  ClosestTree lines;

  TS_HD void operator()(std::size_t i) const {
    const tiled::VertexId v(static_cast<std::uint32_t>(i));
    if (!mesh.contains(v) || view.freedom[v] == Freedom::fixed) return;
    const bool is_free = view.freedom[v] == Freedom::surface;
    const ClosestTree::Found found =
        is_free ? faces.find(view.position[v], home[v]) : lines.find(view.position[v], ClosestTree::none);
    if (found.shape == ClosestTree::none) return;
    if (is_free) home[v] = found.shape;
    if (found.squared > 0) view.position[v] = found.point;
  }
};

/// Flags faces that a move of vertices has made worse than it may: thin ones that became thinner, and those
/// that fold over an edge that is no line and over which they did not fold before.
struct FlagSpoilt {
  EditMesh mesh;
  RemeshView view;
  const Vec3d* before;
  std::uint8_t* flags;

  static constexpr double poor_quality = 0.04;  ///< squared

  TS_HD void operator()(std::size_t i) const {
    const tiled::FaceId f(static_cast<std::uint32_t>(i));
    flags[i] = mesh.contains(f) && is_spoilt(f) ? 1 : 0;
  }

 private:
  [[nodiscard]] TS_HD bool is_spoilt(tiled::FaceId f) const {
    const Vec3d* now = view.position.data();
    const double quality = quality_of(f, now);
    if (quality < poor_quality && quality < quality_of(f, before)) return true;
    for (std::uint32_t k = 0; k < 3; ++k) {
      const tiled::HalfEdgeId h = mesh.half_edge(f, k);
      const tiled::HalfEdgeId across = mesh.across(h);
      if (!across.is_valid() || view.is_line[mesh.edge(h)] != 0) continue;
      const tiled::FaceId g = mesh.face(across);
      if (dot(normal(f, now), normal(g, now)) < 0 && !(dot(normal(f, before), normal(g, before)) < 0))
        return true;
    }
    return false;
  }
  [[nodiscard]] TS_HD double quality_of(tiled::FaceId f, const Vec3d* at) const {
    const auto c = mesh.vertices(f);
    return squared_quality(at[c[0].index()], at[c[1].index()], at[c[2].index()]);
  }
  [[nodiscard]] TS_HD Vec3d normal(tiled::FaceId f, const Vec3d* at) const {
    const auto c = mesh.vertices(f);
    const Vec3d a = at[c[0].index()];
    return cross(at[c[1].index()] - a, at[c[2].index()] - a);
  }
};
/// Puts the vertices of flagged faces back, and counts those that were elsewhere.
struct PutBack {
  EditMesh mesh;
  RemeshView view;
  const Vec3d* before;
  const std::uint8_t* flags;
  std::uint32_t* counts;

  TS_HD void operator()(std::size_t i) const {
    const tiled::VertexId v(static_cast<std::uint32_t>(i));
    counts[i] = 0;
    if (!mesh.contains(v)) return;
    const Vec3d old = before[i];
    const Vec3d now = view.position[v];
    if (now.x == old.x && now.y == old.y && now.z == old.z) return;
    for (const tiled::FaceId f : mesh.faces(v)) {
      if (flags[f.index()] == 0) continue;
      view.position[v] = old;
      counts[i] = 1;
      return;
    }
  }
};

/// Where a vertex lies on the input.
struct ShapePlace {
  std::uint32_t shape;
  double s;
  double t;
};
struct LocateVertices {
  EditMesh mesh;
  RemeshView view;
  EditView<tiled::VertexId, std::uint32_t> home;
  ClosestTree faces;
  ShapePlace* places;

  TS_HD void operator()(std::size_t i) const {
    const tiled::VertexId v(static_cast<std::uint32_t>(i));
    places[i].shape = ClosestTree::none;
    if (!mesh.contains(v) || view.freedom[v] == Freedom::fixed) return;
    const ClosestTree::Found found = faces.find(view.position[v], home[v]);
    places[i] = {found.shape, found.s, found.t};
  }
};

/// Gives vertices the values that the input has where they lie.
template <class Real>
struct SampleField {
  const ShapePlace* places;
  const ClosestShape* shapes;
  const Real* from;
  Real* to;
  std::uint32_t components;

  TS_HD void operator()(std::size_t i) const {
    const ShapePlace& place = places[i];
    if (place.shape == ClosestTree::none) return;
    const std::uint32_t* of = shapes[place.shape].vertices;
    for (std::size_t k = 0; k < components; ++k) {
      const double a = from[std::size_t{of[0]} * components + k];
      const double b = from[std::size_t{of[1]} * components + k];
      const double c = from[std::size_t{of[2]} * components + k];
      to[i * components + k] = static_cast<Real>(a + place.s * (b - a) + place.t * (c - a));
    }
  }
};

}  // namespace tessera::detail
