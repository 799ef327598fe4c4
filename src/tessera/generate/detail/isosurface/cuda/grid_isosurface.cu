// Marching cubes on a device: the same words and the same counts as on the host (lattice_bits.h).
//
//   bits       a warp turns 32 words of values into bits by ballots
//   count      eight lanes add up a row; every word learns where its vertices and triangles begin in the row
//   scan       rows
//   vertices   each lane looks into a word, then the warp deals the crossed edges of all 32 to its lanes
//   triangles  the same with cells that are cut, and then with the corners of their triangles
#include <tessera/generate/resident.h>

#include <tessera/exec/primitives.h>
#include <tessera/generate/detail/isosurface/grid_surface.h>
#include <tessera/generate/detail/isosurface/lattice_bits.h>
#include <tessera/generate/detail/isosurface/surface_parts.h>
#include <tessera/exec/buffers.cuh>
#include <tessera/exec/cuda.cuh>
#include <tessera/exec/for_each.cuh>
#include <tessera/generate/detail/isosurface/cuda/normals.cuh>
#include <tessera/generate/detail/isosurface/cuda/table.cuh>

namespace tessera {

using namespace detail;
namespace {

using lattice::CellWords;
using lattice::count_bits;
using lattice::RowCounts;
using lattice::View;
using lattice::word_bits;

constexpr std::uint32_t lanes = 32;
constexpr std::uint32_t all_lanes = 0xFFFFFFFFu;
constexpr std::uint32_t row_lanes = 8;

__device__ std::size_t thread_number() {
  return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

/// Blocks for so many threads.
unsigned blocks_for(std::size_t threads, unsigned in_block = cuda::block_threads) {
  return static_cast<unsigned>((threads + in_block - 1) / in_block);
}

/// Blocks for so many threads a layer: their x is the place in the layer, y and z the layer, so that nobody
/// divides 64-bit numbers to know where he is.
dim3 blocks_by_layer(const View& view, std::size_t threads_a_layer, unsigned in_block = cuda::block_threads) {
  constexpr std::uint32_t most = 65535;  // along y
  const std::uint32_t y = view.nz < most ? view.nz : most;
  return {blocks_for(threads_a_layer, in_block), y, (view.nz + y - 1) / y};
}
__device__ std::uint32_t layer() {
  return blockIdx.z * gridDim.y + blockIdx.y;
}

template <class T>
struct IsHigh {
  T threshold;
  bool never;
  __device__ bool operator()(T v) const { return !never && v >= threshold; }
};
template <class T>
struct IsNumber {
  __device__ bool operator()(T v) const { return v == v; }
};

/// A bit for each value that passes the test; *has_nan is set if one is NaN.
template <class T, class Test>
__global__ void bits_kernel(const T* values, View shape, Test test, std::uint64_t* bits,
                            std::uint32_t* has_nan) {
  const std::size_t total = shape.rows() * shape.words;
  const std::size_t first = thread_number() / lanes * lanes;  // a warp makes 32 words
  const std::uint32_t lane = threadIdx.x % lanes;
  if (first >= total) return;
  std::size_t row = first / shape.words;
  auto w = static_cast<std::uint32_t>(first % shape.words);
  std::uint64_t mine = 0;
  bool nan = false;
#pragma unroll 8
  for (std::uint32_t s = 0; s < lanes; ++s) {
    if (first + s < total) {
      const T* line = values + row * shape.nx;
      const std::uint32_t i = w * word_bits + lane;
      const T low = i < shape.nx ? line[i] : T{};
      const T high = i + lanes < shape.nx ? line[i + lanes] : T{};
      const std::uint32_t low_bits = __ballot_sync(all_lanes, i < shape.nx && test(low));
      const std::uint32_t high_bits = __ballot_sync(all_lanes, i + lanes < shape.nx && test(high));
      nan = nan || low != low || high != high;
      if (lane == s) mine = static_cast<std::uint64_t>(high_bits) << lanes | low_bits;
      if (++w == shape.words) {
        w = 0;
        ++row;
      }
    }
  }
  if (first + lane < total) bits[first + lane] = mine;
  if (__any_sync(all_lanes, nan) && lane == 0) *has_nan = 1;
}

__global__ void whole_kernel(View numbers, std::uint64_t* whole) {
  const std::size_t place = thread_number();
  if (place >= numbers.rows() * numbers.words) return;
  const std::size_t row = place / numbers.words;
  const auto w = static_cast<std::uint32_t>(place % numbers.words);
  const auto j = static_cast<std::uint32_t>(row % numbers.ny);
  const auto k = static_cast<std::uint32_t>(row / numbers.ny);
  std::uint64_t all = j + 1 < numbers.ny && k + 1 < numbers.nz ? numbers.inner(w) : 0;
  if (all != 0) {
    const CellWords words = numbers.cell_words(j, k, w);
    for (int c = 0; c < 8; ++c) all &= words.corner[c];
  }
  whole[place] = all;
}

/// Eight lanes a row: for each word, the places of its first vertices and triangle in the row; for each row,
/// how many.
__global__ void count_kernel(View view, RowCounts* first, std::uint32_t* vertices, std::uint32_t* triangles) {
  const auto j = static_cast<std::uint32_t>(thread_number() / row_lanes);
  const std::uint32_t k = layer();
  if (j >= view.ny || k >= view.nz) return;
  const std::size_t row = view.row(j, k);
  const std::uint32_t lane = threadIdx.x % row_lanes;
  const std::uint32_t mask = 0xFFu << (threadIdx.x % lanes / row_lanes * row_lanes);
  std::uint32_t sums[4] = {0, 0, 0, 0};
  for (std::uint32_t begin = 0; begin < view.words; begin += row_lanes) {
    const std::uint32_t w = begin + lane;
    const RowCounts own = w < view.words ? view.count_word(j, k, w) : RowCounts{};
    const std::uint32_t counts[4] = {own.vertices[0], own.vertices[1], own.vertices[2], own.triangles};
    std::uint32_t before[4];
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      std::uint32_t inclusive = counts[c];
#pragma unroll
      for (std::uint32_t step = 1; step < row_lanes; step *= 2) {
        const std::uint32_t other = __shfl_up_sync(mask, inclusive, step, row_lanes);
        if (lane >= step) inclusive += other;
      }
      before[c] = sums[c] + inclusive - counts[c];
      sums[c] += __shfl_sync(mask, inclusive, row_lanes - 1, row_lanes);
    }
    if (w < view.words) {
      RowCounts& place = first[row * view.words + w];
      for (int axis = 0; axis < 3; ++axis) place.vertices[axis] = before[axis];
      place.triangles = before[3];
    }
  }
  for (std::uint32_t w = lane; w < view.words; w += row_lanes) {  // y after x, z after y
    RowCounts& place = first[row * view.words + w];
    place.vertices[1] += sums[0];
    place.vertices[2] += sums[0] + sums[1];
  }
  if (lane == 0) {
    vertices[row] = sums[0] + sums[1] + sums[2];
    triangles[row] = sums[3];
  }
}

/// Where everything begins.
struct Starts {
  const RowCounts* words;
  const std::uint64_t* vertices;   ///< of each row
  const std::uint64_t* triangles;  ///< of each row

  __device__ std::uint32_t vertex(const View& view, std::size_t row, std::uint32_t w, int axis) const {
    return static_cast<std::uint32_t>(vertices[row]) + words[row * view.words + w].vertices[axis];
  }
};

/// The place of the n-th set bit of a word that has more than n.
__device__ std::uint32_t nth_bit(std::uint64_t word, std::uint32_t n) {
  std::uint32_t place = 0;
#pragma unroll
  for (std::uint32_t width = word_bits / 2; width > 0; width /= 2) {
    const std::uint32_t low = count_bits(word & ((std::uint64_t{1} << width) - 1));
    const bool is_above = n >= low;
    word = is_above ? word >> width : word;
    n -= is_above ? low : 0;
    place += is_above ? width : 0;
  }
  return place;
}

/// The word that has item n, if `before` are the items in earlier words.
__device__ std::uint32_t word_of(const std::uint32_t* before, std::uint32_t n) {
  std::uint32_t word = 0;
#pragma unroll
  for (std::uint32_t step = lanes / 2; step > 0; step /= 2) {
    if (before[word + step] <= n) word += step;
  }
  return word;
}

/// The sum over this lane and those before it.
__device__ std::uint32_t sum_up_to_lane(std::uint32_t own) {
  std::uint32_t sum = own;
#pragma unroll
  for (std::uint32_t step = 1; step < lanes; step *= 2) {
    const std::uint32_t other = __shfl_up_sync(all_lanes, sum, step);
    if (threadIdx.x % lanes >= step) sum += other;
  }
  return sum;
}

/// What a warp notes down of the edges of 32 words.
struct EdgeNotes {
  std::uint64_t crossed[3][lanes];  ///< edges along x, y and z
  std::uint32_t begin[3][lanes];    ///< the vertices of the first ones
  std::uint32_t before[lanes];      ///< crossed edges in earlier words
  std::uint32_t j[lanes];
};

/// Few edges are crossed: dealt to the lanes, those along x, then y, then z of one word after the other, they
/// keep all of them busy.
template <class T, class Real>
__global__ void vertices_kernel(LatticeValues<T> field, LatticeFrame frame, View view, Starts starts,
                                WeightOf<T> isovalue, lattice::VertexOutput<Real> out) {
  __shared__ EdgeNotes all_notes[cuda::block_threads / lanes];
  EdgeNotes& notes = all_notes[threadIdx.x / lanes];
  const std::uint32_t lane = threadIdx.x % lanes;
  const auto place = static_cast<std::uint32_t>(thread_number());  // of a word in its layer
  const std::uint32_t j = place / view.words;
  const std::uint32_t k = layer();
  if (k >= view.nz) return;
  std::uint32_t own = 0;
  if (j < view.ny) {
    const std::uint32_t w = place - j * view.words;
    for (int axis = 0; axis < 3; ++axis) {
      const std::uint64_t crossed = view.edges(axis, j, k, w);
      notes.crossed[axis][lane] = crossed;
      own += count_bits(crossed);
    }
    for (int axis = 0; own > 0 && axis < 3; ++axis)
      notes.begin[axis][lane] = starts.vertex(view, view.row(j, k), w, axis);
  }
  const std::uint32_t end = sum_up_to_lane(own);
  notes.before[lane] = end - own;
  notes.j[lane] = j;
  __syncwarp();
  const std::uint32_t total = __shfl_sync(all_lanes, end, lanes - 1);
  for (std::uint32_t n = lane; n < total; n += lanes) {
    const std::uint32_t word = word_of(notes.before, n);
    const std::uint32_t in_word = n - notes.before[word];
    const std::uint32_t after_x = count_bits(notes.crossed[0][word]);
    const std::uint32_t after_y = after_x + count_bits(notes.crossed[1][word]);
    const std::uint32_t axis = in_word < after_x ? 0 : in_word < after_y ? 1 : 2;
    const std::uint32_t rank = in_word - (axis == 0 ? 0 : axis == 1 ? after_x : after_y);
    const std::uint32_t y = notes.j[word];
    const std::uint32_t w = place - lane + word - y * view.words;
    const std::uint32_t i = w * word_bits + nth_bit(notes.crossed[axis][word], rank);
    const std::size_t id = notes.begin[axis][word] + rank;
    const std::size_t point = view.row(y, k) * field.nx + i;
    const std::size_t stride = axis == 0   ? 1
                               : axis == 1 ? field.nx
                                           : static_cast<std::size_t>(field.nx) * field.ny;
    using Weight = WeightOf<T>;
    const Weight t = edge_weight(static_cast<Weight>(field.values[point]),
                                 static_cast<Weight>(field.values[point + stride]), isovalue);
    const double along = static_cast<double>(t);
    out.points[id] = vec_cast<Real>(
        frame.at(axis == 0 ? i + along : i, axis == 1 ? y + along : y, axis == 2 ? k + along : k));
    if (!out.normals.empty()) {
      const auto here = field.gradient(i, y, k);
      const auto there = field.gradient(i + (axis == 0), y + (axis == 1), k + (axis == 2));
      out.normals[id] = normal_of(frame, lerp(here, there, t));
    }
    if (!out.edges.empty()) {
      out.edges[id] = {point, point + stride};
      out.weights[id] = along;
    }
  }
}

constexpr std::uint32_t most_corners = 3 * cube::max_triangles;
constexpr int cell_threads = 128;  // more have no room for their notes

/// What a warp notes down of the cells of 32 words, and of 32 cells at a time.
struct CellNotes {
  std::uint64_t corner[8][lanes];
  std::uint64_t crossed[8][lanes];  ///< the edges on the eight lines (View::line)
  std::uint32_t begin[8][lanes];    ///< the vertices of the first ones
  std::uint64_t active[lanes];
  std::uint32_t before[lanes];  ///< active cells in earlier words
  std::uint32_t j[lanes];
  std::uint16_t cells[lanes];                   ///< word << 6 | bit
  std::uint16_t corners[lanes * most_corners];  ///< of the triangles of these cells: edge << 5 | cell

  /// Notes down a word; returns how many of its cells are active.
  __device__ std::uint32_t look_into(const View& view, const Starts& starts, std::uint32_t y, std::uint32_t k,
                                     std::uint32_t w) {
    const std::uint32_t lane = threadIdx.x % lanes;
    const CellWords words = view.cell_words(y, k, w);
    active[lane] = words.active;
    if (words.active == 0) return 0;
    for (int c = 0; c < 8; ++c) corner[c][lane] = words.corner[c];
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      const View::Line line = View::line(e, y, k);
      crossed[e][lane] = view.edges(line.axis, line.j, line.k, w);
      begin[e][lane] = starts.vertex(view, view.row(line.j, line.k), w, line.axis);
    }
    return count_bits(words.active);
  }
  [[nodiscard]] __device__ std::uint32_t case_of(std::uint32_t word, std::uint32_t bit) const {
    std::uint32_t high = 0;
#pragma unroll
    for (std::uint32_t c = 0; c < 8; ++c) high |= static_cast<std::uint32_t>(corner[c][word] >> bit & 1) << c;
    return high;
  }
  /// The vertex on an edge of a cell. The lines of edges 8 to 11 are those of 4 to 7, one cell further.
  [[nodiscard]] __device__ std::uint32_t vertex(std::uint32_t cell, std::uint32_t edge) const {
    const std::uint32_t word = cell / word_bits;
    const std::uint32_t bit = cell % word_bits;
    const std::uint32_t line = edge < 8 ? edge : edge - 4;
    const std::uint64_t own = std::uint64_t{1} << bit;
    const std::uint64_t before_it = edge < 8 ? own - 1 : own + (own - 1);
    return begin[line][word] + count_bits(crossed[line][word] & before_it);
  }
};

__global__ void triangles_kernel(View view, Starts starts, std::uint32_t* triangles, std::uint64_t* sources) {
  __shared__ CellNotes all_notes[cell_threads / lanes];
  CellNotes& notes = all_notes[threadIdx.x / lanes];
  const std::uint32_t lane = threadIdx.x % lanes;
  const auto place = static_cast<std::uint32_t>(thread_number());  // of a word in its layer
  const std::uint32_t j = place / view.words;
  const std::uint32_t k = layer();
  if (k + 1 >= view.nz) return;
  const std::uint32_t own = j + 1 < view.ny ? notes.look_into(view, starts, j, k, place - j * view.words) : 0;
  const std::uint32_t end = sum_up_to_lane(own);
  notes.before[lane] = end - own;
  notes.j[lane] = j;
  __syncwarp();
  const std::uint32_t cells = __shfl_sync(all_lanes, end, lanes - 1);
  if (cells == 0) return;
  const std::uint32_t first_place = place - lane;
  const std::size_t first_word = static_cast<std::size_t>(view.row(0, k)) * view.words + first_place;
  std::size_t next = starts.triangles[view.row(notes.j[0], k)] + starts.words[first_word].triangles;
  const std::uint32_t lower_lanes = (1u << lane) - 1;
  for (std::uint32_t first = 0; first < cells; first += lanes) {
    const bool is_busy = first + lane < cells;
    const std::uint32_t word = is_busy ? word_of(notes.before, first + lane) : 0;
    const std::uint32_t bit = is_busy ? nth_bit(notes.active[word], first + lane - notes.before[word]) : 0;
    const cube::Case& entry = cuda::cube_cases[is_busy ? notes.case_of(word, bit) : 0];
    const std::uint32_t count = entry.triangles;  // below 8: three ballots are a scan
    std::uint32_t before = 0;
    std::uint32_t total = 0;
#pragma unroll
    for (std::uint32_t b = 0; b < 3; ++b) {
      const std::uint32_t has = __ballot_sync(all_lanes, (count >> b & 1) != 0);
      before += static_cast<std::uint32_t>(__popc(has & lower_lanes)) << b;
      total += static_cast<std::uint32_t>(__popc(has)) << b;
    }
    notes.cells[lane] = static_cast<std::uint16_t>(word * word_bits + bit);
    for (std::uint32_t c = 0; c < 3 * count; ++c)
      notes.corners[3 * before + c] = static_cast<std::uint16_t>(entry.edges[c] * lanes + lane);
    __syncwarp();
    for (std::uint32_t c = lane; c < 3 * total; c += lanes) {
      const std::uint32_t corner = notes.corners[c];
      const std::uint32_t cell = notes.cells[corner % lanes];
      triangles[3 * next + c] = notes.vertex(cell, corner / lanes);
      if (sources == nullptr || c % 3 != 0) continue;
      const std::uint32_t y = notes.j[cell / word_bits];
      const std::uint64_t i =
          (first_place + cell / word_bits - y * view.words) * word_bits + cell % word_bits;
      sources[next + c / 3] = i + (view.nx - 1) * (y + static_cast<std::uint64_t>(view.ny - 1) * k);
    }
    __syncwarp();
    next += total;
  }
}

/// The bits of a level set, and of the cells without NaN if there is one.
template <class T>
struct DeviceBits {
  Buffer<std::uint64_t> high;
  Buffer<std::uint64_t> whole;

  DeviceBits(const Exec& exec, const View& shape, const T* values, const Isovalue<T>& isovalue)
      : high(exec, shape.rows() * shape.words) {
    Buffer<std::uint32_t> has_nan(exec, std::array<std::uint32_t, 1>{0});
    make(exec, shape, values, IsHigh<T>{isovalue.threshold, isovalue.never}, high, has_nan);
    if (has_nan.to_host()[0] == 0) return;
    Buffer<std::uint64_t> numbers(exec, high.size());
    make(exec, shape, values, IsNumber<T>{}, numbers, has_nan);
    whole = Buffer<std::uint64_t>(exec, high.size());
    View view = shape;
    view.high = numbers.data();
    whole_kernel<<<blocks_for(high.size()), cuda::block_threads, 0, cuda_stream(exec)>>>(view, whole.data());
    check_launch(exec, "looking for cells without NaN");
  }

 private:
  template <class Test>
  static void make(const Exec& exec, const View& shape, const T* values, Test test,
                   Buffer<std::uint64_t>& bits, Buffer<std::uint32_t>& has_nan) {
    bits_kernel<<<blocks_for(bits.size()), cuda::block_threads, 0, cuda_stream(exec)>>>(
        values, shape, test, bits.data(), has_nan.data());
    check_launch(exec, "comparing values");
  }
};

}  // namespace

template <class T>
SurfaceBuffers<GridReal<T>> resident_isosurface(const Exec& exec, const Grid& grid, const T* values,
                                                double isovalue, const ResidentOptions& options) {
  TS_EXPECTS(exec.is_cuda());
  using Real = GridReal<T>;
  SurfaceBuffers<Real> surface;
  if (grid.dims[0] < 2 || grid.dims[1] < 2 || grid.dims[2] < 2) return surface;
  const CurrentDevice current(exec);
  const auto iso = Isovalue<T>::of(isovalue);
  View view = lattice::view_of(grid);
  const DeviceBits<T> bits(exec, view, values, iso);
  view.high = bits.high.data();
  view.whole = bits.whole.data();

  const std::size_t rows = view.rows();
  Buffer<RowCounts> words(exec, rows * view.words);
  Buffer<std::uint32_t> row_vertices(exec, rows);
  Buffer<std::uint32_t> row_triangles(exec, rows);
  count_kernel<<<blocks_by_layer(view, std::size_t{view.ny} * row_lanes), cuda::block_threads, 0,
                 cuda_stream(exec)>>>(view, words.data(), row_vertices.data(), row_triangles.data());
  check_launch(exec, "counting crossings");
  Buffer<std::uint64_t> first_vertices(exec, rows + 1);
  Buffer<std::uint64_t> first_triangles(exec, rows + 1);
  exclusive_scan<std::uint32_t, std::uint64_t>(exec, row_vertices.span(), first_vertices.span());
  exclusive_scan<std::uint32_t, std::uint64_t>(exec, row_triangles.span(), first_triangles.span());
  const std::uint64_t vertices = cuda::last_of(exec, first_vertices);
  const std::uint64_t triangles = cuda::last_of(exec, first_triangles);
  expect_countable(vertices, triangles);
  if (triangles == 0) return surface;

  const Starts starts{words.data(), first_vertices.data(), first_triangles.data()};
  surface.points = Buffer<Vec3<Real>>(exec, vertices);
  if (options.normals == SurfaceNormals::gradient) surface.normals = Buffer<Vec3f>(exec, vertices);
  surface.cells = Buffer<TriMesh::Cell>(exec, triangles);
  if (options.with_provenance) {
    surface.edges = Buffer<std::array<std::uint64_t, 2>>(exec, vertices);
    surface.weights = Buffer<double>(exec, vertices);
    surface.sources = Buffer<std::uint64_t>(exec, triangles);
  }
  const LatticeValues<T> field{values, view.nx, view.ny, view.nz};
  const lattice::VertexOutput<Real> out{surface.points.span(), surface.normals.span(), surface.edges.span(),
                                        surface.weights.span()};
  const std::size_t words_a_layer = std::size_t{view.ny} * view.words;
  vertices_kernel<<<blocks_by_layer(view, words_a_layer), cuda::block_threads, 0, cuda_stream(exec)>>>(
      field, lattice::frame_of(grid), view, starts, iso.value, out);
  check_launch(exec, "writing vertices");
  triangles_kernel<<<blocks_by_layer(view, words_a_layer, cell_threads), cell_threads, 0,
                     cuda_stream(exec)>>>(
      view, starts, reinterpret_cast<std::uint32_t*>(surface.cells.data()), surface.sources.data());
  check_launch(exec, "writing triangles");
  if (lattice::frame_of(grid).is_mirrored())
    tessera::for_each(exec, triangles, TurnTriangle{surface.cells.data()});
  if (options.normals == SurfaceNormals::averaged) cuda::average_normals(exec, surface);
  return surface;
}

#define TS_INSTANTIATE(T)                                                                              \
  template SurfaceBuffers<GridReal<T>> resident_isosurface(const Exec&, const Grid&, const T*, double, \
                                                           const ResidentOptions&)
#include <tessera/mesh/detail/instantiate_fields.inc>

}  // namespace tessera
