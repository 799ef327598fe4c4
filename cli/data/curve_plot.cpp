// Persistence curves: how many pairs persist so long. As rows of text, and as a picture with logarithmic
// axes, because noise has most of the pairs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <vector>

#include "application/text.h"
#include "data/diagram.h"
#include "data/svg.h"

namespace tessera::cli {
namespace {

constexpr double width = 760;
constexpr double height = 560;
constexpr double left = 90;
constexpr double right = 730;
constexpr double top = 90;
constexpr double bottom = 490;
constexpr std::array<std::string_view, 3> colours = {"#2166ac", "#d6791f", "#3a8a3a"};
constexpr std::array<std::string_view, 3> class_names = {"pieces", "loops", "cavities"};

/// Of the finite pairs of each dimension, descending.
using Lengths = std::array<std::vector<double>, 3>;

Lengths list_lengths(const Diagram& diagram) {
  Lengths lengths;
  for (const PersistencePair& pair : diagram.pairs) {
    if (pair.is_finite()) lengths[pair.dimension].push_back(pair.persistence());
  }
  for (std::vector<double>& of_dimension : lengths) std::ranges::sort(of_dimension, std::greater<>());
  return lengths;
}

/// Powers of ten along an axis.
class LogScale {
 public:
  /// Powers beyond what double can hold are left out.
  LogScale(double low, double high, double from, double to)
      : low_(std::max(std::floor(std::log10(low)), -307.0)),
        high_(std::min(std::ceil(std::log10(high)), 308.0)),
        from_(from),
        to_(to) {
    if (!(high_ > low_)) low_ = high_ - 1;
  }
  [[nodiscard]] double operator()(double value) const {
    return from_ + (to_ - from_) * std::clamp((std::log10(value) - low_) / (high_ - low_), 0.0, 1.0);
  }
  /// At most about ten of them.
  [[nodiscard]] std::vector<double> ticks() const {
    const double step = std::max(1.0, std::ceil((high_ - low_) / 10));
    std::vector<double> result;
    for (double power = low_; power <= high_; power += step) result.push_back(std::pow(10, power));
    return result;
  }

 private:
  double low_, high_, from_, to_;
};

class CurvePlot {
 public:
  explicit CurvePlot(const Diagram& diagram) : diagram_(diagram), lengths_(list_lengths(diagram)) {}

  std::string draw() {
    text_.add(
        "<text x=\"{}\" y=\"32\" font-size=\"18\" font-weight=\"bold\">Persistence curve of {} in "
        "{}</text>\n",
        left, escape_xml(diagram_.field), escape_xml(diagram_.file));
    double shortest = HUGE_VAL;
    double longest = 0;
    std::size_t most = 1;
    for (const std::vector<double>& of_dimension : lengths_) {
      most = std::max(most, of_dimension.size());
      for (const double length : of_dimension) {
        if (!(length > 0) || !std::isfinite(length)) continue;
        shortest = std::min(shortest, length);
        longest = std::max(longest, length);
      }
    }
    if (!(shortest <= longest)) shortest = longest = 1;
    const LogScale x(shortest, longest, left, right);
    const LogScale y(1, static_cast<double>(most), bottom, top);
    draw_axes(x, y);
    double legend = left;
    for (std::size_t d = 0; d < lengths_.size(); ++d) {
      if (lengths_[d].empty()) continue;
      draw_curve(d, x, y);
      text_.add("<text x=\"{}\" y=\"60\" fill=\"{}\">{} {}</text>\n", legend, colours[d],
                grouped(lengths_[d].size()), class_names[d]);
      legend += 130;
    }
    return text_.finish();
  }

 private:
  void draw_axes(const LogScale& x, const LogScale& y) {
    for (const double tick : x.ticks()) {
      text_.add("<path d=\"M{:.1f} {}V{}\" stroke=\"#e4e4e4\"/>\n", x(tick), top, bottom);
      text_.add("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{:.6g}</text>\n", x(tick), bottom + 18,
                tick);
    }
    for (const double tick : y.ticks()) {
      text_.add("<path d=\"M{} {:.1f}H{}\" stroke=\"#e4e4e4\"/>\n", left, y(tick), right);
      text_.add("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", left - 8, y(tick) + 4.5,
                grouped(static_cast<std::uint64_t>(tick)));
    }
    text_.add("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"#666\">persistence</text>\n",
              (left + right) / 2, bottom + 42);
    text_.add(
        "<text transform=\"translate(24 {}) rotate(-90)\" text-anchor=\"middle\" fill=\"#666\">pairs that "
        "persist at least so much</text>\n",
        (top + bottom) / 2);
  }
  /// Steps, from the most persistent pair on; what lies at one place of the picture is drawn once.
  void draw_curve(std::size_t dimension, const LogScale& x, const LogScale& y) {
    const std::vector<double>& lengths = lengths_[dimension];
    std::string path = fmt::format("M{:.1f} {:.1f}", x(std::max(lengths.front(), 1e-300)), y(1));
    double last = HUGE_VAL;
    for (std::size_t i = 0; i < lengths.size() && lengths[i] > 0; ++i) {
      const double at = std::round(10 * x(lengths[i])) / 10;
      const bool is_last = i + 1 == lengths.size() || !(lengths[i + 1] > 0);
      if (at == last && !is_last) continue;
      fmt::format_to(std::back_inserter(path), "H{:.1f}V{:.1f}", at, y(static_cast<double>(i + 1)));
      last = at;
    }
    text_.add("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\"/>\n", path,
              colours[dimension]);
  }

  const Diagram& diagram_;
  Lengths lengths_;
  SvgText text_{width, height};
};

}  // namespace

std::string make_curve_csv(const Diagram& diagram) {
  const Lengths lengths = list_lengths(diagram);
  std::vector<double> all;
  for (const std::vector<double>& of_dimension : lengths)
    all.insert(all.end(), of_dimension.begin(), of_dimension.end());
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  fmt::memory_buffer text;
  fmt::format_to(std::back_inserter(text), "Persistence,Pairs");
  for (int d = 0; d < diagram.dimension; ++d) fmt::format_to(std::back_inserter(text), ",Pairs{}", d);
  text.push_back('\n');
  std::array<std::size_t, 3> left_of;
  for (std::size_t d = 0; d < lengths.size(); ++d) left_of[d] = lengths[d].size();
  for (const double length : all) {
    std::size_t total = 0;
    for (std::size_t d = 0; d < lengths.size(); ++d) {
      while (left_of[d] > 0 && lengths[d][left_of[d] - 1] < length) --left_of[d];
      total += left_of[d];
    }
    fmt::format_to(std::back_inserter(text), "{},{}", length, total);
    for (int d = 0; d < diagram.dimension; ++d)
      fmt::format_to(std::back_inserter(text), ",{}", left_of[static_cast<std::size_t>(d)]);
    text.push_back('\n');
  }
  return fmt::to_string(text);
}

std::string make_curve_svg(const Diagram& diagram) {
  return CurvePlot(diagram).draw();
}

}  // namespace tessera::cli
