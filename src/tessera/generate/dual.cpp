#include <tessera/generate/dual.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include <tessera/exec/for_each.h>
#include <tessera/generate/blend.h>
#include <tessera/generate/checks.h>
#include <tessera/generate/key_reduce.h>

namespace tessera {
namespace {

using std::size_t;
using std::uint32_t;

/// What fans become, as lists of PolyData.
enum Kind : std::uint8_t { single = 0, open = 1, closed = 2 };

constexpr uint32_t none = 0xFFFFFFFFu;

/// Walks the fans around one vertex after another; keeps its memory.
class FanWalker {
 public:
  explicit FanWalker(const TriMesh& mesh) : mesh_(mesh) {}

  /// Calls emit(kind, triangles) for each fan of the triangles around v.
  template <class Emit>
  void walk(VertexId v, std::span<const FaceId> around, const Emit& emit) {
    collect(v, around);
    pair_up();
    for (uint32_t start = 0; start < wedges_.size(); ++start) {
      if (wedges_[start].is_done) continue;
      fan_.clear();
      const bool is_closed = follow(start);
      const Kind kind = is_closed && fan_.size() > 2 ? closed : fan_.size() == 1 ? single : open;
      emit(kind, std::span<const FaceId>(fan_));
    }
  }

 private:
  /// A triangle at v: its edges to the next and to the previous corner, and who is beyond them.
  struct Wedge {
    FaceId triangle;
    std::array<uint32_t, 2> beyond = {none, none};  ///< the next and the previous wedge
    bool is_done = false;
  };
  struct Side {
    VertexId end;    ///< of the edge that is not v
    uint32_t wedge;  ///< whose edge it is
    std::uint8_t which;
  };

  void collect(VertexId v, std::span<const FaceId> around) {
    wedges_.clear();
    sides_.clear();
    for (const FaceId f : around) {
      const TriMesh::Cell& t = mesh_[f];
      if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) continue;
      const size_t at = t[0] == v ? 0 : t[1] == v ? 1 : 2;
      const auto wedge = static_cast<uint32_t>(wedges_.size());
      wedges_.push_back({f});
      // Going around counter-clockwise one leaves through the edge to the previous corner.
      sides_.push_back({t[(at + 2) % 3], wedge, 0});
      sides_.push_back({t[(at + 1) % 3], wedge, 1});
    }
  }

  /// Two wedges are neighbours if just they share an edge.
  void pair_up() {
    std::ranges::sort(sides_, [](const Side& a, const Side& b) {
      return a.end != b.end ? a.end < b.end : a.wedge < b.wedge;
    });
    for (size_t i = 0; i < sides_.size();) {
      size_t end = i;
      while (end < sides_.size() && sides_[end].end == sides_[i].end) ++end;
      if (end - i == 2) {
        wedges_[sides_[i].wedge].beyond[sides_[i].which] = sides_[i + 1].wedge;
        wedges_[sides_[i + 1].wedge].beyond[sides_[i + 1].which] = sides_[i].wedge;
      }
      i = end;
    }
  }

  /// The fan of a wedge, which is its lowest: forward to its end, then backward from the start.
  [[nodiscard]] bool follow(uint32_t start) {
    const bool is_closed = append_from(start, 0);
    if (is_closed) return true;
    std::vector<FaceId> forward = std::move(fan_);
    fan_.clear();
    wedges_[start].is_done = false;
    (void)append_from(start, 1);
    fan_.erase(fan_.begin());  // the start itself
    std::ranges::reverse(fan_);
    fan_.insert(fan_.end(), forward.begin(), forward.end());
    return false;
  }

  /// Goes on from wedge to wedge, at first through that side; true if that comes back to the start.
  bool append_from(uint32_t start, std::size_t side) {
    uint32_t at = start;
    uint32_t from = none;
    for (;;) {
      wedges_[at].is_done = true;
      fan_.push_back(wedges_[at].triangle);
      // A triangle that is turned the other way is left through its other edge.
      const auto& beyond = wedges_[at].beyond;
      const uint32_t next = from == none ? beyond[side] : beyond[0] == from ? beyond[1] : beyond[0];
      if (next == none) return false;
      if (next == start) return true;
      if (wedges_[next].is_done) return false;
      from = at;
      at = next;
    }
  }

  const TriMesh& mesh_;
  std::vector<Wedge> wedges_;
  std::vector<Side> sides_;
  std::vector<FaceId> fan_;
};

constexpr size_t chunk = 4096;

/// The fans of a chunk of vertices, and later their places in the result.
struct ChunkFans {
  std::array<std::vector<uint32_t>, 3> sizes;    ///< of each kind's fans
  std::array<std::vector<uint32_t>, 3> owners;   ///< the vertex of each
  std::array<std::vector<VertexId>, 3> corners;  ///< of one after another
  std::array<std::uint64_t, 3> first_cell = {};
  std::array<std::uint64_t, 3> first_corner = {};
};

ChunkFans find_fans(const TriMesh& mesh, const Csr<VertexId, FaceId>& around, host::Range range) {
  ChunkFans fans;
  FanWalker walker(mesh);
  for (size_t v = range.begin; v < range.end; ++v) {
    const VertexId vertex(static_cast<uint32_t>(v));
    walker.walk(vertex, around[vertex], [&](Kind kind, std::span<const FaceId> fan) {
      fans.sizes[kind].push_back(static_cast<uint32_t>(fan.size()));
      fans.owners[kind].push_back(vertex.index());
      for (const FaceId f : fan) fans.corners[kind].push_back(VertexId(f.index()));
    });
  }
  return fans;
}

void copy_fans(const ChunkFans& fans, size_t kind, PolyCells& list, std::span<uint32_t> owners) {
  std::uint64_t corner = fans.first_corner[kind];
  for (size_t i = 0; i < fans.sizes[kind].size(); ++i) {
    list.offsets[fans.first_cell[kind] + i] = corner;
    corner += fans.sizes[kind][i];
  }
  std::ranges::copy(fans.corners[kind], list.corners.data() + fans.first_corner[kind]);
  std::ranges::copy(fans.owners[kind], owners.data() + fans.first_cell[kind]);
}

}  // namespace

PolyData make_dual(const TriMesh& mesh, const DualOptions& options) {
  const Exec exec = Exec::host(options.exec.threads());
  expect_usable(mesh, exec);
  const auto report = [&](double fraction) {
    if (options.monitor != nullptr) options.monitor->update("following fans", fraction);
  };
  report(0);
  const auto around =
      vertex_incidence<FaceId, 3>(std::span<const TriMesh::Cell>(mesh.cells), mesh.vertex_count(), exec);
  std::vector<ChunkFans> chunks((mesh.vertex_count() + chunk - 1) / chunk);
  host::for_each_chunk(exec.threads(), mesh.vertex_count(), chunk, [&](host::Range range, int) {
    chunks[range.begin / chunk] = find_fans(mesh, around, range);
  });
  report(0.7);

  PolyData dual;
  const std::array<PolyCells*, 3> lists = {&dual.vertices, &dual.lines, &dual.polygons};
  std::array<std::uint64_t, 4> first = {};  // cell data goes through the lists in turn
  for (size_t kind = 0; kind < 3; ++kind) {
    std::uint64_t cells = 0;
    std::uint64_t corners = 0;
    for (ChunkFans& fans : chunks) {
      fans.first_cell[kind] = std::exchange(cells, cells + fans.sizes[kind].size());
      fans.first_corner[kind] = std::exchange(corners, corners + fans.corners[kind].size());
    }
    lists[kind]->offsets.resize(cells + 1);
    lists[kind]->offsets.back() = corners;
    lists[kind]->corners.resize(corners);
    first[kind + 1] = first[kind] + cells;
  }
  Array<uint32_t> owners(first[3]);
  host::for_each_chunk(exec.threads(), chunks.size(), 1, [&](host::Range range, int) {
    for (size_t kind = 0; kind < 3; ++kind) {
      copy_fans(chunks[range.begin], kind, *lists[kind],
                std::span(owners).subspan(first[kind], first[kind + 1] - first[kind]));
    }
  });
  dual.points = blend(
      mesh.points, mesh.cell_count(),
      [&](size_t f, const auto& take) {
        for (const VertexId v : mesh.cells[f]) take(v.index(), 1.0 / 3);
      },
      exec);
  dual.point_data = mesh.cell_data;
  dual.cell_data = mesh.point_data.gather(owners);
  dual.cell_data.add(Field("InputVertex", Array<std::int64_t>(owners.begin(), owners.end())));
  dual.field_data = mesh.field_data;
  return dual;
}

}  // namespace tessera
