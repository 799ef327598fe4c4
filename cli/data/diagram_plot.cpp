// The picture of a persistence diagram, written as SVG by hand: births against deaths on the left, bars on
// the right. Colours tell dimensions apart for most eyes, shapes for the others.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "application/text.h"
#include "data/diagram.h"
#include "data/svg.h"

namespace tessera::cli {
namespace {

constexpr std::size_t most_points = 20000;
constexpr std::size_t most_bars = 120;
constexpr double width = 1220;
constexpr double height = 660;
constexpr std::array<std::string_view, 4> colours = {"#2166ac", "#d6791f", "#3a8a3a", "#8a4fa3"};
constexpr std::array<std::string_view, 4> class_names = {"pieces", "loops", "cavities", "dimension 3"};
constexpr std::array<std::string_view, 4> class_name = {"piece", "loop", "cavity", "dimension 3"};

struct Box {
  double left, top, width, height;
  [[nodiscard]] double right() const { return left + width; }
  [[nodiscard]] double bottom() const { return top + height; }
};
constexpr Box diagram_box = {80, 96, 500, 500};
constexpr Box bar_box = {680, 96, 510, 500};
constexpr double never_band = 26;  // above the highest death, for classes that do not die

class Plot {
 public:
  explicit Plot(const Diagram& diagram) : diagram_(diagram), ranked_(diagram.pairs) {
    std::stable_sort(ranked_.begin(), ranked_.end(), [](const auto& a, const auto& b) {
      return a.is_finite() != b.is_finite() ? !a.is_finite() : a.persistence() > b.persistence();
    });
    for (double value : {diagram.lowest, diagram.highest}) include(value);
    for (const PersistencePair& pair : diagram.pairs) include(pair.birth_value), include(pair.death_value);
    if (!(low_ <= high_)) low_ = high_ = 0;
  }

  std::string draw() {
    draw_heading();
    draw_diagram();
    draw_bars();
    return text_.finish();
  }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    text_.add(format, std::forward<Args>(args)...);
  }

  void include(double value) {
    if (!std::isfinite(value)) return;
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }

  void draw_heading() {
    add("<text x=\"{}\" y=\"32\" font-size=\"18\" font-weight=\"bold\">Persistence of {} in {}</text>\n",
        diagram_box.left, escape_xml(diagram_.field), escape_xml(diagram_.file));
    double x = diagram_box.left;
    for (std::uint32_t d = 0; d < colours.size(); ++d) {
      const auto is_here = [&](const PersistencePair& pair) { return pair.dimension == d; };
      const auto count = std::count_if(ranked_.begin(), ranked_.end(), is_here);
      if (count == 0) continue;
      draw_mark(d, x + 6, 55, 5);
      const std::string label = counted(static_cast<std::uint64_t>(count), class_name[d], class_names[d]);
      add("<text x=\"{:.0f}\" y=\"60\">{}</text>\n", x + 18, label);
      x += 40 + 7.2 * static_cast<double>(label.size());
    }
    if (diagram_.threshold > 0) {
      add("<text x=\"{:.0f}\" y=\"60\" fill=\"#666\">persistence at least {:.4g}</text>\n", x,
          diagram_.threshold);
    }
  }

  void draw_mark(std::uint32_t dimension, double x, double y, double size) {
    const std::string_view colour = colours[dimension];
    switch (dimension) {
      case 0:
        add("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\"/>\n", x, y, size, colour);
        break;
      case 1:
        add("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n",
            x - 0.9 * size, y - 0.9 * size, 1.8 * size, 1.8 * size, colour);
        break;
      default:
        add("<path d=\"M{:.1f} {:.1f}l{} {}l{} {}l{} {}z\" fill=\"{}\"/>\n", x, y - 1.25 * size, 1.25 * size,
            1.25 * size, -1.25 * size, 1.25 * size, -1.25 * size, -1.25 * size, colour);
    }
  }

  void draw_axis(const Box& box, const SvgScale& scale, std::string_view name) {
    for (const double tick : scale.ticks()) {
      const double x = scale(tick);
      add("<path d=\"M{0:.1f} {1}V{2}\" stroke=\"#e4e4e4\"/>\n", x, box.top, box.bottom());
      add("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{:.6g}</text>\n", x, box.bottom() + 18,
          tick == 0 ? 0.0 : tick);
    }
    add("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\" fill=\"#666\">{}</text>\n",
        box.left + box.width / 2, box.bottom() + 40, name);
  }

  void draw_frame(const Box& box) {
    add("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#888\"/>\n", box.left,
        box.top, box.width, box.height);
  }

  void draw_diagram() {
    const Box& box = diagram_box;
    const SvgScale x(low_, high_, box.left, box.right());
    const SvgScale y(low_, high_, box.bottom(), box.top + never_band);
    draw_axis(box, x, "birth");
    for (const double tick : y.ticks()) {
      add("<path d=\"M{} {:.1f}H{}\" stroke=\"#e4e4e4\"/>\n", box.left, y(tick), box.right());
      add("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{:.6g}</text>\n", box.left - 8, y(tick) + 4.5,
          tick == 0 ? 0.0 : tick);
    }
    add("<path d=\"M{} {}H{}\" stroke=\"#888\" stroke-dasharray=\"4 4\"/>\n", box.left, box.top + never_band,
        box.right());
    add("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">never</text>\n", box.left - 8,
        box.top + never_band / 2 + 4.5);
    add("<text transform=\"translate(22 {}) rotate(-90)\" text-anchor=\"middle\" "
        "fill=\"#666\">death</text>\n",
        box.top + box.height / 2);
    add("<path d=\"M{} {}L{} {}\" stroke=\"#888\"/>\n", box.left, box.bottom(), box.right(),
        box.top + never_band);
    draw_frame(box);
    const std::size_t count = std::min(ranked_.size(), most_points);
    add("<g fill-opacity=\"0.7\">\n");
    for (std::size_t i = count; i-- > 0;) {  // the most persistent on top
      const PersistencePair& pair = ranked_[i];
      const double size = pair.is_finite() ? (count > 2000 ? 2.2 : 3.2) : 5;
      draw_mark(pair.dimension, x(pair.birth_value),
                pair.is_finite() ? y(pair.death_value) : box.top + never_band / 2, size);
    }
    add("</g>\n");
    if (count < ranked_.size()) draw_note(box, fmt::format("the {} most persistent", grouped(count)));
  }

  void draw_note(const Box& box, const std::string& note) {
    add("<text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"#666\">{}</text>\n", box.right(), box.top - 8,
        note);
  }

  /// By dimension, the most persistent first; what never dies goes out to the right with a point.
  void draw_bars() {
    std::vector<PersistencePair> bars(
        ranked_.begin(), ranked_.begin() + static_cast<std::ptrdiff_t>(std::min(ranked_.size(), most_bars)));
    std::stable_sort(bars.begin(), bars.end(),
                     [](const auto& a, const auto& b) { return a.dimension < b.dimension; });
    const Box& box = bar_box;
    const SvgScale x(low_, high_, box.left, box.right());
    draw_axis(box, x, "value of the field");
    const double groups = bars.empty() ? 0 : bars.back().dimension;
    const double gap = 12;
    const double step = std::min(14.0, (box.height - 16 - gap * groups) / std::max<double>(1, bars.size()));
    double y = box.top + 8;
    for (std::size_t i = 0; i < bars.size(); ++i) {
      if (i > 0) y += gap * (bars[i].dimension - bars[i - 1].dimension);
      draw_bar(bars[i], x, y, step);
      if (i == 0 || bars[i].dimension != bars[i - 1].dimension) {
        add("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\" fill=\"{}\">{}</text>\n", box.left - 8, y + 11,
            colours[bars[i].dimension], class_names[bars[i].dimension]);
      }
      y += step;
    }
    draw_frame(box);
    const std::string all = grouped(ranked_.size());
    draw_note(box, bars.size() < ranked_.size()
                       ? fmt::format("the {} most persistent of {}", bars.size(), all)
                       : fmt::format("all {}", all));
  }

  void draw_bar(const PersistencePair& bar, const SvgScale& x, double y, double step) {
    const double thickness = std::max(1.0, 0.7 * step);
    const double from = x(bar.birth_value);
    const double to = bar.is_finite() ? std::max(x(bar.death_value), from + 0.5) : bar_box.right() - 7;
    add("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", from, y,
        std::max(0.5, to - from), thickness, colours[bar.dimension]);
    if (bar.is_finite()) return;
    const double half = std::max(4.0, thickness);
    add("<path d=\"M{0:.1f} {1:.1f}l6 {2:.1f}l-6 {2:.1f}z\" fill=\"{3}\"/>\n", to, y + thickness / 2 - half,
        half, colours[bar.dimension]);
  }

  const Diagram& diagram_;
  std::vector<PersistencePair> ranked_;  ///< what never dies, then the most persistent first
  double low_ = HUGE_VAL;
  double high_ = -HUGE_VAL;
  SvgText text_{width, height};
};

}  // namespace

std::string make_svg(const Diagram& diagram) {
  return Plot(diagram).draw();
}

}  // namespace tessera::cli
