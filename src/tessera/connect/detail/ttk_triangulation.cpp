#include <tessera/connect/ttk_triangulation.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>

#include <tessera/connect/detail/input_ids.h>
#include <tessera/connect/detail/ttk_incenters.h>
#include <tessera/core/error.h>
#include <tessera/tile/detail/row_search.h>
#include <tessera/tile/materialize.h>
#include <tessera/tile/push.h>

namespace tessera {

using namespace detail;

bool TtkGradientCache::contains(const Key& key) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const auto& entry) { return entry.first == key; });
}

void TtkGradientCache::insert(const Key& key, const Gradient& gradient) {
  if (contains(key)) return;
  if (entries_.size() >= capacity_ && !entries_.empty()) entries_.pop_back();
  entries_.emplace_front(key, gradient);
}

TtkGradientCache::Gradient* TtkGradientCache::get(const Key& key) {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const auto& entry) { return entry.first == key; });
  if (found == entries_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found);
  return &entries_.front().second;
}

namespace detail {
namespace {

using std::uint32_t;

/// By slot, what must be called before its rows are asked for.
constexpr std::array<const char*, ttk_rows> preconditions = {"preconditionVertexNeighbors()",
                                                             "preconditionVertexEdges()",
                                                             "preconditionVertexTriangles()",
                                                             "preconditionVertexStars()",
                                                             "preconditionEdges()",
                                                             "",
                                                             "preconditionEdgeTriangles()",
                                                             "preconditionEdgeStars()",
                                                             "preconditionTriangles()",
                                                             "preconditionTriangleEdges()",
                                                             "preconditionCellNeighbors()",
                                                             "preconditionTriangleStars()",
                                                             "",
                                                             "preconditionCellEdges()",
                                                             "preconditionCellTriangles()",
                                                             "preconditionCellNeighbors()",
                                                             "preconditionVertexLinks()",
                                                             "preconditionEdgeLinks()",
                                                             "preconditionTriangleLinks()"};

template <int Dim, class Tuple>
struct Optional;
template <int Dim, class... R>
struct Optional<Dim, std::tuple<R...>> {
  using Rows = std::tuple<std::optional<tessera::Rows<R, Dim>>...>;
  using Readers = std::tuple<std::optional<typename tessera::Rows<R, Dim>::Reader>...>;
};

template <int Dim>
using Offered = std::conditional_t<
    Dim == 3,
    std::tuple<VV, VE, VF, VT, EV, EF, ET, FV, FE, FT, TE, TF, TT, VertexLink<3>, EdgeLink<3>, FaceLink<3>>,
    std::tuple<VV, VE, VF, EV, EF, FE, FF, VertexLink<2>, EdgeLink<2>>>;

/// Can an explicit enumeration tell the row? Not the vertices of cells: the mesh itself has them.
template <class R>
constexpr bool is_downwards = !is_link<R> && R::to < R::from;

}  // namespace

/// Behind the header: the connection, what answers come from, and what each thread holds.
template <int Dim>
class TtkCore {
 public:
  static constexpr Kind top = Dim == 3 ? Kind::tet : Kind::face;
  static constexpr Kind facet = Dim == 3 ? Kind::face : Kind::edge;

  struct Memory : ThreadRows {
    typename Optional<Dim, Offered<Dim>>::Readers readers;
    std::array<std::array<uint32_t, 6>, ttk_rows> own;           // rows read off the enumeration
    std::array<RowBuffer, ttk_rows + ttk_neighbour_rows> found;  // rows searched in it, and copies
  };

  TtkCore(const TiledMesh<Dim>& tiles, const ConnectOptions& options)
      : tiles_(tiles), options_(options), conn_(tiles, options), ids_(tiles, true) {}

  [[nodiscard]] const TiledMesh<Dim>& tiles() const { return tiles_; }
  [[nodiscard]] const Exec& exec() const { return options_.exec; }
  const Enumeration<Dim>& enumeration() {
    if (enumeration_ == nullptr) {
      enumeration_ = &connect_and_number();
      if (enumeration_->is_explicit()) corners_ = Corners(enumeration_->whole());
      if (is_searched()) search_ = RowSearch<Dim>(tiles_, *enumeration_, corners_);
    }
    return *enumeration_;
  }

  template <class R>
  void prepare() {
    is_ready_[ttk_slot<R>()] = true;
    (void)enumeration();
    if (is_searched() || is_downwards<R>) ids_.template prepare<R>(exec());
    if (is_downwards<R> ? !enumeration_->is_explicit() : !search_.is_complete())
      std::get<std::optional<Rows<R, Dim>>>(rows_) = std::get<0>(conn_.template request<R>());
  }

  template <class R>
  void fill(Memory& memory, int id) const {
    constexpr std::size_t slot = ttk_slot<R>();
    if (!is_ready_[slot]) contract_violation(preconditions[slot], __FILE__, __LINE__);
    RecentRow& recent = memory.recent[ttk_place<R>(id)];
    recent = {};
    if (static_cast<unsigned>(id) >= row_count<R>()) return;
    if constexpr (is_downwards<R>) {
      if (enumeration_->is_explicit()) {
        std::array<uint32_t, 6>& own = memory.own[slot];
        recent = {id, read_off<R>(static_cast<uint32_t>(id), own), own.data()};
        return;
      }
    } else if (is_searched() && try_search<R>(memory, id)) {
      return;
    }
    auto& reader = std::get<std::optional<typename Rows<R, Dim>::Reader>>(memory.readers);
    if (!reader.has_value()) reader.emplace(*std::get<std::optional<Rows<R, Dim>>>(rows_));
    const auto entries = (*reader)[typename R::Row(static_cast<uint32_t>(id))].indices();
    recent = {id, static_cast<int>(entries.size()), entries.data()};
    if constexpr (ttk_remembers_many<R>) {  // the reader holds only the tile of the last row
      RowBuffer& copy = memory.found[ttk_place<R>(id)];
      copy.assign(entries);
      recent.values = copy.values().data();
    }
  }

  Memory& add_thread() {
    const std::scoped_lock lock(mutex_);
    memories_.push_back(std::make_unique<Memory>());
    return *memories_.back();
  }
  std::mutex& mutex() { return mutex_; }

  template <Kind K>
  const std::uint8_t* boundary();
  bool is_manifold();
  [[nodiscard]] std::size_t footprint() const;

 private:
  template <class R>
  [[nodiscard]] std::size_t row_count() const {
    return R::from == Kind::vertex ? tiles_.vertex_count()
           : R::from == top        ? tiles_.cell_count()
           : R::from == Kind::edge ? enumeration_->edge_count()
                                   : enumeration_->face_count();
  }

  /// The connection's enumeration; where no mode was asked for, an explicit one if it fits.
  const Enumeration<Dim>& connect_and_number() {
    if (options_.mode != StorageMode::automatic) return conn_.enumeration();
    for (const StorageMode mode : {StorageMode::explicit_tiles, StorageMode::implicit_tiles}) {
      options_.mode = mode;
      conn_ = Connectivity<Dim>(tiles_, options_);
      try {
        return conn_.enumeration();
      } catch (const Error& error) {
        if (error.code() != ErrorCode::out_of_memory || mode == StorageMode::implicit_tiles) throw;
      }
    }
    return conn_.enumeration();
  }

  /// Rows that no array holds are searched for, if there is an enumeration to search in. The tiles of the
  /// connection then have only what the search refuses.
  [[nodiscard]] bool is_searched() const { return options_.mode == StorageMode::explicit_tiles; }

  template <class R>
  bool try_search(Memory& memory, int id) const {
    RowBuffer& row = memory.found[ttk_place<R>(id)];
    const uint32_t tiled = ids_.template to_tiled<R>(typename R::Row(static_cast<uint32_t>(id))).index();
    if (!search_.template try_fill<R>(tiled, row)) return false;
    ids_.template rename_row<R>(row.values());
    memory.recent[ttk_place<R>(id)] = {id, static_cast<int>(row.values().size()), row.values().data()};
    return true;
  }

  [[nodiscard]] uint32_t to_input(uint32_t v) const { return tiles_.input(tiled::VertexId(v)).index(); }

  /// A row downwards from the explicit enumeration; returns its length.
  template <class R>
  int read_off(uint32_t id, std::array<uint32_t, 6>& row) const {
    const EnumerationPart& part = enumeration_->whole();
    if constexpr (R::from == top) {
      return read_off_cell<R>(tiles_[ids_.template to_tiled<R>(typename R::Row(id))], row);
    } else if constexpr (R::from == Kind::edge) {
      const auto [a, b] = corners_.edge(id);
      std::tie(row[0], row[1]) = std::minmax({to_input(a), to_input(b)});
      return 2;
    } else if constexpr (R::to == Kind::vertex) {
      const auto [a, b, c] = corners_.face(id);
      row[0] = to_input(a), row[1] = to_input(b), row[2] = to_input(c);
      if (row[1] < row[0]) std::swap(row[0], row[1]);
      if (row[2] < row[1]) std::swap(row[1], row[2]);
      if (row[1] < row[0]) std::swap(row[0], row[1]);
      return 3;
    } else {
      row[0] = corners_.lowest_edge(id);
      const auto [a, b] = corners_.edge(row[0]);
      row[1] = part.edge_id(a, part.face_hi[id]);
      row[2] = part.edge_id(b, part.face_hi[id]);
      return 3;
    }
  }

  template <class R>
  int read_off_cell(const typename TiledMesh<Dim>::Cell& cell, std::array<uint32_t, 6>& row) const {
    const EnumerationPart& part = enumeration_->whole();
    std::size_t n = 0;
    if constexpr (R::to == Kind::edge) {
      for (std::size_t i = 0; i < cell.size(); ++i) {
        for (std::size_t j = i + 1; j < cell.size(); ++j)
          row[n++] = part.edge_id(cell[i].index(), cell[j].index());
      }
    } else {
      for (std::size_t left_out = cell.size(); left_out-- > 0;) {
        std::array<uint32_t, 3> face;
        for (std::size_t i = 0, k = 0; i < cell.size(); ++i) {
          if (i != left_out) face[k++] = cell[i].index();
        }
        row[n++] = part.face_id(face[0], face[1], face[2]);
      }
    }
    return static_cast<int>(n);
  }

  const IdArray<tiled::IdOf<facet>, std::uint8_t>& facets() {
    if (facet_flags_.size() == 0)
      facet_flags_ =
          materialize_boundary<facet>(tiles_, enumeration(), {.exec = Exec::host(exec().threads())});
    return facet_flags_;
  }
  /// Calls f(facet, its vertices) for the facets with one cell; the enumeration is explicit.
  template <class F>
  void for_each_boundary_facet(F&& f) {
    const auto& flags = facets();
    for (uint32_t i = 0; i < flags.size(); ++i) {
      if (flags[tiled::IdOf<facet>(i)] == 0) continue;
      if constexpr (Dim == 3) {
        f(i, corners_.face(i));
      } else {
        f(i, corners_.edge(i));
      }
    }
  }
  void flag_vertices();
  void flag_edges();

  const TiledMesh<Dim>& tiles_;
  ConnectOptions options_;
  Connectivity<Dim> conn_;
  const Enumeration<Dim>* enumeration_ = nullptr;
  Corners corners_;
  RowSearch<Dim> search_;
  InputIds<Dim> ids_;
  typename Optional<Dim, Offered<Dim>>::Rows rows_;
  std::array<bool, ttk_rows> is_ready_{};
  IdArray<tiled::IdOf<facet>, std::uint8_t> facet_flags_;
  Array<std::uint8_t> vertex_flags_;
  Array<std::uint8_t> edge_flags_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Memory>> memories_;
};

template <int Dim>
void TtkCore<Dim>::flag_vertices() {
  vertex_flags_.assign(tiles_.vertex_count(), 0);
  if (enumeration().is_explicit()) {
    for_each_boundary_facet([&](uint32_t, const auto& corners) {
      for (const uint32_t v : corners) vertex_flags_[to_input(v)] = 1;
    });
    return;
  }
  const auto flags =
      materialize_boundary<Kind::vertex>(tiles_, *enumeration_, {.exec = Exec::host(exec().threads())});
  for (uint32_t v = 0; v < vertex_flags_.size(); ++v) vertex_flags_[to_input(v)] = flags[tiled::VertexId(v)];
}

template <int Dim>
void TtkCore<Dim>::flag_edges() {
  edge_flags_.assign(enumeration().edge_count(), 0);
  if (enumeration_->is_explicit()) {
    for_each_boundary_facet([&](uint32_t facet_id, const auto& corners) {
      if constexpr (Dim == 3) {
        const EnumerationPart& part = enumeration_->whole();
        edge_flags_[corners_.lowest_edge(facet_id)] = 1;
        edge_flags_[part.edge_id(corners[0], corners[2])] = 1;
        edge_flags_[part.edge_id(corners[1], corners[2])] = 1;
      } else {
        edge_flags_[facet_id] = 1;
      }
    });
    return;
  }
  const auto flags =
      materialize_boundary<Kind::edge>(tiles_, *enumeration_, {.exec = Exec::host(exec().threads())});
  std::copy(flags.begin(), flags.end(), edge_flags_.begin());
}

template <int Dim>
template <Kind K>
const std::uint8_t* TtkCore<Dim>::boundary() {
  if constexpr (K == Kind::vertex) {
    if (vertex_flags_.empty()) flag_vertices();
    return vertex_flags_.data();
  } else if constexpr (K == Kind::edge) {
    if (edge_flags_.empty()) flag_edges();
    return edge_flags_.data();
  } else {
    return facets().data();
  }
}

template <int Dim>
bool TtkCore<Dim>::is_manifold() {
  std::atomic<bool> result{true};
  const Exec host = Exec::host(exec().threads());
  for_each<Relation<facet, top>>(tiles_, PushOptions<Dim>{.exec = host, .enumeration = &enumeration()},
                                 [&](tiled::IdOf<facet>, auto cells) {
                                   if (cells.size() > 2) result.store(false, std::memory_order_relaxed);
                                 });
  return result;
}

template <int Dim>
std::size_t TtkCore<Dim>::footprint() const {
  std::size_t bytes = ids_.bytes() + facet_flags_.size() + vertex_flags_.size() + edge_flags_.size() +
                      corners_.bytes() + search_.bytes() + sizeof(Memory) * memories_.size();
  if (enumeration_ != nullptr) bytes += enumeration_->bytes();
  std::apply([&](const auto&... rows) { ((bytes += rows.has_value() ? rows->bytes() : 0), ...); }, rows_);
  return bytes;
}

int checked_ttk_count(std::size_t count, const char* what) {
  if (count > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw Error(ErrorCode::unsupported,
                std::to_string(count) + " " + what + " do not fit TTK's 4-byte ids (at most 2147483647)");
  }
  return static_cast<int>(count);
}

}  // namespace detail

// NOLINTBEGIN(readability-identifier-naming)

template <int Dim>
TtkTriangulation<Dim>::TtkTriangulation(const SimplexMesh<Dim>& mesh, const TiledMesh<Dim>& tiles,
                                        const ConnectOptions& options)
    : vertex_count_(checked_ttk_count(mesh.vertex_count(), "vertices")),
      cell_count_(checked_ttk_count(mesh.cell_count(), "cells")),
      cells_(mesh.cells.data()),
      core_(std::make_unique<detail::TtkCore<Dim>>(tiles, options)) {
  TS_EXPECTS(mesh.vertex_count() == tiles.vertex_count() && mesh.cell_count() == tiles.cell_count());
  mesh.points.visit([&](auto points) {
    if constexpr (std::is_same_v<typename decltype(points)::value_type, Vec3f>) {
      floats_ = reinterpret_cast<const float*>(points.data());
    } else {
      doubles_ = reinterpret_cast<const double*>(points.data());
    }
  });
}

template <int Dim>
TtkTriangulation<Dim>::~TtkTriangulation() = default;

template <int Dim>
void TtkTriangulation<Dim>::fail(const char* precondition) {
  contract_violation(precondition, __FILE__, __LINE__);
}

template <int Dim>
detail::ThreadRows& TtkTriangulation<Dim>::add_thread() const {
  return core_->add_thread();
}

template <int Dim>
template <class R>
void TtkTriangulation<Dim>::fill(detail::ThreadRows& mine, SimplexId id) const {
  core_->template fill<R>(static_cast<typename detail::TtkCore<Dim>::Memory&>(mine), id);
}

template <int Dim>
template <class R>
void TtkTriangulation<Dim>::prepare() {
  core_->template prepare<R>();
}

template <int Dim>
int TtkTriangulation<Dim>::preconditionVertexNeighbors() {
  return prepare<VV>(), 0;
}
template <int Dim>
int TtkTriangulation<Dim>::preconditionVertexEdges() {
  preconditionEdges();
  return prepare<VE>(), 0;
}
template <int Dim>
int TtkTriangulation<Dim>::preconditionVertexTriangles() {
  preconditionTriangles();
  return prepare<VF>(), 0;
}
template <int Dim>
int TtkTriangulation<Dim>::preconditionVertexStars() {
  return prepare<VertexStars>(), 0;
}
template <int Dim>
int TtkTriangulation<Dim>::preconditionVertexLinks() {
  return prepare<VertexLink<Dim>>(), 0;
}
template <int Dim>
int TtkTriangulation<Dim>::preconditionEdges() {
  edge_count_ = checked_ttk_count(core_->enumeration().edge_count(), "edges");
  return prepare<EV>(), 0;
}
template <int Dim>
int TtkTriangulation<Dim>::preconditionEdgeTriangles() {
  preconditionEdges();
  preconditionTriangles();
  return prepare<EF>(), 0;
}
template <int Dim>
int TtkTriangulation<Dim>::preconditionEdgeStars() {
  preconditionEdges();
  return prepare<EdgeStars>(), 0;
}
template <int Dim>
int TtkTriangulation<Dim>::preconditionEdgeLinks() {
  preconditionEdges();
  return prepare<EdgeLink<Dim>>(), 0;
}
template <int Dim>
int TtkTriangulation<Dim>::preconditionTriangles() {
  if constexpr (Dim == 3) {
    triangle_count_ = checked_ttk_count(core_->enumeration().face_count(), "triangles");
    prepare<FV>();
  }
  return 0;
}
template <int Dim>
int TtkTriangulation<Dim>::preconditionTriangleEdges() {
  preconditionEdges();
  preconditionTriangles();
  return prepare<FE>(), 0;
}
template <int Dim>
int TtkTriangulation<Dim>::preconditionTriangleStars() {
  if constexpr (Dim == 2) return -1;
  preconditionTriangles();
  if constexpr (Dim == 3) prepare<FT>();
  return 0;
}
template <int Dim>
int TtkTriangulation<Dim>::preconditionTriangleLinks() {
  if constexpr (Dim == 2) return -2;
  preconditionTriangles();
  if constexpr (Dim == 3) prepare<FaceLink<3>>();
  return 0;
}
template <int Dim>
int TtkTriangulation<Dim>::preconditionCellEdges() {
  preconditionEdges();
  return prepare<CellEdges>(), 0;
}
template <int Dim>
int TtkTriangulation<Dim>::preconditionCellTriangles() {
  if constexpr (Dim == 3) preconditionTriangles();
  return prepare<CellTriangles>(), 0;
}
template <int Dim>
int TtkTriangulation<Dim>::preconditionCellNeighbors() {
  return prepare<CellNeighbors>(), 0;
}
template <int Dim>
int TtkTriangulation<Dim>::preconditionBoundaryVertices() {
  vertex_on_boundary_ = core_->template boundary<Kind::vertex>();
  return 0;
}
template <int Dim>
int TtkTriangulation<Dim>::preconditionBoundaryEdges() {
  preconditionEdges();
  edge_on_boundary_ = core_->template boundary<Kind::edge>();
  return 0;
}
template <int Dim>
int TtkTriangulation<Dim>::preconditionBoundaryTriangles() {
  preconditionTriangles();
  if constexpr (Dim == 3) triangle_on_boundary_ = core_->template boundary<Kind::face>();
  return 0;
}
template <int Dim>
int TtkTriangulation<Dim>::preconditionManifold() {
  if (is_manifold_ < 0) is_manifold_ = core_->is_manifold() ? 1 : 0;
  return 0;
}

template <int Dim>
int TtkTriangulation<Dim>::getEdgeIncenter(SimplexId edge, float incenter[3]) const {
  return edge_incenter(*this, edge, incenter);
}
template <int Dim>
int TtkTriangulation<Dim>::getTriangleIncenter(SimplexId triangle, float incenter[3]) const {
  return triangle_incenter(*this, triangle, incenter);
}
template <int Dim>
int TtkTriangulation<Dim>::getTetraIncenter(SimplexId tetra, float incenter[3]) const {
  return tetra_incenter(*this, tetra, incenter);
}
template <int Dim>
int TtkTriangulation<Dim>::getCellIncenter(SimplexId cell, int dimension, float incenter[3]) const {
  return cell_incenter(*this, cell, dimension, incenter);
}

template <int Dim>
std::size_t TtkTriangulation<Dim>::footprint() const {
  return core_->footprint();
}

// NOLINTEND(readability-identifier-naming)

template class TtkTriangulation<2>;
template class TtkTriangulation<3>;

#define TS_INSTANTIATE_FILL(R, Dim) \
  template void TtkTriangulation<Dim>::fill<R>(detail::ThreadRows&, SimplexId) const
TS_INSTANTIATE_FILL(VV, 2);
TS_INSTANTIATE_FILL(VE, 2);
TS_INSTANTIATE_FILL(VF, 2);
TS_INSTANTIATE_FILL(EV, 2);
TS_INSTANTIATE_FILL(EF, 2);
TS_INSTANTIATE_FILL(FE, 2);
TS_INSTANTIATE_FILL(FF, 2);
TS_INSTANTIATE_FILL(VertexLink<2>, 2);
TS_INSTANTIATE_FILL(EdgeLink<2>, 2);
TS_INSTANTIATE_FILL(VV, 3);
TS_INSTANTIATE_FILL(VE, 3);
TS_INSTANTIATE_FILL(VF, 3);
TS_INSTANTIATE_FILL(VT, 3);
TS_INSTANTIATE_FILL(EV, 3);
TS_INSTANTIATE_FILL(EF, 3);
TS_INSTANTIATE_FILL(ET, 3);
TS_INSTANTIATE_FILL(FV, 3);
TS_INSTANTIATE_FILL(FE, 3);
TS_INSTANTIATE_FILL(FT, 3);
TS_INSTANTIATE_FILL(TE, 3);
TS_INSTANTIATE_FILL(TF, 3);
TS_INSTANTIATE_FILL(TT, 3);
TS_INSTANTIATE_FILL(VertexLink<3>, 3);
TS_INSTANTIATE_FILL(EdgeLink<3>, 3);
TS_INSTANTIATE_FILL(FaceLink<3>, 3);
#undef TS_INSTANTIATE_FILL

}  // namespace tessera
