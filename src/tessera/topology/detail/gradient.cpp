#include <tessera/topology/gradient.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include <tessera/core/config.h>
#include <tessera/core/csr.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/for_each.h>
#include <tessera/exec/primitives.h>
#include <tessera/topology/detail/cuda/analyses.h>
#include <tessera/topology/detail/lower_star.h>
#include <tessera/topology/detail/star_source.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;
using std::uint8_t;

constexpr uint32_t far_place = 254;  // from here on places are kept aside

}  // namespace

/// Works out lower stars in parallel, each worker into its own arrays, and puts their rows together.
template <int Dim>
class GradientBuilder {
 public:
  GradientBuilder(const TiledMesh<Dim>& tiles, const GradientOptions<Dim>& options)
      : tiles_(tiles), options_(options), exec_(Exec::host(options.exec.threads())) {
    report(0);
    result_.tiles_ = &tiles;
    for (int i = 0; i < exec_.threads(); ++i) workers_.push_back(std::make_unique<Worker>());
  }

  Gradient<Dim> run(const Field& field) {
    if constexpr (built_with_cuda) {
      if (options_.exec.is_cuda() && options_.rows == nullptr) return run_on_device(field);
    }
    result_.order_ = compute_order(tiles_, field, exec_);
    // A mesh has about seven edges a vertex; growing arrays would be held twice.
    const size_t expected = 8 * tiles_.vertex_count() / static_cast<size_t>(exec_.threads());
    for (const auto& worker : workers_) {
      worker->lower.reserve(expected);
      worker->partners.reserve(expected);
    }
    result_.opposite_.resize(tiles_.cell_count());
    if (options_.keep_paths) {
      result_.next_.resize(tiles_.cell_count());
      result_.first_cells_.resize(tiles_.vertex_count());
    }
    result_.offsets_.resize(tiles_.vertex_count() + 1);
    for_each_star(
        tiles_, result_.order_, options_.rows, exec_, options_.monitor,
        [&](int worker, const auto& stars) { visit(*workers_[static_cast<size_t>(worker)], stars); });
    report(0.8);
    join_rows();
    join_critical_cells();
    join_branches();
    report(1);
    return std::move(result_);
  }

 private:
  /// Rows of consecutive vertices in a worker's arrays.
  struct Run {
    uint32_t first_vertex;
    uint32_t end_vertex;
    size_t begin;
  };
  struct Worker {
    LowerStar<Dim> star;
    std::vector<Run> runs;
    Array<uint32_t> lower;
    Array<uint8_t> partners;
    std::vector<std::pair<VertexId, std::pair<uint32_t, uint32_t>>> far_partners;
    std::array<std::vector<CriticalCell>, 4> critical;
    std::vector<Branch> branches;
  };

  void report(double fraction) const {
    if (options_.monitor != nullptr) options_.monitor->update("computing the gradient", fraction);
  }

  /// The device does most tiles, the host those that it leaves.
  Gradient<Dim> run_on_device(const Field& field) {
    const auto tiles = device_tiles(tiles_, options_.exec);
    Buffer<VertexOrderKey> order = cuda::compute_order(options_.exec, tiles_, *tiles, field);
    cuda::GradientFinder<Dim> finder(*tiles, order, options_.keep_paths);
    const Array<VertexRange>& left = finder.left();
    report(0.4);
    result_.order_ = OrderArray(order.to_host());
    result_.opposite_ = finder.unfinished().opposite.to_host();
    if (options_.fetch_paths || !left.empty()) {
      result_.next_ = finder.unfinished().next.to_host();
      result_.first_cells_ = finder.unfinished().first_cells.to_host();
    }
    result_.offsets_.resize(tiles_.vertex_count() + 1);
    for_each_star(tiles_, result_.order_, left, exec_, options_.monitor, [&](int worker, const auto& stars) {
      visit(*workers_[static_cast<size_t>(worker)], stars);
    });
    Array<uint32_t> host_rows;  // entries by range
    Array<uint32_t> counts;     // by vertex of these ranges
    for (const VertexRange& owned : left) {
      host_rows.push_back(0);
      for (uint32_t v = owned.begin; v < owned.end; ++v) {
        host_rows.back() += result_.offsets_[v];
        counts.push_back(result_.offsets_[v]);
      }
    }
    auto device = std::make_shared<cuda::DeviceGradient<Dim>>(finder.finish(host_rows));
    report(0.6);
    result_.offsets_ = device->offsets.to_host();
    result_.lower_ = device->lower.to_host();
    result_.partners_ = device->partners.to_host();
    size_t at = 0;
    for (size_t i = 0; i < left.size(); ++i) {
      uint32_t begin = finder.first_rows()[i];
      for (uint32_t v = left[i].begin; v < left[i].end; ++v) {
        result_.offsets_[v] = begin;
        begin += counts[at++];
      }
    }
    place_rows();
    const Array<cuda::FoundCell>& found = finder.critical_cells();
    host::for_each_chunk(exec_.threads(), found.size(), 4096, [&](host::Range range, int worker) {
      for (size_t i = range.begin; i < range.end; ++i)
        take(found[i], left, *workers_[static_cast<size_t>(worker)]);
    });
    join_critical_cells();
    join_branches();
    const auto is_small = [](uint32_t row) { return row <= far_place; };  // its places are kept in a byte
    if (options_.keep_paths && std::all_of(counts.begin(), counts.end(), is_small)) {
      if (!left.empty()) complete(*device);
      device->tiles = tiles;
      device->order = std::move(order);
      result_.device_ = std::move(device);
    }
    report(1);
    return std::move(result_);
  }

  /// Gives the device the host's part of the gradient too. Copies all of it, which is less than the host
  /// would need for what the device can do then.
  void complete(cuda::DeviceGradient<Dim>& device) const {
    device.offsets.assign(result_.offsets_);
    device.lower.assign(result_.lower_);
    device.partners.assign(result_.partners_);
    device.opposite.assign(result_.opposite_);
    device.next.assign(result_.next_);
    device.first_cells.assign(result_.first_cells_);
  }

  void take(const cuda::FoundCell& cell, const Array<VertexRange>& left, Worker& worker) const {
    if (cuda::is_in(left, cell.highest)) return;
    const VertexId highest(cell.highest);
    CriticalCell taken{{cell.id, cell.low, cell.dimension}, highest, {}};
    for (const uint32_t coface : cell.cofaces) {
      if (coface != Gradient<Dim>::none) taken.cofaces.push_back(coface);
    }
    std::sort(taken.cofaces.begin(), taken.cofaces.end(),
              [&](uint32_t a, uint32_t b) { return input(a) < input(b); });
    worker.critical[cell.dimension].push_back(std::move(taken));
  }

  template <class Stars>
  void visit(Worker& worker, const Stars& stars) {
    const uint32_t v = stars.center().index();
    worker.star.process(stars, options_.keep_paths);
    const LowerStarResult<Dim>& star = worker.star.result();
    result_.offsets_[v] = static_cast<uint32_t>(star.lower.size());
    if (worker.runs.empty() || worker.runs.back().end_vertex != v)
      worker.runs.push_back({v, v, worker.lower.size()});
    worker.runs.back().end_vertex = v + 1;
    if (star.lower.empty()) worker.critical[0].push_back({{v, 0, 0}, VertexId(v), {}});
    write_edges(worker, stars);
    write_cells(worker, stars);
    if (options_.keep_paths) result_.first_cells_[v] = first_cell(stars);
  }

  template <class Stars>
  [[nodiscard]] uint32_t first_cell(const Stars& stars) const {
    using CellId = typename TiledMesh<Dim>::CellId;
    uint32_t first = Gradient<Dim>::none;
    CellId lowest;
    for (const auto& cell : stars.star()) {
      const uint32_t id = stars.cell_id(cell.cell);
      const CellId input = tiles_.to_input(CellId(id));
      if (first != Gradient<Dim>::none && !(input < lowest)) continue;
      first = id;
      lowest = input;
      if (tiles_.keeps_cell_order()) break;  // stars ascend
    }
    return first;
  }

  template <class Stars>
  void write_edges(Worker& worker, const Stars& stars) {
    const LowerStarResult<Dim>& star = worker.star.result();
    const auto cofaces = [&](std::initializer_list<uint32_t> ranks) {
      std::vector<uint32_t> cells;
      for (const auto& cell : stars.star()) {
        const auto has = [&](uint32_t r) {
          return std::find(cell.others.begin(), cell.others.end(), star.lower[r]) != cell.others.end();
        };
        if (std::all_of(ranks.begin(), ranks.end(), has)) cells.push_back(stars.cell_id(cell.cell));
      }
      std::sort(cells.begin(), cells.end(), [&](uint32_t a, uint32_t b) { return input(a) < input(b); });
      return cells;
    };
    const size_t begin = worker.lower.size();
    worker.lower.resize(begin + star.lower.size());
    worker.partners.resize(begin + star.lower.size());
    uint32_t* const lower = worker.lower.data() + begin;
    uint8_t* const partners = worker.partners.data() + begin;
    for (uint32_t r = 0; r < star.lower.size(); ++r) lower[r] = stars.vertex_id(star.lower[r]);
    if (!star.lower.empty()) partners[0] = 0;
    for (uint32_t r = 1; r < star.lower.size(); ++r) {
      const uint32_t third = star.partners[r];
      partners[r] = static_cast<uint8_t>(std::min(third, far_place));
      if (third < far_place) continue;
      if (third == star.none) {
        partners[r] = Gradient<Dim>::critical;
        worker.critical[1].push_back(
            {{r, 0, 1}, stars.center(), Dim == 2 ? cofaces({r}) : std::vector<uint32_t>{}});
      } else {
        worker.far_partners.push_back({stars.center(), {r, third}});
      }
    }
    for (const auto& face : star.critical_faces) {
      worker.critical[2].push_back(
          {{face.high, face.low, 2}, stars.center(), cofaces({face.high, face.low})});
    }
  }

  template <class Stars>
  void write_cells(Worker& worker, const Stars& stars) {
    for (const auto& top : worker.star.result().tops) {
      const uint32_t id = stars.cell_id(top.cell);
      if (options_.keep_paths) {
        result_.next_[id] = top.has_choice                     ? choose_beyond(worker, top, stars)
                            : top.next == LowerStar<Dim>::none ? Gradient<Dim>::none
                                                               : stars.cell_id(top.next);
      }
      if (top.opposite == LowerStar<Dim>::none) {
        result_.opposite_[id] = Gradient<Dim>::critical;
        worker.critical[Dim].push_back({{id, 0, Dim}, stars.center(), {}});
        continue;
      }
      const auto& corners = stars.corners(top.cell);
      const uint32_t opposite = worker.star.result().lower[top.opposite];
      uint32_t corner = 0;  // without branches
      for (uint32_t k = 1; k <= Dim; ++k) corner += corners[k] == opposite ? k : 0;
      result_.opposite_[id] = static_cast<uint8_t>(corner);
    }
  }

  [[nodiscard]] auto input(uint32_t cell) const {
    return tiles_.to_input(typename TiledMesh<Dim>::CellId(cell));
  }

  /// Notes the cells beyond the facet of a top cell, which are several, and gives that with the lowest input
  /// id.
  template <class Stars>
  uint32_t choose_beyond(Worker& worker, const auto& top, const Stars& stars) const {
    const LowerStarResult<Dim>& star = worker.star.result();
    Branch branch{stars.cell_id(top.cell), {}};
    for (const auto& cell : stars.star()) {
      const auto& others = cell.others;
      const bool has_facet = std::all_of(top.ranks.begin(), top.ranks.end(), [&](uint32_t r) {
        return r == top.opposite || std::find(others.begin(), others.end(), star.lower[r]) != others.end();
      });
      if (has_facet && cell.cell != top.cell) branch.others.push_back(stars.cell_id(cell.cell));
    }
    std::sort(branch.others.begin(), branch.others.end());
    worker.branches.push_back(branch);
    return *std::min_element(branch.others.begin(), branch.others.end(),
                             [&](uint32_t c, uint32_t d) { return input(c) < input(d); });
  }

  void join_rows() {
    size_t edges = 0;
    for (const auto& worker : workers_) edges += worker->lower.size();
    (void)checked_offset(edges);
    result_.offsets_.back() = 0;
    exclusive_scan<uint32_t, uint32_t>(exec_, result_.offsets_, result_.offsets_);
    result_.lower_.resize(edges);
    result_.partners_.resize(edges);
    place_rows();
  }

  /// Moves the workers' rows to where the offsets say.
  void place_rows() {
    host::run_workers(exec_.threads(), [&](int w) {
      Worker& worker = *workers_[static_cast<size_t>(w)];
      for (const Run& run : worker.runs) {
        const uint32_t to = result_.offsets_[run.first_vertex];
        const uint32_t size = result_.offsets_[run.end_vertex] - to;
        std::copy_n(worker.lower.begin() + run.begin, size, result_.lower_.begin() + to);
        std::copy_n(worker.partners.begin() + run.begin, size, result_.partners_.begin() + to);
      }
      worker.lower = {};
      worker.partners = {};
    });
    for (const auto& worker : workers_) {
      for (const auto& [v, partner] : worker->far_partners) {
        result_.far_partners_.emplace_back(result_.offsets_[v.index()] + partner.first, partner.second);
      }
    }
    std::sort(result_.far_partners_.begin(), result_.far_partners_.end());
  }

  void join_critical_cells() {
    for (size_t d = 0; d <= Dim; ++d) join_critical_cells(d);
  }

  /// Names of edges and faces are places in the row of their vertex until the rows have theirs.
  void join_critical_cells(size_t d) {
    std::vector<CriticalCell*> cells;
    for (const auto& worker : workers_) {
      for (CriticalCell& cell : worker->critical[d]) cells.push_back(&cell);
    }
    Array<std::array<uint32_t, 3>> keys(cells.size());
    host_for_each(exec_, cells.size(), [&](size_t i) {
      if (d > 0 && d < Dim) cells[i]->name.id += result_.first_edge(cells[i]->highest);
      keys[i] = sort_key(*cells[i]);
    });
    // By the last of the ids that order them first: sorts are stable.
    Array<uint32_t> order(cells.size());
    std::iota(order.begin(), order.end(), 0u);
    Array<uint32_t> word(cells.size());
    const int bits = bits_in_use(std::max(tiles_.vertex_count(), tiles_.cell_count()));
    for (size_t k = d < Dim ? d + 1 : 1; k-- > 0;) {
      host_for_each(exec_, cells.size(), [&](size_t i) { word[i] = keys[order[i]][k]; });
      sort_pairs<uint32_t, uint32_t>(exec_, word, order, bits);
    }
    result_.critical_[d].resize(cells.size());
    host_for_each(exec_, cells.size(),
                  [&](size_t i) { result_.critical_[d][i] = std::move(*cells[order[i]]); });
    for (const auto& worker : workers_) worker->critical[d] = {};
  }

  void join_branches() {
    for (const auto& worker : workers_)
      result_.branches_.insert(result_.branches_.end(), worker->branches.begin(), worker->branches.end());
    std::sort(result_.branches_.begin(), result_.branches_.end(),
              [](const Branch& a, const Branch& b) { return a.cell < b.cell; });
  }

  /// Input ids that order the critical cells of a dimension.
  [[nodiscard]] std::array<uint32_t, 3> sort_key(const CriticalCell& cell) const {
    const CellName& name = cell.name;
    if (name.dimension == Dim) return {input(name.id).index()};
    if (name.dimension == 0) return {tiles_.to_input(VertexId(name.id)).index()};
    const uint32_t v = cell.highest.index();
    const auto simplex =
        name.dimension == 1
            ? result_.to_input(std::array{v, result_.lower_[name.id]})
            : result_.to_input(std::array{v, result_.lower_[name.id], result_.lower(cell.highest)[name.low]});
    std::array<uint32_t, 3> key = {};
    for (size_t k = 0; k < simplex.size; ++k) key[k] = simplex.vertices[k].index();
    return key;
  }

  const TiledMesh<Dim>& tiles_;
  const GradientOptions<Dim>& options_;
  Exec exec_;
  std::vector<std::unique_ptr<Worker>> workers_;
  Gradient<Dim> result_;
};

template <int Dim>
uint32_t Gradient<Dim>::place_of(VertexId a, VertexId b) const {
  const auto row = lower(a);
  const auto at = std::find(row.begin(), row.end(), b.index());
  return at == row.end() ? none : static_cast<uint32_t>(at - row.begin());
}

template <int Dim>
uint32_t Gradient<Dim>::triangle_of(VertexId v, uint32_t place) const {
  const uint32_t edge = first_edge(v) + place;
  if (partners_[edge] == critical) return none;
  if (partners_[edge] < far_place) return partners_[edge];
  return std::lower_bound(far_partners_.begin(), far_partners_.end(), std::pair{edge, 0u})->second;
}

template <int Dim>
typename Gradient<Dim>::Simplex Gradient<Dim>::to_input(std::span<const uint32_t> vertices) const {
  Simplex simplex;
  for (const uint32_t v : vertices) {  // inserted into what is sorted already
    const VertexId input = tiles_->to_input(VertexId(v));
    size_t at = simplex.size++;
    for (; at > 0 && input < simplex.vertices[at - 1]; --at) simplex.vertices[at] = simplex.vertices[at - 1];
    simplex.vertices[at] = input;
  }
  return simplex;
}

template <int Dim>
typename Gradient<Dim>::Simplex Gradient<Dim>::simplex(const CellName& cell) const {
  if (cell.dimension == 0) return to_input(std::array{cell.id});
  if (cell.dimension == Dim) {
    std::array<uint32_t, Dim + 1> corners;
    for (size_t k = 0; k <= Dim; ++k) corners[k] = tiles_->cells()[cell.id][k].index();
    return to_input(corners);
  }
  const VertexId v = highest_of_edge(cell.id);
  if (cell.dimension == 1) return to_input(std::array{v.index(), lower_[cell.id]});
  return to_input(std::array{v.index(), lower_[cell.id], lower(v)[cell.low]});
}

template <int Dim>
CellName Gradient<Dim>::name_of(std::span<const uint32_t> vertices) const {
  std::array<uint32_t, 3> v = {};  // by descending order
  for (size_t i = 0; i < vertices.size(); ++i) {
    size_t at = i;
    for (; at > 0 && order_[VertexId(v[at - 1])] < order_[VertexId(vertices[i])]; --at) v[at] = v[at - 1];
    v[at] = vertices[i];
  }
  if (vertices.size() == 1) return {v[0], 0, 0};
  const uint32_t edge = first_edge(VertexId(v[0])) + place_of(VertexId(v[0]), VertexId(v[1]));
  if (vertices.size() == 2) return {edge, 0, 1};
  return {edge, place_of(VertexId(v[0]), VertexId(v[2])), 2};
}

template <int Dim>
CellName Gradient<Dim>::facet_of(uint32_t cell, size_t corner) const {
  std::array<uint32_t, Dim> vertices;
  size_t at = 0;
  for (size_t k = 0; k <= Dim; ++k) {
    if (k != corner) vertices[at++] = tiles_->cells()[cell][k].index();
  }
  return name_of(vertices);
}

/// The cell with these vertices, all of them, if there is one: cells ascend.
template <int Dim>
std::optional<uint32_t> Gradient<Dim>::find_cell(std::span<const uint32_t> vertices) const {
  typename TiledMesh<Dim>::Cell cell;
  for (size_t k = 0; k <= Dim; ++k) cell[k] = VertexId(vertices[k]);
  std::sort(cell.begin(), cell.end());
  const auto cells = tiles_->cells();
  const auto at = std::lower_bound(cells.begin(), cells.end(), cell);
  if (at == cells.end() || *at != cell) return std::nullopt;
  return static_cast<uint32_t>(at - cells.begin());
}

/// A facet that no edge is paired with: is a cell?
template <int Dim>
std::optional<typename Gradient<Dim>::Simplex> Gradient<Dim>::partner_of_facet(
    std::span<const uint32_t> vertices) const {
  TileView<Dim> view;
  view.load(*tiles_, tiles_->tile_of(VertexId(vertices[0])));
  for (const uint32_t local : view.star(VertexId(vertices[0]))) {
    const uint32_t c = view.cell_id(local);
    if (opposite_[c] == critical) continue;
    std::vector<uint32_t> corners;
    for (const VertexId corner : tiles_->cells()[c]) corners.push_back(corner.index());
    const uint32_t opposite = corners[opposite_[c]];
    const bool has_all = std::all_of(vertices.begin(), vertices.end(), [&](uint32_t u) {
      return u != opposite && std::find(corners.begin(), corners.end(), u) != corners.end();
    });
    if (has_all) return to_input(corners);
  }
  return std::nullopt;
}

template <int Dim>
std::optional<typename Gradient<Dim>::Simplex> Gradient<Dim>::partner(std::span<const VertexId> cell) const {
  TS_EXPECTS(!cell.empty() && cell.size() <= Dim + 1);
  std::vector<uint32_t> v;
  for (const VertexId input : cell) v.push_back(tiles_->from_input(input).index());
  std::sort(v.begin(), v.end(),
            [&](uint32_t a, uint32_t b) { return order_[VertexId(a)] > order_[VertexId(b)]; });
  const VertexId highest(v[0]);
  if (v.size() == 1) {
    if (lower(highest).empty()) return std::nullopt;
    return to_input(std::array{v[0], lower(highest)[0]});
  }
  if (v.size() == Dim + 1) {
    const auto id = find_cell(v);
    TS_EXPECTS(id.has_value());
    if (opposite_[*id] == critical) return std::nullopt;
    std::vector<uint32_t> facet;
    for (size_t k = 0; k <= Dim; ++k) {
      if (k != opposite_[*id]) facet.push_back(tiles_->cells()[*id][k].index());
    }
    return to_input(facet);
  }
  const uint32_t place = place_of(highest, VertexId(v[1]));
  TS_EXPECTS(place != none);
  if (v.size() == 2) {
    if (place == 0) return to_input(std::array{v[0]});
    const uint32_t third = triangle_of(highest, place);
    if (third == none) return std::nullopt;
    return to_input(std::array{v[0], v[1], lower(highest)[third]});
  }
  const uint32_t other = place_of(highest, VertexId(v[2]));
  TS_EXPECTS(other != none);
  if (place > 0 && triangle_of(highest, place) == other) return to_input(std::array{v[0], v[1]});
  if (other > 0 && triangle_of(highest, other) == place) return to_input(std::array{v[0], v[2]});
  return partner_of_facet(v);
}

template <int Dim>
size_t Gradient<Dim>::bytes() const {
  return 4 * (offsets_.size() + lower_.size() + next_.size() + first_cells_.size()) + partners_.size() +
         opposite_.size() + 8 * far_partners_.size();
}

template <int Dim>
Gradient<Dim> compute_gradient(const TiledMesh<Dim>& tiles, const Field& field,
                               const GradientOptions<Dim>& options) {
  return GradientBuilder<Dim>(tiles, options).run(field);
}

template class Gradient<2>;
template class Gradient<3>;
template Gradient<2> compute_gradient(const TiledMesh<2>&, const Field&, const GradientOptions<2>&);
template Gradient<3> compute_gradient(const TiledMesh<3>&, const Field&, const GradientOptions<3>&);

}  // namespace tessera
