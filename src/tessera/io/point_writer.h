// A vtp file of points that is written in parts, for more of them than memory has room for.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include <tessera/io/io.h>
#include <tessera/mesh/poly_data.h>

namespace tessera {

namespace detail::io {
class Output;
}

/// The file appears with commit(), complete or not at all, and has the bytes that write_poly() gives it
/// without compression.
class PointWriter {
 public:
  /// `shape` has the precision of the points and the fields of the file, all without values; there will be
  /// `count` points, more than none. Of the options, the descriptor and the monitor count. Errors as those of
  /// GridWriter.
  PointWriter(const std::filesystem::path& file, const PolyData& shape, std::uint64_t count,
              const WriteOptions& options = {});
  PointWriter(PointWriter&&) noexcept;
  PointWriter& operator=(PointWriter&&) noexcept;
  ~PointWriter();

  /// Appends points with a vertex each. Precision and fields are those of the shape.
  void append(const Points& points, const FieldSet& fields);

  /// All points must be there.
  void commit();

 private:
  template <class T>
  void append_vertices(std::size_t count);

  std::unique_ptr<detail::io::Output> output_;
  std::uint64_t count_ = 0;
  std::uint64_t written_ = 0;
  bool is_narrow_ = true;
  std::uint64_t points_place_ = 0;
  std::array<std::uint64_t, 2> vertex_places_ = {};  ///< of connectivity and offsets
  std::vector<std::uint64_t> field_places_;
};

}  // namespace tessera
