// Triangle meshes and lattices of any size, and random orders.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>

#include <tessera/core/error.h>
#include <tessera/core/random.h>
#include <tessera/exec/for_each.h>
#include <tessera/exec/primitives.h>
#include <tessera/mesh/make.h>

namespace tessera {
namespace {

using std::size_t;
using std::uint32_t;
using std::uint64_t;

constexpr double two_pi = 6.283185307179586;

/// Uniform in [-1, 1).
double signed01(uint64_t seed, uint64_t counter) {
  return 2 * uniform01(seed, counter) - 1;
}

TriMesh::Cell triangle(size_t a, size_t b, size_t c) {
  return {VertexId(static_cast<uint32_t>(a)), VertexId(static_cast<uint32_t>(b)),
          VertexId(static_cast<uint32_t>(c))};
}

/// Ids are 4 bytes, and the last one stands for none.
void check_count(uint64_t elements) {
  if (elements >= 0xFFFFFFFFull) {
    throw Error(ErrorCode::bad_option,
                "a mesh of " + std::to_string(elements) + " faces has more than 4-byte ids can name");
  }
}

struct Sphere {
  Array<Vec3d> points;
  Array<TriMesh::Cell> faces;
};

Sphere icosahedron() {
  const double t = (1 + std::sqrt(5.0)) / 2;
  const double s = std::sqrt(1 + t * t);
  Sphere sphere;
  sphere.points = {{-1, t, 0},  {1, t, 0},  {-1, -t, 0}, {1, -t, 0}, {0, -1, t},  {0, 1, t},
                   {0, -1, -t}, {0, 1, -t}, {t, 0, -1},  {t, 0, 1},  {-t, 0, -1}, {-t, 0, 1}};
  for (Vec3d& p : sphere.points) p = {p.x / s, p.y / s, p.z / s};
  constexpr uint8_t faces[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                    {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                    {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                    {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
  for (const auto& f : faces) sphere.faces.push_back(triangle(f[0], f[1], f[2]));
  return sphere;
}

/// The number of the midpoint of each face side (3 f + k is the side from corner k to k + 1), counted from 0
/// in the order the sides are first visited.
Array<uint32_t> number_midpoints(const Array<TriMesh::Cell>& faces, const Exec& exec) {
  const size_t sides = 3 * faces.size();
  Array<uint64_t> keys(sides);
  Array<uint32_t> visits(sides);
  for (size_t i = 0; i < sides; ++i) {
    const uint64_t a = faces[i / 3][i % 3].index();
    const uint64_t b = faces[i / 3][(i + 1) % 3].index();
    keys[i] = std::min(a, b) << 32 | std::max(a, b);
    visits[i] = static_cast<uint32_t>(i);
  }
  sort_pairs<uint64_t, uint32_t>(exec, keys, visits);
  Array<uint32_t> first(sides);   // the first side with the same two ends
  Array<uint32_t> number(sides);  // whether a side is a first one; then how many are before it
  for (size_t i = 0; i < sides; ++i) {
    const bool starts = i == 0 || keys[i] != keys[i - 1];
    first[visits[i]] = starts ? visits[i] : first[visits[i - 1]];
    number[visits[i]] = starts ? 1 : 0;
  }
  exclusive_scan<uint32_t, uint32_t>(exec, number, number);
  for (size_t i = 0; i < sides; ++i) first[i] = number[first[i]];
  return first;
}

/// Each face into four; new points are pushed to the unit sphere.
void subdivide(Sphere& sphere, const Exec& exec) {
  const Array<uint32_t> midpoint = number_midpoints(sphere.faces, exec);
  const size_t old = sphere.points.size();
  sphere.points.resize(old + sphere.faces.size() * 3 / 2);
  Array<TriMesh::Cell> faces(4 * sphere.faces.size());
  for (size_t f = 0; f < sphere.faces.size(); ++f) {
    const TriMesh::Cell& face = sphere.faces[f];
    std::array<size_t, 3> middle{};
    for (size_t k = 0; k < 3; ++k) {
      middle[k] = old + midpoint[3 * f + k];
      const Vec3d sum = sphere.points[face[k].index()] + sphere.points[face[(k + 1) % 3].index()];
      sphere.points[middle[k]] = (1 / length(sum)) * sum;
    }
    const auto [ab, bc, ca] = middle;
    faces[4 * f] = triangle(face[0].index(), ab, ca);
    faces[4 * f + 1] = triangle(face[1].index(), bc, ab);
    faces[4 * f + 2] = triangle(face[2].index(), ca, bc);
    faces[4 * f + 3] = triangle(ab, bc, ca);
  }
  sphere.faces = std::move(faces);
}

/// Smooth waves on the sphere plus a little noise of the size of a triangle.
double displaced_radius(Vec3d p, size_t v, double edge) {
  double sum = 0;
  for (uint64_t m = 0; m < 12; ++m) {
    const double along =
        signed01(5, 4 * m) * p.x + signed01(5, 4 * m + 1) * p.y + signed01(5, 4 * m + 2) * p.z;
    sum += std::sin(6 * along + two_pi * uniform01(5, 4 * m + 3));
  }
  return 1 + 0.08 * sum / std::sqrt(12.0) + 0.15 * edge * signed01(11, v);
}

/// old number -> new number.
Array<uint32_t> random_order(size_t n, uint64_t seed) {
  Array<uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  for (size_t i = n; i-- > 1;)
    std::swap(order[i], order[splitmix64(seed * 0xD1342543DE82EF95ull + i) % (i + 1)]);
  return order;
}

Array<uint32_t> inverse(const Array<uint32_t>& order) {
  Array<uint32_t> result(order.size());
  for (size_t i = 0; i < order.size(); ++i) result[order[i]] = static_cast<uint32_t>(i);
  return result;
}

template <int Dim>
SimplexMesh<Dim> shuffled(const SimplexMesh<Dim>& mesh, uint64_t vertex_seed, uint64_t cell_seed) {
  const Array<uint32_t> new_vertex = random_order(mesh.vertex_count(), vertex_seed);
  const Array<uint32_t> old_vertex = inverse(new_vertex);
  const Array<uint32_t> old_cell = inverse(random_order(mesh.cell_count(), cell_seed));
  SimplexMesh<Dim> result;
  result.points = mesh.points.gather(old_vertex);
  result.cells.resize(mesh.cell_count());
  for (size_t c = 0; c < old_cell.size(); ++c) {
    result.cells[c] = mesh.cells[old_cell[c]];
    for (VertexId& v : result.cells[c]) v = VertexId(new_vertex[v.index()]);
  }
  result.point_data = mesh.point_data.gather(old_vertex);
  result.cell_data = mesh.cell_data.gather(old_cell);
  result.field_data = mesh.field_data;
  return result;
}

}  // namespace

TriMesh make_ico(int level, const IcoOptions& options) {
  if (level < 0 || level > 12) {
    throw Error(ErrorCode::bad_option,
                "an icosahedron is subdivided 0 to 12 times, not " + std::to_string(level));
  }
  Sphere sphere = icosahedron();
  for (int l = 0; l < level; ++l) subdivide(sphere, options.exec);
  const double edge =
      std::sqrt(16 * std::numbers::pi / (std::sqrt(3.0) * static_cast<double>(sphere.faces.size())));
  Array<Vec3f> points(sphere.points.size());
  host_for_each(options.exec, points.size(), [&](size_t v) {
    const Vec3d p = sphere.points[v];
    points[v] = vec_cast<float>((options.displace ? displaced_radius(p, v, edge) : 1.0) * p);
  });
  TriMesh mesh;
  mesh.points = std::move(points);
  mesh.cells = std::move(sphere.faces);
  return mesh;
}

TriMesh make_torus(uint32_t nu, uint32_t nv) {
  if (nu < 3 || nv < 3) throw Error(ErrorCode::bad_option, "a torus needs at least 3 quads around each way");
  check_count(2 * uint64_t{nu} * nv);
  const double edge = two_pi * 0.4 / nv;
  Array<Vec3f> points(size_t{nu} * nv);
  TriMesh mesh;
  mesh.cells.resize(2 * points.size());
  for (size_t j = 0; j < nv; ++j) {
    for (size_t i = 0; i < nu; ++i) {
      const size_t id = j * nu + i;
      const double u = two_pi * (static_cast<double>(i) + 0.3 * signed01(21, 3 * id)) / nu;
      const double v = two_pi * (static_cast<double>(j) + 0.3 * signed01(21, 3 * id + 1)) / nv;
      const double r = 0.4 + 0.1 * edge * signed01(21, 3 * id + 2);
      points[id] = vec_cast<float>(
          Vec3d{(1 + r * std::cos(v)) * std::cos(u), (1 + r * std::cos(v)) * std::sin(u), r * std::sin(v)});
      const size_t b = j * nu + (i + 1) % nu;
      const size_t c = (j + 1) % nv * nu + (i + 1) % nu;
      const size_t d = (j + 1) % nv * nu + i;
      mesh.cells[2 * id] = triangle(id, b, c);
      mesh.cells[2 * id + 1] = triangle(id, c, d);
    }
  }
  mesh.points = std::move(points);
  return mesh;
}

TriMesh make_height_field(uint32_t nx, uint32_t ny) {
  if (nx < 2 || ny < 2) throw Error(ErrorCode::bad_option, "a height field needs at least 2 points an axis");
  check_count(2 * uint64_t{nx} * ny);
  const double h = 1.0 / (nx - 1);
  Array<Vec3f> points(size_t{nx} * ny);
  TriMesh mesh;
  for (size_t id = 0; id < points.size(); ++id) {
    const size_t i = id % nx;
    const size_t j = id / nx;
    const double x = (static_cast<double>(i) + 0.3 * signed01(31, 3 * id)) * h;
    const double y = (static_cast<double>(j) + 0.3 * signed01(31, 3 * id + 1)) * h;
    const double z = 0.05 * std::sin(9 * x) * std::cos(7 * y) + 0.3 * h * signed01(31, 3 * id + 2);
    points[id] = vec_cast<float>(Vec3d{x, y, z});
    if (i + 1 == nx || j + 1 == ny) continue;
    mesh.cells.push_back(triangle(id, id + 1, id + nx + 1));
    mesh.cells.push_back(triangle(id, id + nx + 1, id + nx));
  }
  mesh.points = std::move(points);
  return mesh;
}

Grid make_lattice(uint32_t nx, uint32_t ny, uint32_t nz) {
  if (nx == 0 || ny == 0 || nz == 0)
    throw Error(ErrorCode::bad_option, "a lattice needs at least 1 point an axis");
  if (uint64_t{nx} * ny > (uint64_t{1} << 40) / nz) {
    throw Error(ErrorCode::bad_option, "a lattice has at most 2^40 points");
  }
  const uint32_t longest = std::max({nx, ny, nz, 2u});
  const double h = 1.0 / (longest - 1);
  Grid grid;
  grid.dims = {nx, ny, nz};
  grid.spacing = {h, h, h};
  return grid;
}

TriMesh make_shuffled(const TriMesh& mesh, uint64_t vertex_seed, uint64_t cell_seed) {
  return shuffled(mesh, vertex_seed, cell_seed);
}
TetMesh make_shuffled(const TetMesh& mesh, uint64_t vertex_seed, uint64_t cell_seed) {
  return shuffled(mesh, vertex_seed, cell_seed);
}

}  // namespace tessera
