// Complexes that are no manifolds and fields that are hard on arithmetic, what counting says of them, and a
// way to run an operation on several numbers of threads.
//
// The oracles list simplices in sets and share nothing with the library.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <tessera/core/error.h>
#include <tessera/mesh/mesh.h>
#include <tessera/mesh/poly_data.h>

#include "topology/oracle.h"

namespace tessera::testing {

inline constexpr std::array<int, 3> thread_counts = {1, 2, 7};

/// All simplices of a complex, by dimension, with the top cells at each.
template <int Dim>
struct Counted {
  std::array<std::map<std::vector<std::uint32_t>, std::size_t>, 4> simplices;
  std::size_t components = 0;

  explicit Counted(const SimplexMesh<Dim>& mesh) {
    std::vector<std::uint32_t> root(mesh.vertex_count());
    std::iota(root.begin(), root.end(), 0U);
    const std::function<std::uint32_t(std::uint32_t)> find = [&](std::uint32_t v) {
      return root[v] == v ? v : root[v] = find(root[v]);
    };
    for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) simplices[0][{v}] = 0;
    for (const auto& cell : mesh.cells) {
      for (unsigned bits = 1; bits < 1U << (Dim + 1); ++bits) {
        std::vector<std::uint32_t> part;
        for (unsigned k = 0; k <= Dim; ++k) {
          if ((bits >> k & 1) != 0) part.push_back(cell[k].index());
        }
        std::ranges::sort(part);
        ++simplices[part.size() - 1][part];
      }
      for (const VertexId v : cell) root[find(v.index())] = find(cell[0].index());
    }
    for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) components += find(v) == v ? 1 : 0;
  }

  [[nodiscard]] std::ptrdiff_t euler_characteristic() const {
    std::ptrdiff_t sum = 0;
    for (std::size_t d = 0; d < 4; ++d)
      sum += (d % 2 == 0 ? 1 : -1) * static_cast<std::ptrdiff_t>(simplices[d].size());
    return sum;
  }
  [[nodiscard]] std::size_t facets_of(std::size_t cells) const {
    std::size_t count = 0;
    for (const auto& [facet, around] : simplices[Dim - 1]) count += around == cells ? 1 : 0;
    return count;
  }
};

/// Values that a careless comparison, sum or difference gets wrong.
inline std::vector<Field> make_odd_fields(std::size_t n, std::uint64_t seed) {
  using Limits = std::numeric_limits<double>;
  const auto filled = [&](const char* name, const std::function<double(std::size_t)>& value) {
    Array<double> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = value(i);
    return Field(name, std::move(values));
  };
  SplitMix64 random(seed);
  std::vector<Field> fields = {
      filled("constant", [](std::size_t) { return 1.5; }),
      filled("random", [&](std::size_t) { return random.uniform(); }),
      filled("all nan", [](std::size_t) { return Limits::quiet_NaN(); }),
      filled("some nan", [](std::size_t i) { return i % 5 == 3 ? Limits::quiet_NaN() : double(i); }),
      filled("infinite",
             [](std::size_t i) {
               return i % 3 == 0 ? Limits::infinity() : i % 3 == 1 ? -Limits::infinity() : 0;
             }),
      filled("denormal", [](std::size_t i) { return Limits::denorm_min() * double(i % 4); }),
      filled("alternating", [](std::size_t i) { return i % 2 == 0 ? Limits::max() : Limits::lowest(); }),
      filled("zeros", [](std::size_t i) { return i % 2 == 0 ? 0.0 : -0.0; })};
  const auto limits = [&]<class T>(T) {
    Array<T> values(n);
    for (std::size_t i = 0; i < n; ++i)
      values[i] = i % 3 == 0   ? std::numeric_limits<T>::lowest()
                  : i % 3 == 1 ? std::numeric_limits<T>::max()
                               : T(i % 2);
    fields.emplace_back("limits", std::move(values));
  };
  limits(std::int8_t{});
  limits(std::uint8_t{});
  limits(std::int32_t{});
  limits(std::int64_t{});
  limits(std::uint64_t{});
  limits(float{});
  return fields;
}

/// Random cells; cells around an edge; two parts that share a vertex; a vertex of nothing.
template <int Dim>
SimplexMesh<Dim> make_odd_mesh(std::uint64_t seed) {
  const std::size_t vertices = 7 + seed % 8;
  SimplexMesh<Dim> mesh = oracle::random_mesh<Dim>(vertices, 3 + 3 * (seed % 5), seed);
  Array<Vec3d> points;
  for (std::uint32_t v = 0; v < vertices; ++v) points.push_back(vec_cast<double>(mesh.points[VertexId(v)]));
  const auto add_point = [&] {
    const double i = static_cast<double>(points.size());
    points.push_back({std::cos(i), std::sin(i), i / 10});
    return VertexId(static_cast<std::uint32_t>(points.size() - 1));
  };
  for (std::uint64_t i = 0; i < seed % 6; ++i) {  // a book on the edge (0, 1)
    typename SimplexMesh<Dim>::Cell cell{};
    cell[0] = VertexId(0);
    cell[1] = VertexId(1);
    for (std::size_t k = 2; k <= Dim; ++k) cell[k] = add_point();
    mesh.cells.push_back(cell);
  }
  for (std::uint64_t i = 0; i < seed % 3; ++i) {  // pinched at vertex 2
    typename SimplexMesh<Dim>::Cell cell{};
    cell[0] = VertexId(2);
    for (std::size_t k = 1; k <= Dim; ++k) cell[k] = add_point();
    mesh.cells.push_back(cell);
  }
  add_point();
  mesh.points = std::move(points);
  return mesh;
}

/// Bytes are compared, so that NaN equals itself.
inline bool same(const Points& a, const Points& b) {
  return a.visit([&](auto from) {
    return b.visit([&](auto to) {
      return from.size_bytes() == to.size_bytes() &&
             (from.empty() || std::memcmp(from.data(), to.data(), to.size_bytes()) == 0);
    });
  });
}

template <int Dim>
bool same(const SimplexMesh<Dim>& a, const SimplexMesh<Dim>& b) {
  return same(a.points, b.points) && a.cells == b.cells && a.point_data == b.point_data &&
         a.cell_data == b.cell_data;
}

inline bool same(const PolyData& a, const PolyData& b) {
  return same(a.points, b.points) && a.lines == b.lines && a.point_data == b.point_data &&
         a.cell_data == b.cell_data;
}

template <class T>
bool same(const Array<T>& a, const Array<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <int Dim>
void expect_valid(const SimplexMesh<Dim>& mesh) {
  for (const auto& cell : mesh.cells) {
    for (const VertexId v : cell) ASSERT_LT(v.index(), mesh.vertex_count());
  }
  for (const Field& field : mesh.point_data) ASSERT_EQ(field.size(), mesh.vertex_count());
  for (const Field& field : mesh.cell_data) ASSERT_EQ(field.size(), mesh.cell_count());
}

/// What work(threads) returns for all numbers of threads, or nothing if it refuses for all of them.
template <class Work, class Same>
auto run_on_threads(const Work& work, const Same& is_same) {
  std::optional<decltype(work(1))> first;
  std::string refusal;
  for (const int threads : thread_counts) {
    std::string error;
    try {
      auto result = work(threads);
      if (!first) {
        EXPECT_TRUE(threads == 1) << "refused for one thread only: " << refusal;
        first.emplace(std::move(result));
      } else {
        EXPECT_TRUE(is_same(*first, result)) << threads << " threads";
      }
    } catch (const Error& caught) {
      error = caught.what();
      EXPECT_FALSE(error.empty());
      EXPECT_FALSE(first) << error;
    }
    EXPECT_TRUE(threads == 1 || error == refusal) << error;
    refusal = error;
  }
  return first;
}

}  // namespace tessera::testing
