#include <tessera/connect/detail/costs.h>

#include <bit>

#include <tessera/connect/detail/store.h>

namespace tessera::detail {
namespace {

using std::size_t;
using std::uint64_t;

// What the parts of tile/ and connect/ are made of.
constexpr uint64_t kept_neighbours = 48;           // Lookup's default
constexpr Bytes lookup_entry_bytes = 1024;         // one kept tile without its arrays' contents
constexpr Bytes worker_base_bytes = 8192;          // a RowWorker without its arrays' contents
constexpr Bytes candidate_bytes = 2 * 24;          // TileStore::Candidate, in a vector that grows
constexpr Bytes tile_overhead = 2 * 80;            // the two arrays of a tile's rows: headers, alignment
constexpr Bytes part_bytes = 512;                  // a TileRows in a list, and its arrays' headers
constexpr uint64_t group_vertices = 2048;          // for_each_group()'s
constexpr uint64_t vertex_table_bytes = 1u << 20;  // vertex_table_size
constexpr uint64_t growth = 2;                     // of an array that grows

bool names_others(RelationKey key) {  // EE, FF and TT look at neighbours' stars
  return !key.is_link && key.from == key.to && key.from != Kind::vertex;
}

}  // namespace

Bytes taken_by_array(Bytes bytes) {
  constexpr Bytes huge_page = mib(2);
  if (bytes >= huge_page) return (bytes + huge_page - 1) / huge_page * huge_page;
  return bytes == 0 ? 0 : (bytes + 63) / 64 * 64 + 80;
}

RelationSet set_of(std::span<const RelationKey> keys) {
  RelationSet set;
  for (const RelationKey& key : keys) set.set(key.index());
  return set;
}

template <class F>
Bytes ConnectCosts::sum(RelationSet set, F&& f) const {
  Bytes total = 0;
  for (size_t i = 0; i < set.size(); ++i) {
    if (set[i]) total += f(key_at(i, counts_.dimension));
  }
  return total;
}

bool ConnectCosts::needs_enumeration(RelationKey key) const {
  const auto is_numbered = [&](Kind kind) {
    return kind != Kind::vertex && static_cast<int>(kind) != counts_.dimension;
  };
  return is_numbered(key.from) || is_numbered(key.to);
}

bool ConnectCosts::needs_enumeration(RelationSet set) const {
  return sum(set, [&](RelationKey key) { return needs_enumeration(key) ? 1u : 0u; }) > 0;
}

Bytes ConnectCosts::mesh() const {
  return counts_.vertices * 12 + counts_.cells * 4 * (static_cast<uint64_t>(counts_.dimension) + 1);
}

Bytes ConnectCosts::enumeration(Numbering numbering) const {
  if (numbering == Numbering::none) return 0;
  const Bytes intervals = 2 * taken_by_array(4 * (counts_.tiles + 1));
  if (numbering == Numbering::implicit) return intervals;
  const EnumerationSize size = enumeration_size();
  Bytes whole = taken_by_array(4 * (counts_.vertices + 1)) + taken_by_array(4 * size.edges);
  if (counts_.dimension == 3) whole += taken_by_array(4 * (size.edges + 1)) + taken_by_array(4 * size.faces);
  return intervals + whole;
}

EnumerationSize ConnectCosts::enumeration_size() const {
  // VV is counted without faces. Euler's formula gives them, but for holes and hollows.
  const bool has_faces = counts_.dimension == 2 || counts_.faces > 0;
  return {counts_.edges, has_faces ? counts_.faces : counts_.edges + counts_.cells};
}

Bytes ConnectCosts::counter() const {
  return view() + star() + worker_base_bytes;
}

Bytes ConnectCosts::enumeration_peak(Numbering numbering, int threads) const {
  if (numbering == Numbering::none) return 0;
  const Bytes makers = static_cast<Bytes>(threads) * maker();
  const bool is_known = numbering == Numbering::implicit || counts_.source != ConnectCounts::Source::bound;
  return (is_known ? 1 : growth) * enumeration(numbering) + makers;
}

Bytes ConnectCosts::maps(RelationSet set) const {
  if (!counts_.renames_cells) return 0;
  const auto is_of_cells = [&](RelationKey key) { return static_cast<int>(key.from) == counts_.dimension; };
  const bool is_needed = sum(set, [&](RelationKey key) { return is_of_cells(key) ? 1u : 0u; }) > 0;
  return is_needed ? taken_by_array(4 * counts_.cells) : 0;
}

Bytes ConnectCosts::rows(RelationKey key) const {
  return taken_by_array(4 * (counts_.rows(key) + 1)) + taken_by_array(4 * counts_.entries[key.index()]);
}

Bytes ConnectCosts::rows_peak(RelationKey key, Numbering numbering, int threads) const {
  const Bytes parts =
      4 * (counts_.rows(key) + counts_.entries[key.index()]) + counts_.tiles * (part_bytes + 16);
  const Bytes made = rows(key) + parts;
  if (key.is_link)
    return made + static_cast<Bytes>(threads) * worker(RelationSet().set(key.index()), numbering);
  const bool is_of_vertices = key.from == Kind::vertex || key.to == Kind::vertex;
  const bool is_of_cells =
      std::max(static_cast<int>(key.from), static_cast<int>(key.to)) == counts_.dimension;
  const bool makes_own = numbering != Numbering::explicit_whole && !(is_of_vertices && is_of_cells);
  const Numbering own = makes_own ? Numbering::explicit_whole : Numbering::none;
  return std::max(enumeration_peak(own, threads),
                  enumeration(own) + made + static_cast<Bytes>(threads) * maker());
}

Bytes ConnectCosts::largest_tile(RelationKey key) const {
  return 4 * (counts_.largest_rows(key) + 1 + counts_.largest_entries[key.index()]);
}

Bytes ConnectCosts::slots(RelationSet set) const {
  return set.count() * counts_.tiles * (TileStore::slot_bytes() + candidate_bytes + tile_overhead);
}

Bytes ConnectCosts::view() const {
  const LargestTile& most = counts_.largest;
  const uint64_t corners = static_cast<uint64_t>(counts_.dimension) + 1;
  return growth * 4 * (corners * most.cells + most.vertices + 1 + most.star_entries + most.ghosts) +
         8 * std::max<uint64_t>(1024, std::bit_ceil(2 * most.ghosts));
}

Bytes ConnectCosts::star() const {
  const LargestTile& most = counts_.largest;
  const uint64_t corners = static_cast<uint64_t>(counts_.dimension);
  const Bytes pairs = most.degree > 64 ? growth * (6 * 12 * most.star + 4 * most.degree) : 0;
  return growth * 4 * (most.vertices + most.ghosts + 2 * (corners * most.star + 1)) + pairs;
}

Bytes ConnectCosts::part() const {
  const LargestTile& most = counts_.largest;
  return growth * 4 * (most.vertices + 2 * most.edges + most.faces + 2);
}

Bytes ConnectCosts::maker() const {
  const LargestTile& most = counts_.largest;
  const uint64_t tiles =
      std::clamp<uint64_t>(group_vertices * counts_.tiles / std::max<uint64_t>(1, counts_.vertices), 1,
                           std::max<uint64_t>(1, counts_.tiles));
  const uint64_t vertices = std::min(tiles * most.vertices, counts_.vertices);
  const uint64_t cells = std::min(tiles * most.cells, counts_.cells);
  const uint64_t edges = std::min(tiles * most.edges, counts_.edges);
  const uint64_t faces = std::min(tiles * most.faces, counts_.faces);
  return worker_base_bytes + growth * 4 * (3 * vertices + 2 * cells + 2 * edges + faces) + star() +
         std::min(std::bit_ceil(std::max<uint64_t>(1, counts_.vertices)), vertex_table_bytes);
}

Bytes ConnectCosts::worker(RelationSet set, Numbering numbering) const {
  if (set.none()) return 0;
  Bytes rows = 0;
  bool looks_around = false, has_links = false, has_others = false;
  for (size_t i = 0; i < set.size(); ++i) {
    if (!set[i]) continue;
    const RelationKey key = key_at(i, counts_.dimension);
    rows = std::max(rows, largest_tile(key));
    (key.is_link ? has_links : has_others) = true;
    looks_around |= names_others(key) || (needs_enumeration(key) && numbering == Numbering::implicit);
  }
  Bytes bytes = worker_base_bytes + growth * rows;
  if (has_others) bytes += view() + 3 * star() + growth * 4 * 9 * counts_.largest.star;
  if (has_links) bytes += view() + star() + growth * 4 * (counts_.largest.degree + 1);
  if (looks_around) {
    const Bytes one = view() + lookup_entry_bytes + (numbering == Numbering::implicit ? part() : 0);
    bytes += std::min(kept_neighbours, counts_.tiles) * one;
  }
  return bytes;
}

Bytes ConnectCosts::scratch(RelationSet set, Numbering numbering, int workers) const {
  return static_cast<Bytes>(workers) * worker(set, numbering);
}

Bytes ConnectCosts::in_flight(RelationSet set, int workers) const {
  Bytes largest = 0;
  for (size_t i = 0; i < set.size(); ++i) {
    if (set[i]) largest = std::max(largest, largest_tile(key_at(i, counts_.dimension)));
  }
  return static_cast<Bytes>(workers) * largest;
}

Bytes ConnectCosts::least_rows(RelationSet set, int workers) const {
  return 2 * static_cast<Bytes>(workers) * sum(set, [&](RelationKey key) { return largest_tile(key); });
}

Bytes ConnectCosts::all_rows(RelationSet set) const {
  return sum(set, [&](RelationKey key) {
    return 4 * (counts_.rows(key) + counts_.tiles + counts_.entries[key.index()]);
  });
}

}  // namespace tessera::detail
