// What the topology module finds, said in input ids and vertex tuples: by the library under any setting, and
// by the oracle. Two of them are equal, or something is wrong.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tessera/connect/connectivity.h>
#include <tessera/topology/critical_points.h>
#include <tessera/topology/morse_smale.h>

#include "topology/oracle.h"

namespace tessera::testing {

using oracle::Simplex;

struct NamedPath {
  SeparatrixType type;
  std::vector<Simplex> cells;  ///< from the source to the destination
  friend auto operator<=>(const NamedPath&, const NamedPath&) = default;
};

struct NamedWall {
  std::vector<Simplex> cells;  ///< the saddle first
  /// For each edge of an ascending wall the cells around it, as input ids.
  std::vector<std::vector<std::uint32_t>> rings;
  friend bool operator==(const NamedWall&, const NamedWall&) = default;
};

struct Results {
  std::vector<CriticalPoint> points;
  std::vector<std::vector<Simplex>> critical;  ///< by dimension, in the order of their numbers
  std::map<Simplex, Simplex> pairs;            ///< from the lower dimension to the higher one
  std::vector<NamedPath> paths;
  std::vector<NamedWall> descending_walls;
  std::vector<NamedWall> ascending_walls;
  std::vector<std::int32_t> ascending;  ///< labels
  std::vector<std::int32_t> descending;
  std::vector<std::int32_t> morse_smale;
  std::array<std::size_t, 3> regions = {};

  friend bool operator==(const Results&, const Results&) = default;
};

/// Compares part by part; the first part that differs is named.
inline std::string difference(const Results& a, const Results& b) {
  if (a.points != b.points) return "critical points";
  if (a.critical != b.critical) return "critical cells";
  if (a.pairs != b.pairs) return "pairs";
  if (a.paths != b.paths) return "separatrices";
  if (a.descending_walls != b.descending_walls) return "descending walls";
  if (a.ascending_walls != b.ascending_walls) return "ascending walls";
  if (a.ascending != b.ascending) return "ascending manifolds";
  if (a.descending != b.descending) return "descending manifolds";
  if (a.morse_smale != b.morse_smale) return "Morse-Smale cells";
  if (a.regions != b.regions) return "counts of regions";
  return "";
}

/// Where stars come from.
enum class Provider { pushed, materialized, explicit_tiles, implicit_tiles };

struct Setting {
  int threads = 1;
  TileOptions tiles = {.max_vertices = 512};
  Provider provider = Provider::pushed;
  int producers = 0;
  bool on_device = false;
  Bytes device_memory = 0;                       ///< 0: no limit
  std::shared_ptr<DeviceWatch> watch = nullptr;  ///< of the device

  [[nodiscard]] Exec exec() const {
    if (!on_device) return Exec::host(threads);
    return Exec::cuda(0, threads).with_memory_limit(device_memory).with_watch(watch);
  }
  [[nodiscard]] std::string description() const {
    return (on_device ? "device, " : "") + std::to_string(threads) + " threads, tiles of " +
           std::to_string(tiles.max_vertices) + ", order " + std::to_string(static_cast<int>(tiles.order)) +
           (tiles.partition != nullptr ? ", partition" : "") + ", provider " +
           std::to_string(static_cast<int>(provider)) + " with " + std::to_string(producers) + " producers";
  }
};

/// Calls f(stars) with a store of the setting's provider, or with null.
template <int Dim, class F>
auto with_stars(const TiledMesh<Dim>& tiles, const Setting& setting, const F& f) {
  if (setting.provider == Provider::pushed) return f(nullptr);
  ConnectOptions options;
  options.mode = setting.provider == Provider::materialized     ? StorageMode::materialized
                 : setting.provider == Provider::explicit_tiles ? StorageMode::explicit_tiles
                                                                : StorageMode::implicit_tiles;
  options.producers = setting.producers;
  options.exec = Exec::host(setting.threads);
  const RelationKey keys[] = {key_of<typename StarStore<Dim>::Relation>};
  const auto costs = plan(tiles, keys, {.exec = options.exec, .producers = options.producers});
  options.memory = least_memory(costs, options.mode);  // tiles come and go
  const StarStore<Dim> stars(tiles, options);
  return f(&stars);
}

template <int Dim>
Simplex to_simplex(const typename Gradient<Dim>::Simplex& found) {
  Simplex simplex;
  for (std::uint32_t k = 0; k < found.size; ++k) simplex.push_back(found.vertices[k].index());
  return simplex;
}

template <int Dim>
Simplex name_to_simplex(const Gradient<Dim>& gradient, const CellName& name) {
  return to_simplex<Dim>(gradient.simplex(name));
}

template <int Dim>
std::map<Simplex, Simplex> pairs_of(const Gradient<Dim>& gradient) {
  std::map<Simplex, Simplex> pairs;
  for (const auto& [low, high] : gradient.pairs())
    pairs[name_to_simplex(gradient, low)] = name_to_simplex(gradient, high);
  return pairs;
}

template <int Dim>
std::vector<std::vector<Simplex>> critical_cells_of(const Gradient<Dim>& gradient) {
  std::vector<std::vector<Simplex>> critical(Dim + 1);
  for (int d = 0; d <= Dim; ++d) {
    for (const CriticalCell& cell : gradient.critical_cells(d)) {
      critical[static_cast<std::size_t>(d)].push_back(name_to_simplex(gradient, cell.name));
    }
  }
  return critical;
}

template <int Dim>
std::vector<NamedPath> paths_of(const Gradient<Dim>& gradient, const Separatrices& separatrices) {
  std::vector<NamedPath> paths;
  for (std::size_t s = 0; s < separatrices.ends.size(); ++s) {
    NamedPath path{separatrices.ends[s].type, {}};
    for (const CellName& cell : separatrices.path(s)) path.cells.push_back(name_to_simplex(gradient, cell));
    paths.push_back(path);
  }
  return paths;
}

inline std::vector<NamedWall> descending_walls_of(const Gradient<3>& gradient, const Walls& walls) {
  std::vector<NamedWall> result;
  for (std::size_t w = 0; w + 1 < walls.descending_offsets.size(); ++w) {
    NamedWall& wall = result.emplace_back();
    for (std::size_t i = walls.descending_offsets[w]; i < walls.descending_offsets[w + 1]; ++i) {
      wall.cells.push_back(name_to_simplex(gradient, walls.descending[i]));
    }
  }
  return result;
}

inline std::vector<NamedWall> ascending_walls_of(const Gradient<3>& gradient, const Walls& walls) {
  std::vector<NamedWall> result;
  for (std::size_t w = 0; w + 1 < walls.ascending_offsets.size(); ++w) {
    NamedWall& wall = result.emplace_back();
    for (std::size_t i = walls.ascending_offsets[w]; i < walls.ascending_offsets[w + 1]; ++i) {
      wall.cells.push_back(name_to_simplex(gradient, walls.ascending_edge(i)));
      auto& ring = wall.rings.emplace_back();
      for (const TetId cell : walls.ring(i)) ring.push_back(cell.index());
    }
  }
  return result;
}

/// What the library finds.
template <int Dim>
Results compute_results(const SimplexMesh<Dim>& mesh, const Field& field, const Setting& setting = {}) {
  TileOptions tile_options = setting.tiles;
  tile_options.exec = setting.exec();
  const TiledMesh<Dim> tiles = tile(mesh, tile_options);
  return with_stars(tiles, setting, [&](const StarStore<Dim>* stars) {
    Results results;
    const CriticalPoints points = critical_points(tiles, field, {.exec = setting.exec(), .stars = stars});
    results.points.assign(points.points.begin(), points.points.end());
    const MorseSmaleComplex<Dim> complex =
        morse_smale(tiles, field, {.exec = setting.exec(), .stars = stars, .walls = true});
    results.critical = critical_cells_of(complex.gradient);
    results.pairs = pairs_of(complex.gradient);
    results.paths = paths_of(complex.gradient, complex.separatrices);
    if constexpr (Dim == 3) {
      results.descending_walls = descending_walls_of(complex.gradient, complex.walls);
      results.ascending_walls = ascending_walls_of(complex.gradient, complex.walls);
    }
    const Segmentation& labels = complex.segmentation;
    results.ascending.assign(labels.ascending.begin(), labels.ascending.end());
    results.descending.assign(labels.descending.begin(), labels.descending.end());
    results.morse_smale.assign(labels.morse_smale.begin(), labels.morse_smale.end());
    results.regions = {labels.count.ascending, labels.count.descending, labels.count.morse_smale};
    return results;
  });
}

/// Parts that have no order of their own, sorted: for comparison with the oracle.
inline Results in_canonical_order(Results results) {
  std::sort(results.paths.begin(), results.paths.end());
  for (NamedWall& wall : results.descending_walls) {
    if (!wall.cells.empty()) std::sort(wall.cells.begin() + 1, wall.cells.end());
  }
  for (NamedWall& wall : results.ascending_walls) {
    std::map<Simplex, std::vector<std::uint32_t>> rings;
    for (std::size_t i = 0; i < wall.cells.size(); ++i) {
      std::sort(wall.rings[i].begin(), wall.rings[i].end());
      rings[wall.cells[i]] = wall.rings[i];
    }
    if (!wall.cells.empty()) std::sort(wall.cells.begin() + 1, wall.cells.end());
    wall.rings.clear();
    for (const Simplex& edge : wall.cells) wall.rings.push_back(rings.at(edge));
  }
  return results;
}

}  // namespace tessera::testing
