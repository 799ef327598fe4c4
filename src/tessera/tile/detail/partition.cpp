#include <tessera/tile/partition.h>

#include <algorithm>
#include <string>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/core/macros.h>
#include <tessera/exec/detail/host_only.h>
#include <tessera/exec/for_each.h>
#include <tessera/exec/primitives.h>
#include <tessera/mesh/detail/octree.h>
#include <tessera/tile/detail/octree_tiles.h>

namespace tessera {

using namespace detail;

namespace detail {

Array<std::uint32_t> join_leaves(std::span<const std::uint32_t> leaves, std::uint32_t max_vertices) {
  Array<std::uint32_t> joined(1, 0);
  for (std::size_t leaf = 1; leaf < leaves.size(); ++leaf) {
    const bool is_last = leaf + 1 == leaves.size();
    if (is_last || leaves[leaf + 1] - joined.back() > max_vertices) joined.push_back(leaves[leaf]);
  }
  return joined;
}

Box cube_around(const Box& box) {
  const double side = std::max({box.high.x - box.low.x, box.high.y - box.low.y, box.high.z - box.low.z});
  return {box.low, box.low + Vec3d{side, side, side}};
}

Box octree_cube(const Points& points, const Exec& exec) {
  return cube_around(bounding_box(points, exec));
}

}  // namespace detail

Partition partition_octree(const Points& points, std::uint32_t max_vertices, const Exec& exec) {
  (void)host_only(exec, "partition_octree()");
  // Morton order also inside tiles: the numbering must not depend on their size.
  OctreeLeaves leaves = make_octree_leaves(
      points,
      {.box = octree_cube(points, exec), .max_points = max_vertices, .input_order = false, .exec = exec});
  return {std::move(leaves.order), join_leaves(leaves.offsets, max_vertices)};
}

Partition partition_in_order(std::size_t vertices, std::uint32_t max_vertices) {
  TS_EXPECTS(max_vertices > 0);
  Partition partition;
  partition.offsets.push_back(0);
  for (std::size_t end = 0; end < vertices;) {
    end = std::min<std::size_t>(vertices, end + max_vertices);
    partition.offsets.push_back(static_cast<std::uint32_t>(end));
  }
  return partition;
}

Partition partition_given(std::span<const std::uint32_t> tile_of, std::size_t vertices, const Exec& exec) {
  if (tile_of.size() != vertices) {
    throw Error(ErrorCode::bad_mesh, "the given partition has " + std::to_string(tile_of.size()) +
                                         " entries, but the mesh has " + std::to_string(vertices) +
                                         " vertices");
  }
  const Exec host = host_only(exec, "partition_given()");
  Partition partition;
  Array<std::uint32_t> keys(tile_of.begin(), tile_of.end());
  partition.order.resize(vertices);
  host_for_each(host, vertices, [&](std::size_t v) { partition.order[v] = static_cast<std::uint32_t>(v); });
  const std::uint32_t largest = vertices == 0 ? 0 : *std::ranges::max_element(keys);
  sort_pairs<std::uint32_t, std::uint32_t>(host, keys, partition.order, bits_in_use(largest));
  partition.offsets.push_back(0);
  for (std::size_t i = 1; i <= vertices; ++i) {
    if (i == vertices || keys[i] != keys[i - 1]) partition.offsets.push_back(static_cast<std::uint32_t>(i));
  }
  return partition;
}

void check_partition(const Partition& partition, std::size_t n) {
  const auto refuse = [](const std::string& why) {
    throw Error(ErrorCode::bad_mesh, "the given partition " + why);
  };
  if (partition.order.size() != n && !partition.order.empty())
    refuse("has " + std::to_string(partition.order.size()) + " vertices, not " + std::to_string(n));
  if (n == 0) return;
  if (partition.offsets.empty() || partition.offsets.front() != 0 || partition.offsets.back() != n) {
    refuse("does not cut all vertices into tiles");
  }
  for (std::size_t t = 0; t < partition.size(); ++t) {
    if (partition.offsets[t] >= partition.offsets[t + 1])
      refuse("has no vertices in tile " + std::to_string(t));
  }
  std::vector<bool> seen(n, false);
  for (const std::uint32_t v : partition.order) {
    if (v >= n || seen[v])
      refuse("names vertex " + std::to_string(v) + (v >= n ? ", which is not there" : " twice"));
    seen[v] = true;
  }
}

}  // namespace tessera
