// How even the triangles of a surface are: lengths of edges, valences and angles, before and after an edit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <tessera/exec/exec.h>
#include <tessera/mesh/mesh.h>

#include "application/session.h"

namespace tessera::cli {

struct Spread {
  double lowest = 0;
  double mean = 0;
  double highest = 0;
};

/// All zeros if there is nothing to measure.
struct MeshQuality {
  std::size_t points = 0;
  std::size_t edges = 0;
  std::size_t triangles = 0;
  Spread edge_length;
  Spread valence;                  ///< edges at a point; points without edges do not count
  double valence_six = 0;          ///< the part of these points that has six
  double smallest_angle = 0;       ///< in degrees
  double mean_smallest_angle = 0;  ///< each triangle's smallest, on the average

  static constexpr int valence_bins = 13;
  std::array<std::uint64_t, 25> length_histogram = {};  ///< tenths of the mean; the last has the longer ones
  std::array<std::uint64_t, valence_bins> valence_histogram = {};  ///< the last has the higher ones
  std::array<std::uint64_t, 36> angle_histogram = {};              ///< of all corners, by five degrees
};

/// Of a mesh whose triangles name points that are there. 48 bytes a triangle and 36 a point for a moment. The
/// same for any number of threads.
[[nodiscard]] MeshQuality measure_quality(const TriMesh& mesh, const Exec& host);

/// The two of them as `before` and `after`. What a mesh without triangles does not have is null.
[[nodiscard]] Json describe_quality(const MeshQuality& before, const MeshQuality& after);

/// The same as a table.
[[nodiscard]] std::string quality_table(const MeshQuality& before, const MeshQuality& after);

}  // namespace tessera::cli
