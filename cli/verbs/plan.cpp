// tessera plan: what the relations of a mesh would cost, and how they would be stored.
#include <fmt/format.h>

#include <algorithm>

#include <tessera/connect/detail/costs.h>
#include "application/text.h"
#include "application/verb.h"
#include "data/files.h"
#include "data/tiling.h"

namespace tessera::cli {

using namespace detail;
namespace {

struct PlanVerbOptions {
  InputOptions input;
  TilingOptions tiling;
  OutputOptions output;
  std::string relations;
  bool estimate = false;
};

constexpr StorageMode modes[] = {StorageMode::materialized, StorageMode::explicit_tiles,
                                 StorageMode::implicit_tiles};

std::string_view enumeration_name(Numbering numbering) {
  constexpr std::string_view names[] = {"none", "implicit", "explicit"};
  return names[static_cast<std::size_t>(numbering)];
}

const ModeCost& cost_of(const ConnectPlan& costs, StorageMode mode) {
  if (mode == StorageMode::materialized) return costs.materialized;
  return mode == StorageMode::explicit_tiles ? costs.explicit_tiles : costs.implicit_tiles;
}

/// The tile of each vertex, and of each cell that of its lowest vertex, as fields "Tile".
template <int Dim>
void add_tile_fields(SimplexMesh<Dim>& mesh, const TiledMesh<Dim>& tiles) {
  Array<std::uint32_t> of_vertex(mesh.vertex_count());
  for (std::uint32_t v = 0; v < of_vertex.size(); ++v)
    of_vertex[v] = tiles.tile_of(tiles.tiled(VertexId(v))).index();
  Array<std::uint32_t> of_cell(mesh.cell_count());
  for (std::uint32_t c = 0; c < of_cell.size(); ++c) {
    const typename TiledMesh<Dim>::CellId cell(c);
    of_cell[tiles.input(cell).index()] = tiles.tile_of(cell).index();
  }
  mesh.point_data.add(Field("Tile", std::move(of_vertex)));
  mesh.cell_data.add(Field("Tile", std::move(of_cell)));
}

/// Counted on the tiles, or from the sizes alone with --estimate.
ConnectPlan make_plan(Session& session, AnyMesh& mesh, const PlanVerbOptions& options) {
  const int dimension = dimension_of(mesh);
  const std::vector<RelationKey> keys = parse_relations(options.relations, dimension);
  const PlanOptions with = {.exec = session.host()};
  if (options.estimate) {
    return plan(MeshSize{dimension, vertex_count(mesh), cell_count(mesh), options.tiling.max_vertices}, keys,
                with);
  }
  return std::visit(
      [&](auto& m) -> ConnectPlan {
        if constexpr (requires { tile(m); }) {
          const auto tiles = tile_input(session, m, options.tiling);
          session.result()["external_cells_share"] = tiles.ribbon().share;
          if (!options.output.file.empty()) add_tile_fields(m, tiles);
          return session.in_phase(Phase::compute, [&] {
            session.monitor().update("counting", 0);
            return plan(tiles, std::span<const RelationKey>(keys), with);
          });
        }
        throw Error(ErrorCode::unsupported, "a grid has no tiles");
      },
      mesh);
}

void describe(Json& result, const ConnectPlan& costs, Bytes mesh) {
  const ConnectCounts& counts = costs.costs->counts();
  result["is_exact"] = counts.source == ConnectCounts::Source::exact;
  result["tiles"] = counts.tiles;
  result["workers"] = costs.costs->workers();
  result["mesh_bytes"] = mesh;
  result["tiled_mesh_bytes"] = costs.tiled_mesh;
  Json& relations = result["relations"] = Json::array();
  for (const RelationCost& cost : costs.relations) {
    relations.push_back({{"relation", cost.relation.name()},
                         {"rows", cost.rows},
                         {"entries", cost.entries},
                         {"bytes", cost.bytes},
                         {"peak_bytes", cost.peak},
                         {"largest_tile_bytes", cost.largest_tile}});
  }
  for (const StorageMode mode : modes) {
    const ModeCost& cost = cost_of(costs, mode);
    result["modes"][std::string(mode_name(mode))] = {{"enumeration_bytes", cost.enumeration},
                                                     {"maps_bytes", cost.maps},
                                                     {"rows_bytes", cost.rows},
                                                     {"slots_bytes", cost.slots},
                                                     {"scratch_bytes", cost.scratch},
                                                     {"least_bytes", cost.least},
                                                     {"full_bytes", cost.full}};
  }
}

void print_costs(Session& session, const AnyMesh& mesh, const ConnectPlan& costs, Bytes mesh_bytes) {
  const bool is_exact = costs.costs->counts().source == ConnectCounts::Source::exact;
  session.print("{}: {}\n", kind_name(mesh), describe_counts(mesh));
  session.print("mesh {}, {} {}{}\n\n", format_bytes(mesh_bytes),
                counted(costs.costs->counts().tiles, "tile", "tiles"), format_bytes(costs.tiled_mesh),
                is_exact ? "" : "; all numbers below are estimates");
  const Align left = Align::left;
  const Align right = Align::right;
  Table relations({left, right, right, right, right, right});
  relations.add({"relation", "rows", "entries", "materialized", "while made", "largest tile"});
  for (const RelationCost& cost : costs.relations) {
    relations.add({cost.relation.name(), grouped(cost.rows), grouped(cost.entries), format_bytes(cost.bytes),
                   format_bytes(cost.peak), format_bytes(cost.largest_tile)});
  }
  session.print("{}\n", relations.text());
  Table table({left, right, right, right, right, right, right, right});
  table.add({"mode", "enumeration", "maps", "rows", "slots", "scratch", "at least", "at most"});
  for (const StorageMode mode : modes) {
    const ModeCost& cost = cost_of(costs, mode);
    table.add({std::string(mode_name(mode)), format_bytes(cost.enumeration), format_bytes(cost.maps),
               format_bytes(cost.rows), format_bytes(cost.slots), format_bytes(cost.scratch),
               format_bytes(cost.least), format_bytes(cost.full)});
  }
  session.print("{}\n", table.text());
}

/// Says what would be chosen within --memory; the exit code.
int choose(Session& session, const ConnectPlan& costs, Bytes mesh_bytes, Bytes tiling_bytes) {
  // The mesh is needed until it is in tiles, or as long as they are if they borrow its cells.
  const bool is_borrowed = costs.costs->counts().borrows_cells;
  const Bytes held = resident_bytes();
  const Bytes program = held - std::min(held, mesh_bytes) + MemoryBound::code_bytes;
  const Bytes beside = program + costs.tiled_mesh + (is_borrowed ? mesh_bytes : 0);
  const Bytes least = least_memory(costs);
  const Bytes needed = std::max(limit_for_connection(beside, least), program + mesh_bytes + tiling_bytes);
  const Bytes smallest = needed + MemoryBound::code_bytes;  // the next run may hold more by itself
  const Bytes limit = session.memory_option();
  Json& result = session.result();
  result["program_bytes"] = program;
  result["smallest_memory"] = smallest;
  result["choice"] = nullptr;
  if (limit < needed) {
    session.print("nothing fits {}: the smallest --memory is {}\n", format_bytes(limit),
                  format_limit(smallest));
    return static_cast<int>(ErrorCode::out_of_memory);
  }
  const bool is_limited = limit != MemoryBudget::unlimited;
  const ModeChoice choice = choose_mode(costs, is_limited ? (limit - beside) - (limit - beside) / 4 : limit);
  std::vector<std::string> names;
  for (const RelationKey& key : choice.materialized) names.push_back(key.name());
  result["choice"] = {{"mode", mode_name(choice.mode)},
                      {"materialized", names},
                      {"enumeration", enumeration_name(choice.numbering)},
                      {"workers", choice.workers},
                      {"store_bytes", choice.store},
                      {"total_bytes", choice.total}};
  std::string some;
  if (choice.mode != StorageMode::materialized && !names.empty())
    some = fmt::format(" with {} materialized", fmt::join(names, " "));
  if (choice.mode == StorageMode::materialized && choice.numbering == Numbering::implicit)
    some = " with an implicit enumeration";
  session.print("{}: {}{}, {} besides the mesh in tiles; the smallest --memory is {}\n",
                is_limited ? "within " + format_bytes(limit) : "without a limit", mode_name(choice.mode),
                some, format_bytes(choice.total), format_limit(smallest));
  return 0;
}

void declare_plan(OptionList& app, PlanVerbOptions& options) {
  add_input_options(app, options.input);
  app.add_option("--relations", options.relations, "such as VV,VT; all of them if left out")
      ->type_name("NAMES");
  const TilingOptionHandles tiling = add_tiling_options(app, options.tiling);
  const Option output =
      add_output_options(app, options.output)
          ->description("write the mesh with the tile of each vertex and cell, fields 'Tile'");
  app.add_flag("--estimate", options.estimate, "from the numbers of points and cells alone, without tiles")
      ->excludes(tiling.tiles)
      ->excludes(output);
}

int run_plan(Session& session, const PlanVerbOptions& options) {
  const bool writes = !options.output.file.empty();
  check_output(session, options.output);
  Input input = read_input(session, options.input);
  for (const std::string& note : input.report.notes) session.note(note);
  const std::size_t elements = vertex_count(input.mesh) + cell_count(input.mesh);
  const Reservation room(session.memory(), writes ? 4 * elements : 0, "the field 'Tile'");
  const ConnectPlan costs = make_plan(session, input.mesh, options);
  print_costs(session, input.mesh, costs, input.reservation.bytes());
  describe(session.result(), costs, input.reservation.bytes());
  if (writes) write_output(session, options.output, input.mesh);
  const Bytes tiling = std::visit(
      [&](const auto& mesh) -> Bytes {
        if constexpr (requires { mesh.cells; }) {
          return tiling_work(mesh, options.tiling.order()).host_bytes_of(session.host().threads());
        } else {
          return 0;
        }
      },
      input.mesh);
  return choose(session, costs, input.reservation.bytes(), tiling);
}

}  // namespace

Verb plan_verb() {
  return define_verb<PlanVerbOptions>(
      {"plan", Group::files,
       "what the relations of a mesh would cost in memory, and how they would be stored",
       "  tessera plan kuhn64.vtu\n"
       "  tessera plan kuhn64.vtu --relations VV,VT --memory 128M"},
      declare_plan, run_plan, {.mesh = 4, .grid = 4, .is_bound = false});
}

}  // namespace tessera::cli
