// Critical points as spheres and separatrices as tubes, drawn over the mesh they are of.
#pragma once

#include <vtkPolyData.h>
#include <vtkSmartPointer.h>

#include <cstddef>
#include <string>
#include <vector>

#include <tessera/mesh/poly_data.h>

#include "render/colormap.h"

namespace tessera::cli {

/// All points or all paths of one type.
struct Mark {
  vtkSmartPointer<vtkPolyData> data;
  Color color;
  std::string name;  ///< for the legend: "minimum"
  std::size_t count = 0;
  bool is_path = false;
  bool is_thin = false;  ///< lines instead of tubes: there are too many
};

/// What `tessera critical-points`, `gradient` and `morse-smale` write.
struct MarkFiles {
  std::vector<PolyData> critical_points;
  std::vector<PolyData> separatrices;

  [[nodiscard]] bool empty() const { return critical_points.empty() && separatrices.empty(); }
};

/// Of the mesh that they are of, as far as their types tell: 3, or else 2.
[[nodiscard]] int guess_dimension(const MarkFiles& files);

struct MarkOptions {
  int dimension = 3;    ///< of the mesh: the types of the plane are numbered otherwise
  double diagonal = 1;  ///< of its box; sizes are relative to it
  double size = 1;      ///< a factor
  bool has_connectors = true;
};

/// Types in the order of the legend: points by CriticalType or CellDimension, paths by SeparatrixType, which
/// are smoothed: they go from cell to cell. Error(bad_file) if the files have no such arrays.
[[nodiscard]] std::vector<Mark> make_marks(const MarkFiles& files, const MarkOptions& options);

}  // namespace tessera::cli
