// Lloyd's clustering of faces into patches, after RXMesh (Mahmoud's thesis, section 4.3.3).
//
// Patches grow from seeds over neighbouring faces, seeds move to the middle of their patches, and so on.
// The mesh is tiled by the octree first: neighbours are then found tile by tile without a sort of all edges,
// faces that are near each other lie near each other in memory, and seeds at equal steps along the Morton
// order are spread well from the start, where the paper's are random. A few rounds are then enough.
//
// Nothing depends on who comes first: a face falls to the seed that is fewest faces away, of those to the
// lowest patch, in whatever order threads offer it.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <tessera/core/detail/monitor.h>
#include <tessera/core/error.h>
#include <tessera/core/macros.h>
#include <tessera/exec/detail/host/runs.h>
#include <tessera/exec/detail/host/walk.h>
#include <tessera/exec/detail/host_only.h>
#include <tessera/exec/for_each.h>
#include <tessera/exec/primitives.h>
#include <tessera/tile/detail/face_graph.h>
#include <tessera/tile/partition.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;

/// The faces of each patch: those of patch p are faces[offsets[p] .. offsets[p + 1]), ascending.
struct FaceLists {
  Array<uint32_t> faces;
  Array<uint32_t> offsets = {0};

  [[nodiscard]] size_t size() const { return offsets.size() - 1; }
  [[nodiscard]] std::span<const uint32_t> operator[](size_t p) const {
    return {faces.data() + offsets[p], offsets[p + 1] - offsets[p]};
  }
};

/// The patches of one mesh, step by step.
class Clustering {
 public:
  Clustering(const Array<FaceNeighbours>& neighbours, const LloydOptions& options)
      : options_(options),
        exec_(Exec::host(options.exec.threads())),
        neighbours_(neighbours),
        queue_(neighbours.size()),
        visited_(neighbours.size()),
        patch_of_(neighbours.size()),
        patches_{Array<uint32_t>(neighbours.size())} {}

  void run() {
    if (neighbours_.empty()) return;
    spread(patch_of_.size(), [](size_t i) { return static_cast<uint32_t>(i); });
    while (true) {
      report();
      grow();
      if (iterations_++ == 0 && seed_rest()) grow();
      collect();
      if (is_done()) break;
      move_seeds();
      if (iterations_ % seeding_interval == 0) seed_large();
    }
    patches_in_all_ = static_cast<uint32_t>(seeds_.size());
    if (has_large()) cut_large();
  }

  [[nodiscard]] uint32_t patches() const { return patches_in_all_; }
  [[nodiscard]] uint32_t iterations() const { return iterations_; }
  [[nodiscard]] Array<uint32_t> take_patch_of() { return std::move(patch_of_); }

 private:
  static constexpr uint32_t unreached = ~uint32_t{0};
  static constexpr uint32_t in_this_round = uint32_t{1} << 31;  ///< while threads may still lower a patch
  /// More seeds only now and then, as in the paper: moving the seeds makes most patches small enough.
  static constexpr uint32_t seeding_interval = 5;

  void report() const {
    monitor_of(options_.monitor)
        .update("clustering faces", static_cast<double>(iterations_) / options_.max_iterations);
  }

  [[nodiscard]] bool is_large(size_t patch) const { return patches_[patch].size() > options_.max_faces; }
  [[nodiscard]] bool has_large() const {
    for (size_t p = 0; p < patches_.size(); ++p) {
      if (is_large(p)) return true;
    }
    return false;
  }

  /// For patches four fifths full, because sizes come out uneven.
  [[nodiscard]] uint32_t seeds_for(size_t faces) const {
    const uint64_t wanted = (uint64_t{options_.max_faces} * 4 + 4) / 5;
    return static_cast<uint32_t>((faces + wanted - 1) / wanted);
  }

  /// Adds seeds for so many faces, at equal steps along the Morton order.
  template <class FaceAt>
  void spread(size_t faces, const FaceAt& face_at) {
    const uint64_t count = seeds_for(faces);
    for (uint64_t i = 0; i < count; ++i) seeds_.push_back(face_at((2 * i + 1) * faces / (2 * count)));
  }

  /// Components without a seed, most of them small, get their own; returns whether these still have to grow.
  bool seed_rest() {
    bool has_several = false;
    for (size_t first = 0; first < patch_of_.size(); ++first) {
      if (patch_of_[first] != unreached) continue;
      patch_of_[first] = static_cast<uint32_t>(seeds_.size());
      queue_[0] = static_cast<uint32_t>(first);
      const size_t count = grow_alone(1);
      if (seeds_for(count) == 1) {
        seeds_.push_back(static_cast<uint32_t>(first));
        continue;
      }
      has_several = true;
      std::sort(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(count));
      spread(count, [&](size_t i) { return queue_[i]; });
    }
    return has_several;
  }

  /// Patches that are too large get as many seeds as their size asks for; others keep theirs.
  void seed_large() {
    const Array<uint32_t> before = std::exchange(seeds_, {});
    for (size_t p = 0; p < patches_.size(); ++p) {
      if (is_large(p)) {
        spread(patches_[p].size(), [&](size_t i) { return patches_[p][i]; });
      } else {
        seeds_.push_back(before[p]);
      }
    }
  }

  /// Breadth first from all seeds at once. Each face is once in the queue, where a round is an interval. Of
  /// the patches that reach a face in the same round, the lowest gets it.
  void grow() {
    if (seeds_.size() >= in_this_round) throw Error(ErrorCode::unsupported, "more than 2^31 patches");
    host_for_each(exec_, patch_of_.size(), [&](size_t f) { patch_of_[f] = unreached; });
    host_for_each(exec_, seeds_.size(), [&](size_t p) {
      patch_of_[seeds_[p]] = static_cast<uint32_t>(p);
      queue_[p] = seeds_[p];
    });
    size_t begin = 0;
    size_t end = seeds_.size();
    if (exec_.threads() <= 2) end = begin = grow_alone(end);  // two that share every face are no faster
    while (begin < end) {
      const std::span frontier(queue_.data() + begin, end - begin);
      begin = std::exchange(end, grow_round(frontier, end));
    }
  }

  /// From what is in the queue so far, to the end. One thread needs no rounds: the queue ascends by patch in
  /// each, because what a patch adds comes before what a higher one adds, so the first to reach a face is the
  /// lowest. Returns the queue's end.
  size_t grow_alone(size_t end) {
    uint32_t* const patch_of = patch_of_.data();  // not read again after each write
    uint32_t* const queue = queue_.data();
    for (size_t i = 0; i < end; ++i) {
      prefetch_neighbours({queue, end}, i);
      const uint32_t patch = patch_of[queue[i]];
      for (const uint32_t g : neighbours_[queue[i]]) {
        if (patch_of[g] != unreached) continue;
        patch_of[g] = patch;
        queue[end++] = g;
      }
    }
    return end;
  }

  /// Adds the faces that the frontier reaches to the queue; returns the queue's new end.
  size_t grow_round(std::span<const uint32_t> frontier, size_t queue_end) {
    constexpr size_t chunk = 1024;
    std::atomic<size_t> next{queue_end};
    host::for_each_chunk(exec_.threads(), frontier.size(), chunk, [&](host::Range range, int) {
      std::array<uint32_t, 3 * chunk> found;
      size_t count = 0;
      for (size_t i = range.begin; i < range.end; ++i) {
        prefetch_neighbours(frontier, i);
        const uint32_t offer = patch_of_[frontier[i]] | in_this_round;
        for (const uint32_t g : neighbours_[frontier[i]]) {
          if (is_first_offer(g, offer)) found[count++] = g;
        }
      }
      std::copy_n(found.begin(), count, queue_.data() + next.fetch_add(count, std::memory_order_relaxed));
    });
    host_for_each(exec_, next - queue_end,
                  [&](size_t i) { patch_of_[queue_[queue_end + i]] &= ~in_this_round; });
    return next;
  }

  /// Faces of earlier rounds are below any offer.
  bool is_first_offer(uint32_t face, uint32_t offer) {
    const std::atomic_ref best(patch_of_[face]);
    uint32_t known = best.load(std::memory_order_relaxed);
    while (offer < known) {
      if (best.compare_exchange_weak(known, offer, std::memory_order_relaxed)) return known == unreached;
    }
    return false;
  }

  /// For a face a little further on. A round passes over the whole mesh, so that all it needs has left the
  /// caches.
  void prefetch_neighbours(std::span<const uint32_t> queue, size_t i) const {
    constexpr size_t far = 24;
    if (i + far >= queue.size()) return;
    __builtin_prefetch(&neighbours_[queue[i + far]]);
    for (const uint32_t g : neighbours_[queue[i + far / 2]]) __builtin_prefetch(&patch_of_[g]);
  }

  /// The faces of each patch. Each share of the faces has counters of its own, no more in all than there are
  /// faces.
  void collect() {
    const size_t n = patch_of_.size();
    const size_t patches = seeds_.size();
    const size_t shares = std::clamp<size_t>(n / patches, 1, static_cast<size_t>(exec_.threads()));
    Array<uint32_t> next(shares * patches, 0);
    const auto for_each_face = [&](const auto& f) {
      host::for_each_chunk(exec_.threads(), shares, 1, [&](host::Range range, int) {
        uint32_t* const of_share = next.data() + range.begin * patches;
        const host::Range faces = host::share_of(n, range.begin, shares);
        for (size_t face = faces.begin; face < faces.end; ++face) f(face, of_share);
      });
    };
    for_each_face([&](size_t face, uint32_t* counts) { ++counts[patch_of_[face]]; });
    Array<uint32_t> offsets(patches + 1);
    uint32_t end = 0;
    for (size_t p = 0; p < patches; ++p) {
      offsets[p] = end;
      for (size_t s = 0; s < shares; ++s) end += std::exchange(next[s * patches + p], end);
    }
    offsets[patches] = end;
    note_change(offsets);
    patches_.offsets = std::move(offsets);
    for_each_face([&](size_t face, uint32_t* places) {
      patches_.faces[places[patch_of_[face]]++] = static_cast<uint32_t>(face);
    });
  }

  void note_change(std::span<const uint32_t> offsets) {
    change_ = patch_of_.size();
    if (offsets.size() != patches_.offsets.size()) return;
    change_ = 0;
    for (size_t p = 0; p < patches_.size(); ++p) {
      const size_t before = patches_[p].size();
      const size_t now = offsets[p + 1] - offsets[p];
      change_ += std::max(before, now) - std::min(before, now);
    }
  }

  /// All small enough, or sizes that hardly change any more.
  [[nodiscard]] bool is_done() const {
    return iterations_ == options_.max_iterations ||
           static_cast<double>(change_) < options_.settled * static_cast<double>(patch_of_.size()) ||
           !has_large();
  }

  void move_seeds() {
    std::vector<std::vector<uint32_t>> queues(static_cast<size_t>(exec_.threads()));
    host::for_each_chunk(exec_.threads(), patches_.size(), 16, [&](host::Range range, int worker) {
      for (size_t p = range.begin; p < range.end; ++p) {
        seeds_[p] = find_centre(static_cast<uint32_t>(p), queues[static_cast<size_t>(worker)]);
      }
    });
  }

  /// The face furthest from the patch's boundary, of equal ones the lowest. A patch without boundary keeps
  /// its seed.
  uint32_t find_centre(uint32_t patch, std::vector<uint32_t>& queue) {
    queue.resize(patches_[patch].size() + 1);
    size_t end = 0;
    for (const uint32_t f : patches_[patch]) {
      bool is_outer = false;
      for (const uint32_t g : neighbours_[f]) is_outer |= g == f || patch_of_[g] != patch;
      visited_[f] = is_outer ? 1 : 0;
      queue[end] = f;
      end += is_outer ? 1 : 0;
    }
    if (end == 0) return seeds_[patch];
    size_t begin = 0;
    for (size_t i = 0, level = end; i < end; ++i) {
      if (i == level) begin = std::exchange(level, end);
      end = visit_neighbours(patch, i, queue, end);
    }
    return *std::min_element(queue.begin() + static_cast<std::ptrdiff_t>(begin),
                             queue.begin() + static_cast<std::ptrdiff_t>(end));
  }

  /// Puts the neighbours of the queue's i-th face that are of the patch and not yet visited at its end;
  /// returns the new one. The queue has room for one more than there are. No branches: which neighbours are
  /// new cannot be predicted.
  size_t visit_neighbours(uint32_t patch, size_t i, std::span<uint32_t> queue, size_t end) {
    uint8_t outside = 1;  // counts as visited
    for (const uint32_t g : neighbours_[queue[i]]) {
      uint8_t* const is_visited = patch_of_[g] == patch ? &visited_[g] : &outside;
      queue[end] = g;
      end += *is_visited == 0 ? 1 : 0;
      *is_visited = 1;
    }
    return end;
  }

  /// Cuts what is still too large where it lies, and numbers the patches again in their order.
  void cut_large() {
    Array<uint32_t> counts(patches_.size(), 1);
    Array<uint32_t> places(patches_.size() + 1);
    Array<uint32_t>& piece_of = queue_;
    host_for_each(exec_, piece_of.size(), [&](size_t f) { piece_of[f] = 0; });
    host::for_each_chunk(exec_.threads(), patches_.size(), 16, [&](host::Range range, int) {
      for (size_t p = range.begin; p < range.end; ++p) {
        if (is_large(p)) counts[p] = cut(static_cast<uint32_t>(p), piece_of);
      }
    });
    exclusive_scan<uint32_t, uint32_t>(exec_, counts, places);
    host_for_each(exec_, patch_of_.size(),
                  [&](size_t f) { patch_of_[f] = places[patch_of_[f]] + piece_of[f]; });
    patches_in_all_ = places.back();
  }

  /// Pieces of equal size as far as they come out connected, from the face furthest from the seed on.
  uint32_t cut(uint32_t patch, std::span<uint32_t> piece_of) {
    const size_t count = patches_[patch].size();
    std::vector<uint32_t> faces(count + 1, seeds_[patch]);
    const auto forget = [&](std::span<const uint32_t> those) {
      for (const uint32_t f : those) visited_[f] = 0;
    };
    forget(patches_[patch]);
    visited_[faces[0]] = 1;
    for (size_t i = 0, end = 1; i < count; ++i) end = visit_neighbours(patch, i, faces, end);
    forget(patches_[patch]);
    const size_t wanted = (count + options_.max_faces - 1) / options_.max_faces;
    const size_t size = (count + wanted - 1) / wanted;
    uint32_t pieces = 0;
    std::vector<uint32_t> queue(count + 1);
    for (size_t next = count; next-- > 0;) {
      if (visited_[faces[next]] != 0) continue;
      visited_[faces[next]] = 1;
      queue[0] = faces[next];
      size_t end = 1;
      for (size_t i = 0; i < end && end < size; ++i) end = visit_neighbours(patch, i, queue, end);
      const std::span piece(queue.data(), std::min(end, size));
      forget({queue.data() + piece.size(), end - piece.size()});
      for (const uint32_t f : piece) piece_of[f] = pieces;
      ++pieces;
    }
    return pieces;
  }

  const LloydOptions& options_;
  Exec exec_;
  std::span<const FaceNeighbours> neighbours_;
  Array<uint32_t> queue_;
  Array<uint8_t> visited_;
  Array<uint32_t> patch_of_;
  FaceLists patches_;
  Array<uint32_t> seeds_;
  size_t change_ = 0;
  uint32_t iterations_ = 0;
  uint32_t patches_in_all_ = 0;
};

struct Clustered {
  TiledMesh<2> tiles;
  Array<uint32_t> patch_of;  ///< for each face of `tiles`
  uint32_t patches = 0;
  uint32_t iterations = 0;
};

Clustered cluster(const TriMesh& mesh, const LloydOptions& options) {
  TS_EXPECTS(options.max_faces > 0 && options.max_iterations > 0);
  const Exec exec = host_only(options.exec, "Lloyd's clustering");
  Clustered result;
  result.tiles = tile(mesh, {.order = VertexOrder::morton, .exec = exec, .monitor = options.monitor});
  const Array<FaceNeighbours> neighbours = link_faces(result.tiles, exec);
  Clustering clustering(neighbours, options);
  clustering.run();
  result.patch_of = clustering.take_patch_of();
  result.patches = clustering.patches();
  result.iterations = clustering.iterations();
  return result;
}

constexpr uint32_t no_patch = 0xFFFFFFFF;

/// The patch with most faces around each vertex, tile by tile; memory is reused.
class Vote {
 public:
  explicit Vote(const Clustered& clustered) : tiles_(clustered.tiles), patch_of_(clustered.patch_of) {}

  /// Writes the patch of each vertex that the tile owns, of equal ones the lowest; none of none. Most
  /// vertices lie inside a patch: only the others have their faces counted.
  void count(TileId t, std::span<uint32_t> winners) {
    const auto owned = tiles_.vertices(t);
    uint32_t* const lowest = winners.data() + owned.begin;
    std::fill_n(lowest, owned.size(), no_patch);
    highest_.assign(owned.size(), 0);
    for_each_corner(t, [&](uint32_t v, uint32_t patch) {
      lowest[v] = std::min(lowest[v], patch);
      highest_[v] = std::max(highest_[v], patch);
    });
    votes_.clear();
    for_each_corner(t, [&](uint32_t v, uint32_t patch) {
      if (lowest[v] != highest_[v]) votes_.push_back(uint64_t{v} << 32 | patch);
    });
    std::ranges::sort(votes_);
    size_t most = 0;
    for (size_t first = 0, i = 1; i <= votes_.size(); ++i) {
      if (i < votes_.size() && votes_[i] == votes_[first]) continue;
      const bool is_new = first == 0 || votes_[first] >> 32 != votes_[first - 1] >> 32;
      if (is_new || i - first > most) {
        most = i - first;
        lowest[votes_[first] >> 32] = static_cast<uint32_t>(votes_[first]);
      }
      first = i;
    }
  }

 private:
  template <class F>
  void for_each_corner(TileId t, const F& f) const {
    const auto owned = tiles_.vertices(t);
    const auto internal = tiles_.internal_cells(t);
    const auto visit = [&](uint32_t face) {
      for (const tiled::VertexId corner : tiles_.cells()[face]) {
        const uint32_t v = corner.index() - owned.begin;
        if (v < owned.size()) f(v, patch_of_[face]);
      }
    };
    for (const uint32_t face : tiles_.external_cells(t)) visit(face);
    for (uint32_t face = internal.begin; face < internal.end; ++face) visit(face);
  }

  const TiledMesh<2>& tiles_;
  const Array<uint32_t>& patch_of_;
  std::vector<uint32_t> highest_;
  std::vector<uint64_t> votes_;
};

}  // namespace

FacePatches compute_face_patches(const TriMesh& mesh, const LloydOptions& options) {
  const Clustered clustered = cluster(mesh, options);
  FacePatches result{Array<uint32_t>(mesh.cell_count()), clustered.patches, clustered.iterations};
  host_for_each(Exec::host(options.exec.threads()), mesh.cell_count(), [&](size_t f) {
    result.patch_of_face[clustered.tiles.input(tiled::FaceId(static_cast<uint32_t>(f))).index()] =
        clustered.patch_of[f];
  });
  return result;
}

Partition partition_lloyd(const TriMesh& mesh, const LloydOptions& options) {
  const Exec exec = Exec::host(options.exec.threads());
  const Clustered clustered = cluster(mesh, options);
  const TiledMesh<2>& tiles = clustered.tiles;
  Array<uint32_t> tile_of(tiles.vertex_count());
  const auto make = [&](int) { return Vote(clustered); };
  host::walk(tiles.tile_count(), {exec}, make,
             [&](Vote& vote, size_t t) { vote.count(TileId(static_cast<uint32_t>(t)), tile_of); });
  const size_t isolated_a_tile = std::max<uint32_t>(1, options.max_faces / 2);
  host::for_each_kept(
      exec.threads(), tile_of.size(), [&](size_t v) { return tile_of[v] == no_patch; },
      [&](size_t v, size_t i) {
        tile_of[v] = clustered.patches + static_cast<uint32_t>(i / isolated_a_tile);
      });
  Partition partition = partition_given(tile_of, tile_of.size(), exec);
  host_for_each(exec, tile_of.size(), [&](size_t v) {
    partition.order[v] = tiles.input(tiled::VertexId(partition.order[v])).index();
  });
  return partition;
}

}  // namespace tessera
