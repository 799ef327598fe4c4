#include <tessera/topology/persistence.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include <tessera/core/detail/monitor.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/topology/detail/check_field.h>
#include <tessera/topology/detail/check_grid.h>
#include <tessera/topology/detail/critical_numbers.h>
#include <tessera/topology/detail/grid_gradient.h>
#include <tessera/topology/detail/saddle_pairs.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;

constexpr uint32_t none = PersistencePair::none;

/// Sets of numbers that are joined; each is led by its lowest one.
class LedSets {
 public:
  explicit LedSets(size_t size) : parents_(size) {
    for (uint32_t i = 0; i < size; ++i) parents_[i] = i;
  }
  /// Joins the sets of two numbers; the leader that stops being one, or none if they were one set.
  uint32_t join(uint32_t a, uint32_t b) {
    a = leader(a);
    b = leader(b);
    if (a == b) return none;
    const auto [lower, upper] = std::minmax(a, b);
    parents_[upper] = lower;
    return upper;
  }

 private:
  uint32_t leader(uint32_t i) {
    while (parents_[i] != i) i = parents_[i] = parents_[parents_[i]];
    return i;
  }

  std::vector<uint32_t> parents_;
};

/// Ends of paths that may join: each cell has one next cell, the last one of a path itself. What is passed is
/// written down, so that no part of a path is followed twice.
class PathEnds {
 public:
  explicit PathEnds(size_t cells) : ends_(cells, none) {}

  template <class Next>
  uint32_t find(uint32_t start, const Next& next) {
    uint32_t end = start;
    while (end != none && ends_[end] == none) {
      const uint32_t further = next(end);
      if (further == end) break;
      end = further;
    }
    if (end != none && ends_[end] != none) end = ends_[end] == outside ? none : ends_[end];
    for (uint32_t cell = start; cell != end && cell != none && ends_[cell] == none;) {
      ends_[cell] = end == none ? outside : end;
      cell = next(cell);
    }
    return end;
  }

 private:
  static constexpr uint32_t outside = none - 1;
  Array<uint32_t> ends_;
};

/// Adds two ascending sets modulo two.
void add_to(std::vector<uint32_t>& sum, const std::vector<uint32_t>& other) {
  std::vector<uint32_t> result;
  std::set_symmetric_difference(sum.begin(), sum.end(), other.begin(), other.end(),
                                std::back_inserter(result));
  sum = std::move(result);
}

template <class Source, int Dim = Source::dim>
class PersistenceBuilder {
 public:
  PersistenceBuilder(const Source& gradient, const Field& field, const PersistenceOptions& options)
      : gradient_(gradient), field_(field), options_(options), monitor_(monitor_of(options.monitor)) {
    for (int d = 0; d <= Dim; ++d) {
      sorted_[static_cast<size_t>(d)] = sort_cells(d);
      deaths_[static_cast<size_t>(d)].assign(gradient.critical_cells(d).size(), none);
      is_death_[static_cast<size_t>(d)].assign(gradient.critical_cells(d).size(), false);
    }
  }

  Persistence run() {
    report(0);
    pair_minima();
    report(0.2);
    pair_maxima();
    report(0.8);
    if constexpr (Dim == 3) pair_saddles_between();
    write();
    report(1);
    return std::move(result_);
  }

 private:
  using Column = std::vector<uint32_t>;  ///< ascending

  void report(double fraction) const { monitor_.update("pairing critical cells", fraction); }

  [[nodiscard]] std::span<const CriticalCell> cells(int dimension) const {
    return gradient_.critical_cells(dimension);
  }

  using Key = std::array<VertexOrderKey, Dim + 1>;

  /// The orders of its vertices, descending.
  [[nodiscard]] Key key_of(const CriticalCell& cell) const {
    if (cell.name.dimension == Dim) return gradient_.corner_orders(cell.name.id);
    Key key = {gradient_.order(cell.highest)};
    const auto order_at = [&](uint32_t place) {
      return gradient_.order(tiled::VertexId(gradient_.neighbour(gradient_.highest(cell), place)));
    };
    if (cell.name.dimension > 0) key[1] = order_at(gradient_.place(cell));
    if (cell.name.dimension > 1) key[2] = order_at(cell.name.low);
    return key;
  }
  /// Numbers of the critical cells of a dimension in the order of the filtration.
  [[nodiscard]] std::vector<uint32_t> sort_cells(int dimension) const {
    std::vector<std::pair<Key, uint32_t>> keys;
    for (uint32_t i = 0; i < cells(dimension).size(); ++i) keys.emplace_back(key_of(cells(dimension)[i]), i);
    std::sort(keys.begin(), keys.end());
    std::vector<uint32_t> numbers;
    for (const auto& [key, number] : keys) numbers.push_back(number);
    return numbers;
  }

  void pair(int dimension, uint32_t birth, uint32_t death) {
    deaths_[static_cast<size_t>(dimension)][birth] = death;
    is_death_[static_cast<size_t>(dimension) + 1][death] = true;
  }

  /// Calls f(number) for the critical cells of a dimension, in parallel.
  template <class F>
  void for_each_critical(int dimension, const F& f) const {
    host::for_each_chunk(options_.exec.threads(), cells(dimension).size(), 64, [&](host::Range range, int) {
      if (monitor_.is_stopped()) return;
      for (size_t i = range.begin; i < range.end; ++i) f(static_cast<uint32_t>(i));
    });
  }

  /// Puts the ends of paths in the place of their starts. Threads follow them one by one, which takes long
  /// only where many share long parts.
  template <class Next>
  void follow(std::span<uint32_t> starts, size_t cell_count, const Next& next) const {
    const size_t most_steps = 2 * (cell_count + starts.size());
    std::atomic<size_t> steps = 0;
    host::for_each_chunk(options_.exec.threads(), starts.size(), 64, [&](host::Range range, int) {
      size_t own = 0;
      for (size_t i = range.begin; i < range.end && steps.load() + own <= most_steps; ++i) {
        uint32_t cell = starts[i];
        for (uint32_t further = none; cell != none && steps.load() + own <= most_steps;
             cell = further, ++own) {
          further = next(cell);
          if (further == cell) break;
        }
        starts[i] = cell;
      }
      steps += own;
    });
    if (steps.load() <= most_steps || monitor_.is_stopped()) return;
    PathEnds ends(cell_count);  // a start may have been moved along its path, which does not matter
    for (uint32_t& start : starts) start = ends.find(start, next);
  }

  /// Sets of minima are led by their lowest.
  void pair_minima() {
    const std::vector<uint32_t>& minima = sorted_[0];
    std::vector<std::pair<uint32_t, uint32_t>> ranks;  // (vertex, rank)
    for (uint32_t r = 0; r < minima.size(); ++r) ranks.emplace_back(cells(0)[minima[r]].name.id, r);
    std::sort(ranks.begin(), ranks.end());
    std::vector<std::array<uint32_t, 2>> ends(cells(1).size());
    for_each_critical(1, [&](uint32_t i) {
      const CriticalCell& edge = cells(1)[i];
      const tiled::VertexId highest = gradient_.highest(edge);
      ends[i] = {highest.index(), gradient_.neighbour(highest, gradient_.place(edge))};
    });
    follow(flat(ends), gradient_.vertex_count(), [&](uint32_t v) {
      const uint32_t lowest = gradient_.lowest(tiled::VertexId(v));
      return lowest == none ? v : lowest;
    });
    for_each_critical(1, [&](uint32_t i) {
      for (uint32_t& end : ends[i])
        end = std::lower_bound(ranks.begin(), ranks.end(), std::pair{end, 0u})->second;
    });
    report(0.1);
    LedSets sets(minima.size());
    for (const uint32_t edge : sorted_[1]) {
      const uint32_t loser = sets.join(ends[edge][0], ends[edge][1]);
      if (loser != none) pair(0, minima[loser], edge);
    }
  }

  static std::span<uint32_t> flat(std::vector<std::array<uint32_t, 2>>& pairs) {
    return {pairs.empty() ? nullptr : pairs[0].data(), 2 * pairs.size()};
  }

  /// Maxima are ranked from the highest, after number 0, which is outside the mesh.
  void pair_maxima() {
    const std::vector<uint32_t>& maxima = sorted_[Dim];
    for (uint32_t r = 0; r < maxima.size(); ++r) {
      ranks_of_maxima_.emplace_back(cells(Dim)[maxima[maxima.size() - 1 - r]].name.id, r + 1);
    }
    std::sort(ranks_of_maxima_.begin(), ranks_of_maxima_.end());
    report(0.6);
    bool is_graph = branches().empty();
    for (size_t i = 0; i < cells(Dim - 1).size(); ++i) is_graph &= gradient_.cofaces(i).size() <= 2;
    is_graph ? join_maxima() : reduce_maxima();
  }

  [[nodiscard]] uint32_t maximum_of_rank(uint32_t rank) const {
    return sorted_[Dim][sorted_[Dim].size() - rank];
  }

  /// A facet joins the two maxima that paths from it lead to.
  void join_maxima() {
    std::vector<std::array<uint32_t, 2>> ends(cells(Dim - 1).size());
    for_each_critical(Dim - 1, [&](uint32_t i) {
      const auto cofaces = gradient_.cofaces(i);
      ends[i] = {none, none};
      std::ranges::copy(cofaces, ends[i].begin());
    });
    follow(flat(ends), gradient_.cell_end(), [&](uint32_t cell) { return next_above(cell); });
    for_each_critical(Dim - 1, [&](uint32_t i) {
      for (uint32_t& end : ends[i]) end = rank_of(end);
    });
    report(0.7);
    LedSets sets(sorted_[Dim].size() + 1);
    for (auto facet = sorted_[Dim - 1].rbegin(); facet != sorted_[Dim - 1].rend(); ++facet) {
      if (is_death_[Dim - 1][*facet]) continue;
      const uint32_t loser = sets.join(ends[*facet][0], ends[*facet][1]);
      if (loser != none) pair(Dim - 1, *facet, maximum_of_rank(loser));
    }
  }

  /// The next cell of a path, itself at its last one: critical, or with a branch; none outside.
  [[nodiscard]] uint32_t next_above(uint32_t cell) const {
    const bool is_last = gradient_.is_critical(cell) || find_branch(cell) != nullptr;
    return is_last ? cell : gradient_.next_cell(cell);
  }
  /// The last cell of the path from a cell.
  [[nodiscard]] uint32_t top(uint32_t cell) {
    return tops_.find(cell, [&](uint32_t c) { return next_above(c); });
  }
  [[nodiscard]] const std::vector<Branch>& branches() const { return gradient_.branches(); }
  [[nodiscard]] const Branch* find_branch(uint32_t cell) const {
    const auto at = std::lower_bound(branches().begin(), branches().end(), cell,
                                     [](const Branch& branch, uint32_t c) { return branch.cell < c; });
    return at == branches().end() || at->cell != cell ? nullptr : &*at;
  }
  [[nodiscard]] uint32_t rank_of(uint32_t maximum) const {
    if (maximum == none) return 0;
    return std::lower_bound(ranks_of_maxima_.begin(), ranks_of_maxima_.end(), std::pair{maximum, 0u})->second;
  }

  /// The general case: a facet's column are the maxima that an odd number of paths leads to; from the highest
  /// facet down, the column's lowest maximum is its own unless an earlier one has it.
  void reduce_maxima() {
    tops_ = PathEnds(gradient_.cell_end());
    resolve_branches();
    std::vector<Column> columns(sorted_[Dim].size() + 1);  // by their lowest maximum
    for (auto facet = sorted_[Dim - 1].rbegin(); facet != sorted_[Dim - 1].rend(); ++facet) {
      if (is_death_[Dim - 1][*facet]) continue;
      Column column;
      for (const uint32_t cell : gradient_.cofaces(*facet)) add_to(column, maxima_above(top(cell)));
      while (!column.empty() && !columns[column.back()].empty()) add_to(column, columns[column.back()]);
      if (column.empty()) continue;
      pair(Dim - 1, *facet, maximum_of_rank(column.back()));
      columns[column.back()] = std::move(column);
    }
  }

  /// The maxima above what top() gave.
  [[nodiscard]] Column maxima_above(uint32_t cell) const {
    if (cell == none) return {};
    if (const Branch* branch = find_branch(cell)) {
      return columns_of_branches_[static_cast<size_t>(branch - branches().data())];
    }
    return {rank_of(cell)};
  }

  /// The columns of branches, those that paths lead to first. Paths do not turn back, so this ends.
  void resolve_branches() {
    columns_of_branches_.resize(branches().size());
    std::vector<bool> is_known(branches().size(), false);
    std::vector<size_t> waiting;
    for (size_t start = 0; start < branches().size(); ++start) {
      waiting.assign(1, start);
      while (!waiting.empty()) {
        const size_t b = waiting.back();
        const size_t before = waiting.size();
        for (const uint32_t other : branches()[b].others) {
          const Branch* next = find_branch_above(other);
          const size_t n = next == nullptr ? 0 : static_cast<size_t>(next - branches().data());
          if (next != nullptr && !is_known[n]) waiting.push_back(n);
        }
        if (waiting.size() > before) continue;
        waiting.pop_back();
        if (is_known[b]) continue;
        for (const uint32_t other : branches()[b].others)
          add_to(columns_of_branches_[b], maxima_above(top(other)));
        is_known[b] = true;
      }
    }
  }
  [[nodiscard]] const Branch* find_branch_above(uint32_t cell) {
    const uint32_t end = top(cell);
    return end == none ? nullptr : find_branch(end);
  }

  void pair_saddles_between() {
    std::vector<bool> free_edges = is_death_[1];
    free_edges.flip();
    std::vector<uint32_t> triangles;
    for (const uint32_t triangle : sorted_[2]) {
      if (deaths_[2][triangle] == none) triangles.push_back(triangle);
    }
    for (const auto& [edge, triangle] : pair_saddles(gradient_, free_edges, triangles, options_)) {
      pair(1, edge, triangle);
    }
  }

  /// A critical cell that ends no class begins one.
  void write() {
    for (uint32_t d = 0; d <= Dim; ++d) {
      for (const uint32_t cell : sorted_[d]) {
        if (is_death_[d][cell]) continue;
        const PersistencePair pair{.dimension = d, .birth = cell, .death = deaths_[d][cell]};
        ++(pair.is_finite() ? result_.finite : result_.essential)[d];
        result_.pairs.push_back(pair);
      }
    }
    write_values();
  }

  /// The lowest and the highest vertex.
  [[nodiscard]] std::pair<VertexId, VertexId> find_ends() const {
    tiled::VertexId lowest(0);
    tiled::VertexId highest(0);
    for (uint32_t v = 1; v < gradient_.vertex_count(); ++v) {
      const VertexOrderKey order = gradient_.order(tiled::VertexId(v));
      if (order < gradient_.order(lowest)) lowest = tiled::VertexId(v);
      if (gradient_.order(highest) < order) highest = tiled::VertexId(v);
    }
    return {gradient_.to_input(lowest), gradient_.to_input(highest)};
  }

  void write_values() {
    if (field_.size() == 0) return;
    const auto ends = find_ends();
    field_.visit([&](auto values) {
      const auto value = [&](VertexId input) { return static_cast<double>(values[input.index()]); };
      result_.lowest = value(ends.first);
      result_.highest = value(ends.second);
      for (PersistencePair& p : result_.pairs) {
        p.birth_vertex = cells(static_cast<int>(p.dimension))[p.birth].highest;
        p.death_vertex =
            p.is_finite() ? cells(static_cast<int>(p.dimension) + 1)[p.death].highest : ends.second;
        p.birth_value = value(p.birth_vertex);
        p.death_value = value(p.death_vertex);
      }
    });
  }

  const Source& gradient_;
  const Field& field_;
  const PersistenceOptions& options_;
  const Monitor& monitor_;
  std::array<std::vector<uint32_t>, Dim + 1> sorted_;
  std::array<std::vector<uint32_t>, Dim + 1> deaths_;  ///< by birth
  std::array<std::vector<bool>, Dim + 1> is_death_;
  std::vector<std::pair<uint32_t, uint32_t>> ranks_of_maxima_;  // (cell, rank)
  PathEnds tops_{0};                                            ///< of cells, in the general case
  std::vector<Column> columns_of_branches_;                     ///< those of the gradient
  Persistence result_;
};

}  // namespace

template <int Dim>
Persistence compute_persistence(const Gradient<Dim>& gradient, const Field& field,
                                const PersistenceOptions& options) {
  refuse_periodic(options);
  return gradient.visit([&]<class Source>(const Source& source) {
    source.expect_paths();
    check_field(field, source.vertex_count());
    return PersistenceBuilder<Source>(source, field, options).run();
  });
}

template Persistence compute_persistence(const Gradient<2>&, const Field&, const PersistenceOptions&);
template Persistence compute_persistence(const Gradient<3>&, const Field&, const PersistenceOptions&);

}  // namespace tessera
