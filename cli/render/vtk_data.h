// Tessera's meshes as VTK's, over the same memory: the mesh must outlive what is made from it.
#pragma once

#include <vtkImageData.h>
#include <vtkPolyData.h>
#include <vtkSmartPointer.h>
#include <vtkUnstructuredGrid.h>

#include <tessera/mesh/mesh.h>

namespace tessera::cli {

/// The one field that is drawn, of one component, on the points or the cells.
inline constexpr const char* drawn_field = "drawn";

/// Points, triangles and the drawn field. Error(bad_mesh) for an index out of range.
[[nodiscard]] vtkSmartPointer<vtkPolyData> make_poly_data(const TriMesh& mesh);
/// Points and the drawn field, a vertex for each point.
[[nodiscard]] vtkSmartPointer<vtkPolyData> make_point_cloud(const Points& points, const FieldSet& point_data);
/// Points, tetrahedra and the drawn field. Indices must be in range.
[[nodiscard]] vtkSmartPointer<vtkUnstructuredGrid> make_unstructured_grid(const TetMesh& mesh);
/// Axes, spacing and the drawn field, but not the rotation, which many filters of VTK overlook.
[[nodiscard]] vtkSmartPointer<vtkImageData> make_image_data(const Grid& grid);

}  // namespace tessera::cli
