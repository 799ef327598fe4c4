#include "data/quality_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "application/text.h"

namespace tessera::cli {
namespace {

constexpr double left = 90;
constexpr double top = 90;
constexpr double width = 760;
constexpr double height = 360;
constexpr std::string_view before_colour = "#d6791f";
constexpr std::string_view after_colour = "#2166ac";

class QualityPlot {
 public:
  QualityPlot(const QualitySummary& before, const QualitySummary& after) : before_(before), after_(after) {
    const std::uint64_t most =
        std::max(std::ranges::max(before.histogram), std::ranges::max(after.histogram));
    step_ = round_step(most);
    highest_ = std::max<std::uint64_t>(1, (most + step_ - 1) / step_) * step_;
  }

  std::string draw(std::string_view title) {
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 900 520\" width=\"900\" height=\"520\" "
        "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"#222\">\n"
        "<rect width=\"900\" height=\"520\" fill=\"white\"/>\n");
    std::string safe;
    for (const char c : title)
      safe += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
    add("<text x=\"{}\" y=\"30\" font-size=\"18\" font-weight=\"bold\">Quality of triangles in {}</text>\n",
        left, safe);
    draw_legend("before", before_, before_colour, 52);
    draw_legend("after", after_, after_colour, 72);
    draw_axes();
    draw_bars(before_, before_colour, 0);
    draw_bars(after_, after_colour, 0.5);
    add("</svg>\n");
    return fmt::to_string(text_);
  }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }

  void draw_legend(std::string_view name, const QualitySummary& summary, std::string_view colour, double y) {
    add("<rect x=\"{}\" y=\"{}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n", left, y - 11, colour);
    add("<text x=\"{}\" y=\"{}\">{}: {}, median {:.3f}, mean {:.3f}, {:.1f} % above {}</text>\n", left + 18,
        y, name, counted(summary.triangles, "triangle", "triangles"), summary.median, summary.mean,
        100 * summary.acceptable, acceptable_quality);
  }

  void draw_axes() {
    for (int tick = 0; tick <= 10; ++tick) {
      const double x = left + width * tick / 10;
      add("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{:.1f}</text>\n", x, top + height + 18,
          tick / 10.0);
    }
    for (std::uint64_t count = 0; count <= highest_; count += step_) {
      const double y = top + height - height * static_cast<double>(count) / static_cast<double>(highest_);
      add("<path d=\"M{} {:.1f}h{}\" stroke=\"{}\"/>\n", left, y, width, count == 0 ? "#888" : "#e4e4e4");
      add("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", left - 8, y + 4.5, grouped(count));
    }
    add("<text transform=\"translate(16 {}) rotate(-90)\" text-anchor=\"middle\" "
        "fill=\"#666\">triangles</text>\n",
        top + height / 2);
    const double limit = left + width * acceptable_quality;
    add("<path d=\"M{0:.1f} {1}v{2}\" stroke=\"#888\" stroke-dasharray=\"4 4\"/>\n", limit, top, height);
    add("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"end\" fill=\"#666\">acceptable above {}</text>\n",
        limit - 6, top + 14, acceptable_quality);
    add("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\" fill=\"#666\">quality</text>\n", left + width / 2,
        top + height + 42);
  }

  void draw_bars(const QualitySummary& summary, std::string_view colour, double shift) {
    const double step = width / static_cast<double>(summary.histogram.size());
    for (std::size_t b = 0; b < summary.histogram.size(); ++b) {
      const double size = height * static_cast<double>(summary.histogram[b]) / static_cast<double>(highest_);
      add("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n",
          left + step * (static_cast<double>(b) + shift) + 1, top + height - size, step / 2 - 2, size,
          colour);
    }
  }

  /// 1, 2 or 5 times a power of ten, so that three to six lines reach `most`.
  static std::uint64_t round_step(std::uint64_t most) {
    std::uint64_t step = 1;
    while (most / step > 5) step = leading_digit(step) == 2 ? step / 2 * 5 : step * 2;
    return step;
  }
  static std::uint64_t leading_digit(std::uint64_t number) {
    while (number >= 10) number /= 10;
    return number;
  }

  const QualitySummary& before_;
  const QualitySummary& after_;
  std::uint64_t step_;     ///< between lines
  std::uint64_t highest_;  ///< at the top
  fmt::memory_buffer text_;
};

}  // namespace

std::string make_quality_svg(std::string_view title, const QualitySummary& before,
                             const QualitySummary& after) {
  return QualityPlot(before, after).draw(title);
}

}  // namespace tessera::cli
