// Elements of a mesh on a device by their ids: their corners, and rows of one length that are read off them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/csr.h>
#include <tessera/tile/detail/cuda/device_relations.h>
#include <tessera/tile/relation.h>
#include <tessera/exec/for_each.cuh>
#include <tessera/tile/detail/cuda/star_rows.cuh>

namespace tessera::detail::cuda {

template <int Dim>
EnumerationView view_of(const DeviceRelations<Dim>& relations) {
  return {relations.enumeration()};
}

/// The elements that rows are made for: those of a list, or `first` and those after it.
struct ElementList {
  std::uint32_t first = 0;
  const std::uint32_t* list = nullptr;
  std::uint32_t size = 0;

  [[nodiscard]] __device__ std::uint32_t operator[](std::size_t i) const {
    return list != nullptr ? list[i] : first + static_cast<std::uint32_t>(i);
  }
};

/// The corners of an element and, told by `sides`, what it lies in.
template <int Dim>
struct Elements {
  EnumerationView ids;
  const typename DeviceTiles<Dim>::Cell* cells;
  std::uint32_t vertices;
  std::uint32_t edges;

  /// The row of a CSR that an entry lies in.
  static __device__ std::uint32_t row_of(const std::uint32_t* offsets, std::uint32_t rows,
                                         std::uint32_t entry) {
    return lower_bound(offsets, 0u, rows, entry + 1) - 1;
  }
  [[nodiscard]] __device__ std::uint32_t low_end(std::uint32_t e) const {
    return row_of(ids.edge_offsets, vertices, e);
  }
  [[nodiscard]] __device__ std::uint32_t low_edge(std::uint32_t f) const {
    return row_of(ids.face_offsets, edges, f);
  }

  /// Writes the elements of kind To on the boundary of element `id` of kind From, ascending; returns how
  /// many.
  template <Kind From, Kind To>
  __device__ std::uint32_t boundary(std::uint32_t id, std::uint32_t* out) const {
    if constexpr (From == Kind::edge) {
      out[0] = low_end(id);
      out[1] = ids.edge_hi[id];
      return 2;
    } else {
      std::uint32_t v[4] = {};
      if constexpr (static_cast<int>(From) == Dim) {
        for (int k = 0; k <= Dim; ++k) v[k] = cells[id][k];
      } else {
        const std::uint32_t e = low_edge(id);
        v[0] = low_end(e);
        v[1] = ids.edge_hi[e];
        v[2] = ids.face_hi[id];
      }
      std::uint32_t n = 0;
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
std::uint32_t count_of(const DeviceRelations<Dim>& relations) {
  if constexpr (From == Kind::vertex) return relations.tiles().vertex_count();
  if constexpr (static_cast<int>(From) == Dim) return relations.tiles().cell_count();
  return From == Kind::edge ? relations.edge_count() : relations.face_count();
}

/// The corners of a cell as the input winds them.
template <int Dim>
[[nodiscard]] __device__ typename DeviceTiles<Dim>::Cell oriented(
    const typename DeviceTiles<Dim>::Cell* cells, const std::uint32_t* turned, std::uint32_t c) {
  typename DeviceTiles<Dim>::Cell cell = cells[c];
  if (turned != nullptr && (turned[c / 32] >> c % 32 & 1) != 0) {
    const std::uint32_t last = cell[Dim];
    cell[Dim] = cell[Dim - 1];
    cell[Dim - 1] = last;
  }
  return cell;
}

/// Boundaries of elements, or their oriented corners: all rows have one length.
template <class R, int Dim>
DeviceRows boundary_rows(const Exec& exec, const DeviceRelations<Dim>& relations, const ElementList& list) {
  constexpr std::uint32_t from = static_cast<std::uint32_t>(R::from);
  constexpr std::uint32_t size = R::to == Kind::vertex ? from + 1
                                 : R::to == Kind::face ? 4
                                                       : from * (from + 1) / 2;
  const std::size_t n = list.size;
  (void)checked_offset(n * size);
  DeviceRows rows{Buffer<std::uint32_t>(exec, n + 1), Buffer<std::uint32_t>(exec, n * size)};
  cuda::for_each(exec, n + 1,
                 [elements = elements_of(relations), turned = relations.tiles().turned.data(), list,
                  offsets = rows.offsets.data(), values = rows.values.data()] __device__(std::size_t i) {
                   offsets[i] = static_cast<std::uint32_t>(i * size);
                   if (i == list.size) return;
                   if constexpr (R::form == Form::oriented) {
                     const auto cell = oriented<Dim>(elements.cells, turned, list[i]);
                     for (std::uint32_t k = 0; k < size; ++k) values[i * size + k] = cell[k];
                   } else {
                     (void)elements.template boundary<R::from, R::to>(list[i], values + i * size);
                   }
                 });
  return rows;
}

}  // namespace tessera::detail::cuda
