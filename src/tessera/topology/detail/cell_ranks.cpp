#include <tessera/topology/detail/cell_ranks.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <vector>

#include <tessera/core/csr.h>
#include <tessera/exec/detail/host/walk.h>
#include <tessera/exec/for_each.h>
#include <tessera/exec/primitives.h>
#include <tessera/tile/detail/star.h>

namespace tessera::detail {
namespace {

using std::size_t;
using std::uint32_t;
using std::uint64_t;

constexpr const char* stage = "numbering edges and faces";

/// The edges and triangles that have a vertex as their lowest in the input, one vertex after the other. One
/// for each worker. Up to 64 neighbours triangles are bit masks, beyond that a sorted list of pairs.
template <int Dim>
class InputStar {
 public:
  explicit InputStar(const GradientData<Dim>& gradient) : gradient_(&gradient) {}

  void load(TileId tile) {
    view_.load(gradient_->tiles(), tile);
    inputs_.resize(view_.vertex_count());
    ranks_.assign(view_.vertex_count(), unseen);
    for (uint32_t l = 0; l < inputs_.size(); ++l)
      inputs_[l] = gradient_->to_input(tiled::VertexId(view_.vertex_id(l))).index();
    count_ = 0;
  }
  [[nodiscard]] auto owned() const { return view_.owned(); }

  void select(uint32_t center) {
    for (uint32_t i = 0; i < count_; ++i) ranks_[locals_[i]] = unseen;
    cells_ = view_.star(tiled::VertexId(center));
    own_ = inputs_[center - view_.owned().begin];
    collect_neighbours();
    if constexpr (Dim == 3) count_ <= 64 ? connect() : connect_many();
  }
  /// The input's id of the vertex.
  [[nodiscard]] uint32_t own() const { return own_; }
  [[nodiscard]] uint32_t edge_count() const { return count_; }
  [[nodiscard]] uint32_t face_count() const {
    return count_ <= 64 ? first_face_[count_] : static_cast<uint32_t>(pairs_.size());
  }
  /// The place of the edge to b among the vertex's edges, of the triangle with b < c among its triangles.
  [[nodiscard]] uint32_t edge_place(VertexId b) const {
    return static_cast<uint32_t>(std::lower_bound(sorted_.begin(), sorted_.begin() + count_, b.index()) -
                                 sorted_.begin());
  }
  [[nodiscard]] uint32_t face_place(VertexId b, VertexId c) const {
    const uint32_t p = edge_place(b);
    const uint32_t q = edge_place(c);
    if (count_ <= 64) {
      const uint64_t below = masks_[p] & ((uint64_t{1} << q) - 1);
      return first_face_[p] + static_cast<uint32_t>(std::popcount(below));
    }
    return static_cast<uint32_t>(std::ranges::lower_bound(pairs_, key(p, q)) - pairs_.begin());
  }

 private:
  static constexpr uint32_t unseen = 0xFFFFFFFFu;
  static constexpr uint32_t seen = 0xFFFFFFFEu;
  static uint64_t key(uint32_t p, uint32_t q) { return uint64_t{p} << 32 | q; }

  /// Each neighbour above the vertex once, and their ranks.
  void collect_neighbours() {
    const size_t most = cells_.size() * Dim + 1;
    if (locals_.size() < most) {
      locals_.resize(most);
      sorted_.resize(most);
    }
    count_ = 0;
    for (const uint32_t c : cells_) {
      for (const uint32_t local : view_.cell(c)) {
        if (inputs_[local] <= own_ || ranks_[local] != unseen) continue;
        ranks_[local] = seen;
        sorted_[count_] = inputs_[local];
        locals_[count_++] = local;
      }
    }
    std::sort(sorted_.begin(), sorted_.begin() + count_);
    for (uint32_t i = 0; i < count_; ++i) ranks_[locals_[i]] = edge_place(VertexId(inputs_[locals_[i]]));
  }

  /// Calls f(p, q), p < q, for the pairs of ranks in each cell.
  template <class F>
  void for_each_pair(const F& f) const {
    for (const uint32_t c : cells_) {
      std::array<uint32_t, Dim + 1> above;
      size_t size = 0;
      for (const uint32_t local : view_.cell(c)) {
        above[size] = ranks_[local];  // kept only if it has one
        size += ranks_[local] == unseen ? 0 : 1;
      }
      for (size_t i = 0; i + 1 < size; ++i) {
        for (size_t j = i + 1; j < size; ++j) f(std::min(above[i], above[j]), std::max(above[i], above[j]));
      }
    }
  }
  void connect() {
    std::fill_n(masks_.begin(), count_, 0);
    for_each_pair([&](uint32_t p, uint32_t q) { masks_[p] |= uint64_t{1} << q; });
    first_face_[0] = 0;
    for (uint32_t p = 0; p < count_; ++p)
      first_face_[p + 1] = first_face_[p] + static_cast<uint32_t>(std::popcount(masks_[p]));
  }
  void connect_many() {
    pairs_.clear();
    for_each_pair([&](uint32_t p, uint32_t q) { pairs_.push_back(key(p, q)); });
    std::ranges::sort(pairs_);
    pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
  }

  const GradientData<Dim>* gradient_;
  TileView<Dim> view_;
  Array<uint32_t> inputs_;       ///< by local number
  std::vector<uint32_t> ranks_;  ///< by local number; `unseen` but for the current neighbours
  std::span<const uint32_t> cells_;
  uint32_t own_ = 0;
  uint32_t count_ = 0;
  Array<uint32_t> locals_;               ///< the neighbours' local numbers, as they were met
  Array<uint32_t> sorted_;               ///< their input ids
  std::array<uint64_t, 64> masks_;       ///< bit q of word p: there is a triangle with p < q
  std::array<uint32_t, 65> first_face_;  ///< by p
  std::vector<uint64_t> pairs_;
};

/// Calls f(star, tile) for every tile, each worker with a star of its own.
template <int Dim, class F>
void for_each_tile(const GradientData<Dim>& gradient, const Exec& exec, const Monitor& monitor, const F& f) {
  host::walk(
      gradient.tiles().tile_count(), {exec, monitor, 1}, [&](int) { return InputStar<Dim>(gradient); },
      [&](InputStar<Dim>& star, size_t t) { f(star, TileId(static_cast<uint32_t>(t))); });
}

}  // namespace

template <int Dim>
CellRanks<Dim>::CellRanks(const GradientData<Dim>& gradient, const Exec& exec, const Monitor& monitor)
    : gradient_(gradient), exec_(Exec::host(exec.threads())), monitor_(monitor) {
  const size_t n = gradient.tiles().vertex_count();
  first_edge_.assign(n + 1, 0);
  if (Dim == 3) first_face_.assign(n + 1, 0);
  monitor.update(stage, 0);
  for_each_tile(gradient, exec_, monitor, [&](InputStar<Dim>& star, TileId tile) {
    star.load(tile);
    for (uint32_t v = star.owned().begin; v < star.owned().end; ++v) {
      star.select(v);
      first_edge_[star.own()] = star.edge_count();
      if constexpr (Dim == 3) first_face_[star.own()] = star.face_count();
    }
  });
  monitor.update(stage, 0.5);
  (void)checked_offset(std::accumulate(first_face_.begin(), first_face_.end(), uint64_t{0}));
  exclusive_scan<uint32_t, uint32_t>(exec_, first_edge_, first_edge_);
  exclusive_scan<uint32_t, uint32_t>(exec_, first_face_, first_face_);
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
  for_each_tile(gradient_, exec_, monitor_, [&](InputStar<Dim>& star, TileId tile) {
    const auto owned = gradient_.tiles().vertices(tile);
    size_t at = static_cast<size_t>(std::ranges::lower_bound(lowest, owned.begin) - lowest.begin());
    if (at == lowest.size() || lowest[at] >= owned.end) return;
    star.load(tile);
    while (at < lowest.size() && lowest[at] < owned.end) {
      const uint32_t v = lowest[at];
      star.select(v);
      for (; at < lowest.size() && lowest[at] == v; ++at) {
        const Simplex& simplex = simplices[requests[at]];
        const auto& [a, b, c, d] = simplex.vertices;
        ids[requests[at]] = simplex.size == 2 ? first_edge_[a.index()] + star.edge_place(b)
                                              : first_face_[a.index()] + star.face_place(b, c);
      }
    }
  });
  monitor_.update(stage, 1);
}

template class CellRanks<2>;
template class CellRanks<3>;

}  // namespace tessera::detail
