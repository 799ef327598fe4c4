// Sorting out cells: indices first, then stars by counting, then equal cells within each vertex's star.
#include <tessera/mesh/detail/doctor_cells.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>
#include <vector>

#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/primitives.h>

namespace tessera::detail::doctor {
namespace {

template <int Dim>
Array<CellState> judge_indices(const PassContext& context, std::span<const Cell<Dim>> cells,
                               std::size_t vertex_count) {
  Array<CellState> states(cells.size());
  for_each_element(context, "checking indices", cells.size(), [&](std::size_t c) {
    if (!is_in_range(cells[c], vertex_count)) {
      states[c] = CellState::out_of_range;
    } else if (find_repeated(cells[c]).is_valid()) {
      states[c] = CellState::repeated_index;
    } else {
      states[c] = CellState::sound;
    }
  });
  return states;
}

template <int Dim>
VertexStars build_stars(const PassContext& context, std::span<const Cell<Dim>> cells,
                        std::span<const CellState> states, std::size_t vertex_count) {
  constexpr std::string_view stage = "collecting stars";
  // Vertices in no order miss the cache, and an atomic addition waits for every miss before it. So each
  // count, and then the place in the row that it leads to, is announced some cells ahead.
  constexpr std::size_t far = 32;
  constexpr std::size_t near = 16;
  Array<std::uint64_t> ends(vertex_count, 0);
  const auto for_each_corner = [&](std::size_t c, auto&& f) {
    if (c >= cells.size() || states[c] != CellState::sound) return;
    for (const VertexId v : cells[c]) f(ends[v.index()]);
  };
  for_each_element(context, stage, cells.size(), [&](std::size_t c) {
    for_each_corner(c + far, [](std::uint64_t& count) { prefetch(&count); });
    for_each_corner(
        c, [](std::uint64_t& count) { std::atomic_ref(count).fetch_add(1, std::memory_order_relaxed); });
  });
  const std::uint64_t total = reduce_sum<std::uint64_t>(context.exec, ends);
  exclusive_scan<std::uint64_t, std::uint64_t>(context.exec, ends, ends);
  // Each row's begin moves up to its end as the row is filled.
  Array<std::uint32_t> rows(total);
  for_each_element(context, stage, cells.size(), [&](std::size_t c) {
    for_each_corner(c + far, [](std::uint64_t& next) { prefetch(&next); });
    for_each_corner(c + near, [&](std::uint64_t& next) {
      prefetch(rows.data() + std::atomic_ref(next).load(std::memory_order_relaxed));
    });
    for_each_corner(c, [&](std::uint64_t& next) {
      rows[std::atomic_ref(next).fetch_add(1, std::memory_order_relaxed)] = static_cast<std::uint32_t>(c);
    });
  });
  return {std::move(ends), std::move(rows)};
}

/// A cell by its vertices above the lowest one, ascending, and its id.
template <int Dim>
struct OwnedCell {
  std::array<std::uint32_t, Dim> others;
  std::uint32_t cell;

  friend auto operator<=>(const OwnedCell&, const OwnedCell&) = default;
};

/// The cells of a star whose lowest vertex is v, equal ones side by side, the smallest id first.
template <int Dim>
void collect_owned(std::uint32_t v, std::span<const std::uint32_t> star, std::span<const Cell<Dim>> cells,
                   std::vector<OwnedCell<Dim>>& owned) {
  owned.clear();
  for (const std::uint32_t c : star) {
    std::array<std::uint32_t, Dim> others;
    std::size_t higher = 0;
    for (const VertexId w : cells[c]) {
      if (w.index() > v) others[higher++] = w.index();
    }
    if (higher < Dim) continue;
    std::sort(others.begin(), others.end());
    owned.push_back({others, c});
  }
  std::sort(owned.begin(), owned.end());
}

/// Each cell belongs to the star of its lowest vertex here, so no two threads write the same state.
template <int Dim>
void mark_duplicates(const PassContext& context, std::span<const Cell<Dim>> cells, SortedOut& sorted) {
  struct Nothing {};
  std::vector<std::vector<OwnedCell<Dim>>> scratch(static_cast<std::size_t>(context.exec.threads()));
  run_pass(
      context, "comparing cells", sorted.stars.size(), Nothing{},
      [&](host::Range range, int worker, Nothing&) {
        auto& owned = scratch[static_cast<std::size_t>(worker)];
        for (std::size_t v = range.begin; v < range.end; ++v) {
          prefetch_star(sorted, v + 2, cells);
          collect_owned<Dim>(static_cast<std::uint32_t>(v), sorted.stars[v], cells, owned);
          for (std::size_t i = 1; i < owned.size(); ++i) {
            if (owned[i].others == owned[i - 1].others) sorted.states[owned[i].cell] = CellState::duplicate;
          }
        }
      },
      [](const Nothing&) {});
}

}  // namespace

template <int Dim>
SortedOut sort_out_cells(const PassContext& context, std::span<const Cell<Dim>> cells,
                         std::size_t vertex_count) {
  SortedOut sorted;
  sorted.states = judge_indices<Dim>(context, cells, vertex_count);
  sorted.stars = build_stars<Dim>(context, cells, sorted.states, vertex_count);
  mark_duplicates<Dim>(context, cells, sorted);
  return sorted;
}

template SortedOut sort_out_cells<2>(const PassContext&, std::span<const Cell<2>>, std::size_t);
template SortedOut sort_out_cells<3>(const PassContext&, std::span<const Cell<3>>, std::size_t);

}  // namespace tessera::detail::doctor
