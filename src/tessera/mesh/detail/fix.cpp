// fix(): mends what can be mended without guessing. Everything is worked out on a copy of the cells and
// committed at the end, so a mesh is mended completely or not at all.
#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/detail/host_only.h>
#include <tessera/exec/primitives.h>
#include <tessera/mesh/detail/doctor_cells.h>
#include <tessera/mesh/detail/doctor_geometry.h>
#include <tessera/mesh/detail/doctor_links.h>
#include <tessera/mesh/doctor.h>

namespace tessera {

using namespace detail;
namespace {

using doctor::CellState;
using doctor::DisjointSets;
using doctor::PassContext;
using doctor::SortedOut;

using Ids = Array<std::uint32_t>;

void note(std::vector<FixReport::Change>& changes, std::string kind, std::uint64_t count) {
  if (count > 0) changes.push_back({std::move(kind), count});
}

/// How many fields do not have `expected` tuples.
std::uint64_t count_misfits(const FieldSet& fields, std::size_t expected) {
  const auto is_misfit = [&](const Field& field) { return field.size() != expected; };
  return static_cast<std::uint64_t>(std::count_if(fields.begin(), fields.end(), is_misfit));
}

/// Turned over: the last two corners change places.
template <class Cell>
void turn(Cell& cell) {
  std::swap(cell[cell.size() - 2], cell[cell.size() - 1]);
}

template <int Dim>
class Fixer {
 public:
  Fixer(SimplexMesh<Dim>& mesh, const FixOptions& options)
      : mesh_(mesh),
        options_(options),
        context_(host_only(options.exec, "fix()"), options.monitor, 0),
        cells_(mesh.cells),
        keeps_point_(mesh.vertex_count(), 1) {}

  FixReport run() {
    if (options_.drop) drop_cells();
    if (options_.weld) weld();
    if (options_.drop) drop_points();
    if (options_.orient) orient();
    commit();
    return std::move(report_);
  }

 private:
  using Cell = typename SimplexMesh<Dim>::Cell;

  [[nodiscard]] std::size_t vertex_count() const { return mesh_.vertex_count(); }
  [[nodiscard]] SortedOut sort_out() const {
    return doctor::sort_out_cells<Dim>(context_, cells_, vertex_count());
  }

  void drop_cells();
  void weld();
  void drop_points();
  void orient();
  void commit();

  void keep_cells(const Array<std::uint8_t>& keeps);
  void renumber_corners();
  [[nodiscard]] Ids list_kept_points() const;
  [[nodiscard]] std::optional<FieldSet> follow(const FieldSet& fields, std::size_t expected,
                                               const std::optional<Ids>& order) const;

  SimplexMesh<Dim>& mesh_;
  const FixOptions& options_;
  PassContext context_;
  Array<Cell> cells_;                // as they will be, naming the input's points
  std::optional<Ids> cell_order_;    // the input's ids of cells_; none while all are there
  Array<std::uint8_t> keeps_point_;  // one a point of the input
  FixReport report_;
};

/// Keeps the flagged ones of cells_.
template <int Dim>
void Fixer<Dim>::keep_cells(const Array<std::uint8_t>& keeps) {
  Ids kept(cells_.size());
  kept.resize(compact_indices(context_.exec, keeps, kept));
  if (kept.size() == cells_.size()) return;
  Array<Cell> cells(kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i) cells[i] = cells_[kept[i]];
  if (cell_order_) {
    for (std::uint32_t& c : kept) c = (*cell_order_)[c];
  }
  cells_ = std::move(cells);
  cell_order_ = std::move(kept);
}

template <int Dim>
void Fixer<Dim>::drop_cells() {
  const SortedOut sorted = sort_out();
  const auto count = [&](CellState state) {
    return static_cast<std::uint64_t>(std::count(sorted.states.begin(), sorted.states.end(), state));
  };
  struct Lost {
    std::uint64_t without_place = 0;
    std::uint64_t flat = 0;
  } lost;
  Array<std::uint8_t> keeps(cells_.size(), 0);
  mesh_.points.visit([&](auto points) {
    const auto has_place = [&](VertexId v) { return doctor::is_finite(points[v.index()]); };
    doctor::run_pass(
        context_, "measuring cells", cells_.size(), Lost{},
        [&](host::Range range, int, Lost& found) {
          for (std::size_t c = range.begin; c < range.end; ++c) {
            if (!sorted.is_sound(c)) continue;
            const bool is_placed = std::all_of(cells_[c].begin(), cells_[c].end(), has_place);
            const bool is_flat = is_placed && doctor::cell_sign(cells_[c], points) == 0;
            found.without_place += is_placed ? 0 : 1;
            found.flat += is_flat ? 1 : 0;
            keeps[c] = is_placed && !is_flat ? 1 : 0;
          }
        },
        [&](const Lost& found) {
          lost.without_place += found.without_place;
          lost.flat += found.flat;
        });
  });
  note(report_.changes, "dropped_out_of_range_cells", count(CellState::out_of_range));
  note(report_.changes, "dropped_repeated_index_cells", count(CellState::repeated_index));
  note(report_.changes, "dropped_duplicate_cells", count(CellState::duplicate));
  note(report_.changes, "dropped_non_finite_cells", lost.without_place);
  note(report_.changes, "dropped_degenerate_cells", lost.flat);
  keep_cells(keeps);
}

/// Equal points become the first of them. Cells that were sound and now name a point twice or equal an
/// earlier cell go with the points they lost, whether or not anything else is dropped.
template <int Dim>
void Fixer<Dim>::weld() {
  const Ids first = find_first_equals(context_, mesh_.points);
  std::uint64_t welded = 0;
  for (std::size_t v = 0; v < first.size(); ++v) {
    if (first[v] == v) continue;
    keeps_point_[v] = 0;
    ++welded;
  }
  if (welded == 0) return;
  const Array<CellState> before = sort_out().states;
  doctor::for_each_element(context_, "welding points", cells_.size(), [&](std::size_t c) {
    for (VertexId& v : cells_[c]) {
      if (v.index() < first.size()) v = VertexId(first[v.index()]);
    }
  });
  const Array<CellState> after = sort_out().states;
  Array<std::uint8_t> keeps(cells_.size());
  for (std::size_t c = 0; c < keeps.size(); ++c) {
    keeps[c] = before[c] != CellState::sound || after[c] == CellState::sound ? 1 : 0;
  }
  note(report_.changes, "welded_points", welded);
  note(report_.changes, "dropped_collapsed_cells",
       static_cast<std::uint64_t>(std::count(keeps.begin(), keeps.end(), std::uint8_t{0})));
  keep_cells(keeps);
}

template <int Dim>
void Fixer<Dim>::drop_points() {
  Array<std::uint8_t> is_used(vertex_count(), 0);
  for (const Cell& cell : cells_) {
    for (const VertexId v : cell) is_used[v.index()] = 1;
  }
  std::uint64_t not_finite = 0;
  std::uint64_t unused = 0;
  mesh_.points.visit([&](auto points) {
    for (std::size_t v = 0; v < points.size(); ++v) {
      if (keeps_point_[v] == 0 || is_used[v] != 0) continue;
      keeps_point_[v] = 0;
      ++(doctor::is_finite(points[v]) ? unused : not_finite);
    }
  });
  note(report_.changes, "dropped_non_finite_points", not_finite);
  note(report_.changes, "dropped_isolated_points", unused);
  note(report_.changes, "dropped_fields_of_wrong_length",
       count_misfits(mesh_.point_data, mesh_.vertex_count()) +
           count_misfits(mesh_.cell_data, mesh_.cell_count()));
}

/// How each sheet of triangles, joined over edges of exactly two, is turned to agree with most of itself.
struct SheetTurns {
  Array<std::uint8_t> turns;  ///< one a triangle
  std::uint64_t one_sided = 0;
};

SheetTurns choose_turns(const SortedOut& sorted, DisjointSets<std::uint64_t>& sides) {
  const std::size_t n = sorted.states.size();
  // By the sheet's first triangle: how many triangles, and how many of them disagree with the first.
  Ids sizes(n, 0);
  Ids against(n, 0);
  for (std::size_t f = 0; f < n; ++f) {
    const std::uint64_t side = sides.find(2 * f);
    ++sizes[side / 2];
    against[side / 2] += static_cast<std::uint32_t>(side % 2);
  }
  SheetTurns result{Array<std::uint8_t>(n, 0)};
  for (std::size_t f = 0; f < n; ++f) {
    const std::uint64_t side = sides.find(2 * f);
    const std::uint64_t sheet = side / 2;
    const bool is_one_sided = sides.find(2 * sheet + 1) == 2 * sheet;
    if (is_one_sided) {
      result.one_sided += f == sheet ? 1 : 0;
      continue;
    }
    const bool is_first_in_minority = 2 * std::uint64_t{against[sheet]} > sizes[sheet];
    result.turns[f] = (side % 2 == 1) != is_first_in_minority ? 1 : 0;
  }
  return result;
}

template <>
void Fixer<2>::orient() {
  const SortedOut sorted = sort_out();
  doctor::LinkExamination links = doctor::examine_links<2>(context_, cells_, sorted);
  const SheetTurns chosen = choose_turns(sorted, links.sides);
  for (std::size_t f = 0; f < cells_.size(); ++f) {
    if (chosen.turns[f] != 0) turn(cells_[f]);
  }
  note(report_.changes, "turned_cells",
       static_cast<std::uint64_t>(std::count(chosen.turns.begin(), chosen.turns.end(), std::uint8_t{1})));
  note(report_.left, "non_orientable_components", chosen.one_sided);
}

template <>
void Fixer<3>::orient() {
  std::uint64_t turned = 0;
  mesh_.points.visit([&](auto points) {
    const auto is_inverted = [&](const Cell& cell) {
      if (!doctor::is_in_range(cell, points.size()) || doctor::find_repeated(cell).is_valid()) return false;
      const auto has_place = [&](VertexId v) { return doctor::is_finite(points[v.index()]); };
      return std::all_of(cell.begin(), cell.end(), has_place) && doctor::cell_sign(cell, points) < 0;
    };
    doctor::run_pass(
        context_, "turning cells", cells_.size(), std::uint64_t{0},
        [&](host::Range range, int, std::uint64_t& count) {
          for (std::size_t c = range.begin; c < range.end; ++c) {
            if (!is_inverted(cells_[c])) continue;
            turn(cells_[c]);
            ++count;
          }
        },
        [&](std::uint64_t count) { turned += count; });
  });
  note(report_.changes, "turned_cells", turned);
}

template <int Dim>
Ids Fixer<Dim>::list_kept_points() const {
  Ids kept(keeps_point_.size());
  kept.resize(compact_indices(context_.exec, keeps_point_, kept));
  return kept;
}

/// Makes cells_ name the points that stay. An index out of range stays out of range.
template <int Dim>
void Fixer<Dim>::renumber_corners() {
  Ids new_ids(vertex_count());
  std::uint32_t next = 0;
  for (std::size_t v = 0; v < new_ids.size(); ++v) {
    new_ids[v] = next;
    next += keeps_point_[v];
  }
  for (Cell& cell : cells_) {
    for (VertexId& v : cell) {
      if (v.index() < new_ids.size()) v = VertexId(new_ids[v.index()]);
    }
  }
}

/// The fields of the elements that stay, or nothing if all stay as they are. A field of the wrong length can
/// not follow: it is dropped or left.
template <int Dim>
std::optional<FieldSet> Fixer<Dim>::follow(const FieldSet& fields, std::size_t expected,
                                           const std::optional<Ids>& order) const {
  if (!order && (!options_.drop || count_misfits(fields, expected) == 0)) return {};
  FieldSet result;
  for (const Field& field : fields) {
    const bool fits = field.size() == expected;
    if (fits) result.add(order ? field.gather(*order) : field);
    if (!fits && !options_.drop) result.add(field);
  }
  return result;
}

template <int Dim>
void Fixer<Dim>::commit() {
  if (report_.changes.empty()) return;
  std::optional<Ids> point_order = list_kept_points();
  if (point_order->size() == vertex_count()) point_order.reset();
  if (point_order) renumber_corners();
  std::optional<Points> points;
  if (point_order) points = mesh_.points.gather(*point_order);
  std::optional<FieldSet> point_data = follow(mesh_.point_data, vertex_count(), point_order);
  std::optional<FieldSet> cell_data = follow(mesh_.cell_data, mesh_.cell_count(), cell_order_);

  // Nothing below can fail.
  mesh_.cells = std::move(cells_);
  if (points) mesh_.points = std::move(*points);
  if (point_data) mesh_.point_data = std::move(*point_data);
  if (cell_data) mesh_.cell_data = std::move(*cell_data);
}

}  // namespace

FixReport fix(TriMesh& mesh, const FixOptions& options) {
  return Fixer<2>(mesh, options).run();
}

FixReport fix(TetMesh& mesh, const FixOptions& options) {
  return Fixer<3>(mesh, options).run();
}

}  // namespace tessera
