#include <tessera/mesh/octree.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/exec/buffer.h>
#include <tessera/exec/for_each.h>
#include <tessera/exec/host/reduce.h>
#include <tessera/exec/min_max.h>
#include <tessera/exec/primitives.h>

namespace tessera {
namespace {

struct Node {
  std::uint32_t begin, end;
  int level;
};

}  // namespace

Array<std::uint32_t> find_octree_leaves(std::span<const std::uint64_t> codes, std::uint32_t max_points) {
  Array<std::uint32_t> offsets;
  offsets.push_back(0);
  std::vector<Node> stack = {{0, static_cast<std::uint32_t>(codes.size()), 0}};
  while (!stack.empty()) {
    const Node node = stack.back();
    stack.pop_back();
    if (node.begin == node.end) continue;
    if (node.end - node.begin <= max_points) {
      offsets.push_back(node.end);
      continue;
    }
    if (node.level == octree_levels) {
      for (std::uint32_t at = node.begin; at < node.end; at += std::min(max_points, node.end - at)) {
        offsets.push_back(at + std::min(max_points, node.end - at));
      }
      continue;
    }
    const int shift = 3 * (octree_levels - node.level - 1);
    std::uint32_t end = node.end;
    for (std::uint64_t child = 8; child-- > 0;) {  // last child first: the stack turns them around
      const std::uint64_t low = ((codes[node.begin] >> (shift + 3) << 3) | child) << shift;
      const auto first = std::lower_bound(codes.begin() + node.begin, codes.begin() + end, low);
      const std::uint32_t begin = static_cast<std::uint32_t>(first - codes.begin());
      stack.push_back({begin, end, node.level + 1});
      end = begin;
    }
  }
  return offsets;
}

namespace {

template <class T>
MinMax<double> axis_range(std::span<const Vec3<T>> points, T Vec3<T>::*axis, const Exec& exec) {
  return host::reduce(
      exec.threads(), points.size(), no_values<double>(),
      [&](std::size_t i) {
        const double value = points[i].*axis;
        return std::isfinite(value) ? min_max_of(value) : no_values<double>();
      },
      merge_min_max<double>);
}

}  // namespace

Box bounding_box(const Points& points, const Exec& exec) {
  return points.visit([&]<class T>(std::span<const Vec3<T>> values) {
    const auto x = axis_range(values, &Vec3<T>::x, exec);
    const auto y = axis_range(values, &Vec3<T>::y, exec);
    const auto z = axis_range(values, &Vec3<T>::z, exec);
    if (x.min > x.max || y.min > y.max || z.min > z.max) return Box{};
    return Box{{x.min, y.min, z.min}, {x.max, y.max, z.max}};
  });
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
  leaves.offsets = find_octree_leaves(codes.span(), options.max_points);
  if (!options.input_order) return leaves;
  host::for_each_chunk(host.threads(), leaves.size(), 16, [&](host::Range range, int) {
    for (std::size_t l = range.begin; l < range.end; ++l) {
      std::sort(leaves.order.begin() + leaves.offsets[l], leaves.order.begin() + leaves.offsets[l + 1]);
    }
  });
  return leaves;
}

}  // namespace tessera
