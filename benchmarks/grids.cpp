// What do the analyses of a grid cost, straight from its values?
//   build/release/benchmarks/grids [--smoke] [n [threads [FIELD [QUESTION]]]]
// The grid has n^3 points (256) with a float32 FIELD: rough, smooth (waves) or mri, or a file of n^3 raw
// values. QUESTION is critical_points, gradient, morse_smale, persistence, join_tree, split_tree,
// contour_tree or simplify_field (at 5 % of the range), alone so that the peak memory is its own; all of them
// without. Up to 128^3 points the same is asked of its tetrahedra, cut and tiled anew each time, and must
// give the same. "copy" is the floor: it reads the field once.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <tessera/core/hash.h>
#include <tessera/core/random.h>
#include <tessera/exec/primitives.h>
#include <tessera/mesh/make.h>
#include <tessera/mesh/triangulate.h>
#include <tessera/topology/contour_tree.h>
#include <tessera/topology/critical_points.h>
#include <tessera/topology/morse_smale.h>
#include <tessera/topology/persistence.h>
#include <tessera/topology/simplify_field.h>

#include "grid_fields.h"
#include "measure.h"

namespace {

using namespace tessera;
using bench::hash_of;

Field read_field(const Grid& grid, const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  Array<float> values(grid.vertex_count());
  file.read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(float)));
  if (!file)
    throw std::runtime_error("\"" + name + "\" has not as many float32 values as the grid has points");
  return {"field", std::move(values)};
}

std::uint64_t hash_of(const MorseSmaleComplex<3>& complex) {
  std::uint64_t hash = hash_of(complex.gradient);
  for (const auto& ends : complex.separatrices.ends)
    hash = splitmix64(hash ^ (std::uint64_t{ends.source} << 32 | ends.destination));
  for (const std::int32_t label : complex.segmentation.morse_smale)
    hash = splitmix64(hash ^ static_cast<std::uint32_t>(label));
  return hash;
}
std::uint64_t hash_of(std::uint64_t hash) {
  return hash;
}
std::uint64_t hash_of(const MergeTree& tree) {
  std::uint64_t hash = 0;
  for (const MergeTree::Node& node : tree.nodes)
    hash = splitmix64(hash ^ (std::uint64_t{node.vertex.index()} << 32 | node.parent));
  for (const std::uint32_t label : tree.labels) hash = splitmix64(hash ^ label);
  return hash;
}
std::uint64_t hash_of(const ContourTree& tree) {
  std::uint64_t hash = 0;
  for (const ContourTree::Node& node : tree.nodes) hash = splitmix64(hash ^ node.vertex.index());
  for (const ContourTree::Arc& arc : tree.arcs)
    hash = splitmix64(hash ^ (std::uint64_t{arc.lower} << 32 | arc.upper));
  for (const std::uint32_t label : tree.labels) hash = splitmix64(hash ^ label);
  return hash;
}
std::uint64_t hash_of(const Persistence& persistence) {
  std::uint64_t hash = 0;
  for (const PersistencePair& pair : persistence.pairs)
    hash = splitmix64(hash ^ (std::uint64_t{pair.birth} << 32 | pair.death));
  return hash;
}

}  // namespace

int main(int argc, char** argv) {
  const bool smoke = bench::is_smoke(argc, argv);
  const auto argument = [&](int i, const char* otherwise) {
    return !smoke && argc > i ? std::string(argv[i]) : std::string(otherwise);
  };
  const auto n = static_cast<std::uint32_t>(std::stoi(argument(1, smoke ? "24" : "256")));
  const Exec exec = Exec::host(std::stoi(argument(2, "0")));
  const std::string name = argument(3, "rough");
  const std::string only = argument(4, "");
  const Grid grid = make_lattice(n, n, n);
  const Field field =
      name.find('.') == std::string::npos ? bench::make_grid_field(grid, name) : read_field(grid, name);
  const bool has_cut = n <= 128;
  bool is_equal = true;
  const auto ask = [&](const std::string& question, const auto& of_grid, const auto& of_mesh) {
    if (!only.empty() && only != question) return;
    std::vector<bench::Variant> variants = {
        {"copy",
         [&] {
           const auto values = field.as<float>();
           return static_cast<std::uint64_t>(std::accumulate(values.begin(), values.end(), 0.0) != 0);
         }},
        bench::variant("grid", of_grid, [](const auto& result) { return hash_of(result); })};
    if (has_cut && only.empty()) {
      variants.push_back(bench::variant(
          "cut", [&] { return of_mesh(std::get<TetMesh>(triangulate(grid, exec))); },
          [](const auto& result) { return hash_of(result); }));
    }
    bench::forget_peak();
    const auto timings = bench::compare({.question = "grid_" + question,
                                         .input = std::to_string(n) + "^3 " + name,
                                         .items = grid.vertex_count(),
                                         .bytes = field.bytes(),
                                         .threads = exec.threads(),
                                         .repeats = smoke ? 1 : 5},
                                        variants);
    is_equal = is_equal && (timings.size() < 3 || timings[1].checksum == timings[2].checksum);
  };
  ask(
      "critical_points", [&] { return critical_points(grid, field, {.exec = exec}); },
      [&](const TetMesh& mesh) { return critical_points(mesh, field, {.exec = exec}); });
  ask(
      "gradient", [&] { return compute_gradient<3>(grid, field, {.exec = exec}); },
      [&](const TetMesh& mesh) {
        const TiledMesh<3> tiles = tile(mesh, {.max_vertices = pushed_tile_vertices, .exec = exec});
        return hash_of(compute_gradient(tiles, field, {.exec = exec}));
      });
  ask(
      "morse_smale", [&] { return morse_smale<3>(grid, field, {.exec = exec}); },
      [&](const TetMesh& mesh) { return hash_of(morse_smale<3>(mesh, field, {.exec = exec})); });
  ask(
      "persistence", [&] { return compute_persistence<3>(grid, field, {.exec = exec}); },
      [&](const TetMesh& mesh) { return compute_persistence<3>(mesh, field, {.exec = exec}); });
  for (const MergeTreeKind kind : {MergeTreeKind::join, MergeTreeKind::split}) {
    const MergeTreeOptions options = {.kind = kind, .exec = exec};
    ask(
        kind == MergeTreeKind::join ? "join_tree" : "split_tree",
        [&] { return merge_tree(grid, field, options); },
        [&](const TetMesh& mesh) { return merge_tree(mesh, field, options); });
  }
  ask(
      "contour_tree", [&] { return contour_tree(grid, field, {.exec = exec}); },
      [&](const TetMesh& mesh) { return contour_tree(mesh, field, {.exec = exec}); });
  const auto [lowest, highest] = reduce_min_max<float>(exec, field.as<float>());
  const double threshold = 0.05 * (static_cast<double>(highest) - static_cast<double>(lowest));
  const auto simplified = [&](const auto& domain) {
    const Field simple = simplify_field(domain, field, threshold, {.exec = exec}).field;
    return hash_values(simple.as<double>());
  };
  ask(
      "simplify_field", [&] { return simplified(grid); },
      [&](const TetMesh& mesh) { return simplified(mesh); });
  if (!is_equal) std::fprintf(stderr, "the grid and its tetrahedra have different results\n");
  return is_equal ? 0 : 1;
}
