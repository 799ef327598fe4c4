// Contour lines: the level set of a field on a flat grid or on triangles, as segments that share their end
// points. Those of a grid are a plain generator on key-reduce: pixels emit segments, keys are the lattice
// edges they end on.
#pragma once

#include <span>

#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/generate/provenance.h>
#include <tessera/mesh/field.h>
#include <tessera/mesh/mesh.h>
#include <tessera/mesh/poly_data.h>

namespace tessera {

struct ContourLineOptions {
  bool keep_provenance = true;  ///< fill the provenance of the result
  Exec exec = Exec::host();     ///< host threads; Error(unsupported) for a device
  const Monitor* monitor = nullptr;
};

struct ContourLines {
  PolyData
      lines;  ///< segments, isovalue after isovalue; the high side is on their left, seen from the third axis
  Provenance provenance;  ///< the edge of each point, the pixel or triangle of each segment
};

/// The contour lines of a field on the points of a grid in which exactly one axis has one point; other grids
/// have none. On a pixel with high corners across a diagonal the high ones are separated, as in isosurface();
/// a pixel with a NaN corner has no lines. Point data is interpolated, cell data copied. Errors as
/// isosurface().
[[nodiscard]] ContourLines contour_lines(const Grid& grid, const Field& field,
                                         std::span<const double> isovalues,
                                         const ContourLineOptions& options = {});

/// The same of a field on the points of triangles: the high side is on the left, seen from the front of the
/// triangle; provenance has edges and triangles. A triangle with a value that is not finite has no lines.
[[nodiscard]] ContourLines contour_lines(const TriMesh& mesh, const Field& field,
                                         std::span<const double> isovalues,
                                         const ContourLineOptions& options = {});

}  // namespace tessera
