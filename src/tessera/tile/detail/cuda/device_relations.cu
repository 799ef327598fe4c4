#include <tessera/tile/detail/cuda/device_relations.h>

#include <array>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/exec/primitives.h>
#include <tessera/tile/detail/rows.h>
#include <tessera/exec/for_each.cuh>
#include <tessera/tile/detail/cuda/elements.cuh>
#include <tessera/tile/detail/cuda/star_rows.cuh>

namespace tessera::detail::cuda {
namespace {

using std::size_t;
using std::uint32_t;
using std::uint64_t;

/// Reads one word of the device.
uint32_t word_at(const Exec& exec, const uint32_t* at) {
  uint32_t word = 0;
  detail::copy(exec, &word, at, sizeof(word), detail::CopyKind::to_host);
  return word;
}

constexpr int whole_threads = 256;  // for a tile, where all tiles are made

/// Gathers what the host wants to know after counting: all rows, all entries, whether tiles are left to it,
/// and where the rows of each tile of a batch begin.
__global__ void sum_up(RowPlaces places, uint32_t tiles, uint32_t vertices, uint32_t* summary) {
  for (uint32_t i = threadIdx.x; places.batch != nullptr && i < tiles; i += blockDim.x) {
    summary[3 + i] = places.rows[places.batch_vertex[i]];
  }
  if (threadIdx.x == 0) {
    summary[0] = places.rows[vertices];
    summary[1] = places.entries[vertices];
    summary[2] = *places.left;
  }
}

/// The rows of one of the device's tiles, made by the host.
struct HostMadeTile {
  uint32_t first = 0;  ///< the number of its first vertex in the batch
  Array<uint32_t> rows_of;
  Array<uint32_t> entries_of;  ///< both by vertex
  Array<uint32_t> offsets;     ///< by row, from 0; without the end
  Array<uint32_t> values;
};

/// Rows i of what follows belong to vertex v for row_at(v) <= i < row_at(v + 1).
template <class RowAt>
void take_rows(std::span<const uint32_t> offsets, std::span<const uint32_t> values, uint32_t begin,
               uint32_t end, const RowAt& row_at, HostMadeTile& made) {
  const uint32_t base = offsets[row_at(begin)];
  for (uint32_t v = begin; v < end; ++v) {
    made.rows_of.push_back(row_at(v + 1) - row_at(v));
    made.entries_of.push_back(offsets[row_at(v + 1)] - offsets[row_at(v)]);
    for (uint32_t row = row_at(v); row < row_at(v + 1); ++row) made.offsets.push_back(offsets[row] - base);
  }
  made.values.assign(values.begin() + base, values.begin() + offsets[row_at(end)]);
}

/// Makes the rows that belong to vertices [begin, end) of one tile.
template <class R, int Dim>
HostMadeTile make_on_host(RowWorker<Dim>& worker, const TiledMesh<Dim>& mesh,
                          const Enumeration<Dim>& enumeration, uint32_t begin, uint32_t end) {
  const EnumerationPart& whole = enumeration.whole();
  HostMadeTile made;
  if constexpr (std::is_same_v<R, UpperEdges>) {
    take_rows(
        whole.edge_offsets, whole.edge_hi, begin, end, [](uint32_t v) { return v; }, made);
  } else if constexpr (std::is_same_v<R, UpperFaces>) {
    const auto edge_at = [&](uint32_t v) { return whole.edge_offsets[v]; };
    take_rows(whole.face_offsets, whole.face_hi, begin, end, edge_at, made);
  } else {
    const TileId tile = mesh.tile_of(tiled::VertexId(begin));
    worker.maker.template fill<R>(tile, worker.rows);
    const auto row_at = [&](uint32_t v) {
      if constexpr (R::from == Kind::vertex) return v - mesh.vertices(tile).begin;
      if constexpr (R::from == Kind::edge) return whole.edge_offsets[v] - enumeration.first_edge(tile);
      return whole.face_offsets[whole.edge_offsets[v]] - enumeration.first_face(tile);
    };
    take_rows(worker.rows.offsets, worker.rows.values, begin, end, row_at, made);
  }
  return made;
}

/// Writes host values to a place on the device.
void write_to(const Exec& exec, uint32_t* to, std::span<const uint32_t> values) {
  detail::copy(exec, to, values.data(), values.size_bytes(), detail::CopyKind::to_device);
}

/// For each element of a list the others around each of their sides, merged. Two elements of
/// a kind share one side at most, so that nobody is met twice.
template <Kind K, int Dim>
DeviceRows adjacency_rows(const Exec& exec, const DeviceRelations<Dim>& relations, const DeviceRows& around,
                          const ElementList& list) {
  constexpr Kind side = static_cast<Kind>(static_cast<int>(K) - 1);
  constexpr int most_sides = static_cast<int>(K) + 1;
  const uint32_t n = list.size;
  Buffer<uint32_t> counts(exec, size_t{n} + 1);
  const auto elements = elements_of(relations);
  cuda::for_each(
      exec, size_t{n} + 1,
      [elements, list, n, out = counts.data(), offsets = around.offsets.data()] __device__(size_t i) {
        uint32_t count = 0;
        if (i < n) {
          uint32_t sides[6];
          const uint32_t own = list[i];
          (void)elements.template boundary<K, side>(own, sides);
          for (int k = 0; k < most_sides; ++k) count += offsets[sides[k] + 1] - offsets[sides[k]] - 1;
        }
        out[i] = count;
      });
  DeviceRows rows{Buffer<uint32_t>(exec, size_t{n} + 1), {}};
  exclusive_scan<uint32_t, uint32_t>(exec, std::as_const(counts).span(), rows.offsets.span());
  rows.values = Buffer<uint32_t>(exec, word_at(exec, rows.offsets.data() + n));
  cuda::for_each(exec, n,
                 [elements, list, place = rows.offsets.data(), out = rows.values.data(),
                  offsets = around.offsets.data(), values = around.values.data()] __device__(size_t i) {
                   const uint32_t own = list[i];
                   uint32_t sides[6];
                   (void)elements.template boundary<K, side>(own, sides);
                   uint32_t at[most_sides];
                   for (int k = 0; k < most_sides; ++k) at[k] = offsets[sides[k]];
                   for (uint32_t to = place[i]; to < place[i + 1];) {
                     uint32_t least = 0xFFFFFFFFu;
                     int from = 0;
                     for (int k = 0; k < most_sides; ++k) {
                       if (at[k] == offsets[sides[k] + 1] || values[at[k]] >= least) continue;
                       least = values[at[k]];
                       from = k;
                     }
                     ++at[from];
                     if (least != own) out[to++] = least;
                   }
                 });
  return rows;
}

/// Edges and faces of a tile begin with those of its first vertex.
template <int Dim>
void find_first_elements(const Exec& exec, const DeviceTiles<Dim>& tiles, const EnumerationView& enumeration,
                         Buffer<uint32_t>& first_edge, Buffer<uint32_t>& first_face) {
  cuda::for_each(exec, first_edge.size(),
                 [cut = tiles.first_vertex.data(), ids = enumeration, edge = first_edge.data(),
                  face = first_face.data()] __device__(size_t t) {
                   edge[t] = ids.edge_offsets[cut[t]];
                   face[t] = Dim == 3 ? ids.face_offsets[edge[t]] : 0;
                 });
}

}  // namespace

template <int Dim>
EnumerationPointers DeviceRelations<Dim>::enumeration() const {
  if (given_.edge_offsets != nullptr) return given_;
  return {edges.offsets.data(), edges.values.data(), faces.offsets.data(), faces.values.data()};
}

template <int Dim>
const Enumeration<Dim>& DeviceRelations<Dim>::on_host() const {
  std::call_once(is_enumerated_on_host_,
                 [&] { on_host_ = Enumeration<Dim>::make_explicit(mesh_, Exec::host(exec_.threads())); });
  return on_host_;
}

/// Counts, scans and fills the rows of a batch of tiles, or of all if it is empty. The host waits once, for
/// the sizes.
template <int Dim>
template <class R>
DeviceTileRows DeviceRelations<Dim>::star_rows(const Exec& exec, std::span<const uint32_t> batch,
                                               int threads) const {
  const bool is_whole = batch.empty();
  const uint32_t count = is_whole ? tiles_.tile_count() : static_cast<uint32_t>(batch.size());
  // Tiles, then the number of each one's first vertex in the batch.
  std::vector<uint32_t> lists(batch.begin(), batch.end());
  uint32_t vertices = is_whole ? tiles_.vertex_count() : 0;
  for (const uint32_t t : batch) {
    lists.push_back(vertices);
    vertices += tiles_.cut()[t + 1] - tiles_.cut()[t];
  }
  const Buffer<uint32_t> there(exec, std::span<const uint32_t>(lists));
  Buffer<uint32_t> row_places(exec, size_t{vertices} + 1);
  Buffer<uint32_t> entry_places(exec, size_t{vertices} + 1);
  Buffer<uint8_t> is_left(exec, count);
  Buffer<uint32_t> left(exec, 1);
  const CurrentDevice current(exec);
  check_cuda(exec, cudaMemsetAsync(is_left.data(), 0, is_left.bytes(), cuda_stream(exec)), "clearing flags");
  check_cuda(exec, cudaMemsetAsync(left.data(), 0, left.bytes(), cuda_stream(exec)), "clearing flags");
  const RowPlaces places = {is_whole ? nullptr : there.data(),
                            is_whole ? nullptr : there.data() + count,
                            row_places.data(),
                            entry_places.data(),
                            is_left.data(),
                            left.data()};
  const EnumerationView ids = view_of(*this);
  const auto [warps, shared_bytes] = choose_warps(exec, threads / 32, [&](uint32_t n) {
    SharedSpace space(nullptr);
    (void)RowSpace<R, Dim>(space, tiles_.largest(), n);
    return space.bytes();
  });
  const int block = 32 * static_cast<int>(warps);
  launch_tiles(exec, count, block, shared_bytes, star_rows_kernel<R, Dim, false>, "counting rows",
               TilesView<Dim>(tiles_), ids, places, static_cast<uint32_t*>(nullptr),
               static_cast<uint32_t*>(nullptr));
  Buffer<uint32_t> summary(exec, 3 + lists.size() / 2);
  const auto place = [&] {
    for (Buffer<uint32_t>* buffer : {&row_places, &entry_places}) {
      exclusive_scan<uint32_t, uint32_t>(exec, std::as_const(*buffer).span().first(vertices), buffer->span());
    }
    sum_up<<<1, 256, 0, cuda_stream(exec)>>>(places, count, vertices, summary.data());
    check_launch(exec, "counting rows");
    return summary.to_host();
  };
  Array<uint32_t> told;
  std::vector<HostMadeTile> made;
  if (tiles_.host_tiles().empty()) told = place();
  if (told.empty() || told[2] != 0) {
    // Scans have counted what the kernel left 0: counts are restored, and those of the host put in.
    if (!told.empty()) {
      launch_tiles(exec, count, block, shared_bytes, star_rows_kernel<R, Dim, false>, "counting rows",
                   TilesView<Dim>(tiles_), ids, places, static_cast<uint32_t*>(nullptr),
                   static_cast<uint32_t*>(nullptr));
    }
    RowWorker<Dim> worker(mesh_, &on_host());
    const Array<uint8_t> flags = is_left.to_host();
    for (uint32_t i = 0; i < count; ++i) {
      if (flags[i] == 0) continue;
      const uint32_t t = is_whole ? i : batch[i];
      made.push_back(make_on_host<R>(worker, mesh_, on_host(), tiles_.cut()[t], tiles_.cut()[t + 1]));
      made.back().first = is_whole ? tiles_.cut()[t] : lists[count + i];
      write_to(exec, row_places.data() + made.back().first, made.back().rows_of);
      write_to(exec, entry_places.data() + made.back().first, made.back().entries_of);
    }
    told = place();
  }
  const uint32_t rows = told[0];
  DeviceTileRows result;
  result.rows = {Buffer<uint32_t>(exec, size_t{rows} + 1), Buffer<uint32_t>(exec, told[1])};
  detail::copy(exec, result.rows.offsets.data() + rows, entry_places.data() + vertices, sizeof(uint32_t),
               detail::CopyKind::on_device);
  launch_tiles(exec, count, block, shared_bytes, star_rows_kernel<R, Dim, true>, "filling rows",
               TilesView<Dim>(tiles_), ids, places, result.rows.offsets.data(), result.rows.values.data());
  for (HostMadeTile& tile : made) {
    const uint32_t base = word_at(exec, entry_places.data() + tile.first);
    for (uint32_t& offset : tile.offsets) offset += base;
    write_to(exec, result.rows.offsets.data() + word_at(exec, row_places.data() + tile.first), tile.offsets);
    write_to(exec, result.rows.values.data() + base, tile.values);
  }
  if (!is_whole) {
    result.tile_rows.assign(told.begin() + 3, told.end());
    result.tile_rows.push_back(rows);
  }
  return result;
}

template <int Dim>
void DeviceRelations<Dim>::enumerate() {
  if (!edges.offsets.empty()) return;
  const DeviceTiles<Dim>& tiles = tiles_;
  edges = star_rows<UpperEdges>(exec_, {}, whole_threads).rows;
  edge_count_ = static_cast<uint32_t>(edges.values.size());
  if constexpr (Dim == 3) {
    faces = star_rows<UpperFaces>(exec_, {}, whole_threads).rows;
    face_count_ = static_cast<uint32_t>(faces.values.size());
  } else {
    face_count_ = tiles.cell_count();
  }
  Buffer<uint32_t> first_edge(exec_, size_t{tiles.tile_count()} + 1);
  Buffer<uint32_t> first_face(exec_, first_edge.size());
  find_first_elements<Dim>(exec_, tiles, view_of(*this), first_edge, first_face);
  first_edge_ = first_edge.to_host();
  first_face_ = first_face.to_host();
}

template <int Dim>
Enumeration<Dim> DeviceRelations<Dim>::copy_enumeration() {
  enumerate();
  EnumerationPart whole;
  whole.edge_offsets = edges.offsets.to_host();
  whole.edge_hi = edges.values.to_host();
  if constexpr (Dim == 3) {
    whole.face_offsets = faces.offsets.to_host();
    whole.face_hi = faces.values.to_host();
  }
  return Enumeration<Dim>::from_whole(mesh_, std::move(whole));
}

template <int Dim>
Bytes DeviceRelations<Dim>::bytes() const {
  Bytes sum = 0;
  for (const DeviceRows* rows : {&edges, &faces, &vertex_edges_, &edge_faces_, &face_cells_}) {
    sum += rows->offsets.bytes() + rows->values.bytes();
  }
  return sum;
}

template <int Dim>
template <class R>
void DeviceRelations<Dim>::prepare() {
  constexpr auto is_numbered = [](Kind kind) {
    return kind != Kind::vertex && static_cast<int>(kind) != Dim;
  };
  if (R::is_boundary || is_numbered(R::from) || is_numbered(R::to) ||
      (R::is_adjacency && R::from != Kind::vertex)) {
    enumerate();
  }
  if constexpr (R::is_adjacency && R::from == Kind::edge) {
    if (vertex_edges_.offsets.empty()) vertex_edges_ = whole<VE>();
  } else if constexpr (R::is_adjacency && R::from == Kind::face) {
    if (edge_faces_.offsets.empty()) edge_faces_ = whole<EF>();
  } else if constexpr (R::is_adjacency && R::from == Kind::tet) {
    if (face_cells_.offsets.empty()) face_cells_ = whole<FT>();
  }
}

template <int Dim>
template <class R>
DeviceRows DeviceRelations<Dim>::whole() const {
  if constexpr (R::is_boundary) {
    return boundary_rows<R>(exec_, *this, {.size = count_of<R::from>(*this)});
  } else if constexpr (R::is_adjacency && R::from != Kind::vertex) {
    const DeviceRows& around = around_sides<R::from>();
    return adjacency_rows<R::from>(exec_, *this, around, {.size = count_of<R::from>(*this)});
  } else {
    return star_rows<R>(exec_, {}, whole_threads).rows;
  }
}

template <int Dim>
const Array<uint32_t>& DeviceRelations<Dim>::first_of(Kind kind) const {
  if (kind == Kind::vertex) return tiles_.cut();
  if (static_cast<int>(kind) == Dim) return first_cell_;
  return kind == Kind::edge ? first_edge_ : first_face_;
}

template <int Dim>
ElementList DeviceRelations<Dim>::list_elements(const Exec& stream, Kind kind,
                                                std::span<const uint32_t> batch, Buffer<uint32_t>& memory,
                                                Array<uint32_t>& tile_rows) const {
  const Array<uint32_t>& first = first_of(kind);
  uint32_t count = 0;
  for (const uint32_t t : batch) {
    tile_rows.push_back(count);
    count += first[t + 1] - first[t];
  }
  tile_rows.push_back(count);
  if (batch.empty()) return {};
  if (batch.back() - batch.front() + 1 == batch.size()) return {first[batch.front()], nullptr, count};
  Array<uint32_t> elements(count);
  for (size_t i = 0; i < batch.size(); ++i) {
    std::iota(elements.begin() + tile_rows[i], elements.begin() + tile_rows[i + 1], first[batch[i]]);
  }
  memory = Buffer<uint32_t>(stream, std::span<const uint32_t>(elements));
  return {0, memory.data(), count};
}

template <int Dim>
template <class R>
DeviceTileRows DeviceRelations<Dim>::some(const Exec& stream, std::span<const uint32_t> batch,
                                          int threads) const {
  static_assert(R::is_coboundary || R::is_adjacency);
  if constexpr (R::is_adjacency && R::from != Kind::vertex) {
    DeviceTileRows found;
    Buffer<uint32_t> memory;
    const ElementList list = list_elements(stream, R::from, batch, memory, found.tile_rows);
    found.rows = adjacency_rows<R::from>(stream, *this, around_sides<R::from>(), list);
    return found;
  }
  if (batch.empty()) return {{Buffer<uint32_t>(stream, std::array<uint32_t, 1>{}), {}}, {0}};
  return star_rows<R>(stream, batch, threads);
}

template <class R, int Dim>
TiledCsr<R> materialize(DeviceRelations<Dim>& relations) {
  using Entry = typename R::TiledEntry;
  relations.template prepare<R>();
  const DeviceRows rows = relations.template whole<R>();
  TiledCsr<R> csr;
  csr.offsets = rows.offsets.to_host();
  csr.values.resize(rows.values.size());
  static_assert(sizeof(Entry) == sizeof(uint32_t));
  detail::copy(relations.exec(), csr.values.data(), rows.values.data(), rows.values.bytes(),
               detail::CopyKind::to_host);
  return csr;
}

template class DeviceRelations<2>;
template class DeviceRelations<3>;

#define TS_INSTANTIATE(R, Dim) template TiledCsr<R> materialize<R, Dim>(DeviceRelations<Dim>&);
#include <tessera/tile/detail/instantiate_relations.inc>

#define TS_INSTANTIATE(R, Dim)                      \
  template void DeviceRelations<Dim>::prepare<R>(); \
  template DeviceRows DeviceRelations<Dim>::whole<R>() const
#include <tessera/tile/detail/instantiate_relations.inc>

template DeviceTileRows DeviceRelations<2>::some<VV>(const Exec&, std::span<const uint32_t>, int) const;
template DeviceTileRows DeviceRelations<2>::some<VE>(const Exec&, std::span<const uint32_t>, int) const;
template DeviceTileRows DeviceRelations<2>::some<VF>(const Exec&, std::span<const uint32_t>, int) const;
template DeviceTileRows DeviceRelations<2>::some<EF>(const Exec&, std::span<const uint32_t>, int) const;
template DeviceTileRows DeviceRelations<2>::some<EE>(const Exec&, std::span<const uint32_t>, int) const;
template DeviceTileRows DeviceRelations<2>::some<FF>(const Exec&, std::span<const uint32_t>, int) const;
template DeviceTileRows DeviceRelations<3>::some<VV>(const Exec&, std::span<const uint32_t>, int) const;
template DeviceTileRows DeviceRelations<3>::some<VE>(const Exec&, std::span<const uint32_t>, int) const;
template DeviceTileRows DeviceRelations<3>::some<VF>(const Exec&, std::span<const uint32_t>, int) const;
template DeviceTileRows DeviceRelations<3>::some<VT>(const Exec&, std::span<const uint32_t>, int) const;
template DeviceTileRows DeviceRelations<3>::some<EF>(const Exec&, std::span<const uint32_t>, int) const;
template DeviceTileRows DeviceRelations<3>::some<ET>(const Exec&, std::span<const uint32_t>, int) const;
template DeviceTileRows DeviceRelations<3>::some<FT>(const Exec&, std::span<const uint32_t>, int) const;
template DeviceTileRows DeviceRelations<3>::some<EE>(const Exec&, std::span<const uint32_t>, int) const;
template DeviceTileRows DeviceRelations<3>::some<FF>(const Exec&, std::span<const uint32_t>, int) const;
template DeviceTileRows DeviceRelations<3>::some<TT>(const Exec&, std::span<const uint32_t>, int) const;

}  // namespace tessera::detail::cuda
