// Output: a file that appears complete or not at all.
//
// Bytes go to a temporary file beside the target; commit() makes sure that they are on the disk and renames
// it. Whatever ends the work before, the destructor removes the temporary file and the target stays as it
// was.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/core/progress.h>

namespace tessera::detail::io {

class Output {
 public:
  /// `expected` bytes are about what will be written: the monitor hears the fraction and may stop the work.
  /// With a descriptor, bytes go to that open file, which stays open, and `file` is only its name.
  Output(const std::filesystem::path& file, std::uint64_t expected, const Monitor* monitor,
         int descriptor = -1);
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output();

  /// The target as messages name it.
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Bytes written so far.
  [[nodiscard]] std::uint64_t position() const { return written_ + buffer_.size(); }

  void write(std::string_view text) {
    buffer_.append(text);
    if (buffer_.size() >= buffer_bytes) flush();
  }
  void write(const void* data, std::size_t bytes);
  /// The shortest text that reads back as the same number.
  template <class T>
  void number(T value) {
    std::array<char, 32> text = {};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    write(std::string_view(text.data(), static_cast<std::size_t>(end - text.data())));
  }

  /// Replaces bytes that were written before.
  void patch(std::uint64_t position, std::string_view bytes);
  /// Leaves room that patch() fills; what it does not fill is zero.
  void skip(std::uint64_t bytes);
  /// Reads bytes that were written before.
  void read_back(std::uint64_t position, void* to, std::size_t bytes);

  /// Tells the monitor how far the file is. Error(cancelled) if it wants to stop.
  void report() const;

  void commit();

  std::vector<std::string> notes;  ///< what a writer leaves out or changes, a sentence each
  std::uint64_t left_out = 0;      ///< cells that it leaves out

  [[noreturn]] void fail(const std::string& reason) const;
  [[noreturn]] void refuse(const std::string& reason) const;  ///< the format cannot hold the mesh

 private:
  static constexpr std::size_t buffer_bytes = std::size_t{1} << 20;
  void flush();

  std::filesystem::path file_;
  std::string name_;
  std::filesystem::path temporary_;
  std::uint64_t expected_;
  const Monitor& monitor_;
  int descriptor_ = -1;
  std::string buffer_;
  std::uint64_t written_ = 0;  // without the buffer
};

}  // namespace tessera::detail::io
