#include <tessera/surface/simplify.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include <tessera/core/config.h>
#include <tessera/core/detail/monitor.h>
#include <tessera/core/error.h>
#include <tessera/exec/buffer.h>
#include <tessera/exec/primitives.h>
#include <tessera/surface/detail/cuda/simplify.h>
#include <tessera/surface/detail/edit/dynamic_store.h>
#include <tessera/surface/detail/edit/simplify_operators.h>
#include <tessera/surface/detail/run_loop.h>

namespace tessera {

using namespace detail;

namespace {

[[nodiscard]] double cosine(double degrees) {
  return std::cos(degrees * std::numbers::pi / 180);
}

void check(bool is_sound, const char* sentence) {
  if (!is_sound) throw Error(ErrorCode::bad_option, sentence);
}

void check(const MeshSimplifyOptions& options) {
  check(!options.target_faces || !options.ratio, "simplify takes a number of faces or a ratio, not both");
  check(options.target_faces || options.ratio || options.max_error,
        "simplify needs a number of faces, a ratio or an error bound to stop at");
  check(!options.ratio || (*options.ratio >= 0 && *options.ratio <= 1), "the ratio must be between 0 and 1");
  check(!options.max_error || (*options.max_error >= 0 && std::isfinite(*options.max_error)),
        "the error bound must be a distance of 0 or more");
  check(options.feature_angle >= 0 && options.feature_angle <= 180,
        "the angle of features must be between 0 and 180 degrees");
  check(options.constraint_weight >= 0 && std::isfinite(options.constraint_weight),
        "the weight of constraints must be a number of 0 or more");
  check(options.max_normal_change > 0 && options.max_normal_change <= 90,
        "the change of normals must be above 0 and at most 90 degrees");
  check(options.max_aspect_ratio == 0 ||
            (options.max_aspect_ratio >= 1 && std::isfinite(options.max_aspect_ratio)),
        "the aspect ratio must be at least 1, or 0 for no limit");
}

/// One simplification: costs are made once for all edges, later by the operator for those it makes. So a
/// round chooses candidates by cost, judges them, and leaves conflicts between their faces to edit().
class Simplification {
 public:
  Simplification(const DynamicSurface& surface, const MeshSimplifyOptions& options)
      : surface_(surface),
        options_(options),
        exec_(surface.exec()),
        quadric_(surface),
        cost_(surface, Collapses::never),
        faces_at_start_(surface.face_count()),
        target_(find_target(options, faces_at_start_)) {}

  Simplification(const Simplification&) = delete;
  Simplification& operator=(const Simplification&) = delete;
  ~Simplification() { surface_.store()->hold(0); }

  [[nodiscard]] MeshSimplifyReport run();

 private:
  [[nodiscard]] static std::size_t find_target(const MeshSimplifyOptions& options, std::size_t faces) {
    if (options.target_faces) return *options.target_faces;
    if (options.ratio)
      return static_cast<std::size_t>(std::llround(*options.ratio * static_cast<double>(faces)));
    return 0;
  }
  [[nodiscard]] EditMesh mesh() const { return surface_.mesh(); }
  [[nodiscard]] std::size_t edge_end() const { return surface_.id_end(Kind::edge); }
  /// Never below the target by more than one face.
  [[nodiscard]] std::size_t collapses_left() const { return (surface_.face_count() - target_ + 1) / 2; }

  /// Error(out_of_memory | out_of_device_memory) if so much more than what is kept is not allowed.
  void check_room(Bytes more) const {
    surface_.store()->hold(flags_.bytes() + live_.bytes() + cheap_.bytes() + active_.bytes() + keys_.bytes() +
                           best_.bytes() + samples_.bytes());
    surface_.store()->check_room(more);
  }
  /// Makes a buffer anew if it is too small; what was there is not needed.
  template <class T>
  void make_room(Buffer<T>& buffer, std::size_t size) {
    if (buffer.size() >= size) return;
    buffer = Buffer<T>();
    check_room(size * sizeof(T));
    buffer = Buffer<T>(exec_, size);
  }
  void prepare();
  void list_live();
  [[nodiscard]] std::uint32_t choose_limit();
  [[nodiscard]] std::size_t choose_candidates(std::uint32_t limit);
  [[nodiscard]] std::size_t keep_cheapest(std::size_t count, std::size_t kept);
  void collapse(std::size_t count);
  [[nodiscard]] MeshSimplifyStop find_reason();

  DynamicSurface surface_;
  const MeshSimplifyOptions& options_;
  Exec exec_;
  EditAttribute<VertexId, Quadric> quadric_;
  EditAttribute<EdgeId, std::uint32_t> cost_;
  std::size_t faces_at_start_;
  std::size_t target_;
  Collapses collapses_ = {};
  MeshSimplifyReport report_ = {};

  Buffer<std::uint8_t> flags_ = {};
  Buffer<std::uint32_t> live_ = {};
  std::size_t live_count_ = 0;
  Buffer<std::uint32_t> cheap_ = {};
  std::size_t cheap_count_ = 0;
  Buffer<std::uint32_t> active_ = {};
  Buffer<std::uint32_t> keys_ = {};
  Buffer<std::uint64_t> best_ = {};
  Buffer<std::uint32_t> samples_ = {};
};

void Simplification::prepare() {
  const std::size_t edges = edge_end();
  const std::size_t vertices = surface_.id_end(Kind::vertex);
  check_room(edges + vertices * sizeof(double));
  Buffer<std::uint8_t> is_feature(exec_, edges);
  Buffer<double> weights(exec_, vertices);
  run_loop(exec_, edges,
           FindFeatures{mesh(), surface_.positions(), cosine(options_.feature_angle), is_feature.data()});
  run_loop(exec_, vertices,
           MakeQuadrics{mesh(), surface_.positions(), quadric_.view(), is_feature.data(),
                        options_.constraint_weight, weights.data()});
  const double mean = reduce_sum<double>(exec_, weights.span()) /
                      static_cast<double>(std::max<std::size_t>(surface_.vertex_count(), 1));
  collapses_ = {
      surface_.positions(),
      quadric_.view(),
      {cosine(options_.max_normal_change), options_.max_aspect_ratio, options_.max_error.value_or(-1)},
      mean > 0 ? 1 / (mean * mean) : 1};
  run_loop(exec_, edges, MakeCosts{mesh(), collapses_, cost_.view()});
  list_live();
}

/// Lists the edges that may be collapsed, and gives those that were refused another chance. New edges have
/// the ids of those they replace, so that the list is good for some rounds; it is made anew now and then.
void Simplification::list_live() {
  const std::size_t edges = edge_end();
  make_room(flags_, edges);
  for (Buffer<std::uint32_t>* list : {&live_, &cheap_, &active_}) make_room(*list, edges);
  run_loop(exec_, edges, Pardon{mesh(), cost_.view(), flags_.data()});
  live_count_ = compact_indices(exec_, flags_.span().first(edges), live_.span());
}

/// The cost up to which edges are candidates: most of those that a sequential order would still collapse, so
/// that rounds are few. Of a sample, which is all edges of a small mesh.
std::uint32_t Simplification::choose_limit() {
  constexpr std::size_t max_samples = 1 << 13;
  constexpr double share = 0.8;
  constexpr double least_part = 0.1;
  const std::size_t stride = std::max<std::size_t>((live_count_ + max_samples - 1) / max_samples, 1);
  const std::size_t count = (live_count_ + stride - 1) / stride;
  make_room(samples_, count);
  run_loop(exec_, count,
           SampleCosts{mesh(), cost_.view(), live_.data(), static_cast<std::uint32_t>(live_count_),
                       static_cast<std::uint32_t>(stride), samples_.data()});
  const Array<std::uint32_t> all = samples_.to_host(count);
  std::vector<std::uint32_t> costs(all.begin(), all.end());
  std::erase_if(costs, [](std::uint32_t cost) { return cost >= Collapses::never; });
  if (costs.size() < 2) return Collapses::never - 1;
  const double part = std::max(
      least_part, share * static_cast<double>(collapses_left()) / static_cast<double>(surface_.edge_count()));
  const auto rank = static_cast<std::size_t>(part * static_cast<double>(costs.size()));
  if (rank + 1 >= costs.size()) return Collapses::never - 1;
  std::nth_element(costs.begin(), costs.begin() + static_cast<std::ptrdiff_t>(rank), costs.end());
  return costs[rank];
}

/// Edges that are cheaper than those around them, by ascending id in active_. How many.
std::size_t Simplification::choose_candidates(std::uint32_t limit) {
  const std::span<const std::uint32_t> live = live_.span().first(live_count_);
  run_loop(exec_, live_count_, FlagCheap{mesh(), cost_.view(), limit, live.data(), flags_.data()});
  cheap_count_ = compact<std::uint32_t>(exec_, live, flags_.span().first(live_count_), cheap_.span());
  const std::size_t vertices = surface_.id_end(Kind::vertex);
  make_room(best_, vertices);
  const auto salt = static_cast<std::uint32_t>(splitmix64(options_.seed ^ splitmix64(report_.rounds)));
  const VertexChoice choice = {mesh(), cost_.view(), cheap_.data(), best_.data(), salt};
  constexpr int passes = 2;
  // The cheapest edge of a neighbourhood leaves room for others, which later passes find.
  for (int pass = 0; pass < passes; ++pass) {
    if (pass != 0) run_loop(exec_, cheap_count_, TakeAround{choice, flags_.data()});
    run_loop(exec_, vertices, ForgetChoice{choice, pass != 0});
    run_loop(exec_, cheap_count_, OfferEdges{choice});
    run_loop(exec_, cheap_count_, KeepBest{choice, flags_.data(), pass != 0});
  }
  const std::size_t count = compact<std::uint32_t>(exec_, cheap_.span().first(cheap_count_),
                                                   flags_.span().first(cheap_count_), active_.span());
  const std::size_t left = collapses_left();
  return count <= left ? count : keep_cheapest(count, left);
}

/// By cost, then by id.
std::size_t Simplification::keep_cheapest(std::size_t count, std::size_t kept) {
  make_room(keys_, count);
  const std::span<std::uint32_t> ids = active_.span().first(count);
  const std::span<std::uint32_t> keys = keys_.span().first(count);
  run_loop(exec_, count, GatherCosts{cost_.view(), ids.data(), keys.data()});
  sort_pairs<std::uint32_t, std::uint32_t>(exec_, keys, ids);
  sort_keys<std::uint32_t>(exec_, ids.first(kept), bits_in_use(edge_end()));
  return kept;
}

void Simplification::collapse(std::size_t count) {
  check_room(0);  // what was kept, beside the scratch of the last round
  const QuadricCollapse op = {collapses_, cost_.view()};
  const EditOptions once = {.seed = options_.seed ^ splitmix64(report_.rounds),
                            .max_rounds = 1,
                            .active = std::span<const std::uint32_t>(active_.span().first(count)),
                            .watch = options_.watch};
  const auto edit_once = [&] {
    if constexpr (built_with_cuda) {
      if (exec_.is_cuda()) return cuda::collapse_edges(surface_, op, once);
    }
    return edit(surface_, op, once);
  };
  const EditReport round = edit_once();
  ++report_.rounds;
  report_.collapses += round.won;
  // The operator marks what it refuses; what the engine refuses would be tried forever.
  const EditRound& last = round.last;
  if (last.won + last.lost + last.refused != last.cavities)
    run_loop(exec_, count, JudgeListed{mesh(), collapses_, cost_.view(), active_.data()});
  // Where most are refused, those that had to wait for them are judged at once.
  if (last.won < last.refused)
    run_loop(exec_, cheap_count_, JudgeListed{mesh(), collapses_, cost_.view(), cheap_.data()});
  if (last.won + last.refused == 0) run_loop(exec_, count, RefuseListed{cost_.view(), active_.data()});
}

MeshSimplifyReport Simplification::run() {
  const Monitor& monitor = monitor_of(options_.monitor);
  if (surface_.face_count() > target_) prepare();
  constexpr std::size_t rounds_between_lists = 4;
  std::size_t listed_at = 0;  // collapses
  for (std::size_t round = 1; surface_.face_count() > target_; ++round) {
    const std::size_t to_go = faces_at_start_ - target_;
    monitor.update("simplifying",
                   1 - static_cast<double>(surface_.face_count() - target_) / static_cast<double>(to_go));
    const std::uint32_t limit = choose_limit();
    const std::size_t count = choose_candidates(limit);
    if (count != 0) collapse(count);
    const bool is_exhausted = count == 0 && limit == Collapses::never - 1;
    const std::size_t since_list = report_.collapses - listed_at;
    if (is_exhausted && since_list == 0) break;
    // The mesh must have changed by a part, lest edges that cannot be collapsed are tried over and over.
    const bool is_old = round % rounds_between_lists == 0 && 32 * since_list > surface_.vertex_count();
    if (!is_exhausted && !is_old) continue;
    list_live();
    listed_at = report_.collapses;
  }
  report_.faces = surface_.face_count();
  report_.stop = report_.faces <= target_ ? MeshSimplifyStop::target : find_reason();
  return report_;
}

MeshSimplifyStop Simplification::find_reason() {
  constexpr std::array reasons = {std::pair(CollapseVerdict::error_bound, MeshSimplifyStop::error_bound),
                                  std::pair(CollapseVerdict::fold_over, MeshSimplifyStop::fold_over),
                                  std::pair(CollapseVerdict::aspect_ratio, MeshSimplifyStop::aspect_ratio)};
  list_live();  // makes room for all edges
  MeshSimplifyStop reason = MeshSimplifyStop::link_condition;
  const auto count = [&](CollapseVerdict verdict) {
    run_loop(exec_, edge_end(), CountVerdict{mesh(), collapses_, verdict, cheap_.data()});
    return reduce_sum<std::uint32_t>(exec_, cheap_.span().first(edge_end()));
  };
  std::uint32_t most = count(CollapseVerdict::link_condition);
  for (const auto& [verdict, stop] : reasons) {
    const std::uint32_t found = count(verdict);
    if (found <= most) continue;
    most = found;
    reason = stop;
  }
  return reason;
}

}  // namespace

MeshSimplifyReport simplify(const DynamicSurface& surface, const MeshSimplifyOptions& options) {
  check(options);
  return Simplification(surface, options).run();
}

TriMesh simplify(const TriMesh& mesh, const MeshSimplifyOptions& options) {
  check(options);
  const DynamicSurface surface(mesh,
                               {.exec = options.exec, .memory = options.memory, .monitor = options.monitor});
  simplify(surface, options);
  return surface.to_mesh();
}

}  // namespace tessera
