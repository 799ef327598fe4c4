#include <tessera/tile/cuda/device_relations.h>

#include <array>
#include <utility>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/exec/primitives.h>
#include <tessera/exec/for_each.cuh>
#include <tessera/tile/cuda/star_rows.cuh>

namespace tessera::cuda {
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

template <int Dim>
EnumerationView view_of(const DeviceRelations<Dim>& relations) {
  return {relations.edges.offsets.data(), relations.edges.values.data(), relations.faces.offsets.data(),
          relations.faces.values.data()};
}

constexpr int whole_threads = 256;  // for a tile, where all tiles are made

/// Where the vertices of the tiles of a batch are counted from.
struct Batch {
  const uint32_t* tiles = nullptr;  ///< null: all
  const uint32_t* first = nullptr;  ///< likewise: their ids
  uint32_t count = 0;
  uint32_t vertices = 0;
};

/// Gathers what the host wants to know after counting: all rows, all entries, overflow, and where the rows of
/// each tile begin.
__global__ void sum_up(Batch batch, const uint32_t* rows, const uint32_t* entries, const uint32_t* overflow,
                       uint32_t* summary) {
  for (uint32_t i = threadIdx.x; batch.tiles != nullptr && i < batch.count; i += blockDim.x) {
    summary[3 + i] = rows[batch.first[i]];
  }
  if (threadIdx.x == 0) {
    summary[0] = rows[batch.vertices];
    summary[1] = entries[batch.vertices];
    summary[2] = *overflow;
  }
}

/// Counts, scans and fills the rows of a batch of tiles. The host waits once, for the sizes.
template <class R, int Dim>
DeviceTileRows star_rows(const DeviceTiles<Dim>& tiles, const EnumerationView& ids, const Batch& batch,
                         int threads) {
  const Exec& exec = tiles.exec();
  SharedSpace space(nullptr);
  (void)RowSpace<Dim>(space, tiles.largest(), static_cast<uint32_t>(threads) / 32);
  Buffer<uint32_t> row_places(exec, size_t{batch.vertices} + 1);
  Buffer<uint32_t> entry_places(exec, size_t{batch.vertices} + 1);
  Buffer<uint32_t> overflow(exec, 1);
  const CurrentDevice current(exec.device());
  check(cudaMemsetAsync(overflow.data(), 0, sizeof(uint32_t), cudaStream_t{}), "clearing a flag");
  const RowPlaces places = {batch.tiles, batch.first, row_places.data(), entry_places.data()};
  launch_tiles(exec, batch.count, threads, space.bytes(), star_rows_kernel<R, Dim, false>, "counting rows",
               TilesView<Dim>(tiles), ids, places, static_cast<uint32_t*>(nullptr),
               static_cast<uint32_t*>(nullptr), overflow.data());
  for (Buffer<uint32_t>* place : {&row_places, &entry_places}) {
    exclusive_scan<uint32_t, uint32_t>(exec, std::as_const(*place).span().first(batch.vertices),
                                       place->span());
  }
  Buffer<uint32_t> summary(exec, 3 + size_t{batch.tiles == nullptr ? 0 : batch.count});
  sum_up<<<1, 256>>>(batch, row_places.data(), entry_places.data(), overflow.data(), summary.data());
  check_launch("counting rows");
  const Array<uint32_t> told = summary.to_host();
  const uint32_t rows = told[0];
  if (told[2] != 0) {
    throw Error(ErrorCode::unsupported, "a vertex has more cells around it than a device's rows can hold");
  }
  DeviceTileRows result;
  result.rows = {Buffer<uint32_t>(exec, size_t{rows} + 1), Buffer<uint32_t>(exec, told[1])};
  detail::copy(exec, result.rows.offsets.data() + rows, entry_places.data() + batch.vertices,
               sizeof(uint32_t), detail::CopyKind::on_device);
  launch_tiles(exec, batch.count, threads, space.bytes(), star_rows_kernel<R, Dim, true>, "filling rows",
               TilesView<Dim>(tiles), ids, places, result.rows.offsets.data(), result.rows.values.data(),
               overflow.data());
  if (batch.tiles != nullptr) {
    result.tile_rows.assign(told.begin() + 3, told.end());
    result.tile_rows.push_back(rows);
  }
  return result;
}

/// Of the whole mesh.
template <class R, int Dim>
DeviceRows star_rows(const DeviceTiles<Dim>& tiles, const EnumerationView& ids) {
  return star_rows<R>(tiles, ids, Batch{nullptr, nullptr, tiles.tile_count(), tiles.vertex_count()},
                      whole_threads)
      .rows;
}

/// The corners of an element and, told by `sides`, what it lies in.
template <int Dim>
struct Elements {
  EnumerationView ids;
  const typename DeviceTiles<Dim>::Cell* cells;
  uint32_t vertices;
  uint32_t edges;

  /// The row of a CSR that an entry lies in.
  static __device__ uint32_t row_of(const uint32_t* offsets, uint32_t rows, uint32_t entry) {
    uint32_t low = 0;
    uint32_t high = rows;
    while (high - low > 1) {
      const uint32_t middle = low + (high - low) / 2;
      if (offsets[middle] <= entry) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }
  [[nodiscard]] __device__ uint32_t low_end(uint32_t e) const {
    return row_of(ids.edge_offsets, vertices, e);
  }
  [[nodiscard]] __device__ uint32_t low_edge(uint32_t f) const { return row_of(ids.face_offsets, edges, f); }

  /// Writes the elements of kind To on the boundary of element `id` of kind From, ascending; returns how
  /// many.
  template <Kind From, Kind To>
  __device__ uint32_t boundary(uint32_t id, uint32_t* out) const {
    if constexpr (From == Kind::edge) {
      out[0] = low_end(id);
      out[1] = ids.edge_hi[id];
      return 2;
    } else {
      uint32_t v[4] = {};
      if constexpr (static_cast<int>(From) == Dim) {
        for (int k = 0; k <= Dim; ++k) v[k] = cells[id][k];
      } else {
        const uint32_t e = low_edge(id);
        v[0] = low_end(e);
        v[1] = ids.edge_hi[e];
        v[2] = ids.face_hi[id];
      }
      uint32_t n = 0;
      constexpr int corners = static_cast<int>(From) + 1;
      if constexpr (To == Kind::vertex) {
        for (; n < corners; ++n) out[n] = v[n];
      } else if constexpr (To == Kind::edge) {
        for (int i = 0; i < corners; ++i) {
          for (int j = i + 1; j < corners; ++j) out[n++] = ids.edge(v[i], v[j]);
        }
      } else {
        out[n++] = ids.face(v[0], v[1], v[2]);
        out[n++] = ids.face(v[0], v[1], v[3]);
        out[n++] = ids.face(v[0], v[2], v[3]);
        out[n++] = ids.face(v[1], v[2], v[3]);
      }
      return n;
    }
  }
};

template <int Dim>
Elements<Dim> elements_of(const DeviceRelations<Dim>& relations) {
  return {view_of(relations), relations.tiles().cells.data(), relations.tiles().vertex_count(),
          relations.edge_count()};
}

template <Kind From, int Dim>
uint32_t count_of(const DeviceRelations<Dim>& relations) {
  if constexpr (From == Kind::vertex) return relations.tiles().vertex_count();
  if constexpr (static_cast<int>(From) == Dim) return relations.tiles().cell_count();
  return From == Kind::edge ? relations.edge_count() : relations.face_count();
}

template <class R, int Dim>
DeviceRows boundary_rows(const DeviceRelations<Dim>& relations) {
  const Exec& exec = relations.tiles().exec();
  const size_t n = count_of<R::from>(relations);
  constexpr uint32_t from = static_cast<uint32_t>(R::from);
  constexpr uint32_t size = R::to == Kind::vertex ? from + 1
                            : R::to == Kind::face ? 4
                                                  : from * (from + 1) / 2;
  (void)checked_offset(n * size);
  DeviceRows rows{Buffer<uint32_t>(exec, n + 1), Buffer<uint32_t>(exec, n * size)};
  cuda::for_each(exec, n + 1,
                 [elements = elements_of(relations), n, offsets = rows.offsets.data(),
                  values = rows.values.data()] __device__(size_t i) {
                   offsets[i] = static_cast<uint32_t>(i * size);
                   if (i < n) {
                     (void)elements.template boundary<R::from, R::to>(static_cast<uint32_t>(i),
                                                                      values + i * size);
                   }
                 });
  return rows;
}

/// Elements `list`, or all if it is null, with the others around each of their sides, merged. Two elements of
/// a kind share one side at most, so that nobody is met twice.
template <Kind K, int Dim>
DeviceRows adjacency_rows(const DeviceRelations<Dim>& relations, const DeviceRows& around,
                          const uint32_t* list, uint32_t n) {
  constexpr Kind side = static_cast<Kind>(static_cast<int>(K) - 1);
  constexpr int most_sides = static_cast<int>(K) + 1;
  const Exec& exec = relations.tiles().exec();
  Buffer<uint32_t> counts(exec, size_t{n} + 1);
  const auto elements = elements_of(relations);
  cuda::for_each(
      exec, size_t{n} + 1,
      [elements, list, n, out = counts.data(), offsets = around.offsets.data()] __device__(size_t i) {
        uint32_t count = 0;
        if (i < n) {
          uint32_t sides[6];
          const uint32_t own = list == nullptr ? static_cast<uint32_t>(i) : list[i];
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
                   const uint32_t own = list == nullptr ? static_cast<uint32_t>(i) : list[i];
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
void find_first_elements(const DeviceTiles<Dim>& tiles, const EnumerationView& enumeration,
                         Buffer<uint32_t>& first_edge, Buffer<uint32_t>& first_face) {
  cuda::for_each(tiles.exec(), first_edge.size(),
                 [cut = tiles.first_vertex.data(), ids = enumeration, edge = first_edge.data(),
                  face = first_face.data()] __device__(size_t t) {
                   edge[t] = ids.edge_offsets[cut[t]];
                   face[t] = Dim == 3 ? ids.face_offsets[edge[t]] : 0;
                 });
}

}  // namespace

template <int Dim>
DeviceRelations<Dim>::DeviceRelations(const DeviceTiles<Dim>& tiles) : tiles_(tiles) {
  if (!tiles.host_tiles().empty()) {
    throw Error(ErrorCode::unsupported, "some tiles have stars that are too large for a device");
  }
}

template <int Dim>
void DeviceRelations<Dim>::enumerate() {
  if (!edges.offsets.empty()) return;
  const DeviceTiles<Dim>& tiles = tiles_;
  edges = star_rows<UpperEdges>(tiles, {});
  edge_count_ = static_cast<uint32_t>(edges.values.size());
  if constexpr (Dim == 3) {
    faces = star_rows<UpperFaces>(tiles, view_of(*this));
    face_count_ = static_cast<uint32_t>(faces.values.size());
  } else {
    face_count_ = tiles.cell_count();
  }
  first_cell_ = tiles.first_cell.to_host();
  Buffer<uint32_t> first_edge(tiles.exec(), size_t{tiles.tile_count()} + 1);
  Buffer<uint32_t> first_face(tiles.exec(), first_edge.size());
  find_first_elements<Dim>(tiles, view_of(*this), first_edge, first_face);
  first_edge_ = first_edge.to_host();
  first_face_ = first_face.to_host();
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
    return boundary_rows<R>(*this);
  } else if constexpr (R::is_adjacency && R::from != Kind::vertex) {
    const DeviceRows& around = around_sides<R::from>();
    return adjacency_rows<R::from>(*this, around, nullptr, count_of<R::from>(*this));
  } else {
    return star_rows<R>(tiles_, view_of(*this));
  }
}

template <int Dim>
template <class R>
DeviceTileRows DeviceRelations<Dim>::some(std::span<const uint32_t> batch, int threads) const {
  static_assert(R::is_coboundary || R::is_adjacency);
  const Exec& exec = tiles_.exec();
  if constexpr (R::is_adjacency && R::from != Kind::vertex) {
    const Array<uint32_t>& first = R::from == Kind::edge              ? first_edge_
                                   : static_cast<int>(R::from) == Dim ? first_cell_
                                                                      : first_face_;
    std::vector<uint32_t> elements;
    DeviceTileRows found;
    for (const uint32_t t : batch) {
      found.tile_rows.push_back(static_cast<uint32_t>(elements.size()));
      for (uint32_t i = first[t]; i < first[t + 1]; ++i) elements.push_back(i);
    }
    found.tile_rows.push_back(static_cast<uint32_t>(elements.size()));
    const Buffer<uint32_t> list(exec, std::span<const uint32_t>(elements));
    found.rows = adjacency_rows<R::from>(*this, around_sides<R::from>(), list.data(),
                                         static_cast<uint32_t>(elements.size()));
    synchronize(exec);  // the list goes
    return found;
  }
  // Tiles, then the number of each one's first vertex.
  std::vector<uint32_t> lists(batch.begin(), batch.end());
  uint32_t vertices = 0;
  for (const uint32_t t : batch) {
    lists.push_back(vertices);
    vertices += tiles_.cut()[t + 1] - tiles_.cut()[t];
  }
  const Buffer<uint32_t> there(exec, std::span<const uint32_t>(lists));
  const uint32_t count = static_cast<uint32_t>(batch.size());
  return star_rows<R>(tiles_, view_of(*this), Batch{there.data(), there.data() + count, count, vertices},
                      threads);
}

template <class R, int Dim>
Csr<typename R::Row, typename R::Entry> materialize(DeviceRelations<Dim>& relations) {
  using Entry = typename R::Entry;
  relations.template prepare<R>();
  const DeviceRows rows = relations.template whole<R>();
  Csr<typename R::Row, Entry> csr;
  csr.offsets = rows.offsets.to_host();
  csr.values.resize(rows.values.size());
  static_assert(sizeof(Entry) == sizeof(uint32_t));
  detail::copy(relations.tiles().exec(), csr.values.data(), rows.values.data(), rows.values.bytes(),
               detail::CopyKind::to_host);
  return csr;
}

template class DeviceRelations<2>;
template class DeviceRelations<3>;

#define TS_INSTANTIATE(R, Dim) \
  template Csr<typename R::Row, typename R::Entry> materialize<R, Dim>(DeviceRelations<Dim>&);
#include <tessera/tile/instantiate_relations.inc>

#define TS_INSTANTIATE(R, Dim)                      \
  template void DeviceRelations<Dim>::prepare<R>(); \
  template DeviceRows DeviceRelations<Dim>::whole<R>() const
#include <tessera/tile/instantiate_relations.inc>

template DeviceTileRows DeviceRelations<2>::some<VV>(std::span<const uint32_t>, int) const;
template DeviceTileRows DeviceRelations<2>::some<VE>(std::span<const uint32_t>, int) const;
template DeviceTileRows DeviceRelations<2>::some<VF>(std::span<const uint32_t>, int) const;
template DeviceTileRows DeviceRelations<2>::some<EF>(std::span<const uint32_t>, int) const;
template DeviceTileRows DeviceRelations<2>::some<EE>(std::span<const uint32_t>, int) const;
template DeviceTileRows DeviceRelations<2>::some<FF>(std::span<const uint32_t>, int) const;
template DeviceTileRows DeviceRelations<3>::some<VV>(std::span<const uint32_t>, int) const;
template DeviceTileRows DeviceRelations<3>::some<VE>(std::span<const uint32_t>, int) const;
template DeviceTileRows DeviceRelations<3>::some<VF>(std::span<const uint32_t>, int) const;
template DeviceTileRows DeviceRelations<3>::some<VT>(std::span<const uint32_t>, int) const;
template DeviceTileRows DeviceRelations<3>::some<EF>(std::span<const uint32_t>, int) const;
template DeviceTileRows DeviceRelations<3>::some<ET>(std::span<const uint32_t>, int) const;
template DeviceTileRows DeviceRelations<3>::some<FT>(std::span<const uint32_t>, int) const;
template DeviceTileRows DeviceRelations<3>::some<EE>(std::span<const uint32_t>, int) const;
template DeviceTileRows DeviceRelations<3>::some<FF>(std::span<const uint32_t>, int) const;
template DeviceTileRows DeviceRelations<3>::some<TT>(std::span<const uint32_t>, int) const;

}  // namespace tessera::cuda
