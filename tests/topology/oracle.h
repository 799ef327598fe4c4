// Critical points and discrete gradients straight from their definitions, with sets, maps and vertex tuples
// in input ids. Shares no code with the library's kernels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <utility>
#include <vector>

#include <tessera/mesh/mesh.h>
#include <tessera/topology/critical_points.h>

#include "tile/oracle.h"

namespace tessera::oracle {

inline std::vector<Simplex> facets_of(const Simplex& simplex) {
  std::vector<Simplex> facets;
  if (simplex.size() == 1) return facets;
  for (std::size_t skip = 0; skip < simplex.size(); ++skip) {
    Simplex facet = simplex;
    facet.erase(facet.begin() + static_cast<std::ptrdiff_t>(skip));
    facets.push_back(facet);
  }
  return facets;
}

inline bool has_vertex(const Simplex& simplex, std::uint32_t v) {
  return std::find(simplex.begin(), simplex.end(), v) != simplex.end();
}

/// All simplices of a mesh, who bounds whom, and what lies around each vertex.
struct Cells {
  template <int Dim>
  explicit Cells(const SimplexMesh<Dim>& mesh)
      : dimension(Dim), simplices(Dim + 1), around(mesh.vertex_count()) {
    for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) simplices[0].insert({v});
    for (const auto& cell : mesh.cells) {
      Simplex corners;
      for (const VertexId v : cell) corners.push_back(v.index());
      std::sort(corners.begin(), corners.end());
      id[corners] = static_cast<std::uint32_t>(top.size());
      top.push_back(corners);
      add(corners);
    }
    for (const auto& level : simplices) {
      for (const Simplex& simplex : level) {
        for (const Simplex& facet : facets_of(simplex)) cofaces[facet].push_back(simplex);
        for (const std::uint32_t v : simplex) around[v].push_back(simplex);
      }
    }
    for (const Simplex& facet : simplices[Dim - 1]) {
      if (cofaces_of(facet).size() == 1) boundary.insert(facet.begin(), facet.end());
    }
  }

  [[nodiscard]] std::vector<Simplex> cofaces_of(const Simplex& simplex) const {
    const auto found = cofaces.find(simplex);
    return found == cofaces.end() ? std::vector<Simplex>{} : found->second;
  }
  [[nodiscard]] int euler() const {
    int sum = 0;
    for (std::size_t d = 0; d < simplices.size(); ++d) {
      sum += (d % 2 == 0 ? 1 : -1) * static_cast<int>(simplices[d].size());
    }
    return sum;
  }

  int dimension;
  std::vector<std::set<Simplex>> simplices;  ///< by dimension
  std::vector<Simplex> top;                  ///< by input id
  std::map<Simplex, std::uint32_t> id;       ///< input ids of cells
  std::map<Simplex, std::vector<Simplex>> cofaces;
  std::vector<std::vector<Simplex>> around;  ///< by vertex: all simplices that have it
  std::set<std::uint32_t> boundary;          ///< vertices of facets that one cell has

 private:
  void add(const Simplex& simplex) {
    if (!simplices[simplex.size() - 1].insert(simplex).second) return;
    for (const Simplex& facet : facets_of(simplex)) add(facet);
  }
};

/// The place of each vertex in the sequence sorted by (value, input id).
inline std::vector<std::uint32_t> ranks_of(const Field& field) {
  std::vector<std::uint32_t> sequence(field.size());
  std::iota(sequence.begin(), sequence.end(), 0u);
  field.visit([&](auto values) {
    std::stable_sort(sequence.begin(), sequence.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return values[a] < values[b]; });
  });
  std::vector<std::uint32_t> ranks(field.size());
  for (std::uint32_t place = 0; place < sequence.size(); ++place) ranks[sequence[place]] = place;
  return ranks;
}

/// The rank of a matrix over Z2, given by its columns.
inline std::size_t rank_mod_2(std::vector<std::set<std::size_t>> columns) {
  std::map<std::size_t, std::set<std::size_t>> by_lowest;
  for (std::set<std::size_t>& column : columns) {
    while (!column.empty() && by_lowest.contains(*column.rbegin())) {
      for (const std::size_t row : by_lowest.at(*column.rbegin())) {
        if (!column.insert(row).second) column.erase(row);
      }
    }
    if (!column.empty()) by_lowest.emplace(*column.rbegin(), column);
  }
  return by_lowest.size();
}

/// Betti numbers over Z2 of a chain complex: `boundary[d]` has the columns of the cells of dimension d.
inline std::vector<std::size_t> betti_numbers(
    const std::vector<std::vector<std::set<std::size_t>>>& boundary) {
  std::vector<std::size_t> ranks;
  for (const auto& columns : boundary) ranks.push_back(rank_mod_2(columns));
  ranks.push_back(0);
  std::vector<std::size_t> betti;
  for (std::size_t d = 0; d < boundary.size(); ++d) {
    betti.push_back(boundary[d].size() - ranks[d] - ranks[d + 1]);
  }
  return betti;
}

/// Of a set of simplices that holds all their faces.
inline std::vector<std::size_t> betti_numbers(const std::vector<std::set<Simplex>>& simplices) {
  std::vector<std::vector<std::set<std::size_t>>> boundary(simplices.size());
  for (std::size_t d = 0; d < simplices.size(); ++d) {
    for (const Simplex& simplex : simplices[d]) {
      auto& column = boundary[d].emplace_back();
      for (const Simplex& facet : facets_of(simplex)) {
        const auto at = simplices[d - 1].find(facet);
        column.insert(static_cast<std::size_t>(std::distance(simplices[d - 1].begin(), at)));
      }
    }
  }
  return betti_numbers(boundary);
}

/// The link of a vertex restricted to lower (or upper) vertices: simplices by dimension.
inline std::vector<std::set<Simplex>> half_link(const Cells& cells, const std::vector<std::uint32_t>& ranks,
                                                std::uint32_t v, bool is_lower) {
  std::vector<std::set<Simplex>> link(static_cast<std::size_t>(cells.dimension));
  for (const Simplex& simplex : cells.around[v]) {
    Simplex rest;
    for (const std::uint32_t u : simplex) {
      if (u != v && (ranks[u] < ranks[v]) == is_lower) rest.push_back(u);
    }
    if (!rest.empty() && rest.size() + 1 == simplex.size()) link[rest.size() - 1].insert(rest);
  }
  return link;
}

/// Pieces of a graph of vertices and edges, by flooding.
inline std::uint32_t count_pieces(const std::set<Simplex>& vertices, const std::set<Simplex>& edges) {
  std::set<std::uint32_t> left;
  for (const Simplex& vertex : vertices) left.insert(vertex[0]);
  std::uint32_t pieces = 0;
  while (!left.empty()) {
    ++pieces;
    std::vector<std::uint32_t> front = {*left.begin()};
    left.erase(left.begin());
    while (!front.empty()) {
      const std::uint32_t at = front.back();
      front.pop_back();
      for (const Simplex& edge : edges) {
        if (!has_vertex(edge, at)) continue;
        const std::uint32_t other = edge[0] == at ? edge[1] : edge[0];
        if (left.erase(other) > 0) front.push_back(other);
      }
    }
  }
  return pieces;
}

inline CriticalType type_of(int dimension, std::uint32_t l, std::uint32_t u) {
  const std::map<std::pair<std::uint32_t, std::uint32_t>, CriticalType> solids = {
      {{0, 1}, CriticalType::minimum}, {{1, 0}, CriticalType::maximum}, {{1, 1}, CriticalType::regular},
      {{2, 1}, CriticalType::saddle1}, {{1, 2}, CriticalType::saddle2},
  };
  const std::map<std::pair<std::uint32_t, std::uint32_t>, CriticalType> surfaces = {
      {{0, 1}, CriticalType::minimum}, {{1, 0}, CriticalType::maximum}, {{1, 1}, CriticalType::regular},
      {{2, 1}, CriticalType::saddle1}, {{1, 2}, CriticalType::saddle1}, {{2, 2}, CriticalType::saddle1},
  };
  const auto& types = dimension == 3 ? solids : surfaces;
  const auto found = types.find({l, u});
  return found == types.end() ? CriticalType::degenerate : found->second;
}

/// A (1,1) vertex on the boundary of a solid.
inline CriticalType type_on_boundary(const Cells& cells, const std::vector<std::uint32_t>& ranks,
                                     std::uint32_t v) {
  bool has_lower = false;
  bool has_upper = false;
  for (const Simplex& edge : cells.around[v]) {
    if (edge.size() != 2) continue;
    const std::uint32_t u = edge[0] == v ? edge[1] : edge[0];
    if (!cells.boundary.contains(u)) continue;
    (ranks[u] < ranks[v] ? has_lower : has_upper) = true;
  }
  if (has_upper && !has_lower) return CriticalType::saddle1;
  if (has_lower && !has_upper) return CriticalType::saddle2;
  return CriticalType::regular;
}

inline std::vector<CriticalPoint> critical_points(const Cells& cells,
                                                  const std::vector<std::uint32_t>& ranks) {
  std::vector<CriticalPoint> points;
  for (std::uint32_t v = 0; v < ranks.size(); ++v) {
    const auto lower = half_link(cells, ranks, v, true);
    const auto upper = half_link(cells, ranks, v, false);
    const std::uint32_t l = count_pieces(lower[0], lower[1]);
    const std::uint32_t u = count_pieces(upper[0], upper[1]);
    const bool is_on_boundary = cells.boundary.contains(v);
    CriticalType type = type_of(cells.dimension, l, u);
    if (cells.dimension == 3 && l == 1 && u == 1 && is_on_boundary) type = type_on_boundary(cells, ranks, v);
    if (type != CriticalType::regular) points.push_back({VertexId(v), type, is_on_boundary, l, u});
  }
  return points;
}

/// Pairs in both directions, and what is left.
struct Pairing {
  std::map<Simplex, Simplex> partner;
  std::set<Simplex> critical;

  void pair(const Simplex& a, const Simplex& b) {
    partner[a] = b;
    partner[b] = a;
  }
  [[nodiscard]] bool has(const Simplex& simplex) const {
    return partner.contains(simplex) || critical.contains(simplex);
  }
};

/// ProcessLowerStars of Robins, Wood, Sheppard 2011, algorithm 1, line by line.
class LowerStars {
 public:
  LowerStars(const Cells& cells, const std::vector<std::uint32_t>& ranks) : cells_(cells), ranks_(ranks) {}

  Pairing run() {
    for (std::uint32_t v = 0; v < ranks_.size(); ++v) process(v);
    return std::move(pairing_);
  }
  /// Simplices in which v is highest, without v.
  [[nodiscard]] std::set<Simplex> lower_star(std::uint32_t v) const {
    std::set<Simplex> star;
    for (const Simplex& simplex : cells_.around[v]) {
      const bool is_highest = std::all_of(simplex.begin(), simplex.end(),
                                          [&](std::uint32_t u) { return ranks_[u] <= ranks_[v]; });
      if (is_highest && simplex.size() > 1) star.insert(simplex);
    }
    return star;
  }

 private:
  /// Descending ranks: the order G of the paper.
  using Key = std::pair<std::vector<std::uint32_t>, Simplex>;
  using Queue = std::priority_queue<Key, std::vector<Key>, std::greater<>>;

  [[nodiscard]] Key key(const Simplex& simplex) const {
    std::vector<std::uint32_t> ranks;
    for (const std::uint32_t v : simplex) ranks.push_back(ranks_[v]);
    std::sort(ranks.begin(), ranks.end(), std::greater<>());
    return {ranks, simplex};
  }
  [[nodiscard]] std::vector<Simplex> unpaired_facets(const Simplex& simplex) const {
    std::vector<Simplex> unpaired;
    for (const Simplex& facet : facets_of(simplex)) {
      if (star_.contains(facet) && !pairing_.has(facet)) unpaired.push_back(facet);
    }
    return unpaired;
  }
  void push_cofaces(const Simplex& simplex, Queue& one) const {
    for (const Simplex& coface : cells_.cofaces_of(simplex)) {
      if (!star_.contains(coface) || pairing_.has(coface)) continue;
      if (unpaired_facets(coface).size() == 1) one.push(key(coface));
    }
  }

  void process(std::uint32_t v) {
    star_ = lower_star(v);
    if (star_.empty()) {
      pairing_.critical.insert({v});
      return;
    }
    Queue zero;
    Queue one;
    for (const Simplex& simplex : star_) {
      if (simplex.size() == 2) zero.push(key(simplex));
    }
    const Simplex steepest = zero.top().second;
    zero.pop();
    pairing_.pair({v}, steepest);
    push_cofaces(steepest, one);
    while (!one.empty() || !zero.empty()) {
      while (!one.empty()) {
        const Simplex simplex = one.top().second;
        one.pop();
        if (pairing_.has(simplex)) continue;
        const auto unpaired = unpaired_facets(simplex);
        if (unpaired.empty()) {
          zero.push(key(simplex));
          continue;
        }
        pairing_.pair(unpaired[0], simplex);
        push_cofaces(unpaired[0], one);
        push_cofaces(simplex, one);
      }
      if (zero.empty()) continue;
      const Simplex simplex = zero.top().second;
      zero.pop();
      if (pairing_.has(simplex)) continue;
      pairing_.critical.insert(simplex);
      push_cofaces(simplex, one);
    }
  }

  const Cells& cells_;
  const std::vector<std::uint32_t>& ranks_;
  std::set<Simplex> star_;
  Pairing pairing_;
};

}  // namespace tessera::oracle
