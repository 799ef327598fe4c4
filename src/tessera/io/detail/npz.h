// Archives of numpy arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/io/detail/output.h>

namespace tessera::detail::io {

/// Bytes of whole numbers, lowest first.
template <class... T>
std::string little_endian(T... values) {
  std::string bytes;
  const auto add = [&]<class U>(U value) {
    for (std::size_t i = 0; i < sizeof(U); ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFFu);
  };
  (add(values), ...);
  return bytes;
}

/// A zip archive of stored (not compressed) .npy arrays, as numpy.savez writes it: with 64-bit sizes
/// throughout. PKWARE's APPNOTE, sections 4.3.7, 4.3.12 to 4.3.16 and 4.5.3.
class NpzWriter {
 public:
  explicit NpzWriter(Output& output) : output_(output) {}

  /// Begins an array of `count` numbers of a type as numpy names it; write() then gives their bytes.
  void begin(const std::string& name, std::string_view type, std::uint64_t count) {
    begin_shaped(name, type, std::string("(").append(std::to_string(count)).append(",)"));
  }
  /// A shape as numpy writes it: "()" for a single value.
  void begin_shaped(const std::string& name, std::string_view type, const std::string& shape);
  void write(std::string_view bytes);
  void end();
  void finish();

 private:
  struct Entry {
    std::string name;
    std::uint64_t position;
    std::uint64_t size;
    std::uint32_t crc;
  };

  Output& output_;
  std::vector<Entry> entries_;
  std::uint32_t crc_ = 0;
};

}  // namespace tessera::detail::io
