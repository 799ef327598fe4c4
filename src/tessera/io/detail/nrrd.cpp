// Reader of NRRD (.nrrd, .nhdr): teem's header of "field: value" lines up to an empty one, and one array.
#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include <tessera/io/detail/formats.h>
#include <tessera/io/detail/raster.h>
#include <tessera/io/detail/text.h>

namespace tessera::detail::io {
namespace {

std::optional<ScalarType> parse_type(const std::string& name) {
  static const std::map<std::string, ScalarType> types = {{"char", ScalarType::i8},
                                                          {"signed char", ScalarType::i8},
                                                          {"int8", ScalarType::i8},
                                                          {"int8_t", ScalarType::i8},
                                                          {"uchar", ScalarType::u8},
                                                          {"unsigned char", ScalarType::u8},
                                                          {"uint8", ScalarType::u8},
                                                          {"uint8_t", ScalarType::u8},
                                                          {"short", ScalarType::i16},
                                                          {"short int", ScalarType::i16},
                                                          {"signed short", ScalarType::i16},
                                                          {"signed short int", ScalarType::i16},
                                                          {"int16", ScalarType::i16},
                                                          {"int16_t", ScalarType::i16},
                                                          {"ushort", ScalarType::u16},
                                                          {"unsigned short", ScalarType::u16},
                                                          {"unsigned short int", ScalarType::u16},
                                                          {"uint16", ScalarType::u16},
                                                          {"uint16_t", ScalarType::u16},
                                                          {"int", ScalarType::i32},
                                                          {"signed int", ScalarType::i32},
                                                          {"int32", ScalarType::i32},
                                                          {"int32_t", ScalarType::i32},
                                                          {"uint", ScalarType::u32},
                                                          {"unsigned int", ScalarType::u32},
                                                          {"uint32", ScalarType::u32},
                                                          {"uint32_t", ScalarType::u32},
                                                          {"longlong", ScalarType::i64},
                                                          {"long long", ScalarType::i64},
                                                          {"long long int", ScalarType::i64},
                                                          {"signed long long", ScalarType::i64},
                                                          {"signed long long int", ScalarType::i64},
                                                          {"int64", ScalarType::i64},
                                                          {"int64_t", ScalarType::i64},
                                                          {"ulonglong", ScalarType::u64},
                                                          {"unsigned long long", ScalarType::u64},
                                                          {"unsigned long long int", ScalarType::u64},
                                                          {"uint64", ScalarType::u64},
                                                          {"uint64_t", ScalarType::u64},
                                                          {"float", ScalarType::f32},
                                                          {"double", ScalarType::f64}};
  const auto found = types.find(to_lower(name));
  return found == types.end() ? std::nullopt : std::optional(found->second);
}

class NrrdReader {
 public:
  NrrdReader(Input& input, FileReport& report) : input_(input), report_(report) {}

  Grid read(const ReadOptions& options) {
    read_header();
    read_shape();
    read_place();
    read_encoding();
    if (const std::string* content = take("content"); content != nullptr && !content->empty())
      raster_.name = *content;
    std::vector<std::string> others;
    for (const auto& [name, value] : fields_) {
      // Numbers about the numbers, which say nothing that the numbers do not.
      constexpr std::array<std::string_view, 8> silent = {"min",     "max",    "old min", "oldmin",
                                                          "old max", "oldmax", "number",  "block size"};
      if (!taken_.contains(name) && std::ranges::find(silent, name) == silent.end())
        others.push_back(name.substr(0, name.find(":=")));
    }
    note_header_fields(others, report_);
    return read_raster(input_, raster_, options, report_);
  }

 private:
  void read_header() {
    if (!input_.line().starts_with("NRRD000")) input_.fail("does not begin with \"NRRD000\"");
    while (!input_.at_end()) {
      const std::string line(input_.line());
      if (line.empty()) return;
      if (line.starts_with('#')) continue;
      const std::size_t colon = line.find(':');
      if (colon == std::string::npos)
        input_.fail("has the line \"" + line.substr(0, 40) + "\" in its header, which is no field");
      const bool is_pair = line.substr(colon).starts_with(":=");
      // Pairs are the user's: they keep their names and are no fields.
      const std::string name = is_pair ? line.substr(0, colon) + ":=" : to_lower(trim(line.substr(0, colon)));
      std::string value = trim(std::string_view(line).substr(colon + (is_pair ? 2 : 1)));
      if (!fields_.emplace(name, std::move(value)).second && !is_pair)
        input_.fail("has the field \"" + name.substr(0, 40) + "\" twice");
      // A list of files goes on to the end of the header's file.
      if (name == "data file" || name == "datafile") has_file_ = true;
    }
    if (!has_file_) input_.fail("ends inside its header");
  }

  const std::string* take(const std::string& name) {
    const auto found = fields_.find(name);
    if (found == fields_.end()) return nullptr;
    taken_[name] = true;
    return &found->second;
  }

  const std::string& need(const std::string& name) {
    const std::string* const value = take(name);
    if (value == nullptr) input_.fail("has no field \"" + name + "\"");
    return *value;
  }

  /// The words of a field with one for each axis; empty if there is no such field.
  std::vector<std::string> axis_words(const std::string& name) {
    const std::string* const value = take(name);
    std::vector<std::string> result;
    if (value == nullptr) return result;
    Words words(*value);
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) result.emplace_back(word);
    check_axes(name, result.size());
    return result;
  }

  void check_axes(const std::string& name, std::size_t count) const {
    if (count != dimension_) {
      input_.fail("has " + std::to_string(count) + " values in its field \"" + name + "\" for " +
                  std::to_string(dimension_) + " axes");
    }
  }

  void read_shape() {
    const std::string& type = need("type");
    const auto scalar = parse_type(type);
    if (!scalar) input_.refuse("has the type \"" + type.substr(0, 40) + "\"");
    raster_.type = *scalar;
    const std::int64_t dimension = parse_integers(input_, "dimension", need("dimension"))[0];
    if (dimension < 2 || dimension > 4)
      input_.refuse("has the dimension " + std::to_string(dimension) + "; only 2, 3 and 4 can be read");
    dimension_ = static_cast<std::size_t>(dimension);
    const std::vector<std::int64_t> sizes = parse_integers(input_, "sizes", need("sizes"));
    check_axes("sizes", sizes.size());
    if (std::ranges::any_of(sizes, [](std::int64_t n) { return n <= 0; }))
      input_.fail("has an axis without points");
    raster_.sizes.assign(sizes.begin(), sizes.end());
    read_directions();
    const std::vector<std::string> kinds = axis_words("kinds");
    const auto is_of_points = [&](std::size_t axis) {
      if (!directions_.empty()) return directions_[axis].has_value();
      return kinds.empty() ? dimension_ < 4 || axis > 0
                           : kinds[axis] == "domain" || kinds[axis] == "space" || kinds[axis] == "???" ||
                                 kinds[axis] == "none";
    };
    for (std::size_t axis = 1; axis < dimension_; ++axis) {
      if (!is_of_points(axis)) input_.refuse("has components along another axis than its first");
    }
    has_components_ = !is_of_points(0);
    if (!has_components_) return;
    raster_.components = raster_.sizes[0];
    raster_.sizes.erase(raster_.sizes.begin());
  }

  /// "none (1,0,0) (0,1,0) (0,0,1)"
  void read_directions() {
    const std::string* const text = take("space directions");
    if (text == nullptr) return;
    std::string_view rest = *text;
    for (;;) {
      rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
      if (rest.empty()) break;
      const bool is_none = rest.starts_with("none");
      const std::size_t end = is_none ? 4 : std::min(rest.find(')'), rest.size() - 1) + 1;
      directions_.push_back(is_none ? std::nullopt
                                    : std::optional(parse_vector("space directions", rest.substr(0, end))));
      rest.remove_prefix(end);
    }
    check_axes("space directions", directions_.size());
  }

  Vec3d parse_vector(const std::string& field, std::string_view text) const {
    if (!text.starts_with('(') || !text.ends_with(')'))
      input_.fail("has \"" + std::string(text.substr(0, 40)) + "\" in its field \"" + field + "\"");
    std::string numbers(text.substr(1, text.size() - 2));
    std::ranges::replace(numbers, ',', ' ');
    std::vector<double> values = parse_numbers(input_, field, numbers);
    if (values.size() < 2 || values.size() > 3)
      input_.refuse("is in a space of other than 2 or 3 dimensions");
    values.resize(3, 0);
    return {values[0], values[1], values[2]};
  }

  void read_place() {
    static_cast<void>(take("space dimension"));
    if (const std::string* const origin = take("space origin"))
      raster_.origin = parse_vector("space origin", *origin);
    const std::size_t first = has_components_ ? 1 : 0;
    const std::size_t count = std::min<std::size_t>(dimension_ - first, 3);
    if (!directions_.empty()) {
      for (std::size_t a = 0; a < count; ++a) raster_.axes[a] = *directions_[first + a];
      return;
    }
    const std::vector<std::string> spacings = axis_words("spacings");
    for (std::size_t a = 0; a < count && !spacings.empty(); ++a) {
      const double step = parse_numbers(input_, "spacings", spacings[first + a])[0];
      // Not a number stands for unknown.
      if (step == step) raster_.axes[a] = step * raster_.axes[a];
    }
  }

  void read_encoding() {
    const std::string encoding = to_lower(need("encoding"));
    if (encoding == "gzip" || encoding == "gz") {
      raster_.encoding = RasterEncoding::deflated;
    } else if (encoding == "ascii" || encoding == "text" || encoding == "txt") {
      raster_.encoding = RasterEncoding::text;
    } else if (encoding != "raw") {
      input_.refuse("has the encoding \"" + encoding.substr(0, 40) +
                    "\"; only raw, gzip and ascii can be read");
    }
    const std::string* const endian = take("endian");
    const std::string order = endian == nullptr ? "" : to_lower(*endian);
    if (order != "little" && order != "big" &&
        (!order.empty() || (raster_.encoding != RasterEncoding::text && size_of(raster_.type) > 1)))
      input_.fail("has \"" + order + "\" in its field \"endian\", which must be little or big");
    raster_.is_big_endian = order == "big";
    const std::int64_t lines = skipped("line skip", "lineskip");
    raster_.skipped_bytes = skipped("byte skip", "byteskip");
    if (lines < 0 || raster_.skipped_bytes < -1) input_.refuse("skips a negative number of lines or bytes");
    raster_.skipped_lines = static_cast<std::uint64_t>(lines);
    const std::string* file = take("data file");
    if (file == nullptr) file = take("datafile");
    if (file == nullptr) return;
    if (file->starts_with("LIST") || file->find('%') != std::string::npos)
      input_.refuse("has its data in several files");
    if (file->empty()) input_.fail("does not name its data file");
    raster_.file = *file;
  }

  std::int64_t skipped(const std::string& name, const std::string& other) {
    const std::string* value = take(name);
    if (value == nullptr) value = take(other);
    return value == nullptr ? 0 : parse_integers(input_, name, *value)[0];
  }

  Input& input_;
  FileReport& report_;
  Raster raster_;
  std::map<std::string, std::string> fields_;
  std::map<std::string, bool> taken_;
  bool has_file_ = false;
  bool has_components_ = false;
  std::size_t dimension_ = 0;
  std::vector<std::optional<Vec3d>> directions_;  // of all axes; none for components
};

}  // namespace

AnyMesh read_nrrd(Input& input, const ReadOptions& options, FileReport& report) {
  return NrrdReader(input, report).read(options);
}

}  // namespace tessera::detail::io
