#include "data/relation_summary.h"

#include <fmt/format.h>

#include <algorithm>

#include <tessera/core/hash.h>
#include <tessera/exec/detail/host/parallel.h>

#include "application/text.h"

namespace tessera::cli {

using namespace detail;
namespace {

constexpr std::size_t rows_at_once = 4096;
constexpr std::size_t slices = 64;  // progress is told after each

/// One thread's part of a summary.
class Summariser {
 public:
  explicit Summariser(const AnyRows& rows) : rows_(rows), reader_(rows.reader()) {}

  void add(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t id = rows_.in_tile_order(static_cast<std::uint32_t>(i));
      const auto row = reader_[id];
      if (row.size() >= summary.rows_of_length.size()) summary.rows_of_length.resize(row.size() + 1, 0);
      ++summary.rows_of_length[row.size()];
      summary.entries += row.size();
      summary.hash += hash_values(row, id);
    }
  }

  RelationSummary summary;

 private:
  const AnyRows& rows_;
  AnyRows::Reader reader_;
};

}  // namespace

void RelationSummary::merge(const RelationSummary& other) {
  entries += other.entries;
  hash += other.hash;
  rows_of_length.resize(std::max(rows_of_length.size(), other.rows_of_length.size()), 0);
  for (std::size_t i = 0; i < other.rows_of_length.size(); ++i) rows_of_length[i] += other.rows_of_length[i];
}

std::size_t RelationSummary::shortest() const {
  const auto first = std::ranges::find_if(rows_of_length, [](std::uint64_t n) { return n > 0; });
  return first == rows_of_length.end() ? 0 : static_cast<std::size_t>(first - rows_of_length.begin());
}

RelationSummary summarise(Session& session, const AnyRows& rows) {
  const int threads = session.host().threads();
  std::vector<Summariser> workers;
  workers.reserve(static_cast<std::size_t>(threads));
  for (int i = 0; i < threads; ++i) workers.emplace_back(rows);
  for (std::size_t s = 0; s < slices; ++s) {
    session.monitor().update("reading " + rows.relation().name(), static_cast<double>(s) / slices);
    const host::Range slice = host::share_of(rows.size(), s, slices);
    host::for_each_chunk(threads, slice.size(), rows_at_once, [&](host::Range range, int worker) {
      workers[static_cast<std::size_t>(worker)].add(slice.begin + range.begin, slice.begin + range.end);
    });
  }
  RelationSummary summary;
  for (const Summariser& worker : workers) summary.merge(worker.summary);
  return summary;
}

std::string histogram_text(const RelationSummary& summary, std::size_t most_lines) {
  if (summary.rows_of_length.empty()) return "";
  const std::size_t low = summary.shortest();
  const std::size_t lengths = summary.longest() - low + 1;
  const std::size_t width = (lengths + most_lines - 1) / most_lines;
  std::vector<std::uint64_t> bins((lengths + width - 1) / width, 0);
  for (std::size_t i = 0; i < lengths; ++i) bins[i / width] += summary.rows_of_length[low + i];
  const std::uint64_t most = std::max<std::uint64_t>(1, *std::ranges::max_element(bins));
  Table table({Align::right, Align::right, Align::left});
  table.add({"entries", "rows", ""});
  for (std::size_t b = 0; b < bins.size(); ++b) {
    const std::size_t first = low + b * width;
    const std::size_t last = std::min(first + width - 1, summary.longest());
    const std::string range = first == last ? std::to_string(first) : fmt::format("{}-{}", first, last);
    const auto length = static_cast<std::size_t>((bins[b] * 40 + most - 1) / most);
    table.add({range, grouped(bins[b]), std::string(length, '#')});
  }
  return table.text();
}

}  // namespace tessera::cli
