// --memory over all verbs, storage modes and thread counts: 20 budgets each, on meshes of several kinds.
#include "cli/memory_case.h"

#include <sstream>

namespace tessera::test {
namespace {

/// A command line, in words. Its first file is made.
class MemorySweep : public MemoryCase, public testing::WithParamInterface<const char*> {
 protected:
  static Arguments words(const std::string& text) {
    std::istringstream stream(text);
    Arguments words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
  }
};

TEST_P(MemorySweep, StaysWithinEveryBudget) {
  const Arguments line = words(GetParam());
  make_named(line[1], 32);
  for (const char* threads : {"1", "2", "4"}) {
    SCOPED_TRACE(std::string(GetParam()) + " --threads " + threads);
    Arguments threaded = line;
    threaded.insert(threaded.end(), {"--threads", threads});
    expect_bounded(threaded, 20);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, MemorySweep,
                         testing::Values("info kuhn.vtu", "doctor refined.vtu",
                                         "convert refined.vtu c.vtu --compress",
                                         "convert kuhn.vtu c.ply --surface"));
// Not morse-smale on a cone or a tangle: noise there has paths without number through few cells, and no value
// can be named. Such a run is ended within its budget.
INSTANTIATE_TEST_SUITE_P(
    Topology, MemorySweep,
    testing::Values(
        "critical-points kuhn-shuffled.vtu -o p.vtp", "critical-points cone.vtk",
        "critical-points tangle.vtk", "critical-points refined.vtu --field rough", "critical-points grid.vti",
        "critical-points grid.vti --provider implicit", "critical-points kuhn.vtu --provider explicit",
        "critical-points split.vtu --field rough --provider materialized", "gradient kuhn.vtu -o pairs.vtp",
        "gradient cone.vtk", "gradient tangle.vtk", "gradient split.vtu --field rough",
        "morse-smale kuhn.vtu -o r.vtu --separatrices s.vtp", "morse-smale kuhn-shuffled.vtu --walls w.vtp",
        "morse-smale split.vtu --field rough --walls w.vtp", "morse-smale refined.vtu --field rough",
        "morse-smale ico.vtp", "persistence kuhn-shuffled.vtu", "persistence cone.vtk",
        "persistence tangle.vtk", "persistence split.vtu --field mri",
        "merge-tree kuhn-shuffled.vtu --kind contour", "merge-tree grid.vti -o r.vti", "merge-tree cone.vtk",
        "merge-tree tangle.vtk --kind split", "simplify-field grid.vti --threshold 20% -o r.vti",
        "simplify-field kuhn-shuffled.vtu --threshold 20%"));
INSTANTIATE_TEST_SUITE_P(
    Relations, MemorySweep,
    testing::Values("relations kuhn.vtu --relation VV", "relations kuhn.vtu --relation FF",
                    "relations kuhn.vtu --relation EF --mode explicit",
                    "relations kuhn-shuffled.vtu --relation EF --mode implicit",
                    "relations kuhn-shuffled.vtu --relation TT -o t.npz",
                    "relations split.vtu --relation VE --mode materialized",
                    "relations refined.vtu --relation EE", "relations tangle.vtk --relation FF",
                    "relations tangle.vtk --relation VV", "relations cone.vtk --relation VV",
                    "relations cone.vtk --relation EF", "relations ico.vtp --relation VV"));
INSTANTIATE_TEST_SUITE_P(
    Generators, MemorySweep,
    testing::Values(
        "isosurface grid.vti --value 0.15 -o iso.vtp",
        "isosurface refined.vtu --field rough --value 0.5 --normals averaged --provenance -o i.vtp",
        "isosurface tangle.vtk --value 500000", "subdivide ico.vtp -o fine.vtp", "subdivide split.vtu",
        "subdivide cone.vtk", "subdivide tangle.vtk", "tetrahedralize grid.vti",
        "tetrahedralize grid.vti --method face-centred -o x.vtu", "coarsen grid.vti --value 0.15",
        "weld kuhn.vtu", "weld refined.vtu -o w.vtu", "weld tangle.vtk --tolerance 0.001",
        "isosurface ico.vtp --value 0,0.5,1 -o l.vtp", "slice refined.vtu --axis z", "slice ico.vtp --axis z",
        "clip refined.vtu --axis z", "threshold refined.vtu --field :z --min 0.3",
        "extract refined.vtu --largest 1"));
INSTANTIATE_TEST_SUITE_P(
    Surfaces, MemorySweep,
    testing::Values("dual ico.vtp", "curvature ico.vtp", "normals ico.vtp -o n.vtp",
                    "smooth ico.vtp -o s.vtp", "smooth ico.vtp --weights cotangent --fix-boundary",
                    "smooth ico.vtp --method flow --iterations 2", "smooth fan.vtk",
                    "denoise ico.vtp -o d.vtp", "denoise ico.vtp --sigma-c 0.02", "denoise fan.vtk",
                    "geodesic ico.vtp --source 0 -o g.vtp", "geodesic ico.vtp --source 0 --method heat",
                    "geodesic fan.vtk --source 1", "relations ico.vtp --matrix laplacian -o l.npz",
                    "relations ico.vtp --matrix EE"));

}  // namespace
}  // namespace tessera::test
