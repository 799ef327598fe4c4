// tessera critical-points: where a scalar field on a mesh or grid has its minima, saddles and maxima.
#include <fmt/format.h>

#include <array>
#include <numeric>
#include <optional>

#include <tessera/distribute/critical_points.h>

#include "application/text.h"
#include "application/verb.h"
#include "data/slabs.h"
#include "data/threshold.h"
#include "data/topology.h"

namespace tessera::cli {
namespace {

struct CriticalPointOptions {
  TopologyArguments topology;
  OutputOptions output;
  std::string threshold;
};

constexpr std::array<const char*, 5> type_names = {"minimum", "saddle1", "saddle2", "maximum", "degenerate"};

void print_counts(Session& session, const std::array<std::size_t, 5>& counts, bool is_surface) {
  Table table({Align::left, Align::right});
  table.add({"critical point", "count"});
  for (std::size_t type = 0; type < type_names.size(); ++type) {
    session.result()[type_names[type]] = counts[type];
    if (is_surface && type == static_cast<std::size_t>(CriticalType::saddle2)) continue;
    table.add({type_names[type], grouped(counts[type])});
  }
  session.print("{}", table.text());
}

void declare_critical_points(OptionList& app, CriticalPointOptions& options) {
  add_topology_options(app, options.topology);
  add_output_options(app, options.output)->description("the .vtp or .vtk file of points to write");
  add_threshold_option(app, options.threshold, "leave out points of features that persist less");
}

/// Those at which a critical cell is left when all that persists less is cancelled.
template <class D>
CriticalPoints keep_persistent(Session& session, const D& domain, const CriticalPoints& points,
                               const Threshold& threshold) {
  return session.in_phase(Phase::compute, [&] {
    const MorseSmaleComplex<D::dim> complex{domain.gradient(session, true), {}, {}, {}};
    const Persistence persistence = compute_persistence(complex.gradient, domain.field,
                                                        domain.template options<PersistenceOptions>(session));
    const SimplifiedComplex simplified = simplify(complex, persistence, threshold.of(persistence),
                                                  domain.template options<SimplifyOptions>(session));
    session.result()["threshold"] = simplified.threshold;
    return filter_critical_points(points, complex.gradient, simplified);
  });
}

void write_points(Session& session, const OutputOptions& output, const PolyData& poly) {
  session.result()["output"] = write_poly_output(session, output, poly);
}

template <class D>
void find_and_write(Session& session, const CriticalPointOptions& options, const Threshold& threshold,
                    const D& domain) {
  CriticalPoints points = session.in_phase(Phase::compute, [&] { return domain.critical_points(session); });
  if (!options.threshold.empty()) points = keep_persistent(session, domain, points, threshold);
  session.print("{}\n", domain.title);
  print_counts(session, points.counts, D::dim == 2);
  if (options.output.file.empty()) return;
  const PolyData poly =
      session.in_phase(Phase::compute, [&] { return make_poly(points, domain.mesh, domain.field); });
  write_points(session, options.output, poly);
}

/// What points take while they are made, described and written.
constexpr Bytes point_bytes = 100;
/// The same for each vertex, where nearly half of them are critical: the field may be noise.
constexpr Bytes rough_point_bytes = 50;

bool is_written_in_parts(const OutputOptions& output) {
  return output.extension() == "vtp" && !output.ascii && !output.compress;
}

/// Points in memory, for files that are not written in parts.
std::array<std::size_t, 5> hold_and_write(Session& session, const OutputOptions& output, SlabInput& input) {
  const CriticalPoints points = session.in_phase(
      Phase::compute, [&] { return critical_points(input.file, input.field, input.options(session)); });
  input.room = reserve_known(session, point_bytes * points.points.size(), "the points to write");
  const PolyData poly = session.in_phase(
      Phase::compute, [&] { return make_poly(points, input.file, input.field, &session.monitor()); });
  write_points(session, output, poly);
  return points.counts;
}

int run_in_slabs(Session& session, const CriticalPointOptions& options, SlabInput& input) {
  std::array<std::size_t, 5> counts = {};
  session.result()["field"] = input.field;
  const OutputOptions& output = options.output;
  if (output.file.empty()) {
    counts = session.in_phase(Phase::compute, [&] {
      return count_critical_points(input.file, input.field, input.options(session));
    });
  } else if (is_written_in_parts(output)) {
    const std::uint64_t bytes =
        write_in_parts(session, output, [&](const auto& file, const WriteOptions& how) {
          counts = write_critical_points(input.file, input.field, file, {input.options(session), how});
        });
    const std::size_t count = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    session.result()["output"] = report_poly(session, output, {count, count, bytes});
  } else {
    counts = hold_and_write(session, output, input);
  }
  session.print("{}\n", describe(input));
  print_counts(session, counts, dimension(input.file.shape()) == 2);
  return 0;
}

std::optional<SlabInput> find_slabs(Session& session, const CriticalPointOptions& options) {
  return find_slab_input(
      session,
      {.input = options.topology.input,
       .field = options.topology.field,
       .obstacle = options.topology.find_slab_obstacle(options.threshold.empty() ? "" : "--threshold"),
       .bytes_in_memory =
           [&](const Grid& grid, const Field& field) {
             const Work work = options.threshold.empty() ? critical_points_work(grid, field)
                                                         : morse_smale_work(grid, field);
             const Bytes of_points =
                 options.output.file.empty() ? 0 : rough_point_bytes * grid.vertex_count();
             return work.host_bytes_of(session.host().threads()) + of_points;
           },
       .cost = critical_points_slab_cost});
}

int run_critical_points(Session& session, const CriticalPointOptions& options) {
  const Threshold threshold = parse_threshold(options.threshold);
  check_poly_output(session, options.output);
  check_provider(options.topology);
  if (auto slabs = find_slabs(session, options)) return run_in_slabs(session, options, *slabs);
  const auto input = read_topology_input(session, options.topology);
  with_domain(
      session, options.topology, *input,
      [&](const auto&... of) {
        return options.threshold.empty() ? critical_points_work(of...) : morse_smale_work(of...);
      },
      [&](const auto& domain) { find_and_write(session, options, threshold, domain); });
  session.result()["field"] = input->field->name();
  return 0;
}

}  // namespace

Verb critical_points_verb() {
  return define_verb<CriticalPointOptions>(
      {"critical-points", Group::analyse, "find the minima, saddles and maxima of a scalar field",
       "  tessera critical-points kuhn64.vtu --field rough --threshold 5% -o points.vtp\n"
       "  tessera critical-points scan.vti --json - | jq .result.maximum"},
      declare_critical_points, run_critical_points, {.mesh = 9, .grid = 20, .has_large_results = true});
}

}  // namespace tessera::cli
