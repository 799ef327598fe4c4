// Puts paths that threads and devices have found together into one Separatrices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <tessera/core/csr.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/topology/detail/cuda/analyses.h>
#include <tessera/topology/morse_smale.h>

namespace tessera::detail {

/// Paths of a few saddles, in their order.
struct PathPart {
  std::vector<Separatrices::Ends> ends;
  std::vector<std::uint32_t> sizes;
  std::vector<CellName> cells;

  void end_path(const Separatrices::Ends& path, std::size_t begin) {
    ends.push_back(path);
    sizes.push_back(static_cast<std::uint32_t>(cells.size() - begin));
  }
};

class PathJoiner {
 public:
  /// Paths of one type, after all that were added before.
  void add(SeparatrixType type, PathPart part) {
    const Place place = advance(type, part.ends.size(), part.cells.size());
    parts_.push_back({std::move(part), place});
  }
  void add(SeparatrixType type, std::vector<PathPart> parts) {
    for (PathPart& part : parts) add(type, std::move(part));
  }
  /// The same for some that are on a device and stay there until they are joined.
  void add(SeparatrixType type, const cuda::DevicePaths& paths, host::Range which, host::Range cells) {
    const Place place = advance(type, which.size(), cells.size());
    runs_.push_back({&paths, which, cells, place});
  }

  /// `device`: where the paths on a device are.
  [[nodiscard]] Separatrices join(const Exec& host, const Exec& device) {
    Separatrices result;
    result.cells.resize(checked_offset(size_.cell));
    result.ends.resize(size_.path);
    result.offsets.resize(size_.path + 1);
    result.counts = count_;
    host::for_each_chunk(host.threads(), parts_.size(), 1, [&](host::Range range, int) {
      PathPart part = std::move(parts_[range.begin].part);
      const Place to = parts_[range.begin].place;
      std::copy(part.ends.begin(), part.ends.end(), result.ends.begin() + to.path);
      std::copy(part.sizes.begin(), part.sizes.end(), result.offsets.begin() + to.path);
      std::copy(part.cells.begin(), part.cells.end(), result.cells.begin() + to.cell);
    });
    for (const Run& run : runs_) {
      const auto fetch = [&](auto* to, const auto* from, host::Range range) {
        detail::copy(device, to, from + range.begin, range.size() * sizeof(*to), detail::CopyKind::to_host);
      };
      fetch(result.ends.data() + run.place.path, run.paths->ends.data(), run.which);
      fetch(result.offsets.data() + run.place.path, run.paths->sizes.data(), run.which);
      fetch(result.cells.data() + run.place.cell, run.paths->cells.data(), run.cells);
    }
    result.offsets.back() = 0;
    std::exclusive_scan(result.offsets.begin(), result.offsets.end(), result.offsets.begin(), 0u);
    return result;
  }

 private:
  struct Place {
    std::size_t path = 0;
    std::size_t cell = 0;
  };
  struct PlacedPart {
    PathPart part;
    Place place;
  };
  struct Run {
    const cuda::DevicePaths* paths;
    host::Range which;
    host::Range cells;
    Place place;
  };

  Place advance(SeparatrixType type, std::size_t paths, std::size_t cells) {
    count_[static_cast<std::size_t>(type)] += paths;
    return std::exchange(size_, {size_.path + paths, size_.cell + cells});
  }

  std::vector<PlacedPart> parts_;
  std::vector<Run> runs_;
  std::array<std::size_t, 3> count_ = {};
  Place size_;
};

}  // namespace tessera::detail
