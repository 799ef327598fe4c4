// The link of a vertex v: what its cells look like from v. For triangles a graph, for tetrahedra a surface.
//
//   cell (v a b c)  ->  link triangle (a b c)
//   face (v a b)    ->  link edge (a b), in as many link triangles as the face has tetrahedra
//   edge (v a)      ->  link vertex a; the link of the edge is the link of a within the link of v
//
// So one pass over the links sees every edge, face and vertex with all that surrounds it.
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/mesh/detail/doctor_links.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <vector>

namespace tessera::detail::doctor {
namespace {

/// Numbers the distinct keys of one link 0, 1, 2, ... in the order they come.
class LocalNumbers {
 public:
  /// Forgets all keys and makes room for `most` new ones.
  void start(std::size_t most) {
    const std::size_t slots = std::bit_ceil(2 * most + 2);
    shift_ = 64 - std::countr_zero(slots);
    mask_ = slots - 1;
    if (slots_.size() < slots) slots_.assign(slots, Slot{});
    ++stamp_;
    size_ = 0;
  }
  [[nodiscard]] std::uint32_t number(std::uint64_t key) {
    std::size_t at = (key * 0x9E3779B97F4A7C15ull) >> shift_;
    while (slots_[at].stamp == stamp_ && slots_[at].key != key) at = (at + 1) & mask_;
    if (slots_[at].stamp != stamp_) slots_[at] = {key, stamp_, size_++};
    return slots_[at].number;
  }
  [[nodiscard]] std::uint32_t size() const { return size_; }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t stamp = 0;  // of the link the slot was last used in
    std::uint32_t number = 0;
  };
  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
  int shift_ = 63;
  std::uint32_t stamp_ = 0;
  std::uint32_t size_ = 0;
};

/// Disjoint sets of one link.
class LocalSets {
 public:
  /// Adds an element alone in its set.
  void add() { parent_.push_back(static_cast<std::uint32_t>(parent_.size())); }
  void clear() { parent_.clear(); }
  /// False if they were in one set already.
  bool unite(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    if (a == b) return false;
    parent_[std::max(a, b)] = std::min(a, b);
    return true;
  }

 private:
  std::uint32_t find(std::uint32_t x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }
  std::vector<std::uint32_t> parent_;
};

/// Elements found at one vertex, on their way into a listing in ascending order.
template <std::size_t Arity>
class Found {
 public:
  void add(std::array<std::uint32_t, Arity> element) {
    std::sort(element.begin(), element.end());
    elements_.push_back(element);
  }
  void move_to(Listing& listing) {
    std::sort(elements_.begin(), elements_.end());
    for (const auto& element : elements_) listing.add(element);
    elements_.clear();
  }

 private:
  std::vector<std::array<std::uint32_t, Arity>> elements_;
};

template <int Dim>
class LinkExaminer;

/// Links of vertices of triangles: graphs. Memory is reused from link to link.
template <>
class LinkExaminer<2> {
 public:
  LinkExaminer(std::span<const Cell<2>> cells, const SortedOut& sorted, LinkExamination& result)
      : cells_(cells), sorted_(sorted), result_(result) {}

  void examine(std::uint32_t v, LinkSummary& found) {
    build(v);
    if (neighbours_.empty()) return found.isolated.add(v);
    bool is_manifold = parts_ == 1;
    for (const Neighbour& n : neighbours_) {
      const std::uint32_t degree = n.leaving + n.arriving;
      is_manifold = is_manifold && degree <= 2;
      if (v < n.vertex) examine_edge(v, n, degree, found);
    }
    if (!is_manifold) found.bad_vertices.add(v);
    bad_edges_.move_to(found.bad_edges);
    boundary_.move_to(found.boundary);
    clashing_.move_to(found.clashing_edges);
  }

 private:
  /// The edge to a neighbour and its triangles: those that traverse it from v and those that do towards v.
  struct Neighbour {
    std::uint32_t vertex;
    std::uint32_t leaving = 0;
    std::uint32_t arriving = 0;
    std::array<std::uint32_t, 2> triangles = {};  // the first two
  };

  void build(std::uint32_t v) {
    const std::span<const std::uint32_t> star = sorted_.stars[v];
    numbers_.start(2 * star.size());
    neighbours_.clear();
    sets_.clear();
    parts_ = 0;
    for (const std::uint32_t c : star) {
      if (!sorted_.is_sound(c)) continue;
      const Cell<2>& cell = cells_[c];
      const std::size_t corner = cell[0].index() == v ? 0 : cell[1].index() == v ? 1 : 2;
      const std::uint32_t next = visit(cell[(corner + 1) % 3].index(), c);
      const std::uint32_t last = visit(cell[(corner + 2) % 3].index(), c);
      ++neighbours_[next].leaving;
      ++neighbours_[last].arriving;
      if (sets_.unite(next, last)) --parts_;
    }
  }

  /// The neighbour's number, with the triangle noted.
  std::uint32_t visit(std::uint32_t vertex, std::uint32_t triangle) {
    const std::uint32_t number = numbers_.number(vertex);
    if (number == neighbours_.size()) {
      neighbours_.push_back({vertex});
      sets_.add();
      ++parts_;
    }
    Neighbour& n = neighbours_[number];
    if (n.leaving + n.arriving < 2) n.triangles[n.leaving + n.arriving] = triangle;
    return number;
  }

  void examine_edge(std::uint32_t v, const Neighbour& n, std::uint32_t degree, LinkSummary& found) {
    ++found.edges;
    result_.vertex_sets.unite(v, n.vertex);
    if (degree == 1) boundary_.add({v, n.vertex});
    if (degree > 2) bad_edges_.add({v, n.vertex});
    if (degree != 2) return;
    const std::uint64_t turned = n.leaving == n.arriving ? 0 : 1;
    if (turned == 1) clashing_.add({v, n.vertex});
    const std::uint64_t f = 2 * std::uint64_t{n.triangles[0]};
    const std::uint64_t g = 2 * std::uint64_t{n.triangles[1]};
    result_.sides.unite(f, g + turned);
    result_.sides.unite(f + 1, g + 1 - turned);
  }

  std::span<const Cell<2>> cells_;
  const SortedOut& sorted_;
  LinkExamination& result_;
  LocalNumbers numbers_;
  LocalSets sets_;
  std::vector<Neighbour> neighbours_;
  std::uint32_t parts_ = 0;
  Found<2> bad_edges_, boundary_, clashing_;
};

/// Links of vertices of tetrahedra: surfaces. Memory is reused from link to link.
template <>
class LinkExaminer<3> {
 public:
  LinkExaminer(std::span<const Cell<3>> cells, const SortedOut& sorted, LinkExamination& result)
      : cells_(cells), sorted_(sorted), result_(result) {}

  void examine(std::uint32_t v, LinkSummary& found) {
    build(v);
    if (neighbours_.empty()) return found.isolated.add(v);
    bool is_closed = true;
    for (const LinkEdge& e : edges_) {
      is_closed = is_closed && e.triangles != 1;
      if (e.triangles > 2) neighbours_[e.a].is_manifold = neighbours_[e.b].is_manifold = false;
      examine_face(v, e, found);
    }
    bool is_surface = true;
    for (Neighbour& n : neighbours_) {
      n.is_manifold = n.is_manifold && n.fans == 1;
      is_surface = is_surface && n.is_manifold;
      if (v < n.vertex) examine_edge(v, n, found);
    }
    if (!is_surface || parts_ != 1 || characteristic() != (is_closed ? 2 : 1)) found.bad_vertices.add(v);
    bad_edges_.move_to(found.bad_edges);
    bad_faces_.move_to(found.bad_faces);
    boundary_.move_to(found.boundary);
  }

 private:
  struct Neighbour {
    std::uint32_t vertex;
    std::uint32_t fans = 0;  // parts of the edge's link
    bool is_manifold = true;
  };
  struct LinkEdge {
    std::uint32_t a, b;
    std::uint32_t triangles = 0;
  };

  void build(std::uint32_t v) {
    const std::span<const std::uint32_t> star = sorted_.stars[v];
    vertex_numbers_.start(3 * star.size());
    edge_numbers_.start(3 * star.size());
    neighbours_.clear();
    edges_.clear();
    vertex_sets_.clear();
    end_sets_.clear();
    parts_ = 0;
    triangles_ = 0;
    for (const std::uint32_t c : star) {
      if (sorted_.is_sound(c)) add_triangle(v, cells_[c]);
    }
  }

  void add_triangle(std::uint32_t v, const Cell<3>& cell) {
    std::array<std::uint32_t, 3> corners;
    std::size_t i = 0;
    for (const VertexId w : cell) {
      if (w.index() != v) corners[i++] = number_vertex(w.index());
    }
    const auto [a, b, c] = corners;
    const std::uint32_t ab = number_edge(a, b);
    const std::uint32_t bc = number_edge(b, c);
    const std::uint32_t ca = number_edge(c, a);
    join_ends(a, ab, ca);
    join_ends(b, ab, bc);
    join_ends(c, bc, ca);
    ++triangles_;
  }

  std::uint32_t number_vertex(std::uint32_t vertex) {
    const std::uint32_t number = vertex_numbers_.number(vertex);
    if (number == neighbours_.size()) {
      neighbours_.push_back({vertex});
      vertex_sets_.add();
      ++parts_;
    }
    return number;
  }

  /// Counts one more triangle at the link edge. A new edge joins its ends' parts and starts a fan at either
  /// end.
  std::uint32_t number_edge(std::uint32_t a, std::uint32_t b) {
    if (a > b) std::swap(a, b);
    const std::uint32_t number = edge_numbers_.number(std::uint64_t{a} << 32 | b);
    if (number == edges_.size()) {
      edges_.push_back({a, b});
      if (vertex_sets_.unite(a, b)) --parts_;
      end_sets_.add();
      end_sets_.add();
      ++neighbours_[a].fans;
      ++neighbours_[b].fans;
    }
    ++edges_[number].triangles;
    return number;
  }

  /// The triangle between link edges e and f makes one fan of theirs at the vertex they share.
  void join_ends(std::uint32_t vertex, std::uint32_t e, std::uint32_t f) {
    const auto end = [&](std::uint32_t edge) { return 2 * edge + (edges_[edge].a == vertex ? 0 : 1); };
    if (end_sets_.unite(end(e), end(f))) --neighbours_[vertex].fans;
  }

  void examine_face(std::uint32_t v, const LinkEdge& e, LinkSummary& found) {
    const std::uint32_t a = neighbours_[e.a].vertex;
    const std::uint32_t b = neighbours_[e.b].vertex;
    if (a < v || b < v) return;
    ++found.faces;
    if (e.triangles == 1) boundary_.add({v, a, b});
    if (e.triangles > 2) bad_faces_.add({v, a, b});
  }

  void examine_edge(std::uint32_t v, const Neighbour& n, LinkSummary& found) {
    ++found.edges;
    result_.vertex_sets.unite(v, n.vertex);
    if (!n.is_manifold) bad_edges_.add({v, n.vertex});
  }

  /// Of the link: 2 for a sphere, 1 for a disk among connected surfaces with no or some boundary.
  [[nodiscard]] std::int64_t characteristic() const {
    return static_cast<std::int64_t>(neighbours_.size()) - static_cast<std::int64_t>(edges_.size()) +
           triangles_;
  }

  std::span<const Cell<3>> cells_;
  const SortedOut& sorted_;
  LinkExamination& result_;
  LocalNumbers vertex_numbers_, edge_numbers_;
  LocalSets vertex_sets_;
  LocalSets end_sets_;  // the ends of the link edges: 2e at the lower number, 2e + 1 at the higher
  std::vector<Neighbour> neighbours_;
  std::vector<LinkEdge> edges_;
  std::uint32_t parts_ = 0;
  std::int64_t triangles_ = 0;
  Found<2> bad_edges_;
  Found<3> bad_faces_, boundary_;
};

}  // namespace

LinkSummary::LinkSummary(int dim, std::size_t limit)
    : isolated(1, limit),
      bad_vertices(1, limit),
      bad_edges(2, limit),
      bad_faces(3, limit),
      boundary(static_cast<std::size_t>(dim), limit),
      clashing_edges(2, limit) {}

void LinkSummary::append(const LinkSummary& other) {
  edges += other.edges;
  faces += other.faces;
  isolated.append(other.isolated);
  bad_vertices.append(other.bad_vertices);
  bad_edges.append(other.bad_edges);
  bad_faces.append(other.bad_faces);
  boundary.append(other.boundary);
  clashing_edges.append(other.clashing_edges);
}

template <int Dim>
LinkExamination examine_links(const PassContext& context, std::span<const Cell<Dim>> cells,
                              const SortedOut& sorted) {
  const LinkSummary blank(Dim, context.max_ids);
  LinkExamination result{blank, DisjointSets<std::uint32_t>(sorted.stars.size()),
                         DisjointSets<std::uint64_t>(Dim == 2 ? 2 * cells.size() : 0)};
  std::vector<LinkExaminer<Dim>> examiners(static_cast<std::size_t>(context.exec.threads()),
                                           LinkExaminer<Dim>(cells, sorted, result));
  run_pass(
      context, "examining links", sorted.stars.size(), blank,
      [&](host::Range range, int worker, LinkSummary& found) {
        LinkExaminer<Dim>& examiner = examiners[static_cast<std::size_t>(worker)];
        for (std::size_t v = range.begin; v < range.end; ++v)
          examiner.examine(static_cast<std::uint32_t>(v), found);
      },
      [&](const LinkSummary& found) { result.summary.append(found); });
  return result;
}

template LinkExamination examine_links<2>(const PassContext&, std::span<const Cell<2>>, const SortedOut&);
template LinkExamination examine_links<3>(const PassContext&, std::span<const Cell<3>>, const SortedOut&);

}  // namespace tessera::detail::doctor
