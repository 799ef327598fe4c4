// Where the eye is and what is up in the picture.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tessera/core/vec.h>
#include <tessera/generate/extract.h>

namespace tessera::cli {

/// Around the middle of what is drawn; 0, 0 looks at its front.
struct Camera {
  double azimuth = 0;    ///< degrees about the upright axis, towards its right
  double elevation = 0;  ///< degrees above the horizon
  double zoom = 1;
  Vec3d right = {1, 0, 0};    ///< of what is drawn, seen from the front
  Vec3d upright = {0, 0, 1};  ///< of what is drawn

  /// The direction from what is drawn to the eye.
  [[nodiscard]] Vec3d direction() const;
  /// What is up in the picture.
  [[nodiscard]] Vec3d up() const;
};

/// The names that make_camera() knows, the default first.
[[nodiscard]] std::vector<std::string> camera_names();
/// x, y, z and their opposites.
[[nodiscard]] std::vector<std::string> up_names();

/// The axis that is up in files of a format: models of artists and scanners stand on y, all else on z.
[[nodiscard]] std::string_view default_up(std::string_view format);

/// Both names must be known. "auto" looks at flat things along the axis that they do not extend in, and is
/// "iso" for others.
[[nodiscard]] Camera make_camera(std::string_view name, std::string_view up, const Box& box);

}  // namespace tessera::cli
