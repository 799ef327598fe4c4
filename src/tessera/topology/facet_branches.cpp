#include <tessera/topology/facet_branches.h>

namespace tessera {
namespace {

using std::size_t;
using std::uint32_t;
using std::uint64_t;

/// Looks at the facets below a vertex: those in which it is the highest.
template <int Dim>
class FacetCounter {
 public:
  /// Does any of them have more than two cells? Neighbours are numbered; a row of bits each says with whom
  /// they share one cell, two cells, more.
  template <class Stars>
  [[nodiscard]] bool has_crowded_facet(const Stars& stars) {
    begin(stars.vertex_count());
    bool is_crowded = false;
    for (const auto& cell : stars.star()) {
      std::array<uint32_t, Dim> lower;
      uint32_t count = 0;
      uint64_t bits = 0;
      for (const uint32_t local : cell.others) {
        if (!(stars.order(local) < stars.order(stars.own()))) continue;
        const uint32_t n = number(local);
        if (n >= 64) return true;  // too many to say: looked at one by one
        lower[count++] = n;
        bits |= uint64_t{1} << n;
      }
      if (count + 1 < Dim) continue;
      for (uint32_t k = 0; k < count; ++k) is_crowded |= !add(lower[k], bits & ~(uint64_t{1} << lower[k]));
    }
    return is_crowded;
  }

  /// Adds the branches of cells in which the vertex is the highest.
  template <class Stars>
  void find(const Stars& stars, const Gradient<Dim>& gradient, std::vector<Branch>& branches) const {
    for (const auto& own : stars.star()) {
      const uint32_t cell = stars.cell_id(own.cell);
      const auto& corners = gradient.tiles().cells()[cell];
      const auto is_above = [&](VertexId corner) {
        return gradient.order()[stars.center()] < gradient.order()[corner];
      };
      if (gradient.opposite(cell) == Gradient<Dim>::critical) continue;
      if (std::any_of(corners.begin(), corners.end(), is_above)) continue;
      Branch branch{cell, {}};
      for (const auto& other : stars.star()) {
        const uint32_t id = stars.cell_id(other.cell);
        if (id != cell && has_facet(gradient.tiles().cells()[id], corners, gradient.opposite(cell))) {
          branch.others.push_back(id);
        }
      }
      std::sort(branch.others.begin(), branch.others.end());
      if (branch.others.size() > 1) branches.push_back(std::move(branch));
    }
  }

 private:
  using Cell = typename TiledMesh<Dim>::Cell;

  static bool has_facet(const Cell& cell, const Cell& corners, size_t opposite) {
    for (size_t k = 0; k <= Dim; ++k) {
      if (k != opposite && std::find(cell.begin(), cell.end(), corners[k]) == cell.end()) return false;
    }
    return true;
  }

  void begin(size_t vertices) {
    if (stamps_.size() < vertices) stamps_.resize(vertices, 0), numbers_.resize(vertices);
    ++stamp_;
    count_ = 0;
  }

  uint32_t number(uint32_t local) {
    if (stamps_[local] == stamp_) return numbers_[local];
    stamps_[local] = stamp_;
    if (count_ < 64) once_[count_] = twice_[count_] = 0;
    return numbers_[local] = count_++;
  }

  /// False if it is the third cell with one of these facets.
  bool add(uint32_t n, uint64_t others) {
    if constexpr (Dim == 2) others = uint64_t{1} << n;  // the facet is the edge itself
    const bool is_third = (twice_[n] & others) != 0;
    twice_[n] |= once_[n] & others;
    once_[n] |= others;
    return !is_third;
  }

  uint64_t stamp_ = 0;
  uint32_t count_ = 0;
  std::vector<uint64_t> stamps_;
  std::vector<uint32_t> numbers_;
  std::array<uint64_t, 64> once_;
  std::array<uint64_t, 64> twice_;
};

}  // namespace

template <int Dim>
std::vector<Branch> find_branches(const Gradient<Dim>& gradient, const TopologyOptions<Dim>& options) {
  const Exec exec = Exec::host(options.exec.threads());
  struct Worker {
    FacetCounter<Dim> counter;
    std::vector<Branch> found;
  };
  std::vector<Worker> workers(static_cast<size_t>(exec.threads()));
  for_each_star(gradient.tiles(), gradient.order(), options.rows, exec, options.monitor,
                [&](int index, const auto& stars) {
                  Worker& worker = workers[static_cast<size_t>(index)];
                  if (!worker.counter.has_crowded_facet(stars)) return;
                  worker.counter.find(stars, gradient, worker.found);
                });
  std::vector<Branch> branches;
  for (Worker& worker : workers) {
    branches.insert(branches.end(), std::make_move_iterator(worker.found.begin()),
                    std::make_move_iterator(worker.found.end()));
  }
  std::sort(branches.begin(), branches.end(),
            [](const Branch& a, const Branch& b) { return a.cell < b.cell; });
  return branches;
}

template std::vector<Branch> find_branches(const Gradient<2>&, const TopologyOptions<2>&);
template std::vector<Branch> find_branches(const Gradient<3>&, const TopologyOptions<3>&);

}  // namespace tessera
