// DynamicStore: the memory of a DynamicSurface, and how it grows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tessera/core/memory.h>
#include <tessera/exec/buffer.h>
#include <tessera/exec/exec.h>
#include <tessera/mesh/mesh.h>
#include <tessera/surface/cavity.h>
#include <tessera/surface/detail/edit/connectivity.h>
#include <tessera/surface/detail/edit/edit_scratch.h>
#include <tessera/surface/dynamic_surface.h>
#include <tessera/surface/edit_mesh.h>

namespace tessera::detail {

/// The values of an attribute.
struct StoredColumn {
  ColumnShape shape;
  Buffer<std::byte> values;
  Buffer<std::byte> staged;             ///< of the new edges or faces of a round
  std::weak_ptr<const ColumnKey> user;  ///< whoever asked for it; those of the store itself have none
  bool is_own = false;
  bool is_field = false;  ///< of the mesh
  std::string name;       ///< of the field
  ScalarType type = ScalarType::f64;
};

class DynamicStore : public std::enable_shared_from_this<DynamicStore> {
 public:
  DynamicStore(const TriMesh& mesh, const DynamicOptions& options);
  DynamicStore(const DynamicStore&) = delete;
  DynamicStore& operator=(const DynamicStore&) = delete;
  ~DynamicStore() = default;

  [[nodiscard]] const Exec& exec() const { return exec_; }
  [[nodiscard]] std::uint32_t end(Kind kind) const { return mesh_.end[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] std::uint32_t count(Kind kind) const {
    return end(kind) - freed_[static_cast<std::size_t>(kind)].count();
  }
  /// All ids that there is room for are below it.
  [[nodiscard]] std::uint32_t capacity(Kind kind) const { return capacity_[static_cast<std::size_t>(kind)]; }
  /// How many new elements there is room for.
  [[nodiscard]] std::uint32_t spare(Kind kind) const {
    return freed_[static_cast<std::size_t>(kind)].count() + capacity(kind) - end(kind);
  }
  [[nodiscard]] Bytes bytes() const;

  [[nodiscard]] EditArrays arrays() { return mesh_.arrays(); }
  [[nodiscard]] std::uint64_t* claims() { return mesh_.claims.data(); }
  [[nodiscard]] Lists& lists(Kind kind) { return kind == Kind::edge ? mesh_.edge_lists : mesh_.vertex_lists; }
  /// The number of the next round, from 1 on: claims of earlier rounds are lower.
  [[nodiscard]] std::uint32_t next_round();

  /// Room for so many new elements of each kind: some take freed ids, the others begin at the end. The ids
  /// are taken by take(). Error(out_of_memory) leaves everything as it was.
  void reserve(const std::array<std::uint32_t, 3>& counts);
  /// Room for the attributes of so many new edges and faces until they are committed.
  void stage(std::uint32_t edges, std::uint32_t faces);
  /// How many staged() has room for; no limit if no attribute asks.
  [[nodiscard]] std::uint32_t staged_room(Kind kind) const;
  /// The ids that can be given, in their order: freed ones, the longest freed first, then those at the end.
  [[nodiscard]] FreshIds fresh(Kind kind) const;
  void take(Kind kind, std::uint32_t count);
  /// Room for so many more ids that can be given again.
  void reserve_freed(Kind kind, std::size_t count);
  [[nodiscard]] std::uint32_t freed_room(Kind kind) const;
  /// Where the next freed ids are written, and how many of them have been.
  [[nodiscard]] std::uint32_t* freed_end(Kind kind);
  void add_freed(Kind kind, std::uint32_t count);

  [[nodiscard]] std::shared_ptr<const ColumnKey> add_column(const ColumnShape& shape, const void* value);
  [[nodiscard]] std::byte* const* base(std::uint32_t column) const { return bases_.data() + column; }
  [[nodiscard]] const StoredColumn& column(std::uint32_t index) const { return columns_[index]; }
  [[nodiscard]] StoredColumn& column(std::uint32_t index) { return columns_[index]; }
  /// What kernels need of the columns: at the store's place, `column_count()` of them.
  [[nodiscard]] const Column* column_table() const { return table_.data(); }
  [[nodiscard]] std::uint32_t column_count() const { return table_count_; }
  [[nodiscard]] std::uint32_t* origins(Kind kind) {
    return mesh_.origins[kind == Kind::vertex ? 0 : 1].data();
  }

  /// Gives the scratch of edits back first.
  [[nodiscard]] TriMesh to_mesh();
  [[nodiscard]] CompactionMaps compact();
  [[nodiscard]] std::string validate();

  /// Error(out_of_memory | out_of_device_memory) if so many more bytes are not allowed.
  void check_room(Bytes more) const;

  /// What algorithms keep for the surface beside it, which counts against its memory.
  void hold(Bytes bytes) { held_ = bytes; }
  /// DynamicSurface::disorder().
  [[nodiscard]] double disorder();

  EditScratch scratch;  ///< empty while an edit has it
  /// Rounds of edits are queued as a whole, as a device wants it; tests do so on the host, too.
  bool queues_rounds;

  static constexpr std::uint32_t positions = 0;  ///< the column of the coordinates

 private:
  void build(const TriMesh& mesh, const Monitor* monitor);
  [[nodiscard]] SurfaceOptions surface_options(const Monitor* monitor) const;
  void grow(Kind kind, std::uint32_t needed);
  void write_tables();
  [[nodiscard]] std::uint32_t new_column(const ColumnShape& shape);
  void check_memory(Bytes needed) const;
  /// The live elements of a kind, those of the input first.
  [[nodiscard]] Array<std::uint32_t> export_order(Kind kind) const;
  [[nodiscard]] Field gather(const StoredColumn& column, std::span<const std::uint32_t> order) const;

  Exec exec_;
  Bytes memory_;
  Bytes held_ = 0;
  EditConnectivity mesh_;
  std::array<std::uint32_t, 3> capacity_ = {0, 0, 0};
  /// Ids that can be given again: a queue, so that a round can add to it while it takes from it.
  struct FreedIds {
    Buffer<std::uint32_t> ids;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    [[nodiscard]] std::uint32_t count() const { return end - begin; }
  };
  std::array<FreedIds, 3> freed_;
  std::uint32_t round_ = 0;

  std::vector<StoredColumn> columns_;
  Buffer<std::byte*> bases_;
  Buffer<Column> table_;
  std::uint32_t table_count_ = 0;

  bool has_double_points_ = false;
  FieldSet field_data_;
  std::array<std::string, 2> active_;  ///< the fields of points and cells that viewers colour by
};

}  // namespace tessera::detail
