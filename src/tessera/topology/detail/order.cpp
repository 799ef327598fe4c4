#include <tessera/topology/order.h>

#include <string>
#include <type_traits>

#include <tessera/core/error.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/for_each.h>
#include <tessera/exec/primitives.h>
#include <tessera/topology/detail/check_field.h>
#include <tessera/topology/detail/sortable.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;
using std::uint64_t;

/// The places of vertices in the sequence sorted by wide keys; sorting is stable, so equal values stay in the
/// order of input ids.
template <int Dim>
void rank_wide(const TiledMesh<Dim>& tiles, Array<uint64_t> keys, const Exec& exec, OrderArray& order) {
  Array<uint32_t> ids(keys.size());
  host_for_each(exec, ids.size(), [&](size_t v) { ids[v] = static_cast<uint32_t>(v); });
  sort_pairs<uint64_t, uint32_t>(exec, keys, ids);
  host_for_each(exec, ids.size(), [&](size_t place) { order[tiles.tiled(VertexId(ids[place]))] = place; });
}

}  // namespace

template <int Dim>
OrderArray compute_order(const TiledMesh<Dim>& tiles, const Field& field, const Exec& any_exec) {
  const Exec exec = Exec::host(any_exec.threads());
  check_field(field, tiles.vertex_count());
  OrderArray order(tiles.vertex_count());
  field.visit([&]<class T>(std::span<const T> values) {
    refuse_nan(values, field.name(), exec);
    if constexpr (sizeof(T) == 8) {
      Array<uint64_t> keys(values.size());
      host_for_each(exec, values.size(), [&](size_t v) { keys[v] = sortable(values[v]); });
      rank_wide(tiles, std::move(keys), exec, order);
    } else {
      host_for_each(exec, values.size(), [&](size_t v) {
        const uint32_t input = tiles.input(tiled::VertexId(static_cast<uint32_t>(v))).index();
        order[tiled::VertexId(static_cast<uint32_t>(v))] = uint64_t{sortable(values[input])} << 32 | input;
      });
    }
  });
  return order;
}

template OrderArray compute_order(const TiledMesh<2>&, const Field&, const Exec&);
template OrderArray compute_order(const TiledMesh<3>&, const Field&, const Exec&);

}  // namespace tessera
