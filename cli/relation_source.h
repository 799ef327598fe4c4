// A relation whose type is known only when the program runs: its rows by number, and a summary of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <tessera/connect/connectivity.h>

#include "session.h"

namespace tessera::cli {

/// Rows and entries are numbered as in the tiled mesh; the two maps, where they are not empty, give the
/// input's numbers.
struct RelationSource {
  using Reader = std::function<std::span<const std::uint32_t>(std::uint32_t row)>;

  RelationKey relation;
  std::size_t rows = 0;
  std::function<Reader()> make_reader;  ///< one for each thread; what it gives is valid until its next call
  std::span<const std::uint32_t> row_to_input;
  std::span<const std::uint32_t> entry_to_input;
  std::function<StoreStatistics()> statistics;
};

/// What a relation looks like.
struct RelationSummary {
  std::uint64_t entries = 0;
  std::vector<std::uint64_t> rows_of_length;  ///< how many rows have 0, 1, 2, ... entries
  std::uint64_t hash = 0;  ///< the sum of the rows' hashes: the same in whatever order they are met

  void merge(const RelationSummary& other);
  [[nodiscard]] std::size_t shortest() const;
  [[nodiscard]] std::size_t longest() const { return rows_of_length.empty() ? 0 : rows_of_length.size() - 1; }
};

/// The entries of a row in the input's numbers, ascending; `room` is reused.
std::span<const std::uint32_t> to_input(const RelationSource& source, std::span<const std::uint32_t> row,
                                        std::vector<std::uint32_t>& room);

/// Goes through all rows in parallel.
[[nodiscard]] RelationSummary summarise(Session& session, const RelationSource& source);

/// A table with a bar for each length, or for each range of lengths if there are many.
[[nodiscard]] std::string histogram_text(const RelationSummary& summary, std::size_t most_lines = 12);

/// Error(unsupported | write_failed) for a file that write_relation() would refuse.
void check_relation_output(const std::filesystem::path& file);

/// Writes rows in the order of `order` (the tiled number of each of the input's; empty: the same), in the
/// format that the extension names.
void write_relation(Session& session, const std::filesystem::path& file, const RelationSource& source,
                    const RelationSummary& summary, std::span<const std::uint32_t> order);

}  // namespace tessera::cli
