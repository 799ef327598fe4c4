#include <tessera/distribute/critical_points.h>

#include <iterator>
#include <utility>
#include <vector>

#include <tessera/distribute/detail/slab_reader.h>
#include <tessera/distribute/gather.h>
#include <tessera/exec/for_each.h>
#include <tessera/io/point_writer.h>
#include <tessera/topology/detail/check_field.h>
#include <tessera/topology/detail/check_grid.h>
#include <tessera/topology/detail/grid_critical_points.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;

/// The rows of the lattice that a slab owns.
LatticeRows rows_of(const GridLattice& lattice, const Slab& slab) {
  const size_t of_layer = lattice.dimension == 3 ? lattice.dims[1] : 1;
  return {lattice, slab.begin * of_layer, slab.end * of_layer, slab.seen_begin * of_layer};
}

/// A field whose points are looked for, once or several times.
class PointSearch {
 public:
  PointSearch(const GridFile& file, std::string_view field, const SlabOptions& options)
      : file_(file), field_(file.point_field(field)), options_(options) {
    check_grid(file.shape());
    expect_scalar(field_.name, field_.components);
    slabs_ = plan_slabs(file, field_, options, critical_points_slab_cost(file, field_));
  }
  [[nodiscard]] const StoredField& field() const { return field_; }

  /// Calls f(slab, its values, its points) for all slabs. The fraction that is told goes from `begin` to
  /// `end`.
  template <class F>
  void for_each_slab(double begin, double end, const F& f) const {
    const GridLattice lattice(file_.shape());
    const SlabMonitor monitor(options_.monitor, "finding critical points", slabs_.size(), begin, end);
    SlabReader reader(file_, field_);
    for (size_t s = 0; s < slabs_.size(); ++s) {
      monitor.update(s);
      const Field& values = reader.read(slabs_[s]);
      FoundPoints found = find_critical_points(rows_of(lattice, slabs_[s]), values,
                                               host_for(options_.exec, values.size()), monitor.within());
      monitor.update(s);  // or what was found is not all
      if (found.has_nan) refuse_nan_in(file_, field_, options_.exec);
      f(slabs_[s], values, std::move(found.chunks));
    }
    monitor.update(slabs_.size());
  }

 private:
  const GridFile& file_;
  const StoredField& field_;
  const SlabOptions& options_;
  std::vector<Slab> slabs_;
};

using Chunks = std::vector<std::vector<FoundPoint>>;

/// What all points have in common.
struct PointSummary {
  std::array<size_t, 5> counts = {};
  size_t count = 0;
  VertexId last;

  void add(const Chunks& chunks) {
    for (const std::vector<FoundPoint>& chunk : chunks) {
      for (const FoundPoint& point : chunk) ++counts[static_cast<size_t>(point.type)];
      count += chunk.size();
      if (!chunk.empty()) last = VertexId(chunk.back().vertex);
    }
  }
};

PointSummary summarize(const PointSearch& search, double end) {
  PointSummary summary;
  search.for_each_slab(0, end, [&](const Slab&, const Field&, const Chunks& chunks) { summary.add(chunks); });
  return summary;
}

/// The fields of points as those of all points have them: ids are as wide as the widest.
FieldSet widen(FieldSet fields, const FieldSet& shape) {
  for (Field& field : fields) {
    if (field.type() == shape.at(field.name()).type()) continue;
    const std::span<const std::int32_t> narrow = field.as<std::int32_t>();
    field = Field(field.name(), Array<std::int64_t>(narrow.begin(), narrow.end()));
  }
  return fields;
}

/// One point, as the last is: its ids are the largest.
PolyData shape_of(const Grid& grid, const StoredField& field, VertexId last) {
  CriticalPoints points;
  points.points.push_back({.vertex = last});
  return make_poly_with_values(points, grid, Field(field.name, field.type, 1));
}

}  // namespace

SlabCost critical_points_slab_cost(const GridFile& file, const StoredField& field) {
  const size_t points = layers_of(file.shape()).points;
  // A window to read through, and a batch of points to write. Nearly half of the points of noise are
  // critical, and take 8 bytes.
  return {.fixed = mib(8), .of_owned = 4 * points, .of_seen = points * field.tuple_bytes(), .ghosts = {1, 1}};
}

CriticalPoints critical_points(const GridFile& file, std::string_view field, const SlabOptions& options) {
  Chunks all;
  PointSearch(file, field, options).for_each_slab(0, 0.95, [&](const Slab&, const Field&, Chunks chunks) {
    all.insert(all.end(), std::make_move_iterator(chunks.begin()), std::make_move_iterator(chunks.end()));
  });
  return join_points(std::move(all), options.exec);
}

std::array<size_t, 5> count_critical_points(const GridFile& file, std::string_view field,
                                            const SlabOptions& options) {
  return summarize(PointSearch(file, field, options), 1).counts;
}

PolyData make_poly(const CriticalPoints& points, const GridFile& file, std::string_view field,
                   const Monitor* monitor) {
  Array<VertexId> vertices;
  vertices.reserve(points.points.size());
  for (const CriticalPoint& point : points.points) vertices.push_back(point.vertex);
  return make_poly_with_values(points, file.shape(),
                               gather(file, file.point_field(field), vertices, monitor));
}

std::array<size_t, 5> write_critical_points(const GridFile& file, std::string_view field,
                                            const std::filesystem::path& output,
                                            const SlabPointsOptions& options) {
  const PointSearch search(file, field, options.slabs);
  const PointSummary summary = summarize(search, 0.4);
  if (summary.count == 0) {
    write_poly(output, make_poly({}, file, field), options.write);
    return summary.counts;
  }
  const PolyData shape = shape_of(file.shape(), search.field(), summary.last);
  PointWriter writer(output, shape, summary.count, options.write);
  const size_t layer = layers_of(file.shape()).points;
  search.for_each_slab(0.4, 1, [&](const Slab& slab, const Field& values, Chunks chunks) {
    const size_t first = slab.seen_begin * layer;
    for (std::vector<FoundPoint>& chunk : chunks) {
      Array<std::uint32_t> places;
      for (const FoundPoint& point : chunk)
        places.push_back(static_cast<std::uint32_t>(point.vertex - first));
      std::vector<std::vector<FoundPoint>> one;
      one.push_back(std::move(chunk));
      PolyData poly = make_poly_with_values(join_points(std::move(one), options.slabs.exec), file.shape(),
                                            values.gather(places));
      writer.append(poly.points, widen(std::move(poly.point_data), shape.point_data));
    }
  });
  writer.commit();
  return summary.counts;
}

}  // namespace tessera
