#include <tessera/io/detail/raster.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include <tessera/io/detail/inflater.h>
#include <tessera/io/detail/text.h>

namespace tessera::detail::io {
namespace {

void read_inflated(Inflater& inflater, unsigned char* to, std::uint64_t bytes) {
  for (std::size_t done = 0; bytes > 0; to += done, bytes -= done) done = inflater.unpack(to, bytes);
}

void skip_inflated(Inflater& inflater, std::uint64_t bytes) {
  std::array<unsigned char, 4096> ignored = {};
  for (; bytes > 0; bytes -= std::min<std::uint64_t>(bytes, ignored.size()))
    read_inflated(inflater, ignored.data(), std::min<std::uint64_t>(bytes, ignored.size()));
}

/// Reads the end of the data, with the sum that checks them. False if there are more.
bool ends_here(Inflater& inflater) {
  unsigned char more = 0;
  while (!inflater.is_between_members()) {
    if (inflater.unpack(&more, 1) > 0) return false;
  }
  return true;
}

/// Shows that the file can hold the numbers, before memory is taken for them.
void check_size(const Input& input, const Raster& raster, std::uint64_t count) {
  if (raster.encoding == RasterEncoding::deflated)
    return check_expansion(input, input.remaining(), count * size_of(raster.type));
  input.require(count, raster.encoding == RasterEncoding::text ? 1 : size_of(raster.type), "numbers");
}

void skip(Input& input, const Raster& raster, std::uint64_t bytes) {
  for (std::uint64_t i = 0; i < raster.skipped_lines; ++i) {
    if (input.at_end()) input.fail("ends within the lines that are to be skipped");
    static_cast<void>(input.line());
  }
  if (raster.encoding == RasterEncoding::deflated) {
    if (raster.skipped_bytes < 0) input.refuse("has compressed data whose place is given from the end");
  } else if (raster.skipped_bytes < 0) {
    if (bytes > input.size()) input.fail("is shorter than its data, " + std::to_string(bytes) + " bytes");
    input.seek(input.size() - bytes);
  } else {
    input.require(static_cast<std::uint64_t>(raster.skipped_bytes), 1, "bytes to skip");
    input.seek(input.position() + static_cast<std::uint64_t>(raster.skipped_bytes));
  }
}

Field read_field(Input& input, const Raster& raster, std::uint64_t points, FileReport& report) {
  if (raster.components == 0 || raster.components > std::numeric_limits<std::uint64_t>::max() / 8 / points)
    input.fail("has " + std::to_string(raster.components) + " components");
  const std::uint64_t count = points * raster.components;
  if (raster.skipped_bytes < 0 && raster.encoding == RasterEncoding::text)
    input.refuse("has text whose place is given from the end");
  skip(input, raster, count * size_of(raster.type));
  check_size(input, raster, count);
  Field field(raster.name, raster.type, points, raster.components);
  field.visit([&](auto values) {
    using T = typename decltype(values)::element_type;
    if (raster.encoding == RasterEncoding::text) return read_text<T>(input, values);
    if (raster.encoding == RasterEncoding::raw) return read_binary<T>(input, values, raster.is_big_endian);
    Inflater inflater(input);
    skip_inflated(inflater, static_cast<std::uint64_t>(raster.skipped_bytes));
    read_inflated(inflater, reinterpret_cast<unsigned char*>(values.data()), values.size_bytes());
    if (!ends_here(inflater)) report.notes.emplace_back("Left out numbers behind those that the sizes name.");
    if (raster.is_big_endian != (std::endian::native == std::endian::big))
      swap_bytes(values.data(), values.size(), sizeof(T));
  });
  if (raster.encoding == RasterEncoding::text && !input.token().empty())
    input.fail("holds more numbers than its sizes say");
  if (raster.encoding != RasterEncoding::text && input.remaining() > 0)
    report.notes.push_back("Left out " + std::to_string(input.remaining()) + " bytes behind the data.");
  return field;
}

double component(const Vec3d& v, int i) {
  return i == 0 ? v.x : i == 1 ? v.y : v.z;
}

/// Spacing along the axes of space if the steps are, with their signs; otherwise a rotation and lengths.
void set_axes(const Input& input, Grid& grid, std::array<Vec3d, 3> axes, bool is_flat) {
  if (is_flat) axes[2] = {0, 0, 1};
  const bool is_aligned = axes[0].y == 0 && axes[0].z == 0 && axes[1].x == 0 && axes[1].z == 0 &&
                          axes[2].x == 0 && axes[2].y == 0;
  if (is_flat && !is_aligned) {
    const Vec3d normal = cross(axes[0], axes[1]);
    axes[2] = (1 / length(normal)) * normal;
  }
  std::array<double, 3> lengths = {axes[0].x, axes[1].y, axes[2].z};
  for (int a = 0; a < 3 && !is_aligned; ++a) lengths[a] = length(axes[a]);
  for (const double step : lengths) {
    if (!std::isfinite(step) || step == 0) input.fail("has axes without a length");
  }
  if (!is_aligned) {
    if (dot(cross(axes[0], axes[1]), axes[2]) < 0) lengths[2] = -lengths[2];  // a mirrored grid
    for (int a = 0; a < 3; ++a) {
      constexpr double tolerance = 1e-6;
      const int b = (a + 1) % 3;
      if (std::abs(dot(axes[a], axes[b])) > tolerance * std::abs(lengths[a] * lengths[b]))
        input.refuse("has axes that are not at right angles");
      for (int row = 0; row < 3; ++row) grid.direction[3 * row + a] = component(axes[a], row) / lengths[a];
    }
  }
  grid.spacing = {lengths[0], lengths[1], lengths[2]};
}

void set_sizes(const Input& input, Grid& grid, const std::vector<std::uint64_t>& sizes) {
  if (sizes.size() < 2 || sizes.size() > 3)
    input.refuse("has " + std::to_string(sizes.size()) + " axes of points; only 2 or 3 can be read");
  std::uint64_t product = 1;
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    if (sizes[axis] == 0) input.fail("has an axis without points");
    if (sizes[axis] > std::numeric_limits<std::uint32_t>::max() / product)
      input.refuse("has more than 4294967295 points");
    product *= sizes[axis];
    grid.dims[axis] = static_cast<std::uint32_t>(sizes[axis]);
  }
}

template <class T>
std::vector<T> parse_list(const Input& input, std::string_view field, std::string_view text) {
  std::vector<T> values;
  Words words(text);
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    if (!parse_number(word, values.emplace_back()))
      input.fail("has \"" + std::string(word.substr(0, 40)) + "\" in its field \"" + std::string(field) +
                 "\"");
  }
  if (values.empty()) input.fail("has nothing in its field \"" + std::string(field) + "\"");
  return values;
}

}  // namespace

Grid read_raster(Input& input, const Raster& raster, const ReadOptions& options, FileReport& report) {
  Grid grid;
  set_sizes(input, grid, raster.sizes);
  set_axes(input, grid, raster.axes, raster.sizes.size() == 2);
  grid.origin = raster.origin;
  if (raster.file.empty()) {
    grid.point_data.add(read_field(input, raster, grid.vertex_count(), report));
    return grid;
  }
  try {
    report.parts.push_back(std::filesystem::path(input.name()).parent_path() / raster.file);
    Input data(report.parts.back(), options.monitor, Packing::none);
    if (data.size() == 0) data.fail("is empty");
    grid.point_data.add(read_field(data, raster, grid.vertex_count(), report));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::cancelled) throw;
    throw Error(error.code(), input.name() + ": its data file " + error.what());
  }
  return grid;
}

std::vector<double> parse_numbers(const Input& input, std::string_view field, std::string_view text) {
  return parse_list<double>(input, field, text);
}

std::vector<std::int64_t> parse_integers(const Input& input, std::string_view field, std::string_view text) {
  return parse_list<std::int64_t>(input, field, text);
}

std::string trim(std::string_view text) {
  constexpr std::string_view spaces = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
  return std::string(text.substr(0, text.find_last_not_of(spaces) + 1));
}

void note_header_fields(const std::vector<std::string>& fields, FileReport& report) {
  LeftOutNames names;
  for (const std::string& field : fields) names.add("\"" + field.substr(0, 38) + "\"");
  names.note("fields of the header", report);
}

}  // namespace tessera::detail::io
