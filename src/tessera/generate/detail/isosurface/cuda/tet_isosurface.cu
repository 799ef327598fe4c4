// Marching tetrahedra on a device: the steps of tet_surface.h, a thread for each tet or point. What enters a
// row first differs from run to run, the sort by keys takes that away again.
#include <tessera/generate/resident.h>

#include <string>

#include <tessera/core/error.h>
#include <tessera/exec/primitives.h>
#include <tessera/generate/detail/isosurface/tet_surface.h>
#include <tessera/exec/buffers.cuh>
#include <tessera/exec/cuda.cuh>
#include <tessera/exec/for_each.cuh>
#include <tessera/generate/detail/isosurface/cuda/normals.cuh>
#include <tessera/generate/detail/isosurface/cuda/table.cuh>
#include <tessera/generate/detail/keys/cuda/atomics.cuh>

namespace tessera {

using namespace detail;
namespace {

constexpr std::uint32_t empty = 0xFFFFFFFFu;

struct Tets {
  const TetMesh::Cell* cells;
  const std::uint8_t* marks;
  std::size_t count;
  std::uint32_t points;
};

/// The corners of a tet as plain numbers.
struct Corners {
  std::uint32_t at[4];

  __device__ Corners(const Tets& tets, std::size_t t) {
    for (int c = 0; c < 4; ++c) at[c] = tets.cells[t][c].index();
  }
  [[nodiscard]] __device__ bool exist(std::uint32_t points) const {
    return at[0] < points && at[1] < points && at[2] < points && at[3] < points;
  }
  /// The case of the table; 0 if the tet is not crossed or has a NaN.
  [[nodiscard]] __device__ std::uint32_t case_of(const std::uint8_t* marks) const {
    std::uint32_t high = 0;
    std::uint32_t sum = 0;
    for (std::uint32_t c = 0; c < 4; ++c) {
      const std::uint32_t mark = marks[at[c]];
      high |= (mark & 1) << c;
      sum += mark;
    }
    return sum < 4 ? high : 0;
  }
  __device__ void ends(std::uint32_t edge, std::uint32_t& low, std::uint32_t& high) const {
    const std::uint32_t a = at[cuda::tet_edges[edge][0]];
    const std::uint32_t b = at[cuda::tet_edges[edge][1]];
    low = a < b ? a : b;
    high = a < b ? b : a;
  }
};

/// Step 1: counts a tet's triangles and, by lower end, its crossed edges.
struct Classify {
  Tets tets;
  std::uint32_t* triangles;
  std::uint32_t* rows;
  std::uint32_t* is_bad;

  __device__ void operator()(std::size_t t) const {
    const Corners corners(tets, t);
    triangles[t] = 0;
    if (!corners.exist(tets.points)) {
      *is_bad = 1;
      return;
    }
    const tet::Case& entry = cuda::tet_cases[corners.case_of(tets.marks)];
    if (entry.crossed == 0) return;
    triangles[t] = entry.crossed - 2u;
    for (int e = 0; e < entry.crossed; ++e) {
      std::uint32_t low = 0;
      std::uint32_t high = 0;
      corners.ends(entry.edges[e], low, high);
      cuda::add_one(rows + low);
    }
  }
};

/// Step 2: enters a tet's edges in the rows of their lower ends and writes its triangles with their places.
template <class Real>
struct EnterEdges {
  Tets tets;
  const Vec3<Real>* points;
  const std::uint32_t* first_triangle;
  const std::uint32_t* rows;
  std::uint32_t* places;
  std::uint32_t* edge_counts;
  std::uint32_t* cells;
  std::uint64_t* sources;

  __device__ std::uint32_t enter(std::uint32_t low, std::uint32_t high) const {
    const std::uint32_t begin = rows[low];
    const std::uint32_t end = rows[low + 1];
    const std::uint32_t spread = high * 0x9E3779B1u;
    std::uint32_t p =
        begin + static_cast<std::uint32_t>(static_cast<std::uint64_t>(spread) * (end - begin) >> 32);
    for (;; p = p + 1 < end ? p + 1 : begin) {
      std::uint32_t seen = cuda::look_at(places + p);
      if (seen == empty) {
        seen = cuda::exchange_if(places + p, empty, high);
        if (seen == empty) {
          cuda::add_one(edge_counts + low);
          return p;
        }
      }
      if (seen == high) return p;
    }
  }

  __device__ void operator()(std::size_t t) const {
    const std::size_t first = first_triangle[t];
    if (first == first_triangle[t + 1]) return;
    const Corners corners(tets, t);
    const tet::Case& entry = cuda::tet_cases[corners.case_of(tets.marks)];
    std::uint32_t corner[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      if (e >= entry.crossed) break;
      std::uint32_t low = 0;
      std::uint32_t high = 0;
      corners.ends(entry.edges[e], low, high);
      corner[e] = enter(low, high);
    }
    Vec3d at[4];
    for (int c = 0; c < 4; ++c) at[c] = vec_cast<double>(points[corners.at[c]]);
    const bool flips = is_negative(at[0], at[1], at[2], at[3]);
#pragma unroll
    for (std::uint32_t i = 0; i < 2; ++i) {
      if (i + 2 >= entry.crossed) break;
      std::uint32_t* out = cells + 3 * (first + i);
      out[0] = corner[0];
      out[1] = flips ? corner[i + 2] : corner[i + 1];
      out[2] = flips ? corner[i + 1] : corner[i + 2];
      if (sources != nullptr) sources[first + i] = t;
    }
  }
};

/// Step 3: the edges of a row as keys and places, in the order of the rows.
struct ListEdges {
  const std::uint32_t* rows;
  const std::uint32_t* places;
  const std::uint32_t* first_edge;
  std::uint64_t vertices;
  std::uint64_t* keys;
  std::uint32_t* key_places;

  __device__ void operator()(std::size_t v) const {
    std::uint32_t next = first_edge[v];
    if (next == first_edge[v + 1]) return;
    for (std::uint32_t p = rows[v]; p < rows[v + 1]; ++p) {
      if (places[p] == empty) continue;
      keys[next] = v * vertices + places[p];
      key_places[next++] = p;
    }
  }
};

/// The vertex of each sorted edge: its coordinates, and its number where its place was.
template <class T, class Real>
struct WriteVertices {
  const T* values;
  const Vec3<Real>* from;
  WeightOf<T> isovalue;
  std::uint64_t vertices;
  const std::uint64_t* keys;
  const std::uint32_t* key_places;
  std::uint32_t* places;
  Vec3<Real>* points;
  std::array<std::uint64_t, 2>* edges;
  double* weights;
  const Vec3d* gradients;  ///< of the mesh's points, if normals are wanted
  Vec3f* normals;

  __device__ void operator()(std::size_t id) const {
    const std::uint64_t a = keys[id] / vertices;
    const std::uint64_t b = keys[id] % vertices;
    using Weight = WeightOf<T>;
    const Weight t = edge_weight(static_cast<Weight>(values[a]), static_cast<Weight>(values[b]), isovalue);
    points[id] = lerp(from[a], from[b], static_cast<Real>(t));
    places[key_places[id]] = static_cast<std::uint32_t>(id);
    if (normals != nullptr)
      normals[id] = normal_along_edge(gradients[a], gradients[b], static_cast<double>(t));
    if (edges == nullptr) return;
    edges[id] = {a, b};
    weights[id] = static_cast<double>(t);
  }
};

void scan(const Exec& exec, Buffer<std::uint32_t>& counts) {
  exclusive_scan<std::uint32_t, std::uint32_t>(exec, counts.span(), counts.span());
}

template <class T>
Buffer<std::uint8_t> marks_of(const Exec& exec, std::size_t points, const T* values,
                              const Isovalue<T>& isovalue) {
  Buffer<std::uint8_t> marks(exec, points);
  std::uint8_t* out = marks.data();
  for_each(
      exec, points, TS_LAMBDA(std::size_t v) {
        const T value = values[v];
        const bool is_high = !isovalue.never && value >= isovalue.threshold;
        out[v] = is_high ? high_mark : value == value ? low_mark : nan_mark;
      });
  return marks;
}

}  // namespace

template <class T, class Real>
SurfaceBuffers<Real> resident_isosurface(const Exec& exec, const ResidentTets<Real>& mesh, const T* values,
                                         double isovalue, const ResidentOptions& options) {
  TS_EXPECTS(exec.is_cuda());
  const std::size_t n = mesh.cells.size();
  const std::size_t vertices = mesh.points.size();
  if (n >= (std::size_t{1} << 30)) {
    throw Error(ErrorCode::unsupported,
                "the device cuts at most 1073741823 tetrahedra, but there are " + std::to_string(n));
  }
  SurfaceBuffers<Real> surface;
  const auto iso = Isovalue<T>::of(isovalue);
  const Buffer<std::uint8_t> marks = marks_of(exec, vertices, values, iso);
  const Tets tets{mesh.cells.data(), marks.data(), n, static_cast<std::uint32_t>(vertices)};

  auto triangles = cuda::filled<std::uint32_t>(exec, n + 1, 0);
  auto rows = cuda::filled<std::uint32_t>(exec, vertices + 1, 0);
  auto is_bad = cuda::filled<std::uint32_t>(exec, 1, 0);
  for_each(exec, n, Classify{tets, triangles.data(), rows.data(), is_bad.data()});
  scan(exec, triangles);
  scan(exec, rows);
  if (cuda::value_at(exec, is_bad, 0) != 0) {
    throw Error(ErrorCode::bad_mesh, "a tet names a point that is not there; 'tessera doctor' says which");
  }
  const std::uint32_t triangle_count = cuda::value_at(exec, triangles, n);
  if (triangle_count == 0) return surface;

  auto places = cuda::filled(exec, cuda::value_at(exec, rows, vertices), empty);
  auto first_edge = cuda::filled<std::uint32_t>(exec, vertices + 1, 0);
  surface.cells = Buffer<TriMesh::Cell>(exec, triangle_count);
  if (options.with_provenance) surface.sources = Buffer<std::uint64_t>(exec, triangle_count);
  auto* corners = reinterpret_cast<std::uint32_t*>(surface.cells.data());
  for_each(exec, n,
           EnterEdges<Real>{tets, mesh.points.data(), triangles.data(), rows.data(), places.data(),
                            first_edge.data(), corners, surface.sources.data()});
  scan(exec, first_edge);
  const std::uint32_t edges = cuda::value_at(exec, first_edge, vertices);
  Buffer<std::uint64_t> keys(exec, edges);
  Buffer<std::uint32_t> key_places(exec, edges);
  for_each(
      exec, vertices,
      ListEdges{rows.data(), places.data(), first_edge.data(), vertices, keys.data(), key_places.data()});
  sort_pairs<std::uint64_t, std::uint32_t>(exec, keys.span(), key_places.span(),
                                           bits_in_use(static_cast<std::uint64_t>(vertices) * vertices));
  surface.points = Buffer<Vec3<Real>>(exec, edges);
  if (options.with_provenance) {
    surface.edges = Buffer<std::array<std::uint64_t, 2>>(exec, edges);
    surface.weights = Buffer<double>(exec, edges);
  }
  Buffer<Vec3d> gradients;
  if (options.normals == SurfaceNormals::gradient) {
    gradients = cuda::point_gradients(exec, mesh, values);
    surface.normals = Buffer<Vec3f>(exec, edges);
  }
  for_each(
      exec, edges,
      WriteVertices<T, Real>{values, mesh.points.data(), iso.value, vertices, keys.data(), key_places.data(),
                             places.data(), surface.points.data(), surface.edges.data(),
                             surface.weights.data(), gradients.data(), surface.normals.data()});
  const std::uint32_t* vertex_of = places.data();
  for_each(
      exec, std::size_t{3} * triangle_count,
      TS_LAMBDA(std::size_t c) { corners[c] = vertex_of[corners[c]]; });
  if (options.normals == SurfaceNormals::averaged) cuda::average_normals(exec, surface);
  return surface;
}

#define TS_INSTANTIATE_REAL(T, Real)                                                                  \
  template SurfaceBuffers<Real> resident_isosurface(const Exec&, const ResidentTets<Real>&, const T*, \
                                                    double, const ResidentOptions&)
#define TS_INSTANTIATE(T)        \
  TS_INSTANTIATE_REAL(T, float); \
  TS_INSTANTIATE_REAL(T, double)
#include <tessera/mesh/detail/instantiate_fields.inc>
#undef TS_INSTANTIATE_REAL

}  // namespace tessera
