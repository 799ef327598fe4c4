// TtkAdapter: a TtkTriangulation or a TtkGrid that TTK accepts as one of its own.
//
//   using Triangulation = ts::TtkAdapter<ttk::AbstractTriangulation, ts::TtkTriangulation<3>>;
//   Triangulation triangulation(mesh, tiles, ts::ConnectOptions{.memory = ts::mib(64)});
//   gradient.preconditionTriangulation(&triangulation);
//   gradient.buildGradient(triangulation);
//
// TTK's algorithms are templates over the triangulation, and ask that it derives from
// ttk::AbstractTriangulation. That class is a parameter here, so that Tessera does not need TTK to be built.
// Every virtual function of it that answers a question or prepares for one is overridden; the class is final,
// so that the templates call the answers directly. What remains TTK's own: the gradient cache, and the lists
// of lists (getEdges() and the like), which are empty.
#pragma once

#include <utility>

#include <tessera/connect/ttk_grid.h>
#include <tessera/connect/ttk_triangulation.h>

namespace tessera {

// The names below are TTK's.
// NOLINTBEGIN(readability-identifier-naming)

// A list of entries and how long it is; a number; a test; a preparation.
#define TS_TTK_ROW(Name)                                                            \
  int get##Name(const SimplexId& id, const int& i, SimplexId& out) const override { \
    return names_.get##Name(id, i, out);                                            \
  }                                                                                 \
  SimplexId get##Name##Number(const SimplexId& id) const override {                 \
    return names_.get##Name##Number(id);                                            \
  }
#define TS_TTK_NUMBER(Name)         \
  SimplexId Name() const override { \
    return names_.Name();           \
  }
#define TS_TTK_TEST(Name)                         \
  bool Name(const SimplexId& id) const override { \
    return names_.Name(id);                       \
  }
#define TS_TTK_PREPARE(Name)            \
  int precondition##Name() override {   \
    return names_.precondition##Name(); \
  }

/// Answers as `Names` do, a TtkTriangulation or a TtkGrid, which it makes of its arguments and holds.
template <class Abstract, class Names>
class TtkAdapter final : public Abstract {
 public:
  using SimplexId = int;  // TTK's own, unless it was built with 8-byte ids, which do not compile here

  template <class... Arguments>
  explicit TtkAdapter(Arguments&&... arguments) : names_(std::forward<Arguments>(arguments)...) {}

  [[nodiscard]] const Names& names() const { return names_; }

  int getDimensionality() const override { return names_.getDimensionality(); }
  TS_TTK_NUMBER(getNumberOfVertices)
  TS_TTK_NUMBER(getNumberOfEdges)
  TS_TTK_NUMBER(getNumberOfTriangles)
  TS_TTK_NUMBER(getNumberOfCells)
  bool isEmpty() const override { return names_.isEmpty(); }
  bool isManifold() const override { return names_.isManifold(); }

  int getVertexPoint(const SimplexId& v, float& x, float& y, float& z) const override {
    return names_.getVertexPoint(v, x, y, z);
  }
  TS_TTK_ROW(VertexNeighbor)
  TS_TTK_ROW(VertexEdge)
  TS_TTK_ROW(VertexTriangle)
  TS_TTK_ROW(VertexStar)
  TS_TTK_ROW(VertexLink)
  int getEdgeVertex(const SimplexId& e, const int& i, SimplexId& out) const override {
    return names_.getEdgeVertex(e, i, out);
  }
  TS_TTK_ROW(EdgeTriangle)
  TS_TTK_ROW(EdgeStar)
  TS_TTK_ROW(EdgeLink)
  int getTriangleVertex(const SimplexId& f, const int& i, SimplexId& out) const override {
    return names_.getTriangleVertex(f, i, out);
  }
  TS_TTK_ROW(TriangleEdge)
  TS_TTK_ROW(TriangleStar)
  TS_TTK_ROW(TriangleLink)
  TS_TTK_ROW(CellVertex)
  TS_TTK_ROW(CellEdge)
  TS_TTK_ROW(CellTriangle)
  TS_TTK_ROW(CellNeighbor)
  int getCellVTKID(const int& ttk_id, int& vtk_id) const override {
    return names_.getCellVTKID(ttk_id, vtk_id);
  }

  TS_TTK_TEST(isVertexOnBoundary)
  TS_TTK_TEST(isEdgeOnBoundary)
  TS_TTK_TEST(isTriangleOnBoundary)

  // These hide functions of TTK's that are not virtual and do the same.
  int getEdgeIncenter(const SimplexId e, float incenter[3]) const {
    return names_.getEdgeIncenter(e, incenter);
  }
  int getTriangleIncenter(const SimplexId f, float incenter[3]) const {
    return names_.getTriangleIncenter(f, incenter);
  }
  int getTetraIncenter(const SimplexId t, float incenter[3]) const {
    return names_.getTetraIncenter(t, incenter);
  }
  int getCellIncenter(const SimplexId c, const int dimension, float incenter[3]) const {
    return names_.getCellIncenter(c, dimension, incenter);
  }

  TS_TTK_PREPARE(VertexNeighbors)
  TS_TTK_PREPARE(VertexEdges)
  TS_TTK_PREPARE(VertexTriangles)
  TS_TTK_PREPARE(VertexStars)
  TS_TTK_PREPARE(VertexLinks)
  TS_TTK_PREPARE(Edges)
  TS_TTK_PREPARE(EdgeTriangles)
  TS_TTK_PREPARE(EdgeStars)
  TS_TTK_PREPARE(EdgeLinks)
  TS_TTK_PREPARE(Triangles)
  TS_TTK_PREPARE(TriangleEdges)
  TS_TTK_PREPARE(TriangleStars)
  TS_TTK_PREPARE(TriangleLinks)
  TS_TTK_PREPARE(CellEdges)
  TS_TTK_PREPARE(CellTriangles)
  TS_TTK_PREPARE(CellNeighbors)
  TS_TTK_PREPARE(BoundaryVertices)
  TS_TTK_PREPARE(BoundaryEdges)
  TS_TTK_PREPARE(BoundaryTriangles)
  TS_TTK_PREPARE(Manifold)

 private:
  Names names_;
};

#undef TS_TTK_ROW
#undef TS_TTK_NUMBER
#undef TS_TTK_TEST
#undef TS_TTK_PREPARE

// NOLINTEND(readability-identifier-naming)

}  // namespace tessera
