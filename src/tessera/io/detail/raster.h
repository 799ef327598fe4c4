// What NRRD and MetaImage share: a header of lines that describes one array on a regular grid, in the same
// file or in another one.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/io/detail/input.h>
#include <tessera/io/io.h>

namespace tessera::detail::io {

enum class RasterEncoding : std::uint8_t { raw, text, deflated };

struct Raster {
  std::string name = "values";
  std::vector<std::uint64_t> sizes;  ///< points an axis, two or three of them
  std::uint64_t components = 1;
  ScalarType type = ScalarType::u8;
  std::array<Vec3d, 3> axes = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};  ///< from a point to the next
  Vec3d origin = {0, 0, 0};
  RasterEncoding encoding = RasterEncoding::raw;
  bool is_big_endian = false;
  std::uint64_t skipped_lines = 0;
  std::int64_t skipped_bytes = 0;  ///< -1: the data are the last bytes of their file
  std::string file;                ///< that holds the data; empty: what follows in the header's
};

/// Reads the data; `input` stands behind the header. Refuses axes that are not at right angles.
[[nodiscard]] Grid read_raster(Input& input, const Raster& raster, const ReadOptions& options,
                               FileReport& report);

/// The numbers of a line, at least one; fails with the name of the header's field.
[[nodiscard]] std::vector<double> parse_numbers(const Input& input, std::string_view field,
                                                std::string_view text);
/// The same for a single integer or several.
[[nodiscard]] std::vector<std::int64_t> parse_integers(const Input& input, std::string_view field,
                                                       std::string_view text);
/// Without the spaces around it.
[[nodiscard]] std::string trim(std::string_view text);
/// Notes the fields of a header that mean nothing to us.
void note_header_fields(const std::vector<std::string>& fields, FileReport& report);

}  // namespace tessera::detail::io
