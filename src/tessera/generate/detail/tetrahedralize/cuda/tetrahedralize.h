// CUDA backend of tetrahedralize().
#pragma once

#include <tessera/exec/exec.h>
#include <tessera/generate/detail/tetrahedralize/lattice_tets.h>
#include <tessera/generate/detail/tetrahedralize/solid_rules.h>
#include <tessera/mesh/mesh.h>

namespace tessera::detail::cuda {

/// Points and cells, and point data where there are new points. Fields travel one by one.
[[nodiscard]] TetMesh cut_voxels(const Grid& grid, const lattice::TetPlan& plan, const Exec& exec);

/// Points, cells and point data. The solids are usable, the plan is theirs.
[[nodiscard]] TetMesh cut_solids(const CellMesh& solids, const solid::Plan& plan, const Exec& exec);

}  // namespace tessera::detail::cuda
