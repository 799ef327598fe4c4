#include "data/extent.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <tessera/mesh/detail/octree.h>

#include "application/text.h"

namespace tessera::cli {
namespace {

bool is_placed(Vec3d p) {
  return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z);
}

/// How many cells have a corner that is_bad().
template <class Mesh, class IsBad>
std::size_t count_cells(const Mesh& mesh, const IsBad& is_bad) {
  return static_cast<std::size_t>(
      std::ranges::count_if(mesh.cells, [&](const auto& cell) { return std::ranges::any_of(cell, is_bad); }));
}

/// The same of a grid, by the numbers of its points.
template <class IsBad>
std::size_t count_cells(const Grid& grid, const IsBad& is_bad) {
  const auto last = [&](std::size_t axis) { return std::max(grid.dims[axis], 2u) - 1; };
  const auto is_bad_at = [&](std::size_t i, std::size_t j, std::size_t k) {
    return is_bad(
        VertexId(static_cast<std::uint32_t>(i + grid.dims[0] * (j + std::size_t{grid.dims[1]} * k))));
  };
  std::size_t count = 0;
  for (std::size_t k = 0; k < last(2); ++k) {
    for (std::size_t j = 0; j < last(1); ++j) {
      for (std::size_t i = 0; i < last(0); ++i) {
        bool is_found = false;
        for (unsigned corner = 0; corner < 8 && !is_found; ++corner) {
          const auto at = [&](std::size_t first, unsigned axis) {
            return std::min<std::size_t>(first + (corner >> axis & 1u), grid.dims[axis] - 1);
          };
          is_found = is_bad_at(at(i, 0), at(j, 1), at(k, 2));
        }
        count += is_found ? 1 : 0;
      }
    }
  }
  return count;
}

}  // namespace

void Extent::add(const Extent& other) {
  unplaced += other.unplaced;
  if (other.placed == 0) return;
  const Box& b = other.box;
  if (placed == 0) box = b;
  placed += other.placed;
  box.low = {std::min(box.low.x, b.low.x), std::min(box.low.y, b.low.y), std::min(box.low.z, b.low.z)};
  box.high = {std::max(box.high.x, b.high.x), std::max(box.high.y, b.high.y), std::max(box.high.z, b.high.z)};
}

Extent extent_of(const Points& points) {
  Extent extent;
  points.visit([&](auto all) {
    extent.placed = static_cast<std::size_t>(
        std::ranges::count_if(all, [](const auto& p) { return is_placed(vec_cast<double>(p)); }));
  });
  extent.unplaced = points.size() - extent.placed;
  if (extent.placed == 0) return extent;
  const detail::Box box = detail::bounding_box(points);
  extent.box = {box.low, box.high};
  return extent;
}

Extent extent_of(const Grid& grid) {
  if (grid.vertex_count() == 0) return {};
  Array<Vec3d> corners;
  for (unsigned corner = 0; corner < 8; ++corner) {
    const auto at = [&](unsigned axis) { return (corner >> axis & 1u) != 0 ? grid.dims[axis] - 1 : 0u; };
    corners.push_back(grid.point(at(0), at(1), at(2)));
  }
  return extent_of(Points(std::move(corners)));
}

Extent extent_of(const AnyMesh& mesh) {
  return std::visit(
      [](const auto& m) {
        if constexpr (requires { m.points; }) {
          return extent_of(m.points);
        } else {
          return extent_of(m);
        }
      },
      mesh);
}

std::string describe_unplaced(const Extent& extent) {
  return fmt::format("{} whose coordinates are not finite", counted(extent.unplaced, "point", "points"));
}

void note_unplaced_cells(Session& session, const AnyMesh& mesh) {
  const std::size_t count = std::visit(
      [](const auto& m) -> std::size_t {
        if constexpr (requires { m.points; }) {
          return count_cells(
              m, [&](VertexId v) { return v.index() < m.points.size() && !is_placed(m.points[v]); });
        } else {
          return 0;
        }
      },
      mesh);
  if (count > 0)
    session.note(fmt::format("left out {} with a corner that has no place, being NaN or infinite",
                             counted(count, "cell", "cells")));
}

namespace {

void note_without_value(Session& session, std::uint64_t count, const std::string& field, const char* value) {
  if (count == 0) return;
  session.note(fmt::format("left out {} with a corner at which '{}' is {}", counted(count, "cell", "cells"),
                           field, value));
}

}  // namespace

void note_valueless_cells(Session& session, std::uint64_t count, const std::string& field) {
  note_without_value(session, count, field, "NaN");
}

void note_valueless_cells(Session& session, const AnyMesh& mesh, const Field& field) {
  const bool is_surface = std::holds_alternative<TriMesh>(mesh);
  field.visit([&](auto values) {
    const auto is_valueless = [&](auto value) {
      return is_surface ? !std::isfinite(static_cast<double>(value)) : value != value;
    };
    if (std::ranges::none_of(values, is_valueless)) return;
    const auto is_bad = [&](VertexId v) {
      return v.index() < values.size() && is_valueless(values[v.index()]);
    };
    const std::size_t count = std::visit([&](const auto& m) { return count_cells(m, is_bad); }, mesh);
    note_without_value(session, count, field.name(), is_surface ? "NaN or infinite" : "NaN");
  });
}

}  // namespace tessera::cli
