#include <tessera/surface/remesh.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include <tessera/core/config.h>
#include <tessera/core/detail/stopwatch.h>
#include <tessera/core/error.h>
#include <tessera/core/random.h>
#include <tessera/exec/primitives.h>
#include <tessera/surface/attribute.h>
#include <tessera/surface/detail/cuda/remesh.h>
#include <tessera/surface/detail/edit/connectivity.h>
#include <tessera/surface/detail/edit/dynamic_store.h>
#include <tessera/surface/detail/edit/remesh_operators.h>
#include <tessera/surface/detail/run_loop.h>

namespace tessera {

using namespace detail;

namespace {

/// The shapes and boxes of a ClosestTree.
struct StoredTree {
  Buffer<ClosestShape> shapes;
  Buffer<ShapeBox> boxes;
  ClosestTree view;

  [[nodiscard]] Bytes bytes() const { return shapes.bytes() + boxes.bytes(); }
  /// What making one of so many shapes takes: boxes are a third as many, made twice, and sorting needs codes
  /// and places twice.
  [[nodiscard]] static Bytes needed(std::size_t count) {
    return count * (sizeof(ClosestShape) + 2 * (sizeof(std::uint64_t) + sizeof(std::uint32_t))) +
           (count / 3 + ClosestTree::max_levels) * 2 * sizeof(ShapeBox);
  }
};

/// Boxes of all levels; the view says where they begin.
template <class Shapes>
[[nodiscard]] Buffer<ShapeBox> make_boxes(const Exec& exec, const Shapes& shapes, ClosestTree& view) {
  std::uint32_t total = 0;
  view.levels = 0;
  for (std::uint32_t n = view.count; view.levels == 0 || n > 1;) {
    n = (n + ClosestTree::width - 1) / ClosestTree::width;
    view.begin[view.levels++] = total;
    total += n;
  }
  view.begin[view.levels] = total;
  Buffer<ShapeBox> boxes(exec, total);
  run_loop(exec, view.levels > 1 ? view.begin[1] : total,
           BoxShapes<Shapes>{shapes, view.count, boxes.data()});
  for (std::uint32_t level = 1; level < view.levels; ++level) {
    run_loop(exec, view.begin[level + 1] - view.begin[level],
             BoxBoxes{boxes.data() + view.begin[level - 1], view.begin[level] - view.begin[level - 1],
                      boxes.data() + view.begin[level]});
  }
  return boxes;
}

/// A tree of the shapes that `shapes` gives for its `count` ids. Writes where each one is, if it is asked.
template <class Shapes>
[[nodiscard]] StoredTree make_tree(const Exec& exec, const Shapes& shapes, std::uint32_t count,
                                   std::uint32_t* place_of = nullptr) {
  StoredTree tree;
  tree.view.count = count;
  if (count == 0) return tree;
  ShapeBox root = {};
  {
    const Buffer<ShapeBox> rough = make_boxes(exec, shapes, tree.view);
    copy(exec, &root, rough.data() + rough.size() - 1, sizeof(root), CopyKind::to_host);
  }
  Buffer<std::uint64_t> codes(exec, count);
  Buffer<std::uint32_t> order(exec, count);
  run_loop(exec, count, PlaceShapes<Shapes>{shapes, {root.low, root.high}, codes.data(), order.data()});
  sort_pairs<std::uint64_t, std::uint32_t>(exec, codes.span(), order.span(), 3 * octree_levels);
  tree.shapes = Buffer<ClosestShape>(exec, count);
  run_loop(exec, count, WriteShapes<Shapes>{shapes, order.data(), tree.shapes.data(), place_of});
  tree.view.shapes = tree.shapes.data();
  tree.boxes = make_boxes(exec, StoredShapes{tree.shapes.data()}, tree.view);
  tree.view.boxes = tree.boxes.data();
  return tree;
}

/// The column of a point field. Error(not_found) if there is none of that name.
[[nodiscard]] std::uint32_t find_field(const DynamicStore& store, const std::string& name) {
  for (std::uint32_t i = 0; i < store.column_count() && store.column(i).is_own; ++i) {
    const StoredColumn& column = store.column(i);
    if (column.shape.kind == Kind::vertex && column.name == name) return i;
  }
  throw Error(ErrorCode::not_found, "the surface has no point field '" + name + "'");
}

/// The values of a point field as it is stored.
[[nodiscard]] Field read_field(const DynamicStore& store, std::uint32_t index) {
  const StoredColumn& column = store.column(index);
  const std::size_t count = store.end(Kind::vertex);
  Field field(column.name, column.type, count, column.shape.width / size_of(column.type));
  const Array<std::byte> bytes = column.values.to_host(count * column.shape.width);
  field.visit(
      [&](auto out) { std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::byte*>(out.data())); });
  return field;
}

void check(const RemeshOptions& options) {
  if (!(options.target_length >= 0) || std::isinf(options.target_length))
    throw Error(ErrorCode::bad_option,
                "the target length must be a number above 0, or 0 for the mean length");
  if (options.target_length > 0 && !options.sizing.empty())
    throw Error(ErrorCode::bad_option, "either a target length or a sizing field can be given, not both");
  if (!(options.feature_angle >= 0 && options.feature_angle <= 180))
    throw Error(ErrorCode::bad_option, "the angle of features must be between 0 and 180 degrees");
}

/// The input's values of a field, to be sampled.
struct FieldCopy {
  std::uint32_t column;
  Buffer<std::byte> values;
};

/// Chains of marked edges that go on nearly straight, to tell features from noise. Noise bends edges here and
/// there, so that its chains are short, and bends those around them a little less; a feature is a line of
/// some extent, or has flat faces on both sides.
class LineChains {
 public:
  explicit LineChains(const Array<LineSegment>& segments) : segments_(segments), chain_(segments.size()) {
    std::iota(chain_.begin(), chain_.end(), 0u);
    link();
  }

  /// 1 for the edges that are kept.
  [[nodiscard]] Array<std::uint8_t> choose(double mean_length) {
    struct Chain {
      std::size_t edges = 0;
      std::size_t clean = 0;
      double length = 0;
    };
    std::vector<Chain> chains(segments_.size());
    for (std::uint32_t i = 0; i < segments_.size(); ++i) {
      const LineSegment& segment = segments_[i];
      Chain& chain = chains[root(i)];
      ++chain.edges;
      chain.clean += segment.is_clean ? 1 : 0;
      chain.length += length(segment.points[1] - segment.points[0]);
    }
    Array<std::uint8_t> is_kept(segments_.size());
    std::vector<std::uint32_t> loose;  // short ones, which are kept only if they join others
    for (std::uint32_t i = 0; i < segments_.size(); ++i) {
      const Chain& chain = chains[root(i)];
      const bool is_long = chain.edges >= least_edges || chain.length >= least_edges * mean_length;
      const bool is_clean = 2 * chain.clean > chain.edges;
      const bool is_sure = segments_[i].kind == LineKind::hard || is_long;
      is_kept[i] = is_sure || is_clean ? 1 : 0;
      if (is_clean && !is_sure) loose.push_back(i);
    }
    drop_open_ends(loose, is_kept);
    drop_specks(loose, is_kept);
    return is_kept;
  }

 private:
  static constexpr std::size_t least_edges = 6;
  static constexpr double straight_cosine = 0.5;    ///< of the largest turn within a chain
  static constexpr std::size_t most_at_vertex = 8;  ///< where more edges meet no line goes on

  struct End {
    std::uint32_t vertex;
    std::uint32_t segment;
    friend bool operator<(const End& a, const End& b) {
      return a.vertex != b.vertex ? a.vertex < b.vertex : a.segment < b.segment;
    }
  };

  /// Drops edges of a list that end where no other goes on, until there are none.
  void drop_open_ends(std::vector<std::uint32_t>& list, Array<std::uint8_t>& is_kept) const {
    std::unordered_map<std::uint32_t, std::uint32_t> counts;  // of kept edges at a vertex
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      if (is_kept[i] == 0) continue;
      for (const std::uint32_t v : segments_[i].ends) ++counts[v];
    }
    const auto is_open = [&](std::uint32_t i) {
      const auto& ends = segments_[i].ends;
      if (counts[ends[0]] > 1 && counts[ends[1]] > 1) return false;
      for (const std::uint32_t v : ends) --counts[v];
      is_kept[i] = 0;
      return true;
    };
    while (std::erase_if(list, is_open) != 0) {
    }
  }
  /// Drops edges of a list that hang together with less than the six edges of a tetrahedron: what they go
  /// around is a face or two that are turned, and nothing solid.
  void drop_specks(const std::vector<std::uint32_t>& list, Array<std::uint8_t>& is_kept) {
    constexpr std::size_t least_in_group = 6;
    std::iota(chain_.begin(), chain_.end(), 0u);               // groups now
    std::unordered_map<std::uint32_t, std::uint32_t> some_at;  // an edge at each vertex
    for (std::uint32_t i = 0; i < segments_.size(); ++i) {
      if (is_kept[i] == 0) continue;
      for (const std::uint32_t v : segments_[i].ends) {
        const std::uint32_t other = root(some_at.try_emplace(v, i).first->second);
        chain_[other] = root(i);
      }
    }
    std::vector<std::size_t> sizes(segments_.size(), 0);
    for (const std::uint32_t i : list) ++sizes[root(i)];
    std::vector<std::uint8_t> is_loose(segments_.size(), 0);
    for (const std::uint32_t i : list) is_loose[i] = 1;
    for (std::uint32_t i = 0; i < segments_.size(); ++i) {
      if (is_kept[i] != 0 && is_loose[i] == 0) sizes[root(i)] = least_in_group;
    }
    for (const std::uint32_t i : list) {
      if (sizes[root(i)] < least_in_group) is_kept[i] = 0;
    }
  }
  [[nodiscard]] std::uint32_t root(std::uint32_t i) {
    while (chain_[i] != i) i = chain_[i] = chain_[chain_[i]];
    return i;
  }
  /// From the vertex on, of length 1.
  [[nodiscard]] Vec3d direction(const End& end) const {
    const LineSegment& segment = segments_[end.segment];
    const int from = segment.ends[0] == end.vertex ? 0 : 1;
    const Vec3d d = segment.points[1 - from] - segment.points[from];
    const double size = length(d);
    return size > 0 ? 1 / size * d : d;
  }
  void link() {
    std::vector<End> ends;
    for (std::uint32_t i = 0; i < segments_.size(); ++i) {
      if (segments_[i].kind == LineKind::hard) continue;
      ends.push_back({segments_[i].ends[0], i});
      ends.push_back({segments_[i].ends[1], i});
    }
    std::sort(ends.begin(), ends.end());
    for (std::size_t begin = 0, end = 0; begin < ends.size(); begin = end) {
      while (end < ends.size() && ends[end].vertex == ends[begin].vertex) ++end;
      if (end - begin > 1 && end - begin <= most_at_vertex) link_at_vertex({&ends[begin], end - begin});
    }
  }
  /// Joins the straightest pairs.
  void link_at_vertex(std::span<const End> ends) {
    std::array<bool, most_at_vertex> is_linked = {};
    for (;;) {
      double best = -straight_cosine;
      std::size_t first = 0;
      std::size_t second = 0;
      for (std::size_t i = 0; i < ends.size(); ++i) {
        for (std::size_t k = i + 1; k < ends.size(); ++k) {
          if (is_linked[i] || is_linked[k]) continue;
          const double cosine = dot(direction(ends[i]), direction(ends[k]));
          if (!(cosine < best)) continue;
          best = cosine;
          first = i;
          second = k;
        }
      }
      if (second == 0) return;
      is_linked[first] = is_linked[second] = true;
      chain_[root(ends[first].segment)] = root(ends[second].segment);
    }
  }

  const Array<LineSegment>& segments_;
  std::vector<std::uint32_t> chain_;
};

[[nodiscard]] Array<std::uint8_t> find_features(const Array<LineSegment>& segments, double mean_length) {
  return LineChains(segments).choose(mean_length);
}

class Remesher {
 public:
  Remesher(const DynamicSurface& surface, const RemeshOptions& options)
      : surface_(surface),
        store_(*surface.store()),
        exec_(surface.exec()),
        options_(options),
        is_line_(surface),
        freedom_(surface),
        home_(surface, ClosestTree::none) {
    view_ = {surface.positions(), freedom_.view(), is_line_.view(), {}};
  }
  Remesher(const Remesher&) = delete;
  Remesher& operator=(const Remesher&) = delete;
  ~Remesher() { store_.hold(0); }
  RemeshReport run();

 private:
  /// Error(out_of_memory | out_of_device_memory) if so much more than what is kept is not allowed.
  void check_room(Bytes more) const;
  void choose_lengths();
  void use_sizing_field();
  void mark();
  [[nodiscard]] Buffer<std::uint8_t> fixed_flags() const;
  void keep_input();
  void keep_fields();
  [[nodiscard]] EditOptions until_done() const {
    return {.seed = options_.seed + iteration_, .again = Again::touched, .monitor = options_.monitor};
  }
  template <class Operator>
  [[nodiscard]] EditReport edit_edges(const Operator& op, const EditOptions& options);
  void split();
  void collapse();
  void flip();
  [[nodiscard]] Buffer<std::uint32_t> list_flips();
  void smooth();
  void put_back(const Vec3d* before);
  void sample_fields(bool only_sizing);
  void tell(RemeshPhase phase, const EditReport& edit, double seconds);

  DynamicSurface surface_;
  DynamicStore& store_;
  Exec exec_;
  const RemeshOptions& options_;
  RemeshReport report_;
  std::size_t iteration_ = 0;
  EditAttribute<EdgeId, std::uint8_t> is_line_;
  EditAttribute<VertexId, Freedom> freedom_;
  EditAttribute<VertexId, std::uint32_t> home_;
  RemeshView view_;
  double mean_length_ = 0;  ///< of the input's edges
  std::optional<std::uint32_t> sizing_;
  Buffer<std::uint32_t> lines_;  ///< the input's, by their ids
  StoredTree face_tree_;
  StoredTree line_tree_;
  std::vector<FieldCopy> fields_;
};

void Remesher::check_room(Bytes more) const {
  Bytes kept = lines_.bytes() + face_tree_.bytes() + line_tree_.bytes();
  for (const FieldCopy& field : fields_) kept += field.values.bytes();
  store_.hold(kept);
  store_.check_room(more);
}

void Remesher::use_sizing_field() {
  sizing_ = find_field(store_, options_.sizing);
  const Field field = read_field(store_, *sizing_);
  const bool is_float = field.type() == ScalarType::f32 || field.type() == ScalarType::f64;
  bool is_positive = field.components() == 1 && is_float;
  field.visit([&](auto values) {
    for (const auto x : values) is_positive = is_positive && x > 0 && std::isfinite(static_cast<double>(x));
  });
  if (!is_positive) {
    throw Error(ErrorCode::bad_option, "the sizing field '" + options_.sizing +
                                           "' must have one floating-point number above 0 a point");
  }
  std::byte* const* base = store_.base(*sizing_);
  view_.lengths.from =
      field.type() == ScalarType::f32 ? TargetLengths::From::float32 : TargetLengths::From::float64;
  view_.lengths.float32 = EditView<tiled::VertexId, float>(base);
  view_.lengths.float64 = EditView<tiled::VertexId, double>(base);
}

void Remesher::choose_lengths() {
  const std::size_t n = surface_.id_end(Kind::edge);
  {
    check_room(n * sizeof(double));
    Buffer<double> lengths(exec_, n);
    run_loop(exec_, n, MeasureEdges{surface_.mesh(), view_.position, lengths.data()});
    mean_length_ = sum_elements(exec_, lengths.data(), n) / static_cast<double>(surface_.edge_count());
  }
  if (!options_.sizing.empty()) return use_sizing_field();
  view_.lengths.all = options_.target_length == 0 ? mean_length_ : options_.target_length;
  // Triangles become as many as the square of the edges becomes smaller.
  const double factor = mean_length_ / view_.lengths.all;
  if (const double faces = factor * factor * static_cast<double>(surface_.face_count());
      faces > max_edit_ids / 2) {
    throw Error(ErrorCode::bad_option, "edges of length " + std::to_string(view_.lengths.all) +
                                           " would make more than " + std::to_string(max_edit_ids / 2) +
                                           " triangles; the mean length is " + std::to_string(mean_length_));
  }
  report_.target_length = view_.lengths.all;
}

Buffer<std::uint8_t> Remesher::fixed_flags() const {
  if (options_.fixed.empty()) return {};
  const Field field = read_field(store_, find_field(store_, options_.fixed));
  Array<std::uint8_t> flags(field.size(), 0);
  const std::size_t components = field.components();
  field.visit([&](auto values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] != 0) flags[i / components] = 1;
    }
  });
  return Buffer<std::uint8_t>(exec_, flags);
}

/// Which lines of the input are kept, and which of their ends are free.
void Remesher::mark() {
  constexpr double flat = 0.25;  // of the feature angle
  const auto cosine_of = [](double degrees) { return std::cos(degrees * std::numbers::pi / 180); };
  const double cosine = cosine_of(options_.feature_angle);
  const std::size_t edges = surface_.id_end(Kind::edge);
  check_room(edges * (sizeof(std::uint32_t) + 1));
  Buffer<std::uint32_t> marked(exec_, edges);
  std::size_t count = 0;
  {
    Buffer<std::uint8_t> flags(exec_, edges);
    run_loop(exec_, edges, MarkLines{surface_.mesh(), view_.position, view_.is_line, flags.data(), cosine});
    count = compact_indices(exec_, flags.span(), marked.span());
  }
  check_room(marked.bytes() + count * (sizeof(LineSegment) + sizeof(std::uint32_t) + 1));
  Buffer<LineSegment> segments(exec_, count);
  run_loop(exec_, count,
           GatherLines{surface_.mesh(), view_.position, view_.is_line, marked.data(),
                       cosine_of(flat * options_.feature_angle), segments.data()});
  const Array<std::uint8_t> is_kept = find_features(segments.to_host(count), mean_length_);
  const Buffer<std::uint8_t> flags(exec_, is_kept);
  run_loop(exec_, count, SetLines{view_.is_line, marked.data(), flags.data()});
  lines_ = Buffer<std::uint32_t>(exec_, count);
  report_.feature_edges =
      compact<std::uint32_t>(exec_, marked.span().first(count), flags.span(), lines_.span());
  const Buffer<std::uint8_t> fixed = fixed_flags();
  run_loop(exec_, surface_.id_end(Kind::vertex),
           MarkFreedom{surface_.mesh(), view_.position, view_.is_line, view_.freedom, cosine, fixed.data()});
}

void Remesher::keep_fields() {
  const std::size_t n = surface_.id_end(Kind::vertex);
  for (std::uint32_t i = 1; i < store_.column_count() && store_.column(i).is_own; ++i) {
    const StoredColumn& column = store_.column(i);
    if (column.shape.kind != Kind::vertex || column.shape.components == 0) continue;
    check_room(n * column.shape.width);
    FieldCopy kept = {i, Buffer<std::byte>(exec_, n * column.shape.width)};
    kept.values.assign(column.values.to_host(n * column.shape.width));
    fields_.push_back(std::move(kept));
  }
}

void Remesher::keep_input() {
  keep_fields();
  if (!options_.project && fields_.empty()) return;
  const std::size_t ends = surface_.id_end(Kind::face);
  check_room(StoredTree::needed(surface_.face_count()) + 2 * ends * sizeof(std::uint32_t));
  Buffer<std::uint32_t> ids(exec_, ends);
  std::size_t count = 0;
  {
    Buffer<std::uint8_t> flags(exec_, ends);
    run_loop(exec_, ends, FlagFaces{surface_.mesh(), flags.data()});
    count = compact_indices(exec_, flags.span(), ids.span());
  }
  Buffer<std::uint32_t> place_of(exec_, ends);
  face_tree_ = make_tree(exec_, FaceShapes{surface_.mesh(), view_.position, ids.data()},
                         static_cast<std::uint32_t>(count), place_of.data());
  run_loop(exec_, surface_.id_end(Kind::vertex), FindHomes{surface_.mesh(), place_of.data(), home_.view()});
  check_room(ids.bytes() + place_of.bytes() + StoredTree::needed(report_.feature_edges));
  line_tree_ = make_tree(exec_, EdgeShapes{surface_.mesh(), view_.position, lines_.data()},
                         static_cast<std::uint32_t>(report_.feature_edges));
}

void Remesher::tell(RemeshPhase phase, const EditReport& edit, double seconds) {
  if (options_.watch) options_.watch({iteration_, phase, edit, seconds});
}

template <class Operator>
EditReport Remesher::edit_edges(const Operator& op, const EditOptions& options) {
  check_room(0);  // what was kept and what the surface has grown to
  if constexpr (built_with_cuda) {
    if (exec_.is_cuda()) return cuda::remesh_edit(surface_, op, options);
  }
  return edit(surface_, op, options);
}

void Remesher::split() {
  Stopwatch watch;
  const EditReport edited = edit_edges(SplitLong{view_}, until_done());
  const double seconds = watch.lap();
  report_.splits += edited.won;
  report_.seconds_splitting += seconds;
  tell(RemeshPhase::split, edited, seconds);
}

void Remesher::collapse() {
  Stopwatch watch;
  const EditReport edited = edit_edges(CollapseShort{view_}, until_done());
  const double seconds = watch.lap();
  report_.collapses += edited.won;
  report_.seconds_collapsing += seconds;
  tell(RemeshPhase::collapse, edited, seconds);
}

/// The edges that should be flipped, at the surface's place.
Buffer<std::uint32_t> Remesher::list_flips() {
  const std::size_t vertices = surface_.id_end(Kind::vertex);
  const std::size_t edges = surface_.id_end(Kind::edge);
  check_room(vertices + edges * (1 + 2 * sizeof(std::uint32_t)));
  Buffer<std::int8_t> excess(exec_, vertices);
  run_loop(exec_, vertices, WriteValences{surface_.mesh(), {view_}, excess.data()});
  Buffer<std::uint8_t> flags(exec_, edges);
  run_loop(exec_, edges, FlagFlips{surface_.mesh(), {view_}, {excess.data()}, flags.data()});
  Buffer<std::uint32_t> all(exec_, edges);
  const std::size_t count = compact_indices(exec_, flags.span(), all.span());
  Buffer<std::uint32_t> list(exec_, count);
  if (count == 0) return list;
  if (exec_.is_cuda())
    copy(exec_, list.data(), all.data(), list.bytes(), CopyKind::on_device);
  else
    std::copy_n(all.data(), count, list.data());
  return list;
}

void Remesher::flip() {
  constexpr std::uint64_t lists = 2;
  constexpr std::uint64_t passes = 4;
  Stopwatch watch;
  EditReport all;
  for (std::uint64_t i = 0; i < lists; ++i) {
    const Buffer<std::uint32_t> active = list_flips();
    if (active.empty()) break;
    for (std::uint64_t pass = 0; pass < passes; ++pass) {
      const std::uint64_t salt = splitmix64(options_.seed) + (iteration_ * lists + i) * passes + pass;
      EditOptions rounds = until_done();
      rounds.max_rounds = 2 * (1 + active.size() / 1000000);
      rounds.active = active.span();
      const EditReport edited = edit_edges(FlipToValence{{view_}, splitmix64(salt)}, rounds);
      all.rounds += edited.rounds;
      all.won += edited.won;
      all.last = edited.last;
    }
  }
  const double seconds = watch.lap();
  report_.flips += all.won;
  report_.seconds_flipping += seconds;
  tell(RemeshPhase::flip, all, seconds);
}

/// Where smoothing and projecting have spoilt faces, their vertices go back to where they were; and so on
/// with the faces that these spoil then. In the end all are where they were, or nothing is spoilt.
void Remesher::put_back(const Vec3d* before) {
  const std::size_t vertices = surface_.id_end(Kind::vertex);
  const std::size_t faces = surface_.id_end(Kind::face);
  Buffer<std::uint8_t> flags(exec_, faces);
  Buffer<std::uint32_t> counts(exec_, vertices);
  do {
    run_loop(exec_, faces, FlagSpoilt{surface_.mesh(), view_, before, flags.data()});
    run_loop(exec_, vertices, PutBack{surface_.mesh(), view_, before, flags.data(), counts.data()});
  } while (reduce_sum<std::uint32_t>(exec_, counts.span()) != 0);
}

void Remesher::smooth() {
  Stopwatch watch;
  const std::size_t n = surface_.id_end(Kind::vertex);
  auto* positions = reinterpret_cast<Vec3d*>(store_.column(DynamicStore::positions).values.data());
  check_room(n * (2 * sizeof(Vec3d) + sizeof(std::uint32_t)) + surface_.id_end(Kind::face));
  Buffer<Vec3d> before(exec_, n);
  run_loop(exec_, n, CopyPoints{positions, before.data()});
  Buffer<Vec3d> other(exec_, n);
  Vec3d* from = positions;
  Vec3d* to = other.data();
  for (std::size_t step = 0; step < options_.smoothing_steps; ++step) {
    run_loop(exec_, n, SmoothOnce{surface_.mesh(), view_, from, to});
    std::swap(from, to);
  }
  if (options_.smoothing_steps % 2 != 0) run_loop(exec_, n, CopyPoints{from, to});
  const double smoothing = watch.lap();
  if (options_.project) {
    run_loop(exec_, n,
             ProjectVertices{surface_.mesh(), view_, home_.view(), face_tree_.view, line_tree_.view});
  }
  put_back(before.data());
  if (sizing_) sample_fields(true);
  const double projecting = watch.lap();
  report_.seconds_smoothing += smoothing;
  report_.seconds_projecting += projecting;
  tell(RemeshPhase::smooth, {}, smoothing + projecting);
}

void Remesher::sample_fields(bool only_sizing) {
  if (fields_.empty()) return;
  const std::size_t n = surface_.id_end(Kind::vertex);
  check_room(n * sizeof(ShapePlace));
  Buffer<ShapePlace> places(exec_, n);
  run_loop(exec_, n, LocateVertices{surface_.mesh(), view_, home_.view(), face_tree_.view, places.data()});
  for (const FieldCopy& field : fields_) {
    if (only_sizing && field.column != *sizing_) continue;
    StoredColumn& column = store_.column(field.column);
    const auto sample = [&]<class Real>(Real) {
      run_loop(exec_, n,
               SampleField<Real>{places.data(), face_tree_.view.shapes,
                                 reinterpret_cast<const Real*>(field.values.data()),
                                 reinterpret_cast<Real*>(column.values.data()), column.shape.components});
    };
    if (column.shape.is_double)
      sample(double{});
    else
      sample(float{});
  }
}

RemeshReport Remesher::run() {
  if (surface_.face_count() == 0) return report_;
  Stopwatch watch;
  choose_lengths();
  mark();
  keep_input();
  report_.seconds_preparing = watch.lap();
  if (!sizing_ && !(view_.lengths.all > 0)) return report_;
  for (; iteration_ < options_.iterations; ++iteration_) {
    split();
    collapse();
    flip();
    smooth();
  }
  (void)watch.lap();
  sample_fields(false);
  report_.seconds_projecting += watch.lap();
  return report_;
}

}  // namespace

RemeshReport remesh(const DynamicSurface& surface, const RemeshOptions& options) {
  check(options);
  return Remesher(surface, options).run();
}

TriMesh remesh(const TriMesh& mesh, const RemeshOptions& options) {
  check(options);
  const DynamicSurface surface(mesh,
                               {.exec = options.exec, .memory = options.memory, .monitor = options.monitor});
  remesh(surface, options);
  return surface.to_mesh();
}

}  // namespace tessera
