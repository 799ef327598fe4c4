// Files of mesh generators: what the files of samples.cpp hold, counted by hand, and how they are refused.
#include <algorithm>
#include <cmath>

#include "io/samples.h"
#include "io/support.h"

namespace tessera {
namespace {

using testing::expect_error;
using testing::TempDir;

ReadResult read_text(const std::string& name, const std::string& text, bool simplices = false) {
  TempDir directory;
  testing::save(directory / name, text);
  return read_mesh(directory / name, {.simplices = simplices});
}

ReadResult read_sample(const std::string& name) {
  return read_text(name, testing::samples(name.substr(name.find('.') + 1)).at("by_hand_" + name));
}

/// The sample with one part of it replaced.
std::string changed(const std::string& name, const std::string& from, const std::string& to) {
  std::string text = testing::samples(name.substr(name.find('.') + 1)).at("by_hand_" + name);
  const std::size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  return text.replace(place, from.size(), to);
}

void expect_bad(const std::string& name, const std::string& text,
                std::initializer_list<std::string_view> words, ErrorCode code = ErrorCode::bad_file) {
  SCOPED_TRACE(text.substr(0, 200));
  expect_error(code, words, [&] { return read_text(name, text); });
}

bool has_note(const FileReport& report, std::string_view words) {
  return std::any_of(report.notes.begin(), report.notes.end(),
                     [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

template <class T>
std::vector<T> values_of(const FieldSet& fields, std::string_view name) {
  const auto values = fields.at(name).as<T>();
  return {values.begin(), values.end()};
}

template <class... Index>
auto cell(Index... index) {
  return std::array{VertexId(static_cast<std::uint32_t>(index))...};
}

double volume(const TetMesh& mesh) {
  double sum = 0;
  for (const auto& c : mesh.cells) {
    const Vec3d a = mesh.points[c[0]];
    const double part = dot(cross(mesh.points[c[1]] - a, mesh.points[c[2]] - a), mesh.points[c[3]] - a) / 6;
    EXPECT_GT(part, 0);
    sum += part;
  }
  return sum;
}

// Nodes 40, 10, 20, 30, 1000000 are points 0 to 4.
TEST(Msh, Version2) {
  const ReadResult result = read_sample("old.msh");
  const TetMesh& mesh = std::get<TetMesh>(result.mesh);
  ASSERT_EQ(mesh.cell_count(), 2U);
  EXPECT_EQ(mesh.cells[0], cell(1, 2, 3, 0));
  EXPECT_EQ(mesh.cells[1], cell(1, 3, 2, 4));
  EXPECT_EQ(mesh.points[VertexId(4)], (Vec3d{0.1, 0.2, -1}));
  EXPECT_EQ(values_of<double>(mesh.point_data, "u"), (std::vector<double>{4.5, 1.5, 2.5, 3.5, 5.5}));
  EXPECT_EQ(mesh.cell_data.names(), (std::vector<std::string>{"gmsh:physical", "gmsh:geometrical", "flow"}));
  EXPECT_EQ(values_of<std::int32_t>(mesh.cell_data, "gmsh:physical"), (std::vector<std::int32_t>{9, 8}));
  EXPECT_EQ(values_of<std::int32_t>(mesh.cell_data, "gmsh:geometrical"), (std::vector<std::int32_t>{1, 2}));
  EXPECT_EQ(values_of<double>(mesh.cell_data, "flow"), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(result.report.format, "msh");
  EXPECT_TRUE(has_note(result.report, "1 line, 1 triangle"));
  EXPECT_TRUE(has_note(result.report, "\"inlet\" (7 of dimension 2), \"the solid\" (9 of dimension 3)"));
  EXPECT_TRUE(has_note(result.report, "partitions"));
  EXPECT_TRUE(has_note(result.report, "$Periodic"));
  EXPECT_EQ(result.report.notes.size(), 4U);  // the triangle has no "flow", but is not in the mesh
}

// Nodes 10, 20, 30, 1000000, 40 are points 0 to 4. Volume 1 is in groups 9 and 11.
TEST(Msh, Version4) {
  const ReadResult result = read_sample("new.msh");
  const TetMesh& mesh = std::get<TetMesh>(result.mesh);
  ASSERT_EQ(mesh.cell_count(), 2U);
  EXPECT_EQ(mesh.cells[0], cell(0, 1, 2, 4));
  EXPECT_EQ(mesh.cells[1], cell(0, 2, 1, 3));
  EXPECT_EQ(mesh.points[VertexId(3)], (Vec3d{0.1, 0.2, -1}));
  EXPECT_EQ(values_of<std::int32_t>(mesh.cell_data, "gmsh:physical"), (std::vector<std::int32_t>{9, 8}));
  EXPECT_EQ(values_of<std::int32_t>(mesh.cell_data, "gmsh:geometrical"), (std::vector<std::int32_t>{1, 2}));
  const auto u = mesh.point_data.at("u").as<double>();
  EXPECT_EQ(u[4], 4.5);
  EXPECT_TRUE(std::isnan(u[3]));
  EXPECT_TRUE(has_note(result.report, "\"u\" has no value at 1 points"));
  EXPECT_TRUE(has_note(result.report, "first physical group of 1 entities"));
  EXPECT_TRUE(has_note(result.report, "parametric"));
  EXPECT_TRUE(has_note(result.report, "1 triangle"));
}

TEST(Msh, BinaryInBothByteOrders) {
  for (const char* name : {"old_little.msh", "old_big.msh", "new_little.msh", "new_big.msh"}) {
    SCOPED_TRACE(name);
    const ReadResult result = read_sample(name);
    const TetMesh& mesh = std::get<TetMesh>(result.mesh);
    ASSERT_EQ(mesh.cell_count(), 1U);
    EXPECT_EQ(mesh.cells[0], cell(0, 1, 2, 3));
    EXPECT_EQ(mesh.points[VertexId(1)], (Vec3d{1, 0, 0}));
    EXPECT_EQ(mesh.points[VertexId(3)], (Vec3d{0, 0, 0.1}));
    EXPECT_EQ(values_of<std::int32_t>(mesh.cell_data, "gmsh:physical"), (std::vector<std::int32_t>{9}));
    EXPECT_EQ(values_of<std::int32_t>(mesh.cell_data, "gmsh:geometrical"), (std::vector<std::int32_t>{1}));
    const auto u = mesh.point_data.at("u").as<double>();
    EXPECT_EQ(u[0], 5);
    EXPECT_EQ(u[3], 20);
    EXPECT_TRUE(std::isnan(u[1]));
  }
}

// The unit cube with a pyramid of height 1 on it and half a unit cube beside it: 1 + 1/3 + 1/2.
TEST(Msh, OtherSolidsAreCut) {
  const std::string text =
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n11\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n"
      "6 1 0 1\n7 1 1 1\n8 0 1 1\n9 0.5 0.5 2\n10 2 0 0\n11 2 0 1\n$EndNodes\n$Elements\n3\n"
      "1 5 0 1 2 3 4 5 6 7 8\n2 7 0 5 6 7 8 9\n3 6 0 2 10 3 6 11 7\n$EndElements\n";
  const ReadResult result = read_text("a.msh", text, true);
  EXPECT_NEAR(volume(std::get<TetMesh>(result.mesh)), 1 + 1.0 / 3 + 0.5, 1e-12);
  EXPECT_TRUE(std::get<TetMesh>(result.mesh).cell_data.empty());
  expect_bad("a.msh", text, {"1 hexahedron, 1 wedge, 1 pyramid", "ask for simplices"},
             ErrorCode::unsupported);
}

TEST(Msh, Surface) {
  const ReadResult result = read_text(
      "a.MSH",
      "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 3 1 3\n2 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0\n"
      "$EndNodes\n$Elements\n1 1 1 1\n2 1 2 1\n1 1 2 3\n$EndElements\n");
  const TriMesh& mesh = std::get<TriMesh>(result.mesh);
  ASSERT_EQ(mesh.cell_count(), 1U);
  EXPECT_EQ(mesh.cells[0], cell(0, 1, 2));
  EXPECT_EQ(mesh.cell_data.names(), (std::vector<std::string>{"gmsh:geometrical"}));  // there are no groups
}

TEST(Msh, WhatCanNotBeRead) {
  expect_bad("a.msh", changed("old.msh", "2.2 0 8", "4 0 8"), {"a.msh", "version \"4\"", "2 and 4.1"},
             ErrorCode::unsupported);
  expect_bad("a.msh", changed("new.msh", "2 3 2 1", "2 3 99 1"), {"Gmsh's type 99", "linear"},
             ErrorCode::unsupported);
}

TEST(Msh, BadFiles) {
  expect_bad("a.msh", "$NOD\n", {"$MeshFormat"});
  expect_bad("a.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n", {"no $Nodes"});
  expect_bad("a.msh", changed("old.msh", "2.2 0 8", "2.2 2 8"), {"neither text"});
  expect_bad("a.msh", changed("old.msh", "2.2 0 8", "2.2 0 4"), {"unknown size"});
  expect_bad("a.msh", changed("old_little.msh", std::string("\1\0\0\0", 4), "1234"), {"byte order"});
  expect_bad("a.msh", changed("old.msh", "$Nodes\n5", "$Nodes\n5000000000"), {"claims 5000000000 nodes"});
  expect_bad("a.msh", changed("old.msh", "$Nodes\n5", "$Nodes\n4"), {"$Nodes"});
  expect_bad("a.msh", changed("old.msh", "20 1 0 0", "10 1 0 0"), {"two nodes with the id 10"});
  expect_bad("a.msh", changed("old.msh", "10 20 30 40", "10 20 31 40"), {"cell 2", "node 31"});
  expect_bad("a.msh", changed("old.msh", "$Elements\n4", "$Elements\n9000000"), {"claims 9000000 elements"});
  expect_bad("a.msh", changed("new.msh", "2 5 10", "2 6 10"), {"claims 6 nodes", "have 5"});
  expect_bad("a.msh", changed("new.msh", "3 3 1 8", "3 4 1 8"), {"claims 4 elements", "have 3"});
  expect_bad("a.msh", changed("new.msh", "3 1 0 2\n", "4 1 0 2\n"), {"dimension 4"});
  expect_bad("a.msh", changed("old.msh", "1000000 5.5", "7 5.5"), {"\"u\"", "node 7"});
  expect_bad("a.msh", changed("old.msh", "5 4 5 6", "6 4 5 6"), {"\"flow\"", "element 6"});
  expect_bad("a.msh", changed("old.msh", "0\n3\n2\n5", "0\n1000000\n2\n5"), {"1000000 components"});
  expect_bad("a.msh", changed("old.msh", "$EndPeriodic", "$EndPeriod"), {"$Periodic", "end"});
  expect_bad("a.msh", changed("old.msh", "1000000 5.5", "10 5.5"), {"\"u\"", "node 10 twice"});
  expect_bad("a.msh", changed("old.msh", "$Comments", "Comments"), {"\"Comments\"", "section"});
}

TEST(Medit, Solids) {
  const ReadResult result = read_text("a.mesh", testing::samples("mesh").at("by_hand_solids.mesh"), true);
  const TetMesh& mesh = std::get<TetMesh>(result.mesh);
  ASSERT_EQ(mesh.cell_count(), 7U);  // 6 of the hexahedron
  EXPECT_EQ(mesh.cells[0], cell(0, 1, 4, 8));
  EXPECT_TRUE(mesh.points.is_double());
  EXPECT_EQ(mesh.points[VertexId(8)], (Vec3d{0.1, -1, 0}));
  EXPECT_EQ(values_of<std::int32_t>(mesh.point_data, "medit:ref"),
            (std::vector<std::int32_t>{1, 2, 3, 4, 5, 6, 7, 8, -9}));
  EXPECT_EQ(values_of<std::int32_t>(mesh.cell_data, "medit:ref"),
            (std::vector<std::int32_t>{10, 20, 20, 20, 20, 20, 20}));
  EXPECT_NEAR(volume(mesh), 1 + 1.0 / 6, 1e-12);
  EXPECT_EQ(result.report.format, "mesh");
  EXPECT_TRUE(has_note(result.report, "Corners"));
  EXPECT_TRUE(has_note(result.report, "AngleOfCornerBound"));
  EXPECT_TRUE(has_note(result.report, "1 triangle"));
  EXPECT_EQ(result.report.notes.size(), 3U);  // and the cut
}

TEST(Medit, SurfaceOfThePlane) {
  const ReadResult result = read_text("a.mesh",
                                      "MeshVersionFormatted 1\nDimension 2\nVertices 3\n0 0 0\n0.1 0 0\n"
                                      "0 1 0\nEdges 1\n1 2 5\nTriangles 1\n1 2 3 4\n");
  const TriMesh& mesh = std::get<TriMesh>(result.mesh);
  ASSERT_EQ(mesh.cell_count(), 1U);
  EXPECT_EQ(mesh.cells[0], cell(0, 1, 2));
  EXPECT_FALSE(mesh.points.is_double());
  EXPECT_EQ(mesh.points[VertexId(1)], (Vec3d{0.1F, 0, 0}));
  EXPECT_EQ(values_of<std::int32_t>(mesh.cell_data, "medit:ref"), (std::vector<std::int32_t>{4}));
  EXPECT_TRUE(has_note(result.report, "no End"));
}

// Half a unit cube, with its triangles in Medit's order.
TEST(Medit, Prism) {
  const ReadResult result = read_text(
      "a.mesh",
      "MeshVersionFormatted 2 Dimension 3 Vertices 6 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 0 1 0 1 0 0 1 1 0\n"
      "Prisms 1 1 2 3 4 5 6 0 End",
      true);
  EXPECT_NEAR(volume(std::get<TetMesh>(result.mesh)), 0.5, 1e-12);
}

TEST(Medit, BadFiles) {
  const std::string binary("\1\0\0\0\3\0\0\0", 8);
  expect_bad("a.meshb", binary, {"a.meshb", "binary Medit file", "text"}, ErrorCode::unsupported);
  expect_bad("a.mesh", binary, {"a.mesh", "binary Medit file", "text"}, ErrorCode::unsupported);
  expect_bad("a.mesh", changed("solids.mesh", "Tetrahedra", "TetrahedraP3"), {"TetrahedraP3", "linear"},
             ErrorCode::unsupported);
  expect_bad("a.mesh", changed("solids.mesh", "MeshVersion", "Mesh"), {"MeshVersionFormatted"});
  expect_bad("a.mesh", changed("solids.mesh", "Dimension\n3", "Dimension\n4"), {"dimension 4", "2 or 3"});
  expect_bad("a.mesh", changed("solids.mesh", "9 #", "900000 #"), {"claims 900000 vertices"});
  expect_bad("a.mesh", changed("solids.mesh", "9 #", "8 #"), {"\"0.1\"", "keyword"});
  expect_bad("a.mesh", changed("solids.mesh", "Tetrahedra\n1", "Tetrahedra\n999"), {"claims 999 Tetrahedra"});
  expect_bad("a.mesh", "MeshVersionFormatted 2 Dimension 2 Vertices 1 0 0 0 Triangles 1 1 1 2 0 End",
             {"cell 0", "point 1", "1 points"});
  expect_bad("a.mesh", changed("solids.mesh", "1 2 5 9 10", "1 2 5 0 10"), {"cell 1", "point 0", "from 1"});
  expect_bad("a.mesh", changed("solids.mesh", "0.1 -1 0", "0.1 x 0"), {"\"x\"", "number"});
  expect_bad("a.mesh", "MeshVersionFormatted 2 Dimension 3 End", {"no Vertices"});
  std::string sections = "MeshVersionFormatted 2 Dimension 3 Vertices 1 0 0 0 0 ";
  for (int i = 0; i < 1000; ++i) sections += "Odd" + std::string(1, static_cast<char>('A' + i % 25)) + " 0 ";
  const std::vector<std::string> notes = read_text("b.mesh", sections + "End").report.notes;
  ASSERT_FALSE(notes.empty());
  EXPECT_TRUE(notes[0].starts_with("Left out sections: OddA, OddB, ")) << notes[0];
  EXPECT_LT(notes[0].size(), 200U);
}

/// Reads "a.node" or "a.ele" with its partner beside it.
ReadResult read_pair(const std::string& node, const std::string& ele, const std::string& name = "a.node") {
  TempDir directory;
  testing::save(directory / "a.node", node);
  testing::save(directory / "a.ele", ele);
  return read_mesh(directory / name);
}

TEST(Tetgen, EitherNameReadsBoth) {
  for (const char* name : {"a.node", "a.ele"}) {
    SCOPED_TRACE(name);
    const ReadResult result = read_pair(testing::samples("node").at("by_hand_tets.node"),
                                        testing::samples("ele").at("by_hand_tets.ele"), name);
    const TetMesh& mesh = std::get<TetMesh>(result.mesh);
    ASSERT_EQ(mesh.cell_count(), 2U);
    EXPECT_EQ(mesh.cells[0], cell(0, 1, 2, 3));
    EXPECT_EQ(mesh.cells[1], cell(0, 2, 1, 4));
    EXPECT_FALSE(mesh.points.is_double());
    EXPECT_EQ(mesh.points[VertexId(4)], (Vec3d{0.1F, 0.2F, -1}));
    EXPECT_EQ(mesh.point_data.names(), (std::vector<std::string>{"attribute0", "attribute1", "marker"}));
    EXPECT_EQ(values_of<double>(mesh.point_data, "attribute1"), (std::vector<double>{10, 20, 30, 40, 50}));
    EXPECT_EQ(values_of<std::int32_t>(mesh.point_data, "marker"),
              (std::vector<std::int32_t>{1, 1, 0, -1, 0}));
    EXPECT_EQ(values_of<double>(mesh.cell_data, "attribute0"), (std::vector<double>{7, 8}));
    EXPECT_TRUE(result.report.notes.empty());
  }
}

TEST(Tetgen, NumberedFromZeroAndOfThePlane) {
  const ReadResult result = read_pair("3 2 0 0\n0 0 0\n1 1 0\n2 0 1 99\n", "1 3 0\n0 0 1 2");
  const TriMesh& mesh = std::get<TriMesh>(result.mesh);
  ASSERT_EQ(mesh.cell_count(), 1U);
  EXPECT_EQ(mesh.cells[0], cell(0, 1, 2));
  EXPECT_EQ(mesh.points[VertexId(2)], (Vec3d{0, 1, 0}));
  EXPECT_TRUE(mesh.point_data.empty());
  EXPECT_TRUE(has_note(result.report, "ends of lines"));  // the 99
}

TEST(Tetgen, BadFiles) {
  expect_bad("a.node", "1 3 0 0\n1 0 0 0\n", {"a.node", "no cells", "a.ele"});
  expect_bad("a.ele", "1 4 0\n1 1 2 3 4\n", {"a.ele", "no points", "a.node"});
  expect_error(ErrorCode::bad_file, {".ele", "tetrahedra", "two coordinates"},
               [] { return read_pair("4 2 0 0\n1 0 0\n2 1 0\n3 0 1\n4 1 1\n", "1 4 0\n1 1 2 3 4\n"); });
  const std::string node = "3 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n";
  const auto expect_pair = [](const std::string& points, const std::string& cells,
                              std::initializer_list<std::string_view> words,
                              ErrorCode code = ErrorCode::bad_file) {
    SCOPED_TRACE(points + cells);
    expect_error(code, words, [&] { return read_pair(points, cells); });
  };
  expect_pair(node, "1 10 0\n1 1 2 3 3 3 3 3 3 3 3\n", {"a.node", "quadratic tetra", "linearize"},
              ErrorCode::unsupported);
  expect_pair(node, "1 5 0\n1 1 2 3 1 1\n", {"a.ele", "cells of 5 points"});
  expect_pair(node, "1 3 0\n1 1 2 4\n", {"a.ele", "cell 1", "point 4", "3 points, numbered from 1"});
  expect_pair(node, "1 3 0\n1 1 2 0\n", {"cell 1", "point 0"});
  expect_pair(node, "1 3 0\n2 1 2 3\n", {"a.ele", "numbers a line 2 where 1"});
  expect_pair(node, "2 3 0\n1 1 2 3\n\n\n\n\n\n\n\n\n", {"a.ele", "ends before"});
  expect_pair(node, "1 3 0\n1 1 2 3\n2 1 2 3\n", {"a.ele", "more lines"});
  expect_pair(node, "1 3 0\n1 1 2\n\n", {"a.ele", "number"});
  expect_pair(node, "", {"a.ele", "ends before"});
  expect_pair("4000000000 3 0 0\n1 0 0 0\n", "", {"a.node", "claims 4000000000 points"});
  expect_pair("3 3 4000000000 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n", "", {"a.node", "4000000000 attributes"});
  expect_pair("1 4 0 0\n1 0 0 0 0\n", "", {"a.node", "dimension 4"});
  expect_pair("1 3 0 2\n1 0 0 0 0 0\n", "", {"a.node", "2 boundary markers"});
  expect_pair("2 3 0 0\n1 0 0 0\n3 1 0 0\n", "", {"a.node", "numbers a line 3 where 2"});
}

TEST(ReadOnlyFormats, AreNotWritten) {
  TempDir directory;
  const TriMesh mesh = testing::make_two_triangles<float>();
  for (const char* name : {"a.msh", "a.mesh", "a.node", "a.ele"}) {
    expect_error(ErrorCode::unsupported,
                 {name, "can only be read", "vtu, vtp, vti, vtk, ply, obj, stl, off, glb, gltf"},
                 [&] { write_mesh(directory / name, mesh); });
  }
  EXPECT_EQ(directory.file_count(), 0U);
}

}  // namespace
}  // namespace tessera
