#include <gtest/gtest.h>

#include <concepts>
#include <memory>
#include <span>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include <tessera/core/id.h>

namespace tessera {
namespace {

template <class A, class B> concept Comparable = requires(A a, B b) {
  a == b;
};
template <class A, class B> concept Ordered = requires(A a, B b) {
  a < b;
};
template <class Container, class Index> concept Subscriptable = requires(Container c, Index i) {
  c[i];
};

TEST(Id, KindsDoNotMix) {
  static_assert(sizeof(VertexId) == 4);
  static_assert(Comparable<VertexId, VertexId> && Ordered<VertexId, VertexId>);
  static_assert(!Comparable<VertexId, EdgeId> && !Ordered<VertexId, EdgeId>);
  static_assert(!std::is_convertible_v<std::uint32_t, VertexId> &&
                std::is_constructible_v<VertexId, std::uint32_t>);
  static_assert(!std::is_convertible_v<VertexId, std::uint32_t>);
  static_assert(std::is_trivially_copyable_v<TetId>);
}

TEST(Id, DefaultIsInvalid) {
  EXPECT_FALSE(VertexId().is_valid());
  EXPECT_TRUE(VertexId(0).is_valid());
  EXPECT_EQ(FaceId(7).index(), 7u);
}

TEST(Id, OrdersAndCountsUp) {
  VertexId v(3);
  EXPECT_LT(VertexId(2), v);
  EXPECT_GE(v, v);
  EXPECT_GT(v, VertexId(1));
  EXPECT_LE(VertexId(3), v);
  EXPECT_EQ(++v, VertexId(4));
  const std::unordered_set<VertexId> set = {VertexId(1), VertexId(1), VertexId(2)};
  EXPECT_EQ(set.size(), 2u);
}

TEST(IdArray, TakesOnlyItsOwnId) {
  using PerVertex = IdArray<VertexId, int>;
  static_assert(Subscriptable<PerVertex, VertexId>);
  static_assert(!Subscriptable<PerVertex, EdgeId> && !Subscriptable<PerVertex, int>);
  PerVertex values(3, 5);
  values[VertexId(1)] = 7;
  EXPECT_EQ(values[VertexId(0)], 5);
  EXPECT_EQ(values[VertexId(1)], 7);
  EXPECT_EQ(values.size(), 3u);
  EXPECT_EQ(values, PerVertex(Array<int>{5, 7, 5}));
}

TEST(Array, LargeBlocksAreAligned) {
  const Array<char> small(100);
  const Array<char> large(std::size_t{3} << 20);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(small.data()) % 64, 0u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(large.data()) % (std::size_t{2} << 20), 0u);
  EXPECT_THROW(Array<double>(std::size_t{1} << 50), std::bad_alloc);
}

TEST(Array, BeginsInBorrowedMemory) {
  std::vector<int> values = {1, 2, 3, 4};
  Array<int> array = borrow(std::span(values));
  EXPECT_EQ(array.data(), values.data());
  EXPECT_EQ(array, (Array<int>{1, 2, 3, 4}));
  Array<int> copy = array;
  EXPECT_NE(copy.data(), values.data());
  EXPECT_EQ(copy, array);
  Array<int> moved = std::move(array);
  EXPECT_EQ(moved.data(), values.data());
  copy = std::move(moved);
  EXPECT_EQ(copy.data(), values.data());
  copy.push_back(5);  // outgrown
  EXPECT_NE(copy.data(), values.data());
  EXPECT_EQ(copy, (Array<int>{1, 2, 3, 4, 5}));
  EXPECT_EQ(values, (std::vector<int>{1, 2, 3, 4}));
  EXPECT_TRUE(borrow(std::span<int>()).empty());
  Array<int> assigned = borrow(std::span(values));
  const Array<int> other = {9, 8, 7, 6};
  assigned = other;  // not over what was borrowed
  EXPECT_EQ(assigned, other);
  EXPECT_EQ(values, (std::vector<int>{1, 2, 3, 4}));
}

TEST(Array, LetsGoOfTheOwnerWithTheMemory) {
  std::vector<int> values(100, 7);
  const auto owner = std::make_shared<int>(0);
  Array<int> array = borrow(std::span(values), owner);
  EXPECT_EQ(owner.use_count(), 2);
  Array<int> other(10, 1);
  swap(array, other);
  EXPECT_EQ(owner.use_count(), 2);
  EXPECT_EQ(other.data(), values.data());
  other.reserve(1000);
  EXPECT_EQ(owner.use_count(), 1);
  array = borrow(std::span(values), owner);
  array = {};
  array.shrink_to_fit();
  EXPECT_EQ(owner.use_count(), 1);
  std::vector<Array<int>> several;
  several.push_back(borrow(std::span(values), owner));
  several.resize(20);
  EXPECT_EQ(several[0].data(), values.data());
  several.clear();
  EXPECT_EQ(owner.use_count(), 1);
}

}  // namespace
}  // namespace tessera
