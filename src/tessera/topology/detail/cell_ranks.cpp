#include <tessera/topology/detail/cell_ranks.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include <tessera/core/csr.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/for_each.h>
#include <tessera/exec/primitives.h>
#include <tessera/tile/detail/star.h>

namespace tessera::detail {
namespace {

using std::size_t;
using std::uint32_t;
using std::uint64_t;

constexpr const char* stage = "numbering edges and faces";

/// The star of one vertex after the other, with the input's ids. One for each worker.
template <int Dim>
class InputStar {
 public:
  explicit InputStar(const GradientData<Dim>& gradient) : gradient_(&gradient) {}

  void load(TileId tile) { view_.load(gradient_->tiles(), tile); }
  [[nodiscard]] auto owned() const { return view_.owned(); }

  void select(uint32_t center) {
    star_.build(view_, VertexId(center), Dim == 3 ? StarDepth::upper_links : StarDepth::neighbours);
    own_ = input(center);
    inputs_.clear();
    for (const uint32_t neighbour : star_.neighbours()) inputs_.push_back(input(neighbour));
  }
  /// The input's id of the vertex.
  [[nodiscard]] uint32_t own() const { return own_; }
  /// Calls f(b) for the neighbours above the vertex, in any order.
  template <class F>
  void for_each_edge(const F& f) const {
    for (const uint32_t b : inputs_) {
      if (own_ < b) f(b);
    }
  }
  /// Calls f(b, c), b < c, for the triangles with the vertex as their lowest, in any order.
  template <class F>
  void for_each_face(const F& f) const {
    for (uint32_t p = 0; p < inputs_.size(); ++p) {
      if (inputs_[p] < own_) continue;
      star_.for_each_upper_link(p, [&](uint32_t q, bool) {
        if (own_ < inputs_[q]) f(std::min(inputs_[p], inputs_[q]), std::max(inputs_[p], inputs_[q]));
      });
    }
  }

 private:
  [[nodiscard]] uint32_t input(uint32_t v) const { return gradient_->to_input(tiled::VertexId(v)).index(); }

  const GradientData<Dim>* gradient_;
  TileView<Dim> view_;
  VertexStar<Dim> star_;
  uint32_t own_ = 0;
  std::vector<uint32_t> inputs_;  ///< of the neighbours
};

uint64_t key(VertexId b, VertexId c) {
  return uint64_t{b.index()} << 32 | c.index();
}

template <class T>
uint32_t place_in(const std::vector<T>& sorted, T value) {
  return static_cast<uint32_t>(std::ranges::lower_bound(sorted, value) - sorted.begin());
}

/// Calls f(star, tile) for every tile, each worker with a star of its own.
template <int Dim, class F>
void for_each_tile(const GradientData<Dim>& gradient, const Exec& exec, const Monitor& monitor, const F& f) {
  std::vector<InputStar<Dim>> stars(static_cast<size_t>(exec.threads()), InputStar<Dim>(gradient));
  host::for_each_chunk(exec.threads(), gradient.tiles().tile_count(), 1, [&](host::Range t, int worker) {
    if (!monitor.is_stopped()) f(stars[static_cast<size_t>(worker)], TileId(static_cast<uint32_t>(t.begin)));
  });
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
      uint32_t edges = 0;
      uint32_t faces = 0;
      star.for_each_edge([&](uint32_t) { ++edges; });
      first_edge_[star.own()] = edges;
      if constexpr (Dim == 3) {
        star.for_each_face([&](uint32_t, uint32_t) { ++faces; });
        first_face_[star.own()] = faces;
      }
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
    std::vector<uint32_t> edges;
    std::vector<uint64_t> faces;
    while (at < lowest.size() && lowest[at] < owned.end) {
      const uint32_t v = lowest[at];
      star.select(v);
      edges.clear();
      faces.clear();
      for (; at < lowest.size() && lowest[at] == v; ++at) {
        const auto& [a, b, c, d] = simplices[requests[at]].vertices;
        uint32_t& id = ids[requests[at]];
        if (simplices[requests[at]].size == 2) {
          if (edges.empty()) {
            star.for_each_edge([&](uint32_t other) { edges.push_back(other); });
            std::ranges::sort(edges);
          }
          id = first_edge_[a.index()] + place_in(edges, b.index());
          continue;
        }
        if (faces.empty()) {
          star.for_each_face([&](uint32_t second, uint32_t third) {
            faces.push_back(key(VertexId(second), VertexId(third)));
          });
          std::ranges::sort(faces);
        }
        id = first_face_[a.index()] + place_in(faces, key(b, c));
      }
    }
  });
  monitor_.update(stage, 1);
}

template class CellRanks<2>;
template class CellRanks<3>;

}  // namespace tessera::detail
