// Cuts of solids and polygons into simplices that match across neighbours without looking at them.
//
// Solids are cut from their smallest vertex (mesh/solid_mesh.h), quadrilaterals likewise.
#include <algorithm>
#include <array>
#include <vector>

#include <tessera/io/detail/cells.h>
#include <tessera/mesh/solid_mesh.h>

namespace tessera::detail::io {
namespace {

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

  /// Quadratic time: only the two neighbours of a clipped ear can become ears or cease to be.
  void clip(const std::function<void(const TriMesh::Cell&)>& emit) {
    std::vector<char> is_ear(places_.size());
    for (std::size_t i = 0; i < places_.size(); ++i) is_ear[i] = test_ear(i);
    std::size_t left = places_.size();
    std::size_t refused = 0;  // corners in a row that were no ear
    std::size_t i = 0;
    while (left > 3) {
      // A polygon that crosses itself may have no ear; then any corner will do.
      if (is_ear[i] == 0 && refused < left) {
        ++refused;
        i = next_[i];
        continue;
      }
      emit({corners_[previous_[i]], corners_[i], corners_[next_[i]]});
      next_[previous_[i]] = next_[i];
      previous_[next_[i]] = previous_[i];
      is_ear[next_[i]] = test_ear(next_[i]);
      i = previous_[i];
      is_ear[i] = test_ear(i);
      refused = 0;
      --left;
    }
    emit({corners_[previous_[i]], corners_[i], corners_[next_[i]]});
  }

 private:
  /// Twice the signed area of three corners as seen along the normal.
  [[nodiscard]] double turn(std::size_t a, std::size_t b, std::size_t c) const {
    return dot(triangle_normal({places_[a], places_[b], places_[c]}), normal_);
  }

  [[nodiscard]] bool test_ear(std::size_t i) const {
    const std::size_t a = previous_[i];
    const std::size_t c = next_[i];
    if (!(turn(a, i, c) > 0)) return false;
    for (std::size_t j = next_[c]; j != a; j = next_[j]) {
      const bool is_same_place =
          places_[j] == places_[a] || places_[j] == places_[i] || places_[j] == places_[c];
      if (!is_same_place && turn(a, i, j) >= 0 && turn(i, c, j) >= 0 && turn(c, a, j) >= 0) return false;
    }
    return true;
  }

  std::span<const VertexId> corners_;
  std::vector<Vec3d> places_;
  Vec3d normal_ = {0, 0, 0};
  std::vector<std::size_t> previous_;
  std::vector<std::size_t> next_;
};

/// Rotates the smallest id to the front.
std::vector<VertexId> from_smallest(std::span<const VertexId> corners) {
  std::vector<VertexId> turned(corners.begin(), corners.end());
  std::rotate(turned.begin(), std::min_element(turned.begin(), turned.end()), turned.end());
  return turned;
}

void cut_quad(std::span<const VertexId> corners, const Points& points,
              const std::function<void(const TriMesh::Cell&)>& emit) {
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

}  // namespace

void cut_solid(std::uint8_t type, std::span<const VertexId> corners,
               const std::function<void(const TetMesh::Cell&)>& emit) {
  std::array<VertexId, 8> v = {};
  std::copy(corners.begin(), corners.end(), v.begin());
  if (type == voxel) {  // VTK numbers a voxel's corners like a lattice, not around
    std::swap(v[2], v[3]);
    std::swap(v[6], v[7]);
  }
  const auto solid = type == voxel ? SolidType::hexahedron : static_cast<SolidType>(type);
  cut_from_smallest(solid, std::span<const VertexId>(v.data(), corners.size()), emit);
}

bool try_cut_polygon(std::uint8_t type, std::span<const VertexId> corners, const Points& points,
                     const std::function<void(const TriMesh::Cell&)>& emit) {
  if (corners.size() < 3) return true;
  if (corners.size() == 3) {
    emit({corners[0], corners[1], corners[2]});
  } else if (type == pixel) {
    cut_quad(std::array{corners[0], corners[1], corners[3], corners[2]}, points, emit);
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

void cut_strip(std::span<const VertexId> corners, const std::function<void(const TriMesh::Cell&)>& emit) {
  for (std::size_t i = 0; i + 2 < corners.size(); ++i) {
    const std::size_t odd = i % 2;
    emit({corners[i], corners[i + 1 + odd], corners[i + 2 - odd]});
  }
}

}  // namespace tessera::detail::io
