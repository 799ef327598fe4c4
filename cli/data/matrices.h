// Matrices of a surface by name.
#pragma once

#include <string>

#include <tessera/core/csr_matrix.h>
#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/exec/work.h>
#include <tessera/mesh/mesh.h>

namespace tessera::cli {

/// "laplacian", "mass", "voronoi-mass", "d0", "d1", "star1", "gradient", "divergence", or a relation such as
/// "VV", in the input's order. Error(bad_option) lists them for other names.
[[nodiscard]] CsrMatrix make_matrix(const TriMesh& mesh, const std::string& name, const Exec& exec,
                                    const Monitor& monitor);

/// What the host takes for it; rows of hubs, in EE, take more.
[[nodiscard]] Work matrix_work(const TriMesh& mesh, const std::string& name);

/// The same error, before anything is read.
void check_matrix_name(const std::string& name);

}  // namespace tessera::cli
