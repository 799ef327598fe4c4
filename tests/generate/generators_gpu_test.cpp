// Meshes that generators make on a device are those of the host, byte for byte, data and provenance included.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/core/hash.h>
#include <tessera/core/progress.h>
#include <tessera/core/random.h>
#include <tessera/exec/device_watch.h>
#include <tessera/generate/coarsen.h>
#include <tessera/generate/detail/coarsen/cuda/coarsen.h>
#include <tessera/generate/detail/refine/cuda/subdivide.h>
#include <tessera/generate/detail/tetrahedralize/cuda/tetrahedralize.h>
#include <tessera/generate/detail/weld/cuda/weld.h>
#include <tessera/generate/isosurface.h>
#include <tessera/generate/resident.h>
#include <tessera/generate/subdivide.h>
#include <tessera/generate/tetrahedralize.h>
#include <tessera/generate/weld.h>
#include <tessera/mesh/make.h>
#include <tessera/surface/curvature.h>
#include <tessera/surface/detail/cuda/curvature.h>
#include <tessera/surface/detail/cuda/dual.h>
#include <tessera/surface/dual.h>

#include "generate/solids.h"
#include "generate/soups.h"

namespace tessera {

using namespace detail;
namespace {

class OnDevice : public testing::Test {
 protected:
  void SetUp() override {
    if (devices().empty()) GTEST_SKIP() << no_device_reason();
  }
};
class DeviceSubdivision : public OnDevice {};

template <class T>
Field make_noise(const std::string& name, std::size_t tuples, std::size_t components) {
  Array<T> values(tuples * components);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<T>(200 * uniform01(5, i) - (std::is_unsigned_v<T> ? 0 : 100));
  return {name, std::move(values), components};
}

/// The mesh with fields of every kind, a NaN among them.
template <class Mesh>
Mesh with_data(Mesh mesh) {
  const std::size_t points = mesh.vertex_count();
  Field noise = make_noise<double>("noise", points, 1);
  if (points > 2) noise.as<double>()[2] = std::numeric_limits<double>::quiet_NaN();
  mesh.point_data.add(std::move(noise));
  mesh.point_data.add(make_noise<float>("numbers", points, 1));
  mesh.point_data.add(make_noise<float>("vectors", points, 3));
  mesh.point_data.add(make_noise<std::int8_t>("small", points, 2));
  mesh.point_data.add(make_noise<std::uint64_t>("large", points, 1));
  mesh.cell_data.add(make_noise<std::uint16_t>("part", mesh.cell_count(), 1));
  return mesh;
}

template <class Mesh>
Mesh in_double(Mesh mesh) {
  Array<Vec3d> points;
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
    const Vec3d p = mesh.points[VertexId(v)];
    points.push_back({p.x + 1e-9 * uniform01(6, v), p.y, -p.z});
  }
  mesh.points = Points(std::move(points));
  return mesh;
}

/// Surfaces with every oddity: empty, one cell, boundaries, more than two triangles at an edge, sheets that
/// touch, triangles that name a point twice, points in no triangle.
std::vector<TriMesh> odd_surfaces() {
  std::vector<TriMesh> meshes = {TriMesh{}};
  for (const char* name : {"triangle", "two_triangles", "moebius", "pinched_vertex", "three_face_fan",
                           "bow_tie", "isolated_vertices", "two_components", "octahedron"})
    meshes.push_back(make_small_surface(name));
  meshes.push_back(make_ico(3));
  meshes.push_back(make_shuffled(make_torus(17, 9)));
  meshes.push_back(make_height_field(20, 11));
  TriMesh broken = make_ico(1);
  broken.cells[3] = {VertexId(1), VertexId(1), VertexId(4)};
  broken.cells[7] = {VertexId(2), VertexId(2), VertexId(2)};
  broken.cells.push_back(broken.cells[0]);
  meshes.push_back(broken);
  TriMesh lonely = make_ico(0);
  lonely.cells.resize(1);
  meshes.push_back(lonely);
  return meshes;
}

std::vector<TetMesh> odd_solids() {
  std::vector<TetMesh> meshes = {TetMesh{}};
  for (const char* name : {"one_tet", "two_tets", "bow_tie_edge", "bow_tie_vertex", "three_tet_fan",
                           "isolated_vertices", "two_components", "cone"})
    meshes.push_back(make_small_solid(name));
  meshes.push_back(make_shuffled(make_kuhn(7)));
  TetMesh broken = make_kuhn(4);
  broken.cells[3][1] = broken.cells[3][2];
  broken.cells.push_back(broken.cells[0]);
  meshes.push_back(broken);
  return meshes;
}

/// The device's code run by host threads on host memory: what can be looked into where there is no GPU.
template <class Mesh>
void expect_same_refinement(const Mesh& mesh, SubdivisionScheme scheme) {
  const auto host = subdivide(mesh, {.scheme = scheme, .keep_provenance = true});
  Array<PairKey> ends;
  const Mesh made = cuda::refine(mesh, scheme, &ends, Exec::host(2));
  ASSERT_EQ(made.cells, host.mesh.cells);
  ASSERT_EQ(made.points, host.mesh.points);
  ASSERT_EQ(made.point_data, host.mesh.point_data);
  const auto& from = host.provenance[0].edges;
  ASSERT_EQ(from.size(), mesh.vertex_count() + ends.size());
  for (std::size_t e = 0; e < ends.size(); ++e) {
    const auto& edge = from[mesh.vertex_count() + e];
    ASSERT_TRUE(ends[e][0] == edge[0] && ends[e][1] == edge[1]);
  }
}

TEST(DeviceCodeOnTheHost, SubdividesAsTheHostDoes) {
  for (const TriMesh& mesh : odd_surfaces()) {
    expect_same_refinement(with_data(mesh), SubdivisionScheme::linear);
    expect_same_refinement(with_data(in_double(mesh)), SubdivisionScheme::loop);
  }
  for (const TetMesh& mesh : odd_solids()) expect_same_refinement(with_data(mesh), SubdivisionScheme::linear);
}

template <class Mesh>
void expect_same_subdivision(const Mesh& mesh, SubdivisionScheme scheme, int levels) {
  SubdivideOptions options{.scheme = scheme, .levels = levels, .keep_provenance = true};
  const auto host = subdivide(mesh, options);
  options.exec = Exec::cuda(0);
  const auto device = subdivide(mesh, options);
  ASSERT_EQ(device.mesh.cells, host.mesh.cells);
  ASSERT_EQ(device.mesh.points, host.mesh.points);
  ASSERT_EQ(device.mesh, host.mesh);
  ASSERT_EQ(device.provenance, host.provenance);
}

TEST_F(DeviceSubdivision, OfSurfacesIsTheHosts) {
  for (const TriMesh& mesh : odd_surfaces()) {
    for (const auto scheme : {SubdivisionScheme::linear, SubdivisionScheme::loop}) {
      expect_same_subdivision(with_data(mesh), scheme, 1);
      expect_same_subdivision(in_double(mesh), scheme, 2);
    }
  }
}

TEST_F(DeviceSubdivision, OfTetsIsTheHosts) {
  for (const TetMesh& mesh : odd_solids()) {
    expect_same_subdivision(with_data(mesh), SubdivisionScheme::linear, 1);
    expect_same_subdivision(in_double(mesh), SubdivisionScheme::linear, 2);
  }
}

/// A disk around point 0, which has 5000 neighbours.
TriMesh make_disk() {
  TriMesh fan;
  constexpr std::uint32_t rim = 5000;
  Array<Vec3f> points = {{0, 0, 1}};
  for (std::uint32_t i = 0; i < rim; ++i) {
    points.push_back({static_cast<float>(uniform01(7, i)), static_cast<float>(uniform01(8, i)), 0});
    fan.cells.push_back({VertexId(0), VertexId(1 + i), VertexId(1 + (i + 1) % rim)});
  }
  fan.points = Points(std::move(points));
  return fan;
}

TEST_F(DeviceSubdivision, HasNoLimitOnNeighbours) {
  expect_same_subdivision(make_disk(), SubdivisionScheme::loop, 1);
}

TEST_F(DeviceSubdivision, OfResidentMeshesRefusesCellsWithoutPoints) {
  const Exec exec = Exec::cuda(0);
  const Buffer<Vec3f> points(exec, std::span<const Vec3f>(Array<Vec3f>(3)));
  const Array<TriMesh::Cell> bad = {{VertexId(0), VertexId(1), VertexId(3)}};
  const Buffer<TriMesh::Cell> cells(exec, std::span<const TriMesh::Cell>(bad));
  const ResidentMesh<2, float> mesh{points.span(), cells.span()};
  try {
    (void)resident_subdivide(exec, mesh, SubdivisionScheme::linear);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_mesh);
  }
}

std::vector<Grid> odd_grids() {
  std::vector<Grid> grids = {make_lattice(2, 2, 2), make_lattice(5, 3, 4), make_lattice(2, 9, 3)};
  grids[1].origin = {0.1, -3, 1e5};
  grids[1].spacing = {0.3, 2, 0.25};
  Grid turned = make_lattice(4, 4, 3);
  turned.direction = {0, 1, 0, 1, 0, 0, 0, 0, 1};  // mirrored
  turned.origin = {1, 2, 3};
  grids.push_back(turned);
  return grids;
}

class DeviceTetrahedralization : public OnDevice {};

TEST_F(DeviceTetrahedralization, OfGridsIsTheHosts) {
  for (const Grid& bare : odd_grids()) {
    const Grid grid = with_data(bare);
    for (const TetMethod method : {TetMethod::five, TetMethod::six, TetMethod::face_centred}) {
      const auto host = tetrahedralize(grid, {.method = method, .keep_provenance = true});
      const auto device =
          tetrahedralize(grid, {.method = method, .keep_provenance = true, .exec = Exec::cuda(0)});
      ASSERT_EQ(device.mesh.cells, host.mesh.cells);
      ASSERT_EQ(device.mesh, host.mesh);
      ASSERT_EQ(device.cells, host.cells);
    }
  }
}

TEST(DeviceCodeOnTheHost, CutsVoxelsAsTheHostDoes) {
  for (const Grid& bare : odd_grids()) {
    const Grid grid = with_data(bare);
    for (const TetMethod method : {TetMethod::five, TetMethod::six, TetMethod::face_centred}) {
      const TetMesh host = tetrahedralize(grid, {.method = method}).mesh;
      const bool is_mirrored = grid.direction[0] == 0;
      const TetMesh made = cuda::cut_voxels(
          grid, {lattice::Numbering(grid, method), method, !host.points.is_double(), is_mirrored},
          Exec::host(2));
      ASSERT_EQ(made.cells, host.cells);
      ASSERT_EQ(made.points, host.points);
      if (method == TetMethod::face_centred) {
        ASSERT_EQ(made.point_data, host.point_data);
      }
    }
  }
}

/// Hexahedra, a mixture of all types, that among other cells, cells that name a point twice, and no cells at
/// all.
std::vector<CellMesh> odd_solid_meshes() {
  const Grid grid = make_lattice(4, 5, 4);
  std::vector<CellMesh> meshes = {CellMesh{}, test::make_hexahedra(grid), test::make_mixed(grid),
                                  test::with_lower_cells(test::make_mixed(grid))};
  CellMesh broken = test::make_hexahedra(make_lattice(3, 3, 3));
  broken.cells.corners[3] = broken.cells.corners[2];
  broken.cells.corners[7] = broken.cells.corners[6];
  meshes.push_back(broken);
  return meshes;
}

bool has_only_hexahedra(const CellMesh& solids) {
  return std::ranges::all_of(solids.types, [](CellType type) { return type == CellType::hexahedron; });
}

TEST_F(DeviceTetrahedralization, OfSolidsIsTheHosts) {
  for (const CellMesh& bare : odd_solid_meshes()) {
    const CellMesh solids = with_data(bare);
    for (const TetMethod method : {TetMethod::five, TetMethod::six, TetMethod::face_centred}) {
      const bool is_broken = solids.cell_count() == 8;  // whose corners have no checkerboard
      if (method == TetMethod::five && (is_broken || !has_only_hexahedra(solids))) continue;
      const auto host = tetrahedralize(solids, {.method = method, .keep_provenance = true});
      const auto device =
          tetrahedralize(solids, {.method = method, .keep_provenance = true, .exec = Exec::cuda(0)});
      ASSERT_EQ(device.mesh.cells, host.mesh.cells);
      ASSERT_EQ(device.mesh, host.mesh);
      ASSERT_EQ(device.cells, host.cells);
    }
  }
}

TEST(DeviceCodeOnTheHost, CutsSolidsAsTheHostDoes) {
  for (const CellMesh& bare : odd_solid_meshes()) {
    const CellMesh solids = with_data(bare);
    if (solids.cell_count() == 8) continue;  // the parts to drop are dropped later
    solid::Plan plan{.method = TetMethod::face_centred, .first_part = {0}, .first_quad = {0}};
    for (std::size_t c = 0; c < solids.cell_count(); ++c) {
      const CellType type = solids.types[c];
      plan.first_part.push_back(plan.first_part.back() + solid::parts_of(type, plan.method));
      plan.first_quad.push_back(plan.first_quad.back() + solid::quads_of(type));
      plan.centre.push_back(static_cast<std::uint32_t>(plan.centred.size()));
      if (dimension_of(type) == 3 && type != CellType::tetrahedron)
        plan.centred.push_back(static_cast<std::uint32_t>(c));
    }
    const TetMesh host = tetrahedralize(solids, {.method = TetMethod::face_centred}).mesh;
    const TetMesh made = cuda::cut_solids(solids, plan, Exec::host(2));
    ASSERT_EQ(made.cells, host.cells);
    ASSERT_EQ(made.points, host.points);
    ASSERT_EQ(made.point_data, host.point_data);
  }
}

/// A soup with points that are equal in value but not in bits, that are NaN, and that no cell names.
template <class Mesh>
Mesh make_odd_soup(const Mesh& mesh) {
  Mesh soup = test::make_soup(mesh);
  soup.points.visit([](auto points) {
    using T = decltype(points[0].x);
    for (std::size_t v = 0; v < points.size(); v += 7) points[v].y = T(v % 2 == 0 ? 0.0 : -0.0);
    if (points.size() > 5) points[1].x = points[4].x = std::numeric_limits<T>::quiet_NaN();
  });
  return soup;
}

template <int Dim>
void expect_same_weld(const SimplexMesh<Dim>& soup, const Welded<Dim>& made, MergedData data) {
  const Welded<Dim> host = weld(soup, {.data = data});
  ASSERT_EQ(made.vertices, host.vertices);
  ASSERT_EQ(made.dropped, host.dropped);
  ASSERT_EQ(made.mesh.cells, host.mesh.cells);
  ASSERT_EQ(made.mesh.cell_data, host.mesh.cell_data);
  ASSERT_EQ(made.mesh.point_data, host.mesh.point_data);
  made.mesh.points.visit([&](auto points) {  // as bytes: NaN is among them
    host.mesh.points.visit([&](auto expected) { ASSERT_EQ(hash_values(points), hash_values(expected)); });
  });
}

class DeviceWeld : public OnDevice {};

TEST_F(DeviceWeld, IsTheHosts) {
  for (const MergedData data : {MergedData::average, MergedData::first}) {
    for (const TriMesh& mesh : odd_surfaces()) {
      const TriMesh soup = make_odd_soup(with_data(mesh));
      expect_same_weld(soup, weld(soup, {.data = data, .exec = Exec::cuda(0)}), data);
      const TriMesh twice = in_double(soup);
      expect_same_weld(twice, weld(twice, {.data = data, .exec = Exec::cuda(0)}), data);
    }
    for (const TetMesh& mesh : odd_solids()) {
      const TetMesh soup = make_odd_soup(with_data(mesh));
      expect_same_weld(soup, weld(soup, {.data = data, .exec = Exec::cuda(0)}), data);
    }
  }
}

TEST_F(DeviceWeld, OfOnePointManyTimes) {
  TriMesh soup;
  soup.points = Points(Array<Vec3f>(50'000, Vec3f{1, 2, 3}));
  soup.cells = {{VertexId(0), VertexId(1), VertexId(2)}};
  expect_same_weld(soup, weld(soup, {.exec = Exec::cuda(0)}), MergedData::average);
}

TEST(DeviceCodeOnTheHost, WeldsAsTheHostDoes) {
  for (const TriMesh& mesh : odd_surfaces()) {
    const TriMesh soup = make_odd_soup(with_data(mesh));
    for (const MergedData data : {MergedData::average, MergedData::first})
      expect_same_weld(soup, cuda::weld(soup, data, Exec::host(2)), data);
  }
  for (const TetMesh& mesh : odd_solids()) {
    const TetMesh soup = make_odd_soup(with_data(mesh));
    expect_same_weld(soup, cuda::weld(soup, MergedData::average, Exec::host(2)), MergedData::average);
  }
}

/// Isosurfaces with data, one of them empty, some with vertices on input points and triangles that collapse.
std::vector<Isosurface> odd_isosurfaces() {
  std::vector<Isosurface> surfaces;
  for (const Grid& bare : odd_grids()) {
    const Grid grid = with_data(bare);
    for (const double value : {0.0, 40.0, 1e9})
      surfaces.push_back(isosurface(grid, grid.field("numbers"), {&value, 1}, {.keep_provenance = true}));
  }
  const Grid noisy = make_lattice(24, 24, 24);  // sheets thinner than a cell fold onto each other
  const double value = 0.15;
  surfaces.push_back(isosurface(noisy, make_mri_field(noisy), {&value, 1}, {.keep_provenance = true}));
  for (int copy = 0; copy < 3; ++copy) {  // the same triangles many times, some turned over
    TriMesh& mesh = surfaces.back().mesh;
    for (std::size_t t = 0; t < 40; ++t) {
      const TriMesh::Cell c = mesh.cells[t];
      mesh.cells.push_back(t % (2 + copy) == 0 ? TriMesh::Cell{c[1], c[0], c[2]} : c);
    }
  }
  return surfaces;
}

void expect_same_coarsening(const Isosurface& surface, const Coarsened& made) {
  const Coarsened host = coarsen(surface.mesh, surface.provenance);
  ASSERT_EQ(made.vertices, host.vertices);
  ASSERT_EQ(made.dropped, host.dropped);
  ASSERT_EQ(made.folded, host.folded);
  ASSERT_EQ(made.isolated, host.isolated);
  ASSERT_EQ(made.mesh, host.mesh);
}

class DeviceCoarsening : public OnDevice {};

TEST_F(DeviceCoarsening, IsTheHosts) {
  for (const Isosurface& surface : odd_isosurfaces())
    expect_same_coarsening(surface, coarsen(surface.mesh, surface.provenance, {.exec = Exec::cuda(0)}));
}

TEST(DeviceCodeOnTheHost, CoarsensAsTheHostDoes) {
  for (const Isosurface& surface : odd_isosurfaces())
    expect_same_coarsening(surface, cuda::coarsen(surface.mesh, surface.provenance, Exec::host(2)));
}

class DeviceDual : public OnDevice {};

TEST_F(DeviceDual, IsTheHosts) {
  std::vector<TriMesh> meshes = odd_surfaces();
  meshes.push_back(make_disk());
  meshes.push_back(make_ico(5));
  for (const TriMesh& bare : meshes) {
    for (const TriMesh& mesh : {with_data(bare), in_double(bare)})
      ASSERT_EQ(make_dual(mesh, {.exec = Exec::cuda(0)}), make_dual(mesh));
  }
}

TEST_F(DeviceDual, OfPolygonsIsLeftToTheHost) {
  CellMesh quad;
  quad.points = Array<Vec3f>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  quad.types.push_back(CellType::quad);
  quad.cells.add(std::array{VertexId(0), VertexId(1), VertexId(2), VertexId(3)});
  try {
    (void)make_dual(quad, {.exec = Exec::cuda(0)});
    ADD_FAILURE() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
  }
}

/// As bytes: NaN is among them.
void expect_same_curvature(const Curvature& made, const Curvature& host) {
  EXPECT_EQ(made.is_on_boundary, host.is_on_boundary);
  EXPECT_EQ(hash_values(made.defect), hash_values(host.defect));
  EXPECT_EQ(hash_values(made.area), hash_values(host.area));
  EXPECT_EQ(hash_values(made.gaussian), hash_values(host.gaussian));
  EXPECT_EQ(hash_values(made.mean), hash_values(host.mean));
  EXPECT_EQ(hash_values(made.minimum), hash_values(host.minimum));
  EXPECT_EQ(hash_values(made.maximum), hash_values(host.maximum));
}

/// With a point that is no number and triangles without area.
std::vector<TriMesh> curved_surfaces() {
  std::vector<TriMesh> meshes = odd_surfaces();
  meshes.push_back(make_disk());
  meshes.push_back(make_ico(5));
  TriMesh broken = make_height_field(9, 9);
  broken.points.visit([](auto points) {
    using T = decltype(points[0].x);
    points[40].y = std::numeric_limits<T>::quiet_NaN();
    points[3] = points[4];
  });
  meshes.push_back(broken);
  return meshes;
}

class DeviceCurvature : public OnDevice {};

TEST_F(DeviceCurvature, IsTheHosts) {
  for (const TriMesh& bare : curved_surfaces()) {
    for (const TriMesh& mesh : {bare, in_double(bare)})
      expect_same_curvature(compute_curvature(mesh, {.exec = Exec::cuda(0)}), compute_curvature(mesh));
  }
}

TEST(DeviceCodeOnTheHost, CurvesAsTheHostDoes) {
  for (const TriMesh& mesh : curved_surfaces())
    expect_same_curvature(cuda::compute_curvature(mesh, Exec::host(2)), compute_curvature(mesh));
}

TEST(DeviceCodeOnTheHost, MakesTheDualAsTheHostDoes) {
  std::vector<TriMesh> meshes = odd_surfaces();
  meshes.push_back(make_disk());
  for (const TriMesh& mesh : meshes) {
    const PolyData host = make_dual(mesh);
    PolyData made;
    const Array<std::uint32_t> owners = cuda::make_cells(made, mesh, Exec::host(2));
    ASSERT_EQ(made.points, host.points);
    ASSERT_EQ(made.vertices, host.vertices);
    ASSERT_EQ(made.lines, host.lines);
    ASSERT_EQ(made.polygons, host.polygons);
    ASSERT_TRUE(std::ranges::equal(owners, host.cell_data.at("InputVertex").as<std::int64_t>()));
  }
}

/// Asks for a stop at the n-th CUDA call.
class StopAfter : public DeviceWatch {
 public:
  explicit StopAfter(std::int64_t calls) : calls_left_(calls) {}
  [[nodiscard]] bool accept(const char*) override {
    if (calls_left_.fetch_sub(1) == 1) source_.request_stop();
    return true;
  }
  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }
  [[nodiscard]] bool has_stopped() const { return source_.stop_requested(); }

 private:
  std::atomic<std::int64_t> calls_left_;
  std::stop_source source_;
};

class DeviceCancel : public OnDevice {};

TEST_F(DeviceCancel, EveryGeneratorStopsBetweenCudaCalls) {
  const TriMesh surface = make_ico(3);
  const TetMesh solid = make_kuhn(6);
  const Field field = make_wave_field(solid.points, WaveField::rough);
  const Grid grid = make_lattice(12, 12, 12);
  const Field on_grid = make_sphere_field(grid);
  const double isovalue = 0.4;
  const Isosurface cut = isosurface(grid, on_grid, {&isovalue, 1}, {.keep_provenance = true});
  const double zero = 0;
  using Operation = std::function<void(const Exec&, const Monitor*)>;
  const std::vector<std::pair<std::string, Operation>> operations = {
      {"subdivide",
       [&](const Exec& e, const Monitor* m) { (void)subdivide(surface, {.exec = e, .monitor = m}); }},
      {"weld", [&](const Exec& e, const Monitor* m) { (void)weld(surface, {.exec = e, .monitor = m}); }},
      {"dual", [&](const Exec& e, const Monitor* m) { (void)make_dual(surface, {.exec = e, .monitor = m}); }},
      {"curvature",
       [&](const Exec& e, const Monitor* m) { (void)compute_curvature(surface, {.exec = e, .monitor = m}); }},
      {"tetrahedralize",
       [&](const Exec& e, const Monitor* m) { (void)tetrahedralize(grid, {.exec = e, .monitor = m}); }},
      {"isosurface",
       [&](const Exec& e, const Monitor* m) {
         (void)isosurface(grid, on_grid, {&isovalue, 1}, {.exec = e, .monitor = m});
       }},
      {"isosurface of tets",
       [&](const Exec& e, const Monitor* m) {
         (void)isosurface(solid, field, {&zero, 1}, {.exec = e, .monitor = m});
       }},
      {"coarsen",
       [&](const Exec& e, const Monitor* m) {
         (void)coarsen(cut.mesh, cut.provenance, {.exec = e, .monitor = m});
       }},
  };
  for (const auto& [name, run] : operations) {
    for (const std::int64_t calls : {1, 2, 5, 9}) {
      SCOPED_TRACE(name + " stopped at call " + std::to_string(calls));
      const auto watch = std::make_shared<StopAfter>(calls);
      const Monitor monitor{{}, watch->token()};
      try {
        run(Exec::cuda().with_watch(watch), &monitor);
        EXPECT_GT(calls, 2) << "it went on";  // later calls may be the last
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::cancelled) << error.what();
        EXPECT_TRUE(watch->has_stopped());
      }
    }
  }
}

}  // namespace
}  // namespace tessera
