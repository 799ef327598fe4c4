#include <tessera/tile/links.h>

#include <memory>

#include <tessera/exec/detail/host/parallel.h>
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
};

/// Tiles' rows one after the other; they are let go of as they are copied.
template <class L>
Csr<typename L::Row, typename L::Entry> join(std::vector<TileRows>& parts, int threads) {
  std::vector<std::uint64_t> first_row(parts.size() + 1, 0);
  std::vector<std::uint64_t> first_value(parts.size() + 1, 0);
  for (size_t t = 0; t < parts.size(); ++t) {
    first_row[t + 1] = first_row[t] + parts[t].size();
    first_value[t + 1] = first_value[t] + parts[t].values.size();
  }
  Csr<typename L::Row, typename L::Entry> csr;
  csr.offsets.resize(first_row.back() + 1);
  csr.values.resize(checked_offset(first_value.back()));
  csr.offsets[0] = 0;
  host::for_each_chunk(threads, parts.size(), tiles_at_once, [&](host::Range range, int) {
    for (size_t t = range.begin; t < range.end; ++t) {
      const uint32_t shift = static_cast<uint32_t>(first_value[t]);
      for (size_t r = 1; r < parts[t].offsets.size(); ++r)
        csr.offsets[first_row[t] + r] = parts[t].offsets[r] + shift;
      for (size_t i = 0; i < parts[t].values.size(); ++i)
        csr.values[shift + i] = typename L::Entry(parts[t].values[i]);
      parts[t] = {};
    }
  });
  return csr;
}

}  // namespace

template <class L, int Dim>
Csr<typename L::Row, typename L::Entry> materialize_links(const TiledMesh<Dim>& tiles,
                                                          const Enumeration<Dim>& enumeration,
                                                          const MaterializeOptions& options) {
  const int threads = host_only(options.exec, "materialize_links()").threads();
  std::vector<std::unique_ptr<Worker<Dim>>> workers;
  for (int i = 0; i < threads; ++i) workers.push_back(std::make_unique<Worker<Dim>>(tiles, enumeration));
  std::vector<TileRows> parts(tiles.tile_count());
  host::for_each_chunk(threads, parts.size(), tiles_at_once, [&](host::Range range, int worker) {
    if (options.monitor != nullptr && options.monitor->is_stopped()) return;
    TileRows rows;
    for (size_t t = range.begin; t < range.end; ++t) {
      workers[static_cast<size_t>(worker)]->maker.template fill<L>(TileId(static_cast<uint32_t>(t)), rows);
      parts[t] = rows;  // exactly as large as it is
    }
  });
  if (options.monitor != nullptr) options.monitor->update("working out links", 0.5);
  return join<L>(parts, threads);
}

#define TS_INSTANTIATE(L, Dim)                                                                             \
  template Csr<L::Row, L::Entry> materialize_links<L, Dim>(const TiledMesh<Dim>&, const Enumeration<Dim>&, \
                                                           const MaterializeOptions&)
TS_INSTANTIATE(VertexLink<2>, 2);
TS_INSTANTIATE(EdgeLink<2>, 2);
TS_INSTANTIATE(VertexLink<3>, 3);
TS_INSTANTIATE(EdgeLink<3>, 3);
TS_INSTANTIATE(FaceLink<3>, 3);
#undef TS_INSTANTIATE

}  // namespace tessera
