#include "data/threshold.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include <tessera/core/error.h>

namespace tessera::cli {

void add_threshold_option(OptionList& app, std::string& text, const std::string& what) {
  app.add_option("--threshold", text, what + ": a number, or a part of the range such as 5%")
      ->type_name("X|X%");
}

double Threshold::checked(double value) {
  if (std::isfinite(value)) return value;
  throw Error(ErrorCode::bad_option,
              "--threshold cannot be a part of a range that is not finite; write a number instead");
}

double Threshold::of(const Field& field) const {
  if (!is_percent) return checked(number);
  return field.visit([&](const auto& values) {
    double low = HUGE_VAL;
    double high = -HUGE_VAL;
    for (const auto value : values) {
      const auto real = static_cast<double>(value);
      if (std::isnan(real)) return 0.0;  // which is refused later, with the vertex
      low = std::min(low, real);
      high = std::max(high, real);
    }
    return low < high ? checked(number / 100 * (high - low)) : 0.0;
  });
}

Threshold parse_threshold(const std::string& text) {
  Threshold threshold;
  if (text.empty()) return threshold;
  threshold.is_percent = text.back() == '%';
  const char* end = text.data() + text.size() - (threshold.is_percent ? 1 : 0);
  const auto [stop, status] = std::from_chars(text.data(), end, threshold.number);
  if (status != std::errc{} || stop != end || !(threshold.number >= 0) || !std::isfinite(threshold.number)) {
    throw Error(ErrorCode::bad_option,
                fmt::format("'{}' does not suit --threshold; write a number such as 0.5, or a part of the "
                            "field's range such as 5%",
                            text));
  }
  return threshold;
}

}  // namespace tessera::cli
