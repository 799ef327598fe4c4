// The cheap check at the door of readers and algorithms.
#include <atomic>
#include <cstddef>
#include <limits>
#include <sstream>
#include <string>

#include <tessera/core/error.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/exec.h>
#include <tessera/mesh/detail/doctor_cells.h>
#include <tessera/mesh/detail/doctor_geometry.h>
#include <tessera/mesh/doctor.h>

namespace tessera {

using namespace detail;
namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

/// The smallest i in [0, n) for which is_bad(i) holds, or `none`.
template <class Predicate>
std::size_t find_first(const Exec& exec, std::size_t n, Predicate&& is_bad) {
  std::atomic<std::size_t> first{none};
  host::for_each_share(exec.threads(), n, [&](host::Range range) {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if (!is_bad(i)) continue;
      std::size_t known = first.load();
      while (i < known && !first.compare_exchange_weak(known, i)) {
      }
      return;
    }
  });
  return first;
}

[[noreturn]] void refuse(std::string_view name, const std::string& reason) {
  throw Error(ErrorCode::bad_mesh, std::string(name) + ": " + reason);
}

template <int Dim>
void check_cells(const SimplexMesh<Dim>& mesh, std::string_view name, const Exec& exec) {
  const std::size_t n = mesh.vertex_count();
  const std::size_t c = find_first(exec, mesh.cell_count(), [&](std::size_t i) {
    return !doctor::is_in_range(mesh.cells[i], n) || doctor::find_repeated(mesh.cells[i]).is_valid();
  });
  if (c == none) return;
  const std::string cell = (Dim == 2 ? "triangle " : "tetrahedron ") + std::to_string(c);
  for (const VertexId v : mesh.cells[c]) {
    if (v.index() < n) continue;
    refuse(name, cell + " names vertex " + std::to_string(v.index()) + ", but there are only " +
                     std::to_string(n) + " vertices");
  }
  refuse(name, cell + " names vertex " + std::to_string(doctor::find_repeated(mesh.cells[c]).index()) +
                   " more than once");
}

void check_points(const Points& points, std::string_view name, const Exec& exec) {
  const std::size_t v = points.visit([&](auto p) {
    return find_first(exec, p.size(), [&](std::size_t i) { return !doctor::is_finite(p[i]); });
  });
  if (v == none) return;
  const Vec3d p = points[VertexId(static_cast<std::uint32_t>(v))];
  std::ostringstream place;
  place << "vertex " << v << " lies at (" << p.x << ", " << p.y << ", " << p.z << "), which is no place";
  refuse(name, place.str());
}

void check_lengths(const FieldSet& fields, std::string_view element, std::size_t expected,
                   std::string_view name) {
  for (const Field& field : fields) {
    if (field.size() == expected) continue;
    refuse(name, std::string(element) + " field '" + field.name() + "' has " + std::to_string(field.size()) +
                     " values, but there are " + std::to_string(expected) + " " + std::string(element) + "s");
  }
}

/// Ids are 4 bytes, and the last one stands for none.
void check_count(std::size_t count, std::string_view elements, std::string_view name) {
  if (count < 0xFFFFFFFFu) return;
  refuse(name,
         "it has " + std::to_string(count) + " " + std::string(elements) + ", more than 4-byte ids can name");
}

template <int Dim>
void check(const SimplexMesh<Dim>& mesh, std::string_view name, const Exec& exec, bool with_cells) {
  check_count(mesh.vertex_count(), "vertices", name);
  check_count(mesh.cell_count(), "cells", name);
  if (with_cells) check_cells(mesh, name, exec);
  check_points(mesh.points, name, exec);
  check_lengths(mesh.point_data, "point", mesh.vertex_count(), name);
  check_lengths(mesh.cell_data, "cell", mesh.cell_count(), name);
}

}  // namespace

void check_mesh(const TriMesh& mesh, std::string_view name, const Exec& exec) {
  check(mesh, name, exec, true);
}

void check_mesh(const TetMesh& mesh, std::string_view name, const Exec& exec) {
  check(mesh, name, exec, true);
}

void check_points_and_fields(const TriMesh& mesh, std::string_view name, const Exec& exec) {
  check(mesh, name, exec, false);
}

void check_points_and_fields(const TetMesh& mesh, std::string_view name, const Exec& exec) {
  check(mesh, name, exec, false);
}

}  // namespace tessera
