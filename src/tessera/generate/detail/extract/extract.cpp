#include <tessera/generate/extract.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <concepts>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/detail/monitor.h>
#include <tessera/core/error.h>
#include <tessera/exec/detail/host_only.h>
#include <tessera/exec/for_each.h>
#include <tessera/generate/detail/common/checks.h>
#include <tessera/generate/detail/common/parts.h>
#include <tessera/mesh/detail/doctor_sets.h>

namespace tessera {

using namespace detail;
namespace {

/// A range as values of type T meet it.
template <class T>
struct TypedRange {
  T low, high;
};

template <class T>
void add_range(std::vector<TypedRange<T>>& ranges, ValueRange range) {
  if constexpr (std::integral<T>) {
    const double beyond = std::ldexp(1.0, std::numeric_limits<T>::digits);  // the first double above all T
    const double lowest = static_cast<double>(std::numeric_limits<T>::lowest());
    const double low = std::ceil(range.low);
    const double high = std::floor(range.high);
    if (!(low <= high) || low >= beyond || high < lowest) return;
    ranges.push_back({low <= lowest ? std::numeric_limits<T>::lowest() : static_cast<T>(low),
                      high >= beyond ? std::numeric_limits<T>::max() : static_cast<T>(high)});
  } else if (range.low <= range.high) {
    const auto rounded = [](double x, T towards) {  // the nearest T on the inner side
      const T near = static_cast<T>(x);
      const bool is_outside = towards > 0 ? static_cast<double>(near) < x : static_cast<double>(near) > x;
      return is_outside ? std::nextafter(near, towards) : near;
    };
    constexpr T infinity = std::numeric_limits<T>::infinity();
    ranges.push_back({rounded(range.low, infinity), rounded(range.high, -infinity)});
  }
}

/// Ascending, and none overlaps another.
template <class T>
std::vector<TypedRange<T>> typed_ranges(std::span<const ValueRange> given) {
  std::vector<TypedRange<T>> ranges;
  for (const ValueRange& range : given) add_range(ranges, range);
  std::ranges::sort(ranges, {}, &TypedRange<T>::low);
  std::vector<TypedRange<T>> joined;
  for (const TypedRange<T>& range : ranges) {
    if (!joined.empty() && range.low <= joined.back().high) {
      joined.back().high = std::max(joined.back().high, range.high);
    } else {
      joined.push_back(range);
    }
  }
  return joined;
}

template <class T>
bool is_in(const std::vector<TypedRange<T>>& ranges, T value) {
  const auto after = std::ranges::upper_bound(ranges, value, {}, &TypedRange<T>::low);
  return after != ranges.begin() && value <= std::prev(after)->high;
}

template <int Dim>
void expect_criterion(const SimplexMesh<Dim>& mesh, const CellCriterion& criterion,
                      std::span<const ValueRange> ranges) {
  const Field& field = criterion.field;
  if (field.components() != 1) {
    throw Error(ErrorCode::bad_option, "the field '" + field.name() + "' has " +
                                           std::to_string(field.components()) +
                                           " components; a range needs one");
  }
  const std::size_t elements = criterion.is_on_cells ? mesh.cell_count() : mesh.vertex_count();
  if (field.size() != elements) {
    throw Error(ErrorCode::bad_option, "the field '" + field.name() + "' has " +
                                           std::to_string(field.size()) + " values, but there are " +
                                           std::to_string(elements) +
                                           (criterion.is_on_cells ? " cells" : " points"));
  }
  for (const ValueRange& range : ranges) {
    if (std::isnan(range.low) || std::isnan(range.high))
      throw Error(ErrorCode::bad_option, "a range from or to NaN holds nothing; write numbers");
  }
}

/// The flags of cells by those of their points.
template <int Dim>
Array<std::uint8_t> flags_of_cells(const SimplexMesh<Dim>& mesh, const Array<std::uint8_t>& inside,
                                   const SelectOptions& options, const Exec& exec) {
  Array<std::uint8_t> keeps(mesh.cell_count());
  const std::uint32_t least = options.any_point ? 1 : Dim + 1;
  host_for_each(exec, keeps.size(), [&](std::size_t c) {
    std::uint32_t count = 0;
    for (const VertexId v : mesh.cells[c]) count += inside[v.index()];
    keeps[c] = (count >= least) != options.invert ? 1 : 0;
  });
  return keeps;
}

/// What selections begin with.
template <int Dim>
Exec begin(const SimplexMesh<Dim>& mesh, const Exec& exec, const Monitor* monitor, const char* function) {
  const Exec host = host_for(host_only(exec, function), mesh.cell_count());
  monitor_of(monitor).update("choosing cells", 0);
  expect_usable(mesh, host);
  return host;
}

void expect_flags(std::span<const std::uint8_t> flags, std::size_t cells) {
  if (flags.size() == cells) return;
  throw Error(ErrorCode::bad_option, std::to_string(flags.size()) + " flags cannot choose among " +
                                         std::to_string(cells) + " cells");
}

/// Numbers components, which have their sizes by their first cells, in the order of Components::sizes.
void sort_by_size(Components& components, const Array<std::uint32_t>& found, const Exec& exec) {
  Array<std::uint32_t> order(found.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return found[a] != found[b] ? found[a] > found[b] : a < b;
  });
  Array<std::uint32_t> rank(found.size());
  for (std::uint32_t r = 0; r < order.size(); ++r) rank[order[r]] = r;
  host_for_each(exec, components.ids.size(), [&](std::size_t c) {
    std::uint32_t& id = components.ids[c];
    if (id != Components::none) id = rank[id];
  });
  components.sizes = gather(found, order, exec);
}

}  // namespace

template <int Dim>
Array<std::uint8_t> select_values(const SimplexMesh<Dim>& mesh, const CellCriterion& criterion,
                                  std::span<const ValueRange> ranges, const SelectOptions& options) {
  const Exec exec = begin(mesh, options.exec, options.monitor, "select_values()");
  expect_criterion(mesh, criterion, ranges);
  Array<std::uint8_t> inside(criterion.field.size());
  const bool inverts = criterion.is_on_cells && options.invert;
  criterion.field.visit([&](auto values) {
    const auto typed = typed_ranges<typename decltype(values)::value_type>(ranges);
    host_for_each(exec, values.size(),
                  [&](std::size_t i) { inside[i] = is_in(typed, values[i]) != inverts ? 1 : 0; });
  });
  return criterion.is_on_cells ? inside : flags_of_cells(mesh, inside, options, exec);
}

template <int Dim>
Array<std::uint8_t> select_box(const SimplexMesh<Dim>& mesh, const Box& box, const SelectOptions& options) {
  const Exec exec = begin(mesh, options.exec, options.monitor, "select_box()");
  if (!(box.low.x <= box.high.x && box.low.y <= box.high.y && box.low.z <= box.high.z))
    throw Error(ErrorCode::bad_option, "a box must not end before it begins; give the lower bound first");
  Array<std::uint8_t> inside(mesh.vertex_count());
  mesh.points.visit([&](auto points) {
    host_for_each(exec, points.size(), [&](std::size_t v) {
      const Vec3d p = vec_cast<double>(points[v]);
      inside[v] = p.x >= box.low.x && p.x <= box.high.x && p.y >= box.low.y && p.y <= box.high.y &&
                          p.z >= box.low.z && p.z <= box.high.z
                      ? 1
                      : 0;
    });
  });
  return flags_of_cells(mesh, inside, options, exec);
}

template <int Dim>
Components connected_components(const SimplexMesh<Dim>& mesh, const ComponentOptions& options) {
  const Exec exec = begin(mesh, options.exec, options.monitor, "connected_components()");
  if (!options.among.empty()) expect_flags(options.among, mesh.cell_count());
  const auto is_among = [&](std::size_t c) { return options.among.empty() || options.among[c] != 0; };
  doctor::DisjointSets<std::uint32_t> sets(mesh.vertex_count());
  monitor_of(options.monitor).update("joining cells", 0);
  host_for_each(exec, mesh.cell_count(), [&](std::size_t c) {
    const auto& cell = mesh.cells[c];
    for (std::size_t i = 1; i < cell.size() && is_among(c); ++i) sets.unite(cell[0].index(), cell[i].index());
  });
  monitor_of(options.monitor).update("numbering components", 0);
  Components result;
  result.ids.resize(mesh.cell_count());
  Array<std::uint32_t> number(mesh.vertex_count(), Components::none);
  Array<std::uint32_t> found;  // the sizes, by the components' first cells
  for (std::size_t c = 0; c < mesh.cell_count(); ++c) {
    result.ids[c] = Components::none;
    if (!is_among(c)) continue;
    std::uint32_t& id = number[sets.find(mesh.cells[c][0].index())];
    if (id == Components::none) {
      id = static_cast<std::uint32_t>(found.size());
      found.push_back(0);
    }
    ++found[id];
    result.ids[c] = id;
  }
  sort_by_size(result, found, exec);
  return result;
}

template <int Dim>
Extracted<Dim> extract_cells(const SimplexMesh<Dim>& mesh, std::span<const std::uint8_t> keeps,
                             const ExtractOptions& options) {
  const Exec exec = begin(mesh, options.exec, options.monitor, "extract_cells()");
  expect_flags(keeps, mesh.cell_count());
  Extracted<Dim> result;
  result.cells = list_if(
      keeps.size(), [&](std::size_t c) { return keeps[c] != 0; }, exec);
  Array<std::uint32_t> numbers(mesh.vertex_count(), 0);
  host_for_each(exec, result.cells.size(), [&](std::size_t c) {
    for (const VertexId v : mesh.cells[result.cells[c]])
      std::atomic_ref(numbers[v.index()]).store(1, std::memory_order_relaxed);
  });
  result.vertices = list_if(
      numbers.size(), [&](std::size_t v) { return numbers[v] != 0; }, exec);
  host_for_each(exec, result.vertices.size(),
                [&](std::size_t v) { numbers[result.vertices[v]] = static_cast<std::uint32_t>(v); });
  monitor_of(options.monitor).update("copying cells", 0.5);
  result.mesh.points = gather(mesh.points, result.vertices, exec);
  result.mesh.cells = gather(mesh.cells, result.cells, exec);
  host_for_each(exec, result.cells.size(), [&](std::size_t c) {
    for (VertexId& v : result.mesh.cells[c]) v = VertexId(numbers[v.index()]);
  });
  result.mesh.point_data = mesh.point_data.gather(result.vertices);
  result.mesh.cell_data = mesh.cell_data.gather(result.cells);
  result.mesh.field_data = mesh.field_data;
  return result;
}

template <int Dim>
std::uint64_t extracted_bytes(const SimplexMesh<Dim>& mesh, std::size_t kept_cells) {
  const auto part = [](std::uint64_t bytes, std::uint64_t of, std::uint64_t kept) {
    return of == 0 ? 0 : (bytes / of + (bytes % of != 0 ? 1 : 0)) * kept;
  };
  const std::uint64_t points = mesh.vertex_count();
  const std::uint64_t kept_points = std::min<std::uint64_t>(points, (Dim + 1) * std::uint64_t{kept_cells});
  const std::uint64_t of_cells = mesh.cells.size() * sizeof(mesh.cells[0]) + mesh.cell_data.bytes();
  return 4 * points + 4 * (kept_points + kept_cells) +
         part(mesh.points.bytes() + mesh.point_data.bytes(), points, kept_points) +
         part(of_cells, mesh.cell_count(), kept_cells) + mesh.field_data.bytes();
}

#define TS_INSTANTIATE(Dim)                                                                                \
  template Array<std::uint8_t> select_values<Dim>(const SimplexMesh<Dim>&, const CellCriterion&,           \
                                                  std::span<const ValueRange>, const SelectOptions&);      \
  template Array<std::uint8_t> select_box<Dim>(const SimplexMesh<Dim>&, const Box&, const SelectOptions&); \
  template Components connected_components<Dim>(const SimplexMesh<Dim>&, const ComponentOptions&);         \
  template Extracted<Dim> extract_cells<Dim>(const SimplexMesh<Dim>&, std::span<const std::uint8_t>,       \
                                             const ExtractOptions&);                                       \
  template std::uint64_t extracted_bytes<Dim>(const SimplexMesh<Dim>&, std::size_t)
TS_INSTANTIATE(2);
TS_INSTANTIATE(3);
#undef TS_INSTANTIATE

}  // namespace tessera
