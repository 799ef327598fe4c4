// A relation of a mesh: a summary of its rows, and files of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <tessera/connect/any_rows.h>

#include "application/session.h"
#include "data/files.h"

namespace tessera::cli {

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
[[nodiscard]] RelationSummary summarise(Session& session, const AnyRows& rows);

/// A table with a bar for each length, or for each range of lengths if there are many.
[[nodiscard]] std::string histogram_text(const RelationSummary& summary, std::size_t most_lines = 12);

/// Error(unsupported | write_failed | bad_option) for a file that write_relation() would refuse.
void check_relation_output(Session& session, const OutputOptions& options);

/// Writes rows in the order of their numbers, in the format that the extension names.
void write_relation(Session& session, const OutputOptions& options, const AnyRows& rows,
                    const RelationSummary& summary);

}  // namespace tessera::cli
