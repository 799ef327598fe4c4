// A grid in a file that is read in parts: bare numbers, or a vti file whose arrays are appended raw.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/core/vec.h>
#include <tessera/io/io.h>
#include <tessera/mesh/field.h>
#include <tessera/mesh/mesh.h>

namespace tessera {

namespace detail::io {
class Input;
}

/// A field of a grid's points or cells that stays in the file.
struct StoredField {
  std::string name;
  ScalarType type = ScalarType::u8;
  std::size_t components = 1;
  std::uint64_t tuples = 0;
  /// Where its first number lies in the file; nothing if the numbers are compressed or text, in base64, or in
  /// several pieces.
  std::optional<std::uint64_t> place;

  [[nodiscard]] std::uint64_t tuple_bytes() const { return components * size_of(type); }
  [[nodiscard]] std::uint64_t bytes() const { return tuples * tuple_bytes(); }
};

/// What a file without a header holds: one number for each point, x fastest.
struct RawLayout {
  std::array<std::uint32_t, 3> dims = {1, 1, 1};
  ScalarType type = ScalarType::u8;
  Vec3d spacing = {1, 1, 1};
  bool is_big_endian = false;
  std::uint64_t skipped_bytes = 0;  ///< before the first number
  std::string field = "value";      ///< the name that the numbers get
};

/// An open file. One thread at a time may use it.
class GridFile {
 public:
  /// A vti file. Reads its header and its field data. Error(not_found | bad_file | unsupported) as
  /// read_grid().
  explicit GridFile(const std::filesystem::path& file);
  /// A raw volume. Error(bad_file) unless it is exactly as long as the layout says.
  GridFile(const std::filesystem::path& file, const RawLayout& layout);
  GridFile(GridFile&&) noexcept;
  GridFile& operator=(GridFile&&) noexcept;
  ~GridFile();

  [[nodiscard]] const std::string& name() const;  ///< of the file
  /// The grid with its field data. The fields of its points and cells are there without any tuple.
  [[nodiscard]] const Grid& shape() const { return shape_; }
  [[nodiscard]] std::span<const StoredField> point_fields() const { return point_fields_; }
  [[nodiscard]] std::span<const StoredField> cell_fields() const { return cell_fields_; }
  /// The point field of that name, or Error(not_found) that lists the names there are.
  [[nodiscard]] const StoredField& point_field(std::string_view name) const;
  /// What all fields take in memory.
  [[nodiscard]] std::uint64_t bytes() const;
  /// Sentences about what the file has and nobody reads.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

  /// Error(unsupported) if the field cannot be read in parts; the message says why and what to do.
  void expect_parts(const StoredField& field) const;
  /// Reads tuples [first, first + count) into those of `to` from `at` on, which has the field's type and
  /// components and enough tuples. Reads straight into place. Error as expect_parts(), and Error(bad_file) if
  /// the file has become shorter.
  void read(const StoredField& field, std::uint64_t first, std::uint64_t count, Field& to,
            std::size_t at = 0) const;

 private:
  void add_shapes();

  std::unique_ptr<detail::io::Input> input_;
  Grid shape_;
  std::vector<StoredField> point_fields_;
  std::vector<StoredField> cell_fields_;
  std::vector<std::string> notes_;
  bool is_swapped_ = false;
};

}  // namespace tessera
