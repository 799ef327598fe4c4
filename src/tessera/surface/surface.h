// Surface: a triangle mesh where kernels run, on host threads or a GPU, and the relations between its
// elements.
//
//   ts::Surface surface(mesh, {.exec = ts::Exec::cuda()});
//   const auto position = ts::positions<float>(surface);
//   ts::Attribute<ts::VertexId, ts::Vec3f> normal(surface);
//   ts::for_each<ts::VF>(surface, TS_LAMBDA(ts::tiled::VertexId v, ts::IdSpan<ts::tiled::FaceId> faces) { ...
//   });
//
// The mesh is renumbered (tiled_mesh.h), so that what lies close together on the surface lies close together
// in memory, whatever the order of the input. Functions get tiled ids; attributes (attribute.h) take them,
// and speak the input's order to everyone else.
//
// Rows are worked out once, when a relation is first asked for, and kept: a query then reads what it hands
// out. Kept rows are dropped, the least recently used first, when the memory that was allowed is needed for
// others.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include <tessera/core/csr.h>
#include <tessera/core/error.h>
#include <tessera/core/id.h>
#include <tessera/core/memory.h>
#include <tessera/core/progress.h>
#include <tessera/exec/buffer.h>
#include <tessera/exec/exec.h>
#include <tessera/exec/for_each.h>
#include <tessera/generate/resident.h>
#include <tessera/mesh/mesh.h>
#include <tessera/tile/partition.h>
#include <tessera/tile/push.h>
#include <tessera/tile/relation.h>
#include <tessera/tile/tiled_mesh.h>

namespace tessera {

/// Can a surface be asked for it?
template <class R>
concept SurfaceRelation = PushableOf<R, 2> || std::same_as<R, OrientedFE> || std::same_as<R, Diamond>;

/// The rows of a relation, at the place of the surface: usable in kernels, row by row or as two arrays. Valid
/// as long as a RowsOf that holds them.
template <class R>
class SurfaceRows {
 public:
  using Row = typename R::TiledRow;
  using Entry = typename R::TiledEntry;
  /// The length of all rows; 0: they differ.
  static constexpr std::uint32_t width = R::form == Form::diamond           ? 4
                                         : is_link<R> || !(R::to < R::from) ? 0
                                         : R::from == Kind::edge            ? 2
                                                                            : 3;

  SurfaceRows() = default;
  SurfaceRows(RowsView<std::uint32_t> view, std::size_t size)
      : offsets_(view.offsets), values_(view.values), size_(size) {}

  [[nodiscard]] TS_HD std::size_t size() const { return size_; }
  [[nodiscard]] TS_HD IdSpan<Entry> operator[](Row id) const {
    if constexpr (width != 0) {
      return {values_ + std::size_t{width} * id.index(), width};
    } else {
      const std::uint32_t begin = offsets_[id.index()];
      return {values_ + begin, offsets_[id.index() + 1] - begin};
    }
  }
  /// Null if all rows have one length.
  [[nodiscard]] TS_HD const std::uint32_t* offsets() const { return offsets_; }
  [[nodiscard]] TS_HD const std::uint32_t* values() const { return values_; }

 private:
  const std::uint32_t* offsets_ = nullptr;
  const std::uint32_t* values_ = nullptr;
  std::size_t size_ = 0;
};

struct SurfaceOptions {
  Exec exec = Exec::host();  ///< where kernels run
  /// For the structure and the rows that are kept; 0: no limit but the machine's. Where a relation exceeds
  /// the limit, rows() is Error(out_of_memory), on a device Error(out_of_device_memory), and for_each() works
  /// its rows out tile by tile every time, which takes longer. Two cases cannot be worked out so: Diamond and
  /// OrientedFE fail in for_each() as in rows(), and for_each() of a mesh in a device's memory is
  /// Error(unsupported).
  Bytes memory = 0;
  std::uint32_t max_vertices = 512;            ///< a tile owns at most this many; a device's at most 256
  VertexOrder order = VertexOrder::automatic;  ///< lloyd clusters on the host, also for a device
  const Partition* partition = nullptr;  ///< use this one; Error(bad_mesh) if it does not match the mesh
  const Monitor* monitor = nullptr;      ///< of building it
};

/// What a surface takes at its place, in bytes.
struct SurfaceBytes {
  Bytes structure = 0;  ///< corners of the triangles and tiles
  Bytes input_ids = 0;  ///< the way back to the input's order; 0 if it was kept
  Bytes rows = 0;       ///< relations that are kept, edges among them
};

namespace detail {

/// Rows that are kept: they stay as long as somebody holds them, though the surface may drop them.
struct KeptRows;
class SurfaceStore;  // surface/detail/surface_store.h

}  // namespace detail

/// The rows of relations with what keeps them alive.
template <class... R>
class RowsOf {
 public:
  RowsOf(std::tuple<SurfaceRows<R>...> rows,
         std::array<std::shared_ptr<const detail::KeptRows>, sizeof...(R)> kept)
      : rows_(rows), kept_(std::move(kept)) {}
  [[nodiscard]] const std::tuple<SurfaceRows<R>...>& all() const { return rows_; }
  template <class S>
  [[nodiscard]] SurfaceRows<S> get() const {
    return std::get<SurfaceRows<S>>(rows_);
  }

 private:
  std::tuple<SurfaceRows<R>...> rows_;
  std::array<std::shared_ptr<const detail::KeptRows>, sizeof...(R)> kept_;
};

/// A cheap handle: copies share the surface. Any thread may ask for rows.
class Surface {
 public:
  /// O(n). Any order of vertices and triangles, non-manifold, non-orientable and disconnected meshes and
  /// isolated vertices and triangles are fine; every edge is a side of some triangle. The mesh must outlive
  /// the surface. Error(bad_mesh) for corners out of range, repeated in a triangle, or a triangle that is
  /// there twice; Error(out_of_memory | out_of_device_memory).
  explicit Surface(const TriMesh& mesh, const SurfaceOptions& options = {});
  explicit Surface(TriMesh&& mesh, const SurfaceOptions& options = {}) = delete;
  /// The same of a mesh that lies in the memory of the options' device, whose points must outlive the
  /// surface. Error(bad_option) if the options name no device, a partition, or VertexOrder::lloyd, which
  /// needs the mesh on the host.
  template <class Real>
  explicit Surface(const ResidentMesh<2, Real>& mesh, const SurfaceOptions& options);

  [[nodiscard]] const Exec& exec() const;
  [[nodiscard]] std::size_t vertex_count() const;
  [[nodiscard]] std::size_t face_count() const;
  /// Numbers the edges, when it is first asked.
  [[nodiscard]] std::size_t edge_count() const;
  [[nodiscard]] std::size_t count(Kind kind) const;
  /// Where the vertices of each tile begin, and their end.
  [[nodiscard]] std::span<const std::uint32_t> first_vertices() const;
  /// The mesh that it was made from; null if that lies on a device.
  [[nodiscard]] const TriMesh* mesh() const;
  [[nodiscard]] SurfaceBytes bytes() const;

  /// Rows at the surface's place, made if they are not there. A kernel may take rows of several relations,
  /// whose elements need not be of one kind. Error(out_of_memory | out_of_device_memory) if they do not fit.
  template <class... R>
  requires(SurfaceRelation<R>&&...) [[nodiscard]] RowsOf<R...> rows() const {
    std::array<std::shared_ptr<const detail::KeptRows>, sizeof...(R)> kept;
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      std::tuple<SurfaceRows<R>...> views{rows_of<R>(kept[I])...};
      return RowsOf<R...>(views, std::move(kept));
    }
    (std::index_sequence_for<R...>{});
  }

  /// Is there room for rows of all of these at once? Makes them to find out if the options limit the memory.
  template <class... R>
  requires(SurfaceRelation<R>&&...) [[nodiscard]] bool can_keep() const { return has_room({key_of<R>...}); }
  /// The tiles that rows are worked out from where they are not kept. Error(unsupported) if the mesh lies on
  /// a device.
  [[nodiscard]] const TiledMesh<2>& tiles() const;

  /// The input's id of each tiled one, at the surface's place; empty: they are the same. Edges have no ids in
  /// the input: theirs are the tiled ones.
  [[nodiscard]] std::span<const std::uint32_t> to_input(Kind kind) const;

  [[nodiscard]] detail::SurfaceStore& store() const { return *store_; }

 private:
  template <class R>
  [[nodiscard]] SurfaceRows<R> rows_of(std::shared_ptr<const detail::KeptRows>& kept) const {
    const RowsView<std::uint32_t> view = keep(key_of<R>, kept);
    return {view, count(R::from)};
  }
  [[nodiscard]] bool has_room(std::initializer_list<RelationKey> keys) const;
  [[nodiscard]] RowsView<std::uint32_t> keep(const RelationKey& key,
                                             std::shared_ptr<const detail::KeptRows>& kept) const;

  std::shared_ptr<detail::SurfaceStore> store_;
};

/// The sign of entry k in a face's row of FE or OrientedFE: 1 if the edge, which leads from its lower to its
/// higher vertex, runs the way the face winds, -1 if it runs against it. `corners` is the face's row of
/// OrientedFV.
template <class R>
requires(std::same_as<R, FE> || std::same_as<R, OrientedFE>) [[nodiscard]] TS_HD
    constexpr int edge_sign(IdSpan<tiled::VertexId> corners, std::size_t k) {
  if constexpr (R::form == Form::oriented) {
    return corners[k] < corners[(k + 1) % 3] ? 1 : -1;
  } else {
    // FE has ab, ac, bc of the ascending corners. A face winds ab, bc, ca, or ac, cb, ba if it is turned.
    const bool is_turned = corners[2] < corners[1];
    return (k == 1) == is_turned ? 1 : -1;
  }
}

struct QueryOptions {
  /// Only these elements, as tiled ids at the surface's place, each at most once; select() (attribute.h)
  /// makes such a list of flags. Others cost nothing.
  std::optional<std::span<const std::uint32_t>> active = std::nullopt;
};

namespace detail {

template <class... R>
using FirstRelation = std::tuple_element_t<0, std::tuple<R...>>;

/// What is done for one element of a query.
template <class F, class... R>
struct Query {
  F f;
  std::tuple<SurfaceRows<R>...> rows;
  const std::uint32_t* active;

  TS_HD void operator()(std::size_t i) const {
    const typename FirstRelation<R...>::TiledRow id(active != nullptr ? active[i]
                                                                      : static_cast<std::uint32_t>(i));
    f(id, std::get<SurfaceRows<R>>(rows)[id]...);
  }
};

/// The active elements as push wants them: on the host, ascending.
[[nodiscard]] Array<std::uint32_t> ascending_on_host(const Exec& exec, std::span<const std::uint32_t> active);
/// The places of the flags that are not 0, ascending; flags and places lie at exec's place.
[[nodiscard]] Buffer<std::uint32_t> list_flagged(const Exec& exec, std::span<const std::uint8_t> flags);

/// Starts a query through `run(exec, n, function)`, or through `walk(tiles, options)` where rows are not
/// kept.
template <class... R, class F, class Run, class Walk>
void query(const Surface& surface, const QueryOptions& options, const F& f, const Run& run,
           const Walk& walk) {
  static_assert(((R::from == FirstRelation<R...>::from) && ...),
                "the relations of one query begin with one kind of element");
  const bool has_list = options.active.has_value();
  if constexpr ((PushableOf<R, 2> && ...)) {
    if (!surface.can_keep<R...>()) {
      PushOptions<2> by_tile = {.exec = surface.exec()};
      Array<std::uint32_t> active;
      if (has_list) {
        active = ascending_on_host(surface.exec(), *options.active);
        by_tile.active = active;
      }
      return walk(surface.tiles(), by_tile);
    }
  }
  const RowsOf<R...> rows = surface.rows<R...>();
  const std::size_t n = has_list ? options.active->size() : surface.count(FirstRelation<R...>::from);
  run(surface.exec(), n, Query<F, R...>{f, rows.all(), has_list ? options.active->data() : nullptr});
}

/// A function that is called where a predicate holds.
template <class Predicate, class F>
struct Filtered {
  Predicate predicate;
  F f;

  template <class IdType, class... RowsOfIt>
  TS_HD void operator()(IdType id, const RowsOfIt&... rows) const {
    if (predicate(id)) f(id, rows...);
  }
};

/// Flags the elements where a predicate holds.
template <class IdType, class Predicate>
struct FlagWhere {
  Predicate predicate;
  std::uint8_t* flags;

  TS_HD void operator()(std::size_t i) const {
    flags[i] = predicate(IdType(static_cast<std::uint32_t>(i))) ? 1 : 0;
  }
};

/// Starts a query of the elements where a predicate holds through `start(options, function)`. Kept rows are
/// filtered as they are read. Where rows are worked out tile by tile, the predicate is asked first, through
/// `run(exec, n, function)`, so that tiles where it holds nowhere cost nothing.
template <class... R, class Predicate, class F, class Run, class Start>
void query_if(const Surface& surface, const Predicate& predicate, const F& f, const Run& run,
              const Start& start) {
  if constexpr ((PushableOf<R, 2> && ...)) {
    if (!surface.can_keep<R...>()) {
      using First = FirstRelation<R...>;
      Buffer<std::uint8_t> flags(surface.exec(), surface.count(First::from));
      run(surface.exec(), flags.size(),
          FlagWhere<typename First::TiledRow, Predicate>{predicate, flags.data()});
      const Buffer<std::uint32_t> active = list_flagged(surface.exec(), flags.span());
      return start(QueryOptions{.active = active.span()}, f);
    }
  }
  start(QueryOptions{}, Filtered<Predicate, F>{predicate, f});
}

}  // namespace detail

#if !defined(__CUDACC__)

namespace detail {

/// Runs a loop on host threads. Error(unsupported) for a device, which check() also throws.
struct RunOnHost {
  template <class F>
  void operator()(const Exec& exec, std::size_t n, const F& f) const {
    check(exec);
    host_for_each(exec, n, f);
  }
  static void check(const Exec& exec) {
    if (!exec.is_cuda()) return;
    throw Error(ErrorCode::unsupported,
                "for_each() was compiled without nvcc and cannot run on a GPU; call it from a .cu file that "
                "includes tessera/tessera.cuh");
  }
};

}  // namespace detail

/// Calls f(id, rows...) for every element of the kind that the relations begin with, or for the active ones,
/// concurrently and in no promised order. Error(unsupported) for a surface on a device: a host compiler
/// cannot make kernels; surface.cuh can.
template <class... R, class F>
requires(SurfaceRelation<R>&&...) void for_each(const Surface& surface, const QueryOptions& options,
                                                const F& f) {
  detail::RunOnHost::check(surface.exec());
  detail::query<R...>(surface, options, f, detail::RunOnHost{},
                      [&](const auto& tiles, const auto& by_tile) { for_each<R...>(tiles, by_tile, f); });
}
template <class... R, class F>
requires(SurfaceRelation<R>&&...) void for_each(const Surface& surface, const F& f) {
  for_each<R...>(surface, QueryOptions{}, f);
}
/// Only where predicate(id) holds, which is asked once for each element.
template <class... R, class Predicate, class F>
requires(SurfaceRelation<R>&&...) void for_each_if(const Surface& surface, const Predicate& predicate,
                                                   const F& f) {
  detail::query_if<R...>(
      surface, predicate, f, detail::RunOnHost{},
      [&](const QueryOptions& options, const auto& call) { for_each<R...>(surface, options, call); });
}

#endif

}  // namespace tessera
