#include "data/quality_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "application/text.h"
#include "data/fields.h"
#include "data/svg.h"

namespace tessera::cli {
namespace {

constexpr std::string_view before_colour = "#d6791f";
constexpr std::string_view after_colour = "#2166ac";
constexpr double page_width = 900;

struct Frame {
  double left, top, width, height;
  [[nodiscard]] double bottom() const { return top + height; }
};

/// A label below a part of the width.
struct Tick {
  double at;
  std::string text;
};

class Drawing : public SvgText {
 public:
  Drawing(std::string_view title, double height) : SvgText(page_width, height) {
    add("<text x=\"90\" y=\"30\" font-size=\"18\" font-weight=\"bold\">Quality of triangles in {}</text>\n",
        escape_xml(title));
  }
  void draw_legend(std::string_view text, std::string_view colour, double y) {
    add("<rect x=\"90\" y=\"{}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n", y - 11, colour);
    add("<text x=\"108\" y=\"{}\">{}</text>\n", y, text);
  }
};

/// Bars side by side for two rows of equally many numbers.
class BarChart {
 public:
  BarChart(const Frame& frame, std::span<const double> before, std::span<const double> after)
      : frame_(frame), before_(before), after_(after) {
    const double most = std::max(std::ranges::max(before), std::ranges::max(after));
    step_ = round_step(static_cast<std::uint64_t>(most));
    highest_ = std::max<std::uint64_t>(1, (static_cast<std::uint64_t>(most) + step_ - 1) / step_) * step_;
    if (static_cast<double>(highest_) < most) highest_ += step_;
  }

  void draw_axes(Drawing& drawing, std::span<const Tick> ticks, std::string_view title,
                 std::string_view unit) const {
    for (const Tick& tick : ticks) {
      drawing.add("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                  frame_.left + frame_.width * tick.at, frame_.bottom() + 18, tick.text);
    }
    for (std::uint64_t count = 0; count <= highest_; count += step_) {
      const double y = frame_.bottom() - height_of(static_cast<double>(count));
      drawing.add("<path d=\"M{} {:.1f}h{}\" stroke=\"{}\"/>\n", frame_.left, y, frame_.width,
                  count == 0 ? "#888" : "#e4e4e4");
      drawing.add("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}{}</text>\n", frame_.left - 8, y + 4.5,
                  grouped(count), unit);
    }
    drawing.add("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\" fill=\"#666\">{}</text>\n",
                frame_.left + frame_.width / 2, frame_.bottom() + 42, title);
  }
  void draw_bars(Drawing& drawing) const {
    draw_row(drawing, before_, before_colour, 0);
    draw_row(drawing, after_, after_colour, 0.5);
  }

 private:
  [[nodiscard]] double height_of(double count) const {
    return frame_.height * count / static_cast<double>(highest_);
  }
  void draw_row(Drawing& drawing, std::span<const double> row, std::string_view colour, double shift) const {
    const double step = frame_.width / static_cast<double>(row.size());
    const double gap = std::min(2.0, step / 10);
    for (std::size_t b = 0; b < row.size(); ++b) {
      const double size = height_of(row[b]);
      drawing.add("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n",
                  frame_.left + step * (static_cast<double>(b) + shift) + gap / 2, frame_.bottom() - size,
                  step / 2 - gap, size, colour);
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

  Frame frame_;
  std::span<const double> before_;
  std::span<const double> after_;
  std::uint64_t step_;     ///< between lines
  std::uint64_t highest_;  ///< at the top
};

std::string describe(const char* name, const QualitySummary& summary) {
  return fmt::format("{}: {}, median {:.3f}, mean {:.3f}, {:.1f} % above {}", name,
                     counted(summary.triangles, "triangle", "triangles"), summary.median, summary.mean,
                     100 * summary.acceptable, acceptable_quality);
}
std::string describe(const char* name, const MeshQuality& quality) {
  return fmt::format(
      "{}: {}, mean edge {}, {:.1f} % of valence 6, smallest angle {:.2f}\u00b0, mean {:.2f}\u00b0", name,
      counted(quality.triangles, "triangle", "triangles"), number_text(quality.edge_length.mean),
      100 * quality.valence_six, quality.smallest_angle, quality.mean_smallest_angle);
}

/// In percent of all.
template <class Counts>
std::vector<double> parts(const Counts& counts) {
  const double sum = std::accumulate(counts.begin(), counts.end(), 0.0);
  std::vector<double> out;
  for (const std::uint64_t count : counts)
    out.push_back(sum > 0 ? 100 * static_cast<double>(count) / sum : 0);
  return out;
}

}  // namespace

std::string make_quality_svg(std::string_view title, const QualitySummary& before,
                             const QualitySummary& after) {
  Drawing drawing(title, 520);
  drawing.draw_legend(describe("before", before), before_colour, 52);
  drawing.draw_legend(describe("after", after), after_colour, 72);
  const Frame frame = {90, 90, 760, 360};
  const std::vector<double> first(before.histogram.begin(), before.histogram.end());
  const std::vector<double> second(after.histogram.begin(), after.histogram.end());
  const BarChart chart(frame, first, second);
  std::vector<Tick> ticks;
  for (int tick = 0; tick <= 10; ++tick) ticks.push_back({tick / 10.0, fmt::format("{:.1f}", tick / 10.0)});
  chart.draw_axes(drawing, ticks, "quality", "");
  drawing.add(
      "<text transform=\"translate(16 {}) rotate(-90)\" text-anchor=\"middle\" "
      "fill=\"#666\">triangles</text>\n",
      frame.top + frame.height / 2);
  const double limit = frame.left + frame.width * acceptable_quality;
  drawing.add("<path d=\"M{0:.1f} {1}v{2}\" stroke=\"#888\" stroke-dasharray=\"4 4\"/>\n", limit, frame.top,
              frame.height);
  drawing.add("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"end\" fill=\"#666\">acceptable above {}</text>\n",
              limit - 6, frame.top + 14, acceptable_quality);
  chart.draw_bars(drawing);
  return drawing.finish();
}

std::string make_quality_svg(std::string_view title, const MeshQuality& before, const MeshQuality& after) {
  Drawing drawing(title, 420);
  drawing.draw_legend(describe("before", before), before_colour, 52);
  drawing.draw_legend(describe("after", after), after_colour, 72);
  const auto draw = [&](double left, const auto& histogram, std::span<const Tick> ticks,
                        std::string_view axis) {
    const std::vector<double> first = parts(before.*histogram);
    const std::vector<double> second = parts(after.*histogram);
    const BarChart chart({left, 100, 230, 250}, first, second);
    chart.draw_axes(drawing, ticks, axis, " %");
    chart.draw_bars(drawing);
  };
  std::vector<Tick> lengths;
  for (int tick = 0; tick <= 5; ++tick) lengths.push_back({tick / 5.0, fmt::format("{:.1f}", tick / 2.0)});
  std::vector<Tick> valences;
  constexpr double bins = MeshQuality::valence_bins;
  for (int v = 0; v < MeshQuality::valence_bins; v += 2)
    valences.push_back({(v + 0.5) / bins, fmt::format("{}", v)});
  std::vector<Tick> angles;
  for (int tick = 0; tick <= 6; ++tick) angles.push_back({tick / 6.0, fmt::format("{}\u00b0", 30 * tick)});
  draw(60, &MeshQuality::length_histogram, lengths, "edges by length over the mean");
  draw(355, &MeshQuality::valence_histogram, valences, "points by valence");
  draw(650, &MeshQuality::angle_histogram, angles, "corners by angle");
  return drawing.finish();
}

}  // namespace tessera::cli
