#include <tessera/distribute/regions.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include <tessera/distribute/detail/region_join.h>
#include <tessera/distribute/detail/region_part.h>
#include <tessera/distribute/detail/slab_reader.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/for_each.h>
#include <tessera/io/grid_writer.h>
#include <tessera/topology/detail/check_field.h>
#include <tessera/topology/detail/check_grid.h>
#include <tessera/topology/export.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;

/// Labels of the vertices of a slab in one direction. `end_of` gives the destination of a root of the flow.
/// Every root first has its destination, which asks for what it needs of the next slab, and then its label.
class SlabLabels {
 public:
  SlabLabels(Flow flow, const Exec& exec) : flow_(std::move(flow)), labels_(flow_.size()), exec_(exec) {}

  /// The places where paths leave upwards.
  template <class EndOf>
  [[nodiscard]] std::vector<uint32_t> find_ends(const EndOf& end_of) {
    std::vector<std::vector<uint32_t>> found(static_cast<size_t>(exec_.threads()));
    host::for_each_chunk(exec_.threads(), flow_.size(), size_t{1} << 14, [&](host::Range range, int worker) {
      for (size_t v = range.begin; v < range.end; ++v) {
        if (flow_[v] != root_entry) continue;
        const Destination end = end_of(static_cast<uint32_t>(v));
        labels_[v] = std::bit_cast<Label>(end);
        if (end.kind() == Destination::Kind::above) found[static_cast<size_t>(worker)].push_back(end.index());
      }
    });
    std::vector<uint32_t> all;
    for (const std::vector<uint32_t>& part : found) all.insert(all.end(), part.begin(), part.end());
    return all;
  }
  void label(const FlowJoin& join) {
    host_for_each(exec_, flow_.size(), [&](size_t v) {
      if (flow_[v] == root_entry) labels_[v] = join.label_of(std::bit_cast<Destination>(labels_[v]));
    });
    host_for_each(exec_, flow_.size(), [&](size_t v) {
      if (flow_[v] != root_entry) labels_[v] = labels_[flow_[v]];
    });
    flow_ = {};
  }
  [[nodiscard]] Label operator[](size_t v) const { return labels_[v]; }
  [[nodiscard]] Array<Label> take() { return std::move(labels_); }

 private:
  Flow flow_;
  Array<Label> labels_;
  Exec exec_;
};

/// The minima of a slab's vertices. Neighbours ask for vertices.
template <int Dim>
Array<Label> label_down(const RegionPart<Dim>& part, FlowJoin& join, const Exec& exec) {
  SlabLabels labels(part.flow_down(), exec);
  const auto batch = join.above.ask(labels.find_ends([&](uint32_t v) { return part.end_down(v); }));
  labels.label(join);
  for (size_t i = 0; i < batch.places.size(); ++i) join.above.answer(batch, i, labels[batch.places[i]]);
  join.below.clear();
  const size_t last = part.vertex_count() - part.layer_points();
  for (uint32_t v = 0; v < part.layer_points(); ++v) join.below.emplace_back(v, labels[last + v]);
  join.add_extrema(part.minima());
  return labels.take();
}

/// The maxima of a slab's vertices. Neighbours ask for cells.
template <int Dim>
Array<Label> label_up(const RegionPart<Dim>& part, FlowJoin& join, const Exec& exec) {
  using Entry = typename RegionPart<Dim>::Entry;
  SlabLabels labels(part.flow_up(), exec);
  std::vector<uint32_t> leaving = labels.find_ends([&](uint32_t v) { return part.end_up(v); });
  const auto note_if_leaving = [&](const Entry& entry) {
    const bool leaves = entry.vertex == RegionPart<Dim>::none && entry.end.kind() == Destination::Kind::above;
    if (leaves) leaving.push_back(entry.end.index());
    return entry;
  };
  std::vector<Entry> from_below;
  for (const uint32_t cell : join.above.asked())
    from_below.push_back(note_if_leaving(part.enter_first(cell)));
  std::vector<std::pair<uint32_t, Entry>> from_above;
  part.for_each_entry_from_above(
      [&](uint32_t cell) { from_above.emplace_back(cell, note_if_leaving(part.enter_last(cell))); });
  const auto batch = join.above.ask(std::move(leaving));
  labels.label(join);
  const auto label_of = [&](const Entry& entry) {
    return entry.vertex == RegionPart<Dim>::none ? join.label_of(entry.end) : labels[entry.vertex];
  };
  for (size_t i = 0; i < from_below.size(); ++i) join.above.answer(batch, i, label_of(from_below[i]));
  std::vector<std::pair<uint32_t, Label>> below;
  for (const auto& [cell, entry] : from_above) below.emplace_back(cell, label_of(entry));
  std::ranges::sort(below);
  join.below = std::move(below);
  join.add_extrema(part.maxima());
  return labels.take();
}

/// The pairs (descending, ascending) that occur, numbered in their order.
class RegionPairs {
 public:
  explicit RegionPairs(size_t maxima) : maxima_(maxima), seen_(maxima, false) {}

  void add(std::span<const Label> ascending, std::span<const Label> descending) {
    std::uint64_t last = no_pair;
    for (size_t v = 0; v < ascending.size(); ++v) {
      if (ascending[v] >= 0) seen_[static_cast<size_t>(ascending[v])] = true;
      const std::uint64_t pair = key(ascending[v], descending[v]);
      if (pair == last || pair == no_pair) continue;
      if (keys_.size() == keys_.capacity()) make_room();
      keys_.push_back(pair);
      last = pair;
    }
  }
  void settle() {
    std::ranges::sort(keys_);
    keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
  }
  [[nodiscard]] size_t count() const { return keys_.size(); }
  [[nodiscard]] size_t seen_maxima() const {
    return static_cast<size_t>(std::count(seen_.begin(), seen_.end(), true));
  }
  [[nodiscard]] Label number(Label ascending, Label descending) const {
    const std::uint64_t pair = key(ascending, descending);
    if (pair == no_pair) return no_label;
    return static_cast<Label>(std::ranges::lower_bound(keys_, pair) - keys_.begin());
  }

 private:
  static constexpr std::uint64_t no_pair = ~std::uint64_t{0};

  [[nodiscard]] std::uint64_t key(Label ascending, Label descending) const {
    return ascending < 0 || descending < 0
               ? no_pair
               : static_cast<std::uint64_t>(descending) * maxima_ + static_cast<std::uint64_t>(ascending);
  }

  /// Repeated pairs go first; memory grows by a half.
  void make_room() {
    settle();
    if (keys_.size() > keys_.capacity() / 2) keys_.reserve(keys_.capacity() + keys_.capacity() / 2);
    if (keys_.capacity() == 0) keys_.reserve(size_t{1} << 16);
  }

  size_t maxima_;
  std::vector<bool> seen_;
  std::vector<std::uint64_t> keys_;
};

/// The grid as it will be written: with three more fields, that take the place of others of their names.
Grid output_shape(const GridFile& file) {
  Grid shape = file.shape();
  add_manifolds(shape.point_data, {});
  return shape;
}

size_t place_of(const FieldSet& fields, std::string_view name) {
  size_t place = 0;
  for (const Field& field : fields) {
    if (field.name() == name) break;
    ++place;
  }
  return place;
}

template <int Dim>
class RegionWriter {
 public:
  RegionWriter(const GridFile& file, const StoredField& field, const std::filesystem::path& output,
               const SlabRegionOptions& options)
      : file_(file),
        field_(field),
        options_(options),
        exec_(options.slabs.exec),
        layer_(layers_of(file.shape()).points),
        slabs_(plan_slabs(file, field, options.slabs, regions_slab_cost(file, field))),
        shape_(options.keeps_file ? output_shape(file) : labels_shape(file)),
        writer_(output, shape_, quiet(options)),
        ascending_(place_of(shape_.point_data, "AscendingManifold")),
        descending_(place_of(shape_.point_data, "DescendingManifold")),
        morse_smale_(place_of(shape_.point_data, "MorseSmaleManifold")) {}

  RegionSummary run() {
    follow_all();
    RegionPairs pairs(up_.extrema);
    for_each_label({options_.slabs.monitor, "finding regions", slabs_.size(), 0.7, 0.8},
                   [&](const Slab&, const Array<Label>& ascending, const Array<Label>& descending) {
                     pairs.add(ascending, descending);
                   });
    pairs.settle();
    summary_.regions = {pairs.seen_maxima(), down_.extrema, pairs.count()};
    if (!options_.keeps_file) return summary_;
    write_labels(pairs);
    copy_others();
    writer_.commit();
    return summary_;
  }

 private:
  /// Of nothing but labels.
  static Grid labels_shape(const GridFile& file) {
    Grid shape;
    shape.dims = file.shape().dims;
    add_manifolds(shape.point_data, {});
    return shape;
  }
  /// Slabs tell of progress; the writer only listens whether to stop.
  WriteOptions quiet(const SlabRegionOptions& options) {
    within_.stop = options.slabs.monitor == nullptr ? std::stop_token() : options.slabs.monitor->stop;
    WriteOptions how = options.write;
    how.monitor = &within_;
    return how;
  }

  /// The first pass: labels that are final or names of what waits.
  void follow_all() {
    const SlabMonitor monitor(options_.slabs.monitor, "following the gradient", slabs_.size(), 0, 0.7);
    const GridLattice lattice(file_.shape());
    SlabReader reader(file_, field_);
    const bool copies = options_.keeps_file && is_kept(field_);
    for (size_t s = 0; s < slabs_.size(); ++s) {
      monitor.update(s);
      const Slab& slab = slabs_[s];
      const Field& values = reader.read(slab);
      refuse_nan_of(values);
      if (copies)
        writer_.write_points(place_of(shape_.point_data, field_.name), slab.begin * layer_, values,
                             (slab.begin - slab.seen_begin) * layer_, owned(slab));
      const RegionPart<Dim> part(lattice, slab, values, exec_, monitor.within());
      write(ascending_, slab, label_up(part, up_, exec_));
      write(descending_, slab, label_down(part, down_, exec_));
      for (size_t d = 0; d <= Dim; ++d) summary_.critical_cells[d] += part.saddles()[d];
    }
    monitor.update(slabs_.size());
    summary_.critical_cells[0] = down_.extrema;
    summary_.critical_cells[Dim] = up_.extrema;
    up_.above.finish();
    down_.above.finish();
  }
  void refuse_nan_of(const Field& values) {
    values.visit([&](auto numbers) {
      if (count_nan(numbers, exec_).count > 0) refuse_nan_in(file_, field_, exec_);
    });
  }

  /// Calls f(slab, ascending, descending) with final labels.
  template <class F>
  void for_each_label(const SlabMonitor& monitor, const F& f) {
    for (size_t s = 0; s < slabs_.size(); ++s) {
      monitor.update(s);
      f(slabs_[s], read(ascending_, slabs_[s], up_.above), read(descending_, slabs_[s], down_.above));
    }
  }
  void write_labels(const RegionPairs& pairs) {
    for_each_label({options_.slabs.monitor, "writing regions", slabs_.size(), 0.8, 0.95},
                   [&](const Slab& slab, const Array<Label>& ascending, const Array<Label>& descending) {
                     Array<Label> both(ascending.size());
                     host_for_each(exec_, both.size(),
                                   [&](size_t v) { both[v] = pairs.number(ascending[v], descending[v]); });
                     write(ascending_, slab, ascending);
                     write(descending_, slab, descending);
                     write(morse_smale_, slab, std::move(both));
                   });
  }

  [[nodiscard]] size_t owned(const Slab& slab) const { return (slab.end - slab.begin) * layer_; }
  void write(size_t place, const Slab& slab, Array<Label> labels) {
    const Field field("", std::move(labels));
    writer_.write_points(place, slab.begin * layer_, field, 0, field.size());
  }
  Array<Label> read(size_t place, const Slab& slab, const WaitingPaths& waiting) {
    Field field("", ScalarType::i32, owned(slab));
    writer_.read_points(place, slab.begin * layer_, field.size(), field);
    const std::span<const Label> read = field.as<Label>();
    Array<Label> labels(read.size());
    host_for_each(exec_, labels.size(), [&](size_t v) { labels[v] = waiting(read[v]); });
    return labels;
  }

  /// A field of the input that the output has as it is.
  [[nodiscard]] bool is_kept(const StoredField& field) const {
    const size_t place = place_of(shape_.point_data, field.name);
    return place != ascending_ && place != descending_ && place != morse_smale_;
  }
  void copy_others() {
    for (const StoredField& field : file_.point_fields()) {
      if (field.name == field_.name || !is_kept(field)) continue;
      copy(field, [&](std::uint64_t first, const Field& values) {
        writer_.write_points(place_of(shape_.point_data, field.name), first, values, 0, values.size());
      });
    }
    for (const StoredField& field : file_.cell_fields()) {
      copy(field, [&](std::uint64_t first, const Field& values) {
        writer_.write_cells(place_of(shape_.cell_data, field.name), first, values, 0, values.size());
      });
    }
  }
  template <class Write>
  void copy(const StoredField& field, const Write& write) {
    for (std::uint64_t first = 0; first < field.tuples; first += layer_) {
      const size_t count = std::min<std::uint64_t>(layer_, field.tuples - first);
      Field values(field.name, field.type, count, field.components);
      file_.read(field, first, count, values);
      write(first, values);
    }
  }

  const GridFile& file_;
  const StoredField& field_;
  const SlabRegionOptions& options_;
  Exec exec_;
  size_t layer_;
  std::vector<Slab> slabs_;
  Grid shape_;
  Monitor within_;
  GridWriter writer_;
  size_t ascending_, descending_, morse_smale_;
  FlowJoin up_, down_;
  RegionSummary summary_;
};

}  // namespace

SlabCost regions_slab_cost(const GridFile& file, const StoredField& field) {
  const Bytes points = layers_of(file.shape()).points;
  const Bytes size = field.tuple_bytes();
  // Values, their order and 10 bytes of pairs; those of 8 bytes are sorted. Then a flow, labels, and what is
  // critical in noise. From slab to slab: labels of the last layer, cells that are entered, and what waits.
  // Reading and writing have a window of a mebibyte each.
  return {.fixed = mib(6) + 24 * points,
          .of_owned = 24 * points,
          .of_seen = points * (size + (size == 8 ? 24 : 4) + 10),
          .of_border = 5 * points,
          .arrays = 6,
          .ghosts = {2, 1}};
}

RegionSummary write_regions(const GridFile& file, std::string_view field_name,
                            const std::filesystem::path& output, const SlabRegionOptions& options) {
  const StoredField& field = file.point_field(field_name);
  check_grid(file.shape());
  expect_scalar(field.name, field.components);
  for (const StoredField& other : file.point_fields()) file.expect_parts(other);
  for (const StoredField& other : file.cell_fields()) file.expect_parts(other);
  return dimension(file.shape()) == 3 ? RegionWriter<3>(file, field, output, options).run()
                                      : RegionWriter<2>(file, field, output, options).run();
}

}  // namespace tessera
