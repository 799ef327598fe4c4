#include <tessera/topology/simplification.h>

#include <cmath>
#include <memory>

#include <tessera/core/detail/monitor.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/for_each.h>
#include <tessera/topology/detail/critical_numbers.h>
#include <tessera/topology/detail/grid_gradient.h>
#include <tessera/topology/detail/turned_flow.h>
#include <tessera/topology/detail/wall_search.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;

constexpr uint32_t none = PersistencePair::none;

/// Error(bad_option) unless the pairs can be of the gradient's critical cells.
template <int Dim>
void check_pairs(const Persistence& persistence, const Gradient<Dim>& gradient) {
  const auto has = [&](std::uint32_t dimension, uint32_t number) {
    return dimension <= Dim && number < gradient.critical_cells(static_cast<int>(dimension)).size();
  };
  for (const PersistencePair& pair : persistence.pairs) {
    if (has(pair.dimension, pair.birth) && (!pair.is_finite() || has(pair.dimension + 1, pair.death)))
      continue;
    throw Error(ErrorCode::bad_option, "the persistence is of another gradient: a pair of dimension " +
                                           std::to_string(pair.dimension) +
                                           " names a critical cell that there is not");
  }
}

/// Extrema and those they were merged into; one more stands for outside.
class Heirs {
 public:
  explicit Heirs(size_t extrema) : heirs_(extrema + 1) {
    for (uint32_t i = 0; i < heirs_.size(); ++i) heirs_[i] = i;
  }
  [[nodiscard]] uint32_t outside() const { return static_cast<uint32_t>(heirs_.size() - 1); }
  uint32_t last(uint32_t i) {
    while (heirs_[i] != i) i = heirs_[i] = heirs_[heirs_[i]];
    return i;
  }
  void leave(uint32_t extremum, uint32_t heir) { heirs_[extremum] = heir; }
  /// The label of a region, -1 outside.
  std::int32_t label(std::int32_t old) {
    const uint32_t heir = old < 0 ? outside() : last(static_cast<uint32_t>(old));
    return heir == outside() ? -1 : static_cast<std::int32_t>(heir);
  }

 private:
  std::vector<uint32_t> heirs_;
};

/// Paths of a few saddles, in their order.
struct Part {
  Separatrices paths;

  void end_path(const Separatrices::Ends& ends) {
    paths.ends.push_back(ends);
    paths.offsets.push_back(checked_offset(paths.cells.size()));
  }
  void drop_path() { paths.cells.resize(paths.offsets.back()); }
};

void append(Separatrices& all, const Separatrices& part) {
  const std::uint64_t before = all.offsets.back();
  for (size_t s = 0; s < part.ends.size(); ++s) {
    all.offsets.push_back(checked_offset(before + part.offsets[s + 1]));
    ++all.counts[static_cast<size_t>(part.ends[s].type)];
  }
  all.ends.insert(all.ends.end(), part.ends.begin(), part.ends.end());
  all.cells.insert(all.cells.end(), part.cells.begin(), part.cells.end());
}

template <class Source, int Dim = Source::dim>
class Simplifier {
 public:
  Simplifier(const Source& gradient, const MorseSmaleComplex<Dim>& complex, const Persistence& persistence,
             double threshold, const SimplifyOptions& options)
      : complex_(complex),
        gradient_(gradient),
        persistence_(persistence),
        threads_(options.exec.threads()),
        monitor_(monitor_of(options.monitor)),
        descending_(gradient_),
        ascending_(gradient_),
        minima_(gradient_.critical_cells(0).size()),
        maxima_(gradient_.critical_cells(Dim).size()) {
    result_.threshold = threshold;
    for (int d = 0; d <= Dim; ++d)
      cancelled_[static_cast<size_t>(d)].assign(gradient_.critical_cells(d).size(), false);
  }

  SimplifiedComplex run() {
    report(0);
    cancel_minima();
    report(0.1);
    cancel_maxima();
    report(0.2);
    if constexpr (Dim == 3) cancel_saddles();
    list_critical();
    trace_separatrices();
    report(0.9);
    if (!complex_.segmentation.descending.empty()) relabel();
    report(1);
    return std::move(result_);
  }

 private:
  void report(double fraction) const { monitor_.update("simplifying", fraction); }
  [[nodiscard]] std::span<const CriticalCell> cells(int dimension) const {
    return gradient_.critical_cells(dimension);
  }

  /// Those to be cancelled, in the order in which classes are born.
  [[nodiscard]] std::vector<PersistencePair> pairs_below(uint32_t dimension) const {
    std::vector<PersistencePair> pairs;
    for (const PersistencePair& pair : persistence_.pairs) {
      if (pair.dimension != dimension || !pair.is_finite()) continue;
      if (pair.persistence() < result_.threshold) pairs.push_back(pair);
    }
    return pairs;
  }
  void cancel(const PersistencePair& pair) {
    cancelled_[pair.dimension][pair.birth] = true;
    cancelled_[pair.dimension + 1][pair.death] = true;
  }

  /// From the lowest saddle up: what a minimum has merged with below its saddle is then in its region.
  void cancel_minima() {
    auto pairs = pairs_below(0);
    const auto key = [&](const PersistencePair& pair) {
      const CriticalCell& edge = cells(1)[pair.death];
      const tiled::VertexId highest = gradient_.highest(edge);
      const tiled::VertexId other(gradient_.neighbour(highest, gradient_.place(edge)));
      return std::pair{gradient_.order(highest), gradient_.order(other)};
    };
    std::sort(pairs.begin(), pairs.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
    const CriticalNumbers numbers(cells(0));
    for (const PersistencePair& pair : pairs) {
      cancel_extremum(descending_, minima_, numbers, pair, {pair.death, pair.birth});
    }
  }

  /// From the highest facet down.
  void cancel_maxima() {
    auto pairs = pairs_below(Dim - 1);
    std::reverse(pairs.begin(), pairs.end());
    const CriticalNumbers numbers(cells(Dim));
    for (const PersistencePair& pair : pairs) {
      cancel_extremum(ascending_, maxima_, numbers, pair, {pair.birth, pair.death});
    }
  }

  struct Ends {
    uint32_t saddle;  ///< numbers
    uint32_t extremum;
  };
  template <class Flow>
  void cancel_extremum(TurnedFlow<Flow>& flow, Heirs& heirs, const CriticalNumbers& numbers,
                       const PersistencePair& pair, const Ends& ends) {
    uint32_t near = none;
    uint32_t far = none;
    uint32_t heir = heirs.outside();
    size_t ways = 0;
    for (const uint32_t start : flow.starts(ends.saddle)) {
      const uint32_t end = flow.first_end(start);
      const uint32_t last = end == none ? heirs.outside() : heirs.last(numbers[end]);
      if (last == ends.extremum) {
        near = start;
        ++ways;
      } else if (far == none) {
        far = start;
        heir = last;
      }
    }
    if (ways != 1) {
      ++result_.kept;
      return;
    }
    flow.turn(cells(Flow::dimension == 0 ? 1 : Dim - 1)[ends.saddle].name, near, far);
    heirs.leave(ends.extremum, heir);
    cancel(pair);
  }

  void cancel_saddles() requires(Dim == 3) {
    walls_.emplace(gradient_);
    auto waiting = pairs_below(1);
    std::stable_sort(waiting.begin(), waiting.end(),
                     [](const auto& a, const auto& b) { return a.persistence() < b.persistence(); });
    WallSearch<Source> search(gradient_, *walls_);
    for (bool has_helped = true; has_helped && !waiting.empty();) {
      has_helped = false;
      std::vector<PersistencePair> still;
      for (size_t i = 0; i < waiting.size(); ++i) {
        if (i % 64 == 0) report(0.2);
        const RowTriangle saddle = gradient_.row_triangle(cells(2)[waiting[i].death]);
        const auto path = search.find_only_path(saddle, cells(1)[waiting[i].birth].name.id);
        if (path.has_value()) {
          walls_->turn(saddle, *path);
          cancel(waiting[i]);
          has_helped = true;
        } else {
          still.push_back(waiting[i]);
        }
      }
      waiting = std::move(still);
    }
    result_.kept += waiting.size();
  }

  void list_critical() {
    for (size_t d = 0; d <= Dim; ++d) {
      for (uint32_t i = 0; i < cancelled_[d].size(); ++i) {
        if (!cancelled_[d][i]) result_.critical[d].push_back(i);
      }
    }
  }

  void trace_separatrices() {
    const auto has = [&](SeparatrixType type) { return complex_.separatrices.count(type) > 0; };
    if (has(SeparatrixType::descending)) {
      const CriticalNumbers numbers(cells(0));
      trace(1, [&](uint32_t i, int, Part& part) {
        trace_paths(descending_, numbers, {SeparatrixType::descending, i, 0}, part);
      });
    }
    if constexpr (Dim == 3) {
      if (has(SeparatrixType::connector)) trace_connectors();
    }
    if (has(SeparatrixType::ascending)) {
      const CriticalNumbers numbers(cells(Dim));
      trace(Dim - 1, [&](uint32_t i, int, Part& part) {
        trace_paths(ascending_, numbers, {SeparatrixType::ascending, i, 0}, part);
      });
    }
  }

  /// Calls f(saddle, worker, part) for the critical cells that are left and joins the parts in order.
  template <class F>
  void trace(int dimension, const F& f) {
    constexpr size_t chunk = 32;
    const auto& saddles = result_.critical[static_cast<size_t>(dimension)];
    std::vector<Part> parts((saddles.size() + chunk - 1) / chunk);
    host::for_each_chunk(threads_, saddles.size(), chunk, [&](host::Range range, int worker) {
      for (size_t i = range.begin; i < range.end; ++i) {
        if (monitor_.is_stopped()) return;
        f(saddles[i], worker, parts[range.begin / chunk]);
      }
    });
    report(0.5);
    for (const Part& part : parts) append(result_.separatrices, part.paths);
  }

  template <class Flow>
  void trace_paths(const TurnedFlow<Flow>& flow, const CriticalNumbers& numbers, Separatrices::Ends ends,
                   Part& part) const {
    const bool is_down = ends.type == SeparatrixType::descending;
    const CriticalCell& saddle = cells(is_down ? 1 : Dim - 1)[ends.source];
    for (const uint32_t start : flow.starts(ends.source)) {
      part.paths.cells.push_back(saddle.name);
      uint32_t at = start;
      part.paths.cells.push_back({at, 0, Flow::dimension});
      for (auto step = flow.step(at); step.has_value(); step = flow.step(at)) {
        at = step->next;
        if (at == none) break;
        part.paths.cells.push_back(step->via);
        part.paths.cells.push_back({at, 0, Flow::dimension});
      }
      if (at == none) {  // through the boundary
        part.drop_path();
      } else {
        ends.destination = numbers[at];
        part.end_path(ends);
      }
    }
  }

  void trace_connectors() requires(Dim == 3) {
    const CriticalNumbers numbers(cells(1));
    std::vector<std::unique_ptr<WallSearch<Source>>> searches(static_cast<size_t>(threads_));
    trace(2, [&](uint32_t number, int worker, Part& part) {
      auto& search = searches[static_cast<size_t>(worker)];
      if (search == nullptr) search = std::make_unique<WallSearch<Source>>(gradient_, *walls_);
      const CriticalCell& saddle = cells(2)[number];
      search->find_all(gradient_.row_triangle(saddle));
      for (uint32_t i = 0; i < search->met().size(); ++i) {
        const WallEdge& edge = search->met()[i].at;
        if (walls_->is_lowest(edge) || walls_->triangle_of(edge).has_value()) continue;
        const uint32_t source = numbers[edge.edge];
        if (cancelled_[1][source]) continue;
        write_connector(*search, i, saddle.name, part);
        part.end_path({SeparatrixType::connector, source, number});
      }
    });
  }

  void write_connector(const WallSearch<Source>& search, uint32_t end, const CellName& saddle,
                       Part& part) const {
    part.paths.cells.push_back({search.met()[end].at.edge, 0, 1});
    for (uint32_t i = search.met()[end].parent; i != none; i = search.met()[i].parent) {
      const WallEdge& edge = search.met()[i].at;
      part.paths.cells.push_back(gradient_.name_of(*walls_->triangle_of(edge)));
      part.paths.cells.push_back({edge.edge, 0, 1});
    }
    part.paths.cells.push_back(saddle);
  }

  void relabel() {
    const Segmentation& old = complex_.segmentation;
    Segmentation& labels = result_.segmentation;
    const size_t n = old.descending.size();
    const auto regions = pair_regions();
    std::vector<std::int32_t> of_minima(cells(0).size());
    std::vector<std::int32_t> of_maxima(cells(Dim).size());
    for (size_t i = 0; i < of_minima.size(); ++i) of_minima[i] = minima_.label(static_cast<std::int32_t>(i));
    for (size_t i = 0; i < of_maxima.size(); ++i) of_maxima[i] = maxima_.label(static_cast<std::int32_t>(i));
    const auto look_up = [](const std::vector<std::int32_t>& table, std::int32_t label) {
      return label < 0 ? -1 : table[static_cast<size_t>(label)];
    };
    labels.descending.resize(n);
    labels.ascending.resize(n);
    labels.morse_smale.resize(n);
    host_for_each(Exec::host(threads_), n, [&](size_t v) {
      labels.descending[v] = look_up(of_minima, old.descending[v]);
      labels.ascending[v] = look_up(of_maxima, old.ascending[v]);
      labels.morse_smale[v] = look_up(regions.labels, old.morse_smale[v]);
    });
    labels.count = {count_labels(old.ascending, of_maxima), count_labels(old.descending, of_minima),
                    regions.count};
  }

  struct Regions {
    std::vector<std::int32_t> labels;  ///< by old label
    size_t count;
  };
  /// Regions of a minimum and a maximum, numbered by these pairs.
  [[nodiscard]] Regions pair_regions() {
    using Extrema = std::pair<std::int32_t, std::int32_t>;
    const Segmentation& old = complex_.segmentation;
    std::vector<Extrema> extrema(old.count.morse_smale);
    for (size_t v = 0; v < old.morse_smale.size(); ++v) {
      if (old.morse_smale[v] >= 0)
        extrema[static_cast<size_t>(old.morse_smale[v])] = {old.descending[v], old.ascending[v]};
    }
    std::vector<Extrema> found;
    for (Extrema& pair : extrema) {
      pair = {minima_.label(pair.first), maxima_.label(pair.second)};
      if (pair.second >= 0) found.push_back(pair);
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    Regions regions{{}, found.size()};
    for (const Extrema& pair : extrema) {
      const auto at = std::lower_bound(found.begin(), found.end(), pair);
      regions.labels.push_back(pair.second < 0 ? -1 : static_cast<std::int32_t>(at - found.begin()));
    }
    return regions;
  }

  static size_t count_labels(const Array<std::int32_t>& old, const std::vector<std::int32_t>& table) {
    std::vector<bool> is_used(table.size(), false);
    for (const std::int32_t label : old) {
      const std::int32_t heir = label < 0 ? -1 : table[static_cast<size_t>(label)];
      if (heir >= 0) is_used[static_cast<size_t>(heir)] = true;
    }
    return static_cast<size_t>(std::count(is_used.begin(), is_used.end(), true));
  }

  const MorseSmaleComplex<Dim>& complex_;
  const Source& gradient_;
  const Persistence& persistence_;
  int threads_;
  const Monitor& monitor_;
  TurnedFlow<DescendingFlow<Source>> descending_;
  TurnedFlow<AscendingFlow<Source>> ascending_;
  std::optional<TurnedWalls<Source>> walls_;  // of tetrahedra
  Heirs minima_;
  Heirs maxima_;
  std::array<std::vector<bool>, Dim + 1> cancelled_;
  SimplifiedComplex result_;
};

}  // namespace

bool SimplifiedComplex::is_left(int dimension, uint32_t number) const {
  const auto& numbers = critical[static_cast<size_t>(dimension)];
  return std::binary_search(numbers.begin(), numbers.end(), number);
}

template <int Dim>
SimplifiedComplex simplify(const MorseSmaleComplex<Dim>& complex, const Persistence& persistence,
                           double threshold, const SimplifyOptions& options) {
  if (std::isnan(threshold))
    throw Error(ErrorCode::bad_option, "the threshold of the simplification is not a number");
  return complex.gradient.visit([&]<class Source>(const Source& gradient) {
    gradient.expect_paths();
    check_pairs(persistence, complex.gradient);
    return Simplifier<Source>(gradient, complex, persistence, threshold, options).run();
  });
}

template <int Dim>
CriticalPoints filter_critical_points(const CriticalPoints& points, const Gradient<Dim>& gradient,
                                      const SimplifiedComplex& simplified) {
  if (!(simplified.threshold > 0)) return points;
  std::vector<VertexId> vertices;
  for (int d = 0; d <= Dim; ++d) {
    for (const uint32_t i : simplified.critical[static_cast<size_t>(d)]) {
      vertices.push_back(gradient.critical_cells(d)[i].highest);
    }
  }
  std::sort(vertices.begin(), vertices.end());
  CriticalPoints left;
  for (const CriticalPoint& point : points.points) {
    if (!std::binary_search(vertices.begin(), vertices.end(), point.vertex)) continue;
    left.points.push_back(point);
    ++left.counts[static_cast<size_t>(point.type)];
  }
  return left;
}

template SimplifiedComplex simplify(const MorseSmaleComplex<2>&, const Persistence&, double,
                                    const SimplifyOptions&);
template SimplifiedComplex simplify(const MorseSmaleComplex<3>&, const Persistence&, double,
                                    const SimplifyOptions&);
template CriticalPoints filter_critical_points(const CriticalPoints&, const Gradient<2>&,
                                               const SimplifiedComplex&);
template CriticalPoints filter_critical_points(const CriticalPoints&, const Gradient<3>&,
                                               const SimplifiedComplex&);

}  // namespace tessera
