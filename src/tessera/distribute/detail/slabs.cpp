#include <tessera/distribute/slabs.h>

#include <algorithm>

#include <tessera/core/macros.h>
#include <tessera/mesh/detail/grid_neighbours.h>

namespace tessera {

GridLayers layers_of(const Grid& grid) {
  const detail::GridLattice lattice(grid);
  if (lattice.dimension == 0) return {};
  const std::uint32_t count = lattice.dims[static_cast<std::size_t>(lattice.dimension) - 1];
  return {count, grid.vertex_count() / count};
}

std::vector<Slab> cut_into_slabs(std::uint32_t layers, std::uint32_t height, Ghosts ghosts) {
  TS_EXPECTS(height > 0);
  std::vector<Slab> slabs;
  for (std::uint32_t begin = 0; begin < layers;) {
    const std::uint32_t end = height < layers - begin ? begin + height : layers;
    slabs.push_back(
        {begin, end, begin - std::min(begin, ghosts.before), end + std::min(layers - end, ghosts.after)});
    begin = end;
  }
  return slabs;
}

Bytes page_bytes(Bytes bytes, std::size_t arrays) {
  return std::min(mib(1) * arrays, bytes / 2);
}

Bytes SlabCost::bytes(std::uint32_t layers, std::uint32_t height) const {
  const std::uint32_t owned = std::min(height, layers);
  const std::uint32_t seen = owned + std::min(layers - owned, ghosts.before + ghosts.after);
  const Bytes of_slab = of_owned * owned + of_seen * seen;
  return fixed + of_slab + page_bytes(of_slab, arrays) + of_border * ((layers - 1) / owned);
}

std::uint32_t choose_height(std::uint32_t layers, const SlabCost& cost, Bytes budget) {
  const Bytes of_layer = std::max<Bytes>(1, cost.of_owned + cost.of_seen);
  const auto most =
      static_cast<std::uint32_t>(std::min<Bytes>(std::max<Bytes>(mib(64) / of_layer, 32), layers));
  const auto useful =
      static_cast<std::uint32_t>(std::min<Bytes>(most, std::max<Bytes>(8, mib(1) / of_layer)));
  const Bytes half = cost.fixed < budget ? cost.fixed + (budget - cost.fixed) / 2 : 0;
  const auto find = [&](std::uint32_t from, std::uint32_t to, Bytes allowed) {
    while (from >= to && cost.bytes(layers, from) > allowed) --from;
    return from >= to ? from : 0;
  };
  if (const std::uint32_t height = find(most, useful, half); height > 0) return height;
  if (const std::uint32_t height = find(useful, 1, budget); height > 0) return height;
  if (const std::uint32_t height = find(most, useful, budget); height > 0) return height;
  std::uint32_t thriftiest = most;
  for (std::uint32_t height = most; height > 0; --height) {
    if (cost.bytes(layers, height) < cost.bytes(layers, thriftiest)) thriftiest = height;
  }
  return thriftiest;
}

}  // namespace tessera
