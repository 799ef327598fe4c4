// The places of edges, and of triangles of tetrahedra, in the lexicographic order of their ascending input
// vertices: what `CellId` means in files.
//
// An edge or a triangle is counted at its lowest input vertex. The gradient has every edge in a row, and it
// pairs every triangle that is not critical with one edge or one tetrahedron, so its pairs count them all.
// Sums of the counts in the order of the input are the places of a vertex's first edge and triangle; the
// others follow by their other vertices. So nothing is enumerated, and a place costs a look at one star.
#pragma once

#include <cstdint>
#include <span>

#include <tessera/core/array.h>
#include <tessera/core/progress.h>
#include <tessera/topology/detail/gradient_data.h>

namespace tessera::detail {

template <int Dim>
class CellRanks {
 public:
  using Simplex = typename Gradient<Dim>::Simplex;

  /// One pass over rows and cells, without stars.
  CellRanks(const GradientData<Dim>& gradient, const Exec& exec, const Monitor& monitor);

  /// What it keeps: 4 bytes per vertex, for tetrahedra 8.
  [[nodiscard]] static std::size_t bytes(const GradientData<Dim>& gradient) {
    return 4 * std::size_t{Dim - 1} * (gradient.tiles().vertex_count() + 1);
  }

  /// ids[i] becomes the CellId of cells[i], whose vertices are simplices[i]: of a vertex or a top cell its
  /// id, of others their place. Takes 16 bytes per cell for its work.
  void fill(std::span<const CellName> cells, std::span<const Simplex> simplices,
            std::span<std::uint32_t> ids) const;

 private:
  /// `input` gives the input id of a tiled vertex. Edges and the triangles that are paired with them, then
  /// those paired with tetrahedra or with nothing.
  template <class Input>
  void count_rows(const Input& input);
  template <class Input>
  void count_other_faces(const Input& input);
  void answer(std::span<const std::uint32_t> lowest, std::span<const std::uint32_t> requests,
              std::span<const Simplex> simplices, std::span<std::uint32_t> ids) const;

  const GradientData<Dim>& gradient_;
  Exec exec_;
  const Monitor& monitor_;
  Array<std::uint32_t> first_edge_;  // by input vertex
  Array<std::uint32_t> first_face_;  // likewise; of tetrahedra
};

}  // namespace tessera::detail
