// TtkGrid: a grid under the names that the algorithms of the Topology ToolKit (TTK) call, cut as TTK and
// triangulate() cut it.
//
//   ts::TtkGrid<3> triangulation(grid);
//   for (int i = 0; i < triangulation.getVertexNeighborNumber(v); ++i) triangulation.getVertexNeighbor(v, i,
//   u);
//
// Nothing is stored but tables of some kilobytes and, for each thread, the last row of every relation: every
// answer is worked out from the number that is asked for. Names, numbers and conventions are those of
// TtkTriangulation over the cut (ttk_triangulation.h), so the answers are the same. Preconditions only check
// that the ids fit: rows of elements that have more must not be asked for. Any number of threads may ask.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <tessera/connect/ttk_triangulation.h>
#include <tessera/mesh/mesh.h>
#include <tessera/mesh/triangulate.h>

namespace tessera {

namespace detail {

template <int Dim>
class GridRelations;

/// The row that a thread asked for last: entry i is base + steps[i].
struct RecentGridRow {
  int id = -1;
  int size = -1;  // what is asked of an element that does not exist
  std::uint32_t base = 0;
  const std::uint32_t* steps = nullptr;
  std::array<std::uint32_t, 36> own;
};
struct GridThreadRows {
  std::uintptr_t thread = 0;
  GridThreadRows* next = nullptr;
  std::array<RecentGridRow, ttk_rows> recent;
};

}  // namespace detail

// The names below are TTK's.
// NOLINTBEGIN(readability-identifier-naming)

/// A grid with two axes (`Dim` 2), in any direction, or three. It must outlive this. Error(unsupported) if it
/// has another number of axes or more vertices or cells than TTK's 4-byte SimplexId; from a precondition if
/// edges or triangles have.
template <int Dim>
class TtkGrid {
 public:
  using SimplexId = int;

  explicit TtkGrid(const Grid& grid);
  TtkGrid(Grid&&) = delete;
  ~TtkGrid();
  TtkGrid(const TtkGrid&) = delete;
  TtkGrid& operator=(const TtkGrid&) = delete;

  [[nodiscard]] int getDimensionality() const { return Dim; }
  [[nodiscard]] SimplexId getNumberOfVertices() const { return counts_[0]; }
  /// -1 if there are more than ids.
  [[nodiscard]] SimplexId getNumberOfEdges() const { return counts_[1]; }
  [[nodiscard]] SimplexId getNumberOfTriangles() const { return counts_[2]; }
  [[nodiscard]] SimplexId getNumberOfCells() const { return counts_[Dim]; }
  [[nodiscard]] bool isEmpty() const { return false; }
  [[nodiscard]] bool hasPeriodicBoundaries() const { return false; }
  [[nodiscard]] bool isManifold() const { return true; }

  int getVertexPoint(const SimplexId& vertex, float& x, float& y, float& z) const;

  [[nodiscard]] SimplexId getVertexNeighborNumber(const SimplexId& v) const { return count<VV>(v); }
  int getVertexNeighbor(const SimplexId& v, const int& i, SimplexId& out) const { return get<VV>(v, i, out); }
  [[nodiscard]] SimplexId getVertexEdgeNumber(const SimplexId& v) const { return count<VE>(v); }
  int getVertexEdge(const SimplexId& v, const int& i, SimplexId& out) const { return get<VE>(v, i, out); }
  [[nodiscard]] SimplexId getVertexTriangleNumber(const SimplexId& v) const { return count<VF>(v); }
  int getVertexTriangle(const SimplexId& v, const int& i, SimplexId& out) const { return get<VF>(v, i, out); }
  [[nodiscard]] SimplexId getVertexStarNumber(const SimplexId& v) const { return count<VertexStars>(v); }
  int getVertexStar(const SimplexId& v, const int& i, SimplexId& out) const {
    return get<VertexStars>(v, i, out);
  }
  [[nodiscard]] SimplexId getVertexLinkNumber(const SimplexId& v) const { return count<VertexLink<Dim>>(v); }
  int getVertexLink(const SimplexId& v, const int& i, SimplexId& out) const {
    return get<VertexLink<Dim>>(v, i, out);
  }

  [[nodiscard]] int getEdgeVertexNumber(const SimplexId&) const { return 2; }
  int getEdgeVertex(const SimplexId& e, const int& i, SimplexId& out) const { return get<EV>(e, i, out); }
  [[nodiscard]] SimplexId getEdgeTriangleNumber(const SimplexId& e) const { return count<EF>(e); }
  int getEdgeTriangle(const SimplexId& e, const int& i, SimplexId& out) const { return get<EF>(e, i, out); }
  [[nodiscard]] SimplexId getEdgeStarNumber(const SimplexId& e) const { return count<EdgeStars>(e); }
  int getEdgeStar(const SimplexId& e, const int& i, SimplexId& out) const {
    return get<EdgeStars>(e, i, out);
  }
  [[nodiscard]] SimplexId getEdgeLinkNumber(const SimplexId& e) const { return count<EdgeLink<Dim>>(e); }
  int getEdgeLink(const SimplexId& e, const int& i, SimplexId& out) const {
    return get<EdgeLink<Dim>>(e, i, out);
  }

  [[nodiscard]] int getTriangleVertexNumber(const SimplexId&) const { return 3; }
  int getTriangleVertex(const SimplexId& f, const int& i, SimplexId& out) const { return get<FV>(f, i, out); }
  [[nodiscard]] SimplexId getTriangleEdgeNumber(const SimplexId& f) const { return count<FE>(f); }
  int getTriangleEdge(const SimplexId& f, const int& i, SimplexId& out) const { return get<FE>(f, i, out); }
  /// Of surfaces -1, as in TTK: their triangles have no star.
  [[nodiscard]] SimplexId getTriangleStarNumber(const SimplexId& f) const {
    if constexpr (Dim == 3) return count<FT>(f);
    return -1;
  }
  int getTriangleStar(const SimplexId& f, const int& i, SimplexId& out) const {
    if constexpr (Dim == 3) return get<FT>(f, i, out);
    return out = -1;
  }
  /// Of surfaces -1.
  [[nodiscard]] SimplexId getTriangleLinkNumber(const SimplexId& f) const {
    if constexpr (Dim == 3) return count<FaceLink<3>>(f);
    return -1;
  }
  int getTriangleLink(const SimplexId& f, const int& i, SimplexId& out) const {
    if constexpr (Dim == 3) return get<FaceLink<3>>(f, i, out);
    return out = -1;
  }

  [[nodiscard]] int getCellVertexNumber(const SimplexId&) const { return Dim + 1; }
  int getCellVertex(const SimplexId& c, const int& i, SimplexId& out) const {
    return get<Relation<top, Kind::vertex>>(c, i, out);
  }
  [[nodiscard]] SimplexId getCellEdgeNumber(const SimplexId& c) const { return count<CellEdges>(c); }
  int getCellEdge(const SimplexId& c, const int& i, SimplexId& out) const {
    return get<CellEdges>(c, i, out);
  }
  /// Of surfaces the neighbours, as in TTK.
  [[nodiscard]] SimplexId getCellTriangleNumber(const SimplexId& c) const { return count<CellTriangles>(c); }
  int getCellTriangle(const SimplexId& c, const int& i, SimplexId& out) const {
    return get<CellTriangles>(c, i, out);
  }
  [[nodiscard]] SimplexId getCellNeighborNumber(const SimplexId& c) const { return count<CellNeighbors>(c); }
  int getCellNeighbor(const SimplexId& c, const int& i, SimplexId& out) const {
    return get<CellNeighbors>(c, i, out);
  }
  int getCellVTKID(const int& ttk_id, int& vtk_id) const { return vtk_id = ttk_id, 0; }

  [[nodiscard]] bool isVertexOnBoundary(const SimplexId& v) const { return is_on_boundary(Kind::vertex, v); }
  [[nodiscard]] bool isEdgeOnBoundary(const SimplexId& e) const { return is_on_boundary(Kind::edge, e); }
  /// The triangles of surfaces are not, as in TTK.
  [[nodiscard]] bool isTriangleOnBoundary(const SimplexId& f) const {
    return Dim == 3 && is_on_boundary(Kind::face, f);
  }

  int getEdgeIncenter(SimplexId edge, float incenter[3]) const;
  int getTriangleIncenter(SimplexId triangle, float incenter[3]) const;
  int getTetraIncenter(SimplexId tetra, float incenter[3]) const;
  int getCellIncenter(SimplexId cell, int dimension, float incenter[3]) const;

  int preconditionVertexNeighbors() { return 0; }
  int preconditionVertexEdges() { return preconditionEdges(); }
  int preconditionVertexTriangles() { return preconditionTriangles(); }
  int preconditionVertexStars() { return 0; }
  int preconditionVertexLinks() { return Dim == 2 ? preconditionEdges() : preconditionTriangles(); }
  int preconditionEdges();
  int preconditionEdgeTriangles() { return preconditionEdges() + preconditionTriangles(); }
  int preconditionEdgeStars() { return preconditionEdges(); }
  int preconditionEdgeLinks() { return preconditionEdges(); }
  int preconditionTriangles();
  int preconditionTriangleEdges() { return preconditionEdges() + preconditionTriangles(); }
  int preconditionTriangleStars() { return Dim == 2 ? -1 : preconditionTriangles(); }
  int preconditionTriangleLinks() { return Dim == 2 ? -2 : preconditionTriangles(); }
  int preconditionCellEdges() { return preconditionEdges(); }
  int preconditionCellTriangles() { return preconditionTriangles(); }
  int preconditionCellNeighbors() { return 0; }
  int preconditionBoundaryVertices() { return 0; }
  int preconditionBoundaryEdges() { return preconditionEdges(); }
  int preconditionBoundaryTriangles() { return preconditionTriangles(); }
  int preconditionManifold() { return 0; }

  [[nodiscard]] TtkGradientCache* getGradientCacheHandler() const { return &gradients_; }
  /// Bytes held now, of the grid aside.
  [[nodiscard]] std::size_t footprint() const;

 private:
  static constexpr Kind top = Dim == 3 ? Kind::tet : Kind::face;
  using VertexStars = Relation<Kind::vertex, top>;
  using EdgeStars = Relation<Kind::edge, top>;
  using CellEdges = Relation<top, Kind::edge>;
  using CellNeighbors = Relation<top, top>;
  using CellTriangles = Relation<top, Kind::face>;

  [[nodiscard]] bool exists(Kind kind, SimplexId id) const {
    return id >= 0 && id < counts_[static_cast<std::size_t>(kind)];
  }
  template <class R>
  [[nodiscard]] SimplexId count(SimplexId id) const {
    return row<R>(id).size;
  }
  template <class R>
  int get(SimplexId id, int i, SimplexId& out) const {
    const detail::RecentGridRow& found = row<R>(id);
    if (i < 0 || i >= found.size) [[unlikely]]
      return out = -1;
    out = static_cast<SimplexId>(found.base + found.steps[i]);
    return 0;
  }
  template <class R>
  const detail::RecentGridRow& row(SimplexId id) const {
    detail::GridThreadRows& mine =
        threads_.mine([this]() -> detail::GridThreadRows& { return add_thread(); });
    detail::RecentGridRow& recent = mine.recent[detail::ttk_slot<R>()];
    if (recent.id != id) [[unlikely]]
      fill<R>(recent, id);
    return recent;
  }
  template <class R>
  void fill(detail::RecentGridRow& recent, SimplexId id) const;
  detail::GridThreadRows& add_thread() const;
  [[nodiscard]] bool is_on_boundary(Kind kind, SimplexId id) const;

  std::array<SimplexId, Dim + 1> counts_ = {};  // -1: more than ids
  GridPoints points_;
  mutable TtkGradientCache gradients_;
  std::unique_ptr<detail::GridRelations<Dim>> relations_;
  detail::TtkThreads<detail::GridThreadRows> threads_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<detail::GridThreadRows>> rows_;  // of all threads
};

// NOLINTEND(readability-identifier-naming)

}  // namespace tessera
