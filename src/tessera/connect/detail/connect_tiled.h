// An inner door to connectivity: rows in the ids of the tiled mesh, for code that works on tiles and would
// only translate them back. The types are those of rows in the input's ids, so whoever needs tiled ones
// checks.
#pragma once

#include <tessera/connect/connectivity.h>

namespace tessera::detail {

/// As connect(), but vertices and cells are asked for and answered in the tiled mesh's ids.
template <int Dim>
[[nodiscard]] Connectivity<Dim> connect_tiled(const TiledMesh<Dim>& tiles, const ConnectOptions& options);

/// Are the rows of such a connectivity?
template <class R, int Dim>
[[nodiscard]] bool speaks_tiled_ids(const Rows<R, Dim>& rows) {
  return rows.speaks_tiled_ids();
}

}  // namespace tessera::detail
