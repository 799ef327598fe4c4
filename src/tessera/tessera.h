// Everything a user of the library includes. Kernels of one's own also include the .cuh headers of exec.
#pragma once

#include <tessera/connect/connectivity.h>
#include <tessera/core/config.h>
#include <tessera/core/csr.h>
#include <tessera/core/error.h>
#include <tessera/core/hash.h>
#include <tessera/core/id.h>
#include <tessera/core/memory.h>
#include <tessera/core/progress.h>
#include <tessera/core/random.h>
#include <tessera/exec/buffer.h>
#include <tessera/exec/exec.h>
#include <tessera/exec/for_each.h>
#include <tessera/exec/primitives.h>
#include <tessera/io/io.h>
#include <tessera/mesh/doctor.h>
#include <tessera/mesh/make.h>
#include <tessera/mesh/mesh.h>
#include <tessera/mesh/octree.h>
#include <tessera/mesh/poly_data.h>
#include <tessera/mesh/triangulate.h>
#include <tessera/tile/materialize.h>
#include <tessera/tile/push.h>
#include <tessera/tile/tiled_mesh.h>
