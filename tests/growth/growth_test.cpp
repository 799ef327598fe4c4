// Work grows no faster than the input: twice the input takes at most a little more than twice the operations.
//
// No clock is read, so the numbers are the same on any machine.
#include <cmath>
#include <functional>
#include <numbers>
#include <string>

#include <tessera/generate/weld.h>
#include <tessera/mesh/cell_mesh.h>
#include <tessera/topology/contour_tree.h>
#include <tessera/topology/critical_points.h>
#include <tessera/topology/gradient.h>
#include <tessera/topology/morse_smale.h>
#include <tessera/topology/persistence.h>

#include "growth/operations.h"
#include "io/support.h"

namespace tessera {
namespace {

using testing::TempDir;

std::string repeat(std::size_t n, const std::function<std::string(const std::string&)>& part) {
  std::string text;
  for (std::size_t i = 0; i < n; ++i) text += part(std::to_string(i));
  return text;
}

class Growth : public ::testing::Test {
 protected:
  /// Reads the file that make(n) writes.
  void expect_linear_reading(const std::string& name, std::size_t n,
                             const std::function<std::string(std::size_t)>& make) {
    SCOPED_TRACE(name);
    expect_linear(n, [&](std::size_t size) {
      testing::save(directory / name, make(size));
      return count([&] { static_cast<void>(read_mesh(directory / name, {.simplices = true})); });
    });
  }

  TempDir directory;
};

std::string array(const std::string& name, const std::string& values) {
  return "<DataArray type=\"Int32\" Name=\"" + name + "\" format=\"ascii\">" + values + "</DataArray>";
}

/// A piece of one point.
std::string piece(const std::string& point_data) {
  return "<Piece NumberOfPoints=\"1\" NumberOfCells=\"0\"><PointData>" + point_data +
         "</PointData><Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">0 0 "
         "0</DataArray></Points><Cells>" +
         array("connectivity", "") + array("offsets", "") + array("types", "") + "</Cells></Piece>";
}

std::string vtu(const std::string& content) {
  return "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid>" + content + "</UnstructuredGrid></VTKFile>";
}

TEST_F(Growth, ArraysOfXmlFiles) {
  const auto numbered = [](const std::string& i) { return array("a" + i, "1"); };
  expect_linear_reading("arrays.vtu", 200, [&](std::size_t n) { return vtu(piece(repeat(n, numbered))); });
  expect_linear_reading("same.vtu", 200, [&](std::size_t n) {
    return vtu(piece(repeat(n, [](const std::string&) { return array("a", "1"); })));
  });
  expect_linear_reading("pieces.vtu", 200, [&](std::size_t n) {
    return vtu(repeat(n, [](const std::string&) { return piece(array("a", "1")); }));
  });
  expect_linear_reading("both.vtu", 200, [&](std::size_t n) {
    return vtu(piece(repeat(n, numbered)) + piece(repeat(n, numbered)));
  });
}

TEST_F(Growth, PiecesOfParallelFiles) {
  expect_linear_reading("all.pvtu", 50, [&](std::size_t n) {
    return "<VTKFile type=\"PUnstructuredGrid\"><PUnstructuredGrid>" +
           repeat(
               n,
               [&](const std::string& i) {
                 testing::save(
                     directory / (i + ".vtu"),
                     vtu("<FieldData><DataArray type=\"Int32\" Name=\"step\" NumberOfTuples=\"1\" "
                         "format=\"ascii\">" +
                         i + "</DataArray></FieldData>" + piece(array("a", "1") + array("only" + i, "1"))));
                 return "<Piece Source=\"" + i + ".vtu\"/>";
               }) +
           "</PUnstructuredGrid></VTKFile>";
  });
}

TEST_F(Growth, PropertiesOfPlyFiles) {
  for (const bool is_vector : {false, true}) {
    expect_linear_reading("properties.ply", 500, [&](std::size_t n) {
      return "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float "
             "z\n" +
             repeat(n,
                    [&](const std::string& i) {
                      return "property char " + (is_vector ? "p[" + i + "]" : "p" + i) + "\n";
                    }) +
             "end_header\n0 0 0" + repeat(n, [](const std::string&) { return std::string(" 1"); }) + "\n";
    });
  }
}

TEST_F(Growth, GroupsOfObjFiles) {
  expect_linear_reading("groups.obj", 500, [](std::size_t n) {
    return "v 0 0 0\nv 1 0 0\nv 0 1 0\n" + repeat(n, [](const std::string& i) {
             return "g g" + i + "\no o" + i + "\nusemtl m" + i + "\nf 1 2 3\n";
           });
  });
}

TEST_F(Growth, SectionsOfMshFiles) {
  expect_linear_reading("sections.msh", 200, [](std::size_t n) {
    return "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n" + std::to_string(n) + "\n" +
           repeat(n, [](const std::string& i) { return "3 " + i + " \"n" + i + "\"\n"; }) +
           "$EndPhysicalNames\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n1\n"
           "1 4 2 1 1 1 2 3 4\n$EndElements\n" +
           repeat(n, [](const std::string& i) {
             return "$NodeData\n1\n\"u" + i + "\"\n0\n3\n0\n1\n1\n1 1\n$EndNodeData\n";
           });
  });
}

TEST_F(Growth, AttributesOfNodes) {
  testing::save(directory / "wide.ele", "1 4 0\n1 1 2 3 4\n");
  const auto make = [](std::size_t n) {
    const std::string values = repeat(n, [](const std::string&) { return std::string(" 1"); }) + "\n";
    return "4 3 " + std::to_string(n) + "\n1 0 0 0" + values + "2 1 0 0" + values + "3 0 1 0" + values +
           "4 0 0 1" + values;
  };
  expect_linear_reading("wide.node", 500, make);
  testing::save(directory / "wide.node", make(5000));
  testing::expect_error(ErrorCode::unsupported, {"wide.node", "5000 attributes", "at most 4096"},
                        [&] { return read_mesh(directory / "wide.node"); });
}

/// n triangles around a vertex. Every second corner of the rim is a minimum; the paths from all saddles go
/// around the whole fan.
TriMesh make_fan(std::uint32_t n) {
  TriMesh mesh;
  Array<Vec3d> points = {{0, 0, 0}};
  Field height("f", ScalarType::f64, n + 1);
  height.as<double>()[0] = 1e6;
  for (std::uint32_t i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * i / n;
    points.push_back({std::cos(angle), std::sin(angle), 0});
    height.as<double>()[i + 1] = i % 2 == 0 ? i : 1000.0 + i;
    mesh.cells.push_back({VertexId(0), VertexId(1 + i), VertexId(1 + (i + 1) % n)});
  }
  mesh.points = std::move(points);
  mesh.point_data.add(std::move(height));
  return mesh;
}

TEST_F(Growth, PersistenceOfSaddlesWhosePathsJoin) {
  expect_linear(1000, [](std::size_t n) {
    const TriMesh mesh = make_fan(static_cast<std::uint32_t>(n));
    return count([&] { static_cast<void>(compute_persistence(mesh, "f", {.exec = Exec::host(1)})); });
  });
}

// Every second vertex of the rim is a valley, and all of them meet in the middle.
TEST_F(Growth, TreesOfPiecesThatMeetInOneVertex) {
  for (const bool is_contour : {false, true}) {
    expect_linear(8192, [&](std::size_t n) {
      const TriMesh mesh = make_fan(static_cast<std::uint32_t>(n));
      Field field("f", ScalarType::f64, n + 1);
      for (std::size_t v = 0; v <= n; ++v) field.as<double>()[v] = v == 0 ? 1 : v % 2 == 0 ? 0 : 2;
      return count([&] {
        if (is_contour) {
          static_cast<void>(contour_tree(mesh, field, {.exec = Exec::host(1)}));
        } else {
          static_cast<void>(merge_tree(mesh, field, {.exec = Exec::host(1)}));
        }
      });
    });
  }
}

/// n tetrahedra around a vertex: the cone over a strip of triangles with 16 in a row.
TetMesh make_cone(std::uint32_t n) {
  constexpr std::uint32_t width = 8;  // squares
  const std::uint32_t length = n / (2 * width);
  TetMesh mesh;
  Array<Vec3d> points = {{0, 0, -1}};
  for (std::uint32_t y = 0; y <= length; ++y) {
    for (std::uint32_t x = 0; x <= width; ++x) points.push_back({double(x), double(y), 0});
  }
  for (std::uint32_t y = 0; y < length; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) {
      const std::uint32_t a = 1 + y * (width + 1) + x;
      const std::uint32_t b = a + width + 1;
      mesh.cells.push_back({VertexId(0), VertexId(a), VertexId(a + 1), VertexId(b + 1)});
      mesh.cells.push_back({VertexId(0), VertexId(a), VertexId(b + 1), VertexId(b)});
    }
  }
  mesh.points = std::move(points);
  return mesh;
}

/// Random values, with vertex 0 as high as `center` says.
Field make_values(std::size_t vertices, double center) {
  Field field("f", ScalarType::f64, vertices);
  SplitMix64 random(vertices);
  for (double& value : field.as<double>()) value = random.uniform();
  field.as<double>()[0] = center;
  return field;
}

/// A star of all cells, all of it, a half or nothing below its center. So many cells that there are several
/// tiles, which all see some of them, for each n.
template <class Mesh>
void expect_linear_topology(Mesh (*make)(std::uint32_t)) {
  for (const double center : {2.0, 0.5, -1.0}) {
    SCOPED_TRACE(center);
    const auto count_for = [&](std::size_t n, const auto& analyse) {
      const Mesh mesh = make(static_cast<std::uint32_t>(n));
      const Field field = make_values(mesh.vertex_count(), center);
      return count([&] { static_cast<void>(analyse(mesh, field)); });
    };
    expect_linear(8192, [&](std::size_t n) {
      return count_for(n, [](const Mesh& mesh, const Field& field) {
        return compute_gradient(mesh, field, {.exec = Exec::host(1)});
      });
    });
    expect_linear(8192, [&](std::size_t n) {
      return count_for(n, [](const Mesh& mesh, const Field& field) {
        return critical_points(mesh, field, {.exec = Exec::host(1)});
      });
    });
  }
}

TEST_F(Growth, TopologyOfAFanOfTriangles) {
  expect_linear_topology(make_fan);
}

TEST_F(Growth, TopologyOfAConeOverTetrahedra) {
  expect_linear_topology(make_cone);
}

/// With a center above everything the walls would grow faster than the mesh, and the work with them.
TEST_F(Growth, WallsOfAConeOverTetrahedra) {
  expect_linear(4096, [](std::size_t n) {
    const TetMesh mesh = make_cone(static_cast<std::uint32_t>(n));
    const Field field = make_values(mesh.vertex_count(), 0.5);
    const Gradient<3> gradient = compute_gradient(mesh, field, {.exec = Exec::host(1)});
    return count([&] { static_cast<void>(compute_walls(gradient, {.exec = Exec::host(1)})); });
  });
}

TEST_F(Growth, WeldOfCrowdedPoints) {
  for (const double spread : {0.0, 1e-7, 1.0}) {
    expect_linear(2000, [&](std::size_t n) {
      SplitMix64 random(n);
      Array<Vec3d> points(n);
      for (Vec3d& p : points)
        p = {spread * random.uniform(), spread * random.uniform(), random.uniform() * 1e-9};
      TriMesh mesh;
      mesh.points = std::move(points);
      return count([&] { static_cast<void>(weld(mesh, {.tolerance = 1e-6, .exec = Exec::host(1)})); });
    });
  }
}

TEST_F(Growth, WeldEndsWithHugeNumbers) {
  TriMesh mesh;
  mesh.points = Array<Vec3d>{{1e308, 0, 0}, {-1e308, 0, 0}, {0, 1.7e308, 0}};
  testing::expect_error(ErrorCode::bad_option, {"1e+308", "too large"},
                        [&] { return weld(mesh, {.tolerance = 1e308}); });
  testing::expect_error(ErrorCode::bad_option, {"1e-300", "too small"},
                        [&] { return weld(mesh, {.tolerance = 1e-300}); });
  EXPECT_EQ(weld(mesh, {.tolerance = 1e149}).mesh.vertex_count(), 3U);
}

/// Combs whose teeth are long, a spiral band, and a circle with a deep notch in every corner.
TEST_F(Growth, ConcavePolygons) {
  const auto comb = [](std::size_t i, std::size_t n) {
    const double x = static_cast<double>(i);
    if (i + 3 == n) return Vec3d{x, 0, 0};
    if (i + 2 >= n) return Vec3d{i + 2 == n ? x : 0, -1, 0};
    return Vec3d{x, i % 2 == 0 ? 0.0 : 1e4 + std::sin(x), 0};
  };
  const auto spiral = [](std::size_t i, std::size_t n) {
    const std::size_t half = n / 2;
    const double angle = 0.05 * static_cast<double>(20 + (i < half ? i : n - 1 - i));
    const double radius = angle + (i < half ? 0 : 2);
    return Vec3d{radius * std::cos(angle), radius * std::sin(angle), 0};
  };
  const auto gear = [](std::size_t i, std::size_t n) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
    const double radius = i % 2 == 0 ? 1 : 0.1;
    return Vec3d{radius * std::cos(angle), radius * std::sin(angle), 0};
  };
  using Place = std::function<Vec3d(std::size_t, std::size_t)>;
  for (const Place& place : {Place(comb), Place(spiral), Place(gear)}) {
    expect_linear(2000, [&](std::size_t n) {
      CellMesh mesh;
      Array<Vec3d> points;
      std::vector<VertexId> corners;
      for (std::uint32_t i = 0; i < n; ++i) {
        points.push_back(place(i, n));
        corners.emplace_back(i);
      }
      mesh.points = std::move(points);
      mesh.cells.add(corners);
      mesh.types = {CellType::polygon};
      return count([&] { static_cast<void>(cut_into_simplices(std::move(mesh))); });
    });
  }
}

}  // namespace
}  // namespace tessera
