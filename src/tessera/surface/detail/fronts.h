// Geodesic distances by fronts, on either side (geodesics.h), in rounds. A vertex whose distance is new tells
// its neighbours of it, and those look in the next round at what the front brings them across their
// triangles. By hops, a vertex tells at once: round k reaches level k of J. Romero Calla et al. ("A
// minimalistic approach for fast computation of geodesic distances on triangular meshes", 2019), and goes on
// behind it only where distances still improve, where the paper relaxes a whole window of levels. In bands, a
// vertex waits until its distance is below a threshold, which grows from round to round: what it tells then
// hardly changes any more, and vertices are relaxed three times instead of forty. Where many wait for few,
// the threshold grows faster: a round looks at all that wait.
//
// Two copies of the values are written in turn: a round reads those of the round before, so that no order in
// it matters. The copies differ only at vertices that are active: those that were told of something or wait
// or have just told.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <tessera/core/macros.h>
#include <tessera/exec/buffer.h>
#include <tessera/exec/exec.h>
#include <tessera/surface/detail/attribute_loops.h>
#include <tessera/surface/detail/geodesic_rules.h>
#include <tessera/surface/detail/hub_lists.h>
#include <tessera/surface/geodesics.h>
#include <tessera/surface/surface.h>

namespace tessera::detail {

/// The state of a vertex.
template <class Real>
struct Front {
  Real distance;
  std::uint32_t source;
  std::uint32_t round;  ///< in which it told its neighbours last
};

/// Rounds that are none: of a vertex that has a distance to tell, and of one that never had.
inline constexpr std::uint32_t waiting = 0xFFFFFFFEu;
inline constexpr std::uint32_t no_round = 0xFFFFFFFFu;

/// Where a front starts: a vertex, by its id in the input, and the source that it belongs to.
template <class Real>
struct Seed {
  std::uint32_t vertex;
  std::uint32_t source;
  Real distance;
};

/// What a round leaves for the next ones. There are four of them, used in turn: round k reads its own count
/// and all of k - 1, writes the rest of its own, adds to the count of k + 1 and clears k + 2.
template <class Real>
struct RoundState {
  std::uint32_t count;    ///< of active vertices
  std::uint32_t tellers;  ///< those of them that told their neighbours
  Real threshold;         ///< up to this distance vertices told their neighbours
  Real widening;          ///< the threshold grew by so many bands
  Real nearest;           ///< of those that were to wait

  [[nodiscard]] static TS_HD RoundState none() { return {0, 0, 0, 1, std::numeric_limits<Real>::infinity()}; }
};

/// How far the fronts came.
struct FrontProgress {
  std::uint32_t rounds;   ///< how many there were
  std::uint32_t reached;  ///< vertices with a distance
};
[[nodiscard]] inline double share_reached(const FrontProgress& progress, std::size_t vertices) {
  return static_cast<double>(progress.reached) / static_cast<double>(vertices);
}

/// Numbers that threads share; `Shared`: on the host there are several.
template <bool Shared>
[[nodiscard]] TS_HD std::uint32_t take_place(std::uint32_t* count) {
#if defined(__CUDA_ARCH__)
  // One addition for all threads of a warp that are here together.
  const unsigned here = __activemask();
  const int first = __ffs(static_cast<int>(here)) - 1;
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  unsigned begin = 0;
  if (static_cast<int>(lane) == first) begin = atomicAdd(count, static_cast<unsigned>(__popc(here)));
  return __shfl_sync(here, begin, first) + static_cast<unsigned>(__popc(here & ((1u << lane) - 1)));
#else
  if constexpr (Shared) return std::atomic_ref<std::uint32_t>(*count).fetch_add(1, std::memory_order_relaxed);
  return (*count)++;
#endif
}

template <bool Shared>
TS_HD void count_one(std::uint32_t* count) {
  static_cast<void>(take_place<Shared>(count));
}

/// Puts a stamp on; false if it is there already.
template <bool Shared>
[[nodiscard]] TS_HD bool stamp(std::uint32_t* place, std::uint32_t round) {
#if defined(__CUDA_ARCH__)
  if (*static_cast<const volatile std::uint32_t*>(place) == round) return false;
  return atomicExch(place, round) != round;
#else
  if constexpr (Shared) {
    std::atomic_ref<std::uint32_t> shared(*place);
    if (shared.load(std::memory_order_relaxed) == round) return false;
    return shared.exchange(round, std::memory_order_relaxed) != round;
  } else {
    if (*place == round) return false;
    *place = round;
    return true;
  }
#endif
}

/// Lowers a number that is not negative: the bits of such numbers are in their order.
template <bool Shared, class Real>
TS_HD void lower(Real* number, Real to) {
#if defined(__CUDA_ARCH__)
  if (!(to < *static_cast<const volatile Real*>(number))) return;
  if constexpr (sizeof(Real) == 4) {
    atomicMin(reinterpret_cast<unsigned*>(number), __float_as_uint(to));
  } else {
    atomicMin(reinterpret_cast<unsigned long long*>(number),
              static_cast<unsigned long long>(__double_as_longlong(to)));
  }
#else
  if constexpr (Shared) {
    std::atomic_ref<Real> shared(*number);
    Real seen = shared.load(std::memory_order_relaxed);
    while (to < seen && !shared.compare_exchange_weak(seen, to, std::memory_order_relaxed)) {
    }
  } else {
    if (to < *number) *number = to;
  }
#endif
}

/// A vertex's value before the first round.
template <class Real>
struct PlaceSeeds {
  const Seed<Real>* seeds;  ///< by ascending vertex, one each
  std::size_t seed_count;
  const std::uint32_t* to_input;  ///< null: ids are the input's
  Front<Real>* values;
  Front<Real>* others;
  std::uint32_t* levels;
  std::uint32_t* queued;
  std::uint32_t* told;
  std::uint32_t* told_next;

  TS_HD void operator()(std::size_t i) const {
    const std::uint32_t id = to_input != nullptr ? to_input[i] : static_cast<std::uint32_t>(i);
    std::size_t low = 0;
    for (std::size_t n = seed_count; n > 0;) {
      const std::size_t half = n / 2;
      const bool right = seeds[low + half].vertex < id;
      low = right ? low + half + 1 : low;
      n = right ? n - half - 1 : half;
    }
    Front<Real> value = {std::numeric_limits<Real>::infinity(), no_source, no_round};
    const bool is_seed = low < seed_count && seeds[low].vertex == id;
    if (is_seed) value = {seeds[low].distance, seeds[low].source, waiting};
    values[i] = value;
    others[i] = value;
    levels[i] = is_seed ? 0 : no_source;
    queued[i] = no_round;
    told[i] = no_round;
    told_next[i] = no_round;
  }
};

/// One round.
template <class Real, bool Shared>
struct Relax {
  SurfaceRows<VF> faces_at;
  SurfaceRows<FV> corners_of;
  const Vec3<Real>* positions;
  Front<Real>* from;  ///< of the round before
  Front<Real>* to;
  std::uint32_t* levels;
  std::uint32_t* now;  ///< the active vertices
  std::uint32_t* next;
  std::uint32_t* queued;     ///< for each vertex the last round that it was active in
  std::uint32_t* told;       ///< for each vertex a round for which a neighbour told it of a distance
  std::uint32_t* told_next;  ///< the same for the next round
  HubLists hubs;
  RoundState<Real>* states;
  FrontProgress* progress;
  std::uint32_t round;
  Real band;  ///< how far fronts may run ahead in a round
  Real limit;
  Real keep;  ///< a value must be less than this share of the one before to replace it
  bool is_circular;

  /// The corners of a triangle but v.
  struct Others {
    std::uint32_t a, b;
  };
  [[nodiscard]] TS_HD Others others(std::uint32_t v, tiled::FaceId face) const {
    const auto c = corners_of[face];
    const std::uint32_t first = c[0].index();
    const std::uint32_t second = c[1].index();
    const std::uint32_t third = c[2].index();
    return {first == v ? second : first, third == v ? second : third};
  }

  /// What the front across a triangle brings to v, if that is better than `least`.
  [[nodiscard]] TS_HD Front<Real> across(std::uint32_t v, tiled::FaceId face,
                                         const Front<Real>& least) const {
    const Others ends = others(v, face);
    const Front<Real> a = from[ends.a];
    const Front<Real> b = from[ends.b];
    const std::uint32_t last = round - 1;
    if (a.round != last && b.round != last) return least;
    if (!(a.distance <= least.distance) && !(b.distance <= least.distance)) return least;
    const Vec3<Real> here = positions[v];
    const FrontTriangle<Real> t(positions[ends.a] - here, positions[ends.b] - here, a.distance, b.distance);
    Arrival<Real> arrival = is_circular ? circular_front(t) : planar_front(t);
    if (!(arrival.distance >= t.from_a)) arrival = t.straight();
    if (!(arrival.distance <= least.distance)) return least;
    const std::uint32_t lower = a.source < b.source ? a.source : b.source;
    const std::uint32_t source = arrival.side == 0 ? lower : arrival.side < 0 ? a.source : b.source;
    return better({arrival.distance, source, waiting}, least);
  }

  /// The lesser distance, and of equal ones the lower source: whatever the order of the triangles.
  [[nodiscard]] static TS_HD Front<Real> better(const Front<Real>& x, const Front<Real>& y) {
    return x.distance < y.distance || (x.distance == y.distance && x.source < y.source) ? x : y;
  }

  [[nodiscard]] TS_HD bool improves(const Front<Real>& before, const Front<Real>& best) const {
    return best.distance < before.distance * keep && best.distance <= limit;
  }

  [[nodiscard]] TS_HD RoundState<Real>& state(std::uint32_t k) const { return states[k % 4]; }

  /// Up to which distance vertices tell their neighbours in this round.
  [[nodiscard]] TS_HD Real threshold() const {
    const RoundState<Real>& last = state(round + 3);
    const Real least = last.nearest < std::numeric_limits<Real>::infinity() && last.nearest > last.threshold
                           ? last.nearest
                           : last.threshold;
    return least + band * widening();
  }
  /// A vertex that waits is looked at in each round. Where most do nothing else, the threshold grows by more
  /// and more bands, so that all this looking is not more than in proportion to what vertices tell.
  [[nodiscard]] TS_HD Real widening() const {
    constexpr std::uint64_t most_looks = 64;  // for each vertex that tells: about 3 on regular meshes
    const RoundState<Real>& last = state(round + 3);
    constexpr Real widest = 0x1p30;
    if (last.count > most_looks * (std::uint64_t{last.tellers} + 1))
      return last.widening < widest ? 2 * last.widening : widest;
    return last.widening > 1 ? last.widening / 2 : 1;
  }
  /// By one thread, in the round.
  TS_HD void prepare(Real threshold) const {
    state(round).threshold = threshold;
    state(round).widening = widening();
    state(round + 2) = RoundState<Real>::none();
  }
  [[nodiscard]] TS_HD std::uint32_t active() const { return state(round).count; }

  TS_HD void queue(std::uint32_t v) const {
    if (stamp<Shared>(queued + v, round + 1)) next[take_place<Shared>(&state(round + 1).count)] = v;
  }

  /// Keeps the better value. True if the neighbours must hear of it now.
  [[nodiscard]] TS_HD bool settle(std::uint32_t v, const Front<Real>& before, const Front<Real>& best,
                                  Real threshold) const {
    Front<Real> value = improves(before, best) ? best : before;
    if (value.round == waiting && levels[v] == no_source) {
      levels[v] = round - 1;  // seeds tell in round 1
      count_one<Shared>(&progress->reached);
    }
    const bool tells = value.round == waiting && value.distance <= threshold;
    if (value.round == waiting) {
      queue(v);
      if (!tells) lower<Shared>(&state(round).nearest, value.distance);
    }
    if (tells) {
      value.round = round;
      count_one<Shared>(&state(round).tellers);
    }
    to[v] = value;
    return tells;
  }

  /// Tells the corners of a triangle of the distance at v, if that may be of use to them.
  TS_HD void tell(std::uint32_t v, Real distance, tiled::FaceId face) const {
    const Others ends = others(v, face);
    const Real at_a = from[ends.a].distance;
    const Real at_b = from[ends.b].distance;
    if (distance < at_a || (at_b < at_a && is_obtuse(ends.a, v, ends.b))) tell(ends.a, face);
    if (distance < at_b || (at_a < at_b && is_obtuse(ends.b, v, ends.a))) tell(ends.b, face);
  }
  TS_HD void tell(std::uint32_t v, tiled::FaceId face) const {
    if (hubs.is_hub(v)) hubs.add<Shared>(v, face);
    if (stamp<Shared>(told_next + v, round + 1)) queue(v);
  }
  /// Only across an obtuse angle can a front bring a distance that is less than one that it comes from.
  [[nodiscard]] TS_HD bool is_obtuse(std::uint32_t at, std::uint32_t a, std::uint32_t b) const {
    const Vec3<Real> to_a = positions[a] - positions[at];
    const Vec3<Real> to_b = positions[b] - positions[at];
    const FrontScale<Real> scale(to_a, to_b);
    return dot(scale.down * to_a, scale.down * to_b) < 0;
  }

  /// Across which a vertex that was told has something to hear.
  [[nodiscard]] TS_HD IdSpan<tiled::FaceId> news(std::uint32_t v) const {
    return hubs.is_hub(v) ? hubs.listed(v) : faces_at[tiled::VertexId(v)];
  }
  /// After the last look at them.
  TS_HD void drop_news(std::uint32_t v) const {
    if (hubs.is_hub(v)) hubs.clear(v);
  }

  /// On the host.
  void relax(std::uint32_t v, Real threshold) const {
    const Front<Real> before = from[v];
    Front<Real> best = before;
    if (told[v] == round) {
      for (const tiled::FaceId face : news(v)) best = across(v, face, best);
      drop_news(v);
    }
    if (!settle(v, before, best, threshold)) return;
    const Real distance = to[v].distance;
    for (const tiled::FaceId face : faces_at[tiled::VertexId(v)]) tell(v, distance, face);
  }
};

/// The round after `last`.
template <bool Shared, class Real, bool WasShared>
[[nodiscard]] Relax<Real, Shared> next_round(const Relax<Real, WasShared>& last) {
  return {last.faces_at, last.corners_of,     last.positions, last.to,         last.from,
          last.levels,   last.next,           last.now,       last.queued,     last.told_next,
          last.told,     last.hubs.swapped(), last.states,    last.progress,   last.round + 1,
          last.band,     last.limit,          last.keep,      last.is_circular};
}

/// Queues the seeds for the first round.
template <class Real>
struct StartFronts {
  Relax<Real, true> start;

  TS_HD void operator()(std::size_t i) const {
    const auto v = static_cast<std::uint32_t>(i);
    if (start.from[v].round == waiting) start.queue(v);
  }
};

template <class Real>
struct TakeFronts {
  const Front<Real>* values;
  Real* distances;
  std::uint32_t* sources;

  TS_HD void operator()(std::size_t i) const {
    distances[i] = values[i].distance;
    sources[i] = values[i].source;
  }
};

/// What fronts run over and where their result goes, at the surface's place.
template <class Real>
struct FrontJob {
  const Surface& surface;
  std::span<const Seed<Real>> seeds;  ///< on the host, by ascending vertex, one each
  const Vec3<Real>* positions;
  Real limit;
  Real keep;
  bool is_circular;
  bool has_bands;
  Real* distances;
  std::uint32_t* sources;
  std::uint32_t* levels;
};

/// The height of a triangle on its longest edge; 0 if it is no number.
template <class Real>
struct LeastHeight {
  SurfaceRows<FV> corners_of;
  const Vec3<Real>* positions;

  TS_HD Real operator()(std::size_t face) const {
    const auto c = corners_of[tiled::FaceId(static_cast<std::uint32_t>(face))];
    const auto at = [&](std::size_t k) { return positions[c[k].index()]; };
    const FrontScale<Real> scale(at(1) - at(0), at(2) - at(0));
    const Vec3<Real> u = scale.down * (at(1) - at(0));
    const Vec3<Real> v = scale.down * (at(2) - at(0));
    const Vec3<Real> w = v - u;
    Real longest = dot(u, u);
    longest = dot(v, v) > longest ? dot(v, v) : longest;
    longest = dot(w, w) > longest ? dot(w, w) : longest;
    const Real height = scale.up * (length(cross(u, v)) / std::sqrt(longest));
    return height < std::numeric_limits<Real>::infinity() ? height : 0;
  }
};
/// The same in whole parts of the greatest one.
template <class Real>
struct HeightInParts {
  LeastHeight<Real> height;
  Real greatest;
  static constexpr double parts = 0x1p31;

  TS_HD std::uint64_t operator()(std::size_t face) const {
    return static_cast<std::uint64_t>(static_cast<double>(height(face) / greatest) * parts);
  }
};
template <class Real>
struct Greater {
  TS_HD Real operator()(Real a, Real b) const { return a < b ? b : a; }
};

/// How far fronts run ahead in a round: a share of the mean least height of triangles, added up in whole
/// numbers, so that their order does not matter; no bound where no triangle has an area. More makes vertices
/// tell distances that do not last, less makes rounds in which little happens.
template <class Real, class Side>
[[nodiscard]] Real find_band(const Side& side, const SurfaceRows<FV>& corners, const Vec3<Real>* positions) {
  constexpr double share = 0.7;  // measured: 0.3 to 0.8 take the same time, more takes longer
  const std::size_t faces = corners.size();
  const LeastHeight<Real> height = {corners, positions};
  const Real greatest = side.reduce(faces, Real{0}, height, Greater<Real>{});
  if (!(greatest > 0)) return std::numeric_limits<Real>::infinity();
  const HeightInParts<Real> in_parts = {height, greatest};
  const auto sum = side.reduce(faces, std::uint64_t{0}, in_parts, Plus<std::uint64_t>{});
  const double mean = static_cast<double>(sum) / static_cast<double>(faces) / HeightInParts<Real>::parts;
  const auto band = static_cast<Real>(share * mean * static_cast<double>(greatest));
  return band > 0 ? band : std::numeric_limits<Real>::infinity();
}

/// Runs the fronts until no distance improves; returns the number of rounds. `run(start)` does the
/// rounds after the one of the seeds and returns how many they were.
template <class Real, class Side, class Run>
std::uint32_t run_fronts(const Side& side, const FrontJob<Real>& job, const Run& run) {
  const Exec& exec = side.exec;
  const std::size_t n = job.surface.vertex_count();
  const RowsOf<VF> faces = job.surface.template rows<VF>();
  const RowsOf<FV> corners = job.surface.template rows<FV>();
  const Buffer<Seed<Real>> seeds(exec, job.seeds);
  Buffer<Front<Real>> values(exec, n);
  Buffer<Front<Real>> others(exec, n);
  Buffer<std::uint32_t> now(exec, n);
  Buffer<std::uint32_t> next(exec, n);
  Buffer<std::uint32_t> queued(exec, n);
  Buffer<std::uint32_t> told(exec, n);
  Buffer<std::uint32_t> told_next(exec, n);
  HubArrays hubs(side, faces.get<VF>());
  const RoundState<Real> none = RoundState<Real>::none();
  const RoundState<Real> none_yet[4] = {none, none, none, none};
  Buffer<RoundState<Real>> states(exec, std::span<const RoundState<Real>>(none_yet));
  const FrontProgress start_of_progress[1] = {{0, static_cast<std::uint32_t>(job.seeds.size())}};
  Buffer<FrontProgress> progress(exec, std::span<const FrontProgress>(start_of_progress));
  const auto to_input = job.surface.to_input(Kind::vertex);
  side.for_each(n, PlaceSeeds<Real>{seeds.data(), seeds.size(), to_input.empty() ? nullptr : to_input.data(),
                                    values.data(), others.data(), job.levels, queued.data(), told.data(),
                                    told_next.data()});
  const Relax<Real, true> start = {faces.get<VF>(),
                                   corners.get<FV>(),
                                   job.positions,
                                   values.data(),
                                   others.data(),
                                   job.levels,
                                   now.data(),
                                   next.data(),
                                   queued.data(),
                                   told.data(),
                                   told_next.data(),
                                   hubs.lists(),
                                   states.data(),
                                   progress.data(),
                                   0,
                                   job.has_bands ? find_band(side, corners.get<FV>(), job.positions)
                                                 : std::numeric_limits<Real>::infinity(),
                                   job.limit,
                                   job.keep,
                                   job.is_circular};
  side.for_each(n, StartFronts<Real>{start});
  const std::uint32_t done = run(start);
  side.for_each(n, TakeFronts<Real>{values.data(), job.distances, job.sources});
  return done;
}

}  // namespace tessera::detail
