// Labels across slabs, for one direction of flow.
//
//   label   >= 0    the number of an extremum: final
//           -1      none: the path leaves the grid
//           <= -2   -2 - i: what entry i of the waiting paths will say
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <tessera/distribute/detail/region_part.h>

namespace tessera::detail {

using Label = std::int32_t;
inline constexpr Label no_label = -1;

/// Paths that go on in a slab that has not been looked at yet, each by the place where it enters.
class WaitingPaths {
 public:
  /// The places where paths enter one slab, ascending, and the entry of the first of them.
  struct Batch {
    std::vector<std::uint32_t> places;
    std::size_t first = 0;
  };

  /// Names the places where paths enter the next slab, which may repeat. Gives those of the slab before.
  [[nodiscard]] Batch ask(std::vector<std::uint32_t> places);
  /// The label for a place that was asked for last.
  [[nodiscard]] Label name_of(std::uint32_t place) const;
  [[nodiscard]] std::span<const std::uint32_t> asked() const { return asked_.places; }
  /// What the i-th path of a batch leads to: another label.
  void answer(const Batch& batch, std::size_t i, Label label) { labels_[batch.first + i] = label; }

  /// When all are answered: makes every label final.
  void finish();
  /// The final label that a label stands for.
  [[nodiscard]] Label operator()(Label label) const { return label <= -2 ? labels_[index_of(label)] : label; }

 private:
  [[nodiscard]] static std::size_t index_of(Label label) {
    return static_cast<std::size_t>(-2 - std::int64_t{label});
  }

  Batch asked_;
  std::vector<Label> labels_;
};

/// What the slabs so far say about the flow in one direction.
struct FlowJoin {
  WaitingPaths above;
  /// Labels of places that the next slab may ask for: by vertex of the last layer, or by cell, ascending.
  std::vector<std::pair<std::uint32_t, Label>> below;
  std::size_t extrema = 0;  ///< so far

  [[nodiscard]] Label label_below(std::uint32_t place) const;
  /// Of a path in a slab, which asked for it if it leaves upwards.
  [[nodiscard]] Label label_of(const Destination& end) const;
  /// Counts the extrema of a slab that is done. Error(unsupported) if 31 bits cannot.
  void add_extrema(std::size_t count);
};

}  // namespace tessera::detail
