#include <tessera/topology/detail/cell_ranks.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <vector>

#include <tessera/core/csr.h>
#include <tessera/exec/detail/host/walk.h>
#include <tessera/exec/for_each.h>
#include <tessera/exec/primitives.h>

namespace tessera::detail {
namespace {

using std::size_t;
using std::uint32_t;
using std::uint64_t;

constexpr const char* stage = "numbering edges and faces";

/// The cells around some vertices of a tile: a look at each cell, because what is asked for is seldom dense.
template <int Dim>
class SomeStars {
 public:
  /// The tile must own the vertices.
  void load(const TiledMesh<Dim>& tiles, TileId tile, std::span<const uint32_t> vertices) {
    const auto owned = tiles.vertices(tile);
    first_ = owned.begin;
    is_asked_.assign(owned.size(), 0);
    ends_.assign(owned.size() + 1, 0);
    hits_.clear();
    for (const uint32_t v : vertices) is_asked_[v - first_] = 1;
    const auto visit = [&](uint32_t c) {
      for (const tiled::VertexId corner : tiles.cells()[c]) {
        const uint32_t row = corner.index() - first_;
        if (row >= is_asked_.size() || is_asked_[row] == 0) continue;
        hits_.emplace_back(row, c);
        ++ends_[row + 1];
      }
    };
    for (const uint32_t c : tiles.external_cells(tile)) visit(c);
    const auto internal = tiles.internal_cells(tile);
    for (uint32_t c = internal.begin; c < internal.end; ++c) visit(c);
    std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
    cells_.resize(hits_.size());
    for (const auto& [row, c] : hits_) cells_[ends_[row]++] = c;  // moves where a row begins to its end
  }

  [[nodiscard]] std::span<const uint32_t> operator[](uint32_t v) const {
    const uint32_t row = v - first_;
    const uint32_t begin = row > 0 ? ends_[row - 1] : 0;
    return {cells_.data() + begin, ends_[row] - begin};
  }

 private:
  uint32_t first_ = 0;
  Array<std::uint8_t> is_asked_;                     ///< by owned vertex
  std::vector<std::pair<uint32_t, uint32_t>> hits_;  ///< owned vertex and cell
  Array<uint32_t> ends_;
  Array<uint32_t> cells_;
};

/// The edges and triangles that have a vertex as their lowest in the input, one vertex after the other. One
/// for each worker.
template <int Dim>
class InputStar {
 public:
  explicit InputStar(const GradientData<Dim>& gradient) : gradient_(gradient) {}

  void load(TileId tile, std::span<const uint32_t> vertices) {
    stars_.load(gradient_.tiles(), tile, vertices);
  }

  void select(uint32_t center) {
    const TiledMesh<Dim>& tiles = gradient_.tiles();
    const VertexId own = gradient_.to_input(tiled::VertexId(center));
    edges_.clear();
    faces_.clear();
    for (const uint32_t c : stars_[center]) {
      std::array<uint32_t, Dim + 1> above;
      size_t size = 0;
      for (const tiled::VertexId corner : tiles.cells()[c]) {
        const VertexId input = gradient_.to_input(corner);
        if (own < input) above[size++] = input.index();
      }
      for (size_t i = 0; i < size; ++i) {
        edges_.push_back(above[i]);
        for (size_t j = i + 1; Dim == 3 && j < size; ++j)
          faces_.push_back(key(std::min(above[i], above[j]), std::max(above[i], above[j])));
      }
    }
    keep_once(edges_);
    keep_once(faces_);
  }
  /// The place of the edge to b among the vertex's edges, of the triangle with b < c among its triangles.
  [[nodiscard]] uint32_t edge_place(VertexId b) const { return place(edges_, b.index()); }
  [[nodiscard]] uint32_t face_place(VertexId b, VertexId c) const {
    return place(faces_, key(b.index(), c.index()));
  }

 private:
  static uint64_t key(uint32_t b, uint32_t c) { return uint64_t{b} << 32 | c; }
  template <class T>
  static void keep_once(std::vector<T>& values) {
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
  }
  template <class T>
  static uint32_t place(const std::vector<T>& values, T value) {
    return static_cast<uint32_t>(std::ranges::lower_bound(values, value) - values.begin());
  }

  const GradientData<Dim>& gradient_;
  SomeStars<Dim> stars_;
  std::vector<uint32_t> edges_;  ///< their other ends
  std::vector<uint64_t> faces_;  ///< their two others
};

/// Counts at vertices at which others count too; hits on one that follow each other are added together.
class VertexCounter {
 public:
  explicit VertexCounter(Array<uint32_t>& counts) : counts_(counts) {}
  VertexCounter(const VertexCounter&) = delete;
  VertexCounter& operator=(const VertexCounter&) = delete;
  ~VertexCounter() { flush(); }

  void add(uint32_t vertex) {
    if (vertex != vertex_) {
      flush();
      vertex_ = vertex;
    }
    ++hits_;
  }

 private:
  void flush() {
    if (hits_ > 0) std::atomic_ref(counts_[vertex_]).fetch_add(hits_, std::memory_order_relaxed);
    hits_ = 0;
  }

  Array<uint32_t>& counts_;
  uint32_t vertex_ = 0;
  uint32_t hits_ = 0;
};

}  // namespace

template <int Dim>
CellRanks<Dim>::CellRanks(const GradientData<Dim>& gradient, const Exec& exec, const Monitor& monitor)
    : gradient_(gradient), exec_(Exec::host(exec.threads())), monitor_(monitor) {
  const size_t n = gradient.tiles().vertex_count();
  monitor.update(stage, 0);
  first_edge_.assign(n + 1, 0);
  if (Dim == 3) first_face_.assign(n + 1, 0);
  const auto count = [&](const auto& input) {
    count_rows(input);
    if constexpr (Dim == 3) count_other_faces(input);
  };
  if (gradient.tiles().keeps_vertex_order()) {
    count([](uint32_t v) { return v; });
  } else {
    count([&](uint32_t v) { return gradient.to_input(tiled::VertexId(v)).index(); });
  }
  monitor.update(stage, 0.5);
  (void)checked_offset(std::accumulate(first_face_.begin(), first_face_.end(), uint64_t{0}));
  exclusive_scan<uint32_t, uint32_t>(exec_, first_edge_, first_edge_);
  exclusive_scan<uint32_t, uint32_t>(exec_, first_face_, first_face_);
}

template <int Dim>
template <class Input>
void CellRanks<Dim>::count_rows(const Input& input) {
  host::for_each_share(exec_.threads(), gradient_.tiles().vertex_count(), [&](host::Range share) {
    VertexCounter edges(first_edge_);
    VertexCounter faces(first_face_);
    for (uint32_t v = static_cast<uint32_t>(share.begin); v < share.end; ++v) {
      const auto row = gradient_.lower(tiled::VertexId(v));
      for (uint32_t place = 0; place < row.size(); ++place) {
        const uint32_t lowest = std::min(input(v), input(row[place]));
        edges.add(lowest);
        if (Dim == 2 || place == 0) continue;
        const uint32_t third = gradient_.triangle_of(tiled::VertexId(v), place);
        if (third != gradient_.none) faces.add(std::min(lowest, input(row[third])));
      }
    }
  });
}

template <int Dim>
template <class Input>
void CellRanks<Dim>::count_other_faces(const Input& input) {
  const auto cells = gradient_.tiles().cells();
  host::for_each_share(exec_.threads(), cells.size(), [&](host::Range share) {
    VertexCounter faces(first_face_);
    for (uint32_t c = static_cast<uint32_t>(share.begin); c < share.end; ++c) {
      const uint32_t opposite = gradient_.opposite(c);
      if (opposite == gradient_.critical) continue;
      const auto corner = [&](uint32_t k) { return input(cells[c][(opposite + k) % 4].index()); };
      faces.add(std::min({corner(1), corner(2), corner(3)}));
    }
  });
  for (const CriticalCell& face : gradient_.critical_cells(2))
    ++first_face_[gradient_.simplex(face.name).vertices[0].index()];
}

template <int Dim>
void CellRanks<Dim>::fill(std::span<const CellName> cells, std::span<const Simplex> simplices,
                          std::span<uint32_t> ids) const {
  Array<uint32_t> requests;
  for (uint32_t i = 0; i < cells.size(); ++i) {
    if (cells[i].dimension == 0) {
      ids[i] = simplices[i].vertices[0].index();
    } else if (cells[i].dimension == Dim) {
      ids[i] = gradient_.to_input_cell(cells[i].id).index();
    } else {
      requests.push_back(i);
    }
  }
  // Sorted by their lowest vertex, requests of one tile follow each other, and in it those of one vertex.
  Array<uint32_t> lowest(requests.size());
  host_for_each(exec_, requests.size(), [&](size_t i) {
    lowest[i] = gradient_.to_tiled(simplices[requests[i]].vertices[0]).index();
  });
  sort_pairs<uint32_t, uint32_t>(exec_, lowest, requests, bits_in_use(gradient_.tiles().vertex_count()));
  answer(lowest, requests, simplices, ids);
}

template <int Dim>
void CellRanks<Dim>::answer(std::span<const uint32_t> lowest, std::span<const uint32_t> requests,
                            std::span<const Simplex> simplices, std::span<uint32_t> ids) const {
  const auto make = [&](int) { return InputStar<Dim>(gradient_); };
  host::walk(gradient_.tiles().tile_count(), {exec_, monitor_, 1}, make, [&](InputStar<Dim>& star, size_t t) {
    const TileId tile(static_cast<uint32_t>(t));
    const auto owned = gradient_.tiles().vertices(tile);
    const auto begin = std::ranges::lower_bound(lowest, owned.begin);
    const auto end = std::ranges::lower_bound(lowest, owned.end);
    if (begin == end) return;
    star.load(tile, {begin, end});
    for (auto at = begin; at != end; ++at) {
      if (at == begin || *at != at[-1]) star.select(*at);
      const uint32_t request = requests[static_cast<size_t>(at - lowest.begin())];
      const auto& [a, b, c, d] = simplices[request].vertices;
      ids[request] = simplices[request].size == 2 ? first_edge_[a.index()] + star.edge_place(b)
                                                  : first_face_[a.index()] + star.face_place(b, c);
    }
  });
  monitor_.update(stage, 1);
}

template class CellRanks<2>;
template class CellRanks<3>;

}  // namespace tessera::detail
