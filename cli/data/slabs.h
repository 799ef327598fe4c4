// Grids that --memory has no room for, by verbs that can go through them in slabs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <tessera/distribute/slabs.h>
#include <tessera/io/grid_file.h>

#include "application/session.h"
#include "data/files.h"

namespace tessera::cli {

/// What a verb is about to do with a grid.
struct SlabRequest {
  const InputOptions& input;
  const std::string& field;  ///< the text of --field
  /// What of it cannot be done in slabs, such as "--walls"; empty if all of it can.
  std::string obstacle;
  /// What the verb takes beyond the grid in memory. The field has no values.
  std::function<Bytes(const Grid& shape, const Field& field)> bytes_in_memory;
  std::function<SlabCost(const GridFile& file, const StoredField& field)> cost;
  bool needs_volume = false;  ///< a flat grid is not gone through
};

/// A file that is gone through in slabs.
struct SlabInput {
  GridFile file;
  std::string field;
  std::uint32_t height = 1;
  Reservation room = {};  ///< of the slabs

  /// Reserves memory for work of that cost instead, and gives the height of the slabs that it is enough for.
  /// Error(out_of_memory) names what is enough for the thinnest; if the cost has no results, a larger value
  /// too.
  std::uint32_t make_room(Session& session, const SlabCost& cost, bool has_results = true);

  [[nodiscard]] const StoredField& stored() const { return file.point_field(field); }
  [[nodiscard]] SlabOptions options(Session& session) const {
    return {.height = height, .exec = session.host(), .monitor = &session.monitor()};
  }
};

/// The input in slabs, if the grid in memory takes more than --memory leaves; nothing if it fits, or if
/// nobody can go through the file in slabs: a note then says why, and reading it tells what to allow. Says in
/// a note how many slabs there are. Error(out_of_memory) if the thinnest slabs do not fit, Error(unsupported)
/// if a GPU was asked for by name.
[[nodiscard]] std::optional<SlabInput> find_slab_input(Session& session, const SlabRequest& request);

/// Memory for a result whose size is known: what is named if it does not fit is enough, however large results
/// may be.
[[nodiscard]] Reservation reserve_known(Session& session, Bytes bytes, const std::string& what);

/// "scan.raw: 134,217,728 points, 133,432,831 cells, field 'value'".
[[nodiscard]] std::string describe(const SlabInput& input);

}  // namespace tessera::cli
