// Verbs that read and write meshes: make, convert, info and doctor agree with each other.
#include <gtest/gtest.h>

#include <map>

#include "cli/run_program.h"

namespace tessera::test {
namespace {

class CliFiles : public ProgramTest {
 protected:
  nlohmann::json info(const std::string& file) { return run_json({"info", file})["result"]["files"][0]; }
  void ok(const Arguments& line) {
    const Outcome outcome = run(line);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
};

TEST_F(CliFiles, InfoGoesOnAfterABadFile) {
  ASSERT_EQ(run({"make", "octahedron", "-o", "o.ply"}).code, 0);
  write("broken.vtu", "<VTKFile type=\"UnstructuredGrid\"><oops");
  const Arguments line = {"info", "broken.vtu", "o.ply", "nowhere.vtu", "o.ply"};
  const Outcome outcome = run(line);
  EXPECT_EQ(outcome.code, 4);
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 2) << outcome.err;
  EXPECT_LT(outcome.err.find("broken.vtu"), outcome.err.find("nowhere.vtu"));
  const std::size_t first = outcome.out.find("o.ply: triangle mesh");
  EXPECT_NE(first, std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("o.ply: triangle mesh", first + 1), std::string::npos) << outcome.out;
  const auto object = run_json(line, 4);
  EXPECT_EQ(object["error"]["code"], 4);
  const auto& files = object["result"]["files"];
  ASSERT_EQ(files.size(), 4U);
  EXPECT_EQ(files[0]["error"]["name"], "bad_file");
  EXPECT_EQ(files[1]["points"], 6);
  EXPECT_EQ(files[2]["error"]["code"], 3);
  EXPECT_EQ(files[3]["points"], 6);
}

TEST_F(CliFiles, InfoCountsWhatCanBeCountedByHand) {
  // 4^3 points, 3^3 cubes of 6 tetrahedra.
  ok({"make", "kuhn-full", "--size", "4", "--field", "smooth", "-o", "cube.vtu"});
  const auto cube = info("cube.vtu");
  EXPECT_EQ(cube["kind"], "tetrahedral mesh");
  EXPECT_EQ(cube["format"], "vtu");
  EXPECT_EQ(cube["points"], 64);
  EXPECT_EQ(cube["cells"], 162);
  EXPECT_EQ(cube["cells_in_file"]["tetrahedron"], 162);
  EXPECT_EQ(cube["box"], nlohmann::json::parse("[[0,0,0],[1,1,1]]"));
  ASSERT_EQ(cube["fields"].size(), 1u);
  EXPECT_EQ(cube["fields"][0]["name"], "smooth");
  EXPECT_EQ(cube["fields"][0]["association"], "points");
  EXPECT_EQ(cube["fields"][0]["type"], "float32");
  EXPECT_EQ(cube["fields"][0]["tuples"], 64);
  EXPECT_EQ(cube["fields"][0]["nan_count"], 0);
  EXPECT_LT(cube["fields"][0]["range"][0], cube["fields"][0]["range"][1]);
}

TEST_F(CliFiles, InfoPrintsThousandsAndFields) {
  ok({"make", "kuhn-full", "--size", "11", "--field", "rough", "-o", "cube.vtu"});
  const Outcome outcome = run({"info", "cube.vtu"});
  EXPECT_NE(outcome.out.find("cube.vtu: tetrahedral mesh (vtu)"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("1,331"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("6,000"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("rough"), std::string::npos) << outcome.out;
}

TEST_F(CliFiles, InfoCountsNaNAndLeavesItOutOfTheRange) {
  write("t.vtk",
        "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n"
        "0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n"
        "POINT_DATA 4\nSCALARS f float 1\nLOOKUP_TABLE default\n3 nan -2 7\n");
  const auto field = info("t.vtk")["fields"][0];
  EXPECT_EQ(field["range"], nlohmann::json::parse("[-2.0, 7.0]"));
  EXPECT_EQ(field["nan_count"], 1);
}

TEST_F(CliFiles, InfoOfSeveralFiles) {
  ok({"make", "octahedron", "-o", "a.ply"});
  ok({"make", "lattice", "--size", "3x4x5", "--field", "sphere", "-o", "b.vti"});
  const auto object = run_json({"info", "a.ply", "b.vti"});
  EXPECT_EQ(object["input"], nlohmann::json::parse(R"(["a.ply", "b.vti"])"));
  EXPECT_EQ(object["result"]["files"][0]["kind"], "triangle mesh");
  EXPECT_EQ(object["result"]["files"][1]["kind"], "grid");
  EXPECT_EQ(object["result"]["files"][1]["dims"], nlohmann::json::parse("[3, 4, 5]"));
}

TEST_F(CliFiles, MakeConvertInfoRoundTrip) {
  ok({"make", "kuhn", "--size", "10", "--field", "rough", "-o", "a.vtu"});
  ok({"convert", "a.vtu", "b.vtk", "--ascii"});
  ok({"convert", "b.vtk", "-o", "c.vtu", "--compress"});
  const auto first = info("a.vtu");
  const auto last = info("c.vtu");
  for (const char* key : {"kind", "points", "cells", "box", "fields"})
    EXPECT_EQ(first[key], last[key]) << key;
}

TEST_F(CliFiles, EveryShapeCanBeMade) {
  const std::vector<Arguments> lines = {{"kuhn", "a.vtu", "10"},        {"kuhn-full", "b.vtu", "3"},
                                        {"ico", "c.ply", "2"},          {"torus", "d.vtp", "12x8"},
                                        {"height-field", "e.obj", "9"}, {"lattice", "f.vti", "5"}};
  for (const Arguments& line : lines) ok({"make", line[0], "--size", line[2], "-o", line[1]});
  EXPECT_EQ(info("c.ply")["cells"], 20 * 16);
  EXPECT_EQ(info("d.vtp")["cells"], 12 * 8 * 2);
  EXPECT_EQ(info("e.obj")["points"], 81);
  EXPECT_EQ(info("f.vti")["points"], 125);
}

TEST_F(CliFiles, SmallShapesHaveNames) {
  ok({"make", "one_tet", "-o", "a.vtu"});
  ok({"make", "two_components", "-o", "b.vtp"});
  ok({"make", "solid_two_components", "-o", "c.vtu"});
  EXPECT_EQ(info("a.vtu")["cells"], 1);
  EXPECT_EQ(info("b.vtp")["kind"], "triangle mesh");
  EXPECT_EQ(info("c.vtu")["kind"], "tetrahedral mesh");
}

TEST_F(CliFiles, FieldsAreNamedByWhatTheyAre) {
  ok({"make", "lattice", "--size", "4", "--field", "sphere,mri,rough", "-o", "g.vti"});
  const auto fields = info("g.vti")["fields"];
  ASSERT_EQ(fields.size(), 3u);
  EXPECT_EQ(fields[0]["name"], "sphere");
  EXPECT_EQ(fields[1]["name"], "mri");
  EXPECT_EQ(fields[2]["name"], "rough");
}

TEST_F(CliFiles, ShuffleKeepsTheMeshAndChangesTheFile) {
  ok({"make", "ico", "--size", "2", "-o", "a.vtp"});
  ok({"make", "ico", "--size", "2", "--shuffle", "-o", "b.vtp"});
  ok({"make", "ico", "--size", "2", "--shuffle", "-o", "c.vtp"});
  EXPECT_EQ(info("a.vtp")["box"], info("b.vtp")["box"]);
  EXPECT_NE(read("a.vtp"), read("b.vtp"));
  EXPECT_EQ(read("b.vtp"), read("c.vtp"));
}

TEST_F(CliFiles, SurfaceOfACubeIsClosed) {
  // 6 sides of 3 x 3 squares, two triangles each; V - E + F = 2 with E = 3F / 2.
  ok({"make", "kuhn-full", "--size", "4", "--field", "rough", "-o", "cube.vtu"});
  ok({"convert", "cube.vtu", "skin.vtp", "--surface"});
  const auto skin = info("skin.vtp");
  EXPECT_EQ(skin["cells"], 108);
  EXPECT_EQ(skin["points"], 56);
  EXPECT_EQ(skin["fields"][0]["name"], "rough");
  const auto report = run_json({"doctor", "skin.vtp"})["result"]["report"];
  EXPECT_EQ(report["boundary_faces"], 0);
  EXPECT_EQ(report["euler_characteristic"], 2);
  EXPECT_EQ(report["has_errors"], false);
}

TEST_F(CliFiles, HexahedraAreCutWithANoteButKeptWhereTheyCanBe) {
  write("hex.vtk",
        "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 8 float\n"
        "0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1\nCELLS 1 9\n8 0 1 2 3 4 5 6 7\nCELL_TYPES 1\n12\n");
  for (const char* file : {"hex.vtk", "kept.vtu", "again.vtk"}) {
    if (file != std::string("hex.vtk")) ok({"convert", "hex.vtk", file});
    const auto shown = info(file);
    EXPECT_EQ(shown["kind"], "solid mesh");
    EXPECT_EQ(shown["points"], 8);
    EXPECT_EQ(shown["cells"], 1);
    EXPECT_EQ(shown["cells_in_file"], (nlohmann::json{{"hexahedron", 1}}));
    EXPECT_TRUE(shown["notes"].empty()) << shown["notes"];
  }
  const auto cut = run_json({"info", "hex.vtk", "--simplices"})["result"]["files"][0];
  EXPECT_EQ(cut["kind"], "tetrahedral mesh");
  EXPECT_NE(cut["notes"].dump().find("1 hexahedron"), std::string::npos) << cut["notes"];
  expect_one_sentence(run({"convert", "hex.vtk", "skin.ply"}), 6, {"cannot hold solids", "--surface"});
  ok({"convert", "hex.vtk", "skin.ply", "--surface"});
  EXPECT_EQ(info("skin.ply")["cells"], 12);
  const auto doctor = run_json({"doctor", "hex.vtk"});
  EXPECT_EQ(doctor["result"]["report"]["has_errors"], false);
  EXPECT_NE(doctor["notes"].dump().find("Cut into tetrahedra"), std::string::npos) << doctor["notes"];
  EXPECT_EQ(run_json({"critical-points", "hex.vtk", "--field", ":z"})["result"]["minimum"], 1);
  ok({"convert", "hex.vtk", "tets.vtu", "--simplices"});
  EXPECT_GE(info("tets.vtu")["cells"], 5);
}

TEST_F(CliFiles, PolygonsAndLinesAreConvertedAsTheyAre) {
  write("m.vtk",
        "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n"
        "0 0 0 1 0 0 1 1 0 0 1 0 .5 2 0\nCELLS 3 13\n4 0 1 2 3\n2 2 4\n4 3 2 4 0\nCELL_TYPES 3\n9\n3\n7\n"
        "CELL_DATA 3\nSCALARS row int 1\nLOOKUP_TABLE default\n5 6 7\n");
  EXPECT_EQ(info("m.vtk")["kind"], "polygon mesh");
  const auto poly = run_json({"convert", "m.vtk", "m.vtp"});
  EXPECT_EQ(poly["result"]["output"]["cells"], 3);
  EXPECT_NE(poly["notes"].dump().find("lines before polygons"), std::string::npos) << poly["notes"];
  EXPECT_EQ(info("m.vtp")["cells_in_file"], (nlohmann::json{{"line", 1}, {"quad", 2}}));
  const auto faces = run_json({"convert", "m.vtk", "m.ply"});
  EXPECT_NE(faces["notes"].dump().find("cannot hold: 1 line"), std::string::npos) << faces["notes"];
  EXPECT_EQ(info("m.ply")["cells_in_file"], (nlohmann::json{{"quad", 2}}));
  EXPECT_EQ(info("m.ply")["fields"][0]["range"], (nlohmann::json{5, 7}));
  const auto cut = run_json({"convert", "m.vtk", "m.stl"});
  EXPECT_EQ(cut["result"]["output"]["cells"], 4);
  EXPECT_NE(cut["notes"].dump().find("Cut into triangles: 1 polygon, 1 quad"), std::string::npos);
  ok({"convert", "m.vtk", "cut.vtu", "--simplices"});
  EXPECT_EQ(info("cut.vtu")["cells_in_file"], (nlohmann::json{{"triangle", 4}}));
}

TEST_F(CliFiles, QuadraticCellsAreLinearizedOnRequest) {
  write("q.vtk",
        "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 6 float\n"
        "0 0 0 2 0 0 0 2 0 1 0 0 1 1 0 0 1 0\nCELLS 1 7\n6 0 1 2 3 4 5\nCELL_TYPES 1\n22\n");
  for (const char* verb : {"info", "doctor", "curvature"}) {
    expect_one_sentence(run({verb, "q.vtk"}), 6, {"1 quadratic triangle", "(--linearize)"});
    ok({verb, "q.vtk", "--linearize"});
  }
  const auto output = run_json({"convert", "q.vtk", "t.ply", "--linearize"});
  EXPECT_EQ(output["result"]["output"]["points"], 3);
  EXPECT_NE(output["notes"].dump().find("dropped 3 points"), std::string::npos) << output["notes"];
}

TEST_F(CliFiles, DoctorIsContentWithAGoodMesh) {
  ok({"make", "octahedron", "-o", "o.ply"});
  const auto result = run_json({"doctor", "o.ply"})["result"];
  EXPECT_EQ(result["report"]["vertices"], 6);
  EXPECT_EQ(result["report"]["edges"], 12);
  EXPECT_EQ(result["report"]["cells"], 8);
  EXPECT_EQ(result["report"]["euler_characteristic"], 2);
  EXPECT_EQ(result["report"]["components"], 1);
}

TEST_F(CliFiles, DoctorNamesTheCellsOfTheFile) {
  // The sides of a cube and a flat quad, which is the seventh cell and is cut into two flat triangles.
  write("box.off",
        "OFF\n10 7 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n5 0 0\n6 0 0\n"
        "4 0 3 2 1\n4 4 5 6 7\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n4 0 1 8 9\n");
  const auto run_doctor = run({"doctor", "box.off", "-o", "defects.vtp"});
  EXPECT_EQ(run_doctor.code, 0) << run_doctor.out;
  EXPECT_NE(run_doctor.out.find("polygon mesh: 10 points, 7 quads\nexamined as a triangle mesh: 10 vertices"),
            std::string::npos)
      << run_doctor.out;
  const auto document = run_json({"doctor", "box.off"});
  EXPECT_EQ(document["result"]["cells_in_file"], (nlohmann::json{{"quad", 7}}));
  EXPECT_NE(document["notes"].dump().find("Cut into triangles: 7 quads."), std::string::npos);
  bool is_found = false;
  for (const auto& finding : document["result"]["report"]["findings"]) {
    if (finding["kind"] != "degenerate_cell") continue;
    is_found = true;
    EXPECT_EQ(finding["count"], 1);
    EXPECT_EQ(finding["ids"], (nlohmann::json{{6}}));
  }
  EXPECT_TRUE(is_found);
  const auto defects = info("defects.vtp");
  for (const auto& field : defects["fields"]) {
    if (field["name"] == "InputId" && field["association"] == "cells") {
      EXPECT_EQ(field["range"][1], 6);
    }
  }
}

TEST_F(CliFiles, DoctorFindsMendsAndDrawsDefects) {
  // Triangle 1 names point 0 twice; point 4 is used by nobody.
  write("bad.off", "OFF\n5 2 0\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n9 9 9\n3 0 1 2\n3 0 0 3\n");
  const Outcome outcome = run({"doctor", "bad.off"});
  EXPECT_EQ(outcome.code, 5) << outcome.err;
  EXPECT_NE(outcome.out.find("error"), std::string::npos) << outcome.out;
  EXPECT_EQ(run({"doctor", "bad.off", "-o", "defects.vtp"}).code, 5);
  EXPECT_GE(info("defects.vtp")["cells"], 1);
  ok({"doctor", "bad.off", "--fix", "-o", "mended.off"});
  EXPECT_EQ(info("mended.off")["cells"], 1);
  EXPECT_EQ(run({"doctor", "mended.off"}).code, 0);
  // Triangle 1 has its corners on a line.
  write("flat.off", "OFF\n4 2 0\n0 0 0\n1 0 0\n0 1 0\n2 0 0\n3 0 1 2\n3 0 1 3\n");
  EXPECT_EQ(run_json({"doctor", "flat.off", "--fix", "-o", "mended.off"})["result"]["changes"][0]["kind"],
            "dropped_degenerate_cells");
  EXPECT_EQ(info("mended.off")["cells"], 1);
  ok({"doctor", "flat.off", "--fix", "--no-drop", "-o", "kept.off"});
  EXPECT_EQ(info("kept.off")["cells"], 2);
}

/// The same grid of 6 x 5 x 4 points as numbers and, with a header, as text.
class CliRawVolumes : public CliFiles {
 protected:
  void SetUp() override {
    std::string bytes;
    std::string text =
        "# vtk DataFile Version 3.0\nx\nASCII\nDATASET STRUCTURED_POINTS\nDIMENSIONS 6 5 4\nORIGIN 0 0 0\n"
        "SPACING 1 1 2\nPOINT_DATA 120\nSCALARS value unsigned_short\nLOOKUP_TABLE default\n";
    for (unsigned i = 0; i < 120; ++i) {
      const unsigned value = i * 7919 % 1009;
      bytes += {static_cast<char>(value / 256), static_cast<char>(value % 256)};
      text += std::to_string(value) + "\n";
    }
    write("v.raw", bytes);
    write("v.vtk", text);
  }
  const Arguments how = {"--dims", "6x5x4", "--type", "uint16", "--spacing", "1x1x2", "--big-endian"};
};

TEST_F(CliRawVolumes, EveryVerbThatTakesAGridReadsThem) {
  for (const Arguments& verb : std::vector<Arguments>{{"critical-points"},
                                                      {"gradient"},
                                                      {"morse-smale"},
                                                      {"persistence"},
                                                      {"doctor"},
                                                      {"isosurface", "--value", "500"},
                                                      {"tetrahedralize"},
                                                      {"coarsen", "--value", "500"}}) {
    Arguments raw = {verb.front(), "v.raw"};
    Arguments with_header = {verb.front(), "v.vtk"};
    for (Arguments* line : {&raw, &with_header}) line->insert(line->end(), verb.begin() + 1, verb.end());
    raw.insert(raw.end(), how.begin(), how.end());
    EXPECT_EQ(run_json(raw)["result"], run_json(with_header)["result"]) << verb.front();
  }
  Arguments line = {"convert", "v.raw", "-o", "g.vti"};
  line.insert(line.end(), how.begin(), how.end());
  ok(line);
  ok({"convert", "v.vtk", "-o", "h.vti"});
  EXPECT_EQ(read("g.vti"), read("h.vti"));
  line = {"info", "v.raw"};
  line.insert(line.end(), how.begin(), how.end());
  EXPECT_EQ(run_json(line)["result"]["files"][0]["fields"], info("v.vtk")["fields"]);
}

TEST_F(CliRawVolumes, AreRefusedWithAReason) {
  expect_one_sentence(run({"info", "v.raw"}), 6, {"v.raw", "unknown extension", "--dims for a raw volume"});
  expect_one_sentence(run({"gradient", "v.raw", "--dims", "6x5x5", "--type", "int16"}), 4,
                      {"240 bytes", "300"});
  expect_one_sentence(run({"curvature", "v.raw", "--dims", "6x5x4", "--type", "int16"}), 6,
                      {"v.raw", "grid"});
}

TEST_F(CliFiles, FilesThatAnInputIsReadFromAreNotWrittenOver) {
  write("t.node", "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 2\n");
  write("t.ele", "1 4\n0 0 1 2 3\n");
  const std::string nodes = read("t.node");
  expect_one_sentence(run({"info", "t.ele", "--json", "t.node"}), 2, {"t.node"});
  EXPECT_EQ(read("t.node"), nodes);
  write("bad.node", "4 3 0 0\n0 0 0\n");
  write("bad.ele", "1 4\n0 0 1 2 3\n");
  EXPECT_NE(run({"info", "bad.ele", "--json", "bad.node"}).code, 0);
  EXPECT_EQ(read("bad.node"), "4 3 0 0\n0 0 0\n");  // nor by an error that comes before the file is known
  EXPECT_EQ(run({"info", "--json", "t.ele"}).code, 2);
  EXPECT_EQ(read("t.ele"), "1 4\n0 0 1 2 3\n");
  write("data.vti", std::string(24, 'x'));
  write("t.nhdr", "NRRD0004\ntype: uchar\ndimension: 3\nsizes: 2 3 4\nencoding: raw\ndata file: data.vti\n");
  expect_one_sentence(run({"convert", "t.nhdr", "data.vti"}), 2, {"data.vti", "read and written"});
  EXPECT_EQ(read("data.vti"), std::string(24, 'x'));
}

/// Of three tetrahedra, one has a corner at NaN and one a corner at infinity; `f` is NaN at a corner of all.
constexpr const char* partly_nowhere =
    "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 6 double\n"
    "0 0 0 1 0 0 0 1 0 0 0 1 nan 1 1 inf 0 0\nCELLS 3 15\n4 0 1 2 3\n4 1 2 3 4\n4 1 2 3 5\n"
    "CELL_TYPES 3\n10 10 10\nPOINT_DATA 6\nSCALARS f double\nLOOKUP_TABLE default\n0 1 2 nan 3 4\n"
    "SCALARS g double\nLOOKUP_TABLE default\n0 1 2 3 4 5\n";

TEST_F(CliFiles, WhatIsNotFiniteIsSaid) {
  write("n.vtk", partly_nowhere);
  const auto notes = [&](const Arguments& line) { return run_json(line)["notes"]; };
  const auto list = [](std::initializer_list<const char*> sentences) {
    return nlohmann::json(std::vector<std::string>(sentences.begin(), sentences.end()));
  };
  const auto seen = info("n.vtk");
  EXPECT_EQ(seen["box"], nlohmann::json::parse("[[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]"));
  EXPECT_EQ(seen["notes"], list({"There are 2 points whose coordinates are not finite; the box is around the "
                                 "others."}));
  EXPECT_EQ(notes({"slice", "n.vtk", "--axis", "x", "--position", "0.3", "-o", "s.vtp"}),
            list({"left out 2 cells with a corner that has no place, being NaN or infinite"}));
  EXPECT_EQ(notes({"isosurface", "n.vtk", "--field", "g", "--value", "3.5", "-o", "i.vtp"}),
            list({"'i.vtp' has 6 points whose coordinates are not finite"}));
  EXPECT_EQ(notes({"isosurface", "n.vtk", "--field", "f", "--value", "1.5"}),
            list({"left out 3 cells with a corner at which 'f' is NaN",
                  "the surface is empty: 'f' goes from 0 to 4"}));
  EXPECT_EQ(notes({"clip", "n.vtk", "--field", "g", "--value", "1.5", "-o", "c.vtu"}),
            list({"'c.vtu' has 4 points whose coordinates are not finite"}));
  EXPECT_EQ(notes({"convert", "n.vtk", "d.vtu"}),
            list({"'d.vtu' has 2 points whose coordinates are not finite"}));
  EXPECT_TRUE(notes({"isosurface", "n.vtk", "--field", "g", "--value", "0.5", "-o", "i.vtp"}).empty());
}

// All four cells have the point in the middle as a corner.
TEST_F(CliFiles, CellsOfGridsWithoutAValueAreCounted) {
  const std::string head =
      "# vtk DataFile Version 3.0\nt\nASCII\nDATASET STRUCTURED_POINTS\nORIGIN 0 0 0\nSPACING 1 1 1\n";
  const std::string layer = "0 1 2 3 nan 5 6 7 8 ";
  write("g.vtk", head + "DIMENSIONS 3 3 2\nPOINT_DATA 18\nSCALARS f float\nLOOKUP_TABLE default\n" + layer +
                     "0 1 2 3 4 5 6 7 8\n");
  write("flat.vtk", head + "DIMENSIONS 3 3 1\nPOINT_DATA 9\nSCALARS f float\nLOOKUP_TABLE default\n" + layer);
  for (const char* const file : {"g.vtk", "flat.vtk"}) {
    const auto notes = run_json({"isosurface", file, "--value", "4.5"})["notes"];
    ASSERT_GE(notes.size(), 1U);
    EXPECT_EQ(notes[0], "left out 4 cells with a corner at which 'f' is NaN") << file;
  }
}

TEST_F(CliFiles, LinesAndPointsAreNoEmptyTetrahedra) {
  const std::string head =
      "# vtk DataFile Version 3.0\ne\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 3 float\n0 0 0 1 0 0 0 1 0\n";
  write("lines.vtk", head + "CELLS 1 3\n2 0 1\nCELL_TYPES 1\n3\n");
  write("points.vtk", head + "CELLS 1 2\n1 0\nCELL_TYPES 1\n1\n");
  for (const Arguments& line :
       std::vector<Arguments>{{"slice", "lines.vtk", "--axis", "x"},
                              {"curvature", "lines.vtk"},
                              {"relations", "lines.vtk", "--relation", "VV"},
                              {"convert", "lines.vtk", "l.stl"},
                              {"threshold", "lines.vtk", "--field", ":x", "--min", "0"}})
    expect_one_sentence(run(line), 6, {"'lines.vtk' holds lines only", "triangles"});
  expect_one_sentence(run({"weld", "points.vtk"}), 6, {"'points.vtk' holds points only"});
  EXPECT_EQ(info("lines.vtk")["kind"], "line mesh");
  // What the format cannot hold is not counted as written.
  const auto written = run_json({"convert", "lines.vtk", "l.ply"});
  EXPECT_EQ(written["result"]["output"]["cells"], 0);
  const Outcome outcome = run({"convert", "lines.vtk", "l.ply"});
  EXPECT_NE(outcome.out.find("wrote l.ply: 3 points, 0 cells"), std::string::npos) << outcome.out;
}

TEST_F(CliFiles, DoctorFlagsDegenerateSolids) {
  write("h.vtk",
        "# vtk DataFile Version 3.0\ne\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 8 float\n"
        "0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1\nCELLS 3 24\n8 0 1 2 3 4 5 6 7\n8 0 1 2 2 4 5 6 6\n"
        "5 0 1 2 3 1\nCELL_TYPES 3\n12 12 14\n");
  // The second is a part of the first, so its tetrahedra are there twice.
  const auto findings = run_json({"doctor", "h.vtk"}, 5)["result"]["report"]["findings"];
  std::map<std::string, nlohmann::json> ids;
  for (const auto& finding : findings) ids[finding["kind"]] = finding["ids"];
  EXPECT_EQ(ids["repeated_corner"], nlohmann::json::parse("[[1], [2]]"));
  EXPECT_EQ(ids["degenerate_cell"], nlohmann::json::parse("[[2]]"));
}

}  // namespace
}  // namespace tessera::test
