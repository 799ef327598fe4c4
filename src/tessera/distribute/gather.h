// Values of a stored field at some points.
#pragma once

#include <span>

#include <tessera/core/id.h>
#include <tessera/core/progress.h>
#include <tessera/io/grid_file.h>

namespace tessera {

/// The tuples of a point field at the vertices, which ascend. Reads the layers that have one of them, each
/// once, and holds a layer and the result. Errors as GridFile::read().
[[nodiscard]] Field gather(const GridFile& file, const StoredField& field, std::span<const VertexId> vertices,
                           const Monitor* monitor = nullptr);

}  // namespace tessera
