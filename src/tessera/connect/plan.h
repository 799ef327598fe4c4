// Plan: what each way of storing connectivity costs before it is built, and which one fits.
//
//   const auto plan = ts::plan(tiles, {{ts::key_of<ts::VV>, ts::key_of<ts::VT>}});
//   const ts::ModeChoice choice = ts::choose_mode(plan, ts::gib(1));
//
// Numbers are bytes that the process takes: arrays with their headers and huge pages, arrays that grow at
// their largest. They do not count what the allocator keeps of freed memory, and not what rows that a caller
// holds keep alive beyond two tiles of each relation and worker that computes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <tessera/core/memory.h>
#include <tessera/exec/exec.h>
#include <tessera/tile/relation.h>
#include <tessera/tile/tiled_mesh.h>

namespace tessera {

namespace detail {
class ConnectCosts;  // connect/detail/costs.h
}  // namespace detail

/// Who numbers edges and faces.
enum class Numbering { none, implicit, explicit_whole };

/// What is known of a mesh before it is tiled.
struct MeshSize {
  int dimension = 3;
  std::uint64_t vertices = 0;
  std::uint64_t cells = 0;
  std::uint32_t tile_vertices = TileOptions{}.max_vertices;  ///< TileOptions::max_vertices
};

enum class StorageMode {
  automatic,       ///< the fastest that fits the memory, relation by relation
  materialized,    ///< one array of rows a relation, made when it is requested
  explicit_tiles,  ///< the whole enumeration is kept; tiles' rows come and go
  implicit_tiles,  ///< only intervals are kept
};

struct PlanOptions {
  Exec exec = Exec::host();  ///< its threads are also the consumers, all of which compute at once if they fit
  int producers = 0;         ///< helper threads, as in ConnectOptions
};

struct RelationCost {
  RelationKey relation;
  std::uint64_t rows = 0;
  std::uint64_t entries = 0;
  Bytes bytes = 0;         ///< materialized
  Bytes peak = 0;          ///< while one thread materializes it
  Bytes largest_tile = 0;  ///< the rows of one tile, at most
};

/// The account of one mode. What is not needed is 0.
struct ModeCost {
  Bytes enumeration = 0;  ///< none is needed where only vertices and cells are named
  Bytes maps = 0;         ///< from the input's ids
  Bytes rows = 0;         ///< materialized
  Bytes slots = 0;
  Bytes scratch = 0;  ///< of all workers, computing at once
  Bytes least = 0;    ///< the smallest budget that works, transients included; the same for any threads
  Bytes full = 0;     ///< a larger budget gains nothing: all workers compute, and no tile twice
};

struct ConnectPlan {
  std::shared_ptr<const detail::ConnectCosts> costs;
  std::vector<RelationCost> relations;
  Bytes mesh = 0;        ///< points as floats, and cells; not part of a connection
  Bytes tiled_mesh = 0;  ///< not part of a connection either
  ModeCost materialized;
  ModeCost explicit_tiles;
  ModeCost implicit_tiles;
};

/// What relations of a mesh cost. Counts edges, faces and rows in one parallel pass: about as long as making
/// VV, for other than the relations of vertices and cells alone. Exact, but for scratch and the largest tiles
/// of EE, FF and TT, which are bounds.
template <int Dim>
[[nodiscard]] ConnectPlan plan(const TiledMesh<Dim>& tiles, std::span<const RelationKey> relations,
                               const PlanOptions& options = {});
/// The same before the mesh is tiled or even read: an estimate (estimate_relations()).
[[nodiscard]] ConnectPlan plan(const MeshSize& size, std::span<const RelationKey> relations,
                               const PlanOptions& options = {});

/// How a set of relations is stored within a budget.
struct ModeChoice {
  StorageMode mode = StorageMode::materialized;  ///< materialized if every relation is
  Numbering numbering = Numbering::none;
  std::vector<RelationKey> materialized;  ///< the others are served from tiles
  int workers = 1;  ///< that compute tiles at the same time; others wait for one of them
  int threads = 1;  ///< that make the enumeration and materialized rows
  Bytes store = 0;  ///< for rows of tiles
  Bytes total = 0;  ///< at most, everything together
};

/// The fastest way that fits: all relations materialized; else tiles with an explicit, else with an implicit
/// enumeration, where those relations are materialized, in the order they were named, that leave enough for
/// the rest; the store gets what is left. With a mode other than automatic, that mode. Where none fits with
/// all workers computing at once, half of them do, and so on down to one. Error(out_of_memory) says what is
/// asked, what is allowed and the smallest budget that works.
[[nodiscard]] ModeChoice choose_mode(const ConnectPlan& plan, Bytes memory,
                                     StorageMode mode = StorageMode::automatic);

/// The smallest budget that choose_mode() accepts: with one worker at a time, so it is the same for any
/// number of threads.
[[nodiscard]] Bytes least_memory(const ConnectPlan& plan, StorageMode mode = StorageMode::automatic);

}  // namespace tessera
