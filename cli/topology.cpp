#include "topology.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <tessera/mesh/triangulate.h>

namespace tessera::cli {
namespace {

StorageMode mode_named(const std::string& provider) {
  return provider == "materialized" ? StorageMode::materialized
         : provider == "explicit"   ? StorageMode::explicit_tiles
                                    : StorageMode::implicit_tiles;
}

/// A grid as simplices without its fields: the field is read where it is.
void cut_grid(Session& session, TopologyInput& input) {
  const Grid& grid = std::get<Grid>(input.input.mesh);
  Grid bare;
  bare.dims = grid.dims;
  bare.origin = grid.origin;
  bare.spacing = grid.spacing;
  bare.direction = grid.direction;
  input.cut_room =
      Reservation(session.memory(), triangulation_bytes(bare), "the simplices that the grid is cut into");
  input.cut = triangulate(bare, session.host());
}

/// What the store of tiles may take: the rest of --memory, or a gibibyte; rows of the whole mesh take what
/// they take.
Bytes store_bytes(Session& session, StorageMode mode) {
  const MemoryBudget& memory = session.memory();
  if (memory.limit() != MemoryBudget::unlimited)
    return memory.limit() - std::min(memory.limit(), memory.used());
  return mode == StorageMode::materialized ? gib(1 << 20) : gib(1);
}

}  // namespace

void add_topology_options(CLI::App& app, TopologyArguments& arguments) {
  add_input_options(app, arguments.input);
  app.add_option("--field", arguments.field, "the scalar field of the points; needed if there are several")
      ->type_name("NAME");
  app.add_option("--provider", arguments.provider,
                 "who brings the cells around a vertex: push goes through the tiles, the others are asked "
                 "vertex by vertex; results are equal")
      ->check(CLI::IsMember({"push", "materialized", "explicit", "implicit"}))
      ->capture_default_str();
  app.add_option("--producers", arguments.producers,
                 "with --provider explicit or implicit: helper threads that work ahead")
      ->check(CLI::Range(0, 256))
      ->type_name("N");
}

void check_provider(const TopologyArguments& arguments) {
  if (arguments.producers == 0 || arguments.provider == "explicit" || arguments.provider == "implicit")
    return;
  throw Error(ErrorCode::bad_option,
              fmt::format("--producers has nothing to do for --provider {}; use explicit or implicit",
                          arguments.provider));
}

std::unique_ptr<TopologyInput> read_topology_input(Session& session, const TopologyArguments& arguments) {
  check_provider(arguments);
  auto input = std::make_unique<TopologyInput>();
  input->input = read_input(session, arguments.input);
  for (const std::string& note : input->input.report.notes) session.note(note);
  input->field = &choose_point_scalar(input->input.mesh, arguments.field);
  if (input->is_grid()) session.in_phase(Phase::prepare, [&] { cut_grid(session, *input); });
  return input;
}

template <int Dim>
Domain<Dim> make_domain(Session& session, const TopologyArguments& arguments, const SimplexMesh<Dim>& mesh,
                        const Field& field, const Exec& exec) {
  return session.in_phase(Phase::prepare, [&] {
    Domain<Dim> domain{mesh, field, {}, {}, {}, exec, {}};
    const bool is_pushed = arguments.provider == "push";
    domain.tiles = std::make_unique<TiledMesh<Dim>>(
        tile(mesh, {.max_vertices = is_pushed ? pushed_tile_vertices : TileOptions{}.max_vertices,
                    .exec = exec,
                    .monitor = &session.monitor()}));
    domain.room = Reservation(session.memory(), domain.tiles->bytes(), "the mesh in tiles");
    if (!is_pushed) {
      const StorageMode mode = mode_named(arguments.provider);
      auto connectivity = Connectivity<Dim>(*domain.tiles, {.mode = mode,
                                                            .ids = Ids::tiled,
                                                            .memory = store_bytes(session, mode),
                                                            .producers = arguments.producers,
                                                            .exec = session.host()});
      domain.rows = std::get<0>(connectivity.template request<StarRelation<Dim>>());
    }
    return domain;
  });
}

template <int Dim>
Bytes gradient_bytes(const TiledMesh<Dim>& tiles, bool keeps_paths) {
  const Bytes vertices = tiles.vertex_count();
  const Bytes cells = tiles.cell_count();
  const Bytes edges = Dim == 3 ? vertices + cells : cells + cells / 2;  // Euler, the boundary left out
  const Bytes paths = keeps_paths ? 4 * (vertices + cells) : 0;
  return 12 * vertices + 2 * 5 * edges + cells + paths;  // edges twice, when workers' rows are joined
}

std::string describe(const TopologyArguments& arguments, const TopologyInput& input) {
  return fmt::format("{}: {}, field '{}'", arguments.input.file.string(), describe_counts(input.input.mesh),
                     input.field->name());
}

template Domain<2> make_domain(Session&, const TopologyArguments&, const SimplexMesh<2>&, const Field&,
                               const Exec&);
template Domain<3> make_domain(Session&, const TopologyArguments&, const SimplexMesh<3>&, const Field&,
                               const Exec&);
template Bytes gradient_bytes(const TiledMesh<2>&, bool);
template Bytes gradient_bytes(const TiledMesh<3>&, bool);

}  // namespace tessera::cli
