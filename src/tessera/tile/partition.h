// Partitions: which vertex lies in which tile, before anything is renumbered.
#pragma once

#include <cstdint>
#include <span>

#include <tessera/core/array.h>
#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/mesh/mesh.h>

namespace tessera {

/// The vertices tile by tile.
struct Partition {
  Array<std::uint32_t>
      order;  ///< input vertex ids: those of tile 0, then those of tile 1, ...; empty: 0, 1, ...
  Array<std::uint32_t> offsets;  ///< tile t is order[offsets[t] .. offsets[t + 1])

  [[nodiscard]] std::size_t size() const { return offsets.empty() ? 0 : offsets.size() - 1; }
};

/// Leaves of a PR octree over the points' bounding cube, neighbours in Morton order joined while they fit one
/// tile. Vertices are in Morton order throughout, equal codes by input id, so that the numbering is the same
/// for any size of tiles.
[[nodiscard]] Partition partition_octree(const Points& points, std::uint32_t max_vertices,
                                         const Exec& exec = Exec::host());

/// The input's order cut into runs of `max_vertices`, for meshes whose order is local already.
[[nodiscard]] Partition partition_in_order(std::size_t vertices, std::uint32_t max_vertices);

/// The caller's own tiles: `tile_of[v]` for each vertex. Tiles are taken in ascending order of their number;
/// numbers that are not used make no tile. Error(bad_mesh) if the array does not fit the points.
[[nodiscard]] Partition partition_given(std::span<const std::uint32_t> tile_of, std::size_t vertices,
                                        const Exec& exec = Exec::host());

/// Error(bad_mesh) unless it has every vertex once, or the order of the input, in tiles that are not empty.
void check_partition(const Partition& partition, std::size_t vertices);

struct LloydOptions {
  std::uint32_t max_faces = 512;      ///< a patch has at most so many: some 256 vertices
  std::uint32_t max_iterations = 12;  ///< rounds of growing; patches still too large then are cut as they lie
  double settled = 1.0 / 6;           ///< rounds end when sizes changed by less than this share of the faces
  Exec exec = Exec::host();           ///< host threads; the clustering does not use a device
  const Monitor* monitor = nullptr;
};

/// Faces in connected pieces. Two faces are neighbours if they share an edge.
struct FacePatches {
  Array<std::uint32_t> patch_of_face;  ///< for each input face
  std::uint32_t patches = 0;           ///< none is empty
  std::uint32_t iterations = 0;        ///< rounds of growing that were done
};

/// Lloyd's clustering of the faces: every patch is connected and has at most `max_faces` faces; docs/tiles.md
/// has the steps. O(n) an iteration; some 25 bytes a face on top of a TiledMesh while it runs. The
/// same patches for any number of threads, and for any order of the input as long as no two points share
/// their Morton code. Error(bad_mesh) as tile() throws it; Error(cancelled) if the monitor asks to stop.
[[nodiscard]] FacePatches compute_face_patches(const TriMesh& mesh, const LloydOptions& options = {});

/// Tiles from these patches: a vertex goes to the patch that has most of its faces, of equal ones to the
/// lowest, and lies there in Morton order. A tile has at most `max_faces` + 2 vertices; a patch that gets no
/// vertex makes no tile. Isolated vertices come last, in tiles of half as many vertices as a patch may have
/// faces. Failure and determinism as above.
[[nodiscard]] Partition partition_lloyd(const TriMesh& mesh, const LloydOptions& options = {});

}  // namespace tessera
