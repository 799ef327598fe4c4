// Sparse matrices of a surface: incidence, relations, the cotangent Laplacian and what belongs to it.
//
//   const ts::SparseMatrix l = ts::make_laplacian(surface);
//   ts::VertexAttribute<double> x(surface), y(surface);
//   ts::multiply(l, x.view().data(), y.view().data());
//   ts::write_matrix("laplacian.npz", ts::in_input_order(surface, l));   // io/matrix.h
//
// Matrices lie where the surface's kernels run, and their rows and columns are in tile order, as the values
// of attributes are. Entries are sums in one fixed order: the same bytes on host and device.
//
//   d0 (E x V)       f at the ends of an edge -> its increase along the edge, from its lower vertex to the
//                    higher
//   d1 (F x E)       along edges -> around a triangle, as the input winds it; d1 d0 = 0
//   star1 (E x E)    diagonal: half the cotangents of the angles opposite an edge, added
//   laplacian (V x V)  d0^T star1 d0 = gradient^T areas gradient: symmetric, positive semidefinite, rows add
//                    up to 0
//   mass (V x V)     diagonal: the area of a vertex
//   gradient (3F x V)  f at vertices -> its gradient in a triangle: rows 3 f, 3 f + 1, 3 f + 2 are x, y, z
//   divergence (V x 3F)  a vector in each triangle -> its divergence, integrated over the cell of a vertex:
//                    -gradient^T areas, so that divergence gradient = -laplacian
//
// Any mesh has them. A triangle that is thinner than 1e-6 of its longest edge counts with that height in
// star1 and the Laplacian, which so stay finite and semidefinite, and has no gradient; one whose corners are
// one point counts as equilateral. (K. Crane, "Discrete differential geometry: an applied introduction"; M.
// Meyer et al., "Discrete differential-geometry operators for triangulated 2-manifolds", 2003, for the mixed
// area.)
#pragma once

#include <cstddef>
#include <cstdint>

#include <tessera/core/csr_matrix.h>
#include <tessera/core/memory.h>
#include <tessera/exec/buffer.h>
#include <tessera/surface/attribute.h>
#include <tessera/surface/surface.h>
#include <tessera/tile/relation.h>

namespace tessera {

/// What rows or columns are about: `width` of them for each element of a kind.
struct MatrixAxis {
  Kind kind = Kind::vertex;
  std::uint32_t width = 1;
  std::size_t size = 0;  ///< rows or columns, all together
};

/// Rows in tile order, their columns ascending, at the surface's place.
struct SparseMatrix {
  MatrixAxis rows;
  MatrixAxis columns;
  Buffer<std::uint32_t> offsets;  ///< one more than rows
  Buffer<std::uint32_t> column_ids;
  Buffer<double> values;

  [[nodiscard]] const Exec& exec() const { return values.exec(); }
  [[nodiscard]] std::size_t entry_count() const { return values.size(); }
  [[nodiscard]] Bytes bytes() const { return offsets.bytes() + column_ids.bytes() + values.bytes(); }
};

/// The areas of vertices: a third of each triangle, or what is nearer to the vertex than to others (Voronoi;
/// in obtuse triangles a half or a quarter). Either adds up to the area of the surface.
enum class Mass { barycentric, voronoi };

// O(n). Error(out_of_memory | out_of_device_memory); Error(unsupported) for more than 2^32 - 1 entries.

[[nodiscard]] SparseMatrix make_d0(const Surface& surface);
[[nodiscard]] SparseMatrix make_d1(const Surface& surface);
[[nodiscard]] SparseMatrix make_star1(const Surface& surface);
[[nodiscard]] SparseMatrix make_laplacian(const Surface& surface);
[[nodiscard]] SparseMatrix make_mass(const Surface& surface, Mass mass = Mass::barycentric);
[[nodiscard]] SparseMatrix make_gradient(const Surface& surface);
[[nodiscard]] SparseMatrix make_divergence(const Surface& surface);

/// 1 for each entry of a relation whose rows ascend (VV, EV, FE and so on).
template <class R>
requires(RelationOf<R, 2>) [[nodiscard]] SparseMatrix make_relation_matrix(const Surface& surface);

/// y = A x, both at the matrix's place, not overlapping; a row is added up from its first entry to its last.
/// Queued on a device.
void multiply(const SparseMatrix& a, const double* x, double* y);

/// The Laplacian without a matrix: worked out from triangles and coordinates each time. Slower than a product
/// with the matrix on the host; for whoever has no room for the matrix, or moves the vertices at every step.
class LaplacianOperator {
 public:
  explicit LaplacianOperator(const Surface& surface);
  LaplacianOperator(const Surface& surface, VertexAttribute<Vec3d> positions);

  [[nodiscard]] const VertexAttribute<Vec3d>& positions() const { return positions_; }
  [[nodiscard]] VertexAttribute<Vec3d>& positions() { return positions_; }
  /// y = L x, in tile order at the surface's place. Sums go triangle by triangle: the same bytes on host and
  /// device, but not those of the matrix.
  void apply(const double* x, double* y) const;

 private:
  Surface surface_;
  RowsOf<VF, FV> rows_;
  VertexAttribute<Vec3d> positions_;
};

/// The matrix on the host with rows and columns in the input's order. Edges have no ids in the input: theirs
/// are those of the surface.
[[nodiscard]] CsrMatrix in_input_order(const Surface& surface, const SparseMatrix& a);

}  // namespace tessera
