// tessera geodesic: how far it is along a surface to the nearest source, and the way there.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <tessera/surface/geodesics.h>
#include <tessera/surface/heat_method.h>

#include "application/text.h"
#include "application/verb.h"
#include "data/fields.h"
#include "data/files.h"
#include "data/parts.h"
#include "data/triangles.h"

namespace tessera::cli {
namespace {

enum class Method : std::uint8_t { fronts, heat };

struct GeodesicArguments {
  InputOptions input;
  OutputOptions output;  ///< the paths are written in the same way
  std::filesystem::path paths;
  std::string source, nearest, mask, from;
  std::optional<double> limit;
  Method method = Method::fronts;
  std::optional<double> time;
  std::string front;

  [[nodiscard]] OutputOptions paths_output() const { return {paths, output.ascii, output.compress}; }
};

const std::map<std::string, Method> method_names = {{"fronts", Method::fronts}, {"heat", Method::heat}};

void declare_geodesic(OptionList& app, GeodesicArguments& options) {
  add_input_options(app, options.input);
  app.add_option("--source", options.source, "points to measure from, by their ids: 3,5,8-11")
      ->type_name("IDS");
  app.add_option("--nearest", options.nearest,
                 "also from the point of the surface that is nearest to this one")
      ->type_name("X,Y,Z");
  app.add_option("--mask", options.mask, "also from the points where this field is not 0")
      ->type_name("FIELD");
  app.add_option("--method", options.method, "fronts that run over triangles, or the flow of heat (fronts)")
      ->transform(method_names);
  app.add_option("--front", options.front, "the shape of fronts within a triangle (circular)")
      ->is_member({"circular", "planar"});
  app.add_option("--limit", options.limit, "with fronts, leave points further than this at infinity")
      ->type_name("X");
  app.add_option("--time", options.time,
                 "how long heat flows, in squares of the mean length of edges; more is smoother (1)")
      ->type_name("X");
  app.add_option("--paths", options.paths, "the ways from the points of --from to their sources, vtp or vtk")
      ->type_name("FILE");
  app.add_option("--from", options.from, "where paths begin: 3,5,8-11")->type_name("IDS");
  add_output_options(app, options.output)
      ->description("the surface with GeodesicDistance and NearestSource to write");
}

void check_options(Session& session, const GeodesicArguments& options) {
  if (options.source.empty() && options.nearest.empty() && options.mask.empty()) {
    throw Error(ErrorCode::bad_option,
                "a geodesic distance needs a source; give it --source, --nearest or --mask");
  }
  if (options.paths.empty() != options.from.empty())
    throw Error(ErrorCode::bad_option,
                "--paths needs the points where they begin, --from, and --from a file, --paths");
  const bool is_heat = options.method == Method::heat;
  if (is_heat && options.limit.has_value())
    throw Error(ErrorCode::bad_option, "--limit is for --method fronts");
  if (is_heat && !options.front.empty()) throw Error(ErrorCode::bad_option, "--front is for --method fronts");
  if (!is_heat && options.time.has_value()) throw Error(ErrorCode::bad_option, "--time is for --method heat");
  if (options.limit.has_value() && !(*options.limit >= 0))
    throw Error(ErrorCode::bad_option, "--limit is a distance; it is not negative");
  check_output(session, options.paths.empty() ? options.output : options.output.alone());
  if (!options.paths.empty()) check_poly_output(session, options.paths_output());
}

/// Ids of points. Error(not_found) for one that is not there.
std::vector<std::uint32_t> parse_ids(std::string_view text, std::string_view option, std::size_t points) {
  std::vector<std::uint32_t> ids;
  for (const ValueRange& range : parse_ranges(text, option)) {
    if (range.low < 0 || range.low != std::floor(range.low) || range.high != std::floor(range.high)) {
      throw Error(ErrorCode::bad_option,
                  fmt::format("'{}' does not suit {}; ids of points are 0, 1, ...", text, option));
    }
    if (range.high >= static_cast<double>(points)) {
      throw Error(ErrorCode::not_found, fmt::format("{} names point {:.0f}, but there are {}", option,
                                                    range.high, counted(points, "point", "points")));
    }
    for (auto id = static_cast<std::uint32_t>(range.low); id <= static_cast<std::uint32_t>(range.high); ++id)
      ids.push_back(id);
  }
  return ids;
}

/// The first of the nearest.
std::uint32_t find_nearest(const TriMesh& surface, std::string_view text) {
  const std::vector<double> numbers = parse_numbers(text, "--nearest", 3, "X,Y,Z");
  if (surface.vertex_count() == 0)
    throw Error(ErrorCode::not_found, "--nearest finds nothing: the surface has no points");
  const Vec3d to = {numbers[0], numbers[1], numbers[2]};
  return surface.points.visit([&](auto points) {
    std::uint32_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t v = 0; v < points.size(); ++v) {
      const Vec3d apart = vec_cast<double>(points[v]) - to;
      if (!(dot(apart, apart) < least)) continue;
      least = dot(apart, apart);
      best = v;
    }
    return best;
  });
}

std::vector<std::uint32_t> find_masked(const Field& mask) {
  std::vector<std::uint32_t> ids;
  mask.visit([&](auto values) {
    for (std::uint32_t v = 0; v < values.size(); ++v) {
      const auto value = static_cast<double>(values[v]);
      if (std::isnan(value)) {
        throw Error(ErrorCode::bad_mesh,
                    fmt::format("field '{}' of --mask is NaN at point {}; give it a number", mask.name(), v));
      }
      if (value != 0) ids.push_back(v);
    }
  });
  if (ids.empty())
    throw Error(ErrorCode::not_found, fmt::format("field '{}' of --mask is 0 everywhere", mask.name()));
  return ids;
}

std::vector<GeodesicSource> find_sources(Session& session, const GeodesicArguments& options, Input& input) {
  const auto& surface = std::get<TriMesh>(input.mesh);
  std::vector<GeodesicSource> sources;
  const auto add = [&](std::uint32_t id) { sources.emplace_back(VertexId(id)); };
  if (!options.source.empty()) {
    for (const std::uint32_t id : parse_ids(options.source, "--source", surface.vertex_count())) add(id);
  }
  if (!options.nearest.empty()) add(find_nearest(surface, options.nearest));
  if (!options.mask.empty()) {
    for (const std::uint32_t id : find_masked(choose_point_scalar(session, input, options.mask))) add(id);
  }
  return sources;
}

/// -1 for no_source.
std::int64_t id_of(const std::vector<GeodesicSource>& sources, std::uint32_t place) {
  return place == no_source ? -1 : std::int64_t{std::get<VertexId>(sources[place]).index()};
}

std::vector<std::uint32_t> find_starts(const GeodesicArguments& options, const TriMesh& surface) {
  if (options.from.empty()) return {};
  return parse_ids(options.from, "--from", surface.vertex_count());
}

/// With what the verb keeps: distances and ids, and what paths are traced on.
template <class Real>
Work fronts_work(const TriMesh& surface, bool has_paths) {
  Work work = geodesic_work(surface);
  work.host_bytes += (sizeof(Real) + 16) * surface.vertex_count();
  if (has_paths) work.host_bytes += 36 * surface.cell_count() + 60 * surface.vertex_count();
  return work;
}
/// Of the surface, the matrices and the solvers; estimated. Sources are found when those are gone.
Work heat_work(const TriMesh& surface) {
  Work work = work_of(surface.cell_count(), 20000, 1000);
  work.host_bytes = 230 * surface.cell_count() + 340 * surface.vertex_count();
  work.thread_bytes = mib(2);
  return work;
}

/// A line for each path, from its point to its source.
PolyData trace_paths(Session& session, const GeodesicPaths& paths, const std::vector<std::uint32_t>& from,
                     const std::vector<GeodesicSource>& sources) {
  PolyData poly;
  Array<Vec3d> points;
  Array<std::int64_t> starts;
  Array<std::int64_t> ends;
  Array<double> lengths;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (i % 256 == 0)
      session.monitor().update("tracing paths", static_cast<double>(i) / static_cast<double>(from.size()));
    const GeodesicPath path = paths.trace(VertexId(from[i]));
    if (path.points.empty()) {
      session.note(fmt::format("no way leads from point {} to a source", from[i]));
      continue;
    }
    if (path.source == no_source) {
      session.note(fmt::format(
          "the way from point {} ends at a point that is no source: nothing beside it is nearer", from[i]));
    }
    std::vector<VertexId> corners;
    for (const Vec3d& p : path.points) {
      corners.emplace_back(static_cast<std::uint32_t>(points.size()));
      points.push_back(p);
    }
    poly.lines.add(corners);
    starts.push_back(from[i]);
    ends.push_back(id_of(sources, path.source));
    lengths.push_back(path.length);
  }
  poly.points = Points(std::move(points));
  poly.cell_data.add(Field("From", std::move(starts)));
  poly.cell_data.add(Field("NearestSource", std::move(ends)));
  poly.cell_data.add(Field("Length", std::move(lengths)));
  return poly;
}

/// Adds the distances and says how far it is.
template <class Real>
void report(Session& session, const GeodesicArguments& options, TriMesh& surface, std::size_t sources,
            Array<Real> distance) {
  std::size_t reached = 0;
  std::size_t farthest = 0;
  for (std::size_t v = 0; v < distance.size(); ++v) {
    if (distance[v] == std::numeric_limits<Real>::infinity()) continue;
    if (reached++ == 0 || distance[v] > distance[farthest]) farthest = v;
  }
  Json& result = session.result();
  result["sources"] = sources;
  result["reached"] = reached;
  result["farthest"] = {{"point", farthest}, {"distance", distance[farthest]}};
  session.print("{}: {}: {} reached, point {} is the farthest at {:.6g}\n", options.input.file.string(),
                counted(sources, "source", "sources"), counted(reached, "point", "points"), farthest,
                distance[farthest]);
  if (reached < distance.size()) {
    session.note(fmt::format("the GeodesicDistance of {} is infinite: no source reaches {}",
                             counted(distance.size() - reached, "point", "points"),
                             distance.size() - reached == 1 ? "it" : "them"));
  }
  add_result(session, surface.point_data, Field("GeodesicDistance", std::move(distance)));
}

/// The ids of the nearest sources; -1 where there is none.
Field nearest_field(const Array<std::uint32_t>& nearest, const std::vector<GeodesicSource>& sources) {
  Array<std::int64_t> ids(nearest.size());
  for (std::size_t v = 0; v < ids.size(); ++v) ids[v] = id_of(sources, nearest[v]);
  return {"NearestSource", std::move(ids)};
}

template <class Real>
void run_fronts(Session& session, const GeodesicArguments& options, TriMesh& surface,
                const std::vector<GeodesicSource>& sources) {
  const std::vector<std::uint32_t> from = find_starts(options, surface);
  PolyData paths;
  std::vector<std::string> unsound;
  session.run_on_device(fronts_work<Real>(surface, !from.empty()), [&](const Exec& exec) {
    session.in_phase(Phase::compute, [&] {
      const detail::SoundSurface sound(surface, {.exec = exec, .monitor = &session.monitor()});
      unsound = describe_unsound(sound);
      const Geodesics<Real> found = compute_geodesics<Real>(
          sound.surface(), sources,
          {.shape = options.front == "planar" ? FrontShape::planar : FrontShape::circular,
           .limit = options.limit.value_or(std::numeric_limits<double>::infinity()),
           .monitor = &session.monitor()});
      if (!from.empty()) paths = trace_paths(session, GeodesicPaths(found), from, sources);
      report(session, options, surface, sources.size(), found.distance.values());
      session.result()["rounds"] = found.rounds;
      add_result(session, surface.point_data, nearest_field(found.nearest.values(), sources));
    });
  });
  for (const std::string& sentence : unsound) session.note(sentence);
  if (!from.empty()) session.result()["paths"] = write_poly_output(session, options.paths_output(), paths);
}

Array<double> measure_by_heat(Session& session, const GeodesicArguments& options, const Surface& surface,
                              const std::vector<GeodesicSource>& sources) {
  HeatMethod heat(surface, {.time = options.time.value_or(1), .monitor = &session.monitor()});
  Array<double> distance = heat.distances(sources);
  const HeatReport& how = heat.report();
  session.result()["time"] = how.time;
  session.result()["solver"] = how.solver == HeatSolver::direct ? "direct" : "iterative";
  session.result()["iterations"] = {{"heat", how.heat_iterations}, {"distance", how.distance_iterations}};
  if (!how.has_converged)
    session.note("the distances did not converge; they are less accurate than they could be");
  return distance;
}

void run_heat(Session& session, const GeodesicArguments& options, TriMesh& surface,
              const std::vector<GeodesicSource>& sources) {
  const std::vector<std::uint32_t> from = find_starts(options, surface);
  PolyData paths;
  std::vector<std::string> unsound;
  session.run_on_device(heat_work(surface), [&](const Exec& exec) {
    session.in_phase(Phase::compute, [&] {
      const detail::SoundSurface sound(surface, {.exec = exec, .monitor = &session.monitor()});
      unsound = describe_unsound(sound);
      Array<double> distance = measure_by_heat(session, options, sound.surface(), sources);
      const GeodesicPaths ways(sound.surface(), distance, sources);
      if (!from.empty()) paths = trace_paths(session, ways, from, sources);
      report(session, options, surface, sources.size(), std::move(distance));
      add_result(session, surface.point_data, nearest_field(ways.nearest(), sources));
    });
  });
  for (const std::string& sentence : unsound) session.note(sentence);
  if (!from.empty()) session.result()["paths"] = write_poly_output(session, options.paths_output(), paths);
}

int run_geodesic(Session& session, const GeodesicArguments& options) {
  check_options(session, options);
  Input input = read_input(session, options.input);
  TriMesh& surface =
      triangles_of(session, input, options.input.file, "distances are measured along triangles");
  const std::vector<GeodesicSource> sources = find_sources(session, options, input);
  if (options.method == Method::heat) {
    run_heat(session, options, surface, sources);
  } else if (surface.points.is_double()) {
    run_fronts<double>(session, options, surface, sources);
  } else {
    run_fronts<float>(session, options, surface, sources);
  }
  if (!options.output.file.empty()) write_output(session, options.output, input.mesh);
  return 0;
}

}  // namespace

Verb geodesic_verb() {
  return define_verb<GeodesicArguments>(
      {"geodesic", Group::surfaces, "measure distances along a surface",
       "  tessera geodesic surface.vtp --source 0 -o distances.vtp\n"
       "  tessera geodesic surface.vtp --nearest 0,0,1 --paths paths.vtp --from 17,100-110"},
      declare_geodesic, run_geodesic);
}

}  // namespace tessera::cli
