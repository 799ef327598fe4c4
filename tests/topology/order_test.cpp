// The order of vertices: every type of values, ties, special values, and what is refused.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/topology/morse_smale.h>
#include <tessera/topology/order.h>

#include "topology/meshes.h"
#include "topology/morse_oracle.h"

namespace tessera {
namespace {

using namespace testing;

/// Keys compare like (value, input id), for every pair of vertices and any tiles.
void check_order(const Field& field) {
  const TetMesh mesh = make_mesh<3>(field.size(), {});
  const std::vector<std::uint32_t> ranks = oracle::ranks_of(field);
  for (const VertexOrder vertex_order : {VertexOrder::input, VertexOrder::morton}) {
    const TiledMesh<3> tiles = tile(mesh, {.max_vertices = 4, .order = vertex_order});
    for (const int threads : {1, 3}) {
      const OrderArray order = compute_order(tiles, field, Exec::host(threads));
      for (std::uint32_t a = 0; a < field.size(); ++a) {
        for (std::uint32_t b = 0; b < field.size(); ++b) {
          const auto key = [&](std::uint32_t v) { return order[tiles.tiled(VertexId(v))]; };
          ASSERT_EQ(key(a) < key(b), ranks[a] < ranks[b]) << a << " " << b;
          ASSERT_EQ(key(a) == key(b), a == b);
        }
      }
    }
  }
}

/// The extremes of a type, what lies beside them and around zero, and ties; then a few random ones.
template <class T>
Array<T> special_values() {
  using Limits = std::numeric_limits<T>;
  Array<T> values = {T{0},
                     Limits::max(),
                     Limits::lowest(),
                     T{1},
                     T{5},
                     T{0},
                     T{5},
                     Limits::max(),
                     T{3},
                     Limits::lowest(),
                     static_cast<T>(Limits::max() / 2),
                     Limits::min()};
  if constexpr (std::is_signed_v<T>) {
    for (const int value : {-1, -5, -3, -1}) values.push_back(static_cast<T>(value));
  }
  if constexpr (std::is_floating_point_v<T>) {
    for (const T value : {T(-0.0), Limits::infinity(), -Limits::infinity(), Limits::denorm_min(),
                          -Limits::denorm_min(), T(-0.0), T(0.5), Limits::epsilon(), -Limits::min(),
                          Limits::infinity(), std::nextafter(T{1}, T{2})}) {
      values.push_back(value);
    }
  }
  SplitMix64 random(9);
  for (int i = 0; i < 20; ++i) {
    if constexpr (std::is_floating_point_v<T>) {
      values.push_back(static_cast<T>(random.uniform() - 0.5));
    } else {
      values.push_back(static_cast<T>(random()));
    }
  }
  return values;
}

template <class T>
class VertexOrderOf : public ::testing::Test {};
using AllScalars = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                                    std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(VertexOrderOf, AllScalars);

TYPED_TEST(VertexOrderOf, ValueThenInputId) {
  check_order(Field("f", special_values<TypeParam>()));
  check_order(Field("f", Array<TypeParam>(10, TypeParam{7})));
  check_order(Field("f", Array<TypeParam>{}));
}

/// The same order in another type gives the same topology.
TYPED_TEST(VertexOrderOf, TopologyIsThatOfTheOrder) {
  const TetMesh mesh = make_kuhn(6);
  const Field tied = make_tied_field(mesh.vertex_count(), 100, 3);  // -1 to 98
  Array<TypeParam> values;
  for (const std::int32_t value : tied.as<std::int32_t>()) {
    values.push_back(static_cast<TypeParam>(value + (std::is_signed_v<TypeParam> ? 0 : 1)));
  }
  EXPECT_EQ(difference(compute_results(mesh, Field("f", values)), compute_results(mesh, tied)), "");
}

// Integers beyond 2^53 differ though their doubles do not.
TEST(VertexOrderOfWideIntegers, AreNotRounded) {
  const std::int64_t big = std::int64_t{1} << 60;
  check_order(Field("f", Array<std::int64_t>{big + 1, big, -big, -big - 1, big + 2}));
  const std::uint64_t top = std::uint64_t{1} << 63;
  check_order(Field("f", Array<std::uint64_t>{top + 1, top, top - 1, 0}));
}

template <class F>
std::string message_of(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    return error.what();
  }
  return "nothing was thrown";
}

/// Every entry refuses the field with the same words.
template <int Dim>
void expect_refused(const SimplexMesh<Dim>& mesh, const Field& field, const std::string& message) {
  for (const int threads : {1, 2, 7}) {
    const Exec exec = Exec::host(threads);
    const TiledMesh<Dim> tiles = tile(mesh, {.max_vertices = 16, .order = VertexOrder::morton});
    EXPECT_EQ(message_of([&] { (void)compute_order(tiles, field, exec); }), message);
    EXPECT_EQ(message_of([&] { (void)critical_points(tiles, field, {.exec = exec}); }), message);
    EXPECT_EQ(message_of([&] { (void)compute_gradient(tiles, field, {.exec = exec}); }), message);
    EXPECT_EQ(message_of([&] { (void)morse_smale(tiles, field, {.exec = exec}); }), message);
  }
}

TEST(VertexOrderErrors, NotANumber) {
  const TetMesh mesh = make_kuhn(6);
  const std::size_t n = mesh.vertex_count();
  const std::string of = " of " + std::to_string(n) + " vertices, first at vertex ";
  Array<float> values(n, 1.0f);
  values[n - 1] = std::numeric_limits<float>::quiet_NaN();
  expect_refused(mesh, Field("height", values),
                 "the field 'height' is not a number at 1" + of + std::to_string(n - 1) +
                     "; topology needs a value everywhere");
  values[5] = -std::numeric_limits<float>::quiet_NaN();
  values[40] = values[5];
  expect_refused(mesh, Field("height", values),
                 "the field 'height' is not a number at 3" + of + "5; topology needs a value everywhere");
  Array<double> wide(n, 0.0);
  wide[0] = std::numeric_limits<double>::signaling_NaN();
  expect_refused(mesh, Field("wide", wide),
                 "the field 'wide' is not a number at 1" + of + "0; topology needs a value everywhere");
}

TEST(VertexOrderErrors, SeveralComponents) {
  const TriMesh mesh = make_small_surface("octahedron");
  expect_refused(mesh, Field("velocity", Array<float>(18, 0.0f), 3),
                 "the field 'velocity' has 3 components; an order needs one");
  expect_refused(mesh, Field("pair", Array<float>(6, 0.0f), 2),
                 "the field 'pair' has 2 components; an order needs one");
}

TEST(VertexOrderErrors, WrongSize) {
  const TetMesh mesh = make_small_solid("two_tets");
  expect_refused(mesh, Field("f", Array<float>(4, 0.0f)),
                 "the field 'f' has 4 values, but the mesh has 5 vertices");
  expect_refused(mesh, Field("f", Array<float>{}), "the field 'f' has 0 values, but the mesh has 5 vertices");
  expect_refused(TetMesh{}, Field("f", Array<float>{1}),
                 "the field 'f' has 1 values, but the mesh has 0 vertices");
}

}  // namespace
}  // namespace tessera
