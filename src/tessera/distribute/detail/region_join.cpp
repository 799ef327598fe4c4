#include <tessera/distribute/detail/region_join.h>

#include <algorithm>
#include <limits>

#include <tessera/core/error.h>
#include <tessera/core/macros.h>

namespace tessera::detail {

WaitingPaths::Batch WaitingPaths::ask(std::vector<std::uint32_t> places) {
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  if (labels_.size() + places.size() > std::size_t{std::numeric_limits<Label>::max()} - 2) {
    throw Error(ErrorCode::unsupported,
                "more paths cross from slab to slab than can be numbered; use thicker slabs");
  }
  Batch before = std::exchange(asked_, {std::move(places), labels_.size()});
  labels_.resize(asked_.first + asked_.places.size(), no_label);
  return before;
}

Label WaitingPaths::name_of(std::uint32_t place) const {
  const auto found = std::ranges::lower_bound(asked_.places, place);
  TS_EXPECTS(found != asked_.places.end() && *found == place);
  const std::size_t entry = asked_.first + static_cast<std::size_t>(found - asked_.places.begin());
  return static_cast<Label>(-2 - static_cast<std::int64_t>(entry));
}

void WaitingPaths::finish() {
  for (const Label label : labels_) {
    Label last = label;
    while (last <= -2) last = labels_[index_of(last)];
    // All on the way get it, so that no path is walked twice.
    for (Label at = label; at <= -2;) at = std::exchange(labels_[index_of(at)], last);
  }
  for (Label& label : labels_) label = (*this)(label);
}

Label FlowJoin::label_below(std::uint32_t place) const {
  const auto found = std::ranges::lower_bound(below, place, {}, &std::pair<std::uint32_t, Label>::first);
  TS_EXPECTS(found != below.end() && found->first == place);
  return found->second;
}

Label FlowJoin::label_of(const Destination& end) const {
  switch (end.kind()) {
    case Destination::Kind::extremum: return static_cast<Label>(extrema + end.index());
    case Destination::Kind::below: return label_below(end.index());
    case Destination::Kind::above: return above.name_of(end.index());
    case Destination::Kind::outside: break;
  }
  return no_label;
}

void FlowJoin::add_extrema(std::size_t count) {
  extrema += count;
  if (extrema > std::size_t{std::numeric_limits<Label>::max()})
    throw Error(ErrorCode::unsupported, "the field has more extrema than 31 bits can number");
}

}  // namespace tessera::detail
