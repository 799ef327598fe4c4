// A picture of layers of geometry: light, colours, camera, colour bar, as the bytes of a PNG file.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <tessera/core/memory.h>
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

  /// One value, or NaN alone: there is no range to draw a bar for.
  [[nodiscard]] bool is_constant() const { return !(lowest < highest); }
};

/// What is drawn of one file.
struct Layer {
  Geometry geometry;
  bool is_colored = false;                ///< by the field
  Color color = {0.64, 0.72, 0.82};       ///< otherwise
  Color line_color = {0.25, 0.36, 0.52};  ///< likewise, of lines and points
  double opacity = 1;                     ///< of surfaces and cuts
  std::string name;                       ///< for the legend; empty: it is not in there
};

struct PictureOptions {
  Style style = Style::surface;
  Camera camera;
  std::vector<Layer> layers;
  std::optional<Coloring> coloring;
  std::vector<Mark> marks;  ///< with a legend
  double mark_size = 1;     ///< a factor for lines and points
  int width = 1200;
  int height = 900;
  Color background = {1, 1, 1};
  const Monitor* monitor = nullptr;
};

/// What drawing it takes, an estimate: the libraries that draw in software, buffers of the window and what
/// they keep of the geometry.
[[nodiscard]] Bytes drawing_bytes(const PictureOptions& options);

/// Needs a Display. The same picture for the same input on the same OpenGL.
[[nodiscard]] std::string draw_png(const PictureOptions& options);

}  // namespace tessera::cli
