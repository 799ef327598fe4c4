#include <tessera/topology/detail/region_order.h>

#include <algorithm>
#include <utility>

namespace tessera::detail {

using std::size_t;
using std::uint32_t;
using std::uint8_t;

namespace {

constexpr uint32_t none = 0xFFFFFFFFu;
constexpr size_t steps_between_looks = 1 << 16;

}  // namespace

bool RegionSorter::sort(const RegionGraph& graph, bool is_turned, const Monitor& monitor) {
  find_layers(graph, monitor);
  if (is_without_extrema(graph, is_turned)) return true;
  number_from_exit_to_border(graph, monitor);
  return is_without_extrema(graph, is_turned);
}

/// Breadth first from the exit.
void RegionSorter::find_layers(const RegionGraph& graph, const Monitor& monitor) {
  levels_.assign(graph.size(), none);
  queue_.clear();
  for (uint32_t v = 0; v < graph.size(); ++v) {
    if (graph.is_at_exit[v] == 0) continue;
    levels_[v] = 0;
    queue_.push_back(v);
  }
  for (size_t i = 0; i < queue_.size(); ++i) {
    if (i % steps_between_looks == 0 && monitor.is_stopped()) return;
    const uint32_t v = queue_[i];
    for (const uint32_t u : graph.row(v)) {
      if (levels_[u] != none) continue;
      levels_[u] = levels_[v] + 1;
      queue_.push_back(u);
    }
  }
}

bool RegionSorter::is_without_extrema(const RegionGraph& graph, bool is_turned) {
  for (uint32_t v = 0; v < graph.size(); ++v) {
    const auto comes_before = [&](uint32_t a, uint32_t b) {
      return levels_[a] != levels_[b] ? levels_[a] < levels_[b] : (a < b) != is_turned;
    };
    const auto row = graph.row(v);
    const bool has_before =
        graph.is_at_exit[v] != 0 || std::ranges::any_of(row, [&](uint32_t u) { return comes_before(u, v); });
    const bool has_behind = graph.is_at_border[v] != 0 ||
                            std::ranges::any_of(row, [&](uint32_t u) { return comes_before(v, u); });
    if (has_before && has_behind && levels_[v] != none) continue;
    failed_ = v;
    return false;
  }
  return true;
}

/// An st-numbering, s being the exit and t what lies beyond, made flat: the level is the length of the
/// longest way from the exit.
void RegionSorter::number_from_exit_to_border(const RegionGraph& graph, const Monitor& monitor) {
  search_depth_first(graph, monitor);
  if (monitor.is_stopped()) return;
  put_into_list();
  const auto n = static_cast<uint32_t>(graph.size());
  std::ranges::fill(levels_, none);
  for (uint32_t v = next_[n]; v != n + 1; v = next_[v]) {
    uint32_t level = 0;
    for (const uint32_t u : graph.row(v)) {
      if (levels_[u] != none) level = std::max(level, levels_[u] + 1);
    }
    levels_[v] = level;
  }
}

/// From s over t on. A vertex is numbered when it is met first; `low` is the smallest number that is next to
/// something behind it.
void RegionSorter::search_depth_first(const RegionGraph& graph, const Monitor& monitor) {
  const auto n = static_cast<uint32_t>(graph.size());
  const uint32_t s = n;
  const uint32_t t = n + 1;
  number_.assign(n + 2, none);
  parent_.assign(n + 2, none);
  low_.assign(n + 2, 0);
  visited_.assign({s, t});
  number_[s] = 0;
  number_[t] = 1;
  parent_[t] = s;
  std::vector<uint32_t> at_border;
  for (uint32_t v = 0; v < n; ++v) {
    if (graph.is_at_border[v] != 0) at_border.push_back(v);
  }
  struct Step {
    uint32_t vertex;
    uint32_t next;  ///< of its neighbours
  };
  std::vector<Step> stack = {{t, 0}};
  size_t steps = 0;
  while (!stack.empty()) {
    if (++steps % steps_between_looks == 0 && monitor.is_stopped()) return;
    const uint32_t v = stack.back().vertex;
    const std::span<const uint32_t> row = v == t ? std::span<const uint32_t>(at_border) : graph.row(v);
    if (stack.back().next == row.size()) {
      stack.pop_back();
      const uint32_t parent = parent_[v];
      if (parent < n) low_[parent] = std::min(low_[parent], low_[v]);
      continue;
    }
    const uint32_t u = row[stack.back().next++];
    if (number_[u] != none) {
      if (v < n && u != parent_[v]) low_[v] = std::min(low_[v], number_[u]);
      continue;
    }
    number_[u] = static_cast<uint32_t>(visited_.size());
    visited_.push_back(u);
    parent_[u] = v;
    low_[u] = number_[u];
    if (graph.is_at_exit[u] != 0) {
      low_[u] = 0;
    } else if (graph.is_at_border[u] != 0 && v != t) {
      low_[u] = 1;
    }
    stack.push_back({u, 0});
  }
}

void RegionSorter::put_into_list() {
  const auto n = static_cast<uint32_t>(number_.size() - 2);
  next_.assign(n + 2, none);
  before_.assign(n + 2, none);
  next_[n] = n + 1;
  before_[n + 1] = n;
  std::vector<uint8_t> goes_behind(n + 2, 0);
  for (size_t i = 2; i < visited_.size(); ++i) {
    const uint32_t v = visited_[i];
    const uint32_t parent = parent_[v];
    const bool is_before = goes_behind[visited_[low_[v]]] == 0;
    goes_behind[parent] = is_before ? 1 : 0;
    // s and t stay the ends, which only a graph without an st-numbering would change.
    const uint32_t left = (is_before && parent != n) || parent == n + 1 ? before_[parent] : parent;
    const uint32_t right = next_[left];
    next_[left] = before_[right] = v;
    before_[v] = left;
    next_[v] = right;
  }
}

}  // namespace tessera::detail
