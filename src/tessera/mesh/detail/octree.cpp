#include <tessera/mesh/detail/octree.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/exec/buffer.h>
#include <tessera/exec/detail/host/reduce.h>
#include <tessera/exec/for_each.h>
#include <tessera/exec/min_max.h>
#include <tessera/exec/primitives.h>

namespace tessera::detail {

Array<std::uint32_t> find_octree_leaves(std::uint32_t points, std::uint32_t max_points,
                                        const SplitNodes& split) {
  TS_EXPECTS(max_points > 0);
  const auto is_large = [&](const OctreeNode& node) { return node.end - node.begin > max_points; };
  std::vector<OctreeNode> nodes;  // of the levels so far that are not split, in order
  if (points > 0) nodes.push_back({0, points});
  for (int level = 0; level < octree_levels; ++level) {
    std::vector<OctreeNode> large;
    std::ranges::copy_if(nodes, std::back_inserter(large), is_large);
    if (large.empty()) break;
    const Array<std::uint32_t> begins = split(large, level);
    std::vector<OctreeNode> finer;
    std::size_t next = 0;
    for (const OctreeNode& node : nodes) {
      if (!is_large(node)) {
        finer.push_back(node);
        continue;
      }
      for (int child = 0; child < 8; ++child, ++next) {
        const std::uint32_t end = child < 7 ? begins[next + 1] : node.end;
        if (begins[next] < end) finer.push_back({begins[next], end});
      }
    }
    nodes = std::move(finer);
  }
  Array<std::uint32_t> offsets(1, 0);
  for (const OctreeNode& node : nodes) {
    for (std::uint32_t at = node.begin; at < node.end;) {  // large ones are of points that coincide
      at += std::min(max_points, node.end - at);
      offsets.push_back(at);
    }
  }
  return offsets;
}

namespace {

/// With codes on the host.
SplitNodes splitter_of(std::span<const std::uint64_t> codes, const Exec& exec) {
  return [codes, exec](std::span<const OctreeNode> nodes, int level) {
    Array<std::uint32_t> begins(8 * nodes.size());
    host_for_each(exec, nodes.size(), [&](std::size_t i) {
      const auto [begin, end] = nodes[i];
      const auto last = codes.begin() + end;
      auto first = codes.begin() + begin;
      for (std::uint32_t c = 0; c < 8; ++c) {
        first = std::lower_bound(first, last, OctreeNode::lowest_code(codes[begin], level, c));
        begins[8 * i + c] = static_cast<std::uint32_t>(first - codes.begin());
      }
    });
    return begins;
  };
}

using Ranges = std::array<MinMax<double>, 3>;

Ranges merge(const Ranges& a, const Ranges& b) {
  return {merge_min_max(a[0], b[0]), merge_min_max(a[1], b[1]), merge_min_max(a[2], b[2])};
}

}  // namespace

Box bounding_box(const Points& points, const Exec& exec) {
  const MinMax<double> nothing = no_values<double>();
  const auto range_of = [](double value) -> MinMax<double> {  // without branches: points come in no order
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const bool is_finite = std::abs(value) < infinity;
    return {is_finite ? value : infinity, is_finite ? value : -infinity};
  };
  const auto [x, y, z] = points.visit([&](auto values) {
    return host::reduce(
        exec.threads(), values.size(), Ranges{nothing, nothing, nothing},
        [&](std::size_t i) -> Ranges {
          const Vec3d p = vec_cast<double>(values[i]);
          return {range_of(p.x), range_of(p.y), range_of(p.z)};
        },
        merge);
  });
  if (x.min > x.max || y.min > y.max || z.min > z.max) return Box{};
  return Box{{x.min, y.min, z.min}, {x.max, y.max, z.max}};
}

OctreeLeaves make_octree_leaves(const Points& points, const OctreeOptions& options) {
  TS_EXPECTS(options.max_points > 0);
  const std::size_t n = points.size();
  const Exec host = Exec::host(options.exec.threads());
  const Box& box = options.box;
  Buffer<std::uint64_t> codes(host, n);
  OctreeLeaves leaves;
  leaves.order.resize(n);
  points.visit([&](auto values) {
    host_for_each(host, n, [&](std::size_t i) {
      const Vec3d p = vec_cast<double>(values[i]);
      codes.data()[i] = morton_code(p, box);
      leaves.order[i] = static_cast<std::uint32_t>(i);
    });
  });
  sort_pairs<std::uint64_t, std::uint32_t>(host, codes.span(), leaves.order, 3 * octree_levels);
  leaves.offsets = find_octree_leaves(static_cast<std::uint32_t>(n), options.max_points,
                                      splitter_of(std::as_const(codes).span(), host));
  if (!options.input_order) return leaves;
  host::for_each_chunk(host.threads(), leaves.size(), 16, [&](host::Range range, int) {
    for (std::size_t l = range.begin; l < range.end; ++l) {
      std::sort(leaves.order.begin() + leaves.offsets[l], leaves.order.begin() + leaves.offsets[l + 1]);
    }
  });
  return leaves;
}

}  // namespace tessera::detail
