// Pictures of how good triangles were before and after, as SVG.
#pragma once

#include <string>
#include <string_view>

#include <tessera/surface/quality.h>

#include "data/mesh_quality.h"

namespace tessera::cli {

/// The quality of triangles: two histograms in one.
[[nodiscard]] std::string make_quality_svg(std::string_view title, const QualitySummary& before,
                                           const QualitySummary& after);
/// Lengths of edges, valences and angles: three of them side by side, as parts of all.
[[nodiscard]] std::string make_quality_svg(std::string_view title, const MeshQuality& before,
                                           const MeshQuality& after);

}  // namespace tessera::cli
