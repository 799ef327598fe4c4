// Persistence diagrams from files: those that `persistence -o` writes, or TTK.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <tessera/generate/extract.h>
#include <tessera/topology/critical_type.h>
#include <tessera/topology/diagram_distance.h>

#include "application/session.h"

namespace tessera::cli {

struct StoredDiagram {
  std::filesystem::path file;
  std::vector<DiagramPoint> points;       ///< placed at the extremum of the pair, or where it is born
  std::vector<std::int64_t> identifiers;  ///< `PairIdentifier`, or the number of the segment
  std::vector<CriticalType> types;        ///< of the critical point there
};

/// Segments from (birth, birth) to (birth, death) with `PairType`; the diagonal is left out. Reads in the
/// read phase. Error(unsupported) or Error(bad_file) for what is no diagram.
[[nodiscard]] StoredDiagram read_diagram(Session& session, const std::filesystem::path& file);

/// Leaves the points of these dimensions that persist at least so much, or never die.
void select_points(StoredDiagram& diagram, double threshold, const std::vector<ValueRange>& dimensions);

}  // namespace tessera::cli
