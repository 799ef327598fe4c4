#include "data/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include <tessera/exec/buffer.h>
#include <tessera/mesh/triangulate.h>

#include "application/text.h"
#include "data/parts.h"
#include "data/tiling.h"

namespace tessera::cli {
namespace {

StorageMode mode_named(const std::string& provider) {
  return provider == "materialized" ? StorageMode::materialized
         : provider == "explicit"   ? StorageMode::explicit_tiles
                                    : StorageMode::implicit_tiles;
}

/// What the store of tiles may take: the rest of --memory, or a gibibyte; rows of the whole mesh take what
/// they take.
Bytes store_bytes(Session& session, StorageMode mode) {
  const Bytes bytes = connection_bytes(session);
  if (bytes != MemoryBudget::unlimited) return bytes;
  return mode == StorageMode::materialized ? gib(1 << 20) : gib(1);
}

/// Cuts a grid without its fields: the field is read where it is.
void cut_bare(Session& session, const TopologyArguments& arguments, TopologyInput& input) {
  const Grid& grid = std::get<Grid>(input.input.mesh);
  Grid bare;
  bare.dims = grid.dims;
  bare.origin = grid.origin;
  bare.spacing = grid.spacing;
  bare.direction = grid.direction;
  const Bytes bytes = triangulation_bytes(bare, input.periodic);
  // The most that an analysis takes, so that the value that is named will do.
  const MeshSize size{dimension(grid), grid.vertex_count(), bytes / (4 * (Bytes(dimension(grid)) + 1))};
  const Bytes analysis = mib(5) + 24 * Bytes{grid.vertex_count()} + 3 * bytes +
                         mib(2) * session.host().threads() + least_provider_bytes(session, arguments, size);
  CutGrid cut = cut_grid(session, bare, {.later = analysis, .periodic = input.periodic});
  input.cut = std::move(cut.mesh);
  input.cut_room = std::move(cut.room);
  input.is_cut = true;
}

}  // namespace

void add_topology_options(OptionList& app, TopologyArguments& arguments) {
  add_input_options(app, arguments.input);
  app.add_option("--field", arguments.field,
                 "the scalar field, such as f, v:x, v:magnitude or :z; needed if there are several")
      ->type_name("NAME");
  add_periodic_option(app, arguments.periodic);
  app.add_option("--provider", arguments.provider,
                 "who brings the cells around a vertex: push goes through the tiles, the others are asked "
                 "vertex by vertex, device being a GPU; results are equal")
      ->is_member({"push", "materialized", "explicit", "implicit", "device"})
      ->capture_default_str();
  app.add_option("--producers", arguments.producers,
                 "with --provider explicit or implicit: helper threads that work ahead")
      ->in_range(0, 256)
      ->type_name("N");
  app.add_flag("--stats", arguments.stats, "say what the provider did and where the time of requests went");
}

void check_provider(const TopologyArguments& arguments) {
  if (arguments.stats && (arguments.provider == "push" || arguments.provider == "materialized")) {
    throw Error(ErrorCode::bad_option,
                fmt::format("--stats has nothing to say of --provider {}; use explicit, implicit or device",
                            arguments.provider));
  }
  if (arguments.producers == 0 || arguments.provider == "explicit" || arguments.provider == "implicit")
    return;
  throw Error(ErrorCode::bad_option,
              fmt::format("--producers has nothing to do for --provider {}; use explicit or implicit",
                          arguments.provider));
}

Bytes least_provider_bytes(Session& session, const TopologyArguments& arguments, const MeshSize& size) {
  if (arguments.provider == "push") return 0;
  constexpr RelationKey of_solids[] = {key_of<VT>};
  constexpr RelationKey of_surfaces[] = {key_of<VF>};
  const PlanOptions options = {.exec = session.host(), .producers = arguments.producers};
  const ConnectPlan costs = plan(size, size.dimension == 3 ? of_solids : of_surfaces, options);
  return limit_for_connection(mib(6), least_memory(costs, mode_named(arguments.provider)));
}

int TopologyInput::dimension() const {
  if (const Grid* grid = std::get_if<Grid>(&input.mesh)) return tessera::dimension(*grid);
  return std::holds_alternative<TetMesh>(input.mesh) ? 3 : 2;
}

std::unique_ptr<TopologyInput> read_topology_input(Session& session, const TopologyArguments& arguments) {
  check_provider(arguments);
  auto input = std::make_unique<TopologyInput>();
  input->periodic = parse_periodic(arguments.periodic);
  input->input = read_input(session, arguments.input);
  check_periodic(input->periodic, input->input, arguments.input);
  for (const std::string& note : input->input.report.notes) session.note(note);
  input->field = session.in_phase(
      Phase::prepare, [&] { return &choose_point_scalar(session, input->input, arguments.field); });
  if (input->is_grid() && arguments.provider != "push") cut_bare(session, arguments, *input);
  return input;
}

template <int Dim>
Bytes large_star_bytes(Session& session, const SimplexMesh<Dim>& mesh) {
  if (session.memory().limit() == MemoryBudget::unlimited) return 0;
  constexpr Bytes of_cell = 160;
  Array<std::uint32_t> cells_of(mesh.vertex_count(), 0);
  std::uint32_t most = 0;
  for (const auto& cell : mesh.cells) {
    for (const VertexId v : cell) {
      if (v.index() < cells_of.size()) most = std::max(most, ++cells_of[v.index()]);
    }
  }
  return most > 1024 ? of_cell * most : 0;
}

template <int Dim>
Domain<Dim> make_domain(Session& session, const TopologyArguments& arguments, const SimplexMesh<Dim>& mesh,
                        const Field& field, const Exec& exec) {
  return session.in_phase(Phase::prepare, [&] {
    Domain<Dim> domain{mesh, field, {}, {}, exec, {}};
    const bool is_pushed = arguments.provider == "push";
    const bool by_device = arguments.provider == "device";
    const Exec producer = by_device ? session.gpu() : exec;
    // A device without room for the whole mesh gets it in parts, from the host's tiles.
    const bool fits = !by_device || tiling_work(mesh).device_bytes <= device_available_bytes(producer);
    domain.tiles = std::make_unique<TiledMesh<Dim>>(
        tile(mesh, {.max_vertices = is_pushed ? pushed_tile_vertices : TileOptions{}.max_vertices,
                    .exec = fits ? producer : session.host(),
                    .monitor = &session.monitor()}));
    if (!is_pushed) {
      const StorageMode mode = mode_named(arguments.provider);
      if (by_device) session.count_as_on_device();
      try {
        domain.stars.emplace(*domain.tiles, ConnectOptions{.mode = mode,
                                                           .memory = store_bytes(session, mode),
                                                           .producers = arguments.producers,
                                                           .exec = by_device ? producer : session.host(),
                                                           .monitor = &session.monitor()});
      } catch (const Error& error) {
        if (error.code() != ErrorCode::out_of_memory) throw;
        constexpr RelationKey keys[] = {key_of<Relation<Kind::vertex, static_cast<Kind>(Dim)>>};
        const PlanOptions options = {.exec = session.host(), .producers = arguments.producers};
        throw connection_error(session, keys[0].name(),
                               least_memory(plan(*domain.tiles, keys, options), mode));
      }
      const std::string why = domain.stars->no_device_producers();
      if (!why.empty()) session.note(why + "; the host makes the rows");
      if (domain.stars->has_device_windows()) session.note("the GPU gets the mesh in parts");
    }
    return domain;
  });
}

namespace {

/// What is said of a consumer that waited for a device, by name in JSON and heading of the table.
struct Waiting {
  const char* key;
  const char* heading;
  double DeviceStatistics::*seconds;
};
constexpr std::array<Waiting, 8> waitings = {{
    {"waiting", "waiting ms", &DeviceStatistics::waiting},
    {"pushing", "push", &DeviceStatistics::pushing},
    {"queued", "in queue", &DeviceStatistics::queued},
    {"preparing", "preparation", &DeviceStatistics::preparing},
    {"computing", "kernels, transfer", &DeviceStatistics::computing},
    {"integrating", "integration", &DeviceStatistics::integrating},
    {"sharing", "under way", &DeviceStatistics::sharing},
    {"leading", "leading", &DeviceStatistics::leading},
}};

Json to_json(const DeviceStatistics& statistics) {
  Json object = {{"requests", statistics.requests}};
  for (const Waiting& waiting : waitings) object[waiting.key] = statistics.*waiting.seconds;
  return object;
}

std::string waiting_table(const DeviceReport& report) {
  Table table(std::vector<Align>(2 + waitings.size(), Align::right));
  std::vector<std::string> headings = {"consumer", "requests"};
  for (const Waiting& waiting : waitings) headings.emplace_back(waiting.heading);
  table.add(headings);
  const auto add = [&](const std::string& who, const DeviceStatistics& statistics) {
    std::vector<std::string> line = {who, grouped(statistics.requests)};
    for (const Waiting& waiting : waitings) {
      line.push_back(fmt::format("{:.2f}", 1e3 * (statistics.*waiting.seconds)));
    }
    table.add(line);
  };
  for (std::size_t i = 0; i < report.consumers.size(); ++i) add(std::to_string(i), report.consumers[i]);
  add("all", report.all);
  return table.text();
}

}  // namespace

template <int Dim>
void report_provider(Session& session, const TopologyArguments& arguments, const Domain<Dim>& domain) {
  if (!arguments.stats || !domain.stars) return;
  const StoreStatistics store = domain.stars->statistics();
  const DeviceReport device = domain.stars->device_report();
  Json& result = session.result()["provider"];
  result["tiles"] = {{"produced", store.produced}, {"ahead", store.ahead},   {"wasted", store.wasted},
                     {"evicted", store.evicted},   {"misses", store.misses}, {"waits", store.waits}};
  Table table({Align::left, Align::right});
  table.add({"tiles produced", grouped(store.produced)});
  table.add({"  of them ahead of need", grouped(store.ahead)});
  table.add({"  never read", grouped(store.wasted)});
  if (device.batches > 0) {
    table.add({"batches of the device", grouped(device.batches)});
    result["device"] = to_json(device.all);
    result["device"]["batches"] = device.batches;
    result["device"]["tiles"] = device.tiles;
    for (const DeviceStatistics& one : device.consumers) result["consumers"].push_back(to_json(one));
  }
  session.print("{}", table.text());
  if (device.batches > 0) session.print("{}", waiting_table(device));
}

std::string describe(const TopologyArguments& arguments, const TopologyInput& input) {
  return fmt::format("{}: {}, field '{}'", arguments.input.file.string(), describe_counts(input.input.mesh),
                     input.field->name());
}

template Domain<2> make_domain(Session&, const TopologyArguments&, const SimplexMesh<2>&, const Field&,
                               const Exec&);
template Domain<3> make_domain(Session&, const TopologyArguments&, const SimplexMesh<3>&, const Field&,
                               const Exec&);
template Bytes large_star_bytes(Session&, const TriMesh&);
template Bytes large_star_bytes(Session&, const TetMesh&);
template void report_provider(Session&, const TopologyArguments&, const Domain<2>&);
template void report_provider(Session&, const TopologyArguments&, const Domain<3>&);

}  // namespace tessera::cli
