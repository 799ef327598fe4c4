// What do TTK's own algorithms cost over its triangulations and over Tessera's, under TTK's names?
//   build/release/benchmarks/ttk_algorithms [--smoke] [grid|tets [n [threads [QUESTION [ROUNDS [VARIANT]]]]]]
// "grid" has n^3 points (128), "tets" is kuhn-n; both have the rough field. QUESTION is critical_points,
// gradient, complex or walls (the complex with 2-separatrices), or all of them but walls ("all"). A VARIANT
// alone has a peak of memory of its own. The algorithms are TTK's templates, unchanged: over its implicit
// triangulation with and without preconditions, or its explicit one, and over TtkGrid or TtkTriangulation in
// the explicit mode with tiles of 512 vertices. Times go from the mesh and the order of the vertices in
// memory to the result, preparation and tiling included. The counts must be the same. It is built where CMake
// finds TTK's base layer (TTKBase).
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

#include <DiscreteGradient.h>
#include <ExplicitTriangulation.h>
#include <ImplicitPreconditions.h>
#include <MorseSmaleComplex.h>
#include <OrderDisambiguation.h>
#include <ScalarFieldCriticalPoints.h>

#include <tessera/connect/ttk_adapter.h>
#include <tessera/mesh/make.h>
#include <tessera/tile/tiled_mesh.h>

#include "grid_fields.h"
#include "measure.h"

namespace {

using namespace tessera;

struct Input {
  Grid grid;
  TetMesh mesh;
  std::vector<float> values;
  std::vector<ttk::SimplexId> order;
  int threads = 1;

  void sort() {
    order.resize(values.size());
    ttk::preconditionOrderArray(values.size(), values.data(), order.data(), threads);
  }
};

template <class T>
std::uint64_t count_critical_points(const Input& input, T& triangulation) {
  std::vector<std::pair<ttk::SimplexId, char>> points;
  ttk::ScalarFieldCriticalPoints algorithm;
  algorithm.setDebugLevel(0);
  algorithm.setThreadNumber(input.threads);
  algorithm.preconditionTriangulation(&triangulation);
  algorithm.setOutput(&points);
  // execute() takes another algorithm, which only its own implicit triangulation has.
  algorithm.executeLegacy(input.order.data(), &triangulation);
  return points.size();
}

template <class T>
std::uint64_t count_critical_cells(const Input& input, T& triangulation) {
  ttk::dcg::DiscreteGradient gradient;
  gradient.setDebugLevel(0);
  gradient.setThreadNumber(input.threads);
  gradient.preconditionTriangulation(&triangulation);
  gradient.setInputScalarField(input.values.data(), 0);
  gradient.setInputOffsets(input.order.data());
  gradient.setLocalGradient();
  gradient.buildGradient(triangulation);
  std::array<std::vector<ttk::SimplexId>, 4> cells;
  gradient.getCriticalPoints(cells, triangulation);
  std::uint64_t count = 0;
  for (const auto& of_dimension : cells) count += of_dimension.size();
  return count;
}

template <class T>
std::uint64_t count_separatrices(const Input& input, T& triangulation, bool has_walls) {
  ttk::MorseSmaleComplex algorithm;
  algorithm.setDebugLevel(0);
  algorithm.setThreadNumber(input.threads);
  algorithm.preconditionTriangulation(&triangulation);
  algorithm.setComputeSeparatrices2(has_walls, has_walls);
  ttk::MorseSmaleComplex::OutputCriticalPoints points;
  ttk::MorseSmaleComplex::Output1Separatrices lines;
  ttk::MorseSmaleComplex::Output2Separatrices walls;
  std::array<std::vector<ttk::SimplexId>, 3> regions;
  for (auto& of_vertices : regions) of_vertices.resize(input.values.size());
  ttk::MorseSmaleComplex::OutputManifold manifold{regions[0].data(), regions[1].data(), regions[2].data()};
  algorithm.execute(points, lines, walls, manifold, input.values.data(), 0, input.order.data(),
                    triangulation);
  // Which triangles a connector passes through depends on their numbers, so separatrices are counted.
  const auto& ids = lines.cl.separatrixIds_;
  const auto count = ids.empty() ? 0 : 1 + *std::max_element(ids.begin(), ids.end());
  return points.cellIds_.size() + static_cast<std::uint64_t>(count) +
         static_cast<std::uint64_t>(walls.cl.numberOfCells_);
}

template <class T>
std::uint64_t answer(const std::string& question, const Input& input, T& triangulation) {
  triangulation.setDebugLevel(0);
  triangulation.setThreadNumber(input.threads);
  if (question == "critical_points") return count_critical_points(input, triangulation);
  if (question == "gradient") return count_critical_cells(input, triangulation);
  return count_separatrices(input, triangulation, question == "walls");
}

template <class T>
bench::Variant implicit(const std::string& name, const std::string& question, const Input& input) {
  return {.name = name, .run = [&input, question] {
            const Grid& grid = input.grid;
            T triangulation;
            triangulation.setInputGrid(static_cast<float>(grid.origin.x), static_cast<float>(grid.origin.y),
                                       static_cast<float>(grid.origin.z), static_cast<float>(grid.spacing.x),
                                       static_cast<float>(grid.spacing.y), static_cast<float>(grid.spacing.z),
                                       static_cast<int>(grid.dims[0]), static_cast<int>(grid.dims[1]),
                                       static_cast<int>(grid.dims[2]));
            triangulation.preconditionVerticesAndCells();
            return answer(question, input, triangulation);
          }};
}

std::vector<bench::Variant> grid_variants(const std::string& question, const Input& input) {
  return {implicit<ttk::ImplicitWithPreconditions>("ttk_preconditions", question, input),
          implicit<ttk::ImplicitNoPreconditions>("ttk_implicit", question, input),
          {.name = "tessera", .run = [&input, question] {
             TtkAdapter<ttk::AbstractTriangulation, TtkGrid<3>> triangulation(input.grid);
             return answer(question, input, triangulation);
           }}};
}

/// TTK's arrays of cells, as VTK had them once or has them now.
class TtkCells {
 public:
  explicit TtkCells(const TetMesh& mesh) : count_(static_cast<int>(mesh.cell_count())) {
    ids_.reserve(5 * mesh.cell_count());
    for (const TetMesh::Cell& cell : mesh.cells) {
#ifdef TTK_CELL_ARRAY_LEGACY
      ids_.push_back(4);
#else
      offsets_.push_back(static_cast<ttk::LongSimplexId>(ids_.size()));
#endif
      for (const VertexId v : cell) ids_.push_back(v.index());
    }
    offsets_.push_back(static_cast<ttk::LongSimplexId>(ids_.size()));
  }
  void give_to(ttk::ExplicitTriangulation& triangulation) const {
#ifdef TTK_CELL_ARRAY_LEGACY
    triangulation.setInputCells(count_, ids_.data());
#else
    triangulation.setInputCells(count_, ids_.data(), offsets_.data());
#endif
  }

 private:
  int count_;
  std::vector<ttk::LongSimplexId> ids_, offsets_;
};

std::vector<bench::Variant> tet_variants(const std::string& question, const Input& input,
                                         const TtkCells& cells) {
  return {{.name = "ttk_explicit",
           .run =
               [&input, &cells, question] {
                 ttk::ExplicitTriangulation triangulation;
                 input.mesh.points.visit([&](auto points) {
                   triangulation.setInputPoints(static_cast<int>(points.size()), points.data(),
                                                sizeof(points[0]) == sizeof(Vec3d));
                 });
                 cells.give_to(triangulation);
                 return answer(question, input, triangulation);
               }},
          {.name = "tessera", .run = [&input, question] {
             const TiledMesh<3> tiles =
                 tile(input.mesh, {.max_vertices = 512, .exec = Exec::host(input.threads)});
             TtkAdapter<ttk::AbstractTriangulation, TtkTriangulation<3>> triangulation(
                 input.mesh, tiles,
                 ConnectOptions{.mode = StorageMode::explicit_tiles, .exec = Exec::host(input.threads)});
             return answer(question, input, triangulation);
           }}};
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool smoke = std::erase(arguments, "--smoke") != 0;
  const auto argument = [&](std::size_t i, const std::string& otherwise) {
    return i < arguments.size() ? arguments[i] : otherwise;
  };
  const std::string kind = argument(0, "grid");
  const auto n = static_cast<std::uint32_t>(std::atoi(argument(1, smoke ? "12" : "128").c_str()));
  Input input;
  input.threads = Exec::host(std::atoi(argument(2, "0").c_str())).threads();
  const std::string only = argument(3, "all");
  const int rounds = std::atoi(argument(4, smoke ? "1" : "5").c_str());
  const std::string variant = argument(5, "");
  if ((kind != "grid" && kind != "tets") || n < 2 || rounds < 1) {
    std::cerr << "usage: ttk_algorithms [--smoke] [grid|tets [n [threads [QUESTION [ROUNDS [VARIANT]]]]]]\n";
    return 2;
  }
  if (kind == "grid") {
    input.grid = make_lattice(n, n, n);
    const Field field = bench::make_grid_field(input.grid, "rough");
    input.values.assign(field.as<float>().begin(), field.as<float>().end());
  } else {
    input.mesh = make_kuhn(n);
    const Field field = make_wave_field(input.mesh.points, WaveField::rough);
    input.values.assign(field.as<float>().begin(), field.as<float>().end());
  }
  input.sort();
  const TetMesh none;
  const TtkCells cells(variant == "tessera" ? none : input.mesh);  // each side holds its own cells alone
  if (variant == "ttk_explicit") input.mesh.cells = Array<TetMesh::Cell>();
  bool is_equal = true;
  bool is_asked = false;
  for (const std::string question : {"critical_points", "gradient", "complex", "walls"}) {
    if (only == "all" ? question == "walls" : only != question) continue;
    const bench::Setup setup = {.question = question,
                                .input = kind + " " + std::to_string(n),
                                .items = input.values.size(),
                                .threads = input.threads,
                                .repeats = rounds};
    std::vector<bench::Variant> variants =
        kind == "grid" ? grid_variants(question, input) : tet_variants(question, input, cells);
    std::erase_if(variants, [&](const bench::Variant& v) { return !variant.empty() && v.name != variant; });
    const auto timings = bench::compare(setup, variants);
    is_asked = is_asked || !timings.empty();
    for (const bench::Timing& timing : timings) is_equal = is_equal && timing.checksum == timings[0].checksum;
  }
  if (!is_asked) std::cerr << "ttk_algorithms: there is no such question or variant\n";
  if (!is_equal) std::cerr << "ttk_algorithms: the counts differ\n";
  return !is_asked ? 2 : is_equal ? 0 : 1;
}
