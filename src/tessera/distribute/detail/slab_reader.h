// The values of one slab after the other. What two slabs see is read once.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <tessera/distribute/slabs.h>
#include <tessera/io/grid_file.h>

namespace tessera::detail {

class SlabReader {
 public:
  SlabReader(const GridFile& file, const StoredField& field)
      : file_(file), field_(field), layer_points_(layers_of(file.shape()).points) {}

  /// The values of the layers that the slab sees, which stay until the next call. Slabs come ascending.
  [[nodiscard]] const Field& read(const Slab& slab);

 private:
  /// Makes the values those of so many layers, and moves the last `kept` ones to the front.
  void keep(std::uint32_t kept, std::uint32_t layers);

  const GridFile& file_;
  const StoredField& field_;
  std::size_t layer_points_;
  std::optional<Field> values_;
  std::uint32_t begin_ = 0;  ///< layers that the values are of
  std::uint32_t end_ = 0;
};

/// The slabs of an analysis of a field. Error(unsupported) if the field cannot be read in parts, or for a
/// device.
[[nodiscard]] std::vector<Slab> plan_slabs(const GridFile& file, const StoredField& field,
                                           const SlabOptions& options, const SlabCost& cost);

/// Throws Error(unsupported) as the analyses of a grid in memory do, for a field with a value that is not a
/// number. Reads the whole field.
[[noreturn]] void refuse_nan_in(const GridFile& file, const StoredField& field, const Exec& exec);

/// Tells of slabs that are done; says nothing of what happens within one, which may be stopped.
class SlabMonitor {
 public:
  /// The fraction goes from `begin` to `end`.
  SlabMonitor(const Monitor* monitor, std::string_view stage, std::size_t slabs, double begin = 0,
              double end = 1);
  void update(std::size_t done) const;
  [[nodiscard]] const Monitor& within() const { return within_; }

 private:
  const Monitor& monitor_;
  Monitor within_;
  std::string_view stage_;
  double begin_;
  double step_;
};

}  // namespace tessera::detail
