// Pictures as text: what the plots of the program are written with.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::cli {

/// Text for a picture: without control characters, and with what XML wants instead of < > &.
[[nodiscard]] std::string escape_xml(std::string_view text);

/// A picture that grows from its background to its front.
class SvgText {
 public:
  SvgText(double width, double height) {
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
        "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"#222\">\n"
        "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
        width, height);
  }
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }
  [[nodiscard]] std::string finish() {
    add("</svg>\n");
    return fmt::to_string(text_);
  }

 private:
  fmt::memory_buffer text_;
};

/// Values along an axis of so many pixels.
class SvgScale {
 public:
  SvgScale(double low, double high, double from, double to) : from_(from), to_(to) {
    constexpr double most = 1e300;  // so that no difference overflows
    low = std::clamp(low, -most, most);
    high = std::clamp(high, -most, most);
    const bool is_flat = !(high > low);
    const double room = is_flat ? std::max(1.0, std::abs(low)) : 0.02 * (high - low);
    low_ = low - room;
    high_ = high + room;
  }
  /// Infinite values lie at the ends.
  [[nodiscard]] double operator()(double value) const {
    const double part = (std::clamp(value, low_, high_) - low_) / (high_ - low_);
    return from_ + part * (to_ - from_);
  }
  /// Round numbers, about six of them.
  [[nodiscard]] std::vector<double> ticks() const {
    const double rough = (high_ - low_) / 6;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    const double step = power * (rough / power < 1.5   ? 1
                                 : rough / power < 3.5 ? 2
                                 : rough / power < 7.5 ? 5
                                                       : 10);
    std::vector<double> result;
    for (double i = std::ceil(low_ / step); i * step <= high_ && result.size() < 20; ++i)
      result.push_back(i * step);
    return result;
  }

 private:
  double low_, high_, from_, to_;
};

}  // namespace tessera::cli
