// An inner door to connectivity: rows in the ids of the tiled mesh, for code that works on tiles and would
// only translate them back. The types are those of rows in the input's ids: they stay inside StarStore.
#pragma once

#include <tessera/connect/connectivity.h>

namespace tessera::detail {

/// As connect(), but vertices and cells are asked for and answered in the tiled mesh's ids.
template <int Dim>
[[nodiscard]] Connectivity<Dim> connect_tiled(const TiledMesh<Dim>& tiles, const ConnectOptions& options);

}  // namespace tessera::detail
