#include <tessera/connect/detail/grid_relations.h>

#include <algorithm>
#include <bit>

namespace tessera::detail {
namespace {

/// A shape at a vertex, of as many corners as it has.
using Corners = std::vector<GridStep>;

bool has(const Corners& corners, const GridStep& step) {
  return std::find(corners.begin(), corners.end(), step) != corners.end();
}
std::size_t count_common(const Corners& a, const Corners& b) {
  return static_cast<std::size_t>(
      std::count_if(a.begin(), a.end(), [&](const GridStep& step) { return has(b, step); }));
}

template <int Dim>
Corners corners_at(const typename GridShapes<Dim>::Shape& shape, std::size_t dimension,
                   const GridStep& lowest) {
  Corners corners;
  for (std::size_t k = 0; k <= dimension; ++k) corners.push_back(shape.corners[k] + lowest);
  return corners;
}

bool are_joined(const GridStep& a, const GridStep& b) {
  const GridStep step = b - a;
  return std::find(grid_steps.begin(), grid_steps.end(), step) != grid_steps.end();
}
bool are_joined(const Corners& a, const Corners& b) {
  return std::all_of(a.begin(), a.end(), [&](const GridStep& p) {
    return std::all_of(b.begin(), b.end(), [&](const GridStep& q) { return are_joined(p, q); });
  });
}

/// Is b in the row of a? Both are cells of the cut.
template <class R>
bool is_in_row(const Corners& a, const Corners& b) {
  if constexpr (is_link<R>) {
    return count_common(a, b) == 0 && are_joined(a, b);
  } else if constexpr (R::from == R::to) {
    return R::from == Kind::vertex ? are_joined(a[0], b[0]) : count_common(a, b) + 1 == a.size();
  } else {
    return count_common(a, b) == std::min(a.size(), b.size());
  }
}

/// Does the grid go on far enough? `first` and `last` are where it must not go on to be.
bool is_inside(int i, int first, int last, std::size_t sides) {
  return (i >= first || (sides & 1) != 0) && (i <= last || (sides & 2) != 0);
}
bool is_inside(const Corners& corners, std::size_t place, const GridStep& first, const GridStep& last) {
  return std::all_of(corners.begin(), corners.end(), [&](const GridStep& c) {
    return is_inside(c.x, first.x, last.x, place) && is_inside(c.y, first.y, last.y, place >> 2) &&
           is_inside(c.z, first.z, last.z, place >> 4);
  });
}

}  // namespace

template <int Dim>
const GridShapes<Dim>& GridShapes<Dim>::get() {
  static const GridShapes shapes;
  return shapes;
}

template <int Dim>
void GridShapes<Dim>::list_shapes() {
  // Others ascend, so shapes do: each is one of the last dimension and a further neighbour.
  shapes_[0].push_back({});
  for (std::size_t d = 1; d <= Dim; ++d) {
    for (const Shape& shape : shapes_[d - 1]) {
      const Corners corners = corners_at<Dim>(shape, d - 1, {});
      const std::size_t first =
          d == 1
              ? first_higher_neighbour
              : 1 + static_cast<std::size_t>(std::find(grid_steps.begin(), grid_steps.end(), corners.back()) -
                                             grid_steps.begin());
      for (std::size_t k = first; k < grid_neighbours; ++k) {
        if ((Dim == 2 && grid_steps[k].z != 0) || !are_joined(corners, {grid_steps[k]})) continue;
        Shape larger = shape;
        larger.corners[d] = grid_steps[k];
        larger.low_x = std::min(larger.low_x, grid_steps[k].x);
        shapes_[d].push_back(larger);
      }
    }
  }
  for (std::size_t d = 0; d <= Dim; ++d) {
    for (std::size_t place = 0; place < places; ++place) {
      for (std::size_t s = 0; s < shapes_[d].size(); ++s) {
        if (is_inside(corners_at<Dim>(shapes_[d][s], d, {}), place, {}, {})) present_[d][place] |= 1u << s;
      }
    }
  }
}

template <int Dim>
template <class R>
void GridShapes<Dim>::list_rows() {
  constexpr auto from = static_cast<std::size_t>(R::from);
  constexpr auto to = static_cast<std::size_t>(R::to);
  constexpr bool is_of_voxels = from == Dim && to == Dim;
  constexpr int reach = 2;  // a neighbour of a top cell may begin two steps away
  std::vector<Span>& spans = rows_[key_of<R>.index()];
  for (const Shape& shape : shapes_[from]) {
    const Corners own = corners_at<Dim>(shape, from, {});
    std::vector<GridCell> row;
    for (int z = Dim == 2 ? 0 : -reach; z <= (Dim == 2 ? 0 : reach); ++z) {
      for (int y = -reach; y <= reach; ++y) {
        for (int x = -reach; x <= reach; ++x) {
          for (std::size_t s = 0; s < shapes_[to].size(); ++s) {
            if (is_in_row<R>(own, corners_at<Dim>(shapes_[to][s], to, {x, y, z})))
              row.push_back({{x, y, z}, static_cast<std::uint8_t>(s)});
          }
        }
      }
    }
    const GridStep first = {is_of_voxels ? shape.low_x : 0, 0, 0};
    const GridStep last = is_of_voxels ? first + GridStep{1, 1, Dim == 2 ? 0 : 1} : GridStep{};
    for (std::size_t place = 0; place < places; ++place) {
      const auto begin = static_cast<std::uint32_t>(cells_.size());
      for (const GridCell& cell : row) {
        if (is_inside(corners_at<Dim>(shapes_[to][cell.shape], to, cell.lowest), place, first, last))
          cells_.push_back(cell);
      }
      spans.push_back({begin, static_cast<std::uint32_t>(cells_.size()) - begin});
    }
  }
}

template <int Dim>
GridShapes<Dim>::GridShapes() {
  list_shapes();
  for_each_relation([&]<class R>() { list_rows<R>(); });
}

template <int Dim>
GridNumbers<Dim>::GridNumbers(const GridLattice& lattice, std::size_t dimension) : dims_(lattice.dims) {
  const auto sides = [&](std::size_t axis, std::size_t part) {
    const std::uint32_t n = dims_[axis];
    return n == 1 ? 0u : part == 0 ? 2u : part == 1 ? 3u : 1u;
  };
  const auto sum = [&](const Run& run, std::size_t axis) {
    const std::size_t n = dims_[axis];
    return n == 1 ? run.cells[0] : run.cells[0] + (n - 2) * std::size_t{run.cells[1]} + run.cells[2];
  };
  const auto settle = [](Run& run) {
    run.is_single = run.cells[1] == 1;
    run.inner = Divisor(std::max(run.cells[1], 2u));
  };
  for (std::size_t z = 0; z < 3; ++z) {
    for (std::size_t y = 0; y < 3; ++y) {
      Run& vertices = vertices_[3 * z + y];
      for (std::size_t x = 0; x < 3; ++x) {
        const std::size_t place = sides(0, x) | sides(1, y) << 2 | sides(2, z) << 4;
        const std::uint32_t present = GridShapes<Dim>::get().present(dimension, place);
        present_[x + 3 * (y + 3 * z)] = present;
        vertices.cells[x] = static_cast<std::uint32_t>(std::popcount(present));
      }
      settle(vertices);
      rows_[z].cells[y] = static_cast<std::uint32_t>(sum(vertices, 0));
    }
    settle(rows_[z]);
    layers_.cells[z] = static_cast<std::uint32_t>(sum(rows_[z], 1));
  }
  settle(layers_);
  // What has more than 32 bits is counted here and numbered nowhere.
  const auto size_of = [&](std::size_t z) {
    const auto row = [&](std::size_t y) { return sum(vertices_[3 * z + y], 0); };
    return row(0) + (dims_[1] - 2) * row(1) + row(2);
  };
  count_ = dims_[2] == 1 ? size_of(0) : size_of(0) + (dims_[2] - 2) * size_of(1) + size_of(2);
}

template <int Dim>
std::uint32_t GridNumbers<Dim>::number(const std::array<std::uint32_t, 3>& at, std::uint32_t shape) const {
  const std::size_t x = part(at[0], dims_[0]);
  const std::size_t y = part(at[1], dims_[1]);
  const std::size_t z = Dim == 2 ? 0 : part(at[2], dims_[2]);
  const std::uint32_t lower = present({x, y, z}) & ((1u << shape) - 1);
  return layers_.before(at[2]) + rows_[z].before(at[1]) + vertices_[3 * z + y].before(at[0]) +
         static_cast<std::uint32_t>(std::popcount(lower));
}

template <int Dim>
typename GridNumbers<Dim>::Place GridNumbers<Dim>::place(std::uint32_t number) const {
  Place place;
  if constexpr (Dim == 3) {
    place.at[2] = layers_.find(number, dims_[2]);
    number -= layers_.before(place.at[2]);
  }
  const std::size_t z = part(place.at[2], dims_[2]);
  place.at[1] = rows_[z].find(number, dims_[1]);
  number -= rows_[z].before(place.at[1]);
  const std::size_t y = part(place.at[1], dims_[1]);
  const Run& vertices = vertices_[3 * z + y];
  place.at[0] = vertices.find(number, dims_[0]);
  number -= vertices.before(place.at[0]);
  std::uint32_t shapes = present({part(place.at[0], dims_[0]), y, z});
  place.shape = number;
  if ((shapes & (shapes + 1)) == 0) return place;  // none is missing
  for (; number > 0; --number) shapes &= shapes - 1;
  place.shape = static_cast<std::uint32_t>(std::countr_zero(shapes));
  return place;
}

template <int Dim>
GridRelations<Dim>::GridRelations(const GridLattice& lattice) : lattice_(lattice) {
  for (std::size_t d = 0; d <= Dim; ++d) numbers_.emplace_back(lattice, d);
  for (std::size_t axis = 0; axis < Dim; ++axis)
    inner_dims_[axis] = lattice.dims[axis] < 5 ? 0 : lattice.dims[axis] - 4;
  constexpr std::size_t inner_place = Dim == 2 ? 15 : 63;
  GridShapes<Dim>::for_each_relation([&]<class R>() {
    constexpr std::size_t slot = key_of<R>.index();
    for (std::size_t s = 0; s < shapes_.of(static_cast<std::size_t>(R::from)).size(); ++s) {
      const typename GridShapes<Dim>::Row row = shapes_.row(slot, s, inner_place);
      inner_[slot][s] = {static_cast<std::uint32_t>(inner_steps_.size()), row.size};
      for (int i = 0; i < row.size; ++i) inner_steps_.push_back(numbers(R::to).inner_step(row.cells[i]));
    }
  });
}

template <int Dim>
bool GridRelations<Dim>::is_on_boundary(Kind kind, std::uint32_t cell) const {
  const auto dimension = static_cast<std::size_t>(kind);
  const typename GridNumbers<Dim>::Place place = numbers(kind).place(cell);
  const auto& corners = shapes_.of(dimension)[place.shape].corners;
  for (std::size_t axis = 0; axis < Dim; ++axis) {
    bool is_first = true;
    bool is_last = true;
    for (std::size_t k = 0; k <= dimension; ++k) {
      const std::array<int, 3> step = {corners[k].x, corners[k].y, corners[k].z};
      const std::uint32_t at = place.at[axis] + static_cast<std::uint32_t>(step[axis]);
      is_first = is_first && at == 0;
      is_last = is_last && at + 1 == lattice_.dims[axis];
    }
    if (is_first || is_last) return true;
  }
  return false;
}

template class GridShapes<2>;
template class GridShapes<3>;
template class GridNumbers<2>;
template class GridNumbers<3>;
template class GridRelations<2>;
template class GridRelations<3>;

}  // namespace tessera::detail
