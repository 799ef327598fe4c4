// Lloyd's clustering of faces into patches, after RXMesh (Mahmoud's thesis, section 4.3.3).
//
// Patches grow from seeds over neighbouring faces, seeds move to the middle of their patches, and so on.
// The mesh is tiled by the octree first: neighbours are then found tile by tile without a sort of all edges,
// faces that are near each other lie near each other in memory, and seeds at equal steps along the Morton
// order are spread well from the start, where the paper's are random.
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
#include <tessera/core/macros.h>
#include <tessera/exec/detail/host/runs.h>
#include <tessera/exec/detail/host_only.h>
#include <tessera/exec/for_each.h>
#include <tessera/exec/primitives.h>
#include <tessera/tile/detail/face_graph.h>
#include <tessera/tile/partition.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;

/// The patches of one mesh, step by step.
class Clustering {
 public:
  Clustering(const Array<FaceNeighbours>& neighbours, const LloydOptions& options)
      : options_(options),
        exec_(Exec::host(options.exec.threads())),
        neighbours_(neighbours),
        reached_(neighbours.size()),
        queue_(neighbours.size()),
        visited_(neighbours.size()),
        patch_of_(neighbours.size()) {}

  void run() {
    if (neighbours_.empty()) return;
    seed_components();
    while (true) {
      report();
      grow();
      ++iterations_;
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
  static constexpr uint64_t unreached = ~uint64_t{0};
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

  /// Seeds at equal steps along the Morton order.
  static void spread(std::span<const uint32_t> faces, std::span<uint32_t> seeds) {
    const uint64_t steps = 2 * seeds.size();
    for (uint64_t i = 0; i < seeds.size(); ++i) seeds[i] = faces[(2 * i + 1) * faces.size() / steps];
  }

  void seed_components() {
    patches_ = list_components(neighbours_, exec_);
    seed_anew([](size_t) { return true; });
  }

  void seed_large() {
    host::for_each_chunk(exec_.threads(), patches_.size(), 256, [&](host::Range range, int) {
      for (size_t p = range.begin; p < range.end; ++p) {
        if (is_large(p)) std::ranges::sort(patches_[p]);
      }
    });
    seed_anew([&](size_t p) { return is_large(p); });
  }

  /// The chosen patches, whose lists ascend, get as many seeds as their size asks for; others keep theirs.
  template <class Chosen>
  void seed_anew(const Chosen& is_chosen) {
    Array<uint32_t> counts(patches_.size());
    Array<uint32_t> places(patches_.size() + 1);
    host_for_each(exec_, counts.size(),
                  [&](size_t p) { counts[p] = is_chosen(p) ? seeds_for(patches_[p].size()) : 1; });
    exclusive_scan<uint32_t, uint32_t>(exec_, counts, places);
    Array<uint32_t> seeds(places.back());
    host_for_each(exec_, counts.size(), [&](size_t p) {
      if (is_chosen(p)) {
        spread(patches_[p], std::span(seeds).subspan(places[p], counts[p]));
      } else {
        seeds[places[p]] = seeds_[p];
      }
    });
    seeds_ = std::move(seeds);
  }

  /// Breadth first from all seeds at once. A face holds the number of steps and the patch that has reached
  /// it; the smallest offer wins. Each face is once in the queue, where a round is an interval.
  void grow() {
    host_for_each(exec_, reached_.size(), [&](size_t f) { reached_[f] = unreached; });
    host_for_each(exec_, seeds_.size(), [&](size_t p) {
      reached_[seeds_[p]] = p;
      queue_[p] = seeds_[p];
    });
    size_t begin = 0;
    size_t end = seeds_.size();
    for (uint64_t round = 1; begin < end; ++round) {
      const std::span frontier(queue_.data() + begin, end - begin);
      begin = std::exchange(end, grow_round(round, frontier, end));
    }
  }

  /// Adds the faces that the frontier reaches to the queue; returns the queue's new end.
  size_t grow_round(uint64_t round, std::span<const uint32_t> frontier, size_t queue_end) {
    constexpr size_t chunk = 1024;
    std::atomic<size_t> next{queue_end};
    host::for_each_chunk(exec_.threads(), frontier.size(), chunk, [&](host::Range range, int) {
      std::array<uint32_t, 3 * chunk> found;
      size_t count = 0;
      for (size_t i = range.begin; i < range.end; ++i) {
        const uint64_t offer = round << 32 | static_cast<uint32_t>(reached_[frontier[i]]);
        for (const uint32_t g : neighbours_[frontier[i]]) {
          if (is_first_offer(g, offer)) found[count++] = g;
        }
      }
      std::copy_n(found.begin(), count, queue_.data() + next.fetch_add(count, std::memory_order_relaxed));
    });
    return next;
  }

  bool is_first_offer(uint32_t face, uint64_t offer) {
    const std::atomic_ref best(reached_[face]);
    uint64_t known = best.load(std::memory_order_relaxed);
    while (offer < known) {
      if (best.compare_exchange_weak(known, offer, std::memory_order_relaxed)) return known == unreached;
    }
    return false;
  }

  /// The faces of each patch, in no particular order.
  void collect() {
    Array<uint32_t> sizes(seeds_.size(), 0);
    const auto count_up = [](uint32_t& counter) {
      return std::atomic_ref(counter).fetch_add(1, std::memory_order_relaxed);
    };
    host_for_each(exec_, patch_of_.size(), [&](size_t f) {
      patch_of_[f] = static_cast<uint32_t>(reached_[f]);
      count_up(sizes[patch_of_[f]]);
    });
    note_change(sizes);
    patches_.offsets.resize(sizes.size() + 1);
    exclusive_scan<uint32_t, uint32_t>(exec_, sizes, patches_.offsets);
    Array<uint32_t> next = patches_.offsets;
    host_for_each(exec_, patch_of_.size(),
                  [&](size_t f) { patches_.faces[count_up(next[patch_of_[f]])] = static_cast<uint32_t>(f); });
  }

  void note_change(std::span<const uint32_t> sizes) {
    change_ = unreached;
    if (iterations_ == 1 || sizes.size() != patches_.size()) return;
    change_ = 0;
    for (size_t p = 0; p < sizes.size(); ++p) {
      const size_t before = patches_[p].size();
      change_ += std::max<size_t>(before, sizes[p]) - std::min<size_t>(before, sizes[p]);
    }
  }

  /// All small enough, or sizes that hardly change any more: by less than a twentieth of the faces.
  [[nodiscard]] bool is_done() const {
    return iterations_ == options_.max_iterations || change_ < patch_of_.size() / 20 || !has_large();
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
    queue.clear();
    for (const uint32_t f : patches_[patch]) {
      const auto is_outside = [&](uint32_t g) { return g == f || patch_of_[g] != patch; };
      visited_[f] = std::ranges::any_of(neighbours_[f], is_outside) ? 1 : 0;
      if (visited_[f] != 0) queue.push_back(f);
    }
    if (queue.empty()) return seeds_[patch];
    size_t begin = 0;
    for (size_t end = queue.size();; begin = std::exchange(end, queue.size())) {
      for (size_t i = begin; i < end; ++i) visit_neighbours(patch, i, queue);
      if (end == queue.size()) break;
    }
    return *std::min_element(queue.begin() + static_cast<std::ptrdiff_t>(begin), queue.end());
  }

  /// Appends to the queue the neighbours of its i-th face that are of the patch and not yet visited.
  void visit_neighbours(uint32_t patch, size_t i, std::vector<uint32_t>& queue) {
    for (const uint32_t g : neighbours_[queue[i]]) {
      if (patch_of_[g] != patch || visited_[g] != 0) continue;
      visited_[g] = 1;
      queue.push_back(g);
    }
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
    const std::span<uint32_t> faces = patches_[patch];
    std::ranges::sort(faces, [&](uint32_t f, uint32_t g) {
      return reached_[f] != reached_[g] ? reached_[f] > reached_[g] : f < g;
    });
    for (const uint32_t f : faces) visited_[f] = 0;
    const size_t wanted = (faces.size() + options_.max_faces - 1) / options_.max_faces;
    const size_t size = (faces.size() + wanted - 1) / wanted;
    uint32_t pieces = 0;
    std::vector<uint32_t> queue;
    for (const uint32_t start : faces) {
      if (visited_[start] != 0) continue;
      visited_[start] = 1;
      queue.assign(1, start);
      for (size_t i = 0; i < queue.size() && queue.size() < size; ++i) visit_neighbours(patch, i, queue);
      while (queue.size() > size) {
        visited_[queue.back()] = 0;
        queue.pop_back();
      }
      for (const uint32_t f : queue) piece_of[f] = pieces;
      ++pieces;
    }
    return pieces;
  }

  const LloydOptions& options_;
  Exec exec_;
  const Array<FaceNeighbours>& neighbours_;
  Array<uint64_t> reached_;
  Array<uint32_t> queue_;
  Array<uint8_t> visited_;
  Array<uint32_t> patch_of_;
  FaceLists patches_;
  Array<uint32_t> seeds_;
  uint64_t change_ = unreached;
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

/// The most frequent value, of equal ones the lowest; none of none. Sorts the values.
uint32_t most_frequent(std::vector<uint32_t>& values) {
  std::ranges::sort(values);
  uint32_t best = no_patch;
  size_t most = 0;
  for (size_t first = 0, i = 1; i <= values.size(); ++i) {
    if (i < values.size() && values[i] == values[first]) continue;
    if (i - first > most) {
      most = i - first;
      best = values[first];
    }
    first = i;
  }
  return best;
}

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
  for_each_star<std::vector<uint32_t>>(
      tiles, exec, [&](tiled::VertexId v, std::span<const uint32_t> star, std::vector<uint32_t>& patches) {
        patches.clear();
        for (const uint32_t face : star) patches.push_back(clustered.patch_of[face]);
        tile_of[v.index()] = most_frequent(patches);
      });
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
