// From the cells a file lists, of many types, to a mesh of triangles or tetrahedra.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include <tessera/core/array.h>
#include <tessera/io/input.h>
#include <tessera/io/io.h>
#include <tessera/mesh/mesh.h>

namespace tessera::io {

/// VTK's numbers for the cell types that we know.
enum CellType : std::uint8_t {
  empty_cell = 0,
  vertex = 1,
  poly_vertex = 2,
  line = 3,
  poly_line = 4,
  triangle = 5,
  triangle_strip = 6,
  polygon = 7,
  pixel = 8,
  quad = 9,
  tetrahedron = 10,
  voxel = 11,
  hexahedron = 12,
  wedge = 13,
  pyramid = 14,
};

/// What a file holds, without the corners of its cells: they are the bulk of it and are read straight to where
/// they stay when all cells are of one simplex type.
struct RawMesh {
  Points points;
  Array<std::uint8_t> types;
  Array<std::uint64_t> ends;  ///< where each cell's corners end in the list of all corners
  FieldSet point_data;
  FieldSet cell_data;
  FieldSet field_data;

  /// Adds a triangle, quad or polygon that ends after `corners` more corners.
  void add_polygon(std::uint64_t corners) {
    types.push_back(corners == 3 ? triangle : corners == 4 ? quad : polygon);
    ends.push_back((ends.empty() ? 0 : ends.back()) + corners);
  }
};

/// Calls polygons of three corners triangles and of four quads.
void name_polygons(RawMesh& raw);

/// The place where a reader puts the corners, in the file's order. Checks every one against the points there are.
class CornerSink {
 public:
  using CellOf = std::function<std::uint64_t(std::uint64_t corner)>;

  CornerSink(const Input& input, std::span<VertexId> to, std::uint64_t points, CellOf cell_of)
      : input_(input), to_(to), limit_(points), cell_of_(std::move(cell_of)) {}

  /// From here on point i of the file is point `base` + i, and there are `limit` of them.
  void set_piece(std::uint64_t base, std::uint64_t limit) {
    base_ = base;
    limit_ = limit;
  }

  template <class T>
  void put(std::span<const T> corners) {
    TS_EXPECTS(corners.size() <= to_.size() - next_);
    for (const T corner : corners) {
      const auto index = static_cast<std::uint64_t>(corner);  // negative: larger than any limit
      if (index >= limit_) refuse(std::to_string(corner));
      to_[next_++] = VertexId(static_cast<std::uint32_t>(base_ + index));
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& corner) const;

  const Input& input_;
  std::span<VertexId> to_;
  std::uint64_t base_ = 0;
  std::uint64_t limit_;
  std::uint64_t next_ = 0;
  CellOf cell_of_;
};

using FillCorners = std::function<void(CornerSink&)>;

/// Makes the mesh: counts the cell types into the report, refuses or cuts what is not a simplex, leaves out
/// what has a lower dimension, and repeats cell data for the parts. `dimension` is what a file without
/// cells is taken for.
[[nodiscard]] AnyMesh assemble(const Input& input, RawMesh raw, const FillCorners& fill_corners, int dimension,
                               const ReadOptions& options, FileReport& report);

/// The same for corners that are in memory.
[[nodiscard]] AnyMesh assemble(const Input& input, RawMesh raw, const Array<std::int64_t>& corners,
                               const ReadOptions& options, FileReport& report);

/// "hexahedron", "quadratic tetrahedron", ...
[[nodiscard]] std::string cell_type_name(std::uint8_t type);

/// Cuts hexahedra, voxels, wedges and pyramids, corner by corner as VTK orders them. Calls emit(tet) for each part.
void cut_solid(std::uint8_t type, std::span<const VertexId> corners,
               const std::function<void(const TetMesh::Cell&)>& emit);

/// The time to cut a concave polygon grows with the square of its corners; larger ones are refused.
constexpr std::size_t most_concave_corners = 20000;

/// Cuts quads, pixels and polygons, which may be concave. Calls emit(triangle) for each part. Refuses a concave
/// polygon of too many corners.
[[nodiscard]] bool try_cut_polygon(std::uint8_t type, std::span<const VertexId> corners, const Points& points,
                                   const std::function<void(const TriMesh::Cell&)>& emit);

/// The triangles of a strip, all oriented as the first one.
void cut_strip(std::span<const VertexId> corners, const std::function<void(const TriMesh::Cell&)>& emit);

}  // namespace tessera::io
