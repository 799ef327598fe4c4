// The quality of triangles, as the paper measures it (section 5, after Bank and Holst): 4 sqrt(3) times the
// area over the sum of the squared sides. 1 for an equilateral triangle, 0 for one without area; above 0.6 is
// acceptable.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <tessera/core/vec.h>
#include <tessera/exec/exec.h>
#include <tessera/mesh/mesh.h>

namespace tessera {

inline constexpr double acceptable_quality = 0.6;

/// 0 if the triangle is a point or has a coordinate that is no number.
[[nodiscard]] double triangle_quality(const Vec3d& a, const Vec3d& b, const Vec3d& c);

struct QualitySummary {
  std::array<std::uint64_t, 20> histogram =
      {};  ///< bin b counts from b / 20 up to (b + 1) / 20, the last 1 too
  std::uint64_t triangles = 0;
  double mean = 0;
  double median = 0;      ///< the lower of two in the middle
  double acceptable = 0;  ///< the part of all triangles above 0.6
};

/// 8 bytes a triangle for a moment. The same for any number of threads.
[[nodiscard]] QualitySummary summarize_quality(const TriMesh& mesh, const Exec& exec = Exec::host());

}  // namespace tessera
