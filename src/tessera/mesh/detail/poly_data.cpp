#include <tessera/mesh/poly_data.h>

#include <tessera/core/macros.h>

namespace tessera {

PolyCells make_vertex_cells(std::size_t count) {
  TS_EXPECTS(count <= VertexId::invalid_index);
  PolyCells cells;
  cells.offsets.resize(count + 1);
  cells.corners.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    cells.offsets[i] = i;
    cells.corners[i] = VertexId(static_cast<std::uint32_t>(i));
  }
  cells.offsets[count] = count;
  return cells;
}

}  // namespace tessera
