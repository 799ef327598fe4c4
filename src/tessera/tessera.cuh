// Everything a user who writes kernels includes, in sources that nvcc compiles. Link tessera::kernels.
#pragma once

#include <tessera/tessera.h>
#include <tessera/exec/for_each.cuh>
#include <tessera/generate/key_reduce.cuh>
#include <tessera/surface/edit.cuh>
#include <tessera/surface/surface.cuh>
#include <tessera/tile/push.cuh>
