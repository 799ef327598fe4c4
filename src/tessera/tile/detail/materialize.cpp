#include <tessera/tile/materialize.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <tessera/core/config.h>
#include <tessera/core/detail/monitor.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/detail/host_only.h>
#include <tessera/tile/detail/boundaries.h>
#include <tessera/tile/detail/cuda/device_relations.h>
#include <tessera/tile/detail/groups.h>
#include <tessera/tile/detail/half_star.h>
#include <tessera/tile/detail/merge_rows.h>
#include <tessera/tile/detail/share.h>
#include <tessera/tile/detail/transpose.h>
#include <tessera/tile/detail/upper_cells.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;

/// Makes relations of one mesh: a specialised twin of the tile kernels (rows.h), which give the same rows.
///
///   boundaries   EV FV FE TV TE TF: written straight into place; rows have one length
///   vertices     VV VE VF VT, and EF: boundaries transposed
///   cells        ET FT, TT and boundary flags: from half stars
///   others       EE FF, and TT where a facet has three cells or more: rows of the sides merged
template <int Dim>
class Materializer {
 public:
  static constexpr Kind top = static_cast<Kind>(Dim);
  static constexpr Kind facet = static_cast<Kind>(Dim - 1);

  Materializer(const TiledMesh<Dim>& tiles, const Enumeration<Dim>& enumeration, bool needs_whole,
               const MaterializeOptions& options)
      : tiles_(&tiles), exec_(Exec::host(options.exec.threads())), monitor_(monitor_of(options.monitor)) {
    report(0);
    if (needs_whole && !enumeration.is_explicit()) {
      temporary_ = Enumeration<Dim>::make_explicit(tiles, exec_, options.expected);
      report(0.3);
    }
    whole_ = !needs_whole ? nullptr : temporary_.has_value() ? &temporary_->whole() : &enumeration.whole();
    shares_ = make_shares(tiles, whole_, options.exec.threads());
    boundaries_ = Boundaries<Dim>(tiles, whole_);
  }

  void report(double fraction) const { monitor_.update("working out a relation", fraction); }

  template <class R>
  [[nodiscard]] auto make() const {
    if constexpr (R::is_boundary) {
      return boundary<R>();
    } else if constexpr (R::is_coboundary) {
      return coboundary<R>();
    } else if constexpr (R::from == Kind::vertex) {
      return vertex_neighbours();
    } else if constexpr (R::from == top) {
      return cell_neighbours<R>();
    } else {
      return adjacency<R>();
    }
  }

  /// Facets with one cell, and what lies on them.
  template <Kind K>
  [[nodiscard]] IdArray<tiled::IdOf<K>, std::uint8_t> boundary_flags() const {
    IdArray<tiled::IdOf<K>, std::uint8_t> flags(count(K), 0);
    const auto set = [&](uint32_t id) {
      std::atomic_ref(flags[tiled::IdOf<K>(id)])
          .store(1, std::memory_order_relaxed);  // others may set it too
    };
    for_each_upper<facet>([&](uint32_t v, const auto& around, size_t, size_t) {
      for (uint32_t i = 0; i < around.row_count(); ++i) {
        if (around.row(i).size() != 1) continue;
        const uint32_t f = around.first_row() + i;
        if constexpr (K == top) {
          set(around.row(i)[0]);
        } else if constexpr (K == facet) {
          set(f);
        } else {
          const auto corners = facet_corners(v, f);
          for (size_t k = 0; k < corners.size(); ++k) {
            if constexpr (K == Kind::vertex) {
              set(corners[k]);
            } else {
              for (size_t j = k + 1; j < corners.size(); ++j) set(whole_->edge_id(corners[k], corners[j]));
            }
          }
        }
      }
      return size_t{0};
    });
    return flags;
  }

  /// How many elements of a kind there are.
  [[nodiscard]] size_t count(Kind kind) const { return shares_.back()[kind].end; }

 private:
  using Across = std::array<uint32_t, Dim + 1>;  ///< by facet: the other cell there
  static constexpr uint32_t nobody = 0xFFFFFFFFu;

  /// The faces of kind L of all elements of kind K.
  template <Kind K, Kind L>
  [[nodiscard]] Array<BoundaryRow<K, L>> boundary_rows() const {
    Array<BoundaryRow<K, L>> rows(count(K));
    for_each_share(shares_, [&](size_t i) {
      boundaries_.template for_each<K, L>(shares_[i],
                                          [&](uint32_t id, const BoundaryRow<K, L>& row) { rows[id] = row; });
    });
    return rows;
  }

  /// The same as rows of ids. All are of one length, so that every share knows where to write.
  template <class R>
  [[nodiscard]] TiledCsr<R> boundary() const {
    constexpr uint32_t length = faces_of_simplex(R::from, R::to);
    TiledCsr<R> csr;
    csr.values.resize(checked_offset(length * count(R::from)));
    csr.offsets.resize(count(R::from) + 1);
    csr.offsets[0] = 0;
    for_each_share(shares_, [&](size_t i) {
      uint32_t* end = csr.offsets.data() + 1;
      auto* out = csr.values.data() + length * shares_[i][R::from].begin;
      boundaries_.template for_each<R::from, R::to>(shares_[i], [&](uint32_t id, const auto& row) {
        for_each_entry(row, [&](uint32_t face) { *out++ = typename R::TiledEntry(face); });
        end[id] = length * (id + 1);
      });
    });
    return csr;
  }

  /// The transpose of a boundary that is kept, row after row.
  template <class R>
  [[nodiscard]] TiledCsr<R> transposed(const Array<BoundaryRow<R::to, R::from>>& faces) const {
    const auto each = [&](const Share& share, auto&& emit) {
      for (size_t i = share[R::to].begin; i < share[R::to].end; ++i)
        for_each_entry(faces[i], [&](uint32_t f) { emit(f, static_cast<uint32_t>(i)); });
    };
    return Transpose(std::span<const Share>(shares_), R::from, each)
        .template run<typename R::TiledRow, typename R::TiledEntry>();
  }

  /// Vertices are at hand twice; the edges of faces are searched for once and kept meanwhile; cells come from
  /// the half stars.
  template <class R>
  [[nodiscard]] TiledCsr<R> coboundary() const {
    if constexpr (R::from != Kind::vertex && R::to == top) {
      return cells_around<R>();
    } else if constexpr (R::from == Kind::vertex) {
      const auto each = [&](const Share& share, auto&& emit) {
        boundaries_.template for_each<R::to, R::from>(share, [&](uint32_t id, const auto& row) {
          for_each_entry(row, [&](uint32_t v) { emit(v, id); });
        });
      };
      return Transpose(std::span<const Share>(shares_), R::from, each)
          .template run<typename R::TiledRow, typename R::TiledEntry>();
    } else {
      return transposed<R>(boundary_rows<R::to, R::from>());
    }
  }

  template <Kind K>
  struct CellScratch {
    explicit CellScratch(const TiledMesh<Dim>& tiles) : around(tiles) {}
    HalfStars<Dim> stars;
    UpperCells<Dim, K> around;
    std::uint64_t hits = 0;
  };

  /// Calls f(v, around, at, limit) for the edges or faces of every vertex: `at` counts the cells around all
  /// earlier ones, and f returns it with its own added; `limit` counts those of the whole group.
  template <Kind K, class F>
  void for_each_upper(F&& f) const {
    const auto load = [&](const TileGroup& group, CellScratch<K>& mine) {
      mine.stars.load(*tiles_, group.begin, group.end);
      mine.hits = K == Kind::edge ? mine.stars.edge_hits() : mine.stars.face_hits();
      return mine.hits;
    };
    const auto visit = [&](const TileGroup&, CellScratch<K>& mine, std::uint64_t before) {
      if (monitor_.is_stopped()) return;  // the next report says so
      const auto owned = mine.stars.vertices();
      size_t at = before;
      const size_t end = before + mine.hits;
      for (uint32_t v = owned.begin; v < owned.end; ++v) {
        mine.around.build(*whole_, mine.stars, v);
        at = f(v, mine.around, at, end);
      }
    };
    for_each_group<CellScratch<K>>(*tiles_, exec_, load, visit);
  }

  /// The vertices of a facet whose lowest is v.
  [[nodiscard]] std::array<uint32_t, Dim> facet_corners(uint32_t v, uint32_t f) const {
    if constexpr (Dim == 2) {
      return {v, whole_->edge_hi[f]};
    } else {
      const uint32_t* ends = whole_->face_offsets.data() + 1;
      const auto edge =
          std::upper_bound(ends + whole_->edge_offsets[v], ends + whole_->edge_offsets[v + 1], f);
      return {v, whole_->edge_hi[static_cast<size_t>(edge - ends)], whole_->face_hi[f]};
    }
  }

  /// Cells across each facet, 4 bytes a facet of a cell meanwhile. Where three cells or more share a facet
  /// the general way is taken.
  template <class R>
  [[nodiscard]] TiledCsr<R> cell_neighbours() const {
    Array<Across> across(count(top));
    std::atomic<bool> is_crowded{false};
    for_each_upper<facet>([&](uint32_t, const auto& around, size_t, size_t) {
      for (uint32_t i = 0; i < around.row_count(); ++i) {
        const auto row = around.row(i);
        const std::uint8_t* facets = around.facets(i);
        if (row.size() == 2) {
          across[row[0]][facets[0]] = row[1];
          across[row[1]][facets[1]] = row[0];
        } else if (row.size() == 1) {
          across[row[0]][facets[0]] = nobody;
        } else {
          is_crowded = true;
        }
      }
      return size_t{0};
    });
    report(0.5);
    return is_crowded ? adjacency<R>() : sorted_rows<R>(across);
  }

  /// One trip through memory: a chunk's entries are counted, and it is sorted when those before are known.
  template <class R>
  [[nodiscard]] TiledCsr<R> sorted_rows(const Array<Across>& across) const {
    constexpr size_t chunk = 8192;
    const size_t chunks = (across.size() + chunk - 1) / chunk;
    TiledCsr<R> csr;
    csr.offsets.resize(across.size() + 1);
    csr.offsets[0] = 0;
    csr.values.resize(checked_offset(across.size() * (Dim + 1)));
    host::ChunkTotals<std::uint64_t> totals(chunks);
    host::for_each_chunk(exec_.threads(), across.size(), chunk, [&](host::Range range, int) {
      std::uint64_t entries = 0;
      for (size_t c = range.begin; c < range.end; ++c)
        for_each_entry(across[c], [&](uint32_t other) { entries += other != nobody ? 1 : 0; });
      uint32_t at = static_cast<uint32_t>(totals.exchange(range.begin / chunk, entries));
      const size_t limit = at + entries;
      for (size_t c = range.begin; c < range.end; ++c) {
        const Across row = sorted(across[c]);
        for (size_t k = 0; k <= Dim; ++k) {
          if (at + k < limit) csr.values[at + k] = typename R::TiledEntry(row[k]);  // nobody comes last
        }
        for_each_entry(row, [&](uint32_t other) { at += other != nobody ? 1 : 0; });
        csr.offsets[c + 1] = at;
      }
    });
    csr.values.resize(totals.total(chunks));
    return csr;
  }

  static Across sorted(Across row) {
    for (size_t end = Dim; end > 0; --end) {
      for (size_t i = 0; i < end; ++i) {
        const auto [low, high] = std::minmax({row[i], row[i + 1]});
        row[i] = low, row[i + 1] = high;
      }
    }
    return row;
  }

  /// Rows lie one after the other, so that a block may be copied where a row is shorter: the next one
  /// follows.
  template <class R>
  [[nodiscard]] TiledCsr<R> cells_around() const {
    using Entry = typename R::TiledEntry;
    Csr<typename R::TiledRow, Entry> csr;
    csr.offsets.resize(count(R::from) + 1);
    csr.offsets[0] = 0;
    csr.values.resize(checked_offset(std::uint64_t{faces_of_simplex(R::to, R::from)} * count(R::to)));
    for_each_upper<R::from>([&](uint32_t, const auto& around, size_t at, size_t limit) {
      constexpr size_t block = R::from == Kind::edge ? 16 : 4;
      uint32_t* ends = csr.offsets.data() + around.first_row() + 1;
      Entry* values = csr.values.data();
      for (uint32_t i = 0; i < around.row_count(); ++i) {
        const auto row = around.row(i);
        void* to = values + at;  // an id is its index
        if (row.size() <= block && at + block <= limit && around.is_padded(block)) {
          std::memcpy(to, row.data(), block * sizeof(Entry));
        } else {
          std::memcpy(to, row.data(), row.size_bytes());
        }
        at += row.size();
        ends[i] = static_cast<uint32_t>(at);
      }
      return at;
    });
    return csr;
  }

  [[nodiscard]] TiledCsr<VV> vertex_neighbours() const {
    const auto each = [&](const Share& share, auto&& emit) {
      boundaries_.template for_each<Kind::edge, Kind::vertex>(share, [&](uint32_t, const auto& ends) {
        emit(ends[1], ends[0]);
        emit(ends[0], ends[1]);
      });
    };
    return Transpose(std::span<const Share>(shares_), Kind::vertex, each)
        .template run<tiled::VertexId, tiled::VertexId>();
  }

  /// The others around each facet of an element. Two elements share one facet at most, so that a row's length
  /// is known from those of the facets.
  template <class R>
  [[nodiscard]] TiledCsr<R> adjacency() const {
    constexpr Kind kind = R::from;
    constexpr Kind side = static_cast<Kind>(static_cast<int>(kind) - 1);
    constexpr size_t length = faces_of_simplex(kind, side);
    const auto sides = boundary_rows<kind, side>();
    const auto around = transposed<Relation<side, kind>>(sides);
    report(0.5);
    std::vector<std::uint64_t> first(shares_.size() + 1, 0);
    for_each_share(shares_, [&](size_t i) {
      const host::Range own = shares_[i][kind];
      std::uint64_t entries = 0;
      for (size_t x = own.begin; x < own.end; ++x)
        for_each_entry(sides[x],
                       [&](uint32_t f) { entries += around.offsets[f + 1] - around.offsets[f] - 1; });
      first[i + 1] = entries;
    });
    std::partial_sum(first.begin(), first.end(), first.begin());
    TiledCsr<R> csr;
    csr.offsets.resize(count(kind) + 1);
    csr.offsets[0] = 0;
    csr.values.resize(checked_offset(first.back()));
    for_each_share(shares_, [&](size_t i) {
      OthersAround<typename R::TiledEntry, length> others;
      auto* limit = csr.values.data() + first[i + 1];
      auto* out = csr.values.data() + first[i];
      for (size_t x = shares_[i][kind].begin; x < shares_[i][kind].end; ++x) {
        std::array<std::span<const typename R::TiledEntry>, length> rows;
        for (size_t k = 0; k < length; ++k) rows[k] = around[tiled::IdOf<side>(sides[x][k])];
        out = others.write(rows, typename R::TiledEntry(static_cast<uint32_t>(x)), out, limit);
        csr.offsets[x + 1] = static_cast<uint32_t>(out - csr.values.data());
      }
    });
    return csr;
  }

  const TiledMesh<Dim>* tiles_;
  Exec exec_;
  const Monitor& monitor_;
  std::optional<Enumeration<Dim>> temporary_;
  const EnumerationPart* whole_ = nullptr;
  std::vector<Share> shares_;
  Boundaries<Dim> boundaries_;
};

}  // namespace

template <class R, int Dim>
requires RelationOf<R, Dim> TiledCsr<R> materialize(const TiledMesh<Dim>& tiles,
                                                    const Enumeration<Dim>& enumeration,
                                                    const MaterializeOptions& options) {
  constexpr bool is_of_cells = static_cast<int>(R::from) == Dim || static_cast<int>(R::to) == Dim;
  constexpr bool is_of_vertices = R::from == Kind::vertex || R::to == Kind::vertex;
  if constexpr (built_with_cuda) {
    if (options.exec.is_cuda()) {
      const Monitor& monitor = monitor_of(options.monitor);
      monitor.update("working out a relation", 0);
      const auto copy = device_tiles(tiles, options.exec);
      cuda::DeviceRelations<Dim> relations(tiles, *copy, options.exec);
      auto csr = cuda::materialize<R>(relations);
      monitor.update("working out a relation", 1);
      return csr;
    }
  }
  const Materializer<Dim> materializer(tiles, enumeration, !(is_of_cells && is_of_vertices), options);
  auto csr = materializer.template make<R>();
  materializer.report(1);
  return csr;
}

template <Kind K, int Dim>
IdArray<tiled::IdOf<K>, std::uint8_t> materialize_boundary(const TiledMesh<Dim>& tiles,
                                                           const Enumeration<Dim>& enumeration,
                                                           const MaterializeOptions& options) {
  (void)host_only(options.exec, "materialize_boundary()");
  const Materializer<Dim> materializer(tiles, enumeration, true, options);
  auto flags = materializer.template boundary_flags<K>();
  materializer.report(1);
  return flags;
}

#define TS_INSTANTIATE(R, Dim)                                                             \
  template TiledCsr<R> materialize<R, Dim>(const TiledMesh<Dim>&, const Enumeration<Dim>&, \
                                           const MaterializeOptions&)
#include <tessera/tile/detail/instantiate_relations.inc>

#define TS_INSTANTIATE_BOUNDARY(K, Dim)                                        \
  template IdArray<tiled::IdOf<K>, std::uint8_t> materialize_boundary<K, Dim>( \
      const TiledMesh<Dim>&, const Enumeration<Dim>&, const MaterializeOptions&)
TS_INSTANTIATE_BOUNDARY(Kind::vertex, 2);
TS_INSTANTIATE_BOUNDARY(Kind::edge, 2);
TS_INSTANTIATE_BOUNDARY(Kind::face, 2);
TS_INSTANTIATE_BOUNDARY(Kind::vertex, 3);
TS_INSTANTIATE_BOUNDARY(Kind::edge, 3);
TS_INSTANTIATE_BOUNDARY(Kind::face, 3);
TS_INSTANTIATE_BOUNDARY(Kind::tet, 3);

}  // namespace tessera
