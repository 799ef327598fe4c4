// Quadrics, what a collapse costs and whether it may be made, and the loops and the operator of
// simplification, for both sides.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <tessera/core/macros.h>
#include <tessera/core/random.h>
#include <tessera/core/vec.h>
#include <tessera/surface/cavity.h>
#include <tessera/surface/dynamic_surface.h>
#include <tessera/surface/operators.h>

namespace tessera::detail {

/// The sum of weighted squared distances to planes, x'Ax + 2b'x + c, where x is relative to the vertex that
/// has it: at first all planes pass through the vertex, so b and c are 0, and nothing cancels far from the
/// origin of the coordinates.
struct Quadric {
  double a[6];  ///< xx, xy, xz, yy, yz, zz
  double b[3];
  double c;
  float error;             ///< how far the surface has moved here, where it is bounded
  std::uint32_t is_fixed;  ///< the vertex may not move

  TS_HD void add_plane_at_vertex(const Vec3d& normal, double weight) {
    a[0] += weight * normal.x * normal.x;
    a[1] += weight * normal.x * normal.y;
    a[2] += weight * normal.x * normal.z;
    a[3] += weight * normal.y * normal.y;
    a[4] += weight * normal.y * normal.z;
    a[5] += weight * normal.z * normal.z;
  }
  [[nodiscard]] TS_HD Vec3d times(const Vec3d& x) const {
    return {a[0] * x.x + a[1] * x.y + a[2] * x.z, a[1] * x.x + a[3] * x.y + a[4] * x.z,
            a[2] * x.x + a[4] * x.y + a[5] * x.z};
  }
  [[nodiscard]] TS_HD Vec3d linear() const { return {b[0], b[1], b[2]}; }
  [[nodiscard]] TS_HD double at(const Vec3d& x) const { return dot(x, times(x) + 2.0 * linear()) + c; }
  [[nodiscard]] TS_HD double weight() const { return a[0] + a[3] + a[5]; }

  /// Adds another one, whose vertex is at -d, as if it were here.
  TS_HD void add_moved(const Quadric& other, const Vec3d& d) {
    const Vec3d turned = other.times(d);
    const Vec3d line = other.linear();
    for (int i = 0; i < 6; ++i) a[i] += other.a[i];
    b[0] += line.x + turned.x;
    b[1] += line.y + turned.y;
    b[2] += line.z + turned.z;
    c += dot(d, turned + 2.0 * line) + other.c;
  }
};

/// Where a collapsed edge goes.
struct Placement {
  enum class Where : std::uint8_t { inside, first_end, second_end };
  Where where;
  Vec3d from_middle;
  double cost;
};

/// The minimum of a quadric around the middle of an edge, or the middle or an end where they are as good.
class BestPlace {
 public:
  /// `half`: from the middle to the second end.
  TS_HD BestPlace(const Quadric& sum, const Vec3d& half) : sum_(sum), half_(half) {}

  [[nodiscard]] TS_HD Placement find() const {
    const double size = 4 * dot(half_, half_);
    // What is closer than a 10^-7 of the edge is rounding: corners and straight borders stay exact.
    const double noise = 1e-14 * sum_.weight() * size;
    Placement best = {Where::inside, {0, 0, 0}, sum_.c};
    offer(best, {Where::first_end, -1.0 * half_, noise});
    offer(best, {Where::second_end, half_, noise});
    const Vec3d x = solve();
    if (dot(x, x) <= size) offer(best, {Where::inside, x, noise});
    if (best.cost < 0) best.cost = 0;
    return best;
  }

 private:
  using Where = Placement::Where;

  /// Takes another place if it is better by more than its `cost`.
  TS_HD void offer(Placement& best, const Placement& other) const {
    const double cost = sum_.at(other.from_middle);
    if (cost < best.cost - other.cost) best = {other.where, other.from_middle, cost};
  }
  /// (A + small I) x = -b: where the planes leave a direction open, x stays at the middle.
  [[nodiscard]] TS_HD Vec3d solve() const {
    constexpr double damping = 1e-7;
    const double d = damping * sum_.weight();
    const double xx = sum_.a[0] + d, xy = sum_.a[1], xz = sum_.a[2];
    const double yy = sum_.a[3] + d, yz = sum_.a[4], zz = sum_.a[5] + d;
    const Vec3d u = {yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy};
    const double det = xx * u.x + xy * u.y + xz * u.z;
    if (!(det > 0)) return {0, 0, 0};
    const Vec3d v = {u.y, xx * zz - xz * xz, xy * xz - xx * yz};
    const Vec3d w = {u.z, v.z, xx * yy - xy * xy};
    const Vec3d b = sum_.linear();
    const double scale = -1 / det;
    return {scale * dot(u, b), scale * dot(v, b), scale * dot(w, b)};
  }

  const Quadric& sum_;
  Vec3d half_;
};

/// The squared distance of a point from a triangle (Ericson, Real-Time Collision Detection, 5.1.5).
[[nodiscard]] inline TS_HD double squared_distance(const Vec3d& p, const Vec3d& a, const Vec3d& b,
                                                   const Vec3d& c) {
  const Vec3d ab = b - a, ac = c - a, ap = p - a;
  const double d1 = dot(ab, ap), d2 = dot(ac, ap);
  const auto from = [&](double s, double t) {
    const Vec3d off = ap - s * ab - t * ac;
    return dot(off, off);
  };
  if (d1 <= 0 && d2 <= 0) return from(0, 0);
  const Vec3d bp = p - b;
  const double d3 = dot(ab, bp), d4 = dot(ac, bp);
  if (d3 >= 0 && d4 <= d3) return from(1, 0);
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0 && d1 > d3) return from(d1 / (d1 - d3), 0);
  const Vec3d cp = p - c;
  const double d5 = dot(ab, cp), d6 = dot(ac, cp);
  if (d6 >= 0 && d5 <= d6) return from(0, 1);
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0 && d2 > d6) return from(0, d2 / (d2 - d6));
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 >= d3 && d5 >= d6 && d4 - d3 + d5 - d6 > 0) {
    const double t = (d4 - d3) / (d4 - d3 + d5 - d6);
    return from(1 - t, t);
  }
  const double sum = va + vb + vc;
  return sum > 0 ? from(vb / sum, vc / sum) : from(0, 0);
}

/// 4 sqrt(3) times the area over the sum of the squared sides, squared: 1 for an equilateral triangle.
[[nodiscard]] inline TS_HD double squared_quality_of(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  const Vec3d u = b - a, v = c - a, w = c - b;
  const Vec3d n = cross(u, v);
  const double sum = dot(u, u) + dot(v, v) + dot(w, w);
  return sum > 0 ? 12 * dot(n, n) / (sum * sum) : 0;
}

/// The circumradius over twice the inradius; infinite without an area.
[[nodiscard]] inline TS_HD double aspect_ratio(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  const double ab = length(b - a), bc = length(c - b), ca = length(a - c);
  const Vec3d n = cross(b - a, c - a);
  return ab * bc * ca * (ab + bc + ca) / (4 * dot(n, n));
}

enum class CollapseVerdict : std::uint8_t { legal, link_condition, fold_over, aspect_ratio, error_bound };

struct CollapseLimits {
  double least_cosine;
  double max_aspect;  ///< 0: none
  double max_error;   ///< negative: none
};

/// Costs and legality of collapses.
struct Collapses {
  EditView<tiled::VertexId, Vec3d> position;
  EditView<tiled::VertexId, Quadric> quadric;
  CollapseLimits limits;
  double scale;  ///< makes costs independent of the size of the mesh

  /// Costs of edges that may not be collapsed; those that were refused have their sign bit set.
  static constexpr std::uint32_t never = 0x7F800000u;
  static constexpr std::uint32_t refused = 0x80000000u;

  struct Place {
    Vec3d at;
    double cost;
  };
  [[nodiscard]] TS_HD Place place(tiled::VertexId u, tiled::VertexId v) const {
    const Vec3d half = 0.5 * (position[v] - position[u]);
    Quadric sum = {};
    sum.add_moved(quadric[u], half);
    sum.add_moved(quadric[v], -1.0 * half);
    const Placement best = BestPlace(sum, half).find();
    // Where all is flat, short edges come first.
    constexpr double shortness = 1e-9;
    const double cost = best.cost + shortness * sum.weight() * dot(half, half);
    if (best.where == Placement::Where::first_end) return {position[u], cost};
    if (best.where == Placement::Where::second_end) return {position[v], cost};
    return {position[u] + half + best.from_middle, cost};
  }
  /// The bits of a float, which are in the order of the costs.
  [[nodiscard]] TS_HD std::uint32_t cost(tiled::VertexId u, tiled::VertexId v) const {
    if ((quadric[u].is_fixed | quadric[v].is_fixed) != 0) return never;
    return bits_of(place(u, v).cost);
  }
  [[nodiscard]] TS_HD std::uint32_t bits_of(double value) const {
    constexpr double largest = 3e38;
    const double scaled = scale * value;
    return std::bit_cast<std::uint32_t>(static_cast<float>(scaled < largest ? scaled : largest));
  }

  /// The quadric of the new vertex.
  [[nodiscard]] TS_HD Quadric merged(const EdgeEnds& ends, const Vec3d& at, double error) const {
    Quadric sum = {};
    sum.add_moved(quadric[ends.from], at - position[ends.from]);
    sum.add_moved(quadric[ends.to], at - position[ends.to]);
    sum.error = static_cast<float>(error);
    return sum;
  }

  [[nodiscard]] TS_HD CollapseVerdict judge(const EditMesh& mesh, tiled::EdgeId e) const {
    const auto [u, v] = mesh.ends(e);
    if ((quadric[u].is_fixed | quadric[v].is_fixed) != 0) return CollapseVerdict::link_condition;
    if (!can_collapse(mesh, e)) return CollapseVerdict::link_condition;
    const Vec3d at = place(u, v).at;
    CollapseVerdict verdict = judge_star(mesh, {u, v}, at);
    if (verdict == CollapseVerdict::legal) verdict = judge_star(mesh, {v, u}, at);
    if (verdict == CollapseVerdict::legal && limits.max_error >= 0 &&
        !(error_after(mesh, {u, v}, at) <= limits.max_error))
      verdict = CollapseVerdict::error_bound;
    return verdict;
  }

  struct Corners {
    Vec3d a, b, c;
  };
  /// Does a face turn or become thin if its first corner moves?
  [[nodiscard]] TS_HD CollapseVerdict judge_face(const Corners& old, const Vec3d& at) const {
    const Vec3d n = cross(old.b - old.a, old.c - old.a);
    const Vec3d m = cross(old.b - at, old.c - at);
    const double nn = dot(n, n);
    if (nn > 0 && !(dot(n, m) > limits.least_cosine * std::sqrt(nn * dot(m, m))))
      return CollapseVerdict::fold_over;
    if (limits.max_aspect > 0) {
      const double after = aspect_ratio(at, old.b, old.c);
      if (!(after <= limits.max_aspect) && !(after <= aspect_ratio(old.a, old.b, old.c)))
        return CollapseVerdict::aspect_ratio;
    }
    return CollapseVerdict::legal;
  }

  /// How far the surface may have moved near the new vertex: what it had at the faces that go, and in
  /// addition the distance between these and the new ones, at corners, middles of edges and centroids.
  [[nodiscard]] TS_HD double error_after(const EditMesh& mesh, const EdgeEnds& ends, const Vec3d& at) const {
    const EdgeEnds turned = {ends.to, ends.from};
    const Change change = {mesh, ends, at};
    StarMove moved = {position[ends.from], position[ends.to], 0, 0};
    raise(moved.squared, squared_distance_after(change, moved.first));
    raise(moved.squared, squared_distance_after(change, moved.second));
    raise(moved.squared, squared_distance_before(change, at));
    measure_star(change, ends, moved);
    measure_star(change, turned, moved);
    return moved.error + std::sqrt(moved.squared);
  }

 private:
  /// The faces of `ends.from` that stay, if it moves.
  [[nodiscard]] TS_HD CollapseVerdict judge_star(const EditMesh& mesh, const EdgeEnds& ends,
                                                 const Vec3d& at) const {
    const Vec3d before = position[ends.from];
    for (const tiled::HalfEdgeId h : mesh.half_edges(ends.from)) {
      const tiled::VertexId second = mesh.to(h);
      const tiled::VertexId third = mesh.opposite(h);
      if (second == ends.to || third == ends.to) continue;
      const CollapseVerdict verdict = judge_face({before, position[second], position[third]}, at);
      if (verdict != CollapseVerdict::legal) return verdict;
    }
    return CollapseVerdict::legal;
  }
  struct Change {
    const EditMesh& mesh;
    EdgeEnds ends;
    Vec3d at;
  };
  struct StarMove {
    Vec3d first, second;
    double error;    ///< the largest that vertices of the faces have
    double squared;  ///< the largest squared distance
  };
  static TS_HD void raise(double& to, double value) { to = value > to ? value : to; }

  [[nodiscard]] TS_HD double squared_distance_before(const Change& change, const Vec3d& p) const {
    double least = 1e300;
    for (const tiled::VertexId v : {change.ends.from, change.ends.to}) {
      for (const tiled::FaceId f : change.mesh.faces(v)) {
        const auto c = change.mesh.vertices(f);
        const double d = squared_distance(p, position[c[0]], position[c[1]], position[c[2]]);
        least = d < least ? d : least;
      }
    }
    return least;
  }
  [[nodiscard]] TS_HD double squared_distance_after(const Change& change, const Vec3d& p) const {
    double least = 1e300;
    for (const tiled::VertexId v : {change.ends.from, change.ends.to}) {
      const tiled::VertexId other = v == change.ends.from ? change.ends.to : change.ends.from;
      for (const tiled::HalfEdgeId h : change.mesh.half_edges(v)) {
        const tiled::VertexId b = change.mesh.to(h);
        const tiled::VertexId c = change.mesh.opposite(h);
        if (b == other || c == other) continue;
        const double d = squared_distance(p, change.at, position[b], position[c]);
        least = d < least ? d : least;
      }
    }
    return least;
  }
  /// At the faces around ends.from.
  TS_HD void measure_star(const Change& change, const EdgeEnds& ends, StarMove& moved) const {
    const Vec3d a = position[ends.from];
    for (const tiled::HalfEdgeId h : change.mesh.half_edges(ends.from)) {
      const tiled::VertexId second = change.mesh.to(h);
      const tiled::VertexId third = change.mesh.opposite(h);
      const Vec3d b = position[second];
      const Vec3d c = position[third];
      raise(moved.error, quadric[second].error);
      raise(moved.error, quadric[third].error);
      raise(moved.squared, squared_distance_after(change, 0.5 * (a + b)));
      raise(moved.squared, squared_distance_after(change, (1.0 / 3) * (a + b + c)));
      if (second == ends.to || third == ends.to) continue;
      raise(moved.squared, squared_distance_before(change, 0.5 * (change.at + b)));
      raise(moved.squared, squared_distance_before(change, (1.0 / 3) * (change.at + b + c)));
    }
  }
};

/// Draws an edge together where its quadrics are least. The link condition is asked of the hole: it must be
/// one loop or chain that meets no vertex twice. An edge that may not be collapsed is marked.
struct QuadricCollapse {
  using Seed = tiled::EdgeId;
  Collapses collapses;
  EditView<tiled::EdgeId, std::uint32_t> cost;

  TS_HD void declare(Cavity& cavity, Seed e) const {
    declare_collapse(cavity, e);
    cavity.set_priority(-std::bit_cast<float>(cost[e]));
  }
  TS_HD void fill(Hole& hole) const {
    const EdgeEnds ends = hole.mesh().ends(hole.seed<Seed>());
    const auto [at, own_cost] = collapses.place(ends.from, ends.to);
    double spoilt = 0;
    if (!is_legal(hole, ends, at, spoilt)) return refuse(hole);
    if (spoilt > 0 && is_postponed(hole, own_cost, spoilt)) return hole.refuse();
    const bool is_bounded = collapses.limits.max_error >= 0;
    const double error = is_bounded ? collapses.error_after(hole.mesh(), ends, at) : 0;
    if (is_bounded && !(error <= collapses.limits.max_error)) return refuse(hole);
    const tiled::VertexId v = add_merged_vertex(hole, ends, at);
    if (!v.is_valid()) return;
    hole.set(collapses.quadric, v, collapses.merged(ends, at, error));
    hole.fan(v);
    if (hole.new_face_count() != hole.size()) return refuse(hole);
    for (std::uint32_t i = 0; i < hole.size(); ++i) {
      const Replaced old = find_replaced(hole, i, ends);
      hole.inherit(hole.new_face(i), hole.mesh().face(old.half_edge));
      set_edge(hole, {hole.tail(i), v}, old.tail_edge);
      if (hole.is_open() && i + 1 == hole.size()) set_edge(hole, {hole.head(i), v}, old.head_edge);
    }
  }

 private:
  TS_HD void refuse(Hole& hole) const {
    cost[hole.seed<Seed>()] |= Collapses::refused;
    hole.refuse();
  }
  /// Thin faces do not count as errors of the surface, so that flat parts would end with nothing else. A
  /// collapse that makes some is put off, once, by what it costs then: as if the surface moved by a small
  /// part of their length.
  [[nodiscard]] TS_HD bool is_postponed(const Hole& hole, double own_cost, double spoilt) const {
    constexpr double part = 1.5e-4;
    std::uint32_t& there = cost[hole.seed<Seed>()];
    const std::uint32_t dearer = collapses.bits_of(own_cost + part * part * spoilt);
    if (there >= dearer) return false;
    there = dearer;
    return true;
  }
  /// Adds to `spoilt`, for each face that becomes thin, its squared length times its area.
  [[nodiscard]] TS_HD bool is_legal(const Hole& hole, const EdgeEnds& ends, const Vec3d& at,
                                    double& spoilt) const {
    const std::uint32_t n = hole.size();
    if (n < (hole.is_open() ? 1 : 3)) return false;
    // A disc with its inner vertices has so many faces; what winds around a handle has more.
    if (hole.removed_face_count() != n + hole.mesh().face_count(hole.seed<Seed>())) return false;
    if (hole.is_open() && hole.tail(0) == hole.head(n - 1)) return false;
    for (std::uint32_t i = 0; i < n; ++i) {
      const tiled::HalfEdgeId h = find_replaced(hole, i, ends).half_edge;
      const Vec3d before = collapses.position[hole.mesh().opposite(h)];
      const Vec3d b = collapses.position[hole.mesh().from(h)];
      const Vec3d c = collapses.position[hole.mesh().to(h)];
      if (collapses.judge_face({before, b, c}, at) != CollapseVerdict::legal) return false;
      spoilt += spoilt_by({before, b, c}, at);
    }
    return true;
  }
  [[nodiscard]] TS_HD static double spoilt_by(const Collapses::Corners& old, const Vec3d& at) {
    constexpr double thin = 0.1;  // squared: angles below about 10 degrees
    const double after = squared_quality_of(at, old.b, old.c);
    if (after >= thin || after >= squared_quality_of(old.a, old.b, old.c)) return 0;
    const Vec3d u = old.b - at, v = old.c - at;
    const double size = dot(u, u) + dot(v, v);
    return size * size * (thin / (after + 1e-4));
  }
  TS_HD tiled::VertexId add_merged_vertex(Hole& hole, const EdgeEnds& ends, const Vec3d& at) const {
    const Vec3d a = collapses.position[ends.from];
    const Vec3d ab = collapses.position[ends.to] - a;
    const double size = dot(ab, ab);
    const double t = size > 0 ? dot(at - a, ab) / size : 0.5;
    const tiled::VertexId v = hole.add_vertex(ends.from, ends.to, t < 0 ? 0 : t > 1 ? 1 : t);
    if (v.is_valid()) hole.set(collapses.position, v, at);
    return v;
  }

  /// What the new face at an edge of the boundary replaces: the face of a half-edge there.
  struct Replaced {
    tiled::HalfEdgeId half_edge;
    tiled::EdgeId tail_edge;
    tiled::EdgeId head_edge;
  };
  [[nodiscard]] TS_HD static Replaced find_replaced(const Hole& hole, std::uint32_t i, const EdgeEnds& ends) {
    const EditMesh& mesh = hole.mesh();
    tiled::HalfEdgeId found = mesh.first_half_edge(hole.edge(i));
    const tiled::VertexId apex = mesh.opposite(found);
    if (apex != ends.from && apex != ends.to) {
      const tiled::HalfEdgeId across = mesh.across(found);
      if (across.is_valid()) found = across;
    }
    const tiled::EdgeId at_begin = mesh.edge(mesh.previous(found));
    const tiled::EdgeId at_end = mesh.edge(mesh.next(found));
    const bool runs_alike = mesh.from(found) == hole.tail(i);
    return {found, runs_alike ? at_begin : at_end, runs_alike ? at_end : at_begin};
  }
  /// An edge of the new vertex: the attributes of the one it replaces, and its own cost.
  TS_HD void set_edge(Hole& hole, const EdgeEnds& ends, tiled::EdgeId old) const {
    const tiled::EdgeId e = hole.add_edge(ends.from, ends.to);
    if (!e.is_valid()) return;
    hole.inherit(e, old);
    hole.set(cost, e, collapses.cost(ends.from, ends.to));
  }
};

/// Which edges are borders or bend sharply.
struct FindFeatures {
  EditMesh mesh;
  EditView<tiled::VertexId, Vec3d> position;
  double feature_cosine;
  std::uint8_t* is_feature;

  TS_HD void operator()(std::size_t i) const {
    const tiled::EdgeId e(static_cast<std::uint32_t>(i));
    is_feature[i] = 0;
    if (!mesh.contains(e)) return;
    const tiled::HalfEdgeId h = mesh.first_half_edge(e);
    const tiled::HalfEdgeId across = mesh.across(h);
    if (!across.is_valid()) {
      is_feature[i] = 1;
      return;
    }
    const Vec3d n = doubled_normal(mesh, position, mesh.face(h));
    Vec3d m = doubled_normal(mesh, position, mesh.face(across));
    if (mesh.from(across) == mesh.from(h)) m = -1.0 * m;  // the faces wind differently
    is_feature[i] = dot(n, m) < feature_cosine * std::sqrt(dot(n, n) * dot(m, m)) ? 1 : 0;
  }
};

/// The quadric of each vertex: of its faces' planes, and of planes that hold its features.
struct MakeQuadrics {
  EditMesh mesh;
  EditView<tiled::VertexId, Vec3d> position;
  EditView<tiled::VertexId, Quadric> quadric;
  const std::uint8_t* is_feature;
  double constraint_weight;
  double* weights;

  TS_HD void operator()(std::size_t i) const {
    const tiled::VertexId v(static_cast<std::uint32_t>(i));
    weights[i] = 0;
    if (!mesh.contains(v)) return;
    Quadric sum = {};
    std::uint32_t ends = 0;
    for (const tiled::HalfEdgeId h : mesh.half_edges(v)) {
      const Vec3d n = doubled_normal(mesh, position, mesh.face(h));
      const double doubled_area = length(n);
      if (!(doubled_area > 0)) continue;
      const Vec3d normal = (1 / doubled_area) * n;
      sum.add_plane_at_vertex(normal, doubled_area / 6);
      add_constraint(sum, mesh.edge(h), normal);
      add_constraint(sum, mesh.edge(mesh.previous(h)), normal);
    }
    for (const tiled::EdgeId e : mesh.edges(v)) {
      const std::size_t faces = mesh.face_count(e);
      if (faces == 1) ++ends;
      if (faces > 2) sum.is_fixed = 1;
    }
    if (ends > 2 || !is_one_fan(v)) sum.is_fixed = 1;
    quadric[v] = sum;
    weights[i] = sum.weight();
  }

 private:
  TS_HD void add_constraint(Quadric& sum, tiled::EdgeId e, const Vec3d& normal) const {
    if (is_feature[e.index()] == 0) return;
    const auto [a, b] = mesh.ends(e);
    const Vec3d along = position[b] - position[a];
    const double size = dot(along, along);
    if (!(size > 0)) return;
    sum.add_plane_at_vertex((1 / std::sqrt(size)) * cross(along, normal), constraint_weight * size);
  }
  /// Do the vertex's faces all hang together?
  [[nodiscard]] TS_HD bool is_one_fan(tiled::VertexId v) const {
    const std::uint32_t handle = mesh.arrays().handles[v.index()];
    return handle >= EditArrays::removed || (handle & EditArrays::listed) == 0;
  }
};

struct MakeCosts {
  EditMesh mesh;
  Collapses collapses;
  EditView<tiled::EdgeId, std::uint32_t> cost;

  TS_HD void operator()(std::size_t i) const {
    const tiled::EdgeId e(static_cast<std::uint32_t>(i));
    if (!mesh.contains(e)) return;
    const auto [u, v] = mesh.ends(e);
    cost[e] = collapses.cost(u, v);
  }
};

/// Costs of some listed edges, spread over the list; `never` for those that are gone.
struct SampleCosts {
  EditMesh mesh;
  EditView<tiled::EdgeId, std::uint32_t> cost;
  const std::uint32_t* list;
  std::uint32_t list_size;
  std::uint32_t stride;
  std::uint32_t* samples;

  TS_HD void operator()(std::size_t i) const {
    const std::uint64_t place = std::uint64_t{stride} * i + splitmix64(i) % stride;
    const tiled::EdgeId e(list[place < list_size ? place : list_size - 1]);
    samples[i] = mesh.contains(e) ? cost[e] : Collapses::never;
  }
};

/// Marks listed edges whose cost is at most the limit.
struct FlagCheap {
  EditMesh mesh;
  EditView<tiled::EdgeId, std::uint32_t> cost;
  std::uint32_t limit;
  const std::uint32_t* list;
  std::uint8_t* flags;

  TS_HD void operator()(std::size_t i) const {
    const tiled::EdgeId e(list[i]);
    flags[i] = cost[e] <= limit && mesh.contains(e) ? 1 : 0;
  }
};

/// Each vertex's cheapest edge among the candidates.
struct VertexChoice {
  EditMesh mesh;
  EditView<tiled::EdgeId, std::uint32_t> cost;
  const std::uint32_t* candidates;
  std::uint64_t* best;  ///< of each vertex
  std::uint32_t salt;

  static constexpr std::uint64_t taken = ~std::uint64_t{0};  ///< higher than the key of any edge

  /// Higher for cheaper edges; a hash, which no two edges share, decides between equal ones.
  [[nodiscard]] TS_HD std::uint64_t key(tiled::EdgeId e) const {
    std::uint32_t hash = e.index() ^ salt;
    hash = (hash ^ (hash >> 16)) * 0x7FEB352Du;
    hash = (hash ^ (hash >> 15)) * 0x846CA68Bu;
    hash ^= hash >> 16;
    return std::uint64_t{~(cost[e] | 1u)} << 32 | hash;  // never as high as `taken`
  }
  [[nodiscard]] TS_HD bool is_taken(tiled::EdgeId e) const {
    const auto [a, b] = mesh.ends(e);
    return load_relaxed(best + a.index()) == taken || load_relaxed(best + b.index()) == taken;
  }
  /// Calls f(vertex) for both ends and for what is opposite in the edge's faces.
  template <class F>
  TS_HD void for_each_corner(tiled::EdgeId e, const F& f) const {
    const tiled::HalfEdgeId h = mesh.first_half_edge(e);
    f(mesh.from(h));
    f(mesh.to(h));
    f(mesh.opposite(h));
    const tiled::HalfEdgeId across = mesh.across(h);
    if (across.is_valid()) f(mesh.opposite(across));
  }
};
struct ForgetChoice {
  VertexChoice choice;
  bool keeps_taken;
  TS_HD void operator()(std::size_t i) const {
    if (!keeps_taken || choice.best[i] != VertexChoice::taken) choice.best[i] = 0;
  }
};
struct OfferEdges {
  VertexChoice choice;
  TS_HD void operator()(std::size_t i) const {
    const tiled::EdgeId e(choice.candidates[i]);
    if (choice.is_taken(e)) return;
    const std::uint64_t key = choice.key(e);
    choice.for_each_corner(e, [&](tiled::VertexId v) { atomic_max(choice.best + v.index(), key); });
  }
};
/// Chooses edges that are the cheapest at all vertices of their faces: fewer that will be in conflict.
struct KeepBest {
  VertexChoice choice;
  std::uint8_t* flags;
  bool adds;  ///< to those that are chosen already

  TS_HD void operator()(std::size_t i) const {
    const tiled::EdgeId e(choice.candidates[i]);
    if (choice.is_taken(e)) {
      if (!adds) flags[i] = 0;
      return;
    }
    const std::uint64_t key = choice.key(e);
    bool is_best = true;
    choice.for_each_corner(e, [&](tiled::VertexId v) {
      const std::uint64_t best = choice.best[v.index()];
      is_best = is_best && (best == key || best == VertexChoice::taken);
    });
    flags[i] = is_best ? 1 : 0;
  }
};
/// Takes the vertices around chosen edges: an edge with an end among them would be in conflict.
struct TakeAround {
  VertexChoice choice;
  const std::uint8_t* flags;

  TS_HD void operator()(std::size_t i) const {
    if (flags[i] == 0) return;
    const auto [a, b] = choice.mesh.ends(tiled::EdgeId(choice.candidates[i]));
    for (const tiled::VertexId v : {a, b}) {
      atomic_max(choice.best + v.index(), VertexChoice::taken);
      for (const tiled::HalfEdgeId h : choice.mesh.half_edges(v)) {
        atomic_max(choice.best + choice.mesh.to(h).index(), VertexChoice::taken);
        atomic_max(choice.best + choice.mesh.opposite(h).index(), VertexChoice::taken);
      }
    }
  }
};
/// Marks edges of a list that may not be collapsed.
struct JudgeListed {
  EditMesh mesh;
  Collapses collapses;
  EditView<tiled::EdgeId, std::uint32_t> cost;
  const std::uint32_t* list;

  TS_HD void operator()(std::size_t i) const {
    const tiled::EdgeId e(list[i]);
    if (mesh.contains(e) && collapses.judge(mesh, e) != CollapseVerdict::legal) cost[e] |= Collapses::refused;
  }
};

/// Gives edges that were refused another chance, and marks all that may be collapsed.
struct Pardon {
  EditMesh mesh;
  EditView<tiled::EdgeId, std::uint32_t> cost;
  std::uint8_t* flags;
  TS_HD void operator()(std::size_t i) const {
    const tiled::EdgeId e(static_cast<std::uint32_t>(i));
    flags[i] = 0;
    if (!mesh.contains(e)) return;
    cost[e] &= ~Collapses::refused;
    flags[i] = cost[e] != Collapses::never ? 1 : 0;
  }
};
/// Marks edges of a list as refused.
struct RefuseListed {
  EditView<tiled::EdgeId, std::uint32_t> cost;
  const std::uint32_t* list;
  TS_HD void operator()(std::size_t i) const { cost[tiled::EdgeId(list[i])] |= Collapses::refused; }
};
/// The costs of listed edges, as keys to sort them by.
struct GatherCosts {
  EditView<tiled::EdgeId, std::uint32_t> cost;
  const std::uint32_t* list;
  std::uint32_t* keys;
  TS_HD void operator()(std::size_t i) const { keys[i] = cost[tiled::EdgeId(list[i])]; }
};

/// Counts edges with a verdict: flags to be summed.
struct CountVerdict {
  EditMesh mesh;
  Collapses collapses;
  CollapseVerdict verdict;
  std::uint32_t* counts;
  TS_HD void operator()(std::size_t i) const {
    const tiled::EdgeId e(static_cast<std::uint32_t>(i));
    counts[i] = mesh.contains(e) && collapses.judge(mesh, e) == verdict ? 1 : 0;
  }
};

}  // namespace tessera::detail
