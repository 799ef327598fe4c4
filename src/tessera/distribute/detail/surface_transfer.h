// Fields of a grid in a file, brought over to a surface.
#pragma once

#include <span>
#include <vector>

#include <tessera/distribute/slabs.h>
#include <tessera/generate/isosurface.h>
#include <tessera/io/grid_file.h>

namespace tessera::detail {

/// Adds the fields of points and cells that the surface does not have, by its provenance. Reads each once,
/// slab by slab.
void transfer_stored(const GridFile& file, std::span<const Slab> slabs, Isosurface& surface,
                     const IsosurfaceOptions& options);

/// What the fields take for an element of the surface.
[[nodiscard]] Bytes transfer_bytes(std::span<const StoredField> fields);

}  // namespace tessera::detail
