#include "render/vtk_data.h"

#include <fmt/format.h>
#include <vtkAOSDataArrayTemplate.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkCellType.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkTypeInt32Array.h>
#include <vtkUnsignedCharArray.h>

#include <algorithm>
#include <limits>

#include <tessera/core/error.h>

namespace tessera::cli {
namespace {

/// VTK reads our memory and never writes or frees it.
template <class T>
vtkSmartPointer<vtkAOSDataArrayTemplate<T>> borrow(const T* values, std::size_t count, int components) {
  const auto array = vtkSmartPointer<vtkAOSDataArrayTemplate<T>>::New();
  array->SetNumberOfComponents(components);
  array->SetArray(const_cast<T*>(values), static_cast<vtkIdType>(count), 1);
  return array;
}

vtkSmartPointer<vtkPoints> borrow_points(const Points& points) {
  const auto result = vtkSmartPointer<vtkPoints>::New();
  points.visit([&](auto values) {
    using T = decltype(values[0].x + 0);
    static_assert(sizeof(values[0]) == 3 * sizeof(T));
    result->SetData(borrow(reinterpret_cast<const T*>(values.data()), 3 * values.size(), 3));
  });
  return result;
}

/// Cells whose ids lie one after another: connectivity in place, offset_of(i) for each cell and the end.
template <class OffsetOf>
vtkSmartPointer<vtkCellArray> borrow_cells(const void* ids, std::size_t cells, const OffsetOf& offset_of) {
  const std::size_t corners = offset_of(cells);
  if (std::max(cells, corners) >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    throw Error(ErrorCode::unsupported,
                fmt::format("{} cells are too many to draw; use --clip or coarsen it", cells));
  }
  const auto offsets = vtkSmartPointer<vtkTypeInt32Array>::New();
  offsets->SetNumberOfValues(static_cast<vtkIdType>(cells + 1));
  for (std::size_t i = 0; i <= cells; ++i) {
    offsets->SetValue(static_cast<vtkIdType>(i), static_cast<std::int32_t>(offset_of(i)));
  }
  const auto connectivity = vtkSmartPointer<vtkTypeInt32Array>::New();
  connectivity->SetArray(static_cast<std::int32_t*>(const_cast<void*>(ids)), static_cast<vtkIdType>(corners),
                         1);
  const auto result = vtkSmartPointer<vtkCellArray>::New();
  result->SetData(offsets, connectivity);
  return result;
}

/// Cells of as many corners as the mesh's have.
template <int Dim>
vtkSmartPointer<vtkCellArray> borrow_cells(const SimplexMesh<Dim>& mesh) {
  return borrow_cells(mesh.cells.data(), mesh.cells.size(),
                      [](std::size_t i) { return i * SimplexMesh<Dim>::corners; });
}

vtkSmartPointer<vtkCellArray> borrow_cells(const PolyCells& cells) {
  return borrow_cells(cells.corners.data(), cells.size(),
                      [&](std::size_t i) { return static_cast<std::size_t>(cells.offsets[i]); });
}

void add_drawn_field(const FieldSet& fields, vtkFieldData& to) {
  const Field* field = fields.find(drawn_field);
  if (field == nullptr) return;
  field->visit([&](auto values) {
    using T = typename decltype(values)::value_type;
    const auto array = borrow<T>(values.data(), values.size(), 1);
    array->SetName(drawn_field);
    to.AddArray(array);
  });
}

void check_triangles(const TriMesh& mesh) {
  for (std::size_t f = 0; f < mesh.cells.size(); ++f) {
    for (const VertexId v : mesh.cells[f]) {
      if (v.index() < mesh.vertex_count()) continue;
      throw Error(ErrorCode::bad_mesh,
                  fmt::format("triangle {} names point {}, but there are {}; 'tessera doctor --fix' "
                              "drops such cells",
                              f, v.index(), mesh.vertex_count()));
    }
  }
}

}  // namespace

vtkSmartPointer<vtkPolyData> make_poly_data(const TriMesh& mesh) {
  check_triangles(mesh);
  const auto data = vtkSmartPointer<vtkPolyData>::New();
  data->SetPoints(borrow_points(mesh.points));
  data->SetPolys(borrow_cells(mesh));
  add_drawn_field(mesh.point_data, *data->GetPointData());
  add_drawn_field(mesh.cell_data, *data->GetCellData());
  return data;
}

vtkSmartPointer<vtkPolyData> make_poly_data(const TriMesh& points, const PolyCells& cells,
                                            const FieldSet& cell_data, PolyKind kind) {
  const auto data = vtkSmartPointer<vtkPolyData>::New();
  data->SetPoints(borrow_points(points.points));
  const auto borrowed = borrow_cells(cells);
  switch (kind) {
    case PolyKind::vertices: data->SetVerts(borrowed); break;
    case PolyKind::lines: data->SetLines(borrowed); break;
    case PolyKind::polygons: data->SetPolys(borrowed); break;
  }
  add_drawn_field(points.point_data, *data->GetPointData());
  add_drawn_field(cell_data, *data->GetCellData());
  return data;
}

vtkSmartPointer<vtkPolyData> make_point_cloud(const Points& points, const FieldSet& point_data) {
  const auto data = vtkSmartPointer<vtkPolyData>::New();
  data->SetPoints(borrow_points(points));
  const auto vertices = vtkSmartPointer<vtkCellArray>::New();
  for (vtkIdType v = 0; v < static_cast<vtkIdType>(points.size()); ++v) vertices->InsertNextCell(1, &v);
  data->SetVerts(vertices);
  add_drawn_field(point_data, *data->GetPointData());
  return data;
}

vtkSmartPointer<vtkUnstructuredGrid> make_unstructured_grid(const TetMesh& mesh) {
  const auto data = vtkSmartPointer<vtkUnstructuredGrid>::New();
  data->SetPoints(borrow_points(mesh.points));
  data->SetCells(VTK_TETRA, borrow_cells(mesh));
  add_drawn_field(mesh.point_data, *data->GetPointData());
  add_drawn_field(mesh.cell_data, *data->GetCellData());
  return data;
}

vtkSmartPointer<vtkUnstructuredGrid> make_unstructured_grid(const TriMesh& points, const CellMesh& solids) {
  const auto data = vtkSmartPointer<vtkUnstructuredGrid>::New();
  data->SetPoints(borrow_points(points.points));
  const auto types = vtkSmartPointer<vtkUnsignedCharArray>::New();  // with VTK's numbers
  for (const CellType type : solids.types) types->InsertNextValue(static_cast<unsigned char>(type));
  data->SetCells(types, borrow_cells(solids.cells));
  add_drawn_field(points.point_data, *data->GetPointData());
  add_drawn_field(solids.cell_data, *data->GetCellData());
  return data;
}

vtkSmartPointer<vtkImageData> make_image_data(const Grid& grid) {
  const auto data = vtkSmartPointer<vtkImageData>::New();
  data->SetDimensions(static_cast<int>(grid.dims[0]), static_cast<int>(grid.dims[1]),
                      static_cast<int>(grid.dims[2]));
  data->SetSpacing(grid.spacing.x, grid.spacing.y, grid.spacing.z);
  data->SetOrigin(grid.origin.x, grid.origin.y, grid.origin.z);
  add_drawn_field(grid.point_data, *data->GetPointData());
  add_drawn_field(grid.cell_data, *data->GetCellData());
  return data;
}

}  // namespace tessera::cli
