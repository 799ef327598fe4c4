// critical-points, gradient and morse-smale: published counts, and files that say what was found.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <tessera/io/io.h>

#include "cli/run_program.h"

namespace tessera::test {
namespace {

using nlohmann::json;

/// A sphere of eight triangles; vertex i has the value i, so that 0 is the minimum and 5 the maximum.
constexpr const char* octahedron_ply =
    "ply\nformat ascii 1.0\nelement vertex 6\nproperty float x\nproperty float y\nproperty float z\n"
    "property float f\nelement face 8\nproperty list uchar int vertex_indices\nend_header\n"
    "0 0 -1 0\n1 0 0 1\n0 1 0 2\n-1 0 0 3\n0 -1 0 4\n0 0 1 5\n"
    "3 0 2 1\n3 0 3 2\n3 0 4 3\n3 0 1 4\n3 5 1 2\n3 5 2 3\n3 5 3 4\n3 5 4 1\n";

class CliTopology : public ProgramTest {
 protected:
  void ok(const Arguments& line) {
    const Outcome outcome = run(line);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  json result(const Arguments& line) { return run_json(line)["result"]; }
  PolyData poly(const std::string& name) const { return read_poly(path(name)); }
  /// The published mesh of 8,466 tetrahedra.
  void make_kuhn16() {
    ok({"make", "kuhn", "--size", "16", "--field", "rough", "--no-orient", "-o", "k.vtu"});
  }
};

std::vector<std::string> names(const FieldSet& fields) {
  std::vector<std::string> result = fields.names();
  std::ranges::sort(result);
  return result;
}

Array<std::int64_t> integers(const Field& field) {
  Array<std::int64_t> result;
  field.visit([&](auto values) {
    for (const auto value : values) result.push_back(static_cast<std::int64_t>(value));
  });
  return result;
}

std::map<std::int64_t, std::size_t> census(const Field& field) {
  std::map<std::int64_t, std::size_t> counts;
  for (const std::int64_t value : integers(field)) ++counts[value];
  return counts;
}

TEST_F(CliTopology, PublishedCriticalPoints) {
  make_kuhn16();
  const json found = result({"critical-points", "k.vtu", "-o", "c.vtp"});
  const std::array<const char*, 5> types = {"minimum", "saddle1", "saddle2", "maximum", "degenerate"};
  const std::array<std::size_t, 5> expected = {191, 401, 363, 178, 345};  // TTK's
  const PolyData points = poly("c.vtp");
  const auto counts = census(points.point_data.at("CriticalType"));
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(found[types[i]], expected[i]) << types[i];
    EXPECT_EQ(counts.at(static_cast<std::int64_t>(i)), expected[i]) << types[i];
  }
  EXPECT_EQ(found["field"], "rough");
  EXPECT_EQ(found["output"]["points"], points.vertex_count());
}

TEST_F(CliTopology, CriticalPointFile) {
  make_kuhn16();
  ok({"critical-points", "k.vtu", "-o", "c.vtp"});
  const PolyData points = poly("c.vtp");
  const TetMesh mesh = read_tets(path("k.vtu"));
  EXPECT_EQ(
      names(points.point_data),
      (std::vector<std::string>{"CellDimension", "CellId", "CriticalType", "IsOnBoundary", "LowerLinkPieces",
                                "UpperLinkPieces", "rough", "ttkVertexScalarField"}));
  EXPECT_TRUE(points.cell_data.empty());
  EXPECT_EQ(points.vertices.size(), points.vertex_count());
  const auto vertices = integers(points.point_data.at("ttkVertexScalarField"));
  EXPECT_TRUE(std::ranges::is_sorted(vertices));
  EXPECT_EQ(integers(points.point_data.at("CellId")), vertices);
  const auto values = points.point_data.at("rough").as<float>();
  const auto types = integers(points.point_data.at("CriticalType"));
  const auto lower = integers(points.point_data.at("LowerLinkPieces"));
  const auto upper = integers(points.point_data.at("UpperLinkPieces"));
  for (std::uint32_t i = 0; i < vertices.size(); ++i) {
    const VertexId v(static_cast<std::uint32_t>(vertices[i]));
    EXPECT_EQ(points.points[VertexId(i)], mesh.points[v]);
    EXPECT_EQ(values[i], mesh.field("rough").as<float>()[v.index()]);
    EXPECT_EQ(types[i] == 0, lower[i] == 0 && upper[i] == 1);
    EXPECT_EQ(types[i] == 3, lower[i] == 1 && upper[i] == 0);
  }
}

// A grid is read as it is; a provider asks for its simplices.
TEST_F(CliTopology, GridsAreNotCutForCriticalPoints) {
  for (const char* size : {"24x20x17", "40x31x1", "1x20x30"}) {
    ok({"make", "lattice", "--size", size, "--field", "rough", "-o", "g.vti"});
    ok({"critical-points", "g.vti", "-o", "grid.vtp"});
    ok({"critical-points", "g.vti", "--provider", "explicit", "-o", "cut.vtp"});
    EXPECT_EQ(read("grid.vtp"), read("cut.vtp")) << size;
  }
  // Counted by TTK 2024 on its implicit triangulation.
  ok({"make", "lattice", "--size", "128", "--field", "rough", "-o", "g.vti"});
  EXPECT_EQ(result({"critical-points", "g.vti"})["minimum"], 4372);
}

TEST_F(CliTopology, OctahedronByHand) {
  write("o.ply", octahedron_ply);
  const json points = result({"critical-points", "o.ply"});
  EXPECT_EQ(points["minimum"], 1);
  EXPECT_EQ(points["saddle1"], 0);
  EXPECT_EQ(points["maximum"], 1);
  // 5 of 6 vertices are paired with edges, the other 7 of 12 edges with triangles; one triangle is left.
  const json gradient = result({"gradient", "o.ply", "-o", "pairs.vtp", "--critical", "cells.vtp"});
  EXPECT_EQ(gradient["critical_cells"], json::parse("[1, 0, 1]"));
  EXPECT_EQ(gradient["pairs"], json::parse("[5, 7]"));
  EXPECT_EQ(gradient["euler_characteristic"], 2);
  const PolyData pairs = poly("pairs.vtp");
  EXPECT_EQ(pairs.lines.size(), 12u);
  EXPECT_EQ(pairs.vertex_count(), 24u);
  EXPECT_EQ(names(pairs.point_data), (std::vector<std::string>{"CellDimension", "CellId", "PairOrigin"}));
  EXPECT_EQ(census(pairs.cell_data.at("PairType")), (std::map<std::int64_t, std::size_t>{{0, 5}, {1, 7}}));
  // Vertex 1 flows down to 0 along the edge between them, the first of all edges.
  EXPECT_EQ(pairs.points[VertexId(0)], (Vec3d{1, 0, 0}));
  EXPECT_EQ(pairs.points[VertexId(1)], (Vec3d{0.5, 0, -0.5}));
  EXPECT_EQ(integers(pairs.point_data.at("CellId"))[0], 1);
  EXPECT_EQ(integers(pairs.point_data.at("CellId"))[1], 0);
  const PolyData cells = poly("cells.vtp");
  EXPECT_EQ(integers(cells.point_data.at("CellDimension")), (Array<std::int64_t>{0, 2}));
  EXPECT_EQ(integers(cells.point_data.at("ttkVertexScalarField")), (Array<std::int64_t>{0, 5}));
  EXPECT_EQ(integers(cells.point_data.at("IsOnBoundary")), (Array<std::int64_t>{0, 0}));
  const json complex = result({"morse-smale", "o.ply"});
  EXPECT_EQ(complex["critical_cells"], json::parse("[1, 0, 1]"));
  EXPECT_EQ(complex["separatrices"], json::parse(R"({"descending": 0, "ascending": 0})"));
  EXPECT_EQ(complex["manifolds"], json::parse(R"({"ascending": 1, "descending": 1, "morse_smale": 1})"));
}

TEST_F(CliTopology, PublishedComplex) {
  make_kuhn16();
  const json found = result({"morse-smale", "k.vtu", "--critical-points", "c.vtp", "--separatrices", "s.vtp",
                             "--walls", "w.vtp", "-o", "seg.vtu"});
  EXPECT_EQ(found["critical_cells"], json::parse("[191, 731, 603, 62]"));  // TTK's, as all that follow
  EXPECT_EQ(found["separatrices"],
            json::parse(R"({"descending": 1462, "connectors": 2224, "ascending": 589})"));
  EXPECT_EQ(found["manifolds"]["ascending"], 62);
  EXPECT_EQ(found["manifolds"]["descending"], 191);
  const PolyData paths = poly("s.vtp");
  EXPECT_EQ(paths.lines.size(), 1462u + 2224u + 589u);
  EXPECT_EQ(census(paths.cell_data.at("SeparatrixType")),
            (std::map<std::int64_t, std::size_t>{{0, 1462}, {1, 2224}, {2, 589}}));
  const PolyData walls = poly("w.vtp");
  EXPECT_EQ(census(walls.cell_data.at("SeparatrixType")),
            (std::map<std::int64_t, std::size_t>{{1, 10036}, {2, 5479}}));
  std::array<std::set<std::int64_t>, 3> ids;
  const auto types = integers(walls.cell_data.at("SeparatrixType"));
  const auto separatrix = integers(walls.cell_data.at("SeparatrixId"));
  for (std::size_t i = 0; i < types.size(); ++i)
    ids[static_cast<std::size_t>(types[i])].insert(separatrix[i]);
  EXPECT_EQ(ids[1].size(), 686u);
  EXPECT_EQ(ids[2].size(), 603u);
  EXPECT_EQ(found["outputs"]["walls"]["cells"], walls.cell_count());
  EXPECT_EQ(found["output"]["file"], "seg.vtu");
}

TEST_F(CliTopology, SeparatrixFile) {
  make_kuhn16();
  ok({"morse-smale", "k.vtu", "--critical-points", "c.vtp", "--separatrices", "s.vtp"});
  const PolyData cells = poly("c.vtp");
  const PolyData paths = poly("s.vtp");
  EXPECT_EQ(names(cells.point_data),
            (std::vector<std::string>{"CellDimension", "CellId", "IsOnBoundary", "ManifoldSize", "rough",
                                      "ttkVertexScalarField"}));
  EXPECT_EQ(names(paths.point_data),
            (std::vector<std::string>{"CellDimension", "CellId", "ttkMaskScalarField"}));
  EXPECT_EQ(
      names(paths.cell_data),
      (std::vector<std::string>{"DestinationId", "NumberOfCriticalPointsOnBoundary",
                                "SeparatrixFunctionDifference", "SeparatrixFunctionMaximum",
                                "SeparatrixFunctionMinimum", "SeparatrixId", "SeparatrixType", "SourceId"}));
  // Paths begin and end at critical cells, at their place.
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> known;
  for (std::uint32_t i = 0; i < cells.vertex_count(); ++i)
    known[{integers(cells.point_data.at("CellDimension"))[i], integers(cells.point_data.at("CellId"))[i]}] =
        i;
  const auto on_boundary = integers(cells.point_data.at("IsOnBoundary"));
  const auto dimensions = integers(paths.point_data.at("CellDimension"));
  const auto ids = integers(paths.point_data.at("CellId"));
  const auto inside = integers(paths.point_data.at("ttkMaskScalarField"));
  const auto sources = integers(paths.cell_data.at("SourceId"));
  const auto destinations = integers(paths.cell_data.at("DestinationId"));
  const auto boundary = integers(paths.cell_data.at("NumberOfCriticalPointsOnBoundary"));
  const auto high = paths.cell_data.at("SeparatrixFunctionMaximum").as<float>();
  const auto low = paths.cell_data.at("SeparatrixFunctionMinimum").as<float>();
  const auto difference = paths.cell_data.at("SeparatrixFunctionDifference").as<float>();
  for (std::size_t s = 0; s < paths.lines.size(); ++s) {
    const auto line = paths.lines[s];
    const std::uint32_t first = line.front().index();
    const std::uint32_t last = line.back().index();
    ASSERT_TRUE(known.contains({dimensions[first], sources[s]}));
    ASSERT_TRUE(known.contains({dimensions[last], destinations[s]}));
    const std::uint32_t source = known[{dimensions[first], sources[s]}];
    const std::uint32_t destination = known[{dimensions[last], destinations[s]}];
    EXPECT_EQ(ids[first], sources[s]);
    EXPECT_EQ(ids[last], destinations[s]);
    EXPECT_EQ(paths.points[line.front()], cells.points[VertexId(source)]);
    EXPECT_EQ(paths.points[line.back()], cells.points[VertexId(destination)]);
    EXPECT_EQ(boundary[s], on_boundary[source] + on_boundary[destination]);
    EXPECT_EQ(high[s] - low[s], difference[s]);
    for (const VertexId v : line)
      EXPECT_EQ(inside[v.index()], v.index() == first || v.index() == last ? 0 : 1);
  }
}

/// All edges or triangles of a mesh in the lexicographic order of their vertices.
std::vector<std::vector<std::uint32_t>> list_faces(const TetMesh& mesh, std::size_t corners) {
  std::set<std::vector<std::uint32_t>> faces;
  for (const auto& tet : mesh.cells) {
    for (unsigned choice = 0; choice < 16; ++choice) {
      std::vector<std::uint32_t> face;
      for (unsigned k = 0; k < 4; ++k) {
        if ((choice >> k & 1u) != 0) face.push_back(tet[k].index());
      }
      std::ranges::sort(face);
      if (face.size() == corners) faces.insert(face);
    }
  }
  return {faces.begin(), faces.end()};
}

TEST_F(CliTopology, CellIdsAreThoseOfTheInput) {
  for (const Arguments& more : {Arguments{}, Arguments{"--shuffle"}}) {
    Arguments line = {"make", "kuhn-full", "--size", "6", "--field", "rough", "-o", "k.vtu"};
    line.insert(line.end(), more.begin(), more.end());
    ok(line);
    ok({"gradient", "k.vtu", "--critical", "c.vtp"});
    const TetMesh mesh = read_tets(path("k.vtu"));
    std::array<std::vector<std::vector<std::uint32_t>>, 4> all;
    for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) all[0].push_back({v});
    all[1] = list_faces(mesh, 2);
    all[2] = list_faces(mesh, 3);
    for (const auto& tet : mesh.cells)
      all[3].push_back({tet[0].index(), tet[1].index(), tet[2].index(), tet[3].index()});
    const PolyData cells = poly("c.vtp");
    const auto dimensions = integers(cells.point_data.at("CellDimension"));
    const auto ids = integers(cells.point_data.at("CellId"));
    ASSERT_GT(ids.size(), 10u);
    for (std::uint32_t i = 0; i < ids.size(); ++i) {
      const auto& face = all[static_cast<std::size_t>(dimensions[i])].at(static_cast<std::size_t>(ids[i]));
      Vec3d sum = {0, 0, 0};
      for (const std::uint32_t v : face) sum = sum + mesh.points[VertexId(v)];
      EXPECT_LT(length((1.0 / static_cast<double>(face.size())) * sum - cells.points[VertexId(i)]), 1e-6);
    }
  }
}

TEST_F(CliTopology, WallFile) {
  make_kuhn16();
  ok({"morse-smale", "k.vtu", "--critical-points", "c.vtp", "--walls", "w.vtp", "--no-separatrices",
      "--no-segmentation"});
  const PolyData walls = poly("w.vtp");
  EXPECT_TRUE(walls.point_data.empty());
  EXPECT_EQ(names(walls.cell_data),
            (std::vector<std::string>{"NumberOfCriticalPointsOnBoundary", "SeparatrixFunctionDifference",
                                      "SeparatrixFunctionMaximum", "SeparatrixFunctionMinimum",
                                      "SeparatrixId", "SeparatrixType", "SourceId"}));
  EXPECT_TRUE(walls.vertices.empty());
  EXPECT_TRUE(walls.lines.empty());
  const PolyData cells = poly("c.vtp");
  EXPECT_FALSE(cells.point_data.has("ManifoldSize"));
  std::array<std::set<std::int64_t>, 4> critical;
  const auto dimensions = integers(cells.point_data.at("CellDimension"));
  const auto ids = integers(cells.point_data.at("CellId"));
  for (std::size_t i = 0; i < ids.size(); ++i)
    critical[static_cast<std::size_t>(dimensions[i])].insert(ids[i]);
  const auto types = integers(walls.cell_data.at("SeparatrixType"));
  const auto sources = integers(walls.cell_data.at("SourceId"));
  const auto high = walls.cell_data.at("SeparatrixFunctionMaximum").as<float>();
  const auto low = walls.cell_data.at("SeparatrixFunctionMinimum").as<float>();
  for (std::size_t i = 0; i < walls.polygons.size(); ++i) {
    EXPECT_GT(walls.polygons[i].size(), 2u);
    EXPECT_TRUE(types[i] == 1 || walls.polygons[i].size() == 3);
    EXPECT_TRUE(critical[static_cast<std::size_t>(types[i])].contains(sources[i]));
    EXPECT_GE(high[i], low[i]);
  }
}

TEST_F(CliTopology, SegmentationOfMeshesAndGrids) {
  make_kuhn16();
  ok({"make", "lattice", "--size", "9", "--field", "rough", "-o", "g.vti"});
  ok({"make", "ico", "--size", "3", "--field", "rough", "-o", "s.ply"});
  const std::vector<Arguments> pairs = {{"k.vtu", "k2.vtu"}, {"g.vti", "g2.vti"}, {"s.ply", "s2.ply"}};
  for (const Arguments& pair : pairs) {
    ok({"morse-smale", pair[0], "-o", pair[1]});
    const AnyMesh before = read_mesh(path(pair[0])).mesh;
    const AnyMesh after = read_mesh(path(pair[1])).mesh;
    ASSERT_EQ(before.index(), after.index());
    std::visit(
        [&](const auto& mesh) {
          EXPECT_EQ(names(mesh.point_data),
                    (std::vector<std::string>{"AscendingManifold", "DescendingManifold", "MorseSmaleManifold",
                                              "rough"}));
          for (const Field& field : mesh.point_data) EXPECT_EQ(field.size(), mesh.vertex_count());
        },
        after);
  }
  ok({"morse-smale", "g.vti", "--segmentation", "g3.vti"});
  EXPECT_EQ(read("g2.vti"), read("g3.vti"));
}

TEST_F(CliTopology, AGridIsItsSimplices) {
  const std::vector<std::string> ways = {"push", "explicit"};  // as it is, and cut
  for (const char* size : {"9", "12x7x1"}) {
    ok({"make", "lattice", "--size", size, "--field", "rough", "-o", "g.vti"});
    ok({"convert", "g.vti", "g.vtk"});
    EXPECT_EQ(result({"morse-smale", "g.vti"}), result({"morse-smale", "g.vtk"}));
    std::vector<std::vector<std::string>> files;
    for (const std::string& provider : ways) {
      const auto run_with = [&](Arguments line) {
        line.insert(line.end(), {"--provider", provider});
        ok(line);
      };
      run_with({"gradient", "g.vti", "-o", "pairs.vtp", "--critical", "cells.vtp"});
      run_with({"morse-smale", "g.vti", "-o", "s.vti", "--critical-points", "c.vtp", "--separatrices",
                "p.vtp", "--threshold", "5%"});
      run_with({"persistence", "g.vti", "-o", "d.vtu", "--csv", "d.csv"});
      run_with({"critical-points", "g.vti", "--threshold", "5%", "-o", "k.vtp"});
      files.emplace_back();
      if (std::string(size) == "9") {
        run_with({"morse-smale", "g.vti", "--walls", "w.vtp", "--no-separatrices"});
        files.back().push_back(read("w.vtp"));
        EXPECT_GT(poly("w.vtp").polygons.size(), 100U);
      }
      for (const char* file :
           {"pairs.vtp", "cells.vtp", "s.vti", "c.vtp", "p.vtp", "d.vtu", "d.csv", "k.vtp"})
        files.back().push_back(read(file));
    }
    EXPECT_EQ(files[0], files[1]) << size;
  }
}

// Counted by TTK 2024 on its implicit triangulation of the same values.
TEST_F(CliTopology, AGridHasWhatTtkFinds) {
  ok({"make", "lattice", "--size", "128", "--field", "rough", "-o", "g.vti"});
  const json found = result({"morse-smale", "g.vti"});
  EXPECT_EQ(found["critical_cells"], (json{4372, 15109, 14392, 3654}));
  EXPECT_EQ(found["separatrices"],
            (json{{"descending", 30218}, {"connectors", 64388}, {"ascending", 26093}}));
}

TEST_F(CliTopology, GridsOfTwoAxes) {
  ok({"make", "lattice", "--size", "12x1x9", "--field", "rough", "-o", "g.vti"});
  const json found = result({"morse-smale", "g.vti", "-o", "seg.vti", "--separatrices", "s.vtp"});
  ASSERT_EQ(found["critical_cells"].size(), 3u);
  EXPECT_EQ(found["critical_cells"][0].get<int>() - found["critical_cells"][1].get<int>() +
                found["critical_cells"][2].get<int>(),
            1);  // a disc
  const PolyData paths = poly("s.vtp");
  for (const auto& [type, count] : census(paths.cell_data.at("SeparatrixType"))) EXPECT_LE(type, 1) << count;
}

TEST_F(CliTopology, PeriodicAxes) {
  ok({"make", "lattice", "--size", "12x9x8", "--field", "rough", "-o", "g.vti"});
  const json torus = result({"persistence", "g.vti", "--periodic", "x,y,z"});
  EXPECT_EQ(torus["essential"], (json{1, 3, 3, 1}));
  EXPECT_EQ(result({"persistence", "g.vti", "--periodic", "y"})["essential"], (json{1, 1, 0, 0}));
  EXPECT_EQ(result({"gradient", "g.vti", "--periodic", "z,x"})["euler_characteristic"], 0);
  EXPECT_EQ(result({"gradient", "g.vti"})["euler_characteristic"], 1);
  ok({"critical-points", "g.vti", "--periodic", "x,y,z", "-o", "c.vtp"});
  for (const std::int64_t is_there : integers(poly("c.vtp").point_data.at("IsOnBoundary")))
    EXPECT_EQ(is_there, 0);
  const json tree = result({"merge-tree", "g.vti", "--periodic", "x,y,z"});
  EXPECT_EQ(tree["branches"], result({"critical-points", "g.vti", "--periodic", "x,y,z"})["minimum"]);
  const json simple =
      result({"simplify-field", "g.vti", "--periodic", "x,y,z", "--threshold", "20%", "-o", "s.vti"});
  const json after = result({"critical-points", "s.vti", "--periodic", "x,y,z"});
  EXPECT_EQ(simple["after"]["minimum"], after["minimum"]);
  EXPECT_LT(after["minimum"], simple["before"]["minimum"]);
}

TEST_F(CliTopology, PeriodicAxesOfEveryProvider) {
  ok({"make", "lattice", "--size", "8x7x6", "--field", "rough", "-o", "g.vti"});
  const auto file = [&](const std::string& provider) {
    ok({"critical-points", "g.vti", "--periodic", "x,z", "--provider", provider, "-o", "c.vtp"});
    ok({"morse-smale", "g.vti", "--periodic", "x,z", "--provider", provider, "--segmentation", "r.vti"});
    return read("c.vtp") + read("r.vti");
  };
  const std::string pushed = file("push");
  for (const char* provider : {"materialized", "explicit", "implicit"})
    EXPECT_EQ(file(provider), pushed) << provider;
}

TEST_F(CliTopology, PeriodicAxesAreForTheHost) {
  ok({"make", "lattice", "--size", "6x5x4", "--field", "rough", "-o", "g.vti"});
  const Outcome outcome = run({"gradient", "g.vti", "--periodic", "x", "--device", "auto"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.err.find("grids with periodic axes are analysed on host threads"), std::string::npos)
      << outcome.err;
}

TEST_F(CliTopology, TheSameForAnyThreadsAndProvider) {
  make_kuhn16();
  const auto run_all = [&](const Arguments& more) {
    Arguments complex = {
        "morse-smale", "k.vtu",  "--critical-points", "c.vtp", "--separatrices", "s.vtp", "--walls", "w.vtp",
        "-o",          "seg.vtu"};
    Arguments points = {"critical-points", "k.vtu", "-o", "p.vtp"};
    Arguments pairs = {"gradient", "k.vtu", "-o", "g.vtp"};
    std::string bytes;
    for (Arguments* line : {&complex, &points, &pairs}) {
      line->insert(line->end(), more.begin(), more.end());
      ok(*line);
    }
    for (const char* name : {"c.vtp", "s.vtp", "w.vtp", "seg.vtu", "p.vtp", "g.vtp"}) bytes += read(name);
    return bytes;
  };
  const std::string expected = run_all({"--threads", "1"});
  EXPECT_EQ(run_all({"--threads", "3"}), expected);
  for (const char* provider : {"materialized", "explicit", "implicit"})
    EXPECT_EQ(run_all({"--provider", provider, "--threads", "2"}), expected) << provider;
  EXPECT_EQ(run_all({"--provider", "implicit", "--producers", "2"}), expected);
}

TEST_F(CliTopology, ProvidersSayWhatTheyDid) {
  ok({"make", "kuhn", "--size", "12", "--field", "rough", "-o", "k.vtu"});
  const auto object = run_json({"critical-points", "k.vtu", "--provider", "explicit", "--stats"});
  EXPECT_GT(object["result"]["provider"]["tiles"]["produced"], 0);
  EXPECT_FALSE(object["result"]["provider"].contains("device"));
  EXPECT_NE(run({"critical-points", "k.vtu", "--provider", "explicit", "--stats"}).out.find("tiles produced"),
            std::string::npos);
}

TEST_F(CliTopology, ProvidersOfAShuffledMesh) {
  ok({"make", "kuhn", "--size", "12", "--field", "rough", "--shuffle", "-o", "k.vtu"});
  ok({"make", "ico", "--size", "3", "--field", "rough", "--shuffle", "-o", "s.ply"});
  for (const char* mesh : {"k.vtu", "s.ply"}) {
    ok({"morse-smale", mesh, "--separatrices", "a.vtp"});
    for (const char* provider : {"materialized", "explicit", "implicit"}) {
      ok({"morse-smale", mesh, "--separatrices", "b.vtp", "--provider", provider});
      EXPECT_EQ(read("a.vtp"), read("b.vtp")) << mesh << ' ' << provider;
    }
  }
}

TEST_F(CliTopology, EncodingsAndLegacyFiles) {
  make_kuhn16();
  ok({"critical-points", "k.vtu", "-o", "a.vtp"});
  ok({"critical-points", "k.vtu", "-o", "b.vtp", "--compress"});
  ok({"critical-points", "k.vtu", "-o", "c.vtp", "--ascii"});
  EXPECT_TRUE(poly("a.vtp") == poly("b.vtp"));
  EXPECT_TRUE(poly("a.vtp") == poly("c.vtp"));
  ok({"critical-points", "k.vtu", "-o", "d.vtk"});
  EXPECT_EQ(read("d.vtk").substr(0, 26), "# vtk DataFile Version 3.0");
  EXPECT_TRUE(read_triangles(path("d.vtk")).points == poly("a.vtp").points);
}

TEST_F(CliTopology, PrintsATable) {
  write("o.ply", octahedron_ply);
  const Outcome outcome = run({"critical-points", "o.ply"});
  EXPECT_NE(outcome.out.find("o.ply: 6 points, 8 triangles, field 'f'"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("minimum             1"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("saddle2"), std::string::npos) << outcome.out;
  EXPECT_EQ(run({"morse-smale", "o.ply", "--quiet"}).out, "");
}

TEST_F(CliTopology, PartsCanBeLeftOut) {
  make_kuhn16();
  const json found = result({"morse-smale", "k.vtu", "--no-connectors", "--no-segmentation"});
  EXPECT_EQ(found["separatrices"], json::parse(R"({"descending": 1462, "ascending": 589})"));
  EXPECT_FALSE(found.contains("manifolds"));
  const json less = result({"morse-smale", "k.vtu", "--no-separatrices"});
  EXPECT_EQ(less["separatrices"], json::parse(R"({"connectors": 2224})"));
}

}  // namespace
}  // namespace tessera::test
