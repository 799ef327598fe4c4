// Regions of a grid in slabs are those of the grid in memory, and so is the file that they are written to.
#include <tessera/distribute/regions.h>

#include <gtest/gtest.h>

#include <limits>

#include <tessera/mesh/make.h>
#include <tessera/topology/export.h>

#include "distribute/slab_grids.h"

namespace tessera::testing {
namespace {

template <int Dim>
RegionSummary write_whole(const Grid& grid, const std::string& field, const std::filesystem::path& file) {
  const auto complex =
      morse_smale<Dim>(grid, field, {.separatrices = false, .connectors = false, .keep_paths = false});
  RegionSummary summary;
  for (int d = 0; d <= Dim; ++d)
    summary.critical_cells[static_cast<std::size_t>(d)] = complex.gradient.critical_cells(d).size();
  summary.regions = complex.segmentation.count;
  Grid result = grid;
  add_manifolds(result.point_data, complex.segmentation);
  write_mesh(file, result);
  return summary;
}

RegionSummary write_whole(const Grid& grid, const std::string& field, const std::filesystem::path& file) {
  const bool is_flat = layers_of(grid).points == grid.dims[0] && (grid.dims[1] == 1 || grid.dims[2] == 1);
  const bool is_side = grid.dims[0] == 1;
  return is_flat || is_side ? write_whole<2>(grid, field, file) : write_whole<3>(grid, field, file);
}

void expect_equal_regions(const TempDir& folder, const Grid& grid, const GridFile& file,
                          const std::vector<int>& threads = {2}) {
  const RegionSummary whole = write_whole(grid, "f", folder / "whole.vti");
  const std::string bytes = load(folder / "whole.vti");
  for (const std::uint32_t height : heights_of(grid)) {
    for (const int count : threads) {
      SCOPED_TRACE(say(grid.dims) + " in slabs of " + std::to_string(height));
      const RegionSummary parts =
          write_regions(file, "f", folder / "parts.vti", {.slabs = {height, Exec::host(count)}});
      EXPECT_EQ(parts.critical_cells, whole.critical_cells);
      EXPECT_EQ(parts.regions, whole.regions);
      EXPECT_EQ(load(folder / "parts.vti"), bytes);
      std::filesystem::remove(folder / "parts.vti");
    }
  }
}

TEST(SlabRegions, AreThoseOfTheWholeGrid) {
  const TempDir folder;
  for (const Dims& dims : all_dims()) {
    const std::size_t size = grid_of(dims).vertex_count();
    for (const std::uint64_t range : {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{1000}}) {
      const RawGrid raw = make_raw(folder, dims, random_field<float>(size, range, size + range));
      expect_equal_regions(folder, raw.grid, raw.file);
    }
  }
}

TEST(SlabRegions, OfEveryTypeWithAnyThreads) {
  const TempDir folder;
  for_each_type([&]<class T>(T) {
    const RawGrid raw = make_raw(folder, {9, 7, 8}, random_field<T>(9 * 7 * 8, 50, 3));
    expect_equal_regions(folder, raw.grid, raw.file, {1, 2, 7});
  });
}

/// Paths that go through every slab, up and down and back: a ramp, its mirror image, and a screw.
TEST(SlabRegions, OfPathsThroughAllSlabs) {
  const TempDir folder;
  const Dims dims = {7, 6, 25};
  const auto expect_equal_of = [&](const auto& value_of) {
    Array<float> values;
    for (std::uint32_t z = 0; z < dims[2]; ++z) {
      for (std::uint32_t y = 0; y < dims[1]; ++y) {
        for (std::uint32_t x = 0; x < dims[0]; ++x) values.push_back(value_of(x, y, z));
      }
    }
    const RawGrid raw = make_raw(folder, dims, Field("f", std::move(values)));
    expect_equal_regions(folder, raw.grid, raw.file);
  };
  expect_equal_of([](auto, auto, auto z) { return static_cast<float>(z); });
  expect_equal_of([](auto, auto, auto z) { return -static_cast<float>(z); });
  // Columns that are walked up and down by turns: one long path.
  expect_equal_of([&](auto x, auto y, auto z) {
    const std::uint32_t column = y * 7 + x;
    const std::uint32_t along = column % 2 == 0 ? z : 24 - z;
    return static_cast<float>(column % 2 == 0 && y % 2 == 0 ? 25 * column + along : 5000 + along);
  });
  // -0 and 0 are equal.
  expect_equal_of([](auto x, auto, auto z) { return (x + z) % 2 == 0 ? 0.0f : -0.0f; });
}

TEST(SlabRegions, KeepOtherFieldsAndReplaceTheirOwn) {
  const TempDir folder;
  Grid grid = grid_of({5, 4, 9});
  grid.point_data.add(Field("before", Array<double>(2 * grid.vertex_count(), 0.5), 2));
  grid.point_data.add(Field("DescendingManifold", Array<float>(grid.vertex_count(), 1)));
  grid.point_data.add(random_field<float>(grid.vertex_count(), 30, 5));
  grid.cell_data.add(Field("cell", Array<std::int16_t>(grid.cell_count(), 3)));
  grid.field_data.add(Field("time", Array<double>{2.5}));
  grid.point_data.set_active("f");
  write_mesh(folder / "g.vti", grid);
  expect_equal_regions(folder, grid, GridFile(folder / "g.vti"));
}

TEST(SlabRegions, CountWithoutKeepingTheFile) {
  const TempDir folder;
  const RawGrid raw = make_raw(folder, {5, 6, 7}, random_field<float>(210, 100, 5));
  const RegionSummary whole = write_whole(raw.grid, "f", folder / "whole.vti");
  const RegionSummary parts =
      write_regions(raw.file, "f", folder / "parts.vti", {.slabs = {2}, .keeps_file = false});
  EXPECT_EQ(parts.critical_cells, whole.critical_cells);
  EXPECT_EQ(parts.regions, whole.regions);
  EXPECT_EQ(folder.file_count(), 2u);  // what was read, and the whole
}

TEST(SlabRegions, LeaveNothingBehindIfTheyAreRefusedOrStopped) {
  const TempDir folder;
  Field field = random_field<float>(3 * 4 * 9, 5, 1);
  const RawGrid raw = make_raw(folder, {3, 4, 9}, field);
  field.as<float>()[100] = std::numeric_limits<float>::quiet_NaN();
  const RawGrid late = make_raw(folder, {3, 4, 9}, field, "nan.raw");
  const auto code_of = [&](const GridFile& file, const SlabRegionOptions& options) {
    try {
      (void)write_regions(file, "f", folder / "parts.vti", options);
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode{};
  };
  EXPECT_EQ(code_of(late.file, {.slabs = {1}}), ErrorCode::unsupported);
  EXPECT_EQ(code_of(raw.file, {.slabs = {1}, .write = {.ascii = true}}), ErrorCode::bad_option);
  EXPECT_EQ(code_of(raw.file, {.slabs = {1}, .write = {.compress = true}}), ErrorCode::bad_option);
  // A stop anywhere.
  for (int reports = 1;; ++reports) {
    std::stop_source source;
    Monitor monitor;
    monitor.stop = source.get_token();
    int left = reports;
    monitor.report = [&](std::string_view, double) {
      if (--left == 0) source.request_stop();
    };
    const ErrorCode code = code_of(raw.file, {.slabs = {2, Exec::host(), &monitor}});
    if (code == ErrorCode{}) break;
    EXPECT_EQ(code, ErrorCode::cancelled);
    EXPECT_EQ(folder.file_count(), 2u);
  }
  EXPECT_EQ(folder.file_count(), 3u);
}

}  // namespace
}  // namespace tessera::testing
