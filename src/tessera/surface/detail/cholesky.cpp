#include <tessera/surface/detail/cholesky.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <new>
#include <numeric>
#include <string>
#include <thread>
#include <utility>

#include <tessera/core/error.h>
#include <tessera/exec/detail/host/parallel.h>
#include <tessera/exec/for_each.h>

namespace tessera::detail {
namespace {

using std::size_t;
using std::uint32_t;

constexpr uint32_t part_depth = 3;  // eight parts
constexpr size_t leaf_size = 12;
constexpr size_t worth_saying = 4096;  // vertices whose cut is worth a report
constexpr std::ptrdiff_t ahead = 512;  // values of a factor that are asked for before they are used
constexpr double least_pivot = 1e-11;  // as a part of the diagonal: below this it is rounding

double coordinate(const Vec3d& p, int axis) {
  return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

int longest_axis(std::span<const Vec3d> positions, std::span<const uint32_t> vertices) {
  int best = 0;
  double most = -1;
  for (int axis = 0; axis < 3; ++axis) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const uint32_t v : vertices) {
      low = std::min(low, coordinate(positions[v], axis));
      high = std::max(high, coordinate(positions[v], axis));
    }
    if (high - low > most) {
      most = high - low;
      best = axis;
    }
  }
  return best;
}

/// A sum in eight lanes: additions of one need not wait for those of another.
double dot_in_lanes(const double* a, const double* b, size_t size) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
  size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    s0 += a[i] * b[i];
    s1 += a[i + 1] * b[i + 1];
    s2 += a[i + 2] * b[i + 2];
    s3 += a[i + 3] * b[i + 3];
    s4 += a[i + 4] * b[i + 4];
    s5 += a[i + 5] * b[i + 5];
    s6 += a[i + 6] * b[i + 6];
    s7 += a[i + 7] * b[i + 7];
  }
  for (; i < size; ++i) s0 += a[i] * b[i];
  return ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7));
}

/// How much of a factorization is done, by its multiplications. Any thread adds to it; the one that made it
/// reports.
class FactorProgress {
 public:
  FactorProgress(const Dissection& dissection, const Monitor& monitor) : monitor_(monitor) {
    for (const Dissection::Node& node : dissection.nodes()) all_ += work_of(node, node.count);
  }

  /// Some columns of a node are done.
  void add(const Dissection::Node& node, size_t columns) {
    const double done = done_.fetch_add(work_of(node, columns)) + work_of(node, columns);
    if (std::this_thread::get_id() == thread_) monitor_.update("factorizing", std::min(1.0, done / all_));
  }
  [[nodiscard]] bool is_stopped() const { return monitor_.is_stopped(); }
  /// Error(cancelled) if it is.
  void finish() const { monitor_.update("factorizing", 1); }

 private:
  [[nodiscard]] static double work_of(const Dissection::Node& node, size_t columns) {
    const double size = static_cast<double>(node.count) + node.rows_count;
    return static_cast<double>(columns) * size * size;
  }

  const Monitor& monitor_;
  std::thread::id thread_ = std::this_thread::get_id();
  double all_ = 0;
  std::atomic<double> done_{0};
};

void for_each_part(const Exec& exec, size_t parts, const auto& work) {
  host::for_each_chunk(exec.threads(), parts, 1, [&](host::Range range, int) {
    for (size_t part = range.begin; part < range.end; ++part) work(part);
  });
}

}  // namespace

Dissection::Dissection(const CsrMatrix& a, std::span<const Vec3d> positions, const Monitor& monitor) {
  order_.resize(a.rows);
  std::iota(order_.begin(), order_.end(), 0u);
  side_.assign(a.rows, 0);
  std::vector<Cut> cuts;
  if (a.rows > 0) (void)dissect({a, positions, monitor}, {order_.data(), order_.size()}, 0, cuts);
  number(cuts);
  find_rows(a);
  side_ = {};
}

uint32_t Dissection::first_joining_column() const {
  return parts_.back() < nodes_.size() ? nodes_[parts_.back()].first : static_cast<uint32_t>(order_.size());
}

uint32_t Dissection::dissect(const Input& input, std::span<uint32_t> vertices, uint32_t depth,
                             std::vector<Cut>& cuts) {
  Cut made;
  if (vertices.size() <= leaf_size) {
    made.vertices.assign(vertices.begin(), vertices.end());
  } else {
    // Vertices before these are done: halves are taken from the left to the right.
    const auto done = static_cast<double>(vertices.data() - order_.data());
    if (vertices.size() >= worth_saying)
      input.monitor.update("ordering unknowns", done / static_cast<double>(order_.size()));
    std::array<std::span<uint32_t>, 2> halves;
    made = cut(input, vertices, halves);
    for (const std::span<uint32_t> half : halves) {
      if (!half.empty()) made.children.push_back(dissect(input, half, depth + 1, cuts));
    }
  }
  made.depth = depth;
  cuts.push_back(std::move(made));
  return static_cast<uint32_t>(cuts.size() - 1);
}

/// What is between two halves, which are put on either side of it.
Dissection::Cut Dissection::cut(const Input& input, std::span<uint32_t> vertices,
                                std::array<std::span<uint32_t>, 2>& halves) {
  const int axis = longest_axis(input.positions, vertices);
  const auto middle = vertices.begin() + static_cast<std::ptrdiff_t>(vertices.size() / 2);
  std::nth_element(vertices.begin(), middle, vertices.end(), [&](uint32_t u, uint32_t v) {
    const double x = coordinate(input.positions[u], axis);
    const double y = coordinate(input.positions[v], axis);
    return x < y || (x == y && u < v);
  });
  const uint32_t low = next_side_++;
  const uint32_t high = next_side_++;
  for (auto v = vertices.begin(); v != vertices.end(); ++v) side_[*v] = v < middle ? low : high;
  const auto touches = [&](uint32_t v, uint32_t side) {
    for (uint32_t k = input.a.offsets[v]; k < input.a.offsets[v + 1]; ++k) {
      if (side_[input.a.column_ids[k]] == side) return true;
    }
    return false;
  };
  const auto low_end =
      std::stable_partition(vertices.begin(), middle, [&](uint32_t v) { return !touches(v, high); });
  const auto high_begin =
      std::stable_partition(middle, vertices.end(), [&](uint32_t v) { return touches(v, low); });
  // The smaller of the two borders becomes the cut.
  halves = {std::span(vertices.begin(), middle), std::span(middle, vertices.end())};
  Cut made;
  if (middle - low_end <= high_begin - middle) {
    made.vertices.assign(low_end, middle);
    halves[0] = {vertices.begin(), low_end};
  } else {
    made.vertices.assign(middle, high_begin);
    halves[1] = {high_begin, vertices.end()};
  }
  return made;
}

/// Parts first, then what joins them.
void Dissection::number(const std::vector<Cut>& cuts) {
  std::vector<uint32_t> sequence;
  for (uint32_t c = 0; c < cuts.size(); ++c) {
    if (cuts[c].depth >= part_depth) sequence.push_back(c);
    if (cuts[c].depth == part_depth) parts_.push_back(static_cast<uint32_t>(sequence.size()));
  }
  parts_.insert(parts_.begin(), 0);
  for (uint32_t c = 0; c < cuts.size(); ++c) {
    if (cuts[c].depth < part_depth) sequence.push_back(c);
  }
  std::vector<uint32_t> node_of(cuts.size());
  for (uint32_t k = 0; k < sequence.size(); ++k) node_of[sequence[k]] = k;
  places_.resize(order_.size());
  uint32_t next = 0;
  for (const uint32_t c : sequence) {
    Node node;
    node.first = next;
    node.count = static_cast<uint32_t>(cuts[c].vertices.size());
    for (const uint32_t child : cuts[c].children) node.children.push_back(node_of[child]);
    for (const uint32_t v : cuts[c].vertices) places_[v] = next++;
    nodes_.push_back(std::move(node));
  }
  for (uint32_t v = 0; v < places_.size(); ++v) order_[places_[v]] = v;
}

void Dissection::find_rows(const CsrMatrix& a) {
  std::vector<uint32_t> rows;
  for (Node& node : nodes_) {
    const uint32_t end = node.first + node.count;
    rows.clear();
    for (uint32_t place = node.first; place < end; ++place) {
      const uint32_t v = order_[place];
      for (uint32_t k = a.offsets[v]; k < a.offsets[v + 1]; ++k) {
        if (places_[a.column_ids[k]] >= end) rows.push_back(places_[a.column_ids[k]]);
      }
    }
    for (const uint32_t child : node.children) {
      for (const uint32_t row : this->rows(nodes_[child])) {
        if (row >= end) rows.push_back(row);
      }
    }
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    node.rows_begin = rows_.size();
    node.rows_count = static_cast<uint32_t>(rows.size());
    node.values_begin = value_count_;
    largest_front_ = std::max(largest_front_, size_t{node.count} + node.rows_count);
    value_count_ += size_t{node.count} * (node.count - (node.count > 0 ? 1 : 0)) / 2 +
                    size_t{node.count} * node.rows_count;
    rows_.insert(rows_.end(), rows.begin(), rows.end());
  }
}

/// The dense work on fronts, which are stored column by column.
class Cholesky::Factorization {
 public:
  Factorization(Cholesky& to, const CsrMatrix& a, const Monitor& monitor)
      : to_(to), d_(to.dissection_), a_(a), left_(d_.nodes().size()), progress_(d_, monitor) {}

  void run() {
    const auto& parts = d_.parts();
    for_each_part(to_.exec_, parts.size() - 1, [&](size_t part) {
      for (uint32_t k = parts[part]; k < parts[part + 1] && !progress_.is_stopped(); ++k)
        eliminate(k, Exec::host(1));
    });
    for (uint32_t k = parts.back(); k < d_.nodes().size() && !progress_.is_stopped(); ++k)
      eliminate(k, to_.exec_);
    progress_.finish();
  }

 private:
  void eliminate(uint32_t index, const Exec& exec) {
    const Dissection::Node& node = d_.nodes()[index];
    const size_t n = size_t{node.count} + node.rows_count;
    std::vector<double> front(n * n, 0);
    assemble(node, front, n);
    factor(node, front, n, exec);
    keep(node, front, n);
    // What is left goes to the parent.
    std::vector<double>& left = left_[index];
    const size_t m = node.rows_count;
    left.resize(m * m);
    for (size_t c = 0; c < m; ++c)
      std::copy_n(front.data() + (node.count + c) * n + node.count, m, left.data() + c * m);
  }

  void assemble(const Dissection::Node& node, std::vector<double>& front, size_t n) {
    const auto rows = d_.rows(node);
    const auto local = [&](uint32_t place) -> size_t {
      if (place < node.first + node.count) return place - node.first;
      return node.count +
             static_cast<size_t>(std::lower_bound(rows.begin(), rows.end(), place) - rows.begin());
    };
    for (uint32_t c = 0; c < node.count; ++c) {
      const uint32_t v = d_.order()[node.first + c];
      for (uint32_t k = a_.offsets[v]; k < a_.offsets[v + 1]; ++k) {
        const uint32_t place = d_.places()[a_.column_ids[k]];
        if (place >= node.first + c) front[c * n + local(place)] += a_.values[k];
      }
      to_.inverse_[node.first + c] = front[c * n + c];  // the diagonal, until it is known
    }
    std::vector<size_t> at;
    for (const uint32_t child : node.children) {
      const auto child_rows = d_.rows(d_.nodes()[child]);
      const size_t m = child_rows.size();
      at.resize(m);
      for (size_t k = 0; k < m; ++k) at[k] = local(child_rows[k]);
      const std::vector<double>& left = left_[child];
      for (size_t c = 0; c < m; ++c) {
        for (size_t r = c; r < m; ++r) front[at[c] * n + at[r]] += left[c * m + r];
      }
      left_[child] = {};
    }
  }

  /// The first columns of the front; the others lose what these explain.
  void factor(const Dissection::Node& node, std::vector<double>& front, size_t n, const Exec& exec) {
    constexpr size_t panel = 32;
    for (size_t begin = 0; begin < node.count; begin += panel) {
      const size_t end = std::min<size_t>(begin + panel, node.count);
      for (size_t j = begin; j < end; ++j) {
        double* column = front.data() + j * n;
        for (size_t q = begin; q < j; ++q) subtract(column, front.data() + q * n, j, n);
        double& inverse = to_.inverse_[node.first + j];
        inverse = column[j] > least_pivot * inverse ? 1 / std::sqrt(column[j]) : 0;
        for (size_t i = j; i < n; ++i) column[i] *= inverse;
      }
      host_for_each(exec, n - end, [&](size_t k) { subtract_panel(front, begin, end, end + k, n); });
      progress_.add(node, end - begin);
    }
  }
  static void subtract(double* column, const double* other, size_t j, size_t n) {
    const double factor = other[j];
    for (size_t i = j; i < n; ++i) column[i] -= factor * other[i];
  }
  static void subtract_panel(std::vector<double>& front, size_t begin, size_t end, size_t c, size_t n) {
    double* __restrict column = front.data() + c * n;
    size_t q = begin;
    for (; q + 4 <= end; q += 4) {
      const double* a0 = front.data() + q * n;
      const double* a1 = a0 + n;
      const double* a2 = a1 + n;
      const double* a3 = a2 + n;
      const double f0 = a0[c], f1 = a1[c], f2 = a2[c], f3 = a3[c];
      for (size_t i = c; i < n; ++i)
        column[i] = column[i] - f0 * a0[i] - f1 * a1[i] - f2 * a2[i] - f3 * a3[i];
    }
    for (; q < end; ++q) subtract(column, front.data() + q * n, c, n);
  }

  void keep(const Dissection::Node& node, const std::vector<double>& front, size_t n) {
    double* to = to_.values_.data() + node.values_begin;
    for (size_t j = 0; j < node.count; ++j) {
      for (size_t i = j + 1; i < n; ++i) *to++ = front[j * n + i];
    }
  }

  Cholesky& to_;
  const Dissection& d_;
  const CsrMatrix& a_;
  std::vector<std::vector<double>> left_;
  FactorProgress progress_;
};

Cholesky::Cholesky(const Exec& exec, const Dissection& dissection, const CsrMatrix& a, const Monitor& monitor)
    : exec_(exec), dissection_(dissection) {
  try {
    allocate(a.rows);
    Factorization(*this, a, monitor).run();
  } catch (const std::bad_alloc&) {
    const size_t front = dissection.largest_front();
    throw Error(ErrorCode::out_of_memory,
                "a direct solution for " + std::to_string(a.rows) + " unknowns needs " +
                    format_bytes(dissection.value_count() * sizeof(double)) + " for its factor and " +
                    format_bytes(front * front * sizeof(double)) +
                    " for its largest front; the machine has no such memory left",
                Remedy::more_memory);
  }
}

/// The largest front, too, for a moment: where that cannot be, nothing is begun.
void Cholesky::allocate(size_t rows) {
  values_.resize(dissection_.value_count());
  inverse_.resize(rows);
  y_.resize(rows);
  const size_t front = dissection_.largest_front();
  const Array<double> largest(front * front);
}

/// The rows of later nodes: those of the same part are written to at once, those that join parts into an
/// array of the part's own.
void Cholesky::forward(uint32_t index, double* joining, std::vector<double>& scratch) {
  const Dissection::Node& node = dissection_.nodes()[index];
  const auto rows = dissection_.rows(node);
  const size_t n = size_t{node.count} + rows.size();
  scratch.assign(n, 0);
  double* w = scratch.data();
  std::copy_n(y_.data() + node.first, node.count, w);
  const double* column = values_.data() + node.values_begin;
  for (size_t j = 0; j < node.count; ++j) {
    const double y = w[j] * inverse_[node.first + j];
    w[j] = y;
    double* below = w + j + 1;
    const size_t size = n - j - 1;
    for (size_t i = 0; i < size; ++i) below[i] -= column[i] * y;
    column += size;
  }
  std::copy_n(w, node.count, y_.data() + node.first);
  const uint32_t first = dissection_.first_joining_column();
  for (size_t r = 0; r < rows.size(); ++r) {
    double& to = joining != nullptr && rows[r] >= first ? joining[rows[r] - first] : y_[rows[r]];
    to += w[node.count + r];
  }
}

void Cholesky::backward(uint32_t index, std::vector<double>& scratch) {
  const Dissection::Node& node = dissection_.nodes()[index];
  const auto rows = dissection_.rows(node);
  const size_t n = size_t{node.count} + rows.size();
  scratch.resize(n);
  double* w = scratch.data();
  std::copy_n(y_.data() + node.first, node.count, w);
  for (size_t r = 0; r < rows.size(); ++r) w[node.count + r] = y_[rows[r]];
  const size_t below_first =
      size_t{node.count} * (node.count - (node.count > 0 ? 1 : 0)) / 2 + size_t{node.count} * rows.size();
  const double* column = values_.data() + node.values_begin + below_first;
  for (size_t j = node.count; j-- > 0;) {
    const size_t size = n - j - 1;
    column -= size;
    if (column - values_.data() > ahead) {  // backward through memory, which is not foreseen
      for (size_t k = 0; k < size; k += 8) __builtin_prefetch(column - ahead + k);
    }
    const double* below = w + j + 1;
    const double all = dot_in_lanes(column, below, size);
    w[j] = (w[j] - all) * inverse_[node.first + j];
  }
  std::copy_n(w, node.count, y_.data() + node.first);
}

void Cholesky::solve(const double* b, double* x) {
  const auto& order = dissection_.order();
  const auto& parts = dissection_.parts();
  const auto nodes = static_cast<uint32_t>(dissection_.nodes().size());
  const uint32_t first = dissection_.first_joining_column();
  host_for_each(exec_, order.size(), [&](size_t k) { y_[k] = b[order[k]]; });
  std::vector<std::vector<double>> joining(parts.size() - 1);
  for_each_part(exec_, joining.size(), [&](size_t part) {
    std::vector<double> scratch;
    joining[part].assign(order.size() - first, 0);
    for (uint32_t k = parts[part]; k < parts[part + 1]; ++k) forward(k, joining[part].data(), scratch);
  });
  for (const std::vector<double>& values : joining) {
    for (size_t k = 0; k < values.size(); ++k) y_[first + k] += values[k];
  }
  std::vector<double> scratch;
  for (uint32_t k = parts.back(); k < nodes; ++k) forward(k, nullptr, scratch);
  for (uint32_t k = nodes; k-- > parts.back();) backward(k, scratch);
  for_each_part(exec_, joining.size(), [&](size_t part) {
    std::vector<double> own;
    for (uint32_t k = parts[part + 1]; k-- > parts[part];) backward(k, own);
  });
  host_for_each(exec_, order.size(), [&](size_t k) { x[order[k]] = y_[k]; });
}

}  // namespace tessera::detail
