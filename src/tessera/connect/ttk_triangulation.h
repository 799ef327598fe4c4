// TtkTriangulation: a tiled mesh under the names that the algorithms of the Topology ToolKit (TTK) call.
//
//   ts::TtkTriangulation<3> triangulation(mesh, tiles, {.memory = ts::mib(64)});
//   triangulation.preconditionVertexNeighbors();
//   for (int i = 0; i < triangulation.getVertexNeighborNumber(v); ++i) triangulation.getVertexNeighbor(v, i,
//   u);
//
// Names, return values and the conventions for surfaces are TTK's: vertices and cells have the input's ids, a
// cell's vertices come in the input's order, a precondition must be called before its queries, and where the
// mesh is a surface its triangles are its cells. All other rows ascend. Storage is any of ConnectOptions'
// modes; preconditions come one at a time, so the automatic one materializes nothing: it is tiles with an
// explicit enumeration if that fits the memory, else with an implicit one.
//
// TTK asks for an element's count and then for one entry at a time, from many threads. Each thread therefore
// remembers the last row of every relation it asked for, and holds the tile it lies in: most calls are a
// comparison and a load. Of the neighbours of cells it remembers many rows: TTK's 2-separatrices order the
// cells around one edge after the other, and meet each cell several times. Rows downwards (the vertices and
// edges of edges, faces and cells) are read off an explicit enumeration and take no memory.
//
// The options' memory is for the connection. What the names themselves keep comes on top: with tiles and an
// explicit enumeration 8 bytes an edge, 8 a vertex and 4 a cell to search rows in, and a byte for each
// element whose boundary was asked for. A thread's rows of neighbours take 150 KiB.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <tessera/connect/connectivity.h>
#include <tessera/core/macros.h>
#include <tessera/mesh/mesh.h>
#include <tessera/tile/links.h>
#include <tessera/tile/relation.h>

namespace tessera {

namespace detail {

/// The row that a thread asked for last.
struct RecentRow {
  int id = -1;
  int size = -1;  // what is asked of an element that does not exist
  const std::uint32_t* values = nullptr;
};

inline constexpr std::size_t ttk_rows = RelationKey::count;
inline constexpr std::size_t ttk_neighbour_rows = 1024;

/// What a thread remembers: a row of each relation, and rows of the neighbours of cells. `thread` is an
/// address that only that thread has.
struct ThreadRows {
  std::uintptr_t thread = 0;
  ThreadRows* next = nullptr;
  std::array<RecentRow, ttk_rows + ttk_neighbour_rows> recent;
};

template <class R>
constexpr std::size_t ttk_slot() {
  return key_of<R>.index();
}
/// Are many rows remembered? Those of the neighbours of cells.
template <class R>
inline constexpr bool ttk_remembers_many = !is_link<R> && R::from == R::to && R::from != Kind::vertex;
/// The place of a row among those that a thread remembers.
template <class R>
constexpr std::size_t ttk_place(int id) {
  if constexpr (ttk_remembers_many<R>) return ttk_rows + static_cast<unsigned>(id) % ttk_neighbour_rows;
  return ttk_slot<R>();
}

template <int Dim>
class TtkCore;

/// A number that only this thread has: the address of a variable that each has its own of.
inline std::uintptr_t this_thread() {
  static thread_local const char anchor = 0;
  return reinterpret_cast<std::uintptr_t>(&anchor);
}

/// What each thread remembers, which nobody else touches; `Rows` has a `thread` and a `next`.
template <class Rows>
class TtkThreads {
 public:
  /// Those of the thread that calls; `make` gives new ones, which must live as long as this.
  template <class Make>
  Rows& mine(const Make& make) const {
    const std::uintptr_t thread = this_thread();
    std::atomic<Rows*>& list = lists_[static_cast<std::uint64_t>(thread) * 0x9E3779B97F4A7C15ull >> 58];
    Rows* const first = list.load(std::memory_order_acquire);
    if (first != nullptr && first->thread == thread) [[likely]]
      return *first;
    for (Rows* rows = first; rows != nullptr; rows = rows->next) {
      if (rows->thread == thread) return *rows;
    }
    Rows& made = make();
    made.thread = thread;
    made.next = first;
    while (!list.compare_exchange_weak(made.next, &made, std::memory_order_acq_rel)) {
    }
    return made;
  }

 private:
  mutable std::array<std::atomic<Rows*>, 64> lists_{};  // by a hash of the thread
};

}  // namespace detail

/// Gradients that were worked out, by the field they belong to; the least recently used one goes first.
class TtkGradientCache {
 public:
  using Key = std::pair<const void*, std::size_t>;
  using Gradient = std::array<std::vector<int>, 6>;

  explicit TtkGradientCache(std::size_t capacity = 8) : capacity_(capacity) {}
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] bool contains(const Key& key) const;
  void clear() { entries_.clear(); }
  /// Does nothing if the key is there.
  void insert(const Key& key, const Gradient& gradient);
  /// Null if the key is not there; valid until the entry goes.
  [[nodiscard]] Gradient* get(const Key& key);

 private:
  std::size_t capacity_;
  std::list<std::pair<Key, Gradient>> entries_;  // the last one used first
};

// The names below are TTK's.
// NOLINTBEGIN(readability-identifier-naming)

/// The mesh and the tiles must outlive it. Queries may come from any number of threads; preconditions must
/// not run beside them. A query whose precondition was not called is a broken contract; one for an element or
/// an entry that does not exist returns -1. Error(unsupported) from a precondition if the ids do not fit
/// TTK's 4-byte SimplexId.
template <int Dim>
class TtkTriangulation {
 public:
  using SimplexId = int;

  /// The kind of ids in the options is of no account. A precondition is Error(out_of_memory) if what it needs
  /// does not fit.
  TtkTriangulation(const SimplexMesh<Dim>& mesh, const TiledMesh<Dim>& tiles,
                   const ConnectOptions& options = {});
  ~TtkTriangulation();
  TtkTriangulation(const TtkTriangulation&) = delete;
  TtkTriangulation& operator=(const TtkTriangulation&) = delete;

  [[nodiscard]] int getDimensionality() const { return Dim; }
  [[nodiscard]] SimplexId getNumberOfVertices() const { return vertex_count_; }
  [[nodiscard]] SimplexId getNumberOfEdges() const { return counted(edge_count_, "preconditionEdges()"); }
  [[nodiscard]] SimplexId getNumberOfTriangles() const {
    return Dim == 2 ? cell_count_ : counted(triangle_count_, "preconditionTriangles()");
  }
  [[nodiscard]] SimplexId getNumberOfCells() const { return cell_count_; }
  [[nodiscard]] bool isEmpty() const { return vertex_count_ == 0; }
  [[nodiscard]] bool hasPeriodicBoundaries() const { return false; }
  /// Does every triangle of tets, or edge of triangles, have one or two cells?
  [[nodiscard]] bool isManifold() const { return counted(is_manifold_, "preconditionManifold()") == 1; }

  int getVertexPoint(const SimplexId& vertex, float& x, float& y, float& z) const {
    if (!exists(vertex, vertex_count_)) return -1;
    const std::size_t at = 3 * static_cast<std::size_t>(vertex);
    if (floats_ != nullptr) return x = floats_[at], y = floats_[at + 1], z = floats_[at + 2], 0;
    x = static_cast<float>(doubles_[at]);
    y = static_cast<float>(doubles_[at + 1]);
    z = static_cast<float>(doubles_[at + 2]);
    return 0;
  }
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
  int getTriangleVertex(const SimplexId& f, const int& i, SimplexId& out) const {
    if constexpr (Dim == 3) return get<FV>(f, i, out);
    return getCellVertex(f, i, out);
  }
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

  [[nodiscard]] SimplexId getCellVertexNumber(const SimplexId&) const { return Dim + 1; }
  int getCellVertex(const SimplexId& c, const int& i, SimplexId& out) const {
    if (!exists(c, cell_count_) || !exists(i, Dim + 1)) return out = -1;
    out = static_cast<SimplexId>(cells_[static_cast<std::size_t>(c)][static_cast<std::size_t>(i)].index());
    return 0;
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

  /// A facet is on the boundary if one cell has it; what it consists of is too. The triangles of surfaces are
  /// not, as in TTK.
  [[nodiscard]] bool isVertexOnBoundary(const SimplexId& v) const {
    return flagged(vertex_on_boundary_, v, vertex_count_, "preconditionBoundaryVertices()");
  }
  [[nodiscard]] bool isEdgeOnBoundary(const SimplexId& e) const {
    return flagged(edge_on_boundary_, e, edge_count_, "preconditionBoundaryEdges()");
  }
  [[nodiscard]] bool isTriangleOnBoundary(const SimplexId& f) const {
    if constexpr (Dim == 2) return false;
    return flagged(triangle_on_boundary_, f, triangle_count_, "preconditionBoundaryTriangles()");
  }

  /// The middle of an edge.
  int getEdgeIncenter(SimplexId edge, float incenter[3]) const;
  /// The center of the inscribed circle.
  int getTriangleIncenter(SimplexId triangle, float incenter[3]) const;
  /// The mean of the incenters of its triangles.
  int getTetraIncenter(SimplexId tetra, float incenter[3]) const;
  /// One of these, or the point of a vertex, by the dimension of the element.
  int getCellIncenter(SimplexId cell, int dimension, float incenter[3]) const;

  int preconditionVertexNeighbors();
  int preconditionVertexEdges();
  int preconditionVertexTriangles();
  int preconditionVertexStars();
  int preconditionVertexLinks();
  int preconditionEdges();
  int preconditionEdgeTriangles();
  int preconditionEdgeStars();
  int preconditionEdgeLinks();
  int preconditionTriangles();
  int preconditionTriangleEdges();
  int preconditionTriangleStars();  ///< -1 for surfaces
  int preconditionTriangleLinks();  ///< -2 for surfaces
  int preconditionCellEdges();
  int preconditionCellTriangles();
  int preconditionCellNeighbors();
  int preconditionBoundaryVertices();
  int preconditionBoundaryEdges();
  int preconditionBoundaryTriangles();
  int preconditionManifold();

  [[nodiscard]] TtkGradientCache* getGradientCacheHandler() const { return &gradients_; }
  /// Bytes held now, of the mesh and the tiles aside.
  [[nodiscard]] std::size_t footprint() const;

 private:
  static constexpr Kind top = Dim == 3 ? Kind::tet : Kind::face;
  using VertexStars = Relation<Kind::vertex, top>;
  using EdgeStars = Relation<Kind::edge, top>;
  using CellEdges = Relation<top, Kind::edge>;
  using CellNeighbors = Relation<top, top>;
  using CellTriangles = Relation<top, Kind::face>;

  static bool exists(SimplexId id, SimplexId count) {
    return static_cast<unsigned>(id) < static_cast<unsigned>(count);
  }
  [[noreturn]] static void fail(const char* precondition);
  static SimplexId counted(SimplexId count, const char* precondition) {
    if (count < 0) [[unlikely]]
      fail(precondition);
    return count;
  }
  static bool flagged(const std::uint8_t* flags, SimplexId id, SimplexId count, const char* precondition) {
    if (flags == nullptr) [[unlikely]]
      fail(precondition);
    return exists(id, count) && flags[id] != 0;
  }

  template <class R>
  [[nodiscard]] SimplexId count(SimplexId id) const {
    return row<R>(id).size;
  }
  template <class R>
  int get(SimplexId id, int i, SimplexId& out) const {
    const detail::RecentRow& found = row<R>(id);
    if (i < 0 || i >= found.size) [[unlikely]]
      return out = -1;
    out = static_cast<SimplexId>(found.values[i]);
    return 0;
  }
  template <class R>
  const detail::RecentRow& row(SimplexId id) const {
    detail::ThreadRows& mine = threads_.mine([this]() -> detail::ThreadRows& { return add_thread(); });
    const detail::RecentRow& recent = mine.recent[detail::ttk_place<R>(id)];
    if (recent.id != id) [[unlikely]]
      fill<R>(mine, id);
    return recent;
  }
  detail::ThreadRows& add_thread() const;
  template <class R>
  void fill(detail::ThreadRows& mine, SimplexId id) const;
  template <class R>
  void prepare();

  SimplexId vertex_count_ = 0;
  SimplexId edge_count_ = -1;
  SimplexId triangle_count_ = -1;
  SimplexId cell_count_ = 0;
  int is_manifold_ = -1;
  const typename SimplexMesh<Dim>::Cell* cells_ = nullptr;
  const float* floats_ = nullptr;
  const double* doubles_ = nullptr;
  const std::uint8_t* vertex_on_boundary_ = nullptr;
  const std::uint8_t* edge_on_boundary_ = nullptr;
  const std::uint8_t* triangle_on_boundary_ = nullptr;
  detail::TtkThreads<detail::ThreadRows> threads_;
  mutable TtkGradientCache gradients_;
  std::unique_ptr<detail::TtkCore<Dim>> core_;
};

// NOLINTEND(readability-identifier-naming)

}  // namespace tessera
