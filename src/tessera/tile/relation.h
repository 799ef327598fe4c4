// Relations: the compile-time table of who can be asked for whom.
//
// XY gives, for every element of kind X, the ids of the elements of kind Y: its faces (EV), its cofaces (VE),
// or its neighbours of the same kind (VV: sharing an edge; EE: a vertex; FF: an edge; TT: a triangle).
#pragma once

#include <string_view>
#include <type_traits>

#include <tessera/core/id.h>

namespace tessera {

/// Kinds of elements by their dimension.
enum class Kind { vertex = 0, edge = 1, face = 2, tet = 3 };

template <Kind K>
using IdOf = std::conditional_t<
    K == Kind::vertex, VertexId,
    std::conditional_t<K == Kind::edge, EdgeId, std::conditional_t<K == Kind::face, FaceId, TetId>>>;

template <Kind From, Kind To>
struct Relation {
  static constexpr Kind from = From;
  static constexpr Kind to = To;
  using Row = IdOf<From>;
  using Entry = IdOf<To>;
  /// The entries are faces of the row's element: rows all have the same length.
  static constexpr bool is_boundary = To < From;
  static constexpr bool is_coboundary = From < To;
  static constexpr bool is_adjacency = From == To;
};

using EV = Relation<Kind::edge, Kind::vertex>;
using FV = Relation<Kind::face, Kind::vertex>;
using FE = Relation<Kind::face, Kind::edge>;
using TV = Relation<Kind::tet, Kind::vertex>;
using TE = Relation<Kind::tet, Kind::edge>;
using TF = Relation<Kind::tet, Kind::face>;
using VE = Relation<Kind::vertex, Kind::edge>;
using VF = Relation<Kind::vertex, Kind::face>;
using VT = Relation<Kind::vertex, Kind::tet>;
using EF = Relation<Kind::edge, Kind::face>;
using ET = Relation<Kind::edge, Kind::tet>;
using FT = Relation<Kind::face, Kind::tet>;
using VV = Relation<Kind::vertex, Kind::vertex>;
using EE = Relation<Kind::edge, Kind::edge>;
using FF = Relation<Kind::face, Kind::face>;
using TT = Relation<Kind::tet, Kind::tet>;

/// Does a mesh of this dimension have the relation?
template <class R, int Dim>
concept RelationOf = static_cast<int>(R::from) <= Dim&& static_cast<int>(R::to) <= Dim;

/// Calls f(R{}, "XY") for every relation of the dimension, in the order above.
template <int Dim, class F>
constexpr void for_each_relation(F&& f) {
  const auto offer = [&]<class R>(R relation, std::string_view name) {
    if constexpr (RelationOf<R, Dim>) f(relation, name);
  };
  offer(EV{}, "EV"), offer(FV{}, "FV"), offer(FE{}, "FE"), offer(TV{}, "TV"), offer(TE{}, "TE"),
      offer(TF{}, "TF");
  offer(VE{}, "VE"), offer(VF{}, "VF"), offer(VT{}, "VT"), offer(EF{}, "EF"), offer(ET{}, "ET"),
      offer(FT{}, "FT");
  offer(VV{}, "VV"), offer(EE{}, "EE"), offer(FF{}, "FF"), offer(TT{}, "TT");
}

}  // namespace tessera
