// Vertices and triangles are numbered row by row, so those of a layer are a run of those of each isovalue.
// One pass counts the runs; then every slab, of whatever height, knows where its own go.
#include <tessera/distribute/isosurface.h>

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include <tessera/core/macros.h>
#include <tessera/distribute/detail/slab_reader.h>
#include <tessera/distribute/detail/surface_transfer.h>
#include <tessera/exec/for_each.h>
#include <tessera/generate/detail/isosurface/grid_surface.h>
#include <tessera/generate/detail/isosurface/surface_parts.h>
#include <tessera/generate/resident.h>

namespace tessera {

using namespace detail;
namespace {

/// Gradients along an edge ask for the layer before it and the one behind it.
constexpr Ghosts ghosts = {1, 2};

/// A slab as a lattice of its own, with its ghosts, and what crosses its cells.
template <class T>
class SlabCrossings {
 public:
  SlabCrossings(const Grid& grid, const Slab& slab, const Field& values, Isovalues<T> isovalues,
                const Exec& exec)
      : slab_(slab), values_(values.as<T>()), exec_(exec), levels_(isovalues.size()) {
    Grid seen;
    seen.dims = {grid.dims[0], grid.dims[1], slab.seen()};
    shape_ = lattice::view_of(seen);
    if (lattice::fill_high_bits<T>(values_, shape_, isovalues, levels_, exec_))
      whole_ = lattice::find_whole_cells<T>(values_, shape_, exec_);
  }

  /// The rows of the layers that the slab owns.
  [[nodiscard]] host::Range rows() const {
    return {std::size_t{shape_.ny} * (slab_.begin - slab_.seen_begin),
            std::size_t{shape_.ny} * (slab_.end - slab_.seen_begin)};
  }
  [[nodiscard]] lattice::View view(std::size_t level) const {
    lattice::View view = shape_;
    view.high = levels_[level].high.data();
    view.whole = whole_.empty() ? nullptr : whole_.data();
    return view;
  }
  /// What each layer that the slab owns has.
  void count(std::size_t level, std::span<lattice::Totals> layers) {
    Array<lattice::RowCounts>& first = levels_[level].first;
    (void)lattice::number_rows(view(level), {}, first, exec_);
    std::size_t row = rows().begin;
    for (lattice::Totals& layer : layers) {
      const lattice::RowCounts& begin = first[row];
      const lattice::RowCounts& end = first[row += shape_.ny];
      layer = {end.vertices[0] - begin.vertices[0], end.triangles - begin.triangles};
    }
  }
  /// Numbers of all rows, such that those of the slab's own begin as given. Those before wrap around and are
  /// not used.
  [[nodiscard]] const Array<lattice::RowCounts>& number_from(std::size_t level, lattice::Totals begin) {
    Array<lattice::RowCounts>& first = levels_[level].first;
    (void)lattice::number_rows(view(level), {}, first, exec_);
    const lattice::RowCounts own = first[rows().begin];
    const std::uint32_t vertices = static_cast<std::uint32_t>(begin.vertices) - own.vertices[0];
    const std::uint32_t triangles = static_cast<std::uint32_t>(begin.triangles) - own.triangles;
    for (lattice::RowCounts& row : first) {
      for (std::uint32_t& id : row.vertices) id += vertices;
      row.triangles += triangles;
    }
    return first;
  }
  [[nodiscard]] std::uint64_t count_valueless_cells() const {
    if (whole_.empty()) return 0;
    const auto [begin, end] = rows();
    std::uint64_t cells = 0;
    std::uint64_t whole = 0;
    for (std::size_t row = begin; row < end; ++row) {
      const bool has_cells = row % shape_.ny + 1 < shape_.ny && row / shape_.ny + 1 < shape_.nz;
      cells += has_cells ? shape_.nx - 1 : 0;
      for (std::uint32_t w = 0; w < shape_.words; ++w)
        whole += static_cast<std::uint64_t>(std::popcount(whole_[row * shape_.words + w]));
    }
    return cells - whole;
  }
  [[nodiscard]] LatticeValues<T> values() const { return {values_.data(), shape_.nx, shape_.ny, shape_.nz}; }

 private:
  Slab slab_;
  std::span<const T> values_;
  const Exec& exec_;
  lattice::View shape_;
  std::vector<lattice::Level> levels_;
  Array<std::uint64_t> whole_;
};

/// The surface of a grid while it is put together.
template <class T>
class SlabSurface {
 public:
  using Real = GridReal<T>;

  SlabSurface(const GridFile& file, const StoredField& field, std::span<const double> isovalues,
              const SlabSurfaceOptions& options)
      : file_(file),
        field_(field),
        options_(options.surface),
        empty_field_(field.name, field.type, 0),
        input_{field.tuples,
               file.shape().cell_count(),
               file.shape().point_data,
               file.shape().cell_data,
               empty_field_,
               isovalues},
        slabs_(plan_slabs(file, field, {options.height, options.surface.exec, options.surface.monitor},
                          isosurface_slab_cost(file, field, isovalues.size()))),
        layers_(layers_of(file.shape()).count),
        begins_(isovalues.size() * layers_) {
    for (const double value : isovalues) isovalues_.push_back(Isovalue<T>::of(value));
  }

  Isosurface run(const std::function<std::uint32_t(const SurfaceSize&)>& expect) {
    SurfaceSize size = count();
    size.bytes = bytes_of(size);
    const std::uint32_t height = expect ? expect(size) : 0;
    if (height > 0) slabs_ = cut_into_slabs(layers_, height, ghosts);
    allocate(size);
    fill();
    return assemble(std::move(arrays_), input_, options_,
                    [&](Isosurface& surface) { transfer_stored(file_, slabs_, surface, options_); });
  }

 private:
  /// Calls f(slab's number, crossings) for all slabs.
  template <class F>
  void for_each_slab(const SlabMonitor& monitor, const F& f) {
    if (isovalues_.empty()) return;  // a flat grid, whose layers are no planes
    SlabReader reader(file_, field_);
    for (std::size_t s = 0; s < slabs_.size(); ++s) {
      monitor.update(s);
      const Field& values = reader.read(slabs_[s]);
      SlabCrossings<T> crossings(file_.shape(), slabs_[s], values, isovalues_, options_.exec);
      f(s, crossings);
    }
    monitor.update(slabs_.size());
  }

  /// Where the vertices and triangles of layers begin in an isovalue.
  [[nodiscard]] std::span<lattice::Totals> begins_of(std::size_t level) {
    return std::span(begins_).subspan(level * layers_, layers_);
  }

  SurfaceSize count() {
    SurfaceSize size;
    for_each_slab({options_.monitor, "counting", slabs_.size(), 0, 0.4}, [&](std::size_t s, auto& crossings) {
      const Slab& slab = slabs_[s];
      for (std::size_t l = 0; l < isovalues_.size(); ++l)
        crossings.count(l, begins_of(l).subspan(slab.begin, slab.end - slab.begin));
      size.valueless_cells += crossings.count_valueless_cells();
    });
    for (std::size_t i = 0; i < begins_.size(); ++i) {
      const lattice::Totals counts = begins_[i];
      begins_[i] = {size.vertices, size.triangles};
      size.vertices += counts.vertices;
      size.triangles += counts.triangles;
      if ((i + 1) % layers_ == 0) arrays_.ends.push_back(size.vertices);
    }
    expect_countable(size.vertices, size.triangles);
    return size;
  }

  [[nodiscard]] Bytes bytes_of(const SurfaceSize& size) const {
    const bool is_joined = options_.merge_exact || options_.normals == SurfaceNormals::averaged;
    Bytes of_vertex = sizeof(Vec3<Real>) + (options_.normals == SurfaceNormals::none ? 0 : 12) +
                      (options_.transfer_data ? sizeof(WeightOf<T>) : 0) + (is_joined ? 16 : 0);
    Bytes of_triangle = sizeof(TriMesh::Cell) + (is_joined ? 16 : 0);
    std::size_t arrays = is_joined ? 8 : 4;
    if (needs_provenance(input_, options_)) {
      of_vertex += 24 + (options_.merge_exact ? 24 : 0);
      of_triangle += 8;
      arrays += 3 + file_.point_fields().size() + file_.cell_fields().size();
      if (options_.transfer_data) {
        of_vertex += transfer_bytes(file_.point_fields()) + 8;
        of_triangle += transfer_bytes(file_.cell_fields()) + 8;
      }
    }
    const Bytes bytes = of_vertex * size.vertices + of_triangle * size.triangles;
    return bytes + page_bytes(bytes, arrays);
  }

  void allocate(const SurfaceSize& size) {
    arrays_.points.resize(size.vertices);
    arrays_.cells.resize(size.triangles);
    if (options_.normals == SurfaceNormals::gradient) arrays_.normals.resize(3 * size.vertices);
    if (!needs_provenance(input_, options_)) return;
    arrays_.provenance.edges.resize(size.vertices);
    arrays_.provenance.weights.resize(size.vertices);
    arrays_.provenance.cells.resize(size.triangles);
  }

  void fill() {
    const LatticeFrame frame = lattice::frame_of(file_.shape());
    Provenance& from = arrays_.provenance;
    const lattice::VertexOutput<Real> out{arrays_.points, as_vectors(arrays_.normals), from.edges,
                                          from.weights};
    for_each_slab({options_.monitor, "writing the surface", slabs_.size(), 0.4, 1}, [&](std::size_t s,
                                                                                        auto& crossings) {
      for (std::size_t l = 0; l < isovalues_.size(); ++l) {
        const lattice::View view = crossings.view(l);
        const lattice::NumberedRows rows{view, crossings.number_from(l, begins_of(l)[slabs_[s].begin]),
                                         crossings.rows(), slabs_[s].seen_begin};
        lattice::fill_vertices(crossings.values(), frame, rows, isovalues_[l], out, options_.exec);
        lattice::fill_triangles(rows, arrays_.cells, from.cells, options_.exec);
      }
    });
    if (frame.is_mirrored())
      host_for_each(options_.exec, arrays_.cells.size(), TurnTriangle{arrays_.cells.data()});
  }

  const GridFile& file_;
  const StoredField& field_;
  const IsosurfaceOptions& options_;
  Field empty_field_;
  SurfaceInput input_;
  std::vector<Slab> slabs_;
  std::uint32_t layers_;
  std::vector<lattice::Totals> begins_;  ///< layer after layer of each isovalue; at first their counts
  std::vector<Isovalue<T>> isovalues_;
  SurfaceArrays<Real> arrays_;
};

}  // namespace

SlabCost isosurface_slab_cost(const GridFile& file, const StoredField& field, std::size_t isovalues) {
  const Grid& grid = file.shape();
  const Bytes rows = Bytes{grid.dims[1]};
  const Bytes words = (grid.dims[0] + lattice::word_bits - 1) / lattice::word_bits;
  // Bits of each isovalue and of cells, and the numbers of rows.
  const Bytes bits = rows * (8 * words * (isovalues + 1) + sizeof(lattice::RowCounts) * isovalues);
  return {.fixed = mib(4),
          .of_seen = layers_of(grid).points * field.tuple_bytes() + bits,
          .arrays = 2 + 2 * isovalues,
          .ghosts = ghosts};
}

Isosurface isosurface(const GridFile& file, std::string_view field_name, std::span<const double> isovalues,
                      const SlabSurfaceOptions& options) {
  const StoredField& field = file.point_field(field_name);
  expect_contourable(field.name, field.components, isovalues);
  const Grid& grid = file.shape();
  if (grid.dims[0] == 1 || grid.dims[1] == 1 || grid.dims[2] == 1) isovalues = {};
  return Field(field.name, field.type, 0).visit([&](auto none) {
    using T = typename decltype(none)::value_type;
    return SlabSurface<T>(file, field, isovalues, options).run(options.expect);
  });
}

}  // namespace tessera
