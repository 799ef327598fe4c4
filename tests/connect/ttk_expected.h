// What a triangulation under TTK's names should answer, from the oracle.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/mesh/mesh.h>
#include <tessera/tile/tiled_mesh.h>

#include "connect/input_rows.h"

namespace tessera {

/// What the answers should be, in the input's ids.
template <int Dim>
class Expected {
 public:
  Expected(const SimplexMesh<Dim>& mesh, const TiledMesh<Dim>& tiles)
      : mesh_(mesh), tiles_(tiles), complex_(oracle::complex_of(mesh, tiles)) {}

  [[nodiscard]] oracle::IndexRows rows(Kind from, Kind to) const {
    return oracle::in_input_ids(tiles_, from, to,
                                complex_.relation(static_cast<int>(from), static_cast<int>(to)));
  }
  [[nodiscard]] oracle::IndexRows links(Kind from) const {
    const Kind to = static_cast<Kind>(Dim - 1 - static_cast<int>(from));
    return oracle::in_input_ids(tiles_, from, to, complex_.links(static_cast<int>(from)));
  }
  /// The corners of cells, as the input has them.
  [[nodiscard]] oracle::IndexRows corners() const {
    oracle::IndexRows result;
    for (const auto& cell : mesh_.cells) {
      result.emplace_back();
      for (const VertexId v : cell) result.back().push_back(v.index());
    }
    return result;
  }
  [[nodiscard]] std::vector<std::uint8_t> boundary(Kind kind) const {
    const auto flags = complex_.boundary(static_cast<int>(kind));
    std::vector<std::uint8_t> result(flags.size());
    for (std::uint32_t i = 0; i < flags.size(); ++i) result[oracle::input_name(tiles_, kind, i)] = flags[i];
    return result;
  }
  [[nodiscard]] bool is_manifold() const {
    const auto stars = complex_.relation(Dim - 1, Dim);
    return std::all_of(stars.begin(), stars.end(), [](const auto& star) { return star.size() <= 2; });
  }
  [[nodiscard]] int count(int dimension) const { return static_cast<int>(complex_.count(dimension)); }

 private:
  const SimplexMesh<Dim>& mesh_;
  const TiledMesh<Dim>& tiles_;
  oracle::Complex complex_;
};

/// A pair of names and what they should answer.
template <class T>
struct Query {
  const char* name;
  int (T::*number)(const int&) const;
  int (T::*get)(const int&, const int&, int&) const;
  oracle::IndexRows expected;
};

template <class T, int Dim>
std::vector<Query<T>> make_queries(const Expected<Dim>& is) {
  constexpr Kind v = Kind::vertex, e = Kind::edge, f = Kind::face, top = Dim == 3 ? Kind::tet : Kind::face;
  std::vector<Query<T>> queries = {
      {"VertexNeighbor", &T::getVertexNeighborNumber, &T::getVertexNeighbor, is.rows(v, v)},
      {"VertexEdge", &T::getVertexEdgeNumber, &T::getVertexEdge, is.rows(v, e)},
      {"VertexTriangle", &T::getVertexTriangleNumber, &T::getVertexTriangle, is.rows(v, f)},
      {"VertexStar", &T::getVertexStarNumber, &T::getVertexStar, is.rows(v, top)},
      {"VertexLink", &T::getVertexLinkNumber, &T::getVertexLink, is.links(v)},
      {"EdgeVertex", &T::getEdgeVertexNumber, &T::getEdgeVertex, is.rows(e, v)},
      {"EdgeTriangle", &T::getEdgeTriangleNumber, &T::getEdgeTriangle, is.rows(e, f)},
      {"EdgeStar", &T::getEdgeStarNumber, &T::getEdgeStar, is.rows(e, top)},
      {"EdgeLink", &T::getEdgeLinkNumber, &T::getEdgeLink, is.links(e)},
      {"TriangleVertex", &T::getTriangleVertexNumber, &T::getTriangleVertex,
       Dim == 2 ? is.corners() : is.rows(f, v)},
      {"TriangleEdge", &T::getTriangleEdgeNumber, &T::getTriangleEdge, is.rows(f, e)},
      {"CellVertex", &T::getCellVertexNumber, &T::getCellVertex, is.corners()},
      {"CellEdge", &T::getCellEdgeNumber, &T::getCellEdge, is.rows(top, e)},
      {"CellNeighbor", &T::getCellNeighborNumber, &T::getCellNeighbor, is.rows(top, top)},
      // Of surfaces the neighbours: TTK's convention.
      {"CellTriangle", &T::getCellTriangleNumber, &T::getCellTriangle, is.rows(top, f)},
  };
  if constexpr (Dim == 3) {
    queries.push_back({"TriangleStar", &T::getTriangleStarNumber, &T::getTriangleStar, is.rows(f, top)});
    queries.push_back({"TriangleLink", &T::getTriangleLinkNumber, &T::getTriangleLink, is.links(f)});
  }
  return queries;
}

template <class T>
void precondition_all(T& t) {
  for (const int code :
       {t.preconditionVertexNeighbors(), t.preconditionVertexEdges(), t.preconditionVertexTriangles(),
        t.preconditionVertexStars(), t.preconditionVertexLinks(), t.preconditionEdges(),
        t.preconditionEdgeTriangles(), t.preconditionEdgeStars(), t.preconditionEdgeLinks(),
        t.preconditionTriangles(), t.preconditionTriangleEdges(), t.preconditionCellEdges(),
        t.preconditionCellTriangles(), t.preconditionCellNeighbors(), t.preconditionBoundaryVertices(),
        t.preconditionBoundaryEdges(), t.preconditionBoundaryTriangles(), t.preconditionManifold()}) {
    EXPECT_EQ(code, 0);
  }
  EXPECT_EQ(t.preconditionTriangleStars(), t.getDimensionality() == 3 ? 0 : -1);
  EXPECT_EQ(t.preconditionTriangleLinks(), t.getDimensionality() == 3 ? 0 : -2);
}

/// How many answers of a pair of names are wrong; elements forwards or scattered.
template <class T>
std::size_t count_wrong(const T& t, const Query<T>& query, bool scattered) {
  std::size_t wrong = 0;
  const int n = static_cast<int>(query.expected.size());
  for (int k = 0; k < n; ++k) {
    const int id = scattered ? static_cast<int>(k * 7919ll % n) : k;
    const auto& row = query.expected[static_cast<std::size_t>(id)];
    const int size = static_cast<int>(row.size());
    wrong += (t.*query.number)(id) == size ? 0 : 1;
    int out = 0;
    for (int i = 0; i < size; ++i) {
      wrong += (t.*query.get)(id, i, out) == 0 ? 0 : 1;
      wrong += out == static_cast<int>(row[static_cast<std::size_t>(i)]) ? 0 : 1;
    }
    wrong += (t.*query.get)(id, size, out) == -1 && out == -1 ? 0 : 1;
    wrong += (t.*query.get)(id, -1, out) == -1 && out == -1 ? 0 : 1;
  }
  int out = 0;
  wrong += (t.*query.get)(n, 0, out) == -1 && out == -1 ? 0 : 1;
  wrong += (t.*query.get)(-1, 0, out) == -1 && out == -1 ? 0 : 1;
  return wrong;
}

template <class T, int Dim>
void check_boundary(const T& t, const Expected<Dim>& is) {
  const auto vertices = is.boundary(Kind::vertex);
  for (int i = 0; i < is.count(0); ++i)
    ASSERT_EQ(t.isVertexOnBoundary(i), vertices[static_cast<std::size_t>(i)] != 0) << i;
  const auto edges = is.boundary(Kind::edge);
  for (int i = 0; i < is.count(1); ++i)
    ASSERT_EQ(t.isEdgeOnBoundary(i), edges[static_cast<std::size_t>(i)] != 0) << i;
  const auto faces = is.boundary(Kind::face);
  for (int i = 0; i < is.count(2); ++i)
    ASSERT_EQ(t.isTriangleOnBoundary(i), Dim == 3 && faces[static_cast<std::size_t>(i)] != 0) << i;
  EXPECT_FALSE(t.isVertexOnBoundary(-1) || t.isEdgeOnBoundary(is.count(1)));
  EXPECT_EQ(t.isManifold(), is.is_manifold());
}

template <class T, int Dim>
void check_numbers(const T& t, const SimplexMesh<Dim>& mesh, const Expected<Dim>& is) {
  EXPECT_EQ(t.getDimensionality(), Dim);
  EXPECT_EQ(t.getNumberOfVertices(), is.count(0));
  EXPECT_EQ(t.getNumberOfEdges(), is.count(1));
  EXPECT_EQ(t.getNumberOfTriangles(), is.count(2));
  EXPECT_EQ(t.getNumberOfCells(), is.count(Dim));
  EXPECT_FALSE(t.isEmpty());
  EXPECT_FALSE(t.hasPeriodicBoundaries());
  EXPECT_GT(t.footprint(), 0u);
  int vtk = 0;
  EXPECT_EQ(t.getCellVTKID(3, vtk), 0);
  EXPECT_EQ(vtk, 3);
  std::array<float, 3> p{};
  for (int v = 0; v < is.count(0); ++v) {
    ASSERT_EQ(t.getVertexPoint(v, p[0], p[1], p[2]), 0);
    const Vec3d q = mesh.points[VertexId(static_cast<std::uint32_t>(v))];
    ASSERT_EQ(p, (std::array{static_cast<float>(q.x), static_cast<float>(q.y), static_cast<float>(q.z)}));
  }
  EXPECT_EQ(t.getVertexPoint(-1, p[0], p[1], p[2]), -1);
  if (Dim == 2) {  // their triangles are cells
    int out = 0;
    EXPECT_EQ(t.getTriangleStarNumber(0), -1);
    EXPECT_EQ(t.getTriangleStar(0, 0, out), -1);
    EXPECT_EQ(t.getTriangleLinkNumber(0), -1);
    EXPECT_EQ(t.getTriangleLink(0, 0, out), -1);
  }
}

}  // namespace tessera
