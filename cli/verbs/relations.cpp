// tessera relations: a relation, or a matrix, of a mesh, summarised and written.
#include <fmt/format.h>

#include <tessera/connect/connectivity.h>
#include <tessera/io/matrix.h>

#include "application/text.h"
#include "application/verb.h"
#include "data/files.h"
#include "data/matrices.h"
#include "data/relation_summary.h"
#include "data/tiling.h"

namespace tessera::cli {
namespace {

struct RelationsOptions {
  InputOptions input;
  TilingOptions tiling;
  std::string relation;
  std::string matrix;
  std::string mode = "auto";
  OutputOptions output;
};

StorageMode parse_mode(const std::string& name) {
  if (name == "materialized") return StorageMode::materialized;
  if (name == "explicit") return StorageMode::explicit_tiles;
  return name == "implicit" ? StorageMode::implicit_tiles : StorageMode::automatic;
}

/// Prepares; a budget that is too small is said in terms of --memory.
template <int Dim>
AnyRows open_relation(Session& session, Connectivity<Dim>& conn, RelationKey key, StorageMode mode) {
  try {
    return session.in_phase(Phase::prepare, [&] {
      session.monitor().update("preparing " + key.name(), 0);
      return conn.rows(key);
    });
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_memory) throw;
    const RelationKey keys[] = {key};
    const Bytes least = least_memory(plan(conn.tiles(), keys, {.exec = session.host()}), mode);
    throw connection_error(session, key.name(), least);
  }
}

void report(Session& session, const AnyRows& rows, const RelationSummary& summary, const ModeChoice& choice) {
  const double mean =
      rows.size() == 0 ? 0 : static_cast<double>(summary.entries) / static_cast<double>(rows.size());
  const StoreStatistics store = rows.statistics();
  const std::string hash = fmt::format("{:016x}", summary.hash);
  Json histogram = Json::array();
  for (std::size_t length = 0; length < summary.rows_of_length.size(); ++length) {
    if (summary.rows_of_length[length] > 0)
      histogram.push_back({{"entries", length}, {"rows", summary.rows_of_length[length]}});
  }
  Json& result = session.result();
  result["relation"] = rows.relation().name();
  result["mode"] = mode_name(choice.mode);
  result["rows"] = rows.size();
  result["entries"] = summary.entries;
  result["shortest"] = summary.shortest();
  result["mean"] = mean;
  result["longest"] = summary.longest();
  result["histogram"] = std::move(histogram);
  result["hash"] = hash;
  result["store"] = {{"bytes", choice.store},
                     {"hits", store.hits},
                     {"misses", store.misses},
                     {"produced", store.produced},
                     {"evicted", store.evicted}};
  session.print("{} ({}): {}, {}, {} to {} a row, {:.2f} on average\nhash {}\n\n{}", rows.relation().name(),
                mode_name(choice.mode), counted(rows.size(), "row", "rows"),
                counted(summary.entries, "entry", "entries"), summary.shortest(), summary.longest(), mean,
                hash, histogram_text(summary));
}

/// Tiles; where there is no room for that, the error names what the relation will need too, an estimate.
template <int Dim>
TiledMesh<Dim> tile_for(Session& session, const SimplexMesh<Dim>& mesh, RelationKey key, StorageMode mode,
                        const TilingOptions& options) {
  try {
    return tile_input(session, mesh, options);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_memory) throw;
    const RelationKey keys[] = {key};
    const MeshSize size{Dim, mesh.vertex_count(), mesh.cell_count(), options.max_vertices};
    constexpr Bytes rough = 2;  // meshes have stars of all sizes
    const ConnectPlan costs = plan(size, keys, {.exec = session.host()});
    const Bytes tiling = tiling_work(mesh, options.order()).host_bytes_of(session.host().threads());
    throw connection_error(session, key.name(),
                           std::max(tiling, costs.tiled_mesh + rough * least_memory(costs, mode)));
  }
}

template <int Dim>
void run_on(Session& session, SimplexMesh<Dim>& mesh, Reservation& of_mesh, const RelationsOptions& options) {
  const RelationKey key = parse_relations(options.relation, Dim).front();
  const StorageMode mode = parse_mode(options.mode);
  const TiledMesh<Dim> tiles = tile_for(session, mesh, key, mode, options.tiling);
  const Reservation of_tiles = Reservation::of_held(session.memory(), tiles.bytes(), "the mesh in tiles");
  if (!tiles.borrows_cells()) {  // the tiles know all that is needed
    mesh = {};
    of_mesh = {};
  }
  Connectivity<Dim> conn(tiles, {.mode = mode, .memory = connection_bytes(session), .exec = session.host()});
  const AnyRows rows = open_relation(session, conn, key, mode);
  const RelationSummary summary = session.in_phase(Phase::compute, [&] { return summarise(session, rows); });
  report(session, rows, summary, conn.choice());
  if (!options.output.file.empty()) write_relation(session, options.output, rows, summary);
}

void check_matrix_output(Session& session, const OutputOptions& options) {
  if (options.file.empty()) return;
  expect_format(options, "mtx");
  const std::string extension = options.extension();
  if (extension != "mtx" && extension != "npz") {
    throw Error(ErrorCode::unsupported,
                fmt::format("'{}' has no extension that a matrix can be written with; use .mtx or .npz",
                            options.file.string()));
  }
  check_folder(session, options.file);
}

void write_matrix_file(Session& session, const OutputOptions& options, const CsrMatrix& matrix) {
  const auto write = [&](const std::filesystem::path& place, const WriteOptions& how) {
    write_matrix(place, matrix, how);
    return WriteReport{};
  };
  const std::uint64_t bytes = write_counted(session, options, write).bytes;
  const std::string file = options.file.string();
  session.result()["output"] = {{"file", file}, {"bytes", bytes}};
  session.print("wrote {}: {} in {}\n", file, format_bytes(bytes), format_seconds(session.total_seconds()));
}

void run_matrix(Session& session, const AnyMesh& mesh, const RelationsOptions& options) {
  const TriMesh* triangles = std::get_if<TriMesh>(&mesh);
  if (triangles == nullptr) {
    throw Error(ErrorCode::unsupported, fmt::format("triangles have matrices, but '{}' is a {}",
                                                    options.input.file.string(), kind_name(mesh)));
  }
  const Reservation room = session.reserve(matrix_work(*triangles, options.matrix));
  const CsrMatrix matrix = session.in_phase(Phase::compute, [&] {
    return make_matrix(*triangles, options.matrix, session.host(), session.monitor());
  });
  Json& result = session.result();
  result["matrix"] = options.matrix;
  result["rows"] = matrix.rows;
  result["columns"] = matrix.columns;
  result["entries"] = matrix.values.size();
  session.print("{}: {}, {}, {}\n", options.matrix, counted(matrix.rows, "row", "rows"),
                counted(matrix.columns, "column", "columns"),
                counted(matrix.values.size(), "entry", "entries"));
  if (!options.output.file.empty()) write_matrix_file(session, options.output, matrix);
}

void declare_relations(OptionList& app, RelationsOptions& options) {
  add_input_options(app, options.input);
  const Option relation =
      app.add_option("--relation", options.relation, "which one: VV, VT, EF and so on")->type_name("NAME");
  const Option matrix = app.add_option("--matrix", options.matrix,
                                       "a sparse matrix of triangles instead: laplacian, mass, voronoi-mass, "
                                       "d0, d1, star1, gradient, divergence, or a relation with ones")
                            ->type_name("NAME")
                            ->excludes(relation);
  app.add_option("--mode", options.mode, "how it is stored meanwhile: auto, materialized, explicit, implicit")
      ->capture_default_str()
      ->is_member({"auto", "materialized", "explicit", "implicit"})
      ->excludes(matrix);
  TilingOptionHandles tiling = add_tiling_options(app, options.tiling);
  tiling.max_vertices->excludes(matrix);
  tiling.tiles->excludes(matrix);
  const Option output =
      app.add_option("-o,--output", options.output.file,
                     "write the rows to a .txt, .csv or .npz file, a matrix to .mtx or .npz")
          ->type_name("FILE");
  app.add_option("--output-format", options.output.format,
                 "the format of -o, if its extension is another; - is standard output")
      ->type_name("txt|csv|npz|mtx")
      ->needs(output);
}

int run_relations(Session& session, const RelationsOptions& options) {
  if (options.matrix.empty() && options.relation.empty()) {
    throw Error(ErrorCode::bad_option,
                "relations needs --relation NAME or --matrix NAME; 'tessera relations --help' shows them");
  }
  if (!options.matrix.empty()) {
    check_matrix_name(options.matrix);
    check_matrix_output(session, options.output);
    const Input input = read_input(session, options.input);
    for (const std::string& note : input.report.notes) session.note(note);
    run_matrix(session, input.mesh, options);
    return 0;
  }
  if (options.relation.empty() || options.relation.find(',') != std::string::npos) {
    throw Error(ErrorCode::bad_option,
                fmt::format("--relation '{}' must be one relation, such as VT", options.relation));
  }
  check_relation_output(session, options.output);
  Input input = read_input(session, options.input);
  for (const std::string& note : input.report.notes) session.note(note);
  (void)parse_relations(options.relation, dimension_of(input.mesh));
  if (TetMesh* tets = std::get_if<TetMesh>(&input.mesh)) run_on(session, *tets, input.reservation, options);
  if (TriMesh* triangles = std::get_if<TriMesh>(&input.mesh))
    run_on(session, *triangles, input.reservation, options);
  return 0;
}

}  // namespace

Verb relations_verb() {
  return define_verb<RelationsOptions>(
      {"relations", Group::analyse,
       "who is joined to whom: one relation of a mesh, summarised or written to a file",
       "  tessera relations kuhn64.vtu --relation VT\n"
       "  tessera relations kuhn64.vtu --relation VV --memory 128M -o neighbours.npz\n"
       "  tessera relations surface.ply --matrix laplacian -o laplacian.npz"},
      declare_relations, run_relations, {.mesh = 24, .grid = 15});
}

}  // namespace tessera::cli
