// Plan: what each way of storing connectivity costs before it is built, and which one fits.
//
//   const auto plan = ts::plan(tiles, {{ts::key_of<ts::VV>, ts::key_of<ts::VT>}});
//   const ts::ModeChoice choice = ts::choose_mode(plan, ts::gib(1));
//
// Numbers are bytes that the process takes: arrays with their headers and huge pages, arrays that grow at
// their largest. They do not count what the allocator keeps of freed memory, and not what rows that a caller
// holds keep alive beyond two tiles of each relation and worker.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <tessera/connect/costs.h>
#include <tessera/connect/counts.h>
#include <tessera/core/memory.h>
#include <tessera/exec/exec.h>
#include <tessera/tile/tiled_mesh.h>

namespace tessera {

enum class StorageMode {
  automatic,       ///< the fastest that fits the memory, relation by relation
  materialized,    ///< one array of rows a relation, made when it is requested
  explicit_tiles,  ///< the whole enumeration is kept; tiles' rows come and go
  implicit_tiles,  ///< only intervals are kept
};

struct PlanOptions {
  Exec exec = Exec::host();  ///< its threads are also the consumers that are counted on
  int producers = 0;         ///< helper threads, as in ConnectOptions
  Ids ids = Ids::input;      ///< likewise
};

struct RelationCost {
  RelationKey relation;
  std::uint64_t rows = 0;
  std::uint64_t entries = 0;
  Bytes bytes = 0;         ///< materialized
  Bytes peak = 0;          ///< while it is materialized
  Bytes largest_tile = 0;  ///< the rows of one tile, at most
};

/// The account of one mode. What is not needed is 0.
struct ModeCost {
  Bytes enumeration = 0;  ///< none is needed where only vertices and cells are named
  Bytes maps = 0;         ///< from the input's ids
  Bytes rows = 0;         ///< materialized
  Bytes slots = 0;
  Bytes scratch = 0;  ///< of all workers
  Bytes least = 0;    ///< the smallest budget that works, transients included
  Bytes full = 0;     ///< a larger budget gains nothing: no tile is ever computed twice
};

struct ConnectPlan {
  ConnectCosts costs;
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
  Bytes store = 0;                        ///< for rows of tiles
  Bytes total = 0;                        ///< at most, everything together
};

/// The fastest way that fits: all relations materialized; else tiles with an explicit, else with an implicit
/// enumeration, where those relations are materialized, in the order they were named, that leave enough for
/// the rest; the store gets what is left. With a mode other than automatic, that mode. Error(out_of_memory)
/// says what is asked, what is allowed and the smallest budget that works.
[[nodiscard]] ModeChoice choose_mode(const ConnectPlan& plan, Bytes memory,
                                     StorageMode mode = StorageMode::automatic);

/// The smallest budget that choose_mode() accepts.
[[nodiscard]] Bytes least_memory(const ConnectPlan& plan, StorageMode mode = StorageMode::automatic);

namespace detail {

/// The books of one connection: what it has taken of its budget, and how further relations are stored.
class Account {
 public:
  Account(StorageMode mode, Bytes memory) : mode_(mode), memory_(memory) {}

  void set_costs(const ConnectCosts& costs) { costs_ = costs; }
  [[nodiscard]] const ConnectCosts& costs() const { return costs_; }
  [[nodiscard]] Bytes memory() const { return memory_; }
  /// Everything that was booked, in order.
  [[nodiscard]] const std::vector<RelationKey>& booked() const { return booked_; }

  /// How to store these relations too, besides what is booked; nothing if they do not fit.
  [[nodiscard]] std::optional<ModeChoice> find_choice(std::span<const RelationKey> wanted) const;
  /// The same, or Error(out_of_memory).
  [[nodiscard]] ModeChoice choose(std::span<const RelationKey> wanted) const;
  /// The smallest budget for all that is booked and wanted, if it is requested at once.
  [[nodiscard]] Bytes least(std::span<const RelationKey> wanted) const;

  void book(std::span<const RelationKey> wanted, const ModeChoice& choice);
  /// Books an enumeration if there is none yet, or throws Error(out_of_memory).
  void book_enumeration();
  [[nodiscard]] Numbering numbering() const { return state_.numbering; }
  [[nodiscard]] bool is_materialized(RelationKey key) const { return whole_[key.index()]; }
  /// How all that is booked is stored.
  [[nodiscard]] ModeChoice summary() const { return describe(state_, booked_, whole_); }
  /// Replaces what was expected of the enumeration or of a materialized relation by what it takes.
  void settle_enumeration(Bytes taken) { state_.enumeration = taken; }
  void settle_rows(RelationKey key, Bytes taken);

  /// What tiles' rows may take while `transient` bytes are in use besides what is booked.
  [[nodiscard]] Bytes store_budget(Bytes transient = 0) const;

 private:
  struct State {
    Numbering numbering = Numbering::none;
    Bytes enumeration = 0;
    Bytes maps = 0;     // from the input's ids
    Bytes rows = 0;     // materialized
    RelationSet tiles;  // the relations that are served from tiles
    Bytes peak = 0;     // the most that is needed on the way to it
  };

  /// The state after these relations are stored: those in `whole` materialized, the others as tiles.
  [[nodiscard]] State advance(const State& from, std::span<const RelationKey> wanted, Numbering numbering,
                              RelationSet whole) const;
  [[nodiscard]] Bytes held(const State& state) const;
  [[nodiscard]] Bytes needed(const State& state) const;
  [[nodiscard]] std::vector<Numbering> numberings(const State& from,
                                                  std::span<const RelationKey> wanted) const;
  [[nodiscard]] ModeChoice describe(const State& state, std::span<const RelationKey> wanted,
                                    RelationSet whole) const;

  StorageMode mode_;
  Bytes memory_;
  ConnectCosts costs_;
  State state_;
  std::vector<RelationKey> booked_;
  RelationSet whole_;                                          // of those, the materialized ones
  std::array<Bytes, ConnectCounts::max_relations> rows_of_{};  // materialized, by relation
};

}  // namespace detail
}  // namespace tessera
