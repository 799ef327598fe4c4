// Text, progress and boundary, without starting the program.
#include <gtest/gtest.h>

#include <tessera/core/error.h>
#include <tessera/mesh/boundary.h>
#include <tessera/mesh/make.h>

#include "application/progress_bar.h"
#include "application/text.h"

namespace tessera::cli {
namespace {

TEST(CliText, GroupsThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(counted(1, "point", "points"), "1 point");
  EXPECT_EQ(counted(2000, "point", "points"), "2,000 points");
}

TEST(CliText, ControlCharactersAndBadUtf8AreEscaped) {
  EXPECT_EQ(printable("na\xc3\xafve \xf0\x9f\x98\x80"), "na\xc3\xafve \xf0\x9f\x98\x80");
  EXPECT_EQ(printable("\x1b[31mred\n\t\x7f"), "\\x1b[31mred\\x0a\\x09\\x7f");
  EXPECT_EQ(printable("a\nb\r", "\n"), "a\nb\\x0d");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J"),
            "\\xc2\\x9b"
            "2J");                                          // the 8-bit escape sequence
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\xe2\\x80\\xae");  // right to left
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");           // no such byte, cut off
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(CliText, Seconds) {
  EXPECT_EQ(format_seconds(0.3149), "0.31 s");
  EXPECT_EQ(format_seconds(12.44), "12.4 s");
  EXPECT_EQ(format_seconds(187), "3:07");
  EXPECT_EQ(format_seconds(3661), "1:01:01");
}

TEST(CliText, ListsAndSlips) {
  EXPECT_EQ(quoted_list({}), "");
  EXPECT_EQ(quoted_list({"a"}), "'a'");
  EXPECT_EQ(quoted_list({"a", "b", "c"}), "'a', 'b' and 'c'");
  EXPECT_EQ(nearest_name("inof", {"doctor", "info"}), "info");
  EXPECT_EQ(nearest_name("banana", {"doctor", "info"}), "");
}

TEST(CliText, TableColumnsLineUp) {
  Table table({Align::left, Align::right});
  table.add({"name", "count"});
  table.add({"naïve", "7"});
  EXPECT_EQ(table.text(), "  name   count\n  naïve      7\n");
}

TEST(CliProgress, LineSaysHowFarAndHowLong) {
  EXPECT_EQ(progress_line("reading", 0, 0), "reading  [                        ]   0%");
  EXPECT_EQ(progress_line("reading", 0.5, 10), "reading  [############            ]  50%  0:10 left");
  EXPECT_EQ(progress_line("reading", 1, 10), "reading  [########################] 100%  0:00 left");
}

TEST(CliBoundary, OneTetrahedronHasFourFacesTurnedOutward) {
  const TetMesh tet = make_small_solid("one_tet");
  const TriMesh surface = compute_boundary(tet);
  ASSERT_EQ(surface.cell_count(), 4u);
  const Vec3d middle = {0.25, 0.25, 0.25};
  for (const auto& face : surface.cells) {
    const Vec3d a = surface.points[face[0]];
    const Vec3d normal = cross(surface.points[face[1]] - a, surface.points[face[2]] - a);
    EXPECT_GT(dot(normal, a - middle), 0);
  }
}

TEST(CliBoundary, SharedFacesAndUnusedPointsAreLeftOut) {
  // Two tetrahedra share a face: 8 faces less the two sides of it. A cube of 4^3 points has 2^3 inside.
  EXPECT_EQ(compute_boundary(make_small_solid("two_tets")).cell_count(), 6u);
  const TetMesh full = make_kuhn_full(4);
  const TriMesh surface = compute_boundary(full);
  EXPECT_EQ(surface.cell_count(), 108u);
  EXPECT_EQ(surface.vertex_count(), 56u);
}

TEST(CliBoundary, OfChosenTetrahedraWithTheirData) {
  TetMesh mesh = make_small_solid("two_tets");
  mesh.cell_data.add(Field("number", Array<std::int32_t>{10, 20}));
  const Array<std::uint8_t> chosen = {0, 1};
  const TriMesh surface = compute_boundary(mesh, chosen);
  EXPECT_EQ(surface.cell_count(), 4u);
  EXPECT_EQ(surface.vertex_count(), 4u);
  for (const std::int32_t number : surface.cell_data.at("number").as<std::int32_t>()) EXPECT_EQ(number, 20);
}

TEST(CliBoundary, RefusesIndicesOutOfRange) {
  TetMesh mesh = make_small_solid("one_tet");
  mesh.cells[0][2] = VertexId(9);
  EXPECT_THROW((void)compute_boundary(mesh), Error);
}

}  // namespace
}  // namespace tessera::cli
