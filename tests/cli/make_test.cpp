// make: cells are oriented.
#include <gtest/gtest.h>

#include <tessera/io/io.h>

#include "cli/run_program.h"

namespace tessera::test {
namespace {

class CliMake : public ProgramTest {
 protected:
  void make(Arguments line, const std::string& file) {
    line.insert(line.begin(), "make");
    line.insert(line.end(), {"-o", file});
    const Outcome outcome = run(line);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
};

/// Six times the volume of the tetrahedron between four points.
double volume(Vec3d a, Vec3d b, Vec3d c, Vec3d d) {
  const double bx = b.x - a.x, by = b.y - a.y, bz = b.z - a.z;
  const double cx = c.x - a.x, cy = c.y - a.y, cz = c.z - a.z;
  const double dx = d.x - a.x, dy = d.y - a.y, dz = d.z - a.z;
  return bx * (cy * dz - cz * dy) - by * (cx * dz - cz * dx) + bz * (cx * dy - cy * dx);
}

std::size_t count_negative(const TetMesh& mesh) {
  std::size_t count = 0;
  for (const auto& c : mesh.cells)
    count += volume(mesh.points[c[0]], mesh.points[c[1]], mesh.points[c[2]], mesh.points[c[3]]) > 0 ? 0 : 1;
  return count;
}

TEST_F(CliMake, TetrahedraHavePositiveVolume) {
  for (const Arguments& shape : std::vector<Arguments>{{"kuhn", "--size", "9"},
                                                       {"kuhn", "--size", "9", "--shuffle"},
                                                       {"kuhn-full", "--size", "5"},
                                                       {"one_tet"},
                                                       {"two_tets"},
                                                       {"bow_tie_edge"},
                                                       {"bow_tie_vertex"},
                                                       {"three_tet_fan"},
                                                       {"solid_isolated_vertices"},
                                                       {"solid_two_components"},
                                                       {"cone"}}) {
    make(shape, "m.vtu");
    const TetMesh mesh = read_tets(path("m.vtu"));
    EXPECT_GT(mesh.cell_count(), 0u);
    EXPECT_EQ(count_negative(mesh), 0u) << shape.front();
  }
  make({"kuhn-full", "--size", "5", "--no-orient"}, "m.vtu");
  const TetMesh mesh = read_tets(path("m.vtu"));
  EXPECT_EQ(count_negative(mesh), mesh.cell_count() / 2);
  for (const auto& c : mesh.cells) EXPECT_TRUE(std::is_sorted(c.begin(), c.end()));
}

TEST_F(CliMake, ClosedSurfacesFaceOutward) {
  for (const Arguments& shape :
       std::vector<Arguments>{{"ico", "--size", "3"}, {"torus", "--size", "12x8"}, {"octahedron"}}) {
    make(shape, "m.ply");
    const TriMesh mesh = read_triangles(path("m.ply"));
    double sum = 0;
    for (const auto& c : mesh.cells)
      sum += volume({0, 0, 0}, mesh.points[c[0]], mesh.points[c[1]], mesh.points[c[2]]);
    EXPECT_GT(sum, 0) << shape.front();
    const auto document = run_json({"doctor", "m.ply"});
    for (const auto& finding : document["result"]["report"]["findings"])
      EXPECT_NE(finding["kind"], "inconsistent_orientation") << shape.front();
  }
}

}  // namespace
}  // namespace tessera::test
