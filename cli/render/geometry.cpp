#include "render/geometry.h"

#include <vtkCellArray.h>
#include <vtkClipPolyData.h>
#include <vtkCutter.h>
#include <vtkGeometryFilter.h>
#include <vtkPlane.h>
#include <vtkPoints.h>

#include <algorithm>
#include <array>

#include <tessera/mesh/boundary.h>

#include "render/cell_parts.h"
#include "render/vtk_data.h"

namespace tessera::cli {
namespace {

double coordinate(Vec3d p, int axis) {
  return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

Vec3d unit_vector(int axis) {
  return {axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0};
}

vtkSmartPointer<vtkPlane> make_plane(Vec3d origin, Vec3d normal) {
  const auto plane = vtkSmartPointer<vtkPlane>::New();
  plane->SetOrigin(origin.x, origin.y, origin.z);
  plane->SetNormal(normal.x, normal.y, normal.z);
  return plane;
}

vtkSmartPointer<vtkPlane> make_plane(const ClipPlane& clip) {
  return make_plane(clip.position * unit_vector(clip.axis), unit_vector(clip.axis));
}

vtkSmartPointer<vtkPolyData> clip_surface(vtkPolyData* surface, vtkPlane* plane, bool keeps_below) {
  const auto clipper = vtkSmartPointer<vtkClipPolyData>::New();
  clipper->SetInputData(surface);
  clipper->SetClipFunction(plane);
  clipper->SetInsideOut(keeps_below);
  clipper->Update();
  return clipper->GetOutput();
}

vtkSmartPointer<vtkPolyData> cut(vtkDataSet* data, vtkPlane* plane) {
  const auto cutter = vtkSmartPointer<vtkCutter>::New();
  cutter->SetInputData(data);
  cutter->SetCutFunction(plane);
  cutter->SetGenerateTriangles(false);  // whole sections of the cells
  cutter->Update();
  return cutter->GetOutput();
}

/// The box around a grid as twelve lines.
vtkSmartPointer<vtkPolyData> make_outline(const Grid& grid) {
  const auto points = vtkSmartPointer<vtkPoints>::New();
  const auto lines = vtkSmartPointer<vtkCellArray>::New();
  for (unsigned corner = 0; corner < 8; ++corner) {
    const auto at = [&](unsigned axis) { return (corner >> axis & 1u) != 0 ? grid.dims[axis] - 1 : 0u; };
    const Vec3d p = grid.point(at(0), at(1), at(2));
    points->InsertNextPoint(p.x, p.y, p.z);
    for (unsigned axis = 0; axis < 3; ++axis) {
      const unsigned other = corner | 1u << axis;
      const std::array<vtkIdType, 2> ends = {corner, other};
      if (other != corner) lines->InsertNextCell(2, ends.data());
    }
  }
  const auto outline = vtkSmartPointer<vtkPolyData>::New();
  outline->SetPoints(points);
  outline->SetLines(lines);
  return outline;
}

/// Which tetrahedra lie on the side that is kept, by their centres.
Array<std::uint8_t> choose_kept(const TetMesh& mesh, const ClipPlane& clip) {
  Array<std::uint8_t> chosen(mesh.cells.size());
  for (std::size_t t = 0; t < chosen.size(); ++t) {
    double sum = 0;
    for (const VertexId v : mesh.cells[t]) sum += coordinate(mesh.points[v], clip.axis);
    chosen[t] = (sum / TetMesh::corners <= clip.position) == clip.keeps_below ? 1 : 0;
  }
  return chosen;
}

/// The tetrahedra that the plane passes through: cutting these alone is far less work than clipping all of
/// them.
TetMesh take_crossed(const TetMesh& mesh, const ClipPlane& clip) {
  TetMesh crossed;
  Array<std::uint32_t> taken;
  for (std::size_t t = 0; t < mesh.cells.size(); ++t) {
    const auto is_above = [&](VertexId v) { return coordinate(mesh.points[v], clip.axis) >= clip.position; };
    const auto above = std::ranges::count_if(mesh.cells[t], is_above);
    if (above == 0 || above == TetMesh::corners) continue;
    crossed.cells.push_back(mesh.cells[t]);
    taken.push_back(static_cast<std::uint32_t>(t));
  }
  crossed.points = mesh.points;
  crossed.point_data = mesh.point_data;
  crossed.cell_data = mesh.cell_data.gather(taken);
  return crossed;
}

template <class Mesh>
const Mesh& keep(Geometry& geometry, Mesh mesh) {
  auto owner = std::make_shared<const Mesh>(std::move(mesh));
  const Mesh& kept = *owner;
  geometry.owners.push_back(std::move(owner));
  return kept;
}

void add(Geometry& geometry, vtkSmartPointer<vtkPolyData> data, Role role) {
  if (data->GetNumberOfCells() > 0) geometry.pieces.push_back({std::move(data), role});
}

void add_mesh(Geometry& geometry, const TetMesh& mesh, const std::optional<ClipPlane>& clip) {
  const bool is_crinkled = clip && clip->is_crinkled;
  const Array<std::uint8_t> chosen = is_crinkled ? choose_kept(mesh, *clip) : Array<std::uint8_t>{};
  const TriMesh& boundary = keep(geometry, compute_boundary(mesh, chosen));
  const auto surface = make_poly_data(boundary);
  if (!clip || is_crinkled) {
    add(geometry, surface, Role::closed_surface);
    return;
  }
  const auto plane = make_plane(*clip);
  add(geometry, clip_surface(surface, plane, clip->keeps_below), Role::closed_surface);
  add(geometry, cut(make_unstructured_grid(keep(geometry, take_crossed(mesh, *clip))), plane), Role::cut);
}

void add_mesh(Geometry& geometry, const TriMesh& mesh, const std::optional<ClipPlane>& clip) {
  const auto surface = make_poly_data(mesh);
  add(geometry, clip ? clip_surface(surface, make_plane(*clip), clip->keeps_below) : surface,
      Role::open_surface);
}

/// A vector of the world in the axes of the grid, or back.
Vec3d rotate(const Grid& grid, Vec3d v, bool into_grid) {
  const auto entry = [&](int row, int column) {
    return grid.direction[into_grid ? 3 * column + row : 3 * row + column];
  };
  const auto part = [&](int row) { return entry(row, 0) * v.x + entry(row, 1) * v.y + entry(row, 2) * v.z; };
  return {part(0), part(1), part(2)};
}

/// Pieces are made in the axes of the grid and turned into the world at the end.
vtkSmartPointer<vtkPolyData> turn_into_world(const Grid& grid, vtkSmartPointer<vtkPolyData> data) {
  if (grid.direction == Grid{}.direction || data->GetNumberOfPoints() == 0) return data;
  const auto turned = vtkSmartPointer<vtkPoints>::New();
  turned->SetNumberOfPoints(data->GetNumberOfPoints());
  for (vtkIdType i = 0; i < data->GetNumberOfPoints(); ++i) {
    std::array<double, 3> p{};
    data->GetPoint(i, p.data());
    const Vec3d place = grid.origin + rotate(grid, Vec3d{p[0], p[1], p[2]} - grid.origin, false);
    turned->SetPoint(i, place.x, place.y, place.z);
  }
  const auto result = vtkSmartPointer<vtkPolyData>::New();
  result->ShallowCopy(data);
  result->SetPoints(turned);
  return result;
}

Vec3d middle_of(const Grid& grid) {
  return {grid.origin.x + 0.5 * grid.spacing.x * (grid.dims[0] - 1),
          grid.origin.y + 0.5 * grid.spacing.y * (grid.dims[1] - 1),
          grid.origin.z + 0.5 * grid.spacing.z * (grid.dims[2] - 1)};
}

void add_grid(Geometry& geometry, const Grid& grid, bool as_slices, const std::optional<ClipPlane>& clip) {
  const auto image = make_image_data(grid);
  const auto add_turned = [&](const vtkSmartPointer<vtkPolyData>& data, Role role) {
    add(geometry, turn_into_world(grid, data), role);
  };
  add(geometry, make_outline(grid), Role::outline);
  if (as_slices) {
    for (int axis = 0; axis < 3; ++axis)
      add_turned(cut(image, make_plane(middle_of(grid), unit_vector(axis))), Role::cut);
    return;
  }
  const auto filter = vtkSmartPointer<vtkGeometryFilter>::New();
  filter->SetInputData(image);
  filter->Update();
  if (!clip) {
    add_turned(filter->GetOutput(), Role::cut);
    return;
  }
  const Vec3d place = clip->position * unit_vector(clip->axis);
  const auto plane = make_plane(grid.origin + rotate(grid, place - grid.origin, true),
                                rotate(grid, unit_vector(clip->axis), true));
  add_turned(clip_surface(filter->GetOutput(), plane, clip->keeps_below), Role::cut);
  add_turned(cut(image, plane), Role::cut);
}

bool is_flat(const Grid& grid) {
  return std::ranges::any_of(grid.dims, [](std::uint32_t n) { return n < 2; });
}

void add_points(Geometry& geometry, const Points& points, const FieldSet& fields,
                const std::optional<ClipPlane>& clip) {
  const auto cloud = make_point_cloud(points, fields);
  add(geometry, clip ? clip_surface(cloud, make_plane(*clip), clip->keeps_below) : cloud, Role::points);
}

/// A part on the points of a mesh, with what it takes of its cell data.
void add_part(Geometry& geometry, const TriMesh& points, CellPart part, PolyKind kind,
              const std::optional<ClipPlane>& clip) {
  if (part.cells.empty()) return;
  CellMesh owned;
  owned.cell_data = points.cell_data.gather(part.origins);
  owned.cells = std::move(part.cells);
  const CellMesh& kept = keep(geometry, std::move(owned));
  const auto data = make_poly_data(points, kept.cells, kept.cell_data, kind);
  const Role role = kind == PolyKind::vertices ? Role::points
                    : kind == PolyKind::lines  ? Role::lines
                                               : Role::open_surface;
  add(geometry, clip ? clip_surface(data, make_plane(*clip), clip->keeps_below) : data, role);
}

/// Which solids lie on the side that is kept, by the mean of their corners.
Array<std::uint8_t> choose_kept(const TriMesh& points, const CellMesh& cells, const ClipPlane& clip) {
  Array<std::uint8_t> chosen(cells.cell_count());
  for (std::size_t c = 0; c < chosen.size(); ++c) {
    double sum = 0;
    for (const VertexId v : cells.cells[c]) sum += coordinate(points.points[v], clip.axis);
    const bool is_below = sum <= clip.position * static_cast<double>(cells.cells[c].size());
    chosen[c] = is_below == clip.keeps_below ? 1 : 0;
  }
  return chosen;
}

/// The solids that the plane passes through, with their data.
CellMesh take_crossed(const TriMesh& points, const CellMesh& cells, const ClipPlane& clip) {
  CellMesh crossed;
  Array<std::uint32_t> taken;
  for (std::size_t c = 0; c < cells.cell_count(); ++c) {
    const auto is_above = [&](VertexId v) {
      return coordinate(points.points[v], clip.axis) >= clip.position;
    };
    const auto above = static_cast<std::size_t>(std::ranges::count_if(cells.cells[c], is_above));
    if (dimension_of(cells.types[c]) < 3 || above == 0 || above == cells.cells[c].size()) continue;
    crossed.types.push_back(cells.types[c]);
    crossed.cells.add(cells.cells[c]);
    taken.push_back(static_cast<std::uint32_t>(c));
  }
  crossed.cell_data = points.cell_data.gather(taken);
  return crossed;
}

void add_solids(Geometry& geometry, const TriMesh& points, const CellMesh& cells,
                const std::optional<ClipPlane>& clip) {
  if (clip && clip->is_crinkled) {
    const Array<std::uint8_t> chosen = choose_kept(points, cells, *clip);
    add_part(geometry, points, take_boundary(cells, chosen), PolyKind::polygons, std::nullopt);
    return;
  }
  add_part(geometry, points, take_boundary(cells), PolyKind::polygons, clip);
  if (!clip) return;
  const CellMesh& crossed = keep(geometry, take_crossed(points, cells, *clip));
  add(geometry, cut(make_unstructured_grid(points, crossed), make_plane(*clip)), Role::cut);
}

}  // namespace

void add_box(Geometry& geometry, Vec3d low, Vec3d high) {
  Grid box;
  box.dims = {2, 2, 2};
  box.origin = low;
  box.spacing = high - low;
  add(geometry, make_outline(box), Role::outline);
}

Geometry make_geometry(const AnyMesh& mesh, Style style, const std::optional<ClipPlane>& clip) {
  Geometry geometry;
  if (const Grid* grid = std::get_if<Grid>(&mesh)) {
    const bool wants_slices = style == Style::slices || (style == Style::automatic && !clip);
    add_grid(geometry, *grid, wants_slices && !is_flat(*grid), clip);
  } else {
    std::visit(
        [&](const auto& m) {
          if constexpr (requires { m.points; }) {
            if (style == Style::points || m.cells.empty()) {  // without cells there are still the points
              add_points(geometry, m.points, m.point_data, clip);
            } else {
              add_mesh(geometry, m, clip);
            }
          }
        },
        mesh);
  }
  return geometry;
}

Geometry make_geometry(const TriMesh& points, const CellMesh& cells, Style style,
                       const std::optional<ClipPlane>& clip) {
  Geometry geometry;
  if (style == Style::points) {
    add_points(geometry, points.points, points.point_data, clip);
  } else if (cells.dimension() == 3) {
    add_solids(geometry, points, cells, clip);
  } else {
    std::array<CellPart, 3> parts = split_cells(cells);
    add_part(geometry, points, std::move(parts[0]), PolyKind::vertices, clip);
    add_part(geometry, points, std::move(parts[1]), PolyKind::lines, clip);
    add_part(geometry, points, std::move(parts[2]), PolyKind::polygons, clip);
  }
  return geometry;
}

}  // namespace tessera::cli
