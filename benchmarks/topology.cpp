// How long do the topological analyses of a tetrahedral mesh with a rough field take, tiling included?
// Persistence and simplification (at 5 % of the range) are timed alone, from the gradient and the complex.
//   build/release/benchmarks/topology [--smoke] [n | mesh.raw] [threads] [question] [vertices a tile]
// The mesh is kuhn-n with its rough field, or a file of three 8-byte numbers (any, vertices, tets), points
// (x, y, z as float32), corners (int32) and a field (float32).
// With a question (tile, critical_points, gradient, persistence, simplify, morse_smale, morse_smale_walls,
// wall_polygons, join_tree, split_tree, contour_tree) only that one is asked, so that the peak memory is its
// own. wall_polygons goes on from the walls to their points and polygons, which is what others return as
// 2-separatrices.
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>

#include <tessera/mesh/make.h>
#include <tessera/topology/contour_tree.h>
#include <tessera/topology/export.h>
#include <tessera/topology/morse_smale.h>
#include <tessera/topology/simplification.h>

#include "measure.h"

namespace {

using namespace tessera;

struct Input {
  std::string name;
  TetMesh mesh;
  Field field;
};

template <class T>
Array<T> read_array(std::istream& file, std::size_t count) {
  Array<T> values(count);
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(count * sizeof(T)));
  if (!file) throw std::runtime_error("the mesh cannot be read");
  return values;
}

Input read_input(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const auto header = read_array<std::uint64_t>(file, 3);
  TetMesh mesh;
  mesh.points = Points(read_array<Vec3f>(file, header[1]));
  mesh.cells = read_array<TetMesh::Cell>(file, header[2]);
  Field field("field", read_array<float>(file, header[1]));
  return {path.substr(path.rfind('/') + 1), std::move(mesh), std::move(field)};
}

Input make_input(std::uint32_t n, const Exec& exec) {
  TetMesh mesh = make_kuhn(n, {.exec = exec});
  Field field = make_wave_field(mesh.points, WaveField::rough, exec);
  return {"kuhn" + std::to_string(n) + " rough", std::move(mesh), std::move(field)};
}

}  // namespace

int main(int argc, char** argv) {
  const bool smoke = bench::is_smoke(argc, argv);
  const auto number = [&](int i, int otherwise) {
    return !smoke && argc > i ? std::atoi(argv[i]) : otherwise;
  };
  const std::string which = !smoke && argc > 1 ? argv[1] : smoke ? "16" : "128";
  const Exec exec = Exec::host(number(2, 0));
  const std::string only = !smoke && argc > 3 ? argv[3] : "";
  const TileOptions tiling = {.max_vertices = static_cast<std::uint32_t>(number(4, pushed_tile_vertices)),
                              .exec = exec};
  const Input input = which.ends_with(".raw")
                          ? read_input(which)
                          : make_input(static_cast<std::uint32_t>(std::stoi(which)), exec);
  const TetMesh& mesh = input.mesh;
  const Field& field = input.field;
  const auto ask = [&](const std::string& question, const std::function<std::uint64_t()>& run) {
    if (!only.empty() && only != "all" && only != question) return;
    bench::forget_peak();
    bench::compare({.question = question,
                    .input = input.name,
                    .items = mesh.cell_count(),
                    .bytes = mesh.cell_count() * sizeof(TetMesh::Cell),
                    .threads = exec.threads(),
                    .repeats = smoke ? 1 : 5},
                   {{"tessera", run}});
  };
  const auto morse = [&](bool walls) {
    const TiledMesh<3> tiles = tile(mesh, tiling);
    const auto complex = morse_smale(tiles, field, {.exec = exec, .walls = walls, .keep_paths = false});
    return complex.separatrices.ends.size() + complex.walls.descending.size();
  };
  const auto make_polygons = [&] {
    const TiledMesh<3> tiles = tile(mesh, tiling);
    auto complex = morse_smale(tiles, field, {.exec = exec, .walls = true, .keep_paths = false});
    TopologyExporter<3> exporter(complex.gradient, mesh, field, {.exec = exec});
    const PolyData polygons = exporter.walls(std::move(complex.walls));
    return complex.separatrices.ends.size() + polygons.vertex_count() + polygons.polygons.size();
  };
  ask("tile", [&] { return tile(mesh, tiling).tile_count(); });
  ask("critical_points", [&] {
    const TiledMesh<3> tiles = tile(mesh, tiling);
    return critical_points(tiles, field, {.exec = exec}).points.size();
  });
  ask("gradient", [&] {
    const TiledMesh<3> tiles = tile(mesh, tiling);
    return compute_gradient(tiles, field, {.exec = exec}).critical_cells(1).size();
  });
  if (only.empty() || only == "all" || only == "persistence" || only == "simplify") {
    const TiledMesh<3> tiles = tile(mesh, tiling);
    const auto complex = morse_smale(tiles, field, {.exec = exec});
    const auto persistence = compute_persistence(complex.gradient, field, {.exec = exec});
    ask("persistence",
        [&] { return compute_persistence(complex.gradient, field, {.exec = exec}).pairs.size(); });
    ask("simplify", [&] {
      return simplify(complex, persistence, persistence.part_of_range(0.05), {.exec = exec})
          .separatrices.size();
    });
  }
  ask("morse_smale", [&] { return morse(false); });
  ask("morse_smale_walls", [&] { return morse(true); });
  ask("wall_polygons", make_polygons);
  ask("join_tree", [&] { return merge_tree(mesh, field, {.exec = exec}).nodes.size(); });
  ask("split_tree",
      [&] { return merge_tree(mesh, field, {.kind = MergeTreeKind::split, .exec = exec}).nodes.size(); });
  ask("contour_tree", [&] { return contour_tree(mesh, field, {.exec = exec}).nodes.size(); });
}
