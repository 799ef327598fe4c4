// tetrahedralize: published counts, solids from files, and what is refused.
#include <gtest/gtest.h>

#include <tessera/io/io.h>

#include "cli/run_program.h"

namespace tessera::test {
namespace {

using nlohmann::json;

class CliTetrahedralize : public ProgramTest {
 protected:
  json result(const Arguments& line) { return run_json(line)["result"]; }
  /// Two hexahedra side by side, a voxel on the first and a wedge beside the second, and a triangle.
  void write_solids() {
    write("s.vtk",
          "# vtk DataFile Version 3.0\nsolids\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 18 float\n"
          "0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1\n"  // 0 .. 7
          "2 0 0 2 1 0 2 0 1 2 1 1\n"                          // 8 .. 11
          "0 0 2 1 0 2 0 1 2 1 1 2\n"                          // 12 .. 15
          "3 0 0 3 0 1\n"                                      // 16, 17
          "CELLS 5 38\n"
          "8 0 1 2 3 4 5 6 7\n"
          "8 1 8 9 2 5 10 11 6\n"
          "8 4 5 7 6 12 13 14 15\n"
          "6 8 9 16 10 11 17\n"
          "3 0 1 2\n"
          "CELL_TYPES 5\n12\n12\n11\n13\n5\n"
          "CELL_DATA 5\nSCALARS name int 1\nLOOKUP_TABLE default\n7 8 9 10 11\n");
  }
};

TEST_F(CliTetrahedralize, CutsGrids) {
  ASSERT_EQ(run({"make", "lattice", "--size", "17x9x5", "--field", "mri", "-o", "g.vti"}).code, 0);
  const json five = result({"tetrahedralize", "g.vti", "--method", "five", "-o", "t.vtu"});
  EXPECT_EQ(five["input_cells"], 16 * 8 * 4);
  EXPECT_EQ(five["tetrahedra"], 5 * 16 * 8 * 4);
  const TetMesh mesh = read_tets(path("t.vtu"));
  EXPECT_EQ(mesh.vertex_count(), 17u * 9 * 5);
  EXPECT_EQ(mesh.field("mri"), read_grid(path("g.vti")).field("mri"));
  EXPECT_EQ(result({"tetrahedralize", "g.vti"})["tetrahedra"], 6 * 16 * 8 * 4);
  const json centred =
      result({"tetrahedralize", "g.vti", "--method", "face-centred", "--provenance", "-o", "c.vtu"});
  EXPECT_EQ(centred["tetrahedra"], 24 * 16 * 8 * 4);
  EXPECT_EQ(read_tets(path("c.vtu")).cell_data.at("InputCell").as<std::int64_t>()[24 * 5], 5);
  write("v.raw", std::string(27, 'x'));
  EXPECT_EQ(result({"tetrahedralize", "v.raw", "--dims", "3x3x3"})["tetrahedra"], 48);
}

TEST_F(CliTetrahedralize, CutsSolids) {
  write_solids();
  const json six = result({"tetrahedralize", "s.vtk", "-o", "six.vtu"});
  EXPECT_EQ(six["input_cells"], 4);
  EXPECT_EQ(six["tetrahedra"], 6 + 6 + 6 + 3);
  const json notes = run_json({"tetrahedralize", "s.vtk"})["notes"];
  EXPECT_NE(notes.dump().find("Left out 1 cell of a lower dimension"), std::string::npos) << notes;
  const json again = result({"tetrahedralize", "six.vtu", "--provenance", "-o", "again.vtu"});
  EXPECT_EQ(again["tetrahedra"], 6 + 6 + 6 + 3);
  EXPECT_EQ(result({"tetrahedralize", "s.vtk", "--method", "face-centred", "-o", "c.vtu"})["tetrahedra"],
            24 + 24 + 24 + 14);
  for (const char* name : {"six.vtu", "c.vtu"}) {
    const TetMesh mesh = read_tets(path(name));
    double sum = 0;
    for (const TetMesh::Cell& t : mesh.cells) {
      const Vec3d a = mesh.points[t[0]];
      const double six_volumes =
          dot(cross(mesh.points[t[1]] - a, mesh.points[t[2]] - a), mesh.points[t[3]] - a);
      EXPECT_GT(six_volumes, 0);
      sum += six_volumes / 6;
    }
    EXPECT_NEAR(sum, 3.5, 1e-6);
    const auto names = mesh.cell_data.at("name").as<std::int32_t>();
    EXPECT_EQ(names.front(), 7);
    EXPECT_EQ(names.back(), 10);
  }
}

TEST_F(CliTetrahedralize, ReadsSolidsFromXml) {
  write(
      "s.vtu",
      "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\"><UnstructuredGrid>"
      "<Piece NumberOfPoints=\"9\" NumberOfCells=\"2\"><Points>"
      "<DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">"
      "0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1 0.5 0.5 2</DataArray></Points><Cells>"
      "<DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">0 1 2 3 4 5 6 7 4 5 6 7 8</DataArray>"
      "<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">8 13</DataArray>"
      "<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">12 14</DataArray>"
      "</Cells></Piece></UnstructuredGrid></VTKFile>");
  EXPECT_EQ(result({"tetrahedralize", "s.vtu"})["tetrahedra"], 6 + 2);
  const json centred = result({"tetrahedralize", "s.vtu", "--method", "face-centred"});
  EXPECT_EQ(centred["tetrahedra"], 24 + 8);
  EXPECT_EQ(centred["points"], 9 + 6 + 2);  // the base of the pyramid is a face of the hexahedron
}

TEST_F(CliTetrahedralize, RefusesWhatItCanNotCut) {
  write_solids();
  expect_one_sentence(run({"tetrahedralize", "s.vtk", "--method", "five", "-q"}), 6,
                      {"cell 3", "no hexahedron"});
  ASSERT_EQ(run({"make", "ico", "--size", "1", "-o", "i.vtp"}).code, 0);
  expect_one_sentence(run({"tetrahedralize", "i.vtp"}), 6, {"'i.vtp' holds no grid"});
  ASSERT_EQ(run({"make", "lattice", "--size", "9x9x1", "-o", "flat.vti"}).code, 0);
  expect_one_sentence(run({"tetrahedralize", "flat.vti"}), 6, {"9 x 9 x 1", "no volume"});
  ASSERT_EQ(run({"make", "lattice", "--size", "33", "-o", "g.vti"}).code, 0);
  EXPECT_EQ(run({"tetrahedralize", "g.vti", "--method", "seven"}).code, 2);
}

}  // namespace
}  // namespace tessera::test
