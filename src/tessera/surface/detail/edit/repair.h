// Repair: the slow part of a commit, for edges and vertices that need lists or may not need them any more.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <tessera/exec/buffer.h>
#include <tessera/surface/cavity.h>
#include <tessera/surface/detail/edit/dynamic_store.h>

namespace tessera::detail {

class Repair {
 public:
  /// Before the commit of a round with irregular winners. All ids, those of new elements, too, are below
  /// `ends`.
  Repair(DynamicStore& store, const RoundView& round, std::size_t winners,
         const std::array<std::uint32_t, 3>& ends);
  /// Edges that finish() may give back.
  [[nodiscard]] std::uint32_t edge_count() const { return edge_count_; }
  /// After it.
  void finish();

 private:
  [[nodiscard]] Buffer<std::uint64_t> sorted(Buffer<std::uint64_t> pairs) const;
  void rebuild(Kind kind, const Buffer<std::uint64_t>& pairs, const std::uint8_t* flags);
  void finish_edges();
  void finish_vertices();

  DynamicStore* store_;
  Exec exec_;
  Buffer<std::uint8_t> vertex_flags_;
  Buffer<std::uint8_t> edge_flags_;
  Buffer<std::uint32_t> vertices_;
  Buffer<std::uint32_t> edges_;
  std::uint32_t vertex_count_ = 0;
  std::uint32_t edge_count_ = 0;
  Buffer<std::uint64_t> vertex_pairs_;
  Buffer<std::uint64_t> edge_pairs_;
  Buffer<std::byte> cushion_;  ///< memory that finish() will need: it must not fail
};

}  // namespace tessera::detail
