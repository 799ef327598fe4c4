// CavitySets: cavities of any number of elements, which several threads put together.
//
//   ts::CavitySets regions(surface, ts::Kind::face, {.sets = 1000, .elements = surface.face_count()});
//   const auto view = regions.view();
//   ts::for_each(surface.exec(), faces, TS_LAMBDA(std::size_t f) { view.add(region_of(f), FaceId(f)); });
//   ts::edit(surface, regions, FillRegion{...});   // one round: each set is a cavity, its number the seed
//
// An element may be in several sets; such sets are in conflict like other cavities that want the same face.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tessera/core/id.h>
#include <tessera/core/macros.h>
#include <tessera/exec/buffer.h>
#include <tessera/surface/dynamic_surface.h>
#include <tessera/surface/edit_round.h>

namespace tessera {

struct CavitySetOptions {
  std::size_t sets = 0;      ///< their numbers are below it
  std::size_t elements = 0;  ///< that may be added, all sets together
};

/// Where threads add. Usable in kernels, and valid as long as the sets are.
class CavitySetsView {
 public:
  CavitySetsView() = default;
  CavitySetsView(std::uint64_t* pairs, std::uint32_t* count, std::uint32_t most)
      : pairs_(pairs), count_(count), most_(most) {}

  /// Adds an element of the kind of the sets; once is as good as twice.
  template <class TiledId>
  TS_HD void add(SetId set, TiledId element) const {
    const std::uint32_t place = detail::add_to(count_, 1);
    if (place < most_) pairs_[place] = std::uint64_t{set.index()} << 32 | element.index();
  }

 private:
  std::uint64_t* pairs_ = nullptr;
  std::uint32_t* count_ = nullptr;  ///< that were asked for
  std::uint32_t most_ = 0;
};

class CavitySets {
 public:
  CavitySets(const DynamicSurface& surface, Kind kind, const CavitySetOptions& options);

  [[nodiscard]] CavitySetsView view();
  [[nodiscard]] std::size_t size() const { return options_.sets; }
  [[nodiscard]] Kind kind() const { return kind_; }
  /// Empties all sets.
  void clear();

  /// The elements by set. Error(bad_option) if more were added than there is room for, or to a set that there
  /// is not.
  [[nodiscard]] detail::EditSets gather();

 private:
  Exec exec_;
  Kind kind_;
  CavitySetOptions options_;
  Buffer<std::uint64_t> pairs_;
  Buffer<std::uint32_t> count_;
  Buffer<std::uint32_t> offsets_;
  Buffer<std::uint32_t> elements_;
};

}  // namespace tessera
