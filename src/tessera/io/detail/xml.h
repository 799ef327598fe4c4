// VTK's XML files as a tree of elements, and their arrays as streams of numbers.
//
// We read these files ourselves. VTK's reader takes memory on a file's word (2.3 GB for one of 544 bytes that
// claims 200 million points), does not check the ids of cells, and holds a whole array at a time, 64-bit
// connectivity included, where a window is enough.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/io/detail/codec.h>
#include <tessera/io/detail/input.h>

namespace tessera::detail::io {

struct Element {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<Element> children;
  std::uint64_t begin = 0, end = 0;  ///< its longest run of text, in the file

  [[nodiscard]] const std::string* find_attribute(std::string_view name) const;
  [[nodiscard]] std::string_view attribute(std::string_view name, std::string_view otherwise = "") const;
  [[nodiscard]] const Element* find(std::string_view name) const;
};

/// The tree of a file, and what its root says about the arrays.
struct XmlFile {
  Element root;
  std::uint64_t appended = 0;  ///< where the appended data begin, 0 if there are none
  bool is_appended_base64 = false;
  bool is_big_endian = false;
  std::size_t header_bytes = 4;
  std::string compressor;  ///< VTK's class name; empty if the arrays are not compressed
};

[[nodiscard]] XmlFile scan_xml(Input& input);

/// An attribute that must be a count.
[[nodiscard]] std::uint64_t count_attribute(const Input& input, const Element& element, std::string_view name,
                                            std::optional<std::uint64_t> otherwise = {});

/// The numbers of one DataArray, front to back.
class XmlArray {
 public:
  /// Finds the data and checks that the file can hold `count` numbers before anyone takes memory for them.
  XmlArray(Input& input, const XmlFile& file, const Element& element, std::uint64_t count);

  [[nodiscard]] ScalarType type() const { return type_; }
  /// Where the next number lies in the file, if all of them lie there as they are, in the file's byte order.
  [[nodiscard]] std::optional<std::uint64_t> plain_place() const {
    return is_text_ || is_base64_ || codec_ ? std::nullopt : std::optional(place_);
  }

  /// The next numbers; T must be the array's own type.
  template <class T>
  void read(std::span<T> to) {
    if (is_text_) {
      input_.seek(place_, text_end_);
      read_text(input_, to);
      place_ = input_.position();
      left_ -= to.size();
      if (left_ == 0) check_end();
      return;
    }
    read_bytes(to.data(), to.size_bytes());
    if (is_swapped_) swap_bytes(to.data(), to.size(), sizeof(T));
  }

 private:
  void open_text(const Element& element, std::uint64_t count);
  void check_end() const;  ///< of a text: nothing but other elements may follow
  void open_plain(std::uint64_t bytes);
  void open_compressed(const std::string& compressor, std::uint64_t bytes);
  void check_blocks() const;
  void read_bytes(void* to, std::size_t bytes);
  void read_encoded(void* to, std::size_t bytes);
  [[nodiscard]] std::size_t decode_run(unsigned char* to, std::size_t most);
  void decode_four();
  void read_block();
  [[nodiscard]] std::uint64_t read_word();
  [[nodiscard]] std::uint64_t encoded_remaining() const;
  [[noreturn]] void fail(const std::string& reason) const;

  Input& input_;
  std::string name_;
  ScalarType type_;
  bool is_text_ = false;
  std::uint64_t left_ = 0;  // numbers of a text that are still to be read
  bool is_base64_ = false;
  bool is_swapped_ = false;
  std::size_t header_bytes_;
  std::uint64_t place_ = 0;     // of the next encoded byte in the file
  std::uint64_t text_end_ = 0;  // of the element's text; of the file for appended data

  std::array<unsigned char, 3> decoded_ = {};  // of the last four base64 characters
  std::size_t decoded_next_ = 3, decoded_end_ = 3;

  std::optional<Codec> codec_;
  std::vector<std::uint64_t> block_sizes_;  // compressed
  std::uint64_t block_bytes_ = 0, last_block_bytes_ = 0;
  std::size_t block_ = 0;
  std::vector<unsigned char> compressed_, plain_;
  std::size_t plain_next_ = 0;
};

/// "Float32" -> f32; nullopt for what is not a number ("String", "Bit").
[[nodiscard]] std::optional<ScalarType> parse_xml_type(std::string_view name);

}  // namespace tessera::detail::io
