// Kuhn lattices: every cube of a lattice cut into six tetrahedra around its diagonal.
#include <algorithm>
#include <array>
#include <span>

#include <tessera/core/error.h>
#include <tessera/exec/buffer.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/detail/host_only.h>
#include <tessera/exec/for_each.h>
#include <tessera/exec/primitives.h>
#include <tessera/mesh/detail/octree.h>
#include <tessera/mesh/make.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;

/// Ball with a cavity, a tunnel along z and a bite.
bool is_inside_shape(double x, double y, double z) {
  const auto sq = [](double a) { return a * a; };
  return sq(x - .5) + sq(y - .5) + sq(z - .5) < .48 * .48 &&
         sq(x - .45) + sq(y - .55) + sq(z - .40) >= .12 * .12 && sq(x - .72) + sq(y - .50) >= .07 * .07 &&
         sq(x - .25) + sq(y - .25) + sq(z - .75) >= .20 * .20;
}

struct Lattice {
  uint32_t n;  ///< points an axis

  [[nodiscard]] size_t points() const { return size_t{n} * n * n; }
  [[nodiscard]] size_t cubes() const { return size_t{n - 1} * (n - 1) * (n - 1); }
  [[nodiscard]] static std::array<uint32_t, 3> place(size_t index, uint32_t side) {
    return {static_cast<uint32_t>(index % side), static_cast<uint32_t>(index / side % side),
            static_cast<uint32_t>(index / side / side)};
  }
  [[nodiscard]] size_t point(const std::array<uint32_t, 3>& p) const {
    return p[0] + size_t{n} * (p[1] + size_t{n} * p[2]);
  }
  [[nodiscard]] size_t cube(const std::array<uint32_t, 3>& c) const {
    return c[0] + size_t{n - 1} * (c[1] + size_t{n - 1} * c[2]);
  }
};

/// A flag for each cube: is it kept?
Array<uint8_t> kept_cubes(const Lattice& lattice, bool full, const Exec& exec) {
  Array<uint8_t> kept(lattice.cubes());
  host_for_each(exec, kept.size(), [&](size_t i) {
    const auto [x, y, z] = Lattice::place(i, lattice.n - 1);
    const double side = lattice.n - 1;
    kept[i] = full || is_inside_shape((x + .5) / side, (y + .5) / side, (z + .5) / side);
  });
  return kept;
}

/// A flag for each lattice point: does a kept cube use it?
Array<uint8_t> used_points(const Lattice& lattice, const Array<uint8_t>& kept, const Exec& exec) {
  Array<uint8_t> used(lattice.points());
  host_for_each(exec, used.size(), [&](size_t i) {
    const auto place = Lattice::place(i, lattice.n);
    uint8_t any = 0;
    for (uint32_t corner = 0; corner < 8; ++corner) {
      std::array<uint32_t, 3> cube{};
      bool exists = true;
      for (uint32_t axis = 0; axis < 3; ++axis) {
        cube[axis] = place[axis] - (corner >> axis & 1);  // wraps below zero, and is then too large
        exists = exists && cube[axis] < lattice.n - 1;
      }
      if (exists) any |= kept[lattice.cube(cube)];
    }
    used[i] = any;
  });
  return used;
}

Array<uint32_t> flagged(const Array<uint8_t>& flags, const Exec& exec) {
  Array<uint32_t> indices(flags.size());
  indices.resize(compact_indices(exec, flags, indices));
  return indices;
}

Points lattice_points(const Lattice& lattice, const Array<uint32_t>& indices, const Exec& exec) {
  Array<Vec3f> points(indices.size());
  host_for_each(exec, indices.size(), [&](size_t v) {
    const auto place = Lattice::place(indices[v], lattice.n);
    const auto coordinate = [&](uint32_t axis) {
      return static_cast<float>(static_cast<double>(place[axis]) / (lattice.n - 1));
    };
    points[v] = {coordinate(0), coordinate(1), coordinate(2)};
  });
  return points;
}

/// Six tets for each cube, corners ascending; `vertex` maps lattice points to vertices.
Array<TetMesh::Cell> cut_cubes(const Lattice& lattice, const Array<uint32_t>& cubes,
                               const Array<uint32_t>& vertex, const Exec& exec) {
  constexpr uint8_t axes[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  Array<TetMesh::Cell> tets(cubes.size() * 6);
  host_for_each(exec, cubes.size(), [&](size_t c) {
    for (size_t way = 0; way < 6; ++way) {
      auto place = Lattice::place(cubes[c], lattice.n - 1);
      std::array<uint32_t, 4> corner = {vertex[lattice.point(place)]};
      for (size_t step = 0; step < 3; ++step) {
        ++place[axes[way][step]];
        corner[step + 1] = vertex[lattice.point(place)];
      }
      std::ranges::sort(corner);
      tets[6 * c + way] = {VertexId(corner[0]), VertexId(corner[1]), VertexId(corner[2]),
                           VertexId(corner[3])};
    }
  });
  return tets;
}

/// Sorts tets lexicographically: a radix sort by the lowest vertex, then each vertex's few tets among
/// themselves.
Array<TetMesh::Cell> sorted_tets(const Array<TetMesh::Cell>& tets, size_t vertices, const Exec& exec) {
  const size_t n = tets.size();
  Array<uint32_t> lowest(n);
  Array<uint32_t> order(n);
  host_for_each(exec, n, [&](size_t i) {
    lowest[i] = tets[i][0].index();
    order[i] = static_cast<uint32_t>(i);
  });
  sort_pairs<uint32_t, uint32_t>(exec, lowest, order, bits_in_use(vertices));
  Array<TetMesh::Cell> sorted(n);
  host_for_each(exec, n, [&](size_t i) { sorted[i] = tets[order[i]]; });
  host::for_each_share(exec.threads(), n, [&](host::Range share) {
    const auto starts = [&](size_t i) { return i == 0 || i == n || lowest[i] != lowest[i - 1]; };
    size_t begin = share.begin;
    while (begin < share.end && !starts(begin)) ++begin;  // that run belongs to the share before
    while (begin < share.end) {
      size_t end = begin + 1;
      while (!starts(end)) ++end;
      std::sort(sorted.begin() + static_cast<std::ptrdiff_t>(begin),
                sorted.begin() + static_cast<std::ptrdiff_t>(end));
      begin = end;
    }
  });
  return sorted;
}

TetMesh make_kuhn_lattice(uint32_t n, bool full, const KuhnOptions& options) {
  if (n < 2 || n > 700) {
    throw Error(ErrorCode::bad_option,
                "a Kuhn lattice has 2 to 700 points an axis, not " + std::to_string(n));
  }
  const Lattice lattice{n};
  const Exec host = host_only(options.exec, "make_kuhn()");
  const Array<uint8_t> kept = kept_cubes(lattice, full, host);
  const Array<uint32_t> lattice_index = flagged(used_points(lattice, kept, host), host);
  TetMesh mesh;
  mesh.points = lattice_points(lattice, lattice_index, host);
  const OctreeLeaves leaves =
      make_octree_leaves(mesh.points, {.box = {}, .max_points = options.leaf_vertices, .exec = host});
  mesh.points = mesh.points.gather(leaves.order);
  Array<uint32_t> vertex(lattice.points());
  host_for_each(host, leaves.order.size(),
                [&](size_t v) { vertex[lattice_index[leaves.order[v]]] = static_cast<uint32_t>(v); });
  mesh.cells = sorted_tets(cut_cubes(lattice, flagged(kept, host), vertex, host), mesh.points.size(), host);
  return mesh;
}

}  // namespace

TetMesh make_kuhn(uint32_t n, const KuhnOptions& options) {
  return make_kuhn_lattice(n, false, options);
}
TetMesh make_kuhn_full(uint32_t n, const KuhnOptions& options) {
  return make_kuhn_lattice(n, true, options);
}

}  // namespace tessera
