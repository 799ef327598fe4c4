// The shape of one cavity, on either side.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tessera/core/macros.h>
#include <tessera/surface/cavity.h>
#include <tessera/surface/edit_mesh.h>

namespace tessera::detail {

/// Which edges go with its faces, and the boundary of those that stay.
class CavityShape {
 public:
  TS_HD CavityShape(const RoundView& round, const CavityRequest& request, CavityWork& work)
      : round_(&round), request_(&request), work_(&work) {}

  TS_HD void find() {
    if (request_->is_unclear) return fail(CavityOutcome::unclear);
    if (is_plain_edge()) {
      if (round_->are_disjoint && !has_all()) return fail(CavityOutcome::lost);
      return find_room();
    }
    if (names_isolated_vertex() && !is_isolated_vertex()) return fail(CavityOutcome::several_holes);
    std::uint32_t* faces = round_->scratch.faces + work_->face_begin;
    std::uint32_t count = 0;
    named().for_each_face([&](std::uint32_t face) { faces[count++] = face; });
    if (round_->are_disjoint && !has_all()) return fail(CavityOutcome::lost);
    sort_out_edges();
    if (removes_list_ && !request_->may_be_any) return fail(CavityOutcome::not_a_surface);
    order_boundary();
    if (work_->outcome != CavityOutcome::won) return;
    if (work_->is_open && !request_->may_be_open) return fail(CavityOutcome::open);
    work_->is_simple = work_->loop_count == 1 && meets_no_vertex_twice();
    work_->has_inner = corners_met_ != 3 * work_->face_count;
    if (!work_->is_simple && !request_->may_be_any && !is_isolated_vertex())
      return fail(CavityOutcome::several_holes);
    find_room();
  }

 private:
  struct Entry {
    std::uint32_t half_edge;
    bool is_reversed;
  };

  /// An edge between two faces that have nothing else in common and wind alike: most cavities are of this
  /// kind, and need no search.
  [[nodiscard]] TS_HD bool is_plain_edge() {
    if (!request_->removes(Kind::edge) || request_->count != 1 || request_->has_neighbours) return false;
    const std::uint32_t e = request_->elements[0];
    const std::uint32_t h = mesh().sides[2 * std::size_t{e}];
    const std::uint32_t t = mesh().sides[2 * std::size_t{e} + 1];
    if (h == EditArrays::none || t >= EditArrays::listed) return false;
    const std::uint32_t sides[4] = {EditArrays::next(h), EditArrays::previous(h), EditArrays::next(t),
                                    EditArrays::previous(t)};
    const std::uint32_t* corners = mesh().corners;
    if (corners[t] != corners[sides[0]] || corners[sides[1]] == corners[sides[3]]) return false;
    round_->scratch.faces[work_->face_begin] = h / 3;
    round_->scratch.faces[work_->face_begin + 1] = t / 3;
    round_->scratch.boundary[segment() + 5].half_edge = e;
    work_->edge_count = 1;
    work_->boundary_count = 4;
    work_->loop_count = 1;
    work_->is_simple = true;
    for (std::uint32_t i = 0; i < 4; ++i) write(i, {sides[i], false});
    round_->scratch.boundary[segment() + 3].slot |= last_of_loop_bit;
    return true;
  }
  /// Nobody has resolved conflicts, so nobody has looked.
  [[nodiscard]] TS_HD bool has_all() const {
    const std::uint32_t* faces = round_->scratch.faces + work_->face_begin;
    for (std::uint32_t i = 0; i < work_->face_count; ++i) {
      if (!is_mine(3 * faces[i])) return false;
    }
    return true;
  }
  [[nodiscard]] TS_HD NamedElements named() const { return round_->named(*request_); }
  [[nodiscard]] TS_HD bool names_isolated_vertex() const {
    if (!request_->removes(Kind::vertex)) return false;
    bool is_one = false;
    named().for_each([&](std::uint32_t v) { is_one = is_one || mesh().handles[v] == EditArrays::none; });
    return is_one;
  }
  /// Nobody can claim a vertex without faces: only its own cavity may remove it.
  [[nodiscard]] TS_HD bool is_isolated_vertex() const {
    return work_->face_count == 0 && request_->removes(Kind::vertex) && request_->count == 1 &&
           request_->elements[0] == request_->seed && round_->seeds_are_vertices;
  }
  [[nodiscard]] TS_HD const EditArrays& mesh() const { return round_->mesh.arrays(); }
  [[nodiscard]] TS_HD std::size_t segment() const { return 3 * std::size_t{work_->face_begin}; }
  [[nodiscard]] TS_HD bool is_mine(std::uint32_t h) const { return round_->claims[h / 3] == work_->claim; }
  TS_HD void fail(CavityOutcome outcome) { work_->outcome = outcome; }

  [[nodiscard]] TS_HD bool is_named(std::uint32_t element) const { return named().contains(element); }
  /// Does the edge of a half-edge of a removed face go?
  [[nodiscard]] TS_HD bool is_removed(std::uint32_t h) const {
    const std::uint32_t e = mesh().edges[h];
    if (request_->removes(Kind::edge) && is_named(e)) return true;
    if (request_->removes(Kind::vertex) &&
        (is_named(mesh().corners[h]) || is_named(mesh().corners[EditArrays::next(h)])))
      return true;
    if (!mesh().is_listed(e)) {
      const std::uint32_t across = mesh().across(h);
      return across != EditArrays::none && is_mine(across);
    }
    for (SideIterator side(mesh(), e); side != RangeEnd{}; ++side) {
      if (!is_mine((*side).index())) return false;
    }
    return true;
  }

  /// Counts edges of the boundary, and lists those that are removed from the end of the segment on.
  TS_HD void sort_out_edges() {
    const std::uint32_t* faces = round_->scratch.faces + work_->face_begin;
    BoundaryEdge* last = round_->scratch.boundary + segment() + 3 * std::size_t{work_->face_count};
    const bool names_vertices = request_->removes(Kind::vertex);
    for (std::uint32_t i = 0; i < work_->face_count; ++i) {
      for (std::uint32_t h = 3 * faces[i]; h < 3 * faces[i] + 3; ++h) {
        if (names_vertices && is_named(mesh().corners[h])) ++corners_met_;
        if (!is_removed(h)) {
          if (work_->boundary_count++ == 0) start_ = h;
          continue;
        }
        const std::uint32_t e = mesh().edges[h];
        if (mesh().first_side(e) != h) continue;
        if (mesh().is_listed(e)) removes_list_ = true;
        (--last)->half_edge = e;
        ++work_->edge_count;
      }
    }
    if (request_->removes(Kind::edge) && request_->count <= 3 && work_->boundary_count != 0) {
      const std::uint32_t h = EditArrays::next(mesh().first_side(request_->elements[0]));
      if (!is_removed(h)) start_ = h;
    }
  }

  /// Turns around a vertex inside the cavity to the next edge that stays; false at a border. Counts the faces
  /// it comes through.
  [[nodiscard]] TS_HD bool turn(FanStep step, std::uint32_t vertex, std::uint32_t& half_edge,
                                bool& left_backward) {
    for (std::uint32_t i = 0; i <= work_->face_count; ++i) {
      ++corners_met_;
      half_edge = step.leaves_by();
      left_backward = step.leaves_backward;
      if (!is_removed(half_edge)) return true;
      const std::uint32_t across = mesh().across(half_edge);
      if (across == EditArrays::none) return false;
      step = step.enter(mesh(), across, vertex);
    }
    return false;
  }
  [[nodiscard]] TS_HD bool go_forward(Entry& entry) {
    const std::uint32_t h = entry.half_edge;
    const std::uint32_t corner = entry.is_reversed ? h : EditArrays::next(h);
    bool left_backward = false;
    const FanStep step = {corner, entry.is_reversed};
    if (!turn(step, mesh().corners[corner], entry.half_edge, left_backward)) return false;
    entry.is_reversed = left_backward;
    return true;
  }
  [[nodiscard]] TS_HD bool go_back(Entry& entry) {
    const std::uint32_t h = entry.half_edge;
    const std::uint32_t corner = entry.is_reversed ? EditArrays::next(h) : h;
    bool left_backward = false;
    const FanStep step = {corner, !entry.is_reversed};
    if (!turn(step, mesh().corners[corner], entry.half_edge, left_backward)) return false;
    entry.is_reversed = !left_backward;
    return true;
  }

  TS_HD void write(std::uint32_t place, Entry entry) const {
    const std::uint32_t h = entry.half_edge;
    const std::uint32_t e = mesh().edges[h];
    const std::uint32_t slot =
        (2 * e + (mesh().sides[2 * std::size_t{e}] == h ? 0 : 1)) | (mesh().is_listed(e) ? listed_bit : 0);
    round_->scratch.boundary[segment() + place] = {
        h | (entry.is_reversed ? reversed_bit : 0), slot, EditArrays::none,
        mesh().corners[entry.is_reversed ? EditArrays::next(h) : h]};
  }

  /// Writes a loop or a chain from place on; returns the place after it.
  [[nodiscard]] TS_HD std::uint32_t follow(std::uint32_t start, std::uint32_t place) {
    const std::uint32_t most = work_->boundary_count;
    const std::uint32_t before = corners_met_;
    Entry entry = {start, false};
    bool is_open = true;
    std::uint32_t end = place;
    while (end < most) {
      write(end++, entry);
      if (!go_forward(entry)) break;
      is_open = entry.half_edge != start;
      if (!is_open) break;
    }
    if (is_open) {  // from its beginning
      entry = {start, false};
      Entry first = entry;
      corners_met_ = before;
      for (std::uint32_t i = 0; i < most && go_back(entry); ++i) {
        first = entry;
        corners_met_ = before;  // only the last turn, to the border, is not made again
      }
      entry = first;
      end = place;
      while (end < most) {
        write(end++, entry);
        if (!go_forward(entry)) break;
      }
      work_->is_open = true;
    }
    round_->scratch.boundary[segment() + end - 1].slot |= last_of_loop_bit;
    ++work_->loop_count;
    return end;
  }

  TS_HD void order_boundary() {
    if (work_->boundary_count == 0) return;
    std::uint32_t done = follow(start_, 0);
    if (done == work_->boundary_count) return;
    if (!request_->may_be_any) return fail(CavityOutcome::several_holes);
    const std::uint32_t* faces = round_->scratch.faces + work_->face_begin;
    for (std::uint32_t i = 0; i < 3 * work_->face_count && done < work_->boundary_count; ++i) {
      const std::uint32_t h = 3 * faces[i / 3] + i % 3;
      if (!is_removed(h) && !is_written(h, done)) done = follow(h, done);
    }
  }
  [[nodiscard]] TS_HD bool is_written(std::uint32_t h, std::uint32_t done) const {
    for (std::uint32_t i = 0; i < done; ++i) {
      if ((round_->scratch.boundary[segment() + i].half_edge & ~reversed_bit) == h) return true;
    }
    return false;
  }

  /// Sorts the tails in the places of the new half-edges, which are not there yet.
  [[nodiscard]] TS_HD bool meets_no_vertex_twice() const {
    BoundaryEdge* all = round_->scratch.boundary + segment();
    const std::uint32_t n = work_->boundary_count;
    const Hole hole(*round_, *work_);
    const std::uint32_t last = work_->is_open ? hole.head(n - 1).index() : EditArrays::none;
    bool is_simple = true;
    if (n <= few) {
      for (std::uint32_t i = 0; i < n; ++i) {
        if (all[i].tail == last) is_simple = false;
        for (std::uint32_t k = 0; k < i; ++k) is_simple = is_simple && all[k].tail != all[i].tail;
      }
      return is_simple;
    }
    for (std::uint32_t i = 0; i < n; ++i) all[i].made = all[i].tail;
    sort_made(all, n);
    for (std::uint32_t i = 0; i < n; ++i) {
      if ((i > 0 && all[i].made == all[i - 1].made) || all[i].made == last) is_simple = false;
    }
    for (std::uint32_t i = 0; i < n; ++i) all[i].made = EditArrays::none;
    return is_simple;
  }
  static constexpr std::uint32_t few = 24;

  /// Heap sort of the `made` of n records: a hub of a hundred thousand faces may be a cavity.
  static TS_HD void sort_made(BoundaryEdge* all, std::uint32_t n) {
    const auto sink = [&](std::uint32_t at, std::uint32_t end) {
      for (std::uint32_t child = 2 * at + 1; child < end; child = 2 * at + 1) {
        if (child + 1 < end && all[child + 1].made > all[child].made) ++child;
        if (all[child].made <= all[at].made) return;
        const std::uint32_t there = all[at].made;
        all[at].made = all[child].made;
        all[child].made = there;
        at = child;
      }
    };
    for (std::uint32_t i = n / 2; i-- > 0;) sink(i, n);
    for (std::uint32_t end = n; end-- > 1;) {
      const std::uint32_t there = all[0].made;
      all[0].made = all[end].made;
      all[end].made = there;
      sink(0, end);
    }
  }

  /// As many faces and edges as triangulations of a disc with more holes have (Euler).
  TS_HD void find_room() const {
    const CavityRequest& request = *request_;
    const std::uint32_t vertices = request.new_vertices;
    const std::uint32_t bound = work_->boundary_count + (work_->is_open ? 1 : 0);
    const std::uint32_t loops = work_->loop_count;
    const std::uint32_t faces = 2 * vertices + bound + 2 * loops;
    const std::uint32_t edges = 3 * vertices + bound + 3 * loops + (work_->is_open ? 1 : 0);
    work_->room[0] = vertices;
    work_->room[1] = (edges > 6 ? edges - 6 : 0) + 3 * request.more_faces;
    work_->room[2] = (faces > 4 ? faces - 4 : 0) + request.more_faces;
  }

  const RoundView* round_;
  const CavityRequest* request_;
  CavityWork* work_;
  std::uint32_t start_ = 0;
  std::uint32_t corners_met_ = 0;
  bool removes_list_ = false;
};

}  // namespace tessera::detail
