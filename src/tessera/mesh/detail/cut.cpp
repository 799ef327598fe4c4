// Cuts of solids and polygons into simplices that match across neighbours without looking at them.
//
// Solids are cut from their smallest vertex (mesh/cell_mesh.h), quadrilaterals likewise.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/mesh/cell_mesh.h>
#include <tessera/mesh/detail/corner_tree.h>

namespace tessera {

using namespace detail;
namespace {

/// The time to cut a concave polygon grows with the logarithm of its corners each, at worst with their square
/// root; larger ones are refused.
constexpr std::size_t most_concave_corners = 1000000;

using EmitTriangle = std::function<void(const TriMesh::Cell&)>;

Vec3d triangle_normal(const std::array<Vec3d, 3>& p) {
  return cross(p[1] - p[0], p[2] - p[0]);
}

/// Clips ears off a polygon seen along its normal.
class EarClipper {
 public:
  EarClipper(std::span<const VertexId> corners, const Points& points) : corners_(corners) {
    const std::size_t n = corners.size();
    places_.reserve(n);
    for (const VertexId v : corners) places_.push_back(points[v]);
    for (std::size_t i = 1; i + 1 < n; ++i)
      normal_ = normal_ + triangle_normal({places_[0], places_[i], places_[i + 1]});
    for (std::size_t i = 0; i < n; ++i) {
      previous_.push_back((i + n - 1) % n);
      next_.push_back((i + 1) % n);
    }
  }

  [[nodiscard]] bool is_convex() const {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (!(turn(previous_[i], i, next_[i]) > 0)) return false;
    }
    return true;
  }

  /// Only the two neighbours of a clipped ear can become ears or cease to be.
  void clip(const EmitTriangle& emit) {
    find_plane();
    CornerTree tree(plane_);
    std::set<std::size_t> ears;
    const auto test = [&](std::size_t i) {
      if (test_ear(i, tree)) {
        ears.insert(i);
      } else {
        ears.erase(i);
      }
    };
    for (std::size_t i = 0; i < places_.size(); ++i) test(i);
    std::size_t i = 0;
    for (std::size_t left = places_.size(); left > 3; --left) {
      // The next ear. A polygon that crosses itself may have none; then any corner will do.
      if (const auto next = ears.lower_bound(i); !ears.empty())
        i = next == ears.end() ? *ears.begin() : *next;
      emit({corners_[previous_[i]], corners_[i], corners_[next_[i]]});
      next_[previous_[i]] = next_[i];
      previous_[next_[i]] = previous_[i];
      ears.erase(i);
      tree.remove(i);
      test(next_[i]);
      i = previous_[i];
      test(i);
    }
    emit({corners_[previous_[i]], corners_[i], corners_[next_[i]]});
  }

 private:
  /// Twice the signed area of three corners as seen along the normal.
  [[nodiscard]] double turn(std::size_t a, std::size_t b, std::size_t c) const {
    return dot(triangle_normal({places_[a], places_[b], places_[c]}), normal_);
  }

  /// The places as they are seen along the normal; counter-clockwise turns stay so. Without a normal there
  /// are no ears to look for.
  void find_plane() {
    plane_.assign(places_.size(), {0, 0});
    const double largest = std::max({std::abs(normal_.x), std::abs(normal_.y), std::abs(normal_.z)});
    if (!(largest > 0) || !std::isfinite(largest)) return;
    Vec3d n = (1 / largest) * normal_;
    n = (1 / length(n)) * n;
    const Vec3d right = cross(std::abs(n.x) > std::abs(n.z) ? Vec3d{0, 0, 1} : Vec3d{1, 0, 0}, n);
    const Vec3d u = (1 / length(right)) * right;
    const Vec3d v = cross(n, u);
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const Vec3d p = places_[i] - places_[0];
      if (std::isfinite(dot(u, p)) && std::isfinite(dot(v, p))) plane_[i] = {dot(u, p), dot(v, p)};
    }
  }

  [[nodiscard]] bool test_ear(std::size_t i, const CornerTree& tree) const {
    const std::size_t a = previous_[i];
    const std::size_t c = next_[i];
    if (!(turn(a, i, c) > 0)) return false;
    return !tree.any_near({plane_[a], plane_[i], plane_[c]}, [&](std::size_t j) {
      const bool is_same_place =
          places_[j] == places_[a] || places_[j] == places_[i] || places_[j] == places_[c];
      return !is_same_place && turn(a, i, j) >= 0 && turn(i, c, j) >= 0 && turn(c, a, j) >= 0;
    });
  }

  std::span<const VertexId> corners_;
  std::vector<Vec3d> places_;
  Vec3d normal_ = {0, 0, 0};
  std::vector<std::size_t> previous_;
  std::vector<std::size_t> next_;
  std::vector<PlanePoint> plane_;  ///< the places as seen along the normal
};

/// Rotates the smallest id to the front.
std::vector<VertexId> from_smallest(std::span<const VertexId> corners) {
  std::vector<VertexId> turned(corners.begin(), corners.end());
  std::rotate(turned.begin(), std::min_element(turned.begin(), turned.end()), turned.end());
  return turned;
}

void cut_quad(std::span<const VertexId> corners, const Points& points, const EmitTriangle& emit) {
  const std::vector<VertexId> v = from_smallest(corners);
  const auto normal = [&](int a, int b, int c) {
    return triangle_normal({points[v[a]], points[v[b]], points[v[c]]});
  };
  // Folded over at this diagonal means that the other one lies inside.
  const bool is_folded =
      dot(normal(0, 1, 2), normal(0, 2, 3)) < 0 && dot(normal(1, 2, 3), normal(1, 3, 0)) > 0;
  if (is_folded) {
    emit({v[1], v[2], v[3]});
    emit({v[1], v[3], v[0]});
  } else {
    emit({v[0], v[1], v[2]});
    emit({v[0], v[2], v[3]});
  }
}

/// Refuses a concave polygon of too many corners.
[[nodiscard]] bool try_cut_polygon(std::span<const VertexId> corners, const Points& points,
                                   const EmitTriangle& emit) {
  if (corners.size() == 3) {
    emit({corners[0], corners[1], corners[2]});
  } else if (corners.size() == 4) {
    cut_quad(corners, points, emit);
  } else {
    const std::vector<VertexId> v = from_smallest(corners);
    EarClipper clipper(v, points);
    if (!clipper.is_convex()) {
      if (v.size() > most_concave_corners) return false;
      clipper.clip(emit);
      return true;
    }
    for (std::size_t i = 1; i + 1 < v.size(); ++i) emit({v[0], v[i], v[i + 1]});
  }
  return true;
}

template <class Cell>
bool has_repeated_corner(Cell cell) {
  std::sort(cell.begin(), cell.end());
  return std::adjacent_find(cell.begin(), cell.end()) != cell.end();
}

bool names_point_twice(std::span<const VertexId> corners) {
  if (corners.size() > 8) return has_repeated_corner(std::vector<VertexId>(corners.begin(), corners.end()));
  for (std::size_t i = 1; i < corners.size(); ++i) {
    if (std::find(corners.begin(), corners.begin() + i, corners[i]) != corners.begin() + i) return true;
  }
  return false;
}

/// The parts as they are made.
template <class Mesh>
struct Cutter {
  static constexpr CellType simplex = Mesh::dimension == 3 ? CellType::tetrahedron : CellType::triangle;
  Mesh mesh;
  SimplexCut cut;
  std::uint64_t collapsed = 0;  // parts that name a point twice
  std::uint64_t too_small = 0;  // polygons of fewer than three corners

  void add(std::size_t cell, const typename Mesh::Cell& part, bool is_whole) {
    // A hexahedron with two equal corners is how many programs write a wedge: its flat parts are no loss.
    if (!is_whole && has_repeated_corner(part)) return void(++collapsed);
    mesh.cells.push_back(part);
    cut.cells.push_back(static_cast<std::uint32_t>(cell));
  }

  void cut_cell(const CellMesh& from, std::size_t c) {
    const std::span<const VertexId> corners = from.cells[c];
    const CellType type = from.types[c];
    if (dimension_of(type) != Mesh::dimension) return;
    if (type != simplex && names_point_twice(corners)) cut.repeated.push_back(static_cast<std::uint32_t>(c));
    const std::size_t before = mesh.cells.size();
    cut_parts(from, c);
    if (mesh.cells.size() == before) cut.vanished.push_back(static_cast<std::uint32_t>(c));
  }

  void cut_parts(const CellMesh& from, std::size_t c) {
    const std::span<const VertexId> corners = from.cells[c];
    const CellType type = from.types[c];
    const auto emit = [&](const typename Mesh::Cell& part) { add(c, part, type == simplex); };
    if constexpr (Mesh::dimension == 3) {
      if (type == simplex) return emit({corners[0], corners[1], corners[2], corners[3]});
      cut_from_smallest(type, corners, emit);
    } else {
      if (corners.size() < 3) return void(++too_small);
      if (!try_cut_polygon(corners, from.points, emit)) {
        throw Error(ErrorCode::unsupported, "cell " + std::to_string(c) + " is a concave polygon of " +
                                                std::to_string(corners.size()) + " corners; at most " +
                                                std::to_string(most_concave_corners) + " can be cut");
      }
    }
  }

  void add_notes(const CellMesh& from) {
    const auto note = [&](bool is_true, const std::string& text) {
      if (is_true) cut.notes.push_back(text + ".");
    };
    Array<CellType> others;
    std::ranges::copy_if(from.types, std::back_inserter(others),
                         [](CellType type) { return type != simplex; });
    const std::string split = list_types(others, Mesh::dimension, Mesh::dimension);
    note(!split.empty(),
         std::string("Cut into ") + (Mesh::dimension == 3 ? "tetrahedra" : "triangles") + ": " + split);
    const std::string lower = list_types(others, 0, Mesh::dimension - 1);
    note(!lower.empty(), "Left out, being of a lower dimension than the mesh: " + lower);
    note(collapsed > 0,
         "Left out " + std::to_string(collapsed) + " parts of cut cells that name a point twice");
    note(too_small > 0, "Left out " + std::to_string(too_small) + " polygons of fewer than three corners");
  }

  SimplexCut run(CellMesh from) {
    for (std::size_t c = 0; c < from.cell_count(); ++c) cut_cell(from, c);
    add_notes(from);
    from.cells = {};  // cell data is copied now
    mesh.points = std::move(from.points);
    mesh.point_data = std::move(from.point_data);
    mesh.field_data = std::move(from.field_data);
    mesh.cell_data = from.cell_data.gather(cut.cells);
    cut.mesh = std::move(mesh);
    return std::move(cut);
  }
};

}  // namespace

std::string_view to_string(CellType type) {
  constexpr std::array<std::string_view, 15> names = {
      "", "vertex", "poly-vertex", "line", "poly-line",  "triangle", "",       "polygon",
      "", "quad",   "tetrahedron", "",     "hexahedron", "wedge",    "pyramid"};
  return names[static_cast<std::size_t>(type)];
}

std::string count_cells(std::uint64_t count, std::string_view type) {
  std::string name(type);
  const auto end_with = [&](std::string_view end) { name.replace(name.size() - 2, 2, end); };
  if (count == 1 || name.ends_with(')')) return std::to_string(count) + " " + name;
  if (name.ends_with("hedron")) {
    end_with("a");
  } else if (name.ends_with("vertex")) {
    end_with("ices");
  } else {
    name += "s";
  }
  return std::to_string(count) + " " + name;
}

std::string list_types(std::span<const CellType> types, int lowest, int highest) {
  std::map<CellType, std::uint64_t> counts;
  for (const CellType type : types) {
    if (dimension_of(type) >= lowest && dimension_of(type) <= highest) ++counts[type];
  }
  std::string text;
  for (const auto& [type, count] : counts)
    text += (text.empty() ? "" : ", ") + count_cells(count, to_string(type));
  return text;
}

SimplexCut cut_into_simplices(CellMesh mesh) {
  if (mesh.dimension() == 3) return Cutter<TetMesh>().run(std::move(mesh));
  return Cutter<TriMesh>().run(std::move(mesh));
}

}  // namespace tessera
