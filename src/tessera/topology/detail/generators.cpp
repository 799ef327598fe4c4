#include <tessera/topology/generators.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/detail/monitor.h>
#include <tessera/core/error.h>
#include <tessera/topology/detail/gradient_data.h>
#include <tessera/topology/detail/grid_gradient.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;

constexpr uint32_t none = PersistencePair::none;

/// A cell by its vertices, ascending by id.
template <int Dim>
using Simplex = typename Gradient<Dim>::Simplex;

/// The same with the orders of its vertices, descending: cells compare as the filtration adds them.
template <int Dim>
struct OrderedCell {
  std::array<VertexOrderKey, Dim + 1> orders = {};
  Simplex<Dim> simplex;
  friend bool operator<(const OrderedCell& a, const OrderedCell& b) { return a.orders < b.orders; }
};

/// What a cell is paired with upwards, by the gradient.
template <int Dim>
class UpwardPartners {
 public:
  /// With facets, if facets of top cells will be asked for.
  UpwardPartners(const Gradient<Dim>& gradient, bool with_facets) : gradient_(gradient) {
    const GradientData<Dim>* data = Dim == 3 && with_facets ? gradient.on_mesh() : nullptr;
    if (data == nullptr) return;
    facets_.emplace().reserve(data->cell_count());
    for (uint32_t c = 0; c < data->cell_count(); ++c) {
      if (!data->is_critical(c)) facets_->push_back({data->simplex(data->next_facet(c)).vertices, c});
    }
    std::sort(facets_->begin(), facets_->end());
  }

  struct Answer {
    bool is_critical = false;
    std::optional<Simplex<Dim>> above;
  };
  [[nodiscard]] Answer find(const Simplex<Dim>& cell) const {
    if (facets_ && cell.size == Dim) {
      const auto at = std::lower_bound(facets_->begin(), facets_->end(), std::pair{cell.vertices, 0u});
      if (at != facets_->end() && at->first == cell.vertices)
        return {.above = gradient_.on_mesh()->simplex({at->second, 0, Dim})};
    }
    auto other = gradient_.partner({cell.vertices.data(), cell.size});
    if (!other) return {.is_critical = true};
    if (other->size < cell.size) return {};
    return {.above = std::move(other)};
  }

 private:
  const Gradient<Dim>& gradient_;
  /// On tetrahedra the cell that each triangle is paired with, which the gradient would search in a tile.
  std::optional<std::vector<std::pair<std::array<VertexId, 4>, uint32_t>>> facets_;
};

/// Critical cells of a dimension by their vertices, and what they are paired with in the diagram.
template <int Dim>
class CriticalPairs {
 public:
  CriticalPairs(const Gradient<Dim>& gradient, const Persistence& persistence, uint32_t dimension) {
    const auto cells = gradient.critical_cells(static_cast<int>(dimension));
    std::vector<uint32_t> deaths(cells.size(), no_birth);
    for (const PersistencePair& pair : persistence.pairs) {
      if (pair.dimension == dimension && pair.birth < cells.size()) deaths[pair.birth] = pair.death;
    }
    for (uint32_t i = 0; i < cells.size(); ++i)
      deaths_.emplace_back(gradient.simplex(cells[i].name).vertices, deaths[i]);
    std::sort(deaths_.begin(), deaths_.end());
  }
  static constexpr uint32_t no_birth = none - 1;

  /// The number of the cell that a critical cell's class dies with; none: it never dies; no_birth: no class
  /// is born with the cell.
  [[nodiscard]] uint32_t death_of(const Simplex<Dim>& cell) const {
    return std::lower_bound(deaths_.begin(), deaths_.end(), std::pair{cell.vertices, 0u})->second;
  }

 private:
  std::vector<std::pair<std::array<VertexId, 4>, uint32_t>> deaths_;
};

/// Finds cycles of one dimension.
template <int Dim>
class CycleFinder {
 public:
  CycleFinder(const Gradient<Dim>& gradient, const Persistence& persistence, uint32_t dimension,
              const Monitor& monitor)
      : gradient_(gradient),
        partners_(gradient, dimension + 1 == Dim),
        pairs_(gradient, persistence, dimension),
        pairs_below_(gradient, persistence, dimension - 1),
        dimension_(dimension),
        check_(monitor, "finding cycles", 0) {}

  [[nodiscard]] std::vector<Simplex<Dim>> run(const PersistencePair& pair) {
    const Simplex<Dim> birth = critical(dimension_, pair.birth);
    Chain cycle;
    if (pair.is_finite()) {
      add_boundary(cycle, critical(dimension_ + 1, pair.death));
      push_down(cycle, pairs_, &birth, [](const Simplex<Dim>&) {});
    } else {
      Chain rest;
      toggle(cycle, birth);
      add_boundary(rest, birth);
      push_down(rest, pairs_below_, nullptr, [&](const Simplex<Dim>& cell) { toggle(cycle, cell); });
    }
    std::vector<Simplex<Dim>> cells;
    for (const OrderedCell<Dim>& cell : cycle) cells.push_back(cell.simplex);
    std::sort(cells.begin(), cells.end(),
              [](const auto& a, const auto& b) { return a.vertices < b.vertices; });
    return cells;
  }

 private:
  using Chain = std::set<OrderedCell<Dim>>;

  [[nodiscard]] Simplex<Dim> critical(uint32_t dimension, uint32_t number) const {
    return gradient_.simplex(gradient_.critical_cells(static_cast<int>(dimension))[number].name);
  }

  void toggle(Chain& chain, const Simplex<Dim>& simplex) {
    OrderedCell<Dim> cell{.simplex = simplex};
    gradient_.visit([&](const auto& source) {
      for (size_t k = 0; k < simplex.size; ++k) {
        size_t at = k;  // inserted into what is sorted already
        const VertexOrderKey order = source.order(simplex.vertices[k]);
        for (; at > 0 && cell.orders[at - 1] < order; --at) cell.orders[at] = cell.orders[at - 1];
        cell.orders[at] = order;
      }
    });
    const auto [place, is_new] = chain.insert(cell);
    if (!is_new) chain.erase(place);
  }
  void add_boundary(Chain& chain, const Simplex<Dim>& cell) {
    for (size_t left_out = 0; left_out < cell.size; ++left_out) {
      Simplex<Dim> facet;
      for (size_t k = 0; k < cell.size; ++k) {
        if (k != left_out) facet.vertices[facet.size++] = cell.vertices[k];
      }
      toggle(chain, facet);
    }
  }

  /// Adds boundaries until `end` is the highest cell that could still be pushed, or nothing is left. Calls
  /// f(cell) for the cells whose boundaries are added.
  ///
  /// In the lower star of a vertex, cells that are paired with a cell above go first, then critical ones from
  /// the highest on. The rest end classes or are paired with cells below; they leave with the others.
  template <class F>
  void push_down(Chain& chain, const CriticalPairs<Dim>& pairs, const Simplex<Dim>* end, const F& f) {
    while (!chain.empty()) {
      check_();
      const Step step = next_step(chain, pairs);
      Simplex<Dim> above = step.cell;
      if (step.is_critical) {
        if (end != nullptr && step.cell == *end) return;
        expect(step.death != none);
        above = critical(step.cell.size, step.death);
      }
      add_boundary(chain, above);
      f(above);
    }
    expect(end == nullptr);
  }

  struct Step {
    bool is_critical = false;
    Simplex<Dim> cell;      ///< the critical one, or the one above that another is paired with
    uint32_t death = none;  ///< of the critical one
  };
  [[nodiscard]] Step next_step(const Chain& chain, const CriticalPairs<Dim>& pairs) const {
    const VertexOrderKey star = chain.rbegin()->orders[0];
    std::optional<Step> critical;
    for (auto cell = chain.rbegin(); cell != chain.rend() && cell->orders[0] == star; ++cell) {
      const auto partner = partners_.find(cell->simplex);
      if (partner.above) return {.cell = *partner.above};
      if (!partner.is_critical || critical) continue;
      const uint32_t death = pairs.death_of(cell->simplex);
      if (death != pairs.no_birth) critical = Step{true, cell->simplex, death};
    }
    expect(critical.has_value());
    return *critical;
  }

  static void expect(bool is_pair_of_gradient) {
    if (!is_pair_of_gradient)
      throw Error(ErrorCode::bad_option, "the pairs are not those of the gradient's critical cells");
  }

  const Gradient<Dim>& gradient_;
  UpwardPartners<Dim> partners_;
  CriticalPairs<Dim> pairs_;
  CriticalPairs<Dim> pairs_below_;
  uint32_t dimension_;
  StopCheck check_;
};

/// Every critical cell is in one pair, and pairs have its highest vertex.
template <int Dim>
void check_persistence(const Gradient<Dim>& gradient, const Persistence& persistence) {
  std::array<std::vector<bool>, Dim + 1> is_paired;
  for (int d = 0; d <= Dim; ++d)
    is_paired[static_cast<size_t>(d)].assign(gradient.critical_cells(d).size(), false);
  const auto take = [&](uint32_t dimension, uint32_t number, VertexId highest) {
    const bool is_there = dimension <= Dim && number < is_paired[dimension].size() &&
                          !is_paired[dimension][number] &&
                          gradient.critical_cells(static_cast<int>(dimension))[number].highest == highest;
    if (!is_there)
      throw Error(ErrorCode::bad_option, "the pairs are not those of the gradient's critical cells");
    is_paired[dimension][number] = true;
  };
  for (const PersistencePair& pair : persistence.pairs) {
    take(pair.dimension, pair.birth, pair.birth_vertex);
    if (pair.is_finite()) take(pair.dimension + 1, pair.death, pair.death_vertex);
  }
}

template <int Dim>
void check_pair(const Persistence& persistence, uint32_t number) {
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorCode::bad_option, "pair " + std::to_string(number) + " " + what);
  };
  if (number >= persistence.pairs.size())
    refuse("is not there; there are " + std::to_string(persistence.pairs.size()));
  const uint32_t dimension = persistence.pairs[number].dimension;
  if (dimension == 0 || dimension >= Dim)
    refuse("has a class of dimension " + std::to_string(dimension) + ", which is a piece and no cycle");
}

}  // namespace

template <int Dim>
PersistentGenerators compute_generators(const Gradient<Dim>& gradient, const Persistence& persistence,
                                        std::span<const uint32_t> pairs, const GeneratorsOptions& options) {
  const Monitor& monitor = monitor_of(options.monitor);
  for (const uint32_t number : pairs) check_pair<Dim>(persistence, number);
  check_persistence(gradient, persistence);
  std::array<std::optional<CycleFinder<Dim>>, Dim> finders;  // by dimension, as they are needed
  PersistentGenerators result;
  for (size_t i = 0; i < pairs.size(); ++i) {
    monitor.update("finding cycles", static_cast<double>(i) / static_cast<double>(pairs.size()));
    const PersistencePair& pair = persistence.pairs[pairs[i]];
    auto& finder = finders[pair.dimension];
    if (!finder) finder.emplace(gradient, persistence, pair.dimension, monitor);
    for (const auto& cell : finder->run(pair)) {
      result.cells.add({cell.vertices.data(), cell.size});
      result.pairs.push_back(pairs[i]);
    }
  }
  monitor.update("finding cycles", 1);
  return result;
}

template PersistentGenerators compute_generators(const Gradient<2>&, const Persistence&,
                                                 std::span<const uint32_t>, const GeneratorsOptions&);
template PersistentGenerators compute_generators(const Gradient<3>&, const Persistence&,
                                                 std::span<const uint32_t>, const GeneratorsOptions&);

}  // namespace tessera
