// Paths down the distance, which is linear within a triangle. A path is at a vertex or on an edge; it crosses
// a triangle along the gradient, or else follows an edge to its nearer end. The distance never rises, and a
// vertex is left only for something nearer.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include <tessera/core/array.h>
#include <tessera/core/error.h>
#include <tessera/exec/buffer.h>
#include <tessera/surface/geodesics.h>

namespace tessera {
namespace {

using std::size_t;
using std::uint32_t;

constexpr uint32_t nowhere = 0xFFFFFFFFu;

template <class T>
Array<T> copy_to_host(const Exec& exec, const T* from, size_t count) {
  Array<T> values(count);
  if (!exec.is_cuda()) {
    std::copy_n(from, count, values.begin());
  } else {
    detail::copy(exec, values.data(), from, count * sizeof(T), detail::CopyKind::to_host);
  }
  return values;
}

/// A point of the edge from a to b, or the vertex a if b is nowhere.
struct Place {
  uint32_t a = nowhere;
  uint32_t b = nowhere;
  double weight = 0;  ///< of b
  double distance = 0;
  uint32_t face = nowhere;  ///< that the path came through

  [[nodiscard]] bool is_vertex() const { return b == nowhere; }
};

/// How the weights of a triangle's corners change along the descent of the distance.
struct Descent {
  std::array<double, 3> rates;
  double slope;
};

}  // namespace

class GeodesicPaths::Tracer {
 public:
  template <class Real>
  explicit Tracer(const Geodesics<Real>& geodesics) : sources_(geodesics.sources) {
    const Surface& surface = geodesics.distance.surface();
    const Exec& exec = surface.exec();
    const size_t n = surface.vertex_count();
    const size_t faces = surface.face_count();
    const RowsOf<VF> around = surface.rows<VF>();
    const RowsOf<FV> corners = surface.rows<FV>();
    offsets_ = copy_to_host(exec, around.get<VF>().offsets(), n + 1);
    faces_ = copy_to_host(exec, around.get<VF>().values(), offsets_[n]);
    corners_ = copy_to_host(exec, corners.get<FV>().values(), 3 * faces);
    const auto at = positions<double>(surface);
    at_.assign(at.on_host().begin(), at.on_host().end());
    distances_.assign(geodesics.distance.on_host().begin(), geodesics.distance.on_host().end());
    nearest_.assign(geodesics.nearest.on_host().begin(), geodesics.nearest.on_host().end());
    const auto order = surface.to_input(Kind::vertex);
    to_input_ = copy_to_host(exec, order.data(), order.size());
    from_input_.resize(to_input_.size());
    for (uint32_t v = 0; v < to_input_.size(); ++v) from_input_[to_input_[v]] = v;
    find_ends(surface);
  }

  [[nodiscard]] GeodesicPath trace(VertexId vertex) const {
    if (vertex.index() >= at_.size()) {
      throw Error(ErrorCode::not_found, "a path from vertex " + std::to_string(vertex.index()) +
                                            " was asked for, but the surface has " +
                                            std::to_string(at_.size()) + " vertices");
    }
    const uint32_t start = from_input_.empty() ? vertex.index() : from_input_[vertex.index()];
    GeodesicPath path;
    path.source = nearest_[start];
    if (path.source == no_source) return path;
    Place place = {.a = start, .distance = distances_[start]};
    path.points.push_back(at_[start]);
    size_t crossings = 2 * (corners_.size() / 3) + 16;  // more are not expected: follow edges then
    while (!is_end(place, path)) {
      std::optional<Place> next = place.is_vertex() ? leave_vertex(place) : leave_edge(place, crossings > 0);
      if (!next.has_value()) break;
      if (crossings > 0) --crossings;
      place = *next;
      add_point(path, position(place));
    }
    return path;
  }

 private:
  using Corners = std::array<uint32_t, 3>;

  /// Where the paths to sources end: at a vertex, or in a triangle.
  struct End {
    uint32_t vertex = nowhere;
    Corners corners = {nowhere, nowhere, nowhere};
    Vec3d at = {0, 0, 0};
  };

  void find_ends(const Surface& surface) {
    const auto tiled = [&](VertexId v) { return from_input_.empty() ? v.index() : from_input_[v.index()]; };
    for (const GeodesicSource& source : sources_) {
      End end;
      if (const auto* v = std::get_if<VertexId>(&source)) {
        end.vertex = tiled(*v);
      } else {
        const auto& point = std::get<FacePoint>(source);
        const TriMesh::Cell& cell = surface.mesh()->cells[point.face.index()];
        end.corners = {tiled(cell[0]), tiled(cell[1]), tiled(cell[2])};
        end.at = find_position(*surface.mesh(), point);
      }
      ends_.push_back(end);
    }
  }

  /// Ends a path that has come to the triangle of its source.
  [[nodiscard]] bool is_end(const Place& place, GeodesicPath& path) const {
    if (place.is_vertex()) path.source = nearest_[place.a];
    const End& end = ends_[path.source];
    if (end.vertex != nowhere) return place.is_vertex() && place.a == end.vertex;
    const auto has = [&](uint32_t v) {
      return v == nowhere || std::ranges::find(end.corners, v) != end.corners.end();
    };
    if (!has(place.a) || !has(place.b)) return false;
    add_point(path, end.at);
    return true;
  }

  static void add_point(GeodesicPath& path, const Vec3d& at) {
    path.length += length(at - path.points.back());
    path.points.push_back(at);
  }

  [[nodiscard]] Vec3d position(const Place& place) const {
    if (place.is_vertex()) return at_[place.a];
    return (1 - place.weight) * at_[place.a] + place.weight * at_[place.b];
  }
  [[nodiscard]] double at_edge(uint32_t a, uint32_t b, double weight) const {
    return (1 - weight) * distances_[a] + weight * distances_[b];
  }
  [[nodiscard]] Place at_vertex(uint32_t v) const { return {.a = v, .distance = distances_[v]}; }

  [[nodiscard]] std::span<const uint32_t> faces_at(uint32_t v) const {
    return {faces_.data() + offsets_[v], offsets_[v + 1] - offsets_[v]};
  }
  /// The corners of a face from v on, the others in any order.
  [[nodiscard]] Corners corners_from(uint32_t face, uint32_t v) const {
    const uint32_t* c = corners_.data() + 3 * size_t{face};
    if (c[0] == v) return {v, c[1], c[2]};
    return c[1] == v ? Corners{v, c[0], c[2]} : Corners{v, c[0], c[1]};
  }

  /// No value if a corner is not reached or the triangle has no area.
  [[nodiscard]] std::optional<Descent> descent(const Corners& c) const {
    const Vec3d u = at_[c[1]] - at_[c[0]];
    const Vec3d w = at_[c[2]] - at_[c[0]];
    const double rise_u = distances_[c[1]] - distances_[c[0]];
    const double rise_w = distances_[c[2]] - distances_[c[0]];
    const double area = dot(u, u) * dot(w, w) - dot(u, w) * dot(u, w);
    if (!(area > 0) || !std::isfinite(rise_u) || !std::isfinite(rise_w)) return std::nullopt;
    const double along_u = (dot(w, w) * rise_u - dot(u, w) * rise_w) / area;
    const double along_w = (dot(u, u) * rise_w - dot(u, w) * rise_u) / area;
    const double squared = along_u * rise_u + along_w * rise_w;
    if (!(squared > 0) || !std::isfinite(squared)) return std::nullopt;
    return Descent{{along_u + along_w, -along_u, -along_w}, std::sqrt(squared)};
  }

  /// Across the triangle, or along the edge, that goes down most.
  [[nodiscard]] std::optional<Place> leave_vertex(const Place& here) const {
    std::optional<Place> best;
    double steepest = 0;
    const auto offer = [&](const Place& place, double slope) {
      if (!(place.distance < here.distance) || !(slope > steepest)) return;
      steepest = slope;
      best = place;
    };
    for (const uint32_t face : faces_at(here.a)) {
      const Corners c = corners_from(face, here.a);
      for (const uint32_t end : {c[1], c[2]})
        offer(at_vertex(end), (here.distance - distances_[end]) / length(at_[end] - at_[here.a]));
      const std::optional<Descent> down = descent(c);
      if (!down.has_value() || !(down->rates[1] > 0) || !(down->rates[2] > 0)) continue;
      const double weight = down->rates[2] / (down->rates[1] + down->rates[2]);
      offer({c[1], c[2], weight, at_edge(c[1], c[2], weight), face}, down->slope);
    }
    return best.has_value() ? best : leave_plateau(here.a);
  }

  /// Straight to a source that is a corner of a triangle at the edge, into another triangle, or along the
  /// edge to its nearer end.
  [[nodiscard]] std::optional<Place> leave_edge(const Place& here, bool may_cross) const {
    for (const uint32_t end : {here.a, here.b}) {
      if (is_source(end)) return at_vertex(end);
    }
    std::optional<Place> best;
    double steepest = 0;
    for (const uint32_t face : faces_at(here.a)) {
      Corners c = corners_from(face, here.a);
      if (c[2] == here.b) std::swap(c[1], c[2]);
      if (!may_cross || face == here.face || c[1] != here.b) continue;
      if (is_source(c[2])) return at_vertex(c[2]);
      const std::optional<Descent> down = descent(c);
      if (!down.has_value() || !(down->rates[2] > 0) || !(down->slope > steepest)) continue;
      const Place there = cross(here, c, *down, face);
      if (!(there.distance < here.distance)) continue;
      steepest = down->slope;
      best = there;
    }
    if (best.has_value()) return best;
    return at_vertex(distances_[here.b] < distances_[here.a] ? here.b : here.a);
  }

  /// From the edge between the first two corners to where the way down leaves the triangle.
  [[nodiscard]] Place cross(const Place& here, const Corners& c, const Descent& down, uint32_t face) const {
    const std::array<double, 2> weights = {1 - here.weight, here.weight};
    std::array<double, 2> times = {};
    for (size_t k = 0; k < 2; ++k) {
      times[k] = down.rates[k] < 0 ? weights[k] / -down.rates[k] : std::numeric_limits<double>::infinity();
    }
    const size_t leaves = times[0] < times[1] ? 0 : 1;  // the corner whose weight gets 0 first
    const uint32_t stays = c[1 - leaves];
    const double weight = std::clamp(times[leaves] * down.rates[2], 0.0, 1.0);
    return {stays, c[2], weight, at_edge(stays, c[2], weight), face};
  }

  /// Where nothing at a vertex is nearer: over vertices at the same distance to the first neighbour that is.
  [[nodiscard]] std::optional<Place> leave_plateau(uint32_t start) const {
    std::vector<uint32_t> plateau = {start};
    std::unordered_set<uint32_t> seen = {start};
    for (size_t i = 0; i < plateau.size(); ++i) {
      const uint32_t v = plateau[i];
      for (const uint32_t face : faces_at(v)) {
        const Corners c = corners_from(face, v);
        for (const uint32_t end : {c[1], c[2]}) {
          if (distances_[end] < distances_[start] || is_source(end)) return at_vertex(end);
          if (distances_[end] == distances_[start] && seen.insert(end).second) plateau.push_back(end);
        }
      }
    }
    return std::nullopt;
  }
  [[nodiscard]] bool is_source(uint32_t v) const {
    return nearest_[v] != no_source && ends_[nearest_[v]].vertex == v;
  }

  std::vector<GeodesicSource> sources_;
  std::vector<End> ends_;
  Array<uint32_t> offsets_;
  Array<uint32_t> faces_;
  Array<uint32_t> corners_;
  Array<Vec3d> at_;
  Array<double> distances_;
  Array<uint32_t> nearest_;
  Array<uint32_t> to_input_;    ///< empty: ids are the input's
  Array<uint32_t> from_input_;  ///< the same
};

template <class Real>
GeodesicPaths::GeodesicPaths(const Geodesics<Real>& geodesics)
    : tracer_(std::make_unique<const Tracer>(geodesics)) {}
GeodesicPaths::~GeodesicPaths() = default;
GeodesicPaths::GeodesicPaths(GeodesicPaths&&) noexcept = default;
GeodesicPaths& GeodesicPaths::operator=(GeodesicPaths&&) noexcept = default;

GeodesicPath GeodesicPaths::trace(VertexId vertex) const {
  return tracer_->trace(vertex);
}

template GeodesicPaths::GeodesicPaths(const Geodesics<float>&);
template GeodesicPaths::GeodesicPaths(const Geodesics<double>&);

}  // namespace tessera
