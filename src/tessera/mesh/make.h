// Makers of the meshes and fields that tests, benchmarks and examples share. Everything is a pure
// function of its arguments; docs/test-meshes.md has the formulas.
#pragma once

#include <cstdint>
#include <string_view>

#include <tessera/exec/exec.h>
#include <tessera/mesh/mesh.h>

namespace tessera {

struct KuhnOptions {
  std::uint32_t leaf_vertices = 1000;  ///< at most so many vertices in a leaf of the octree that numbers them
  Exec exec = Exec::host();
};
/// Ball with a cavity, a tunnel and a bite, cut out of n^3 points of a Kuhn lattice on the unit cube.
/// Vertices are numbered leaf by leaf of a PR octree; corners of a tet ascend and tets are sorted.
[[nodiscard]] TetMesh make_kuhn(std::uint32_t n, const KuhnOptions& options = {});
/// The same lattice with every cube kept.
[[nodiscard]] TetMesh make_kuhn_full(std::uint32_t n, const KuhnOptions& options = {});

struct IcoOptions {
  bool displace = true;  ///< move each vertex along its radius by seeded smooth noise
  Exec exec = Exec::host();
};
/// Icosahedron subdivided `level` times: 20 * 4^level faces.
[[nodiscard]] TriMesh make_ico(int level, const IcoOptions& options = {});
/// Jittered torus of nu x nv quads, each cut in two: closed, genus 1.
[[nodiscard]] TriMesh make_torus(std::uint32_t nu, std::uint32_t nv);
/// Jittered height field of nx x ny vertices with a boundary.
[[nodiscard]] TriMesh make_height_field(std::uint32_t nx, std::uint32_t ny);
/// An empty lattice of nx x ny x nz points over [0, 1] along its longest axis.
[[nodiscard]] Grid make_lattice(std::uint32_t nx, std::uint32_t ny, std::uint32_t nz);

/// The mesh with vertices and faces in a seeded random order; fields follow.
[[nodiscard]] TriMesh make_shuffled(const TriMesh& mesh, std::uint64_t vertex_seed = 101,
                                    std::uint64_t cell_seed = 102);
[[nodiscard]] TetMesh make_shuffled(const TetMesh& mesh, std::uint64_t vertex_seed = 101,
                                    std::uint64_t cell_seed = 102);

/// Small meshes that can be counted by hand, by name: triangle, two_triangles, moebius, pinched_vertex,
/// three_face_fan, bow_tie, isolated_vertices, two_components, octahedron.
/// Error(not_found) lists the names.
[[nodiscard]] TriMesh make_small_surface(std::string_view name);
/// one_tet, two_tets, bow_tie_edge, bow_tie_vertex, three_tet_fan, isolated_vertices, two_components, cone.
[[nodiscard]] TetMesh make_small_solid(std::string_view name);

/// A sum of 20 seeded waves with positional noise (float32), per point.
enum class WaveField { rough, smooth };
[[nodiscard]] Field make_wave_field(const Points& points, WaveField kind, const Exec& exec = Exec::host());
/// Distance from (0.5001, 0.5003, 0.5007), per lattice point; the usual isovalue is 0.4.
[[nodiscard]] Field make_sphere_field(const Grid& grid, const Exec& exec = Exec::host());
/// Waves with noise like a scanner's, per lattice point; the usual isovalue is 0.15.
[[nodiscard]] Field make_mri_field(const Grid& grid, const Exec& exec = Exec::host());

}  // namespace tessera
