// tessera persistence: which features of a scalar field come and go together, and for how long.
#include <fmt/format.h>

#include <cmath>

#include <tessera/topology/persistence.h>

#include "application/text.h"
#include "application/verb.h"
#include "data/diagram.h"
#include "data/parts.h"
#include "data/threshold.h"
#include "data/topology.h"

namespace tessera::cli {
namespace {

struct PersistenceOptions {
  TopologyArguments topology;
  OutputOptions output;
  std::string threshold;
  std::filesystem::path csv;
  std::filesystem::path plot;
  std::filesystem::path curve;  ///< .csv or .svg
  std::string dimensions;
  std::optional<std::uint32_t> most_persistent;
  std::filesystem::path generators;

  [[nodiscard]] bool draws_curve() const { return extension_of(curve) == "svg"; }
};

void check_outputs(Session& session, const PersistenceOptions& options) {
  const OutputOptions& diagram = options.output;
  check_segments_output(session, options.generators.empty() ? diagram : diagram.alone());
  if (!options.csv.empty()) check_sole_format(session, options.csv, "csv");
  if (!options.plot.empty()) check_sole_format(session, options.plot, "svg");
  if (!options.curve.empty())
    check_sole_format(session, options.curve, options.draws_curve() ? "svg" : "csv");
  if (!options.generators.empty())
    check_poly_output(session, {options.generators, diagram.ascii, diagram.compress});
}

/// Counts by dimension: pairs that are left, pairs that are left out, essential classes.
void report_counts(Session& session, const Persistence& persistence, const Diagram& diagram) {
  const std::size_t dimensions = static_cast<std::size_t>(diagram.dimension);
  std::vector<std::size_t> left(dimensions, 0);
  std::vector<double> longest(dimensions + 1, 0);
  for (const PersistencePair& pair : diagram.pairs) {
    if (!pair.is_finite()) continue;
    ++left[pair.dimension];
    longest[pair.dimension] = std::max(longest[pair.dimension], pair.persistence());
  }
  Json left_out = Json::array();
  for (std::size_t d = 0; d < dimensions; ++d) left_out.push_back(persistence.finite[d] - left[d]);
  const auto& essential = persistence.essential;
  session.result()["pairs"] = left;
  session.result()["essential"] =
      std::vector<std::size_t>(essential.begin(), essential.begin() + diagram.dimension + 1);
  session.result()["left_out"] = left_out;
  Table table({Align::left, Align::right, Align::right, Align::right, Align::right});
  table.add({"dimension", "pairs", "left out", "essential", "most persistent"});
  for (std::size_t d = 0; d <= dimensions; ++d) {
    const bool has_pairs = d < dimensions;
    if (!diagram.shows(d) || (!has_pairs && essential[d] == 0)) continue;
    table.add({std::to_string(d), has_pairs ? grouped(left[d]) : "-",
               has_pairs ? grouped(persistence.finite[d] - left[d]) : "-", grouped(essential[d]),
               has_pairs && left[d] > 0 ? fmt::format("{:.6g}", longest[d]) : "-"});
  }
  session.print("{}", table.text());
}

std::vector<ValueRange> parse_dimensions(const std::string& text) {
  return text.empty() ? std::vector<ValueRange>() : parse_ranges(text, "--dimensions");
}

void write_text(Session& session, const char* key, const std::filesystem::path& file,
                const std::string& text) {
  session.in_phase(Phase::write, [&] { write_file(file, text); });
  session.result()[key] = {{"file", file.string()}, {"bytes", text.size()}};
  session.print("wrote {}: {}\n", file.string(), format_bytes(text.size()));
}

/// The cycles of the pairs that are left and have one.
template <class D, class Gradient>
void write_generators(Session& session, const PersistenceOptions& options, const D& domain,
                      const Gradient& gradient, const Persistence& persistence, const Diagram& diagram) {
  std::vector<std::uint32_t> numbers;
  for (const std::uint32_t i : diagram.numbers) {
    const std::uint32_t dimension = persistence.pairs[i].dimension;
    if (dimension > 0 && dimension < D::dim) numbers.push_back(i);
  }
  const PolyData cycles = session.in_phase(Phase::compute, [&] {
    return make_cycles(diagram,
                       compute_generators(gradient, persistence, numbers, {.monitor = &session.monitor()}),
                       [&](VertexId v) { return domain.place_of(v); });
  });
  session.result()["generators"] =
      write_poly_output(session, {options.generators, options.output.ascii, options.output.compress}, cycles);
}

void declare_persistence(OptionList& app, PersistenceOptions& options) {
  add_topology_options(app, options.topology);
  add_threshold_option(app, options.threshold, "leave out pairs that persist less");
  app.add_option("--dimensions", options.dimensions, "classes of these dimensions alone, such as 0 or 1-2")
      ->type_name("N[,N-M...]");
  app.add_option("--most-persistent", options.most_persistent,
                 "keep the N most persistent of the remaining pairs, and classes that never die")
      ->type_name("N");
  add_output_options(app, options.output)
      ->description("the diagram as segments, .vtu or .vtp, with TTK's arrays");
  app.add_option("--csv", options.csv, "the pairs as text, one a line")->type_name("FILE");
  app.add_option("--curve", options.curve,
                 "how many pairs persist at least so much: .csv, or .svg for a picture")
      ->type_name("FILE");
  app.add_option("--plot", options.plot, "a picture of the diagram and the bars, .svg")->type_name("FILE");
  app.add_option("--generators", options.generators,
                 "the loops and shells of the pairs that are left, as lines and triangles (.vtp, .vtk)")
      ->type_name("FILE");
}

template <class D>
void pair_and_write(Session& session, const PersistenceOptions& options, const Threshold& threshold,
                    const D& domain) {
  std::optional gradient = session.in_phase(Phase::compute, [&] { return domain.gradient(session, true); });
  const Persistence persistence = session.in_phase(Phase::compute, [&] {
    return compute_persistence(*gradient, domain.field,
                               domain.template options<tessera::PersistenceOptions>(session));
  });
  Diagram diagram = make_diagram(
      persistence, D::dim,
      {threshold.of(persistence), parse_dimensions(options.dimensions), options.most_persistent});
  if (options.generators.empty()) gradient.reset();  // its memory is wanted for what is written
  diagram.field = domain.field.name();
  diagram.file = options.topology.input.file.filename().string();
  session.result()["field"] = domain.field.name();
  session.result()["range"] = {persistence.lowest, persistence.highest};
  session.result()["threshold"] = diagram.threshold;
  session.print("{} from {:.6g} to {:.6g}\n", domain.title, persistence.lowest, persistence.highest);
  report_counts(session, persistence, diagram);
  if (!options.output.file.empty()) {
    session.result()["output"] = write_segments_output(
        session, options.output, make_segments(diagram, [&](VertexId v) { return domain.place_of(v); }),
        "persistence diagram");
  }
  if (!options.csv.empty()) write_text(session, "csv", options.csv, make_csv(diagram));
  if (!options.plot.empty()) write_text(session, "plot", options.plot, make_svg(diagram));
  if (!options.curve.empty()) {
    write_text(session, "curve", options.curve,
               options.draws_curve() ? make_curve_svg(diagram) : make_curve_csv(diagram));
  }
  if (!options.generators.empty())
    write_generators(session, options, domain, *gradient, persistence, diagram);
}

int run_persistence(Session& session, const PersistenceOptions& options) {
  const Threshold threshold = parse_threshold(options.threshold);
  (void)parse_dimensions(options.dimensions);
  check_outputs(session, options);
  const auto input = read_topology_input(session, options.topology);
  with_domain(
      session, options.topology, *input,
      [&](const auto& mesh, const auto&... field) {
        Work work = persistence_work(mesh, field...);
        // Of noise; a smooth field has few pairs.
        const Bytes of_vertex = (options.output.file.empty() ? 0 : 60) + (options.csv.empty() ? 0 : 40);
        work.host_bytes += of_vertex * Bytes{mesh.vertex_count()};
        return work;
      },
      [&](const auto& domain) { pair_and_write(session, options, threshold, domain); });
  return 0;
}

}  // namespace

Verb persistence_verb() {
  return define_verb<PersistenceOptions>(
      {"persistence", Group::analyse,
       "pair the critical cells of a scalar field by how long their features persist",
       "  tessera persistence kuhn64.vtu --field rough --plot diagram.svg\n"
       "  tessera persistence kuhn64.vtu --threshold 5% -o diagram.vtu --csv pairs.csv\n"
       "  tessera persistence kuhn64.vtu --dimensions 1 --most-persistent 10 --generators loops.vtp"},
      declare_persistence, run_persistence, {.mesh = 8, .grid = 75});
}

}  // namespace tessera::cli
