// Searches on walls whose gradient was turned around here and there: all edges below a 2-saddle, and the path
// to one of them if there is only one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include <tessera/core/array.h>
#include <tessera/core/macros.h>
#include <tessera/topology/detail/turned_flow.h>

namespace tessera::detail {

/// One for each thread; takes a byte an edge.
template <class Source>
class WallSearch {
 public:
  static constexpr std::uint32_t none = Source::none;

  struct Met {
    WallEdge at;
    std::uint32_t parent;  ///< place in met() of the edge it was reached from; none from the saddle itself
  };

  WallSearch(const Source& gradient, const TurnedWalls<Source>& walls)
      : walls_(walls), marks_(gradient.edge_end(), unseen) {}

  /// Breadth first, edges of a triangle from its highest vertices to its lowest.
  void find_all(const RowTriangle& saddle) {
    forget();
    met_.clear();
    meet(walls_.edges_of(saddle), none);
    for (std::uint32_t i = 0; i < met_.size(); ++i) {
      if (const auto triangle = walls_.triangle_of(met_[i].at)) meet(walls_.edges_of(*triangle), i);
    }
  }
  [[nodiscard]] const std::vector<Met>& met() const { return met_; }

  /// The edges of the path from the saddle to a critical edge, that one included; nothing if there is none or
  /// more than one.
  [[nodiscard]] std::optional<std::vector<WallEdge>> find_only_path(const RowTriangle& saddle,
                                                                    std::uint32_t target) {
    forget();
    if (count_paths(saddle, target) != 1) return std::nullopt;
    std::vector<WallEdge> path;
    for (std::optional<RowTriangle> at = saddle; at.has_value(); at = walls_.triangle_of(path.back())) {
      const auto edges = walls_.edges_of(*at);
      path.push_back(*std::find_if(edges.begin(), edges.end(), [&](const WallEdge& edge) {
        const bool is_back = !path.empty() && edge.edge == path.back().edge;
        return !is_back && marks_[edge.edge] == counted + 1;
      }));
    }
    return path;
  }

 private:
  static constexpr std::uint8_t unseen = 0;
  static constexpr std::uint8_t open = 1;
  static constexpr std::uint8_t counted = 2;  // and above: how many paths, two standing for more

  struct Frame {
    std::uint32_t edge;
    std::array<WallEdge, 3> below;
    std::uint32_t at = 0;
    std::uint32_t paths = 0;
  };

  void forget() {
    for (const std::uint32_t edge : touched_) marks_[edge] = unseen;
    touched_.clear();
  }
  void mark(std::uint32_t edge, std::uint32_t as) {
    if (marks_[edge] == unseen) touched_.push_back(edge);
    marks_[edge] = static_cast<std::uint8_t>(as);
  }

  void meet(const std::array<WallEdge, 3>& edges, std::uint32_t parent) {
    for (const WallEdge& edge : edges) {
      if (marks_[edge.edge] != unseen) continue;
      mark(edge.edge, open);
      met_.push_back({edge, parent});
    }
  }

  /// Depth first: an edge knows its paths when all below it do.
  std::uint32_t count_paths(const RowTriangle& saddle, std::uint32_t target) {
    frames_.assign(1, {none, walls_.edges_of(saddle)});
    while (true) {
      Frame& frame = frames_.back();
      if (frame.at == 3) {
        const Frame done = frame;
        frames_.pop_back();
        if (frames_.empty()) return done.paths;
        mark(done.edge, counted + done.paths);
        continue;
      }
      const WallEdge next = frame.below[frame.at];
      if (next.edge == frame.edge) {
        ++frame.at;
      } else if (marks_[next.edge] == unseen) {
        enter(next, target);
      } else {
        TS_EXPECTS(marks_[next.edge] != open);  // paths do not close
        frame.paths = std::min<std::uint32_t>(2, frame.paths + marks_[next.edge] - counted);
        ++frame.at;
      }
    }
  }

  void enter(const WallEdge& edge, std::uint32_t target) {
    const auto triangle = walls_.triangle_of(edge);
    if (!triangle.has_value()) return mark(edge.edge, counted + (edge.edge == target ? 1 : 0));
    mark(edge.edge, open);
    frames_.push_back({edge.edge, walls_.edges_of(*triangle)});
  }

  const TurnedWalls<Source>& walls_;
  Array<std::uint8_t> marks_;
  std::vector<std::uint32_t> touched_;
  std::vector<Met> met_;
  std::vector<Frame> frames_;
};

}  // namespace tessera::detail
