// Persistence diagrams as files: segments with TTK's arrays, rows of text, a picture.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <tessera/generate/extract.h>
#include <tessera/io/segments.h>
#include <tessera/mesh/mesh.h>
#include <tessera/mesh/poly_data.h>
#include <tessera/topology/generators.h>
#include <tessera/topology/persistence.h>

namespace tessera::cli {

/// Which pairs are written.
struct PairSelection {
  double threshold = 0;                ///< they persist at least so much, or never die
  std::vector<ValueRange> dimensions;  ///< of their classes; empty: all
  std::optional<std::uint32_t> most;   ///< so many of those that die, the most persistent ones
};

/// What there is to write about a field's persistence.
struct Diagram {
  std::vector<PersistencePair> pairs;  ///< those that were selected, in canonical order
  std::vector<std::uint32_t> numbers;  ///< of each among all pairs
  int dimension = 3;                   ///< of the mesh
  double lowest = 0;                   ///< of the field
  double highest = 0;
  double threshold = 0;
  std::vector<ValueRange> dimensions;  ///< that were selected; empty: all
  std::string field;
  std::string file;

  [[nodiscard]] bool shows(std::size_t of_class) const;  ///< were classes of this dimension selected?
};

[[nodiscard]] Diagram make_diagram(const Persistence& persistence, int dimension,
                                   const PairSelection& selection);

/// Where a vertex is.
using PlaceOf = std::function<Vec3d(VertexId)>;

/// Each pair as a segment from (birth, birth) up to (birth, death), and the diagonal as the last one, with
/// the arrays of TTK: `CriticalType`, `ttkVertexScalarField` and `Coordinates` of the points,
/// `PairIdentifier`, `PairType`, `Persistence`, `Birth` and `IsFinite` of the segments (-1, -1 and 0 for the
/// diagonal).
[[nodiscard]] Segments make_segments(const Diagram& diagram, const PlaceOf& place_of);

/// The cycles of pairs of the diagram: edges as lines, triangles as polygons. `PairIdentifier`, `PairType`,
/// `Persistence`, `Birth`, `Death` and `IsFinite` of the cells are those of the diagram's pairs;
/// `ttkVertexScalarField` of the points is the vertex that each was. The numbers in `generators` are those of
/// all pairs.
[[nodiscard]] PolyData make_cycles(const Diagram& diagram, const PersistentGenerators& generators,
                                   const PlaceOf& place_of);

/// A heading and a line for each pair.
[[nodiscard]] std::string make_csv(const Diagram& diagram);

/// How many finite pairs persist at least so much, in all and by dimension: a line for each persistence there
/// is.
[[nodiscard]] std::string make_curve_csv(const Diagram& diagram);
/// The same as a picture.
[[nodiscard]] std::string make_curve_svg(const Diagram& diagram);

/// A picture of the diagram and, beside it, of the most persistent pairs as bars.
[[nodiscard]] std::string make_svg(const Diagram& diagram);

}  // namespace tessera::cli
