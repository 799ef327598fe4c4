// The doctor's look at cells that were cut into simplices.
#include <algorithm>
#include <iterator>

#include <tessera/mesh/detail/doctor_geometry.h>
#include <tessera/mesh/doctor.h>

namespace tessera {

using namespace detail;
namespace {

/// Cells by what their parts are: all of zero size, or some of them.
struct FlatCells {
  Array<std::uint32_t> whole, partly;
};

template <class Mesh>
FlatCells find_flat(const Mesh& mesh, const Array<std::uint32_t>& cells) {
  FlatCells flat;
  mesh.points.visit([&](auto points) {
    const auto is_flat = [&](const typename Mesh::Cell& part) {
      const auto is_placed = [&](VertexId v) {
        return v.index() < points.size() && doctor::is_finite(points[v.index()]);
      };
      return std::ranges::all_of(part, is_placed) && doctor::cell_sign(part, points) == 0;
    };
    for (std::size_t i = 0; i < cells.size();) {
      const std::uint32_t cell = cells[i];
      std::size_t parts = 0;
      std::size_t flat_parts = 0;
      for (; i < cells.size() && cells[i] == cell; ++i, ++parts) flat_parts += is_flat(mesh.cells[i]) ? 1 : 0;
      if (flat_parts > 0) (flat_parts == parts ? flat.whole : flat.partly).push_back(cell);
    }
  });
  return flat;
}

void add(std::vector<Finding>& findings, std::string kind, std::string explanation,
         const Array<std::uint32_t>& cells, const DoctorOptions& options) {
  if (cells.empty()) return;
  Finding finding{std::move(kind),
                  Severity::information,
                  ElementKind::cell,
                  {},
                  cells.size(),
                  std::move(explanation),
                  {}};
  for (std::size_t i = 0; i < std::min(cells.size(), options.max_ids); ++i) finding.ids.push_back({cells[i]});
  findings.push_back(std::move(finding));
}

}  // namespace

std::vector<Finding> diagnose_cut(const SimplexCut& cut, const DoctorOptions& options) {
  const FlatCells flat = std::visit(
      [&](const auto& mesh) -> FlatCells {
        if constexpr (requires { mesh.cells; }) {
          return find_flat(mesh, cut.cells);
        } else {
          return {};
        }
      },
      cut.mesh);
  Array<std::uint32_t> degenerate;
  std::ranges::merge(flat.whole, cut.vanished, std::back_inserter(degenerate));
  std::vector<Finding> findings;
  add(findings, "repeated_corner", "cells that are no simplices name a point more than once", cut.repeated,
      options);
  add(findings, "degenerate_cell", "cells have zero area or volume", degenerate, options);
  add(findings, "flat_part", "a part of the cell that it is cut into has zero area or volume", flat.partly,
      options);
  return findings;
}

}  // namespace tessera
