#include "io/samples.h"

#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::testing {
namespace {

/// "00ff" -> two bytes.
std::string make_bytes(std::string_view hex) {
  std::string bytes;
  for (; hex.size() > 1; hex.remove_prefix(2))
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(0, 2)), nullptr, 16));
  return bytes;
}

// Every linear cell: a hexahedron on the unit cube, a pyramid on its top, a wedge and a tetrahedron beside
// it.
constexpr const char* mixed_vtu = R"(<?xml version="1.0"?>
<!-- every solid -->
<VTKFile type="UnstructuredGrid" version="0.1" byte_order="LittleEndian">
  <UnstructuredGrid>
    <Piece NumberOfPoints="12" NumberOfCells="5">
      <PointData Scalars="h"><DataArray type="Float32" Name="h" format="ascii">0 1 2 3 4 5 6 7 8 9 10 11</DataArray></PointData>
      <CellData>
        <DataArray type="Int8" Name="kind" format="ascii">1 2 3 4 5</DataArray>
        <DataArray type="String" Name="label" format="ascii">97 0 98 0 99 0 100 0 101 0</DataArray>
      </CellData>
      <Points><DataArray type="Float64" NumberOfComponents="3" format="ascii">
        0 0 0  1 0 0  1 1 0  0 1 0  0 0 1  1 0 1  1 1 1  0 1 1
        0.5 0.5 2  2 0 0  2 0 1  3 0 0
      </DataArray></Points>
      <Cells>
        <DataArray type="Int64" Name="connectivity" format="ascii">
          0 1 2 3 4 5 6 7  4 5 6 7 8  1 2 9 5 6 10  9 10 11 2  0 1
        </DataArray>
        <DataArray type="Int64" Name="offsets" format="ascii">8 13 19 23 25</DataArray>
        <DataArray type="UInt8" Name="types" format="ascii">12 14 13 10 3</DataArray>
      </Cells>
    </Piece>
  </UnstructuredGrid>
</VTKFile>
)";

// Two pieces with a triangle each and one without anything, as parallel programs write them.
constexpr const char* pieces_vtu =
    R"(<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64">
<UnstructuredGrid>
<Piece NumberOfPoints="0" NumberOfCells="0"><PointData/><CellData/></Piece>
<Piece NumberOfPoints="3" NumberOfCells="1">
<PointData><DataArray type="Int32" Name="id" format="ascii">7 8 9</DataArray><DataArray type="Int32" Name="lone" format="ascii">1 2 3</DataArray></PointData>
<Points><DataArray type="Float32" NumberOfComponents="3" format="ascii">0 0 0 1 0 0 0 1 0</DataArray></Points>
<Cells><DataArray type="Int32" Name="connectivity" format="ascii">0 1 2</DataArray><DataArray type="Int32" Name="offsets" format="ascii">3</DataArray><DataArray type="UInt8" Name="types" format="ascii">5</DataArray></Cells>
</Piece>
<Piece NumberOfPoints="3" NumberOfCells="1">
<PointData><DataArray type="Int32" Name="id" format="ascii">17 18 19</DataArray></PointData>
<Points><DataArray type="Float32" NumberOfComponents="3" format="ascii">5 0 0 6 0 0 5 1 0</DataArray></Points>
<Cells><DataArray type="Int32" Name="connectivity" format="ascii">2 1 0</DataArray><DataArray type="Int32" Name="offsets" format="ascii">3</DataArray><DataArray type="UInt8" Name="types" format="ascii">5</DataArray></Cells>
</Piece>
</UnstructuredGrid>
</VTKFile>
)";

// A point, a line, a triangle, a quad, a pentagon that is concave at its last corner, and a strip of three
// triangles.
constexpr const char* mixed_vtp = R"(<?xml version="1.0"?>
<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64">
  <PolyData>
    <Piece NumberOfPoints="10" NumberOfVerts="1" NumberOfLines="1" NumberOfStrips="1" NumberOfPolys="3">
      <CellData><DataArray type="UInt16" Name="kind" format="ascii">1 2 3 4 5 6</DataArray></CellData>
      <Points><DataArray type="Float32" NumberOfComponents="3" format="ascii">
        0 0 0  1 0 0  1 1 0  0 1 0  2 0 0  2 2 0  3 2 0  3 0 0  2.5 1 0  0 0 1
      </DataArray></Points>
      <Verts><DataArray type="Int64" Name="connectivity" format="ascii">9</DataArray><DataArray type="Int64" Name="offsets" format="ascii">1</DataArray></Verts>
      <Lines><DataArray type="Int64" Name="connectivity" format="ascii">0 9</DataArray><DataArray type="Int64" Name="offsets" format="ascii">2</DataArray></Lines>
      <Strips><DataArray type="Int64" Name="connectivity" format="ascii">0 1 3 2 5</DataArray><DataArray type="Int64" Name="offsets" format="ascii">5</DataArray></Strips>
      <Polys><DataArray type="Int64" Name="connectivity" format="ascii">0 1 9  0 1 2 3  4 7 6 5 8</DataArray><DataArray type="Int64" Name="offsets" format="ascii">3 7 12</DataArray></Polys>
    </Piece>
  </PolyData>
</VTKFile>
)";

// 3 x 2 x 1 points in two pieces that share the middle column.
constexpr const char* pieces_vti =
    R"(<VTKFile type="ImageData" version="1.0" byte_order="LittleEndian" header_type="UInt64">
  <ImageData WholeExtent="1 3 0 1 0 0" Origin="10 0 0" Spacing="2 1 1" Direction="0 -1 0 1 0 0 0 0 1">
    <Piece Extent="1 2 0 1 0 0">
      <PointData><DataArray type="Int32" Name="id" format="ascii">0 1 3 4</DataArray></PointData>
      <CellData><DataArray type="Float32" Name="c" format="ascii">0.5</DataArray></CellData>
    </Piece>
    <Piece Extent="2 3 0 1 0 0">
      <PointData><DataArray type="Int32" Name="id" format="ascii">1 2 4 5</DataArray></PointData>
      <CellData><DataArray type="Float32" Name="c" format="ascii">1.5</DataArray></CellData>
    </Piece>
  </ImageData>
</VTKFile>
)";

// The old list of cells, the attributes of the first versions, and what follows an array in the last ones.
constexpr const char* mixed_vtk = R"(# vtk DataFile Version 2.0
a title that says nothing
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 9 double
0 0 0  1 0 0  1 1 0  0 1 0  0 0 1  1 0 1  1 1 1  0 1 1  0.5 0.5 2
CELLS 3 18
8 0 1 2 3 4 5 6 7
5 4 5 6 7 8
2 0 1

CELL_TYPES 3
12
14
3
POINT_DATA 9
SCALARS temperature float 1
LOOKUP_TABLE default
0 1 2 3 4 5 6 7 8
VECTORS wind float
0 0 0 1 0 0 2 0 0 3 0 0 4 0 0 5 0 0 6 0 0 7 0 0 8 0 0
METADATA
INFORMATION 0

TEXTURE_COORDINATES uv 2 float
0 0 0 1 0 2 0 3 0 4 0 5 0 6 0 7 0 8
CELL_DATA 3
COLOR_SCALARS colour 3
1 0 0  0 1 0  0 0 0.5
LOOKUP_TABLE table 1
0 0 0 1
FIELD more 2
a%20name 2 3 int
1 2 3 4 5 6
words 1 3 string
one
two
three
)";

constexpr const char* poly_vtk = R"(# vtk DataFile Version 5.1
vtk output
ASCII
DATASET POLYDATA
FIELD FieldData 1
TimeValue 1 1 double
0.25
POINTS 5 float
0 0 0 1 0 0 1 1 0
0 1 0 2 2 2
POLYGONS 3 7
OFFSETS vtktypeint64
0 3 7
CONNECTIVITY vtktypeint64
0 1 4 0 1 2 3
LINES 2 2
OFFSETS vtktypeint64
0 2
CONNECTIVITY vtktypeint64
0 4
CELL_DATA 3
SCALARS id int
LOOKUP_TABLE default
10 20 30
)";

constexpr const char* points_vtk = R"(# vtk DataFile Version 3.0
lattice
ASCII
DATASET STRUCTURED_POINTS
DIMENSIONS 3 2 1
ORIGIN 1 2 3
SPACING 0.5 0.25 1
POINT_DATA 6
SCALARS density unsigned_char
LOOKUP_TABLE default
0 1 2 3 4 255
CELL_DATA 2
SCALARS cell double 1
LOOKUP_TABLE default
0.1 0.2
)";

constexpr const char* text_ply = R"(ply
format ascii 1.0
comment every kind of property
obj_info nothing
element vertex 5
property float x
property float y
property float z
property float nx
property uchar red
property double confidence
property list uchar int friends
element face 2
property list uchar int vertex_indices
property short group
element edge 1
property int vertex1
property int vertex2
end_header
0 0 0 1 255 0.1 1 2
1 0 0 1 0 0.2 0
1 1 0 1 7 0.3 2 0 1
0 1 0 1 8 0.4 0
0 0 1 1 9 0.5 0
4 0 1 2 3 -7
3 0 1 4 300
0 1
)";

constexpr const char* strips_ply = R"(ply
format ascii 1.0
element vertex 6
property double x
property double y
property double z
element tristrips 1
property list int int vertex_indices
end_header
0 0 0.12345678901
1 0 0
0 1 0
1 1 0
5 5 5
6 6 6
8 0 1 2 3 -1 2 3 5
)";

constexpr const char* text_obj = R"(# every kind of index
mtllib none.mtl
o thing
v 0 0 0 1 0 0
v 1 0 0 0 1 0
v 1 1 0
v 0 1 0
vt 0 0
vn 0 0 1
usemtl none
f 1/1/1 2/1/1 3/1/1 4/1/1
f -4 -3 \
  -1
f 1//1 3//1 4//1
l 1 2
)";

constexpr const char* text_stl = R"(solid any name at all
 facet normal 0 0 1
  outer loop
   vertex 0 0 0
   vertex 1 0 0
   vertex 0 1 0
  endloop
 endfacet
 facet normal 0 0 1
  outer loop
   vertex 1 0 0
   vertex 1 1 0
   vertex 0 1 0.3333333333333333
  endloop
 endfacet
endsolid any name at all
)";

constexpr const char* text_off = R"(OFF 5 3 0
# the unit square and a point above it
0 0 0
1 0 0
1 1 0   # with a comment

0 1 0
0.5 0.5 1
4 0 1 2 3 255 0 0
3 0 1 4
3 1 2 4 0.5 0.5 0.5
)";

// Two boxes of a block, side by side, with points that are not equally spaced.
constexpr const char* pieces_vts = R"(<VTKFile type="StructuredGrid" version="1.0" byte_order="LittleEndian">
<StructuredGrid WholeExtent="0 2 0 1 0 1">
<Piece Extent="0 1 0 1 0 1">
<PointData><DataArray type="Int32" Name="id" format="ascii">0 1 3 4 6 7 9 10</DataArray></PointData>
<CellData><DataArray type="Int8" Name="part" format="ascii">1</DataArray></CellData>
<Points><DataArray type="Float32" NumberOfComponents="3" format="ascii">0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1</DataArray></Points>
</Piece>
<Piece Extent="1 2 0 1 0 1">
<PointData><DataArray type="Int32" Name="id" format="ascii">1 2 4 5 7 8 10 11</DataArray></PointData>
<CellData><DataArray type="Int8" Name="part" format="ascii">2</DataArray></CellData>
<Points><DataArray type="Float32" NumberOfComponents="3" format="ascii">1 0 0 3 0 0 1 1 0 3 1 0 1 0 1 3 0 1 1 1 1 3 1 1</DataArray></Points>
</Piece>
</StructuredGrid>
</VTKFile>
)";

// The same in a plane, by the coordinates of its axes.
constexpr const char* pieces_vtr = R"(<VTKFile type="RectilinearGrid" version="1.0" byte_order="LittleEndian">
<RectilinearGrid WholeExtent="4 6 0 1 2 2">
<Piece Extent="4 5 0 1 2 2">
<CellData><DataArray type="Int8" Name="part" format="ascii">1</DataArray></CellData>
<Coordinates><DataArray type="Float32" format="ascii">0 1</DataArray><DataArray type="Float64" format="ascii">0 2</DataArray><DataArray type="Int8" format="ascii">-1</DataArray></Coordinates>
</Piece>
<Piece Extent="5 6 0 1 2 2">
<CellData><DataArray type="Int8" Name="part" format="ascii">2</DataArray></CellData>
<Coordinates><DataArray type="Float32" format="ascii">1 3</DataArray><DataArray type="Float64" format="ascii">0 2</DataArray><DataArray type="Int8" format="ascii">-1</DataArray></Coordinates>
</Piece>
</RectilinearGrid>
</VTKFile>
)";

constexpr const char* structured_vtk = R"(# vtk DataFile Version 3.0
a bent quad and a flat one
ASCII
DATASET STRUCTURED_GRID
DIMENSIONS 3 2 1
POINTS 6 float
0 0 0 1 0 0 2 0 0 0 1 0 1 1 0.5 2 1 0
CELL_DATA 2
SCALARS part int 1
LOOKUP_TABLE default
5 6
)";

constexpr const char* rectilinear_vtk = R"(# vtk DataFile Version 3.0
uneven steps
ASCII
DATASET RECTILINEAR_GRID
DIMENSIONS 3 2 2
X_COORDINATES 3 double
0 1 3
Y_COORDINATES 2 float
0 1
Z_COORDINATES 2 int
0 1
POINT_DATA 12
SCALARS h float 1
LOOKUP_TABLE default
0 1 2 3 4 5 6 7 8 9 10 11
)";

// Files that name others: those of companions().
constexpr const char* pair_pvtu =
    R"(<VTKFile type="PUnstructuredGrid" version="1.0" byte_order="LittleEndian">
<PUnstructuredGrid GhostLevel="1"><PPointData><PDataArray type="Int32" Name="id"/></PPointData>
<Piece Source="piece_a.vtu"/><Piece Source="./piece_b.vtu"/></PUnstructuredGrid>
</VTKFile>
)";
constexpr const char* pair_pvtp = R"(<VTKFile type="PPolyData" version="1.0" byte_order="LittleEndian">
<PPolyData GhostLevel="0"><Piece Source="piece_a.vtp"/><Piece Source="piece_b.vtp"/></PPolyData>
</VTKFile>
)";
constexpr const char* pair_pvti = R"(<VTKFile type="PImageData" version="1.0" byte_order="LittleEndian">
<PImageData WholeExtent="0 2 0 1 0 0" GhostLevel="0" Origin="0 0 0" Spacing="1 1 1">
<Piece Extent="0 1 0 1 0 0" Source="piece_a.vti"/><Piece Extent="1 2 0 1 0 0" Source="piece_b.vti"/></PImageData>
</VTKFile>
)";
constexpr const char* blocks_vtm =
    R"(<VTKFile type="vtkMultiBlockDataSet" version="1.0" byte_order="LittleEndian">
<vtkMultiBlockDataSet><DataSet index="0" file="piece_a.vtp"/>
<Block index="1"><DataSet index="0" file="piece_a.vti"/><DataSet index="1"/></Block></vtkMultiBlockDataSet>
</VTKFile>
)";

/// A triangle of the unit square; `last` is its third corner.
std::string triangle_piece(const std::string& type, const std::string& last, const std::string& ids) {
  const bool is_poly = type == "PolyData";
  const std::string cells = is_poly ? "Polys" : "Cells";
  return "<VTKFile type=\"" + type + "\" version=\"1.0\" byte_order=\"LittleEndian\"><" + type +
         "><Piece NumberOfPoints=\"3\" " + (is_poly ? "NumberOfPolys" : "NumberOfCells") +
         "=\"1\"><PointData><DataArray type=\"Int32\" Name=\"id\" format=\"ascii\">" + ids +
         "</DataArray></PointData><CellData><DataArray type=\"UInt8\" Name=\"vtkGhostType\" "
         "format=\"ascii\">0"
         "</DataArray></CellData><Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" "
         "format=\"ascii\">1 0 0 0 1 0 " +
         last + "</DataArray></Points><" + cells +
         "><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2</DataArray>"
         "<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">3</DataArray>"
         "<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">5</DataArray></" +
         cells + "></Piece></" + type + "></VTKFile>";
}

std::string image_piece(const std::string& extent, const std::string& values) {
  return "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\"><ImageData WholeExtent=\"0 "
         "2 0 1 0 0\" "
         "Origin=\"0 0 0\" Spacing=\"1 1 1\"><Piece Extent=\"" +
         extent + "\"><PointData><DataArray type=\"Int32\" Name=\"id\" format=\"ascii\">" + values +
         "</DataArray></PointData></Piece></ImageData></VTKFile>";
}

// Six numbers, 0 1 2 -3 400 -32768, as Python's gzip and zlib pack them.
const std::string six_gzip = make_bytes("1f8b08000000000002ff636060646062f8fb7f0223430300d46f60e40c000000");
const std::string six_zlib = make_bytes("789c636060646062f8fb7f02234303000dd20311");

/// A binary, big-endian PLY with a list whose length has two bytes.
std::string binary_ply() {
  std::string bytes =
      "ply\nformat binary_big_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty "
      "float z\n"
      "element face 1\nproperty list ushort uint vertex_index\nproperty uchar flag\nend_header\n";
  const auto put = [&](std::uint32_t word, int width) {
    for (int i = width - 1; i >= 0; --i) bytes += static_cast<char>(word >> (8 * i));
  };
  constexpr std::uint32_t one = 0x3F800000;  // 1.0F
  for (const std::uint32_t x : {0U, 0U, 0U, one, 0U, 0U, 0U, one, 0U}) put(x, 4);
  put(3, 2);
  for (const std::uint32_t v : {2U, 0U, 1U}) put(v, 4);
  put(200, 1);
  return bytes;
}

// Two tetrahedra in two groups, a triangle and a line of their hull; ids with gaps and in no order; a scalar
// of the nodes, a vector of the tetrahedra alone.
constexpr const char* old_msh = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$Comments
anything
$EndComments
$PhysicalNames
2
2 7 "inlet"
3 9 "the solid"
$EndPhysicalNames
$Nodes
5
40 0 0 1
10 0 0 0
20 1 0 0
30 0 1 0
1000000 0.1 0.2 -1
$EndNodes
$Elements
4
1 1 2 0 4 10 20
2 2 2 7 3 10 20 30
8 4 4 9 1 1 2 10 20 30 40
5 4 2 8 2 10 30 20 1000000
$EndElements
$Periodic
0
$EndPeriodic
$NodeData
1
"u"
1
0.0
3
0
1
5
10 1.5
20 2.5
30 3.5
40 4.5
1000000 5.5
$EndNodeData
$ElementData
1
"flow"
1
0
3
0
3
2
5 4 5 6
8 1 2 3
$EndElementData
)";

// The same tetrahedra and the triangle in blocks of entities; one block of nodes has parameters.
constexpr const char* new_msh = R"($MeshFormat
4.1 0 8
$EndMeshFormat
$Entities
1 0 1 2
1 0 0 0 0
3 0 0 0 1 1 0 0 0
1 0 0 0 1 1 1 2 9 11 1 3
2 0 0 -1 1 1 0 1 8 1 3
$EndEntities
$Nodes
2 5 10 1000000
2 3 1 3
10
20
30
0 0 0 0.5 0.5
1 0 0 1 0
0 1 0 0 1
3 1 0 2
1000000
40
0.1 0.2 -1
0 0 1
$EndNodes
$Elements
3 3 1 8
2 3 2 1
1 10 20 30
3 1 4 1
8 10 20 30 40
3 2 4 1
5 10 30 20 1000000
$EndElements
$NodeData
1
"u"
0
3
0
1
4
10 1.5
20 2.5
30 3.5
40 4.5
$EndNodeData
)";

// A tetrahedron, a hexahedron and a triangle with references, comments and things that are no cells.
constexpr const char* solids_mesh = R"(# by hand
MeshVersionFormatted 2
Dimension
3
Vertices
9 # of them
0 0 0 1
1 0 0 2
1 1 0 3
0 1 0 4
0 0 1 5
1 0 1 6
1 1 1 7
0 1 1 8
0.1 -1 0 -9
Corners
2
1 9
AngleOfCornerBound 45.5
Triangles 1
1 2 9 30
Tetrahedra
1
1 2 5 9 10
Hexahedra 1
1 2 3 4 5 6 7 8 20
End
)";

// Two tetrahedra, numbered from 1, with two attributes and a marker of points and one attribute of cells.
constexpr const char* tets_node = R"(# count, dimension, attributes, markers
5 3 2 1

1 0 0 0 0.5 10 1
2 1 0 0 1.5 20 1
3 0 1 0 2.5 30 0   # inside
4 0 0 1 3.5 40 -1
5 0.1 0.2 -1 4.5 50 0
# the end
)";
constexpr const char* tets_ele = R"(2 4 1
1 1 2 3 4 7
2 1 3 2 5 8
)";

/// Numbers as a binary file of either byte order has them.
struct BinaryText {
  bool is_big = false;
  std::string bytes = {};

  void put_word(std::uint64_t word, int width) {
    for (int i = 0; i < width; ++i) bytes += static_cast<char>(word >> (8 * (is_big ? width - 1 - i : i)));
  }
  void put_ints(std::initializer_list<std::int32_t> values) {
    for (const std::int32_t value : values) put_word(static_cast<std::uint32_t>(value), 4);
  }
  void put_sizes(std::initializer_list<std::uint64_t> values) {
    for (const std::uint64_t value : values) put_word(value, 8);
  }
  void put_doubles(std::initializer_list<double> values) {
    for (const double value : values) put_word(std::bit_cast<std::uint64_t>(value), 8);
  }
  void put_format(const std::string& version) {
    bytes += "$MeshFormat\n" + version + " 1 8\n";
    put_ints({1});
    bytes += "\n$EndMeshFormat\n";
  }
  void put_data() {
    bytes += "$NodeData\n1\n\"u\"\n1\n0\n3\n0\n1\n2\n";
    for (const std::int32_t node : {10, 40}) {
      put_ints({node});
      put_doubles({node / 2.0});
    }
    bytes += "\n$EndNodeData\n";
  }
};

/// Two triangles as an off file of 52 bytes, packed by Python's gzip module: its bytes as hexadecimal digits.
std::string packed_off() {
  constexpr std::string_view digits =
      "1f8b0800000000000203f37773e33251305230e0325000422e433069a0600813d133e5325600f18dc0b49182311700ef"
      "d7aeda34000000";
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
  return bytes;
}

/// A triangle and a tetrahedron of version 2.2.
std::string old_binary_msh(bool is_big) {
  BinaryText text{is_big};
  text.put_format("2.2");
  text.bytes += "$Nodes\n4\n";
  const std::array<std::array<double, 3>, 4> points = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0.1}}};
  for (std::int32_t i = 0; i < 4; ++i) {
    text.put_ints({10 * (i + 1)});
    text.put_doubles({points[i][0], points[i][1], points[i][2]});
  }
  text.bytes += "\n$EndNodes\n$Elements\n2\n";
  text.put_ints({2, 1, 2, /*id*/ 1, /*tags*/ 7, 3, 10, 20, 30});
  text.put_ints({4, 1, 2, 2, 9, 1, 10, 20, 30, 40});
  text.bytes += "\n$EndElements\n";
  text.put_data();
  return text.bytes;
}

/// The same of version 4.1.
std::string new_binary_msh(bool is_big) {
  BinaryText text{is_big};
  text.put_format("4.1");
  text.bytes += "$Entities\n";
  text.put_sizes({1, 0, 0, 1});
  text.put_ints({4});  // a point
  text.put_doubles({0, 0, 0});
  text.put_sizes({0});
  text.put_ints({1});  // a volume of one group and one surface
  text.put_doubles({0, 0, 0, 1, 1, 1});
  text.put_sizes({1});
  text.put_ints({9});
  text.put_sizes({1});
  text.put_ints({3});
  text.bytes += "\n$EndEntities\n$Nodes\n";
  text.put_sizes({1, 4, 10, 40});
  text.put_ints({3, 1, 0});
  text.put_sizes({4, 10, 20, 30, 40});
  text.put_doubles({0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0.1});
  text.bytes += "\n$EndNodes\n$Elements\n";
  text.put_sizes({2, 2, 1, 2});
  text.put_ints({2, 3, 2});
  text.put_sizes({1, 1, 10, 20, 30});
  text.put_ints({3, 1, 4});
  text.put_sizes({1, 2, 10, 20, 30, 40});
  text.bytes += "\n$EndElements\n";
  text.put_data();
  return text.bytes;
}

}  // namespace

std::map<std::string, std::string> samples(const std::string& format) {
  const std::vector<std::pair<std::string, std::string>> all = {
      {"mixed.vtu", mixed_vtu},
      {"pieces.vtu", pieces_vtu},
      {"mixed.vtp", mixed_vtp},
      {"pieces.vti", pieces_vti},
      {"mixed.vtk", mixed_vtk},
      {"poly.vtk", poly_vtk},
      {"points.vtk", points_vtk},
      {"text.ply", text_ply},
      {"strips.ply", strips_ply},
      {"big.ply", binary_ply()},
      {"text.obj", text_obj},
      {"text.stl", text_stl},
      {"text.off", text_off},
      {"solids.mesh", solids_mesh},
      {"tets.node", tets_node},
      {"tets.ele", tets_ele},
      {"python.off.gz", packed_off()},
      {"old.msh", old_msh},
      {"new.msh", new_msh},
      {"old_little.msh", old_binary_msh(false)},
      {"old_big.msh", old_binary_msh(true)},
      {"new_little.msh", new_binary_msh(false)},
      {"new_big.msh", new_binary_msh(true)},
      {"pieces.vts", pieces_vts},
      {"pieces.vtr", pieces_vtr},
      {"structured.vtk", structured_vtk},
      {"six.nrrd",
       "NRRD0004\n# by hand\ntype: short\ndimension: 3\nsizes: 3 2 1\nendian: little\nencoding: gzip\n"
       "space directions: (0.5,0,0) (0,-2,0) (0,0,1)\nspace origin: (1,2,3)\ncontent: height\n\n" +
           six_gzip},
      {"text.nrrd",
       "NRRD0001\ntype: float\ndimension: 4\nsizes: 2 2 1 1\nspacings: nan 1 2 3\nencoding: "
       "ascii\nkey:=value\n\n1 2\n3 4e-1\n"},
      {"raw.nhdr",
       "NRRD0004\ntype: uint16\ndimension: 2\nsizes: 2 2\nendian: big\nencoding: raw\nbyte skip: 2\ndata "
       "file: ten.raw\n"},
      {"six.mha",
       "ObjectType = Image\nNDims = 2\nDimSize = 3 2\nElementType = MET_SHORT\nCompressedData = True\n"
       "Offset = 1 2\nElementSpacing = 0.5 2\nElementDataFile = LOCAL\n" +
           six_zlib},
      {"raw.mhd",
       "ObjectType = Image\nNDims = 3\nBinaryDataByteOrderMSB = True\nDimSize = 1 2 "
       "1\nElementNumberOfChannels = 2\n"
       "ElementType = MET_USHORT\nTransformMatrix = 0 1 0 -1 0 0 0 0 1\nHeaderSize = -1\nElementDataFile = "
       "ten.raw\n"},
      {"pair.pvtu", pair_pvtu},
      {"pair.pvtp", pair_pvtp},
      {"pair.pvti", pair_pvti},
      {"blocks.vtm", blocks_vtm},
      {"rectilinear.vtk", rectilinear_vtk}};
  std::map<std::string, std::string> result;
  for (const auto& [name, bytes] : all) {
    if (name.ends_with("." + format)) result["by_hand_" + name] = bytes;
  }
  return result;
}

std::map<std::string, std::string> companions() {
  return {{"piece_a.vtu", triangle_piece("UnstructuredGrid", "0 0 0", "0 1 2")},
          {"piece_b.vtu", triangle_piece("UnstructuredGrid", "1 1 0", "3 4 5")},
          {"piece_a.vtp", triangle_piece("PolyData", "0 0 0", "0 1 2")},
          {"piece_b.vtp", triangle_piece("PolyData", "1 1 0", "3 4 5")},
          {"piece_a.vti", image_piece("0 1 0 1 0 0", "0 1 3 4")},
          {"piece_b.vti", image_piece("1 2 0 1 0 0", "1 2 4 5")},
          {"ten.raw", make_bytes("ffff0001000200030100")}};
}

std::string quadratic_vtk() {
  return "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 21 float\n"
         "0 0 0  1 0 0  2 0 0  0 1 0  1 1 0  2 1 0  0 2 0  1 2 0  2 2 0\n"            // 0 .. 8: the quad
         "3 0 0  3 1 0  2.5 0.5 0\n"                                                  // 9 .. 11: the triangle
         "4 0 0  5 0 0  4 1 0  4 0 1  4.5 0 0  9 9 9  4 0.5 0  4 0 0.5  4.5 0.5 0\n"  // 17 is nobody's
         "CELLS 5 40\n"
         "9 0 2 8 6 1 5 7 3 4\n"
         "6 2 9 8 9 10 5\n"
         "6 0 2 9 1 11 4\n"
         "10 12 13 14 15 16 20 18 19 20 18\n"
         "4 2 9 10 5\n"
         "CELL_TYPES 5\n28\n22\n36\n71\n9\n"
         "CELL_DATA 5\nSCALARS row int 1\nLOOKUP_TABLE default\n5 6 7 8 9\n"
         "POINT_DATA 21\nSCALARS id int 1\nLOOKUP_TABLE default\n"
         "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20\n";
}

}  // namespace tessera::testing
