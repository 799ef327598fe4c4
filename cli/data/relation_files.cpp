// Relations in files: .txt and .csv for people and tables, .npz for numpy and scipy.
#include <fmt/format.h>

#include <string>

#include <tessera/io/detail/npz.h>
#include <tessera/io/detail/output.h>

#include "application/text.h"
#include "data/files.h"
#include "data/relation_summary.h"

namespace tessera::cli {

using namespace detail;
namespace {

using std::size_t;
using std::uint32_t;
using std::uint64_t;

/// "12: 4 7 9".
void write_txt(io::Output& output, const AnyRows& rows) {
  AnyRows::Reader reader = rows.reader();
  for (uint32_t id = 0; id < rows.size(); ++id) {
    output.number(id);
    output.write(":");
    for (const uint32_t entry : reader[id]) {
      output.write(" ");
      output.number(entry);
    }
    output.write("\n");
  }
}

/// A line for each pair, under the names of the two columns.
void write_csv(io::Output& output, const AnyRows& rows) {
  const RelationKey relation = rows.relation();
  constexpr std::string_view names[] = {"vertex", "edge", "face", "tetrahedron"};
  output.write(
      fmt::format("{},{}\n", names[static_cast<size_t>(relation.from)],
                  relation.from == relation.to ? "neighbour" : names[static_cast<size_t>(relation.to)]));
  AnyRows::Reader reader = rows.reader();
  for (uint32_t id = 0; id < rows.size(); ++id) {
    for (const uint32_t entry : reader[id]) {
      output.number(id);
      output.write(",");
      output.number(entry);
      output.write("\n");
    }
  }
}

/// `offsets` (int64, one more than there are rows) and `values` (uint32).
void write_npz(io::Output& output, const AnyRows& rows, uint64_t entries) {
  io::NpzWriter npz(output);
  AnyRows::Reader reader = rows.reader();
  npz.begin("offsets", "<i8", rows.size() + 1);
  uint64_t offset = 0;
  npz.write(io::little_endian(offset));
  for (uint32_t id = 0; id < rows.size(); ++id) npz.write(io::little_endian(offset += reader[id].size()));
  npz.end();
  npz.begin("values", "<u4", entries);
  std::string bytes;
  for (uint32_t id = 0; id < rows.size(); ++id) {
    bytes.clear();
    for (const uint32_t entry : reader[id]) bytes += io::little_endian(entry);
    npz.write(bytes);
  }
  npz.end();
  npz.finish();
}

}  // namespace

void check_relation_output(Session& session, const OutputOptions& options) {
  if (options.file.empty()) return;
  expect_format(options, "csv");
  const std::string extension = options.extension();
  if (extension != "txt" && extension != "csv" && extension != "npz") {
    throw Error(
        ErrorCode::unsupported,
        fmt::format("'{}' has no extension that a relation can be written with; use .txt, .csv or .npz",
                    options.file.string()));
  }
  check_folder(session, options.file);
}

void write_relation(Session& session, const OutputOptions& options, const AnyRows& rows,
                    const RelationSummary& summary) {
  const std::string extension = options.extension();
  const auto write = [&](const std::filesystem::path& file, const WriteOptions& how) {
    const uint64_t expected = extension == "npz"   ? 8 * rows.size() + 4 * summary.entries
                              : extension == "csv" ? 16 * summary.entries
                                                   : 9 * rows.size() + 8 * summary.entries;
    io::Output output(file, expected, how.monitor, how.descriptor);
    if (extension == "txt") write_txt(output, rows);
    if (extension == "csv") write_csv(output, rows);
    if (extension == "npz") write_npz(output, rows, summary.entries);
    output.commit();
    return WriteReport{};
  };
  const uint64_t bytes = write_counted(session, options, write).bytes;
  const std::string file = options.file.string();
  session.result()["output"] = {{"file", file}, {"bytes", bytes}};
  session.print("wrote {}: {}, {} in {}\n", file, counted(rows.size(), "row", "rows"), format_bytes(bytes),
                format_seconds(session.total_seconds()));
}

}  // namespace tessera::cli
