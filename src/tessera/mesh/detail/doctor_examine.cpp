// The examination of a mesh, stage by stage: points, fields, cells, geometry, links.
#include <tessera/mesh/detail/doctor_examine.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <utility>

#include <tessera/exec/detail/host/parallel.h>
#include <tessera/mesh/detail/doctor_geometry.h>
#include <tessera/mesh/detail/doctor_links.h>

namespace tessera::detail::doctor {
namespace {

constexpr std::int32_t bit(Defect defect) {
  return static_cast<std::int32_t>(defect);
}

// Kinds, in the order of docs/doctor.md.
constexpr KindInfo out_of_range_index{"out_of_range_index", Severity::error, ElementKind::cell, 0,
                                      "cells name vertices that the mesh does not have"};
constexpr KindInfo repeated_index{"repeated_index", Severity::error, ElementKind::cell,
                                  bit(Defect::repeated_index), "cells name a vertex more than once"};
constexpr KindInfo duplicate_cell{"duplicate_cell", Severity::error, ElementKind::cell,
                                  bit(Defect::duplicate_cell),
                                  "cells have the same vertices as an earlier cell"};
constexpr KindInfo non_finite_coordinate{"non_finite_coordinate", Severity::error, ElementKind::vertex, 0,
                                         "points have a coordinate that is NaN or infinite"};
constexpr KindInfo field_length{"field_length", Severity::error, ElementKind::field, 0,
                                "the field does not have one value for each element"};
constexpr KindInfo non_finite_value{"non_finite_value", Severity::information, ElementKind::vertex,
                                    bit(Defect::non_finite_value),
                                    "the field has values that are NaN or infinite"};
constexpr KindInfo degenerate_cell{"degenerate_cell", Severity::information, ElementKind::cell,
                                   bit(Defect::degenerate_cell), "cells have exactly zero area or volume"};
constexpr KindInfo inverted_cell{"inverted_cell", Severity::information, ElementKind::cell,
                                 bit(Defect::inverted_cell), "tetrahedra have negative volume"};
constexpr KindInfo clashing_edges{"inconsistent_orientation", Severity::information, ElementKind::edge,
                                  bit(Defect::inconsistent_orientation),
                                  "both triangles at the edge traverse it in the same direction"};
constexpr KindInfo mixed_signs{"inconsistent_orientation", Severity::information, ElementKind::cell,
                               bit(Defect::inconsistent_orientation),
                               "tetrahedra have the sign of volume that fewer of them have"};
constexpr KindInfo non_orientable{"non_orientable", Severity::information, ElementKind::cell,
                                  bit(Defect::non_orientable),
                                  "sheets of triangles are one-sided; the first triangle of each is listed"};
constexpr KindInfo non_manifold_vertex{"non_manifold_vertex", Severity::information, ElementKind::vertex,
                                       bit(Defect::non_manifold_vertex),
                                       "the cells around the vertex do not form one disk, half disk, ball or "
                                       "half ball"};
constexpr KindInfo non_manifold_edge{"non_manifold_edge", Severity::information, ElementKind::edge,
                                     bit(Defect::non_manifold_edge),
                                     "the cells around the edge do not form one fan"};
constexpr KindInfo non_manifold_face{"non_manifold_face", Severity::information, ElementKind::face,
                                     bit(Defect::non_manifold_face),
                                     "more than two tetrahedra share the face"};
constexpr KindInfo isolated_vertex{"isolated_vertex", Severity::information, ElementKind::vertex,
                                   bit(Defect::isolated_vertex), "no sound cell names the vertex"};
constexpr KindInfo coincident_point{"coincident_point", Severity::information, ElementKind::vertex,
                                    bit(Defect::coincident_point),
                                    "points have exactly the coordinates of an earlier point"};
constexpr KindInfo boundary_edge{"boundary", Severity::information, ElementKind::edge, 0,
                                 "edges belong to one triangle only"};
constexpr KindInfo boundary_face{"boundary", Severity::information, ElementKind::face, 0,
                                 "faces belong to one tetrahedron only"};
constexpr KindInfo several_components{"components", Severity::information, ElementKind::vertex, 0,
                                      "the mesh has several parts that share no vertex; the lowest vertex of "
                                      "each is listed"};

void examine_points(const PassContext& context, const Points& points, Examination& result) {
  points.visit([&](auto p) {
    result.add(non_finite_coordinate, list_elements(context, "checking points", p.size(),
                                                    [&](std::size_t v) { return !is_finite(p[v]); }));
  });
  const Array<std::uint32_t> first = find_first_equals(context, points);
  result.add(coincident_point, list_elements(context, "comparing points", first.size(),
                                             [&](std::size_t v) { return first[v] != v; }));
}

void examine_cells(const PassContext& context, Examination& result) {
  using ByState = std::array<Listing, 3>;
  const Listing none(1, context.max_ids);
  const ByState blank = {none, none, none};
  ByState cells = blank;
  const Array<CellState>& states = result.sorted.states;
  run_pass(
      context, "listing cells", states.size(), blank,
      [&](host::Range range, int, ByState& found) {
        for (std::size_t c = range.begin; c < range.end; ++c) {
          if (states[c] == CellState::sound) continue;
          found[static_cast<std::size_t>(states[c])].add(static_cast<std::uint32_t>(c));
        }
      },
      [&](const ByState& found) {
        for (std::size_t state = 0; state < found.size(); ++state) cells[state].append(found[state]);
      });
  result.facts.sound_cells = states.size();
  for (const Listing& listing : cells) result.facts.sound_cells -= listing.count();
  result.add(out_of_range_index, std::move(cells[static_cast<std::size_t>(CellState::out_of_range)]));
  result.add(repeated_index, std::move(cells[static_cast<std::size_t>(CellState::repeated_index)]));
  result.add(duplicate_cell, std::move(cells[static_cast<std::size_t>(CellState::duplicate)]));
}

/// Cells by the sign of their area or volume.
struct Signs {
  Listing negative, zero, positive;

  explicit Signs(std::size_t limit) : negative(1, limit), zero(1, limit), positive(1, limit) {}
  void append(const Signs& other) {
    negative.append(other.negative);
    zero.append(other.zero);
    positive.append(other.positive);
  }
};

template <int Dim, class T>
Signs list_signs(const PassContext& context, std::span<const Cell<Dim>> cells,
                 std::span<const Vec3<T>> points, const SortedOut& sorted) {
  Signs all(context.max_ids);
  run_pass(
      context, "measuring cells", cells.size(), Signs(context.max_ids),
      [&](host::Range range, int, Signs& found) {
        for (std::size_t c = range.begin; c < range.end; ++c) {
          const auto has_place = [&](VertexId v) { return is_finite(points[v.index()]); };
          if (!sorted.is_sound(c) || !std::all_of(cells[c].begin(), cells[c].end(), has_place)) continue;
          const int sign = cell_sign(cells[c], points);
          (sign == 0  ? found.zero
           : sign < 0 ? found.negative
                      : found.positive)
              .add(static_cast<std::uint32_t>(c));
        }
      },
      [&](const Signs& found) { all.append(found); });
  return all;
}

template <int Dim>
void examine_geometry(const PassContext& context, const SimplexMesh<Dim>& mesh, Examination& result) {
  Signs signs = mesh.points.visit([&](auto points) {
    using T = decltype(points[0].x + points[0].x);
    return list_signs<Dim, T>(context, mesh.cells, points, result.sorted);
  });
  result.add(degenerate_cell, std::move(signs.zero));
  if (Dim == 2 || signs.negative.count() == 0) return;
  result.add(inverted_cell, signs.negative);
  if (signs.positive.count() == 0) return;
  const bool is_mostly_positive = signs.negative.count() <= signs.positive.count();
  result.add(mixed_signs, std::move(is_mostly_positive ? signs.negative : signs.positive));
}

/// Sheets in which following the orientation from triangle to triangle comes back turned over.
Listing list_one_sided(const PassContext& context, const SortedOut& sorted,
                       DisjointSets<std::uint64_t>& sides) {
  return list_elements(context, "following sheets", sorted.states.size(), [&](std::size_t f) {
    return sorted.is_sound(f) && sides.find(2 * f) == 2 * f && sides.find(2 * f + 1) == 2 * f;
  });
}

void examine_components(const PassContext& context, const SortedOut& sorted,
                        DisjointSets<std::uint32_t>& vertex_sets, Examination& result) {
  Listing roots = list_elements(context, "counting components", vertex_sets.size(), [&](std::size_t v) {
    return !sorted.stars[v].empty() && vertex_sets.find(static_cast<std::uint32_t>(v)) == v;
  });
  result.facts.components = roots.count();
  if (roots.count() > 1) result.add(several_components, std::move(roots));
}

template <int Dim>
void examine_connectivity(const PassContext& context, const SimplexMesh<Dim>& mesh, Examination& result) {
  LinkExamination links = examine_links<Dim>(context, mesh.cells, result.sorted);
  LinkSummary& found = links.summary;
  DoctorReport& facts = result.facts;
  facts.used_vertices = facts.vertices - found.isolated.count();
  facts.edges = found.edges;
  facts.faces = Dim == 2 ? facts.sound_cells : found.faces;
  facts.boundary_faces = found.boundary.count();
  facts.closed = facts.sound_cells > 0 && facts.boundary_faces == 0;
  facts.euler_characteristic = static_cast<std::int64_t>(facts.used_vertices + facts.faces) -
                               static_cast<std::int64_t>(facts.edges + (Dim == 3 ? facts.sound_cells : 0));
  if (Dim == 2) {
    Listing one_sided = list_one_sided(context, result.sorted, links.sides);
    facts.orientable = one_sided.count() == 0;
    result.add(clashing_edges, std::move(found.clashing_edges));
    result.add(non_orientable, std::move(one_sided));
  }
  result.add(non_manifold_vertex, std::move(found.bad_vertices));
  result.add(non_manifold_edge, std::move(found.bad_edges));
  result.add(non_manifold_face, std::move(found.bad_faces));
  result.add(isolated_vertex, std::move(found.isolated));
  result.add(Dim == 2 ? boundary_edge : boundary_face, std::move(found.boundary));
  examine_components(context, result.sorted, links.vertex_sets, result);
}

template <class T>
Listing list_non_finite(const PassContext& context, std::span<const T> numbers, std::size_t components) {
  return list_elements(context, "checking fields", numbers.size() / components, [&](std::size_t i) {
    const std::span<const T> tuple = numbers.subspan(i * components, components);
    return !std::all_of(tuple.begin(), tuple.end(), [](T x) { return std::isfinite(x); });
  });
}

}  // namespace

void Examination::add(const KindInfo& info, Listing elements, std::string field) {
  if (elements.count() > 0) sections.push_back({info, std::move(elements), std::move(field)});
}

void examine_fields(const PassContext& context, const FieldSet& fields, ElementKind element,
                    std::size_t expected, Examination& result) {
  KindInfo not_finite = non_finite_value;
  not_finite.element = element;
  for (const Field& field : fields) {
    if (field.size() != expected) {
      Listing one(1, 0);
      one.add(0);
      result.add(field_length, std::move(one), field.name());
    }
    field.visit([&]<class T>(std::span<const T> numbers) {
      if constexpr (std::floating_point<T>) {
        result.add(not_finite, list_non_finite(context, numbers, field.components()), field.name());
      }
    });
  }
}

template <int Dim>
Examination examine(const PassContext& context, const SimplexMesh<Dim>& mesh) {
  Examination result;
  result.facts.vertices = mesh.vertex_count();
  result.facts.cells = mesh.cell_count();
  examine_points(context, mesh.points, result);
  examine_fields(context, mesh.point_data, ElementKind::vertex, mesh.vertex_count(), result);
  examine_fields(context, mesh.cell_data, ElementKind::cell, mesh.cell_count(), result);
  result.sorted = sort_out_cells<Dim>(context, mesh.cells, mesh.vertex_count());
  examine_cells(context, result);
  examine_geometry(context, mesh, result);
  examine_connectivity(context, mesh, result);
  return result;
}

template Examination examine<2>(const PassContext&, const TriMesh&);
template Examination examine<3>(const PassContext&, const TetMesh&);

DoctorReport make_report(const Examination& examination) {
  DoctorReport report = examination.facts;
  for (const Severity severity : {Severity::error, Severity::information}) {
    for (const Section& section : examination.sections) {
      const KindInfo& info = section.info;
      if (info.severity != severity) continue;
      Finding finding{
          std::string(info.kind),        severity, info.element, section.field, section.elements.count(),
          std::string(info.explanation), {}};
      for (std::size_t i = 0; i < section.elements.kept(); ++i) {
        const std::span<const std::uint32_t> element = section.elements[i];
        finding.ids.emplace_back(element.begin(), element.end());
      }
      report.findings.push_back(std::move(finding));
    }
  }
  return report;
}

}  // namespace tessera::detail::doctor
