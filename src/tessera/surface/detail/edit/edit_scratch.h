// EditScratch: the memory that rounds of edits work in. A surface keeps it from one edit to the next.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <tessera/core/memory.h>
#include <tessera/exec/buffer.h>
#include <tessera/surface/cavity.h>

namespace tessera::detail {

struct EditScratch {
  Buffer<std::uint32_t> candidate_list;
  Buffer<std::uint8_t> next;  ///< flags of the candidates of the next pass, all of the kind
  Buffer<std::uint32_t> counters;
  // Of candidates.
  Buffer<std::uint8_t> is_declared;
  Buffer<CavityRequest> requests;
  Buffer<std::uint8_t> is_winner;
  Buffer<std::uint32_t> face_counts;
  Buffer<std::uint32_t> winner_list;
  // Of winners.
  Buffer<CavityWork> works;
  Buffer<std::uint32_t> counts;
  Buffer<std::uint32_t> offsets;
  Buffer<Sums<5>> rooms;
  Buffer<Sums<3>> freed;
  // Of what they remove and add.
  Buffer<std::uint32_t> faces;
  Buffer<BoundaryEdge> boundary;
  Buffer<NewFace> new_faces;
  Buffer<NewEdge> new_edges;
  Buffer<ChordEntry> chords;

  [[nodiscard]] Bytes bytes() const {
    Bytes sum = 0;
    const auto add = [&](const auto&... buffers) { ((sum += buffers.bytes()), ...); };
    add(candidate_list, next, counters, is_declared, requests, is_winner, face_counts, winner_list, works,
        counts, offsets, rooms, freed, faces, boundary, new_faces, new_edges, chords);
    return sum;
  }
};

}  // namespace tessera::detail
