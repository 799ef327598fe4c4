// Boundaries: the vertices, edges and faces of elements, straight from an explicit enumeration.
//
// Rows have one length, and their ids ascend: of a tet ab ac ad bc bd cd, and abc abd acd bcd.
#pragma once

#include <array>
#include <cstdint>
#include <tuple>

#include <tessera/tile/detail/enumeration_part.h>
#include <tessera/tile/detail/share.h>

namespace tessera::detail {

/// How many faces of dimension l a simplex of dimension k has.
[[nodiscard]] constexpr std::size_t faces_of_simplex(Kind k, Kind l) {
  constexpr std::array<std::array<std::size_t, 4>, 4> table = {{{1}, {2, 1}, {3, 3, 1}, {4, 6, 4, 1}}};
  return table[static_cast<std::size_t>(k)][static_cast<std::size_t>(l)];
}

template <Kind K, Kind L>
using BoundaryRow = std::array<std::uint32_t, faces_of_simplex(K, L)>;

/// Calls f(entry) for every entry, without a loop.
template <class Row, class F>
void for_each_entry(const Row& row, F&& f) {
  std::apply([&](auto... entries) { (f(entries), ...); }, row);
}

template <int Dim>
class Boundaries {
 public:
  static constexpr Kind top = static_cast<Kind>(Dim);

  Boundaries() = default;
  /// `whole` may be null if only vertices of cells are asked for.
  Boundaries(const TiledMesh<Dim>& tiles, const EnumerationPart* whole) : tiles_(&tiles), whole_(whole) {}

  /// Calls f(id, row) for the elements of kind K in a share, ascending, with their faces of kind L.
  template <Kind K, Kind L, class F>
  void for_each(const Share& share, F&& f) const {
    if constexpr (K == top) {
      const auto cells = tiles_->cells();
      for (std::size_t c = share[K].begin; c < share[K].end; ++c)
        f(static_cast<std::uint32_t>(c), of_cell<L>(cells[c]));
    } else {
      for_each_edge(share, [&](std::uint32_t a, std::uint32_t e) {
        if constexpr (K == Kind::edge) {
          f(e, BoundaryRow<K, L>{a, whole_->edge_hi[e]});
        } else {
          for (std::uint32_t i = whole_->face_offsets[e]; i < whole_->face_offsets[e + 1]; ++i)
            f(i, of_face<L>(a, e, whole_->face_hi[i]));
        }
      });
    }
  }

 private:
  template <class F>
  void for_each_edge(const Share& share, F&& f) const {
    std::uint32_t e = static_cast<std::uint32_t>(share[Kind::edge].begin);
    for (std::size_t a = share[Kind::vertex].begin; a < share[Kind::vertex].end; ++a) {
      for (const std::uint32_t end = whole_->edge_offsets[a + 1]; e < end; ++e)
        f(static_cast<std::uint32_t>(a), e);
    }
  }

  /// The face (a, b, c) above its edge e = (a, b).
  template <Kind L>
  [[nodiscard]] BoundaryRow<Kind::face, L> of_face(std::uint32_t a, std::uint32_t e, std::uint32_t c) const {
    const std::uint32_t b = whole_->edge_hi[e];
    if constexpr (L == Kind::vertex) return {a, b, c};
    return {e, whole_->edge_id(a, c), whole_->edge_id(b, c)};
  }

  template <Kind L>
  [[nodiscard]] BoundaryRow<top, L> of_cell(const typename TiledMesh<Dim>::Cell& cell) const {
    BoundaryRow<top, L> row;
    if constexpr (L == Kind::vertex) {
      for (std::size_t k = 0; k <= Dim; ++k) row[k] = cell[k].index();
    } else if constexpr (L == Kind::edge) {
      std::size_t n = 0;
      for (std::size_t i = 0; i < Dim; ++i) {
        for (std::size_t j = i + 1; j <= Dim; ++j)
          row[n++] = whole_->edge_id(cell[i].index(), cell[j].index());
      }
    } else {
      const auto [a, b, c, d] = cell;
      const std::uint32_t ab = whole_->edge_id(a.index(), b.index());
      const std::uint32_t ac = whole_->edge_id(a.index(), c.index());
      const std::uint32_t bc = whole_->edge_id(b.index(), c.index());
      row = {whole_->face_above(ab, c.index()), whole_->face_above(ab, d.index()),
             whole_->face_above(ac, d.index()), whole_->face_above(bc, d.index())};
    }
    return row;
  }

  const TiledMesh<Dim>* tiles_ = nullptr;
  const EnumerationPart* whole_ = nullptr;
};

}  // namespace tessera::detail
