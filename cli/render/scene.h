// What is drawn in one picture: the files that were read, and the field that they are coloured by.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tessera/mesh/mesh.h>

#include "application/session.h"
#include "data/extent.h"
#include "data/files.h"
#include "render/camera.h"
#include "render/geometry.h"
#include "render/marks.h"
#include "render/picture.h"

namespace tessera::cli {

/// A file that was read. If its cells are not all triangles or tetrahedra, the mesh has the points and
/// fields, and no cells.
struct Source {
  std::filesystem::path file;
  Input input;
  std::optional<CellMesh> cells;  ///< without points and fields
  bool is_colored = false;        ///< its one field is the one to draw

  /// Could something be inside?
  [[nodiscard]] bool is_solid() const;
  [[nodiscard]] std::size_t cell_count() const;
  /// "grid", "polygon mesh"
  [[nodiscard]] std::string_view kind() const;
};

struct Scene {
  std::vector<Source> sources;
  MarkFiles marks;
  std::vector<Reservation> mark_room;
};

struct SceneFiles {
  std::vector<std::filesystem::path> files;
  std::filesystem::path critical_points, separatrices;
  /// How to read them; its own file does not count. Only the first may be a raw volume.
  InputOptions reading = {.file = {}, .simplices = false};
  bool colors_first = false;  ///< by a field, so that the first of the files is no mark
};

/// Reads all of them. Those of `files` that hold critical points or separatrices are marks.
[[nodiscard]] Scene read_scene(Session& session, const SceneFiles& files);

/// Of everything that is drawn.
[[nodiscard]] Extent extent_of(const Scene& scene);

struct ColorOptions {
  std::string field;  ///< empty: one colour
  std::string component = "magnitude";
  std::optional<std::pair<double, double>> range;  ///< none: that of the field
  std::string colormap = "viridis";
  bool has_bar = true;
};

/// Leaves the sources with nothing but the scalar that is drawn and says how to colour it; those that have no
/// such field stay plain. Error(not_found) if none has it.
[[nodiscard]] std::optional<Coloring> color_scene(Session& session, const ColorOptions& options,
                                                  Scene& scene);

}  // namespace tessera::cli
