// A hierarchy of smaller and smaller matrices by smoothed aggregation, built on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/core/array.h>
#include <tessera/core/csr_matrix.h>
#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>

namespace tessera::detail {

/// A level of the hierarchy. From one to the next: coarse matrix = prolongation^T matrix prolongation.
struct HostLevel {
  CsrMatrix matrix;        ///< of the first level left empty
  Array<double> inverse;   ///< of the diagonal; 0 where it is (nearly) nothing
  double largest = 0;      ///< eigenvalue of inverse times matrix, an estimate from above
  CsrMatrix prolongation;  ///< empty on the last level
  CsrMatrix restriction;   ///< its transpose
  Array<double> dense;     ///< of the last level: its inverse, row by row; empty: too large for that
};

/// `a` is symmetric and positive semidefinite. Deterministic for any number of threads.
[[nodiscard]] std::vector<HostLevel> build_levels(const Exec& exec, const CsrMatrix& a,
                                                  const Monitor& monitor);

}  // namespace tessera::detail
