// Verbs that take a surface of triangles.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <variant>

#include <tessera/core/error.h>
#include <tessera/mesh/mesh.h>

#include "application/session.h"
#include "application/text.h"
#include "data/fields.h"
#include "data/files.h"

namespace tessera::cli {

/// The triangles of an input, once its notes are said. Error(unsupported), which begins with `what`, for
/// others.
[[nodiscard]] inline TriMesh& triangles_of(Session& session, Input& input, const std::filesystem::path& file,
                                           std::string_view what) {
  for (const std::string& note : input.report.notes) session.note(note);
  if (auto* surface = std::get_if<TriMesh>(&input.mesh)) return *surface;
  throw Error(ErrorCode::unsupported,
              fmt::format("{}, but '{}' is a {}", what, file.string(), kind_name(input.mesh)));
}

/// Says how far points have moved, and gives them to the surface.
inline void move_surface(Session& session, TriMesh& surface, Points points) {
  double sum = 0;
  double highest = 0;
  for (const VertexId v : surface.vertices()) {
    const double distance = length(points[v] - surface.points[v]);
    sum += distance;
    highest = std::max(highest, distance);
  }
  const double mean = surface.vertex_count() == 0 ? 0 : sum / static_cast<double>(surface.vertex_count());
  session.result()["moved"] = {{"mean", mean}, {"highest", highest}};
  session.print("  points moved by {} on the average, by {} at most\n", number_text(mean),
                number_text(highest));
  if (surface.point_data.has("Normals") || surface.cell_data.has("Normals"))
    session.note("The field \"Normals\" is that of the points before they moved.");
  surface.points = std::move(points);
}

}  // namespace tessera::cli
