#include <tessera/tile/links.h>

#include <tessera/core/detail/monitor.h>
#include <tessera/exec/detail/host/walk.h>
#include <tessera/exec/detail/host_only.h>
#include <tessera/tile/detail/link_maker.h>

namespace tessera {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;

template <int Dim>
struct Worker {
  Worker(const TiledMesh<Dim>& tiles, const Enumeration<Dim>& enumeration)
      : lookup(tiles, &enumeration), maker(lookup) {}
  Lookup<Dim> lookup;
  LinkMaker<Dim> maker;
  TileRows rows;
};

/// Tiles' rows one after the other; they are let go of as they are copied.
template <class L>
TiledCsr<L> join(std::vector<TileRows>& parts, const Exec& exec) {
  std::vector<std::uint64_t> first_row(parts.size() + 1, 0);
  std::vector<std::uint64_t> first_value(parts.size() + 1, 0);
  for (size_t t = 0; t < parts.size(); ++t) {
    first_row[t + 1] = first_row[t] + parts[t].size();
    first_value[t + 1] = first_value[t] + parts[t].values.size();
  }
  TiledCsr<L> csr;
  csr.offsets.resize(first_row.back() + 1);
  csr.values.resize(checked_offset(first_value.back()));
  csr.offsets[0] = 0;
  host::for_each_chunk(exec.threads(), parts.size(), 1, [&](host::Range part, int) {
    const size_t t = part.begin;
    const uint32_t shift = static_cast<uint32_t>(first_value[t]);
    for (size_t r = 1; r < parts[t].offsets.size(); ++r)
      csr.offsets[first_row[t] + r] = parts[t].offsets[r] + shift;
    for (size_t i = 0; i < parts[t].values.size(); ++i)
      csr.values[shift + i] = typename L::TiledEntry(parts[t].values[i]);
    parts[t] = {};
  });
  return csr;
}

}  // namespace

template <class L, int Dim>
TiledCsr<L> materialize_links(const TiledMesh<Dim>& tiles, const Enumeration<Dim>& enumeration,
                              const MaterializeOptions& options) {
  const Exec& exec = host_only(options.exec, "materialize_links()");
  const Monitor& monitor = monitor_of(options.monitor);
  std::vector<TileRows> parts(tiles.tile_count());
  const auto make = [&](int) { return Worker<Dim>(tiles, enumeration); };
  host::walk(parts.size(), {exec, monitor}, make, [&](Worker<Dim>& worker, size_t t) {
    worker.maker.template fill<L>(TileId(static_cast<uint32_t>(t)), worker.rows);
    parts[t] = worker.rows;  // exactly as large as it is
  });
  monitor.update("working out links", 0.5);
  return join<L>(parts, exec);
}

#define TS_INSTANTIATE(L, Dim)                                                                   \
  template TiledCsr<L> materialize_links<L, Dim>(const TiledMesh<Dim>&, const Enumeration<Dim>&, \
                                                 const MaterializeOptions&)
TS_INSTANTIATE(VertexLink<2>, 2);
TS_INSTANTIATE(EdgeLink<2>, 2);
TS_INSTANTIATE(VertexLink<3>, 3);
TS_INSTANTIATE(EdgeLink<3>, 3);
TS_INSTANTIATE(FaceLink<3>, 3);
#undef TS_INSTANTIATE

}  // namespace tessera
