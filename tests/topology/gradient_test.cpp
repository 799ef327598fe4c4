// What must hold for a discrete gradient whatever the field: it is one, it has the mesh's homology, and on
// manifolds its critical cells are the changes of homology of the lower links.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "topology/meshes.h"
#include "topology/morse_oracle.h"

namespace tessera {
namespace {

using namespace testing;
using oracle::Cells;

/// A gradient as the library has it, in tuples, with the complex it is on.
template <int Dim>
struct Found {
  Found(const SimplexMesh<Dim>& mesh, const Field& field)
      : cells(mesh),
        tiles(tile(mesh, {.max_vertices = 20, .exec = Exec::host(1)})),
        gradient(compute_gradient(tiles, field, {.exec = Exec::host(1)})) {
    for (const auto& level : critical_cells_of(gradient)) {
      critical.insert(level.begin(), level.end());
      counts.push_back(static_cast<int>(level.size()));
    }
    for (const auto& [low, high] : pairs_of(gradient)) up[low] = high;
  }

  Cells cells;
  TiledMesh<Dim> tiles;
  Gradient<Dim> gradient;
  std::set<Simplex> critical;
  std::vector<int> counts;        ///< of critical cells by dimension
  std::map<Simplex, Simplex> up;  ///< from a facet to the cell it is paired with
};

/// Every cell is critical or in exactly one pair, and pairs are facets with their cofaces.
template <int Dim>
void expect_matching(const Found<Dim>& found) {
  std::multiset<Simplex> used(found.critical.begin(), found.critical.end());
  for (const auto& [low, high] : found.up) {
    const auto facets = oracle::facets_of(high);
    EXPECT_NE(std::find(facets.begin(), facets.end(), low), facets.end());
    used.insert(low);
    used.insert(high);
  }
  std::multiset<Simplex> all;
  for (const auto& level : found.cells.simplices) all.insert(level.begin(), level.end());
  EXPECT_EQ(used, all);
}

/// No path along pairs comes back to where it began: depth-first search with colours.
template <int Dim>
void expect_acyclic(const Found<Dim>& found) {
  enum class State { entered, left };
  std::map<Simplex, State> states;
  const std::function<bool(const Simplex&)> is_free = [&](const Simplex& low) {
    const auto pair = found.up.find(low);
    if (pair == found.up.end()) return true;
    const auto [at, is_new] = states.emplace(low, State::entered);
    if (!is_new) return at->second == State::left;
    for (const Simplex& next : oracle::facets_of(pair->second)) {
      if (next != low && !is_free(next)) return false;
    }
    states[low] = State::left;
    return true;
  };
  for (const auto& [low, high] : found.up) ASSERT_TRUE(is_free(low));
}

/// Critical cells that are reached from a cell along an odd number of paths.
class Flow {
 public:
  Flow(const std::set<Simplex>& critical, const std::map<Simplex, Simplex>& up)
      : critical_(critical), up_(up) {}

  [[nodiscard]] std::set<Simplex> boundary(const Simplex& cell) {
    std::set<Simplex> ends;
    for (const Simplex& facet : oracle::facets_of(cell)) add(ends, below(facet));
    return ends;
  }

 private:
  static void add(std::set<Simplex>& sum, const std::set<Simplex>& ends) {
    for (const Simplex& end : ends) {
      if (!sum.insert(end).second) sum.erase(end);
    }
  }
  const std::set<Simplex>& below(const Simplex& cell) {
    const auto known = ends_.find(cell);
    if (known != ends_.end()) return known->second;
    std::set<Simplex> ends;
    if (critical_.contains(cell)) ends.insert(cell);
    const auto pair = up_.find(cell);
    if (pair != up_.end()) {
      for (const Simplex& next : oracle::facets_of(pair->second)) {
        if (next != cell) add(ends, below(next));
      }
    }
    return ends_[cell] = ends;
  }

  const std::set<Simplex>& critical_;
  const std::map<Simplex, Simplex>& up_;
  std::map<Simplex, std::set<Simplex>> ends_;
};

/// The Morse complex over Z2: its boundary's boundary is empty and its homology that of the mesh. Euler's
/// formula and Morse's inequalities follow, and are checked for themselves.
template <int Dim>
void expect_homology(const Found<Dim>& found) {
  std::vector<std::map<Simplex, std::size_t>> numbers(Dim + 1);
  for (const Simplex& cell : found.critical) {
    auto& level = numbers[cell.size() - 1];
    level.emplace(cell, level.size());
  }
  Flow flow(found.critical, found.up);
  std::vector<std::vector<std::set<std::size_t>>> boundary(Dim + 1);
  for (std::size_t d = 0; d <= Dim; ++d) {
    for (const auto& [cell, number] : numbers[d]) {
      auto& column = boundary[d].emplace_back();
      std::map<Simplex, int> twice;
      for (const Simplex& end : flow.boundary(cell)) {
        column.insert(numbers[d - 1].at(end));
        for (const Simplex& next : flow.boundary(end)) ++twice[next];
      }
      for (const auto& [next, times] : twice) EXPECT_EQ(times % 2, 0);
    }
  }
  const auto betti = oracle::betti_numbers(found.cells.simplices);
  EXPECT_EQ(oracle::betti_numbers(boundary), betti);

  int euler = 0;
  int sum = 0;  // alternating from dimension d down
  for (std::size_t d = 0; d <= Dim; ++d) {
    EXPECT_GE(found.counts[d], static_cast<int>(betti[d]));
    sum = found.counts[d] - static_cast<int>(betti[d]) - sum;
    EXPECT_GE(sum, 0);
    euler += (d % 2 == 0 ? 1 : -1) * found.counts[d];
  }
  EXPECT_EQ(sum, 0);
  EXPECT_EQ(euler, found.cells.euler());
}

/// partner() of every cell, its vertices turned round, against the oracle.
template <int Dim>
void expect_partners(const Found<Dim>& found, const Field& field) {
  const auto expected = oracle::LowerStars(found.cells, oracle::ranks_of(field)).run();
  for (const auto& level : found.cells.simplices) {
    for (const Simplex& simplex : level) {
      std::vector<VertexId> vertices;
      for (const std::uint32_t v : simplex) vertices.insert(vertices.begin(), VertexId(v));
      const auto partner = found.gradient.partner(vertices);
      ASSERT_EQ(partner.has_value(), !expected.critical.contains(simplex));
      if (!partner) continue;
      ASSERT_EQ(to_simplex<Dim>(*partner), expected.partner.at(simplex));
    }
  }
}

template <int Dim>
void check(const SimplexMesh<Dim>& mesh, const Field& field) {
  const Found<Dim> found(mesh, field);
  expect_matching(found);
  expect_acyclic(found);
  expect_homology(found);
  expect_partners(found, field);
}

template <int Dim>
void check_fields(const SimplexMesh<Dim>& mesh) {
  check(mesh, make_random_field(mesh.vertex_count(), 1));
  check(mesh, make_tied_field(mesh.vertex_count(), 3, 2));
  check(mesh, Field("constant", Array<std::uint16_t>(mesh.vertex_count(), 1)));
}

TEST(Gradient, IsOneOnSmallMeshes) {
  for (const char* name : small_solids) {
    SCOPED_TRACE(name);
    check_fields(make_small_solid(name));
  }
  for (const char* name : small_surfaces) {
    SCOPED_TRACE(name);
    check_fields(make_small_surface(name));
  }
  check(TetMesh{}, Field("f", Array<float>{}));
  check(make_mesh<2>(2, {}), Field("f", Array<float>{0, 0}));
}

TEST(Gradient, IsOneOnManifolds) {
  check_fields(make_kuhn(6));
  check_fields(make_shuffled(make_kuhn_full(4)));
  check_fields(make_shuffled(make_torus(9, 7)));
  check_fields(make_height_field(7, 8));
  check_fields(make_ico(1));
  check_fields(make_sphere3(4, 6));
  check_fields(make_torus3(3));
  check_fields(make_ball(12, 6));
}

TEST(Gradient, IsOneOnRandomComplexes) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    check_fields(oracle::random_mesh<3>(9 + seed, 8 + 5 * seed, 100 + seed));
    check_fields(oracle::random_mesh<2>(9 + seed, 8 + 3 * seed, 100 + seed));
  }
  check_fields(make_complete<3>(10));
}

// Partners beyond the 254th lower neighbour are kept aside.
TEST(Gradient, PartnersInLargeStars) {
  for (const std::uint64_t seed : {1u, 2u}) {
    const TetMesh ball = make_ball(30, 10);
    const Field on_ball = make_peak_field(ball.vertex_count(), 0, seed);
    expect_partners(Found<3>(ball, on_ball), on_ball);
    const TriMesh fan = make_fan(400, true);
    const Field on_fan = make_peak_field(fan.vertex_count(), 0, seed);
    expect_partners(Found<2>(fan, on_fan), on_fan);
  }
}

/// How many critical cells of each dimension have v as their highest vertex.
std::vector<std::size_t> critical_cells_at(const std::set<Simplex>& critical,
                                           const std::vector<std::uint32_t>& ranks, std::uint32_t v,
                                           int dimension) {
  std::vector<std::size_t> counts(static_cast<std::size_t>(dimension) + 1, 0);
  for (const Simplex& cell : critical) {
    const auto highest = *std::max_element(
        cell.begin(), cell.end(), [&](std::uint32_t a, std::uint32_t b) { return ranks[a] < ranks[b]; });
    if (highest == v) ++counts[cell.size() - 1];
  }
  return counts;
}

/// Adding v glues a cone over its lower link: a component more of the link is a 1-cell, a loop a 2-cell, a
/// closed surface a 3-cell, an empty link a 0-cell (Robins et al., theorem 11). Where links are spheres or
/// discs there are no other critical cells.
template <int Dim>
void expect_reduced_betti_numbers(const SimplexMesh<Dim>& mesh, const Field& field) {
  const Found<Dim> found(mesh, field);
  const auto ranks = oracle::ranks_of(field);
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
    const auto link = oracle::half_link(found.cells, ranks, v, true);
    std::vector<std::size_t> expected = oracle::betti_numbers(link);
    if (link[0].empty()) {
      expected.insert(expected.begin(), 1);
    } else {
      --expected[0];
      expected.insert(expected.begin(), 0);
    }
    ASSERT_EQ(critical_cells_at(found.critical, ranks, v, Dim), expected) << "vertex " << v;
  }
}

TEST(Gradient, CriticalCellsAreChangesOfHomology) {
  for (const std::uint64_t seed : {4u, 5u}) {
    for (const TetMesh& mesh : {make_kuhn(7), make_shuffled(make_kuhn_full(4)), make_torus3(3),
                                make_sphere3(5, 6), make_ball(9, 4)}) {
      expect_reduced_betti_numbers(mesh, make_random_field(mesh.vertex_count(), seed));
      expect_reduced_betti_numbers(mesh, make_tied_field(mesh.vertex_count(), 5, seed));
    }
    for (const TriMesh& mesh : {make_torus(12, 8), make_height_field(9, 9), make_ico(2)}) {
      expect_reduced_betti_numbers(mesh, make_random_field(mesh.vertex_count(), seed));
    }
  }
}

/// Critical cells of f and -f on a manifold without boundary: Alexander duality in the links turns dimension
/// d into Dim - d.
template <int Dim>
void expect_duality(const SimplexMesh<Dim>& mesh, const Field& field) {
  Array<float> negative;
  for (const float value : field.as<float>()) negative.push_back(-value);
  std::vector<int> counts = Found<Dim>(mesh, field).counts;
  std::reverse(counts.begin(), counts.end());
  EXPECT_EQ((Found<Dim>(mesh, Field("negative", negative)).counts), counts);
}

TEST(Gradient, NegationTurnsDimensionsRoundOnClosedManifolds) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    for (const TetMesh& mesh : {make_torus3(4), make_sphere3(6, 8), make_sphere3(3, 70)}) {
      expect_duality(mesh, make_random_field(mesh.vertex_count(), seed));
    }
    for (const TriMesh& mesh : {make_torus(13, 9), make_ico(2)}) {
      expect_duality(mesh, make_random_field(mesh.vertex_count(), seed));
    }
  }
}

// 4 bytes a vertex, 5 an edge and 1 a tet; a Kuhn lattice has fewer than 1.4 edges a tet.
TEST(Gradient, TakesLittleMemory) {
  for (const std::uint32_t n : {16u, 32u}) {
    const TetMesh mesh = make_kuhn(n);
    const TiledMesh<3> tiles = tile(mesh);
    const Field field = make_wave_field(mesh.points, WaveField::rough);
    const auto gradient = compute_gradient(tiles, field);
    EXPECT_LE(gradient.bytes(), 8 * mesh.cell_count() + 4 * mesh.vertex_count());
    EXPECT_EQ(gradient.bytes(),
              4 * (mesh.vertex_count() + 1) + 5 * gradient.edge_count() + mesh.cell_count());
    const auto with_paths = compute_gradient(tiles, field, {.keep_paths = true});
    EXPECT_EQ(with_paths.bytes(), gradient.bytes() + 4 * mesh.cell_count() + 4 * mesh.vertex_count());
    EXPECT_TRUE(with_paths.has_paths());
    EXPECT_FALSE(gradient.has_paths());
  }
}

TEST(Gradient, RefusesWhatIsNoCell) {
  const TetMesh mesh = make_small_solid("two_tets");  // 0 and 4 are not joined
  const TiledMesh<3> tiles = tile(mesh);
  const auto gradient = compute_gradient(tiles, Field("f", Array<float>{0, 1, 2, 3, 4}));
  using Vertices = std::vector<VertexId>;
  const auto ids = [](std::initializer_list<std::uint32_t> indices) {
    Vertices vertices;
    for (const std::uint32_t v : indices) vertices.push_back(VertexId(v));
    return vertices;
  };
  const auto expect_refused = [&](const Vertices& cell) {
    try {
      (void)gradient.partner(cell);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::not_found);
    }
  };
  expect_refused({});
  expect_refused(ids({5}));
  expect_refused(ids({0, 1, 2, 3, 4}));
  expect_refused(ids({0, 4}));
  expect_refused(ids({0, 1, 4}));
  expect_refused(ids({0, 1, 2, 4}));
}

TEST(Gradient, CofacesAreCellsOfTheInput) {
  const auto check = []<int Dim>(const SimplexMesh<Dim>& mesh) {
    const Field field = make_random_field(mesh.vertex_count(), 5);
    const auto gradient = compute_gradient<Dim>(mesh, field);
    ASSERT_GT(gradient.critical_cells(Dim - 1).size(), 0u);
    for (std::size_t i = 0; i < gradient.critical_cells(Dim - 1).size(); ++i) {
      const auto facet = to_simplex<Dim>(gradient.simplex(gradient.critical_cells(Dim - 1)[i].name));
      std::vector<typename SimplexMesh<Dim>::CellId> expected;
      for (std::uint32_t c = 0; c < mesh.cell_count(); ++c) {
        const auto has = [&](std::uint32_t v) {
          return std::find(mesh.cells[c].begin(), mesh.cells[c].end(), VertexId(v)) != mesh.cells[c].end();
        };
        if (std::all_of(facet.begin(), facet.end(), has))
          expected.push_back(typename SimplexMesh<Dim>::CellId(c));
      }
      EXPECT_EQ(gradient.cofaces(i), expected);
    }
    for (const CriticalCell& cell : gradient.critical_cells(Dim)) {
      const auto corners = to_simplex<Dim>(gradient.simplex(cell.name));
      const auto& own = mesh[gradient.top_cell(cell.name)];
      EXPECT_TRUE(std::all_of(own.begin(), own.end(),
                              [&](VertexId v) { return oracle::has_vertex(corners, v.index()); }));
      EXPECT_TRUE(oracle::has_vertex(corners, cell.highest.index()));
    }
  };
  check(oracle::random_mesh<3>(30, 120, 1));  // some facets have three cells
  check(make_shuffled(make_kuhn_full(6)));
  check(make_shuffled(make_torus(12, 9)));
}

}  // namespace
}  // namespace tessera
