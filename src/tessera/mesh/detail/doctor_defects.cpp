// defect_mesh(): the part of a mesh that has defects, to look at.
#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>

#include <tessera/exec/primitives.h>
#include <tessera/mesh/detail/doctor_examine.h>
#include <tessera/mesh/detail/doctor_geometry.h>
#include <tessera/mesh/doctor.h>

namespace tessera {

using namespace detail;
namespace {

using doctor::Examination;
using doctor::Listing;
using doctor::PassContext;

/// The Defect bits of every point and cell of the input.
struct Marks {
  Array<std::int32_t> points;
  Array<std::int32_t> cells;
};

/// Whether the listing, which ascends, keeps the element.
bool has_element(const Listing& listing, std::span<const std::uint32_t> element) {
  std::size_t low = 0;
  for (std::size_t high = listing.kept(); low < high;) {
    const std::size_t middle = low + (high - low) / 2;
    const bool is_before = std::lexicographical_compare(listing[middle].begin(), listing[middle].end(),
                                                        element.begin(), element.end());
    (is_before ? low : high) = is_before ? middle + 1 : middle;
  }
  return low < listing.kept() && std::equal(element.begin(), element.end(), listing[low].begin());
}

/// Whether a corner, edge or face of the cell, whichever the listing is of, is kept in it.
template <std::size_t Corners>
bool has_listed_part(const std::array<VertexId, Corners>& cell, const Listing& listing) {
  std::array<std::uint32_t, Corners> corners;
  std::transform(cell.begin(), cell.end(), corners.begin(), [](VertexId v) { return v.index(); });
  std::sort(corners.begin(), corners.end());
  for (unsigned subset = 1; subset < 1u << Corners; ++subset) {
    if (static_cast<std::size_t>(std::popcount(subset)) != listing.arity()) continue;
    std::array<std::uint32_t, Corners> part;
    std::size_t size = 0;
    for (std::size_t i = 0; i < Corners; ++i) {
      if ((subset >> i & 1u) != 0) part[size++] = corners[i];
    }
    if (has_element(listing, {part.data(), size})) return true;
  }
  return false;
}

void mark(std::uint32_t id, std::int32_t defect, Array<std::int32_t>& marks) {
  if (id < marks.size()) marks[id] |= defect;  // a field may be longer than the mesh
}

template <int Dim>
Marks mark_defects(const PassContext& context, const SimplexMesh<Dim>& mesh, const Examination& examination) {
  Marks marks{Array<std::int32_t>(mesh.vertex_count(), 0), Array<std::int32_t>(mesh.cell_count(), 0)};
  for (const auto& [info, elements, field] : examination.sections) {
    if (info.defect == 0) continue;
    const bool is_of_cells = info.element == ElementKind::cell;
    for (std::size_t i = 0; i < elements.kept(); ++i) {
      for (const std::uint32_t id : elements[i])
        mark(id, info.defect, is_of_cells ? marks.cells : marks.points);
    }
    if (is_of_cells) continue;
    for_each_element(context, "marking cells", mesh.cell_count(),
                     [&, &info = info, &list = elements](std::size_t c) {
                       if (has_listed_part(mesh.cells[c], list)) marks.cells[c] |= info.defect;
                     });
  }
  return marks;
}

/// Ids of the elements to show, ascending.
Array<std::uint32_t> list_flagged(const PassContext& context, const Array<std::uint8_t>& flags) {
  Array<std::uint32_t> ids(flags.size());
  ids.resize(compact_indices(context.exec, flags, ids));
  return ids;
}

struct Shown {
  Array<std::uint32_t> points;
  Array<std::uint32_t> cells;
};

/// Cells with a mark that can be drawn, and the points that they or a mark of their own need.
template <int Dim>
Shown choose_shown(const PassContext& context, const SimplexMesh<Dim>& mesh, const Marks& marks) {
  Array<std::uint8_t> has_place(mesh.vertex_count());
  mesh.points.visit([&](auto p) {
    for (std::size_t v = 0; v < p.size(); ++v) has_place[v] = doctor::is_finite(p[v]) ? 1 : 0;
  });
  Array<std::uint8_t> shown_points(mesh.vertex_count());
  for (std::size_t v = 0; v < shown_points.size(); ++v) {
    shown_points[v] = has_place[v] != 0 && marks.points[v] != 0 ? 1 : 0;
  }
  Array<std::uint8_t> shown_cells(mesh.cell_count(), 0);
  for (std::size_t c = 0; c < shown_cells.size(); ++c) {
    if (marks.cells[c] == 0 || !doctor::is_in_range(mesh.cells[c], mesh.vertex_count())) continue;
    const auto& cell = mesh.cells[c];
    if (!std::all_of(cell.begin(), cell.end(), [&](VertexId v) { return has_place[v.index()] != 0; }))
      continue;
    shown_cells[c] = 1;
    for (const VertexId v : cell) shown_points[v.index()] = 1;
  }
  return {list_flagged(context, shown_points), list_flagged(context, shown_cells)};
}

/// The fields of the shown elements, with the two of our own.
FieldSet gather_fields(const FieldSet& fields, std::size_t expected, std::span<const std::uint32_t> shown,
                       std::span<const std::int32_t> marks) {
  FieldSet result;
  for (const Field& field : fields) {
    if (field.size() == expected) result.add(field.gather(shown));
  }
  Array<std::int32_t> kinds(shown.size());
  std::transform(shown.begin(), shown.end(), kinds.begin(), [&](std::uint32_t i) { return marks[i]; });
  result.add(Field("DefectKind", std::move(kinds)));
  result.add(Field("InputId", Array<std::uint32_t>(shown.begin(), shown.end())));
  return result;
}

template <int Dim>
SimplexMesh<Dim> make_defect_mesh(const SimplexMesh<Dim>& mesh, const DoctorOptions& options) {
  const PassContext context(options.exec, options.monitor, Listing::unlimited);
  const Examination examination = doctor::examine<Dim>(context, mesh);
  const Marks marks = mark_defects(context, mesh, examination);
  const Shown shown = choose_shown(context, mesh, marks);

  Array<std::uint32_t> new_ids(mesh.vertex_count());
  for (std::size_t i = 0; i < shown.points.size(); ++i)
    new_ids[shown.points[i]] = static_cast<std::uint32_t>(i);
  SimplexMesh<Dim> result;
  result.points = mesh.points.gather(shown.points);
  result.cells.reserve(shown.cells.size());
  for (const std::uint32_t c : shown.cells) {
    auto cell = mesh.cells[c];
    for (VertexId& v : cell) v = VertexId(new_ids[v.index()]);
    result.cells.push_back(cell);
  }
  result.point_data = gather_fields(mesh.point_data, mesh.vertex_count(), shown.points, marks.points);
  result.cell_data = gather_fields(mesh.cell_data, mesh.cell_count(), shown.cells, marks.cells);
  return result;
}

}  // namespace

TriMesh defect_mesh(const TriMesh& mesh, const DoctorOptions& options) {
  return make_defect_mesh(mesh, options);
}

TetMesh defect_mesh(const TetMesh& mesh, const DoctorOptions& options) {
  return make_defect_mesh(mesh, options);
}

}  // namespace tessera
