// Input: a file read through one small window, so that a reader's memory is what it keeps and not what it
// reads.
//
// Every reader goes by two rules, which make a damaged file an Error instead of a crash:
//   1. before memory is taken for `count` things, require() has shown that the rest of the file can hold
//   them;
//   2. nothing past the end (or past the range set with seek()) is ever handed out.
#pragma once

#include <bit>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/core/progress.h>
#include <tessera/io/detail/gunzip.h>
#include <tessera/mesh/field.h>

namespace tessera::detail::io {

/// The file's name without .gz at its end.
[[nodiscard]] std::filesystem::path without_gz(const std::filesystem::path& file);

/// Whether a file is packed: if its name ends in .gz, never or always.
enum class Packing : std::uint8_t { by_name, none, gzip };

class Input {
 public:
  /// Opens a regular file, and unpacks it if it is packed: then `size` and all places are of what is
  /// unpacked, all of which was checked. The monitor hears of every window that is read and may stop the
  /// work. With a descriptor, that open file is read, and `file` is only its name.
  Input(const std::filesystem::path& file, const Monitor* monitor, Packing packing = Packing::by_name,
        int descriptor = -1);
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
  ~Input();

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] bool is_packed() const { return gunzip_ != nullptr; }
  [[nodiscard]] std::uint64_t position() const { return start_ + cursor_; }
  /// Bytes up to the end of the range.
  [[nodiscard]] std::uint64_t remaining() const { return end_ - position(); }
  [[nodiscard]] bool at_end() const { return remaining() == 0; }

  /// Continues at `begin`; the range ends at `end` or with the file.
  void seek(std::uint64_t begin, std::uint64_t end = ~std::uint64_t{0});

  /// The next bytes, at least `wanted` of them unless the range ends before; they are not yet consumed.
  [[nodiscard]] std::string_view peek(std::size_t wanted = 1);
  void consume(std::size_t bytes) { cursor_ += bytes; }

  /// Exactly `bytes` bytes, or Error(bad_file).
  void read(void* to, std::size_t bytes);

  /// The next run of characters that are not white space; empty at the end.
  [[nodiscard]] std::string_view token();
  /// The next line without its end, of any length; ask at_end() before.
  [[nodiscard]] std::string_view line();

  /// The next token as a number. Integers must be written as integers and fit.
  template <class T>
  [[nodiscard]] T number();

  /// Fails unless `count` things of at least `bytes` bytes each can still follow.
  void require(std::uint64_t count, std::uint64_t bytes, std::string_view what) const;

  /// Counts bytes of the file that an array says are its own. Arrays may share some, but not so many that
  /// together they have several times the file: fails then.
  void claim(std::uint64_t bytes);

  [[noreturn]] void fail(const std::string& reason) const;
  /// A valid file that we cannot serve.
  [[noreturn]] void refuse(const std::string& reason, Remedy remedy = Remedy::none) const;

 private:
  void report() const;
  /// Bytes of the file from `place` on, at least one.
  [[nodiscard]] std::size_t fetch(char* to, std::size_t bytes, std::uint64_t place);

  std::string name_;
  const Monitor& monitor_;
  int descriptor_ = -1;
  std::unique_ptr<Gunzip> gunzip_;
  std::uint64_t size_ = 0;
  std::uint64_t claimed_ = 0;
  std::uint64_t taken_ = 0;  // from the disk so far; arrays are read in any order, but this only grows
  std::uint64_t end_ = 0;    // of the range
  std::uint64_t start_ = 0;  // of the window, in the file
  std::vector<char> window_;
  std::size_t filled_ = 0;  // bytes of the window that hold the file
  std::size_t cursor_ = 0;  // in the window, at most filled_
};

/// The text as a number, the whole of it; false if it is not one.
template <class T>
[[nodiscard]] bool parse_number(std::string_view text, T& value) {
  if (text.size() > 1 && text.front() == '+') text.remove_prefix(1);
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  if (status == std::errc{}) return stop == end;
  if constexpr (std::is_floating_point_v<T>) {
    // Too small or too large for T is zero or infinity, as every other reader has it.
    if (status == std::errc::result_out_of_range && stop == end) {
      value = static_cast<T>(std::strtod(std::string(text).c_str(), nullptr));
      return true;
    }
  }
  return false;
}

template <class T>
T Input::number() {
  const std::string_view text = token();
  T value{};
  if (!parse_number(text, value)) {
    fail(text.empty() ? "ends where a number should be"
                      : "holds \"" + std::string(text.substr(0, 40)) + "\" where a number should be (byte " +
                            std::to_string(position() - text.size()) + ")");
  }
  return value;
}

/// Reverses the bytes of each word of `width` bytes.
void swap_bytes(void* data, std::size_t words, std::size_t width);

/// Fills the span from a binary file.
template <class T>
void read_binary(Input& input, std::span<T> to, bool is_big_endian) {
  input.read(to.data(), to.size_bytes());
  if (is_big_endian != (std::endian::native == std::endian::big)) swap_bytes(to.data(), to.size(), sizeof(T));
}

/// Fills the span from a text file.
template <class T>
void read_text(Input& input, std::span<T> to) {
  for (T& value : to) value = input.number<T>();
}

}  // namespace tessera::detail::io
