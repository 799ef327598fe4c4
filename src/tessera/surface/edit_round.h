// What a round of edits is made of: the outcome of a cavity, and the records that cavity.h, edit.h and the
// library share. Operators need only the first.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <tessera/core/macros.h>
#include <tessera/surface/edit_mesh.h>
#include <tessera/tile/relation.h>

namespace tessera {

/// What became of a cavity.
enum class CavityOutcome : std::uint8_t {
  none,           ///< nothing was declared
  won,            ///< its hole was filled
  lost,           ///< another one got one of its faces
  several_holes,  ///< its boundary is not one loop, or one chain between two borders
  open,           ///< it removes edges of the border, which was not allowed
  not_a_surface,  ///< it removes an edge of more than two faces, which was not allowed
  refused,        ///< by fill()
  repeats_edge,   ///< it would join two vertices that have an edge
  repeats_face,   ///< it would make a face between three vertices that have one
  overfull,       ///< fill() added more than was announced
  unclear,        ///< declare() named more than three elements, or of different kinds
};

namespace detail {

/// What declare() asked for.
struct CavityRequest {
  std::uint32_t elements[3] = {EditArrays::none, EditArrays::none, EditArrays::none};
  std::uint32_t seed = EditArrays::none;
  std::uint32_t new_vertices = 0;
  std::uint32_t more_faces = 0;
  float priority = 0;
  std::uint8_t kind = static_cast<std::uint8_t>(Kind::face);
  std::uint8_t count = 0;
  bool may_be_open = false;
  bool may_be_any = false;
  bool is_unclear = false;

  [[nodiscard]] TS_HD bool removes(Kind of) const { return kind == static_cast<std::uint8_t>(of); }
};

/// A cavity that may win: what it removes, where its part of the round's scratch memory is, what was added.
struct CavityWork {
  std::uint64_t claim;
  std::uint32_t cavity;  ///< among the requests
  CavityOutcome outcome;
  bool is_open;
  bool is_simple;   ///< one loop or chain that meets no vertex twice
  bool has_inner;   ///< a vertex that stays lies inside
  bool is_regular;  ///< the fans of all vertices are what they were, and there are no lists
  bool has_extra;   ///< an edge has more faces than it has places
  bool is_fan;      ///< it was filled by one fan and nothing else
  std::uint32_t face_begin;
  std::uint32_t face_count;
  std::uint32_t boundary_count;
  std::uint32_t edge_count;  ///< that are removed
  std::uint32_t loop_count;
  std::uint32_t room[3];  ///< for new vertices, edges, faces
  std::uint32_t used[3];
  std::uint32_t fresh[3];   ///< where its fresh ids begin among those of the round
  std::uint32_t staged[2];  ///< where its new edges and faces begin among those of the round

  /// How many fresh ids it may need: new edges and faces take the places of removed ones first.
  [[nodiscard]] TS_HD std::uint32_t fresh_count(std::uint32_t kind) const {
    const std::uint32_t own = kind == 0 ? 0 : kind == 1 ? edge_count : face_count;
    return room[kind] > own ? room[kind] - own : 0;
  }
};

/// Ids for new elements: those that were freed first, then those at the end.
struct FreshIds {
  const std::uint32_t* freed = nullptr;
  std::uint32_t freed_count = 0;  ///< to be used
  std::uint32_t end = 0;
  [[nodiscard]] TS_HD std::uint32_t operator[](std::uint32_t rank) const {
    return rank < freed_count ? freed[rank] : end + (rank - freed_count);
  }
};

/// A column of values that follows the edits.
struct Column {
  std::byte* data = nullptr;
  std::byte* staged = nullptr;   ///< values of new edges or faces, until the commit
  std::uint32_t width = 0;       ///< bytes of a value
  std::uint32_t components = 0;  ///< floating-point numbers that are blended; 0: values are copied
  Kind kind = Kind::vertex;
  bool is_double = false;

  TS_HD void clear(std::byte* to) const {
    for (std::size_t i = 0; i < width; ++i) to[i] = std::byte{0};
  }
  TS_HD void copy(const std::byte* from, std::byte* to) const {
    for (std::size_t i = 0; i < width; ++i) to[i] = from[i];
  }
  [[nodiscard]] TS_HD std::byte* at(std::size_t id) const { return data + id * width; }
  [[nodiscard]] TS_HD std::byte* staged_at(std::size_t place) const { return staged + place * width; }
};

/// The value a + s (b - a) + t (c - a).
struct Blend {
  std::uint32_t of[3];
  double s;
  double t;

  TS_HD void write(const Column& column, std::size_t to) const {
    if (t == 0 && (s == 0 || s == 1)) {  // exactly, also where numbers are infinite
      column.copy(column.at(of[s == 0 ? 0 : 1]), column.at(to));
    } else if (column.components == 0) {
      const double first = 1 - s - t;
      column.copy(column.at(first >= s && first >= t ? of[0] : s >= t ? of[1] : of[2]), column.at(to));
    } else if (column.is_double) {
      write_numbers(reinterpret_cast<double*>(column.data), column.components, to);
    } else {
      write_numbers(reinterpret_cast<float*>(column.data), column.components, to);
    }
  }

 private:
  template <class Real>
  TS_HD void write_numbers(Real* values, std::size_t n, std::size_t to) const {
    for (std::size_t i = 0; i < n; ++i) {
      const double a = values[of[0] * n + i];
      const double b = values[of[1] * n + i];
      const double c = values[of[2] * n + i];
      values[to * n + i] = static_cast<Real>(a + s * (b - a) + t * (c - a));
    }
  }
};

/// Scratch memory of a round. The segments of a cavity begin at face_begin, at 3 * face_begin, and at
/// staged. New half-edges are counted within a cavity until it is committed.
struct RoundScratch {
  std::uint32_t* faces = nullptr;          ///< that are removed
  std::uint32_t* boundary = nullptr;       ///< half-edges of removed faces; removed edges from the end on
  std::uint32_t* boundary_slot = nullptr;  ///< their places among the sides, with bits
  std::uint32_t* boundary_new = nullptr;   ///< the new half-edges there, counted within the cavity
  std::uint32_t* new_corners = nullptr;    ///< of new faces
  std::uint32_t* new_edges = nullptr;      ///< of new faces: new ones of the cavity, or edges of its boundary
  std::uint32_t* new_ends = nullptr;       ///< two vertices for each new edge
  std::uint32_t* new_sides = nullptr;      ///< two new half-edges for each new edge
  FreshIds fresh[3];
  const Column* columns = nullptr;
  std::uint32_t column_count = 0;
};

/// Calls f(face) for each face that contains one of the elements.
template <class F>
TS_HD void for_each_removed_face(const EditMesh& mesh, const CavityRequest& request, const F& f) {
  const EditArrays& arrays = mesh.arrays();
  const auto is_met_before = [&](const std::uint32_t* three, std::uint32_t k) {
    for (std::uint32_t i = 0; i < k; ++i) {
      const std::uint32_t before = request.elements[i];
      if (three[0] == before || three[1] == before || three[2] == before) return true;
    }
    return false;
  };
  for (std::uint32_t k = 0; k < request.count; ++k) {
    const std::uint32_t element = request.elements[k];
    if (request.removes(Kind::vertex)) {
      for (const tiled::FaceId face : mesh.faces(tiled::VertexId(element))) {
        if (!is_met_before(arrays.corners + 3 * std::size_t{face.index()}, k)) f(face.index());
      }
    } else if (request.removes(Kind::edge)) {
      for (const tiled::FaceId face : mesh.faces(tiled::EdgeId(element))) {
        if (!is_met_before(arrays.edges + 3 * std::size_t{face.index()}, k)) f(face.index());
      }
    } else {
      bool is_repeated = false;
      for (std::uint32_t i = 0; i < k; ++i) is_repeated = is_repeated || request.elements[i] == element;
      if (!is_repeated) f(element);
    }
  }
}

/// *to = max(*to, value) while others may do so, too.
inline TS_HD void atomic_max(std::uint64_t* to, std::uint64_t value) {
#if defined(__CUDA_ARCH__)
  atomicMax(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(value));
#else
  std::atomic_ref<std::uint64_t> there(*to);
  std::uint64_t seen = there.load(std::memory_order_relaxed);
  while (seen < value && !there.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
#endif
}

/// What a round is made of, for the loops of edit.h and of the library.
struct RoundView {
  EditMesh mesh;
  std::uint64_t* claims = nullptr;  ///< of each face: the highest that wants it, in the newest round
  const std::uint32_t* candidates = nullptr;  ///< null: all from `first` on
  std::uint32_t first = 0;
  std::uint32_t id_end = 0;             ///< of the seeds' kind
  std::uint8_t* is_declared = nullptr;  ///< of each candidate
  std::uint8_t* next = nullptr;         ///< of each element of the kind: is it a candidate of a later round?
  std::uint32_t salt = 0;
  std::uint32_t number = 0;  ///< 1 to 4095
  bool keeps_edges_unique = true;
  bool seeds_are_vertices = false;
  CavityRequest* requests = nullptr;             ///< of the candidates that declared cavities
  const std::uint32_t* winners = nullptr;        ///< among them
  CavityWork* works = nullptr;                   ///< of the winners
  const std::uint32_t* vertex_places = nullptr;  ///< where new elements of each winner begin
  const std::uint64_t* staged_places = nullptr;  ///< edges in the high half, faces in the low
  const std::uint64_t* fresh_places = nullptr;
  std::uint32_t* chord_counts = nullptr;  ///< of the winners
  RoundScratch scratch;

  [[nodiscard]] TS_HD std::uint32_t candidate(std::size_t i) const {
    return candidates != nullptr ? candidates[i] : first + static_cast<std::uint32_t>(i);
  }
  /// Higher than those of earlier rounds; then by priority; then by a hash, which no two seeds share.
  [[nodiscard]] TS_HD std::uint64_t claim(std::uint32_t seed, float priority) const {
    std::uint32_t hash = seed ^ salt;
    hash = (hash ^ (hash >> 16)) * 0x7FEB352Du;
    hash = (hash ^ (hash >> 15)) * 0x846CA68Bu;
    hash ^= hash >> 16;
    auto bits = priority == priority ? std::bit_cast<std::uint32_t>(priority) : 0;  // NaN: as 0
    bits = (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
    return std::uint64_t{number} << 52 | std::uint64_t{bits >> 12} << 32 | hash;
  }
};

inline constexpr std::uint32_t reversed_bit = 0x80000000u;      ///< of a half-edge that is passed backward
inline constexpr std::uint32_t last_of_loop_bit = 0x80000000u;  ///< of a slot
inline constexpr std::uint32_t listed_bit = 0x40000000u;        ///< of a slot: the edge has a list of sides
inline constexpr std::uint32_t slot_mask = 0x3FFFFFFFu;
inline constexpr std::uint32_t of_boundary_bit = 0x80000000u;  ///< of an edge of a new face

/// Where new elements of a cavity will be.
struct NewIds {
  const CavityWork& work;
  const RoundScratch& scratch;

  [[nodiscard]] TS_HD std::uint32_t vertex(std::uint32_t i) const {
    return scratch.fresh[0][work.fresh[0] + i];
  }
  [[nodiscard]] TS_HD std::uint32_t edge(std::uint32_t i) const {
    if (i >= work.edge_count) return scratch.fresh[1][work.fresh[1] + i - work.edge_count];
    return scratch.boundary[3 * (std::size_t{work.face_begin} + work.face_count) - 1 - i];
  }
  [[nodiscard]] TS_HD std::uint32_t face(std::uint32_t i) const {
    if (i >= work.face_count) return scratch.fresh[2][work.fresh[2] + i - work.face_count];
    return scratch.faces[work.face_begin + i];
  }
  [[nodiscard]] TS_HD std::uint32_t half_edge(std::uint32_t h) const { return 3 * face(h / 3) + h % 3; }
};

}  // namespace detail

}  // namespace tessera
