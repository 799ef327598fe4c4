// Fields by the text that users write: a name, a component of a vector, its magnitude, a coordinate.
//
//   pressure             the field of that name, of the points or else of the cells
//   velocity:0           a component, counted from 0; of two or three components also :x, :y, :z
//   velocity:magnitude   the Euclidean length of each tuple, for fields of several components
//   :x, :y, :z           a coordinate of the points, of grids too
//
// A field whose name is the whole text wins, so names with a colon can be asked for.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <tessera/mesh/mesh.h>

namespace tessera {

struct FindFieldOptions {
  /// A field of the cells becomes one of the points. Without it, it stays where it is.
  bool average_cells = true;
};

struct FoundField {
  const Field* stored = nullptr;  ///< a field of the mesh, if that was asked for
  std::optional<Field> made;      ///< else one that was made for the text, which is its name (`:x`: just `x`)
  bool is_on_cells = false;
  bool is_averaged = false;      ///< from the cells to the points
  std::size_t lonely_count = 0;  ///< points without cells, where an average is NaN

  [[nodiscard]] const Field& field() const { return made ? *made : *stored; }
};

/// The field that the text names, with any number of components unless the text chooses one. Averages of
/// cells are 64-bit floats: the mean over the cells around a point, summed in ascending order of the cells.
/// The part after a colon is taken of the average. A coordinate `:x` is named `x`, or `:x` if the points have
/// a field `x`. Error(not_found) for an unknown name lists those there are, and for an unknown component the
/// known ones; Error(unsupported) for the magnitude of a scalar; Error(bad_mesh) if a cell field to average
/// has another length than the mesh, or a cell names no point.
template <class Mesh>  // TetMesh, TriMesh or Grid
[[nodiscard]] FoundField find_field(const Mesh& mesh, std::string_view text,
                                    const FindFieldOptions& options = {});

/// One component of each tuple, in the field's own type; it must exist.
[[nodiscard]] Field take_component(const Field& field, std::size_t component, std::string name);
/// The Euclidean length of each tuple, a 64-bit float.
[[nodiscard]] Field take_magnitude(const Field& field, std::string name);

}  // namespace tessera
