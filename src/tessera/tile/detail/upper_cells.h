// The cells around the edges, or around the faces, that belong to one vertex, read off its half star.
//
// A cell names its edges and faces by the ranks of its corners among the vertex's higher neighbours; the
// enumeration has those. Each edge or face has a small bucket that cells are thrown into in ascending order.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/tile/detail/enumeration_part.h>
#include <tessera/tile/detail/half_star.h>
#include <tessera/tile/relation.h>

namespace tessera::detail {

/// K is edge, or face for the faces of tets.
template <int Dim, Kind K>
class UpperCells {
 public:
  explicit UpperCells(const TiledMesh<Dim>& tiles, std::size_t table_size = vertex_table_size)
      : cells_(tiles.cells()), rank_of_(vertex_table_for(tiles.vertex_count(), table_size), 0) {}

  /// `part` is an enumeration with v in it, of the whole mesh or of v's tile.
  void build(const EnumerationPart& part, const HalfStars<Dim>& stars, std::uint32_t v) {
    const std::uint32_t* edges = part.edge_offsets.data() + (v - part.first_vertex);
    first_row_ = of_faces ? part.face_offsets[edges[0]] : edges[0];
    row_count_ = (of_faces ? part.face_offsets[edges[1]] : edges[1]) - first_row_;
    const auto run = stars.run(v);
    const auto middle = stars.middle(v);
    is_large_ = edges[1] - edges[0] > most_edges || row_count_ > most_rows ||
                (!of_faces && run.size() + middle.size() > bucket);
    if (!is_large_) {
      std::fill_n(count_.begin(), row_count_, 0);
      count_[nobody] = 0;
      is_large_ = !number(part, v, edges) || !throw_in(v, run, middle);
    }
    if (is_large_) build_large(part, v, run, middle);
  }

  /// Rows are those of the edges, or faces, of v; the first one's place in the part.
  [[nodiscard]] std::uint32_t first_row() const { return first_row_; }
  [[nodiscard]] std::uint32_t row_count() const { return row_count_; }
  /// The cells of row i, ascending.
  [[nodiscard]] std::span<const std::uint32_t> row(std::uint32_t i) const {
    if (is_large_)
      return {large_cells_.data() + large_offsets_[i], large_offsets_[i + 1] - large_offsets_[i]};
    return {thrown_.data() + bucket * i, count_[i]};
  }
  /// Which facet of each of them the row's element is, in the order of Boundaries. Of facets only.
  [[nodiscard]] const std::uint8_t* facets(std::uint32_t i) const {
    return is_large_ ? large_facets_.data() + large_offsets_[i] : facets_.data() + bucket * i;
  }
  /// May that many entries be read from any row on?
  [[nodiscard]] bool is_padded(std::size_t entries) const { return !is_large_ && entries <= bucket; }

 private:
  static constexpr bool of_faces = K == Kind::face;
  static constexpr std::uint32_t most_edges = 64;
  static constexpr std::uint32_t most_rows = of_faces ? 254 : most_edges;
  static constexpr std::uint32_t bucket = of_faces ? 4 : 64;
  static constexpr std::uint32_t nobody = most_rows;  ///< a bucket for what belongs to no row

  using Range = typename TiledMesh<Dim>::Range;

  /// The ranks of the neighbours and, by the ranks of two of them, the places of the faces. Nothing is
  /// cleared: only what is there is ever looked for. False if two neighbours share a place in the table.
  bool number(const EnumerationPart& part, std::uint32_t v, const std::uint32_t* edges) {
    const std::span row(part.edge_hi.data() + edges[0], edges[1] - edges[0]);
    std::uint8_t* rank_of = rank_of_.data();
    const std::uint32_t mask = low_bits();
    rank_of[v & mask] = most_edges;
    for (std::uint32_t r = 0; r < row.size(); ++r) rank_of[row[r] & mask] = static_cast<std::uint8_t>(r);
    std::uint32_t clash = rank_of[v & mask] ^ most_edges;
    for (std::uint32_t r = 0; r < row.size(); ++r) clash |= rank_of[row[r] & mask] ^ r;
    if (clash != 0) return false;
    if constexpr (of_faces) {
      std::uint32_t f = first_row_;
      for (std::uint32_t e = edges[0]; e < edges[1]; ++e) {
        for (const std::uint32_t end = part.face_offsets[e + 1]; f < end; ++f) {
          const std::uint32_t pair = (e - edges[0]) << 6 | rank_of[part.face_hi[f] & mask];
          face_of_[pair] = static_cast<std::uint8_t>(f - first_row_);
        }
      }
    }
    return true;
  }

  [[nodiscard]] std::uint32_t low_bits() const { return static_cast<std::uint32_t>(rank_of_.size() - 1); }

  /// False if a bucket was too small.
  bool throw_in(std::uint32_t v, Range run, std::span<const std::uint32_t> middle) {
    const std::uint8_t* rank_of = rank_of_.data();
    const auto cells = cells_;
    const std::uint32_t mask = low_bits();
    const auto rank = [=](tiled::VertexId u) { return std::size_t{rank_of[u.index() & mask]}; };
    std::uint32_t fullest = 0;
    const auto hit = [&](std::size_t row, std::uint32_t cell, std::uint8_t facet) {
      const std::uint32_t count = count_[row]++;
      const std::size_t at = bucket * row + (of_faces ? count & (bucket - 1) : count);
      thrown_[at] = cell;
      if constexpr (static_cast<int>(K) + 1 == Dim) facets_[at] = facet;
      if constexpr (of_faces) fullest |= count;
    };
    for (const std::uint32_t c : middle) {
      const auto& cell = cells[c];
      if constexpr (of_faces) {
        const bool is_second = cell[1].index() == v;
        const std::size_t face = face_of_[rank(cell[2]) << 6 | rank(cell[3])];
        count_[nobody] = 0;
        hit(is_second ? face : nobody, c, Dim);
      } else {
        for (std::size_t k = 2; k <= Dim; ++k) hit(rank(cell[k]), c, Dim);  // v itself is nobody
      }
    }
    for (std::uint32_t c = run.begin; c < run.end; ++c) {
      const auto& cell = cells[c];
      if constexpr (of_faces) {
        const std::size_t b = rank(cell[1]) << 6;
        hit(face_of_[b | rank(cell[2])], c, 0);
        hit(face_of_[b | rank(cell[3])], c, 1);
        hit(face_of_[rank(cell[2]) << 6 | rank(cell[3])], c, 2);
      } else {
        for (std::size_t k = 1; k <= Dim; ++k) hit(rank(cell[k]), c, static_cast<std::uint8_t>(k - 1));
      }
    }
    return of_faces ? fullest < bucket : true;
  }

  /// Any number of everything: hits are sorted.
  void build_large(const EnumerationPart& part, std::uint32_t v, Range run,
                   std::span<const std::uint32_t> middle) {
    struct Hit {
      std::uint32_t row, cell;
      std::uint8_t facet;
    };
    std::vector<Hit> hits;
    const auto add = [&](std::uint32_t c) {
      const auto& cell = cells_[c];
      std::uint8_t facet = cell[0].index() == v ? 0 : Dim;
      for (std::size_t i = 1; i <= Dim; ++i) {
        const std::uint32_t b = cell[i].index();
        if (b <= v) continue;
        if (!of_faces) hits.push_back({part.edge_id(v, b) - part.first_edge - first_row_, c, facet++});
        for (std::size_t j = i + 1; j <= Dim && of_faces; ++j)
          hits.push_back({part.face_id(v, b, cell[j].index()) - part.first_face - first_row_, c, facet++});
      }
    };
    for (const std::uint32_t c : middle) add(c);
    for (std::uint32_t c = run.begin; c < run.end; ++c) add(c);
    std::stable_sort(hits.begin(), hits.end(), [](const Hit& x, const Hit& y) { return x.row < y.row; });
    large_offsets_.assign(row_count_ + 1, 0);
    large_cells_.clear();
    large_facets_.clear();
    for (const Hit& hit : hits) {
      ++large_offsets_[hit.row + 1];
      large_cells_.push_back(hit.cell);
      large_facets_.push_back(hit.facet);
    }
    for (std::uint32_t i = 0; i < row_count_; ++i) large_offsets_[i + 1] += large_offsets_[i];
  }

  std::span<const typename TiledMesh<Dim>::Cell> cells_;
  bool is_large_ = false;
  std::uint32_t first_row_ = 0;
  std::uint32_t row_count_ = 0;
  std::vector<std::uint8_t> rank_of_;                                    ///< by the low bits of vertices
  std::array<std::uint8_t, (most_edges + 1)* most_edges> face_of_ = {};  ///< by two ranks
  std::array<std::uint32_t, most_rows + 1> count_ = {};
  std::array<std::uint32_t, bucket*(most_rows + 1)> thrown_ = {};
  std::array<std::uint8_t, bucket*(most_rows + 1)> facets_ = {};
  std::vector<std::uint32_t> large_offsets_, large_cells_;
  std::vector<std::uint8_t> large_facets_;
};

}  // namespace tessera::detail
