// tessera simplify-field: changes the values of a scalar field until only the chosen minima and maxima are
// left.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <tessera/io/io.h>
#include <tessera/topology/critical_points.h>
#include <tessera/topology/simplify_field.h>

#include "application/text.h"
#include "application/verb.h"
#include "data/periodic.h"
#include "data/threshold.h"
#include "data/topology.h"

namespace tessera::cli {
namespace {

struct SimplifyFieldArguments {
  InputOptions input;
  std::string field;
  std::string periodic;
  OutputOptions output;
  std::string threshold;
  std::filesystem::path keep;
};

void declare_simplify_field(OptionList& app, SimplifyFieldArguments& options) {
  add_input_options(app, options.input);
  app.add_option("--field", options.field,
                 "the scalar field, such as f, v:x, v:magnitude or :z; needed if there are several")
      ->type_name("NAME");
  add_periodic_option(app, options.periodic);
  add_threshold_option(app, options.threshold, "take away minima and maxima that persist less");
  app.add_option("--keep", options.keep,
                 "instead: keep the minima and maxima of this file, as critical-points writes it (.vtp)")
      ->type_name("FILE");
  add_output_options(app, options.output)->description("write the mesh or grid with the simplified field");
}

void check_options(Session& session, const SimplifyFieldArguments& options) {
  if (options.threshold.empty() == options.keep.empty())
    throw Error(ErrorCode::bad_option, "say which extrema stay: with --threshold or with --keep");
  if (!options.keep.empty()) session.add_input(options.keep);
  check_output(session, options.output);
}

/// The minima and maxima of a file of critical points.
ChosenExtrema read_extrema(Session& session, const std::filesystem::path& file) {
  const PolyData points =
      session.in_phase(Phase::read, [&] { return read_poly(file, {.monitor = &session.monitor()}); });
  const auto find = [&](const char* name) {
    const Field* field = points.point_data.find(name);
    if (field != nullptr && field->components() == 1) return field;
    throw Error(ErrorCode::not_found, fmt::format("'{}' has no point array '{}' of one component, which "
                                                  "critical-points writes",
                                                  file.string(), name));
  };
  const Field* vertices = find("ttkVertexScalarField");
  const Field* types = find("CriticalType");
  ChosenExtrema keep;
  for (std::size_t i = 0; i < vertices->size(); ++i) {
    const auto number = [i](const Field& field) {
      return field.visit([i](const auto& values) { return static_cast<double>(values[i]); });
    };
    const double vertex = number(*vertices);
    if (!(vertex >= 0 && vertex < 4294967295.0 && vertex == std::floor(vertex)))
      throw Error(ErrorCode::bad_option, fmt::format("'{}': point {} is of vertex {:.6g}, which cannot be",
                                                     file.string(), i, vertex));
    const double type = number(*types);
    const VertexId v(static_cast<std::uint32_t>(vertex));
    if (type == static_cast<double>(CriticalType::minimum)) keep.minima.push_back(v);
    if (type == static_cast<double>(CriticalType::maximum)) keep.maxima.push_back(v);
  }
  return keep;
}

template <int Dim>
CriticalPoints find_points(Session& session, const SimplexMesh<Dim>& mesh, const Field& field,
                           const PeriodicAxes& /*periodic*/) {
  return critical_points(mesh, field, {.exec = session.host(), .monitor = &session.monitor()});
}
CriticalPoints find_points(Session& session, const Grid& grid, const Field& field,
                           const PeriodicAxes& periodic) {
  return critical_points(grid, field,
                         {.exec = session.host(), .monitor = &session.monitor(), .periodic = periodic});
}

struct Found {
  SimplifiedField simple;
  CriticalPoints before, after;
};

void report(Session& session, const Found& found) {
  const auto& [simple, before, after] = found;
  constexpr std::array<const char*, 5> names = {"minimum", "saddle1", "saddle2", "maximum", "degenerate"};
  Json& result = session.result();
  Table table({Align::left, Align::right, Align::right});
  table.add({"critical point", "before", "after"});
  for (std::size_t type = 0; type < names.size(); ++type) {
    result["before"][names[type]] = before.counts[type];
    result["after"][names[type]] = after.counts[type];
    if (before.counts[type] + after.counts[type] == 0) continue;
    table.add({names[type], grouped(before.counts[type]), grouped(after.counts[type])});
  }
  result["changed_vertices"] = simple.changed_vertices;
  result["largest_change"] = simple.largest_change;
  session.print("{}", table.text());
  session.print("{} changed, by {:.6g} at most\n", counted(simple.changed_vertices, "point", "points"),
                simple.largest_change);
}

template <class Domain>
SimplifiedField simplify(Session& session, const SimplifyFieldArguments& options, const Threshold& threshold,
                         const Domain& domain, const Field& field) {
  const tessera::SimplifyFieldOptions how = {
      .exec = session.host(), .monitor = &session.monitor(), .periodic = parse_periodic(options.periodic)};
  if (options.keep.empty()) {
    const double least = threshold.of(field);
    session.result()["threshold"] = least;
    return session.in_phase(Phase::compute, [&] { return simplify_field(domain, field, least, how); });
  }
  const ChosenExtrema keep = read_extrema(session, options.keep);
  return session.in_phase(Phase::compute, [&] { return simplify_field(domain, field, keep, how); });
}

template <class Domain, class... OfGrid>
Found run_on(Session& session, const SimplifyFieldArguments& options, const Threshold& threshold,
             const Domain& domain, const Field& field, const OfGrid&... of_grid) {
  Work work = simplify_field_work(domain, of_grid...);
  const Work counting = critical_points_work(domain, of_grid...);
  work.host_bytes = std::max(work.host_bytes, counting.host_bytes + 8 * Bytes{field.size()});
  work.thread_bytes = std::max(work.thread_bytes, counting.thread_bytes);
  const Reservation room = session.reserve(work);
  SimplifiedField simple = simplify(session, options, threshold, domain, field);
  return session.in_phase(Phase::compute, [&] {
    const PeriodicAxes periodic = parse_periodic(options.periodic);
    CriticalPoints after = find_points(session, domain, simple.field, periodic);
    return Found{std::move(simple), find_points(session, domain, field, periodic), std::move(after)};
  });
}

int run_simplify_field(Session& session, const SimplifyFieldArguments& options) {
  const Threshold threshold = parse_threshold(options.threshold);
  check_options(session, options);
  const PeriodicAxes periodic = parse_periodic(options.periodic);  // before anything is read
  Input input = read_input(session, options.input);
  check_periodic(periodic, input, options.input);
  for (const std::string& note : input.report.notes) session.note(note);
  const Field& field =
      *session.in_phase(Phase::prepare, [&] { return &choose_point_scalar(session, input, options.field); });
  check_point_data_output(options.output, input.mesh, "the field");
  session.result()["field"] = field.name();
  Found found = std::visit(
      [&](const auto& mesh) {
        if constexpr (requires { mesh.cells; }) {
          return run_on(session, options, threshold, mesh, field);
        } else {
          return run_on(session, options, threshold, mesh, field, field);
        }
      },
      input.mesh);
  session.print("{}: {}, field '{}'\n", options.input.file.string(), describe_counts(input.mesh),
                field.name());
  report(session, found);
  if (options.output.file.empty()) return 0;
  std::visit([&](auto& mesh) { mesh.point_data.add(std::move(found.simple.field)); }, input.mesh);
  write_output(session, options.output, input.mesh);
  return 0;
}

}  // namespace

Verb simplify_field_verb() {
  return define_verb<SimplifyFieldArguments>(
      {"simplify-field", Group::analyse,
       "change a scalar field until only its persistent minima and maxima are left",
       "  tessera simplify-field kuhn64.vtu --field rough --threshold 5% -o simple.vtu\n"
       "  tessera simplify-field scan.vti --keep points.vtp -o simple.vti"},
      declare_simplify_field, run_simplify_field, {.mesh = 10, .grid = 130});
}

}  // namespace tessera::cli
