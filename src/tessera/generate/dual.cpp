#include <tessera/generate/dual.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include <tessera/exec/for_each.h>
#include <tessera/exec/host/scan.h>
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

/// Cells and corners of each kind.
struct Totals {
  std::array<std::uint64_t, 3> cells = {};
  std::array<std::uint64_t, 3> corners = {};

  void add(Kind kind, size_t size) {
    ++cells[kind];
    corners[kind] += size;
  }
};

constexpr size_t chunk = 4096;

template <class Use>
void for_each_fan(const TriMesh& mesh, const Csr<VertexId, FaceId>& around, const Exec& exec,
                  const Use& use) {
  host::for_each_chunk(exec.threads(), mesh.vertex_count(), chunk, [&](host::Range range, int) {
    FanWalker walker(mesh);
    for (size_t v = range.begin; v < range.end; ++v) {
      const VertexId vertex(static_cast<uint32_t>(v));
      walker.walk(vertex, around[vertex], [&](Kind kind, std::span<const FaceId> fan) {
        use(range.begin / chunk, vertex, kind, fan);
      });
    }
  });
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
  std::vector<Totals> places((mesh.vertex_count() + chunk - 1) / chunk);
  for_each_fan(mesh, around, exec, [&](size_t c, VertexId, Kind kind, std::span<const FaceId> fan) {
    places[c].add(kind, fan.size());
  });
  Totals next;
  for (Totals& place : places) {
    for (size_t k = 0; k < 3; ++k) {
      next.cells[k] += std::exchange(place.cells[k], next.cells[k]);
      next.corners[k] += std::exchange(place.corners[k], next.corners[k]);
    }
  }
  report(0.5);

  PolyData dual;
  const std::array<PolyCells*, 3> lists = {&dual.vertices, &dual.lines, &dual.polygons};
  std::array<std::uint64_t, 3> first = {};  // cell data goes through the lists in turn
  for (size_t k = 0; k < 3; ++k) {
    lists[k]->offsets.assign(next.cells[k] + 1, 0);
    lists[k]->offsets.back() = next.corners[k];
    lists[k]->corners.resize(next.corners[k]);
    if (k > 0) first[k] = first[k - 1] + next.cells[k - 1];
  }
  Array<uint32_t> owners(first[2] + next.cells[2]);
  for_each_fan(mesh, around, exec, [&](size_t c, VertexId v, Kind kind, std::span<const FaceId> fan) {
    const std::uint64_t cell = places[c].cells[kind];
    const std::uint64_t corner = places[c].corners[kind];
    lists[kind]->offsets[cell] = corner;
    for (size_t i = 0; i < fan.size(); ++i) lists[kind]->corners[corner + i] = VertexId(fan[i].index());
    owners[first[kind] + cell] = v.index();
    places[c].add(kind, fan.size());
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
