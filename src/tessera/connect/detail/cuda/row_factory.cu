#include <tessera/connect/detail/cuda/row_factory.h>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <tessera/connect/detail/cuda/pinned.h>
#include <tessera/connect/detail/cuda/windows.h>
#include <tessera/core/error.h>
#include <tessera/exec/cuda.cuh>

namespace tessera::detail::cuda {

using std::size_t;
using std::uint32_t;

namespace {

/// What a copy of the mesh takes, with the enumeration and the rows that adjacencies are found by.
template <int Dim>
Bytes bytes_of_copy(const TiledMesh<Dim>& tiles) {
  return Bytes{96} * tiles.cell_count() + Bytes{16} * tiles.vertex_count();
}

/// Copies words to pinned memory, without waiting.
void fetch(const Exec& exec, void* to, const uint32_t* from, size_t words) {
  if (words == 0) return;
  check_cuda(exec, cudaMemcpyAsync(to, from, 4 * words, cudaMemcpyDeviceToHost, cuda_stream(exec)),
             "fetching rows");
}

/// Streams for threads that make rows at the same time; as many as there were such threads.
class Streams {
 public:
  explicit Streams(const Exec& exec) : exec_(exec) {}

  [[nodiscard]] Exec take() {
    const std::scoped_lock lock(mutex_);
    if (idle_.empty()) return exec_.with_own_stream();
    const Exec stream = idle_.back();
    idle_.pop_back();
    return stream;
  }
  void give_back(const Exec& stream) {
    const std::scoped_lock lock(mutex_);
    idle_.push_back(stream);
  }

 private:
  Exec exec_;
  std::mutex mutex_;
  std::vector<Exec> idle_;
};

/// A stream for as long as it lives. When it ends, so has all that was queued, even after an error: what
/// kernels still read may go.
class StreamLease {
 public:
  explicit StreamLease(Streams& streams) : streams_(streams), exec_(streams.take()) {}
  StreamLease(const StreamLease&) = delete;
  StreamLease& operator=(const StreamLease&) = delete;
  ~StreamLease() {
    (void)cudaStreamSynchronize(cuda_stream(exec_));
    (void)cudaGetLastError();  // reported by who queued it
    streams_.give_back(exec_);
  }
  [[nodiscard]] const Exec& exec() const { return exec_; }

 private:
  Streams& streams_;
  Exec exec_;
};

TileRows copy_rows(const uint32_t* offsets, const uint32_t* values, size_t size) {
  TileRows rows;
  rows.values.assign(values + offsets[0], values + offsets[size]);
  rows.offsets.resize(size + 1);
  for (size_t r = 0; r <= size; ++r) rows.offsets[r] = offsets[r] - offsets[0];
  return rows;
}

/// The enumeration as a device reads it through the bus.
struct MappedEnumeration {
  MappedEnumeration(const Exec& exec, const EnumerationPart& whole)
      : edge_offsets(exec, whole.edge_offsets),
        edge_hi(exec, whole.edge_hi),
        face_offsets(exec, whole.face_offsets),
        face_hi(exec, whole.face_hi) {}
  [[nodiscard]] EnumerationPointers pointers() const {
    return {edge_offsets.data(), edge_hi.data(), face_offsets.data(), face_hi.data()};
  }

  MappedArray edge_offsets, edge_hi, face_offsets, face_hi;
};

}  // namespace

template <int Dim>
struct RowFactory<Dim>::State {
  State(const TiledMesh<Dim>& mesh, const Exec& on, const RowFactoryOptions& with)
      : tiles(mesh), exec(on), options(with), pinned(on, with.pinned_memory), streams(on) {}

  /// The rows of tiles that lie on the device in one piece.
  template <class R>
  void make(const DeviceRelations<Dim>& relations, std::span<const uint32_t> wanted,
            std::span<const size_t> place, std::vector<StoredRows>& out);
  template <class R>
  void make(const Exec& stream, const DeviceRelations<Dim>& relations, std::span<const uint32_t> wanted,
            std::span<const size_t> place, std::vector<StoredRows>& out);

  const TiledMesh<Dim>& tiles;
  Exec exec;
  RowFactoryOptions options;
  PinnedBlocks pinned;
  Streams streams;
  // The whole mesh,
  std::shared_ptr<const DeviceTiles<Dim>> device;
  std::unique_ptr<DeviceRelations<Dim>> relations;
  // or windows.
  std::optional<Windows<Dim>> windows;
  std::unique_ptr<MappedEnumeration> mapped;
};

template <int Dim>
RowFactory<Dim>::RowFactory(const TiledMesh<Dim>& tiles, const Exec& exec, const RowFactoryOptions& options)
    : state_(std::make_unique<State>(tiles, exec, options)) {
  const Bytes free = device_available_bytes(exec) / 10 * 9;
  const Bytes budget = options.device_memory == 0 ? free : std::min(options.device_memory, free);
  const auto& attached = tiles.on_device();
  const bool is_there = attached != nullptr && attached->exec().device() == exec.device();
  if (is_there || bytes_of_copy(tiles) <= budget) {
    state_->device = device_tiles(tiles, exec);
    state_->relations = std::make_unique<DeviceRelations<Dim>>(tiles, *state_->device, exec);
  } else {
    state_->windows.emplace(tiles, exec, budget);
  }
}

template <int Dim>
RowFactory<Dim>::~RowFactory() = default;

template <int Dim>
bool RowFactory<Dim>::has_windows() const {
  return state_->windows.has_value();
}

template <int Dim>
Enumeration<Dim> RowFactory<Dim>::enumerate() {
  Enumeration<Dim> enumeration = state_->relations->copy_enumeration();
  synchronize(state_->exec);  // other threads read what was made on other streams
  return enumeration;
}

template <int Dim>
template <class R>
bool RowFactory<Dim>::prepare(const Enumeration<Dim>& enumeration) {
  if (!has_windows()) {
    state_->relations->template prepare<R>();
    synchronize(state_->exec);  // as above
    return true;
  }
  if (R::is_adjacency && R::from != Kind::vertex) return false;
  if (!needs_enumeration<R, Dim>) return true;
  if (!enumeration.is_explicit()) return false;
  if (state_->mapped == nullptr) {
    state_->mapped = std::make_unique<MappedEnumeration>(state_->exec, enumeration.whole());
    state_->windows->set_enumeration(state_->mapped->pointers());
  }
  return true;
}

template <int Dim>
template <class R>
std::vector<StoredRows> RowFactory<Dim>::make(std::span<const uint32_t> tiles) {
  const CurrentDevice current(state_->exec);
  std::vector<StoredRows> rows(tiles.size());
  std::vector<size_t> place(tiles.size());
  for (size_t i = 0; i < place.size(); ++i) place[i] = i;
  if (!has_windows()) {
    state_->template make<R>(*state_->relations, tiles, place, rows);
    return rows;
  }
  Windows<Dim>& windows = *state_->windows;
  std::ranges::stable_sort(place, {}, [&](size_t i) { return windows.window_of(tiles[i]); });
  for (size_t begin = 0; begin < place.size();) {
    const size_t window = windows.window_of(tiles[place[begin]]);
    size_t end = begin;
    std::vector<uint32_t> group;
    for (; end < place.size() && windows.window_of(tiles[place[end]]) == window; ++end) {
      group.push_back(tiles[place[end]]);
    }
    const auto held = windows.get(window);
    state_->template make<R>(held->relations, group, std::span(place).subspan(begin, end - begin), rows);
    begin = end;
  }
  return rows;
}

template <int Dim>
template <class R>
void RowFactory<Dim>::State::make(const DeviceRelations<Dim>& from, std::span<const uint32_t> wanted,
                                  std::span<const size_t> place, std::vector<StoredRows>& out) {
  const StreamLease stream(streams);
  make<R>(stream.exec(), from, wanted, place, out);
}

template <int Dim>
template <class R>
void RowFactory<Dim>::State::make(const Exec& stream, const DeviceRelations<Dim>& from,
                                  std::span<const uint32_t> wanted, std::span<const size_t> place,
                                  std::vector<StoredRows>& out) {
  // A tile of the mesh is one or several of the device.
  const Array<uint32_t>& cut = from.tiles().cut();
  std::vector<uint32_t> parts;
  std::vector<size_t> first_part;
  for (const uint32_t t : wanted) {
    const auto owned = tiles.vertices(TileId(t));
    first_part.push_back(parts.size());
    const auto begin = std::lower_bound(cut.begin(), cut.end(), owned.begin);
    const auto end = std::lower_bound(begin, cut.end(), owned.end);
    for (auto at = begin; at != end; ++at) parts.push_back(static_cast<uint32_t>(at - cut.begin()));
  }
  first_part.push_back(parts.size());
  const DeviceTileRows made = from.template some<R>(stream, parts, options.threads);
  const size_t row_count = made.rows.offsets.size() - 1;
  const std::shared_ptr<void> all = pinned.take(4 * (row_count + 1));
  const uint32_t* const offsets = static_cast<const uint32_t*>(all.get());
  fetch(stream, all.get(), made.rows.offsets.data(), row_count + 1);
  check_cuda(stream, cudaStreamSynchronize(cuda_stream(stream)), "fetching rows");
  // Blocks get as many tiles as they hold, so that they come back soon and fit the next ones.
  const auto first_row = [&](size_t i) { return made.tile_rows[first_part[i]]; };
  const auto words_of = [&](size_t begin, size_t end) {
    return first_row(end) - first_row(begin) + 1 + (offsets[first_row(end)] - offsets[first_row(begin)]);
  };
  for (size_t begin = 0; begin < wanted.size();) {
    size_t end = begin + 1;
    while (end < wanted.size() && 4 * words_of(begin, end + 1) <= PinnedBlocks::common_size) ++end;
    const uint32_t base = offsets[first_row(begin)];
    const size_t rows = first_row(end) - first_row(begin);
    const size_t values = offsets[first_row(end)] - base;
    const bool stays = !pinned.is_exhausted(4 * (rows + 1 + values));
    const std::shared_ptr<void> block = pinned.take(4 * (rows + 1 + values));
    uint32_t* const words = static_cast<uint32_t*>(block.get());
    fetch(stream, words + rows + 1, made.rows.values.data() + base, values);
    for (size_t r = 0; r <= rows; ++r) words[r] = offsets[first_row(begin) + r] - base;
    if (!stays) check_cuda(stream, cudaStreamSynchronize(cuda_stream(stream)), "fetching rows");
    for (size_t i = begin; i < end; ++i) {
      const uint32_t* const own = words + (first_row(i) - first_row(begin));
      const size_t size = first_row(i + 1) - first_row(i);
      if (stays) {
        out[place[i]] = StoredRows(block, own, words + rows + 1, size);
      } else {
        out[place[i]] = copy_rows(own, words + rows + 1, size);
      }
    }
    begin = end;
  }
  check_cuda(stream, cudaStreamSynchronize(cuda_stream(stream)), "fetching rows");
}

template class RowFactory<2>;
template class RowFactory<3>;

#define TS_INSTANTIATE_ROWS(R, Dim)                                   \
  template bool RowFactory<Dim>::prepare<R>(const Enumeration<Dim>&); \
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

}  // namespace tessera::detail::cuda
