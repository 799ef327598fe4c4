// Vertices and triangles of a level set, row by row. A row's places in the output are known, so rows are
// written by any thread; words without a crossing are not looked into.
#include <tessera/generate/detail/isosurface/grid_surface.h>

#include <algorithm>
#include <bit>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/for_each.h>
#include <tessera/generate/detail/isosurface/cube_table.h>
#include <tessera/generate/resident.h>

namespace tessera::detail::lattice {
namespace {

constexpr std::size_t rows_ahead = 32;  ///< whose values are fetched before they are used

/// The crossed edges of some rows, found before they are worked on: their values are on the way from memory
/// meanwhile. In the order of the vertex ids, so a row's edges along an axis are a piece of the list.
class CrossedEdges {
 public:
  template <class T>
  void find(const LatticeValues<T>& field, const View& view, std::span<const RowCounts> first,
            host::Range rows) {
    places_.resize(first[rows.end].vertices[0] - first[rows.begin].vertices[0]);
    std::uint32_t* next = places_.data();
    const bool is_sparse =
        places_.size() < rows.size() * view.nx / 16;  // else the processor fetches ahead itself
    const std::size_t strides[] = {1, field.nx, static_cast<std::size_t>(field.nx) * field.ny};
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
      const auto j = static_cast<std::uint32_t>(row % view.ny);
      const auto k = static_cast<std::uint32_t>(row / view.ny);
      const auto& ids = first[row].vertices;
      const std::uint32_t ends[] = {ids[1], ids[2], first[row + 1].vertices[0]};
      for (int axis = 0; axis < 3; ++axis) {
        const std::uint32_t* begin = next;
        if (ids[axis] == ends[axis]) continue;
        for (std::uint32_t w = 0; w < view.words; ++w) {
          std::uint64_t crossed = view.edges(axis, j, k, w);
          for (; crossed != 0; crossed &= crossed - 1) {
            *next++ = w * word_bits + static_cast<std::uint32_t>(std::countr_zero(crossed));
          }
        }
        if (!is_sparse) continue;
        const T* line = field.values + row * field.nx;
        for (; begin < next; ++begin) {
          __builtin_prefetch(line + *begin);
          __builtin_prefetch(line + *begin + strides[axis]);
        }
      }
    }
  }
  [[nodiscard]] std::span<const std::uint32_t> piece(std::size_t begin, std::size_t count) const {
    return {places_.data() + begin, count};
  }

 private:
  Array<std::uint32_t> places_;  ///< along the row
};

constexpr std::size_t batch = 64;  ///< vertices whose numbers are worked on together, for wide registers

/// A row of a lattice that may be a part of another one.
struct RowPlace {
  std::uint32_t j, k;
  std::uint32_t first_layer;
};

/// Writes the normals of at most a batch of vertices on a row's edges.
template <int Axis, class T>
void fill_normals(const LatticeValues<T>& field, const LatticeFrame& frame, const RowPlace& at,
                  std::span<const std::uint32_t> places, const WeightOf<T>* weights, Vec3f* normals) {
  const RowNeighbours<T> row(field, at.j, at.k);
  const RowNeighbours<T> other(field, at.j + (Axis == 1), at.k + (Axis == 2));
  WeightOf<T> x[batch];
  WeightOf<T> y[batch];
  WeightOf<T> z[batch];
  for (std::size_t c = 0; c < places.size(); ++c) {
    const auto slope = lerp(row.gradient(places[c]), other.gradient(places[c] + (Axis == 0)), weights[c]);
    x[c] = slope.x;
    y[c] = slope.y;
    z[c] = slope.z;
  }
  for (std::size_t c = 0; c < places.size(); ++c) {
    normals[c] = normal_of(frame, Vec3<WeightOf<T>>{x[c], y[c], z[c]});
  }
}

/// Writes the vertices on a row's edges along one axis; `places` are the edges, `id` the first vertex.
template <int Axis, class T, class Real>
void fill_edges(const LatticeValues<T>& field, const LatticeFrame& frame, const RowPlace& at,
                std::span<const std::uint32_t> places, std::size_t id, const Isovalue<T>& isovalue,
                const VertexOutput<Real>& out) {
  using Weight = WeightOf<T>;
  const std::size_t strides[] = {1, field.nx, static_cast<std::size_t>(field.nx) * field.ny};
  const std::size_t stride = strides[Axis];
  const std::size_t begin = field.index(0, at.j, at.k);
  const std::uint64_t whole_begin = begin + strides[2] * at.first_layer;  // in the lattice it is a part of
  const std::uint32_t j = at.j;
  const std::uint32_t k = at.first_layer + at.k;
  for (std::size_t done = 0; done < places.size(); done += batch) {
    const std::span<const std::uint32_t> now = places.subspan(done, std::min(batch, places.size() - done));
    Weight weights[batch];
    for (std::size_t c = 0; c < now.size(); ++c) {
      const T* value = field.values + begin + now[c];
      weights[c] =
          edge_weight(static_cast<Weight>(value[0]), static_cast<Weight>(value[stride]), isovalue.value);
    }
    for (std::size_t c = 0; c < now.size(); ++c) {
      const std::uint32_t i = now[c];
      const double along = static_cast<double>(weights[c]);
      out.points[id + c] = vec_cast<Real>(
          frame.at(Axis == 0 ? i + along : i, Axis == 1 ? j + along : j, Axis == 2 ? k + along : k));
    }
    if (!out.normals.empty()) fill_normals<Axis>(field, frame, at, now, weights, out.normals.data() + id);
    if (!out.edges.empty()) {
      for (std::size_t c = 0; c < now.size(); ++c) {
        out.edges[id + c] = {whole_begin + now[c], whole_begin + now[c] + stride};
        out.weights[id + c] = static_cast<double>(weights[c]);
      }
    }
    id += now.size();
  }
}

/// What each case adds to the twelve vertex ids of a cell (cube_table.h): `before` the cell, the edges with x
/// = 1 of those that start from x = 0; `after` it, what the next cell along the row begins with.
struct Steps {
  alignas(64) std::array<std::array<std::uint8_t, 16>, 256> before{};
  alignas(64) std::array<std::array<std::uint8_t, 16>, 256> after{};
};

constexpr Steps make_steps() {
  Steps steps;
  for (int high = 0; high < 256; ++high) {
    for (int e = 0; e < 8; ++e) {
      const auto crossed = static_cast<std::uint8_t>(
          (high >> cube::edge_corners[e][0] ^ high >> cube::edge_corners[e][1]) & 1);
      steps.after[high][e] = crossed;
      if (e >= 4) steps.before[high][e + 4] = steps.after[high][e + 4] = crossed;
    }
  }
  return steps;
}

constexpr Steps steps = make_steps();

/// Walks the active cells of a row with the vertex ids of their edges. A cell that is not active has no
/// crossed edge, so the ids stay right across it.
class CellWalk {
 public:
  CellWalk(const std::array<std::uint32_t, 12>& ids, std::uint32_t* triangles) : out_(triangles) {
#if defined(__AVX512F__)
    alignas(64) std::uint32_t lanes[16] = {};
    std::copy(ids.begin(), ids.end(), lanes);
    ids_ = _mm512_load_si512(lanes);
#else
    std::copy(ids.begin(), ids.end(), ids_);
#endif
  }

  void step(std::uint32_t high) {
    const cube::Case& entry = cube::cases[high];
#if defined(__AVX512F__)
    constexpr __mmask16 all = 0xFFFF;  // g++ 12 warns of its own header without a mask
    const auto widened = [](const std::uint8_t* bytes) {
      return _mm512_maskz_cvtepu8_epi32(all, _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)));
    };
    const __m512i ids = _mm512_add_epi32(ids_, widened(steps.before[high].data()));
    const __m512i corners = _mm512_maskz_permutexvar_epi32(all, widened(entry.edges.data()), ids);
    const auto count = 3u * entry.triangles;
    _mm512_mask_storeu_epi32(out_, static_cast<__mmask16>((1u << count) - 1), corners);
    ids_ = _mm512_add_epi32(ids_, widened(steps.after[high].data()));
    out_ += count;
#else
    for (int e = 8; e < 12; ++e) ids_[e] += steps.before[high][e];
    for (std::uint32_t c = 0; c < 3u * entry.triangles; ++c) *out_++ = ids_[entry.edges[c]];
    for (int e = 0; e < 4; ++e) ids_[e] += steps.after[high][e];
    for (int e = 4; e < 8; ++e) ids_[e] = ids_[e + 4];
#endif
  }

 private:
#if defined(__AVX512F__)
  __m512i ids_;
#else
  std::uint32_t ids_[16] = {};
#endif
  std::uint32_t* out_;
};

#if defined(__AVX512BW__)
/// The case numbers of 64 cells: each corner's word is a mask of bytes.
void fill_cases(const CellWords& words, std::uint8_t* cases) {
  __m512i all = _mm512_setzero_si512();
  for (int c = 0; c < 8; ++c) {
    const __m512i bit = _mm512_set1_epi8(static_cast<char>(1 << c));
    all = _mm512_or_si512(all, _mm512_maskz_mov_epi8(words.corner[c], bit));
  }
  _mm512_store_si512(cases, all);
}
#else
/// The case numbers of 64 cells, eight at a time: a transposition of 8 x 8 bits. Groups without an active
/// cell are left out.
void fill_cases(const CellWords& words, std::uint8_t* cases) {
  for (int g = 0; g < 8; ++g) {
    if ((words.active >> (8 * g) & 0xFF) == 0) continue;
    std::uint64_t x = 0;
    for (int c = 0; c < 8; ++c) x |= (words.corner[c] >> (8 * g) & 0xFF) << (8 * c);
    std::uint64_t t = (x ^ (x >> 7)) & 0x00AA00AA00AA00AAull;
    x ^= t ^ (t << 7);
    t = (x ^ (x >> 14)) & 0x0000CCCC0000CCCCull;
    x ^= t ^ (t << 14);
    t = (x ^ (x >> 28)) & 0x00000000F0F0F0F0ull;
    x ^= t ^ (t << 28);
    for (int i = 0; i < 8; ++i) cases[8 * g + i] = static_cast<std::uint8_t>(x >> (8 * i));
  }
}
#endif

/// The first vertex ids on the eight lines of edges around a row of cells, and again for the edges at x = 1.
std::array<std::uint32_t, 12> first_ids(const View& view, std::span<const RowCounts> first, std::uint32_t j,
                                        std::uint32_t k) {
  std::array<std::uint32_t, 12> ids{};
  for (int e = 0; e < 12; ++e) {
    const View::Line line = View::line(e < 8 ? e : e - 4, j, k);
    ids[e] = first[view.row(line.j, line.k)].vertices[line.axis];
  }
  return ids;
}

void fill_row(const View& view, std::span<const RowCounts> first, std::uint32_t j, std::uint32_t k,
              std::uint32_t* triangles) {
  CellWalk walk(first_ids(view, first, j, k), triangles);
  CellRow row(view, j, k);
  for (std::uint32_t w = 0; w < view.words; ++w) {
    const CellWords words = row.next(w);
    if (words.active == 0) continue;
    alignas(64) std::uint8_t cases[word_bits];
    fill_cases(words, cases);
    for (std::uint64_t active = words.active; active != 0; active &= active - 1) {
      walk.step(cases[std::countr_zero(active)]);
    }
  }
}

/// The same where cells are left out that have vertices on their edges: ids are counted for every cell.
void fill_row_with_gaps(const View& view, std::span<const RowCounts> first, std::uint32_t j, std::uint32_t k,
                        std::uint32_t* triangles) {
  std::array<std::uint32_t, 12> before = first_ids(view, first, j, k);  // of the word
  for (std::uint32_t w = 0; w < view.words; ++w) {
    std::uint64_t lines[8];
    for (int e = 0; e < 8; ++e) {
      const View::Line line = View::line(e, j, k);
      lines[e] = view.edges(line.axis, line.j, line.k, w);
    }
    const CellWords words = view.cell_words(j, k, w);
    for (std::uint64_t active = words.active; active != 0; active &= active - 1) {
      const auto bit = static_cast<std::uint32_t>(std::countr_zero(active));
      const std::uint64_t below = (std::uint64_t{1} << bit) - 1;
      std::uint32_t ids[12];
      for (int e = 0; e < 12; ++e) {
        const std::uint64_t line = lines[e < 8 ? e : e - 4];
        ids[e] = before[e] + count_bits(line & (e < 8 ? below : below << 1 | 1));
      }
      const cube::Case& entry = cube::cases[words.case_of(bit)];
      for (std::uint32_t c = 0; c < 3u * entry.triangles; ++c) *triangles++ = ids[entry.edges[c]];
    }
    for (int e = 0; e < 12; ++e) before[e] += count_bits(lines[e < 8 ? e : e - 4]);
  }
}

/// The cell of each triangle of a row.
void fill_cells(const View& view, const RowPlace& at, std::uint64_t* cells) {
  const std::uint32_t j = at.j;
  const std::uint32_t k = at.k;
  const std::uint64_t layer = std::uint64_t{at.first_layer} + k;
  const std::uint64_t begin = (view.nx - 1) * (j + static_cast<std::uint64_t>(view.ny - 1) * layer);
  for (std::uint32_t w = 0; w < view.words; ++w) {
    const CellWords words = view.cell_words(j, k, w);
    for (std::uint64_t active = words.active; active != 0; active &= active - 1) {
      const auto bit = static_cast<std::uint32_t>(std::countr_zero(active));
      const std::uint32_t count = cube::cases[words.case_of(bit)].triangles;
      for (std::uint32_t t = 0; t < count; ++t) *cells++ = begin + std::uint64_t{w} * word_bits + bit;
    }
  }
}

}  // namespace

template <class T, class Real>
void fill_vertices(const LatticeValues<T>& field, const LatticeFrame& frame, const NumberedRows& rows,
                   const Isovalue<T>& isovalue, const VertexOutput<Real>& out, const Exec& exec) {
  const View& view = rows.view;
  const std::span<const RowCounts> first = rows.first;
  const auto fill = [&](CrossedEdges& edges, host::Range some) {
    const std::uint32_t begin = first[some.begin].vertices[0];
    if (begin == first[some.end].vertices[0]) return;
    edges.find(field, view, first, some);
    for (std::size_t row = some.begin; row < some.end; ++row) {
      const auto& ids = first[row].vertices;
      const std::uint32_t ends[] = {ids[1], ids[2], first[row + 1].vertices[0]};
      const RowPlace at = {static_cast<std::uint32_t>(row % view.ny),
                           static_cast<std::uint32_t>(row / view.ny), rows.first_layer};
      const auto places = [&](int axis) { return edges.piece(ids[axis] - begin, ends[axis] - ids[axis]); };
      fill_edges<0>(field, frame, at, places(0), ids[0], isovalue, out);
      fill_edges<1>(field, frame, at, places(1), ids[1], isovalue, out);
      fill_edges<2>(field, frame, at, places(2), ids[2], isovalue, out);
    }
  };
  host::for_each_chunk(exec.threads(), rows.range.size(), rows_at_once(view), [&](host::Range range, int) {
    CrossedEdges edges;
    const std::size_t end = rows.range.begin + range.end;
    for (std::size_t row = rows.range.begin + range.begin; row < end; row += rows_ahead) {
      fill(edges, {row, std::min(end, row + rows_ahead)});
    }
  });
}

void fill_triangles(const NumberedRows& rows, std::span<std::array<VertexId, 3>> triangles,
                    std::span<std::uint64_t> cells, const Exec& exec) {
  static_assert(sizeof(std::array<VertexId, 3>) == 3 * sizeof(std::uint32_t));
  const View& view = rows.view;
  host::for_each_chunk(exec.threads(), rows.range.size(), rows_at_once(view), [&](host::Range range, int) {
    for (std::size_t row = rows.range.begin + range.begin; row < rows.range.begin + range.end; ++row) {
      const std::uint32_t begin = rows.first[row].triangles;
      if (begin == rows.first[row + 1].triangles) continue;
      const RowPlace at = {static_cast<std::uint32_t>(row % view.ny),
                           static_cast<std::uint32_t>(row / view.ny), rows.first_layer};
      auto* out = reinterpret_cast<std::uint32_t*>(triangles.data() + begin);
      (view.whole == nullptr ? fill_row : fill_row_with_gaps)(view, rows.first, at.j, at.k, out);
      if (!cells.empty()) fill_cells(view, at, cells.data() + begin);
    }
  });
}

template <class T>
using OutputOf = VertexOutput<GridReal<T>>;

#define TS_INSTANTIATE(T)                                                                        \
  template void fill_vertices(const LatticeValues<T>&, const LatticeFrame&, const NumberedRows&, \
                              const Isovalue<T>&, const OutputOf<T>&, const Exec&)
#include <tessera/mesh/detail/instantiate_fields.inc>

}  // namespace tessera::detail::lattice
