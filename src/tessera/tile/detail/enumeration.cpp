#include <tessera/tile/enumeration.h>

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include <tessera/core/csr.h>
#include <tessera/exec/detail/host_only.h>
#include <tessera/tile/detail/enumeration_part.h>
#include <tessera/tile/detail/groups.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;

template <int Dim>
struct Scratch {
  explicit Scratch(const TiledMesh<Dim>& tiles) : star(tiles) {}
  HalfStars<Dim> stars;
  UpperStar<Dim> star;
  EnumerationPart part;
};

struct Sizes {
  std::uint64_t edges = 0;
  std::uint64_t faces = 0;
  friend Sizes operator+(Sizes a, Sizes b) { return {a.edges + b.edges, a.faces + b.faces}; }
};

/// Copies a part's offsets, counted from the whole's beginning. The first one is the end of the part before,
/// which writes it.
void append_offsets(Array<uint32_t>& to, size_t at, const Array<uint32_t>& from, uint32_t shift) {
  for (size_t i = 1; i < from.size(); ++i) to[at + i] = from[i] + shift;
}

/// Puts parts together that are finished in any order: each is copied, out of its worker's cache, to where it
/// belongs. How large the whole will be is guessed from the cells that are done, with some room that is never
/// touched; if that is not enough, the arrays grow while nobody copies.
class Assembly {
 public:
  Assembly(size_t vertices, size_t cells, EnumerationSize expected, bool has_faces) : cells_(cells) {
    whole_.edge_offsets.resize(vertices + 1);
    whole_.edge_offsets[0] = 0;
    whole_.edge_hi.resize(expected.edges);
    whole_.face_offsets.resize(has_faces ? expected.edges + 1 : 1);
    whole_.face_hi.resize(has_faces ? expected.faces : 0);
  }

  /// `cells_done`: how many cells this part and those before it have.
  void add(const EnumerationPart& part, Sizes before, size_t cells_done) {
    make_room(before + Sizes{part.edge_hi.size(), part.face_hi.size()}, cells_done);
    const std::shared_lock lock(growing_);
    const uint32_t edge = checked_offset(before.edges);
    const uint32_t face = checked_offset(before.faces);
    append_offsets(whole_.edge_offsets, part.first_vertex, part.edge_offsets, edge);
    append_offsets(whole_.face_offsets, edge, part.face_offsets, face);
    std::ranges::copy(part.edge_hi, whole_.edge_hi.begin() + edge);
    std::ranges::copy(part.face_hi, whole_.face_hi.begin() + face);
  }

  EnumerationPart finish(Sizes total, bool has_faces) {
    whole_.edge_hi.resize(checked_offset(total.edges));
    whole_.face_offsets.resize(has_faces ? total.edges + 1 : 1);
    whole_.face_offsets[0] = 0;
    whole_.face_hi.resize(checked_offset(total.faces));
    return std::move(whole_);
  }

 private:
  void make_room(Sizes needed, size_t cells_done) {
    const std::unique_lock lock(growing_);
    const auto grow = [&](Array<uint32_t>& array, std::uint64_t size) {
      if (size <= array.size()) return;
      const double share = static_cast<double>(cells_) / static_cast<double>(std::max<size_t>(1, cells_done));
      const auto guess = static_cast<std::uint64_t>(1.1 * share * static_cast<double>(size));
      array.reserve(std::max(size, std::min<std::uint64_t>(guess, size + 6 * cells_)));
      array.resize(array.capacity());
    };
    grow(whole_.edge_hi, needed.edges);
    grow(whole_.face_offsets, needed.edges + 1);
    grow(whole_.face_hi, needed.faces);
  }

  size_t cells_;
  std::shared_mutex growing_;
  EnumerationPart whole_;
};

}  // namespace

namespace detail {

template <int Dim>
void fill_part(const HalfStars<Dim>& stars, UpperStar<Dim>& star, EnumerationPart& part) {
  const auto owned = stars.vertices();
  part.first_vertex = owned.begin;
  part.edge_offsets.resize(owned.size() + 1);
  part.edge_offsets[0] = 0;
  uint32_t edges = 0;
  uint32_t faces = 0;
  const auto make_room = [](Array<uint32_t>& array, size_t size) {
    if (array.size() < size) array.resize(2 * size);
  };
  make_room(part.face_offsets, 1);
  part.face_offsets[0] = 0;
  for (uint32_t v = owned.begin; v < owned.end; ++v) {
    star.build(stars, v);
    make_room(part.edge_hi, edges + star.edge_count());
    make_room(part.face_offsets, edges + star.edge_count() + 1);
    make_room(part.face_hi, faces + star.most_faces());
    uint32_t* edge_hi = part.edge_hi.data();
    uint32_t* face_hi = part.face_hi.data();
    uint32_t* face_offsets = part.face_offsets.data();
    star.for_each(
        [&](uint32_t b) {
          face_offsets[edges] = faces;
          edge_hi[edges++] = b;
        },
        [&](uint32_t c) { face_hi[faces++] = c; });
    part.edge_offsets[v - owned.begin + 1] = edges;
  }
  part.face_offsets[edges] = faces;
  part.edge_hi.resize(edges);
  part.face_offsets.resize(Dim == 3 ? edges + 1 : 1);
  part.face_hi.resize(faces);
}

template void fill_part(const HalfStars<2>&, UpperStar<2>&, EnumerationPart&);
template void fill_part(const HalfStars<3>&, UpperStar<3>&, EnumerationPart&);

}  // namespace detail

template <int Dim>
size_t Enumeration<Dim>::bytes() const {
  return 4 * (first_edge_.size() + first_face_.size()) + (is_explicit() ? whole_->bytes() : 0);
}

template <int Dim>
void Enumeration<Dim>::number_cells(const TiledMesh<Dim>& tiles) {
  first_face_.resize(tiles.tile_count() + 1);
  for (size_t t = 0; t < tiles.tile_count(); ++t)
    first_face_[t] = tiles.internal_cells(TileId(static_cast<uint32_t>(t))).begin;
  first_face_.back() = static_cast<uint32_t>(tiles.cell_count());
}

template <int Dim>
void Enumeration<Dim>::number_tiles(const TiledMesh<Dim>& tiles) {
  first_edge_.resize(tiles.tile_count() + 1);
  first_face_.resize(tiles.tile_count() + 1);
  for (size_t t = 0; t <= tiles.tile_count(); ++t) {
    const uint32_t vertex = t == tiles.tile_count() ? static_cast<uint32_t>(tiles.vertex_count())
                                                    : tiles.vertices(TileId(static_cast<uint32_t>(t))).begin;
    first_edge_[t] = whole_->edge_offsets[vertex];
    if constexpr (Dim == 3) first_face_[t] = whole_->face_offsets[first_edge_[t]];
  }
  if constexpr (Dim == 2) number_cells(tiles);
}

template <int Dim>
Enumeration<Dim> Enumeration<Dim>::make_implicit(const TiledMesh<Dim>& tiles, const Exec& exec) {
  (void)host_only(exec, "an implicit enumeration");
  Enumeration result;
  result.first_edge_.assign(tiles.tile_count() + 1, 0);
  result.first_face_.assign(tiles.tile_count() + 1, 0);
  const auto count = [&](const TileGroup& group, Scratch<Dim>& mine) {
    mine.stars.load(tiles, group.begin, group.end);
    for (TileId t = group.begin; t < group.end; ++t) {
      for (uint32_t v = tiles.vertices(t).begin; v < tiles.vertices(t).end; ++v) {
        mine.star.build(mine.stars, v);
        result.first_edge_[t.index()] += mine.star.edge_count();
        if constexpr (Dim == 3) result.first_face_[t.index()] += mine.star.face_count();
      }
    }
    return 0;
  };
  for_each_group<Scratch<Dim>>(tiles, exec, count, [](const TileGroup&, Scratch<Dim>&, int) {});
  const auto scan = [](Array<uint32_t>& counts) {
    std::uint64_t sum = 0;
    for (uint32_t& place : counts) sum += std::exchange(place, checked_offset(sum));
  };
  scan(result.first_edge_);
  Dim == 3 ? scan(result.first_face_) : result.number_cells(tiles);
  return result;
}

template <int Dim>
Enumeration<Dim> Enumeration<Dim>::make_explicit(const TiledMesh<Dim>& tiles, const Exec& exec,
                                                 EnumerationSize expected) {
  (void)host_only(exec, "an explicit enumeration");
  Assembly whole(tiles.vertex_count(), tiles.cell_count(), expected, Dim == 3);
  const auto work_out = [&](const TileGroup& group, Scratch<Dim>& mine) {
    mine.stars.load(tiles, group.begin, group.end);
    fill_part(mine.stars, mine.star, mine.part);
    return Sizes{mine.part.edge_hi.size(), mine.part.face_hi.size()};
  };
  const auto add = [&](const TileGroup& group, Scratch<Dim>& mine, Sizes before) {
    whole.add(mine.part, before, tiles.internal_cells(TileId(group.end.index() - 1)).end);
  };
  const Sizes total = for_each_group<Scratch<Dim>>(tiles, exec, work_out, add);
  return from_whole(tiles, whole.finish(total, Dim == 3));
}

template <int Dim>
Enumeration<Dim> Enumeration<Dim>::from_whole(const TiledMesh<Dim>& tiles, EnumerationPart whole) {
  Enumeration result;
  result.whole_ = std::make_shared<const EnumerationPart>(std::move(whole));
  result.number_tiles(tiles);
  return result;
}

template class Enumeration<2>;
template class Enumeration<3>;

}  // namespace tessera
