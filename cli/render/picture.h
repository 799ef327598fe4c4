// A picture of geometry: light, colours, camera, colour bar, as the bytes of a PNG file.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <tessera/core/progress.h>
#include <tessera/core/vec.h>

#include "render/camera.h"
#include "render/colormap.h"
#include "render/geometry.h"
#include "render/marks.h"

namespace tessera::cli {

/// The field's colours and the title of their bar.
struct Coloring {
  std::string colormap = "viridis";
  double lowest = 0;
  double highest = 1;
  std::string title;
  bool has_bar = true;
};

struct PictureOptions {
  Style style = Style::surface;
  Camera camera;
  std::optional<Coloring> coloring;  ///< none: one colour
  double opacity = 1;                ///< of surfaces and cuts, not of marks
  std::vector<Mark> marks;           ///< with a legend
  int width = 1200;
  int height = 900;
  Color background = {1, 1, 1};
  const Monitor* monitor = nullptr;
};

/// Needs a Display. The same picture for the same input on the same OpenGL.
[[nodiscard]] std::string draw_png(const Geometry& geometry, const PictureOptions& options);

}  // namespace tessera::cli
