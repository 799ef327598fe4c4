#include <tessera/topology/feature_tracks.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include <tessera/core/detail/monitor.h>
#include <tessera/core/error.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/detail/host_only.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;

constexpr uint32_t none = 0xFFFFFFFFu;

/// For each step but the last, the feature of the next one that each goes on as, or none.
using Links = std::vector<std::vector<uint32_t>>;

/// `counts`: how many features each step has.
FeatureTracks join_links(std::span<const size_t> counts, const Links& links) {
  std::vector<std::vector<bool>> is_continued(counts.size());
  for (size_t s = 0; s < counts.size(); ++s) is_continued[s].assign(counts[s], false);
  for (size_t s = 0; s < links.size(); ++s) {
    for (const uint32_t next : links[s]) {
      if (next != none) is_continued[s + 1][next] = true;
    }
  }
  FeatureTracks tracks;
  for (size_t first = 0; first < counts.size(); ++first) {
    for (uint32_t feature = 0; feature < counts[first]; ++feature) {
      if (is_continued[first][feature]) continue;
      uint32_t at = feature;
      for (size_t s = first; at != none; ++s) {
        tracks.nodes.push_back({static_cast<uint32_t>(s), at});
        at = s < links.size() ? links[s][at] : none;
      }
      tracks.offsets.push_back(tracks.nodes.size());
    }
  }
  return tracks;
}

}  // namespace

FeatureTracks track_features(std::span<const std::vector<DiagramPoint>> steps,
                             const WassersteinOptions& matching, const TrackOptions& options) {
  const Exec exec = host_only(options.exec, "track_features()");
  const Monitor& monitor = monitor_of(options.monitor);
  const Monitor silent{{}, monitor.stop};  // reports come from the calling thread alone
  monitor.update("matching steps", 0);
  Links links(steps.empty() ? 0 : steps.size() - 1);
  WassersteinOptions of_pair = matching;
  of_pair.monitor = &silent;
  host::for_each_chunk(exec.threads(), links.size(), 1, [&](host::Range range, int) {
    for (size_t s = range.begin; s < range.end; ++s) {
      links[s].assign(steps[s].size(), none);
      for (const DiagramMatch& match : wasserstein_distance(steps[s], steps[s + 1], of_pair).matches) {
        if (match.first != DiagramMatch::diagonal && match.second != DiagramMatch::diagonal)
          links[s][match.first] = match.second;
      }
    }
  });
  monitor.update("matching steps", 1);
  std::vector<size_t> counts;
  for (const auto& step : steps) counts.push_back(step.size());
  return join_links(counts, links);
}

namespace {

[[noreturn]] void refuse(const Field& labels, const std::string& why) {
  throw Error(ErrorCode::unsupported, "the labels '" + labels.name() + "' " + why);
}

/// Calls f(begin, end) for runs of vertices that have one key.
template <class Key, class F>
void for_each_run(size_t size, const Key& key_of, const F& f) {
  for (size_t begin = 0; begin < size;) {
    size_t end = begin + 1;
    while (end < size && key_of(end) == key_of(begin)) ++end;
    f(begin, end);
    begin = end;
  }
}

/// The regions of a step and, of each vertex, the number of its own; none for negative labels.
struct Step {
  std::vector<Region> regions;
  Array<uint32_t> numbers;
};

template <class T>
Step find_regions(std::span<const T> labels, const std::function<Vec3d(VertexId)>& place_of) {
  const auto label_at = [&](size_t i) { return static_cast<std::int64_t>(labels[i]); };
  std::vector<std::int64_t> found;
  for_each_run(labels.size(), label_at, [&](size_t begin, size_t) {
    if (label_at(begin) >= 0) found.push_back(label_at(begin));
  });
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  Step step;
  for (const std::int64_t label : found) step.regions.push_back({.label = label, .centre = {0, 0, 0}});
  step.numbers = Array<uint32_t>(labels.size(), none);
  for_each_run(labels.size(), label_at, [&](size_t begin, size_t end) {
    if (label_at(begin) < 0) return;
    const auto number =
        static_cast<uint32_t>(std::lower_bound(found.begin(), found.end(), label_at(begin)) - found.begin());
    Region& region = step.regions[number];
    region.size += end - begin;
    for (size_t i = begin; i < end; ++i) {
      region.centre = region.centre + place_of(VertexId(static_cast<uint32_t>(i)));
      step.numbers[i] = number;
    }
  });
  for (Region& region : step.regions)
    region.centre = (1.0 / static_cast<double>(region.size)) * region.centre;
  return step;
}

Step find_regions(const Field& labels, const std::function<Vec3d(VertexId)>& place_of) {
  if (labels.components() != 1) refuse(labels, "have several components");
  return labels.visit([&](auto values) -> Step {
    using T = typename decltype(values)::value_type;
    if constexpr (std::is_integral_v<T>) {
      return find_regions(values, place_of);
    } else {
      refuse(labels, "are no integers");
    }
  });
}

std::vector<RegionOverlap> count_overlaps(uint32_t step, const Array<uint32_t>& before,
                                          const Array<uint32_t>& after) {
  std::vector<RegionOverlap> runs;
  const auto key_at = [&](size_t i) { return std::pair{before[i], after[i]}; };
  for_each_run(before.size(), key_at, [&](size_t begin, size_t end) {
    if (before[begin] != none && after[begin] != none)
      runs.push_back({step, before[begin], after[begin], end - begin});
  });
  std::sort(runs.begin(), runs.end(), [](const RegionOverlap& a, const RegionOverlap& b) {
    return std::pair{a.before, a.after} < std::pair{b.before, b.after};
  });
  std::vector<RegionOverlap> overlaps;
  for (const RegionOverlap& run : runs) {
    if (!overlaps.empty() && overlaps.back().before == run.before && overlaps.back().after == run.after) {
      overlaps.back().shared += run.shared;
    } else {
      overlaps.push_back(run);
    }
  }
  return overlaps;
}

}  // namespace

void RegionTracker::add(const Field& labels, const std::function<Vec3d(VertexId)>& place_of) {
  if (!regions_.empty() && labels.size() != last_.size()) {
    refuse(labels, "are of " + std::to_string(labels.size()) + " vertices, those of the step before of " +
                       std::to_string(last_.size()));
  }
  Step step = find_regions(labels, place_of);
  if (!regions_.empty()) {
    const auto overlaps = count_overlaps(static_cast<uint32_t>(regions_.size()) - 1, last_, step.numbers);
    overlaps_.insert(overlaps_.end(), overlaps.begin(), overlaps.end());
  }
  regions_.push_back(std::move(step.regions));
  last_ = std::move(step.numbers);
}

FeatureTracks RegionTracker::tracks() const {
  std::vector<size_t> counts;
  Links links;
  for (const auto& regions : regions_) counts.push_back(regions.size());
  Links best_before;  // for each region of a step, the overlap that it shares most with
  Links best_after;   // and for each of the next step
  for (size_t s = 0; s + 1 < counts.size(); ++s) {
    links.emplace_back(counts[s], none);
    best_before.emplace_back(counts[s], none);
    best_after.emplace_back(counts[s + 1], none);
  }
  for (uint32_t i = 0; i < overlaps_.size(); ++i) {
    const RegionOverlap& overlap = overlaps_[i];
    const auto improve = [&](uint32_t& best) {
      if (best == none || overlaps_[best].shared < overlap.shared) best = i;
    };
    improve(best_before[overlap.step][overlap.before]);
    improve(best_after[overlap.step][overlap.after]);
  }
  for (uint32_t i = 0; i < overlaps_.size(); ++i) {
    const RegionOverlap& overlap = overlaps_[i];
    if (best_before[overlap.step][overlap.before] == i && best_after[overlap.step][overlap.after] == i)
      links[overlap.step][overlap.before] = overlap.after;
  }
  return join_links(counts, links);
}

}  // namespace tessera
