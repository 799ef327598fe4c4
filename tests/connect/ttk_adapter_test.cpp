// The adapter under a stand-in for TTK's abstract class: everything that is called through it is answered.
#include <gtest/gtest.h>

#include <algorithm>

#include <tessera/connect/ttk_adapter.h>
#include <tessera/mesh/make.h>

namespace tessera {
namespace {

// NOLINTBEGIN(readability-identifier-naming,bugprone-macro-parentheses)

/// The functions of TTK's abstract triangulation, all without an answer.
struct StandIn {
  using Id = int;
  virtual ~StandIn() = default;
#define TS_ROW(Name)                                        \
  virtual int get##Name(const Id&, const int&, Id&) const { \
    return -9;                                              \
  }                                                         \
  virtual Id get##Name##Number(const Id&) const {           \
    return -9;                                              \
  }
#define TS_NUMBER(Name)      \
  virtual int Name() const { \
    return -9;               \
  }
#define TS_TEST(Name)                  \
  virtual bool Name(const Id&) const { \
    return false;                      \
  }
#define TS_PREPARE(Name)             \
  virtual int precondition##Name() { \
    return -9;                       \
  }
  TS_ROW(VertexNeighbor)
  TS_ROW(VertexEdge)
  TS_ROW(VertexTriangle)
  TS_ROW(VertexStar)
  TS_ROW(VertexLink)
  TS_ROW(EdgeTriangle)
  TS_ROW(EdgeStar)
  TS_ROW(EdgeLink)
  TS_ROW(TriangleEdge)
  TS_ROW(TriangleStar)
  TS_ROW(TriangleLink)
  TS_ROW(CellVertex)
  TS_ROW(CellEdge)
  TS_ROW(CellTriangle)
  TS_ROW(CellNeighbor)
  virtual int getEdgeVertex(const Id&, const int&, Id&) const {
    return -9;
  }
  virtual int getTriangleVertex(const Id&, const int&, Id&) const {
    return -9;
  }
  virtual int getVertexPoint(const Id&, float&, float&, float&) const {
    return -9;
  }
  virtual int getCellVTKID(const int&, int&) const {
    return -9;
  }
  TS_NUMBER(getDimensionality)
  TS_NUMBER(getNumberOfVertices)
  TS_NUMBER(getNumberOfEdges)
  TS_NUMBER(getNumberOfTriangles)
  TS_NUMBER(getNumberOfCells)
  virtual bool isEmpty() const {
    return true;
  }
  virtual bool isManifold() const {
    return false;
  }
  TS_TEST(isVertexOnBoundary)
  TS_TEST(isEdgeOnBoundary)
  TS_TEST(isTriangleOnBoundary)
  TS_PREPARE(VertexNeighbors)
  TS_PREPARE(VertexEdges)
  TS_PREPARE(VertexTriangles)
  TS_PREPARE(VertexStars)
  TS_PREPARE(VertexLinks)
  TS_PREPARE(Edges)
  TS_PREPARE(EdgeTriangles)
  TS_PREPARE(EdgeStars)
  TS_PREPARE(EdgeLinks)
  TS_PREPARE(Triangles)
  TS_PREPARE(TriangleEdges)
  TS_PREPARE(TriangleStars)
  TS_PREPARE(TriangleLinks)
  TS_PREPARE(CellEdges)
  TS_PREPARE(CellTriangles)
  TS_PREPARE(CellNeighbors)
  TS_PREPARE(BoundaryVertices)
  TS_PREPARE(BoundaryEdges)
  TS_PREPARE(BoundaryTriangles)
  TS_PREPARE(Manifold)
#undef TS_ROW
#undef TS_NUMBER
#undef TS_TEST
#undef TS_PREPARE
};

// NOLINTEND(readability-identifier-naming,bugprone-macro-parentheses)

void precondition_all(StandIn& t) {
  for (const int code :
       {t.preconditionVertexNeighbors(),   t.preconditionVertexEdges(),      t.preconditionVertexTriangles(),
        t.preconditionVertexStars(),       t.preconditionVertexLinks(),      t.preconditionEdges(),
        t.preconditionEdgeTriangles(),     t.preconditionEdgeStars(),        t.preconditionEdgeLinks(),
        t.preconditionTriangles(),         t.preconditionTriangleEdges(),    t.preconditionTriangleStars(),
        t.preconditionTriangleLinks(),     t.preconditionCellEdges(),        t.preconditionCellTriangles(),
        t.preconditionCellNeighbors(),     t.preconditionBoundaryVertices(), t.preconditionBoundaryEdges(),
        t.preconditionBoundaryTriangles(), t.preconditionManifold()}) {
    EXPECT_EQ(code, 0);
  }
}

// One tet: every number can be counted by hand.
TEST(TtkAdapter, AnswersThroughTheAbstractClass) {
  const TetMesh mesh = make_small_solid("one_tet");
  const TiledMesh<3> tiles = tile(mesh);
  TtkAdapter<StandIn, TtkTriangulation<3>> adapter(mesh, tiles);
  StandIn& t = adapter;
  precondition_all(t);
  EXPECT_EQ(t.getDimensionality(), 3);
  EXPECT_EQ(t.getNumberOfVertices(), 4);
  EXPECT_EQ(t.getNumberOfEdges(), 6);
  EXPECT_EQ(t.getNumberOfTriangles(), 4);
  EXPECT_EQ(t.getNumberOfCells(), 1);
  EXPECT_FALSE(t.isEmpty());
  EXPECT_TRUE(t.isManifold());
  const auto check = [&](auto number, auto get, int size) {
    int out = -1;
    EXPECT_EQ((t.*number)(0), size);
    EXPECT_EQ((t.*get)(0, 0, out), size > 0 ? 0 : -1);
    EXPECT_EQ(out >= 0, size > 0);
  };
  check(&StandIn::getVertexNeighborNumber, &StandIn::getVertexNeighbor, 3);
  check(&StandIn::getVertexEdgeNumber, &StandIn::getVertexEdge, 3);
  check(&StandIn::getVertexTriangleNumber, &StandIn::getVertexTriangle, 3);
  check(&StandIn::getVertexStarNumber, &StandIn::getVertexStar, 1);
  check(&StandIn::getVertexLinkNumber, &StandIn::getVertexLink, 1);
  check(&StandIn::getEdgeTriangleNumber, &StandIn::getEdgeTriangle, 2);
  check(&StandIn::getEdgeStarNumber, &StandIn::getEdgeStar, 1);
  check(&StandIn::getEdgeLinkNumber, &StandIn::getEdgeLink, 1);
  check(&StandIn::getTriangleEdgeNumber, &StandIn::getTriangleEdge, 3);
  check(&StandIn::getTriangleStarNumber, &StandIn::getTriangleStar, 1);
  check(&StandIn::getTriangleLinkNumber, &StandIn::getTriangleLink, 1);
  check(&StandIn::getCellVertexNumber, &StandIn::getCellVertex, 4);
  check(&StandIn::getCellEdgeNumber, &StandIn::getCellEdge, 6);
  check(&StandIn::getCellTriangleNumber, &StandIn::getCellTriangle, 4);
  check(&StandIn::getCellNeighborNumber, &StandIn::getCellNeighbor, 0);
  int out = -1;
  EXPECT_EQ(t.getEdgeVertex(5, 1, out), 0);
  EXPECT_EQ(out, 3);
  EXPECT_EQ(t.getTriangleVertex(3, 0, out), 0);
  EXPECT_EQ(out, 1);
  EXPECT_EQ(t.getCellVTKID(0, out), 0);
  std::array<float, 3> p{};
  EXPECT_EQ(t.getVertexPoint(0, p[0], p[1], p[2]), 0);
  EXPECT_TRUE(t.isVertexOnBoundary(0) && t.isEdgeOnBoundary(0) && t.isTriangleOnBoundary(0));
  EXPECT_EQ(adapter.getEdgeIncenter(0, p.data()), 0);
  EXPECT_EQ(adapter.getTriangleIncenter(0, p.data()), 0);
  EXPECT_EQ(adapter.getTetraIncenter(0, p.data()), 0);
  EXPECT_EQ(adapter.getCellIncenter(0, 3, p.data()), 0);
  EXPECT_EQ(adapter.names().getNumberOfCells(), 1);
}

// A voxel has its six tetrahedra around one diagonal.
TEST(TtkAdapter, HoldsGridsToo) {
  Grid grid;
  grid.dims = {2, 2, 2};
  TtkAdapter<StandIn, TtkGrid<3>> adapter(grid);
  StandIn& t = adapter;
  precondition_all(t);
  EXPECT_EQ(t.getDimensionality(), 3);
  EXPECT_EQ(t.getNumberOfVertices(), 8);
  EXPECT_EQ(t.getNumberOfEdges(), 19);
  EXPECT_EQ(t.getNumberOfTriangles(), 18);
  EXPECT_EQ(t.getNumberOfCells(), 6);
  int longest = 0;
  for (int e = 0; e < 19; ++e) longest = std::max(longest, t.getEdgeStarNumber(e));
  EXPECT_EQ(longest, 6);
}

}  // namespace
}  // namespace tessera
