#include "data/diagram.h"

#include <fmt/format.h>

#include <algorithm>

#include <tessera/topology/critical_points.h>

namespace tessera::cli {
namespace {

/// The type of a critical cell as TTK writes it, which calls the edges of triangles saddle1 where they end a
/// class and saddle2 where they begin one.
CriticalType type_of(const Diagram& diagram, std::uint32_t cell_dimension, bool is_birth) {
  if (cell_dimension == 0) return CriticalType::minimum;
  if (static_cast<int>(cell_dimension) == diagram.dimension) return CriticalType::maximum;
  if (diagram.dimension == 2) return is_birth ? CriticalType::saddle2 : CriticalType::saddle1;
  return cell_dimension == 1 ? CriticalType::saddle1 : CriticalType::saddle2;
}
CriticalType birth_type(const Diagram& diagram, const PersistencePair& pair) {
  return type_of(diagram, pair.dimension, true);
}
CriticalType death_type(const Diagram& diagram, const PersistencePair& pair) {
  return pair.is_finite() ? type_of(diagram, pair.dimension + 1, false) : CriticalType::maximum;
}

FieldSet make_point_data(const Diagram& diagram, const PlaceOf& place_of) {
  Array<std::int32_t> types;
  Array<std::int32_t> vertices;
  Array<float> coordinates;
  const auto add = [&](CriticalType type, VertexId vertex) {
    types.push_back(static_cast<std::int32_t>(type));
    vertices.push_back(static_cast<std::int32_t>(vertex.index()));
    const Vec3f place = vec_cast<float>(place_of(vertex));
    coordinates.insert(coordinates.end(), {place.x, place.y, place.z});
  };
  for (const PersistencePair& pair : diagram.pairs) {
    add(birth_type(diagram, pair), pair.birth_vertex);
    add(death_type(diagram, pair), pair.death_vertex);
  }
  FieldSet data;
  data.add({"ttkVertexScalarField", std::move(vertices)});
  data.add({"CriticalType", std::move(types)});
  data.add({"Coordinates", std::move(coordinates), 3});
  return data;
}

/// The diagonal counts as twice as persistent as the most persistent pair, as in TTK, so that a threshold
/// keeps it.
FieldSet make_cell_data(const Diagram& diagram) {
  Array<std::int32_t> ids;
  Array<std::int32_t> types;
  Array<double> persistence;
  Array<double> births;
  Array<std::uint8_t> is_finite;
  double most = 0;
  for (const PersistencePair& pair : diagram.pairs) {
    ids.push_back(static_cast<std::int32_t>(ids.size()));
    types.push_back(static_cast<std::int32_t>(pair.dimension));
    persistence.push_back(pair.persistence());
    births.push_back(pair.birth_value);
    is_finite.push_back(pair.is_finite() ? 1 : 0);
    most = std::max(most, pair.persistence());
  }
  if (!diagram.pairs.empty()) {
    ids.push_back(-1);
    types.push_back(-1);
    persistence.push_back(2 * most);
    births.push_back(0);
    is_finite.push_back(0);
  }
  FieldSet data;
  data.add({"PairIdentifier", std::move(ids)});
  data.add({"PairType", std::move(types)});
  data.add({"Persistence", std::move(persistence)});
  data.add({"Birth", std::move(births)});
  data.add({"IsFinite", std::move(is_finite)});
  return data;
}

bool is_in(std::size_t dimension, const std::vector<ValueRange>& ranges) {
  const auto number = static_cast<double>(dimension);
  return ranges.empty() || std::ranges::any_of(ranges, [&](const ValueRange& range) {
           return number >= range.low && number <= range.high;
         });
}

/// Leaves those that never die, and `most` of the others. Of equal ones the first stay.
void keep_most_persistent(const Persistence& persistence, std::vector<std::uint32_t>& numbers,
                          std::size_t most) {
  std::vector<std::uint32_t> ranked;
  for (const std::uint32_t i : numbers) {
    if (persistence.pairs[i].is_finite()) ranked.push_back(i);
  }
  if (ranked.size() <= most) return;
  std::ranges::stable_sort(ranked, [&](std::uint32_t a, std::uint32_t b) {
    return persistence.pairs[a].persistence() > persistence.pairs[b].persistence();
  });
  ranked.resize(most);
  std::ranges::sort(ranked);
  std::erase_if(numbers, [&](std::uint32_t i) {
    return persistence.pairs[i].is_finite() && !std::ranges::binary_search(ranked, i);
  });
}

}  // namespace

bool Diagram::shows(std::size_t of_class) const {
  return is_in(of_class, dimensions);
}

Diagram make_diagram(const Persistence& persistence, int dimension, const PairSelection& selection) {
  const auto is_wanted = [&](const PersistencePair& pair) {
    if (pair.is_finite() && pair.persistence() < selection.threshold) return false;
    return is_in(pair.dimension, selection.dimensions);
  };
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < persistence.pairs.size(); ++i) {
    if (is_wanted(persistence.pairs[i])) numbers.push_back(i);
  }
  if (selection.most) keep_most_persistent(persistence, numbers, *selection.most);
  Diagram diagram;
  diagram.dimension = dimension;
  diagram.lowest = persistence.lowest;
  diagram.highest = persistence.highest;
  diagram.threshold = selection.threshold;
  diagram.dimensions = selection.dimensions;
  for (const std::uint32_t i : numbers) diagram.pairs.push_back(persistence.pairs[i]);
  diagram.numbers = std::move(numbers);
  return diagram;
}

Segments make_segments(const Diagram& diagram, const PlaceOf& place_of) {
  Segments segments;
  std::uint32_t last = 0;  // of those born, at the upper end of the diagonal
  for (std::uint32_t i = 0; i < diagram.pairs.size(); ++i) {
    const PersistencePair& pair = diagram.pairs[i];
    segments.points.push_back({pair.birth_value, pair.birth_value, 0});
    segments.points.push_back({pair.birth_value, pair.death_value, 0});
    segments.lines.push_back({VertexId(2 * i), VertexId(2 * i + 1)});
    if (pair.birth_value > diagram.pairs[last].birth_value) last = i;
  }
  if (!diagram.pairs.empty()) segments.lines.push_back({VertexId(0), VertexId(2 * last)});
  segments.point_data = make_point_data(diagram, place_of);
  segments.cell_data = make_cell_data(diagram);
  return segments;
}

namespace {

/// What the cells of cycles carry, filled from their pairs.
struct CycleData {
  Array<std::int32_t> ids, types;
  Array<double> persistence, births, deaths;
  Array<std::uint8_t> is_finite;

  void add(std::size_t id, const PersistencePair& pair) {
    ids.push_back(static_cast<std::int32_t>(id));
    types.push_back(static_cast<std::int32_t>(pair.dimension));
    persistence.push_back(pair.persistence());
    births.push_back(pair.birth_value);
    deaths.push_back(pair.death_value);
    is_finite.push_back(pair.is_finite() ? 1 : 0);
  }
  [[nodiscard]] FieldSet take() {
    FieldSet data;
    data.add({"PairIdentifier", std::move(ids)});
    data.add({"PairType", std::move(types)});
    data.add({"Persistence", std::move(persistence)});
    data.add({"Birth", std::move(births)});
    data.add({"Death", std::move(deaths)});
    data.add({"IsFinite", std::move(is_finite)});
    return data;
  }
};

/// The vertices that cells name, once each, ascending.
std::vector<VertexId> list_corners(const PolyCells& cells) {
  std::vector<VertexId> corners(cells.corners.begin(), cells.corners.end());
  std::ranges::sort(corners);
  corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
  return corners;
}

}  // namespace

PolyData make_cycles(const Diagram& diagram, const PersistentGenerators& generators,
                     const PlaceOf& place_of) {
  const std::vector<VertexId> used = list_corners(generators.cells);
  PolyData poly;
  CycleData data;
  for (const std::size_t dimension : {1, 2}) {  // lines come before polygons
    for (std::size_t c = 0; c < generators.cells.size(); ++c) {
      std::vector<VertexId> corners(generators.cells[c].begin(), generators.cells[c].end());
      if (corners.size() != dimension + 1) continue;
      for (VertexId& corner : corners) {
        corner = VertexId(static_cast<std::uint32_t>(std::ranges::lower_bound(used, corner) - used.begin()));
      }
      (dimension == 1 ? poly.lines : poly.polygons).add(corners);
      const auto id = static_cast<std::size_t>(
          std::ranges::lower_bound(diagram.numbers, generators.pairs[c]) - diagram.numbers.begin());
      data.add(id, diagram.pairs[id]);
    }
  }
  Array<Vec3d> points;
  Array<std::int32_t> vertices;
  for (const VertexId v : used) {
    points.push_back(place_of(v));
    vertices.push_back(static_cast<std::int32_t>(v.index()));
  }
  poly.points = std::move(points);
  poly.point_data.add({"ttkVertexScalarField", std::move(vertices)});
  poly.cell_data = data.take();
  return poly;
}

std::string make_csv(const Diagram& diagram) {
  fmt::memory_buffer text;
  fmt::format_to(std::back_inserter(text),
                 "PairIdentifier,PairType,Birth,Death,Persistence,IsFinite,BirthVertex,DeathVertex,"
                 "BirthCriticalType,DeathCriticalType\n");
  for (std::size_t i = 0; i < diagram.pairs.size(); ++i) {
    const PersistencePair& pair = diagram.pairs[i];
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{}\n", i, pair.dimension,
                   pair.birth_value, pair.death_value, pair.persistence(), pair.is_finite() ? 1 : 0,
                   pair.birth_vertex.index(), pair.death_vertex.index(),
                   static_cast<int>(birth_type(diagram, pair)), static_cast<int>(death_type(diagram, pair)));
  }
  return fmt::to_string(text);
}

}  // namespace tessera::cli
