// Relations: the compile-time table of who can be asked for whom.
//
// XY gives, for every element of kind X, the ids of the elements of kind Y: its faces (EV), its cofaces (VE),
// or its neighbours of the same kind (VV: sharing an edge; EE: a vertex; FF: an edge; TT: a triangle). Rows
// ascend. Others keep the input's winding instead: OrientedFV, OrientedTV, CyclicVV and, on surfaces
// (surface.h), OrientedFE and Diamond. Links (links.h) list what lies opposite an element, such as the
// vertices opposite an edge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <tessera/core/id.h>

namespace tessera {

/// Kinds of elements by their dimension.
enum class Kind { vertex = 0, edge = 1, face = 2, tet = 3 };

template <Kind K>
using IdOf = std::conditional_t<
    K == Kind::vertex, VertexId,
    std::conditional_t<K == Kind::edge, EdgeId, std::conditional_t<K == Kind::face, FaceId, TetId>>>;

namespace tiled {
template <Kind K>
using IdOf = std::conditional_t<
    K == Kind::vertex, VertexId,
    std::conditional_t<K == Kind::edge, EdgeId, std::conditional_t<K == Kind::face, FaceId, TetId>>>;
}  // namespace tiled

/// The order of a row's entries.
enum class Form : std::uint8_t {
  ascending,
  oriented,  ///< corners of a cell as the input winds them, from the lowest vertex on
  cyclic,    ///< neighbours of a vertex in the order in which the triangles around it wind
  diamond,   ///< the ends of an edge, then the vertices opposite it on its left and on its right
};

template <Kind From, Kind To, Form F = Form::ascending>
struct Relation {
  static constexpr Kind from = From;
  static constexpr Kind to = To;
  static constexpr Form form = F;
  using Row = IdOf<From>;
  using Entry = IdOf<To>;
  using TiledRow = tiled::IdOf<From>;
  using TiledEntry = tiled::IdOf<To>;
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

/// The corners of a triangle: a rotation of the input's.
using OrientedFV = Relation<Kind::face, Kind::vertex, Form::oriented>;
/// The corners of a tet: an even permutation of the input's.
using OrientedTV = Relation<Kind::tet, Kind::vertex, Form::oriented>;
/// The ring around a vertex of a surface. An open fan begins at the boundary and has one neighbour more than
/// triangles; a closed one begins at its lowest neighbour. Where the triangles are not one fan, or do not
/// wind alike, there is no ring and the row is empty.
using CyclicVV = Relation<Kind::vertex, Kind::vertex, Form::cyclic>;
/// The edges of a triangle in the order of OrientedFV: edge k leads from corner k to corner k + 1. Edges
/// point from their lower to their higher vertex, so that edge k runs against the winding if corner k is the
/// higher.
using OrientedFE = Relation<Kind::face, Kind::edge, Form::oriented>;
/// Four entries for an edge from a to b (a < b): a, b, and the vertices opposite it in the triangle that
/// winds from a to b (the left one) and in the one that winds from b to a; invalid where there is no
/// triangle. Where an edge has more than two triangles, or two that wind alike, there is no left and right:
/// both are invalid.
using Diamond = Relation<Kind::edge, Kind::vertex, Form::diamond>;

/// Does a mesh of this dimension have the relation, with ascending rows?
template <class R, int Dim>
concept RelationOf = static_cast<int>(R::from) <= Dim&& static_cast<int>(R::to) <= Dim&& R::form
                     == Form::ascending;

/// Can push hand it out? All of the above, links, and the relations that keep the winding.
template <class R, int Dim>
concept PushableOf = RelationOf<R, Dim> ||(R::form == Form::oriented && static_cast<int>(R::from) == Dim &&
                                           R::to == Kind::vertex) ||
                     (R::form == Form::cyclic && Dim == 2);

/// Does a relation name edges or faces that only an enumeration numbers?
template <class R, int Dim>
inline constexpr bool needs_enumeration = (R::from != Kind::vertex && static_cast<int>(R::from) != Dim) ||
                                          (R::to != Kind::vertex && static_cast<int>(R::to) != Dim);

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

/// Links (links.h) are named like relations.
template <class L>
inline constexpr bool is_link = false;

/// A relation, or a link, as a value, where the type is not known before the program runs.
struct RelationKey {
  static constexpr std::size_t count = 19;  ///< sixteen relations, three links

  Kind from = Kind::vertex;
  Kind to = Kind::vertex;
  bool is_link = false;
  Form form = Form::ascending;

  [[nodiscard]] constexpr std::size_t index() const {
    if (is_link) return 16 + static_cast<std::size_t>(from);
    return 4 * static_cast<std::size_t>(from) + static_cast<std::size_t>(to);
  }
  /// "VT"; "vertex links".
  [[nodiscard]] std::string name() const {
    constexpr std::string_view letters = "VEFT";
    constexpr std::string_view words[] = {"vertex links", "edge links", "face links"};
    if (is_link) return std::string(words[static_cast<std::size_t>(from)]);
    if (form == Form::cyclic) return "cyclic VV";
    if (form == Form::diamond) return "diamonds";
    if (form == Form::oriented)
      return {'o',
              'r',
              'i',
              'e',
              'n',
              't',
              'e',
              'd',
              ' ',
              letters[static_cast<std::size_t>(from)],
              letters[static_cast<std::size_t>(to)]};
    return {letters[static_cast<std::size_t>(from)], letters[static_cast<std::size_t>(to)]};
  }
  friend constexpr bool operator==(const RelationKey&, const RelationKey&) = default;
};

template <class R>
inline constexpr RelationKey key_of = {R::from, R::to, is_link<R>, R::form};

/// Every relation of a dimension, in the order of relation.h.
[[nodiscard]] std::vector<RelationKey> list_relations(int dimension);
/// The links of a dimension, from those of vertices up.
[[nodiscard]] std::vector<RelationKey> list_links(int dimension);
/// "VT" or "vt"; nothing if a mesh of the dimension has no such relation.
[[nodiscard]] std::optional<RelationKey> find_relation(std::string_view name, int dimension);

}  // namespace tessera
