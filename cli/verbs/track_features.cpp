// tessera track-features: extrema or regions followed through a series of files.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <tessera/mesh/triangulate.h>
#include <tessera/topology/feature_tracks.h>

#include "application/text.h"
#include "application/verb.h"
#include "data/diagram_file.h"
#include "data/extent.h"
#include "data/fields.h"
#include "data/files.h"

namespace tessera::cli {
namespace {

struct TrackFeaturesArguments {
  std::vector<std::filesystem::path> files;
  std::string labels;  ///< empty: the files are diagrams
  std::optional<double> place_weight;
  PointSelection selection;
  double lift = 0;
  OutputOptions output;
};

void declare_track_features(OptionList& app, TrackFeaturesArguments& options) {
  app.add_option("files", options.files,
                 "the steps in their order: persistence diagrams, or meshes with --labels")
      ->required()
      ->type_name("FILE");
  const Option labels =
      app.add_option("--labels", options.labels,
                     "follow the regions of this point field by their overlap, such as DescendingManifold")
          ->type_name("NAME");
  app.add_option("--place-weight", options.place_weight,
                 "scale of a distance in the mesh relative to one in field values; by default the longest "
                 "persistence over the diagonal of the box of all features")
      ->type_name("W")
      ->excludes(labels);
  add_selection_options(app, options.selection, labels);
  const Option output =
      add_output_options(app, options.output)->description("the tracks as lines (.vtp, .vtk)");
  app.add_option("--lift", options.lift, "move each step by so much along z, to see the tracks of flat data")
      ->type_name("DZ")
      ->capture_default_str()
      ->needs(output);
}

/// The points and the cells of the file of tracks, as they grow.
class TrackWriter {
 public:
  explicit TrackWriter(double lift) : lift_(lift) {}

  /// A node; its number.
  std::uint32_t add_node(std::uint32_t step, Vec3d place) {
    points_.push_back({place.x, place.y, place.z + lift_ * step});
    steps_.push_back(static_cast<std::int32_t>(step));
    return static_cast<std::uint32_t>(points_.size() - 1);
  }
  void add_point_array(Field field) { point_data_.add(std::move(field)); }
  /// A line for each track of several nodes, a vertex for each of one, with `ConnectedComponentId`,
  /// `ComponentLength`, `FirstTimeStep`.
  [[nodiscard]] PolyData take(const FeatureTracks& tracks,
                              const std::vector<std::vector<std::uint32_t>>& numbers) {
    PolyData poly;
    CellArrays data;
    for (const bool is_line : {false, true}) {
      for (std::size_t t = 0; t < tracks.size(); ++t) {
        const auto nodes = tracks[t];
        if ((nodes.size() > 1) != is_line) continue;
        std::vector<VertexId> corners;
        for (const auto& node : nodes) corners.push_back(VertexId(numbers[node.step][node.feature]));
        (is_line ? poly.lines : poly.vertices).add(corners);
        data.add(t, nodes);
      }
    }
    poly.points = std::move(points_);
    poly.point_data = std::move(point_data_);
    poly.point_data.add({"TimeStep", std::move(steps_)});
    poly.cell_data = data.take();
    return poly;
  }

 private:
  struct CellArrays {
    Array<std::int32_t> ids, lengths, starts;

    void add(std::size_t track, std::span<const FeatureTracks::Node> nodes) {
      ids.push_back(static_cast<std::int32_t>(track));
      lengths.push_back(static_cast<std::int32_t>(nodes.size()));
      starts.push_back(static_cast<std::int32_t>(nodes[0].step));
    }
    [[nodiscard]] FieldSet take() {
      FieldSet data;
      data.add({"ConnectedComponentId", std::move(ids)});
      data.add({"ComponentLength", std::move(lengths)});
      data.add({"FirstTimeStep", std::move(starts)});
      return data;
    }
  };

  double lift_;
  Array<Vec3d> points_;
  Array<std::int32_t> steps_;
  FieldSet point_data_;
};

void report(Session& session, const TrackFeaturesArguments& options, const FeatureTracks& tracks) {
  std::size_t longest = 0;
  std::size_t through = 0;
  std::size_t alone = 0;
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    const std::size_t length = tracks[t].size();
    longest = std::max(longest, length);
    through += length == options.files.size() ? 1 : 0;
    alone += length == 1 ? 1 : 0;
  }
  Json& result = session.result();
  result["steps"] = options.files.size();
  result["features"] = tracks.nodes.size();
  result["tracks"] = tracks.size();
  result["longest"] = longest;
  result["through_all_steps"] = through;
  result["in_one_step"] = alone;
  Table table({Align::left, Align::right});
  table.add({"tracks", "count"});
  table.add({"all", grouped(tracks.size())});
  table.add({"through all steps", grouped(through)});
  table.add({"in one step only", grouped(alone)});
  table.add({"most steps", grouped(longest)});
  session.print("{}: {}\n{}", counted(options.files.size(), "step", "steps"),
                counted(tracks.nodes.size(), "feature", "features"), table.text());
}

void write_tracks(Session& session, const TrackFeaturesArguments& options, const PolyData& poly) {
  session.result()["output"] = write_poly_output(session, options.output, poly);
}

// Diagrams

/// The longest persistence over the diagonal of the box of all places, so that a way through the box weighs
/// as much as the most persistent feature; 0 if there is no box.
double usual_weight(const std::vector<StoredDiagram>& steps) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Vec3d low = {infinity, infinity, infinity};
  Vec3d high = {-infinity, -infinity, -infinity};
  double longest = 0;
  for (const StoredDiagram& step : steps) {
    for (const DiagramPoint& point : step.points) {
      const Vec3d p = point.place;
      low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
      if (point.is_finite()) longest = std::max(longest, point.death - point.birth);
    }
  }
  const double size = length(high - low);
  return size > 0 && std::isfinite(size) ? longest / size : 0;
}

/// That of the option, or the usual one.
double choose_weight(Session& session, const TrackFeaturesArguments& options,
                     const std::vector<StoredDiagram>& steps) {
  const auto bare = std::ranges::find(steps, false, &StoredDiagram::has_places);
  if (bare == steps.end()) return options.place_weight ? *options.place_weight : usual_weight(steps);
  const std::string lacks = fmt::format("'{}' has no point array 'Coordinates'", bare->file.string());
  if (options.place_weight.value_or(0) > 0)
    throw Error(ErrorCode::not_found, lacks + ", which --place-weight needs");
  session.note(lacks + ", so features are followed by their values alone");
  return 0;
}

PolyData make_diagram_tracks(const TrackFeaturesArguments& options, const std::vector<StoredDiagram>& steps,
                             const FeatureTracks& tracks) {
  TrackWriter writer(options.lift);
  std::vector<std::vector<std::uint32_t>> numbers(steps.size());
  Array<std::int32_t> types, dimensions;
  Array<std::int64_t> identifiers;
  Array<double> persistence, births;
  for (std::uint32_t s = 0; s < steps.size(); ++s) {
    for (std::size_t i = 0; i < steps[s].points.size(); ++i) {
      const DiagramPoint& point = steps[s].points[i];
      numbers[s].push_back(writer.add_node(s, point.place));
      types.push_back(static_cast<std::int32_t>(steps[s].types[i]));
      dimensions.push_back(static_cast<std::int32_t>(point.dimension));
      identifiers.push_back(steps[s].identifiers[i]);
      births.push_back(point.birth);
      persistence.push_back(point.death - point.birth);
    }
  }
  writer.add_point_array({"CriticalType", std::move(types)});
  writer.add_point_array({"PairType", std::move(dimensions)});
  writer.add_point_array({"PairIdentifier", std::move(identifiers)});
  writer.add_point_array({"Birth", std::move(births)});
  writer.add_point_array({"Persistence", std::move(persistence)});
  return writer.take(tracks, numbers);
}

void track_diagrams(Session& session, const TrackFeaturesArguments& options) {
  std::vector<StoredDiagram> steps;
  std::vector<std::vector<DiagramPoint>> points;
  for (const auto& file : options.files) {
    steps.push_back(select_points(read_diagram(session, file), options.selection));
    points.push_back(steps.back().points);
  }
  const double weight = choose_weight(session, options, steps);
  const FeatureTracks tracks = session.in_phase(Phase::compute, [&] {
    return track_features(points, {.place_weight = weight},
                          {.exec = session.host(), .monitor = &session.monitor()});
  });
  session.result()["place_weight"] = weight;
  report(session, options, tracks);
  if (options.output.file.empty()) return;
  write_tracks(session, options, make_diagram_tracks(options, steps, tracks));
}

// Regions

/// The regions of a file, added to those of the steps before.
void add_step(Session& session, const TrackFeaturesArguments& options, const std::filesystem::path& file,
              RegionTracker& tracker) {
  Input input = read_input(session, {.file = file});
  for (const std::string& note : input.report.notes) session.note(note);
  const Field& labels = session.in_phase(
      Phase::prepare, [&]() -> const Field& { return choose_point_scalar(session, input, options.labels); });
  const Reservation room(session.memory(), 8 * Bytes{labels.size()},
                         "the regions of '" + file.string() + "'");
  session.in_phase(Phase::compute, [&] {
    try {
      std::visit(
          [&](const auto& mesh) {
            if constexpr (requires { mesh.points; }) {
              tracker.add(labels, [&](VertexId v) { return mesh.points[v]; });
            } else {
              tracker.add(labels, [points = GridPoints(mesh)](VertexId v) { return points[v]; });
            }
          },
          input.mesh);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::unsupported) throw;
      throw Error(error.code(), fmt::format("'{}': {}", file.string(), error.what()));
    }
  });
}

/// The overlaps that are no part of a track are lines of their own, with `Shared`; of a track it is -1.
void add_overlaps(PolyData& poly, const RegionTracker& tracker, const FeatureTracks& tracks,
                  const std::vector<std::vector<std::uint32_t>>& numbers) {
  std::vector<std::vector<std::uint32_t>> next(numbers.size());
  constexpr std::uint32_t none = 0xFFFFFFFFu;
  for (std::size_t s = 0; s < numbers.size(); ++s) next[s].assign(numbers[s].size(), none);
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    const auto nodes = tracks[t];
    for (std::size_t i = 0; i + 1 < nodes.size(); ++i)
      next[nodes[i].step][nodes[i].feature] = nodes[i + 1].feature;
  }
  Array<std::int64_t> shared(poly.cell_count(), -1);
  FieldSet data;
  std::size_t added = 0;
  for (const RegionOverlap& overlap : tracker.overlaps()) {
    if (next[overlap.step][overlap.before] == overlap.after) continue;
    const VertexId ends[] = {VertexId(numbers[overlap.step][overlap.before]),
                             VertexId(numbers[overlap.step + 1][overlap.after])};
    poly.lines.add(ends);
    shared.push_back(static_cast<std::int64_t>(overlap.shared));
    ++added;
  }
  for (const Field& field : poly.cell_data) {
    const auto values = field.as<std::int32_t>();
    Array<std::int32_t> longer(values.begin(), values.end());
    longer.insert(longer.end(), added, -1);
    data.add({field.name(), std::move(longer)});
  }
  data.add({"Shared", std::move(shared)});
  poly.cell_data = std::move(data);
}

PolyData make_region_tracks(const TrackFeaturesArguments& options, const RegionTracker& tracker,
                            const FeatureTracks& tracks) {
  TrackWriter writer(options.lift);
  std::vector<std::vector<std::uint32_t>> numbers(tracker.regions().size());
  Array<std::int64_t> labels, sizes;
  for (std::uint32_t s = 0; s < numbers.size(); ++s) {
    for (const Region& region : tracker.regions()[s]) {
      numbers[s].push_back(writer.add_node(s, region.centre));
      labels.push_back(region.label);
      sizes.push_back(static_cast<std::int64_t>(region.size));
    }
  }
  writer.add_point_array({"Label", std::move(labels)});
  writer.add_point_array({"RegionSize", std::move(sizes)});
  PolyData poly = writer.take(tracks, numbers);
  add_overlaps(poly, tracker, tracks, numbers);
  return poly;
}

void track_regions(Session& session, const TrackFeaturesArguments& options) {
  RegionTracker tracker;
  for (const auto& file : options.files) add_step(session, options, file, tracker);
  const FeatureTracks tracks = session.in_phase(Phase::compute, [&] { return tracker.tracks(); });
  session.result()["overlaps"] = tracker.overlaps().size();
  report(session, options, tracks);
  if (options.output.file.empty()) return;
  write_tracks(session, options, make_region_tracks(options, tracker, tracks));
}

int run_track_features(Session& session, const TrackFeaturesArguments& options) {
  if (options.files.size() < 2)
    throw Error(ErrorCode::bad_option, "tracks lead from one step to the next; name another file");
  if (options.place_weight && !(*options.place_weight >= 0))
    throw Error(ErrorCode::bad_option, "--place-weight must not be negative");
  check_selection(options.selection);
  check_poly_output(session, options.output);
  options.labels.empty() ? track_diagrams(session, options) : track_regions(session, options);
  return 0;
}

}  // namespace

Verb track_features_verb() {
  return define_verb<TrackFeaturesArguments>(
      {"track-features", Group::analyse, "follow extrema or regions through a series of files",
       "  tessera track-features diagram-*.vtu --threshold 0.5 -o tracks.vtp\n"
       "  tessera track-features regions-*.vti --labels DescendingManifold -o tracks.vtp"},
      declare_track_features, run_track_features, {.mesh = 12, .grid = 8});
}

}  // namespace tessera::cli
