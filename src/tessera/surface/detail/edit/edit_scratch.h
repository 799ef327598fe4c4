// EditScratch: the memory that rounds of edits work in. A surface keeps it from one edit to the next.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <tessera/core/memory.h>
#include <tessera/exec/buffer.h>
#include <tessera/surface/cavity.h>

namespace tessera::detail {

/// A new edge between two vertices, and the highest claim on it (round_loops.h).
struct ChordEntry {
  std::uint64_t key;  ///< 0: free
  std::uint64_t claim;
};

/// What the prefix sums of all winners add up to (round_loops.h).
struct RoomTotals {
  std::uint64_t vertices;
  std::uint64_t staged;
  std::uint64_t fresh;
};

struct EditScratch {
  Buffer<std::uint32_t> candidate_list;
  Buffer<std::uint8_t> next;  ///< flags of the candidates of the next pass, all of the kind
  Buffer<std::uint8_t> is_declared;
  Buffer<CavityRequest> requests;
  Buffer<std::uint8_t> is_winner;
  Buffer<std::uint32_t> face_counts;
  Buffer<std::uint32_t> winner_list;
  Buffer<CavityWork> works;
  Buffer<std::uint32_t> counts;
  Buffer<std::uint32_t> offsets;
  Buffer<std::uint32_t> faces;
  std::array<Buffer<std::uint32_t>, 3> boundary;
  std::array<Buffer<std::uint32_t>, 2> new_faces;
  std::array<Buffer<std::uint32_t>, 2> new_edges;
  Buffer<std::uint32_t> vertex_room;
  std::array<Buffer<std::uint64_t>, 2> other_room;
  Buffer<std::uint32_t> chord_counts;
  Buffer<ChordEntry> chords;
  Buffer<std::uint32_t> counters;
  Buffer<RoomTotals> totals;
  std::array<Buffer<std::uint32_t>, 3> freed;
  std::array<Buffer<std::uint32_t>, 3> freed_begins;
  std::array<Buffer<std::uint32_t>, 3> freed_ids;

  [[nodiscard]] Bytes bytes() const {
    Bytes sum = 0;
    const auto add = [&](const auto&... buffers) { ((sum += buffers.bytes()), ...); };
    add(candidate_list, next, is_declared, requests, is_winner, face_counts, winner_list, works, counts,
        offsets, faces, boundary[0], boundary[1], boundary[2], new_faces[0], new_faces[1], new_edges[0],
        new_edges[1], vertex_room, other_room[0], other_room[1], chord_counts, chords, counters, totals,
        freed[0], freed[1], freed[2], freed_begins[0], freed_begins[1], freed_begins[2], freed_ids[0],
        freed_ids[1], freed_ids[2]);
    return sum;
  }
};

}  // namespace tessera::detail
