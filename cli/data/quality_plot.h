// A picture of how good triangles were before and after: two histograms in one, as SVG.
#pragma once

#include <string>
#include <string_view>

#include <tessera/surface/quality.h>

namespace tessera::cli {

[[nodiscard]] std::string make_quality_svg(std::string_view title, const QualitySummary& before,
                                           const QualitySummary& after);

}  // namespace tessera::cli
