// Isosurfaces of a grid in a file, slab by slab.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include <tessera/distribute/slabs.h>
#include <tessera/generate/isosurface.h>
#include <tessera/io/grid_file.h>

namespace tessera {

/// How large a surface will be.
struct SurfaceSize {
  std::uint64_t vertices = 0;
  std::uint64_t triangles = 0;
  std::uint64_t valueless_cells = 0;  ///< of the grid, with a corner where the field is not a number
  Bytes bytes = 0;                    ///< that the surface takes while it is put together
};

struct SlabSurfaceOptions {
  IsosurfaceOptions surface;  ///< on host threads; Error(unsupported) for a device
  std::uint32_t height = 0;   ///< as in SlabOptions
  /// Called once, before memory is taken for the surface. Gives the height of the slabs for the second pass,
  /// 0 if it is to stay; may throw.
  std::function<std::uint32_t(const SurfaceSize& size)> expect = {};
};

/// What isosurface() makes of the grid in memory, equal to the bit for any slabs and threads. Reads the field
/// twice, to count and to write, and other fields once if they are transferred. Holds a slab with one ghost
/// before it and two after, a bit for each of its points and isovalues, and the surface. Errors as
/// isosurface() and GridFile::read(). A grid without volume has no isosurface: the mesh is empty.
[[nodiscard]] Isosurface isosurface(const GridFile& file, std::string_view field,
                                    std::span<const double> isovalues,
                                    const SlabSurfaceOptions& options = {});

/// Without the surface.
[[nodiscard]] SlabCost isosurface_slab_cost(const GridFile& file, const StoredField& field,
                                            std::size_t isovalues);

}  // namespace tessera
