// Push on a device: the same function over the same rows gives the host's bytes.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <tessera/exec/buffer.h>
#include <tessera/mesh/doctor.h>
#include <tessera/mesh/make.h>
#include <tessera/tile/links.h>
#include <tessera/tile/materialize.h>
#include <tessera/tile/push.cuh>

#include "tile/oracle.h"

namespace tessera {
namespace {

/// A hash of the rows of each element, which depends on the order of entries.
template <class R, int Dim>
std::vector<std::uint64_t> hash_rows(const TiledMesh<Dim>& tiles, const PushOptions<Dim>& options,
                                     std::size_t elements) {
  using Row = typename R::TiledRow;
  using Entry = typename R::TiledEntry;
  std::vector<std::uint64_t> zeros(elements, 0);
  Buffer<std::uint64_t> hashes(options.exec, std::span<const std::uint64_t>(zeros));
  std::uint64_t* out = hashes.data();
  for_each<R>(
      tiles, options, TS_LAMBDA(Row id, IdSpan<Entry> row) {
        std::uint64_t hash = 1 + row.size();
        for (const Entry entry : row) hash = 0x9E3779B97F4A7C15u * (hash + entry.index()) ^ hash >> 29;
        out[id.index()] += hash;
      });
  const Array<std::uint64_t> host = hashes.to_host();
  return {host.begin(), host.end()};
}

/// Sums over two relations at once.
template <class A, class B, int Dim>
std::vector<std::uint64_t> hash_two(const TiledMesh<Dim>& tiles, const PushOptions<Dim>& options,
                                    std::size_t elements) {
  using Row = typename A::TiledRow;
  using First = typename A::TiledEntry;
  using Second = typename B::TiledEntry;
  std::vector<std::uint64_t> zeros(elements, 0);
  Buffer<std::uint64_t> hashes(options.exec, std::span<const std::uint64_t>(zeros));
  std::uint64_t* out = hashes.data();
  for_each<A, B>(
      tiles, options, TS_LAMBDA(Row id, IdSpan<First> first, IdSpan<Second> second) {
        std::uint64_t hash = first.size() + 1000 * second.size();
        for (const First entry : first) hash = 31 * hash + entry.index();
        for (const Second entry : second) hash = 37 * hash + entry.index();
        out[id.index()] += hash;
      });
  const Array<std::uint64_t> host = hashes.to_host();
  return {host.begin(), host.end()};
}

class PushOnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (devices().empty()) GTEST_SKIP() << no_device_reason();
  }
};

template <Kind K, int Dim>
std::size_t count_of(const TiledMesh<Dim>& tiles, const Enumeration<Dim>& enumeration) {
  if constexpr (K == Kind::vertex) return tiles.vertex_count();
  if constexpr (static_cast<int>(K) == Dim) return tiles.cell_count();
  return K == Kind::edge ? enumeration.edge_count() : enumeration.face_count();
}

template <class R, int Dim>
void expect_equal(const TiledMesh<Dim>& tiles, const Enumeration<Dim>& enumeration, const std::string& what) {
  const std::size_t n = count_of<R::from>(tiles, enumeration);
  const auto host =
      hash_rows<R>(tiles, PushOptions<Dim>{.exec = Exec::host(2), .enumeration = &enumeration}, n);
  const auto device = hash_rows<R>(tiles, PushOptions<Dim>{.exec = Exec::cuda(0, 2)}, n);
  EXPECT_EQ(host, device) << what;
  std::vector<std::uint32_t> active;
  for (std::uint32_t i = 3; i < n; i += 1 + i % 97) active.push_back(i);
  const std::span<const std::uint32_t> chosen(active);
  const auto some = hash_rows<R>(tiles, PushOptions<Dim>{.exec = Exec::cuda(0, 2), .active = chosen}, n);
  std::vector<std::uint64_t> expected(n, 0);
  for (const std::uint32_t i : active) expected[i] = host[i];
  EXPECT_EQ(some, expected) << what << ", some elements";
}

/// `is_huge`: elements have too many neighbours of their kind to look at.
template <int Dim>
void expect_all_equal(const SimplexMesh<Dim>& mesh, const std::string& name, bool is_huge = false) {
  for (const bool is_resident : {true, false}) {
    const TiledMesh<Dim> tiles =
        tile(mesh, {.max_vertices = 100, .exec = is_resident ? Exec::cuda(0, 2) : Exec::host(2)});
    EXPECT_EQ(tiles.validate(mesh), 0) << name;
    const auto enumeration = Enumeration<Dim>::make_explicit(tiles);
    for_each_relation<Dim>([&](auto relation, std::string_view relation_name) {
      using R = decltype(relation);
      if (is_huge && R::is_adjacency && R::from != Kind::vertex) return;
      expect_equal<R>(tiles, enumeration, name + ", " + std::string(relation_name));
    });
    expect_equal<VertexLink<Dim>>(tiles, enumeration, name + ", vertex links");
    expect_equal<EdgeLink<Dim>>(tiles, enumeration, name + ", edge links");
    if constexpr (Dim == 3) {
      expect_equal<FaceLink<3>>(tiles, enumeration, name + ", face links");
      expect_equal<OrientedTV>(tiles, enumeration, name + ", oriented TV");
      const auto host = hash_two<VV, VT>(tiles, PushOptions<3>{.exec = Exec::host(2)}, tiles.vertex_count());
      EXPECT_EQ(host, (hash_two<VV, VT>(tiles, PushOptions<3>{.exec = Exec::cuda()}, tiles.vertex_count())));
    } else {
      expect_equal<OrientedFV>(tiles, enumeration, name + ", oriented FV");
      expect_equal<CyclicVV>(tiles, enumeration, name + ", cyclic VV");
      const std::size_t edges = enumeration.edge_count();
      const auto host = hash_two<EV, EF>(tiles, PushOptions<2>{.exec = Exec::host(2)}, edges);
      EXPECT_EQ(host, (hash_two<EV, EF>(tiles, PushOptions<2>{.exec = Exec::cuda()}, edges)));
    }
  }
}

/// A fan of `n` triangles around one vertex, closed or open.
TriMesh make_fan(std::uint32_t n, bool is_closed) {
  TriMesh fan;
  Array<Vec3f> points(n + 1);
  for (std::uint32_t i = 0; i <= n; ++i)
    points[i] = {static_cast<float>(i % 317), static_cast<float>(i / 317), 0};
  fan.points = std::move(points);
  for (std::uint32_t i = 1; i <= n; ++i) {
    if (i == n && !is_closed) break;
    fan.cells.push_back({VertexId(i == n ? 1 : i + 1), VertexId(0), VertexId(i)});
  }
  return fan;
}

TEST_F(PushOnDevice, Solids) {
  expect_all_equal(make_shuffled(make_kuhn(9)), "kuhn 9");
  expect_all_equal(oracle::random_mesh<3>(40, 150, 1), "random");
  expect_all_equal(make_small_solid("isolated_vertices"), "isolated vertices");
  expect_all_equal(make_small_solid("cone"), "cone");
}

TEST_F(PushOnDevice, Surfaces) {
  expect_all_equal(make_shuffled(make_torus(60, 31)), "torus");
  expect_all_equal(oracle::random_mesh<2>(60, 150, 2), "random surface");
}

TEST_F(PushOnDevice, StarsOfTenThousandNeighbours) {
  expect_all_equal(make_fan(10000, true), "closed fan", true);
  expect_all_equal(make_fan(10000, false), "open fan", true);
}

TEST_F(PushOnDevice, NoElementsIsNothing) {
  const TriMesh mesh = make_torus(8, 8);
  const TiledMesh<2> tiles = tile(mesh, {.exec = Exec::cuda()});
  const std::span<const std::uint32_t> none;
  const auto hashes = hash_rows<VF>(tiles, PushOptions<2>{.exec = Exec::cuda(), .active = none}, 64);
  EXPECT_EQ(hashes, std::vector<std::uint64_t>(64, 0));
}

TEST_F(PushOnDevice, StopsOnRequest) {
  const TriMesh mesh = make_torus(8, 8);
  const TiledMesh<2> tiles = tile(mesh, {.exec = Exec::cuda()});
  std::stop_source source;
  source.request_stop();
  const Monitor monitor{{}, source.get_token()};
  EXPECT_THROW((void)hash_rows<VF>(tiles, PushOptions<2>{.exec = Exec::cuda(), .monitor = &monitor}, 64),
               Error);
}

TEST_F(PushOnDevice, MaterializeMakesTheSameRows) {
  const TetMesh mesh = make_shuffled(make_kuhn(9));
  const TiledMesh<3> tiles = tile(mesh, {.max_vertices = 100});
  const auto enumeration = Enumeration<3>::make_explicit(tiles);
  EXPECT_EQ((materialize<VV>(tiles, enumeration, {.exec = Exec::cuda()})),
            (materialize<VV>(tiles, enumeration)));
  EXPECT_EQ((materialize<FE>(tiles, enumeration, {.exec = Exec::cuda()})),
            (materialize<FE>(tiles, enumeration)));
}

// What a device cannot do is refused, not done somewhere else.
TEST_F(PushOnDevice, FunctionsOfTheHostRefuseADevice) {
  const Exec device = Exec::cuda();
  const TriMesh mesh = make_torus(8, 8);
  const TiledMesh<2> tiles = tile(mesh);
  const auto enumeration = Enumeration<2>::make_explicit(tiles);
  const auto expect_refused = [](const auto& call) {
    try {
      call();
      ADD_FAILURE() << "not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::unsupported);
    }
  };
  expect_refused([&] { (void)diagnose(mesh, {.exec = device}); });
  expect_refused([&] { (void)make_kuhn(4, {.exec = device}); });
  expect_refused([&] { (void)partition_octree(mesh.points, 10, device); });
  expect_refused([&] { (void)Enumeration<2>::make_explicit(tiles, device); });
  expect_refused([&] { (void)materialize_boundary<Kind::vertex>(tiles, enumeration, {.exec = device}); });
  expect_refused([&] { (void)materialize_links<EdgeLink<2>>(tiles, enumeration, {.exec = device}); });
}

}  // namespace
}  // namespace tessera
