#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <limits>
#include <new>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/mesh/mesh.h>

namespace tessera {
namespace {

constexpr ScalarType all_types[] = {ScalarType::i8,  ScalarType::u8,  ScalarType::i16, ScalarType::u16,
                                    ScalarType::i32, ScalarType::u32, ScalarType::i64, ScalarType::u64,
                                    ScalarType::f32, ScalarType::f64};

TEST(Field, KeepsItsTypeAndComponents) {
  for (const ScalarType type : all_types) {
    Field field("x", type, 4, 3);
    EXPECT_EQ(field.type(), type);
    EXPECT_EQ(field.size(), 4u);
    EXPECT_EQ(field.bytes(), 12 * size_of(type));
    const bool matches = field.visit(
        [&](auto numbers) { return numbers.size() == 12 && sizeof(numbers[0]) == size_of(type); });
    EXPECT_TRUE(matches) << to_string(type);
  }
  EXPECT_EQ(to_string(ScalarType::f32), "float32");
}

TEST(Field, GathersTuples) {
  const Field field("x", Array<int>{1, 2, 3, 4, 5, 6}, 2);
  EXPECT_EQ(field.gather(std::vector<std::uint32_t>{2, 0, 0}), Field("x", Array<int>{5, 6, 1, 2, 1, 2}, 2));
}

TEST(Field, EqualityIsOfBytes) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(Field("x", Array<double>{nan, 1}), Field("x", Array<double>{nan, 1}));
  EXPECT_FALSE(Field("x", Array<double>{0.0}) == Field("x", Array<double>{-0.0}));
  EXPECT_FALSE(Field("x", Array<int>{1, 2}) == Field("x", Array<int>{1, 2}, 2));
  EXPECT_FALSE(Field("x", Array<int>{1}) == Field("y", Array<int>{1}));
  EXPECT_FALSE(Field("x", Array<int>{1}) == Field("x", Array<unsigned>{1}));
}

TEST(Field, WrongTypeOrLengthIsABrokenContract) {
  const Field field("x", Array<int>{1, 2, 3});
  EXPECT_DEATH((void)field.as<float>(), "broken contract");
  EXPECT_DEATH(Field("x", Array<int>{1, 2, 3}, 2), "broken contract");
}

TEST(FieldSet, NamesAreUniqueAndKeepTheirOrder) {
  FieldSet set;
  set.add(Field("b", Array<int>{1}));
  set.add(Field("a", Array<int>{2}));
  set.add(Field("b", Array<float>{3}));
  EXPECT_EQ(set.names(), (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(set.at("b").type(), ScalarType::f32);
  EXPECT_EQ(set.bytes(), 8u);
  set.remove("b");
  EXPECT_FALSE(set.has("b"));
}

TEST(FieldSet, MissingFieldsListThoseThereAre) {
  FieldSet set;
  const auto message = [&] {
    try {
      (void)set.at("heat");
      return std::string();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::not_found);
      return std::string(error.what());
    }
  };
  EXPECT_EQ(message(), "there is no field 'heat'; the mesh has none");
  set.add(Field("pressure", Array<int>{1}));
  set.add(Field("speed", Array<int>{1}));
  EXPECT_EQ(message(), "there is no field 'heat'; there is 'pressure', 'speed'");
}

TEST(Points, KeepTheirPrecision) {
  const double third = 1.0 / 3;
  const Points exact(Array<Vec3d>{{third, 0, 1}, {2, 3, 4}});
  EXPECT_TRUE(exact.is_double());
  EXPECT_EQ(exact[VertexId(0)].x, third);
  EXPECT_EQ(exact.bytes(), 48u);
  const Points rounded(Array<Vec3f>{{static_cast<float>(third), 0, 1}});
  EXPECT_EQ(rounded[VertexId(0)].x, static_cast<double>(static_cast<float>(third)));
  EXPECT_EQ(exact.gather(std::vector<std::uint32_t>{1}), Points(Array<Vec3d>{{2, 3, 4}}));
}

TEST(SimplexMesh, RangesOfIds) {
  TetMesh mesh;
  EXPECT_TRUE(mesh.vertices().empty() && mesh.cell_ids().empty());
  mesh.points = Array<Vec3f>(5, Vec3f{0, 0, 0});
  const auto cell = [](std::uint32_t first) {
    return TetMesh::Cell{VertexId(first), VertexId(first + 1), VertexId(first + 2), VertexId(first + 3)};
  };
  mesh.cells = {cell(0), cell(1)};
  std::uint32_t sum = 0;
  for (const VertexId v : mesh.vertices()) sum += v.index();
  EXPECT_EQ(sum, 0u + 1 + 2 + 3 + 4);
  std::vector<TetId> tets;
  for (const TetId t : mesh.cell_ids()) tets.push_back(t);
  EXPECT_EQ(tets, (std::vector<TetId>{TetId(0), TetId(1)}));
}

TEST(Grid, CountsPointsAndCells) {
  Grid grid;
  EXPECT_EQ(grid.cell_count(), 0u);  // a single point
  grid.dims = {4, 3, 1};
  EXPECT_EQ(grid.vertex_count(), 12u);
  EXPECT_EQ(grid.cell_count(), 6u);  // pixels
  grid.dims = {4, 3, 2};
  EXPECT_EQ(grid.cell_count(), 6u);  // voxels
}

TEST(Grid, PointsAreTurnedByTheDirection) {
  Grid grid;
  grid.origin = {10, 20, 30};
  grid.spacing = {1, 2, 3};
  EXPECT_EQ(grid.point(1, 1, 1), (Vec3d{11, 22, 33}));
  grid.direction = {0, -1, 0, 1, 0, 0, 0, 0, 1};  // a quarter turn about z
  EXPECT_EQ(grid.point(1, 1, 1), (Vec3d{8, 21, 33}));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/// Ends with 0 if the copy of something large is refused as it should be.
template <class T>
void copy_without_memory(const T& original) {
  const rlimit little = {1 << 20, RLIM_INFINITY};
  setrlimit(RLIMIT_DATA, &little);
  try {
    const T copy = original;
    std::_Exit(copy.size() > 0 ? 1 : 2);
  } catch (const std::bad_alloc&) {
    std::_Exit(0);
  }
}

TEST(Field, CopiesThatDoNotFitAreRefused) {
  const Field field("x", ScalarType::f32, std::size_t{1} << 24);
  EXPECT_EXIT(copy_without_memory(field), testing::ExitedWithCode(0), "");
  const Points points(Array<Vec3f>(std::size_t{1} << 22));
  EXPECT_EXIT(copy_without_memory(points), testing::ExitedWithCode(0), "");
}
#endif

}  // namespace
}  // namespace tessera
