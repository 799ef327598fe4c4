// Typed element ids and arrays that are indexed by them.
//
// An id is 4 bytes. It is made explicitly from an integer and compares only with its own kind, so a
// vertex cannot be used where an edge is meant. A raw integer is a count, a size or an offset.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
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

/// Ids of a tiled mesh, which numbers elements anew. They are what push hands out and attributes take.
namespace tiled {
using VertexId = Id<struct TiledVertexTag>;
using EdgeId = Id<struct TiledEdgeTag>;
using FaceId = Id<struct TiledFaceTag>;
using TetId = Id<struct TiledTetTag>;
}  // namespace tiled

/// The ids from `begin` up to `end`: for (VertexId v : mesh.vertices()).
template <class IdType>
class IdRange {
 public:
  class Iterator {
   public:
    using value_type = IdType;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    TS_HD constexpr explicit Iterator(IdType at) : at_(at) {}
    TS_HD constexpr IdType operator*() const { return at_; }
    TS_HD constexpr Iterator& operator++() {
      ++at_;
      return *this;
    }
    TS_HD constexpr Iterator operator++(int) {
      const Iterator before = *this;
      ++at_;
      return before;
    }
    friend constexpr bool operator==(const Iterator&, const Iterator&) = default;

   private:
    IdType at_;
  };

  IdRange() = default;
  TS_HD constexpr IdRange(std::size_t begin, std::size_t end)
      : begin_(static_cast<std::uint32_t>(begin)), end_(static_cast<std::uint32_t>(end)) {}
  TS_HD constexpr explicit IdRange(std::size_t count) : IdRange(0, count) {}
  [[nodiscard]] TS_HD constexpr std::size_t size() const { return end_ - begin_; }
  [[nodiscard]] TS_HD constexpr bool empty() const { return begin_ == end_; }
  [[nodiscard]] TS_HD constexpr bool contains(IdType id) const {
    return id.index() >= begin_ && id.index() < end_;
  }
  [[nodiscard]] TS_HD constexpr Iterator begin() const { return Iterator(IdType(begin_)); }
  [[nodiscard]] TS_HD constexpr Iterator end() const { return Iterator(IdType(end_)); }

 private:
  std::uint32_t begin_ = 0;
  std::uint32_t end_ = 0;
};

/// The entries of a row as ids. A pointer and a length: usable in kernels, valid as long as what it points
/// to.
template <class Entry>
class IdSpan {
 public:
  class Iterator {
   public:
    using value_type = Entry;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    TS_HD constexpr explicit Iterator(const std::uint32_t* at) : at_(at) {}
    TS_HD constexpr Entry operator*() const { return Entry(*at_); }
    TS_HD constexpr Iterator& operator++() {
      ++at_;
      return *this;
    }
    TS_HD constexpr Iterator operator++(int) { return Iterator(at_++); }
    friend constexpr bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const std::uint32_t* at_ = nullptr;
  };

  IdSpan() = default;
  TS_HD constexpr IdSpan(const std::uint32_t* data, std::size_t size) : data_(data), size_(size) {}
  explicit constexpr IdSpan(std::span<const std::uint32_t> values)
      : data_(values.data()), size_(values.size()) {}
  [[nodiscard]] TS_HD constexpr std::size_t size() const { return size_; }
  [[nodiscard]] TS_HD constexpr bool empty() const { return size_ == 0; }
  [[nodiscard]] TS_HD constexpr Entry operator[](std::size_t i) const { return Entry(data_[i]); }
  [[nodiscard]] TS_HD constexpr Iterator begin() const { return Iterator(data_); }
  [[nodiscard]] TS_HD constexpr Iterator end() const { return Iterator(data_ + size_); }
  [[nodiscard]] constexpr std::span<const std::uint32_t> indices() const { return {data_, size_}; }
  [[nodiscard]] TS_HD constexpr const std::uint32_t* data() const { return data_; }

 private:
  const std::uint32_t* data_ = nullptr;
  std::size_t size_ = 0;
};

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
