#include <tessera/connect/ttk_grid.h>

#include <limits>
#include <string>

#include <tessera/connect/detail/grid_relations.h>
#include <tessera/connect/detail/ttk_incenters.h>
#include <tessera/core/error.h>

namespace tessera {

using namespace detail;

namespace {

template <int Dim>
GridLattice checked_lattice(const Grid& grid) {
  if (dimension(grid) != Dim) {
    throw Error(ErrorCode::unsupported, "a grid with " + std::to_string(dimension(grid)) +
                                            " axes of more than one point is none with " +
                                            std::to_string(Dim));
  }
  return GridLattice(grid);
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming)

template <int Dim>
TtkGrid<Dim>::TtkGrid(const Grid& grid)
    : points_(grid), relations_(std::make_unique<GridRelations<Dim>>(checked_lattice<Dim>(grid))) {
  counts_[0] = checked_ttk_count(relations_->count(Kind::vertex), "vertices");
  counts_[Dim] = checked_ttk_count(relations_->count(top), "cells");
  for (const Kind kind : {Kind::edge, Kind::face}) {
    const std::size_t count = relations_->count(kind);
    const bool fits = count <= static_cast<std::size_t>(std::numeric_limits<SimplexId>::max());
    counts_[static_cast<std::size_t>(kind)] = fits ? static_cast<SimplexId>(count) : -1;
  }
}

template <int Dim>
TtkGrid<Dim>::~TtkGrid() = default;

template <int Dim>
int TtkGrid<Dim>::getVertexPoint(const SimplexId& vertex, float& x, float& y, float& z) const {
  if (!exists(Kind::vertex, vertex)) return -1;
  const Vec3d point = points_[VertexId(static_cast<std::uint32_t>(vertex))];
  x = static_cast<float>(point.x);
  y = static_cast<float>(point.y);
  z = static_cast<float>(point.z);
  return 0;
}

template <int Dim>
detail::GridThreadRows& TtkGrid<Dim>::add_thread() const {
  const std::scoped_lock lock(mutex_);
  return *rows_.emplace_back(std::make_unique<GridThreadRows>());
}

template <int Dim>
template <class R>
void TtkGrid<Dim>::fill(RecentGridRow& recent, SimplexId id) const {
  recent.id = -1;
  recent.size = -1;
  if (!exists(R::from, id)) return;
  const GridRow row = relations_->template row<R>(static_cast<std::uint32_t>(id), recent.own);
  recent.id = id;
  recent.size = row.size;
  recent.base = row.base;
  recent.steps = row.steps;
}

template <int Dim>
bool TtkGrid<Dim>::is_on_boundary(Kind kind, SimplexId id) const {
  return exists(kind, id) && relations_->is_on_boundary(kind, static_cast<std::uint32_t>(id));
}

template <int Dim>
int TtkGrid<Dim>::getEdgeIncenter(SimplexId edge, float incenter[3]) const {
  return edge_incenter(*this, edge, incenter);
}
template <int Dim>
int TtkGrid<Dim>::getTriangleIncenter(SimplexId triangle, float incenter[3]) const {
  return triangle_incenter(*this, triangle, incenter);
}
template <int Dim>
int TtkGrid<Dim>::getTetraIncenter(SimplexId tetra, float incenter[3]) const {
  return tetra_incenter(*this, tetra, incenter);
}
template <int Dim>
int TtkGrid<Dim>::getCellIncenter(SimplexId cell, int dimension, float incenter[3]) const {
  return cell_incenter(*this, cell, dimension, incenter);
}

template <int Dim>
int TtkGrid<Dim>::preconditionEdges() {
  (void)checked_ttk_count(relations_->count(Kind::edge), "edges");
  return 0;
}
template <int Dim>
int TtkGrid<Dim>::preconditionTriangles() {
  (void)checked_ttk_count(relations_->count(Kind::face), "triangles");
  return 0;
}

template <int Dim>
std::size_t TtkGrid<Dim>::footprint() const {
  const std::scoped_lock lock(mutex_);
  return sizeof(*this) + sizeof(GridRelations<Dim>) + (Dim + 1) * sizeof(GridNumbers<Dim>) +
         rows_.size() * sizeof(GridThreadRows);
}

// NOLINTEND(readability-identifier-naming)

static_assert(std::tuple_size_v<decltype(RecentGridRow::own)> == longest_grid_row);

template class TtkGrid<2>;
template class TtkGrid<3>;

#define TS_INSTANTIATE(R, Dim) template void TtkGrid<Dim>::fill<R>(RecentGridRow&, SimplexId) const
TS_INSTANTIATE(VV, 2);
TS_INSTANTIATE(VE, 2);
TS_INSTANTIATE(VF, 2);
TS_INSTANTIATE(EV, 2);
TS_INSTANTIATE(EF, 2);
TS_INSTANTIATE(FV, 2);
TS_INSTANTIATE(FE, 2);
TS_INSTANTIATE(FF, 2);
TS_INSTANTIATE(VertexLink<2>, 2);
TS_INSTANTIATE(EdgeLink<2>, 2);
TS_INSTANTIATE(VV, 3);
TS_INSTANTIATE(VE, 3);
TS_INSTANTIATE(VF, 3);
TS_INSTANTIATE(VT, 3);
TS_INSTANTIATE(EV, 3);
TS_INSTANTIATE(EF, 3);
TS_INSTANTIATE(ET, 3);
TS_INSTANTIATE(FV, 3);
TS_INSTANTIATE(FE, 3);
TS_INSTANTIATE(FT, 3);
TS_INSTANTIATE(TV, 3);
TS_INSTANTIATE(TE, 3);
TS_INSTANTIATE(TF, 3);
TS_INSTANTIATE(TT, 3);
TS_INSTANTIATE(VertexLink<3>, 3);
TS_INSTANTIATE(EdgeLink<3>, 3);
TS_INSTANTIATE(FaceLink<3>, 3);
#undef TS_INSTANTIATE

}  // namespace tessera
