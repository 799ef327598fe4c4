// tessera merge-tree: how pieces of sublevel sets, superlevel sets or level sets of a scalar field begin,
// meet and end.
#include <fmt/format.h>

#include <algorithm>

#include <tessera/topology/contour_tree.h>
#include <tessera/topology/merge_tree.h>

#include "application/text.h"
#include "application/verb.h"
#include "data/periodic.h"
#include "data/threshold.h"
#include "data/topology.h"
#include "data/tree_plot.h"

namespace tessera::cli {
namespace {

struct MergeTreeArguments {
  InputOptions input;
  std::string field;
  std::string periodic;
  std::string kind = "join";
  OutputOptions output;  ///< of the segmentation; the tree is written in the same way
  std::filesystem::path tree;
  std::filesystem::path plot;
  std::string threshold;

  [[nodiscard]] bool is_contour() const { return kind == "contour"; }
  [[nodiscard]] OutputOptions tree_output() const { return {tree, output.ascii, output.compress}; }
};

void check_outputs(Session& session, const MergeTreeArguments& options) {
  if (!options.tree.empty()) check_poly_output(session, options.tree_output());
  check_output(session, options.tree.empty() ? options.output : options.output.alone());
  if (!options.plot.empty()) check_sole_format(session, options.plot, "svg");
}

std::size_t count_roots(const MergeTree& tree) {
  return static_cast<std::size_t>(std::ranges::count(tree.nodes, MergeTree::none, &MergeTree::Node::parent));
}
/// A tree has a node more than arcs.
std::size_t count_roots(const ContourTree& tree) {
  return tree.nodes.size() - tree.arcs.size();
}
std::size_t count_arcs(const MergeTree& tree) {
  return tree.arc_count();
}
std::size_t count_arcs(const ContourTree& tree) {
  return tree.arcs.size();
}

template <class Tree>
void report_tree(Session& session, const MergeTreeArguments& options, const Tree& tree) {
  Json& result = session.result();
  Table table({Align::left, Align::right});
  table.add({fmt::format("{} tree", options.kind), "count"});
  const auto add = [&](const char* name, std::size_t count) {
    result[name] = count;
    table.add({name, grouped(count)});
  };
  add("nodes", tree.nodes.size());
  add("arcs", count_arcs(tree));
  add("branches", tree.branches.size());
  add("components", count_roots(tree));
  session.print("{}", table.text());
}

/// What a tree is grown for.
struct TreeTask {
  const MergeTreeArguments& options;
  Threshold threshold;
  const Field& field;
  std::string title;
  PeriodicAxes periodic;
  FieldSet labels = {};  ///< what there is to add to the mesh
};

template <class Tree, class Domain>
void write_parts(Session& session, const TreeTask& task, const Domain& domain, const Tree& tree,
                 double threshold) {
  const MergeTreeArguments& options = task.options;
  if (!options.tree.empty()) {
    const PolyData poly =
        session.in_phase(Phase::compute, [&] { return make_poly(tree, domain, task.field); });
    session.result()["outputs"]["tree"] = write_poly_output(session, options.tree_output(), poly);
  }
  if (options.plot.empty()) return;
  const std::string picture =
      make_svg(TreePicture{list_branches(tree),
                           options.kind == "join"    ? "Join tree"
                           : options.kind == "split" ? "Split tree"
                                                     : "Contour tree",
                           task.field.name(), options.input.file.filename().string(), threshold});
  session.in_phase(Phase::write, [&] { write_file(options.plot, picture); });
  session.result()["outputs"]["plot"] = {{"file", options.plot.string()}, {"bytes", picture.size()}};
  session.print("wrote {}: {}\n", options.plot.string(), format_bytes(picture.size()));
}

/// The tree, pruned if a threshold was given.
template <class Domain, class Make>
void grow_and_write(Session& session, TreeTask& task, const Domain& domain, const Make& make) {
  auto tree = session.in_phase(Phase::compute, make);
  const double least = task.threshold.of(task.field);
  if (least > 0) tree = session.in_phase(Phase::compute, [&] { return prune(tree, least); });
  session.result()["threshold"] = least;
  session.print("{}\n", task.title);
  report_tree(session, task.options, tree);
  write_parts(session, task, domain, tree, least);
  if (!task.options.output.file.empty()) add_labels(task.labels, tree);
}

template <class Domain, class... OfGrid>
void run_on(Session& session, TreeTask& task, const Domain& domain, const OfGrid&... of_grid) {
  const MergeTreeArguments& options = task.options;
  const Reservation room = session.reserve(options.is_contour() ? contour_tree_work(domain, of_grid...)
                                                                : merge_tree_work(domain, of_grid...));
  if (options.is_contour()) {
    return grow_and_write(session, task, domain, [&] {
      return contour_tree(domain, task.field,
                          {.exec = session.host(), .monitor = &session.monitor(), .periodic = task.periodic});
    });
  }
  grow_and_write(session, task, domain, [&] {
    return merge_tree(domain, task.field,
                      {.kind = options.kind == "join" ? MergeTreeKind::join : MergeTreeKind::split,
                       .labels = !options.output.file.empty() || !options.tree.empty(),
                       .exec = session.host(),
                       .monitor = &session.monitor(),
                       .periodic = task.periodic});
  });
}

void declare_merge_tree(OptionList& app, MergeTreeArguments& options) {
  add_input_options(app, options.input);
  app.add_option("--field", options.field,
                 "the scalar field, such as f, v:x, v:magnitude or :z; needed if there are several")
      ->type_name("NAME");
  add_periodic_option(app, options.periodic);
  app.add_option(
         "--kind", options.kind,
         "join: of sublevel sets, from minima; split: of superlevel sets, from maxima; contour: of level "
         "sets")
      ->is_member({"join", "split", "contour"})
      ->capture_default_str();
  add_threshold_option(app, options.threshold, "leave out branches that persist less");
  add_output_options(app, options.output, "-o,--output,--segmentation")
      ->description("write the mesh or grid with the arc of each point");
  app.add_option("--tree", options.tree, "write the tree: nodes as points, arcs as lines (.vtp, .vtk)")
      ->type_name("FILE");
  app.add_option("--plot", options.plot, "a picture of the branches, .svg")->type_name("FILE");
}

int run_merge_tree(Session& session, const MergeTreeArguments& options) {
  const Threshold threshold = parse_threshold(options.threshold);
  check_outputs(session, options);
  const PeriodicAxes periodic = parse_periodic(options.periodic);
  Input input = read_input(session, options.input);
  check_periodic(periodic, input, options.input);
  for (const std::string& note : input.report.notes) session.note(note);
  const Field& field =
      *session.in_phase(Phase::prepare, [&] { return &choose_point_scalar(session, input, options.field); });
  check_point_data_output(options.output, input.mesh, "the segmentation");
  session.result()["field"] = field.name();
  session.result()["kind"] = options.kind;
  TreeTask task{options, threshold, field,
                fmt::format("{}: {}, field '{}'", options.input.file.string(), describe_counts(input.mesh),
                            field.name()),
                periodic};
  std::visit(
      [&](const auto& mesh) {
        if constexpr (requires { mesh.cells; }) {
          run_on(session, task, mesh);
        } else {
          run_on(session, task, mesh, field);
        }
      },
      input.mesh);
  if (options.output.file.empty()) return 0;
  std::visit(
      [&](auto& mesh) {
        for (Field& label : task.labels) add_result(session, mesh.point_data, std::move(label));
      },
      input.mesh);
  write_output(session, options.output, input.mesh);
  return 0;
}

}  // namespace

Verb merge_tree_verb() {
  return define_verb<MergeTreeArguments>(
      {"merge-tree", Group::analyse,
       "the join, split or contour tree of a scalar field, its branches and regions",
       "  tessera merge-tree kuhn64.vtu --field rough --threshold 5% --plot tree.svg\n"
       "  tessera merge-tree scan.vti --kind contour --threshold 5% --tree tree.vtp -o regions.vti"},
      declare_merge_tree, run_merge_tree, {.mesh = 8, .grid = 90});
}

}  // namespace tessera::cli
