// Welding on a device: one table of points by the hash of their coordinates. Which of several equal points
// enters first differs from run to run, so each slot keeps the lowest of them.
#include <tessera/generate/detail/weld/cuda/weld.h>

#include <bit>
#include <string>
#include <type_traits>

#include <tessera/core/error.h>
#include <tessera/core/vec.h>
#include <tessera/generate/detail/common/blend.cuh>
#include <tessera/generate/detail/common/cuda/corners.cuh>
#include <tessera/generate/detail/keys/cuda/atomics.cuh>
#include <tessera/generate/key_reduce.cuh>

namespace tessera::detail::cuda {
namespace {

constexpr std::uint32_t empty = 0xFFFFFFFFu;

/// Coordinates as bits, with -0 made 0.
template <class T>
struct Place {
  using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  Word x, y, z;

  TS_HD explicit Place(const Vec3<T>& p)
      : x(std::bit_cast<Word>(p.x + T(0))),
        y(std::bit_cast<Word>(p.y + T(0))),
        z(std::bit_cast<Word>(p.z + T(0))) {}
  friend bool operator==(const Place&, const Place&) = default;

  /// The high bits are the best ones.
  [[nodiscard]] TS_HD std::uint64_t hash() const {
    std::uint64_t h = x * 0x9E3779B97F4A7C15ull;
    h = (h ^ (h >> 32) ^ y) * 0xD6E8FEB86659FD93ull;
    h = (h ^ (h >> 32) ^ z) * 0xC2B2AE3D27D4EB4Full;
    return (h ^ (h >> 29)) * 0x9E3779B97F4A7C15ull;
  }
};

template <class T>
struct EnterPoint {
  const Vec3<T>* points;
  std::uint32_t* table;
  int bits;  ///< of a slot's number
  std::uint32_t* slots;

  TS_HD void operator()(std::size_t i) const {
    const auto mine = static_cast<std::uint32_t>(i);
    const Place<T> place(points[i]);
    const std::uint64_t last = (std::uint64_t{1} << bits) - 1;
    std::uint64_t slot = place.hash() >> (64 - bits);
    for (;; slot = (slot + 1) & last) {
      std::uint32_t seen = look_at(table + slot);
      if (seen == empty) seen = exchange_if(table + slot, empty, mine);
      if (seen == empty) break;
      if (!(Place<T>(points[seen]) == place)) continue;
      if (mine < seen) lower_to(table + slot, mine);
      break;
    }
    slots[i] = static_cast<std::uint32_t>(slot);
  }
};

/// 1 for each point that is the first of its group, 0 behind the last one.
struct MarkFirst {
  const std::uint32_t* table;
  const std::uint32_t* slots;
  std::size_t points;
  std::uint32_t* is_first;
  TS_HD void operator()(std::size_t i) const { is_first[i] = i < points && table[slots[i]] == i; }
};

/// Each point's group, and each group's first point.
struct Number {
  const std::uint32_t* table;
  const std::uint32_t* slots;
  const std::uint32_t* group;  ///< of each point that is the first of one
  VertexId* connections;
  std::uint32_t* first;
  TS_HD void operator()(std::size_t i) const {
    const std::uint32_t lowest = table[slots[i]];
    connections[i] = VertexId(group[lowest]);
    if (lowest == i) first[group[i]] = lowest;
  }
};

/// PointGroups in the memory of a device.
struct GroupBuffers {
  Buffer<VertexId> connections;
  Buffer<std::uint32_t> first;
};

template <class T>
GroupBuffers group_equal(const Exec& exec, std::span<const Vec3<T>> points) {
  const std::size_t size = points.size();
  if (size > (std::size_t{1} << 31)) {
    throw Error(ErrorCode::unsupported,
                "the device welds at most 2147483648 points, but there are " + std::to_string(size));
  }
  const int bits = bits_in_use(size + size / 2) + (size == 0 ? 1 : 0);  // a third to two thirds full
  Buffer<std::uint32_t> table = filled(exec, std::size_t{1} << bits, empty);
  Buffer<std::uint32_t> slots(exec, size);
  tessera::for_each(exec, size, EnterPoint<T>{points.data(), table.data(), bits, slots.data()});
  Buffer<std::uint32_t> group(exec, size + 1);
  tessera::for_each(exec, size + 1, MarkFirst{table.data(), slots.data(), size, group.data()});
  exclusive_scan<std::uint32_t, std::uint32_t>(exec, group.span(), group.span());
  GroupBuffers groups{Buffer<VertexId>(exec, size), Buffer<std::uint32_t>(exec, last_of(exec, group))};
  tessera::for_each(
      exec, size,
      Number{table.data(), slots.data(), group.data(), groups.connections.data(), groups.first.data()});
  return groups;
}

}  // namespace

template <int Dim>
Welded<Dim> weld(const SimplexMesh<Dim>& soup, MergedData data, const Exec& exec) {
  Welded<Dim> welded;
  SimplexMesh<Dim>& mesh = welded.mesh;
  GroupBuffers groups;
  soup.points.visit([&](auto values) {
    using Vector = std::remove_const_t<typename decltype(values)::element_type>;
    const Buffer<Vector> points(exec, values);
    groups = group_equal(exec, points.span());
    mesh.points = Points(gathered(exec, points.data(), std::as_const(groups.first).span()).to_host());
  });
  const Reconnected<Dim + 1> cells(exec, soup.cells, groups.connections);
  welded.dropped = places_of(exec, cells.is_dropped, 1).to_host();
  if (welded.dropped.empty()) {
    mesh.cells = cells.cells.to_host();
    mesh.cell_data = soup.cell_data;
  } else {
    const Buffer<std::uint32_t> kept = places_of(exec, cells.is_dropped, 0);
    mesh.cells = gathered(exec, cells.cells.data(), kept.span()).to_host();
    mesh.cell_data = soup.cell_data.gather(kept.to_host());
  }
  mesh.field_data = soup.field_data;
  if (data == MergedData::first) {
    mesh.point_data = soup.point_data.gather(groups.first.to_host());
  } else if (!soup.point_data.empty()) {
    const std::size_t size = groups.first.size();
    const RowBuffers<std::uint32_t> members =
        group_items(exec, std::as_const(groups.connections).span(), size);
    mesh.point_data = cuda::blend(exec, soup.point_data, size, AverageRule{members.view()});
  }
  welded.vertices = groups.connections.to_host();
  return welded;
}

template Welded<2> weld(const TriMesh&, MergedData, const Exec&);
template Welded<3> weld(const TetMesh&, MergedData, const Exec&);

}  // namespace tessera::detail::cuda
