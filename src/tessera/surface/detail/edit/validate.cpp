// Checks the invariants of edit_mesh.h on the host. It shares nothing with the code that keeps them: what
// should be there is worked out of the corners of the faces alone.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <tessera/surface/detail/edit/dynamic_store.h>

namespace tessera::detail {

namespace {

struct HostLists {
  Array<std::uint32_t> keys, offsets, values;
  explicit HostLists(const Lists& lists)
      : keys(lists.keys.to_host(lists.count)),
        offsets(lists.offsets.to_host(lists.count == 0 ? 0 : lists.count + std::size_t{1})),
        values(lists.values.to_host(offsets.empty() ? 0 : offsets.back())) {}
  [[nodiscard]] ListsView view() const {
    return {keys.data(), offsets.data(), values.data(), static_cast<std::uint32_t>(keys.size())};
  }
  [[nodiscard]] bool has(std::uint32_t key) const { return std::ranges::binary_search(keys, key); }
};

[[nodiscard]] std::string about(const char* kind, std::uint64_t id, const char* what) {
  return std::string(kind) + " " + std::to_string(id) + " " + what;
}

}  // namespace

std::string DynamicStore::validate() {
  Array<std::uint32_t> corners = mesh_.corners.to_host(3 * std::size_t{mesh_.end[2]});
  Array<std::uint32_t> edges = mesh_.edges.to_host(3 * std::size_t{mesh_.end[2]});
  Array<std::uint32_t> sides = mesh_.sides.to_host(2 * std::size_t{mesh_.end[1]});
  Array<std::uint32_t> handles = mesh_.handles.to_host(mesh_.end[0]);
  const HostLists edge_list(mesh_.edge_lists);
  const HostLists vertex_list(mesh_.vertex_lists);
  EditArrays here = arrays();
  here.corners = corners.data();
  here.edges = edges.data();
  here.sides = sides.data();
  here.handles = handles.data();
  here.edge_lists = edge_list.view();
  here.vertex_lists = vertex_list.view();
  const EditMesh mesh(here);

  std::array<std::uint32_t, 3> live = {0, 0, 0};
  std::vector<std::vector<std::uint32_t>> on_edge(mesh_.end[1]);
  std::vector<std::vector<std::uint32_t>> at_vertex(mesh_.end[0]);
  std::set<std::array<std::uint32_t, 3>> spanned;
  for (std::uint32_t f = 0; f < mesh_.end[2]; ++f) {
    const std::uint32_t* c = corners.data() + 3 * std::size_t{f};
    if (c[0] == EditArrays::none) continue;
    ++live[2];
    if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0]) return about("face", f, "has a corner twice (1)");
    std::array<std::uint32_t, 3> sorted = {c[0], c[1], c[2]};
    std::ranges::sort(sorted);
    if (!spanned.insert(sorted).second) return about("face", f, "has the corners of another (4)");
    for (std::uint32_t h = 3 * f; h < 3 * f + 3; ++h) {
      if (corners[h] >= mesh_.end[0] || handles[corners[h]] == EditArrays::removed)
        return about("face", f, "has a corner that is no vertex (1)");
      if (edges[h] >= mesh_.end[1]) return about("face", f, "has a side on no edge (2)");
      on_edge[edges[h]].push_back(h);
      at_vertex[corners[h]].push_back(h);
    }
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> joined;
  for (std::uint32_t e = 0; e < mesh_.end[1]; ++e) {
    std::vector<std::uint32_t> found;
    for (const tiled::HalfEdgeId h : mesh.half_edges(tiled::EdgeId(e))) found.push_back(h.index());
    if (here.is_listed(e) && !edge_list.has(e)) return about("edge", e, "has no list (2)");
    if (here.is_listed(e) && found.size() < 3) return about("edge", e, "has a list and needs none (2)");
    std::ranges::sort(found);
    if (found != on_edge[e]) return about("edge", e, "does not have the sides that lie on it (2, 3)");
    if (found.empty()) continue;
    ++live[1];
    const auto ends_of = [&](std::uint32_t h) {
      return std::minmax(corners[h], corners[EditArrays::next(h)]);
    };
    const std::pair<std::uint32_t, std::uint32_t> ends = ends_of(found[0]);
    for (const std::uint32_t h : found) {
      if (std::pair<std::uint32_t, std::uint32_t>(ends_of(h)) != ends)
        return about("edge", e, "joins different vertices (2)");
    }
    if (!joined.emplace(ends, e).second) return about("edge", e, "joins the same vertices as another (4)");
  }
  for (std::uint32_t v = 0; v < mesh_.end[0]; ++v) {
    if (handles[v] == EditArrays::removed) continue;
    ++live[0];
    if (handles[v] == EditArrays::listed && !vertex_list.has(v)) return about("vertex", v, "has no list (5)");
    std::vector<std::uint32_t> found;
    for (const tiled::HalfEdgeId h : mesh.half_edges(tiled::VertexId(v))) {
      found.push_back(h.index());
      if (found.size() > at_vertex[v].size()) break;
    }
    std::ranges::sort(found);
    if (found != at_vertex[v]) return about("vertex", v, "does not have the corners that lie at it (5)");
  }
  for (const Kind kind : {Kind::vertex, Kind::edge, Kind::face}) {
    const auto k = static_cast<std::size_t>(kind);
    if (live[k] != count(kind)) {
      constexpr const char* names[] = {"vertices", "edges", "faces"};
      return std::to_string(live[k]) + " " + names[k] + " are there and " + std::to_string(count(kind)) +
             " are counted";
    }
    Array<std::uint32_t> freed = freed_[k].ids.to_host(freed_[k].end);
    freed.erase(freed.begin(), freed.begin() + freed_[k].begin);
    std::ranges::sort(freed);
    if (std::ranges::adjacent_find(freed) != freed.end()) return "an id was freed twice";
  }
  return {};
}

}  // namespace tessera::detail
