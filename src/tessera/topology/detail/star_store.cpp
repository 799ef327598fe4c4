#include <tessera/topology/star_store.h>

#include <tuple>
#include <utility>

#include <tessera/connect/detail/connect_tiled.h>

namespace tessera {

template <int Dim>
StarStore<Dim>::StarStore(const TiledMesh<Dim>& tiles, const ConnectOptions& options)
    : StarStore(sizes_of(tiles), detail::connect_tiled(tiles, options)) {}

template <int Dim>
StarStore<Dim>::StarStore(const Sizes& sizes, Connectivity<Dim> connectivity)
    : sizes_(sizes),
      rows_(std::get<0>(connectivity.template request<Relation>())),
      no_device_producers_(connectivity.no_device_producers()),
      has_device_windows_(connectivity.has_device_windows()) {}

template class StarStore<2>;
template class StarStore<3>;

}  // namespace tessera
