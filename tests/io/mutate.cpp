#include "io/mutate.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <vtkCallbackCommand.h>
#include <vtkCommand.h>
#include <vtkLZ4DataCompressor.h>
#include <vtkLZMADataCompressor.h>
#include <vtkNew.h>
#include <vtkSmartPointer.h>
#include <vtkZLibDataCompressor.h>
#include <zlib.h>

namespace tessera::testing {
namespace {

constexpr std::size_t largest_file = 1 << 16;  // what repetition stops at

constexpr auto nasty_numbers = std::to_array<std::string_view>({"-1",
                                                                "0",
                                                                "1",
                                                                "2",
                                                                "3",
                                                                "255",
                                                                "65536",
                                                                "2147483647",
                                                                "2147483648",
                                                                "4294967295",
                                                                "4294967296",
                                                                "999999999999",
                                                                "9223372036854775807",
                                                                "18446744073709551615",
                                                                "1e308",
                                                                "-1e-320",
                                                                "nan",
                                                                "inf",
                                                                "0x10",
                                                                ""});
constexpr auto nasty_words =
    std::to_array<std::uint64_t>({0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x100000000, 0x7FFFFFFFFFFFFFFF,
                                  0x7FF0000000000000, 0xFFFFFFFFFFFFFFFF});

// What files of the formats are made of; a word that another format has is damage as well.
constexpr auto dictionary = std::to_array<std::string_view>(
    {// XML
     "Int8", "UInt8", "Int16", "Int32", "UInt32", "Int64", "UInt64", "Float32", "Float64", "String", "Bit",
     "ascii", "binary", "appended", "raw", "base64", "LittleEndian", "BigEndian", "vtkZLibDataCompressor",
     "vtkLZ4DataCompressor", "vtkLZMADataCompressor", "UnstructuredGrid", "PolyData", "ImageData",
     "StructuredGrid", "RectilinearGrid", "PUnstructuredGrid", "vtkMultiBlockDataSet", "connectivity",
     "offsets", "types", "faces", "faceoffsets", "Piece", "PointData", "CellData", "FieldData", "Points",
     "Cells", "Polys", "Verts", "Lines", "Strips", "Coordinates", "DataArray", "vtkGhostType",
     "GlobalPointIds", "piece_a.vtu", "piece_b.vtp", "piece_a.vti", "..", "NumberOfPoints", "NumberOfCells",
     "NumberOfComponents", "NumberOfTuples", "WholeExtent", "TimeStep",
     // legacy
     "ASCII", "BINARY", "STRUCTURED_POINTS", "STRUCTURED_GRID", "RECTILINEAR_GRID", "UNSTRUCTURED_GRID",
     "POLYDATA", "POINT_DATA", "CELL_DATA", "SCALARS", "VECTORS", "TENSORS", "NORMALS", "FIELD",
     "LOOKUP_TABLE", "COLOR_SCALARS", "TEXTURE_COORDINATES", "METADATA", "OFFSETS", "CONNECTIVITY",
     "CELL_TYPES", "CELLS", "POLYGONS", "TRIANGLE_STRIPS", "VERTICES", "LINES", "POINTS", "DIMENSIONS",
     "vtktypeint64", "unsigned_char", "bit", "char", "double", "string", "vtkIdType",
     // ply
     "binary_little_endian", "binary_big_endian", "element", "property", "list", "vertex", "face",
     "tristrips", "edge", "vertex_indices", "uchar", "ushort", "uint", "float", "int64", "end_header", "x",
     "nx", "red", "u", "v[0]", "v[1]",
     // msh, medit, tetgen
     "$Nodes", "$EndNodes", "$Elements", "$EndElements", "$Entities", "$PartitionedEntities", "$NodeData",
     "$ElementData", "$ElementNodeData", "$PhysicalNames", "$Periodic", "2.2", "4.1", "Vertices",
     "Tetrahedra", "Hexahedra", "Quadrilaterals", "Edges", "Dimension", "End",
     // volumes and surfaces
     "gzip", "hex", "sizes:", "type:", "dimension:", "spacings:", "block", "encoding:", "data file:", "LIST",
     "LOCAL", "MET_DOUBLE", "NDims", "DimSize", "ElementNumberOfChannels", "HeaderSize", "True", "f", "vt",
     "vn", "l", "facet", "endloop", "solid", "OFF", "NOFF", "COFF", "4OFF"});

template <class List>
const auto& pick(const List& list, SplitMix64& random) {
  return list[random.below(list.size())];
}

/// A part of the file, from begin to before end.
struct Part {
  std::size_t begin = 0, end = 0;
  [[nodiscard]] std::size_t size() const { return end - begin; }
};

std::string_view view(const std::string& bytes, Part part) {
  return std::string_view(bytes).substr(part.begin, part.size());
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

/// The run of such characters at or behind a random place; empty at the end if there is none.
template <class Is>
Part find_run(const std::string& bytes, SplitMix64& random, const Is& is) {
  std::size_t begin = random.below(bytes.size());
  while (begin < bytes.size() && !is(bytes[begin])) ++begin;
  std::size_t end = begin;
  while (begin > 0 && is(bytes[begin - 1])) --begin;
  while (end < bytes.size() && is(bytes[end])) ++end;
  return {begin, end};
}

void replace_number(std::string& bytes, SplitMix64& random) {
  const Part place = find_run(bytes, random, is_digit);
  std::uint64_t value = 0;
  std::from_chars(bytes.data() + place.begin, bytes.data() + place.end, value);
  std::string with(pick(nasty_numbers, random));
  switch (random.below(6)) {
    case 0: with = std::to_string(value + 1); break;
    case 1: with = std::to_string(value - 1); break;
    case 2: with = std::to_string(value * 2); break;
    case 3: with = std::to_string(random.below(80)); break;  // a type of cell, an index
    case 4: with = view(bytes, find_run(bytes, random, is_digit)); break;
    default: break;
  }
  bytes.replace(place.begin, place.size(), with);
}

void replace_name(std::string& bytes, SplitMix64& random) {
  const Part place = find_run(bytes, random, is_letter);
  const std::string with(random.below(2) == 0 ? pick(dictionary, random)
                                              : view(bytes, find_run(bytes, random, is_letter)));
  bytes.replace(place.begin, place.size(), with);
}

void replace_word(std::string& bytes, SplitMix64& random) {
  const std::uint64_t word = random.below(4) == 0 ? random.below(100) : pick(nasty_words, random);
  const std::size_t width = std::size_t{1} << random.below(4);
  const std::size_t place = random.below(bytes.size());
  const bool is_big = random.below(2) == 0;
  for (std::size_t i = 0; i < width && place + i < bytes.size(); ++i)
    bytes[place + i] = static_cast<char>(word >> (8 * (is_big ? width - 1 - i : i)));
}

void damage_bytes(std::string& bytes, SplitMix64& random) {
  const std::size_t place = random.below(bytes.size());
  const std::size_t length = std::min<std::size_t>(1 + random.below(64), bytes.size() - place);
  switch (random.below(8)) {
    case 0: bytes.resize(place); break;
    case 1: bytes[place] = static_cast<char>(bytes[place] ^ (1 << random.below(8))); break;
    case 2: bytes[place] = static_cast<char>(random()); break;
    case 3: bytes.erase(place, length); break;
    case 4: bytes.insert(random.below(bytes.size()), bytes.substr(place, length)); break;
    case 5: replace_word(bytes, random); break;
    case 6: replace_name(bytes, random); break;
    default: replace_number(bytes, random);
  }
}

/// Drops a part, writes it again, many times, elsewhere, or in the place of another one.
void rearrange(std::string& bytes, const std::vector<Part>& parts, SplitMix64& random) {
  if (parts.empty()) return;
  const Part part = pick(parts, random);
  const Part other = pick(parts, random);
  const std::string text(view(bytes, part));
  switch (random.below(5)) {
    case 0: bytes.erase(part.begin, part.size()); break;
    case 1: bytes.insert(part.end, text); break;
    case 2: bytes.insert(other.begin, text); break;
    case 3:
      if (other.begin >= part.end) {
        const std::string second(view(bytes, other));
        bytes.replace(other.begin, other.size(), text);
        bytes.replace(part.begin, part.size(), second);
      } else {
        bytes.replace(other.begin, other.size(), text);
      }
      break;
    default: {
      std::string copies;
      for (std::uint64_t n = random.below(200); n > 0 && bytes.size() + copies.size() < largest_file; --n)
        copies += text;
      bytes.insert(part.end, copies);
    }
  }
}

/// Lines, or what goes from a line that begins with a letter to before the next such line.
std::vector<Part> find_lines(const std::string& bytes, bool is_sections) {
  std::vector<Part> parts;
  std::size_t begin = 0;
  for (std::size_t end = bytes.find('\n'); end != std::string::npos; end = bytes.find('\n', end + 1)) {
    if (is_sections && end + 1 < bytes.size() && !is_letter(bytes[end + 1])) continue;
    parts.push_back({begin, end + 1});
    begin = end + 1;
  }
  if (begin < bytes.size()) parts.push_back({begin, bytes.size()});
  return parts;
}

struct Tag {
  Part open;   // <name ...>
  Part whole;  // to the end of the closing tag
};

/// The elements of an XML file up to its appended data; those without an end are left out.
std::vector<Tag> find_tags(const std::string& bytes) {
  std::vector<Tag> tags;
  std::vector<std::size_t> open;
  const std::size_t last = std::min(bytes.size(), bytes.find("<AppendedData"));
  for (std::size_t at = bytes.find('<'); at < last; at = bytes.find('<', at + 1)) {
    const std::size_t end = bytes.find('>', at);
    if (end == std::string::npos || at + 1 >= end) break;
    if (bytes[at + 1] == '?' || bytes[at + 1] == '!') continue;
    if (bytes[at + 1] == '/') {
      if (open.empty()) break;
      tags[open.back()].whole.end = end + 1;
      open.pop_back();
      continue;
    }
    const bool is_closed = bytes[end - 1] == '/';
    tags.push_back({{at, end + 1}, {at, is_closed ? end + 1 : 0}});
    if (!is_closed) open.push_back(tags.size() - 1);
  }
  std::erase_if(tags, [](const Tag& tag) { return tag.whole.end == 0; });
  return tags;
}

/// The value of an attribute inside the tag, without its quotes.
std::optional<Part> find_attribute(const std::string& bytes, Part tag, std::string_view name) {
  const std::string start = " " + std::string(name) + "=\"";
  const std::size_t place = view(bytes, tag).find(start);
  if (place == std::string_view::npos) return std::nullopt;
  const std::size_t begin = tag.begin + place + start.size();
  const std::size_t end = bytes.find('"', begin);
  return end < tag.end ? std::optional<Part>({begin, end}) : std::nullopt;
}

std::string attribute(const std::string& bytes, Part tag, std::string_view name) {
  const auto value = find_attribute(bytes, tag, name);
  return value ? std::string(view(bytes, *value)) : std::string();
}

void damage_attribute(std::string& bytes, SplitMix64& random) {
  const std::vector<Tag> tags = find_tags(bytes);
  if (tags.empty()) return;
  std::vector<Part> attributes;  // name="value"
  std::vector<Part> values;
  const Part tag = pick(tags, random).open;
  for (std::size_t at = bytes.find("=\"", tag.begin); at < tag.end; at = bytes.find("=\"", at + 2)) {
    const std::size_t end = bytes.find('"', at + 2);
    if (end >= tag.end) break;
    values.push_back({at + 2, end});
    attributes.push_back({bytes.rfind(' ', at), end + 1});
  }
  if (values.empty()) return;
  const std::size_t i = random.below(values.size());
  const Part value = values[i];
  switch (random.below(5)) {
    case 0: bytes.replace(value.begin, value.size(), pick(nasty_numbers, random)); break;
    case 1: bytes.replace(value.begin, value.size(), pick(dictionary, random)); break;
    case 2: bytes.replace(value.begin, value.size(), std::string(view(bytes, pick(values, random)))); break;
    default:
      if (attributes[i].begin < attributes[i].end) rearrange(bytes, {attributes[i]}, random);
  }
}

constexpr std::string_view base64_alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string to_base64(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k > bytes.size() ? '=' : base64_alphabet[bits >> (18 - 6 * k) & 63];
  }
  return text;
}

/// The bytes up to the first padding or other character, and where the text went on.
std::string from_base64(std::string_view text, std::size_t& next) {
  std::string bytes;
  std::uint32_t bits = 0;
  int held = 0;
  for (; next < text.size(); ++next) {
    const std::size_t digit = base64_alphabet.find(text[next]);
    if (digit == std::string_view::npos && (text[next] == ' ' || text[next] == '\n')) continue;
    if (digit == std::string_view::npos) break;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>(bits >> held);
  }
  while (next < text.size() && text[next] == '=') ++next;
  return bytes;
}

/// The arrays of an XML file: how they are written, one of them unpacked, and packed again.
class XmlArrays {
 public:
  explicit XmlArrays(std::string& bytes) : bytes_(bytes) {
    const std::size_t root = bytes.find("<VTKFile");
    if (root == std::string::npos) return;
    const Part tag = {root, std::min(bytes.size(), bytes.find('>', root))};
    is_big_ = attribute(bytes, tag, "byte_order") == "BigEndian";
    width_ = attribute(bytes, tag, "header_type") == "UInt64" ? 8 : 4;
    const std::size_t appended = bytes.find("<AppendedData");
    if (appended != std::string::npos) {
      const Part appended_tag = {appended, std::min(bytes.size(), bytes.find('>', appended))};
      is_raw_ = attribute(bytes, appended_tag, "encoding") == "raw";
      appended_ = bytes.find('_', appended_tag.end);
    }
    const std::string name = attribute(bytes, tag, "compressor");
    if (name == "vtkZLibDataCompressor") codec_ = vtkSmartPointer<vtkZLibDataCompressor>::New();
    if (name == "vtkLZ4DataCompressor") codec_ = vtkSmartPointer<vtkLZ4DataCompressor>::New();
    if (name == "vtkLZMADataCompressor") codec_ = vtkSmartPointer<vtkLZMADataCompressor>::New();
    if (codec_ == nullptr) return;
    codec_->SetCompressionLevel(1);
    // A failure shows in the size that Uncompress returns. With an observer VTK does not print it.
    vtkNew<vtkCallbackCommand> silence;
    codec_->AddObserver(vtkCommand::ErrorEvent, silence);
  }

  void damage(SplitMix64& random) {
    // LZMA's tables take far longer to set up than the file to read.
    if (codec_ != nullptr && codec_->IsA("vtkLZMADataCompressor") != 0 && random.below(8) > 0)
      return damage_bytes(bytes_, random);
    const std::vector<Tag> tags = find_tags(bytes_);
    if (tags.empty()) return;
    const Tag tag = pick(tags, random);
    const std::string format = attribute(bytes_, tag.open, "format");
    if (format == "binary") {
      const std::size_t end = bytes_.find('<', tag.open.end);
      if (end == std::string::npos) return;
      std::size_t begin = tag.open.end;
      while (begin < end && (bytes_[begin] == ' ' || bytes_[begin] == '\n')) ++begin;
      if (std::optional<std::string> data = unpack(begin, false)) {
        damage_bytes_of(*data, random);
        bytes_.replace(begin, end - begin, pack(*data, false, random));
      }
    } else if (format == "appended" && appended_ != std::string::npos) {
      const auto offset = find_attribute(bytes_, tag.open, "offset");
      std::size_t place = 0;
      if (!offset) return;
      std::from_chars(bytes_.data() + offset->begin, bytes_.data() + offset->end, place);
      if (place >= bytes_.size() - appended_) return;
      if (std::optional<std::string> data = unpack(appended_ + 1 + place, is_raw_)) {
        damage_bytes_of(*data, random);
        // Behind all others, so that their places hold.
        const std::string behind = std::to_string(bytes_.size() - appended_ - 1);
        bytes_ += pack(*data, is_raw_, random);
        bytes_.replace(offset->begin, offset->size(), behind);
      }
    }
  }

 private:
  static void damage_bytes_of(std::string& data, SplitMix64& random) {
    if (data.empty()) return;
    if (random.below(4) == 0) {
      data.resize(random.below(2 * data.size()));
    } else {
      replace_word(data, random);
    }
  }

  [[nodiscard]] std::uint64_t word(std::string_view text, std::size_t index) const {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < width_; ++i) {
      const std::size_t from = index * width_ + (is_big_ ? i : width_ - 1 - i);
      value = value << 8 | (from < text.size() ? static_cast<unsigned char>(text[from]) : 0);
    }
    return value;
  }
  void put_word(std::string& text, std::uint64_t value) const {
    for (std::size_t i = 0; i < width_; ++i)
      text += static_cast<char>(value >> (8 * (is_big_ ? width_ - 1 - i : i)));
  }

  /// What the array at that place holds, if it is of one block or not compressed.
  std::optional<std::string> unpack(std::size_t place, bool is_raw) {
    const std::string_view text = std::string_view(bytes_).substr(place);
    std::size_t next = 0;
    std::string all = is_raw ? std::string(text) : from_base64(text, next);
    if (codec_ == nullptr) {
      const std::uint64_t size = word(all, 0);
      if (all.size() < width_ || size > all.size() - width_) return std::nullopt;
      return all.substr(width_, size);
    }
    if (all.size() < 4 * width_ || word(all, 0) != 1) return std::nullopt;
    const std::uint64_t plain = word(all, 2) != 0 ? word(all, 2) : word(all, 1);
    const std::uint64_t packed = word(all, 3);
    std::string data = is_raw ? all.substr(4 * width_) : from_base64(text, next);
    if (packed > data.size() || plain > largest_file) return std::nullopt;
    std::string result(plain, '\0');
    const std::size_t got =
        codec_->Uncompress(reinterpret_cast<const unsigned char*>(data.data()), packed,
                           reinterpret_cast<unsigned char*>(result.data()), result.size());
    return got == plain ? std::optional(result) : std::nullopt;
  }

  std::string pack(const std::string& data, bool is_raw, SplitMix64& random) {
    const auto encode = [&](const std::string& text) { return is_raw ? text : to_base64(text); };
    std::string header;
    if (codec_ == nullptr) {
      put_word(header, random.below(8) == 0 ? pick(nasty_words, random) : data.size());
      return encode(header + data);
    }
    // Blocks of equal sizes, the last one shorter.
    const std::size_t blocks = 1 + random.below(3);
    const std::size_t block = std::max<std::size_t>(1, (data.size() + blocks - 1) / blocks);
    std::vector<std::uint64_t> words = {0, block, data.size() % block};
    std::string packed;
    for (std::size_t at = 0; at < data.size(); at += block, ++words[0]) {
      const std::size_t size = std::min(block, data.size() - at);
      std::string out(codec_->GetMaximumCompressionSpace(size), '\0');
      out.resize(codec_->Compress(reinterpret_cast<const unsigned char*>(data.data() + at), size,
                                  reinterpret_cast<unsigned char*>(out.data()), out.size()));
      words.push_back(out.size());
      packed += out;
    }
    if (random.below(8) == 0) words[random.below(words.size())] = pick(nasty_words, random);
    for (const std::uint64_t value : words) put_word(header, value);
    return encode(header) + encode(packed);
  }

  std::string& bytes_;
  bool is_big_ = false, is_raw_ = false;
  std::size_t width_ = 4;
  std::size_t appended_ = std::string::npos;  // of the '_'
  vtkSmartPointer<vtkDataCompressor> codec_;
};

/// A gzip or zlib stream to the end of the file, if there is one: its place and what it holds.
std::optional<std::pair<std::size_t, std::string>> find_stream(const std::string& bytes, int& window) {
  const std::size_t gzip = bytes.find("\x1f\x8b");
  const std::size_t zlib = bytes.find("\x78\x9c");
  const std::size_t place = std::min(gzip, zlib);
  if (place == std::string::npos) return std::nullopt;
  window = place == gzip ? 15 + 16 : 15;
  z_stream stream = {};
  if (inflateInit2(&stream, window) != Z_OK) return std::nullopt;
  std::string result(largest_file, '\0');
  std::string packed = bytes.substr(place);
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  const int status = inflate(&stream, Z_FINISH);
  result.resize(result.size() - stream.avail_out);
  inflateEnd(&stream);
  return status == Z_STREAM_END ? std::optional(std::pair(place, result)) : std::nullopt;
}

bool mutate_stream(std::string& bytes, SplitMix64& random) {
  int window = 0;
  auto found = find_stream(bytes, window);
  if (!found) return false;
  auto& [place, plain] = *found;
  mutate(plain, random);
  if (random.below(8) == 0) plain.append(1 << 14, '\0');
  z_stream stream = {};
  if (deflateInit2(&stream, static_cast<int>(random.below(10)), Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK)
    return false;
  std::string packed(deflateBound(&stream, plain.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(plain.data());
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(packed.size() - stream.avail_out);
  deflateEnd(&stream);
  bytes.replace(place, std::string::npos, packed);
  return true;
}

}  // namespace

void mutate(std::string& bytes, SplitMix64& random) {
  // Packed as a whole: what is done to the packed bytes seldom gets past the checksum.
  if (bytes.starts_with("\x1f\x8b") && random.below(4) > 0 && mutate_stream(bytes, random)) return;
  const bool is_xml = bytes.find("<VTKFile") != std::string::npos;
  for (std::uint64_t times = 1 + random.below(2) * random.below(4); times > 0 && !bytes.empty(); --times) {
    switch (random.below(8)) {
      case 0: rearrange(bytes, find_lines(bytes, false), random); break;
      case 1: {
        std::vector<Part> parts = find_lines(bytes, true);
        if (is_xml) {
          parts.clear();
          for (const Tag& tag : find_tags(bytes)) parts.push_back(tag.whole);
        }
        rearrange(bytes, parts, random);
        break;
      }
      case 2:
      case 3:
        if (is_xml) {
          damage_attribute(bytes, random);
        } else {
          replace_number(bytes, random);
        }
        break;
      case 4:
      case 5:
        if (is_xml) {
          XmlArrays(bytes).damage(random);
        } else if (!mutate_stream(bytes, random)) {
          damage_bytes(bytes, random);
        }
        break;
      default: damage_bytes(bytes, random);
    }
  }
}

}  // namespace tessera::testing
