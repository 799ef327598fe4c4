#include <tessera/mesh/doctor.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <tessera/exec/detail/host_only.h>
#include <tessera/mesh/detail/doctor_examine.h>

namespace tessera {

using namespace detail;
namespace {

using doctor::Examination;
using doctor::KindInfo;
using doctor::Listing;
using doctor::PassContext;

constexpr KindInfo bad_dimensions{"bad_dimensions", Severity::error, ElementKind::mesh, 0,
                                  "an axis has no points, or there are more than 4294967295 points"};
constexpr KindInfo bad_spacing{"bad_spacing", Severity::error, ElementKind::mesh, 0,
                               "the spacing is not finite, or zero along an axis of several points"};
constexpr KindInfo bad_origin{"bad_origin", Severity::error, ElementKind::mesh, 0,
                              "the origin is not finite"};
constexpr KindInfo bad_direction{"bad_direction", Severity::error, ElementKind::mesh, 0,
                                 "the direction matrix is not finite or flattens space"};

bool has_good_dimensions(const Grid& grid) {
  std::uint64_t points = 1;
  for (const std::uint32_t n : grid.dims) {
    points *= n;
    if (points == 0 || points > std::numeric_limits<std::uint32_t>::max()) return false;
  }
  return true;
}

bool has_good_spacing(const Grid& grid) {
  const double spacing[] = {grid.spacing.x, grid.spacing.y, grid.spacing.z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!std::isfinite(spacing[axis]) || (spacing[axis] == 0.0 && grid.dims[axis] > 1)) return false;
  }
  return true;
}

bool has_good_origin(const Grid& grid) {
  return std::isfinite(grid.origin.x) && std::isfinite(grid.origin.y) && std::isfinite(grid.origin.z);
}

bool has_good_direction(const Grid& grid) {
  const auto& m = grid.direction;
  if (!std::all_of(m.begin(), m.end(), [](double x) { return std::isfinite(x); })) return false;
  return dot(Vec3d{m[0], m[1], m[2]}, cross(Vec3d{m[3], m[4], m[5]}, Vec3d{m[6], m[7], m[8]})) != 0.0;
}

/// Counts of the box of voxels, pixels or segments that a grid with good dimensions is.
void count_lattice(const Grid& grid, DoctorReport& facts) {
  const auto [nx, ny, nz] = std::array<std::uint64_t, 3>{grid.dims[0], grid.dims[1], grid.dims[2]};
  facts.vertices = facts.used_vertices = grid.vertex_count();
  facts.cells = facts.sound_cells = grid.cell_count();
  facts.edges = (nx - 1) * ny * nz + nx * (ny - 1) * nz + nx * ny * (nz - 1);
  facts.faces = (nx - 1) * (ny - 1) * nz + (nx - 1) * ny * (nz - 1) + nx * (ny - 1) * (nz - 1);
  facts.components = 1;
  facts.euler_characteristic = 1;
  for (const std::uint32_t n : grid.dims) {
    if (n > 1) facts.boundary_faces += 2 * (facts.cells / (n - 1));
  }
}

}  // namespace

std::string_view to_string(Severity severity) {
  return severity == Severity::error ? "error" : "information";
}

std::string_view to_string(ElementKind kind) {
  constexpr std::string_view names[] = {"vertex", "edge", "face", "cell", "field", "mesh"};
  return names[static_cast<std::size_t>(kind)];
}

bool DoctorReport::has_errors() const {
  return !findings.empty() && findings.front().severity == Severity::error;
}

const Finding* DoctorReport::find(std::string_view kind) const {
  const auto at =
      std::find_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.kind == kind; });
  return at == findings.end() ? nullptr : &*at;
}

DoctorReport diagnose(const TriMesh& mesh, const DoctorOptions& options) {
  return make_report(doctor::examine<2>(
      PassContext(host_only(options.exec, "diagnose()"), options.monitor, options.max_ids), mesh));
}

DoctorReport diagnose(const TetMesh& mesh, const DoctorOptions& options) {
  return make_report(doctor::examine<3>(
      PassContext(host_only(options.exec, "diagnose()"), options.monitor, options.max_ids), mesh));
}

DoctorReport diagnose(const Grid& grid, const DoctorOptions& options) {
  const PassContext context(host_only(options.exec, "defect_mesh()"), options.monitor, options.max_ids);
  Examination result;
  const auto require = [&](bool is_good, const KindInfo& info) {
    Listing one(1, 0);
    one.add(0);
    if (!is_good) result.add(info, std::move(one));
  };
  require(has_good_dimensions(grid), bad_dimensions);
  require(has_good_spacing(grid), bad_spacing);
  require(has_good_origin(grid), bad_origin);
  require(has_good_direction(grid), bad_direction);
  if (has_good_dimensions(grid)) count_lattice(grid, result.facts);
  examine_fields(context, grid.point_data, ElementKind::vertex, result.facts.vertices, result);
  examine_fields(context, grid.cell_data, ElementKind::cell, result.facts.cells, result);
  return make_report(result);
}

}  // namespace tessera
