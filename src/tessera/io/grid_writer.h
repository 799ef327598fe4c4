// A vti file that is written in parts, for grids that memory has no room for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include <tessera/io/io.h>
#include <tessera/mesh/field.h>
#include <tessera/mesh/mesh.h>

namespace tessera {

namespace detail::io {
class Output;
}

/// The file appears with commit(), complete or not at all, and has the bytes that write_mesh() gives it
/// without compression. What is not written before is zero.
class GridWriter {
 public:
  /// `shape` is the grid with the fields that the file will hold, as GridFile::shape() has them: those of
  /// points and cells may have no tuples. Of the options, the descriptor and the monitor count; with a
  /// descriptor, the open file must be readable. Error(write_failed | unsupported) as write_mesh();
  /// Error(bad_option) for text and compression.
  GridWriter(const std::filesystem::path& file, const Grid& shape, const WriteOptions& options = {});
  GridWriter(GridWriter&&) noexcept;
  GridWriter& operator=(GridWriter&&) noexcept;
  ~GridWriter();

  /// Writes `count` tuples from `from` of `values` as tuples `first` and so on of a field, which is named by
  /// its place among those of the points, or of the cells.
  void write_points(std::size_t field, std::uint64_t first, const Field& values, std::size_t from,
                    std::size_t count);
  void write_cells(std::size_t field, std::uint64_t first, const Field& values, std::size_t from,
                   std::size_t count);
  /// Reads back tuples that were written, into `to` from its beginning.
  void read_points(std::size_t field, std::uint64_t first, std::size_t count, Field& to);

  void commit();

 private:
  void write(std::uint64_t place, const Field& values, std::size_t from, std::size_t count);

  std::unique_ptr<detail::io::Output> output_;
  std::vector<std::uint64_t> point_places_;
  std::vector<std::uint64_t> cell_places_;
};

}  // namespace tessera
