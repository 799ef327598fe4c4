// Relations in files: .txt and .csv for people and tables, .npz for numpy and scipy.
#include <fmt/format.h>

#include <array>
#include <string>

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

constexpr std::array<uint32_t, 256> make_crc_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value & 1u) != 0 ? 0xEDB88320u ^ (value >> 1) : value >> 1;
    table[i] = value;
  }
  return table;
}

/// Bytes of whole numbers, lowest first.
template <class... T>
std::string little_endian(T... values) {
  std::string bytes;
  const auto add = [&]<class U>(U value) {
    for (size_t i = 0; i < sizeof(U); ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFFu);
  };
  (add(values), ...);
  return bytes;
}

/// A zip archive of stored (not compressed) .npy arrays, as numpy.savez writes it: with 64-bit sizes
/// throughout. PKWARE's APPNOTE, sections 4.3.7, 4.3.12 to 4.3.16 and 4.5.3.
class NpzWriter {
 public:
  explicit NpzWriter(io::Output& output) : output_(output) {}

  /// Begins an array of `count` numbers of a type as numpy names it; write() then gives their bytes.
  void begin(const std::string& name, std::string_view type, uint64_t count) {
    entries_.push_back({name + ".npy", output_.position(), 0, 0});
    const Entry& entry = entries_.back();
    output_.write(little_endian(uint32_t{0x04034B50}) + head(0) +
                  little_endian(static_cast<std::uint16_t>(entry.name.size()), std::uint16_t{20}) +
                  entry.name + little_endian(std::uint16_t{1}, std::uint16_t{16}, uint64_t{0}, uint64_t{0}));
    crc_ = 0xFFFFFFFFu;
    std::string header =
        fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({},), }}", type, count);
    header.append(63 - (10 + header.size()) % 64, ' ');  // data begin at a multiple of 64
    header += '\n';
    write("\x93NUMPY" + std::string{'\1', '\0'} + little_endian(static_cast<std::uint16_t>(header.size())) +
          header);
  }
  void write(std::string_view bytes) {
    static constexpr std::array<uint32_t, 256> table = make_crc_table();
    for (const char c : bytes) crc_ = table[(crc_ ^ static_cast<unsigned char>(c)) & 0xFFu] ^ (crc_ >> 8);
    entries_.back().size += bytes.size();
    output_.write(bytes);
  }
  void end() {
    Entry& entry = entries_.back();
    entry.crc = ~crc_;
    output_.patch(entry.position + 14, little_endian(entry.crc));
    output_.patch(entry.position + 30 + entry.name.size() + 4, little_endian(entry.size, entry.size));
  }
  void finish() {
    const uint64_t directory = output_.position();
    for (const Entry& entry : entries_) {
      output_.write(
          little_endian(uint32_t{0x02014B50}, version) + head(entry.crc) +
          little_endian(static_cast<std::uint16_t>(entry.name.size()), std::uint16_t{28}, std::uint16_t{0},
                        std::uint16_t{0}, std::uint16_t{0}, uint32_t{0}, many) +
          entry.name +
          little_endian(std::uint16_t{1}, std::uint16_t{24}, entry.size, entry.size, entry.position));
    }
    const uint64_t end = output_.position();
    const uint64_t count = entries_.size();
    output_.write(little_endian(uint32_t{0x06064B50}, uint64_t{44}, version, version, uint32_t{0},
                                uint32_t{0}, count, count, end - directory, directory) +
                  little_endian(uint32_t{0x07064B50}, uint32_t{0}, end, uint32_t{1}) +
                  little_endian(uint32_t{0x06054B50}, uint32_t{0}, static_cast<std::uint16_t>(count),
                                static_cast<std::uint16_t>(count), many, many, std::uint16_t{0}));
  }

 private:
  struct Entry {
    std::string name;
    uint64_t position;
    uint64_t size;
    uint32_t crc;
  };
  static constexpr std::uint16_t version = 45;
  static constexpr uint32_t many = 0xFFFFFFFFu;  // see the 64-bit field

  /// From the version to the sizes: stored, 1 January 1980.
  static std::string head(uint32_t crc) {
    return little_endian(version, std::uint16_t{0}, std::uint16_t{0}, std::uint16_t{0}, std::uint16_t{0x21},
                         crc, many, many);
  }

  io::Output& output_;
  std::vector<Entry> entries_;
  uint32_t crc_ = 0;
};

/// `offsets` (int64, one more than there are rows) and `values` (uint32).
void write_npz(io::Output& output, const AnyRows& rows, uint64_t entries) {
  NpzWriter npz(output);
  AnyRows::Reader reader = rows.reader();
  npz.begin("offsets", "<i8", rows.size() + 1);
  uint64_t offset = 0;
  npz.write(little_endian(offset));
  for (uint32_t id = 0; id < rows.size(); ++id) npz.write(little_endian(offset += reader[id].size()));
  npz.end();
  npz.begin("values", "<u4", entries);
  std::string bytes;
  for (uint32_t id = 0; id < rows.size(); ++id) {
    bytes.clear();
    for (const uint32_t entry : reader[id]) bytes += little_endian(entry);
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
