// Results as lines of text, the way reference results are written down, and a checksum of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "topology/results.h"

namespace tessera::testing {

/// How many lines and the FNV-1a hash (64 bits) of the sorted lines, each ended by a newline.
struct Digest {
  std::size_t lines;
  std::uint64_t hash;
  friend bool operator==(const Digest&, const Digest&) = default;
};

inline Digest digest(std::vector<std::string> lines) {
  std::sort(lines.begin(), lines.end());
  std::uint64_t hash = 0xCBF29CE484222325ull;
  for (std::string& line : lines) {
    line += '\n';
    for (const char c : line) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  }
  return {lines.size(), hash};
}

inline std::string to_text(const Simplex& simplex) {
  std::string text;
  for (const std::uint32_t v : simplex) text += (text.empty() ? "" : ",") + std::to_string(v);
  return text;
}

/// "vertex type"
inline std::vector<std::string> point_lines(const Results& results) {
  std::vector<std::string> lines;
  for (const CriticalPoint& point : results.points) {
    lines.push_back(std::to_string(point.vertex.index()) + " " +
                    std::to_string(static_cast<int>(point.type)));
  }
  return lines;
}
/// "dimension vertices"
inline std::vector<std::string> cell_lines(const Results& results) {
  std::vector<std::string> lines;
  for (std::size_t d = 0; d < results.critical.size(); ++d) {
    for (const Simplex& cell : results.critical[d]) lines.push_back(std::to_string(d) + " " + to_text(cell));
  }
  return lines;
}
/// "facet coface"
inline std::vector<std::string> pair_lines(const Results& results) {
  std::vector<std::string> lines;
  for (const auto& [facet, coface] : results.pairs) lines.push_back(to_text(facet) + " " + to_text(coface));
  return lines;
}
/// "type source destination"
inline std::vector<std::string> path_lines(const Results& results) {
  std::vector<std::string> lines;
  for (const NamedPath& path : results.paths) {
    lines.push_back(std::to_string(static_cast<int>(path.type)) + " " + to_text(path.cells.front()) + " " +
                    to_text(path.cells.back()));
  }
  return lines;
}

}  // namespace tessera::testing
