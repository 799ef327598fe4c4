// The published counts of TTK 2024 on kuhn128.
#include <gtest/gtest.h>

#include <array>

#include <tessera/mesh/make.h>
#include <tessera/topology/morse_smale.h>

namespace tessera {
namespace {

template <int Dim>
std::array<std::size_t, 4> count_cells(const Gradient<Dim>& gradient) {
  std::array<std::size_t, 4> counts = {};
  for (int d = 0; d <= Dim; ++d) counts[static_cast<std::size_t>(d)] = gradient.critical_cells(d).size();
  return counts;
}

TEST(TopologyReferenceSlow, Kuhn128Rough) {
  const TetMesh mesh = make_kuhn(128);
  const Field field = make_wave_field(mesh.points, WaveField::rough);
  const TiledMesh<3> tiles = tile(mesh);
  EXPECT_EQ(critical_points(tiles, field).counts, (std::array<std::size_t, 5>{3696, 9888, 9991, 3822, 820}));
  const auto complex = morse_smale(tiles, field);
  EXPECT_EQ(complex.gradient.edge_count(), 6196891u);
  EXPECT_EQ(count_cells(complex.gradient), (std::array<std::size_t, 4>{3696, 9720, 7660, 1635}));
  EXPECT_EQ(complex.separatrices.counts, (std::array<std::size_t, 3>{19440, 36112, 11920}));
}

TEST(TopologyReferenceSlow, Kuhn128Smooth) {
  const TetMesh mesh = make_kuhn(128);
  const Field field = make_wave_field(mesh.points, WaveField::smooth);
  const TiledMesh<3> tiles = tile(mesh);
  const auto complex = morse_smale(tiles, field);
  EXPECT_EQ(count_cells(complex.gradient), (std::array<std::size_t, 4>{1268, 2469, 1211, 9}));
  EXPECT_EQ(complex.separatrices.counts, (std::array<std::size_t, 3>{4938, 5028, 976}));
}

}  // namespace
}  // namespace tessera
