#include <tessera/generate/tet_surface.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <string>
#include <utility>

#include <tessera/core/csr.h>
#include <tessera/core/error.h>
#include <tessera/exec/for_each.h>
#include <tessera/exec/host/scan.h>
#include <tessera/generate/interpolate.h>
#include <tessera/generate/tet_table.h>

namespace tessera {
namespace {

constexpr std::size_t word_bits = 64;
constexpr std::size_t tets_at_once = 64 * 128;
constexpr std::uint32_t empty = 0xFFFFFFFFu;

template <class T>
T add(T& counter, T amount, bool alone) {
  if (!alone) return std::atomic_ref(counter).fetch_add(amount, std::memory_order_relaxed);
  const T before = counter;
  counter += amount;
  return before;
}

class TetMarch {
 public:
  TetMarch(const TetMesh& mesh, std::span<const std::uint8_t> marks, const Exec& exec)
      : mesh_(mesh), marks_(marks), exec_(exec), is_alone_(exec.threads() == 1) {}

  /// Step 1.
  void classify() {
    const std::size_t n = mesh_.cell_count();
    crossed_.resize((n + word_bits - 1) / word_bits);
    triangles_.assign((n + tets_at_once - 1) / tets_at_once, 0);
    rows_.assign(mesh_.vertex_count() + 1, 0);
    host::for_each_chunk(exec_.threads(), n, tets_at_once, [&](host::Range range, int) {
      std::uint32_t count = 0;
      for (std::size_t begin = range.begin; begin < range.end; begin += word_bits) {
        const std::span<const TetMesh::Cell> tets(mesh_.cells.data() + begin,
                                                  std::min(word_bits, range.end - begin));
        expect_corners(tets);
        std::uint64_t word = 0;  // first without a branch: every fourth tet or so is crossed
        for (std::size_t t = 0; t < tets.size(); ++t) word |= std::uint64_t{is_crossed(tets[t])} << t;
        crossed_[begin / word_bits] = word;
        for (; word != 0; word &= word - 1) {
          const TetMesh::Cell& tet = tets[static_cast<std::size_t>(std::countr_zero(word))];
          const tet::Case& entry = tet::cases[case_of(tet)];
          count += entry.triangles();
          for (int e = 0; e < entry.crossed; ++e) {
            add(rows_[ends(tet, entry.edges[e])[0].index()], 1u, is_alone_);
          }
        }
      }
      triangles_[range.begin / tets_at_once] = count;
    });
  }

  /// Step 2.
  template <class Vector>
  void enter_edges(std::span<const Vector> points, TetLevel& level, bool with_tets) {
    std::uint64_t triangles = 0;
    for (std::uint64_t& count : triangles_) triangles += std::exchange(count, triangles);
    std::uint64_t places = 0;
    for (const std::uint32_t count : rows_) places += count;
    (void)checked_offset(places);
    host::exclusive_scan<std::uint32_t, std::uint32_t>(exec_.threads(), rows_, rows_);
    places_.resize(places);
    edges_.assign(rows_.size(), 0);
    host_for_each(exec_, places, [&](std::size_t p) { places_[p] = empty; });
    level.cells.resize(triangles);
    level.tets.resize(with_tets ? triangles : 0);
    host::for_each_chunk(exec_.threads(), mesh_.cell_count(), tets_at_once, [&](host::Range range, int) {
      std::size_t triangle = triangles_[range.begin / tets_at_once];
      for (std::size_t w = range.begin / word_bits; w * word_bits < range.end; ++w) {
        for (std::uint64_t rest = crossed_[w]; rest != 0; rest &= rest - 1) {
          const std::size_t t = w * word_bits + static_cast<std::size_t>(std::countr_zero(rest));
          const TetMesh::Cell& tet = mesh_.cells[t];
          const tet::Case& entry = tet::cases[case_of(tet)];
          VertexId corner[4];
          for (int e = 0; e < entry.crossed; ++e) corner[e] = VertexId(enter(ends(tet, entry.edges[e])));
          const auto at = [&](int c) { return vec_cast<double>(points[tet[c].index()]); };
          const bool flips = is_negative(at(0), at(1), at(2), at(3));
          for (std::uint32_t i = 0; i < entry.triangles(); ++i, ++triangle) {
            const VertexId second = corner[i + 1];
            const VertexId third = corner[i + 2];
            level.cells[triangle] = {corner[0], flips ? third : second, flips ? second : third};
            if (with_tets) level.tets[triangle] = static_cast<std::uint32_t>(t);
          }
        }
      }
    });
  }

  /// Step 3.
  void number(TetLevel& level) {
    const std::size_t vertices = mesh_.vertex_count();
    host::exclusive_scan<std::uint32_t, std::uint32_t>(exec_.threads(), edges_, edges_);
    level.edges.resize(edges_[vertices]);
    host::for_each_chunk(exec_.threads(), vertices, 4096, [&](host::Range range, int) {
      Array<std::uint64_t> row;  // (higher end, place)
      for (std::size_t v = range.begin; v < range.end; ++v) {
        std::uint32_t id = edges_[v];
        if (id == edges_[v + 1]) continue;
        row.clear();
        for (std::uint32_t p = rows_[v]; p < rows_[v + 1]; ++p) {
          if (places_[p] != empty) row.push_back(std::uint64_t{places_[p]} << 32 | p);
        }
        std::sort(row.begin(), row.end());
        for (const std::uint64_t entry : row) {  // a place's edge becomes its vertex
          level.edges[id] = {VertexId(static_cast<std::uint32_t>(v)),
                             VertexId(static_cast<std::uint32_t>(entry >> 32))};
          places_[static_cast<std::uint32_t>(entry)] = id++;
        }
      }
    });
    host_for_each(exec_, level.cells.size(), [&](std::size_t t) {
      for (VertexId& corner : level.cells[t]) corner = VertexId(places_[corner.index()]);
    });
  }

 private:
  /// Adds up the corners' marks: 1, 2 or 3 if they differ and none is NaN.
  [[nodiscard]] bool is_crossed(const TetMesh::Cell& tet) const {
    const std::uint32_t sum = marks_[tet[0].index()] + marks_[tet[1].index()] + marks_[tet[2].index()] +
                              std::uint32_t{marks_[tet[3].index()]};
    return (sum & 3) != 0 && sum < 4;
  }
  /// Of a crossed tet.
  [[nodiscard]] std::uint32_t case_of(const TetMesh::Cell& tet) const {
    std::uint32_t high = 0;
    for (std::uint32_t c = 0; c < 4; ++c) high |= std::uint32_t{marks_[tet[c].index()]} << c;
    return high;
  }
  static std::array<VertexId, 2> ends(const TetMesh::Cell& tet, std::uint32_t edge) {
    const VertexId a = tet[tet::edge_corners[edge][0]];
    const VertexId b = tet[tet::edge_corners[edge][1]];
    return a < b ? std::array{a, b} : std::array{b, a};
  }

  /// The place of an edge in the row of its lower end. A row has several times the room it needs, so the
  /// first place that is tried mostly is the one.
  std::uint32_t enter(const std::array<VertexId, 2>& edge) {
    const std::uint32_t low = edge[0].index();
    const std::uint32_t high = edge[1].index();
    const std::uint32_t begin = rows_[low];
    const std::uint32_t end = rows_[low + 1];
    const std::uint32_t spread = high * 0x9E3779B1u;
    std::uint32_t p = begin + static_cast<std::uint32_t>(std::uint64_t{spread} * (end - begin) >> 32);
    for (;; p = p + 1 < end ? p + 1 : begin) {
      std::atomic_ref place(places_[p]);
      std::uint32_t seen = place.load(std::memory_order_relaxed);
      if (seen == high) return p;
      if (seen != empty) continue;
      const bool is_mine = is_alone_ || place.compare_exchange_strong(seen, high, std::memory_order_relaxed);
      if (is_mine) {
        if (is_alone_) places_[p] = high;
        add(edges_[low], 1u, is_alone_);
        return p;
      }
      if (seen == high) return p;
    }
  }

  void expect_corners(std::span<const TetMesh::Cell> tets) const {
    std::uint32_t highest = 0;
    for (const TetMesh::Cell& tet : tets) {
      for (const VertexId v : tet) highest = std::max(highest, v.index());
    }
    if (highest >= mesh_.vertex_count()) refuse(static_cast<std::size_t>(tets.data() - mesh_.cells.data()));
  }
  /// One of the tets from t on names a point that is not there.
  [[noreturn]] void refuse(std::size_t t) const {
    const auto is_bad = [&](VertexId v) { return v.index() >= mesh_.vertex_count(); };
    while (std::ranges::none_of(mesh_.cells[t], is_bad)) ++t;
    const VertexId corner = *std::ranges::find_if(mesh_.cells[t], is_bad);
    throw Error(ErrorCode::bad_mesh, "tet " + std::to_string(t) + " names the point " +
                                         std::to_string(corner.index()) + ", but there are " +
                                         std::to_string(mesh_.vertex_count()));
  }

  const TetMesh& mesh_;
  std::span<const std::uint8_t> marks_;
  Exec exec_;
  bool is_alone_;
  Array<std::uint64_t> crossed_;    ///< a bit a tet
  Array<std::uint64_t> triangles_;  ///< of each chunk of tets, then before it
  Array<std::uint32_t> rows_;       ///< of each lower end: its edges, then the first place of its row
  Array<std::uint32_t> edges_;      ///< of each lower end: different edges, then its first vertex
  Array<std::uint32_t> places_;     ///< the higher end of the edge in each place, then its vertex
};

}  // namespace

TetLevel make_tet_level(const TetMesh& mesh, std::span<const std::uint8_t> marks, bool with_tets,
                        const Exec& exec) {
  TetLevel level;
  TetMarch march(mesh, marks, exec);
  march.classify();
  mesh.points.visit([&](auto points) { march.enter_edges(points, level, with_tets); });
  march.number(level);
  return level;
}

}  // namespace tessera
