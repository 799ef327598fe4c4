// What is drawn of a mesh: surfaces, cuts, points and outlines as VTK's polygons.
#pragma once

#include <vtkPolyData.h>
#include <vtkSmartPointer.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <tessera/core/vec.h>
#include <tessera/mesh/cell_mesh.h>
#include <tessera/mesh/mesh.h>

namespace tessera::cli {

enum class Style : std::uint8_t { automatic, surface, wireframe, surface_with_edges, points, slices };

/// A plane across an axis; the half on one side of it is taken away, to look inside.
struct ClipPlane {
  int axis = 0;
  double position = 0;
  bool keeps_below = true;   ///< which half stays
  bool is_crinkled = false;  ///< keep whole cells instead of cutting them
};

/// How a piece is to be shaded.
enum class Role : std::uint8_t {
  closed_surface,  ///< turned outward, with normals that are smooth across small angles
  open_surface,    ///< a surface as it came, which may be turned either way
  cut,             ///< flat
  lines,           ///< as thick on the picture from near and far
  points,
  outline,  ///< lines that are never coloured by the field
};

struct Piece {
  vtkSmartPointer<vtkPolyData> data;
  Role role = Role::open_surface;
};

/// The pieces, and the meshes whose memory they share.
struct Geometry {
  std::vector<Piece> pieces;
  std::vector<std::shared_ptr<const void>> owners;
};

/// The mesh's own memory is used where possible, so it must outlive the result. No pieces if there is nothing
/// to draw. Error(bad_mesh) for indices out of range.
[[nodiscard]] Geometry make_geometry(const AnyMesh& mesh, Style style, const std::optional<ClipPlane>& clip);
/// The same for cells of any type, on the points and with the fields of a mesh without cells. Solids hide all
/// else; without them, vertices, lines and polygons are drawn as they are.
[[nodiscard]] Geometry make_geometry(const TriMesh& points, const CellMesh& cells, Style style,
                                     const std::optional<ClipPlane>& clip);

/// Adds the box from `low` to `high` as an outline.
void add_box(Geometry& geometry, Vec3d low, Vec3d high);

}  // namespace tessera::cli
