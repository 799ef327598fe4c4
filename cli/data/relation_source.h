// A relation whose type is known only when the program runs: its rows by number, and a summary of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <tessera/connect/connectivity.h>

#include "application/session.h"

namespace tessera::cli {

/// Rows and entries have the input's numbers, where it has any.
struct RelationSource {
  using Reader = std::function<std::span<const std::uint32_t>(std::uint32_t row)>;

  RelationKey relation;
  std::size_t rows = 0;
  std::function<Reader()> make_reader;  ///< one for each thread; what it gives is valid until its next call
  std::function<std::uint32_t(std::uint32_t)> in_tiles;  ///< the row that is the i-th as tiles have them
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

/// Goes through all rows in parallel, tile by tile.
[[nodiscard]] RelationSummary summarise(Session& session, const RelationSource& source);

/// A table with a bar for each length, or for each range of lengths if there are many.
[[nodiscard]] std::string histogram_text(const RelationSummary& summary, std::size_t most_lines = 12);

/// Error(unsupported | write_failed) for a file that write_relation() would refuse.
void check_relation_output(const std::filesystem::path& file);

/// Writes rows in the order of their numbers, in the format that the extension names.
void write_relation(Session& session, const std::filesystem::path& file, const RelationSource& source,
                    const RelationSummary& summary);

}  // namespace tessera::cli
