// Parts of grids in files are those of the grid that read_grid() reads, and files that are written in parts
// have the bytes of those that write_mesh() writes.
#include <tessera/io/grid_file.h>

#include <gtest/gtest.h>

#include <algorithm>

#include <tessera/io/grid_writer.h>

#include "distribute/slab_grids.h"

namespace tessera::testing {
namespace {

/// A grid with fields of several types on points, cells and the whole.
Grid rich_grid(const Dims& dims) {
  Grid grid = grid_of(dims);
  for_each_type([&]<class T>(T) {
    const Field field = random_field<T>(grid.vertex_count(), 100, sizeof(T));
    const std::span<const T> values = field.as<T>();
    grid.point_data.add(
        Field("p" + std::to_string(grid.point_data.size()), Array<T>(values.begin(), values.end())));
  });
  grid.point_data.add(Field("Normals", Array<float>(3 * grid.vertex_count(), 0.5f), 3));
  grid.point_data.set_active("p3");
  grid.cell_data.add(Field("c", Array<std::int32_t>(2 * grid.cell_count(), 7), 2));
  grid.field_data.add(Field("time", Array<double>{1.5, 2}));
  return grid;
}

Field part_of(const Field& field, std::size_t first, std::size_t count) {
  Array<std::uint32_t> chosen(count);
  for (std::size_t i = 0; i < count; ++i) chosen[i] = static_cast<std::uint32_t>(first + i);
  return field.gather(chosen);
}

void expect_parts(const GridFile& file, const Grid& grid) {
  EXPECT_EQ(file.shape().dims, grid.dims);
  EXPECT_EQ(file.shape().origin, grid.origin);
  EXPECT_EQ(file.shape().spacing, grid.spacing);
  EXPECT_EQ(file.shape().field_data, grid.field_data);
  ASSERT_EQ(file.point_fields().size(), grid.point_data.size());
  ASSERT_EQ(file.cell_fields().size(), grid.cell_data.size());
  for (const StoredField& stored : file.point_fields()) {
    const Field& field = grid.field(stored.name);
    Field part(stored.name, stored.type, 4, stored.components);
    file.read(stored, 5, 3, part, 1);
    file.read(stored, 2, 1, part);
    EXPECT_EQ(part_of(part, 1, 3), part_of(field, 5, 3)) << stored.name;
    EXPECT_EQ(part_of(part, 0, 1), part_of(field, 2, 1)) << stored.name;
  }
}

TEST(GridFile, ReadsPartsOfWhatIsAppendedRaw) {
  const TempDir folder;
  const Grid grid = rich_grid({4, 3, 5});
  write_mesh(folder / "g.vti", grid);
  const GridFile file(folder / "g.vti");
  expect_parts(file, grid);
  EXPECT_EQ(file.bytes(), grid.bytes());
  EXPECT_TRUE(file.notes().empty());
}

TEST(GridFile, ReadsBothByteOrders) {
  const TempDir folder;
  for_each_type([&]<class T>(T) {
    const Field field = random_field<T>(60, 120, 1);
    std::string bytes = bytes_of(field);
    for (std::size_t i = 0; i < bytes.size(); i += sizeof(T))
      std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                   bytes.begin() + static_cast<std::ptrdiff_t>(i + sizeof(T)));
    save(folder / "big.raw", "head" + bytes);
    const GridFile file(
        folder / "big.raw",
        {.dims = {5, 4, 3}, .type = field.type(), .is_big_endian = true, .skipped_bytes = 4, .field = "f"});
    Grid grid;
    grid.dims = {5, 4, 3};
    grid.point_data.add(field);
    expect_parts(file, grid);
  });
}

/// The message of the error that f() ends with.
template <class F>
std::string message_of(ErrorCode code, const F& f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "is not refused";
  return "";
}

TEST(GridFile, RefusesOtherEncodingsAndSaysWhatToDo) {
  const TempDir folder;
  const Grid grid = rich_grid({4, 3, 5});
  for (const WriteOptions& options : {WriteOptions{.ascii = true}, WriteOptions{.compress = true}}) {
    write_mesh(folder / "g.vti", grid, options);
    const GridFile file(folder / "g.vti");
    EXPECT_FALSE(file.point_field("p3").place);
    Field to("p3", file.point_field("p3").type, 1);
    const std::string message =
        message_of(ErrorCode::unsupported, [&] { file.read(file.point_field("p3"), 0, 1, to); });
    EXPECT_NE(message.find("g.vti: the array \"p3\""), std::string::npos) << message;
    EXPECT_NE(message.find("uncompressed"), std::string::npos) << message;
  }
}

TEST(GridFile, RefusesFilesOfAnotherSize) {
  const TempDir folder;
  save(folder / "short.raw", std::string(59, 'x'));
  const RawLayout layout{.dims = {5, 4, 3}};
  const std::string message =
      message_of(ErrorCode::bad_file, [&] { GridFile file(folder / "short.raw", layout); });
  EXPECT_NE(message.find("59 bytes"), std::string::npos) << message;
  EXPECT_NE(message.find("are 60"), std::string::npos) << message;
  (void)message_of(ErrorCode::bad_file, [&] {
    GridFile file(folder / "short.raw", {.dims = {4294967295u, 4294967295u, 4294967295u}});
  });
  (void)message_of(ErrorCode::not_found, [&] { GridFile file(folder / "none.raw", layout); });

  write_mesh(folder / "g.vti", rich_grid({4, 3, 5}));
  const std::string whole = load(folder / "g.vti");
  save(folder / "cut.vti", whole.substr(0, whole.size() / 2));
  (void)message_of(ErrorCode::bad_file, [&] { GridFile file(folder / "cut.vti"); });
}

TEST(GridFile, NamesTheFieldsThereAre) {
  const TempDir folder;
  write_mesh(folder / "g.vti", rich_grid({4, 3, 5}));
  const GridFile file(folder / "g.vti");
  const std::string message = message_of(ErrorCode::not_found, [&] { (void)file.point_field("q"); });
  EXPECT_NE(message.find("p3"), std::string::npos) << message;
}

TEST(GridWriter, WritesTheBytesOfWriteMesh) {
  const TempDir folder;
  for (const Dims& dims : {Dims{4, 3, 5}, Dims{4, 1, 5}, Dims{2, 2, 1}}) {
    const Grid grid = rich_grid(dims);
    write_mesh(folder / "whole.vti", grid);
    const GridFile file(folder / "whole.vti");
    GridWriter writer(folder / "parts.vti", file.shape());
    const std::size_t half = grid.vertex_count() / 2;
    for (const std::size_t first : {half, std::size_t{0}}) {  // in any order
      const std::size_t count = first == 0 ? half : grid.vertex_count() - half;
      std::size_t i = 0;
      for (const Field& field : grid.point_data) writer.write_points(i++, first, field, first, count);
    }
    writer.write_cells(0, 0, *grid.cell_data.begin(), 0, grid.cell_count());
    Field back("p2", grid.field("p2").type(), 2);
    writer.read_points(2, 1, 2, back);
    EXPECT_EQ(part_of(back, 0, 2), part_of(grid.field("p2"), 1, 2));
    EXPECT_EQ(folder.file_count(), 2u);  // the whole one and a temporary one
    writer.commit();
    EXPECT_EQ(load(folder / "parts.vti"), load(folder / "whole.vti"));
    std::filesystem::remove(folder / "parts.vti");
  }
}

TEST(GridWriter, LeavesNothingBehindIfItIsNotFinished) {
  const TempDir folder;
  const Grid grid = rich_grid({4, 3, 5});
  { GridWriter writer(folder / "parts.vti", grid); }
  EXPECT_EQ(folder.file_count(), 0u);
  (void)message_of(ErrorCode::write_failed, [&] { GridWriter(folder / "no" / "parts.vti", grid); });
}

}  // namespace
}  // namespace tessera::testing
