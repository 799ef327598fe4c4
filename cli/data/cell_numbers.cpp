#include "data/cell_numbers.h"

#include <algorithm>
#include <limits>

namespace tessera::cli {

template <int Dim>
CellNumbers<Dim>::CellNumbers(Session& session, const Domain<Dim>& domain, const Gradient<Dim>& gradient)
    : original_(*domain.tiles), tiles_(domain.tiles.get()) {
  const Exec exec = session.host();
  if (!original_.keeps_vertex_order()) {
    ordered_ = std::make_unique<TiledMesh<Dim>>(
        tile(domain.mesh, {.order = VertexOrder::input, .exec = exec, .monitor = &session.monitor()}));
    tiles_ = ordered_.get();
  }
  const Bytes vertices = original_.vertex_count();
  const Bytes edges = gradient.edge_count();
  const Bytes faces = Dim == 3 ? edges + original_.cell_count() : 0;  // Euler, from above
  const Bytes whole = 4 * (vertices + 2 * edges + faces);
  const Bytes base = ordered_ ? ordered_->bytes() : 0;
  const MemoryBudget& memory = session.memory();
  const bool is_explicit = memory.used() + base + whole <= memory.limit();
  room_ = Reservation(session.memory(), base + (is_explicit ? whole : 0), "the numbers of edges and faces");
  enumeration_ = is_explicit ? Enumeration<Dim>::make_explicit(*tiles_, exec)
                             : Enumeration<Dim>::make_implicit(*tiles_, exec);
}

template <int Dim>
std::uint32_t CellNumbers<Dim>::Reader::operator()(const CellName& cell, const Simplex& simplex) {
  const auto& v = simplex.vertices;
  if (cell.dimension == 0) return v[0].index();
  if (cell.dimension == Dim)
    return numbers_.original_.to_input(typename TiledMesh<Dim>::CellId(cell.id)).index();
  if (cell.dimension == 1) return lookup_.edge(v[0].index(), v[1].index());
  return lookup_.face(v[0].index(), v[1].index(), v[2].index());
}

Points make_points_like(const Points& others, std::size_t count) {
  return others.is_double() ? Points(Array<Vec3d>(count)) : Points(Array<Vec3f>(count));
}

void set_point(Points& points, std::size_t index, Vec3d place) {
  points.visit([&](auto values) {
    using T = decltype(values[0].x + 0);
    values[index] = vec_cast<T>(place);
  });
}

Field make_id_field(const std::string& name, const Array<std::uint32_t>& ids) {
  constexpr std::uint32_t most = std::numeric_limits<std::int32_t>::max();
  const bool is_narrow = std::ranges::all_of(ids, [](std::uint32_t id) { return id <= most; });
  if (!is_narrow) return {name, Array<std::int64_t>(ids.begin(), ids.end())};
  return {name, Array<std::int32_t>(ids.begin(), ids.end())};
}

template class CellNumbers<2>;
template class CellNumbers<3>;

}  // namespace tessera::cli
