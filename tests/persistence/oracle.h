// Persistence the long way: the boundary matrix of all cells, reduced column by column.
// Shares nothing with the library but the mesh, the field and, where the order of cells is to follow the
// gradient, what it says each cell is paired with.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <tessera/mesh/mesh.h>

namespace tessera::test {

/// Places of vertices in the order of the field, from the highest down; so faces come before what they
/// bound, and cells compare as the filtration adds them.
using Cell = std::vector<std::uint32_t>;

class Oracle {
 public:
  struct Pair {
    Cell birth;
    Cell death;  ///< empty: never
    friend auto operator<=>(const Pair&, const Pair&) = default;
  };

  template <int Dim>
  Oracle(const SimplexMesh<Dim>& mesh, const Field& field) {
    std::vector<std::uint32_t> vertices;
    for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) vertices.push_back(v);
    field.visit([&](auto values) {
      std::stable_sort(vertices.begin(), vertices.end(),
                       [&](auto a, auto b) { return values[a] < values[b]; });
    });
    input_ = vertices;
    place_.resize(vertices.size());
    for (std::uint32_t i = 0; i < vertices.size(); ++i) place_[vertices[i]] = i;
    for (std::uint32_t i = 0; i < vertices.size(); ++i) cells_.insert(Cell{i});
    for (const auto& corners : mesh.cells) {
      for (unsigned subset = 1; subset < 1u << (Dim + 1); ++subset) {
        std::vector<std::uint32_t> ids;
        for (unsigned k = 0; k <= Dim; ++k) {
          if ((subset >> k & 1) != 0) ids.push_back(corners[k].index());
        }
        cells_.insert(cell_of(ids));
      }
    }
  }

  [[nodiscard]] Cell cell_of(const std::vector<std::uint32_t>& input) const {
    Cell cell;
    for (const std::uint32_t v : input) cell.push_back(place_[v]);
    std::sort(cell.rbegin(), cell.rend());
    return cell;
  }
  [[nodiscard]] std::vector<std::uint32_t> input_of(const Cell& cell) const {
    std::vector<std::uint32_t> ids;
    for (const std::uint32_t place : cell) ids.push_back(input_[place]);
    return ids;
  }

  /// All pairs, cells added from the lowest vertices on.
  [[nodiscard]] std::vector<Pair> pairs() const { return reduce({cells_.begin(), cells_.end()}); }

  using Partner = std::function<std::optional<Cell>(const Cell&)>;

  /// The pairs of cells without a partner, where partners are added directly after each other and cells
  /// without one in the order of the filtration. Nothing if there is no such order.
  [[nodiscard]] std::optional<std::vector<Pair>> pairs_of_critical(const Partner& partner) const {
    const auto order = follow(partner);
    if (!order.has_value()) return std::nullopt;
    std::vector<Pair> result;
    for (const Pair& pair : reduce(*order)) {
      if (!partner(pair.birth).has_value()) result.push_back(pair);
      const bool is_whole = !pair.death.empty() || !partner(pair.birth).has_value();
      if (!is_whole) return std::nullopt;
    }
    return result;
  }

  [[nodiscard]] static std::vector<Cell> facets(const Cell& cell) {
    std::vector<Cell> result;
    for (std::size_t k = 0; k < cell.size() && cell.size() > 1; ++k) {
      Cell facet = cell;
      facet.erase(facet.begin() + static_cast<std::ptrdiff_t>(k));
      result.push_back(facet);
    }
    return result;
  }

 private:
  /// Takes cells, or pairs of them, as soon as all their facets are there, the lowest first.
  [[nodiscard]] std::optional<std::vector<Cell>> follow(const Partner& partner) const {
    std::vector<Cell> critical;
    std::map<Cell, std::set<Cell>> needs;    // by the lower cell of a pair
    std::map<Cell, std::set<Cell>> blocked;  // the other way round
    const auto head = [&](const Cell& cell) {
      const auto other = partner(cell);
      return other.has_value() ? std::min(cell, *other, by_size) : cell;
    };
    const auto add = [&](const Cell& later, const Cell& earlier) {
      if (later == earlier) return;
      needs[later].insert(earlier);
      blocked[earlier].insert(later);
    };
    for (const Cell& cell : cells_) {
      needs[head(cell)];
      for (const Cell& facet : facets(cell)) add(head(cell), head(facet));
      if (partner(cell).has_value()) continue;
      if (!critical.empty()) add(cell, critical.back());
      critical.push_back(cell);
    }
    std::set<Cell> ready;
    for (const auto& [cell, all] : needs) {
      if (all.empty()) ready.insert(cell);
    }
    std::vector<Cell> order;
    while (!ready.empty()) {
      const Cell cell = *ready.begin();
      ready.erase(ready.begin());
      order.push_back(cell);
      if (const auto other = partner(cell)) order.push_back(*other);
      for (const Cell& later : blocked[cell]) {
        needs[later].erase(cell);
        if (needs[later].empty()) ready.insert(later);
      }
    }
    if (order.size() != cells_.size()) return std::nullopt;
    const auto vertex_descends = [](const Cell& a, const Cell& b) { return a[0] > b[0]; };
    if (std::adjacent_find(order.begin(), order.end(), vertex_descends) != order.end()) return std::nullopt;
    return order;
  }
  static bool by_size(const Cell& a, const Cell& b) { return a.size() < b.size(); }

  [[nodiscard]] static std::vector<Pair> reduce(const std::vector<Cell>& order) {
    std::map<Cell, std::size_t> number;
    for (std::size_t i = 0; i < order.size(); ++i) number[order[i]] = i;
    std::vector<std::set<std::size_t>> columns(order.size());
    std::map<std::size_t, std::size_t> owner;  // of a last row
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (const Cell& facet : facets(order[i])) columns[i].insert(number.at(facet));
      while (!columns[i].empty() && owner.contains(*columns[i].rbegin())) {
        for (const std::size_t row : columns[owner[*columns[i].rbegin()]]) {
          if (!columns[i].insert(row).second) columns[i].erase(row);
        }
      }
      if (!columns[i].empty()) owner[*columns[i].rbegin()] = i;
    }
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (!columns[i].empty()) {
        pairs.push_back({order[*columns[i].rbegin()], order[i]});
      } else if (!owner.contains(i)) {
        pairs.push_back({order[i], {}});
      }
    }
    std::sort(pairs.begin(), pairs.end());
    return pairs;
  }

  std::vector<std::uint32_t> input_;
  std::vector<std::uint32_t> place_;
  std::set<Cell> cells_;
};

}  // namespace tessera::test
