// Verbs that take a surface of triangles.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/exec/detail/stoppable.h>
#include <tessera/exec/work.h>
#include <tessera/mesh/mesh.h>
#include <tessera/surface/detail/move_points.h>
#include <tessera/surface/detail/sound_surface.h>

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

/// What a surface was made without, as sentences: triangles that do not count, or count once.
[[nodiscard]] inline std::vector<std::string> describe_unsound(const detail::SoundSurface& surface) {
  const detail::SoundTriangles* const sound = surface.triangles();
  std::vector<std::string> sentences;
  if (sound == nullptr) return sentences;
  if (sound->repeated > 0) {
    sentences.push_back(
        sound->repeated == 1
            ? "1 triangle is there more than once and counts once"
            : fmt::format("{} triangles are there more than once and count once", grouped(sound->repeated)));
  }
  if (sound->degenerate > 0) {
    sentences.push_back(
        sound->degenerate == 1
            ? "1 triangle names a point twice and does not count"
            : fmt::format("{} triangles name a point twice and do not count", grouped(sound->degenerate)));
  }
  return sentences;
}

/// The points of a surface after move(positions), where --device says. Triangles that do not count are said.
template <class Move>
[[nodiscard]] Points move_points(Session& session, const Work& work, const TriMesh& surface,
                                 const Move& move) {
  Points points;
  std::vector<std::string> unsound;
  session.run_on_device(work, [&](const Exec& exec) {
    session.in_phase(Phase::compute, [&] {
      const detail::SoundSurface sound(
          surface, {.exec = detail::stoppable(exec, &session.monitor()), .monitor = &session.monitor()});
      points = detail::move_points(sound.surface(), move);
      unsound = describe_unsound(sound);
    });
  });
  for (const std::string& sentence : unsound) session.note(sentence);
  return points;
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
