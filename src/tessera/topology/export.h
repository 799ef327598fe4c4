// Results of topology as poly data with TTK's array names. docs/topology.md lists the arrays.
//
// Vertices lie at themselves, other cells at their barycentres. The `CellId` of a vertex or a top cell is its
// id. That of an edge, or of a triangle of tetrahedra, is its place among all of them in the lexicographic
// order of their ascending vertices.
#pragma once

#include <memory>

#include <tessera/core/memory.h>
#include <tessera/mesh/poly_data.h>
#include <tessera/topology/critical_points.h>
#include <tessera/topology/morse_smale.h>
#include <tessera/topology/simplification.h>

namespace tessera {

namespace detail {
template <int Dim>
struct ExportState;  // topology/detail/export.cpp
}

/// A vertex for each critical point. Error(unsupported) if the field does not have one component per vertex,
/// Error(bad_option) if a point is not a vertex of the mesh.
template <int Dim>
[[nodiscard]] PolyData make_poly(const CriticalPoints& points, const SimplexMesh<Dim>& mesh,
                                 const Field& field);
[[nodiscard]] PolyData make_poly(const CriticalPoints& points, const Grid& grid, const Field& field);

struct ExportOptions {
  Exec exec = Exec::host();
  MemoryBudget* memory = nullptr;    ///< null: no limit
  const Monitor* monitor = nullptr;  ///< null: nobody listens
};

/// What is written about critical cells beside themselves.
struct CriticalCellsExport {
  const Segmentation* segmentation = nullptr;     ///< gives the sizes of the extrema's manifolds
  const SimplifiedComplex* simplified = nullptr;  ///< only cells that are left are written
};

/// The parts of a gradient and of a complex of it. They refer to the critical cells, which are described when
/// a part first needs them: use one exporter for all parts. Mesh, field and budget must outlive it.
template <int Dim>
class TopologyExporter {
 public:
  /// `mesh` and `field` are those the gradient was made of: Error(bad_mesh) or Error(unsupported) if they do
  /// not match it. O(cells); keeps 4 bytes per vertex, for tetrahedra 8: Error(out_of_memory) if the budget
  /// has no room for that.
  TopologyExporter(const Gradient<Dim>& gradient, const SimplexMesh<Dim>& mesh, const Field& field,
                   const ExportOptions& options = {});
  /// The same for a gradient of a grid, which must outlive it, too; keeps nothing but the critical cells.
  /// Error(unsupported) if files have no ids for all its triangles.
  TopologyExporter(const Gradient<Dim>& gradient, const Grid& grid, const Field& field,
                   const ExportOptions& options = {});
  TopologyExporter(TopologyExporter&&) noexcept;
  TopologyExporter& operator=(TopologyExporter&&) noexcept;
  ~TopologyExporter();

  /// A vertex for each critical cell, by dimension. Error(bad_option) if the segmentation is of another
  /// gradient.
  [[nodiscard]] PolyData critical_cells(const CriticalCellsExport& parts = {});
  /// A line from each cell to the one it is paired with. Reserves 100 bytes per pair while it works.
  [[nodiscard]] PolyData pairs();
  /// A polyline for each separatrix, of the complex or of its simplification. Error(bad_option) if they are
  /// of another gradient.
  [[nodiscard]] PolyData separatrices(const Separatrices& paths);
  /// Triangles of descending walls, then polygons of ascending ones. Error(bad_option) likewise.
  [[nodiscard]] PolyData walls(const Walls& walls) requires(Dim == 3);
  /// The same with less memory: the walls are given back on the way.
  [[nodiscard]] PolyData walls(Walls&& walls) requires(Dim == 3);

 private:
  std::unique_ptr<detail::ExportState<Dim>> state_;
};

/// Numbers extrema among those that are left, as files list them; labels of a simplified complex count all.
template <int Dim>
[[nodiscard]] Segmentation number_remaining(Segmentation labels, const SimplifiedComplex& simplified);

/// Adds `AscendingManifold`, `DescendingManifold` and `MorseSmaleManifold`.
void add_manifolds(FieldSet& point_data, Segmentation labels);

}  // namespace tessera
