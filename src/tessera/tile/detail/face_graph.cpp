// Neighbours from the stars of each tile's vertices; components by union of trees.
#include <tessera/tile/detail/face_graph.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include <tessera/exec/detail/host/runs.h>
#include <tessera/exec/primitives.h>

namespace tessera::detail {
namespace {

using std::size_t;

/// Trees of connected faces: a root is the lowest face of its component.
class Components {
 public:
  Components(std::span<const FaceNeighbours> neighbours, const Exec& exec)
      : exec_(exec), parent_(neighbours.size()) {
    host_for_each(exec_, parent_.size(), [&](size_t f) { parent_[f] = static_cast<uint32_t>(f); });
    host_for_each(exec_, parent_.size(), [&](size_t f) {
      for (const uint32_t g : neighbours[f]) join(static_cast<uint32_t>(f), g);
    });
  }

  /// The faces of each component, ascending.
  [[nodiscard]] FaceLists lists() {
    const size_t n = parent_.size();
    FaceLists lists{Array<uint32_t>(n), Array<uint32_t>(n + 1)};
    Array<uint32_t> roots(n);
    host_for_each(exec_, n, [&](size_t f) {
      roots[f] = root(static_cast<uint32_t>(f));
      lists.faces[f] = static_cast<uint32_t>(f);
    });
    sort_pairs<uint32_t, uint32_t>(exec_, roots, lists.faces, bits_in_use(n));
    const size_t count = host::for_each_run<uint32_t>(
        exec_.threads(), roots,
        [&](size_t first, size_t, size_t run) { lists.offsets[run] = static_cast<uint32_t>(first); });
    lists.offsets[count] = static_cast<uint32_t>(n);
    lists.offsets.resize(count + 1);
    return lists;
  }

 private:
  std::atomic_ref<uint32_t> parent(uint32_t f) { return std::atomic_ref(parent_[f]); }

  /// Halves the path on its way. Parents only ever go down, so a lost race costs nothing but time.
  uint32_t root(uint32_t f) {
    while (true) {
      uint32_t up = parent(f).load(std::memory_order_relaxed);
      if (up == f) return f;
      const uint32_t above = parent(up).load(std::memory_order_relaxed);
      if (above != up) parent(f).compare_exchange_weak(up, above, std::memory_order_relaxed);
      f = above;
    }
  }

  void join(uint32_t f, uint32_t g) {
    while (true) {
      f = root(f);
      g = root(g);
      if (f == g) return;
      if (f < g) std::swap(f, g);
      uint32_t expected = f;
      if (parent(f).compare_exchange_strong(expected, g, std::memory_order_relaxed)) return;
    }
  }

  Exec exec_;
  Array<uint32_t> parent_;
};

}  // namespace

Array<FaceNeighbours> link_faces(const TiledMesh<2>& tiles, const Exec& exec) {
  struct Side {
    tiled::VertexId higher;
    uint32_t face;
    uint32_t side;
  };
  Array<FaceNeighbours> neighbours(tiles.cell_count());
  for_each_star<std::vector<Side>>(
      tiles, exec, [&](tiled::VertexId v, std::span<const uint32_t> star, std::vector<Side>& sides) {
        sides.clear();  // of the edges whose lower vertex is v: every edge is met once
        for (const uint32_t face : star) {
          const auto& corners = tiles[tiled::FaceId(face)];
          if (v == corners[0]) {
            sides.push_back({corners[1], face, 2});
            sides.push_back({corners[2], face, 1});
          } else if (v == corners[1]) {
            sides.push_back({corners[2], face, 0});
          }
        }
        std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
          return a.higher != b.higher ? a.higher < b.higher : a.face < b.face;
        });
        for (size_t first = 0, i = 0; i < sides.size(); ++i) {
          const bool last = i + 1 == sides.size() || sides[i + 1].higher != sides[first].higher;
          neighbours[sides[i].face][sides[i].side] = sides[last ? first : i + 1].face;
          if (last) first = i + 1;
        }
      });
  return neighbours;
}

FaceLists list_components(std::span<const FaceNeighbours> neighbours, const Exec& exec) {
  return Components(neighbours, exec).lists();
}

}  // namespace tessera::detail
