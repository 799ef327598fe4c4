#include <tessera/io/detail/cells.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace tessera::detail::io {
namespace {

constexpr std::array<std::string_view, 15> type_names = {
    "empty cell", "vertex", "poly-vertex", "line",  "poly-line",  "triangle", "triangle strip", "polygon",
    "pixel",      "quad",   "tetrahedron", "voxel", "hexahedron", "wedge",    "pyramid"};
/// -1: any number of corners.
constexpr std::array<int, 15> corner_counts = {-1, 1, -1, 2, -1, 3, -1, -1, 4, 4, 4, 8, 8, 6, 5};

/// The types beyond the pyramid: VTK's names, and what they are without the nodes between their corners.
/// Those that are nothing then cannot be read.
struct HigherType {
  std::uint8_t type = 0;
  std::string_view name;
  LinearCell linear;
};
constexpr std::array<HigherType, 49> higher_types = {{
    {15, "pentagonal prism"},
    {16, "hexagonal prism"},
    {quadratic_edge, "quadratic edge", {line, 2, 3}},
    {quadratic_triangle, "quadratic triangle", {triangle, 3, 6}},
    {quadratic_quad, "quadratic quad", {quad, 4, 8}},
    {quadratic_tetrahedron, "quadratic tetrahedron", {tetrahedron, 4, 10}},
    {quadratic_hexahedron, "quadratic hexahedron", {hexahedron, 8, 20}},
    {quadratic_wedge, "quadratic wedge", {wedge, 6, 15}},
    {quadratic_pyramid, "quadratic pyramid", {pyramid, 5, 13}},
    {biquadratic_quad, "biquadratic quad", {quad, 4, 9}},
    {triquadratic_hexahedron, "triquadratic hexahedron", {hexahedron, 8, 27}},
    {30, "quadratic linear quad", {quad, 4, 6}},
    {31, "quadratic linear wedge", {wedge, 6, 12}},
    {biquadratic_wedge, "biquadratic quadratic wedge", {wedge, 6, 18}},
    {33, "biquadratic quadratic hexahedron", {hexahedron, 8, 24}},
    {34, "biquadratic triangle", {triangle, 3, 7}},
    {35, "cubic line", {line, 2, 4}},
    {quadratic_polygon, "quadratic polygon", {polygon, 0, 0}},
    {37, "triquadratic pyramid", {pyramid, 5, 19}},
    {41, "convex point set"},
    {42, "polyhedron"},
    {51, "parametric curve"},
    {52, "parametric surface"},
    {53, "parametric triangle"},
    {54, "parametric quad"},
    {55, "parametric tetrahedron"},
    {56, "parametric hexahedron"},
    {60, "higher order edge"},
    {61, "higher order triangle"},
    {62, "higher order quad"},
    {63, "higher order polygon"},
    {64, "higher order tetrahedron"},
    {65, "higher order wedge"},
    {66, "higher order pyramid"},
    {67, "higher order hexahedron"},
    {lagrange_curve, "lagrange curve", {line, 2, 0}},
    {lagrange_triangle, "lagrange triangle", {triangle, 3, 0}},
    {70, "lagrange quadrilateral", {quad, 4, 0}},
    {lagrange_tetrahedron, "lagrange tetrahedron", {tetrahedron, 4, 0}},
    {lagrange_hexahedron, "lagrange hexahedron", {hexahedron, 8, 0}},
    {73, "lagrange wedge", {wedge, 6, 0}},
    {lagrange_pyramid, "lagrange pyramid", {pyramid, 5, 0}},
    {75, "bezier curve", {line, 2, 0}},
    {76, "bezier triangle", {triangle, 3, 0}},
    {77, "bezier quadrilateral", {quad, 4, 0}},
    {78, "bezier tetrahedron", {tetrahedron, 4, 0}},
    {79, "bezier hexahedron", {hexahedron, 8, 0}},
    {80, "bezier wedge", {wedge, 6, 0}},
    {81, "bezier pyramid", {pyramid, 5, 0}},
}};

constexpr std::array<LinearCell, 256> make_linear_cells() {
  std::array<LinearCell, 256> cells = {};
  for (const HigherType& higher : higher_types) cells[higher.type] = higher.linear;
  return cells;
}
constexpr std::array<LinearCell, 256> linear_cells = make_linear_cells();

bool is_surface(std::uint8_t type) {
  return type >= triangle && type <= quad;
}
bool is_solid(std::uint8_t type) {
  return type >= tetrahedron && type <= pyramid;
}

/// The types there are, with their counts.
struct Census {
  std::array<std::uint64_t, 256> counts = {};

  [[nodiscard]] std::uint64_t of(bool (*is_kind)(std::uint8_t)) const {
    std::uint64_t sum = 0;
    for (int type = 0; type < 256; ++type) sum += is_kind(static_cast<std::uint8_t>(type)) ? counts[type] : 0;
    return sum;
  }
  /// "12 hexahedra, 3 wedges" for the kind.
  [[nodiscard]] std::string say(bool (*is_kind)(std::uint8_t)) const {
    std::string text;
    for (int type = 0; type < 256; ++type) {
      if (counts[type] == 0 || !is_kind(static_cast<std::uint8_t>(type))) continue;
      text += (text.empty() ? "" : ", ") +
              count_cells(counts[type], cell_type_name(static_cast<std::uint8_t>(type)));
    }
    return text;
  }
};

/// Of a cell of any type that can be read; 0 for others.
int dimension_of_type(std::uint8_t type) {
  const std::uint8_t linear = find_linear(type).type;
  const std::uint8_t known = linear == empty_cell ? type : linear;
  return is_solid(known) ? 3 : is_surface(known) ? 2 : known == line || known == poly_line ? 1 : 0;
}

Census count_types(const Array<std::uint8_t>& types, FileReport& report) {
  Census census;
  for (const std::uint8_t type : types) ++census.counts[type];
  for (int type = 0; type < 256; ++type) {
    if (census.counts[type] > 0) {
      report.cells.push_back({cell_type_name(static_cast<std::uint8_t>(type)), census.counts[type]});
      report.dimension = std::max(report.dimension, dimension_of_type(static_cast<std::uint8_t>(type)));
    }
  }
  return census;
}

/// Are all cells of the type, with `corners` corners each?
bool is_uniform(const RawMesh& raw, const Census& census, std::uint8_t type, std::uint64_t corners) {
  return census.counts[type] == raw.types.size() && raw.ends.is_uniform(corners);
}

/// Is there an order from 1 on with that many nodes? `count_of` grows with the order.
template <class CountOf>
bool has_order(std::uint64_t nodes, const CountOf& count_of) {
  std::uint64_t order = 1;
  while (count_of(order) < nodes) ++order;
  return count_of(order) == nodes;
}

/// Is it a product of so many numbers above 1?
bool is_product(std::uint64_t number, int factors) {
  for (std::uint64_t divisor = 2; factors > 1 && divisor * divisor <= number;) {
    if (number % divisor != 0) {
      ++divisor;
    } else {
      number /= divisor;
      --factors;
    }
  }
  return factors == 1 && number > 1;
}

/// Can a Lagrange or Bezier cell have so many nodes? Of hexahedra, quads and wedges, each direction has an
/// order of its own. Some of VTK's have a node in the middle besides, and some
/// triangles of Gmsh none inside.
bool is_node_count(std::uint8_t linear, std::uint64_t nodes) {
  const auto triangular = [](std::uint64_t n) { return (n + 1) * (n + 2) / 2; };
  switch (linear) {
    case line: return nodes >= 2;
    case triangle: return nodes == 7 || nodes == 9 || nodes == 12 || has_order(nodes, triangular);
    case quad: return is_product(nodes, 2);
    case tetrahedron:
      return nodes == 15 || has_order(nodes, [](std::uint64_t n) { return (n + 1) * (n + 2) * (n + 3) / 6; });
    case hexahedron: return is_product(nodes, 3);
    case wedge:
      for (std::uint64_t n = 1; 2 * triangular(n) <= nodes; ++n) {
        if (nodes % triangular(n) == 0) return true;
      }
      return nodes == 21;
    default:  // a pyramid: squares on top of each other
      return has_order(nodes, [](std::uint64_t n) { return (n + 1) * (n + 2) * (2 * n + 3) / 6; });
  }
}

/// Can a cell of the type have that many corners or, if it is of higher order, nodes?
bool has_good_size(std::uint8_t type, std::uint64_t size) {
  if (type <= pyramid)
    return corner_counts[type] < 0 || size == static_cast<std::uint64_t>(corner_counts[type]);
  const LinearCell linear = find_linear(type);
  if (linear.corners == 0) return size % 2 == 0;
  return linear.nodes == 0 ? size >= linear.corners && is_node_count(linear.type, size)
                           : size == linear.nodes;
}

void check_corner_counts(const Input& input, const RawMesh& raw) {
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < raw.types.size(); ++i) {
    const std::uint64_t corners = raw.ends[i] - begin;
    if (!has_good_size(raw.types[i], corners)) {
      input.fail("cell " + std::to_string(i) + " is a " + cell_type_name(raw.types[i]) + " with " +
                 std::to_string(corners) + " corners");
    }
    begin = raw.ends[i];
  }
}

bool is_higher(std::uint8_t type) {
  return find_linear(type).type != empty_cell;
}

void check_types(const Input& input, const Census& census, const ReadOptions& options) {
  const std::string strange =
      census.say([](std::uint8_t type) { return type > pyramid && !is_higher(type); });
  if (!strange.empty())
    input.refuse("holds cells that Tessera cannot read: " + strange + "; convert them to linear cells first");
  if (census.of(is_higher) > 0 && !options.linearize) {
    input.refuse("holds cells of higher order: " + census.say(is_higher) +
                     "; ask to linearize them, which keeps their corners alone",
                 Remedy::linearize);
  }
}

/// With cells of higher order counted as what they will be.
Census linear_census(Census census) {
  for (int type = pyramid + 1; type < 256; ++type) {
    const LinearCell linear = find_linear(static_cast<std::uint8_t>(type));
    if (linear.type != empty_cell) census.counts[linear.type] += std::exchange(census.counts[type], 0);
  }
  return census;
}

/// Refuses cells that only a cut would turn into simplices.
void refuse_cuts(const Input& input, const Census& census) {
  const bool is_volume = census.of(is_solid) > 0;
  const std::string to_cut =
      is_volume ? census.say([](std::uint8_t type) { return is_solid(type) && type != tetrahedron; })
                : census.say([](std::uint8_t type) {
                    return is_surface(type) && type != triangle && type != triangle_strip;
                  });
  if (to_cut.empty()) return;
  const std::string parts = is_volume ? "tetrahedra" : "triangles";
  const std::uint64_t others = is_volume ? census.counts[tetrahedron] : census.counts[triangle];
  input.refuse("holds " + to_cut + (others > 0 ? " beside " + std::to_string(others) + " " + parts : "") +
               "; ask for simplices to cut them into " + parts);
}

template <class Mesh, class From>
Mesh with_data(From& from) {
  Mesh mesh;
  mesh.points = std::move(from.points);
  mesh.point_data = std::move(from.point_data);
  mesh.field_data = std::move(from.field_data);
  return mesh;
}

/// The common case: the corners go straight to the cells, and nothing else is in memory by then.
template <class Mesh>
Mesh take_simplices(const Input& input, RawMesh& raw, const FillCorners& fill_corners) {
  Mesh mesh = with_data<Mesh>(raw);
  mesh.cell_data = std::move(raw.cell_data);
  const std::size_t count = raw.types.size();
  raw.types = {};
  mesh.cells.resize(count);
  static_assert(sizeof(typename Mesh::Cell) == Mesh::corners * sizeof(VertexId));
  CornerSink sink(input, {reinterpret_cast<VertexId*>(mesh.cells.data()), count * Mesh::corners},
                  mesh.points.size(), raw.ends);
  fill_corners(sink);
  return mesh;
}

/// VTK numbers the corners of pixels and voxels like a lattice, not around.
CellType turn_around(std::uint8_t type, std::span<VertexId> corners) {
  if (type == pixel || type == voxel) std::swap(corners[2], corners[3]);
  if (type == voxel) std::swap(corners[6], corners[7]);
  if (type == pixel) return CellType::quad;
  return type == voxel ? CellType::hexahedron : static_cast<CellType>(type);
}

/// Calls add(cell) for the triangles of a strip, all oriented as the first one.
template <class Add>
void cut_strip(std::span<const VertexId> corners, const Add& add) {
  for (std::size_t i = 0; i + 2 < corners.size(); ++i) {
    const std::size_t odd = i % 2;
    add(TriMesh::Cell{corners[i], corners[i + 1 + odd], corners[i + 2 - odd]});
  }
}

/// Leaves out the points that lie between corners and are no cell's corner.
void drop_middles(CellMesh& mesh, const Array<std::uint8_t>& is_middle, std::uint64_t& dropped) {
  Array<std::uint8_t> is_dropped = is_middle;
  for (const VertexId v : mesh.cells.corners) is_dropped[v.index()] = 0;
  Array<std::uint32_t> kept;
  Array<std::uint32_t> place(is_dropped.size());
  for (std::uint32_t v = 0; v < is_dropped.size(); ++v) {
    place[v] = static_cast<std::uint32_t>(kept.size());
    if (is_dropped[v] == 0) kept.push_back(v);
  }
  dropped = is_dropped.size() - kept.size();
  for (VertexId& v : mesh.cells.corners) v = VertexId(place[v.index()]);
  mesh.points = mesh.points.gather(kept);
  mesh.point_data = mesh.point_data.gather(kept);
}

/// Keeps the corners of cells of higher order.
CellMesh linearize(CellMesh mesh, RawMesh& raw, const Census& census, FileReport& report) {
  Array<std::uint8_t> is_middle(mesh.vertex_count(), std::uint8_t{0});
  CellEnds ends;
  std::uint64_t begin = 0;
  std::uint64_t to = 0;
  for (std::size_t i = 0; i < raw.types.size(); begin = raw.ends[i++]) {
    const LinearCell linear = find_linear(raw.types[i]);
    const std::uint64_t nodes = raw.ends[i] - begin;
    const std::uint64_t corners = linear.type == empty_cell ? nodes
                                  : linear.corners == 0     ? nodes / 2
                                                            : linear.corners;
    VertexId* const own = mesh.cells.corners.data() + begin;
    for (std::uint64_t k = corners; k < nodes; ++k) is_middle[own[k].index()] = 1;
    if (linear.type != empty_cell) raw.types[i] = linear.type;
    if (to != begin) std::copy(own, own + corners, mesh.cells.corners.data() + to);
    to += corners;
    ends.push_back(to);
  }
  mesh.cells.corners.resize(to);
  raw.ends = std::move(ends);
  std::uint64_t dropped = 0;
  drop_middles(mesh, is_middle, dropped);
  report.notes.push_back("Linearized " + census.say(is_higher) + ": kept the corners and dropped " +
                         std::to_string(dropped) + " points between them.");
  return mesh;
}

/// Takes strips apart and leaves out cells that are empty.
CellMesh take_apart(CellMesh mesh, const RawMesh& raw, FileReport& report) {
  Array<VertexId> corners = std::exchange(mesh.cells.corners, {});
  Array<std::uint32_t> source;
  std::uint64_t collapsed = 0;
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < raw.types.size(); begin = raw.ends[i++]) {
    const std::span<VertexId> own(corners.data() + begin, raw.ends[i] - begin);
    const auto add = [&](std::span<const VertexId> cell, CellType type) {
      mesh.types.push_back(type);
      mesh.cells.add(cell);
      source.push_back(static_cast<std::uint32_t>(i));
    };
    if (raw.types[i] == empty_cell) continue;
    if (raw.types[i] != triangle_strip) {
      add(own, turn_around(raw.types[i], own));
      continue;
    }
    cut_strip(own, [&](const TriMesh::Cell& part) {
      if (part[0] == part[1] || part[1] == part[2] || part[2] == part[0]) return void(++collapsed);
      add(part, CellType::triangle);
    });
  }
  if (collapsed > 0) {
    report.notes.push_back("Left out " + std::to_string(collapsed) +
                           " triangles of strips that name a point twice.");
  }
  mesh.cell_data = raw.cell_data.gather(source);
  return mesh;
}

/// The general case: the cells as they are.
CellMesh take_cells(const Input& input, RawMesh& raw, const FillCorners& fill_corners, const Census& census,
                    FileReport& report) {
  CellMesh mesh = with_data<CellMesh>(raw);
  mesh.cells.corners.resize(raw.ends.last());
  CornerSink sink(input, mesh.cells.corners, mesh.points.size(), raw.ends);
  fill_corners(sink);
  if (census.of(is_higher) > 0) mesh = linearize(std::move(mesh), raw, census, report);
  const auto is_apart = [](std::uint8_t type) { return type == triangle_strip || type == empty_cell; };
  if (std::any_of(raw.types.begin(), raw.types.end(), is_apart))
    return take_apart(std::move(mesh), raw, report);
  const std::size_t count = raw.types.size();
  mesh.types.resize(count);
  mesh.cells.offsets.resize(count + 1);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t begin = mesh.cells.offsets[i];
    mesh.cells.offsets[i + 1] = raw.ends[i];
    mesh.types[i] = turn_around(raw.types[i], {mesh.cells.corners.data() + begin, raw.ends[i] - begin});
  }
  mesh.cell_data = std::move(raw.cell_data);
  return mesh;
}

/// Are the cells all triangles or all tetrahedra?
bool is_simplicial(const CellMesh& mesh) {
  if (mesh.types.empty()) return true;
  const CellType first = mesh.types.front();
  return (first == CellType::triangle || first == CellType::tetrahedron) &&
         std::all_of(mesh.types.begin(), mesh.types.end(), [&](CellType type) { return type == first; });
}

void note_taken(const Census& census, FileReport& report) {
  if (census.counts[empty_cell] > 0)
    report.notes.push_back("Left out " + census.say([](std::uint8_t type) { return type == empty_cell; }) +
                           ".");
  if (census.counts[triangle_strip] > 0)
    report.notes.emplace_back("Triangle strips were taken apart into their triangles.");
}

AnyMesh cut_cells(const Input& input, CellMesh cells, int dimension, FileReport& report) {
  const bool is_low = cells.dimension() < 2;
  SimplexCut cut;
  try {
    cut = cut_into_simplices(std::move(cells));
  } catch (const Error& error) {
    input.refuse(error.what());
  }
  report.notes.insert(report.notes.end(), cut.notes.begin(), cut.notes.end());
  if (is_low && dimension == 3) return with_data<TetMesh>(std::get<TriMesh>(cut.mesh));
  return std::move(cut.mesh);
}

}  // namespace

LinearCell find_linear(std::uint8_t type) {
  return linear_cells[type];
}

void name_polygons(RawMesh& raw) {
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < raw.types.size(); ++i) {
    const std::uint64_t corners = raw.ends[i] - begin;
    if (raw.types[i] == poly_vertex && corners == 1) raw.types[i] = vertex;
    if (raw.types[i] == poly_line && corners == 2) raw.types[i] = line;
    if (raw.types[i] == polygon && corners == 3) raw.types[i] = triangle;
    if (raw.types[i] == polygon && corners == 4) raw.types[i] = quad;
    begin = raw.ends[i];
  }
}

void CornerSink::refuse(std::uint64_t place, const std::string& corner) const {
  input_.fail("cell " + std::to_string(ends_.cell_of(place)) + " names point " + corner + ", but there are " +
              std::to_string(limit_) + " points");
}

std::string cell_type_name(std::uint8_t type) {
  if (type < type_names.size()) return std::string(type_names[type]);
  const auto* const found = std::find_if(higher_types.begin(), higher_types.end(),
                                         [&](const HigherType& higher) { return higher.type == type; });
  const std::string_view name = found == higher_types.end() ? "unknown" : found->name;
  return std::string(name) + " (type " + std::to_string(type) + ")";
}

AnyMesh assemble(const Input& input, RawMesh raw, const FillCorners& fill_corners, int dimension,
                 const ReadOptions& options, FileReport& report) {
  if (raw.points.size() > std::numeric_limits<std::uint32_t>::max() ||
      raw.types.size() > std::numeric_limits<std::uint32_t>::max()) {
    input.refuse("has more than 4294967295 points or cells");
  }
  const Census census = count_types(raw.types, report);
  if (raw.types.empty()) {
    if (dimension == 3) return take_simplices<TetMesh>(input, raw, [](CornerSink&) {});
    return take_simplices<TriMesh>(input, raw, [](CornerSink&) {});
  }
  if (is_uniform(raw, census, tetrahedron, 4)) return take_simplices<TetMesh>(input, raw, fill_corners);
  if (is_uniform(raw, census, triangle, 3)) return take_simplices<TriMesh>(input, raw, fill_corners);
  check_types(input, census, options);
  check_corner_counts(input, raw);
  if (options.cells == nullptr && !options.simplices) refuse_cuts(input, linear_census(census));
  CellMesh cells = take_cells(input, raw, fill_corners, census, report);
  raw = {};
  note_taken(census, report);
  if (options.cells != nullptr && !is_simplicial(cells)) {
    *options.cells = std::move(cells);
    return TetMesh{};
  }
  return cut_cells(input, std::move(cells), dimension, report);
}

AnyMesh assemble(const Input& input, RawMesh raw, const Array<std::int64_t>& corners,
                 const ReadOptions& options, FileReport& report) {
  const auto fill = [&](CornerSink& sink) { sink.put(std::span<const std::int64_t>(corners)); };
  return assemble(input, std::move(raw), fill, 2, options, report);
}

AnyMesh assemble(const Input& input, Dataset data, const ReadOptions& options, FileReport& report) {
  if (auto* grid = std::get_if<Grid>(&data)) return std::move(*grid);
  auto& cells = *std::get_if<RawCells>(&data);
  const auto fill = [&](CornerSink& sink) { sink.put_checked(cells.corners); };
  return assemble(input, std::move(cells.mesh), fill, cells.dimension, options, report);
}

}  // namespace tessera::detail::io
