// Slabs: the parts of a grid that does not fit memory. A slab owns a run of layers, and sees some layers
// around them, its ghosts, which its neighbours own:
//
//   layers   0 1 2 3 | 4 5 6 7 | 8 9          slab 1 owns 4 .. 7
//                  g           g              and sees a ghost on both sides
//
// Layers lie along the last axis of more than one point, where a file has them one after the other: planes of
// a volume, rows of a flat grid. Analyses work on one slab after the other and join what crosses from one to
// the next. Results do not depend on the slabs: they are those of the whole grid, to the bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/core/memory.h>
#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/mesh/mesh.h>

namespace tessera {

struct GridLayers {
  std::uint32_t count = 1;
  std::size_t points = 1;  ///< in each
};
[[nodiscard]] GridLayers layers_of(const Grid& grid);

/// A slab owns layers [begin, end) and sees [seen_begin, seen_end).
struct Slab {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t seen_begin = 0;
  std::uint32_t seen_end = 0;

  [[nodiscard]] std::uint32_t seen() const { return seen_end - seen_begin; }
  friend bool operator==(const Slab&, const Slab&) = default;
};

/// How many layers a slab sees before and after its own, where there are some.
struct Ghosts {
  std::uint32_t before = 0;
  std::uint32_t after = 0;
};

/// All slabs of a grid, ascending, of `height` layers but for the last.
[[nodiscard]] std::vector<Slab> cut_into_slabs(std::uint32_t layers, std::uint32_t height, Ghosts ghosts);

struct SlabOptions {
  std::uint32_t height = 0;  ///< layers that a slab owns; 0: as choose_height() without a limit
  Exec exec = Exec::host();  ///< host threads; Error(unsupported) for a device
  const Monitor* monitor = nullptr;
};

/// What an analysis takes in slabs, beside its results: an estimate.
struct SlabCost {
  Bytes fixed = 0;         ///< whatever the slabs
  Bytes of_owned = 0;      ///< for each layer that a slab owns
  Bytes of_seen = 0;       ///< for each layer that it sees
  Bytes of_border = 0;     ///< for each slab but one: what crosses from it to the next
  std::size_t arrays = 1;  ///< that hold what layers take
  Ghosts ghosts;

  [[nodiscard]] Bytes bytes(std::uint32_t layers, std::uint32_t height) const;
};

/// What so many arrays that take so many bytes together may take beyond that: large ones lie on pages of 2
/// MiB.
[[nodiscard]] Bytes page_bytes(Bytes bytes, std::size_t arrays);

/// The height that suits a budget: slabs of some 64 MiB or 32 layers, or as thick as half of what the fixed
/// cost leaves allows. Below 8 layers or a mebibyte, where ghosts and slabs are most of the work, only if the
/// whole budget has no room for more. If it is too small for any, the height that takes least.
[[nodiscard]] std::uint32_t choose_height(std::uint32_t layers, const SlabCost& cost, Bytes budget);

}  // namespace tessera
