// Every refusal: the exit code of docs/cli.md and one sentence that says what to do.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>
#include <cstdlib>

#include <algorithm>

#include <tessera/core/memory.h>

#include "cli/run_program.h"

namespace tessera::test {
namespace {

class CliError : public ProgramTest {
 protected:
  void make_mesh() {
    ASSERT_EQ(run({"make", "kuhn", "--size", "8", "--field", "rough,smooth", "-o", "mesh.vtu"}).code, 0);
  }
};

TEST_F(CliError, UnknownVerb) {
  expect_one_sentence(run({"inof", "mesh.vtu"}), 2, {"no verb 'inof'", "did you mean 'info'"});
  expect_one_sentence(run({"transmogrify"}), 2, {"'info'", "'render'"});
}

TEST_F(CliError, NoVerbAndNoInput) {
  expect_one_sentence(run({}), 2, {"tessera --help"});
  expect_one_sentence(run({"info"}), 2, {"tessera info --help"});
}

TEST_F(CliError, UnknownOption) {
  expect_one_sentence(run({"info", "mesh.vtu", "--colour"}), 2, {"--colour", "tessera info --help"});
  expect_one_sentence(run({"info", "mesh.vtu", "--simplicse"}), 2,
                      {"'--simplicse'", "did you mean '--simplices'?"});
  expect_one_sentence(run({"info", "--thread=2"}), 2, {"'--thread'", "did you mean '--threads'?"});
  expect_one_sentence(run({"--thread", "2", "info", "mesh.vtu"}), 2, {"did you mean '--threads'?"});
  expect_one_sentence(run({"--simplicse", "info", "mesh.vtu"}), 2, {"did you mean '--simplices'?"});
  expect_one_sentence(run({"--colour"}), 2, {"--colour", "'tessera --help'"});
  expect_one_sentence(run({"--quiet"}), 2, {"'info'", "tessera --help"});
  expect_one_sentence(run({"--quiet", "inof"}), 2, {"did you mean 'info'?"});
}

TEST_F(CliError, MissingFile) {
  expect_one_sentence(run({"info", "nowhere.vtu"}), 3, {"nowhere.vtu"});
  expect_one_sentence(run({"render", "nowhere.vtu", "-o", "x.png"}), 3, {"nowhere.vtu"});
}

TEST_F(CliError, BrokenFile) {
  write("broken.vtu", "<VTKFile type=\"UnstructuredGrid\"><oops");
  expect_one_sentence(run({"info", "broken.vtu"}), 4, {"broken.vtu"});
}

TEST_F(CliError, UnknownExtension) {
  make_mesh();
  write("mesh.xyz", "?");
  EXPECT_EQ(run({"info", "mesh.xyz"}).code, 6);
  expect_one_sentence(run({"convert", "mesh.vtu", "mesh.docx"}), 6, {"mesh.docx", ".vtu", ".ply"});
  expect_one_sentence(run({"render", "mesh.vtu", "-o", "mesh.jpg"}), 6, {"mesh.jpg", ".png"});
}

TEST_F(CliError, UnknownFieldListsThoseThereAre) {
  make_mesh();
  expect_one_sentence(run({"render", "mesh.vtu", "--field", "pressure", "-o", "x.png"}), 3,
                      {"'pressure'", "'rough' (points)", "'smooth' (points)"});
}

TEST_F(CliError, BadMemory) {
  expect_one_sentence(run({"info", "mesh.vtu", "--memory", "lots"}), 2, {"'lots'", "8G"});
  expect_one_sentence(run({"info", "mesh.vtu", "--memory", "0"}), 2, {"--memory"});
}

TEST_F(CliError, MoreThanTheMemoryAllowed) {
  make_mesh();
  const Bytes program = run_json({"devices"})["peak_bytes"];
  const std::string limit = std::to_string(program + memory_noise + mib(8));
  ASSERT_EQ(run({"make", "kuhn", "--size", "100", "-o", "mesh.vtu"}).code, 0);
  expect_one_sentence(run({"info", "mesh.vtu", "--memory", limit}), 8, {"mesh.vtu", "was not read", "allow"});
  EXPECT_EQ(run({"make", "kuhn", "--size", "300", "--memory", limit, "-o", "big.vtu"}).code, 8);
  EXPECT_FALSE(std::filesystem::exists(path("big.vtu")));
}

TEST_F(CliError, BadDeviceAndThreads) {
  expect_one_sentence(run({"devices", "--device", "abacus"}), 2, {"'abacus'", "auto, cpu, cuda"});
  expect_one_sentence(run({"devices", "--threads", "-3"}), 2, {"--threads"});
}

TEST_F(CliError, CudaWithoutAGpu) {
  if (!run_json({"devices"})["result"]["cuda"].empty()) GTEST_SKIP() << "this machine has a GPU";
  expect_one_sentence(run({"devices", "--device", "cuda"}), 9, {});
}

TEST_F(CliError, UnwritableOutput) {
  make_mesh();
  expect_one_sentence(run({"convert", "mesh.vtu", "nowhere/copy.vtu"}), 7, {"nowhere", "copy.vtu"});
  expect_one_sentence(run({"make", "kuhn", "-o", "nowhere/x.vtu"}), 7, {"nowhere"});
  std::filesystem::create_directory(path("folder.vtu"));
  EXPECT_EQ(run({"convert", "mesh.vtu", "folder.vtu"}).code, 7);
  if (geteuid() == 0) return;  // root may write anywhere
  std::filesystem::create_directory(path("closed"));
  std::filesystem::permissions(path("closed"), std::filesystem::perms::owner_read);
  expect_one_sentence(run({"convert", "mesh.vtu", "closed/copy.vtu"}), 7, {"closed"});
}

TEST_F(CliError, TetrahedraInASurfaceFormat) {
  make_mesh();
  expect_one_sentence(run({"convert", "mesh.vtu", "mesh.ply"}), 6, {"cannot hold tetrahedra", "--surface"});
  EXPECT_EQ(files(), std::vector<std::string>{"mesh.vtu"});
}

TEST_F(CliError, SurfaceOfASurface) {
  ASSERT_EQ(run({"make", "octahedron", "-o", "o.ply"}).code, 0);
  expect_one_sentence(run({"convert", "o.ply", "o2.ply", "--surface"}), 6, {"--surface", "triangle mesh"});
}

TEST_F(CliError, ConvertOutputs) {
  make_mesh();
  expect_one_sentence(run({"convert", "mesh.vtu"}), 2, {"-o"});
  expect_one_sentence(run({"convert", "mesh.vtu", "a.vtu", "-o", "b.vtu"}), 2, {"'a.vtu'", "'b.vtu'"});
}

// Before anything is read or computed: what is there stays.
TEST_F(CliError, FilesThatWouldOverwriteEachOther) {
  make_mesh();
  const std::string before = read("mesh.vtu");
  expect_one_sentence(run({"convert", "mesh.vtu", "mesh.vtu"}), 2, {"'mesh.vtu' is read and written"});
  expect_one_sentence(run({"convert", "mesh.vtu", "./mesh.vtu", "--compress"}), 2, {"read and written"});
  std::filesystem::create_symlink("mesh.vtu", path("link.vtu"));
  expect_one_sentence(run({"convert", "mesh.vtu", "link.vtu"}), 2, {"read and written"});
  std::filesystem::remove(path("link.vtu"));
  expect_one_sentence(
      run({"morse-smale", "mesh.vtu", "--critical-points", "a.vtp", "--separatrices", "a.vtp"}), 2,
      {"'a.vtp' is written twice"});
  expect_one_sentence(run({"info", "mesh.vtu", "--json", "mesh.vtu"}), 2, {"--json"});
  expect_one_sentence(run({"convert", "mesh.vtu", "o.vtu", "--json", "o.vtu"}), 2, {"--json"});
  // Other ways to write a name of a file that is not there yet.
  std::filesystem::create_directory(path("sub"));
  std::filesystem::create_symlink("o.vtu", path("link.vtu"));
  for (const std::string& name : {std::string("./o.vtu"), std::string("sub/../o.vtu"), path("o.vtu").string(),
                                  std::string("link.vtu")}) {
    SCOPED_TRACE(name);
    expect_one_sentence(run({"convert", "mesh.vtu", "o.vtu", "--json", name}), 2, {"--json"});
  }
  expect_one_sentence(
      run({"morse-smale", "mesh.vtu", "--critical-points", "a.vtp", "--separatrices", "./a.vtp"}), 2,
      {"'./a.vtp' is written twice"});
  std::filesystem::remove(path("link.vtu"));
  std::filesystem::remove(path("sub"));
  EXPECT_TRUE(read("mesh.vtu") == before);
  EXPECT_EQ(files(), std::vector<std::string>{"mesh.vtu"});
}

TEST_F(CliError, WhatAFormatCannotHoldIsSaid) {
  ASSERT_EQ(run({"make", "octahedron", "-o", "o.vtp"}).code, 0);
  const Outcome outcome = run({"curvature", "o.vtp", "-o", "c.stl"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(
      outcome.err.find("Left out what an stl file cannot hold: the point fields \"GaussianCurvature\", "),
      std::string::npos)
      << outcome.err;
  const auto told = run_json({"curvature", "o.vtp", "-o", "d.stl", "--quiet"});
  ASSERT_EQ(told["notes"].size(), 1U);
  EXPECT_NE(told["notes"][0].get<std::string>().find("MeanCurvature"), std::string::npos);
}

TEST_F(CliError, NamesThatAreNotThere) {
  ASSERT_EQ(run({"make", "octahedron", "-o", "o.vtp"}).code, 0);
  expect_one_sentence(run({"subdivide", "o.vtp", "--scheme", "catmull", "-o", "s.vtp"}), 2,
                      {"--scheme", "there is no 'catmull'", "'linear'", "'loop'"});
  expect_one_sentence(run({"subdivide", "o.vtp", "--scheme", "lop", "-o", "s.vtp"}), 2,
                      {"did you mean 'loop'?"});
  EXPECT_EQ(run({"subdivide", "o.vtp", "--scheme", "loop", "-o", "s.vtp"}).code, 0);
}

TEST_F(CliError, ChoicesAreAnsweredInPrintableText) {
  ASSERT_EQ(run({"make", "octahedron", "-o", "o.vtp"}).code, 0);
  for (const Arguments& line :
       std::vector<Arguments>{{"subdivide", "o.vtp", "--scheme", "?"},
                              {"weld", "o.vtp", "--data", "?"},
                              {"tetrahedralize", "o.vtp", "--method", "?"},
                              {"isosurface", "o.vtp", "--value", "1", "--normals", "?"},
                              {"render", "o.vtp", "-o", "o.png", "--style", "?"},
                              {"persistence", "o.vtp", "--provider", "?"},
                              {"make", "kuhn", "-o", "k.vtu", "--field", "?"},
                              {"relations", "o.vtp", "--relation", "VV", "--mode", "?"}}) {
    const Outcome outcome = run(line);
    expect_one_sentence(outcome, 2, {"there is no '?'; choose one of '"});
    EXPECT_EQ(outcome.err.find('\0'), std::string::npos);
  }
}

TEST_F(CliError, NamesThatAreTooLong) {
  ASSERT_EQ(run({"make", "octahedron", "-o", "o.vtp"}).code, 0);
  const std::string name(300, 'x');
  const std::string reason = "File name too long";
  expect_one_sentence(run({"info", name + ".vtp"}), 4, {reason});
  expect_one_sentence(run({"convert", "o.vtp", name + ".vtp"}), 7, {reason});
  expect_one_sentence(run({"convert", "o.vtp", name + "/o.vtp"}), 7, {reason});
  expect_one_sentence(run({"render", "o.vtp", "-o", name + ".png"}), 7, {reason});
  expect_one_sentence(run({"relations", "o.vtp", "--relation", "VV", "-o", name + ".txt"}), 7, {reason});
  expect_one_sentence(run({"make", "octahedron", "-o", "p.vtp", "--quiet", "--json", name}), 7, {reason});
}

// A field named "\x1b[31mred", and one that is not UTF-8: a terminal must not obey them, JSON must parse.
TEST_F(CliError, NamesInFilesDoNotReachTheTerminalRaw) {
  write("red.ply",
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
        "property float \x1b[31mred\nproperty float \xff\nelement face 1\n"
        "property list uchar int vertex_indices\nend_header\n"
        "0 0 0 1 5\n1 0 0 2 6\n0 1 0 3 7\n3 0 1 2\n");
  const auto has_control = [](const std::string& text) {
    return std::ranges::any_of(text, [](char c) { return (c >= 0 && c < ' ' && c != '\n') || c == '\xff'; });
  };
  const Outcome outcome = run({"info", "red.ply"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("  \\x1b[31mred  points"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("  \\xff "), std::string::npos) << outcome.out;
  EXPECT_FALSE(has_control(outcome.out + outcome.err));
  const Outcome refused = run({"persistence", "red.ply"});
  expect_one_sentence(refused, 2, {"\\x1b[31mred"});
  EXPECT_FALSE(has_control(refused.err));
  const auto fields = run_json({"info", "red.ply"})["result"]["files"][0]["fields"];
  ASSERT_EQ(fields.size(), 2U);
  EXPECT_EQ(fields[0]["name"], "\x1b[31mred");
  EXPECT_EQ(fields[1]["name"], "\xef\xbf\xbd");
  const Outcome drawn = run({"persistence", "red.ply", "--field", "\x1b[31mred", "--plot", "red.svg"});
  EXPECT_EQ(drawn.code, 0) << drawn.err;
  EXPECT_FALSE(has_control(drawn.out + read("red.svg")));
}

TEST_F(CliError, AMeshWithoutPointsHasNoBox) {
  write("e.vtk", "# vtk DataFile Version 3.0\ne\nASCII\nDATASET POLYDATA\nPOINTS 0 float\n");
  const Outcome outcome = run({"info", "e.vtk"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out.find("(inf"), std::string::npos) << outcome.out;
  EXPECT_TRUE(run_json({"info", "e.vtk"})["result"]["files"][0]["box"].is_null());
}

TEST_F(CliError, NumbersThatAreNotFinite) {
  ASSERT_EQ(run({"make", "lattice", "--size", "6", "--field", "sphere", "-o", "g.vti"}).code, 0);
  for (const char* const value : {"nan", "inf", "-inf"})
    expect_one_sentence(run({"isosurface", "g.vti", "--value", value, "-o", "s.vtp"}), 2, {"finite"});
  make_mesh();
  expect_one_sentence(run({"persistence", "mesh.vtu", "--threshold", "inf"}), 2, {"--threshold"});
  expect_one_sentence(run({"weld", "mesh.vtu", "--tolerance", "nan"}), 2, {"finite"});
  write("inf.vtk",
        "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 3 float\n0 0 0 1 0 0 0 1 0\n"
        "POLYGONS 1 4\n3 0 1 2\nPOINT_DATA 3\nSCALARS f float\nLOOKUP_TABLE default\n-inf 1 inf\n");
  expect_one_sentence(run({"persistence", "inf.vtk", "--threshold", "0%"}), 2, {"range that is not finite"});
}

TEST_F(CliError, MakeOptions) {
  expect_one_sentence(run({"make", "khun", "-o", "x.vtu"}), 2, {"did you mean 'kuhn'"});
  expect_one_sentence(run({"make", "kuhn", "--size", "1x2", "-o", "x.vtu"}), 2,
                      {"--size 1x2", "points along an edge"});
  expect_one_sentence(run({"make", "kuhn", "--size", "1", "-o", "x.vtu"}), 2, {});
  expect_one_sentence(run({"make", "triangle", "--size", "5", "-o", "x.vtp"}), 2, {"--size"});
  expect_one_sentence(run({"make", "kuhn", "--field", "mri", "-o", "x.vtu"}), 2, {"mri", "rough"});
  expect_one_sentence(run({"make", "lattice", "--shuffle", "-o", "x.vti"}), 2, {"--shuffle"});
  EXPECT_TRUE(files().empty());
}

TEST_F(CliError, DoctorFixNeedsAnOutputAndAMesh) {
  make_mesh();
  expect_one_sentence(run({"doctor", "mesh.vtu", "--fix"}), 2, {"--fix needs -o"});
  ASSERT_EQ(run({"make", "lattice", "--size", "4", "-o", "grid.vti"}).code, 0);
  const Outcome outcome = run({"doctor", "grid.vti", "--fix", "-o", "x.vti", "--quiet"});
  expect_one_sentence(outcome, 6, {"grid"});
}

TEST_F(CliError, RelationsAndTheirOptions) {
  make_mesh();
  expect_one_sentence(run({"relations", "mesh.vtu"}), 2, {"--relation", "tessera relations --help"});
  expect_one_sentence(run({"relations", "mesh.vtu", "--relation", "VX"}), 2, {"'VX'", "tetrahedra", "EV FV"});
  expect_one_sentence(run({"relations", "mesh.vtu", "--relation", "VV,VT"}), 2, {"one relation"});
  expect_one_sentence(run({"relations", "mesh.vtu", "--relation", "VT", "--mode", "fast"}), 2, {"--mode"});
  expect_one_sentence(run({"relations", "mesh.vtu", "--relation", "VT", "--tile-vertices", "0"}), 2,
                      {"--tile-vertices"});
  expect_one_sentence(run({"relations", "mesh.vtu", "--relation", "VT", "-o", "vt.vtu"}), 6,
                      {"vt.vtu", ".npz"});
  expect_one_sentence(run({"relations", "mesh.vtu", "--relation", "VT", "-o", "nowhere/vt.txt"}), 7,
                      {"nowhere"});
  expect_one_sentence(run({"plan", "mesh.vtu", "--relations", "VV,TX"}), 2, {"'TX'", "VV EE FF TT"});
  ASSERT_EQ(run({"make", "octahedron", "-o", "o.ply"}).code, 0);
  expect_one_sentence(run({"relations", "o.ply", "--relation", "VT"}), 2, {"'VT'", "triangles", "VV EE FF"});
  ASSERT_EQ(run({"make", "lattice", "--size", "4", "-o", "grid.vti"}).code, 0);
  expect_one_sentence(run({"relations", "grid.vti", "--relation", "VV"}), 6, {"grid"});
  expect_one_sentence(run({"plan", "grid.vti"}), 6, {"grid"});
}

TEST_F(CliError, RenderOptions) {
  make_mesh();
  const auto refused = [&](const Arguments& extra, const std::vector<std::string>& parts) {
    Arguments line = {"render", "mesh.vtu", "-o", "x.png"};
    line.insert(line.end(), extra.begin(), extra.end());
    expect_one_sentence(run(line), 2, parts);
  };
  refused({"--size", "huge"}, {"--size", "1200x900"});
  refused({"--size", "1x1"}, {"--size"});
  refused({"--background", "pinkish"}, {"'pinkish'", "#f4f6f8"});
  refused({"--clip", "w=3"}, {"--clip", "x=0.5"});
  refused({"--clip", "x=3z"}, {"--clip"});
  refused({"--field", "rough", "--range", "3,1"}, {"--range", "lower one first"});
  refused({"--field", "rough", "--component", "2"}, {"--component", "0 to 0"});
  refused({"--field", "rough", "--range", "0,inf"}, {"--range"});
  refused({"--camera", "sideways"}, {"--camera"});
  refused({"--up", "w"}, {"--up", "'-y'"});
  refused({"--style", "cubist"}, {"--style"});
  refused({"--colormap", "jet"}, {"--colormap"});
  refused({"--style", "slices"}, {"--style slices", "--clip"});
}

TEST_F(CliError, OptionsThatWouldDoNothing) {
  make_mesh();
  ASSERT_EQ(run({"make", "torus", "--size", "8", "--field", "smooth", "-o", "t.vtp"}).code, 0);
  ASSERT_EQ(run({"make", "lattice", "--size", "4x4x1", "--field", "sphere", "-o", "flat.vti"}).code, 0);
  write("c.vtk",
        "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 3 float\n0 0 0 1 0 0 0 1 0\n"
        "POLYGONS 1 4\n3 0 1 2\nCELL_DATA 1\nSCALARS c float\nLOOKUP_TABLE default\n4\n");
  const auto before = files();
  const auto refused = [&](const Arguments& line, const std::vector<std::string>& parts) {
    expect_one_sentence(run(line), 2, parts);
  };
  for (const char* const file : {"a.ply", "a.vtk", "a.obj", "a.stl", "a.off", "a.glb"})
    refused({"convert", "t.vtp", file, "--compress"}, {file, "cannot be compressed", "vtu"});
  refused({"convert", "t.vtp", "a.glb", "--ascii"}, {"a.glb", "text"});
  refused({"convert", "t.vtp", "a.vtu", "--ascii", "--compress"}, {"a.vtu", "one of the two"});
  refused({"morse-smale", "t.vtp", "--separatrices", "a.vtk", "--compress"},
          {"a.vtk", "cannot be compressed"});
  refused({"threshold", "t.vtp", "--min", "0", "--ascii"}, {"--ascii", "-o FILE"});
  for (const Arguments& verb :
       std::vector<Arguments>{{"curvature", "t.vtp"},
                              {"normals", "t.vtp"},
                              {"smooth", "t.vtp"},
                              {"denoise", "t.vtp"},
                              {"plan", "t.vtp"},
                              {"dual", "t.vtp"},
                              {"doctor", "t.vtp"},
                              {"weld", "t.vtp"},
                              {"subdivide", "t.vtp"},
                              {"slice", "t.vtp", "--axis", "x"},
                              {"clip", "t.vtp", "--axis", "x"},
                              {"extract", "t.vtp", "--components"},
                              {"isosurface", "t.vtp", "--value", "0"},
                              {"coarsen", "mesh.vtu", "--field", "rough", "--value", "0"},
                              {"tetrahedralize", "mesh.vtu"},
                              {"critical-points", "t.vtp"},
                              {"gradient", "t.vtp"},
                              {"morse-smale", "t.vtp"}}) {
    for (const Arguments& option :
         std::vector<Arguments>{{"--ascii"}, {"--compress"}, {"--output-format", "vtp"}}) {
      Arguments line = verb;
      line.insert(line.end(), option.begin(), option.end());
      refused(line, {option[0], "-o FILE"});
    }
  }
  refused({"gradient", "t.vtp", "--critical", "a.vtp", "--output-format", "vtk"}, {"--output-format"});
  refused({"persistence", "t.vtp", "--csv", "a.csv", "--ascii"}, {"--ascii", "-o FILE"});
  refused({"make", "torus", "--no-orient", "-o", "a.vtp"}, {"--no-orient", "tetrahedra", "torus"});
  refused({"make", "lattice", "--orient", "-o", "a.vti"}, {"--orient", "lattice"});
  refused({"make", "kuhn", "--no-displace", "-o", "a.vtu"}, {"--no-displace", "ico"});
  for (const Arguments& option : std::vector<Arguments>{
           {"--range", "0,1"}, {"--component", "0"}, {"--colormap", "gray"}, {"--no-bar"}}) {
    Arguments line = {"render", "t.vtp", "-o", "a.png"};
    line.insert(line.end(), option.begin(), option.end());
    refused(line, {option[0] + " does nothing without --field"});
  }
  refused({"render", "t.vtp", "-o", "a.png", "--no-connectors"}, {"--no-connectors", "separatrices"});
  refused({"render", "t.vtp", "-o", "a.png", "--mark-size", "2"}, {"--mark-size", "marks"});
  refused({"render", "t.vtp", "-o", "a.png", "--style", "points", "--opacity", "1"},
          {"--opacity", "surfaces"});
  refused({"render", "t.vtp", "-o", "a.png", "--clip", "x=50%", "--crinkle"}, {"--crinkle", "solids"});
  refused({"doctor", "t.vtp", "--no-drop"}, {"--no-drop does nothing without --fix"});
  refused({"doctor", "t.vtp", "--weld"}, {"--weld does nothing without --fix"});
  refused({"extract", "t.vtp", "--components", "--field", "smooth"}, {"--field", "--labels"});
  refused({"extract", "c.vtk", "--labels", "4", "--any"}, {"--any", "'c' is a field of the cells"});
  refused({"threshold", "c.vtk", "--min", "4", "--any"}, {"--any", "'c' is a field of the cells"});
  refused({"clip", "t.vtp", "--axis", "x", "--field", "smooth"}, {"--field", "--value"});
  refused({"coarsen", "t.vtp", "--value", "0"}, {"'t.vtp' is a surface", "--value"});
  refused({"isosurface", "flat.vti", "--value", "0.4", "--normals", "averaged", "-o", "a.vtp"},
          {"flat grid", "--normals"});
  for (const Arguments& line : std::vector<Arguments>{
           {"isosurface", "t.vtp", "--value", "0", "--provenance"},
           {"isosurface", "mesh.vtu", "--field", "rough", "--value", "0", "--normals", "gradient"},
           {"threshold", "t.vtp", "--min", "0", "--provenance"},
           {"extract", "t.vtp", "--components", "--provenance"},
           {"slice", "t.vtp", "--axis", "x", "--provenance"},
           {"clip", "t.vtp", "--axis", "x", "--provenance"},
           {"subdivide", "t.vtp", "--provenance"},
           {"tetrahedralize", "flat.vti", "--provenance"},
           {"weld", "t.vtp", "--data", "first"}})
    refused(line, {" does nothing without -o or --output"});
  refused({"isosurface", "flat.vti", "--value", "0.4", "--merge-exact"}, {"flat grid", "--merge-exact"});
  refused({"isosurface", "t.vtp", "--value", "0", "--merge-exact"}, {"triangles have", "--merge-exact"});
  refused({"normals", "t.vtp", "--faces", "--weights", "area"}, {"--weights and --faces exclude"});
  refused({"smooth", "t.vtp", "--tolerance", "1e-6"}, {"--tolerance", "--method flow"});
  for (const Arguments& option : std::vector<Arguments>{
           {"--tiles", "auto"}, {"--tile-vertices", "512"}, {"--mode", "auto"}, {"--relation", "VV"}}) {
    Arguments line = {"relations", "t.vtp", "--matrix", "d0"};
    line.insert(line.end(), option.begin(), option.end());
    refused(line, {option[0], "--matrix", "exclude each other"});
  }
  refused({"relations", "t.vtp", "--matrix", "d0", "--output-format", "mtx"},
          {"--output-format does nothing without -o"});
  refused({"plan", "t.vtp", "--estimate", "--tiles", "octree"}, {"--tiles and --estimate exclude"});
  refused({"plan", "t.vtp", "--estimate", "-o", "a.vtp"}, {"-o or --output and --estimate exclude"});
  refused({"morse-smale", "t.vtp", "--no-connectors"}, {"--no-connectors", "tetrahedra"});
  refused({"morse-smale", "t.vtp", "--separatrices", "a.vtp", "--no-separatrices"}, {"nothing to write"});
  refused({"morse-smale", "t.vtp", "-o", "a.vtp", "--segmentation", "b.vtp"}, {"--segmentation", "once"});
  refused({"info", "t.vtp", "--no-weld"}, {"--no-weld", "stl", "'t.vtp'"});
  refused({"weld", "t.vtp", "--no-weld"}, {"no option '--no-weld'"});
  refused({"info", "t.vtp", "--type", "int8"}, {"--type does nothing without --dims"});
  refused({"info", "t.vtp", "--dims", "1x1x1", "--big-endian"}, {"--big-endian", "uint8"});
  for (const char* const option : {"--no-weld", "--linearize"})
    refused({"info", "t.vtp", "--dims", "1x1x1", option}, {"--dims reads a raw volume", option});
  refused({"info", "t.vtp", "--device", "cpu", "--device-memory", "1G"}, {"--device-memory", "--device cpu"});
  refused({"gradient", "t.vtp", "--provider", "device", "--device", "cpu"}, {"--device cpu"});
  EXPECT_EQ(files(), before);
}

// What does its work stays accepted.
TEST_F(CliError, OptionsOfOneShapeOrFormat) {
  ASSERT_EQ(run({"make", "ico", "--size", "1", "--no-displace", "--compress", "-o", "a.vtp"}).code, 0);
  ASSERT_EQ(run({"make", "two_tets", "--no-orient", "-o", "a.vtu"}).code, 0);
  ASSERT_EQ(run({"convert", "a.vtp", "a.obj", "--ascii"}).code, 0);
  ASSERT_EQ(run({"make", "lattice", "--size", "6x6x1", "--field", "sphere", "-o", "flat.vti"}).code, 0);
  ASSERT_EQ(run({"isosurface", "flat.vti", "--value", "0.4", "--provenance", "-o", "l.vtp"}).code, 0);
  const auto fields = run_json({"info", "l.vtp"})["result"]["files"][0]["fields"].dump();
  for (const char* const name : {"InputEdge", "InputWeight", "InputCell"})
    EXPECT_NE(fields.find(name), std::string::npos) << fields;
}

TEST_F(CliError, TheParserSpeaksAsWeDo) {
  make_mesh();
  const auto says = [&](const Arguments& line, const std::string& sentence) {
    const Outcome outcome = run(line);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.err, "tessera: " + sentence + "; see 'tessera " + line[0] + " --help'\n");
  };
  says({"info"}, "FILE is missing: the mesh files to look at");
  says({"make", "kuhn"}, "--output FILE is missing: the file to write; its extension says the format");
  says({"info", "mesh.vtu", "--threads"}, "--threads has no value; write --threads N");
  says({"info", "mesh.vtu", "--threads", "two"}, "--threads: 'two' is not a whole number");
  says({"info", "mesh.vtu", "--threads", "-3"}, "--threads: -3 is not between 0 and 4096");
  says({"weld", "mesh.vtu", "--tolerance", "far"}, "--tolerance: 'far' is not a number");
  says({"render", "mesh.vtu", "-o", "a.png", "-o", "b.png"},
       "-o or --output was given 2 times; give it once");
  says({"convert", "mesh.vtu", "a.vtu", "b.vtu"}, "'b.vtu' is one argument too many");
  says({"info", "mesh.vtu", "--quiet=loud"}, "-q or --quiet takes no value");
  says({"extract", "mesh.vtu", "--labels", ""},
       "--labels: the value is empty; write one or leave the option out");
  says({"info", ""}, "files: the value is empty; write one or leave the option out");
}

TEST_F(CliError, ClosedStandardOutput) {
  ASSERT_EQ(run({"make", "octahedron", "-o", "o.off"}).code, 0);
  const auto closed = [&](const std::string& arguments) {
    const std::string line =
        "cd '" + path("").string() + "' && " TESSERA_PROGRAM " " + arguments + " 2> e.txt";
    const int status = std::system(line.c_str());  // NOLINT(cert-env33-c): the shell closes it
    return Outcome{WEXITSTATUS(status), "", read("e.txt")};
  };
  for (const char* const line : {"info o.off >&-", "info o.off --json - >&-", "--version >&-", "man >&-"})
    expect_one_sentence(closed(line), 7, {"standard output, which is closed"});
  expect_one_sentence(closed("convert o.off -o - --output-format ply >&-"), 7, {"standard output"});
  expect_one_sentence(closed("info - <&-"), 4, {"standard input cannot be read"});
  // Those who name a file want the file.
  EXPECT_EQ(closed("convert o.off a.ply >&-").code, 0);
  EXPECT_EQ(closed("info o.off --json a.json >&-").code, 0);
  EXPECT_EQ(nlohmann::json::parse(read("a.json"))["verb"], "info");
}

TEST_F(CliError, ClosedStandardStreamsDoNoHarm) {
  ASSERT_EQ(run({"make", "octahedron", "-o", "expected.off"}).code, 0);
  const std::string line =
      std::string(TESSERA_PROGRAM) + " make octahedron -o " + path("made.off").string() + " <&- >&- 2>&-";
  ASSERT_EQ(std::system(line.c_str()), 0);
  EXPECT_EQ(read("made.off"), read("expected.off"));
}

}  // namespace
}  // namespace tessera::test
