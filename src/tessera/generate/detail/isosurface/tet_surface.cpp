#include <tessera/generate/detail/isosurface/tet_surface.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include <tessera/core/csr.h>
#include <tessera/core/error.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/for_each.h>
#include <tessera/generate/detail/isosurface/interpolate.h>
#include <tessera/generate/detail/isosurface/tet_table.h>
#include <tessera/generate/detail/keys/pair_groups.h>

namespace tessera::detail {
namespace {

constexpr std::size_t word_bits = 64;
constexpr std::size_t words_ahead = 4;  // far enough for memory to answer
constexpr std::size_t tets_at_once = 64 * 128;

class TetMarch {
 public:
  TetMarch(const TetMesh& mesh, std::span<const std::uint8_t> marks, const Exec& exec)
      : mesh_(mesh), marks_(marks), exec_(exec), rows_(mesh.vertex_count(), exec) {}

  /// Step 1.
  void classify() {
    const std::size_t n = mesh_.cell_count();
    crossed_.resize((n + word_bits - 1) / word_bits);
    triangles_.assign((n + tets_at_once - 1) / tets_at_once, 0);
    host::for_each_chunk(exec_.threads(), n, tets_at_once, [&](host::Range range, int) {
      std::uint32_t count = 0;
      std::uint32_t edges = 0;
      for (std::size_t begin = range.begin; begin < range.end; begin += word_bits) {
        const std::span<const TetMesh::Cell> tets(mesh_.cells.data() + begin,
                                                  std::min(word_bits, range.end - begin));
        fetch(begin + words_ahead * word_bits);
        expect_corners(tets);
        std::uint64_t word = crossed_of(tets);
        crossed_[begin / word_bits] = word;
        for (; word != 0; word &= word - 1) {
          const TetMesh::Cell& tet = tets[static_cast<std::size_t>(std::countr_zero(word))];
          const tet::Case& entry = tet::cases[case_of(tet)];
          count += entry.triangles();
          edges += entry.crossed;
          for (int e = 0; e < entry.crossed; ++e) rows_.count(ends(tet, entry.edges[e])[0]);
        }
      }
      triangles_[range.begin / tets_at_once] = count;
      places_ += edges;
    });
  }

  /// Step 2.
  template <class Vector>
  void enter_edges(std::span<const Vector> points, TetLevel& level, bool with_tets) {
    std::uint64_t triangles = 0;
    for (std::uint64_t& count : triangles_) triangles += std::exchange(count, triangles);
    (void)checked_offset(places_);
    rows_.make_room();
    level.cells.resize(triangles);
    level.tets.resize(with_tets ? triangles : 0);
    host::for_each_chunk(exec_.threads(), mesh_.cell_count(), tets_at_once, [&](host::Range range, int) {
      std::size_t triangle = triangles_[range.begin / tets_at_once];
      for (std::size_t w = range.begin / word_bits; w * word_bits < range.end; ++w) {
        fetch_first_crossed(w + 2 * words_ahead);
        for (std::uint64_t rest = crossed_[w]; rest != 0; rest &= rest - 1) {
          const std::size_t t = w * word_bits + static_cast<std::size_t>(std::countr_zero(rest));
          const TetMesh::Cell& tet = mesh_.cells[t];
          const tet::Case& entry = tet::cases[case_of(tet)];
          VertexId corner[4];
          for (int e = 0; e < entry.crossed; ++e)
            corner[e] = VertexId(rows_.enter(ends(tet, entry.edges[e])));
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
    level.edges = rows_.number();
    host_for_each(exec_, level.cells.size(), [&](std::size_t t) {
      for (VertexId& corner : level.cells[t]) corner = VertexId(rows_.number_at(corner.index()));
    });
  }

 private:
  /// 64 tets from t on, so that waiting for memory and looking at marks go on at once.
  void fetch(std::size_t t) const {
    constexpr std::size_t line = 64 / sizeof(TetMesh::Cell);
    if (t + word_bits > mesh_.cell_count()) return;
    for (std::size_t i = 0; i < word_bits; i += line) __builtin_prefetch(mesh_.cells.data() + t + i);
  }
  /// Crossed tets are mostly far from each other, and those of a word beside each other.
  void fetch_first_crossed(std::size_t w) const {
    if (w >= crossed_.size() || crossed_[w] == 0) return;
    __builtin_prefetch(mesh_.cells.data() + w * word_bits +
                       static_cast<std::size_t>(std::countr_zero(crossed_[w])));
  }
  /// A bit for each of at most 64 tets. Corners' marks add up to 1, 2 or 3 if they differ and none is NaN.
  /// No branches, since every fourth tet or so is crossed, and two ids at a time, since loads are the limit.
  [[nodiscard]] std::uint64_t crossed_of(std::span<const TetMesh::Cell> tets) const {
    std::array<std::uint8_t, word_bits> sums = {};
    for (std::size_t t = 0; t < tets.size(); ++t) {
      const auto [a, b] = std::bit_cast<std::array<std::uint64_t, 2>>(tets[t]);
      sums[t] = static_cast<std::uint8_t>(marks_[a & 0xFFFFFFFFu] + marks_[a >> 32] +
                                          marks_[b & 0xFFFFFFFFu] + marks_[b >> 32]);
    }
    for (std::uint8_t& sum : sums) sum = static_cast<std::uint8_t>(sum - 1) < 3 ? 1 : 0;
    constexpr bool is_little = std::endian::native == std::endian::little;
    constexpr std::uint64_t gather_lowest_bits = is_little ? 0x0102040810204080u : 0x8040201008040201u;
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < word_bits; i += 8) {
      std::uint64_t flags = 0;  // eight bytes
      std::memcpy(&flags, sums.data() + i, 8);
      word |= flags * gather_lowest_bits >> 56 << i;
    }
    return word;
  }
  /// Of a crossed tet.
  [[nodiscard]] std::uint32_t case_of(const TetMesh::Cell& tet) const {
    std::uint32_t high = 0;
    for (std::uint32_t c = 0; c < 4; ++c) high |= std::uint32_t{marks_[tet[c].index()]} << c;
    return high;
  }
  static PairKey ends(const TetMesh::Cell& tet, std::uint32_t edge) {
    return unordered_pair(tet[tet::edge_corners[edge][0]], tet[tet::edge_corners[edge][1]]);
  }

  void expect_corners(std::span<const TetMesh::Cell> tets) const {
    const std::uint32_t* const ids = reinterpret_cast<const std::uint32_t*>(tets.data());
    std::uint32_t highest = 0;
    for (std::size_t i = 0; i < 4 * tets.size(); ++i) highest = std::max(highest, ids[i]);
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
  detail::PairRows rows_;                  ///< crossed edges
  std::atomic<std::uint64_t> places_ = 0;  ///< crossed edges of all tets
  Array<std::uint64_t> crossed_;           ///< a bit a tet
  Array<std::uint64_t> triangles_;         ///< of each chunk of tets, then before it
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

}  // namespace tessera::detail
