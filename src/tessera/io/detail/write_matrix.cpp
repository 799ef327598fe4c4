#include <tessera/io/matrix.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <span>
#include <string>

#include <tessera/io/detail/npz.h>
#include <tessera/io/detail/output.h>

namespace tessera {

using namespace detail;

namespace {

using std::size_t;
using std::uint32_t;
using std::uint64_t;

std::string extension_of(const std::filesystem::path& file, const WriteOptions& options) {
  std::string extension = options.format.empty() ? file.extension().string() : "." + options.format;
  std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return std::tolower(c); });
  return extension;
}

void check(const CsrMatrix& a) {
  const auto refuse = [](const std::string& what) {
    throw Error(ErrorCode::bad_mesh, "the matrix: " + what);
  };
  if (a.offsets.size() != a.rows + 1 || a.offsets.front() != 0 || a.offsets.back() != a.values.size() ||
      a.column_ids.size() != a.values.size()) {
    refuse("its arrays do not belong together");
  }
  for (size_t row = 0; row < a.rows; ++row) {
    if (a.offsets[row] > a.offsets[row + 1]) refuse("row " + std::to_string(row) + " ends before it begins");
    for (uint32_t k = a.offsets[row]; k < a.offsets[row + 1] && k < a.values.size(); ++k) {
      if (a.column_ids[k] >= a.columns) {
        refuse("row " + std::to_string(row) + " has column " + std::to_string(a.column_ids[k]) + " of only " +
               std::to_string(a.columns));
      }
    }
  }
}

/// Rows and columns are counted from 1.
void write_mtx(io::Output& output, const CsrMatrix& a) {
  output.write("%%MatrixMarket matrix coordinate real general\n");
  output.number(a.rows);
  output.write(" ");
  output.number(a.columns);
  output.write(" ");
  output.number(a.values.size());
  output.write("\n");
  for (size_t row = 0; row < a.rows; ++row) {
    for (uint32_t k = a.offsets[row]; k < a.offsets[row + 1]; ++k) {
      output.number(row + 1);
      output.write(" ");
      output.number(uint64_t{a.column_ids[k]} + 1);
      output.write(" ");
      output.number(a.values[k]);
      output.write("\n");
    }
  }
}

/// Whole numbers as the type that scipy keeps indices in.
void write_indices(io::NpzWriter& npz, const std::string& name, std::span<const uint32_t> values,
                   bool is_long) {
  npz.begin(name, is_long ? "<i8" : "<i4", values.size());
  for (const uint32_t value : values)
    npz.write(is_long ? io::little_endian(uint64_t{value}) : io::little_endian(value));
  npz.end();
}

void write_npz(io::Output& output, const CsrMatrix& a) {
  constexpr uint64_t most = 0x7FFFFFFF;
  const bool is_long = a.values.size() > most || a.columns > most;
  io::NpzWriter npz(output);
  write_indices(npz, "indices", a.column_ids, is_long);
  write_indices(npz, "indptr", a.offsets, is_long);
  npz.begin_shaped("format", "|S3", "()");
  npz.write("csr");
  npz.end();
  npz.begin("shape", "<i8", 2);
  npz.write(io::little_endian(uint64_t{a.rows}, uint64_t{a.columns}));
  npz.end();
  npz.begin("data", "<f8", a.values.size());
  for (const double value : a.values) npz.write(io::little_endian(std::bit_cast<uint64_t>(value)));
  npz.end();
  npz.finish();
}

}  // namespace

void write_matrix(const std::filesystem::path& file, const CsrMatrix& matrix, const WriteOptions& options) {
  const std::string extension = extension_of(file, options);
  if (extension != ".mtx" && extension != ".npz") {
    throw Error(
        ErrorCode::unsupported,
        "'" + file.string() + "' has no extension that a matrix can be written with; use .mtx or .npz");
  }
  check(matrix);
  const uint64_t expected =
      (extension == ".npz" ? 12 : 32) * uint64_t{matrix.values.size()} + 4 * matrix.rows;
  io::Output output(file, expected, options.monitor, options.descriptor);
  if (extension == ".mtx") {
    write_mtx(output, matrix);
  } else {
    write_npz(output, matrix);
  }
  output.commit();
}

}  // namespace tessera
