// PolyData: points with vertices, lines and polygons on them. Results that are no mesh of one kind of cell
// are written as this: critical points, separatrices, walls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/array.h>
#include <tessera/core/id.h>
#include <tessera/mesh/field.h>
#include <tessera/mesh/mesh.h>

namespace tessera {

/// Cells of any number of corners: cell c is corners[offsets[c] .. offsets[c + 1]).
struct PolyCells {
  Array<std::uint64_t> offsets = {0};
  Array<VertexId> corners;

  [[nodiscard]] std::size_t size() const { return offsets.size() - 1; }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] std::span<const VertexId> operator[](std::size_t cell) const {
    return {corners.data() + offsets[cell], corners.data() + offsets[cell + 1]};
  }
  void add(std::span<const VertexId> cell) {
    corners.insert(corners.end(), cell.begin(), cell.end());
    offsets.push_back(corners.size());
  }
  [[nodiscard]] std::size_t bytes() const {
    return offsets.size() * sizeof(offsets[0]) + corners.size() * sizeof(VertexId);
  }

  friend bool operator==(const PolyCells&, const PolyCells&) = default;
};

/// Cell data goes through the vertices, then the lines, then the polygons.
struct PolyData {
  Points points;
  PolyCells vertices;
  PolyCells lines;
  PolyCells polygons;
  FieldSet point_data;
  FieldSet cell_data;
  FieldSet field_data;  ///< of the whole: any length

  [[nodiscard]] std::size_t vertex_count() const { return points.size(); }
  [[nodiscard]] std::size_t cell_count() const { return vertices.size() + lines.size() + polygons.size(); }
  [[nodiscard]] std::size_t bytes() const {
    return points.bytes() + vertices.bytes() + lines.bytes() + polygons.bytes() + point_data.bytes() +
           cell_data.bytes() + field_data.bytes();
  }

  friend bool operator==(const PolyData&, const PolyData&) = default;
};

/// A vertex for each of `count` points.
[[nodiscard]] PolyCells make_vertex_cells(std::size_t count);

}  // namespace tessera
