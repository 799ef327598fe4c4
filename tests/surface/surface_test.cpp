// Surfaces: every query against its definition, attributes, and the memory that rows may take.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/core/random.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/attribute.h>
#include <tessera/surface/surface.h>

#include "surface/surface_meshes.h"
#include "surface/surface_rows.h"
#include "tile/oracle.h"

namespace tessera {
namespace {

using test::Lists;
using test::lists_of;
using test::make_confetti;
using test::make_fan;
using Triangle = std::array<std::uint32_t, 3>;

/// Tiled number of each input vertex.
std::vector<std::uint32_t> numbers_of(const Surface& surface) {
  std::vector<std::uint32_t> number(surface.vertex_count());
  const auto to_input = surface.to_input(Kind::vertex);
  for (std::uint32_t v = 0; v < number.size(); ++v) number[to_input.empty() ? v : to_input[v]] = v;
  return number;
}

/// The input's triangles in the surface's numbers and order, each from its lowest corner on.
std::vector<Triangle> wound_triangles(const TriMesh& mesh, const std::vector<std::uint32_t>& number) {
  std::vector<Triangle> triangles;
  for (const auto& cell : mesh.cells) {
    Triangle t = {number[cell[0].index()], number[cell[1].index()], number[cell[2].index()]};
    std::rotate(t.begin(), std::min_element(t.begin(), t.end()), t.end());
    triangles.push_back(t);
  }
  std::sort(triangles.begin(), triangles.end(), [](Triangle a, Triangle b) {
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    return a < b;
  });
  return triangles;
}

Lists expected_diamonds(const std::vector<Triangle>& triangles) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::array<std::vector<std::uint32_t>, 2>> sides;
  for (const Triangle& t : triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t from = t[k];
      const std::uint32_t to = t[(k + 1) % 3];
      sides[std::minmax(from, to)][from < to ? 0 : 1].push_back(t[(k + 2) % 3]);
    }
  }
  Lists rows;
  constexpr std::uint32_t none = 0xFFFFFFFFu;
  for (const auto& [edge, side] : sides) {
    const bool has_sides = side[0].size() <= 1 && side[1].size() <= 1;
    const auto at = [&, side = side](std::size_t k) {
      return has_sides && !side[k].empty() ? side[k][0] : none;
    };
    rows.push_back({edge.first, edge.second, at(0), at(1)});
  }
  return rows;
}

/// Rings by walking from neighbour to neighbour.
Lists expected_rings(const std::vector<Triangle>& triangles, std::size_t vertices) {
  std::vector<std::multimap<std::uint32_t, std::uint32_t>> arcs(vertices);
  std::vector<std::set<std::uint32_t>> neighbours(vertices);
  for (const Triangle& t : triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      arcs[t[k]].insert({t[(k + 1) % 3], t[(k + 2) % 3]});
      neighbours[t[k]].insert({t[(k + 1) % 3], t[(k + 2) % 3]});
    }
  }
  Lists rows(vertices);
  for (std::size_t v = 0; v < vertices; ++v) {
    if (neighbours[v].empty()) continue;
    std::set<std::uint32_t> ends;
    for (const auto& [from, to] : arcs[v]) ends.insert(to);
    std::uint32_t at = *neighbours[v].begin();
    for (const std::uint32_t u : neighbours[v]) {
      if (!ends.contains(u)) {
        at = u;
        break;
      }
    }
    std::vector<std::uint32_t> ring;
    std::set<std::uint32_t> met;
    while (met.insert(at).second) {
      ring.push_back(at);
      if (arcs[v].count(at) != 1) break;
      at = arcs[v].find(at)->second;
    }
    const bool is_closed = arcs[v].size() == neighbours[v].size();
    const bool is_open = arcs[v].size() + 1 == neighbours[v].size();
    bool is_ring = ring.size() == neighbours[v].size() && (is_closed || is_open);
    for (const std::uint32_t u : neighbours[v]) is_ring &= arcs[v].count(u) <= 1;
    if (is_ring) rows[v] = ring;
  }
  return rows;
}

/// A triangle that steps from a to b has the edge ab with the sign 1 if a < b, else -1.
template <class R>
void expect_signs(const Surface& surface, const std::vector<Triangle>& triangles,
                  const oracle::Complex& complex) {
  for_each<R, OrientedFV>(
      surface, [&](tiled::FaceId f, IdSpan<tiled::EdgeId> edges, IdSpan<tiled::VertexId> corners) {
        const Triangle& t = triangles[f.index()];
        std::map<oracle::Simplex, int> signs;
        for (std::size_t k = 0; k < 3; ++k) {
          const std::uint32_t from = t[k];
          const std::uint32_t to = t[(k + 1) % 3];
          signs[{std::min(from, to), std::max(from, to)}] = from < to ? 1 : -1;
        }
        for (std::size_t k = 0; k < 3; ++k)
          EXPECT_EQ(edge_sign<R>(corners, k), signs.at(complex.simplex(1, edges[k].index()))) << f.index();
      });
}

void expect_definitions(const TriMesh& mesh, const std::string& name, const SurfaceOptions& options) {
  SCOPED_TRACE(name);
  const Surface surface(mesh, options);
  const auto number = numbers_of(surface);
  const oracle::Complex complex(mesh, number);
  for_each_relation<2>([&]<class R>(R, std::string_view relation) {
    EXPECT_EQ(lists_of<R>(surface), complex.relation(static_cast<int>(R::from), static_cast<int>(R::to)))
        << relation;
  });
  EXPECT_EQ(lists_of<VertexLink<2>>(surface), complex.links(0));
  EXPECT_EQ(lists_of<EdgeLink<2>>(surface), complex.links(1));
  const auto triangles = wound_triangles(mesh, number);
  const Lists corners = lists_of<OrientedFV>(surface);
  const Lists sides = lists_of<OrientedFE>(surface);
  ASSERT_EQ(corners.size(), triangles.size());
  for (std::size_t f = 0; f < triangles.size(); ++f) {
    EXPECT_TRUE(std::ranges::equal(corners[f], triangles[f])) << "face " << f;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [low, high] = std::minmax(triangles[f][k], triangles[f][(k + 1) % 3]);
      EXPECT_EQ(complex.simplex(1, sides[f][k]), (oracle::Simplex{low, high})) << "face " << f;
    }
  }
  expect_signs<FE>(surface, triangles, complex);
  expect_signs<OrientedFE>(surface, triangles, complex);
  EXPECT_EQ(lists_of<Diamond>(surface), expected_diamonds(triangles));
  EXPECT_EQ(lists_of<CyclicVV>(surface), expected_rings(triangles, mesh.vertex_count()));
}

void expect_definitions(const TriMesh& mesh, const std::string& name) {
  for (const VertexOrder order : {VertexOrder::input, VertexOrder::morton, VertexOrder::lloyd}) {
    for (const std::uint32_t size : {1u, 7u, 512u}) {
      expect_definitions(mesh, name, {.exec = Exec::host(2), .max_vertices = size, .order = order});
    }
  }
  const Partition partition = test::scatter_vertices(mesh, 5);
  expect_definitions(mesh, name, {.exec = Exec::host(2), .partition = &partition});
}

TEST(Surface, QueriesFollowTheirDefinitions) {
  for (const char* name : {"triangle", "two_triangles", "moebius", "pinched_vertex", "three_face_fan",
                           "bow_tie", "isolated_vertices", "two_components", "octahedron"}) {
    expect_definitions(make_small_surface(name), name);
  }
  expect_definitions(make_shuffled(make_torus(13, 7)), "torus");
  expect_definitions(make_height_field(9, 8), "height field");
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    expect_definitions(oracle::random_mesh<2>(30, 10 + 40 * seed, seed), "random " + std::to_string(seed));
  }
  expect_definitions(make_fan(300), "fan");
  expect_definitions(TriMesh{}, "empty");
}

TEST(Surface, ManyComponentsAndHugeStars) {
  const TriMesh confetti = make_confetti(100000);
  const Surface pieces(confetti);
  EXPECT_EQ(pieces.edge_count(), 300000u);
  for (const auto& row : lists_of<FF>(pieces)) ASSERT_TRUE(row.empty());
  for (const auto& row : lists_of<CyclicVV>(pieces)) ASSERT_EQ(row.size(), 2u);
  const TriMesh fan = make_fan(100000);
  const Surface star(fan);
  EXPECT_EQ(star.edge_count(), 200000u);
  std::size_t longest = 0;
  for (const auto& row : lists_of<CyclicVV>(star)) longest = std::max(longest, row.size());
  EXPECT_EQ(longest, 100000u);
}

TEST(Surface, VisitsEveryElementOrTheActiveOnes) {
  const TriMesh mesh = make_shuffled(make_torus(40, 30));
  const Surface surface(mesh, {.exec = Exec::host(3)});
  std::vector<std::atomic<int>> visits(surface.vertex_count());
  const Lists neighbours = lists_of<VV>(surface);
  const Lists faces = lists_of<VF>(surface);
  for_each<VV, VF>(surface,
                   [&](tiled::VertexId v, IdSpan<tiled::VertexId> around, IdSpan<tiled::FaceId> star) {
                     ++visits[v.index()];
                     EXPECT_TRUE(std::ranges::equal(around.indices(), neighbours[v.index()]));
                     EXPECT_TRUE(std::ranges::equal(star.indices(), faces[v.index()]));
                   });
  for (const auto& count : visits) ASSERT_EQ(count, 1);
  const std::vector<std::uint32_t> active = {17, 3, 1000};
  for_each<VV>(surface, {.active = active},
               [&](tiled::VertexId v, IdSpan<tiled::VertexId>) { ++visits[v.index()]; });
  for (std::uint32_t v = 0; v < visits.size(); ++v)
    EXPECT_EQ(visits[v], std::ranges::count(active, v) + 1) << v;
}

TEST(Surface, RowsOfSeveralKindsGoIntoOneLoop) {
  const TriMesh mesh = make_torus(12, 9);
  const Surface surface(mesh);
  const auto rows = surface.rows<EF, FV>();
  const auto [ef, fv] = rows.all();
  for (std::uint32_t e = 0; e < ef.size(); ++e) {
    ASSERT_EQ(ef[tiled::EdgeId(e)].size(), 2u);
    for (const tiled::FaceId f : ef[tiled::EdgeId(e)]) EXPECT_EQ(fv[f].size(), 3u);
  }
}

TEST(Surface, RowsStayWithinTheMemoryAllowed) {
  const TriMesh mesh = make_shuffled(make_torus(60, 50));
  Bytes structure = 0;
  Bytes edges = 0;
  Bytes vv = 0;
  {
    const Surface free(mesh);
    const SurfaceBytes own = free.bytes();
    structure = own.structure + own.input_ids;
    (void)free.edge_count();
    edges = free.bytes().rows;
    (void)free.rows<VV>();
    vv = free.bytes().rows - edges;
  }
  EXPECT_GT(vv, 0u);
  // Room for the edges and two relations of that size: a third makes the oldest go.
  const Bytes room = structure + edges + 2 * vv + vv / 2;
  const Surface surface(mesh, {.memory = room});
  const auto held = surface.rows<VV>();
  const Lists before = lists_of<VV>(surface);
  (void)surface.rows<VE>();
  (void)surface.rows<VF>();
  const SurfaceBytes all = surface.bytes();
  EXPECT_LE(all.structure + all.input_ids + all.rows, room);
  EXPECT_EQ(held.get<VV>()[tiled::VertexId(5)].size(), before[5].size());  // still readable: it is held
  EXPECT_EQ(lists_of<VV>(surface), before);
  try {
    const Surface small(mesh, {.memory = structure + 10});
    (void)small.rows<VV>();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
    EXPECT_NE(std::string(error.what()).find("VV"), std::string::npos) << error.what();
  }
}

TEST(Surface, RowsOutliveTheSurface) {
  const TriMesh mesh = make_shuffled(make_torus(20, 10));
  const Surface surface(mesh);
  const Lists expected = lists_of<FV>(surface);
  const auto held = [&] { return Surface(mesh).rows<FV, OrientedFV, VF>(); }();
  for (std::uint32_t f = 0; f < mesh.cell_count(); ++f) {
    const auto row = held.get<FV>()[tiled::FaceId(f)];
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(row[k].index(), expected[f][k]);
  }
}

TEST(Surface, WhatCallersHoldCounts) {
  const TriMesh mesh = make_torus(30, 20);
  const Surface free(mesh, {.order = VertexOrder::input});
  const SurfaceBytes own = free.bytes();
  (void)free.rows<VF>();
  const Bytes vf = free.bytes().rows;
  // Room for one relation of that size and half of another; neither of these numbers edges.
  const Surface surface(mesh,
                        {.memory = own.structure + own.input_ids + vf + vf / 2, .order = VertexOrder::input});
  const auto walked = [&] {
    std::uint64_t sum = 0;
    for_each<VF, VV>(surface, [&](tiled::VertexId, auto faces, auto neighbours) {
      std::atomic_ref(sum).fetch_add(faces.size() + neighbours.size());
    });
    return sum;
  };
  EXPECT_EQ(walked(), 2 * 3 * mesh.cell_count()) << "both do not fit and are walked over";
  EXPECT_FALSE((surface.can_keep<VF, VV>()));
  EXPECT_TRUE(surface.can_keep<VF>());
  try {
    const auto rows = surface.rows<VF, VV>();
    FAIL() << "more than is allowed";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
  }
  {
    const auto held = surface.rows<VF>();
    EXPECT_FALSE(surface.can_keep<VV>());
    EXPECT_EQ(held.get<VF>().size(), mesh.vertex_count());
  }
  EXPECT_LE(surface.bytes().rows, vf + vf / 2);
}

TEST(Surface, TheStructureMustFit) {
  const TriMesh mesh = make_torus(30, 20);
  try {
    const Surface surface(mesh, {.memory = 1000});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
    EXPECT_NE(std::string(error.what()).find("1000"), std::string::npos) << error.what();
  }
}

/// A surface whose rows do not fit.
Surface make_tight(const TriMesh& mesh, SurfaceOptions options = {.order = VertexOrder::morton}) {
  const SurfaceBytes own = Surface(mesh, options).bytes();
  options.memory = own.structure + own.input_ids + 100;
  return Surface(mesh, options);
}

TEST(Surface, WhatDoesNotFitIsWorkedOutTileByTile) {
  const TriMesh mesh = make_shuffled(make_torus(60, 50));
  const auto sums_of = [](const Surface& surface, const QueryOptions& options) {
    VertexAttribute<std::uint32_t> sums(surface);
    const auto out = sums.view();
    for_each<VV, VF>(surface, options,
                     [=](tiled::VertexId v, IdSpan<tiled::VertexId> around, IdSpan<tiled::FaceId> faces) {
                       std::uint32_t sum = 1;
                       for (const tiled::VertexId u : around) sum = 31 * sum + u.index();
                       for (const tiled::FaceId f : faces) sum = 37 * sum + f.index();
                       out[v] = sum;
                     });
    return sums.values();
  };
  const Partition partition = test::scatter_vertices(mesh, 9);
  for (const SurfaceOptions& options : {SurfaceOptions{.order = VertexOrder::morton},
                                        SurfaceOptions{.max_vertices = 100, .order = VertexOrder::lloyd},
                                        SurfaceOptions{.partition = &partition}}) {
    const Surface roomy(mesh, options);
    const Surface tight = make_tight(mesh, options);
    EXPECT_TRUE(roomy.can_keep<VV>());
    EXPECT_FALSE(tight.can_keep<VV>());
    EXPECT_EQ(sums_of(tight, {}), sums_of(roomy, {}));
    const std::vector<std::uint32_t> active = {800, 3, 17};
    EXPECT_EQ(sums_of(tight, {.active = active}), sums_of(roomy, {.active = active}));
  }
}

TEST(Surface, WhatTilesDoNotMakeMustFit) {
  const TriMesh mesh = make_shuffled(make_torus(60, 50));
  const Surface tight = make_tight(mesh);
  const auto code_of = [](const auto& ask) {
    try {
      ask();
    } catch (const Error& error) {
      return error.code();
    }
    ADD_FAILURE() << "no error";
    return ErrorCode::unsupported;
  };
  EXPECT_EQ(code_of([&] { for_each<Diamond>(tight, [](tiled::EdgeId, IdSpan<tiled::VertexId>) {}); }),
            ErrorCode::out_of_memory);
  EXPECT_EQ(code_of([&] { for_each<OrientedFE>(tight, [](tiled::FaceId, IdSpan<tiled::EdgeId>) {}); }),
            ErrorCode::out_of_memory);
  EXPECT_EQ(code_of([&] { (void)tight.rows<VV>(); }), ErrorCode::out_of_memory);
}

// Where rows are worked out tile by tile, the predicate makes the list of active elements before any tile is.
TEST(Surface, PredicatesChooseTheTiles) {
  const TriMesh mesh = make_shuffled(make_torus(60, 50));
  const Surface roomy(mesh, {.order = VertexOrder::morton});
  const Surface tight = make_tight(mesh, {.exec = Exec::host(3), .order = VertexOrder::morton});
  const Lists ends = lists_of<EV>(roomy);
  const Lists faces = lists_of<EF>(roomy);
  for (const std::uint32_t modulus : {1u, 1000u, 1000000u}) {  // all, some, none
    std::atomic<std::size_t> asked{0};
    std::vector<std::atomic<int>> visits(ends.size());
    const auto is_chosen = [=](std::uint32_t e) { return e % modulus == modulus - 1; };
    for_each_if<EV, EF>(
        tight,
        [&](tiled::EdgeId e) {
          ++asked;
          return is_chosen(e.index());
        },
        [&](tiled::EdgeId e, IdSpan<tiled::VertexId> edge, IdSpan<tiled::FaceId> around) {
          EXPECT_EQ(asked, ends.size());
          ++visits[e.index()];
          EXPECT_TRUE(std::ranges::equal(edge.indices(), ends[e.index()]));
          EXPECT_TRUE(std::ranges::equal(around.indices(), faces[e.index()]));
        });
    EXPECT_EQ(asked, ends.size());
    for (std::uint32_t e = 0; e < visits.size(); ++e) ASSERT_EQ(visits[e], is_chosen(e) ? 1 : 0) << e;
  }
}

TEST(Surface, PredicatesAndFlagsMakeActiveSets) {
  const TriMesh mesh = make_height_field(20, 15);
  const Surface surface(mesh);
  const auto on_boundary = boundary_flags<VertexId>(surface);
  const auto flag = on_boundary.view();
  std::atomic<int> by_predicate{0};
  for_each_if<VV>(
      surface, [=](tiled::VertexId v) { return flag[v] != 0; },
      [&](tiled::VertexId, IdSpan<tiled::VertexId>) { ++by_predicate; });
  const Buffer<std::uint32_t> active = select(on_boundary);
  std::atomic<int> by_list{0};
  for_each<VV>(surface, {.active = active.span()},
               [&](tiled::VertexId, IdSpan<tiled::VertexId>) { ++by_list; });
  EXPECT_EQ(by_predicate, 2 * (20 + 15) - 4);  // the rim of 20 x 15 vertices
  EXPECT_EQ(by_list, by_predicate);
}

TEST(Surface, BoundariesAndValencesFollowTheirDefinitions) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const TriMesh mesh =
        seed == 0 ? make_height_field(9, 8) : oracle::random_mesh<2>(30, 10 + 15 * seed, seed);
    const Surface surface(mesh, {.order = VertexOrder::morton});
    const oracle::Complex complex(mesh, numbers_of(surface));
    const auto list_of = [](const auto& attribute) {
      const auto values = attribute.on_host();
      return std::vector<std::uint8_t>(values.begin(), values.end());
    };
    EXPECT_EQ(list_of(boundary_flags<VertexId>(surface)), complex.boundary(0));
    EXPECT_EQ(list_of(boundary_flags<EdgeId>(surface)), complex.boundary(1));
    EXPECT_EQ(list_of(boundary_flags<FaceId>(surface)), complex.boundary(2));
    const auto edges = complex.relation(0, 1);
    const auto counted = valences(surface);
    const auto counts = counted.on_host();
    for (std::size_t v = 0; v < edges.size(); ++v) EXPECT_EQ(counts[v], edges[v].size());
  }
}

TEST(Surface, BadMeshesAreRefused) {
  TriMesh mesh = make_small_surface("triangle");
  mesh.cells.push_back({VertexId(0), VertexId(0), VertexId(1)});
  EXPECT_THROW(Surface{mesh}, Error);
  mesh.cells.back() = {VertexId(0), VertexId(1), VertexId(99)};
  EXPECT_THROW(Surface{mesh}, Error);
  EXPECT_THROW((Surface{ResidentMesh<2, float>{}, SurfaceOptions{}}), Error);
}

TEST(Attributes, SpeakTheInputsOrder) {
  const TriMesh mesh = make_shuffled(make_torus(20, 15));
  const Surface surface(mesh, {.order = VertexOrder::morton});
  Array<std::array<float, 5>> input(mesh.vertex_count());
  for (std::size_t v = 0; v < input.size(); ++v) input[v].fill(static_cast<float>(v));
  const VertexAttribute<std::array<float, 5>> wide(surface, input);
  EXPECT_EQ(wide.values(), input);
  const auto number = numbers_of(surface);
  for (std::uint32_t v = 0; v < input.size(); ++v) EXPECT_EQ(wide.on_host()[number[v]], input[v]);

  const auto place = positions<double>(surface);
  const auto view = place.view();
  for (std::uint32_t v = 0; v < number.size(); ++v)
    EXPECT_EQ(view[tiled::VertexId(number[v])], mesh.points[VertexId(v)]);

  FaceAttribute<std::uint8_t> flag(surface, std::uint8_t{7});
  EXPECT_EQ(flag.values(), Array<std::uint8_t>(mesh.cell_count(), 7));
  flag.edit_on_host()[3] = 9;
  EXPECT_EQ(std::as_const(flag).view()[tiled::FaceId(3)], 9);

  const Field field = to_field(place, "place");
  EXPECT_EQ(field.components(), 3u);
  EXPECT_EQ((to_attribute<VertexId, Vec3d>(surface, field).values()), place.values());
  EXPECT_THROW((void)(to_attribute<VertexId, float>(surface, field)), Error);
  EXPECT_THROW((void)(to_attribute<FaceId, Vec3d>(surface, field)), Error);
}

TEST(Attributes, ReductionsHaveOneOrder) {
  const TriMesh mesh = make_torus(50, 40);
  SplitMix64 random(3);
  Array<double> values(mesh.vertex_count());
  for (double& value : values) value = random.uniform() - 0.5;
  values[77] = -2;
  values[1234] = 3;
  values[1900] = 3;
  values[11] = std::numeric_limits<double>::quiet_NaN();
  const auto of_threads = [&](int threads) {
    const Surface surface(mesh, {.exec = Exec::host(threads), .order = VertexOrder::input});
    Array<double> finite = values;
    finite[11] = 0;
    const VertexAttribute<double> clean(surface, finite);
    const VertexAttribute<double> holed(surface, values);
    EXPECT_EQ(max(holed).place, 1234u);
    EXPECT_EQ(max(holed).value, 3);
    EXPECT_EQ(min(holed).place, 77u);
    EXPECT_NEAR(sum(clean), std::accumulate(finite.begin(), finite.end(), 0.0), 1e-9);
    EXPECT_NEAR(norm(clean), std::sqrt(std::inner_product(finite.begin(), finite.end(), finite.begin(), 0.0)),
                1e-9);
    return std::array{sum(clean), dot(clean, clean)};
  };
  EXPECT_EQ(of_threads(1), of_threads(4));
  const Surface surface(mesh);
  const EdgeAttribute<std::uint32_t> ones(surface, 1u);
  EXPECT_EQ(sum(ones), surface.edge_count());
  const TriMesh nothing;
  const Surface empty(nothing);
  EXPECT_EQ(sum(VertexAttribute<float>(empty)), 0.0F);
  EXPECT_EQ(max(VertexAttribute<float>(empty)).place, 0u);
}

/// The numbers 1, 2, 3, ... of which all components of all elements together are made.
template <class T>
Array<T> count_up(std::size_t size) {
  using Scalar = typename detail::FieldTraits<T>::Scalar;
  Array<T> values(size);
  auto* numbers = reinterpret_cast<Scalar*>(values.data());
  for (std::size_t i = 0; i < size * detail::FieldTraits<T>::components; ++i)
    numbers[i] = static_cast<Scalar>(i % 100 + 1);
  return values;
}

template <class T>
void expect_reductions_of_numbers(const Surface& surface) {
  const Array<T> values = count_up<T>(surface.vertex_count());
  std::uint64_t total = 0;
  std::uint64_t squares = 0;
  for (const T value : values) total += static_cast<std::uint64_t>(value);
  for (const T value : values)
    squares += static_cast<std::uint64_t>(value) * static_cast<std::uint64_t>(value);
  const VertexAttribute<T> a(surface, values);
  EXPECT_EQ(static_cast<double>(sum(a)), static_cast<double>(total));
  EXPECT_EQ(static_cast<double>(dot(a, a)), static_cast<double>(squares));
  EXPECT_NEAR(norm(a), std::sqrt(static_cast<double>(squares)), 1e-3);
  EXPECT_EQ(min(a).value, T{1});
  EXPECT_EQ(min(a).place, 0u);
  EXPECT_EQ(max(a).value, T{100});
  EXPECT_EQ(max(a).place, 99u);
}

TEST(Attributes, NumbersOfAllTypesAreReduced) {
  const TriMesh mesh = make_torus(30, 20);
  const Surface surface(mesh, {.exec = Exec::host(2), .order = VertexOrder::input});
  expect_reductions_of_numbers<std::int8_t>(surface);
  expect_reductions_of_numbers<std::uint8_t>(surface);
  expect_reductions_of_numbers<std::int16_t>(surface);
  expect_reductions_of_numbers<std::uint16_t>(surface);
  expect_reductions_of_numbers<std::int32_t>(surface);
  expect_reductions_of_numbers<std::uint32_t>(surface);
  expect_reductions_of_numbers<std::int64_t>(surface);
  expect_reductions_of_numbers<std::uint64_t>(surface);
  expect_reductions_of_numbers<float>(surface);
  expect_reductions_of_numbers<double>(surface);
  const VertexAttribute<std::int32_t> large(surface, std::int32_t{-2000000000});  // more than 32 bits in all
  EXPECT_EQ(sum(large), -2000000000 * static_cast<std::int64_t>(surface.vertex_count()));
  EXPECT_EQ(sum(boundary_flags<EdgeId>(surface)), 0u);
}

// Each component has the bytes that an attribute of it alone has.
TEST(Attributes, ComponentsAreSummedAlone) {
  const TriMesh mesh = make_shuffled(make_torus(70, 50));
  const Surface surface(mesh, {.exec = Exec::host(2), .order = VertexOrder::morton});
  const auto place = positions<float>(surface);
  const Vec3f total = sum(place);
  const float components[3] = {total.x, total.y, total.z};
  for (std::size_t k = 0; k < 3; ++k) {
    Array<float> alone;
    for (const Vec3f& p : place.values()) alone.push_back(k == 0 ? p.x : k == 1 ? p.y : p.z);
    EXPECT_EQ(components[k], sum(VertexAttribute<float>(surface, alone))) << k;
  }
  const Array<std::array<std::uint8_t, 5>> counts =
      count_up<std::array<std::uint8_t, 5>>(surface.face_count());
  std::array<std::uint64_t, 5> expected = {};
  for (const auto& tuple : counts) {
    for (std::size_t k = 0; k < 5; ++k) expected[k] += tuple[k];
  }
  EXPECT_EQ(sum(FaceAttribute<std::array<std::uint8_t, 5>>(surface, counts)), expected);
  EXPECT_EQ((sum(VertexAttribute<std::array<double, 1>>(surface, {0.5}))),
            (std::array<double, 1>{0.5 * static_cast<double>(surface.vertex_count())}));
  const TriMesh nothing;
  const Surface empty(nothing);
  EXPECT_EQ(sum(VertexAttribute<Vec3d>(empty)), (Vec3d{0, 0, 0}));
}

TEST(Attributes, ProductsNeedAsManyElements) {
  const TriMesh small = make_torus(9, 8);
  const TriMesh large = make_torus(10, 8);
  const VertexAttribute<float> a(Surface{small});
  const VertexAttribute<float> b(Surface{large});
  EXPECT_DEATH((void)dot(a, b), "broken contract");
}

TEST(Attributes, SumsByAtomicAddAreThoseOfTheGatheredForm) {
  const TriMesh mesh = make_shuffled(make_torus(30, 20));
  const Surface surface(mesh, {.exec = Exec::host(4)});
  VertexAttribute<std::uint32_t> scattered(surface);
  const auto out = scattered.view();
  for_each<FV>(surface, [=](tiled::FaceId f, IdSpan<tiled::VertexId> corners) {
    for (const tiled::VertexId v : corners) out.add(v, f.index());
  });
  for_each<VF>(surface, [=](tiled::VertexId v, IdSpan<tiled::FaceId> faces) {
    std::uint32_t sum = 0;
    for (const tiled::FaceId f : faces) sum += f.index();
    EXPECT_EQ(out[v], sum);
  });
}

}  // namespace
}  // namespace tessera
