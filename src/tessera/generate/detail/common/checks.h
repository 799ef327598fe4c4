// What generators ask of a mesh before they take memory for its output.
#pragma once

#include <cstdint>
#include <string_view>

#include <tessera/exec/exec.h>
#include <tessera/mesh/mesh.h>

namespace tessera::detail {

/// Error(bad_mesh) that names the first cell with a corner that is no point, or the first field that has
/// another length than its mesh.
template <int Dim>
void expect_usable(const SimplexMesh<Dim>& mesh, const Exec& exec);

/// Error(bad_mesh) if a field has another number of tuples than there are elements (`what`: "points").
void expect_tuples(const FieldSet& fields, std::size_t elements, std::string_view what);

/// Error(unsupported) if an output would have more elements (`what`: "triangles") than there are ids. Counts
/// are doubles, because as integers they may overflow.
void expect_ids(double elements, std::string_view what);

}  // namespace tessera::detail
