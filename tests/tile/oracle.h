// Relations straight from their definitions, with sets and maps, in input ids. Shares no code with the
// library's kernels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <vector>

#include <tessera/core/random.h>
#include <tessera/mesh/make.h>
#include <tessera/mesh/mesh.h>

namespace tessera::oracle {

using Simplex = std::vector<std::uint32_t>;  // ascending vertices

/// All simplices of a mesh by dimension, in lexicographic order of their vertices under a given numbering.
class Complex {
 public:
  template <int Dim>
  Complex(const SimplexMesh<Dim>& mesh, const std::vector<std::uint32_t>& number)
      : dimension_(Dim), simplices_(Dim + 1) {
    std::vector<std::set<Simplex>> found(Dim + 1);
    for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) found[0].insert({v});
    for (const auto& cell : mesh.cells) {
      Simplex corners;
      for (const VertexId v : cell) corners.push_back(number[v.index()]);
      std::sort(corners.begin(), corners.end());
      for (unsigned subset = 1; subset < 1u << corners.size(); ++subset) {
        Simplex face;
        for (std::size_t k = 0; k < corners.size(); ++k) {
          if (subset >> k & 1) face.push_back(corners[k]);
        }
        found[face.size() - 1].insert(face);
      }
    }
    for (int d = 0; d <= Dim; ++d) {
      simplices_[d].assign(found[d].begin(), found[d].end());
      for (std::uint32_t i = 0; i < simplices_[d].size(); ++i) id_[simplices_[d][i]] = i;
    }
  }

  [[nodiscard]] std::size_t count(int d) const { return simplices_[d].size(); }
  [[nodiscard]] const Simplex& simplex(int d, std::uint32_t i) const { return simplices_[d][i]; }

  /// What is left of each cell around a simplex of a dimension without its vertices.
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> links(int d) const {
    std::vector<std::vector<std::uint32_t>> rows(simplices_[d].size());
    for (const Simplex& cell : simplices_[dimension_]) {
      for (const Simplex& face : faces(cell, d)) {
        Simplex rest;
        std::set_difference(cell.begin(), cell.end(), face.begin(), face.end(), std::back_inserter(rest));
        rows[id_.at(face)].push_back(id_.at(rest));
      }
    }
    for (auto& row : rows) std::sort(row.begin(), row.end());
    return rows;
  }

  /// Rows of the relation between dimensions, by the definition.
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> relation(int from, int to) const {
    std::vector<std::set<std::uint32_t>> rows(simplices_[from].size());
    if (from == to) {
      // Neighbours share a face of one dimension less; vertices share an edge.
      const int shared = from == 0 ? 1 : from - 1;
      std::map<Simplex, std::vector<std::uint32_t>> around;
      if (from == 0) {
        for (const Simplex& edge : simplices_[1]) {
          rows[edge[0]].insert(edge[1]);
          rows[edge[1]].insert(edge[0]);
        }
      } else {
        for (std::uint32_t i = 0; i < simplices_[from].size(); ++i) {
          for (const Simplex& face : faces(simplices_[from][i], shared)) around[face].push_back(i);
        }
        for (const auto& [face, members] : around) {
          for (const std::uint32_t i : members) {
            for (const std::uint32_t j : members) {
              if (i != j) rows[i].insert(j);
            }
          }
        }
      }
    } else {
      const int high = std::max(from, to);
      const int low = std::min(from, to);
      for (std::uint32_t i = 0; i < simplices_[high].size(); ++i) {
        for (const Simplex& face : faces(simplices_[high][i], low)) {
          if (from == high) rows[i].insert(id_.at(face));
          if (from == low) rows[id_.at(face)].insert(i);
        }
      }
    }
    std::vector<std::vector<std::uint32_t>> result;
    for (const auto& row : rows) result.emplace_back(row.begin(), row.end());
    return result;
  }

  /// Is each simplex of a dimension part of a facet that only one cell has?
  [[nodiscard]] std::vector<std::uint8_t> boundary(int d) const {
    std::map<Simplex, int> cells;
    for (const Simplex& cell : simplices_[dimension_]) {
      for (const Simplex& facet : faces(cell, dimension_ - 1)) ++cells[facet];
    }
    std::vector<std::uint8_t> flags(simplices_[d].size(), 0);
    for (const auto& [facet, count] : cells) {
      if (count != 1) continue;
      if (d == dimension_) {
        for (std::uint32_t c = 0; c < simplices_[d].size(); ++c) {
          if (std::includes(simplices_[d][c].begin(), simplices_[d][c].end(), facet.begin(), facet.end()))
            flags[c] = 1;
        }
      } else {
        for (const Simplex& face : faces(facet, d)) flags[id_.at(face)] = 1;
      }
    }
    return flags;
  }

 private:
  static std::vector<Simplex> faces(const Simplex& simplex, int d) {
    std::vector<Simplex> result;
    for (unsigned subset = 1; subset < 1u << simplex.size(); ++subset) {
      Simplex face;
      for (std::size_t k = 0; k < simplex.size(); ++k) {
        if (subset >> k & 1) face.push_back(simplex[k]);
      }
      if (static_cast<int>(face.size()) == d + 1) result.push_back(face);
    }
    return result;
  }

  int dimension_;
  std::vector<std::vector<Simplex>> simplices_;
  std::map<Simplex, std::uint32_t> id_;
};

/// Random cells over few vertices: non-manifold, disconnected, with isolated vertices.
template <int Dim>
SimplexMesh<Dim> random_mesh(std::size_t vertices, std::size_t cells, std::uint64_t seed) {
  SplitMix64 random(seed);
  Array<Vec3f> points(vertices);
  for (Vec3f& p : points) {
    p = vec_cast<float>(Vec3d{random.uniform(), random.uniform(), random.uniform()});
  }
  SimplexMesh<Dim> mesh;
  mesh.points = std::move(points);
  std::set<Simplex> used;
  while (used.size() < cells) {
    std::set<std::uint32_t> corners;
    while (corners.size() < Dim + 1) corners.insert(static_cast<std::uint32_t>(random.below(vertices)));
    if (!used.insert(Simplex(corners.begin(), corners.end())).second) continue;
    typename SimplexMesh<Dim>::Cell cell;
    std::size_t k = 0;
    for (const std::uint32_t v : corners) cell[k++] = VertexId(v);
    std::swap(cell[0], cell[random.below(Dim + 1)]);  // corners in any order
    mesh.cells.push_back(cell);
  }
  return mesh;
}

}  // namespace tessera::oracle
