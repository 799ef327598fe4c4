// Typed element ids and arrays that are indexed by them.
//
// An id is 4 bytes. It is made explicitly from an integer and compares only with its own kind, so a
// vertex can not be used where an edge is meant. A raw integer is a count, a size or an offset.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include <tessera/core/array.h>
#include <tessera/core/macros.h>

namespace tessera {

template <class Tag>
class Id {
 public:
  using Index = std::uint32_t;
  static constexpr Index invalid_index = 0xFFFFFFFFu;

  constexpr Id() = default;  // invalid
  TS_HD constexpr explicit Id(Index index) : index_(index) {}

  [[nodiscard]] TS_HD constexpr Index index() const { return index_; }
  [[nodiscard]] TS_HD constexpr bool is_valid() const { return index_ != invalid_index; }

  TS_HD constexpr Id& operator++() {
    ++index_;
    return *this;
  }

  friend constexpr bool operator==(const Id&, const Id&) = default;
  TS_HD friend constexpr bool operator<(Id a, Id b) { return a.index_ < b.index_; }
  TS_HD friend constexpr bool operator>(Id a, Id b) { return b < a; }
  TS_HD friend constexpr bool operator<=(Id a, Id b) { return !(b < a); }
  TS_HD friend constexpr bool operator>=(Id a, Id b) { return !(a < b); }

 private:
  Index index_ = invalid_index;
};

template <class Tag>
inline constexpr bool starts_unset<Id<Tag>> = true;
template <class Tag, std::size_t N>
inline constexpr bool starts_unset<std::array<Id<Tag>, N>> = true;

using VertexId = Id<struct VertexTag>;
using EdgeId = Id<struct EdgeTag>;
using FaceId = Id<struct FaceTag>;
using TetId = Id<struct TetTag>;
using TileId = Id<struct TileTag>;

/// An owning array with one value for each element of a kind; takes only that kind's id.
template <class IdType, class T>
class IdArray {
 public:
  using value_type = T;

  IdArray() = default;
  explicit IdArray(std::size_t size) : values_(size) {}
  IdArray(std::size_t size, const T& value) : values_(size, value) {}
  explicit IdArray(Array<T> values) : values_(std::move(values)) {}

  [[nodiscard]] T& operator[](IdType id) { return values_[id.index()]; }
  [[nodiscard]] const T& operator[](IdType id) const { return values_[id.index()]; }

  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] bool empty() const { return values_.empty(); }
  [[nodiscard]] T* data() { return values_.data(); }
  [[nodiscard]] const T* data() const { return values_.data(); }
  void resize(std::size_t size) { values_.resize(size); }

  [[nodiscard]] auto begin() { return values_.begin(); }
  [[nodiscard]] auto end() { return values_.end(); }
  [[nodiscard]] auto begin() const { return values_.begin(); }
  [[nodiscard]] auto end() const { return values_.end(); }

  friend bool operator==(const IdArray&, const IdArray&) = default;

 private:
  Array<T> values_;
};

}  // namespace tessera

template <class Tag>
struct std::hash<tessera::Id<Tag>> {
  std::size_t operator()(tessera::Id<Tag> id) const noexcept {
    return std::hash<std::uint32_t>{}(id.index());
  }
};
