// Features followed through a series of steps: the points of persistence diagrams by matching, or regions of
// the same mesh by overlap.
//
//   step 0      1      2      3
//        o──────o──────o──────o     a track: one feature, from the step it appears in to its last
//        o──────o
//                      o──────o
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <tessera/core/array.h>
#include <tessera/core/progress.h>
#include <tessera/core/vec.h>
#include <tessera/exec/exec.h>
#include <tessera/mesh/field.h>
#include <tessera/topology/diagram_distance.h>

namespace tessera {

/// Every feature of every step is a node of exactly one track.
struct FeatureTracks {
  struct Node {
    std::uint32_t step = 0;
    std::uint32_t feature = 0;  ///< its number in that step
    friend bool operator==(const Node&, const Node&) = default;
  };

  Array<Node> nodes;                   ///< by track, then by step; tracks by their first node
  Array<std::uint64_t> offsets = {0};  ///< track t is nodes[offsets[t] .. offsets[t + 1])

  [[nodiscard]] std::size_t size() const { return offsets.size() - 1; }
  [[nodiscard]] std::span<const Node> operator[](std::size_t track) const {
    return {nodes.data() + offsets[track], nodes.data() + offsets[track + 1]};
  }
  friend bool operator==(const FeatureTracks&, const FeatureTracks&) = default;
};

struct TrackOptions {
  Exec exec = Exec::host();          ///< whose threads compare steps
  const Monitor* monitor = nullptr;  ///< null: nobody listens
};

/// Each diagram is matched with the next one by wasserstein_distance(); points that are matched with each
/// other are one feature. `options.monitor` listens, not `matching.monitor`. Errors as that, and
/// Error(unsupported) for an exec on a device. Equal results for any threads.
[[nodiscard]] FeatureTracks track_features(std::span<const std::vector<DiagramPoint>> steps,
                                           const WassersteinOptions& matching,
                                           const TrackOptions& options = {});

/// The vertices of one label.
struct Region {
  std::int64_t label = 0;
  std::uint64_t size = 0;  ///< how many there are
  Vec3d centre;            ///< the mean of their places
  friend bool operator==(const Region&, const Region&) = default;
};

/// How many vertices two regions of successive steps share.
struct RegionOverlap {
  std::uint32_t step = 0;    ///< of the first one
  std::uint32_t before = 0;  ///< its number there
  std::uint32_t after = 0;   ///< the number of the other in the next step
  std::uint64_t shared = 0;
  friend bool operator==(const RegionOverlap&, const RegionOverlap&) = default;
};

/// Follows regions through steps that come one after the other. A region goes on in the one of the next step
/// with which it shares most vertices, if that one shares most with it too; of equal ones the lower label
/// counts. The others are overlaps alone: pieces that split off, or that others take up.
class RegionTracker {
 public:
  /// Labels of the same vertices in the next step; negative ones are no region. `place_of` gives where a
  /// vertex is. O(n) memory for the labels of one step, O(n) time but for labels that change from each vertex
  /// to the next. Error(unsupported) if labels are not integers of one component, or not as many as in the
  /// step before; nothing has changed then.
  void add(const Field& labels, const std::function<Vec3d(VertexId)>& place_of);

  /// The regions of each step, ascending by label.
  [[nodiscard]] const std::vector<std::vector<Region>>& regions() const { return regions_; }
  /// By step, then by the numbers of the regions.
  [[nodiscard]] const std::vector<RegionOverlap>& overlaps() const { return overlaps_; }
  [[nodiscard]] FeatureTracks tracks() const;

 private:
  std::vector<std::vector<Region>> regions_;
  std::vector<RegionOverlap> overlaps_;
  Array<std::uint32_t> last_;  ///< the region of each vertex in the last step
};

}  // namespace tessera
