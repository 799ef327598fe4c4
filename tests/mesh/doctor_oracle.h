// A slow doctor for small meshes, written from docs/doctor.md with maps, sets and searches. It shares no code
// with the library's. Coordinates must be small integers, so that its determinants are exact.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tessera::testing {

using Tuple = std::vector<std::uint32_t>;
using Tuples = std::vector<Tuple>;
using Adjacency = std::map<std::uint32_t, std::set<std::uint32_t>>;

struct OracleReport {
  std::map<std::string, Tuples> findings;
  std::uint64_t edges = 0, faces = 0, sound_cells = 0, used_vertices = 0, components = 0, boundary_faces = 0;
  std::int64_t euler_characteristic = 0;
};

inline std::size_t count_parts(const Adjacency& graph) {
  std::set<std::uint32_t> seen;
  std::size_t parts = 0;
  for (const auto& [start, unused] : graph) {
    if (!seen.insert(start).second) continue;
    ++parts;
    std::deque<std::uint32_t> open = {start};
    while (!open.empty()) {
      const std::uint32_t v = open.front();
      open.pop_front();
      for (const std::uint32_t w : graph.at(v)) {
        if (seen.insert(w).second) open.push_back(w);
      }
    }
  }
  return parts;
}

/// One path or one cycle of at least one edge; edges must be distinct.
inline bool is_path_or_cycle(const Tuples& edges) {
  Adjacency graph;
  for (const Tuple& e : edges) {
    graph[e[0]].insert(e[1]);
    graph[e[1]].insert(e[0]);
  }
  for (const auto& [v, neighbours] : graph) {
    if (neighbours.size() > 2) return false;
  }
  return count_parts(graph) == 1;
}

/// One disk or one sphere; triangles must be distinct and sorted.
inline bool is_disk_or_sphere(const Tuples& triangles) {
  std::map<Tuple, int> edges;
  std::map<std::uint32_t, Tuples> links;
  Adjacency graph;
  for (const Tuple& t : triangles) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t a = t[i], b = t[(i + 1) % 3], c = t[(i + 2) % 3];
      ++edges[{std::min(a, b), std::max(a, b)}];
      links[a].push_back({b, c});
      graph[a].insert({b, c});
    }
  }
  bool has_boundary = false;
  for (const auto& [e, count] : edges) {
    if (count > 2) return false;
    has_boundary = has_boundary || count == 1;
  }
  for (const auto& [v, link] : links) {
    if (!is_path_or_cycle(link)) return false;
  }
  const auto euler =
      static_cast<int>(links.size()) - static_cast<int>(edges.size()) + static_cast<int>(triangles.size());
  return count_parts(graph) == 1 && euler == (has_boundary ? 1 : 2);
}

/// All subsets of `size` of a sorted tuple, each sorted.
inline Tuples subsets(const Tuple& from, std::size_t size) {
  Tuples result;
  for (unsigned bits = 0; bits < 1u << from.size(); ++bits) {
    Tuple subset;
    for (std::size_t i = 0; i < from.size(); ++i) {
      if ((bits >> i & 1u) != 0) subset.push_back(from[i]);
    }
    if (subset.size() == size) result.push_back(subset);
  }
  return result;
}

/// The vertices of `cell` that are not in `part`.
inline Tuple without(const Tuple& cell, const Tuple& part) {
  Tuple rest;
  for (const std::uint32_t v : cell) {
    if (std::find(part.begin(), part.end(), v) == part.end()) rest.push_back(v);
  }
  return rest;
}

using LatticePoint = std::array<std::int64_t, 3>;

class Oracle {
 public:
  /// Cells as given, of 3 or 4 corners.
  Oracle(std::vector<LatticePoint> points, Tuples cells)
      : points_(std::move(points)),
        cells_(std::move(cells)),
        corners_(cells_.empty() ? 3 : cells_[0].size()) {}

  OracleReport run() {
    sort_out();
    compare_points();
    measure();
    count_parts_of_mesh();
    if (corners_ == 3) examine_surface();
    if (corners_ == 4) examine_solid();
    return report_;
  }

 private:
  void find(const std::string& kind, Tuple element) { report_.findings[kind].push_back(std::move(element)); }

  void sort_out() {
    std::set<Tuple> seen;
    for (std::uint32_t c = 0; c < cells_.size(); ++c) {
      Tuple sorted = cells_[c];
      std::sort(sorted.begin(), sorted.end());
      if (sorted.back() >= points_.size()) {
        find("out_of_range_index", {c});
      } else if (std::set<std::uint32_t>(sorted.begin(), sorted.end()).size() < sorted.size()) {
        find("repeated_index", {c});
      } else if (!seen.insert(sorted).second) {
        find("duplicate_cell", {c});
      } else {
        sound_[c] = sorted;
        for (std::size_t k = 1; k <= corners_; ++k) {
          for (const Tuple& part : subsets(sorted, k)) stars_[part].push_back(c);
        }
      }
    }
    report_.sound_cells = sound_.size();
    for (const auto& [part, star] : stars_) {
      report_.used_vertices += part.size() == 1 ? 1 : 0;
      report_.edges += part.size() == 2 ? 1 : 0;
      report_.faces += part.size() == 3 ? 1 : 0;
      report_.euler_characteristic += part.size() % 2 == 1 ? 1 : -1;
      if (part.size() == corners_ - 1 && star.size() == 1) find("boundary", part);
    }
    report_.boundary_faces = report_.findings["boundary"].size();
    for (std::uint32_t v = 0; v < points_.size(); ++v) {
      if (stars_.count({v}) == 0) find("isolated_vertex", {v});
    }
  }

  void compare_points() {
    for (std::uint32_t v = 0; v < points_.size(); ++v) {
      if (std::find(points_.begin(), points_.begin() + v, points_[v]) != points_.begin() + v) {
        find("coincident_point", {v});
      }
    }
  }

  void measure() {
    Tuples negative, positive;
    for (const auto& [c, unused] : sound_) {
      const std::int64_t size = corners_ == 3 ? doubled_area(cells_[c]) : volume(cells_[c]);
      if (size == 0) find("degenerate_cell", {c});
      if (size < 0) negative.push_back({c});
      if (size > 0) positive.push_back({c});
    }
    if (!negative.empty()) report_.findings["inverted_cell"] = negative;
    if (!negative.empty() && !positive.empty()) {
      report_.findings["inconsistent_orientation"] = negative.size() <= positive.size() ? negative : positive;
    }
  }

  LatticePoint edge_vector(std::uint32_t a, std::uint32_t b) const {
    return {points_[b][0] - points_[a][0], points_[b][1] - points_[a][1], points_[b][2] - points_[a][2]};
  }
  static LatticePoint normal(const LatticePoint& u, const LatticePoint& v) {
    return {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
  }
  /// Zero if and only if the area is.
  std::int64_t doubled_area(const Tuple& t) const {
    const LatticePoint n = normal(edge_vector(t[0], t[1]), edge_vector(t[0], t[2]));
    return std::abs(n[0]) + std::abs(n[1]) + std::abs(n[2]);
  }
  std::int64_t volume(const Tuple& t) const {
    const LatticePoint n = normal(edge_vector(t[0], t[1]), edge_vector(t[0], t[2]));
    const LatticePoint w = edge_vector(t[0], t[3]);
    return n[0] * w[0] + n[1] * w[1] + n[2] * w[2];
  }

  void count_parts_of_mesh() {
    Adjacency graph;
    for (const auto& [c, cell] : sound_) {
      for (const std::uint32_t v : cell) graph[v].insert(cell.begin(), cell.end());
    }
    report_.components = count_parts(graph);
    if (report_.components < 2) return;
    while (!graph.empty()) {
      find("components", {graph.begin()->first});
      std::deque<std::uint32_t> open = {graph.begin()->first};
      while (!open.empty()) {
        const std::uint32_t v = open.front();
        open.pop_front();
        const auto at = graph.find(v);
        if (at == graph.end()) continue;
        open.insert(open.end(), at->second.begin(), at->second.end());
        graph.erase(at);
      }
    }
  }

  void examine_surface() {
    for (const auto& [part, star] : stars_) {
      Tuples link;
      for (const std::uint32_t c : star) link.push_back(without(sound_[c], part));
      if (part.size() == 1 && !is_path_or_cycle(link)) find("non_manifold_vertex", part);
      if (part.size() == 2 && star.size() > 2) find("non_manifold_edge", part);
      if (part.size() == 2 && star.size() == 2 && !agree(star[0], star[1], part)) {
        find("inconsistent_orientation", part);
      }
    }
    follow_sheets();
  }

  /// Whether triangle c goes from a to b.
  bool goes(std::uint32_t c, std::uint32_t a, std::uint32_t b) const {
    const Tuple& t = cells_[c];
    return (t[0] == a && t[1] == b) || (t[1] == a && t[2] == b) || (t[2] == a && t[0] == b);
  }
  bool agree(std::uint32_t c, std::uint32_t d, const Tuple& edge) const {
    return goes(c, edge[0], edge[1]) != goes(d, edge[0], edge[1]);
  }

  void follow_sheets() {
    std::map<std::uint32_t, bool> turned;
    for (const auto& [first, unused] : sound_) {
      if (turned.count(first) != 0) continue;
      bool is_one_sided = false;
      turned[first] = false;
      std::deque<std::uint32_t> open = {first};
      while (!open.empty()) {
        const std::uint32_t c = open.front();
        open.pop_front();
        for (const Tuple& edge : subsets(sound_[c], 2)) {
          const std::vector<std::uint32_t>& star = stars_[edge];
          if (star.size() != 2) continue;
          const std::uint32_t d = star[0] == c ? star[1] : star[0];
          const bool expected = agree(c, d, edge) == turned[c] ? true : false;
          if (turned.count(d) == 0) {
            turned[d] = expected;
            open.push_back(d);
          }
          is_one_sided = is_one_sided || turned[d] != expected;
        }
      }
      if (is_one_sided) find("non_orientable", {first});
    }
  }

  void examine_solid() {
    for (const auto& [part, star] : stars_) {
      Tuples link;
      for (const std::uint32_t c : star) link.push_back(without(sound_[c], part));
      if (part.size() == 1 && !is_disk_or_sphere(link)) find("non_manifold_vertex", part);
      if (part.size() == 2 && !is_path_or_cycle(link)) find("non_manifold_edge", part);
      if (part.size() == 3 && star.size() > 2) find("non_manifold_face", part);
    }
  }

  std::vector<LatticePoint> points_;
  Tuples cells_;
  std::size_t corners_;
  std::map<std::uint32_t, Tuple> sound_;               // sorted
  std::map<Tuple, std::vector<std::uint32_t>> stars_;  // sound cells around each vertex, edge, face and cell
  OracleReport report_;
};

}  // namespace tessera::testing
