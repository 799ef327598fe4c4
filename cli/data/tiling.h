// Verbs that need connectivity: relations by name, the mesh in tiles, and what is left of --memory for it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/connect/plan.h>
#include <tessera/mesh/mesh.h>
#include <tessera/tile/tiled_mesh.h>

#include "application/option_list.h"
#include "application/session.h"
#include "data/files.h"

namespace tessera::cli {

/// --tile-vertices and --tiles.
struct TilingOptions {
  std::uint32_t max_vertices = TileOptions{}.max_vertices;
  std::string tiles = "auto";

  [[nodiscard]] VertexOrder order() const {
    if (tiles == "auto") return VertexOrder::automatic;
    return tiles == "lloyd" ? VertexOrder::lloyd : VertexOrder::morton;
  }
};

/// For options that exclude them.
struct TilingOptionHandles {
  Option max_vertices, tiles;
};
TilingOptionHandles add_tiling_options(OptionList& app, TilingOptions& options);

/// "VV,VT" as relations; empty: all of the dimension. Error(bad_option) lists those that exist.
[[nodiscard]] std::vector<RelationKey> parse_relations(const std::string& names, int dimension);

/// 3 or 2; Error(unsupported) for a grid.
[[nodiscard]] int dimension_of(const AnyMesh& mesh);

/// "automatic", "materialized", "explicit" or "implicit".
[[nodiscard]] std::string_view mode_name(StorageMode mode);

/// Tiles in the prepare phase. The mesh is not needed any more for what follows.
template <int Dim>
[[nodiscard]] TiledMesh<Dim> tile_input(Session& session, const SimplexMesh<Dim>& mesh,
                                        const TilingOptions& options) {
  const Reservation room = session.reserve(tiling_work(mesh, options.order()));
  return session.in_phase(Phase::prepare, [&] {
    return tile(mesh, {.max_vertices = options.max_vertices,
                       .order = options.order(),
                       .exec = session.host(),
                       .monitor = &session.monitor()});
  });
}

/// What connectivity may take: three quarters of what is left of --memory. The rest is for what rows leave
/// behind and for what is done with them.
[[nodiscard]] Bytes connection_bytes(Session& session);
/// The --memory that gives connectivity `least` bytes beside what is used.
[[nodiscard]] Bytes limit_for_connection(Bytes used, Bytes least);
/// The error of a relation that does not fit, in terms of --memory.
[[nodiscard]] Error connection_error(Session& session, const std::string& name, Bytes least);

}  // namespace tessera::cli
