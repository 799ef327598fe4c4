// Critical points of a grid in slabs are those of the grid in memory.
#include <tessera/distribute/critical_points.h>

#include <gtest/gtest.h>

#include <limits>

#include <tessera/topology/export.h>

#include "distribute/slab_grids.h"

namespace tessera::testing {
namespace {

void expect_equal_points(const RawGrid& raw, const SlabOptions& options) {
  const Field& field = *raw.grid.point_data.begin();
  const CriticalPoints whole = critical_points(raw.grid, field);
  const CriticalPoints parts = critical_points(raw.file, field.name(), options);
  EXPECT_EQ(parts.points, whole.points);
  EXPECT_EQ(parts.counts, whole.counts);
}

TEST(SlabCriticalPoints, AreThoseOfTheWholeGrid) {
  const TempDir folder;
  for (const Dims& dims : all_dims()) {
    const std::size_t size = grid_of(dims).vertex_count();
    for (const std::uint64_t range : {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{1000}}) {
      const RawGrid raw = make_raw(folder, dims, random_field<float>(size, range, size + range));
      for (const std::uint32_t height : heights_of(raw.grid)) {
        SCOPED_TRACE(say(dims) + " in slabs of " + std::to_string(height));
        expect_equal_points(raw, {.height = height});
      }
    }
  }
}

TEST(SlabCriticalPoints, OfEveryTypeWithAnyThreads) {
  const TempDir folder;
  const Dims dims = {9, 7, 8};
  for_each_type([&]<class T>(T) {
    const RawGrid raw = make_raw(folder, dims, random_field<T>(9 * 7 * 8, 50, 3));
    for (const int threads : {1, 2, 7}) {
      for (const std::uint32_t height : heights_of(raw.grid))
        expect_equal_points(raw, {.height = height, .exec = Exec::host(threads)});
    }
  });
}

TEST(SlabCriticalPoints, AreWrittenAsThoseOfTheWholeGrid) {
  const TempDir folder;
  const RawGrid raw = make_raw(folder, {6, 5, 7}, random_field<std::int16_t>(6 * 5 * 7, 20, 1));
  const CriticalPoints points = critical_points(raw.file, "f", {.height = 2});
  write_poly(folder / "parts.vtp", make_poly(points, raw.file, "f"));
  write_poly(folder / "whole.vtp", make_poly(points, raw.grid, raw.grid.field("f")));
  EXPECT_EQ(load(folder / "parts.vtp"), load(folder / "whole.vtp"));
}

TEST(SlabCriticalPoints, AreWrittenInParts) {
  const TempDir folder;
  for (const Dims& dims : all_dims()) {
    const std::size_t size = grid_of(dims).vertex_count();
    const RawGrid raw = make_raw(folder, dims, random_field<double>(size, 50, size));
    const CriticalPoints whole = critical_points(raw.grid, "f");
    write_poly(folder / "whole.vtp", make_poly(whole, raw.grid, raw.grid.field("f")));
    for (const std::uint32_t height : heights_of(raw.grid)) {
      SCOPED_TRACE(say(dims) + " in slabs of " + std::to_string(height));
      EXPECT_EQ(write_critical_points(raw.file, "f", folder / "parts.vtp", {.slabs = {height}}),
                whole.counts);
      EXPECT_EQ(load(folder / "parts.vtp"), load(folder / "whole.vtp"));
      EXPECT_EQ(count_critical_points(raw.file, "f", {height}), whole.counts);
    }
  }
  const RawGrid raw = make_raw(folder, {3, 3, 3}, random_field<double>(27, 50, 1));
  EXPECT_THROW(write_critical_points(raw.file, "f", folder / "x.vtp", {.write = {.ascii = true}}), Error);
  EXPECT_FALSE(std::filesystem::exists(folder / "x.vtp"));
}

/// What is said when the analysis is refused.
template <class F>
std::string refusal(ErrorCode code, const F& analyse) {
  try {
    analyse();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  ADD_FAILURE() << "is not refused";
  return "";
}

TEST(SlabCriticalPoints, NumbersThatAreNoneAreRefusedAsInMemory) {
  const TempDir folder;
  Field field = random_field<double>(4 * 5 * 9, 100, 1);
  for (const std::size_t v : {std::size_t{150}, std::size_t{131}, std::size_t{179}})
    field.as<double>()[v] = std::numeric_limits<double>::quiet_NaN();
  const RawGrid raw = make_raw(folder, {4, 5, 9}, field);
  const std::string whole =
      refusal(ErrorCode::unsupported, [&] { (void)critical_points(raw.grid, raw.grid.field("f")); });
  EXPECT_EQ(refusal(ErrorCode::unsupported, [&] { (void)critical_points(raw.file, "f", {.height = 2}); }),
            whole);
}

TEST(SlabCriticalPoints, RefusesWhatTheWholeGridIsRefusedFor) {
  const TempDir folder;
  const RawGrid line = make_raw(folder, {9, 1, 1}, random_field<float>(9, 5, 1), "line.raw");
  (void)refusal(ErrorCode::unsupported, [&] { (void)critical_points(line.file, "f"); });
  const RawGrid raw = make_raw(folder, {3, 3, 3}, random_field<float>(27, 5, 1));
  (void)refusal(ErrorCode::not_found, [&] { (void)critical_points(raw.file, "g"); });
  Grid vectors = grid_of({3, 3, 3});
  vectors.point_data.add(Field("v", ScalarType::f32, 27, 3));
  write_mesh(folder / "v.vti", vectors);
  (void)refusal(ErrorCode::unsupported, [&] { (void)critical_points(GridFile(folder / "v.vti"), "v"); });
}

TEST(SlabCriticalPoints, CanBeStoppedBetweenSlabs) {
  const TempDir folder;
  const RawGrid raw = make_raw(folder, {3, 3, 9}, random_field<float>(81, 5, 1));
  std::stop_source source;
  Monitor monitor;
  monitor.stop = source.get_token();
  monitor.report = [&](std::string_view, double fraction) {
    if (fraction > 0.5) source.request_stop();
  };
  (void)refusal(ErrorCode::cancelled,
                [&] { (void)critical_points(raw.file, "f", {.height = 1, .monitor = &monitor}); });
}

}  // namespace
}  // namespace tessera::testing
