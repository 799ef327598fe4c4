#include <tessera/generate/contour_lines.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <tessera/core/csr.h>
#include <tessera/core/detail/monitor.h>
#include <tessera/exec/detail/host/scan.h>
#include <tessera/exec/detail/host_only.h>
#include <tessera/exec/for_each.h>
#include <tessera/generate/detail/isosurface/grid_surface.h>
#include <tessera/generate/detail/isosurface/interpolate.h>
#include <tessera/generate/detail/isosurface/surface_parts.h>
#include <tessera/generate/key_reduce.h>

namespace tessera {

using namespace detail;
namespace {

/// The two axes of a flat grid that have points, u before v.
struct Plane {
  std::array<int, 2> axis;
  std::uint64_t nu, nv;

  /// Edge keys: along u from a point, then along v.
  [[nodiscard]] std::uint64_t key(std::uint64_t u, std::uint64_t v, int along) const {
    return 2 * (u + nu * v) + static_cast<std::uint64_t>(along);
  }
  [[nodiscard]] std::array<std::uint64_t, 2> ends(std::uint64_t key) const {
    return {key / 2, key / 2 + (key % 2 == 0 ? 1 : nu)};
  }
};

Plane plane_of(const Grid& grid) {
  const int flat = grid.dims[0] == 1 ? 0 : grid.dims[1] == 1 ? 1 : 2;
  const std::array<int, 2> axis = {flat == 0 ? 1 : 0, flat == 2 ? 1 : 2};
  return {axis, grid.dims[axis[0]], grid.dims[axis[1]]};
}

bool is_plane(const Grid& grid) {
  return std::ranges::count(grid.dims, 1u) == 1;
}

/// Calls segment(from, to) with the sides of each segment of a pixel. Corners and sides go around: side s
/// joins corner s to the next; bit s of `high` is corner s.
template <class F>
void for_each_segment(int high, F&& segment) {
  const auto is_high = [&](int corner) { return (high >> (corner % 4) & 1) != 0; };
  for (int s = 0; s < 4; ++s) {
    if (!is_high(s + 1) || is_high(s)) continue;  // a run of high corners begins after side s
    int end = s + 1;
    while (is_high(end + 1)) ++end;
    segment(end % 4, s);
  }
}

/// Marching squares for one isovalue.
template <class T>
class Squares {
 public:
  Squares(const Plane& plane, std::span<const T> values, const Isovalue<T>& isovalue)
      : plane_(plane), values_(values), isovalue_(isovalue) {}

  /// The keys of all segments, two each, and their pixels.
  void emit(Array<std::uint64_t>& keys, Array<std::uint64_t>& pixels, const Exec& exec) const {
    const std::size_t rows = plane_.nv - 1;
    Array<std::uint64_t> first(rows + 1);
    host_for_each(exec, rows, [&](std::size_t v) {
      std::uint64_t count = 0;
      for (std::uint64_t u = 0; u + 1 < plane_.nu; ++u)
        for_each_segment(case_of(u, v), [&](int, int) { ++count; });
      first[v] = count;
    });
    first[rows] = 0;
    host::exclusive_scan<std::uint64_t, std::uint64_t>(exec.threads(), first, first);
    keys.resize(2 * first[rows]);
    pixels.resize(first[rows]);
    host_for_each(exec, rows, [&](std::size_t v) {
      std::size_t next = first[v];
      for (std::uint64_t u = 0; u + 1 < plane_.nu; ++u) {
        for_each_segment(case_of(u, v), [&](int from, int to) {
          keys[2 * next] = side_key(u, v, from);
          keys[2 * next + 1] = side_key(u, v, to);
          pixels[next++] = u + (plane_.nu - 1) * v;
        });
      }
    });
  }

 private:
  [[nodiscard]] int case_of(std::uint64_t u, std::uint64_t v) const {
    const std::uint64_t at = u + plane_.nu * v;
    const T corner[] = {values_[at], values_[at + 1], values_[at + 1 + plane_.nu], values_[at + plane_.nu]};
    int high = 0;
    for (int c = 0; c < 4; ++c) {
      if (corner[c] != corner[c]) return 0;
      if (!isovalue_.never && corner[c] >= isovalue_.threshold) high |= 1 << c;
    }
    return high;
  }
  [[nodiscard]] std::uint64_t side_key(std::uint64_t u, std::uint64_t v, int side) const {
    return side % 2 == 0 ? plane_.key(u, v + (side == 2), 0) : plane_.key(u + (side == 1), v, 1);
  }

  Plane plane_;
  std::span<const T> values_;
  Isovalue<T> isovalue_;
};

template <class T>
ContourLines find_lines(const Grid& grid, const SurfaceInput& input, const Exec& exec,
                        const Monitor& monitor) {
  const Plane plane = plane_of(grid);
  const std::span<const T> values = input.field.as<T>();
  const LatticeFrame frame = lattice::frame_of(grid);
  ContourLines result;
  Provenance& from = result.provenance;
  Array<Vec3<GridReal<T>>> points;
  std::vector<std::size_t> ends;
  for (const double value : input.isovalues) {
    monitor.update("finding contour lines",
                   static_cast<double>(ends.size()) / static_cast<double>(input.isovalues.size()));
    const auto isovalue = Isovalue<T>::of(value);
    Array<std::uint64_t> keys;
    Array<std::uint64_t> pixels;
    Squares<T>(plane, values, isovalue).emit(keys, pixels, exec);
    const KeyGroups groups = group_keys(keys, {.exec = exec});
    const std::size_t begin = points.size();
    expect_countable(begin + groups.size(), from.cells.size() + pixels.size());
    points.resize(begin + groups.size());
    from.edges.resize(points.size());
    from.weights.resize(points.size());
    host_for_each(exec, groups.size(), [&](std::size_t o) {
      using Weight = WeightOf<T>;
      const auto [a, b] = plane.ends(groups.keys[o]);
      const Weight t =
          edge_weight(static_cast<Weight>(values[a]), static_cast<Weight>(values[b]), isovalue.value);
      std::array<double, 3> place = {0, 0, 0};
      place[plane.axis[0]] = static_cast<double>(a % plane.nu);
      place[plane.axis[1]] = static_cast<double>(a / plane.nu);
      place[plane.axis[groups.keys[o] % 2]] += static_cast<double>(t);
      points[begin + o] = vec_cast<GridReal<T>>(frame.at(place[0], place[1], place[2]));
      from.edges[begin + o] = {a, b};
      from.weights[begin + o] = static_cast<double>(t);
    });
    PolyCells& lines = result.lines.lines;
    for (const VertexId v : groups.connections) {
      lines.corners.push_back(VertexId(v.index() + static_cast<std::uint32_t>(begin)));
      if (lines.corners.size() % 2 == 0) lines.offsets.push_back(lines.corners.size());
    }
    from.cells.insert(from.cells.end(), pixels.begin(), pixels.end());
    ends.push_back(points.size());
  }
  result.lines.points = Points(std::move(points));
  result.lines.point_data.add(isovalue_field(input, ends, exec));
  return result;
}

}  // namespace

ContourLines contour_lines(const Grid& grid, const Field& field, std::span<const double> isovalues,
                           const ContourLineOptions& options) {
  const Exec& exec = host_only(options.exec, "contour_lines()");
  SurfaceInput input{
      grid.vertex_count(), grid.cell_count(), grid.point_data, grid.cell_data, field, isovalues};
  expect_contourable(input);
  if (!is_plane(grid)) return {};
  const Monitor& monitor = monitor_of(options.monitor);
  ContourLines result = field.visit([&](auto values) {
    return find_lines<typename decltype(values)::value_type>(grid, input, exec, monitor);
  });
  for (const Field& other : grid.point_data) {
    if (other.name() == field.name()) continue;
    result.lines.point_data.add(transfer_point_field(other, result.provenance, exec));
  }
  for (const Field& other : grid.cell_data) {
    result.lines.cell_data.add(transfer_cell_field(other, result.provenance, exec));
  }
  if (!options.keep_provenance) result.provenance = {};
  return result;
}

}  // namespace tessera
