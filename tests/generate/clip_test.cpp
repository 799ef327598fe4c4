// Clips against volumes by a formula, counts by hand and the faces that neighbours share.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include <generate/complexes.h>
#include <generate/surfaces.h>
#include <tessera/core/error.h>
#include <tessera/generate/clip.h>
#include <tessera/mesh/doctor.h>
#include <tessera/mesh/make.h>

namespace tessera {
namespace {

using test::code_of;

using test::make_random_complex;

/// Signed for tetrahedra; areas of triangles.
template <int Dim>
double size_of_cell(const SimplexMesh<Dim>& mesh, const typename SimplexMesh<Dim>::Cell& cell) {
  const Vec3d a = mesh.points[cell[0]];
  const Vec3d normal = cross(mesh.points[cell[1]] - a, mesh.points[cell[2]] - a);
  if constexpr (Dim == 2)
    return length(normal) / 2;
  else
    return dot(normal, mesh.points[cell[3]] - a) / 6;
}

template <int Dim>
double total_size(const SimplexMesh<Dim>& mesh) {
  double total = 0;
  for (const auto& cell : mesh.cells) total += std::abs(size_of_cell<Dim>(mesh, cell));
  return total;
}

/// The part of a simplex where a linear function of these corner values is positive: the sum over positive
/// corners of f^n / prod (f - g). The values are moved apart, because they must differ.
template <std::size_t Corners>
double positive_part(std::array<double, Corners> values) {
  for (std::size_t i = 0; i < Corners; ++i) values[i] += 1e-4 * static_cast<double>(i);
  double part = 0;
  for (std::size_t i = 0; i < Corners; ++i) {
    if (values[i] <= 0) continue;
    double term = 1;
    for (std::size_t j = 0; j < Corners; ++j) {
      if (j != i) term *= values[i] / (values[i] - values[j]);
    }
    part += term;
  }
  return part;
}

/// How many cells are left of one with so many corners kept, on the plane and dropped; by hand.
int parts_by_hand(int dim, int kept, int on, int dropped) {
  if (dropped == 0) return 1;
  if (kept == 0) return 0;
  if (dim == 2) return kept == 2 ? 2 : 1;
  if (kept == 3) return 3;                // a wedge
  if (kept == 2) return on == 0 ? 3 : 2;  // a wedge, a pyramid
  return 1;
}

const std::vector<Plane> planes = {{{0, 0, 0}, {0, 0, 1}},        {{0.25, 0, 0}, {-3, 0, 0}},
                                   {{0, 0.3, 0}, {0, 1, 0}},      {{0, 0, 0}, {1, 1, 0}},
                                   {{0.125, 0.5, 0}, {1, -1, 1}}, {{0.1, 0.2, 0.3}, {0.7, -0.2, 0.4}}};

template <int Dim>
void expect_parts_of_cells(const SimplexMesh<Dim>& mesh, const Plane& plane, bool invert) {
  const Clipped<Dim> part = clip(mesh, plane, {.invert = invert, .keep_provenance = true});
  std::map<std::uint64_t, std::pair<int, double>> found;
  for (std::size_t c = 0; c < part.mesh.cell_count(); ++c) {
    const std::uint64_t from = part.provenance.cells[c];
    const double size = size_of_cell<Dim>(part.mesh, part.mesh.cells[c]);
    const double whole = size_of_cell<Dim>(mesh, mesh.cells[from]);
    if (std::abs(whole) > 1e-6) {
      EXPECT_GT(size * whole, 0) << "a part is flat or turned over";
    }
    ++found[from].first;
    found[from].second += size;
  }
  for (std::uint32_t c = 0; c < mesh.cell_count(); ++c) {
    std::array<double, Dim + 1> values{};
    int kept = 0;
    int on = 0;
    for (std::size_t i = 0; i <= Dim; ++i) {
      values[i] = (invert ? -1 : 1) * dot(plane.normal, mesh.points[mesh.cells[c][i]] - plane.origin);
      if (std::abs(values[i]) < 1e-7) values[i] = 0;
      kept += values[i] > 0 ? 1 : 0;
      on += values[i] == 0 ? 1 : 0;
    }
    EXPECT_EQ(found[c].first, parts_by_hand(Dim, kept, on, Dim + 1 - kept - on));
    const double size = size_of_cell<Dim>(mesh, mesh.cells[c]);
    if (kept == 0) continue;
    EXPECT_NEAR(found[c].second, size * positive_part(values), 2e-3);
  }
}

TEST(Clip, PartsOfCellsHaveTheirShare) {
  const TetMesh tets = make_random_complex<3>(300, 400, 11);
  const TriMesh triangles = make_random_complex<2>(300, 400, 12);
  for (const Plane& plane : planes) {
    for (const bool invert : {false, true}) {
      expect_parts_of_cells(tets, plane, invert);
      expect_parts_of_cells(triangles, plane, invert);
    }
  }
}

TEST(Clip, HalvesAreTheWhole) {
  const TetMesh cube = make_kuhn_full(9);
  const Vec3d middle = {0.5, 0.5, 0.5};
  const std::vector<std::pair<Plane, double>> known = {
      {{{0.3, 0, 0}, {1, 0, 0}}, 0.7}, {{{0.25, 0, 0}, {1, 0, 0}}, 0.75},
      {{{0, 0, 0}, {0, 0, 1}}, 1},     {{{0, 0, 1}, {0, 0, 1}}, 0},
      {{middle, {1, 1, 1}}, 0.5},      {{middle, {0.3, -1, 0.2}}, 0.5},
      {{middle, {1, -1, 0}}, 0.5},     {{{0.5, 0, 0}, {1, 1, 1}}, 1 - 1.0 / 48}};
  for (const auto& [plane, volume] : known) {
    const TetMesh kept = clip(cube, plane).mesh;
    const TetMesh rest = clip(cube, plane, {.invert = true}).mesh;
    EXPECT_NEAR(total_size(kept), volume, 1e-6);
    EXPECT_NEAR(total_size(rest), 1 - volume, 1e-6);
  }
  // Planes of the lattice only choose cells.
  EXPECT_EQ(clip(cube, {{0.25, 0, 0}, {1, 0, 0}}).mesh.cell_count(), 6u * 6 * 8 * 8);
  EXPECT_EQ(clip(cube, {{0.25, 0, 0}, {1, 0, 0}}).mesh.vertex_count(), 7u * 9 * 9);
  EXPECT_EQ(clip(cube, {{0, 0, 1}, {0, 0, 1}}).mesh.vertex_count(), 0u);
}

using Face = std::array<std::uint32_t, 3>;

std::map<Face, int> faces_of(const TetMesh& mesh) {
  std::map<Face, int> faces;
  for (const TetMesh::Cell& tet : mesh.cells) {
    for (int skip = 0; skip < 4; ++skip) {
      Face face{};
      for (int i = 0, next = 0; i < 4; ++i) {
        if (i != skip) face[next++] = tet[i].index();
      }
      std::ranges::sort(face);
      ++faces[face];
    }
  }
  return faces;
}

TEST(Clip, NeighboursShareTheirFaces) {
  const TetMesh cube = make_shuffled(make_kuhn_full(6));
  for (const Plane& plane : {Plane{{0.3, 0, 0}, {1, 0, 0}}, Plane{{0.5, 0.5, 0.5}, {1, 2, 3}},
                             Plane{{0.2, 0.2, 0.2}, {1, 1, 0}}, Plane{{0.4, 0.4, 0.4}, {1, 1, 1}}}) {
    const TetMesh part = clip(cube, plane).mesh;
    double cut_area = 0;
    for (const auto& [face, uses] : faces_of(part)) {
      ASSERT_LE(uses, 2);
      if (uses == 2) continue;
      std::array<Vec3d, 3> p;
      for (int i = 0; i < 3; ++i) p[i] = part.points[VertexId(face[i])];
      const auto lies_at = [&](auto coordinate, double at) {
        return std::ranges::all_of(p, [&](Vec3d q) { return std::abs(coordinate(q) - at) < 1e-5; });
      };
      const bool is_cut = lies_at([&](Vec3d q) { return dot(plane.normal, q - plane.origin); }, 0);
      bool is_border = false;
      for (const double at : {0.0, 1.0}) {
        is_border |= lies_at([](Vec3d q) { return q.x; }, at) || lies_at([](Vec3d q) { return q.y; }, at) ||
                     lies_at([](Vec3d q) { return q.z; }, at);
      }
      EXPECT_TRUE(is_cut || is_border);
      if (is_cut) cut_area += length(cross(p[1] - p[0], p[2] - p[0])) / 2;
    }
    EXPECT_NEAR(cut_area, test::measure(slice(cube, plane).mesh).area, 1e-5);
    const DoctorReport report = diagnose(part);
    EXPECT_FALSE(report.has_errors());
    EXPECT_EQ(report.components, 1u);
    EXPECT_EQ(report.euler_characteristic, 1);
  }
}

TEST(Clip, FieldsClipLikePlanes) {
  TetMesh mesh = make_kuhn_full(7);
  Array<double> heights(mesh.vertex_count());
  for (const VertexId v : mesh.vertices()) heights[v.index()] = mesh.points[v].z;
  const Field field("height", std::move(heights));
  for (const double at : {0.3, 0.5, -1.0, 2.0}) {
    for (const bool invert : {false, true}) {
      const auto by_field = clip(mesh, field, at, {.invert = invert, .keep_provenance = true});
      const auto by_plane =
          clip(mesh, Plane{{0, 0, at}, {0, 0, 1}}, {.invert = invert, .keep_provenance = true});
      EXPECT_EQ(by_field.mesh.cells, by_plane.mesh.cells);
      EXPECT_EQ(by_field.provenance.edges, by_plane.provenance.edges);
    }
  }
}

TEST(Clip, PlateausAndNanAndBigIntegers) {
  TetMesh mesh = make_small_solid("two_tets");  // 5 points, a face of three of them is shared
  const auto cells = [&](Array<double> values, double at, bool invert = false) {
    return clip(mesh, Field("f", std::move(values)), at, {.invert = invert}).mesh.cell_count();
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(cells({2, 2, 2, 2, 2}, 2), 2u);
  EXPECT_EQ(cells({2, 2, 2, 2, 2}, 2, true), 2u);
  EXPECT_EQ(cells({nan, nan, nan, nan, nan}, 2), 0u);
  Array<double> one(5, 3);
  one[mesh.cells[1][3].index()] = nan;
  EXPECT_EQ(cells(one, 2), std::ranges::count(mesh.cells[0], mesh.cells[1][3]) == 0 ? 1u : 0u);
  EXPECT_EQ(cells({-std::numeric_limits<double>::infinity(), 3, 3, 3, 3}, 2) > 0, true);
  constexpr std::int64_t big = 9007199254740993;  // 2^53 + 1 is no double
  const Field wide("wide", Array<std::int64_t>(5, big));
  EXPECT_EQ(clip(mesh, wide, 9007199254740992.0, {.invert = true}).mesh.cell_count(), 0u);
  EXPECT_EQ(clip(mesh, wide, 9007199254740992.0).mesh.cell_count(), 2u);
  // A cell that names a point twice stays whole or goes.
  mesh.cells.resize(1);
  mesh.cells[0] = {VertexId(0), VertexId(0), VertexId(1), VertexId(2)};
  EXPECT_EQ(cells({3, 3, 3, 3, 3}, 2), 1u);
  EXPECT_EQ(cells({3, 1, 1, 3, 3}, 2), 0u);
  EXPECT_EQ(clip(mesh, Field("f", Array<double>{3, 1, 1, 3, 3}), 2).unusable, 1u);
  EXPECT_EQ(clip(mesh, Field("f", Array<double>{3, nan, 1, 3, 3}), 2).unusable, 1u);
  EXPECT_EQ(clip(mesh, Field("f", Array<double>{1, 1, 1, 3, 3}), 2).unusable, 0u);
}

TEST(Clip, DataFollows) {
  TetMesh mesh = make_kuhn_full(5);
  Array<float> plain(mesh.vertex_count());
  Array<std::int32_t> whole(mesh.vertex_count());
  for (const VertexId v : mesh.vertices()) {
    plain[v.index()] = static_cast<float>(3 * mesh.points[v].x - mesh.points[v].z);
    whole[v.index()] = static_cast<std::int32_t>(std::lround(1000 * mesh.points[v].y));
  }
  mesh.point_data.add(Field("plain", std::move(plain)));
  mesh.point_data.add(Field("whole", std::move(whole)));
  Array<std::uint16_t> ids(mesh.cell_count());
  for (std::size_t c = 0; c < ids.size(); ++c) ids[c] = static_cast<std::uint16_t>(c);
  mesh.cell_data.add(Field("id", std::move(ids)));
  mesh.field_data.add(Field("time", Array<double>{2}));
  const auto part = clip(mesh, Plane{{0.4, 0.4, 0.4}, {1, 0.3, 0.2}}, {.keep_provenance = true});
  EXPECT_EQ(part.mesh.field_data, mesh.field_data);
  for (const VertexId v : part.mesh.vertices()) {
    const Vec3d p = part.mesh.points[v];
    EXPECT_NEAR(part.mesh.field("plain").as<float>()[v.index()], 3 * p.x - p.z, 1e-5);
    EXPECT_NEAR(part.mesh.field("whole").as<std::int32_t>()[v.index()], 1000 * p.y, 0.51);
    const auto [a, b] = part.provenance.edges[v.index()];
    if (a != b) continue;
    EXPECT_EQ(p, mesh.points[VertexId(static_cast<std::uint32_t>(a))]);
  }
  for (std::size_t c = 0; c < part.mesh.cell_count(); ++c)
    EXPECT_EQ(part.mesh.cell_data.at("id").as<std::uint16_t>()[c], part.provenance.cells[c]);
  EXPECT_TRUE(clip(mesh, Plane{}).provenance.edges.empty());
}

TEST(Clip, SpheresBecomeCaps) {
  const TriMesh sphere = make_ico(4, {.displace = false});
  const Plane plane = {{0.1, 0, 0}, {1, 0.2, 0.1}};
  const TriMesh cap = clip(sphere, plane).mesh;
  const TriMesh rest = clip(sphere, plane, {.invert = true}).mesh;
  EXPECT_NEAR(total_size(cap) + total_size(rest), total_size(sphere), 1e-5);
  EXPECT_EQ(test::euler_characteristic(cap), 1);
  EXPECT_EQ(test::euler_characteristic(rest), 1);
  EXPECT_FALSE(diagnose(cap).has_errors());
}

template <int Dim>
void expect_same_for_threads(SimplexMesh<Dim> mesh) {
  mesh.point_data.add(make_wave_field(mesh.points, WaveField::rough));
  const Field& field = mesh.field("rough");
  const auto run = [&](int threads) {
    return clip(mesh, field, 0.1, {.keep_provenance = true, .exec = Exec::host(threads)});
  };
  const Clipped<Dim> one = run(1);
  for (const int threads : {2, 3, 8}) {
    const Clipped<Dim> several = run(threads);
    EXPECT_EQ(several.mesh, one.mesh);
    EXPECT_EQ(several.provenance, one.provenance);
  }
}

TEST(Clip, ThreadsDoNotShow) {
  expect_same_for_threads(make_kuhn_full(18));
  expect_same_for_threads(make_shuffled(make_ico(6)));
}

TEST(Clip, RefusesWhatItCanNotUse) {
  TetMesh mesh = make_kuhn_full(5);
  const Field pairs("pairs", Array<float>(2 * mesh.vertex_count(), 0), 2);
  const Field brief("brief", Array<float>(3, 0));
  const Field good("good", Array<float>(mesh.vertex_count(), 0));
  EXPECT_EQ(code_of([&] { return clip(mesh, pairs, 0); }), ErrorCode::bad_option);
  EXPECT_EQ(code_of([&] { return clip(mesh, brief, 0); }), ErrorCode::bad_option);
  EXPECT_EQ(code_of([&] { return clip(mesh, good, std::nan("")); }), ErrorCode::bad_option);
  EXPECT_EQ(code_of([&] { return clip(mesh, Plane{{0, 0, 0}, {0, 0, 0}}); }), ErrorCode::bad_option);
  MemoryBudget memory(1000);
  const Plane plane = {{0.3, 0, 0}, {1, 0, 0}};
  EXPECT_EQ(code_of([&] { return clip(mesh, plane, {.memory = &memory}); }), ErrorCode::out_of_memory);
  MemoryBudget enough(mib(1));
  const std::size_t bytes = clip(mesh, plane, {.memory = &enough}).mesh.bytes();
  EXPECT_LE(bytes, enough.peak());
  EXPECT_EQ(enough.used(), 0u);
  std::stop_source source;
  source.request_stop();
  const Monitor monitor{{}, source.get_token()};
  EXPECT_EQ(code_of([&] { return clip(mesh, plane, {.monitor = &monitor}); }), ErrorCode::cancelled);
  mesh.cells[2][1] = VertexId(99999);
  EXPECT_EQ(code_of([&] { return clip(mesh, plane); }), ErrorCode::bad_mesh);
  EXPECT_EQ(clip(TetMesh{}, plane).mesh.cell_count(), 0u);
}

}  // namespace
}  // namespace tessera
