// The four ways in which VTK's XML files write an array: as text, in base64 or raw, the latter two also
// compressed.
//
//   plain        [bytes] data                                    one stream, in base64 too
//   compressed   [blocks] [block] [last] [sizes ...] | data      header and data are two base64 streams
#include <tessera/io/detail/xml.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

namespace tessera::detail::io {
namespace {

constexpr std::array<std::string_view, 10> type_names = {"Int8",   "UInt8", "Int16",  "UInt16",  "Int32",
                                                         "UInt32", "Int64", "UInt64", "Float32", "Float64"};

constexpr std::array<signed char, 256> make_base64_digits() {
  std::array<signed char, 256> digits = {};
  digits.fill(-1);
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    digits[static_cast<unsigned char>(alphabet[i])] = static_cast<signed char>(i);
  }
  return digits;
}
constexpr std::array<signed char, 256> base64_digits = make_base64_digits();

}  // namespace

std::optional<ScalarType> parse_xml_type(std::string_view name) {
  const auto* const found = std::find(type_names.begin(), type_names.end(), name);
  if (found == type_names.end()) return std::nullopt;
  return static_cast<ScalarType>(found - type_names.begin());
}

XmlArray::XmlArray(Input& input, const XmlFile& file, const Element& element, std::uint64_t count)
    : input_(input), name_(element.attribute("Name", "unnamed")), header_bytes_(file.header_bytes) {
  const std::string type(element.attribute("type"));
  const auto scalar = parse_xml_type(type);
  if (!scalar) fail("has the type \"" + type + "\", which is no number");
  type_ = *scalar;
  is_swapped_ = file.is_big_endian != (std::endian::native == std::endian::big);
  if (count > input.size() * 8192) fail("cannot hold " + std::to_string(count) + " numbers in this file");

  const std::string format(element.attribute("format", "ascii"));
  if (format == "ascii") {
    open_text(element, count);
    return;
  }
  if (format == "appended") {
    if (file.appended == 0) fail("is in the appended data, but there are none");
    const std::uint64_t offset = count_attribute(input, element, "offset");
    if (offset > input.size() - file.appended) fail("begins behind the end of the file");
    place_ = file.appended + offset;
    text_end_ = input.size();
    is_base64_ = file.is_appended_base64;
  } else if (format == "binary") {
    place_ = element.begin;
    text_end_ = element.end;
    is_base64_ = true;
  } else {
    fail("has the unknown format \"" + format + "\"");
  }
  if (count == 0) return;
  const std::uint64_t bytes = count * size_of(type_);
  if (file.compressor.empty()) {
    open_plain(bytes);
  } else {
    open_compressed(file.compressor, bytes);
  }
}

void XmlArray::open_text(const Element& element, std::uint64_t count) {
  is_text_ = true;
  place_ = element.begin;
  text_end_ = element.end;
  left_ = count;
  if (count > text_end_ - place_) fail("should hold " + std::to_string(count) + " numbers, but is shorter");
}

void XmlArray::check_end() const {
  const std::string_view rest = input_.token();
  if (rest.empty() || rest.front() == '<') return;
  fail("holds \"" + std::string(rest.substr(0, 40)) + "\" behind its numbers");
}

void XmlArray::open_plain(std::uint64_t bytes) {
  const std::uint64_t held = read_word();
  if (held < bytes || held > encoded_remaining()) {
    fail("should hold " + std::to_string(bytes) + " bytes, but says " + std::to_string(held) + " of " +
         std::to_string(encoded_remaining()) + " that there are");
  }
  input_.claim(bytes);
}

void XmlArray::open_compressed(const std::string& compressor, std::uint64_t bytes) {
  codec_ = find_codec(compressor);
  if (!codec_) input_.refuse("is compressed by " + compressor + ", which is not known");
  const std::uint64_t blocks = read_word();
  block_bytes_ = read_word();
  last_block_bytes_ = read_word();
  if (blocks > encoded_remaining() / header_bytes_) fail("claims more blocks than the file can hold");
  block_sizes_.resize(blocks);
  for (std::uint64_t& size : block_sizes_) size = read_word();
  if (last_block_bytes_ == 0) last_block_bytes_ = block_bytes_;
  check_blocks();
  input_.claim(std::accumulate(block_sizes_.begin(), block_sizes_.end(), std::uint64_t{0}));
  const double held = blocks == 0 ? 0
                                  : static_cast<double>(block_bytes_) * static_cast<double>(blocks - 1) +
                                        static_cast<double>(last_block_bytes_);
  if (held < static_cast<double>(bytes))
    fail("should hold " + std::to_string(bytes) + " bytes, but its blocks are fewer");
}

void XmlArray::check_blocks() const {
  const std::uint64_t available = encoded_remaining();
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < block_sizes_.size(); ++i) {
    const std::uint64_t size = block_sizes_[i];
    const std::uint64_t plain = i + 1 == block_sizes_.size() ? last_block_bytes_ : block_bytes_;
    if (size > available - sum) fail("has blocks behind the end of its data");
    sum += size;
    if (static_cast<double>(plain) > most_expansion(*codec_) * static_cast<double>(size) + 64) {
      fail("claims a block of " + std::to_string(plain) + " bytes from " + std::to_string(size));
    }
  }
}

std::uint64_t XmlArray::read_word() {
  std::array<unsigned char, 8> bytes = {};
  read_encoded(bytes.data(), header_bytes_);
  if (is_swapped_) swap_bytes(bytes.data(), 1, header_bytes_);
  std::uint64_t wide = 0;
  std::uint32_t narrow = 0;
  std::memcpy(&wide, bytes.data(), 8);
  std::memcpy(&narrow, bytes.data(), 4);
  return header_bytes_ == 8 ? wide : narrow;
}

std::uint64_t XmlArray::encoded_remaining() const {
  const std::uint64_t bytes = text_end_ - place_;
  return is_base64_ ? bytes / 4 * 3 + (decoded_end_ - decoded_next_) : bytes;
}

void XmlArray::read_bytes(void* to, std::size_t bytes) {
  if (!codec_) return read_encoded(to, bytes);
  auto* place = static_cast<unsigned char*>(to);
  while (bytes > 0) {
    if (plain_next_ == plain_.size()) read_block();
    const std::size_t part = std::min(bytes, plain_.size() - plain_next_);
    std::memcpy(place, plain_.data() + plain_next_, part);
    plain_next_ += part;
    place += part;
    bytes -= part;
  }
}

void XmlArray::read_block() {
  if (block_ == block_sizes_.size()) fail("has too few blocks");
  compressed_.resize(block_sizes_[block_]);
  plain_.resize(block_ + 1 == block_sizes_.size() ? last_block_bytes_ : block_bytes_);
  plain_next_ = 0;
  ++block_;
  read_encoded(compressed_.data(), compressed_.size());
  if (plain_.empty()) return;
  if (!unpack(*codec_, compressed_, plain_)) fail("does not uncompress");
}

void XmlArray::read_encoded(void* to, std::size_t bytes) {
  auto* place = static_cast<unsigned char*>(to);
  input_.seek(place_, text_end_);
  if (!is_base64_) {
    input_.read(place, bytes);
    place_ += bytes;
    return;
  }
  while (bytes > 0) {
    if (decoded_next_ == decoded_end_) {
      const std::size_t whole = decode_run(place, bytes / 3);
      place += 3 * whole;
      bytes -= 3 * whole;
      if (bytes > 0) decode_four();
    }
    for (; bytes > 0 && decoded_next_ < decoded_end_; --bytes) *place++ = decoded_[decoded_next_++];
  }
  place_ = input_.position();
}

std::size_t XmlArray::decode_run(unsigned char* to, std::size_t most) {
  const std::string_view text = input_.peek(4);
  std::size_t fours = 0;
  for (; fours < std::min(most, text.size() / 4); ++fours) {
    int bits = 0;
    int wrong = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const int digit = base64_digits[static_cast<unsigned char>(text[4 * fours + i])];
      wrong |= digit;
      bits = (bits << 6) | (digit & 63);
    }
    if (wrong < 0) break;
    *to++ = static_cast<unsigned char>(bits >> 16);
    *to++ = static_cast<unsigned char>(bits >> 8);
    *to++ = static_cast<unsigned char>(bits);
  }
  input_.consume(4 * fours);
  return fours;
}

void XmlArray::decode_four() {
  int bits = 0;
  std::size_t padding = 0;
  for (int i = 0; i < 4;) {
    const std::string_view text = input_.peek();
    if (text.empty()) fail("ends in the middle of its data");
    const char c = text.front();
    input_.consume(1);
    if (c == ' ' || (c >= '\t' && c <= '\r')) continue;
    const int digit = base64_digits[static_cast<unsigned char>(c)];
    padding += c == '=' ? 1 : 0;
    if ((digit < 0) != (c == '=') || (digit >= 0 && padding > 0) || padding > 2) fail("is not base64");
    bits = (bits << 6) | (digit & 63);
    ++i;
  }
  decoded_ = {static_cast<unsigned char>(bits >> 16), static_cast<unsigned char>(bits >> 8),
              static_cast<unsigned char>(bits)};
  decoded_next_ = 0;
  decoded_end_ = 3 - padding;
}

void XmlArray::fail(const std::string& reason) const {
  input_.fail("the array \"" + name_ + "\" " + reason);
}

}  // namespace tessera::detail::io
