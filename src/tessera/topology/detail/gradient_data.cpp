#include <tessera/topology/detail/gradient_data.h>

#include <tessera/tile/detail/star.h>
#include <tessera/topology/detail/gradient_source.h>
#include <tessera/topology/detail/grid_gradient.h>

namespace tessera::detail {

using std::size_t;
using std::uint32_t;

void refuse_cell(std::span<const VertexId> cell) {
  std::string vertices;
  for (const VertexId v : cell) vertices += (vertices.empty() ? "" : ", ") + std::to_string(v.index());
  throw Error(ErrorCode::not_found, "no cell has the vertices {" + vertices + "}");
}

template <int Dim>
uint32_t GradientData<Dim>::place_of(tiled::VertexId a, tiled::VertexId b) const {
  constexpr size_t short_row = 32;
  const auto row = lower(a);
  const auto order = [&](uint32_t v) { return order_[tiled::VertexId(v)]; };
  const auto at = row.size() <= short_row ? std::ranges::find(row, b.index())
                                          : std::ranges::lower_bound(row, order_[b], {}, order);
  return at == row.end() || *at != b.index() ? none : static_cast<uint32_t>(at - row.begin());
}

template <int Dim>
uint32_t GradientData<Dim>::triangle_of(tiled::VertexId v, uint32_t place) const {
  const uint32_t edge = first_edge(v) + place;
  if (partners_[edge] == critical) return none;
  if (partners_[edge] < far_place) return partners_[edge];
  return std::lower_bound(far_partners_.begin(), far_partners_.end(), std::pair{edge, 0u})->second;
}

template <int Dim>
typename GradientData<Dim>::Simplex GradientData<Dim>::to_simplex(std::span<const uint32_t> vertices) const {
  Simplex simplex;
  for (const uint32_t v : vertices) {  // inserted into what is sorted already
    const VertexId input = to_input(tiled::VertexId(v));
    size_t at = simplex.size++;
    for (; at > 0 && input < simplex.vertices[at - 1]; --at) simplex.vertices[at] = simplex.vertices[at - 1];
    simplex.vertices[at] = input;
  }
  return simplex;
}

template <int Dim>
typename GradientData<Dim>::Simplex GradientData<Dim>::simplex(const CellName& cell) const {
  if (cell.dimension == 0) return to_simplex(std::array{cell.id});
  if (cell.dimension == Dim) {
    std::array<uint32_t, Dim + 1> corners;
    for (size_t k = 0; k <= Dim; ++k) corners[k] = tiles_->cells()[cell.id][k].index();
    return to_simplex(corners);
  }
  const tiled::VertexId v = highest_of_edge(cell.id);
  if (cell.dimension == 1) return to_simplex(std::array{v.index(), lower_[cell.id]});
  return to_simplex(std::array{v.index(), lower_[cell.id], lower(v)[cell.low]});
}

template <int Dim>
CellName GradientData<Dim>::name_of(std::span<const uint32_t> vertices) const {
  std::array<uint32_t, 3> v = {};  // by descending order
  for (size_t i = 0; i < vertices.size(); ++i) {
    size_t at = i;
    for (; at > 0 && order_[tiled::VertexId(v[at - 1])] < order_[tiled::VertexId(vertices[i])]; --at)
      v[at] = v[at - 1];
    v[at] = vertices[i];
  }
  if (vertices.size() == 1) return {v[0], 0, 0};
  const uint32_t edge =
      first_edge(tiled::VertexId(v[0])) + place_of(tiled::VertexId(v[0]), tiled::VertexId(v[1]));
  if (vertices.size() == 2) return {edge, 0, 1};
  return {edge, place_of(tiled::VertexId(v[0]), tiled::VertexId(v[2])), 2};
}

template <int Dim>
CellName GradientData<Dim>::facet_of(uint32_t cell, size_t corner) const {
  std::array<uint32_t, Dim> vertices;
  size_t at = 0;
  for (size_t k = 0; k <= Dim; ++k) {
    if (k != corner) vertices[at++] = tiles_->cells()[cell][k].index();
  }
  return name_of(vertices);
}

/// The cell with these vertices, all of them, if there is one: cells ascend.
template <int Dim>
std::optional<uint32_t> GradientData<Dim>::find_cell(std::span<const uint32_t> vertices) const {
  typename TiledMesh<Dim>::Cell cell;
  for (size_t k = 0; k <= Dim; ++k) cell[k] = tiled::VertexId(vertices[k]);
  std::sort(cell.begin(), cell.end());
  const auto cells = tiles_->cells();
  const auto at = std::lower_bound(cells.begin(), cells.end(), cell);
  if (at == cells.end() || *at != cell) return std::nullopt;
  return static_cast<uint32_t>(at - cells.begin());
}

/// A facet that no edge is paired with: is a cell?
template <int Dim>
std::optional<typename GradientData<Dim>::Simplex> GradientData<Dim>::partner_of_facet(
    std::span<const uint32_t> vertices) const {
  TileView<Dim> view;
  view.load(*tiles_, tiles_->tile_of(tiled::VertexId(vertices[0])));
  for (const uint32_t local : view.star(tiled::VertexId(vertices[0]))) {
    const uint32_t c = view.cell_id(local);
    if (opposite_[c] == critical) continue;
    std::vector<uint32_t> corners;
    for (const tiled::VertexId corner : tiles_->cells()[c]) corners.push_back(corner.index());
    const uint32_t opposite = corners[opposite_[c]];
    const bool has_all = std::all_of(vertices.begin(), vertices.end(), [&](uint32_t u) {
      return u != opposite && std::find(corners.begin(), corners.end(), u) != corners.end();
    });
    if (has_all) return to_simplex(corners);
  }
  return std::nullopt;
}

template <int Dim>
std::optional<typename GradientData<Dim>::Simplex> GradientData<Dim>::partner(
    std::span<const VertexId> cell) const {
  const auto is_vertex = [&](VertexId v) { return v.index() < tiles_->vertex_count(); };
  if (cell.empty() || cell.size() > Dim + 1 || !std::ranges::all_of(cell, is_vertex)) refuse_cell(cell);
  std::vector<uint32_t> v;
  for (const VertexId input : cell) v.push_back(to_tiled(input).index());
  std::sort(v.begin(), v.end(),
            [&](uint32_t a, uint32_t b) { return order_[tiled::VertexId(a)] > order_[tiled::VertexId(b)]; });
  const tiled::VertexId highest(v[0]);
  if (v.size() == 1) {
    if (lower(highest).empty()) return std::nullopt;
    return to_simplex(std::array{v[0], lower(highest)[0]});
  }
  if (v.size() == Dim + 1) {
    const auto id = find_cell(v);
    if (!id.has_value()) refuse_cell(cell);
    if (opposite_[*id] == critical) return std::nullopt;
    return simplex(facet_of(*id, opposite_[*id]));
  }
  const uint32_t place = place_of(highest, tiled::VertexId(v[1]));
  if (place == none) refuse_cell(cell);
  if (v.size() == 2) {
    if (place == 0) return to_simplex(std::array{v[0]});
    const uint32_t third = triangle_of(highest, place);
    if (third == none) return std::nullopt;
    return to_simplex(std::array{v[0], v[1], lower(highest)[third]});
  }
  const uint32_t other = place_of(highest, tiled::VertexId(v[2]));
  if (other == none) refuse_cell(cell);
  if (place > 0 && triangle_of(highest, place) == other) return to_simplex(std::array{v[0], v[1]});
  if (other > 0 && triangle_of(highest, other) == place) return to_simplex(std::array{v[0], v[2]});
  return partner_of_facet(v);
}

template <int Dim>
std::vector<GradientPair> GradientData<Dim>::pairs() const {
  std::vector<GradientPair> pairs;
  const auto for_each_row = [&](auto&& f) {
    for (uint32_t input = 0; input < tiles_->vertex_count(); ++input) {
      const tiled::VertexId v = to_tiled(VertexId(input));
      f(v, static_cast<uint32_t>(lower(v).size()));
    }
  };
  for_each_row([&](tiled::VertexId v, uint32_t size) {
    if (size > 0) pairs.push_back({{v.index(), 0, 0}, {first_edge(v), 0, 1}});
  });
  if constexpr (Dim == 3) {
    for_each_row([&](tiled::VertexId v, uint32_t size) {
      for (uint32_t place = 1; place < size; ++place) {
        const uint32_t third = triangle_of(v, place);
        if (third != none) pairs.push_back({{first_edge(v) + place, 0, 1}, triangle(v, place, third)});
      }
    });
  }
  Array<uint32_t> from_input(tiles_->cell_count());
  for (uint32_t c = 0; c < from_input.size(); ++c) from_input[to_input_cell(c).index()] = c;
  for (const uint32_t c : from_input) {
    if (opposite_[c] != critical) pairs.push_back({facet_of(c, opposite_[c]), {c, 0, Dim}});
  }
  return pairs;
}

template <int Dim>
size_t GradientData<Dim>::bytes() const {
  return 4 * (offsets_.size() + lower_.size() + next_.size() + first_cells_.size()) + partners_.size() +
         opposite_.size() + 8 * far_partners_.size();
}

template class GradientData<2>;
template class GradientData<3>;
static_assert(GradientSource<GradientData<2>, 2> && GradientSource<GradientData<3>, 3>);

}  // namespace tessera::detail

namespace tessera {

template <int Dim>
std::size_t Gradient<Dim>::vertex_count() const {
  return visit([](const auto& source) { return source.vertex_count(); });
}
template <int Dim>
std::size_t Gradient<Dim>::edge_count() const {
  return visit([](const auto& source) { return source.edge_count(); });
}
template <int Dim>
std::size_t Gradient<Dim>::cell_count() const {
  return visit([](const auto& source) { return source.cell_count(); });
}
template <int Dim>
bool Gradient<Dim>::has_paths() const {
  return visit([](const auto& source) { return source.has_paths(); });
}
template <int Dim>
std::span<const CriticalCell> Gradient<Dim>::critical_cells(int dimension) const {
  TS_EXPECTS(dimension >= 0 && dimension <= Dim);
  return visit([&](const auto& source) { return source.critical_cells(dimension); });
}
template <int Dim>
std::vector<typename Gradient<Dim>::CellId> Gradient<Dim>::cofaces(std::size_t facet) const {
  TS_EXPECTS(facet < critical_cells(Dim - 1).size());
  return visit([&](const auto& source) {
    std::vector<CellId> cells;
    for (const std::uint32_t cell : source.cofaces(facet)) cells.push_back(source.to_input_cell(cell));
    return cells;
  });
}
template <int Dim>
typename Gradient<Dim>::Simplex Gradient<Dim>::simplex(const CellName& cell) const {
  return visit([&](const auto& source) { return source.simplex(cell); });
}
template <int Dim>
typename Gradient<Dim>::CellId Gradient<Dim>::top_cell(const CellName& cell) const {
  TS_EXPECTS(cell.dimension == Dim);
  return visit([&](const auto& source) { return source.to_input_cell(cell.id); });
}
template <int Dim>
std::optional<typename Gradient<Dim>::Simplex> Gradient<Dim>::partner(std::span<const VertexId> cell) const {
  return visit([&](const auto& source) { return source.partner(cell); });
}
template <int Dim>
std::vector<GradientPair> Gradient<Dim>::pairs() const {
  return visit([](const auto& source) { return source.pairs(); });
}
template <int Dim>
std::size_t Gradient<Dim>::bytes() const {
  return visit([](const auto& source) { return source.bytes(); });
}

template class Gradient<2>;
template class Gradient<3>;

}  // namespace tessera
