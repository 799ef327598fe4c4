// DynamicSurface: a triangle mesh that is edited where kernels run, on host threads or a GPU.
//
//   ts::DynamicSurface surface(mesh, {.exec = ts::Exec::cuda()});
//   const auto position = surface.positions();
//   const ts::EditReport report = ts::edit(surface, Flip{position.view()}, {.seed = 1});   // edit.h
//   const ts::TriMesh edited = surface.to_mesh();
//
// Ids of elements that an edit does not touch stay valid. Those of removed elements are given to new ones in
// later rounds, so ids are stable but not canonical; compact() restores the canonical order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include <tessera/core/array.h>
#include <tessera/core/id.h>
#include <tessera/core/memory.h>
#include <tessera/core/vec.h>
#include <tessera/exec/buffer.h>
#include <tessera/exec/exec.h>
#include <tessera/mesh/mesh.h>
#include <tessera/surface/attribute.h>
#include <tessera/surface/edit_mesh.h>
#include <tessera/surface/surface.h>

namespace tessera {

namespace detail {

class DynamicStore;  // surface/detail/edit/dynamic_store.h

inline constexpr std::size_t max_columns = 256;

/// A column of values, one for each element of a kind, in the memory of a DynamicStore.
struct ColumnKey {
  std::shared_ptr<DynamicStore> store;
  std::uint32_t index = 0;
};
/// `components` floating-point numbers of 4 or 8 bytes; 0: `width` bytes that are copied and not blended.
struct ColumnShape {
  Kind kind = Kind::vertex;
  std::uint32_t width = 0;
  std::uint32_t components = 0;
  bool is_double = false;
};
[[nodiscard]] std::shared_ptr<const ColumnKey> add_column(const std::shared_ptr<DynamicStore>& store,
                                                          const ColumnShape& shape, const void* value);
/// Where the pointer to the values lies, at the surface's place.
[[nodiscard]] std::byte* const* column_base(const ColumnKey& key);
/// Copies of all values, by ascending ids from 0 on; those of removed elements mean nothing.
void read_column(const ColumnKey& key, void* to);
void write_column(const ColumnKey& key, const void* from);
[[nodiscard]] std::size_t column_size(const ColumnKey& key);

template <class T>
[[nodiscard]] constexpr ColumnShape shape_of(Kind kind) {
  using Scalar = typename FieldTraits<T>::Scalar;
  constexpr bool is_blended = std::is_floating_point_v<Scalar>;
  return {kind, sizeof(T), is_blended ? static_cast<std::uint32_t>(FieldTraits<T>::components) : 0,
          std::is_same_v<Scalar, double>};
}

}  // namespace detail

/// The values where the surface is, by tiled id: usable in kernels, and valid while edits move the values
/// elsewhere to make room.
template <class TiledId, class T>
class EditView {
 public:
  EditView() = default;
  explicit EditView(std::byte* const* base) : base_(base) {}
  [[nodiscard]] TS_HD T& operator[](TiledId id) const { return reinterpret_cast<T*>(*base_)[id.index()]; }
  [[nodiscard]] TS_HD T* data() const { return reinterpret_cast<T*>(*base_); }
  /// The values of new edges or faces until they are committed: for Hole::set().
  [[nodiscard]] TS_HD T* staged() const { return reinterpret_cast<T*>(base_[detail::max_columns]); }

 private:
  std::byte* const* base_ = nullptr;  ///< of the values; max_columns further: of the staged ones
};

struct DynamicOptions {
  Exec exec = Exec::host();  ///< where edits run
  Bytes memory =
      0;  ///< for the surface, its attributes and the scratch of edits; 0: no limit but the machine's
  bool with_fields = true;           ///< the mesh's fields follow the edits
  const Monitor* monitor = nullptr;  ///< of building it
};

/// Where elements went: the new tiled id of each old one, at the surface's place; Id::invalid_index for those
/// that were removed.
struct CompactionMaps {
  Buffer<std::uint32_t> vertices;
  Buffer<std::uint32_t> edges;
  Buffer<std::uint32_t> faces;
};

/// A handle: copies share the surface. One edit at a time.
class DynamicSurface {
 public:
  /// Any mesh that a Surface can be made of. Ids are the tiled ids of that Surface, in Morton order.
  explicit DynamicSurface(const TriMesh& mesh, const DynamicOptions& options = {});

  [[nodiscard]] const Exec& exec() const;
  [[nodiscard]] std::size_t vertex_count() const;
  [[nodiscard]] std::size_t edge_count() const;
  [[nodiscard]] std::size_t face_count() const;
  /// All ids of a kind are below it, those of removed elements, too.
  [[nodiscard]] std::size_t id_end(Kind kind) const;
  [[nodiscard]] Bytes bytes() const;

  /// For functions and kernels of one's own; valid until the next edit.
  [[nodiscard]] EditMesh mesh() const;
  /// The coordinates, which every edit moves along.
  [[nodiscard]] EditView<tiled::VertexId, Vec3d> positions() const;

  /// The mesh as it is now. Vertices and faces of the input come first, in the input's order, then new ones.
  /// Coordinates have the input's precision; fields have followed the edits.
  [[nodiscard]] TriMesh to_mesh() const;

  /// How far edits have scattered the surface in memory: of the pairs of vertices that an edge joins, and of
  /// faces that share one, the part that lies more than 16 tiles apart in the order of ids. Low for a surface
  /// that was just tiled.
  [[nodiscard]] double disorder() const;
  /// From there on compact() is worth its cost if the surface is read or edited a few more times.
  static constexpr double most_disorder = 0.25;

  /// Drops removed elements and tiles the surface anew, so that what lies close together lies close together
  /// in memory again and ids are canonical.
  CompactionMaps compact();

  /// The first broken invariant of edit_mesh.h as a sentence; empty if all hold. For tests: it works on the
  /// host, in time n log n.
  [[nodiscard]] std::string validate() const;

  [[nodiscard]] const std::shared_ptr<detail::DynamicStore>& store() const { return store_; }

 private:
  std::shared_ptr<detail::DynamicStore> store_;
};

/// Values that follow the edits: floating-point numbers are interpolated where vertices are made between
/// others, all other values are copied. IdType: VertexId, EdgeId or FaceId.
template <class IdType, class T>
class EditAttribute {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  static constexpr Kind kind = detail::kind_of_id<IdType>;
  using TiledId = tiled::IdOf<kind>;

  explicit EditAttribute(const DynamicSurface& surface, const T& value = T{})
      : key_(detail::add_column(surface.store(), detail::shape_of<T>(kind), &value)) {}

  [[nodiscard]] EditView<TiledId, T> view() const { return EditView<TiledId, T>(detail::column_base(*key_)); }
  /// By tiled id, up to DynamicSurface::id_end(); those of removed elements mean nothing.
  [[nodiscard]] IdArray<TiledId, T> values() const {
    IdArray<TiledId, T> out(detail::column_size(*key_));
    detail::read_column(*key_, out.data());
    return out;
  }
  void assign(const IdArray<TiledId, T>& values) {
    TS_EXPECTS(values.size() == detail::column_size(*key_));
    detail::write_column(*key_, values.data());
  }

 private:
  std::shared_ptr<const detail::ColumnKey> key_;
};

}  // namespace tessera
