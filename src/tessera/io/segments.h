// Line segments as files: two points each, with data on points and segments. Persistence diagrams are these.
#pragma once

#include <array>
#include <filesystem>

#include <tessera/core/array.h>
#include <tessera/io/io.h>
#include <tessera/mesh/mesh.h>

namespace tessera {

struct Segments {
  Array<Vec3d> points;
  Array<std::array<VertexId, 2>> lines;
  FieldSet point_data;
  FieldSet cell_data;
};

/// A .vtu file (cells of two points) or a .vtp file (lines), as write_mesh() writes them.
WriteReport write_segments(const std::filesystem::path& file, const Segments& segments,
                           const WriteOptions& options = {});

}  // namespace tessera
