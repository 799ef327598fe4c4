#include <tessera/mesh/mesh.h>

namespace tessera {

Points Points::gather(std::span<const std::uint32_t> order) const {
  return visit([&](auto from) {
    Array<std::remove_const_t<typename decltype(from)::element_type>> to(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) to[i] = from[order[i]];
    return Points(std::move(to));
  });
}

std::size_t Grid::cell_count() const {
  if (vertex_count() <= 1) return 0;
  std::size_t count = 1;
  for (const std::uint32_t n : dims) count *= n > 1 ? n - 1 : 1;
  return count;
}

Vec3d Grid::point(std::uint32_t i, std::uint32_t j, std::uint32_t k) const {
  const Vec3d step = {spacing.x * i, spacing.y * j, spacing.z * k};
  const auto row = [&](int r) {
    return direction[3 * r] * step.x + direction[3 * r + 1] * step.y + direction[3 * r + 2] * step.z;
  };
  return origin + Vec3d{row(0), row(1), row(2)};
}

}  // namespace tessera
