#include "data/threshold.h"

#include <fmt/format.h>

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
