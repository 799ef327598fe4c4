// EditConnectivity: the arrays of edit_mesh.h at one place, made of a Surface.
#pragma once

#include <array>
#include <cstdint>

#include <tessera/core/memory.h>
#include <tessera/exec/buffer.h>
#include <tessera/mesh/mesh.h>
#include <tessera/surface/edit_mesh.h>
#include <tessera/surface/surface.h>

namespace tessera::detail {

/// The lists of edges and vertices that need them, by ascending key.
struct Lists {
  Buffer<std::uint32_t> keys;
  Buffer<std::uint32_t> offsets;
  Buffer<std::uint32_t> values;
  std::uint32_t count = 0;

  [[nodiscard]] ListsView view() const { return {keys.data(), offsets.data(), values.data(), count}; }
  [[nodiscard]] Bytes bytes() const { return keys.bytes() + offsets.bytes() + values.bytes(); }
};

struct EditConnectivity {
  EditConnectivity() = default;
  /// `cells` are the faces of the surface's input at its place: faces begin at the corners at which they
  /// begin there. Error(unsupported) if there are too many elements.
  EditConnectivity(const Surface& surface, const TriMesh::Cell* cells);

  [[nodiscard]] EditArrays arrays();

  std::array<std::uint32_t, 3> end = {0, 0, 0};  ///< of the ids of vertices, edges, faces
  Buffer<std::uint32_t> corners;
  Buffer<std::uint32_t> edges;
  Buffer<std::uint32_t> sides;
  Buffer<std::uint32_t> handles;
  Buffer<std::uint64_t> claims;
  std::array<Buffer<std::uint32_t>, 2> origins;  ///< of vertices and faces: the input's ids, or none
  Lists edge_lists;
  Lists vertex_lists;
};

/// Ids are below it: the two sides of an edge are counted in 30 bits, with two bits beside them.
inline constexpr std::uint32_t max_edit_ids = 0x20000000;

/// The same bytes elsewhere at exec's place.
void copy_here(const Exec& exec, void* to, const void* from, std::size_t bytes);
/// A number at exec's place.
[[nodiscard]] std::uint32_t read_word(const Exec& exec, const std::uint32_t* from);

}  // namespace tessera::detail
