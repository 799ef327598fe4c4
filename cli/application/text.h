// Numbers, sizes and tables as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::cli {

/// 1234567 as "1,234,567".
[[nodiscard]] std::string grouped(std::uint64_t number);

/// "1 point", "2,000 points".
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view one, std::string_view many);

/// Text from files as a terminal may show it: control characters and bytes that are not UTF-8 become \xNN.
/// Those in `kept` stay.
[[nodiscard]] std::string printable(std::string_view text, std::string_view kept = "");

/// "0.31 s", "12.4 s", "3:07".
[[nodiscard]] std::string format_seconds(double seconds);

/// "'a', 'b' and 'c'"; empty for none.
[[nodiscard]] std::string quoted_list(const std::vector<std::string>& names);

/// The name in `names` nearest to `text` by edit distance, if it is near enough to be a slip of the fingers.
[[nodiscard]] std::string nearest_name(std::string_view text, const std::vector<std::string>& names);

enum class Align : std::uint8_t { left, right };

/// Rows of printable text whose columns line up. The first row is the heading.
class Table {
 public:
  explicit Table(std::vector<Align> columns, std::string indent = "  ")
      : columns_(std::move(columns)), indent_(std::move(indent)) {}

  void add(std::vector<std::string> row);
  [[nodiscard]] std::string text() const;

 private:
  std::vector<Align> columns_;
  std::string indent_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace tessera::cli
