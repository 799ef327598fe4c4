// An order of the vertices of a piece without an extremum: each has a neighbour before it, or is next to the
// exit, and a neighbour behind it, or one beyond the piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/core/progress.h>

namespace tessera::detail {

/// A piece and how its vertices lie next to each other. Vertices have their places in the piece as numbers,
/// ascending by id.
struct RegionGraph {
  std::vector<std::uint64_t> begins;  ///< of each vertex' neighbours in the piece, and the end
  std::vector<std::uint32_t> neighbours;
  std::vector<std::uint8_t> is_at_exit;    ///< next to the vertex where the piece ends
  std::vector<std::uint8_t> is_at_border;  ///< next to a vertex beyond

  [[nodiscard]] std::size_t size() const { return is_at_exit.size(); }
  [[nodiscard]] std::span<const std::uint32_t> row(std::uint32_t v) const {
    return {neighbours.data() + begins[v], neighbours.data() + begins[v + 1]};
  }
};

/// Gives every vertex a level: it comes before those of higher levels. Of two on one level the one with the
/// smaller number comes first, or the other one if `is_turned`. False if there is no such order; `failed`
/// then is a vertex that would be an extremum. Linear. It may return anything once the monitor is stopped.
class RegionSorter {
 public:
  [[nodiscard]] bool sort(const RegionGraph& graph, bool is_turned, const Monitor& monitor);
  [[nodiscard]] const std::vector<std::uint32_t>& levels() const { return levels_; }
  [[nodiscard]] std::uint32_t failed() const { return failed_; }

 private:
  void find_layers(const RegionGraph& graph, const Monitor& monitor);
  void number_from_exit_to_border(const RegionGraph& graph, const Monitor& monitor);
  void search_depth_first(const RegionGraph& graph, const Monitor& monitor);
  void put_into_list();
  [[nodiscard]] bool is_without_extrema(const RegionGraph& graph, bool is_turned);

  std::vector<std::uint32_t> levels_;
  std::uint32_t failed_ = 0;
  std::vector<std::uint32_t> queue_;
  // Of the depth-first search, by vertex; the exit and what lies beyond are the last two.
  std::vector<std::uint32_t> visited_;  ///< in the order of the search
  std::vector<std::uint32_t> number_;   ///< ... the place in it
  std::vector<std::uint32_t> parent_;
  std::vector<std::uint32_t> low_;
  std::vector<std::uint32_t> next_, before_;  ///< the list
};

}  // namespace tessera::detail
