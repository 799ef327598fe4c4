#include <tessera/surface/detail/multilevel.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include <tessera/exec/detail/host/parallel.h>

namespace tessera::detail {
namespace {

using std::size_t;
using std::uint32_t;

constexpr uint32_t none = 0xFFFFFFFFu;
constexpr uint32_t alone = 0xFFFFFFFEu;  // a row without couplings: the diagonal is its inverse
constexpr size_t dense_rows = 96;        // a matrix this small is inverted
constexpr size_t most_levels = 24;
constexpr double strength = 0.08;         // of a coupling, against the diagonals
constexpr double least_diagonal = 1e-11;  // below this part of the finest it is rounding: a null vector

double diagonal_of(const CsrMatrix& a, size_t row) {
  for (uint32_t k = a.offsets[row]; k < a.offsets[row + 1]; ++k) {
    if (a.column_ids[k] == row) return a.values[k];
  }
  return 0;
}

/// A level and what is needed to make the next one.
struct Building {
  const CsrMatrix& a;
  Array<double> diagonal;
  Array<double> scale;  ///< the largest diagonal of the finest level that is in a row

  [[nodiscard]] bool is_null(size_t row) const { return !(diagonal[row] > least_diagonal * scale[row]); }
  [[nodiscard]] bool is_strong(size_t row, uint32_t k) const {
    const uint32_t column = a.column_ids[k];
    if (column == row || is_null(column)) return false;
    return a.values[k] < 0 &&
           a.values[k] * a.values[k] > strength * strength * diagonal[row] * diagonal[column];
  }
};

Building start_level(const CsrMatrix& a, Array<double> scale) {
  Building level{a, Array<double>(a.rows), std::move(scale)};
  for (size_t row = 0; row < a.rows; ++row) level.diagonal[row] = diagonal_of(a, row);
  if (level.scale.empty()) level.scale = level.diagonal;
  return level;
}

Array<double> inverse_diagonal(const Building& level) {
  Array<double> inverse(level.a.rows);
  for (size_t row = 0; row < inverse.size(); ++row)
    inverse[row] = level.is_null(row) ? 0 : 1 / level.diagonal[row];
  return inverse;
}

/// By a few steps of the power method, with a margin; not more than the largest sum of a row (Gershgorin).
double largest_eigenvalue(const CsrMatrix& a, const Array<double>& inverse) {
  double bound = 0;
  Array<double> x(a.rows), y(a.rows);
  for (size_t row = 0; row < a.rows; ++row) {
    double sum = 0;
    for (uint32_t k = a.offsets[row]; k < a.offsets[row + 1]; ++k) sum += std::abs(a.values[k]);
    bound = std::max(bound, sum * inverse[row]);
    x[row] = 1 + static_cast<double>(row * 2654435761u % 1024) / 1024 * (row % 2 == 0 ? 1 : -3);
  }
  double estimate = 0;
  for (int step = 0; step < 12; ++step) {
    double most = 0;
    for (size_t row = 0; row < a.rows; ++row) {
      double sum = 0;
      for (uint32_t k = a.offsets[row]; k < a.offsets[row + 1]; ++k) sum += a.values[k] * x[a.column_ids[k]];
      y[row] = sum * inverse[row];
    }
    double xy = 0, xx = 0;
    for (size_t row = 0; row < a.rows; ++row) {  // in the product of the diagonal, in which it is symmetric
      const double weight = inverse[row] > 0 ? 1 / inverse[row] : 0;
      xy += x[row] * y[row] * weight;
      xx += x[row] * x[row] * weight;
      most = std::max(most, std::abs(y[row]));
    }
    if (!(most > 0) || !(xx > 0)) return std::max(bound, 1.0);
    estimate = xy / xx;
    for (size_t row = 0; row < a.rows; ++row) x[row] = y[row] / most;
  }
  const double raised = 1.1 * estimate;
  return raised > 0 && raised < bound ? raised : std::max(bound, std::numeric_limits<double>::min());
}

/// The aggregate of each row, numbered by their first rows.
struct Aggregates {
  Array<uint32_t> of_row;
  uint32_t count = 0;
};

template <class F>
void for_each_strong(const Building& level, size_t row, const F& f) {
  for (uint32_t k = level.a.offsets[row]; k < level.a.offsets[row + 1]; ++k) {
    if (level.is_strong(row, k)) f(level.a.column_ids[k], -level.a.values[k]);
  }
}

/// A row whose strong neighbours are all free becomes an aggregate with them; the rows between join the
/// neighbour that they are coupled to most; what is left makes aggregates of its own.
Aggregates aggregate(const Building& level) {
  const size_t n = level.a.rows;
  Aggregates made{Array<uint32_t>(n, none), 0};
  Array<uint32_t>& of_row = made.of_row;
  for (size_t row = 0; row < n; ++row) {
    if (level.is_null(row)) of_row[row] = alone;
  }
  for (size_t row = 0; row < n; ++row) {
    if (of_row[row] != none) continue;
    bool is_free = true;
    size_t neighbours = 0;
    for_each_strong(level, row, [&](uint32_t other, double) {
      is_free = is_free && of_row[other] == none;
      ++neighbours;
    });
    if (neighbours == 0) {
      const bool is_coupled = level.a.offsets[row + 1] - level.a.offsets[row] > 1;
      of_row[row] = is_coupled ? made.count++ : alone;
    } else if (is_free) {
      of_row[row] = made.count;
      for_each_strong(level, row, [&](uint32_t other, double) { of_row[other] = made.count; });
      ++made.count;
    }
  }
  Array<uint32_t> joined = of_row;
  for (size_t row = 0; row < n; ++row) {
    if (of_row[row] != none) continue;
    double best = 0;
    for_each_strong(level, row, [&](uint32_t other, double coupling) {
      if (of_row[other] < alone && coupling > best) {
        best = coupling;
        joined[row] = of_row[other];
      }
    });
  }
  of_row = std::move(joined);
  for (size_t row = 0; row < n; ++row) {
    if (of_row[row] != none) continue;
    of_row[row] = made.count;
    for_each_strong(level, row, [&](uint32_t other, double) {
      if (of_row[other] == none) of_row[other] = made.count;
    });
    ++made.count;
  }
  return made;
}

/// Adds up the entries of a row by column.
class RowSum {
 public:
  explicit RowSum(size_t columns) : place_(columns, none) {}

  void add(uint32_t column, double value) {
    if (place_[column] == none) {
      place_[column] = static_cast<uint32_t>(entries_.size());
      entries_.push_back({column, value});
    } else {
      entries_[place_[column]].second += value;
    }
  }
  void append_to(CsrMatrix& a) {
    std::sort(entries_.begin(), entries_.end(),
              [](const auto& x, const auto& y) { return x.first < y.first; });
    for (const auto& [column, value] : entries_) {
      a.column_ids.push_back(column);
      a.values.push_back(value);
      place_[column] = none;
    }
    a.offsets.push_back(static_cast<uint32_t>(a.values.size()));
    entries_.clear();
  }

 private:
  Array<uint32_t> place_;
  std::vector<std::pair<uint32_t, double>> entries_;
};

/// A matrix whose rows are made independently: fill(row, sum) adds up the entries of one. Threads make
/// stretches of rows, which are put together in order. A sum has a place for each column: one a worker.
template <class Fill>
CsrMatrix make_rows(const Exec& exec, size_t rows, size_t columns, const Fill& fill) {
  const size_t stretches = std::clamp<size_t>(rows / 4096, 1, 4 * static_cast<size_t>(exec.threads()));
  std::vector<CsrMatrix> parts(stretches);
  std::vector<std::unique_ptr<RowSum>> sums(std::max<size_t>(1, static_cast<size_t>(exec.threads())));
  const auto work = [&](size_t part, size_t worker) {
    if (sums[worker] == nullptr) sums[worker] = std::make_unique<RowSum>(columns);
    RowSum& sum = *sums[worker];
    for (size_t row = rows * part / stretches; row < rows * (part + 1) / stretches; ++row) {
      fill(row, sum);
      sum.append_to(parts[part]);
    }
  };
  host::for_each_chunk(exec.threads(), stretches, 1, [&](host::Range range, int worker) {
    for (size_t part = range.begin; part < range.end; ++part) work(part, static_cast<size_t>(worker));
  });
  CsrMatrix all;
  all.rows = rows;
  all.columns = columns;
  for (const CsrMatrix& part : parts) {
    const auto base = static_cast<uint32_t>(all.values.size());
    for (size_t k = 1; k < part.offsets.size(); ++k) all.offsets.push_back(base + part.offsets[k]);
    all.column_ids.insert(all.column_ids.end(), part.column_ids.begin(), part.column_ids.end());
    all.values.insert(all.values.end(), part.values.begin(), part.values.end());
  }
  return all;
}

/// One on the rows of an aggregate, smoothed by a Jacobi step with the strong couplings; weak ones count as
/// part of the diagonal.
CsrMatrix make_prolongation(const Exec& exec, const Building& level, const Aggregates& aggregates,
                            double largest) {
  const double step = 4 / (3 * largest);
  return make_rows(exec, level.a.rows, aggregates.count, [&](size_t row, RowSum& sum) {
    const uint32_t own = aggregates.of_row[row];
    if (own >= alone) return;
    double strong = 0, all = 0;
    for (uint32_t k = level.a.offsets[row]; k < level.a.offsets[row + 1]; ++k) {
      all += level.a.values[k];
      if (level.is_strong(row, k)) strong += level.a.values[k];
    }
    const double diagonal = all - strong;  // the diagonal and the weak couplings
    sum.add(own, 1);
    if (!(diagonal > 0)) return;
    const double factor = step / diagonal;
    sum.add(own, -step);
    for_each_strong(level, row, [&](uint32_t other, double coupling) {
      if (aggregates.of_row[other] < alone) sum.add(aggregates.of_row[other], factor * coupling);
    });
  });
}

CsrMatrix transpose(const CsrMatrix& a) {
  CsrMatrix t;
  t.rows = a.columns;
  t.columns = a.rows;
  t.offsets.assign(t.rows + 1, 0);
  for (const uint32_t column : a.column_ids) ++t.offsets[column + 1];
  for (size_t row = 0; row < t.rows; ++row) t.offsets[row + 1] += t.offsets[row];
  t.column_ids.resize(a.values.size());
  t.values.resize(a.values.size());
  Array<uint32_t> next(t.offsets.begin(), t.offsets.end() - 1);
  for (size_t row = 0; row < a.rows; ++row) {
    for (uint32_t k = a.offsets[row]; k < a.offsets[row + 1]; ++k) {
      const uint32_t at = next[a.column_ids[k]]++;
      t.column_ids[at] = static_cast<uint32_t>(row);
      t.values[at] = a.values[k];
    }
  }
  return t;
}

CsrMatrix multiply(const Exec& exec, const CsrMatrix& a, const CsrMatrix& b) {
  return make_rows(exec, a.rows, b.columns, [&](size_t row, RowSum& sum) {
    for (uint32_t k = a.offsets[row]; k < a.offsets[row + 1]; ++k) {
      const uint32_t middle = a.column_ids[k];
      for (uint32_t j = b.offsets[middle]; j < b.offsets[middle + 1]; ++j)
        sum.add(b.column_ids[j], a.values[k] * b.values[j]);
    }
  });
}

/// The inverse of a small matrix by Gauss and Jordan; rows that depend on others, of a null vector, are left
/// out, and get 0.
Array<double> invert(const Building& level) {
  const size_t n = level.a.rows;
  Array<double> a(n * n, 0), inverse(n * n, 0);
  for (size_t row = 0; row < n; ++row) {
    for (uint32_t k = level.a.offsets[row]; k < level.a.offsets[row + 1]; ++k)
      a[row * n + level.a.column_ids[k]] = level.a.values[k];
    inverse[row * n + row] = 1;
  }
  constexpr double least_pivot = 1e-9;
  Array<std::uint8_t> is_out(n, 0);
  for (size_t pivot = 0; pivot < n; ++pivot) {
    if (level.is_null(pivot) || !(a[pivot * n + pivot] > least_pivot * level.diagonal[pivot])) {
      is_out[pivot] = 1;
      continue;
    }
    const double one = 1 / a[pivot * n + pivot];
    for (size_t k = 0; k < n; ++k) a[pivot * n + k] *= one, inverse[pivot * n + k] *= one;
    for (size_t row = 0; row < n; ++row) {
      const double factor = a[row * n + pivot];
      if (row == pivot || factor == 0) continue;
      for (size_t k = 0; k < n; ++k) {
        a[row * n + k] -= factor * a[pivot * n + k];
        inverse[row * n + k] -= factor * inverse[pivot * n + k];
      }
    }
  }
  for (size_t row = 0; row < n; ++row) {
    for (size_t k = 0; k < n; ++k) {
      if (is_out[row] != 0 || is_out[k] != 0) inverse[row * n + k] = 0;
    }
  }
  return inverse;
}

Array<double> coarse_scale(const Building& level, const Aggregates& aggregates) {
  Array<double> scale(aggregates.count, 0);
  for (size_t row = 0; row < level.a.rows; ++row) {
    const uint32_t own = aggregates.of_row[row];
    if (own < alone) scale[own] = std::max(scale[own], level.scale[row]);
  }
  return scale;
}

}  // namespace

std::vector<HostLevel> build_levels(const Exec& exec, const CsrMatrix& a, const Monitor& monitor) {
  // What is left to do is as much as there are rows.
  const auto report = [&](double rows_left) {
    monitor.update("building a preconditioner", 1 - rows_left / static_cast<double>(a.rows));
  };
  std::vector<HostLevel> levels;
  Array<double> scale;
  while (true) {
    const CsrMatrix& matrix = levels.empty() ? a : levels.back().matrix;
    if (levels.empty()) levels.emplace_back();
    HostLevel& level = levels.back();
    const auto rows = static_cast<double>(matrix.rows);
    if (matrix.rows > 0) report(rows);
    const Building building = start_level(matrix, std::move(scale));
    level.inverse = inverse_diagonal(building);
    level.largest = largest_eigenvalue(matrix, level.inverse);
    if (matrix.rows <= dense_rows) {
      level.dense = invert(building);
      return levels;
    }
    const Aggregates aggregates = aggregate(building);
    const bool is_stuck = aggregates.count == 0 || aggregates.count > matrix.rows / 4 * 3;
    if (is_stuck || levels.size() == most_levels) return levels;
    const double made = rows - aggregates.count;
    report(rows - made / 3);
    level.prolongation = make_prolongation(exec, building, aggregates, level.largest);
    level.restriction = transpose(level.prolongation);
    const CsrMatrix half = multiply(exec, matrix, level.prolongation);
    report(rows - 2 * made / 3);
    HostLevel next;
    next.matrix = multiply(exec, level.restriction, half);
    scale = coarse_scale(building, aggregates);
    levels.push_back(std::move(next));
  }
}

}  // namespace tessera::detail
