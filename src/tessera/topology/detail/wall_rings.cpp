#include <tessera/topology/detail/wall_rings.h>

namespace tessera::detail {

void sort_ring(std::span<RingCell> ring) {
  if (ring.size() < 2) return;
  const auto neighbour = [&](const RingCell& cell, std::uint32_t vertex) {
    const auto at = std::find_if(ring.begin(), ring.end(),
                                 [&](const RingCell& c) { return c.cell != cell.cell && c.has(vertex); });
    return at == ring.end() ? GradientData<3>::none : at->input;
  };
  const auto is_open_at = [&](const RingCell& c, std::size_t k) {
    return neighbour(c, c.others[k]) == GradientData<3>::none;
  };
  auto start = ring.begin();
  bool is_open = false;
  for (auto c = ring.begin(); c != ring.end(); ++c) {
    const bool is_end = is_open_at(*c, 0) || is_open_at(*c, 1);
    if (is_end == is_open ? c->input < start->input : is_end) start = c;
    is_open |= is_end;
  }
  const bool first =
      neighbour(*start, start->others[0]) < neighbour(*start, start->others[1]);  // none is high
  std::uint32_t leave = start->others[first ? 0 : 1];
  std::swap(*ring.begin(), *start);
  for (auto from = ring.begin() + 1; from != ring.end(); ++from) {
    auto next = std::find_if(from, ring.end(), [&](const RingCell& c) { return c.has(leave); });
    if (next == ring.end()) {  // another piece of a non-manifold edge
      next = std::min_element(from, ring.end(),
                              [](const RingCell& c, const RingCell& d) { return c.input < d.input; });
      leave = next->others[0];
    }
    leave = next->other_than(leave);
    std::swap(*from, *next);
  }
}

}  // namespace tessera::detail
