#include <tessera/surface/detail/sound_surface.h>

#include <algorithm>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/mesh/detail/doctor_cells.h>

namespace tessera::detail {
namespace {

using doctor::CellState;

/// Coordinates that are read where they are.
Points borrow_points(const Points& points) {
  return points.visit([](auto values) {
    using Point = std::remove_const_t<typename decltype(values)::element_type>;
    return Points(borrow(std::span<Point>(const_cast<Point*>(values.data()), values.size())));
  });
}

TriMesh::Cell sorted_corners(TriMesh::Cell triangle) {
  std::ranges::sort(triangle);
  return triangle;
}

/// Triangles that are there again, each once, and which of the sound ones they are.
class RepeatedTriangles {
 public:
  RepeatedTriangles(const TriMesh& mesh, std::span<const CellState> states) {
    for (std::size_t t = 0; t < states.size(); ++t) {
      if (states[t] == CellState::duplicate) corners_.push_back(sorted_corners(mesh.cells[t]));
    }
    std::ranges::sort(corners_);
    corners_.erase(std::unique(corners_.begin(), corners_.end()), corners_.end());
    firsts_.resize(corners_.size());
  }

  [[nodiscard]] std::size_t size() const { return corners_.size(); }
  /// Where the first of the triangles with these corners is told; null if they are there once.
  [[nodiscard]] FaceId* find(const TriMesh::Cell& triangle) {
    const TriMesh::Cell corners = sorted_corners(triangle);
    const auto found = std::ranges::lower_bound(corners_, corners);
    if (found == corners_.end() || *found != corners) return nullptr;
    return &firsts_[static_cast<std::size_t>(found - corners_.begin())];
  }

 private:
  std::vector<TriMesh::Cell> corners_;
  std::vector<FaceId> firsts_;
};

}  // namespace

std::optional<SoundTriangles> find_sound_triangles(const TriMesh& mesh, const Exec& exec,
                                                   const Monitor* monitor) {
  const doctor::PassContext context(exec, monitor, 0);
  const Array<CellState> states = doctor::sort_out_cells<2>(context, mesh.cells, mesh.vertex_count()).states;
  const auto count = [&](CellState state) {
    return static_cast<std::size_t>(std::ranges::count(states, state));
  };
  const std::size_t sound = count(CellState::sound);
  if (sound == states.size() || count(CellState::out_of_range) > 0) return std::nullopt;
  RepeatedTriangles repeated(mesh, states);
  SoundTriangles result;
  result.repeated = repeated.size();
  result.degenerate = count(CellState::repeated_index);
  result.mesh.points = borrow_points(mesh.points);
  result.mesh.cells.reserve(sound);
  result.to_input.reserve(sound);
  result.from_input.resize(states.size());
  for (std::size_t t = 0; t < states.size(); ++t) {
    result.from_input[t] = FaceId();
    if (states[t] == CellState::repeated_index) continue;
    FaceId* const first = repeated.size() > 0 ? repeated.find(mesh.cells[t]) : nullptr;
    if (states[t] == CellState::duplicate) {
      result.from_input[t] = *first;  // the sound one has the smallest id
      continue;
    }
    result.from_input[t] = FaceId(static_cast<std::uint32_t>(result.to_input.size()));
    if (first != nullptr) *first = result.from_input[t];
    result.to_input.push_back(FaceId(static_cast<std::uint32_t>(t)));
    result.mesh.cells.push_back(mesh.cells[t]);
  }
  return result;
}

Surface SoundSurface::make(const TriMesh& mesh, const SurfaceOptions& options) {
  try {
    return Surface(mesh, options);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_mesh) throw;
    std::optional<SoundTriangles> sound = find_sound_triangles(mesh, options.exec, options.monitor);
    if (!sound) throw;  // something else is wrong
    triangles_ = std::make_unique<const SoundTriangles>(std::move(*sound));
  }
  return Surface(triangles_->mesh, options);
}

}  // namespace tessera::detail
