#include <tessera/surface/cavity_sets.h>

#include <algorithm>
#include <string>

#include <tessera/core/error.h>
#include <tessera/exec/primitives.h>
#include <tessera/surface/detail/edit/build_loops.h>
#include <tessera/surface/detail/edit/connectivity.h>
#include <tessera/surface/detail/edit/set_loops.h>
#include <tessera/surface/detail/run_loop.h>

namespace tessera {

CavitySets::CavitySets(const DynamicSurface& surface, Kind kind, const CavitySetOptions& options)
    : exec_(surface.exec()), kind_(kind), options_(options) {
  constexpr std::size_t most = 0xFFFFFFFEu;
  if (options.sets > most || options.elements > most) {
    throw Error(ErrorCode::bad_option, "there can be " + std::to_string(most) + " sets and elements, not " +
                                           std::to_string(std::max(options.sets, options.elements)));
  }
  pairs_ = Buffer<std::uint64_t>(exec_, options.elements);
  count_ = Buffer<std::uint32_t>(exec_, 1);
  clear();
}

CavitySetsView CavitySets::view() {
  return {pairs_.data(), count_.data(), static_cast<std::uint32_t>(options_.elements)};
}

void CavitySets::clear() {
  detail::run_loop(exec_, 1, detail::FillWords{count_.data(), 0});
}

detail::EditSets CavitySets::gather() {
  const std::size_t added = detail::read_word(exec_, count_.data());
  if (added > options_.elements) {
    throw Error(ErrorCode::bad_option, std::to_string(added) + " elements were added to sets with room for " +
                                           std::to_string(options_.elements));
  }
  const std::span<std::uint64_t> all = pairs_.span().first(added);
  sort_keys<std::uint64_t>(exec_, all);
  Buffer<std::uint64_t> once(exec_, added);
  const std::size_t count = unique<std::uint64_t>(exec_, all, once.span());
  offsets_ = Buffer<std::uint32_t>(exec_, options_.sets + 1);
  elements_ = Buffer<std::uint32_t>(exec_, count);
  detail::run_loop(exec_, count, detail::LowWords{once.data(), elements_.data()});
  detail::run_loop(exec_, options_.sets + 1, detail::FindSets{once.data(), count, offsets_.data()});
  if (detail::read_word(exec_, offsets_.data() + options_.sets) != count) {
    throw Error(ErrorCode::bad_option,
                "an element was added to a set that is not below " + std::to_string(options_.sets));
  }
  return {{kind_, offsets_.data(), elements_.data()}, static_cast<std::uint32_t>(options_.sets)};
}

}  // namespace tessera
