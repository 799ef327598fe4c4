#include <tessera/connect/cuda/row_factory.h>

#include <algorithm>
#include <bit>
#include <map>
#include <mutex>
#include <utility>

#include <tessera/exec/cuda/check.cuh>

namespace tessera::cuda {

using std::size_t;
using std::uint32_t;

namespace {

/// Pinned memory by size, a power of two. Blocks that come back are used again, also by the next connection
/// of the process, because to pin memory takes longer than to fill it.
struct Blocks {
  std::mutex mutex;
  std::multimap<size_t, void*> idle;

  static Blocks& all() {
    static Blocks* const blocks = new Blocks;  // never destroyed: the driver is gone before it could be
    return *blocks;
  }

  /// A block that comes back when nobody holds it.
  static std::shared_ptr<void> take(size_t bytes) {
    Blocks& blocks = all();
    const size_t size = std::bit_ceil(std::max(bytes, size_t{1} << 18));
    void* memory = nullptr;
    {
      const std::scoped_lock lock(blocks.mutex);
      const auto found = blocks.idle.find(size);
      if (found != blocks.idle.end()) {
        memory = found->second;
        blocks.idle.erase(found);
      }
    }
    if (memory == nullptr) check(cudaMallocHost(&memory, size), "taking pinned memory");
    return {memory, [size](void* block) {
              Blocks& home = all();
              const std::scoped_lock lock(home.mutex);
              home.idle.emplace(size, block);
            }};
  }
};

}  // namespace

template <int Dim>
RowFactory<Dim>::RowFactory(const TiledMesh<Dim>& tiles, const Exec& exec, int threads)
    : tiles_(tiles),
      exec_(exec),
      threads_(threads),
      device_(device_tiles(tiles, exec)),
      relations_(std::make_unique<DeviceRelations<Dim>>(*device_)) {
  synchronize(exec);  // other threads work on other streams
}

template <int Dim>
template <class R>
void RowFactory<Dim>::prepare() {
  relations_->template prepare<R>();
  synchronize(exec_);
}

template <int Dim>
template <class R>
std::vector<StoredRows> RowFactory<Dim>::make(std::span<const uint32_t> tiles) {
  const CurrentDevice current(exec_.device());
  // A tile of the mesh is one or several of the device.
  const Array<uint32_t>& cut = device_->cut();
  std::vector<uint32_t> parts;
  std::vector<size_t> first_part;
  for (const uint32_t t : tiles) {
    const auto owned = tiles_.vertices(TileId(t));
    first_part.push_back(parts.size());
    const auto begin = std::lower_bound(cut.begin(), cut.end(), owned.begin);
    const auto end = std::lower_bound(begin, cut.end(), owned.end);
    for (auto at = begin; at != end; ++at) parts.push_back(static_cast<uint32_t>(at - cut.begin()));
  }
  first_part.push_back(parts.size());
  const DeviceTileRows made = relations_->template some<R>(parts, threads_);
  const size_t offsets = made.rows.offsets.size();
  const size_t values = made.rows.values.size();
  const std::shared_ptr<void> block = Blocks::take(4 * (offsets + values));
  uint32_t* const words = static_cast<uint32_t*>(block.get());
  check(cudaMemcpyAsync(words, made.rows.offsets.data(), 4 * offsets, cudaMemcpyDeviceToHost, cudaStream_t{}),
        "fetching rows");
  if (values > 0) {
    check(cudaMemcpyAsync(words + offsets, made.rows.values.data(), 4 * values, cudaMemcpyDeviceToHost,
                          cudaStream_t{}),
          "fetching rows");
  }
  check(cudaStreamSynchronize(cudaStream_t{}), "fetching rows");
  std::vector<StoredRows> rows;
  for (size_t i = 0; i < tiles.size(); ++i) {
    const uint32_t begin = made.tile_rows[first_part[i]];
    const uint32_t end = made.tile_rows[first_part[i + 1]];
    rows.emplace_back(block, words + begin, words + offsets, end - begin);
  }
  return rows;
}

template class RowFactory<2>;
template class RowFactory<3>;

#define TS_INSTANTIATE_ROWS(R, Dim)            \
  template void RowFactory<Dim>::prepare<R>(); \
  template std::vector<StoredRows> RowFactory<Dim>::make<R>(std::span<const uint32_t>)
TS_INSTANTIATE_ROWS(VV, 2);
TS_INSTANTIATE_ROWS(VE, 2);
TS_INSTANTIATE_ROWS(VF, 2);
TS_INSTANTIATE_ROWS(EF, 2);
TS_INSTANTIATE_ROWS(EE, 2);
TS_INSTANTIATE_ROWS(FF, 2);
TS_INSTANTIATE_ROWS(VV, 3);
TS_INSTANTIATE_ROWS(VE, 3);
TS_INSTANTIATE_ROWS(VF, 3);
TS_INSTANTIATE_ROWS(VT, 3);
TS_INSTANTIATE_ROWS(EF, 3);
TS_INSTANTIATE_ROWS(ET, 3);
TS_INSTANTIATE_ROWS(FT, 3);
TS_INSTANTIATE_ROWS(EE, 3);
TS_INSTANTIATE_ROWS(FF, 3);
TS_INSTANTIATE_ROWS(TT, 3);
#undef TS_INSTANTIATE_ROWS

}  // namespace tessera::cuda
