// InputIds: rows of a tiled mesh in the ids of the mesh it was made from.
//
// The tiled mesh renumbers vertices and cells. Who pulls rows should not have to know: an id that is asked
// for is looked up on the way in, the entries of a tile's rows are replaced and sorted once, when they are
// worked out. Edges, and faces of tets, have no ids in the input and keep their canonical ones. Where the two
// numberings are equal, nothing is kept and nothing is done.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/array.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/exec.h>
#include <tessera/tile/relation.h>
#include <tessera/tile/tiled_mesh.h>

namespace tessera::detail {

/// Sorts the distinct values of a row. Counting the smaller ones needs no branches, and rows are short.
inline void sort_row(std::span<std::uint32_t> row) {
  constexpr std::size_t few = 48;
  if (row.size() > few) return std::sort(row.begin(), row.end());
  std::array<std::uint32_t, few> values;
  std::copy(row.begin(), row.end(), values.begin());
  for (std::size_t i = 0; i < row.size(); ++i) {
    std::uint32_t below = 0;
    for (std::size_t j = 0; j < row.size(); ++j) below += values[j] < values[i] ? 1 : 0;
    row[below] = values[i];
  }
}

template <int Dim>
class InputIds {
 public:
  static constexpr Kind top = Dim == 3 ? Kind::tet : Kind::face;
  using CellId = typename TiledMesh<Dim>::CellId;

  /// If ids are not `wanted`, those of the tiled mesh stay.
  InputIds(const TiledMesh<Dim>& tiles, bool wanted)
      : tiles_(&tiles),
        renames_vertices_(wanted && !tiles.keeps_vertex_order()),
        renames_cells_(wanted && !tiles.keeps_cell_order()) {}

  /// Makes the map that a relation needs.
  template <class R>
  void prepare(const Exec& exec) {
    if (R::from == top && renames_cells_ && cell_from_input_.empty()) {
      cell_from_input_.resize(tiles_->cell_count());
      host::for_each_share(exec.threads(), cell_from_input_.size(), [&](host::Range range) {
        for (std::size_t c = range.begin; c < range.end; ++c) {
          const CellId cell(static_cast<std::uint32_t>(c));
          cell_from_input_[tiles_->input(cell).index()] = cell.index();
        }
      });
    }
  }

  /// The tiled mesh's id of the element a relation is asked for.
  template <class R>
  [[nodiscard]] typename R::TiledRow to_tiled(typename R::Row id) const {
    if constexpr (R::from == Kind::vertex) {
      return renames_vertices_ ? tiles_->tiled(id) : tiled::VertexId(id.index());
    } else if constexpr (R::from == top) {
      return CellId(renames_cells_ ? cell_from_input_[id.index()] : id.index());
    } else {
      return typename R::TiledRow(id.index());
    }
  }

  /// Replaces the entries of rows by the input's ids, in ascending order. Row i is values[offsets[i] ..
  /// offsets[i + 1]).
  template <class R>
  void rename(std::span<const std::uint32_t> offsets, std::uint32_t* values) const {
    if constexpr (R::to == Kind::vertex || R::to == top) {
      if (!(R::to == top ? renames_cells_ : renames_vertices_)) return;
      for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
        rename_row<R>({values + offsets[i], offsets[i + 1] - offsets[i]});
    }
  }
  template <class R>
  void rename_row(std::span<std::uint32_t> row) const {
    if constexpr (R::to == Kind::vertex || R::to == top) {
      if (!(R::to == top ? renames_cells_ : renames_vertices_)) return;
      for (std::uint32_t& value : row) value = tiles_->input(typename R::TiledEntry(value)).index();
      sort_row(row);
    }
  }
  [[nodiscard]] std::size_t bytes() const { return 4 * cell_from_input_.size(); }

 private:
  const TiledMesh<Dim>* tiles_;
  bool renames_vertices_;
  bool renames_cells_;
  Array<std::uint32_t> cell_from_input_;
};

}  // namespace tessera::detail
