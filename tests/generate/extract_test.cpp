// Selections and extraction against plain loops and floods, and what they promise.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include <generate/complexes.h>
#include <tessera/core/error.h>
#include <tessera/core/random.h>
#include <tessera/generate/extract.h>
#include <tessera/mesh/make.h>

namespace tessera {
namespace {

using test::code_of;

using test::make_random_complex;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The cells of a flood through shared points, by the component's first cell.
template <int Dim>
std::vector<std::uint32_t> naive_first_cells(const SimplexMesh<Dim>& mesh, const Array<std::uint8_t>& among) {
  std::vector<std::uint32_t> first(mesh.cell_count(), Components::none);
  std::multimap<std::uint32_t, std::uint32_t> around;
  for (std::uint32_t c = 0; c < mesh.cell_count(); ++c) {
    for (const VertexId v : mesh.cells[c]) around.emplace(v.index(), c);
  }
  for (std::uint32_t c = 0; c < mesh.cell_count(); ++c) {
    std::vector<std::uint32_t> open = {c};
    while (!open.empty()) {
      const std::uint32_t here = open.back();
      open.pop_back();
      if (among[here] == 0 || first[here] != Components::none) continue;
      first[here] = c;
      for (const VertexId v : mesh.cells[here]) {
        for (auto [at, end] = around.equal_range(v.index()); at != end; ++at) open.push_back(at->second);
      }
    }
  }
  return first;
}

template <int Dim>
void expect_components(std::uint32_t points, std::uint32_t cells, std::uint64_t seed) {
  const SimplexMesh<Dim> mesh = make_random_complex<Dim>(points, cells, seed);
  SplitMix64 random(seed);
  Array<std::uint8_t> among(mesh.cell_count());
  for (std::uint8_t& flag : among) flag = random.below(4) != 0 ? 1 : 0;
  const auto first = naive_first_cells(mesh, among);
  std::map<std::uint32_t, std::uint32_t> sizes;
  for (const std::uint32_t f : first) {
    if (f != Components::none) ++sizes[f];
  }
  std::vector<std::pair<std::int64_t, std::uint32_t>> order;
  for (const auto& [f, size] : sizes) order.emplace_back(-std::int64_t{size}, f);
  std::ranges::sort(order);
  for (const int threads : {1, 2, 3, 8}) {
    const Components found = connected_components(mesh, {.among = among, .exec = Exec::host(threads)});
    ASSERT_EQ(found.sizes.size(), order.size());
    for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(found.sizes[i], -order[i].first);
    for (std::size_t c = 0; c < first.size(); ++c) {
      if (first[c] == Components::none) {
        EXPECT_EQ(found.ids[c], Components::none);
      } else {
        EXPECT_EQ(order[found.ids[c]].second, first[c]);
      }
    }
  }
}

TEST(Extract, ComponentsAreThoseOfAFlood) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    expect_components<2>(300, 90, seed);
    expect_components<3>(300, 90, seed);
  }
  expect_components<2>(80000, 20000, 21);  // enough for two threads
  EXPECT_TRUE(connected_components(TetMesh{}).sizes.empty());
}

TEST(Extract, ValuesOfPointsAndCells) {
  TetMesh mesh = make_random_complex<3>(200, 60, 5);
  SplitMix64 random(6);
  Array<double> values(mesh.vertex_count());
  for (double& value : values) value = static_cast<double>(random.below(20)) / 2;
  values[3] = values[17] = std::numeric_limits<double>::quiet_NaN();
  const Field field("f", Array<double>(values));
  const std::vector<ValueRange> ranges = {{.low = 1, .high = 4}, {.low = 3.5, .high = 6}, {8, 8}, {9, 7}};
  const auto is_inside = [](double x) { return (x >= 1 && x <= 6) || x == 8; };
  for (const bool any : {false, true}) {
    for (const bool invert : {false, true}) {
      const auto keeps = select_values(mesh, {field}, ranges, {.any_point = any, .invert = invert});
      for (std::size_t c = 0; c < mesh.cell_count(); ++c) {
        int inside = 0;
        for (const VertexId v : mesh.cells[c]) inside += is_inside(values[v.index()]) ? 1 : 0;
        EXPECT_EQ(keeps[c] != 0, (any ? inside > 0 : inside == 4) != invert);
      }
    }
  }
  Array<std::int32_t> labels(mesh.cell_count());
  for (std::int32_t& label : labels) label = static_cast<std::int32_t>(random.below(7)) - 3;
  const Field cells("label", Array<std::int32_t>(labels));
  const std::vector<ValueRange> chosen = {{-2, -2}, {1, 2}};
  const auto keeps = select_values(mesh, {cells, true}, chosen, {.invert = true});
  for (std::size_t c = 0; c < labels.size(); ++c)
    EXPECT_EQ(keeps[c] == 0, labels[c] == -2 || labels[c] == 1 || labels[c] == 2);
}

/// One triangle for each value, whose field is of the cells.
template <class T>
std::vector<int> chosen(const std::vector<T>& values, ValueRange range) {
  TriMesh mesh;
  mesh.points = Array<Vec3f>(3, Vec3f{0, 0, 0});
  mesh.cells.assign(values.size(), {VertexId(0), VertexId(1), VertexId(2)});
  const Field field("f", Array<T>(values.begin(), values.end()));
  std::vector<int> result;
  for (const std::uint8_t keep : select_values(mesh, {field, true}, {&range, 1})) result.push_back(keep);
  return result;
}

TEST(Extract, BoundsAreExactForEveryType) {
  using Flags = std::vector<int>;
  constexpr std::int64_t big = 9007199254740993;  // 2^53 + 1 is no double
  EXPECT_EQ(chosen<std::int64_t>({big - 1, big, big + 1}, {9007199254740992.0, 9007199254740992.0}),
            (Flags{1, 0, 0}));
  EXPECT_EQ(chosen<std::uint64_t>({0, ~0ull}, {1, 18446744073709551616.0}), (Flags{0, 1}));
  EXPECT_EQ(chosen<std::uint64_t>({0, ~0ull}, {18446744073709551616.0, infinity}), (Flags{0, 0}));
  EXPECT_EQ(chosen<std::int64_t>({std::numeric_limits<std::int64_t>::min(), 5}, {-infinity, -1e18}),
            (Flags{1, 0}));
  EXPECT_EQ(chosen<std::uint8_t>({0, 1, 2, 255}, {0.5, 1.5}), (Flags{0, 1, 0, 0}));
  EXPECT_EQ(chosen<std::int8_t>({-128, -1, 0}, {-1000, -0.5}), (Flags{1, 1, 0}));
  EXPECT_EQ(chosen<std::uint8_t>({0, 255}, {-5, -1}), (Flags{0, 0}));
  const float tenth = 0.1F;  // above 0.1
  EXPECT_EQ(chosen<float>({tenth, std::nextafter(tenth, 0.0F)}, {0.1, 1}), (Flags{1, 0}));
  EXPECT_EQ(chosen<float>({tenth, std::nextafter(tenth, 0.0F)}, {0, 0.1}), (Flags{0, 1}));
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(chosen<float>({-inf, inf, std::nanf("")}, {}), (Flags{1, 1, 0}));
  EXPECT_EQ(chosen<float>({inf, std::numeric_limits<float>::max()}, {0, 1e300}), (Flags{0, 1}));
}

TEST(Extract, BoxesAreClosed) {
  const TetMesh mesh = make_kuhn_full(5);  // coordinates are multiples of a quarter
  const Box box = {{0.25, 0, 0.5}, {0.75, 0.5, 1}};
  const auto keeps = select_box(mesh, box);
  EXPECT_EQ(std::ranges::count(keeps, 1), 6 * 2 * 2 * 2);
  EXPECT_EQ(std::ranges::count(select_box(mesh, box, {.invert = true}), 1), 6 * (64 - 8));
  EXPECT_EQ(std::ranges::count(select_box(mesh, {{2, 0, 0}, {3, 1, 1}}), 1), 0);
}

template <int Dim>
void expect_extraction(std::uint64_t seed) {
  SimplexMesh<Dim> mesh = make_random_complex<Dim>(20000, 30000, seed);
  SplitMix64 random(seed);
  Array<std::uint8_t> keeps(mesh.cell_count());
  for (std::uint8_t& keep : keeps) keep = random.below(5) == 0 ? 1 : 0;
  const Extracted<Dim> part = extract_cells(mesh, keeps, {.exec = Exec::host(1)});
  std::set<std::uint32_t> used;
  std::size_t next = 0;
  for (std::uint32_t c = 0; c < mesh.cell_count(); ++c) {
    if (keeps[c] == 0) continue;
    ASSERT_EQ(part.cells[next], c);
    for (int i = 0; i <= Dim; ++i) {
      EXPECT_EQ(part.vertices[part.mesh.cells[next][i].index()], mesh.cells[c][i].index());
      used.insert(mesh.cells[c][i].index());
    }
    ++next;
  }
  ASSERT_EQ(part.mesh.cell_count(), next);
  ASSERT_TRUE(std::ranges::equal(part.vertices, used));
  for (std::size_t v = 0; v < part.vertices.size(); ++v) {
    EXPECT_EQ(part.mesh.points[VertexId(static_cast<std::uint32_t>(v))],
              mesh.points[VertexId(part.vertices[v])]);
  }
  EXPECT_EQ(part.mesh.point_data, mesh.point_data.gather(part.vertices));
  EXPECT_EQ(part.mesh.cell_data, mesh.cell_data.gather(part.cells));
  EXPECT_EQ(part.mesh.field_data, mesh.field_data);
  EXPECT_LE(part.mesh.bytes(), extracted_bytes(mesh, next));
  for (const int threads : {2, 3, 8})
    EXPECT_EQ(extract_cells(mesh, keeps, {.exec = Exec::host(threads)}).mesh, part.mesh);
}

TEST(Extract, KeepsOrderAndData) {
  expect_extraction<2>(7);
  expect_extraction<3>(8);
  const TetMesh mesh = make_small_solid("two_tets");
  const Array<std::uint8_t> none(2, 0);
  EXPECT_EQ(extract_cells(mesh, none).mesh.vertex_count(), 0u);
}

TEST(Extract, RefusesWhatItCanNotUse) {
  TriMesh mesh = make_small_surface("two_triangles");
  const Field pairs("pairs", Array<float>(8, 0), 2);
  const Field brief("brief", Array<float>(3, 0));
  const Field good("good", Array<float>(4, 0));
  const std::vector<ValueRange> all = {{}};
  const std::vector<ValueRange> bad = {{std::nan(""), 1}};
  EXPECT_EQ(code_of([&] { return select_values(mesh, {pairs}, all); }), ErrorCode::bad_option);
  EXPECT_EQ(code_of([&] { return select_values(mesh, {brief}, all); }), ErrorCode::bad_option);
  EXPECT_EQ(code_of([&] { return select_values(mesh, {good, true}, all); }), ErrorCode::bad_option);
  EXPECT_EQ(code_of([&] { return select_values(mesh, {good}, bad); }), ErrorCode::bad_option);
  EXPECT_EQ(code_of([&] { return select_box(mesh, {{1, 0, 0}, {0, 1, 1}}); }), ErrorCode::bad_option);
  const Array<std::uint8_t> flags(3, 1);
  EXPECT_EQ(code_of([&] { return extract_cells(mesh, flags); }), ErrorCode::bad_option);
  EXPECT_EQ(code_of([&] { return connected_components(mesh, {.among = flags}); }), ErrorCode::bad_option);
  mesh.cells[1][2] = VertexId(9);
  EXPECT_EQ(code_of([&] { return connected_components(mesh); }), ErrorCode::bad_mesh);
  EXPECT_EQ(code_of([&] { return select_values(mesh, {good}, all); }), ErrorCode::bad_mesh);
}

TEST(Extract, CanBeStopped) {
  std::stop_source source;
  source.request_stop();
  const Monitor monitor{{}, source.get_token()};
  const TetMesh mesh = make_small_solid("two_tets");
  const Array<std::uint8_t> flags(2, 1);
  EXPECT_EQ(code_of([&] { return extract_cells(mesh, flags, {.monitor = &monitor}); }), ErrorCode::cancelled);
}

}  // namespace
}  // namespace tessera
