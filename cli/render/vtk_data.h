// Tessera's meshes as VTK's, over the same memory: the mesh must outlive what is made from it.
#pragma once

#include <vtkImageData.h>
#include <vtkPolyData.h>
#include <vtkSmartPointer.h>
#include <vtkUnstructuredGrid.h>

#include <cstddef>
#include <cstdint>

#include <tessera/mesh/cell_mesh.h>
#include <tessera/mesh/mesh.h>
#include <tessera/mesh/poly_data.h>

namespace tessera::cli {

/// The one field that is drawn, of one component, on the points or the cells.
inline constexpr const char* drawn_field = "drawn";

/// Points, triangles and the drawn field. Error(bad_mesh) for an index out of range.
[[nodiscard]] vtkSmartPointer<vtkPolyData> make_poly_data(const TriMesh& mesh);
/// Vertices, lines or polygons on the points of a mesh, whose own cells do not count, and the drawn field.
/// Indices must be in range.
enum class PolyKind : std::uint8_t { vertices, lines, polygons };
[[nodiscard]] vtkSmartPointer<vtkPolyData> make_poly_data(const TriMesh& points, const PolyCells& cells,
                                                          const FieldSet& cell_data, PolyKind kind);
/// Points and the drawn field, a vertex for each point.
[[nodiscard]] vtkSmartPointer<vtkPolyData> make_point_cloud(const Points& points, const FieldSet& point_data);
/// Points, tetrahedra and the drawn field. Indices must be in range.
[[nodiscard]] vtkSmartPointer<vtkUnstructuredGrid> make_unstructured_grid(const TetMesh& mesh);
/// The same for solids of any type on the points of a mesh, whose own cells do not count.
[[nodiscard]] vtkSmartPointer<vtkUnstructuredGrid> make_unstructured_grid(const TriMesh& points,
                                                                          const CellMesh& solids);
/// Axes, spacing and the drawn field, but not the rotation, which many filters of VTK overlook.
[[nodiscard]] vtkSmartPointer<vtkImageData> make_image_data(const Grid& grid);

}  // namespace tessera::cli
