#include "data/tree_plot.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "application/text.h"
#include "data/svg.h"

namespace tessera::cli {
namespace {

constexpr std::uint32_t none = MergeTree::none;
constexpr std::size_t most_branches = 300;
constexpr double width = 1000;
constexpr double height = 660;
constexpr double left = 90;
constexpr double right = 980;
constexpr double top = 80;
constexpr double bottom = 620;
constexpr std::string_view minimum_colour = "#2166ac";
constexpr std::string_view maximum_colour = "#d6791f";

/// Branches side by side. Those that hang on one from below are to its left, those from above to its right,
/// and the nearer the sooner they end: so no line of a merge tree crosses another one.
class Layout {
 public:
  explicit Layout(const std::vector<TreePicture::Branch>& branches) : branches_(branches) {
    std::vector<std::uint32_t> order(branches.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, std::greater<>(), [&](std::uint32_t b) {
      return branches_[b].parent == none ? HUGE_VAL : branches_[b].persistence;
    });
    order.resize(std::min(order.size(), most_branches));
    drawn_ = order;
    places_.resize(branches.size(), -1);
    for (const std::uint32_t b : drawn_) places_[b] = 0;
    children_.resize(branches.size());
    for (const std::uint32_t b : drawn_) {
      const std::uint32_t parent = drawn_parent(b);
      if (parent != none) children_[parent].push_back(b);
    }
    for (const std::uint32_t b : drawn_) {
      if (drawn_parent(b) == none) place(b);
    }
  }

  [[nodiscard]] const std::vector<std::uint32_t>& drawn() const { return drawn_; }
  /// How many stand to the left of it.
  [[nodiscard]] double place_of(std::uint32_t branch) const { return places_[branch]; }
  [[nodiscard]] double size() const { return next_; }
  /// The branch that it hangs on, or the next one behind that which is drawn.
  [[nodiscard]] std::uint32_t drawn_parent(std::uint32_t branch) const {
    std::uint32_t parent = branches_[branch].parent;
    while (parent != none && places_[parent] < 0) parent = branches_[parent].parent;
    return parent;
  }
  [[nodiscard]] bool is_from_below(std::uint32_t branch) const { return branches_[branch].is_from_below; }

 private:
  // Depth first without recursion: chains of branches may be as long as there are branches.
  void place(std::uint32_t root) {
    struct Step {
      std::uint32_t branch;
      bool is_itself;
    };
    std::vector<Step> stack = {{root, false}};
    while (!stack.empty()) {
      const auto [branch, is_itself] = stack.back();
      stack.pop_back();
      if (is_itself) {
        places_[branch] = next_++;
        continue;
      }
      std::vector<std::uint32_t>& children = children_[branch];
      std::ranges::stable_sort(children, {}, [&](std::uint32_t b) { return branches_[b].end; });
      // What is pushed last is placed first: the left ones from the farthest on, which end last.
      for (const std::uint32_t child : children)
        if (!is_from_below(child)) stack.push_back({child, false});
      stack.push_back({branch, true});
      for (const std::uint32_t child : children)
        if (is_from_below(child)) stack.push_back({child, false});
    }
  }

  const std::vector<TreePicture::Branch>& branches_;
  std::vector<std::uint32_t> drawn_;
  std::vector<double> places_;  ///< -1: not drawn
  std::vector<std::vector<std::uint32_t>> children_;
  double next_ = 0;
};

class TreePlot {
 public:
  explicit TreePlot(const TreePicture& picture)
      : picture_(picture), layout_(picture.branches), y_(make_scale(picture)) {}

  std::string draw() {
    draw_heading();
    for (const double tick : y_.ticks()) {
      text_.add("<path d=\"M{} {:.1f}H{}\" stroke=\"#e4e4e4\"/>\n", left, y_(tick), right);
      text_.add("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{:.6g}</text>\n", left - 8, y_(tick) + 4.5,
                tick == 0 ? 0.0 : tick);
    }
    const bool is_dense = layout_.drawn().size() > 100;
    text_.add("<g fill=\"none\" stroke-width=\"{}\">\n", is_dense ? 1 : 1.6);
    for (const std::uint32_t b : layout_.drawn()) draw_branch(b);
    text_.add("</g>\n");
    for (const std::uint32_t b : layout_.drawn()) {
      text_.add("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\"/>\n", x_of(b),
                y_(picture_.branches[b].leaf), is_dense ? 2 : 3.5, colour_of(b));
    }
    return text_.finish();
  }

 private:
  static SvgScale make_scale(const TreePicture& picture) {
    double low = HUGE_VAL;
    double high = -HUGE_VAL;
    for (const TreePicture::Branch& branch : picture.branches) {
      for (const double value : {branch.leaf, branch.end}) {
        if (!std::isfinite(value)) continue;
        low = std::min(low, value);
        high = std::max(high, value);
      }
    }
    return low <= high ? SvgScale(low, high, bottom, top) : SvgScale(0, 0, bottom, top);
  }
  void draw_heading() {
    text_.add("<text x=\"{}\" y=\"32\" font-size=\"18\" font-weight=\"bold\">{} of {} in {}</text>\n", left,
              picture_.kind, escape_xml(picture_.field), escape_xml(picture_.file));
    const std::size_t all = picture_.branches.size();
    const std::size_t drawn = layout_.drawn().size();
    std::string note = drawn < all ? fmt::format("the {} most persistent branches of {}", drawn, grouped(all))
                                   : counted(all, "branch", "branches");
    if (picture_.threshold > 0) note += fmt::format(", persistence at least {:.4g}", picture_.threshold);
    text_.add("<text x=\"{}\" y=\"54\" fill=\"#666\">{}</text>\n", left, note);
  }
  [[nodiscard]] double x_of(std::uint32_t branch) const {
    return left + (right - left) * (layout_.place_of(branch) + 0.5) / std::max(1.0, layout_.size());
  }
  [[nodiscard]] std::string_view colour_of(std::uint32_t branch) const {
    return layout_.is_from_below(branch) ? minimum_colour : maximum_colour;
  }
  void draw_branch(std::uint32_t b) {
    const TreePicture::Branch& branch = picture_.branches[b];
    const std::uint32_t parent = layout_.drawn_parent(b);
    text_.add("<path d=\"M{:.1f} {:.1f}V{:.1f}", x_of(b), y_(branch.leaf), y_(branch.end));
    if (parent != none) text_.add("H{:.1f}", x_of(parent));
    text_.add("\" stroke=\"{}\"/>\n", parent == none ? std::string_view("#222") : colour_of(b));
  }

  const TreePicture& picture_;
  Layout layout_;
  SvgScale y_;
  SvgText text_{width, height};
};

}  // namespace

std::vector<TreePicture::Branch> list_branches(const MergeTree& tree) {
  std::vector<std::uint32_t> branch_of(tree.nodes.size(), none);  // by leaf
  for (std::uint32_t b = 0; b < tree.branches.size(); ++b) branch_of[tree.branches[b].leaf] = b;
  std::vector<TreePicture::Branch> branches;
  for (const MergeTree::Branch& branch : tree.branches) {
    const std::uint32_t on = tree.nodes[branch.end].leaf;
    branches.push_back({branch.birth_value, branch.death_value, branch.persistence(),
                        on == branch.leaf ? none : branch_of[on], tree.kind == MergeTreeKind::join});
  }
  return branches;
}

std::vector<TreePicture::Branch> list_branches(const ContourTree& tree) {
  std::vector<TreePicture::Branch> branches;
  for (std::uint32_t b = 0; b < tree.branches.size(); ++b) {
    const ContourTree::Branch& branch = tree.branches[b];
    const std::uint32_t on = tree.branch_of[branch.end];
    branches.push_back({branch.birth_value, branch.death_value, branch.persistence(), on == b ? none : on,
                        tree.nodes[branch.leaf].up_arcs > 0});
  }
  return branches;
}

std::string make_svg(const TreePicture& picture) {
  return TreePlot(picture).draw();
}

}  // namespace tessera::cli
