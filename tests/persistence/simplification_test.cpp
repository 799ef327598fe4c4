// The simplified complex is one of its own: its cells, paths and labels agree with each other and with the
// pairs that are left.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include <tessera/topology/order.h>
#include <tessera/topology/simplification.h>

#include "persistence/meshes.h"
#include "persistence/stop_everywhere.h"

namespace tessera {
namespace {

using test::Sample;

template <int Dim>
struct Case {
  explicit Case(const SimplexMesh<Dim>& a_mesh, const Field& a_field, const TileOptions& options = {})
      : mesh(a_mesh),
        field(a_field),
        tiles(tile(mesh, options)),
        order(compute_order(tiles, field)),
        complex(morse_smale(tiles, field)),
        persistence(compute_persistence(complex.gradient, field)) {}

  [[nodiscard]] std::span<const CriticalCell> cells(int dimension) const {
    return complex.gradient.critical_cells(dimension);
  }
  [[nodiscard]] std::set<std::uint32_t> vertices(const CellName& cell) const {
    const auto simplex = complex.gradient.simplex(cell);
    std::set<std::uint32_t> ids;
    for (std::size_t k = 0; k < simplex.size; ++k) ids.insert(simplex.vertices[k].index());
    return ids;
  }
  /// Place in the filtration of a critical cell.
  [[nodiscard]] std::vector<VertexOrderKey> key(int dimension, std::uint32_t number) const {
    std::vector<VertexOrderKey> orders;
    for (const std::uint32_t v : vertices(cells(dimension)[number].name))
      orders.push_back(order[tiles.tiled(VertexId(v))]);
    std::sort(orders.rbegin(), orders.rend());
    return orders;
  }

  const SimplexMesh<Dim>& mesh;
  const Field& field;
  TiledMesh<Dim> tiles;
  OrderArray order;
  MorseSmaleComplex<Dim> complex;
  Persistence persistence;
};

bool is_below(const PersistencePair& pair, double threshold) {
  return pair.is_finite() && pair.persistence() < threshold;
}

/// Of a dimension, those that are not to be cancelled.
std::size_t count_left(const Persistence& persistence, std::uint32_t dimension, double threshold) {
  return static_cast<std::size_t>(std::count_if(
      persistence.pairs.begin(), persistence.pairs.end(),
      [&](const auto& pair) { return pair.dimension == dimension && !is_below(pair, threshold); }));
}

/// Both cells of a pair are there or both are gone, gone ones were below the threshold, and those that stayed
/// all the same are counted.
template <int Dim>
void check_cells(const Case<Dim>& c, const SimplifiedComplex& s) {
  std::size_t kept = 0;
  for (const PersistencePair& pair : c.persistence.pairs) {
    const bool is_left = s.is_left(static_cast<int>(pair.dimension), pair.birth);
    if (pair.is_finite()) {
      EXPECT_EQ(s.is_left(static_cast<int>(pair.dimension) + 1, pair.death), is_left);
    }
    if (!is_below(pair, s.threshold)) {
      EXPECT_TRUE(is_left);
    } else if (pair.dimension == 0) {
      EXPECT_FALSE(is_left);
    }
    kept += is_left && is_below(pair, s.threshold) ? 1 : 0;
  }
  EXPECT_EQ(s.kept, kept);
  EXPECT_EQ(s.critical[0].size(), count_left(c.persistence, 0, s.threshold));
}

/// Paths lead from cell to cell, each a face of the next or the other way round, and none twice.
template <int Dim>
void check_paths(const Case<Dim>& c, const SimplifiedComplex& s) {
  const Separatrices& all = s.separatrices;
  std::array<std::size_t, 3> count = {};
  ASSERT_EQ(all.offsets.size(), all.ends.size() + 1);
  for (std::size_t i = 0; i < all.ends.size(); ++i) {
    const auto& ends = all.ends[i];
    ++count[static_cast<std::size_t>(ends.type)];
    const int from = ends.type == SeparatrixType::ascending ? Dim - 1 : 1;
    const int to = ends.type == SeparatrixType::descending  ? 0
                   : ends.type == SeparatrixType::connector ? 2
                                                            : Dim;
    EXPECT_TRUE(s.is_left(from, ends.source));
    EXPECT_TRUE(s.is_left(to, ends.destination));
    const auto path = all.path(i);
    EXPECT_EQ(path.front(), c.cells(from)[ends.source].name);
    EXPECT_EQ(path.back(), c.cells(to)[ends.destination].name);
    std::set<std::set<std::uint32_t>> seen = {c.vertices(path[0])};
    for (std::size_t k = 1; k < path.size(); ++k) {
      const auto a = c.vertices(path[k - 1]);
      const auto b = c.vertices(path[k]);
      EXPECT_EQ(std::max(a.size(), b.size()) - std::min(a.size(), b.size()), 1u);
      EXPECT_TRUE(std::includes(a.begin(), a.end(), b.begin(), b.end()) ||
                  std::includes(b.begin(), b.end(), a.begin(), a.end()));
      EXPECT_TRUE(seen.insert(b).second);
    }
  }
  EXPECT_EQ(all.counts, count);
  EXPECT_EQ(count[0], 2 * s.critical[1].size());
}

/// Labels name extrema that are left, all of a path's vertices have the label of its end.
template <int Dim>
void check_labels(const Case<Dim>& c, const SimplifiedComplex& s) {
  const Segmentation& labels = s.segmentation;
  std::set<std::int32_t> minima;
  std::set<std::int32_t> maxima;
  std::map<std::pair<std::int32_t, std::int32_t>, std::set<std::int32_t>> regions;
  for (std::size_t v = 0; v < labels.descending.size(); ++v) {
    minima.insert(labels.descending[v]);
    if (labels.ascending[v] >= 0) maxima.insert(labels.ascending[v]);
    EXPECT_EQ(labels.morse_smale[v] >= 0, labels.ascending[v] >= 0);
    if (labels.ascending[v] >= 0)
      regions[{labels.descending[v], labels.ascending[v]}].insert(labels.morse_smale[v]);
  }
  for (const std::int32_t label : minima) EXPECT_TRUE(s.is_left(0, static_cast<std::uint32_t>(label)));
  for (const std::int32_t label : maxima) EXPECT_TRUE(s.is_left(Dim, static_cast<std::uint32_t>(label)));
  EXPECT_EQ(labels.count, (Segmentation::Counts{maxima.size(), minima.size(), regions.size()}));
  std::int32_t next = 0;
  for (const auto& [extrema, numbers] : regions) EXPECT_EQ(numbers, std::set<std::int32_t>{next++});
  std::map<std::uint32_t, std::vector<std::size_t>> vertices_of;  // by the cell that gives them their label
  std::set<std::uint32_t> seen;
  for (std::uint32_t cell = 0; cell < c.mesh.cell_count(); ++cell) {
    for (const VertexId v : c.mesh.cells[cell]) {
      if (seen.insert(v.index()).second) vertices_of[cell].push_back(v.index());
    }
  }
  for (std::size_t i = 0; i < s.separatrices.ends.size(); ++i) {
    const auto& ends = s.separatrices.ends[i];
    for (const CellName& cell : s.separatrices.path(i)) {
      if (ends.type == SeparatrixType::descending && cell.dimension == 0) {
        EXPECT_EQ(labels.descending[c.complex.gradient.simplex(cell).vertices[0].index()],
                  static_cast<std::int32_t>(ends.destination));
      } else if (ends.type == SeparatrixType::ascending && cell.dimension == Dim) {
        for (const std::size_t v : vertices_of[c.complex.gradient.top_cell(cell).index()])
          EXPECT_EQ(labels.ascending[v], static_cast<std::int32_t>(ends.destination));
      }
    }
  }
}

/// What separatrices join, from the saddles that come first on, gives the pairs that are left.
template <int Dim>
void check_merging(const Case<Dim>& c, const SimplifiedComplex& s, SeparatrixType type) {
  const bool is_down = type == SeparatrixType::descending;
  const int saddle_dimension = is_down ? 1 : Dim - 1;
  const int extremum_dimension = is_down ? 0 : Dim;
  std::vector<std::uint32_t> saddles = s.critical[static_cast<std::size_t>(saddle_dimension)];
  std::sort(saddles.begin(), saddles.end(), [&](auto a, auto b) {
    return (c.key(saddle_dimension, a) < c.key(saddle_dimension, b)) == is_down && a != b;
  });
  constexpr std::uint32_t outside = 0xFFFFFFFFu;
  std::map<std::uint32_t, std::uint32_t> leader = {{outside, outside}};
  for (const std::uint32_t i : s.critical[static_cast<std::size_t>(extremum_dimension)]) leader[i] = i;
  const auto find = [&](std::uint32_t i) {
    while (leader[i] != i) i = leader[i];
    return i;
  };
  std::set<std::pair<std::uint32_t, std::uint32_t>> found;
  for (const std::uint32_t saddle : saddles) {
    std::vector<std::uint32_t> ends;
    for (const auto& e : s.separatrices.ends) {
      if (e.type == type && e.source == saddle) ends.push_back(find(e.destination));
    }
    ends.resize(2, outside);
    if (find(ends[0]) == find(ends[1])) continue;
    std::sort(ends.begin(), ends.end(), [&](auto a, auto b) {
      if (a == outside || b == outside) return b == outside && a != outside;
      return (c.key(extremum_dimension, a) < c.key(extremum_dimension, b)) != is_down;
    });  // the one that dies first
    leader[ends[0]] = ends[1];
    found.emplace(ends[0], saddle);
  }
  std::set<std::pair<std::uint32_t, std::uint32_t>> expected;
  for (const PersistencePair& pair : c.persistence.pairs) {
    if (!pair.is_finite() || is_below(pair, s.threshold)) continue;
    if (is_down && pair.dimension == 0) expected.emplace(pair.birth, pair.death);
    if (!is_down && pair.dimension == Dim - 1) expected.emplace(pair.death, pair.birth);
  }
  EXPECT_EQ(found, expected);
}

template <int Dim>
bool is_manifold(const SimplexMesh<Dim>& mesh) {
  std::map<std::vector<std::uint32_t>, int> cells;
  for (const auto& cell : mesh.cells) {
    for (std::size_t k = 0; k <= Dim; ++k) {
      std::vector<std::uint32_t> facet;
      for (std::size_t j = 0; j <= Dim; ++j) {
        if (j != k) facet.push_back(cell[j].index());
      }
      std::sort(facet.begin(), facet.end());
      if (++cells[facet] > 2) return false;
    }
  }
  return true;
}

template <int Dim>
void check_all(const SimplexMesh<Dim>& mesh, const Field& field) {
  const Case<Dim> c(mesh, field);
  for (const double part : {0.0, 0.02, 0.1, 0.3, 1.0, std::numeric_limits<double>::infinity()}) {
    const double threshold = std::isinf(part) ? part : c.persistence.part_of_range(part);
    SCOPED_TRACE(threshold);
    const SimplifiedComplex s = simplify(c.complex, c.persistence, threshold);
    check_cells(c, s);
    check_paths(c, s);
    check_labels(c, s);
    check_merging(c, s, SeparatrixType::descending);
    if (!is_manifold(mesh)) continue;
    check_merging(c, s, SeparatrixType::ascending);
    EXPECT_EQ(s.critical[Dim].size(), c.persistence.essential[Dim] +
                                          count_left(c.persistence, Dim - 1, threshold) -
                                          c.persistence.essential[Dim - 1]);
    if (std::isinf(part)) {
      for (std::size_t d = 0; d <= Dim; ++d) {
        const bool is_saddle = Dim == 3 && (d == 1 || d == 2);
        EXPECT_EQ(s.critical[d].size(), c.persistence.essential[d] + (is_saddle ? s.kept : 0));
      }
      if (Dim == 2) {
        EXPECT_EQ(s.kept, 0u);
      }
    }
  }
}

TEST(Simplification, SurfacesStayConsistent) {
  for (const Sample<2>& sample : test::make_surfaces()) {
    for (const Field& field : test::make_fields(sample.mesh, 17)) {
      SCOPED_TRACE(sample.name);
      check_all(sample.mesh, field);
    }
  }
}

TEST(Simplification, SolidsStayConsistent) {
  for (const Sample<3>& sample : test::make_solids()) {
    for (const Field& field : test::make_fields(sample.mesh, 18)) {
      SCOPED_TRACE(sample.name);
      check_all(sample.mesh, field);
    }
  }
}

TEST(Simplification, RoughFieldsStayConsistent) {
  const TetMesh solid = make_kuhn(9);
  check_all(solid, make_wave_field(solid.points, WaveField::rough));
  const TriMesh surface = make_ico(3);
  check_all(surface, make_wave_field(surface.points, WaveField::rough));
}

/// Nothing is below a threshold of 0 (and less), not even pairs that do not persist.
TEST(Simplification, ThresholdZeroChangesNothing) {
  const auto check = []<int Dim>(const SimplexMesh<Dim>& mesh) {
    const Field field = test::make_levels(mesh.vertex_count(), 20, 1);
    const Case<Dim> c(mesh, field);
    const CriticalPoints points = critical_points(c.tiles, field);
    for (const double threshold : {0.0, -1.0}) {
      const SimplifiedComplex s = simplify(c.complex, c.persistence, threshold);
      for (int d = 0; d <= Dim; ++d) {
        EXPECT_EQ(s.critical[static_cast<std::size_t>(d)].size(), c.cells(d).size());
      }
      EXPECT_EQ(s.separatrices.ends, c.complex.separatrices.ends);
      EXPECT_EQ(s.separatrices.offsets, c.complex.separatrices.offsets);
      EXPECT_EQ(s.separatrices.cells, c.complex.separatrices.cells);
      EXPECT_EQ(s.separatrices.counts, c.complex.separatrices.counts);
      EXPECT_EQ(s.segmentation.ascending, c.complex.segmentation.ascending);
      EXPECT_EQ(s.segmentation.descending, c.complex.segmentation.descending);
      EXPECT_EQ(s.segmentation.morse_smale, c.complex.segmentation.morse_smale);
      EXPECT_EQ(s.segmentation.count, c.complex.segmentation.count);
      EXPECT_EQ(s.kept, 0u);
      EXPECT_EQ(filter_critical_points(points, c.complex.gradient, s).points, points.points);
    }
  };
  check(make_kuhn(9));
  check(make_torus(12, 9));
  check(make_height_field(15, 10));
  check(test::make_random_cells<3>(12, 40, 3));
}

/// Critical edges below each critical triangle modulo two, followed cell by cell through what the gradient
/// says each is paired with.
class BoundaryOracle {
 public:
  explicit BoundaryOracle(const Case<3>& c) : c_(c) {
    for (std::uint32_t i = 0; i < c.cells(1).size(); ++i) numbers_[c.vertices(c.cells(1)[i].name)] = i;
  }
  std::set<std::uint32_t> below(const std::set<std::uint32_t>& triangle,
                                const std::set<std::uint32_t>& not_back) {
    std::set<std::uint32_t> sum;
    for (const std::uint32_t left_out : triangle) {
      std::set<std::uint32_t> edge = triangle;
      edge.erase(left_out);
      if (edge != not_back) add(sum, at_edge(edge));
    }
    return sum;
  }
  static void add(std::set<std::uint32_t>& sum, const std::set<std::uint32_t>& other) {
    for (const std::uint32_t i : other) {
      if (!sum.insert(i).second) sum.erase(i);
    }
  }

 private:
  std::set<std::uint32_t> at_edge(const std::set<std::uint32_t>& edge) {
    const auto known = known_.find(edge);
    if (known != known_.end()) return known->second;
    std::vector<VertexId> ids;
    for (const std::uint32_t v : edge) ids.push_back(VertexId(v));
    const auto partner = c_.complex.gradient.partner(ids);
    if (!partner.has_value()) return known_[edge] = {numbers_.at(edge)};
    if (partner->size == 1) return known_[edge] = {};
    std::set<std::uint32_t> triangle;
    for (const VertexId v : std::span(partner->vertices).first(3)) triangle.insert(v.index());
    auto found = below(triangle, edge);
    return known_[edge] = std::move(found);
  }

  const Case<3>& c_;
  std::map<std::set<std::uint32_t>, std::uint32_t> numbers_;
  std::map<std::set<std::uint32_t>, std::set<std::uint32_t>> known_;
};

/// Cancelling is elimination in the boundary matrix of critical cells; where that has an entry, there is an
/// odd number of paths, so a connector.
TEST(Simplification, ConnectorsAgreeWithTheBoundaryMatrix) {
  const TetMesh mesh = make_shuffled(make_kuhn(9));
  const Field field = make_wave_field(mesh.points, WaveField::rough);
  const Case<3> c(mesh, field);
  BoundaryOracle oracle(c);
  std::vector<std::set<std::uint32_t>> matrix;
  for (const CriticalCell& triangle : c.cells(2))
    matrix.push_back(oracle.below(c.vertices(triangle.name), {}));
  for (const double part : {0.0, 0.05, 0.3, 2.0}) {
    const SimplifiedComplex s = simplify(c.complex, c.persistence, c.persistence.part_of_range(part));
    auto left = matrix;
    std::size_t cancelled = 0;
    for (const PersistencePair& pair : c.persistence.pairs) {
      if (pair.dimension != 1 || !pair.is_finite() || s.is_left(1, pair.birth)) continue;
      ++cancelled;
      std::size_t pivot = 0;  // any row of a cancelled triangle that has the edge
      for (const PersistencePair& other : c.persistence.pairs) {
        const bool is_gone = other.dimension == 1 && other.is_finite() && !s.is_left(1, other.birth);
        if (is_gone && left[other.death].contains(pair.birth)) pivot = other.death + 1;
      }
      ASSERT_GT(pivot, 0u);
      const auto row = left[pivot - 1];
      for (auto& other : left) {
        if (other.contains(pair.birth)) BoundaryOracle::add(other, row);
      }
    }
    std::set<std::pair<std::uint32_t, std::uint32_t>> connected;
    for (const auto& ends : s.separatrices.ends) {
      if (ends.type == SeparatrixType::connector) connected.emplace(ends.source, ends.destination);
    }
    std::size_t entries = 0;
    for (const std::uint32_t triangle : s.critical[2]) {
      for (const std::uint32_t edge : left[triangle]) {
        if (!s.is_left(1, edge)) continue;  // cancelled with a minimum
        ++entries;
        EXPECT_TRUE(connected.contains({edge, triangle})) << edge << " " << triangle;
      }
    }
    EXPECT_EQ(cancelled == 0, part == 0.0);
    EXPECT_TRUE(entries > 0 || part > 1);
  }
}

template <int Dim>
void check_independence(const SimplexMesh<Dim>& mesh, const Field& field) {
  const auto run = [&](const TileOptions& tiling, int threads) {
    const Case<Dim> c(mesh, field, tiling);
    const auto s =
        simplify(c.complex, c.persistence, c.persistence.part_of_range(0.1), {.exec = Exec::host(threads)});
    std::vector<std::set<std::uint32_t>> paths;
    for (const CellName& cell : s.separatrices.cells) paths.push_back(c.vertices(cell));
    return std::tuple{s.critical, s.separatrices.ends, paths, s.segmentation.morse_smale, s.kept};
  };
  const auto expected = run({}, 1);
  for (const std::uint32_t size : {5u, 90u}) {
    for (const VertexOrder order : {VertexOrder::input, VertexOrder::morton}) {
      for (const int threads : {1, 3})
        EXPECT_EQ(run({.max_vertices = size, .order = order}, threads), expected);
    }
  }
}

TEST(Simplification, IsIndependentOfTilesAndThreads) {
  const TetMesh solid = make_shuffled(make_kuhn(10));
  check_independence(solid, make_wave_field(solid.points, WaveField::rough));
  const auto crowded = test::make_random_cells<3>(30, 150, 2);
  check_independence(crowded, test::make_levels(30, 15, 2));
  const auto fans = test::make_random_cells<2>(30, 120, 3);
  check_independence(fans, test::make_levels(30, 40, 3));
}

TEST(Simplification, SimplifiesOnlyWhatIsThere) {
  const TetMesh mesh = make_kuhn(9);
  const Field field = make_wave_field(mesh.points, WaveField::rough);
  const TiledMesh<3> tiles = tile(mesh);
  const auto complex = morse_smale(tiles, field, {.connectors = false, .segmentation = false});
  const auto persistence = compute_persistence(complex.gradient, field);
  const auto s = simplify(complex, persistence, persistence.part_of_range(0.05));
  EXPECT_EQ(s.separatrices.count(SeparatrixType::connector), 0u);
  EXPECT_GT(s.separatrices.count(SeparatrixType::descending), 0u);
  EXPECT_TRUE(s.segmentation.descending.empty());
}

/// Points are left where cells are; their number falls with the threshold.
TEST(Simplification, CriticalPointsFollowTheirCells) {
  const TriMesh mesh = make_torus(30, 20);
  const Field field = make_wave_field(mesh.points, WaveField::rough);
  const Case<2> c(mesh, field);
  const CriticalPoints points = critical_points(c.tiles, field);
  const auto s = simplify(c.complex, c.persistence, c.persistence.part_of_range(0.1));
  const CriticalPoints left = filter_critical_points(points, c.complex.gradient, s);
  EXPECT_EQ(left.minima(), s.critical[0].size());
  EXPECT_EQ(left.maxima(), s.critical[2].size());
  EXPECT_LT(left.points.size(), points.points.size());
  const auto last = simplify(c.complex, c.persistence, HUGE_VAL);
  const CriticalPoints four = filter_critical_points(points, c.complex.gradient, last);
  EXPECT_EQ(four.counts, (std::array<std::size_t, 5>{1, 2, 0, 1, 0}));
}

TEST(Simplification, StopsWhereverItIsAskedTo) {
  const TetMesh mesh = make_kuhn(14);
  const Field field = make_wave_field(mesh.points, WaveField::rough);
  const Case<3> c(mesh, field);
  for (const int threads : {1, 2}) {
    const auto work = [&](const Monitor* monitor) {
      (void)simplify(c.complex, c.persistence, HUGE_VAL, {.exec = Exec::host(threads), .monitor = monitor});
    };
    test::stop_everywhere(work, 8);
    test::stop_at_some_time(work);
  }
}

TEST(Simplification, RefusesWhatIsNotOfTheComplex) {
  const TriMesh mesh = make_small_surface("octahedron");
  const Field field = test::make_levels(mesh.vertex_count(), 5, 1);
  const Case<2> c(mesh, field);
  const auto expect_refused = [](const auto& complex, const Persistence& persistence, double threshold) {
    try {
      (void)simplify(complex, persistence, threshold);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_option) << error.what();
    }
  };
  expect_refused(c.complex, c.persistence, std::nan(""));
  expect_refused(morse_smale(mesh, field, {.keep_paths = false}), c.persistence, 1);
  const TriMesh other = make_torus(12, 9);
  expect_refused(c.complex, compute_persistence(other, make_wave_field(other.points, WaveField::rough)), 1);
}

}  // namespace
}  // namespace tessera
