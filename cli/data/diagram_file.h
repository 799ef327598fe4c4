// Persistence diagrams from files: those that `persistence -o` writes, or TTK.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <tessera/topology/critical_type.h>
#include <tessera/topology/diagram_distance.h>

#include "application/option_list.h"
#include "application/session.h"

namespace tessera::cli {

struct StoredDiagram {
  std::filesystem::path file;
  std::vector<DiagramPoint> points;       ///< at the minimum or maximum of the pair, or where it is born
  std::vector<std::int64_t> identifiers;  ///< `PairIdentifier`, or the number of the segment
  std::vector<CriticalType> types;        ///< of the critical point there
  bool has_places = false;
};

/// Segments from (birth, birth) to (birth, death) with `PairType`; the diagonal is left out. Reads in the
/// read phase. Error(unsupported) or Error(bad_file) for what is no diagram.
[[nodiscard]] StoredDiagram read_diagram(Session& session, const std::filesystem::path& file);

/// The options of verbs that read diagrams, and what they leave: points of some dimensions that persist at
/// least so much, or never die.
struct PointSelection {
  std::string dimensions;
  std::string threshold;
};
void add_selection_options(OptionList& app, PointSelection& selection, const std::optional<Option>& excluded);
/// Error(bad_option) if an option cannot be used: call it before files are read.
void check_selection(const PointSelection& selection);
[[nodiscard]] StoredDiagram select_points(StoredDiagram diagram, const PointSelection& selection);

}  // namespace tessera::cli
