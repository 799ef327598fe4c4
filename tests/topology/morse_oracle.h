// Morse-Smale complexes straight from the definitions of morse_smale.h: paths and walls by naive search over
// vertex tuples.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "topology/oracle.h"
#include "topology/results.h"

namespace tessera::oracle {

class MorseSmale {
 public:
  using Path = testing::NamedPath;
  using Wall = testing::NamedWall;

  MorseSmale(const Cells& cells, const std::vector<std::uint32_t>& ranks, const Pairing& pairing)
      : cells_(cells), ranks_(ranks), pairing_(pairing), critical_(cells.simplices.size()) {
    for (const Simplex& simplex : pairing.critical) critical_[simplex.size() - 1].push_back(simplex);
    std::sort(critical_.back().begin(), critical_.back().end(),
              [&](const Simplex& a, const Simplex& b) { return cells.id.at(a) < cells.id.at(b); });
  }

  /// By dimension in the order of their numbers.
  [[nodiscard]] const std::vector<std::vector<Simplex>>& critical() const { return critical_; }

  [[nodiscard]] std::vector<Path> paths() const {
    std::vector<Path> paths;
    for (const Simplex& saddle : critical_[1]) {
      for (const std::uint32_t v : saddle) paths.push_back(path_down(saddle, v));
    }
    if (cells_.dimension == 3) {
      for (const Simplex& saddle : critical_[2]) add_connectors(saddle, paths);
    }
    for (const Simplex& saddle : critical_[critical_.size() - 2]) {
      for (const Simplex& cell : cells_.cofaces_of(saddle)) {
        Path path = path_up(cell);
        if (!pairing_.critical.contains(path.cells.back())) continue;  // left through the boundary
        path.cells.insert(path.cells.begin(), saddle);
        paths.push_back(path);
      }
    }
    return paths;
  }

  /// Triangles that flow down from each 2-saddle.
  [[nodiscard]] std::vector<Wall> descending_walls() const {
    std::vector<Wall> walls;
    for (const Simplex& saddle : critical_[2]) {
      std::set<Simplex> found = {saddle};
      std::vector<Simplex> left = {saddle};
      while (!left.empty()) {
        const Simplex triangle = left.back();
        left.pop_back();
        for (const Simplex& edge : facets_of(triangle)) {
          const Simplex* next = triangle_of(edge);
          if (next != nullptr && found.insert(*next).second) left.push_back(*next);
        }
      }
      found.erase(saddle);
      Wall& wall = walls.emplace_back();
      wall.cells = {saddle};
      wall.cells.insert(wall.cells.end(), found.begin(), found.end());
    }
    return walls;
  }

  /// Edges that flow down to each 1-saddle: those whose own flow reaches it.
  [[nodiscard]] std::vector<Wall> ascending_walls() const {
    std::map<Simplex, std::set<Simplex>> sources;  // by saddle
    for (const Simplex& edge : cells_.simplices[1]) {
      if (triangle_of(edge) == nullptr) continue;
      for (const Simplex& saddle : saddles_below(edge)) sources[saddle].insert(edge);
    }
    std::vector<Wall> walls;
    for (const Simplex& saddle : critical_[1]) {
      Wall& wall = walls.emplace_back();
      wall.cells = {saddle};
      wall.cells.insert(wall.cells.end(), sources[saddle].begin(), sources[saddle].end());
      for (const Simplex& edge : wall.cells) wall.rings.push_back(cells_around(edge));
    }
    return walls;
  }

  /// The number of the minimum that each vertex flows down to.
  [[nodiscard]] std::vector<std::int32_t> descending() const {
    std::vector<std::int32_t> labels;
    for (std::uint32_t v = 0; v < ranks_.size(); ++v) {
      labels.push_back(number(path_down({v}, v).cells.back()));
    }
    return labels;
  }
  /// The number of the maximum that the first cell around each vertex flows up to, -1 if there is none.
  [[nodiscard]] std::vector<std::int32_t> ascending() const {
    std::vector<std::int32_t> labels(ranks_.size(), -1);
    std::vector<bool> has_cell(ranks_.size(), false);
    for (const Simplex& cell : cells_.top) {
      for (const std::uint32_t v : cell) {
        if (has_cell[v]) continue;
        has_cell[v] = true;
        const Simplex end = path_up(cell).cells.back();
        if (pairing_.critical.contains(end)) labels[v] = number(end);
      }
    }
    return labels;
  }

 private:
  [[nodiscard]] std::int32_t number(const Simplex& simplex) const {
    const auto& all = critical_[simplex.size() - 1];
    return static_cast<std::int32_t>(std::find(all.begin(), all.end(), simplex) - all.begin());
  }

  /// The triangle that an edge is paired with, if it is.
  [[nodiscard]] const Simplex* triangle_of(const Simplex& edge) const {
    const auto found = pairing_.partner.find(edge);
    return found == pairing_.partner.end() || found->second.size() != 3 ? nullptr : &found->second;
  }

  [[nodiscard]] Path path_down(const Simplex& saddle, std::uint32_t v) const {
    Path path{SeparatrixType::descending, {saddle, {v}}};
    while (!pairing_.critical.contains(path.cells.back())) {
      const std::uint32_t at = path.cells.back()[0];
      const Simplex& edge = pairing_.partner.at({at});
      path.cells.push_back(edge);
      path.cells.push_back({edge[0] == at ? edge[1] : edge[0]});
    }
    return path;
  }

  /// From a cell to a critical one or the boundary. Of several cells beyond a facet that with the lowest
  /// input id.
  [[nodiscard]] Path path_up(const Simplex& start) const {
    Path path{SeparatrixType::ascending, {start}};
    while (!pairing_.critical.contains(path.cells.back())) {
      const Simplex cell = path.cells.back();
      const Simplex& facet = pairing_.partner.at(cell);
      const Simplex* next = nullptr;
      const auto beyond = cells_.cofaces_of(facet);
      for (const Simplex& other : beyond) {
        if (other == cell) continue;
        if (next == nullptr || cells_.id.at(other) < cells_.id.at(*next)) next = &other;
      }
      path.cells.push_back(facet);
      if (next == nullptr) break;
      path.cells.push_back(*next);
    }
    return path;
  }

  /// Edges of a triangle from its highest vertices to its lowest.
  [[nodiscard]] std::vector<Simplex> edges_in_order(Simplex triangle) const {
    std::sort(triangle.begin(), triangle.end(),
              [&](std::uint32_t a, std::uint32_t b) { return ranks_[a] > ranks_[b]; });
    const auto edge = [&](std::size_t i, std::size_t j) {
      return Simplex{std::min(triangle[i], triangle[j]), std::max(triangle[i], triangle[j])};
    };
    return {edge(0, 1), edge(0, 2), edge(1, 2)};
  }

  /// Breadth-first search from a 2-saddle: a path to each 1-saddle, the first one found.
  void add_connectors(const Simplex& saddle, std::vector<Path>& paths) const {
    std::map<Simplex, Simplex> parent;  // triangle by which an edge was reached
    std::map<Simplex, Simplex> owner;   // edge that a triangle is paired with
    std::vector<Simplex> queue = {saddle};
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const Simplex triangle = queue[i];
      for (const Simplex& edge : edges_in_order(triangle)) {
        if (!parent.emplace(edge, triangle).second) continue;
        if (pairing_.critical.contains(edge)) {
          Path& path = paths.emplace_back(Path{SeparatrixType::connector, {edge}});
          for (Simplex at = triangle; at != saddle; at = parent.at(owner.at(at))) {
            path.cells.push_back(at);
            path.cells.push_back(owner.at(at));
          }
          path.cells.push_back(saddle);
        } else if (const Simplex* next = triangle_of(edge); next != nullptr && *next != triangle) {
          owner[*next] = edge;
          queue.push_back(*next);
        }
      }
    }
  }

  [[nodiscard]] std::set<Simplex> saddles_below(const Simplex& start) const {
    std::set<Simplex> saddles;
    std::set<Simplex> seen = {start};
    std::vector<Simplex> left = {start};
    while (!left.empty()) {
      const Simplex edge = left.back();
      left.pop_back();
      if (pairing_.critical.contains(edge)) saddles.insert(edge);
      const Simplex* triangle = triangle_of(edge);
      if (triangle == nullptr) continue;
      for (const Simplex& next : facets_of(*triangle)) {
        if (seen.insert(next).second) left.push_back(next);
      }
    }
    return saddles;
  }

  [[nodiscard]] std::vector<std::uint32_t> cells_around(const Simplex& edge) const {
    std::set<std::uint32_t> ids;
    for (const Simplex& triangle : cells_.cofaces_of(edge)) {
      for (const Simplex& cell : cells_.cofaces_of(triangle)) ids.insert(cells_.id.at(cell));
    }
    return {ids.begin(), ids.end()};
  }

  const Cells& cells_;
  const std::vector<std::uint32_t>& ranks_;
  const Pairing& pairing_;
  std::vector<std::vector<Simplex>> critical_;
};

}  // namespace tessera::oracle

namespace tessera::testing {

/// What the definitions say, in canonical order.
template <int Dim>
Results expected_results(const SimplexMesh<Dim>& mesh, const Field& field) {
  const oracle::Cells cells(mesh);
  const std::vector<std::uint32_t> ranks = oracle::ranks_of(field);
  const oracle::Pairing pairing = oracle::LowerStars(cells, ranks).run();
  const oracle::MorseSmale complex(cells, ranks, pairing);
  Results results;
  results.points = oracle::critical_points(cells, ranks);
  results.critical = complex.critical();
  for (const auto& [a, b] : pairing.partner) {
    if (a.size() < b.size()) results.pairs[a] = b;
  }
  results.paths = complex.paths();
  if constexpr (Dim == 3) {
    results.descending_walls = complex.descending_walls();
    results.ascending_walls = complex.ascending_walls();
  }
  results.ascending = complex.ascending();
  results.descending = complex.descending();
  std::set<std::pair<std::int32_t, std::int32_t>> regions;  // (minimum, maximum)
  for (std::size_t v = 0; v < ranks.size(); ++v) {
    if (results.ascending[v] >= 0) regions.emplace(results.descending[v], results.ascending[v]);
  }
  for (std::size_t v = 0; v < ranks.size(); ++v) {
    const auto at = regions.find({results.descending[v], results.ascending[v]});
    results.morse_smale.push_back(
        at == regions.end() ? -1 : static_cast<std::int32_t>(std::distance(regions.begin(), at)));
  }
  const auto count = [](const std::vector<std::int32_t>& labels) {
    std::set<std::int32_t> used(labels.begin(), labels.end());
    used.erase(-1);
    return used.size();
  };
  results.regions = {count(results.ascending), count(results.descending), regions.size()};
  return in_canonical_order(results);
}

}  // namespace tessera::testing
