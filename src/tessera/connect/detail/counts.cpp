#include <tessera/connect/detail/counts.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <vector>

#include <tessera/exec/detail/host/walk.h>
#include <tessera/tile/detail/star.h>

namespace tessera::detail {
namespace {

using std::size_t;
using std::uint32_t;
using std::uint64_t;

constexpr Kind top_of(int dimension) {
  return dimension == 3 ? Kind::tet : Kind::face;
}

/// How far stars must be worked out for a set of relations.
enum class Depth { cells, neighbours, triangles };

Depth depth_for(std::span<const RelationKey> relations, int dimension) {
  Depth depth = Depth::cells;
  const auto is_free = [&](Kind kind) { return kind == Kind::vertex || kind == top_of(dimension); };
  for (const RelationKey& key : relations) {
    if (is_free(key.from) && is_free(key.to) && key.from != key.to) continue;
    const bool few = dimension == 2 || key == key_of<VV>;
    depth = std::max(depth, few ? Depth::neighbours : Depth::triangles);
  }
  return depth;
}

/// What one tile has, and from that what all have.
struct Tally {
  std::array<uint64_t, RelationKey::count> entries{};
  std::array<uint64_t, RelationKey::count> largest_entries{};
  uint64_t edges = 0, faces = 0;
  uint64_t ee = 0, ff = 0, neighbours = 0;  // sums over all tiles
  uint64_t most_faces = 0, most_cells = 0;  // at an edge, at a facet
  uint64_t ee_part = 0, ff_part = 0;        // what a tile knows of its own rows
  LargestTile largest;

  void merge(const Tally& other) {
    for (size_t i = 0; i < entries.size(); ++i) {
      entries[i] += other.entries[i];
      largest_entries[i] = std::max(largest_entries[i], other.largest_entries[i]);
    }
    edges += other.edges, faces += other.faces;
    ee += other.ee, ff += other.ff, neighbours += other.neighbours;
    const auto raise = [](uint64_t& a, uint64_t b) { a = std::max(a, b); };
    raise(most_faces, other.most_faces), raise(most_cells, other.most_cells);
    raise(ee_part, other.ee_part), raise(ff_part, other.ff_part);
    raise(largest.vertices, other.largest.vertices), raise(largest.ghosts, other.largest.ghosts);
    raise(largest.cells, other.largest.cells), raise(largest.internal_cells, other.largest.internal_cells);
    raise(largest.star_entries, other.largest.star_entries);
    raise(largest.edges, other.largest.edges), raise(largest.faces, other.largest.faces);
    raise(largest.star, other.largest.star), raise(largest.degree, other.largest.degree);
  }
};

/// Counts one tile after the other, for one worker.
template <int Dim>
class TileCounter {
 public:
  TileCounter(const TiledMesh<Dim>& tiles, std::span<const RelationKey> relations)
      : tiles_(tiles), depth_(depth_for(relations, Dim)) {
    for (const RelationKey& key : relations) is_wanted_[key.index()] = true;
  }

  void add(TileId t) {
    one_ = {};
    view_.load(tiles_, t);
    const auto owned = tiles_.vertices(t);
    one_.largest.vertices = owned.size();
    one_.largest.ghosts = view_.vertex_count() - owned.size();
    one_.largest.internal_cells = tiles_.internal_cells(t).size();
    one_.largest.cells = one_.largest.internal_cells + tiles_.external_cells(t).size();
    for (uint32_t v = owned.begin; v < owned.end; ++v) {
      const auto star = view_.star(tiled::VertexId(v));
      entry<Kind::vertex, top>() += star.size();
      one_.largest.star = std::max<uint64_t>(one_.largest.star, star.size());
      if (depth_ != Depth::cells) add_star(tiled::VertexId(v));
    }
    one_.largest.star_entries = entry<Kind::vertex, top>();
    finish(one_.largest.internal_cells);
    total_.merge(one_);
  }

  [[nodiscard]] const Tally& total() const { return total_; }

 private:
  static constexpr Kind top = top_of(Dim);
  static constexpr RelationKey neighbours_of_cells = {top, top};

  template <Kind From, Kind To>
  uint64_t& entry() {
    return one_.entries[RelationKey{From, To}.index()];
  }

  void add_star(tiled::VertexId v) {
    star_.build(view_, v, depth_ == Depth::triangles ? StarDepth::upper_links : StarDepth::neighbours);
    const uint64_t degree = star_.neighbours().size();
    one_.largest.degree = std::max(one_.largest.degree, degree);
    one_.edges += star_.upper();
    one_.ee += degree * (degree - (degree > 0 ? 1 : 0));
    one_.ee_part += star_.upper() * degree;
    entry<Kind::vertex, Kind::vertex>() += degree;
    star_.for_each_cell([&](uint32_t, const auto& ranks) {
      uint64_t upper = 0;
      for (const uint32_t rank : ranks) upper += rank >= star_.lower() ? 1 : 0;
      entry<Kind::edge, top>() += upper;
      if constexpr (Dim == 3) entry<Kind::face, top>() += upper * (upper - (upper > 0 ? 1 : 0)) / 2;
    });
    if (Dim == 3 && depth_ == Depth::triangles) add_triangles();
    if (is_wanted_[neighbours_of_cells.index()]) add_facets();
  }

  /// The faces around each edge of the center: those of its upper edges belong to this tile.
  void add_triangles() {
    const uint32_t degree = static_cast<uint32_t>(star_.neighbours().size());
    at_edge_.assign(degree, 0);
    for (uint32_t p = 0; p < degree; ++p) {
      star_.for_each_upper_link(p, [&](uint32_t q, bool) {
        ++at_edge_[p];
        ++at_edge_[q];
      });
    }
    for (uint32_t p = 0; p < degree; ++p) {
      entry<Kind::vertex, Kind::face>() += at_edge_[p];  // each face twice, halved at the end
      if (p < star_.lower()) continue;
      const uint64_t faces = at_edge_[p];
      one_.faces += star_.upper_link_count(p);
      entry<Kind::edge, Kind::face>() += faces;
      one_.ff += faces * (faces - (faces > 0 ? 1 : 0));
      one_.most_faces = std::max(one_.most_faces, faces);
      if (is_wanted_[key_of<FF>.index()])
        star_.for_each_upper_link(p, [&](uint32_t q, bool) { one_.ff_part += faces + at_edge_[q]; });
    }
  }

  /// The cells at each facet whose lowest vertex is the center.
  void add_facets() {
    first_.assign(1, 0);
    for (uint32_t p = star_.lower(); p < star_.neighbours().size(); ++p)
      first_.push_back(first_.back() + (Dim == 3 ? star_.upper_link_count(p) : 1));
    at_facet_.assign(first_.back(), 0);
    star_.for_each_cell([&](uint32_t, const auto& ranks) {
      for (size_t i = 0; i < ranks.size(); ++i) {
        if (ranks[i] < star_.lower()) continue;
        const uint32_t first = first_[ranks[i] - star_.lower()];
        if constexpr (Dim == 2) {
          ++at_facet_[first];
        } else {
          for (size_t j = i + 1; j < ranks.size(); ++j)
            ++at_facet_[first + star_.upper_link_place(ranks[i], ranks[j])];
        }
      }
    });
    for (const uint64_t cells : at_facet_) {
      one_.neighbours += cells * (cells - 1);
      one_.most_cells = std::max(one_.most_cells, cells);
    }
  }

  /// What follows from the rest.
  void finish(uint64_t cells) {
    if constexpr (Dim == 2) one_.faces = cells;
    one_.largest.edges = one_.edges;
    one_.largest.faces = one_.faces;
    entry<Kind::vertex, Kind::edge>() = entry<Kind::vertex, Kind::vertex>();
    entry<Kind::edge, Kind::vertex>() = 2 * one_.edges;
    entry<Kind::face, Kind::vertex>() = entry<Kind::face, Kind::edge>() = 3 * one_.faces;
    if constexpr (Dim == 3) {
      entry<Kind::vertex, Kind::face>() /= 2;
      entry<Kind::tet, Kind::vertex>() = entry<Kind::tet, Kind::face>() = 4 * cells;
      entry<Kind::tet, Kind::edge>() = 6 * cells;
    }
    one_.largest_entries = one_.entries;
  }

  const TiledMesh<Dim>& tiles_;
  Depth depth_;
  std::array<bool, RelationKey::count> is_wanted_{};
  TileView<Dim> view_;
  VertexStar<Dim> star_;
  std::vector<uint64_t> at_edge_;
  std::vector<uint32_t> first_;
  std::vector<uint64_t> at_facet_;
  Tally one_;
  Tally total_;
};

template <int Dim>
ConnectCounts sizes_of(const TiledMesh<Dim>& tiles) {
  ConnectCounts counts;
  counts.dimension = Dim;
  counts.vertices = tiles.vertex_count();
  counts.cells = tiles.cell_count();
  counts.tiles = tiles.tile_count();
  counts.external_cells = tiles.ribbon().external_cells;
  counts.tiled_mesh = tiles.bytes();
  counts.borrows_cells = tiles.borrows_cells();
  counts.renames_cells = !tiles.keeps_cell_order();
  return counts;
}

/// Totals of the relations that follow from the numbers of elements.
void set_simple_entries(ConnectCounts& counts, std::array<uint64_t, RelationKey::count>& entries,
                        const std::array<uint64_t, 4>& n) {
  const auto set = [&](std::initializer_list<RelationKey> keys, uint64_t count) {
    for (const RelationKey& key : keys) entries[key.index()] = count;
  };
  set({key_of<VV>, key_of<VE>, key_of<EV>}, 2 * n[1]);
  set({key_of<VF>, key_of<FV>, key_of<FE>, key_of<EF>}, 3 * n[2]);
  if (counts.dimension == 2) return;
  set({key_of<VT>, key_of<TV>, key_of<FT>, key_of<TF>}, 4 * n[3]);
  set({key_of<ET>, key_of<TE>}, 6 * n[3]);
}

/// A link has an entry for each cell at its element.
void set_link_entries(ConnectCounts& counts) {
  for (const RelationKey& link : list_links(counts.dimension)) {
    const RelationKey cells = {link.from, top_of(counts.dimension)};
    counts.entries[link.index()] = counts.entries[cells.index()];
    counts.largest_entries[link.index()] = counts.largest_entries[cells.index()];
  }
}

}  // namespace

std::vector<RelationKey> list_counted(std::span<const RelationKey> relations, int dimension) {
  const Depth depth = depth_for(relations, dimension);
  std::vector<RelationKey> all = list_relations(dimension);
  for (const RelationKey& link : list_links(dimension)) all.push_back(link);
  std::erase_if(all, [&](const RelationKey& key) {
    if (std::ranges::find(relations, key) != relations.end()) return false;
    const bool is_extra = key == key_of<FF> || key == RelationKey{top_of(dimension), top_of(dimension)};
    return is_extra || depth_for(std::span(&key, 1), dimension) > depth;
  });
  return all;
}

uint64_t ConnectCounts::count(Kind kind) const {
  if (kind == Kind::vertex) return vertices;
  if (kind == top_of(dimension)) return cells;
  return kind == Kind::edge ? edges : faces;
}

uint64_t ConnectCounts::largest_rows(RelationKey key) const {
  if (key.from == Kind::vertex) return largest.vertices;
  if (key.from == top_of(dimension)) return largest.internal_cells;
  return key.from == Kind::edge ? largest.edges : largest.faces;
}

template <int Dim>
ConnectCounts count_relations(const TiledMesh<Dim>& tiles, std::span<const RelationKey> relations,
                              const Exec& exec) {
  const auto counters = host::walk(
      tiles.tile_count(), {exec}, [&](int) { return TileCounter<Dim>(tiles, relations); },
      [](TileCounter<Dim>& counter, size_t t) { counter.add(TileId(static_cast<uint32_t>(t))); });
  Tally tally;
  for (const auto& counter : counters) {
    if (counter != nullptr) tally.merge(counter->total());
  }
  ConnectCounts counts = sizes_of(tiles);
  counts.source = ConnectCounts::Source::exact;
  counts.edges = tally.edges;
  counts.faces = Dim == 3 ? tally.faces : counts.cells;
  counts.largest = tally.largest;
  counts.entries = tally.entries;
  counts.largest_entries = tally.largest_entries;
  const auto set = [&](RelationKey key, uint64_t total, uint64_t largest) {
    counts.entries[key.index()] = total;
    counts.largest_entries[key.index()] = std::min(total, largest);
  };
  const LargestTile& most = counts.largest;
  set(key_of<EE>, tally.ee, tally.ee_part + most.edges * most.degree);
  if (Dim == 3) set(key_of<FF>, tally.ff, tally.ff_part + most.faces * tally.most_faces);
  set({top_of(Dim), top_of(Dim)}, tally.neighbours,
      (Dim + 1) * most.internal_cells * (std::max<uint64_t>(tally.most_cells, 1) - 1));
  set_link_entries(counts);
  return counts;
}

template <int Dim>
ConnectCounts bound_relations(const TiledMesh<Dim>& tiles) {
  ConnectCounts counts = sizes_of(tiles);
  counts.source = ConnectCounts::Source::bound;
  counts.edges = (Dim == 3 ? 6 : 3) * counts.cells;
  counts.faces = Dim == 3 ? 4 * counts.cells : counts.cells;
  LargestTile& most = counts.largest;
  for (uint32_t t = 0; t < counts.tiles; ++t) {
    const uint64_t cells = tiles.internal_cells(TileId(t)).size() + tiles.external_cells(TileId(t)).size();
    most.vertices = std::max<uint64_t>(most.vertices, tiles.vertices(TileId(t)).size());
    most.cells = std::max(most.cells, cells);
    most.internal_cells = most.cells;
  }
  most.ghosts = std::min(Dim * most.cells, counts.vertices);
  most.star_entries = (Dim + 1) * most.cells;
  most.star = most.cells;
  most.degree = most.ghosts + most.vertices;
  most.edges = (Dim == 3 ? 6 : 3) * most.cells;
  most.faces = (Dim == 3 ? 4 : 1) * most.cells;
  counts.entries.fill(std::numeric_limits<uint64_t>::max() / 64);
  counts.largest_entries.fill(std::numeric_limits<uint64_t>::max() / 64);
  set_simple_entries(counts, counts.entries, {counts.vertices, counts.edges, counts.faces, counts.cells});
  set_simple_entries(counts, counts.largest_entries, {most.vertices, most.edges, most.faces, most.cells});
  set_link_entries(counts);
  return counts;
}

template <int Dim>
ConnectCounts bound_stars(const TiledMesh<Dim>& tiles, const Exec& exec) {
  ConnectCounts counts = bound_relations(tiles);
  struct Most {  // of a worker
    uint64_t star = 0;
    uint64_t entries = 0;
    std::vector<uint32_t> stars;
  };
  const auto most = host::walk(
      tiles.tile_count(), {exec}, [](int) { return Most{}; },
      [&](Most& own, size_t t) {
        const TileId tile(static_cast<uint32_t>(t));
        const auto owned = tiles.vertices(tile);
        own.stars.assign(owned.size(), 0);
        uint64_t entries = 0;
        const auto add = [&](uint32_t c) {
          for (const tiled::VertexId v : tiles.cells()[c]) {
            if (v.index() - owned.begin >= owned.size()) continue;
            ++own.stars[v.index() - owned.begin];
            ++entries;
          }
        };
        for (uint32_t c = tiles.internal_cells(tile).begin; c < tiles.internal_cells(tile).end; ++c) add(c);
        for (const uint32_t c : tiles.external_cells(tile)) add(c);
        own.entries = std::max(own.entries, entries);
        for (const uint32_t star : own.stars) own.star = std::max<uint64_t>(own.star, star);
      });
  counts.largest.star = counts.largest.star_entries = 0;
  for (const auto& worker : most) {
    if (worker == nullptr) continue;
    counts.largest.star = std::max(counts.largest.star, worker->star);
    counts.largest.star_entries = std::max(counts.largest.star_entries, worker->entries);
  }
  counts.largest.degree = std::min(counts.largest.degree, Dim * counts.largest.star);
  const RelationKey star = {Kind::vertex, top_of(Dim)};
  counts.entries[star.index()] = (Dim + 1) * counts.cells;
  counts.largest_entries[star.index()] = counts.largest.star_entries;
  return counts;
}

ConnectCounts estimate_relations(const MeshSize& size) {
  ConnectCounts counts;
  const bool solid = size.dimension == 3;
  counts.dimension = size.dimension;
  counts.vertices = size.vertices;
  counts.cells = size.cells;
  const double v = static_cast<double>(size.vertices);
  const double c = static_cast<double>(size.cells);
  const auto whole = [](double number) { return static_cast<uint64_t>(std::ceil(number)); };
  // Euler's formula, with a boundary of `open` facets: 2 I + B = 4 T (or 3 T) facets of cells.
  const double open = solid ? std::min(4 * c, 24 * std::cbrt(v * v)) : std::min(3 * c, 8 * std::sqrt(v));
  counts.faces = solid ? whole(2 * c + open / 2) : size.cells;
  counts.edges = solid ? whole(std::min(6 * c, v + c + open / 2)) : whole((3 * c + open) / 2);
  const double tile = std::min(v, static_cast<double>(size.tile_vertices));
  constexpr double fill = 0.25;  // octree tiles are between an eighth full and full
  const double side = solid ? std::cbrt(fill * tile) : std::sqrt(fill * tile);
  counts.tiles = size.vertices == 0 ? 0 : whole(v / std::max(1.0, fill * tile));
  const double share = counts.tiles <= 1 ? 0 : (solid ? 3.0 : 2.5) / std::max(1.0, side);
  counts.external_cells = whole(share * c);
  counts.tiled_mesh = 4 * (3 * counts.vertices + (size.dimension == 3 ? 5 : 4) * counts.cells +
                           3 * (counts.tiles + 1) + counts.external_cells + counts.cells / 32 + 1);
  const double per_vertex = v > 0 ? 1.2 * c / v : 0;  // 1.2: the largest tile is not the average one
  LargestTile& most = counts.largest;
  most.vertices = whole(tile);
  most.cells = whole(tile * per_vertex * (1 + share));
  most.internal_cells = whole(tile * per_vertex);
  most.ghosts = std::min<uint64_t>(size.vertices, whole(tile * 3 * share) + 8);
  most.star_entries = whole(tile * per_vertex * (size.dimension + 1));
  most.edges = whole(v > 0 ? 1.2 * tile * static_cast<double>(counts.edges) / v : 0);
  most.faces = whole(v > 0 ? 1.2 * tile * static_cast<double>(counts.faces) / v : 0);
  most.star = whole(4 * per_vertex * (size.dimension + 1));
  most.degree = 64;
  const std::array<uint64_t, 4> all = {counts.vertices, counts.edges, counts.faces, counts.cells};
  set_simple_entries(counts, counts.entries, all);
  set_simple_entries(
      counts, counts.largest_entries,
      {most.vertices, most.edges, solid ? most.faces : most.internal_cells, most.internal_cells});
  // 1.2: the mean of squares is above the square of the mean.
  const auto set = [&](RelationKey key, double rows, uint64_t tile_rows, double length) {
    counts.entries[key.index()] = whole(1.2 * rows * length);
    counts.largest_entries[key.index()] = whole(1.2 * static_cast<double>(tile_rows) * length);
  };
  const double edges = std::max(1.0, static_cast<double>(counts.edges));
  const double degree = 2 * edges / std::max(1.0, v);
  set(key_of<EE>, edges, most.edges, 2 * degree);
  if (solid)
    set(key_of<FF>, static_cast<double>(counts.faces), most.faces,
        9 * static_cast<double>(counts.faces) / edges);
  set({top_of(size.dimension), top_of(size.dimension)}, c, most.internal_cells, size.dimension + 1);
  set_link_entries(counts);
  return counts;
}

template ConnectCounts count_relations(const TiledMesh<2>&, std::span<const RelationKey>, const Exec&);
template ConnectCounts count_relations(const TiledMesh<3>&, std::span<const RelationKey>, const Exec&);
template ConnectCounts bound_relations(const TiledMesh<2>&);
template ConnectCounts bound_relations(const TiledMesh<3>&);
template ConnectCounts bound_stars(const TiledMesh<2>&, const Exec&);
template ConnectCounts bound_stars(const TiledMesh<3>&, const Exec&);

}  // namespace tessera::detail
