// Neighbourhoods of any size: the vertices within k edges of an element, or within a radius of a vertex.
//
//   const ts::Neighbourhoods rings = ts::compute_k_rings(surface, ts::Kind::vertex, 2);
//   const auto row = rings.view();  // for kernels: row[v.index()], tiled ids, ascending
//
// Both cross the borders of tiles. Rows are made by expanding, sorting and uniting whole batches of them, in
// the same way on either side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <tessera/core/csr.h>
#include <tessera/core/memory.h>
#include <tessera/core/progress.h>
#include <tessera/exec/buffer.h>
#include <tessera/surface/surface.h>

namespace tessera {

struct NeighbourhoodOptions {
  /// Only of these elements, as tiled ids at the surface's place: a row for each, in this order.
  std::optional<std::span<const std::uint32_t>> elements = std::nullopt;
  bool with_own = false;     ///< rows have the element's own vertices, too
  Bytes memory = 512 << 20;  ///< of what is at work, besides the result and VV; 0: as much as there is
  const Monitor* monitor = nullptr;
};

/// Rows of tiled vertex ids, ascending, at the surface's place. While they are made they are there twice.
class Neighbourhoods {
 public:
  Neighbourhoods(Buffer<std::uint32_t> offsets, Buffer<std::uint32_t> values)
      : offsets_(std::move(offsets)), values_(std::move(values)) {}

  [[nodiscard]] std::size_t size() const { return offsets_.size() - 1; }
  [[nodiscard]] std::size_t bytes() const { return offsets_.bytes() + values_.bytes(); }
  /// Usable in kernels; valid as long as this.
  [[nodiscard]] RowsView<std::uint32_t> view() const { return {offsets_.data(), values_.data()}; }
  [[nodiscard]] const Buffer<std::uint32_t>& offsets() const { return offsets_; }
  [[nodiscard]] const Buffer<std::uint32_t>& values() const { return values_; }

 private:
  Buffer<std::uint32_t> offsets_;
  Buffer<std::uint32_t> values_;
};

/// The vertices that at most k edges join to a vertex of an element: a vertex, edge or face.
/// Error(bad_option) if `from` is none of them, Error(out_of_memory | out_of_device_memory) if the rows of
/// one element do not fit, Error(unsupported) for more than 2^32 - 1 entries: ask for some of the elements at
/// a time.
[[nodiscard]] Neighbourhoods compute_k_rings(const Surface& surface, Kind from, std::uint32_t k,
                                             const NeighbourhoodOptions& options = {});

/// The vertices that edges join to a vertex, all of whose ends are at most `radius` from it. The distance is
/// the straight one, through space. Infinity gives components. Error(bad_option) for a radius that is
/// negative or NaN; the others as above.
[[nodiscard]] Neighbourhoods compute_neighbourhoods(const Surface& surface, double radius,
                                                    const NeighbourhoodOptions& options = {});

}  // namespace tessera
