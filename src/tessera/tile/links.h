// Links: what lies opposite an element in each of the cells around it.
//
//   tets        vertex: faces      edge: edges       face: vertices
//   triangles   vertex: edges      edge: vertices
//
// A link has one entry for each cell of the element's star. Cells ascend lexicographically, and taking the
// same vertices out of all of them keeps that order, so entries ascend as they are met, and entry j lies in
// cell j of the star.
#pragma once

#include <tessera/core/csr.h>
#include <tessera/tile/materialize.h>
#include <tessera/tile/relation.h>

namespace tessera {

/// Named like a relation, and pulled like one: connect(tiles).request<EdgeLink<3>>().
template <Kind From, int Dim>
struct Link {
  static constexpr Kind from = From;
  static constexpr Kind to = static_cast<Kind>(Dim - 1 - static_cast<int>(From));
  static constexpr Form form = Form::ascending;
  using Row = IdOf<from>;
  using Entry = IdOf<to>;
  using TiledRow = tiled::IdOf<from>;
  using TiledEntry = tiled::IdOf<to>;
};

template <int Dim>
using VertexLink = Link<Kind::vertex, Dim>;
template <int Dim>
using EdgeLink = Link<Kind::edge, Dim>;
template <int Dim>
using FaceLink = Link<Kind::face, Dim>;

template <Kind From, int Dim>
inline constexpr bool is_link<Link<From, Dim>> = true;

/// All links of a kind as one Csr, in tiled ids; the same bytes for any threads, tiles and storage
/// mode. Holds the result twice for a moment. Error(unsupported) if the entries do not fit 4-byte offsets.
template <class L, int Dim>
[[nodiscard]] TiledCsr<L> materialize_links(const TiledMesh<Dim>& tiles, const Enumeration<Dim>& enumeration,
                                            const MaterializeOptions& options = {});

}  // namespace tessera
