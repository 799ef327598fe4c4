// Lists of what reached a hub, a vertex of very many triangles, for geodesic fronts (fronts.h).
//
// A vertex that was told of a new distance looks at all its triangles. A hub may be told in every round by a
// few of its neighbours: with n triangles and n rounds that would be n^2. The neighbours of a hub therefore
// list the triangles across which they tell it, and the hub looks at those alone. Which triangles are listed
// depends on distances of the round before only, and their order does not matter.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <tessera/core/csr.h>
#include <tessera/core/macros.h>
#include <tessera/exec/buffer.h>
#include <tessera/exec/primitives.h>
#include <tessera/surface/detail/attribute_loops.h>
#include <tessera/surface/surface.h>

namespace tessera::detail {

/// A vertex of more triangles is a hub.
inline constexpr std::uint32_t most_scanned_faces = 64;

/// How much room the list of a vertex takes: its length, and twice each triangle, which either of the other
/// corners may add in a round. 0 for a vertex that is no hub.
struct HubRoom {
  const std::uint32_t* offsets;  ///< of VF

  TS_HD std::uint64_t operator()(std::size_t v) const {
    const std::uint64_t faces = offsets[v + 1] - offsets[v];
    return faces > most_scanned_faces ? 2 * faces + 1 : 0;
  }
};

/// The lists of one round and of the next, at the side's place. Without hubs all are null.
struct HubLists {
  const std::uint32_t* begins = nullptr;  ///< of each vertex, where its list begins
  const std::uint32_t* offsets = nullptr;
  std::uint32_t* now = nullptr;
  std::uint32_t* next = nullptr;

  [[nodiscard]] TS_HD bool is_hub(std::uint32_t v) const {
    return begins != nullptr && HubRoom{offsets}(v) != 0;
  }
  [[nodiscard]] TS_HD IdSpan<tiled::FaceId> listed(std::uint32_t hub) const {
    const std::uint32_t* list = now + begins[hub];
    return {list + 1, list[0]};
  }
  /// After the last look at it.
  TS_HD void clear(std::uint32_t hub) const { now[begins[hub]] = 0; }

  /// `Shared`: on the host there are several threads.
  template <bool Shared>
  TS_HD void add(std::uint32_t hub, tiled::FaceId face) const {
    std::uint32_t* list = next + begins[hub];
#if defined(__CUDA_ARCH__)
    const std::uint32_t place = atomicAdd(list, 1u);
#else
    std::uint32_t place = 0;
    if constexpr (Shared) {
      place = std::atomic_ref<std::uint32_t>(*list).fetch_add(1, std::memory_order_relaxed);
    } else {
      place = (*list)++;
    }
#endif
    list[1 + place] = face.index();
  }
  [[nodiscard]] TS_HD HubLists swapped() const {
    return {begins, offsets, next, now};
  }
};

struct PlaceHubs {
  HubRoom room;
  std::uint32_t* begins;
  TS_HD void operator()(std::size_t v) const { begins[v] = static_cast<std::uint32_t>(room(v)); }
};
struct ClearHubs {
  HubLists lists;
  TS_HD void operator()(std::size_t i) const {
    const auto v = static_cast<std::uint32_t>(i);
    if (!lists.is_hub(v)) return;
    lists.clear(v);
    lists.swapped().clear(v);
  }
};

/// What the lists lie in: nothing where there are no hubs.
class HubArrays {
 public:
  template <class Side>
  HubArrays(const Side& side, const SurfaceRows<VF>& faces) : offsets_(faces.offsets()) {
    const std::size_t n = faces.size();
    const HubRoom room = {offsets_};
    const auto all = side.reduce(n, std::uint64_t{0}, room, Plus<std::uint64_t>{});
    if (all == 0 || all > std::numeric_limits<std::uint32_t>::max()) return;  // too many: without lists
    begins_ = Buffer<std::uint32_t>(side.exec, n);
    now_ = Buffer<std::uint32_t>(side.exec, all);
    next_ = Buffer<std::uint32_t>(side.exec, all);
    side.for_each(n, PlaceHubs{room, begins_.data()});
    exclusive_scan<std::uint32_t, std::uint32_t>(side.exec, begins_.span(), begins_.span());
    side.for_each(n, ClearHubs{lists()});
  }

  [[nodiscard]] HubLists lists() {
    if (begins_.empty()) return {};
    return {begins_.data(), offsets_, now_.data(), next_.data()};
  }

 private:
  const std::uint32_t* offsets_;
  Buffer<std::uint32_t> begins_;
  Buffer<std::uint32_t> now_;
  Buffer<std::uint32_t> next_;
};

}  // namespace tessera::detail
