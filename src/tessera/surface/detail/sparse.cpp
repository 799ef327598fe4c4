#include <tessera/surface/sparse.h>

#include <algorithm>
#include <utility>

#include <tessera/surface/detail/run_loop.h>
#include <tessera/surface/detail/sparse_loops.h>

namespace tessera {

using namespace detail;

namespace {

using std::size_t;
using std::uint32_t;

MatrixAxis axis_of(const Surface& surface, Kind kind, uint32_t width = 1) {
  return {kind, width, surface.count(kind) * width};
}

MatrixArrays arrays_of(SparseMatrix& a) {
  return {a.offsets.data(), a.column_ids.data(), a.values.data()};
}

SparseMatrix allocate(const Exec& exec, MatrixAxis rows, MatrixAxis columns, size_t entries) {
  (void)checked_offset(entries);
  SparseMatrix a;
  a.rows = rows;
  a.columns = columns;
  a.offsets = Buffer<uint32_t>(exec, rows.size + 1);
  a.column_ids = Buffer<uint32_t>(exec, entries);
  a.values = Buffer<double>(exec, entries);
  return a;
}

/// `width` entries a row.
SparseMatrix allocate_even(const Exec& exec, MatrixAxis rows, MatrixAxis columns, uint32_t width) {
  SparseMatrix a = allocate(exec, rows, columns, rows.size * width);
  run_loop(exec, rows.size + 1, FillEvenOffsets{a.offsets.data(), width});
  return a;
}

/// How many entries the rows of a relation have all together.
template <class R>
size_t count_entries(const Exec& exec, const SurfaceRows<R>& rows) {
  if constexpr (SurfaceRows<R>::width != 0) return rows.size() * SurfaceRows<R>::width;
  uint32_t count = 0;
  const uint32_t* last = rows.offsets() + rows.size();
  if (!exec.is_cuda()) return *last;
  copy(exec, &count, last, sizeof(count), CopyKind::to_host);
  return count;
}

/// `times` entries for each of a relation of vertices, and `more` a row.
template <class R>
SparseMatrix allocate_by(const Surface& surface, const SurfaceRows<R>& rows, MatrixAxis columns,
                         uint32_t times, uint32_t more) {
  const Exec& exec = surface.exec();
  const size_t entries = times * count_entries(exec, rows) + more * rows.size();
  SparseMatrix a = allocate(exec, axis_of(surface, R::from), columns, entries);
  run_loop(exec, rows.size() + 1, FillOffsets{a.offsets.data(), rows.offsets(), times, more});
  return a;
}

/// Input ids of rows or columns, on the host.
Array<uint32_t> input_ids(const Surface& surface, const MatrixAxis& axis) {
  const auto order = surface.to_input(axis.kind);
  Array<uint32_t> of_element(order.begin(), surface.exec().is_cuda() ? order.begin() : order.end());
  if (surface.exec().is_cuda() && !order.empty()) {
    of_element.resize(order.size());
    copy(surface.exec(), of_element.data(), order.data(), order.size_bytes(), CopyKind::to_host);
  }
  Array<uint32_t> ids(axis.size);
  for (size_t i = 0; i < axis.size; ++i) {
    const size_t element = i / axis.width;
    ids[i] = static_cast<uint32_t>((of_element.empty() ? element : of_element[element]) * axis.width +
                                   i % axis.width);
  }
  return ids;
}

}  // namespace

SparseMatrix make_d0(const Surface& surface) {
  const auto rows = surface.rows<EV>();
  SparseMatrix a =
      allocate_even(surface.exec(), axis_of(surface, Kind::edge), axis_of(surface, Kind::vertex), 2);
  run_loop(surface.exec(), a.rows.size, FillD0{arrays_of(a), rows.get<EV>()});
  return a;
}

SparseMatrix make_d1(const Surface& surface) {
  const auto rows = surface.rows<FE, OrientedFV>();
  SparseMatrix a =
      allocate_even(surface.exec(), axis_of(surface, Kind::face), axis_of(surface, Kind::edge), 3);
  run_loop(surface.exec(), a.rows.size, FillD1{arrays_of(a), rows.get<FE>(), rows.get<OrientedFV>()});
  return a;
}

SparseMatrix make_star1(const Surface& surface) {
  const auto rows = surface.rows<EV, EF, FV>();
  const auto position = positions<double>(surface);
  const MatrixAxis edges = axis_of(surface, Kind::edge);
  SparseMatrix a = allocate_even(surface.exec(), edges, edges, 1);
  run_loop(surface.exec(), edges.size,
           FillStar1{arrays_of(a), rows.get<EV>(), rows.get<EF>(), {rows.get<FV>(), position.view().data()}});
  return a;
}

SparseMatrix make_laplacian(const Surface& surface) {
  const auto rows = surface.rows<VV, VF, FV>();
  const auto position = positions<double>(surface);
  SparseMatrix a = allocate_by(surface, rows.get<VV>(), axis_of(surface, Kind::vertex), 1, 1);
  run_loop(
      surface.exec(), a.rows.size,
      FillLaplacian{arrays_of(a), rows.get<VV>(), rows.get<VF>(), {rows.get<FV>(), position.view().data()}});
  return a;
}

SparseMatrix make_mass(const Surface& surface, Mass mass) {
  const auto rows = surface.rows<VF, FV>();
  const auto position = positions<double>(surface);
  const MatrixAxis vertices = axis_of(surface, Kind::vertex);
  SparseMatrix a = allocate_even(surface.exec(), vertices, vertices, 1);
  run_loop(
      surface.exec(), vertices.size,
      FillMass{
          arrays_of(a), rows.get<VF>(), {rows.get<FV>(), position.view().data()}, mass == Mass::voronoi});
  return a;
}

SparseMatrix make_gradient(const Surface& surface) {
  const auto rows = surface.rows<FV>();
  const auto position = positions<double>(surface);
  SparseMatrix a =
      allocate_even(surface.exec(), axis_of(surface, Kind::face, 3), axis_of(surface, Kind::vertex), 3);
  run_loop(surface.exec(), surface.face_count(),
           FillGradient{arrays_of(a), {rows.get<FV>(), position.view().data()}});
  return a;
}

SparseMatrix make_divergence(const Surface& surface) {
  const auto rows = surface.rows<VF, FV>();
  const auto position = positions<double>(surface);
  SparseMatrix a = allocate_by(surface, rows.get<VF>(), axis_of(surface, Kind::face, 3), 3, 0);
  run_loop(surface.exec(), a.rows.size,
           FillDivergence{arrays_of(a), rows.get<VF>(), {rows.get<FV>(), position.view().data()}});
  return a;
}

template <class R>
requires(RelationOf<R, 2>) SparseMatrix make_relation_matrix(const Surface& surface) {
  const auto kept = surface.rows<R>();
  const SurfaceRows<R> rows = kept.template get<R>();
  const Exec& exec = surface.exec();
  SparseMatrix a;
  if constexpr (SurfaceRows<R>::width != 0) {
    a = allocate_even(exec, axis_of(surface, R::from), axis_of(surface, R::to), SurfaceRows<R>::width);
  } else {
    a = allocate_by(surface, rows, axis_of(surface, R::to), 1, 0);
  }
  run_loop(exec, a.entry_count(), FillOnes{arrays_of(a), rows.values()});
  return a;
}

#define TS_INSTANTIATE(R) template SparseMatrix make_relation_matrix<R>(const Surface&);
TS_INSTANTIATE(VV)
TS_INSTANTIATE(VE)
TS_INSTANTIATE(VF)
TS_INSTANTIATE(EV)
TS_INSTANTIATE(EE)
TS_INSTANTIATE(EF)
TS_INSTANTIATE(FV)
TS_INSTANTIATE(FE)
TS_INSTANTIATE(FF)
#undef TS_INSTANTIATE

void multiply(const SparseMatrix& a, const double* x, double* y) {
  run_loop(a.exec(), a.rows.size, MultiplyRow{a.offsets.data(), a.column_ids.data(), a.values.data(), x, y});
}

LaplacianOperator::LaplacianOperator(const Surface& surface)
    : LaplacianOperator(surface, tessera::positions<double>(surface)) {}
LaplacianOperator::LaplacianOperator(const Surface& surface, VertexAttribute<Vec3d> positions)
    : surface_(surface), rows_(surface.rows<VF, FV>()), positions_(std::move(positions)) {}

void LaplacianOperator::apply(const double* x, double* y) const {
  run_loop(surface_.exec(), surface_.vertex_count(),
           ApplyLaplacian{rows_.get<VF>(), {rows_.get<FV>(), positions_.view().data()}, x, y});
}

namespace {

/// The numbers of a buffer on the host; `copy` has them if they lie on a device.
template <class T>
std::span<const T> on_host(const Buffer<T>& buffer, Array<T>& copy) {
  if (!buffer.exec().is_cuda()) return buffer.span();
  copy = buffer.to_host();
  return copy;
}

}  // namespace

CsrMatrix in_input_order(const Surface& surface, const SparseMatrix& a) {
  const Array<uint32_t> row_ids = input_ids(surface, a.rows);
  const Array<uint32_t> column_ids = input_ids(surface, a.columns);
  Array<uint32_t> offset_copy, column_copy;
  Array<double> value_copy;
  const std::span<const uint32_t> offsets = on_host(a.offsets, offset_copy);
  const std::span<const uint32_t> columns = on_host(a.column_ids, column_copy);
  const std::span<const double> values = on_host(a.values, value_copy);
  CsrMatrix result;
  result.rows = a.rows.size;
  result.columns = a.columns.size;
  result.offsets.assign(a.rows.size + 1, 0);
  for (size_t row = 0; row < a.rows.size; ++row)
    result.offsets[row_ids[row] + 1] = offsets[row + 1] - offsets[row];
  for (size_t row = 0; row < a.rows.size; ++row) result.offsets[row + 1] += result.offsets[row];
  result.column_ids.resize(columns.size());
  result.values.resize(values.size());
  Array<std::pair<uint32_t, double>> entries;
  for (size_t row = 0; row < a.rows.size; ++row) {
    entries.clear();
    for (uint32_t k = offsets[row]; k < offsets[row + 1]; ++k)
      entries.push_back({column_ids[columns[k]], values[k]});
    std::ranges::sort(entries, {}, &std::pair<uint32_t, double>::first);
    size_t at = result.offsets[row_ids[row]];
    for (const auto& [column, value] : entries) {
      result.column_ids[at] = column;
      result.values[at++] = value;
    }
  }
  return result;
}

}  // namespace tessera
