// Paths down a distance, which is linear within a triangle. A path is at a vertex or on an edge; it crosses a
// triangle along the gradient, or else follows an edge to its nearer end. The distance never rises, and a
// vertex is left only for something nearer, or over vertices at the same distance.
//
// All is in the input's order: paths do not depend on tiles or on the surface's place.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <tessera/core/array.h>
#include <tessera/core/error.h>
#include <tessera/exec/buffer.h>
#include <tessera/surface/detail/geodesic_sources.h>
#include <tessera/surface/geodesics.h>

namespace tessera {
namespace {

using std::size_t;
using std::uint32_t;

constexpr uint32_t nowhere = 0xFFFFFFFFu;
constexpr double infinity = std::numeric_limits<double>::infinity();

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

using Corners = std::array<uint32_t, 3>;

/// Triangles and the triangles around vertices, in the input's order; corners and rows ascend.
class Stars {
 public:
  explicit Stars(const Surface& surface) : corners_(surface.face_count()) {
    const Exec& exec = surface.exec();
    const RowsOf<FV> rows = surface.rows<FV>();
    const Array<uint32_t> tiled = copy_to_host(exec, rows.get<FV>().values(), 3 * corners_.size());
    const auto vertices = surface.to_input(Kind::vertex);
    const auto faces = surface.to_input(Kind::face);
    const Array<uint32_t> vertex_ids = copy_to_host(exec, vertices.data(), vertices.size());
    const Array<uint32_t> face_ids = copy_to_host(exec, faces.data(), faces.size());
    const auto input = [](const Array<uint32_t>& ids, uint32_t id) { return ids.empty() ? id : ids[id]; };
    for (uint32_t f = 0; f < corners_.size(); ++f) {
      Corners& c = corners_[input(face_ids, f)];
      for (size_t k = 0; k < 3; ++k) c[k] = input(vertex_ids, tiled[3 * size_t{f} + k]);
      std::ranges::sort(c);
    }
    gather(surface.vertex_count());
  }

  [[nodiscard]] size_t vertex_count() const { return offsets_.size() - 1; }
  [[nodiscard]] size_t face_count() const { return corners_.size(); }
  [[nodiscard]] std::span<const uint32_t> faces_at(uint32_t v) const {
    return {faces_.data() + offsets_[v], offsets_[v + 1] - offsets_[v]};
  }
  /// Those at the end that has fewer: the triangles of the edge are among them.
  [[nodiscard]] std::span<const uint32_t> faces_at(uint32_t a, uint32_t b) const {
    return faces_at(a).size() <= faces_at(b).size() ? faces_at(a) : faces_at(b);
  }
  /// The corners of a face from v on.
  [[nodiscard]] Corners corners_from(uint32_t face, uint32_t v) const {
    const Corners& c = corners_[face];
    if (c[0] == v) return c;
    return c[1] == v ? Corners{v, c[0], c[2]} : Corners{v, c[0], c[1]};
  }
  /// The corner that is neither a nor b; nowhere if the face has another edge.
  [[nodiscard]] uint32_t opposite(uint32_t face, uint32_t a, uint32_t b) const {
    uint32_t third = nowhere;
    int others = 0;
    for (const uint32_t v : corners_[face]) {
      if (v == a || v == b) continue;
      third = v;
      ++others;
    }
    return others == 1 ? third : nowhere;
  }
  /// Calls f with each neighbour of v, twice if two triangles are at the edge.
  template <class F>
  void for_each_neighbour(uint32_t v, const F& f) const {
    for (const uint32_t face : faces_at(v)) {
      const Corners c = corners_from(face, v);
      f(c[1]);
      f(c[2]);
    }
  }

 private:
  void gather(size_t vertices) {
    offsets_.assign(vertices + 1, 0);
    for (const Corners& c : corners_) {
      for (const uint32_t v : c) ++offsets_[v + 1];
    }
    for (size_t v = 0; v < vertices; ++v) offsets_[v + 1] += offsets_[v];
    faces_.resize(3 * corners_.size());
    Array<uint32_t> next(offsets_.begin(), offsets_.end() - 1);
    for (uint32_t f = 0; f < corners_.size(); ++f) {
      for (const uint32_t v : corners_[f]) faces_[next[v]++] = f;
    }
  }

  Array<Corners> corners_;
  Array<uint32_t> offsets_;
  Array<uint32_t> faces_;
};

/// Where the paths to a source end: at a vertex, or in a triangle.
struct End {
  uint32_t vertex = nowhere;
  Corners corners = {nowhere, nowhere, nowhere};
  Vec3d at = {0, 0, 0};

  [[nodiscard]] bool has_corner(uint32_t v) const {
    return v == nowhere || std::ranges::find(corners, v) != corners.end();
  }
};

std::vector<End> find_ends(const Surface& surface, std::span<const GeodesicSource> sources) {
  std::vector<End> ends;
  for (const GeodesicSource& source : sources) {
    End end;
    if (const auto* v = std::get_if<VertexId>(&source)) {
      end.vertex = v->index();
    } else {
      const auto& point = std::get<FacePoint>(source);
      const TriMesh::Cell& cell = surface.mesh()->cells[point.face.index()];
      end.corners = {cell[0].index(), cell[1].index(), cell[2].index()};
      end.at = find_position(*surface.mesh(), point);
    }
    ends.push_back(end);
  }
  return ends;
}

/// The source of each vertex, where only distances are known: each vertex goes along the edge that falls
/// most.
class EdgeDescent {
 public:
  EdgeDescent(const Stars& stars, const Array<Vec3d>& at, const Array<double>& distances,
              const std::vector<End>& ends)
      : stars_(stars),
        at_(at),
        distances_(distances),
        next_(at.size(), nowhere),
        source_(at.size(), no_source) {
    place_sources(ends);
    for (uint32_t v = 0; v < next_.size(); ++v) {
      if (source_[v] == no_source && distances_[v] < infinity) next_[v] = steepest(v);
    }
    cross_plateaus();
    follow();
  }

  [[nodiscard]] Array<uint32_t> take() { return std::move(source_); }

 private:
  /// Vertices that are sources, and the corners of triangles that have one inside: the nearest of those.
  void place_sources(const std::vector<End>& ends) {
    std::map<uint32_t, double> apart;
    for (uint32_t i = 0; i < ends.size(); ++i) {
      const auto place = [&](uint32_t v, double distance) {
        const auto [known, is_new] = apart.try_emplace(v, distance);
        if (!is_new && !(distance < known->second)) return;
        known->second = distance;
        source_[v] = i;
      };
      if (ends[i].vertex != nowhere) {
        place(ends[i].vertex, -1);
      } else {
        for (const uint32_t v : ends[i].corners) place(v, length(at_[v] - ends[i].at));
      }
    }
  }

  [[nodiscard]] uint32_t steepest(uint32_t v) const {
    uint32_t best = nowhere;
    double most = 0;
    stars_.for_each_neighbour(v, [&](uint32_t u) {
      if (!(distances_[u] < distances_[v])) return;
      const double slope = (distances_[v] - distances_[u]) / length(at_[u] - at_[v]);
      if (best != nowhere && (slope < most || (slope == most && u >= best))) return;
      most = slope;
      best = u;
    });
    return best;
  }

  /// Vertices that see nothing nearer follow those at the same distance that do.
  void cross_plateaus() {
    const auto is_open = [&](uint32_t v) {
      return next_[v] == nowhere && source_[v] == no_source && distances_[v] < infinity;
    };
    std::vector<uint32_t> border;
    for (uint32_t v = 0; v < next_.size(); ++v) {
      if (!is_open(v)) continue;
      stars_.for_each_neighbour(v, [&](uint32_t u) {
        if (distances_[u] == distances_[v] && !is_open(u)) border.push_back(u);
      });
    }
    std::ranges::sort(border);
    border.erase(std::unique(border.begin(), border.end()), border.end());
    for (size_t i = 0; i < border.size(); ++i) {
      const uint32_t v = border[i];
      stars_.for_each_neighbour(v, [&](uint32_t u) {
        if (!is_open(u) || distances_[u] != distances_[v]) return;
        next_[u] = v;
        border.push_back(u);
      });
    }
  }

  /// Each vertex is passed once: what a chain finds is given to all of it.
  void follow() {
    std::vector<uint32_t> chain;
    for (uint32_t v = 0; v < next_.size(); ++v) {
      chain.clear();
      uint32_t end = v;
      for (; next_[end] != nowhere; end = next_[end]) chain.push_back(end);
      for (const uint32_t u : chain) {
        source_[u] = source_[end];
        next_[u] = nowhere;
      }
    }
  }

  const Stars& stars_;
  const Array<Vec3d>& at_;
  const Array<double>& distances_;
  Array<uint32_t> next_;  ///< nowhere: it ends here
  Array<uint32_t> source_;
};

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
  /// Without `nearest`, it is found from the distances.
  Tracer(const Surface& surface, Array<double> distances, std::span<const GeodesicSource> sources,
         std::optional<Array<uint32_t>> nearest)
      : stars_(surface),
        at_(positions<double>(surface).values()),
        distances_(std::move(distances)),
        ends_(find_ends(surface, sources)) {
    nearest_ = nearest.has_value() ? std::move(*nearest) : EdgeDescent(stars_, at_, distances_, ends_).take();
  }

  [[nodiscard]] const Array<uint32_t>& nearest() const { return nearest_; }

  [[nodiscard]] GeodesicPath trace(VertexId vertex) const {
    if (vertex.index() >= at_.size()) {
      throw Error(ErrorCode::not_found, "a path from vertex " + std::to_string(vertex.index()) +
                                            " was asked for, but the surface has " +
                                            std::to_string(at_.size()) + " vertices");
    }
    Place place = at_vertex(vertex.index());
    GeodesicPath path;
    if (!(place.distance < infinity)) return path;
    path.points.push_back(at_[place.a]);
    size_t crossings = 2 * stars_.face_count() + 16;  // more are not expected: follow edges then
    while (!is_end(place, path)) {
      const std::optional<Place> next =
          place.is_vertex() ? leave_vertex(place, path) : leave_edge(place, crossings > 0);
      if (!next.has_value()) {
        path.source = no_source;
        break;
      }
      if (crossings > 0) --crossings;
      place = *next;
      add_point(path, position(place));
    }
    return path;
  }

 private:
  /// Ends a path that has come to its source, or to the triangle that this lies in.
  [[nodiscard]] bool is_end(const Place& place, GeodesicPath& path) const {
    if (place.is_vertex()) path.source = nearest_[place.a];
    if (ends_at(path.source, place)) return finish(path);
    if (place.is_vertex()) return false;
    for (const uint32_t corner : {place.a, place.b}) {
      if (!ends_at(nearest_[corner], place)) continue;
      path.source = nearest_[corner];
      return finish(path);
    }
    return false;
  }
  [[nodiscard]] bool ends_at(uint32_t source, const Place& place) const {
    if (source == no_source) return false;
    const End& end = ends_[source];
    if (end.vertex != nowhere) return place.is_vertex() && place.a == end.vertex;
    return end.has_corner(place.a) && end.has_corner(place.b);
  }
  [[nodiscard]] bool finish(GeodesicPath& path) const {
    if (ends_[path.source].vertex == nowhere) add_point(path, ends_[path.source].at);
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
  [[nodiscard]] std::optional<Place> leave_vertex(const Place& here, GeodesicPath& path) const {
    std::optional<Place> best;
    double steepest = 0;
    const auto offer = [&](const Place& place, double slope) {
      if (!(place.distance < here.distance) || !(slope > steepest)) return;
      steepest = slope;
      best = place;
    };
    for (const uint32_t face : stars_.faces_at(here.a)) {
      const Corners c = stars_.corners_from(face, here.a);
      for (const uint32_t end : {c[1], c[2]})
        offer(at_vertex(end), (here.distance - distances_[end]) / length(at_[end] - at_[here.a]));
      const std::optional<Descent> down = descent(c);
      if (!down.has_value() || !(down->rates[1] > 0) || !(down->rates[2] > 0)) continue;
      const double weight = down->rates[2] / (down->rates[1] + down->rates[2]);
      offer({c[1], c[2], weight, at_edge(c[1], c[2], weight), face}, down->slope);
    }
    return best.has_value() ? best : leave_plateau(here.a, path);
  }

  /// Straight to a source that is a corner of a triangle at the edge, into another triangle, or along the
  /// edge to its nearer end.
  [[nodiscard]] std::optional<Place> leave_edge(const Place& here, bool may_cross) const {
    for (const uint32_t end : {here.a, here.b}) {
      if (is_source(end)) return at_vertex(end);
    }
    std::optional<Place> best;
    double steepest = 0;
    for (const uint32_t face : stars_.faces_at(here.a, here.b)) {
      const uint32_t third = stars_.opposite(face, here.a, here.b);
      if (!may_cross || face == here.face || third == nowhere) continue;
      if (is_source(third)) return at_vertex(third);
      const Corners c = {here.a, here.b, third};
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
    for (size_t k = 0; k < 2; ++k) times[k] = down.rates[k] < 0 ? weights[k] / -down.rates[k] : infinity;
    const size_t leaves = times[0] < times[1] ? 0 : 1;  // the corner whose weight gets 0 first
    const uint32_t stays = c[1 - leaves];
    const double weight = std::clamp(times[leaves] * down.rates[2], 0.0, 1.0);
    return {stays, c[2], weight, at_edge(stays, c[2], weight), face};
  }

  /// Where nothing at a vertex is nearer: over vertices at the same distance to the first neighbour that is.
  /// No value if there is none: the vertex is a minimum of the distance.
  [[nodiscard]] std::optional<Place> leave_plateau(uint32_t start, GeodesicPath& path) const {
    std::vector<uint32_t> plateau = {start};
    std::map<uint32_t, uint32_t> came_from = {{start, nowhere}};
    uint32_t way_out = nowhere;
    for (size_t i = 0; i < plateau.size() && way_out == nowhere; ++i) {
      stars_.for_each_neighbour(plateau[i], [&](uint32_t u) {
        if (way_out != nowhere) return;
        if (distances_[u] < distances_[start] || is_source(u)) {
          way_out = u;
          came_from[u] = plateau[i];
        } else if (distances_[u] == distances_[start] && came_from.try_emplace(u, plateau[i]).second) {
          plateau.push_back(u);
        }
      });
    }
    if (way_out == nowhere) return std::nullopt;
    std::vector<uint32_t> between;
    for (uint32_t v = came_from[way_out]; v != start; v = came_from[v]) between.push_back(v);
    for (size_t k = between.size(); k-- > 0;) add_point(path, at_[between[k]]);
    return at_vertex(way_out);
  }
  [[nodiscard]] bool is_source(uint32_t v) const {
    return nearest_[v] != no_source && ends_[nearest_[v]].vertex == v;
  }

  Stars stars_;
  Array<Vec3d> at_;
  Array<double> distances_;
  std::vector<End> ends_;
  Array<uint32_t> nearest_;
};

namespace {

Array<double> checked(const Surface& surface, std::span<const double> distances,
                      std::span<const GeodesicSource> sources) {
  detail::check_sources(surface, sources);
  if (distances.size() != surface.vertex_count()) {
    throw Error(ErrorCode::bad_option, "paths need a distance for each of " +
                                           std::to_string(surface.vertex_count()) + " vertices, not " +
                                           std::to_string(distances.size()));
  }
  return {distances.begin(), distances.end()};
}

template <class Real>
Array<double> in_double(const Array<Real>& values) {
  return {values.begin(), values.end()};
}

}  // namespace

template <class Real>
GeodesicPaths::GeodesicPaths(const Geodesics<Real>& geodesics)
    : tracer_(std::make_unique<const Tracer>(geodesics.distance.surface(),
                                             in_double(geodesics.distance.values()), geodesics.sources,
                                             geodesics.nearest.values())) {}
GeodesicPaths::GeodesicPaths(const Surface& surface, std::span<const double> distances,
                             std::span<const GeodesicSource> sources)
    : tracer_(std::make_unique<const Tracer>(surface, checked(surface, distances, sources), sources,
                                             std::nullopt)) {}
GeodesicPaths::~GeodesicPaths() = default;
GeodesicPaths::GeodesicPaths(GeodesicPaths&&) noexcept = default;
GeodesicPaths& GeodesicPaths::operator=(GeodesicPaths&&) noexcept = default;

GeodesicPath GeodesicPaths::trace(VertexId vertex) const {
  return tracer_->trace(vertex);
}
const Array<std::uint32_t>& GeodesicPaths::nearest() const {
  return tracer_->nearest();
}

template GeodesicPaths::GeodesicPaths(const Geodesics<float>&);
template GeodesicPaths::GeodesicPaths(const Geodesics<double>&);

}  // namespace tessera
