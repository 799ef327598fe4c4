// The tables of marching cubes and tetrahedra in the memory of the device.
#pragma once

#include <tessera/generate/detail/isosurface/cube_table.h>
#include <tessera/generate/detail/isosurface/tet_table.h>

namespace tessera::detail::cuda {

static __device__ const std::array<cube::Case, 256> cube_cases = cube::make_cases();
static __device__ const std::array<tet::Case, 16> tet_cases = tet::make_cases();
static __device__ const std::array<std::array<std::uint8_t, 2>, tet::edge_count> tet_edges =
    tet::edge_corners;

}  // namespace tessera::detail::cuda
