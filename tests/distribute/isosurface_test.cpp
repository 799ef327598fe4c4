// Isosurfaces of a grid in slabs have the bytes of those of the grid in memory.
#include <tessera/distribute/isosurface.h>

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "distribute/slab_grids.h"

namespace tessera::testing {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

void expect_equal(const Isosurface& parts, const Isosurface& whole) {
  EXPECT_EQ(parts.mesh, whole.mesh);
  EXPECT_EQ(parts.mesh.point_data.names(), whole.mesh.point_data.names());
  EXPECT_EQ(parts.provenance, whole.provenance);
}

void expect_equal_surfaces(const Grid& grid, const GridFile& file, const std::vector<double>& values,
                           const SlabSurfaceOptions& options) {
  const Field& field = grid.field("f");
  std::uint64_t vertices = 0;
  SlabSurfaceOptions in_slabs = options;
  in_slabs.expect = [&](const SurfaceSize& size) {
    vertices = size.vertices;
    return options.height % 2 == 0 ? 1u : 0u;  // slabs may be others when the surface is written
  };
  const Isosurface whole = isosurface(grid, field, values, options.surface);
  expect_equal(isosurface(file, "f", values, in_slabs), whole);
  if (!options.surface.merge_exact) {
    EXPECT_EQ(vertices, whole.mesh.vertex_count());
  }
}

TEST(SlabIsosurface, HasTheBytesOfTheWhole) {
  const TempDir folder;
  for (const Dims& dims : all_dims()) {
    const RawGrid raw = make_raw(folder, dims, random_field<float>(grid_of(dims).vertex_count(), 9, 5));
    for (const std::uint32_t height : heights_of(raw.grid)) {
      SCOPED_TRACE(say(dims) + " in slabs of " + std::to_string(height));
      for (const auto normals : {SurfaceNormals::none, SurfaceNormals::averaged, SurfaceNormals::gradient}) {
        expect_equal_surfaces(raw.grid, raw.file, {4.5}, {{.normals = normals}, height});
        expect_equal_surfaces(raw.grid, raw.file, {2, 4.5, 20, 7.25},
                              {{.normals = normals, .merge_exact = true, .keep_provenance = true}, height});
      }
      expect_equal_surfaces(raw.grid, raw.file, {3, 3.5}, {{.keep_provenance = true}, height});
    }
  }
}

TEST(SlabIsosurface, OfEveryTypeWithAnyThreads) {
  const TempDir folder;
  for_each_type([&]<class T>(T) {
    const RawGrid raw = make_raw(folder, {70, 4, 9}, random_field<T>(70 * 4 * 9, 100, 2));
    for (const int threads : {1, 2, 7}) {
      for (const std::uint32_t height : heights_of(raw.grid))
        expect_equal_surfaces(raw.grid, raw.file, {50.5, 20},
                              {{.normals = SurfaceNormals::gradient, .exec = Exec::host(threads)}, height});
    }
  });
}

TEST(SlabIsosurface, EndsAtNumbersThatAreNone) {
  const TempDir folder;
  Field field = random_field<double>(6 * 5 * 11, 9, 3);
  for (std::size_t v = 7; v < field.size(); v += 53) field.as<double>()[v] = nan;
  const RawGrid raw = make_raw(folder, {6, 5, 11}, field);
  std::vector<std::uint64_t> valueless;
  for (const std::uint32_t height : heights_of(raw.grid)) {
    SlabSurfaceOptions options{{.normals = SurfaceNormals::gradient}, height};
    expect_equal_surfaces(raw.grid, raw.file, {4.5, 3}, options);
    options.expect = [&](const SurfaceSize& size) {
      valueless.push_back(size.valueless_cells);
      return 0u;
    };
    (void)isosurface(raw.file, "f", std::vector<double>{4.5}, options);
  }
  // Cells with a corner that has no value, counted one by one.
  std::uint64_t expected = 0;
  for (std::size_t k = 0; k + 1 < 11; ++k) {
    for (std::size_t j = 0; j + 1 < 5; ++j) {
      for (std::size_t i = 0; i + 1 < 6; ++i) {
        bool has_nan = false;
        for (std::size_t c = 0; c < 8; ++c) {
          const std::size_t v = i + (c & 1) + 6 * (j + (c >> 1 & 1) + 5 * (k + (c >> 2)));
          has_nan = has_nan || v % 53 == 7;
        }
        expected += has_nan ? 1 : 0;
      }
    }
  }
  EXPECT_EQ(valueless, std::vector<std::uint64_t>(valueless.size(), expected));
}

TEST(SlabIsosurface, BringsOtherFieldsOver) {
  const TempDir folder;
  for (const double spacing : {0.5, -0.5}) {  // the second one is a mirrored grid
    Grid grid = grid_of({6, 5, 9});
    grid.spacing.x = spacing;
    grid.point_data.add(random_field<float>(grid.vertex_count(), 9, 5));
    const Field other = random_field<std::int16_t>(2 * grid.vertex_count(), 100, 6);
    const auto values = other.as<std::int16_t>();
    grid.point_data.add(Field("pair", Array<std::int16_t>(values.begin(), values.end()), 2));
    grid.point_data.add(Field("Normals", Array<float>(3 * grid.vertex_count(), 1), 3));
    Array<std::int32_t> numbers(grid.cell_count());
    for (std::size_t c = 0; c < numbers.size(); ++c) numbers[c] = static_cast<std::int32_t>(c);
    grid.cell_data.add(Field("cell", std::move(numbers)));
    write_mesh(folder / "g.vti", grid);
    const GridFile file(folder / "g.vti");
    for (const std::uint32_t height : heights_of(grid)) {
      for (const bool merges : {false, true}) {
        for (const auto normals : {SurfaceNormals::none, SurfaceNormals::averaged}) {
          expect_equal_surfaces(grid, file, {4, 2.5}, {{.normals = normals, .merge_exact = merges}, height});
          expect_equal_surfaces(
              grid, file, {4},
              {{.normals = normals, .merge_exact = merges, .keep_provenance = true, .transfer_data = false},
               height});
          expect_equal_surfaces(grid, file, {40}, {{.normals = normals, .merge_exact = merges}, height});
        }
      }
    }
  }
}

TEST(SlabIsosurface, CanBeRefusedBeforeItIsMade) {
  const TempDir folder;
  const RawGrid raw = make_raw(folder, {6, 5, 9}, random_field<float>(6 * 5 * 9, 9, 5));
  const auto refuse = [](const SurfaceSize& size) -> std::uint32_t {
    EXPECT_GT(size.bytes, size.vertices * sizeof(Vec3f) + size.triangles * sizeof(TriMesh::Cell));
    throw Error(ErrorCode::out_of_memory, "too large");
  };
  const std::vector<double> values = {4.5};
  EXPECT_THROW((void)isosurface(raw.file, "f", values, {{}, 2, refuse}), Error);
  EXPECT_THROW((void)isosurface(raw.file, "g", values), Error);
  EXPECT_THROW((void)isosurface(raw.file, "f", std::vector<double>{nan}), Error);
}

}  // namespace
}  // namespace tessera::testing
