#include <tessera/generate/clip.h>

#include <atomic>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>

#include <tessera/core/detail/monitor.h>
#include <tessera/core/error.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/detail/host_only.h>
#include <tessera/exec/for_each.h>
#include <tessera/generate/detail/common/checks.h>
#include <tessera/generate/detail/common/parts.h>
#include <tessera/generate/detail/cut/clip_cells.h>
#include <tessera/generate/detail/cut/plane_distances.h>
#include <tessera/generate/detail/isosurface/interpolate.h>
#include <tessera/generate/detail/keys/pair_groups.h>

namespace tessera {

using namespace detail;
namespace {

constexpr std::size_t cells_at_once = 8192;

template <int Dim>
class Clipper {
 public:
  using Cell = typename SimplexMesh<Dim>::Cell;

  Clipper(const SimplexMesh<Dim>& mesh, const Array<Side>& sides, const ClipOptions& options,
          const Exec& exec)
      : mesh_(mesh), sides_(sides), options_(options), exec_(exec) {}

  /// weight(a, b) is the place of the cut on the edge from point a to point b.
  template <class Weight>
  Clipped<Dim> run(const Weight& weight) {
    report("finding cut cells", 0);
    const Reservation numbers = reserve(10 * std::uint64_t{mesh_.vertex_count()}, "the sides of points");
    count();
    report("cutting cells", 0.3);
    const Reservation keys = reserve(24 * total_.edges, "the cut edges");
    key_edges();
    choose_points();
    const Reservation room = reserve(result_bytes(), "the part that is kept");
    Clipped<Dim> result;
    result.unusable = total_.unusable;
    write_cells(result);
    fill_points(result.provenance, weight);
    report("interpolating", 0.7);
    SimplexMesh<Dim>& mesh = result.mesh;
    mesh.points = points_along(mesh_.points, result.provenance, exec_);
    for (const Field& field : mesh_.point_data)
      mesh.point_data.add(transfer_point_field(field, result.provenance, exec_));
    for (const Field& field : mesh_.cell_data)
      mesh.cell_data.add(transfer_cell_field(field, result.provenance, exec_));
    mesh.field_data = mesh_.field_data;
    if (!options_.keep_provenance) result.provenance = {};
    return result;
  }

 private:
  struct Totals {
    std::uint64_t parts = 0;
    std::uint64_t edges = 0;
    std::uint64_t unusable = 0;  ///< cells
  };

  void report(const char* stage, double fraction) const {
    monitor_of(options_.monitor).update(stage, fraction);
  }
  [[nodiscard]] Reservation reserve(std::uint64_t bytes, const char* what) const {
    return options_.memory == nullptr ? Reservation() : Reservation(*options_.memory, bytes, what);
  }
  [[nodiscard]] SortedCell<Dim> sorted(std::size_t c) const {
    return sort_corners<Dim>(mesh_.cells[c], sides_.data());
  }
  /// Calls f(c, sorted cell, what the cells before it have) for the cells of which something is left.
  template <class F>
  void for_each_left(const F& f) {
    host::for_each_chunk(exec_.threads(), mesh_.cell_count(), cells_at_once, [&](host::Range range, int) {
      Totals at = before_[range.begin / cells_at_once];
      for (std::size_t c = range.begin; c < range.end; ++c) {
        const SortedCell<Dim> cell = sorted(c);
        if (cell.parts() > 0) f(c, cell, at);
        at.parts += cell.parts();
        at.edges += cell.cut_edges();
      }
    });
  }

  /// What is left of each chunk of cells, and the points of the input that it names.
  void count() {
    used_.assign(mesh_.vertex_count(), 0);
    before_.assign((mesh_.cell_count() + cells_at_once - 1) / cells_at_once, {});
    host::for_each_chunk(exec_.threads(), mesh_.cell_count(), cells_at_once, [&](host::Range range, int) {
      Totals own;
      for (std::size_t c = range.begin; c < range.end; ++c) {
        const SortedCell<Dim> cell = sorted(c);
        own.parts += cell.parts();
        own.edges += cell.cut_edges();
        own.unusable += cell.is_unusable ? 1 : 0;
        const std::size_t named = cell.parts() > 0 ? cell.kept + cell.on : 0;
        for (std::size_t i = 0; i < named; ++i)
          std::atomic_ref(used_[cell.corners[i].index()]).store(1, std::memory_order_relaxed);
      }
      before_[range.begin / cells_at_once] = own;
    });
    for (Totals& chunk : before_) {
      const Totals own = std::exchange(chunk, total_);
      total_.parts += own.parts;
      total_.edges += own.edges;
      total_.unusable += own.unusable;
    }
    expect_ids(static_cast<double>(total_.parts), Dim == 2 ? "triangles" : "tetrahedra");
  }

  /// Numbers the cut edges.
  void key_edges() {
    Array<PairKey> keys(total_.edges);
    for_each_left([&](std::size_t, const SortedCell<Dim>& cell, const Totals& at) {
      for (std::uint32_t k = 0; k < cell.cut_edges(); ++k) {
        keys[at.edges + k] =
            unordered_pair(cell.corners[k / cell.dropped], cell.dropped_corner(k % cell.dropped));
      }
    });
    connections_.resize(total_.edges);
    edges_ = fill_pair_connections(
        connections_, mesh_.vertex_count(), [&](std::size_t i) { return keys[i]; }, exec_);
  }

  /// Numbers the points of the input that stay.
  void choose_points() {
    points_ = list_if(
        used_.size(), [&](std::size_t v) { return used_[v] != 0; }, exec_);
    numbers_.resize(used_.size());
    host_for_each(exec_, points_.size(),
                  [&](std::size_t v) { numbers_[points_[v]] = static_cast<std::uint32_t>(v); });
    expect_ids(static_cast<double>(points_.size()) + static_cast<double>(edges_.size()), "points");
  }

  [[nodiscard]] std::uint64_t result_bytes() const {
    const auto each = [](std::uint64_t bytes, std::uint64_t of) { return of == 0 ? 0 : bytes / of + 1; };
    const std::uint64_t point = each(mesh_.points.bytes() + mesh_.point_data.bytes(), mesh_.vertex_count());
    const std::uint64_t cell = each(mesh_.cell_data.bytes(), mesh_.cell_count()) + sizeof(Cell);
    return (points_.size() + edges_.size()) * (point + 24) + total_.parts * (cell + 8);
  }

  void write_cells(Clipped<Dim>& result) {
    result.mesh.cells.resize(total_.parts);
    result.provenance.cells.resize(total_.parts);
    const auto kept = static_cast<std::uint32_t>(points_.size());
    for_each_left([&](std::size_t c, const SortedCell<Dim>& cell, const Totals& at) {
      std::size_t part = at.parts;
      emit_parts(
          cell, [&](VertexId v) { return VertexId(numbers_[v.index()]); },
          [&](std::size_t k) { return VertexId(kept + connections_[at.edges + k].index()); },
          [&](const Cell& emitted) {
            result.mesh.cells[part] = emitted;
            result.provenance.cells[part++] = c;
          });
    });
  }

  template <class Weight>
  void fill_points(Provenance& from, const Weight& weight) const {
    const std::size_t kept = points_.size();
    from.edges.resize(kept + edges_.size());
    from.weights.resize(from.edges.size());
    host_for_each(exec_, from.edges.size(), [&](std::size_t v) {
      const PairKey edge = v < kept ? PairKey{points_[v], points_[v]} : edges_[v - kept];
      from.edges[v] = {edge[0], edge[1]};
      from.weights[v] = v < kept ? 0 : weight(edge[0], edge[1]);
    });
  }

  const SimplexMesh<Dim>& mesh_;
  const Array<Side>& sides_;
  const ClipOptions& options_;
  Exec exec_;
  Array<std::uint8_t> used_;  ///< a flag for each point of the input
  Array<Totals> before_;      ///< each chunk of cells
  Totals total_;
  Array<VertexId> connections_;   ///< for each cut edge of each cell its edge
  Array<PairKey> edges_;          ///< the cut edges, ascending
  Array<std::uint32_t> points_;   ///< the points of the input that stay
  Array<std::uint32_t> numbers_;  ///< and their new numbers
};

template <int Dim>
Exec begin(const SimplexMesh<Dim>& mesh, const ClipOptions& options) {
  const Exec exec = host_for(host_only(options.exec, "clip()"), mesh.cell_count());
  monitor_of(options.monitor).update("finding sides", 0);
  expect_usable(mesh, exec);
  return exec;
}

/// The side of a point that has a positive, zero or negative `sign`.
Side side_of(int sign, bool invert) {
  if (sign == 0) return Side::on;
  return (sign > 0) != invert ? Side::kept : Side::dropped;
}

void expect_clippable(const Field& field, std::size_t points, double value) {
  if (field.components() != 1) {
    throw Error(ErrorCode::bad_option, "the field '" + field.name() + "' has " +
                                           std::to_string(field.components()) +
                                           " components; a clip needs one");
  }
  if (field.size() != points) {
    throw Error(ErrorCode::bad_option, "the field '" + field.name() + "' has " +
                                           std::to_string(field.size()) + " values, but there are " +
                                           std::to_string(points) + " points");
  }
  if (!std::isfinite(value)) throw Error(ErrorCode::bad_option, "the value to clip at must be finite");
}

/// The sides of the points by values of type T, compared exactly.
template <class T>
Array<Side> sides_of(std::span<const T> values, double value, bool invert, const Exec& exec) {
  const auto isovalue = Isovalue<T>::of(value);
  const bool is_exact = !isovalue.never && static_cast<double>(isovalue.threshold) == value;
  Array<Side> sides(values.size());
  host_for_each(exec, values.size(), [&](std::size_t v) {
    const bool is_high = !isovalue.never && values[v] >= isovalue.threshold;
    const bool is_on = is_exact && values[v] == isovalue.threshold;
    sides[v] = values[v] != values[v] ? Side::unknown : side_of(is_on ? 0 : is_high ? 1 : -1, invert);
  });
  return sides;
}

}  // namespace

template <int Dim>
Clipped<Dim> clip(const SimplexMesh<Dim>& mesh, const Plane& plane, const ClipOptions& options) {
  expect_plane(plane);
  const Exec exec = begin(mesh, options);
  return mesh.points.visit([&](auto points) {
    using Real = std::remove_const_t<decltype(points[0].x)>;
    const auto distance = [&](std::size_t v) {
      return plane_distance<Real>(plane, vec_cast<double>(points[v]));
    };
    Array<Side> sides(points.size());
    host_for_each(exec, points.size(), [&](std::size_t v) {
      const double d = distance(v);
      sides[v] = d != d ? Side::unknown : side_of(d > 0 ? 1 : d < 0 ? -1 : 0, options.invert);
    });
    return Clipper<Dim>(mesh, sides, options, exec).run([&](std::uint32_t a, std::uint32_t b) {
      return edge_weight(distance(a), distance(b), 0.0);
    });
  });
}

template <int Dim>
Clipped<Dim> clip(const SimplexMesh<Dim>& mesh, const Field& field, double value,
                  const ClipOptions& options) {
  expect_clippable(field, mesh.vertex_count(), value);
  const Exec exec = begin(mesh, options);
  return field.visit([&](auto values) {
    const Array<Side> sides = sides_of(values, value, options.invert, exec);
    return Clipper<Dim>(mesh, sides, options, exec).run([&](std::uint32_t a, std::uint32_t b) {
      return edge_weight(static_cast<double>(values[a]), static_cast<double>(values[b]), value);
    });
  });
}

#define TS_INSTANTIATE(Dim)                                                                   \
  template Clipped<Dim> clip<Dim>(const SimplexMesh<Dim>&, const Plane&, const ClipOptions&); \
  template Clipped<Dim> clip<Dim>(const SimplexMesh<Dim>&, const Field&, double, const ClipOptions&)
TS_INSTANTIATE(2);
TS_INSTANTIATE(3);
#undef TS_INSTANTIATE

}  // namespace tessera
