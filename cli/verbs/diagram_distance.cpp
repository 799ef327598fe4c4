// tessera diagram-distance: how far persistence diagrams are apart, two with their matching or all pairs of
// several.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include <tessera/topology/diagram_distance.h>

#include "application/text.h"
#include "application/verb.h"
#include "data/diagram_file.h"
#include "data/files.h"

namespace tessera::cli {
namespace {

struct DistanceArguments {
  std::vector<std::filesystem::path> files;
  std::string metric = "wasserstein";
  std::optional<double> power;
  std::string norm;
  std::optional<double> error;
  std::optional<double> place_weight;
  PointSelection selection;
  OutputOptions output;
  std::filesystem::path matrix;

  [[nodiscard]] bool is_bottleneck() const { return metric == "bottleneck"; }
  [[nodiscard]] WassersteinOptions wasserstein() const {
    WassersteinOptions how;
    how.power = power.value_or(how.power);
    how.norm = norm == "sum" ? GroundNorm::sum : norm == "largest" ? GroundNorm::largest : how.norm;
    how.error = error.value_or(how.error);
    how.place_weight = place_weight.value_or(how.place_weight);
    return how;
  }
};

void declare_diagram_distance(OptionList& app, DistanceArguments& options) {
  app.add_option("files", options.files, "two or more diagrams, as persistence writes them with -o")
      ->required()
      ->type_name("FILE");
  app.add_option("--metric", options.metric, "the largest distance of a match, or the sum of their powers")
      ->is_member({"bottleneck", "wasserstein"})
      ->capture_default_str();
  app.add_option("--power", options.power, "the power of the Wasserstein distance; if left out, 2")
      ->type_name("Q")
      ->in_range(1, 4);
  app.add_option("--norm", options.norm,
                 "how far two points are apart, for the Wasserstein distance; if left out, euclidean")
      ->is_member({"sum", "euclidean", "largest"});
  app.add_option("--error", options.error, "relative error of the Wasserstein distance; if left out, 0.01")
      ->type_name("E")
      ->in_range(1e-6, 1);
  app.add_option(
         "--place-weight", options.place_weight,
         "what a step in the mesh counts beside one of the field, in the Wasserstein distance; if left "
         "out, 0")
      ->type_name("W");
  add_selection_options(app, options.selection, std::nullopt);
  add_output_options(app, options.output)
      ->description("the matching of two diagrams as segments in the plane, .vtu or .vtp");
  app.add_option("--matrix", options.matrix, "all distances as text, a row for each diagram, .csv")
      ->type_name("FILE");
}

void check_options(Session& session, const DistanceArguments& options) {
  const auto refuse = [](const std::string& what) { throw Error(ErrorCode::bad_option, what); };
  if (options.files.size() < 2) refuse("a distance is between two diagrams; name another file");
  if (!options.output.file.empty() && options.files.size() > 2)
    refuse("a matching is of two diagrams; leave out -o, or all files but two");
  const bool is_told_how = options.power || !options.norm.empty() || options.error || options.place_weight;
  if (options.is_bottleneck() && is_told_how)
    refuse(
        "--power, --norm, --error and --place-weight are for the Wasserstein distance; leave them out, or "
        "--metric bottleneck");
  if (!(options.wasserstein().place_weight >= 0)) refuse("--place-weight must not be negative");
  check_selection(options.selection);
  check_segments_output(session, options.output);
  if (!options.matrix.empty()) check_sole_format(session, options.matrix, "csv");
}

DiagramDistance compare(const DistanceArguments& options, const StoredDiagram& a, const StoredDiagram& b,
                        const Monitor& monitor) {
  if (options.is_bottleneck()) return bottleneck_distance(a.points, b.points, {.monitor = &monitor});
  WassersteinOptions how = options.wasserstein();
  how.monitor = &monitor;
  return wasserstein_distance(a.points, b.points, how);
}

/// Infinity is null in JSON.
Json to_json(double distance) {
  return std::isfinite(distance) ? Json(distance) : Json();
}

/// A matched pair as a segment between its points in the plane; the diagonal is matched at its nearest point.
Segments make_matching(const StoredDiagram& a, const StoredDiagram& b, const DiagramDistance& found) {
  Segments segments;
  Array<std::int32_t> dimensions;
  Array<std::int64_t> first, second;
  Array<double> distances;
  const auto nearest = [](Vec3d p) { return Vec3d{(p.x + p.y) / 2, (p.x + p.y) / 2, 0}; };
  for (const DiagramMatch& match : found.matches) {
    const DiagramPoint* p = match.first == DiagramMatch::diagonal ? nullptr : &a.points[match.first];
    const DiagramPoint* q = match.second == DiagramMatch::diagonal ? nullptr : &b.points[match.second];
    const bool never_dies = !(p == nullptr ? q : p)->is_finite();
    // Classes that never die are drawn at their births.
    const auto place = [&](const DiagramPoint& point) {
      return Vec3d{point.birth, never_dies ? point.birth : point.death, 0};
    };
    const Vec3d from = p == nullptr ? nearest(place(*q)) : place(*p);
    const Vec3d to = q == nullptr ? nearest(place(*p)) : place(*q);
    const auto number = static_cast<std::uint32_t>(segments.points.size());
    segments.points.push_back(from);
    segments.points.push_back(to);
    segments.lines.push_back({VertexId(number), VertexId(number + 1)});
    dimensions.push_back(static_cast<std::int32_t>((p == nullptr ? q : p)->dimension));
    first.push_back(p == nullptr ? -1 : a.identifiers[match.first]);
    second.push_back(q == nullptr ? -1 : b.identifiers[match.second]);
    distances.push_back(match.distance);
  }
  segments.cell_data.add({"PairType", std::move(dimensions)});
  segments.cell_data.add({"FirstPairIdentifier", std::move(first)});
  segments.cell_data.add({"SecondPairIdentifier", std::move(second)});
  segments.cell_data.add({"Distance", std::move(distances)});
  return segments;
}

/// The part of each dimension.
void report_dimensions(Session& session, const StoredDiagram& a, const StoredDiagram& b,
                       const DiagramDistance& found) {
  struct Part {
    std::size_t matched = 0, first_alone = 0, second_alone = 0;
  };
  std::map<std::uint32_t, Part> parts;
  for (const DiagramMatch& match : found.matches) {
    const bool is_first = match.first != DiagramMatch::diagonal;
    const bool is_second = match.second != DiagramMatch::diagonal;
    Part& part = parts[is_first ? a.points[match.first].dimension : b.points[match.second].dimension];
    ++(is_first && is_second ? part.matched : is_first ? part.first_alone : part.second_alone);
  }
  Table table({Align::left, Align::right, Align::right, Align::right, Align::right});
  table.add({"dimension", "matched", "first alone", "second alone", "distance"});
  Json dimensions = Json::array();
  for (const auto& [dimension, part] : parts) {
    const double distance = found.by_dimension[dimension];
    table.add({std::to_string(dimension), grouped(part.matched), grouped(part.first_alone),
               grouped(part.second_alone), fmt::format("{:.6g}", distance)});
    dimensions.push_back({{"dimension", dimension},
                          {"matched", part.matched},
                          {"first_alone", part.first_alone},
                          {"second_alone", part.second_alone},
                          {"distance", to_json(distance)}});
  }
  session.result()["dimensions"] = dimensions;
  session.print("{}", table.text());
}

std::string metric_text(const DistanceArguments& options) {
  return options.is_bottleneck()
             ? std::string("bottleneck distance")
             : fmt::format("Wasserstein distance of power {:.6g}", options.wasserstein().power);
}

/// All distances, row by row.
Array<double> compare_two(Session& session, const DistanceArguments& options, const StoredDiagram& a,
                          const StoredDiagram& b) {
  const DiagramDistance found =
      session.in_phase(Phase::compute, [&] { return compare(options, a, b, session.monitor()); });
  session.result()["distance"] = to_json(found.distance);
  session.result()["at_least"] = to_json(found.at_least);
  const bool is_known = found.distance == found.at_least;
  session.print("{}: {:.8g}{}\n", metric_text(options), found.distance,
                is_known ? "" : fmt::format(", at least {:.8g}", found.at_least));
  report_dimensions(session, a, b, found);
  if (!options.output.file.empty())
    session.result()["output"] =
        write_segments_output(session, options.output, make_matching(a, b, found), "matching");
  return {0, found.distance, found.distance, 0};
}

Array<double> compare_all(Session& session, const DistanceArguments& options,
                          const std::vector<StoredDiagram>& diagrams) {
  const Monitor silent{{}, session.monitor().stop};  // one report for all pairs, not one for each
  return session.in_phase(Phase::compute, [&] {
    return distance_matrix(diagrams.size(),
                           [&](std::size_t i, std::size_t j) {
                             return compare(options, diagrams[i], diagrams[j], silent).distance;
                           },
                           {.exec = session.host(), .monitor = &session.monitor()});
  });
}

void report_matrix(Session& session, const DistanceArguments& options, const Array<double>& matrix) {
  const std::size_t size = options.files.size();
  std::string text;
  Json rows = Json::array();
  for (std::size_t i = 0; i < size; ++i) {
    Json row = Json::array();
    for (std::size_t j = 0; j < size; ++j) {
      row.push_back(to_json(matrix[i * size + j]));
      text += fmt::format("{}{}", matrix[i * size + j], j + 1 == size ? "\n" : ",");
    }
    rows.push_back(std::move(row));
  }
  session.result()["matrix"] = std::move(rows);
  if (size > 2) session.print("{} of each pair:\n{}", metric_text(options), text);
  if (options.matrix.empty()) return;
  session.in_phase(Phase::write, [&] { write_file(options.matrix, text); });
  session.result()["csv"] = {{"file", options.matrix.string()}, {"bytes", text.size()}};
  session.print("wrote {}: {}\n", options.matrix.string(), format_bytes(text.size()));
}

int run_diagram_distance(Session& session, const DistanceArguments& options) {
  check_options(session, options);
  std::vector<StoredDiagram> diagrams;
  Json files = Json::array();
  for (const auto& file : options.files) {
    diagrams.push_back(select_points(read_diagram(session, file), options.selection));
    if (options.wasserstein().place_weight > 0 && !diagrams.back().has_places)
      throw Error(
          ErrorCode::not_found,
          fmt::format("'{}' has no point array 'Coordinates', which --place-weight needs", file.string()));
    files.push_back({{"file", file.string()}, {"points", diagrams.back().points.size()}});
  }
  session.result()["files"] = std::move(files);
  session.result()["metric"] = options.metric;
  const Array<double> matrix = diagrams.size() == 2 ? compare_two(session, options, diagrams[0], diagrams[1])
                                                    : compare_all(session, options, diagrams);
  if (diagrams.size() > 2 || !options.matrix.empty()) report_matrix(session, options, matrix);
  return 0;
}

}  // namespace

Verb diagram_distance_verb() {
  return define_verb<DistanceArguments>(
      {"diagram-distance", Group::analyse,
       "how far persistence diagrams are apart: bottleneck or Wasserstein",
       "  tessera diagram-distance before.vtu after.vtu -o matching.vtu\n"
       "  tessera diagram-distance --metric bottleneck member-*.vtu --matrix distances.csv"},
      declare_diagram_distance, run_diagram_distance, {.mesh = 12, .grid = 12});
}

}  // namespace tessera::cli
