// Sparse matrices as files, for Python, MATLAB, Julia and solvers.
#pragma once

#include <filesystem>

#include <tessera/core/csr_matrix.h>
#include <tessera/io/io.h>

namespace tessera {

/// By the extension: `.mtx` is Matrix Market's text (coordinates, real, general), `.npz` what
/// scipy.sparse.load_npz() reads (a csr_matrix; not compressed). Numbers are written so that they read back
/// as the same. Complete or not at all, with the errors of write_mesh(); Error(unsupported) for other
/// extensions, Error(bad_mesh) for a matrix whose offsets or columns are out of range. Of the options,
/// `format`, `descriptor` and `monitor` count.
void write_matrix(const std::filesystem::path& file, const CsrMatrix& matrix,
                  const WriteOptions& options = {});

}  // namespace tessera
