// Reader of MetaImage (.mha, .mhd): "Key = value" lines, of which ElementDataFile is the last, and one array.
#include <algorithm>
#include <array>
#include <map>

#include <tessera/io/detail/formats.h>
#include <tessera/io/detail/raster.h>
#include <tessera/io/detail/text.h>

namespace tessera::detail::io {
namespace {

ScalarType parse_type(const Input& input, const std::string& name) {
  constexpr std::array<std::pair<std::string_view, ScalarType>, 12> types = {
      {{"MET_CHAR", ScalarType::i8},
       {"MET_UCHAR", ScalarType::u8},
       {"MET_SHORT", ScalarType::i16},
       {"MET_USHORT", ScalarType::u16},
       {"MET_INT", ScalarType::i32},
       {"MET_UINT", ScalarType::u32},
       {"MET_LONG", ScalarType::i32},  // four bytes wherever it is written
       {"MET_ULONG", ScalarType::u32},
       {"MET_LONG_LONG", ScalarType::i64},
       {"MET_ULONG_LONG", ScalarType::u64},
       {"MET_FLOAT", ScalarType::f32},
       {"MET_DOUBLE", ScalarType::f64}}};
  for (const auto& [known, type] : types) {
    if (name == known) return type;
  }
  input.refuse("has the ElementType \"" + name.substr(0, 40) + "\"");
}

class MetaReader {
 public:
  MetaReader(Input& input, FileReport& report) : input_(input), report_(report) {}

  Grid read(const ReadOptions& options) {
    read_header();
    read_shape();
    read_place();
    read_encoding();
    static_cast<void>(take({"CenterOfRotation"}));  // of a transform that is given by its offset
    if (take({"AnatomicalOrientation"}, "???") != "???")
      report_.notes.emplace_back("The AnatomicalOrientation is not applied.");
    std::vector<std::string> others;
    for (const auto& [name, value] : fields_) others.push_back(name);
    note_header_fields(others, report_);
    return read_raster(input_, raster_, options, report_);
  }

 private:
  void read_header() {
    while (!fields_.contains("ElementDataFile")) {
      if (input_.at_end()) input_.fail("has no ElementDataFile");
      const std::string line(input_.line());
      if (trim(line).empty()) continue;
      const std::size_t equals = line.find('=');
      if (equals == std::string::npos)
        input_.fail("has the line \"" + line.substr(0, 40) + "\" in its header, which is no field");
      const std::string name = trim(line.substr(0, equals));
      if (!fields_.emplace(name, trim(std::string_view(line).substr(equals + 1))).second)
        input_.fail("has the field \"" + name.substr(0, 40) + "\" twice");
    }
  }

  /// The value of the first of the names that is there, which the header then holds no more.
  std::string take(std::initializer_list<const char*> names, const std::string& otherwise = "") {
    for (const char* name : names) {
      const auto found = fields_.find(name);
      if (found == fields_.end()) continue;
      std::string value = std::move(found->second);
      fields_.erase(found);
      return value;
    }
    return otherwise;
  }

  std::vector<double> take_numbers(std::initializer_list<const char*> names, std::size_t count) {
    const std::string text = take(names);
    if (text.empty()) return {};
    std::vector<double> values = parse_numbers(input_, *names.begin(), text);
    check_count(*names.begin(), values.size(), count);
    return values;
  }

  void check_count(const std::string& name, std::size_t held, std::size_t wanted) const {
    if (held == wanted) return;
    input_.fail("has " + std::to_string(held) + " values in its field \"" + name + "\", which needs " +
                std::to_string(wanted));
  }

  bool take_flag(std::initializer_list<const char*> names, bool otherwise) {
    const std::string text = to_lower(take(names, otherwise ? "true" : "false"));
    if (text == "true" || text == "1" || text == "yes") return true;
    if (text != "false" && text != "0" && text != "no")
      input_.fail("has \"" + text.substr(0, 40) + "\" in its field \"" + *names.begin() + "\"");
    return false;
  }

  void read_shape() {
    const std::string object = to_lower(take({"ObjectType"}, "image"));
    if (object != "image") input_.refuse("holds the object \"" + object.substr(0, 40) + "\", not an image");
    static_cast<void>(take({"ObjectSubType"}));
    const std::int64_t dimension = parse_integers(input_, "NDims", take({"NDims"}))[0];
    if (dimension != 2 && dimension != 3)
      input_.refuse("has " + std::to_string(dimension) + " dimensions; only 2 or 3 can be read");
    dimension_ = static_cast<std::size_t>(dimension);
    const std::vector<std::int64_t> sizes = parse_integers(input_, "DimSize", take({"DimSize"}));
    check_count("DimSize", sizes.size(), dimension_);
    if (std::ranges::any_of(sizes, [](std::int64_t n) { return n <= 0; }))
      input_.fail("has an axis without points");
    raster_.sizes.assign(sizes.begin(), sizes.end());
    raster_.type = parse_type(input_, take({"ElementType"}));
    const std::int64_t channels =
        parse_integers(input_, "ElementNumberOfChannels", take({"ElementNumberOfChannels"}, "1"))[0];
    if (channels <= 0) input_.fail("has " + std::to_string(channels) + " channels");
    raster_.components = static_cast<std::uint64_t>(channels);
  }

  void read_place() {
    std::vector<double> origin = take_numbers({"Offset", "Position", "Origin"}, dimension_);
    origin.resize(3, 0);
    raster_.origin = {origin[0], origin[1], origin[2]};
    // ElementSize is the size of a pixel, which may differ from the way to the next one.
    std::vector<double> spacing = take_numbers({"ElementSpacing"}, dimension_);
    if (spacing.empty()) spacing = take_numbers({"ElementSize"}, dimension_);
    spacing.resize(3, 1);
    // The first numbers are the direction of the first axis.
    const std::vector<double> directions =
        take_numbers({"TransformMatrix", "Rotation", "Orientation"}, dimension_ * dimension_);
    for (std::size_t a = 0; a < dimension_; ++a) {
      if (!directions.empty()) {
        const double* const own = directions.data() + a * dimension_;
        raster_.axes[a] = {own[0], own[1], dimension_ == 3 ? own[2] : 0};
      }
      raster_.axes[a] = spacing[a] * raster_.axes[a];
    }
  }

  void read_encoding() {
    const bool is_binary = take_flag({"BinaryData"}, true);
    const bool is_compressed = take_flag({"CompressedData"}, false);
    static_cast<void>(take({"CompressedDataSize"}));
    if (is_compressed && !is_binary) input_.refuse("has compressed text");
    raster_.encoding = is_compressed ? RasterEncoding::deflated
                       : is_binary   ? RasterEncoding::raw
                                     : RasterEncoding::text;
    raster_.is_big_endian = take_flag({"BinaryDataByteOrderMSB", "ElementByteOrderMSB"}, false);
    raster_.skipped_bytes = parse_integers(input_, "HeaderSize", take({"HeaderSize"}, "0"))[0];
    if (raster_.skipped_bytes < -1) input_.refuse("has a negative HeaderSize");
    const std::string file = take({"ElementDataFile"});
    if (file.empty()) input_.fail("does not name its data file");
    if (file.starts_with("LIST") || file.find('%') != std::string::npos)
      input_.refuse("has its data in several files");
    if (to_lower(file) != "local") raster_.file = file;
    // What is skipped would be a part of this header, or of compressed bytes.
    if (raster_.skipped_bytes > 0 && (raster_.file.empty() || is_compressed))
      input_.refuse("has a HeaderSize before data that are compressed or in the same file");
  }

  Input& input_;
  FileReport& report_;
  Raster raster_;
  std::map<std::string, std::string> fields_;
  std::size_t dimension_ = 0;
};

}  // namespace

AnyMesh read_meta_image(Input& input, const ReadOptions& options, FileReport& report) {
  return MetaReader(input, report).read(options);
}

}  // namespace tessera::detail::io
