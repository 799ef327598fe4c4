// The operators and loops of surface tracking, on either side. Their criteria are those of El Topo's
// edgesplitter, edgeflipper, edgecollapser and meshsmoother.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <tessera/core/macros.h>
#include <tessera/core/vec.h>
#include <tessera/surface/cavity.h>
#include <tessera/surface/detail/edit/shared_operators.h>
#include <tessera/surface/detail/edit/track_fields.h>
#include <tessera/surface/dynamic_surface.h>
#include <tessera/surface/operators.h>
#include <tessera/surface/track.h>

namespace tessera::detail {

/// One of the library's own fields.
struct TrackVelocity {
  TrackField field;
  double scale;
  double speed;
  double period;
  Vec3d origin;
  Vec3d axis;  ///< of length 1
  CurlNoise noise;

  [[nodiscard]] TS_HD Vec3d operator()(const Vec3d& point, double time) const {
    const double factor = period > 0 ? speed * sin_pi(time / period + 0.5) : speed;
    const Vec3d p = point - origin;
    if (field == TrackField::rotation) return factor * cross(axis, p);
    const Vec3d u = 1 / scale * p;
    return factor * scale *
           (field == TrackField::curl_noise    ? noise(u)
            : field == TrackField::deformation ? deformation_velocity(u)
                                               : vortex_velocity(u));
  }
};

/// Where a vertex lies: what may be done to it depends on that.
enum class TrackPlace : std::uint8_t { inside, border, fixed };

/// What all operators of tracking look at.
struct TrackView {
  EditView<tiled::VertexId, Vec3d> position;
  EditView<tiled::VertexId, TrackPlace> place;
  double longest_squared;
  double shortest_squared;
  double max_volume;
  double least_area;        ///< doubled
  double least_shortening;  ///< by a flip
  double cos_min_angle;
  double cos_max_angle;
  bool has_min_angle;
  bool has_max_angle;
  bool is_butterfly;
  bool edits_border;

  [[nodiscard]] TS_HD double squared_length(tiled::VertexId a, tiled::VertexId b) const {
    const Vec3d d = position[b] - position[a];
    return dot(d, d);
  }
  [[nodiscard]] TS_HD double cos_angle(const Vec3d& at, const Vec3d& b, const Vec3d& c) const {
    const Vec3d u = b - at;
    const Vec3d v = c - at;
    const double squared = dot(u, u) * dot(v, v);
    return squared > 0 ? dot(u, v) / std::sqrt(squared) : 1;
  }
  /// Are all angles of a triangle within the bounds?
  [[nodiscard]] TS_HD bool has_good_angles(const Vec3d& a, const Vec3d& b, const Vec3d& c) const {
    if (!has_min_angle && !has_max_angle) return true;
    const double cosines[3] = {cos_angle(a, b, c), cos_angle(b, c, a), cos_angle(c, a, b)};
    for (const double cosine : cosines) {
      if (has_min_angle && cosine > cos_min_angle) return false;
      if (has_max_angle && cosine < cos_max_angle) return false;
    }
    return true;
  }
};

/// Six times the volume of a tetrahedron.
[[nodiscard]] inline TS_HD double sixfold_volume(const Vec3d& a, const Vec3d& b, const Vec3d& c,
                                                 const Vec3d& d) {
  return dot(b - a, cross(c - a, d - a));
}

/// The sum of the squared distances from the planes of faces, weighted by areas: a symmetric matrix. Its null
/// space, or what is nearly that, is where a vertex can move without leaving the surface.
class NormalQuadric {
 public:
  static constexpr double rank_ratio = 0.03;  ///< El Topo's: smaller eigenvalues count as 0

  /// A face by its normal of any length, which is the weight.
  TS_HD void add(const Vec3d& normal, double weight) {
    const Vec3d n = 1 / weight * normal;
    xx_ += normal.x * n.x;
    xy_ += normal.x * n.y;
    xz_ += normal.x * n.z;
    yy_ += normal.y * n.y;
    yz_ += normal.y * n.z;
    zz_ += normal.z * n.z;
    sum_ = sum_ + normal;
  }
  /// Do all faces lie nearly in a plane? Then writes its normal. The eigenvalues add up to the trace, so that
  /// none but the first can be large if one direction has nearly all of it: no decomposition is needed.
  [[nodiscard]] TS_HD bool is_flat(Vec3d& normal) const {
    const double squared = dot(sum_, sum_);
    if (!(squared > 0)) return false;
    const Vec3d n = 1 / std::sqrt(squared) * sum_;
    const Vec3d image = times(n);
    const double first = dot(n, image);
    if (!(xx_ + yy_ + zz_ - first < rank_ratio * first)) return false;
    // Two steps of the power iteration: each one takes at least 97 percent of the error away.
    const Vec3d next = times(1 / length(image) * image);
    normal = 1 / length(next) * next;
    return true;
  }
  /// 1, 2 or 3: the vertex of a smooth region, of a ridge, or of a peak.
  [[nodiscard]] TS_HD std::uint32_t rank() const {
    Vec3d normal;
    if (is_flat(normal)) return 1;
    const Eigen eigen = decompose();
    const double bound = rank_ratio * eigen.largest();
    std::uint32_t rank = 0;
    for (const double value : eigen.values) rank += value >= bound ? 1 : 0;
    return rank;
  }
  /// The part of a vector in the null space.
  [[nodiscard]] TS_HD Vec3d project(const Vec3d& move) const {
    Vec3d normal;
    if (is_flat(normal)) return move - dot(move, normal) * normal;
    const Eigen eigen = decompose();
    const double bound = rank_ratio * eigen.largest();
    Vec3d sum = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
      const Vec3d axis = {eigen.vectors[0][k], eigen.vectors[1][k], eigen.vectors[2][k]};
      if (eigen.values[k] < bound) sum = sum + dot(move, axis) * axis;
    }
    return sum;
  }

 private:
  struct Eigen {
    double values[3];
    double vectors[3][3];  ///< in columns
    [[nodiscard]] TS_HD double largest() const {
      const double first = values[0] > values[1] ? values[0] : values[1];
      return first > values[2] ? first : values[2];
    }
  };
  [[nodiscard]] TS_HD Vec3d times(const Vec3d& v) const {
    return {xx_ * v.x + xy_ * v.y + xz_ * v.z, xy_ * v.x + yy_ * v.y + yz_ * v.z,
            xz_ * v.x + yz_ * v.y + zz_ * v.z};
  }
  /// Jacobi's method.
  [[nodiscard]] TS_HD Eigen decompose() const {
    double a[3][3] = {{xx_, xy_, xz_}, {xy_, yy_, yz_}, {xz_, yz_, zz_}};
    Eigen out = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    constexpr int most_sweeps = 10;
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
      const double off = a[0][1] * a[0][1] + a[0][2] * a[0][2] + a[1][2] * a[1][2];
      const double trace = a[0][0] + a[1][1] + a[2][2];
      if (!(off > 1e-32 * trace * trace)) break;
      rotate(a, out.vectors, 0, 1);
      rotate(a, out.vectors, 0, 2);
      rotate(a, out.vectors, 1, 2);
    }
    for (int k = 0; k < 3; ++k) out.values[k] = a[k][k];
    return out;
  }
  /// Makes a[p][q] zero.
  static TS_HD void rotate(double (&a)[3][3], double (&vectors)[3][3], int p, int q) {
    if (a[p][q] == 0) return;
    const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    const double root = std::sqrt(theta * theta + 1);
    const double t = theta < 0 ? -1 / (root - theta) : 1 / (root + theta);
    const double c = 1 / std::sqrt(t * t + 1);
    const double s = t * c;
    for (int k = 0; k < 3; ++k) {
      const double akp = a[k][p];
      a[k][p] = c * akp - s * a[k][q];
      a[k][q] = s * akp + c * a[k][q];
    }
    for (int k = 0; k < 3; ++k) {
      const double apk = a[p][k];
      a[p][k] = c * apk - s * a[q][k];
      a[q][k] = s * apk + c * a[q][k];
      const double vkp = vectors[k][p];
      vectors[k][p] = c * vkp - s * vectors[k][q];
      vectors[k][q] = s * vkp + c * vectors[k][q];
    }
  }

  double xx_ = 0, xy_ = 0, xz_ = 0, yy_ = 0, yz_ = 0, zz_ = 0;
  Vec3d sum_ = {0, 0, 0};
};

/// The rank of the faces around a vertex.
[[nodiscard]] inline TS_HD std::uint32_t vertex_rank(const EditMesh& mesh, const TrackView& view,
                                                     tiled::VertexId v) {
  NormalQuadric quadric;
  const Vec3d p = view.position[v];
  for (const tiled::HalfEdgeId h : mesh.half_edges(v)) {
    const Vec3d n = cross(view.position[mesh.to(h)] - p, view.position[mesh.opposite(h)] - p);
    const double weight = length(n);
    if (weight > 0) quadric.add(n, weight);
  }
  return quadric.rank();
}

/// The point of an edge of two faces that a split puts there.
struct EdgeMiddle {
  Vec3d point;
  bool is_smooth;  ///< off the straight line
};
[[nodiscard]] inline TS_HD EdgeMiddle edge_middle(const EditMesh& mesh, const TrackView& view,
                                                  tiled::EdgeId e) {
  const tiled::HalfEdgeId sides[2] = {mesh.first_half_edge(e), mesh.across(mesh.first_half_edge(e))};
  const Vec3d ends = view.position[mesh.from(sides[0])] + view.position[mesh.to(sides[0])];
  const EdgeMiddle straight = {0.5 * ends, false};
  if (!view.is_butterfly || !sides[1].is_valid()) return straight;
  Vec3d opposite = {0, 0, 0};
  Vec3d wings = {0, 0, 0};
  for (const tiled::HalfEdgeId h : sides) {
    const tiled::HalfEdgeId next = mesh.across(mesh.next(h));
    const tiled::HalfEdgeId previous = mesh.across(mesh.previous(h));
    if (!next.is_valid() || !previous.is_valid()) return straight;
    opposite = opposite + view.position[mesh.opposite(h)];
    wings = wings + (view.position[mesh.opposite(next)] + view.position[mesh.opposite(previous)]);
  }
  return {0.0625 * (8.0 * ends + 2.0 * opposite - wings), true};
}

/// The removed half-edge on boundary edge i of a hole whose removed faces all have one of these vertices
/// opposite their boundary edge.
[[nodiscard]] inline TS_HD tiled::HalfEdgeId removed_side(const Hole& hole, std::uint32_t i,
                                                          const EdgeEnds& gone) {
  const EditMesh& mesh = hole.mesh();
  return removed_side(mesh, hole.edge(i), [&](tiled::HalfEdgeId h) {
    const tiled::VertexId opposite = mesh.opposite(h);
    return opposite == gone.from || opposite == gone.to;
  });
}

/// Splits edges that are too long, and those opposite angles that are too large.
struct TrackSplit {
  using Seed = tiled::EdgeId;
  TrackView view;

  TS_HD void declare(Cavity& cavity, Seed e) const {
    const EditMesh& mesh = cavity.mesh();
    const auto [a, b] = mesh.ends(e);
    const double squared = view.squared_length(a, b);
    if (!(squared > view.longest_squared) && !view.has_max_angle) return;
    if (!(squared <= std::numeric_limits<double>::max())) return;  // halves of it are no shorter
    const std::size_t faces = mesh.face_count(e);
    if (faces != 2 && !(view.edits_border && faces == 1)) return;
    if (!(squared > view.longest_squared) && !is_opposite_large_angle(mesh, e, squared)) return;
    if (!makes_good_faces(mesh, e)) return;
    declare_split(cavity, e);
    cavity.set_priority(static_cast<float>(squared));
  }

  TS_HD void fill(Hole& hole) const {
    const EditMesh& mesh = hole.mesh();
    const auto e = hole.seed<Seed>();
    const bool is_border = mesh.is_border(e);
    const Vec3d point = chosen_middle(mesh, e);
    const tiled::VertexId v = fill_split(hole);
    if (!v.is_valid()) return;
    hole.set(view.position, v, point);
    hole.set(view.place, v, is_border ? TrackPlace::border : TrackPlace::inside);
    const EdgeEnds ends = mesh.ends(e);
    for (std::uint32_t i = 0; i < hole.size() && i < hole.new_face_count(); ++i) {
      const tiled::HalfEdgeId h = removed_side(hole, i, ends);
      if (h.is_valid()) hole.inherit(hole.new_face(i), mesh.face(h));
    }
  }

 private:
  /// Splits of short edges would go on for ever.
  [[nodiscard]] TS_HD bool is_opposite_large_angle(const EditMesh& mesh, Seed e, double squared) const {
    if (!(squared > 4 * view.shortest_squared)) return false;
    for (const tiled::HalfEdgeId h : mesh.half_edges(e)) {
      const double cosine = view.cos_angle(view.position[mesh.opposite(h)], view.position[mesh.from(h)],
                                           view.position[mesh.to(h)]);
      if (cosine < view.cos_max_angle) return true;
    }
    return false;
  }
  /// The smooth point, unless one of the new faces would turn away from the old ones.
  [[nodiscard]] TS_HD Vec3d chosen_middle(const EditMesh& mesh, Seed e) const {
    const EdgeMiddle middle = edge_middle(mesh, view, e);
    if (!middle.is_smooth) return middle.point;
    const tiled::HalfEdgeId h = mesh.first_half_edge(e);
    const Vec3d a = view.position[mesh.from(h)];
    const Vec3d b = view.position[mesh.to(h)];
    const Vec3d c = view.position[mesh.opposite(h)];
    const Vec3d d = view.position[mesh.opposite(mesh.across(h))];
    const Vec3d n = cross(b - a, c - a);
    const Vec3d m = cross(a - b, d - b);
    if (dot(n, m) < 0) return middle.point;
    const Vec3d p = middle.point;
    const Vec3d parts[4] = {cross(p - a, c - a), cross(b - p, c - p), cross(a - p, d - p),
                            cross(p - b, d - b)};
    for (const Vec3d& part : parts) {
      if (dot(part, n) < 0 || dot(part, m) < 0) return 0.5 * (a + b);
    }
    return p;
  }
  /// No degenerate face is split, and no angle becomes too small.
  [[nodiscard]] TS_HD bool makes_good_faces(const EditMesh& mesh, Seed e) const {
    for (const tiled::FaceId f : mesh.faces(e)) {
      if (length(doubled_normal(mesh, view.position, f)) < view.least_area) return false;
    }
    if (!view.has_min_angle) return true;
    const Vec3d p = chosen_middle(mesh, e);
    const auto is_good = [&](const Vec3d& a, const Vec3d& b) {
      return view.cos_angle(a, b, p) <= view.cos_min_angle && view.cos_angle(b, p, a) <= view.cos_min_angle &&
             view.cos_angle(p, a, b) <= view.cos_min_angle;
    };
    for (const tiled::HalfEdgeId h : mesh.half_edges(e)) {
      const Vec3d c = view.position[mesh.opposite(h)];
      if (!is_good(view.position[mesh.from(h)], c) || !is_good(view.position[mesh.to(h)], c)) return false;
    }
    return true;
  }
};

/// Replaces edges by the other diagonal if that is shorter.
struct TrackFlip {
  using Seed = tiled::EdgeId;
  TrackView view;

  static constexpr double most_area_change = 0.1;

  TS_HD void declare(Cavity& cavity, Seed e) const {
    const EditMesh& mesh = cavity.mesh();
    const EdgeDiamond d = mesh.diamond(e);
    if (!d.right.is_valid() || d.left == d.right) return;
    const double before = view.squared_length(d.from, d.to);
    const double after = view.squared_length(d.left, d.right);
    if (!(after < before)) return;
    if (!(std::sqrt(after) < std::sqrt(before) - view.least_shortening)) return;
    if (view.place[d.from] != TrackPlace::inside || view.place[d.to] != TrackPlace::inside) return;
    const tiled::HalfEdgeId h = mesh.first_half_edge(e);
    if (mesh.from(mesh.across(h)) != d.to) return;  // the faces wind differently
    if (!keeps_shape(d)) return;
    if (vertex_rank(mesh, view, d.from) != 1 || vertex_rank(mesh, view, d.to) != 1) return;
    cavity.remove(e);
    cavity.set_priority(static_cast<float>(before - after));
  }
  TS_HD void fill(Hole& hole) const { fill_flip(hole); }

 private:
  [[nodiscard]] TS_HD bool keeps_shape(const EdgeDiamond& diamond) const {
    const Vec3d a = view.position[diamond.from];
    const Vec3d b = view.position[diamond.to];
    const Vec3d c = view.position[diamond.left];
    const Vec3d d = view.position[diamond.right];
    if (std::abs(sixfold_volume(a, b, c, d)) > 6 * view.max_volume) return false;
    const Vec3d n = cross(b - a, c - a);
    const Vec3d m = cross(a - b, d - b);
    const Vec3d x = cross(a - c, d - c);
    const Vec3d y = cross(b - d, c - d);
    if (dot(n, m) > 0 && (dot(x, y) < 0 || dot(x, n) < 0 || dot(y, m) < 0 || dot(x, m) < 0 || dot(y, n) < 0))
      return false;
    const double old_area = length(n) + length(m);
    const double first = length(x);
    const double second = length(y);
    if (first < view.least_area || second < view.least_area) return false;
    if (std::abs(old_area - (first + second)) > most_area_change * old_area) return false;
    return view.has_good_angles(c, a, d) && view.has_good_angles(d, b, c);
  }
};

/// Draws short edges together to one vertex.
struct TrackCollapse {
  using Seed = tiled::EdgeId;
  TrackView view;

  static constexpr double least_cosine = 1e-5;
  static constexpr double straight_cosine = 0.8;  ///< of the border at vertices that are no corners

  TS_HD void declare(Cavity& cavity, Seed e) const {
    const EditMesh& mesh = cavity.mesh();
    const EdgeEnds ends = mesh.ends(e);
    const double squared = view.squared_length(ends.from, ends.to);
    if (!(squared < view.shortest_squared)) return;
    if (!may_collapse(mesh, e, ends)) return;
    const Target target = choose(mesh, e, ends);
    if (!target.is_there || (squared > 0 && !keeps_shape(mesh, e, target.point))) return;
    if (!can_collapse(mesh, e)) return;  // last: it takes longest
    declare_collapse(cavity, e);
    cavity.set_priority(static_cast<float>(-squared));
  }

  TS_HD void fill(Hole& hole) const {
    const EditMesh& mesh = hole.mesh();
    const auto e = hole.seed<Seed>();
    const EdgeEnds ends = mesh.ends(e);
    const Target target = choose(mesh, e, ends);
    const TrackPlace place = view.place[ends.from];
    const tiled::VertexId v = fill_collapse(hole, target.t);
    if (!v.is_valid()) return;
    hole.set(view.position, v, target.point);
    hole.set(view.place, v, place);
    for (std::uint32_t i = 0; i < hole.size() && i < hole.new_face_count(); ++i) {
      const tiled::HalfEdgeId h = removed_side(hole, i, ends);
      if (!h.is_valid()) continue;
      hole.inherit(hole.new_face(i), mesh.face(h));
      hole.inherit(hole.add_edge(hole.tail(i), v), spoke(mesh, h, hole.tail(i)));
      if (hole.is_open() && i + 1 == hole.size())
        hole.inherit(hole.add_edge(hole.head(i), v), spoke(mesh, h, hole.head(i)));
    }
  }

 private:
  struct Target {
    double t;  ///< of the attributes, from the first end to the second
    Vec3d point;
    bool is_there;
  };
  [[nodiscard]] static TS_HD Seed spoke(const EditMesh& mesh, tiled::HalfEdgeId h, tiled::VertexId at) {
    return mesh.from(h) == at ? mesh.edge(mesh.previous(h)) : mesh.edge(mesh.next(h));
  }
  /// Both ends are inside, or the edge lies on the border and that is edited.
  [[nodiscard]] TS_HD bool may_collapse(const EditMesh& mesh, Seed e, const EdgeEnds& ends) const {
    const TrackPlace a = view.place[ends.from];
    const TrackPlace b = view.place[ends.to];
    const std::size_t faces = mesh.face_count(e);
    if (a == TrackPlace::inside && b == TrackPlace::inside) return faces == 2;
    return view.edits_border && a == TrackPlace::border && b == TrackPlace::border && faces == 1;
  }
  /// The end of higher rank stays where it is; between equal ones the point is that of a split.
  [[nodiscard]] TS_HD Target choose(const EditMesh& mesh, Seed e, const EdgeEnds& ends) const {
    const bool is_border = view.place[ends.from] == TrackPlace::border;
    const std::uint32_t a = is_border ? corner_rank(mesh, ends.from) : vertex_rank(mesh, view, ends.from);
    const std::uint32_t b = is_border ? corner_rank(mesh, ends.to) : vertex_rank(mesh, view, ends.to);
    if (a > b) return {0, view.position[ends.from], true};
    if (b > a) return {1, view.position[ends.to], true};
    return {0.5, edge_middle(mesh, view, e).point, !is_border || a == 1};
  }
  /// 2 for a corner of the border, 1 elsewhere.
  [[nodiscard]] TS_HD std::uint32_t corner_rank(const EditMesh& mesh, tiled::VertexId v) const {
    Vec3d to[2] = {};
    std::uint32_t found = 0;
    for (const Seed e : mesh.edges(v)) {
      if (!mesh.is_border(e)) continue;
      const EdgeEnds ends = mesh.ends(e);
      if (found < 2) to[found] = view.position[ends.from == v ? ends.to : ends.from] - view.position[v];
      ++found;
    }
    if (found != 2) return 2;
    const double bound = straight_cosine * std::sqrt(dot(to[0], to[0]) * dot(to[1], to[1]));
    return -dot(to[0], to[1]) >= bound ? 1 : 2;
  }
  /// Calls f(corner, b, c) for the faces at one end that stay.
  template <class F>
  TS_HD void for_moving_faces(const EditMesh& mesh, const EdgeEnds& ends, const F& f) const {
    const tiled::VertexId both[2] = {ends.from, ends.to};
    for (int k = 0; k < 2; ++k) {
      const tiled::VertexId v = both[k];
      const tiled::VertexId other = both[1 - k];
      for (const tiled::HalfEdgeId h : mesh.half_edges(v)) {
        const tiled::VertexId b = mesh.to(h);
        const tiled::VertexId c = mesh.opposite(h);
        if (b != other && c != other) f(view.position[v], view.position[b], view.position[c]);
      }
    }
  }
  /// No face turns over, becomes tiny or gets a bad angle, and the volume stays.
  [[nodiscard]] TS_HD bool keeps_shape(const EditMesh& mesh, Seed e, const Vec3d& to) const {
    const EdgeEnds ends = mesh.ends(e);
    bool is_good = true;
    double volume = 0;
    for_moving_faces(mesh, ends, [&](const Vec3d& p, const Vec3d& b, const Vec3d& c) {
      if (!is_good) return;
      const Vec3d before = cross(b - p, c - p);
      const Vec3d after = cross(b - to, c - to);
      const double area = length(after);
      is_good = area >= view.least_area && dot(before, after) >= least_cosine * length(before) * area &&
                view.has_good_angles(to, b, c);
      volume += sixfold_volume(to, p, b, c);
    });
    if (!is_good) return false;
    bool has_tiny_face = false;
    for (const tiled::HalfEdgeId h : mesh.half_edges(e)) {
      const Vec3d p = view.position[mesh.from(h)];
      const Vec3d q = view.position[mesh.to(h)];
      const Vec3d r = view.position[mesh.opposite(h)];
      has_tiny_face = has_tiny_face || length(cross(q - p, r - p)) < view.least_area;
      volume += sixfold_volume(to, p, q, r);
    }
    return has_tiny_face || std::abs(volume) <= 6 * view.max_volume;
  }
};

struct MarkPlaces {
  EditMesh mesh;
  EditView<tiled::VertexId, TrackPlace> place;

  TS_HD void operator()(std::size_t i) const {
    const tiled::VertexId v(static_cast<std::uint32_t>(i));
    if (!mesh.contains(v)) return;
    const bool is_listed = (mesh.arrays().handles[i] & EditArrays::listed) != 0;  // no faces, or not one fan
    place[v] = is_listed ? TrackPlace::fixed : mesh.is_border(v) ? TrackPlace::border : TrackPlace::inside;
  }
};

/// Moves vertices inside towards the middle of their faces, within the null space of the faces' normals.
struct NullSpaceSmooth {
  EditMesh mesh;
  EditView<tiled::VertexId, Vec3d> position;
  EditView<tiled::VertexId, TrackPlace> place;
  Vec3d* to;

  TS_HD void operator()(std::size_t i) const {
    const tiled::VertexId v(static_cast<std::uint32_t>(i));
    if (!mesh.contains(v)) return;
    const Vec3d p = position[v];
    to[i] = place[v] == TrackPlace::inside ? p + move(v, p) : p;
  }

 private:
  [[nodiscard]] TS_HD Vec3d move(tiled::VertexId v, const Vec3d& p) const {
    NormalQuadric quadric;
    Vec3d sum = {0, 0, 0};
    double weights = 0;
    for (const tiled::HalfEdgeId h : mesh.half_edges(v)) {
      const Vec3d u = position[mesh.to(h)] - p;
      const Vec3d w = position[mesh.opposite(h)] - p;
      const Vec3d n = cross(u, w);
      const double weight = length(n);
      if (!(weight > 0)) continue;
      quadric.add(n, weight);
      sum = sum + weight * (u + w);
      weights += weight;
    }
    return weights > 0 ? quadric.project(1 / (3 * weights) * sum) : Vec3d{0, 0, 0};
  }
};

struct StoreSmoothed {
  EditMesh mesh;
  EditView<tiled::VertexId, Vec3d> position;
  const Vec3d* from;
  TS_HD void operator()(std::size_t i) const {
    const tiled::VertexId v(static_cast<std::uint32_t>(i));
    if (mesh.contains(v)) position[v] = from[i];
  }
};

/// Each vertex by its own velocity.
struct EulerStep {
  EditMesh mesh;
  EditView<tiled::VertexId, Vec3d> position;
  EditView<tiled::VertexId, Vec3d> velocity;
  double seconds;
  TS_HD void operator()(std::size_t i) const {
    const tiled::VertexId v(static_cast<std::uint32_t>(i));
    if (mesh.contains(v)) position[v] = position[v] + seconds * velocity[v];
  }
};

/// Of each face six times the volume between it and a point, and twice the area.
struct MeasureFaces {
  EditMesh mesh;
  EditView<tiled::VertexId, Vec3d> position;
  Vec3d centre;
  double* volumes;
  double* areas;
  TS_HD void operator()(std::size_t i) const {
    const tiled::FaceId f(static_cast<std::uint32_t>(i));
    volumes[i] = areas[i] = 0;
    if (!mesh.contains(f)) return;
    const auto c = mesh.vertices(f);
    const Vec3d a = position[c[0]] - centre;
    const Vec3d n = cross(position[c[1]] - position[c[0]], position[c[2]] - position[c[0]]);
    volumes[i] = dot(a, n);
    areas[i] = length(n);
  }
};

/// One coordinate of all vertices.
struct TakeCoordinate {
  EditMesh mesh;
  EditView<tiled::VertexId, Vec3d> position;
  int axis;
  double of_removed;
  double* values;
  TS_HD void operator()(std::size_t i) const {
    const tiled::VertexId v(static_cast<std::uint32_t>(i));
    if (!mesh.contains(v)) {
      values[i] = of_removed;
      return;
    }
    const Vec3d p = position[v];
    values[i] = axis == 0 ? p.x : axis == 1 ? p.y : p.z;
  }
};

}  // namespace tessera::detail
