#include <tessera/io/detail/npz.h>

#include <array>

namespace tessera::detail::io {
namespace {

using std::uint16_t;
using std::uint32_t;
using std::uint64_t;

constexpr uint16_t version = 45;
constexpr uint32_t many = 0xFFFFFFFFu;  // see the 64-bit field

constexpr std::array<uint32_t, 256> make_crc_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value & 1u) != 0 ? 0xEDB88320u ^ (value >> 1) : value >> 1;
    table[i] = value;
  }
  return table;
}

/// From the version to the sizes: stored, 1 January 1980.
std::string head(uint32_t crc) {
  return little_endian(version, uint16_t{0}, uint16_t{0}, uint16_t{0}, uint16_t{0x21}, crc, many, many);
}

}  // namespace

void NpzWriter::begin_shaped(const std::string& name, std::string_view type, const std::string& shape) {
  entries_.push_back({name + ".npy", output_.position(), 0, 0});
  const Entry& entry = entries_.back();
  output_.write(little_endian(uint32_t{0x04034B50}) + head(0) +
                little_endian(static_cast<uint16_t>(entry.name.size()), uint16_t{20}) + entry.name +
                little_endian(uint16_t{1}, uint16_t{16}, uint64_t{0}, uint64_t{0}));
  crc_ = 0xFFFFFFFFu;
  std::string header =
      "{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': " + shape + ", }";
  header.append(63 - (10 + header.size()) % 64, ' ');  // data begin at a multiple of 64
  header += '\n';
  write("\x93NUMPY" + std::string{'\1', '\0'} + little_endian(static_cast<uint16_t>(header.size())) + header);
}

void NpzWriter::write(std::string_view bytes) {
  static constexpr std::array<uint32_t, 256> table = make_crc_table();
  for (const char c : bytes) crc_ = table[(crc_ ^ static_cast<unsigned char>(c)) & 0xFFu] ^ (crc_ >> 8);
  entries_.back().size += bytes.size();
  output_.write(bytes);
}

void NpzWriter::end() {
  Entry& entry = entries_.back();
  entry.crc = ~crc_;
  output_.patch(entry.position + 14, little_endian(entry.crc));
  output_.patch(entry.position + 30 + entry.name.size() + 4, little_endian(entry.size, entry.size));
}

void NpzWriter::finish() {
  const uint64_t directory = output_.position();
  for (const Entry& entry : entries_) {
    output_.write(little_endian(uint32_t{0x02014B50}, version) + head(entry.crc) +
                  little_endian(static_cast<uint16_t>(entry.name.size()), uint16_t{28}, uint16_t{0},
                                uint16_t{0}, uint16_t{0}, uint32_t{0}, many) +
                  entry.name +
                  little_endian(uint16_t{1}, uint16_t{24}, entry.size, entry.size, entry.position));
  }
  const uint64_t end = output_.position();
  const uint64_t count = entries_.size();
  output_.write(little_endian(uint32_t{0x06064B50}, uint64_t{44}, version, version, uint32_t{0}, uint32_t{0},
                              count, count, end - directory, directory) +
                little_endian(uint32_t{0x07064B50}, uint32_t{0}, end, uint32_t{1}) +
                little_endian(uint32_t{0x06054B50}, uint32_t{0}, static_cast<uint16_t>(count),
                              static_cast<uint16_t>(count), many, many, uint16_t{0}));
}

}  // namespace tessera::detail::io
