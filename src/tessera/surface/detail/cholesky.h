// A sparse Cholesky factorization on host threads, for many right-hand sides of one matrix.
//
// Unknowns are ordered by nested dissection: planes cut the vertices in halves, again and again, and the few
// that lie along a cut come after both halves (A. George, "Nested dissection of a regular finite element
// mesh", 1973). Each cut is one dense front (I. Duff, J. Reid, "The multifrontal solution of indefinite
// sparse symmetric linear equations", 1983). Parts of the tree are worked on side by side and put together in
// their order: results are the same bytes for any number of threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/core/array.h>
#include <tessera/core/csr_matrix.h>
#include <tessera/core/memory.h>
#include <tessera/core/progress.h>
#include <tessera/core/vec.h>
#include <tessera/exec/exec.h>

namespace tessera::detail {

/// The order of elimination and which entries it fills, for all matrices of one pattern.
class Dissection {
 public:
  /// Columns [first, first + count) in the order of elimination, and the later rows that they have entries
  /// in.
  struct Node {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::size_t rows_begin = 0;
    std::uint32_t rows_count = 0;
    std::size_t values_begin = 0;  ///< of the factor: column by column below the diagonal, then the rows
    std::vector<std::uint32_t> children;
  };

  /// The pattern of `a` is symmetric; positions are those of its rows.
  Dissection(const CsrMatrix& a, std::span<const Vec3d> positions, const Monitor& monitor);

  /// Which row of the matrix comes at each place of the elimination.
  [[nodiscard]] const Array<std::uint32_t>& order() const { return order_; }
  /// The inverse of it.
  [[nodiscard]] const Array<std::uint32_t>& places() const { return places_; }
  /// Children come before parents: the parts one after the other, then the nodes that join them.
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  /// Nodes [parts[p], parts[p + 1]) touch no other part; those from parts.back() on join them.
  [[nodiscard]] const std::vector<std::uint32_t>& parts() const { return parts_; }
  [[nodiscard]] std::span<const std::uint32_t> rows(const Node& node) const {
    return {rows_.data() + node.rows_begin, node.rows_count};
  }
  [[nodiscard]] std::size_t value_count() const { return value_count_; }
  /// The rows of the largest dense front.
  [[nodiscard]] std::size_t largest_front() const { return largest_front_; }
  /// The first column of the nodes that join the parts.
  [[nodiscard]] std::uint32_t first_joining_column() const;

 private:
  struct Cut {
    std::vector<std::uint32_t> vertices;
    std::vector<std::uint32_t> children;
    std::uint32_t depth = 0;
  };
  struct Input {
    const CsrMatrix& a;
    std::span<const Vec3d> positions;
    const Monitor& monitor;
  };
  std::uint32_t dissect(const Input& input, std::span<std::uint32_t> vertices, std::uint32_t depth,
                        std::vector<Cut>& cuts);
  [[nodiscard]] Cut cut(const Input& input, std::span<std::uint32_t> vertices,
                        std::array<std::span<std::uint32_t>, 2>& halves);
  void number(const std::vector<Cut>& cuts);
  void find_rows(const CsrMatrix& a);

  Array<std::uint32_t> order_;
  Array<std::uint32_t> places_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> parts_;
  Array<std::uint32_t> rows_;
  std::size_t value_count_ = 0;
  std::size_t largest_front_ = 0;
  Array<std::uint32_t> side_;  ///< of dissect(): which list a vertex is in
  std::uint32_t next_side_ = 1;
};

/// The factor of a symmetric, positive semidefinite matrix. Rows that depend on others, of a null vector, get
/// 0 in solutions.
class Cholesky {
 public:
  /// Error(out_of_memory) names the sizes of the factor and of the largest front.
  Cholesky(const Exec& exec, const Dissection& dissection, const CsrMatrix& a, const Monitor& monitor);

  /// Both in the matrix's order; they may be the same.
  void solve(const double* b, double* x);
  [[nodiscard]] Bytes bytes() const {
    return (values_.size() + inverse_.size() + y_.size()) * sizeof(double);
  }

 private:
  class Factorization;
  void allocate(std::size_t rows);
  void forward(std::uint32_t node, double* joining, std::vector<double>& scratch);
  void backward(std::uint32_t node, std::vector<double>& scratch);

  Exec exec_;
  const Dissection& dissection_;
  Array<double> values_;
  Array<double> inverse_;  ///< of the factor's diagonal
  Array<double> y_;
};

}  // namespace tessera::detail
