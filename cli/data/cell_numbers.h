// What files say about cells of any dimension: their number and their place.
//
// The `CellId` of a vertex or a top cell is the input's id. That of an edge, or of a triangle of tetrahedra,
// is its place among all of them in the lexicographic order of their ascending vertex ids.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <tessera/tile/detail/lookup.h>
#include <tessera/tile/enumeration.h>
#include <tessera/topology/gradient.h>

#include "data/topology.h"

namespace tessera::cli {

using namespace detail;

template <int Dim>
class CellNumbers {
 public:
  using Simplex = typename Gradient<Dim>::Simplex;

  /// Enumerates edges and faces: explicitly if --memory allows it, else tile by tile, which is slower.
  CellNumbers(Session& session, const Domain<Dim>& domain, const Gradient<Dim>& gradient);

  /// One for each thread.
  class Reader {
   public:
    explicit Reader(const CellNumbers& numbers)
        : numbers_(numbers), lookup_(*numbers.tiles_, &numbers.enumeration_) {}

    /// The CellId of a cell whose vertices are `simplex`.
    [[nodiscard]] std::uint32_t operator()(const CellName& cell, const Simplex& simplex);

   private:
    const CellNumbers& numbers_;
    Lookup<Dim> lookup_;
  };

 private:
  const TiledMesh<Dim>& original_;
  std::unique_ptr<const TiledMesh<Dim>> ordered_;  // if the original has other vertex ids than the input
  const TiledMesh<Dim>* tiles_;                    // the one with the input's
  Enumeration<Dim> enumeration_;
  Reservation room_;
};

/// The vertices' mean.
template <class Simplex>
[[nodiscard]] Vec3d barycentre(const Points& points, const Simplex& simplex) {
  Vec3d sum = {0, 0, 0};
  for (std::uint32_t k = 0; k < simplex.size; ++k) sum = sum + points[simplex.vertices[k]];
  return (1.0 / simplex.size) * sum;
}

/// Room for `count` points in the precision of others.
[[nodiscard]] Points make_points_like(const Points& others, std::size_t count);
void set_point(Points& points, std::size_t index, Vec3d place);

/// Ids as signed numbers, of 4 bytes where they hold them, else of 8: what ParaView's and TTK's filters
/// expect.
[[nodiscard]] Field make_id_field(const std::string& name, const Array<std::uint32_t>& ids);

}  // namespace tessera::cli
